/* SPDX-License-Identifier: MIT
 * array.c: reduce, scan and histogram of an array whose parts the ranks have. Of a reduction and a
 * scan, each rank's part becomes one value on its device; all ranks receive the values, a few bytes.
 */
#include "grid.h"

#include <string.h>

/* `values` holds those of all ranks, those again without the empty parts', and the result. */
enum { VALUES = 3 };
static int64_t of_all(const subwave_mpi *mpi)
{
    return (int64_t)sizeof(uint64_t) * mpi->size[ALL_RANKS];
}

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

/* Notes the arguments that reduction and scan share. */
static void check(subwave_mpi *mpi, subwave_dtype dtype, subwave_op op, subwave_order order,
                  int64_t n, const void *init, const void *x)
{
    subwave_mpi_same(mpi, "dtype", dtype);
    subwave_mpi_same(mpi, "op", op);
    subwave_mpi_same(mpi, "order", order);
    subwave_mpi_same(mpi, "init", init != NULL);
    subwave_mpi_same_bytes(mpi, "init", init, subwave_dtype_size(dtype));
    check_array(mpi, "x", n, x, dtype);
    mpi->is_empty = n == 0;
    subwave_mpi_reserve(mpi, &mpi->values, VALUES * of_all(mpi), ON_BOTH);
}

/* Begins to reduce this rank's part to its value, before the ranks agree: the device works while
 * they do. Notes what subwave_reduce says of the arguments. */
static void reduce_part(subwave_mpi *mpi, subwave_dtype dtype, subwave_op op, subwave_order order,
                        int64_t n, const void *x)
{
    if (mpi->status)
        return;
    char *const value =
        mpi->values.device + (size_t)mpi->rank[ALL_RANKS] * subwave_dtype_size(dtype);
    subwave_mpi_try(
        mpi, mpi->context,
        subwave_reduce(mpi->context, dtype, op, order, n, NULL, x, SUBWAVE_PLACE_DEVICE, value));
}

/* The values of those ranks before rank `before` whose parts are not empty: where they lie on the
 * device, and how many. */
static const char *gather(subwave_mpi *mpi, subwave_dtype dtype, int before, int64_t *count)
{
    const int64_t element = (int64_t)subwave_dtype_size(dtype);
    char *const all = mpi->values.device, *const packed = all + of_all(mpi);
    int *const has_elements = mpi->counts;
    subwave_mpi_gather(mpi, element);
    *count = before;
    if (!mpi->any_is_empty)
        return all;
    has_elements[mpi->rank[ALL_RANKS]] = !mpi->is_empty;
    if (mpi->size[ALL_RANKS] > 1 && !mpi->lost) {
        MPI_Request request;
        subwave_mpi_await(mpi,
                          MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, has_elements, 1,
                                         MPI_INT, mpi->comm[ALL_RANKS], &request),
                          &request, "which parts are empty");
    }
    *count = 0;
    for (int first = 0, end; first < before && !mpi->status; first = end + 1) {
        for (end = first; end < before && has_elements[end];)
            ++end;
        if (end > first)
            subwave_mpi_try(mpi, mpi->context,
                            subwave_copy_async(mpi->context, packed + *count * element,
                                               all + first * element, (end - first) * element));
        *count += end - first;
    }
    return packed;
}

/* Combines values on the device to one on the host, for which work is waited up to the limit: it
 * may have to do with a lost rank. The device writes the host's pinned memory itself. */
static void combine(subwave_mpi *mpi, subwave_dtype dtype, subwave_op op, int64_t count,
                    const void *init, const char *values, void *result)
{
    char *const combined = mpi->values.host + (VALUES - 1) * of_all(mpi);
    if (!mpi->status)
        subwave_mpi_try(mpi, mpi->context,
                        subwave_reduce(mpi->context, dtype, op, SUBWAVE_ORDER_FIXED, count, init,
                                       values, SUBWAVE_PLACE_DEVICE, combined));
    if (!mpi->status)
        subwave_mpi_wait(mpi);
    if (!mpi->status)
        memcpy(result, combined, subwave_dtype_size(dtype));
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
    reduce_part(mpi, dtype, op, order, n, x);
    if (subwave_mpi_agree(mpi))
        return mpi->status;
    int64_t count;
    const char *const values = gather(mpi, dtype, mpi->size[ALL_RANKS], &count);
    if (place == SUBWAVE_PLACE_HOST)
        combine(mpi, dtype, op, count, init, values, result);
    else if (!mpi->status)
        subwave_mpi_try(mpi, mpi->context,
                        subwave_reduce(mpi->context, dtype, op, SUBWAVE_ORDER_FIXED, count, init,
                                       values, place, result));
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
    /* Nobody comes behind the last part, so that its value is not wanted. */
    const int rank = mpi->rank[ALL_RANKS];
    if (rank < mpi->size[ALL_RANKS] - 1)
        reduce_part(mpi, dtype, op, order, n, x);
    if (subwave_mpi_agree(mpi))
        return mpi->status;
    int64_t count;
    uint64_t before;
    const char *const values = gather(mpi, dtype, rank, &count);
    if (count)
        combine(mpi, dtype, op, count, init, values, &before);
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
