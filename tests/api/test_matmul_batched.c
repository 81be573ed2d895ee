/* SPDX-License-Identifier: MIT
 * test_matmul_batched.c: batched products of both kinds against a plain loop: every type, layout
 * and transpose, odd sizes, strides of 0 and of any sign, scalars, non-finite values, bad
 * arguments.
 */
#include "../harness.h"
#include "../numbers.h"
#include "../types.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- elements and matrices ------------------------------------------------------------------- */

enum { DTYPES = COUNT(batched_dtypes), MOST_BATCH = 40 };

typedef struct batched_case {
    subwave_dtype dtype;
    subwave_layout layout;
    subwave_transpose_kind transpose_a, transpose_b;
    int m, n, k, batch;
    int pad;        /* of every leading dimension over the least */
    int gap;        /* elements between one matrix and the next */
    int shared;     /* 1: one A for all, 2: one B */
    bool backwards; /* entry 0 lies last */
    bool pointers;  /* subwave_matmul_batched */
    number alpha, beta;
    harness_poison poison;
} batched_case;

/* The entries of an operand: matrices of rows x columns in one array. */
typedef struct operand {
    subwave_dtype dtype;
    bool column_major;
    int rows, columns;
    int64_t ld, stride, first, elements;
    char *host;
    guarded device, array;
} operand;

static int64_t place(const operand *x, int64_t entry, int i, int j)
{
    return x->first + entry * x->stride + (x->column_major ? i + j * x->ld : i * x->ld + j);
}

static operand operand_create(const batched_case *w, int rows, int columns, bool shared,
                              harness_poison poison)
{
    operand x = {.dtype = w->dtype,
                 .column_major = w->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR,
                 .rows = rows,
                 .columns = columns};
    const int minor = x.column_major ? rows : columns, major = x.column_major ? columns : rows;
    x.ld = (minor < 1 ? 1 : minor) + w->pad;
    const int64_t apart = (major > 0 ? (major - 1) * x.ld + minor : 0) + w->gap;
    const int matrices = shared || w->batch == 0 ? 1 : w->batch;
    x.stride = shared ? 0 : w->backwards ? -apart : apart;
    /* An element in front: alignment beyond the element's is not promised. */
    x.first = 1 + (w->backwards && !shared ? apart * (matrices - 1) : 0);
    x.elements = 1 + apart * matrices - w->gap;
    const size_t bytes = (size_t)x.elements * subwave_dtype_size(w->dtype);
    x.host = malloc(bytes);
    assert_non_null(x.host);
    harness_fill(poison, x.host, bytes);
    return x;
}

static void operand_randomize(operand *x, int entries, harness_random *random)
{
    for (int e = 0; e < entries; ++e)
        for (int i = 0; i < x->rows; ++i)
            for (int j = 0; j < x->columns; ++j) {
                const double real = harness_random_sign(random);
                number_set(x->dtype, x->host, place(x, e, i, j),
                           CMPLX(real, harness_random_sign(random)));
            }
}

static size_t operand_bytes(const operand *x)
{
    return (size_t)x->elements * subwave_dtype_size(x->dtype);
}

static char *operand_device(const operand *x)
{
    return (char *)guarded_pointer(&x->device) + x->first * (int64_t)subwave_dtype_size(x->dtype);
}

static void operand_upload(subwave_context *context, operand *x, int batch)
{
    void *pointers[MOST_BATCH + 1] = {NULL};
    x->device = guarded_create(context, x->host, operand_bytes(x));
    for (int e = 0; e < batch; ++e)
        pointers[e] = operand_device(x) + e * x->stride * (int64_t)subwave_dtype_size(x->dtype);
    x->array = guarded_create(context, pointers, (size_t)batch * sizeof *pointers);
}

static void operand_destroy(operand *x)
{
    guarded_destroy(&x->device);
    guarded_destroy(&x->array);
    free(x->host);
}

/* --- a problem ------------------------------------------------------------------------------- */

