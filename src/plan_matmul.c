/* SPDX-License-Identifier: MIT
 * plan_matmul.c: which variant computes a product.
 */
#include "plan.h"

#include "backend.h"
#include "check.h"
#include "workspace.h"

int64_t subwave_count_tiles(const subwave_matmul_product *product, int64_t rows, int64_t columns)
{
    const int64_t down = ceil_divide(product->m, rows), across = ceil_divide(product->n, columns);
    return down > INT32_MAX / across ? INT32_MAX : down * across;
}

void subwave_set_tile(const subwave_matmul_product *product, int64_t rows, int64_t columns,
                      subwave_matmul_kernel *kernel)
{
    kernel->tile_rows = (int32_t)rows;
    kernel->tile_columns = (int32_t)columns;
    kernel->blocks = (uint32_t)subwave_count_tiles(product, rows, columns);
}

bool subwave_reads_together(const void *matrix, int64_t row, int64_t column, int64_t elements,
                            subwave_dtype dtype)
{
    const int64_t bytes = elements * (int64_t)subwave_dtype_size(dtype);
    return column == 1 && row % elements == 0 && (uintptr_t)matrix % (uintptr_t)bytes == 0;
}

void subwave_transpose_product(subwave_matmul_product *product)
{
    const subwave_matmul_product was = *product;
    product->transposed = !was.transposed;
    product->m = was.n;
    product->n = was.m;
    product->a = was.b;
    product->b = was.a;
    product->a_row = was.b_column;
    product->a_column = was.b_row;
    product->b_row = was.a_column;
    product->b_column = was.a_row;
    product->conjugate_a = was.conjugate_b;
    product->conjugate_b = was.conjugate_a;
    product->c_row = was.c_column;
    product->c_column = was.c_row;
}

void subwave_lay_c_by_rows(subwave_matmul_product *product)
{
    if (product->c_column != 1)
        subwave_transpose_product(product);
}

/* Nanoseconds of a thread of the CPU device: of a work-item, and of each product and sum. */
typedef struct time_of {
    double item, product;
} time_of;

/* What SKINNY takes on the CPU device. Lanes that exchange their sums take longer in larger waves. */
static time_of skinny_time_in_turns(const subwave_matmul_kernel *kernel, subwave_dtype dtype,
                                    double wave)
{
    const bool complex = subwave_class_of(dtype) == SUBWAVE_CLASS_COMPLEX,
               f64 = dtype == SUBWAVE_DTYPE_F64;
    const int32_t rows = kernel->tile_rows;
    switch (kernel->of.skinny.shape) {
    case SUBWAVE_SKINNY_ACROSS:
        if (rows == 1)
            return complex ? (time_of){100, 2 + wave / 16}
                           : (time_of){50, wave < 32 ? 0.4 + wave / 10 : 3.5};
        if (rows == 4)
            return complex ? (time_of){120, 1.6}
                   : f64   ? (time_of){115, 0.63}
                           : (time_of){165, 0.34};
        return complex ? (time_of){290, 1} : f64 ? (time_of){270, 0.25} : (time_of){310, 0.16};
    case SUBWAVE_SKINNY_NARROW:
        if (rows <= 4)
            return complex ? (time_of){100, 2.4} : f64 ? (time_of){350, 0.9} : (time_of){550, 0.5};
        return complex ? (time_of){500 + 7 * wave, 2}
               : f64   ? (time_of){600 + 12 * wave, 0.7}
                       : (time_of){600 + 30 * wave, 0.3};
    case SUBWAVE_SKINNY_DOWN:
        if (rows == 1)
            return (time_of){190 + 2 * wave, (complex ? 1.6 : 0.6) + wave / 60};
        if (rows == 4)
            return complex ? (time_of){110, 3.7}
                   : f64   ? (time_of){120, 1.15}
                           : (time_of){165, 0.72};
        return (time_of){215, complex ? 1.17 : f64 ? 0.42 : 0.38};
    default: /* by way of shared memory, in large tiles or small ones */
        return (time_of){60, f64 ? 0.42 : kernel->tile_columns > 32 ? 0.14 : 0.34};
    }
}

/* What BROADCAST takes there, each step of k being a product. `inside`: the share of tiles that are
 * wholly inside C. */
