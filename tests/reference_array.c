/* SPDX-License-Identifier: MIT
 * reference_array.c: the operations on arrays in the fixed order of docs/arrays.md.
 */
#include "reference_array.h"

#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, ROWS = 4, TILES = 1024, RUN = 32, RUNS = ROWS * BLOCK / RUN, GROUP = 256 };
_Static_assert(RUNS == RUN, "the runs of a tile's part are scanned as packs are");
#ifdef SUBWAVE_SMALL_LIMITS
enum { LAUNCH = 2 * GROUP };
#else
enum { LAUNCH = GROUP * GROUP };
#endif

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

static uint64_t rounded(subwave_dtype dtype, subwave_dtype type, cell value)
{
    return type == dtype ? value.bits : reference_encode(dtype, reference_decode(type, value.bits));
}

/* What is folded: element i as a value of `type`; `pack` of them lie in 16 bytes. */
typedef struct elements {
    subwave_dtype dtype, type;
    subwave_op op;
    int pack;
    const void *x, *y;
    int part; /* of a product (2 and 3: of a conjugated one) or of the squares */
    cell (*at)(const struct elements *from, int64_t i);
} elements;

static cell fold_tile(const elements *from, int64_t n, int64_t first, int64_t end, bool last)
{
    const int pack = from->pack;
    const int64_t packs = n / pack;
    cell items[BLOCK] = {{0}};
    for (int item = 0; item < BLOCK; ++item) {
        cell sums[16] = {{0}};
        for (int64_t p = first * BLOCK + item; p < end * BLOCK && p < packs; p += BLOCK)
            for (int e = 0; e < pack; ++e)
                sums[e] = join(from->type, from->op, sums[e], from->at(from, p * pack + e));
        items[item] = join_all(from->type, from->op, sums, pack);
        if (last && packs * pack + item < n)
            items[item] =
                join(from->type, from->op, items[item], from->at(from, packs * pack + item));
    }
    return join_all(from->type, from->op, items, BLOCK);
}

static cell fold(const elements *from, int64_t n)
{
    const int64_t packs = n / from->pack;
    const int64_t rows = (packs + BLOCK - 1) / BLOCK, most = (int64_t)ROWS * TILES;
    const int64_t each = rows > most ? (rows + most - 1) / most * ROWS : ROWS;
    const int64_t tiles = rows > 0 ? (rows + each - 1) / each : 1;
    if (tiles == 1)
        return fold_tile(from, n, 0, rows, true);
    cell items[BLOCK] = {{0}};
    for (int64_t t = 0; t < tiles; ++t) {
        const int64_t end = (t + 1) * each < rows ? (t + 1) * each : rows;
        items[t % BLOCK] = join(from->type, from->op, items[t % BLOCK],
                                fold_tile(from, n, t * each, end, t == tiles - 1));
    }
    return join_all(from->type, from->op, items, BLOCK);
}

static cell plain_element(const elements *from, int64_t i)
{
    return element(from->dtype, from->op, from->x, i);
}

uint64_t reference_array_reduce(subwave_dtype dtype, subwave_op op, const void *x, int64_t n,
                                const uint64_t *init)
{
    const subwave_dtype type = combined_in(dtype);
    const elements from = {.dtype = dtype,
                           .type = type,
                           .op = op,
                           .pack = 128 / reference_width(dtype),
                           .x = x,
                           .at = plain_element};
    cell sum = fold(&from, n);
    if (!sum.any)
        sum = (cell){true, reference_identity(type, op)};
    if (init)
        sum = join(type, op, element(dtype, op, init, 0), sum);
    return rounded(dtype, type, sum);
}

/* --- dot products and norms --------------------------------------------------------------------- */

static double number(subwave_dtype dtype, const void *x, int64_t i)
{
    return reference_decode(dtype, reference_load(dtype, x, i));
}

/* Sums of products and squares are of f64, but of small floats, if they cannot leave f32. */
static subwave_dtype summed_in(subwave_dtype part, bool f32)
{
    return reference_width(part) < 32 && f32 ? SUBWAVE_DTYPE_F32 : SUBWAVE_DTYPE_F64;
}

