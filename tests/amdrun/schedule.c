/* SPDX-License-Identifier: MIT */
/* Workgroups: their waves take turns. */
static u8 *guarded(size_t n, u8 **base, size_t *map)
{
    size_t pg = (size_t)sysconf(_SC_PAGESIZE), body = (n + pg - 1) / pg * pg;
    u8 *p = mmap(0, body + 2 * pg, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        perror("amdrun: mmap");
        abort();
    }
    mprotect(p, pg, PROT_NONE);
    mprotect(p + pg + body, pg, PROT_NONE);
    *base = p;
    *map = body + 2 * pg;
    return p + pg;
}
static W *freew; /* waves to use again: a list through pc */
static Group *start(L *l, u64 g)
{
    u32 id[3] = {(u32)(g % l->grid[0]), (u32)(g / l->grid[0] % l->grid[1]),
                 (u32)(g / l->grid[0] / l->grid[1])};
    u32 threads = l->block[0] * l->block[1] * l->block[2];
    Group *p = calloc(1, sizeof *p);
    p->n = (threads + N - 1) / N;
    p->id = g;
    p->w = calloc(p->n, sizeof *p->w);
    size_t nl = (l->lds + 3) & ~3u;
    u8 *lds = guarded(nl ? nl : 4, &p->lds, &p->ldsmap), *scr = 0;
    if (l->poison)
        poison_bytes(l, lds, nl, POISON_LDS, 0x5A);
    if (l->priv) {
        scr = guarded((size_t)l->priv * N * p->n, &p->scr, &p->scrmap);
        for (u32 j = 0; j < p->n; j++)
            poison_bytes(l, scr + j * l->priv * N, l->priv * N, POISON_LDS + l->lds, 0x3C);
    }
    if (l->checker && looks(l->checker) && p->n > 1 && nl)
        take_cells(p, nl);
    for (u32 j = 0; j < p->n; j++) {
        W *w = freew;
        if (w)
            freew = (W *)w->pc;
        else if (posix_memalign((void **)&w, 64, sizeof *w))
            abort();
        p->w[j] = w;
        memset((char *)w + sizeof w->v, 0, offsetof(W, events) - sizeof w->v);
        w->launch = l;
        w->group = p;
        w->index = j;
        w->mute = l->checker && l->checker->phase != MAIN;
        if (l->poison)
            poison(w);
        else
            memset(w->v, 0, sizeof w->v);
        for (u32 i = 0; i < l->nfixed; i++)
            w->s[i] = l->fixed[i];
        u32 q = l->nuser;
        if (l->rdna4) {
            w->s[108 + 9] = id[0];
            w->s[108 + 7] = (id[1] & 0xffff) | id[2] << 16;
        } else {
            for (int b = 0; b < 3; b++)
                if (l->rsrc2 >> (7 + b) & 1)
                    w->s[q++] = id[b];
            if (l->rsrc2 >> 10 & 1)
                w->s[q++] = 0;
            if ((l->rsrc2 & 1) && l->cdna)
                w->s[q] = 0;
        }
        u32 first = j * N, n = threads - first < N ? threads - first : N;
        for (u32 i = 0; i < n; i++) {
            u32 t = first + i;
            u32 x = t % l->block[0], y = t / l->block[0] % l->block[1],
                z = t / (l->block[0] * l->block[1]);
            if (l->apart) {
                w->v[0][i] = x;
                w->v[1][i] = y;
                w->v[2][i] = z;
            } else
                w->v[0][i] = z << 20 | y << 10 | x;
        }
        u64 ex = n == 64 ? ~0ull : (1ull << n) - 1;
        w->alive = ex;
        w->s[EXEC] = (u32)ex;
        w->s[EXEC + 1] = ex >> 32;
        w->s[NULLREG] = w->s[NULLREG + 1] = 0;
        chexec(w);
        w->lds = lds;
        w->ldssize = nl;
        w->scratch = scr ? scr + (size_t)j * N * l->priv : 0;
        w->stride = l->priv;
        w->pc = l->map[(l->entry - l->textbase) >> 2];
        l->waves++;
    }
    return p;
}
static void finish(Group *g)
{
    for (u32 j = 0; j < g->n; j++) {
        g->w[j]->pc = (const Op *)freew;
        freew = g->w[j];
    }
    if (g->cell)
        leave_cells(g);
    munmap(g->lds, g->ldsmap);
    if (g->scr)
        munmap(g->scr, g->scrmap);
    free(g->w);
    free(g);
}

