/* SPDX-License-Identifier: MIT
 * planned.c: the kernels that the library would launch on a GPU of an architecture and a wave size,
 * why, and the largest blocks: planned ARCHITECTURE WAVE. With a kernel's name and the sizes of its
 * arguments: launches of it whose first block is in the interior of C and reads aligned packs, to
 * be executed. Plans and launchers are the library's own; where these expect HIP's runtime, or
 * CUDA's, they find the functions at the end of this file, which note a kernel's name, block and
 * arguments in place of launching it.
 */
#include "../../src/backend.h"
#include "../../src/check.h"
#include "../../src/plan.h"
#include "../types.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const subwave_launcher launchers[] = {SUBWAVE_KERNELS(SUBWAVE_LAUNCHER_ROW_gpu)};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

/* By the launcher that was called last. */
static struct {
    const char *kernel;
    size_t items, bytes; /* a block's; the latter of shared memory */
} launched[5];
static size_t launched_count;
static int32_t launched_share, launched_alone;

/* The kernel whose launches are asked for, or null, and the bytes of its arguments. */
static const char *wanted;
static struct {
    size_t count, bytes[8];
} wanted_arguments;
static char launched_text[8192]; /* of its last launch: block, shared memory, arguments */

static struct {
    const char *kernel;
    char why[120];        /* it is launched, the first time */
    size_t items, bytes;  /* of the block with the most shared memory */
    int32_t share, alone; /* of the peak, as the plan predicts; or 0 */
} seen[1500];
static size_t seen_count;
static int failures;

static void note_launch(size_t number, const char *format, va_list arguments)
{
    const size_t items = launched[number].items, bytes = launched[number].bytes;
    size_t i = 0;
    while (i < seen_count && seen[i].kernel != launched[number].kernel)
        ++i;
    if (i == sizeof seen / sizeof *seen)
        abort();
    if (i == seen_count) {
        seen[seen_count].share = launched_share;
        seen[seen_count].alone = launched_alone;
        seen[seen_count++].kernel = launched[number].kernel;
        vsnprintf(seen[i].why, sizeof seen[i].why, format, arguments);
    }
    if (bytes > seen[i].bytes || (bytes == seen[i].bytes && items > seen[i].items)) {
        seen[i].bytes = bytes;
        seen[i].items = items;
    }
}

/* Calls a launcher, and notes the kernels and for what they are launched. Of failures the first twenty
 * are told. */
__attribute__((format(printf, 4, 5))) static void
call(subwave_operation operation, subwave_dtype dtype, const void *launch, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    launched_count = 0;
    const int code = subwave_call_launcher(launchers, LAUNCHERS, operation, dtype, launch, NULL);
    if (code == 0 && launched_count > 0) {
        for (size_t i = 0; i < launched_count; ++i) {
            va_list again;
            va_copy(again, arguments);
            note_launch(i, format, again);
            va_end(again);
        }
    } else if (++failures <= 20) {
        fprintf(stderr, "FAILED: no kernel is launched for ");
        vfprintf(stderr, format, arguments);
        fprintf(stderr, "\n");
    }
    va_end(arguments);
}

enum { DTYPES = COUNT(all_dtypes), VARIANTS = COUNT(all_variants) };

static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

/* `form`: which of A and B are transposed, whether they begin at a multiple of 16 bytes, whether
 * their rows do. */
static void plan_matmul(const subwave_capabilities *device, subwave_variant variant,
                        subwave_dtype dtype, int64_t m, int64_t n, int64_t k, int form)
{
    const int64_t size = (int64_t)subwave_dtype_size(dtype), pad = form & 8 ? 1 : 0;
    const int64_t lda = greater(round_up(form & 1 ? m : k, 16), 16) + pad,
                  ldb = greater(round_up(form & 2 ? k : n, 16), 16) + pad;
    const char *const memory = (char *)4096 + (form & 4 ? size : 0);
    subwave_matmul_launch launch = {.product = {.m = m,
                                                .n = n,
                                                .k = k,
                                                .a = memory,
                                                .b = memory,
                                                .c = (char *)8192,
                                                .a_row = form & 1 ? 1 : lda,
                                                .a_column = form & 1 ? lda : 1,
                                                .b_row = form & 2 ? 1 : ldb,
                                                .b_column = form & 2 ? ldb : 1,
                                                .c_row = n,
                                                .c_column = 1,
                                                .alpha = {1}}};
    launch.kernel = subwave_plan_matmul(device, dtype, variant, &launch.product);
    launched_share = launch.kernel.share;
    launched_alone = launch.kernel.alone;
    call(launch.kernel.operation, dtype, &launch, "%s %s %d x %d x %d, %d compute units, form %d",
         subwave_variant_name(variant), subwave_dtype_name(dtype), (int)m, (int)n, (int)k,
         (int)device->compute_units, form);
}