static time_of broadcast_time_in_turns(const subwave_matmul_kernel *kernel, subwave_dtype dtype,
                                       double wave, double inside)
{
    const double item = 88;
    if (subwave_class_of(dtype) == SUBWAVE_CLASS_COMPLEX)
        return (time_of){item, 14.5 + 17 / wave};
    if (!kernel->packed)
        inside = 0;
    if (kernel->item_columns > 4)
        return (time_of){item, inside * (2 + 14 / wave) + (1 - inside) * (14 + 22 / wave)};
    return dtype == SUBWAVE_DTYPE_F64
               ? (time_of){item, inside * (3 + 9 / wave) + (1 - inside) * (4.5 + 17 / wave)}
               : (time_of){item, inside * (2 + 7 / wave) + (1 - inside) * (4 + 17 / wave)};
}

/* Of NAIVE. Where steps of a long k are far apart in memory, the L1 cache does not keep their lines for
 * the next element of C, least of all if a power of two is between them. */
static double naive_product_in_turns(const subwave_matmul_product *product, subwave_dtype dtype)
{
    const double step =
        (double)subwave_dtype_size(dtype) * (double)greater_of(product->a_column, product->b_row);
    const double far = product->k < 1024 || step < 128 ? 0 : step < 512 ? step / 512 : 1;
    return (subwave_class_of(dtype) == SUBWAVE_CLASS_COMPLEX ? 1.2 : 0.7) + 0.9 * far;
}

/* Nanoseconds of a thread for the variant's kernel on the CPU device: what work-items take to start
 * and to wait for one another, and products and sums, those of elements beyond C too. Fitted to
 * times of f32, f64 and c64 (tests/api/test_auto.c) on an Intel Xeon and an AMD EPYC, in waves of 4 to
 * 64 lanes. */
static double time_in_turns(const subwave_capabilities *device, subwave_dtype dtype,
                            subwave_variant variant, const subwave_matmul_product *product)
{
    subwave_matmul_product copy = *product;
    const subwave_matmul_kernel kernel = subwave_plan_matmul(device, dtype, variant, &copy);
    const bool complex = subwave_class_of(dtype) == SUBWAVE_CLASS_COMPLEX;
    const double items = (double)kernel.blocks * kernel.block_x * kernel.block_y,
                 k = (double)product->k, wave = device->wave_size;
    switch (variant) {
    case SUBWAVE_VARIANT_NAIVE:
        return items * 25 +
               (double)product->m * (double)product->n * k * naive_product_in_turns(product, dtype);
    case SUBWAVE_VARIANT_LOCAL:
        return items * (52 + k * (complex ? 1.3 : 0.8));
    case SUBWAVE_VARIANT_SKINNY: {
        const time_of of = skinny_time_in_turns(&kernel, dtype, wave);
        /* A block may have several tiles; parts of k are added. */
        const double tiles = (double)kernel.of.skinny.tiles * kernel.parts,
                     length = (double)lesser_of(kernel.of.skinny.part, product->k),
                     item = of.item + (kernel.parts > 1 ? 80 : 0);
        return tiles * (kernel.block_x * item +
                        length * kernel.tile_rows * kernel.tile_columns * of.product);
    }
    default: {
        const int64_t rows = copy.m / kernel.tile_rows, all = ceil_divide(copy.m, kernel.tile_rows);
        const time_of of = broadcast_time_in_turns(
            &kernel, dtype, wave, copy.n < kernel.tile_columns ? 0 : (double)rows / (double)all);
        return items * (of.item + k * of.product);
    }
    }
}

/* On the CPU device LOCAL and SKINNY may be ahead too. Types that were not timed are not computed
 * by LOCAL, which converts each element. */
static subwave_variant choose_in_turns(const subwave_capabilities *device, subwave_dtype dtype,
                                       const subwave_matmul_product *product)
{
    static const subwave_variant candidates[] = {SUBWAVE_VARIANT_BROADCAST, SUBWAVE_VARIANT_NAIVE,
                                                 SUBWAVE_VARIANT_SKINNY, SUBWAVE_VARIANT_LOCAL};
    const bool timed = subwave_dtype_size(subwave_part_dtype(dtype)) >= 4;
    subwave_variant best = candidates[0];
    double least = 0;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; ++i) {
        const subwave_variant variant = candidates[i];
        if (!subwave_variant_takes(device, variant, dtype) ||
            (variant == SUBWAVE_VARIANT_LOCAL && !timed))
            continue;
        const double time = time_in_turns(device, dtype, variant, product);
        if (i == 0 || time < least) {
            best = variant;
            least = time;
        }
    }
    return best;
}

/* Whether MATRIX of 16 bits is faster than BROADCAST where the latter's time is estimated, in whose
 * unit all is: on NVIDIA. A round of MATRIX takes as long as 250 steps of k beside its own, each of
 * which takes five times as long if it copies single elements; of several rounds two blocks are on a
 * compute unit together. BROADCAST is slower at the edges of C. Measured on an H200. */
