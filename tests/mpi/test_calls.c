/* SPDX-License-Identifier: MIT
 * test_calls.c: the calls of libsubwave_mpi on as many ranks as the program is started with, on
 * every grid of them and by every transport, against plain loops over the whole matrices and
 * arrays, which every rank has. Their elements are small whole numbers, so that all sums are exact,
 * whatever their order.
 */
#include "check.h"

static subwave_context *context;
static subwave_mpi *mpi;
static int grid_rows, grid_columns, grid_row, grid_column;

/* --- matrices -------------------------------------------------------------------------------- */

/* A matrix as a whole, on the host, and this rank's part of it, on the device. */
typedef struct matrix {
    subwave_dtype dtype;
    subwave_mpi_layout layout;
    number *whole;
    int64_t rows, columns; /* of the part */
    unsigned char *part;
    void *device;
} matrix;

static size_t part_bytes(const matrix *x)
{
    return (size_t)(x->layout.ld * (x->columns + 1)) * subwave_dtype_size(x->dtype);
}

/* Calls for each element of this rank's part. */
#define FOR_PART(x, i, j, at) \
    for (int64_t j = 0; j < (x)->layout.columns; ++j) \
        for (int64_t i = 0; i < (x)->layout.rows; ++i) \
            for (int64_t at = place_of(x, i, j); at >= 0; at = -1)

static int64_t place_of(const matrix *x, int64_t i, int64_t j)
{
    const subwave_mpi_layout *l = &x->layout;
    if (check_owner(i, l->block_rows, l->first_row, grid_rows) != grid_row ||
        check_owner(j, l->block_columns, l->first_column, grid_columns) != grid_column)
        return -1;
    return check_place(i, l->block_rows, grid_rows) +
           check_place(j, l->block_columns, grid_columns) * l->ld;
}

/* A matrix of random small numbers. With blocks of 0 their sizes are random, too. What lies between
 * columns is poison, as all of it is with `poisoned`. */
static matrix matrix_create(subwave_dtype dtype, int64_t rows, int64_t columns, int64_t block_rows,
                            int64_t block_columns, bool poisoned)
{
    matrix x = {.dtype = dtype, .layout = {.rows = rows, .columns = columns}};
    x.layout.block_rows = block_rows ? block_rows : 1 + check_random(20);
    x.layout.block_columns = block_columns ? block_columns : 1 + check_random(20);
    x.layout.first_row = (int32_t)check_random(grid_rows);
    x.layout.first_column = (int32_t)check_random(grid_columns);
    x.rows = check_count(rows, x.layout.block_rows, x.layout.first_row, grid_rows, grid_row);
    x.columns = check_count(columns, x.layout.block_columns, x.layout.first_column, grid_columns,
                            grid_column);
    x.layout.ld = x.rows + 1 + check_random(3);
    int64_t local_rows, local_columns;
    CHECK_OK(mpi, subwave_mpi_local_size(mpi, &x.layout, &local_rows, &local_columns));
    CHECK(local_rows == x.rows && local_columns == x.columns,
          "a part of %" PRId64 " x %" PRId64 ", not %" PRId64 " x %" PRId64, local_rows,
          local_columns, x.rows, x.columns);
    x.whole = calloc((size_t)(rows * columns) + 1, sizeof *x.whole);
    for (int64_t i = 0; i < rows * columns; ++i) {
        const double re = (double)(check_random(7) - 3), im = (double)(check_random(7) - 3);
        x.whole[i] = reference_is_complex(dtype)   ? CMPLX(re, im)
                     : reference_is_integer(dtype) ? fabs(re)
                                                   : re;
    }
    x.part = malloc(part_bytes(&x));
    memset(x.part, 0xff, part_bytes(&x));
    FOR_PART(&x, i, j, at)
    if (!poisoned)
        number_set(dtype, x.part, at, x.whole[i + j * rows]);
    CHECK_OK(mpi, subwave_malloc(context, &x.device, (int64_t)part_bytes(&x)));
    CHECK_OK(mpi, subwave_copy(context, x.device, x.part, (int64_t)part_bytes(&x)));
    return x;
}

static number element(const matrix *x, subwave_transpose_kind transpose, int64_t i, int64_t j)
{
    if (transpose == SUBWAVE_TRANSPOSE_NONE)
        return x->whole[i + j * x->layout.rows];
    const number value = x->whole[j + i * x->layout.rows];
    return transpose == SUBWAVE_TRANSPOSE_CONJUGATE ? conj(value) : value;
}

/* Whether the part on the device is that of the whole on the host, and all else is as it was. */
static void matrix_check(matrix *x, const char *what)
{
    unsigned char *const got = malloc(part_bytes(x));
    CHECK_OK(mpi, subwave_copy(context, got, x->device, (int64_t)part_bytes(x)));
    FOR_PART(x, i, j, at)
    number_set(x->dtype, x->part, at, x->whole[i + j * x->layout.rows]);
    const size_t bytes = subwave_dtype_size(x->dtype);
    int64_t wrong = -1;
    for (size_t i = 0; i < part_bytes(x) / bytes; ++i)
        if (memcmp(got + i * bytes, x->part + i * bytes, bytes) != 0 &&
            number_get(x->dtype, got, (int64_t)i) != number_get(x->dtype, x->part, (int64_t)i))
            wrong = (int64_t)i;
    CHECK(wrong < 0, "%s, %s, %" PRId64 " x %" PRId64 ": %g and not %g at %" PRId64 ", ld %" PRId64,
          what, subwave_dtype_name(x->dtype), x->layout.rows, x->layout.columns,
          creal(number_get(x->dtype, got, wrong)), creal(number_get(x->dtype, x->part, wrong)),
          wrong, x->layout.ld);
    free(got);
}

