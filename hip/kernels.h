/* SPDX-License-Identifier: MIT
 * kernels.h: what the host library and the kernel files agree on: a struct of arguments an
 * operation, and the launchers' names. Plain C, and C++ for the kernel files.
 */
#ifndef SUBWAVE_KERNELS_H
#define SUBWAVE_KERNELS_H

#include <subwave/types.h>

#include "kernels.def"
#include "shapes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where arithmetic of 32 bits ends and several grids begin. A build of the tests has them end at
 * once, so that what is written for huge arrays is executed with small ones. */
#ifdef SUBWAVE_SMALL_LIMITS
enum { SUBWAVE_MOST_BLOCKS = 3, SUBWAVE_MOST_BATCHED_BLOCKS = 3 };
#define SUBWAVE_MOST_TILES_IN_32_BITS 0
#else
enum { SUBWAVE_MOST_BLOCKS = 0x7fffffff };
enum { SUBWAVE_MOST_BATCHED_BLOCKS = 1 << 24 }; /* a grid on AMD has fewer than 2^32 work-items */
#define SUBWAVE_MOST_TILES_IN_32_BITS 0xffffffff
#endif

/* A launcher each; of a product, a variant each. */
typedef enum subwave_operation {
    SUBWAVE_OPERATION_matmul_naive = 1,
    SUBWAVE_OPERATION_matmul_local,
    SUBWAVE_OPERATION_matmul_tutorial,
    SUBWAVE_OPERATION_matmul_broadcast,
    SUBWAVE_OPERATION_matmul_matrix,
    SUBWAVE_OPERATION_matmul_skinny,
    SUBWAVE_OPERATION_matmul_batched,
    SUBWAVE_OPERATION_group_reduce,
    SUBWAVE_OPERATION_group_scan,
    SUBWAVE_OPERATION_group_move,
    SUBWAVE_OPERATION_group_vote,
    SUBWAVE_OPERATION_group_info,
    SUBWAVE_OPERATION_reduce,
    SUBWAVE_OPERATION_scan,
    SUBWAVE_OPERATION_dot,
    SUBWAVE_OPERATION_norm2,
    SUBWAVE_OPERATION_minmax_index,
    SUBWAVE_OPERATION_transpose,
    SUBWAVE_OPERATION_row_reduce,
    SUBWAVE_OPERATION_select,
    SUBWAVE_OPERATION_histogram,
    SUBWAVE_OPERATION_segmented_reduce,
    SUBWAVE_OPERATION_row_scan,
    SUBWAVE_OPERATION_row_minmax_index,
    SUBWAVE_OPERATION_segmented_scan,
    SUBWAVE_OPERATION_scatter_add,
    SUBWAVE_OPERATION_fill,
    SUBWAVE_OPERATION_stack,
    SUBWAVE_OPERATION_matmul_stacked,
    SUBWAVE_OPERATION_transpose_stacked,
    SUBWAVE_OPERATION_grouped,
    SUBWAVE_OPERATION_matmul_grouped,
    SUBWAVE_OPERATION_tensor,
    SUBWAVE_OPERATION_real_form,
} subwave_operation;

/* C = alpha A B + beta C; element (i, j) of A is a[i * a_row + j * a_column], or its conjugate, of B
 * and C likewise. */
typedef struct subwave_matmul_product {
    int64_t m, n, k;
    const void *a, *b;
    void *c;
    int64_t a_row, a_column, b_row, b_column, c_row, c_column;
    double alpha[2], beta[2]; /* the parts of either; they hold every value of the types of sums */
    int32_t conjugate_a, conjugate_b; /* only of complex types */
    int32_t transposed;               /* it is the transpose of the caller's */
} subwave_matmul_product;

/* Which kernel computes it, and its grid. */
typedef struct subwave_matmul_kernel {
    subwave_variant variant;
    subwave_operation operation;
    int32_t item_rows, item_columns;   /* elements of C that a work-item computes at a time */
    int32_t tile_rows, tile_columns;   /* and a block */
    uint32_t blocks, block_x, block_y; /* BROADCAST: block_y parts of k, a power of two */
    uint32_t shared_bytes;
    int32_t parts; /* of k, each of a block */
    int64_t workspace_bytes;
    /* The share of the unit's peak, in percent, that is predicted of a compute unit full of such
     * blocks, and of a compute unit with one of them; 0: not predicted */
    int32_t share, alone;
    /* MATRIX: how many tiles a full compute unit would compute in the time; writing and reading the
     * sums of parts is included */
    double rounds;
    /* what the plan expects it to take, only to be compared with the variant's other kernels for the
     * product; 0: the plan goes by rules */
    double time;
    /* 16 bytes can be loaded together: BROADCAST, of a row of B; SKINNY, of a row or column of B;
     * MATRIX of 16 bits, of A and of B along either. */
    int32_t packed;
    union {
        struct {
            int32_t shape; /* its number in hip/shapes.h */
            /* Each of the first `tiles` tiles is computed by one block. The k of the next `shared`
             * tiles, `stages` stages per tile, is split into `shares`, each of which is computed by
             * one block or two (hip/matmul_matrix_parts.hpp). */
            uint32_t tiles, stages, shares, shared;
            uint32_t band; /* rows of tiles, whose blocks follow one another */
        } matrix;
        struct {
            subwave_skinny_shape shape;
            int32_t along;  /* waves of a block that share its part of k */
            uint32_t tiles; /* of C */
            int64_t part;   /* steps of k of a part */
        } skinny;
    } of;
} subwave_matmul_kernel;

