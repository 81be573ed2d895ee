/* SPDX-License-Identifier: MIT
 * mpi.h: the C interface of libsubwave_mpi: matrix products and operations on arrays whose parts
 * lie on many devices, one rank of an MPI communicator for each (docs/distributed.md).
 */
#ifndef SUBWAVE_MPI_H
#define SUBWAVE_MPI_H

#include <mpi.h>

#include <subwave/subwave.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How device memory gets from rank to rank. X(name, value, spelling) */
#define SUBWAVE_MPI_TRANSPORT_LIST(X) \
    X(AUTO, 1, "auto") /* CCL if all ranks can, each with a GPU of its own; else HOST */ \
    X(HOST, 2, "host") /* through pinned memory of the host: every MPI can */ \
    X(MPI_DEVICE, 3, \
      "mpi_device")  /* MPI reads and writes device memory itself, which is not checked */ \
    X(CCL, 4, "ccl") /* RCCL or NCCL, loaded when it is asked for */

typedef enum subwave_mpi_transport {
#define SUBWAVE_X(name, value, spelling) SUBWAVE_MPI_TRANSPORT_##name = value,
    SUBWAVE_MPI_TRANSPORT_LIST(SUBWAVE_X)
#undef SUBWAVE_X
} subwave_mpi_transport;

/* The ranks of an MPI communicator as a grid of rows and columns, rank r in row r / columns and
 * column r % columns, and what they need to work together: MPI communicators of its own, buffers,
 * the text of the last error. One thread uses it at a time. */
typedef struct subwave_mpi subwave_mpi;

/* All functions but subwave_mpi_layout_from_descriptor, _local_size, _transport_used, _synchronize
 * and _last_error are collective: every rank calls them, in the same order. Every call begins with
 * an exchange of what the ranks were asked for and ends with one of how it went, and returns the
 * same on all ranks: where one has found an error, those that have not return its status and a text
 * that begins with "rank 3: ". Arguments that must be equal and are not are INVALID_VALUE. Nothing
 * was written if the error is one of arguments or of memory. After COMMUNICATION_ERROR (MPI or the
 * collectives' library failed, or a rank did not come within the time limit, SUBWAVE_MPI_TIMEOUT)
 * later calls return it at once, and subwave_mpi_destroy leaves to the process's end what cannot be
 * freed.
 *
 * The host takes part: it waits for messages, with the transport CCL only for these two exchanges,
 * and no call can be captured in a graph. Buffers grow to what the largest call needs and are kept.
 * Results are complete in stream order of the context's stream, by which calls are also ordered
 * after what was queued before. Determinism: equal bits from run to run with the same number of
 * ranks, parts and devices. Stream and source of all: as the call of subwave.h that each rank
 * makes. */

/* Makes a grid.
 *   mpi        [out, host] the grid; null on error.
 *   context    [in] each rank's own; must outlive the grid, whose device is the context's.
 *   parent     [in] a communicator of grid_rows * grid_columns ranks, which is duplicated.
 *   grid_rows, grid_columns  >= 1.
 *   transport  one of the list, the same on all ranks.
 * Environment, read here: SUBWAVE_MPI_TIMEOUT, SUBWAVE_MPI_CCL, SUBWAVE_MPI_PANEL
 * (docs/environment.md). Errors: INVALID_POINTER mpi; INVALID_CONTEXT; INVALID_VALUE transport,
 * parent, or an environment variable; INVALID_SIZE the grid's sizes; UNSUPPORTED the library of CCL
 * is missing, or the device is none of its GPUs; OUT_OF_MEMORY; DEVICE_ERROR; COMMUNICATION_ERROR.
 * Since there is no grid to ask, subwave_mpi_last_error(NULL) has the text, for the
 * calling thread. */
SUBWAVE_API subwave_status subwave_mpi_create(subwave_mpi **mpi, subwave_context *context,
                                              MPI_Comm parent, int32_t grid_rows,
                                              int32_t grid_columns,
                                              subwave_mpi_transport transport);

