/* SPDX-License-Identifier: MIT
 * test_matmul_grouped.c: products of any sizes against a plain loop: every type, layout and
 * transpose, sizes around every tile, lists around a block's; uneven lists; equal bits; problems
 * that are not possible; scalars; workspaces; bad arguments.
 */
#include "../harness.h"
#include "../numbers.h"
#include "../types.h"

#include <stdlib.h>
#include <string.h>

enum { DTYPES = COUNT(batched_dtypes) };

/* --- a list of problems ---------------------------------------------------------------------- */

enum { A, B, C, OPERANDS };
enum { M, N, K, SIZES };

/* Of all problems: the matrices one after the other, with a gap of an element before each. */
typedef struct operand {
    size_t elements;
    char *host;
    int64_t *first, *ld;  /* of each problem; an element's number */
    const void **address; /* in device memory */
    guarded device, addresses, lds;
} operand;

typedef struct list {
    subwave_context *context;
    subwave_dtype dtype;
    subwave_layout layout;
    subwave_transpose_kind transpose[2]; /* of A and B */
    number alpha, beta;
    int count;
    int64_t *size[SIZES];
    operand of[OPERANDS];
    guarded sizes[SIZES];
} list;

static int cases;

static bool by_columns(const list *l) { return l->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR; }

/* Rows and columns of problem i's matrix as it is stored. */
static void stored(const list *l, int which, int i, int64_t *rows, int64_t *columns)
{
    static const int sides[OPERANDS][2] = {{M, K}, {K, N}, {M, N}};
    const bool flipped = which != C && l->transpose[which] != SUBWAVE_TRANSPOSE_NONE;
    *rows = l->size[sides[which][flipped]][i];
    *columns = l->size[sides[which][!flipped]][i];
}

static int64_t place(const list *l, int which, int problem, int64_t i, int64_t j)
{
    const operand *x = &l->of[which];
    const int64_t ld = x->ld[problem];
    return x->first[problem] + (by_columns(l) ? i + j * ld : i * ld + j);
}

/* Problems of the sizes that `size` gives. Elements of no matrix are poison; of C all, if beta is
 * 0. */
static list list_create(subwave_context *context, subwave_dtype dtype, int form, int count,
                        number beta, harness_poison poison, harness_random *random,
                        int64_t (*size)(int problem, int which, harness_random *random))
{
    list l = {.context = context,
              .dtype = dtype,
              .layout = form % 2 ? SUBWAVE_LAYOUT_COLUMN_MAJOR : SUBWAVE_LAYOUT_ROW_MAJOR,
              .transpose = {(subwave_transpose_kind)(SUBWAVE_TRANSPOSE_NONE + form / 2 % 3),
                            (subwave_transpose_kind)(SUBWAVE_TRANSPOSE_NONE + form / 6 % 3)},
              .alpha = 1,
              .beta = beta,
              .count = count};
    for (int s = 0; s < SIZES; ++s) {
        l.size[s] = malloc((size_t)(count + 1) * sizeof(int64_t));
        assert_non_null(l.size[s]);
        for (int i = 0; i < count; ++i)
            l.size[s][i] = size(i, s, random);
    }
    for (int x = 0; x < OPERANDS; ++x) {
        operand *o = &l.of[x];
        o->first = malloc((size_t)(count + 1) * sizeof *o->first);
        o->ld = malloc((size_t)(count + 1) * sizeof *o->ld);
        o->address = malloc((size_t)(count + 1) * sizeof *o->address);
        assert_true(o->first && o->ld && o->address);
        o->elements = 1;
        for (int i = 0; i < count; ++i) {
            int64_t rows, columns;
            stored(&l, x, i, &rows, &columns);
            const int64_t minor = by_columns(&l) ? rows : columns,
                          major = by_columns(&l) ? columns : rows;
            o->ld[i] = (minor < 1 ? 1 : minor) + (int64_t)(harness_random_bits(random) % 3);
            o->first[i] = (int64_t)o->elements;
            o->elements += (size_t)(major * o->ld[i] + 1);
        }
        const size_t bytes = o->elements * subwave_dtype_size(dtype);
        o->host = malloc(bytes);
        assert_non_null(o->host);
        harness_fill(x == C ? poison : HARNESS_NAN, o->host, bytes);
        for (int p = 0; p < count && (x != C || beta != 0); ++p) {
            int64_t rows, columns;
            stored(&l, x, p, &rows, &columns);
            for (int64_t i = 0; i < rows; ++i)
                for (int64_t j = 0; j < columns; ++j) {
                    const double real = harness_random_sign(random);
                    number_set(dtype, o->host, place(&l, x, p, i, j),
                               CMPLX(real, harness_random_sign(random)));
                }
        }
    }
    return l;
}

