/* SPDX-License-Identifier: MIT
 * matmul_complex.c: products of complex numbers by matrix units, which multiply real ones. The parts
 * of an element are neighbours in memory. So a C of m x n that lies by columns is also a real matrix
 * of 2m x n, and a B of k x n one of 2k x n, and C = A B holds of them with a real A of 2m x 2k, of
 * which each element a + ib is a square:
 *     a  -b
 *     b   a
 * Along k a row of it is conj(x) or i conj(x) for a row x of A; along its columns, x or i x for a
 * column. This real form of A, with a complex alpha in it, is made in the workspace, for as many rows
 * of C and steps of k at a time as there is room for. B and C are used where they are; only a B that
 * does not lie along k is transposed in the workspace, too. What is multiplied is what complex
 * numbers take: four real products for each.
 */
#include "matmul_complex.h"

#include "matmul_packed.h"
#include "transpose.h"

/* A's rows from i on and steps from l on; a conjugate B changes the signs of its imaginary parts. */
static subwave_status write_form_of_a(subwave_context *context, subwave_dtype dtype,
                                      const subwave_real_product *real,
                                      const subwave_matmul_product *product, int64_t i, int64_t l)
{
    const int64_t rows = lesser_of(real->rows, product->m - i),
                  steps = lesser_of(real->steps, product->k - l);
    const bool along_k = a_lies_along_k(product),
               conjugates_lines = along_k && !product->conjugate_b;
    const int64_t size = (int64_t)subwave_dtype_size(dtype);
    subwave_real_form_launch launch = {
        .lines = along_k ? rows : steps,
        .length = along_k ? steps : rows,
        .ldx = along_k ? product->a_row : product->a_column,
        .ldy = real->lda / 2,
        .x = element_of_matrix(product->a, size, i, product->a_row, l, product->a_column),
        .y = place_of_real_a(context, real),
        .alpha = {1},
        .conjugate = product->conjugate_a != conjugates_lines,
        .minus = product->conjugate_b};
    if (!has_real_alpha(product)) {
        launch.alpha[0] = product->alpha[0];
        launch.alpha[1] = conjugates_lines ? -product->alpha[1] : product->alpha[1];
    }
    launch.tiles_of_line = (uint32_t)ceil_divide(launch.length, SUBWAVE_REAL_FORM_BLOCK);
    launch.tiles = (uint32_t)launch.lines * launch.tiles_of_line;
    launch.blocks = (uint32_t)lesser_of(launch.tiles, SUBWAVE_REAL_FORM_BLOCKS);
    return subwave_launch(context, SUBWAVE_OPERATION_real_form, dtype, &launch, "subwave_matmul");
}

static subwave_status transpose_b(subwave_context *context, subwave_dtype dtype,
                                  const subwave_real_product *real,
                                  const subwave_matmul_product *product, int64_t j, int64_t l)
{
    const int64_t size = (int64_t)subwave_dtype_size(dtype);
    subwave_transpose_launch launch = {
        .m = lesser_of(real->steps, product->k - l),
        .n = lesser_of(real->columns, product->n - j),
        .batch = 1,
        .x = element_of_matrix(product->b, size, l, product->b_row, j, product->b_column),
        .y = place_of_transposed_b(context, real),
        .ldx = product->b_row,
        .ldy = real->ldb};
    return subwave_queue_transpose(context, dtype, &launch, "subwave_matmul");
}

/* C = beta C, which real products cannot do with a complex beta. */
static subwave_status scale(subwave_context *context, subwave_dtype dtype,
                            const subwave_matmul_product *product)
{
    subwave_matmul_launch launch = {.product = *product};
    launch.product.k = 0;
    launch.product.alpha[0] = launch.product.alpha[1] = 0;
    launch.product.conjugate_a = launch.product.conjugate_b = 0;
    launch.kernel = subwave_plan_matmul(&context->capabilities, dtype, SUBWAVE_VARIANT_BROADCAST,
                                        &launch.product);
    return subwave_launch_product(context, dtype, &launch);
}

static subwave_status multiply_part(subwave_context *context, subwave_dtype dtype,
                                    const subwave_real_product *real,
                                    const subwave_matmul_product *product, int64_t i, int64_t j,
                                    int64_t l)
{
    const subwave_dtype part = subwave_part_dtype(dtype);
    subwave_matmul_launch launch = {.product =
                                        subwave_real_part(context, dtype, real, product, i, j, l)};
    launch.kernel =
        subwave_plan_matmul(&context->capabilities, part, SUBWAVE_VARIANT_MATRIX, &launch.product);
    return subwave_launch_product(context, part, &launch);
}

subwave_status subwave_multiply_real(subwave_context *context, subwave_dtype dtype,
                                     const subwave_real_product *real,
                                     const subwave_matmul_product *product)
{
    subwave_matmul_product scaled = *product;
    void *workspace;
    if (product->k > 0)
        SUBWAVE_TRY(subwave_workspace_get(context, real->end, &workspace));
    if (product->beta[1] != 0) {
        SUBWAVE_TRY(scale(context, dtype, product));
        scaled.beta[0] = 1;
    }
    if (product->k == 0)
        return product->beta[1] != 0 ? SUBWAVE_STATUS_SUCCESS
                                     : multiply_part(context, dtype, real, product, 0, 0, 0);
    for (int64_t l = 0; l < product->k; l += real->steps)
        for (int64_t i = 0; i < product->m; i += real->rows) {
            SUBWAVE_TRY(write_form_of_a(context, dtype, real, product, i, l));
            for (int64_t j = 0; j < product->n; j += real->columns) {
                if (real->b && (i == 0 || real->columns < product->n))
                    SUBWAVE_TRY(transpose_b(context, dtype, real, product, j, l));
                SUBWAVE_TRY(multiply_part(context, dtype, real, &scaled, i, j, l));
            }
        }
    return SUBWAVE_STATUS_SUCCESS;
}
