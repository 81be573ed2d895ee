/* SPDX-License-Identifier: MIT
 * test_faults.c: libsubwave_blas where calls of the C library fail, and on a device with a memory
 * of its own, which the CPU device plays here. The linker puts the functions below in front of the
 * library's; the next BLAS is that of next.c. Each test has a process of its own.
 */
#define _DEFAULT_SOURCE
#include "../harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int,
                 double, double *, int);
void cblas_sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float,
                 float *, int);

/* --- functions that can fail ----------------------------------------------------------------- */

static bool plays_gpu;

/* X(name, parameters, arguments) */
#define WRAPPED(X) \
    X(context_create, (subwave_context * *context, const char *device), (context, device)) \
    X(malloc, (subwave_context * context, void **pointer, int64_t bytes), \
      (context, pointer, bytes)) \
    X(free, (subwave_context * context, void *pointer), (context, pointer)) \
    X(synchronize, (subwave_context * context), (context)) \
    X(copy_2d_async, \
      (subwave_context * context, void *to, int64_t to_pitch, const void *from, \
       int64_t from_pitch, int64_t width, int64_t height), \
      (context, to, to_pitch, from, from_pitch, width, height)) \
    X(matmul, \
      (subwave_context * context, subwave_variant variant, subwave_dtype dtype, \
       subwave_layout layout, subwave_transpose_kind transpose_a, \
       subwave_transpose_kind transpose_b, int64_t m, int64_t n, int64_t k, const void *alpha, \
       const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta, void *c, \
       int64_t ldc), \
      (context, variant, dtype, layout, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, \
       beta, c, ldc))

/* The next call but `after` returns `status`, if that is an error. */
#define DEFINE(name, parameters, arguments) \
    static struct { \
        int calls, after; \
        subwave_status status; \
    } of_##name; \
    subwave_status __real_subwave_##name parameters; \
    subwave_status __wrap_subwave_##name parameters; \
    subwave_status __wrap_subwave_##name parameters \
    { \
        ++of_##name.calls; \
        if (of_##name.status && of_##name.after-- == 0) { \
            const subwave_status status = of_##name.status; \
            of_##name.status = SUBWAVE_STATUS_SUCCESS; \
            return status; \
        } \
        return __real_subwave_##name arguments; \
    }
WRAPPED(DEFINE)
#undef DEFINE

subwave_status __real_subwave_context_info(subwave_context *context,
                                           subwave_device_properties *properties);
subwave_status __wrap_subwave_context_info(subwave_context *context,
                                           subwave_device_properties *properties);
subwave_status __wrap_subwave_context_info(subwave_context *context,
                                           subwave_device_properties *properties)
{
    const subwave_status status = __real_subwave_context_info(context, properties);
    if (plays_gpu)
        strcpy(properties->backend, "hip-amd");
    return status;
}

/* --- processes ------------------------------------------------------------------------------- */

enum { N = 130 };
static double a[N * N], b[N * N], c[N * N];

/* Who has computed C = A B, of n x n ones and twos. */
typedef enum who { OURS, THEIRS, NOBODY } who;

static who multiply(int n, double beta)
{
    for (int i = 0; i < N * N; ++i)
        c[i] = 5;
    cblas_dgemm(102, 111, 111, n, n, n, 1, a, n, b, n, beta, c, n);
    const double right = 2 * n + 5 * beta; /* next.c writes -1 */
    who found = c[0] == right ? OURS : c[0] == -1 ? THEIRS : NOBODY;
    for (int i = 0; i < N * N; ++i)
        if (c[i] != (i >= n * n ? 5 : found == OURS ? right : -1))
            found = NOBODY;
    return found;
}

static char errors[4096];

