# SPDX-License-Identifier: MIT
# emulate.py: replays the launches that a test program of the CPU device dumped, from an AMD code object on
# an emulated GPU, and compares every byte: emulate.py PROGRAM WAVE FILE.co
import os
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "emulated"))
import emulation

POISON = b"\xa5" * 8
HEAD = struct.Struct("64s8q")  # harness.hpp's write_dump


def launches(path):
    """(kernel, wave, grid, block, argument, input, output) of each."""
    with open(path, "rb") as file:
        while head := file.read(HEAD.size):
            name, wave, grid, x, y, z, argument, inputs, outputs = HEAD.unpack(head)
            yield (name.rstrip(b"\0").decode(), wave, grid, (x, y, z), argument, file.read(8 * inputs),
                   file.read(8 * outputs))


def differ(got, want):
    for i in range(0, len(want), 8):
        if got[i:i + 8] != want[i:i + 8]:
            return "word %d: %#x, not %#x" % (i // 8, *(int.from_bytes(x[i:i + 8], "little")
                                                        for x in (got, want)))
    return None


def replay(device, kernel, wave, grid, block, argument, data, want):
    if wave != device.wave:
        raise emulation.Failure("the dump is of waves of %d" % wave)
    out = emulation.Output(device, POISON * (len(want) // 8))
    memory = [emulation.Input(device, data), out]
    arguments = [memory[0].address, out.address, argument]
    what = "%s, block %s, argument %d" % (kernel, "x".join(map(str, block)), argument)
    device.run(what, kernel, grid, block, arguments, memory, lambda: differ(out.bytes(), want))


def main(program, wave, code_object):
    start = time.monotonic()
    device = emulation.Device(code_object)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        dump = os.path.join(folder, "dump")
        subprocess.run([program, "--wave", wave, "--dump", dump], check=True)
        for case in launches(dump):
            try:
                replay(device, *case)
            except device.wrong as problem:
                failed += 1
                print(": FAILED, %s: %s" % (type(problem).__name__, problem), flush=True)
    print("%s: %d launches as on the CPU device, %d failed, %d wave instructions, %.1f s" % (
        device.name, device.launches, failed, device.instructions, time.monotonic() - start))
    return 1 if failed or not device.launches else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: emulate.py PROGRAM WAVE FILE.co")
    sys.exit(main(*sys.argv[1:]))
