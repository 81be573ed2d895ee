/* SPDX-License-Identifier: MIT
 * check.c: argument checks, error texts, and the names of statuses, types and variants.
 */
#include "check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

char *subwave_thread_error(void)
{
    return subwave_thread_text(SUBWAVE_TEXT_OF_LIBRARY, SUBWAVE_ERROR_TEXT_SIZE).text;
}

/* With one of these a text begins with a parameter's name, or, as for environment variables, with
 * that of no parameter. */
static bool is_about_an_argument(subwave_status status)
{
    switch (status) {
    case SUBWAVE_STATUS_INVALID_POINTER:
    case SUBWAVE_STATUS_INVALID_SIZE:
    case SUBWAVE_STATUS_INVALID_STRIDE:
    case SUBWAVE_STATUS_INVALID_VALUE:
    case SUBWAVE_STATUS_UNSUPPORTED:
    case SUBWAVE_STATUS_NO_DEVICE:
        return true;
    default:
        return false;
    }
}

subwave_status subwave_fail(subwave_context *context, subwave_status status, const char *format,
                            ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context ? context->error : subwave_thread_error(), SUBWAVE_ERROR_TEXT_SIZE, format,
              arguments);
    va_end(arguments);
    if (context)
        context->argument_failed = is_about_an_argument(status);
    return status;
}

const char *subwave_last_error(const subwave_context *context)
{
    return context ? context->error : subwave_thread_error();
}

const char *subwave_status_name(subwave_status status)
{
    switch (status) {
#define SUBWAVE_X(name, value, text) \
    case SUBWAVE_STATUS_##name: \
        return #name;
        SUBWAVE_STATUS_LIST(SUBWAVE_X)
#undef SUBWAVE_X
    }
    return "unknown";
}

const char *subwave_status_text(subwave_status status)
{
    switch (status) {
#define SUBWAVE_X(name, value, text) \
    case SUBWAVE_STATUS_##name: \
        return text;
        SUBWAVE_STATUS_LIST(SUBWAVE_X)
#undef SUBWAVE_X
    }
    return "a status that this library does not know";
}

const char *subwave_dtype_name(subwave_dtype dtype)
{
    switch (dtype) {
#define SUBWAVE_X(name, value, bytes, spelling, ...) \
    case SUBWAVE_DTYPE_##name: \
        return spelling;
        SUBWAVE_DTYPE_LIST(SUBWAVE_X)
#undef SUBWAVE_X
    }
    return "unknown";
}

size_t subwave_dtype_size(subwave_dtype dtype)
{
    switch (dtype) {
#define SUBWAVE_X(name, value, bytes, ...) \
    case SUBWAVE_DTYPE_##name: \
        return bytes;
        SUBWAVE_DTYPE_LIST(SUBWAVE_X)
#undef SUBWAVE_X
    }
    return 0;
}

subwave_dtype_class subwave_class_of(subwave_dtype dtype)
{
    switch (dtype) {
#define SUBWAVE_X(name, value, bytes, spelling, class, ...) \
    case SUBWAVE_DTYPE_##name: \
        return SUBWAVE_CLASS_##class;
        SUBWAVE_DTYPE_LIST(SUBWAVE_X)
#undef SUBWAVE_X
    }
    return SUBWAVE_CLASS_NONE;
}

subwave_dtype subwave_sum_dtype(subwave_dtype dtype)
{
    switch (dtype) {
#define SUBWAVE_X(name, value, bytes, spelling, class, sums, ...) \
    case SUBWAVE_DTYPE_##name: \
        return SUBWAVE_DTYPE_##sums;
        SUBWAVE_DTYPE_LIST(SUBWAVE_X)
#undef SUBWAVE_X
    }
    return dtype;
}

subwave_dtype subwave_product_dtype(subwave_dtype dtype)
{
    switch (dtype) {
#define SUBWAVE_X(name, value, bytes, spelling, class, sums, product, ...) \
    case SUBWAVE_DTYPE_##name: \
        return SUBWAVE_DTYPE_##product;
        SUBWAVE_DTYPE_LIST(SUBWAVE_X)
#undef SUBWAVE_X
    }
    return dtype;
}

