# SPDX-License-Identifier: MIT
# model.py: what share of a compute unit's peak the products' main loops could reach, predicted from machine code.
"""usage: model.py check|update FOLDER OBJDUMP READELF PLANNED FILE...
       model.py show OBJDUMP FILE PATTERN

check: compares the kernels of KERNELS in FILE (a library, or objects of hip/) with FOLDER's tests/isa/model.tsv, and
holds them to the rules below. PLANNED is the program test_planned. update: rewrites the rows of these kernels. show:
prints the rows of the kernels of a code object whose names match, Tensile's for instance.

Nothing is timed. The model knows one compute unit: four SIMDs that do the same, of which one is followed. Its waves
each execute the main loop's interior path (loops.py) over and over; every 4 clocks each may issue one instruction, and
each unit takes one. A matrix instruction keeps the matrix unit for its passes; LDS and L1 are shared by the four SIMDs;
a wait waits until so few accesses are under way; a barrier waits for the waves of the block. What comes from memory
comes after a fixed latency. docs/amd.md says what the model does not know. Beside its shares stands what the path was
counted to ask for when amdrun executed it (counted.py)."""
import os
import re
import sys
import tempfile
from collections import Counter, deque, namedtuple

import counted
import disassembly
import loops
from loops import counters

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "amdrun"))
import codeobj

ARCHITECTURES = ("gfx90a", "gfx942", "gfx950")
TYPES = {"f64": "d", "f32": "f", "f16": "NS0_11small_floatINS0_11half_formatEEE",
         "bf16": "NS0_11small_floatINS0_15bfloat16_formatEEE",
         "i8": "a", "c64": "NS0_7complexIdEE", "c32": "NS0_7complexIfEE"}  # in mangled names
# Name of a row: what is in the kernel's mangled name, with the type for %s. Of MATRIX large and small blocks, and what
# are neighbours in memory of A and of B: k, or x for rows of A and columns of B. Of the others those that load packs.
KERNELS = {
    "matrix.f64.large.xk": "matmul_matrixI%sLi0ELb1ELb0ELb1E", "matrix.f64.large.kk": "matmul_matrixI%sLi0ELb1ELb1ELb1E",
    "matrix.f64.large.xx": "matmul_matrixI%sLi0ELb1ELb0ELb0E", "matrix.f64.small.xk": "matmul_matrixI%sLi1ELb1ELb0ELb1E",
    "matrix.f32.large.xk": "matmul_matrixI%sLi0ELb1ELb0ELb1E", "matrix.f32.large.kk": "matmul_matrixI%sLi0ELb1ELb1ELb1E",
    "matrix.f32.large.xx": "matmul_matrixI%sLi0ELb1ELb0ELb0E", "matrix.f32.small.xk": "matmul_matrixI%sLi1ELb1ELb0ELb1E",
    "matrix.f16.kk": "matmul_matrixI%sLi0ELb1ELb1ELb1E", "matrix.f16.xk": "matmul_matrixI%sLi0ELb1ELb0ELb1E",
    "matrix.f16.kx": "matmul_matrixI%sLi0ELb1ELb1ELb0E", "matrix.f16.xx": "matmul_matrixI%sLi0ELb1ELb0ELb0E",
    "matrix.bf16.kk": "matmul_matrixI%sLi0ELb1ELb1ELb1E",
    "matrix.f16.large.kk": "matmul_matrixI%sLi1ELb1ELb1ELb1E", "matrix.f16.large.xk": "matmul_matrixI%sLi1ELb1ELb0ELb1E",
    "matrix.f16.large.kx": "matmul_matrixI%sLi1ELb1ELb1ELb0E", "matrix.f16.large.xx": "matmul_matrixI%sLi1ELb1ELb0ELb0E",
    "matrix.bf16.large.kk": "matmul_matrixI%sLi1ELb1ELb1ELb1E",
    "matrix.f16.small.kk": "matmul_matrixI%sLi2ELb1ELb1ELb1E", "matrix.f16.small.xk": "matmul_matrixI%sLi2ELb1ELb0ELb1E",
    "matrix.f16.small.kx": "matmul_matrixI%sLi2ELb1ELb1ELb0E", "matrix.f16.small.xx": "matmul_matrixI%sLi2ELb1ELb0ELb0E",
    "matrix.bf16.small.kk": "matmul_matrixI%sLi2ELb1ELb1ELb1E",
    "matrix.i8.kk": "matmul_matrixI%sLi0ELb1ELb1ELb1E", "matrix.i8.large.kk": "matmul_matrixI%sLi1ELb1ELb1ELb1E",
    "broadcast.i8.4x4": "matmul_broadcast_dotI%sLi4ELi4ELb1E",
    "broadcast.f16.8x8": "matmul_broadcastI%sLi8ELi8ELb1E", "broadcast.bf16.8x8": "matmul_broadcastI%sLi8ELi8ELb1E",
}
for element in ("f64", "f32"):
    KERNELS.update({"broadcast.%s.%dx%d.%s" % (element, rows, columns, a):
                    "matmul_broadcastI%%sLi%dELi%dELb1ELNS0_11broadcast_aE%dE" % (rows, columns, number)
                    for rows, columns in ((16, 4), (8, 2)) for number, a in ((1, "along_k"), (2, "across"))})
    KERNELS.update({"skinny.%s.%s" % (element, name): "matmul_skinnyI%%sNS0_%s" % tile for name, tile in (
        ("1.across", "12skinny_lanesI%sLi1ELb0ELb0ELb1E"), ("1.down", "11skinny_dotsI%sLb1E"),
        ("4.across", "12skinny_lanesI%sLi4ELb0ELb0ELb1E"), ("4.down", "12skinny_lanesI%sLi4ELb0ELb1ELb1E"),
        ("16.across", "12skinny_lanesI%sLi16ELb0ELb0ELb1E"), ("16.down", "12skinny_lanesI%sLi16ELb0ELb1ELb1E"))})
    KERNELS.update({"batched.%s.%s" % (element, name): "matmul_batched_" + tile for name, tile in (
        ("cells.3", "cellsI%sLi3E"), ("cells.4", "cellsI%sLi4E"), ("groups.8", "groupsI%sLi8E"),
        ("groups.16", "groupsI%sLi16E"))})
