/* SPDX-License-Identifier: MIT
 * test_scalapack.c: subwave_mpi_matmul and subwave_mpi_transpose beside ScaLAPACK's pdgemm and
 * pdtran, on the same parts of the same matrices, which ScaLAPACK's descriptors describe to both.
 */
#include "check.h"

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *block, const int *mine, const int *first, const int *parts);
void descinit_(int *descriptor, const int *m, const int *n, const int *block_rows,
               const int *block_columns, const int *first_row, const int *first_column,
               const int *context, const int *ld, int *info);
void pdgemm_(const char *transpose_a, const char *transpose_b, const int *m, const int *n,
             const int *k, const double *alpha, const double *a, const int *ia, const int *ja,
             const int *desc_a, const double *b, const int *ib, const int *jb, const int *desc_b,
             const double *beta, double *c, const int *ic, const int *jc, const int *desc_c, size_t,
             size_t);
void pdtran_(const int *m, const int *n, const double *alpha, const double *a, const int *ia,
             const int *ja, const int *desc_a, const double *beta, double *c, const int *ic,
             const int *jc, const int *desc_c);

static subwave_context *context;
static subwave_mpi *mpi;
static int blacs, grid_rows, grid_columns, row, column;

typedef struct matrix {
    int descriptor[9];
    subwave_mpi_layout layout;
    double *part;
    void *device;
    size_t bytes;
} matrix;

static matrix create(int rows, int columns, int block_rows, int block_columns, bool fractions)
{
    matrix x = {0};
    const int first_row = (int)check_random(grid_rows),
              first_column = (int)check_random(grid_columns);
    const int local_rows = numroc_(&rows, &block_rows, &row, &first_row, &grid_rows);
    const int local_columns =
        numroc_(&columns, &block_columns, &column, &first_column, &grid_columns);
    const int ld = local_rows + 2;
    int info, n = 0;
    descinit_(x.descriptor, &rows, &columns, &block_rows, &block_columns, &first_row, &first_column,
              &blacs, &ld, &info);
    CHECK(info == 0, "descinit: %d", info);
    CHECK_OK(NULL, subwave_mpi_layout_from_descriptor(x.descriptor, &x.layout));
    int64_t its_rows, its_columns;
    CHECK_OK(mpi, subwave_mpi_local_size(mpi, &x.layout, &its_rows, &its_columns));
    CHECK(its_rows == local_rows && its_columns == local_columns, "NUMROC has %d x %d, not %d x %d",
          local_rows, local_columns, (int)its_rows, (int)its_columns);
    x.bytes = (size_t)ld * (size_t)(local_columns + 1) * sizeof *x.part;
    x.part = malloc(x.bytes);
    for (size_t i = 0; i < x.bytes / sizeof *x.part; ++i)
        x.part[i] =
            (double)((n = (n * 1103 + 12345 + check_rank) % 1009) - 500) / (fractions ? 77 : 1);
    CHECK_OK(mpi, subwave_malloc(context, &x.device, (int64_t)x.bytes));
    CHECK_OK(mpi, subwave_copy(context, x.device, x.part, (int64_t)x.bytes));
    return x;
}

/* The device's part beside ScaLAPACK's. */
static void compare(matrix *x, double bound, const char *what)
{
    double *const got = malloc(x->bytes);
    double most = 0;
    CHECK_OK(mpi, subwave_copy(context, got, x->device, (int64_t)x->bytes));
    for (size_t i = 0; i < x->bytes / sizeof *got; ++i)
        if (!(fabs(got[i] - x->part[i]) <= most))
            most = fabs(got[i] - x->part[i]);
    CHECK(most <= bound, "%s: %g from ScaLAPACK's, more than %g", what, most, bound);
    free(got);
}

static void destroy(matrix *x)
{
    CHECK_OK(mpi, subwave_free(context, x->device));
    free(x->part);
}

static void test_matmul(bool fractions)
{
    static const char letters[] = "NTC";
    const int m = 45, n = 38, k = 52, one = 1, block_m = 4, block_n = 6, block_k = 5;
    const double alpha = fractions ? 0.75 : 1, beta = fractions ? -0.5 : 2;
    for (int ta = 1; ta <= 3; ++ta)
        for (int tb = 1; tb <= 3; ++tb) {
            matrix a = ta == 1 ? create(m, k, block_m, block_k, fractions)
                               : create(k, m, block_k, block_m, fractions);
            matrix b = tb == 1 ? create(k, n, block_k, block_n, fractions)
                               : create(n, k, block_n, block_k, fractions);
            matrix c = create(m, n, block_m, block_n, fractions);
            pdgemm_(&letters[ta - 1], &letters[tb - 1], &m, &n, &k, &alpha, a.part, &one, &one,
                    a.descriptor, b.part, &one, &one, b.descriptor, &beta, c.part, &one, &one,
                    c.descriptor, 1, 1);
            CHECK_OK(mpi,
                     subwave_mpi_matmul(mpi, SUBWAVE_DTYPE_F64, (subwave_transpose_kind)ta,
                                        (subwave_transpose_kind)tb, &alpha, &a.layout, a.device,
                                        &b.layout, b.device, &beta, &c.layout, c.device));
            /* Sums of whole numbers have no rounding. */
            compare(&c, fractions ? (k + 3) * 0x1p-52 * k * 7 * 7 : 0, "matmul");
            destroy(&a);
            destroy(&b);
            destroy(&c);
        }
}

static void test_transpose(void)
{
    const int m = 45, n = 38, one = 1;
    const double alpha = 1, beta = 0;
    matrix x = create(m, n, 4, 6, true), y = create(n, m, 6, 4, true);
    pdtran_(&n, &m, &alpha, x.part, &one, &one, x.descriptor, &beta, y.part, &one, &one,
            y.descriptor);
    CHECK_OK(mpi, subwave_mpi_transpose(mpi, SUBWAVE_DTYPE_F64, &x.layout, x.device, &y.layout,
                                        y.device));
    compare(&y, 0, "transpose");
    destroy(&x);
    destroy(&y);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK_OK(NULL, subwave_context_create(&context, NULL));
    for (int rows = 1; rows <= check_size; ++rows)
        if (check_size % rows == 0) {
            Cblacs_get(0, 0, &blacs);
            Cblacs_gridinit(&blacs, "R", rows, check_size / rows);
            Cblacs_gridinfo(blacs, &grid_rows, &grid_columns, &row, &column);
            CHECK_OK(NULL, subwave_mpi_create(&mpi, context, MPI_COMM_WORLD, grid_rows,
                                              grid_columns, SUBWAVE_MPI_TRANSPORT_HOST));
            test_matmul(false);
            test_matmul(true);
            test_transpose();
            CHECK_OK(NULL, subwave_mpi_destroy(&mpi));
            Cblacs_gridexit(blacs);
        }
    CHECK_OK(NULL, subwave_context_destroy(&context));
    return check_end("scalapack");
}
