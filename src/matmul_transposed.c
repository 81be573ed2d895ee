/* SPDX-License-Identifier: MIT
 * matmul_transposed.c: products of i8 whose operands lie across k, where the matrix unit wants steps of k
 * beside one another, and single bytes take several times as long. The operands are transposed in the
 * workspace, as many lines (rows of A, columns of B) at a time as it has room for.
 */
#include "matmul_transposed.h"

#include "transpose.h"
#include "workspace.h"

enum {
    LINE = 16,   /* bytes, of which transposed lines take a multiple */
    LINES = 256, /* as many as the largest tile has */
    CPU_LINES = 16,
};

/* It is worth the time where each byte that is transposed is multiplied often, in a product that is
 * long beside a launch: predicted from the rates of gfx942, not timed. The CPU device, where nobody
 * looks for speed in MATRIX, transposes whatever it can, so that all of it is tested. */
static bool is_worth(const subwave_capabilities *device, const subwave_matmul_product *product,
                     const subwave_transposed_operands *operands)
{
    const double least = 0x1p31; /* multiplications */
    return device->waves_take_turns ||
           ((!operands->a || product->n >= LINES) && (!operands->b || product->m >= LINES) &&
            (double)product->m * (double)product->n * (double)product->k >= least);
}

/* All lines, or a multiple of the fewest that are worth a product; 0: there is no room. */
static int64_t lines_at_a_time(const subwave_capabilities *device, int64_t lines, int64_t room)
{
    const int64_t fewest = device->waves_take_turns ? CPU_LINES : LINES;
    return lines <= room ? lines : room / fewest * fewest;
}

bool subwave_transposes_first(const subwave_context *context, subwave_dtype dtype,
                              subwave_variant variant, subwave_matmul_product *product,
                              subwave_transposed_operands *operands)
{
    const subwave_capabilities *const device = &context->capabilities;
    const bool may_be_matrix = variant == SUBWAVE_VARIANT_AUTO || variant == SUBWAVE_VARIANT_MATRIX;
    if (dtype != SUBWAVE_DTYPE_I8 || !may_be_matrix || product->k == 0 ||
        !subwave_variant_takes(device, SUBWAVE_VARIANT_MATRIX, dtype))
        return false;
    subwave_matmul_product whole = *product;
    subwave_lay_c_by_rows(&whole);
    *operands = (subwave_transposed_operands){
        .a = whole.a_column != 1, .b = whole.b_row != 1, .ld = ceil_divide(whole.k, LINE) * LINE};
    if (!(operands->a || operands->b) || !is_worth(device, &whole, operands))
        return false;
    /* Behind the counters and the sums of parts. */
    operands->first = ceil_divide((int64_t)subwave_plan_workspace(device) -
                                      (int64_t)subwave_transposed_workspace(device),
                                  SUBWAVE_WORKSPACE_ALIGNMENT) *
                      SUBWAVE_WORKSPACE_ALIGNMENT;
    const int64_t room = (context->workspace_bytes - operands->first) / operands->ld /
                         (operands->a && operands->b ? 2 : 1);
    operands->rows = operands->a ? lines_at_a_time(device, whole.m, room) : whole.m;
    operands->columns = operands->b ? lines_at_a_time(device, whole.n, room) : whole.n;
    if (room <= 0 || operands->rows == 0 || operands->columns == 0)
        return false;
    operands->end = operands->first + operands->ld * ((operands->a ? operands->rows : 0) +
                                                      (operands->b ? operands->columns : 0));
    subwave_matmul_product part = subwave_transposed_part(context, operands, &whole, 0, 0);
    const subwave_matmul_kernel kernel = subwave_plan_matmul(device, dtype, variant, &part);
    if (kernel.variant != SUBWAVE_VARIANT_MATRIX || !kernel.packed)
        return false;
    *product = whole;
    return true;
}

static void *place_of_a(const subwave_context *context, const subwave_transposed_operands *operands)
{
    return (char *)context->workspace + operands->first;
}
static void *place_of_b(const subwave_context *context, const subwave_transposed_operands *operands)
{
    return (char *)place_of_a(context, operands) +
           (operands->a ? operands->rows * operands->ld : 0);
}

subwave_matmul_product subwave_transposed_part(const subwave_context *context,
                                               const subwave_transposed_operands *operands,
                                               const subwave_matmul_product *product, int64_t i,
                                               int64_t j)
{
    subwave_matmul_product part = *product;
    part.m = lesser_of(operands->rows, product->m - i);
    part.n = lesser_of(operands->columns, product->n - j);
    if (part.c)
        part.c = (int32_t *)part.c + i * part.c_row + j * part.c_column;
    if (operands->a) {
        part.a = place_of_a(context, operands);
        part.a_row = operands->ld;
        part.a_column = 1;
    }
    if (operands->b) {
        part.b = place_of_b(context, operands);
        part.b_column = operands->ld;
        part.b_row = 1;
    }
    return part;
}

/* Lines that lie beside one another, by_k from step to step of k. */
static subwave_status transpose_lines(subwave_context *context, subwave_dtype dtype,
                                      const void *first, int64_t by_k, int64_t lines, int64_t k,
                                      const subwave_transposed_operands *operands, void *to)
{
    subwave_transpose_launch launch = {
        .m = k, .n = lines, .batch = 1, .x = first, .y = to, .ldx = by_k, .ldy = operands->ld};
    return subwave_queue_transpose(context, dtype, &launch, "subwave_matmul");
}

subwave_status subwave_launch_product(subwave_context *context, subwave_dtype dtype,
                                      subwave_matmul_launch *launch)
{
    SUBWAVE_TRY(subwave_workspace_get(context, launch->kernel.workspace_bytes, &launch->workspace));
    return subwave_launch(context, launch->kernel.operation, dtype, launch,
                          subwave_variant_name(launch->kernel.variant));
}

subwave_status subwave_multiply_transposed(subwave_context *context, subwave_dtype dtype,
                                           const subwave_transposed_operands *operands,
                                           const subwave_matmul_product *product)
{
    for (int64_t i = 0; i < product->m; i += operands->rows)
        for (int64_t j = 0; j < product->n; j += operands->columns) {
            subwave_matmul_launch launch = {
                .product = subwave_transposed_part(context, operands, product, i, j)};
            const subwave_matmul_product *const part = &launch.product;
            if (operands->a && j == 0)
                SUBWAVE_TRY(transpose_lines(context, dtype, (const int8_t *)product->a + i,
                                            product->a_column, part->m, part->k, operands,
                                            place_of_a(context, operands)));
            if (operands->b && (i == 0 || operands->columns < product->n))
                SUBWAVE_TRY(transpose_lines(context, dtype, (const int8_t *)product->b + j,
                                            product->b_row, part->n, part->k, operands,
                                            place_of_b(context, operands)));
            launch.kernel = subwave_plan_matmul(&context->capabilities, dtype,
                                                SUBWAVE_VARIANT_MATRIX, &launch.product);
            SUBWAVE_TRY(subwave_launch_product(context, dtype, &launch));
        }
    return SUBWAVE_STATUS_SUCCESS;
}
