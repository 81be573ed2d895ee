/* SPDX-License-Identifier: MIT
 * test_calls.c: every function of libsubwave_blas, which this program is linked with in place of a
 * BLAS, against plain loops; wrong arguments, which its own XERBLA receives; threads and fork().
 */
#define _DEFAULT_SOURCE
#include "../harness.h"

#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a program has from cblas.h, and from an interface of Fortran's. */
enum { ROW_MAJOR = 101, COLUMN_MAJOR = 102, NO_TRANSPOSE = 111, TRANSPOSE, CONJUGATE };

/* X(letter, scalar, what C passes for a scalar, number of parts) */
#define TYPES(X) \
    X(s, float, float, 1) \
    X(d, double, double, 1) X(c, void, const void *, 2) X(z, void, const void *, 2)
#define DECLARE(letter, scalar, by_value, parts) \
    void letter##gemm_(const char *, const char *, const int *, const int *, const int *, \
                       const scalar *, const scalar *, const int *, const scalar *, const int *, \
                       const scalar *, scalar *, const int *, size_t, size_t); \
    void letter##gemm_batch_strided_( \
        const char *, const char *, const int *, const int *, const int *, const scalar *, \
        const scalar *, const int *, const int *, const scalar *, const int *, const int *, \
        const scalar *, scalar *, const int *, const int *, const int *, size_t, size_t); \
    void cblas_##letter##gemm(int, int, int, int, int, int, by_value, const scalar *, int, \
                              const scalar *, int, by_value, scalar *, int); \
    void cblas_##letter##gemm_batch_strided(int, int, int, int, int, int, by_value, \
                                            const scalar *, int, int, const scalar *, int, int, \
                                            by_value, scalar *, int, int, int);
TYPES(DECLARE)
#undef DECLARE

/* --- XERBLA, in the place of the library's --------------------------------------------------- */

static char reported_routine[64], reported_text[128];
static int reported_number, reports;

#pragma GCC visibility push(default)
void xerbla_(const char *routine, const int *number, size_t length)
{
    snprintf(reported_routine, sizeof reported_routine, "%.*s", (int)length, routine);
    reported_number = *number;
    ++reports;
}

void cblas_xerbla(int number, const char *routine, const char *form, ...)
{
    va_list arguments;
    va_start(arguments, form);
    vsnprintf(reported_text, sizeof reported_text, form, arguments);
    va_end(arguments);
    snprintf(reported_routine, sizeof reported_routine, "%s", routine);
    reported_number = number;
    ++reports;
}
#pragma GCC visibility pop

/* --- a call, whichever function it is of ----------------------------------------------------- */

typedef enum type { S, D, C, Z, TYPE_COUNT } type;
typedef enum way { FORTRAN, BY_COLUMNS, BY_ROWS, WAYS } way;

typedef struct call {
    type type;
    way way;
    bool strided;
    int transa, transb, m, n, k, lda, ldb, ldc, stride_a, stride_b, stride_c, batch;
    double complex alpha, beta;
    bool exact; /* of small integers, whose sums are exact */
} call;

static bool is_double(type t) { return t == D || t == Z; }
static int parts(type t) { return t == C || t == Z ? 2 : 1; }
static size_t size_of(type t) { return (is_double(t) ? 8u : 4u) * (size_t)parts(t); }

static double complex get(type t, const void *x, int64_t i)
{
    const float *const f = x;
    const double *const d = x;
    switch (t) {
    case S:
        return f[i];
    case D:
        return d[i];
    case C:
        return f[2 * i] + f[2 * i + 1] * I;
    default:
        return d[2 * i] + d[2 * i + 1] * I;
    }
}

static void set(type t, void *x, int64_t i, double complex value)
{
    for (int part = 0; part < parts(t); ++part) {
        const double number = part ? cimag(value) : creal(value);
        if (is_double(t))
            ((double *)x)[parts(t) * i + part] = number;
        else
            ((float *)x)[parts(t) * i + part] = (float)number;
    }
}

static const char *letter(int transpose)
{
    return transpose == NO_TRANSPOSE ? "N" : transpose == TRANSPOSE ? "t" : "C";
}

