/* SPDX-License-Identifier: MIT
 * grid.h: what the calls of libsubwave_mpi share: the grid, its errors and agreements, its buffers,
 * how device memory gets to other ranks, and how a matrix is divided.
 */
#ifndef SUBWAVE_MPI_GRID_H
#define SUBWAVE_MPI_GRID_H

#include <subwave/mpi.h>

/* --- the grid -------------------------------------------------------------------------------- */

enum { SUBWAVE_MPI_TEXT = 512, SUBWAVE_MPI_ARGUMENTS = 32 };

/* Which ranks: those of this rank's row of the grid, those of its column, or all. */
typedef enum subwave_mpi_ranks { ALONG_ROW, ALONG_COLUMN, ALL_RANKS, RANK_SETS } subwave_mpi_ranks;

/* Messages are counted in units, of which an int holds enough for any device's memory. */
enum { SUBWAVE_MPI_UNIT = 256 };

/* Pairs of panels that a product has at a time: one that is multiplied, and two on their way. With
 * two, a message that a GPU has not begun before a product occupies it would come too late. */
enum { SUBWAVE_MPI_SLOTS = 3 };

/* Memory that grows to what was asked for; the host's is pinned. */
typedef struct subwave_mpi_buffer {
    char *device, *host;
    int64_t device_bytes, host_bytes;
} subwave_mpi_buffer;

typedef struct subwave_mpi_ccl subwave_mpi_ccl;

struct subwave_mpi {
    subwave_context *context;  /* the caller's, on whose stream is computed */
    subwave_context *transfer; /* another one of the device, for messages, which come first */
    void *stream;              /* that of `transfer` */
    subwave_mpi_transport transport;
    subwave_mpi_ccl *ccl; /* with that transport alone */
    MPI_Comm comm[RANK_SETS];
    int size[RANK_SETS], rank[RANK_SETS]; /* rank[ALONG_ROW] is the column of the grid */
    MPI_Datatype unit;
    double limit;        /* seconds that a rank is waited for; 0: for ever */
    int64_t panel_width; /* steps of k */
    bool lost;           /* messages are no longer sent, since some were not received */

    subwave_event *begun, *ready[SUBWAVE_MPI_SLOTS], *used[SUBWAVE_MPI_SLOTS];
    subwave_mpi_buffer panel_a[SUBWAVE_MPI_SLOTS], panel_b[SUBWAVE_MPI_SLOTS];
    subwave_mpi_buffer moved_a, moved_b, sent, received, values;
    int *counts; /* of units: sent and received, and where, by rank; or which have elements */
    /* What agreements send. All that is sent or received lies in the grid, which outlives a message
     * that is given up. */
    int64_t most[2 + 2 * SUBWAVE_MPI_ARGUMENTS];
    char told[SUBWAVE_MPI_TEXT];

    /* The broadcasts on their way, by slot. One that was received goes to the device. */
    struct {
        MPI_Request request;
        subwave_mpi_buffer *received;
        int64_t bytes;
    } pending[SUBWAVE_MPI_SLOTS][2];
    int pending_count[SUBWAVE_MPI_SLOTS];

    /* Of the call: what it must have in common on all ranks, and the first error. */
    const char *function;
    struct {
        const char *name;
        int64_t value;
    } arguments[SUBWAVE_MPI_ARGUMENTS];
    int argument_count;
    bool is_empty,
        any_is_empty; /* this rank's part of the array; and any, once ranks have agreed */
    subwave_status status;
    char error[SUBWAVE_MPI_TEXT];
};

/* --- errors and agreements (agree.c) --------------------------------------------------------- */

/* Leaves a text, with the grid or for the thread if that is null, and returns `status`. Of a call's
 * errors the first one counts. */
