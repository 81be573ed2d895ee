/* SPDX-License-Identifier: MIT
 * test_matmul.c: subwave_matmul against the reference: every variant, type, layout and transpose,
 * sizes around those of waves and tiles, scalars, non-finite values, and bit-equal repeats.
 */
#include "../harness.h"
#include "../reference.h"
#include "../types.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct matmul_case {
    subwave_variant variant;
    subwave_dtype dtype;
    subwave_layout layout;
    bool transpose_a, transpose_b;
    int64_t m, n, k;
    int64_t pad_a, pad_b, pad_c; /* over the least leading dimension */
    double alpha, beta;
    double alpha_imaginary, beta_imaginary; /* of complex types */
    subwave_transpose_kind kind_a, kind_b;  /* of the transpositions; problem_create() draws them */
    harness_poison poison;                  /* what C holds where it is not read */
    bool positive;                          /* elements in [0, 1), so that no sum cancels */
} matmul_case;

enum { VARIANTS = COUNT(all_variants), DTYPES = COUNT(matmul_dtypes) };

/* Every device has all variants but MATRIX, and the types that each is built for; where one is
 * missing, the call says so. */
static bool has(subwave_context *context, subwave_variant variant, subwave_dtype dtype)
{
    subwave_matmul_plan_info plan;
    const subwave_status status =
        subwave_matmul_plan(context, variant, dtype, SUBWAVE_LAYOUT_ROW_MAJOR,
                            SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, 1, 1, 1, &plan);
    if (status == SUBWAVE_STATUS_SUCCESS)
        return true;
    const bool is_built = types_has_variant(variant, dtype);
    assert_true(!is_built || (variant == SUBWAVE_VARIANT_MATRIX && !harness_is_cpu(context)));
    assert_int_equal(status, SUBWAVE_STATUS_UNSUPPORTED);
    char what[32];
    snprintf(what, sizeof what, "variant %s%s", is_built ? "is " : "",
             subwave_variant_name(variant));
    assert_non_null(strstr(subwave_last_error(context), what));
    const double one = 1;
    double cell = 5;
    assert_int_equal(subwave_matmul(context, variant, dtype, SUBWAVE_LAYOUT_ROW_MAJOR,
                                    SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, 1, 1, 1, &one,
                                    &cell, 1, &cell, 1, &one, &cell, 1),
                     SUBWAVE_STATUS_UNSUPPORTED);
    return false;
}

/* A case's number as alpha or beta: integers take another one for what they do not have. */
static double scalar_of(subwave_dtype dtype, double number)
{
    const bool is_whole = isfinite(number) && number == trunc(number);
    return reference_is_integer(dtype) && !is_whole ? 3 : number;
}

static matmul_case plain_case(subwave_variant variant, subwave_dtype dtype, int64_t m, int64_t n,
                              int64_t k)
{
    return (matmul_case){.variant = variant,
                         .dtype = dtype,
                         .layout = SUBWAVE_LAYOUT_ROW_MAJOR,
                         .m = m,
                         .n = n,
                         .k = k,
                         .alpha = 1};
}

/* --- a case with its data, on the host and on the device ------------------------------------- */

/* Elements before each matrix in its memory, 0 or 1 with the problem's sizes: with 1 they are
 * aligned to an element only, with 0 to what any load can use. */
static size_t shift;

typedef struct problem {
    subwave_context *context;
    matmul_case what;
    reference_matrix a, b, c; /* `data` shift elements after the memory's start */
    guarded device_a, device_b, device_c;
    double *result, *bound;
} problem;

static size_t element_size(const reference_matrix *x) { return subwave_dtype_size(x->dtype); }

/* From the memory's start to the last element, without the padding after it. */
static size_t matrix_bytes(const reference_matrix *x)
{
    const int64_t major = x->column_major ? x->columns : x->rows;
    const int64_t minor = x->column_major ? x->rows : x->columns;
    const int64_t elements = major && minor ? (major - 1) * x->ld + minor : 0;
    return ((size_t)elements + shift) * element_size(x);
}

static void *matrix_memory(const reference_matrix *x)
{
    return (char *)x->data - shift * element_size(x);
}

static reference_matrix matrix_create(const matmul_case *what, subwave_dtype dtype, int64_t rows,
                                      int64_t columns, int64_t pad, harness_poison poison)
{
    reference_matrix x = {.dtype = dtype,
                          .column_major = what->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR,
                          .rows = rows,
                          .columns = columns};
    const int64_t minor = x.column_major ? rows : columns;
    x.ld = (minor < 1 ? 1 : minor) + pad;
    char *memory = malloc(matrix_bytes(&x));
    assert_non_null(memory);
    harness_fill(poison, memory, matrix_bytes(&x));
    x.data = memory + shift * element_size(&x);
    return x;
}

static void matrix_randomize(const reference_matrix *x, bool positive, harness_random *random)
{
    /* Of integers any of their values. */
    const double size =
        reference_is_integer(x->dtype) ? ldexp(1, reference_width(x->dtype) - 1) : 1;
    /* Drawn row after row, stored eight rows at once: a line of the cache is used whole, whichever
     * way the matrix lies. */
    enum { AT_ONCE = 8 };
    const int parts = reference_parts(x->dtype);
    double *drawn = malloc((size_t)(AT_ONCE * x->columns * parts + 1) * sizeof *drawn);
    assert_non_null(drawn);
    for (int64_t first = 0; first < x->rows; first += AT_ONCE) {
        const int64_t rows = x->rows - first < AT_ONCE ? x->rows - first : AT_ONCE;
        for (int64_t at = 0; at < rows * x->columns * parts; ++at)
            drawn[at] =
                size * (positive ? harness_random_unit(random) : harness_random_sign(random));
        for (int64_t j = 0; j < x->columns; ++j)
            for (int64_t i = 0; i < rows; ++i)
                for (int part = 0; part < parts; ++part)
                    reference_set_part(x, first + i, j, part,
                                       drawn[(i * x->columns + j) * parts + part]);
    }
    free(drawn);
}

static subwave_transpose_kind draw_kind(bool transposed, harness_random *random)
{
    return !transposed                            ? SUBWAVE_TRANSPOSE_NONE
           : harness_random_bits(random) % 2 == 0 ? SUBWAVE_TRANSPOSE_YES
                                                  : SUBWAVE_TRANSPOSE_CONJUGATE;
}

static problem problem_create(subwave_context *context, const matmul_case *what,
                              harness_random *random)
{
    const int64_t m = what->m, n = what->n, k = what->k;
    problem p = {.context = context, .what = *what};
    p.what.alpha = scalar_of(what->dtype, what->alpha);
    p.what.beta = scalar_of(what->dtype, what->beta);
    if (!reference_is_complex(what->dtype))
        p.what.alpha_imaginary = p.what.beta_imaginary = 0;
    p.what.kind_a = draw_kind(what->transpose_a, random);
    p.what.kind_b = draw_kind(what->transpose_b, random);
    const subwave_dtype product = reference_product(what->dtype);
    shift = (size_t)(m + n + k + what->pad_a + what->pad_b + what->pad_c) % 2;
    p.a = matrix_create(what, what->dtype, what->transpose_a ? k : m, what->transpose_a ? m : k,
                        what->pad_a, HARNESS_NAN);
    p.b = matrix_create(what, what->dtype, what->transpose_b ? n : k, what->transpose_b ? k : n,
                        what->pad_b, HARNESS_NAN);
    p.c = matrix_create(what, product, m, n, what->pad_c, what->poison);
    matrix_randomize(&p.a, what->positive, random);
    matrix_randomize(&p.b, what->positive, random);
    if (p.what.beta != 0 || p.what.beta_imaginary != 0)
        matrix_randomize(&p.c, what->positive, random);
    return p;
}