static void plan_matmuls(const subwave_capabilities *device)
{
    static const int64_t sizes[] = {1, 2, 4, 5, 16, 17, 40, 64, 129, 1000, 4096},
                         depths[] = {0, 1, 9, 64, 4099, 20000};
    enum { SIZES = sizeof sizes / sizeof *sizes, DEPTHS = sizeof depths / sizeof *depths };
    for (int v = 0; v < VARIANTS; ++v)
        for (int d = 0; d < DTYPES; ++d) {
            if (!subwave_variant_takes(device, all_variants[v], all_dtypes[d]))
                continue;
            for (int m = 0; m < SIZES; ++m)
                for (int n = 0; n < SIZES; ++n)
                    for (int k = 0; k < DEPTHS; ++k)
                        for (int form = 0; form < 16; ++form)
                            plan_matmul(device, all_variants[v], all_dtypes[d], sizes[m], sizes[n],
                                        depths[k], form);
        }
    static const int64_t few[] = {3, 8, 16, 24, 48}, many[] = {20000, 1000000}, ks[] = {8, 40, 400};
    for (int d = 0; d < DTYPES; ++d)
        for (int c = 0; c < 5 * 2 * 3 * 16; ++c)
            if (subwave_variant_takes(device, SUBWAVE_VARIANT_SKINNY, all_dtypes[d]))
                plan_matmul(device, SUBWAVE_VARIANT_SKINNY, all_dtypes[d], few[c / 96],
                            many[c / 48 % 2], ks[c / 16 % 3], c % 16);
    const subwave_real_form_launch real_form = {.blocks = 1};
    for (int d = 0; d < DTYPES; ++d)
        if (subwave_is_built(SUBWAVE_OPERATION_real_form, all_dtypes[d]) &&
            subwave_has_matrix_unit(device, subwave_part_dtype(all_dtypes[d])))
            call(SUBWAVE_OPERATION_real_form, all_dtypes[d], &real_form, "real_form %s",
                 subwave_dtype_name(all_dtypes[d]));
}

/* `form`: which of A and B are transposed, whether there are gaps between matrices, and whether
 * they are reached by pointers. */
static void plan_matmul_batched(const subwave_capabilities *device, subwave_dtype dtype, int32_t m,
                                int32_t n, int32_t k, int form)
{
    const int64_t gap = form & 4 ? 1 : 0;
    subwave_matmul_batched_launch launch = {.m = m, .n = n, .k = k, .batch = 1000};
    launch.a.transposed = form & 1;
    launch.b.transposed = form >> 1 & 1;
    launch.a.ld = (form & 1 ? m : k) + gap;
    launch.b.ld = (form & 2 ? k : n) + gap;
    launch.c.ld = n + gap;
    launch.a.stride = (form & 1 ? k : m) * launch.a.ld;
    launch.b.stride = (form & 2 ? n : k) * launch.b.ld;
    launch.c.stride = m * launch.c.ld;
    launch.a.array = launch.b.array = launch.c.array = form & 8 ? (void *)4096 : NULL;
    subwave_plan_matmul_batched(device, dtype, &launch);
    call(SUBWAVE_OPERATION_matmul_batched, dtype, &launch, "batched %s %d x %d x %d, form %d",
         subwave_dtype_name(dtype), (int)m, (int)n, (int)k, form);
}

/* A stack does not care how its matrices lie, beyond the product's form. */
static void plan_matmul_stacked(const subwave_capabilities *device, subwave_dtype dtype, int32_t m,
                                int32_t n)
{
    subwave_matmul_stacked_launch launch = {.product = {.m = m, .n = n, .k = 8, .batch = 1000}};
    subwave_plan_matmul_stacked(device, dtype, &launch.product);
    call(SUBWAVE_OPERATION_matmul_stacked, dtype, &launch, "stacked %s %d x %d",
         subwave_dtype_name(dtype), (int)m, (int)n);
}

