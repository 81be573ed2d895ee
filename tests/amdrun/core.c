/* SPDX-License-Identifier: MIT */
/* amdrun: state of a wave, operand fetch, lanes, memory, matrix products.  The executor is this
 * file, count.c, check.c and schedule.c, then the arithmetic of ops.py. */
#define _GNU_SOURCE
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef float f32;
typedef double f64;

#ifndef N
#define N 64 /* lanes of a wave */
#endif
#define FULL (N == 64 ? ~0ull : 0xffffffffull)
#define NREG 528 /* 256 VGPRs, 256 AGPRs, scratch */
#define TMP 512  /* DPP and SDWA operands: TMP.. */
#define VCC 106
#define M0 124
#define EXEC 126
#define NULLREG 130
#define AL __attribute__((aligned(64)))
#define INL static inline __attribute__((always_inline))
#if defined(__clang__)
#define LOOP _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < N; i++)
#else
#define LOOP _Pragma("GCC ivdep") for (int i = 0; i < N; i++)
#endif

/* register, scalar, constant, register with modifiers */
enum { KV, KS, KC, KVM };
enum { RUN, BARRIER, END, NEED, STOP };

typedef struct W W;
typedef struct Op Op;
typedef const Op *(*Fn)(W *, const Op *);

struct Op { /* translate.py packs this */
    Fn fn, fn2;
    u64 count, c[3], imm, imm2;
    const Op *target;
    u64 st[4]; /* counters: see count.c */
    u32 am[3], xm[3];
    u32 keep, addr;
    u16 s[3], d, d2, m, x0, x1;
    u8 k[3], sh[3], dsh, f0, f1, f2, cls, width;
    /* packed 16-bit operands: op_sel, op_sel_hi, neg_lo, neg_hi */
    u8 pf[3], pad;
    /* For check.c: registers that the instruction names (NREG2 of them: vector, accumulation, from
     * SREG on scalar) as ranges and, hashed, as bits; what it is; counters that it takes part in,
     * or waits for with these limits. */
    u64 sig[2];
    u16 use[6];
    u8 len[6], nuse, check, counters, unordered, limit[4], pad2[6];
};

#define SREG 512
#define NREG2 (SREG + 160)
/* a memory access that its wave has not waited for: check.c */
typedef struct {
    const Op *op;
    u64 sig[2], exec;
    u32 serial;
    u8 left, data, late; /* counters that hold it, those that its result waits for; hold() */
    u32 a[N];            /* LDS addresses */
} Event;
#define EVENTS 192

struct W {
    u32 v[NREG][N] AL;
    u32 xm[N] AL; /* EXEC, one word a lane; good when xv */
    u32 s[160];
    u32 scc, full, xv, state;
    const Op *pc, *cur;
    u8 *lds, *scratch;
    u64 stride, ldssize, need;
    struct L *launch;
    struct Group *group;
    /* lanes that exist; registers that loads write; what it did */
    u64 alive, sig[2], hash;
    u32 index, mute, serial, nevents, signalled;
    u32 pending[NREG2]; /* serial of the access that will write the register */
    /* oldest first; the last member, as it is not cleared */
    Event events[EVENTS];
};

typedef struct { /* a finding of check.c */
    u32 kind, wave, lane, addr, other, what, other_wave, barriers, times, part;
    u64 group;
} Fault;
#define FAULTS 16

typedef struct L { /* one launch; amdrun.py fills it */
    u32 grid[3], block[3];
    u32 lds, nfixed, nuser, rsrc2, rdna4, resident, priv, poison, slice, cdna;
    u32 fixed[32];
    u64 limit, entry, textbase, textwords, executed, waves;
    const Op **map;
    u64 need; /* an address without code yet */
    u64 next; /* the next workgroup */
    struct Group **live;
    u64 nlive, trace;        /* trace: a file descriptor + 1 */
    u32 check, nfault;       /* CHECK, with QUIET to print nothing; findings */
    struct Checker *checker; /* zero before the first call */
    Fault fault[FAULTS];
    /* 1: work-item ids in v0, v1, v2, as before gfx90a and in gfx10 */
    u32 apart, none;
} L;
enum { CHECK = 1, QUIET = 2 };

INL u64 rdexec(W *w) { return N == 64 ? w->s[EXEC] | (u64)w->s[EXEC + 1] << 32 : w->s[EXEC]; }
INL void chexec(W *w)
{
    w->full = rdexec(w) == FULL;
    w->xv = 0;
}
INL void wr32(W *w, int r, u32 x)
{
    w->s[r] = x;
    if (r >= EXEC && r < NULLREG)
        chexec(w);
}
INL void wr64(W *w, int r, u64 x)
{
    w->s[r] = (u32)x;
    w->s[r + 1] = x >> 32;
    if (r >= EXEC && r < NULLREG)
        chexec(w);
}
INL u64 rd64(W *w, int r) { return w->s[r] | (u64)w->s[r + 1] << 32; }
INL u64 rdmask(W *w, int r) { return N == 64 ? rd64(w, r) : w->s[r]; }
INL void wrmask(W *w, int r, u64 x)
{
    if (N == 64)
        wr64(w, r, x);
    else
        wr32(w, r, (u32)x);
}
INL u32 ss32(W *w, const Op *o, int k)
{
    return (o->k[k] & 7) == KC ? (u32)o->c[k] : w->s[o->s[k]];
}
INL u64 ss64(W *w, const Op *o, int k) { return o->k[k] == KC ? o->c[k] : rd64(w, o->s[k]); }

INL f32 tof(u32 x)
{
    f32 y;
    memcpy(&y, &x, 4);
    return y;
}
INL u32 fof(f32 x)
{
    u32 y;
    memcpy(&y, &x, 4);
    return y;
}
INL f64 tod(u64 x)
{
    f64 y;
    memcpy(&y, &x, 8);
    return y;
}
INL u64 dof(f64 x)
{
    u64 y;
    memcpy(&y, &x, 8);
    return y;
}

INL void expand(u64 m, u32 *t)
{
    u32 a = (u32)m, b = m >> 32;
    for (int i = 0; i < 32; i++)
        t[i] = -(a >> i & 1);
    if (N == 64)
        for (int i = 0; i < 32; i++)
            t[N / 2 + i] = -(b >> i & 1);
}
static __attribute__((noinline)) void fillx(W *w)
{
    expand(rdexec(w), w->xm);
    w->xv = 1;
}
INL const u32 *xmask(W *w)
{
    if (!w->xv)
        fillx(w);
    return w->xm;
}

INL u64 collect(const u32 *t) /* sign bits */
{
    u64 m = 0;
#if defined(__AVX512DQ__)
    for (int i = 0; i < N; i += 16)
        m |= (u64)_mm512_movepi32_mask(_mm512_loadu_si512((const void *)(t + i))) << i;
#elif defined(__AVX__)
    for (int i = 0; i < N; i += 8)
        m |= (u64)(u32)_mm256_movemask_ps(_mm256_loadu_ps((const float *)(t + i))) << i;
#elif defined(__x86_64__)
    for (int i = 0; i < N; i += 4)
        m |= (u64)(u32)_mm_movemask_ps(_mm_loadu_ps((const float *)(t + i))) << i;
#else
    for (int i = 0; i < N; i++)
        m |= (u64)(t[i] >> 31) << i;
#endif
    return m;
}

/* ---- half precision ---- */
INL f32 htof(u32 h)
{
#if defined(__F16C__)
    return _cvtsh_ss((u16)h);
#else
    u32 s = (h & 0x8000) << 16, e = h >> 10 & 31, m = h & 0x3ff;
    if (e == 31)
        return tof(s | 0x7f800000 | m << 13 | (m ? 0x400000 : 0));
    if (e)
        return tof(s | (e + 112) << 23 | m << 13);
    f32 x = (f32)m * 0x1p-24f;
    return s ? -x : x;
#endif
}
INL u32 dtoh(f64 x) /* to nearest even, one rounding */
{
    u64 b = dof(x);
    u32 s = b >> 48 & 0x8000;
    f64 a = fabs(x);
    if (a != a)
        return s | 0x7e00 | (b >> 42 & 0x1ff);
    if (a >= 65520.0)
        return s | 0x7c00;
    if (a < 0x1p-14)
        return s | (u32)nearbyint(a * 0x1p24);
    u64 m = dof(a);
    u64 r = m >> 42, rest = m & ((1ull << 42) - 1), half = 1ull << 41;
    r += rest > half || (rest == half && (r & 1));
    return s | (u32)(r - ((u64)(1023 - 15) << 10));
}
INL u32 ftoh(f32 x)
{
#if defined(__F16C__)
    return _cvtss_sh(x, 0);
#else
    return dtoh(x);
#endif
}
INL u32 ftob(f32 x)
{
    u32 b = fof(x);
    return x != x ? b >> 16 | 0x40 : (b + 0x7fff + (b >> 16 & 1)) >> 16;
}

