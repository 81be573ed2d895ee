# SPDX-License-Identifier: MIT
"""llvm-objdump's text of a code object to the executor's operation records (struct Op of core.c)."""
import ctypes
import os
import re
import shutil
import struct
import subprocess
import tempfile

import ops

M32, M64 = 0xffffffff, (1 << 64) - 1
KV, KS, KC, KVM = 0, 1, 2, 3
TMP, NULLREG, EXEC, VCC, M0 = 512, 130, 126, 106, 124
OP = struct.Struct("<QQQ3QQQQ4Q3I3III3HHHHHH3B3BBBBBBB3Bx2Q6H6BBBBB4B6x")
SHARED_HI, PRIVATE_HI = 0x00010000, 0x00020000      # as in core.c


class Unsupported(RuntimeError):
    pass


def objdump():
    names = ["llvm-objdump-%d" % v for v in range(22, 13, -1)]
    names += ["llvm-objdump", os.path.join(os.environ.get("ROCM_PATH", "/opt/rocm"), "llvm/bin/llvm-objdump")]
    for name in [os.environ.get("AMDRUN_OBJDUMP")] + names:
        if name and shutil.which(name):
            yield name


def disassemble(elf, target):
    """Function name -> (address, lines' text)."""
    with tempfile.NamedTemporaryFile(suffix=".co") as f:
        f.write(elf)
        f.flush()
        why = "no llvm-objdump found (AMDRUN_OBJDUMP)"
        for tool in objdump():
            p = subprocess.run([tool, "-d", "--mcpu=" + target, f.name], capture_output=True, text=True)
            if p.returncode == 0 and "not a recognized processor" not in p.stderr and "\ts_endpgm" in p.stdout:
                break
            why = "%s: %s" % (tool, p.stderr.strip()[:300] or "no code in its output")
        else:
            raise Unsupported("cannot disassemble %s: %s" % (target, why))
    out, marks = {}, list(re.finditer(r"^([0-9a-f]{8,16}) <([^\n]*)>:\n", p.stdout, re.M))
    for m, n in zip(marks, marks[1:] + [None]):
        out[m.group(2)] = (int(m.group(1), 16), p.stdout[m.end():n.start() if n else len(p.stdout)])
    return out


# ------------------------------------------------------------------------------------------------ names

ALIAS = {
    "v_add_nc_u32": "v_add_u32", "v_sub_nc_u32": "v_sub_u32", "v_subrev_nc_u32": "v_subrev_u32",
    "v_add_nc_i32": "v_add_i32",
    "v_add_co_ci_u32": "v_addc_co_u32", "v_sub_co_ci_u32": "v_subb_co_u32", "v_subrev_co_ci_u32": "v_subbrev_co_u32",
    "v_add_nc_u16": "v_add_u16", "v_sub_nc_u16": "v_sub_u16", "v_mad_co_u64_u32": "v_mad_u64_u32",
    "v_mad_co_i64_i32": "v_mad_i64_i32", "v_clz_i32_u32": "v_ffbh_u32", "v_ctz_i32_b32": "v_ffbl_b32",
    "v_cls_i32": "v_ffbh_i32",
    "v_accvgpr_read_b32": "v_mov_b32", "v_accvgpr_write_b32": "v_mov_b32", "v_accvgpr_mov_b32": "v_mov_b32",
    "v_accvgpr_read": "v_mov_b32", "v_accvgpr_write": "v_mov_b32",
    "v_fmamk_f32": "v_fma_f32", "v_fmaak_f32": "v_fma_f32", "v_madmk_f32": "v_mad_f32", "v_madak_f32": "v_mad_f32",
    "v_lshlrev_b64_e32": "v_lshlrev_b64", "v_mad_mix_f32": "v_fma_mix_f32",
    "s_clz_i32_u32": "s_flbit_i32_b32", "s_clz_i32_u64": "s_flbit_i32_b64", "s_ctz_i32_b32": "s_ff1_i32_b32",
    "s_ctz_i32_b64": "s_ff1_i32_b64", "s_cls_i32": "s_flbit_i32", "s_cls_i32_i64": "s_flbit_i32_i64",
    "s_add_co_i32": "s_add_i32", "s_sub_co_i32": "s_sub_i32", "s_add_co_u32": "s_add_u32", "s_sub_co_u32": "s_sub_u32",
    "s_add_co_ci_u32": "s_addc_u32", "s_sub_co_ci_u32": "s_subb_u32", "s_add_nc_u64": "s_add_u64",
    "s_sub_nc_u64": "s_sub_u64",
    "s_barrier_wait": "s_barrier",
}
ACC = {"v_fmac_f32": "v_fma_f32", "v_fmac_f64": "v_fma_f64", "v_mac_f32": "v_mad_f32", "v_fmac_f16": "v_fma_f16",
       "v_dot4c_i32_i8": "v_dot4_i32_i8"}
NOP = ("s_nop", "s_waitcnt", "s_wait_", "s_delay_alu", "s_clause", "s_sleep", "s_setprio", "s_inst_prefetch",
       "s_set_inst_prefetch", "buffer_wbl2", "buffer_inv", "buffer_wbinvl1", "buffer_gl0_inv", "buffer_gl1_inv",
       "global_inv", "global_wb", "s_dcache_",
       "s_gl1_inv", "s_icache_inv", "s_sendmsg", "s_barrier_signal", "s_ttracedata")
MEMSIZE = {"b32": "dword", "b64": "dwordx2", "b96": "dwordx3", "b128": "dwordx4", "u8": "ubyte", "i8": "sbyte",
           "u16": "ushort", "i16": "sshort", "b8": "byte", "b16": "short", "d16_b16": "short_d16",
           "d16_hi_b16": "short_d16_hi", "d16_u8": "ubyte_d16",
           "d16_hi_u8": "ubyte_d16_hi", "d16_i8": "sbyte_d16", "d16_hi_i8": "sbyte_d16_hi", "d16_hi_b8": "byte_d16_hi"}