static void list_destroy(list *l)
{
    for (int s = 0; s < SIZES; ++s)
        free(l->size[s]);
    for (int x = 0; x < OPERANDS; ++x) {
        free(l->of[x].host);
        free(l->of[x].first);
        free(l->of[x].ld);
        free(l->of[x].address);
    }
}

static void list_upload(list *l)
{
    const size_t size = subwave_dtype_size(l->dtype), count = (size_t)l->count;
    for (int s = 0; s < SIZES; ++s)
        l->sizes[s] = guarded_create(l->context, l->size[s], count * sizeof(int64_t));
    for (int x = 0; x < OPERANDS; ++x) {
        operand *o = &l->of[x];
        o->device = guarded_create(l->context, o->host, o->elements * size);
        for (int i = 0; i < l->count; ++i)
            o->address[i] = (const char *)guarded_pointer(&o->device) + (size_t)o->first[i] * size;
    }
}

/* After the addresses and leading dimensions are what they should be. */
static void list_upload_places(list *l)
{
    const size_t count = (size_t)l->count;
    for (int x = 0; x < OPERANDS; ++x) {
        operand *o = &l->of[x];
        o->addresses = guarded_create(l->context, o->address, count * sizeof *o->address);
        o->lds = guarded_create(l->context, o->ld, count * sizeof *o->ld);
    }
}

static void list_free(list *l)
{
    for (int s = 0; s < SIZES; ++s)
        guarded_destroy(&l->sizes[s]);
    for (int x = 0; x < OPERANDS; ++x) {
        guarded_destroy(&l->of[x].device);
        guarded_destroy(&l->of[x].addresses);
        guarded_destroy(&l->of[x].lds);
    }
}

static subwave_status call_once(const list *l)
{
    char alpha[16], beta[16];
    number_set(l->dtype, alpha, 0, l->alpha);
    number_set(l->dtype, beta, 0, l->beta);
    const bool reads = l->alpha != 0;
    return subwave_matmul_grouped(l->context, l->dtype, l->layout, l->transpose[A], l->transpose[B],
                                  guarded_pointer(&l->sizes[M]), guarded_pointer(&l->sizes[N]),
                                  reads ? guarded_pointer(&l->sizes[K]) : NULL, alpha,
                                  reads ? guarded_pointer(&l->of[A].addresses) : NULL,
                                  reads ? guarded_pointer(&l->of[A].lds) : NULL,
                                  reads ? guarded_pointer(&l->of[B].addresses) : NULL,
                                  reads ? guarded_pointer(&l->of[B].lds) : NULL, beta,
                                  (void *const *)guarded_pointer(&l->of[C].addresses),
                                  guarded_pointer(&l->of[C].lds), l->count);
}

/* C's memory after the call, which the caller frees; nothing else has changed. */
static char *run_uploaded(list *l)
{
    assert_ok(l->context, call_once(l));
    assert_ok(l->context, subwave_synchronize(l->context));
    char *now = malloc(l->of[C].elements * subwave_dtype_size(l->dtype));
    assert_non_null(now);
    assert_int_equal(guarded_read(&l->of[C].device, now), 0);
    for (int x = 0; x < OPERANDS; ++x) {
        assert_int_equal(x == C ? 0 : guarded_changes(&l->of[x].device), 0);
        assert_int_equal(guarded_changes(&l->of[x].addresses), 0);
        assert_int_equal(guarded_changes(&l->of[x].lds), 0);
        assert_int_equal(guarded_changes(&l->sizes[x]), 0);
    }
    list_free(l);
    return now;
}

static char *run(list *l)
{
    list_upload(l);
    list_upload_places(l);
    return run_uploaded(l);
}

static number element(const list *l, int which, int problem, int64_t i, int64_t j)
{
    const subwave_transpose_kind t = l->transpose[which];
    const bool flipped = t != SUBWAVE_TRANSPOSE_NONE;
    const number value = number_get(l->dtype, l->of[which].host,
                                    place(l, which, problem, flipped ? j : i, flipped ? i : j));
    return t == SUBWAVE_TRANSPOSE_CONJUGATE && reference_is_complex(l->dtype) ? conj(value) : value;
}

