/* SPDX-License-Identifier: MIT
 * test_parts.c: MATRIX on a device with three compute units (SUBWAVE_ROCM_UNITS), where plans split
 * k at small sizes already. The cases are checked as in tests/api/test_matmul.c.
 */
#define main test_matmul_main
#include "../api/test_matmul.c"
#undef main

/* One tile, whose parts are all of a share; shares that go on in the next tile; tiles that are not
 * split before them. Numbers of stages are odd and even, the last in part or whole. */
static void test_parts(void **state)
{
    static const struct {
        int64_t m, n, k;
        double beta;
    } sizes[] = {{60, 50, 400, 0}, {60, 250, 331, 0.5}, {250, 100, 203, -1}, {200, 400, 512, 0}};
    harness_random random = harness_random_start();
    int tried = 0, split = 0;
    for (size_t s = 0; s < COUNT(sizes); ++s)
        for (int d = 0; d < DTYPES; ++d)
            for (unsigned form = 0; form < FORMS; ++form) {
                if (!has(*state, SUBWAVE_VARIANT_MATRIX, matmul_dtypes[d]) || (form + s) % 2)
                    continue; /* of the two layouts one, the other with the next size */
                /* fewer steps of a fast unit would not be worth it */
                const size_t size = subwave_dtype_size(matmul_dtypes[d]);
                const int64_t longer = size > 2 ? 1 : size == 2 ? 8 : 16;
                matmul_case what = plain_case(SUBWAVE_VARIANT_MATRIX, matmul_dtypes[d], sizes[s].m,
                                              sizes[s].n, sizes[s].k * longer);
                set_form(&what, form);
                what.beta = sizes[s].beta;
                subwave_matmul_plan_info plan;
                assert_ok(*state,
                          subwave_matmul_plan(*state, what.variant, what.dtype, what.layout,
                                              SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE,
                                              what.m, what.n, what.k, &plan));
                split += plan.parts > 1;
                check_case(*state, &what, &random);
                ++tried;
            }
    assert_true(3 * split >= 2 * tried);
}

/* The large blocks of 16 and 8 bits, where an architecture has them: a share goes on in the second
 * tile. */
static void test_parts_of_large_blocks(void **state)
{
    static const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_F16, SUBWAVE_DTYPE_BF16, SUBWAVE_DTYPE_I8};
    const char *const architecture = getenv("SUBWAVE_ROCM_RUNNER");
    harness_random random = harness_random_start();
    int large = 0;
    for (unsigned d = 0; d < COUNT(dtypes); ++d)
        for (unsigned form = d % 2; form < FORMS; form += 3) {
            const int64_t k = subwave_dtype_size(dtypes[d]) == 2 ? 1600 : 6400;
            matmul_case what = plain_case(SUBWAVE_VARIANT_MATRIX, dtypes[d], 256, 496, k);
            set_form(&what, form);
            what.beta = form % 2 == 0 ? 0.5 : 0;
            if (!has(*state, what.variant, what.dtype))
                continue;
            subwave_matmul_plan_info plan;
            assert_ok(*state, subwave_matmul_plan(*state, what.variant, what.dtype, what.layout,
                                                  SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE,
                                                  what.m, what.n, what.k, &plan));
            if (plan.tile_rows != 256)
                continue;
            assert_true(plan.parts > 1);
            check_case(*state, &what, &random);
            ++large;
        }
    assert_int_equal(large > 0, architecture && strcmp(architecture, "gfx942") == 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts),
                                              cmocka_unit_test(test_parts_of_large_blocks)};
    return harness_run("parts", tests, sizeof tests / sizeof *tests);
}
