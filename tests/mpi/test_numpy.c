/* SPDX-License-Identifier: MIT
 * test_numpy.c: C = op(A) op(B) of matrices in files, on a grid of all ranks, for test_numpy.py.
 *
 *   test_mpi_numpy DTYPE M N K TRANSPOSE_A TRANSPOSE_B A B C
 *
 * Files have the elements of matrices column by column; the transpositions are n, t or c.
 */
#include "check.h"

/* A whole matrix, and this rank's part of it on the device. */
typedef struct matrix {
    subwave_mpi_layout layout;
    int64_t bytes; /* of all */
    char *whole;
    void *part;
} matrix;

static subwave_context *context;
static subwave_mpi *mpi;
static int64_t element, grid_rows, grid_columns;

static subwave_transpose_kind kind_of(const char *text)
{
    return *text == 'n'   ? SUBWAVE_TRANSPOSE_NONE
           : *text == 't' ? SUBWAVE_TRANSPOSE_YES
                          : SUBWAVE_TRANSPOSE_CONJUGATE;
}

static matrix create(int64_t rows, int64_t columns, int64_t block_rows, int64_t block_columns)
{
    matrix x = {.layout = {.rows = rows,
                           .columns = columns,
                           .block_rows = block_rows,
                           .block_columns = block_columns},
                .bytes = rows * columns * element};
    int64_t own_rows = 0, own_columns = 0;
    CHECK_OK(mpi, subwave_mpi_local_size(mpi, &x.layout, &own_rows, &own_columns));
    x.layout.ld = own_rows > 0 ? own_rows : 1;
    x.whole = calloc(1, (size_t)x.bytes);
    CHECK(subwave_malloc(context, &x.part, x.layout.ld * (own_columns + 1) * element) ==
              SUBWAVE_STATUS_SUCCESS,
          "%s", subwave_last_error(context));
    return x;
}

/* Copies this rank's elements to the device, or from there to where they are in the whole. */
static void copy(const matrix *x, bool to_device)
{
    const int64_t row = check_rank / grid_columns, column = check_rank % grid_columns;
    for (int64_t j = 0; j < x->layout.columns; ++j)
        for (int64_t i = 0; i < x->layout.rows; ++i) {
            if (check_owner(i, x->layout.block_rows, 0, grid_rows) != row ||
                check_owner(j, x->layout.block_columns, 0, grid_columns) != column)
                continue;
            char *const here =
                (char *)x->part +
                (check_place(i, x->layout.block_rows, grid_rows) +
                 check_place(j, x->layout.block_columns, grid_columns) * x->layout.ld) *
                    element;
            char *const there = x->whole + (i + j * x->layout.rows) * element;
            CHECK(subwave_copy(context, to_device ? here : there, to_device ? there : here,
                               element) == SUBWAVE_STATUS_SUCCESS,
                  "%s", subwave_last_error(context));
        }
}

static void transfer(const matrix *x, const char *path, bool reads)
{
    FILE *const file = fopen(path, reads ? "rb" : "wb");
    const size_t bytes = (size_t)x->bytes;
    CHECK(file &&
              (reads ? fread(x->whole, 1, bytes, file) : fwrite(x->whole, 1, bytes, file)) == bytes,
          "%s", path);
    if (file)
        fclose(file);
}

static void destroy(matrix *x)
{
    CHECK(subwave_free(context, x->part) == SUBWAVE_STATUS_SUCCESS, "%s",
          subwave_last_error(context));
    free(x->whole);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    if (argc != 10)
        return 2;
    static const char *const names[] = {"f32", "f64", "c32", "c64"};
    static const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64, SUBWAVE_DTYPE_C32,
                                           SUBWAVE_DTYPE_C64};
    int d = 0;
    while (d < 3 && strcmp(argv[1], names[d]) != 0)
        ++d;
    const int64_t m = atoll(argv[2]), n = atoll(argv[3]), k = atoll(argv[4]);
    const subwave_transpose_kind of_a = kind_of(argv[5]), of_b = kind_of(argv[6]);
    const bool a_flipped = of_a != SUBWAVE_TRANSPOSE_NONE,
               b_flipped = of_b != SUBWAVE_TRANSPOSE_NONE;
    element = (int64_t)subwave_dtype_size(dtypes[d]);
    grid_rows = check_size % 2 == 0 ? 2 : 1;
    grid_columns = check_size / grid_rows;
    CHECK(subwave_context_create(&context, NULL) == SUBWAVE_STATUS_SUCCESS, "no device");
    CHECK_OK(NULL, subwave_mpi_create(&mpi, context, MPI_COMM_WORLD, (int32_t)grid_rows,
                                      (int32_t)grid_columns, SUBWAVE_MPI_TRANSPORT_AUTO));
    matrix a = create(a_flipped ? k : m, a_flipped ? m : k, 7, 5),
           b = create(b_flipped ? n : k, b_flipped ? k : n, 5, 6), c = create(m, n, 7, 6);
    transfer(&a, argv[7], true);
    transfer(&b, argv[8], true);
    copy(&a, true);
    copy(&b, true);
    const double one[2] = {1}, zero[2] = {0};
    const float one_f32[2] = {1}, zero_f32[2] = {0};
    const bool wide = d % 2;
    CHECK_OK(mpi, subwave_mpi_matmul(mpi, dtypes[d], of_a, of_b, wide ? one : (void *)one_f32,
                                     &a.layout, a.part, &b.layout, b.part,
                                     wide ? zero : (void *)zero_f32, &c.layout, c.part));
    CHECK_OK(mpi, subwave_mpi_synchronize(mpi));
    copy(&c, false);
    /* Each element is on one rank; the others have zeros there. */
    MPI_Allreduce(MPI_IN_PLACE, c.whole, (int)c.bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    if (check_rank == 0)
        transfer(&c, argv[9], false);
    destroy(&a);
    destroy(&b);
    destroy(&c);
    CHECK_OK(NULL, subwave_mpi_destroy(&mpi));
    CHECK(subwave_context_destroy(&context) == SUBWAVE_STATUS_SUCCESS, "the context");
    return check_end("numpy");
}