static void matrix_destroy(matrix *x)
{
    CHECK_OK(mpi, subwave_free(context, x->device));
    free(x->part);
    free(x->whole);
}

/* --- matmul ---------------------------------------------------------------------------------- */

static void scalar_set(subwave_dtype dtype, double *scalar, number value)
{
    memset(scalar, 0xff, 2 * sizeof *scalar);
    number_set(dtype, scalar, 0, value);
}

static void check_product(subwave_dtype dtype, subwave_transpose_kind ta, subwave_transpose_kind tb,
                          int64_t m, int64_t n, int64_t k, number alpha, number beta,
                          bool conforming)
{
    const int64_t bm = 1 + check_random(16), bn = 1 + check_random(16), bk = 1 + check_random(16);
    const bool plain_a = ta == SUBWAVE_TRANSPOSE_NONE, plain_b = tb == SUBWAVE_TRANSPOSE_NONE;
    matrix a = matrix_create(dtype, plain_a ? m : k, plain_a ? k : m,
                             !conforming ? 0
                             : plain_a   ? bm
                                         : bk,
                             !conforming ? 0
                             : plain_a   ? bk
                                         : bm,
                             alpha == 0);
    matrix b = matrix_create(dtype, plain_b ? k : n, plain_b ? n : k,
                             !conforming ? 0
                             : plain_b   ? bk
                                         : bn,
                             !conforming ? 0
                             : plain_b   ? bn
                                         : bk,
                             alpha == 0);
    matrix c = matrix_create(dtype, m, n, conforming ? bm : 0, conforming ? bn : 0, beta == 0);
    if (!reference_is_complex(dtype))
        alpha = creal(alpha), beta = creal(beta);
    double of_alpha[2], of_beta[2];
    scalar_set(dtype, of_alpha, alpha);
    scalar_set(dtype, of_beta, beta);
    CHECK_OK(mpi, subwave_mpi_matmul(mpi, dtype, ta, tb, of_alpha, &a.layout,
                                     alpha == 0 ? NULL : a.device, &b.layout,
                                     alpha == 0 ? NULL : b.device, of_beta, &c.layout, c.device));
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i) {
            number sum = 0;
            for (int64_t l = 0; l < k && alpha != 0; ++l)
                sum += element(&a, ta, i, l) * element(&b, tb, l, j);
            c.whole[i + j * m] = alpha * sum + (beta == 0 ? 0 : beta * c.whole[i + j * m]);
        }
    char what[200];
    snprintf(what, sizeof what,
             "matmul on %d x %d, transposes %d %d, k = %" PRId64 ", alpha %g, beta %g, %s",
             grid_rows, grid_columns, ta, tb, k, creal(alpha), creal(beta),
             conforming ? "conforming" : "moved");
    matrix_check(&c, what);
    matrix_destroy(&a);
    matrix_destroy(&b);
    matrix_destroy(&c);
}

static void test_matmul(void)
{
    static const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64, SUBWAVE_DTYPE_C32,
                                           SUBWAVE_DTYPE_C64};
    static const int64_t sizes[][3] = {{1, 1, 1},    {2, 3, 40},  {37, 29, 53}, {64, 48, 32},
                                       {50, 1, 20},  {0, 5, 5},   {5, 0, 5},    {5, 6, 0},
                                       {17, 61, 90}, {48, 48, 48}};
    static const number scalars[][2] = {
        {1, 0}, {2, 1}, {-1, CMPLX(0, 2)}, {0, 3}, {CMPLX(1, 1), -1}};
    int number_of_case = 0;
    for (subwave_transpose_kind ta = 1; ta <= 3; ++ta)
        for (subwave_transpose_kind tb = 1; tb <= 3; ++tb)
            for (int d = 0; d < 4; ++d)
                for (int conforming = 0; conforming < 2; ++conforming) {
                    const int64_t *size = sizes[number_of_case % 10];
                    const number *scalar = scalars[number_of_case++ / 3 % 5];
                    check_product(dtypes[d], ta, tb, size[0], size[1], size[2], scalar[0],
                                  scalar[1], conforming);
                }
}