subwave_dtype subwave_part_dtype(subwave_dtype dtype)
{
    switch (dtype) {
#define SUBWAVE_X(name, value, bytes, spelling, class, sums, product, parts, ...) \
    case SUBWAVE_DTYPE_##name: \
        return SUBWAVE_DTYPE_##parts;
        SUBWAVE_DTYPE_LIST(SUBWAVE_X)
#undef SUBWAVE_X
    }
    return dtype;
}

uint64_t subwave_infinity(subwave_dtype dtype)
{
    const int width = 8 * (int)subwave_dtype_size(dtype);
    switch (dtype) {
#define SUBWAVE_X(name, value, bytes, spelling, class, sums, product, parts, fraction) \
    case SUBWAVE_DTYPE_##name: \
        return UINT64_MAX >> (65 - width) >> (fraction) << (fraction);
        SUBWAVE_DTYPE_LIST(SUBWAVE_X)
#undef SUBWAVE_X
    }
    return 0;
}

subwave_dtype subwave_moved_dtype(subwave_dtype dtype)
{
    switch (subwave_dtype_size(dtype)) {
    case 1:
        return SUBWAVE_DTYPE_U8;
    case 2:
        return SUBWAVE_DTYPE_U16;
    case 4:
        return SUBWAVE_DTYPE_U32;
    case 8:
        return SUBWAVE_DTYPE_U64;
    default:
        return SUBWAVE_DTYPE_C64;
    }
}

double subwave_real(subwave_dtype sums, const void *scalar, int part)
{
    if (sums == SUBWAVE_DTYPE_I32)
        return ((const int32_t *)scalar)[part];
    return subwave_part_dtype(sums) == SUBWAVE_DTYPE_F64 ? ((const double *)scalar)[part]
                                                         : ((const float *)scalar)[part];
}

SUBWAVE_DEFINE_NAME(subwave_variant, SUBWAVE_VARIANT_LIST)

subwave_status subwave_check_context(subwave_context *context, const char *function)
{
    if (context) {
        context->function = function;
        context->argument_failed = false;
        return SUBWAVE_STATUS_SUCCESS;
    }
    return subwave_fail(NULL, SUBWAVE_STATUS_INVALID_CONTEXT, "%s: context is null", function);
}

subwave_status subwave_check_dtype(subwave_context *context, subwave_dtype dtype)
{
    if (subwave_dtype_size(dtype))
        return SUBWAVE_STATUS_SUCCESS;
    return subwave_fail(context, SUBWAVE_STATUS_INVALID_VALUE,
                        "dtype is %d, which is no subwave_dtype", (int)dtype);
}

subwave_status subwave_check_built(subwave_context *context, const char *what,
                                   subwave_operation operation, subwave_dtype dtype)
{
    static const subwave_dtype all[] = {
#define SUBWAVE_X(name, ...) SUBWAVE_DTYPE_##name,
        SUBWAVE_DTYPE_LIST(SUBWAVE_X)
#undef SUBWAVE_X
    };
    if (subwave_is_built(operation, dtype))
        return SUBWAVE_STATUS_SUCCESS;
    char built[256] = "";
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (subwave_is_built(operation, all[i])) {
            const size_t used = strlen(built);
            snprintf(built + used, sizeof built - used, "%s%s", used ? ", " : "",
                     subwave_dtype_name(all[i]));
        }
    return subwave_fail(context, SUBWAVE_STATUS_UNSUPPORTED, "dtype is %s; %s takes %s",
                        subwave_dtype_name(dtype), what, built);
}

subwave_status subwave_check_layout(subwave_context *context, subwave_layout layout)
{
    if (layout == SUBWAVE_LAYOUT_ROW_MAJOR || layout == SUBWAVE_LAYOUT_COLUMN_MAJOR)
        return SUBWAVE_STATUS_SUCCESS;
    return subwave_fail(context, SUBWAVE_STATUS_INVALID_VALUE,
                        "layout is %d, which is no subwave_layout", (int)layout);
}

