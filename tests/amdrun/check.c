/* SPDX-License-Identifier: MIT */
/* What hardware does not forgive.  The MAIN run of a launch that is checked looks at each
 * instruction by itself (WAIT, RACE, DEAD).  If it finds nothing, what it wrote to memory is taken
 * back and the launch is run again with another pattern in registers, LDS and scratch memory that
 * nothing has been written to: PROBE.  Both must do the same stores, atomics, loads and branches,
 * or an undefined value mattered (UNDEFINED).  Further runs, after a finding only, say which value
 * it was and where. */
enum { WAIT = 1, RACE, DEAD, UNDEFINED };
enum {
    C_NONE,
    C_WAIT,
    C_SIGNAL,
    C_BARRIER,
    C_EVENT,
    C_LANES,
    C_SMEM,
    C_DSLOAD,
    C_DSSTORE,
    C_DSATOMIC,
    C_LOAD,
    C_STORE,
    C_ATOMIC,
    C_BRANCH
}; /* Op.check; translate.py */
enum { MAIN, PROBE, NARROW, LOG, COMPARE, WATCH };
enum { P_BRANCH = 1, P_MASK, P_ADDRESS, P_DATA };
#define LONG 20000000 /* instructions: no longer run is repeated to say more */

typedef struct Group {
    W **w;
    u32 n, epoch, barriers; /* epoch: of the cells */
    /* a byte of LDS each: who touched it since the last barrier */
    u32 *cell;
    u64 id;
    u8 *lds, *scr;
    size_t ldsmap, scrmap, cells;
} Group;

typedef struct Checker {
    int phase, stop;
    /* undefined storage with the other pattern: see poison() */
    u64 lo, hi;
    u64 a, b;      /* where, after PROBE, the value that matters is */
    u64 now, main; /* hashes of this run and of MAIN */
    u64 *log, nlog, room, at;
    u64 executed, waves, total;
    /* addresses / PAGE of what was saved, and the copies */
    u64 *page, pages, slots, last;
    u8 **copy;
    Fault *watch;
    /* the first instruction that names the value that matters */
    u32 reader;
} Checker;

/* Does this run look at instructions by themselves? */
INL int looks(const Checker *c) { return c->phase == MAIN || c->phase == WATCH; }