/* A list of problems asks for all the classes of sizes. */
static void plan_matmul_grouped(const subwave_capabilities *device, subwave_dtype dtype)
{
    subwave_matmul_batched_launch launches[SUBWAVE_GROUPED_CLASSES];
    const subwave_matmul_batched_launch problem = {.k = 8};
    subwave_matmul_grouped_launch launch = {.problems = {.count = 1, .runs = 1, .blocks = 1}};
    launch.problems.classes =
        subwave_plan_matmul_grouped(device, dtype, &problem, launches, launch.problems.sides);
    for (launch.number = 0; launch.number < launch.problems.classes; ++launch.number) {
        launch.product = launches[launch.number];
        call(SUBWAVE_OPERATION_matmul_grouped, dtype, &launch, "grouped %s, up to %d",
             subwave_dtype_name(dtype), (int)launch.problems.sides[launch.number]);
    }
}

static void plan_batches(const subwave_capabilities *device)
{
    static const int32_t depths[] = {0, 1, 3, 8, 17, 64};
    for (int d = 0; d < DTYPES; ++d) {
        if (!subwave_is_built(SUBWAVE_OPERATION_matmul_batched, all_dtypes[d]))
            continue;
        plan_matmul_grouped(device, all_dtypes[d]);
        for (int32_t m = 1; m <= 66; ++m)
            for (int32_t n = 1; n <= 66; ++n) {
                plan_matmul_stacked(device, all_dtypes[d], m, n);
                for (size_t k = 0; k < sizeof depths / sizeof *depths; ++k)
                    for (int form = 0; form < 16; ++form)
                        plan_matmul_batched(device, all_dtypes[d], m, n, depths[k], form);
            }
    }
}

/* Group calls have one kernel per dtype, whatever the shape, which is the beginning of each of
 * their structs; moves may have another for complex numbers that are aligned as their parts. */
static void call_groups(void)
{
    const union {
        subwave_group_shape shape;
        subwave_group_reduce_launch reduce;
        subwave_group_scan_launch scan;
        subwave_group_move_launch move;
        subwave_group_vote_launch vote;
        subwave_group_info_launch info;
    } launch = {.shape = {.group = {.kind = SUBWAVE_GROUP_SUB_GROUP, .block = {64, 1, 1}},
                          .count = 1,
                          .blocks = 1}};
    for (int l = 0; l < LAUNCHERS; ++l)
        if (launchers[l].operation >= SUBWAVE_OPERATION_group_reduce &&
            launchers[l].operation <= SUBWAVE_OPERATION_group_info)
            call(launchers[l].operation, launchers[l].dtype, &launch, "operation %d of %s",
                 launchers[l].operation, subwave_dtype_name(launchers[l].dtype));
    const subwave_group_move_launch parts = {.shape = launch.shape, .x = (char *)4, .y = (char *)8};
    call(SUBWAVE_OPERATION_group_move, SUBWAVE_DTYPE_U64, &parts, "moves of c32 as its parts");
}

/* Operations on arrays have kernels for aligned arrays and others; integers with a sign use those
 * without but for their minima and maxima. A scan of several tiles has one that clears, and of many
 * one whose blocks combine later tiles first. */