/* ---- vector operands ---- */
static __attribute__((noinline)) const u32 *slow32(W *w, const Op *o, int k, u32 *t)
{
    u32 sh = o->sh[k], am = o->am[k], xm = o->xm[k];
    if (o->k[k] == KVM) {
        const u32 *v = w->v[o->s[k]];
        LOOP t[i] = ((v[i] >> sh) & am) ^ xm;
    } else if (o->k[k] == (KVM | 8)) { /* f16 to f32 */
        const u32 *v = w->v[o->s[k]];
        LOOP t[i] = (fof(htof(v[i] >> sh & 0xffff)) & am) ^ xm;
    } else {
        u32 x = ss32(w, o, k) >> sh;
        if (o->k[k] & 8)
            x = fof(htof(x & 0xffff));
        x = (x & am) ^ xm;
        for (int i = 0; i < N; i++)
            t[i] = x;
    }
    return t;
}
INL const u32 *src32(W *w, const Op *o, int k, u32 *t)
{
    if (__builtin_expect(o->k[k] == KV, 1))
        return w->v[o->s[k]];
    return slow32(w, o, k, t);
}
static __attribute__((noinline)) void slow64(W *w, const Op *o, int k, u32 *t)
{
    u32 am = o->am[k], xm = o->xm[k];
    if (o->k[k] == KVM) {
        const u32 *v = w->v[o->s[k]], *h = w->v[o->s[k] + 1];
        LOOP
        {
            t[i] = v[i];
            t[N + i] = (h[i] & am) ^ xm;
        }
    } else {
        u64 x = ss64(w, o, k);
        u32 lo = (u32)x, hi = ((u32)(x >> 32) & am) ^ xm;
        for (int i = 0; i < N; i++) {
            t[i] = lo;
            t[N + i] = hi;
        }
    }
}
INL void src64(W *w, const Op *o, int k, u32 *t, const u32 **lo, const u32 **hi)
{
    if (__builtin_expect(o->k[k] == KV, 1)) {
        *lo = w->v[o->s[k]];
        *hi = w->v[o->s[k] + 1];
        return;
    }
    slow64(w, o, k, t);
    *lo = t;
    *hi = t + N;
}
INL u64 maskarg(W *w, const Op *o) { return o->f1 == KC ? o->imm2 : rdmask(w, o->m); }

