/* SPDX-License-Identifier: MIT
 * test_events.c: a context's own stream, streams and events: contexts that wait for each other and
 * for nobody else, times, and what outlives what.
 */
#include "../harness.h"
#include "../types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 64, CELLS = N * N, TURNS = 40 };

static const float one = 1, zero = 0;

static subwave_context *another(subwave_context *context)
{
    subwave_context *other;
    subwave_device_properties device;
    assert_ok(context, subwave_context_info(context, &device));
    assert_ok(NULL, subwave_context_create(&other, device.id));
    return other;
}

static void *stream_of(subwave_context *context)
{
    void *stream = NULL;
    assert_ok(context, subwave_get_stream(context, &stream));
    return stream;
}

/* --- streams --------------------------------------------------------------------------------- */

/* Each context has a stream from the start, to which it can return. */
static void test_own_stream(void **state)
{
    subwave_context *const other = another(*state);
    void *const own = stream_of(*state);
    assert_non_null(own);
    assert_non_null(stream_of(other));
    if (!harness_is_cpu(*state))
        assert_ptr_not_equal(stream_of(other), own);
    assert_ok(*state, subwave_set_stream(*state, NULL));
    assert_null(stream_of(*state));
    assert_ok(*state, subwave_synchronize(*state));
    assert_ok(*state, subwave_set_stream(*state, own));
    assert_ptr_equal(stream_of(*state), own);
    assert_ok(*state, subwave_synchronize(*state));
    assert_ok(NULL, subwave_context_destroy(&(subwave_context *){other}));
}

/* C = C B on stream after stream, where B turns columns by one: the order is that of the calls. */
static void test_streams(void **state)
{
    static float a[CELLS], b[CELLS];
    subwave_context *const context = *state;
    void *const own = stream_of(context), *streams[COUNT(all_priorities)];
    float *left, *right, *turned;
    for (int i = 0; i < CELLS; ++i) {
        a[i] = (float)i;
        b[i] = (float)((i / N + 1) % N == i % N);
    }
    assert_ok(context, subwave_malloc(context, (void **)&left, sizeof a));
    assert_ok(context, subwave_malloc(context, (void **)&right, sizeof a));
    assert_ok(context, subwave_malloc(context, (void **)&turned, sizeof a));
    assert_ok(context, subwave_copy(context, left, a, sizeof a));
    assert_ok(context, subwave_copy(context, right, b, sizeof b));
    for (size_t s = 0; s < COUNT(streams); ++s) {
        assert_ok(context, subwave_stream_create(context, &streams[s], all_priorities[s]));
        assert_non_null(streams[s]);
        assert_ptr_not_equal(streams[s], own);
        for (size_t t = 0; t < s; ++t)
            assert_ptr_not_equal(streams[s], streams[t]);
    }
    for (int turn = 0; turn < TURNS; ++turn) {
        void *const stream = streams[(size_t)turn % COUNT(streams)];
        assert_ok(context, subwave_set_stream(context, stream));
        assert_ptr_equal(stream_of(context), stream);
        assert_ok(context,
                  subwave_matmul(context, SUBWAVE_VARIANT_NAIVE, SUBWAVE_DTYPE_F32,
                                 SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                                 SUBWAVE_TRANSPOSE_NONE, N, N, N, &one, turn % 2 ? turned : left, N,
                                 right, N, &zero, turn % 2 ? left : turned, N));
    }
    /* One by one, the last of them while it is in use and not empty. */
    for (size_t s = 0; s < COUNT(streams); ++s) {
        const bool is_current = stream_of(context) == streams[s];
        assert_ok(context, subwave_stream_destroy(context, streams[s]));
        if (is_current)
            assert_ptr_equal(stream_of(context), own);
    }
    assert_ptr_equal(stream_of(context), own);
    assert_ok(context, subwave_stream_destroy(context, NULL));
    assert_ok(context, subwave_copy(context, b, TURNS % 2 ? turned : left, sizeof b));
    for (int i = 0; i < CELLS; ++i)
        assert_true(b[i / N * N + (i + TURNS) % N] == a[i]);
    assert_ok(context, subwave_free(context, left));
    assert_ok(context, subwave_free(context, right));
    assert_ok(context, subwave_free(context, turned));
}

/* --- events ---------------------------------------------------------------------------------- */

