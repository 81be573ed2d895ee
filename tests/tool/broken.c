/* SPDX-License-Identifier: MIT
 * broken.c: a subwave_matmul that is wrong as SUBWAVE_BROKEN says, and other compute calls that do
 * nothing, loaded before the library's own: `subwave bench` must notice. And a disk that says so
 * when it is asked, as fsync() does.
 */
#define _DEFAULT_SOURCE
#include <subwave/subwave.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((visibility("default"))) int fsync(int file)
{
    if (strcmp(getenv("SUBWAVE_BROKEN"), "disk") != 0)
        return fdatasync(file);
    errno = EIO;
    return -1;
}

subwave_status subwave_matmul(subwave_context *context, subwave_variant variant,
                              subwave_dtype dtype, subwave_layout layout,
                              subwave_transpose_kind transpose_a,
                              subwave_transpose_kind transpose_b, int64_t m, int64_t n, int64_t k,
                              const void *alpha, const void *a, int64_t lda, const void *b,
                              int64_t ldb, const void *beta, void *c, int64_t ldc)
{
    (void)context, (void)variant, (void)dtype, (void)layout, (void)transpose_a, (void)transpose_b;
    (void)alpha, (void)a, (void)lda, (void)b, (void)ldb, (void)beta, (void)k;
    if (strcmp(getenv("SUBWAVE_BROKEN"), "zero") == 0)
        memset(c, 0, (size_t)((m - 1) * ldc + n) * subwave_dtype_size(dtype));
    return strcmp(getenv("SUBWAVE_BROKEN"), "fail") == 0 ? SUBWAVE_STATUS_DEVICE_ERROR
                                                         : SUBWAVE_STATUS_SUCCESS;
}

/* Their arguments do not matter, so they have none. */
#define NOTHING(name) \
    subwave_status nothing_##name(void) __asm__("subwave_" #name) \
        __attribute__((visibility("default"))); \
    subwave_status nothing_##name(void) { return SUBWAVE_STATUS_SUCCESS; }

NOTHING(matmul_strided_batched)
NOTHING(matmul_batched)
NOTHING(matmul_stacked)
NOTHING(group_reduce)
NOTHING(group_scan)
NOTHING(group_broadcast)
NOTHING(group_shift)
NOTHING(group_permute)
NOTHING(group_select)
NOTHING(group_vote)
NOTHING(group_info)
NOTHING(reduce)
NOTHING(scan)
NOTHING(dot)
NOTHING(norm2)
NOTHING(minmax_index)
NOTHING(row_reduce)
NOTHING(row_scan)
NOTHING(row_minmax_index)
NOTHING(compact)
NOTHING(compact_if)
NOTHING(partition)
NOTHING(partition_if)
NOTHING(unique)
NOTHING(append)
NOTHING(append_if)
NOTHING(segmented_reduce)
NOTHING(segmented_scan)
NOTHING(scatter_add)
NOTHING(transpose)
NOTHING(transpose_strided_batched)
NOTHING(histogram)
NOTHING(histogram_by_boundaries)
NOTHING(histogram_weighted)
NOTHING(histogram_by_boundaries_weighted)
