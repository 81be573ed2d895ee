/* SPDX-License-Identifier: MIT
 * transpose_stacked.c: subwave_transpose_stacked, small matrices transposed where they are.
 */
#include "array.h"
#include "log.h"

#include <inttypes.h>

/* What moves half of an element that is moved as `moved`. */
static subwave_dtype half_of(subwave_dtype moved)
{
    switch (subwave_dtype_size(moved)) {
    case 16:
        return SUBWAVE_DTYPE_U64;
    case 8:
        return SUBWAVE_DTYPE_U32;
    case 4:
        return SUBWAVE_DTYPE_U16;
    default:
        return SUBWAVE_DTYPE_U8;
    }
}

subwave_status subwave_transpose_stacked(subwave_context *context, subwave_dtype dtype,
                                         subwave_layout layout, int64_t m, int64_t n, void *x,
                                         subwave_dtype offset_dtype, int32_t base,
                                         const void *offsets, int64_t entries)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_transpose_stacked"));
    subwave_log_call(context,
                     "subwave_transpose_stacked(dtype=%s, m=%" PRId64 ", n=%" PRId64
                     ", offset_dtype=%s, base=%d, entries=%" PRId64 ")",
                     subwave_dtype_name(dtype), m, n, subwave_dtype_name(offset_dtype), (int)base,
                     entries);
    SUBWAVE_TRY(subwave_check_dtype(context, dtype));
    SUBWAVE_TRY(subwave_check_layout(context, layout));
    SUBWAVE_TRY(subwave_check_size(context, "m", m));
    SUBWAVE_TRY(subwave_check_size(context, "n", n));
    const int64_t most = SUBWAVE_TRANSPOSE_STACKED_BYTES;
    const bool by_rows = layout == SUBWAVE_LAYOUT_ROW_MAJOR;
    const int64_t rows = by_rows ? m : n, columns = by_rows ? n : m;
    /* Neighbours in a column lie in different banks of local memory if rows have an odd pitch. */
    const int64_t pitch = columns | 1;
    const bool moves = rows > 1 && columns > 1;
    subwave_dtype part = subwave_moved_dtype(dtype);
    if (moves && (pitch > most || rows > most / pitch))
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                            "m is %" PRId64 " and n is %" PRId64
                            "; a matrix in local memory has up to %" PRId64
                            " elements, whose %s have an odd number of them",
                            m, n, most, by_rows ? "rows" : "columns");
    while (moves && rows * pitch * (int64_t)subwave_dtype_size(part) > most)
        part = half_of(part);
    const int64_t size = (int64_t)subwave_dtype_size(part);
    SUBWAVE_TRY(subwave_check_stack(context, offset_dtype, base, entries));
    if (m == 0 || n == 0 || entries == 0)
        return SUBWAVE_STATUS_SUCCESS;
    SUBWAVE_TRY(
        subwave_check_pointer(context, "x", x, subwave_dtype_size(subwave_part_dtype(dtype))));
    SUBWAVE_TRY(
        subwave_check_pointer(context, "offsets", offsets, subwave_dtype_size(offset_dtype)));
    if (!moves) /* a row is a column, as it lies */
        return SUBWAVE_STATUS_SUCCESS;
    const int64_t waves = SUBWAVE_TRANSPOSE_BLOCK / (int64_t)context->capabilities.wave_size,
                  bytes = rows * pitch * size;
    const bool by_waves = bytes <= SUBWAVE_TRANSPOSE_WAVE_BYTES && waves * bytes <= most;
    const int64_t teams = by_waves ? waves : 1;
    const int64_t blocks = (entries - 1) / teams + 1;
    const subwave_transpose_stacked_launch launch = {
        .x = x,
        .offsets = {offsets, base, offset_dtype == SUBWAVE_DTYPE_I64},
        .entries = entries,
        .m = (int32_t)rows,
        .n = (int32_t)columns,
        .pitch = (int32_t)pitch,
        .parts = (int32_t)((int64_t)subwave_dtype_size(dtype) / size),
        .teams = (int32_t)teams,
        .blocks = (uint32_t)(blocks < SUBWAVE_TRANSPOSE_BLOCKS ? blocks : SUBWAVE_TRANSPOSE_BLOCKS),
    };
    return subwave_launch(context, SUBWAVE_OPERATION_transpose_stacked, part, &launch,
                          "subwave_transpose_stacked");
}