/* Fractions: the product is near the exact one, and is the same when it is computed again. */
static void test_rounding(void)
{
    const int64_t n = 70;
    matrix a = matrix_create(SUBWAVE_DTYPE_F64, n, n, 9, 9, false);
    matrix b = matrix_create(SUBWAVE_DTYPE_F64, n, n, 9, 9, false);
    matrix c = matrix_create(SUBWAVE_DTYPE_F64, n, n, 9, 9, true);
    for (matrix *x = &a;; x = &b) {
        for (int64_t i = 0; i < n * n; ++i)
            x->whole[i] = 1 / (1 + (double)check_random(1000));
        FOR_PART(x, i, j, at)
        number_set(x->dtype, x->part, at, x->whole[i + j * n]);
        CHECK_OK(mpi, subwave_copy(context, x->device, x->part, (int64_t)part_bytes(x)));
        if (x == &b)
            break;
    }
    const double one = 1, zero = 0;
    unsigned char *const got[2] = {malloc(part_bytes(&c)), malloc(part_bytes(&c))};
    for (int i = 0; i < 2; ++i) {
        CHECK_OK(mpi, subwave_mpi_matmul(mpi, SUBWAVE_DTYPE_F64, SUBWAVE_TRANSPOSE_NONE,
                                         SUBWAVE_TRANSPOSE_YES, &one, &a.layout, a.device,
                                         &b.layout, b.device, &zero, &c.layout, c.device));
        CHECK_OK(mpi, subwave_copy(context, got[i], c.device, (int64_t)part_bytes(&c)));
    }
    CHECK(memcmp(got[0], got[1], part_bytes(&c)) == 0, "the same product has other bits");
    FOR_PART(&c, i, j, at)
    {
        double sum = 0;
        for (int64_t l = 0; l < n; ++l)
            sum += creal(a.whole[i + l * n]) * creal(b.whole[j + l * n]);
        const double value = creal(number_get(SUBWAVE_DTYPE_F64, got[0], at));
        CHECK(fabs(value - sum) <= (double)(2 * n) * 0x1p-53 * sum, "%.17g and not %.17g", value,
              sum);
    }
    /* On one rank it is the product of subwave_matmul, bit for bit. */
    if (check_size == 1) {
        CHECK_OK(mpi, subwave_matmul(context, SUBWAVE_VARIANT_AUTO, SUBWAVE_DTYPE_F64,
                                     SUBWAVE_LAYOUT_COLUMN_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                                     SUBWAVE_TRANSPOSE_YES, n, n, n, &one, a.device, a.layout.ld,
                                     b.device, b.layout.ld, &zero, c.device, c.layout.ld));
        CHECK_OK(mpi, subwave_copy(context, got[1], c.device, (int64_t)part_bytes(&c)));
        CHECK(memcmp(got[0], got[1], part_bytes(&c)) == 0,
              "one rank has other bits than subwave_matmul");
    }
    free(got[0]);
    free(got[1]);
    matrix_destroy(&a);
    matrix_destroy(&b);
    matrix_destroy(&c);
}

/* --- transpose ------------------------------------------------------------------------------- */

static void test_transpose(void)
{
    static const int64_t sizes[][2] = {{1, 1}, {0, 4}, {33, 20}, {64, 64}, {5, 90}};
#define SUBWAVE_X(name, ...) SUBWAVE_DTYPE_##name,
    static const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_LIST(SUBWAVE_X)};
#undef SUBWAVE_X
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; ++d) {
        const int64_t *size = sizes[(d + 2) % 5];
        matrix x = matrix_create(dtypes[d], size[0], size[1], 0, 0, false);
        matrix y = d % 2 ? matrix_create(dtypes[d], size[1], size[0], 0, 0, true)
                         : matrix_create(dtypes[d], size[1], size[0], x.layout.block_columns,
                                         x.layout.block_rows, true);
        CHECK_OK(mpi,
                 subwave_mpi_transpose(mpi, dtypes[d], &x.layout, x.device, &y.layout, y.device));
        for (int64_t j = 0; j < size[0]; ++j)
            for (int64_t i = 0; i < size[1]; ++i)
                y.whole[i + j * size[1]] = x.whole[j + i * size[0]];
        matrix_check(&y, "transpose");
        matrix_destroy(&x);
        matrix_destroy(&y);
    }
}

/* --- arrays ---------------------------------------------------------------------------------- */

enum { MOST = 240 };

/* An element that any op takes without rounding, of bfloat16 too. */
static uint64_t small(subwave_dtype dtype, subwave_op op)
{
    const int64_t sign = check_random(2) * 2 - 1;
    const bool has_zeros = op == SUBWAVE_OP_PLUS || op >= SUBWAVE_OP_LOGICAL_AND;
    const double value = op == SUBWAVE_OP_MULTIPLIES ? (double)sign
                         : has_zeros                 ? (double)(check_random(3) - 1)
                                                     : (double)(check_random(200) - 100);
    if (reference_is_integer(dtype) && op != SUBWAVE_OP_PLUS)
        return (uint64_t)check_random(1 << 30);
    return reference_encode(dtype, reference_is_integer(dtype) ? fabs(value) : value);
}

