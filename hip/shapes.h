/* SPDX-License-Identifier: MIT
 * shapes.h: the tile shapes of the kernels, for each platform: plain C, read by the plans
 * (src/plan_*.c), by the kernels themselves and by the tests.
 */
#ifndef SUBWAVE_SHAPES_H
#define SUBWAVE_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
#define SUBWAVE_SHAPES inline constexpr
#ifdef __CUDACC__ /* to other compilers constexpr says that devices have it too */
#define SUBWAVE_SHAPE_FUNCTION __host__ __device__ constexpr
#else
#define SUBWAVE_SHAPE_FUNCTION constexpr
#endif
#else
#define SUBWAVE_SHAPES static const
#define SUBWAVE_SHAPE_FUNCTION static inline
#endif

/* The types that a shape of BROADCAST is built for; others would need more registers than there are,
 * or are not worth a kernel. */
typedef enum subwave_broadcast_use {
    SUBWAVE_BROADCAST_FOR_ALL,
    SUBWAVE_BROADCAST_FOR_REAL,
    SUBWAVE_BROADCAST_FOR_8_BYTES, /* and less */
    SUBWAVE_BROADCAST_FOR_F32,
} subwave_broadcast_use;

/* BROADCAST: a work-item's elements of C. `rate` is the measured speed of such a tile beside the
 * others', or 0 where plans go by counts alone. */
typedef struct subwave_broadcast_shape {
    int32_t rows, columns;
    subwave_broadcast_use use;
    int32_t rate;
    bool scalars; /* with A in scalar registers; such shapes come first */
} subwave_broadcast_shape;

/* A matrix unit: C of rows x columns, which is `columns` per lane of the wave if `per_lane`; of it
 * a work-item has item_rows x item_columns elements. */
typedef struct subwave_unit_shape {
    int32_t rows, columns;
    bool per_lane;
    int32_t item_rows, item_columns;
} subwave_unit_shape;

/* A block on the matrix unit: down x across waves, one below the other and side by side, each with
 * tall x wide tiles of the unit. `stage` steps of k are copied into shared memory at a time, which
 * holds `stages` such copies. splits_k: parts of k may be other blocks'. `share` is what the loop over
 * k reaches on a compute unit that is full of such blocks: in percent of the unit's peak if
 * shares_are_predicted, else from times, and only to compare shapes. `alone` is the same of a
 * compute unit that has one such block, which mostly waits for memory. Of the two numbers of each,
 * the first is for elements of 8 bytes and the second for those of 4; in shapes for 16 and 8 bits
 * the first is for units that are not fast, and the second for those that are (matrix16_is_fast). */
typedef struct subwave_block_shape {
    int32_t down, across, tall, wide, stage, stages;
    bool splits_k;
    int32_t share[2], alone[2];
} subwave_block_shape;

/* Blocks for f32 and f64, of which those from SUBWAVE_MATRIX_THIN on are thin. */
enum { SUBWAVE_MATRIX_THIN = 2, SUBWAVE_MATRIX_SHAPES = 7 };

/* A block that counts in shared memory: its work-items, the packs that each of them loads together,
 * and how many such blocks a compute unit has. All of them add to the same counts in device memory in
 * the end: NVIDIA does that one after the other, and so has few and large blocks. */
typedef struct subwave_counting_shape {
    int32_t block, packs, blocks;
} subwave_counting_shape;

