/* SPDX-License-Identifier: MIT
 * check.h: argument checks, in the one order that every entry point follows: context, enumerations,
 * sizes, quick return, pointers. Each failure leaves a text that begins with the parameter's name,
 * by which subwave_last_argument() finds its position (argument.c).
 */
#ifndef SUBWAVE_CHECK_H
#define SUBWAVE_CHECK_H

#include "backend.h"

/* Leaves a text (with the context, or for the thread when it is null) and returns `status`. */
subwave_status subwave_fail(subwave_context *context, subwave_status status, const char *format,
                            ...) __attribute__((format(printf, 3, 4)));

/* Where a call without a context leaves its text; SUBWAVE_ERROR_TEXT_SIZE bytes, one a thread. */
char *subwave_thread_error(void);

/* Queues the operation's kernel with its struct of hip/kernels.h; `what` names it in an error's
 * text. */
subwave_status subwave_launch(subwave_context *context, subwave_operation operation,
                              subwave_dtype dtype, const void *launch, const char *what);

#define SUBWAVE_TRY(call) \
    do { \
        subwave_status subwave_try_ = (call); \
        if (subwave_try_ != SUBWAVE_STATUS_SUCCESS) \
            return subwave_try_; \
    } while (0)

/* Of an enumeration, whose list in types.h is X(name, value, spelling, ...): the function that gives a
 * value's spelling, and one that checks an argument, which the text calls `argument`. */
#define SUBWAVE_DEFINE_NAME(type, LIST) \
    const char *type##_name(type x) \
    { \
        switch ((int)x) { \
            LIST(SUBWAVE_RETURN_SPELLING) \
        default: \
            return "unknown"; \
        } \
    }
#define SUBWAVE_RETURN_SPELLING(name, value, ...) \
    case value: \
        return SUBWAVE_FIRST(__VA_ARGS__, );
#define SUBWAVE_FIRST(first, ...) first
#define SUBWAVE_DEFINE_CHECK(function, type, argument, LIST) \
    subwave_status function(subwave_context *context, type x) \
    { \
        switch ((int)x) { \
            LIST(SUBWAVE_CASE) \
            return SUBWAVE_STATUS_SUCCESS; \
        default: \
            return subwave_fail(context, SUBWAVE_STATUS_INVALID_VALUE, \
                                argument " is %d, which is no " #type, (int)x); \
        } \
    }
#define SUBWAVE_CASE(name, value, ...) case value:

/* The class that the list of types gives. */
typedef enum subwave_dtype_class {
    SUBWAVE_CLASS_NONE,
    SUBWAVE_CLASS_SIGNED,
    SUBWAVE_CLASS_UNSIGNED,
    SUBWAVE_CLASS_FLOAT,
    SUBWAVE_CLASS_COMPLEX,
} subwave_dtype_class;
subwave_dtype_class subwave_class_of(subwave_dtype dtype);
/* What products are summed in, and what alpha and beta are of. */
subwave_dtype subwave_sum_dtype(subwave_dtype dtype);
/* What the matrix product's C is of. */
subwave_dtype subwave_product_dtype(subwave_dtype dtype);
/* Part number `part` of a scalar; `sums` is I32, F32, F64, or a complex type. */
double subwave_real(subwave_dtype sums, const void *scalar, int part);
/* What a complex number is two of, and is aligned as; any other type itself. */
subwave_dtype subwave_part_dtype(subwave_dtype dtype);

/* The bits of a real float type's infinity: those of its exponent. */
uint64_t subwave_infinity(subwave_dtype dtype);

/* The type that stands for all of the same size where elements are moved as they are. */
subwave_dtype subwave_moved_dtype(subwave_dtype dtype);

subwave_status subwave_check_context(subwave_context *context, const char *function);
subwave_status subwave_check_dtype(subwave_context *context, subwave_dtype dtype);
/* Whether kernels.def has the operation for the type; the text says what it, `what`, takes. */
subwave_status subwave_check_built(subwave_context *context, const char *what,
                                   subwave_operation operation, subwave_dtype dtype);
subwave_status subwave_check_layout(subwave_context *context, subwave_layout layout);
subwave_status subwave_check_transpose(subwave_context *context, const char *name,
                                       subwave_transpose_kind transpose);
subwave_status subwave_check_variant(subwave_context *context, subwave_variant variant);
subwave_status subwave_check_size(subwave_context *context, const char *name, int64_t size);
/* A matrix of rows x columns elements stored in `layout` with leading dimension ld: ld is large
 * enough and the last element's byte offset fits into 63 bits. */
subwave_status subwave_check_matrix(subwave_context *context, const char *ld_name,
                                    subwave_layout layout, int64_t rows, int64_t columns,
                                    int64_t ld, size_t element_size);
/* `rows` rows of `length` elements, the beginnings of which lie ld apart: none overlap, and the last
 * element's byte offset fits into 63 bits. */
subwave_status subwave_check_rows(subwave_context *context, int64_t rows, int64_t length,
                                  const char *ld_name, int64_t ld, size_t element_size);
/* Every element's offset from the first matrix's first fits into 63 bits. */
subwave_status subwave_check_stride(subwave_context *context, const char *name, int64_t stride,
                                    int64_t batch, size_t element_size);
/* Matrices that are written lie one after another, or side by side within the rows of a larger
 * one. */
subwave_status subwave_check_apart(subwave_context *context, const char *name, const char *matrices,
                                   subwave_layout layout, int64_t rows, int64_t columns, int64_t ld,
                                   int64_t stride, int64_t batch);
subwave_status subwave_check_pointer(subwave_context *context, const char *name,
                                     const void *pointer, size_t alignment);

#endif