/* A workspace begins with so many 32-bit zeros, which a kernel may count with and leaves as
 * zeros. */
enum { SUBWAVE_WORKSPACE_COUNTERS = SUBWAVE_SKINNY_TILES };

/* Workspace: a counter per tile, and the sums of parts of k. */
typedef struct subwave_matmul_launch {
    subwave_matmul_product product;
    subwave_matmul_kernel kernel;
    void *workspace;
} subwave_matmul_launch;
typedef subwave_matmul_launch subwave_matmul_naive_launch, subwave_matmul_local_launch,
    subwave_matmul_tutorial_launch, subwave_matmul_broadcast_launch, subwave_matmul_matrix_launch,
    subwave_matmul_skinny_launch;

/* Writes two lines for each line x of complex numbers: v and i v, or v and -i v, with v = alpha x or
 * v = alpha conj(x). */
enum {
    SUBWAVE_REAL_FORM_BLOCK = 256,
#ifdef SUBWAVE_SMALL_LIMITS
    SUBWAVE_REAL_FORM_BLOCKS = 3,
#else
    SUBWAVE_REAL_FORM_BLOCKS = 1 << 12, /* at most: blocks go over the lines */
#endif
};
typedef struct subwave_real_form_launch {
    int64_t lines, length;
    int64_t ldx, ldy; /* from line to line */
    const void *x;
    void *y;
    double alpha[2];
    int32_t conjugate, minus;
    uint32_t tiles_of_line, tiles; /* of SUBWAVE_REAL_FORM_BLOCK numbers of a line */
    uint32_t blocks;
} subwave_real_form_launch;

/* Element (i, j) of a batch entry's matrix is x[i * ld + j], or x[i + j * ld] if transposed; x is
 * array[entry], in device memory, or first + entry * stride. */
typedef struct subwave_matmul_batched_operand {
    const void *array;
    const void *first;
    int64_t stride, ld;
    int32_t transposed, conjugate;
    /* CELLS and DENSE, in elements: where it begins in shared memory (DENSE: a alone), and the part
     * of one entry. */
    int32_t local_at, local_size;
} subwave_matmul_batched_operand;

/* A number, and what to multiply by to divide by it. */
typedef struct subwave_divisor {
    uint32_t number, reciprocal;
} subwave_divisor;
/* For `quotient` of divisor.hpp. */
SUBWAVE_SHAPE_FUNCTION subwave_divisor subwave_divisor_of(int32_t number)
{
    const subwave_divisor divisor = {(uint32_t)number, (1u << 20) / (uint32_t)number + 1};
    return divisor;
}

/* C = alpha A B + beta C for `batch` entries; C is not transposed. */
typedef struct subwave_matmul_batched_launch {
    int32_t m, n, k;
    int64_t batch;
    subwave_matmul_batched_operand a, b, c;
    unsigned char alpha[16], beta[16]; /* elements */
    subwave_matmul_batched_tile tile;
    int32_t down, across; /* tiles of C */
    int32_t entries;      /* CELLS: of a block; */
    int32_t lane_rows;    /* the grid of the lanes of an entry */
    subwave_divisor lane_columns, lanes;
    uint32_t block, shared_bytes; /* the latter CELLS and DENSE */
    int64_t blocks, first_block;  /* the launcher starts at 0 */
} subwave_matmul_batched_launch;

/* Offsets of 32 or 64 bits in device memory; `base` is that of a first element. */
typedef struct subwave_offsets {
    const void *first;
    int64_t base;
    int32_t wide; /* 64 bits */
} subwave_offsets;

/* The entries of a stack of products, sorted by their C (hip/stack.hip): those of the same C form a
 * list, in the order of the stack. Offsets 3 e, 3 e + 1 and 3 e + 2 are of entry e's A, B and C. */
typedef struct subwave_stack_term {
    int64_t a, b; /* offsets, from 0 */
} subwave_stack_term;
typedef struct subwave_stack_list {
    int64_t c;
    uint32_t first, count; /* its terms */
} subwave_stack_list;
enum {
    SUBWAVE_STACK_BLOCK = 256,
    SUBWAVE_STACK_MOST = 1 << 28, /* entries */
#ifdef SUBWAVE_SMALL_LIMITS
    SUBWAVE_STACK_ONE_BLOCK = 8,
    SUBWAVE_STACK_BLOCKS = 3,
#else
    SUBWAVE_STACK_ONE_BLOCK = 4 * SUBWAVE_STACK_BLOCK, /* entries up to which one block sorts all */
    SUBWAVE_STACK_BLOCKS = 1 << 12,                    /* at most: blocks go over the entries */
#endif
};
typedef struct subwave_stack_launch {
    subwave_offsets offsets;
    int32_t swapped; /* what the product calls its A is the entry's B */
    int32_t log_slots;
    uint32_t entries, blocks;
    uint32_t *taken; /* of the lists and of the terms, how many have a place */
    /* A hash table of the lists, half of which stays empty at least. */
    subwave_stack_list *slots;
    uint32_t *slot,
        *place;      /* of an entry: its list's slot; its place in the list, not yet in order */
    uint32_t *entry; /* in such a place */
    subwave_stack_list *lists;
    subwave_stack_term *terms;
} subwave_stack_launch;

/* C += the products of each list, by one of the kernels of batches. The operands' stride is 1: they
 * are found by their offsets. */
typedef struct subwave_matmul_stacked_launch {
    subwave_matmul_batched_launch product;
    const uint32_t *count; /* of the lists */
    const subwave_stack_list *lists;
    const subwave_stack_term *terms;
} subwave_matmul_stacked_launch;

