#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""random_kernels.py: generates kernels that use groups in random ways, runs them, and compares what they leave with
plain C++ (README.md).

    random_kernels.py --compiler hipcc --architecture gfx90a --level O3    as AMD machine code, on tests/amdrun
    random_kernels.py --cpu build/cpu/lib/libsubwave_cpu.a                 on the CPU device, with every wave
    random_kernels.py --write FOLDER                                       program.hip, for a GPU by hand
"""
import argparse
import contextlib
import ctypes
import hashlib
import io
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(TREE, "tests", "emulated")]
import generator  # noqa: E402

POISON = 0xa5a5a5a5a5a5a5a5


class Launch(ctypes.Structure):
    """launch.hpp's generated_launch."""
    _fields_ = [(name, ctypes.c_int) for name in ("wave", "blocks", "x", "y", "z", "stride")] + [
        (name, ctypes.c_void_p) for name in ("input", "out", "got")] + [("argument", ctypes.c_int64)]


def wave_of(architecture):
    return 64 if architecture.startswith("gfx9") else 32


def sections(draw):
    """The arrays behind the rows of input."""
    data = b""
    for T in generator.SECTIONS:
        if T in generator.FLOATS:
            letter = {"float16": "e", "float": "f", "double": "d"}[T]
            part = struct.pack("<%d%s" % (generator.SECTION, letter), *(
                draw.randint(0, 7) for _ in range(generator.SECTION)))
        else:
            part = draw.randbytes(8 * generator.SECTION)
        data += part.ljust(8 * generator.SECTION, b"\0")
    return data


class Reference:
    def __init__(self, library):
        self.library = ctypes.CDLL(library)

    def rows(self, kernel, wave, blocks, block, data, argument, got):
        items = blocks * block[0] * block[1] * block[2]
        out = (ctypes.c_uint64 * (items * kernel.stride))(*[POISON] * (items * kernel.stride))
        buffers = [ctypes.create_string_buffer(x, len(x)) for x in (data, got)]
        launch = Launch(wave, blocks, *block, kernel.stride, ctypes.addressof(buffers[0]), ctypes.addressof(out),
                        ctypes.addressof(buffers[1]), argument)
        misuse = getattr(self.library, "expect_" + kernel.name)(ctypes.byref(launch))
        return misuse, bytes(out)


class Misuse(Exception):
    """The kernel uses a group without all of its members: the generator is wrong."""


def execute(device, reference, kernel):
    """Launches a kernel on an emulated GPU in several ways; raises what is wrong."""
    import emulation
    draw = random.Random("%s data" % kernel.seed)
    for blocks, block in kernel.blocks(device.wave):
        items = blocks * block[0] * block[1] * block[2]
        argument = draw.getrandbits(63)
        data = draw.randbytes(8 * items * kernel.inputs) + sections(draw)
        words = items * kernel.stride
        out = emulation.Output(device, struct.pack("<Q", POISON) * words)
        memory = [emulation.Input(device, data), out]

        def verify():
            got = out.bytes()
            misuse, want = reference.rows(kernel, device.wave, blocks, block, data, argument, got)
            if misuse:
                raise Misuse("%s: a group of site %d lacks members" % (kernel.name, misuse))
            for item in range(items):
                start, end = 8 * item * kernel.stride, 8 * (item * kernel.stride + kernel.columns)
                if got[start:end] != want[start:end]:
                    for c in range(kernel.columns):
                        pair = [struct.unpack_from("<Q", x, start + 8 * c)[0] for x in (got, want)]
                        if pair[0] != pair[1]:
                            return "block %s x %d, argument %#x: work-item %d, column %d: %#x, not %#x" % (
                                "x".join(map(str, block)), blocks, argument, item, c, *pair)
            return None
        with contextlib.redirect_stdout(io.StringIO()):
            device.run(kernel.name, kernel.name, blocks, block, [memory[0].address, out.address, argument],
                       memory, verify)


def start(command):
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finish(process, what):
    text, _ = process.communicate()
    if process.returncode:
        raise RuntimeError("%s failed:\n%s" % (what, text[:3000]))


