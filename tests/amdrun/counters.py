# SPDX-License-Identifier: MIT
"""What a launch asks of each resource of a compute unit (CU), and the bound that follows.

Cycles are lower bounds of time: every resource by itself, without latency, dependences, waits or clocks lost between
instructions.  Rates are those of the CDNA2 and CDNA3 white papers and instruction set manuals and, where these say
nothing, of LLVM's scheduling model; RATE and PASSES below are all of them.
"""
import copy
import re

# Clocks that a SIMD (4 a CU, 16 lanes each) is kept by an instruction of a wave of 64.
RATE = {"valu": 4, "f32": 4, "f64": 4, "packed": 4, "lane": 4, "trans": 16, "convert": 16, "intmul": 16, "trans64": 16,
        "mfma": 4,
        "accvgpr": 4}
# The same for RDNA 3 and 4 (2 SIMDs a CU of 32 lanes), waves of 32; rough.
RATE_RDNA = {"valu": 1, "f32": 1, "f64": 32, "packed": 1, "lane": 1, "trans": 4, "convert": 1, "intmul": 4,
             "trans64": 64, "mfma": 1,
             "accvgpr": 1}

# Passes (of 4 clocks) of a matrix instruction.
def passes(target, name):
    if "f64" in name:
        return 4 if "4x4" in name else 16 if target == "gfx950" else 8
    m = re.search(r"_(\d+)x\d+x(\d+)_?(?:\d+b_)?(xf32|f32|f16|bf16|i8)", name)
    side, k, typ = int(m.group(1)), int(m.group(2)), m.group(3)
    if target == "gfx90a":
        return {4: 2, 16: 8, 32: 16}[side]
    if side == 4:
        return 2
    if side == 16:
        return 4 if k >= 8 else 8
    return 8 if k >= 8 or typ == "xf32" else 16


TRANS = ("v_rcp_", "v_rsq_", "v_sqrt_", "v_exp_", "v_log_", "v_sin_", "v_cos_", "v_s_rcp", "v_s_rsq", "v_s_sqrt")
INTMUL = ("v_mul_lo_u32", "v_mul_hi_u32", "v_mul_hi_i32", "v_mad_u64_u32", "v_mad_i64_i32", "v_mad_co_u64",
          "v_mad_co_i64")
WAIT = ("s_nop", "s_waitcnt", "s_wait_", "s_sleep", "s_delay_alu", "s_clause", "s_setprio", "s_inst_prefetch",
        "s_set_inst_prefetch", "s_sendmsg", "s_code_end")
BRANCH = ("s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_getpc", "s_endpgm")


def classify(name):
    n = re.sub(r"_(e32|e64|dpp|sdwa)", "", name)
    if n.startswith("v_"):
        if n.startswith(("v_mfma", "v_smfmac", "v_wmma")):
            return "mfma"
        if n.startswith("v_accvgpr"):
            return "accvgpr"
        if n.startswith(TRANS):
            return "trans64" if n.endswith("f64") else "trans"
        if n.startswith("v_cvt_") and "f64" not in n and "pk" not in n:
            return "convert"
        if n.startswith(INTMUL):
            return "intmul"
        if n.startswith("v_pk_"):
            return "packed"
        if n.startswith(("v_readlane", "v_writelane", "v_readfirst", "v_permlane")):
            return "lane"
        if "f64" in n:
            return "f64"
        if re.search(r"f32|f16|mix", n):
            return "f32"
        return "valu"
    if n.startswith(WAIT):
        return "wait"
    if n.startswith("s_barrier"):
        return "barrier"
    if n.startswith(BRANCH):
        return "branch"
    if n.startswith("s_load") or n.startswith(("s_buffer", "s_dcache", "s_icache")):
        return "smem"
    if n.startswith("s_"):
        return "salu"
    if n.startswith(("ds_bpermute", "ds_permute", "ds_swizzle")):
        return "lds lanes"
    if n.startswith("ds_read") or n.startswith("ds_load"):
        return "lds load"
    if n.startswith("ds_"):
        return "lds store"
    if n.startswith(("buffer_wb", "buffer_inv", "buffer_gl", "global_inv", "global_wb")):
        return "cache"
    if "scratch" in n or n.startswith("buffer_"):
        return "scratch"
    return "vmem atomic" if "atomic" in n else "vmem load" if "load" in n else "vmem store"