/* Products of any sizes: of problem i, sizes and leading dimensions are the i-th numbers of arrays
 * in device memory, and the matrices' addresses likewise. */
enum {
    SUBWAVE_GROUPED_RUN = 256,           /* problems that a block measures together */
    SUBWAVE_GROUPED_CLASSES = 4,         /* at most */
    SUBWAVE_GROUPED_MOST = 1 << 28,      /* problems */
    SUBWAVE_GROUPED_MOST_SIZE = 1 << 30, /* m, n and k */
#ifdef SUBWAVE_SMALL_LIMITS
    SUBWAVE_GROUPED_BLOCKS = 3,
#else
    SUBWAVE_GROUPED_BLOCKS = 1 << 12, /* at most, that measure */
#endif
};
typedef struct subwave_grouped_operand {
    const void *const *matrices;
    const int64_t *lds;
    int32_t transposed;
} subwave_grouped_operand;

/* hip/grouped.hip measures the problems. A class of them has a kernel: a problem is of the first
 * class whose tiles hold its C, or of the last one. What a problem has to do is counted in units of
 * work, tile by tile; those of a class are numbered through. */
typedef struct subwave_grouped_launch {
    const int64_t *m, *n, *k;
    subwave_grouped_operand a, b, c;
    uint32_t count, runs, blocks;
    int32_t multiplies; /* A and B are read */
    int32_t classes, sides[SUBWAVE_GROUPED_CLASSES];
    /* Class by class: of each problem the units before it in its run, of each run those before it,
     * of all. */
    uint64_t *in_run, *before_run, *total;
} subwave_grouped_launch;

/* The problems of one class, by one of the kernels of batches; the operands of `product` are filled
 * for each. */
typedef struct subwave_matmul_grouped_launch {
    subwave_matmul_batched_launch product;
    subwave_grouped_launch problems;
    int32_t number; /* of the class */
} subwave_matmul_grouped_launch;

/* Element i belongs to work-item i: blocks of block[0] x block[1] x block[2], `count` of them. The grid
 * walks over them, a batch at a time, whose elements are loaded together: `batch` of them, unless the
 * kernel has registers for fewer. */
typedef struct subwave_group_shape {
    subwave_group group;
    int64_t count;
    int32_t batch;
    uint32_t blocks;
} subwave_group_shape;

typedef struct subwave_group_reduce_launch {
    subwave_group_shape shape;
    subwave_op op;
    const void *x;
    void *y;
    int32_t has_init;
    unsigned char init[16];
    uint64_t flip; /* the launcher's: bits of integers to invert before and after */
} subwave_group_reduce_launch;

typedef struct subwave_group_scan_launch {
    subwave_group_reduce_launch reduce;
    subwave_scan_kind scan;
} subwave_group_scan_launch;

typedef enum subwave_move {
    SUBWAVE_MOVE_BROADCAST,
    SUBWAVE_MOVE_SHIFT_LEFT,
    SUBWAVE_MOVE_SHIFT_RIGHT,
    SUBWAVE_MOVE_PERMUTE,
    SUBWAVE_MOVE_SELECT,
} subwave_move;

typedef struct subwave_group_move_launch {
    subwave_group_shape shape;
    subwave_move move;
    uint32_t amount;    /* local id, delta or mask */
    const uint32_t *id; /* SELECT: a local id an element */
    const void *x;
    void *y;
} subwave_group_move_launch;

typedef struct subwave_group_vote_launch {
    subwave_group_shape shape;
    subwave_vote vote;
    const uint8_t *x;
    uint8_t *y;
} subwave_group_vote_launch;

typedef struct subwave_group_info_launch {
    subwave_group_shape shape;
    subwave_group_item *item;
} subwave_group_info_launch;

/* An array of n elements as the blocks of a grid divide it among themselves (hip/array.hpp): a tile
 * of `rows` rows per block. */
enum {
    SUBWAVE_ARRAY_BLOCK = 256,
    SUBWAVE_ARRAY_ROWS = 4,     /* that a block loads together; a tile has a multiple of these */
    SUBWAVE_ARRAY_TILES = 1024, /* at most */
};
typedef struct subwave_array {
    int64_t n, rows;
    uint32_t tiles;
    uint32_t *counter; /* of the blocks that have finished: 0 before and after */
    void *results;     /* of the tiles */
} subwave_array;

typedef struct subwave_reduce_launch {
    subwave_array array;
    subwave_op op;
    const void *x;
    void *result; /* of `rows` arrays, which begin ldx elements apart, neighbours in memory */
    int64_t ldx;
    uint32_t rows;
    int32_t has_init, to_truth; /* to_truth: the result becomes 1, unless it is 0 */
    unsigned char init[16];
} subwave_reduce_launch;

/* Of rows of a matrix: blocks that work on rows of at most a tile; tiles of a launch that divides rows
 * into tiles, whose grid may have so many lines of blocks. */
enum {
#ifdef SUBWAVE_SMALL_LIMITS
    SUBWAVE_ROW_BLOCKS = 3,
    SUBWAVE_ROW_TILES = SUBWAVE_ARRAY_TILES,
#else
    SUBWAVE_ROW_BLOCKS = 1 << 22, /* a grid on AMD has fewer than 2^32 work-items */
    SUBWAVE_ROW_TILES = 0xffff,
#endif
    SUBWAVE_ROW_WAVE_TILES = 2, /* of a row that is the work of a wave, at most */
};

