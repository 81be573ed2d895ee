/* SPDX-License-Identifier: MIT
 * test_threads.c: threads with contexts of their own, each of which goes its own way through a mix
 * of small calls and deliberate errors. Results are bit-equal to those of one thread, and an
 * error's text is that of the context that it came from, also after many calls that succeeded.
 */
#include "../harness.h"
#include "../reference.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, CONTEXTS = 8, TEXT = 256 };

/* --- calls ----------------------------------------------------------------------------------- */

/* three blocks of groups */
enum { M = 7, N = 5, K = 9, BATCH = 4, ITEMS = 30, ELEMENTS = 3 * ITEMS };

typedef enum job {
    NAIVE,
    LOCAL,
    BROADCAST,
    AUTO,
    STRIDED,
    POINTERS,
    REDUCE,
    SCAN,
    SHIFT,
    ARRAY,
    ARRAY_SCAN,
    DOT,
    NORM,
    INDEX,
    TRANSPOSE,
    ROWS,
    ROW_SCAN,
    ROW_INDEX,
    COMPACT,
    COMPACT_IF,
    PARTITION,
    PARTITION_IF,
    UNIQUE,
    APPEND,
    BINS,
    WEIGHTS_IN_BINS,
    SEGMENTS,
    SEGMENTS_SCAN,
    SUMS_IN_CELLS,
    FILL,
    PLAN,
    MEMORY,
    JOBS
} job;
static const char *const job_names[JOBS] = {"matmul naive",  "matmul local",  "matmul broadcast",
                                            "matmul auto",   "strided",       "batched",
                                            "reduce",        "scan",          "shift",
                                            "array",         "array scan",    "dot",
                                            "norm",          "index",         "transpose",
                                            "rows",          "row scan",      "row index",
                                            "compact",       "compact if",    "partition",
                                            "partition if",  "unique",        "append",
                                            "histogram",     "weights",       "segments",
                                            "segments scan", "sums in cells", "fill",
                                            "plan",          "memory"};

/* What a context computes with, on the host. A thread's contexts all have other inputs, so that
 * they cannot take each other's unnoticed. */
typedef struct inputs {
    double a[BATCH][M * K], b[BATCH][K * N];
    int64_t offsets[4];
    uint8_t predicate[ELEMENTS];
} inputs;
static inputs common[CONTEXTS];

/* A context's device memory: the inputs, arrays of pointers to A, B and C, and a result. */
typedef struct memory {
    inputs in;
    const double *a[BATCH], *b[BATCH];
    double *c[BATCH];
    double result[BATCH * M * N];
} memory;

typedef struct result {
    union {
        double numbers[BATCH * M * N];
        subwave_matmul_plan_info plan;
    } of;
} result;

static subwave_status memory_create(subwave_context *context, const inputs *in, memory **device)
{
    memory host = {.in = *in};
    void *start;
    subwave_status status = subwave_malloc(context, &start, sizeof host);
    if (status != SUBWAVE_STATUS_SUCCESS)
        return status;
    *device = start;
    for (int e = 0; e < BATCH; ++e) {
        host.a[e] = (*device)->in.a[e];
        host.b[e] = (*device)->in.b[e];
        host.c[e] = (*device)->result + e * M * N;
    }
    return subwave_copy(context, *device, &host, sizeof host);
}

/* A block of memory of its own, filled, copied on the device and freed. */
static subwave_status move_memory(subwave_context *context, const memory *device, result *r)
{
    void *other;
    subwave_status status = subwave_malloc(context, &other, sizeof device->in.a);
    if (status != SUBWAVE_STATUS_SUCCESS)
        return status;
    status = subwave_copy(context, other, device->in.a, sizeof device->in.a);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = subwave_copy(context, r->of.numbers, other, (int64_t)sizeof device->in.a[0]);
    const subwave_status freed = subwave_free(context, other);
    return status == SUBWAVE_STATUS_SUCCESS ? freed : status;
}