static void problem_upload(problem *p)
{
    p->device_a = guarded_create(p->context, matrix_memory(&p->a), matrix_bytes(&p->a));
    p->device_b = guarded_create(p->context, matrix_memory(&p->b), matrix_bytes(&p->b));
    p->device_c = guarded_create(p->context, matrix_memory(&p->c), matrix_bytes(&p->c));
}

static subwave_status problem_call(const problem *p)
{
    const matmul_case *w = &p->what;
    double alpha[2], beta[2]; /* room for any of their types */
    const reference_matrix scalars[] = {{.data = alpha, .dtype = reference_sums(w->dtype)},
                                        {.data = beta, .dtype = reference_sums(w->dtype)}};
    const double values[][2] = {{w->alpha, w->alpha_imaginary}, {w->beta, w->beta_imaginary}};
    for (int s = 0; s < 2; ++s)
        for (int part = 0; part < reference_parts(w->dtype); ++part)
            reference_set_part(&scalars[s], 0, 0, part, values[s][part]);
    const size_t start = shift * element_size(&p->a), start_c = shift * element_size(&p->c);
    return subwave_matmul(p->context, w->variant, w->dtype, w->layout, w->kind_a, w->kind_b, w->m,
                          w->n, w->k, alpha, (char *)guarded_pointer(&p->device_a) + start, p->a.ld,
                          (char *)guarded_pointer(&p->device_b) + start, p->b.ld, beta,
                          (char *)guarded_pointer(&p->device_c) + start_c, p->c.ld);
}

static void problem_run(const problem *p)
{
    assert_ok(p->context, problem_call(p));
    assert_ok(p->context, subwave_synchronize(p->context));
}

/* The device's C as a matrix on the host. */
static reference_matrix problem_output(const problem *p)
{
    reference_matrix now = p->c;
    char *memory = malloc(matrix_bytes(&now));
    assert_non_null(memory);
    guarded_read(&p->device_c, memory);
    now.data = memory + shift * element_size(&now);
    return now;
}

static reference_problem reference_of(const problem *p)
{
    const matmul_case *w = &p->what;
    return (reference_problem){.transpose_a = w->kind_a,
                               .transpose_b = w->kind_b,
                               .k = w->k,
                               .alpha = {w->alpha, w->alpha_imaginary},
                               .beta = {w->beta, w->beta_imaginary},
                               .a = &p->a,
                               .b = &p->b,
                               .c = &p->c};
}

static void problem_solve(problem *p)
{
    const matmul_case *w = &p->what;
    const size_t numbers = (size_t)(w->m * w->n * reference_parts(w->dtype) + 1);
    const reference_problem product = reference_of(p);
    p->result = malloc(numbers * sizeof(double));
    p->bound = malloc(numbers * sizeof(double));
    assert_non_null(p->result);
    assert_non_null(p->bound);
    reference_matmul(&product, p->result, p->bound);
}

/* Cells of `now` outside the bound; negated, since a NaN is. */
static size_t wrong_cells(const problem *p, const reference_matrix *now)
{
    const int parts = reference_parts(now->dtype);
    size_t wrong = 0;
    for (int64_t i = 0; i < now->rows; ++i)
        for (int64_t j = 0; j < now->columns; ++j) {
            bool is_right = true;
            for (int part = 0; part < parts; ++part) {
                const int64_t at = (i * now->columns + j) * parts + part;
                const double expected = p->result[at];
                const double error = fabs(reference_get_part(now, i, j, part) - expected);
                const bool no_sum_cancels = p->what.positive && now->dtype == SUBWAVE_DTYPE_F64;
                is_right &=
                    error <= p->bound[at] && (!no_sum_cancels || error <= 1e-12 * fabs(expected));
            }
            wrong += !is_right;
        }
    return wrong;
}

/* Bytes of C's memory that are no cell and have changed. */
static size_t changed_padding(const problem *p, const reference_matrix *now)
{
    const size_t size = element_size(now), bytes = matrix_bytes(now);
    const char *before = matrix_memory(&p->c);
    char *after = malloc(bytes);
    assert_non_null(after);
    memcpy(after, matrix_memory(now), bytes);
    for (int64_t i = 0; i < now->rows; ++i)
        for (int64_t j = 0; j < now->columns; ++j) {
            const size_t at = ((size_t)reference_index(now, i, j) + shift) * size;
            memcpy(after + at, before + at, size);
        }
    size_t changed = 0;
    for (size_t i = 0; i < bytes; ++i)
        changed += after[i] != before[i];
    free(after);
    return changed;
}

static void describe(const matmul_case *w)
{
    static const char *const kinds[] = {[SUBWAVE_TRANSPOSE_NONE] = "as it is",
                                        [SUBWAVE_TRANSPOSE_YES] = "transposed",
                                        [SUBWAVE_TRANSPOSE_CONJUGATE] = "conjugate transposed"};
    print_error("%s %s %s, A %s, B %s, %" PRId64 "x%" PRId64 "x%" PRId64
                ", padding %d %d %d, alpha %g%+gi, beta %g%+gi, poison %d\n",
                subwave_variant_name(w->variant), subwave_dtype_name(w->dtype),
                w->layout == SUBWAVE_LAYOUT_ROW_MAJOR ? "row" : "column", kinds[w->kind_a],
                kinds[w->kind_b], w->m, w->n, w->k, (int)w->pad_a, (int)w->pad_b, (int)w->pad_c,
                w->alpha, w->alpha_imaginary, w->beta, w->beta_imaginary, (int)w->poison);
}

/* How many things are wrong with what lies on the device, each kind once described. */
static size_t problem_faults(const problem *p, bool quiet)
{
    reference_matrix now = problem_output(p);
    const size_t faults[] = {wrong_cells(p, &now), changed_padding(p, &now),
                             guarded_stray_writes(&p->device_c), guarded_changes(&p->device_a),
                             guarded_changes(&p->device_b)};
    static const char *const names[] = {"wrong cells", "changed bytes between rows",
                                        "changed bytes around C", "changed bytes of A",
                                        "changed bytes of B"};
    size_t total = 0;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; ++i) {
        if (faults[i] && !quiet) {
            describe(&p->what);
            print_error("  %zu %s\n", faults[i], names[i]);
        }
        total += faults[i];
    }
    free(matrix_memory(&now));
    return total;
}

/* What is on the host. */
static void problem_free(problem *p)
{
    free(matrix_memory(&p->a));
    free(matrix_memory(&p->b));
    free(matrix_memory(&p->c));
    free(p->result);
    free(p->bound);
}

static void problem_destroy(problem *p)
{
    guarded_destroy(&p->device_a);
    guarded_destroy(&p->device_b);
    guarded_destroy(&p->device_c);
    problem_free(p);
}

static int cases;

static void check_case(subwave_context *context, const matmul_case *what, harness_random *random)
{
    if (!has(context, what->variant, what->dtype))
        return;
    problem p = problem_create(context, what, random);
    const matmul_case *const w = &p.what;
    const bool reads = (w->alpha != 0 || w->alpha_imaginary != 0) && w->k;
    const bool writes = w->m && w->n && (reads || w->beta != 1 || w->beta_imaginary != 0);
    problem_solve(&p);
    /* A launch that does nothing must not pass for a right one. A C of few cells and bits may be
     * right by chance, but not every time. */
    for (int draw = 0; writes && wrong_cells(&p, &p.c) == 0; ++draw) {
        if (draw == 8) {
            describe(what);
            fail_msg("C was right before the call");
        }
        problem_free(&p);
        p = problem_create(context, what, random);
        problem_solve(&p);
    }
    problem_upload(&p);
    problem_run(&p);
    if (problem_faults(&p, false))
        fail();
    problem_destroy(&p);
    ++cases;
}

/* --- sizes, layouts, transposes, types, variants --------------------------------------------- */

