# SPDX-License-Identifier: MIT
"""waits.py: that each wait a compiler inserts is missed when it is left out: waits.py FILE.co, of kernels.hip."""
import functools
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import amdrun                                   # noqa: E402
import translate                                # noqa: E402
from amdrun import Buffer                       # noqa: E402


class Translator(translate.Translator):
    """Takes the wait at one address for no operation.  Remembers all waits but those beside a barrier, which are there
    for the order of memory, whether or not anything is under way."""
    left_out, waits, last = None, {}, ""

    def instruction(self, body, addr, words):
        out = super().instruction(body, addr, words)
        if body.startswith("s_barrier"):
            Translator.waits.pop(self.last, None)
        if out[0].check == translate.C_WAIT and self.last != "barrier":
            Translator.waits[addr] = body
        self.last = "barrier" if body.startswith("s_barrier") else addr
        if addr == Translator.left_out:
            out[0].check, out[0].limits = translate.C_NONE, [255] * 4
        return out


def launches(module):
    """(kernel, grid, block, arguments, dynamic LDS).  Not `atomics`: there a wait for a scalar load stands in each
    branch of a chain, and whichever is taken first makes the others superfluous."""
    wave = next(iter(module.co.kernels.values()))[".wavefront_size"]
    two = range(2 * wave)
    out = [("shfl_i", 1, len(two), lambda: [Buffer(32 * len(two)), Buffer.of("i", two)], 0),
           ("lanes", 1, len(two), lambda: [Buffer(40 * len(two)), Buffer.of("i", two)], 0),
           ("votes", 1, len(two), lambda: [Buffer(24 * len(two)), Buffer.of("i", two)], 0),
           ("ids", (2, 3), (5, 4, 6), lambda: [Buffer(16 * 6 * 120)], 0),
           ("scratch", 1, 64, lambda: [Buffer(4 * 64), Buffer.of("i", range(64))], 0),
           ("block_sum", 2, 256, lambda: [Buffer(4 * 2 * 259), Buffer.of("i", range(512)), 512], 512),
           ("imath", 1, 64, lambda: [Buffer(8 * 64 * 11)] + [Buffer.of("q", range(1, 65)) for _ in "ab"], 0),
           ("dmath", 1, 64, lambda: [Buffer(8 * 64 * 7)] + [Buffer.of("d", range(1, 65)) for _ in "ab"], 0),
           ("fmath", 1, 64, lambda: [Buffer(4 * 64 * 12)] + [Buffer.of("f", range(1, 65)) for _ in "ab"], 0),
           ("matmul", (2, 2), (16, 16),
            lambda: [Buffer(4096), Buffer.of("f", range(1024)), Buffer.of("f", range(1024)), 32], 0)]
    out += [(name, 1, wave, lambda: [Buffer(8192)] + [Buffer.of("f", [1.0] * 2048) for _ in "ab"], 0)
            for name in module.kernels() if name.startswith(("mfma_", "wmma_"))]
    return out


def main(path):
    translate.Translator = Translator
    translate.disassemble = functools.cache(translate.disassemble)      # each launch has a module of its own
    module, found, missed = amdrun.Module(path), 0, 0
    for name, grid, block, arguments, shared in launches(module):
        Translator.left_out = None
        with tempfile.TemporaryFile("w+") as trace:
            module.launch(name, grid, block, arguments(), shared=shared, trace=trace)
            trace.seek(0)
            executed = {int(line.split()[1], 16) for line in trace}
        for addr in sorted(executed & set(Translator.waits)):
            Translator.left_out = addr
            try:
                amdrun.Module(path).launch(name, grid, block, arguments(), shared=shared)
            except amdrun.Fault as fault:
                assert {f.kind for f in fault.findings} <= {"wait", "race"}, fault
                found += 1
            else:
                missed += 1
                print("WRONG %s: nobody misses the %s at %#x" % (name, Translator.waits[addr], addr))
    print("%s: %d waits are missed when they are left out, %d are not" % (module.co.target, found, missed))
    return missed or not found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(bool(main(sys.argv[1])))
