/* SPDX-License-Identifier: MIT
 * layout.c: how a matrix is divided among the ranks, and how it is divided otherwise.
 */
#include "grid.h"

#include <inttypes.h>
#include <limits.h>

subwave_status subwave_mpi_layout_from_descriptor(const int descriptor[9],
                                                  subwave_mpi_layout *layout)
{
    if (!descriptor)
        return subwave_mpi_fail(NULL, SUBWAVE_STATUS_INVALID_POINTER, "descriptor is null");
    if (!layout)
        return subwave_mpi_fail(NULL, SUBWAVE_STATUS_INVALID_POINTER, "layout is null");
    if (descriptor[0] != 1)
        return subwave_mpi_fail(NULL, SUBWAVE_STATUS_INVALID_VALUE,
                                "descriptor is of type %d; that of a dense matrix is 1",
                                descriptor[0]);
    static const int least[9] = {1, INT_MIN, 0, 0, 1, 1, 0, 0, 1};
    for (int i = 0; i < 9; ++i)
        if (descriptor[i] < least[i])
            return subwave_mpi_fail(NULL, SUBWAVE_STATUS_INVALID_VALUE,
                                    "descriptor has %d at place %d, where at least %d must be",
                                    descriptor[i], i + 1, least[i]);
    *layout = (subwave_mpi_layout){.rows = descriptor[2],
                                   .columns = descriptor[3],
                                   .block_rows = descriptor[4],
                                   .block_columns = descriptor[5],
                                   .first_row = descriptor[6],
                                   .first_column = descriptor[7],
                                   .ld = descriptor[8]};
    return SUBWAVE_STATUS_SUCCESS;
}

/* --- one direction --------------------------------------------------------------------------- */

subwave_mpi_axis subwave_mpi_axis_of(const subwave_mpi *mpi, int64_t n, int64_t block, int first,
                                     subwave_mpi_ranks along)
{
    return (subwave_mpi_axis){
        .n = n, .block = block, .parts = mpi->size[along], .first = first, .along = along};
}

bool subwave_mpi_axis_equal(const subwave_mpi_axis *x, const subwave_mpi_axis *y)
{
    if (x->parts == 1 || y->parts == 1) /* undivided */
        return x->parts == y->parts;
    return x->along == y->along && x->block == y->block && x->first == y->first;
}

/* Whose block number s is, as the coordinate in the grid; and the coordinate of a rank. */
static int owner(const subwave_mpi_axis *axis, int64_t s)
{
    return (int)((s + axis->first) % axis->parts);
}
static int coordinate(const subwave_mpi *mpi, const subwave_mpi_axis *axis, int rank)
{
    const int columns = mpi->size[ALONG_ROW];
    return axis->parts == 1 ? 0 : axis->along == ALONG_ROW ? rank % columns : rank / columns;
}

/* Where element i is at its owner. */
static int64_t place(const subwave_mpi_axis *axis, int64_t i)
{
    return i / axis->block / axis->parts * axis->block + i % axis->block;
}

int64_t subwave_mpi_axis_local(const subwave_mpi *mpi, const subwave_mpi_axis *axis)
{
    const int64_t blocks = axis->n / axis->block, parts = axis->parts;
    const int mine = coordinate(mpi, axis, mpi->rank[ALL_RANKS]);
    const int64_t from_first = (mine - axis->first + parts) % parts;
    return (blocks / parts + (from_first < blocks % parts)) * axis->block +
           (owner(axis, blocks) == mine ? axis->n % axis->block : 0);
}

/* Elements that a rank has beside one another, of those that it shares with another rank. */
typedef struct run {
    int64_t next; /* where to look on */
    int64_t length, place, in_message;
} run;

/* The next run of what both the rank with coordinate `mine` of `here` and the one with `other` of
 * `there` have: the first one's run. */
static bool next_run(run *r, const subwave_mpi_axis *here, int mine, const subwave_mpi_axis *there,
                     int other)
{
    r->in_message += r->length;
    r->length = 0;
    while (r->next < here->n) {
        const int64_t i = r->next;
        const int64_t of_here = here->block - i % here->block;
        const int64_t of_there = there->block - i % there->block;
        int64_t length = of_here < of_there ? of_here : of_there;
        if (length > here->n - i)
            length = here->n - i;
        if (owner(here, i / here->block) == mine && owner(there, i / there->block) == other) {
            if (r->length == 0)
                r->place = place(here, i);
            else if (place(here, i) != r->place + r->length)
                return true;
            r->length += length;
        }
        r->next = i + length;
    }
    return r->length > 0;
}