typedef struct problem {
    subwave_context *context;
    batched_case what;
    operand a, b, c;
} problem;

static problem problem_create(subwave_context *context, const batched_case *w,
                              harness_random *random)
{
    const bool a_flipped = w->transpose_a != SUBWAVE_TRANSPOSE_NONE;
    const bool b_flipped = w->transpose_b != SUBWAVE_TRANSPOSE_NONE;
    problem p = {.context = context, .what = *w};
    p.a = operand_create(w, a_flipped ? w->k : w->m, a_flipped ? w->m : w->k, w->shared == 1,
                         HARNESS_NAN);
    p.b = operand_create(w, b_flipped ? w->n : w->k, b_flipped ? w->k : w->n, w->shared == 2,
                         HARNESS_NAN);
    p.c = operand_create(w, w->m, w->n, false, w->poison);
    operand_randomize(&p.a, w->shared == 1 ? 1 : w->batch, random);
    operand_randomize(&p.b, w->shared == 2 ? 1 : w->batch, random);
    if (w->beta != 0)
        operand_randomize(&p.c, w->batch, random);
    return p;
}

static void problem_upload(problem *p)
{
    operand_upload(p->context, &p->a, p->what.batch);
    operand_upload(p->context, &p->b, p->what.batch);
    operand_upload(p->context, &p->c, p->what.batch);
}

static subwave_status problem_call(const problem *p)
{
    const batched_case *w = &p->what;
    char alpha[16], beta[16];
    number_set(w->dtype, alpha, 0, w->alpha);
    number_set(w->dtype, beta, 0, w->beta);
    if (w->pointers)
        return subwave_matmul_batched(
            p->context, w->dtype, w->layout, w->transpose_a, w->transpose_b, w->m, w->n, w->k,
            alpha, guarded_pointer(&p->a.array), p->a.ld, guarded_pointer(&p->b.array), p->b.ld,
            beta, guarded_pointer(&p->c.array), p->c.ld, w->batch);
    return subwave_matmul_strided_batched(
        p->context, w->dtype, w->layout, w->transpose_a, w->transpose_b, w->m, w->n, w->k, alpha,
        operand_device(&p->a), p->a.ld, p->a.stride, operand_device(&p->b), p->b.ld, p->b.stride,
        beta, operand_device(&p->c), p->c.ld, p->c.stride, w->batch);
}

static number element(const operand *x, subwave_transpose_kind transpose, int entry, int i, int j)
{
    if (transpose == SUBWAVE_TRANSPOSE_NONE)
        return number_get(x->dtype, x->host, place(x, entry, i, j));
    const number value = number_get(x->dtype, x->host, place(x, entry, j, i));
    return transpose == SUBWAVE_TRANSPOSE_CONJUGATE && reference_is_complex(x->dtype) ? conj(value)
                                                                                      : value;
}

/* Cells of `now`, C's memory after the call, that are not beta C + alpha A B, and bytes that are no
 * cell and have changed. */
