# SPDX-License-Identifier: MIT
# folds.py: how many instructions the main loops of the operations that fold arrays take for what they load.
"""usage: folds.py check|update FOLDER OBJDUMP READELF FILE...
       folds.py show OBJDUMP FILE

check: compares reduce, dot, norm2 and minmax_index in FILE (a library, or objects of hip/) with FOLDER's
tests/isa/folds.tsv. update: rewrites the rows of these architectures and this compiler. show: prints the rows of a
code object.

A main loop is an inner loop with four loads of 16 bytes or more; a kernel has one for each of its ops, of which the row
has the worst figures of one turn. Both sides of a branch count. Nothing is timed. On gfx9 memory bounds a loop: at 5.3
TB/s, a compute unit of 304 at 2.1 GHz gets 8.3 bytes per clock, so that a wave's load of 16 bytes per lane takes 123
clocks, in which the unit issues as many vector instructions. Half of these may be needed."""
import os
import re
import sys
import tempfile

import disassembly
import loops  # which finds codeobj
import codeobj

COLUMNS = ["kernel", "architecture", "compiler", "loops", "loads", "vector", "scalar", "branches"]
KERNEL = re.compile(r"^_ZN7subwave3amd\d+(reduce|dot|norm2|minmax_index)I(.+)Lb[01]EEEv\d+subwave_")
TYPES = {"a": "i8", "s": "i16", "i": "i32", "l": "i64", "h": "u8", "t": "u16", "j": "u32", "m": "u64", "f": "f32",
         "d": "f64", "NS0_11small_floatINS0_11half_formatEEE": "f16",
         "NS0_11small_floatINS0_15bfloat16_formatEEE": "bf16", "NS0_7complexIfEE": "c32", "NS0_7complexIdEE": "c64"}
LOADS, VECTOR_PER_LOAD = 4, 123 // 2
SKIPPED = 77


def main_loops(architecture, code):
    """(loads of 16 bytes, vector instructions, scalar ones, branches) of one turn of each."""
    graph = loops.Graph(architecture, code)
    for header, body in graph.loops.items():
        if any(other != header and blocks < body for other, blocks in graph.loops.items()):
            continue
        found = [i.mnemonic for block in body for i in graph.instructions(block)]
        loads = sum(loops.is_load(name) and loops.width(name) == 16 for name in found)
        if loads >= LOADS:
            branches = sum(name.startswith(("s_branch", "s_cbranch")) for name in found)
            waits = sum(name.startswith(("s_wait", "s_delay", "s_nop", "s_clause")) for name in found)
            yield (loads, sum(name.startswith("v_") for name in found),
                   sum(name.startswith("s_") for name in found) - branches - waits, branches)


def rows_of(objdump, path, architecture, compiler):
    """{key: row} of a code object's kernels."""
    rows = {}
    with open(path, "rb") as file:
        if not any(KERNEL.match(kernel) for kernel in codeobj.CodeObject(file.read()).kernels):
            return rows
    for function, code in disassembly.instructions(objdump, path).items():
        name = KERNEL.match(function)
        if name:
            found = list(main_loops(architecture, code))
            key = "%s.%s" % (name[1], TYPES[name[2]]), architecture, compiler
            rows[key] = dict(zip(COLUMNS[3:], [
                len(found), min((turn[0] for turn in found), default=0),
                *(max((turn[figure] for turn in found), default=0) for figure in (1, 2, 3))]))
    return rows


def line(key, row):
    return "\t".join([*key, *(str(row[column]) for column in COLUMNS[3:])])


def read(path):
    with open(path, encoding="ascii") as file:
        next(file)
        parts = [text.rstrip("\n").split("\t") for text in file]
    return {tuple(part[:3]): dict(zip(COLUMNS[3:], map(int, part[3:]))) for part in parts}


def faults(key, row, was):
    """What is wrong with a row; `was`: the table's, or None."""
    if row["loops"] == 0:
        yield "no loop loads %d times 16 bytes" % LOADS
    if key[1].startswith("gfx9") and row["vector"] > VECTOR_PER_LOAD * row["loads"]:
        yield "%d vector instructions for %d loads" % (row["vector"], row["loads"])
    for column in COLUMNS[3:] if was else ():
        worse = row[column] < was[column] if column in ("loops", "loads") else row[column] > was[column]
        if worse:
            yield "%s was %d and is %d" % (column, was[column], row[column])


def check(update, folder, objdump, readelf, *files):
    rows = {}
    with tempfile.TemporaryDirectory() as place:
        for path in (path for file in files for path in disassembly.extracted(file, place)):
            architecture, compiler = disassembly.origin(readelf, path)
            rows.update(rows_of(objdump, path, architecture, "clang-" + compiler))
    if not rows:
        sys.exit("folds.py: no kernel that folds arrays")
    path = os.path.join(folder, "tests", "isa", "folds.tsv")
    table = read(path) if os.path.exists(path) else {}
    if update:
        built = {key[1:] for key in rows}
        table = {key: row for key, row in table.items() if key[1:] not in built} | rows
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(["\t".join(COLUMNS)] + [line(key, table[key]) for key in sorted(table)]) + "\n")
    wrong = [(key, fault) for key in sorted(rows) for fault in faults(key, rows[key], table.get(key))]
    for key in sorted(rows):
        print(line(key, rows[key]))
    for key, fault in wrong:
        print("FAILED: %s for %s by %s: %s" % (*key, fault))
    print("read, not timed: %d kernels, %d faults" % (len(rows), len(wrong)))
    if not wrong and not any(key in table for key in rows):
        print("skipped: the table has no rows of this compiler; the rules hold")
        return SKIPPED
    return bool(wrong)


def show(objdump, path):
    architecture = re.search(r"gfx\w+", os.path.basename(path)).group()
    print("\n".join(["\t".join(COLUMNS)] + [line(*row) for row in rows_of(objdump, path, architecture, "-").items()]))


if __name__ == "__main__":
    if sys.argv[1:2] == ["show"] and len(sys.argv) == 4:
        sys.exit(show(*sys.argv[2:]))
    if sys.argv[1:2] in (["check"], ["update"]) and len(sys.argv) > 5:
        sys.exit(check(sys.argv[1] == "update", *sys.argv[2:]))
    sys.exit(__doc__)