/* Runs `body` in a process of its own, and returns how it ended. What it wrote is in `errors`. */
static int run(void (*body)(void))
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        alarm(60);
        for (int i = 0; i < N * N; ++i) {
            a[i] = 1;
            b[i] = 2;
        }
        body();
        exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    ssize_t got;
    while ((got = read(ends[0], errors + length, sizeof errors - 1 - length)) > 0)
        length += (size_t)got;
    errors[length] = '\0';
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

#define EXPECT(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "line %d: not %s\n", __LINE__, #condition); \
            exit(9); \
        } \
    } while (0)

static int count_lines(void)
{
    int lines = 0;
    for (const char *at = errors; (at = strchr(at, '\n')) != NULL; ++at)
        ++lines;
    return lines;
}

/* The process ended well, and wrote one line with this text, or nothing. */
static void passes(void (*body)(void), const char *text)
{
    const int status = run(body);
    if (status != 0 || count_lines() != (text != NULL) || (text && !strstr(errors, text)))
        fail_msg("it ended with %d: %s", status, errors);
}

static void stops(void (*body)(void), const char *text)
{
    const int status = run(body);
    if (status != 1 || count_lines() != 1 || !strstr(errors, text))
        fail_msg("it ended with %d: %s", status, errors);
}

/* --- contexts -------------------------------------------------------------------------------- */

static void no_memory_for_a_context(void)
{
    of_context_create.status = SUBWAVE_STATUS_OUT_OF_MEMORY;
    EXPECT(multiply(9, 0) == THEIRS);
    EXPECT(multiply(9, 0) == OURS);
    EXPECT(multiply(9, 0) == OURS);
    EXPECT(of_context_create.calls == 2);
}

static void broken_device(void)
{
    of_context_create.status = SUBWAVE_STATUS_DEVICE_ERROR;
    for (int i = 0; i < 3; ++i)
        EXPECT(multiply(9, 0) == THEIRS);
    EXPECT(of_context_create.calls == 1);
}

static void test_contexts(void **state)
{
    (void)state;
    passes(no_memory_for_a_context, "OUT_OF_MEMORY");
    passes(broken_device, "DEVICE_ERROR");
}

/* --- a device with a memory of its own ------------------------------------------------------- */

static void copies(void)
{
    plays_gpu = true;
    EXPECT(multiply(127, 0) == THEIRS); /* too small for a GPU */
    EXPECT(of_matmul.calls == 0 && of_copy_2d_async.calls == 0);
    EXPECT(multiply(128, 0) == OURS);
    EXPECT(of_malloc.calls == 3 && of_copy_2d_async.calls == 3); /* A, B; C back */
    EXPECT(multiply(128, 1) == OURS);
    EXPECT(of_malloc.calls == 3 && of_copy_2d_async.calls == 7); /* A, B, C; C back */
    EXPECT(multiply(130, 0) == OURS);                            /* larger buffers */
    EXPECT(of_malloc.calls == 6 && of_free.calls == 6);
    EXPECT(of_context_create.calls == 1);
}