def flops(name, wave):
    """Floating-point operations of all lanes, and whether on the matrix unit."""
    m = re.search(r"_(\d+)x(\d+)x(\d+)_?(?:(\d+)b_)?", name)
    if name.startswith(("v_mfma", "v_wmma")) and m:
        side, k = int(m.group(1)), int(m.group(3))
        if name.startswith("v_wmma"):
            return 2 * 16 * 16 * 16
        typ = re.search(r"(xf32|bf16|f64|f32|f16|i8)(_1k)?$", name).group(1)
        blocks = int(m.group(4) or {(32, 1): 2, (16, 1): 4, (4, 1): 16,
                                    (4, 4): 16 if typ != "f64" else 4}.get((side, k), 1))
        if not m.group(4) and typ in ("f16", "bf16", "i8"):
            blocks = {(32, 4): 2, (16, 4): 4, (32, 2): 2, (16, 2): 4, (4, 2): 16}.get((side, k), blocks)
        return 2 * side * side * k * blocks
    if re.match(r"v_(pk_|dual_)?(fma|fmac|mad_f|mac|fmamk|fmaak|madmk|madak|fma_mix)", name):
        return 4 * wave if name.startswith("v_pk_") else 2 * wave
    if re.match(r"v_(pk_|dual_)?(add|sub|subrev|mul)_f(16|32|64)", name):
        return 2 * wave if name.startswith("v_pk_") else wave
    return 0


