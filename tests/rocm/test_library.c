/* SPDX-License-Identifier: MIT
 * test_library.c: the library when HIP's calls fail: each of them in turn, in a child process. The
 * caller is told, or the results are right nevertheless; nothing crashes, and what the caller
 * allocated can be freed.
 */
#define _GNU_SOURCE
#include <subwave/subwave.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIZE = 33, COUNT = SIZE * SIZE, GROUPED = COUNT / 64 * 64 };
enum { RIGHT, TOLD, WRONG }; /* a child's exit status */

/* Memory that is filled on one stream and copied, but for the last of each row, on another one. The
 * number of failures; `*moved` is whether the host has what it should. */
static int use_streams(subwave_context *ctx, bool *moved)
{
    const float seven = 7;
    void *own = NULL, *stream = NULL;
    float *pinned = NULL, *device = NULL;
    subwave_event *filled = NULL, *copied = NULL;
    bool reached = false;
    double elapsed = -1;
    int64_t unused, total;
    int failures = 0;
#define TRY(call) failures += (call) != SUBWAVE_STATUS_SUCCESS
    TRY(subwave_memory_info(ctx, &unused, &total));
    TRY(subwave_get_stream(ctx, &own));
    TRY(subwave_stream_create(ctx, &stream, SUBWAVE_PRIORITY_HIGH));
    TRY(subwave_event_create(ctx, &filled));
    TRY(subwave_event_create(ctx, &copied));
    TRY(subwave_malloc_host(ctx, (void **)&pinned, COUNT * sizeof *pinned));
    TRY(subwave_malloc_async(ctx, (void **)&device, COUNT * sizeof *device));
    if (stream && filled && copied && pinned && device) {
        memset(pinned, 0, COUNT * sizeof *pinned);
        TRY(subwave_fill(ctx, SUBWAVE_DTYPE_F32, &seven, COUNT, device));
        TRY(subwave_event_record(ctx, filled));
        TRY(subwave_set_stream(ctx, stream));
        TRY(subwave_event_wait(ctx, filled));
        TRY(subwave_copy_2d_async(ctx, pinned, SIZE * sizeof(float), device, SIZE * sizeof(float),
                                  (SIZE - 1) * sizeof(float), SIZE));
        TRY(subwave_event_record(ctx, copied));
        TRY(subwave_event_synchronize(ctx, copied));
        TRY(subwave_event_query(ctx, copied, &reached));
        TRY(subwave_event_elapsed(ctx, filled, copied, &elapsed));
        TRY(subwave_set_stream(ctx, own));
        *moved = reached && elapsed >= 0;
        for (int i = 0; i < COUNT; ++i)
            *moved &= pinned[i] == (i % SIZE == SIZE - 1 ? 0 : 7);
    }
    /* What was not freed still can be. */
    if (subwave_free_async(ctx, device) != SUBWAVE_STATUS_SUCCESS) {
        ++failures;
        TRY(subwave_free_async(ctx, device));
    }
    if (subwave_free_host(ctx, pinned) != SUBWAVE_STATUS_SUCCESS) {
        ++failures;
        TRY(subwave_free_host(ctx, pinned));
    }
    TRY(subwave_stream_destroy(ctx, stream));
    TRY(subwave_event_destroy(ctx, filled));
    TRY(subwave_event_destroy(ctx, copied));
#undef TRY
    return failures;
}

/* A product and a sum of every kind of call, as a program does it that goes on to its end whatever
 * happens.
 */
