/* SPDX-License-Identifier: MIT
 * test_process.c: the CPU device as a part of somebody's process: fork(), threads and memory that
 * cannot be had, leaks, signal handlers. The functions below take the place of the C library's, in
 * the library under test too.
 */
#define _GNU_SOURCE
#include "../harness.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- functions that can fail ----------------------------------------------------------------- */

static atomic_long counted; /* calls that may fail, while `counting` */
static atomic_bool counting;
static atomic_long failing = -1; /* this one does, or from this one on if `all_after` */
static bool all_after;
static atomic_long held; /* blocks and mappings that were not given back */

static bool fails(void)
{
    if (!atomic_load(&counting))
        return false;
    const long number = atomic_fetch_add(&counted, 1);
    const long fail = atomic_load(&failing);
    return fail >= 0 && (number == fail || (all_after && number > fail));
}

/* Of glibc, which gives them for replacements of malloc. */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static void *without_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

static void *noted(void *memory)
{
    atomic_fetch_add(&held, memory != NULL);
    return memory;
}

#pragma GCC visibility push(default)
void *malloc(size_t bytes) { return fails() ? without_memory() : noted(__libc_malloc(bytes)); }
void *calloc(size_t count, size_t bytes)
{
    return fails() ? without_memory() : noted(__libc_calloc(count, bytes));
}
void *realloc(void *old, size_t bytes)
{
    if (!old)
        return malloc(bytes);
    return fails() ? without_memory() : __libc_realloc(old, bytes);
}
void free(void *memory)
{
    atomic_fetch_sub(&held, memory != NULL);
    __libc_free(memory);
}
void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? without_memory() : noted(__libc_memalign(alignment, bytes));
}
int posix_memalign(void **pointer, size_t alignment, size_t bytes)
{
    void *memory = fails() ? NULL : noted(__libc_memalign(alignment, bytes));
    if (!memory)
        return ENOMEM;
    *pointer = memory;
    return 0;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    if (fails()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    void *const memory = NEXT(mmap)(address, length, protection, flags, file, offset);
    return memory == MAP_FAILED ? memory : noted(memory);
}
int munmap(void *address, size_t length)
{
    atomic_fetch_sub(&held, 1);
    return NEXT(munmap)(address, length);
}
int mprotect(void *address, size_t length, int protection)
{
    if (fails()) {
        errno = ENOMEM;
        return -1;
    }
    return NEXT(mprotect)(address, length, protection);
}
static atomic_bool no_threads;
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    if (atomic_load(&no_threads) || fails())
        return EAGAIN;
    return NEXT(pthread_create)(thread, attributes, start, argument);
}

#pragma GCC visibility pop

/* --- calls ----------------------------------------------------------------------------------- */

enum { N = 96, ITEMS = 4096 };
static float a[N * N], b[N * N], c[N * N], right[N * N];
static uint32_t ids[ITEMS], in[ITEMS], out[ITEMS];
static subwave_group_item info[ITEMS];
static const float one = 1, zero = 0;

static void prepare(void)
{
    for (int i = 0; i < N * N; ++i) {
        a[i] = (float)(i % 11 - 5);
        b[i] = (float)(i % 7 - 3);
    }
    for (int i = 0; i < ITEMS; ++i) {
        in[i] = (uint32_t)i * 2654435761u;
        ids[i] = (uint32_t)i % 4;
    }
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) {
            float sum = 0;
            for (int l = 0; l < N; ++l)
                sum += a[i * N + l] * b[l * N + j];
            right[i * N + j] = sum;
        }
}

static subwave_status multiply(subwave_context *context, subwave_variant variant)
{
    memset(c, 0xff, sizeof c);
    return subwave_matmul(context, variant, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR,
                          SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, N, N, N, &one, a, N, b, N,
                          &zero, c, N);
}

static subwave_status with_context(subwave_status (*call)(subwave_context *))
{
    subwave_context *context;
    subwave_status status = subwave_context_create(&context, "cpu:32");
    if (status == SUBWAVE_STATUS_SUCCESS) {
        status = call(context);
        subwave_context_destroy(&context);
    }
    return status;
}

/* Whether the product is right when the call says so. */
static subwave_status multiply_auto(subwave_context *context)
{
    const subwave_status status = multiply(context, SUBWAVE_VARIANT_AUTO);
    return status == SUBWAVE_STATUS_SUCCESS && memcmp(c, right, sizeof c) != 0
               ? SUBWAVE_STATUS_DEVICE_ERROR
               : status;
}