KERNELS.update({"batched.%s.unit" % element: "matmul_batched_unitI%sE" for element in ("f64", "f32", "c64", "c32")})



def is_on(name, architecture):
    """Whether the architecture has code for a kernel of the list."""
    return architecture != "gfx90a" or not re.search(r"(16|i8)\.(large|small)", name)


# --- the rules --------------------------------------------------------------------------------------------------

SKIPPED = 77  # CTest's SKIP_RETURN_CODE
BRANCHES = 2  # of a turn: the loop's own, and one more
# Waves that a SIMD must hold: MATRIX is compiled for two (SUBWAVE_TWO_WAVES), src/plan_skinny.c counts on two blocks of
# four waves, and the other plans on no more than one.
WAVES = {"matrix": 2, "skinny": 2, "broadcast": 1, "batched": 1}
TOLERANCE = 0.02  # of a share, which may not fall further
# Kernels that break a rule: pattern of "kernel architecture compiler", figure, reason. Their bound is the table's
# figure instead. A line that no row of the table needs is an error, so that the list shrinks as kernels are mended.
EXCEPTIONS = [
    (r"skinny\.", "branches", "rows of A and packs of B are checked in the main loop"),
    (r"batched\.\w+\.groups\.", "branches", "loads of A and B are checked in the loop over k"),
    (r"skinny\.\w+\.(4|16)\.down gfx9(0a|42) ", "waves", "42 to 53 KB of LDS leave room for one block"),
    (r"batched\.f64\.cells\.4 gfx9(0a|42) ", "waves", "16 KB of LDS for one wave"),
]

# --- the machine ------------------------------------------------------------------------------------------------

SLOT = 4                              # clocks between two instructions of a wave
SIMDS, VECTOR_REGISTERS, MOST_WAVES = 4, 512, 8
LDS_SIZE = {"gfx950": 160 << 10}      # of a compute unit; of the others:
LDS_RATE, L1_RATE = 128, 64           # bytes per clock of a compute unit
LDS_LATENCY, SCALAR_LATENCY = 64, 200
LDS_QUEUE, MEMORY_QUEUE = 256, 1024   # clocks of work that wait, at most
BARRIER, TAKEN, NOT_TAKEN = 24, 20, 8  # clocks until the wave goes on
FORWARDED = 8                         # clocks by which the next sum has a matrix instruction's result before others
LATENCIES, TURNS = (500, 900), 12
SHARES = ["%s%d" % (order, latency) for latency in LATENCIES for order in ("old", "fair")]
# Whether the oldest wave first is better depends on how waves happen to fall into step; a change of one instruction may
# change that by a tenth. These shares do not jump.
BOUNDED = ["fair500", "fair900"]
ALONE = "alone900"  # of MATRIX the last of them, of a compute unit with one block