static const int64_t small_sizes[][3] = {
    {1, 1, 1},   {1, 1, 64},   {1, 65, 3},  {3, 1, 15},   {2, 3, 7},    {7, 15, 2},   {15, 7, 31},
    {16, 16, 8}, {31, 33, 1},  {33, 31, 5}, {32, 32, 4},  {37, 63, 33}, {63, 37, 65}, {4, 64, 32},
    {5, 65, 64}, {64, 17, 63}, {3, 129, 9}, {66, 5, 127}, {0, 5, 3},    {5, 0, 3},    {5, 7, 0},
};
/* Few rows or columns, and k that several work-groups share. */
static const int64_t skinny_sizes[][3] = {
    {1, 1, 5000},    {1, 2, 4099},    {2, 1, 4100},    {2, 2, 1},      {3, 300, 700},
    {300, 3, 700},   {7, 700, 129},   {700, 7, 129},   {16, 513, 260}, {513, 16, 260},
    {17, 520, 300},  {520, 17, 300},  {16, 16, 3000},  {7, 16, 5000},  {16, 3, 2049},
    {1, 1000, 999},  {999, 1, 1000},  {4, 1024, 1024}, {1024, 4, 512}, {16, 1024, 64},
    {1000, 2, 4},    {3, 2, 1030},    {20, 3100, 9},   {20, 4100, 9},  {4100, 20, 9},
    {40, 4100, 7},   {4100, 40, 20},  {60, 4101, 18},  {4101, 60, 18}, {200, 20, 200},
    {1100, 20, 560}, {1100, 60, 400}, {4100, 40, 0},   {1, 4100, 9},   {4100, 1, 9},
    {6, 4100, 30},   {4100, 6, 3},
};
static const int64_t large_sizes[][3] = {
    {255, 257, 37},  {257, 255, 3},   {256, 256, 65}, {1, 257, 255}, {255, 1, 257},
    {127, 128, 129}, {129, 127, 128}, {17, 1025, 31}, {1023, 7, 15}, {64, 64, 256},
};
static const int64_t full_sizes[][3] = {
    {256, 256, 256}, {255, 256, 257}, {257, 256, 255}, {1025, 1023, 64}, {65, 63, 1024},
    {3, 5, 4099},    {65537, 1, 3},   {1, 65537, 3},   {4099, 33, 1},
};

/* Scalars and paddings vary with the case; the other tests take them one by one. */
static void vary(matmul_case *what, harness_random *random)
{
    static const double scalars[] = {1, 1, -1, 0.5};
    static const double betas[] = {0, 0, 1, -1, 0.5};
    static const double imaginaries[] = {0, 0, 0.25};
    static const int64_t pads[] = {0, 0, 1, 3, 64};
    what->alpha = scalars[harness_random_bits(random) % 4];
    what->beta = betas[harness_random_bits(random) % 5];
    what->alpha_imaginary = imaginaries[harness_random_bits(random) % 3];
    what->beta_imaginary = imaginaries[harness_random_bits(random) % 3];
    what->pad_a = pads[harness_random_bits(random) % 5];
    what->pad_b = pads[harness_random_bits(random) % 5];
    what->pad_c = pads[harness_random_bits(random) % 5];
    what->poison = harness_random_bits(random) % HARNESS_POISONS;
}

static void set_form(matmul_case *what, unsigned form)
{
    what->layout = form & 1 ? SUBWAVE_LAYOUT_COLUMN_MAJOR : SUBWAVE_LAYOUT_ROW_MAJOR;
    what->transpose_a = form & 2;
    what->transpose_b = form & 4;
}
enum { FORMS = 8 };

static void test_small_sizes(void **state)
{
    harness_random random = harness_random_start();
    for (size_t s = 0; s < sizeof small_sizes / sizeof *small_sizes; ++s)
        for (int v = 0; v < VARIANTS; ++v)
            for (int d = 0; d < DTYPES; ++d)
                for (unsigned form = 0; form < FORMS; ++form) {
                    if (!harness_takes(1, 3))
                        continue;
                    const int64_t *size = small_sizes[s];
                    matmul_case what =
                        plain_case(all_variants[v], matmul_dtypes[d], size[0], size[1], size[2]);
                    set_form(&what, form);
                    vary(&what, &random);
                    check_case(*state, &what, &random);
                }
}

static void check_skinny(subwave_context *context, subwave_variant variant, unsigned forms)
{
    harness_random random = harness_random_start();
    for (size_t s = 0; s < sizeof skinny_sizes / sizeof *skinny_sizes; ++s)
        for (int d = 0; d < DTYPES; ++d)
            for (unsigned form = 0; form < forms; ++form) {
                if (forms > 1 && !harness_takes(5, 5))
                    continue;
                const int64_t *size = skinny_sizes[s];
                matmul_case what = plain_case(variant, matmul_dtypes[d], size[0], size[1], size[2]);
                set_form(&what, forms == 1 ? (unsigned)(3 * s + d) % FORMS : form);
                vary(&what, &random);
                what.poison = HARNESS_NAN; /* the bound of a long sum admits the others */
                check_case(context, &what, &random);
            }
}

static void test_skinny_sizes(void **state) { check_skinny(*state, SUBWAVE_VARIANT_SKINNY, 1); }

static void test_skinny_forms(void **state)
{
    check_skinny(*state, SUBWAVE_VARIANT_SKINNY, FORMS);
    check_skinny(*state, SUBWAVE_VARIANT_AUTO, FORMS);
}

/* A short k and so many rows or columns that waves of a block are side by side, or share k by twos and
 * fours. */
static void test_skinny_short(void **state)
{
    static const int64_t few[] = {1, 3, 8, 13, 30}, ks[] = {2, 9, 21, 37, 70};
    harness_random random = harness_random_start();
    for (unsigned c = 0; c < 2 * 5 * 5; ++c) {
        const subwave_dtype dtype = c % 2 ? SUBWAVE_DTYPE_F64 : SUBWAVE_DTYPE_F32;
        const int64_t rows = few[c / 2 % 5], many = rows == 1 ? 70001 : 34567;
        const bool tall = (c / 10 + c) % 2;
        matmul_case what = plain_case(SUBWAVE_VARIANT_SKINNY, dtype, tall ? many : rows,
                                      tall ? rows : many, ks[c / 10]);
        set_form(&what, c % FORMS);
        vary(&what, &random);
        check_case(*state, &what, &random);
    }
}

/* f64, which has kernels of its own on NVIDIA, for each number of rows, with several parts of k;
 * and where k is long or columns are many (on an H200). Lines of the large matrix are of an odd
 * number of elements, so if padded by one they can be read in pairs. */
static void test_skinny_rows(void **state)
{
    harness_random random = harness_random_start();
    for (int64_t rows = 2; rows <= 18; ++rows)
        for (unsigned form = 0; form < 2 * FORMS; ++form)
            for (int64_t pad = 0; pad < 2; ++pad) {
                if (!harness_takes(3, 3))
                    continue;
                const int64_t few = rows <= 16 ? rows : 3;
                const int64_t many = rows <= 16 ? 29 + 2 * rows : rows == 17 ? 2111 : 17001;
                const int64_t m = form < FORMS ? few : many, k = rows <= 16   ? 1037
                                                                 : rows == 17 ? 4615
                                                                              : 67;
                matmul_case what =
                    plain_case(SUBWAVE_VARIANT_SKINNY, SUBWAVE_DTYPE_F64, m, few + many - m, k);
                set_form(&what, form % FORMS);
                vary(&what, &random);
                what.pad_a = what.pad_b = pad;
                what.pad_c = (few + many + k) % 2; /* the sum is even: no matrix is shifted */
                what.poison = HARNESS_NAN;
                check_case(*state, &what, &random);
            }
}

