# SPDX-License-Identifier: MIT
"""run.py: what the executor computes and refuses: run.py FILE.co [test name ...], of kernels.hip.

Every test compares a kernel's results with values worked out here in Python.  Each runs in a child process.
"""
import math
import os
import random
import signal
import struct
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import amdrun                                   # noqa: E402
from amdrun import Buffer                       # noqa: E402

path = sys.argv[1]
MOD = amdrun.Module(path)
which = target = MOD.co.target
CDNA = target.startswith("gfx9")
W = 64 if CDNA else 32
rnd = random.Random(7)
f32 = lambda x: struct.unpack("f", struct.pack("f", x))[0]
f16 = lambda x: struct.unpack("e", struct.pack("e", x))[0]
s32 = lambda x: (x + (1 << 31)) % (1 << 32) - (1 << 31)
s64 = lambda x: (x + (1 << 63)) % (1 << 64) - (1 << 63)
LAST = None


def run(name, grid, block, args, **kw):
    global LAST
    LAST = MOD.launch(name, grid, block, args, **kw)


def exact(got, want, label=""):
    bad = [i for i, (g, w) in enumerate(zip(got, want)) if g != w]
    assert len(got) == len(want) and not bad, "%s%d of %d differ; first at %d: %r, expected %r" % (
        label, len(bad), len(want), bad[0] if bad else -1, got[bad[0]] if bad else 0, want[bad[0]] if bad else 0)


def near(got, want, rel, ab, label):
    bad = [i for i, (g, w) in enumerate(zip(got, want)) if not abs(g - w) <= rel * abs(w) + ab]
    assert not bad, "%s: %d of %d differ; first at %d: %r, expected %r" % (
        label, len(bad), len(want), bad[0], got[bad[0]], want[bad[0]])


def rows(n, k, fs):
    return [f(t) for f in fs for t in range(n)]


N = 2 * W
A = [rnd.randrange(-50, 900) for _ in range(N)]
def wb(t): return t // W * W


def t_ids():
    g, b = (2, 3, 2), (5, 4, 6)
    nb = b[0] * b[1] * b[2]
    o = Buffer(16 * nb * 12)
    run("ids", g, b, [o])
    want = []
    for bi in range(12):
        for t in range(nb):
            want += [t % 5 | t // 5 % 4 << 8 | t // 20 << 16, bi % 2 | bi // 2 % 3 << 8 | bi // 6 << 16,
                     5 | 4 << 8 | 6 << 16, 2 | 3 << 8 | 2 << 16]
    exact(o.array("I"), want)


