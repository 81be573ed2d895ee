/* SPDX-License-Identifier: MIT
 * test_faults.c: libsubwave_mpi where calls of the C library fail on one rank: all ranks return its
 * status, and the grid goes on to be of use; and where a rank does not come: the others end within
 * the time limit. The linker puts the functions below in front of the library's.
 */
#include "check.h"

#include <unistd.h>

static int guilty; /* the rank whose calls fail */

/* Of this rank's calls of a function the one with number `fails` returns `status`. */
typedef struct wrapped {
    const char *name;
    int calls, fails;
    subwave_status status;
} wrapped;

static bool is_due(wrapped *x) { return check_rank == guilty && ++x->calls == x->fails; }

/* X(name, parameters, arguments) */
#define WRAPPED(X) \
    X(malloc, (subwave_context * context, void **pointer, int64_t bytes), \
      (context, pointer, bytes)) \
    X(malloc_host, (subwave_context * context, void **pointer, int64_t bytes), \
      (context, pointer, bytes)) \
    X(synchronize, (subwave_context * context), (context)) \
    X(event_create, (subwave_context * context, subwave_event * *event), (context, event)) \
    X(event_record, (subwave_context * context, subwave_event * event), (context, event)) \
    X(event_wait, (subwave_context * context, subwave_event * event), (context, event)) \
    X(context_create, (subwave_context * *context, const char *device), (context, device)) \
    X(copy_async, (subwave_context * context, void *to, const void *from, int64_t bytes), \
      (context, to, from, bytes)) \
    X(copy_2d_async, \
      (subwave_context * context, void *to, int64_t to_pitch, const void *from, \
       int64_t from_pitch, int64_t width, int64_t height), \
      (context, to, to_pitch, from, from_pitch, width, height)) \
    X(matmul, \
      (subwave_context * context, subwave_variant variant, subwave_dtype dtype, \
       subwave_layout layout, subwave_transpose_kind transpose_a, \
       subwave_transpose_kind transpose_b, int64_t m, int64_t n, int64_t k, const void *alpha, \
       const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta, void *c, \
       int64_t ldc), \
      (context, variant, dtype, layout, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, \
       beta, c, ldc)) \
    X(reduce, \
      (subwave_context * context, subwave_dtype dtype, subwave_op op, subwave_order order, \
       int64_t n, const void *init, const void *x, subwave_place place, void *result), \
      (context, dtype, op, order, n, init, x, place, result)) \
    X(scan, \
      (subwave_context * context, subwave_dtype dtype, subwave_op op, subwave_scan_kind kind, \
       subwave_order order, int64_t n, const void *init, const void *x, void *y), \
      (context, dtype, op, kind, order, n, init, x, y)) \
    X(transpose, \
      (subwave_context * context, subwave_dtype dtype, subwave_layout layout, int64_t m, \
       int64_t n, const void *x, int64_t ldx, void *y, int64_t ldy), \
      (context, dtype, layout, m, n, x, ldx, y, ldy)) \
    X(histogram, \
      (subwave_context * context, subwave_dtype dtype, int64_t bins, double lower, double upper, \
       int64_t n, const void *x, int64_t *counts), \
      (context, dtype, bins, lower, upper, n, x, counts))