/* All variants and types of each size, the eight forms in turn, of which one in `one_in` is taken. */
static void check_sizes(subwave_context *context, const int64_t (*sizes)[3], size_t count,
                        int one_in)
{
    harness_random random = harness_random_start();
    unsigned form = 0;
    for (size_t s = 0; s < count; ++s)
        for (int v = 0; v < VARIANTS; ++v)
            for (int d = 0; d < DTYPES; ++d) {
                if (!harness_takes(one_in, 6))
                    continue;
                matmul_case what = plain_case(all_variants[v], matmul_dtypes[d], sizes[s][0],
                                              sizes[s][1], sizes[s][2]);
                set_form(&what, form);
                form = (form + 3) % FORMS;
                vary(&what, &random);
                check_case(context, &what, &random);
            }
}

static void test_large_sizes(void **state)
{
    check_sizes(*state, large_sizes, sizeof large_sizes / sizeof *large_sizes, 3);
}

static void test_full_sizes(void **state)
{
    check_sizes(*state, full_sizes, sizeof full_sizes / sizeof *full_sizes, 5);
    harness_random random = harness_random_start();
    for (int i = 0; i < 400; ++i) {
        const int64_t m = (int64_t)(harness_random_bits(&random) % 150);
        const int64_t n = (int64_t)(harness_random_bits(&random) % 300);
        const int64_t k = (int64_t)(harness_random_bits(&random) % 150);
        matmul_case what =
            plain_case(all_variants[i % VARIANTS], matmul_dtypes[i / VARIANTS % DTYPES], m, n, k);
        set_form(&what, (unsigned)harness_random_bits(&random) % FORMS);
        vary(&what, &random);
        check_case(*state, &what, &random);
    }
}

/* Large enough for every tile that BROADCAST has on a GPU (test_plan.c), with tails that are moved
 * into C and others that are not. */
static void test_large_tiles(void **state)
{
    static const int64_t sizes[][3] = {
        {1543, 1549, 37}, {1543, 1548, 100}, {1032, 1040, 67}, {600, 2052, 48}};
    harness_random random = harness_random_start();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        for (unsigned form = 0; form < FORMS; ++form) {
            if (!harness_takes(5, 5))
                continue;
            matmul_case what = plain_case(SUBWAVE_VARIANT_BROADCAST, SUBWAVE_DTYPE_F32, sizes[s][0],
                                          sizes[s][1], sizes[s][2]);
            set_form(&what, form);
            vary(&what, &random);
            check_case(*state, &what, &random);
        }
}

/* The tutorial's job: f64 in the unit interval, to a relative error of 1e-12. */
static void check_tutorial(subwave_context *context, int64_t size)
{
    harness_random random = harness_random_start();
    matmul_case what = plain_case(SUBWAVE_VARIANT_BROADCAST, SUBWAVE_DTYPE_F64, size, size, size);
    what.positive = true;
    check_case(context, &what, &random);
    for (int v = 0; v < VARIANTS; ++v) {
        what = plain_case(all_variants[v], SUBWAVE_DTYPE_F64, size / 4, size / 2, size / 4 * 3);
        what.positive = true;
        check_case(context, &what, &random);
    }
}

static void test_tutorial(void **state) { check_tutorial(*state, 128); }
static void test_tutorial_1024(void **state) { check_tutorial(*state, 1024); }

/* --- scalars --------------------------------------------------------------------------------- */

static void test_scalars(void **state)
{
    static const double scalars[] = {0, 1, -1, 0.5};
    harness_random random = harness_random_start();
    for (int v = 0; v < VARIANTS; ++v)
        for (int d = 0; d < DTYPES; ++d)
            for (int x = 0; x < 16; ++x)
                for (harness_poison poison = 0; poison < HARNESS_POISONS; ++poison) {
                    if (!harness_takes(1, 3))
                        continue;
                    matmul_case what = plain_case(all_variants[v], matmul_dtypes[d], 19, 70, 21);
                    set_form(&what, (unsigned)x % FORMS);
                    what.alpha = scalars[x / 4];
                    what.beta = scalars[x % 4];
                    /* 0 and 1 alone, and as the parts of other numbers */
                    what.alpha_imaginary = poison % 2 ? scalars[(x / 4 + 2) % 4] : 0;
                    what.beta_imaginary = poison % 2 ? scalars[(x + x / 4) % 4] : 0;
                    what.pad_a = what.pad_b = what.pad_c = 2;
                    what.poison = poison;
                    check_case(*state, &what, &random);
                }
}

/* Runs `p` and takes every cell of C for beta times what it was, to the bit. */
static void check_scaled(problem *p)
{
    problem_run(p);
    reference_matrix now = problem_output(p);
    for (int64_t i = 0; i < now.rows; ++i)
        for (int64_t j = 0; j < now.columns; ++j)
            for (int part = 0; part < reference_parts(now.dtype); ++part) {
                const double old = p->what.beta == 0 ? 0 : reference_get_part(&p->c, i, j, part),
                             is = reference_get_part(&now, i, j, part);
                /* half of a subnormal number may need rounding */
                const subwave_dtype dtype = reference_part(now.dtype);
                const double expected =
                    reference_decode(dtype, reference_encode(dtype, p->what.beta * old));
                if (is != expected) {
                    describe(&p->what);
                    fail_msg("cell %d, %d is %g, not %g", (int)i, (int)j, is, expected);
                }
            }
    assert_int_equal(changed_padding(p, &now), 0);
    assert_int_equal(guarded_stray_writes(&p->device_c), 0);
    free(matrix_memory(&now));
    problem_destroy(p);
    ++cases;
}

/* Without a sum, alpha is multiplied with nothing: not even an infinite one may show. */
static void test_k_zero(void **state)
{
    static const double alphas[] = {0, 1, INFINITY, NAN}, betas[] = {0, 1, -1, 0.5};
    harness_random random = harness_random_start();
    for (int v = 0; v < VARIANTS; ++v)
        for (int d = 0; d < DTYPES; ++d)
            for (int x = 0; x < 16; ++x) {
                if (!has(*state, all_variants[v], matmul_dtypes[d]))
                    continue;
                matmul_case what = plain_case(all_variants[v], matmul_dtypes[d], 5, 67, 0);
                set_form(&what, (unsigned)x % FORMS);
                what.alpha = alphas[x % 4];
                what.alpha_imaginary = alphas[x / 2 % 4];
                what.beta = betas[x / 4];
                what.pad_c = 1;
                problem p = problem_create(*state, &what, &random);
                problem_upload(&p);
                check_scaled(&p);
            }
}

static void test_alpha_zero(void **state)
{
    static const double betas[] = {0, 1, -1, 0.5};
    harness_random random = harness_random_start();
    for (int v = 0; v < VARIANTS; ++v)
        for (int d = 0; d < DTYPES; ++d)
            for (int x = 0; x < 8; ++x) {
                if (!has(*state, all_variants[v], matmul_dtypes[d]))
                    continue;
                matmul_case what = plain_case(all_variants[v], matmul_dtypes[d], 6, 66, 33);
                set_form(&what, (unsigned)x);
                what.alpha = x % 2 ? -0.0 : 0.0;
                what.alpha_imaginary = x / 2 % 2 ? -0.0 : 0.0;
                what.beta = betas[x / 2];
                problem p = problem_create(*state, &what, &random);
                harness_fill(HARNESS_NAN, matrix_memory(&p.a), matrix_bytes(&p.a));
                if (!reference_is_integer(what.dtype))
                    reference_set_part(&p.b, 0, 0, reference_parts(what.dtype) - 1, INFINITY);
                problem_upload(&p);
                check_scaled(&p);
            }
    /* A and B are not read, so they may be anything. */
    const double zero = 0, two = 2;
    double c[4] = {1, 2, 3, 4};
    double factor = 1;
    guarded device_c = guarded_create(*state, c, sizeof c);
    for (int v = 0; v < VARIANTS; ++v) {
        if (!has(*state, all_variants[v], SUBWAVE_DTYPE_F64))
            continue;
        assert_ok(*state, subwave_matmul(*state, all_variants[v], SUBWAVE_DTYPE_F64,
                                         SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                                         SUBWAVE_TRANSPOSE_NONE, 2, 2, 9, &zero, NULL, 9, NULL, 2,
                                         &two, guarded_pointer(&device_c), 2));
        factor *= two;
    }
    guarded_read(&device_c, c);
    for (int i = 0; i < 4; ++i)
        assert_true(c[i] == factor * (i + 1));
    guarded_destroy(&device_c);
}

