/* SPDX-License-Identifier: MIT
 * test_plan.c: launch shapes of the matrix product, for devices that need not be here.
 */
#include "../../src/backend.h"
#include "../../src/check.h"
#include "../../src/matmul_complex.h"
#include "../../src/plan.h"
#include "../types.h"

#include <subwave/subwave.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static subwave_capabilities make_device(const char *backend, const char *architecture, int32_t wave,
                                        int32_t units)
{
    static const struct {
        const char *backend;
        void (*fill)(const subwave_device_properties *properties, subwave_capabilities *found);
    } rows[] = {{"cpu", subwave_capabilities_of_cpu},
                {"hip-amd", subwave_capabilities_of_amd},
                {"hip-nvidia", subwave_capabilities_of_nvidia}};
    subwave_device_properties device = {.compute_units = units};
    strcpy(device.architecture, architecture);
    device.sub_group_sizes[0] = wave;
    subwave_capabilities found = {0};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r)
        if (strcmp(rows[r].backend, backend) == 0)
            rows[r].fill(&device, &found);
    return found;
}

static subwave_matmul_launch plan(const subwave_capabilities *device, subwave_dtype dtype,
                                  subwave_variant variant, int64_t m, int64_t n, int64_t k)
{
    subwave_matmul_launch launch = {.product = {.m = m,
                                                .n = n,
                                                .k = k,
                                                .a_row = k,
                                                .a_column = 1,
                                                .b_row = n,
                                                .b_column = 1,
                                                .c_row = n,
                                                .c_column = 1}};
    launch.kernel = subwave_plan_matmul(device, dtype, variant, &launch.product);
    return launch;
}

/* Complex products by the matrix unit, where more launches pay. */
static void test_auto_complex(void **state)
{
    (void)state;
    static const struct {
        const char *backend, *architecture;
        int32_t wave, units;
        subwave_dtype dtype;
        int64_t m, n, k;
        bool by_matrix_unit;
    } rows[] = {
        {"hip-amd", "gfx90a", 64, 104, SUBWAVE_DTYPE_C64, 128, 128, 128, false},
        {"hip-amd", "gfx90a", 64, 104, SUBWAVE_DTYPE_C64, 384, 384, 384, true},
        {"hip-amd", "gfx90a", 64, 104, SUBWAVE_DTYPE_C64, 8, 4096, 4096, false},
        {"hip-amd", "gfx90a", 64, 104, SUBWAVE_DTYPE_C32, 384, 384, 384, false},
        {"hip-amd", "gfx90a", 64, 104, SUBWAVE_DTYPE_C32, 1024, 1024, 1024, true},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_C64, 256, 256, 256, false},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_C64, 384, 384, 384, true},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_C64, 1000, 32, 512, false},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_C64, 10000, 32, 128, true},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_C32, 4096, 4096, 4096, false},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        const struct subwave_context context = {
            .capabilities =
                make_device(rows[r].backend, rows[r].architecture, rows[r].wave, rows[r].units),
            .workspace_bytes = 80 << 20};
        subwave_matmul_product product =
            plan(&context.capabilities, rows[r].dtype, SUBWAVE_VARIANT_BROADCAST, rows[r].m,
                 rows[r].n, rows[r].k)
                .product;
        product.alpha[0] = 1;
        subwave_real_product real;
        if (subwave_takes_real_product(&context, rows[r].dtype, SUBWAVE_VARIANT_AUTO, &product,
                                       &real) != rows[r].by_matrix_unit)
            fail_msg("%s, %s, %d x %d x %d", rows[r].architecture,
                     subwave_dtype_name(rows[r].dtype), (int)rows[r].m, (int)rows[r].n,
                     (int)rows[r].k);
    }
}

/* The matrix units, where their blocks fill enough compute units. */
static void test_auto(void **state)
{
    (void)state;
    static const struct {
        const char *backend, *architecture;
        int32_t wave, units;
        subwave_dtype dtype;
        int64_t m, n;
        subwave_variant expected;
    } rows[] = {
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 64, 64, SUBWAVE_VARIANT_SKINNY},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 256, 256, SUBWAVE_VARIANT_SKINNY},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 300, 300, SUBWAVE_VARIANT_MATRIX},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 4096, 4096, SUBWAVE_VARIANT_MATRIX},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F32, 4096, 4096, SUBWAVE_VARIANT_BROADCAST},
        {"hip-nvidia", "sm_75", 32, 40, SUBWAVE_DTYPE_F64, 4096, 4096, SUBWAVE_VARIANT_BROADCAST},
        {"hip-amd", "gfx90a", 64, 104, SUBWAVE_DTYPE_F32, 64, 64, SUBWAVE_VARIANT_BROADCAST},
        {"hip-amd", "gfx90a", 64, 104, SUBWAVE_DTYPE_F32, 256, 256, SUBWAVE_VARIANT_MATRIX},
        {"hip-amd", "gfx90a", 64, 104, SUBWAVE_DTYPE_F64, 4096, 4096, SUBWAVE_VARIANT_MATRIX},
        {"hip-amd", "gfx908", 64, 120, SUBWAVE_DTYPE_F64, 4096, 4096, SUBWAVE_VARIANT_BROADCAST},
        {"hip-amd", "gfx1100", 32, 48, SUBWAVE_DTYPE_F32, 4096, 4096, SUBWAVE_VARIANT_BROADCAST},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F16, 4096, 4096, SUBWAVE_VARIANT_MATRIX},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F16, 1024, 1024, SUBWAVE_VARIANT_MATRIX},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_BF16, 789, 789, SUBWAVE_VARIANT_BROADCAST},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_I8, 640, 640, SUBWAVE_VARIANT_BROADCAST},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_BF16, 4095, 4095, SUBWAVE_VARIANT_MATRIX},
        {"hip-nvidia", "sm_75", 32, 40, SUBWAVE_DTYPE_BF16, 4096, 4096, SUBWAVE_VARIANT_BROADCAST},
        {"hip-amd", "gfx942", 64, 304, SUBWAVE_DTYPE_BF16, 4096, 4096, SUBWAVE_VARIANT_MATRIX},
        {"hip-amd", "gfx908", 64, 120, SUBWAVE_DTYPE_F16, 4096, 4096, SUBWAVE_VARIANT_MATRIX},
        {"hip-amd", "gfx906", 64, 60, SUBWAVE_DTYPE_F16, 4096, 4096, SUBWAVE_VARIANT_BROADCAST},
        {"hip-amd", "gfx1030", 32, 40, SUBWAVE_DTYPE_F16, 4096, 4096, SUBWAVE_VARIANT_BROADCAST},
        {"hip-amd", "gfx1100", 32, 48, SUBWAVE_DTYPE_F16, 4096, 4096, SUBWAVE_VARIANT_MATRIX},
        {"hip-amd", "gfx1201", 32, 32, SUBWAVE_DTYPE_BF16, 4096, 4096, SUBWAVE_VARIANT_MATRIX},
        {"hip-amd", "gfx90a", 64, 104, SUBWAVE_DTYPE_C64, 4096, 4096, SUBWAVE_VARIANT_BROADCAST},
        {"hip-amd", "gfx1100", 32, 48, SUBWAVE_DTYPE_C32, 4096, 4, SUBWAVE_VARIANT_SKINNY},
        {"hip-amd", "gfx1100", 32, 48, SUBWAVE_DTYPE_C32, 4096, 5, SUBWAVE_VARIANT_BROADCAST},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_C64, 7, 4096, SUBWAVE_VARIANT_SKINNY},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_C64, 8, 4096, SUBWAVE_VARIANT_BROADCAST},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_C32, 4096, 32, SUBWAVE_VARIANT_SKINNY},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_C32, 4096, 33, SUBWAVE_VARIANT_BROADCAST},
        {"cpu", "x86-64", 8, 2, SUBWAVE_DTYPE_C64, 300, 16, SUBWAVE_VARIANT_NAIVE},
        {"cpu", "x86-64", 64, 2, SUBWAVE_DTYPE_C32, 512, 512, SUBWAVE_VARIANT_BROADCAST},
        {"cpu", "x86-64", 64, 2, SUBWAVE_DTYPE_F64, 4096, 4096, SUBWAVE_VARIANT_BROADCAST},
        {"cpu", "x86-64", 64, 2, SUBWAVE_DTYPE_F32, 16, 16, SUBWAVE_VARIANT_NAIVE},
        {"cpu", "x86-64", 64, 2, SUBWAVE_DTYPE_F32, 64, 64, SUBWAVE_VARIANT_NAIVE},
        {"cpu", "x86-64", 64, 2, SUBWAVE_DTYPE_F32, 512, 512, SUBWAVE_VARIANT_BROADCAST},
        {"cpu", "x86-64", 8, 2, SUBWAVE_DTYPE_F32, 64, 64, SUBWAVE_VARIANT_BROADCAST},
        /* since k is 104 */
        {"cpu", "x86-64", 64, 2, SUBWAVE_DTYPE_F64, 300, 16, SUBWAVE_VARIANT_NAIVE},
        {"cpu", "x86-64", 8, 2, SUBWAVE_DTYPE_F64, 300, 16, SUBWAVE_VARIANT_SKINNY},
        {"cpu", "x86-64", 64, 2, SUBWAVE_DTYPE_F32, 16, 300, SUBWAVE_VARIANT_BROADCAST},
        {"cpu", "x86-64", 64, 2, SUBWAVE_DTYPE_C64, 1, 256, SUBWAVE_VARIANT_LOCAL},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F32, 16, 4096, SUBWAVE_VARIANT_SKINNY},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 4096, 1, SUBWAVE_VARIANT_SKINNY},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 24, 4096, SUBWAVE_VARIANT_SKINNY},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 16, 100000, SUBWAVE_VARIANT_SKINNY},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 24, 10000, SUBWAVE_VARIANT_MATRIX},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 48, 3000, SUBWAVE_VARIANT_MATRIX},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 48, 1000, SUBWAVE_VARIANT_SKINNY},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 24, 256, SUBWAVE_VARIANT_SKINNY},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 1000, 64, SUBWAVE_VARIANT_SKINNY},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 10000, 64, SUBWAVE_VARIANT_MATRIX},
        {"hip-amd", "gfx90a", 64, 104, SUBWAVE_DTYPE_F64, 24, 4096, SUBWAVE_VARIANT_MATRIX},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F32, 17, 4096, SUBWAVE_VARIANT_BROADCAST},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F32, 4096, 24, SUBWAVE_VARIANT_SKINNY},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F32, 4096, 64, SUBWAVE_VARIANT_SKINNY},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F32, 4096, 65, SUBWAVE_VARIANT_BROADCAST},
        {"hip-amd", "gfx1100", 32, 48, SUBWAVE_DTYPE_F32, 4096, 16, SUBWAVE_VARIANT_SKINNY},
        {"hip-amd", "gfx90a", 64, 104, SUBWAVE_DTYPE_F64, 4096, 16, SUBWAVE_VARIANT_MATRIX},
        {"hip-amd", "gfx90a", 64, 104, SUBWAVE_DTYPE_F64, 4096, 4, SUBWAVE_VARIANT_SKINNY},
        {"hip-amd", "gfx90a", 64, 104, SUBWAVE_DTYPE_F64, 16, 4096, SUBWAVE_VARIANT_SKINNY},
        {"hip-amd", "gfx942", 64, 304, SUBWAVE_DTYPE_F32, 100000, 5, SUBWAVE_VARIANT_MATRIX},
        {"hip-amd", "gfx942", 64, 304, SUBWAVE_DTYPE_F32, 256, 5, SUBWAVE_VARIANT_SKINNY},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        const subwave_capabilities device =
            make_device(rows[r].backend, rows[r].architecture, rows[r].wave, rows[r].units);
        const subwave_matmul_launch launch =
            plan(&device, rows[r].dtype, SUBWAVE_VARIANT_AUTO, rows[r].m, rows[r].n, 104);
        assert_int_equal(launch.kernel.variant, rows[r].expected);
        /* The rest is that variant's own plan. */
        const subwave_matmul_launch same =
            plan(&device, rows[r].dtype, launch.kernel.variant, rows[r].m, rows[r].n, 104);
        assert_memory_equal(&launch.product, &same.product, sizeof launch.product);
        assert_memory_equal(&launch.kernel, &same.kernel, sizeof launch.kernel);
    }
}

