# SPDX-License-Identifier: MIT
# emulation.py: launches a code object's kernels on an emulated AMD GPU, and lets nothing go unseen.
"""The emulator is tests/amdrun. SUBWAVE_AMDEMU may name the folder of another with the same interface, amdemu.py, for
a second opinion by hand (docs/amd.md)."""
import faulthandler
import os
import struct
import sys

BAND = 256  # guard bytes before and after what a kernel may write


class Failure(Exception):
    """A kernel did something wrong; says what."""


def _emulator():
    second_opinion = os.environ.get("SUBWAVE_AMDEMU")
    if second_opinion:
        sys.path.insert(0, second_opinion)
        import amdemu
        return amdemu
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "amdrun"))
    import amdrun
    return amdrun


class Input:
    """Device memory whose last byte is the last before a page that cannot be touched."""

    def __init__(self, device, data):
        self.data = bytes(data)
        self._buffer = device.emulator.Buffer(bytes(BAND) + self.data)
        self.address = self._buffer.addr + BAND

    def fault(self):
        return None if self._buffer.bytes()[BAND:] == self.data else "an input was written"


class Output:
    """Device memory between guard bands; `keep` says which of its bytes must stay as they are."""

    def __init__(self, device, data, keep=()):
        self.before, self.keep = bytes(data), keep
        self._guard = bytes((37 * i + 11) & 0xFF for i in range(BAND))
        self._buffer = device.emulator.Buffer(self._guard + self.before + self._guard)
        self.address = self._buffer.addr + BAND

    def bytes(self):
        return self._buffer.bytes()[BAND:-BAND]

    def fault(self):
        whole = self._buffer.bytes()
        if whole[:BAND] != self._guard or whole[-BAND:] != self._guard:
            return "a guard band was written"
        now = self.bytes()
        changed = [i for i in self.keep if now[i] != self.before[i]]
        return "byte %d, outside the result, was written" % changed[0] if changed else None


class Device:
    def __init__(self, code_object, **options):
        """`options` are those of the emulator's launch."""
        self.emulator = emulator = _emulator()
        faulthandler.enable()  # a wild access is a SIGSEGV of this process
        self._module = emulator.Module(code_object)
        # What a launch may raise.
        self.wrong = (Failure, emulator.Unsupported, emulator.Deadlock, getattr(emulator, "Fault", Failure))
        self.kernels = self._module.co.kernels
        self.name = "emulated " + self._module.co.target
        self.wave = next(iter(self.kernels.values()))[".wavefront_size"]
        self.launches = self.instructions = 0
        self._options = options

    def variable(self, name, layout):
        """The values that a variable of the program starts with; `layout` as in struct."""
        code = self._module.co
        return struct.unpack(layout, code.read(code.symbols[name][0], struct.calcsize(layout)))

    def run(self, what, kernel, grid, block, arguments, memory, verify, shared=0, count=False):
        """Launches, and raises Failure unless verify() returns None afterwards and not before: what
        would pass with the kernel left out is no test. With `count` the result's `ops` say how often
        each instruction ran."""
        # Flushed before the launch, so that a crash has a name.
        print("%s: %s" % (self.name, what), end="", flush=True)
        if verify() is None:
            raise Failure("the result was there before the kernel ran")
        block = tuple(block) + (1,) * (3 - len(block))
        stats = self._module.launch(kernel, (grid,), block, arguments, shared=shared, count_ops=count, **self._options)
        waves = grid * -(-block[0] * block[1] * block[2] // self.wave)
        if stats.waves != waves:
            raise Failure("%d waves ran, not %d" % (stats.waves, waves))
        for part in memory:
            if part.fault():
                raise Failure(part.fault())
        problem = verify()
        if problem:
            raise Failure(problem)
        print(": ok, %d waves, %d instructions" % (stats.waves, stats.instructions), flush=True)
        self.launches += 1
        self.instructions += stats.instructions
        return stats