static void run(const call *c, const void *a, const void *b, void *product)
{
    double alpha[2], beta[2];
    set(c->type, alpha, 0, c->alpha);
    set(c->type, beta, 0, c->beta);
    const float *const f_alpha = (const float *)alpha, *const f_beta = (const float *)beta;
    const int layout = c->way == BY_ROWS ? ROW_MAJOR : COLUMN_MAJOR;
    const char *const transa = letter(c->transa), *const transb = letter(c->transb);
#define PLAIN(t, value, scalars) \
    if (c->way == FORTRAN) \
        t##gemm_(transa, transb, &c->m, &c->n, &c->k, (const void *)alpha, a, &c->lda, b, &c->ldb, \
                 (const void *)beta, product, &c->ldc, 1, 1); \
    else \
        cblas_##t##gemm(layout, c->transa, c->transb, c->m, c->n, c->k, value scalars##alpha, a, \
                        c->lda, b, c->ldb, value scalars##beta, product, c->ldc);
#define STRIDED(t, value, scalars) \
    if (c->way == FORTRAN) \
        t##gemm_batch_strided_(transa, transb, &c->m, &c->n, &c->k, (const void *)alpha, a, \
                               &c->lda, &c->stride_a, b, &c->ldb, &c->stride_b, \
                               (const void *)beta, product, &c->ldc, &c->stride_c, &c->batch, 1, \
                               1); \
    else \
        cblas_##t##gemm_batch_strided(layout, c->transa, c->transb, c->m, c->n, c->k, \
                                      value scalars##alpha, a, c->lda, c->stride_a, b, c->ldb, \
                                      c->stride_b, value scalars##beta, product, c->ldc, \
                                      c->stride_c, c->batch);
#define EITHER(t, value, scalars) \
    if (c->strided) { \
        STRIDED(t, value, scalars) \
    } else { \
        PLAIN(t, value, scalars) \
    }
    switch (c->type) {
    case S:
        EITHER(s, *, f_)
        break;
    case D:
        EITHER(d, *, )
        break;
    case C:
        EITHER(c, , f_)
        break;
    default:
        EITHER(z, , )
        break;
    }
}

/* --- matrices and their products ------------------------------------------------------------- */

static harness_random numbers;

static int below(int n) { return (int)(harness_random_bits(&numbers) % (uint64_t)n); }

/* Where element (i, j) of X lies, if `flipped` stored as its transpose. */
static int64_t at(const call *c, bool flipped, int ld, int stride, int64_t i, int64_t j, int entry)
{
    const int64_t row = flipped ? j : i, column = flipped ? i : j;
    return (int64_t)entry * stride +
           (c->way == BY_ROWS ? row * ld + column : row + column * (int64_t)ld);
}

/* Elements from the first that the call can touch to the last. */
static int64_t lines(const call *c, bool flipped, int rows, int columns)
{
    return (c->way == BY_ROWS) == flipped ? columns : rows;
}
static int least_ld(const call *c, bool flipped, int rows, int columns)
{
    const int64_t length = (c->way == BY_ROWS) == flipped ? rows : columns;
    return length > 1 ? (int)length : 1;
}
static int64_t extent(const call *c, bool flipped, int rows, int columns, int ld)
{
    const int64_t count = lines(c, flipped, rows, columns),
                  length = (int64_t)rows * columns / (count ? count : 1);
    return count && length ? (count - 1) * ld + length : 0;
}

/* A batch in memory: `first` is its entry 0, which is not in front if the stride is negative. */
typedef struct memory {
    unsigned char *all, *first;
    size_t bytes;
} memory;

static memory allocate(type t, int64_t elements, int stride, int batch)
{
    const int64_t reach = (int64_t)(batch > 0 ? batch - 1 : 0) * llabs(stride);
    memory x = {.bytes = (size_t)(elements + reach) * size_of(t)};
    x.all = malloc(x.bytes + 1);
    assert_non_null(x.all);
    x.first = x.all + (stride < 0 ? (size_t)reach * size_of(t) : 0);
    return x;
}

static void fill_random(const call *c, const memory *x)
{
    for (size_t i = 0; i < x->bytes / size_of(c->type); ++i)
        set(c->type, x->all, (int64_t)i,
            c->exact ? below(5) - 2 + (below(5) - 2) * I
                     : harness_random_sign(&numbers) + harness_random_sign(&numbers) * I);
}

