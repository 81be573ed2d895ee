/* SPDX-License-Identifier: MIT
 * matmul.c: multiplies two random matrices in three ways on a device, checked by a plain loop.
 *
 *   example_matmul [n [device]]      n: 256 if not given; device: "gpu:0", "cpu:64", ...
 */
#define _POSIX_C_SOURCE 200809L
#include <subwave/subwave.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Ends the program with the library's words if a call failed. */
static void require(subwave_context *ctx, subwave_status status)
{
    if (status == SUBWAVE_STATUS_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", subwave_status_text(status), subwave_last_error(ctx));
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The largest error of C = A B, all n x n in the unit interval, relative to the plain loop's. */
static double largest_error(int n, const float *a, const float *b, const float *c)
{
    double largest = 0;
    double *row = calloc((size_t)n, sizeof *row);
    for (int i = 0; row && i < n; ++i) {
        for (int j = 0; j < n; ++j)
            row[j] = 0;
        for (int k = 0; k < n; ++k)
            for (int j = 0; j < n; ++j)
                row[j] += (double)a[i * n + k] * b[k * n + j];
        for (int j = 0; j < n; ++j) {
            const double error = fabs(c[i * n + j] - row[j]) / row[j];
            if (!(error <= largest)) /* so that a NaN is kept */
                largest = error;
        }
    }
    free(row);
    return largest;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 256;
    if (n < 1 || n > 16384) {
        fprintf(stderr, "n is \"%s\"; it takes 1 to 16384\n", argv[1]);
        return 2;
    }
    subwave_context *ctx;
    require(NULL, subwave_context_create(&ctx, argc > 2 ? argv[2] : NULL));

    subwave_device_properties device;
    require(ctx, subwave_context_info(ctx, &device));
    printf("%s: %s\nsub-group sizes:", device.id, device.name);
    for (int i = 0; i < device.sub_group_size_count; ++i)
        printf(" %d", device.sub_group_sizes[i]);

    const size_t bytes = (size_t)n * (size_t)n * sizeof(float);
    float *host_a = malloc(bytes), *host_b = malloc(bytes), *host_c = malloc(bytes);
    if (!host_a || !host_b || !host_c)
        return fputs("out of memory\n", stderr), 1;
    for (int i = 0; i < n * n; ++i) {
        host_a[i] = (float)rand() / (float)RAND_MAX;
        host_b[i] = (float)rand() / (float)RAND_MAX;
    }
    void *a, *b, *c;
    require(ctx, subwave_malloc(ctx, &a, (int64_t)bytes));
    require(ctx, subwave_malloc(ctx, &b, (int64_t)bytes));
    require(ctx, subwave_malloc(ctx, &c, (int64_t)bytes));
    require(ctx, subwave_copy(ctx, a, host_a, (int64_t)bytes));
    require(ctx, subwave_copy(ctx, b, host_b, (int64_t)bytes));

    printf("\n\n%d x %d, f32\n%-10s %12s %16s %14s\n", n, n, "variant", "time", "rate",
           "largest error");
    const subwave_variant variants[] = {SUBWAVE_VARIANT_NAIVE, SUBWAVE_VARIANT_LOCAL,
                                        SUBWAVE_VARIANT_BROADCAST};
    int wrong = 0;
    for (int i = 0; i < 3; ++i) {
        const float one = 1, zero = 0;
        double seconds = 0;
        for (int run = 0; run < 2; ++run) { /* the first one warms up */
            const double start = now();
            require(ctx,
                    subwave_matmul(ctx, variants[i], SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR,
                                   SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, n, n, n, &one, a,
                                   n, b, n, &zero, c, n));
            require(ctx, subwave_synchronize(ctx));
            seconds = now() - start;
        }
        require(ctx, subwave_copy(ctx, host_c, c, (int64_t)bytes));
        const double error = largest_error(n, host_a, host_b, host_c);
        const int right = error <= (n + 1) * (double)FLT_EPSILON; /* false for a NaN */
        wrong += !right;
        printf("%-10s %9.3f ms %8.2f GFLOP/s %14.1e%s\n", subwave_variant_name(variants[i]),
               1e3 * seconds, 2e-9 * n * n * n / seconds, error, right ? "" : "  WRONG");
    }

    require(ctx, subwave_free(ctx, a));
    require(ctx, subwave_free(ctx, b));
    require(ctx, subwave_free(ctx, c));
    require(NULL, subwave_context_destroy(&ctx));
    free(host_a);
    free(host_b);
    free(host_c);
    return wrong != 0;
}