/* ---- arithmetic helpers ---- */
INL f32 qf(f32 x) { return tof(fof(x) | 0x400000); }
INL f64 qd(f64 x) { return tod(dof(x) | 1ull << 51); }
INL f32 minf(f32 a, f32 b)
{
    f32 e = tof(fof(a) | fof(b));
    f32 r = a < b ? a : b < a ? b : e;
    r = a != a ? (b != b ? qf(a) : b) : r;
    return (a == a && b != b) ? a : r;
}
INL f32 maxf(f32 a, f32 b)
{
    f32 e = tof(fof(a) & fof(b));
    f32 r = a > b ? a : b > a ? b : e;
    r = a != a ? (b != b ? qf(a) : b) : r;
    return (a == a && b != b) ? a : r;
}
INL f64 mind(f64 a, f64 b)
{
    f64 e = tod(dof(a) | dof(b));
    f64 r = a < b ? a : b < a ? b : e;
    r = a != a ? (b != b ? qd(a) : b) : r;
    return (a == a && b != b) ? a : r;
}
INL f64 maxd(f64 a, f64 b)
{
    f64 e = tod(dof(a) & dof(b));
    f64 r = a > b ? a : b > a ? b : e;
    r = a != a ? (b != b ? qd(a) : b) : r;
    return (a == a && b != b) ? a : r;
}
INL f32 med3f(f32 a, f32 b, f32 c)
{
    if (a != a || b != b || c != c)
        return minf(minf(a, b), c);
    return maxf(minf(a, b), minf(maxf(a, b), c));
}
INL i32 med3i(i32 a, i32 b, i32 c)
{
    i32 lo = a < b ? a : b, hi = a < b ? b : a;
    return c < lo ? lo : c > hi ? hi : c;
}
INL u32 med3u(u32 a, u32 b, u32 c)
{
    u32 lo = a < b ? a : b, hi = a < b ? b : a;
    return c < lo ? lo : c > hi ? hi : c;
}
INL u32 cvtu32(f64 x) { return !(x > 0) ? 0 : x >= 4294967296.0 ? 0xffffffffu : (u32)(u64)x; }
INL i32 cvti32(f64 x)
{
    return x != x ? 0 : x >= 2147483648.0 ? 0x7fffffff : x <= -2147483648.0 ? INT32_MIN : (i32)x;
}
INL u32 cvtu16(f32 x) { return !(x > 0) ? 0 : x >= 65535.f ? 0xffff : (u32)x; }
INL u32 cvti16(f32 x)
{
    return x != x ? 0 : (u16)(i16)(x >= 32767.f ? 32767 : x <= -32768.f ? -32768 : (i32)x);
}
INL u32 bfe(u32 a, u32 b, u32 c)
{
    b &= 31;
    c &= 31;
    return a >> b & ((1u << c) - 1);
}
INL u32 bfei(u32 a, u32 b, u32 c)
{
    b &= 31;
    c &= 31;
    if (!c)
        return 0;
    return c + b < 32 ? (u32)((i32)(a << (32 - b - c)) >> (32 - c)) : (u32)((i32)a >> b);
}
INL u32 bitop3(u32 a, u32 b, u32 c, u32 table) /* bit 4 x + 2 y + z: the result for bits x, y, z */
{
    u32 r = 0;
    for (int j = 0; j < 8; j++)
        r |= -(table >> j & 1) & (j & 4 ? a : ~a) & (j & 2 ? b : ~b) & (j & 1 ? c : ~c);
    return r;
}
INL u32 perm(u32 a, u32 b, u32 c) /* selectors 0-3: b; 4-7: a */
{
    u64 x = (u64)a << 32 | b;
    u32 r = 0;
    for (int j = 0; j < 4; j++) {
        u32 s = c >> 8 * j & 0xff, y;
        if (s < 8)
            y = x >> 8 * s & 0xff;
        else if (s < 12) {
            static const u8 sg[4] = {15, 31, 47, 63};
            y = x >> sg[s - 8] & 1 ? 0xff : 0;
        } else
            y = s == 12 ? 0 : 0xff;
        r |= y << 8 * j;
    }
    return r;
}
INL u32 brev(u32 x)
{
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
    x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
    x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
    return __builtin_bswap32(x);
}
INL u64 brev64(u64 x) { return (u64)brev((u32)x) << 32 | brev(x >> 32); }
INL u32 ffbh(u32 x) { return x ? __builtin_clz(x) : ~0u; }
INL u32 ffbl(u32 x) { return x ? __builtin_ctz(x) : ~0u; }
INL u32 ffbh64(u64 x) { return x ? __builtin_clzll(x) : ~0u; }
INL u32 ffbl64(u64 x) { return x ? __builtin_ctzll(x) : ~0u; }
INL u32 ffbhi(i32 x)
{
    u32 y = x < 0 ? ~(u32)x : (u32)x;
    return y ? __builtin_clz(y) : ~0u;
}
INL u32 ffbhi64(i64 x)
{
    u64 y = x < 0 ? ~(u64)x : (u64)x;
    return y ? __builtin_clzll(y) : ~0u;
}
INL u32 dot4(u32 a, u32 b, u32 c) /* of signed bytes */
{
    for (int j = 0; j < 4; j++)
        c += (u32)((i8)(a >> 8 * j) * (i8)(b >> 8 * j));
    return c;
}
INL i32 sx24(u32 x) { return (i32)(x << 8) >> 8; }
INL int expf_(f32 x) { return fof(x) >> 23 & 255; }
INL int expd_(f64 x) { return dof(x) >> 52 & 2047; }
INL int denf(f32 x) { return (fof(x) & 0x7fffffff) && !expf_(x); }
INL int dend(f64 x) { return (dof(x) << 1) && !expd_(x); }
INL int classf(f32 x, u32 m)
{
    u32 b = fof(x), e = b >> 23 & 255, f = b & 0x7fffff, s = b >> 31, k;
    if (e == 255)
        k = f ? (f >> 22 ? 1 : 0) : s ? 2 : 9;
    else if (e)
        k = s ? 3 : 8;
    else if (f)
        k = s ? 4 : 7;
    else
        k = s ? 5 : 6;
    return m >> k & 1;
}
INL int classd(f64 x, u32 m)
{
    u64 b = dof(x), e = b >> 52 & 2047, f = b & ((1ull << 52) - 1), s = b >> 63;
    u32 k;
    if (e == 2047)
        k = f ? (f >> 51 ? 1 : 0) : s ? 2 : 9;
    else if (e)
        k = s ? 3 : 8;
    else if (f)
        k = s ? 4 : 7;
    else
        k = s ? 5 : 6;
    return m >> k & 1;
}
static int div_scalef(f32 a, f32 b, f32 c, f32 *r)
{
    int v = 0;
    f32 d = a;
    if (c == 0 || b == 0)
        d = NAN;
    else if (expf_(c) - expf_(b) >= 96) {
        v = 1;
        if (fof(a) == fof(b))
            d = ldexpf(a, 64);
    } else if (denf(b))
        d = ldexpf(a, 64);
    else if (denf(1.f / b) && denf(c / b)) {
        v = 1;
        if (fof(a) == fof(b))
            d = ldexpf(a, 64);
    } else if (denf(1.f / b))
        d = ldexpf(a, -64);
    else if (denf(c / b)) {
        v = 1;
        if (fof(a) == fof(c))
            d = ldexpf(a, 64);
    } else if (expf_(c) <= 23)
        d = ldexpf(a, 64);
    *r = d;
    return v;
}
static int div_scaled(f64 a, f64 b, f64 c, f64 *r)
{
    int v = 0;
    f64 d = a;
    if (c == 0 || b == 0)
        d = NAN;
    else if (expd_(c) - expd_(b) >= 768) {
        v = 1;
        if (dof(a) == dof(b))
            d = ldexp(a, 128);
    } else if (dend(b))
        d = ldexp(a, 128);
    else if (dend(1. / b) && dend(c / b)) {
        v = 1;
        if (dof(a) == dof(b))
            d = ldexp(a, 128);
    } else if (dend(1. / b))
        d = ldexp(a, -128);
    else if (dend(c / b)) {
        v = 1;
        if (dof(a) == dof(c))
            d = ldexp(a, 128);
    } else if (expd_(c) <= 53)
        d = ldexp(a, 128);
    *r = d;
    return v;
}
static f32 div_fixupf(f32 q, f32 d, f32 n)
{
    int s = (fof(d) ^ fof(n)) >> 31;
    f32 r;
    if (n != n)
        return qf(n);
    if (d != d)
        return qf(d);
    if ((d == 0 && n == 0) || (isinf(d) && isinf(n)))
        return tof(0xffc00000);
    if (d == 0 || isinf(n))
        r = INFINITY;
    else if (isinf(d) || n == 0)
        r = 0;
    else if (expf_(n) - expf_(d) < -150)
        r = tof(1);
    else if (expf_(d) == 255)
        r = INFINITY;
    else
        r = fabsf(q);
    return s ? -r : r;
}
static f64 div_fixupd(f64 q, f64 d, f64 n)
{
    int s = (dof(d) ^ dof(n)) >> 63;
    f64 r;
    if (n != n)
        return qd(n);
    if (d != d)
        return qd(d);
    if ((d == 0 && n == 0) || (isinf(d) && isinf(n)))
        return tod(0xfff8000000000000ull);
    if (d == 0 || isinf(n))
        r = INFINITY;
    else if (isinf(d) || n == 0)
        r = 0;
    else if (expd_(n) - expd_(d) < -1075)
        r = tod(1);
    else if (expd_(d) == 2047)
        r = INFINITY;
    else
        r = fabs(q);
    return s ? -r : r;
}
INL i32 frexpe(f64 x)
{
    int e;
    if (x != x || isinf(x) || x == 0)
        return 0;
    frexp(x, &e);
    return e;
}
INL f64 frexpm(f64 x)
{
    int e;
    if (x != x || isinf(x))
        return x;
    return frexp(x, &e);
}
static const u64 TWO_OVER_PI[20]; /* generated: 1216 bits, first word first */
static f64 trig_preop(f64 a, u32 seg)
{
    int sh = (int)(seg & 31) * 53, e = expd_(a);
    if (e > 1077)
        sh += e - 1077;
    u64 r = 0;
    for (int j = 0; j < 53; j++) {
        int bit = sh + j;
        r = r << 1 | (bit < 1201 ? TWO_OVER_PI[bit / 64] >> (63 - bit % 64) & 1 : 0);
    }
    int sc = -53 - sh;
    if (e >= 1968)
        sc += 128;
    return ldexp((f64)r, sc);
}
INL f32 sinrev(f32 x)
{
    f64 y = x - floor((f64)x);
    return (f32)sin(y * 6.283185307179586476925);
}
INL f32 cosrev(f32 x)
{
    f64 y = x - floor((f64)x);
    return (f32)cos(y * 6.283185307179586476925);
}
INL f32 fractf_(f32 x)
{
    f32 r = x - floorf(x);
    return r < 0x1.fffffep-1f || r != r ? r : 0x1.fffffep-1f;
}
INL f64 fractd(f64 x)
{
    f64 r = x - floor(x);
    return r < 0x1.fffffffffffffp-1 || r != r ? r : 0x1.fffffffffffffp-1;
}

/* ---- DPP and SDWA: arrange the first operand(s) in TMP, then run the plain form ---- */
const Op *op_dpp(W *w, const Op *o)
{
    const i8 *p = (const i8 *)o->imm2;
    u64 ex = rdexec(w), en = ex & o->imm;
    const u32 *s = w->v[o->x0];
    u32 *t = w->v[TMP];
    int bc = o->f0 & 1, fi = o->f0 & 2, wide = o->f0 & 4;
    for (int i = 0; i < N; i++) {
        int l = p[i];
        if (l >= 0 && (fi || (ex >> l & 1))) {
            t[i] = s[l];
            if (wide)
                t[N + i] = s[N + l];
        } else if (bc) {
            t[i] = 0;
            if (wide)
                t[N + i] = 0;
        } else
            en &= ~(1ull << i);
    }
    u32 e0 = w->s[EXEC], e1 = w->s[EXEC + 1];
    wrmask(w, EXEC, en);
    o->fn2(w, o);
    w->s[EXEC] = e0;
    w->s[EXEC + 1] = e1;
    chexec(w);
    return o + 1;
}
/* x0, x1: registers behind the selected operands (0xffff: not selected); f0, f2: selector + 8 *
 * sign; width: of dst */