/* The real part of a product, or the other one. */
static cell product_part(const elements *from, int64_t i)
{
    const subwave_dtype dtype = from->dtype, part = reference_part(dtype);
    if (part == dtype)
        return (cell){true, reference_encode(from->type,
                                             number(part, from->x, i) * number(part, from->y, i))};
    double x[2], y[2];
    for (int p = 0; p < 2; ++p) {
        x[p] = number(part, from->x, 2 * i + p);
        y[p] = number(part, from->y, 2 * i + p);
    }
    if (from->part >= 2)
        x[1] = -x[1];
    return (cell){true,
                  reference_encode(SUBWAVE_DTYPE_F64, from->part % 2 ? x[0] * y[1] + x[1] * y[0]
                                                                     : x[0] * y[0] - x[1] * y[1])};
}

void reference_array_dot(subwave_dtype dtype, subwave_conjugation conjugation, const void *x,
                         const void *y, int64_t n, void *result)
{
    const subwave_dtype part = reference_part(dtype);
    const int parts = reference_width(dtype) / reference_width(part);
    elements from = {.dtype = dtype,
                     .type = summed_in(part, true),
                     .op = SUBWAVE_OP_PLUS,
                     .pack = 128 / reference_width(dtype),
                     .x = x,
                     .y = y,
                     .at = product_part};
    for (int p = 0; p < parts; ++p) {
        from.part = p + (conjugation == SUBWAVE_CONJUGATION_FIRST ? 2 : 0);
        const cell sum = fold(&from, n);
        reference_store(part, result, p,
                        sum.any ? rounded(part, from.type, sum) : reference_encode(part, 0));
    }
}

/* The squares of those of f64 that are small, in the middle, or big, scaled by a power of two. */
static const double scales[] = {0x1p700, 1, 0x1p-538};

static cell square(const elements *from, int64_t i)
{
    const double x = number(from->dtype, from->x, i), size = x < 0 ? -x : x;
    const int part = from->dtype != SUBWAVE_DTYPE_F64 ? 1
                     : size < 0x1p-511                ? 0
                     : size >= 0x1p486                ? 2
                                                      : 1;
    const double scaled = part == from->part ? x * scales[part] : 0;
    return (cell){true, reference_encode(from->type, scaled * scaled)};
}

uint64_t reference_array_norm2(subwave_dtype dtype, const void *x, int64_t n)
{
    const subwave_dtype part = reference_part(dtype);
    elements from = {.dtype = part,
                     .type = summed_in(part, part != SUBWAVE_DTYPE_BF16),
                     .op = SUBWAVE_OP_PLUS,
                     .pack = 128 / reference_width(part),
                     .x = x,
                     .at = square};
    double sums[3] = {0};
    for (from.part = 0; from.part < 3; ++from.part) {
        const cell sum = fold(&from, n * (reference_width(dtype) / reference_width(part)));
        sums[from.part] = sum.any ? reference_decode(from.type, sum.bits) : 0;
    }
    const double root = sums[2] > 0 ? sqrt(sums[2] + sums[1] * scales[2] * scales[2]) / scales[2]
                        : sums[1] < 0x1p-900 && part == SUBWAVE_DTYPE_F64
                            ? sqrt(sums[0] + sums[1] * scales[0] * scales[0]) / scales[0]
                            : sqrt(sums[1]);
    /* Small floats are rounded to f32 first. */
    return part == SUBWAVE_DTYPE_F64 ? reference_encode(part, root)
                                     : reference_encode(part, (double)(float)root);
}

int64_t reference_array_minmax_index(subwave_dtype dtype, subwave_op op, const void *x, int64_t n,
                                     uint64_t *value)
{
    int64_t index = -1;
    *value = reference_identity(dtype, op);
    for (int64_t i = 0; i < n; ++i) {
        const uint64_t bits = reference_load(dtype, x, i);
        const uint64_t better = i ? reference_combine(dtype, op, *value, bits) : bits;
        if (i == 0 || !reference_same(dtype, better, *value))
            index = i;
        *value = better;
    }
    return index;
}