class Counts:
    """classes: wave-instructions by class.  cycles: by resource, for the whole launch on one CU; clocks: the same if
    every SIMD has waves.  executed: (operation, how often, counters of its memory accesses) of each instruction."""

    def __init__(self, target, wave, executed, waves, groups, meta, lds):
        self.target, self.waves, self.groups, self.wave = target, waves, groups, wave
        self.executed, self.meta = executed, meta
        self.cdna = target.startswith("gfx9")
        rate, simds = (RATE, 4) if self.cdna else (RATE_RDNA, 2)
        c = self.classes = {}
        valu = mfma = lds_clocks = lds_ideal = l1 = salu = branch = self.flops = self.matrix_flops = self.fma_issue = 0
        self.lines64 = self.lines128 = self.requests = self.lds_bytes = self.passes = 0
        self.bytes = {"load": 0, "store": 0, "atomic": 0}
        self.coalescing = {}
        self.conflicts = []
        for o, n, st in executed:
            k = classify(o.name)
            c[k] = c.get(k, 0) + n
            f = flops(o.name, wave)
            self.flops += f * n
            if k in rate:
                valu += rate[k] * n
                if f and k != "mfma":
                    self.fma_issue += rate[k] * n
            if k == "mfma":
                self.matrix_flops += f * n
                if self.cdna:
                    p = passes(target, o.name)
                    self.passes += p * n
                    mfma += 4 * p * n
                else:
                    mfma += (32 if target.startswith("gfx11") else 16) * n
            elif k == "lds lanes":
                lds_clocks += 2 * n * wave // 64 or n
                lds_ideal += 2 * n * wave // 64 or n
            elif k.startswith("lds"):
                lds_clocks += st[0]
                lds_ideal += st[1]
                self.lds_bytes += st[2]
                if st[0] > st[1]:
                    self.conflicts.append((st[0] - st[1], o))
            elif k.startswith("vmem"):
                self.lines64 += st[0]
                self.lines128 += st[1]
                self.requests += n
                self.bytes[k.split()[1]] += st[2]
                l1 += max(st[0], st[3] / 16)
            elif k == "salu":
                salu += n
            elif k == "branch":
                branch += n
        self.lds_ideal = lds_ideal
        self.mfma_name = "MFMA" if self.cdna else "WMMA"
        self.fma_cycles = self.fma_issue / simds
        vgpr = meta[".vgpr_count"]
        self.vgpr, self.lds, self.sgpr = vgpr, lds, meta[".sgpr_count"]
        # Waves that a SIMD can hold, by registers and local memory; less than 1: some SIMDs of the CU stay empty.
        by_lds = 65536 // lds * max(1, waves // max(groups, 1)) / simds if lds else 99
        if self.cdna:
            self.occupancy = min(8, 512 // max((vgpr + 7) // 8 * 8, 8), by_lds)
        else:
            self.occupancy = min(16, 1536 // max((vgpr + 23) // 24 * 24, 24), by_lds)
        self.clocks = {"VALU": valu / simds, self.mfma_name: mfma / simds, "LDS": lds_clocks, "L1": l1, "SALU": salu,
                       "branch": branch}
        used = min(1, self.occupancy)
        self.cycles = {name: clocks / used if name in ("VALU", self.mfma_name) else clocks
                       for name, clocks in self.clocks.items()}
        self.matrix_cycles = mfma / simds
        # A wave issues one instruction in four clocks (CDNA), whatever its kind; other waves of the SIMD fill the rest.
        issued = sum(n for k, n in c.items() if k != "wait")
        self.cycles["issue"] = issued * (4 if self.cdna else 1) / simds / min(self.occupancy, 5)

    def turn(self, addresses):
        """Of one pass over the instructions at these addresses, each as it was on average; None if one was not executed."""
        found = {operation.addr: (operation, count, memory) for operation, count, memory in self.executed}
        if not found.keys() >= set(addresses):
            return None
        once = [(operation, 1, [x / count for x in memory]) for operation, count, memory in map(found.get, addresses)]
        return Counts(self.target, self.wave, once, self.waves, self.groups, self.meta, self.lds)

    def minus(self, other):
        """What this launch did more than another of the same kernel: of two lengths of a loop, its steady state."""
        d = copy.copy(self)
        d.classes = {k: v - other.classes.get(k, 0) for k, v in self.classes.items()}
        d.cycles = {k: v - other.cycles[k] for k, v in self.cycles.items()}
        d.clocks = {k: v - other.clocks[k] for k, v in self.clocks.items()}
        d.bytes = {k: v - other.bytes[k] for k, v in self.bytes.items()}
        for name in ("flops", "matrix_flops", "fma_issue", "fma_cycles", "matrix_cycles", "lines64", "lines128",
                     "requests", "lds_bytes", "passes", "lds_ideal"):
            setattr(d, name, getattr(self, name) - getattr(other, name))
        d.conflicts, d.executed = [], []
        return d

    def limit(self):
        return max(self.cycles, key=self.cycles.get)

    def bound(self):
        """(share of a peak, of which: MFMA, FMA or, without multiplications, VALU; the limiting resource)."""
        r = self.limit()
        top = self.cycles[r] or 1
        if self.matrix_cycles:
            return self.matrix_cycles / top, self.mfma_name, r
        if self.fma_cycles:
            return self.fma_cycles / top, "FMA", r
        return self.cycles["VALU"] / top, "VALU", r

    def report(self):
        order = ("f64", "f32", "packed", "mfma", "valu", "intmul", "convert", "trans", "trans64", "lane", "accvgpr",
                 "salu", "smem", "branch", "lds load", "lds store", "lds lanes", "vmem load", "vmem store",
                 "vmem atomic", "scratch", "barrier", "wait", "cache")
        share, what, by = self.bound()
        out = ["%s: %d workgroups, %d waves; %d VGPRs, %d B of LDS: at most %.3g waves a SIMD" % (
            self.target, self.groups, self.waves, self.vgpr, self.lds, self.occupancy)]
        classes = ["%s %d" % (k, self.classes[k]) for k in order if k in self.classes]
        out.append("wave-instructions: " + ", ".join(classes))
        if self.passes:
            out.append("matrix passes: %d (%d flop); other flop %d" % (
                self.passes, self.matrix_flops, self.flops - self.matrix_flops))
        if self.requests:
            out.append("vector memory: load %d B, store %d B, atomic %d B; per instruction %.1f lines of 64 B, "
                       "%.1f of 128 B; bytes used of 64 B lines %.0f %%" % (
                           self.bytes["load"], self.bytes["store"], self.bytes["atomic"], self.lines64 / self.requests,
                           self.lines128 / self.requests, 100 * sum(self.bytes.values()) / max(64 * self.lines64, 1)))
        if self.lds_bytes:
            out.append("LDS: %d B, %d clocks, %d without bank conflicts" % (
                self.lds_bytes, self.cycles["LDS"], self.lds_ideal))
            for extra, o in sorted(self.conflicts, key=lambda x: -x[0])[:3]:
                out.append("    %d clocks lost by %s" % (extra, o.text))
        out.append("cycles of a CU: " + ", ".join("%s %.0f" % x for x in self.cycles.items()))
        out.append("at best %.0f %% of the %s peak, limited by %s" % (100 * share, what, by))
        return "\n".join(out)

    __str__ = report
