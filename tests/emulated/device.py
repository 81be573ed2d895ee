# SPDX-License-Identifier: MIT
# device.py: executes the kernels of device.hip, for blocks of one to three dimensions, against closed forms: device.py FILE
import functools
import math
import random
import struct
import sys
import time

import emulation

GRID = 2
POISON = b"\xa5"


def blocks(w):
    """One work-item to several waves; most end in a partial wave."""
    return [(1,), (w + 1,), (2 * w + 5,), (5, 7), (3, 5, 7), (4, 4, 4)]


class Lanes:
    """Where each work-item of the grid is: `first` of its wave, its `lane`, the wave's `count`."""

    def __init__(self, block, w):
        self.w, self.size = w, math.prod(block)
        self.items = range(GRID * self.size)
        self.first = [i // self.size * self.size + i % self.size // w * w for i in self.items]
        self.lane = [i % self.size % w for i in self.items]
        self.count = [min(w, self.size - (first % self.size)) for first in self.first]

    def mask(self, i, chosen):
        """The lanes of work-item i's wave whose work-item is chosen."""
        return sum(1 << lane for lane in range(self.count[i]) if chosen(self.first[i] + lane))


def launch(device, kernel, block, what, inputs, size, verify, *more):
    """Runs kernel(out, inputs..., more...), and has verify(bytes of `out`) say what is wrong."""
    out = emulation.Output(device, POISON * size)
    memory = [out] + [emulation.Input(device, data) for data in inputs]
    arguments = [part.address for part in memory] + list(more)
    what = "%s, blocks of %s%s" % (kernel, "x".join(map(str, block)), what and ", " + what)
    device.run(what, kernel, GRID, block, arguments, memory, lambda: verify(out.bytes()))


def differ(got, want, columns):
    for n, (x, y) in enumerate(zip(got, want, strict=True)):
        if x != y:
            return "work-item %d, column %d: %r, not %r" % (*divmod(n, columns), x, y)
    return None


def members(device, block):
    at = Lanes(block, device.wave)
    waves = -(-at.size // at.w)
    want = []
    for i in at.items:
        group, lane, count = i % at.size // at.w, at.lane[i], at.count[i]
        want += [at.w, lane, (1 << count) - 1, group, group, lane, lane, waves, waves, count, count,
                 at.w, group, lane, waves, count, lane == 0, lane]
    launch(device, "members", block, "", [], 8 * len(want),
           lambda out: differ(struct.unpack("%dQ" % len(want), out), want, 18))


def masks(device, block):
    """Both sides of a branch at random, then each of them empty."""
    at = Lanes(block, device.wave)
    draw = random.Random(1)
    for what, force in (("", None), ("one side empty", 0), ("the other side empty", 1)):
        x = [draw.randrange(8) for _ in at.items]
        if force is not None:
            x = [value & 6 | force for value in x]

        def verify(out):
            got = list(struct.unpack("%dQ" % (5 * len(x)), out))
            want = []
            for i in at.items:
                side = at.mask(i, lambda j: x[j] & 1 == x[i] & 1)
                vote = at.mask(i, lambda j: x[j] & 1 == x[i] & 1 and x[j] & 4)
                # An opportunistic group is any part of the side, and all its members see the same.
                group = got[5 * i + 3]
                if group & ~side or not group >> at.lane[i] & 1:
                    return "work-item %d: group %#x on side %#x" % (i, group, side)
                for j in (at.first[i] + lane for lane in range(at.count[i])):
                    if group >> at.lane[j] & 1 and got[5 * j + 3] != group:
                        return "work-items %d and %d disagree on their group" % (i, j)
                want += [at.mask(i, lambda j: x[j] & 2), (1 << at.count[i]) - 1, side, group, vote]
            return differ(got, want, 5)

        launch(device, "masks", block, what, [struct.pack("%dI" % len(x), *x)], 40 * len(x), verify)


def exchange(device, block, name):
    at, draw = Lanes(block, device.wave), random.Random(2)
    cell, size = device.variable("cell_of_" + name, "<2I")  # the bytes that hold no value stay as they were
    values = [draw.randbytes(size) + POISON * (cell - size) for _ in at.items]
    source = [draw.randrange(at.count[i]) for i in at.items]
    one = draw.randrange(min(at.count))
    want = []
    for first, lane in zip(at.first, source):
        want += [values[first + lane]] + [values[first + one]] * 3 + [values[first]]
        want += [values[first + lane]] * 2
    launch(device, "exchange_" + name, block, "lane %d" % one,
           [b"".join(values), struct.pack("%di" % len(source), *source)], cell * len(want),
           lambda out: differ([out[n:n + cell] for n in range(0, len(out), cell)], want, 7), one)


def exchange_divided(device, block):
    at = Lanes(block, device.wave)
    draw = random.Random(3)
    x = [draw.getrandbits(24) for _ in at.items]
    source, want = [], []
    for i in at.items:
        side = [j for j in range(at.first[i], at.first[i] + at.count[i]) if x[j] & 1 == x[i] & 1]
        chosen = draw.choice(side)
        source.append(at.lane[chosen])
        want += [x[chosen], x[side[0]]]
    launch(device, "exchange_divided", block, "",
           [struct.pack("%dI" % len(x), *x), struct.pack("%di" % len(x), *source)], 4 * len(want),
           lambda out: differ(struct.unpack("%dI" % len(want), out), want, 2))


def barriers(device, block):
    at, rounds, draw = Lanes(block, device.wave), 9, random.Random(4)
    stride = at.w + 1
    per_block = -(-at.size // at.w) * stride
    start = [draw.getrandbits(32) for _ in range(GRID * per_block)]
    place = [i // at.size * per_block + i % at.size // at.w * stride + at.lane[i] for i in at.items]
    slots = list(start)
    for r in range(rounds):
        heard = [slots[slot] for slot in place]
        for slot, value in zip(place, heard):
            slots[slot + 1] = (3 * value + r) % 2 ** 32
    want = [slots[place[i // at.size * at.size + at.size - 1 - i % at.size] + 1] for i in at.items]
    for scope, name in enumerate(("sub_group", "work_group", "device", "system"), 1):
        memory = [emulation.Output(device, struct.pack("%dI" % len(start), *start)),
                  emulation.Output(device, POISON * (4 * len(want)))]
        what = "barriers, blocks of %s, scope %s" % ("x".join(map(str, block)), name)
        device.run(what, "barriers", GRID, block,
                   [part.address for part in memory] + [rounds, scope], memory,
                   lambda: differ(struct.unpack("%dI" % len(want), memory[1].bytes()), want, 1)
                   or differ(struct.unpack("%dI" % len(slots), memory[0].bytes()), slots, 1))


def cases(device):
    subjects = {"members": members, "masks": masks, "exchange_divided": exchange_divided,
                "barriers": barriers}
    for kernel in sorted(set(device.kernels) - set(subjects)):
        subjects[kernel] = functools.partial(exchange, name=kernel.removeprefix("exchange_"))
    if len(subjects) != len(device.kernels):
        raise emulation.Failure("kernels are missing: %s" % (set(subjects) - set(device.kernels)))
    for block in blocks(device.wave):
        for subject in subjects.values():
            yield functools.partial(subject, device, block)


def main(path):
    start, failed = time.monotonic(), 0
    with open(path, "rb") as file:
        device = emulation.Device(file.read())
    for case in cases(device):
        try:
            case()
        except device.wrong as problem:
            failed += 1
            print(": FAILED, %s: %s" % (type(problem).__name__, problem), flush=True)
    print("%s: %d launches right, %d failed, %d wave instructions, %.1f s" % (
        device.name, device.launches, failed, device.instructions, time.monotonic() - start))
    return 1 if failed or not device.launches else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: device.py FILE")
    sys.exit(main(sys.argv[1]))
