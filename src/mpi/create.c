/* SPDX-License-Identifier: MIT
 * create.c: a grid's beginning and end.
 */
#include "grid.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *subwave_mpi_transport_name(subwave_mpi_transport transport)
{
    switch ((int)transport) {
#define SUBWAVE_X(name, value, spelling) \
    case value: \
        return spelling;
        SUBWAVE_MPI_TRANSPORT_LIST(SUBWAVE_X)
#undef SUBWAVE_X
    default:
        return "unknown";
    }
}

subwave_status subwave_mpi_transport_used(const subwave_mpi *mpi, subwave_mpi_transport *transport)
{
    if (!mpi || !transport)
        return subwave_mpi_fail(NULL, SUBWAVE_STATUS_INVALID_POINTER, "%s is null",
                                mpi ? "transport" : "mpi");
    *transport = mpi->transport;
    return SUBWAVE_STATUS_SUCCESS;
}

/* An environment variable's number, from `least` on. */
static int64_t read_number(subwave_mpi *mpi, const char *name, int64_t least, int64_t otherwise)
{
    const char *const text = getenv(name);
    if (!text || !*text)
        return otherwise;
    char *end;
    const long long number = strtoll(text, &end, 10);
    if (*end || number < least || number > 1000000000) {
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_VALUE,
                         "%s is \"%s\", no number from %" PRId64 " to 1000000000", name, text,
                         least);
        return otherwise;
    }
    return number;
}

static bool is_usable(MPI_Comm parent)
{
    int begun = 0, ended = 0;
    return MPI_Initialized(&begun) == MPI_SUCCESS && begun &&
           MPI_Finalized(&ended) == MPI_SUCCESS && !ended && parent != MPI_COMM_NULL;
}

/* The grid's own communicators. Of the rows' and columns' the ranks are sure to come: they have
 * agreed. */
static void divide(subwave_mpi *mpi, int grid_columns)
{
    const int rank = mpi->rank[ALL_RANKS], row = rank / grid_columns, column = rank % grid_columns;
    if (MPI_Comm_split(mpi->comm[ALL_RANKS], row, column, &mpi->comm[ALONG_ROW]) != MPI_SUCCESS ||
        MPI_Comm_split(mpi->comm[ALL_RANKS], column, row, &mpi->comm[ALONG_COLUMN]) !=
            MPI_SUCCESS ||
        MPI_Type_contiguous(SUBWAVE_MPI_UNIT, MPI_BYTE, &mpi->unit) != MPI_SUCCESS ||
        MPI_Type_commit(&mpi->unit) != MPI_SUCCESS)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_COMMUNICATION_ERROR, "MPI gives no communicators");
    for (int i = 0; i < ALL_RANKS && !mpi->status; ++i) {
        MPI_Comm_size(mpi->comm[i], &mpi->size[i]);
        MPI_Comm_rank(mpi->comm[i], &mpi->rank[i]);
    }
}

static void open_device(subwave_mpi *mpi)
{
    subwave_device_properties properties;
    if (subwave_mpi_try(mpi, mpi->context, subwave_context_info(mpi->context, &properties)))
        return;
    if (subwave_mpi_try(mpi, NULL, subwave_context_create(&mpi->transfer, properties.id)))
        return;
    if (subwave_mpi_try(mpi, mpi->transfer,
                        subwave_stream_create(mpi->transfer, &mpi->stream, SUBWAVE_PRIORITY_HIGH)))
        return;
    subwave_mpi_try(mpi, mpi->transfer, subwave_set_stream(mpi->transfer, mpi->stream));
    subwave_mpi_try(mpi, mpi->context, subwave_event_create(mpi->context, &mpi->begun));
    for (int i = 0; i < SUBWAVE_MPI_SLOTS; ++i) {
        subwave_mpi_try(mpi, mpi->context, subwave_event_create(mpi->context, &mpi->ready[i]));
        subwave_mpi_try(mpi, mpi->context, subwave_event_create(mpi->context, &mpi->used[i]));
    }
}

static void open_transport(subwave_mpi *mpi, subwave_mpi_transport transport)
{
    mpi->transport = transport;
    if (transport == SUBWAVE_MPI_TRANSPORT_CCL)
        subwave_mpi_ccl_open(mpi);
    if (transport != SUBWAVE_MPI_TRANSPORT_AUTO)
        return;
    mpi->transport =
        subwave_mpi_ccl_open(mpi) ? SUBWAVE_MPI_TRANSPORT_HOST : SUBWAVE_MPI_TRANSPORT_CCL;
    if (mpi->status == SUBWAVE_STATUS_UNSUPPORTED) { /* on all ranks, if on one */
        subwave_mpi_ccl_close(mpi);
        mpi->status = SUBWAVE_STATUS_SUCCESS;
        mpi->error[0] = 0;
    }
}

static void close_buffer(subwave_mpi *mpi, subwave_mpi_buffer *buffer)
{
    if (mpi->lost)
        return;
    subwave_mpi_try(mpi, mpi->context, subwave_free(mpi->context, buffer->device));
    subwave_mpi_try(mpi, mpi->context, subwave_free_host(mpi->context, buffer->host));
}

static void close_event(subwave_mpi *mpi, subwave_event *event)
{
    if (event)
        subwave_mpi_try(mpi, mpi->context, subwave_event_destroy(mpi->context, event));
}

