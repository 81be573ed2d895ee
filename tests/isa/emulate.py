# SPDX-License-Identifier: MIT
# emulate.py: every cell of the instruction table, executed on an emulated AMD GPU against plain Python.
"""usage: emulate.py [--update] FOLDER OBJDUMP READELF CELLS.co BASELINE.co

Random data, another each time (SUBWAVE_SEED repeats a run), in waves that are whole and partial, under
predicates of every form. Each cell also runs as one wave whose every other lane has a true predicate; the
instructions executed there beyond the baseline's may not exceed tests/isa/executed.tsv, which --update
rewrites for this architecture."""
import os
import random
import re
import struct
import sys
import time

import disassembly
import document

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "emulated"))
import emulation

ROWS = 256    # of a block, whatever its size: cells.hpp
POISON = b"\xa5"
IN_BRANCH = ("tangle", "opportunistic", "ballot_branch", "fixed8_branch")
FORMATS = {"i8": "b", "i32": "i", "u32": "I", "i64": "q", "f16": "e", "f32": "f", "f64": "d"}
# Sums of these many are exact in any order.
LARGEST = {"f16": 31, "bf16": 3, "f32": 2 ** 17, "f64": 2 ** 46}


def pack(type_, values):
    if type_ == "bf16":  # the upper half of a float
        return b"".join(struct.pack("f", value)[2:] for value in values)
    return struct.pack("%d%s" % (len(values), FORMATS[type_]), *values)


def wrap(type_, value):
    """An integer as its type stores it."""
    bits = 8 * struct.calcsize(FORMATS[type_])
    value %= 2 ** bits
    return value if type_[0] == "u" or value < 2 ** (bits - 1) else value - 2 ** bits


def number(draw, operation, type_):
    if type_ not in LARGEST:
        return wrap(type_, draw.getrandbits(64))
    if operation.startswith("reduce_m"):
        return draw.choice((draw.uniform(-1, 1), draw.gauss(0, 1e6), float("inf"), float("-inf"), 0.0))
    return draw.randint(-LARGEST[type_], LARGEST[type_])


# What the members, in local-id order, get: function(values, source ids, id, type).
def reduction(join):
    return lambda x, source, one, type_: [join(x, type_)] * len(x)


def total(x, type_):
    return sum(x) if type_ in LARGEST else wrap(type_, sum(x))


def together(x, type_):
    result = -1
    for value in x:
        result &= value
    return wrap(type_, result)


def moved(from_):
    """from_(rank, source, one): the id that is read; the own value where there is none."""
    return lambda x, source, one, type_: [
        x[n] if 0 <= n < len(x) else own
        for own, n in zip(x, (from_(rank, source, one) for rank in range(len(x))))]


OPERATIONS = {
    "reduce_plus": reduction(total),
    "reduce_minimum": reduction(lambda x, type_: min(x)),
    "reduce_maximum": reduction(lambda x, type_: max(x)),
    "reduce_bit_and": reduction(together),
    "inclusive_scan_plus": lambda x, source, one, type_: [total(x[:n + 1], type_)
                                                          for n in range(len(x))],
    "exclusive_scan_plus": lambda x, source, one, type_: [total(x[:n], type_) for n in range(len(x))],
    "broadcast": moved(lambda rank, source, one: one),
    "select": moved(lambda rank, source, one: source[rank]),
    "shift_left": moved(lambda rank, source, one: rank + 1),
    "shift_right": moved(lambda rank, source, one: rank - 1),
    "permute_xor": moved(lambda rank, source, one: rank ^ 1),
    "any_of": reduction(lambda x, type_: int(any(x))),
    "all_of": reduction(lambda x, type_: int(all(x))),
    "none_of": reduction(lambda x, type_: int(not any(x))),
    "local_id": lambda x, source, one, type_: list(range(len(x))),
    "leader": lambda x, source, one, type_: [int(n == 0) for n in range(len(x))],
}


def masks(draw, w, count):
    """Predicates of a wave: all and none, halves, rows, single lanes, any eight, sparse to dense."""
    full = 2 ** w - 1
    half, lane = full >> w // 2, draw.randrange(w)
    even = full // 3
    fixed = [full, 0, even, full ^ even, half, full ^ half, 1, 1 << w - 1, full ^ (1 << lane),
             0xffff << draw.randrange(0, w, 16)]
    while len(fixed) < count:
        a, b, c = (draw.getrandbits(w) for _ in range(3))
        fixed += [draw.randrange(1, 256) << draw.randrange(0, w, 8), a, a & b & c, a | b | c]
    return fixed[:count]


