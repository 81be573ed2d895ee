/* SPDX-License-Identifier: MIT
 * test_matmul_stacked.c: stacks of products against a plain loop: every type, layout and transpose,
 * offsets of both sizes and bases, C that follow one another, alternate, or occur once; the order of
 * sums, bit for bit; scalars; bad arguments.
 */
#include "../harness.h"
#include "../numbers.h"
#include "../types.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DTYPES = COUNT(batched_dtypes) };

/* --- a stack --------------------------------------------------------------------------------- */

/* Where an entry's C is. */
typedef enum pattern { IN_TURN, IN_RUNS, AT_RANDOM, ALL_ONE, ALL_APART, PATTERNS } pattern;

typedef struct stacked_case {
    subwave_dtype dtype;
    subwave_layout layout;
    subwave_transpose_kind transpose_a, transpose_b;
    int m, n, k, entries;
    int matrices; /* of A and of B, and of C unless all are apart */
    int pad;
    pattern pattern;
    bool wide, from_one;
    number alpha, beta;
    harness_poison poison;
} stacked_case;

/* Matrices of rows x columns, one after the other with a gap of an element, after one element. */
typedef struct operand {
    subwave_dtype dtype;
    bool column_major;
    int rows, columns, count;
    int64_t ld, apart;
    size_t bytes;
    char *host;
    guarded device;
} operand;

static int64_t offset_of(const operand *x, int matrix) { return 1 + matrix * x->apart; }

static int64_t place(const operand *x, int64_t offset, int i, int j)
{
    return offset + (x->column_major ? i + j * x->ld : i * x->ld + j);
}

static operand operand_create(const stacked_case *w, int rows, int columns, int count,
                              harness_poison poison)
{
    operand x = {.dtype = w->dtype,
                 .column_major = w->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR,
                 .rows = rows,
                 .columns = columns,
                 .count = count};
    const int minor = x.column_major ? rows : columns, major = x.column_major ? columns : rows;
    x.ld = (minor < 1 ? 1 : minor) + w->pad;
    x.apart = major * x.ld + 1;
    x.bytes = (size_t)offset_of(&x, count) * subwave_dtype_size(w->dtype);
    x.host = malloc(x.bytes);
    assert_non_null(x.host);
    harness_fill(poison, x.host, x.bytes);
    return x;
}

static void operand_randomize(operand *x, harness_random *random)
{
    for (int e = 0; e < x->count; ++e)
        for (int i = 0; i < x->rows; ++i)
            for (int j = 0; j < x->columns; ++j) {
                const double real = harness_random_sign(random);
                number_set(x->dtype, x->host, place(x, offset_of(x, e), i, j),
                           CMPLX(real, harness_random_sign(random)));
            }
}

typedef struct problem {
    subwave_context *context;
    stacked_case what;
    operand a, b, c;
    int64_t *offsets; /* 3 of an entry, from 0 */
    guarded device_offsets;
} problem;

static problem problem_create(subwave_context *context, const stacked_case *w,
                              harness_random *random)
{
    const bool a_flipped = w->transpose_a != SUBWAVE_TRANSPOSE_NONE,
               b_flipped = w->transpose_b != SUBWAVE_TRANSPOSE_NONE;
    problem p = {.context = context, .what = *w};
    const int in_c = w->pattern == ALL_APART ? w->entries : w->matrices;
    p.a = operand_create(w, a_flipped ? w->k : w->m, a_flipped ? w->m : w->k, w->matrices,
                         HARNESS_NAN);
    p.b = operand_create(w, b_flipped ? w->n : w->k, b_flipped ? w->k : w->n, w->matrices,
                         HARNESS_NAN);
    p.c = operand_create(w, w->m, w->n, in_c + 1, w->poison); /* the last is nobody's */
    operand_randomize(&p.a, random);
    operand_randomize(&p.b, random);
    if (w->beta != 0)
        operand_randomize(&p.c, random);
    p.offsets = malloc((size_t)(3 * w->entries + 1) * sizeof *p.offsets);
    assert_non_null(p.offsets);
    const int run = w->entries / w->matrices + 1;
    for (int e = 0; e < w->entries; ++e) {
        const int of_c[PATTERNS] = {e % w->matrices, e / run,
                                    (int)(harness_random_bits(random) % (unsigned)w->matrices),
                                    w->matrices / 2, w->entries - 1 - e};
        p.offsets[3 * e] =
            offset_of(&p.a, (int)(harness_random_bits(random) % (unsigned)w->matrices));
        p.offsets[3 * e + 1] =
            offset_of(&p.b, (int)(harness_random_bits(random) % (unsigned)w->matrices));
        p.offsets[3 * e + 2] = offset_of(&p.c, of_c[w->pattern]);
    }
    return p;
}