typedef struct subwave_shapes {
    int32_t broadcast_count;
    subwave_broadcast_shape broadcast[4];
    /* of k, up to which waves of a block share it; a power of two */
    int32_t broadcast_splits;
    subwave_unit_shape matrix_unit; /* of f32 and f64 */
    /* large; small, for products with few blocks; if there, thin ones, for C of a few columns or of a
     * few rows, which one tile has all of */
    subwave_block_shape matrix[SUBWAVE_MATRIX_SHAPES];
    subwave_unit_shape matrix16_unit; /* of 16 and of 8 bits */
    /* usual; large, which load half as many operands per product, for units so fast that loading
     * would bound the former (matrix16_is_fast), and for such units also small */
    subwave_block_shape matrix16[3];
    subwave_block_shape matrix8[2]; /* the same of 8 bits: as many bytes of twice as many steps */
    /* The lowest of tests/isa/model.tsv, columns fair900 and alone900. Its test fails if the code has
     * less. */
    bool shares_are_predicted;
    /* Where k is split, each block writes its sums, and the last one reads them all. The time for it
     * follows from these numbers. */
    int32_t products[3]; /* of a compute unit per clock, of elements of 8, 4 and fewer bytes; a fast
                           * unit does twice as many of 16 bits, and four times as many of 8 */
    int32_t sum_bytes[2]; /* of a compute unit per clock: if all of them read or write; if few do */
    int32_t latency;      /* clocks until memory answers */
    /* Whether one share of k may end in a tile and go on in the next. Two blocks multiply it, for both
     * of which a compute unit should have room. */
    bool shares_cross_tiles;
    /* AUTO takes MATRIX if its blocks fill at least so many percent of the compute units: in f32 and
     * f64; in smaller elements that are copied in packs; in such as are copied one by one. (NVIDIA,
     * 16 bits: src/plan_matmul.c compares times.) */
    int32_t auto_percent[3];
    bool f64_unit_in_groups; /* SKINNY and the batched kernels use the unit for f64 */
    /* From how many rows of A on SKINNY of f32 always takes its staged tiles where it reads columns of
     * B; 0 if it has no staged tiles, in f64 neither. */
    int32_t skinny_staged;
    bool unit_in_batches; /* batched kernels use that of whole waves for all but small matrices */
    /* The staged batched kernel is compiled for as many work-items as it has, rather than for more,
     * which keeps the registers few and many blocks at work. */
    bool staged_bound_by_items;
    /* One load reads 16 bytes from any address that is aligned as an element. */
    bool loads_anywhere;
    int32_t tensor_bytes; /* of lines of a tensor that a work-item may have in registers */
    int32_t tensor_room;  /* bytes of shared memory that a block of several tensors may take */
    int32_t tensor_rows;  /* of a matrix, in a turn of a gradient's loop over them */
    /* Tensors of few points go to y by way of shared memory, in packs of 16 bytes. */
    bool tensor_packs;
    subwave_counting_shape counting;
    /* Rows of packs in a tile of a selection: of elements of fewer than 4 bytes; of others. Of large
     * tiles fewer wait for others, and more bytes are on their way; shared memory holds few of them. */
    int32_t select_rows[2];
    /* In a launch of so many tiles or more, a block first says what a later tile combines to, and then
     * works on its own, so that few tiles wait for others; 0: in none. The later tile is so many tiles
     * further on: in scans, which read it twice, the second time from a cache; in selections by flags,
     * which count its flags. */
    int32_t ahead_from, scan_ahead, select_ahead;
    /* Of arrays of at most so many tiles, a block of a segmented operation searches for the place of its
     * own tile, and no launch before does so for all. 0: of none, where the code of the search, of which
     * each type has its own, would make the library too large. */
    int32_t segmented_searched;
    /* How many elements a work-item of a segmented sum loads together, after its wave has asked which elements
     * any segment ends before: of 8 bytes; of others. 0: it looks for the ends of its own part alone. (AMD with
     * waves of 32: more would make the library too large.) */
    int32_t segmented_together[2];
    /* How many elements a work-item of a group call loads together: of 4 bytes; of others; of more than
     * 16 bytes. */
    int32_t group_batch[3];
    /* Bytes of a row of a transposed tile, which has at most 64 elements. Where matrices have rows of odd
     * lengths, longer rows of tiles have fewer ends that share lines of a cache with other tiles; AMD's
     * shared memory has room for few such tiles. */
    int32_t transpose_row;
    /* How many batches a block of a group call should have, as long as there are as many blocks as the device
     * runs at once. More than one where a block loads the next batch while it works on one. */
    int32_t group_batches;
} subwave_shapes;

/* The CPU device: rows of BROADCAST are vector registers; a block has one wave, since its waves
 * would take turns. */
