# SPDX-License-Identifier: MIT
# disassembly.py: what is in an AMD code object: its kernels' instructions, registers, memory and compiler.
import os
import re
import struct
import subprocess
import sys
from collections import Counter, namedtuple


class Instruction(namedtuple("Instruction", "mnemonic text address target")):
    """`text` is what an assembler would read, `target` where a branch goes, or None."""
    @property
    def loops(self):
        """A backward branch is a loop."""
        return self.target is not None and self.target <= self.address


# Instructions that only pass time or let others run.
WAITS = ("s_waitcnt", "s_wait_", "s_nop", "s_delay_alu", "s_clause", "s_sleep", "v_nop")
# What a function's last block can end with, which need not be the one that ends the program.
LAST = ("s_endpgm", "s_branch", "s_setpc_b64", "s_trap")
CLASSES = (("ds", ("ds_",)), ("waits", WAITS), ("branch", ("s_branch", "s_cbranch", "s_setpc", "s_swappc")),
           ("vector", ("v_",)), ("memory", ("s_load", "s_buffer_load", "global_", "flat_")),
           ("scratch", ("scratch_", "buffer_")), ("scalar", ("s_",)))


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def instructions(objdump, path, *options):
    """{function: [Instruction]}, without what fills the space behind its end."""
    return read(output(objdump, "-d", "--no-show-raw-insn", *options, path), path)


def read(listing, path):
    """The same of what llvm-objdump has printed."""
    found, current = {}, None
    for line in listing.splitlines():
        start = re.match(r"([0-9a-f]+) <(.+)>:$", line)
        if start:
            base, current = int(start.group(1), 16), found.setdefault(start.group(2), [])
        elif line.startswith("\t") and "//" in line and current is not None:
            text, _, rest = line.strip().partition("//")
            address = int(rest.split(":")[0], 16)
            target = re.search(r"<[^>+]+(?:\+0x([0-9a-f]+))?>$", rest)
            current.append(Instruction(text.split()[0], text.strip(), address,
                                       base + int(target.group(1) or "0", 16) if target else None))
    for code in found.values():
        while code and code[-1].mnemonic not in LAST:
            code.pop()
    unknown = [name for name, code in found.items() if any(i.mnemonic.startswith(".") for i in code)]
    if unknown:  # compilers have made such
        sys.exit("%s: not an instruction in %s" % (path, ", ".join(unknown)))
    return found


def in_loops(code):
    """The instructions of a function that are in a loop."""
    loops = [(branch.target, branch.address) for branch in code if branch.loops]
    return [i for i in code if any(first <= i.address <= last for first, last in loops)]


def metadata(readelf, path):
    """{kernel: {key: value}} from the object's notes."""
    kernels = re.search(r"^amdhsa\.kernels:\n(.*?)^amdhsa", output(readelf, "--notes", path),
                        re.M | re.S)
    found = {}
    for entry in re.split(r"^  - ", kernels.group(1), flags=re.M)[1:] if kernels else []:
        facts = dict(re.findall(r"^(?: {4})?\.(\w+): +(\S+)$", entry, re.M))
        found[facts["name"].strip("'")] = facts
    return found


def bundled(path):
    """(architecture, code object) of each that hipcc put into a library or an object file; of a code object itself,
    whose name says it, that."""
    if path.endswith(".co"):
        with open(path, "rb") as file:
            yield re.search(r"gfx\w+", os.path.basename(path)).group(), file.read()
        return
    with open(path, "rb") as file:
        data = file.read()
    magic = b"__CLANG_OFFLOAD_BUNDLE__"
    start = data.find(magic)
    while start >= 0:
        at = start + len(magic)
        (count,) = struct.unpack_from("<Q", data, at)
        at += 8
        for _ in range(count):
            offset, size, length = struct.unpack_from("<3Q", data, at)
            name = data[at + 24:at + 24 + length].decode()
            at += 24 + length
            if size and "amdgcn" in name:
                yield re.search(r"gfx\w+", name).group(), data[start + offset:start + offset + size]
        start = data.find(magic, at)


def extracted(path, folder):
    """The same as files; those of a library are written to `folder`."""
    if path.endswith(".co"):
        return [path]
    files = []
    for architecture, data in bundled(path):
        files.append(os.path.join(folder, "%s.%d.%s.co" % (os.path.basename(path), len(files), architecture)))
        with open(files[-1], "wb") as file:
            file.write(data)
    if not files:
        sys.exit("%s: no code objects" % path)
    return files


def origin(readelf, path):
    """(architecture, version of the compiler) that an object is for and from."""
    text = output(readelf, "--notes", "-p", ".comment", path)
    return (re.search(r"amdhsa\.target: +\S*(gfx\w+)", text).group(1),
            re.search(r"clang version (\d+)[.\d]*", text).group(1))


def counts(code):
    """How many instructions of each class; two in one word (a :: b) are one."""
    found = Counter({name: 0 for name, _ in CLASSES})
    for instruction in code:
        if instruction.mnemonic != "s_endpgm":
            found[next(name for name, starts in CLASSES if instruction.mnemonic.startswith(starts))] += 1
    found["loops"] = sum(instruction.loops for instruction in code)
    return found


def resources(facts):
    """Registers, and bytes of memory, from the notes of a kernel."""
    return {"vgpr": int(facts["vgpr_count"]), "sgpr": int(facts["sgpr_count"]),
            "lds": int(facts["group_segment_fixed_size"]),
            "scratch": int(facts["private_segment_fixed_size"]),
            "spills": int(facts["vgpr_spill_count"]) + int(facts["sgpr_spill_count"])}
