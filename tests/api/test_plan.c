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

/* The matrix units where their blocks are at least a quarter of the device's compute units. */
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
        {"hip-nvidia", "sm_90", 32, 132, SUBWAVE_DTYPE_F64, 256, 256, SUBWAVE_VARIANT_BROADCAST},
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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_auto),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