/* With the offsets of the entries, in this order if one is given. */
static void problem_upload(problem *p, const int *order)
{
    const stacked_case *w = &p->what;
    const size_t count = (size_t)(3 * w->entries), size = w->wide ? 8 : 4;
    char *stack = malloc(count * size + 1);
    assert_non_null(stack);
    for (size_t i = 0; i < count; ++i) {
        const size_t from = order ? 3 * (size_t)order[i / 3] + i % 3 : i;
        const int64_t offset = p->offsets[from] + w->from_one;
        const int32_t narrow = (int32_t)offset;
        memcpy(stack + i * size, w->wide ? (const void *)&offset : (const void *)&narrow, size);
    }
    p->a.device = guarded_create(p->context, p->a.host, p->a.bytes);
    p->b.device = guarded_create(p->context, p->b.host, p->b.bytes);
    p->c.device = guarded_create(p->context, p->c.host, p->c.bytes);
    p->device_offsets = guarded_create(p->context, stack, count * size);
    free(stack);
}

static subwave_status call_once(const problem *p)
{
    const stacked_case *w = &p->what;
    char alpha[16], beta[16];
    number_set(w->dtype, alpha, 0, w->alpha);
    number_set(w->dtype, beta, 0, w->beta);
    return subwave_matmul_stacked(
        p->context, w->dtype, w->layout, w->transpose_a, w->transpose_b, w->m, w->n, w->k, alpha,
        guarded_pointer(&p->a.device), p->a.ld, guarded_pointer(&p->b.device), p->b.ld, beta,
        guarded_pointer(&p->c.device), p->c.ld, w->wide ? SUBWAVE_DTYPE_I64 : SUBWAVE_DTYPE_I32,
        w->from_one, guarded_pointer(&p->device_offsets), w->entries);
}

/* C's memory after the call, which the caller frees. */
static char *results(problem *p, const int *order)
{
    problem_upload(p, order);
    assert_ok(p->context, call_once(p));
    assert_ok(p->context, subwave_synchronize(p->context));
    char *now = malloc(p->c.bytes);
    assert_non_null(now);
    assert_int_equal(guarded_read(&p->c.device, now), 0);
    assert_int_equal(guarded_changes(&p->a.device), 0);
    assert_int_equal(guarded_changes(&p->b.device), 0);
    assert_int_equal(guarded_changes(&p->device_offsets), 0);
    guarded_destroy(&p->a.device);
    guarded_destroy(&p->b.device);
    guarded_destroy(&p->c.device);
    guarded_destroy(&p->device_offsets);
    return now;
}

static void problem_destroy(problem *p)
{
    free(p->a.host);
    free(p->b.host);
    free(p->c.host);
    free(p->offsets);
}

static number element(const operand *x, subwave_transpose_kind transpose, int64_t offset, int i,
                      int j)
{
    if (transpose == SUBWAVE_TRANSPOSE_NONE)
        return number_get(x->dtype, x->host, place(x, offset, i, j));
    const number value = number_get(x->dtype, x->host, place(x, offset, j, i));
    return transpose == SUBWAVE_TRANSPOSE_CONJUGATE && reference_is_complex(x->dtype) ? conj(value)
                                                                                      : value;
}