class Launch:
    """Its predicates, one mask a wave, for blocks of `size` work-items."""

    def __init__(self, kind, w, size, grid, choose):
        self.size, self.grid, self.waves = size, grid, -(-size // w)
        self.lanes = []  # of each wave: the rows of its work-items
        for wave in range(grid * self.waves):
            first = wave % self.waves * w
            self.lanes.append([wave // self.waves * ROWS + first + lane
                               for lane in range(min(w, size - first))])
        self.chosen = choose(len(self.lanes))
        if kind == "fixed8_branch":  # groups take the branch as a whole
            self.chosen = [sum(0xff << n for n in range(0, w, 8) if mask >> n & 1)
                           for mask in self.chosen]
        if not any(self.predicates()):  # somebody must write
            self.chosen[0] = 2 ** w - 1

    def predicates(self):
        bits = [0] * (ROWS * self.grid)
        for rows, mask in zip(self.lanes, self.chosen):
            for lane, row in enumerate(rows):
                bits[row] = mask >> lane & 1
        return bits

    def groups(self, kind):
        """The rows of each group that makes the call."""
        for rows, mask in zip(self.lanes, self.chosen):
            sides = [[row for lane, row in enumerate(rows) if mask >> lane & 1 == side]
                     for side in (1, 0)]
            size = int(re.sub(r"\D", "", kind) or 0)
            if size:
                parts = [rows[n:n + size] for n in range(0, len(rows), size)]
                parts = [part for part in parts if "branch" not in kind or part[0] in sides[0]]
            elif kind in IN_BRANCH:
                parts = sides[:1]
            else:
                parts = sides if kind == "ballot" else [rows]
            yield from filter(None, parts)


def launches(draw, kind, w):
    """(what, Launch): all predicates, sides of like size, a partial last wave, the one that is counted."""
    size = int(re.sub(r"\D", "", kind) or 0)
    waves = ROWS // w
    yield "many predicates", Launch(kind, w, ROWS, 24 // waves,
                                    lambda count: masks(draw, w, count))
    yield "sides alike", Launch(kind, w, ROWS, 1,
                                lambda count: [draw.getrandbits(w) for _ in range(count)])
    if kind != "whole" and size < w:
        partial = w + (size or draw.randrange(1, w))
        yield "a partial wave", Launch(kind, w, partial, 2, lambda count: masks(draw, w, 30)[-count:])
    yield "counted", Launch(kind, w, w, 1, lambda count: [(2 ** w - 1) // 3])


def run(device, kernel, launch, what, draw, expected=True):
    """Runs a cell's kernel, or the baseline's, which is only to have run, on what `draw` gives."""
    operation, kind, type_ = kernel.split("__")
    count = ROWS * launch.grid
    x = [number(draw, operation, type_) for _ in range(count)]
    if operation.endswith("_of"):  # votes of all forms
        for rows, mask in zip(launch.lanes, masks(draw, device.wave, 4 * len(launch.lanes))[::-1]):
            for lane, row in enumerate(rows):
                x[row] = mask >> lane & 1
    source = [draw.randrange(device.wave + 4) for _ in range(count)]
    one = draw.randrange(min(map(len, launch.groups(kind)), default=1))
    empty = pack(type_, [0])
    results = {}
    for rows in launch.groups(kind):
        values = OPERATIONS[operation]([x[row] for row in rows], [source[row] for row in rows], one, type_)
        results.update((row, pack(type_, [value])) for row, value in zip(rows, values))
    # A byte's result may be the poison's.
    poison = POISON if any(result != POISON * len(empty) for result in results.values()) else b"\x5a"
    want = b"".join(results.get(row, poison * len(empty)) for row in range(count))
    y = emulation.Output(device, poison * len(want))
    memory = [emulation.Input(device, data) for data in (
        pack(type_, x), pack("i32", launch.predicates()), pack("i32", source))] + [y]

    def verify():
        now = y.bytes()
        if not expected:
            return None if now != y.before else "nothing was written"
        for at in range(0, len(want), len(empty)):
            if now[at:at + len(empty)] != want[at:at + len(empty)]:
                return "row %d: %s, not %s" % (at // len(empty), now[at:at + len(empty)].hex(),
                                               want[at:at + len(empty)].hex())
        return None

    addresses = [part.address for part in memory]
    return device.run("%s: %s" % (kernel, what), kernel, launch.grid, (launch.size,),
                      addresses[:3] + [one, addresses[3]], memory, verify, count=what == "counted")


def executed(stats):
    waits = tuple(name.upper() for name in disassembly.WAITS)
    return sum(count for name, count in stats.ops.items() if not name.upper().startswith(waits))


def check(device, baseline, kernel, seed, partial=True):
    """Runs a cell; returns the instructions that its collective executed."""
    operation, kind, type_ = kernel.split("__")
    draw = random.Random("%s %s" % (seed, kernel))
    for what, launch in launches(draw, kind, device.wave):
        if partial or what != "a partial wave":
            stats = run(device, kernel, launch, what, draw)
    return executed(stats) - executed(run(baseline, kernel, launch, what, draw, expected=False))


def main(arguments):
    update = arguments[:1] == ["--update"]
    folder, objdump, readelf, ours, floor = arguments[update:]
    start = time.monotonic()
    # The baseline stores what it never made where a collective takes no value.
    device, baseline = emulation.Device(ours), emulation.Device(floor, check=False)
    architecture, version = disassembly.origin(readelf, ours)
    seed = os.environ.get("SUBWAVE_SEED") or str(random.SystemRandom().getrandbits(32))
    print("%s: SUBWAVE_SEED=%s" % (device.name, seed))
    path = document.path_of(folder, "executed.tsv")
    table = document.read_table(path) if os.path.exists(path) else {}
    code, rows, failed = disassembly.instructions(objdump, ours), {}, 0
    for kernel in device.kernels:
        if len(code[kernel]) == 1:  # not offered
            continue
        key = (architecture, *kernel.split("__"))
        try:
            rows[key] = {"run": check(device, baseline, kernel, seed)}
        except device.wrong as problem:
            failed += 1
            print(": FAILED, %s: %s" % (type(problem).__name__, problem), flush=True)
            continue
        was = table.get(key, {}).get("run")
        if not update and version == document.VERSION and (was is None or rows[key]["run"] > was):
            failed += 1
            print("FAILED: %s %s %s %s: " % key + "executed %d instructions, the table says %s" % (
                rows[key]["run"], was))
    if update:
        order = {key: None for key in list(table) + list(rows)}
        kept = {key: table[key] for key in table if key[0] != architecture}
        document.write_table(path, {key: (kept | rows)[key] for key in order if key in kept | rows}, ("run",))
        document.write(folder)
    print("%s: %d cells right, %d failed, %d launches, %d wave instructions, %.1f s" % (
        device.name, len(rows), failed, device.launches, device.instructions,
        time.monotonic() - start))
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