/* NVIDIA: what was faster on an H200. */
static void test_auto_by_time(void **state)
{
    (void)state;
    static const struct {
        subwave_dtype dtype;
        int64_t m, n, k;
        subwave_variant expected;
    } rows[] = {{SUBWAVE_DTYPE_F16, 256, 256, 256, SUBWAVE_VARIANT_BROADCAST},
                {SUBWAVE_DTYPE_F16, 640, 640, 640, SUBWAVE_VARIANT_MATRIX},
                {SUBWAVE_DTYPE_F16, 1000, 16, 4096, SUBWAVE_VARIANT_MATRIX},
                {SUBWAVE_DTYPE_F16, 16, 4096, 4096, SUBWAVE_VARIANT_MATRIX},
                {SUBWAVE_DTYPE_F16, 24, 4096, 4096, SUBWAVE_VARIANT_MATRIX},
                {SUBWAVE_DTYPE_F16, 1, 1024, 1024, SUBWAVE_VARIANT_MATRIX},
                {SUBWAVE_DTYPE_F16, 1000000, 4, 64, SUBWAVE_VARIANT_MATRIX},
                {SUBWAVE_DTYPE_F16, 4096, 4096, 63, SUBWAVE_VARIANT_MATRIX},
                {SUBWAVE_DTYPE_F16, 300, 300, 300, SUBWAVE_VARIANT_BROADCAST},
                {SUBWAVE_DTYPE_F32, 24, 4096, 4096, SUBWAVE_VARIANT_SKINNY},
                {SUBWAVE_DTYPE_F32, 24, 10000, 512, SUBWAVE_VARIANT_BROADCAST},
                {SUBWAVE_DTYPE_F32, 10000, 48, 512, SUBWAVE_VARIANT_SKINNY},
                {SUBWAVE_DTYPE_F32, 17, 30000, 128, SUBWAVE_VARIANT_SKINNY},
                {SUBWAVE_DTYPE_F32, 64, 100000, 128, SUBWAVE_VARIANT_SKINNY},
                {SUBWAVE_DTYPE_F32, 64, 100000, 512, SUBWAVE_VARIANT_BROADCAST},
                {SUBWAVE_DTYPE_F32, 48, 30000, 32, SUBWAVE_VARIANT_SKINNY},
                {SUBWAVE_DTYPE_F32, 10000, 64, 512, SUBWAVE_VARIANT_SKINNY},
                {SUBWAVE_DTYPE_F32, 10000, 65, 512, SUBWAVE_VARIANT_BROADCAST},
                {SUBWAVE_DTYPE_F32, 10000, 24, 8, SUBWAVE_VARIANT_SKINNY},
                {SUBWAVE_DTYPE_F32, 100, 64, 64, SUBWAVE_VARIANT_BROADCAST},
                {SUBWAVE_DTYPE_F32, 100, 200, 4096, SUBWAVE_VARIANT_SKINNY},
                {SUBWAVE_DTYPE_F32, 2000, 100, 600, SUBWAVE_VARIANT_SKINNY},
                {SUBWAVE_DTYPE_F32, 200, 1000, 4096, SUBWAVE_VARIANT_BROADCAST},
                {SUBWAVE_DTYPE_F32, 128, 128, 512, SUBWAVE_VARIANT_BROADCAST},
                {SUBWAVE_DTYPE_F64, 64, 512, 2048, SUBWAVE_VARIANT_SKINNY},
                {SUBWAVE_DTYPE_F64, 150, 150, 1000, SUBWAVE_VARIANT_SKINNY},
                {SUBWAVE_DTYPE_F64, 100, 200, 4096, SUBWAVE_VARIANT_MATRIX},
                {SUBWAVE_DTYPE_F64, 4096, 64, 4096, SUBWAVE_VARIANT_MATRIX},
                {SUBWAVE_DTYPE_F64, 30000, 35, 64, SUBWAVE_VARIANT_SKINNY},
                {SUBWAVE_DTYPE_F64, 30000, 35, 128, SUBWAVE_VARIANT_MATRIX},
                {SUBWAVE_DTYPE_F64, 30000, 48, 64, SUBWAVE_VARIANT_MATRIX},
                {SUBWAVE_DTYPE_F64, 35, 30000, 64, SUBWAVE_VARIANT_MATRIX},
                {SUBWAVE_DTYPE_F64, 64, 4096, 512, SUBWAVE_VARIANT_MATRIX},
                {SUBWAVE_DTYPE_C64, 16, 1000, 512, SUBWAVE_VARIANT_SKINNY},
                {SUBWAVE_DTYPE_C32, 24, 4096, 4096, SUBWAVE_VARIANT_BROADCAST},
                {SUBWAVE_DTYPE_C32, 64, 512, 2048, SUBWAVE_VARIANT_SKINNY}};
    const subwave_capabilities device = make_device("hip-nvidia", "sm_90", 32, 132);
    for (size_t r = 0; r < COUNT(rows); ++r)
        assert_int_equal(
            plan(&device, rows[r].dtype, SUBWAVE_VARIANT_AUTO, rows[r].m, rows[r].n, rows[r].k)
                .kernel.variant,
            rows[r].expected);
}

/* NVIDIA, a long k: the tiles, and how many blocks share each, that were fast on an H200. No share has
 * stages of two tiles. */
static void test_long_k(void **state)
{
    (void)state;
    static const struct {
        subwave_dtype dtype;
        subwave_variant variant;
        int64_t m, n, k;
        int32_t rows, columns; /* turned or not */
        int32_t least, most;   /* parts */
    } rows[] = {{SUBWAVE_DTYPE_F64, SUBWAVE_VARIANT_MATRIX, 100, 200, 4096, 64, 32, 8, 18},
                {SUBWAVE_DTYPE_F64, SUBWAVE_VARIANT_MATRIX, 512, 512, 4096, 128, 64, 4, 4},
                {SUBWAVE_DTYPE_F64, SUBWAVE_VARIANT_MATRIX, 64, 10000, 512, 64, 32, 2, 2},
                {SUBWAVE_DTYPE_F64, SUBWAVE_VARIANT_MATRIX, 24, 10000, 512, 32, 64, 1, 1},
                {SUBWAVE_DTYPE_F64, SUBWAVE_VARIANT_MATRIX, 10000, 24, 128, 64, 32, 1, 1},
                {SUBWAVE_DTYPE_F64, SUBWAVE_VARIANT_MATRIX, 512, 512, 512, 64, 32, 1, 1},
                {SUBWAVE_DTYPE_BF16, SUBWAVE_VARIANT_MATRIX, 1000, 16, 4096, 128, 128, 6, 12},
                {SUBWAVE_DTYPE_BF16, SUBWAVE_VARIANT_MATRIX, 256, 256, 256, 128, 128, 1, 1},
                {SUBWAVE_DTYPE_F32, SUBWAVE_VARIANT_SKINNY, 300, 300, 3000, 32, 32, 8, 12},
                {SUBWAVE_DTYPE_F32, SUBWAVE_VARIANT_SKINNY, 64, 64, 100000, 32, 32, 64, 128},
                {SUBWAVE_DTYPE_F32, SUBWAVE_VARIANT_SKINNY, 100, 100, 100000, 16, 128, 32, 40}};
    const subwave_capabilities device = make_device("hip-nvidia", "sm_90", 32, 132);
    for (size_t r = 0; r < COUNT(rows); ++r) {
        const subwave_matmul_kernel kernel =
            plan(&device, rows[r].dtype, rows[r].variant, rows[r].m, rows[r].n, rows[r].k).kernel;
        assert_int_equal(greater_of(kernel.tile_rows, kernel.tile_columns),
                         greater_of(rows[r].rows, rows[r].columns));
        assert_int_equal(lesser_of(kernel.tile_rows, kernel.tile_columns),
                         lesser_of(rows[r].rows, rows[r].columns));
        assert_true(kernel.parts >= rows[r].least && kernel.parts <= rows[r].most);
        if (kernel.variant == SUBWAVE_VARIANT_MATRIX && kernel.parts > 1)
            assert_int_equal(kernel.of.matrix.shares, kernel.parts * kernel.of.matrix.shared);
    }
}

/* A tile follows from the rounds of blocks. The product is turned, so that rows of A and C and
 * columns of B are neighbours in memory, but where both operands are transposed. */
static void test_matrix(void **state)
{
    (void)state;
    static const struct {
        int64_t m, n;
        int32_t rows, columns;
    } rows[] = {{64, 64, 64, 32},
                {1024, 1024, 128, 64},
                {1536, 1536, 64, 32},
                {4096, 4096, 128, 64},
                /* thin: a tile has all of the few rows or columns */
                {32, 100000, 32, 64},
                {100000, 17, 64, 32},
                {33, 100000, 48, 64},
                {100000, 48, 64, 48},
                {49, 100000, 64, 64},
                {100000, 64, 64, 64},
                {65, 100000, 128, 64}};
    const subwave_capabilities device = make_device("hip-nvidia", "sm_90", 32, 132);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        const subwave_matmul_launch launch =
            plan(&device, SUBWAVE_DTYPE_F64, SUBWAVE_VARIANT_MATRIX, rows[r].m, rows[r].n, 104);
        assert_true(launch.product.transposed && launch.product.a_row == 1 &&
                    launch.product.b_row == 1 && launch.product.c_row == 1);
        assert_int_equal(launch.kernel.tile_columns, rows[r].rows);
        assert_int_equal(launch.kernel.tile_rows, rows[r].columns);
    }
    subwave_matmul_product both = {.m = 64,
                                   .n = 64,
                                   .k = 64,
                                   .a_row = 1,
                                   .a_column = 64,
                                   .b_row = 1,
                                   .b_column = 64,
                                   .c_row = 64,
                                   .c_column = 1};
    (void)subwave_plan_matmul(&device, SUBWAVE_DTYPE_F64, SUBWAVE_VARIANT_MATRIX, &both);
    assert_true(!both.transposed && both.a_row == 1 && both.b_row == 1 && both.c_row == 64);
}

/* On AMD a product of whole rounds is predicted what its block reaches, and a round with one block
 * too many takes as long as a whole one. A tile follows from the rounds there, too. */