/* --- selections ------------------------------------------------------------------------------ */

static bool by_order(subwave_comparison comparison, int order) /* -1, 0, 1: a < b, a = b, a > b */
{
    switch (comparison) {
    case SUBWAVE_COMPARISON_EQUAL:
        return order == 0;
    case SUBWAVE_COMPARISON_NOT_EQUAL:
        return order != 0;
    case SUBWAVE_COMPARISON_LESS:
        return order < 0;
    case SUBWAVE_COMPARISON_LESS_EQUAL:
        return order <= 0;
    case SUBWAVE_COMPARISON_GREATER:
        return order > 0;
    case SUBWAVE_COMPARISON_GREATER_EQUAL:
        return order >= 0;
    }
    abort();
}

bool reference_compares(subwave_dtype dtype, subwave_comparison comparison, uint64_t a, uint64_t b)
{
    if (reference_is_floating(dtype)) {
        const double x = reference_decode(dtype, a), y = reference_decode(dtype, b);
        if (x != x || y != y)
            return comparison == SUBWAVE_COMPARISON_NOT_EQUAL;
        return by_order(comparison, (x > y) - (x < y));
    }
    const bool is_less = reference_combine(dtype, SUBWAVE_OP_MINIMUM, a, b) == a;
    return by_order(comparison, a == b ? 0 : is_less ? -1 : 1);
}

void reference_array_unequal(subwave_dtype dtype, const void *x, int64_t n, uint8_t *chosen)
{
    const subwave_dtype part = reference_part(dtype);
    const int parts = part == dtype ? 1 : 2;
    for (int64_t i = 0; i < n; ++i) {
        chosen[i] = i == 0;
        for (int p = 0; p < parts && i > 0; ++p)
            chosen[i] |= reference_compares(part, SUBWAVE_COMPARISON_NOT_EQUAL,
                                            reference_load(part, x, i * parts + p),
                                            reference_load(part, x, (i - 1) * parts + p));
    }
}

int64_t reference_array_partition(subwave_dtype dtype, const uint8_t *chosen, const void *x,
                                  int64_t n, void *y, void *rest)
{
    const size_t size = (size_t)reference_width(dtype) / 8;
    const unsigned char *from = x;
    unsigned char *to = y, *others = rest;
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i) {
        if (chosen[i])
            memcpy(to + (size_t)count++ * size, from + (size_t)i * size, size);
        else if (rest)
            memcpy(others + (size_t)(i - count) * size, from + (size_t)i * size, size);
    }
    return count;
}

/* --- scans ----------------------------------------------------------------------------------- */

/* Of neighbours the right one takes the left one's value, then of pairs, and so on. */
static void scan_run(subwave_dtype type, subwave_op op, const cell *x, cell *upto)
{
    for (int i = 0; i < RUN; ++i)
        upto[i] = x[i];
    for (int size = 1; size < RUN; size *= 2)
        for (int i = RUN - 1; i >= 0; --i)
            if (i & size)
                upto[i] = join(type, op, upto[(i & ~(size - 1)) - 1], upto[i]);
}

