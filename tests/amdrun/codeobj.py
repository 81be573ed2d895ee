# SPDX-License-Identifier: MIT
"""Read AMDGPU code objects: offload bundles, ELF, kernel descriptors, metadata.

Handles code object v3, v4 and v5.
"""
import struct

E_MACH = {0x03f: "gfx90a", 0x040: "gfx940", 0x04b: "gfx941", 0x04c: "gfx942", 0x04f: "gfx950",
          0x041: "gfx1100", 0x046: "gfx1101", 0x047: "gfx1102", 0x044: "gfx1103",
          0x043: "gfx1150", 0x04a: "gfx1151", 0x048: "gfx1200", 0x04e: "gfx1201",
          0x030: "gfx908", 0x02f: "gfx906", 0x02c: "gfx900", 0x036: "gfx1030"}


def unbundle(data, target=None):
    """Return the device ELF inside `data` (a raw ELF or an uncompressed offload bundle)."""
    if data[:4] == b"\x7fELF":
        return data
    magic = b"__CLANG_OFFLOAD_BUNDLE__"
    if not data.startswith(magic):
        raise ValueError("neither an ELF nor an uncompressed clang offload bundle")
    n, = struct.unpack_from("<Q", data, 24)
    pos, found = 32, []
    for _ in range(n):
        off, size, tl = struct.unpack_from("<QQQ", data, pos)
        triple = data[pos + 24:pos + 24 + tl].decode()
        pos += 24 + tl
        if size and "amdgcn" in triple:
            found.append((triple, data[off:off + size]))
    for triple, blob in found:
        if target is None or triple.split("--")[-1].split(":")[0] == target:
            return blob
    raise ValueError("target %r not in bundle; has %s" % (target, [t for t, _ in found]))


def msgpack(b, p=0):
    """Decode one msgpack value; returns (value, next position)."""
    t = b[p]
    p += 1
    if t < 0x80:
        return t, p
    if t >= 0xe0:
        return t - 256, p
    if 0xa0 <= t < 0xc0:
        n = t & 31
        return b[p:p + n].decode(), p + n
    if t == 0xc0:
        return None, p
    if t in (0xc2, 0xc3):
        return t == 0xc3, p
    ints = {0xcc: "B", 0xcd: "H", 0xce: "I", 0xcf: "Q", 0xd0: "b", 0xd1: "h", 0xd2: "i", 0xd3: "q",
            0xca: "f", 0xcb: "d"}
    if t in ints:
        f = ">" + ints[t]
        return struct.unpack_from(f, b, p)[0], p + struct.calcsize(f)
    if t in (0xd9, 0xda, 0xdb, 0xc4, 0xc5, 0xc6):
        f = {0xd9: "B", 0xda: ">H", 0xdb: ">I", 0xc4: "B", 0xc5: ">H", 0xc6: ">I"}[t]
        n, = struct.unpack_from(f, b, p)
        p += struct.calcsize(f)
        raw = b[p:p + n]
        return (raw.decode() if t >= 0xd9 else raw), p + n
    if 0x80 <= t < 0x90 or t in (0xde, 0xdf):
        if t < 0x90:
            n = t & 15
        else:
            n, = struct.unpack_from(">H" if t == 0xde else ">I", b, p)
            p += 2 if t == 0xde else 4
        d = {}
        for _ in range(n):
            k, p = msgpack(b, p)
            d[k], p = msgpack(b, p)
        return d, p
    if 0x90 <= t < 0xa0 or t in (0xdc, 0xdd):
        if t < 0xa0:
            n = t & 15
        else:
            n, = struct.unpack_from(">H" if t == 0xdc else ">I", b, p)
            p += 2 if t == 0xdc else 4
        out = []
        for _ in range(n):
            v, p = msgpack(b, p)
            out.append(v)
        return out, p
    raise ValueError("msgpack tag %#x" % t)


class KernelDescriptor:
    SIZE = 64

    def __init__(self, b):
        (self.lds, self.private, self.kernarg_size, _r, self.entry, _a, _b, _c, _d, _e,
         self.rsrc3, self.rsrc1, self.rsrc2, self.props, self.preload) = struct.unpack("<IIIIqIIIIIIIIHH", b[:60])
        self.wave32 = bool(self.props >> 10 & 1)