static void test_share(void **state)
{
    (void)state;
    const subwave_capabilities device = make_device("hip-amd", "gfx942", 64, 104);
    const subwave_block_shape *const blocks = device.shapes->matrix;
    static const struct {
        int64_t m, n;
        int block;
    } rows[] = {{128, 128 * 104, 0}, {128 * 16, 128 * 104, 0}, {64, 64 * 104, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r)
        for (int d = 0; d < 2; ++d) {
            const subwave_matmul_kernel kernel =
                plan(&device, d ? SUBWAVE_DTYPE_F64 : SUBWAVE_DTYPE_F32, SUBWAVE_VARIANT_MATRIX,
                     rows[r].m, rows[r].n, 104)
                    .kernel;
            assert_int_equal(kernel.of.matrix.shape, rows[r].block);
            assert_int_equal(kernel.share, blocks[rows[r].block].share[d == 0]);
        }
    const subwave_capabilities others[] = {make_device("hip-nvidia", "sm_90", 32, 132),
                                           make_device("hip-amd", "gfx1100", 32, 48),
                                           make_device("cpu", "x86-64", 64, 2)};
    for (size_t o = 0; o < COUNT(others); ++o)
        assert_int_equal(
            plan(&others[o], SUBWAVE_DTYPE_F16, SUBWAVE_VARIANT_MATRIX, 999, 999, 99).kernel.share,
            0);
}

/* A block that has a compute unit to itself takes as long as several that are on it together. k is
 * too short to be split. */
static void test_alone(void **state)
{
    (void)state;
    const subwave_capabilities device = make_device("hip-amd", "gfx942", 64, 104);
    const subwave_block_shape *const block = &device.shapes->matrix[1];
    const double alone = (double)block->share[0] / block->alone[0];
    const int64_t held = (int64_t)ceil(alone);
    assert_int_equal(held, 3);
    int small = 0;
    for (int64_t together = 1; together <= 9; ++together) {
        const subwave_matmul_kernel kernel =
            plan(&device, SUBWAVE_DTYPE_F64, SUBWAVE_VARIANT_MATRIX, 64, 64 * 104 * together,
                 block->stage)
                .kernel;
        if (kernel.of.matrix.shape != 1)
            continue;
        ++small;
        const int64_t last = together % held;
        const double expected = (double)(together - last) + (last == 0 ? 0 : fmax(alone, last));
        assert_true(fabs(kernel.rounds - expected) < 1e-9);
        assert_int_equal(kernel.alone, block->alone[0]);
    }
    assert_true(small >= 4);
    /* A long k is split, even where each unit has a tile. */
    const subwave_matmul_launch longer =
        plan(&device, SUBWAVE_DTYPE_F64, SUBWAVE_VARIANT_MATRIX, 64, 64 * 104, 4096);
    assert_true(longer.kernel.parts > 1);
}

/* Of the compute units' time for a product by MATRIX, the share in which they have a block, as far as
 * the numbers of tiles and of stages decide it. */
static double units_in_use(const subwave_matmul_kernel *kernel, int64_t units)
{
    const int64_t tiles = kernel->of.matrix.tiles, shared = kernel->of.matrix.shared,
                  shares = kernel->of.matrix.shares, stages = kernel->of.matrix.stages;
    const int64_t taken =
        ceil_divide(tiles, units) * stages +
        (shares > 0 ? ceil_divide(shares, units) * ceil_divide(shared * stages, shares) : 0);
    return (double)((tiles + shared) * stages) / (double)(units * taken);
}

/* Square products keep AMD's compute units busy, whatever their number. */
static void test_units_in_use(void **state)
{
    (void)state;
    static const int32_t units[] = {104, 110, 228, 304};
    static const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_F16, SUBWAVE_DTYPE_BF16, SUBWAVE_DTYPE_F32,
                                           SUBWAVE_DTYPE_F64};
    for (size_t u = 0; u < COUNT(units); ++u)
        for (size_t d = 0; d < COUNT(dtypes); ++d)
            for (int64_t n = 512; n <= 8192; n *= 2) {
                const subwave_capabilities device =
                    make_device("hip-amd", units[u] <= 110 ? "gfx90a" : "gfx942", 64, units[u]);
                const subwave_matmul_launch l =
                    plan(&device, dtypes[d], SUBWAVE_VARIANT_MATRIX, n, n, n);
                assert_true(units_in_use(&l.kernel, units[u]) >= (n >= 1024 ? 0.9 : 0.5));
            }
}

/* As the kernel does it: the shares, which tiles they are of, and where their sums go. */
static void check_parts(const subwave_capabilities *device, subwave_dtype dtype, int64_t m,
                        int64_t n, int64_t k)
{
    enum { MOST_SHARES = 8192 };
    static bool
        is_used[2 * MOST_SHARES]; /* places of sums, as hip/matmul_matrix_parts.hpp has them */
    const subwave_matmul_launch l = plan(device, dtype, SUBWAVE_VARIANT_MATRIX, m, n, k);
    const subwave_matmul_kernel *const kernel = &l.kernel;
    const int64_t shares = kernel->of.matrix.shares, shared = kernel->of.matrix.shared,
                  stages = kernel->of.matrix.stages, all = shared * stages,
                  part_bytes = (int64_t)kernel->tile_rows * kernel->tile_columns *
                               (dtype == SUBWAVE_DTYPE_F64 ? 8 : 4);
    assert_int_equal(subwave_count_tiles(&l.product, kernel->tile_rows, kernel->tile_columns),
                     kernel->of.matrix.tiles + shared);
    assert_int_equal(shares > 0, kernel->parts > 1);
    assert_int_equal(kernel->workspace_bytes,
                     shares > 0 ? SUBWAVE_WORKSPACE_COUNTERS * 4 + (shares + shared) * part_bytes
                                : 0);
    assert_true(kernel->workspace_bytes <= (int64_t)subwave_plan_workspace(device));
    assert_true(shared <= SUBWAVE_WORKSPACE_COUNTERS && shares <= all && all <= INT32_MAX);
    assert_true(kernel->rounds > 0);
    if (shares == 0)
        return;
    assert_true(shares <= MOST_SHARES && shares >= shared);
    memset(is_used, 0, sizeof is_used);
    int64_t at = 0, parts = 0, blocks = kernel->of.matrix.tiles + shares;
    /* Shares of what is divided by itself, and its stages. */
    const bool by_tiles = shares % shared == 0;
    const int64_t together = by_tiles ? shares / shared : shares, span = by_tiles ? stages : all;
    assert_true(by_tiles || device->shapes->shares_cross_tiles);
    for (int64_t share = 0; share < shares; ++share) {
        const int64_t number = share % together, length = span / together, longer = span % together,
                      from = share / together * span + number * length + lesser_of(number, longer),
                      to = from + length + (number < longer);
        assert_true(from == at && to > from);
        assert_true(!by_tiles || to <= (share / together + 1) * stages);
        while (at < to) {
            const int64_t tile = at / stages, end = lesser_of(to, (tile + 1) * stages);
            const bool second = from < tile * stages;
            assert_int_equal(tile, from / stages + second);
            parts = at % stages == 0 ? 1 : parts + 1;
            assert_true(parts <= kernel->parts);
            assert_true(share + tile < shares + shared && !is_used[share + tile]);
            is_used[share + tile] = true;
            if (second) /* the blocks of the second tiles come last, some of them in vain */
                blocks = kernel->of.matrix.tiles + 2 * shares;
            at = end;
        }
    }
    assert_int_equal(at, all);
    assert_true(blocks <= kernel->blocks && kernel->blocks <= kernel->of.matrix.tiles + 2 * shares);
}

static void test_matrix_parts(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 63, 64, 100, 257, 512, 1000, 3000, 10000};
    static const int32_t units[] = {1, 2, 3, 48, 104, 304, 1000};
    static const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_BF16, SUBWAVE_DTYPE_F32,
                                           SUBWAVE_DTYPE_F64};
    for (size_t u = 0; u < COUNT(units); ++u) {
        const subwave_capabilities devices[] = {
            make_device("hip-amd", "gfx90a", 64, units[u]),
            make_device("hip-amd", "gfx942", 64, units[u]),
            make_device("hip-amd", "gfx1100", 32, units[u]),
            make_device("hip-nvidia", "sm_90", 32, units[u]),
            make_device("cpu", "x86-64", 4, units[u]),
            make_device("cpu", "x86-64", 64, units[u]),
        };
        for (size_t d = 0; d < COUNT(devices); ++d)
            for (size_t t = 0; t < COUNT(dtypes); ++t)
                for (size_t i = 0; i < COUNT(sizes) * COUNT(sizes) * COUNT(sizes); ++i)
                    if (subwave_variant_takes(&devices[d], SUBWAVE_VARIANT_MATRIX, dtypes[t]))
                        check_parts(&devices[d], dtypes[t], sizes[i % 9], sizes[i / 9 % 9],
                                    sizes[i / 81]);
    }
}

/* 16 bits on gfx942: large blocks where they fill the device, and small ones where others would be
 * few, if all is read by 16 bytes. */
static void test_large_blocks(void **state)
{
    (void)state;
    static const struct {
        const char *architecture;
        int64_t size, row;
        int32_t tile;
    } rows[] = {{"gfx942", 8192, 8192, 256}, {"gfx942", 2048, 2048, 128},
                {"gfx942", 1024, 1024, 64},  {"gfx942", 8192, 8193, 128},
                {"gfx90a", 8192, 8192, 128}, {"gfx950", 8192, 8192, 256}};
    for (size_t r = 0; r < COUNT(rows); ++r) {
        const subwave_capabilities device = make_device("hip-amd", rows[r].architecture, 64, 304);
        subwave_matmul_product product = {.m = rows[r].size,
                                          .n = rows[r].size,
                                          .k = rows[r].size,
                                          .a_row = rows[r].row,
                                          .a_column = 1,
                                          .b_row = 1,
                                          .b_column = rows[r].row,
                                          .c_row = rows[r].size,
                                          .c_column = 1};
        const subwave_matmul_kernel kernel =
            subwave_plan_matmul(&device, SUBWAVE_DTYPE_BF16, SUBWAVE_VARIANT_MATRIX, &product);
        assert_int_equal(kernel.tile_rows, rows[r].tile);
        assert_int_equal(kernel.tile_columns, rows[r].tile);
        assert_int_equal(kernel.of.matrix.shape, rows[r].tile == 256  ? 1
                                                 : rows[r].tile == 64 ? 2
                                                                      : 0);
        assert_int_equal(kernel.shared_bytes, 256 * rows[r].tile);
    }
}

/* f64 is the matrix unit's on NVIDIA where there is one, but a single row. Complex numbers are no
 * unit's. */
static void test_skinny_unit(void **state)
{
    (void)state;
    static const struct {
        const char *backend, *architecture;
        int32_t wave;
        subwave_dtype dtype;
        int64_t m, n;
        bool down;
        subwave_skinny_shape expected;
    } rows[] = {
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F64, 16, 4096, false, SUBWAVE_SKINNY_UNIT_ACROSS},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F64, 4096, 5, false, SUBWAVE_SKINNY_UNIT_DOWN},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F64, 16, 16, false, SUBWAVE_SKINNY_UNIT_ACROSS},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F64, 5, 1000, true, SUBWAVE_SKINNY_UNIT_DOWN},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F64, 2, 1000, true, SUBWAVE_SKINNY_UNIT_DOWN},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F64, 2, 4096, false, SUBWAVE_SKINNY_UNIT_ACROSS},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F64, 16, 2048, false, SUBWAVE_SKINNY_UNIT_ACROSS},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F64, 16, 2112, false,
         SUBWAVE_SKINNY_UNIT_ACROSS_LONG},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F64, 16, 2116, false, SUBWAVE_SKINNY_UNIT_ACROSS},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F64, 16, 20000, false,
         SUBWAVE_SKINNY_UNIT_ACROSS_MANY},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F64, 16, 20000, true,
         SUBWAVE_SKINNY_UNIT_DOWN_MANY},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F64, 1, 4096, false, SUBWAVE_SKINNY_ACROSS},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F64, 1, 4096, true, SUBWAVE_SKINNY_DOWN},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F32, 16, 4096, false, SUBWAVE_SKINNY_ACROSS},
        {"hip-nvidia", "sm_75", 32, SUBWAVE_DTYPE_F64, 16, 4096, false, SUBWAVE_SKINNY_ACROSS},
        {"hip-amd", "gfx942", 64, SUBWAVE_DTYPE_F64, 16, 4096, false, SUBWAVE_SKINNY_ACROSS},
        {"cpu", "x86-64", 32, SUBWAVE_DTYPE_F64, 16, 4096, false, SUBWAVE_SKINNY_ACROSS},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F32, 24, 10000, true,
         SUBWAVE_SKINNY_STAGED_DOWN_HALF},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F32, 48, 4096, true,
         SUBWAVE_SKINNY_STAGED_DOWN_48},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F32, 64, 4096, true,
         SUBWAVE_SKINNY_STAGED_DOWN_64},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F32, 64, 10000, true,
         SUBWAVE_SKINNY_STAGED_DOWN_HALF},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F32, 24, 30000, true,
         SUBWAVE_SKINNY_STAGED_DOWN_32},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F32, 24, 60000, true,
         SUBWAVE_SKINNY_STAGED_DOWN_WIDE},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F32, 9, 30000, true,
         SUBWAVE_SKINNY_STAGED_DOWN_16},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F32, 48, 500, true,
         SUBWAVE_SKINNY_STAGED_DOWN_FEW},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F32, 20000, 64, false,
         SUBWAVE_SKINNY_STAGED_DOWN_64},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F32, 24, 30000, false, SUBWAVE_SKINNY_ACROSS},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F32, 23, 30000, false,
         SUBWAVE_SKINNY_STAGED_ACROSS_32},
        {"hip-amd", "gfx1100", 32, SUBWAVE_DTYPE_F32, 24, 4096, true, SUBWAVE_SKINNY_DOWN},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_C64, 16, 4096, false, SUBWAVE_SKINNY_ACROSS},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_C64, 16, 4099, true, SUBWAVE_SKINNY_DOWN},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_C64, 4099, 1, false, SUBWAVE_SKINNY_DOWN},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_C32, 3, 32, false, SUBWAVE_SKINNY_NARROW},
        {"hip-amd", "gfx1100", 32, SUBWAVE_DTYPE_C64, 9, 16, false, SUBWAVE_SKINNY_NARROW},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        const subwave_capabilities device =
            make_device(rows[r].backend, rows[r].architecture, rows[r].wave, 132);
        const int64_t m = rows[r].m, n = rows[r].n, k = 4100;
        subwave_matmul_launch launch = {.product = {.m = m,
                                                    .n = n,
                                                    .k = k,
                                                    .a_row = k,
                                                    .a_column = 1,
                                                    .b_row = rows[r].down ? 1 : n,
                                                    .b_column = rows[r].down ? k : 1,
                                                    .c_row = n,
                                                    .c_column = 1}};
        launch.kernel =
            subwave_plan_matmul(&device, rows[r].dtype, SUBWAVE_VARIANT_SKINNY, &launch.product);
        assert_int_equal(launch.kernel.of.skinny.shape, rows[r].expected);
        assert_true(launch.kernel.packed);
        const bool unit = rows[r].expected >= SUBWAVE_SKINNY_UNIT_ACROSS;
        if (subwave_skinny_is_staged(rows[r].expected))
            assert_int_equal(launch.kernel.block_x * launch.kernel.item_rows *
                                 launch.kernel.item_columns,
                             launch.kernel.tile_rows * launch.kernel.tile_columns);
        else
            assert_int_equal(launch.kernel.block_x == SUBWAVE_SKINNY_UNIT_BLOCK, unit);
        if (unit)
            assert_true(launch.kernel.tile_rows == 16 && launch.kernel.tile_columns % 16 == 0);
    }
}