/* Rows of a matrix, ldx elements apart (hip/rows.hpp): `packs` of 16 bytes and `after` elements after
 * them, in `tiles` tiles. A work-item takes at most 1 << log_packs packs of a tile; a row needs the
 * first 1 << log_items work-items. */
typedef struct subwave_rows {
    int64_t rows, length, ldx;
    uint32_t packs, after, tiles, log_packs, log_items, blocks;
} subwave_rows;

typedef struct subwave_row_reduce_launch {
    subwave_rows rows;
    subwave_op op;
    const void *x;
    void *y;
    int32_t to_truth; /* as in a reduction */
    uint64_t flip;    /* the launcher's: bits of elements and results to invert */
} subwave_row_reduce_launch;

/* An element becomes a key, without a sign, of which the least is wanted: the bits of `flip` are
 * inverted, then those of `negative` if its sign is set, and `offset` is added. Of floats NaNs alone, and
 * of integers none but the last in order, have keys of `most` or more. */
typedef struct subwave_row_minmax_index_launch {
    int64_t rows, length, ldx;
    /* A row has `packs` of 16 bytes and `after` elements after them. 1 << log_lanes lanes work on it, each
     * of which loads 1 << log_turns packs together, `steps` times. */
    uint32_t packs, after, log_lanes, log_turns, steps;
    uint32_t blocks;
    const void *x;
    void *values;
    int64_t *indices;
    uint64_t flip, negative, offset, most;
    uint64_t nothing; /* the bits of the value of a row without elements */
} subwave_row_minmax_index_launch;

typedef struct subwave_dot_launch {
    subwave_array array;
    int32_t conjugate; /* x */
    const void *x, *y;
    void *result;
} subwave_dot_launch;

typedef struct subwave_norm2_launch {
    subwave_array array;
    const void *x;
    void *result;
} subwave_norm2_launch;

typedef struct subwave_minmax_index_launch {
    subwave_array array;
    subwave_op op; /* MINIMUM or MAXIMUM */
    const void *x;
    void *value; /* of `rows` arrays, as in a reduction */
    int64_t *index;
    int64_t ldx;
    uint32_t rows;
    uint64_t flip; /* the launcher's: bits of a number to invert, so that the least one is wanted */
} subwave_minmax_index_launch;

/* Elements of a scan's pack, which a work-item has in one row: 16 bytes of them, but at least four, since
 * most of what a scan does is done once per pack. A tile has so many rows, and so many elements: the more
 * bytes tiles have, the more are on their way from memory while tiles wait for others; rows of small
 * elements take more registers. */
#define SUBWAVE_SCAN_PACK(size) ((size) < 8 ? 16 / (int)(size) : 4)
#define SUBWAVE_SCAN_ROWS(size) ((size) == 4 ? 2 * SUBWAVE_ARRAY_ROWS : SUBWAVE_ARRAY_ROWS)
#define SUBWAVE_SCAN_TILE(size) \
    (SUBWAVE_SCAN_ROWS(size) * SUBWAVE_ARRAY_BLOCK * SUBWAVE_SCAN_PACK(size))
/* Tiles are scanned in runs of so many packs, and form groups (hip/scan.hip). */
enum {
    SUBWAVE_SCAN_RUN = 32,
    SUBWAVE_SCAN_GROUP = SUBWAVE_ARRAY_BLOCK,
#ifdef SUBWAVE_SMALL_LIMITS
    SUBWAVE_SCAN_TILES = 2 * SUBWAVE_SCAN_GROUP,
#else
    SUBWAVE_SCAN_TILES = 1 << 16, /* per launch; whole groups */
#endif
};
/* Words of 64 bits that tiles wait for: two of each tile and two of each group. */
#define SUBWAVE_SCAN_STATES(tiles) (2 * ((tiles) + (tiles) / SUBWAVE_SCAN_GROUP + 1))
/* An array whose tiles wait for those before them (hip/look_back.hpp): a block per tile, in several
 * launches if there are many. */
typedef struct subwave_tiles {
    int64_t n, all;    /* elements; tiles */
    uint32_t *counter; /* of the tiles that have begun: 0 before and after */
    uint64_t *carry;   /* two, each the value of what a launch has before it */
    uint64_t *states;
    /* The states follow a second counter, of the tiles that are done, and all are zeros before and
     * after. Otherwise another launch clears the states first. */
    int32_t leaves_zeros;
    int64_t first; /* of the launch, which has `count`; the launcher sets them */
    uint32_t count;
} subwave_tiles;

typedef struct subwave_scan_launch {
    subwave_tiles tiles; /* of a row */
    subwave_op op;
    subwave_scan_kind scan;
    const void *x;
    void *y;
    int64_t ldx, ldy;           /* elements from row to row */
    uint32_t rows;              /* several only if one launch has all their tiles */
    int32_t has_init, to_truth; /* to_truth: a result becomes 1, unless it is 0 */
    unsigned char init[16];
} subwave_scan_launch;

/* Rows of at most 16 KiB, in a scan's packs, the last of which may be shorter; a row needs the first
 * 1 << log_packs of as many lanes. */
/* Packs that a lane loads together, of one row or of several. */
#define SUBWAVE_ROW_SCAN_LOADS(size) (64 / (SUBWAVE_SCAN_PACK(size) * (int)(size)))
typedef struct subwave_row_scan_launch {
    int64_t rows, length, ldx, ldy;
    uint32_t packs, log_packs, blocks;
    subwave_op op;
    subwave_scan_kind scan;
    const void *x;
    void *y;
    int32_t to_truth; /* as in a scan */
    uint64_t flip;    /* the launcher's: bits of elements and results to invert */
} subwave_row_scan_launch;