/* No cells: success at once, whatever the pointers, and nothing is touched. */
static void test_empty(void **state)
{
    static const int64_t sizes[][3] = {{0, 5, 3}, {5, 0, 3}, {0, 0, 3},
                                       {0, 0, 0}, {0, 5, 0}, {5, 0, 0}};
    const double memory[64] = {0};
    for (int v = 0; v < VARIANTS; ++v)
        for (int d = 0; d < DTYPES; ++d)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
                if (!has(*state, all_variants[v], matmul_dtypes[d]))
                    continue;
                guarded c = guarded_create(*state, memory, sizeof memory);
                for (int null = 0; null < 2; ++null)
                    assert_ok(*state,
                              subwave_matmul(*state, all_variants[v], matmul_dtypes[d],
                                             SUBWAVE_LAYOUT_COLUMN_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                                             SUBWAVE_TRANSPOSE_YES, sizes[s][0], sizes[s][1],
                                             sizes[s][2], null ? NULL : memory, NULL, 5, NULL, 5,
                                             null ? NULL : memory,
                                             null ? NULL : guarded_pointer(&c), 5));
                assert_ok(*state, subwave_synchronize(*state));
                assert_int_equal(guarded_changes(&c), 0);
                guarded_destroy(&c);
                ++cases;
            }
}

/* --- non-finite values ----------------------------------------------------------------------- */

/* A NaN in A reaches its row of C, an infinity in B its column, and neither any other cell. Of
 * complex numbers it reaches both parts: an infinite one may be infinity less infinity. */
static void check_non_finite(void **state, int64_t m, int64_t n, int64_t k)
{
    harness_random random = harness_random_start();
    for (int v = 0; v < VARIANTS; ++v)
        for (int d = 0; d < DTYPES; ++d)
            for (unsigned form = 0; form < FORMS; ++form) {
                if (reference_is_integer(matmul_dtypes[d]) ||
                    !has(*state, all_variants[v], matmul_dtypes[d]) || !harness_takes(3, 6))
                    continue;
                matmul_case what = plain_case(all_variants[v], matmul_dtypes[d], m, n, k);
                set_form(&what, form);
                what.beta = form & 1 ? 0.5 : 0;
                problem p = problem_create(*state, &what, &random);
                const int64_t row = (int64_t)(harness_random_bits(&random) % (uint64_t)m),
                              column = (int64_t)(harness_random_bits(&random) % (uint64_t)n),
                              l = (int64_t)(harness_random_bits(&random) % (uint64_t)k),
                              l2 = (int64_t)(harness_random_bits(&random) % (uint64_t)k);
                problem_solve(&p);
                const int parts = reference_parts(what.dtype), odd = (int)(row % parts);
                reference_set_part(&p.a, what.transpose_a ? l : row, what.transpose_a ? row : l,
                                   odd, NAN);
                reference_set_part(&p.b, what.transpose_b ? column : l2,
                                   what.transpose_b ? l2 : column, odd, INFINITY);
                problem_upload(&p);
                problem_run(&p);
                reference_matrix now = problem_output(&p);
                for (int64_t at = 0; at < now.rows * now.columns * parts; ++at) {
                    const int64_t i = at / parts / now.columns, j = at / parts % now.columns;
                    const double cell = reference_get_part(&now, i, j, (int)(at % parts));
                    const double factor = reference_get_part(&p.a, what.transpose_a ? l2 : i,
                                                             what.transpose_a ? i : l2, 0);
                    const bool spoilt = parts == 2
                                            ? !isfinite(cell)
                                            : isinf(cell) && signbit(cell) == signbit(factor);
                    const bool right = i == row      ? isnan(cell)
                                       : j == column ? spoilt
                                                     : fabs(cell - p.result[at]) <= p.bound[at];
                    if (!right) {
                        describe(&p.what);
                        fail_msg("NaN in row %d, infinity in column %d: cell %d, %d is %g",
                                 (int)row, (int)column, (int)i, (int)j, cell);
                    }
                }
                free(matrix_memory(&now));
                problem_destroy(&p);
                ++cases;
            }
}

static void test_non_finite(void **state)
{
    check_non_finite(state, 37, 131, 67);
    check_non_finite(state, 5, 70, 1031);
}

/* --- the order of sums ----------------------------------------------------------------------- */

/* The sum over k runs in ascending order, one partial sum a cell, where k is not split; MATRIX
 * does not split a short one. Of complex numbers it adds the two real products of a step in another
 * order. */
static void test_order_of_sums(void **state)
{
    if (!harness_is_cpu(*state)) {
        print_message("skipped: a GPU fuses multiply and add\n");
        skip();
    }
    harness_random random = harness_random_start();
    for (int v = 0; v < VARIANTS; ++v)
        for (int d = 0; d < DTYPES; ++d)
            for (unsigned form = 0; form < FORMS; ++form) {
                if (reference_is_integer(matmul_dtypes[d]) /* exact in any order */ ||
                    !has(*state, all_variants[v], matmul_dtypes[d]) ||
                    all_variants[v] == SUBWAVE_VARIANT_SKINNY || !harness_takes(3, 3))
                    continue;
                const bool is_matrix = all_variants[v] == SUBWAVE_VARIANT_MATRIX;
                if (is_matrix && reference_is_complex(matmul_dtypes[d]))
                    continue;
                matmul_case what =
                    plain_case(all_variants[v], matmul_dtypes[d], 17, 70, is_matrix ? 13 : 133);
                set_form(&what, form);
                what.alpha = 0.3;
                what.alpha_imaginary = form & 2 ? 0.2 : 0;
                what.beta = form & 1 ? 0.7 : 0;
                what.beta_imaginary = form & 4 ? -0.6 : 0;
                subwave_matmul_plan_info plan;
                assert_ok(*state,
                          subwave_matmul_plan(
                              *state, what.variant, what.dtype, what.layout,
                              what.transpose_a ? SUBWAVE_TRANSPOSE_YES : SUBWAVE_TRANSPOSE_NONE,
                              what.transpose_b ? SUBWAVE_TRANSPOSE_YES : SUBWAVE_TRANSPOSE_NONE,
                              what.m, what.n, what.k, &plan));
                if (plan.variant == SUBWAVE_VARIANT_SKINNY) /* by AUTO's choice */
                    continue;
                assert_int_equal(plan.parts, 1);
                problem p = problem_create(*state, &what, &random);
                problem_upload(&p);
                problem_run(&p);
                reference_matrix now = problem_output(&p);
                reference_problem product = reference_of(&p);
                product.b_first = what.layout == SUBWAVE_LAYOUT_COLUMN_MAJOR; /* C^T = B^T A^T */
                for (int64_t i = 0; i < now.rows; ++i)
                    for (int64_t j = 0; j < now.columns; ++j)
                        for (int part = 0; part < reference_parts(now.dtype); ++part)
                            assert_true(reference_get_part(&now, i, j, part) ==
                                        reference_matmul_cell(&product, i, j, part));
                free(matrix_memory(&now));
                problem_destroy(&p);
                ++cases;
            }
}

static subwave_matmul_plan_info plan_of(subwave_context *context, const matmul_case *what)
{
    const subwave_transpose_kind kinds[] = {SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_YES};
    subwave_matmul_plan_info plan;
    assert_ok(context, subwave_matmul_plan(context, what->variant, what->dtype, what->layout,
                                           kinds[what->transpose_a], kinds[what->transpose_b],
                                           what->m, what->n, what->k, &plan));
    return plan;
}