/* Where k is short: the tile, and how many waves of a block share k. */
static void test_skinny_short(void **state)
{
    (void)state;
    static const struct {
        const char *backend, *architecture;
        int32_t wave, units;
        subwave_dtype dtype;
        int64_t m, n, k;
        subwave_skinny_shape expected;
        int32_t rows, along;
    } rows[] = {
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F32, 1000000, 1, 8, SUBWAVE_SKINNY_DOWN, 4,
         1},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F32, 1000000, 1, 200, SUBWAVE_SKINNY_DOWN, 1,
         1},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F32, 1000, 1, 32, SUBWAVE_SKINNY_DOWN, 1, 8},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F32, 1, 1000000, 8, SUBWAVE_SKINNY_ACROSS, 1,
         1},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F32, 1, 40000, 128, SUBWAVE_SKINNY_ACROSS, 1,
         4},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F32, 8, 1000, 128, SUBWAVE_SKINNY_NARROW, 4,
         8},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F32, 8, 1000000, 8, SUBWAVE_SKINNY_ACROSS, 4,
         1},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F32, 16, 1000000, 32,
         SUBWAVE_SKINNY_STAGED_ACROSS_32, 32, 1},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F32, 10000, 8, 32,
         SUBWAVE_SKINNY_STAGED_DOWN_16, 16, 1},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F32, 1000, 8, 32,
         SUBWAVE_SKINNY_STAGED_DOWN_FEW, 32, 1},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 1000000, 4, 8, SUBWAVE_SKINNY_DOWN, 4,
         1},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 1000, 4, 32, SUBWAVE_SKINNY_UNIT_DOWN,
         16, 4},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 1000000, 16, 32,
         SUBWAVE_SKINNY_UNIT_DOWN_SHORT, 16, 1},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 100000, 24, 32,
         SUBWAVE_SKINNY_STAGED_F64_DOWN, 32, 1},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 48, 100000, 8,
         SUBWAVE_SKINNY_STAGED_F64_ACROSS_FEW, 32, 1},
        {"hip-amd", "gfx942", 64, 304, SUBWAVE_DTYPE_F64, 1000000, 1, 8, SUBWAVE_SKINNY_DOWN, 4, 1},
        {"hip-amd", "gfx942", 64, 304, SUBWAVE_DTYPE_F32, 1000, 1, 8, SUBWAVE_SKINNY_DOWN, 1, 4},
        {"cpu", "x86-64", 8, 2, SUBWAVE_DTYPE_F32, 3, 4100, 17, SUBWAVE_SKINNY_ACROSS, 4, 2},
        {"cpu", "x86-64", 8, 2, SUBWAVE_DTYPE_F32, 3, 4100, 15, SUBWAVE_SKINNY_ACROSS, 4, 1},
    };
    for (size_t r = 0; r < COUNT(rows); ++r) {
        const subwave_capabilities device =
            make_device(rows[r].backend, rows[r].architecture, rows[r].wave, rows[r].units);
        const subwave_matmul_kernel kernel =
            plan(&device, rows[r].dtype, SUBWAVE_VARIANT_SKINNY, rows[r].m, rows[r].n, rows[r].k)
                .kernel;
        assert_int_equal(kernel.of.skinny.shape, rows[r].expected);
        assert_int_equal(kernel.tile_rows, rows[r].rows);
        assert_int_equal(kernel.of.skinny.along, rows[r].along);
        assert_int_equal(kernel.parts, 1);
    }
}

/* Parts of k where tiles of C are too few for the device, down to none where they are many. */
static void test_parts(void **state)
{
    (void)state;
    static const struct {
        subwave_dtype dtype;
        int64_t n, k;
        int32_t rows, columns;
        uint32_t sub_groups, parts;
    } rows[] = {
        {SUBWAVE_DTYPE_F32, 256, 256, 4, 4, 1, 8},
        {SUBWAVE_DTYPE_F32, 256, 64, 4, 4, 2, 2},
        {SUBWAVE_DTYPE_F32, 512, 512, 8, 8, 1, 8},
        {SUBWAVE_DTYPE_F32, 512, 128, 4, 4, 2, 2},
        {SUBWAVE_DTYPE_F32, 1024, 1024, 8, 8, 2, 2},
        {SUBWAVE_DTYPE_F32, 2048, 2048, 8, 8, 2, 2},
        {SUBWAVE_DTYPE_F32, 4096, 63, 8, 8, 4, 1},
        {SUBWAVE_DTYPE_F32, 4096, 4096, 12, 8, 1, 4},
        {SUBWAVE_DTYPE_F32, 8192, 8192, 12, 8, 2, 2},
        {SUBWAVE_DTYPE_F16, 8192, 8192, 8, 8, 2, 2},
        {SUBWAVE_DTYPE_F64, 512, 1024, 8, 8, 1, 8},
        {SUBWAVE_DTYPE_F64, 4096, 4096, 8, 8, 2, 2},
        {SUBWAVE_DTYPE_F32, 1549, 37, 12, 8, 4, 1},
        {SUBWAVE_DTYPE_F32, (int64_t)1 << 40, 64, 12, 8, 4, 1},
    };
    const subwave_capabilities device = make_device("hip-nvidia", "sm_90", 32, 132);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        const subwave_matmul_launch launch = plan(&device, rows[r].dtype, SUBWAVE_VARIANT_BROADCAST,
                                                  rows[r].n, rows[r].n, rows[r].k);
        assert_int_equal(launch.kernel.item_rows, rows[r].rows);
        assert_int_equal(launch.kernel.item_columns, rows[r].columns);
        assert_int_equal(launch.kernel.block_x, rows[r].sub_groups * 32);
        assert_int_equal(launch.kernel.block_y, rows[r].parts);
        assert_int_equal(launch.kernel.shared_bytes,
                         rows[r].parts / 2 * rows[r].sub_groups * 32 *
                             (uint32_t)(rows[r].rows * rows[r].columns) *
                             /* of a sum */
                             (rows[r].dtype == SUBWAVE_DTYPE_F64 ? 8 : 4));
        assert_true(launch.kernel.shared_bytes <= 64 * 1024);
    }
    const subwave_capabilities amd = make_device("hip-amd", "gfx90a", 64, 104);
    assert_int_equal(
        plan(&amd, SUBWAVE_DTYPE_F32, SUBWAVE_VARIANT_BROADCAST, 512, 512, 4096).kernel.block_y, 1);
}

/* The CPU device runs parts of k too, though no plan there asks for them: sums of whole numbers,
 * which come out the same in any order. */
static void test_parts_on_cpu(void **state)
{
    (void)state;
    enum { M = 11, N = 517, MOST_K = 150 };
    static float a[M * MOST_K], b[MOST_K * N], c[M * N];
    for (int64_t k = 1; k <= MOST_K; k += 37)
        for (uint32_t parts = 1; parts <= 8; parts *= 2)
            for (int groups = 1; groups <= 2; ++groups) {
                for (int64_t i = 0; i < M * k; ++i)
                    a[i] = (float)(i * 7 % 19 - 9);
                for (int64_t i = 0; i < k * N; ++i)
                    b[i] = (float)(i * 5 % 23 - 11);
                memset(c, 0xff, sizeof c);
                enum { WAVE = 64, ROWS = 4, COLUMNS = 8 }; /* the stream's default is 64 lanes */
                const subwave_matmul_launch launch = {
                    .product = {.m = M,
                                .n = N,
                                .k = k,
                                .a = a,
                                .b = b,
                                .c = c,
                                .a_row = k,
                                .a_column = 1,
                                .b_row = N,
                                .b_column = 1,
                                .c_row = N,
                                .c_column = 1,
                                .alpha = {1}},
                    .kernel = {.variant = SUBWAVE_VARIANT_BROADCAST,
                               .item_rows = ROWS,
                               .item_columns = COLUMNS,
                               .packed = 1,
                               .blocks = (uint32_t)((M + groups * ROWS - 1) / (groups * ROWS) * 2),
                               .block_x = (uint32_t)(groups * WAVE),
                               .block_y = parts,
                               .shared_bytes = (uint32_t)(parts / 2 * (uint32_t)groups * WAVE *
                                                          ROWS * COLUMNS * sizeof *c)}};
                assert_int_equal(subwave_cpu_matmul_broadcast_F32(&launch, NULL), 0);
                for (int64_t i = 0; i < M; ++i)
                    for (int64_t j = 0; j < N; ++j) {
                        float sum = 0;
                        for (int64_t l = 0; l < k; ++l)
                            sum += a[i * k + l] * b[l * N + j];
                        assert_true(c[i * N + j] == sum);
                    }
            }
}

/* The same of complex numbers, with B conjugated. */
static void test_complex_parts_on_cpu(void **state)
{
    (void)state;
    enum { M = 7, N = 261, K = 137, WAVE = 64, ROWS = 4, COLUMNS = 4 };
    static double a[M * K][2], b[K * N][2], c[M * N][2];
    for (int i = 0; i < M * K * 2; ++i)
        a[i / 2][i % 2] = i * 7 % 19 - 9;
    for (int i = 0; i < K * N * 2; ++i)
        b[i / 2][i % 2] = i * 5 % 23 - 11;
    for (uint32_t parts = 1; parts <= 4; parts *= 2) {
        memset(c, 0xff, sizeof c);
        const subwave_matmul_launch launch = {
            .product = {.m = M,
                        .n = N,
                        .k = K,
                        .a = a,
                        .b = b,
                        .c = c,
                        .a_row = K,
                        .a_column = 1,
                        .b_row = N,
                        .b_column = 1,
                        .c_row = N,
                        .c_column = 1,
                        .alpha = {0, 1},
                        .conjugate_b = 1},
            .kernel = {.variant = SUBWAVE_VARIANT_BROADCAST,
                       .item_rows = ROWS,
                       .item_columns = COLUMNS,
                       .packed = 1,
                       .blocks =
                           (M + ROWS - 1) / ROWS * ((N + COLUMNS * WAVE - 1) / (COLUMNS * WAVE)),
                       .block_x = WAVE,
                       .block_y = parts,
                       .shared_bytes = (uint32_t)(parts / 2 * WAVE * ROWS * COLUMNS * sizeof *c)}};
        assert_int_equal(subwave_cpu_matmul_broadcast_C64(&launch, NULL), 0);
        for (int i = 0; i < M; ++i)
            for (int j = 0; j < N; ++j) {
                double sum[2] = {0};
                for (int l = 0; l < K; ++l) {
                    const double *const x = a[i * K + l], *const y = b[l * N + j];
                    sum[0] += x[0] * y[0] + x[1] * y[1];
                    sum[1] += x[1] * y[0] - x[0] * y[1];
                }
                assert_true(c[i * N + j][0] == -sum[1] && c[i * N + j][1] == sum[0]);
            }
    }
}

