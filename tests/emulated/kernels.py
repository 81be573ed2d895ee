# SPDX-License-Identifier: MIT
# kernels.py: whether the kernels of a library have code, and whether somebody launches them:
#   kernels.py planned OBJDUMP LIBRARY PROGRAM
#   kernels.py launched OBJDUMP LIBRARY ARCHITECTURE REPORT...
"""A kernel that an architecture has no instructions for is there too, and only traps. The others are those with code.
OBJDUMP is llvm-objdump for a library with AMD's code, cuobjdump for one with NVIDIA's.

planned: what plans choose has code, on each of the library's architectures (planned.c prints what they choose).
launched: what has code was launched by the tests whose reports are named (SUBWAVE_ROCM_REPORT, tests/rocm)."""
import json
import os
import re
import subprocess
import sys
import tempfile

tests = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
sys.path[:0] = [os.path.join(tests, "amdrun"), os.path.join(tests, "isa")]
import codeobj
import disassembly

SKIPPED = 77


def kind(name, stores, traps):
    """What a kernel is: one with code is one that stores something, or adds it to memory, and has no trap."""
    if name in stores:
        return "code and a trap" if name in traps else "code"
    return "a trap" if name in traps else "nothing"


def nvidia_kinds(cuobjdump, library):
    """As kinds()."""
    architecture, functions = None, {}
    for line in disassembly.output(cuobjdump, "--dump-sass", library).splitlines():
        words = line.split()
        if words[:2] == ["arch", "="]:
            architecture = words[2]
        elif words[:2] == ["Function", ":"]:
            names, stores, traps = functions.setdefault(architecture, ([], set(), set()))
            names.append(words[2])
        elif re.search(r"\b(?:ST|RED|ATOM)G?\.E", line):
            stores.add(names[-1])
        elif "BPT.TRAP" in line:
            traps.add(names[-1])
    return {architecture: (32, {name: kind(name, stores, traps) for name in names})
            for architecture, (names, stores, traps) in functions.items()}


def kinds(objdump, library, wanted=None):
    """{architecture: (wave size, {kernel: what it is})}"""
    if os.path.basename(objdump).startswith("cuobjdump"):
        return nvidia_kinds(objdump, library)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "code")
        for architecture, data in disassembly.bundled(library):
            if wanted and architecture != wanted:
                continue
            with open(path, "wb") as file:
                file.write(data)
            stores, traps, function = set(), set(), None
            for line in disassembly.output(objdump, "-d", "--no-show-raw-insn", path).splitlines():
                if line.endswith(">:"):
                    function = line[line.index("<") + 1:-2]
                elif "_store_" in line or "global_atomic_" in line:
                    stores.add(function)
                elif line.startswith("\ts_trap"):
                    traps.add(function)
            for name, facts in codeobj.CodeObject(data).kernels.items():
                _, kernels = found.setdefault(architecture, (facts[".wavefront_size"], {}))
                kernels[name] = kind(name, stores, traps)
    if not found:
        sys.exit("%s: no code objects%s" % (library, " for " + wanted if wanted else ""))
    return found


def chosen_by(program, architecture, wave):
    """{kernel: why it is launched}"""
    run = subprocess.run([program, architecture, str(wave)], stdout=subprocess.PIPE, text=True)
    if run.returncode:
        sys.exit("FAILED: %s %s %d" % (program, architecture, wave))
    return dict(line.split(" ", 1) for line in run.stdout.splitlines())


def planned(objdump, library, program):
    failed = False
    for architecture, (wave, kernels) in kinds(objdump, library).items():
        chosen = chosen_by(program, architecture, wave)
        for name, why in chosen.items():
            if kernels.get(name) != "code":
                failed = True
                print("FAILED: %s, which is launched on %s for %s, has %s" % (
                    name, architecture, why, kernels.get(name, "no symbol")))
        # A kernel of GPUs without a matrix unit for f64 has code for all of NVIDIA's.
        needed = {**chosen, **(chosen_by(program, "sm_70", wave) if architecture.startswith("sm_") else {})}
        for name, what in kernels.items():
            if what not in ("code", "a trap") or (what == "code" and name not in needed):
                failed = True
                print("FAILED: %s for %s has %s, and %s" % (
                    name, architecture, what, "is launched" if name in chosen else "nothing launches it"))
        print("%s: %d kernels, of which %d have code; %d are launched" % (
            architecture, len(kernels), list(kernels.values()).count("code"), len(chosen)))
    return failed


def launched(objdump, library, architecture, reports):
    built = os.path.getmtime(library)
    missing = [os.path.basename(path) for path in reports if not os.path.exists(path) or os.path.getmtime(path) < built]
    if missing:
        print("skipped: this needs the launches of %d tests, and %d have not run since the library was built: %s" % (
            len(reports), len(missing), ", ".join(missing)))
        return SKIPPED
    count = {}
    for path in reports:
        with open(path) as file:
            for line in map(json.loads, file):
                for name, launches in line["kernels"].items() if line["architecture"] == architecture else ():
                    count[name] = count.get(name, 0) + launches
    _, kernels = kinds(objdump, library, architecture)[architecture]
    never = [name for name, what in kernels.items() if what != "a trap" and name not in count]
    for name in never:
        print("FAILED: no test launches %s" % name)
    print("emulated %s: %d kernels, of which %d have code; %d were not launched" % (
        architecture, len(kernels), sum(what != "a trap" for what in kernels.values()), len(never)))
    return bool(never)


if __name__ == "__main__":
    if sys.argv[1:2] == ["planned"] and len(sys.argv) == 5:
        sys.exit(planned(*sys.argv[2:]))
    if sys.argv[1:2] == ["launched"] and len(sys.argv) > 5:
        sys.exit(launched(*sys.argv[2:5], sys.argv[5:]))
    sys.exit("usage: kernels.py planned OBJDUMP LIBRARY PROGRAM\n"
             "       kernels.py launched OBJDUMP LIBRARY ARCHITECTURE REPORT...")
