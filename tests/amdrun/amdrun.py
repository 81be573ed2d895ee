# SPDX-License-Identifier: MIT
"""Run kernels of an AMDGPU code object on the CPU: translated once, executed by compiled C.  See README.md."""
import bisect
import ctypes
import fcntl
import hashlib
import mmap
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
if HERE not in sys.path:
    sys.path.insert(0, HERE)
import ops                                      # noqa: E402
import translate                                # noqa: E402
from codeobj import CodeObject                  # noqa: E402
from translate import Unsupported               # noqa: E402

M32 = 0xffffffff
TARGETS = ("gfx90a", "gfx940", "gfx941", "gfx942", "gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1200", "gfx1201")
MORE_TARGETS = ("gfx906", "gfx908", "gfx950", "gfx1030")      # run too, but not by every test
IDS_APART = ("gfx906", "gfx908", "gfx1030")      # work-item ids are in a register each


class Deadlock(RuntimeError):
    """A kernel did not end."""


class Fault(RuntimeError):
    """A kernel did what hardware does not forgive; `findings` has a Finding each."""

    def __init__(self, findings):
        self.findings = findings
        super().__init__("\n".join(map(str, findings)))


class Finding:
    """kind: "wait", "race", "lane" or "undefined".  instruction: its text; other: that of the other one, if any; source
    and other_source: file and line, where the code object has them."""
    KINDS = ("", "wait", "race", "lane", "undefined")

    def __init__(self, kernel, kind, words, times, address, instruction, other, source, other_source):
        self.kernel, self.kind, self.words, self.times, self.address = kernel, kind, words, times, address
        self.instruction, self.other, self.source, self.other_source = instruction, other, source, other_source

    def __str__(self):
        out = self.words + (" (%d times)" % self.times if self.times > 1 else "")
        for text, source in ((self.instruction, self.source), (self.other, self.other_source)):
            if text:
                out += "\n    " + text + ("    " + source if source else "")
        return out


# ---------------------------------------------------------------------------------------------- the executor

FLAGS = ["-O2", "-ftree-vectorize", "-march=native", "-ffp-contract=off", "-fno-strict-aliasing", "-fno-math-errno",
         "-fno-trapping-math", "-fPIC", "-shared", "-w"]


def _cpu():
    try:
        for line in open("/proc/cpuinfo"):
            if line.startswith(("flags", "Features")):
                return line
    except OSError:
        pass
    return ""


def _cache():
    """The folder of compiled executors: AMDRUN_CACHE, the user's cache or, where that cannot be written, /tmp's."""
    user = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    for folder in filter(None, (os.environ.get("AMDRUN_CACHE"), os.path.join(user, "amdrun"))):
        try:
            os.makedirs(folder, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
        except OSError:
            pass
    folder = os.path.join(tempfile.gettempdir(), "amdrun-%d" % os.getuid())
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


def _library(lanes, _have={}):
    """The compiled executor for waves of this many lanes, kept by the hash of all that goes into it."""
    if lanes in _have:
        return _have[lanes]
    parts = [open(os.path.join(HERE, name + ".c")).read() for name in ("core", "count", "check", "schedule")]
    code = ops.source("".join(parts))
    cc = os.environ.get("AMDRUN_CC") or next((c for c in ("gcc", "clang", "cc") if shutil.which(c)), None)
    if not cc:
        raise RuntimeError("no C compiler (AMDRUN_CC)")
    flags = FLAGS + os.environ.get("AMDRUN_CFLAGS", "").split() + ["-DN=%d" % lanes]
    if "gcc" in os.path.basename(cc):
        flags.append("-fvect-cost-model=dynamic")
    key = hashlib.sha256("\0".join([code, cc, " ".join(flags), _cpu()]).encode()).hexdigest()[:24]
    folder = _cache()
    path = os.path.join(folder, "amdrun-%d-%s.so" % (lanes, key))
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)           # tests that run side by side compile it once
        if not os.path.exists(path):
            with tempfile.TemporaryDirectory(dir=folder) as d:
                c, so = os.path.join(d, "amdrun.c"), os.path.join(d, "amdrun.so")
                with open(c, "w") as f:
                    f.write(code)
                subprocess.run([cc] + flags + [c, "-o", so, "-lm"], check=True)
                os.replace(so, path)
    lib = ctypes.CDLL(path)
    lib.amdrun_sizes.restype = lib.amdrun_total.restype = ctypes.c_uint64
    if (lib.amdrun_sizes(0), lib.amdrun_sizes(1)) != (translate.OP.size, ctypes.sizeof(_Launch)):
        raise RuntimeError("amdrun: structures differ between Python and C")
    addresses = {}

    def fn(name):
        a = addresses.get(name)
        if a is None:
            try:
                a = ctypes.cast(getattr(lib, "op_" + name), ctypes.c_void_p).value
            except AttributeError:
                raise Unsupported(name) from None
            addresses[name] = a
        return a
    _have[lanes] = (lib, fn)
    return lib, fn