/* ---- findings ---- */
static Fault *report(W *w, u32 kind, const Op *o, u32 lane, u32 what)
{
    L *l = w->launch;
    for (u32 k = 0; k < l->nfault; k++)
        if (l->fault[k].kind == kind && l->fault[k].addr == o->addr) {
            l->fault[k].times += l->checker->phase == MAIN;
            return 0;
        }
    if (l->nfault == FAULTS || l->checker->phase == WATCH)
        return 0;
    Fault *f = &l->fault[l->nfault++];
    *f = (Fault){.kind = kind,
                 .wave = w->index,
                 .lane = lane,
                 .addr = o->addr,
                 .what = what,
                 .group = w->group->id,
                 .barriers = w->group->barriers,
                 .times = 1};
    return f;
}
static void name_undefined(const L *l, u64 k, char *s, size_t n)
{
    if (k < 256 * N)
        snprintf(s, n, "v%u of lane %u", (u32)(k / N), (u32)(k % N));
    else if (k < 512 * N)
        snprintf(s, n, "a%u of lane %u", (u32)(k / N - 256), (u32)(k % N));
    else if ((k -= 512 * N) < 106)
        snprintf(s, n, "s%u", (u32)k);
    else if (k < 108)
        snprintf(s, n, "vcc");
    else if (k < 128)
        snprintf(s, n, "scalar register %u", (u32)k);
    else if (k == 128)
        snprintf(s, n, "scc");
    else if ((k -= 129) < l->lds)
        snprintf(s, n, "byte %u of LDS", (u32)k);
    else if ((k -= l->lds) < (u64)l->priv * N)
        snprintf(s, n, "byte %u of scratch memory of lane %u", (u32)(k % l->priv),
                 (u32)(k / l->priv));
    else
        snprintf(s, n, "registers, LDS or scratch memory");
}
static char kernel_name[256];
/* A finding in words, without the instructions' text, which the caller has. */
int amdrun_describe(const L *l, int k, char *s, size_t n)
{
    static const char *parts[] = {"", "branches by", "has a mask of lanes that depends on",
                                  "has an address that depends on", "has data that depend on"};
    const Fault *f = &l->fault[k];
    int m = snprintf(s, n, "%s: instruction at %#x, block %llu, wave %u", kernel_name, f->addr,
                     (unsigned long long)f->group, f->wave);
    if (f->kind == WAIT) {
        char c = f->what < 256 ? 'v' : f->what < SREG ? 'a' : 's';
        m += snprintf(s + m, n - m,
                      ": names %c%u before the wait for the access at %#x, which writes it", c,
                      f->what - (c == 'v'   ? 0
                                 : c == 'a' ? 256
                                            : SREG),
                      f->other);
    } else if (f->kind == RACE) {
        m += snprintf(s + m, n - m, ", lane %u: %s byte %u of LDS, which ", f->lane,
                      f->part & 1 ? "writes" : "reads", f->what);
        m += f->other_wave == ~0u ? snprintf(s + m, n - m, "other waves")
                                  : snprintf(s + m, n - m, "wave %u", f->other_wave);
        m += snprintf(s + m, n - m, " %s", f->part & 2 ? "wrote" : "read");
        if (f->other)
            m += snprintf(s + m, n - m, " by the instruction at %#x", f->other);
        m += snprintf(s + m, n - m, ", with no barrier between");
    } else if (f->kind == DEAD)
        m += snprintf(s + m, n - m, ": lane %u, beyond the block, takes part in a memory access",
                      f->lane);
    else {
        char what[80];
        name_undefined(l, f->what == ~0u ? ~0ull : f->what, what, sizeof what);
        m += snprintf(s + m, n - m, ": %s %s, which nobody wrote", parts[f->part], what);
        if (f->other)
            m += snprintf(s + m, n - m, "; first read by the instruction at %#x", f->other);
    }
    return m;
}

/* ---- registers before their wait ---- */
INL void bit_of(u64 *sig, u32 r)
{
    if (r < SREG)
        sig[0] |= 1ull << (r >> 2 & 63);
    else
        sig[1] |= 1ull << (r >> 1 & 63);
}
INL int has_result(const Op *o)
{
    return o->check == C_SMEM || o->check == C_LANES || o->check == C_DSLOAD ||
           o->check == C_LOAD || ((o->check == C_DSATOMIC || o->check == C_ATOMIC) && o->f2);
}
static __attribute__((noinline)) void settle(W *w)
{
    u32 n = 0;
    w->sig[0] = w->sig[1] = 0;
    for (u32 k = 0; k < w->nevents; k++) {
        Event *e = &w->events[k];
        if ((e->sig[0] | e->sig[1]) && !(e->left & e->data)) {
            const Op *o = e->op;
            for (u32 r = o->use[0]; r < o->use[0] + o->len[0]; r++)
                if (w->pending[r] == e->serial)
                    w->pending[r] = 0;
            e->sig[0] = e->sig[1] = 0;
        }
        w->sig[0] |= e->sig[0];
        w->sig[1] |= e->sig[1];
        if (e->left || e->late) {
            if (n != k)
                w->events[n] = *e;
            n++;
        }
    }
    w->nevents = n;
}
/* Of accesses that end in the order of their issue, one is over if no more of a counter are left
 * than were issued after it. */
