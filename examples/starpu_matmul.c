/* SPDX-License-Identifier: MIT
 * starpu_matmul.c: a tiled matrix product as tasks of StarPU, each of which is one call of subwave.
 * StarPU knows from the tiles that tasks read and write which of them may run at the same time,
 * and, with more than one kind of worker, where each runs.
 *
 *   cc starpu_matmul.c $(pkg-config --cflags --libs subwave starpu-1.3) -o starpu_matmul
 *   SUBWAVE_CPU_THREADS=1 ./starpu_matmul 512
 *
 * Element (i, j) of A is i + 1, and of B it is 1 / (i + 1), so that element (i, j) of C is (i + 1)
 * times the sum of 1 / (l + 1) over l.
 */
#include <subwave/subwave.h>

#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

enum { TILE = 64, MOST_WORKERS = STARPU_NMAXWORKERS };

/* A context is one thread's at a time: each worker has its own. */
static subwave_context *contexts[MOST_WORKERS];

static void open_context(void *unused)
{
    (void)unused;
    if (subwave_context_create(&contexts[starpu_worker_get_id()], "cpu"))
        fprintf(stderr, "starpu_matmul: %s\n", subwave_last_error(NULL));
}

static void close_context(void *unused)
{
    (void)unused;
    subwave_context_destroy(&contexts[starpu_worker_get_id()]);
}

/* C += A B, of tiles in column-major order. */
static void multiply(void *buffers[], void *unused)
{
    (void)unused;
    const double one = 1;
    subwave_context *context = contexts[starpu_worker_get_id()];
    const subwave_status status = subwave_matmul(
        context, SUBWAVE_VARIANT_AUTO, SUBWAVE_DTYPE_F64, SUBWAVE_LAYOUT_COLUMN_MAJOR,
        SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, STARPU_MATRIX_GET_NX(buffers[2]),
        STARPU_MATRIX_GET_NY(buffers[2]), STARPU_MATRIX_GET_NY(buffers[0]), &one,
        (const void *)STARPU_MATRIX_GET_PTR(buffers[0]), STARPU_MATRIX_GET_LD(buffers[0]),
        (const void *)STARPU_MATRIX_GET_PTR(buffers[1]), STARPU_MATRIX_GET_LD(buffers[1]), &one,
        (void *)STARPU_MATRIX_GET_PTR(buffers[2]), STARPU_MATRIX_GET_LD(buffers[2]));
    if (status)
        fprintf(stderr, "starpu_matmul: %s: %s\n", subwave_status_text(status),
                subwave_last_error(context));
}

static struct starpu_codelet codelet = {
    .cpu_funcs = {multiply},
    .nbuffers = 3,
    .modes = {STARPU_R, STARPU_R, STARPU_RW},
    .name = "subwave_matmul",
};

/* StarPU's handles of the tiles of an n x n matrix, which has a whole number of them. */
static starpu_data_handle_t *divide(double *x, int64_t n)
{
    const int64_t tiles = n / TILE;
    starpu_data_handle_t *handles = calloc((size_t)(tiles * tiles), sizeof *handles);
    for (int64_t j = 0; j < tiles && handles; ++j)
        for (int64_t i = 0; i < tiles; ++i)
            starpu_matrix_data_register(&handles[i + j * tiles], STARPU_MAIN_RAM,
                                        (uintptr_t)(x + i * TILE + j * TILE * n), (uint32_t)n, TILE,
                                        TILE, sizeof *x);
    return handles;
}

int main(int argc, char **argv)
{
    const int64_t n = (argc > 1 ? atoll(argv[1]) : 256) / TILE * TILE, tiles = n / TILE;
    double *x[3];
    starpu_data_handle_t *handles[3];
    if (n == 0 || starpu_init(NULL)) {
        fprintf(stderr, "starpu_matmul: no worker, or nothing to do\n");
        return 1;
    }
    starpu_execute_on_each_worker(open_context, NULL, STARPU_CPU);
    for (int i = 0; i < 3; ++i) {
        x[i] = calloc((size_t)(n * n), sizeof *x[i]);
        if (!x[i])
            return 1;
        for (int64_t at = 0; at < n * n && i < 2; ++at)
            x[i][at] = i == 0 ? (double)(at % n + 1) : 1 / (double)(at % n + 1);
        handles[i] = divide(x[i], n);
        if (!handles[i])
            return 1;
    }

    int failed = 0;
    const double begun = starpu_timing_now();
    for (int64_t l = 0; l < tiles; ++l)
        for (int64_t j = 0; j < tiles; ++j)
            for (int64_t i = 0; i < tiles; ++i)
                failed |= starpu_task_insert(&codelet, STARPU_R, handles[0][i + l * tiles],
                                             STARPU_R, handles[1][l + j * tiles], STARPU_RW,
                                             handles[2][i + j * tiles], 0);
    starpu_task_wait_for_all();
    const double seconds = (starpu_timing_now() - begun) * 1e-6;

    for (int i = 0; i < 3; ++i) {
        for (int64_t t = 0; t < tiles * tiles; ++t)
            starpu_data_unregister(handles[i][t]);
        free(handles[i]);
    }
    double harmonic = 0, worst = 0;
    for (int64_t l = 0; l < n; ++l)
        harmonic += 1 / (double)(l + 1);
    for (int64_t at = 0; at < n * n; ++at)
        worst = fmax(worst, fabs(x[2][at] / ((double)(at % n + 1) * harmonic) - 1));
    printf("n = %lld in tiles of %d by %u workers: %.3g s, %.3g GFLOP/s, relative error %.2g\n",
           (long long)n, TILE, starpu_worker_get_count(), seconds,
           2e-9 * (double)n * (double)n * (double)n / seconds, worst);
    starpu_execute_on_each_worker(close_context, NULL, STARPU_CPU);
    starpu_shutdown();
    for (int i = 0; i < 3; ++i)
        free(x[i]);
    return failed || !(worst < 1e-12);
}