/* Cells of `now`, C's memory, that are wrong, and bytes that are no cell and have changed. */
static size_t faults(const problem *p, char *now)
{
    const stacked_case *w = &p->what;
    const size_t size = subwave_dtype_size(w->dtype);
    const double eps = ldexp(1, -reference_fraction(w->dtype));
    const bool empty = w->k == 0 || w->alpha == 0;
    size_t wrong = 0;
    for (int matrix = 0; matrix < p->c.count; ++matrix) {
        const int64_t at = offset_of(&p->c, matrix);
        number *sum = calloc((size_t)(w->m * w->n), sizeof *sum);
        double *bound = calloc((size_t)(w->m * w->n), sizeof *bound);
        assert_non_null(sum);
        assert_non_null(bound);
        int64_t terms = 0;
        for (int e = 0; e < w->entries; ++e) {
            const int64_t *offset = &p->offsets[3 * e];
            if (offset[2] != at)
                continue;
            ++terms;
            for (int x = 0; x < w->m * w->n && !empty; ++x)
                for (int l = 0; l < w->k; ++l) {
                    const number a = element(&p->a, w->transpose_a, offset[0], x / w->n, l),
                                 b = element(&p->b, w->transpose_b, offset[1], l, x % w->n);
                    sum[x] += a * b;
                    bound[x] += number_size(a) * number_size(b);
                }
        }
        for (int x = 0; x < w->m * w->n && terms > 0; ++x) {
            const int64_t cell = place(&p->c, at, x / w->n, x % w->n);
            const number old = w->beta != 0 ? w->beta * number_get(w->dtype, p->c.host, cell) : 0;
            const number expected = (empty ? 0 : w->alpha * sum[x]) + old;
            const double most = empty ? 4 * eps * number_size(old)
                                      : (2 * (double)terms * w->k + 6) * eps *
                                            (number_size(w->alpha) * bound[x] + number_size(old));
            wrong += !(number_size(number_get(w->dtype, now, cell) - expected) <= most);
            memcpy(now + (size_t)cell * size, p->c.host + (size_t)cell * size, size);
        }
        free(sum);
        free(bound);
    }
    for (size_t i = 0; i < p->c.bytes; ++i)
        wrong += now[i] != p->c.host[i];
    return wrong;
}

static int cases;

static void check_case(subwave_context *context, const stacked_case *w, harness_random *random)
{
    problem p = problem_create(context, w, random);
    char *now = results(&p, NULL);
    const size_t wrong = faults(&p, now);
    /* A launch that does nothing must not pass for a right one. */
    memcpy(now, p.c.host, p.c.bytes);
    const bool writes = w->m && w->n && w->entries && ((w->k && w->alpha != 0) || w->beta != 1);
    const bool idle_would_pass = writes && faults(&p, now) == 0;
    free(now);
    problem_destroy(&p);
    ++cases;
    if (wrong == 0 && !idle_would_pass)
        return;
    print_error("%s %s, transposes %d %d, %dx%dx%d, %d entries, %d matrices, pad %d, pattern %d, "
                "%s offsets from %d, alpha %g%+gi, beta %g%+gi\n",
                subwave_dtype_name(w->dtype),
                w->layout == SUBWAVE_LAYOUT_ROW_MAJOR ? "row" : "column", (int)w->transpose_a,
                (int)w->transpose_b, w->m, w->n, w->k, w->entries, w->matrices, w->pad,
                (int)w->pattern, w->wide ? "wide" : "narrow", w->from_one, creal(w->alpha),
                cimag(w->alpha), creal(w->beta), cimag(w->beta));
    if (idle_would_pass)
        fail_msg("C was right before the call");
    fail_msg("%zu wrong cells or changed bytes", wrong);
}