/* Half of the result filled, and copied to the other half on another stream. */
static subwave_status fill_memory(subwave_context *context, memory *device)
{
    enum { HALF = BATCH * M * N / 2 };
    void *own, *stream;
    subwave_event *filled = NULL;
    const double value = 3;
    subwave_status status = subwave_get_stream(context, &own);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = subwave_stream_create(context, &stream, SUBWAVE_PRIORITY_NORMAL);
    if (status != SUBWAVE_STATUS_SUCCESS)
        return status;
    status = subwave_event_create(context, &filled);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = subwave_fill(context, SUBWAVE_DTYPE_F64, &value, HALF, device->result);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = subwave_event_record(context, filled);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = subwave_set_stream(context, stream);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = subwave_event_wait(context, filled);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = subwave_copy_async(context, device->result + HALF, device->result,
                                    HALF * sizeof(double));
    const subwave_status ends[] = {subwave_set_stream(context, own),
                                   subwave_event_destroy(context, filled),
                                   subwave_stream_destroy(context, stream)};
    for (int i = 0; i < 3; ++i)
        if (status == SUBWAVE_STATUS_SUCCESS)
            status = ends[i];
    return status;
}

static subwave_status compute(subwave_context *context, job j, memory *device, result *r)
{
    const double one = 1, half = 0.5, zero = 0;
    const subwave_dtype f64 = SUBWAVE_DTYPE_F64;
    const subwave_layout row_major = SUBWAVE_LAYOUT_ROW_MAJOR;
    const subwave_transpose_kind none = SUBWAVE_TRANSPOSE_NONE;
    static const subwave_variant variants[] = {[NAIVE] = SUBWAVE_VARIANT_NAIVE,
                                               [LOCAL] = SUBWAVE_VARIANT_LOCAL,
                                               [BROADCAST] = SUBWAVE_VARIANT_BROADCAST,
                                               [AUTO] = SUBWAVE_VARIANT_AUTO};
    const subwave_group ballot = {
        .kind = SUBWAVE_GROUP_BALLOT, .block = {ITEMS, 1, 1}, .predicate = device->in.predicate};
    const subwave_group pairs = {
        .kind = SUBWAVE_GROUP_FIXED_SIZE, .block = {ITEMS, 1, 1}, .fixed_size = 2};
    const void *const x = device->in.a;
    void *const y = device->result;
    switch (j) {
    case NAIVE:
    case LOCAL:
    case BROADCAST:
    case AUTO:
        return subwave_matmul(context, variants[j], f64, row_major, none, none, M, N, K, &half, x,
                              K, device->in.b, N, &zero, y, N);
    case STRIDED:
        return subwave_matmul_strided_batched(context, f64, row_major, none, none, M, N, K, &one, x,
                                              K, M * K, device->in.b, N, K * N, &zero, y, N, M * N,
                                              BATCH);
    case POINTERS:
        return subwave_matmul_batched(
            context, f64, row_major, none, none, M, N, K, &one, (const void *const *)device->a, K,
            (const void *const *)device->b, N, &zero, (void *const *)device->c, N, BATCH);
    case REDUCE:
        return subwave_group_reduce(context, f64, SUBWAVE_OP_PLUS, &ballot, ELEMENTS, NULL, x, y);
    case SCAN:
        return subwave_group_scan(context, f64, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE, &ballot,
                                  ELEMENTS, &one, x, y);
    case SHIFT:
        return subwave_group_shift(context, f64, SUBWAVE_SHIFT_LEFT, &pairs, ELEMENTS, 1, x, y);
    case ARRAY:
        return subwave_reduce(context, f64, SUBWAVE_OP_PLUS, SUBWAVE_ORDER_DEVICE, ELEMENTS, &one,
                              x, SUBWAVE_PLACE_DEVICE, y);
    case ARRAY_SCAN:
        return subwave_scan(context, f64, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_EXCLUSIVE,
                            SUBWAVE_ORDER_FIXED, ELEMENTS, &one, x, y);
    case DOT:
        return subwave_dot(context, f64, SUBWAVE_CONJUGATION_NONE, SUBWAVE_ORDER_FIXED, ELEMENTS, x,
                           x, SUBWAVE_PLACE_DEVICE, y);
    case NORM:
        return subwave_norm2(context, f64, SUBWAVE_ORDER_DEVICE, ELEMENTS, x, SUBWAVE_PLACE_DEVICE,
                             y);
    case INDEX:
        return subwave_minmax_index(context, f64, SUBWAVE_OP_MINIMUM, ELEMENTS, x,
                                    SUBWAVE_PLACE_DEVICE, y, (int64_t *)y + 1);
    case TRANSPOSE:
        return subwave_transpose(context, f64, row_major, M, K, x, K, y, M);
    case ROWS:
        return subwave_row_reduce(context, f64, SUBWAVE_OP_PLUS, M, K, x, K, y);
    case ROW_SCAN:
        return subwave_row_scan(context, f64, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE, M, K, x, K,
                                y, K);
    case ROW_INDEX:
        return subwave_row_minmax_index(context, f64, SUBWAVE_OP_MAXIMUM, M, K, x, K, y,
                                        (int64_t *)y + M);
    case COMPACT:
        return subwave_compact(context, f64, ELEMENTS, device->in.predicate, x, (double *)y + 1, y);
    case COMPACT_IF:
        return subwave_compact_if(context, f64, SUBWAVE_COMPARISON_GREATER, &half, ELEMENTS, x,
                                  (double *)y + 1, y);
    case PARTITION:
        return subwave_partition(context, f64, ITEMS, device->in.predicate, x, (double *)y + 1,
                                 (double *)y + 1 + ITEMS, y);
    case PARTITION_IF:
        return subwave_partition_if(context, f64, SUBWAVE_COMPARISON_LESS, &half, ITEMS, x,
                                    (double *)y + 1, (double *)y + 1 + ITEMS, y);
    case UNIQUE:
        return subwave_unique(context, f64, ELEMENTS, x, (double *)y + 1, y);
    case APPEND: /* of one tile, so that the order is always the same */
        subwave_compact(context, f64, 0, NULL, NULL, NULL, y); /* the count is 0 */
        return subwave_append(context, f64, ELEMENTS, device->in.predicate, x, ELEMENTS,
                              (double *)y + 1, y);
    case BINS:
        return subwave_histogram(context, f64, 8, -1, 1, ELEMENTS, x, (int64_t *)y);
    case WEIGHTS_IN_BINS:
        return subwave_histogram_weighted(context, f64, SUBWAVE_ORDER_FIXED, 8, -1, 1, ELEMENTS, x,
                                          x, y);
    case SEGMENTS:
        return subwave_segmented_reduce(context, f64, SUBWAVE_OP_PLUS, SUBWAVE_DTYPE_I64, 3,
                                        device->in.offsets, ELEMENTS, x, y);
    case SEGMENTS_SCAN:
        return subwave_segmented_scan(context, f64, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE,
                                      SUBWAVE_DTYPE_I64, 3, device->in.offsets, ELEMENTS, x, y);
    case SUMS_IN_CELLS:
        return subwave_scatter_add(context, f64, SUBWAVE_ORDER_FIXED, 4, SUBWAVE_DTYPE_I64,
                                   device->in.offsets, x, ELEMENTS, y);
    case FILL:
        return fill_memory(context, device);
    case PLAN:
        return subwave_matmul_plan(context, SUBWAVE_VARIANT_AUTO, f64, row_major, none, none, M, N,
                                   K, &r->of.plan);
    default:
        return move_memory(context, device, r);
    }
}