/* Waits for the ranks' work, as subwave_mpi_synchronize does, frees the grid and sets *mpi to null. A
 * null mpi or *mpi is a no-op.
 * Errors: DEVICE_ERROR, COMMUNICATION_ERROR; the grid is gone all the same. */
SUBWAVE_API subwave_status subwave_mpi_destroy(subwave_mpi **mpi);

/* What the last failed call on `mpi` found wrong, naming the parameter; "" if none failed. With
 * null: the last failed call of this thread that had no grid. Valid until the next call. Never
 * null. */
SUBWAVE_API const char *subwave_mpi_last_error(const subwave_mpi *mpi);

/* "host" and so on, or "unknown". Never null. */
SUBWAVE_API const char *subwave_mpi_transport_name(subwave_mpi_transport transport);

/* The transport in use: never AUTO.
 *   transport  [out, host] Errors: INVALID_POINTER mpi, transport. */
SUBWAVE_API subwave_status subwave_mpi_transport_used(const subwave_mpi *mpi,
                                                      subwave_mpi_transport *transport);

/* Waits on the host until the context's stream has run empty, and no longer than the time limit:
 * with CCL work that is queued can wait for a rank that is lost.
 * Errors: INVALID_POINTER mpi; DEVICE_ERROR; COMMUNICATION_ERROR the time has passed, or CCL has
 * failed. */
SUBWAVE_API subwave_status subwave_mpi_synchronize(subwave_mpi *mpi);

/* How a matrix is divided among the ranks of a grid, as in ScaLAPACK: into blocks, of which block
 * (i, j) belongs to row (first_row + i) mod grid_rows and column (first_column + j) mod
 * grid_columns. A rank's blocks lie beside one another, in their order, as one matrix in
 * column-major order. */
typedef struct subwave_mpi_layout {
    int64_t rows, columns;             /* of the whole matrix, >= 0 */
    int64_t block_rows, block_columns; /* of a block, >= 1; the last ones may be smaller */
    int32_t first_row, first_column; /* the row and the column of the grid that have block (0, 0) */
    int64_t ld; /* elements from a column to the next in this rank's part: the only field that
                   may differ among the ranks */
} subwave_mpi_layout;

/* The layout that a ScaLAPACK descriptor of a dense matrix (DTYPE_ 1) describes, for a grid that
 * has its ranks in the order of the descriptor's BLACS context.
 *   descriptor  [in, host] 9 numbers: DTYPE_, CTXT_, M_, N_, MB_, NB_, RSRC_, CSRC_, LLD_.
 *   layout      [out, host]
 * Errors: INVALID_POINTER; INVALID_VALUE descriptor[0] is not 1, or a number is out of its range.
 * Text: subwave_mpi_last_error(NULL). Source: ScaLAPACK's array descriptor. */
SUBWAVE_API subwave_status subwave_mpi_layout_from_descriptor(const int descriptor[9],
                                                              subwave_mpi_layout *layout);

/* The rows and columns of a matrix that this rank has: NUMROC of ScaLAPACK. The layout's ld does
 * not count.
 *   rows, columns  [out, host] Errors: INVALID_POINTER; INVALID_SIZE; INVALID_VALUE. */
SUBWAVE_API subwave_status subwave_mpi_local_size(subwave_mpi *mpi,
                                                  const subwave_mpi_layout *layout, int64_t *rows,
                                                  int64_t *columns);

/* C = alpha op(A) op(B) + beta C.
 *   dtype   F32, F64, C32 or C64, of all matrices and scalars.
 *   transpose_a, transpose_b  with CONJUGATE, op(X) = X^H.
 *   alpha, beta  [in, host] one element each, the same on all ranks. alpha = 0: A and B are not
 *           read; beta = 0: C is not read.
 *   layout_a, a  [in, device] op(A) is m x k. `a` is this rank's part; may be null if that is
 *   empty.
 *   layout_b, b  [in, device] op(B) is k x n.
 *   layout_c, c  [in/out, device] C, m x n; must not overlap A or B.
 * What is multiplied where it is: op(A) = A whose rows are divided as C's, op(B) = B whose columns
 * are divided as C's, and columns of A divided in blocks as large as those of rows of B. Any other
 * operand is first moved, once, to a copy so divided. Memory: panels (docs/distributed.md), and
 * these copies. Order of sums: as the layouts and SUBWAVE_MPI_PANEL decide it; on one rank that of
 * subwave_matmul. Errors: INVALID_POINTER; INVALID_VALUE; UNSUPPORTED dtype; INVALID_SIZE, also of
 * layouts whose sizes do not fit together; INVALID_STRIDE; those of subwave_matmul;
 * COMMUNICATION_ERROR. Source: SUMMA (van de Geijn and Watts 1997), pdgemm of PBLAS. */
