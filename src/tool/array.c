/* SPDX-License-Identifier: MIT
 * array.c: `subwave reduce`, `dot`, `norm2`, `minmax_index`, `scan`, `compact`, `unique` and `transpose`:
 * the calls on whole arrays with NumPy's files.
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

typedef struct job {
    const char *name; /* of the command, and so of the call */
    const char *x_path, *y_path, *out_path, *device;
    subwave_op op;
    subwave_order order;
    subwave_scan_kind scan;
    subwave_conjugation conjugation;
    subwave_comparison comparison;
    const char *flags_path; /* read as y */
    double than[2];         /* NaN if not given */
    bool quiet;

    npy_matrix x, y, out;     /* out: what is written to a file */
    unsigned char result[16]; /* or the scalar that elements are compared with */
    int64_t index, count;
    subwave_device_properties where;
    double seconds;
} job;

static bool is_call(const job *j, const char *name) { return strcmp(j->name, name) == 0; }

static bool selects(const job *j) { return is_call(j, "compact") || is_call(j, "unique"); }

static subwave_dtype result_type(const job *j)
{
    return is_call(j, "norm2") ? measure_part(j->x.dtype) : j->x.dtype;
}

static bool is_byte(subwave_dtype dtype)
{
    return dtype == SUBWAVE_DTYPE_U8 || dtype == SUBWAVE_DTYPE_I8;
}

static bool read_flags(job *j)
{
    char error[NPY_ERROR_SIZE];
    if (!npy_read_array(j->flags_path, &j->y, error))
        return fail(j->name, "%s: %s", j->flags_path, error), false;
    if (!is_byte(j->y.dtype) || j->x.rows != j->y.rows || j->x.fortran != j->y.fortran)
        return fail(j->name,
                    "%s is %" PRId64 " of %s; the flags of %s are %" PRId64
                    " of u8 or i8, in the same order",
                    j->flags_path, j->y.rows, subwave_dtype_name(j->y.dtype), j->x_path, j->x.rows),
               false;
    return true;
}

/* The number to compare with as an element, which one of the integers must be. */
static bool read_scalar(job *j)
{
    double again = j->than[0];
    if (measure_parts(j->x.dtype) == 1) {
        measure_encode(j->x.dtype, 1, j->than, j->result);
        measure_decode(j->x.dtype, 1, j->result, &again);
    }
    return measure_is_floating(j->x.dtype) || again == j->than[0] ||
           (fail(j->name, "%s is of %s, which has no %g", j->x_path, subwave_dtype_name(j->x.dtype),
                 j->than[0]),
            false);
}

static bool read_inputs(job *j)
{
    char error[NPY_ERROR_SIZE];
    const bool is_matrix = is_call(j, "transpose");
    if (!(is_matrix ? npy_read : npy_read_array)(j->x_path, &j->x, error))
        return fail(j->name, "%s: %s", j->x_path, error), false;
    if (j->y_path) {
        if (!npy_read_array(j->y_path, &j->y, error))
            return fail(j->name, "%s: %s", j->y_path, error), false;
        if (j->x.dtype != j->y.dtype || j->x.rows != j->y.rows || j->x.fortran != j->y.fortran)
            return fail(j->name,
                        "%s is %" PRId64 " of %s, %s is %" PRId64
                        " of %s; both must be the same, and lie in the same order",
                        j->x_path, j->x.rows, subwave_dtype_name(j->x.dtype), j->y_path, j->y.rows,
                        subwave_dtype_name(j->y.dtype)),
                   false;
    }
    if (j->flags_path ? !read_flags(j) : !isnan(j->than[0]) && !read_scalar(j))
        return false;
    if (!j->out_path)
        return true;
    size_t bytes = 0;
    npy_size(&j->x, &bytes);
    j->out = j->x;
    if (selects(j)) {
        j->out.fortran = false;
        j->out.dimensions = 1;
    }
    if (is_matrix) {
        j->out.rows = j->x.columns;
        j->out.columns = j->x.rows;
    }
    j->out.data = malloc(bytes ? bytes : 1);
    return j->out.data || (fail(j->name, "%s: no memory for %zu bytes", j->out_path, bytes), false);
}