class Batch:
    """Kernels in one file, compiled for a device and to a reference."""

    def __init__(self, kernels, folder, options):
        self.kernels, self.folder = kernels, folder
        os.makedirs(folder, exist_ok=True)
        source, plain = os.path.join(folder, "kernels.hip"), os.path.join(folder, "plain.cpp")
        write(source, generator.device_file(kernels))
        write(plain, generator.plain_file(kernels))
        self.object, self.library = os.path.join(folder, "kernels.co"), os.path.join(folder, "plain.so")
        self.compiling = [
            (start([options.host, "-std=c++17", "-O0", "-fPIC", "-shared", "-w", "-I" + HERE, plain, "-o",
                    self.library]), plain),
            (start([*options.compiler.split(), "--offload-device-only", "--no-gpu-bundle-output",
                    "--offload-arch=" + options.architecture, "-std=c++17", "-" + options.level, "-w", "-I" + HERE,
                    "-I" + os.path.join(options.tree, "include"), "-I" + os.path.join(options.tree, "hip"),
                    *options.flags.split(), "-c", source, "-o", self.object]), source)]

    def run(self, fail):
        """Returns the numbers of launches and instructions. Kernels run in a process of their own, for a wrong one
        may write anywhere; another does those that are left."""
        for process, what in self.compiling:
            finish(process, what)
        left, total = list(self.kernels), [0, 0]
        while left:
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(reader)
                with open(writer, "w") as file:
                    status = self.execute_all(left, lambda *words: print(json.dumps(words), file=file, flush=True))
                os._exit(status)
            os.close(writer)
            with open(reader) as file:
                for kind, *words in map(json.loads, file):
                    if kind == "problem":
                        fail(left[0], words[0])
                    else:
                        left = left[1:]
                        total = [a + b for a, b in zip(total, words)]
            _, status = os.waitpid(child, 0)
            if status and left:
                fail(left.pop(0), "the executor ended with status %#x" % status)
        return total

    def execute_all(self, kernels, tell):
        try:
            import emulation
            device, reference = emulation.Device(self.object), Reference(self.library)
            for kernel in kernels:
                try:
                    execute(device, reference, kernel)
                except (Misuse, *device.wrong) as problem:
                    tell("problem", "%s: %s" % (type(problem).__name__, problem))
                tell("done", device.launches, device.instructions)
                device.launches = device.instructions = 0
            return 0
        except BaseException:
            traceback.print_exc()
            return 1


def on_cpu_device(options, kernels, folder, fail):
    """A program; its kernels are told apart by what it prints."""
    write_program(kernels, folder, (4, 8, 16, 32, 64))
    program = os.path.join(folder, "program")
    plain = start([options.host, "-std=c++17", "-O0", "-w", "-I" + HERE, "-c", program + ".plain.cpp",
                   "-o", program + ".o"])
    include = [x for part in ("src/cpu", "include", "hip") for x in ("-I", os.path.join(options.tree, part))]
    kernel = start([options.host, "-std=c++20", "-" + options.level, "-w", "-ffp-contract=off", "-DSUBWAVE_CPU_DEVICE",
                    "-I" + HERE, *include, "-c", "-x", "c++", program + ".hip", "-o", program + ".hip.o"])
    finish(plain, "the reference")
    finish(kernel, "the kernels")
    finish(start([options.host, program + ".hip.o", program + ".o", options.cpu, "-pthread", "-ldl", "-o", program]),
           "linking")
    run = subprocess.run([program], stdout=subprocess.PIPE, text=True)
    lines = run.stdout.splitlines()
    for kernel in kernels:
        wrong = [line for line in lines if line.startswith(kernel.name + ": FAILED: ")]
        if wrong:
            fail(kernel, wrong[0].split(": FAILED: ")[1])
    if run.returncode not in (0, 1) or not lines or "launches" not in lines[-1]:
        raise RuntimeError("the program ended with %d:\n%s" % (run.returncode, run.stdout[-3000:]))
    return "CPU device: " + lines[-1]


def write_program(kernels, folder, waves):
    os.makedirs(folder, exist_ok=True)
    write(os.path.join(folder, "program.hip"), generator.program_file(kernels, waves))
    write(os.path.join(folder, "program.plain.cpp"), generator.plain_file(kernels))


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


# --- reducing ---------------------------------------------------------------------------------------------------


def compiler_error(text):
    """The compiler's first error; "" if it is not the compiler that a kernel failed in."""
    found = re.search("error: (.*)", text) if " failed:\n" in text else None
    return found[1] if found else ""


def reduced(kernel, text, folder, options):
    """A kernel that still fails, of fewer statements: leaves out each in turn, and takes ifs and loops apart."""
    def still_fails(n):
        failures = []
        try:
            Batch([kernel], os.path.join(folder, "reduce%d" % n), options).run(lambda k, text: failures.append(text))
        except RuntimeError as problem:
            failures.append(str(problem))
        # Not if it fails otherwise: for want of a declaration, say.
        return (bool(failures) and compiler_error(failures[0]) == compiler_error(text) and
                not failures[0].startswith("Misuse"))

    n, progress = 0, True
    while progress:
        progress = False
        for nodes in list(kernel.lists()):
            i = len(nodes)
            while i > 0:
                i = min(i, len(nodes)) - 1
                if i < 0:
                    break
                node = nodes[i]
                for instead in [[]] + [body for body in node.bodies if body]:
                    nodes[i:i + 1] = instead
                    n += 1
                    if still_fails(n):
                        progress = True
                        break
                    nodes[i:i + len(instead)] = [node]
    return kernel


