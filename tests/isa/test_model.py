# SPDX-License-Identifier: MIT
# test_model.py: the model's own test: loops whose counts and shares follow by arithmetic, the rules, the table.
import os
import sys
import tempfile

from collections import namedtuple

import counted
import disassembly
import loops
import model
from loops import counters

SUM = "v_mfma_f32_32x32x2f32 a[%d:%d], v0, v1, a[%d:%d]"  # 16 passes: 64 clocks
LOAD = "global_load_dwordx4 v[4:7], v[2:3], off"
CLOCKS = 64
failures = 0


def expect(what, found, wanted, within=0.0):
    global failures
    good = abs(found - wanted) <= within if within else found == wanted
    failures += not good
    print("%s: %s is %s%s" % ("ok" if good else "FAILED", what, found, "" if good else ", not %s" % (wanted,)))


def sums(count):
    """Matrix instructions that do not wait for one another."""
    return [SUM % (2 * (16 * i, 16 * i + 15)) for i in range(count)]


def code(*lines):
    """The instructions of a kernel: lines as an assembler takes them, with labels "name:" that branches name."""
    at, labels, text = 0x1000, {}, []
    for line in lines:
        if line.endswith(":"):
            labels[line[:-1]] = at
        else:
            text.append((at, line))
            at += 8
    listing = "%016x <kernel>:\n" % 0x1000
    for at, line in text:
        name, _, target = line.partition(" ")
        to = " <kernel+0x%x>" % (labels[target] - 0x1000) if name.startswith(("s_branch", "s_cbranch")) else ""
        listing += "\t%s // %012X: 00000000%s\n" % (line, at, to)
    return disassembly.read(listing, "a test")["kernel"]


def loop(*body):
    return code("s_mov_b32 s0, 0", "again:", *body, "s_cbranch_scc1 again", "s_endpgm")


def predict(kernel, registers=512, lds=0, threads=256):
    """As many waves per SIMD as 512 registers are for, of blocks with a wave on each."""
    steps = loops.main_loop("gfx90a", kernel)
    return model.numbers(model.predict("gfx90a", steps, model.Resources(registers, lds, threads)))


def test_shares():
    for registers, waves in ((512, 1), (256, 2), (128, 4)):
        row = predict(loop(*sums(8)), registers)
        expect("waves, of %d registers each" % registers, row["waves"], waves)
        expect("the unit's clocks", row["unit"], 8 * CLOCKS)
        for name in model.SHARES:
            expect("the share of matrix instructions alone, %s," % name, row[name], 1.0)
    # A turn with one wave: the loads of four SIMDs take 64 clocks of L1 and come after the latency; then the wait, the
    # sum and the branch.
    for latency in model.LATENCIES:
        row = predict(loop(LOAD, "s_waitcnt vmcnt(0)", *sums(1)))
        turn = 64 + latency + model.SLOT + model.SLOT + model.TAKEN
        expect("the share with a wait for memory of %d" % latency, row["fair%d" % latency], CLOCKS / turn, 0.006)
        row = predict(loop(LOAD, "s_waitcnt vmcnt(0)", *sums(1)), 256)
        expect("the same of two waves", row["fair%d" % latency], 2 * CLOCKS / turn, 0.012)
        if latency == model.LATENCIES[-1]:
            expect("the share where one of the waves is alone", row[model.ALONE], CLOCKS / turn, 0.006)
        # A load of the turn before is waited for instead: the turn is as long as the latency, or as its 16 sums.
        row = predict(loop(LOAD, "s_waitcnt vmcnt(1)", *sums(16)))
        expect("the share with loads a turn ahead", row["fair%d" % latency], 1.0, 0.011)
    # Eight reads of 16 bytes by 64 lanes of four SIMDs are 256 clocks of LDS.
    row = predict(loop(*["ds_read_b128 v[4:7], v2"] * 8, *sums(1)), 64)
    expect("the share of a loop that LDS bounds", row["fair500"], CLOCKS / 256, 0.011)
    expect("its bytes per clock", row["lds"], 512)
    row = predict(loop("ds_read_b128 v[4:7], v2", "s_waitcnt lgkmcnt(0)", "s_barrier", *sums(8)), 256, threads=512)
    expect("whether waves pass barriers", row["fair500"] > 0.9, True)
    # Half of the SIMDs have no wave; a SIMD of six waves of two-wave blocks has one or two.
    expect("the share of half a wave", predict(loop(*sums(8)), 64, 40 << 10, 128)["fair500"], 0.5)
    expect("waves, where LDS bounds them", predict(loop(*sums(8)), 64, 20 << 10, 128)["waves"], 1.5)
    row = predict(loop(*["v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[0:1]"] * 64), 128)
    expect("the share of pairs of multiply-adds", row["fair500"], 1.0, 0.011)
    expect("the share of single ones", predict(loop(*["v_fma_f32 v0, v2, v4, v0"] * 64), 128)["fair500"], 0.5, 0.011)