static void call_arrays(void)
{
    static const subwave_op ops[] = {SUBWAVE_OP_PLUS, SUBWAVE_OP_MAXIMUM};
    subwave_transpose_launch transpose = {.m = 1, .n = 1, .batch = 1, .down = 1, .across = 1};
    for (int d = 0; d < DTYPES; ++d)
        if (subwave_is_built(SUBWAVE_OPERATION_transpose, all_dtypes[d]))
            call(SUBWAVE_OPERATION_transpose, all_dtypes[d], &transpose, "transpose %s",
                 subwave_dtype_name(all_dtypes[d]));
    static const int64_t tiles_of[] = {2, SUBWAVE_SCAN_TILES};
    subwave_tiles tiles = {.n = 1, .states = (uint64_t *)4096};
    for (size_t t = 0; t < COUNT(tiles_of); ++t) {
        tiles.all = tiles_of[t];
        subwave_select_launch select = {.tiles = tiles, .y = (char *)4096};
        for (int d = 0; d < DTYPES; ++d)
            if (subwave_is_built(SUBWAVE_OPERATION_select, all_dtypes[d]))
                call(SUBWAVE_OPERATION_select, all_dtypes[d], &select,
                     "select %s, %" PRId64 " tiles", subwave_dtype_name(all_dtypes[d]), tiles.all);
        select.x = (char *)4;
        call(SUBWAVE_OPERATION_select, SUBWAVE_DTYPE_U64, &select,
             "select c32 as its parts, %" PRId64 " tiles", tiles.all);
    }
    transpose.x = (char *)4;
    for (int d = 0; d < DTYPES; ++d)
        for (int form = 0; form < 4; ++form) {
            const subwave_histogram_launch histogram = {
                .n = 1,
                .x = (char *)4096 + (form & 1 ? subwave_dtype_size(all_dtypes[d]) : 0),
                .bins = {.count = 1},
                .counters = form & 2 ? 1 : 0,
                .blocks = 1};
            if (subwave_is_built(SUBWAVE_OPERATION_histogram, all_dtypes[d]))
                call(SUBWAVE_OPERATION_histogram, all_dtypes[d], &histogram,
                     "histogram %s, form %d", subwave_dtype_name(all_dtypes[d]), form);
        }
    const subwave_fill_launch fill = {.blocks = 1};
    subwave_stack_launch stack = {.entries = 1, .blocks = 1};
    call(SUBWAVE_OPERATION_stack, SUBWAVE_DTYPE_U8, &stack, "stack of few entries");
    stack.entries = SUBWAVE_STACK_MOST;
    call(SUBWAVE_OPERATION_stack, SUBWAVE_DTYPE_U8, &stack, "stack of many entries");
    subwave_grouped_launch problems = {.count = 1, .runs = 1, .blocks = 1};
    call(SUBWAVE_OPERATION_grouped, SUBWAVE_DTYPE_U8, &problems, "few problems");
    problems.runs = 2;
    call(SUBWAVE_OPERATION_grouped, SUBWAVE_DTYPE_U8, &problems, "many problems");
    call(SUBWAVE_OPERATION_fill, SUBWAVE_DTYPE_U8, &fill, "fill");
    for (int32_t points = 1; points <= SUBWAVE_TENSOR_MOST; ++points)
        for (int d = 0; d < DTYPES; ++d) {
            subwave_tensor_launch tensor = {.in = points, .out = 1, .block = 1, .blocks = 1};
            if (!subwave_is_built(SUBWAVE_OPERATION_tensor, all_dtypes[d]))
                continue;
            call(SUBWAVE_OPERATION_tensor, all_dtypes[d], &tensor, "tensor %s of %d points",
                 subwave_dtype_name(all_dtypes[d]), (int)points);
            for (tensor.out = points - 1; tensor.out <= points + 1; ++tensor.out)
                for (int list = SUBWAVE_TENSOR_APPLY; list <= SUBWAVE_TENSOR_GRADIENT; ++list) {
                    tensor.list = (subwave_tensor_list)list;
                    if (tensor.out > 0)
                        call(SUBWAVE_OPERATION_tensor, all_dtypes[d], &tensor,
                             "tensor %s of %d to %d points by list %d",
                             subwave_dtype_name(all_dtypes[d]), (int)points, (int)tensor.out, list);
                }
        }
    subwave_transpose_stacked_launch in_place = {.m = 1, .n = 1, .teams = 1, .blocks = 1};
    for (int d = 0; d < DTYPES; ++d)
        if (subwave_is_built(SUBWAVE_OPERATION_transpose_stacked, all_dtypes[d]))
            call(SUBWAVE_OPERATION_transpose_stacked, all_dtypes[d], &in_place,
                 "transpose_stacked %s", subwave_dtype_name(all_dtypes[d]));
    in_place.x = (char *)4;
    call(SUBWAVE_OPERATION_transpose_stacked, SUBWAVE_DTYPE_U64, &in_place,
         "transpose_stacked c32 as its parts");
    transpose.x = (char *)4;
    call(SUBWAVE_OPERATION_transpose, SUBWAVE_DTYPE_U64, &transpose, "transpose c32 as its parts");
    for (int d = 0; d < DTYPES; ++d)
        for (int form = 0; form < 4; ++form) {
            const size_t size = subwave_dtype_size(subwave_part_dtype(all_dtypes[d]));
            const subwave_reduce_launch launch = {.array = {.n = 1, .rows = 1, .tiles = 1},
                                                  .op = ops[form & 1],
                                                  .x = (char *)4096 + (form & 2 ? size : 0),
                                                  .rows = 1};
            if (subwave_is_built(SUBWAVE_OPERATION_reduce, all_dtypes[d]))
                call(SUBWAVE_OPERATION_reduce, all_dtypes[d], &launch, "reduce %s, form %d",
                     subwave_dtype_name(all_dtypes[d]), form);
            const subwave_row_reduce_launch rows = {
                .rows = {.rows = 1, .length = 1, .after = 1, .blocks = 1},
                .op = launch.op,
                .x = launch.x};
            if (subwave_is_built(SUBWAVE_OPERATION_row_reduce, all_dtypes[d]))
                call(SUBWAVE_OPERATION_row_reduce, all_dtypes[d], &rows, "row_reduce %s, form %d",
                     subwave_dtype_name(all_dtypes[d]), form);
            const subwave_row_minmax_index_launch least = {
                .rows = 1, .length = 1, .after = 1, .steps = 1, .blocks = 1, .x = launch.x};
            if (subwave_is_built(SUBWAVE_OPERATION_row_minmax_index, all_dtypes[d]))
                call(SUBWAVE_OPERATION_row_minmax_index, all_dtypes[d], &least,
                     "row_minmax_index %s, form %d", subwave_dtype_name(all_dtypes[d]), form);
            subwave_scan_launch scan = {.tiles = tiles,
                                        .op = ops[form & 1],
                                        .scan = SUBWAVE_SCAN_INCLUSIVE,
                                        .x = (char *)4096 + (form & 2 ? size : 0),
                                        .y = (char *)4096,
                                        .rows = 1};
            const subwave_row_scan_launch row_scan = {.rows =
                                                          1, /* of a part of a wave, of several */
                                                      .length = 1,
                                                      .packs = form & 1 ? 256 : 1,
                                                      .blocks = 1,
                                                      .op = ops[form & 1],
                                                      .scan = SUBWAVE_SCAN_INCLUSIVE,
                                                      .x = scan.x,
                                                      .y = scan.y};
            if (subwave_is_built(SUBWAVE_OPERATION_row_scan, all_dtypes[d]))
                call(SUBWAVE_OPERATION_row_scan, all_dtypes[d], &row_scan, "row_scan %s, form %d",
                     subwave_dtype_name(all_dtypes[d]), form);
            const subwave_dot_launch dot = {
                .array = launch.array, .conjugate = form & 1, .x = launch.x, .y = launch.x};
            if (subwave_is_built(SUBWAVE_OPERATION_dot, all_dtypes[d]))
                call(SUBWAVE_OPERATION_dot, all_dtypes[d], &dot, "dot %s, form %d",
                     subwave_dtype_name(all_dtypes[d]), form);
            const subwave_norm2_launch norm2 = {.array = launch.array, .x = launch.x};
            if (subwave_is_built(SUBWAVE_OPERATION_norm2, all_dtypes[d]))
                call(SUBWAVE_OPERATION_norm2, all_dtypes[d], &norm2, "norm2 %s, form %d",
                     subwave_dtype_name(all_dtypes[d]), form);
            const subwave_segmented_reduce_launch segmented = {
                .segments = {.tiles = {.n = 1, .all = 2}, .count = 1},
                .op = ops[form & 1],
                .x = launch.x};
            if (subwave_is_built(SUBWAVE_OPERATION_segmented_reduce, all_dtypes[d]))
                call(SUBWAVE_OPERATION_segmented_reduce, all_dtypes[d], &segmented,
                     "segmented_reduce %s, form %d", subwave_dtype_name(all_dtypes[d]), form);
            const subwave_segmented_scan_launch segmented_scan = {.segments = segmented.segments,
                                                                  .op = segmented.op,
                                                                  .scan = SUBWAVE_SCAN_INCLUSIVE,
                                                                  .x = launch.x};
            if (subwave_is_built(SUBWAVE_OPERATION_segmented_scan, all_dtypes[d]))
                call(SUBWAVE_OPERATION_segmented_scan, all_dtypes[d], &segmented_scan,
                     "segmented_scan %s, form %d", subwave_dtype_name(all_dtypes[d]), form);
            for (int bins = 0; bins < 2; ++bins) {
                const subwave_scatter_add_launch scatter = {.n = 1,
                                                            .cells = 1,
                                                            .indices = (char *)4096,
                                                            .values = launch.x,
                                                            .part_bits = form & 1,
                                                            .blocks = 1,
                                                            .bins = {.count = bins}};
                if (subwave_is_built(SUBWAVE_OPERATION_scatter_add, all_dtypes[d]))
                    call(SUBWAVE_OPERATION_scatter_add, all_dtypes[d], &scatter,
                         "scatter_add %s, form %d, %d bins", subwave_dtype_name(all_dtypes[d]),
                         form, bins);
            }
            const subwave_minmax_index_launch minmax = {
                .array = launch.array, .op = SUBWAVE_OP_MINIMUM, .x = launch.x, .rows = 1};
            if (subwave_is_built(SUBWAVE_OPERATION_minmax_index, all_dtypes[d]))
                call(SUBWAVE_OPERATION_minmax_index, all_dtypes[d], &minmax,
                     "minmax_index %s, form %d", subwave_dtype_name(all_dtypes[d]), form);
            for (size_t t = 0; t < COUNT(tiles_of); ++t) {
                scan.tiles.all = tiles_of[t];
                if (subwave_is_built(SUBWAVE_OPERATION_scan, all_dtypes[d]))
                    call(SUBWAVE_OPERATION_scan, all_dtypes[d], &scan,
                         "scan %s, form %d, %" PRId64 " tiles", subwave_dtype_name(all_dtypes[d]),
                         form, scan.tiles.all);
            }
        }
}