static void wait_for(W *w, const Op *o)
{
    for (int c = 0; c < 4; c++) {
        u32 later = 0;
        if (o->limit[c] != 255)
            for (u32 k = w->nevents; k--;) {
                Event *e = &w->events[k];
                if (!(e->left >> c & 1))
                    continue;
                if (o->limit[c] <= (e->op->unordered ? 0 : later))
                    e->left &= ~(1u << c);
                later += !e->op->unordered;
            }
    }
    settle(w);
}
static void issue(W *w, const Op *o, u8 data, u64 exec, const u32 *a)
{
    if (w->nevents == EVENTS) { /* more than the counters hold: the oldest is over */
        w->events[0].left = w->events[0].late = 0;
        settle(w);
    }
    Event *e = &w->events[w->nevents++];
    e->op = o;
    e->serial = ++w->serial;
    e->left = o->counters;
    e->data = data;
    e->late = w->signalled;
    e->sig[0] = e->sig[1] = 0;
    if ((e->exec = exec))
        memcpy(e->a, a, sizeof e->a);
    if (has_result(o)) {
        for (u32 r = o->use[0]; r < o->use[0] + o->len[0]; r++) {
            w->pending[r] = e->serial;
            bit_of(e->sig, r);
        }
        w->sig[0] |= e->sig[0];
        w->sig[1] |= e->sig[1];
    }
}
static __attribute__((noinline)) void named(W *w, const Op *o)
{
    for (u32 k = 0; k < o->nuse; k++)
        for (u32 r = o->use[k]; r < o->use[k] + o->len[k]; r++) {
            if (!w->pending[r])
                continue;
            const Event *e = w->events;
            while (e->serial != w->pending[r])
                e++;
            if (!k && has_result(o) && o->counters == e->op->counters && !o->unordered &&
                !e->op->unordered)
                continue; /* loads that end in order also write in order */
            Fault *f = report(w, WAIT, o, 0, r);
            if (f)
                f->other = e->op->addr;
            return;
        }
}

/* ---- lanes beyond the block ---- */
INL void lanes_exist(W *w, const Op *o)
{
    u64 x = rdexec(w) & ~w->alive;
    if (__builtin_expect(x != 0, 0))
        report(w, DEAD, o, __builtin_ctzll(x), 0);
}

/* ---- races in LDS ---- A cell is a byte's: epoch << 16 | writer << 8 | reader, where 0 is nobody,
 * 1 wave 0 and MANY more than one; ATOMIC is with a writer whose write was an atomic, which does
 * not race with others.  A cell of a former epoch is empty. */
#define ATOMIC 64
#define MANY 63
INL int conflicts(u32 c, u32 epoch, u32 me, int kind)
{
    u32 wr = c >> 8 & 0xff, rd = c & 0xff, same = -(c >> 16 == epoch);
    u32 written = (wr != 0) & ((wr & MANY) != me), read = (rd != 0) & (rd != me);
    if (kind == C_DSLOAD)
        return same & written;
    return same & (kind == C_DSSTORE ? written | read : (written & !(wr & ATOMIC)) | read);
}
INL u32 touched(u32 c, u32 epoch, u32 me, int kind)
{
    u32 now = c >> 16 == epoch ? c & 0xffff : 0, wr = now >> 8, rd = now & 0xff;
    if (kind == C_DSLOAD)
        rd = rd == 0 || rd == me ? me : MANY;
    else if (kind == C_DSSTORE)
        wr = me;
    else
        wr = wr == 0 || wr == (me | ATOMIC) ? me | ATOMIC : wr & ATOMIC ? MANY | ATOMIC : wr;
    return epoch << 16 | wr << 8 | rd;
}
static __attribute__((noinline)) void race(W *w, const Op *o, u32 lane, u32 byte, int n, int kind)
{
    for (int k = 0; k < n; k++) {
        u32 c = w->group->cell[byte + k], me = w->index + 1, wr = c >> 8 & 0xff;
        if (!conflicts(c, w->group->epoch, me, kind))
            continue;
        int by_write = wr && (wr & MANY) != me && (kind != C_DSATOMIC || !(wr & ATOMIC));
        u32 other = by_write ? wr & MANY : c & 0xff;
        Fault *f = report(w, RACE, o, lane, byte + k);
        if (f) {
            f->other_wave = other == MANY ? ~0u : other - 1;
            f->part = (kind != C_DSLOAD) | by_write << 1 | (kind == C_DSATOMIC) << 2;
        }
        return;
    }
}
/* The instruction that a finding's other wave touched the byte with: the last before the finding's
 * own. */