static void check_array(subwave_dtype dtype, subwave_op op, const int64_t *begins, int64_t n,
                        bool has_init)
{
    const int64_t first = begins[check_rank], own = begins[check_rank + 1] - first;
    const size_t bytes = subwave_dtype_size(dtype);
    static _Alignas(16) unsigned char x[8 * (MOST + 1)], y[8 * (MOST + 1)];
    uint64_t init_bits = 0, init;
    for (int64_t i = 0; i <= n; ++i)
        reference_store(dtype, x, i, small(dtype, op));
    init_bits = reference_load(dtype, x, n);
    reference_store(dtype, &init, 0, init_bits);
    if (op >= SUBWAVE_OP_LOGICAL_AND) /* as a truth value */
        init_bits = reference_combine(dtype, op, reference_identity(dtype, op), init_bits);
    const void *const start = has_init ? &init : NULL;
    void *in = NULL, *out = NULL;
    CHECK_OK(mpi, subwave_malloc(context, &in, sizeof x));
    CHECK_OK(mpi, subwave_malloc(context, &out, sizeof y));
    CHECK_OK(mpi, subwave_copy(context, in, x + (size_t)first * bytes, own * (int64_t)bytes));

    uint64_t sum = has_init ? init_bits : reference_identity(dtype, op), got = 0;
    for (int64_t i = 0; i < n; ++i)
        sum = !has_init && i == 0 && op < SUBWAVE_OP_LOGICAL_AND
                  ? reference_load(dtype, x, 0)
                  : reference_combine(dtype, op, sum, reference_load(dtype, x, i));
    CHECK_OK(mpi, subwave_mpi_reduce(mpi, dtype, op, SUBWAVE_ORDER_FIXED, own, start, in,
                                     SUBWAVE_PLACE_HOST, &got));
    /* Of floats the sign of a sum that is zero is that of no order. */
#define SAME(a, b) \
    (reference_same(dtype, a, b) || \
     (reference_is_floating(dtype) && reference_decode(dtype, a) == reference_decode(dtype, b)))
    CHECK(SAME(reference_load(dtype, &got, 0), sum),
          "%s of %" PRId64 " %s: %" PRIx64 " and not %" PRIx64, subwave_op_name(op), n,
          subwave_dtype_name(dtype), reference_load(dtype, &got, 0), sum);
    CHECK_OK(mpi, subwave_mpi_reduce(mpi, dtype, op, SUBWAVE_ORDER_DEVICE, own, start, in,
                                     SUBWAVE_PLACE_DEVICE, out));
    CHECK_OK(mpi, subwave_copy(context, &got, out, (int64_t)bytes));
    CHECK(SAME(reference_load(dtype, &got, 0), sum), "%s on the device", subwave_op_name(op));

    for (subwave_scan_kind kind = SUBWAVE_SCAN_INCLUSIVE; kind <= SUBWAVE_SCAN_EXCLUSIVE; ++kind) {
        memset(y, 0xa5, sizeof y);
        CHECK_OK(mpi, subwave_copy(context, out, y, sizeof y));
        CHECK_OK(mpi,
                 subwave_mpi_scan(mpi, dtype, op, kind, SUBWAVE_ORDER_FIXED, own, start, in, out));
        CHECK_OK(mpi, subwave_copy(context, y, out, sizeof y));
        uint64_t before = has_init ? init_bits : reference_identity(dtype, op);
        for (int64_t i = 0; i < first + own; ++i) {
            const uint64_t value = reference_load(dtype, x, i);
            const uint64_t with = !has_init && i == 0 && op < SUBWAVE_OP_LOGICAL_AND
                                      ? value
                                      : reference_combine(dtype, op, before, value);
            const uint64_t wanted = kind == SUBWAVE_SCAN_INCLUSIVE ? with : before;
            if (i >= first)
                CHECK(SAME(reference_load(dtype, y, i - first), wanted),
                      "scan %d by %s of %s, element %" PRId64 ": %" PRIx64 " and not %" PRIx64,
                      kind, subwave_op_name(op), subwave_dtype_name(dtype), i,
                      reference_load(dtype, y, i - first), wanted);
            before = with;
        }
        CHECK(y[(size_t)own * bytes] == 0xa5, "the scan has written behind its part");
    }
#undef SAME
    CHECK_OK(mpi, subwave_free(context, in));
    CHECK_OK(mpi, subwave_free(context, out));
}

/* Where the ranks' parts begin: of any sizes, and some of none. */
static int64_t divide(int64_t *begins)
{
    begins[0] = 0;
    for (int r = 0; r < check_size; ++r)
        begins[r + 1] = begins[r] + (check_random(4) ? check_random(MOST / check_size) : 0);
    return begins[check_size];
}

static void test_arrays(void)
{
#define SUBWAVE_X(name, ...) SUBWAVE_DTYPE_##name,
    static const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_LIST(SUBWAVE_X)};
#undef SUBWAVE_X
    int64_t *begins = calloc((size_t)check_size + 1, sizeof *begins);
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; ++d)
        for (subwave_op op = SUBWAVE_OP_PLUS; op <= SUBWAVE_OP_LOGICAL_OR; ++op)
            if (!reference_is_complex(dtypes[d]) && reference_has_op(dtypes[d], op)) {
                const int64_t n = divide(begins);
                check_array(dtypes[d], op, begins, n, check_random(2));
            }
    memset(begins, 0, ((size_t)check_size + 1) * sizeof *begins); /* nobody has any */
    check_array(SUBWAVE_DTYPE_I32, SUBWAVE_OP_MINIMUM, begins, 0, false);
    check_array(SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, begins, 0, true);
    free(begins);
}

/* Sums of floats do not depend on anything but the parts: neither on the transport nor on the
 * moment. */
static uint64_t sum_of_fractions(void)
{
    double x[100], sum = 0;
    for (int i = 0; i < 100; ++i)
        x[i] = 1 / (3.0 + i + 100 * check_rank);
    void *in;
    uint64_t bits;
    CHECK_OK(mpi, subwave_malloc(context, &in, sizeof x));
    CHECK_OK(mpi, subwave_copy(context, in, x, sizeof x));
    CHECK_OK(mpi, subwave_mpi_reduce(mpi, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_ORDER_FIXED,
                                     100, NULL, in, SUBWAVE_PLACE_HOST, &sum));
    CHECK_OK(mpi, subwave_free(context, in));
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}

