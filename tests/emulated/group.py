# SPDX-License-Identifier: MIT
# groups.py: the group calls' kernels (hip/group_*.hip), every kind of group, against plain Python.
import functools
import random
import struct

import emulation

POISON = b"\xa5"
UNITS, GRID = 3, 2  # a grid smaller than the work: the kernels walk
SUB_GROUP, BALLOT, FIXED_SIZE, TANGLE, OPPORTUNISTIC = range(1, 6)
PLUS, SHIFT_LEFT, VOTE_ALL = 1, 1, 2
BRANCHES, DELTA = 3, 2
NUMBERS = {"Ii": "i", "Id": "d"}  # of the mangled template arguments


def members(kind, fixed, lane, lanes, predicate, key):
    """The lanes of the group of `lane` among those of its wave, by definition."""
    together = {SUB_GROUP: lambda other: True,
                BALLOT: lambda other: bool(predicate[other]) == bool(predicate[lane]),
                FIXED_SIZE: lambda other: other // fixed == lane // fixed}
    same_key = lambda other: key[other] == key[lane]
    return [other for other in range(lanes) if together.get(kind, same_key)(other)]


def run(device, kernel, fmt, kind, fixed, block, tail, result):
    draw = random.Random(kernel + str((kind, fixed)))
    size = block[0] * block[1] * block[2]
    count = UNITS * size
    x = [draw.randrange(-1000, 1000) for _ in range(count)] if fmt != "B" else \
        [int(draw.random() < 0.8) for _ in range(count)]
    predicate = [draw.choice((0, 0, 1, 7)) for _ in range(count)]
    key = [draw.randrange(-1, BRANCHES) for _ in range(count)]
    inputs = [emulation.Input(device, struct.pack("%d%s" % (count, f), *values))
              for f, values in ((fmt, x), ("B", predicate), ("i", key))]
    width = struct.calcsize(fmt)
    y = emulation.Output(device, POISON * (width * count))
    mask = emulation.Output(device, POISON * (8 * count))

    want_y, want_mask = [], []
    for i in range(count):
        base = i // size * size + i % size // device.wave * device.wave
        lanes = min(device.wave, i // size * size + size - base)
        if kind in (TANGLE, OPPORTUNISTIC) and key[i] < 0:  # takes no branch: nothing is written
            want_y.append(POISON * width)
            want_mask.append(POISON * 8)
            continue
        group = members(kind, fixed, i - base, lanes, predicate[base:], key[base:])
        values, rank = [x[base + lane] for lane in group], group.index(i - base)
        want_y.append(struct.pack(fmt, result(values, rank)))
        want_mask.append(struct.pack("Q", sum(1 << lane for lane in group)))
    want_y, want_mask = b"".join(want_y), b"".join(want_mask)

    shape = struct.pack("<6i3QqII", kind, *block, fixed, BRANCHES, inputs[1].address,
                        inputs[2].address, mask.address, UNITS, GRID, 0)
    what = "%s, kind %d %s, blocks of %s" % (kernel, kind, fixed, "x".join(map(str, block)))
    device.run(what, kernel, GRID,
               block, [shape + tail(inputs[0].address, y.address)], inputs + [y, mask],
               lambda: None if (y.bytes(), mask.bytes()) == (want_y, want_mask) else "wrong result")


def reduction(x, y):
    return struct.pack("<iiQQi16s4x", PLUS, 0, x, y, 0, b"")


def scan(form, x, y):
    return reduction(x, y) + struct.pack("<ii", form, 0)


def cases(device):
    """A kernel file's cases, told by the kernels that the code object holds."""
    found = []
    for kernel in device.kernels:
        for suffix, fmt in NUMBERS.items():
            if "group_reduce" + suffix in kernel:
                found.append((kernel, fmt, reduction, lambda values, rank: sum(values)))
            elif "group_scan" + suffix in kernel:
                found.append((kernel, fmt, functools.partial(scan, 1),
                              lambda values, rank: sum(values[:rank + 1])))
                found.append((kernel, fmt, functools.partial(scan, 2),
                              lambda values, rank: sum(values[:rank])))
        if "group_moveIj" in kernel:
            found.append((kernel, "i",
                          lambda x, y: struct.pack("<iIQQQ", SHIFT_LEFT, DELTA, 0, x, y),
                          lambda values, rank: values[rank + DELTA
                                                      if rank + DELTA < len(values) else rank]))
        if "group_vote" in kernel:
            found.append((kernel, "B", lambda x, y: struct.pack("<iiQQ", VOTE_ALL, 0, x, y),
                          lambda values, rank: int(all(values))))
    if not found:
        raise emulation.Failure("no kernel of a group call")
    for kernel, fmt, tail, result in found:
        for kind in (SUB_GROUP, BALLOT, TANGLE, OPPORTUNISTIC):
            yield functools.partial(run, device, kernel, fmt, kind, 0, (5, 3, 6), tail, result)
        for power in range(device.wave.bit_length()):  # which divide the last wave, a partial one but for the largest
            block = (8, 4, 3) if 2 ** power <= 32 else (8, 4, 4)
            yield functools.partial(run, device, kernel, fmt, FIXED_SIZE, 2 ** power, block, tail, result)