/* Cells of `now`, C's memory, that are wrong, and bytes that are no cell, or of a problem that is
 * `left`, and have changed. */
static size_t faults(const list *l, char *now, const bool *left)
{
    const size_t size = subwave_dtype_size(l->dtype);
    const double eps = ldexp(1, -reference_fraction(l->dtype));
    size_t wrong = 0;
    for (int p = 0; p < l->count; ++p) {
        if (left && left[p])
            continue;
        const int64_t k = l->alpha != 0 ? l->size[K][p] : 0;
        for (int64_t i = 0; i < l->size[M][p]; ++i)
            for (int64_t j = 0; j < l->size[N][p]; ++j) {
                number sum = 0;
                double bound = 0;
                for (int64_t t = 0; t < k; ++t) {
                    const number a = element(l, A, p, i, t), b = element(l, B, p, t, j);
                    sum += a * b;
                    bound += number_size(a) * number_size(b);
                }
                const int64_t cell = place(l, C, p, i, j);
                const number old =
                    l->beta != 0 ? l->beta * number_get(l->dtype, l->of[C].host, cell) : 0;
                const number expected = (k == 0 ? 0 : l->alpha * sum) + old;
                const double most =
                    (2 * (double)k + 6) * eps *
                    ((k == 0 ? 0 : number_size(l->alpha) * bound) + number_size(old));
                wrong += !(number_size(number_get(l->dtype, now, cell) - expected) <= most);
                memcpy(now + (size_t)cell * size, l->of[C].host + (size_t)cell * size, size);
            }
    }
    for (size_t i = 0; i < l->of[C].elements * size; ++i)
        wrong += now[i] != l->of[C].host[i];
    return wrong;
}

static void check(list *l, const char *what)
{
    char *const now = run(l);
    const size_t wrong = faults(l, now, NULL);
    /* A launch that does nothing must not pass for a right one. */
    bool writes = false;
    for (int p = 0; p < l->count; ++p)
        writes = writes || (l->size[M][p] && l->size[N][p] &&
                            (l->beta != 1 || (l->size[K][p] && l->alpha != 0)));
    memcpy(now, l->of[C].host, l->of[C].elements * subwave_dtype_size(l->dtype));
    const bool idle_would_pass = writes && faults(l, now, NULL) == 0;
    free(now);
    if (wrong > 0 || idle_would_pass)
        fail_msg("%s: %s %s, transposes %d %d, %d problems, alpha %g%+gi, beta %g%+gi: %zu wrong "
                 "cells or changed bytes%s",
                 what, subwave_dtype_name(l->dtype), by_columns(l) ? "column" : "row",
                 (int)l->transpose[A], (int)l->transpose[B], l->count, creal(l->alpha),
                 cimag(l->alpha), creal(l->beta), cimag(l->beta), wrong,
                 idle_would_pass ? "; C was right before the call" : "");
    ++cases;
}

/* --- tests ----------------------------------------------------------------------------------- */

enum { FORMS = 18 }; /* layouts and transposes */

static int64_t around_tiles(int problem, int which, harness_random *random)
{
    static const int64_t sides[] = {0, 1, 3, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 48, 64, 65, 70};
    const uint64_t bits = harness_random_bits(random);
    if (which == K)
        return (int64_t)(bits % 20);
    /* Small ones more often, and both sides of the same class as a rule. */
    const uint64_t upto = problem % 5 == 4 ? COUNT(sides) : problem % 5 >= 2 ? 9 : 6;
    return sides[bits % upto];
}

static void test_sizes(void **state)
{
    static const number alphas[] = {1, -1, 0.5 + 0.25 * I}, betas[] = {0, 1, -0.5 + 1 * I};
    harness_random random = harness_random_start();
    for (int d = 0; d < DTYPES; ++d)
        for (int form = 0; form < FORMS; ++form) {
            if (!harness_takes(1, 3))
                continue;
            const bool has_parts = reference_is_complex(batched_dtypes[d]);
            const number beta = betas[(form + d) % 3];
            list l =
                list_create(*state, batched_dtypes[d], form, 20, has_parts ? beta : creal(beta),
                            (harness_poison)(form % 2), &random, around_tiles);
            l.alpha = has_parts ? alphas[form % 3] : creal(alphas[form % 3]);
            check(&l, "sizes");
            list_destroy(&l);
        }
}