SUBWAVE_SHAPES subwave_shapes subwave_shapes_cpu = {
    2,
    {{4, 8, SUBWAVE_BROADCAST_FOR_REAL, 0, false}, {4, 4, SUBWAVE_BROADCAST_FOR_ALL, 0, false}},
    1,
    {8, 2, true, 8, 2},
    {{1, 1, 2, 2, 8, 2, true, {108, 108}, {108, 108}},
     {1, 1, 1, 1, 8, 2, true, {100, 100}, {100, 100}},
     {1, 1, 3, 1, 8, 2, true, {100, 100}, {100, 100}}},
    {4, 1, true, 4, 1},
    {{1, 1, 4, 4, 8, 2, true, {100, 100}, {100, 100}}},
    {{1, 1, 4, 4, 16, 2, true, {100, 100}, {100, 100}}},
    false,
    {1, 2, 2},
    {1, 1},
    0,
    true,
    {0, 0, 0},
    false,
    17,
    false,
    false,
    true,
    128,
    20 << 10,
    1,
    true,
    {256, 2, 8},
    {4, 4},
    257,
    3,
    2,
    6,
    {15, 0},
    {4, 4, 4},
    256,
    1};

SUBWAVE_SHAPES subwave_shapes subwave_shapes_nvidia = {
    3,
    {{12, 8, SUBWAVE_BROADCAST_FOR_F32, 46, false},
     {8, 8, SUBWAVE_BROADCAST_FOR_REAL, 42, false},
     {4, 4, SUBWAVE_BROADCAST_FOR_ALL, 20, false}},
    8,
    {16, 16, false, 2, 4},
    {{2, 4, 2, 2, 16, 4, true, {90, 90}, {90, 90}},
     {2, 2, 1, 2, 16, 4, true, {84, 84}, {72, 72}},
     {4, 1, 1, 2, 16, 3, false, {88, 88}, {44, 44}},
     {1, 4, 2, 1, 16, 3, false, {88, 88}, {44, 44}},
     {4, 1, 1, 3, 16, 4, false, {88, 88}, {44, 44}},
     {1, 4, 3, 1, 16, 4, false, {88, 88}, {44, 44}},
     {2, 2, 2, 2, 8, 4, false, {81, 81}, {44, 44}}},
    {16, 16, false, 2, 4},
    {{2, 2, 4, 4, 32, 4, true, {60, 60}, {60, 60}}},
    {{2, 2, 4, 4, 64, 4, false, {100, 100}, {100, 100}}},
    false,
    {128, 128, 1024},
    {24, 64},
    1400,
    false,
    {0, 13, 40},
    true,
    9,
    false,
    false,
    false,
    256,
    40 << 10,
    2,
    true,
    {512, 4, 2},
    {4, 8},
    1025,
    64,
    128,
    255,
    {0, 0},
    {8, 4, 2},
    512,
    4};

/* AMD with waves of 64. k of BROADCAST is not split: the scalar registers would not suffice. The
 * L1 cache bounds 8 x 8 elements per lane, whose multiply-adds need all of its 64 bytes per clock,
 * and not 16 x 4, which need 32; 8 x 2 need 64, and 4 x 4 would need 128. Sums pass through the
 * last-level cache, of which a compute unit has 27 bytes per clock on gfx942 (23 on gfx90a) if all of
 * them ask, and otherwise no more than the 64 of its L1 cache. */
SUBWAVE_SHAPES subwave_shapes subwave_shapes_amd_wave64 = {
    4,
    {{16, 4, SUBWAVE_BROADCAST_FOR_8_BYTES, 0, true},
     {8, 2, SUBWAVE_BROADCAST_FOR_ALL, 0, true},
     {8, 8, SUBWAVE_BROADCAST_FOR_REAL, 0, false},
     {4, 4, SUBWAVE_BROADCAST_FOR_ALL, 0, false}},
    1,
    {32, 32, false, 8, 2},
    {{2, 2, 2, 2, 8, 2, true, {90, 94}, {82, 84}}, {2, 2, 1, 1, 8, 2, true, {89, 87}, {43, 47}}},
    {16, 16, false, 4, 1},
    {{2, 2, 4, 4, 32, 2, true, {94, 80}, {84, 62}},
     {2, 4, 8, 4, 32, 2, true, {0, 90}, {0, 90}},
     {1, 2, 4, 2, 32, 2, true, {0, 62}, {0, 22}}},
    {{2, 2, 4, 4, 64, 2, true, {95, 67}, {89, 50}}, {2, 4, 8, 4, 64, 2, true, {0, 68}, {0, 68}}},
    true,
    {128, 128, 512},
    {27, 64},
    900,
    true,
    {25, 25, 25},
    false,
    0,
    true,
    true,
    true,
    128,
    20 << 10,
    1,
    false,
    {256, 2, 8},
    {4, 4},
    0,
    0,
    0,
    255,
    {15, 15},
    {4, 4, 4},
    256,
    1};

