#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# answers.py: writes answers.h, what test_answers.c expects. It shares no code with the library or with
# tests/reference.c: integers and fractions.Fraction, from the text of docs/groups.md and subwave.h alone.
#
#   answers.py > answers.h      writes it anew
#   answers.py --check FILE     ends with 1 if FILE is not what would be written
#
# Inputs are not in the file. Both languages draw them from splitmix64, started at the vector's seed, in this order:
#   GROUP    init, n elements of x, n numbers for predicates and keys, n local ids; see element() and choices()
#   MATMUL, BATCHED   all elements in memory of A, of B, of C, gaps too: whole numbers of -range to range, over 8;
#                     of I8 the numbers themselves, where C and its gaps are of I32 and wrap
#   ROUNDED  A, B, C: fractions between -1 and 1 with as many bits as the type holds
# An answer is FNV-1a (64 bits) over all bytes of the output, and the first words of the output in clear. All NaN
# of group arithmetic are the one with the sign 0 and the highest fraction bit alone. Zeros of matrices are +0: the
# sign of a sum that is 0 depends on how it is fused. What is not written has the byte 0xa5.
import sys
from fractions import Fraction

MASK = (1 << 64) - 1
WAVES = (4, 8, 16, 32, 64)
SHOWN = 3
OUTPUT = 0xa5