subwave_status subwave_mpi_fail(subwave_mpi *mpi, subwave_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Notes what a call on `context`, one of the grid's, returned. */
subwave_status subwave_mpi_try(subwave_mpi *mpi, subwave_context *context, subwave_status status);

/* Begins a call. False if there is no grid or it is lost; the text is left. */
bool subwave_mpi_begin(subwave_mpi *mpi, const char *function, subwave_status *status);

/* An argument of the call that is the same on all ranks. */
void subwave_mpi_same(subwave_mpi *mpi, const char *name, int64_t value);
void subwave_mpi_same_bytes(subwave_mpi *mpi, const char *name, const void *bytes, size_t count);

/* Whether all ranks are well and have the same arguments: the status, with its text, of all of
 * them. */
subwave_status subwave_mpi_agree(subwave_mpi *mpi);

/* Waits for a request of MPI, or of all with null, for which `what` is waited in a text. */
void subwave_mpi_await(subwave_mpi *mpi, int result, MPI_Request *request, const char *what);

/* Waits for the work of the caller's stream, up to the time limit: what waits for a lost rank never
 * ends. */
void subwave_mpi_wait(subwave_mpi *mpi);

/* A pause before what is waited for is looked at again: shorter than it has taken, measured from
 * `since`. The processor is the other ranks' meanwhile. */
void subwave_mpi_pause(double since);

/* --- buffers and transport (transport.c) ----------------------------------------------------- */

int64_t subwave_mpi_units(int64_t bytes);
/* Memory for `bytes` on the device; FOR_MESSAGES on the host too, if they go through it. */
typedef enum subwave_mpi_use { ON_DEVICE, FOR_MESSAGES, ON_BOTH } subwave_mpi_use;
void subwave_mpi_reserve(subwave_mpi *mpi, subwave_mpi_buffer *buffer, int64_t bytes,
                         subwave_mpi_use use);

/* What `from`'s stream has got is done before what `to`'s gets from now on. */
void subwave_mpi_order(subwave_mpi *mpi, subwave_context *from, subwave_event *event,
                       subwave_context *to);

/* Begins to send the buffer's first bytes, complete on the stream of `transfer`, from the rank
 * `root` of a row or a column to its others; what `transfer` gets after subwave_mpi_finish() of
 * the slot finds them. */
void subwave_mpi_broadcast(subwave_mpi *mpi, int slot, subwave_mpi_ranks ranks, int root,
                           subwave_mpi_buffer *buffer, int64_t bytes);
void subwave_mpi_finish(subwave_mpi *mpi, int slot);

/* Sends counts[r] units at counts[size + r] of `sent` to rank r, and has those of `received`, the
 * same further on, from rank r; in order of the stream of `transfer`. */
void subwave_mpi_exchange(subwave_mpi *mpi);

/* Adds the ranks' n numbers in `values`, in order of the stream of `transfer`. */
void subwave_mpi_sum(subwave_mpi *mpi, int64_t n);

/* Brings the ranks' values of as many bytes together in `values`, by rank, to all of them, in order
 * of the caller's stream. */
void subwave_mpi_gather(subwave_mpi *mpi, int64_t bytes);

/* --- RCCL and NCCL (ccl.c) ------------------------------------------------------------------- */

/* Loads the library and makes its communicators; collective. The status is that of all ranks. */
subwave_status subwave_mpi_ccl_open(subwave_mpi *mpi);
void subwave_mpi_ccl_close(subwave_mpi *mpi);
/* What has failed since: null, or the library's text. */
const char *subwave_mpi_ccl_failure(subwave_mpi *mpi);
void subwave_mpi_ccl_broadcast(subwave_mpi *mpi, subwave_mpi_ranks ranks, int root, void *data,
                               int64_t bytes);
void subwave_mpi_ccl_exchange(subwave_mpi *mpi);
void subwave_mpi_ccl_gather(subwave_mpi *mpi, char *data, int64_t bytes);
void subwave_mpi_ccl_sum(subwave_mpi *mpi, int64_t *data, int64_t n);

/* --- how a matrix is divided (layout.c) ------------------------------------------------------ */

/* One direction of a matrix: block number s belongs to the ranks whose coordinate in the grid is (s
 * + first) mod parts, as their block number s / parts. */
typedef struct subwave_mpi_axis {
    int64_t n, block;
    int parts, first;
    subwave_mpi_ranks along; /* ALONG_COLUMN: the coordinate is the row of the grid */
} subwave_mpi_axis;

typedef struct subwave_mpi_matrix {
    subwave_mpi_axis rows, columns;
    char *data; /* this rank's part, in column-major order */
    int64_t ld;
} subwave_mpi_matrix;

subwave_mpi_axis subwave_mpi_axis_of(const subwave_mpi *mpi, int64_t n, int64_t block, int first,
                                     subwave_mpi_ranks along);
/* Whether every rank has the same of both. */
bool subwave_mpi_axis_equal(const subwave_mpi_axis *x, const subwave_mpi_axis *y);
/* How much this rank has. */
int64_t subwave_mpi_axis_local(const subwave_mpi *mpi, const subwave_mpi_axis *axis);

/* Checks a layout and the memory, notes what must be the same on all ranks, and returns the matrix.
 * */
subwave_mpi_matrix subwave_mpi_matrix_of(subwave_mpi *mpi, const char *layout_name,
                                         const subwave_mpi_layout *layout, subwave_dtype dtype,
                                         const char *name, const void *data, bool is_used);

/* A copy of a matrix in `buffer`, divided otherwise: reserves all memory, before the ranks agree,
 * and moves it, after that, in order of the stream of `transfer`. */
void subwave_mpi_prepare_move(subwave_mpi *mpi, size_t element, const subwave_mpi_matrix *from,
                              subwave_mpi_matrix *to, subwave_mpi_buffer *buffer);
void subwave_mpi_move(subwave_mpi *mpi, size_t element, const subwave_mpi_matrix *from,
                      const subwave_mpi_matrix *to);

#endif
