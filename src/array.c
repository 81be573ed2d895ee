/* SPDX-License-Identifier: MIT
 * array.c: what the operations on whole arrays share: dividing an array among blocks, and where the
 * result goes.
 */
#include "array.h"

#include "workspace.h"

#include <inttypes.h>

/* The workspace holds its counters, a result for the host or two that a scan carries from launch to
 * launch, and a value of each tile or a scan's states. */
enum {
    COUNTERS_BYTES = SUBWAVE_WORKSPACE_COUNTERS * sizeof(uint32_t),
    RESULT_BYTES = SUBWAVE_ARRAY_RESULT_BYTES,
};
_Static_assert(RESULT_BYTES % SUBWAVE_WORKSPACE_ALIGNMENT == 0, "values follow that are aligned");

static size_t fold_bytes(size_t values, size_t value_bytes)
{
    return COUNTERS_BYTES + RESULT_BYTES + values * value_bytes;
}

static int64_t scan_bytes(int64_t rows, int64_t tiles)
{
    const int64_t most = tiles < SUBWAVE_SCAN_TILES ? tiles : SUBWAVE_SCAN_TILES;
    return COUNTERS_BYTES + RESULT_BYTES +
           (tiles > 1 ? rows * SUBWAVE_SCAN_STATES(most) * (int64_t)sizeof(uint64_t) : 0);
}

/* A scan's, and where tiles begin. */
static int64_t segments_bytes(int64_t tiles)
{
    const int64_t most = tiles < SUBWAVE_SCAN_TILES ? tiles : SUBWAVE_SCAN_TILES;
    return scan_bytes(1, tiles) +
           (tiles > 1 ? (most + 1) * (int64_t)sizeof(subwave_segments_place) : 0);
}

size_t subwave_array_workspace(void)
{
    const size_t segments = (size_t)segments_bytes(SUBWAVE_SCAN_TILES), /* more than a scan's */
        fold = fold_bytes(SUBWAVE_ARRAY_TILES, SUBWAVE_ARRAY_VALUE_BYTES),
                 rows = fold_bytes(SUBWAVE_ROW_TILES, SUBWAVE_ROW_VALUE_BYTES);
    const size_t folds = fold > rows ? fold : rows;
    _Static_assert(SUBWAVE_SCAN_TILES % 2 == 0, "rows of two tiles have most states");
    const size_t row_scans = (size_t)scan_bytes(SUBWAVE_SCAN_TILES / 2, 2),
                 tiles = segments > row_scans ? segments : row_scans;
    return tiles > folds ? tiles : folds;
}

SUBWAVE_DEFINE_NAME(subwave_order, SUBWAVE_ORDER_LIST)

SUBWAVE_DEFINE_CHECK(subwave_check_order, subwave_order, "order", SUBWAVE_ORDER_LIST)

SUBWAVE_DEFINE_CHECK(subwave_check_place, subwave_place, "place", SUBWAVE_PLACE_LIST)

static int64_t quotient_above(int64_t a, int64_t b) { return a / b + (a % b > 0); }

/* Divides n elements of `size` bytes into tiles. */
static void divide(const subwave_context *context, subwave_order order, int64_t n, size_t size,
                   subwave_array *array)
{
    /* A block has 16 KiB on their way from memory. To hide a latency of 1 us at 5.3 TB/s, 304
     * compute units need 320 blocks: four per unit are several times as many as any GPU needs, and
     * every further block costs the time of its reduction. */
    const int64_t device_tiles = 4 * (int64_t)context->capabilities.compute_units;
    const int64_t most = order == SUBWAVE_ORDER_FIXED || device_tiles > SUBWAVE_ARRAY_TILES
                             ? SUBWAVE_ARRAY_TILES
                             : device_tiles;
    const int64_t pack = 16 / (int64_t)size;
    const int64_t rows = quotient_above(n / pack, SUBWAVE_ARRAY_BLOCK);
    const int64_t steps = quotient_above(rows, most * SUBWAVE_ARRAY_ROWS);
    array->n = n;
    array->rows = SUBWAVE_ARRAY_ROWS * (steps > 0 ? steps : 1);
    array->tiles = (uint32_t)(rows > 0 ? quotient_above(rows, array->rows) : 1);
}

