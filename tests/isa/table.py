# SPDX-License-Identifier: MIT
# table.py: the instruction table of the collectives: counted, compared with the committed one, rewritten.
"""usage: table.py [--update] FOLDER OBJDUMP READELF CELLS.co BASELINE.co [CELLS.co BASELINE.co ...]

FOLDER is the project's. Each pair is cells.hip compiled for one architecture, ours and the baseline.
Fails where a figure rose above tests/isa/table.clang-<version>.tsv, where a cell is in one of them only,
and where a requirement does not hold. --update rewrites these architectures' rows of the table, and instructions.md beside it."""
import os
import sys

import disassembly
import document

SKIPPED = 77  # CTest's SKIP_RETURN_CODE
# `all` has every class but waits. Instructions are those beyond the baseline's, registers all.
FIGURES = ("all", "vector", "scalar", "ds", "branch", "memory", "waits", "loops", "vgpr", "sgpr", "lds",
           "scratch", "spills")
# What may not rise. Scalars, branches and memory accesses are in `all`.
BOUNDED = ("all", "vector", "ds", "loops", "vgpr", "lds", "scratch", "spills")

# (start of the architecture's name, operation, kind, type, {figure: most}); None stands for any.
REQUIREMENTS = [
    ("gfx", None, None, None, {"lds": 0, "scratch": 0, "spills": 0}),
    ("gfx", "reduce_plus", None, None, {"ds": 0, "loops": 0}),
    ("gfx", "inclusive_scan_plus", None, None, {"ds": 0, "loops": 0}),
    ("gfx90a", "reduce_plus", "whole", "f32", {"vector": 8}),
]


def kernels(objdump, readelf, path):
    """{kernel: its figures}; what a library does not offer has an empty kernel and is left out."""
    code, found = disassembly.instructions(objdump, path), {}
    for name, facts in disassembly.metadata(readelf, path).items():
        if len(code[name]) > 1:
            found[name] = disassembly.counts(code[name])
            found[name].update(disassembly.resources(facts))
    return found


def beyond(cell, baseline):
    """A cell's figures: instructions beyond the baseline's."""
    row = {name: cell[name] - baseline[name] for name, _ in disassembly.CLASSES} | {
        name: cell[name] for name in ("vgpr", "sgpr", "lds", "scratch", "spills")}
    row["loops"] = cell["loops"] - baseline["loops"]
    row["all"] = sum(row[name] for name in ("vector", "scalar", "ds", "branch", "memory"))
    return row


def measure(objdump, readelf, pairs):
    """(version of the compiler, {key: figures})."""
    rows, versions = {}, set()
    for ours, baseline in pairs:
        architecture, version = disassembly.origin(readelf, ours)
        versions.add(version)
        floor = kernels(objdump, readelf, baseline)
        for name, cell in kernels(objdump, readelf, ours).items():
            rows[(architecture, *name.split("__"))] = beyond(cell, floor[name])
    if len(versions) != 1:
        sys.exit("objects of several compilers: " + " ".join(sorted(versions)))
    return versions.pop(), rows



def compare(rows, committed):
    """Yields what is worse than the table says, and counts what is better."""
    fallen, built = 0, {key[0] for key in rows}
    for key in (key for key in committed.keys() - rows.keys() if key[0] in built):
        yield "%s %s %s %s: in the table, not in the objects" % key
    for key, row in rows.items():
        was = committed.get(key)
        if was is None:
            yield "%s %s %s %s: not in the table" % key
            continue
        for name in BOUNDED:
            if row[name] > was[name]:
                yield "%s %s %s %s: " % key + "%s rose from %d to %d" % (name, was[name], row[name])
            fallen += row[name] < was[name]
    if fallen:
        print("%d figures are lower than in the table: update it" % fallen)


def broken(rows):
    """Yields requirements that do not hold, or that no cell was there for."""
    for start, operation, kind, type_, most in REQUIREMENTS:
        met = [key for key in rows if key[0].startswith(start) and all(
            want in (None, have) for want, have in zip((operation, kind, type_), key[1:]))]
        if not met and any(key[0].startswith(start) for key in rows):
            yield "no cell for the requirement %s" % ((start, operation, kind, type_),)
        for key in met:
            for name, bound in most.items():
                if rows[key][name] > bound:
                    yield "%s %s %s %s: " % key + "%s is %d, may be %d" % (name, rows[key][name], bound)


def main(arguments):
    update = arguments[:1] == ["--update"]
    folder, objdump, readelf, *objects = arguments[update:]
    version, rows = measure(objdump, readelf, list(zip(objects[::2], objects[1::2], strict=True)))
    path = os.path.join(folder, "tests", "isa", "table.clang-%s.tsv" % version)
    faults = list(broken(rows))
    if update:
        was = document.read_table(path) if os.path.exists(path) else {}
        others = {key: row for key, row in was.items() if key[0] not in {key[0] for key in rows}}
        document.write_table(path, others | rows, FIGURES)
        document.write(folder)
    elif os.path.exists(path):
        faults += compare(rows, document.read_table(path))
    for fault in faults:
        print("FAILED: " + fault)
    print("%d cells by clang %s, %d faults" % (len(rows), version, len(faults)))
    if not faults and not os.path.exists(path):
        print("skipped: there is no table for clang %s; the requirements hold" % version)
        return SKIPPED
    return bool(faults)


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