static size_t faults(const problem *p, char *now)
{
    const batched_case *w = &p->what;
    const size_t size = subwave_dtype_size(w->dtype);
    const double eps = ldexp(1, -reference_fraction(w->dtype));
    const int terms = w->alpha != 0 ? w->k : 0;
    /* op(A) by rows and op(B) by columns of one entry, since every element is used many times. */
    number *rows = malloc((size_t)(w->m * terms + 1) * sizeof *rows);
    number *columns = malloc((size_t)(w->n * terms + 1) * sizeof *columns);
    assert_non_null(rows);
    assert_non_null(columns);
    size_t wrong = 0;
    for (int e = 0; e < w->batch; ++e) {
        for (int l = 0; l < terms; ++l) {
            for (int i = 0; i < w->m; ++i)
                rows[i * terms + l] = element(&p->a, w->transpose_a, e, i, l);
            for (int j = 0; j < w->n; ++j)
                columns[j * terms + l] = element(&p->b, w->transpose_b, e, l, j);
        }
        for (int i = 0; i < w->m; ++i)
            for (int j = 0; j < w->n; ++j) {
                const int64_t at = place(&p->c, e, i, j);
                number sum = 0;
                double bound = 0;
                for (int l = 0; l < terms; ++l) {
                    const number a = rows[i * terms + l], b = columns[j * terms + l];
                    sum += a * b;
                    bound += number_size(a) * number_size(b);
                }
                const number old = w->beta != 0 ? w->beta * number_get(w->dtype, p->c.host, at) : 0;
                const number expected = (w->k && w->alpha != 0 ? w->alpha * sum : 0) + old;
                bound = (2 * w->k + 6) * eps * (number_size(w->alpha) * bound + number_size(old));
                if (w->k == 0 || w->alpha == 0)
                    bound = 4 * eps * number_size(old); /* and exactly 0 without it */
                wrong += !(number_size(number_get(w->dtype, now, at) - expected) <= bound);
                memcpy(now + (size_t)at * size, p->c.host + (size_t)at * size, size);
            }
    }
    free(rows);
    free(columns);
    for (size_t i = 0; i < operand_bytes(&p->c); ++i)
        wrong += now[i] != p->c.host[i];
    return wrong;
}

static void describe(const batched_case *w)
{
    print_error(
        "%s %s, transposes %d %d, %dx%dx%d, batch %d, pad %d, gap %d, shared %d%s%s, alpha %g%+gi, beta %g%+gi\n",
        subwave_dtype_name(w->dtype), w->layout == SUBWAVE_LAYOUT_ROW_MAJOR ? "row" : "column",
        (int)w->transpose_a, (int)w->transpose_b, w->m, w->n, w->k, w->batch, w->pad, w->gap,
        w->shared, w->backwards ? ", backwards" : "", w->pointers ? ", pointers" : "",
        creal(w->alpha), cimag(w->alpha), creal(w->beta), cimag(w->beta));
}

static int cases;

static void check_problem(problem *p)
{
    const batched_case *w = &p->what;
    char *now = malloc(operand_bytes(&p->c));
    assert_non_null(now);
    /* A launch that does nothing must not pass for a right one. */
    memcpy(now, p->c.host, operand_bytes(&p->c));
    const bool writes = w->m && w->n && w->batch && ((w->k && w->alpha != 0) || w->beta != 1);
    if (writes && faults(p, now) == 0) {
        describe(w);
        fail_msg("C was right before the call");
    }
    problem_upload(p);
    assert_ok(p->context, problem_call(p));
    assert_ok(p->context, subwave_synchronize(p->context));
    const size_t stray = guarded_read(&p->c.device, now), wrong = faults(p, now);
    const size_t inputs = guarded_changes(&p->a.device) + guarded_changes(&p->b.device) +
                          guarded_changes(&p->a.array) + guarded_changes(&p->b.array) +
                          guarded_changes(&p->c.array);
    free(now);
    if (wrong || stray || inputs) {
        describe(w);
        fail_msg("%zu wrong cells or changed bytes, %zu bytes around C, %zu bytes of inputs", wrong,
                 stray, inputs);
    }
    operand_destroy(&p->a);
    operand_destroy(&p->b);
    operand_destroy(&p->c);
    ++cases;
}

static void check_case(subwave_context *context, const batched_case *what, harness_random *random)
{
    problem p = problem_create(context, what, random);
    check_problem(&p);
}

static batched_case plain_case(subwave_dtype dtype, int m, int n, int k, int batch)
{
    return (batched_case){.dtype = dtype,
                          .layout = SUBWAVE_LAYOUT_ROW_MAJOR,
                          .transpose_a = SUBWAVE_TRANSPOSE_NONE,
                          .transpose_b = SUBWAVE_TRANSPOSE_NONE,
                          .m = m,
                          .n = n,
                          .k = k,
                          .batch = batch,
                          .alpha = 1};
}