/* Most have nothing to do. */
static int64_t tiny(int problem, int which, harness_random *random)
{
    const int64_t size = (int64_t)(harness_random_bits(random) % 4);
    return problem % 3 == 0 ? size : which == K ? 2 : size == 3;
}

/* Numbers of problems around a wave and a block. */
static void test_counts(void **state)
{
    static const int counts[] = {0, 1, 2, 63, 65, 255, 256, 257, 513, 1300};
    harness_random random = harness_random_start();
    for (size_t i = 0; i < COUNT(counts); ++i) {
        list l = list_create(*state, batched_dtypes[i % DTYPES], (int)i, counts[i], i % 2,
                             HARNESS_NAN, &random, tiny);
        check(&l, "counts");
        list_destroy(&l);
    }
}

/* One has most of the work, in the midst of many that have little. */
static int64_t uneven(int problem, int which, harness_random *random)
{
    static const int64_t large[SIZES] = {130, 67, 90};
    return problem == 150 ? large[which] : tiny(problem, which, random);
}

static void test_uneven(void **state)
{
    harness_random random = harness_random_start();
    for (int d = 0; d < DTYPES; ++d) {
        list l = list_create(*state, batched_dtypes[d], d, 300, 1, HARNESS_NAN, &random, uneven);
        check(&l, "uneven");
        list_destroy(&l);
    }
}

static int64_t few(int problem, int which, harness_random *random)
{
    (void)problem;
    return which == K ? 5 : (int64_t)(harness_random_bits(random) % 20);
}

static void test_scalars(void **state)
{
    static const number scalars[] = {0, 1, -1, 1 * I, 2 - 3 * I};
    harness_random random = harness_random_start();
    for (int d = 0; d < DTYPES; ++d)
        for (int x = 0; x < 25; ++x)
            for (harness_poison poison = 0; poison < HARNESS_POISONS; ++poison) {
                if ((!reference_is_complex(batched_dtypes[d]) && (x / 5 > 2 || x % 5 > 2)) ||
                    !harness_takes(1, 3))
                    continue;
                list l = list_create(*state, batched_dtypes[d], x, 6, scalars[x % 5], poison,
                                     &random, few);
                l.alpha = scalars[x / 5];
                check(&l, "scalars");
                list_destroy(&l);
            }
}

/* Bits are the same from run to run, and where a problem stands alone. */
static void test_repeat(void **state)
{
    harness_random random = harness_random_start();
    for (int d = 0; d < DTYPES; ++d) {
        list l = list_create(*state, batched_dtypes[d], 3 * d, 25, 1, HARNESS_NAN, &random,
                             around_tiles);
        const size_t size = subwave_dtype_size(l.dtype);
        char *const first = run(&l), *const second = run(&l);
        assert_memory_equal(first, second, l.of[C].elements * size);
        free(second);
        for (int p = 0; p < l.count; ++p) {
            if (!harness_takes(1, 3))
                continue;
            list alone = l;
            alone.count = 1;
            for (int s = 0; s < SIZES; ++s)
                alone.size[s] += p;
            for (int x = 0; x < OPERANDS; ++x) {
                alone.of[x].first += p;
                alone.of[x].ld += p;
            }
            char *const now = run(&alone);
            const size_t from = (size_t)l.of[C].first[p] * size,
                         to = p + 1 < l.count ? (size_t)l.of[C].first[p + 1] * size
                                              : l.of[C].elements * size;
            assert_memory_equal(now + from, first + from, to - from);
            free(now);
        }
        free(first);
        list_destroy(&l);
        ++cases;
    }
}

