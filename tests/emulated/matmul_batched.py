# SPDX-License-Identifier: MIT
# matmul_batched.py: all kernels of hip/matmul_batched.hip, each with its tile full, in part and several times,
# against sums made here.
import array
import functools
import random
import re
import struct

import emulation

EPSILON = {"f": 2.0 ** -23, "d": 2.0 ** -52}
PADDING = b"\xa5"  # bytes of C's array that are no cell of C
NAN = float("nan")


class Kernel:
    """What a mangled name says: matmul_batched_groups<T, Size, Lanes, Terms>,
    matmul_batched_staged<T, Size, Lanes, Across, Terms> or matmul_batched_cells<T, Side>."""

    def __init__(self, name):
        self.name = name
        pattern = r"matmul_batched_(groups|staged|cells)I(.*?)Li(\d+)E((?:Li\d+E)*)E"
        self.kind, element, size, others = re.search(pattern, name).groups()
        others = [int(number) for number in re.findall(r"\d+", others)]
        self.complex = "complex" in element
        self.real = re.search(r"complexI([fd])E", element).group(1) if self.complex else element
        self.numbers = 2 if self.complex else 1
        self.width = self.numbers * struct.calcsize(self.real)
        self.size = int(size)
        if self.kind == "cells":
            self.side, self.title = 2 * self.size - 1, "%d x %d cells" % (2 * (self.size,))
        else:
            self.across = others[1] if self.kind == "staged" else 1
            self.terms = others[-1]
            self.items = others[0] * self.across ** 2
            self.side = self.size * self.across
            self.block = max(128, self.items)
            self.title = "%s %d of %d lanes" % (self.kind, self.side, others[0])
        self.title += " %s%s" % ("c" if self.complex else "f", {"f": "32", "d": "64"}[self.real])

    def groups(self, down, across, batch):
        """The launch from its tile on, but the launcher's part, for kernels of groups; grid and local memory."""
        # A row of local memory, and what a team takes there: two operands, or C.
        local = lambda columns: (columns + 3) // 8 * 8 + 4
        part = 2 * max(self.side * local(self.terms), self.terms * local(self.side))
        if self.width == 8 and self.side >= 32:
            part = max(part, self.side * local(self.side))
        teams = self.block // self.items
        grid = -(-batch * down * across // teams)
        launch = struct.pack("<9iII", 0, down, across, *6 * (0,), self.block, 0)
        return launch, grid, teams * part * self.width if self.kind == "staged" else 0

    def cells(self, m, n, k, batch):
        """The same for cells, of two entries a block."""
        down, across = -(-m // self.size), -(-n // self.size)
        divisor = lambda number: (number, 2 ** 20 // number + 1)
        self.block = -(-2 * down * across // 64) * 64
        shared = (2 * max(m * k + k * n, m * n) + 3 * 16) * self.width
        launch = struct.pack("<5i6I", 0, 1, 1, 2, down, *divisor(across), *divisor(down * across),
                             self.block, shared)
        return launch, -(-batch // 2), shared


def shapes(kernel):
    """m, n, k, batch, transposes of A and B, padding of rows, shared A, pointers, alpha, beta."""
    side = kernel.side
    if kernel.kind == "cells":  # dense
        return [
            (side, side, side, 5, "N", "N", 0, False, False, 1, 0),
            (side - 1, side, 9, 3, "C", "N", 0, False, False, 1, 0.5),
            (side, side - 1, 3, 4, "T", "C", 0, False, False, -1, 0),
            (side, 1, 2, 5, "N", "T", 0, False, False, 0.5, 1),
            (1, side + 6, 1, 2, "N", "N", 0, False, False, 1, 0),
        ]
    terms = kernel.terms
    odd = side - side // 4 if side > 4 else side - 1
    return [
        (side, side, terms, 3, "N", "N", 0, False, False, 1, 0),
        (odd, side - 1, terms + 1, 2, "C", "N", 1, False, True, 1, 0.5),
        (side - 1, odd, max(terms - 3, 1), 2, "T", "C", 0, True, False, -1, 0),
        (side, 1, 2, 5, "N", "T", 0, False, False, 0.5, 1),
        (side + 1, odd, 3, 2, "N", "N", 3, False, False, 1, 0),  # several tiles
    ]


class Matrices:
    """The entries of an operand in one array that is NaN, or padding, between cells."""

    def __init__(self, kernel, rows, columns, batch, padding, draw):
        self.kernel, self.rows, self.columns, self.batch = kernel, rows, columns, batch
        self.ld = columns + padding
        self.stride = rows * self.ld + (1 if padding else 0)
        self.size = (batch - 1) * self.stride + (rows - 1) * self.ld + columns
        number = lambda: array.array(kernel.real, [draw.uniform(-1, 1)])[0]
        self.value = [[[complex(number(), number() if kernel.complex else 0) for _ in range(columns)]
                       for _ in range(rows)] for _ in range(batch)]

    def at(self, entry, i, j):
        return entry * self.stride + i * self.ld + j

    def cells(self):
        return [(e, i, j) for e in range(self.batch) for i in range(self.rows)
                for j in range(self.columns)]

    def pack(self, value):
        parts = [value.real, value.imag][:self.kernel.numbers]
        return struct.pack("%d%s" % (self.kernel.numbers, self.kernel.real), *parts)

    def bytes(self, filler, poison=False):
        width = self.kernel.width
        memory = bytearray(filler * (self.size * width // len(filler)))
        for e, i, j in self.cells():
            at = self.at(e, i, j) * width
            memory[at:at + width] = self.pack(complex(NAN, NAN) if poison else self.value[e][i][j])
        return memory

    def unpack(self, memory, e, i, j):
        at = self.at(e, i, j) * self.kernel.width
        parts = struct.unpack_from("%d%s" % (self.kernel.numbers, self.kernel.real), memory, at)
        return complex(*parts)


def op(matrices, transpose, entry):
    value = matrices.value[entry % matrices.batch]
    if transpose == "N":
        return value
    flip = (lambda x: x.conjugate()) if transpose == "C" else (lambda x: x)
    return [[flip(row[j]) for row in value] for j in range(matrices.columns)]


def size_of(x):
    return abs(x.real) + abs(x.imag)


def run(device, kernel, shape):
    m, n, k, batch, ta, tb, padding, one_a, pointers, alpha, beta = shape
    draw = random.Random(str((kernel.name, shape)))
    nan = struct.pack(kernel.real, NAN)
    a = Matrices(kernel, *((m, k) if ta == "N" else (k, m)), 1 if one_a else batch, padding, draw)
    b = Matrices(kernel, *((k, n) if tb == "N" else (n, k)), batch, padding, draw)
    c = Matrices(kernel, m, n, batch, padding, draw)

    want, bound = {}, {}
    for e in range(batch):
        left, right = op(a, ta, e), list(zip(*op(b, tb, e)))
        for i in range(m):
            for j in range(n):
                terms = [x * y for x, y in zip(left[i], right[j])]
                old = beta * c.value[e][i][j]
                want[e, i, j] = alpha * sum(terms) + old
                size = sum(size_of(x) * size_of(y) for x, y in zip(left[i], right[j]))
                bound[e, i, j] = (2 * k + 6) * EPSILON[kernel.real] * (abs(alpha) * size + size_of(old))

    before = c.bytes(PADDING, poison=beta == 0)  # beta = 0 must not read C
    inside = {c.at(*cell) * kernel.width + byte for cell in c.cells() for byte in range(kernel.width)}
    memory = [emulation.Input(device, bytes(a.bytes(nan))), emulation.Input(device, bytes(b.bytes(nan))),
              emulation.Output(device, before, keep=set(range(len(before))) - inside)]
    operands, arrays = b"", []
    for x, part, transpose in zip((a, b, c), memory, (ta, tb, "N")):
        stride = 0 if x.batch < batch else x.stride
        table = 0
        if pointers:
            addresses = [part.address + e * stride * kernel.width for e in range(batch)]
            arrays.append(emulation.Input(device, struct.pack("%dQ" % batch, *addresses)))
            table = arrays[-1].address
        at = (2 * m * k + 15) // 16 * 16 + 16 if x is b else 0
        operands += struct.pack("<QQqq4i", table, 0 if pointers else part.address, stride, x.ld,
                                transpose != "N", transpose == "C" and kernel.complex, at, 0)
    scalars = c.pack(complex(alpha)), c.pack(complex(beta))
    if kernel.kind == "cells":
        launch, grid, shared = kernel.cells(m, n, k, batch)
    else:
        launch, grid, shared = kernel.groups(-(-m // kernel.side), -(-n // kernel.side), batch)
    problem = struct.pack("<3i4xq", m, n, k, batch) + operands + struct.pack("<16s16s", *scalars)
    problem += launch + struct.pack("<4xqq", grid, 0)
    problem += bytes(-len(problem) % kernel.width) + b"".join(scalars)

    def verify():
        got = memory[2].bytes()
        for cell in c.cells():
            value = c.unpack(got, *cell)
            if not size_of(value - want[cell]) <= bound[cell]:
                return "C%s is %r, not %r" % (list(cell), value, want[cell])
        return None

    what = "%s m=%d n=%d k=%d batch=%d %s%s, rows + %d%s%s, alpha=%g beta=%g" % (
        kernel.title, m, n, k, batch, ta, tb, padding, ", one A" if one_a else "",
        ", pointers" if pointers else "", alpha, beta)
    device.run(what, kernel.name, grid, (kernel.block,), [problem], memory + arrays, verify, shared)


def cases(device):
    kernels = [Kernel(name) for name in device.kernels]
    if len(kernels) < 30 or len({kernel.title for kernel in kernels}) != len(kernels):
        raise emulation.Failure("not the kernels of the table: %s" % sorted(k.title for k in kernels))
    for kernel in sorted(kernels, key=lambda kernel: kernel.title):
        for shape in shapes(kernel):
            yield functools.partial(run, device, kernel, shape)