INL void sdwa_pick(u32 *t, const u32 *s, u32 f)
{
    u32 sel = f & 7;
    if (sel == 6) {
        LOOP t[i] = s[i];
        return;
    }
    u32 sh = sel < 4 ? sel * 8 : (sel - 4) * 16, bits = sel < 4 ? 8 : 16;
    if (f & 8) {
        LOOP t[i] = (u32)((i32)(s[i] << (32 - bits - sh)) >> (32 - bits));
    } else {
        LOOP t[i] = s[i] >> sh & ((1u << bits) - 1);
    }
}
const Op *op_sdwa(W *w, const Op *o)
{
    u32 b[2][N] AL;
    for (int j = 0; j < 2; j++) {
        u16 x = j ? o->x1 : o->x0;
        if (x == 0xffff)
            continue;
        const u32 *s = w->v[x & 0x3ff];
        if (x & 0x8000) {
            u32 y = x & 0x4000 ? (u32)o->c[j] : w->s[x & 0x3ff];
            for (int i = 0; i < N; i++)
                b[j][i] = y;
            s = b[j];
        }
        sdwa_pick(w->v[TMP + j], s, j ? o->f2 : o->f0);
    }
    u32 sel = o->width & 7, un = o->width >> 4; /* un: 0 pad, 1 sext, 2 preserve */
    if (o->d == TMP + 2) {
        u32 *t = w->v[TMP + 2], *d = w->v[o->imm];
        memcpy(t, d, sizeof(u32) * N);
        o->fn2(w, o);
        u64 ex = rdexec(w);
        u32 sh = sel < 4   ? sel * 8
                 : sel < 6 ? (sel - 4) * 16
                           : 0,
            bits = sel < 4   ? 8
                   : sel < 6 ? 16
                             : 32;
        u32 m = bits == 32 ? ~0u : (1u << bits) - 1;
        for (int i = 0; i < N; i++)
            if (ex >> i & 1) {
                u32 r = t[i] & m;
                if (un == 2)
                    r = (d[i] & ~(m << sh)) | r << sh;
                else if (un == 1 && bits < 32)
                    r = (u32)((i32)(r << (32 - bits)) >> (32 - bits)) << sh;
                else
                    r <<= sh;
                d[i] = r;
            }
    } else
        o->fn2(w, o);
    return o + 1;
}
/* clamp and omod of a float result: x0 = 1: f32, 2: f64, 3: f16; f2 = clamp | omod << 1 */
const Op *op_outmod(W *w, const Op *o)
{
    static const f64 mul[4] = {1, 2, 4, 0.5};
    o->fn2(w, o);
    u64 ex = rdexec(w);
    for (int i = 0; i < N; i++)
        if (ex >> i & 1) {
            u32 *d = &w->v[o->d][i], *h = &w->v[o->d + 1][i];
            if (o->x0 == 1) {
                f32 x = tof(*d) * (f32)mul[o->f2 >> 1];
                if (o->f2 & 1)
                    x = x > 1 ? 1 : x > 0 ? x : 0;
                *d = fof(x);
            } else if (o->x0 == 2) {
                f64 x = tod(*d | (u64)*h << 32) * mul[o->f2 >> 1];
                if (o->f2 & 1)
                    x = x > 1 ? 1 : x > 0 ? x : 0;
                *d = (u32)dof(x);
                *h = dof(x) >> 32;
            } else {
                f32 x = htof(*d >> o->dsh) * (f32)mul[o->f2 >> 1];
                if (o->f2 & 1)
                    x = x > 1 ? 1 : x > 0 ? x : 0;
                *d = (*d & ~(0xffffu << o->dsh)) | ftoh(x) << o->dsh;
            }
        }
    return o + 1;
}

/* ---- control ---- */
const Op *op_nop(W *w, const Op *o)
{
    (void)w;
    return o + 1;
}
const Op *op_s_branch(W *w, const Op *o)
{
    (void)w;
    return o->target;
}
const Op *op_s_cbranch_scc0(W *w, const Op *o) { return w->scc ? o + 1 : o->target; }
const Op *op_s_cbranch_scc1(W *w, const Op *o) { return w->scc ? o->target : o + 1; }
const Op *op_s_cbranch_vccz(W *w, const Op *o) { return rdmask(w, VCC) ? o + 1 : o->target; }
const Op *op_s_cbranch_vccnz(W *w, const Op *o) { return rdmask(w, VCC) ? o->target : o + 1; }
const Op *op_s_cbranch_execz(W *w, const Op *o) { return rdexec(w) ? o + 1 : o->target; }
const Op *op_s_cbranch_execnz(W *w, const Op *o) { return rdexec(w) ? o->target : o + 1; }
const Op *op_s_barrier(W *w, const Op *o)
{
    w->state = BARRIER;
    w->pc = o + 1;
    return 0;
}
const Op *op_s_endpgm(W *w, const Op *o)
{
    w->state = END;
    w->pc = o;
    return 0;
}
const Op *op_end_of_code(W *w, const Op *o)
{
    w->state = STOP;
    w->pc = o;
    return 0;
}
static const Op *jump(W *w, const Op *o, u64 a)
{
    L *l = w->launch;
    u64 i = (a - l->textbase) >> 2;
    if (a < l->textbase || i >= l->textwords) {
        fprintf(stderr, "amdrun: jump to %#llx, outside the code\n", (unsigned long long)a);
        w->state = STOP;
        w->pc = o;
        return 0;
    }
    if (l->map[i])
        return l->map[i];
    w->state = NEED;
    w->need = a;
    w->pc = o;
    return 0;
}
const Op *op_s_getpc_b64(W *w, const Op *o)
{
    wr64(w, o->d, w->launch->textbase + o->addr + 4);
    return o + 1;
}
const Op *op_s_setpc_b64(W *w, const Op *o) { return jump(w, o, ss64(w, o, 0)); }
const Op *op_s_swappc_b64(W *w, const Op *o)
{
    u64 a = ss64(w, o, 0);
    const Op *t = jump(w, o, a);
    if (t)
        wr64(w, o->d, w->launch->textbase + o->addr + 4);
    return t;
}

/* ---- lanes ---- */
const Op *op_v_readfirstlane_b32(W *w, const Op *o)
{
    u64 ex = rdexec(w);
    u32 t[N] AL;
    const u32 *a = src32(w, o, 0, t);
    wr32(w, o->d, a[ex ? __builtin_ctzll(ex) : 0]);
    return o + 1;
}
const Op *op_v_readlane_b32(W *w, const Op *o)
{
    u32 t[N] AL;
    const u32 *a = src32(w, o, 0, t);
    wr32(w, o->d, a[ss32(w, o, 1) & (N - 1)]);
    return o + 1;
}
const Op *op_v_writelane_b32(W *w, const Op *o)
{
    w->v[o->d][ss32(w, o, 1) & (N - 1)] = ss32(w, o, 0);
    return o + 1;
}
const Op *op_v_swap_b32(W *w, const Op *o)
{
    u32 *a = w->v[o->d], *b = w->v[o->s[0]];
    u64 ex = rdexec(w);
    for (int i = 0; i < N; i++)
        if (ex >> i & 1) {
            u32 x = a[i];
            a[i] = b[i];
            b[i] = x;
        }
    return o + 1;
}
/* Registers relative to M0: f0: 1 source, 8 result */
const Op *op_s_set_gpr_idx_on(W *w, const Op *o)
{
    w->s[M0] = (w->s[M0] & 0xffff0f00) | (ss32(w, o, 0) & 0xff) | (u32)o->f0 << 12;
    return o + 1;
}
const Op *op_s_set_gpr_idx_idx(W *w, const Op *o)
{
    w->s[M0] = (w->s[M0] & 0xffffff00) | (ss32(w, o, 0) & 0xff);
    return o + 1;
}
const Op *op_movrel(W *w, const Op *o)
{
    u32 t[N] AL, k = w->s[M0] & 0xff;
    const u32 *a = o->f0 & 1 && o->k[0] == KV ? w->v[(o->s[0] + k) & 511] : src32(w, o, 0, t),
              *x = xmask(w);
    u32 *d = w->v[(o->d + (o->f0 & 8 ? k : 0)) & 511];
    LOOP d[i] = (d[i] & ~x[i]) | (a[i] & x[i]);
    return o + 1;
}
static const Op *permlane16(W *w, const Op *o, int flip)
{
    u32 t[N] AL, r[N] AL;
    const u32 *a = src32(w, o, 0, t);
    u64 ex = rdexec(w), sel = ss32(w, o, 1) | (u64)ss32(w, o, 2) << 32;
    u32 *d = w->v[o->d];
    for (int i = 0; i < N; i++) {
        int f = ((i & ~15) ^ flip) | (sel >> 4 * (i & 15) & 15);
        r[i] = (ex >> f & 1) || (o->f0 & 1) ? a[f] : o->f0 & 2 ? 0 : d[i];
    }
    for (int i = 0; i < N; i++)
        if (ex >> i & 1)
            d[i] = r[i];
    return o + 1;
}
const Op *op_v_permlane16_b32(W *w, const Op *o) { return permlane16(w, o, 0); }
const Op *op_v_permlanex16_b32(W *w, const Op *o) { return permlane16(w, o, 16); }
const Op *op_v_permlane64_b32(W *w, const Op *o)
{
    if (N == 64) {
        u32 t[N] AL, r[N] AL;
        const u32 *a = src32(w, o, 0, t);
        u64 ex = rdexec(w);
        for (int i = 0; i < N; i++)
            r[i] = a[i ^ 32];
        for (int i = 0; i < N; i++)
            if (ex >> i & 1)
                w->v[o->d][i] = r[i];
    }
    return o + 1;
}

