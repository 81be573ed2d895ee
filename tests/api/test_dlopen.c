/* SPDX-License-Identifier: MIT
 * test_dlopen.c: the library as a plugin: opened and closed again and again, by threads that outlive it.
 */
#define _GNU_SOURCE
#include <subwave/subwave.h>

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 20, N = 128 };
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

/* Bytes that the process has allocated. */
static size_t held(void)
{
    const struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
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
    path = argc > 1 ? argv[1] : "libsubwave.so.0";
    for (int i = 0; i < N * N; ++i) {
        a[i] = 1;
        b[i] = 2;
    }
    pthread_barrier_init(&closed, NULL, 2);
    size_t before = 0;
    for (int turn = 0; turn < TURNS && failures == 0; ++turn) {
        void *library = dlopen(path, turn % 2 ? RTLD_NOW | RTLD_GLOBAL : RTLD_LAZY | RTLD_LOCAL);
        if (!library)
            return fail(dlerror());
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
        if (turn == 3)
            before = held();
    }
    if (failures == 0 && held() > before + 32 * 1024)
        fail("closing gives back less memory than opening takes");
    printf("opened and closed %d times, %d failures\n", TURNS, failures);
    return failures != 0;
}
