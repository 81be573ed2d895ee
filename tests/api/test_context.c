/* SPDX-License-Identifier: MIT
 * test_context.c: names and versions, the list of devices, contexts alone, in pairs and in threads,
 * the log, and device memory.
 */
#include "../harness.h"
#include "../types.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- names ----------------------------------------------------------------------------------- */

/* What a list's names are: those that are written out here, whose values are the ABI, and whatever
 * was appended to them. 0 and what lies beyond the list have none. */
#define CHECK_NAMES(function, list, first, ...) \
    do { \
        static const char *const known[] = {__VA_ARGS__}; \
        for (int i = 0; i < (int)COUNT(known); ++i) \
            assert_string_equal(function(i + first), known[i]); \
        list(CHECK_NAME); \
        assert_true(GREATEST(list) >= (int)COUNT(known) + first - 1); \
        const int unknown[] = {first - 1, -1, GREATEST(list) + 1, 1000, INT_MAX, INT_MIN}; \
        for (size_t i = 0; i < COUNT(unknown); ++i) \
            assert_string_equal(function(unknown[i]), "unknown"); \
    } while (0)

static const char *status_name(int i) { return subwave_status_name((subwave_status)i); }
static const char *dtype_name(int i) { return subwave_dtype_name((subwave_dtype)i); }
static const char *variant_name(int i) { return subwave_variant_name((subwave_variant)i); }
static const char *kind_name(int i) { return subwave_group_kind_name((subwave_group_kind)i); }
static const char *op_name(int i) { return subwave_op_name((subwave_op)i); }

static void test_statuses(void **state)
{
    (void)state;
#define CHECK_NAME(name, value, text) assert_string_equal(status_name(value), #name);
    CHECK_NAMES(status_name, SUBWAVE_STATUS_LIST, 0, "SUCCESS", "INVALID_CONTEXT",
                "INVALID_POINTER", "INVALID_SIZE", "INVALID_STRIDE", "INVALID_VALUE", "UNSUPPORTED",
                "NO_DEVICE", "ARCHITECTURE_MISMATCH", "OUT_OF_MEMORY", "DEVICE_ERROR",
                "KERNEL_ERROR", "WORKSPACE_TOO_SMALL", "COMMUNICATION_ERROR");
#undef CHECK_NAME
    for (size_t i = 0; i < COUNT(all_statuses); ++i) {
        assert_true(strlen(subwave_status_text(all_statuses[i])) > 5);
        for (size_t j = 0; j < i; ++j)
            assert_string_not_equal(subwave_status_text(all_statuses[i]),
                                    subwave_status_text(all_statuses[j]));
    }
    const int unknown[] = {-1, GREATEST(SUBWAVE_STATUS_LIST) + 1, 1000, INT_MAX, INT_MIN};
    for (size_t i = 0; i < COUNT(unknown); ++i)
        assert_non_null(subwave_status_text((subwave_status)unknown[i]));
}