static const subwave_group groups = {
    .kind = SUBWAVE_GROUP_FIXED_SIZE, .block = {256, 1, 1}, .fixed_size = 8};

#define CALL(name, ...) \
    static subwave_status name(subwave_context *context) { return __VA_ARGS__; }
#define SUBWAVE_X(name, ...) CALL(multiply_##name, multiply(context, SUBWAVE_VARIANT_##name))
SUBWAVE_VARIANT_LIST(SUBWAVE_X)
#undef SUBWAVE_X
CALL(batched,
     subwave_matmul_strided_batched(context, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR,
                                    SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, 12, 12, 12,
                                    &one, a, 12, 144, b, 12, 144, &zero, c, 12, 144, N *N / 144))
CALL(batched_staged,
     subwave_matmul_strided_batched(context, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR,
                                    SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, 48, 48, 48,
                                    &one, a, 48, 2304, b, 48, 2304, &zero, c, 48, 2304, 4))
static subwave_status pointers(subwave_context *context)
{
    const void *as[] = {a, a + 144}, *bs[] = {b, b + 144};
    void *cs[] = {c, c + 144};
    return subwave_matmul_batched(context, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR,
                                  SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, 12, 12, 12, &one,
                                  as, 12, bs, 12, &zero, cs, 12, 2);
}
CALL(stacked, subwave_matmul_stacked(context, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR,
                                     SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, 12, 12, 12,
                                     &one, a, 12, b, 12, &zero, c, 12, SUBWAVE_DTYPE_I32, 0,
                                     (int32_t[]){0, 0, 0, 144, 0, 144, 0, 144, 0}, 3))
static subwave_status grouped(subwave_context *context)
{
    static const int64_t sizes[] = {12, 3, 12}, lds[] = {12, 12, 12};
    const void *const as[] = {a, a + 4, a + 8}, *const bs[] = {b, b, b + 8};
    void *const cs[] = {c, c + 144, c + 288};
    return subwave_matmul_grouped(context, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR,
                                  SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, sizes, sizes,
                                  sizes, &one, as, lds, bs, lds, &zero, cs, lds, 3);
}
CALL(tensor, subwave_tensor_apply(context, SUBWAVE_DTYPE_F32, SUBWAVE_TRANSPOSE_NONE, 3, 4, 4, &one,
                                  a, a, a, b, 64, 0, &zero, c, 64, 0, 1, N *N / 64))
CALL(reduce, subwave_group_reduce(context, SUBWAVE_DTYPE_U32, SUBWAVE_OP_PLUS, &groups, ITEMS, NULL,
                                  in, out))
CALL(scan, subwave_group_scan(context, SUBWAVE_DTYPE_U32, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE,
                              &groups, ITEMS, NULL, in, out))
CALL(one_to_all, subwave_group_broadcast(context, SUBWAVE_DTYPE_U32, &groups, ITEMS, 1, in, out))
CALL(shift, subwave_group_shift(context, SUBWAVE_DTYPE_U32, SUBWAVE_SHIFT_LEFT, &groups, ITEMS, 1,
                                in, out))
CALL(permute, subwave_group_permute(context, SUBWAVE_DTYPE_U32, &groups, ITEMS, 3, in, out))
CALL(pick, subwave_group_select(context, SUBWAVE_DTYPE_U32, &groups, ITEMS, ids, in, out))
CALL(vote, subwave_group_vote(context, SUBWAVE_VOTE_ANY, &groups, ITEMS, (const uint8_t *)in,
                              (uint8_t *)out))
CALL(describe, subwave_group_info(context, &groups, ITEMS, info))
CALL(whole_array, subwave_reduce(context, SUBWAVE_DTYPE_U32, SUBWAVE_OP_PLUS, SUBWAVE_ORDER_FIXED,
                                 ITEMS, NULL, in, SUBWAVE_PLACE_HOST, out))
CALL(scan_array, subwave_scan(context, SUBWAVE_DTYPE_U32, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE,
                              SUBWAVE_ORDER_FIXED, ITEMS, NULL, in, out))
CALL(multiply_arrays, subwave_dot(context, SUBWAVE_DTYPE_F32, SUBWAVE_CONJUGATION_NONE,
                                  SUBWAVE_ORDER_FIXED, ITEMS, in, in, SUBWAVE_PLACE_HOST, out))