SUBWAVE_API subwave_status subwave_mpi_matmul(subwave_mpi *mpi, subwave_dtype dtype,
                                              subwave_transpose_kind transpose_a,
                                              subwave_transpose_kind transpose_b, const void *alpha,
                                              const subwave_mpi_layout *layout_a, const void *a,
                                              const subwave_mpi_layout *layout_b, const void *b,
                                              const void *beta, const subwave_mpi_layout *layout_c,
                                              void *c);

/* Y = the transpose of X.
 *   dtype        any; elements are moved as they are.
 *   layout_x, x  [in, device] this rank's part; may be null if that is empty.
 *   layout_y, y  [out, device] of a matrix that has as many rows as X has columns, and the other
 *                way round; blocks may be others. Must not overlap x.
 * Errors: as subwave_mpi_matmul. Source: pdtran of PBLAS. */
SUBWAVE_API subwave_status subwave_mpi_transpose(subwave_mpi *mpi, subwave_dtype dtype,
                                                 const subwave_mpi_layout *layout_x, const void *x,
                                                 const subwave_mpi_layout *layout_y, void *y);

/* Of arrays, the ranks have consecutive parts, in the order of the ranks and of any sizes, 0 too.
 * */

/* *result = op over all elements of all parts, with *init in front if not null; on every rank.
 *   dtype, op, order  as in subwave_reduce. The parts' results are combined in the order of the
 *           ranks as an array of that many elements, whatever the transport: integers have the same
 *           bits for any number of ranks.
 *   n       elements of this rank's part, >= 0.
 *   init    [in, host, or null] one element, the same on all ranks.
 *   x       [in, device] this rank's part.
 *   place, result  as in subwave_reduce; with a transport other than CCL the host waits in any case.
 * Errors: as subwave_reduce, COMMUNICATION_ERROR. Source: MPI_Allreduce, in a fixed order. */
SUBWAVE_API subwave_status subwave_mpi_reduce(subwave_mpi *mpi, subwave_dtype dtype, subwave_op op,
                                              subwave_order order, int64_t n, const void *init,
                                              const void *x, subwave_place place, void *result);

/* y = this rank's part of the scan of all parts as one array, with *init in front if not null.
 *   dtype, op, scan, order  as in subwave_scan. What the parts before have is their results,
 *           combined as in subwave_mpi_reduce.
 *   n, init, x  as in subwave_mpi_reduce. y [out, device] n elements; may be x.
 * Errors: as subwave_scan, COMMUNICATION_ERROR. Source: MPI_Exscan, in a fixed order. */
SUBWAVE_API subwave_status subwave_mpi_scan(subwave_mpi *mpi, subwave_dtype dtype, subwave_op op,
                                            subwave_scan_kind scan, subwave_order order, int64_t n,
                                            const void *init, const void *x, void *y);

/* counts[b] = how many elements of all parts are in bin b; on every rank.
 *   dtype, bins, lower, upper  as in subwave_histogram, the same on all ranks.
 *   n, x    as in subwave_mpi_reduce. counts [out, device] bins numbers.
 * Determinism: the same for any number of ranks. Errors: as subwave_histogram, COMMUNICATION_ERROR.
 * */
SUBWAVE_API subwave_status subwave_mpi_histogram(subwave_mpi *mpi, subwave_dtype dtype,
                                                 int64_t bins, double lower, double upper,
                                                 int64_t n, const void *x, int64_t *counts);

#ifdef __cplusplus
}
#endif

#endif