static void test_dtypes(void **state)
{
    (void)state;
#define CHECK_NAME(name, value, bytes, spelling, ...) \
    assert_string_equal(dtype_name(value), spelling); \
    assert_int_equal(subwave_dtype_size(SUBWAVE_DTYPE_##name), bytes);
    CHECK_NAMES(dtype_name, SUBWAVE_DTYPE_LIST, 1, "i8", "i16", "i32", "i64", "u8", "u16", "u32",
                "u64", "f16", "bf16", "f32", "f64", "c32", "c64");
#undef CHECK_NAME
    static const size_t sizes[] = {0, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    for (size_t i = 0; i < COUNT(sizes); ++i)
        assert_int_equal(subwave_dtype_size((subwave_dtype)i), sizes[i]);
    assert_int_equal(subwave_dtype_size((subwave_dtype)(GREATEST(SUBWAVE_DTYPE_LIST) + 1)), 0);
    assert_int_equal(subwave_dtype_size((subwave_dtype)-1), 0);
}

static void test_enumerations(void **state)
{
    (void)state;
#define CHECK_NAME(name, value, spelling, ...) assert_string_equal(variant_name(value), spelling);
    CHECK_NAMES(variant_name, SUBWAVE_VARIANT_LIST, 1, "auto", "naive", "local", "broadcast",
                "tutorial", "matrix", "skinny");
#undef CHECK_NAME
#define CHECK_NAME(name, value, spelling, ...) assert_string_equal(kind_name(value), spelling);
    CHECK_NAMES(kind_name, SUBWAVE_GROUP_LIST, 1, "sub_group", "ballot", "fixed_size", "tangle",
                "opportunistic");
#undef CHECK_NAME
#define CHECK_NAME(name, value, spelling, ...) assert_string_equal(op_name(value), spelling);
    CHECK_NAMES(op_name, SUBWAVE_OP_LIST, 1, "plus", "multiplies", "minimum", "maximum", "bit_and",
                "bit_or", "bit_xor", "logical_and", "logical_or");
#undef CHECK_NAME
    assert_int_equal(SUBWAVE_LAYOUT_ROW_MAJOR, 1);
    assert_int_equal(SUBWAVE_LAYOUT_COLUMN_MAJOR, 2);
    assert_int_equal(SUBWAVE_TRANSPOSE_NONE, 1);
    assert_int_equal(SUBWAVE_TRANSPOSE_YES, 2);
    assert_int_equal(SUBWAVE_PRIORITY_LOW, 1);
    assert_int_equal(SUBWAVE_PRIORITY_NORMAL, 2);
    assert_int_equal(SUBWAVE_PRIORITY_HIGH, 3);
}

static void test_version(void **state)
{
    (void)state;
    char expected[64];
    snprintf(expected, sizeof expected, "%d.%d.%d", SUBWAVE_VERSION_MAJOR, SUBWAVE_VERSION_MINOR,
             SUBWAVE_VERSION_PATCH);
    assert_string_equal(SUBWAVE_VERSION_STRING, expected);
    assert_string_equal(subwave_version(), expected);
    snprintf(expected, sizeof expected, "subwave %s, CPU device", subwave_version());
    assert_memory_equal(subwave_build_info(), expected, strlen(expected));
    assert_null(strchr(subwave_build_info(), '\n'));
    assert_true(SUBWAVE_VERSION_AT_LEAST(SUBWAVE_VERSION_MAJOR, SUBWAVE_VERSION_MINOR, 0));
    assert_false(SUBWAVE_VERSION_AT_LEAST(SUBWAVE_VERSION_MAJOR, SUBWAVE_VERSION_MINOR + 1, 0));
    assert_false(SUBWAVE_VERSION_AT_LEAST(SUBWAVE_VERSION_MAJOR + 1, 0, 0));
}

/* --- devices --------------------------------------------------------------------------------- */

static void test_devices(void **state)
{
    (void)state;
    static const int waves[] = {64, 4, 8, 16, 32};
    int count;
    assert_ok(NULL, subwave_device_count(&count));
    const int gpus = count - 5;
    assert_true(gpus >= 0);
    for (int i = 0; i < count; ++i) {
        subwave_device_properties device;
        char id[32];
        memset(&device, 0xa5, sizeof device);
        assert_ok(NULL, subwave_device_info(i, &device));
        snprintf(id, sizeof id, i < gpus ? "gpu:%d" : "cpu:%d", i < gpus ? i : waves[i - gpus]);
        assert_string_equal(device.id, id);
        assert_true(strlen(device.name) > 3);
        assert_true(strlen(device.architecture) > 2);
        assert_true(device.memory_bytes > 0);
        assert_true(device.compute_units > 0);
        assert_true(device.aspects & SUBWAVE_ASPECT_FP64);
        assert_true(device.built_for == 0 || device.built_for == 1);
        assert_true(device.sub_group_size_count >= 1 && device.sub_group_size_count <= 8);
        for (int j = 0; j < 8; ++j) {
            const int size = device.sub_group_sizes[j];
            assert_true(j < device.sub_group_size_count ? size > 0 : size == 0);
            assert_true(j == 0 || size == 0 || size > device.sub_group_sizes[j - 1]);
        }
        for (int j = 0; j < 15; ++j)
            assert_int_equal(device.reserved[j], 0);
        if (i < gpus) {
            assert_memory_equal(device.backend, "hip-", 4);
            continue;
        }
        assert_string_equal(device.backend, "cpu");
        assert_int_equal(device.sub_group_sizes[0], waves[i - gpus]);
        assert_int_equal(device.sub_group_size_count, 1);
        assert_int_equal(device.max_block_size, 1024);
        assert_int_equal(device.built_for, 1);
    }
}

/* Programs may ask before each call, and from many threads: an answer is the first one again. */
static void test_devices_again(void **state)
{
    (void)state;
    int count;
    assert_ok(NULL, subwave_device_count(&count));
    for (int i = 0; i < count; ++i) {
        subwave_device_properties first, again;
        assert_ok(NULL, subwave_device_info(i, &first));
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        for (int call = 0; call < 10000; ++call) {
            assert_ok(NULL, subwave_device_info(i, &again));
            if (call % 1000 == 0)
                assert_memory_equal(&first, &again, sizeof first);
        }
        clock_gettime(CLOCK_MONOTONIC, &end);
        if (first.id[0] == 'g') /* NVIDIA's runtime takes 150 microseconds and more for each */
            assert_true((double)(end.tv_sec - begin.tv_sec) +
                            1e-9 * (double)(end.tv_nsec - begin.tv_nsec) <
                        0.5);
    }
}

static void test_info(void **state)
{
    subwave_device_properties own, listed;
    assert_ok(*state, subwave_context_info(*state, &own));
    int count, found = 0;
    assert_ok(NULL, subwave_device_count(&count));
    for (int i = 0; i < count; ++i) {
        assert_ok(NULL, subwave_device_info(i, &listed));
        if (strcmp(own.id, listed.id) == 0) {
            assert_memory_equal(&own, &listed, sizeof own);
            ++found;
        }
    }
    assert_int_equal(found, 1);
}

/* Which device `name` gives while `variable` is `value`. */
static void check_choice(const char *variable, const char *value, const char *name,
                         const char *expected)
{
    subwave_context *context;
    subwave_device_properties device;
    setenv(variable, value, 1);
    const subwave_status status = subwave_context_create(&context, name);
    unsetenv(variable);
    assert_ok(NULL, status);
    assert_ok(context, subwave_context_info(context, &device));
    assert_string_equal(device.id, expected);
    assert_ok(NULL, subwave_context_destroy(&context));
    assert_null(context);
    assert_ok(NULL, subwave_context_destroy(&context));
}

static void test_choice(void **state)
{
    (void)state;
    char best[16] = "cpu:64";
    int count;
    assert_ok(NULL, subwave_device_count(&count));
    for (int i = count - 1; i >= 0; --i) {
        subwave_device_properties device;
        assert_ok(NULL, subwave_device_info(i, &device));
        if (strncmp(device.id, "gpu", 3) == 0 && device.built_for)
            strcpy(best, device.id);
    }
    check_choice("SUBWAVE_DEVICE", "", NULL, best);
    check_choice("SUBWAVE_DEVICE", "cpu:8", NULL, "cpu:8");
    check_choice("SUBWAVE_DEVICE", "cpu", NULL, "cpu:64");
    check_choice("SUBWAVE_DEVICE", "cpu:8", "cpu:16", "cpu:16");
    check_choice("SUBWAVE_DEVICE", "nonsense", "cpu:4", "cpu:4");
    check_choice("SUBWAVE_CPU_WAVE", "16", "cpu", "cpu:16");
    check_choice("SUBWAVE_CPU_WAVE", "16", "cpu:32", "cpu:32");
    check_choice("SUBWAVE_CPU_WAVE", "", "cpu", "cpu:64");
    check_choice("SUBWAVE_LOG", "", "cpu", "cpu:64");
    check_choice("SUBWAVE_LOG", "0", "cpu", "cpu:64");
    check_choice("SUBWAVE_LOG_FILE", "no-such-folder/not-wanted", "cpu", "cpu:64");
}

/* --- contexts -------------------------------------------------------------------------------- */

enum { N = 48 };

/* C = A B for fixed N x N matrices; `c` is on the host. */
static subwave_status multiply(subwave_context *context, subwave_variant variant, float *c)
{
    float host[N * N];
    const float one = 1, zero = 0;
    for (int i = 0; i < N * N; ++i)
        host[i] = (float)(i * 37 % 101) / 64 - 0.7f;
    void *a, *product;
    subwave_status status = subwave_malloc(context, &a, sizeof host);
    if (status != SUBWAVE_STATUS_SUCCESS)
        return status;
    status = subwave_malloc(context, &product, sizeof host);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = subwave_copy(context, a, host, sizeof host);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = subwave_matmul(context, variant, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR,
                                SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_YES, N, N, N, &one, a, N,
                                a, N, &zero, product, N);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = subwave_copy(context, c, product, sizeof host);
    subwave_free(context, a);
    subwave_free(context, product);
    return status;
}

/* Device and error belong to a context; a text outlives later successes. */
static void test_two_contexts(void **state)
{
    subwave_context *other;
    float first[N * N], second[N * N];
    assert_ok(NULL, subwave_context_create(&other, "cpu:4"));
    assert_ptr_not_equal(other, *state);
    assert_string_equal(subwave_last_error(other), "");
    assert_int_equal(subwave_malloc(other, NULL, 1), SUBWAVE_STATUS_INVALID_POINTER);
    assert_string_equal(subwave_last_error(other), "pointer is null");
    assert_string_not_equal(subwave_last_error(*state), "pointer is null");
    for (int i = 0; i < 3; ++i) {
        assert_ok(*state, multiply(*state, SUBWAVE_VARIANT_LOCAL, first));
        assert_ok(other, multiply(other, SUBWAVE_VARIANT_LOCAL, second));
        if (harness_is_cpu(*state))
            assert_memory_equal(first, second, sizeof first);
    }
    assert_string_equal(subwave_last_error(other), "pointer is null");
    assert_ok(NULL, subwave_context_destroy(&other));
    assert_null(other);
}

enum { THREADS = 8, ROUNDS = 12 };

typedef struct worker {
    pthread_t thread;
    char device[16];
    subwave_status status;
    float c[N * N];
    bool same, text_is_own;
} worker;

static void *work(void *argument)
{
    static const subwave_variant variants[] = {SUBWAVE_VARIANT_NAIVE, SUBWAVE_VARIANT_LOCAL,
                                               SUBWAVE_VARIANT_BROADCAST};
    worker *w = argument;
    subwave_context *context;
    /* Errors without a context are each thread's own. */
    char wrong[64];
    snprintf(wrong, sizeof wrong, "wrong-%p", argument);
    if (subwave_context_create(&context, wrong) != SUBWAVE_STATUS_INVALID_VALUE)
        return NULL;
    w->status = subwave_context_create(&context, w->device);
    w->same = true;
    for (int i = 0; i < ROUNDS && w->status == SUBWAVE_STATUS_SUCCESS; ++i) {
        float again[N * N];
        w->status = multiply(context, variants[i % 3], i < 3 ? w->c : again);
        if (i >= 3 && i % 3 == 2)
            w->same = w->same && memcmp(w->c, again, sizeof again) == 0;
    }
    if (w->status == SUBWAVE_STATUS_SUCCESS)
        w->status = subwave_context_destroy(&context);
    w->text_is_own = strstr(subwave_last_error(NULL), wrong) != NULL;
    return NULL;
}

static void test_threads(void **state)
{
    static worker workers[THREADS];
    subwave_device_properties device;
    float expected[N * N];
    assert_ok(*state, subwave_context_info(*state, &device));
    assert_ok(*state, multiply(*state, SUBWAVE_VARIANT_BROADCAST, expected));
    for (int i = 0; i < THREADS; ++i) {
        workers[i] = (worker){.status = SUBWAVE_STATUS_DEVICE_ERROR};
        memcpy(workers[i].device, device.id, sizeof device.id);
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < THREADS; ++i) {
        assert_string_equal(subwave_status_name(workers[i].status), "SUCCESS");
        assert_true(workers[i].same);
        assert_true(workers[i].text_is_own);
        assert_memory_equal(workers[i].c, expected, sizeof expected);
    }
}

/* --- log ------------------------------------------------------------------------------------- */

static char *read_file(const char *path)
{
    static char text[8192];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

/* Calls that a log names, with `bits`, to `path`; null: the standard error. */
static void run_logged(const char *device, const char *bits, const char *path, char *expected,
                       size_t size)
{
    subwave_context *context;
    const float one = 1, zero = 0;
    setenv("SUBWAVE_LOG", bits, 1);
    if (path)
        setenv("SUBWAVE_LOG_FILE", path, 1);
    const subwave_status status = subwave_context_create(&context, device);
    unsetenv("SUBWAVE_LOG");
    unsetenv("SUBWAVE_LOG_FILE");
    assert_ok(NULL, status);
    void *memory;
    const float host[4] = {1, 2, 3, 4};
    assert_ok(context, subwave_malloc(context, &memory, 64));
    assert_ok(context, subwave_copy(context, memory, host, sizeof host));
    assert_ok(context, subwave_matmul(context, SUBWAVE_VARIANT_LOCAL, SUBWAVE_DTYPE_F32,
                                      SUBWAVE_LAYOUT_COLUMN_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                                      SUBWAVE_TRANSPOSE_YES, 1, 2, 1, &one, memory, 3, memory, 2,
                                      &zero, (char *)memory + 32, 1));
    assert_ok(context, subwave_set_stream(context, NULL));
    assert_ok(context, subwave_synchronize(context));
    assert_ok(context, subwave_free(context, memory));
    assert_ok(NULL, subwave_context_destroy(&context));

    const bool trace = bits[0] == '1' || bits[0] == '3', bench = bits[0] == '2' || bits[0] == '3';
    size_t used = 0;
    expected[0] = 0;
#define LINE(when, ...) \
    used += when ? (size_t)snprintf(expected + used, size - used, __VA_ARGS__) : 0
    LINE(trace, "subwave[%s]: subwave_context_create(device=\"%s\")\n", device, device);
    LINE(trace, "subwave[%s]: subwave_malloc(bytes=64)\n", device);
    LINE(trace, "subwave[%s]: subwave_copy(destination=%p, source=%p, bytes=16)\n", device, memory,
         (const void *)host);
    LINE(trace,
         "subwave[%s]: subwave_matmul(variant=local, dtype=f32, layout=column, "
         "transpose_a=0, transpose_b=1, m=1, n=2, k=1, lda=3, ldb=2, ldc=1)\n",
         device);
    LINE(bench,
         "subwave bench matmul --device %s --variant local --dtype f32 --layout column "
         "--transpose-b --size 1x2x1\n",
         device);
    LINE(trace, "subwave[%s]: subwave_set_stream(stream=%p)\n", device, (void *)NULL);
    LINE(trace, "subwave[%s]: subwave_synchronize()\n", device);
    LINE(trace, "subwave[%s]: subwave_free(pointer=%p)\n", device, memory);
    LINE(trace, "subwave[%s]: subwave_context_destroy()\n", device);
#undef LINE
}

static void test_log(void **state)
{
    subwave_device_properties device;
    assert_ok(*state, subwave_context_info(*state, &device));
    char path[64], expected[4096];
    snprintf(path, sizeof path, "subwave-log-%ld.txt", (long)getpid());
    static const char *const bits[] = {"1", "2", "3"};
    for (int i = 0; i < 3; ++i) {
        unlink(path);
        run_logged(device.id, bits[i], path, expected, sizeof expected);
        assert_string_equal(read_file(path), expected);
    }
    /* A file is added to. */
    const size_t before = strlen(read_file(path));
    run_logged(device.id, "2", path, expected, sizeof expected);
    assert_string_equal(read_file(path) + before, expected);

    unlink(path);
    run_logged(device.id, "0", path, expected, sizeof expected);
    assert_int_equal(access(path, F_OK), -1);

    /* Without a file, the standard error. */
    fflush(stderr);
    const int kept = dup(2);
    assert_non_null(freopen(path, "w", stderr));
    run_logged(device.id, "3", NULL, expected, sizeof expected);
    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    assert_string_equal(read_file(path), expected);
    unlink(path);
}

/* --- memory ---------------------------------------------------------------------------------- */

static void test_memory(void **state)
{
    static const int64_t sizes[] = {1, 4, 255, 256, 257, 4096, 1000003};
    void *pointer = &pointer;
    assert_ok(*state, subwave_malloc(*state, &pointer, 0));
    assert_null(pointer);
    assert_ok(*state, subwave_free(*state, NULL));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        assert_ok(*state, subwave_malloc(*state, &pointer, sizes[i]));
        assert_int_equal((uintptr_t)pointer % 256, 0);
        assert_ok(*state, subwave_free(*state, pointer));
    }
}

/* A product that needs a workspace gives the same bits in the caller's, which is used up to its
 * last byte and no further, and whose contents do not matter; in one that is smaller it computes
 * nothing. */
static void test_workspace(void **state)
{
    enum { M = 3, N = 20, K = 20000 };
    static float a[M * K], b[K * N], c[M * N], again[M * N], untouched[M * N];
    const float one = 1, zero = 0;
    subwave_context *const context = *state;
    for (int i = 0; i < M * K; ++i)
        a[i] = (float)(i % 13 - 6) / 8;
    for (int i = 0; i < K * N; ++i)
        b[i] = (float)(i % 17 - 8) / 8;
    memset(untouched, 0xa5, sizeof untouched);
    guarded on_a = guarded_create(context, a, sizeof a),
            on_b = guarded_create(context, b, sizeof b);
    guarded on_c = guarded_create(context, untouched, sizeof c);
#define MULTIPLY() \
    subwave_matmul(context, SUBWAVE_VARIANT_SKINNY, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR, \
                   SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, M, N, K, &one, \
                   guarded_pointer(&on_a), K, guarded_pointer(&on_b), N, &zero, \
                   guarded_pointer(&on_c), N)

    subwave_matmul_plan_info plan;
    int64_t bytes = -1;
    assert_ok(context, subwave_matmul_plan(context, SUBWAVE_VARIANT_SKINNY, SUBWAVE_DTYPE_F32,
                                           SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                                           SUBWAVE_TRANSPOSE_NONE, M, N, K, &plan));
    assert_true(plan.parts > 1 && plan.workspace_bytes > 0);
    assert_ok(context, subwave_workspace_size(context, &bytes));
    assert_true(bytes >= plan.workspace_bytes);
    const int64_t own = bytes;
    assert_ok(context, MULTIPLY());
    assert_int_equal(guarded_read(&on_c, c), 0);

    unsigned char *const garbage = malloc((size_t)plan.workspace_bytes);
    assert_non_null(garbage);
    memset(garbage, 0xee, (size_t)plan.workspace_bytes);
    guarded mine = {.context = context};
    guarded_reset(&mine, 256, garbage, (size_t)plan.workspace_bytes);
    assert_ok(context,
              subwave_set_workspace(context, guarded_pointer(&mine), plan.workspace_bytes));
    assert_ok(context, subwave_workspace_size(context, &bytes));
    assert_int_equal(bytes, plan.workspace_bytes);
    for (int turn = 0; turn < 3; ++turn) {
        guarded_reset(&on_c, 0, untouched, sizeof c);
        assert_ok(context, MULTIPLY());
        assert_int_equal(guarded_read(&on_c, again), 0);
        assert_memory_equal(again, c, sizeof c);
    }
    assert_int_equal(guarded_stray_writes(&mine), 0);

    for (int less = 1; less <= 2; ++less) {
        assert_ok(context, subwave_set_workspace(context, guarded_pointer(&mine),
                                                 less == 1 ? plan.workspace_bytes - 1 : 0));
        guarded_reset(&on_c, 0, untouched, sizeof c);
        assert_int_equal(MULTIPLY(), SUBWAVE_STATUS_WORKSPACE_TOO_SMALL);
        assert_non_null(strstr(subwave_last_error(context), "subwave_set_workspace"));
        assert_int_equal(guarded_changes(&on_c), 0);
    }

    assert_ok(context, subwave_set_workspace(context, NULL, 0));
    assert_ok(context, subwave_workspace_size(context, &bytes));
    assert_int_equal(bytes, own);
    guarded_reset(&mine, 256, garbage, (size_t)plan.workspace_bytes);
    assert_ok(context, MULTIPLY());
    assert_int_equal(guarded_changes(&mine), 0);
    assert_int_equal(guarded_read(&on_c, again), 0);
    assert_memory_equal(again, c, sizeof c);
#undef MULTIPLY
    free(garbage);
    guarded_destroy(&mine);
    guarded_destroy(&on_c);
    guarded_destroy(&on_b);
    guarded_destroy(&on_a);
}

static void test_copy(void **state)
{
    unsigned char source[1000], target[1000];
    for (int i = 0; i < 1000; ++i)
        source[i] = (unsigned char)(i * 7);
    void *one, *other;
    assert_ok(*state, subwave_malloc(*state, &one, 1000));
    assert_ok(*state, subwave_malloc(*state, &other, 1000));
    memset(target, 0xa5, sizeof target);
    assert_ok(*state, subwave_copy(*state, one, source, 1000)); /* host to device */
    assert_ok(*state, subwave_copy(*state, other, target, 1000));
    assert_ok(*state, subwave_copy(*state, (char *)other + 1, (char *)one + 3, 990)); /* across */
    assert_ok(*state, subwave_copy(*state, target, other, 1000)); /* device to host */
    assert_int_equal(target[0], 0xa5);
    assert_memory_equal(target + 1, source + 3, 990);
    for (int i = 991; i < 1000; ++i)
        assert_int_equal(target[i], 0xa5);
    assert_ok(*state, subwave_copy(*state, target, source, 1000)); /* host to host */
    assert_memory_equal(target, source, 1000);
    assert_ok(*state, subwave_free(*state, one));
    assert_ok(*state, subwave_free(*state, other));
}

/* Memory is the device's, not the context's. */
static void test_memory_outlives_context(void **state)
{
    subwave_device_properties device;
    subwave_context *context;
    void *memory;
    char text[8] = "outlive";
    assert_ok(*state, subwave_context_info(*state, &device));
    assert_ok(NULL, subwave_context_create(&context, device.id));
    assert_ok(context, subwave_malloc(context, &memory, sizeof text));
    assert_ok(context, subwave_copy(context, memory, text, sizeof text));
    assert_ok(NULL, subwave_context_destroy(&context));
    memset(text, 0, sizeof text);
    assert_ok(*state, subwave_copy(*state, text, memory, sizeof text));
    assert_string_equal(text, "outlive");
    assert_ok(*state, subwave_free(*state, memory));
}

/* On the CPU device any memory of the process is device memory. */
static void test_process_memory(void **state)
{
    if (!harness_is_cpu(*state)) {
        print_message("skipped: memory of the process is not a GPU's\n");
        skip();
    }
    const double a[2][3] = {{1, 2, 3}, {4, 5, 6}}, b[3][1] = {{1}, {10}, {100}}, one = 1, zero = 0;
    double c[2][1] = {{-1}, {-1}};
    assert_ok(*state,
              subwave_matmul(*state, SUBWAVE_VARIANT_AUTO, SUBWAVE_DTYPE_F64,
                             SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                             SUBWAVE_TRANSPOSE_NONE, 2, 1, 3, &one, a, 3, b, 1, &zero, c, 1));
    assert_true(c[0][0] == 321 && c[1][0] == 654);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_dtypes),
        cmocka_unit_test(test_enumerations),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_devices_again),
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_two_contexts),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_workspace),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_memory_outlives_context),
        cmocka_unit_test(test_process_memory),
    };
    return harness_run("contexts", tests, sizeof tests / sizeof *tests);
}