static subwave_status run(subwave_context *context, job j, memory *device, result *r)
{
    static const result poison = {{{-1}}};
    memset(r, 0, sizeof *r);
    subwave_status status =
        subwave_copy(context, device->result, &poison, sizeof poison.of.numbers);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = compute(context, j, device, r);
    if (status == SUBWAVE_STATUS_SUCCESS && j != PLAN && j != MEMORY)
        status = subwave_copy(context, r->of.numbers, device->result, sizeof r->of.numbers);
    return status;
}

/* --- threads --------------------------------------------------------------------------------- */

typedef struct worker {
    pthread_t thread;
    pthread_barrier_t *start;
    const result (*expected)[JOBS]; /* of each context */
    char device[16];
    int number, calls, done;
    subwave_context *context[CONTEXTS];
    memory *memory[CONTEXTS];
    char text[CONTEXTS][TEXT]; /* of the last error */
    char own[TEXT];            /* of the last error without a context */
    char failure[2 * TEXT];    /* "" if none */
} worker;

#define FAIL(w, ...) (snprintf((w)->failure, sizeof(w)->failure, __VA_ARGS__), false)

static bool check_text(worker *w, int c)
{
    const char *const text = subwave_last_error(w->context[c]);
    return strcmp(text, w->text[c]) == 0 ||
           FAIL(w, "context %d says \"%s\" instead of \"%s\"", c, text, w->text[c]);
}