CALL(norm, subwave_norm2(context, SUBWAVE_DTYPE_F32, SUBWAVE_ORDER_FIXED, ITEMS, in,
                         SUBWAVE_PLACE_HOST, out))
CALL(least, subwave_minmax_index(context, SUBWAVE_DTYPE_U32, SUBWAVE_OP_MINIMUM, ITEMS, in,
                                 SUBWAVE_PLACE_HOST, out, (int64_t[1]){0}))
CALL(compact, subwave_compact(context, SUBWAVE_DTYPE_U32, ITEMS, (const uint8_t *)in, in, out,
                              (int64_t[1]){0}))
CALL(partition,
     subwave_partition_if(context, SUBWAVE_DTYPE_U32, SUBWAVE_COMPARISON_LESS, &(uint32_t){9},
                          ITEMS / 2, in, out, out + ITEMS / 2, (int64_t[1]){0}))
CALL(unique, subwave_unique(context, SUBWAVE_DTYPE_U32, ITEMS, in, out, (int64_t[1]){0}))
CALL(flip, subwave_transpose(context, SUBWAVE_DTYPE_U32, SUBWAVE_LAYOUT_ROW_MAJOR, 4, ITEMS / 4, in,
                             ITEMS / 4, out, 4))
CALL(flip_all, subwave_transpose_stacked(context, SUBWAVE_DTYPE_U32, SUBWAVE_LAYOUT_ROW_MAJOR, 3, 4,
                                         out, SUBWAVE_DTYPE_I32, 0, (int32_t[]){12, 0}, 2))
CALL(rows, subwave_row_reduce(context, SUBWAVE_DTYPE_U32, SUBWAVE_OP_PLUS, 4, ITEMS / 4, in,
                              ITEMS / 4, out))
CALL(scanned_rows,
     subwave_row_scan(context, SUBWAVE_DTYPE_U32, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_EXCLUSIVE, 4,
                      ITEMS / 4, in, ITEMS / 4, out, ITEMS / 4))
CALL(least_of_rows, subwave_row_minmax_index(context, SUBWAVE_DTYPE_U32, SUBWAVE_OP_MINIMUM, 4,
                                             ITEMS / 4, in, ITEMS / 4, out, (int64_t *)info))
CALL(bins, subwave_histogram(context, SUBWAVE_DTYPE_U32, 4, 0, 1e6, ITEMS, in, (int64_t *)info))
CALL(bounds,
     subwave_histogram_by_boundaries(context, SUBWAVE_DTYPE_U32, 1, in, ITEMS, in, (int64_t *)info))
CALL(weights_in_bins, subwave_histogram_weighted(context, SUBWAVE_DTYPE_F32, SUBWAVE_ORDER_FIXED, 4,
                                                 0, 1e6, ITEMS, in, in, out))
CALL(weights_in_bounds,
     subwave_histogram_by_boundaries_weighted(context, SUBWAVE_DTYPE_U32, SUBWAVE_ORDER_ANY, 1, in,
                                              ITEMS, in, in, out))
CALL(append, subwave_append(context, SUBWAVE_DTYPE_U32, ITEMS, (const uint8_t *)in, in, ITEMS, out,
                            (int64_t[1]){0}))
CALL(append_some, subwave_append_if(context, SUBWAVE_DTYPE_U32, SUBWAVE_COMPARISON_LESS,
                                    &(uint32_t){9}, ITEMS, in, ITEMS / 2, out, (int64_t[1]){0}))
CALL(of_segments,
     subwave_segmented_reduce(context, SUBWAVE_DTYPE_U32, SUBWAVE_OP_PLUS, SUBWAVE_DTYPE_I32, 3,
                              (int32_t[]){0, 1, 1, ITEMS}, ITEMS, in, out))
CALL(in_segments,
     subwave_segmented_scan(context, SUBWAVE_DTYPE_U32, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE,
                            SUBWAVE_DTYPE_I32, 3, (int32_t[]){0, 1, 1, ITEMS}, ITEMS, in, out))
CALL(sum_in_cells, subwave_scatter_add(context, SUBWAVE_DTYPE_F32, SUBWAVE_ORDER_FIXED, ITEMS,
                                       SUBWAVE_DTYPE_I32, ids, in, ITEMS, out))