/* Work for all, a workspace and local memory that hold it, and parts that are k. */
static void check_skinny(const subwave_capabilities *device, subwave_dtype dtype, int64_t m,
                         int64_t n, int64_t k)
{
    const subwave_matmul_launch l = plan(device, dtype, SUBWAVE_VARIANT_SKINNY, m, n, k);
    const int64_t tiles = ((l.product.m - 1) / l.kernel.tile_rows + 1) *
                          ((l.product.n - 1) / l.kernel.tile_columns + 1);
    const int64_t size = (int64_t)subwave_dtype_size(dtype),
                  cells = l.kernel.tile_rows * l.kernel.tile_columns;
    assert_int_equal(l.kernel.variant, SUBWAVE_VARIANT_SKINNY);
    assert_true(l.product.m <= l.product.n && l.product.m * l.product.n == m * n);
    assert_int_equal(l.product.transposed, m > n);
    /* Blocks that have whole tiles may have several. */
    if (subwave_skinny_is_staged(l.kernel.of.skinny.shape) && l.kernel.parts == 1)
        assert_true(l.kernel.blocks > 0 && l.kernel.blocks <= tiles);
    else
        assert_int_equal(l.kernel.blocks, tiles * l.kernel.parts);
    assert_true(l.kernel.parts >= 1 && l.kernel.parts * l.kernel.of.skinny.part >= k &&
                (l.kernel.parts - 1) * l.kernel.of.skinny.part < (k ? k : 1));
    assert_int_equal(l.kernel.of.skinny.part * size % 16, 0); /* or packs would not be aligned */
    assert_true(l.kernel.shared_bytes >= 16 * l.kernel.block_x &&
                l.kernel.shared_bytes <= 64 * 1024 - 256);
    if (l.kernel.parts > 1) {
        assert_true(tiles <= SUBWAVE_SKINNY_TILES);
        assert_true(SUBWAVE_SKINNY_TILES * 4 + tiles * l.kernel.parts * cells * size <=
                    (int64_t)subwave_plan_workspace(device));
    }
}

static void test_skinny(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 16, 17, 31, 32, 33, 100, 1000, 4096, 1000003};
    static const int32_t units[] = {1, 2, 48, 132, 304, 1500};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (size_t u = 0; u < sizeof units / sizeof *units; ++u) {
        const subwave_capabilities devices[] = {
            make_device("hip-nvidia", "sm_90", 32, units[u]),
            make_device("hip-nvidia", "sm_75", 32, units[u]),
            make_device("hip-amd", "gfx942", 64, units[u]),
            make_device("hip-amd", "gfx906", 64, units[u]),
            make_device("hip-amd", "gfx1100", 32, units[u]),
            make_device("cpu", "x86-64", 4, units[u]),
            make_device("cpu", "x86-64", 32, units[u]),
            make_device("cpu", "x86-64", 64, units[u]),
        };
        for (size_t d = 0; d < sizeof devices / sizeof *devices; ++d)
            for (int m = 0; m < SIZES; ++m)
                for (int n = 0; n < SIZES - 4; ++n)
                    for (int k = 0; k < SIZES; ++k)
                        for (size_t t = 0; t < COUNT(skinny_dtypes); ++t)
                            check_skinny(&devices[d], skinny_dtypes[t], sizes[m], sizes[n],
                                         sizes[k]);
        check_skinny(&devices[0], SUBWAVE_DTYPE_F32, 1, 1, 0);
    }
    /* The whole device has work. */
    const subwave_capabilities h200 = make_device("hip-nvidia", "sm_90", 32, 132);
    assert_true(
        plan(&h200, SUBWAVE_DTYPE_F32, SUBWAVE_VARIANT_AUTO, 16, 4096, 4096).kernel.blocks >= 132);
    assert_true(
        plan(&h200, SUBWAVE_DTYPE_F64, SUBWAVE_VARIANT_AUTO, 4096, 16, 4096).kernel.blocks >= 132);
    assert_true(
        plan(&h200, SUBWAVE_DTYPE_F32, SUBWAVE_VARIANT_AUTO, 16, 16, 1 << 20).kernel.blocks >= 128);
}

/* The CPU device has a kernel for whatever is planned for it: sums of zeros, for which a launch is
 * enough. */
static void test_kernels_on_cpu(void **state)
{
    (void)state;
    static const subwave_launcher launchers[] = {SUBWAVE_KERNELS(SUBWAVE_LAUNCHER_ROW_cpu)};
    enum { LAUNCHERS = sizeof launchers / sizeof *launchers, MOST = 300 };
    static const int64_t sizes[] = {1, 3, 17, 70, MOST};
    static double a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];
    /* the stream's default is 64 lanes */
    const subwave_capabilities device = make_device("cpu", "x86-64", 64, 2);
    for (size_t v = 0; v < COUNT(all_variants); ++v)
        for (size_t d = 0; d < COUNT(matmul_dtypes); ++d)
            for (int shape = 0; shape < 25; ++shape)
                for (int form = 0; form < 8; ++form) {
                    const subwave_variant variant = all_variants[v];
                    const subwave_dtype dtype = matmul_dtypes[d];
                    if (!subwave_variant_takes(&device, variant, dtype))
                        continue;
                    const int64_t m = sizes[shape / 5], n = sizes[shape % 5], k = form & 4 ? 2 : 1;
                    subwave_matmul_launch l = {.product = {.m = m,
                                                           .n = n,
                                                           .k = k,
                                                           .a = a,
                                                           .b = b,
                                                           .c = c,
                                                           .a_row = form & 1 ? 1 : k,
                                                           .a_column = form & 1 ? m : 1,
                                                           .b_row = form & 2 ? 1 : n,
                                                           .b_column = form & 2 ? k : 1,
                                                           .c_row = n,
                                                           .c_column = 1}};
                    l.kernel = subwave_plan_matmul(&device, dtype, variant, &l.product);
                    assert_int_equal(l.kernel.parts, 1); /* so that none needs a workspace */
                    assert_int_equal(subwave_call_launcher(launchers, LAUNCHERS, l.kernel.operation,
                                                           dtype, &l, NULL),
                                     0);
                }
}

/* --- candidates ------------------------------------------------------------------------------ */

enum { MOST_CANDIDATES = 4096 };

typedef struct candidate_list {
    subwave_candidates shown;
    int count;
    subwave_matmul_kernel kernels[MOST_CANDIDATES];
} candidate_list;

static void append(subwave_candidates *self, const subwave_matmul_kernel *kernel)
{
    candidate_list *const list = (candidate_list *)self;
    assert_true(list->count < MOST_CANDIDATES);
    list->kernels[list->count++] = *kernel;
}

static void list_candidates(const subwave_capabilities *device, subwave_dtype dtype,
                            subwave_variant variant, subwave_matmul_product *product,
                            candidate_list *list)
{
    list->shown = (subwave_candidates){.all = true, .show = append};
    list->count = 0;
    subwave_plan_candidates(device, dtype, variant, product, &list->shown);
}

static bool is_same(const subwave_matmul_kernel *a, const subwave_matmul_kernel *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* The plan is one of the variant's kernels, each of which there is once, and has room for its
 * sums. */
static void test_candidates(void **state)
{
    (void)state;
    static candidate_list list;
    static const int64_t sizes[] = {1, 4, 17, 256, 1000, 4096};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    const subwave_capabilities devices[] = {
        make_device("cpu", "x86-64", 4, 2),         make_device("cpu", "x86-64", 64, 2),
        make_device("hip-amd", "gfx90a", 64, 104),  make_device("hip-amd", "gfx942", 64, 304),
        make_device("hip-amd", "gfx1100", 32, 48),  make_device("hip-nvidia", "sm_90", 32, 132),
        make_device("hip-nvidia", "sm_75", 32, 40),
    };
    for (size_t d = 0; d < COUNT(devices); ++d)
        for (size_t t = 0; t < COUNT(matmul_dtypes); ++t)
            for (size_t v = 0; v < COUNT(all_variants); ++v)
                for (int i = 0; i < SIZES * SIZES * SIZES; ++i) {
                    if (all_variants[v] == SUBWAVE_VARIANT_AUTO ||
                        !subwave_variant_takes(&devices[d], all_variants[v], matmul_dtypes[t]))
                        continue;
                    const subwave_matmul_launch planned =
                        plan(&devices[d], matmul_dtypes[t], all_variants[v], sizes[i % SIZES],
                             sizes[i / SIZES % SIZES], sizes[i / SIZES / SIZES]);
                    subwave_matmul_launch l = planned;
                    if (l.product.transposed)
                        subwave_transpose_product(&l.product);
                    list_candidates(&devices[d], matmul_dtypes[t], all_variants[v], &l.product,
                                    &list);
                    assert_memory_equal(&l.product, &planned.product, sizeof l.product);
                    int same = 0;
                    for (int c = 0; c < list.count; ++c) {
                        same += is_same(&list.kernels[c], &planned.kernel);
                        assert_true(list.kernels[c].workspace_bytes <=
                                    (int64_t)subwave_plan_workspace(&devices[d]));
                        if (c > 0)
                            assert_false(is_same(&list.kernels[c], &list.kernels[c - 1]));
                    }
                    assert_int_equal(same, 1);
                }
    /* There is something to choose from. */
    const subwave_capabilities *const gfx942 = &devices[3], *const h200 = &devices[5];
    static const struct {
        bool h200;
        subwave_dtype dtype;
        subwave_variant variant;
        int64_t m, n, k;
        int least;
    } rows[] = {
        {true, SUBWAVE_DTYPE_F32, SUBWAVE_VARIANT_BROADCAST, 1000, 1000, 1000, 8},
        {true, SUBWAVE_DTYPE_F64, SUBWAVE_VARIANT_MATRIX, 1000, 1000, 1000, 2},
        {true, SUBWAVE_DTYPE_F64, SUBWAVE_VARIANT_SKINNY, 16, 1000, 1000, 30},
        {false, SUBWAVE_DTYPE_F32, SUBWAVE_VARIANT_BROADCAST, 1000, 1000, 1000, 4},
        {false, SUBWAVE_DTYPE_F64, SUBWAVE_VARIANT_MATRIX, 1000, 1000, 1000, 7},
        {false, SUBWAVE_DTYPE_F16, SUBWAVE_VARIANT_MATRIX, 1000, 1000, 1000, 6},
        {false, SUBWAVE_DTYPE_F32, SUBWAVE_VARIANT_SKINNY, 16, 1000, 1000, 20},
    };
    for (size_t r = 0; r < COUNT(rows); ++r) {
        const subwave_capabilities *const device = rows[r].h200 ? h200 : gfx942;
        subwave_matmul_launch l =
            plan(device, rows[r].dtype, rows[r].variant, rows[r].m, rows[r].n, rows[r].k);
        list_candidates(device, rows[r].dtype, rows[r].variant, &l.product, &list);
        assert_true(list.count >= rows[r].least);
    }
}

/* Every one of them computes the product, of whole numbers, whose sums are the same in any order. Of
 * complex ones A is conjugated. */
static void test_candidates_on_cpu(void **state)
{
    (void)state;
    static const subwave_launcher launchers[] = {SUBWAVE_KERNELS(SUBWAVE_LAUNCHER_ROW_cpu)};
    static const struct {
        int64_t m, n, k;
    } rows[] = {{1, 70, 700}, {3, 300, 300}, {16, 20, 700}, {70, 130, 90}, {130, 1, 300}};
    enum { MOST = 700 * 70 };
    static const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_C32};
    static _Alignas(16) float a[2 * MOST], b[6 * MOST], c[2 * MOST];
    static candidate_list list;
    /* the stream's default is 64 lanes */
    const subwave_capabilities device = make_device("cpu", "x86-64", 64, 2);
    void *const workspace = calloc(1, subwave_plan_workspace(&device));
    assert_non_null(workspace);
    for (size_t r = 0; r < COUNT(rows); ++r)
        for (size_t v = 0; v < COUNT(all_variants); ++v)
            for (int form = 0; form < 8; ++form) {
                const int64_t parts = 1 + form / 4;
                const subwave_dtype dtype = dtypes[parts - 1];
                const int64_t m = rows[r].m, n = rows[r].n, k = rows[r].k;
                subwave_matmul_launch l = {.product = {.m = m,
                                                       .n = n,
                                                       .k = k,
                                                       .a = a,
                                                       .b = b,
                                                       .c = c,
                                                       .a_row = form & 1 ? 1 : k,
                                                       .a_column = form & 1 ? m : 1,
                                                       .b_row = form & 2 ? 1 : n,
                                                       .b_column = form & 2 ? k : 1,
                                                       .c_row = n,
                                                       .c_column = 1,
                                                       .conjugate_a = parts == 2,
                                                       .alpha = {1}},
                                           .workspace = workspace};
                if (all_variants[v] == SUBWAVE_VARIANT_AUTO ||
                    !subwave_variant_takes(&device, all_variants[v], dtype))
                    continue;
                assert_true(m * k <= MOST && k * n <= 3 * MOST && m * n <= MOST);
                for (int64_t e = 0; e < m * k * parts; ++e)
                    a[e] = (float)(e * 7 % 19 - 9);
                for (int64_t e = 0; e < k * n * parts; ++e)
                    b[e] = (float)(e * 5 % 23 - 11);
                const subwave_matmul_product asked = l.product;
                list_candidates(&device, dtype, all_variants[v], &l.product, &list);
                for (int x = 0; x < list.count; ++x) {
                    memset(c, 0xff, sizeof c);
                    l.kernel = list.kernels[x];
                    assert_int_equal(subwave_call_launcher(launchers, COUNT(launchers),
                                                           l.kernel.operation, dtype, &l, NULL),
                                     0);
                    for (int64_t i = 0; i < m; ++i)
                        for (int64_t j = 0; j < n; j += 1 + n / 40) {
                            float sum[2] = {0};
                            for (int64_t s = 0; s < k; ++s) {
                                const float *const x =
                                    &a[(i * asked.a_row + s * asked.a_column) * parts];
                                const float *const y =
                                    &b[(s * asked.b_row + j * asked.b_column) * parts];
                                for (int part = 0; part < parts; ++part)
                                    sum[part] += x[0] * y[part];
                                if (parts == 2) {
                                    sum[0] += x[1] * y[1];
                                    sum[1] -= x[1] * y[0];
                                }
                            }
                            for (int part = 0; part < parts; ++part)
                                assert_true(c[(i * n + j) * parts + part] == sum[part]);
                        }
                }
            }
    free(workspace);
}