/* A long k is divided among blocks where C has few tiles: evenly or not, of aligned operands and of
 * others. The forms in turn. */
static void test_long_k(void **state)
{
    static const int64_t sizes[][3] = {
        {100, 70, 2999}, {33, 250, 2048}, {130, 40, 4100}, {60, 50, 4099}, {100, 250, 2100}};
    static const subwave_variant variants[] = {SUBWAVE_VARIANT_MATRIX, SUBWAVE_VARIANT_AUTO};
    harness_random random = harness_random_start();
    const bool on_cpu = harness_is_cpu(*state);
    unsigned form = 0;
    int tried = 0, split = 0;
    for (size_t s = 0; s < COUNT(sizes); ++s)
        for (int d = 0; d < 2 * DTYPES; ++d) {
            /* The CPU device plans for five compute units. */
            matmul_case what = plain_case(variants[d % 2], matmul_dtypes[d / 2], sizes[s][0],
                                          sizes[s][1], sizes[s][2] / (on_cpu ? 8 : 1));
            set_form(&what, form);
            form = (form + 3) % FORMS;
            vary(&what, &random);
            what.poison = HARNESS_NAN; /* the bound of a long sum admits the others */
            if (!has(*state, what.variant, what.dtype) || !harness_takes(1, 12))
                continue;
            const bool is_matrix = what.variant == SUBWAVE_VARIANT_MATRIX;
            tried += is_matrix && subwave_dtype_size(what.dtype) > 1;
            split += is_matrix && plan_of(*state, &what).parts > 1;
            check_case(*state, &what, &random);
        }
    /* Of an emulated device few cases are taken; tests/rocm/test_parts.c has others. */
    assert_true(harness_is_emulated() || tried == 0 || split > 0);
}

/* --- packed i8 -------------------------------------------------------------------------------- */

/* A and B that lie across k, or along it in unaligned lines, are packed in the workspace, as many lines at
 * a time as it holds: in the context's own, in one of the caller's, and in none, where the product is
 * computed without. */
static void check_packed_bytes(subwave_context *context, const matmul_case *what,
                               harness_random *random)
{
    enum { ROOMS = 4, GUARD = 64 };
    const subwave_matmul_plan_info plan = plan_of(context, what);
    const bool column = what->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR, unaligned = what->k % 16 != 0,
               packs_a = unaligned || what->transpose_a != column,
               packs_b = unaligned || what->transpose_b == column, packs = packs_a || packs_b;
    assert_true(packs ? plan.workspace_bytes > 0 : plan.workspace_bytes == 0 || plan.parts > 1);
    const int64_t lines = (packs_a ? what->m : 0) + (packs_b ? what->n : 0),
                  most = plan.workspace_bytes, packed = lines * ((what->k + 15) / 16 * 16);
    const int64_t rooms[ROOMS] = {0, most, most - packed / 2, most - packed * 3 / 4};
    check_case(context, what, random);
    for (int room = 1; room < ROOMS && packs && !harness_is_emulated(); ++room) {
        void *memory;
        unsigned char guard[2][GUARD];
        const int64_t bytes = rooms[room];
        assert_ok(context, subwave_malloc(context, &memory, bytes + GUARD));
        memset(guard[0], 0xa5, GUARD);
        assert_ok(context, subwave_copy(context, (char *)memory + bytes, guard[0], GUARD));
        assert_ok(context, subwave_set_workspace(context, memory, bytes));
        /* Without packing it may need more, for the sums of parts of k. */
        const subwave_matmul_plan_info now = plan_of(context, what);
        assert_true(now.workspace_bytes <= bytes || now.parts > 1);
        if (now.workspace_bytes <= bytes)
            check_case(context, what, random);
        assert_ok(context, subwave_copy(context, guard[1], (char *)memory + bytes, GUARD));
        assert_memory_equal(guard[0], guard[1], GUARD);
        assert_ok(context, subwave_set_workspace(context, NULL, 0));
        assert_ok(context, subwave_free(context, memory));
    }
}

static void test_packed_bytes(void **state)
{
    /* On a GPU the products that are worth it. */
    static const int64_t small[][3] = {{100, 70, 112}, {20, 400, 48}, {90, 110, 85}},
                         large[][3] = {{256, 256, 8208}, {700, 1200, 640}, {700, 1200, 651}};
    const bool cpu = harness_is_cpu(*state);
    const int64_t(*const sizes)[3] = cpu ? small : large;
    harness_random random = harness_random_start();
    if (!has(*state, SUBWAVE_VARIANT_MATRIX, SUBWAVE_DTYPE_I8))
        return;
    for (int s = 0; s < (harness_is_emulated() ? 1 : 3); ++s)
        for (unsigned form = 0; form < (harness_is_emulated() ? 1 : FORMS); ++form) {
            matmul_case what = plain_case(SUBWAVE_VARIANT_MATRIX, SUBWAVE_DTYPE_I8, sizes[s][0],
                                          sizes[s][1], sizes[s][2]);
            if (!harness_takes(1, 2))
                continue;
            vary(&what, &random);
            if (what.k % 16 == 0) /* lines along k stay aligned */
                what.pad_a = what.pad_b = 16 * (what.pad_a == 64);
            set_form(&what, form);
            check_packed_bytes(*state, &what, &random);
        }
}

/* --- complex numbers by MATRIX ------------------------------------------------------------------ */

/* The real form of A, and some B, are in the workspace, in parts if that is small: in the context's own,
 * in the smallest that will do, in one between them, and in one that is too small. */
static void check_complex_matrix(subwave_context *context, const matmul_case *what,
                                 harness_random *random)
{
    enum { GUARD = 64 };
    void *memory;
    unsigned char guard[2][GUARD];
    const int64_t most = plan_of(context, what).workspace_bytes;
    assert_true(most > 0);
    check_case(context, what, random);
    assert_ok(context, subwave_malloc(context, &memory, most + GUARD));
    assert_ok(context, subwave_set_workspace(context, memory, 0));
    const int64_t least = plan_of(context, what).workspace_bytes;
    assert_true(least > 0 && least <= most);
    const int64_t rooms[] = {least, (least + most) / 2, least - 1};
    for (int room = 0; room < 3; ++room) {
        const int64_t bytes = rooms[room];
        memset(guard[0], 0xa5, GUARD);
        assert_ok(context, subwave_copy(context, (char *)memory + bytes, guard[0], GUARD));
        assert_ok(context, subwave_set_workspace(context, memory, bytes));
        if (bytes >= least) {
            check_case(context, what, random);
        } else {
            problem p = problem_create(context, what, random);
            problem_upload(&p);
            assert_int_equal(problem_call(&p), SUBWAVE_STATUS_WORKSPACE_TOO_SMALL);
            reference_matrix now = problem_output(&p);
            assert_memory_equal(matrix_memory(&now), matrix_memory(&p.c), matrix_bytes(&now));
            free(matrix_memory(&now));
            problem_destroy(&p);
        }
        assert_ok(context, subwave_copy(context, guard[1], (char *)memory + bytes, GUARD));
        assert_memory_equal(guard[0], guard[1], GUARD);
    }
    assert_ok(context, subwave_set_workspace(context, NULL, 0));
    assert_ok(context, subwave_free(context, memory));
}