static double size_of_number(double complex z) { return fabs(creal(z)) + fabs(cimag(z)); }

static double complex element(const call *c, int trans, const void *x, int ld, int stride,
                              int64_t i, int64_t j, int entry)
{
    const double complex z = get(c->type, x, at(c, trans != NO_TRANSPOSE, ld, stride, i, j, entry));
    return trans == CONJUGATE ? conj(z) : z;
}

/* Runs the call on random matrices. Each element of C is near what it should be, and what lies
 * between them is as it was. NaN stands wherever nothing may be read. */
static void check_product(call *c)
{
    const bool a_flipped = c->transa != NO_TRANSPOSE, b_flipped = c->transb != NO_TRANSPOSE;
    const int64_t a_extent = extent(c, a_flipped, c->m, c->k, c->lda),
                  b_extent = extent(c, b_flipped, c->k, c->n, c->ldb),
                  c_extent = extent(c, false, c->m, c->n, c->ldc);
    memory a = allocate(c->type, a_extent, c->stride_a, c->batch),
           b = allocate(c->type, b_extent, c->stride_b, c->batch),
           product = allocate(c->type, c_extent, c->stride_c, c->batch),
           before = allocate(c->type, c_extent, c->stride_c, c->batch);
    fill_random(c, &a);
    fill_random(c, &b);
    fill_random(c, &product);
    if (c->alpha == 0) {
        harness_fill(HARNESS_NAN, a.all, a.bytes);
        harness_fill(HARNESS_NAN, b.all, b.bytes);
    }
    if (c->beta == 0)
        harness_fill(HARNESS_NAN, product.all, product.bytes);
    memcpy(before.all, product.all, product.bytes);
    run(c, a.first, b.first, product.first);

    const double epsilon = c->exact ? 0 : is_double(c->type) ? 0x1p-52 : 0x1p-23;
    for (int e = 0; e < c->batch; ++e)
        for (int i = 0; i < c->m; ++i)
            for (int j = 0; j < c->n; ++j) {
                double complex sum = 0;
                double size = 0;
                for (int l = 0; l < c->k && c->alpha != 0; ++l) {
                    const double complex x =
                        element(c, c->transa, a.first, c->lda, c->stride_a, i, l, e);
                    const double complex y =
                        element(c, c->transb, b.first, c->ldb, c->stride_b, l, j, e);
                    sum += x * y;
                    size += size_of_number(x) * size_of_number(y);
                }
                const int64_t place = at(c, false, c->ldc, c->stride_c, i, j, e);
                const double complex old = c->beta == 0 ? 0 : get(c->type, before.first, place),
                                     right = c->alpha * sum + c->beta * old,
                                     found = get(c->type, product.first, place);
                const double bound =
                    (2 * c->k + 6) * epsilon *
                    (size_of_number(c->alpha) * size + size_of_number(c->beta * old));
                if (!(size_of_number(found - right) <= bound))
                    fail_msg("type %d, way %d, %s%s, %d x %d x %d, entry %d of %d: C(%d, %d) is "
                             "%.17g%+.17gi, not %.17g%+.17gi",
                             c->type, c->way, letter(c->transa), letter(c->transb), c->m, c->n,
                             c->k, e, c->batch, i, j, creal(found), cimag(found), creal(right),
                             cimag(right));
                memcpy(product.first + place * (int64_t)size_of(c->type),
                       before.first + place * (int64_t)size_of(c->type), size_of(c->type));
            }
    assert_memory_equal(product.all, before.all, product.bytes);
    free(a.all);
    free(b.all);
    free(product.all);
    free(before.all);
}