class CodeObject:
    def __init__(self, data, target=None):
        e = self.elf = unbundle(bytes(data), target)
        if e[4] != 2 or struct.unpack_from("<H", e, 18)[0] != 224:
            raise ValueError("not a 64-bit AMDGPU ELF")
        self.abi = {0: 2, 1: 3, 2: 4, 3: 5, 4: 6}.get(e[8])
        phoff, shoff = struct.unpack_from("<QQ", e, 32)
        flags, = struct.unpack_from("<I", e, 48)
        phes, phn, shes, shn, shstr = struct.unpack_from("<HHHHH", e, 54)
        self.target = E_MACH.get(flags & 0xff, "mach-%#x" % (flags & 0xff))
        self.segments, notes = [], []
        for i in range(phn):
            t, fl, off, va, _pa, fs, ms, _al = struct.unpack_from("<IIQQQQQQ", e, phoff + i * phes)
            if t == 1:
                self.segments.append((va, e[off:off + fs], ms))
            elif t == 4:
                notes.append((off, fs))
        self.size = max(va + ms for va, _d, ms in self.segments)
        sh = [struct.unpack_from("<IIQQQQIIQQ", e, shoff + i * shes) for i in range(shn)]
        self.symbols, self.relocs, tables = {}, [], {}
        for i, s in enumerate(sh):
            if s[1] in (2, 11):                                     # SYMTAB, DYNSYM
                so, syms = sh[s[6]][4], []
                for q in range(s[4], s[4] + s[5], 24):
                    nm, _inf, _oth, shx, val, sz = struct.unpack_from("<IBBHQQ", e, q)
                    name = e[so + nm:e.index(b"\0", so + nm)].decode()
                    syms.append((name, val))
                    if name and shx:
                        self.symbols[name] = (val, sz)
                tables[i] = syms
        for s in sh:
            if s[1] == 4:                                           # RELA
                for q in range(s[4], s[4] + s[5], 24):
                    off, info, add = struct.unpack_from("<QQq", e, q)
                    sym = tables.get(s[6], [])
                    idx = info >> 32
                    self.relocs.append((off, info & 0xffffffff, sym[idx][1] if idx < len(sym) else 0, add))
        self.metadata, self.kernels = {}, {}
        for off, size in notes:                                     # a linker may have left several
            p = off
            while p < off + size:
                ns, ds, nt = struct.unpack_from("<III", e, p)
                p += 12
                name = e[p:p + ns].rstrip(b"\0")
                p += (ns + 3) & ~3
                if nt == 32 and name == b"AMDGPU":
                    self.metadata = msgpack(e, p)[0]
                    self.kernels.update((k[".name"], k) for k in self.metadata.get("amdhsa.kernels", []))
                p += (ds + 3) & ~3

    def read(self, va, n):
        for base, d, ms in self.segments:
            if base <= va < base + ms:
                return (d[va - base:va - base + n]).ljust(n, b"\0")
        raise ValueError("address %#x outside the image" % va)

    def descriptor(self, name):
        sym = self.kernels[name].get(".symbol", name + ".kd")
        va = self.symbols[sym][0]
        return va, KernelDescriptor(self.read(va, KernelDescriptor.SIZE))


if __name__ == "__main__":
    import sys
    co = CodeObject(open(sys.argv[1], "rb").read(), *(sys.argv[2:3]))
    print(co.target, "code object v%s" % co.abi)
    for n, k in co.kernels.items():
        kd = co.descriptor(n)[1]
        print("kernel", n, "wave%d" % k[".wavefront_size"], "vgpr", k[".vgpr_count"], "sgpr", k[".sgpr_count"],
              "lds", kd.lds, "private", kd.private, "kernarg", k[".kernarg_segment_size"])
        for a in k.get(".args", []):
            print("   %4d %3d %s %s" % (a[".offset"], a[".size"], a[".value_kind"], a.get(".name", "")))