/* --- batches --------------------------------------------------------------------------------- */

static subwave_matmul_batched_launch plan_batched(const subwave_capabilities *device,
                                                  subwave_dtype dtype, int m, int n, int k,
                                                  int64_t batch)
{
    subwave_matmul_batched_launch launch = {.m = m, .n = n, .k = k, .batch = batch};
    launch.a.ld = k;
    launch.b.ld = n;
    launch.c.ld = n;
    launch.a.stride = m * k;
    launch.b.stride = k * n;
    launch.c.stride = m * n;
    subwave_plan_matmul_batched(device, dtype, &launch);
    return launch;
}

static bool is_cells(const subwave_matmul_batched_launch *launch)
{
    return launch->tile == SUBWAVE_MATMUL_BATCHED_CELLS_3 ||
           launch->tile == SUBWAVE_MATMUL_BATCHED_CELLS_4;
}

/* Sizes that leave much of a group's tile empty. */
static void test_batched_tiles(void **state)
{
    (void)state;
    static const struct {
        subwave_dtype dtype;
        int n;
        bool nvidia, amd; /* by cells */
    } rows[] = {
        {SUBWAVE_DTYPE_F64, 3, true, true},   {SUBWAVE_DTYPE_F64, 4, false, false},
        {SUBWAVE_DTYPE_F64, 5, true, true},   {SUBWAVE_DTYPE_F64, 8, false, false},
        {SUBWAVE_DTYPE_F64, 11, true, true},  {SUBWAVE_DTYPE_F64, 12, false, false},
        {SUBWAVE_DTYPE_F64, 13, false, true}, {SUBWAVE_DTYPE_F64, 17, false, false},
        {SUBWAVE_DTYPE_F32, 9, true, true},   {SUBWAVE_DTYPE_F32, 10, false, false},
        {SUBWAVE_DTYPE_C32, 15, true, true},  {SUBWAVE_DTYPE_C64, 3, false, false},
        {SUBWAVE_DTYPE_C64, 5, true, true},   {SUBWAVE_DTYPE_C64, 13, false, false},
    };
    const subwave_capabilities nvidia = make_device("hip-nvidia", "sm_90", 32, 132);
    const subwave_capabilities amd = make_device("hip-amd", "gfx942", 64, 304);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        const int n = rows[r].n;
        const subwave_matmul_batched_launch on_nvidia =
            plan_batched(&nvidia, rows[r].dtype, n, n, n, 1000);
        const subwave_matmul_batched_launch on_amd =
            plan_batched(&amd, rows[r].dtype, n, n, n, 1000);
        assert_int_equal(is_cells(&on_nvidia), rows[r].nvidia);
        assert_int_equal(is_cells(&on_amd), rows[r].amd);
    }
}

/* 17 rows or columns or more are the matrix unit's on AMD, where there is one; tiles cover C. */
static void test_batched_unit(void **state)
{
    (void)state;
    static const struct {
        const char *backend, *architecture;
        int32_t wave;
        subwave_dtype dtype;
        int64_t m, n;
        int32_t tiles; /* 0: not on the unit */
    } rows[] = {
        {"hip-amd", "gfx942", 64, SUBWAVE_DTYPE_F64, 17, 17, 1},
        {"hip-amd", "gfx90a", 64, SUBWAVE_DTYPE_F64, 3, 33, 2},
        {"hip-amd", "gfx950", 64, SUBWAVE_DTYPE_F64, 64, 64, 4},
        {"hip-amd", "gfx942", 64, SUBWAVE_DTYPE_F64, 65, 31, 3},
        {"hip-amd", "gfx942", 64, SUBWAVE_DTYPE_F64, 16, 16, 0},
        {"hip-amd", "gfx942", 64, SUBWAVE_DTYPE_F32, 32, 32, 1},
        {"hip-amd", "gfx90a", 64, SUBWAVE_DTYPE_C32, 33, 17, 2},
        {"hip-amd", "gfx942", 64, SUBWAVE_DTYPE_C64, 20, 80, 3},
        {"hip-amd", "gfx942", 64, SUBWAVE_DTYPE_C64, 16, 16, 0},
        {"hip-amd", "gfx908", 64, SUBWAVE_DTYPE_F64, 32, 32, 0},
        {"hip-amd", "gfx908", 64, SUBWAVE_DTYPE_F32, 32, 32, 1},
        {"hip-amd", "gfx1100", 32, SUBWAVE_DTYPE_C32, 32, 32, 0},
        {"hip-amd", "gfx1100", 32, SUBWAVE_DTYPE_F64, 32, 32, 0},
        {"hip-nvidia", "sm_90", 32, SUBWAVE_DTYPE_F64, 32, 32, 0},
        {"cpu", "x86-64", 64, SUBWAVE_DTYPE_F64, 32, 32, 0},
    };
    for (size_t r = 0; r < COUNT(rows); ++r) {
        const subwave_capabilities device =
            make_device(rows[r].backend, rows[r].architecture, rows[r].wave, 100);
        const subwave_matmul_batched_launch p =
            plan_batched(&device, rows[r].dtype, rows[r].m, rows[r].n, 40, 1001);
        assert_int_equal(p.tile == SUBWAVE_MATMUL_BATCHED_UNIT, rows[r].tiles != 0);
        if (rows[r].tiles != 0) {
            assert_int_equal(p.down * p.across, rows[r].tiles);
            assert_true(32 * p.down >= p.m && 32 * p.across >= p.n);
            const int64_t waves = p.block / 64;
            assert_true(p.blocks * waves >= 1001 * rows[r].tiles &&
                        (p.blocks - 1) * waves < 1001 * rows[r].tiles);
        }
    }
}

/* Cells are for matrices one after another without gaps. */
static void test_batched_gaps(void **state)
{
    (void)state;
    const subwave_capabilities device = make_device("hip-nvidia", "sm_90", 32, 132);
    const subwave_matmul_batched_launch dense =
        plan_batched(&device, SUBWAVE_DTYPE_F64, 5, 5, 5, 9);
    assert_true(is_cells(&dense));
    for (int gap = 0; gap < 8; ++gap) {
        subwave_matmul_batched_launch p = dense;
        p.a.stride += gap == 0;
        p.b.stride = gap == 1 ? 0 : p.b.stride;
        p.c.stride += gap == 2;
        p.a.ld += gap == 3;
        p.b.ld += gap == 4;
        p.c.ld += gap == 5;
        p.a.array = gap == 6 ? &device : NULL;
        p.k = gap == 7 ? 0 : p.k;
        subwave_plan_matmul_batched(&device, SUBWAVE_DTYPE_F64, &p);
        assert_false(is_cells(&p));
    }
}

/* Every part of local memory has its room, and every entry its lanes. */
static void check_cells(const subwave_capabilities *device, subwave_dtype dtype,
                        const subwave_matmul_batched_launch *p)
{
    const int m = p->m, n = p->n, k = p->k, size = (int)subwave_dtype_size(dtype);
    const int side = p->tile == SUBWAVE_MATMUL_BATCHED_CELLS_3 ? 3 : 4;
    const int lanes = (int)p->lanes.number, across = (int)p->lane_columns.number;
    assert_true(p->lane_rows * side >= m && across * side >= n);
    assert_int_equal(lanes, p->lane_rows * across);
    assert_true(p->entries >= 1 && p->entries * lanes <= (int)p->block);
    assert_int_equal(p->block % (uint32_t)device->wave_size, 0);
    assert_true(p->block >= 1 && p->block <= SUBWAVE_MATMUL_BATCHED_BLOCK);
    for (uint32_t item = 0; item < p->block; ++item) {
        assert_int_equal(item * p->lanes.reciprocal >> 20, item / p->lanes.number);
        assert_int_equal(item * p->lane_columns.reciprocal >> 20, item / p->lane_columns.number);
    }
    const int pack = 16 / size, shared = (int)p->shared_bytes / size;
    assert_true(p->shared_bytes >= 1 && p->shared_bytes <= 18 << 10);
    assert_true(p->b.local_at >= p->entries * m * k + pack - 1);
    assert_int_equal(p->b.local_at % pack, 0);
    assert_true(p->b.local_at + p->entries * k * n + pack - 1 <= shared);
    assert_true(p->entries * m * n + pack - 1 <= shared);
    assert_true(p->blocks * p->entries >= p->batch && (p->blocks - 1) * p->entries < p->batch);
}

static void test_batched_cells(void **state)
{
    (void)state;
    static const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64, SUBWAVE_DTYPE_C32,
                                           SUBWAVE_DTYPE_C64};
    const subwave_capabilities devices[] = {
        make_device("hip-nvidia", "sm_90", 32, 132), make_device("hip-amd", "gfx942", 64, 304),
        make_device("cpu", "x86-64", 4, 2), make_device("cpu", "x86-64", 64, 2)};
    int count = 0;
    for (int d = 0; d < 4; ++d)
        for (int t = 0; t < 4; ++t)
            for (int m = 1; m <= 16; ++m)
                for (int n = 1; n <= 16; ++n)
                    for (int k = 1; k <= 40; k += 3) {
                        const subwave_matmul_batched_launch p =
                            plan_batched(&devices[d], dtypes[t], m, n, k, 1001);
                        if (!is_cells(&p))
                            continue;
                        check_cells(&devices[d], dtypes[t], &p);
                        ++count;
                    }
    assert_true(count > 1000);
}