static int use_the_library(void)
{
    static float a[COUNT], b[COUNT], c[COUNT], sum[COUNT], upto[COUNT], greatest, product, norm,
        greatest_too, flipped[COUNT], of_segments[3], in_segments[COUNT], in_cells[15], in_bins[2],
        queue[COUNT];
    static const int32_t offsets[] = {0, 14, 14, COUNT};
    int64_t where = -1, sixes = 0, counts[2] = {0}, queued = 0;
    double squares = 0;
    float all = 0;
    float of_rows[SIZE] = {0}, in_rows[COUNT] = {0}, greatest_of_rows[SIZE] = {0};
    int64_t places[SIZE] = {0};
    float *da = NULL, *db = NULL, *dc = NULL, one = 1, zero = 0, five = 5;
    const subwave_group whole = {.kind = SUBWAVE_GROUP_SUB_GROUP, .block = {64, 1, 1}};
    subwave_context *ctx = NULL;
    int failures = 0;
    for (int i = 0; i < COUNT; ++i) {
        a[i] = (float)(i % 7);
        b[i] = (float)(i % SIZE == i / SIZE); /* the unit matrix */
        squares += a[i] * a[i];
        all += a[i];
    }
    if (subwave_context_create(&ctx, "gpu:0") != SUBWAVE_STATUS_SUCCESS)
        return TOLD;
#define TRY(call) failures += (call) != SUBWAVE_STATUS_SUCCESS
    TRY(subwave_malloc(ctx, (void **)&da, sizeof a));
    TRY(subwave_malloc(ctx, (void **)&db, sizeof b));
    TRY(subwave_malloc(ctx, (void **)&dc, sizeof c));
    if (da && db && dc) {
        TRY(subwave_copy(ctx, da, a, sizeof a));
        TRY(subwave_copy(ctx, db, b, sizeof b));
        TRY(subwave_matmul(ctx, SUBWAVE_VARIANT_AUTO, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR,
                           SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, SIZE, SIZE, SIZE, &one,
                           da, SIZE, db, SIZE, &zero, dc, SIZE));
        TRY(subwave_synchronize(ctx));
        TRY(subwave_copy(ctx, c, dc, sizeof c));
        TRY(subwave_group_reduce(ctx, SUBWAVE_DTYPE_F32, SUBWAVE_OP_MAXIMUM, &whole, GROUPED, NULL,
                                 da, db));
        TRY(subwave_copy(ctx, sum, db, sizeof sum));
        TRY(subwave_reduce(ctx, SUBWAVE_DTYPE_F32, SUBWAVE_OP_MAXIMUM, SUBWAVE_ORDER_FIXED, COUNT,
                           NULL, da, SUBWAVE_PLACE_HOST, &greatest));
        TRY(subwave_scan(ctx, SUBWAVE_DTYPE_F32, SUBWAVE_OP_MAXIMUM, SUBWAVE_SCAN_INCLUSIVE,
                         SUBWAVE_ORDER_FIXED, COUNT, NULL, da, db));
        TRY(subwave_copy(ctx, upto, db, sizeof upto));
        TRY(subwave_transpose(ctx, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR, SIZE, SIZE, da,
                              SIZE, db, SIZE));
        TRY(subwave_copy(ctx, flipped, db, sizeof flipped));
        TRY(subwave_partition_if(ctx, SUBWAVE_DTYPE_F32, SUBWAVE_COMPARISON_GREATER, &five, COUNT,
                                 da, db, dc + 2, (int64_t *)dc));
        TRY(subwave_copy(ctx, &sixes, dc, sizeof sixes));
        TRY(subwave_histogram(ctx, SUBWAVE_DTYPE_F32, 2, 0, 6, COUNT, da, (int64_t *)db));
        TRY(subwave_copy(ctx, counts, db, sizeof counts));
        TRY(subwave_histogram_weighted(ctx, SUBWAVE_DTYPE_F32, SUBWAVE_ORDER_FIXED, 2, 0, 6, COUNT,
                                       da, da, db));
        TRY(subwave_copy(ctx, in_bins, db, sizeof in_bins));
        TRY(subwave_copy(ctx, db, &queued, sizeof queued));
        TRY(subwave_append_if(ctx, SUBWAVE_DTYPE_F32, SUBWAVE_COMPARISON_GREATER, &five, COUNT, da,
                              COUNT - 2, db + 2, (int64_t *)db));
        TRY(subwave_copy(ctx, &queued, db, sizeof queued));
        TRY(subwave_copy(ctx, queue, db + 2, COUNT / 7 * sizeof *queue));
        TRY(subwave_copy(ctx, dc, offsets, sizeof offsets));
        TRY(subwave_segmented_reduce(ctx, SUBWAVE_DTYPE_F32, SUBWAVE_OP_MAXIMUM, SUBWAVE_DTYPE_I32,
                                     3, dc, COUNT, da, db));
        TRY(subwave_copy(ctx, of_segments, db, sizeof of_segments));
        TRY(subwave_segmented_scan(ctx, SUBWAVE_DTYPE_F32, SUBWAVE_OP_MAXIMUM,
                                   SUBWAVE_SCAN_INCLUSIVE, SUBWAVE_DTYPE_I32, 3, dc, COUNT, da,
                                   db));
        TRY(subwave_copy(ctx, in_segments, db, sizeof in_segments));
        TRY(subwave_copy(ctx, db, in_cells, sizeof in_cells));
        TRY(subwave_scatter_add(ctx, SUBWAVE_DTYPE_F32, SUBWAVE_ORDER_FIXED, 3, SUBWAVE_DTYPE_I32,
                                dc, da + 1, 15, db));
        TRY(subwave_copy(ctx, in_cells, db, sizeof in_cells));
        TRY(subwave_dot(ctx, SUBWAVE_DTYPE_F32, SUBWAVE_CONJUGATION_NONE, SUBWAVE_ORDER_FIXED,
                        COUNT, da, da, SUBWAVE_PLACE_HOST, &product));
        TRY(subwave_norm2(ctx, SUBWAVE_DTYPE_F32, SUBWAVE_ORDER_FIXED, COUNT, da,
                          SUBWAVE_PLACE_HOST, &norm));
        TRY(subwave_minmax_index(ctx, SUBWAVE_DTYPE_F32, SUBWAVE_OP_MAXIMUM, COUNT, da,
                                 SUBWAVE_PLACE_HOST, &greatest_too, &where));
        TRY(subwave_row_reduce(ctx, SUBWAVE_DTYPE_F32, SUBWAVE_OP_MAXIMUM, SIZE, SIZE, da, SIZE,
                               db));
        TRY(subwave_copy(ctx, of_rows, db, sizeof of_rows));
        TRY(subwave_row_scan(ctx, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE, SIZE,
                             SIZE, da, SIZE, db, SIZE));
        TRY(subwave_copy(ctx, in_rows, db, sizeof in_rows));
        TRY(subwave_row_minmax_index(ctx, SUBWAVE_DTYPE_F32, SUBWAVE_OP_MAXIMUM, SIZE, SIZE, da,
                                     SIZE, db, (int64_t *)dc));
        TRY(subwave_copy(ctx, greatest_of_rows, db, sizeof greatest_of_rows));
        TRY(subwave_copy(ctx, places, dc, sizeof places));
    }
    float *const arrays[] = {da, db, dc};
    for (int i = 0; i < 3; ++i)
        if (subwave_free(ctx, arrays[i]) != SUBWAVE_STATUS_SUCCESS) {
            ++failures;
            TRY(subwave_free(ctx, arrays[i])); /* what was not freed still can be */
        }
    bool moved = false;
    failures += use_streams(ctx, &moved);
    TRY(subwave_context_destroy(&ctx));
    if (failures)
        return TOLD;
    if (!moved || product != squares || norm * norm < squares - 0.01 ||
        norm * norm > squares + 0.01 || greatest_too != 6 || where != 6 || sixes != COUNT / 7 ||
        counts[0] + counts[1] != COUNT || of_segments[0] != 6 || of_segments[1] > -INFINITY ||
        of_segments[2] != 6 || in_cells[0] != 1 || in_cells[14] != 2 + 3 ||
        in_bins[0] + in_bins[1] != all || queued != COUNT / 7)
        return WRONG;
    for (int i = 0; i < COUNT / 7; ++i)
        if (queue[i] != 6)
            return WRONG;
    for (int r = 0; r < SIZE; ++r) {
        float upto_here = 0;
        int right = r * SIZE;
        for (int i = right; i < (r + 1) * SIZE; ++i) {
            right = a[i] > a[right] ? i : right;
            upto_here += a[i];
            if (in_rows[i] != upto_here)
                return WRONG;
        }
        if (of_rows[r] != a[right] || greatest_of_rows[r] != a[right] ||
            places[r] != right - r * SIZE)
            return WRONG;
    }
    for (int i = 0; i < COUNT; ++i)
        if (greatest != 6 || flipped[i] != a[i % SIZE * SIZE + i / SIZE] ||
            upto[i] != (i < 6 ? a[i] : 6) || in_segments[i] != (i < 14 ? upto[i] : upto[i - 14]) ||
            c[i] != a[i] || (i < GROUPED && sum[i] != 6))
            return WRONG;
    return RIGHT;
}

