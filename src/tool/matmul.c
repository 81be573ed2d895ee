/* SPDX-License-Identifier: MIT
 * matmul.c: `subwave matmul`: C = alpha op(A) op(B) + beta C0 with matrices in NumPy's files.
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
    const char *a_path, *b_path, *c_path, *add_path, *device;
    subwave_variant variant;
    bool transpose_a, transpose_b, quiet;
    double alpha[2], beta[2]; /* parts */

    npy_matrix a, b, c;
    int64_t m, n, k;
    subwave_device_properties where;
    double seconds;
} job;

/* A matrix stored by columns is, read by rows, its transpose: no element needs to move. */
static int64_t stored_columns(const npy_matrix *matrix)
{
    const int64_t columns = matrix->fortran ? matrix->rows : matrix->columns;
    return columns > 0 ? columns : 1;
}

static subwave_transpose_kind stored_transpose(const npy_matrix *matrix, bool transpose)
{
    return matrix->fortran != transpose ? SUBWAVE_TRANSPOSE_YES : SUBWAVE_TRANSPOSE_NONE;
}

static bool read_input(const char *path, npy_matrix *matrix)
{
    char error[NPY_ERROR_SIZE];
    if (npy_read(path, matrix, error))
        return true;
    fail("matmul", "%s: %s", path, error);
    return false;
}

/* C starts as C0, or with room for the product. Only C0 is reordered: the result is by rows. */
static bool prepare_c(job *j)
{
    size_t bytes;
    j->c = (npy_matrix){.dtype = measure_product(j->a.dtype), .rows = j->m, .columns = j->n};
    if (!npy_size(&j->c, &bytes) || !(j->c.data = malloc(bytes ? bytes : 1))) {
        fail("matmul", "%s: no memory for the product, %" PRId64 " x %" PRId64, j->c_path, j->m,
             j->n);
        return false;
    }
    if (!j->add_path)
        return true;
    npy_matrix add;
    if (!read_input(j->add_path, &add))
        return false;
    const bool fits = add.dtype == j->c.dtype && add.rows == j->m && add.columns == j->n;
    if (!fits) {
        fail("matmul",
             "%s: is %" PRId64 " x %" PRId64 " of %s, but the product is %" PRId64 " x %" PRId64
             " of %s",
             j->add_path, add.rows, add.columns, subwave_dtype_name(add.dtype), j->m, j->n,
             subwave_dtype_name(j->c.dtype));
    } else if (!add.fortran) {
        memcpy(j->c.data, add.data, bytes);
    } else {
        const size_t size = subwave_dtype_size(add.dtype);
        for (int64_t row = 0; row < j->m; ++row)
            for (int64_t column = 0; column < j->n; ++column)
                memcpy((char *)j->c.data + (size_t)(row * j->n + column) * size,
                       (const char *)add.data + (size_t)(column * j->m + row) * size, size);
    }
    free(add.data);
    return fits;
}

static bool check_factor(const job *j, const char *name, const double factor[2])
{
    const subwave_dtype sums = measure_sums(j->a.dtype);
    const bool exceeds = !isfinite((float)factor[0]) || !isfinite((float)factor[1]);
    if (factor[1] != 0 && measure_parts(sums) == 1)
        fail("matmul", "%s is a complex number, but %s is of %s", name, j->a_path,
             subwave_dtype_name(j->a.dtype));
    else if (!measure_is_scalar(j->a.dtype, factor[0]))
        fail("matmul", "%s is no int32, the type of factors where %s is of %s", name, j->a_path,
             subwave_dtype_name(j->a.dtype));
    else if (measure_part(sums) == SUBWAVE_DTYPE_F32 && exceeds)
        fail("matmul", "%s exceeds float32, the type of factors where %s is of %s", name, j->a_path,
             subwave_dtype_name(j->a.dtype));
    else
        return true;
    return false;
}

static bool read_inputs(job *j)
{
    if (!read_input(j->a_path, &j->a) || !read_input(j->b_path, &j->b))
        return false;
    if (j->a.dtype != j->b.dtype) {
        fail("matmul", "%s is %s but %s is %s; both must have the same type", j->a_path,
             subwave_dtype_name(j->a.dtype), j->b_path, subwave_dtype_name(j->b.dtype));
        return false;
    }
    j->m = j->transpose_a ? j->a.columns : j->a.rows;
    j->k = j->transpose_a ? j->a.rows : j->a.columns;
    j->n = j->transpose_b ? j->b.rows : j->b.columns;
    const int64_t b_rows = j->transpose_b ? j->b.columns : j->b.rows;
    if (j->k != b_rows) {
        fail("matmul",
             "the shapes do not match: %s%s is %" PRId64 " x %" PRId64 ", %s%s is %" PRId64
             " x %" PRId64,
             j->a_path, j->transpose_a ? ", transposed," : "", j->m, j->k, j->b_path,
             j->transpose_b ? ", transposed," : "", b_rows, j->n);
        return false;
    }
    return check_factor(j, "--alpha", j->alpha) && check_factor(j, "--beta", j->beta) &&
           prepare_c(j);
}