static stacked_case plain_case(subwave_dtype dtype, int m, int n, int k, int entries)
{
    return (stacked_case){.dtype = dtype,
                          .layout = SUBWAVE_LAYOUT_ROW_MAJOR,
                          .transpose_a = SUBWAVE_TRANSPOSE_NONE,
                          .transpose_b = SUBWAVE_TRANSPOSE_NONE,
                          .m = m,
                          .n = n,
                          .k = k,
                          .entries = entries,
                          .matrices = 5,
                          .pattern = AT_RANDOM,
                          .alpha = 1,
                          .beta = 1};
}

enum { FORMS = 18 }; /* layouts and transposes */
static void vary(stacked_case *w, int form, harness_random *random)
{
    static const number alphas[] = {1, 1, -1, 0.5 + 0.25 * I}, betas[] = {1, 1, 0, -0.5 + 1 * I};
    w->layout = form % 2 ? SUBWAVE_LAYOUT_COLUMN_MAJOR : SUBWAVE_LAYOUT_ROW_MAJOR;
    w->transpose_a = (subwave_transpose_kind)(SUBWAVE_TRANSPOSE_NONE + form / 2 % 3);
    w->transpose_b = (subwave_transpose_kind)(SUBWAVE_TRANSPOSE_NONE + form / 6);
    w->alpha = alphas[harness_random_bits(random) % 4];
    w->beta = betas[harness_random_bits(random) % 4];
    if (!reference_is_complex(w->dtype)) {
        w->alpha = creal(w->alpha);
        w->beta = creal(w->beta);
    }
    w->pad = (int)(harness_random_bits(random) % 3) * 2;
    w->pattern = (pattern)(harness_random_bits(random) % PATTERNS);
    w->matrices = 1 + (int)(harness_random_bits(random) % 9);
    w->wide = harness_random_bits(random) % 2;
    w->from_one = harness_random_bits(random) % 2;
    w->poison = harness_random_bits(random) % HARNESS_POISONS;
}

/* --- tests ----------------------------------------------------------------------------------- */

static void test_sizes(void **state)
{
    /* Square ones around every tile, odd ones, skinny ones; the last number is of entries. */
    static const int sizes[][4] = {
        {1, 1, 1, 70},   {3, 3, 3, 40},   {4, 4, 4, 33},   {5, 7, 6, 20},   {8, 8, 8, 19},
        {13, 5, 32, 9},  {16, 16, 16, 9}, {17, 15, 14, 7}, {23, 23, 23, 6}, {24, 24, 24, 5},
        {32, 25, 33, 4}, {48, 40, 37, 3}, {80, 33, 9, 3},  {1, 64, 3, 12},  {64, 2, 0, 5}};
    harness_random random = harness_random_start();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        for (int d = 0; d < DTYPES; ++d)
            for (int form = 0; form < FORMS; ++form) {
                const int *size = sizes[s];
                if (size[0] * size[1] * size[2] > 1000 && (form + (int)s + d) % 6 != 0)
                    continue;
                stacked_case w = plain_case(batched_dtypes[d], size[0], size[1], size[2], size[3]);
                vary(&w, form, &random);
                check_case(*state, &w, &random);
            }
}

/* Numbers of entries around a wave, a block, and what one block sorts. */
static void test_entries(void **state)
{
    static const int counts[] = {0, 1, 2, 63, 64, 65, 255, 257, 1024, 1025, 3000};
    harness_random random = harness_random_start();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        for (pattern where = 0; where < PATTERNS; ++where) {
            stacked_case w = plain_case(batched_dtypes[(i + where) % DTYPES], 2, 3, 2, counts[i]);
            w.pattern = where;
            w.matrices = 1 + counts[i] / 16;
            w.wide = where % 2;
            check_case(*state, &w, &random);
        }
}

