/* SPDX-License-Identifier: MIT
 * transpose.c: the transpose of a matrix over a grid: each element goes to the rank that has it in
 * Y, as it is, and each rank transposes what it has got.
 */
#include "grid.h"

subwave_status subwave_mpi_transpose(subwave_mpi *mpi, subwave_dtype dtype,
                                     const subwave_mpi_layout *layout_x, const void *x,
                                     const subwave_mpi_layout *layout_y, void *y)
{
    subwave_status status;
    if (!subwave_mpi_begin(mpi, "subwave_mpi_transpose", &status))
        return status;
    const size_t element = subwave_dtype_size(dtype);
    if (!element)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_VALUE,
                         "dtype is %d, which is no subwave_dtype", (int)dtype);
    subwave_mpi_same(mpi, "dtype", dtype);
    const subwave_mpi_matrix from =
        subwave_mpi_matrix_of(mpi, "layout_x", layout_x, dtype, "x", x, true);
    const subwave_mpi_matrix to =
        subwave_mpi_matrix_of(mpi, "layout_y", layout_y, dtype, "y", y, true);
    if (from.rows.n != to.columns.n || from.columns.n != to.rows.n)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_SIZE,
                         "layout_y: Y is not as large as the transpose of X");
    subwave_mpi_matrix moved = {.rows = to.columns, .columns = to.rows};
    const bool moves = !subwave_mpi_axis_equal(&from.rows, &moved.rows) ||
                       !subwave_mpi_axis_equal(&from.columns, &moved.columns);
    if (moves)
        subwave_mpi_prepare_move(mpi, element, &from, &moved, &mpi->moved_a);
    else
        moved = from;
    if (subwave_mpi_agree(mpi))
        return mpi->status;

    if (moves) {
        subwave_mpi_order(mpi, mpi->context, mpi->begun, mpi->transfer);
        subwave_mpi_move(mpi, element, &from, &moved);
        subwave_mpi_order(mpi, mpi->transfer, mpi->ready[0], mpi->context);
    }
    const int64_t rows = subwave_mpi_axis_local(mpi, &moved.rows);
    const int64_t columns = subwave_mpi_axis_local(mpi, &moved.columns);
    if (!mpi->status && rows && columns)
        subwave_mpi_try(mpi, mpi->context,
                        subwave_transpose(mpi->context, dtype, SUBWAVE_LAYOUT_COLUMN_MAJOR, rows,
                                          columns, moved.data, moved.ld, y, to.ld));
    return subwave_mpi_agree(mpi);
}
