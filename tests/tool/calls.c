/* SPDX-License-Identifier: MIT
 * calls.c: makes every compute call of the C interface on the device that it is given, some of them
 * in several ways, for the log of which test_command.py replays each line.
 */
#include <subwave/subwave.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 4096 };

static subwave_context *on;

static void expect(subwave_status status)
{
    if (status != SUBWAVE_STATUS_SUCCESS) {
        fprintf(stderr, "calls: %s\n", subwave_last_error(on));
        exit(EXIT_FAILURE);
    }
}

/* Zeros, so that every key, predicate and local id is one that is allowed. */
static void *allocate(size_t bytes)
{
    void *memory, *zeros = calloc(bytes, 1);
    expect(subwave_malloc(on, &memory, (int64_t)bytes));
    expect(subwave_copy(on, memory, zeros, (int64_t)bytes));
    free(zeros);
    return memory;
}

static void multiply(void *a, void *b, void *c)
{
    const float half = 0.1f, one = 1, zero = 0;
    const double three = -3, tiny = 1e-7;
    const subwave_layout row = SUBWAVE_LAYOUT_ROW_MAJOR, column = SUBWAVE_LAYOUT_COLUMN_MAJOR;
    const subwave_transpose_kind none = SUBWAVE_TRANSPOSE_NONE, yes = SUBWAVE_TRANSPOSE_YES,
                                 conjugate = SUBWAVE_TRANSPOSE_CONJUGATE;
    expect(subwave_matmul(on, SUBWAVE_VARIANT_AUTO, SUBWAVE_DTYPE_F32, row, none, yes, 5, 7, 3,
                          &one, a, 4, b, 3, &zero, c, 7));
    expect(subwave_matmul(on, SUBWAVE_VARIANT_LOCAL, SUBWAVE_DTYPE_F64, column, yes, conjugate, 5,
                          7, 9, &three, a, 12, b, 10, &tiny, c, 8));
    expect(subwave_matmul(on, SUBWAVE_VARIANT_SKINNY, SUBWAVE_DTYPE_F32, row, none, none, 1, 7, 300,
                          &half, a, 400, b, 8, &one, c, 9));
    expect(subwave_matmul(on, SUBWAVE_VARIANT_TUTORIAL, SUBWAVE_DTYPE_BF16, row, none, none, 4, 4,
                          0, &one, a, 1, b, 4, &half, c, 4));
    expect(subwave_matmul(on, SUBWAVE_VARIANT_NAIVE, SUBWAVE_DTYPE_F16, row, none, none, 4, 4, 6,
                          &zero, a, 6, b, 4, &half, c, 4));

    const double complex_f64[2] = {0.5, -2}, zeros[2] = {0};
    const float complex_f32[2] = {1, 0.25f};
    expect(subwave_matmul(on, SUBWAVE_VARIANT_BROADCAST, SUBWAVE_DTYPE_C64, column, conjugate, yes,
                          3, 2, 4, complex_f64, a, 4, b, 2, zeros, c, 3));
    expect(subwave_matmul_strided_batched(on, SUBWAVE_DTYPE_F32, row, none, none, 3, 4, 5, &one, a,
                                          6, 20, b, 4, 0, &zero, c, 5, 15, 6));
    expect(subwave_matmul_strided_batched(on, SUBWAVE_DTYPE_F64, row, none, none, 2, 3, 4, &three,
                                          (double *)a + 400, 4, -9, b, 3, 12, &three, c, 30, 3, 8));
    expect(subwave_matmul_strided_batched(on, SUBWAVE_DTYPE_C64, column, conjugate, yes, 3, 2, 4,
                                          complex_f64, a, 4, 12, b, 3, 12, zeros, c, 3, 6, 5));
    const void *as[4], *bs[4];
    void *cs[4];
    for (int i = 0; i < 4; ++i) {
        as[i] = (char *)a + 1024 * i;
        bs[i] = b;
        cs[i] = (char *)c + 1024 * (3 - i);
    }
    void *lists[3];
    for (int i = 0; i < 3; ++i) {
        lists[i] = allocate(sizeof as);
        expect(subwave_copy(on, lists[i],
                            i == 0   ? (const void *)as
                            : i == 1 ? (const void *)bs
                                     : cs,
                            sizeof as));
    }
    expect(subwave_matmul_batched(on, SUBWAVE_DTYPE_F64, row, none, yes, 5, 4, 3, &three, lists[0],
                                  3, lists[1], 6, &tiny, lists[2], 4, 4));
    expect(subwave_matmul_batched(on, SUBWAVE_DTYPE_C32, column, none, conjugate, 2, 2, 2,
                                  complex_f32, lists[0], 2, lists[1], 2, complex_f32, lists[2], 3,
                                  4));
    for (int i = 0; i < 3; ++i)
        expect(subwave_free(on, lists[i]));
    const int32_t stack[] = {0, 0, 0, 6, 6, 6};
    void *const offsets = allocate(sizeof stack);
    expect(subwave_copy(on, offsets, stack, sizeof stack));
    expect(subwave_matmul_stacked(on, SUBWAVE_DTYPE_F32, row, yes, none, 2, 3, 2, &one, a, 2, b, 3,
                                  &one, c, 3, SUBWAVE_DTYPE_I32, 0, offsets, 2));
    expect(subwave_free(on, offsets));
}