class _Fault(ctypes.Structure):
    _fields_ = [(n, ctypes.c_uint32) for n in ("kind", "wave", "lane", "addr", "other", "what", "other_wave",
                                               "barriers", "times", "part")] + [("group", ctypes.c_uint64)]


class _Launch(ctypes.Structure):
    _fields_ = [(n, ctypes.c_uint32 * 3) for n in ("grid", "block")] + \
        [(n, ctypes.c_uint32) for n in ("lds", "nfixed", "nuser", "rsrc2", "rdna4", "resident", "priv", "poison",
                                        "slice", "cdna")] + \
        [("fixed", ctypes.c_uint32 * 32)] + \
        [(n, ctypes.c_uint64) for n in ("limit", "entry", "textbase", "textwords", "executed", "waves", "map", "need",
                                        "next", "live", "nlive", "trace")] + \
        [("check", ctypes.c_uint32), ("nfault", ctypes.c_uint32), ("checker", ctypes.c_void_p),
         ("fault", _Fault * 16), ("apart", ctypes.c_uint32), ("none", ctypes.c_uint32)]


# ---------------------------------------------------------------------------------------------- memory

class Buffer:
    """Device memory: page-aligned host memory with an inaccessible page on either side."""
    _libc = ctypes.CDLL(None, use_errno=True)

    def __init__(self, init, fill=0xA5):
        data = None if isinstance(init, int) else bytes(init)
        self.nbytes = init if data is None else len(data)
        pg = mmap.PAGESIZE
        body = max(pg, (self.nbytes + pg - 1) // pg * pg)
        self._m = mmap.mmap(-1, body + 2 * pg)
        a = ctypes.addressof(ctypes.c_char.from_buffer(self._m))
        mp = Buffer._libc.mprotect
        mp.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        mp(a, pg, 0)
        mp(a + pg + body, pg, 0)
        # the last byte sits against the upper guard page, 16-byte aligned
        self.addr = a + pg + (body - self.nbytes) // 16 * 16
        if data is None:
            ctypes.memset(self.addr, fill, self.nbytes)
        else:
            ctypes.memmove(self.addr, data, len(data))

    def bytes(self):
        return ctypes.string_at(self.addr, self.nbytes)

    def write(self, data, off=0):
        assert off + len(data) <= self.nbytes
        ctypes.memmove(self.addr + off, bytes(data), len(data))

    def array(self, fmt):
        """The contents as a list; fmt is a struct letter: i I f d q Q e h H b B."""
        n = struct.calcsize("=" + fmt)
        return list(struct.unpack("=%d%s" % (self.nbytes // n, fmt), self.bytes()[:self.nbytes // n * n]))

    @staticmethod
    def of(fmt, values):
        values = list(values)
        return Buffer(struct.pack("=%d%s" % (len(values), fmt), *values))


def _encode(v, size):
    if isinstance(v, Buffer):
        return struct.pack("<Q", v.addr)
    if isinstance(v, (bytes, bytearray)):
        return bytes(v).ljust(size, b"\0")
    if isinstance(v, float):
        return struct.pack({2: "<e", 4: "<f", 8: "<d"}[size], v)
    if isinstance(v, (ctypes._SimpleCData, ctypes.Structure, ctypes.Array)):
        return bytes(v)
    return (int(v) & ((1 << 8 * size) - 1)).to_bytes(size, "little")


# ---------------------------------------------------------------------------------------------- launches

class Stats:
    """What a launch did: waves, instructions (per wave), translate_s, compile_s and run_s; `ops` if counted."""
    def __init__(self):
        self.waves = self.instructions = self.lane_instructions = 0
        self.compile_s = self.run_s = 0.0
        self.ops = {}
        self.counts = None

    def __repr__(self):
        return ("waves=%d wave-instructions=%d lane-instructions=%d compile=%.2fs run=%.4fs (%.1f M lane-instr/s)" % (
            self.waves, self.instructions, self.lane_instructions, self.compile_s, self.run_s,
            self.lane_instructions / max(self.run_s, 1e-9) / 1e6))


class Module:
    def __init__(self, code, target=None):
        data = open(code, "rb").read() if isinstance(code, str) else code
        self.co = co = CodeObject(data, target)
        if co.target not in TARGETS + MORE_TARGETS:
            raise Unsupported("target " + co.target)
        self.image = Buffer(bytes(co.size + 256), 0)
        for va, d, _ms in co.segments:
            self.image.write(d, va)
        base = self.image.addr
        for off, typ, sym, add in co.relocs:
            v = {13: lambda: base + add, 3: lambda: base + sym + add,
                 1: lambda: base + sym + add, 2: lambda: (base + sym + add) >> 32}.get(typ)
            if v is None:
                raise Unsupported("relocation type %d" % typ)
            n = 4 if typ in (1, 2) else 8
            self.image.write((v() & ((1 << 8 * n) - 1)).to_bytes(n, "little"), off)
        self._text = None
        self._maps = {}          # (wave, counting) -> map, functions, translator

    def kernels(self):
        return sorted(self.co.kernels)

    def symbol(self, name):
        """(address, size) of a device global, for reading or writing __device__/__constant__ variables."""
        va, size = self.co.symbols[name]
        return self.image.addr + va, size

    def _translate(self, va, wave, count):
        """Translate the function that holds address va; returns its record."""
        if self._text is None:
            self._text = translate.disassemble(self.co.elf, self.co.target)
            self._starts = sorted((a, n) for n, (a, _t) in self._text.items())
        table, done, tr = self._maps.setdefault((wave, count), (
            (ctypes.c_uint64 * (self.co.size // 4 + 64))(), {}, translate.Translator(self.co.target, wave)))
        i = bisect.bisect_right(self._starts, (va, "\x7f")) - 1
        start, name = self._starts[max(i, 0)]
        if name not in done:
            _lib, fn = _library(wave)
            out, at = tr.function(start, self._text[name][1], count)
            buf = ctypes.create_string_buffer(len(out) * translate.OP.size + 64)
            base = ctypes.addressof(buf) + 63 & ~63
            ctypes.memmove(base, b"".join(o.pack(fn, base) for o in out), len(out) * translate.OP.size)
            for a, k in at.items():
                table[a >> 2] = base + k * translate.OP.size
            done[name] = (buf, base, out, bytes(o.first for o in out))
        if not table[va >> 2]:
            raise Unsupported("no instruction at %#x" % va)
        return table, done

    def _finding(self, lib, kernel, l, k, done):
        words = ctypes.create_string_buffer(512)
        lib.amdrun_describe(ctypes.byref(l), k, words, ctypes.c_size_t(512))
        f = l.fault[k]
        text = {o.addr: o.text for _buf, _base, out, _first in done.values() for o in out if o.text}
        lines = self._lines([f.addr, f.other])
        return Finding(kernel, Finding.KINDS[f.kind], words.value.decode(), f.times, f.addr, text.get(f.addr, ""),
                       text.get(f.other, "") if f.other else "", lines[0], lines[1] if f.other else "")

    def _lines(self, addresses):
        """The source lines of instructions: "file:line", innermost call first; "" where the code object has none."""
        tool = next((t for t in ["llvm-symbolizer-%d" % v for v in range(22, 13, -1)] + ["llvm-symbolizer"]
                     if shutil.which(t)), None)
        if b".debug_line" not in self.co.elf or not tool:
            return [""] * len(addresses)
        with tempfile.NamedTemporaryFile(suffix=".co") as f:
            f.write(self.co.elf)
            f.flush()
            p = subprocess.run([tool, "--obj=" + f.name, "--inlines", "--functions=none"] + [hex(a) for a in addresses],
                               capture_output=True, text=True)
        out = []
        for frames in p.stdout.split("\n\n"):
            places = [line.rsplit(":", 1)[0] for line in frames.split("\n") if line]
            out.append(", in ".join(x for x in places if not x.startswith("??") and not x.endswith(":0")))
        return out + [""] * len(addresses)

    def launch(self, name, grid, block, args=(), shared=0, trace=None, poison=True, limit=20_000_000_000,
               slice_=4096, resident=1, count_ops=False, count=False, check=None):
        """Run one kernel to its end and return Stats.

        grid, block  up to three ints each; grid counts workgroups
        args         explicit arguments in order: Buffer, int, float, bytes or ctypes value
        shared       dynamic LDS bytes
        trace        a file: a line for each instruction, its wave and address
        poison       fill registers and LDS that hardware leaves undefined with a pattern
        limit        give up after this many wave-instructions
        slice_       instructions a wave runs before the next wave gets a turn
        resident     workgroups run at the same time (more than 1 for kernels that wait on another workgroup)
        count_ops    stats.ops: how often each instruction ran, by mnemonic
        count        stats.counts: a counters.Counts of what the launch asks of each resource
        check        look for what hardware does not forgive, and raise Fault; else as AMDRUN_CHECK says, which is 1
        """
        grid = (tuple([grid] if isinstance(grid, int) else grid) + (1, 1))[:3]
        block = (tuple([block] if isinstance(block, int) else block) + (1, 1))[:3]
        meta = self.co.kernels[name]
        kva, kd = self.co.descriptor(name)
        target = self.co.target
        wave = meta[".wavefront_size"]
        if wave != (64 if target.startswith("gfx9") else 32):
            raise Unsupported("waves of %d on %s" % (wave, target))
        stats = Stats()
        t = time.perf_counter()
        lib, _fn = _library(wave)
        entry = kva + kd.entry
        lds = meta[".group_segment_fixed_size"] + shared
        priv = (meta[".private_segment_fixed_size"] + 15) // 16 * 16
        if meta.get(".uses_dynamic_stack"):
            priv += 32768                          # a guess: nothing says what calls will need

        # kernel arguments
        ka = bytearray(max(meta[".kernarg_segment_size"], 16))
        explicit = list(args)
        hv = {"hidden_grid_dims": max(1, sum(g * b > 1 for g, b in zip(grid, block))),
              "hidden_dynamic_lds_size": shared,
              "hidden_private_base": translate.PRIVATE_HI, "hidden_shared_base": translate.SHARED_HI}
        for i, x in enumerate("xyz"):
            hv["hidden_block_count_" + x], hv["hidden_group_size_" + x] = grid[i], block[i]
        hb = None
        for a in meta.get(".args", []):
            kind, off, size = a[".value_kind"], a[".offset"], a[".size"]
            if kind.startswith("hidden_"):
                if kind == "hidden_queue_ptr":
                    hb = hb or Buffer(bytes(65536))
                v = hb.addr if kind == "hidden_queue_ptr" else hv.get(kind, 0)
            else:
                if not explicit:
                    raise TypeError("too few arguments for " + name)
                v = explicit.pop(0)
            e = _encode(v, size)
            if len(e) != size:
                raise TypeError("argument %s of %s needs %d bytes, has %d" % (a.get(".name"), name, size, len(e)))
            ka[off:off + size] = e
        if explicit:
            raise TypeError("too many arguments for " + name)
        kargs = Buffer(bytes(ka))
        pkt = Buffer(struct.pack("<HHHHHHIIIIIQQQQ", 0x1502, 3, *block, 0, *[g * b for g, b in zip(grid, block)],
                                 priv, lds, self.image.addr + kva, kargs.addr, 0, 0))
        # user SGPRs, in the descriptor's order
        p, queue, fixed = kd.props, None, []
        if p & 1:
            fixed += [0, 0, 0, 0]                  # scratch is addressed without its descriptor
        if p >> 1 & 1:
            fixed += [pkt.addr & M32, pkt.addr >> 32]
        if p >> 2 & 1:
            queue = Buffer(bytes(4096))
            fixed += [queue.addr & M32, queue.addr >> 32]
        if p >> 3 & 1:
            fixed += [kargs.addr & M32, kargs.addr >> 32]
        if p >> 4 & 1:
            fixed += [0, 0]
        if p >> 5 & 1:
            fixed += [0, 0]
        if p >> 6 & 1:
            fixed += [priv]
        npre = kd.preload & 0x7f
        if npre:
            o = (kd.preload >> 7) * 4
            fixed += list(struct.unpack("<%dI" % npre, bytes(ka[o:o + 4 * npre]).ljust(4 * npre, b"\0")))
            entry += 256

        table, done = self._translate(entry, wave, bool(count))
        stats.compile_s = time.perf_counter() - t
        for _buf, base, out, _first in done.values():    # counters of this launch only
            lib.amdrun_clear(ctypes.c_void_p(base), ctypes.c_uint64(len(out)))
        l = _Launch()
        l.grid[:], l.block[:] = grid, block
        l.lds, l.nfixed, l.nuser, l.rsrc2 = lds, len(fixed), max(kd.rsrc2 >> 1 & 31, len(fixed)), kd.rsrc2
        l.apart = target in IDS_APART
        l.rdna4, l.cdna = target.startswith("gfx12"), target.startswith("gfx9")
        l.resident, l.priv, l.poison, l.slice, l.limit = resident, priv, bool(poison), slice_, limit
        l.fixed[:len(fixed)] = [x & M32 for x in fixed]
        l.textbase, l.textwords, l.map = self.image.addr, len(table), ctypes.addressof(table)
        l.entry = self.image.addr + entry
        if check is None:
            check = os.environ.get("AMDRUN_CHECK", "1") != "0"
        l.check = 3 if check else 0                # and print nothing
        if trace is not None:
            trace.flush()
            l.trace = trace.fileno() + 1
        t = time.perf_counter()
        while True:
            rc = lib.amdrun_launch(ctypes.byref(l), name.encode())
            if rc != 2:
                break
            self._translate(l.need - self.image.addr, wave, bool(count))
        stats.run_s = time.perf_counter() - t
        if rc == 1:
            raise Deadlock("%s: more than %d wave-instructions" % (name, limit))
        if rc == 3:
            raise Unsupported("%s ran into what is no instruction" % name)
        if l.nfault:
            raise Fault([self._finding(lib, name, l, k, done) for k in range(l.nfault)])
        del queue, hb, pkt, kargs
        stats.waves = l.waves
        executed = []
        for _buf, base, out, first in done.values():
            stats.instructions += lib.amdrun_total(ctypes.c_void_p(base), first, ctypes.c_uint64(len(out)))
            if not (count or count_ops):
                continue
            raw = ctypes.string_at(base, len(out) * translate.OP.size)
            for k, o in enumerate(out):
                n, = struct.unpack_from("<Q", raw, k * translate.OP.size + 16)
                if n and o.first:
                    if count_ops:
                        stats.ops[o.name.upper()] = stats.ops.get(o.name.upper(), 0) + n
                    if count:
                        executed.append((o, n, struct.unpack_from("<4Q", raw, k * translate.OP.size + 72)))
        stats.lane_instructions = stats.instructions * wave
        if count:
            import counters
            stats.counts = counters.Counts(target, wave, executed, stats.waves, grid[0] * grid[1] * grid[2], meta, lds)
        return stats


def set_mfma_f64_fused(on):
    """False: round products of f64 matrix instructions before they are added, to compare with what does so."""
    ctypes.c_int.in_dll(_library(64)[0], "mfma_f64_fused").value = bool(on)
