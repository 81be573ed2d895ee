/* SPDX-License-Identifier: MIT
 * peer.h: the peer of subwave-mpi-bench: SUMMA as it is written by hand with NCCL and cuBLAS, and a
 * sum with subwave_reduce and NCCL, in an NVIDIA build; elsewhere there is none.
 */
#ifndef SUBWAVE_PERF_MPI_PEER_H
#define SUBWAVE_PERF_MPI_PEER_H

#include <subwave/mpi.h>

#include <time.h>

typedef struct peer peer;

#ifdef SUBWAVE_BENCH_NCCL_CUBLAS
#define PEER_IS_BUILT true
/* Null, having said why, if there is no NCCL, or for ranks that do not each have a GPU. */
peer *peer_create(subwave_context *context, MPI_Comm comm, int grid_rows, int grid_columns,
                  int64_t block);
/* C = A B of n x n matrices in whole blocks, of which this rank has rows x columns; waits for the
 * end. */
void peer_matmul(peer *p, int64_t n, int64_t rows, int64_t columns, const double *a,
                 const double *b, double *c);
/* The sum of all ranks' n numbers, by the ranks of a grid of one row. */
double peer_reduce(peer *p, subwave_context *context, int64_t n, const double *x);
void peer_destroy(peer *p);
#else
#define PEER_IS_BUILT false
#define peer_create(...) NULL
#define peer_matmul(...) (void)0
#define peer_reduce(...) 0.
#define peer_destroy(p) (void)(p)
#endif

static inline void peer_sleep(void) { nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); }

#endif
