/* SPDX-License-Identifier: MIT
 * plan_complex.c: whether a product of complex numbers is computed by real ones (matmul_complex.c), and
 * in which parts.
 */
#include "matmul_complex.h"

enum {
    LINE = 8, /* elements, of which lines in the workspace take a multiple */
    STEPS = 1024,
    LINES = 64, /* rows or columns that are multiplied together at least */
    CPU_STEPS = 16,
    CPU_LINES = 16,
};

bool subwave_has_real_product(const subwave_capabilities *device, subwave_dtype dtype)
{
    return subwave_is_built(SUBWAVE_OPERATION_real_form, dtype) &&
           subwave_variant_takes(device, SUBWAVE_VARIANT_MATRIX, subwave_part_dtype(dtype));
}

/* More rows or columns than any workspace has room for. */
static const int64_t MOST = (int64_t)1 << 48;

/* Saturates, since a plan can be asked for with any sizes. */
static int64_t twice(int64_t x) { return x > INT64_MAX / 2 ? INT64_MAX : 2 * x; }

/* How many of `all` are taken at a time, at most `room` but `unit` at least: a multiple of that, in
 * parts of nearly the same size, or all. */
static int64_t at_a_time(int64_t all, int64_t room, int64_t unit)
{
    if (round_up(all, LINE) <= room)
        return all;
    const int64_t parts = ceil_divide(all, greater_of(room / unit, 1) * unit);
    return lesser_of(round_up(ceil_divide(all, parts), unit), all);
}

/* Elements that the workspace has room for behind so many bytes; 32 bits can count them. */
static int64_t room_behind(const subwave_context *context, int64_t first, int64_t size)
{
    const int64_t bytes = context->workspace_bytes - first - SUBWAVE_WORKSPACE_ALIGNMENT;
    return lesser_of(greater_of(bytes, 0) / size, INT32_MAX);
}

/* Divides a product so that the workspace holds what it takes, if that can be. */
static subwave_real_product divide(const subwave_context *context, int64_t size,
                                   const subwave_matmul_product *product)
{
    const subwave_capabilities *const device = &context->capabilities;
    const bool in_turns = device->waves_take_turns, along_k = a_lies_along_k(product);
    const bool b = product->b_row != 1;
    const int64_t fewest = in_turns ? CPU_LINES : LINES, usual_steps = in_turns ? CPU_STEPS : STEPS;
    const int64_t first = subwave_packed_workspace_begin(device),
                  room = room_behind(context, first, size);
    /* Lines along k: a row of A's form takes two of them, a column of B one. Each part of k reads and
     * writes C, so that a product of few lines takes more steps at a time. */
    const int64_t of_a = 2 * round_up(lesser_of(product->m, MOST), LINE),
                  of_b = b ? round_up(lesser_of(product->n, MOST), LINE) : 0,
                  least_of_a = lesser_of(of_a, 2 * fewest);
    subwave_real_product real = {.b = b, .columns = product->n, .first = first};
    real.steps = at_a_time(product->k, greater_of(room / (of_a + of_b), usual_steps), LINE);
    const int64_t steps = round_up(greater_of(real.steps, 1), LINE), lines = room / steps;
    if (b)
        real.columns = at_a_time(
            product->n, lesser_of(greater_of(lines / 2, lines - of_a), lines - least_of_a), fewest);
    real.rows = at_a_time(product->m, (lines - (b ? round_up(real.columns, LINE) : 0)) / 2, fewest);
    real.lda = 2 * round_up(along_k ? greater_of(real.steps, 1) : real.rows, LINE);
    real.ldb = steps;
    const int64_t lines_of_a = along_k ? real.rows : real.steps;
    real.behind_a =
        real.first + round_up(size * real.lda * lines_of_a, SUBWAVE_WORKSPACE_ALIGNMENT);
    real.end = real.behind_a + (b ? size * real.ldb * real.columns : 0);
    return real;
}

/* The share of the compute units that have a block to compute. */
static double units_at_work(const subwave_capabilities *device, const subwave_matmul_kernel *kernel)
{
    return (double)lesser_of(kernel->blocks, device->compute_units) / device->compute_units;
}

/* Elements that the tiles compute for each element of C, beyond which they reach. */
static double computed_for_each(const subwave_matmul_product *product,
                                const subwave_matmul_kernel *kernel)
{
    const double rows = (double)ceil_divide(product->m, kernel->tile_rows) * kernel->tile_rows,
                 columns =
                     (double)ceil_divide(product->n, kernel->tile_columns) * kernel->tile_columns;
    return rows * columns / ((double)product->m * (double)product->n);
}