static void test_reached(void **state)
{
    subwave_context *const context = *state;
    subwave_event *start = NULL, *stop = NULL;
    bool reached = false;
    float *x;
    double there = -1, back = 0;
    assert_ok(context, subwave_malloc(context, (void **)&x, CELLS * sizeof *x));
    assert_ok(context, subwave_event_create(context, &start));
    assert_ok(context, subwave_event_create(context, &stop));
    assert_true(start && stop && start != stop);
    /* Never recorded. */
    assert_ok(context, subwave_event_query(context, start, &reached));
    assert_true(reached);
    assert_ok(context, subwave_event_wait(context, start));
    assert_ok(context, subwave_event_synchronize(context, start));
    for (int turn = 0; turn < 3; ++turn) { /* and recorded anew */
        assert_ok(context, subwave_event_record(context, start));
        for (int i = 0; i < 10; ++i)
            assert_ok(context, subwave_fill(context, SUBWAVE_DTYPE_F32, &one, CELLS, x));
        assert_ok(context, subwave_event_record(context, stop));
        if (turn == 0)
            assert_ok(context, subwave_event_synchronize(context, stop));
        else if (turn == 1) { /* the call waits for both */
            assert_ok(context, subwave_event_elapsed(context, start, stop, &there));
        } else
            do
                assert_ok(context, subwave_event_query(context, stop, &reached));
            while (!reached);
        reached = false;
        assert_ok(context, subwave_event_query(context, stop, &reached));
        assert_true(reached);
        assert_ok(context, subwave_event_query(context, start, &reached));
        assert_true(reached);
        assert_ok(context, subwave_event_elapsed(context, start, stop, &there));
        assert_ok(context, subwave_event_elapsed(context, stop, start, &back));
        assert_true(there >= 0 && there < 60e3);
        assert_true(fabs(there + back) < 0.01);
    }
    assert_ok(context, subwave_event_elapsed(context, start, start, &there));
    assert_true(there == 0);
    assert_ok(context, subwave_event_destroy(context, start));
    assert_ok(context, subwave_event_destroy(context, stop));
    assert_ok(context, subwave_event_destroy(context, NULL));
    assert_ok(context, subwave_free(context, x));
}

/* Milliseconds are the host's. */
static void test_elapsed(void **state)
{
    subwave_context *const context = *state;
    const struct timespec pause = {.tv_nsec = 50000000};
    subwave_event *start, *stop;
    double elapsed = 0;
    assert_ok(context, subwave_event_create(context, &start));
    assert_ok(context, subwave_event_create(context, &stop));
    assert_ok(context, subwave_event_record(context, start));
    assert_ok(context, subwave_event_synchronize(context, start));
    nanosleep(&pause, NULL);
    assert_ok(context, subwave_event_record(context, stop));
    assert_ok(context, subwave_event_elapsed(context, start, stop, &elapsed));
    assert_true(elapsed > 45 && elapsed < 30000);
    assert_ok(context, subwave_event_destroy(context, start));
    assert_ok(context, subwave_event_destroy(context, stop));
}

/* Two contexts in turn, of which each waits for the other on the device alone. */
static void test_between_contexts(void **state)
{
    static float a[CELLS], b[CELLS];
    subwave_context *const contexts[] = {*state, another(*state)};
    subwave_event *events[2];
    float *left, *right, *turned;
    for (int i = 0; i < CELLS; ++i) {
        a[i] = (float)i;
        b[i] = (float)((i / N + 1) % N == i % N);
    }
    assert_ok(*state, subwave_malloc(*state, (void **)&left, sizeof a));
    assert_ok(*state, subwave_malloc(*state, (void **)&right, sizeof a));
    assert_ok(*state, subwave_malloc(*state, (void **)&turned, sizeof a));
    assert_ok(*state, subwave_copy(*state, left, a, sizeof a));
    assert_ok(*state, subwave_copy(*state, right, b, sizeof b));
    for (int e = 0; e < 2; ++e)
        assert_ok(contexts[e], subwave_event_create(contexts[e], &events[e]));
    for (int turn = 0; turn < TURNS; ++turn) {
        subwave_context *const context = contexts[turn % 2];
        if (turn > 0)
            assert_ok(context, subwave_event_wait(context, events[(turn - 1) % 2]));
        assert_ok(context,
                  subwave_matmul(context, SUBWAVE_VARIANT_NAIVE, SUBWAVE_DTYPE_F32,
                                 SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                                 SUBWAVE_TRANSPOSE_NONE, N, N, N, &one, turn % 2 ? turned : left, N,
                                 right, N, &zero, turn % 2 ? left : turned, N));
        assert_ok(context, subwave_event_record(context, events[turn % 2]));
    }
    assert_ok(*state, subwave_event_wait(*state, events[(TURNS - 1) % 2]));
    assert_ok(*state, subwave_copy(*state, b, TURNS % 2 ? turned : left, sizeof b));
    for (int i = 0; i < CELLS; ++i)
        assert_true(b[i / N * N + (i + TURNS) % N] == a[i]);
    /* An event outlives its context, with all that was recorded. */
    assert_ok(NULL, subwave_context_destroy(&(subwave_context *){contexts[1]}));
    bool reached = false;
    assert_ok(*state, subwave_event_query(*state, events[1], &reached));
    assert_true(reached);
    assert_ok(*state, subwave_event_wait(*state, events[1]));
    assert_ok(*state, subwave_event_record(*state, events[1]));
    for (int e = 0; e < 2; ++e)
        assert_ok(*state, subwave_event_destroy(*state, events[e]));
    assert_ok(*state, subwave_free(*state, left));
    assert_ok(*state, subwave_free(*state, right));
    assert_ok(*state, subwave_free(*state, turned));
}

