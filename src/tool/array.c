/* SPDX-License-Identifier: MIT
 * array.c: `subwave reduce`, `scan`, `histogram` and so on: the calls on whole arrays with NumPy's files.
 */
#include "commands.h"
#include "npy.h"
#include "options.h"
#include "text.h"

#include <measure.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { X, Y, OUT, REST, FILES }; /* two inputs, two outputs */
enum { UNSET = -1 };

typedef struct job {
    const struct operation *operation;
    const char *path[FILES]; /* null where there is none */
    const char *device;
    subwave_op op;
    subwave_order order;
    subwave_scan_kind scan;
    subwave_conjugation conjugation;
    subwave_comparison comparison;
    const char *flags_path, *boundaries_path; /* one is path[Y] */
    double than[2], range[2];                 /* NaN if not given */
    int64_t bins;
    bool quiet;

    npy_matrix array[FILES];
    void *memory[FILES], *count_memory; /* on the device */
    unsigned char result[16];           /* or the scalar that elements are compared with */
    int64_t index, count;
    subwave_device_properties where;
    double seconds;
} job;

typedef struct operation {
    const char *name, *usage, *about;
    int operands;
    unsigned options; /* of those below */
    /* Whether the inputs suit each other; shapes what is computed to files, if there is any. */
    bool (*prepare)(job *j);
    subwave_status (*call)(subwave_context *context, job *j);
    void (*print)(const job *j);
} operation;

enum {
    OPTION_OUTPUT = 1,
    OPTION_OP = 2,
    OPTION_MINMAX = 4,
    OPTION_SCAN = 8,
    OPTION_CONJUGATION = 16,
    OPTION_SELECTION = 32,
    OPTION_REST = 64,
    OPTION_ORDER = 128,
    OPTION_HISTOGRAM = 256,
    OPTION_PLACES = 2048,
    /* What more there is to know of an operation. */
    COUNTS = 512,          /* how many elements it leaves */
    MAY_LACK_OUTPUT = 1024 /* it prints its result then */
};

static bool has(const job *j, unsigned option) { return (j->operation->options & option) != 0; }

/* --- files ----------------------------------------------------------------------------------- */

static bool refuse(const job *j, const char *path, const char *error)
{
    return fail(j->operation->name, "%s: %s", path, error), false;
}

static void free_files(job *j)
{
    for (int i = 0; i < FILES; ++i)
        free(j->array[i].data);
}

static npy_matrix shaped_as(const npy_matrix *array)
{
    npy_matrix other = *array;
    other.data = NULL;
    return other;
}

/* An array of one dimension. */
static npy_matrix line_of(subwave_dtype dtype, int64_t n)
{
    return (npy_matrix){
        .dtype = dtype, .rows = n, .columns = 1, .is_array = true, .dimensions = 1, .sizes = {n}};
}

static bool read_inputs(job *j)
{
    char error[NPY_ERROR_SIZE];
    for (int i = X; i <= Y; ++i)
        if (j->path[i] && !(i == Y && j->flags_path ? npy_read_flags : npy_read_array)(
                              j->path[i], &j->array[i], error))
            return refuse(j, j->path[i], error);
    return true;
}

static bool make_room(job *j)
{
    for (int i = OUT; i <= REST; ++i) {
        size_t bytes = 0;
        if (!j->array[i].is_array)
            continue;
        const bool fits = npy_size(&j->array[i], &bytes);
        j->array[i].data = fits ? malloc(bytes ? bytes : 1) : NULL;
        if (!j->array[i].data)
            return fail(j->operation->name, "no memory for a result of %" PRId64 " elements",
                        j->array[i].rows),
                   false;
    }
    return true;
}

static bool write_outputs(job *j)
{
    char error[NPY_ERROR_SIZE];
    for (int i = OUT; i <= REST; ++i)
        if (j->path[i] && !npy_write(j->path[i], &j->array[i], error))
            return refuse(j, j->path[i], error);
    return true;
}

/* --- what is printed ------------------------------------------------------------------------- */