/* ---- local memory ---- */
INL u32 *dsaddr(W *w, const Op *o) { return w->v[o->s[0]]; }
static __attribute__((noinline)) void ldsfault(W *w, u64 a)
{
    fprintf(stderr, "amdrun: LDS access at %#llx of %llu bytes, instruction at %#x\n",
            (unsigned long long)a, (unsigned long long)w->ldssize, w->cur->addr);
    fflush(stderr);
    raise(SIGSEGV);
}
INL u8 *ldsp(W *w, u64 a, int n)
{
    if (__builtin_expect(a + n > w->ldssize, 0))
        ldsfault(w, a);
    return w->lds + a;
}
#define DSLOOP \
    u64 ex = rdexec(w); \
    const u32 *A = dsaddr(w, o); \
    for (int i = 0; i < N; i++) \
        if (ex >> i & 1)
#define DSREAD(nm, T, ...) \
    const Op *op_##nm(W *w, const Op *o) \
    { \
        u32 *D = w->v[o->d]; \
        u32 off = (u32)o->imm; \
        (void)D; \
        DSLOOP \
        { \
            u8 *p = ldsp(w, (u32)(A[i] + off), sizeof(T)); \
            __VA_ARGS__ \
        } \
        return o + 1; \
    }
typedef struct {
    u32 x[2];
} w2;
typedef struct {
    u32 x[3];
} w3;
typedef struct {
    u32 x[4];
} w4;
DSREAD(ds_read_b32, u32, D[i] = *(u32 *)p;)
DSREAD(ds_read_u8, u8, D[i] = *p;)
DSREAD(ds_read_i8, u8, D[i] = (u32)(i32)(i8)*p;)
DSREAD(ds_read_u16, u16, D[i] = *(u16 *)p;)
DSREAD(ds_read_i16, u16, D[i] = (u32)(i32) * (i16 *)p;)
DSREAD(ds_read_u8_d16, u8, D[i] = (D[i] & 0xffff0000) | *p;)
DSREAD(ds_read_u8_d16_hi, u8, D[i] = (D[i] & 0xffff) | (u32)*p << 16;)
DSREAD(ds_read_i8_d16, u8, D[i] = (D[i] & 0xffff0000) | (u16)(i16)(i8)*p;)
DSREAD(ds_read_i8_d16_hi, u8, D[i] = (D[i] & 0xffff) | (u32)(u16)(i16)(i8)*p << 16;)
DSREAD(ds_read_u16_d16, u16, D[i] = (D[i] & 0xffff0000) | *(u16 *)p;)
DSREAD(ds_read_u16_d16_hi, u16, D[i] = (D[i] & 0xffff) | (u32) * (u16 *)p << 16;)
#define DSW(nm, K) \
    const Op *op_##nm(W *w, const Op *o) \
    { \
        u32 off = (u32)o->imm; \
        u32 R[K][N]; \
        DSLOOP \
        { \
            u32 *p = (u32 *)ldsp(w, (u32)(A[i] + off), 4 * K); \
            for (int j = 0; j < K; j++) \
                R[j][i] = p[j]; \
        } \
        for (int j = 0; j < K; j++) { \
            u32 *D = w->v[o->d + j]; \
            for (int i = 0; i < N; i++) \
                if (ex >> i & 1) \
                    D[i] = R[j][i]; \
        } \
        return o + 1; \
    }
DSW(ds_read_b64, 2)
DSW(ds_read_b96, 3)
DSW(ds_read_b128, 4)
#define DSR2(nm, K, ST) \
    const Op *op_##nm(W *w, const Op *o) \
    { \
        u32 R[2 * K][N]; \
        DSLOOP \
        { \
            for (int q = 0; q < 2; q++) { \
                u32 *p = (u32 *)ldsp(w, (u32)(A[i] + (q ? o->x1 : o->x0) * 4 * K * ST), 4 * K); \
                for (int j = 0; j < K; j++) \
                    R[q * K + j][i] = p[j]; \
            } \
        } \
        for (int j = 0; j < 2 * K; j++) { \
            u32 *D = w->v[o->d + j]; \
            for (int i = 0; i < N; i++) \
                if (ex >> i & 1) \
                    D[i] = R[j][i]; \
        } \
        return o + 1; \
    }
DSR2(ds_read2_b32, 1, 1)
DSR2(ds_read2_b64, 2, 1)
DSR2(ds_read2st64_b32, 1, 64) DSR2(ds_read2st64_b64, 2, 64)
#define DSWR(nm, K) \
    const Op *op_##nm(W *w, const Op *o) \
    { \
        u32 off = (u32)o->imm; \
        DSLOOP \
        { \
            u32 *p = (u32 *)ldsp(w, (u32)(A[i] + off), 4 * K); \
            for (int j = 0; j < K; j++) \
                p[j] = w->v[o->s[1] + j][i]; \
        } \
        return o + 1; \
    }
    DSWR(ds_write_b32, 1) DSWR(ds_write_b64, 2) DSWR(ds_write_b96, 3) DSWR(ds_write_b128, 4)
#define DSW2(nm, K, ST) \
    const Op *op_##nm(W *w, const Op *o) \
    { \
        DSLOOP \
        { \
            for (int q = 0; q < 2; q++) { \
                u32 *p = (u32 *)ldsp(w, (u32)(A[i] + (q ? o->x1 : o->x0) * 4 * K * ST), 4 * K); \
                for (int j = 0; j < K; j++) \
                    p[j] = w->v[o->s[1 + q] + j][i]; \
            } \
        } \
        return o + 1; \
    }
        DSW2(ds_write2_b32, 1, 1) DSW2(ds_write2_b64, 2, 1) DSW2(ds_write2st64_b32, 1, 64)
            DSW2(ds_write2st64_b64, 2, 64) DSREAD(ds_write_b8, u8, *p = (u8)w->v[o->s[1]][i];)
                DSREAD(ds_write_b16, u16, *(u16 *)p = (u16)w->v[o->s[1]][i];)
                    DSREAD(ds_write_b8_d16_hi, u8, *p = (u8)(w->v[o->s[1]][i] >> 16);)
                        DSREAD(ds_write_b16_d16_hi, u16, *(u16 *)p = (u16)(w->v[o->s[1]][i] >> 16);)
    /* half of the lanes for gfx11 wave64: not needed, wave64 is CDNA */
    const Op *op_ds_bpermute_b32(W *w, const Op *o)
{
    u32 r[N] AL, off = (u32)o->imm;
    u64 ex = rdexec(w);
    const u32 *A = w->v[o->s[0]], *B = w->v[o->s[1]];
    u32 *D = w->v[o->d];
    for (int i = 0; i < N; i++) {
        u32 f = (A[i] + off) >> 2 & (N - 1);
        r[i] = ex >> f & 1 ? B[f] : 0;
    }
    for (int i = 0; i < N; i++)
        if (ex >> i & 1)
            D[i] = r[i];
    return o + 1;
}
const Op *op_ds_permute_b32(W *w, const Op *o)
{
    u32 r[N] AL, off = (u32)o->imm;
    u64 ex = rdexec(w);
    const u32 *A = w->v[o->s[0]], *B = w->v[o->s[1]];
    u32 *D = w->v[o->d];
    memset(r, 0, sizeof r);
    for (int i = 0; i < N; i++)
        if (ex >> i & 1)
            r[(A[i] + off) >> 2 & (N - 1)] = B[i];
    for (int i = 0; i < N; i++)
        if (ex >> i & 1)
            D[i] = r[i];
    return o + 1;
}
const Op *op_ds_swizzle_b32(W *w, const Op *o)
{
    u32 r[N] AL, off = (u32)o->imm;
    u64 ex = rdexec(w);
    const u32 *A = w->v[o->s[0]];
    u32 *D = w->v[o->d];
    for (int i = 0; i < N; i++) {
        u32 j = i & 31, f;
        if (off >= 0xc000) {
            u32 n = off >> 5 & 31, m = off & 31;
            f = (j & m) | ((j + (off >> 10 & 1 ? -n : n)) & 31 & ~m);
        } else if (off & 0x8000)
            f = (j & ~3u) | (off >> 2 * (j & 3) & 3);
        else
            f = ((j & (off & 31)) | (off >> 5 & 31)) ^ (off >> 10 & 31);
        f |= i & ~31;
        r[i] = ex >> f & 1 ? A[f] : 0;
    }
    for (int i = 0; i < N; i++)
        if (ex >> i & 1)
            D[i] = r[i];
    return o + 1;
}