def t_shfl():
    o = Buffer(4 * N * 8)
    run("shfl_i", 1, N, [o, Buffer.of("i", A)])
    up = lambda t, d, w: A[t - d] if t % w >= d else A[t]
    down = lambda t, d, w: A[t + d] if t % w + d < w else A[t]
    def x64(t):
        q = s64(A[t ^ 4] << 33)
        return s32(s32(q) ^ s32(q >> 32))
    first = lambda t: A[wb(t) + 5]
    fs = [first, lambda t: A[t // 16 * 16 + (t * 7 + 3) % 16], lambda t: up(t, 1, W),
          lambda t: up(t, 3, 8), lambda t: down(t, 2, W), lambda t: A[t ^ 9], x64, lambda t: down(t, 1, W)]
    got = o.array("i")
    for i, f in enumerate(fs):
        exact(got[i * N:(i + 1) * N], [f(t) for t in range(N)], "part %d: " % i)


def t_votes():
    a = [rnd.randrange(0, 9) for _ in range(N)]
    o = Buffer(8 * N * 3)
    run("votes", 1, N, [o, Buffer.of("i", a)])
    def mask(t, f): return sum(1 << j for j in range(W) if f(a[wb(t) + j]))
    want = [mask(t, lambda v: v > 3) for t in range(N)]
    for t in range(N):
        m = mask(t, lambda v: v > 3)
        want.append(2 | bin(mask(t, lambda v: v & 1)).count("1") << 8 | ((m & -m).bit_length()) << 16 | t % W << 24)
    want += [mask(t, lambda v: v & 1) if a[t] & 1 else 0 for t in range(N)]
    exact(o.array("Q"), want)


def r16(f, old=-7, rm=15, bm=15, zero=False):
    """DPP within rows of 16: f(lane in row) is the source lane in the row, or None."""
    def g(t):
        l = t % W
        if not (rm >> (l // 16) & 1 and bm >> (l % 16 // 4) & 1):
            return old
        s = f(l % 16)
        return (0 if zero else old) if s is None or not 0 <= s < 16 else A[t // 16 * 16 + s]
    return g


def check_rows(o, fs):
    got = o.array("i")
    for i, f in enumerate(fs):
        exact(got[i * N:(i + 1) * N], [f(t) for t in range(N)], "part %d: " % i)


def t_dpp_common():
    o = Buffer(4 * N * 12)
    run("dpp_common", 1, N, [o, Buffer.of("i", A)])
    def act(t):
        if t % 3 == 0:
            return -9
        s = t ^ 3
        return A[s] if s % 3 else -7
    check_rows(o, [r16(lambda l: l ^ 3), r16(lambda l: l + 1), r16(lambda l: l - 1), r16(lambda l: l - 8, zero=True),
                   r16(lambda l: (l - 4) % 16), r16(lambda l: 15 - l), r16(lambda l: l ^ 7),
                   r16(lambda l: l - 2, rm=10), r16(lambda l: l - 2, bm=12),
                   lambda t: sum(A[t // 16 * 16:t + 1]), lambda t: max(A[t], A[t // 16 * 16 + (t + 8) % 16]), act])


def t_dpp_cdna():
    o = Buffer(4 * N * 9)
    run("dpp_cdna", 1, N, [o, Buffer.of("i", A)])
    def b15(t): return A[t // 16 * 16 - 1] if t % W >= 16 else -7
    check_rows(o, [b15, lambda t: A[wb(t) + 31] if t % W >= 32 else -7,
                   lambda t: b15(t) if 10 >> t % W // 16 & 1 else -7,
                   lambda t: A[t - 1] if t % W else -7, lambda t: A[t + 1] if t % W < 63 else -7,
                   lambda t: A[wb(t) + (t - 1) % W], lambda t: A[wb(t) + (t + 1) % W], lambda t: A[t // 16 * 16 + 3],
                   lambda t: sum(A[wb(t):t + 1])])


def t_dpp_rdna():
    o = Buffer(4 * N * 8)
    run("dpp_rdna", 1, N, [o, Buffer.of("i", A)])
    def base(t): return t // 16 * 16
    px = [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8]
    p16 = [int(c, 16) for c in reversed("76543210")] + [int(c, 16) ^ 1 for c in reversed("fedcba98")]
    d8 = [0x053977 >> 3 * i & 7 for i in range(8)]
    def last(t):
        a, b = A[base(t) + (t - 1) % 16], A[base(t) + (t - 2) % 16]
        return s32(((a & 0xffffffff) >> 1 & 31) + (b ^ 3))
    check_rows(o, [lambda t: A[base(t) + 3], lambda t: A[t ^ 10], lambda t: A[t & ~7 | d8[t & 7]],
                   lambda t: A[base(t) + p16[t % 16]], lambda t: A[(base(t) ^ 16) + px[t % 16]],
                   lambda t: A[(base(t) ^ 16) + px[t % 16]] if t % 3 else -9,
                   lambda t: A[t ^ 32] if W == 64 else A[t], last])


def t_lanes():
    a = [rnd.randrange(0, 5000) for _ in range(N)]
    o = Buffer(4 * N * 10)
    run("lanes", 1, N, [o, Buffer.of("i", a)])
    m = 0x5555aaaa << 32 | 0xf0f0f0f0
    check_rows(o, [lambda t: a[wb(t) + 11], lambda t: a[wb(t) + (a[0] & 31)],
                   lambda t: a[wb(t) + 2] if t % 4 == 2 else -1, lambda t: a[t ^ 6], lambda t: a[t ^ 5],
                   lambda t: a[t ^ 1], lambda t: a[t ^ 3], lambda t: a[t & ~31 | t & 0x18],
                   lambda t: 0 if (t ^ 3) % 2 == 0 and t & 1 else (-2 if not t & 1 else a[t ^ 3]),
                   lambda t: bin(m & ((1 << t % W) - 1)).count("1") if W == 64 else
                   bin(0xf0f0f0f0 & ((1 << t % 32) - 1)).count("1")])


def t_diverge():
    a = [rnd.randrange(1, 3000) for _ in range(2 * N)]
    o = Buffer(8 * N)
    run("diverge", 2, N, [o, Buffer.of("i", a)])
    want = []
    for t, v in enumerate(a):
        n = 0
        while v != 1:
            v = 3 * v + 1 if v & 1 else v >> 1
            n += 1
            if n > 300:
                break
            if n % 7 == 3 and t & 8:
                continue
            n += 2 if v % 5 == 0 else 0
        c = t % 6
        n = {0: n + 100, 1: n * 2 ^ 5, 2: n ^ 5, 4: -n}.get(c, n + 1)
        want.append(n)
    exact(o.array("i"), want)


def t_block_sum():
    n = 600
    a = [rnd.randrange(-1000, 1000) for _ in range(n)]
    o = Buffer(4 * 3 * 259)
    run("block_sum", 3, 256, [o, Buffer.of("i", a), n], shared=512)
    want = []
    for b in range(3):
        want += [sum(a[b * 256:(b + 1) * 256]), 2 * 52, max(t * 7 % 211 for t in range(256))]
        want += [((255 - t) * 3 & 255) + (t * 5 & 255) - (t ^ 1) for t in range(256)]
    exact(o.array("i"), want)


def t_atomics():
    n = 192
    a = [rnd.randrange(0, 200) for _ in range(n)]
    i = Buffer.of("i", [0, 999, 0, 0, 0, 0, 0] + [0] * (9 + n))
    l, f, d = Buffer.of("Q", [5]), Buffer.of("f", [1.0]), Buffer.of("d", [2.0])
    run("atomics", 3, 64, [i, l, f, d, Buffer.of("i", a)])
    g = i.array("i")
    bits = x = 0
    for v in a:
        bits |= 1 << (v & 31)
        x ^= v * 77
    exact(g[:7], [sum(a), min(a), max(a), s32(bits), x, n, sum(v & 3 for v in a)])
    exact(sorted(g[16:16 + n]), list(range(n)), "tickets: ")
    exact(l.array("Q"), [5 + (sum(a) << 30)])
    exact(f.array("f"), [1.0 + sum(a)], "float: ")
    exact(d.array("d"), [2.0 + sum(a)], "double: ")


def t_shared_atomics():
    n = 192
    a = [rnd.randrange(0, 200) for _ in range(n)]
    l = Buffer.of("Q", [0, 0])
    run("shared_atomics", 1, n, [l, Buffer.of("i", a)])
    exact(l.array("Q"), [7 + n + (sum(a) << 32), 9 + sum(a)])


def t_fmath():
    n = 64
    a, b = [[f32(rnd.uniform(-30, 30)) for _ in range(n)] for _ in range(2)]
    o = Buffer(4 * n * 12)
    run("fmath", 1, n, [o, Buffer.of("f", a), Buffer.of("f", b)])
    g = o.array("f")
    tr = [("div", 3e-7, lambda x, y: x / y), ("sqrt", 3e-7, lambda x, y: math.sqrt(abs(x))),
          ("fma", 3e-7, lambda x, y: x * y + .25),
          ("exp", 2e-6, lambda x, y: math.exp(x * .1)), ("log", 2e-6, lambda x, y: math.log(abs(x) + .5)),
          ("sin", 3e-6, lambda x, y: math.sin(x)),
          ("cos large", 3e-4, lambda x, y: math.cos(x * 40)), ("pow", 1e-5, lambda x, y: (abs(x) + .1) ** 1.7),
          ("rsqrt", 2e-6, lambda x, y: abs(y) ** -.5),
          ("round", 1e-6, lambda x, y: min(x, y) + math.floor(y) + math.trunc(x) + round(y)),
          ("tanh", 1e-5, lambda x, y: math.tanh(x * .3))]
    errs = []
    for i, (nm, tol, f) in enumerate(tr):
        try:
            near(g[i * n:(i + 1) * n], [f(x, y) for x, y in zip(a, b)], tol, tol, nm)
        except AssertionError as e:
            errs.append(str(e))
    den = g[11 * n:]
    try:
        near(den, [f32(f32(x * f32(1e-38)) * .01) for x in a], 0, 3e-45, "denormal")
    except AssertionError as e:
        errs.append(str(e))
    assert not errs, "; ".join(errs)


def t_dmath():
    n = 64
    a, b = [[rnd.uniform(-30, 30) for _ in range(n)] for _ in range(2)]
    o = Buffer(8 * n * 7)
    run("dmath", 1, n, [o, Buffer.of("d", a), Buffer.of("d", b)])
    g = o.array("d")
    fs = [("div", lambda x, y: x / y), ("sqrt", lambda x, y: math.sqrt(abs(x))), ("fma", lambda x, y: x * y + .25),
          ("exp", lambda x, y: math.exp(x * .1)), ("log", lambda x, y: math.log(abs(x) + .5)),
          ("sin", lambda x, y: math.sin(x)),
          ("conversions", lambda x, y: float(math.trunc(x * 1e9)) + float(math.trunc(y)) + math.floor(x))]
    errs = []
    for i, (nm, f) in enumerate(fs):
        try:
            near(g[i * n:(i + 1) * n], [f(x, y) for x, y in zip(a, b)], 1e-14, 1e-15, nm)
        except AssertionError as e:
            errs.append(str(e))
    assert not errs, "; ".join(errs)


def t_imath():
    n = 64
    a = [rnd.randrange(-1 << 62, 1 << 62) >> rnd.randrange(0, 50) for _ in range(n)]
    b = [(rnd.randrange(-1 << 62, 1 << 62) >> rnd.randrange(0, 58)) | 1 for _ in range(n)]
    o = Buffer(8 * n * 11)
    run("imath", 1, n, [o, Buffer.of("q", a), Buffer.of("q", b)])
    q = lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    u64, u32 = (lambda x: x & (1 << 64) - 1), (lambda x: x & 0xffffffff)
    def clz(x): return 32 - u32(x).bit_length()
    def ffs(x): return (u32(x) & -u32(x)).bit_length()
    def brev(x): return int("{:032b}".format(u32(x))[::-1], 2)
    fs = [("mul", lambda x, y, t: s64(x * y)), ("div", lambda x, y, t: q(x, y)),
          ("rem", lambda x, y, t: x - q(x, y) * y),
          ("udiv", lambda x, y, t: s64(u64(x) // u32(y))), ("idiv32", lambda x, y, t: q(s32(x), s32(y))),
          ("urem32", lambda x, y, t: u32(x) % u32(y)),
          ("mulhi", lambda x, y, t: (u32(x) * u32(y) >> 32) + (s32(x) * s32(y) >> 32)),
          ("bits", lambda x, y, t: clz(x) + 64 * ffs(y) + 4096 * bin(u64(x)).count("1") + brev(y)),
          ("shift", lambda x, y, t: s64((x >> (y & 63)) ^ (u64(x) >> (t & 63)) ^ s64(x << 3))),
          ("compare", lambda x, y, t: (x < y) + 2 * (u64(x) < u64(y)) + 4 * (x == y)),
          ("convert", lambda x, y, t: int(f32(float(x))) + ((y + 32768) % 65536 - 32768) + ((x + 128) % 256 - 128))]
    g = o.array("q")
    errs = []
    for i, (nm, f) in enumerate(fs):
        try:
            exact(g[i * n:(i + 1) * n], [f(x, y, t) for t, (x, y) in enumerate(zip(a, b))], nm + ": ")
        except AssertionError as e:
            errs.append(str(e))
    assert not errs, "; ".join(errs)


def t_hmath():
    n = 64
    a, b = [[rnd.randrange(-64, 64) / 16 for _ in range(n)] for _ in range(2)]
    o = Buffer(4 * n * 6)
    run("hmath", 1, n, [o, Buffer.of("f", a), Buffer.of("f", b)])
    fs = [lambda x, y: f16(x + y), lambda x, y: f16(x * y), lambda x, y: f16(x * y + .5), lambda x, y: f16(x * y + x),
          lambda x, y: f16(y * 2 + y), lambda x, y: math.trunc(x) + (1. if x < y else 0.)]
    g = o.array("f")
    for i, f in enumerate(fs):
        near(g[i * n:(i + 1) * n], [f(x, y) for x, y in zip(a, b)], 1e-3, 1e-3, "part %d" % i)


def t_matmul():
    n = 64
    a, b = [[float(rnd.randrange(-8, 9)) for _ in range(n * n)] for _ in range(2)]
    c = Buffer(4 * n * n)
    run("matmul", (4, 4), (16, 16), [c, Buffer.of("f", a), Buffer.of("f", b), n])
    exact(c.array("f"), [sum(a[i * n + k] * b[k * n + j] for k in range(n)) for i in range(n) for j in range(n)])


def t_scratch():
    a = [rnd.randrange(0, 100) for _ in range(64)]
    n = 256
    o = Buffer(4 * n)
    run("scratch", 2, 128, [o, Buffer.of("i", a)])
    want = []
    for t in range(n):
        v = [a[(t + i) & 63] * i for i in range(24)]
        w = [a[(t * 3 + i) & 63] - 40 for i in range(16)]
        k = a[t & 63] % 24
        v[k] += 1000
        w[k & 15] ^= 3
        s = 0
        for i in range(9):
            s += v[(k + i * 5) % 24] + w[(k * 3 + i) & 15]
            v[(s & 0x7fffffff) % 24] = s
        want.append(s)
    exact(o.array("i"), want)


def t_indexed():
    a = [rnd.randrange(0, 100) for _ in range(64)]
    o = Buffer(4 * 64)
    run("indexed", 1, 64, [o, Buffer.of("i", a)])
    want = []
    for x in a:
        v = [x * i for i in range(32)]
        for i in range(4):
            k = a[i] & 31
            v[k] += 1000 + v[(k * 5 + i) & 31]
        s = 0
        for y in v:
            s = s * 3 + y
        want.append(s32(s))
    exact(o.array("i"), want)


def t_gridwait():
    c, o = Buffer.of("I", [0]), Buffer(16)
    run("gridwait", 4, 64, [c, o], resident=4)
    exact(o.array("I"), [7, 8, 9, 10])


def t_speed():
    o = Buffer(4 * 256)
    run("speed", 1, 256, [o, 400])
    want = []
    for x in range(256):
        y = 1
        for _ in range(400):
            x = (x * 1664525 + 1013904223) & 0xffffffff
            y ^= x >> 7
            y = (y + (x & 31)) & 0xffffffff
        want.append(y)
    exact(o.array("I"), want)


def mma(name, m, n, k, fmt="f", bias=None):
    kind = int if fmt == "i" else float
    a = [kind(rnd.randrange(-8, 9)) for _ in range(m * k)]
    b = [kind(rnd.randrange(-8, 9)) for _ in range(k * n)]
    c = Buffer(struct.calcsize(fmt) * m * n)
    run(name, 1, W, [c, Buffer.of(fmt, a), Buffer.of(fmt, b)])
    exact(c.array(fmt), [sum(a[i * k + q] * b[q * n + j] for q in range(k)) + (bias(i) if bias else 0)
                         for i in range(m) for j in range(n)])


def t_mfma_16x16x4f32(): mma("mfma_16x16x4f32", 16, 16, 4, bias=lambda i: i % 4 + 1)
def t_mfma_32x32x2f32(): mma("mfma_32x32x2f32", 32, 32, 2)
def t_mfma_16x16x16f16(): mma("mfma_16x16x16f16", 16, 16, 16)
def t_mfma_32x32x8f16(): mma("mfma_32x32x8f16", 32, 32, 8)
def t_mfma_16x16x16bf16(): mma("mfma_16x16x16bf16", 16, 16, 16)
def t_mfma_16x16x4f64(): mma("mfma_16x16x4f64", 16, 16, 4, "d")
def t_mfma_i8(): mma("mfma_i8", 16, 16, 16 if target in ("gfx908", "gfx90a") else 32, "i")
def t_wmma_f16(): mma("wmma_f16", 16, 16, 16)
def t_wmma_i8(): mma("wmma_i8", 16, 16, 16, "i")


def t_counters():
    """Of a kernel that is known: the same results, as many instructions, and what they touch."""
    a, b, c = [float(i % 7) for i in range(4096)], [float(i % 5) for i in range(4096)], Buffer(4 * 4096)
    args = [c, Buffer.of("f", a), Buffer.of("f", b), 64]
    plain = MOD.launch("matmul", (4, 4), (16, 16), args, count_ops=True)
    run("matmul", (4, 4), (16, 16), args, count=True)
    k = LAST.counts
    assert plain.instructions == LAST.instructions == sum(plain.ops.values()) == sum(k.classes.values()), "instructions"
    assert k.bytes["store"] == 4 * 4096, "stored bytes"
    assert k.flops >= 2 * 64 ** 3, "flop"
    assert k.cycles["LDS"] >= k.lds_ideal > 0 and k.limit() in k.cycles, "LDS"
    exact(c.array("f"), [sum(a[i * 64 + q] * b[q * 64 + j] for q in range(64)) for i in range(64) for j in range(64)])


def t_strided():
    """Words that lie apart: clocks of LDS, lines of memory; the same of the store alone, a wave's."""
    waves = 64 // MOD.co.kernels["strided"][".wavefront_size"]
    for stride, way in (1, 1), (2, 2), (8, 8), (32, 32), (33, 1):
        o = Buffer(4 * 64 * 33)
        run("strided", 1, 64, [o, stride], count=True)
        k = LAST.counts
        exact(o.array("I")[:64 * stride:stride], list(range(63, -1, -1)))
        assert (k.lds_ideal, k.clocks["LDS"]) == (4, 4 * way), "%d clocks of LDS" % k.clocks["LDS"]
        assert bool(k.conflicts) == (way > 1), "conflicts"
        stores = [x.addr for x, _, _ in k.executed if x.name.startswith(("global_store", "flat_store"))]
        store = k.turn(stores)
        assert k.lines64 == waves * store.lines64 == min(64, 4 * stride), "%d lines of 64 bytes" % k.lines64
        assert store.clocks["LDS"] == 0 < store.clocks["L1"] and k.turn(stores + [1]) is None, "a turn"


def fails(expect, do):
    pid = os.fork()
    if not pid:
        os.close(2)
        os.open(os.devnull, os.O_WRONLY)
        signal.signal(signal.SIGSEGV, signal.SIG_DFL)
        try:
            do()
            os._exit(0)
        except amdrun.Unsupported:
            os._exit(3)
        except amdrun.Deadlock:
            os._exit(4)
    st = os.waitpid(pid, 0)[1]
    got = -os.WTERMSIG(st) if os.WIFSIGNALED(st) else os.WEXITSTATUS(st)
    assert got == expect, "ended with %d, not %d" % (got, expect)


def t_faults():
    """What must not pass: an access beyond a buffer, a kernel that never ends, an instruction that is not known."""
    global LAST
    a = Buffer.of("i", A)
    fails(-signal.SIGSEGV, lambda: MOD.launch("shfl_i", 1, N, [Buffer(4 * N * 8 - 4096), a]))
    fails(-signal.SIGSEGV, lambda: MOD.launch("shfl_i", 1, N, [Buffer(4 * N * 8), 0x1000]))
    fails(4, lambda: MOD.launch("gridwait", 4, 64, [Buffer.of("I", [0]), Buffer(16)], resident=1, limit=200000))
    t = amdrun.translate.Translator(target, W)
    for text in ("v_exp_legacy_f32_e32 v0, v1", "s_getreg_b32 s0, hwreg(HW_REG_MODE)",
                 "image_load v0, v1, s[0:7] dmask:0x1",
                 "v_add_f32_e64 v0, v1, v2 some_new_modifier:1", "ds_ordered_count v0, v1 gds",
                 "v_mfma_f32_16x16x4f32 v[0:3], v4, v5, v[0:3] cbsz:1", "buffer_load_dword v1, v2, s[4:7], 0 offen"):
        try:
            t.instruction(text, 0, [0, 0])
        except amdrun.Unsupported:
            continue
        raise AssertionError(text + " was taken")
    LAST = "as they should"


tests = {k[2:]: v for k, v in list(globals().items()) if k.startswith("t_")}
alias = {"shfl": "shfl_i", "counters": "matmul", "faults": "gridwait"}
names = [n for n in tests if alias.get(n, n) in MOD.co.kernels]
if sys.argv[2:]:
    names = [n for n in names if n in sys.argv[2:]]
bad = 0
for n in names:
    sys.stdout.flush()
    t0 = time.time()
    pid = os.fork()
    if not pid:
        signal.alarm(int(os.environ.get("AMDRUN_TIMEOUT", "120")))
        try:
            tests[n]()
            msg, rc = "ok   " + repr(LAST), 0
        except AssertionError as e:
            msg, rc = "WRONG " + str(e), 1
        except Exception as e:
            msg, rc = "FAIL %s: %s" % (type(e).__name__, e), 1
        print("%-10s %-20s %s" % (which, n, msg), flush=True)
        os._exit(rc)
    st = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(st):
        print("%-10s %-20s FAIL killed by signal %d after %.0f s" % (which, n, os.WTERMSIG(st), time.time() - t0))
    bad += st != 0
print("%s: %d of %d tests right" % (which, len(names) - bad, len(names)))
sys.exit(bad != 0)
