#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# arrays.py: instructions that calls on whole arrays execute on an emulated AMD GPU, beside rocPRIM's.
"""usage: arrays.py BUILD ARCHITECTURE... [--only OPERATION]
       arrays.py --check [HIPCC BUILD ARCHITECTURE...]

Writes the tables of these architectures in arrays.md anew, or the lines of one operation. BUILD is the folder of an AMD build with the emulated device and
without a GPU (docs/amd.md), whose compiler must be hipcc, which compiles rocPRIM's calls too; for ROCm 7 within
scripts/rocm7. Counts of a call of twice as many elements less those of a call: what each further element takes.

--check: whether the library executes fewer vector instructions than rocPRIM: by the page; or counted now and beside what the
page says of rocPRIM, where HIPCC, which compiled the library, is of the page's version (status 77: of none)."""
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


def name_of(dtype, operation, arguments):
    return " ".join([operation, *(text.format(eighth="n/8", thousandth="n/1000") for text in arguments + ["--dtype", dtype] * (dtype != "f32"))])


def per_kib(run, n, bytes_of_element):
    """{class: instructions per KiB}; run(n) is what calls of n elements execute."""
    less, more = run(n), run(2 * n)
    return {name: (more.get(name, 0) - less.get(name, 0)) / (n * bytes_of_element / 1024) for name in CLASSES}


def by_library(build, architecture, code, dtype, operation, arguments):
    """What calls of the library execute, as a function of how many elements they have."""
    def run(n):
        options = [text.format(eighth=n // 8, thousandth=n // 1000) for text in arguments + ["--dtype", dtype]]
        options += [] if "--size" in options else ["--size", str(n)]
        # Beside a first call of one element.
        calls = lambda log: len(re.findall(r"^subwave\[gpu:0\]: subwave_%s\(" % operation, log, re.M)) - 1
        return executed([os.path.join(build, "bin", "subwave"), "bench", operation, *options, "--no-check", "--repeat", "1", "--device", "gpu:0"],
                        calls, build, architecture, code, 8 if operation.startswith("group_") else 104)
    return run


def table(build, architecture, only, before):
    """`before`: the section's text."""
    lines = ["| operation | by | " + " | ".join(CLASSES) + " |", "|---|---|" + "---|" * len(CLASSES)]
    with tempfile.TemporaryDirectory() as place:
        peer = os.path.join(place, "peer")
        subprocess.run(["hipcc", "-std=c++17", "-O3", "--offload-arch=" + architecture,
                        os.path.join(source, "perf", "isa", "arrays_rocprim.hip"), "-o", peer],
                       check=True, env={**os.environ, "HIP_PLATFORM": "amd"})
        ours, theirs = mnemonics(os.path.join(build, "lib", "libsubwave.so"), architecture), mnemonics(peer, architecture)
        for dtype, size, operation, arguments, elements, others, has_peer in CASES:
            what = name_of(dtype, operation, arguments)
            if only not in (None, operation):
                lines += [line for line in before.splitlines() if line.startswith("| %s | " % what)]
                continue

            def rocprim(n):
                return executed([peer, operation, dtype, str(n)], lambda log: 1, build, architecture, theirs)

            bench = by_library(build, architecture, ours, dtype, operation, arguments)
            for by, run in [("subwave", bench)] + ([("rocPRIM", rocprim)] if has_peer else []):
                each = ["%.1f" % count for count in per_kib(run, ELEMENTS, size * elements + others).values()]
                lines.append("| %s | %s | %s |" % (what, by, " | ".join(each)))
                print(architecture, lines[-1], flush=True)
    return "\n".join(lines) + "\n"


def sections():
    with open(PAGE, encoding="utf-8") as file:
        return dict(re.findall(r"^## (gfx\w+)(.*?)(?=^## |\Z)", file.read(), re.M | re.S))


def version_of(hipcc):
    said = subprocess.run([hipcc, "--version"], capture_output=True, text=True, check=True).stdout
    return (re.findall(r"HIP version: ([0-9]+\.[0-9]+)", said) or ["unknown"])[0]


def check(hipcc=None, build=None, *architectures):
    failures = cells = 0
    for architecture, section in sorted(sections().items()):
        if hipcc and (architecture not in architectures or not section.startswith(", ROCm %s\n" % version_of(hipcc))):
            continue
        code = mnemonics(os.path.join(build, "lib", "libsubwave.so"), architecture) if hipcc else None
        for dtype, size, operation, arguments, elements, others, has_peer in CASES:
            if not has_peer:
                continue
            what = name_of(dtype, operation, arguments)
            ours, theirs = (float(re.search(r"^\| %s \| %s \| ([0-9.]+) " % (re.escape(what), by), section, re.M).group(1))
                            for by in ("subwave", "rocPRIM"))
            if hipcc:
                run = by_library(build, architecture, code, dtype, operation, arguments)
                ours = per_kib(run, ELEMENTS, size * elements + others)["vector"]
            cells += 1
            failures += not 0 < ours < theirs
            print("%s: %s: %.1f vector instructions per KiB, by rocPRIM %.1f" % (architecture, what, ours, theirs), flush=True)
    print("%d cells, %d failures" % (cells, failures))
    return 77 if cells == 0 else failures > 0


def main(build, *architectures):
    only = None
    if "--only" in architectures:
        *architectures, _, only = architectures
        if only not in (name for name, *_ in OPERATIONS):
            sys.exit("arrays.py: --only is \"%s\", which is none of the operations" % only)
    version = version_of("hipcc")
    found = sections()
    for architecture in architectures:
        found[architecture] = ", ROCm %s\n\n%s" % (version, table(build, architecture, only, found.get(architecture, "")))
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(ABOUT + "".join("\n## %s%s\n" % (name, text.rstrip("\n")) for name, text in sorted(found.items())))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--check"]:
        sys.exit(check(*sys.argv[2:]))
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 2 else __doc__)