void reference_array_scan(subwave_dtype dtype, subwave_op op, subwave_scan_kind scan, const void *x,
                          int64_t n, const uint64_t *init, void *y)
{
    const subwave_dtype type = combined_in(dtype);
    const int width = reference_width(dtype), pack = width < 64 ? 128 / width : 4;
    /* A tile has one part of 32 runs, or two. */
    const int parts = width == 32 ? 2 : 1, runs = parts * RUNS;
    const int64_t tile = (int64_t)parts * ROWS * BLOCK * pack;
    const cell none = {0};
    cell before_all = init ? element(dtype, op, init, 0) : none; /* before the tiles of a launch */
    cell tiles[GROUP] = {{0}}, groups[GROUP] = {{0}};
    for (int64_t t = 0; t * tile < n; ++t) {
        cell before[2 * RUNS][RUN], totals[2 * RUNS] = {{0}}, starts[2 * RUNS], of_tile = none;
        /* Runs behind the last element have no value, nor has what is before the first tile. */
        const int64_t left = (n - t * tile + RUN * pack - 1) / (RUN * pack);
        const int with_elements = left < runs ? (int)left : runs;
        for (int r = 0; r < with_elements; ++r) {
            cell packs[RUN] = {{0}}, upto[RUN];
            for (int p = 0; p < RUN; ++p)
                for (int64_t e = 0, i = t * tile + (int64_t)(r * RUN + p) * pack; e < pack && i < n;
                     ++e, ++i)
                    packs[p] = join(type, op, packs[p], element(dtype, op, x, i));
            scan_run(type, op, packs, upto);
            for (int p = 0; p < RUN; ++p)
                before[r][p] = p ? upto[p - 1] : none;
            totals[r] = upto[RUN - 1];
        }
        for (int part = 0; part < runs; part += RUN) {
            cell upto[RUN];
            scan_run(type, op, totals + part, upto);
            for (int r = 0; r < RUN; ++r)
                starts[part + r] = join(type, op, of_tile, r ? upto[r - 1] : none);
            of_tile = join(type, op, of_tile, upto[RUN - 1]);
        }
        const int place = (int)(t % GROUP), group = (int)(t % LAUNCH / GROUP);
        cell in_group = none, first = before_all;
        if (t > 0) {
            cell of_tiles[GROUP], of_groups[GROUP];
            for (int i = 0; i < GROUP; ++i) {
                of_tiles[i] = i < place ? tiles[i] : none;
                of_groups[i] = i < group ? groups[i] : none;
            }
            of_groups[0] = join(type, op, before_all, of_groups[0]);
            in_group = join_all(type, op, of_tiles, GROUP);
            first = join(type, op, join_all(type, op, of_groups, GROUP), in_group);
        }
        for (int r = 0; r < with_elements; ++r)
            for (int p = 0; p < RUN; ++p) {
                const cell of_run = join(type, op, first, starts[r]),
                           before_pack = join(type, op, of_run, before[r][p]);
                cell upto = none;
                for (int64_t e = 0, i = t * tile + (int64_t)(r * RUN + p) * pack; e < pack && i < n;
                     ++e, ++i) {
                    const cell with = join(type, op, upto, element(dtype, op, x, i));
                    cell result =
                        join(type, op, before_pack, scan == SUBWAVE_SCAN_INCLUSIVE ? with : upto);
                    if (!result.any)
                        result = (cell){true, reference_identity(type, op)};
                    reference_store(dtype, y, i, rounded(dtype, type, result));
                    upto = with;
                }
            }
        tiles[place] = of_tile;
        if (place == GROUP - 1)
            groups[group] = join(type, op, in_group, of_tile);
        if (t % LAUNCH == LAUNCH - 1)
            before_all = join(type, op, first, of_tile);
    }
}

/* --- histograms ------------------------------------------------------------------------------- */

double reference_array_edge(int64_t bin, int64_t bins, double lower, double upper)
{
    return bin == bins ? upper : lower + (double)bin * ((upper - lower) / (double)bins);
}

/* a < b, of elements' bits; false of NaN. */
static bool is_less(subwave_dtype dtype, uint64_t a, uint64_t b)
{
    if (dtype == SUBWAVE_DTYPE_U64)
        return a < b;
    if (dtype == SUBWAVE_DTYPE_I64)
        return (int64_t)a < (int64_t)b;
    return reference_decode(dtype, a) < reference_decode(dtype, b);
}

