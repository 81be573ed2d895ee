/* SPDX-License-Identifier: MIT */
/* Counting forms of memory operations: they look at the addresses, then run the operation behind
 * them. st[0] LDS clocks or 64-byte lines; st[1] clocks without conflicts or 128-byte lines; st[2]
 * bytes; st[3] lanes. */

/* Lanes that the LDS serves in one clock if no two of them want different words of a bank. */
static const u8 GROUP128[8][8] = {/* 16-byte reads */
                                  {0, 1, 2, 3, 20, 21, 22, 23},
                                  {4, 5, 6, 7, 16, 17, 18, 19},
                                  {8, 9, 10, 11, 28, 29, 30, 31},
                                  {12, 13, 14, 15, 24, 25, 26, 27},
                                  {32, 33, 34, 35, 52, 53, 54, 55},
                                  {36, 37, 38, 39, 48, 49, 50, 51},
                                  {40, 41, 42, 43, 60, 61, 62, 63},
                                  {44, 45, 46, 47, 56, 57, 58, 59}};

static int group_clocks(const u32 *a, const u32 *b, const u8 *lanes, int n, u64 ex, int words)
{
    u32 seen[32][64]; /* the words asked of each bank */
    u8 cnt[32];
    int worst = 0;
    memset(cnt, 0, sizeof cnt);
    for (int j = 0; j < n; j++) {
        int i = lanes[j];
        if (!(ex >> i & 1))
            continue;
        for (int q = 0; q < (b ? 2 : 1) * words; q++) {
            u32 word = ((q < words ? a : b)[i] >> 2) + q % words, bank = word & 31, c = cnt[bank],
                k;
            for (k = 0; k < c && seen[bank][k] != word; k++) {}
            if (k == c && c < 64) {
                seen[bank][c] = word;
                if (++cnt[bank] > worst)
                    worst = cnt[bank];
            }
        }
    }
    return worst;
}
/* Clocks of an access of `bytes` at a, and at b if there is a second address. */
static int lds_clocks(const u32 *a, const u32 *b, u64 ex, int bytes, int write, int *ideal)
{
    int words = bytes < 4 ? 1 : bytes / 4, all = words * (b ? 2 : 1),
        per = all == 1   ? 32
              : all == 2 ? 16
                         : 8,
        clocks = 0;
    *ideal = 0;
    for (int g = 0; g < N / per; g++) {
        u8 l[32];
        for (int j = 0; j < per; j++)
            l[j] = per == 8 && !write && !b ? GROUP128[g][j] : (u8)(g * per + j);
        int c = group_clocks(a, b, l, per, ex, words);
        clocks += c;
        *ideal += c > 0;
    }
    return clocks;
}
/* cls: 1 two addresses, 2 of 64 elements stride, 4 store; width: bytes of an element */
const Op *op_count_lds(W *w, const Op *o)
{
    Op *m = (Op *)o;
    if (w->mute)
        return o->fn2(w, o);
    u64 ex = rdexec(w);
    u32 a[N], b[N];
    int ideal, ideal2, lanes = __builtin_popcountll(ex);
    if (o->cls & 1) {
        u32 unit = o->width * (o->cls & 2 ? 64 : 1);
        for (int i = 0; i < N; i++) {
            a[i] = w->v[o->s[0]][i] + o->x0 * unit;
            b[i] = w->v[o->s[0]][i] + o->x1 * unit;
        }
        int together = lds_clocks(a, b, ex, o->width, o->cls & 4, &ideal);
        int apart = lds_clocks(a, 0, ex, o->width, o->cls & 4, &ideal2) +
                    lds_clocks(b, 0, ex, o->width, o->cls & 4, &ideal2);
        m->st[0] += together < apart ? together : apart; /* which it is, no document says */
        m->st[1] += ideal;
        m->st[2] += (u64)lanes * o->width * 2;
    } else {
        for (int i = 0; i < N; i++)
            a[i] = w->v[o->s[0]][i] + (u32)o->imm;
        m->st[0] += lds_clocks(a, 0, ex, o->width, o->cls & 4, &ideal);
        m->st[1] += ideal;
        m->st[2] += (u64)lanes * o->width;
    }
    m->st[3] += lanes;
    return o->fn2(w, o);
}
const Op *op_count_vmem(W *w, const Op *o)
{
    Op *m = (Op *)o;
    if (w->mute)
        return o->fn2(w, o);
    u64 ex = rdexec(w), base = mbase(w, o), line[2][256];
    int n[2] = {0, 0}, lanes = __builtin_popcountll(ex);
    for (int i = 0; i < N; i++)
        if (ex >> i & 1) {
            u64 a = (u64)maddr(w, o, i, base, o->f0, o->width);
            for (int s = 0; s < 2; s++) {
                u64 first = a >> (6 + s), last = (a + o->width - 1) >> (6 + s);
                for (u64 x = first; x <= last; x++) {
                    int k = n[s] - 1;
                    while (k >= 0 && line[s][k] != x)
                        k--;
                    if (k < 0 && n[s] < 256)
                        line[s][n[s]++] = x;
                }
            }
        }
    m->st[0] += n[0];
    m->st[1] += n[1];
    m->st[2] += (u64)lanes * o->width;
    m->st[3] += lanes;
    return o->fn2(w, o);
}