static bool matrix_is_faster(const subwave_matmul_product *product,
                             const subwave_matmul_kernel *matrix,
                             const subwave_matmul_kernel *broadcast)
{
    const double rounds = matrix->rounds;
    const double by_matrix =
        0.26 * (rounds > 1 ? 0.75 : 1) *
        (rounds * (double)product->k * (matrix->packed ? 1 : 5) + (rounds > 1 ? rounds : 1) * 250);
    const int64_t m = product->m, n = product->n, rows = broadcast->tile_rows,
                  columns = broadcast->tile_columns;
    const double edges = m < rows || n < columns             ? 3.5
                         : m % rows != 0 || n % columns != 0 ? 1.25
                                                             : 1;
    return by_matrix <= broadcast->time * edges;
}

/* Whether MATRIX's thin blocks are ahead of SKINNY in f64, for a C by rows of 17 to 64 rows or columns:
 * if there are enough of them for the device, and if k is long where every other row of C begins at an
 * address that no pair of elements is stored at. Measured on an H200. */
static bool thin_blocks_are_ahead(const subwave_capabilities *device,
                                  const subwave_matmul_product *product, int64_t least)
{
    if (product->n == least && least > 32 && least % 2 == 1 && product->k <= 64)
        return false;
    /* All thin blocks are 64 long. */
    const int64_t tiles = ceil_divide(greater_of(product->m, product->n), 64),
                  units = device->compute_units, k = product->k;
    return tiles >= units ? k > 16 || least > 24
                          : 3 * tiles >= units && (least > 32 ? k >= 32 : k <= 64);
}

/* Whether a product is so small that MATRIX's few large blocks take longer for it than SKINNY's many
 * small ones, in f64. Measured on an H200. */
static bool is_small(const subwave_matmul_product *product)
{
    const int64_t m = product->m, n = product->n,
                  area = m <= 1 << 16 && n <= (1 << 16) / m ? m * n : 0;
    return area > 0 && product->k <= (1 << 25) / area;
}

/* Whether C has so few rows or columns that SKINNY is ahead. On NVIDIA, measured on an H200: in f64,
 * on the matrix unit, with up to 16 of them, with up to 64 where MATRIX has too few blocks, and in
 * small products; in f32 with up to 64 where SKINNY takes its staged tiles (plan_skinny.c); otherwise
 * in f32, and in complex types, with few columns of a C by rows, of which BROADCAST's tiles are mostly
 * beyond C, and in complex types with fewer rows than such a tile has; and where tiles are few and k is
 * long, which SKINNY divides among blocks. */
static bool is_skinny(const subwave_capabilities *device, subwave_dtype dtype,
                      const subwave_matmul_product *product)
{
    subwave_matmul_product by_rows = *product;
    subwave_lay_c_by_rows(&by_rows);
    const int64_t least = lesser_of(by_rows.m, by_rows.n),
                  greatest = greater_of(by_rows.m, by_rows.n), k = by_rows.k;
    const bool tall = by_rows.n < by_rows.m, timed = device->shapes->broadcast[0].rate > 0,
               complex = subwave_class_of(dtype) == SUBWAVE_CLASS_COMPLEX;
    if (!subwave_variant_takes(device, SUBWAVE_VARIANT_SKINNY, dtype))
        return false;
    if (least <= (complex ? SUBWAVE_SKINNY_COMPLEX : 16))
        return true;
    if (!timed)
        return false;
    const subwave_matmul_product wide = {.m = least, .n = greatest};
    const int64_t tiles = subwave_count_tiles(&wide, 16, 64), units = device->compute_units;
    if (tiles <= (complex ? units / 4 : units) && k >= 512 && least <= (k < 1024 ? 16 : 64))
        return true;
    if (complex)
        return tall ? least <= 32 : least < 8;
    if (dtype == SUBWAVE_DTYPE_F64)
        return device->shapes->f64_unit_in_groups && subwave_has_matrix_unit(device, dtype) &&
               ((greatest / 15 >= least && least <= 64 &&
                 !thin_blocks_are_ahead(device, &by_rows, least)) ||
                is_small(&by_rows));
    /* Few tiles of a long k, which BROADCAST does not divide among blocks. */
    if (k >= (tall ? 512 : 2048) && greatest <= (1 << (tall ? 18 : 17)) / least)
        return true;
    subwave_matmul_product by_skinny = by_rows;
    const subwave_matmul_kernel kernel =
        subwave_plan_matmul(device, dtype, SUBWAVE_VARIANT_SKINNY, &by_skinny);
    /* A wide B by columns was not timed. */
    return subwave_skinny_is_staged(kernel.of.skinny.shape) && (tall || by_rows.b_column == 1)
               ? least <= 64 && (greatest >= 8 * least || k >= 128)
               : tall && ((least <= 24 && k >= 32) || (least <= 48 && k >= 128));
}

