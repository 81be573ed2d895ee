#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# arrays.py: instructions that calls on whole arrays execute on an emulated AMD GPU, beside rocPRIM's.
"""usage: arrays.py BUILD ARCHITECTURE... [--only OPERATION]

Writes the tables of these architectures in arrays.md anew, or the lines of one operation. BUILD is the folder of an AMD build with the emulated device and
without a GPU (docs/amd.md), whose compiler must be hipcc, which compiles rocPRIM's calls too; for ROCm 7 within
scripts/rocm7. Counts of a call of twice as many elements less those of a call: what each further element takes."""
import collections
import os
import re
import subprocess
import sys
import tempfile

source = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
sys.path[:0] = [os.path.join(source, "tests", "isa"), os.path.join(source, "tests", "amdrun")]
import disassembly

ELEMENTS = 1 << 22
# Operation, options of `subwave bench`, elements that are read and written per element and bytes besides, whether rocPRIM
# has it.
OPERATIONS = [
    ("reduce", [], 1, 0, True), ("scan", [], 2, 0, True), ("compact", [], 1.5, 1, True), ("partition", [], 2, 1, True),
    ("unique", [], 1.5, 0, True), ("segmented_reduce", ["--segments", "{thousandth}", "--lengths", "equal"], 1, 0, True),
    ("segmented_scan", ["--segments", "{thousandth}", "--lengths", "equal"], 2, 0, False),
    ("histogram", [], 1, 0, True), ("histogram", ["--skewed"], 1, 0, False),
    ("row_reduce", ["--size", "{eighth}x8"], 1.125, 0, False), ("row_reduce", ["--size", "{thousandth}x1000"], 1, 0, False),
    ("row_scan", ["--size", "{thousandth}x1000"], 2, 0, False),
    ("row_minmax_index", ["--size", "{thousandth}x1000"], 1, 0, False),
    ("group_reduce", ["--kind", "sub_group"], 2, 0, False), ("group_reduce", ["--kind", "ballot"], 2, 1, False),
    ("group_reduce", ["--kind", "tangle"], 3, 0, False),
    ("group_scan", ["--kind", "sub_group"], 2, 0, False), ("group_scan", ["--kind", "ballot"], 2, 1, False),
]
# Of f64 those that rocPRIM has.
CASES = [("f32", 4, *of) for of in OPERATIONS] + [("f64", 8, *of) for of in OPERATIONS if of[-1]]
PAGE = os.path.join(source, "perf", "isa", "arrays.md")
ABOUT = """# Calls on arrays beside rocPRIM, executed

Instructions that an emulated GPU executes for each KiB that a call reads and writes: 16 bytes for each of 64 lanes.
Elements are f32, where the options do not say otherwise.
Memory brings a KiB in 123 clocks at 5.3 TB/s and 304 compute units, in which a unit issues as many vector instructions.
A wave of gfx1100 and gfx1201 has 32 lanes, so that they need twice as many instructions for as much work. Each device is
taken to have 104 compute units; for group calls 8, so that a block has many batches of elements. Nothing was timed. By
`perf/isa/arrays.py`.
"""
CLASSES = {"vector": ("v_",), "LDS": ("ds_",), "memory": ("global_", "flat_", "buffer_"), "scalar": ("s_",)}


def of_class(mnemonic):
    if not mnemonic.startswith(disassembly.WAITS):
        for name, beginnings in CLASSES.items():
            if mnemonic.startswith(beginnings):
                return name
    return "others"


def mnemonics(program, architecture):
    """{function: {address: mnemonic}} of the code objects in a program."""
    found = collections.defaultdict(dict)
    with tempfile.TemporaryDirectory() as place:
        for path in disassembly.extracted(program, place):
            if architecture in os.path.basename(path):
                for function, code in disassembly.instructions(os.environ.get("OBJDUMP", "llvm-objdump"), path).items():
                    found[function].update((i.address, i.mnemonic) for i in code)
    return found