static void test_histogram(void)
{
    int64_t *begins = calloc((size_t)check_size + 1, sizeof *begins);
    for (int bins = 1; bins < 9000; bins = bins * 8 + 1) {
        const int64_t n = divide(begins), first = begins[check_rank],
                      own = begins[check_rank + 1] - first;
        double x[MOST + 1];
        int64_t *wanted = calloc((size_t)bins, sizeof *wanted),
                *got = calloc((size_t)bins, sizeof *got);
        for (int64_t i = 0; i < n; ++i) {
            x[i] = (double)check_random(1200) / 1000 - 0.1;
            const int64_t bin = (int64_t)floor(x[i] * bins);
            /* Those near a boundary are put into a bin's middle, where rounding does not count. */
            if (x[i] >= 0 && x[i] < 1)
                x[i] = ((double)bin + 0.5) / bins, ++wanted[bin];
            else if (x[i] >= 1) /* 1 itself would be in the last bin */
                x[i] += 1;
        }
        void *in, *out;
        CHECK_OK(mpi, subwave_malloc(context, &in, sizeof x));
        CHECK_OK(mpi, subwave_malloc(context, &out, bins * 8));
        CHECK_OK(mpi, subwave_copy(context, in, x + first, own * 8));
        CHECK_OK(mpi, subwave_mpi_histogram(mpi, SUBWAVE_DTYPE_F64, bins, 0, 1, own, in, out));
        CHECK_OK(mpi, subwave_copy(context, got, out, bins * 8));
        CHECK(memcmp(got, wanted, (size_t)bins * 8) == 0, "the counts of %d bins differ", bins);
        CHECK_OK(mpi, subwave_free(context, in));
        CHECK_OK(mpi, subwave_free(context, out));
        free(wanted);
        free(got);
    }
    free(begins);
}

/* --- wrong arguments ------------------------------------------------------------------------- */

