/* SPDX-License-Identifier: MIT
 * matmul_stacked.c: subwave_matmul_stacked, products whose operands are found by a stack of offsets.
 */
#include "array.h"
#include "log.h"
#include "matmul_batched.h"
#include "plan.h"
#include "workspace.h"

#include <inttypes.h>

/* The parts of a stack's workspace. */
typedef struct parts {
    int64_t slots, taken, slot, place, entry, lists, terms, end; /* in bytes, where they begin */
    int32_t log_slots;
} parts;

static int64_t aligned(int64_t bytes) { return (bytes + 15) / 16 * 16; }

static parts parts_of(int64_t entries)
{
    parts p = {.log_slots = 1};
    while ((int64_t)1 << p.log_slots < 2 * entries)
        ++p.log_slots;
    const int64_t numbers = aligned(entries * (int64_t)sizeof(uint32_t));
    p.slots = aligned(SUBWAVE_WORKSPACE_COUNTERS * (int64_t)sizeof(uint32_t));
    p.taken = p.slots + ((int64_t)sizeof(subwave_stack_list) << p.log_slots);
    p.slot = p.taken + aligned(2 * sizeof(uint32_t));
    p.place = p.slot + numbers;
    p.entry = p.place + numbers;
    p.lists = p.entry + numbers;
    p.terms = p.lists + entries * (int64_t)sizeof(subwave_stack_list);
    p.end = p.terms + entries * (int64_t)sizeof(subwave_stack_term);
    return p;
}

int64_t subwave_stack_workspace(int64_t entries) { return parts_of(entries).end; }

static subwave_status prepare_stack(subwave_context *context, subwave_stack_launch *stack)
{
    const parts p = parts_of(stack->entries);
    void *workspace;
    SUBWAVE_TRY(subwave_workspace_get(context, p.end, &workspace));
    char *const at = workspace;
    const uint32_t blocks = (stack->entries - 1) / SUBWAVE_STACK_BLOCK + 1;
    stack->log_slots = p.log_slots;
    stack->blocks = blocks < SUBWAVE_STACK_BLOCKS ? blocks : SUBWAVE_STACK_BLOCKS;
    stack->taken = (uint32_t *)(at + p.taken);
    stack->slots = (subwave_stack_list *)(at + p.slots);
    stack->slot = (uint32_t *)(at + p.slot);
    stack->place = (uint32_t *)(at + p.place);
    stack->entry = (uint32_t *)(at + p.entry);
    stack->lists = (subwave_stack_list *)(at + p.lists);
    stack->terms = (subwave_stack_term *)(at + p.terms);
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_matmul_stacked(subwave_context *context, subwave_dtype dtype,
                                      subwave_layout layout, subwave_transpose_kind transpose_a,
                                      subwave_transpose_kind transpose_b, int64_t m, int64_t n,
                                      int64_t k, const void *alpha, const void *a, int64_t lda,
                                      const void *b, int64_t ldb, const void *beta, void *c,
                                      int64_t ldc, subwave_dtype offset_dtype, int32_t base,
                                      const void *offsets, int64_t entries)
{
    const char *const function = "subwave_matmul_stacked";
    const subwave_batched_problem p = {SUBWAVE_OPERATION_matmul_stacked,
                                       dtype,
                                       layout,
                                       transpose_a,
                                       transpose_b,
                                       m,
                                       n,
                                       k,
                                       lda,
                                       ldb,
                                       ldc,
                                       entries,
                                       alpha,
                                       beta};
    SUBWAVE_TRY(subwave_check_context(context, function));
    subwave_batched_log(context, function, &p);
    SUBWAVE_TRY(subwave_batched_check(context, function, &p));
    SUBWAVE_TRY(subwave_check_stack(context, offset_dtype, base, entries));
    if (m == 0 || n == 0 || entries == 0)
        return SUBWAVE_STATUS_SUCCESS;

    bool idle;
    subwave_matmul_stacked_launch launch = {.product = {.a = {.first = a, .stride = 1},
                                                        .b = {.first = b, .stride = 1},
                                                        .c = {.first = c, .stride = 1}}};
    SUBWAVE_TRY(subwave_batched_prepare(context, &p, &launch.product, &idle));
    const size_t size = subwave_dtype_size(dtype);
    if (launch.product.k > 0) {
        SUBWAVE_TRY(subwave_check_pointer(context, "a", a, size));
        SUBWAVE_TRY(subwave_check_pointer(context, "b", b, size));
    }
    SUBWAVE_TRY(subwave_check_pointer(context, "c", c, size));
    SUBWAVE_TRY(
        subwave_check_pointer(context, "offsets", offsets, subwave_dtype_size(offset_dtype)));
    if (idle)
        return SUBWAVE_STATUS_SUCCESS;
    const subwave_log_product called = {"matmul_stacked", 0,    dtype, layout, transpose_a,
                                        transpose_b,      m,    n,     k,      {lda, ldb, ldc},
                                        entries,          NULL, alpha, beta,   offset_dtype};
    subwave_log_bench_product(context, &called);
    subwave_stack_launch stack = {.offsets = {offsets, base, offset_dtype == SUBWAVE_DTYPE_I64},
                                  .swapped = layout == SUBWAVE_LAYOUT_COLUMN_MAJOR,
                                  .entries = (uint32_t)entries};
    SUBWAVE_TRY(prepare_stack(context, &stack));
    launch.count = stack.taken;
    launch.lists = stack.lists;
    launch.terms = stack.terms;
    subwave_plan_matmul_stacked(&context->capabilities, dtype, &launch.product);
    SUBWAVE_TRY(
        subwave_launch(context, SUBWAVE_OPERATION_stack, SUBWAVE_DTYPE_U8, &stack, function));
    return subwave_launch(context, SUBWAVE_OPERATION_matmul_stacked, dtype, &launch, function);
}