static void combine(void *x, void *y, void *choice, void *members)
{
    const subwave_group kinds[] = {
        {.kind = SUBWAVE_GROUP_SUB_GROUP, .block = {3, 5, 2}},
        {.kind = SUBWAVE_GROUP_BALLOT, .block = {30, 1, 1}, .predicate = choice},
        {.kind = SUBWAVE_GROUP_FIXED_SIZE, .block = {8, 2, 1}, .fixed_size = 4},
        {.kind = SUBWAVE_GROUP_TANGLE,
         .block = {60, 1, 1},
         .branches = 5,
         .key = choice,
         .members = members},
        {.kind = SUBWAVE_GROUP_OPPORTUNISTIC, .block = {60, 1, 1}, .branches = 20, .key = choice},
    };
    const int16_t init = 3;
    const int64_t n = 480;
    for (int i = 0; i < 5; ++i) {
        const subwave_group *g = &kinds[i];
        expect(subwave_group_reduce(on, SUBWAVE_DTYPE_F64, SUBWAVE_OP_MAXIMUM, g, n, NULL, x, y));
        expect(subwave_group_scan(on, SUBWAVE_DTYPE_I16, SUBWAVE_OP_BIT_XOR, SUBWAVE_SCAN_EXCLUSIVE,
                                  g, n, &init, x, y));
        expect(subwave_group_broadcast(on, SUBWAVE_DTYPE_C64, g, n, 2, x, y));
        expect(subwave_group_shift(on, SUBWAVE_DTYPE_U8, SUBWAVE_SHIFT_RIGHT, g, n, 3, x, y));
        expect(subwave_group_permute(on, SUBWAVE_DTYPE_F16, g, n, 5, x, y));
        expect(subwave_group_select(on, SUBWAVE_DTYPE_F32, g, n, choice, x, y));
        expect(subwave_group_vote(on, i % 2 ? SUBWAVE_VOTE_ANY : SUBWAVE_VOTE_NONE, g, n, x, y));
        expect(subwave_group_info(on, g, n, y));
    }
    expect(subwave_group_scan(on, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE,
                              &kinds[0], n, NULL, x, y));
    expect(subwave_group_scan(on, SUBWAVE_DTYPE_F16, SUBWAVE_OP_MULTIPLIES, SUBWAVE_SCAN_EXCLUSIVE,
                              &kinds[1], n, NULL, x, y));
    expect(subwave_group_reduce(on, SUBWAVE_DTYPE_U64, SUBWAVE_OP_LOGICAL_AND, &kinds[2], n,
                                &(uint64_t){1}, x, y));
    expect(subwave_group_shift(on, SUBWAVE_DTYPE_F32, SUBWAVE_SHIFT_LEFT, &kinds[2], n, UINT32_MAX,
                               x, y));
    expect(subwave_group_vote(on, SUBWAVE_VOTE_ALL, &kinds[0], n, x, y));
}