/* --- sizes, layouts, transposes, strides ----------------------------------------------------- */

enum { FORMS = 18 }; /* layouts and transposes */
static void set_form(batched_case *what, int form)
{
    what->layout = form % 2 ? SUBWAVE_LAYOUT_COLUMN_MAJOR : SUBWAVE_LAYOUT_ROW_MAJOR;
    what->transpose_a = (subwave_transpose_kind)(SUBWAVE_TRANSPOSE_NONE + form / 2 % 3);
    what->transpose_b = (subwave_transpose_kind)(SUBWAVE_TRANSPOSE_NONE + form / 6);
}

/* What the tests below take one by one varies with the case. */
static void vary(batched_case *what, harness_random *random)
{
    static const number alphas[] = {1, 1, -1, 0.5 + 0.25 * I},
                        betas[] = {0, 0, 1, -0.5, 0.25 - 1 * I};
    static const int pads[] = {0, 0, 0, 1, 5}, gaps[] = {0, 0, 1, 7};
    what->alpha = alphas[harness_random_bits(random) % 4];
    what->beta = betas[harness_random_bits(random) % 5];
    if (!reference_is_complex(what->dtype)) {
        what->alpha = creal(what->alpha);
        what->beta = creal(what->beta);
    }
    what->pad = pads[harness_random_bits(random) % 5];
    what->gap = gaps[harness_random_bits(random) % 4];
    what->shared = (int)(harness_random_bits(random) % 4);
    what->backwards = harness_random_bits(random) % 4 == 0;
    what->pointers = harness_random_bits(random) % 3 == 0;
    what->poison = harness_random_bits(random) % HARNESS_POISONS;
}

/* Square ones around every tile, the odd shape, and skinny ones. */
static const int sizes[][4] = {
    {1, 1, 1, 33},   {2, 2, 2, 17},   {3, 3, 3, 9},    {4, 4, 4, 35},   {5, 5, 5, 39},
    {7, 7, 7, 37},   {8, 8, 8, 9},    {9, 9, 9, 15},   {11, 12, 13, 5}, {16, 16, 16, 5},
    {15, 17, 14, 3}, {20, 23, 21, 2}, {24, 24, 24, 3}, {29, 31, 23, 3}, {32, 32, 32, 2},
    {33, 25, 34, 2}, {40, 48, 37, 2}, {49, 64, 50, 2}, {64, 64, 64, 1}, {1, 64, 3, 2},
    {64, 2, 5, 2},   {3, 1, 64, 3},   {2, 9, 1, 6},
};

static void test_sizes(void **state)
{
    harness_random random = harness_random_start();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        for (int d = 0; d < DTYPES; ++d)
            for (int form = 0; form < FORMS; ++form) {
                const int *size = sizes[s];
                batched_case what =
                    plain_case(batched_dtypes[d], size[0], size[1], size[2], size[3]);
                if (size[0] * size[1] * size[2] > 4096 && (form + (int)s + d) % 4 != 0 &&
                    !harness_is_full())
                    continue;
                set_form(&what, form);
                vary(&what, &random);
                check_case(*state, &what, &random);
            }
}

/* Every n to 64, and random shapes. */
static void test_all_sizes(void **state)
{
    harness_random random = harness_random_start();
    for (int n = 1; n <= 64; ++n)
        for (int d = 0; d < DTYPES; ++d) {
            batched_case what = plain_case(batched_dtypes[d], n, n, n, n < 17 ? MOST_BATCH : 3);
            check_case(*state, &what, &random);
            set_form(&what, n % FORMS);
            vary(&what, &random);
            check_case(*state, &what, &random);
        }
    for (int i = 0; i < 400; ++i) {
        batched_case what = plain_case(
            batched_dtypes[i % DTYPES], (int)(harness_random_bits(&random) % 66),
            (int)(harness_random_bits(&random) % 66), (int)(harness_random_bits(&random) % 66),
            (int)(harness_random_bits(&random) % 6));
        set_form(&what, (int)(harness_random_bits(&random) % FORMS));
        vary(&what, &random);
        check_case(*state, &what, &random);
    }
}