static void test_scalars(void **state)
{
    static const number scalars[] = {0, 1, -1, 1 * I, 2 - 3 * I};
    harness_random random = harness_random_start();
    for (int d = 0; d < DTYPES; ++d)
        for (int x = 0; x < 25; ++x)
            for (harness_poison poison = 0; poison < HARNESS_POISONS; ++poison) {
                stacked_case w = plain_case(batched_dtypes[d], 5, 6, 7, 9);
                if (!reference_is_complex(w.dtype) && (x / 5 > 2 || x % 5 > 2))
                    continue;
                w.alpha = scalars[x / 5];
                w.beta = scalars[x % 5];
                w.poison = poison;
                check_case(*state, &w, &random);
            }
}

/* sum + a b in the type; only GPUs round once. */
static double add_product(subwave_dtype dtype, bool fused, double a, double b, double sum)
{
    if (dtype == SUBWAVE_DTYPE_F32)
        return fused ? fmaf((float)a, (float)b, (float)sum) : (float)sum + (float)a * (float)b;
    return fused ? fma(a, b, sum) : sum + a * b;
}

/* The products of a C are added in the order of the stack: one term each, of sizes so different that
 * every other order gives other bits. */
static void test_order(void **state)
{
    static const int sizes[][2] = {{2, 3}, {9, 9}, {23, 23}, {33, 17}};
    const bool fused = !harness_is_cpu(*state);
    harness_random random = harness_random_start();
    for (int d = 0; d < DTYPES; ++d)
        for (int s = 0; s < 4; ++s) {
            stacked_case w = plain_case(batched_dtypes[d], sizes[s][0], sizes[s][1], 1, 120);
            if (reference_is_complex(w.dtype))
                continue;
            w.beta = 0;
            w.matrices = 6;
            w.layout = s % 2 ? SUBWAVE_LAYOUT_COLUMN_MAJOR : SUBWAVE_LAYOUT_ROW_MAJOR;
            problem p = problem_create(*state, &w, &random);
            for (operand *x = &p.a; x; x = x == &p.a ? &p.b : NULL)
                for (int e = 0; e < x->count; ++e)
                    for (int i = 0; i < x->rows * x->columns; ++i) {
                        const int64_t at =
                            place(x, offset_of(x, e), i / x->columns, i % x->columns);
                        const double value = creal(number_get(w.dtype, x->host, at));
                        number_set(w.dtype, x->host, at,
                                   ldexp(value, (int)(harness_random_bits(&random) % 30)));
                    }
            char *now = results(&p, NULL);
            size_t differ_backwards = 0;
            for (int matrix = 0; matrix < w.matrices; ++matrix)
                for (int x = 0; x < w.m * w.n; ++x) {
                    double forwards = 0, backwards = 0;
                    bool occurs = false;
                    for (int e = 0; e < 2 * w.entries; ++e) {
                        const int entry = e < w.entries ? e : 2 * w.entries - 1 - e;
                        const int64_t *offset = &p.offsets[3 * entry];
                        if (offset[2] != offset_of(&p.c, matrix))
                            continue;
                        occurs = true;
                        const double a = creal(element(&p.a, w.transpose_a, offset[0], x / w.n, 0)),
                                     b = creal(element(&p.b, w.transpose_b, offset[1], 0, x % w.n));
                        double *sum = e < w.entries ? &forwards : &backwards;
                        *sum = add_product(w.dtype, fused, a, b, *sum);
                    }
                    if (!occurs)
                        continue;
                    const int64_t cell = place(&p.c, offset_of(&p.c, matrix), x / w.n, x % w.n);
                    assert_true(creal(number_get(w.dtype, now, cell)) == forwards);
                    differ_backwards += forwards != backwards;
                }
            assert_true(differ_backwards > 0);
            free(now);
            problem_destroy(&p);
            ++cases;
        }
}