def test_path():
    """Edges are not followed, nor turns without loads; of a divergent branch one side is."""
    kernel = code(
        "s_mov_b32 s0, 0", "again:", "s_waitcnt vmcnt(0)", "ds_write_b128 v9, v[4:7]",
        "s_cbranch_scc0 finish",                                    # k ends: nothing to load
        "s_cbranch_vccz inside",
        *[line for i in range(4) for line in (
            "v_cmp_lt_i32_e32 vcc, %d, v8" % i, "s_and_saveexec_b64 s[2:3], vcc", "s_cbranch_execz next%d" % i,
            "global_load_dword v%d, v[2:3], off" % (4 + i), "next%d:" % i, "s_or_b64 exec, exec, s[2:3]")],
        "s_branch finish",
        "inside:", LOAD, "finish:", *sums(4), "s_cbranch_scc1 again", "s_endpgm")
    row = predict(kernel)
    expect("bytes per clock of L1 in the interior", row["l1"], 16 * 64 * 4 // (4 * CLOCKS))
    expect("vector instructions in the interior", row["vector"], 0)
    expect("branches in the interior", row["branches"], 3)
    sides = loop("v_cmp_lt_i32_e32 vcc, 0, v8", "s_and_saveexec_b64 s[2:3], vcc", "s_xor_b64 s[2:3], exec, s[2:3]",
                 "s_cbranch_execz second", "global_load_dwordx2 v[4:5], v[2:3], off", "second:",
                 "s_andn2_saveexec_b64 s[2:3], s[2:3]", "s_cbranch_execz both", LOAD, "both:",
                 "s_or_b64 exec, exec, s[2:3]", *sums(2))
    taken = [step.instruction.mnemonic for step in loops.main_loop("gfx90a", sides)]
    expect("what one side loads", [name for name in taken if "load" in name], ["global_load_dwordx4"])
    guarded = loop("s_cbranch_scc0 last", *["v_add_u32 v2, v2, v8"] * 40, LOAD, "last:", "ds_write_b128 v9, v[4:7]",
                   *sums(2))
    expect("whether what is written was loaded", predict(guarded)["vector"], 40)
    always = loop(LOAD, "s_cbranch_execnz done", LOAD, "done:", *sums(4))
    expect("bytes per clock of L1 where some lane is active", predict(always)["l1"], 16)
    nested = code("s_mov_b32 s0, 0", "outer:", "s_nop 0", "inner:", *sums(4), "s_cbranch_scc1 inner", *sums(1),
                  "s_cbranch_scc1 outer", "s_endpgm")
    expect("the clocks of the loop with most work", predict(nested)["unit"], 4 * CLOCKS)
    expect("a kernel that multiplies in no loop", loops.main_loop("gfx90a", code(*sums(4), "s_endpgm")), None)


def test_counted():
    """Of each instruction of a turn, how often it was executed and what that cost in all, as amdrun has it."""
    operation = namedtuple("operation", "name addr text")
    executed = [(operation(name, address, name), count, memory) for address, (name, count, memory) in enumerate((
        ("v_mfma_f32_32x32x2f32", 30, [0, 0, 0, 0]),            # 64 clocks of a SIMD's matrix unit
        ("ds_read_b128", 10, [160, 80, 10240, 640]),            # 8 clocks of LDS, and as many for conflicts
        ("global_load_dwordx4", 20, [320, 160, 20480, 1280]),   # 16 lines of 64 bytes, 8 of 128
        ("v_add_u32", 30, [0, 0, 0, 0]), ("s_add_u32", 30, [0, 0, 0, 0]), ("s_cbranch_scc1", 30, [0, 0, 0, 0]),
        ("global_store_dword", 1, [64, 64, 256, 64])))]         # behind the loop
    meta = {".vgpr_count": 256, ".sgpr_count": 32}
    for target, line in (("gfx90a", 64), ("gfx942", 128)):
        counts = counters.Counts(target, 64, executed, 4, 1, meta, 40 << 10)
        found = counted.figures(counts.turn([0, 1, 2, 3, 4, 5]), 64)
        for name, wanted in (("conflicts", 1), ("lines", 1), ("busy_vector", 8 / 64), ("busy_scalar", 4 / 64),
                             ("busy_branch", 4 / 64), ("busy_lds", 1), ("busy_l1", 1)):
            expect("%s of a turn on %s" % (name, target), float(found[name]), wanted, 0.006)
        store = counted.figures(counts.turn([0, 6]), 64)
        expect("lines of %d bytes for one of 256" % line, float(store["lines"]), 64 * line / 256, 0.006)
    expect("a turn that was not executed", counts.turn([0, 7]), None)
    argument = counted.placed(bytes(8) + (2 << counted.PLACE | 24).to_bytes(8, "little") + bytes([255] * 8),
                              [namedtuple("buffer", "addr")(address) for address in (4096, 8192)])
    expect("an argument that points at an operand", argument.hex(), bytes(8).hex() + (8192 + 24).to_bytes(
        8, "little").hex() + "ff" * 8)


def test_rules():
    key = ("broadcast.f32.8x8", "gfx90a", "clang-15")
    good = predict(loop(*sums(8)), 256) | dict.fromkeys(counted.COLUMNS, 0.5) | {"conflicts": 0}
    expect("the rules that a good loop breaks", list(model.broken(key, good)), [])
    copy = good | predict(loop("v_accvgpr_read_b32 v8, a0", *sums(8)), 256)
    expect("the rules that a copy of an accumulator breaks", list(model.broken(key, copy)), ["accvgpr"])
    branches = good | predict(loop("s_cbranch_scc1 a", "a:", "s_cbranch_scc1 b", "b:", *sums(8)), 256)
    expect("those that two branches more break", list(model.broken(key, branches)), ["branches"])
    matrix = ("matrix.f64.large.kk", *key[1:])
    expect("those that one wave breaks", list(model.broken(matrix, good | predict(loop(*sums(8))))), ["waves"])
    expect("those that bank conflicts break", list(model.broken(matrix, good | {"conflicts": 0.01})), ["conflicts"])
    was = {name: str(figure) for name, figure in good.items()}
    expect("faults of a row that is in the table", list(model.faults(key, good, was)), [])
    expect("faults of one that is not", len(list(model.faults(key, good, None))), 1)
    for name, figure, faults in (("fair900", 0.99, 0), ("fair900", 0.97, 1), ("fair500", 0.9, 1), ("old500", 0.9, 0),
                                 ("alone900", 0.9, 1), ("alone900", "-", 0),
                                 ("branches", 2, 1), ("accvgpr", 1, 2), ("waves", 1, 1), ("waves", 3, 0),
                                 ("conflicts", 0.02, 0), ("conflicts", 0.03, 1), *((name, 0.53, 1) for name in counted.COLUMNS[1:]), ("busy_lds", 0.4, 0)):
        found = list(model.faults(key, {**good, name: figure}, was))
        expect("faults where %s is %s" % (name, figure), len(found), faults)


def test_table():
    """The table is as the program writes it, has every kernel for each compiler, and needs every exception."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "model.tsv")
    rows = model.read(path)
    with tempfile.NamedTemporaryFile("r") as file:
        model.write(file.name, rows)
        with open(path) as committed:
            expect("whether the table is sorted and complete", committed.read() == file.read(), True)
    builds = {key[1:] for key in rows}
    wanted = {(name, *build) for name in model.KERNELS for build in builds if model.is_on(name, build[0])}
    expect("rows that are missing or of no kernel", sorted(set(rows) ^ wanted), [])
    expect("exceptions that no row needs", model.unneeded(rows), [])
    expect("rules broken without an exception", [
        (*key, figure) for key, row in rows.items() for figure in model.broken(key, model.numbers(row))
        if not model.excepted(key, figure)], [])


if __name__ == "__main__":
    for test in (test_shares, test_path, test_counted, test_rules, test_table):
        test()
    print("%d failed" % failures)
    sys.exit(failures != 0)