BYTES = {"dword": 4, "dwordx2": 8, "dwordx3": 12, "dwordx4": 16, "ubyte": 1, "sbyte": 1, "byte": 1, "ushort": 2,
         "sshort": 2, "short": 2}
ATOMIC = {"add_u32": "add", "add_u64": "add_x2", "sub_u32": "sub", "sub_u64": "sub_x2", "min_i32": "smin",
          "min_u32": "umin", "max_i32": "smax", "max_u32": "umax", "min_i64": "smin_x2",
          "min_u64": "umin_x2", "max_i64": "smax_x2",
          "max_u64": "umax_x2", "and_b32": "and", "or_b32": "or", "xor_b32": "xor", "and_b64": "and_x2",
          "or_b64": "or_x2", "xor_b64": "xor_x2", "swap_b32": "swap", "swap_b64": "swap_x2",
          "cmpswap_b32": "cmpswap", "cmpswap_b64": "cmpswap_x2",
          "inc_u32": "inc", "dec_u32": "dec", "inc_u64": "inc_x2", "dec_u64": "dec_x2", "min_num_f32": "min_f32",
          "max_num_f32": "max_f32", "wrxchg_b32": "swap", "wrxchg_b64": "swap_x2", "storexchg_b32": "swap",
          "storexchg_b64": "swap_x2"}
# results of 16 bits that leave the other half alone on gfx9 too
KEEPS = {"v_fma_f16", "v_mad_u16", "v_mad_i16", "v_fma_mixlo_f16", "v_fma_mixhi_f16"}

SPECIAL = {"vcc": VCC, "vcc_lo": VCC, "vcc_hi": VCC + 1, "exec": EXEC, "exec_lo": EXEC, "exec_hi": EXEC + 1, "m0": M0,
           "null": NULLREG, "flat_scratch": 102, "flat_scratch_lo": 102, "flat_scratch_hi": 103, "xnack_mask": 104,
           "xnack_mask_lo": 104, "xnack_mask_hi": 105}
REG = re.compile(r"([vsa]|ttmp)(?:(\d+)|\[(\d+)(?::(\d+))?\])(\.[lh])?$")
FLOAT = re.compile(r"-?\d+\.\d+(e[-+]?\d+)?$")
WIDTH = {"U": 2, "I": 2, "d": 2, "P": 2}
SIGN = {"f": 0x80000000, "d": 0x80000000, "h": 0x8000}


# What check.c looks at, its C_ values, and the counters that hardware keeps of accesses under way.
SREG = 512
(C_NONE, C_WAIT, C_SIGNAL, C_BARRIER, C_EVENT, C_LANES, C_SMEM, C_DSLOAD, C_DSSTORE, C_DSATOMIC, C_LOAD, C_STORE,
 C_ATOMIC, C_BRANCH) = range(14)
COUNT_LOAD, COUNT_DS, COUNT_STORE, COUNT_SCALAR = 0, 1, 2, 3       # vmcnt or loadcnt; lgkmcnt or dscnt; and so on
COUNTERS = {"vm": COUNT_LOAD, "lgkm": COUNT_DS, "vs": COUNT_STORE, "load": COUNT_LOAD, "ds": COUNT_DS,
            "store": COUNT_STORE, "km": COUNT_SCALAR}


class Operand:
    __slots__ = ("kind", "reg", "n", "text", "neg", "abs", "sext", "half")


_operands = {}


def operand(t):
    x = _operands.get(t)
    if x is not None:
        return x
    x = _operands[t] = Operand()
    s = t
    x.neg = x.abs = x.sext = x.half = False
    if s.startswith("sext("):
        x.sext, s = True, s[5:-1]
    if s.startswith("neg("):
        x.neg, s = True, s[4:-1]
    if s.startswith(("lit(", "lit64(")):         # LLVM 22
        s = s[s.index("(") + 1:-1]
    if s[0] == "-" and not s[1].isdigit():
        x.neg, s = True, s[1:]
    if s[0] == "|":
        x.abs, s = True, s[1:-1]
    if s.startswith("abs("):
        x.abs, s = True, s[4:-1]
    m = REG.match(s)
    x.text, x.n = s, 1
    if m:
        k, one, first, last, half = m.groups()
        x.n = int(last) - int(first) + 1 if last else 1
        n = int(one if one is not None else first)
        x.half = half == ".h"
        if k in "va":
            x.kind, x.reg = KV, n + (256 if k == "a" else 0)
        else:
            x.kind, x.reg = KS, n + (108 if k == "ttmp" else 0)
    elif s in SPECIAL:
        x.kind, x.reg, x.n = KS, SPECIAL[s], 2 if s in ("vcc", "exec", "flat_scratch", "xnack_mask") else 1
    else:
        x.kind, x.reg = KC, 0
    return x


def constant(s, letter):
    if s in ("src_shared_base", "src_private_base"):
        if letter not in "UI":
            raise Unsupported(s + " as 32 bits")
        return (SHARED_HI if s == "src_shared_base" else PRIVATE_HI) << 32
    if FLOAT.match(s):
        v = float(s)
        if letter in "UId":
            return struct.unpack("<Q", struct.pack("<d", v))[0]
        if letter in "wshp":
            return struct.unpack("<H", struct.pack("<e", v))[0]
        return struct.unpack("<I", struct.pack("<f", v))[0]
    try:
        v = int(s, 0)
    except ValueError:
        raise Unsupported("operand " + s) from None
    if "0x" in s:
        if letter == "d" and 0 <= v <= M32:
            return v << 32
        if letter == "I" and v <= M32:
            return ((v ^ 1 << 31) - (1 << 31)) & M64
        return v & (0xffff if letter in "wsh" else M64 if letter in "UId" else M32)
    return v & (0xffff if letter in "wsh" else M64 if letter in "UIdP" else M32)


