# SPDX-License-Identifier: MIT
# peers.py: the cells of the instruction table through subwave, rocPRIM, HIP and LLVM, side by side.
"""usage: peers.py measure NAME HIPCC ARCHITECTURE...
       peers.py document

`measure` compiles tests/isa/cells.hip with every library by the command HIPCC, which is run in the
project's folder and given relative paths; counts instructions; has llvm-mca say how many cycles it takes
them for; executes them on an emulated GPU where one is named (docs/amd.md); and writes
perf/isa/peers.NAME.tsv. `document` writes perf/isa/peers.md from these tables. LLVM's tools are
OBJDUMP, READELF and MCA in the environment, or llvm-objdump-19 and so on. Examples:

    python3 perf/isa/peers.py measure rocm-5.2 hipcc gfx90a gfx1030
    python3 perf/isa/peers.py measure rocm-7.2 "in-root hipcc" gfx90a gfx942 gfx1100 gfx1201"""
import contextlib
import glob
import io
import os
import random
import re
import shlex
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
sys.path[:0] = [os.path.join(FOLDER, "tests", "isa")]
import disassembly
import document
import emulate
import emulation
import table

LIBRARIES = {"ours": None, "baseline": None, "rocprim": "rocprim.hpp", "cooperative": "hip.hpp",
             "shuffles": "hip.hpp", "builtins": "hip.hpp"}
PEERS = {"rocprim": "rocPRIM", "cooperative": "HIP cooperative groups", "shuffles": "`__shfl` ladders",
         "builtins": "LLVM builtins"}
KEYS = ("library",) + document.KEY
COLUMNS = ("all", "vector", "ds", "loops", "vgpr", "sgpr", "lds", "scratch", "run", "cycles")
OBJECTS = os.path.join("build", "isa-peers")
TOOLS = {name: os.environ.get(name.upper(), "llvm-%s-19" % name) for name in ("objdump", "readelf", "mca")}

DEVICES = []  # all of them: the emulator remembers instructions by their address


def compile_cells(hipcc, library, architecture):
    """The code object's path from the project's folder."""
    path = os.path.join(OBJECTS, "%s.%s.co" % (library, architecture))
    header = LIBRARIES[library]
    command = shlex.split(hipcc) + [
        "--offload-device-only", "--no-gpu-bundle-output", "--offload-arch=" + architecture, "-std=c++17",
        "-O3", "-Iinclude", "-DSUBWAVE_CELLS=" + library, "-c",
        os.path.join("tests", "isa", "cells.hip"), "-o", path]
    if header:
        command.append('-DSUBWAVE_CELLS_HEADER="../../perf/isa/%s"' % header)
    subprocess.run(command, check=True, cwd=FOLDER, env=dict(os.environ, HIP_PLATFORM="amd"))
    return os.path.join(FOLDER, path)


def cycles(path, architecture):
    """{kernel: cycles of its instructions one after the other}; empty where llvm-mca has no model."""
    text = "".join("# LLVM-MCA-BEGIN %s\n%s# LLVM-MCA-END\n" % (
        name, "".join(instruction.text + "\n" for instruction in code))
        for name, code in disassembly.instructions(TOOLS["objdump"], path).items() if len(code) > 1)
    result = subprocess.run([TOOLS["mca"], "-mtriple=amdgcn-amd-amdhsa", "-mcpu=" + architecture,
                             "--iterations=1", "--instruction-info=0", "--resource-pressure=0",
                             "-skip-unsupported-instructions=none"],
                            input=text, capture_output=True, text=True)
    if result.returncode:
        print("llvm-mca: no cycles for %s: %s" % (architecture, result.stderr.strip().splitlines()[-1]))
    return {name: int(count) for name, count in re.findall(
        r"Code Region - (\S+)$.*?^Total Cycles: +(\d+)$", result.stdout, re.M | re.S)}


def executed(path, baseline, seed):
    """{kernel: instructions that its collective executed}, of those with right results."""
    found, wrong = {}, []
    device, floor = emulation.Device(path), emulation.Device(baseline, check=False)
    DEVICES.extend((device, floor))
    code = disassembly.instructions(TOOLS["objdump"], path)
    for kernel in device.kernels:
        if len(code[kernel]) == 1:  # not offered
            continue
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                # Of peers, partial waves are asked only where the lanes that are there matter.
                found[kernel] = emulate.check(device, floor, kernel, seed,
                                              re.match("(reduce|.*_of).*__sub_group__", kernel))
            except device.wrong as problem:
                wrong.append("%s: %s" % (kernel, problem))
    print("%s: %s: %d cells right, %d not" % (device.name, os.path.basename(path), len(found), len(wrong)))
    for line in wrong:
        print("    " + line)
    return found


def measure(name, hipcc, architectures):
    os.makedirs(os.path.join(FOLDER, OBJECTS), exist_ok=True)
    seed = random.SystemRandom().getrandbits(32)
    rows = {}
    for architecture in architectures:
        paths = {library: compile_cells(hipcc, library, architecture) for library in LIBRARIES}
        floor = table.kernels(TOOLS["objdump"], TOOLS["readelf"], paths["baseline"])
        floor_cycles = cycles(paths["baseline"], architecture)
        for library in ["ours"] + list(PEERS):
            cells = table.kernels(TOOLS["objdump"], TOOLS["readelf"], paths[library])
            took = cycles(paths[library], architecture)
            ran = executed(paths[library], paths["baseline"], seed) if architecture != "gfx1030" else {}
            for kernel, cell in cells.items():
                row = table.beyond(cell, floor[kernel])
                if kernel in ran:
                    row["run"] = ran[kernel]
                # llvm-mca reads what stands there; with branches that is not what runs.
                if kernel in took and not row["loops"] and row["branch"] <= 0:
                    row["cycles"] = took[kernel] - floor_cycles[kernel]
                rows[(library, architecture, *kernel.split("__"))] = row
    document.write_table(os.path.join(FOLDER, "perf", "isa", "peers.%s.tsv" % name), rows, COLUMNS, KEYS)