/* Whether the blocks of MATRIX are enough for the device, among those products that AUTO does not
 * choose by their times. */
static bool has_blocks(const subwave_capabilities *device, subwave_dtype dtype,
                       const subwave_matmul_kernel *matrix)
{
    const int kind = subwave_dtype_size(dtype) > 2 ? 0 : matrix->packed ? 1 : 2;
    return 100 * (int64_t)matrix->blocks >=
           device->shapes->auto_percent[kind] * (int64_t)device->compute_units;
}

/* Whether MATRIX is ahead of SKINNY though three quarters and more of its tiles are beyond C: on AMD,
 * where SKINNY has 16 rows and reads B by columns. By tests/isa/model.tsv it then reaches a tenth of
 * the vector units' peak in f64 and a fifth in f32, and MATRIX nine tenths of the matrix unit's. */
static bool is_for_matrix(const subwave_capabilities *device, subwave_dtype dtype,
                          const subwave_matmul_product *product)
{
    if (!device->shapes->shares_are_predicted || !subwave_has_matrix_unit(device, dtype))
        return false;
    subwave_matmul_product by_skinny = *product, by_matrix = *product;
    const subwave_matmul_kernel skinny = subwave_plan_matmul(device, dtype, SUBWAVE_VARIANT_SKINNY,
                                                             &by_skinny),
                                matrix = subwave_plan_matmul(device, dtype, SUBWAVE_VARIANT_MATRIX,
                                                             &by_matrix);
    return skinny.of.skinny.shape == SUBWAVE_SKINNY_DOWN && skinny.tile_rows == 16 &&
           has_blocks(device, dtype, &matrix);
}

/* MATRIX has the larger blocks: where they would leave most of a GPU idle, BROADCAST may be
 * ahead. */
static subwave_variant choose(const subwave_capabilities *device, subwave_dtype dtype,
                              const subwave_matmul_product *product)
{
    if (device->waves_take_turns)
        return choose_in_turns(device, dtype, product);
    if (is_skinny(device, dtype, product) && !is_for_matrix(device, dtype, product))
        return SUBWAVE_VARIANT_SKINNY;
    if (!subwave_has_matrix_unit(device, dtype))
        return SUBWAVE_VARIANT_BROADCAST;
    subwave_matmul_product by_matrix = *product, by_broadcast = *product;
    const subwave_matmul_kernel matrix =
        subwave_plan_matmul(device, dtype, SUBWAVE_VARIANT_MATRIX, &by_matrix);
    const subwave_matmul_kernel broadcast =
        subwave_plan_matmul(device, dtype, SUBWAVE_VARIANT_BROADCAST, &by_broadcast);
    const bool is_faster = subwave_dtype_size(dtype) == 2 && broadcast.time > 0
                               ? matrix_is_faster(&by_broadcast, &matrix, &broadcast)
                               : has_blocks(device, dtype, &matrix);
    return is_faster ? SUBWAVE_VARIANT_MATRIX : SUBWAVE_VARIANT_BROADCAST;
}

static void plan_naive(const subwave_capabilities *device, subwave_dtype dtype,
                       subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                       subwave_candidates *candidates)
{
    (void)device, (void)dtype;
    subwave_lay_c_by_rows(product);
    kernel->block_x = kernel->block_y = 16;
    subwave_set_tile(product, 16, 16, kernel);
    candidates->show(candidates, kernel);
}

static void plan_local(const subwave_capabilities *device, subwave_dtype dtype,
                       subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                       subwave_candidates *candidates)
{
    (void)device;
    subwave_lay_c_by_rows(product);
    kernel->block_x = 64;
    subwave_set_tile(product, 1, 64, kernel);
    kernel->shared_bytes = (uint32_t)(64 * subwave_dtype_size(dtype));
    candidates->show(candidates, kernel);
}