class O:
    """One operation, before it is packed."""
    __slots__ = ("fn", "fn2", "c", "imm", "imm2", "target", "am", "xm", "keep", "addr", "s", "d", "d2", "m", "x0", "x1",
                 "k", "sh", "dsh", "f0", "f1", "f2", "cls", "width", "pf", "name", "text", "first", "info", "uses",
                 "check", "counters", "unordered", "limits")

    def __init__(self, fn, addr, name, text):
        self.fn, self.fn2, self.addr, self.name, self.text = fn, None, addr, name, text
        self.c, self.imm, self.imm2, self.target = [0, 0, 0], 0, 0, None
        self.am, self.xm, self.keep = [M32] * 3, [0] * 3, 0
        self.s, self.d, self.d2, self.m, self.x0, self.x1 = [0, 0, 0], 0, NULLREG, 0, 0, 0
        self.k, self.sh = [0, 0, 0], [0, 0, 0]
        self.dsh = self.f0 = self.f1 = self.f2 = self.cls = self.width = 0
        self.first, self.info, self.pf = True, None, [0, 0, 0]
        self.uses, self.check, self.counters, self.unordered, self.limits = [], C_NONE, 0, False, [255] * 4

    def pack(self, fns, base):
        first, length = ([x[k] for x in self.uses] + [0] * (6 - len(self.uses)) for k in (0, 1))
        return OP.pack(fns(self.fn), fns(self.fn2) if self.fn2 else 0, 0, *self.c, self.imm & M64, self.imm2 & M64,
                       base + OP.size * self.target if self.target is not None else 0, 0, 0, 0, 0, *self.am, *self.xm,
                       self.keep, self.addr & M32, *self.s, self.d, self.d2, self.m, self.x0, self.x1, *self.k,
                       *self.sh, self.dsh, self.f0, self.f1, self.f2, self.cls, self.width, *self.pf,
                       *self.signature(), *first, *length, len(self.uses), self.check, self.counters, self.unordered,
                       *self.limits)

    def signature(self):
        """The registers it names as bits of a hash; check.c's bit_of()."""
        vector = scalar = 0
        for first, n in self.uses:
            for r in range(first, first + n):
                if r < SREG:
                    vector |= 1 << (r >> 2 & 63)
                else:
                    scalar |= 1 << (r >> 1 & 63)
        return vector, scalar

def bits(mods, name, n, default):
    v = mods.get(name)
    if v is None:
        return [default] * n
    b = [int(x) for x in v.strip("[]").split(",")]
    return b + [default] * (n - len(b))


def src(o, k, t, letter):
    x = operand(t) if isinstance(t, str) else t
    if x.kind == KC:
        o.k[k], o.c[k] = KC, constant(x.text, letter)
    else:
        o.k[k], o.s[k] = x.kind, x.reg
        if x.kind == KS and x.reg == NULLREG:
            o.k[k], o.c[k] = KC, 0
    if x.neg or x.abs:
        if letter not in SIGN:
            raise Unsupported("%s: sign modifier of an integer" % o.name)
        if x.abs:
            o.am[k] = M32 & ~SIGN[letter]
        if x.neg:
            o.xm[k] = SIGN[letter]
    if x.half:
        o.sh[k] = 16
    if o.k[k] == KV and (x.neg or x.abs or x.half):
        o.k[k] = KVM
    return x


def vreg(t, what):
    x = operand(t)
    if x.kind != KV:
        raise Unsupported("%s: %s is no vector register" % (what, t))
    return x.reg


def sreg(t, what):
    x = operand(t)
    if x.kind != KS:
        raise Unsupported("%s: %s is no scalar register" % (what, t))
    return x.reg


_tables = []