static int64_t common(const subwave_mpi_axis *from, int source, const subwave_mpi_axis *to,
                      int target)
{
    int64_t sum = 0;
    for (run r = {0}; next_run(&r, from, source, to, target);)
        sum += r.length;
    return sum;
}

/* --- matrices -------------------------------------------------------------------------------- */

static bool check(subwave_mpi *mpi, const char *name, const subwave_mpi_layout *layout)
{
    const int rows = mpi->size[ALONG_COLUMN], columns = mpi->size[ALONG_ROW];
    if (!layout)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_POINTER, "%s is null", name);
    else if (layout->rows < 0 || layout->columns < 0)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_SIZE,
                         "%s has %" PRId64 " rows and %" PRId64 " columns, which is negative", name,
                         layout->rows, layout->columns);
    else if (layout->block_rows < 1 || layout->block_columns < 1)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_SIZE,
                         "%s has blocks of %" PRId64 " x %" PRId64
                         "; they have at least one element",
                         name, layout->block_rows, layout->block_columns);
    else if (layout->first_row < 0 || layout->first_row >= rows || layout->first_column < 0 ||
             layout->first_column >= columns)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_VALUE,
                         "%s begins at row %d and column %d of a grid of %d x %d", name,
                         layout->first_row, layout->first_column, rows, columns);
    else
        return true;
    return false;
}

subwave_status subwave_mpi_local_size(subwave_mpi *mpi, const subwave_mpi_layout *layout,
                                      int64_t *rows, int64_t *columns)
{
    if (!mpi)
        return subwave_mpi_fail(NULL, SUBWAVE_STATUS_INVALID_POINTER, "mpi is null");
    mpi->status = SUBWAVE_STATUS_SUCCESS;
    if (!check(mpi, "layout", layout))
        return mpi->status;
    if (!rows || !columns)
        return subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_POINTER, "%s is null",
                                rows ? "columns" : "rows");
    const subwave_mpi_axis of_rows =
        subwave_mpi_axis_of(mpi, layout->rows, layout->block_rows, layout->first_row, ALONG_COLUMN);
    const subwave_mpi_axis of_columns = subwave_mpi_axis_of(
        mpi, layout->columns, layout->block_columns, layout->first_column, ALONG_ROW);
    *rows = subwave_mpi_axis_local(mpi, &of_rows);
    *columns = subwave_mpi_axis_local(mpi, &of_columns);
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_mpi_matrix subwave_mpi_matrix_of(subwave_mpi *mpi, const char *layout_name,
                                         const subwave_mpi_layout *layout, subwave_dtype dtype,
                                         const char *name, const void *data, bool is_used)
{
    const subwave_mpi_layout none = {.block_rows = 1, .block_columns = 1, .ld = 1};
    if (!check(mpi, layout_name, layout))
        layout = &none;
    const int64_t fields[] = {layout->rows,          layout->columns,   layout->block_rows,
                              layout->block_columns, layout->first_row, layout->first_column};
    for (int i = 0; i < 6; ++i)
        subwave_mpi_same(mpi, layout_name, fields[i]);
    subwave_mpi_matrix matrix = {
        .rows = subwave_mpi_axis_of(mpi, layout->rows, layout->block_rows, layout->first_row,
                                    ALONG_COLUMN),
        .columns = subwave_mpi_axis_of(mpi, layout->columns, layout->block_columns,
                                       layout->first_column, ALONG_ROW),
        .data = (char *)data,
        .ld = layout->ld,
    };
    const int64_t rows = subwave_mpi_axis_local(mpi, &matrix.rows);
    const int64_t columns = subwave_mpi_axis_local(mpi, &matrix.columns);
    const int64_t element = (int64_t)subwave_dtype_size(dtype);
    const size_t alignment = dtype == SUBWAVE_DTYPE_C32 ? sizeof(float)
                             : element > 8              ? sizeof(double)
                                                        : (size_t)element;
    if (layout->ld < (rows > 1 ? rows : 1))
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_STRIDE,
                         "%s has ld %" PRId64 ", less than the %" PRId64 " that a column has here",
                         layout_name, layout->ld, rows > 1 ? rows : 1);
    else if (element && columns && layout->ld > INT64_MAX / element / columns)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_SIZE,
                         "%s has ld %" PRId64 ": as many columns exceed the address space",
                         layout_name, layout->ld);
    else if (is_used && element && rows && columns && (!data || (uintptr_t)data % alignment))
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_POINTER, "%s is %s", name,
                         data ? "not aligned to its elements" : "null");
    return matrix;
}

/* --- another division ------------------------------------------------------------------------ */