/* Larger than what the call is made for, which is slower but right. */
static void test_large(void **state)
{
    harness_random random = harness_random_start();
    static const int large[][3] = {
        {65, 66, 67}, {130, 3, 5}, {2, 129, 70}, {65, 1, 129}, {97, 129, 33}};
    for (int i = 0; i < 5; ++i)
        for (int d = 0; d < DTYPES; ++d) {
            batched_case what =
                plain_case(batched_dtypes[d], large[i][0], large[i][1], large[i][2], 2);
            set_form(&what, (5 * i + d) % FORMS);
            check_case(*state, &what, &random);
        }
}

/* --- scalars, empty and degenerate ----------------------------------------------------------- */

static void test_scalars(void **state)
{
    static const number scalars[] = {0, 1, -1, 0.5, 1 * I, 2 - 3 * I};
    harness_random random = harness_random_start();
    for (int d = 0; d < DTYPES; ++d)
        for (int x = 0; x < 36; ++x)
            for (harness_poison poison = 0; poison < HARNESS_POISONS; ++poison) {
                batched_case what = plain_case(batched_dtypes[d], 5, 6, 7, 3);
                if (!reference_is_complex(what.dtype) && (x / 6 > 3 || x % 6 > 3))
                    continue;
                what.alpha = scalars[x / 6];
                what.beta = scalars[x % 6];
                what.poison = poison;
                what.pointers = x % 2;
                check_case(*state, &what, &random);
            }
}

/* Without a sum, alpha is multiplied with nothing: not even an infinite one may show, and A and B
 * are not read, not even their pointers. */