/* By all ranks, or by the last one alone, which tells the others. */
static void check_wrong(int guilty)
{
    const bool me = guilty < 0 || guilty == check_rank;
    const double one = 1, zero = 0;
    matrix a = matrix_create(SUBWAVE_DTYPE_F64, 12, 12, 2, 2, false);
    matrix c = matrix_create(SUBWAVE_DTYPE_F64, 12, 12, 2, 2, false);
    a.layout.first_row = a.layout.first_column = 0;
    subwave_mpi_layout wrong = a.layout;
    double y[2] = {7, 7};
    int64_t count = 7;
#define WRONG(right, other) (me ? (other) : (right))
#define MATMUL(dtype, ta, alpha, layout_a, a, layout_c) \
    subwave_mpi_matmul(mpi, dtype, ta, SUBWAVE_TRANSPOSE_NONE, alpha, layout_a, a, &c.layout, \
                       c.device, &zero, layout_c, c.device)
#define F64 SUBWAVE_DTYPE_F64
#define NONE SUBWAVE_TRANSPOSE_NONE
    CHECK_FAILS(mpi,
                MATMUL(WRONG(F64, SUBWAVE_DTYPE_I32), NONE, &one, &a.layout, a.device, &c.layout),
                SUBWAVE_STATUS_UNSUPPORTED, guilty, "dtype is i32");
    CHECK_FAILS(mpi,
                MATMUL(WRONG(F64, (subwave_dtype)99), NONE, &one, &a.layout, a.device, &c.layout),
                SUBWAVE_STATUS_INVALID_VALUE, guilty, "dtype is 99");
    CHECK_FAILS(
        mpi,
        MATMUL(F64, WRONG(NONE, (subwave_transpose_kind)9), &one, &a.layout, a.device, &c.layout),
        SUBWAVE_STATUS_INVALID_VALUE, guilty, "transpose_a is 9");
    CHECK_FAILS(mpi, MATMUL(F64, NONE, WRONG(&one, NULL), &a.layout, a.device, &c.layout),
                SUBWAVE_STATUS_INVALID_POINTER, guilty, "alpha is null");
    CHECK_FAILS(mpi, MATMUL(F64, NONE, &one, WRONG(&a.layout, NULL), a.device, &c.layout),
                SUBWAVE_STATUS_INVALID_POINTER, guilty, "layout_a is null");
#define WRONG_FIELD(field, value, status, text) \
    wrong = a.layout; \
    wrong.field = WRONG(wrong.field, value); \
    CHECK_FAILS(mpi, MATMUL(F64, NONE, &one, &wrong, a.device, &c.layout), status, guilty, text)
    WRONG_FIELD(rows, -1, SUBWAVE_STATUS_INVALID_SIZE, "layout_a has -1 rows");
    WRONG_FIELD(block_columns, 0, SUBWAVE_STATUS_INVALID_SIZE, "layout_a has blocks of 2 x 0");
    WRONG_FIELD(first_row, grid_rows, SUBWAVE_STATUS_INVALID_VALUE, "layout_a begins at row");
    WRONG_FIELD(first_column, -1, SUBWAVE_STATUS_INVALID_VALUE, "layout_a begins at row");
    WRONG_FIELD(ld, 0, SUBWAVE_STATUS_INVALID_STRIDE, "layout_a has ld 0");
    WRONG_FIELD(ld, INT64_MAX / 8, SUBWAVE_STATUS_INVALID_SIZE, "layout_a has ld");
    WRONG_FIELD(rows, 13, SUBWAVE_STATUS_INVALID_SIZE, "layout_a: op(A)");
    WRONG_FIELD(columns, 13, SUBWAVE_STATUS_INVALID_SIZE, "layout_b: op(B)");
    CHECK_FAILS(mpi, MATMUL(F64, NONE, &one, &a.layout, WRONG(a.device, NULL), &c.layout),
                SUBWAVE_STATUS_INVALID_POINTER, guilty, "a is null");
    CHECK_FAILS(
        mpi, MATMUL(F64, NONE, &one, &a.layout, WRONG(a.device, (char *)a.device + 1), &c.layout),
        SUBWAVE_STATUS_INVALID_POINTER, guilty, "a is not aligned");
    matrix_check(&c, "c after wrong arguments");

    CHECK_FAILS(mpi,
                subwave_mpi_transpose(mpi, WRONG(F64, (subwave_dtype)0), &a.layout, a.device,
                                      &c.layout, c.device),
                SUBWAVE_STATUS_INVALID_VALUE, guilty, "dtype is 0");
    wrong = c.layout;
    wrong.rows = WRONG(12, 11);
    CHECK_FAILS(mpi, subwave_mpi_transpose(mpi, F64, &a.layout, a.device, &wrong, c.device),
                SUBWAVE_STATUS_INVALID_SIZE, guilty, "layout_y: Y");
    CHECK_FAILS(
        mpi, subwave_mpi_transpose(mpi, F64, &a.layout, WRONG(a.device, NULL), &c.layout, c.device),
        SUBWAVE_STATUS_INVALID_POINTER, guilty, "x is null");
    matrix_check(&c, "c after wrong transposes");

#define REDUCE(dtype, op, order, n, x, place, result) \
    subwave_mpi_reduce(mpi, dtype, op, order, n, NULL, x, place, result)
#define PLUS SUBWAVE_OP_PLUS
#define FIXED SUBWAVE_ORDER_FIXED
#define HOST SUBWAVE_PLACE_HOST
    CHECK_FAILS(mpi, REDUCE(WRONG(F64, SUBWAVE_DTYPE_C64), PLUS, FIXED, 2, a.device, HOST, y),
                SUBWAVE_STATUS_UNSUPPORTED, guilty, "dtype is c64");
    CHECK_FAILS(mpi, REDUCE(F64, WRONG(PLUS, (subwave_op)99), FIXED, 2, a.device, HOST, y),
                SUBWAVE_STATUS_INVALID_VALUE, guilty, "op is 99");
    CHECK_FAILS(mpi, REDUCE(F64, PLUS, WRONG(FIXED, (subwave_order)9), 2, a.device, HOST, y),
                SUBWAVE_STATUS_INVALID_VALUE, guilty, "order is 9");
    CHECK_FAILS(mpi, REDUCE(F64, PLUS, FIXED, WRONG(2, -2), a.device, HOST, y),
                SUBWAVE_STATUS_INVALID_SIZE, guilty, "n is -2");
    CHECK_FAILS(mpi, REDUCE(F64, PLUS, FIXED, 2, WRONG(a.device, NULL), HOST, y),
                SUBWAVE_STATUS_INVALID_POINTER, guilty, "x is null");
    CHECK_FAILS(mpi, REDUCE(F64, PLUS, FIXED, 2, a.device, WRONG(HOST, (subwave_place)5), y),
                SUBWAVE_STATUS_INVALID_VALUE, guilty, "place is 5");
    CHECK_FAILS(mpi, REDUCE(F64, PLUS, FIXED, 2, a.device, HOST, WRONG((void *)y, NULL)),
                SUBWAVE_STATUS_INVALID_POINTER, guilty, "result is null");
    CHECK_FAILS(mpi,
                subwave_mpi_scan(mpi, F64, PLUS,
                                 WRONG(SUBWAVE_SCAN_INCLUSIVE, (subwave_scan_kind)3), FIXED, 2,
                                 NULL, a.device, c.device),
                SUBWAVE_STATUS_INVALID_VALUE, guilty, "scan is 3");
    CHECK_FAILS(mpi,
                subwave_mpi_scan(mpi, F64, PLUS, SUBWAVE_SCAN_INCLUSIVE, FIXED, 2, NULL, a.device,
                                 WRONG(c.device, NULL)),
                SUBWAVE_STATUS_INVALID_POINTER, guilty, "y is null");
#define HISTOGRAM(bins, lower, n, x, counts) \
    subwave_mpi_histogram(mpi, F64, bins, lower, 1, n, x, counts)
    CHECK_FAILS(mpi, HISTOGRAM(WRONG(1, 0), 0, 2, a.device, &count), SUBWAVE_STATUS_INVALID_SIZE,
                guilty, "bins is 0");
    CHECK_FAILS(mpi, HISTOGRAM(1, WRONG(0, 2), 2, a.device, &count), SUBWAVE_STATUS_INVALID_VALUE,
                guilty, "lower");
    CHECK_FAILS(mpi, HISTOGRAM(1, 0, WRONG(2, -1), a.device, &count), SUBWAVE_STATUS_INVALID_SIZE,
                guilty, "n is -1");
    CHECK_FAILS(mpi, HISTOGRAM(1, 0, 2, a.device, WRONG(&count, NULL)),
                SUBWAVE_STATUS_INVALID_POINTER, guilty, "counts is null");
    CHECK(y[0] == 7 && y[1] == 7 && count == 7, "a call with wrong arguments has written");
    matrix_check(&c, "c after wrong arrays");
    matrix_destroy(&a);
    matrix_destroy(&c);
}