static void watch(W *w, const Op *o, u32 byte, int n, int kind)
{
    Checker *c = w->launch->checker;
    Fault *f = c->watch;
    if (w->group->id != f->group || w->group->barriers != f->barriers || f->what < byte ||
        f->what >= byte + n)
        return;
    int wrote = kind != C_DSLOAD, both_atomic = f->part & 4 && kind == C_DSATOMIC;
    if (w->index == f->wave)
        c->stop |= o->addr == f->addr;
    else if (f->other_wave == w->index || f->other_wave == ~0u)
        if (wrote == (f->part >> 1 & 1) && !both_atomic)
            f->other = o->addr;
}
/* Are n cells all as an access like this leaves them, so that there is nothing to do? */
INL int settled(const u32 *c, const int n, u64 same)
{
    u64 x = 0, y;
    for (int k = 0; k + 1 < n; k += 2) {
        memcpy(&y, c + k, 8);
        x |= y ^ same;
    }
    return n > 1 && !x;
}
INL void mark(W *w, const Op *o, u64 ex, const u32 *a, u32 off, const int n, const int kind)
{
    Group *g = w->group;
    u32 me = w->index + 1, epoch = g->epoch, before = ~0u;
    int watched = w->launch->checker->phase == WATCH;
    const u32 by_me = kind == C_DSLOAD ? me : kind == C_DSSTORE ? me << 8 : (me | ATOMIC) << 8;
    const u32 by_many = kind == C_DSLOAD ? MANY : (MANY | ATOMIC) << 8;
    const u64 mine = (epoch << 16 | by_me) * 0x100000001ull,
              shared = (epoch << 16 | by_many) * 0x100000001ull;
    for (int i = 0; i < N; i++)
        if (ex >> i & 1) {
            u32 byte = a[i] + off, bad = 0, *c = g->cell + byte;
            /* beyond LDS: the access will fail */
            if (byte == before || (u64)byte + n > w->ldssize)
                continue;
            before = byte;
            if (watched)
                watch(w, o, byte, n, kind);
            else if (settled(c, n, mine) || (kind != C_DSSTORE && settled(c, n, shared)))
                continue;
            for (int k = 0; k < n; k++)
                bad |= conflicts(c[k], epoch, me, kind);
            if (__builtin_expect(bad, 0))
                race(w, o, i, byte, n, kind);
            for (int k = 0; k < n; k++)
                c[k] = touched(c[k], epoch, me, kind);
        }
}
INL void mark_all(W *w, const Op *o, u64 ex, const u32 *a, u32 off, const int kind)
{
    switch (o->width) {
    case 1:
        mark(w, o, ex, a, off, 1, kind);
        break;
    case 2:
        mark(w, o, ex, a, off, 2, kind);
        break;
    case 4:
        mark(w, o, ex, a, off, 4, kind);
        break;
    case 8:
        mark(w, o, ex, a, off, 8, kind);
        break;
    case 12:
        mark(w, o, ex, a, off, 12, kind);
        break;
    default:
        mark(w, o, ex, a, off, 16, kind);
        break;
    }
}
static __attribute__((noinline)) void touch(W *w, const Op *o, u64 ex, const u32 *a)
{
    int flat = o->check >= C_LOAD, kind = flat ? o->check - C_LOAD + C_DSLOAD : o->check,
        two = !flat && o->cls & 1;
    u32 unit = o->width * (o->cls & 2 ? 64 : 1);
    for (int k = 0; k <= two; k++) {
        u32 off = flat ? 0 : two ? (k ? o->x1 : o->x0) * unit : (u32)o->imm;
        if (kind == C_DSLOAD)
            mark_all(w, o, ex, a, off, C_DSLOAD);
        else if (kind == C_DSSTORE)
            mark_all(w, o, ex, a, off, C_DSSTORE);
        else
            mark_all(w, o, ex, a, off, C_DSATOMIC);
    }
}
/* What is on its way when the wave arrives at a barrier may happen before it or after it. */
static void hold(W *w)
{
    for (u32 k = 0; k < w->nevents; k++)
        if (w->events[k].exec && w->events[k].left)
            w->events[k].late = 1;
}