static struct {
    int status;
    char output[65536];
} child;

static void run_child(unsigned long failing)
{
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        char number[32];
        snprintf(number, sizeof number, "%lu::hipErrorOutOfMemory", failing);
        setenv("SUBWAVE_ROCM_REPORT", "-", 1);
        if (failing)
            setenv("SUBWAVE_ROCM_FAIL_CALL", number, 1);
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        execl("/proc/self/exe", "test_rocm_library", "child", (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    size_t n = 0;
    ssize_t part;
    while ((part = read(pipes[0], child.output + n, sizeof child.output - 1 - n)) > 0)
        n += (size_t)part;
    child.output[n] = 0;
    close(pipes[0]);
    assert_int_equal(waitpid(pid, &child.status, 0), pid);
}

static unsigned long reported(const char *what)
{
    const char *at = strstr(child.output, what);
    assert_non_null(at);
    return strtoul(at + strlen(what), NULL, 10);
}

static void test_every_call(void **state)
{
    (void)state;
    run_child(0);
    assert_true(WIFEXITED(child.status));
    assert_int_equal(WEXITSTATUS(child.status), RIGHT);
    assert_int_equal(reported("\"leaks\": {\"allocations\": ") + reported("\"streams\": ") +
                         reported("\"events\": "),
                     0);
    const unsigned long calls = reported("\"calls\": ");
    assert_true(calls > 30);
    unsigned long told = 0;
    for (unsigned long k = 1; k <= calls; ++k) {
        run_child(k);
        /* The library's own event or memory stays when the call that releases it fails. */
        const bool well = WIFEXITED(child.status) && WEXITSTATUS(child.status) < WRONG &&
                          strstr(child.output, "fails with") &&
                          !strstr(child.output, "\"bytes\": 4356}");
        if (!well)
            print_error("with call %lu of %lu failing, the program ends with %#x:\n%s\n", k, calls,
                        child.status, child.output);
        assert_true(well);
        told += WEXITSTATUS(child.status) == TOLD;
    }
    printf("%lu calls failed in turn, %lu failures were told, none gave a wrong result\n", calls,
           told);
    assert_true(told > calls / 2);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return use_the_library();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_call)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