#define DEFINE(name, parameters, arguments) \
    static wrapped of_##name = {#name, 0, 0, SUBWAVE_STATUS_DEVICE_ERROR}; \
    subwave_status __real_subwave_##name parameters; \
    subwave_status __wrap_subwave_##name parameters; \
    subwave_status __wrap_subwave_##name parameters \
    { \
        return is_due(&of_##name) ? of_##name.status : __real_subwave_##name arguments; \
    }
WRAPPED(DEFINE)
#undef DEFINE

static wrapped *const functions[] = {
#define ADDRESS(name, ...) &of_##name,
    WRAPPED(ADDRESS)
#undef ADDRESS
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Work that is queued and never ends, as where RCCL or NCCL waits for a lost rank. */
static bool work_hangs;
subwave_status __real_subwave_event_query(subwave_context *context, subwave_event *event,
                                          bool *reached);
subwave_status __wrap_subwave_event_query(subwave_context *context, subwave_event *event,
                                          bool *reached);
subwave_status __wrap_subwave_event_query(subwave_context *context, subwave_event *event,
                                          bool *reached)
{
    const subwave_status status = __real_subwave_event_query(context, event, reached);
    *reached = *reached && !work_hangs;
    return status;
}

/* --- calls ----------------------------------------------------------------------------------- */

enum { N = 24, BLOCK = 3, BINS = 5 };
static subwave_context *context;
static subwave_mpi *mpi;
static subwave_mpi_layout layout, other; /* of matrices of N x N; the other one in other blocks */
static double *a, *c;                    /* of 1, and results */
static int64_t *counts;
static int64_t elements; /* of this rank's part of a, C and arrays */

static subwave_status call(int which)
{
    const double one = 1, zero = 0;
    switch (which) {
    case 0:
        return subwave_mpi_matmul(mpi, SUBWAVE_DTYPE_F64, SUBWAVE_TRANSPOSE_NONE,
                                  SUBWAVE_TRANSPOSE_YES, &one, &layout, a, &other, a, &zero,
                                  &layout, c);
    case 1:
        return subwave_mpi_transpose(mpi, SUBWAVE_DTYPE_F64, &other, a, &layout, c);
    case 2:
        return subwave_mpi_reduce(mpi, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_ORDER_FIXED, 3,
                                  NULL, a, SUBWAVE_PLACE_DEVICE, c);
    case 3:
        return subwave_mpi_scan(mpi, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE,
                                SUBWAVE_ORDER_FIXED, 3, NULL, a, c);
    case 4:
        return subwave_mpi_histogram(mpi, SUBWAVE_DTYPE_F64, BINS, 0, 2, 3, a, counts);
    default:
        return subwave_mpi_synchronize(mpi);
    }
}
static const char *const names[] = {"matmul", "transpose", "reduce",
                                    "scan",   "histogram", "synchronize"};
enum { CALLS = sizeof names / sizeof *names, COLLECTIVE = CALLS - 1 };

/* The first result of a call that has gone well. */
static double result(int which)
{
    switch (which) {
    case 0:
        return N;
    case 1:
        return 1;
    case 2:
        return 3 * check_size;
    default:
        return 3 * check_rank + 1;
    }
}

static void make(subwave_mpi_transport transport)
{
    const subwave_status status =
        subwave_mpi_create(&mpi, context, MPI_COMM_WORLD, 1, check_size, transport);
    CHECK(status == SUBWAVE_STATUS_SUCCESS, "%s", subwave_mpi_last_error(NULL));
}

/* Lets one call after another of each function fail, until the call does not get so far. */
static void test_calls(subwave_mpi_transport transport)
{
    for (int which = 0; which < COLLECTIVE; ++which)
        for (int f = 0; f < FUNCTIONS; ++f)
            for (int fails = 1; fails < 40; ++fails) {
                make(transport);
                for (int64_t i = 0; i < elements; ++i)
                    c[i] = -7;
                counts[0] = counts[BINS / 2] = -7;
                functions[f]->calls = 0;
                functions[f]->fails = fails;
                const subwave_status status = call(which);
                functions[f]->fails = 0;
                const bool before = functions[f] == &of_malloc || functions[f] == &of_malloc_host;
                char text[20] = "";
                if (check_rank != guilty)
                    snprintf(text, sizeof text, "rank %d: ", guilty);
                CHECK(status == SUBWAVE_STATUS_SUCCESS || status == functions[f]->status, "%s: %s",
                      names[which], subwave_status_name(status));
                CHECK(status == SUBWAVE_STATUS_SUCCESS ||
                          strncmp(subwave_mpi_last_error(mpi), text, strlen(text)) == 0,
                      "%s, call %d of %s: \"%s\"", names[which], fails, functions[f]->name,
                      subwave_mpi_last_error(mpi));
                CHECK(status == SUBWAVE_STATUS_SUCCESS || !before ||
                          (c[0] == -7 && counts[0] == -7),
                      "%s has written without memory", names[which]);
                const subwave_status again = call(which);
                CHECK(again == SUBWAVE_STATUS_SUCCESS, "%s after call %d of %s: %s", names[which],
                      fails, functions[f]->name, subwave_mpi_last_error(mpi));
                CHECK(which == 4 ? counts[BINS / 2] == 3 * check_size : c[0] == result(which),
                      "%s after call %d of %s: %g", names[which], fails, functions[f]->name, c[0]);
                CHECK(subwave_mpi_destroy(&mpi) == SUBWAVE_STATUS_SUCCESS, "%s",
                      subwave_mpi_last_error(NULL));
                if (status == SUBWAVE_STATUS_SUCCESS)
                    break;
                CHECK(fails < 39, "%s has no end of %s", names[which], functions[f]->name);
            }
}

static void test_create(subwave_mpi_transport transport)
{
    int failed = 0;
    for (int f = 0; f < FUNCTIONS; ++f)
        for (int fails = 1; fails < 40; ++fails) {
            functions[f]->calls = 0;
            functions[f]->fails = fails;
            const subwave_status status =
                subwave_mpi_create(&mpi, context, MPI_COMM_WORLD, check_size, 1, transport);
            functions[f]->fails = 0;
            CHECK(status == SUBWAVE_STATUS_SUCCESS ? mpi != NULL
                                                   : status == functions[f]->status && !mpi,
                  "create: %s", subwave_status_name(status));
            if (status == SUBWAVE_STATUS_SUCCESS) {
                CHECK(subwave_mpi_destroy(&mpi) == SUBWAVE_STATUS_SUCCESS, "%s",
                      subwave_mpi_last_error(NULL));
                break;
            }
            ++failed;
        }
    CHECK(failed >= 6, "%d calls of creating a grid could fail", failed);
}

/* RCCL or NCCL fails in a broadcast, in which the other ranks have taken part. */
static void test_ccl(void)
{
    make(SUBWAVE_MPI_TRANSPORT_CCL);
    char rank[12];
    snprintf(rank, sizeof rank, "%d", guilty);
    setenv("SUBWAVE_TEST_CCL_FAILS", rank, 1);
    CHECK_FAILS(mpi, call(0), SUBWAVE_STATUS_COMMUNICATION_ERROR, guilty,
                "transport is CCL, whose ncclBroadcast failed: a planted error");
    unsetenv("SUBWAVE_TEST_CCL_FAILS");
    for (int which = 0; which < CALLS; ++which)
        CHECK_FAILS(mpi, call(which), SUBWAVE_STATUS_COMMUNICATION_ERROR, guilty,
                    "transport is CCL");
    CHECK_FAILS(NULL, subwave_mpi_destroy(&mpi), SUBWAVE_STATUS_COMMUNICATION_ERROR, guilty,
                "transport is CCL");
}

/* One rank does not come to a call. */
static void test_lost(int which)
{
    setenv("SUBWAVE_MPI_TIMEOUT", "1", 1);
    make(SUBWAVE_MPI_TRANSPORT_HOST);
    char text[160];
    if (check_rank != guilty) {
        snprintf(
            text, sizeof text,
            "subwave_mpi_%s, rank %d: agreeing: not all ranks have come within 1 s (SUBWAVE_MPI_TIMEOUT)",
            names[which], check_rank);
        const double begun = MPI_Wtime();
        CHECK_FAILS(mpi, call(which), SUBWAVE_STATUS_COMMUNICATION_ERROR, -1, text);
        const double ended = MPI_Wtime();
        CHECK(ended - begun >= 1 && ended - begun < 10, "a lost rank was waited for %g s",
              ended - begun);
        for (int next = 0; next < CALLS; ++next)
            CHECK_FAILS(mpi, call(next), SUBWAVE_STATUS_COMMUNICATION_ERROR, -1, text);
        CHECK_FAILS(NULL, subwave_mpi_destroy(&mpi), SUBWAVE_STATUS_COMMUNICATION_ERROR, -1, text);
        CHECK(MPI_Wtime() - ended < 0.5, "a lost rank is waited for again");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == guilty) { /* The others are gone, or, to MPI, still where they were. */
        const subwave_status status = subwave_mpi_destroy(&mpi);
        CHECK(status == SUBWAVE_STATUS_COMMUNICATION_ERROR ||
                  status == SUBWAVE_STATUS_INVALID_VALUE,
              "the lost rank: %s", subwave_status_name(status));
    }
    unsetenv("SUBWAVE_MPI_TIMEOUT");
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The work of a product does not end on the other ranks, which wait for it, or end the grid at once. */
static void test_hanging(bool waits)
{
    setenv("SUBWAVE_MPI_TIMEOUT", "1", 1);
    make(SUBWAVE_MPI_TRANSPORT_CCL);
    CHECK(call(0) == SUBWAVE_STATUS_SUCCESS, "%s", subwave_mpi_last_error(mpi));
    if (check_rank != guilty) {
        char text[160];
        snprintf(text, sizeof text,
                 "subwave_mpi_%s, rank %d: the work has not ended within SUBWAVE_MPI_TIMEOUT",
                 waits ? "synchronize" : "destroy", check_rank);
        work_hangs = true;
        const double begun = MPI_Wtime();
        for (int next = COLLECTIVE; waits && next < 2 * CALLS; ++next)
            CHECK_FAILS(mpi, call(next % CALLS), SUBWAVE_STATUS_COMMUNICATION_ERROR, -1, text);
        CHECK_FAILS(NULL, subwave_mpi_destroy(&mpi), SUBWAVE_STATUS_COMMUNICATION_ERROR, -1, text);
        const double seconds = MPI_Wtime() - begun;
        CHECK(seconds >= 1 && seconds < 3, "work that hangs was waited for %g s", seconds);
        work_hangs = false;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == guilty)
        CHECK(subwave_mpi_destroy(&mpi) == SUBWAVE_STATUS_COMMUNICATION_ERROR, "the lost rank");
    unsetenv("SUBWAVE_MPI_TIMEOUT");
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The work of a reduction to the host, which waits for it, does not end on the other ranks. */
static void test_hanging_reduction(void)
{
    setenv("SUBWAVE_MPI_TIMEOUT", "1", 1);
    make(SUBWAVE_MPI_TRANSPORT_CCL);
    char text[160];
    snprintf(text, sizeof text, "subwave_mpi_reduce, rank %d: %s", check_rank,
             check_rank == guilty ? "agreeing: not all ranks have come"
                                  : "the work has not ended within SUBWAVE_MPI_TIMEOUT");
    work_hangs = check_rank != guilty;
    double sum = -7;
    const double begun = MPI_Wtime();
    CHECK_FAILS(mpi,
                subwave_mpi_reduce(mpi, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_ORDER_FIXED, 3,
                                   NULL, a, SUBWAVE_PLACE_HOST, &sum),
                SUBWAVE_STATUS_COMMUNICATION_ERROR, -1, text);
    CHECK(check_rank == guilty || sum == -7, "a result was written: %g", sum);
    CHECK(MPI_Wtime() - begun < 3, "work that hangs was waited for %g s", MPI_Wtime() - begun);
    CHECK_FAILS(NULL, subwave_mpi_destroy(&mpi), SUBWAVE_STATUS_COMMUNICATION_ERROR, -1, text);
    work_hangs = false;
    unsetenv("SUBWAVE_MPI_TIMEOUT");
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    guilty = check_size - 1;
    CHECK(subwave_context_create(&context, NULL) == SUBWAVE_STATUS_SUCCESS, "no device");
    layout = (subwave_mpi_layout){
        .rows = N, .columns = N, .block_rows = BLOCK, .block_columns = BLOCK, .ld = N};
    other = layout;
    other.block_columns = 2 * BLOCK;
    elements = N * N;
    a = calloc(N * N, sizeof *a);
    c = calloc(N * N, sizeof *c);
    counts = calloc(BINS, sizeof *counts);
    for (int i = 0; i < N * N; ++i)
        a[i] = 1;
    of_malloc.status = of_malloc_host.status = SUBWAVE_STATUS_OUT_OF_MEMORY;
    const subwave_mpi_transport transport = argc > 1 && strcmp(argv[1], "ccl") == 0
                                                ? SUBWAVE_MPI_TRANSPORT_CCL
                                                : SUBWAVE_MPI_TRANSPORT_HOST;
    test_create(transport);
    test_calls(transport);
    if (getenv("SUBWAVE_MPI_CCL")) {
        test_ccl();
        test_hanging(true);
        test_hanging(false);
        test_hanging_reduction();
    }
    test_lost(0);
    test_lost(2);
    CHECK(subwave_context_destroy(&context) == SUBWAVE_STATUS_SUCCESS, "the context");
    free(a);
    free(c);
    free(counts);
    return check_end("faults");
}