/* Frees all but what messages could still be written to. */
static void close_grid(subwave_mpi *mpi)
{
    subwave_mpi_buffer *const buffers[] = {&mpi->moved_a, &mpi->moved_b, &mpi->sent, &mpi->received,
                                           &mpi->values};
    subwave_mpi_ccl_close(mpi);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        close_buffer(mpi, buffers[i]);
    for (int i = 0; i < SUBWAVE_MPI_SLOTS; ++i) {
        close_buffer(mpi, &mpi->panel_a[i]);
        close_buffer(mpi, &mpi->panel_b[i]);
        close_event(mpi, mpi->ready[i]);
        close_event(mpi, mpi->used[i]);
    }
    close_event(mpi, mpi->begun);
    if (mpi->transfer)
        subwave_mpi_try(mpi, mpi->transfer, subwave_stream_destroy(mpi->transfer, mpi->stream));
    subwave_mpi_try(mpi, NULL, subwave_context_destroy(&mpi->transfer));
    if (mpi->lost)
        return;
    for (int i = 0; i < RANK_SETS; ++i)
        if (mpi->comm[i] != MPI_COMM_NULL)
            MPI_Comm_free(&mpi->comm[i]);
    if (mpi->unit != MPI_DATATYPE_NULL)
        MPI_Type_free(&mpi->unit);
    free(mpi->counts);
    free(mpi);
}

/* What the ranks agree on before anything is made of it. */
static void check(subwave_mpi *mpi, bool has_result, subwave_context *context, int32_t grid_rows,
                  int32_t grid_columns, subwave_mpi_transport transport)
{
    const int size = mpi->size[ALL_RANKS];
    subwave_mpi_same_bytes(mpi, "mpi", "subwave_mpi_create", 18);
    subwave_mpi_same(mpi, "grid_rows", grid_rows);
    subwave_mpi_same(mpi, "grid_columns", grid_columns);
    subwave_mpi_same(mpi, "transport", transport);
    mpi->limit = (double)read_number(mpi, "SUBWAVE_MPI_TIMEOUT", 0, 600);
    mpi->panel_width = read_number(mpi, "SUBWAVE_MPI_PANEL", 1, 4096);
    subwave_mpi_same(mpi, "SUBWAVE_MPI_PANEL", mpi->panel_width);
    if (!has_result)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_POINTER, "mpi is null");
    else if (!context)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_CONTEXT, "context is null");
    else if (strcmp(subwave_mpi_transport_name(transport), "unknown") == 0)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_VALUE,
                         "transport is %d, which is no subwave_mpi_transport", (int)transport);
    else if (grid_rows < 1 || grid_columns < 1 || (int64_t)grid_rows * grid_columns != size)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_SIZE,
                         "grid_rows and grid_columns are %d and %d; the communicator has %d ranks",
                         grid_rows, grid_columns, size);
    else if (!(mpi->counts = calloc(4 * (size_t)size, sizeof *mpi->counts)))
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_OUT_OF_MEMORY, "no memory for the grid");
}

subwave_status subwave_mpi_create(subwave_mpi **result, subwave_context *context, MPI_Comm parent,
                                  int32_t grid_rows, int32_t grid_columns,
                                  subwave_mpi_transport transport)
{
    if (result)
        *result = NULL;
    if (!is_usable(parent))
        return subwave_mpi_fail(NULL, SUBWAVE_STATUS_INVALID_VALUE,
                                "parent is no communicator, or MPI is not initialised");
    subwave_mpi *mpi = calloc(1, sizeof *mpi);
    if (!mpi)
        return subwave_mpi_fail(NULL, SUBWAVE_STATUS_OUT_OF_MEMORY, "no memory for the grid");
    mpi->function = "subwave_mpi_create";
    mpi->context = context;
    mpi->unit = MPI_DATATYPE_NULL;
    for (int i = 0; i < RANK_SETS; ++i)
        mpi->comm[i] = MPI_COMM_NULL;
    MPI_Comm_size(parent, &mpi->size[ALL_RANKS]);
    MPI_Comm_rank(parent, &mpi->rank[ALL_RANKS]);
    check(mpi, result, context, grid_rows, grid_columns, transport);

    MPI_Request request;
    subwave_mpi_await(mpi, MPI_Comm_idup(parent, &mpi->comm[ALL_RANKS], &request), &request,
                      "the communicator's duplicate");
    if (!mpi->lost) {
        MPI_Comm_set_errhandler(mpi->comm[ALL_RANKS], MPI_ERRORS_RETURN);
        if (!subwave_mpi_agree(mpi)) {
            divide(mpi, grid_columns);
            open_device(mpi);
            if (!subwave_mpi_agree(mpi))
                open_transport(mpi, transport);
        }
    }
    const subwave_status status = mpi->status;
    if (status) {
        subwave_mpi_fail(NULL, status, "%s", mpi->error);
        close_grid(mpi);
    } else {
        *result = mpi;
    }
    return status;
}

subwave_status subwave_mpi_destroy(subwave_mpi **pointer)
{
    if (!pointer || !*pointer)
        return SUBWAVE_STATUS_SUCCESS;
    subwave_mpi *mpi = *pointer;
    subwave_status status;
    *pointer = NULL;
    if (subwave_mpi_begin(mpi, "subwave_mpi_destroy", &status)) {
        subwave_mpi_wait(mpi);
        status = subwave_mpi_agree(mpi);
    }
    if (status)
        subwave_mpi_fail(NULL, status, "%s", mpi->error);
    if (status == SUBWAVE_STATUS_INVALID_VALUE) /* the others are elsewhere */
        mpi->lost = true;
    close_grid(mpi);
    return status;
}

subwave_status subwave_mpi_synchronize(subwave_mpi *mpi)
{
    subwave_status status;
    if (!subwave_mpi_begin(mpi, "subwave_mpi_synchronize", &status))
        return status;
    subwave_mpi_wait(mpi);
    return mpi->status;
}