/* Bits stay the same from run to run, and where entries of other C come between. */
static void test_repeat(void **state)
{
    harness_random random = harness_random_start();
    for (int d = 0; d < DTYPES; ++d)
        for (int n = 3; n < 40; n += 10) {
            stacked_case w = plain_case(batched_dtypes[d], n, n + 1, n, n < 10 ? 1100 : 60);
            w.matrices = 7;
            problem p = problem_create(*state, &w, &random);
            char *first = results(&p, NULL), *second = results(&p, NULL);
            assert_memory_equal(first, second, p.c.bytes);
            free(second);
            int *order = malloc((size_t)w.entries * sizeof *order), count = 0;
            assert_non_null(order);
            for (int matrix = w.matrices; matrix >= 0; --matrix)
                for (int e = 0; e < w.entries; ++e)
                    if (p.offsets[3 * e + 2] == offset_of(&p.c, matrix))
                        order[count++] = e;
            assert_int_equal(count, w.entries);
            second = results(&p, order);
            assert_memory_equal(first, second, p.c.bytes);
            free(order);
            free(first);
            free(second);
            problem_destroy(&p);
            ++cases;
        }
}

/* DBCSR's stacks: f64 by columns, offsets of 32 bits from 1, C accumulated, often in runs. */
static void test_dbcsr(void **state)
{
    static const int sizes[][3] = {{23, 23, 23}, {5, 13, 26}, {1, 1, 1}, {4, 9, 4}};
    harness_random random = harness_random_start();
    for (int s = 0; s < 4; ++s) {
        stacked_case w = plain_case(SUBWAVE_DTYPE_F64, sizes[s][0], sizes[s][1], sizes[s][2], 100);
        w.layout = SUBWAVE_LAYOUT_COLUMN_MAJOR;
        w.matrices = 7;
        w.pattern = IN_RUNS;
        w.from_one = true;
        check_case(*state, &w, &random);
    }
}

static subwave_status call_any(const void *of) { return call_once(of); }

/* The least workspace that a stack is taken with is as large as the documentation says, and nothing is
 * written behind it. */
static void test_workspace(void **state)
{
    static const int counts[] = {1, 2, 8, 9, 500, 1500};
    harness_random random = harness_random_start();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        const int64_t documented = 4160 + 108 * (int64_t)counts[i];
        stacked_case w = plain_case(SUBWAVE_DTYPE_F32, 2, 2, 2, counts[i]);
        w.pattern = ALL_APART;
        problem p = problem_create(*state, &w, &random);
        problem_upload(&p, NULL);
        harness_check_workspace(*state, documented, call_any, &p);
        guarded_destroy(&p.a.device);
        guarded_destroy(&p.b.device);
        guarded_destroy(&p.c.device);
        guarded_destroy(&p.device_offsets);
        problem_destroy(&p);
        ++cases;
    }
}

/* A context's own workspace is enough for as many entries as the documentation says: each scales an
 * element of its own. */
static void test_own_workspace(void **state)
{
    enum { ENTRIES = 32768 };
    const float none = 0, twice = 2;
    float *const numbers = malloc(ENTRIES * sizeof *numbers);
    int32_t *const offsets = calloc(3 * ENTRIES, sizeof *offsets);
    assert_non_null(numbers);
    assert_non_null(offsets);
    for (int e = 0; e < ENTRIES; ++e) {
        numbers[e] = (float)e;
        offsets[3 * e + 2] = ENTRIES - 1 - e;
    }
    guarded c = guarded_create(*state, numbers, ENTRIES * sizeof *numbers);
    guarded stack = guarded_create(*state, offsets, 3 * ENTRIES * sizeof *offsets);
    assert_ok(*state,
              subwave_matmul_stacked(*state, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR,
                                     SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, 1, 1, 0, &none,
                                     NULL, 1, NULL, 1, &twice, guarded_pointer(&c), 1,
                                     SUBWAVE_DTYPE_I32, 0, guarded_pointer(&stack), ENTRIES));
    assert_ok(*state, subwave_synchronize(*state));
    assert_int_equal(guarded_read(&c, numbers), 0);
    for (int e = 0; e < ENTRIES; ++e)
        assert_true(numbers[e] == 2 * (float)e);
    guarded_destroy(&c);
    guarded_destroy(&stack);
    free(numbers);
    free(offsets);
    ++cases;
}