/* (inf + 0i)(1 + i) = inf + inf i, though a unit multiplies parts and adds what lies beyond an edge. */
static void check_infinity(subwave_context *context)
{
    const double one[2] = {1, 0}, zero[2] = {0, 0}, a[2] = {INFINITY, 0}, b[2] = {1, 1};
    double c[2] = {0, 0};
    void *memory;
    assert_ok(context, subwave_malloc(context, &memory, 3 * sizeof a));
    char *const at = memory;
    assert_ok(context, subwave_copy(context, at, a, sizeof a));
    assert_ok(context, subwave_copy(context, at + sizeof a, b, sizeof b));
    assert_ok(context, subwave_matmul(context, SUBWAVE_VARIANT_MATRIX, SUBWAVE_DTYPE_C64,
                                      SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                                      SUBWAVE_TRANSPOSE_NONE, 1, 1, 1, one, at, 1, at + sizeof a, 1,
                                      zero, at + 2 * sizeof a, 1));
    assert_ok(context, subwave_copy(context, c, at + 2 * sizeof a, sizeof c));
    assert_true(c[0] == INFINITY && c[1] == INFINITY);
    assert_ok(context, subwave_free(context, memory));
}

static void test_complex_matrix(void **state)
{
    static const int64_t small[][3] = {{100, 70, 40}, {37, 90, 17}},
                         large[][3] = {{300, 200, 2100}, {131, 260, 1025}},
                         emulated[][3] = {{70, 36, 1030}};
    const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_C32, SUBWAVE_DTYPE_C64};
    const bool cpu = harness_is_cpu(*state), few = harness_is_emulated();
    const int64_t(*const sizes)[3] = cpu ? small : few ? emulated : large;
    harness_random random = harness_random_start();
    if (has(*state, SUBWAVE_VARIANT_MATRIX, SUBWAVE_DTYPE_C64))
        check_infinity(*state);
    for (int d = 0; d < 2; ++d)
        for (int s = 0; s < (few ? 1 : 2) && has(*state, SUBWAVE_VARIANT_MATRIX, dtypes[d]); ++s)
            for (unsigned form = 0; form < (few ? 2 : FORMS); ++form) {
                matmul_case what = plain_case(SUBWAVE_VARIANT_MATRIX, dtypes[d], sizes[s][0],
                                              sizes[s][1], sizes[s][2]);
                vary(&what, &random);
                set_form(&what, few ? 3 * form : form);
                what.alpha_imaginary = form & 1 ? 0.25 : 0;
                what.beta_imaginary = form & 2 ? -0.5 : 0;
                check_complex_matrix(*state, &what, &random);
            }
}

/* --- addresses beyond 32 bits ---------------------------------------------------------------- */

/* 2 x 2 matrices whose rows lie 8 GiB apart, side by side in one allocation; on the CPU device the
 * pages between are never touched. */
static void test_far_rows(void **state)
{
    const int64_t ld = ((int64_t)1 << 31) + 5, bytes = ld * 4 + 3 * 64;
    const float a[2][2] = {{1, 2}, {3, 4}}, b[2][2] = {{5, 6}, {7, 8}};
    const float expected[2][2] = {{19, 22}, {43, 50}}, one = 1, zero = 0;
    void *memory;
    if (subwave_malloc(*state, &memory, bytes) == SUBWAVE_STATUS_OUT_OF_MEMORY) {
        print_message("skipped: %s\n", subwave_last_error(*state));
        skip();
    }
    char *at[3] = {memory, (char *)memory + 64, (char *)memory + 128};
    for (int v = 0; v < VARIANTS; ++v) {
        if (!has(*state, all_variants[v], SUBWAVE_DTYPE_F32))
            continue;
        float c[2][2];
        for (int row = 0; row < 2; ++row) {
            harness_fill(HARNESS_NAN, c[row], sizeof c[row]);
            assert_ok(*state, subwave_copy(*state, at[0] + row * ld * 4, a[row], 8));
            assert_ok(*state, subwave_copy(*state, at[1] + row * ld * 4, b[row], 8));
            assert_ok(*state, subwave_copy(*state, at[2] + row * ld * 4, c[row], 8));
        }
        assert_ok(*state, subwave_matmul(*state, all_variants[v], SUBWAVE_DTYPE_F32,
                                         SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                                         SUBWAVE_TRANSPOSE_NONE, 2, 2, 2, &one, at[0], ld, at[1],
                                         ld, &zero, at[2], ld));
        for (int row = 0; row < 2; ++row)
            assert_ok(*state, subwave_copy(*state, c[row], at[2] + row * ld * 4, 8));
        assert_memory_equal(c, expected, sizeof c);
        ++cases;
    }
    assert_ok(*state, subwave_free(*state, memory));
}

/* --- the plan -------------------------------------------------------------------------------- */

static subwave_status plan_for(subwave_context *context, subwave_variant variant,
                               subwave_dtype dtype, subwave_layout layout, int64_t m, int64_t n,
                               subwave_matmul_plan_info *plan)
{
    return subwave_matmul_plan(context, variant, dtype, layout, SUBWAVE_TRANSPOSE_NONE,
                               SUBWAVE_TRANSPOSE_NONE, m, n, 7, plan);
}

/* Blocks of whole sub-groups that cover C, and a column-major C as its transpose. */
static void test_plan(void **state)
{
    static const int64_t sizes[][2] = {{1, 1}, {1000, 3}, {3, 1000}, {4096, 4096}};
    subwave_device_properties device;
    assert_ok(*state, subwave_context_info(*state, &device));
    for (int v = 0; v < VARIANTS; ++v)
        for (int d = 0; d < DTYPES; ++d)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
                const int64_t m = sizes[s][0], n = sizes[s][1];
                subwave_matmul_plan_info plan, turned;
                if (!has(*state, all_variants[v], matmul_dtypes[d]))
                    continue;
                memset(&plan, 0xff, sizeof plan);
                assert_ok(*state, plan_for(*state, all_variants[v], matmul_dtypes[d],
                                           SUBWAVE_LAYOUT_ROW_MAJOR, m, n, &plan));
                assert_ok(*state, plan_for(*state, all_variants[v], matmul_dtypes[d],
                                           SUBWAVE_LAYOUT_COLUMN_MAJOR, n, m, &turned));
                if (all_variants[v] == SUBWAVE_VARIANT_AUTO)
                    assert_int_not_equal(plan.variant, SUBWAVE_VARIANT_AUTO);
                else
                    assert_int_equal(plan.variant, all_variants[v]);
                const bool is_matrix = plan.variant == SUBWAVE_VARIANT_MATRIX;
                const int64_t items = (int64_t)plan.block[0] * plan.block[1];
                assert_true(items > 0 && items <= device.max_block_size);
                assert_true(plan.parts >= 1);
                assert_true(plan.parts == 1 || plan.variant == SUBWAVE_VARIANT_SKINNY || is_matrix);
                /* MATRIX may pack i8 there, and has the real form of a complex matrix there. */
                const bool may_prepare = is_matrix && (matmul_dtypes[d] == SUBWAVE_DTYPE_I8 ||
                                                       reference_is_complex(matmul_dtypes[d]));
                assert_true(plan.workspace_bytes > 0 ? plan.parts > 1 || may_prepare
                                                     : plan.parts == 1);
                if (plan.variant != SUBWAVE_VARIANT_SKINNY) /* whose items share cells */
                    assert_int_equal(plan.tile_rows * plan.tile_columns,
                                     items * plan.item_rows * plan.item_columns);
                const int64_t most =
                    ((m - 1) / plan.tile_rows + 1) * ((n - 1) / plan.tile_columns + 1) * plan.parts;
                /* SKINNY's may have further tiles. */
                if (plan.variant == SUBWAVE_VARIANT_SKINNY && plan.parts == 1)
                    assert_true(plan.blocks > 0 && plan.blocks <= most);
                else
                    assert_int_equal(plan.blocks, most);
                assert_true(plan.shared_bytes >= 0 && plan.reserved[9] == 0);
                assert_true(plan.predicted_share >= 0 && plan.predicted_share < 1);
                const bool modelled = is_matrix && strncmp(device.architecture, "gfx9", 4) == 0;
                assert_true(modelled || plan.predicted_share == 0);
                assert_true(!modelled || subwave_dtype_size(matmul_dtypes[d]) <= 2 ||
                            plan.predicted_share > 0);
                ++cases;
                assert_int_equal(turned.blocks, plan.blocks);
                if (m * n == 1) /* which lies by rows and by columns */
                    continue;
                assert_int_equal(turned.tile_rows, plan.tile_columns);
                assert_int_equal(turned.item_columns, plan.item_rows);
            }
}