/* An event may be destroyed while work waits for it. */
static void test_destroyed_early(void **state)
{
    subwave_context *const first = *state, *const second = another(first);
    uint32_t *x, *y, found[N];
    subwave_event *event;
    assert_ok(first, subwave_malloc(first, (void **)&x, sizeof found));
    assert_ok(first, subwave_malloc(first, (void **)&y, sizeof found));
    assert_ok(first, subwave_fill(first, SUBWAVE_DTYPE_U32, &(uint32_t){7}, N, x));
    assert_ok(first, subwave_event_create(first, &event));
    assert_ok(first, subwave_event_record(first, event));
    assert_ok(second, subwave_event_wait(second, event));
    assert_ok(second, subwave_event_destroy(second, event));
    assert_ok(second, subwave_copy_async(second, y, x, sizeof found));
    assert_ok(second, subwave_copy(second, found, y, sizeof found));
    for (int i = 0; i < N; ++i)
        assert_int_equal(found[i], 7);
    assert_ok(first, subwave_free(first, x));
    assert_ok(first, subwave_free(first, y));
    assert_ok(NULL, subwave_context_destroy(&(subwave_context *){second}));
}

/* --- side by side ---------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The seconds of a product that takes one work-group a long time, in each of the contexts. */
enum { LONG = 1 << 20 };
static double time_of(subwave_context *const contexts[], int count, const float *x,
                      float *const results[])
{
    const double start = seconds();
    for (int c = 0; c < count; ++c)
        for (int i = 0; i < 4; ++i)
            assert_ok(contexts[c],
                      subwave_matmul(contexts[c], SUBWAVE_VARIANT_NAIVE, SUBWAVE_DTYPE_F32,
                                     SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                                     SUBWAVE_TRANSPOSE_NONE, 1, 1, LONG, &one, x, LONG, x, 1, &zero,
                                     results[c], 1));
    for (int c = 0; c < count; ++c)
        assert_ok(contexts[c], subwave_synchronize(contexts[c]));
    return seconds() - start;
}

/* What two contexts do at once takes less time than one after the other. Timings vary, so the best
 * of some counts. */
static void test_overlap(void **state)
{
    if (harness_is_cpu(*state) || harness_is_emulated()) {
        print_message("skipped: one launch runs at a time here\n");
        skip();
    }
    subwave_context *const contexts[] = {*state, another(*state)};
    float *x, *results[2];
    double best = 2;
    assert_ok(*state, subwave_malloc(*state, (void **)&x, LONG * sizeof *x));
    assert_ok(*state, subwave_fill(*state, SUBWAVE_DTYPE_F32, &one, LONG, x));
    for (int c = 0; c < 2; ++c)
        assert_ok(*state, subwave_malloc(*state, (void **)&results[c], sizeof **results));
    assert_ok(*state, subwave_synchronize(*state));
    (void)time_of(contexts, 2, x, results); /* loads the kernel */
    for (int turn = 0; turn < 10 && best > 1.5; ++turn) {
        const double alone = time_of(contexts, 1, x, results),
                     both = time_of(contexts, 2, x, results);
        best = fmin(best, both / alone);
    }
    print_message("two contexts take %.2f times as long as one\n", best);
    assert_true(best < 1.9);
    for (int c = 0; c < 2; ++c)
        assert_ok(*state, subwave_free(*state, results[c]));
    assert_ok(*state, subwave_free(*state, x));
    assert_ok(NULL, subwave_context_destroy(&(subwave_context *){contexts[1]}));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_stream),       cmocka_unit_test(test_streams),
        cmocka_unit_test(test_reached),          cmocka_unit_test(test_elapsed),
        cmocka_unit_test(test_between_contexts), cmocka_unit_test(test_destroyed_early),
        cmocka_unit_test(test_overlap),
    };
    return harness_run("events", tests, sizeof tests / sizeof *tests);
}