/* of groups that ended: epochs go on */
static struct {
    u32 *cell;
    size_t n;
    u32 epoch;
} spare[8];
static void next_epoch(Group *g)
{
    if (++g->epoch < 0x10000)
        return;
    memset(g->cell, 0, g->cells * sizeof *g->cell);
    g->epoch = 1;
}
static void take_cells(Group *g, size_t n)
{
    for (int k = 0; k < 8; k++)
        if (spare[k].cell && spare[k].n >= n) {
            g->cell = spare[k].cell;
            g->cells = spare[k].n;
            g->epoch = spare[k].epoch;
            spare[k].cell = 0;
            next_epoch(g);
            return;
        }
    g->cell = calloc(n, sizeof *g->cell);
    if (!g->cell)
        abort();
    g->cells = n;
    g->epoch = 1;
}
static void leave_cells(Group *g)
{
    int k = 0;
    while (k < 7 && spare[k].cell)
        k++;
    free(spare[k].cell);
    spare[k].cell = g->cell;
    spare[k].n = g->cells;
    spare[k].epoch = g->epoch;
}
static void after_barrier(Group *g)
{
    g->barriers++;
    if (!g->cell)
        return;
    next_epoch(g);
    for (u32 j = 0; j < g->n; j++) {
        W *w = g->w[j];
        for (u32 k = 0; k < w->nevents; k++)
            if (w->events[k].late) {
                w->events[k].late = 0;
                if (w->events[k].exec)
                    touch(w, w->events[k].op, w->events[k].exec, w->events[k].a);
            }
    }
}

/* ---- values that nobody wrote ---- */
/* Storage by index: vector registers, lane by lane; 128 scalar ones and SCC; LDS; the scratch
 * memory of each lane. */
static void poison(W *w)
{
    const L *l = w->launch;
    u64 lo = 0, hi = 0, all = 512 * N;
    if (l->checker) {
        lo = l->checker->lo;
        hi = l->checker->hi;
    }
    memset(w->v, lo == 0 && hi >= all ? 0x38 : 0xC7, sizeof w->v);
    if (lo || hi < all)
        for (u64 k = lo; k < hi && k < all; k++)
            w->v[k / N][k % N] = 0x38383838;
    for (u32 i = 0; i < 128; i++)
        w->s[i] = 0xCAFE0000u + i;
    for (u64 k = lo < all ? all : lo; k < hi && k < all + 128; k++)
        w->s[k - all] ^= ~0u;
    w->scc = all + 128 >= lo && all + 128 < hi;
}
static void poison_bytes(const L *l, u8 *p, u64 n, u64 first, u8 value)
{
    u64 lo = l->checker ? l->checker->lo : 0, hi = l->checker ? l->checker->hi : 0;
    lo = lo < first ? 0 : lo - first;
    hi = hi < first ? 0 : hi - first < n ? hi - first : n;
    memset(p, value, n);
    if (lo < hi)
        memset(p + lo, value ^ 0xff, hi - lo);
}

#define POISON_LDS (512 * N + 129) /* the first index of LDS */

