# SPDX-License-Identifier: MIT
# loops.py: the main loop of a kernel, and the way through it that a wave in the interior of C takes.
"""Matrix instructions are the work, or multiply-adds where a kernel has none (`work`, in clocks of the unit).

A loop is a natural loop of the control-flow graph. Of each loop one turn is followed, from its header back to it:

1. with the most work;
2. then one on which a lane loads no fewer bytes from global memory than it writes into LDS, if there is one: a turn of
   the last stages loads nothing;
3. then with the most bytes loaded less the number of instructions: the edge loads element by element, with a comparison
   and a branch for each, what the interior loads in packs.

An inner loop is passed once. Of the two sides of a divergent branch (`s_andn2_saveexec` or `s_or_saveexec` begins the
second one) a wave takes one; if there is only one, it takes that. The main loop is the one whose turn has the most work
that is in no inner loop; of several the best by 3."""
import os
import re
import sys
from collections import namedtuple

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "amdrun"))
import counters

Step = namedtuple("Step", "instruction taken")  # `taken`: a branch that is
Block = namedtuple("Block", "first last following")  # following: [(number of a block, whether by a taken branch)]
MULTIPLY_ADD = re.compile(r"v_(pk_)?(fma|fmac|mad|mac)_(mix_)?f(16|32|64)|v_dot4")


def is_matrix(mnemonic):
    return mnemonic.startswith(("v_mfma", "v_smfmac"))


def work(architecture, mnemonic, on_unit):
    """Clocks for which an instruction keeps the matrix unit, or would keep a vector unit that multiplies and adds at
    its peak: a multiply-add of single f32 values takes a slot in which there could have been a pair."""
    if on_unit:
        return 4 * counters.passes(architecture, mnemonic) if is_matrix(mnemonic) else 0
    if not MULTIPLY_ADD.match(mnemonic):
        return 0
    return 4 if mnemonic.startswith(("v_pk_", "v_dot4")) or "f64" in mnemonic else 2


def width(mnemonic):
    """Bytes that a lane loads or stores."""
    bits = re.search(r"_[bui](8|16|32|64|96|128)\b", mnemonic)
    words = re.search(r"dword(?:x(\d))?", mnemonic)
    size = int(bits.group(1)) // 8 if bits else 4
    if words:
        size = 4 * int(words.group(1) or 1)
    elif re.search(r"short|d16", mnemonic):
        size = 2
    elif re.search(r"byte", mnemonic):
        size = 1
    return 2 * size if re.search(r"read2|write2", mnemonic) else size


def is_load(mnemonic):
    return re.match(r"(global|flat|buffer)_load", mnemonic) is not None


def blocks_of(code):
    """The control-flow graph's blocks; the first is the entry."""
    number = {instruction.address: i for i, instruction in enumerate(code)}
    starts = {0}
    for i, instruction in enumerate(code):
        if instruction.mnemonic.startswith(("s_branch", "s_cbranch", "s_endpgm", "s_setpc")):
            starts |= {i + 1} if i + 1 < len(code) else set()
            if instruction.target in number:
                starts.add(number[instruction.target])
    starts = sorted(starts)
    at = {start: block for block, start in enumerate(starts)}
    blocks = []
    for first, beyond in zip(starts, starts[1:] + [len(code)]):
        last, following = code[beyond - 1], []
        if last.mnemonic.startswith(("s_branch", "s_cbranch")) and last.target in number:
            following.append((at[number[last.target]], True))
        if not last.mnemonic.startswith(("s_branch", "s_endpgm", "s_setpc")) and beyond < len(code):
            following.append((at[beyond], False))
        blocks.append(Block(first, beyond, following))
    return blocks


def in_order(blocks):
    """The blocks that are reached, each after all that lead to it but by a loop (reverse postorder)."""
    order, seen, stack = [], {0}, [(0, iter(blocks[0].following))]
    while stack:
        block, rest = stack[-1]
        following = next((b for b, _ in rest if b not in seen), None)
        if following is None:
            order.append(block)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(blocks[following].following)))
    return order[::-1]


def dominators(blocks, order):
    """{block: the closest one that every way to it passes}."""
    place = {block: i for i, block in enumerate(order)}
    before = {block: [] for block in order}
    for block in order:
        for following, _ in blocks[block].following:
            before[following].append(block)
    closest, changed = {0: 0}, True
    while changed:
        changed = False
        for block in order[1:]:
            found = None
            for other in (b for b in before[block] if b in closest):
                while found is not None and found != other:
                    if place[found] > place[other]:
                        found = closest[found]
                    else:
                        other = closest[other]
                found = other
            if closest.get(block) != found:
                closest[block], changed = found, True
    return closest, before