CALL(fill, subwave_fill(context, SUBWAVE_DTYPE_U32, &(uint32_t){3}, ITEMS, out))
CALL(copy_rows, subwave_copy_2d(context, out, 40, in, 64, 32, ITEMS / 16))
static subwave_status event(subwave_context *context)
{
    subwave_event *reached = NULL;
    void *stream = NULL;
    subwave_status status = subwave_event_create(context, &reached);
    if (status == SUBWAVE_STATUS_SUCCESS) {
        status = subwave_stream_create(context, &stream, SUBWAVE_PRIORITY_NORMAL);
        subwave_set_stream(context, stream);
        subwave_event_record(context, reached);
        subwave_event_wait(context, reached);
        subwave_stream_destroy(context, stream);
        subwave_event_destroy(context, reached);
    }
    return status;
}
static subwave_status memory(subwave_context *context)
{
    void *device = NULL;
    subwave_status status = subwave_malloc(context, &device, sizeof a);
    if (status == SUBWAVE_STATUS_SUCCESS) {
        status = subwave_copy(context, device, a, sizeof a);
        subwave_free(context, device);
    }
    return status;
}

#define SUBWAVE_X(name, ...) multiply_##name,
static subwave_status (*const calls[])(subwave_context *) = {multiply_auto,
                                                             SUBWAVE_VARIANT_LIST(SUBWAVE_X)
                                                                 batched,
                                                             batched_staged,
                                                             pointers,
                                                             stacked,
                                                             grouped,
                                                             tensor,
                                                             reduce,
                                                             one_to_all,
                                                             scan,
                                                             shift,
                                                             permute,
                                                             pick,
                                                             vote,
                                                             describe,
                                                             whole_array,
                                                             scan_array,
                                                             multiply_arrays,
                                                             norm,
                                                             least,
                                                             compact,
                                                             partition,
                                                             unique,
                                                             append,
                                                             append_some,
                                                             flip,
                                                             flip_all,
                                                             rows,
                                                             scanned_rows,
                                                             least_of_rows,
                                                             bins,
                                                             bounds,
                                                             weights_in_bins,
                                                             weights_in_bounds,
                                                             of_segments,
                                                             in_segments,
                                                             sum_in_cells,
                                                             fill,
                                                             copy_rows,
                                                             event,
                                                             memory};
#undef SUBWAVE_X
enum { CALLS = sizeof calls / sizeof *calls };

/* --- fork ------------------------------------------------------------------------------------ */

static pid_t start_child(int (*run)(int), int argument, unsigned seconds)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(seconds);
        exit(run(argument));
    }
    return child;
}

/* The exit status of a child that ends by exit(), or a signal's number by 128 more. */
static int end_of_child(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int in_child(int (*run)(int), int argument)
{
    return end_of_child(start_child(run, argument, 240));
}

static int do_nothing(int depth) { return depth; }
static int compute(int depth)
{
    if (with_context(multiply_auto) != SUBWAVE_STATUS_SUCCESS)
        return 1;
    return depth > 0 ? in_child(compute, depth - 1) : 0;
}

static void test_fork(void **state)
{
    assert_ok(*state, multiply_auto(*state));
    assert_int_equal(in_child(do_nothing, 0), 0);
    assert_int_equal(in_child(compute, 2), 0);
    assert_ok(*state, multiply_auto(*state));
}

static atomic_bool stop;
static void *multiply_until_stopped(void *failures)
{
    static _Thread_local float mine[N * N];
    subwave_context *context;
    if (subwave_context_create(&context, "cpu:16") != SUBWAVE_STATUS_SUCCESS)
        return failures;
    while (!atomic_load(&stop)) {
        const subwave_status status =
            subwave_matmul(context, SUBWAVE_VARIANT_BROADCAST, SUBWAVE_DTYPE_F32,
                           SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE,
                           N, N, N, &one, a, N, b, N, &zero, mine, N);
        if (status != SUBWAVE_STATUS_SUCCESS || memcmp(mine, right, sizeof mine) != 0)
            atomic_fetch_add((atomic_int *)failures, 1);
    }
    subwave_context_destroy(&context);
    return NULL;
}

/* Whatever other threads are at. */
static void test_fork_beside_calls(void **state)
{
    (void)state;
    enum { THREADS = 4, FORKS = 20 };
    pthread_t threads[THREADS];
    atomic_int failures = 0;
    atomic_store(&stop, false);
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, multiply_until_stopped, &failures), 0);
    for (int i = 0; i < FORKS; ++i)
        assert_int_equal(in_child(i % 2 ? compute : do_nothing, 0), 0);
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; ++i)
        pthread_join(threads[i], NULL);
    assert_int_equal(failures, 0);
}