subwave_status subwave_array_prepare(subwave_context *context, subwave_order order, int64_t n,
                                     size_t size, size_t value_bytes, subwave_place place,
                                     void *result, subwave_array *array, void **at)
{
    divide(context, order, n, size, array);
    void *workspace;
    SUBWAVE_TRY(subwave_workspace_get(
        context, (int64_t)fold_bytes(SUBWAVE_ARRAY_TILES, value_bytes), &workspace));
    array->counter = workspace;
    char *const free_bytes = (char *)workspace + COUNTERS_BYTES;
    array->results = free_bytes + RESULT_BYTES;
    *at = place == SUBWAVE_PLACE_HOST ? free_bytes : result;
    return SUBWAVE_STATUS_SUCCESS;
}

/* Of a few long rows, each is the work of a block; of many, each is that of a wave. `turns` are a
 * row's rows of packs, of at most so many tiles. */
static bool are_for_waves(const subwave_context *context, int64_t rows, int64_t turns,
                          int64_t tiles)
{
    return turns <= tiles * SUBWAVE_ARRAY_ROWS &&
           (turns <= 1 || rows >= 16 * (int64_t)context->capabilities.compute_units);
}

/* Blocks of waves, each of which works on wave_rows rows at a time. */
static int64_t row_blocks(const subwave_context *context, int64_t rows, int64_t wave_rows)
{
    const int64_t waves = SUBWAVE_ARRAY_BLOCK / context->capabilities.wave_size,
                  blocks = quotient_above(rows, wave_rows * waves);
    return blocks < SUBWAVE_ROW_BLOCKS ? blocks : SUBWAVE_ROW_BLOCKS;
}

/* At most a few times as many blocks as the compute units hold. A wave first works out its addresses, and
 * should work on rows several times after that; but blocks are not equally fast, so that some are left
 * for the units that are done first. */
static int64_t fold_blocks(const subwave_context *context, int64_t rows, int64_t wave_rows)
{
    const int64_t waves = SUBWAVE_ARRAY_BLOCK / context->capabilities.wave_size,
                  unit_blocks = waves < 8 ? 64 / waves : 8,
                  blocks = row_blocks(context, rows, wave_rows),
                  most = unit_blocks * context->capabilities.compute_units;
    return blocks < most ? blocks : most;
}

bool subwave_rows_prepare(const subwave_context *context, int64_t rows, int64_t length, int64_t ldx,
                          size_t size, subwave_rows *prepared)
{
    const int64_t pack = 16 / (int64_t)size, packs = length / pack, after = length % pack;
    const int64_t turns = quotient_above(packs, SUBWAVE_ARRAY_BLOCK);
    if (!are_for_waves(context, rows, turns, SUBWAVE_ROW_WAVE_TILES))
        return false;
    *prepared = (subwave_rows){.rows = rows,
                               .length = length,
                               .ldx = ldx,
                               .packs = (uint32_t)packs,
                               .after = (uint32_t)after,
                               .tiles = 1};
    if (turns > SUBWAVE_ARRAY_ROWS)
        prepared->tiles = (uint32_t)quotient_above(turns, SUBWAVE_ARRAY_ROWS);
    while (1 << prepared->log_packs < turns && 1 << prepared->log_packs < SUBWAVE_ARRAY_ROWS)
        ++prepared->log_packs;
    const int64_t items = turns > 1 ? SUBWAVE_ARRAY_BLOCK : packs > after ? packs : after;
    while (1 << prepared->log_items < items)
        ++prepared->log_items;
    /* A wave loads SUBWAVE_ARRAY_ROWS packs per lane together, of one row or of several. */
    const int64_t wave = context->capabilities.wave_size,
                  at_once = wave * SUBWAVE_ARRAY_ROWS >> prepared->log_packs >> prepared->log_items,
                  wave_rows = at_once > 1 ? at_once : 1;
    prepared->blocks = (uint32_t)fold_blocks(context, rows, wave_rows);
    return true;
}