HEAD = """# The collectives beside their peers on AMD

Generated by `perf/isa/peers.py document`, do not edit. Every cell is the same kernel, which loads a
value, makes one collective call and stores the result, compiled at -O3 by the same compiler for the
same architecture; figures are what the call adds to the kernel without it
([tests/isa/instructions.md](../../tests/isa/instructions.md) names the cells):

    instructions in the code, LDS ones among them (ds) | instructions executed | cycles

*Executed*, emulated: what one whole wave runs, predicates being true in every other lane; missing where the
emulator gives another result than the definition or has not the architecture. *Cycles* are `llvm-mca`'s
for the code of a wave alone, missing where it branches. No hardware was timed.

Peers: rocPRIM's `warp_reduce` (all lanes get the result), `warp_scan` and `warp_shuffle`; HIP's cooperative
groups (`tiled_partition`, `coalesced_threads`), which have no reductions; ladders of `__shfl_xor` and `__shfl_up`
as written by hand; `__builtin_amdgcn_wave_reduce_*` where the compiler has them. Only subwave has ballot
groups that work in partial waves; the hand-written ladder for them needs a whole one.
"""


def cost(row):
    """What is compared: executed instructions, or else those in the code, which in a loop say nothing."""
    return row.get("run", None if row["loops"] else row["all"])


def figure(row):
    if row is None:
        return ""
    details = ", ".join(["%d ds" % row["ds"]] * bool(row["ds"]) + ["a loop"] * bool(row["loops"]))
    return "%d%s \\| %s \\| %s" % (row["all"], details and " (%s)" % details, row.get("run", "-"),
                                 row.get("cycles", "-"))


# Why a peer is below us where it uses no more LDS instructions: (operation kind type, reason).
REASONS = [
    (r"(any|all|none)_of tangle .*", "the group's mask: a copy of EXEC, by which the ballot is masked"),
    (r"(local_id|leader) (tangle|opportunistic) .*",
     "a copy of EXEC, volatile lest the groups of two branches become one"),
]


def reason(cell, ours, peers):
    if cost(ours) == cost(peers):
        return "as many"
    if peers["ds"] > ours["ds"]:
        return "the peer by %d LDS instructions, subwave by %s" % (peers["ds"], ours["ds"] or "none")
    return next((why for pattern, why in REASONS if re.fullmatch(pattern, " ".join(cell))),
                "not explained")


def document_peers():
    parts = [HEAD]
    for path in sorted(glob.glob(os.path.join(FOLDER, "perf", "isa", "peers.*.tsv"))):
        rows = document.read_table(path, KEYS)
        name = re.search(r"peers\.(.+)\.tsv", path).group(1)
        for architecture in dict.fromkeys(key[1] for key in rows):
            ours = {key[2:]: row for key, row in rows.items() if key[:2] == ("ours", architecture)}
            peers = {peer: {key[2:]: row for key, row in rows.items()
                            if key[:2] == (peer, architecture) and key[2:] in ours} for peer in PEERS}
            parts.append("\n## %s, %s\n\n" % (architecture, name))
            summary, behind = [], []
            for peer, shared in peers.items():
                cells = {cell: row for cell, row in shared.items() if cost(row) is not None}
                better = [cell for cell, row in cells.items() if cost(ours[cell]) < cost(row)]
                equal = [cell for cell, row in cells.items() if cost(ours[cell]) == cost(row)]
                worse = [cell for cell, row in cells.items() if cost(ours[cell]) > cost(row)]
                summary.append([PEERS[peer], len(shared), len(better), len(equal), len(worse)])
                behind += [["%s %s %s" % cell, PEERS[peer], cost(ours[cell]), cost(cells[cell]),
                            *(row[cell].get("cycles", "-") for row in (ours, cells)),
                            reason(cell, ours[cell], cells[cell])] for cell in worse + equal]
            parts.append(document.markdown(["peer", "shared cells", "subwave has fewer", "as many", "more"],
                                           summary))
            if behind:
                parts.append("\nWhere a peer needs no more than subwave (executed, or else in the code):\n\n")
                parts.append(document.markdown(["cell", "peer", "subwave", "peer's", "subwave's cycles", "peer's", "why"], behind))
            parts.append("\n")
            parts.append(document.markdown(["cell", "subwave"] + list(PEERS.values()), [
                ["%s %s %s" % cell, figure(row)] + [figure(cells.get(cell)) for cells in peers.values()]
                for cell, row in ours.items() if any(cell in cells for cells in peers.values())]))
    with open(os.path.join(FOLDER, "perf", "isa", "peers.md"), "w") as file:
        file.write("".join(parts))


if __name__ == "__main__":
    if len(sys.argv) >= 5 and sys.argv[1] == "measure":
        measure(sys.argv[2], sys.argv[3], sys.argv[4:])
    elif sys.argv[1:] == ["document"]:
        document_peers()
    else:
        sys.exit(__doc__)