/* Arguments that are right, but not the same on all ranks. */
static void test_mismatch(void)
{
    if (check_size == 1)
        return;
    double sum = 7;
    const bool me = check_rank == check_size - 1;
    const double init = me ? 2 : 1;
    void *x;
    CHECK_OK(mpi, subwave_malloc(context, &x, 64));
    CHECK_FAILS(mpi, REDUCE(me ? SUBWAVE_DTYPE_F32 : F64, PLUS, FIXED, 0, NULL, HOST, &sum),
                SUBWAVE_STATUS_INVALID_VALUE, -1, "dtype is not the same on all ranks");
    CHECK_FAILS(mpi, REDUCE(F64, me ? PLUS : SUBWAVE_OP_MINIMUM, FIXED, 0, NULL, HOST, &sum),
                SUBWAVE_STATUS_INVALID_VALUE, -1, "op is not the same");
    CHECK_FAILS(mpi, subwave_mpi_reduce(mpi, F64, PLUS, FIXED, 0, &init, NULL, HOST, &sum),
                SUBWAVE_STATUS_INVALID_VALUE, -1, "init is not the same");
    CHECK_FAILS(mpi,
                me ? subwave_mpi_histogram(mpi, F64, 8, 0, 1, 0, NULL, x)
                   : REDUCE(F64, PLUS, FIXED, 0, NULL, HOST, &sum),
                SUBWAVE_STATUS_INVALID_VALUE, -1, "mpi is used for different calls by the ranks");
    CHECK(sum == 7, "a call with different arguments has written");
    CHECK_OK(mpi, REDUCE(F64, PLUS, FIXED, 0, NULL, HOST, &sum));
    CHECK(sum == 0, "the grid is of no use after a mismatch");
    CHECK_OK(mpi, subwave_free(context, x));
}

static void test_create(void)
{
    subwave_mpi *made = (subwave_mpi *)&made;
    CHECK_FAILS(NULL,
                subwave_mpi_create(&made, context, MPI_COMM_NULL, 1, 1, SUBWAVE_MPI_TRANSPORT_HOST),
                SUBWAVE_STATUS_INVALID_VALUE, -1, "parent is no communicator");
    CHECK(!made, "a grid was made without a communicator");
    const int last = check_size - 1;
    const bool me = check_rank == last;
#define CREATE(result, context, rows, transport) \
    subwave_mpi_create(result, context, MPI_COMM_WORLD, rows, check_size, transport)
    CHECK_FAILS(NULL, CREATE(me ? NULL : &made, context, 1, SUBWAVE_MPI_TRANSPORT_HOST),
                SUBWAVE_STATUS_INVALID_POINTER, last, "mpi is null");
    CHECK_FAILS(NULL, CREATE(&made, me ? NULL : context, 1, SUBWAVE_MPI_TRANSPORT_HOST),
                SUBWAVE_STATUS_INVALID_CONTEXT, last, "context is null");
    CHECK_FAILS(NULL, CREATE(&made, context, me ? 2 : 1, SUBWAVE_MPI_TRANSPORT_HOST),
                SUBWAVE_STATUS_INVALID_SIZE, last, "grid_rows and grid_columns are 2");
    CHECK_FAILS(NULL, CREATE(&made, context, 1, (subwave_mpi_transport)(me ? 0 : 2)),
                SUBWAVE_STATUS_INVALID_VALUE, last, "transport is 0");
    if (check_size > 1)
        CHECK_FAILS(NULL, CREATE(&made, context, 1, (subwave_mpi_transport)(me ? 3 : 2)),
                    SUBWAVE_STATUS_INVALID_VALUE, -1, "transport is not the same");
    CHECK(!made, "a grid was made of wrong arguments");

    const char *const library = getenv("SUBWAVE_MPI_CCL");
    char kept[1024] = "";
    strncat(kept, library ? library : "", sizeof kept - 1);
    if (me)
        setenv("SUBWAVE_MPI_CCL", "/nowhere/libccl.so", 1);
    CHECK_FAILS(NULL, CREATE(&made, context, 1, SUBWAVE_MPI_TRANSPORT_CCL),
                SUBWAVE_STATUS_UNSUPPORTED, kept[0] ? last : -1,
                kept[0] ? "transport is CCL, and /nowhere/libccl.so" : "");
    /* AUTO goes on without the library, on all ranks. */
    subwave_mpi_transport used = SUBWAVE_MPI_TRANSPORT_AUTO;
    CHECK_OK(NULL, CREATE(&made, context, 1, SUBWAVE_MPI_TRANSPORT_AUTO));
    CHECK_OK(NULL, subwave_mpi_transport_used(made, &used));
    CHECK(used == SUBWAVE_MPI_TRANSPORT_HOST, "AUTO uses %s", subwave_mpi_transport_name(used));
    CHECK_OK(NULL, subwave_mpi_destroy(&made));
    unsetenv("SUBWAVE_MPI_CCL");
    if (kept[0])
        setenv("SUBWAVE_MPI_CCL", kept, 1);
    if (kept[0]) {
        CHECK_OK(NULL, CREATE(&made, context, 1, SUBWAVE_MPI_TRANSPORT_AUTO));
        CHECK_OK(NULL, subwave_mpi_transport_used(made, &used));
        CHECK(used == SUBWAVE_MPI_TRANSPORT_CCL, "AUTO uses %s", subwave_mpi_transport_name(used));
        CHECK_OK(NULL, subwave_mpi_destroy(&made));
    }

    if (me)
        setenv("SUBWAVE_MPI_TIMEOUT", "soon", 1);
    CHECK_FAILS(NULL, CREATE(&made, context, 1, SUBWAVE_MPI_TRANSPORT_HOST),
                SUBWAVE_STATUS_INVALID_VALUE, last, "SUBWAVE_MPI_TIMEOUT is \"soon\"");
    unsetenv("SUBWAVE_MPI_TIMEOUT");
    CHECK_FAILS(NULL, subwave_mpi_synchronize(NULL), SUBWAVE_STATUS_INVALID_POINTER, -1,
                "mpi is null");
    CHECK_FAILS(NULL, subwave_mpi_transport_used(NULL, &used), SUBWAVE_STATUS_INVALID_POINTER, -1,
                "mpi is null");
    CHECK_OK(NULL, subwave_mpi_destroy(NULL));
    CHECK_OK(NULL, subwave_mpi_destroy(&made));
}