def executed(command, calls, build, architecture, code, units=104):
    """{class: wave-instructions} of one of the calls; `calls` says how many there are, by what was logged."""
    with tempfile.NamedTemporaryFile() as file:
        done = subprocess.run(command, capture_output=True, text=True, env={
            **os.environ, "LD_LIBRARY_PATH": os.path.join(build, "lib", "rocm-runner"), "SUBWAVE_LOG": "1",
            "SUBWAVE_ROCM_RUNNER": architecture, "SUBWAVE_ROCM_UNITS": str(units), "SUBWAVE_ROCM_EXECUTED": file.name, "AMDRUN_CHECK": "0"})
        if done.returncode:
            sys.exit("arrays.py: %s: %s" % (" ".join(command), done.stderr))
        count = collections.Counter()
        for line in open(file.name, encoding="ascii"):
            function, address, times = line.split()
            count[of_class(code[function].get(int(address, 16), ""))] += int(times)
    return {name: number / calls(done.stderr) for name, number in count.items()}


def table(build, architecture, only, before):
    """`before`: the section's text."""
    tool, library = os.path.join(build, "bin", "subwave"), os.path.join(build, "lib", "libsubwave.so")
    lines = ["| operation | by | " + " | ".join(CLASSES) + " |", "|---|---|" + "---|" * len(CLASSES)]
    with tempfile.TemporaryDirectory() as place:
        peer = os.path.join(place, "peer")
        subprocess.run(["hipcc", "-std=c++17", "-O3", "--offload-arch=" + architecture,
                        os.path.join(source, "perf", "isa", "arrays_rocprim.hip"), "-o", peer],
                       check=True, env={**os.environ, "HIP_PLATFORM": "amd"})
        ours, theirs = mnemonics(library, architecture), mnemonics(peer, architecture)
        for dtype, size, operation, arguments, elements, others, has_peer in CASES:
            arguments = arguments + ["--dtype", dtype] * (dtype != "f32")
            what = " ".join([operation, *(text.format(eighth="n/8", thousandth="n/1000") for text in arguments)])
            if only not in (None, operation):
                lines += [line for line in before.splitlines() if line.startswith("| %s | " % what)]
                continue

            def bench(n):
                options = [text.format(eighth=n // 8, thousandth=n // 1000) for text in arguments]
                options += [] if "--size" in options else ["--size", str(n)]
                # Beside a first call of one element.
                calls = lambda log: len(re.findall(r"^subwave\[gpu:0\]: subwave_%s\(" % operation, log, re.M)) - 1
                return executed([tool, "bench", operation, *options, "--no-check", "--repeat", "1", "--device", "gpu:0"],
                                calls, build, architecture, ours, 8 if operation.startswith("group_") else 104)

            def rocprim(n):
                return executed([peer, operation, dtype, str(n)], lambda log: 1, build, architecture, theirs)

            for by, run in [("subwave", bench)] + ([("rocPRIM", rocprim)] if has_peer else []):
                less, more = run(ELEMENTS), run(2 * ELEMENTS)
                each = ["%.1f" % ((more.get(name, 0) - less.get(name, 0)) / (ELEMENTS * (size * elements + others) / 1024)) for name in CLASSES]
                lines.append("| %s | %s | %s |" % (what, by, " | ".join(each)))
                print(architecture, lines[-1], flush=True)
    return "\n".join(lines) + "\n"


def main(build, *architectures):
    only = None
    if "--only" in architectures:
        *architectures, _, only = architectures
        if only not in (name for name, *_ in OPERATIONS):
            sys.exit("arrays.py: --only is \"%s\", which is none of the operations" % only)
    version = re.search(r"HIP version: ([0-9]+\.[0-9]+)", subprocess.run(["hipcc", "--version"], capture_output=True, text=True,
                                                                        check=True).stdout).group(1)
    with open(PAGE, encoding="utf-8") as file:
        sections = dict(re.findall(r"^## (gfx\w+)(.*?)(?=^## |\Z)", file.read(), re.M | re.S))
    for architecture in architectures:
        sections[architecture] = ", ROCm %s\n\n%s" % (version, table(build, architecture, only, sections.get(architecture, "")))
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(ABOUT + "".join("\n## %s%s\n" % (name, text.rstrip("\n")) for name, text in sorted(sections.items())))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 2 else __doc__)