class Graph:
    """A function's blocks and loops: `loops` is {header: its blocks}."""

    def __init__(self, architecture, code):
        self.code, self.blocks = code, blocks_of(code)
        self.order = in_order(self.blocks)
        self.closest, before = dominators(self.blocks, self.order)
        on_unit = any(is_matrix(i.mnemonic) for i in code)
        self.work = [sum(work(architecture, i.mnemonic, on_unit) for i in code[b.first:b.last]) for b in self.blocks]
        self.loops = {}
        for block in self.order:
            for header, _ in self.blocks[block].following:
                if self.is_backward(block, header):
                    body, todo = self.loops.setdefault(header, {header}), [block]
                    while todo:
                        inside = todo.pop()
                        if inside not in body:
                            body.add(inside)
                            todo += before[inside]

    def is_backward(self, block, following):
        """Whether this edge closes a loop: the block comes after `following` on every way."""
        while block not in (0, following):
            block = self.closest[block]
        return block == following

    def instructions(self, block):
        return self.code[self.blocks[block].first:self.blocks[block].last]

    def second_side(self, block):
        """The register from which a block takes the lanes for the second side of a divergent branch, or None."""
        code = self.instructions(block)
        if code[-1].mnemonic != "s_cbranch_execz":
            return None
        for instruction in reversed(code):
            if instruction.mnemonic.startswith(("s_andn2_saveexec", "s_or_saveexec")):
                return instruction.text.split(",")[1].strip()
        return None

    def writes(self, block, register):
        return any(i.mnemonic.startswith("s_") and i.text[len(i.mnemonic):].split(",")[0].strip() == register
                   for i in self.instructions(block))

    def is_taken(self, block, taken, skips, is_second, skipped):
        """Whether a wave may leave a block by a taken branch, or else by going on. Some lane is active, and in the
        interior all are where they are asked for."""
        branch = self.instructions(block)[-1].mnemonic
        if branch == "s_cbranch_execnz":
            return taken
        if branch != "s_cbranch_execz":
            return True
        return taken != skipped if is_second else not taken or skips

    def turn(self, header):
        """(score, blocks and whether each is left by a taken branch) of the best way back to a header, or None."""
        body = self.loops[header]
        loaded = {block: sum(width(i.mnemonic) for i in self.instructions(block) if is_load(i.mnemonic))
                  for block in body}
        # A state is a block, whether it was reached past the first side of a branch whose second side it begins, and
        # the bytes loaded before it. Of each: the best (work, - instructions), the state before it, how that was left.
        best, ends = {(header, False, 0): ((0, 0), None, None)}, []
        states = {block: [] for block in body}
        states[header] = [(header, False, 0)]
        for block in (b for b in self.order if b in body):
            register = self.second_side(block)
            for state in states[block]:
                (work_done, passed), _, _ = best[state]
                score = work_done + self.work[block], passed - len(self.instructions(block))
                bytes_loaded = state[2] + loaded[block]
                for following, taken in self.blocks[block].following:
                    side = self.second_side(following)
                    skips = taken and side is not None and self.writes(block, side)
                    leaves = any(block in inner and following not in inner for inner in self.loops.values())
                    if not leaves and not self.is_taken(block, taken, skips, register is not None, state[1]):
                        continue
                    if following == header:
                        ends.append((score, bytes_loaded, state, taken))
                    elif following in body and not self.is_backward(block, following):
                        reached = (following, skips, bytes_loaded)
                        if reached not in best:
                            states[following].append(reached)
                        if reached not in best or score > best[reached][0]:
                            best[reached] = (score, state, taken)
        found = None
        for (work_done, passed), bytes_loaded, state, taken in ends:
            way = []
            while state is not None:
                way.append((state[0], taken))
                _, state, taken = best[state]
            written = sum(width(i.mnemonic) for block, _ in way for i in self.instructions(block)
                          if i.mnemonic.startswith("ds_write"))
            score = work_done, min(0, bytes_loaded - written), bytes_loaded + passed
            if found is None or score > found[0]:
                found = score, way[::-1]
        return found


def main_loop(architecture, code):
    """[Step] of one turn of the main loop's interior path, or None for a function without one."""
    graph, found = Graph(architecture, code), None
    for header, body in graph.loops.items():
        turn = graph.turn(header)
        if turn is None:
            continue
        inner = set().union(*(blocks for other, blocks in graph.loops.items() if other != header and blocks < body))
        own = sum(graph.work[block] for block, _ in turn[1] if block not in inner)
        if own and (found is None or (own, turn[0][2]) > found[0]):
            found = ((own, turn[0][2]), turn[1])
    if found is None:
        return None
    steps = []
    for block, taken in found[1]:
        code = graph.instructions(block)
        steps += [Step(i, False) for i in code[:-1]] + [Step(code[-1], taken)]
    return steps
