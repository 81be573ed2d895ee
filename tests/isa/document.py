# SPDX-License-Identifier: MIT
# document.py: the committed tables of tests/isa, and docs/amd-instructions.md, which is written from them.
import os

KEY = ("architecture", "operation", "kind", "type")
VERSION = "19"  # of the compiler whose table is shown; the others' are compared only
HEAD = """# What the collectives cost on AMD

Written by `tests/isa`, not by hand: instructions that each collective adds to a kernel which loads a
value and stores it, read from the disassembly of clang %s at -O3. *all* = vector + scalar + ds + branch +
memory; *ds* are LDS instructions, of which `ds_bpermute` and `ds_swizzle` touch no LDS; *loops* are
branches backwards; *waits* are `s_waitcnt`, `s_nop` and their like, counted apart. *run* is how many
instructions a wave **executed**, emulated, with every other lane's predicate true. Registers
and LDS (bytes) are the whole kernel's. No cell uses scratch memory or spills a register.

| kind | |
|---|---|
| whole | a sub-group of all lanes, where the compiler knows it is one |
| sub_group | a sub-group that may lack lanes |
| fixed2 to fixed64 | fixed-size groups, all of a wave at once |
| ballot | both sides of a ballot at once, the making of the group included |
| tangle, opportunistic | made and used in a branch |
| ballot_branch, fixed8_branch | made before a branch and used in it |

Operations: a broadcast's id is the same in all lanes and known when the kernel runs; shifts are by one,
`permute_xor` is with one; a vote asks whether a loaded value is not 0.
`ctest -R amdgpu-isa.table` fails if a figure rises, `ninja subwave_isa_table` rewrites the tables.
"""
COLUMNS = ("all", "vector", "scalar", "ds", "branch", "memory", "loops", "waits", "run", "vgpr", "sgpr",
           "lds")


def path_of(folder, name):
    return os.path.join(folder, "tests", "isa", name)


def read_table(path, keys=KEY):
    """{key: {column: figure}}, without figures that are not there."""
    with open(path) as file:
        lines = [line.split() for line in file]
    columns, n = lines[0][len(keys):], len(keys)
    return {tuple(line[:n]): {name: int(figure) for name, figure in zip(columns, line[n:])
                              if figure != "-"} for line in lines[1:]}


def write_table(path, rows, columns, keys=KEY):
    with open(path, "w") as file:
        file.write("\t".join(keys + tuple(columns)) + "\n")
        for key, row in rows.items():
            file.write("\t".join(key + tuple(str(row.get(name, "-")) for name in columns)) + "\n")


def markdown(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)] + rows
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


def text(folder):
    rows = read_table(path_of(folder, "table.clang-%s.tsv" % VERSION))
    executed = path_of(folder, "executed.tsv")
    run = read_table(executed) if os.path.exists(executed) else {}
    architectures = list(dict.fromkeys(key[0] for key in rows))
    parts = [HEAD % VERSION, "\n## In short: the sum of f32\n\nAll instructions, and those run.\n\n"]
    kinds = dict.fromkeys(key[2] for key in rows if key[1] == "reduce_plus" and key[3] == "f32")

    def brief(architecture, kind):
        key = (architecture, "reduce_plus", kind, "f32")
        if key not in rows:
            return ""
        return "%d, %d" % (rows[key]["all"], run[key]["run"]) if key in run else rows[key]["all"]

    parts.append(markdown(["kind"] + architectures, [
        [kind] + [brief(architecture, kind) for architecture in architectures] for kind in kinds]))
    for architecture in architectures:
        parts.append("\n## %s\n\n" % architecture)
        parts.append(markdown(["collective"] + list(COLUMNS), [
            ["%s %s %s" % key[1:]] + [dict(row, **run.get(key, {"run": ""}))[name] for name in COLUMNS]
            for key, row in rows.items() if key[0] == architecture]))
    return "".join(parts)


def write(folder):
    with open(os.path.join(folder, "docs", "amd-instructions.md"), "w") as file:
        file.write(text(folder))
