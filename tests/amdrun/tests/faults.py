# SPDX-License-Identifier: MIT
"""faults.py: that planted faults are found, and nothing else: faults.py FILE.co, of faults.hip beside this file."""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import amdrun                                   # noqa: E402
from amdrun import Buffer                       # noqa: E402

# Of a kernel, what the instruction must be; where it is not given, anything at the marked line.
INSTRUCTION = {"wait_load": r"v_add_.*v40", "wait_second": r"v_add_.*v41", "wait_written": r"v_mov_b32.* v40",
               "wait_lds": r"v_add_.*v40", "wait_permute": r"v_add_.*v40", "wait_scalar": r"v_mov_b32.* s40",
               "wait_store": r"v_add_.*v40", "wait_accumulator": r"v_accvgpr_read.* a40",
               "race_read": r"ds_", "race_write": r"ds_", "race_byte": r"ds_", "race_atomic": r"ds_",
               "race_late": r"ds_", "lane_store": r"global_store_",
               "lane_lds": r"ds_(read|load)_b32", "undefined_data": r"global_store_", "undefined_branch": r"s_cbranch_",
               "undefined_address": r"global_load_", "undefined_lds": r"global_store_",
               "undefined_unused": r"global_store_"}
# What the other instruction must be: the load, the other wave's, the first that reads the undefined value.
OTHER = {"wait": r"(global_load|ds_|s_load)", "race": r"ds_", "undefined": r""}


def block(kernel, wave):
    """Two waves for races, a part of a wave for lanes beyond the block, else one wave."""
    return 2 * wave if kernel.startswith("race_") else 21 if kernel.startswith("lane_") else wave


def lines():
    """Kernel -> the lines marked "at", "reads" (first reads the undefined value) and "other" (it races with)."""
    out = {}
    for number, text in enumerate(open(os.path.join(HERE, "faults.hip")), 1):
        mark = re.search(r"// (\w+)(?: (reads|other))?$", text.rstrip())
        if mark and mark[1] in INSTRUCTION:
            out.setdefault(mark[1], {})[mark[2] or "at"] = number
    return out


def run(module, name, size):
    o, a = Buffer(4 * size), Buffer.of("i", [i * 3 % 101 for i in range(size)])
    before = a.bytes()
    try:
        module.launch(name, 1, size, [o, a], check=True)
    except amdrun.Fault as fault:
        return fault.findings
    assert a.bytes() == before, "an input was written"
    return []


def at(line, places):
    return any(place.endswith("faults.hip:%d" % line) for place in places.split(", in "))


def expect(name, marks, findings):
    kind = name.split("_")[0]
    assert len(findings) == 1, "%d findings, not one: %s" % (len(findings), "; ".join(map(str, findings)))
    f = findings[0]
    print("    " + str(f).replace("\n", "\n    "))
    assert f.kind == kind, "a finding of kind %s" % f.kind
    assert f.kernel == name + "_wrong" and f.words.startswith(f.kernel), "of another kernel"
    assert re.match(INSTRUCTION[name], f.instruction), "at " + f.instruction
    places = [f.source, f.other_source]
    if kind == "race" and at(marks["other"], f.source):        # either of the two is the one that is found
        places.reverse()
    assert at(marks["at"], places[0]), "at %s, not line %d" % (places[0], marks["at"])
    if kind in OTHER:
        assert re.match(OTHER[kind], f.other) and f.other, "the other instruction is " + f.other
    for other in "reads", "other":
        if other in marks:
            assert at(marks[other], places[1]), "the other at %s, not line %d" % (places[1], marks[other])


def main(path):
    module, failed, seen = amdrun.Module(path), 0, 0
    kernels, marks = module.co.kernels, lines()
    for name in INSTRUCTION:
        if name + "_wrong" not in kernels:
            assert name == "wait_accumulator", name
            continue
        size = block(name, kernels[name + "_wrong"][".wavefront_size"])
        try:
            right = run(module, name + "_right", size)
            assert not right, "found in the right form: " + "; ".join(map(str, right))
            expect(name, marks[name], run(module, name + "_wrong", size))
            seen += 1
            print("ok    " + name, flush=True)
        except AssertionError as problem:
            failed += 1
            print("WRONG %s: %s" % (name, problem), flush=True)
    print("%s: %d planted faults found, %d failed" % (module.co.target, seen, failed))
    return failed or not seen


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(bool(main(sys.argv[1])))