/* --- launches of one kernel ------------------------------------------------------------------- */

/* Where the operands seem to lie, far apart: the argument of who executes a launch. */
static char *const places[] = {(char *)(1ll << 40), (char *)(2ll << 40), (char *)(3ll << 40),
                               (char *)(4ll << 40)};

/* A line per launch: an estimate of its work, bytes of A, B, C and workspace, and what launch()
 * noted. */
static void print_launch(int64_t work, int64_t a, int64_t b, int64_t c, int64_t workspace)
{
    printf("%lld %lld %lld %lld %lld %s\n", (long long)work, (long long)a, (long long)b,
           (long long)c, (long long)workspace, launched_text);
}

static void try_matmul(const subwave_capabilities *device, subwave_variant variant,
                       subwave_dtype dtype, int64_t m, int64_t n, int64_t k, int form)
{
    const int64_t size = (int64_t)subwave_dtype_size(dtype);
    subwave_matmul_launch launch = {.product = {.m = m,
                                                .n = n,
                                                .k = k,
                                                .a = places[0],
                                                .b = places[1],
                                                .c = places[2],
                                                .a_row = form & 1 ? 1 : k,
                                                .a_column = form & 1 ? m : 1,
                                                .b_row = form & 2 ? 1 : n,
                                                .b_column = form & 2 ? k : 1,
                                                .c_row = n,
                                                .c_column = 1,
                                                .alpha = {1}},
                                    .workspace = places[3]};
    launch.kernel = subwave_plan_matmul(device, dtype, variant, &launch.product);
    const subwave_matmul_kernel *const plan = &launch.kernel;
    launched_count = 0;
    launched_text[0] = 0;
    if (launch.product.m % plan->tile_rows != 0 || launch.product.n % plan->tile_columns != 0 ||
        subwave_call_launcher(launchers, LAUNCHERS, plan->operation, dtype, &launch, NULL) != 0 ||
        !launched_text[0])
        return;
    const int64_t size_of_c = (int64_t)subwave_dtype_size(subwave_product_dtype(dtype));
    print_launch(m * n * k, m * k * size, k * n * size, m * n * size_of_c, plan->workspace_bytes);
}