/* There is room for all that is read. */
static void check_dense(const subwave_matmul_batched_launch *p)
{
    static const int sides[] = {24, 32, 48, 64};
    const int m = p->m, n = p->n, k = p->k, t = (int)p->tile - SUBWAVE_MATMUL_BATCHED_DENSE_24,
              side = sides[t], teams = t < 2 ? 4 : 1;
    const int end = p->a.local_size - 1, read_b = p->b.local_at + (k - 1) * n + side;
    assert_true(m <= side && n <= side && p->b.local_at % 2 == 0 && p->a.local_size % 2 == 0);
    assert_true(p->b.local_at > m * k && read_b <= end && p->b.local_at + k * n <= end);
    assert_true(side * k <= end && m * n <= end);
    assert_true((int)p->shared_bytes >= teams * p->a.local_size * 8 &&
                p->shared_bytes <= 227 << 10);
    assert_int_equal(p->blocks, (p->batch + teams - 1) / teams);
}

/* Dense f64 on NVIDIA's matrix unit, where it is faster. */
static void test_batched_dense(void **state)
{
    (void)state;
    static const struct {
        const char *backend, *architecture;
        subwave_dtype dtype;
        int n, pad;
        bool dense;
    } rows[] = {
        {"hip-nvidia", "sm_90", SUBWAVE_DTYPE_F64, 16, 0, false},
        {"hip-nvidia", "sm_90", SUBWAVE_DTYPE_F64, 17, 0, true},
        {"hip-nvidia", "sm_100", SUBWAVE_DTYPE_F64, 17, 0, true},
        {"hip-nvidia", "sm_80", SUBWAVE_DTYPE_F64, 17, 0, false},
        {"hip-nvidia", "sm_90", SUBWAVE_DTYPE_F64, 17, 1, false},
        {"hip-nvidia", "sm_90", SUBWAVE_DTYPE_C64, 17, 0, false},
        {"hip-nvidia", "sm_90", SUBWAVE_DTYPE_F64, 32, 0, false},
        {"hip-nvidia", "sm_90", SUBWAVE_DTYPE_F64, 56, 0, true},
        {"hip-nvidia", "sm_90", SUBWAVE_DTYPE_F64, 62, 0, false},
        {"hip-nvidia", "sm_90", SUBWAVE_DTYPE_F64, 63, 0, true},
        {"hip-nvidia", "sm_90", SUBWAVE_DTYPE_F64, 65, 0, false},
        {"hip-amd", "gfx90a", SUBWAVE_DTYPE_F64, 17, 0, false},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        const int n = rows[r].n;
        const subwave_capabilities device =
            make_device(rows[r].backend, rows[r].architecture,
                        strcmp(rows[r].backend, "hip-amd") ? 32 : 64, 132);
        subwave_matmul_batched_launch p = {.m = n, .n = n, .k = n, .batch = 9};
        p.a.ld = n + rows[r].pad;
        p.b.ld = p.c.ld = n;
        subwave_plan_matmul_batched(&device, rows[r].dtype, &p);
        assert_int_equal(p.tile >= SUBWAVE_MATMUL_BATCHED_DENSE_24, rows[r].dense);
    }
    const subwave_capabilities h200 = make_device("hip-nvidia", "sm_90", 32, 132);
    int count = 0;
    for (int m = 1; m <= 64; ++m)
        for (int n = 1; n <= 64; ++n)
            for (int k = 1; k <= 64; ++k) {
                const subwave_matmul_batched_launch p =
                    plan_batched(&h200, SUBWAVE_DTYPE_F64, m, n, k, 9);
                if (p.tile < SUBWAVE_MATMUL_BATCHED_DENSE_24)
                    continue;
                check_dense(&p);
                ++count;
            }
    assert_true(count > 100000);
}

enum { MOST_BATCHED_CANDIDATES = 32 };

typedef struct batched_list {
    subwave_batched_candidates shown;
    int count, groups, cells, unit, dense;
    int32_t sides[MOST_BATCHED_CANDIDATES];
    subwave_matmul_batched_launch launches[MOST_BATCHED_CANDIDATES];
} batched_list;

static void append_batched(subwave_batched_candidates *self,
                           const subwave_matmul_batched_launch *launch, int32_t side)
{
    batched_list *const list = (batched_list *)self;
    assert_true(list->count < MOST_BATCHED_CANDIDATES);
    *(is_cells(launch)                                  ? &list->cells
      : launch->tile == SUBWAVE_MATMUL_BATCHED_UNIT     ? &list->unit
      : launch->tile >= SUBWAVE_MATMUL_BATCHED_DENSE_24 ? &list->dense
                                                        : &list->groups) += 1;
    list->sides[list->count] = side;
    list->launches[list->count++] = *launch;
}

static void list_batched(const subwave_capabilities *device, subwave_dtype dtype,
                         const subwave_matmul_batched_launch *problem, batched_list *list)
{
    memset(list, 0, sizeof *list);
    list->shown.show = append_batched;
    subwave_plan_batched_candidates(device, dtype, problem, &list->shown);
}

/* The kernel of groups, or of the unit, is compiled for the type and the device, and its tiles
 * cover C. */
static void check_tiles(const subwave_capabilities *device, subwave_dtype dtype,
                        const subwave_matmul_batched_launch *p, int32_t side)
{
    static const struct {
        subwave_matmul_batched_tile name;
        int use, size, lanes, across;
        bool exists[3]; /* for elements of 4, 8 and 16 bytes: they have steps of k */
    } tiles[] = {
#define SUBWAVE_X(name, use, size, lanes, across, terms4, terms8, terms16) \
    {SUBWAVE_MATMUL_BATCHED_##name, \
     SUBWAVE_MATMUL_BATCHED_FOR_##use, \
     size, \
     lanes, \
     across, \
     {(terms4) > 0, (terms8) > 0, (terms16) > 0}},
        SUBWAVE_MATMUL_BATCHED_TILES(SUBWAVE_X)
#undef SUBWAVE_X
    };
    const bool complex = dtype == SUBWAVE_DTYPE_C32 || dtype == SUBWAVE_DTYPE_C64;
    const bool of_unit = device->shapes->unit_in_batches &&
                         subwave_has_matrix_unit(device, subwave_part_dtype(dtype));
    int items = device->wave_size;
    if (p->tile == SUBWAVE_MATMUL_BATCHED_UNIT) {
        assert_true(of_unit);
        assert_int_equal(side, SUBWAVE_MATMUL_BATCHED_UNIT_SIDE);
    } else {
        size_t t = 0;
        while (tiles[t].name != p->tile)
            assert_true(++t < COUNT(tiles));
        const int use = tiles[t].use, across = tiles[t].across > 1 ? tiles[t].across : 1;
        const size_t bytes = subwave_dtype_size(dtype);
        assert_true(tiles[t].exists[bytes == 4 ? 0 : bytes == 8 ? 1 : 2]);
        assert_false(complex && use == SUBWAVE_MATMUL_BATCHED_FOR_REAL);
        assert_false(!complex && use == SUBWAVE_MATMUL_BATCHED_FOR_COMPLEX);
        const bool on_unit = dtype == SUBWAVE_DTYPE_F64 && device->shapes->f64_unit_in_groups;
        assert_true(use != SUBWAVE_MATMUL_BATCHED_FOR_MATRIX_UNIT || on_unit);
        assert_true(use != SUBWAVE_MATMUL_BATCHED_FOR_BROADCAST || !(complex || on_unit));
        items = tiles[t].lanes * across * across;
        assert_int_equal(side, tiles[t].size * across);
        assert_true(subwave_batched_fits(device->few_registers, tiles[t].size, items));
        assert_true(tiles[t].lanes <= device->wave_size);
        assert_false(of_unit && side > 16);
    }
    assert_true(p->down * side >= p->m && (p->down - 1) * side < p->m);
    assert_true(p->across * side >= p->n && (p->across - 1) * side < p->n);
    assert_true(p->block >= (uint32_t)device->wave_size);
    assert_int_equal(p->block % (uint32_t)items, 0);
    const int64_t work = p->batch * p->down * p->across, each = p->block / (uint32_t)items;
    assert_true(p->blocks * each >= work && (p->blocks - 1) * each < work);
}

/* How the operands of a batch lie. */
enum { IN_A_ROW, A_TURNED, B_TURNED, GAPS_IN_A, GAPS_IN_C, APART, BY_POINTERS, FORMS };

static subwave_matmul_batched_launch batched_in_form(int form, int m, int n, int k, int64_t batch)
{
    static const int pointers;
    const bool a_turned = form == A_TURNED, b_turned = form == B_TURNED;
    subwave_matmul_batched_launch p = {.m = m, .n = n, .k = k, .batch = batch};
    p.a.transposed = a_turned;
    p.b.transposed = b_turned;
    p.a.ld = (a_turned ? m : k) + (form == GAPS_IN_A ? 3 : 0);
    p.b.ld = b_turned ? k : n;
    p.c.ld = n + (form == GAPS_IN_C ? 3 : 0);
    p.a.stride = (a_turned ? k : m) * p.a.ld;
    p.b.stride = (b_turned ? n : k) * p.b.ld + (form == APART ? 5 : 0);
    p.c.stride = m * p.c.ld;
    if (form == BY_POINTERS) {
        p.a.array = p.b.array = p.c.array = &pointers;
        p.a.stride = p.b.stride = p.c.stride = 0;
    }
    return p;
}

/* The plan is one of the candidates, each of which there is once, and each of which computes the
 * product on the device. */