/* ---- global, flat and scratch memory ---- */
#define SHARED_HI 0x00010000u /* apertures of generic pointers: no host address */
#define PRIVATE_HI 0x00020000u
static __attribute__((noinline)) void scrfault(W *w, u64 a)
{
    fprintf(stderr, "amdrun: scratch access at %#llx of %llu bytes, instruction at %#x\n",
            (unsigned long long)a, (unsigned long long)w->stride, w->cur->addr);
    fflush(stderr);
    raise(SIGSEGV);
}
/* f0: 0 v64 + imm, 1 s64 + v32 + imm, 2 flat, 3 scratch, whose scalar offset is shifted by x0 */
INL u8 *maddr(W *w, const Op *o, int i, u64 base, int mode, int n)
{
    if (mode == 1)
        return (u8 *)(base + w->v[o->s[0]][i]);
    if (mode == 3) {
        u32 a = (u32)base + (o->k[0] == KV ? w->v[o->s[0]][i] : 0);
        if ((u64)a + n > w->stride)
            scrfault(w, a);
        return w->scratch + (u64)i * w->stride + a;
    }
    u64 a = (w->v[o->s[0]][i] | (u64)w->v[o->s[0] + 1][i] << 32) + base;
    if (mode == 2) {
        if (a >> 32 == SHARED_HI)
            return ldsp(w, (u32)a, n);
        if (a >> 32 == PRIVATE_HI) {
            if ((u32)a + (u64)n > w->stride)
                scrfault(w, a);
            return w->scratch + (u64)i * w->stride + (u32)a;
        }
    }
    return (u8 *)a;
}
INL u64 mbase(W *w, const Op *o)
{
    u64 b = o->imm;
    if (o->f0 == 1)
        b += rd64(w, o->s[1]);
    if (o->f0 == 3 && o->k[1] == KS)
        b += w->s[o->s[1]] >> o->x0;
    return b;
}
#define MEMLOOP(n, ...) \
    { \
        u64 ex = rdexec(w), base = mbase(w, o); \
        if (o->f0 == 0) { \
            for (int i = 0; i < N; i++) \
                if (ex >> i & 1) { \
                    u8 *p = maddr(w, o, i, base, 0, n); \
                    __VA_ARGS__ \
                } \
        } else if (o->f0 == 1) { \
            for (int i = 0; i < N; i++) \
                if (ex >> i & 1) { \
                    u8 *p = maddr(w, o, i, base, 1, n); \
                    __VA_ARGS__ \
                } \
        } else if (o->f0 == 2) { \
            for (int i = 0; i < N; i++) \
                if (ex >> i & 1) { \
                    u8 *p = maddr(w, o, i, base, 2, n); \
                    __VA_ARGS__ \
                } \
        } else { \
            for (int i = 0; i < N; i++) \
                if (ex >> i & 1) { \
                    u8 *p = maddr(w, o, i, base, 3, n); \
                    __VA_ARGS__ \
                } \
        } \
    }
#define MLD(nm, n, ...) \
    const Op *op_load_##nm(W *w, const Op *o) \
    { \
        u32 *D = w->v[o->d]; \
        MEMLOOP(n, __VA_ARGS__) return o + 1; \
    }
MLD(ubyte, 1, D[i] = *p;)
MLD(sbyte, 1, D[i] = (u32)(i32)(i8)*p;)
MLD(ushort, 2, D[i] = *(u16 *)p;)
MLD(sshort, 2, D[i] = (u32)(i32) * (i16 *)p;)
MLD(ubyte_d16, 1, D[i] = (D[i] & 0xffff0000) | *p;) MLD(ubyte_d16_hi, 1,
                                                        D[i] = (D[i] & 0xffff) | (u32)*p << 16;)
    MLD(sbyte_d16, 1, D[i] = (D[i] & 0xffff0000) | (u16)(i16)(i8)*p;)
        MLD(sbyte_d16_hi, 1, D[i] = (D[i] & 0xffff) | (u32)(u16)(i16)(i8)*p << 16;)
            MLD(short_d16, 2, D[i] = (D[i] & 0xffff0000) | *(u16 *)p;)
                MLD(short_d16_hi, 2, D[i] = (D[i] & 0xffff) | (u32) * (u16 *)p << 16;)
                    MLD(dword, 4, D[i] = *(u32 *)p;)
#define MLDX(nm, K) \
    const Op *op_load_##nm(W *w, const Op *o) \
    { \
        u32 R[K][N]; \
        MEMLOOP(4 * K, for (int j = 0; j < K; j++) R[j][i] = ((u32 *)p)[j];) \
        u64 ex = rdexec(w); \
        for (int j = 0; j < K; j++) { \
            u32 *D = w->v[o->d + j]; \
            if (w->full) \
                memcpy(D, R[j], 4 * N); \
            else \
                for (int i = 0; i < N; i++) \
                    if (ex >> i & 1) \
                        D[i] = R[j][i]; \
        } \
        return o + 1; \
    }
                        MLDX(dwordx2, 2) MLDX(dwordx3, 3) MLDX(dwordx4, 4)
#define MST(nm, n, ...) \
    const Op *op_store_##nm(W *w, const Op *o) \
    { \
        const u32 *S = w->v[o->d]; \
        (void)S; \
        MEMLOOP(n, __VA_ARGS__) return o + 1; \
    }
                            MST(byte, 1, *p = (u8)S[i];) MST(short, 2, *(u16 *)p = (u16)S[i];)
                                MST(byte_d16_hi, 1, *p = (u8)(S[i] >> 16);)
                                    MST(short_d16_hi, 2, *(u16 *)p = (u16)(S[i] >> 16);)
                                        MST(dword, 4, *(u32 *)p = S[i];)
                                            MST(dwordx2, 8,
                                                for (int j = 0; j < 2;
                                                     j++)((u32 *)p)[j] = w->v[o->d + j][i];)
                                                MST(dwordx3, 12,
                                                    for (int j = 0; j < 3;
                                                         j++)((u32 *)p)[j] = w->v[o->d + j][i];)
                                                    MST(dwordx4, 16,
                                                        for (int j = 0; j < 4;
                                                             j++)((u32 *)p)[j] = w->v[o->d + j][i];)
/* atomics: data in s[2]; result to d when f2 */
#define RET32(x) \
    if (o->f2) \
    w->v[o->d][i] = (x)
#define RET64(x) \
    if (o->f2) { \
        w->v[o->d][i] = (u32)(x); \
        w->v[o->d + 1][i] = (x) >> 32; \
    }
#define ATOM32(nm, EXPR) \
    const Op *op_atomic_##nm(W *w, const Op *o) \
    { \
        MEMLOOP(4, u32 m = *(u32 *)p, d = w->v[o->s[2]][i]; u32 r = (EXPR); *(u32 *)p = r; \
                RET32(m);) \
        return o + 1; \
    }
#define ATOM64(nm, EXPR) \
    const Op *op_atomic_##nm(W *w, const Op *o) \
    { \
        MEMLOOP(8, u64 m = *(u64 *)p; u64 d = w->v[o->s[2]][i] | (u64)w->v[o->s[2] + 1][i] << 32; \
                u64 r = (EXPR); *(u64 *)p = r; RET64(m)) \
        return o + 1; \
    }
#define DATOM32(nm, EXPR) \
    const Op *op_ds_##nm(W *w, const Op *o) \
    { \
        DSLOOP \
        { \
            u8 *p = ldsp(w, (u32)(A[i] + (u32)o->imm), 4); \
            u32 m = *(u32 *)p, d = w->v[o->s[1]][i]; \
            u32 r = (EXPR); \
            *(u32 *)p = r; \
            RET32(m); \
        } \
        return o + 1; \
    }