/* With as many digits as tell all numbers of the type apart. */
static const char *number_text(char *text, size_t size, subwave_dtype dtype, const void *element)
{
    double part[2];
    if (!measure_is_floating(dtype) && measure_parts(dtype) == 1) {
        const uint64_t bits = measure_integer(dtype, element, 0);
        const int unused = 64 - 8 * (int)subwave_dtype_size(dtype);
        if (measure_is_signed(dtype))
            snprintf(text, size, "%" PRId64, (int64_t)(bits << unused) >> unused);
        else
            snprintf(text, size, "%" PRIu64, bits);
        return text;
    }
    measure_decode(dtype, 1, element, part);
    const subwave_dtype real = measure_part(dtype);
    const int digits = real == SUBWAVE_DTYPE_F64 ? 17 : real == SUBWAVE_DTYPE_F32 ? 9 : 5;
    if (measure_parts(dtype) == 2)
        snprintf(text, size, "%.*g %.*g", digits, part[0], digits, part[1]);
    else
        snprintf(text, size, "%.*g", digits, part[0]);
    return text;
}

static void print_number(const job *j)
{
    char number[2 * TEXT_SIZE];
    puts(number_text(number, sizeof number, j->array[X].dtype, j->result));
}

static void print_norm(const job *j)
{
    char number[2 * TEXT_SIZE];
    puts(number_text(number, sizeof number, measure_part(j->array[X].dtype), j->result));
}

static void print_place(const job *j)
{
    char number[2 * TEXT_SIZE];
    printf("%s at %" PRId64 "\n", number_text(number, sizeof number, j->array[X].dtype, j->result),
           j->index);
}

/* A line per bin: where it begins and ends, and how many elements it has. */
static void print_bins(const job *j)
{
    const int64_t *const counts = j->array[OUT].data;
    char end[2][2 * TEXT_SIZE];
    const double width = (j->range[1] - j->range[0]) / (double)j->bins;
    const npy_matrix *const boundaries = &j->array[Y];
    for (int64_t b = 0; b < j->bins; ++b) {
        for (int side = 0; side < 2; ++side) {
            const int64_t i = b + side;
            if (boundaries->is_array)
                number_text(end[side], sizeof end[side], boundaries->dtype,
                            (const char *)boundaries->data +
                                (size_t)i * subwave_dtype_size(boundaries->dtype));
            else
                snprintf(end[side], sizeof end[side], "%.10g",
                         i == j->bins ? j->range[1] : j->range[0] + (double)i * width);
        }
        printf("%s %s %" PRId64 "\n", end[0], end[1], counts[b]);
    }
}

static void print_summary(const job *j)
{
    char duration[TEXT_SIZE], left[TEXT_SIZE] = "";
    if (has(j, COUNTS))
        snprintf(left, sizeof left, ", %" PRId64 " left", j->count);
    printf("%s: %s of %" PRId64 " elements%s, %s; %s; %s\n",
           j->path[OUT] ? j->path[OUT] : j->path[X], j->operation->name, j->array[X].rows, left,
           subwave_dtype_name(j->array[X].dtype), j->where.id, format_time(duration, j->seconds));
}

/* --- the calls ------------------------------------------------------------------------------- */

static subwave_status call_reduce(subwave_context *context, job *j)
{
    return subwave_reduce(context, j->array[X].dtype, j->op, j->order, j->array[X].rows, NULL,
                          j->memory[X], SUBWAVE_PLACE_HOST, j->result);
}

static bool prepare_dot(job *j)
{
    const npy_matrix *const x = &j->array[X], *const y = &j->array[Y];
    if (x->dtype == y->dtype && x->rows == y->rows && x->fortran == y->fortran)
        return true;
    return fail(j->operation->name,
                "%s is %" PRId64 " of %s, %s is %" PRId64
                " of %s; both must be the same, and lie in the same order",
                j->path[X], x->rows, subwave_dtype_name(x->dtype), j->path[Y], y->rows,
                subwave_dtype_name(y->dtype)),
           false;
}

static subwave_status call_dot(subwave_context *context, job *j)
{
    return subwave_dot(context, j->array[X].dtype, j->conjugation, j->order, j->array[X].rows,
                       j->memory[X], j->memory[Y], SUBWAVE_PLACE_HOST, j->result);
}

static subwave_status call_norm2(subwave_context *context, job *j)
{
    return subwave_norm2(context, j->array[X].dtype, j->order, j->array[X].rows, j->memory[X],
                         SUBWAVE_PLACE_HOST, j->result);
}