/* --- bad arguments --------------------------------------------------------------------------- */

typedef struct arguments {
    subwave_dtype dtype;
    subwave_layout layout;
    subwave_transpose_kind transpose_a, transpose_b;
    int64_t m, n, k;
    const void *alpha, *a;
    int64_t lda;
    const void *b;
    int64_t ldb;
    const void *beta;
    void *c;
    int64_t ldc;
    subwave_dtype offset_dtype;
    int32_t base;
    const void *offsets;
    int64_t entries;
} arguments;

static subwave_status call(subwave_context *context, const arguments *x)
{
    return subwave_matmul_stacked(context, x->dtype, x->layout, x->transpose_a, x->transpose_b,
                                  x->m, x->n, x->k, x->alpha, x->a, x->lda, x->b, x->ldb, x->beta,
                                  x->c, x->ldc, x->offset_dtype, x->base, x->offsets, x->entries);
}

/* Each is refused with a text that names the parameter, and C is not touched. */
static void test_bad_arguments(void **state)
{
    static const double one = 1;
    double memory[64] = {0};
    const int64_t offsets[3] = {0};
    guarded c = guarded_create(*state, memory, sizeof memory);
    const arguments right = {SUBWAVE_DTYPE_F64,
                             SUBWAVE_LAYOUT_ROW_MAJOR,
                             SUBWAVE_TRANSPOSE_NONE,
                             SUBWAVE_TRANSPOSE_NONE,
                             3,
                             4,
                             5,
                             &one,
                             memory,
                             6,
                             memory,
                             7,
                             &one,
                             guarded_pointer(&c),
                             8,
                             SUBWAVE_DTYPE_I64,
                             0,
                             offsets,
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
    BAD(m, -1, INVALID_SIZE);
    BAD(n, INT64_MIN, INVALID_SIZE);
    BAD(k, 32769, INVALID_SIZE);
    BAD(lda, 4, INVALID_STRIDE);
    BAD(ldb, 3, INVALID_STRIDE);
    BAD(ldc, 3, INVALID_STRIDE);
    BAD(lda, INT64_MAX, INVALID_SIZE);
    BAD(offset_dtype, 0, INVALID_VALUE);
    BAD(offset_dtype, SUBWAVE_DTYPE_U32, UNSUPPORTED);
    BAD(base, -1, INVALID_VALUE);
    BAD(base, 2, INVALID_VALUE);
    BAD(entries, -1, INVALID_SIZE);
    BAD(entries, (1 << 28) + 1, INVALID_SIZE);
    BAD(entries, INT64_MAX, INVALID_SIZE);
    BAD(alpha, NULL, INVALID_POINTER);
    BAD(beta, (const char *)&one + 1, INVALID_POINTER);
    BAD(a, NULL, INVALID_POINTER);
    BAD(b, (const char *)memory + 4, INVALID_POINTER);
    BAD(c, NULL, INVALID_POINTER);
    BAD(offsets, NULL, INVALID_POINTER);
    BAD(offsets, (const char *)offsets + 4, INVALID_POINTER);
#undef BAD
    arguments x = right;
    x.entries = 1 << 28;
    assert_int_equal(call(*state, &x), SUBWAVE_STATUS_WORKSPACE_TOO_SMALL);
    assert_int_equal(call(NULL, &right), SUBWAVE_STATUS_INVALID_CONTEXT);
    assert_int_equal(guarded_changes(&c), 0);
    guarded_destroy(&c);
}

static void test_count(void **state)
{
    (void)state;
    print_message("%d stacks checked\n", cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),         cmocka_unit_test(test_entries),
        cmocka_unit_test(test_scalars),       cmocka_unit_test(test_order),
        cmocka_unit_test(test_repeat),        cmocka_unit_test(test_dbcsr),
        cmocka_unit_test(test_workspace),     cmocka_unit_test(test_own_workspace),
        cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_count),
    };
    return harness_run("matmul_stacked", tests, sizeof tests / sizeof *tests);
}