/* How many units go from one rank to another. */
static int64_t message(const subwave_mpi *mpi, size_t element, const subwave_mpi_matrix *from,
                       int source, const subwave_mpi_matrix *to, int target)
{
    const int64_t rows = common(&from->rows, coordinate(mpi, &from->rows, source), &to->rows,
                                coordinate(mpi, &to->rows, target));
    return rows == 0
               ? 0
               : subwave_mpi_units(rows * (int64_t)element *
                                   common(&from->columns, coordinate(mpi, &from->columns, source),
                                          &to->columns, coordinate(mpi, &to->columns, target)));
}

/* Fills mpi->counts; returns the units that are sent and received. */
static void count(subwave_mpi *mpi, size_t element, const subwave_mpi_matrix *from,
                  const subwave_mpi_matrix *to, int64_t units[2])
{
    const int size = mpi->size[ALL_RANKS], rank = mpi->rank[ALL_RANKS];
    units[0] = units[1] = 0;
    for (int r = 0; r < size; ++r)
        for (int way = 0; way < 2; ++way) {
            const int64_t n = way == 0 ? message(mpi, element, from, rank, to, r)
                                       : message(mpi, element, from, r, to, rank);
            mpi->counts[2 * way * size + r] = (int)n;
            mpi->counts[(2 * way + 1) * size + r] = (int)units[way];
            units[way] += n;
        }
}

void subwave_mpi_prepare_move(subwave_mpi *mpi, size_t element, const subwave_mpi_matrix *from,
                              subwave_mpi_matrix *to, subwave_mpi_buffer *buffer)
{
    if (mpi->status)
        return;
    const int64_t rows = subwave_mpi_axis_local(mpi, &to->rows);
    int64_t units[2];
    count(mpi, element, from, to, units);
    to->ld = rows > 1 ? rows : 1;
    subwave_mpi_reserve(mpi, &mpi->sent, units[0] * SUBWAVE_MPI_UNIT, FOR_MESSAGES);
    subwave_mpi_reserve(mpi, &mpi->received, units[1] * SUBWAVE_MPI_UNIT, FOR_MESSAGES);
    subwave_mpi_reserve(mpi, buffer,
                        rows * subwave_mpi_axis_local(mpi, &to->columns) * (int64_t)element,
                        ON_DEVICE);
    to->data = buffer->device;
}

/* Copies what this rank's matrix `here` shares with `there` of rank `other` into a message, or out of
 * it. A message is a matrix without gaps, of the shared rows and columns in order. So each side
 * copies as few pieces as its own division has, whatever the other's. */
static void copy_runs(subwave_mpi *mpi, size_t element, const subwave_mpi_matrix *here,
                      const subwave_mpi_matrix *there, int other, char *message, bool into_message)
{
    const subwave_mpi_axis *const rows = &here->rows, *const columns = &here->columns;
    const int rank = mpi->rank[ALL_RANKS];
    const int my_row = coordinate(mpi, rows, rank), my_column = coordinate(mpi, columns, rank);
    const int its_row = coordinate(mpi, &there->rows, other);
    const int its_column = coordinate(mpi, &there->columns, other);
    const int64_t size = (int64_t)element, pitch = here->ld * size;
    const int64_t message_ld = common(rows, my_row, &there->rows, its_row);
    for (run c = {0}; next_run(&c, columns, my_column, &there->columns, its_column);)
        for (run r = {0}; next_run(&r, rows, my_row, &there->rows, its_row);) {
            char *const in_matrix = here->data + (r.place + c.place * here->ld) * size;
            char *const in_message = message + (r.in_message + c.in_message * message_ld) * size;
            if (!mpi->status)
                subwave_mpi_try(
                    mpi, mpi->transfer,
                    into_message
                        ? subwave_copy_2d_async(mpi->transfer, in_message, message_ld * size,
                                                in_matrix, pitch, r.length * size, c.length)
                        : subwave_copy_2d_async(mpi->transfer, in_matrix, pitch, in_message,
                                                message_ld * size, r.length * size, c.length));
        }
}

void subwave_mpi_move(subwave_mpi *mpi, size_t element, const subwave_mpi_matrix *from,
                      const subwave_mpi_matrix *to)
{
    const int size = mpi->size[ALL_RANKS];
    int64_t units[2];
    count(mpi, element, from, to, units);
    for (int r = 0; r < size; ++r)
        copy_runs(mpi, element, from, to, r,
                  mpi->sent.device + (int64_t)mpi->counts[size + r] * SUBWAVE_MPI_UNIT, true);
    subwave_mpi_exchange(mpi);
    for (int r = 0; r < size && !mpi->lost; ++r)
        copy_runs(mpi, element, to, from, r,
                  mpi->received.device + (int64_t)mpi->counts[3 * size + r] * SUBWAVE_MPI_UNIT,
                  false);
}
