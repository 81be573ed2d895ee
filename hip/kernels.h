/* SPDX-License-Identifier: MIT
 * kernels.h: what the host library and the kernel files agree on: a struct of arguments an operation,
 * and the launchers' names. Plain C, and C++ for the kernel files.
 */
#ifndef SUBWAVE_KERNELS_H
#define SUBWAVE_KERNELS_H

#include <subwave/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C = alpha A B + beta C, all row-major in the sense that C's columns are contiguous; element
 * (i, j) of A is a[i * a_row + j * a_column], of B likewise, of C c[i * c_row + j]. */
typedef struct subwave_matmul_launch {
    int64_t m, n, k;
    const void *a, *b;
    void *c;
    int64_t a_row, a_column, b_row, b_column, c_row;
    double alpha, beta; /* hold every value of both element types */
    subwave_variant variant;
    int32_t tile_rows, tile_columns; /* BROADCAST: cells of C a work-item computes */
    uint32_t blocks, block_x, block_y;
    uint32_t shared_bytes;
} subwave_matmul_launch;

/* Every launcher takes its operation's struct, queues its kernel on `stream`, and returns the
 * runtime's error code, 0 for success, or SUBWAVE_NO_KERNEL for a shape that was not instantiated. */
#define SUBWAVE_NO_KERNEL (-1)
#define SUBWAVE_KERNELS(operation, dtype, type) \
    int subwave_gpu_##operation##_##dtype(const void *launch, void *stream); \
    int subwave_cpu_##operation##_##dtype(const void *launch, void *stream);
#include "kernels.def"
#undef SUBWAVE_KERNELS

typedef enum subwave_operation { SUBWAVE_OPERATION_matmul = 1 } subwave_operation;

/* A row of a backend's table, which is expanded from kernels.def. */
typedef struct subwave_launcher {
    subwave_operation operation;
    subwave_dtype dtype;
    int (*launch)(const void *launch, void *stream);
} subwave_launcher;

#ifdef __cplusplus
}
#endif

/* In a kernel file: the launcher's name on the platform being built. */
#ifdef SUBWAVE_CPU_DEVICE
#define SUBWAVE_LAUNCHER(operation, dtype) subwave_cpu_##operation##_##dtype
#else
#define SUBWAVE_LAUNCHER(operation, dtype) subwave_gpu_##operation##_##dtype
#endif

#endif