/* The elements of x that a predicate selects, in order, and the others. */
typedef enum subwave_select_predicate {
    SUBWAVE_SELECT_FLAGS,    /* the element's flag is not 0 */
    SUBWAVE_SELECT_INTERVAL, /* it lies in an interval */
    SUBWAVE_SELECT_UNEQUAL,  /* it differs from the one before it; the first one too */
} subwave_select_predicate;
typedef struct subwave_select_launch {
    subwave_tiles tiles;
    subwave_select_predicate predicate;
    const uint8_t *flags; /* or null */
    const void *x;
    void *y, *rest; /* rest: of the others, or null */
    int64_t *count; /* of the selected */
    /* Elements are appended to the *count that y has, which then are more; what is beyond its
     * capacity is counted only. There is no rest, and the tiles have no workspace. */
    int32_t appends;
    int32_t packed; /* the launcher's: 16 bytes can be loaded together */
    int64_t capacity;
    /* INTERVAL. The bits of a number, those of `negative` inverted if its sign is set and then those
     * of `flip`, are ordered as the numbers are; they lie at most `span` above `least`, or not. */
    uint64_t negative, flip, least, span;
    int32_t outside;
    /* UNEQUAL. How many parts an element has, if it is a float: 1, or 2 if it is complex; 0 if it is
     * an integer. If floats have 16 bits, the bits of infinity. */
    int32_t parts;
    uint32_t infinity;
} subwave_select_launch;

/* Bins that elements are in: equally wide, unless there are boundaries. */
typedef struct subwave_bins {
    const void *boundaries;     /* count + 1, or null */
    double lower, beyond, step; /* beyond: the number after the upper end; step: a bin's width */
    /* An element x is in bin x * scale + offset - 1, rounded down, unless this number is above an
     * integer by less than the doubt: then it may be in the bin below. */
    double scale, offset, doubt;
    int32_t count;
} subwave_bins;
/* With a doubt of this or more every element is searched for. */
#define SUBWAVE_HISTOGRAM_DOUBT 0.5

/* A block has `counters` in its shared memory, one of each bin, or of each value of 8 bits, and 2^log_copies
 * copies of them; with 0 counters it counts in device memory. */
enum {
    SUBWAVE_HISTOGRAM_COUNTERS = 8192, /* in shared memory, at most */
    SUBWAVE_HISTOGRAM_LOG_COPIES = 5,  /* of each, at most */
#ifdef SUBWAVE_SMALL_LIMITS
    SUBWAVE_HISTOGRAM_BLOCKS = 3,
#else
    SUBWAVE_HISTOGRAM_BLOCKS = 1 << 16, /* at most */
#endif
};
typedef struct subwave_histogram_launch {
    int64_t n;
    const void *x;
    subwave_bins bins;
    int64_t *counts;
    uint32_t counters, log_copies, blocks;
} subwave_histogram_launch;

/* y[indices[i]] += values[i] for n elements; what has an index outside of the `cells` of y is left
 * out. If there are bins, y is cleared first, and an element's cell is the bin that x[i] is in. Sums
 * are as many copies in a block's shared memory, and then added to those in device memory; with 0
 * copies there at once. */
enum { SUBWAVE_SCATTER_HEADER = 64 /* words of 32 bits before the sums, of which one is used */ };
typedef struct subwave_scatter_add_launch {
    int64_t n, cells;
    const void *indices, *values; /* indices: of 64 bits if wide, otherwise of 32; or x */
    void *y;
    int32_t wide;
    uint32_t copies, blocks;
    /* Of floats in fixed point (hip/scatter_add.hip): of how many bits a part is; the workspace, which
     * has the greatest exponent, two sums of each cell, and a word of flags of each cell. 0: floats are
     * added as they are. */
    int32_t part_bits;
    uint32_t *greatest;
    uint64_t *sums;
    uint32_t *flags;
    subwave_bins bins; /* as many as cells, or 0: there are indices */
} subwave_scatter_add_launch;

/* A place among the items: how many segments end before it, the next element, and the tile in which the
 * segment begins that is open there, counted from the launch's first one; or, if no item follows, a
 * tile behind all of the launch. */
typedef struct subwave_segments_place {
    int64_t ended, element, began;
} subwave_segments_place;
/* `count` segments of an array, of which segment s has the elements from offsets[s] up to
 * offsets[s + 1]. Elements and ends of segments are the items of which a tile has a constant number
 * (hip/segmented.hpp). */
typedef struct subwave_segments {
    subwave_tiles tiles; /* as many as if all elements belonged to segments */
    int64_t count;
    const void *offsets; /* of 64 bits if wide, otherwise of 32 */
    int32_t wide;
    /* Where each tile of a launch begins, and the last ends. If tiles.leaves_zeros, its block finds out. */
    struct subwave_segments_place *places;
} subwave_segments;
/* Of a work-item: as many as let two blocks share the 64 KiB of a compute unit of gfx9, since most of what a work-item
 * does is the same for any number of them; odd, so that the work-items' items lie in different banks of shared memory. */
#define SUBWAVE_SEGMENTED_ITEMS(size) ((size) == 8 ? 15 : (size) == 4 ? 29 : 59)
/* Whether blocks search for their tiles' places, if the device's do (hip/shapes.h). */
#define SUBWAVE_SEGMENTED_SEARCHES(size) ((size) >= 4)

