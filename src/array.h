/* SPDX-License-Identifier: MIT
 * array.h: what the operations on whole arrays share: dividing an array among blocks, and where the
 * result goes.
 */
#ifndef SUBWAVE_ARRAY_H
#define SUBWAVE_ARRAY_H

#include "check.h"

subwave_status subwave_check_order(subwave_context *context, subwave_order order);
subwave_status subwave_check_place(subwave_context *context, subwave_place place);

/* Whether minima and maxima with their indices, which the text calls `what`, are for these. */
subwave_status subwave_check_minmax(subwave_context *context, const char *what, subwave_op op,
                                    subwave_dtype dtype);

/* The bytes of workspace that they need, the counters included. */
size_t subwave_array_workspace(void);

/* Divides n elements of `size` bytes into tiles, and gives the blocks their workspace, with
 * `value_bytes` for what the elements of a tile combine to. `*at` is where the kernel writes the
 * result: `result` itself or, if that is in the host's memory, the workspace, which has room for
 * SUBWAVE_ARRAY_RESULT_BYTES. */
enum { SUBWAVE_ARRAY_RESULT_BYTES = 256, SUBWAVE_ARRAY_VALUE_BYTES = 24 /* at most */ };
enum { SUBWAVE_INDEX_VALUE_BYTES = 16 /* a number and its index */ };
enum { SUBWAVE_ROW_VALUE_BYTES = SUBWAVE_INDEX_VALUE_BYTES /* at most, of rows */ };
subwave_status subwave_array_prepare(subwave_context *context, subwave_order order, int64_t n,
                                     size_t size, size_t value_bytes, subwave_place place,
                                     void *result, subwave_array *array, void **at);

/* The same for rows of `length` elements, at most `*most` of them in a launch, in the fixed order.
 * The kernel writes their results to where they belong. */
subwave_status subwave_array_prepare_rows(subwave_context *context, int64_t rows, int64_t length,
                                          size_t size, size_t value_bytes, subwave_array *array,
                                          uint32_t *most);

/* Whether rows of `length` elements, ldx apart, are better folded by a wave each than by blocks; if
 * so fills `prepared`. */
bool subwave_rows_prepare(const subwave_context *context, int64_t rows, int64_t length, int64_t ldx,
                          size_t size, subwave_rows *prepared);

/* The same for the least elements of rows. prepared->rows, ->length and ->ldx are set by the caller. */
bool subwave_row_minmax_prepare(const subwave_context *context, size_t size,
                                subwave_row_minmax_index_launch *prepared);

/* Divides n elements into tiles of `tile` elements, one at least, and gives the blocks their
 * workspace. */
subwave_status subwave_array_prepare_tiles(subwave_context *context, int64_t n, int64_t tile,
                                           subwave_tiles *tiles);
/* Without workspace, for tiles that do not wait for each other. */
void subwave_array_divide_tiles(int64_t n, int64_t tile, subwave_tiles *tiles);
/* As the first, for the scans of rows of n elements, at most `*most` of them in a launch. */
subwave_status subwave_array_prepare_row_tiles(subwave_context *context, int64_t rows, int64_t n,
                                               size_t size, subwave_tiles *tiles, uint32_t *most);

/* Whether rows are better scanned by a wave each, or several, than by blocks; if so fills what
 * follows from `rows` and `length`. */
bool subwave_row_scan_prepare(const subwave_context *context, size_t size,
                              subwave_row_scan_launch *prepared);

/* Whether a block of this shape has cells of cell_bytes in shared memory when it takes elements of
 * `size` bytes to them, because that pays or it `must`; of how many copies of each the logarithm, and
 * how many blocks there are. */
bool subwave_array_divide_for_cells(const subwave_context *context,
                                    const subwave_counting_shape *shape, int64_t n, size_t size,
                                    int64_t cells, size_t cell_bytes, bool must,
                                    uint32_t *log_copies, uint32_t *blocks);

/* Of sums of launch->n elements in launch->cells: how blocks take them, and the workspace of sums of
 * floats in fixed point (hip/scatter_add.hip). */
subwave_status subwave_array_prepare_sums(subwave_context *context, subwave_dtype dtype,
                                          subwave_order order, subwave_scatter_add_launch *launch);

/* `name` is I32 or I64; the text calls what it is of `what`. */
subwave_status subwave_check_index_dtype(subwave_context *context, const char *name,
                                         const char *what, subwave_dtype dtype);
/* Not negative, nor more than fit into the address space. */
subwave_status subwave_check_count(subwave_context *context, const char *name, int64_t count);
subwave_status subwave_check_offset_dtype(subwave_context *context, subwave_dtype offset_dtype);
/* The list of entries of matmul_stacked and transpose_stacked. */
subwave_status subwave_check_stack(subwave_context *context, subwave_dtype offset_dtype,
                                   int32_t base, int64_t entries);
subwave_status subwave_check_segments(subwave_context *context, int64_t segments, int64_t n);

/* Divides segments->count segments of segments->n elements of `size` bytes into tiles, and gives the
 * blocks their workspace. */
subwave_status subwave_array_prepare_segments(subwave_context *context, subwave_dtype offset_dtype,
                                              size_t size, subwave_segments *segments);

/* After the launch: brings the result's bytes to the host, if they are wanted there. */
subwave_status subwave_array_finish(subwave_context *context, subwave_place place, void *result,
                                    const void *at, size_t bytes);

#endif