#define DATOM64(nm, EXPR) \
    const Op *op_ds_##nm(W *w, const Op *o) \
    { \
        DSLOOP \
        { \
            u8 *p = ldsp(w, (u32)(A[i] + (u32)o->imm), 8); \
            u64 m = *(u64 *)p; \
            u64 d = w->v[o->s[1]][i] | (u64)w->v[o->s[1] + 1][i] << 32; \
            u64 r = (EXPR); \
            *(u64 *)p = r; \
            RET64(m) \
        } \
        return o + 1; \
    }
#define RMW(X32, X64) \
    X32(add, m + d) \
    X64(add_x2, m + d) \
    X32(sub, m - d) \
    X64(sub_x2, m - d) \
    X32(and, m &d) X64(and_x2, m &d) X32(or, m | d) X64(or_x2, m | d) X32(xor, m ^ d) \
        X64(xor_x2, m ^ d) X32(swap, d) X64(swap_x2, d) X32(smin, (u32)((i32)m < (i32)d ? m : d)) \
            X64(smin_x2, (i64)m < (i64)d ? m : d) X32(smax, (i32)m > (i32)d ? m : d) \
                X64(smax_x2, (i64)m > (i64)d ? m : d) X32(umin, m < d ? m : d) \
                    X64(umin_x2, m < d ? m : d) X32(umax, m > d ? m : d) \
                        X64(umax_x2, m > d ? m : d) X32(inc, m >= d ? 0 : m + 1) \
                            X64(inc_x2, m >= d ? 0 : m + 1) X32(dec, m == 0 || m > d ? d : m - 1) \
                                X64(dec_x2, m == 0 || m > d ? d : m - 1) \
                                    X32(add_f32, fof(tof(m) + tof(d))) \
                                        X64(add_f64, dof(tod(m) + tod(d))) \
                                            X32(min_f32, fof(minf(tof(m), tof(d)))) \
                                                X64(min_f64, dof(mind(tod(m), tod(d)))) \
                                                    X32(max_f32, fof(maxf(tof(m), tof(d)))) \
                                                        X64(max_f64, dof(maxd(tod(m), tod(d))))
                                                        RMW(ATOM32, ATOM64)
                                                            RMW(DATOM32, DATOM64) const
    Op *op_atomic_cmpswap(W *w, const Op *o)
{
    MEMLOOP(4, u32 m = *(u32 *)p; if (m == w->v[o->s[2] + 1][i]) * (u32 *)p = w->v[o->s[2]][i];
            RET32(m);)
    return o + 1;
}
const Op *op_atomic_cmpswap_x2(W *w, const Op *o)
{
    MEMLOOP(8, u64 m = *(u64 *)p; u64 d = w->v[o->s[2]][i] | (u64)w->v[o->s[2] + 1][i] << 32;
            u64 c = w->v[o->s[2] + 2][i] | (u64)w->v[o->s[2] + 3][i] << 32;
            if (m == c) * (u64 *)p = d; RET64(m))
    return o + 1;
}
/* s[1] the new number, s[2] what it takes the place of */
const Op *op_ds_cmpswap(W *w, const Op *o)
{
    DSLOOP
    {
        u8 *p = ldsp(w, (u32)(A[i] + (u32)o->imm), 4);
        u32 m = *(u32 *)p, d = w->v[o->s[1]][i];
        if (m == w->v[o->s[2]][i])
            *(u32 *)p = d;
        RET32(m);
    }
    return o + 1;
}
const Op *op_ds_cmpswap_x2(W *w, const Op *o)
{
    DSLOOP
    {
        u8 *p = ldsp(w, (u32)(A[i] + (u32)o->imm), 8);
        u64 m = *(u64 *)p, d = w->v[o->s[1]][i] | (u64)w->v[o->s[1] + 1][i] << 32;
        if (m == (w->v[o->s[2]][i] | (u64)w->v[o->s[2] + 1][i] << 32))
            *(u64 *)p = d;
        RET64(m)
    }
    return o + 1;
}
/* scalar loads: s[0] base, s[1] or imm offset, width words */
const Op *op_s_load(W *w, const Op *o)
{
    u64 a = rd64(w, o->s[0]) + o->imm;
    if (o->k[1] == KS)
        a += w->s[o->s[1]];
    const u32 *p = (const u32 *)(a & ~3ull);
    u32 t[16];
    for (int j = 0; j < o->width; j++)
        t[j] = p[j];
    for (int j = 0; j < o->width; j++)
        wr32(w, o->d + j, t[j]);
    return o + 1;
}
#define SLOAD(nm, T) \
    const Op *op_s_load_##nm(W *w, const Op *o) \
    { \
        wr32(w, o->d, \
             (u32)(i32) * \
                 (const T *)(rd64(w, o->s[0]) + o->imm + (o->k[1] == KS ? w->s[o->s[1]] : 0))); \
        return o + 1; \
    }
SLOAD(u8, u8)
SLOAD(i8, i8)
SLOAD(u16, u16)
SLOAD(i16, i16)

/* ---- matrix products ---- */
INL void mget(W *w, const Op *o, int k, int r, u32 *t) /* register r of operand k */
{
    if (o->k[k] == KV)
        memcpy(t, w->v[o->s[k] + r], 4 * N);
    else {
        u32 x = o->k[k] == KC ? (u32)(r & 1 && o->f1 ? o->c[k] >> 32 : o->c[k]) : w->s[o->s[k] + r];
        for (int i = 0; i < N; i++)
            t[i] = x;
    }
}
#if N == 64
enum { TF32, TF16, TBF16, TI8, TF64 };
INL f32 elem(const u32 (*t)[N], int e, int l, int typ)
{
    if (typ == TF32)
        return tof(t[e][l]);
    if (typ == TI8)
        return 0;
    u32 h = t[e / 2][l] >> e % 2 * 16 & 0xffff;
    return typ == TBF16 ? tof(h << 16) : htof(h);
}
INL const Op *mfma(W *w, const Op *o, const int M, const int K, const int NB, const int typ)
{
    const int per = M * K * NB / N, nout = M * M * NB / N;
    const int regs = typ == TF32 ? per : typ == TI8 ? per / 4 : per / 2;
    u32 t[4][N] AL;
    f32 a[16][32][32] AL, b[16][32][32] AL; /* [block][k][row] */
    i32 ai[16][32][32], bi[16][32][32];
    for (int n = 0; n < 2; n++) {
        for (int r = 0; r < regs; r++)
            mget(w, o, n, r, t[r]);
        for (int l = 0; l < N; l++)
            for (int e = 0; e < per; e++) {
                int bl = l / M % NB, row = l % M, k = l / (M * NB) * per + e;
                if (typ == TI8)
                    (n ? bi : ai)[bl][k][row] = (i8)(t[e / 4][l] >> e % 4 * 8);
                else
                    (n ? b : a)[bl][k][row] = elem((const u32(*)[N])t, e, l, typ);
            }
    }
    u32 c[32][N] AL;
    for (int r = 0; r < nout; r++)
        mget(w, o, 2, r, c[r]);
    for (int v = 0; v < nout; v++)
        for (int g = 0; g < N / M; g++) {
            int l0 = g * M, bl, row;
            if (M == 32) {
                bl = v / 16;
                row = v % 16 / 4 * 8 + l0 / 32 * 4 + v % 4;
            } else if (M == 16) {
                bl = v / 4;
                row = l0 / 16 * 4 + v % 4;
            } else {
                bl = l0 / 4;
                row = v;
            }
            u32 *d = &c[v][l0];
            if (typ == TI8) {
                for (int k = 0; k < K; k++)
                    for (int j = 0; j < M; j++)
                        d[j] += (u32)(ai[bl][k][row] * bi[bl][k][j]);
            } else {
                f32 s[32];
                for (int j = 0; j < M; j++)
                    s[j] = tof(d[j]);
                for (int k = 0; k < K; k++) {
                    f32 x = a[bl][k][row];
                    for (int j = 0; j < M; j++)
                        s[j] = __builtin_fmaf(x, b[bl][k][j], s[j]);
                }
                for (int j = 0; j < M; j++)
                    d[j] = fof(s[j]);
            }
        }
    for (int r = 0; r < nout; r++)
        memcpy(w->v[o->d + r], c[r], 4 * N);
    return o + 1;
}
#define MFMA(nm, M, K, NB, T) \
    const Op *op_mfma_##nm(W *w, const Op *o) { return mfma(w, o, M, K, NB, T); }