/* --- what cannot be had ---------------------------------------------------------------------- */

static int without_threads(int unused)
{
    (void)unused;
    atomic_store(&no_threads, true);
    for (int i = 0; i < CALLS; ++i)
        if (with_context(calls[i]) != SUBWAVE_STATUS_SUCCESS)
            return 1 + i;
    return 0;
}

static void test_no_threads(void **state)
{
    (void)state;
    assert_int_equal(in_child(without_threads, 0), 0);
}

/* What must be so afterwards: the same call succeeds, and the text said what was missing. */
static int fail_one(int call, long which, bool all)
{
    subwave_context *context = NULL;
    atomic_store(&failing, which);
    atomic_store(&counted, 0);
    all_after = all;
    atomic_store(&counting, true);
    subwave_status status = subwave_context_create(&context, "cpu:32");
    const bool created = status == SUBWAVE_STATUS_SUCCESS;
    if (created)
        status = calls[call](context);
    atomic_store(&counting, false);
    const bool failed = atomic_load(&counted) > which;
    if (status != SUBWAVE_STATUS_SUCCESS && (status != SUBWAVE_STATUS_OUT_OF_MEMORY || !failed ||
                                             strlen(subwave_last_error(context)) < 10)) {
        printf("call %d, failure %ld: %s, \"%s\"\n", call, which, subwave_status_name(status),
               subwave_last_error(context));
        return 2;
    }
    if (!created &&
        (context != NULL || subwave_context_create(&context, "cpu:32") != SUBWAVE_STATUS_SUCCESS))
        return 3;
    status = calls[call](context);
    if (status != SUBWAVE_STATUS_SUCCESS) {
        printf("call %d after failure %ld: %s, \"%s\"\n", call, which, subwave_status_name(status),
               subwave_last_error(context));
        return 4;
    }
    return subwave_context_destroy(&context) != SUBWAVE_STATUS_SUCCESS ? 5 : failed ? 0 : 6;
}

/* In children of a process that has launched nothing, so that each meets a first launch's
 * allocations. */
static int fail_each(int call, int all)
{
    for (long which = 0;; ++which) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);
            exit(fail_one(call, which, all));
        }
        int status;
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
            printf("call %d, failure %ld: the process ended by signal %d\n", call, which,
                   WTERMSIG(status));
            return 1;
        }
        if (WEXITSTATUS(status) == 6) /* there are no more */
            return which < 5;
        if (WEXITSTATUS(status) != 0)
            return 1;
    }
}

static int fail_all(int all)
{
    /* the longer test: every call, in one way or the other */
    const int step = harness_is_full() ? 2 : 12;
    int wrong = 0;
    for (int i = all; i < CALLS; i += step)
        wrong += fail_each(i, all);
    return wrong;
}

/* Before any launch. One allocation fails, or that and all later ones do: side by side, since the
 * system takes most of the time, to make and to end processes. */
static int first_of_all(void)
{
    const pid_t one = start_child(fail_all, false, 540), all = start_child(fail_all, true, 540);
    return end_of_child(one) + end_of_child(all);
}

static int failing_calls;
static void test_every_failure(void **state)
{
    (void)state;
    assert_int_equal(failing_calls, 0);
}

/* --- a call that is repeated asks for no memory ---------------------------------------------- */

/* Each thread of the device needs its room for a call once, whenever it first takes part. */
static void test_no_allocation(void **state)
{
    for (int i = 0; i < CALLS - 2; ++i) { /* the last two allocate for their caller */
        int without = 0;
        for (int turn = 0; turn < 1000 && without < 20; ++turn) {
            atomic_store(&failing, -1);
            atomic_store(&counted, 0);
            atomic_store(&counting, true);
            const subwave_status status = calls[i](*state);
            atomic_store(&counting, false);
            assert_ok(*state, status);
            without = atomic_load(&counted) == 0 ? without + 1 : 0;
        }
        if (without < 20)
            fail_msg("call %d allocates again and again", i);
    }
}

/* --- what was had is given back -------------------------------------------------------------- */

static void *fail_in_thread(void *unused)
{
    subwave_context *context;
    (void)unused;
    return subwave_context_create(&context, "cpu:7") == SUBWAVE_STATUS_SUCCESS ? context : NULL;
}

/* Contexts that are made, used and destroyed, and some that cannot be made; with stacks of other
 * sizes, so that lanes are made anew. */