/* AMD with waves of 32, which have no unit for f32 and f64. */
SUBWAVE_SHAPES subwave_shapes subwave_shapes_amd_wave32 = {
    4,
    {{16, 4, SUBWAVE_BROADCAST_FOR_8_BYTES, 0, true},
     {8, 2, SUBWAVE_BROADCAST_FOR_ALL, 0, true},
     {8, 8, SUBWAVE_BROADCAST_FOR_REAL, 0, false},
     {4, 4, SUBWAVE_BROADCAST_FOR_ALL, 0, false}},
    1,
    {32, 32, false, 8, 2},
    {{2, 2, 2, 2, 8, 2, true, {100, 100}, {100, 100}},
     {2, 2, 1, 1, 8, 2, true, {100, 100}, {100, 100}}},
    {16, 16, false, 8, 1},
    {{2, 4, 4, 2, 32, 2, true, {100, 100}, {100, 100}},
     {2, 4, 4, 2, 32, 2, true, {100, 100}, {100, 100}},
     {2, 4, 4, 2, 32, 2, true, {100, 100}, {100, 100}}},
    {{2, 4, 4, 2, 64, 2, true, {100, 100}, {100, 100}},
     {2, 4, 4, 2, 64, 2, true, {100, 100}, {100, 100}}},
    false,
    {128, 128, 512},
    {27, 64},
    0,
    true,
    {25, 25, 25},
    false,
    0,
    true,
    true,
    true,
    128,
    20 << 10,
    1,
    false,
    {256, 2, 8},
    {4, 4},
    0,
    0,
    0,
    0,
    {15, 5},
    {4, 4, 4},
    256,
    1};

/* The least one that is not below a number of tiles of the matrix unit. */
SUBWAVE_SHAPE_FUNCTION int32_t subwave_power_of_two(int32_t tiles)
{
    return tiles <= 1 ? 1 : 2 * subwave_power_of_two((tiles + 1) / 2);
}

SUBWAVE_SHAPE_FUNCTION bool subwave_broadcast_is_for(const subwave_broadcast_shape *shape,
                                                     int64_t element_size, bool is_complex)
{
    return shape->use == SUBWAVE_BROADCAST_FOR_ALL ||
           (shape->use == SUBWAVE_BROADCAST_FOR_8_BYTES && element_size <= 8) ||
           (shape->use == SUBWAVE_BROADCAST_FOR_REAL && !is_complex) ||
           (shape->use == SUBWAVE_BROADCAST_FOR_F32 && !is_complex && element_size == 4);
}

/* Whether BROADCAST takes the shapes with A in scalar registers, which there are no loads of 2 bytes
 * into. `packed`: 16 bytes of B's row can be loaded together. */
SUBWAVE_SHAPE_FUNCTION bool subwave_broadcast_by_scalars(const subwave_shapes *shapes,
                                                         int64_t element_size, bool packed)
{
    return shapes->broadcast[0].scalars && element_size >= 4 && packed;
}

/* --- arrays ---------------------------------------------------------------------------------- */

SUBWAVE_SHAPE_FUNCTION int32_t subwave_select_rows(const subwave_shapes *shapes, int element_size)
{
    return shapes->select_rows[element_size >= 4];
}

/* Rows and columns of a tile that is transposed. */
SUBWAVE_SHAPE_FUNCTION int32_t subwave_transpose_side(const subwave_shapes *shapes,
                                                      int element_size)
{
    const int32_t elements = shapes->transpose_row / element_size;
    return elements < 64 ? elements : 64;
}

/* --- SKINNY ---------------------------------------------------------------------------------- */

