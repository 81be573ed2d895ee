/* SPDX-License-Identifier: MIT
 * test_tiles.c: every form of the matrix product's kernels on a device with one compute unit
 * (SUBWAVE_ROCM_UNITS), for which plans take the large tiles at small sizes already. The cases are
 * checked as in tests/api/test_matmul.c.
 */
#define main test_matmul_main
#include "../api/test_matmul.c"
#undef main

/* Elements after which a line has to end for the next one to begin at a multiple of 16 bytes; of
 * types above 2 bytes fewer would do. */
static int64_t pad_to_pack(int64_t line, subwave_dtype dtype)
{
    const int64_t pack = subwave_dtype_size(dtype) == 1 ? 16 : 8;
    return (pack - line % pack) % pack;
}

/* Each row and column begins at a multiple of 16 bytes, or else none needs to: kernels load in
 * packs or do not. */
static void check_aligned_or_not(subwave_context *context, matmul_case what, harness_random *random)
{
    const bool rows = what.layout == SUBWAVE_LAYOUT_ROW_MAJOR;
    const int64_t line_a = rows != what.transpose_a ? what.k : what.m,
                  line_b = rows != what.transpose_b ? what.n : what.k;
    for (int odd = 0; odd < 2; ++odd) {
        what.pad_a = pad_to_pack(line_a, what.dtype) + odd;
        what.pad_b = pad_to_pack(line_b, what.dtype) + odd;
        /* the sum decides where memory begins */
        what.pad_c = (what.m + what.n + what.k + what.pad_a + what.pad_b + odd) % 2;
        check_case(context, &what, random);
    }
}

/* Tiles in part and whole, numbers of stages of k even and odd, the last in part or whole. */
static void test_tiles(void **state)
{
    static const subwave_variant tiled[] = {SUBWAVE_VARIANT_BROADCAST, SUBWAVE_VARIANT_MATRIX};
    static const int64_t sizes[][3] = {
        {120, 250, 70}, {128, 256, 24}, {67, 520, 9}, {72, 264, 136}};
    static const double scalars[][2] = {{1, 0}, {-1, 0.5}, {2, -1}, {-1, 0}};
    harness_random random = harness_random_start();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        for (int v = 0; v < 2; ++v)
            for (int d = 0; d < DTYPES; ++d)
                for (unsigned form = 0; form < FORMS; ++form) {
                    if ((form + s) % 2) /* of the two layouts one, the other with the next size */
                        continue;
                    matmul_case what = plain_case(tiled[v], matmul_dtypes[d], sizes[s][0],
                                                  sizes[s][1], sizes[s][2]);
                    set_form(&what, form);
                    what.alpha = scalars[s][0];
                    what.beta = scalars[s][1];
                    check_aligned_or_not(*state, what, &random);
                }
}

/* The large blocks of 16 and of 8 bits and the small ones of 16 bits, where an architecture has
 * them. */
static void test_blocks_of_fast_units(void **state)
{
    static const int64_t sizes[][3] = {
        {500, 250, 70}, {256, 512, 96}, {60, 190, 330}, {64, 192, 160}};
    static const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_F16, SUBWAVE_DTYPE_BF16, SUBWAVE_DTYPE_I8};
    harness_random random = harness_random_start();
    for (unsigned s = 0; s < COUNT(sizes); ++s)
        for (unsigned d = 0; d < COUNT(dtypes); ++d)
            for (unsigned form = 0; form < FORMS; ++form) {
                if ((form + s + d) % 2) /* each form with one of two sizes */
                    continue;
                matmul_case what = plain_case(SUBWAVE_VARIANT_MATRIX, dtypes[d], sizes[s][0],
                                              sizes[s][1], sizes[s][2]);
                set_form(&what, form);
                what.beta = s % 2 == 0 ? 0.5 : 0;
                const bool rows = what.layout == SUBWAVE_LAYOUT_ROW_MAJOR;
                what.pad_a = pad_to_pack(rows != what.transpose_a ? what.k : what.m, what.dtype);
                what.pad_b = pad_to_pack(rows != what.transpose_b ? what.n : what.k, what.dtype);
                what.pad_c = (what.m + what.n + what.k + what.pad_a + what.pad_b) % 2;
                check_case(*state, &what, &random);
            }
}

/* Few columns, which share a sub-group's lanes with steps of k, and many. */
static void test_skinny_tiles(void **state)
{
    static const int64_t rows[] = {1, 3, 16}, columns[] = {9, 300};
    harness_random random = harness_random_start();
    for (int m = 0; m < 3; ++m)
        for (int n = 0; n < 2; ++n)
            for (int d = 0; d < DTYPES; ++d)
                for (unsigned form = 0; form < FORMS; ++form) {
                    matmul_case what = plain_case(SUBWAVE_VARIANT_SKINNY, matmul_dtypes[d], rows[m],
                                                  columns[n], 523);
                    set_form(&what, form);
                    what.beta = form & 2 ? 0.5 : 0;
                    check_aligned_or_not(*state, what, &random);
                }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiles),
                                              cmocka_unit_test(test_blocks_of_fast_units),
                                              cmocka_unit_test(test_skinny_tiles)};
    return harness_run("tiles", tests, sizeof tests / sizeof *tests);
}
