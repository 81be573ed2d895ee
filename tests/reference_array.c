/* SPDX-License-Identifier: MIT
 * reference_array.c: the operations on arrays in the fixed order of docs/arrays.md.
 */
#include "reference_array.h"

#include "reference.h"

enum { BLOCK = 256, ROWS = 4, TILES = 1024 };

/* What a place in the order holds: nothing yet, or a value of the type that is combined in. */
typedef struct cell {
    bool any;
    uint64_t bits;
} cell;

static subwave_dtype combined_in(subwave_dtype dtype)
{
    return reference_is_floating(dtype) && reference_width(dtype) < 32 ? SUBWAVE_DTYPE_F32 : dtype;
}

static cell join(subwave_dtype type, subwave_op op, cell a, cell b)
{
    if (!a.any || !b.any)
        return a.any ? a : b;
    return (cell){true, reference_combine(type, op, a.bits, b.bits)};
}

/* Neighbours first, then pairs of neighbours, and so on. */
static cell join_all(subwave_dtype type, subwave_op op, cell *cells, int count)
{
    for (int size = 1; size < count; size *= 2)
        for (int i = 0; i < count; i += 2 * size)
            cells[i] = join(type, op, cells[i], cells[i + size]);
    return cells[0];
}

static cell element(subwave_dtype dtype, subwave_op op, const void *x, int64_t i)
{
    const subwave_dtype type = combined_in(dtype);
    uint64_t bits = reference_load(dtype, x, i);
    if (type != dtype)
        bits = reference_encode(type, reference_decode(dtype, bits));
    if (op == SUBWAVE_OP_LOGICAL_AND || op == SUBWAVE_OP_LOGICAL_OR) /* becomes 0 or 1 */
        bits = reference_combine(type, op, reference_identity(type, op), bits);
    return (cell){true, bits};
}

static cell reduce_tile(subwave_dtype dtype, subwave_op op, const void *x, int64_t n, int64_t first,
                        int64_t end, bool last)
{
    const subwave_dtype type = combined_in(dtype);
    const int pack = 128 / reference_width(dtype);
    const int64_t packs = n / pack;
    cell items[BLOCK] = {{0}};
    for (int item = 0; item < BLOCK; ++item) {
        cell sums[16] = {{0}};
        for (int64_t p = first * BLOCK + item; p < end * BLOCK && p < packs; p += BLOCK)
            for (int e = 0; e < pack; ++e)
                sums[e] = join(type, op, sums[e], element(dtype, op, x, p * pack + e));
        items[item] = join_all(type, op, sums, pack);
        if (last && packs * pack + item < n)
            items[item] = join(type, op, items[item], element(dtype, op, x, packs * pack + item));
    }
    return join_all(type, op, items, BLOCK);
}

uint64_t reference_array_reduce(subwave_dtype dtype, subwave_op op, const void *x, int64_t n,
                                const uint64_t *init)
{
    const subwave_dtype type = combined_in(dtype);
    const int64_t packs = n / (128 / reference_width(dtype));
    const int64_t rows = (packs + BLOCK - 1) / BLOCK, most = (int64_t)ROWS * TILES;
    const int64_t each = rows > most ? (rows + most - 1) / most * ROWS : ROWS;
    const int64_t tiles = rows > 0 ? (rows + each - 1) / each : 1;
    cell items[BLOCK] = {{0}}, sum = {0};
    if (tiles == 1) {
        sum = reduce_tile(dtype, op, x, n, 0, rows, true);
    } else {
        for (int64_t t = 0; t < tiles; ++t) {
            const int64_t end = (t + 1) * each < rows ? (t + 1) * each : rows;
            items[t % BLOCK] = join(type, op, items[t % BLOCK],
                                    reduce_tile(dtype, op, x, n, t * each, end, t == tiles - 1));
        }
        sum = join_all(type, op, items, BLOCK);
    }
    if (!sum.any)
        sum = (cell){true, reference_identity(type, op)};
    if (init)
        sum = join(type, op, element(dtype, op, init, 0), sum);
    return type == dtype ? sum.bits : reference_encode(dtype, reference_decode(type, sum.bits));
}