/* Whether the real product is faster than BROADCAST; where C has very few rows or columns SKINNY is
 * faster than both. The unit of times is what the product would take at the matrix unit's peak. MATRIX
 * reaches nine tenths of that. BROADCAST reaches 0.6 of the vector units' peak, which is half as high in f64 and
 * as high in f32; both compute tiles. Preparing takes memory's time. An element of A is read, its form
 * written and read again: in f64 80 bytes, in which time the unit, at 30 operations per byte, does
 * 2400, those of 300 columns of C with eight each. A transposed B takes 32 bytes per element in the
 * same way. These are ratios of AMD's and NVIDIA's data sheets; on AMD GPUs nothing was timed. */
static bool is_worth(const subwave_capabilities *device, subwave_dtype dtype,
                     const subwave_context *context, const subwave_real_product *real,
                     const subwave_matmul_product *product)
{
    /* Complex multiplications: at least so many are done, in whole tiles, and so many are saved. With fewer
     * the additional launches would take more time than they save. */
    const double least = 0x1p25;
    const double m = (double)product->m, n = (double)product->n;
    if (device->waves_take_turns || real->end > context->workspace_bytes ||
        lesser_of(product->m, product->n) <= SUBWAVE_SKINNY_COMPLEX)
        return false;
    const subwave_dtype part = subwave_part_dtype(dtype);
    const double wide = part == SUBWAVE_DTYPE_F64 ? 1 : 0.5;
    subwave_matmul_product of_matrix = subwave_real_part(context, dtype, real, product, 0, 0, 0),
                           of_broadcast = *product;
    const subwave_matmul_kernel matrix = subwave_plan_matmul(device, part, SUBWAVE_VARIANT_MATRIX,
                                                             &of_matrix),
                                broadcast = subwave_plan_matmul(
                                    device, dtype, SUBWAVE_VARIANT_BROADCAST, &of_broadcast);
    const double by_tiles = computed_for_each(&of_broadcast, &broadcast),
                 products = m * n * (double)product->k,
                 by_matrix =
                     computed_for_each(&of_matrix, &matrix) / 0.9 / units_at_work(device, &matrix) +
                     wide * (300 / n + (real->b ? 120 / m : 0)),
                 by_broadcast = 2 * wide * by_tiles / 0.6 / units_at_work(device, &broadcast);
    return products * by_tiles >= least && products * (by_broadcast - by_matrix) >= least;
}

bool subwave_takes_real_product(const subwave_context *context, subwave_dtype dtype,
                                subwave_variant variant, subwave_matmul_product *product,
                                subwave_real_product *real)
{
    const subwave_capabilities *const device = &context->capabilities;
    if ((variant != SUBWAVE_VARIANT_AUTO && variant != SUBWAVE_VARIANT_MATRIX) ||
        !subwave_has_real_product(device, dtype))
        return false;
    subwave_matmul_product by_columns = *product;
    if (by_columns.c_row != 1)
        subwave_transpose_product(&by_columns);
    *real = divide(context, (int64_t)subwave_dtype_size(dtype), &by_columns);
    if (variant == SUBWAVE_VARIANT_AUTO && !is_worth(device, dtype, context, real, &by_columns))
        return false;
    *product = by_columns;
    return true;
}

subwave_matmul_product subwave_real_part(const subwave_context *context, subwave_dtype dtype,
                                         const subwave_real_product *real,
                                         const subwave_matmul_product *product, int64_t i,
                                         int64_t j, int64_t l)
{
    const int64_t size = (int64_t)subwave_dtype_size(dtype);
    const bool along_k = a_lies_along_k(product);
    return (subwave_matmul_product){
        .m = twice(lesser_of(real->rows, product->m - i)),
        .n = lesser_of(real->columns, product->n - j),
        .k = twice(lesser_of(real->steps, product->k - l)),
        .a = place_of_real_a(context, real),
        .a_row = along_k ? real->lda : 1,
        .a_column = along_k ? 1 : real->lda,
        .b = real->b ? place_of_transposed_b(context, real)
                     : element_of_matrix(product->b, size, l, product->b_row, j, product->b_column),
        .b_row = 1,
        .b_column = twice(real->b ? real->ldb : product->b_column),
        .c = (void *)(uintptr_t)element_of_matrix(product->c, size, i, product->c_row, j,
                                                  product->c_column),
        .c_row = 1,
        .c_column = twice(product->c_column),
        .alpha = {product->k == 0           ? 0
                  : has_real_alpha(product) ? product->alpha[0]
                                            : 1},
        .beta = {l == 0 ? product->beta[0] : 1}};
}
