/* SPDX-License-Identifier: MIT
 * array.c: reduce, scan and histogram of an array whose parts the ranks have. Of a reduction and a
 * scan, each rank's part becomes one value on its device; the values, a few bytes, go from host to
 * host.
 */
#include "grid.h"

#include <string.h>

static void check_array(subwave_mpi *mpi, const char *name, int64_t n, const void *x,
                        subwave_dtype dtype)
{
    const size_t element = subwave_dtype_size(dtype);
    if (n < 0)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_SIZE, "n is %lld, which is negative",
                         (long long)n);
    else if (n && element && (!x || (uintptr_t)x % (element > 8 ? 8 : element)))
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_POINTER, "%s is %s", name,
                         x ? "not aligned to its elements" : "null");
}

/* Notes the arguments that reduction and scan share, and what subwave_reduce says of them. */
static void check(subwave_mpi *mpi, subwave_dtype dtype, subwave_op op, subwave_order order,
                  int64_t n, const void *init, const void *x)
{
    uint64_t nothing;
    subwave_mpi_same(mpi, "dtype", dtype);
    subwave_mpi_same(mpi, "op", op);
    subwave_mpi_same(mpi, "order", order);
    subwave_mpi_same(mpi, "init", init != NULL);
    subwave_mpi_same_bytes(mpi, "init", init, subwave_dtype_size(dtype));
    subwave_mpi_try(mpi, mpi->context,
                    subwave_reduce(mpi->context, dtype, op, order, 0, NULL, NULL,
                                   SUBWAVE_PLACE_HOST, &nothing));
    check_array(mpi, "x", n, x, dtype);
    /* Room for this rank's value, and for those of all ranks with a mark each. */
    subwave_mpi_reserve(mpi, &mpi->values, (int64_t)sizeof(uint64_t[2]) * mpi->size[ALL_RANKS],
                        ON_BOTH);
}

/* The ranks' values, of those before rank `before` that have any elements, in device memory;
 * returns how many. */
static int64_t gather(subwave_mpi *mpi, subwave_dtype dtype, int64_t n, uint64_t mine, int before)
{
    const size_t element = subwave_dtype_size(dtype);
    uint64_t(*const all)[2] = (uint64_t(*)[2])mpi->values.host;
    MPI_Request request;
    mpi->own[0] = n > 0;
    mpi->own[1] = mine;
    if (mpi->size[ALL_RANKS] == 1)
        memcpy(all, mpi->own, sizeof mpi->own);
    else
        subwave_mpi_await(mpi,
                          MPI_Iallgather(mpi->own, sizeof mpi->own, MPI_BYTE, all, sizeof mpi->own,
                                         MPI_BYTE, mpi->comm[ALL_RANKS], &request),
                          &request, "the parts' results");
    int64_t count = 0;
    for (int r = 0; r < before && !mpi->lost; ++r)
        if (all[r][0])
            memmove(mpi->values.host + (size_t)count++ * element, &all[r][1], element);
    if (!mpi->status && count)
        subwave_mpi_try(mpi, mpi->context,
                        subwave_copy(mpi->context, mpi->values.device, mpi->values.host,
                                     count * (int64_t)element));
    return count;
}

/* The value of this rank's part. */
static uint64_t reduce_part(subwave_mpi *mpi, subwave_dtype dtype, subwave_op op,
                            subwave_order order, int64_t n, const void *x)
{
    uint64_t value = 0;
    if (!mpi->status && n)
        subwave_mpi_try(
            mpi, mpi->context,
            subwave_reduce(mpi->context, dtype, op, order, n, NULL, x, SUBWAVE_PLACE_HOST, &value));
    return value;
}