static void try_matmul_batched(const subwave_capabilities *device, subwave_dtype dtype, int32_t n,
                               int form)
{
    const int64_t size = (int64_t)subwave_dtype_size(dtype), batch = 128, bytes = n * n * size;
    const double one = 1;
    const float one_of_f32 = 1;
    subwave_matmul_batched_launch launch = {.m = n, .n = n, .k = n, .batch = batch};
    launch.a.transposed = form & 1;
    launch.b.transposed = form >> 1;
    launch.a.ld = launch.b.ld = launch.c.ld = n;
    launch.a.stride = launch.b.stride = launch.c.stride = (int64_t)n * n;
    launch.a.first = places[0];
    launch.b.first = places[1];
    launch.c.first = places[2];
    if (dtype == SUBWAVE_DTYPE_F32)
        memcpy(launch.alpha, &one_of_f32, sizeof one_of_f32);
    else
        memcpy(launch.alpha, &one, sizeof one);
    subwave_plan_matmul_batched(device, dtype, &launch);
    launched_count = 0;
    launched_text[0] = 0;
    if (subwave_call_launcher(launchers, LAUNCHERS, SUBWAVE_OPERATION_matmul_batched, dtype,
                              &launch, NULL) == 0 &&
        launched_text[0]) /* the largest fills the kernel's tile best */
        print_launch(-n, batch * bytes, batch * bytes, batch * bytes, 0);
}

