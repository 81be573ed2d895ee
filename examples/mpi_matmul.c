/* SPDX-License-Identifier: MIT
 * mpi_matmul.c: a matrix product over the ranks of an MPI program, one device each.
 *
 *   mpicc mpi_matmul.c $(pkg-config --cflags --libs subwave-mpi) -o mpi_matmul
 *   mpiexec -n 4 ./mpi_matmul 4096
 *
 * Element (i, j) of A is i + 1, and of B it is 1 / (i + 1), so that element (i, j) of C is (i + 1)
 * times the sum of 1 / (l + 1) over l.
 */
#include <subwave/mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends all ranks with the text of what has failed. */
static void check(subwave_status status, const char *text)
{
    if (status == SUBWAVE_STATUS_SUCCESS)
        return;
    fprintf(stderr, "mpi_matmul: %s: %s\n", subwave_status_text(status), text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The row or column of the whole matrix that local number `i` of the coordinate `mine` is. */
static int64_t whole(int64_t i, int64_t block, int parts, int mine)
{
    return (i / block * parts + mine) * block + i % block;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int64_t n = argc > 1 ? atoll(argv[1]) : 300;
    int size, rank, grid_rows = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i * i <= size; ++i) /* as square a grid as there is */
        if (size % i == 0)
            grid_rows = i;
    const int grid_columns = size / grid_rows;

    /* The ranks of a host take its GPUs in turn; without GPUs they share the processors. */
    MPI_Comm host;
    int local, gpus = 0, devices;
    char device[16] = "cpu";
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &local);
    MPI_Comm_free(&host);
    check(subwave_device_count(&devices), subwave_last_error(NULL));
    for (int i = 0; i < devices; ++i) {
        subwave_device_properties properties;
        check(subwave_device_info(i, &properties), subwave_last_error(NULL));
        gpus += properties.id[0] == 'g' && properties.built_for;
    }
    if (gpus)
        snprintf(device, sizeof device, "gpu:%d", local % gpus);

    subwave_context *context;
    subwave_mpi *mpi;
    check(subwave_context_create(&context, device), subwave_last_error(NULL));
    check(subwave_mpi_create(&mpi, context, MPI_COMM_WORLD, grid_rows, grid_columns,
                             SUBWAVE_MPI_TRANSPORT_AUTO),
          subwave_mpi_last_error(NULL));

    /* All three matrices are n x n in blocks of 64 x 64, as ScaLAPACK divides them. */
    const int64_t block = 64;
    subwave_mpi_layout layout = {
        .rows = n, .columns = n, .block_rows = block, .block_columns = block};
    int64_t rows, columns;
    check(subwave_mpi_local_size(mpi, &layout, &rows, &columns), subwave_mpi_last_error(mpi));
    layout.ld = rows > 1 ? rows : 1;
    const int64_t bytes = layout.ld * (columns + 1) * (int64_t)sizeof(double);
    double *a = malloc((size_t)bytes), *b = malloc((size_t)bytes), *c = malloc((size_t)bytes);
    if (!a || !b || !c)
        check(SUBWAVE_STATUS_OUT_OF_MEMORY, "the host's matrices");
    for (int64_t j = 0; j < columns; ++j)
        for (int64_t i = 0; i < rows; ++i) {
            a[i + j * layout.ld] = (double)(whole(i, block, grid_rows, rank / grid_columns) + 1);
            b[i + j * layout.ld] = 1 / a[i + j * layout.ld];
        }
    void *on_device[3];
    double *const on_host[3] = {a, b, c};
    for (int x = 0; x < 3; ++x) {
        check(subwave_malloc(context, &on_device[x], bytes), subwave_last_error(context));
        if (x < 2)
            check(subwave_copy(context, on_device[x], on_host[x], bytes),
                  subwave_last_error(context));
    }

    const double one = 1, zero = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    check(subwave_mpi_matmul(mpi, SUBWAVE_DTYPE_F64, SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE,
                             &one, &layout, on_device[0], &layout, on_device[1], &zero, &layout,
                             on_device[2]),
          subwave_mpi_last_error(mpi));
    check(subwave_mpi_synchronize(mpi), subwave_mpi_last_error(mpi));
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = MPI_Wtime() - begun;

    check(subwave_copy(context, c, on_device[2], bytes), subwave_last_error(context));
    double harmonic = 0, worst = 0;
    for (int64_t l = 0; l < n; ++l)
        harmonic += 1 / (double)(l + 1);
    for (int64_t j = 0; j < columns; ++j)
        for (int64_t i = 0; i < rows; ++i)
            worst = fmax(worst, fabs(c[i + j * layout.ld] / (a[i + j * layout.ld] * harmonic) - 1));
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    subwave_mpi_transport transport = SUBWAVE_MPI_TRANSPORT_AUTO;
    check(subwave_mpi_transport_used(mpi, &transport), subwave_mpi_last_error(NULL));
    if (rank == 0)
        printf("n = %lld on %d x %d ranks by %s: %.3g s, %.3g GFLOP/s, relative error %.2g\n",
               (long long)n, grid_rows, grid_columns, subwave_mpi_transport_name(transport),
               seconds, 2e-9 * (double)n * (double)n * (double)n / seconds, worst);

    for (int x = 0; x < 3; ++x) {
        check(subwave_free(context, on_device[x]), subwave_last_error(context));
        free(on_host[x]);
    }
    check(subwave_mpi_destroy(&mpi), subwave_mpi_last_error(NULL));
    check(subwave_context_destroy(&context), subwave_last_error(NULL));
    MPI_Finalize();
    return !(worst < 1e-12);
}