static void note(W *w, const Op *o, u32 part, u64 h)
{
    Checker *c = w->launch->checker;
    h = (h + part) * 0x9E3779B97F4A7C15ull ^ (u64)o->addr << 8 ^ part;
    if (c->phase == LOG) {
        if (c->nlog == c->room && c->room < 1 << 25)
            c->log = realloc(c->log, (c->room = c->room * 2 + 4096) * sizeof *c->log);
        if (!c->log)
            abort();
        if (c->nlog < c->room)
            c->log[c->nlog++] = h;
    } else if (c->phase == COMPARE) {
        if (c->stop || (c->at < c->nlog && c->log[c->at++] == h))
            return;
        c->stop = 1;
        Fault *f = report(w, UNDEFINED, o, 0, c->b - c->a == 1 ? (u32)c->a : ~0u);
        if (f) {
            f->part = part;
            f->other = c->reader;
        }
    } else
        w->hash = ((w->hash ^ h) + 1) * 0xD6E8FEB86659FD93ull;
}
INL u64 lanes_hash(const u32 *x, const u32 *m, u32 keep)
{
    u32 a = 0, b = 0;
    for (int i = 0; i < N; i++) {
        u32 y = x[i] & m[i] & keep;
        a += y * ((u32)i * 0x9E3779B2u + 0x85EBCA6Bu);
        b += (y ^ y >> 15) * ((u32)i * 0x85EBCA6Au + 0xC2B2AE35u);
    }
    return a | (u64)b << 32;
}
#define PAGE 4096
static __attribute__((noinline)) void save(Checker *c, u64 page)
{
    if (2 * (c->pages + 1) > c->slots) {
        u64 n = c->slots ? 2 * c->slots : 256, *page2 = calloc(n, sizeof *page2);
        u8 **copy2 = calloc(n, sizeof *copy2);
        if (!page2 || !copy2)
            abort();
        for (u64 k = 0; k < c->slots; k++)
            if (c->page[k]) {
                u64 s = c->page[k] * 0x9E3779B97F4A7C15ull % n;
                while (page2[s])
                    s = (s + 1) % n;
                page2[s] = c->page[k];
                copy2[s] = c->copy[k];
            }
        free(c->page);
        free(c->copy);
        c->page = page2;
        c->copy = copy2;
        c->slots = n;
    }
    u64 s = page * 0x9E3779B97F4A7C15ull % c->slots;
    while (c->page[s] && c->page[s] != page)
        s = (s + 1) % c->slots;
    c->last = page;
    if (c->page[s])
        return;
    u8 *p = malloc(PAGE);
    if (!p)
        abort();
    memcpy(p, (const void *)(page * PAGE), PAGE);
    c->page[s] = page;
    c->copy[s] = p;
    c->pages++;
}
static void add_hash(const Group *g)
{
    Checker *c = g->w[0]->launch->checker;
    for (u32 j = 0; j < g->n; j++)
        c->now += (g->w[j]->hash ^ (g->id << 5 | j)) * 0x9E3779B97F4A7C15ull >> 7;
}
static void take_back(Checker *c)
{
    for (u64 k = 0; k < c->slots; k++)
        if (c->page[k])
            memcpy((void *)(c->page[k] * PAGE), c->copy[k], PAGE);
}
static void vector_memory(W *w, const Op *o, int full)
{
    Checker *c = w->launch->checker;
    u64 ex = rdexec(w), base = mbase(w, o), local = 0;
    u8 data = o->counters;
    u32 a[N];
    if (o->f0 != 3) { /* every lane of a wave has private memory */
        if (full)
            lanes_exist(w, o);
        const u32 *m = xmask(w), *lo = w->v[o->s[0]], *hi = w->v[o->s[0] + 1];
        note(w, o, P_MASK, ex);
        note(w, o, P_ADDRESS,
             lanes_hash(lo, m, ~0u) * 3 + (o->f0 == 1 ? base : lanes_hash(hi, m, ~0u)));
        if (o->check != C_LOAD) {
            const u32 *x = w->v[o->check == C_STORE ? o->d : o->s[2]];
            u64 h = 0;
            int words = o->check == C_STORE ? (o->width + 3) / 4 : o->len[o->f2 ? 2 : 1];
            for (int j = 0; j < words; j++)
                h = h * 5 + lanes_hash(x + j * N, m, o->check == C_STORE ? o->keep : ~0u);
            note(w, o, P_DATA, h);
        }
        if (o->f0 == 2) {
            for (int i = 0; i < N; i++) {
                u64 p = (lo[i] | (u64)hi[i] << 32) + base;
                a[i] = (u32)p;
                local |= (u64)(p >> 32 == SHARED_HI) << i;
            }
            local &= ex;
            data = (local != ex) | (local != 0) << 1;
            if (full && local && w->group->cell)
                touch(w, o, local, a);
        }
        if (o->check != C_LOAD)
            for (int i = 0; i < N; i++)
                if (ex >> i & 1) {
                    u64 p = (o->f0 == 1 ? base + lo[i] : (lo[i] | (u64)hi[i] << 32) + base);
                    if (o->f0 == 2 && (p >> 32 == SHARED_HI || p >> 32 == PRIVATE_HI))
                        continue;
                    if (p / PAGE != c->last)
                        save(c, p / PAGE);
                    if ((p + o->width - 1) / PAGE != c->last)
                        save(c, (p + o->width - 1) / PAGE);
                }
    }
    if (full)
        issue(w, o, data, w->group->cell ? local : 0, a);
}