MFMA(f32_32x32x1f32, 32, 1, 2, TF32)
MFMA(f32_16x16x1f32, 16, 1, 4, TF32)
MFMA(f32_4x4x1f32, 4, 1, 16, TF32)
MFMA(f32_32x32x2f32, 32, 2, 1, TF32)
MFMA(f32_16x16x4f32, 16, 4, 1, TF32) MFMA(f32_32x32x4f16, 32, 4, 2,
                                          TF16) MFMA(f32_16x16x4f16, 16, 4, 4,
                                                     TF16) MFMA(f32_4x4x4f16, 4, 4, 16, TF16)
    MFMA(f32_32x32x8f16, 32, 8, 1, TF16) MFMA(f32_16x16x16f16, 16, 16, 1,
                                              TF16) MFMA(f32_32x32x4bf16_1k, 32, 4, 2, TBF16)
        MFMA(f32_16x16x4bf16_1k, 16, 4, 4, TBF16) MFMA(f32_4x4x4bf16_1k, 4, 4, 16, TBF16)
            MFMA(f32_32x32x8bf16_1k, 32, 8, 1, TBF16) MFMA(f32_16x16x16bf16_1k, 16, 16, 1, TBF16)
                MFMA(f32_32x32x2bf16, 32, 2, 2, TBF16) MFMA(f32_16x16x2bf16, 16, 2, 4, TBF16)
                    MFMA(f32_4x4x2bf16, 4, 2, 16, TBF16) MFMA(f32_32x32x4bf16, 32, 4, 1, TBF16)
                        MFMA(f32_16x16x8bf16, 16, 8, 1, TBF16) MFMA(i32_32x32x4i8, 32, 4, 2, TI8)
                            MFMA(i32_16x16x4i8, 16, 4, 4, TI8) MFMA(i32_4x4x4i8, 4, 4, 16, TI8)
                                MFMA(i32_32x32x8i8, 32, 8, 1, TI8)
                                    MFMA(i32_16x16x16i8, 16, 16, 1, TI8)
                                        MFMA(i32_32x32x16i8, 32, 16, 1, TI8)
                                            MFMA(i32_16x16x32i8, 16, 32, 1,
                                                 TI8) int mfma_f64_fused = 1; /* 0: two roundings */
INL const Op *mfma64(W *w, const Op *o, const int M)
{
    u32 t[2][N];
    f64 a[4][4][16], b[4][4][16]; /* [block][k][row] */
    const int NB = M == 16 ? 1 : 4, nout = M * M * NB / N;
    for (int n = 0; n < 2; n++) {
        mget(w, o, n, 0, t[0]);
        mget(w, o, n, 1, t[1]);
        for (int l = 0; l < N; l++)
            (n ? b : a)[l / M % NB][l / (M * NB)][l % M] = tod(t[0][l] | (u64)t[1][l] << 32);
    }
    f64 s[4][N];
    for (int r = 0; r < nout; r++) {
        mget(w, o, 2, 2 * r, t[0]);
        mget(w, o, 2, 2 * r + 1, t[1]);
        for (int l = 0; l < N; l++)
            s[r][l] = tod(t[0][l] | (u64)t[1][l] << 32);
    }
    for (int v = 0; v < nout; v++)
        for (int g = 0; g < N / M; g++) {
            int l0 = g * M, bl = M == 16 ? 0 : l0 / 4 % 4,
                row = M == 16 ? 4 * v + l0 / 16 : l0 / 16;
            for (int k = 0; k < 4; k++) {
                f64 x = a[bl][k][row];
                if (mfma_f64_fused)
                    for (int j = 0; j < M; j++)
                        s[v][l0 + j] = __builtin_fma(x, b[bl][k][j], s[v][l0 + j]);
                else
                    for (int j = 0; j < M; j++)
                        s[v][l0 + j] += x * b[bl][k][j];
            }
        }
    for (int r = 0; r < nout; r++)
        for (int l = 0; l < N; l++) {
            u64 x = dof(s[r][l]);
            w->v[o->d + 2 * r][l] = (u32)x;
            w->v[o->d + 2 * r + 1][l] = x >> 32;
        }
    return o + 1;
}
const Op *op_mfma_f64_16x16x4f64(W *w, const Op *o) { return mfma64(w, o, 16); }
const Op *op_mfma_f64_4x4x4f64(W *w, const Op *o) { return mfma64(w, o, 4); }
#else
int mfma_f64_fused = 1;
/* WMMA 16x16x16, f32 accumulators.  gfx11 repeats A and B in both halves of the wave; gfx12 splits
 * K between them. */
INL const Op *wmma(W *w, const Op *o, int bf, int g12)
{
    u32 t[8][N];
    f32 a[16][16], b[16][16]; /* [k][row] */
    for (int n = 0; n < 2; n++) {
        for (int r = 0; r < (g12 ? 4 : 8); r++)
            mget(w, o, n, r, t[r]);
        for (int l = 0; l < (g12 ? 32 : 16); l++)
            for (int e = 0; e < (g12 ? 8 : 16); e++) {
                u32 h = t[e / 2][l] >> e % 2 * 16 & 0xffff;
                (n ? b : a)[(g12 ? l / 16 * 8 : 0) + e][l % 16] = bf ? tof(h << 16) : htof(h);
            }
    }
    u32 c[8][N];
    for (int r = 0; r < 8; r++)
        mget(w, o, 2, r, c[r]);
    for (int v = 0; v < 8; v++)
        for (int l = 0; l < N; l++) {
            int row = g12 ? v + 8 * (l / 16) : 2 * v + l / 16;
            f32 s = tof(c[v][l]);
            for (int k = 0; k < 16; k++)
                s = __builtin_fmaf(a[k][row], b[k][l % 16], s);
            c[v][l] = fof(s);
        }
    for (int r = 0; r < 8; r++)
        memcpy(w->v[o->d + r], c[r], 4 * N);
    return o + 1;
}
/* Of signed bytes, four in a word. */
INL const Op *wmma_i8(W *w, const Op *o, int g12)
{
    u32 t[4][N];
    i32 a[16][16], b[16][16]; /* [k][row] */
    const int words = g12 ? 2 : 4;
    for (int n = 0; n < 2; n++) {
        for (int r = 0; r < words; r++)
            mget(w, o, n, r, t[r]);
        for (int l = 0; l < (g12 ? 32 : 16); l++)
            for (int e = 0; e < 4 * words; e++)
                (n ? b : a)[(g12 ? l / 16 * 8 : 0) + e][l % 16] = (i8)(t[e / 4][l] >> e % 4 * 8);
    }
    u32 c[8][N];
    for (int r = 0; r < 8; r++)
        mget(w, o, 2, r, c[r]);
    for (int v = 0; v < 8; v++)
        for (int l = 0; l < N; l++) {
            int row = g12 ? v + 8 * (l / 16) : 2 * v + l / 16;
            for (int k = 0; k < 16; k++)
                c[v][l] += (u32)(a[k][row] * b[k][l % 16]);
        }
    for (int r = 0; r < 8; r++)
        memcpy(w->v[o->d + r], c[r], 4 * N);
    return o + 1;
}
const Op *op_wmma_i32_iu8_11(W *w, const Op *o) { return wmma_i8(w, o, 0); }
const Op *op_wmma_i32_iu8_12(W *w, const Op *o) { return wmma_i8(w, o, 1); }
const Op *op_wmma_f32_f16_11(W *w, const Op *o) { return wmma(w, o, 0, 0); }
const Op *op_wmma_f32_bf16_11(W *w, const Op *o) { return wmma(w, o, 1, 0); }
const Op *op_wmma_f32_f16_12(W *w, const Op *o) { return wmma(w, o, 0, 1); }
const Op *op_wmma_f32_bf16_12(W *w, const Op *o) { return wmma(w, o, 1, 1); }
#endif