static W *volatile running;
static struct sigaction old_segv, old_bus;
static void on_fault(int sig, siginfo_t *si, void *ctx)
{
    (void)ctx;
    char b[512];
    W *w = running;
    int n = snprintf(b, sizeof b, "amdrun: %s: bad access to %p by the instruction at %#x\n",
                     kernel_name, si->si_addr, w && w->cur ? w->cur->addr : 0);
    if (write(2, b, n) < 0) {}
    sigaction(sig, sig == SIGSEGV ? &old_segv : &old_bus, 0);
}

/* Some instructions of a wave: `slice`, or until it waits, ends or cannot go on. */
static void turn(L *l, W *w, i64 slice)
{
    running = w;
    i64 left = slice;
    const Op *p = w->pc;
    if (l->trace && !w->mute)
        while (p && left-- > 0) {
            dprintf((int)l->trace - 1, "w%u %#x\n", w->index, p->addr);
            ((Op *)p)->count++;
            w->cur = p;
            p = p->fn(w, p);
        }
    else if (l->checker)
        left = checked(w, &p, left);
    else
        while (p && left-- > 0) {
            ((Op *)p)->count++;
            w->cur = p;
            p = p->fn(w, p);
        }
    if (p) {
        w->pc = p;
        left++;
    }
    l->executed += slice - left;
}
/* All workgroups.  0 done, 1 too many instructions, 2 code needed at l->need, 3 ran into the end of
 * the code */
static int run(L *l)
{
    u64 total = (u64)l->grid[0] * l->grid[1] * l->grid[2];
    if (!l->live)
        l->live = calloc(l->resident, sizeof(Group *));
    Group **live = l->live;
    for (;;) {
        while (l->nlive < l->resident && l->next < total)
            live[l->nlive++] = start(l, l->next++);
        if (!l->nlive)
            return 0;
        for (u64 q = 0; q < l->nlive; q++) {
            Group *g = live[q];
            u32 done = 0, held = 0;
            for (u32 j = 0; j < g->n; j++) {
                W *w = g->w[j];
                if (w->state == RUN) {
                    turn(l, w, l->nlive > 1 || g->n > 1 ? (i64)l->slice : 1 << 20);
                    if (l->checker && l->checker->stop)
                        return 0;
                    if (w->state == NEED) {
                        w->state = RUN;
                        l->need = w->need;
                        if (!w->mute)
                            ((Op *)w->pc)->count--;
                        return 2;
                    }
                    if (w->state == STOP)
                        return 3;
                }
                done += w->state == END;
                held += w->state == BARRIER;
            }
            if (done == g->n) {
                if (l->checker)
                    add_hash(g);
                finish(g);
                live[q--] = live[--l->nlive];
            } else if (done + held == g->n) {
                for (u32 j = 0; j < g->n; j++)
                    if (g->w[j]->state == BARRIER)
                        g->w[j]->state = RUN;
                if (l->checker)
                    after_barrier(g);
            }
        }
        if (l->executed > limit(l))
            return 1;
    }
}
int amdrun_launch(L *l, const char *name)
{
    snprintf(kernel_name, sizeof kernel_name, "%s", name);
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sa.sa_sigaction = on_fault;
    sa.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, &sa, &old_segv);
    sigaction(SIGBUS, &sa, &old_bus);
    if (l->check && !l->trace && !l->checker)
        begin(l);
    int rc, result;
    do {
        rc = result = run(l);
        if (rc == 2)
            break;
        for (u64 q = 0; q < l->nlive; q++)
            finish(l->live[q]);
        l->nlive = 0;
        if (l->checker && l->checker->phase != MAIN)
            result = 0; /* MAIN went well */
    } while (l->checker && again(l, rc));
    running = 0;
    sigaction(SIGSEGV, &old_segv, 0);
    sigaction(SIGBUS, &old_bus, 0);
    if (rc == 2)
        return 2;
    free(l->live);
    l->live = 0;
    if (!(l->check & QUIET))
        for (u32 k = 0; k < l->nfault; k++) {
            char s[512];
            amdrun_describe(l, k, s, sizeof s);
            fprintf(stderr, "amdrun: %s\n", s);
        }
    return result;
}
void amdrun_clear(Op *op, u64 n)
{
    for (u64 i = 0; i < n; i++) {
        op[i].count = 0;
        memset(op[i].st, 0, sizeof op[i].st);
    }
}
/* Instructions executed: `first` says which operations begin one. */
u64 amdrun_total(const Op *op, const u8 *first, u64 n)
{
    u64 sum = 0;
    for (u64 i = 0; i < n; i++)
        sum += first[i] ? op[i].count : 0;
    return sum;
}
u64 amdrun_sizes(int i) { return i == 0 ? sizeof(Op) : i == 1 ? sizeof(L) : N; }