static subwave_status call_minmax_index(subwave_context *context, job *j)
{
    return subwave_minmax_index(context, j->array[X].dtype, j->op, j->array[X].rows, j->memory[X],
                                SUBWAVE_PLACE_HOST, j->result, &j->index);
}

static bool prepare_alike(job *j)
{
    j->array[OUT] = shaped_as(&j->array[X]);
    return true;
}

static subwave_status call_scan(subwave_context *context, job *j)
{
    return subwave_scan(context, j->array[X].dtype, j->op, j->scan, j->order, j->array[X].rows,
                        NULL, j->memory[X], j->memory[OUT]);
}

/* A row is what lies together: along the last index or, of an array by columns, the first one. */
static int row_index(const npy_matrix *array) { return array->fortran ? 0 : array->dimensions - 1; }

static bool prepare_row_reduce(job *j)
{
    const npy_matrix *const x = &j->array[X];
    if (x->dimensions == 0)
        return refuse(j, j->path[X], "the array has 0 dimensions, and so no rows");
    npy_matrix out = shaped_as(x);
    out.dimensions = 0;
    out.rows = 1;
    for (int d = 0; d < x->dimensions; ++d)
        if (d != row_index(x)) {
            out.sizes[out.dimensions++] = x->sizes[d];
            if (x->sizes[d] != 0 && out.rows > INT64_MAX / x->sizes[d])
                return refuse(j, j->path[X], "the rows exceed the address space");
            out.rows *= x->sizes[d];
        }
    j->array[OUT] = out;
    return true;
}

static subwave_status call_row_reduce(subwave_context *context, job *j)
{
    const npy_matrix *const x = &j->array[X];
    const int64_t length = x->sizes[row_index(x)];
    return subwave_row_reduce(context, x->dtype, j->op, j->array[OUT].rows, length, j->memory[X],
                              length > 0 ? length : 1, j->memory[OUT]);
}

static bool prepare_row_scan(job *j) { return prepare_row_reduce(j) && prepare_alike(j); }

static subwave_status call_row_scan(subwave_context *context, job *j)
{
    const npy_matrix *const x = &j->array[X];
    const int64_t length = x->sizes[row_index(x)], ld = length > 0 ? length : 1;
    return subwave_row_scan(context, x->dtype, j->op, j->scan, x->rows / ld, length, j->memory[X],
                            ld, j->memory[OUT], ld);
}

static bool prepare_row_minmax_index(job *j)
{
    const bool prepared = prepare_row_reduce(j);
    j->array[REST] = j->array[OUT];
    j->array[REST].dtype = SUBWAVE_DTYPE_I64;
    return prepared;
}

static subwave_status call_row_minmax_index(subwave_context *context, job *j)
{
    const npy_matrix *const x = &j->array[X];
    const int64_t length = x->sizes[row_index(x)];
    return subwave_row_minmax_index(context, x->dtype, j->op, j->array[OUT].rows, length,
                                    j->memory[X], length > 0 ? length : 1, j->memory[OUT],
                                    j->memory[REST]);
}

static bool prepare_segmented_reduce(job *j)
{
    const npy_matrix *const offsets = &j->array[Y];
    if ((offsets->dtype != SUBWAVE_DTYPE_I32 && offsets->dtype != SUBWAVE_DTYPE_I64) ||
        offsets->rows < 1)
        return fail(j->operation->name,
                    "%s is %" PRId64 " of %s; the offsets of s segments are s + 1 of i32 or i64",
                    j->path[Y], offsets->rows, subwave_dtype_name(offsets->dtype)),
               false;
    j->array[OUT] = line_of(j->array[X].dtype, offsets->rows - 1);
    return true;
}

static subwave_status call_segmented_reduce(subwave_context *context, job *j)
{
    return subwave_segmented_reduce(context, j->array[X].dtype, j->op, j->array[Y].dtype,
                                    j->array[OUT].rows, j->memory[Y], j->array[X].rows,
                                    j->memory[X], j->memory[OUT]);
}

static bool prepare_segmented_scan(job *j)
{
    return prepare_segmented_reduce(j) && prepare_alike(j);
}