/* AUTO multiplies complex matrices by the matrix unit where that pays: not on the CPU device, not few
 * columns beside many rows, nor what takes no longer than a launch; but few of both with a long k. */
static void test_plan_of_complex(void **state)
{
    static const struct {
        int64_t m, n, k;
        bool by_matrix, on_amd_only;
    } rows[] = {{2048, 2048, 2048, true, false},
                {100000, 64, 64, false, false},
                {128, 128, 128, false, false},
                {200, 200, 100000, true, true}};
    subwave_device_properties device;
    assert_ok(*state, subwave_context_info(*state, &device));
    const bool has_unit = has(*state, SUBWAVE_VARIANT_MATRIX, SUBWAVE_DTYPE_C64);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        if (rows[r].on_amd_only && strncmp(device.architecture, "gfx", 3) != 0)
            continue;
        matmul_case what =
            plain_case(SUBWAVE_VARIANT_AUTO, SUBWAVE_DTYPE_C64, rows[r].m, rows[r].n, rows[r].k);
        what.layout = SUBWAVE_LAYOUT_COLUMN_MAJOR;
        const subwave_matmul_plan_info plan = plan_of(*state, &what);
        assert_int_equal(plan.variant == SUBWAVE_VARIANT_MATRIX,
                         rows[r].by_matrix && has_unit && !harness_is_cpu(*state));
        ++cases;
    }
}

static void test_plan_arguments(void **state)
{
    const subwave_variant any = SUBWAVE_VARIANT_AUTO;
    const subwave_dtype f32 = SUBWAVE_DTYPE_F32;
    const subwave_layout row = SUBWAVE_LAYOUT_ROW_MAJOR;
    subwave_matmul_plan_info plan;
    assert_ok(*state, plan_for(*state, any, f32, row, 0, 5, &plan));
    assert_int_equal(plan.blocks, 0);
    assert_int_equal(plan_for(NULL, any, f32, row, 1, 1, &plan), SUBWAVE_STATUS_INVALID_CONTEXT);
    assert_int_equal(plan_for(*state, 0, f32, row, 1, 1, &plan), SUBWAVE_STATUS_INVALID_VALUE);
    assert_non_null(strstr(subwave_last_error(*state), "variant is 0"));
    assert_int_equal(plan_for(*state, any, 0, row, 1, 1, &plan), SUBWAVE_STATUS_INVALID_VALUE);
    assert_int_equal(plan_for(*state, any, f32, 9, 1, 1, &plan), SUBWAVE_STATUS_INVALID_VALUE);
    assert_non_null(strstr(subwave_last_error(*state), "layout is 9"));
    assert_int_equal(plan_for(*state, any, SUBWAVE_DTYPE_I32, row, 1, 1, &plan),
                     SUBWAVE_STATUS_UNSUPPORTED);
    assert_int_equal(plan_for(*state, any, f32, row, 1, -1, &plan), SUBWAVE_STATUS_INVALID_SIZE);
    assert_non_null(strstr(subwave_last_error(*state), "n is -1"));
    assert_int_equal(plan_for(*state, any, f32, row, 1, 1, NULL), SUBWAVE_STATUS_INVALID_POINTER);
    assert_non_null(strstr(subwave_last_error(*state), "plan is null"));
}

/* --- the tests' own eyes --------------------------------------------------------------------- */

/* Spoils one thing at a time in an otherwise right outcome. */
static void test_faults_are_noticed(void **state)
{
    harness_random random = harness_random_start();
    for (int d = 0; d < DTYPES; ++d)
        for (harness_poison poison = 0; poison < HARNESS_POISONS; ++poison)
            for (int fault = 0; fault < 7; ++fault) {
                matmul_case what = plain_case(SUBWAVE_VARIANT_AUTO, matmul_dtypes[d], 13, 34, 12);
                what.pad_c = 3;
                what.poison = poison;
                what.positive = true; /* poison may be a number near 0, which no result is */
                problem p = problem_create(*state, &what, &random);
                const size_t size = element_size(&p.c), size_a = element_size(&p.a);
                problem_solve(&p);
                problem_upload(&p);
                if (fault != 0) /* 0: a kernel that never ran */
                    problem_run(&p);
                char *c = (char *)guarded_pointer(&p.device_c) + shift * size;
                char *const victims[] = {
                    NULL,
                    NULL,
                    c - 1 /* before C */,
                    c + (33 + 1) * size /* after a row */,
                    (char *)guarded_pointer(&p.device_c) - 4096 /* the far end of the guard */,
                    (char *)guarded_pointer(&p.device_a) + size_a /* an input */,
                    c + (5 * p.c.ld + 7) * size /* a cell */};
                if (fault >= 2) {
                    unsigned char spoilt[16];
                    const size_t bytes = fault == 6 ? size : 1;
                    assert_ok(*state, subwave_copy(*state, spoilt, victims[fault], (int64_t)bytes));
                    if (fault == 6) {
                        const int64_t cell =
                            (5 * what.n + 7) * reference_parts(p.c.dtype); /* its real part */
                        const double least = reference_is_integer(p.c.dtype) ? 1 : 0;
                        const double off = p.result[cell] + 3 * p.bound[cell] + least;
                        reference_matrix one = {.data = spoilt, .dtype = p.c.dtype, .ld = 1};
                        reference_set_part(&one, 0, 0, 0, off);
                    } else {
                        spoilt[0] ^= 1;
                    }
                    assert_ok(*state, subwave_copy(*state, victims[fault], spoilt, (int64_t)bytes));
                }
                const size_t faults = problem_faults(&p, true);
                assert_int_equal(faults, fault == 0 ? what.m * what.n : fault == 1 ? 0 : 1);
                problem_destroy(&p);
                ++cases;
            }
}

static void test_count(void **state)
{
    (void)state;
    print_message("%d cases\n", cases);
    assert_true(cases > 400);
    cases = 0;
}

int main(void)
{
    const struct CMUnitTest quick[] = {
        cmocka_unit_test(test_faults_are_noticed),
        cmocka_unit_test(test_small_sizes),
        cmocka_unit_test(test_skinny_sizes),
        cmocka_unit_test(test_skinny_short),
        cmocka_unit_test(test_large_sizes),
        cmocka_unit_test(test_long_k),
        cmocka_unit_test(test_tutorial),
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_k_zero),
        cmocka_unit_test(test_alpha_zero),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_non_finite),
        cmocka_unit_test(test_order_of_sums),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_plan_of_complex),
        cmocka_unit_test(test_plan_arguments),
        cmocka_unit_test(test_packed_bytes),
        cmocka_unit_test(test_complex_matrix),
        cmocka_unit_test(test_count),
    };
    const struct CMUnitTest full[] = {
        cmocka_unit_test(test_full_sizes),    cmocka_unit_test(test_large_tiles),
        cmocka_unit_test(test_skinny_forms),  cmocka_unit_test(test_skinny_rows),
        cmocka_unit_test(test_tutorial_1024), cmocka_unit_test(test_far_rows),
        cmocka_unit_test(test_count),
    };
    enum { QUICK = COUNT(quick), ALL = QUICK + COUNT(full) };
    struct CMUnitTest all[ALL];
    memcpy(all, quick, sizeof quick);
    memcpy(all + QUICK, full, sizeof full);
    return harness_run("matmul", all, harness_is_full() ? ALL : QUICK);
}