# --- the command --------------------------------------------------------------------------------------------------


def on_emulated_gpu(options, kernels, folder, fail):
    launches = instructions = 0
    batches = [kernels[i:i + options.batch] for i in range(0, len(kernels), options.batch)]
    ahead = None
    for i, batch in enumerate(batches):  # the next compiles while one runs
        now = ahead or Batch(batch, os.path.join(folder, "0"), options)
        ahead = None
        if i + 1 < len(batches):
            ahead = Batch(batches[i + 1], os.path.join(folder, str(i + 1)), options)
        try:
            totals = now.run(fail)
        except RuntimeError:  # there are some that the compiler does not take
            totals = [0, 0]
            for kernel in batch:
                try:
                    alone = Batch([kernel], os.path.join(folder, kernel.name), options).run(fail)
                    totals = [a + b for a, b in zip(totals, alone)]
                except RuntimeError as problem:
                    fail(kernel, str(problem))
        launches, instructions = launches + totals[0], instructions + totals[1]
    return "emulated %s: %d launches, %d wave instructions" % (options.architecture, launches, instructions)


def seed_of(tree):
    """Another one whenever the device interface or these tests change."""
    digest = hashlib.sha256()
    for folder in ("include/subwave", "include/subwave/device", "tests/random"):
        for name in sorted(os.listdir(os.path.join(tree, folder))):
            path = os.path.join(tree, folder, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    digest.update(file.read())
    return digest.hexdigest()[:8]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", help="a word; `random` draws one. Without it SUBWAVE_SEED, or one that "
                        "follows from what is tested, so that a tree's tests always make the same kernels")
    parser.add_argument("--first", type=int, default=0, help="number of the first kernel")
    parser.add_argument("--count", type=int, default=50, help="how many kernels")
    parser.add_argument("--only", type=int, help="number of the one kernel to run")
    parser.add_argument("--batch", type=int, default=50, help="kernels in a file")
    parser.add_argument("--compiler", default="hipcc", help="of AMD code, a command that takes hipcc's options")
    parser.add_argument("--architecture", default="gfx90a")
    parser.add_argument("--level", default="O3", help="of optimisation")
    parser.add_argument("--cpu", metavar="LIBRARY", help="run on the CPU device; its library, libsubwave_cpu.a")
    parser.add_argument("--write", metavar="FOLDER", help="only write program.hip and program.plain.cpp")
    parser.add_argument("--flags", default="", help="further flags of the compiler")
    parser.add_argument("--host", default="g++", help="compiler of the reference")
    parser.add_argument("--tree", default=TREE, help="folder whose include/ and hip/ are used")
    parser.add_argument("--keep", metavar="FOLDER", help="leave the generated files there")
    parser.add_argument("--reduce", action="store_true", help="make failing kernels smaller")
    options = parser.parse_args()
    began = time.monotonic()
    seed = options.seed or os.environ.get("SUBWAVE_SEED") or seed_of(options.tree)
    if seed == "random":
        seed = "%08x" % random.SystemRandom().getrandbits(32)
    print("seed %s" % seed, flush=True)
    numbers = [options.only] if options.only is not None else range(options.first, options.first + options.count)
    wave = 64 if options.cpu else 32 if options.write else wave_of(options.architecture)
    kernels = [generator.Kernel("kernel_%d" % n, "%s.%d" % (seed, n), wave) for n in numbers]
    failed = []
    if options.write:
        write_program(kernels, options.write, (32, 64))
        return 0

    def fail(kernel, text):
        failed.append((kernel, text))
        how = ("--cpu %s" % options.cpu if options.cpu else
               "--compiler '%s' --architecture %s" % (options.compiler, options.architecture))
        if options.flags:
            how += " --flags '%s'" % options.flags
        print("%s: FAILED: %s\n%s\nto repeat: %s --seed %s --only %s %s --level %s\n" % (
            kernel.name, text, kernel.device_text(), os.path.relpath(__file__), seed, kernel.name.split("_")[1],
            how, options.level), flush=True)

    with contextlib.ExitStack() as stack:
        folder = options.keep or stack.enter_context(tempfile.TemporaryDirectory())
        did = (on_cpu_device if options.cpu else on_emulated_gpu)(options, kernels, folder, fail)
        if options.reduce and not options.cpu:
            for kernel, text in failed:
                print("reduced:\n%s" % reduced(kernel, text, folder, options).device_text(), flush=True)
    print("%s; %d random kernels of seed %s, %d failed, %.1f s" % (
        did, len(kernels), seed, len(failed), time.monotonic() - began))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
