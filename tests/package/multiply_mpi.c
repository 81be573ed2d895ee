/* SPDX-License-Identifier: MIT
 * multiply_mpi.c: a user's program over an installed libsubwave_mpi, on the one rank that it has
 * when it is started without mpiexec.
 */
#include <subwave/mpi.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    const double x[4] = {1, 2, 3, 4}, one = 1, zero = 0;
    double y[4] = {0};
    const subwave_mpi_layout layout = {2, 2, 1, 1, 0, 0, 2};
    subwave_context *context = NULL;
    subwave_mpi *mpi = NULL;
    void *a = NULL, *c = NULL;
    MPI_Init(&argc, &argv);
    subwave_status status = subwave_context_create(&context, "cpu");
    if (!status)
        status = subwave_mpi_create(&mpi, context, MPI_COMM_SELF, 1, 1, SUBWAVE_MPI_TRANSPORT_AUTO);
    if (!status)
        status = subwave_malloc(context, &a, sizeof x);
    if (!status)
        status = subwave_malloc(context, &c, sizeof y);
    if (!status)
        status = subwave_copy(context, a, x, sizeof x);
    if (!status)
        status = subwave_mpi_matmul(mpi, SUBWAVE_DTYPE_F64, SUBWAVE_TRANSPOSE_NONE,
                                    SUBWAVE_TRANSPOSE_NONE, &one, &layout, a, &layout, a, &zero,
                                    &layout, c);
    if (!status)
        status = subwave_copy(context, y, c, sizeof y);
    printf("%s: %g %g %g %g\n", subwave_status_text(status), y[0], y[1], y[2], y[3]);
    subwave_free(context, a);
    subwave_free(context, c);
    subwave_mpi_destroy(&mpi);
    subwave_context_destroy(&context);
    MPI_Finalize();
    return !(status == SUBWAVE_STATUS_SUCCESS && y[0] == 7 && y[1] == 10 && y[2] == 15 &&
             y[3] == 22);
}