static void bins_of(subwave_dtype dtype, int64_t bins, double lower, double upper,
                    const void *boundaries, int64_t n, const void *x, int64_t *bin_of)
{
    for (int64_t i = 0; i < n; ++i) {
        const uint64_t bits = reference_load(dtype, x, i);
        const double number = reference_decode(dtype, bits);
        const bool is_nan = number != number;
#define BOUNDARY(bin) reference_load(dtype, boundaries, bin)
#define BEGINS_BEFORE(bin) \
    (boundaries ? !is_less(dtype, bits, BOUNDARY(bin)) \
                : number >= reference_array_edge(bin, bins, lower, upper))
        const bool is_above = boundaries ? is_less(dtype, BOUNDARY(bins), bits) : number > upper;
        bin_of[i] = -1;
        if (is_nan || is_above || !BEGINS_BEFORE(0))
            continue;
        int64_t bin = 0, end = bins;
        while (end - bin > 1) {
            const int64_t middle = bin + (end - bin) / 2;
            if (BEGINS_BEFORE(middle))
                bin = middle;
            else
                end = middle;
        }
        bin_of[i] = bin;
    }
#undef BOUNDARY
#undef BEGINS_BEFORE
}

void reference_array_histogram(subwave_dtype dtype, int64_t bins, double lower, double upper,
                               const void *boundaries, int64_t n, const void *x,
                               const void *weights, void *results)
{
    int64_t *const bin_of = malloc((size_t)n * sizeof *bin_of + 1), *const counts = results;
    if (!bin_of)
        abort();
    bins_of(dtype, bins, lower, upper, boundaries, n, x, bin_of);
    memset(results, 0,
           (size_t)bins * (weights ? (size_t)reference_width(dtype) / 8 : sizeof *counts));
    if (weights)
        reference_array_scatter_add(dtype, n, bin_of, weights, bins, results);
    for (int64_t i = 0; !weights && i < n; ++i)
        if (bin_of[i] >= 0)
            ++counts[bin_of[i]];
    free(bin_of);
}

/* --- sums in cells ---------------------------------------------------------------------------- */

__extension__ typedef __int128 wide_integer;

/* sum * 2^exponent to nearest even, a bit at a time. */
static uint64_t rounded_sum(subwave_dtype dtype, wide_integer sum, int exponent)
{
    const int digits = reference_fraction(dtype) + 1,
              least = dtype == SUBWAVE_DTYPE_F32 ? -149 : -1074;
    const bool negative = sum < 0;
    wide_integer size = negative ? -sum : sum;
    bool half = false, more = false;
    for (; size >> digits != 0 || exponent < least; size >>= 1, ++exponent) {
        more = more || half;
        half = size & 1;
    }
    if (half && (more || (size & 1)))
        ++size;
    const double number = ldexp((double)size, exponent);
    return reference_encode(dtype, negative ? -number : number);
}

void reference_array_scatter_add(subwave_dtype dtype, int64_t n, const int64_t *indices,
                                 const void *x, int64_t cells, void *y)
{
#define OUTSIDE(i) (indices[i] < 0 || indices[i] >= cells)
    if (!reference_is_floating(dtype)) {
        for (int64_t i = 0; i < n; ++i)
            if (!OUTSIDE(i))
                reference_store(dtype, y, indices[i],
                                reference_combine(dtype, SUBWAVE_OP_PLUS,
                                                  reference_load(dtype, y, indices[i]),
                                                  reference_load(dtype, x, i)));
        return;
    }
    typedef struct sums {
        int64_t high, low;
        bool nan, plus, minus;
    } sums;
    sums *const all = calloc((size_t)cells + 1, sizeof *all);
    if (!all)
        abort();
    int bits = 62, above = dtype == SUBWAVE_DTYPE_F32 ? -125 : -1021; /* of the least number */
    while ((double)n > ldexp(1, 62 - bits))
        --bits;
    for (int64_t i = 0; i < n; ++i) {
        const double v = reference_decode(dtype, reference_load(dtype, x, i));
        int e;
        frexp(v, &e);
        if (!OUTSIDE(i) && isfinite(v) && v != 0 && e > above)
            above = e;
    }
    for (int64_t i = 0; i < n; ++i) {
        const double v = reference_decode(dtype, reference_load(dtype, x, i));
        if (OUTSIDE(i))
            continue;
        sums *const s = &all[indices[i]];
        s->nan |= isnan(v);
        s->plus |= v == (double)INFINITY;
        s->minus |= v == -(double)INFINITY;
        if (!isfinite(v))
            continue;
        const double scaled = ldexp(v, bits - above), high = trunc(scaled);
        s->high += (int64_t)high;
        s->low += (int64_t)round(ldexp(scaled - high, bits));
    }
    const uint64_t infinity = reference_encode(dtype, (double)INFINITY),
                   nan = infinity | (uint64_t)1 << (reference_fraction(dtype) - 1);
    for (int64_t c = 0; c < cells; ++c) {
        const sums s = all[c];
        uint64_t sum = rounded_sum(dtype, (wide_integer)s.high * ((wide_integer)1 << bits) + s.low,
                                   above - 2 * bits);
        if (s.plus || s.minus)
            sum = reference_encode(dtype, s.plus ? (double)INFINITY : -(double)INFINITY);
        if (s.nan || (s.plus && s.minus))
            sum = nan;
        if (reference_decode(dtype, sum) == 0)
            continue;
        sum = reference_combine(dtype, SUBWAVE_OP_PLUS, sum, reference_load(dtype, y, c));
        reference_store(dtype, y, c, isnan(reference_decode(dtype, sum)) ? nan : sum);
    }
    free(all);
#undef OUTSIDE
}