static call random_call(type t, way w, int m, int n, int k)
{
    static const double complex scalars[] = {0, 1, -1, 0.7 - 0.9 * I};
    call c = {.type = t,
              .way = w,
              .transa = NO_TRANSPOSE + below(3),
              .transb = NO_TRANSPOSE + below(3),
              .m = m,
              .n = n,
              .k = k,
              .batch = 1,
              .alpha = scalars[below(8) > 0 ? 1 + below(3) : 0],
              .beta = scalars[below(4)]};
    if (parts(t) == 1) {
        c.alpha = creal(c.alpha);
        c.beta = creal(c.beta);
    }
    if (!is_double(t)) {
        c.alpha = (float)creal(c.alpha) + (float)cimag(c.alpha) * I;
        c.beta = (float)creal(c.beta) + (float)cimag(c.beta) * I;
    }
    c.lda = least_ld(&c, c.transa != NO_TRANSPOSE, m, k) + below(3);
    c.ldb = least_ld(&c, c.transb != NO_TRANSPOSE, k, n) + below(3);
    c.ldc = least_ld(&c, false, m, n) + below(3);
    return c;
}

/* Of random calls: fewer where a GPU's code is emulated. */
static int turns(int usual) { return harness_is_emulated() ? usual / 8 : usual; }

static void test_products(void **state)
{
    (void)state;
    static const int sizes[] = {0, 1, 2, 7, 16, 33, 65};
    const int count = sizeof sizes / sizeof *sizes;
    for (type t = S; t < TYPE_COUNT; ++t)
        for (way w = FORTRAN; w < WAYS; ++w)
            for (int turn = 0; turn < turns(60); ++turn) {
                call c = random_call(t, w, sizes[below(count)], sizes[below(count)],
                                     sizes[below(count)]);
                check_product(&c);
            }
}

static void test_batches(void **state)
{
    (void)state;
    static const int sizes[] = {0, 1, 3, 8, 21, 70};
    const int count = sizeof sizes / sizeof *sizes;
    for (type t = S; t < TYPE_COUNT; ++t)
        for (way w = FORTRAN; w < WAYS; ++w)
            for (int turn = 0; turn < turns(40); ++turn) {
                call c = random_call(t, w, sizes[below(count)], sizes[below(count)],
                                     sizes[below(count)]);
                c.strided = true;
                c.batch = below(6);
                const int a_lines = (int)lines(&c, c.transa != NO_TRANSPOSE, c.m, c.k),
                          b_lines = (int)lines(&c, c.transb != NO_TRANSPOSE, c.k, c.n),
                          c_lines = (int)lines(&c, false, c.m, c.n);
                /* without gaps, with gaps, backwards, one matrix for all */
                const int kind = below(5), gap = kind == 0 ? 0 : 5, sign = kind == 2 ? -1 : 1;
                c.stride_a = kind == 3 ? 0 : sign * (c.lda * a_lines + gap);
                c.stride_b = below(5) == 0 ? 0 : sign * (c.ldb * b_lines + gap);
                c.stride_c = kind == 4
                                 ? (int)extent(&c, false, c.m, c.n, c.ldc) /* as near as can be */
                                 : sign * (c.ldc * c_lines + gap);
                check_product(&c);
            }
}

/* Beyond what one call of the library takes of complex numbers. */
static void test_large_sizes(void **state)
{
    (void)state;
    for (type t = C; t < TYPE_COUNT; ++t)
        for (int longest = 0; longest < 3; ++longest) {
            call c = random_call(t, longest, longest == 0 ? 32769 : 2, longest == 1 ? 32770 : 1,
                                 longest == 2 ? 66000 : 3);
            c.exact = true;
            c.alpha = 1;
            c.beta = 2;
            check_product(&c);
        }
}

/* C and Fortran align a complex number as its parts, the kernels as a whole. */
static void test_alignment(void **state)
{
    (void)state;
    enum { N = 9 };
    static double a[2 * N * N + 2], b[2 * N * N + 2], x[2 * N * N + 2], y[2 * N * N + 2];
    for (int i = 0; i < 2 * N * N; ++i) {
        a[i] = a[i + 1] = i % 7 - 3;
        b[i] = b[i + 1] = i % 5 - 2;
    }
    const call c = {.type = Z,
                    .way = BY_COLUMNS,
                    .transa = NO_TRANSPOSE,
                    .transb = CONJUGATE,
                    .m = N,
                    .n = N,
                    .k = N,
                    .lda = N,
                    .ldb = N,
                    .ldc = N,
                    .alpha = 2,
                    .beta = 1};
    const size_t off = (uintptr_t)a % 16 == 0 ? 1 : 0;
    double *const a_off = a + off, *const b_off = b + ((uintptr_t)b % 16 == 0),
                  *const y_off = y + ((uintptr_t)y % 16 == 0);
    double *const a_even = malloc(sizeof a), *const b_even = malloc(sizeof b);
    assert_non_null(a_even);
    assert_non_null(b_even);
    memcpy(a_even, a_off, sizeof(double) * 2 * N * N);
    memcpy(b_even, b_off, sizeof(double) * 2 * N * N);
    run(&c, a_even, b_even, x + ((uintptr_t)x % 16 != 0));
    run(&c, a_off, b_off, y_off);
    assert_true(x[1] != 0 || x[2] != 0);
    assert_memory_equal(x + ((uintptr_t)x % 16 != 0), y_off, sizeof(double) * 2 * N * N);
    free(a_even);
    free(b_even);
}