/* Elements that belong to no segment stay as they are. */
static subwave_status call_segmented_scan(subwave_context *context, job *j)
{
    const npy_matrix *const x = &j->array[X];
    const subwave_status status = subwave_copy(context, j->memory[OUT], j->memory[X],
                                               (size_t)x->rows * subwave_dtype_size(x->dtype));
    return status != SUBWAVE_STATUS_SUCCESS
               ? status
               : subwave_segmented_scan(context, x->dtype, j->op, j->scan, j->array[Y].dtype,
                                        j->array[Y].rows - 1, j->memory[Y], x->rows, j->memory[OUT],
                                        j->memory[OUT]);
}

static bool check_flags(const job *j)
{
    const npy_matrix *const x = &j->array[X], *const flags = &j->array[Y];
    if (subwave_dtype_size(flags->dtype) == 1 && x->rows == flags->rows &&
        x->fortran == flags->fortran)
        return true;
    return fail(j->operation->name,
                "%s is %" PRId64 " of %s; the flags of %s are %" PRId64
                " of bool, u8 or i8, in the same order",
                j->path[Y], flags->rows, subwave_dtype_name(flags->dtype), j->path[X], x->rows),
           false;
}

/* The number to compare with as an element, which one of the integers must be. */
static bool set_scalar(job *j)
{
    const subwave_dtype dtype = j->array[X].dtype;
    double again = j->than[0];
    if (measure_parts(dtype) == 1) {
        measure_encode(dtype, 1, j->than, j->result);
        measure_decode(dtype, 1, j->result, &again);
    }
    return measure_is_floating(dtype) || again == j->than[0] ||
           (fail(j->operation->name, "%s is of %s, which has no %g", j->path[X],
                 subwave_dtype_name(dtype), j->than[0]),
            false);
}

static bool prepare_selection(job *j)
{
    if (j->flags_path ? !check_flags(j) : !isnan(j->than[0]) && !set_scalar(j))
        return false;
    j->array[OUT] = line_of(j->array[X].dtype, j->array[X].rows);
    if (j->path[REST])
        j->array[REST] = j->array[OUT];
    return true;
}

static subwave_status call_compact(subwave_context *context, job *j)
{
    const subwave_dtype dtype = j->array[X].dtype;
    const int64_t n = j->array[X].rows;
    return j->flags_path ? subwave_compact(context, dtype, n, j->memory[Y], j->memory[X],
                                           j->memory[OUT], j->count_memory)
                         : subwave_compact_if(context, dtype, j->comparison, j->result, n,
                                              j->memory[X], j->memory[OUT], j->count_memory);
}

static subwave_status call_partition(subwave_context *context, job *j)
{
    const subwave_dtype dtype = j->array[X].dtype;
    const int64_t n = j->array[X].rows;
    return j->flags_path
               ? subwave_partition(context, dtype, n, j->memory[Y], j->memory[X], j->memory[OUT],
                                   j->memory[REST], j->count_memory)
               : subwave_partition_if(context, dtype, j->comparison, j->result, n, j->memory[X],
                                      j->memory[OUT], j->memory[REST], j->count_memory);
}

static subwave_status call_unique(subwave_context *context, job *j)
{
    return subwave_unique(context, j->array[X].dtype, j->array[X].rows, j->memory[X],
                          j->memory[OUT], j->count_memory);
}

static bool prepare_transpose(job *j)
{
    const npy_matrix *const x = &j->array[X];
    if (x->dimensions != 2) {
        char error[NPY_ERROR_SIZE];
        snprintf(error, sizeof error, "the array has %d dimension%s; a matrix has 2", x->dimensions,
                 x->dimensions == 1 ? "" : "s");
        return refuse(j, j->path[X], error);
    }
    j->array[OUT] = shaped_as(x);
    j->array[OUT].sizes[0] = x->sizes[1];
    j->array[OUT].sizes[1] = x->sizes[0];
    return true;
}

static subwave_status call_transpose(subwave_context *context, job *j)
{
    /* By rows; a matrix that is stored by columns is, read by rows, its transpose. */
    const npy_matrix *const x = &j->array[X];
    const int64_t rows = x->sizes[x->fortran], columns = x->sizes[!x->fortran];
    return subwave_transpose(context, x->dtype, SUBWAVE_LAYOUT_ROW_MAJOR, rows, columns,
                             j->memory[X], columns > 0 ? columns : 1, j->memory[OUT],
                             rows > 0 ? rows : 1);
}