/* Does the instruction read the undefined place that matters?  By its operands: the first is its
 * result, if it has one. */
static void first_reader(W *w, const Op *o)
{
    Checker *c = w->launch->checker;
    const u64 lds = POISON_LDS;
    if (c->a >= lds + w->launch->lds)
        return;
    if (c->a >= lds) {
        if (o->check != C_DSLOAD)
            return;
        u64 ex = rdexec(w);
        u32 unit = o->width * (o->cls & 2 ? 64 : 1), byte = (u32)(c->a - lds);
        for (int k = 0; k <= (o->cls & 1); k++)
            for (int i = 0; i < N; i++)
                if (ex >> i & 1) {
                    u32 p =
                        w->v[o->s[0]][i] + (o->cls & 1 ? (k ? o->x1 : o->x0) * unit : (u32)o->imm);
                    if (byte >= p && byte < p + o->width)
                        c->reader = o->addr;
                }
        return;
    }
    u32 r = (u32)(c->a < 512 * N ? c->a / N : c->a - 512 * N + SREG);
    int result = o->check != C_STORE && o->check != C_DSSTORE &&
                 !((o->check == C_ATOMIC || o->check == C_DSATOMIC) && !o->f2);
    for (u32 k = result; k < o->nuse; k++)
        if (r >= o->use[k] && r < o->use[k] + o->len[k])
            c->reader = o->addr;
}

/* ---- before an instruction that is more than arithmetic ---- */
static __attribute__((noinline)) void before(W *w, const Op *o, int full)
{
    switch (o->check) {
    case C_WAIT:
        if (full)
            wait_for(w, o);
        break;
    case C_SIGNAL:
        if (full) {
            hold(w);
            w->signalled = 1;
        }
        break;
    case C_BARRIER:
        if (full) {
            if (!w->signalled)
                hold(w);
            w->signalled = 0;
        }
        break;
    case C_EVENT:
    case C_LANES:
        if (full)
            issue(w, o, o->counters, 0, 0);
        break;
    case C_SMEM:
        note(w, o, P_ADDRESS, rd64(w, o->s[0]) + (o->k[1] == KS ? w->s[o->s[1]] : 0));
        if (full)
            issue(w, o, o->counters, 0, 0);
        break;
    case C_DSLOAD:
    case C_DSSTORE:
    case C_DSATOMIC:
        if (full) {
            lanes_exist(w, o);
            int several = w->group->cell != 0;
            if (several)
                touch(w, o, rdexec(w), w->v[o->s[0]]);
            issue(w, o, o->counters, several ? rdexec(w) : 0, w->v[o->s[0]]);
        }
        break;
    case C_LOAD:
    case C_STORE:
    case C_ATOMIC:
        vector_memory(w, o, full);
        break;
    }
}
/* `left` instructions of a wave at most, or until it stops; returns how many were not run. */
static i64 checked(W *w, const Op **at, i64 left)
{
    const Op *p = *at, *q;
    Checker *c = w->launch->checker;
    if (looks(c)) {
        const u64 counts = c->phase == MAIN;
        while (p && left-- > 0) {
            ((Op *)p)->count += counts;
            w->cur = p;
            if (__builtin_expect((p->sig[0] & w->sig[0]) | (p->sig[1] & w->sig[1]), 0))
                named(w, p);
            if (p->check)
                before(w, p, 1);
            if (__builtin_expect(c->stop, 0)) {
                *at = 0;
                return left;
            }
            q = p->fn(w, p);
            if (p->check == C_BRANCH && q)
                note(w, p, P_BRANCH, q->addr);
            p = q;
        }
    } else
        while (p && left-- > 0) {
            w->cur = p;
            if (c->phase == COMPARE && c->b - c->a == 1 && !c->reader)
                first_reader(w, p);
            if (p->check >= C_SMEM)
                before(w, p, 0);
            if (__builtin_expect(c->stop, 0)) {
                *at = 0;
                return left;
            }
            q = p->fn(w, p);
            if (p->check == C_BRANCH && q)
                note(w, p, P_BRANCH, q->addr);
            p = q;
        }
    *at = p;
    return left;
}

