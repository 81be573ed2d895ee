# SPDX-License-Identifier: MIT
# counted.py: what a kernel's main loop asks of the resources of a compute unit, counted while amdrun executes it.
"""A launch's first block is executed, of a product that the program test_planned chooses: in the interior of C, aligned,
and the smallest that executes every instruction of the loop's path (loops.py). Each instruction of the path counts once,
as it was on average; so the figures are those of a turn in the steady state. The clocks are counts too, each resource's
by itself (amdrun's counters.py): nothing is timed."""
import os
import struct
import sys

import disassembly

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "amdrun"))
import amdrun

# Of the matrix unit, or the vector units' multiply-adds, the clocks are the model's `unit`; of others the share of these
# for which they are at work. conflicts: clocks of LDS that bank conflicts cost, beside each that the accesses need.
# lines: lines of L1 that are touched, beside as many as the bytes would fill.
BUSY = {"busy_vector": "VALU", "busy_scalar": "SALU", "busy_branch": "branch", "busy_lds": "LDS", "busy_l1": "L1"}
COLUMNS = ["conflicts", "lines", *BUSY]
LINES_OF_64 = ("gfx90a",)  # bytes; of 128: the others
PLACE = 40                 # in planned.c operand i begins at the address i << PLACE, from 1


def module(objdump, path):
    """A code object, to be executed."""
    os.environ["AMDRUN_OBJDUMP"] = objdump
    return amdrun.Module(path)


def launches(program, code, kernel):
    """(bytes of each operand, block, bytes of LDS, [argument]) of launches that test_planned knows, the smallest first."""
    sizes = [str(a[".size"]) for a in code.co.kernels[kernel][".args"] if not a[".value_kind"].startswith("hidden_")]
    found = set(disassembly.output(program, code.co.target, "64", kernel, *sizes).splitlines())
    for line in sorted(found, key=lambda line: (int(line.split()[0]), line)):
        _, *numbers = line.split()
        yield [int(x) for x in numbers[:4]], [int(x) for x in numbers[4:7]], int(numbers[7]), [
            bytearray.fromhex(x) for x in numbers[8:]]


def placed(argument, operands):
    """A copy of an argument's bytes that points at the operands."""
    copy = bytearray(argument)
    for at in range(0, len(copy) - 7, 8):
        (word,) = struct.unpack_from("<Q", copy, at)
        if 1 <= word >> PLACE <= len(operands):
            struct.pack_into("<Q", copy, at, operands[(word >> PLACE) - 1].addr + word % (1 << PLACE))
    return bytes(copy)


def turn(program, code, kernel, steps):
    """amdrun's counters of a turn, or None where no launch executes it all."""
    addresses = [step.instruction.address for step in steps]
    for sizes, block, lds, arguments in launches(program, code, kernel):
        operands = [amdrun.Buffer(size, 0) for size in sizes]
        launch = code.launch(kernel, 1, block, [placed(x, operands) for x in arguments], lds, count=True, check=False)
        found = launch.counts.turn(addresses)
        if found:
            return found
    return None


def figures(counts, unit):
    """{column: figure} of a turn for whose work the unit takes so many clocks of a SIMD."""
    line, lines = (64, counts.lines64) if counts.target in LINES_OF_64 else (128, counts.lines128)
    moved = sum(counts.bytes.values())
    row = {"conflicts": counts.clocks["LDS"] / counts.lds_ideal - 1 if counts.lds_ideal else 0,
           "lines": line * lines / moved if moved else 0}
    row.update((column, 4 * counts.clocks[name] / unit) for column, name in BUSY.items())
    return {column: "%.2f" % figure for column, figure in row.items()}