/* --- segments -------------------------------------------------------------------------------- */

/* A value, and whether a segment ended before the elements that it is of. */
typedef struct since_end {
    cell value;
    bool ended;
} since_end;

static since_end join_since_end(subwave_dtype type, subwave_op op, since_end a, since_end b)
{
    return b.ended ? b : (since_end){join(type, op, a.value, b.value), a.ended};
}

/* What the tiles from `first` up to `tile`, counted from the launch's first, combine to. */
static cell join_tiles(subwave_dtype type, subwave_op op, const cell *tiles, const cell *groups,
                       int64_t first, int64_t tile)
{
    cell runs[RUN], result = {0};
    const int64_t group = tile / GROUP, in = first / GROUP;
    for (int step = 0; step < 3; ++step) {
        for (int r = 0; r < GROUP / RUN; ++r) {
            cell run[RUN];
            for (int i = 0; i < RUN; ++i) {
                const int64_t place = r * RUN + i, at = place + (step == 0   ? group
                                                                 : step == 1 ? 0
                                                                             : in) *
                                                                    GROUP;
                const bool there = step == 0   ? at >= first && at < tile
                                   : step == 1 ? at >= in + (first % GROUP > 0) && at < group
                                               : in < group && first % GROUP > 0 && at >= first;
                run[i] = there ? (step == 1 ? groups : tiles)[at] : (cell){0};
            }
            runs[r] = join_all(type, op, run, RUN);
        }
        cell all = {0};
        for (int r = 0; r < GROUP / RUN; ++r)
            all = join(type, op, all, runs[r]);
        result = join(type, op, all, result);
    }
    return result;
}

/* An element that is scanned: what its segment has in its work-item's part, up to it and before it. */
typedef struct scanned {
    cell upto, before;
    bool continues; /* the segment began before the part */
} scanned;

int reference_array_segmented_items(subwave_dtype dtype)
{
    const int width = reference_width(dtype);
    return width == 64 ? 15 : width == 32 ? 29 : 59;
}