/* Of those that fit into a few MiB. */
static void try_launches(const subwave_capabilities *device)
{
    enum { SIDE = 1024, DEPTH = 1 << 14, MOST = 1 << 20 }; /* elements of A and of B */
    for (int d = 0; d < DTYPES; ++d) {
        for (int v = 0; v < VARIANTS; ++v)
            for (int64_t m = 1; m <= SIDE; m *= 2)
                for (int64_t n = 1; n <= SIDE; n *= 2)
                    for (int64_t k = 256; k <= DEPTH && k * greater(m, n) <= MOST; k *= 8)
                        for (int form = 0; form < 4; ++form)
                            if (subwave_variant_takes(device, all_variants[v], all_dtypes[d]))
                                try_matmul(device, all_variants[v], all_dtypes[d], m, n, k, form);
        for (int32_t n = 1; n <= 64; ++n)
            for (int form = 0; form < 4; ++form)
                if (subwave_is_built(SUBWAVE_OPERATION_matmul_batched, all_dtypes[d]))
                    try_matmul_batched(device, all_dtypes[d], n, form);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc == 4 || argc > 4 + (int)COUNT(wanted_arguments.bytes)) {
        fprintf(stderr, "usage: planned ARCHITECTURE WAVE [KERNEL BYTES...]\n");
        return 2;
    }
    wanted = argc > 3 ? argv[3] : NULL;
    for (int i = 4; i < argc; ++i)
        wanted_arguments.bytes[wanted_arguments.count++] = (size_t)atoi(argv[i]);
    /* A plan depends on how many compute units there are; these are those of the smallest and of
     * the largest. */
    static const int32_t units[] = {1, 32, 104, 304};
    for (size_t u = 0; u < sizeof units / sizeof *units; ++u) {
        subwave_device_properties properties = {.compute_units = units[u]};
        snprintf(properties.architecture, sizeof properties.architecture, "%s", argv[1]);
        properties.sub_group_sizes[0] = atoi(argv[2]);
        subwave_capabilities device;
        (strncmp(argv[1], "sm_", 3) == 0 ? subwave_capabilities_of_nvidia
                                         : subwave_capabilities_of_amd)(&properties, &device);
        if (wanted) {
            try_launches(&device);
            continue;
        }
        plan_matmuls(&device);
        launched_share = launched_alone = 0;
        if (u == 0) /* on which the others do not depend */
            plan_batches(&device);
    }
    if (!wanted) {
        call_groups();
        call_arrays();
    }
    for (size_t i = 0; i < seen_count; ++i)
        printf("%s %s, by blocks of %zu with %zu bytes, share %d, alone %d\n", seen[i].kernel,
               seen[i].why, seen[i].items, seen[i].bytes, (int)seen[i].share, (int)seen[i].alone);
    return failures != 0;
}

/* --- in the place of the runtime, of which the launchers need no more ------------------------- */

#ifdef SUBWAVE_PLANNED_CUDA
#define STAND_IN(name) __cuda##name
#define STAND_IN_API(name) cuda##name
#else
#define STAND_IN(name) __hip##name
#define STAND_IN_API(name) hip##name
#endif

typedef struct dim3 {
    uint32_t x, y, z;
} dim3;

static struct {
    const void *host; /* the host's address for a kernel */
    const char *name;
} kernels[1500];
static size_t kernel_count;