static subwave_status call(subwave_context *context, job *j, const void *x, const void *y,
                           void *out, void *count)
{
    const subwave_dtype dtype = j->x.dtype;
    const int64_t n = j->x.rows;
    if (is_call(j, "reduce"))
        return subwave_reduce(context, dtype, j->op, j->order, n, NULL, x, SUBWAVE_PLACE_HOST,
                              j->result);
    if (is_call(j, "dot"))
        return subwave_dot(context, dtype, j->conjugation, j->order, n, x, y, SUBWAVE_PLACE_HOST,
                           j->result);
    if (is_call(j, "norm2"))
        return subwave_norm2(context, dtype, j->order, n, x, SUBWAVE_PLACE_HOST, j->result);
    if (is_call(j, "minmax_index"))
        return subwave_minmax_index(context, dtype, j->op, n, x, SUBWAVE_PLACE_HOST, j->result,
                                    &j->index);
    if (is_call(j, "scan"))
        return subwave_scan(context, dtype, j->op, j->scan, j->order, n, NULL, x, out);
    if (is_call(j, "unique"))
        return subwave_unique(context, dtype, n, x, out, count);
    if (j->flags_path)
        return subwave_compact(context, dtype, n, y, x, out, count);
    if (is_call(j, "compact"))
        return subwave_compact_if(context, dtype, j->comparison, j->result, n, x, out, count);
    /* By rows; a matrix that is stored by columns is, read by rows, its transpose. */
    const int64_t rows = j->x.fortran ? j->x.columns : j->x.rows,
                  columns = j->x.fortran ? j->x.rows : j->x.columns;
    return subwave_transpose(context, dtype, SUBWAVE_LAYOUT_ROW_MAJOR, rows, columns, x,
                             columns > 0 ? columns : 1, out, rows > 0 ? rows : 1);
}

static subwave_status place(subwave_context *context, void **memory, const npy_matrix *array)
{
    size_t bytes = 0;
    if (array->data)
        npy_size(array, &bytes);
    const subwave_status status = subwave_malloc(context, memory, (int64_t)bytes);
    return status == SUBWAVE_STATUS_SUCCESS && bytes > 0
               ? subwave_copy(context, *memory, array->data, (int64_t)bytes)
               : status;
}

/* The first call loads the kernel; the second one is timed. */
static subwave_status compute(subwave_context *context, job *j, void *memory[4])
{
    const npy_matrix *const arrays[] = {&j->x, &j->y, &j->out};
    subwave_status status = subwave_context_info(context, &j->where);
    for (int i = 0; i < 3 && status == SUBWAVE_STATUS_SUCCESS; ++i)
        if (i != 2 || j->out_path)
            status = place(context, &memory[i], i == 2 ? &j->x : arrays[i]);
    if (status == SUBWAVE_STATUS_SUCCESS && selects(j))
        status = subwave_malloc(context, &memory[3], sizeof j->count);
    for (int i = 0; i < 2 && status == SUBWAVE_STATUS_SUCCESS; ++i) {
        const double start = measure_now();
        status = call(context, j, memory[0], memory[1], memory[2], memory[3]);
        if (status == SUBWAVE_STATUS_SUCCESS)
            status = subwave_synchronize(context);
        j->seconds = measure_now() - start;
    }
    if (status == SUBWAVE_STATUS_SUCCESS && selects(j)) {
        status = subwave_copy(context, &j->count, memory[3], sizeof j->count);
        j->out.rows = j->out.sizes[0] = j->count;
    }
    if (status != SUBWAVE_STATUS_SUCCESS || !j->out_path)
        return status;
    size_t bytes = 0;
    npy_size(&j->out, &bytes);
    return subwave_copy(context, j->out.data, memory[2], (int64_t)bytes);
}