subwave_status subwave_check_transpose(subwave_context *context, const char *name,
                                       subwave_transpose_kind transpose)
{
    if (transpose == SUBWAVE_TRANSPOSE_NONE || transpose == SUBWAVE_TRANSPOSE_YES ||
        transpose == SUBWAVE_TRANSPOSE_CONJUGATE)
        return SUBWAVE_STATUS_SUCCESS;
    return subwave_fail(context, SUBWAVE_STATUS_INVALID_VALUE,
                        "%s is %d, which is no subwave_transpose_kind", name, (int)transpose);
}

SUBWAVE_DEFINE_CHECK(subwave_check_variant, subwave_variant, "variant", SUBWAVE_VARIANT_LIST)

subwave_status subwave_check_size(subwave_context *context, const char *name, int64_t size)
{
    if (size >= 0)
        return SUBWAVE_STATUS_SUCCESS;
    return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                        "%s is %" PRId64 ", which is negative", name, size);
}

subwave_status subwave_check_matrix(subwave_context *context, const char *ld_name,
                                    subwave_layout layout, int64_t rows, int64_t columns,
                                    int64_t ld, size_t element_size)
{
    bool row_major = layout == SUBWAVE_LAYOUT_ROW_MAJOR;
    int64_t minor = row_major ? columns : rows;
    int64_t major = row_major ? rows : columns;
    if (ld < 1 || ld < minor)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_STRIDE,
                            "%s is %" PRId64 ", less than the %" PRId64 " that a %s holds", ld_name,
                            ld, minor < 1 ? 1 : minor, row_major ? "row" : "column");
    int64_t most = INT64_MAX / (int64_t)element_size;
    if (major > 0 && ld > most / major)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                            "%s is %" PRId64 ": %" PRId64
                            " %s of that many elements exceed the address space",
                            ld_name, ld, major, row_major ? "rows" : "columns");
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_check_rows(subwave_context *context, int64_t rows, int64_t length,
                                  const char *ld_name, int64_t ld, size_t element_size)
{
    SUBWAVE_TRY(subwave_check_size(context, "rows", rows));
    SUBWAVE_TRY(subwave_check_size(context, "length", length));
    return subwave_check_matrix(context, ld_name, SUBWAVE_LAYOUT_ROW_MAJOR, rows, length, ld,
                                element_size);
}

subwave_status subwave_check_stride(subwave_context *context, const char *name, int64_t stride,
                                    int64_t batch, size_t element_size)
{
    const int64_t most = INT64_MAX / 2 / (int64_t)element_size;
    if (batch > 1 && (stride > most / (batch - 1) || stride < -(most / (batch - 1))))
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                            "%s is %" PRId64 ": %" PRId64
                            " matrices so far apart exceed the address space",
                            name, stride, batch);
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_check_apart(subwave_context *context, const char *name, const char *matrices,
                                   subwave_layout layout, int64_t rows, int64_t columns, int64_t ld,
                                   int64_t stride, int64_t batch)
{
    if (batch < 2 || rows == 0 || columns == 0)
        return SUBWAVE_STATUS_SUCCESS;
    const bool row_major = layout == SUBWAVE_LAYOUT_ROW_MAJOR;
    const int64_t minor = row_major ? columns : rows, major = row_major ? rows : columns;
    const int64_t extent = (major - 1) * ld + minor, apart = stride < 0 ? -stride : stride;
    if (apart >= extent || (apart >= minor && apart <= (ld - minor) / (batch - 1)))
        return SUBWAVE_STATUS_SUCCESS;
    return subwave_fail(context, SUBWAVE_STATUS_INVALID_STRIDE,
                        "%s is %" PRId64 ": the matrices of %s, of %" PRId64
                        " elements each, would overlap",
                        name, stride, matrices, extent);
}

subwave_status subwave_check_pointer(subwave_context *context, const char *name,
                                     const void *pointer, size_t alignment)
{
    if (!pointer)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_POINTER, "%s is null", name);
    if ((uintptr_t)pointer % alignment)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_POINTER,
                            "%s is %p, which is not aligned to its elements of %zu bytes", name,
                            pointer, alignment);
    return SUBWAVE_STATUS_SUCCESS;
}