# `unit`: clocks of work. Bytes per clock are those of a compute unit whose unit is always at work.
COLUMNS = ["kernel", "architecture", "compiler", "unit", "vector", "scalar", "accvgpr", "branches", "waits", "lds",
           "l1", "registers", "waves"] + SHARES + [ALONE] + counted.COLUMNS
Resources = namedtuple("Resources", "registers lds threads")


def registers_of(text):
    """The vector registers that an instruction's operands name, operand by operand."""
    found = []
    for operand in text.split(",") if text else []:
        span = re.match(r"\s*[-|]*([av])(?:\[(\d+):(\d+)\]|(\d+)\b)", operand)
        kind, first, last, only = span.groups() if span else (None, 0, -1, None)
        first, last = (only, only) if only else (first, last)
        found.append([(kind, i) for i in range(int(first), int(last) + 1)])
    return found


def decode(architecture, step):
    """(kind, cost, vector registers read, those written by the matrix unit, more) of an instruction. The cost is bytes
    of a lane for memory and LDS, else clocks. More: of the matrix unit the sum's registers; of waits up to how many
    accesses to memory and to LDS may be under way; of others whether they count as an access to LDS."""
    instruction = step.instruction
    name, text = instruction.mnemonic, instruction.text[len(instruction.mnemonic):]
    kind = counters.classify(name)
    operands = registers_of(text)
    if kind == "mfma":
        return "matrix", SLOT * counters.passes(architecture, name), sum(operands[1:3], []), operands[0], operands[3]
    if name.startswith("v_"):
        return "vector", counters.RATE.get(kind, SLOT), sum(operands, []), [], None
    if kind == "wait":
        if name == "s_nop":
            return "pause", SLOT * (int(text, 0) + 1), [], [], None
        counts = {counter: int(count) for counter, count in re.findall(r"(vm|lgkm)cnt\((\d+)\)", text)}
        return "wait", SLOT, [], [], (counts.get("vm"), counts.get("lgkm"))
    if kind == "barrier":
        return "barrier", BARRIER, [], [], None
    if kind == "branch":
        return "branch", TAKEN if step.taken else NOT_TAKEN, [], [], None
    if kind.startswith("lds"):
        return "lds", max(4, loops.width(name)), sum(operands, []), [], None
    if kind.startswith("vmem") or name.startswith("buffer_") and kind != "cache":
        return "memory", loops.width(name), sum(operands, []), [], name.startswith("flat_")
    return "scalar", SLOT, [], [], kind == "smem"


class Wave:
    """Of a SIMD, executing the path over and over."""

    def __init__(self, start):
        self.time, self.at, self.turns = start, 0, 0
        self.arrived = self.released = False      # at a barrier
        self.marks = []                           # (time, work done by all waves) at the end of each turn
        self.memory, self.lds = deque(), deque()  # when what is under way comes
        self.ready = {}                           # and the matrix unit's results