/* Room for `matrix` on the device, filled when `fill` says so. */
static subwave_status place(subwave_context *context, void **memory, const npy_matrix *matrix,
                            bool fill)
{
    size_t bytes = 0;
    npy_size(matrix, &bytes);
    const subwave_status status = subwave_malloc(context, memory, (int64_t)bytes);
    return status != SUBWAVE_STATUS_SUCCESS || !fill
               ? status
               : subwave_copy(context, *memory, matrix->data, (int64_t)bytes);
}

static subwave_status multiply_once(subwave_context *context, const job *j, int64_t m, int64_t n,
                                    int64_t k, const double beta[2], void *const memory[3])
{
    const subwave_dtype sums = measure_sums(j->a.dtype);
    double alpha_memory[2], beta_memory[2]; /* room for any */
    measure_encode(sums, 1, j->alpha, alpha_memory);
    measure_encode(sums, 1, beta, beta_memory);
    return subwave_matmul(context, j->variant, j->a.dtype, SUBWAVE_LAYOUT_ROW_MAJOR,
                          stored_transpose(&j->a, j->transpose_a),
                          stored_transpose(&j->b, j->transpose_b), m, n, k, alpha_memory, memory[0],
                          stored_columns(&j->a), memory[1], stored_columns(&j->b), beta_memory,
                          memory[2], j->n > 0 ? j->n : 1);
}

static subwave_status multiply(subwave_context *context, job *j, void *memory[3])
{
    size_t c_bytes = 0;
    npy_size(&j->c, &c_bytes);
    subwave_status status = subwave_context_info(context, &j->where);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = place(context, &memory[0], &j->a, true);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = place(context, &memory[1], &j->b, true);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = place(context, &memory[2], &j->c, false);
    /* One element first, so that loading the kernel is not timed as arithmetic. */
    if (status == SUBWAVE_STATUS_SUCCESS && c_bytes > 0 && j->k > 0)
        status = multiply_once(context, j, 1, 1, 1, (const double[2]){0}, memory);
    if (status == SUBWAVE_STATUS_SUCCESS && j->add_path)
        status = subwave_copy(context, memory[2], j->c.data, (int64_t)c_bytes);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = subwave_synchronize(context);

    const double start = measure_now();
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = multiply_once(context, j, j->m, j->n, j->k, j->beta, memory);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = subwave_synchronize(context);
    j->seconds = measure_now() - start;
    return status == SUBWAVE_STATUS_SUCCESS
               ? subwave_copy(context, j->c.data, memory[2], (int64_t)c_bytes)
               : status;
}

static bool multiply_on_device(subwave_context *context, job *j)
{
    void *memory[3] = {NULL};
    const subwave_status status = multiply(context, j, memory);
    if (status != SUBWAVE_STATUS_SUCCESS)
        fail("matmul", "%s: %s", j->where.id, subwave_last_error(context));
    for (int i = 0; i < 3; ++i)
        subwave_free(context, memory[i]);
    return status == SUBWAVE_STATUS_SUCCESS;
}

static int64_t count_not_finite(const npy_matrix *matrix)
{
    int64_t count = 0;
    const size_t size = subwave_dtype_size(matrix->dtype);
    for (int64_t i = 0; i < matrix->rows * matrix->columns; ++i) {
        double value[2] = {0};
        measure_decode(matrix->dtype, 1, (const char *)matrix->data + (size_t)i * size, value);
        count += !isfinite(value[0]) || !isfinite(value[1]);
    }
    return count;
}

