/* SPDX-License-Identifier: MIT
 * test_lost.c: a rank that is lost in the middle of a call: the others return within the time limit,
 * by the transport that is named. With RCCL or NCCL their GPUs then have work that never ends.
 * MPI_Iallreduce below comes in front of MPI's own, which is what its names PMPI_ are for.
 */
#include "check.h"

#include <time.h>

enum { LIMIT = 1, N = 64, BINS = 5 }; /* seconds */

static bool leaves; /* this rank, after the exchange with which the call begins */

/* A lost rank comes back when the others have given up, so that the program ends. */
__attribute__((visibility("default"))) int MPI_Iallreduce(const void *from, void *to, int count,
                                                          MPI_Datatype type, MPI_Op op,
                                                          MPI_Comm comm, MPI_Request *request)
{
    const int result = PMPI_Iallreduce(from, to, count, type, op, comm, request);
    if (leaves) {
        leaves = false;
        PMPI_Wait(request, MPI_STATUS_IGNORE);
        nanosleep(&(struct timespec){.tv_sec = 3 * LIMIT}, NULL);
    }
    return result;
}

static subwave_context *context;
static double *x, *y;   /* on the device: N x N of 1, and room for as many */
static int64_t *counts; /* likewise */
static double sum;      /* on the host */

typedef struct lost_call {
    const char *name;
    subwave_status (*run)(subwave_mpi *mpi);
} lost_call;

static subwave_status run_matmul(subwave_mpi *mpi)
{
    const subwave_mpi_layout layout = {
        .rows = N, .columns = N, .block_rows = 5, .block_columns = 5, .ld = N};
    const double one = 1, zero = 0;
    return subwave_mpi_matmul(mpi, SUBWAVE_DTYPE_F64, SUBWAVE_TRANSPOSE_NONE,
                              SUBWAVE_TRANSPOSE_NONE, &one, &layout, x, &layout, x, &zero, &layout,
                              y);
}
static subwave_status run_reduce(subwave_mpi *mpi)
{
    return subwave_mpi_reduce(mpi, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_ORDER_DEVICE, N * N,
                              NULL, x, SUBWAVE_PLACE_HOST, &sum);
}
static subwave_status run_scan(subwave_mpi *mpi)
{
    return subwave_mpi_scan(mpi, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE,
                            SUBWAVE_ORDER_DEVICE, N * N, NULL, x, y);
}
static subwave_status run_histogram(subwave_mpi *mpi)
{
    return subwave_mpi_histogram(mpi, SUBWAVE_DTYPE_F64, BINS, 0, 2, N * N, x, counts);
}

static const lost_call calls[] = {{"matmul", run_matmul},
                                  {"reduce", run_reduce},
                                  {"scan", run_scan},
                                  {"histogram", run_histogram}};

static void test(const lost_call *call, subwave_mpi_transport transport)
{
    subwave_mpi *mpi;
    const bool is_lost = check_rank == check_size - 1;
    CHECK_OK(NULL, subwave_mpi_create(&mpi, context, MPI_COMM_WORLD, 1, check_size, transport));
    CHECK_OK(mpi, call->run(mpi));
    CHECK_OK(mpi, subwave_mpi_synchronize(mpi));
    leaves = is_lost;
    sum = -7;
    const double begun = MPI_Wtime();
    const subwave_status status = call->run(mpi);
    const double seconds = MPI_Wtime() - begun;
    /* The lost rank comes too late to be told. */
    CHECK(is_lost || status == SUBWAVE_STATUS_COMMUNICATION_ERROR, "%s: %s: %s", call->name,
          subwave_status_name(status), subwave_mpi_last_error(mpi));
    CHECK(is_lost || (strstr(subwave_mpi_last_error(mpi), call->name) &&
                      strstr(subwave_mpi_last_error(mpi), "SUBWAVE_MPI_TIMEOUT")),
          "%s: \"%s\"", call->name, subwave_mpi_last_error(mpi));
    CHECK(is_lost || (seconds >= LIMIT && seconds < 2.5 * LIMIT),
          "%s waited for a lost rank for %g s", call->name, seconds);
    CHECK(is_lost || sum == -7, "%s has a result", call->name);
    /* NCCL takes some seconds to give up its communicators. */
    const double most = transport == SUBWAVE_MPI_TRANSPORT_CCL ? 10 : LIMIT;
    const double ended = MPI_Wtime();
    CHECK(subwave_mpi_destroy(&mpi) == SUBWAVE_STATUS_COMMUNICATION_ERROR, "%s: the grid's end",
          call->name);
    CHECK(MPI_Wtime() - ended < most, "%s: the grid's end took %g s", call->name,
          MPI_Wtime() - ended);
    if (check_rank == 0)
        printf("%s by %s: %.1f s: %s\n", call->name, subwave_mpi_transport_name(transport), seconds,
               subwave_mpi_last_error(NULL));
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    char text[12];
    snprintf(text, sizeof text, "%d", LIMIT);
    setenv("SUBWAVE_MPI_TIMEOUT", text, 1);
    subwave_mpi_transport transport = SUBWAVE_MPI_TRANSPORT_HOST;
    if (argc > 1 && strcmp(argv[1], "ccl") == 0)
        transport = SUBWAVE_MPI_TRANSPORT_CCL;
    CHECK(subwave_context_create(&context, NULL) == SUBWAVE_STATUS_SUCCESS, "no device");
    const int64_t bytes = N * N * (int64_t)sizeof(double);
    const double one = 1;
    CHECK(subwave_malloc(context, (void **)&x, bytes) == SUBWAVE_STATUS_SUCCESS &&
              subwave_malloc(context, (void **)&y, bytes) == SUBWAVE_STATUS_SUCCESS &&
              subwave_malloc(context, (void **)&counts, bytes) == SUBWAVE_STATUS_SUCCESS &&
              subwave_fill(context, SUBWAVE_DTYPE_F64, &one, N * N, x) == SUBWAVE_STATUS_SUCCESS,
          "%s", subwave_last_error(context));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
        test(&calls[i], transport);
    CHECK(subwave_free(context, x) == SUBWAVE_STATUS_SUCCESS &&
              subwave_free(context, y) == SUBWAVE_STATUS_SUCCESS &&
              subwave_free(context, counts) == SUBWAVE_STATUS_SUCCESS &&
              subwave_context_destroy(&context) == SUBWAVE_STATUS_SUCCESS,
          "%s", subwave_last_error(context));
    return check_end("lost");
}
