/* SPDX-License-Identifier: MIT
 * transport.c: how device memory gets from rank to rank. After an error of this rank messages go
 * on, so that no other rank waits for them; what they carry no longer counts.
 */
#include "grid.h"

#include <limits.h>

int64_t subwave_mpi_units(int64_t bytes)
{
    return bytes / SUBWAVE_MPI_UNIT + (bytes % SUBWAVE_MPI_UNIT != 0);
}

void subwave_mpi_reserve(subwave_mpi *mpi, subwave_mpi_buffer *buffer, int64_t bytes,
                         subwave_mpi_use use)
{
    if (mpi->status)
        return;
    if (bytes > (int64_t)INT_MAX * SUBWAVE_MPI_UNIT) {
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_SIZE,
                         "%s: a message of %lld bytes is too large", mpi->function,
                         (long long)bytes);
        return;
    }
    bytes = subwave_mpi_units(bytes) * SUBWAVE_MPI_UNIT;
    void *fresh = NULL;
    if (bytes > buffer->device_bytes) {
        subwave_mpi_try(mpi, mpi->context, subwave_free(mpi->context, buffer->device));
        buffer->device = NULL, buffer->device_bytes = 0;
        if (!subwave_mpi_try(mpi, mpi->context, subwave_malloc(mpi->context, &fresh, bytes)))
            buffer->device = fresh, buffer->device_bytes = bytes;
    }
    const bool host =
        use == ON_BOTH || (use == FOR_MESSAGES && mpi->transport == SUBWAVE_MPI_TRANSPORT_HOST);
    if (host && bytes > buffer->host_bytes) {
        subwave_mpi_try(mpi, mpi->context, subwave_free_host(mpi->context, buffer->host));
        buffer->host = NULL, buffer->host_bytes = 0;
        if (!subwave_mpi_try(mpi, mpi->context, subwave_malloc_host(mpi->context, &fresh, bytes)))
            buffer->host = fresh, buffer->host_bytes = bytes;
    }
}

static void copy(subwave_mpi *mpi, void *to, const void *from, int64_t bytes)
{
    if (!mpi->status && bytes)
        subwave_mpi_try(mpi, mpi->transfer, subwave_copy_async(mpi->transfer, to, from, bytes));
}

/* MPI reads and writes memory at once, whatever streams still have to do. */
static void synchronize(subwave_mpi *mpi)
{
    if (!mpi->status)
        subwave_mpi_try(mpi, mpi->transfer, subwave_synchronize(mpi->transfer));
}

void subwave_mpi_order(subwave_mpi *mpi, subwave_context *from, subwave_event *event,
                       subwave_context *to)
{
    if (!mpi->status && !subwave_mpi_try(mpi, from, subwave_event_record(from, event)))
        subwave_mpi_try(mpi, to, subwave_event_wait(to, event));
}

void subwave_mpi_broadcast(subwave_mpi *mpi, int slot, subwave_mpi_ranks ranks, int root,
                           subwave_mpi_buffer *buffer, int64_t bytes)
{
    if (mpi->lost || mpi->size[ranks] == 1 || bytes == 0)
        return;
    if (mpi->transport == SUBWAVE_MPI_TRANSPORT_CCL) {
        subwave_mpi_ccl_broadcast(mpi, ranks, root, buffer->device, bytes);
        return;
    }
    const bool by_host = mpi->transport == SUBWAVE_MPI_TRANSPORT_HOST,
               sends = mpi->rank[ranks] == root;
    if (by_host && sends)
        copy(mpi, buffer->host, buffer->device, bytes);
    synchronize(mpi);
    MPI_Request request;
    const int result =
        MPI_Ibcast(by_host ? buffer->host : buffer->device, (int)subwave_mpi_units(bytes),
                   mpi->unit, root, mpi->comm[ranks], &request);
    if (result != MPI_SUCCESS) {
        subwave_mpi_await(mpi, result, &request, "a broadcast");
        return;
    }
    const int i = mpi->pending_count[slot]++;
    mpi->pending[slot][i].request = request;
    mpi->pending[slot][i].received = by_host && !sends ? buffer : NULL;
    mpi->pending[slot][i].bytes = bytes;
}

void subwave_mpi_finish(subwave_mpi *mpi, int slot)
{
    for (int i = 0; i < mpi->pending_count[slot] && !mpi->lost; ++i) {
        subwave_mpi_await(mpi, MPI_SUCCESS, &mpi->pending[slot][i].request, "a broadcast");
        subwave_mpi_buffer *buffer = mpi->pending[slot][i].received;
        if (buffer && !mpi->lost)
            copy(mpi, buffer->device, buffer->host, mpi->pending[slot][i].bytes);
    }
    mpi->pending_count[slot] = 0;
}