static void test_descriptor(void)
{
    const int good[9] = {1, 17, 50, 60, 7, 8, 1, 2, 33};
    subwave_mpi_layout layout;
    memset(&layout, 0xff, sizeof layout);
    CHECK_OK(NULL, subwave_mpi_layout_from_descriptor(good, &layout));
    CHECK(layout.rows == 50 && layout.columns == 60 && layout.block_rows == 7 &&
              layout.block_columns == 8 && layout.first_row == 1 && layout.first_column == 2 &&
              layout.ld == 33,
          "a descriptor is read otherwise");
    CHECK_FAILS(NULL, subwave_mpi_layout_from_descriptor(NULL, &layout),
                SUBWAVE_STATUS_INVALID_POINTER, -1, "descriptor is null");
    CHECK_FAILS(NULL, subwave_mpi_layout_from_descriptor(good, NULL),
                SUBWAVE_STATUS_INVALID_POINTER, -1, "layout is null");
    static const int wrong[9] = {501, 0, -1, -1, 0, 0, -1, -1, 0};
    for (int i = 0; i < 9; ++i) {
        int bad[9];
        memcpy(bad, good, sizeof bad);
        bad[i] = wrong[i];
        CHECK((subwave_mpi_layout_from_descriptor(bad, &layout) == SUBWAVE_STATUS_SUCCESS) ==
                  (i == 1),
              "a descriptor with %d at place %d", wrong[i], i + 1);
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK_OK(NULL, subwave_context_create(&context, NULL));
    subwave_device_properties properties;
    CHECK_OK(NULL, subwave_context_info(context, &properties));
    const bool is_cpu = strcmp(properties.backend, "cpu") == 0;
    test_descriptor();
    test_create();
    uint64_t fractions = 0;
    for (int rows = 1; rows <= check_size; ++rows)
        for (subwave_mpi_transport transport = SUBWAVE_MPI_TRANSPORT_HOST;
             check_size % rows == 0 && transport <= SUBWAVE_MPI_TRANSPORT_CCL; ++transport) {
            /* By HOST on every grid, by the others on one. Not every MPI knows a GPU's memory. */
            if ((transport == SUBWAVE_MPI_TRANSPORT_CCL && !getenv("SUBWAVE_MPI_CCL")) ||
                (transport == SUBWAVE_MPI_TRANSPORT_MPI_DEVICE && !is_cpu) ||
                (transport != SUBWAVE_MPI_TRANSPORT_HOST &&
                 rows != (check_size % 2 == 0 ? 2 : check_size)))
                continue;
            grid_rows = rows, grid_columns = check_size / rows;
            grid_row = check_rank / grid_columns, grid_column = check_rank % grid_columns;
            CHECK_OK(NULL, subwave_mpi_create(&mpi, context, MPI_COMM_WORLD, grid_rows,
                                              grid_columns, transport));
            if (!mpi)
                break;
            test_matmul();
            test_rounding();
            test_transpose();
            test_histogram();
            const uint64_t sum = sum_of_fractions();
            CHECK(!fractions || fractions == sum,
                  "a sum of floats depends on the transport or the grid");
            fractions = sum;
            if (rows == 1) { /* they know nothing of a grid's rows */
                test_arrays();
                test_mismatch();
                check_wrong(-1);
                check_wrong(check_size - 1);
            }
            CHECK_OK(mpi, subwave_mpi_synchronize(mpi));
            CHECK_OK(NULL, subwave_mpi_destroy(&mpi));
            CHECK(!mpi, "the grid is still there");
        }
    CHECK_OK(NULL, subwave_context_destroy(&context));
    return check_end("calls");
}