/* ---- the runs of a launch ---- */
static void begin(L *l)
{
    Checker *c = l->checker = calloc(1, sizeof *c);
    if (!c)
        abort();
    c->total = POISON_LDS + l->lds + (u64)l->priv * N;
}
static void end(L *l)
{
    Checker *c = l->checker;
    for (u64 k = 0; k < c->slots; k++)
        free(c->copy[k]);
    free(c->page);
    free(c->copy);
    free(c->log);
    free(c);
    l->checker = 0;
}
static u64 limit(const L *l)
{
    const Checker *c = l->checker;
    u64 more = c && c->phase != MAIN ? 4 * c->executed + 1000000 : l->limit;
    return more < l->limit ? more : l->limit;
}
/* Two instructions that race are found from either side: the first is kept. */
static void once(L *l)
{
    u32 n = 0;
    for (u32 k = 0; k < l->nfault; k++) {
        u32 j = 0;
        const Fault *f = &l->fault[k];
        for (const Fault *e = l->fault; j < n; j++, e++)
            if (f->kind == RACE && e->kind == RACE && f->other && e->addr == f->other &&
                e->other == f->addr)
                break;
        if (j == n)
            l->fault[n++] = *f;
    }
    l->nfault = n;
}
/* What to do after a run that ended with rc: another (1), or none, as the launch is over. */
static int again(L *l, int rc)
{
    Checker *c = l->checker;
    int next = WATCH;
    if (c->phase == MAIN) {
        c->executed = l->executed;
        c->waves = l->waves;
        c->main = c->now;
        if (rc) {
            end(l);
            return 0;
        }
        if (l->poison && !l->nfault) {
            next = PROBE;
            c->lo = 0;
            c->hi = ~0ull;
        }
    } else if (c->phase == PROBE && (rc || c->now != c->main)) {
        c->a = 0;
        c->b = c->executed < LONG ? c->total : ~0ull;
        next = c->executed < LONG ? NARROW : LOG;
    } else if (c->phase == NARROW) {
        if (rc || c->now != c->main)
            c->b = c->hi;
        else
            c->a = c->hi;
        next = c->b - c->a == 1 ? LOG : NARROW;
    } else if (c->phase == LOG)
        next = COMPARE;
    else if (c->phase == COMPARE && !c->stop && c->b != ~0ull) {
        next = LOG; /* one undefined place alone does not do it */
        c->a = c->nlog = 0;
        c->b = ~0ull;
    }
    if (next == NARROW) {
        c->lo = c->a;
        c->hi = (c->a + c->b) / 2;
    }
    if (next == LOG) {
        c->lo = c->a;
        c->hi = c->b;
    }
    if (next == COMPARE || next == WATCH)
        c->lo = c->hi = 0;
    if (next == WATCH) {
        Fault *f = c->watch ? c->watch + 1 : l->fault;
        while (f < l->fault + l->nfault && f->kind != RACE)
            f++;
        c->watch = f;
        if (f == l->fault + l->nfault || c->executed >= LONG) {
            once(l);
            l->executed = c->executed;
            l->waves = c->waves;
            end(l);
            return 0;
        }
    }
    take_back(c);
    c->phase = next;
    c->now = c->at = c->last = c->stop = 0;
    l->next = l->executed = l->waves = 0;
    return 1;
}