void subwave_mpi_exchange(subwave_mpi *mpi)
{
    const int size = mpi->size[ALL_RANKS], rank = mpi->rank[ALL_RANKS];
    int *counts = mpi->counts;
    if (mpi->lost)
        return;
    /* What stays here. */
    copy(mpi, mpi->received.device + (int64_t)counts[3 * size + rank] * SUBWAVE_MPI_UNIT,
         mpi->sent.device + (int64_t)counts[size + rank] * SUBWAVE_MPI_UNIT,
         (int64_t)counts[rank] * SUBWAVE_MPI_UNIT);
    if (size == 1)
        return;
    counts[rank] = counts[2 * size + rank] = 0;
    if (mpi->transport == SUBWAVE_MPI_TRANSPORT_CCL) {
        subwave_mpi_ccl_exchange(mpi);
        return;
    }
    const bool by_host = mpi->transport == SUBWAVE_MPI_TRANSPORT_HOST;
    const int sent = counts[2 * size - 1] + counts[size - 1];
    if (by_host)
        copy(mpi, mpi->sent.host, mpi->sent.device, (int64_t)sent * SUBWAVE_MPI_UNIT);
    synchronize(mpi);
    MPI_Request request;
    const int result = MPI_Ialltoallv(
        by_host ? mpi->sent.host : mpi->sent.device, counts, counts + size, mpi->unit,
        by_host ? mpi->received.host : mpi->received.device, counts + 2 * size, counts + 3 * size,
        mpi->unit, mpi->comm[ALL_RANKS], &request);
    subwave_mpi_await(mpi, result, &request, "an exchange");
    if (by_host && !mpi->lost)
        for (int r = 0; r < size; ++r) {
            const int64_t at = (int64_t)counts[3 * size + r] * SUBWAVE_MPI_UNIT;
            copy(mpi, mpi->received.device + at, mpi->received.host + at,
                 (int64_t)counts[2 * size + r] * SUBWAVE_MPI_UNIT);
        }
}

void subwave_mpi_sum(subwave_mpi *mpi, int64_t n)
{
    subwave_mpi_buffer *values = &mpi->values;
    const int64_t bytes = n * (int64_t)sizeof(int64_t);
    if (mpi->lost || mpi->size[ALL_RANKS] == 1)
        return;
    if (mpi->transport == SUBWAVE_MPI_TRANSPORT_CCL) {
        subwave_mpi_ccl_sum(mpi, (int64_t *)values->device, n);
        return;
    }
    const bool by_host = mpi->transport == SUBWAVE_MPI_TRANSPORT_HOST;
    if (by_host)
        copy(mpi, values->host, values->device, bytes);
    synchronize(mpi);
    MPI_Request request;
    const int result = MPI_Iallreduce(MPI_IN_PLACE, by_host ? values->host : values->device, (int)n,
                                      MPI_INT64_T, MPI_SUM, mpi->comm[ALL_RANKS], &request);
    subwave_mpi_await(mpi, result, &request, "a sum");
    if (by_host && !mpi->lost)
        copy(mpi, values->device, values->host, bytes);
}

void subwave_mpi_gather(subwave_mpi *mpi, int64_t bytes)
{
    subwave_mpi_buffer *values = &mpi->values;
    const int64_t size = mpi->size[ALL_RANKS], at = mpi->rank[ALL_RANKS] * bytes;
    if (mpi->lost || size == 1)
        return;
    if (mpi->transport == SUBWAVE_MPI_TRANSPORT_CCL) {
        subwave_mpi_ccl_gather(mpi, values->device, bytes);
        return;
    }
    const bool by_host = mpi->transport == SUBWAVE_MPI_TRANSPORT_HOST;
    if (!mpi->status)
        subwave_mpi_try(
            mpi, mpi->context,
            by_host ? subwave_copy(mpi->context, values->host + at, values->device + at, bytes)
                    : subwave_synchronize(mpi->context));
    MPI_Request request;
    const int result =
        MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, by_host ? values->host : values->device,
                       (int)bytes, MPI_BYTE, mpi->comm[ALL_RANKS], &request);
    subwave_mpi_await(mpi, result, &request, "the parts' results");
    if (by_host && !mpi->status)
        subwave_mpi_try(
            mpi, mpi->context,
            subwave_copy_async(mpi->context, values->device, values->host, size * bytes));
}