bool subwave_row_minmax_prepare(const subwave_context *context, size_t size,
                                subwave_row_minmax_index_launch *prepared)
{
    enum { LEAST_LANES = 4 }; /* whose packs are a line of a cache of 64 bytes */
    const int64_t pack = 16 / (int64_t)size, packs = prepared->length / pack,
                  wave = context->capabilities.wave_size;
    if (!are_for_waves(context, prepared->rows, quotient_above(packs, SUBWAVE_ARRAY_BLOCK),
                       SUBWAVE_ROW_WAVE_TILES))
        return false;
    prepared->packs = (uint32_t)packs;
    prepared->after = (uint32_t)(prepared->length % pack);
    int64_t lanes = 1, turns = 1;
    for (; lanes < wave && lanes < packs &&
           (lanes < LEAST_LANES || lanes * SUBWAVE_ARRAY_ROWS < packs);
         lanes *= 2)
        ++prepared->log_lanes;
    for (; turns < SUBWAVE_ARRAY_ROWS && lanes * turns < packs; turns *= 2)
        ++prepared->log_turns;
    prepared->steps = packs > lanes * turns ? (uint32_t)quotient_above(packs, lanes * turns) : 1;
    prepared->blocks =
        (uint32_t)fold_blocks(context, prepared->rows, wave / lanes * (SUBWAVE_ARRAY_ROWS / turns));
    return true;
}

bool subwave_row_scan_prepare(const subwave_context *context, size_t size,
                              subwave_row_scan_launch *prepared)
{
    const int64_t row_bytes = SUBWAVE_ARRAY_BLOCK * 16,
                  turns = quotient_above(prepared->length, row_bytes / (int64_t)size),
                  packs = quotient_above(prepared->length, SUBWAVE_SCAN_PACK(size));
    if (!are_for_waves(context, prepared->rows, turns, 1))
        return false;
    prepared->packs = (uint32_t)packs;
    while (1 << prepared->log_packs < packs)
        ++prepared->log_packs;
    const int64_t wave = context->capabilities.wave_size,
                  at_once = wave * SUBWAVE_ROW_SCAN_LOADS(size) >> prepared->log_packs;
    prepared->blocks = (uint32_t)row_blocks(context, prepared->rows, at_once > 1 ? at_once : 1);
    return true;
}

subwave_status subwave_array_prepare_rows(subwave_context *context, int64_t rows, int64_t length,
                                          size_t size, size_t value_bytes, subwave_array *array,
                                          uint32_t *most)
{
    divide(context, SUBWAVE_ORDER_FIXED, length, size, array);
    int64_t count = SUBWAVE_ROW_TILES / array->tiles;
    if (array->tiles > 1 && count > SUBWAVE_WORKSPACE_COUNTERS)
        count = SUBWAVE_WORKSPACE_COUNTERS;
    *most = (uint32_t)(rows < count ? rows : count);
    if (array->tiles == 1) /* results go to where they belong at once */
        return SUBWAVE_STATUS_SUCCESS;
    void *workspace;
    SUBWAVE_TRY(subwave_workspace_get(
        context, (int64_t)fold_bytes((size_t)*most * array->tiles, value_bytes), &workspace));
    array->counter = workspace;
    array->results = (char *)workspace + COUNTERS_BYTES + RESULT_BYTES;
    return SUBWAVE_STATUS_SUCCESS;
}

void subwave_array_divide_tiles(int64_t n, int64_t tile, subwave_tiles *tiles)
{
    tiles->n = n;
    tiles->all = n > 0 ? quotient_above(n, tile) : 1;
}

/* Where tiles count and wait for each other. At most `zero_tiles` leave zeros. */
static void prepare_waiting(subwave_tiles *tiles, int64_t zero_tiles, void *workspace)
{
    enum { counters = 2 };
    _Static_assert(sizeof(uint64_t) * (counters + 2 * (SUBWAVE_SCAN_GROUP - 1)) <= COUNTERS_BYTES,
                   "there is room for the states of a group's tiles but the last");
    char *const free_bytes = (char *)workspace + COUNTERS_BYTES;
    tiles->counter = workspace;
    tiles->carry = (uint64_t *)free_bytes;
    tiles->leaves_zeros = tiles->all > 1 && tiles->all <= zero_tiles;
    tiles->states = tiles->leaves_zeros ? (uint64_t *)workspace + counters /* aligned to 16 bytes */
                                        : (uint64_t *)(free_bytes + RESULT_BYTES);
}