/* Problems that are not possible are left as they are, and the others are computed. */
static void test_impossible(void **state)
{
    enum { PROBLEMS = 40, IMPOSSIBLE = 11 };
    harness_random random = harness_random_start();
    for (int d = 0; d < DTYPES; ++d)
        for (int form = 0; form < 8; ++form) {
            if (!harness_takes(1, 3))
                continue;
            list l = list_create(*state, batched_dtypes[d], form, PROBLEMS, 1, HARNESS_NAN, &random,
                                 around_tiles);
            bool left[PROBLEMS] = {false};
            int64_t kept[SIZES][PROBLEMS];
            for (int s = 0; s < SIZES; ++s)
                memcpy(kept[s], l.size[s], sizeof kept[s]);
            list_upload(&l);
            /* Each is possible but for one thing. */
            for (int e = 0; e < IMPOSSIBLE; ++e) {
                const int p = 3 * e;
                int64_t rows, columns;
                left[p] = true;
                switch (e) {
                case 0:
                case 1:
                case 2:
                    l.size[e][p] = -1;
                    break;
                case 3:
                case 4:
                case 5:
                    l.size[e - 3][p] = ((int64_t)1 << 30) + 1;
                    break;
                case 6:
                case 7:
                case 8:
                    stored(&l, e - 6, p, &rows, &columns);
                    l.of[e - 6].ld[p] = (by_columns(&l) ? rows : columns) - 1;
                    left[p] = e == 8 || l.size[K][p] > 0;
                    break;
                default:
                    l.of[e == 9 ? A : C].address[p] = NULL;
                    left[p] = e != 9 || l.size[K][p] > 0;
                }
            }
            for (int s = 0; s < SIZES; ++s) {
                guarded_destroy(&l.sizes[s]);
                l.sizes[s] = guarded_create(l.context, l.size[s], PROBLEMS * sizeof(int64_t));
            }
            list_upload_places(&l);
            char *const now = run_uploaded(&l);
            /* The host's reference goes by the sizes that the memory has. */
            for (int s = 0; s < SIZES; ++s)
                memcpy(l.size[s], kept[s], sizeof kept[s]);
            const size_t wrong = faults(&l, now, left);
            free(now);
            list_destroy(&l);
            if (wrong > 0)
                fail_msg("%s, form %d: %zu wrong cells or changed bytes",
                         subwave_dtype_name(batched_dtypes[d]), form, wrong);
            ++cases;
        }
}

static int64_t one(int problem, int which, harness_random *random)
{
    (void)problem, (void)which, (void)random;
    return 1;
}

static subwave_status call_any(const void *of) { return call_once(of); }

/* The least workspace that a list is taken with is as large as the documentation says, and nothing
 * is written behind it. */
static void test_workspace(void **state)
{
    static const int counts[] = {1, 2, 255, 257, 1500};
    harness_random random = harness_random_start();
    for (size_t i = 0; i < COUNT(counts); ++i) {
        if (!harness_takes(1, 3))
            continue;
        const int64_t documented = 4160 + 33 * (int64_t)counts[i];
        list l = list_create(*state, SUBWAVE_DTYPE_F32, 0, counts[i], 1, HARNESS_NAN, &random, one);
        list_upload(&l);
        list_upload_places(&l);
        harness_check_workspace(*state, documented, call_any, &l);
        list_free(&l);
        list_destroy(&l);
        ++cases;
    }
}

/* A context's own workspace is enough for as many problems as the documentation says. */
static void test_own_workspace(void **state)
{
    harness_random random = harness_random_start();
    list l = list_create(*state, SUBWAVE_DTYPE_F32, 0, 65536, 0.5, HARNESS_NAN, &random, one);
    check(&l, "own workspace");
    list_destroy(&l);
}

/* --- bad arguments --------------------------------------------------------------------------- */

typedef struct arguments {
    subwave_dtype dtype;
    subwave_layout layout;
    subwave_transpose_kind transpose_a, transpose_b;
    const int64_t *m, *n, *k;
    const void *alpha;
    const void *const *a;
    const int64_t *lda;
    const void *const *b;
    const int64_t *ldb;
    const void *beta;
    void *const *c;
    const int64_t *ldc;
    int64_t count;
} arguments;

static subwave_status call(subwave_context *context, const arguments *x)
{
    return subwave_matmul_grouped(context, x->dtype, x->layout, x->transpose_a, x->transpose_b,
                                  x->m, x->n, x->k, x->alpha, x->a, x->lda, x->b, x->ldb, x->beta,
                                  x->c, x->ldc, x->count);
}

