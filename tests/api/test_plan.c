/* SPDX-License-Identifier: MIT
 * test_plan.c: launch shapes of the matrix product, for devices that need not be here.
 */
#include "../../src/plan.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stddef.h>
#include <string.h>

static subwave_device_properties make_device(const char *backend, const char *architecture,
                                             int32_t wave, int32_t units)
{
    subwave_device_properties device = {.compute_units = units};
    strcpy(device.backend, backend);
    strcpy(device.architecture, architecture);
    device.sub_group_sizes[0] = wave;
    return device;
}

static subwave_matmul_launch plan(const subwave_device_properties *device, subwave_dtype dtype,
                                  subwave_variant variant, int64_t m, int64_t n, int64_t k)
{
    subwave_matmul_launch launch = {.m = m,
                                    .n = n,
                                    .k = k,
                                    .a_row = k,
                                    .a_column = 1,
                                    .b_row = n,
                                    .b_column = 1,
                                    .c_row = n,
                                    .c_column = 1};
    subwave_plan_matmul(device, dtype, variant, &launch);
    return launch;
}

/* The matrix units, on AMD where their blocks are at least a quarter of the device's compute units. */
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
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 64, 64, SUBWAVE_VARIANT_MATRIX},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 4096, 4096, SUBWAVE_VARIANT_MATRIX},
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F32, 4096, 4096, SUBWAVE_VARIANT_BROADCAST},
        {"hip-nvidia", "sm_75", 32, 40, SUBWAVE_DTYPE_F64, 4096, 4096, SUBWAVE_VARIANT_BROADCAST},
        {"hip-amd", "gfx90a", 64, 104, SUBWAVE_DTYPE_F32, 256, 256, SUBWAVE_VARIANT_BROADCAST},
        {"hip-amd", "gfx90a", 64, 104, SUBWAVE_DTYPE_F64, 4096, 4096, SUBWAVE_VARIANT_MATRIX},
        {"hip-amd", "gfx908", 64, 120, SUBWAVE_DTYPE_F64, 4096, 4096, SUBWAVE_VARIANT_BROADCAST},
        {"hip-amd", "gfx1100", 32, 48, SUBWAVE_DTYPE_F32, 4096, 4096, SUBWAVE_VARIANT_BROADCAST},
        {"cpu", "x86-64", 64, 2, SUBWAVE_DTYPE_F64, 4096, 4096, SUBWAVE_VARIANT_BROADCAST},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        const subwave_device_properties device = make_device(rows[r].backend, rows[r].architecture,
                                                             rows[r].wave, rows[r].units);
        const subwave_matmul_launch launch =
            plan(&device, rows[r].dtype, SUBWAVE_VARIANT_AUTO, rows[r].m, rows[r].n, 100);
        assert_int_equal(launch.variant, rows[r].expected);
        /* The rest is that variant's own plan. */
        const subwave_matmul_launch same =
            plan(&device, rows[r].dtype, launch.variant, rows[r].m, rows[r].n, 100);
        assert_memory_equal(&launch, &same, offsetof(subwave_matmul_launch, shared_bytes));
    }
}

/* A tile follows from the rounds of blocks. The product is turned, so that rows of A and C and columns of B are
 * neighbours in memory, but where both operands are transposed. */
static void test_matrix(void **state)
{
    (void)state;
    static const struct {
        int64_t m, n;
        int32_t rows, columns;
    } rows[] = {{64, 64, 64, 32}, {1024, 1024, 128, 64}, {1536, 1536, 64, 32}, {4096, 4096, 128, 64}};
    const subwave_device_properties device = make_device("hip-nvidia", "sm_90", 32, 132);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        const subwave_matmul_launch launch = plan(&device, SUBWAVE_DTYPE_F64, SUBWAVE_VARIANT_MATRIX,
                                                  rows[r].m, rows[r].n, 100);
        assert_true(launch.turned && launch.a_row == 1 && launch.b_row == 1 && launch.c_row == 1);
        assert_int_equal(launch.tile_columns, rows[r].rows);
        assert_int_equal(launch.tile_rows, rows[r].columns);
    }
    subwave_matmul_launch both = {.m = 64, .n = 64, .k = 64, .a_row = 1, .a_column = 64,
                                  .b_row = 1, .b_column = 64, .c_row = 64, .c_column = 1};
    subwave_plan_matmul(&device, SUBWAVE_DTYPE_F64, SUBWAVE_VARIANT_MATRIX, &both);
    assert_true(!both.turned && both.a_row == 1 && both.b_row == 1 && both.c_row == 64);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