static void plan_tutorial(const subwave_capabilities *device, subwave_dtype dtype,
                          subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                          subwave_candidates *candidates)
{
    (void)dtype;
    const uint32_t wave = (uint32_t)device->wave_size;
    subwave_lay_c_by_rows(product);
    kernel->block_x = device->waves_take_turns ? wave : 256;
    subwave_set_tile(product, kernel->block_x / wave, wave, kernel);
    candidates->show(candidates, kernel);
}

/* The one place that tells variants apart: the operation that launches one, and its planner. AUTO
 * takes every type, as BROADCAST does. */
static const struct {
    subwave_operation operation;
    void (*plan)(const subwave_capabilities *device, subwave_dtype dtype,
                 subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                 subwave_candidates *candidates);
} variants[] = {
    [SUBWAVE_VARIANT_AUTO] = {SUBWAVE_OPERATION_matmul_broadcast, NULL},
    [SUBWAVE_VARIANT_NAIVE] = {SUBWAVE_OPERATION_matmul_naive, plan_naive},
    [SUBWAVE_VARIANT_LOCAL] = {SUBWAVE_OPERATION_matmul_local, plan_local},
    [SUBWAVE_VARIANT_BROADCAST] = {SUBWAVE_OPERATION_matmul_broadcast, subwave_plan_broadcast},
    [SUBWAVE_VARIANT_TUTORIAL] = {SUBWAVE_OPERATION_matmul_tutorial, plan_tutorial},
    [SUBWAVE_VARIANT_MATRIX] = {SUBWAVE_OPERATION_matmul_matrix, subwave_plan_matrix},
    [SUBWAVE_VARIANT_SKINNY] = {SUBWAVE_OPERATION_matmul_skinny, subwave_plan_skinny},
};

size_t subwave_packed_workspace(const subwave_capabilities *device)
{
    const bool packs_bytes = subwave_has_matrix_unit(device, SUBWAVE_DTYPE_I8),
               has_real_products = subwave_has_matrix_unit(device, SUBWAVE_DTYPE_F32) ||
                                   subwave_has_matrix_unit(device, SUBWAVE_DTYPE_F64);
    return device->waves_take_turns ? 1 << 15
           : has_real_products      ? (1 << 26) + SUBWAVE_WORKSPACE_ALIGNMENT
           : packs_bytes            ? 1 << 25
                                    : 0;
}

int64_t subwave_packed_workspace_begin(const subwave_capabilities *device)
{
    const size_t before = subwave_plan_workspace(device) - subwave_packed_workspace(device);
    return round_up((int64_t)before, SUBWAVE_WORKSPACE_ALIGNMENT);
}

size_t subwave_plan_workspace(const subwave_capabilities *device)
{
    return SUBWAVE_WORKSPACE_COUNTERS * sizeof(uint32_t) +
           (size_t)greater_of((int64_t)subwave_skinny_workspace(device),
                              (int64_t)subwave_matrix_workspace(device)) +
           subwave_packed_workspace(device);
}

subwave_operation subwave_operation_of(subwave_variant variant)
{
    return variants[variant].operation;
}

bool subwave_variant_takes(const subwave_capabilities *device, subwave_variant variant,
                           subwave_dtype dtype)
{
    return subwave_is_built(subwave_operation_of(variant), dtype) &&
           (variant != SUBWAVE_VARIANT_MATRIX || subwave_has_matrix_unit(device, dtype));
}

void subwave_plan_candidates(const subwave_capabilities *device, subwave_dtype dtype,
                             subwave_variant variant, subwave_matmul_product *product,
                             subwave_candidates *candidates)
{
    subwave_matmul_kernel kernel = {
        .variant = variant,
        .operation = subwave_operation_of(variant),
        .item_rows = 1,
        .item_columns = 1,
        .block_y = 1,
        .parts = 1,
    };
    variants[variant].plan(device, dtype, product, &kernel, candidates);
}

typedef struct fastest {
    subwave_candidates shown;
    subwave_matmul_kernel kernel;
} fastest;

static void keep_fastest(subwave_candidates *self, const subwave_matmul_kernel *kernel)
{
    fastest *const found = (fastest *)self;
    if (found->kernel.blocks == 0 || kernel->time < found->kernel.time)
        found->kernel = *kernel;
}

subwave_matmul_kernel subwave_plan_matmul(const subwave_capabilities *device, subwave_dtype dtype,
                                          subwave_variant variant, subwave_matmul_product *product)
{
    if (variant == SUBWAVE_VARIANT_AUTO)
        variant = choose(device, dtype, product);
    fastest found = {.shown = {.show = keep_fastest}};
    subwave_plan_candidates(device, dtype, variant, product, &found.shown);
    return found.kernel;
}