/* An error whose text nobody else has. */
static bool make_error(worker *w, int c, uint64_t bits)
{
    subwave_context *const context = w->context[c];
    const int64_t own = ((int64_t)w->number * CONTEXTS + c) * 100000 + w->done;
    const subwave_group group = {.kind = SUBWAVE_GROUP_SUB_GROUP, .block = {2, 1, 1}};
    void *unused;
    subwave_status status, expected;
    if (!check_text(w, c))
        return false;
    if (bits % 3 == 0) {
        expected = SUBWAVE_STATUS_INVALID_SIZE;
        status = subwave_malloc(context, &unused, -own - 1);
        snprintf(w->text[c], TEXT, "bytes is %" PRId64 ", which is negative", -own - 1);
    } else if (bits % 3 == 1) {
        expected = SUBWAVE_STATUS_INVALID_SIZE;
        status = subwave_group_reduce(context, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, &group,
                                      2 * own + 1, NULL, NULL, NULL);
        snprintf(w->text[c], TEXT,
                 "n is %" PRId64 ", no multiple of the 2 work-items of group->block", 2 * own + 1);
    } else {
        expected = SUBWAVE_STATUS_INVALID_STRIDE;
        const double one = 1;
        status =
            subwave_matmul(context, SUBWAVE_VARIANT_NAIVE, SUBWAVE_DTYPE_F64,
                           SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE,
                           1, 1, own + 2, &one, NULL, own + 1, NULL, 1, &one, NULL, 1);
        snprintf(w->text[c], TEXT, "lda is %" PRId64 ", less than the %" PRId64 " that a row holds",
                 own + 1, own + 2);
    }
    return (status == expected || FAIL(w, "an error gave %s", subwave_status_name(status))) &&
           check_text(w, c);
}

/* A context that cannot be had leaves its text with the thread. */
static bool make_own_error(worker *w)
{
    subwave_context *none;
    char name[64];
    if (!strstr(subwave_last_error(NULL), w->own))
        return FAIL(w, "the thread says \"%s\" without \"%s\"", subwave_last_error(NULL), w->own);
    snprintf(name, sizeof name, "wrong-%d-%d", w->number, w->done);
    const subwave_status status = subwave_context_create(&none, name);
    if (status != SUBWAVE_STATUS_INVALID_VALUE || none)
        return FAIL(w, "a wrong name gave %s", subwave_status_name(status));
    strcpy(w->own, name);
    return strstr(subwave_last_error(NULL), w->own) || FAIL(w, "the text has no \"%s\"", w->own);
}

/* Memory outlives its context, an error's text does not. */
static bool renew(worker *w, int c)
{
    subwave_status status = subwave_context_destroy(&w->context[c]);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = subwave_context_create(&w->context[c], w->device);
    w->text[c][0] = 0;
    return status == SUBWAVE_STATUS_SUCCESS ||
           FAIL(w, "a new context: %s", subwave_last_error(NULL));
}

static bool step(worker *w, harness_random *random)
{
    const uint64_t bits = harness_random_bits(random);
    const int c = (int)(bits >> 8 & 255) % CONTEXTS, what = (int)(bits & 255);
    if (what == 0)
        return renew(w, c);
    if (what <= 4)
        return make_own_error(w);
    if (what <= 40)
        return make_error(w, c, bits >> 16);
    const job j = (job)((bits >> 16) % JOBS);
    result r;
    const subwave_status status = run(w->context[c], j, w->memory[c], &r);
    if (status != SUBWAVE_STATUS_SUCCESS)
        return FAIL(w, "%s: %s, %s", job_names[j], subwave_status_name(status),
                    subwave_last_error(w->context[c]));
    return memcmp(&r, &w->expected[c][j], sizeof r) == 0 ||
           FAIL(w, "%s is not as in one thread", job_names[j]);
}

static bool open_contexts(worker *w)
{
    for (int c = 0; c < CONTEXTS; ++c)
        if (subwave_context_create(&w->context[c], w->device) != SUBWAVE_STATUS_SUCCESS ||
            memory_create(w->context[c], &common[c], &w->memory[c]) != SUBWAVE_STATUS_SUCCESS)
            return FAIL(w, "context %d cannot be had: %s", c, subwave_last_error(w->context[c]));
    return true;
}