typedef struct subwave_segmented_reduce_launch {
    subwave_segments segments;
    subwave_op op;
    const void *x;
    void *y;
    uint64_t flip;    /* the launcher's: bits of elements and results to invert */
    int32_t to_truth; /* a result becomes 1, unless it is 0 */
} subwave_segmented_reduce_launch;

typedef struct subwave_segmented_scan_launch {
    subwave_segments segments;
    subwave_op op;
    subwave_scan_kind scan;
    const void *x;
    void *y;
    uint64_t kept, flip,
        truth; /* the launcher's: bits of elements to keep, of elements and results to
                                 * invert; what a result becomes, unless it is 0, or 0 */
} subwave_segmented_scan_launch;

/* y = the transpose of x, m x n elements whose rows are ldx apart, for `batch` of them. Blocks go over
 * `down` x `across` tiles of each. */
enum {
    SUBWAVE_TRANSPOSE_BLOCK = 256,
#ifdef SUBWAVE_SMALL_LIMITS
    SUBWAVE_TRANSPOSE_BLOCKS = 3,
#else
    SUBWAVE_TRANSPOSE_BLOCKS = 1 << 22, /* at most; a grid on AMD has fewer than 2^32 work-items */
#endif
};
typedef struct subwave_transpose_launch {
    int64_t m, n, batch, down, across;
    const void *x;
    void *y;
    int64_t ldx, ldy, stride_x, stride_y;
    int32_t in_place; /* y is x */
} subwave_transpose_launch;

/* m x n matrices without gaps, which become n x m ones in the same place. A wave has one in local
 * memory, or a block; rows there begin `pitch` elements apart. Of elements of several parts, local memory has
 * one part at a time: it moves alone. */
enum {
    SUBWAVE_TRANSPOSE_STACKED_BYTES = 64 << 10, /* the largest in local memory */
    SUBWAVE_TRANSPOSE_WAVE_BYTES = 6 << 10,     /* of a wave, so that several blocks are at work */
};
typedef struct subwave_transpose_stacked_launch {
    void *x;
    subwave_offsets offsets;
    int64_t entries;
    int32_t m, n, pitch;
    int32_t parts; /* of an element */
    int32_t teams; /* a block's waves, or 1: itself */
    uint32_t blocks;
} subwave_transpose_stacked_launch;

/* Tensor products (hip/tensor.hip). A block has several tensors in shared memory, in one buffer or two,
 * and takes them through a list of steps. The first direction's elements follow one
 * another, and rows of them begin an odd number of elements apart. */
enum {
    SUBWAVE_TENSOR_MOST = 16, /* points of a direction */
    SUBWAVE_TENSOR_STEPS = 15,
    SUBWAVE_TENSOR_BLOCK = 128, /* work-items at most */
};
typedef enum subwave_tensor_action {
    SUBWAVE_TENSOR_LOAD, /* field `from` of x into buffer `to` */
    /* The same along the first direction; tensors follow one another without gaps. */
    SUBWAVE_TENSOR_LOAD_AND_CONTRACT,
    SUBWAVE_TENSOR_CONTRACT, /* buffer `from` into buffer `to`, along a direction by a matrix */
    SUBWAVE_TENSOR_STORE,    /* buffer `from` to field `to` of y */
    SUBWAVE_TENSOR_CONTRACT_AND_STORE, /* along the last direction, to field `to` of y */
} subwave_tensor_action;
/* Where line number l of a block begins: l is i + lines_i (j + lines_j k), which is at i * of_i + j * of_j
 * + k * of_k; its elements are `along` apart. of_i is 1, except in known lists. */
typedef struct subwave_tensor_lines {
    int32_t of_i, of_j, of_k, along;
} subwave_tensor_lines;
typedef struct subwave_tensor_geometry {
    int32_t count; /* of a tensor: lines; LOAD and STORE: elements, each a line */
    subwave_divisor lines_i, lines_j;
    subwave_tensor_lines old, now; /* before and after; LOAD and STORE: in the buffer */
} subwave_tensor_geometry;
typedef struct subwave_tensor_step {
    subwave_tensor_action action;
    int32_t from, to;
    int32_t adds;   /* to what is there, instead of taking its place */
    int32_t matrix; /* contractions: its number */
    /* A contraction into a buffer may have a second result, by another matrix: lines are read once. */
    int32_t is_by_both, other_to, other_matrix;
    subwave_tensor_geometry geometry;
} subwave_tensor_step;
/* Lists of steps. Those that have a name are known to the compiler, which then makes constants of all places. */
typedef enum subwave_tensor_list {
    SUBWAVE_TENSOR_ANY_LIST,
    SUBWAVE_TENSOR_APPLY, /* of subwave_tensor_apply in three directions */
    SUBWAVE_TENSOR_GRADIENT, /* of subwave_tensor_gradient in three directions, not transposed, with B */
} subwave_tensor_list;

/* From one row of `points` elements in a buffer to the next: an odd number, so that lanes which have
 * neighbouring rows find them in different banks of shared memory. */
SUBWAVE_SHAPE_FUNCTION int32_t subwave_tensor_pitch(int32_t points) { return points | 1; }

/* Lines along a direction, in a buffer of tensors with so many points in each. */
SUBWAVE_SHAPE_FUNCTION subwave_tensor_lines subwave_tensor_lines_of(const int32_t size[3],
                                                                    int32_t direction)
{
    const int32_t row = subwave_tensor_pitch(size[0]), plane = row * size[1];
    const subwave_tensor_lines along[3] = {
        {1, 0, row, 1}, {1, 0, plane, row}, {1, row, plane * size[2], plane}};
    return along[direction];
}