/* Writes to `reduced` or, if that is null, to y, which is a scan. */
static void combine_segments(subwave_dtype dtype, subwave_op op, subwave_scan_kind scan,
                             int64_t segments, const int64_t *offsets, const void *x, void *reduced,
                             void *y)
{
    const subwave_dtype type = combined_in(dtype);
    const cell identity = {true, reference_identity(type, op)};
    const int each = reference_array_segmented_items(dtype);
    const int64_t tile_items = (int64_t)BLOCK * each, first = offsets[0],
                  items = segments + offsets[segments] - first;
    cell *tiles = calloc(LAUNCH, sizeof *tiles), groups[GROUP] = {{0}}, carry = {0};
    scanned *const parts = calloc((size_t)tile_items, sizeof *parts);
    if (!tiles || !parts)
        abort();
    int64_t e = 0, s = 0;
    for (int64_t t = 0; t * tile_items < items; ++t) {
        const int64_t tile_first = e;
        int64_t part_end[BLOCK];
        const int64_t launch = t / LAUNCH * LAUNCH, began = (offsets[s] - first + s) / tile_items;
        since_end upto[BLOCK] = {{{0}, false}};
        cell heads[BLOCK] = {{0}};
        int64_t head_of[BLOCK], item = t * tile_items;
        for (int w = 0; w < BLOCK; ++w) {
            cell sum = {0};
            head_of[w] = -1;
            for (int k = 0; k < each && item < items; ++k, ++item) {
                if (s < segments && e == offsets[s + 1] - first) {
                    if (!upto[w].ended) {
                        heads[w] = sum;
                        head_of[w] = s;
                    } else if (reduced) {
                        reference_store(dtype, reduced, s,
                                        rounded(dtype, type, sum.any ? sum : identity));
                    }
                    upto[w].ended = true;
                    sum.any = false;
                    ++s;
                } else {
                    const cell before = sum;
                    sum = join(type, op, sum, element(dtype, op, x, first + e));
                    parts[e++ - tile_first] = (scanned){sum, before, !upto[w].ended};
                }
            }
            upto[w].value = sum;
            part_end[w] = e;
        }
        for (int size = 1; size < RUN; size *= 2)
            for (int w = BLOCK - 1; w >= 0; --w)
                if (w & size)
                    upto[w] = join_since_end(type, op, upto[(w & ~(size - 1)) - 1], upto[w]);
        const int64_t place = t - launch;
        const cell before_tile =
            join(type, op, began < launch ? carry : (cell){0},
                 join_tiles(type, op, tiles, groups, began > launch ? began - launch : 0, place));
        since_end all = {{0}, false};
        for (int w = 0; w < BLOCK; ++w) {
            const since_end before = w % RUN ? join_since_end(type, op, all, upto[w - 1]) : all;
            const cell start =
                before.ended ? before.value : join(type, op, before_tile, before.value);
            if (reduced && head_of[w] >= 0) {
                const cell piece = join(type, op, before.value, heads[w]),
                           sum = before.ended ? piece : join(type, op, before_tile, piece);
                reference_store(dtype, reduced, head_of[w],
                                rounded(dtype, type, sum.any ? sum : identity));
            }
            for (int64_t i = w ? part_end[w - 1] : tile_first; y && i < part_end[w]; ++i) {
                const scanned *const at = &parts[i - tile_first];
                cell sum = scan == SUBWAVE_SCAN_INCLUSIVE ? at->upto : at->before;
                if (at->continues)
                    sum = join(type, op, start, sum);
                reference_store(dtype, y, first + i,
                                rounded(dtype, type, sum.any ? sum : identity));
            }
            if (w % RUN == RUN - 1)
                all = join_since_end(type, op, all, upto[w]);
        }
        tiles[place] = all.value;
        if (place % GROUP == GROUP - 1) /* of its tiles, since the open segment began */
            groups[place / GROUP] =
                join(type, op,
                     join_tiles(type, op, tiles, groups,
                                began - launch > place - place % GROUP ? began - launch
                                                                       : place - place % GROUP,
                                place),
                     all.value);
        if (place == LAUNCH - 1)
            carry = all.ended ? all.value : join(type, op, before_tile, all.value);
    }
    free(parts);
    free(tiles);
}

void reference_array_segmented_reduce(subwave_dtype dtype, subwave_op op, int64_t segments,
                                      const int64_t *offsets, const void *x, void *y)
{
    combine_segments(dtype, op, SUBWAVE_SCAN_INCLUSIVE, segments, offsets, x, y, NULL);
}

void reference_array_segmented_scan(subwave_dtype dtype, subwave_op op, subwave_scan_kind scan,
                                    int64_t segments, const int64_t *offsets, const void *x,
                                    void *y)
{
    combine_segments(dtype, op, scan, segments, offsets, x, NULL, y);
}