/* Columns further apart than a GPU's runtime copies at once are copied one by one. */
static void wide_pitch(void)
{
    plays_gpu = true;
    setenv("SUBWAVE_BLAS_MIN", "0", 1);
    const int ld = (1 << 28) + 5;
    double *const wide = mmap(NULL, ((size_t)ld + 2) * sizeof *wide, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT(wide != MAP_FAILED);
    wide[ld + 1] = 5;
    cblas_dgemm(102, 111, 111, 2, 2, 1, 1, a, 2, b, 1, 1, wide, ld);
    EXPECT(wide[0] == 2 && wide[1] == 2 && wide[2] == 0 && wide[ld] == 2 && wide[ld + 1] == 7);
    EXPECT(of_copy_2d_async.calls == 2); /* A and B */
}

static void in_place(void)
{
    EXPECT(multiply(1, 1) == OURS);
    EXPECT(multiply(128, 1) == OURS);
    EXPECT(of_malloc.calls == 0 && of_copy_2d_async.calls == 0);
}

static int matrix; /* A, B or C */

static void no_memory_on_the_device(void)
{
    plays_gpu = true;
    of_malloc.status = SUBWAVE_STATUS_OUT_OF_MEMORY;
    of_malloc.after = matrix;
    EXPECT(multiply(128, 0) == THEIRS);
    EXPECT(of_malloc.calls == matrix + 1);
    EXPECT(multiply(128, 0) == OURS);
    EXPECT(of_malloc.calls == 4);
}

/* next.c has no sgemm_. */
static void more_than_all_memory(void)
{
    plays_gpu = true;
    const int most = INT32_MAX;
    const float one = 1;
    float c;
    cblas_sgemm(102, 111, 111, most, 1, most, 1, &one, most, &one, most, 0, &c, most);
}

static void failing_copies(void)
{
    plays_gpu = true;
    of_copy_2d_async.status = SUBWAVE_STATUS_DEVICE_ERROR;
    of_copy_2d_async.after = matrix;
    EXPECT(multiply(128, 1) == THEIRS);
    EXPECT(multiply(128, 1) == OURS);
}

static void failing_kernel(void)
{
    plays_gpu = true;
    of_matmul.status = SUBWAVE_STATUS_KERNEL_ERROR;
    EXPECT(multiply(128, 0) == THEIRS);
    of_synchronize.status = SUBWAVE_STATUS_KERNEL_ERROR;
    EXPECT(multiply(128, 0) == THEIRS);
    EXPECT(multiply(128, 0) == OURS);
}

static void failing_copy_back(void)
{
    plays_gpu = true;
    of_copy_2d_async.status = SUBWAVE_STATUS_DEVICE_ERROR;
    of_copy_2d_async.after = 2;
    (void)multiply(128, 0);
}

static void failing_wait_for_the_copy_back(void)
{
    plays_gpu = true;
    of_synchronize.status = SUBWAVE_STATUS_DEVICE_ERROR;
    of_synchronize.after = 1;
    (void)multiply(128, 0);
}

static void failing_kernel_in_place(void)
{
    of_matmul.status = SUBWAVE_STATUS_KERNEL_ERROR;
    (void)multiply(128, 0);
}

static void no_memory_in_place(void)
{
    of_matmul.status = SUBWAVE_STATUS_OUT_OF_MEMORY;
    EXPECT(multiply(128, 0) == THEIRS);
    EXPECT(multiply(128, 0) == OURS);
}

/* A child of fork() cannot use, nor give back, what its parent had on a GPU. */
static void forks(void)
{
    plays_gpu = true;
    EXPECT(multiply(128, 0) == OURS);
    const pid_t child = fork();
    if (child == 0) {
        EXPECT(multiply(128, 0) == OURS);
        EXPECT(of_context_create.calls == 2 && of_malloc.calls == 6 && of_free.calls == 3 + 3);
        exit(0);
    }
    int status;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT(multiply(128, 0) == OURS);
    EXPECT(of_context_create.calls == 1);
}

static void test_device_memory(void **state)
{
    (void)state;
    passes(copies, NULL);
    passes(in_place, NULL);
    passes(wide_pitch, NULL);
    passes(forks, NULL);
}

static void test_failures(void **state)
{
    (void)state;
    for (matrix = 0; matrix < 3; ++matrix)
        passes(no_memory_on_the_device, "OUT_OF_MEMORY");
    stops(more_than_all_memory, "no memory for 9223372036854775807 bytes");
    passes(no_memory_in_place, "OUT_OF_MEMORY");
    for (matrix = 0; matrix < 3; ++matrix)
        passes(failing_copies, "DEVICE_ERROR");
    passes(failing_kernel, "KERNEL_ERROR");
    stops(failing_copy_back, "C is lost");
    stops(failing_wait_for_the_copy_back, "C is lost");
    stops(failing_kernel_in_place, "C is lost");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_device_memory),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