static void test_no_terms(void **state)
{
    harness_random random = harness_random_start();
    for (int d = 0; d < DTYPES; ++d)
        for (int x = 0; x < 16; ++x) {
            static const number betas[] = {0, 1, -1, 0.5};
            batched_case what = plain_case(batched_dtypes[d], 5, 18, x & 1 ? 0 : 3, 3);
            what.alpha = x & 1 ? INFINITY : 0;
            what.beta = betas[x / 4];
            what.pointers = x & 2;
            what.pad = 1;
            problem p = problem_create(*state, &what, &random);
            harness_fill(HARNESS_NAN, p.a.host, operand_bytes(&p.a));
            harness_fill(HARNESS_NAN, p.b.host, operand_bytes(&p.b));
            check_problem(&p);
        }
    const double zero = 0, two = 2;
    double c[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    guarded device_c = guarded_create(*state, c, sizeof c);
    assert_ok(*state, subwave_matmul_strided_batched(
                          *state, SUBWAVE_DTYPE_F64, SUBWAVE_LAYOUT_ROW_MAJOR,
                          SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, 2, 2, 9, &zero, NULL, 9,
                          0, NULL, 2, 0, &two, guarded_pointer(&device_c), 2, 4, 2));
    guarded_read(&device_c, c);
    for (int i = 0; i < 8; ++i)
        assert_true(c[i] == 2 * (i + 1));
    /* Nor are arrays of pointers to A and B read. */
    if (harness_is_cpu(*state)) {
        const void *const *nowhere = (const void *const *)8;
        void *const both[2] = {guarded_pointer(&device_c),
                               (double *)guarded_pointer(&device_c) + 4};
        assert_ok(*state,
                  subwave_matmul_batched(*state, SUBWAVE_DTYPE_F64, SUBWAVE_LAYOUT_ROW_MAJOR,
                                         SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, 2, 2, 9,
                                         &zero, nowhere, 9, nowhere, 2, &two, both, 2, 2));
        guarded_read(&device_c, c);
        for (int i = 0; i < 8; ++i)
            assert_true(c[i] == 4 * (i + 1));
    }
    guarded_destroy(&device_c);
}

/* No cells: success at once, whatever the pointers. */
static void test_empty(void **state)
{
    static const int empty[][4] = {{0, 5, 3, 2}, {5, 0, 3, 2}, {5, 3, 2, 0}, {0, 0, 0, 0}};
    for (int d = 0; d < DTYPES; ++d)
        for (int e = 0; e < 4; ++e) {
            const int *s = empty[e];
            assert_ok(*state, subwave_matmul_strided_batched(
                                  *state, batched_dtypes[d], SUBWAVE_LAYOUT_ROW_MAJOR,
                                  SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, s[0], s[1], s[2],
                                  NULL, NULL, 9, 0, NULL, 9, 0, NULL, NULL, 9, 81, s[3]));
            assert_ok(*state, subwave_matmul_batched(
                                  *state, batched_dtypes[d], SUBWAVE_LAYOUT_ROW_MAJOR,
                                  SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, s[0], s[1], s[2],
                                  NULL, NULL, 9, NULL, 9, NULL, NULL, 9, s[3]));
            ++cases;
        }
}

/* Matrices of C side by side in the rows of one large matrix. */
static void test_side_by_side(void **state)
{
    enum { M = 3, N = 5, BATCH = 4, LD = N * BATCH };
    double a[M], b[N], c[M * LD];
    for (int i = 0; i < M; ++i)
        a[i] = i + 1;
    for (int j = 0; j < N; ++j)
        b[j] = j - 2;
    harness_fill(HARNESS_NAN, c, sizeof c);
    guarded device_a = guarded_create(*state, a, sizeof a),
            device_b = guarded_create(*state, b, sizeof b),
            device_c = guarded_create(*state, c, sizeof c);
    const double one = 1, zero = 0;
    assert_ok(*state, subwave_matmul_strided_batched(
                          *state, SUBWAVE_DTYPE_F64, SUBWAVE_LAYOUT_ROW_MAJOR,
                          SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, M, N, 1, &one,
                          guarded_pointer(&device_a), 1, 0, guarded_pointer(&device_b), N, 0, &zero,
                          guarded_pointer(&device_c), LD, N, BATCH));
    assert_int_equal(guarded_read(&device_c, c), 0);
    for (int i = 0; i < M * LD; ++i)
        assert_true(c[i] == a[i / LD] * b[i % N]);
    guarded_destroy(&device_a);
    guarded_destroy(&device_b);
    guarded_destroy(&device_c);
    ++cases;
}

/* --- non-finite values, equal bits ----------------------------------------------------------- */

/* A NaN in one entry's A reaches its row of that entry's C, and no other cell. */
static void test_non_finite(void **state)
{
    static const int shapes[][3] = {{3, 2, 3}, {5, 7, 6}, {13, 10, 11}, {29, 31, 23}, {40, 41, 39}};
    harness_random random = harness_random_start();
    for (int d = 0; d < DTYPES; ++d)
        for (int s = 0; s < 5; ++s) {
            const int m = shapes[s][0], n = shapes[s][1], k = shapes[s][2], batch = s < 3 ? 21 : 4;
            const batched_case what = plain_case(batched_dtypes[d], m, n, k, batch);
            problem p = problem_create(*state, &what, &random);
            const int entry = (int)(harness_random_bits(&random) % (unsigned)batch);
            const int row = (int)(harness_random_bits(&random) % (unsigned)m);
            number_set(what.dtype, p.a.host,
                       place(&p.a, entry, row, (int)(harness_random_bits(&random) % (unsigned)k)),
                       NAN);
            problem_upload(&p);
            assert_ok(*state, problem_call(&p));
            char *now = malloc(operand_bytes(&p.c));
            assert_non_null(now);
            guarded_read(&p.c.device, now);
            for (int e = 0; e < batch; ++e)
                for (int i = 0; i < m; ++i)
                    for (int j = 0; j < n; ++j)
                        assert_int_equal(
                            isnan(creal(number_get(what.dtype, now, place(&p.c, e, i, j)))) != 0,
                            e == entry && i == row);
            free(now);
            operand_destroy(&p.a);
            operand_destroy(&p.b);
            operand_destroy(&p.c);
            ++cases;
        }
}

static void *run_for_bits(subwave_context *context, const batched_case *what, size_t *bytes)
{
    harness_random random = harness_random_start();
    problem p = problem_create(context, what, &random);
    problem_upload(&p);
    assert_ok(context, problem_call(&p));
    char *now = malloc(*bytes = operand_bytes(&p.c));
    assert_non_null(now);
    guarded_read(&p.c.device, now);
    operand_destroy(&p.a);
    operand_destroy(&p.b);
    operand_destroy(&p.c);
    return now;
}

/* From run to run, and on the CPU device whatever the threads and the order of lanes and waves. */
static void test_repeat(void **state)
{
    static const char *const settings[][2] = {{"1", "0"}, {"2", "1"}, {"3", "12345"}};
    subwave_device_properties device;
    assert_ok(*state, subwave_context_info(*state, &device));
    for (int d = 0; d < DTYPES; ++d)
        for (int s = 0; s < 9; ++s) {
            const int n = (int[]){3, 13, 37}[s / 3];
            batched_case what = plain_case(batched_dtypes[d], n, n + 1, n + 2, 7);
            what.beta = 0.5;
            size_t bytes;
            subwave_context *context = *state;
            if (harness_is_cpu(*state)) {
                setenv("SUBWAVE_CPU_THREADS", settings[s % 3][0], 1);
                setenv("SUBWAVE_CPU_SEED", settings[s % 3][1], 1);
                const subwave_status status = subwave_context_create(&context, device.id);
                unsetenv("SUBWAVE_CPU_THREADS");
                unsetenv("SUBWAVE_CPU_SEED");
                assert_ok(NULL, status);
            }
            void *first = run_for_bits(*state, &what, &bytes),
                 *second = run_for_bits(context, &what, &bytes);
            assert_memory_equal(first, second, bytes);
            free(first);
            free(second);
            if (context != *state)
                assert_ok(NULL, subwave_context_destroy(&context));
            ++cases;
        }
}

/* --- bad arguments --------------------------------------------------------------------------- */

typedef struct arguments {
    subwave_dtype dtype;
    subwave_layout layout;
    subwave_transpose_kind transpose_a, transpose_b;
    int64_t m, n, k;
    const void *alpha, *a;
    int64_t lda, stride_a;
    const void *b;
    int64_t ldb, stride_b;
    const void *beta;
    void *c;
    int64_t ldc, stride_c, batch;
} arguments;

static subwave_status call_strided(subwave_context *context, const arguments *x)
{
    return subwave_matmul_strided_batched(context, x->dtype, x->layout, x->transpose_a,
                                          x->transpose_b, x->m, x->n, x->k, x->alpha, x->a, x->lda,
                                          x->stride_a, x->b, x->ldb, x->stride_b, x->beta, x->c,
                                          x->ldc, x->stride_c, x->batch);
}

static subwave_status call_pointers(subwave_context *context, const arguments *x)
{
    return subwave_matmul_batched(context, x->dtype, x->layout, x->transpose_a, x->transpose_b,
                                  x->m, x->n, x->k, x->alpha, x->a, x->lda, x->b, x->ldb, x->beta,
                                  x->c, x->ldc, x->batch);
}

/* Each is refused with a text that names the parameter, and C is not touched. */
static void test_bad_arguments(void **state)
{
    static const double one = 1;
    double memory[512] = {0};
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
                             20,
                             memory,
                             7,
                             40,
                             &one,
                             guarded_pointer(&c),
                             8,
                             24,
                             2};
#define BAD(field, value, expected, strided_only) \
    do { \
        arguments x = right; \
        x.field = value; \
        for (int form = 0; form < (strided_only ? 1 : 2); ++form) { \
            assert_int_equal((form ? call_pointers : call_strided)(*state, &x), \
                             SUBWAVE_STATUS_##expected); \
            assert_true(harness_refused(*state, SUBWAVE_STATUS_##expected, #field)); \
            ++cases; \
        } \
    } while (0)
    BAD(dtype, 0, INVALID_VALUE, false);
    BAD(dtype, GREATEST(SUBWAVE_DTYPE_LIST) + 1, INVALID_VALUE, false);
    BAD(dtype, SUBWAVE_DTYPE_I32, UNSUPPORTED, false);
    BAD(dtype, SUBWAVE_DTYPE_F16, UNSUPPORTED, false);
    for (size_t d = 0; d < COUNT(all_dtypes); ++d)
        if (!IS_ONE_OF(batched_dtypes, all_dtypes[d]))
            BAD(dtype, all_dtypes[d], UNSUPPORTED, false);
    BAD(layout, 0, INVALID_VALUE, false);
    BAD(layout, 3, INVALID_VALUE, false);
    BAD(transpose_a, 0, INVALID_VALUE, false);
    BAD(transpose_a, 4, INVALID_VALUE, false);
    BAD(transpose_b, 'C', INVALID_VALUE, false);
    BAD(m, -1, INVALID_SIZE, false);
    BAD(n, INT64_MIN, INVALID_SIZE, false);
    BAD(k, -5, INVALID_SIZE, false);
    BAD(m, 32769, INVALID_SIZE, false);
    BAD(n, INT64_MAX, INVALID_SIZE, false);
    BAD(k, 1 << 20, INVALID_SIZE, false);
    BAD(lda, 4, INVALID_STRIDE, false);
    BAD(ldb, 3, INVALID_STRIDE, false);
    BAD(ldc, 3, INVALID_STRIDE, false);
    BAD(lda, INT64_MAX, INVALID_SIZE, false);
    BAD(batch, -1, INVALID_SIZE, false);
    BAD(stride_a, INT64_MAX, INVALID_SIZE, true);
    BAD(stride_b, INT64_MIN, INVALID_SIZE, true);
    BAD(stride_c, INT64_MAX / 8, INVALID_SIZE, true);
    BAD(stride_c, 0, INVALID_STRIDE, true);
    BAD(stride_c, 19, INVALID_STRIDE, true);
    BAD(stride_c, -19, INVALID_STRIDE, true);
    /* side by side, but the second reaches into the next row */
    BAD(stride_c, 5, INVALID_STRIDE, true);
    BAD(stride_c, 3, INVALID_STRIDE, true);
    BAD(alpha, NULL, INVALID_POINTER, false);
    BAD(beta, (const char *)&one + 1, INVALID_POINTER, false);
    BAD(a, NULL, INVALID_POINTER, false);
    BAD(b, NULL, INVALID_POINTER, false);
    BAD(c, NULL, INVALID_POINTER, false);
    BAD(a, (const char *)memory + 4, INVALID_POINTER, false);
    BAD(c, (char *)memory + 4, INVALID_POINTER, false);
#undef BAD
    assert_int_equal(call_strided(NULL, &right), SUBWAVE_STATUS_INVALID_CONTEXT);
    assert_int_equal(call_pointers(NULL, &right), SUBWAVE_STATUS_INVALID_CONTEXT);
    assert_int_equal(guarded_changes(&c), 0);
    guarded_destroy(&c);
}

static void test_count(void **state)
{
    (void)state;
    print_message("%d batched products checked\n", cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),         cmocka_unit_test(test_large),
        cmocka_unit_test(test_scalars),       cmocka_unit_test(test_no_terms),
        cmocka_unit_test(test_empty),         cmocka_unit_test(test_side_by_side),
        cmocka_unit_test(test_non_finite),    cmocka_unit_test(test_repeat),
        cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_count),
        cmocka_unit_test(test_all_sizes),
    };
    const size_t count = sizeof tests / sizeof *tests;
    return harness_run("matmul_batched", tests, harness_is_full() ? count : count - 1);
}