/* Columns further apart than a GPU's runtime copies at once. */
static void test_wide_pitch(void **state)
{
    (void)state;
    const int ld = (1 << 28) + 5;
    const size_t bytes = ((size_t)ld + 2) * sizeof(double);
    double *const c = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (c == MAP_FAILED) {
        print_message("no address space for %zu bytes\n", bytes);
        return;
    }
    const double a[] = {1, 2}, b[] = {3, 4};
    c[ld + 1] = 5;
    cblas_dgemm(COLUMN_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, 2, 2, 1, 1, a, 2, b, 1, 1, c, ld);
    assert_true(c[0] == 3 && c[1] == 6 && c[2] == 0 && c[ld] == 4 && c[ld + 1] == 13);
    munmap(c, bytes);
}

/* --- wrong arguments ------------------------------------------------------------------------- */

/* The first wrong argument by C's numbers, of a call that is right but for `change`. */
typedef struct wrong {
    int number, strided_number;
    size_t field; /* of a call */
    int value;
} wrong;
#define WRONG(number, strided_number, field, value) \
    {number, strided_number, offsetof(call, field), value}
static const wrong wrongs[] = {
    WRONG(2, 2, transa, 110),  WRONG(2, 2, transa, 114),   WRONG(3, 3, transb, 0),
    WRONG(4, 4, m, -1),        WRONG(5, 5, n, -1),         WRONG(6, 6, k, -1),
    WRONG(9, 9, lda, 4),       WRONG(11, 12, ldb, 5),      WRONG(14, 16, ldc, 3),
    WRONG(0, 17, stride_c, 1), WRONG(0, 17, stride_c, -1), WRONG(0, 18, batch, -1)};

static const char type_letters[] = "sdcz";

/* Each type, way and function: the name, the number, and that C was left alone. */
static void test_wrong_arguments(void **state)
{
    (void)state;
    static double memory[256], kept[256];
    for (int i = 0; i < 256; ++i)
        memory[i] = kept[i] = i;
    for (type t = S; t < TYPE_COUNT; ++t)
        for (way w = FORTRAN; w < WAYS; ++w)
            for (int strided = 0; strided < 2; ++strided)
                for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; ++i) {
                    const wrong *const x = &wrongs[i];
                    int number = strided ? x->strided_number : x->number;
                    if (!number || (w == FORTRAN && number <= 3))
                        continue; /* letters have a test of their own */
                    const bool rows = w == BY_ROWS;
                    /* 4 x 6 by 6 x 5: the least leading dimensions are 6, 5, 5, or 4, 6, 4. */
                    call c = {.type = t,
                              .way = w,
                              .strided = strided,
                              .transa = NO_TRANSPOSE,
                              .transb = NO_TRANSPOSE,
                              .m = 4,
                              .n = 5,
                              .k = 6,
                              .lda = rows ? 6 : 5,
                              .ldb = rows ? 5 : 6,
                              .ldc = 5,
                              .stride_a = 40,
                              .stride_b = 40,
                              .stride_c = 40,
                              .batch = 2,
                              .alpha = 1,
                              .beta = 1};
                    int value = x->value;
                    if (x->field == offsetof(call, lda))
                        value = rows ? 5 : 3;
                    if (x->field == offsetof(call, ldb))
                        value = rows ? 4 : 5;
                    if (x->field ==
                        offsetof(call, stride_c)) /* from the first element to the last */
                        value = value * (rows ? 3 * 5 + 5 - 1 : 4 * 5 + 4 - 1);
                    memcpy((char *)&c + x->field, &value, sizeof value);
                    reports = 0;
                    run(&c, memory, memory, memory);
                    char name[64];
                    if (w == FORTRAN) {
                        snprintf(name, sizeof name, "%cGEMM%s", type_letters[t] - 'a' + 'A',
                                 strided ? "_BATCH_STRIDED" : " ");
                        --number;
                    } else {
                        snprintf(name, sizeof name, "cblas_%cgemm%s", type_letters[t],
                                 strided ? "_batch_strided" : "");
                    }
                    assert_int_equal(reports, 1);
                    assert_string_equal(reported_routine, name);
                    assert_int_equal(reported_number, number);
                    assert_memory_equal(memory, kept, sizeof kept);
                }
}