static void print_summary(const job *j)
{
    char duration[TEXT_SIZE], rate[TEXT_SIZE];
    const double each = measure_parts(j->a.dtype) == 1 ? 2 : 8;
    const double flops = each * (double)j->m * (double)j->n * (double)j->k;
    printf("%s: %" PRId64 " x %" PRId64 " = (%" PRId64 " x %" PRId64 ") (%" PRId64 " x %" PRId64
           "), %s; %s %s; %s, %s GFLOP/s\n",
           j->c_path, j->m, j->n, j->m, j->k, j->k, j->n, subwave_dtype_name(j->c.dtype),
           j->where.id, subwave_variant_name(j->variant), format_time(duration, j->seconds),
           format_digits(rate, j->seconds > 0 ? flops / j->seconds * 1e-9 : 0));
    const int64_t odd = count_not_finite(&j->c);
    if (odd)
        printf("note: %" PRId64 " element%s of %s %s infinite or not a number\n", odd,
               odd == 1 ? "" : "s", j->c_path, odd == 1 ? "is" : "are");
}

/* What can be seen to be wrong at once is told before anything is read or computed. */
static int run(job *j)
{
    char error[NPY_ERROR_SIZE];
    subwave_context *context;
    if (!npy_check_target(j->c_path, error))
        return fail("matmul", "%s: %s", j->c_path, error);
    const subwave_status status = subwave_context_create(&context, j->device);
    if (status == SUBWAVE_STATUS_INVALID_VALUE)
        return usage_error("matmul", "%s", subwave_last_error(NULL));
    if (status != SUBWAVE_STATUS_SUCCESS)
        return fail("matmul", "%s", subwave_last_error(NULL));
    const bool done = read_inputs(j) && multiply_on_device(context, j);
    subwave_context_destroy(&context);
    if (!done)
        return EXIT_FAILURE;
    if (!npy_write(j->c_path, &j->c, error))
        return fail("matmul", "%s: %s", j->c_path, error);
    if (!j->quiet)
        print_summary(j);
    return EXIT_SUCCESS;
}

int matmul_main(int argc, char **argv)
{
    job j = {.variant = SUBWAVE_VARIANT_AUTO, .alpha = {1}, .beta = {NAN} /* until given */};
    option options[] = {
        {.name = "--output",
         .letter = 'o',
         .value = "C.npy",
         .take = take_text,
         .target = &j.c_path,
         .help = "where to write C; written whole or not at all"},
        {.name = "--device",
         .value = "ID",
         .take = take_text,
         .target = &j.device,
         .help = "a device of `subwave info`; without it, the one with the star"},
        {.name = "--variant",
         .value = "NAME",
         .take = take_variant,
         .target = &j.variant,
         .help = "(auto)"},
        {.name = "--transpose-a",
         .take = take_flag,
         .target = &j.transpose_a,
         .help = "use A transposed"},
        {.name = "--transpose-b",
         .take = take_flag,
         .target = &j.transpose_b,
         .help = "use B transposed"},
        {.name = "--alpha",
         .value = "X",
         .take = take_scalar,
         .target = j.alpha,
         .help = "factor of the product (1); RE,IM of complex matrices"},
        {.name = "--add",
         .value = "C0.npy",
         .take = take_text,
         .target = &j.add_path,
         .help = "a matrix to add"},
        {.name = "--beta",
         .value = "X",
         .take = take_scalar,
         .target = j.beta,
         .help = "factor of the matrix that --add names (1)"},
        {.name = "--quiet", .take = take_flag, .target = &j.quiet, .help = "print no summary"},
    };
    static const char *const operand_names[] = {"A.npy", "B.npy"};
    command c = {
        .name = "matmul",
        .usage = "A.npy B.npy -o C.npy [OPTION]...",
        .about =
            "Computes C = alpha A B, or C = alpha A B + beta C0.\n"
            "Files are NumPy's .npy, versions 1 to 3: 2-D, float16, float32, float64, complex64 or\n"
            "complex128 (all of one type), or int8 with C and C0 of int32; either byte order, C or Fortran\n"
            "order. C is written in C order.\n",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .operand_names = operand_names,
        .operand_count = 2};
    const char *operands[2];
    int code;
    if (!parse_options(&c, argc, argv, operands, &code))
        return code;
    j.a_path = operands[0];
    j.b_path = operands[1];
    if (!j.c_path)
        return usage_error(c.name, "-o C.npy is missing");
    const char *paths[] = {j.a_path, j.b_path, j.c_path, j.add_path};
    for (int i = 0; i < 4; ++i)
        if (paths[i] && strcmp(paths[i], "-") == 0)
            return usage_error(c.name, "\"-\" is no file; standard input and output are not taken");
    if (!isnan(j.beta[0]) && !j.add_path)
        return usage_error(c.name, "--beta needs --add C0.npy");
    if (isnan(j.beta[0]))
        j.beta[0] = j.add_path ? 1 : 0;

    code = run(&j);
    free(j.a.data);
    free(j.b.data);
    free(j.c.data);
    return code;
}
