# SPDX-License-Identifier: MIT
"""Writes a translation file: all that launch.c needs to run the kernels of a code object without Python.

    image.py OUTPUT TARGET < CODE OBJECT

The file holds the object's memory, its kernels with their arguments, and each function as packed operations whose
pointers are numbers that launch.c turns into addresses. A function with an instruction that is not done keeps the reason
instead.
"""
import ctypes
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import amdrun                                   # noqa: E402
import translate                                # noqa: E402
from codeobj import CodeObject                  # noqa: E402

# Kinds of hidden arguments, by number as in launch.c; 0 is an explicit one, the last what is left zero.
KINDS = ["explicit", "hidden_block_count_x", "hidden_block_count_y", "hidden_block_count_z", "hidden_group_size_x",
         "hidden_group_size_y", "hidden_group_size_z", "hidden_grid_dims", "hidden_dynamic_lds_size",
         "hidden_private_base", "hidden_shared_base", "hidden_queue_ptr", "zero"]
RELOCATIONS = {13: (8, 0), 3: (8, 0), 1: (4, 0), 2: (4, 32)}       # type: bytes, shift


class File:
    """Tables of 64-bit numbers behind a header that says where each begins and how many rows it has."""

    def __init__(self):
        self.data, self.header, self.strings = bytearray(8 * 32), [], {}

    def put(self, data, align=64):
        self.data += bytes(-len(self.data) % align)
        at = len(self.data)
        self.data += data
        return at

    def text(self, s):
        if s not in self.strings:
            self.strings[s] = self.put(s.encode() + b"\0", 1)
        return self.strings[s]

    def table(self, rows):
        numbers = [x for row in rows for x in row]
        self.header += [self.put(struct.pack("<%dQ" % len(numbers), *numbers)), len(rows)]

    def save(self, path, *first):
        numbers = [len(self.data), *first, *self.header]
        header = struct.pack("<8s%dQ" % len(numbers), b"amdrun-2", *numbers)
        assert len(header) <= 8 * 32
        self.data[:len(header)] = header
        part = "%s.%d" % (path, os.getpid())
        with open(part, "wb") as f:
            f.write(self.data)
        os.replace(part, path)


def functions(file, co, wave, executor):
    """Rows of all functions, the names of the executor's functions, and the lane tables of DPP."""
    lib, address = executor
    numbers, tables, fixups, rows = {}, {}, [], []

    def number(name):
        if name not in numbers:
            address(name)                       # raises Unsupported where the executor has no such function
            numbers[name] = len(numbers) + 1
        return numbers[name]
    translator = translate.Translator(co.target, wave)
    text_of = translate.disassemble(co.elf, co.target)
    for name, (start, text) in sorted(text_of.items(), key=lambda x: x[1][0]):
        try:
            out, _at = translator.function(start, text, False)
            ops = b"".join(o.pack(number, translate.OP.size) for o in out)
        except translate.Unsupported as e:
            rows.append([start, file.text(name), file.text("%s: not emulated: %s" % (name, e)), 0, 0, 0, 0, 0])
            continue
        first = len(fixups)
        lanes = set(translator.dpp_cache.values())
        for k, o in enumerate(out):
            if o.imm2 in lanes:
                fixups.append([k, tables.setdefault(o.imm2, len(tables))])
        rows.append([start, file.text(name), 0, file.put(ops), len(out),
                     file.put(bytes(bool(o.first) for o in out), 1), first, len(fixups) - first])
    lanes = [struct.unpack("<8Q", ctypes.string_at(t, 64)) for t in tables]
    return rows, [[file.text(n)] for n in numbers], lanes, fixups


def kernels(file, co, wave):
    rows, arguments = [], []
    for name, meta in co.kernels.items():
        va, kd = co.descriptor(name)
        private = (meta[".private_segment_fixed_size"] + 15) // 16 * 16
        if meta.get(".uses_dynamic_stack"):
            private = max(private, 16384)
        preload = kd.preload & 0x7f             # words of arguments that come in SGPRs; code that loads them is skipped
        first = len(arguments)
        for a in meta.get(".args", []):
            kind = a[".value_kind"]
            kind = KINDS.index(kind if kind in KINDS else "zero") if kind.startswith("hidden_") else 0
            arguments.append([a[".offset"], a[".size"], kind])
        rows.append([file.text(name), va, va + kd.entry + (256 if preload else 0), kd.props, preload, kd.preload >> 7,
                     kd.rsrc2, meta[".group_segment_fixed_size"], private, meta[".kernarg_segment_size"],
                     meta[".max_flat_workgroup_size"], meta[".vgpr_count"], meta[".sgpr_count"], first,
                     len(arguments) - first])
        if meta[".wavefront_size"] != wave:
            raise translate.Unsupported("waves of %d on %s" % (meta[".wavefront_size"], co.target))
    return rows, arguments


def main(output, target):
    co = CodeObject(sys.stdin.buffer.read(), target)
    if co.target not in amdrun.TARGETS + amdrun.MORE_TARGETS:
        raise translate.Unsupported("target " + co.target)
    wave = 64 if co.target.startswith("gfx9") else 32
    executor = amdrun._library(wave)
    file = File()
    memory = bytearray(co.size)
    for va, data, _size in co.segments:
        memory[va:va + len(data)] = data
    relocations = []
    for offset, kind, symbol, addend in co.relocs:
        if kind not in RELOCATIONS:
            raise translate.Unsupported("relocation type %d" % kind)
        value = (addend if kind == 13 else symbol + addend) & translate.M64
        relocations.append([offset, *RELOCATIONS[kind], value])
    rows, names, lanes, fixups = functions(file, co, wave, executor)
    kernel_rows, arguments = kernels(file, co, wave)
    symbols = [[file.text(name), va, size] for name, (va, size) in co.symbols.items()]
    first = [translate.OP.size, ctypes.sizeof(amdrun._Launch), wave, co.target.startswith("gfx12"),
             co.target in amdrun.IDS_APART, file.text(executor[0]._name), file.put(memory, 4096), len(memory)]
    for table in rows, names, lanes, fixups, kernel_rows, arguments, relocations, symbols:
        file.table(table)
    file.save(output, *first)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (translate.Unsupported, ValueError, RuntimeError) as e:
        sys.exit("amdrun: %s" % e)