/* On the matrix unit. X(name, waves of four that share k, steps of k whose loads are under way
 * together, whether B is read by columns): several tiles per block where k is long, so that they
 * share A's elements, where tiles are many, or where k is too short to be shared; of many tiles more
 * blocks at a time, with fewer loads each. */
#define SUBWAVE_SKINNY_UNITS(X) \
    X(UNIT_ACROSS, 4, 4, false) \
    X(UNIT_ACROSS_LONG, 1, 4, false) \
    X(UNIT_ACROSS_MANY, 1, 2, false) \
    X(UNIT_DOWN, 4, 4, true) \
    X(UNIT_DOWN_MANY, 4, 2, true) \
    X(UNIT_DOWN_SHORT, 1, 2, true)

/* By way of shared memory. X(name, bytes of an element, rows and columns of a tile, those of a
 * work-item, steps of k of a stage, stages, whether B is read by columns, blocks that a compute unit
 * holds, steps of k that are worth a block of their own): wide tiles, and small ones where these are
 * few. Measured on an H200 and an H100. */
#define SUBWAVE_SKINNY_STAGES(X) \
    X(STAGED_ACROSS_32, 4, 32, 128, 8, 8, 16, 3, false, 6, 128) \
    X(STAGED_ACROSS_48, 4, 48, 128, 4, 8, 16, 3, false, 2, 128) \
    X(STAGED_ACROSS_64, 4, 64, 128, 8, 8, 16, 3, false, 3, 128) \
    X(STAGED_ACROSS_FEW, 4, 32, 32, 4, 4, 16, 4, false, 8, 64) \
    X(STAGED_DOWN_16, 4, 16, 128, 4, 4, 32, 3, true, 3, 128) \
    X(STAGED_DOWN_32, 4, 32, 128, 4, 8, 32, 2, true, 4, 128) \
    X(STAGED_DOWN_HALF, 4, 32, 64, 4, 4, 32, 2, true, 6, 128) \
    X(STAGED_DOWN_WIDE, 4, 32, 192, 8, 8, 16, 3, true, 4, 128) \
    X(STAGED_DOWN_48, 4, 48, 128, 4, 8, 16, 3, true, 2, 128) \
    X(STAGED_DOWN_64, 4, 64, 128, 8, 8, 16, 3, true, 3, 128) \
    X(STAGED_DOWN_FEW, 4, 32, 32, 4, 4, 32, 3, true, 7, 64) \
    X(STAGED_F64_ACROSS, 8, 32, 128, 4, 8, 8, 3, false, 3, 128) \
    X(STAGED_F64_ACROSS_FEW, 8, 32, 32, 4, 4, 16, 3, false, 7, 64) \
    X(STAGED_F64_DOWN, 8, 32, 128, 4, 8, 16, 2, true, 3, 128) \
    X(STAGED_F64_DOWN_FEW, 8, 32, 32, 4, 4, 16, 3, true, 7, 64)

/* How a block reads B: rows, in packs of 16 bytes per lane of the wave, or of four lanes;
 * columns; rows or columns, by way of shared memory. */
typedef enum subwave_skinny_shape {
    SUBWAVE_SKINNY_ACROSS = 1,
    SUBWAVE_SKINNY_NARROW,
    SUBWAVE_SKINNY_DOWN,
#define SUBWAVE_X(name, ...) SUBWAVE_SKINNY_##name,
    SUBWAVE_SKINNY_STAGES(SUBWAVE_X) SUBWAVE_SKINNY_UNITS(SUBWAVE_X)
#undef SUBWAVE_X
        SUBWAVE_SKINNY_SHAPES
} subwave_skinny_shape;

