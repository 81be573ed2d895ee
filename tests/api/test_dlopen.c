/* SPDX-License-Identifier: MIT
 * test_dlopen.c: the library as a plugin: opened and closed again and again, by threads that
 * outlive it.
 */
#define _GNU_SOURCE
#include <subwave/subwave.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 40, N = 128 };
static float a[N * N], b[N * N], c[N * N];
static const char *path;
static int failures;
static pthread_barrier_t closed;

static int fail(const char *what)
{
    printf("FAILED: %s\n", what);
    return ++failures;
}

#define FIND(name) __typeof__(&name) found_##name = (__typeof__(&name))dlsym(library, #name)

static void use(void *library)
{
    FIND(subwave_context_create);
    FIND(subwave_context_destroy);
    FIND(subwave_matmul);
    FIND(subwave_last_error);
    subwave_context *context;
    const float one = 1, zero = 0;
    if (found_subwave_context_create(&context, "cpu:7") == SUBWAVE_STATUS_SUCCESS ||
        !strstr(found_subwave_last_error(NULL), "cpu:7"))
        fail("an error without a text");
    if (found_subwave_context_create(&context, "cpu:64") != SUBWAVE_STATUS_SUCCESS) {
        fail(found_subwave_last_error(NULL));
        return;
    }
    c[N * N - 1] = 0;
    if (found_subwave_matmul(context, SUBWAVE_VARIANT_AUTO, SUBWAVE_DTYPE_F32,
                             SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                             SUBWAVE_TRANSPOSE_NONE, N, N, N, &one, a, N, b, N, &zero, c,
                             N) != SUBWAVE_STATUS_SUCCESS)
        fail(found_subwave_last_error(context));
    if (c[N * N - 1] != 2 * N)
        fail("a wrong product");
    found_subwave_context_destroy(&context);
}

/* Blocks of memory that the process has allocated, counted here: mallinfo2() also counts what glibc
 * keeps for threads, which grows with the number of processors. These take the C library's
 * functions' places in the library under test. */
static atomic_long held;

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static void *noted(void *memory)
{
    atomic_fetch_add(&held, memory != NULL);
    return memory;
}

#pragma GCC visibility push(default)
void *malloc(size_t bytes) { return noted(__libc_malloc(bytes)); }
void *calloc(size_t count, size_t bytes) { return noted(__libc_calloc(count, bytes)); }
void *realloc(void *old, size_t bytes) { return old ? __libc_realloc(old, bytes) : malloc(bytes); }
void *aligned_alloc(size_t alignment, size_t bytes)
{
    return noted(__libc_memalign(alignment, bytes));
}
int posix_memalign(void **pointer, size_t alignment, size_t bytes)
{
    void *const memory = aligned_alloc(alignment, bytes);
    *pointer = memory ? memory : *pointer;
    return memory ? 0 : ENOMEM;
}
void free(void *memory)
{
    atomic_fetch_sub(&held, memory != NULL);
    __libc_free(memory);
}
#pragma GCC visibility pop

/* Blocks that a turn may lose: a C++ runtime that was linked into the library (-static-libstdc++)
 * has a reserve for exceptions, which it never gives back. */
static int lost_in_a_turn(void)
{
    void *const runtime = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (runtime)
        dlclose(runtime);
    return runtime == NULL;
}

static void *use_in_thread(void *library)
{
    use(library);
    pthread_barrier_wait(&closed); /* has been used */
    pthread_barrier_wait(&closed); /* has been closed */
    return NULL;
}

int main(int argc, char **argv)
{
    path = argc > 1 ? argv[1] : "libsubwave.so.1";
    for (int i = 0; i < N * N; ++i) {
        a[i] = 1;
        b[i] = 2;
    }
    pthread_barrier_init(&closed, NULL, 2);
    long before = 0;
    int lost = 0;
    for (int turn = 0; turn < TURNS && failures == 0; ++turn) {
        void *library = dlopen(path, turn % 2 ? RTLD_NOW | RTLD_GLOBAL : RTLD_LAZY | RTLD_LOCAL);
        if (!library)
            return fail(dlerror());
        lost = lost_in_a_turn();
        pthread_t thread;
        if (turn % 4 < 2) {
            use(library);
        } else {
            if (pthread_create(&thread, NULL, use_in_thread, library) != 0)
                return fail("no thread");
            pthread_barrier_wait(&closed);
        }
        if (dlclose(library) != 0)
            fail(dlerror());
        if (turn % 4 >= 2) {
            pthread_barrier_wait(&closed);
            pthread_join(thread, NULL);
        }
        if (turn == TURNS / 2 - 1)
            before = atomic_load(&held);
    }
    const long more = atomic_load(&held) - before - (long)lost * (TURNS / 2);
    if (failures == 0 && more >= TURNS / 8) {
        printf("%ld blocks more in %d turns\n", more, TURNS / 2);
        fail("closing gives back less memory than opening takes");
    }
    printf("opened and closed %d times, %d failures\n", TURNS, failures);
    return failures != 0;
}
