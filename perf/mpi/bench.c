/* SPDX-License-Identifier: MIT
 * bench.c: subwave-mpi-bench times the calls of libsubwave_mpi on all ranks and, with --alone, the
 * same problem on the first rank's device, and checks each result. Every rank takes the device of
 * its number on its host, or with --device the named one.
 *
 *   mpiexec -n 4 subwave-mpi-bench --matmul 16384 --matmul 32768 --scan 1073741824 --alone
 */
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int size, rank;
static subwave_context *context;
static bool failed;

static void check(subwave_status status, const char *text)
{
    if (status == SUBWAVE_STATUS_SUCCESS)
        return;
    fprintf(stderr, "subwave-mpi-bench: rank %d: %s: %s\n", rank, subwave_status_text(status),
            text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define CHECK(call) check((call), subwave_last_error(context))
#define CHECK_MPI(mpi, call) check((call), subwave_mpi_last_error(mpi))

static void *allocate(size_t bytes)
{
    void *const memory = malloc(bytes);
    if (!memory)
        check(SUBWAVE_STATUS_OUT_OF_MEMORY, "the host's memory");
    return memory;
}

/* --- options --------------------------------------------------------------------------------- */

enum { MOST_CASES = 32 };
static struct {
    struct {
        const char *name;
        int64_t n;
    } cases[MOST_CASES];
    int case_count, repeats, rows;
    int64_t block;
    subwave_mpi_transport transport;
    const char *device;
    bool alone;
} options = {.repeats = 5, .block = 256, .transport = SUBWAVE_MPI_TRANSPORT_AUTO};

static const char *const operations[] = {"matmul", "transpose", "reduce", "scan", "histogram"};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void usage(FILE *to)
{
    fprintf(
        to,
        "usage: mpiexec -n RANKS subwave-mpi-bench [option ...]\n"
        "  --matmul N       a product of N x N matrices of f64; also --transpose N\n"
        "  --scan N         N elements of f64 in all; also --reduce N, --histogram N (1024 bins)\n"
        "  --alone          the same on one device, too\n"
        "  --transport T    auto, host, mpi_device or ccl\n"
        "  --rows R         rows of the grid; as many as make it most square, otherwise\n"
        "  --block B        rows and columns of a matrix's blocks, 256\n"
        "  --repeats R      how often each is timed, 5; the median counts\n"
        "  --device D       every rank's, such as cpu:64\n");
}

static bool parse(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i) {
        const char *const name = argv[i], *const value = i + 1 < argc ? argv[i + 1] : NULL;
        const int64_t number = value ? atoll(value) : 0;
        bool known = false;
        for (int o = 0; o < OPERATIONS; ++o)
            if (strncmp(name, "--", 2) == 0 && strcmp(name + 2, operations[o]) == 0 && number > 0 &&
                options.case_count < MOST_CASES) {
                options.cases[options.case_count].name = operations[o];
                options.cases[options.case_count++].n = number;
                known = true;
            }
        if (strcmp(name, "--alone") == 0) {
            options.alone = true;
            continue;
        }
        if (strcmp(name, "--transport") == 0 && value)
            for (subwave_mpi_transport t = SUBWAVE_MPI_TRANSPORT_AUTO;
                 t <= SUBWAVE_MPI_TRANSPORT_CCL; ++t)
                if (strcmp(value, subwave_mpi_transport_name(t)) == 0)
                    options.transport = t, known = true;
        if (strcmp(name, "--rows") == 0 && number > 0)
            options.rows = (int)number, known = true;
        if (strcmp(name, "--block") == 0 && number > 0)
            options.block = number, known = true;
        if (strcmp(name, "--repeats") == 0 && number > 0)
            options.repeats = (int)number, known = true;
        if (strcmp(name, "--device") == 0 && value)
            options.device = value, known = true;
        if (!known)
            return false;
        ++i;
    }
    return options.case_count > 0;
}

/* --- timing ---------------------------------------------------------------------------------- */

typedef struct job job;
struct job {
    subwave_mpi *mpi;
    peer *peer; /* computes in the place of `mpi`, if there is one */
    MPI_Comm comm;
    int64_t n;             /* of all */
    int64_t own;           /* elements of this rank */
    int64_t rows, columns; /* and of a matrix */
    int grid_rows, grid_row, grid_columns, grid_column;
    subwave_mpi_layout layout;
    void *x, *y, *z;
    double result;
    void (*run)(job *);
};

static int by_time(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the times of the slowest rank; a first call is not timed. */
static double time_of(job *j)
{
    double *const times = allocate((size_t)options.repeats * sizeof *times);
    for (int i = -1; i < options.repeats; ++i) {
        CHECK(subwave_synchronize(context));
        MPI_Barrier(j->comm);
        double seconds = MPI_Wtime();
        j->run(j);
        if (j->mpi)
            CHECK_MPI(j->mpi, subwave_mpi_synchronize(j->mpi));
        seconds = MPI_Wtime() - seconds;
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, j->comm);
        if (i >= 0)
            times[i] = seconds;
    }
    qsort(times, (size_t)options.repeats, sizeof *times, by_time);
    const double median = times[options.repeats / 2];
    free(times);
    return median;
}

/* --- operations ------------------------------------------------------------------------------ */

static void run_matmul(job *j)
{
    const double one = 1, zero = 0;
    if (j->peer)
        peer_matmul(j->peer, j->n, j->rows, j->columns, j->x, j->y, j->z);
    else
        CHECK_MPI(j->mpi, subwave_mpi_matmul(j->mpi, SUBWAVE_DTYPE_F64, SUBWAVE_TRANSPOSE_NONE,
                                             SUBWAVE_TRANSPOSE_NONE, &one, &j->layout, j->x,
                                             &j->layout, j->y, &zero, &j->layout, j->z));
}
static void run_transpose(job *j)
{
    CHECK_MPI(j->mpi,
              subwave_mpi_transpose(j->mpi, SUBWAVE_DTYPE_F64, &j->layout, j->x, &j->layout, j->z));
}
static void run_reduce(job *j)
{
    if (j->peer)
        j->result = peer_reduce(j->peer, context, j->own, j->x);
    else
        CHECK_MPI(j->mpi, subwave_mpi_reduce(j->mpi, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS,
                                             SUBWAVE_ORDER_DEVICE, j->own, NULL, j->x,
                                             SUBWAVE_PLACE_HOST, &j->result));
}
static void run_scan(job *j)
{
    CHECK_MPI(j->mpi,
              subwave_mpi_scan(j->mpi, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE,
                               SUBWAVE_ORDER_DEVICE, j->own, NULL, j->x, j->y));
}
static void run_histogram(job *j)
{
    CHECK_MPI(j->mpi,
              subwave_mpi_histogram(j->mpi, SUBWAVE_DTYPE_F64, 1024, 0, 1, j->own, j->x, j->y));
}
static void (*const runs[])(job *) = {run_matmul, run_transpose, run_reduce, run_scan,
                                      run_histogram};

/* --- data ------------------------------------------------------------------------------------ */

/* The same for the same number everywhere: between 0 and 1, or with any sign and 1/2 to 3/2. */
static double fraction(int64_t i)
{
    uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}
static double signed_number(int64_t i) { return copysign(0.5 + fraction(i), fraction(~i) - 0.5); }

/* The row or column that a local one is. */
static int64_t whole(int64_t i, int64_t block, int parts, int mine)
{
    return (i / block * parts + mine) * block + i % block;
}

/* Matrices are products of a column and a row, of numbers that begin at `column` and at `row`: then
 * so is their product, and each of its elements is known. Fills, or compares with what is there. */
static void rank_one(const job *j, double *x, int64_t column, int64_t row, double factor,
                     double bound)
{
    double *const of_row = allocate((size_t)(j->rows + 1) * sizeof *of_row), worst = 0;
    for (int64_t i = 0; i < j->rows; ++i)
        of_row[i] = signed_number(column + whole(i, options.block, j->grid_rows, j->grid_row));
    for (int64_t c = 0; c < j->columns; ++c) {
        const double of_column =
            factor * signed_number(row + whole(c, options.block, j->grid_columns, j->grid_column));
        for (int64_t i = 0; i < j->rows; ++i) {
            double *const element = &x[i + c * j->layout.ld];
            if (bound == 0)
                *element = of_row[i] * of_column;
            else if (!(fabs(*element - of_row[i] * of_column) <= worst))
                worst = fabs(*element - of_row[i] * of_column);
        }
    }
    free(of_row);
    if (!(worst <= bound)) {
        fprintf(stderr, "subwave-mpi-bench: rank %d: an element is wrong by %g, more than %g\n",
                rank, worst, bound);
        failed = true;
    }
}

static void prepare(job *j)
{
    const bool is_matrix = runs[0] == j->run || runs[1] == j->run;
    int joined, me;
    MPI_Comm_size(j->comm, &joined);
    MPI_Comm_rank(j->comm, &me);
    j->own = j->n / joined;
    if (is_matrix) {
        j->layout = (subwave_mpi_layout){.rows = j->n,
                                         .columns = j->n,
                                         .block_rows = options.block,
                                         .block_columns = options.block};
        CHECK_MPI(j->mpi, subwave_mpi_local_size(j->mpi, &j->layout, &j->rows, &j->columns));
        j->layout.ld = j->rows > 1 ? j->rows : 1;
        j->own = j->layout.ld * j->columns;
    }
    const size_t bytes = (size_t)(j->own + 1024) * sizeof(double);
    double *const host = allocate(bytes);
    void **const arrays[] = {&j->x, &j->y, &j->z};
    const int operands = is_matrix ? 2 : 1;
    for (int a = 0; a < operands; ++a) {
        if (is_matrix)
            rank_one(j, host, a << 26, (a + 4) << 26, 1, 0);
        else
            for (int64_t i = 0; i < j->own; ++i)
                host[i] = fraction(me * j->own + i);
        CHECK(subwave_malloc(context, arrays[a], (int64_t)bytes));
        CHECK(subwave_copy(context, *arrays[a], host, (int64_t)bytes));
    }
    /* The result is to differ from what it begins with. */
    CHECK(subwave_malloc(context, arrays[operands], (int64_t)bytes));
    CHECK(subwave_copy(context, *arrays[operands], j->x, (int64_t)bytes));
    free(host);
}

/* Whether the last call's result is right. */
static void verify(job *j)
{
    double *const host = allocate((size_t)(j->own + 1024) * sizeof *host);
    const double n = (double)j->n;
    if (j->run == run_matmul || j->run == run_transpose) {
        CHECK(subwave_copy(context, host, j->z, j->own * 8));
        double dot = 0, size_of_dot = 0;
        for (int64_t l = 0; l < j->n; ++l) {
            const double product =
                signed_number(((int64_t)4 << 26) + l) * signed_number(((int64_t)1 << 26) + l);
            dot += product;
            size_of_dot += fabs(product);
        }
        if (j->run == run_matmul)
            rank_one(j, host, 0, (int64_t)5 << 26, dot, 2 * n * 0x1p-53 * 2.25 * size_of_dot);
        else
            rank_one(j, host, (int64_t)4 << 26, 0, 1, 0x1p-52);
    } else {
        double wanted = 0, got = j->result;
        int64_t counted = 0, joined = j->n / j->own;
        for (int64_t i = 0; i < joined * j->own; ++i)
            wanted += fraction(i);
        if (j->run == run_scan) {
            int me, all;
            MPI_Comm_rank(j->comm, &me);
            MPI_Comm_size(j->comm, &all);
            CHECK(subwave_copy(context, &got, (double *)j->y + j->own - 1, 8));
            MPI_Bcast(&got, 1, MPI_DOUBLE, all - 1, j->comm);
        }
        if (j->run == run_histogram) {
            CHECK(subwave_copy(context, host, j->y, 1024 * 8));
            for (int i = 0; i < 1024; ++i)
                counted += ((const int64_t *)host)[i];
        }
        if (j->run == run_histogram ? counted != joined * j->own
                                    : !(fabs(got - wanted) <= 1e-9 * wanted)) {
            fprintf(stderr, "subwave-mpi-bench: rank %d: the result is wrong: %.17g, %.17g, %lld\n",
                    rank, got, wanted, (long long)counted);
            failed = true;
        }
    }
    free(host);
}

/* What a second can be said to have done. */
static double rate(const job *j, double seconds, const char **unit)
{
    const double n = (double)j->n;
    *unit = j->run == run_matmul ? "TFLOP/s" : "GB/s";
    if (j->run == run_matmul)
        return 2e-12 * n * n * n / seconds;
    return 8e-9 * (j->run == run_transpose ? 2 * n * n : j->run == run_scan ? 2 * n : n) / seconds;
}

/* Times an operation on the ranks of a communicator; returns the seconds. */
static double measure(MPI_Comm comm, int o, int64_t n, bool by_peer, double alone)
{
    job j = {.comm = comm, .n = n, .run = runs[o]};
    int joined, me;
    MPI_Comm_size(comm, &joined);
    MPI_Comm_rank(comm, &me);
    j.grid_rows = 1;
    for (int i = 1; i * i <= joined; ++i)
        if (joined % i == 0)
            j.grid_rows = i;
    if (options.rows && joined > 1)
        j.grid_rows = options.rows;
    if (by_peer && runs[o] == run_reduce)
        j.grid_rows = 1;
    j.grid_columns = joined / j.grid_rows;
    j.grid_row = me / j.grid_columns;
    j.grid_column = me % j.grid_columns;
    CHECK_MPI(NULL, subwave_mpi_create(&j.mpi, context, comm, j.grid_rows, j.grid_columns,
                                       options.transport));
    subwave_mpi_transport transport = SUBWAVE_MPI_TRANSPORT_AUTO;
    CHECK_MPI(NULL, subwave_mpi_transport_used(j.mpi, &transport));
    prepare(&j);
    if (by_peer)
        j.peer = peer_create(context, comm, j.grid_rows, j.grid_columns, options.block);
    double seconds = 0;
    if (!by_peer || j.peer) {
        seconds = time_of(&j);
        verify(&j);
        const char *unit;
        const double done = rate(&j, seconds, &unit);
        if (me == 0) {
            char name[40];
            snprintf(name, sizeof name, "%s%s", operations[o],
                     !by_peer              ? ""
                     : j.run == run_matmul ? ", NCCL + cuBLAS"
                                           : ", NCCL");
            printf("%-22s %12lld  %d x %d ranks  %-10s  %10.3f ms  %9.3f %s", name, (long long)n,
                   j.grid_rows, j.grid_columns,
                   by_peer ? "ccl" : subwave_mpi_transport_name(transport), 1e3 * seconds, done,
                   unit);
            if (alone > 0)
                printf("  %.2f times one device, efficiency %.3f", alone / seconds,
                       alone / seconds / joined);
            printf("\n");
            fflush(stdout);
        }
    }
    peer_destroy(j.peer);
    CHECK_MPI(NULL, subwave_mpi_destroy(&j.mpi));
    CHECK(subwave_free(context, j.x));
    CHECK(subwave_free(context, j.y));
    CHECK(subwave_free(context, j.z));
    return seconds;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!parse(argc, argv)) {
        if (rank == 0)
            usage(stderr);
        MPI_Finalize();
        return 2;
    }
    MPI_Comm host;
    char device[24];
    int local;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &local);
    MPI_Comm_free(&host);
    snprintf(device, sizeof device, "gpu:%d", local);
    subwave_device_properties properties;
    CHECK(subwave_context_create(&context, options.device ? options.device : device));
    CHECK(subwave_context_info(context, &properties));
    if (rank == 0)
        printf("subwave %s, %d ranks, %s\n", subwave_version(), size, properties.name);

    for (int c = 0; c < options.case_count; ++c) {
        int o = 0;
        while (strcmp(operations[o], options.cases[c].name) != 0)
            ++o;
        double alone = 0;
        if (options.alone && rank == 0)
            alone = measure(MPI_COMM_SELF, o, options.cases[c].n, false, 0);
        /* The others wait without polling: they may have the processors that the first rank
         * computes on. */
        MPI_Request request;
        MPI_Ibcast(&alone, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
        for (int done = 0; !done;) {
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            if (!done)
                peer_sleep();
        }
        measure(MPI_COMM_WORLD, o, options.cases[c].n, false, alone);
        if (PEER_IS_BUILT && (runs[o] == run_matmul || runs[o] == run_reduce))
            measure(MPI_COMM_WORLD, o, options.cases[c].n, true, alone);
    }
    CHECK(subwave_context_destroy(&context));
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_C_BOOL, MPI_LOR, MPI_COMM_WORLD);
    MPI_Finalize();
    return failed;
}