enum {
    SUBWAVE_SKINNY_BLOCK = 256,
    SUBWAVE_SKINNY_UNIT_BLOCK = 128,
    SUBWAVE_SKINNY_UNIT_ROWS = 16, /* and columns per wave */
    SUBWAVE_SKINNY_UNIT_DEPTH = 8, /* of a step */
    SUBWAVE_SKINNY_CPU_WAVES = 2,
    SUBWAVE_SKINNY_DOTS = 4,       /* a wave's columns of B, where A has one row */
    SUBWAVE_SKINNY_DOTS_STEPS = 2, /* packs of each that are under way together */
    SUBWAVE_SKINNY_NARROW_LANES = 4,
    SUBWAVE_SKINNY_ROUND = 8,    /* rows whose sums are in shared memory at a time */
    SUBWAVE_SKINNY_TILES = 1024, /* up to which several blocks share one */
    /* Rows of DOWN's tile whose k all waves of a block always share where a load reads any 16 bytes:
     * with a stride known to the compiler, its main loop is predicted a fifth faster on gfx90a. */
    SUBWAVE_SKINNY_ALL_SHARE = 16,
};

SUBWAVE_SHAPE_FUNCTION bool subwave_skinny_is_staged(subwave_skinny_shape shape)
{
    return shape > SUBWAVE_SKINNY_DOWN && shape < SUBWAVE_SKINNY_UNIT_ACROSS;
}

/* Whether DOWN has a kernel with so many rows: not in f32 if staged tiles always take its place. */
SUBWAVE_SHAPE_FUNCTION bool subwave_skinny_has_down(const subwave_shapes *shapes, int32_t rows,
                                                    int32_t element_size)
{
    return element_size > 4 || !shapes->skinny_staged || rows < shapes->skinny_staged;
}

/* Packs of B that a lane loads together. Of NARROW the lanes have many steps of k at once, whose elements
 * of A take shared memory; of DOWN those of a column are loaded by neighbouring lanes, of which the
 * smallest wave has four, and 8 packs for 16 rows of f32 would take more registers than there are. */
SUBWAVE_SHAPE_FUNCTION int32_t subwave_skinny_steps(int32_t rows, int32_t element_size,
                                                    subwave_skinny_shape shape)
{
    if (shape == SUBWAVE_SKINNY_NARROW)
        return rows * element_size > 128 ? 1 : rows * element_size > 64 ? 2 : 4;
    return shape == SUBWAVE_SKINNY_DOWN && (element_size > 8 || rows / element_size > 2) ? 4 : 8;
}

/* Elements of shared memory from a step of A to the next, and from a step or column of B, such that
 * lanes find them in different banks; and of a stage. */
SUBWAVE_SHAPE_FUNCTION int32_t subwave_skinny_a_pitch(int32_t rows) { return rows + 8; }
SUBWAVE_SHAPE_FUNCTION int32_t subwave_skinny_b_pitch(int32_t columns, int32_t steps, bool down)
{
    return down ? steps + 4 : columns;
}
SUBWAVE_SHAPE_FUNCTION int32_t subwave_skinny_stage(int32_t rows, int32_t columns, int32_t steps,
                                                    bool down)
{
    return steps * subwave_skinny_a_pitch(rows) +
           (down ? columns : steps) * subwave_skinny_b_pitch(columns, steps, down);
}

/* --- batches --------------------------------------------------------------------------------- */

/* The tiles of C that groups compute, smallest first. X(name, what it is built and best for, size,
 * lanes, across, steps of k at a time for 4-, 8- and 16-byte elements): across x across groups of
 * `lanes` compute size x size elements each, with A and B in shared memory; or 0, one group in
 * registers. */
#define SUBWAVE_MATMUL_BATCHED_TILES(X) \
    X(2, ALL, 2, 2, 0, 2, 2, 2) \
    X(4, ALL, 4, 4, 0, 4, 4, 4) \
    X(8, ALL, 8, 8, 0, 8, 8, 8) \
    X(12, ALL, 12, 16, 0, 12, 12, 12) \
    X(16, BROADCAST, 16, 16, 0, 16, 16, 0) \
    X(16_UNIT, MATRIX_UNIT, 16, 32, 0, 0, 16, 0) \
    X(16_COMPLEX, COMPLEX, 16, 32, 1, 0, 16, 16) \
    X(24, ALL, 24, 32, 1, 24, 24, 8) \
    X(32, REAL, 32, 32, 1, 32, 16, 0) \
    X(32_COMPLEX, COMPLEX, 16, 32, 2, 0, 32, 16) \
    X(48, ALL, 24, 32, 2, 48, 48, 16) \
    X(64, REAL, 32, 32, 2, 64, 32, 0) \
    X(64_COMPLEX, COMPLEX, 16, 32, 4, 0, 32, 16)