static subwave_status prepare_tiles(subwave_context *context, int64_t rows, int64_t n, int64_t tile,
                                    subwave_tiles *tiles, uint32_t *most)
{
    subwave_array_divide_tiles(n, tile, tiles);
    const int64_t count = tiles->all < SUBWAVE_SCAN_TILES ? SUBWAVE_SCAN_TILES / tiles->all : 1;
    *most = (uint32_t)(rows < count ? rows : count);
    void *workspace;
    SUBWAVE_TRY(subwave_workspace_get(context, scan_bytes(*most, tiles->all), &workspace));
    prepare_waiting(tiles, rows == 1 ? SUBWAVE_SCAN_GROUP : 0, workspace);
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_array_prepare_tiles(subwave_context *context, int64_t n, int64_t tile,
                                           subwave_tiles *tiles)
{
    uint32_t rows;
    return prepare_tiles(context, 1, n, tile, tiles, &rows);
}

subwave_status subwave_array_prepare_row_tiles(subwave_context *context, int64_t rows, int64_t n,
                                               size_t size, subwave_tiles *tiles, uint32_t *most)
{
    return prepare_tiles(context, rows, n, SUBWAVE_SCAN_TILE(size), tiles, most);
}

bool subwave_array_divide_for_cells(const subwave_context *context,
                                    const subwave_counting_shape *shape, int64_t n, size_t size,
                                    int64_t cells, size_t cell_bytes, bool must,
                                    uint32_t *log_copies, uint32_t *blocks)
{
    const int64_t units = context->capabilities.compute_units,
                  tile = (int64_t)shape->block * SUBWAVE_ARRAY_ROWS * (16 / (int64_t)size);
    int64_t wanted = quotient_above(n, tile);
    /* A block adds all its cells to device memory in the end, and so should have taken several times
     * as many elements. If less than an eighth of them would be left, all add there at once. */
    const int64_t worthwhile = n / (4 * cells), most = shape->blocks * units;
    const bool pays = 8 * worthwhile >= most || worthwhile >= wanted;
    const int64_t counters = SUBWAVE_HISTOGRAM_COUNTERS / (int64_t)(cell_bytes / sizeof(uint32_t));
    const bool in_blocks = must || (cells <= counters && pays);
    *log_copies = 0;
    if (in_blocks) {
        /* As many copies as let seven blocks share the 64 KiB of a compute unit: each wave has only
         * a pack or two per lane on their way. */
        while (*log_copies < SUBWAVE_HISTOGRAM_LOG_COPIES && cells << *log_copies <= counters / 8)
            ++*log_copies;
        if (pays)
            wanted = wanted < worthwhile ? wanted : worthwhile;
    }
    wanted = wanted < most ? wanted : most;
    *blocks = (uint32_t)(wanted < SUBWAVE_HISTOGRAM_BLOCKS ? wanted : SUBWAVE_HISTOGRAM_BLOCKS);
    return in_blocks;
}

/* The workspace of a sum of floats in each cell, in fixed point (hip/scatter_add.hip). */
static subwave_status prepare_fixed_sums(subwave_context *context,
                                         subwave_scatter_add_launch *launch)
{
    const int64_t header = COUNTERS_BYTES + RESULT_BYTES,
                  sums = 2 * (int64_t)sizeof *launch->sums * launch->cells;
    _Static_assert(RESULT_BYTES == SUBWAVE_SCATTER_HEADER * sizeof(uint32_t), "cleared together");
    void *workspace;
    SUBWAVE_TRY(subwave_workspace_get(
        context, header + sums + (int64_t)sizeof *launch->flags * launch->cells, &workspace));
    launch->greatest = (uint32_t *)((char *)workspace + COUNTERS_BYTES);
    launch->sums = (uint64_t *)((char *)workspace + header);
    launch->flags = (uint32_t *)((char *)workspace + header + sums);
    /* n of these parts stay below 2^62. */
    launch->part_bits = 62;
    while ((int64_t)1 << (62 - launch->part_bits) < launch->n)
        --launch->part_bits;
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_array_prepare_sums(subwave_context *context, subwave_dtype dtype,
                                          subwave_order order, subwave_scatter_add_launch *launch)
{
    if (launch->n == 0) /* y is only cleared */
        return SUBWAVE_STATUS_SUCCESS;
    const bool fixed = order != SUBWAVE_ORDER_ANY && subwave_class_of(dtype) == SUBWAVE_CLASS_FLOAT;
    if (fixed)
        SUBWAVE_TRY(prepare_fixed_sums(context, launch));
    const size_t size = subwave_dtype_size(dtype),
                 cell_bytes = fixed ? 2 * sizeof *launch->sums : size;
    const subwave_counting_shape shape = {.block = SUBWAVE_ARRAY_BLOCK, .blocks = 8};
    uint32_t log_copies;
    if (subwave_array_divide_for_cells(context, &shape, launch->n, size, launch->cells, cell_bytes,
                                       false, &log_copies, &launch->blocks))
        launch->copies = 1u << log_copies;
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_check_index_dtype(subwave_context *context, const char *name,
                                         const char *what, subwave_dtype dtype)
{
    if (dtype == SUBWAVE_DTYPE_I32 || dtype == SUBWAVE_DTYPE_I64)
        return SUBWAVE_STATUS_SUCCESS;
    if (!subwave_dtype_size(dtype))
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_VALUE,
                            "%s is %d, which is no subwave_dtype", name, (int)dtype);
    return subwave_fail(context, SUBWAVE_STATUS_UNSUPPORTED, "%s is %s; %s are i32 or i64", name,
                        subwave_dtype_name(dtype), what);
}

subwave_status subwave_check_offset_dtype(subwave_context *context, subwave_dtype offset_dtype)
{
    return subwave_check_index_dtype(context, "offset_dtype", "offsets", offset_dtype);
}

subwave_status subwave_check_count(subwave_context *context, const char *name, int64_t count)
{
    SUBWAVE_TRY(subwave_check_size(context, name, count));
    if (count <= INT64_MAX / 32)
        return SUBWAVE_STATUS_SUCCESS;
    return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                        "%s is %" PRId64 ": so many exceed the address space", name, count);
}

subwave_status subwave_check_stack(subwave_context *context, subwave_dtype offset_dtype,
                                   int32_t base, int64_t entries)
{
    SUBWAVE_TRY(subwave_check_offset_dtype(context, offset_dtype));
    if (base != 0 && base != 1)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_VALUE,
                            "base is %d; offsets begin at 0 or 1", (int)base);
    SUBWAVE_TRY(subwave_check_size(context, "entries", entries));
    if (entries > SUBWAVE_STACK_MOST)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                            "entries is %" PRId64 "; a stack has up to %d", entries,
                            SUBWAVE_STACK_MOST);
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_check_segments(subwave_context *context, int64_t segments, int64_t n)
{
    SUBWAVE_TRY(subwave_check_count(context, "segments", segments));
    return subwave_check_count(context, "n", n);
}