/* Each is refused with a text that names the parameter, and C is not touched. */
static void test_bad_arguments(void **state)
{
    static const double unit = 1;
    static const int64_t sizes[1] = {2};
    double memory[4] = {0};
    guarded c = guarded_create(*state, memory, sizeof memory);
    const void *const in[1] = {memory};
    void *const out[1] = {guarded_pointer(&c)};
    const arguments right = {SUBWAVE_DTYPE_F64,
                             SUBWAVE_LAYOUT_ROW_MAJOR,
                             SUBWAVE_TRANSPOSE_NONE,
                             SUBWAVE_TRANSPOSE_NONE,
                             sizes,
                             sizes,
                             sizes,
                             &unit,
                             in,
                             sizes,
                             in,
                             sizes,
                             &unit,
                             out,
                             sizes,
                             1};
#define BAD(field, value, expected) \
    do { \
        arguments x = right; \
        x.field = value; \
        assert_int_equal(call(*state, &x), SUBWAVE_STATUS_##expected); \
        assert_true(harness_refused(*state, SUBWAVE_STATUS_##expected, #field)); \
        ++cases; \
    } while (0)
    BAD(dtype, 0, INVALID_VALUE);
    BAD(dtype, GREATEST(SUBWAVE_DTYPE_LIST) + 1, INVALID_VALUE);
    for (size_t d = 0; d < COUNT(all_dtypes); ++d)
        if (!IS_ONE_OF(batched_dtypes, all_dtypes[d]))
            BAD(dtype, all_dtypes[d], UNSUPPORTED);
    BAD(layout, 3, INVALID_VALUE);
    BAD(transpose_a, 0, INVALID_VALUE);
    BAD(transpose_b, 'C', INVALID_VALUE);
    BAD(count, -1, INVALID_SIZE);
    BAD(count, (1 << 28) + 1, INVALID_SIZE);
    BAD(count, INT64_MAX, INVALID_SIZE);
    BAD(alpha, NULL, INVALID_POINTER);
    BAD(beta, (const char *)&unit + 1, INVALID_POINTER);
    BAD(m, NULL, INVALID_POINTER);
    BAD(n, NULL, INVALID_POINTER);
    BAD(k, NULL, INVALID_POINTER);
    BAD(a, NULL, INVALID_POINTER);
    BAD(lda, NULL, INVALID_POINTER);
    BAD(b, NULL, INVALID_POINTER);
    BAD(ldb, NULL, INVALID_POINTER);
    BAD(c, NULL, INVALID_POINTER);
    BAD(ldc, NULL, INVALID_POINTER);
    BAD(m, (const int64_t *)(const void *)((const char *)sizes + 4), INVALID_POINTER);
    BAD(c, (void *const *)(const void *)((const char *)out + 4), INVALID_POINTER);
#undef BAD
    arguments x = right;
    x.count = 1 << 28;
    assert_int_equal(call(*state, &x), SUBWAVE_STATUS_WORKSPACE_TOO_SMALL);
    assert_int_equal(call(NULL, &right), SUBWAVE_STATUS_INVALID_CONTEXT);
    assert_int_equal(guarded_changes(&c), 0);
    guarded_destroy(&c);
    ++cases;
}

/* alpha = 0 with beta = 1 launches nothing, and no list has no pointers. */
static void test_nothing(void **state)
{
    static const float zero = 0, unit = 1;
    static const int64_t sizes[1] = {1};
    float kept = 3;
    guarded c = guarded_create(*state, &kept, sizeof kept);
    void *const out[1] = {guarded_pointer(&c)};
    arguments x = {.dtype = SUBWAVE_DTYPE_F32,
                   .layout = SUBWAVE_LAYOUT_ROW_MAJOR,
                   .transpose_a = SUBWAVE_TRANSPOSE_NONE,
                   .transpose_b = SUBWAVE_TRANSPOSE_NONE};
    assert_ok(*state, call(*state, &x));
    x.m = x.n = x.ldc = sizes;
    x.alpha = &zero;
    x.beta = &unit;
    x.c = out;
    x.count = 1;
    assert_ok(*state, call(*state, &x));
    assert_ok(*state, subwave_synchronize(*state));
    assert_int_equal(guarded_changes(&c), 0);
    guarded_destroy(&c);
    ++cases;
}

static void test_count(void **state)
{
    (void)state;
    print_message("%d cases\n", cases);
    assert_true(cases > 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),         cmocka_unit_test(test_counts),
        cmocka_unit_test(test_uneven),        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_repeat),        cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_workspace),     cmocka_unit_test(test_own_workspace),
        cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_count),
    };
    return harness_run("matmul_grouped", tests, sizeof tests / sizeof *tests);
}
