/* SPDX-License-Identifier: MIT
 * types.h: the lists of <subwave/types.h> and hip/kernels.def as arrays: what is appended to them is
 * tested without another word. The values that were there before stand in api/test_context.c.
 */
#ifndef SUBWAVE_TESTS_TYPES_H
#define SUBWAVE_TESTS_TYPES_H

#include "../hip/kernels.def"

#include <subwave/types.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The greatest value of a list; the next is nobody's. */
#define GREATEST(list) ((int)sizeof(union {list(TYPES_SIZE)}) - 1)
#define TYPES_SIZE(name, value, ...) char of_##name[(value) + 1];

#define TYPES_X(name, ...) SUBWAVE_STATUS_##name,
static const subwave_status all_statuses[] = {SUBWAVE_STATUS_LIST(TYPES_X)};
#undef TYPES_X
#define TYPES_X(name, ...) SUBWAVE_DTYPE_##name,
static const subwave_dtype all_dtypes[] = {SUBWAVE_DTYPE_LIST(TYPES_X)};
#undef TYPES_X
#define TYPES_X(name, ...) SUBWAVE_VARIANT_##name,
static const subwave_variant all_variants[] = {SUBWAVE_VARIANT_LIST(TYPES_X)};
#undef TYPES_X
#define TYPES_X(name, ...) SUBWAVE_OP_##name,
static const subwave_op all_ops[] = {SUBWAVE_OP_LIST(TYPES_X)};
#undef TYPES_X
#define TYPES_X(name, ...) SUBWAVE_ORDER_##name,
static const subwave_order all_orders[] = {SUBWAVE_ORDER_LIST(TYPES_X)};
#undef TYPES_X
#define TYPES_X(name, ...) SUBWAVE_CONJUGATION_##name,
static const subwave_conjugation all_conjugations[] = {SUBWAVE_CONJUGATION_LIST(TYPES_X)};
#undef TYPES_X
#define TYPES_X(name, ...) SUBWAVE_SCAN_##name,
static const subwave_scan_kind all_scans[] = {SUBWAVE_SCAN_LIST(TYPES_X)};
#undef TYPES_X
#define TYPES_X(name, ...) SUBWAVE_COMPARISON_##name,
static const subwave_comparison all_comparisons[] = {SUBWAVE_COMPARISON_LIST(TYPES_X)};
#undef TYPES_X
#define TYPES_X(name, ...) SUBWAVE_PLACE_##name,
static const subwave_place all_places[] = {SUBWAVE_PLACE_LIST(TYPES_X)};
#undef TYPES_X
#define TYPES_X(name, ...) SUBWAVE_PRIORITY_##name,
static const subwave_priority all_priorities[] = {SUBWAVE_PRIORITY_LIST(TYPES_X)};
#undef TYPES_X
#define TYPES_X(name, ...) SUBWAVE_GROUP_##name,
static const subwave_group_kind all_kinds[] = {SUBWAVE_GROUP_LIST(TYPES_X)};
#undef TYPES_X

/* The types that an operation is built for; `number_dtypes` those of reduce and scan. */
#define TYPES_X(operation, dtype, type) SUBWAVE_DTYPE_##dtype,
static const subwave_dtype matmul_dtypes[] = {SUBWAVE_KERNELS_matmul_broadcast(TYPES_X)};
static const subwave_dtype skinny_dtypes[] = {SUBWAVE_KERNELS_matmul_skinny(TYPES_X)};
static const subwave_dtype tensor_dtypes[] = {SUBWAVE_KERNELS_tensor(TYPES_X)};
static const subwave_dtype matrix_dtypes[] = {SUBWAVE_KERNELS_matmul_matrix(TYPES_X)
                                                  SUBWAVE_KERNELS_real_form(TYPES_X)};
static const subwave_dtype batched_dtypes[] = {SUBWAVE_KERNELS_matmul_batched(TYPES_X)};
static const subwave_dtype dot_dtypes[] = {SUBWAVE_KERNELS_dot(TYPES_X)}; /* and norm2's */
static const subwave_dtype number_dtypes[] = {SUBWAVE_KERNELS_group_reduce(TYPES_X)};
#undef TYPES_X

#define IS_ONE_OF(dtypes, dtype) types_has(dtypes, COUNT(dtypes), dtype)
static inline bool types_has(const subwave_dtype *dtypes, size_t count, subwave_dtype dtype)
{
    for (size_t i = 0; i < count; ++i)
        if (dtypes[i] == dtype)
            return true;
    return false;
}

/* Of matmul_dtypes two variants are built for some only. */
static inline bool types_has_variant(subwave_variant variant, subwave_dtype dtype)
{
    return variant == SUBWAVE_VARIANT_SKINNY   ? IS_ONE_OF(skinny_dtypes, dtype)
           : variant == SUBWAVE_VARIANT_MATRIX ? IS_ONE_OF(matrix_dtypes, dtype)
                                               : IS_ONE_OF(matmul_dtypes, dtype);
}

#endif