void **STAND_IN(RegisterFatBinary)(const void *wrapper);
void **STAND_IN(RegisterFatBinary)(const void *wrapper)
{
    (void)wrapper;
    static void *binary;
    return &binary;
}

void STAND_IN(UnregisterFatBinary)(void **binary);
void STAND_IN(UnregisterFatBinary)(void **binary) { (void)binary; }

void STAND_IN(RegisterFunction)(void **binary, const void *host, char *function, const char *name,
                                ...);
void STAND_IN(RegisterFunction)(void **binary, const void *host, char *function, const char *name,
                                ...)
{
    (void)binary, (void)function;
    if (kernel_count == sizeof kernels / sizeof *kernels)
        abort();
    kernels[kernel_count].host = host;
    kernels[kernel_count++].name = name;
}

static dim3 pushed_grid, pushed_block;
static size_t pushed_bytes;

int STAND_IN(PushCallConfiguration)(dim3 grid, dim3 block, size_t shared_bytes, void *stream);
int STAND_IN(PushCallConfiguration)(dim3 grid, dim3 block, size_t shared_bytes, void *stream)
{
    (void)stream;
    pushed_grid = grid;
    pushed_block = block;
    pushed_bytes = shared_bytes;
    return 0;
}

int STAND_IN(PopCallConfiguration)(dim3 *grid, dim3 *block, size_t *shared_bytes, void **stream);
int STAND_IN(PopCallConfiguration)(dim3 *grid, dim3 *block, size_t *shared_bytes, void **stream)
{
    *grid = pushed_grid;
    *block = pushed_block;
    *shared_bytes = pushed_bytes;
    *stream = NULL;
    return 0;
}

static void note_arguments(dim3 block, size_t shared_bytes, void **arguments)
{
    char *to = launched_text;
    const char *const end = launched_text + sizeof launched_text;
    to += snprintf(to, (size_t)(end - to), "%u %u %u %zu", block.x, block.y, block.z, shared_bytes);
    for (size_t i = 0; i < wanted_arguments.count; ++i) {
        const unsigned char *const bytes = arguments[i];
        if (wanted_arguments.bytes[i] * 2 + 2 > (size_t)(end - to))
            abort();
        *to++ = ' ';
        for (size_t j = 0; j < wanted_arguments.bytes[i]; ++j)
            to += snprintf(to, (size_t)(end - to), "%02x", bytes[j]);
    }
}

static int launch(const void *host, dim3 block, size_t shared_bytes, void **arguments)
{
    for (size_t i = 0; i < kernel_count; ++i)
        if (kernels[i].host == host) {
            if (launched_count == sizeof launched / sizeof *launched)
                abort();
            launched[launched_count].kernel = kernels[i].name;
            launched[launched_count].items = (size_t)block.x * block.y * block.z;
            launched[launched_count++].bytes = shared_bytes;
            if (wanted && strcmp(kernels[i].name, wanted) == 0)
                note_arguments(block, shared_bytes, arguments);
        }
    return 0;
}

#ifdef SUBWAVE_PLANNED_CUDA
void __cudaRegisterFatBinaryEnd(void **binary);
void __cudaRegisterFatBinaryEnd(void **binary) { (void)binary; }

int __cudaGetKernel(const void **kernel, const void *host);
int __cudaGetKernel(const void **kernel, const void *host)
{
    *kernel = host;
    return 0;
}

int __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                       size_t shared_bytes, void *stream);
int __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                       size_t shared_bytes, void *stream)
{
    (void)grid, (void)stream;
    return launch(kernel, block, shared_bytes, arguments);
}

int cudaFuncSetAttribute(const void *host, int attribute, int value);
int cudaFuncSetAttribute(const void *host, int attribute, int value)
{
    (void)host, (void)attribute, (void)value;
    return 0;
}
#endif

/* nvcc before CUDA 13 calls it too. */
int STAND_IN_API(LaunchKernel)(const void *host, dim3 grid, dim3 block, void **arguments,
                               size_t shared_bytes, void *stream);
int STAND_IN_API(LaunchKernel)(const void *host, dim3 grid, dim3 block, void **arguments,
                               size_t shared_bytes, void *stream)
{
    (void)grid, (void)stream;
    return launch(host, block, shared_bytes, arguments);
}

int STAND_IN_API(GetLastError)(void);
int STAND_IN_API(GetLastError)(void) { return 0; }
