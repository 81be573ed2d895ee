/* SPDX-License-Identifier: MIT
 * kernels.h: what the host library and the kernel files agree on: a struct of arguments an operation,
 * and the launchers' names. Plain C, and C++ for the kernel files.
 */
#ifndef SUBWAVE_KERNELS_H
#define SUBWAVE_KERNELS_H

#include <subwave/types.h>

#include "kernels.def"

#ifdef __cplusplus
extern "C" {
#endif

/* Where arithmetic of 32 bits ends and several grids begin. A build of the tests has them end at once, so that what is
 * written for huge arrays is executed with small ones. */
#ifdef SUBWAVE_SMALL_LIMITS
enum { SUBWAVE_MOST_BLOCKS = 3, SUBWAVE_MOST_BATCHED_BLOCKS = 3 };
#define SUBWAVE_MOST_TILES_IN_32_BITS 0
#else
enum { SUBWAVE_MOST_BLOCKS = 0x7fffffff };
enum { SUBWAVE_MOST_BATCHED_BLOCKS = 1 << 24 }; /* a grid on AMD has fewer than 2^32 work-items */
#define SUBWAVE_MOST_TILES_IN_32_BITS 0xffffffff
#endif

/* Cells of C that a work-item of BROADCAST can compute: X(rows, columns). */
#ifdef SUBWAVE_CPU_DEVICE /* rows are vector registers */
#define SUBWAVE_BROADCAST_TILES(X) \
    X(4, 8) \
    X(4, 4)
#elif defined(__CUDACC__) /* (12, 8) has registers for f32 alone */
#define SUBWAVE_BROADCAST_TILES(X) \
    X(12, 8) \
    X(8, 8) \
    X(4, 4)
#else
#define SUBWAVE_BROADCAST_TILES(X) \
    X(8, 8) \
    X(4, 4)
#endif

/* SKINNY on NVIDIA's matrix unit. X(name, waves of four that share k, steps of k whose loads are under way together,
 * whether B is read by columns): several tiles a block where k is long, so that they share A's terms, or where
 * tiles are many; of these more blocks at a time, with fewer loads each. */
#define SUBWAVE_SKINNY_UNITS(X) \
    X(UNIT_ACROSS, 4, 4, false) \
    X(UNIT_ACROSS_LONG, 1, 4, false) \
    X(UNIT_ACROSS_MANY, 1, 2, false) \
    X(UNIT_DOWN, 4, 4, true) \
    X(UNIT_DOWN_MANY, 4, 2, true)

/* How a block of SKINNY reads B: rows, in packs of 16 bytes a lane of the wave, or of four lanes; columns. */
typedef enum subwave_skinny_shape {
    SUBWAVE_SKINNY_ACROSS = 1,
    SUBWAVE_SKINNY_NARROW,
    SUBWAVE_SKINNY_DOWN,
#define SUBWAVE_X(name, ...) SUBWAVE_SKINNY_##name,
    SUBWAVE_SKINNY_UNITS(SUBWAVE_X)
#undef SUBWAVE_X
} subwave_skinny_shape;

enum {
    SUBWAVE_SKINNY_BLOCK = 256,
    SUBWAVE_SKINNY_UNIT_BLOCK = 128,
    SUBWAVE_SKINNY_CPU_WAVES = 2,
    SUBWAVE_SKINNY_DOTS = 4, /* a wave's columns of B, where A has one row */
    SUBWAVE_SKINNY_TILES = 1024,     /* at most, where several blocks share one */
};

/* C = alpha A B + beta C; element (i, j) of A is a[i * a_row + j * a_column], of B and C likewise. */
typedef struct subwave_matmul_launch {
    int64_t m, n, k;
    const void *a, *b;
    void *c;
    int64_t a_row, a_column, b_row, b_column, c_row, c_column;
    double alpha, beta; /* hold every value of the types that sums have */
    int32_t turned;     /* C is the transpose of the caller's, row-major */
    subwave_variant variant;
    int32_t item_rows, item_columns; /* cells of C that a work-item computes at a time */
    int32_t tile_rows, tile_columns; /* and a block */
    int32_t small;                   /* MATRIX: the smaller of two shapes of a block */
    int32_t packed;                  /* B can be loaded by 16 bytes: BROADCAST of a row; SKINNY of a
                                        row or column; MATRIX of 16 bits A and B along either */
    subwave_skinny_shape skinny_shape;
    uint32_t tiles;     /* SKINNY: of C; */
    int32_t parts;      /* of k, a block each; */
    int64_t part;       /* its terms; and the device memory for their sums, which begins with a 0 a tile: */
    void *workspace;
    uint32_t blocks, block_x, block_y; /* BROADCAST: block_y parts of k, a power of two */
    uint32_t shared_bytes;
} subwave_matmul_launch;
typedef subwave_matmul_launch subwave_matmul_skinny_launch;

/* Element (i, j) of a batch entry's matrix is x[i * ld + j], or x[i + j * ld] if transposed; x is
 * array[entry], in device memory, or first + entry * stride. */
typedef struct subwave_matmul_batched_operand {
    const void *array;
    const void *first;
    int64_t stride, ld;
    int32_t transposed, conjugate;
    int32_t local_at, local_size; /* CELLS and DENSE, in elements: where it begins in local memory; DENSE: a's, an
                                     entry's part of it */
} subwave_matmul_batched_operand;

/* The tiles of C that there are kernels for, smallest first. X(name, what it is built and best for, size,
 * lanes, across, terms at a time of 4-, of 8- and of 16-byte elements): `across` x `across` groups of
 * `lanes` compute size x size cells each, with A and B in local memory; or 0, one group in registers. */
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

typedef enum subwave_matmul_batched_tile {
#define SUBWAVE_X(name, ...) SUBWAVE_MATMUL_BATCHED_##name,
    SUBWAVE_MATMUL_BATCHED_TILES(SUBWAVE_X)
#undef SUBWAVE_X
    /* Not of groups: a lane has 3 x 3 or 4 x 4 cells of C, the lanes of an entry all of it, a block several entries
     * in local memory. */
    SUBWAVE_MATMUL_BATCHED_CELLS_3,
    SUBWAVE_MATMUL_BATCHED_CELLS_4,
    /* Dense matrices of f64 on NVIDIA's matrix unit, whole in local memory; otherwise as the tiles of these sizes. */
    SUBWAVE_MATMUL_BATCHED_DENSE_24,
    SUBWAVE_MATMUL_BATCHED_DENSE_32,
    SUBWAVE_MATMUL_BATCHED_DENSE_48,
    SUBWAVE_MATMUL_BATCHED_DENSE_64,
} subwave_matmul_batched_tile;

enum {
    SUBWAVE_MATMUL_BATCHED_FOR_ALL,
    SUBWAVE_MATMUL_BATCHED_FOR_REAL,
    SUBWAVE_MATMUL_BATCHED_FOR_COMPLEX,
    SUBWAVE_MATMUL_BATCHED_FOR_MATRIX_UNIT, /* real types that the device has one for: f64 */
    SUBWAVE_MATMUL_BATCHED_FOR_BROADCAST,   /* the other real ones */
    SUBWAVE_MATMUL_BATCHED_BLOCK = 128,
    SUBWAVE_MATMUL_BATCHED_MOST = 32768, /* m, n and k */
};

/* A number, and what to multiply by to divide by it. */
typedef struct subwave_divisor {
    uint32_t number, reciprocal;
} subwave_divisor;

/* C = alpha A B + beta C for `batch` entries; C is not transposed. */
typedef struct subwave_matmul_batched_launch {
    int32_t m, n, k;
    int64_t batch;
    subwave_matmul_batched_operand a, b, c;
    unsigned char alpha[16], beta[16]; /* elements */
    subwave_matmul_batched_tile tile;
    int32_t down, across;           /* tiles of C */
    int32_t entries;                /* CELLS: of a block; */
    int32_t lane_rows;              /* the grid of the lanes of an entry */
    subwave_divisor lane_columns, lanes;
    uint32_t block, shared_bytes;   /* the latter CELLS and DENSE */
    int64_t blocks, first_block; /* the launcher starts at 0 */
} subwave_matmul_batched_launch;

/* Element i belongs to work-item i: blocks of block[0] x block[1] x block[2], `count` of them. */
typedef struct subwave_group_shape {
    subwave_group group;
    int64_t count; /* blocks of work; the grid walks over them */
    uint32_t blocks;
} subwave_group_shape;

typedef struct subwave_group_reduce_launch {
    subwave_group_shape shape;
    subwave_op op;
    const void *x;
    void *y;
    int32_t has_init;
    unsigned char init[16];
} subwave_group_reduce_launch;

typedef struct subwave_group_scan_launch {
    subwave_group_reduce_launch reduce;
    subwave_scan scan;
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

/* Every launcher takes its operation's struct, queues its kernel on `stream`, and returns the
 * runtime's error code, 0 for success, or SUBWAVE_NO_KERNEL for a shape that was not instantiated. */
#define SUBWAVE_NO_KERNEL (-1)
#define SUBWAVE_X(operation, dtype, type) \
    int subwave_gpu_##operation##_##dtype(const void *launch, void *stream); \
    int subwave_cpu_##operation##_##dtype(const void *launch, void *stream);
SUBWAVE_KERNELS(SUBWAVE_X)
#undef SUBWAVE_X

typedef enum subwave_operation {
    SUBWAVE_OPERATION_matmul = 1,
    SUBWAVE_OPERATION_matmul_skinny,
    SUBWAVE_OPERATION_matmul_batched,
    SUBWAVE_OPERATION_group_reduce,
    SUBWAVE_OPERATION_group_scan,
    SUBWAVE_OPERATION_group_move,
    SUBWAVE_OPERATION_group_vote,
    SUBWAVE_OPERATION_group_info,
} subwave_operation;

/* A row of a backend's table. SUBWAVE_LAUNCHER_ROW_gpu and _cpu make one of a row of kernels.def. */
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
