/* SPDX-License-Identifier: MIT
 * matmul.c: subwave_matmul, the matrix product.
 */
#include "check.h"
#include "log.h"
#include "matmul_complex.h"
#include "matmul_packed.h"
#include "tuning.h"

#include <inttypes.h>

/* What does not depend on sizes. */
static subwave_status check_choices(subwave_context *context, subwave_variant variant,
                                    subwave_dtype dtype, subwave_layout layout,
                                    subwave_transpose_kind transpose_a,
                                    subwave_transpose_kind transpose_b)
{
    SUBWAVE_TRY(subwave_check_variant(context, variant));
    SUBWAVE_TRY(subwave_check_dtype(context, dtype));
    SUBWAVE_TRY(subwave_check_layout(context, layout));
    SUBWAVE_TRY(subwave_check_transpose(context, "transpose_a", transpose_a));
    SUBWAVE_TRY(subwave_check_transpose(context, "transpose_b", transpose_b));
    const bool is_complex = subwave_class_of(dtype) == SUBWAVE_CLASS_COMPLEX,
               by_real = variant == SUBWAVE_VARIANT_MATRIX && is_complex;
    const subwave_operation operation =
        by_real ? SUBWAVE_OPERATION_real_form : subwave_operation_of(variant);
    if (!subwave_is_built(operation, dtype)) {
        char what[64];
        snprintf(what, sizeof what, "subwave_matmul by variant %s", subwave_variant_name(variant));
        return subwave_check_built(context, what, operation, dtype);
    }
    if (by_real ? !subwave_has_real_product(&context->capabilities, dtype)
                : !subwave_variant_takes(&context->capabilities, variant, dtype))
        return subwave_fail(
            context, SUBWAVE_STATUS_UNSUPPORTED,
            "variant is %s; %s (%s) has no matrix unit that keeps the accuracy of %s",
            subwave_variant_name(variant), context->device.id, context->device.architecture,
            subwave_dtype_name(dtype));
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status check_sizes(subwave_context *context, int64_t m, int64_t n, int64_t k)
{
    SUBWAVE_TRY(subwave_check_size(context, "m", m));
    SUBWAVE_TRY(subwave_check_size(context, "n", n));
    return subwave_check_size(context, "k", k);
}

/* Whether a scalar, real or complex, is a real number. */
static bool is_number(const double scalar[2], double value)
{
    return scalar[0] == value && scalar[1] == 0;
}

/* The kind of transposition that a log shows: of real matrices there is one. */
static subwave_transpose_kind as_called(subwave_dtype dtype, subwave_transpose_kind transpose)
{
    const bool is_complex = subwave_class_of(dtype) == SUBWAVE_CLASS_COMPLEX;
    return transpose == SUBWAVE_TRANSPOSE_CONJUGATE && !is_complex ? SUBWAVE_TRANSPOSE_YES
                                                                   : transpose;
}

/* Element (i, j) of a row-major matrix is at i ld + j, of a column-major one at i + j ld. */
static subwave_matmul_product product_of(subwave_layout layout, bool a_flipped, bool b_flipped,
                                         int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                                         int64_t ldc)
{
    const bool column_major = layout == SUBWAVE_LAYOUT_COLUMN_MAJOR;
    const bool a_down = a_flipped != column_major, b_down = b_flipped != column_major;
    return (subwave_matmul_product){.m = m,
                                    .n = n,
                                    .k = k,
                                    .a_row = a_down ? 1 : lda,
                                    .a_column = a_down ? lda : 1,
                                    .b_row = b_down ? 1 : ldb,
                                    .b_column = b_down ? ldb : 1,
                                    .c_row = column_major ? 1 : ldc,
                                    .c_column = column_major ? ldc : 1};
}

subwave_status subwave_matmul(subwave_context *context, subwave_variant variant,
                              subwave_dtype dtype, subwave_layout layout,
                              subwave_transpose_kind transpose_a,
                              subwave_transpose_kind transpose_b, int64_t m, int64_t n, int64_t k,
                              const void *alpha, const void *a, int64_t lda, const void *b,
                              int64_t ldb, const void *beta, void *c, int64_t ldc)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_matmul"));
    subwave_log_call(
        context,
        "subwave_matmul(variant=%s, dtype=%s, layout=%s, transpose_a=%d, transpose_b=%d, m=%" PRId64
        ", n=%" PRId64 ", k=%" PRId64 ", lda=%" PRId64 ", ldb=%" PRId64 ", ldc=%" PRId64 ")",
        subwave_variant_name(variant), subwave_dtype_name(dtype),
        layout == SUBWAVE_LAYOUT_COLUMN_MAJOR ? "column" : "row",
        transpose_a != SUBWAVE_TRANSPOSE_NONE, transpose_b != SUBWAVE_TRANSPOSE_NONE, m, n, k, lda,
        ldb, ldc);
    SUBWAVE_TRY(check_choices(context, variant, dtype, layout, transpose_a, transpose_b));
    SUBWAVE_TRY(check_sizes(context, m, n, k));
    const size_t size = subwave_dtype_size(dtype);
    const bool a_flipped = transpose_a != SUBWAVE_TRANSPOSE_NONE;
    const bool b_flipped = transpose_b != SUBWAVE_TRANSPOSE_NONE;
    SUBWAVE_TRY(subwave_check_matrix(context, "lda", layout, a_flipped ? k : m, a_flipped ? m : k,
                                     lda, size));
    SUBWAVE_TRY(subwave_check_matrix(context, "ldb", layout, b_flipped ? n : k, b_flipped ? k : n,
                                     ldb, size));
    const size_t c_size = subwave_dtype_size(subwave_product_dtype(dtype));
    SUBWAVE_TRY(subwave_check_matrix(context, "ldc", layout, m, n, ldc, c_size));

    if (m == 0 || n == 0)
        return SUBWAVE_STATUS_SUCCESS;

    const subwave_dtype sums = subwave_sum_dtype(dtype);
    const size_t scalar_size = subwave_dtype_size(subwave_part_dtype(sums));
    SUBWAVE_TRY(subwave_check_pointer(context, "alpha", alpha, scalar_size));
    SUBWAVE_TRY(subwave_check_pointer(context, "beta", beta, scalar_size));
    const bool is_complex = subwave_class_of(dtype) == SUBWAVE_CLASS_COMPLEX;
    const subwave_log_product called = {"matmul",
                                        variant,
                                        dtype,
                                        layout,
                                        as_called(dtype, transpose_a),
                                        as_called(dtype, transpose_b),
                                        m,
                                        n,
                                        k,
                                        {lda, ldb, ldc},
                                        1,
                                        NULL,
                                        alpha,
                                        beta,
                                        0};
    subwave_matmul_launch launch = {
        .product = product_of(layout, a_flipped, b_flipped, m, n, k, lda, ldb, ldc),
    };
    for (int part = 0; part <= is_complex; ++part) {
        launch.product.alpha[part] = subwave_real(sums, alpha, part);
        launch.product.beta[part] = subwave_real(sums, beta, part);
    }
    if (is_number(launch.product.alpha, 0))
        k = 0; /* A and B are not read, not even to find a NaN */
    if (k > 0) {
        SUBWAVE_TRY(subwave_check_pointer(context, "a", a, size));
        SUBWAVE_TRY(subwave_check_pointer(context, "b", b, size));
    }
    SUBWAVE_TRY(subwave_check_pointer(context, "c", c, c_size));
    if (k == 0 && is_number(launch.product.beta, 1))
        return SUBWAVE_STATUS_SUCCESS;

    launch.product.k = k;
    if (k == 0) /* there is no sum that may be infinite, nor has its zero a sign */
        launch.product.alpha[0] = launch.product.alpha[1] = 0;
    launch.product.conjugate_a = k > 0 && is_complex && transpose_a == SUBWAVE_TRANSPOSE_CONJUGATE;
    launch.product.conjugate_b = k > 0 && is_complex && transpose_b == SUBWAVE_TRANSPOSE_CONJUGATE;
    launch.product.a = a;
    launch.product.b = b;
    launch.product.c = c;
    subwave_log_bench_product(context, &called);
    subwave_packed_operands operands;
    if (subwave_packs_first(context, dtype, variant, &launch.product, &operands))
        return subwave_multiply_packed(context, dtype, &operands, &launch.product);
    subwave_real_product real;
    if (subwave_takes_real_product(context, dtype, variant, &launch.product, &real))
        return subwave_multiply_real(context, dtype, &real, &launch.product);
    launch.kernel = subwave_plan_matmul(&context->capabilities, dtype, variant, &launch.product);
    return subwave_launch_product(context, dtype, &launch);
}

