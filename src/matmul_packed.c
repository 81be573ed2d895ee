/* SPDX-License-Identifier: MIT
 * matmul_packed.c: products of i8 whose operands do not lie as the matrix unit wants them: 16 steps of k
 * beside one another, at a multiple of 16 bytes. By single bytes they would take several times as long.
 * So they are packed in the workspace, as many lines (rows of A, columns of B) at a time as it has room
 * for: an operand that lies across k is transposed, one that lies along k is copied.
 */
#include "matmul_packed.h"

#include "transpose.h"
#include "workspace.h"

enum {
    LINE = 16,   /* bytes, of which packed lines take a multiple */
    LINES = 256, /* as many as the largest tile has */
    CPU_LINES = 16,
};

/* It is worth the time where each byte that is packed is multiplied often, in a product that is
 * long beside a launch: predicted for gfx942, where the kernel of single bytes executes 3.8 times as
 * many instructions, not timed. The CPU device, where nobody looks for speed in MATRIX, packs whatever
 * it can, so that all of it is tested. */
static bool is_worth(const subwave_capabilities *device, const subwave_matmul_product *product,
                     const subwave_packed_operands *operands)
{
    const double least = 0x1p29; /* multiplications */
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

/* Whether lines by_line from one another are packed first. */
static bool is_packed(const void *first, int64_t by_line, int64_t by_k)
{
    return !subwave_reads_together(first, by_line, by_k, LINE, SUBWAVE_DTYPE_I8) &&
           (by_k != 1 || by_line <= INT32_MAX); /* as far apart as all runtimes copy lines */
}

bool subwave_packs_first(const subwave_context *context, subwave_dtype dtype,
                         subwave_variant variant, subwave_matmul_product *product,
                         subwave_packed_operands *operands)
{
    const subwave_capabilities *const device = &context->capabilities;
    const bool may_be_matrix = variant == SUBWAVE_VARIANT_AUTO || variant == SUBWAVE_VARIANT_MATRIX;
    if (dtype != SUBWAVE_DTYPE_I8 || !may_be_matrix || product->k == 0 ||
        !subwave_variant_takes(device, SUBWAVE_VARIANT_MATRIX, dtype))
        return false;
    subwave_matmul_product whole = *product;
    subwave_lay_c_by_rows(&whole);
    *operands = (subwave_packed_operands){.a = is_packed(whole.a, whole.a_row, whole.a_column),
                                          .b = is_packed(whole.b, whole.b_column, whole.b_row),
                                          .ld = ceil_divide(whole.k, LINE) * LINE};
    if (!(operands->a || operands->b) || !is_worth(device, &whole, operands))
        return false;
    operands->first = subwave_packed_workspace_begin(device);
    const int64_t room = (context->workspace_bytes - operands->first) / operands->ld /
                         (operands->a && operands->b ? 2 : 1);
    operands->rows = operands->a ? lines_at_a_time(device, whole.m, room) : whole.m;
    operands->columns = operands->b ? lines_at_a_time(device, whole.n, room) : whole.n;
    if (room <= 0 || operands->rows == 0 || operands->columns == 0)
        return false;
    operands->end = operands->first + operands->ld * ((operands->a ? operands->rows : 0) +
                                                      (operands->b ? operands->columns : 0));
    subwave_matmul_product part = subwave_packed_part(context, operands, &whole, 0, 0);
    const subwave_matmul_kernel kernel = subwave_plan_matmul(device, dtype, variant, &part);
    if (kernel.variant != SUBWAVE_VARIANT_MATRIX || !kernel.packed)
        return false;
    *product = whole;
    return true;
}

static void *place_of_a(const subwave_context *context, const subwave_packed_operands *operands)
{
    return (char *)context->workspace + operands->first;
}
static void *place_of_b(const subwave_context *context, const subwave_packed_operands *operands)
{
    return (char *)place_of_a(context, operands) +
           (operands->a ? operands->rows * operands->ld : 0);
}

subwave_matmul_product subwave_packed_part(const subwave_context *context,
                                           const subwave_packed_operands *operands,
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

/* Lines by_line from one another, whose elements are by_k from one another. */
static subwave_status pack_lines(subwave_context *context, const int8_t *first, int64_t by_line,
                                 int64_t by_k, int64_t lines, int64_t k,
                                 const subwave_packed_operands *operands, void *to)
{
    if (by_k == 1)
        return context->backend->copy_rows(context->state, context->stream, to,
                                           (size_t)operands->ld, first, (size_t)by_line, (size_t)k,
                                           (size_t)lines, context->error);
    subwave_transpose_launch launch = {
        .m = k, .n = lines, .batch = 1, .x = first, .y = to, .ldx = by_k, .ldy = operands->ld};
    return subwave_queue_transpose(context, SUBWAVE_DTYPE_I8, &launch, "subwave_matmul");
}

subwave_status subwave_launch_product(subwave_context *context, subwave_dtype dtype,
                                      subwave_matmul_launch *launch)
{
    SUBWAVE_TRY(subwave_workspace_get(context, launch->kernel.workspace_bytes, &launch->workspace));
    return subwave_launch(context, launch->kernel.operation, dtype, launch,
                          subwave_variant_name(launch->kernel.variant));
}

subwave_status subwave_multiply_packed(subwave_context *context, subwave_dtype dtype,
                                       const subwave_packed_operands *operands,
                                       const subwave_matmul_product *product)
{
    for (int64_t i = 0; i < product->m; i += operands->rows)
        for (int64_t j = 0; j < product->n; j += operands->columns) {
            subwave_matmul_launch launch = {
                .product = subwave_packed_part(context, operands, product, i, j)};
            const subwave_matmul_product *const part = &launch.product;
            if (operands->a && j == 0)
                SUBWAVE_TRY(pack_lines(context, (const int8_t *)product->a + i * product->a_row,
                                       product->a_row, product->a_column, part->m, part->k,
                                       operands, place_of_a(context, operands)));
            if (operands->b && (i == 0 || operands->columns < product->n))
                SUBWAVE_TRY(pack_lines(context, (const int8_t *)product->b + j * product->b_column,
                                       product->b_column, product->b_row, part->n, part->k,
                                       operands, place_of_b(context, operands)));
            launch.kernel = subwave_plan_matmul(&context->capabilities, dtype,
                                                SUBWAVE_VARIANT_MATRIX, &launch.product);
            SUBWAVE_TRY(subwave_launch_product(context, dtype, &launch));
        }
    return SUBWAVE_STATUS_SUCCESS;
}
