# SPDX-License-Identifier: MIT
# kernels.py: whether the kernels of a library have code, and whether somebody launches them:
#   kernels.py planned OBJDUMP LIBRARY PROGRAM
#   kernels.py launched OBJDUMP LIBRARY ARCHITECTURE REPORT...
"""A kernel that an architecture has no instructions for is there too, and only traps. The others are those with code.

planned: what plans choose has code, on each of the library's architectures (planned.c prints what they choose).
launched: what has code was launched by the tests whose reports are named (SUBWAVE_ROCM_REPORT, tests/rocm)."""
import json
import os
import subprocess
import sys
import tempfile

tests = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
sys.path[:0] = [os.path.join(tests, "amdrun"), os.path.join(tests, "isa")]
import codeobj
import disassembly

SKIPPED = 77


def kinds(objdump, library, wanted=None):
    """{architecture: (wave size, {kernel: what it is})}; a kernel with code is one that stores something and has no
    trap."""
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
                elif "_store_" in line:
                    stores.add(function)
                elif line.startswith("\ts_trap"):
                    traps.add(function)
            for name, facts in codeobj.CodeObject(data).kernels.items():
                _, kernels = found.setdefault(architecture, (facts[".wavefront_size"], {}))
                kernels[name] = ("code and a trap" if name in traps else "code") if name in stores else \
                    "a trap" if name in traps else "nothing"
    if not found:
        sys.exit("%s: no code objects%s" % (library, " for " + wanted if wanted else ""))
    return found


def planned(objdump, library, program):
    failed = False
    for architecture, (wave, kernels) in kinds(objdump, library).items():
        run = subprocess.run([program, architecture, str(wave)], stdout=subprocess.PIPE, text=True)
        failed |= run.returncode != 0
        chosen = dict(line.split(" ", 1) for line in run.stdout.splitlines())
        for name, why in chosen.items():
            if kernels.get(name) != "code":
                failed = True
                print("FAILED: %s, which is launched on %s for %s, has %s" % (
                    name, architecture, why, kernels.get(name, "no symbol")))
        for name, kind in kernels.items():
            if kind not in ("code", "a trap") or (kind == "code" and name not in chosen):
                failed = True
                print("FAILED: %s for %s has %s, and %s" % (
                    name, architecture, kind, "is launched" if name in chosen else "nothing launches it"))
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
    never = [name for name, kind in kernels.items()
             if kind != "a trap" and name not in count]
    for name in never:
        print("FAILED: no test launches %s" % name)
    print("emulated %s: %d kernels, of which %d have code; %d were not launched" % (
        architecture, len(kernels), sum(kind != "a trap" for kind in kernels.values()), len(never)))
    return bool(never)


if __name__ == "__main__":
    if sys.argv[1:2] == ["planned"] and len(sys.argv) == 5:
        sys.exit(planned(*sys.argv[2:]))
    if sys.argv[1:2] == ["launched"] and len(sys.argv) > 5:
        sys.exit(launched(*sys.argv[2:5], sys.argv[5:]))
    sys.exit("usage: kernels.py planned OBJDUMP LIBRARY PROGRAM\n"
             "       kernels.py launched OBJDUMP LIBRARY ARCHITECTURE REPORT...")