/* Lines along the last of 2 or 3 directions, in y. */
SUBWAVE_SHAPE_FUNCTION subwave_tensor_lines subwave_tensor_lines_in_y(const int32_t size[3],
                                                                      int32_t direction)
{
    const subwave_tensor_lines lines = {1, size[0], 0,
                                        direction == 1 ? size[0] : size[0] * size[1]};
    return lines;
}

/* Of a contraction from a buffer to a buffer. `size` has the points of each direction before it; along the
 * contracted one there are `out` afterwards. */
SUBWAVE_SHAPE_FUNCTION subwave_tensor_geometry subwave_tensor_contraction(const int32_t size[3],
                                                                          int32_t direction,
                                                                          int32_t out)
{
    const int32_t after[3] = {direction == 0 ? out : size[0], direction == 1 ? out : size[1],
                              direction == 2 ? out : size[2]};
    const subwave_tensor_geometry geometry = {
        size[0] * size[1] * size[2] / size[direction],
        subwave_divisor_of(direction == 0 ? 1 : size[0]),
        subwave_divisor_of(direction == 2 ? size[1] : 1),
        subwave_tensor_lines_of(size, direction),
        subwave_tensor_lines_of(after, direction),
    };
    return geometry;
}

/* Whether there is a kernel for a list with `in` points of a direction in x and `out` in y. */
SUBWAVE_SHAPE_FUNCTION bool subwave_tensor_is_known(subwave_tensor_list list, int32_t in,
                                                    int32_t out)
{
    return in >= 2 && in <= 8 && out >= 2 && out <= 8 &&
           (out == in || out == in + 1 || (out == in - 1 && list == SUBWAVE_TENSOR_APPLY));
}

SUBWAVE_SHAPE_FUNCTION int32_t subwave_tensor_known_steps(subwave_tensor_list list)
{
    return list == SUBWAVE_TENSOR_APPLY ? 3 : 6;
}

/* A step of a list, all but for the numbers of its matrices, as the host plans it. Each contraction follows those
 * along the directions before its own; the lines of the first come from x, and those of the last go to y. */
SUBWAVE_SHAPE_FUNCTION subwave_tensor_step subwave_tensor_known_step(subwave_tensor_list list,
                                                                     int32_t number, int32_t in,
                                                                     int32_t out)
{
    /* APPLY has one buffer. GRADIENT keeps x in buffer 0. */
    const struct {
        int32_t direction, from, to, is_by_both;
    } steps[2][6] =
        {{{0, 0, 0, 0}, {1, 0, 0, 0}, {2, 0, 0, 0}},
         {{0, 0, 1, 1}, {1, 1, 1, 0}, {2, 1, 0, 0}, {1, 0, 1, 1}, {2, 1, 1, 0}, {2, 0, 2, 0}}},
      s = steps[list == SUBWAVE_TENSOR_GRADIENT][number];
    const subwave_tensor_action actions[3] = {SUBWAVE_TENSOR_LOAD_AND_CONTRACT,
                                              SUBWAVE_TENSOR_CONTRACT,
                                              SUBWAVE_TENSOR_CONTRACT_AND_STORE};
    const int32_t size[3] = {s.direction > 0 ? out : in, s.direction > 1 ? out : in, in};
    subwave_tensor_geometry geometry = subwave_tensor_contraction(size, s.direction, out);
    if (s.direction == 2)
        geometry.now = subwave_tensor_lines_in_y(size, s.direction);
    const subwave_tensor_step step = {actions[s.direction], s.from, s.to, 0,       0,
                                      s.is_by_both,         0,      0,    geometry};
    return step;
}

/* The least number from x on that leaves this remainder when it is divided by n. */
SUBWAVE_SHAPE_FUNCTION int32_t subwave_next_with_remainder(int32_t x, int32_t remainder, int32_t n)
{
    return x + ((remainder - x) % n + n) % n;
}

/* Known lists leave gaps in their buffers: until a direction is contracted, its elements are farthest apart, those
 * of direction 1 by `along_1` elements and those of direction 2 by `along_2`, and tensors by `tensor`. The lanes of a
 * wave, which have neighbouring lines, then have different banks of shared memory, both where a contraction stores
 * its sums and where the next one reads its lines. */
typedef struct subwave_tensor_places {
    int32_t along_1, along_2, tensor;
} subwave_tensor_places;
SUBWAVE_SHAPE_FUNCTION subwave_tensor_places subwave_tensor_known_places(int32_t in, int32_t out,
                                                                         int32_t element_size)
{
    /* Shared memory serves 128 bytes at a time. A tensor that has fewer lines than there are elements in these bytes
     * needs that many banks, rounded up to a power of two; lanes with lines of the next tensors have the others. */
    const int32_t all = 128 / element_size, row = out * in, square = out * out;
    int32_t banks = 1;
    while (banks < row && banks < all)
        banks *= 2;
    subwave_tensor_places places = {
        subwave_next_with_remainder(row, 1, out % 2 == 0 ? banks / 2 : banks),
        subwave_next_with_remainder(square, out, banks), 0};
    /* Blocks of f64 with 5 points and gaps would fill the shared memory of a multiprocessor, and leave its
     * first-level cache so little that many lines of x are loaded twice (measured on an H200). */
    if (in == 5 && out == 5 && element_size == 8) {
        places.along_1 = row;
        places.along_2 = square;
    }
    const int32_t ends[3] = {places.along_1 * (in - 1) + row, places.along_2 * (in - 1) + square,
                             square * out};
    for (int32_t i = 0; i < 3; ++i)
        places.tensor = places.tensor < ends[i] ? ends[i] : places.tensor;
    places.tensor =
        subwave_next_with_remainder(places.tensor, row, 2 * banks < all ? 2 * banks : all);
    return places;
}