/* Lost are the parts of tiles that lie beyond C, and compute units that are idle in the last
 * round. */
static double predicted_share(const subwave_capabilities *device,
                              const subwave_matmul_product *product,
                              const subwave_matmul_kernel *kernel)
{
    if (kernel->share == 0)
        return 0;
    return kernel->share / 100. * ((double)product->m / kernel->tile_rows) *
           ((double)product->n / kernel->tile_columns) / (kernel->rounds * device->compute_units);
}

const subwave_tuning subwave_tuning_of_products = {
    subwave_variant_takes, subwave_plan_matmul,    subwave_plan_candidates,
    predicted_share,       subwave_launch_product, &subwave_tuning_of_batches};

subwave_status subwave_matmul_plan(subwave_context *context, subwave_variant variant,
                                   subwave_dtype dtype, subwave_layout layout,
                                   subwave_transpose_kind transpose_a,
                                   subwave_transpose_kind transpose_b, int64_t m, int64_t n,
                                   int64_t k, subwave_matmul_plan_info *plan)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_matmul_plan"));
    SUBWAVE_TRY(check_choices(context, variant, dtype, layout, transpose_a, transpose_b));
    SUBWAVE_TRY(check_sizes(context, m, n, k));
    SUBWAVE_TRY(subwave_check_pointer(context, "plan", plan, 1));
    const bool empty = m == 0 || n == 0;
    if (empty)
        m = n = 1;
    const bool a_flipped = transpose_a != SUBWAVE_TRANSPOSE_NONE;
    const bool b_flipped = transpose_b != SUBWAVE_TRANSPOSE_NONE;
    const bool column_major = layout == SUBWAVE_LAYOUT_COLUMN_MAJOR;
    subwave_matmul_product product =
        product_of(layout, a_flipped, b_flipped, m, n, k, a_flipped != column_major ? m : k,
                   b_flipped != column_major ? k : n, column_major ? m : n);
    subwave_packed_operands operands = {0};
    const bool packs = subwave_packs_first(context, dtype, variant, &product, &operands);
    if (packs) {
        operands.rows = product.m; /* the plan is of the whole product */
        operands.columns = product.n;
        product = subwave_packed_part(context, &operands, &product, 0, 0);
    }
    subwave_real_product real = {0};
    const bool by_real = subwave_takes_real_product(context, dtype, variant, &product, &real);
    bool transposed = by_real && product.transposed;
    if (by_real) {
        real.rows = product.m;
        real.columns = product.n;
        real.steps = product.k;
        product = subwave_real_part(context, dtype, &real, &product, 0, 0, 0);
        dtype = subwave_part_dtype(dtype);
        variant = SUBWAVE_VARIANT_MATRIX;
    }
    subwave_matmul_kernel kernel =
        subwave_plan_matmul(&context->capabilities, dtype, variant, &product);
    const double share = predicted_share(&context->capabilities, &product, &kernel);
    if (by_real) { /* two rows of the real product, or columns of its transpose, are one */
        *(product.transposed ? &kernel.item_columns : &kernel.item_rows) /= 2;
        *(product.transposed ? &kernel.tile_columns : &kernel.tile_rows) /= 2;
    }
    transposed ^= product.transposed != 0;
    *plan = (subwave_matmul_plan_info){
        .variant = kernel.variant,
        .item_rows = transposed ? kernel.item_columns : kernel.item_rows,
        .item_columns = transposed ? kernel.item_rows : kernel.item_columns,
        .tile_rows = transposed ? kernel.tile_columns : kernel.tile_rows,
        .tile_columns = transposed ? kernel.tile_rows : kernel.tile_columns,
        .block = {(int32_t)kernel.block_x, (int32_t)kernel.block_y},
        .blocks = empty ? 0 : kernel.blocks,
        .shared_bytes = kernel.shared_bytes,
        .parts = kernel.parts,
        .workspace_bytes = empty              ? 0
                           : packs            ? operands.end
                           : by_real && k > 0 ? real.end
                                              : kernel.workspace_bytes,
        .predicted_share = share};
    return SUBWAVE_STATUS_SUCCESS;
}