static bool prepare_histogram(job *j)
{
    const npy_matrix *const boundaries = &j->array[Y];
    if (j->boundaries_path) {
        if (boundaries->dtype != j->array[X].dtype || boundaries->rows < 2)
            return fail(j->operation->name,
                        "%s is %" PRId64
                        " of %s; the boundaries of b bins are b + 1 of %s, as %s is",
                        j->path[Y], boundaries->rows, subwave_dtype_name(boundaries->dtype),
                        subwave_dtype_name(j->array[X].dtype), j->path[X]),
                   false;
        j->bins = boundaries->rows - 1;
    }
    j->array[OUT] = line_of(SUBWAVE_DTYPE_I64, j->bins);
    return true;
}

/* From the least element to the greatest one, and as numpy.histogram does where there are no two. */
static subwave_status find_range(subwave_context *context, job *j)
{
    static const subwave_op ends[] = {SUBWAVE_OP_MINIMUM, SUBWAVE_OP_MAXIMUM};
    const subwave_dtype dtype = j->array[X].dtype;
    j->range[0] = 0;
    j->range[1] = 1;
    if (j->array[X].rows == 0)
        return SUBWAVE_STATUS_SUCCESS;
    for (int i = 0; i < 2; ++i) {
        const subwave_status status =
            subwave_reduce(context, dtype, ends[i], SUBWAVE_ORDER_FIXED, j->array[X].rows, NULL,
                           j->memory[X], SUBWAVE_PLACE_HOST, j->result);
        if (status != SUBWAVE_STATUS_SUCCESS)
            return status;
        measure_decode(dtype, 1, j->result, &j->range[i]);
    }
    if (j->range[0] == j->range[1]) {
        j->range[0] -= 0.5;
        j->range[1] += 0.5;
    }
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status call_histogram(subwave_context *context, job *j)
{
    const subwave_dtype dtype = j->array[X].dtype;
    const int64_t n = j->array[X].rows;
    if (j->boundaries_path)
        return subwave_histogram_by_boundaries(context, dtype, j->bins, j->memory[Y], n,
                                               j->memory[X], j->memory[OUT]);
    if (isnan(j->range[0])) {
        const subwave_status status = find_range(context, j);
        if (status != SUBWAVE_STATUS_SUCCESS)
            return status;
    }
    return subwave_histogram(context, dtype, j->bins, j->range[0], j->range[1], n, j->memory[X],
                             j->memory[OUT]);
}

/* --- on the device --------------------------------------------------------------------------- */

static size_t bytes_of(const npy_matrix *array)
{
    size_t bytes = 0;
    npy_size(array, &bytes);
    return bytes;
}

/* The first call loads the kernel; the second one is timed. */
static subwave_status compute(subwave_context *context, job *j)
{
    subwave_status status = subwave_context_info(context, &j->where);
    for (int i = 0; i < FILES && status == SUBWAVE_STATUS_SUCCESS; ++i) {
        if (!j->array[i].is_array)
            continue;
        const size_t bytes = bytes_of(&j->array[i]);
        status = subwave_malloc(context, &j->memory[i], (int64_t)bytes);
        if (i <= Y && status == SUBWAVE_STATUS_SUCCESS && bytes > 0)
            status = subwave_copy(context, j->memory[i], j->array[i].data, (int64_t)bytes);
    }
    if (status == SUBWAVE_STATUS_SUCCESS && has(j, COUNTS))
        status = subwave_malloc(context, &j->count_memory, sizeof j->count);
    for (int i = 0; i < 2 && status == SUBWAVE_STATUS_SUCCESS; ++i) {
        const double start = measure_now();
        status = j->operation->call(context, j);
        if (status == SUBWAVE_STATUS_SUCCESS)
            status = subwave_synchronize(context);
        j->seconds = measure_now() - start;
    }
    if (status == SUBWAVE_STATUS_SUCCESS && has(j, COUNTS)) {
        status = subwave_copy(context, &j->count, j->count_memory, sizeof j->count);
        if (j->array[REST].is_array)
            j->array[REST].rows = j->array[REST].sizes[0] = j->array[X].rows - j->count;
        j->array[OUT].rows = j->array[OUT].sizes[0] = j->count;
    }
    for (int i = OUT; i < FILES && status == SUBWAVE_STATUS_SUCCESS; ++i)
        if (j->array[i].is_array && bytes_of(&j->array[i]) > 0)
            status = subwave_copy(context, j->array[i].data, j->memory[i],
                                  (int64_t)bytes_of(&j->array[i]));
    return status;
}

static bool compute_on_device(subwave_context *context, job *j)
{
    const subwave_status status = compute(context, j);
    if (status != SUBWAVE_STATUS_SUCCESS)
        fail(j->operation->name, "%s: %s", j->where.id, subwave_last_error(context));
    for (int i = 0; i < FILES; ++i)
        subwave_free(context, j->memory[i]);
    subwave_free(context, j->count_memory);
    return status == SUBWAVE_STATUS_SUCCESS;
}

/* What can be seen to be wrong at once is told before anything is read or computed. */
static int run(job *j)
{
    char error[NPY_ERROR_SIZE];
    subwave_context *context;
    for (int i = OUT; i <= REST; ++i)
        if (j->path[i] && !npy_check_target(j->path[i], error))
            return refuse(j, j->path[i], error), EXIT_FAILURE;
    const subwave_status status = subwave_context_create(&context, j->device);
    if (status == SUBWAVE_STATUS_INVALID_VALUE)
        return usage_error(j->operation->name, "%s", subwave_last_error(NULL));
    if (status != SUBWAVE_STATUS_SUCCESS)
        return fail(j->operation->name, "%s", subwave_last_error(NULL));
    const bool done = read_inputs(j) && (!j->operation->prepare || j->operation->prepare(j)) &&
                      make_room(j) && compute_on_device(context, j);
    subwave_context_destroy(&context);
    if (!done || !write_outputs(j))
        return EXIT_FAILURE;
    if (!j->path[OUT])
        j->operation->print(j);
    if (!j->quiet)
        print_summary(j);
    return EXIT_SUCCESS;
}

/* --- the commands ---------------------------------------------------------------------------- */

static const operation operations[] = {
    {"reduce", "X.npy", "Prints op over all elements.\n", 1, OPTION_OP | OPTION_ORDER, NULL,
     call_reduce, print_number},
    {"dot", "X.npy Y.npy",
     "Prints the sum of the products of the elements of X and Y; of complex ones two numbers.\n", 2,
     OPTION_CONJUGATION | OPTION_ORDER, prepare_dot, call_dot, print_number},
    {"norm2", "X.npy", "Prints the square root of the sum of all squares.\n", 1, OPTION_ORDER, NULL,
     call_norm2, print_norm},
    {"minmax_index", "X.npy",
     "Prints the least or the greatest element and the index of the first one, counted from 0 in\n"
     "the order in which the file has them.\n",
     1, OPTION_MINMAX, NULL, call_minmax_index, print_place},
    {"scan", "X.npy -o OUT.npy",
     "Writes op over the elements up to each, in the order in which the file has them.\n", 1,
     OPTION_OUTPUT | OPTION_OP | OPTION_SCAN | OPTION_ORDER, prepare_alike, call_scan, NULL},
    {"row_reduce", "X.npy -o OUT.npy",
     "Writes op over each row: the elements along the last index, which OUT lacks; in Fortran order\n"
     "along the first one.\n",
     1, OPTION_OUTPUT | OPTION_OP, prepare_row_reduce, call_row_reduce, NULL},
    {"row_scan", "X.npy -o OUT.npy",
     "Writes op over the elements up to each in its row, a row being as `subwave row_reduce` has it.\n",
     1, OPTION_OUTPUT | OPTION_OP | OPTION_SCAN, prepare_row_scan, call_row_scan, NULL},
    {"row_minmax_index", "X.npy -o OUT.npy --at PLACES.npy",
     "Writes the least or the greatest element of each row, as `subwave row_reduce` has them, and to\n"
     "a second file their places in the rows, counted from 0, as int64.\n",
     1, OPTION_OUTPUT | OPTION_PLACES | OPTION_MINMAX, prepare_row_minmax_index,
     call_row_minmax_index, NULL},
    {"segmented_reduce", "X.npy OFFSETS.npy -o OUT.npy",
     "Writes op over each segment: the elements from an offset to below the next one, of int32 or\n"
     "int64, in the order in which the file has them.\n",
     2, OPTION_OUTPUT | OPTION_OP, prepare_segmented_reduce, call_segmented_reduce, NULL},
    {"segmented_scan", "X.npy OFFSETS.npy -o OUT.npy",
     "Writes op over the elements up to each in its segment; elements of no segment stay as they are.\n",
     2, OPTION_OUTPUT | OPTION_OP | OPTION_SCAN, prepare_segmented_scan, call_segmented_scan, NULL},
    {"compact", "X.npy -o OUT.npy",
     "Writes the elements whose flag is not 0, or that compare with a number as asked for, as an array "
     "of\none dimension, in the order in which the file has them.\n",
     1, OPTION_OUTPUT | OPTION_SELECTION | COUNTS, prepare_selection, call_compact, NULL},
    {"partition", "X.npy -o OUT.npy --rest REST.npy",
     "Writes the elements that `subwave compact` would, and to a second file the others.\n", 1,
     OPTION_OUTPUT | OPTION_SELECTION | OPTION_REST | COUNTS, prepare_selection, call_partition,
     NULL},
    {"unique", "X.npy -o OUT.npy",
     "Writes the elements that differ from the one before them, in the order in which the file has\n"
     "them, as an array of one dimension.\n",
     1, OPTION_OUTPUT | COUNTS, prepare_selection, call_unique, NULL},
    {"histogram", "X.npy",
     "Prints a line for each bin: where it begins and ends, and how many elements it has; or writes\n"
     "these numbers of elements as int64. perf/plot_histogram.py draws what is printed.\n",
     1, OPTION_OUTPUT | OPTION_HISTOGRAM | MAY_LACK_OUTPUT, prepare_histogram, call_histogram,
     print_bins},
    {"transpose", "X.npy -o OUT.npy", "Writes the transpose of a matrix.\n", 1, OPTION_OUTPUT,
     prepare_transpose, call_transpose, NULL},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* What of the command line contradicts itself, or null. */
static const char *find_contradiction(const job *j)
{
    if (has(j, OPTION_OUTPUT) && !has(j, MAY_LACK_OUTPUT) && !j->path[OUT])
        return "-o OUT.npy is missing";
    if (has(j, OPTION_REST) && !j->path[REST])
        return "--rest REST.npy is missing";
    if (has(j, OPTION_PLACES) && !j->path[REST])
        return "--at PLACES.npy is missing";
    if (has(j, OPTION_SELECTION) && (j->flags_path != NULL) != (isnan(j->than[0]) != 0))
        return "it takes --flags FLAGS.npy or --than X";
    if (j->than[1] != 0)
        return "--than is a complex number; it takes a real one";
    if (j->bins != UNSET && j->boundaries_path)
        return "it takes --bins COUNT or --boundaries B.npy";
    if (!isnan(j->range[0]) && j->boundaries_path)
        return "it takes --range LOWER,UPPER or --boundaries B.npy";
    for (int i = 0; i < FILES; ++i)
        if (j->path[i] && strcmp(j->path[i], "-") == 0)
            return "\"-\" is no file; standard input and output are not taken";
    return NULL;
}

int array_main(int argc, char **argv)
{
    const operation *operation = operations;
    while (strcmp(argv[0], operation->name) != 0)
        ++operation;
    job j = {.operation = operation,
             .op = operation->options & OPTION_MINMAX ? SUBWAVE_OP_MINIMUM : SUBWAVE_OP_PLUS,
             .order = SUBWAVE_ORDER_FIXED,
             .scan = SUBWAVE_SCAN_INCLUSIVE,
             .conjugation = SUBWAVE_CONJUGATION_NONE,
             .comparison = SUBWAVE_COMPARISON_GREATER,
             .than = {NAN, 0},
             .range = {NAN, NAN},
             .bins = UNSET};
    const struct {
        unsigned of;
        option option;
    } all[] = {
        {OPTION_OUTPUT,
         {.name = "--output",
          .letter = 'o',
          .value = "OUT.npy",
          .take = take_text,
          .target = &j.path[OUT],
          .help = "where to write; written whole or not at all"}},
        {OPTION_REST,
         {.name = "--rest",
          .value = "REST.npy",
          .take = take_text,
          .target = &j.path[REST],
          .help = "where to write the others, likewise"}},
        {OPTION_PLACES,
         {.name = "--at",
          .value = "PLACES.npy",
          .take = take_text,
          .target = &j.path[REST],
          .help = "where to write the places, likewise"}},
        {OPTION_OP,
         {.name = "--op", .value = "OP", .take = take_op, .target = &j.op, .help = "(plus)"}},
        {OPTION_MINMAX,
         {.name = "--op",
          .value = "OP",
          .take = take_minmax,
          .target = &j.op,
          .help = "(minimum)"}},
        {OPTION_SCAN,
         {.name = "--scan",
          .value = "SCAN",
          .take = take_scan,
          .target = &j.scan,
          .help = "(inclusive)"}},
        {OPTION_CONJUGATION,
         {.name = "--conjugation",
          .value = "FACTOR",
          .take = take_conjugation,
          .target = &j.conjugation,
          .help = "(none)"}},
        {OPTION_SELECTION,
         {.name = "--flags",
          .value = "FLAGS.npy",
          .take = take_text,
          .target = &j.flags_path,
          .help = "which elements: as many of bool, uint8 or int8, not 0"}},
        {OPTION_SELECTION,
         {.name = "--than",
          .value = "X",
          .take = take_scalar,
          .target = j.than,
          .help = "what elements are compared with, in place of flags"}},
        {OPTION_SELECTION,
         {.name = "--comparison",
          .value = "NAME",
          .take = take_comparison,
          .target = &j.comparison,
          .help = "with --than (greater)"}},
        {OPTION_HISTOGRAM,
         {.name = "--bins",
          .value = "COUNT",
          .take = take_size,
          .target = &j.bins,
          .help = "of the same width (10)"}},
        {OPTION_HISTOGRAM,
         {.name = "--range",
          .value = "LOWER,UPPER",
          .take = take_range,
          .target = j.range,
          .help =
              "where the bins begin and end; without it, at the least and the greatest element"}},
        {OPTION_HISTOGRAM,
         {.name = "--boundaries",
          .value = "B.npy",
          .take = take_text,
          .target = &j.boundaries_path,
          .help = "bins between these numbers, in place of equal ones"}},
        {OPTION_ORDER,
         {.name = "--order",
          .value = "ORDER",
          .take = take_order,
          .target = &j.order,
          .help = "(fixed)"}},
        {~0u,
         {.name = "--device",
          .value = "ID",
          .take = take_text,
          .target = &j.device,
          .help = "a device of `subwave info`; without it, the one with the star"}},
        {~0u,
         {.name = "--quiet",
          .take = take_flag,
          .target = &j.quiet,
          .help = "print the result alone, or nothing"}},
    };
    option options[sizeof all / sizeof *all];
    static const char *const operand_names[] = {"X.npy", "Y.npy"};
    char about[512], usage[64];
    snprintf(usage, sizeof usage, "%s [OPTION]...", operation->usage);
    snprintf(
        about, sizeof about,
        "%sFiles are NumPy's .npy, versions 1 to 3, of any shape, in either byte order: int8 to "
        "int64,\nuint8 to uint64, float16 to float64, complex64 and complex128 where the call "
        "takes them.\n",
        operation->about);
    command c = {.name = operation->name,
                 .usage = usage,
                 .about = about,
                 .options = options,
                 .operand_names = operand_names,
                 .operand_count = operation->operands};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (all[i].of == ~0u || (operation->options & all[i].of))
            options[c.option_count++] = all[i].option;
    const char *operands[2] = {NULL};
    int code;
    if (!parse_options(&c, argc, argv, operands, &code))
        return code;
    j.path[X] = operands[0];
    j.path[Y] = operation->operands == 2 ? operands[1]
                : j.flags_path           ? j.flags_path
                                         : j.boundaries_path;
    const char *const contradiction = find_contradiction(&j);
    if (contradiction)
        return usage_error(c.name, "%s", contradiction);
    if (j.bins == UNSET)
        j.bins = 10;
    code = run(&j);
    free_files(&j);
    return code;
}