static void fold(void *x, void *y)
{
    const int32_t offsets[] = {0, 5, 5, 77};
    void *device = allocate(sizeof offsets);
    expect(subwave_copy(on, device, offsets, sizeof offsets));
    expect(subwave_segmented_reduce(on, SUBWAVE_DTYPE_I16, SUBWAVE_OP_BIT_OR, SUBWAVE_DTYPE_I32, 3,
                                    device, 77, x, y));
    expect(subwave_segmented_scan(on, SUBWAVE_DTYPE_F64, SUBWAVE_OP_MAXIMUM, SUBWAVE_SCAN_EXCLUSIVE,
                                  SUBWAVE_DTYPE_I32, 3, device, 77, x, y));
    expect(subwave_scatter_add(on, SUBWAVE_DTYPE_F64, SUBWAVE_ORDER_FIXED, 4, SUBWAVE_DTYPE_I32,
                               device, x, 50, y));
    expect(subwave_scatter_add(on, SUBWAVE_DTYPE_U32, SUBWAVE_ORDER_ANY, 2, SUBWAVE_DTYPE_I64,
                               device, x, 9, y));
    expect(subwave_free(on, device));
    expect(subwave_reduce(on, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, SUBWAVE_ORDER_FIXED, 1001, NULL,
                          x, SUBWAVE_PLACE_DEVICE, y));
    expect(subwave_reduce(on, SUBWAVE_DTYPE_I16, SUBWAVE_OP_BIT_AND, SUBWAVE_ORDER_DEVICE, 77,
                          &(int16_t){1}, x, SUBWAVE_PLACE_DEVICE, y));
    expect(subwave_scan(on, SUBWAVE_DTYPE_F64, SUBWAVE_OP_MAXIMUM, SUBWAVE_SCAN_INCLUSIVE,
                        SUBWAVE_ORDER_FIXED, 1001, NULL, x, y));
    expect(subwave_scan(on, SUBWAVE_DTYPE_U8, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_EXCLUSIVE,
                        SUBWAVE_ORDER_DEVICE, 5000, &(uint8_t){1}, x, y));
    expect(subwave_dot(on, SUBWAVE_DTYPE_C64, SUBWAVE_CONJUGATION_FIRST, SUBWAVE_ORDER_FIXED, 100,
                       x, x, SUBWAVE_PLACE_DEVICE, y));
    expect(subwave_norm2(on, SUBWAVE_DTYPE_BF16, SUBWAVE_ORDER_DEVICE, 333, x, SUBWAVE_PLACE_DEVICE,
                         y));
    expect(subwave_minmax_index(on, SUBWAVE_DTYPE_I32, SUBWAVE_OP_MAXIMUM, 1001, x,
                                SUBWAVE_PLACE_DEVICE, y, (int64_t *)y + 1));
    expect(subwave_row_reduce(on, SUBWAVE_DTYPE_F32, SUBWAVE_OP_MINIMUM, 7, 9, x, 11, y));
    expect(subwave_row_reduce(on, SUBWAVE_DTYPE_U8, SUBWAVE_OP_PLUS, 3, 500, x, 500, y));
    expect(subwave_row_scan(on, SUBWAVE_DTYPE_F16, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_EXCLUSIVE, 5, 9, x,
                            11, y, 12));
    expect(subwave_row_minmax_index(on, SUBWAVE_DTYPE_BF16, SUBWAVE_OP_MAXIMUM, 7, 9, x, 11, y,
                                    (int64_t *)y + 2));
    const double zero = 0;
    char *const behind = y; /* the count */
    expect(subwave_compact(on, SUBWAVE_DTYPE_C64, 100, x, x, behind + 16, y));
    expect(subwave_compact_if(on, SUBWAVE_DTYPE_F64, SUBWAVE_COMPARISON_GREATER_EQUAL, &zero, 1001,
                              x, behind + 16, y));
    expect(subwave_partition(on, SUBWAVE_DTYPE_U16, 333, x, x, behind + 16, behind + 1024, y));
    expect(subwave_partition_if(on, SUBWAVE_DTYPE_I8, SUBWAVE_COMPARISON_NOT_EQUAL, &zero, 5000, x,
                                behind + 16, behind + 8000, y));
    expect(subwave_unique(on, SUBWAVE_DTYPE_F32, 1001, x, behind + 16, y));
    expect(subwave_append(on, SUBWAVE_DTYPE_C64, 50, x, x, 50, behind + 16, y));
    expect(subwave_append_if(on, SUBWAVE_DTYPE_F64, SUBWAVE_COMPARISON_GREATER, &zero, 1001, x, 100,
                             behind + 16, y));
    expect(subwave_transpose(on, SUBWAVE_DTYPE_F64, SUBWAVE_LAYOUT_COLUMN_MAJOR, 5, 7, x, 6, y, 7));
    expect(subwave_transpose_strided_batched(on, SUBWAVE_DTYPE_C32, SUBWAVE_LAYOUT_ROW_MAJOR, 3, 9,
                                             x, 9, 0, y, 4, 36, 5));
    expect(subwave_histogram(on, SUBWAVE_DTYPE_I16, 10, 0, 100, 1001, x, y));
    expect(subwave_histogram_by_boundaries(on, SUBWAVE_DTYPE_F32, 4, x, 1001, x, y));
    expect(subwave_histogram_weighted(on, SUBWAVE_DTYPE_F64, SUBWAVE_ORDER_FIXED, 10, 0, 100, 1001,
                                      x, x, y));
    expect(subwave_histogram_by_boundaries_weighted(on, SUBWAVE_DTYPE_I32, SUBWAVE_ORDER_ANY, 4, x,
                                                    1001, x, x, y));
}

int main(int argc, char **argv)
{
    if (argc != 2 || subwave_context_create(&on, argv[1]) != SUBWAVE_STATUS_SUCCESS) {
        fprintf(stderr, "calls: %s\n",
                argc == 2 ? subwave_last_error(NULL) : "usage: subwave_calls DEVICE");
        return EXIT_FAILURE;
    }
    void *memory[4];
    for (int i = 0; i < 4; ++i)
        memory[i] = allocate(ELEMENTS * sizeof(double) * 2);
    multiply(memory[0], memory[1], memory[2]);
    combine(memory[0], memory[1], memory[2], memory[3]);
    fold(memory[0], memory[1]);
    for (int i = 0; i < 4; ++i)
        expect(subwave_free(on, memory[i]));
    expect(subwave_context_destroy(&on));
    return EXIT_SUCCESS;
}