static void close_contexts(worker *w)
{
    for (int c = 0; c < CONTEXTS; ++c)
        if (w->context[c]) {
            subwave_free(w->context[c], w->memory[c]);
            subwave_context_destroy(&w->context[c]);
        }
}

static void *work(void *argument)
{
    worker *w = argument;
    harness_random random = harness_random_start();
    random.state += (uint64_t)w->number << 32;
    pthread_barrier_wait(w->start);
    if (open_contexts(w))
        while (w->done < w->calls && step(w, &random))
            ++w->done;
    close_contexts(w);
    return NULL;
}

static void run_workers(subwave_context *context, const result (*expected)[JOBS], int calls,
                        worker *workers)
{
    subwave_device_properties device;
    pthread_barrier_t start;
    assert_ok(context, subwave_context_info(context, &device));
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; ++i) {
        workers[i] = (worker){.start = &start, .expected = expected, .number = i, .calls = calls};
        strcpy(workers[i].device, device.id);
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i)
        pthread_join(workers[i].thread, NULL);
    pthread_barrier_destroy(&start);
}

/* --- tests ----------------------------------------------------------------------------------- */

static void expect(subwave_context *context, result (*expected)[JOBS])
{
    harness_random random = harness_random_start();
    for (int c = 0; c < CONTEXTS; ++c) {
        inputs *const in = &common[c];
        memory *device;
        for (int e = 0; e < BATCH; ++e) {
            for (int i = 0; i < M * K; ++i)
                in->a[e][i] = harness_random_sign(&random) + 0x1p-40 * harness_random_sign(&random);
            for (int i = 0; i < K * N; ++i)
                in->b[e][i] = harness_random_sign(&random) + 0x1p-40 * harness_random_sign(&random);
        }
        for (int i = 0; i < ELEMENTS; ++i)
            in->predicate[i] = harness_random_bits(&random) & 1;
        for (int i = 1; i < 4; ++i)
            in->offsets[i] =
                in->offsets[i - 1] + (int64_t)(harness_random_bits(&random) % (ELEMENTS / 3));
        assert_ok(context, memory_create(context, in, &device));
        for (job j = 0; j < JOBS; ++j)
            assert_ok(context, run(context, j, device, &expected[c][j]));
        assert_ok(context, subwave_free(context, device));
    }
}

static void test_threads(void **state)
{
    static worker workers[THREADS];
    static result expected[CONTEXTS][JOBS];
    expect(*state, expected);
    /* The products are those of A and B, and not merely all alike. */
    for (int i = 0; i < M * N; ++i) {
        double sum = 0;
        for (int l = 0; l < K; ++l)
            sum += common[0].a[0][i / N * K + l] * common[0].b[0][l * N + i % N];
        assert_true(fabs(expected[0][STRIDED].of.numbers[i] - sum) < 1e-14);
        assert_true(fabs(expected[0][NAIVE].of.numbers[i] - sum / 2) < 1e-14);
    }
    run_workers(*state, (const result(*)[JOBS])expected, harness_is_full() ? 10000 : 300, workers);
    for (int i = 0; i < THREADS; ++i)
        if (*workers[i].failure)
            print_error("thread %d, call %d: %s\n", i, workers[i].done, workers[i].failure);
    for (int i = 0; i < THREADS; ++i) {
        assert_string_equal(workers[i].failure, "");
        assert_int_equal(workers[i].done, workers[i].calls);
    }
}

/* With one bit of an expected result changed, all threads must come to say so. */
static void test_faults_are_noticed(void **state)
{
    static worker workers[THREADS];
    static result expected[CONTEXTS][JOBS];
    expect(*state, expected);
    ((unsigned char *)&expected[3][SCAN])[9] ^= 1;
    run_workers(*state, (const result(*)[JOBS])expected, 2000, workers);
    for (int i = 0; i < THREADS; ++i)
        assert_string_equal(workers[i].failure, "scan is not as in one thread");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults_are_noticed),
        cmocka_unit_test(test_threads),
    };
    return harness_run("threads", tests, sizeof tests / sizeof *tests);
}