subwave_status subwave_array_prepare_segments(subwave_context *context, subwave_dtype offset_dtype,
                                              size_t size, subwave_segments *segments)
{
    const int64_t tile = (int64_t)SUBWAVE_ARRAY_BLOCK * SUBWAVE_SEGMENTED_ITEMS(size);
    subwave_tiles *const tiles = &segments->tiles;
    segments->wide = offset_dtype == SUBWAVE_DTYPE_I64;
    if (!segments->wide && tiles->n > INT32_MAX)
        tiles->n = INT32_MAX; /* they reach no further */
    tiles->all = quotient_above(tiles->n + segments->count, tile);
    void *workspace;
    SUBWAVE_TRY(subwave_workspace_get(context, segments_bytes(tiles->all), &workspace));
    const int searched = context->capabilities.shapes->segmented_searched;
    prepare_waiting(tiles, SUBWAVE_SEGMENTED_SEARCHES(size) ? searched : 0, workspace);
    segments->places = (subwave_segments_place *)((char *)workspace + scan_bytes(1, tiles->all));
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_array_finish(subwave_context *context, subwave_place place, void *result,
                                    const void *at, size_t bytes)
{
    if (place != SUBWAVE_PLACE_HOST)
        return SUBWAVE_STATUS_SUCCESS;
    SUBWAVE_TRY(
        context->backend->copy(context->state, context->stream, result, at, bytes, context->error));
    return context->backend->synchronize(context->state, context->stream, context->error);
}