subwave_status subwave_mpi_reduce(subwave_mpi *mpi, subwave_dtype dtype, subwave_op op,
                                  subwave_order order, int64_t n, const void *init, const void *x,
                                  subwave_place place, void *result)
{
    subwave_status status;
    if (!subwave_mpi_begin(mpi, "subwave_mpi_reduce", &status))
        return status;
    check(mpi, dtype, op, order, n, init, x);
    if (place != SUBWAVE_PLACE_DEVICE && place != SUBWAVE_PLACE_HOST)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_VALUE,
                         "place is %d, which is no subwave_place", (int)place);
    check_array(mpi, "result", 1, result, dtype);
    if (subwave_mpi_agree(mpi))
        return mpi->status;
    const uint64_t mine = reduce_part(mpi, dtype, op, order, n, x);
    const int64_t count = gather(mpi, dtype, n, mine, mpi->size[ALL_RANKS]);
    if (!mpi->status)
        subwave_mpi_try(mpi, mpi->context,
                        subwave_reduce(mpi->context, dtype, op, SUBWAVE_ORDER_FIXED, count, init,
                                       mpi->values.device, place, result));
    return subwave_mpi_agree(mpi);
}

subwave_status subwave_mpi_scan(subwave_mpi *mpi, subwave_dtype dtype, subwave_op op,
                                subwave_scan_kind scan, subwave_order order, int64_t n,
                                const void *init, const void *x, void *y)
{
    subwave_status status;
    if (!subwave_mpi_begin(mpi, "subwave_mpi_scan", &status))
        return status;
    check(mpi, dtype, op, order, n, init, x);
    subwave_mpi_same(mpi, "scan", scan);
    subwave_mpi_try(mpi, mpi->context,
                    subwave_scan(mpi->context, dtype, op, scan, order, 0, NULL, NULL, NULL));
    check_array(mpi, "y", n, y, dtype);
    if (subwave_mpi_agree(mpi))
        return mpi->status;
    /* Nobody comes behind the last part, so that its value is not wanted. */
    const int rank = mpi->rank[ALL_RANKS];
    const bool is_last = rank == mpi->size[ALL_RANKS] - 1;
    const uint64_t mine = is_last ? 0 : reduce_part(mpi, dtype, op, order, n, x);
    const int64_t count = gather(mpi, dtype, n, mine, rank);
    uint64_t before;
    if (!mpi->status && count)
        subwave_mpi_try(mpi, mpi->context,
                        subwave_reduce(mpi->context, dtype, op, SUBWAVE_ORDER_FIXED, count, init,
                                       mpi->values.device, SUBWAVE_PLACE_HOST, &before));
    if (!mpi->status)
        subwave_mpi_try(
            mpi, mpi->context,
            subwave_scan(mpi->context, dtype, op, scan, order, n, count ? &before : init, x, y));
    return subwave_mpi_agree(mpi);
}

subwave_status subwave_mpi_histogram(subwave_mpi *mpi, subwave_dtype dtype, int64_t bins,
                                     double lower, double upper, int64_t n, const void *x,
                                     int64_t *counts)
{
    subwave_status status;
    if (!subwave_mpi_begin(mpi, "subwave_mpi_histogram", &status))
        return status;
    subwave_mpi_same(mpi, "dtype", dtype);
    subwave_mpi_same(mpi, "bins", bins);
    subwave_mpi_same_bytes(mpi, "lower", &lower, sizeof lower);
    subwave_mpi_same_bytes(mpi, "upper", &upper, sizeof upper);
    if (bins > 0 && bins < INT32_MAX)
        subwave_mpi_reserve(mpi, &mpi->values, bins * (int64_t)sizeof(int64_t), FOR_MESSAGES);
    /* This rank's, in memory of the grid: *counts is written when all ranks are well. */
    if (!mpi->status)
        subwave_mpi_try(mpi, mpi->context,
                        subwave_histogram(mpi->context, dtype, bins, lower, upper, n, x,
                                          (int64_t *)mpi->values.device));
    check_array(mpi, "counts", 1, counts, SUBWAVE_DTYPE_I64);
    if (subwave_mpi_agree(mpi))
        return mpi->status;
    subwave_mpi_order(mpi, mpi->context, mpi->begun, mpi->transfer);
    subwave_mpi_sum(mpi, bins);
    subwave_mpi_order(mpi, mpi->transfer, mpi->ready[0], mpi->context);
    if (!mpi->status)
        subwave_mpi_try(mpi, mpi->context,
                        subwave_copy_async(mpi->context, counts, mpi->values.device,
                                           bins * (int64_t)sizeof(int64_t)));
    return subwave_mpi_agree(mpi);
}