class Translator:
    def __init__(self, target, wave):
        self.target, self.wave = target, wave
        self.gfx9 = target.startswith("gfx9")
        self.gen = 9 if self.gfx9 else int(target[3:5])
        self.dpp_cache = {}
        self.relative = 0                          # operands that s_set_gpr_idx_on makes relative: 1 source, 8 result

    def function(self, start, text, count):
        """Returns the list of operations; their .target is an index."""
        out, at, jumps = [], {}, []
        for line in text.splitlines():
            if not line.startswith("\t"):
                continue
            body, _, note = line.partition("//")
            body = body.strip()
            if not body or body == "...":
                continue
            addr, _, words = note.strip().partition(":")
            addr = int(addr, 16)
            words = [int(w, 16) for w in words.split("<")[0].split()]
            at[addr] = len(out)
            try:
                new = self.instruction(body, addr, words)
            except Unsupported:
                raise
            except (KeyError, ValueError, IndexError, TypeError) as e:
                raise Unsupported("%s: cannot read it (%s: %s)" % (body, type(e).__name__, e)) from e
            if count:
                for o in new:
                    self.wrap(o)
            for o in new:
                if isinstance(o.target, tuple):
                    jumps.append((o, o.target[0]))
            out += new
        out.append(O("end_of_code", start, "end_of_code", ""))
        out[-1].first = False
        for o, a in jumps:
            if a not in at:
                raise Unsupported("%s: jumps out of its function" % o.text)
            o.target = at[a]
        return out, at

    def wrap(self, o):
        """Put the counting form of a memory operation around it."""
        if o.info and o.fn2 is None:
            o.fn2, o.fn = o.fn, "count_" + o.info

    # ---- one instruction
    def instruction(self, body, addr, words):
        name, _, rest = body.partition(" ")
        rest = rest.strip()
        if name in ("s_code_end", "v_illegal"):
            o = O("end_of_code", addr, name, body)
            o.first = False
            return [o]
        if name.startswith(NOP):
            return [self.no_operation(name, rest, addr, body)]
        if " :: " in rest:
            return self.dual(body, addr)
        args, mods = [], {}
        if rest:
            parts = rest.split(", ")
            last = parts[-1].split()
            for x in last[1:]:
                k, _, v = x.partition(":")
                mods[k] = v or "1"
            args = parts[:-1] + last[:1]
        base = name
        form = ""
        for suffix in ("_e64_dpp", "_e64_sdwa", "_e32", "_e64", "_dpp", "_sdwa"):
            if base.endswith(suffix):
                base, form = base[:-len(suffix)], suffix
                break
        base = ALIAS.get(base, base)
        if base.startswith("s_"):
            o = self.scalar(base, args, mods, addr, name, body, words)
        elif base.startswith("v_s_"):
            o = self.salu(base, args, addr, name, body)
        elif base.startswith("v_"):
            o = self.vector(base, form, args, mods, addr, name, body, words)
        elif base.startswith("ds_"):
            o = self.ds(base, args, mods, addr, name, body, words)
        elif base.startswith(("global_", "flat_", "scratch_")):
            o = self.memory(base, args, mods, addr, name, body)
        elif base.startswith("buffer_"):
            o = self.mubuf(base, args, mods, addr, name, body)
        else:
            raise Unsupported(name)
        for x in map(operand, args):
            if x.kind == KV or x.kind == KS and x.reg < EXEC:
                o.uses.append((x.reg + (SREG if x.kind == KS else 0), x.n))
        return [o]

    def no_operation(self, name, rest, addr, body):
        """What has no effect on values; check.c looks at waits."""
        o = O("nop", addr, name, body)
        if name == "s_waitcnt":
            for part in rest.replace("&", " ").split():
                m = re.match(r"(\w+)cnt\((\d+)\)$", part)
                if not m:
                    raise Unsupported(body)
                if m[1] != "exp":
                    o.limits[COUNTERS[m[1]]] = int(m[2])
            o.check = C_WAIT
        elif name == "s_wait_idle":
            o.limits, o.check = [0] * 4, C_WAIT
        elif name.startswith("s_wait") and "cnt" in name and name != "s_waitcnt_depctr":
            # s_waitcnt_vscnt null, 0x0; s_wait_loadcnt 0x0; s_wait_loadcnt_dscnt 0x0, the last one in the low bits
            counters = [x for x in re.findall(r"([a-z]+)cnt", name[6:]) if x]
            value = int(rest.split()[-1], 0)
            for counter in reversed(counters):
                if counter in COUNTERS:
                    o.limits[COUNTERS[counter]], o.check = value & 0x3f, C_WAIT
                value >>= 8
        elif name == "s_barrier_signal":
            if rest != "-1":
                raise Unsupported(body)
            o.check = C_SIGNAL
        elif name.startswith("s_barrier_signal"):
            raise Unsupported(name)
        elif self.gen >= 12 and name.startswith(("global_inv", "global_wb")):
            o.check, o.counters = C_EVENT, 1 << (COUNT_LOAD if name == "global_inv" else COUNT_STORE)
        return o

    def dual(self, body, addr):
        a, b = body.split(" :: ")
        first = self.instruction(a.replace("v_dual_", "v_", 1), addr, [])[0]
        second = self.instruction(b.replace("v_dual_", "v_", 1), addr, [])[0]
        first.name, first.text, second.first = a.split()[0], body, False
        reads = {second.s[i] for i in range(3) if second.k[i] in (KV, KVM)}
        if first.d not in reads:
            return [first, second]
        move = O("v_mov_b32", addr, "dual", "")
        move.first = False
        move.d, move.s[0] = first.d, TMP + 4
        if any(first.k[i] in (KV, KVM) and first.s[i] == first.d for i in range(3)) and "v_dual_fmac" in a:
            pass                                   # its own accumulator is read from the real register
        first.d = TMP + 4
        return [first, second, move]

    def scalar(self, base, args, mods, addr, name, body, words):
        if base in ("s_branch",) or base.startswith("s_cbranch_"):
            if base not in ("s_branch", "s_cbranch_scc0", "s_cbranch_scc1", "s_cbranch_vccz", "s_cbranch_vccnz",
                            "s_cbranch_execz", "s_cbranch_execnz"):
                raise Unsupported(name)
            o = O(base, addr, name, body)
            d = words[0] & 0xffff
            o.target = (addr + 4 + 4 * (d - (d & 0x8000) * 2),)
            if base != "s_branch":
                o.check = C_BRANCH
            return o
        if base in ("s_barrier", "s_endpgm"):
            o = O(base, addr, name, body)
            if base == "s_barrier":
                o.check = C_BARRIER
            return o
        if base == "s_endpgm_saved":
            raise Unsupported(name)
        if base == "s_getpc_b64":
            o = O(base, addr, name, body)
            o.d = sreg(args[0], name)
            return o
        if base in ("s_set_gpr_idx_on", "s_set_gpr_idx_idx"):
            o = O(base, addr, name, body)
            src(o, 0, args[0], "u")
            if base.endswith("_on"):
                modes = re.search(r"gpr_idx\(([A-Z0-9,]*)\)", body)[1].split(",")
                self.relative = o.f0 = sum({"SRC0": 1, "DST": 8}[x] for x in modes if x)
            return o
        if base == "s_set_gpr_idx_off":
            self.relative = 0
            return O("nop", addr, name, body)
        if base == "s_setreg_b32" and "HW_REG_FLAT_SCR" in body or base == "s_setreg_imm32_b32" and re.search(
                r"HW_REG_(WAVE_)?MODE, 4, [24]\)", body):       # scratch is found without; denormals are kept anyhow
            return O("nop", addr, name, body)
        if base == "s_getreg_b32" and "HW_REG_SH_MEM_BASES" in body:    # where generic pointers point
            m = re.search(r"HW_REG_SH_MEM_BASES, (\d+), (\d+)\)", body)
            o = O("s_mov_b32", addr, name, body)
            o.d, o.k[0] = sreg(args[0], name), KC
            o.c[0] = (SHARED_HI | PRIVATE_HI >> 16) >> int(m[1]) & (1 << int(m[2])) - 1
            return o
        if base in ("s_setpc_b64", "s_swappc_b64"):
            o = O(base, addr, name, body)
            o.check = C_BRANCH
            if base == "s_swappc_b64":
                o.d = sreg(args[0], name)
            src(o, 0, args[-1], "U")
            return o
        m = re.match(r"s_load_(?:dword(?:x(\d+))?|b(\d+)|[ui](?:8|16))$", base)
        if m:
            part = re.match(r"s_load_([ui](?:8|16))$", base)
            o = O("s_load_" + part[1] if part else "s_load", addr, name, body)
            o.check, o.unordered = C_SMEM, True
            o.counters = 1 << (COUNT_SCALAR if self.gen >= 12 else COUNT_DS)
            o.width = int(m.group(2)) // 32 if m.group(2) else int(m.group(1) or 1)
            o.d, o.s[0] = sreg(args[0], name), sreg(args[1], name)
            off = operand(args[2])
            if off.kind == KC:
                v = int(off.text, 0)
                o.imm, o.k[1] = v, KC
            elif off.reg != NULLREG:
                o.k[1], o.s[1] = KS, off.reg
            if "offset" in mods:
                o.imm += int(mods["offset"], 0)
            return o
        return self.salu(base, args, addr, name, body)

    def salu(self, base, args, addr, name, body):
        base = re.sub(r"_(and|or)_not1", r"_\1n2", base)
        base = re.sub(r"^s_(and|or)_not1_", r"s_\1n2_", base)
        base = re.sub(r"^s_(and|or)_not0_", r"s_\1n1_", base)
        if base in ("s_movk_i32", "s_addk_i32", "s_mulk_i32", "s_addk_co_i32") or base.startswith("s_cmpk_"):
            k = int(args[1], 0) & 0xffff
            if not (base.startswith("s_cmpk_") and base.endswith("u32")):
                k = ((k ^ 0x8000) - 0x8000) & M32
            new = {"s_movk_i32": "s_mov_b32", "s_addk_i32": "s_add_i32", "s_addk_co_i32": "s_add_i32",
                   "s_mulk_i32": "s_mul_i32"}.get(
                base, base.replace("cmpk", "cmp"))
            o = O(new, addr, name, body)
            r = sreg(args[0], name)
            if new == "s_mov_b32":
                o.d, o.k[0], o.c[0] = r, KC, k
            else:
                o.d, o.k[0], o.s[0], o.k[1], o.c[1] = r, KS, r, KC, k
            return o
        if base in ("s_bitset0_b32", "s_bitset1_b32", "s_bitset0_b64", "s_bitset1_b64", "s_fmac_f32", "s_fmac_f16"):
            args = args + [args[0]]
        if base in ("s_cmov_b32", "s_cmov_b64"):
            args = args + [args[0]]
        sig = ops.SSIG.get(base)
        if sig is None:
            raise Unsupported(name)
        o = O(base, addr, name, body)
        dst, letters = sig
        n = 0
        if dst:
            o.d = sreg(args[0], name)
            n = 1
        if len(args) != n + len(letters):
            raise Unsupported("%s: %d operands" % (body, len(args)))
        for k, letter in enumerate(letters):
            x = src(o, k, args[n + k], letter)
            if x.kind == KV or x.kind == KC and x.text in ("scc", "src_scc"):
                raise Unsupported(body)
        return o

    def vector(self, base, form, args, mods, addr, name, body, words):
        if base.startswith(("v_mfma_", "v_wmma_", "v_smfmac_", "v_swmmac")):
            return self.matrix(base, args, mods, addr, name, body)
        if base in ("v_readfirstlane_b32", "v_readlane_b32"):
            o = O(base, addr, name, body)
            o.d = sreg(args[0], name)
            src(o, 0, args[1], "u")
            if base == "v_readlane_b32":
                src(o, 1, args[2], "u")
                if o.k[1] == KV:
                    raise Unsupported(body)
            return o
        if base == "v_writelane_b32":
            o = O(base, addr, name, body)
            o.d = vreg(args[0], name)
            src(o, 0, args[1], "u")
            src(o, 1, args[2], "u")
            return o
        if self.relative or base in ("v_movrels_b32", "v_movreld_b32", "v_movrelsd_b32"):
            o = O("movrel", addr, name, body)
            o.f0 = self.relative or {"s_b32": 1, "d_b32": 8, "sd_b32": 9}[base[8:]]
            o.d = vreg(args[0], name)
            src(o, 0, args[1], "u")
            if self.relative and base != "v_mov_b32" or form not in ("", "_e32", "_e64") or o.k[0] == KVM:
                raise Unsupported(body)
            return o
        if base in ("v_swap_b32", "v_permlane64_b32"):
            o = O(base, addr, name, body)
            o.d = vreg(args[0], name)
            src(o, 0, args[1], "u")
            return o
        if base in ("v_permlane16_b32", "v_permlanex16_b32"):
            o = O(base, addr, name, body)
            o.d = vreg(args[0], name)
            for k in range(3):
                src(o, k, args[1 + k], "u")
            sel = bits(mods, "op_sel", 2, 0)
            o.f0 = sel[0] | sel[1] << 1
            return o
        if base == "v_nop":
            return O("nop", addr, name, body)
        if base.startswith("v_pk_"):
            return self.packed(base, args, mods, addr, name, body)
        cmpx = base.startswith("v_cmpx_")
        if cmpx:
            base = "v_cmp_" + base[7:]
            if self.gfx9:
                raise Unsupported(name)
        if base == "v_dot4_i32_iu8" and bits(mods, "neg_lo", 3, 0) == [1, 1, 0]:  # of signed bytes
            base = "v_dot4_i32_i8"
            del mods["neg_lo"]
        acc = base in ACC
        base = ACC.get(base, base)
        base = base.replace("_num_f", "_f")
        if "clamp" in mods and base in ("v_add_u32", "v_sub_u32", "v_subrev_u32"):
            base += "_clamp"
            del mods["clamp"]
        sig = ops.SIG.get(base)
        if sig is None:
            raise Unsupported(name)
        o = O(base, addr, name, body)
        if base == "v_bitop3_b32":
            o.imm = int(mods.pop("bitop3", "0"), 0)
        dsts, letters = sig
        n = 0
        out = dsts[0] if dsts and dsts[0] != "M" else None
        halfdst = False
        for d in dsts:
            if d == "M":
                if cmpx:
                    o.d2 = EXEC
                    continue
                o.d2 = sreg(args[n], name)
            else:
                x = operand(args[n])
                o.d, halfdst = vreg(args[n], name), x.half
            n += 1
        rest = args[n:]
        if acc:
            rest = rest + [args[0]]
        if base.startswith("v_div_fmas"):
            rest = rest + ["vcc"]
        if base == "v_cndmask_b32" and len(rest) == 2:      # dual issue: the mask is vcc
            rest = rest + ["vcc"]
        if len(rest) != len(letters):
            raise Unsupported("%s: %d operands, not %d" % (body, len(rest), len(letters)))
        mix = base.startswith("v_fma_mix")
        sel = bits(mods, "op_sel", 4, 0)
        selhi = bits(mods, "op_sel_hi", 3, 0)
        neg_lo, neg_hi = bits(mods, "neg_lo", 3, 0), bits(mods, "neg_hi", 3, 0)
        xs = []
        for k, letter in enumerate(letters):
            if letter == "m":
                x = operand(rest[k])
                if x.kind == KC:
                    v = constant(x.text, "U")
                    o.f1, o.imm2 = KC, v
                elif x.reg == NULLREG:
                    o.f1, o.imm2 = KC, 0
                else:
                    o.m = x.reg
                continue
            if mix:
                half = selhi[k]
                x = operand(rest[k])
                src(o, k, x, "h" if half and x.kind == KC else "f")
                if half:
                    if sel[k]:
                        o.sh[k] = 16
                    o.k[k] = (KVM if o.k[k] in (KV, KVM) else o.k[k]) | 8
                xs.append(x)
                continue
            x = src(o, k, rest[k], "f" if base == "v_cndmask_b32" else letter)
            xs.append(x)
            if sel[k] and letter in "wsh" and "op_sel" in mods:
                o.sh[k] = 16
                if o.k[k] == KV:
                    o.k[k] = KVM
        if out in ("w", "h"):
            o.keep = 0xffff0000 if not self.gfx9 or base in KEEPS else 0
            ndst = len([x for x in letters if x != "m"])
            if halfdst or (not mix and "op_sel" in mods and sel[ndst]) or base == "v_fma_mixhi_f16":
                o.keep, o.dsh = 0xffff, 16
        elif "op_sel" in mods and not mix and not any(x in "wsh" for x in letters):
            raise Unsupported(body)
        for x in mods:
            if x not in ("clamp", "mul", "div", "op_sel", "op_sel_hi", "neg_lo", "neg_hi", "row_mask", "bank_mask",
                         "bound_ctrl", "fi", "dst_sel", "dst_unused", "src0_sel", "src1_sel", "quad_perm",
                         "dpp8") and not x.startswith(("row_", "wave_")):
                raise Unsupported("%s: %s" % (body, x))
        if (neg_hi != [0] * 3 or neg_lo != [0] * 3):
            raise Unsupported(body)
        if "clamp" in mods or "mul" in mods or "div" in mods:
            kind = {"f": 1, "d": 2, "h": 3}.get(out, 3 if base.startswith("v_fma_mix") and out == "w" else None)
            if kind is None or form in ("_dpp", "_e64_dpp", "_sdwa"):
                raise Unsupported(body)
            omod = {"2": 1, "4": 2}.get(mods.get("mul"), 3 if "div" in mods else 0)
            o.fn2, o.fn, o.x0, o.f2 = o.fn, "outmod", kind, ("clamp" in mods) | omod << 1
        if form in ("_dpp", "_e64_dpp"):
            self.dpp(o, xs, letters, mods, words, body)
        elif form == "_sdwa":
            self.sdwa(o, xs, letters, mods, out, body)
        elif any(x.sext for x in xs):
            raise Unsupported(body)
        return o

    def dpp(self, o, xs, letters, mods, words, body):
        if xs[0].kind != KV or o.f1 == KC or o.sh[0]:
            raise Unsupported(body)
        wide = letters[0] in WIDTH
        w = words[-1]
        if "dpp8" in mods:
            sel = [int(x) for x in mods["dpp8"].strip("[]").split(",")]
            key = ("8", tuple(sel))
            table = [i & ~7 | sel[i & 7] for i in range(self.wave)]
            bc, fi, lanes = 1, mods.get("fi") == "1", M64
        else:
            ctrl, fi, bc = w >> 8 & 0x1ff, not self.gfx9 and w >> 18 & 1, w >> 19 & 1
            bank, row = w >> 24 & 15, w >> 28
            key = ctrl
            table = [self.dpp_source(ctrl, i) for i in range(self.wave)]
            lanes = sum(1 << i for i in range(64) if row >> (i >> 4) & 1 and bank >> (i >> 2 & 3) & 1)
        if key not in self.dpp_cache:
            b = ctypes.create_string_buffer(bytes(x & 0xff for x in table), 64)
            _tables.append(b)
            self.dpp_cache[key] = ctypes.addressof(b)
        o.fn2, o.fn = o.fn, "dpp"
        o.x0, o.s[0] = o.s[0], TMP
        o.imm, o.imm2 = lanes, self.dpp_cache[key]
        o.f0 = bool(bc) | bool(fi) << 1 | wide << 2

    def dpp_source(self, ctrl, i):
        n, row, j = ctrl & 15, i & ~15, i & 15
        kind = ctrl & 0x1f0
        if ctrl < 0x100:
            return i & ~3 | ctrl >> 2 * (i & 3) & 3
        if kind == 0x100:
            return i + n if j + n < 16 else -1
        if kind == 0x110:
            return i - n if j >= n else -1
        if kind == 0x120:
            return row | (j - n) & 15
        if kind == 0x150:
            return row | n
        if kind == 0x160 and not self.gfx9:
            return row | j ^ n
        if ctrl == 0x140:
            return row | 15 - j
        if ctrl == 0x141:
            return i ^ 7
        if self.gfx9:
            last = self.wave - 1
            simple = {0x130: i + 1 if i < last else -1, 0x134: (i + 1) & last, 0x138: i - 1, 0x13c: (i - 1) & last,
                      0x142: row - 1, 0x143: 31 if i >= 32 else -1}
            if ctrl in simple:
                return simple[ctrl]
        raise Unsupported("DPP control %#x" % ctrl)

    def sdwa(self, o, xs, letters, mods, out, body):
        sels = {"BYTE_0": 0, "BYTE_1": 1, "BYTE_2": 2, "BYTE_3": 3, "WORD_0": 4, "WORD_1": 5, "DWORD": 6}
        o.fn2, o.fn = o.fn, "sdwa"
        o.x0 = o.x1 = 0xffff
        n = len([x for x in letters if x != "m"])
        if n > 2 and o.s[2] != o.d or any(x in WIDTH for x in letters) or out in WIDTH or o.f1 == KC:
            raise Unsupported(body)
        for k in range(min(n, 2)):
            x, f = xs[k], sels[mods.get("src%d_sel" % k, "DWORD")] | (8 if xs[k].sext else 0)
            reg = x.reg | (0 if x.kind == KV else 0x8000 if x.kind == KS else 0xc000)
            if k == 0:
                o.x0, o.f0 = reg, f
            else:
                o.x1, o.f2 = reg, f
            o.k[k], o.s[k] = (KVM if x.neg or x.abs else KV), TMP + k
        if out:
            o.imm = o.d
            if n > 2:
                o.s[2] = TMP + 2
            o.d = TMP + 2
            if out in ("w", "h"):
                o.keep, o.dsh = 0, 0
            o.width = sels[mods.get("dst_sel", "DWORD")] | {"UNUSED_PAD": 0, "UNUSED_SEXT": 1, "UNUSED_PRESERVE": 2}[
                mods.get("dst_unused", "UNUSED_PAD")] << 4

    def packed(self, base, args, mods, addr, name, body):
        o = O(base, addr, name, body)
        o.d = vreg(args[0], name)
        if base == "v_pk_mov_b32":
            sel = bits(mods, "op_sel", 2, 0)
            for k in range(2):
                src(o, k, args[1 + k], "U")
                o.sh[k] = sel[k]
            return o
        base = base.replace("_num_f", "_f")
        o.fn = base
        sig = ops.SIG.get(base)
        if sig is None or "clamp" in mods:
            raise Unsupported(body)
        letters = sig[1]
        n = len(letters)
        if len(args) != n + 1:
            raise Unsupported(body)
        lo, hi = bits(mods, "op_sel", n, 0), bits(mods, "op_sel_hi", n, 1)
        nl, nh = bits(mods, "neg_lo", n, 0), bits(mods, "neg_hi", n, 0)
        for k, letter in enumerate(letters):
            x = src(o, k, args[1 + k], "P" if letter == "P" else "p")
            f = lo[k] | hi[k] << 1 | nl[k] << 2 | nh[k] << 3
            if letter == "P":
                if x.kind == KC and FLOAT.match(x.text) and (lo[k] or hi[k]):
                    raise Unsupported("%s: the upper half of a constant" % body)
                o.sh[k] = f
            else:
                o.pf[k] = f
        return o

    def matrix(self, base, args, mods, addr, name, body):
        if "_iu8" in base and bits(mods, "neg_lo", 3, 0) == [1, 1, 0]:  # of signed bytes
            del mods["neg_lo"]
        elif "_iu8" in base:
            raise Unsupported(body)
        if any(x in mods for x in ("cbsz", "abid", "blgp", "neg_lo", "neg_hi", "op_sel", "op_sel_hi", "clamp", "neg")):
            raise Unsupported(body)
        if base.startswith("v_wmma_"):
            m = re.match(r"v_wmma_(f32_16x16x16_(?:f16|bf16)|i32_16x16x16_iu8)(?:_w32)?$", base)
            if not m or self.wave != 32:
                raise Unsupported(name)
            fn = "wmma_%s_%d" % (m.group(1).replace("16x16x16_", ""), self.gen)
        else:
            m = re.match(r"v_mfma_(f32|f64|i32)_(\d+x\d+x\d+)_?(?:\d+b_)?(f32|f16|bf16|bf16_1k|f64|i8)(_1k)?$", base)
            if not m:
                raise Unsupported(name)
            fn = "mfma_%s_%s%s%s" % (m.group(1), m.group(2), m.group(3), m.group(4) or "")
            if re.search(r"\d_(\d+b_)?bf16$", base):
                fn += "_1k"
        o = O(fn, addr, name, body)
        o.d = vreg(args[0], name)
        o.f1 = fn.startswith("mfma_f64")
        for k in range(3):
            src(o, k, args[1 + k], "d" if o.f1 else "f")
            if o.k[k] == KVM:
                raise Unsupported(body)
        return o

    def ds(self, base, args, mods, addr, name, body, words):
        base = re.sub(r"^ds_(load|store)_2addr_stride64_",
                      lambda m: "ds_read2st64_" if m[1] == "load" else "ds_write2st64_", base)
        base = re.sub(r"^ds_(load|store)_2addr_", lambda m: "ds_read2_" if m[1] == "load" else "ds_write2_", base)
        base = re.sub(r"^ds_load_", "ds_read_", base)
        base = re.sub(r"^ds_store_(?!xchg)", "ds_write_", base)
        base = re.sub(r"^ds_read_(u8|i8|u16|i16)_(d16)", r"ds_read_\1_\2", base)
        if "gds" in mods:
            raise Unsupported(body)
        o = O(base, addr, name, body)
        off = words[0] & 0xffff
        o.imm, o.x0, o.x1 = off, off & 0xff, off >> 8
        o.counters = 1 << COUNT_DS
        if base.startswith("ds_read"):
            o.d, o.s[0] = vreg(args[0], name), vreg(args[1], name)
            o.check, o.width = C_DSLOAD, int(re.search(r"_[bui](\d+)", base).group(1)) // 8
            o.cls = 3 if "read2st64" in base else 1 if "read2" in base else 0
            o.info = "lds"
        elif base.startswith("ds_write"):
            o.s[0], o.s[1] = vreg(args[0], name), vreg(args[1], name)
            two = "write2" in base
            if two:
                o.s[2] = vreg(args[2], name)
            o.check, o.width = C_DSSTORE, int(re.search(r"_b(\d+)", base).group(1)) // 8
            o.cls = 4 | (3 if "st64" in base else 1 if two else 0)
            o.info = "lds"
        elif base in ("ds_bpermute_b32", "ds_permute_b32"):
            o.d, o.s[0], o.s[1] = (vreg(x, name) for x in args[:3])
            o.check = C_LANES
        elif base == "ds_swizzle_b32":
            o.d, o.s[0] = vreg(args[0], name), vreg(args[1], name)
            o.check = C_LANES
        else:
            m = re.match(r"ds_(\w+?)(_rtn)?(_[a-z]\d+)$", base)
            kind = (m.group(1) + m.group(3)) if m else ""
            # Up to gfx10 the number to compare with comes before the new one.
            compare = {"ds_cmpst": 1, "ds_cmpstore": 2}.get("ds_" + m.group(1) if m else "", 0)
            kind = ATOMIC.get("cmpswap" + m.group(3) if compare else kind, kind)
            floats = ("add_f32", "add_f64", "min_f64", "max_f64", "min_f32", "max_f32")
            if kind not in ATOMIC.values() and kind not in floats or kind.startswith("cmpswap") and not compare:
                raise Unsupported(name)
            o.fn = "ds_" + kind
            if m.group(2):
                o.d, o.f2, args = vreg(args[0], name), 1, args[1:]
            o.s[0], o.s[1] = vreg(args[0], name), vreg(args[1], name)
            if compare:
                o.s[3 - compare], o.s[compare] = o.s[1], vreg(args[2], name)
            o.check, o.cls, o.width, o.info = C_DSATOMIC, 4, 8 if "64" in m.group(3) else 4, "lds"
        return o

    def memory(self, base, args, mods, addr, name, body):
        seg, _, what = base.partition("_")
        for x in mods:
            if x in ("lds", "tfe"):
                raise Unsupported(body)
        o = O("", addr, name, body)
        offset = int(mods.get("offset", "0"), 0)
        op, _, kind = what.partition("_")
        ret = False
        if op == "load":
            kind = MEMSIZE.get(kind, kind)
            o.fn = "load_" + kind
            o.d = vreg(args[0], name)
            place = args[1:]
        elif op == "store":
            kind = MEMSIZE.get(kind, kind)
            o.fn = "store_" + kind
            o.d = vreg(args[1], name)
            place = [args[0]] + args[2:]
        elif op == "atomic":
            kind = ATOMIC.get(kind, kind)
            if kind.startswith("pk_"):
                raise Unsupported(name)
            o.fn = "atomic_" + kind
            ret = len(args) == (3 if seg == "flat" else 4)
            if ret:
                o.d, o.f2, args = vreg(args[0], name), 1, args[1:]
            o.s[2] = vreg(args[1], name)
            place = [args[0]] + args[2:]
        else:
            raise Unsupported(name)
        self.access(o, op, kind, ret, seg == "flat")
        o.imm = offset & M64
        if seg == "flat":
            o.f0, o.s[0] = 2, vreg(place[0], name)
        elif seg == "global":
            o.s[0] = vreg(place[0], name)
            s = operand(place[1])
            if s.text == "off" or s.kind == KS and s.reg == NULLREG:
                o.f0 = 0
            else:
                o.f0, o.s[1] = 1, sreg(place[1], name)
        else:
            o.f0 = 3
            v, s = operand(place[0]), operand(place[1])
            if v.text == "off":
                o.k[0] = KC
            else:
                o.s[0] = vreg(place[0], name)
            if s.text == "off":
                o.k[1] = KC
            else:
                o.k[1], o.s[1] = KS, sreg(place[1], name)
        if seg != "scratch":
            o.info = "vmem"
        return o

    def access(self, o, op, kind, ret=False, flat=False):
        """What check.c has to know of an access to memory."""
        o.check = {"load": C_LOAD, "store": C_STORE, "atomic": C_ATOMIC}[op]
        o.width = BYTES.get(kind.split("_d16")[0], 8 if "x2" in kind or "64" in kind else 4)
        o.counters = 1 << (COUNT_LOAD if self.gfx9 or op == "load" or ret else COUNT_STORE) | flat << COUNT_DS
        o.unordered = flat and self.gfx9
        if op == "store":                          # the bits of the register that are stored
            o.keep = {1: 0xff, 2: 0xffff}.get(o.width, M32) << (16 if kind.endswith("_hi") else 0)

    def mubuf(self, base, args, mods, addr, name, body):
        m = re.match(r"buffer_(load|store)_(\w+)$", base)
        if not m or args[2] != "s[0:3]" or any(x in mods for x in ("idxen", "lds", "addr64")) or self.gen > 10:
            raise Unsupported("%s: not scratch memory" % body)
        kind = MEMSIZE.get(m.group(2), m.group(2))
        o = O("%s_%s" % (m.group(1), kind), addr, name, body)
        o.f0, o.d = 3, vreg(args[0], name)
        self.access(o, m.group(1), kind)
        if "offen" in mods:
            o.s[0] = vreg(args[1], name)
        else:
            o.k[0] = KC
        o.imm = int(mods.get("offset", "0"), 0)
        s = operand(args[3])
        if s.kind == KC:
            o.imm += int(s.text, 0)
            o.k[1] = KC
        else:
            o.k[1], o.s[1] = KS, s.reg
            o.x0 = self.wave.bit_length() - 1   # in bytes of the wave, not of a lane
        return o
