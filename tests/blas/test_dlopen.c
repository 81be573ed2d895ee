/* SPDX-License-Identifier: MIT
 * test_dlopen.c: libsubwave_blas as a plugin: opened, used and closed again and again, by threads
 * that outlive it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>

enum { TURNS = 40, N = 48 };
typedef void gemm(int, int, int, int, int, int, double, const double *, int, const double *, int,
                  double, double *, int);

static double a[N * N], b[N * N];
static int failures;
static pthread_barrier_t closed;

static void fail(const char *what)
{
    printf("FAILED: %s\n", what);
    ++failures;
}

static void use(void *library)
{
    gemm *multiply;
    *(void **)&multiply = dlsym(library, "cblas_dgemm");
    if (!multiply) {
        fail("no cblas_dgemm");
        return;
    }
    double c[N * N];
    multiply(101, 111, 112, N, N, N, 1, a, N, b, N, 0, c, N);
    if (c[0] != 2 * N || c[N * N - 1] != 2 * N)
        fail("a wrong product");
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
    if (argc != 2)
        return 2;
    for (int i = 0; i < N * N; ++i) {
        a[i] = 1;
        b[i] = 2;
    }
    pthread_barrier_init(&closed, NULL, 2);
    size_t before = 0;
    for (int turn = 0; turn < TURNS && failures == 0; ++turn) {
        void *const library =
            dlopen(argv[1], turn % 2 ? RTLD_NOW | RTLD_GLOBAL : RTLD_LAZY | RTLD_LOCAL);
        if (!library) {
            fail(dlerror());
            break;
        }
        pthread_t thread;
        if (turn % 4 < 2) {
            use(library);
        } else {
            if (pthread_create(&thread, NULL, use_in_thread, library) != 0)
                return 2;
            pthread_barrier_wait(&closed);
        }
        if (dlclose(library) != 0)
            fail(dlerror());
        if (turn % 4 >= 2) {
            pthread_barrier_wait(&closed);
            pthread_join(thread, NULL);
        }
        if (turn == TURNS / 2 - 1)
            before = mallinfo2().uordblks + mallinfo2().hblkhd;
    }
    /* A context has a workspace of at least 12 KiB. */
    const size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
    if (failures == 0 && after > before + TURNS / 2 * 4096) {
        printf("%zu bytes, and %zu after %d further turns\n", before, after, TURNS / 2);
        fail("closing gives back less memory than opening takes");
    }
    printf("opened and closed %d times, %d failures\n", TURNS, failures);
    return failures != 0;
}