/* Of several wrong arguments the first is reported, in the order of the reference. */
static void test_order_of_arguments(void **state)
{
    (void)state;
    float x[1] = {1};
    reports = 0;
    cblas_sgemm(100, 0, 0, -1, -1, -1, 1, x, 0, x, 0, 1, x, 0);
    assert_int_equal(reported_number, 1);
    assert_string_equal(reported_text, "Illegal layout setting, 100\n");
    cblas_sgemm(ROW_MAJOR, 0, 0, -1, -1, -1, 1, x, 0, x, 0, 1, x, 0);
    assert_int_equal(reported_number, 2);
    assert_string_equal(reported_text, "Illegal TransA setting, 0\n");
    cblas_sgemm(ROW_MAJOR, TRANSPOSE, 99, -1, -1, -1, 1, x, 0, x, 0, 1, x, 0);
    assert_int_equal(reported_number, 3);
    assert_string_equal(reported_text, "Illegal TransB setting, 99\n");
    /* The reference sees the arguments of a product by rows in Fortran's order: n before m. */
    cblas_sgemm(ROW_MAJOR, TRANSPOSE, TRANSPOSE, -1, -1, -1, 1, x, 0, x, 0, 1, x, 0);
    assert_int_equal(reported_number, 5);
    cblas_sgemm(COLUMN_MAJOR, TRANSPOSE, TRANSPOSE, -1, -1, -1, 1, x, 0, x, 0, 1, x, 0);
    assert_int_equal(reported_number, 4);
    assert_int_equal(reports, 5);
    const int one = 1, none = 0, less = -1;
    sgemm_("X", "Y", &less, &less, &less, x, x, &one, x, &one, x, x, &one, 1, 1);
    assert_int_equal(reported_number, 1);
    sgemm_("n", "Y", &less, &less, &less, x, x, &one, x, &one, x, x, &one, 1, 1);
    assert_int_equal(reported_number, 2);
    sgemm_("c", "T", &one, &one, &less, x, x, &none, x, &none, x, x, &none, 1, 1);
    assert_int_equal(reported_number, 5);
    sgemm_("N", "N", &none, &none, &none, x, x, &none, x, &none, x, x, &none, 1, 1);
    assert_int_equal(reported_number, 8);
    assert_int_equal(reports, 9);
    assert_true(x[0] == 1);
}

/* Where nothing is to be done, no pointer is looked at. */
static void test_nothing_to_do(void **state)
{
    (void)state;
    const double zero = 0, one = 1, nan = NAN;
    reports = 0;
    cblas_dgemm(ROW_MAJOR, NO_TRANSPOSE, TRANSPOSE, 0, 3, 3, nan, NULL, 3, NULL, 3, nan, NULL, 3);
    cblas_dgemm(ROW_MAJOR, NO_TRANSPOSE, TRANSPOSE, 3, 0, 3, nan, NULL, 3, NULL, 3, nan, NULL, 3);
    cblas_dgemm(ROW_MAJOR, NO_TRANSPOSE, TRANSPOSE, 3, 3, 0, nan, NULL, 3, NULL, 3, 1, NULL, 3);
    cblas_dgemm(ROW_MAJOR, NO_TRANSPOSE, TRANSPOSE, 3, 3, 3, 0, NULL, 3, NULL, 3, 1, NULL, 3);
    cblas_zgemm_batch_strided(COLUMN_MAJOR, NO_TRANSPOSE, TRANSPOSE, 3, 3, 3, &nan, NULL, 3, 9,
                              NULL, 3, 9, &nan, NULL, 3, 9, 0);
    assert_int_equal(reports, 0);
    /* and with alpha = 0, A and B are not looked at */
    double c[] = {1, 2, nan, 4};
    const int n = 1, k = 5;
    dgemm_("N", "N", &n, &n, &k, &zero, NULL, &n, NULL, &k, &zero, c + 2, &n, 1, 1);
    assert_true(c[2] == 0);
    dgemm_("N", "N", &n, &n, &k, &zero, NULL, &n, NULL, &k, &nan, c + 2, &n, 1, 1);
    assert_true(isnan(c[2]));
    dgemm_("N", "N", &n, &n, &k, &zero, NULL, &n, NULL, &k, &one, c + 3, &n, 1, 1);
    assert_true(c[0] == 1 && c[1] == 2 && c[3] == 4);
}