static bool compute_on_device(subwave_context *context, job *j)
{
    void *memory[4] = {NULL};
    const subwave_status status = compute(context, j, memory);
    if (status != SUBWAVE_STATUS_SUCCESS)
        fail(j->name, "%s: %s", j->where.id, subwave_last_error(context));
    for (int i = 0; i < 4; ++i)
        subwave_free(context, memory[i]);
    return status == SUBWAVE_STATUS_SUCCESS;
}

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

static void print_result(const job *j)
{
    char number[2 * TEXT_SIZE], duration[TEXT_SIZE];
    if (!j->out_path) {
        printf("%s", number_text(number, sizeof number, result_type(j), j->result));
        if (is_call(j, "minmax_index"))
            printf(" at %" PRId64, j->index);
        putchar('\n');
    }
    char left[TEXT_SIZE] = "";
    if (selects(j))
        snprintf(left, sizeof left, ", %" PRId64 " left", j->count);
    if (!j->quiet)
        printf("%s: %s of %" PRId64 " elements%s, %s; %s; %s\n",
               j->out_path ? j->out_path : j->x_path, j->name, j->x.rows * j->x.columns, left,
               subwave_dtype_name(j->x.dtype), j->where.id, format_time(duration, j->seconds));
}

/* What can be seen to be wrong at once is told before anything is read or computed. */
static int run(job *j)
{
    char error[NPY_ERROR_SIZE];
    subwave_context *context;
    if (j->out_path && !npy_check_target(j->out_path, error))
        return fail(j->name, "%s: %s", j->out_path, error);
    const subwave_status status = subwave_context_create(&context, j->device);
    if (status == SUBWAVE_STATUS_INVALID_VALUE)
        return usage_error(j->name, "%s", subwave_last_error(NULL));
    if (status != SUBWAVE_STATUS_SUCCESS)
        return fail(j->name, "%s", subwave_last_error(NULL));
    const bool done = read_inputs(j) && compute_on_device(context, j);
    subwave_context_destroy(&context);
    if (!done)
        return EXIT_FAILURE;
    if (j->out_path && !npy_write(j->out_path, &j->out, error))
        return fail(j->name, "%s: %s", j->out_path, error);
    print_result(j);
    return EXIT_SUCCESS;
}