/* Lines along a direction in these places, and after its contraction; those of direction 0 come from x, and those
 * of direction 2 go to y. */
SUBWAVE_SHAPE_FUNCTION subwave_tensor_geometry subwave_tensor_known_lines(int32_t direction,
                                                                          int32_t in, int32_t out,
                                                                          int32_t element_size)
{
    const subwave_tensor_places at = subwave_tensor_known_places(in, out, element_size);
    const int32_t lines_i = direction == 0 ? in : out, lines_j = direction == 2 ? out : in,
                  size[3] = {out, out, out};
    const subwave_tensor_lines old[3] = {{0, 0, 0, 0},
                                         {1, out, at.tensor, at.along_1},
                                         {1, out, at.tensor, at.along_2}},
                               now[3] = {{at.along_1, out, at.tensor, 1},
                                         {1, at.along_2, at.tensor, out},
                                         subwave_tensor_lines_in_y(size, 2)};
    const subwave_tensor_geometry geometry = {lines_i * lines_j, subwave_divisor_of(lines_i),
                                              subwave_divisor_of(lines_j), old[direction],
                                              now[direction]};
    return geometry;
}

/* Tensor t is component t % components of entry t / components. */
typedef struct subwave_tensor_operand {
    const void *first;
    int64_t entry, component, field; /* from one to the next */
} subwave_tensor_operand;
typedef struct subwave_tensor_launch {
    subwave_tensor_operand operand[2]; /* x and y */
    const void *matrices[3];           /* out x in, or transposed in x out, dense by rows */
    int32_t matrix_count, transposed;
    int32_t in, out; /* points of a direction in x and in y */
    subwave_tensor_list list;
    int32_t steps;
    subwave_tensor_step step[SUBWAVE_TENSOR_STEPS];
    unsigned char alpha[8], beta[8]; /* elements */
    int64_t count;                   /* of tensors */
    int32_t components;
    int32_t tensors; /* of a block */
    int32_t buffer;  /* elements of one of a block */
    uint32_t block, shared_bytes;
    int64_t blocks, first_block; /* the launcher starts at 0 */
} subwave_tensor_launch;

/* A pattern of 16 bytes again and again, from x on: `before` bytes, `packs` times 16 bytes at
 * addresses that are multiples of 16, and `after` bytes. */
enum {
    SUBWAVE_FILL_BLOCK = 256,
#ifdef SUBWAVE_SMALL_LIMITS
    SUBWAVE_FILL_BLOCKS = 3,
#else
    SUBWAVE_FILL_BLOCKS = 1 << 16, /* at most: blocks go over the packs */
#endif
};
typedef struct subwave_fill_launch {
    void *x;
    int64_t packs;
    uint32_t before, after, blocks; /* before, after: below 16 */
    uint64_t pattern[2], pack[2];   /* as it is at x, and `before` bytes behind it */
} subwave_fill_launch;

/* Every launcher takes its operation's struct, queues its kernel on `stream`, and returns the
 * runtime's error code, 0 for success, or SUBWAVE_NO_KERNEL for a shape that was not
 * instantiated. */
#define SUBWAVE_NO_KERNEL (-1)
#define SUBWAVE_X(operation, dtype, type) \
    int subwave_gpu_##operation##_##dtype(const void *launch, void *stream); \
    int subwave_cpu_##operation##_##dtype(const void *launch, void *stream);
SUBWAVE_KERNELS(SUBWAVE_X)
#undef SUBWAVE_X

/* A row of a backend's table. SUBWAVE_LAUNCHER_ROW_gpu and _cpu make one of a row of
 * kernels.def. */
typedef struct subwave_launcher {
    subwave_operation operation;
    subwave_dtype dtype;
    int (*launch)(const void *launch, void *stream);
} subwave_launcher;
#define SUBWAVE_LAUNCHER_ROW_gpu(operation, dtype, type) \
    {SUBWAVE_OPERATION_##operation, SUBWAVE_DTYPE_##dtype, subwave_gpu_##operation##_##dtype},
#define SUBWAVE_LAUNCHER_ROW_cpu(operation, dtype, type) \
    {SUBWAVE_OPERATION_##operation, SUBWAVE_DTYPE_##dtype, subwave_cpu_##operation##_##dtype},

#ifdef __cplusplus
}
#endif

/* In a kernel file: a launcher that calls launch_<operation><type>(struct, stream). */
#ifdef SUBWAVE_CPU_DEVICE
#define SUBWAVE_LAUNCHER_NAME(operation, dtype) subwave_cpu_##operation##_##dtype
#else
#define SUBWAVE_LAUNCHER_NAME(operation, dtype) subwave_gpu_##operation##_##dtype
#endif
#define SUBWAVE_DEFINE_LAUNCHER(operation, dtype, type) \
    extern "C" int SUBWAVE_LAUNCHER_NAME(operation, dtype)(const void *launch, void *stream) \
    { \
        using namespace subwave; \
        return launch_##operation<type>( \
            *static_cast<const subwave_##operation##_launch *>(launch), stream); \
    }

#endif