static void test_batched_candidates(void **state)
{
    (void)state;
    static batched_list list;
    static const int sizes[] = {1, 3, 8, 13, 17, 33, 49, 64, 65, 32768};
    static const int terms[] = {0, 1, 8, 31, 48, 63, 65, 32768};
    const subwave_capabilities devices[] = {
        make_device("cpu", "x86-64", 4, 2),          make_device("cpu", "x86-64", 64, 2),
        make_device("hip-amd", "gfx906", 64, 60),    make_device("hip-amd", "gfx908", 64, 120),
        make_device("hip-amd", "gfx942", 64, 304),   make_device("hip-amd", "gfx1100", 32, 48),
        make_device("hip-nvidia", "sm_80", 32, 108), make_device("hip-nvidia", "sm_90", 32, 132),
    };
    enum { SIZES = sizeof sizes / sizeof *sizes, TERMS = sizeof terms / sizeof *terms };
    for (size_t d = 0; d < COUNT(devices); ++d)
        for (size_t t = 0; t < COUNT(batched_dtypes); ++t)
            for (int i = 0; i < SIZES * SIZES * TERMS * FORMS; ++i) {
                const subwave_dtype dtype = batched_dtypes[t];
                const int form = i / (SIZES * SIZES * TERMS);
                const subwave_matmul_batched_launch asked =
                    batched_in_form(form, sizes[i % SIZES], sizes[i / SIZES % SIZES],
                                    terms[i / (SIZES * SIZES) % TERMS], 1001);
                subwave_matmul_batched_launch planned = asked;
                subwave_plan_matmul_batched(&devices[d], dtype, &planned);
                list_batched(&devices[d], dtype, &asked, &list);
                int same = 0;
                for (int c = 0; c < list.count; ++c) {
                    const subwave_matmul_batched_launch *const p = &list.launches[c];
                    same += memcmp(p, &planned, sizeof *p) == 0;
                    for (int other = 0; other < c; ++other)
                        assert_int_not_equal(p->tile, list.launches[other].tile);
                    if (is_cells(p)) {
                        assert_true(form == IN_A_ROW || form == A_TURNED || form == B_TURNED);
                        assert_true(p->k > 0);
                        check_cells(&devices[d], dtype, p);
                    } else if (p->tile >= SUBWAVE_MATMUL_BATCHED_DENSE_24) {
                        assert_true(form == IN_A_ROW || form == APART || form == BY_POINTERS);
                        assert_true(p->k > 0 && dtype == SUBWAVE_DTYPE_F64);
                        assert_true(devices[d].f64_unit_of_16_rows);
                        check_dense(p);
                    } else {
                        check_tiles(&devices[d], dtype, p, list.sides[c]);
                    }
                }
                assert_int_equal(same, 1);
            }
    /* All are there. */
    static const struct {
        int device;
        subwave_dtype dtype;
        int n, groups, cells, unit, dense;
    } rows[] = {
        {0, SUBWAVE_DTYPE_F32, 5, 2, 2, 0, 0},  {1, SUBWAVE_DTYPE_F32, 5, 9, 2, 0, 0},
        {1, SUBWAVE_DTYPE_C64, 16, 9, 2, 0, 0}, {2, SUBWAVE_DTYPE_F64, 40, 7, 0, 0, 0},
        {3, SUBWAVE_DTYPE_F64, 20, 9, 2, 0, 0}, {3, SUBWAVE_DTYPE_F32, 20, 5, 2, 1, 0},
        {4, SUBWAVE_DTYPE_F64, 20, 5, 2, 1, 0}, {4, SUBWAVE_DTYPE_C64, 8, 5, 2, 1, 0},
        {4, SUBWAVE_DTYPE_F64, 65, 5, 0, 1, 0}, {5, SUBWAVE_DTYPE_C32, 40, 9, 0, 0, 0},
        {6, SUBWAVE_DTYPE_F64, 20, 9, 2, 0, 0}, {7, SUBWAVE_DTYPE_F64, 20, 9, 2, 0, 4},
        {7, SUBWAVE_DTYPE_F64, 33, 9, 0, 0, 2}, {7, SUBWAVE_DTYPE_F64, 64, 9, 0, 0, 1},
        {7, SUBWAVE_DTYPE_F32, 44, 9, 1, 0, 0}, {7, SUBWAVE_DTYPE_F64, 65, 9, 0, 0, 0},
    };
    for (size_t r = 0; r < COUNT(rows); ++r) {
        const int n = rows[r].n;
        const subwave_matmul_batched_launch asked = batched_in_form(IN_A_ROW, n, n, n, 9);
        list_batched(&devices[rows[r].device], rows[r].dtype, &asked, &list);
        assert_int_equal(list.groups, rows[r].groups);
        assert_int_equal(list.cells, rows[r].cells);
        assert_int_equal(list.unit, rows[r].unit);
        assert_int_equal(list.dense, rows[r].dense);
    }
}

/* Every one of them computes the product, of whole numbers. */
static void test_batched_candidates_on_cpu(void **state)
{
    (void)state;
    static const subwave_launcher launchers[] = {SUBWAVE_KERNELS(SUBWAVE_LAUNCHER_ROW_cpu)};
    static const struct {
        int m, n, k;
    } rows[] = {{1, 1, 1}, {5, 5, 5}, {3, 17, 40}, {20, 8, 9}, {35, 41, 12}, {70, 3, 33}};
    enum { BATCH = 7, MOST = BATCH * 70 * 60 };
    static float a[MOST], b[MOST], c[MOST];
    static batched_list list;
    const subwave_capabilities device = make_device("cpu", "x86-64", 64, 2);
    for (size_t r = 0; r < COUNT(rows); ++r)
        for (int form = 0; form < BY_POINTERS; ++form) {
            const int m = rows[r].m, n = rows[r].n, k = rows[r].k;
            subwave_matmul_batched_launch asked = batched_in_form(form, m, n, k, BATCH);
            asked.a.first = a;
            asked.b.first = b;
            asked.c.first = c;
            memcpy(asked.alpha, &(float){1}, sizeof(float));
            assert_true(asked.a.stride * BATCH <= MOST && asked.b.stride * BATCH <= MOST &&
                        asked.c.stride * BATCH <= MOST);
            for (int e = 0; e < MOST; ++e) {
                a[e] = (float)(e * 7 % 19 - 9);
                b[e] = (float)(e * 5 % 23 - 11);
            }
            list_batched(&device, SUBWAVE_DTYPE_F32, &asked, &list);
            assert_true(list.count >= 9);
            for (int x = 0; x < list.count; ++x) {
                const subwave_matmul_batched_launch *const p = &list.launches[x];
                memset(c, 0xff, sizeof c);
                assert_int_equal(subwave_call_launcher(launchers, COUNT(launchers),
                                                       SUBWAVE_OPERATION_matmul_batched,
                                                       SUBWAVE_DTYPE_F32, p, NULL),
                                 0);
                for (int i = 0; i < BATCH * m * n; ++i) {
                    const int64_t entry = i / (m * n), row = i / n % m, column = i % n;
                    float sum = 0;
                    for (int64_t s = 0; s < k; ++s)
                        sum += a[entry * p->a.stride +
                                 (p->a.transposed ? s * p->a.ld + row : row * p->a.ld + s)] *
                               b[entry * p->b.stride +
                                 (p->b.transposed ? column * p->b.ld + s : s * p->b.ld + column)];
                    assert_true(c[entry * p->c.stride + row * p->c.ld + column] == sum);
                }
            }
        }
}

/* Sizes and addresses that the tests of the kernels do not have, or would not see the effect of. */
static void test_limits(void **state)
{
    (void)state;
    const subwave_capabilities cpu = make_device("cpu", "x86-64", 64, 2);
    const subwave_capabilities h200 = make_device("hip-nvidia", "sm_90", 32, 132);
    subwave_matmul_launch l = plan(&h200, SUBWAVE_DTYPE_F64, SUBWAVE_VARIANT_LOCAL, 100, 100, 100);
    assert_int_equal(l.kernel.shared_bytes, 8 * l.kernel.block_x);
    l = plan(&cpu, SUBWAVE_DTYPE_F32, SUBWAVE_VARIANT_NAIVE, 1 << 24, 1 << 24, 1);
    assert_int_equal(l.kernel.blocks, 0x7fffffff);
    /* 16 bytes a load, where all rows of B begin at a multiple of it. */
    for (int offset = 0; offset < 16; offset += 4)
        for (int pad = 0; pad < 4; ++pad) {
            subwave_matmul_product product = l.product;
            product.m = product.n = product.k = product.a_row = product.c_row = 512;
            product.b_row = 512 + pad;
            product.b = (const char *)4096 + offset;
            const subwave_matmul_kernel kernel =
                subwave_plan_matmul(&h200, SUBWAVE_DTYPE_F32, SUBWAVE_VARIANT_BROADCAST, &product);
            assert_int_equal(kernel.packed, offset == 0 && pad == 0);
        }
}

/* subwave_matmul_plan takes any sizes: no sum and no product of them may overflow, as the sanitizer
 * sees. */
static void test_huge(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 17, (int64_t)1 << 31, (int64_t)1 << 62, INT64_MAX};
    const subwave_capabilities devices[] = {
        make_device("cpu", "x86-64", 4, 2), make_device("cpu", "x86-64", 64, 2),
        make_device("hip-amd", "gfx90a", 64, 104), make_device("hip-amd", "gfx1100", 32, 48),
        make_device("hip-nvidia", "sm_90", 32, 132)};
    for (size_t d = 0; d < COUNT(devices); ++d)
        for (size_t t = 0; t < COUNT(matmul_dtypes); ++t)
            for (size_t v = 0; v < COUNT(all_variants); ++v)
                for (size_t i = 0; i < COUNT(sizes) * COUNT(sizes) * COUNT(sizes); ++i) {
                    const int64_t m = sizes[i % 5], n = sizes[i / 5 % 5], k = sizes[i / 25];
                    if (!subwave_variant_takes(&devices[d], all_variants[v], matmul_dtypes[t]))
                        continue;
                    const subwave_matmul_launch l =
                        plan(&devices[d], matmul_dtypes[t], all_variants[v], m, n, k);
                    assert_true(l.kernel.blocks >= 1 && l.kernel.blocks <= INT32_MAX);
                    assert_true(l.kernel.parts >= 1 && l.kernel.workspace_bytes >= 0);
                    if (l.kernel.variant == SUBWAVE_VARIANT_SKINNY)
                        assert_true(l.kernel.of.skinny.part >= 1 && l.kernel.of.skinny.tiles >= 1);
                }
}

/* Where element e of a line is in the buffer. */
static int32_t tensor_place(const subwave_tensor_geometry *g, const subwave_tensor_lines *in,
                            int32_t line, int32_t e)
{
    const int32_t i = line % g->lines_i.number, row = line / g->lines_i.number;
    return i * in->of_i + row % g->lines_j.number * in->of_j + row / g->lines_j.number * in->of_k +
           e * in->along;
}

/* Whether lanes that read or write an element each of neighbouring lines have banks of their own. */
static bool tensor_banks_differ(const subwave_tensor_geometry *g, const subwave_tensor_lines *in,
                                int32_t banks)
{
    for (int32_t first = 0; first < 64 * banks; first += banks) {
        uint32_t seen = 0;
        for (int32_t lane = 0; lane < banks; ++lane)
            seen |= UINT32_C(1) << tensor_place(g, in, first + lane, 0) % banks;
        if (seen != UINT32_MAX >> (32 - banks))
            return false;
    }
    return true;
}

/* What a contraction writes is where the next one reads it, no two elements in one place, and a tensor's
 * end before the next one begins. */
static void test_tensor_places(void **state)
{
    (void)state;
    for (int32_t size = 4; size <= 8; size += 4)
        for (int32_t in = 2; in <= 8; ++in)
            for (int32_t out = in - 1; out <= in + 1; ++out) {
                if (!subwave_tensor_is_known(SUBWAVE_TENSOR_APPLY, in, out))
                    continue;
                const int32_t tensor = subwave_tensor_known_places(in, out, size).tensor;
                for (int32_t direction = 0; direction < 2; ++direction) {
                    const subwave_tensor_geometry writes = subwave_tensor_known_lines(direction, in,
                                                                                      out, size),
                                                  reads = subwave_tensor_known_lines(direction + 1,
                                                                                     in, out, size);
                    assert_int_equal(writes.count * out, reads.count * in);
                    char holds[1024] = {0};
                    for (int32_t line = 0; line < writes.count; ++line)
                        for (int32_t e = 0; e < out; ++e) {
                            const int32_t at = tensor_place(&writes, &writes.now, line, e);
                            assert_true(at >= 0 && at < tensor);
                            assert_int_equal(holds[at]++, 0);
                        }
                    for (int32_t line = 0; line < reads.count; ++line)
                        for (int32_t e = 0; e < in; ++e)
                            assert_int_equal(holds[tensor_place(&reads, &reads.old, line, e)]--, 1);
                    /* in f64 of 5 points on purpose */
                    const bool shares =
                        in != out || (size == 4 && in == 3) || (size == 8 && in == 5);
                    assert_true(shares || (tensor_banks_differ(&writes, &writes.now, 128 / size) &&
                                           tensor_banks_differ(&reads, &reads.old, 128 / size)));
                }
            }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_auto_complex),
        cmocka_unit_test(test_auto_by_time),
        cmocka_unit_test(test_long_k),
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_units_in_use),
        cmocka_unit_test(test_matrix_parts),
        cmocka_unit_test(test_large_blocks),
        cmocka_unit_test(test_skinny_unit),
        cmocka_unit_test(test_skinny_short),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_parts_on_cpu),
        cmocka_unit_test(test_complex_parts_on_cpu),
        cmocka_unit_test(test_skinny),
        cmocka_unit_test(test_kernels_on_cpu),
        cmocka_unit_test(test_candidates),
        cmocka_unit_test(test_candidates_on_cpu),
        cmocka_unit_test(test_batched_tiles),
        cmocka_unit_test(test_batched_gaps),
        cmocka_unit_test(test_batched_unit),
        cmocka_unit_test(test_batched_cells),
        cmocka_unit_test(test_batched_dense),
        cmocka_unit_test(test_batched_candidates),
        cmocka_unit_test(test_batched_candidates_on_cpu),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_tensor_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