/* --- the commands ---------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int inputs;
    bool writes, has_op, has_order;
    const char *about;
} commands[] = {
    {"reduce", 1, false, true, true, "Prints op over all elements.\n"},
    {"dot", 2, false, false, true,
     "Prints the sum of the products of the elements of X and Y; of complex ones two numbers.\n"},
    {"norm2", 1, false, false, true, "Prints the square root of the sum of all squares.\n"},
    {"minmax_index", 1, false, true, false,
     "Prints the least or the greatest element and the index of the first one, counted from 0 in\n"
     "the order in which the file has them.\n"},
    {"scan", 1, true, true, true,
     "Writes op over the elements up to each, in the order in which the file has them.\n"},
    {"compact", 1, true, false, false,
     "Writes the elements whose flag is not 0, or that compare with a number as asked for, as an array "
     "of\none dimension, in the order in which the file has them.\n"},
    {"unique", 1, true, false, false,
     "Writes the elements that differ from the one before them, in the order in which the file has\n"
     "them, as an array of one dimension.\n"},
    {"transpose", 1, true, false, false,
     "Writes the transpose of a matrix, of float16, float32, float64, int8 or int32.\n"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

int array_main(int argc, char **argv)
{
    int which = 0;
    while (which < COMMANDS && strcmp(argv[0], commands[which].name) != 0)
        ++which;
    const bool finds = strcmp(argv[0], "minmax_index") == 0;
    job j = {.name = commands[which].name,
             .op = finds ? SUBWAVE_OP_MINIMUM : SUBWAVE_OP_PLUS,
             .order = SUBWAVE_ORDER_FIXED,
             .scan = SUBWAVE_SCAN_INCLUSIVE,
             .conjugation = SUBWAVE_CONJUGATION_NONE,
             .comparison = SUBWAVE_COMPARISON_GREATER,
             .than = {NAN, 0}};
    const bool compacts = strcmp(argv[0], "compact") == 0;
    const struct {
        bool taken;
        option option;
    } all[] = {
        {commands[which].writes,
         {.name = "--output",
          .letter = 'o',
          .value = "OUT.npy",
          .take = take_text,
          .target = &j.out_path,
          .help = "where to write; written whole or not at all"}},
        {commands[which].has_op && !finds,
         {.name = "--op", .value = "OP", .take = take_op, .target = &j.op, .help = "(plus)"}},
        {finds,
         {.name = "--op",
          .value = "OP",
          .take = take_minmax,
          .target = &j.op,
          .help = "(minimum)"}},
        {strcmp(argv[0], "scan") == 0,
         {.name = "--scan",
          .value = "SCAN",
          .take = take_scan,
          .target = &j.scan,
          .help = "(inclusive)"}},
        {strcmp(argv[0], "dot") == 0,
         {.name = "--conjugation",
          .value = "FACTOR",
          .take = take_conjugation,
          .target = &j.conjugation,
          .help = "(none)"}},
        {compacts,
         {.name = "--flags",
          .value = "FLAGS.npy",
          .take = take_text,
          .target = &j.flags_path,
          .help = "which elements: as many of uint8 or int8, not 0"}},
        {compacts,
         {.name = "--than",
          .value = "X",
          .take = take_scalar,
          .target = j.than,
          .help = "what elements are compared with, in place of flags"}},
        {compacts,
         {.name = "--comparison",
          .value = "NAME",
          .take = take_comparison,
          .target = &j.comparison,
          .help = "with --than (greater)"}},
        {commands[which].has_order,
         {.name = "--order",
          .value = "ORDER",
          .take = take_order,
          .target = &j.order,
          .help = "(fixed)"}},
        {true,
         {.name = "--device",
          .value = "ID",
          .take = take_text,
          .target = &j.device,
          .help = "a device of `subwave info`; without it, the one with the star"}},
        {true,
         {.name = "--quiet",
          .take = take_flag,
          .target = &j.quiet,
          .help = "print the result alone, or nothing"}},
    };
    option options[sizeof all / sizeof *all];
    static const char *const operand_names[] = {"X.npy", "Y.npy"};
    char about[512];
    snprintf(about, sizeof about,
             "%sFiles are NumPy's .npy, versions 1 to 3%s, in either byte order.\n",
             commands[which].about,
             strcmp(argv[0], "transpose") == 0
                 ? ""
                 : ", of any shape: int8 to int64, uint8 to uint64,\nfloat16 to float64, complex64 "
                   "and complex128 where the call takes them");
    command c = {.name = j.name,
                 .usage = commands[which].inputs == 2 ? "X.npy Y.npy [OPTION]..."
                          : commands[which].writes    ? "X.npy -o OUT.npy [OPTION]..."
                                                      : "X.npy [OPTION]...",
                 .about = about,
                 .options = options,
                 .operand_names = operand_names,
                 .operand_count = commands[which].inputs};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (all[i].taken)
            options[c.option_count++] = all[i].option;
    const char *operands[2] = {NULL};
    int code;
    if (!parse_options(&c, argc, argv, operands, &code))
        return code;
    j.x_path = operands[0];
    j.y_path = operands[1];
    if (commands[which].writes && !j.out_path)
        return usage_error(c.name, "-o OUT.npy is missing");
    if (compacts && (j.flags_path != NULL) != (isnan(j.than[0]) != 0))
        return usage_error(c.name, "it takes --flags FLAGS.npy or --than X");
    if (j.than[1] != 0)
        return usage_error(c.name, "--than is a complex number; it takes a real one");
    const char *const paths[] = {j.x_path, j.y_path, j.out_path, j.flags_path};
    for (int i = 0; i < 4; ++i)
        if (paths[i] && strcmp(paths[i], "-") == 0)
            return usage_error(c.name, "\"-\" is no file; standard input and output are not taken");
    code = run(&j);
    free(j.x.data);
    free(j.y.data);
    free(j.out.data);
    return code;
}