def simulate(architecture, steps, waves, load, block_waves, latency, fair):
    """The share of clocks that the unit of a SIMD works, which holds `waves` waves, its compute unit `load` times as
    many; the `block_waves` of a block are spread over the SIMDs. `fair`: the wave that is furthest behind issues first,
    else the oldest one."""
    code = [decode(architecture, step) for step in steps]
    slow = {r for _, _, _, writes, _ in code for r in writes}  # registers for which an instruction may have to wait
    code = [(kind, cost, [r for r in reads if r in slow], writes, extra) for kind, cost, reads, writes, extra in code]
    on_unit = any(loops.is_matrix(step.instruction.mnemonic) for step in steps)
    useful = [loops.work(architecture, step.instruction.mnemonic, on_unit) for step in steps]
    together = max(1, block_waves // SIMDS)
    all_waves = [Wave(i // together * 996 % 400) for i in range(waves)]
    blocks = [all_waves[i // together * together:][:together] for i in range(waves)]
    numbers, size = list(range(waves)), len(code)
    matrix = vector = lds = memory = 0  # until when each is taken
    now = done = 0
    while True:
        used, issued, next_time = set(), False, now + 100000
        if fair and waves > 1:
            numbers.sort(key=lambda i: (all_waves[i].turns * size + all_waves[i].at, i))
        for i in numbers:
            wave = all_waves[i]
            if wave.time > now:
                next_time = min(next_time, wave.time)
                continue
            kind, cost, reads, writes, extra = code[wave.at]
            until, unit = now, kind     # when it can issue, and what takes one instruction at a time
            if kind == "wait":
                unit = None
                for queue, most in ((wave.memory, extra[0]), (wave.lds, extra[1])):
                    while queue and queue[0] <= now:
                        queue.popleft()
                    if most is not None and len(queue) > most:
                        until = max(until, queue[len(queue) - 1 - most])
            elif kind == "barrier":
                unit = None
                wave.arrived = True
                if not wave.released:
                    if not all(other.arrived and not other.released for other in blocks[i]):
                        continue
                    for other in blocks[i]:
                        other.released = True
            elif kind == "pause":
                unit = None
            elif kind == "matrix":
                unit = "vector"
                early = FORWARDED if extra == writes else 0
                until = max([until, matrix, vector] + [wave.ready.get(r, 0) for r in reads] +
                            [wave.ready.get(r, 0) - early for r in extra + writes])
            else:
                free = vector if kind == "vector" else lds - LDS_QUEUE if kind == "lds" else \
                    memory - MEMORY_QUEUE if kind == "memory" else 0
                if free > until:
                    until = free
                for r in reads:
                    until = max(until, wave.ready.get(r, 0))
            if until > now or unit in used:
                next_time = min(next_time, max(until, now + SLOT))
                continue
            if unit:
                used.add(unit)
            issued = True
            wave.time = now + (cost if kind in ("pause", "branch", "vector", "barrier") else SLOT)
            if kind == "matrix":
                matrix, vector = now + cost, now + SLOT
                for r in writes:
                    wave.ready[r] = now + cost + FORWARDED
            elif kind == "vector":
                vector = now + cost
            elif kind == "lds":
                lds = max(lds, now) + 64 * cost * load / LDS_RATE
                wave.lds.append(lds + LDS_LATENCY)
            elif kind == "memory":
                memory = max(memory, now) + max(64 * cost / L1_RATE, SLOT) * load
                wave.memory.append(memory + latency)
                if extra:
                    wave.lds.append(memory + latency)
            elif kind == "scalar" and extra:
                wave.lds.append(now + SCALAR_LATENCY)
            elif kind == "barrier":
                wave.arrived = wave.released = False
            if len(wave.lds) > 1 and wave.lds[-1] < wave.lds[-2]:
                wave.lds[-1] = wave.lds[-2]  # counted in order
            done += useful[wave.at]
            wave.at += 1
            if wave.at >= size:
                wave.at, wave.turns = 0, wave.turns + 1
                wave.marks.append((now, done))
                if wave.turns >= TURNS:
                    (begin, before), (end, after) = wave.marks[TURNS // 4], wave.marks[-1]
                    return (after - before) / (end - begin)
        now = now + SLOT if issued else max(now + SLOT, -(-int(next_time) // SLOT) * SLOT)


def waves_of(architecture, resources):
    """Waves of a kernel that a compute unit holds, and those of a block."""
    block = max(1, resources.threads // 64)
    by_registers = min(MOST_WAVES, VECTOR_REGISTERS // max(8, resources.registers)) * SIMDS // block
    by_lds = LDS_SIZE.get(architecture, 64 << 10) // max(1, -(-resources.lds // 512) * 512)
    return max(1, min(by_registers, by_lds)) * block, block


def share(architecture, steps, waves, block, latency, fair):
    """The share of its peak of a compute unit that holds so many waves; some SIMDs may hold one more than others."""
    total = 0
    for count, held in ((waves % SIMDS, waves // SIMDS + 1), (SIMDS - waves % SIMDS, waves // SIMDS)):
        if count and held:
            total += count / SIMDS * simulate(architecture, steps, held, waves / held, block, latency, fair)
    return total


def predict(architecture, steps, resources):
    """{column: figure} of a kernel's main loop."""
    names = [step.instruction.mnemonic for step in steps]
    on_unit = any(map(loops.is_matrix, names))
    works = [loops.work(architecture, name, on_unit) for name in names]
    moved = Counter()
    for step in steps:
        kind, cost, *_ = decode(architecture, step)
        moved[kind] += cost * 64 * SIMDS / sum(works)
    waits = Counter(counter[0] + count for step in steps if step.instruction.mnemonic == "s_waitcnt"
                    for counter, count in re.findall(r"(vm|lgkm)cnt\((\d+)\)", step.instruction.text)
                    if (counter, count) not in (("vm", "63"), ("lgkm", "15")))  # which wait for nothing
    waves, block = waves_of(architecture, resources)
    others = [name for name, of_unit in zip(names, works) if not of_unit]
    kinds = Counter(map(counters.classify, others))
    row = {"unit": sum(works), "accvgpr": kinds["accvgpr"], "branches": kinds["branch"],
           "vector": sum(name.startswith("v_") for name in others) - kinds["accvgpr"],
           "scalar": kinds["salu"] + kinds["smem"], "lds": round(moved["lds"]), "l1": round(moved["memory"]),
           "waits": ",".join("%sx%d" % item for item in sorted(waits.items())) or "-",
           "registers": resources.registers, "waves": "%g" % (waves / SIMDS)}
    for name in SHARES:
        order, latency = re.match(r"(\D+)(\d+)", name).groups()
        row[name] = "%.2f" % share(architecture, steps, waves, block, int(latency), order == "fair")
    row[ALONE] = "%.2f" % share(architecture, steps, block, block, LATENCIES[-1], True)
    return row


# --- the table --------------------------------------------------------------------------------------------------

def number(figure):
    return float(figure) if re.fullmatch(r"[\d.]+", str(figure)) else figure


def numbers(row):
    return {name: number(figure) for name, figure in row.items()}


def read(path):
    """{(kernel, architecture, compiler): {column: text}}."""
    with open(path) as file:
        head, *lines = [line.rstrip("\n").split("\t") for line in file]
    return {tuple(line[:3]): dict(zip(head[3:], line[3:])) for line in lines}


def write(path, rows):
    with open(path, "w") as file:
        for line in [COLUMNS] + [list(key) + [str(rows[key][name]) for name in COLUMNS[3:]] for key in sorted(rows)]:
            file.write("\t".join(line) + "\n")


def broken(key, row):
    """Yields the figures of a row with which it breaks a rule."""
    if row["accvgpr"]:
        yield "accvgpr"
    if row["branches"] > BRANCHES:
        yield "branches"
    if row["waves"] < WAVES[key[0].split(".")[0]]:
        yield "waves"
    if row["conflicts"] and key[0].startswith("matrix."):
        yield "conflicts"


def excepted(key, figure):
    """The exceptions that there are for a figure of a row."""
    return [e for e in EXCEPTIONS if re.match(e[0], " ".join(key)) and e[1] == figure]


def faults(key, row, was, is_known=True):
    """Yields what is wrong with a row; `was`: the table's, or None; `is_known`: the table has rows of this compiler."""
    for figure in broken(key, row):
        if not excepted(key, figure):
            yield "%s is %g, against the rule" % (figure, row[figure])
    if was is None:
        if is_known:
            yield "not in the table: update it"
        return
    for figure, sign, slack in [("accvgpr", 1, 0), ("branches", 1, 0), ("waves", -1, 0)] + [
            (name, -1, TOLERANCE + 1e-9) for name in [*BOUNDED, ALONE]] + [
            (name, 1, TOLERANCE + 1e-9) for name in counted.COLUMNS]:
        if "-" not in (row[figure], was[figure]) and sign * (row[figure] - number(was[figure])) > slack:
            yield "%s was %s and is %g" % (figure, was[figure], row[figure])


def unneeded(rows):
    """The exceptions that no row of the table needs."""
    used = [e for key, row in rows.items() for figure in broken(key, numbers(row)) for e in excepted(key, figure)]
    return [e for e in EXCEPTIONS if e not in used]


def planned(program, architecture):
    """{kernel: (threads, bytes of LDS, share, share alone)} of the largest block that plans ask for, and of the peak what
    they count on with many blocks on a compute unit and with one, or 0."""
    found = {}
    for line in disassembly.output(program, architecture, "64").splitlines():
        block = re.search(r"(\S+) .* by blocks of (\d+) with (\d+) bytes, share (\d+), alone (\d+)", line)
        found[block[1]] = (int(block[2]), int(block[3]), int(block[4]) / 100, int(block[5]) / 100)
    return found


def measure(objdump, readelf, program, path, found):
    """Adds the rows of a code object to `found`; yields what forbids a row."""
    architecture, compiler = disassembly.origin(readelf, path)
    with open(path, "rb") as file:
        image = codeobj.CodeObject(file.read())
    wanted = [(name, kernel) for name, pattern in KERNELS.items() if is_on(name, architecture) for kernel in image.kernels
              if pattern.replace("%s", TYPES[name.split(".")[1]]) in kernel]
    if not wanted:
        return
    code, facts = disassembly.instructions(objdump, path), disassembly.metadata(readelf, path)
    executed = counted.module(objdump, path)
    blocks = planned(program, architecture)
    for name, kernel in wanted:
        key = (name, architecture, "clang-" + compiler)
        memory = disassembly.resources(facts[kernel])
        if memory["scratch"] or memory["spills"]:
            yield key, "%d bytes of scratch and %d spills" % (memory["scratch"], memory["spills"])
        threads, lds, full, alone = blocks[kernel]
        steps = loops.main_loop(architecture, code[kernel])
        if steps is None:
            yield key, "no loop that multiplies"
            continue
        row = predict(architecture, steps, Resources(reserved(image, kernel), lds + memory["lds"], threads))
        if alone == 0:
            row[ALONE] = "-"
        try:
            turn = counted.turn(program, executed, kernel, steps)
        except counted.amdrun.Unsupported as instruction:
            yield key, "cannot be executed: %s" % instruction
            continue
        if turn is None:
            yield key, "no launch executes the path"
            continue
        found[key] = row | counted.figures(turn, row["unit"])
        for counted_on, name in ((full, BOUNDED[-1]), (alone, ALONE)):
            if counted_on > 0 and counted_on > float(row[name]) + TOLERANCE:
                yield key, "plans count on %g of the peak (hip/shapes.h), and %s is %s" % (counted_on, name, row[name])


def reserved(image, kernel):
    """Those that its descriptor reserves, in steps of eight."""
    return ((image.descriptor(kernel)[1].rsrc1 & 63) + 1) * 8


def line(key, row):
    return "%-24s %-13s%-10s" % tuple(key) + "".join(
        " %*s" % (26 if name == "waits" else max(9, len(name)), row.get(name, "-")) for name in COLUMNS[3:])


def heading():
    return line(COLUMNS[:3], {name: name for name in COLUMNS})


def check(update, folder, objdump, readelf, program, *files):
    rows, wrong = {}, []
    with tempfile.TemporaryDirectory() as place:
        for path in (path for file in files for path in disassembly.extracted(file, place)):
            if re.search(r"\.(%s)\.co$" % "|".join(ARCHITECTURES), path):
                wrong += measure(objdump, readelf, program, path, rows)
    built = {key[1:] for key in rows}
    wrong += [((name, *other), "no such kernel") for name in KERNELS for other in built
              if is_on(name, other[0]) and (name, *other) not in rows]
    path = os.path.join(folder, "tests", "isa", "model.tsv")
    table = read(path) if os.path.exists(path) else {}
    if update:
        table = {key: row for key, row in table.items() if key[0] in KERNELS} | rows
        write(path, table)
    is_known = bool({key[2] for key in rows} & {key[2] for key in table})
    print(heading())
    for key in sorted(rows):
        print(line(key, rows[key]))
        wrong += [(key, fault) for fault in faults(key, numbers(rows[key]), table.get(key), is_known)]
    wrong += [(("the table", "any", "any"), "no row needs the exception %r of %s" % e[:2]) for e in unneeded(table)]
    for key, fault in wrong:
        print("FAILED: %s for %s by %s: %s" % (*key, fault))
    print("predicted, not timed: %d kernels, %d faults" % (len(rows), len(wrong)))
    if not wrong and not is_known:
        print("skipped: the table has no rows of this compiler; the rules hold")
        return SKIPPED
    return bool(wrong)


def show(objdump, path, pattern):
    with open(path, "rb") as file:
        image = codeobj.CodeObject(file.read())
    print(heading())
    for kernel, facts in image.kernels.items():
        if re.search(pattern, kernel):
            code = disassembly.instructions(objdump, path, "--disassemble-symbols=" + kernel)[kernel]
            lds = max(image.descriptor(kernel)[1].lds, facts.get(".group_segment_fixed_size", 0))
            resources = Resources(reserved(image, kernel), lds, facts[".max_flat_workgroup_size"])
            steps = loops.main_loop(image.target, code)
            print(line((kernel[:40], image.target, "-"), predict(image.target, steps, resources)) if steps
                  else "%s: no loop that multiplies" % kernel)


if __name__ == "__main__":
    if sys.argv[1:2] == ["show"] and len(sys.argv) == 5:
        sys.exit(show(*sys.argv[2:]))
    if sys.argv[1:2] in (["check"], ["update"]) and len(sys.argv) > 6:
        sys.exit(check(sys.argv[1] == "update", *sys.argv[2:]))
    sys.exit(__doc__)