INTEGERS = {"I8": 8, "I16": 16, "I32": 32, "I64": 64, "U8": 8, "U16": 16, "U32": 32, "U64": 64}
FLOATS = {"F16": (5, 10), "BF16": (8, 7), "F32": (8, 23), "F64": (11, 52)}  # bits of exponent and fraction
SIZES = {"C32": 8, "C64": 16, **{t: w // 8 for t, w in INTEGERS.items()},
         **{t: (1 + e + f) // 8 for t, (e, f) in FLOATS.items()}}
OPS = ("PLUS", "MULTIPLIES", "MINIMUM", "MAXIMUM", "BIT_AND", "BIT_OR", "BIT_XOR", "LOGICAL_AND", "LOGICAL_OR")


class Random:
    """splitmix64."""

    def __init__(self, seed):
        self.state = seed

    def bits(self):
        self.state = self.state + 0x9e3779b97f4a7c15 & MASK
        z = (self.state ^ self.state >> 30) * 0xbf58476d1ce4e5b9 & MASK
        z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
        return z ^ z >> 31


def digest(data):
    h = 0xcbf29ce484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001b3 & MASK
    return h


# --- floating-point numbers: None is NaN, else (negative, magnitude); the magnitude of infinity is INFINITY ---------

INFINITY = "infinity"


def decode(dtype, bits):
    e, f = FLOATS[dtype]
    field, fraction, bias = bits >> f & (1 << e) - 1, bits & (1 << f) - 1, (1 << e - 1) - 1
    negative = bool(bits >> e + f)
    if field == (1 << e) - 1:
        return None if fraction else (negative, INFINITY)
    significand = fraction | (1 << f if field else 0)
    exponent = max(field, 1) - bias - f
    return negative, Fraction(significand << exponent if exponent > 0 else significand, 1 << max(-exponent, 0))


def floor_log2(magnitude):
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    return exponent if magnitude >= Fraction(2) ** exponent else exponent - 1


def encode(dtype, value):
    """The bits of the nearest number, ties to even."""
    e, f = FLOATS[dtype]
    bias, infinity = (1 << e - 1) - 1, (1 << e) - 1 << f
    if value is None:
        return infinity | 1 << f - 1
    negative, magnitude = value
    if magnitude == INFINITY:
        bits = infinity
    elif magnitude == 0:
        bits = 0
    else:
        exponent = max(floor_log2(magnitude), 1 - bias)
        steps = round(magnitude / Fraction(2) ** (exponent - f))  # Python's round() goes to even
        bits = min(steps + (exponent + bias - 1 << f), infinity)
    return bits | negative << e + f


def from_fraction(x):
    return x < 0, abs(x)


def add(a, b):
    if a is None or b is None:
        return None
    if INFINITY in (a[1], b[1]):
        if a[1] == b[1]:
            return a if a[0] == b[0] else None
        return a if a[1] == INFINITY else b
    total = (-a[1] if a[0] else a[1]) + (-b[1] if b[0] else b[1])
    return (a[0] and b[0] if total == 0 else total < 0), abs(total)


def multiply(a, b):
    if a is None or b is None or (INFINITY in (a[1], b[1]) and 0 in (a[1], b[1])):
        return None
    return a[0] != b[0], INFINITY if INFINITY in (a[1], b[1]) else a[1] * b[1]


def before(a, b):
    """Whether a is the less one; -0 is less than +0."""
    if a[0] != b[0]:
        return a[0]
    less = a[1] != b[1] and (b[1] == INFINITY or (a[1] != INFINITY and a[1] < b[1]))
    return less if not a[0] else a[1] != b[1] and not less


# --- operations on bits ----------------------------------------------------------------------------------------------

def truth(dtype, bits):
    if dtype in INTEGERS:
        return bits != 0
    return bits & (1 << sum(FLOATS[dtype])) - 1 != 0


def one(dtype):
    return 1 if dtype in INTEGERS else encode(dtype, (False, Fraction(1)))


def combine(dtype, op, a, b):
    if op.startswith("LOGICAL"):
        pair = truth(dtype, a), truth(dtype, b)
        return one(dtype) if (all(pair) if op == "LOGICAL_AND" else any(pair)) else 0
    if dtype in FLOATS:
        x, y = decode(dtype, a), decode(dtype, b)
        if op in ("PLUS", "MULTIPLIES"):
            value = add(x, y) if op == "PLUS" else multiply(x, y)
            if SIZES[dtype] < 4:  # computed as float, then rounded once more
                value = decode("F32", encode("F32", value))
            return encode(dtype, value)
        if x is None or y is None:
            return encode(dtype, y if x is None else x)
        return a if before(x, y) == (op == "MINIMUM") else b
    width = INTEGERS[dtype]
    number = lambda bits: bits - (1 << width) if dtype[0] == "I" and bits >> width - 1 else bits
    result = {"PLUS": a + b, "MULTIPLIES": a * b, "BIT_AND": a & b, "BIT_OR": a | b, "BIT_XOR": a ^ b,
              "MINIMUM": min(number(a), number(b)), "MAXIMUM": max(number(a), number(b))}[op]
    return result & (1 << width) - 1


def identity(dtype, op):
    if op in ("MULTIPLIES", "LOGICAL_AND"):
        return one(dtype)
    if op in ("MINIMUM", "MAXIMUM"):
        if dtype in FLOATS:
            return encode(dtype, (op == "MAXIMUM", INFINITY))
        width = INTEGERS[dtype]
        if dtype[0] == "U":
            return (1 << width) - 1 if op == "MINIMUM" else 0
        return (1 << width - 1) - (op == "MINIMUM")
    return (1 << INTEGERS[dtype]) - 1 if op == "BIT_AND" else 0


def scan(dtype, op, lanes, x):
    """The inclusive scan {lane: value} of {lane: value}: pairs of lane positions, then pairs of pairs and so on; the
    whole of each lower block enters each member in the upper one."""
    x, size = dict(x), 1
    while size <= max(lanes):
        whole = {}
        for lane in lanes:
            if lane // size % 2 == 0:
                whole[lane // size] = x[lane]  # at the block's last member
        for lane in lanes:
            if lane // size % 2 and lane // size - 1 in whole:
                x[lane] = combine(dtype, op, whole[lane // size - 1], x[lane])
        size *= 2
    return x


# --- inputs ----------------------------------------------------------------------------------------------------------

def element(dtype, op, r):
    """An element of group arithmetic or of a vote from a random number: of many, something is left."""
    rare = r >> 59 == 0
    if dtype in INTEGERS:
        turned = [r, (r << 21 | r >> 43) & MASK, (r << 42 | r >> 22) & MASK]
        bits = {"MULTIPLIES": r | 1, "BIT_AND": turned[0] | turned[1] | turned[2],
                "BIT_OR": turned[0] & turned[1] & turned[2], "LOGICAL_AND": 0 if rare else r | 1,
                "LOGICAL_OR": r | 1 if rare else 0}.get(op, r)
        return bits & (1 << INTEGERS[dtype]) - 1
    e, f = FLOATS[dtype]
    sign = r >> 63 << e + f
    if op in ("PLUS", "MULTIPLIES"):  # 1/4 to 4
        return sign | (1 << e - 1) - 3 + (r >> 52 & 3) << f | r & (1 << f) - 1
    if op in ("LOGICAL_AND", "LOGICAL_OR") and rare == (op == "LOGICAL_AND"):
        return (r & 1) << e + f  # a zero
    if op in ("MINIMUM", "MAXIMUM") and rare:
        return sign | (0, 1, (1 << e) - 1 << f, ((1 << e) - 1 << f) + 1)[r >> 50 & 3]  # 0, the least, infinity, NaN
    return r & (1 << e + f + 1) - 1


def choices(r, branches):
    """A predicate and a key; a key of -1 or `branches` takes no branch."""
    return bool(r & 1), (r >> 8) % (branches + 2) - 1


# --- groups ----------------------------------------------------------------------------------------------------------

CALLS = ("REDUCE", "INCLUSIVE", "EXCLUSIVE", "BROADCAST", "SHIFT_LEFT", "SHIFT_RIGHT", "PERMUTE", "SELECT", "ANY", "ALL",
         "NONE", "INFO")


def groups_of(kind, size, predicate, key):
    """The groups of one sub-group: (id, number of groups, lanes)."""
    lanes = range(len(key))
    if kind == "SUB_GROUP":
        return [(None, None, list(lanes))]
    if kind == "FIXED_SIZE":
        return [(i, len(key) // size, list(range(i * size, (i + 1) * size))) for i in range(len(key) // size)]
    if kind == "BALLOT":
        return [(i, 2, [l for l in lanes if predicate[l] == side]) for i, side in ((0, True), (1, False))]
    return [(0, 1, [l for l in lanes if key[l] == branch]) for branch in range(size)]


def group_values(call, dtype, op, lanes, x, ids, amount, init):
    """{lane: value} of one group."""
    if call in ("REDUCE", "INCLUSIVE", "EXCLUSIVE"):
        x = {l: x[l] for l in lanes}
        if call == "REDUCE":
            whole = scan(dtype, op, lanes, x)[lanes[-1]]
            if init is not None:
                whole = combine(dtype, op, init, whole)
            return dict.fromkeys(lanes, whole)
        if init is not None:
            x[lanes[0]] = combine(dtype, op, init, x[lanes[0]])
        x = scan(dtype, op, lanes, x)
        if call == "INCLUSIVE":
            return x
        first = identity(dtype, op) if init is None else init
        return {l: x[lanes[r - 1]] if r else first for r, l in enumerate(lanes)}
    if call in ("ANY", "ALL", "NONE"):
        yes = [x[l] != 0 for l in lanes]
        answer = {"ANY": any(yes), "ALL": all(yes), "NONE": not any(yes)}[call]
        return dict.fromkeys(lanes, int(answer))
    source = {"BROADCAST": lambda r, l: amount, "SHIFT_LEFT": lambda r, l: r + amount,
              "SHIFT_RIGHT": lambda r, l: r - amount, "PERMUTE": lambda r, l: r ^ amount,
              "SELECT": lambda r, l: ids[l]}[call]
    result = {}
    for r, l in enumerate(lanes):
        s = source(r, l)
        result[l] = x[lanes[s]] if 0 <= s < len(lanes) else x[l]
    return result


def group_answer(wave, call, dtype, op, kind, size, block, blocks, amount, has_init, seed):
    random, items = Random(seed), block[0] * block[1] * block[2]
    n, width = items * blocks, SIZES[dtype]
    moved = call not in ("REDUCE", "INCLUSIVE", "EXCLUSIVE", "ANY", "ALL", "NONE")
    if moved:  # any bits; more than 8 bytes take two draws
        draw = lambda: (random.bits() | (random.bits() << 64 if width > 8 else 0)) & (1 << 8 * width) - 1
    else:
        draw = lambda: element(dtype, op, random.bits())
    init = draw()
    x = [draw() for _ in range(n)]
    predicate, key = zip(*(choices(random.bits(), size) for _ in range(n)))
    ids = [random.bits() % 80 for _ in range(n)]

    words = 8 if call == "INFO" else 1
    word = 4 if call == "INFO" else width
    y = [None] * n
    members = [None] * n
    for start in (s for b in range(blocks) for s in range(b * items, (b + 1) * items, wave)):
        end = min(start + wave, start // items * items + items)
        for number, count, lanes in groups_of(kind, size, predicate[start:end], key[start:end]):
            if not lanes:
                continue
            if call == "INFO":
                here, waves = start % items // wave, -(-items // wave)
                values = {l: (here if number is None else number, waves if number is None else count, r, len(lanes),
                              int(r == 0), here, waves, l) for r, l in enumerate(lanes)}
            else:
                values = group_values(call, dtype, op, lanes, x[start:end], ids[start:end], amount,
                                      init if has_init else None)
            for l in lanes:
                value = values[l]
                if not moved and dtype in FLOATS and decode(dtype, value) is None:
                    value = encode(dtype, None)
                y[start + l] = value if call == "INFO" else (value,)
                members[start + l] = sum(1 << other for other in lanes)
    unwritten = bytes([OUTPUT])
    data = b"".join(unwritten * (words * word) if v is None else b"".join(w.to_bytes(word, "little") for w in v) for v in y)
    return answer(data, b"".join(unwritten * 8 if m is None else m.to_bytes(8, "little") for m in members), min(word, 8))


def answer(data, more, word):
    shown = [int.from_bytes(data[i * word:(i + 1) * word], "little") for i in range(SHOWN)]
    return "0x%016x, {%s}" % (digest(data + more), ", ".join("0x%x" % s for s in shown))


SHAPES = (((33, 1, 1), 2), ((5, 3, 2), 2), ((100, 1, 1), 1), ((7, 1, 1), 5), ((64, 1, 1), 1), ((1, 70, 1), 1))
FIXED = {1: ((7, 1, 1), 4), 2: ((5, 3, 2), 2), 4: ((9, 4, 1), 2), 8: ((8, 9, 1), 1), 16: ((24, 1, 2), 2),
         32: ((96, 1, 1), 1), 64: ((128, 1, 1), 1)}


def group_cases():
    kinds = ("SUB_GROUP", "BALLOT", "FIXED_SIZE", "TANGLE")
    floats = list(FLOATS)
    wanted = []
    for o, op in enumerate(OPS):  # every operation, call and kind; every operation with every type it has
        types = list(INTEGERS) + ([] if op.startswith("BIT") else floats)
        for c in range(12):
            wanted.append((CALLS[c % 3], types[(5 * c + o) % len(types)], op, kinds[c // 3]))
    every = list(SIZES)
    for c, call in enumerate(CALLS[3:8]):
        for k, kind in enumerate(kinds):
            wanted += [(call, every[(4 * c + k + 7 * i) % len(every)], "PLUS", kind) for i in range(2)]
    for call in CALLS[8:11]:
        wanted += [(call, "U8", "LOGICAL_AND" if call == "ALL" else "LOGICAL_OR", kind) for kind in kinds]
    for kind in kinds:
        wanted += [("INFO", "U32", "PLUS", kind)] * 2
    for i, (call, dtype, op, kind) in enumerate(wanted):
        size = {"FIXED_SIZE": list(FIXED)[i % 7], "TANGLE": (1, 2, 3, 7)[i % 4]}.get(kind, 0)
        block, blocks = FIXED[size] if kind == "FIXED_SIZE" else SHAPES[i % len(SHAPES)]
        amount = (1, 2, 5, 0, 17, 40, 3)[i % 7] if call in CALLS[3:7] else 0
        yield call, dtype, op, kind, size, block, blocks, amount, i // 3 % 2 if call in CALLS[:3] else 0, 1000 + i


# --- matrix products -------------------------------------------------------------------------------------------------

class Matrix:
    """Entries of rows x columns elements in memory that is drawn; elements are (real, imaginary) over 8."""

    def __init__(self, random, limit, complex_, column_major, rows, columns, pad, gap=0, batch=1, backwards=False):
        self.column_major, self.rows, self.columns = column_major, rows, columns
        self.ld = max(1, rows if column_major else columns) + pad
        self.apart = (columns if column_major else rows) * self.ld + gap
        self.batch, self.backwards = batch, backwards
        draw = lambda: random.bits() % (2 * limit + 1) - limit
        self.memory = [(draw(), draw() if complex_ else 0) for _ in range(self.apart * batch)]

    def at(self, entry, i, j):
        entry %= self.batch  # one matrix for all if there is one
        first = (self.batch - 1 - entry if self.backwards else entry) * self.apart
        return first + (i + j * self.ld if self.column_major else i * self.ld + j)

    def op(self, entry, transpose):
        rows, columns = (self.rows, self.columns) if transpose == "NONE" else (self.columns, self.rows)
        cell = lambda i, j: self.memory[self.at(entry, i, j) if transpose == "NONE" else self.at(entry, j, i)]
        sign = -1 if transpose == "CONJUGATE" else 1
        return [[(cell(i, j)[0], sign * cell(i, j)[1]) for j in range(columns)] for i in range(rows)]


def times(a, b):
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def products(dtype, a, b, c, ta, tb, k, alpha, beta, batch):
    """Writes the exact answers to c, over 128: alpha and beta are halves. Asserts that every partial sum is exact."""
    complex_ = dtype[0] == "C"
    most = 1 << (53 if dtype in ("F64", "C64") else 24)
    result = [(16 * re, 16 * im) for re, im in c.memory]
    for entry in range(batch):
        left, right = a.op(entry, ta), list(zip(*b.op(entry, tb)))
        for i in range(c.rows):
            for j in range(c.columns):
                if complex_:
                    terms = [times(x, y) for x, y in zip(left[i], right[j])] if k else []
                    total = sum(t[0] for t in terms), sum(t[1] for t in terms)
                    size = sum((abs(x[0]) + abs(x[1])) * (abs(y[0]) + abs(y[1])) for x, y in zip(left[i], right[j])) if k else 0
                else:
                    pairs = list(zip(left[i], right[j])) if k else []
                    total = sum(x[0] * y[0] for x, y in pairs), 0
                    size = sum(abs(x[0] * y[0]) for x, y in pairs)
                at = c.at(entry, i, j)
                old = c.memory[at]
                assert (abs(alpha[0]) + abs(alpha[1])) * size + \
                    8 * (abs(beta[0]) + abs(beta[1])) * (abs(old[0]) + abs(old[1])) < most
                scaled, kept = times(alpha, total), times(beta, old)
                result[at] = scaled[0] + 8 * kept[0], scaled[1] + 8 * kept[1]
    return result


def matrix_answer(dtype, numbers):
    part = {"C32": "F32", "C64": "F64"}.get(dtype, dtype)
    width = SIZES[part]
    parts = [x for number in numbers for x in (number if dtype[0] == "C" else number[:1])]
    data = b"".join(encode(part, from_fraction(Fraction(x, 128))).to_bytes(width, "little") for x in parts)
    return answer(data, b"", width)


def half(x):
    return "%g" % (x / 2)


RANGES = {"F16": 64, "BF16": 100, "F32": 120, "F64": 1 << 20, "C32": 60, "C64": 1 << 18}
SCALARS = ((2, 0), (2, 2), (-4, 1), (1, -2), (3, 4), (0, 3), (-2, 0))  # alpha and beta in halves


def whole_products(a, b, c, ta, tb, alpha, beta):
    """What C's memory holds of I8: 32 bits."""
    result = [x for x, _ in c.memory]
    left, right = a.op(0, ta), list(zip(*b.op(0, tb)))
    for i in range(c.rows):
        for j in range(c.columns):
            at = c.at(0, i, j)
            total = sum(x[0] * y[0] for x, y in zip(left[i], right[j])) if right else 0
            result[at] = alpha * total + beta * result[at]
    return answer(b"".join((x & 0xffffffff).to_bytes(4, "little") for x in result), b"", 4)


def matmul_rows():
    sizes = ((7, 5, 9), (16, 16, 16), (33, 17, 40), (3, 50, 129), (50, 2, 200), (1, 1, 1), (1, 70, 250), (64, 40, 32),
             (70, 1, 150), (20, 30, 0), (19, 66, 13))
    types = ("F32", "F64", "F16", "BF16")
    transposes = ("NONE", "YES")
    for i in range(40):
        dtype, layout = types[i % 4], ("ROW_MAJOR", "COLUMN_MAJOR")[i // 4 % 2]
        ta, tb = transposes[i // 8 % 2], transposes[i // 16 % 2]
        if i >= 32:
            ta = "CONJUGATE"  # which of real matrices is the same
        (m, n, k), (alpha, beta), pads, seed = sizes[i % len(sizes)], SCALARS[i % 7], (i % 3, i % 4, i % 5), 5000 + i
        column, random = layout == "COLUMN_MAJOR", Random(seed)
        a = Matrix(random, RANGES[dtype], False, column, *((m, k) if ta == "NONE" else (k, m)), pads[0])
        b = Matrix(random, RANGES[dtype], False, column, *((k, n) if tb == "NONE" else (n, k)), pads[1])
        c = Matrix(random, RANGES[dtype], False, column, m, n, pads[2])
        numbers = products(dtype, a, b, c, ta, tb, k, (alpha, 0), (beta, 0), 1)
        yield "MATMUL(%s, %s, %s, %s, %d, %d, %d, %d, %d, %d, %s, %s, %d, %d, %s)" % (
            dtype, layout, ta, tb, m, n, k, *pads, half(alpha), half(beta), RANGES[dtype], seed,
            matrix_answer(dtype, numbers))
    for i in range(16):
        layout, ta, tb = ("ROW_MAJOR", "COLUMN_MAJOR")[i % 2], transposes[i // 2 % 2], transposes[i // 4 % 2]
        (m, n, k), pads, seed, limit = sizes[i % len(sizes)], (i % 3 * 16, i % 4, i % 5), 5100 + i, 127
        alpha, beta = ((1, 0), (-1, 1), (2000000011, -77), (3, 2000000011))[i % 4]
        column, random = layout == "COLUMN_MAJOR", Random(seed)
        a = Matrix(random, limit, False, column, *((m, k) if ta == "NONE" else (k, m)), pads[0])
        b = Matrix(random, limit, False, column, *((k, n) if tb == "NONE" else (n, k)), pads[1])
        c = Matrix(random, limit, False, column, m, n, pads[2])
        yield "MATMUL(I8, %s, %s, %s, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %s)" % (
            layout, ta, tb, m, n, k, *pads, alpha, beta, limit, seed,
            whole_products(a, b, c, ta, tb, alpha, beta))


def batched_rows():
    sizes = ((3, 3, 3), (1, 1, 1), (8, 8, 8), (5, 4, 7), (12, 16, 9), (17, 13, 20), (33, 2, 5), (4, 6, 0))
    types, transposes = ("C32", "F64", "C64", "F32"), ("NONE", "YES", "CONJUGATE")
    for i in range(36):
        dtype, layout = types[i % 4], ("ROW_MAJOR", "COLUMN_MAJOR")[i // 4 % 2]
        ta, tb = transposes[i // 3 % 3], transposes[i // 9 % 3]
        (m, n, k), batch, pad, gap = sizes[(i + i // 8) % 8], (1, 7, 3, 10)[i // 2 % 4], (0, 0, 2)[i % 3], (0, 5)[i % 2]
        shared, backwards, seed = (0, 0, 1, 2)[i // 5 % 4], i % 7 == 3, 6000 + i
        alpha, beta = SCALARS[i % 7]
        complex_ = dtype[0] == "C"
        alpha, beta = (alpha, complex_ * (i % 3)), (beta, complex_ * (i % 2 * 2))
        column, random = layout == "COLUMN_MAJOR", Random(seed)
        make = lambda rows, columns, alone: Matrix(random, RANGES[dtype], complex_, column, rows, columns, pad, gap,
                                                   1 if alone else batch, backwards)
        a = make(*((m, k) if ta == "NONE" else (k, m)), shared == 1)
        b = make(*((k, n) if tb == "NONE" else (n, k)), shared == 2)
        c = make(m, n, False)
        numbers = products(dtype, a, b, c, ta, tb, k, alpha, beta, batch)
        yield "BATCHED(%s, %s, %s, %s, %d, %d, %d, %d, %d, %d, %d, %d, %s, %s, %s, %s, %d, %d, %s)" % (
            dtype, layout, ta, tb, m, n, k, batch, pad, gap, shared, backwards, half(alpha[0]), half(alpha[1]),
            half(beta[0]), half(beta[1]), RANGES[dtype], seed, matrix_answer(dtype, numbers))


def rounded_rows():
    """C = 1.25 A B - 0.75 C, 2 x 3, of numbers that do not sum exactly: the exact answer and how far a right one can
    be from it, (k + 3) eps (|alpha| sum |a||b| + |beta c|), of 16 bits half a unit in the last place more."""
    for i in range(8):
        dtype, k, seed = list(FLOATS)[i % 4], (57, 300)[i // 4], 7000 + i
        random, digits = Random(seed), FLOATS[dtype][1] + 1
        draw = lambda count: [Fraction((random.bits() >> 64 - digits) - (1 << digits - 1), 1 << digits - 1) for _ in range(count)]
        a, b, c = draw(2 * k), draw(k * 3), draw(6)
        cells = []
        for cell in range(6):
            row, column = divmod(cell, 3)
            terms = [a[row * k + l] * b[l * 3 + column] for l in range(k)]
            exact = Fraction(5, 4) * sum(terms) - Fraction(3, 4) * c[cell]
            size = Fraction(5, 4) * sum(map(abs, terms)) + Fraction(3, 4) * abs(c[cell])
            bound = (k + 3) * size / (1 << (52 if dtype == "F64" else 23))
            if SIZES[dtype] < 4:
                bound += Fraction(2) ** (floor_log2(abs(exact) + bound) - digits)
            cells.append("{%s, %s}" % (float(exact).hex(), float(bound).hex()))
        yield "ROUNDED(%s, %d, %d,\n    %s,\n    %s)" % (dtype, k, seed, ", ".join(cells[:3]), ", ".join(cells[3:]))


# --- the file --------------------------------------------------------------------------------------------------------

def group_rows():
    for case in group_cases():
        call, dtype, op, kind, size, block, blocks, amount, init, seed = case
        answers = ["{%d, %s}" % (wave, group_answer(wave, *case)) for wave in WAVES if kind != "FIXED_SIZE" or size <= wave]
        yield "GROUP(%s, %s, %s, %s, %d, %d, %d, %d, %d, %d, %d, %d,\n    %s)" % (
            call, dtype, op, kind, size, *block, blocks, amount, init, seed, ",\n    ".join(answers))


def text():
    lines = ["/* SPDX-License-Identifier: MIT", " * answers.h: written by answers.py, which says what it means. Do not edit.",
             " */"]
    for name, rows in (("matmul", matmul_rows()), ("batched", batched_rows()), ("rounded", rounded_rows()),
                       ("group", group_rows())):
        lines += ["static const %s_vector %s_vectors[] = {" % (name, name), *(row + "," for row in rows), "};"]
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        with open(sys.argv[2], encoding="ascii") as file:
            if file.read() != text():
                sys.exit("%s is not what answers.py writes" % sys.argv[2])
    elif len(sys.argv) == 1:
        sys.stdout.write(text())
    else:
        sys.exit("usage: answers.py > answers.h, or answers.py --check answers.h")


main()