/* Whether a stack of products has a kernel for a tile: its groups, and teams of a group, do not wait
 * for others, whose lists are of other lengths. Few shapes, since they are built for each. */
SUBWAVE_SHAPE_FUNCTION bool subwave_stacked_fits(int32_t size, int32_t across)
{
    return across <= 1 && size >= 4 && size != 12;
}

/* Whether there is a kernel for problems of any sizes by a tile, where waves have `wave` lanes or
 * more: few, since one is planned for each class of sizes; a small one where waves have 4 lanes. */
SUBWAVE_SHAPE_FUNCTION bool subwave_grouped_fits(int32_t wave, int32_t size, int32_t across)
{
    return wave < 8 && size == 4
               ? true
               : size >= 8 && size != 12 && (size != 24 || across == 2) && across <= 2;
}

/* Dense matrices of f64 on the matrix unit: X(side, size, across) */
#define SUBWAVE_MATMUL_BATCHED_DENSE(X) \
    X(24, 24, 1) \
    X(32, 32, 1) \
    X(48, 24, 2) \
    X(64, 32, 2)

typedef enum subwave_matmul_batched_tile {
#define SUBWAVE_X(name, ...) SUBWAVE_MATMUL_BATCHED_##name,
    SUBWAVE_MATMUL_BATCHED_TILES(SUBWAVE_X)
#undef SUBWAVE_X
    /* Not of groups: a lane has 3 x 3 or 4 x 4 elements of C, the lanes of an entry all of it, a
     * block several entries in shared memory. */
    SUBWAVE_MATMUL_BATCHED_CELLS_3,
    SUBWAVE_MATMUL_BATCHED_CELLS_4,
    SUBWAVE_MATMUL_BATCHED_UNIT, /* a wave has a tile of C */
#define SUBWAVE_X(side, ...) SUBWAVE_MATMUL_BATCHED_DENSE_##side,
    SUBWAVE_MATMUL_BATCHED_DENSE(SUBWAVE_X)
#undef SUBWAVE_X
} subwave_matmul_batched_tile;

/* What a tile is for, in the order of the list above. */
typedef enum subwave_matmul_batched_use {
    SUBWAVE_MATMUL_BATCHED_FOR_ALL,
    SUBWAVE_MATMUL_BATCHED_FOR_REAL,
    SUBWAVE_MATMUL_BATCHED_FOR_COMPLEX,
    /* real types that the platform's groups have one for: f64 */
    SUBWAVE_MATMUL_BATCHED_FOR_MATRIX_UNIT,
    SUBWAVE_MATMUL_BATCHED_FOR_BROADCAST, /* the other real ones */
} subwave_matmul_batched_use;

enum {
    SUBWAVE_MATMUL_BATCHED_BLOCK = 128,
    SUBWAVE_MATMUL_BATCHED_UNIT_SIDE = 32,
    SUBWAVE_MATMUL_BATCHED_MOST = 32768, /* m, n and k */
};

/* --- tensor products -------------------------------------------------------------------------- */

/* Lines of `points` elements that a work-item has in registers: a multiplication by each follows one
 * read of a coefficient from shared memory. */
SUBWAVE_SHAPE_FUNCTION int32_t subwave_tensor_width(int32_t tensor_bytes, int32_t element_size,
                                                    int32_t points)
{
    return 4 * points * element_size <= tensor_bytes ? 4 : 2;
}

/* Elements of such a line that are loaded together where loads have to be aligned: as many as lines of
 * `points` elements, one after another, are all aligned to. */
SUBWAVE_SHAPE_FUNCTION int32_t subwave_tensor_pack(int32_t element_size, int32_t points)
{
    int32_t pack = 16 / element_size;
    while (points % pack != 0)
        pack /= 2;
    return pack;
}

/* Whether there is a kernel for a tile on an architecture whose lanes may be left with few
 * registers. */
SUBWAVE_SHAPE_FUNCTION bool subwave_batched_fits(bool few_registers, int32_t size, int32_t items)
{
    return !few_registers || (size < 32 && items <= 256);
}

#endif