/* --- threads and processes ------------------------------------------------------------------- */

enum { THREADS = 8, TURNS = 12, SIDE = 40 };
static double shared_a[SIDE * SIDE], shared_b[SIDE * SIDE], right[THREADS][SIDE * SIDE];

static void multiply_for(int thread, double *c)
{
    const int n = SIDE - thread;
    memset(c, 0, sizeof(double) * SIDE * SIDE);
    cblas_dgemm(thread % 2 ? ROW_MAJOR : COLUMN_MAJOR, NO_TRANSPOSE, TRANSPOSE, n, n, n, 1 + thread,
                shared_a, SIDE, shared_b, SIDE, 0, c, SIDE);
}

static atomic_int differences;

static void *work(void *argument)
{
    const int thread = (int)(intptr_t)argument;
    double c[SIDE * SIDE];
    for (int turn = 0; turn < TURNS; ++turn) {
        multiply_for(thread, c);
        if (memcmp(c, right[thread], sizeof c) != 0)
            atomic_fetch_add(&differences, 1);
    }
    return NULL;
}

static void prepare_threads(void)
{
    for (int i = 0; i < SIDE * SIDE; ++i) {
        shared_a[i] = harness_random_sign(&numbers);
        shared_b[i] = harness_random_sign(&numbers);
    }
    for (int i = 0; i < THREADS; ++i)
        multiply_for(i, right[i]);
    assert_true(right[0][0] != 0);
}

static void start(pthread_t *threads)
{
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i), 0);
}

static void join(pthread_t *threads)
{
    for (int i = 0; i < THREADS; ++i)
        pthread_join(threads[i], NULL);
}

static void test_threads(void **state)
{
    (void)state;
    prepare_threads();
    for (int generation = 0; generation < 3; ++generation) {
        pthread_t threads[THREADS];
        start(threads);
        join(threads);
    }
    assert_int_equal(atomic_load(&differences), 0);
}

/* Children, made while other threads are in the library, multiply on their own. */
static void test_fork(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it lets no child of several threads start one */
#endif
#ifdef __SANITIZE_ADDRESS__
    skip(); /* before LLVM 18's, no child can allocate if another thread did so at the fork */
#endif
    const char *const device = getenv("SUBWAVE_DEVICE");
    if (!device || strncmp(device, "cpu", 3) != 0)
        skip(); /* a GPU's runtime does not outlive fork() */
    prepare_threads();
    pthread_t threads[THREADS];
    start(threads);
    for (int i = 0; i < THREADS; ++i) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            atomic_store(&differences, 0);
            alarm(60);
            work((void *)(intptr_t)i);
            _exit(atomic_load(&differences) != 0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    join(threads);
    assert_int_equal(atomic_load(&differences), 0);
}

int main(void)
{
    subwave_context *context;
    if (subwave_context_create(&context, NULL) != SUBWAVE_STATUS_SUCCESS) {
        printf("skipped: %s\n", subwave_last_error(NULL));
        return HARNESS_SKIP;
    }
    subwave_context_destroy(&context);
    numbers = harness_random_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_large_sizes),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_wide_pitch),
        cmocka_unit_test(test_wrong_arguments),
        cmocka_unit_test(test_order_of_arguments),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