static void use_all(const char *stack)
{
    subwave_context *context = NULL;
    pthread_t thread;
    void *made;
    setenv("SUBWAVE_CPU_STACK_KB", stack, 1);
    for (int i = 0; i < CALLS; ++i)
        assert_ok(NULL, with_context(calls[i]));
    setenv("SUBWAVE_CPU_STACK_KB", "none", 1);
    assert_int_equal(subwave_context_create(&context, "cpu:32"), SUBWAVE_STATUS_INVALID_VALUE);
    setenv("SUBWAVE_CPU_STACK_KB", stack, 1);
    for (int which = 0; which < 3; ++which) {
        atomic_store(&failing, which);
        atomic_store(&counted, 0);
        atomic_store(&counting, true);
        (void)subwave_context_create(&context, "cpu:32");
        atomic_store(&counting, false);
        subwave_context_destroy(&context);
    }
    assert_int_equal(pthread_create(&thread, NULL, fail_in_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, &made), 0);
    assert_null(made);
}

static int next_file(void)
{
    const int file = dup(STDERR_FILENO);
    close(file);
    return file;
}

static void test_leaks(void **state)
{
    (void)state;
    char path[64];
    char *const threads =
        strdup(getenv("SUBWAVE_CPU_THREADS") ? getenv("SUBWAVE_CPU_THREADS") : "");
    snprintf(path, sizeof path, "subwave-leaks-%ld.txt", (long)getpid());
    setenv("SUBWAVE_CPU_THREADS", "1", 1); /* several would share out the engines as they come */
    setenv("SUBWAVE_LOG", "1", 1);
    setenv("SUBWAVE_LOG_FILE", path, 1);
    all_after = false;
    long before = 0, after = 0;
    int file = 0;
    for (int turn = 0; turn < 8; ++turn) {
        use_all(turn % 2 ? "64" : "128");
        after = atomic_load(&held);
        if (turn == 3) {
            before = after;
            file = next_file();
        }
    }
    unlink(path);
    setenv("SUBWAVE_CPU_THREADS", threads, 1);
    free(threads);
    unsetenv("SUBWAVE_CPU_STACK_KB");
    unsetenv("SUBWAVE_LOG");
    unsetenv("SUBWAVE_LOG_FILE");
    assert_int_equal(next_file(), file);
    assert_int_equal(after, before);
}

/* --- signals --------------------------------------------------------------------------------- */

static atomic_int handled, on_alternate;
static char *alternate;
enum { ALTERNATE = 1 << 20, LARGE = 300000 };

static void handle(int number)
{
    (void)number;
    volatile char frame[LARGE]; /* more than a lane's stack */
    for (int i = 0; i < LARGE; i += 1000)
        frame[i] = 1;
    atomic_fetch_add(&on_alternate,
                     (char *)frame >= alternate && (char *)frame < alternate + ALTERNATE);
    atomic_fetch_add(&handled, 1);
}

/* A handler with SA_ONSTACK may be as large as its stack, whatever runs; no thread of the library's
 * calls it. */
static void test_signals(void **state)
{
    alternate = mmap(NULL, ALTERNATE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const stack_t stack = {.ss_sp = alternate, .ss_size = ALTERNATE},
                  none = {.ss_flags = SS_DISABLE};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK | SA_RESTART}, before;
    struct itimerspec period = {{0, 300000}, {0, 300000}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer_t timer;
    assert_int_equal(sigaltstack(&stack, NULL), 0);
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    assert_int_equal(timer_settime(timer, 0, &period, NULL), 0);
    int failures = 0;
    for (int i = 0; i < 300 || atomic_load(&handled) < 100; ++i)
        failures += multiply_auto(*state) != SUBWAVE_STATUS_SUCCESS;
    timer_delete(timer);
    sigaction(SIGUSR1, &before, NULL);
    sigaltstack(&none, NULL);
    munmap(alternate, ALTERNATE);
    assert_int_equal(failures, 0);
    assert_int_equal(atomic_load(&on_alternate), atomic_load(&handled));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_failure), cmocka_unit_test(test_no_threads),
        cmocka_unit_test(test_no_allocation), cmocka_unit_test(test_leaks),
        cmocka_unit_test(test_fork),          cmocka_unit_test(test_fork_beside_calls),
        cmocka_unit_test(test_signals),
    };
    prepare();
    failing_calls = first_of_all();
    return harness_run("process", tests, sizeof tests / sizeof *tests);
}
