/* SPDX-License-Identifier: MIT
 * test_auto.c: on the CPU device AUTO takes a variant about as fast as the fastest one.
 *
 * Times are of the process's processor, so that other processes hardly disturb them. With
 * SUBWAVE_TEST_FULL=1 there are more products, whose times are printed, in microseconds, and
 * nothing is judged: the sweep that time_in_turns() in src/plan_matmul.c was fitted to
 * (docs/matmul.md).
 */
#include "../harness.h"
#include "../types.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct shape {
    int64_t m, n, k;
} shape;

/* Few rows, few columns, both, and neither; short and long sums. */
static const shape quick[] = {
    {10, 2000, 10}, {2000, 10, 10}, {1, 256, 256}, {256, 1, 256}, {1, 1, 20000},
    {3, 500, 100},  {24, 500, 35},  {500, 24, 35}, {8, 8, 4000},  {5, 5, 5},
    {64, 64, 64},   {17, 3, 300},   {100, 100, 4},
};
static const shape full[] = {
    {10, 6400, 10}, {6400, 10, 10}, {1, 256, 256},  {256, 1, 256},  {1, 1, 100000},  {2, 2, 20000},
    {3, 500, 100},  {500, 3, 100},  {24, 2000, 35}, {2000, 24, 35}, {8, 8, 4000},    {16, 16, 1000},
    {5, 5, 5},      {64, 64, 64},   {17, 3, 300},   {100, 100, 4},  {1, 4096, 16},   {4096, 1, 16},
    {4, 1000, 64},  {1000, 4, 64},  {16, 1000, 64}, {1000, 16, 64}, {32, 1000, 64},  {1000, 32, 64},
    {16, 300, 8},   {300, 16, 8},   {2, 3000, 3},   {3000, 2, 3},   {200, 200, 200}, {13, 77, 501},
    {77, 13, 501},  {40, 40, 1},    {1, 1000, 1},   {1000, 1, 1},   {10, 10, 10},    {20, 20, 500},
    {12, 129, 129}, {129, 12, 129}, {2, 64, 2000},  {64, 2, 2000},
};

/* MOST: what AUTO may take beside the fastest variant, 1 and a half by the sweep, and room for
 * other processors than the one that the plan was fitted to. */
enum { TRIALS = 3, MOST = 4 };

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct matrices {
    void *a, *b, *c;
} matrices;

typedef struct product {
    subwave_dtype dtype;
    subwave_layout layout;
    subwave_transpose_kind transpose_a, transpose_b;
    shape s;
} product;

static int64_t leading(const product *p, int64_t rows, int64_t columns, subwave_transpose_kind t)
{
    const bool by_rows = (p->layout == SUBWAVE_LAYOUT_ROW_MAJOR) == (t == SUBWAVE_TRANSPOSE_NONE);
    return by_rows ? columns : rows;
}

static void call(subwave_context *context, subwave_variant variant, const product *p,
                 const matrices *x)
{
    static const double one[2] = {1, 0}, zero[2] = {0, 0};
    static const float one_f32[2] = {1, 0}, zero_f32[2] = {0, 0};
    const bool f32 = p->dtype == SUBWAVE_DTYPE_F32;
    const shape s = p->s;
    assert_ok(context,
              subwave_matmul(context, variant, p->dtype, p->layout, p->transpose_a, p->transpose_b,
                             s.m, s.n, s.k, f32 ? (const void *)one_f32 : one, x->a,
                             leading(p, s.m, s.k, p->transpose_a), x->b,
                             leading(p, s.k, s.n, p->transpose_b),
                             f32 ? (const void *)zero_f32 : zero, x->c,
                             leading(p, s.m, s.n, SUBWAVE_TRANSPOSE_NONE)));
}

/* The least of a few times per call, each of enough calls; one, if it is much slower than `best`. */
static double seconds(subwave_context *context, subwave_variant variant, const product *p,
                      const matrices *x, double best)
{
    const double enough = 1e-3;
    double least = 1e9;
    int64_t calls = 1;
    for (int trial = 0; trial < TRIALS;) {
        const double begin = processor_seconds();
        for (int64_t i = 0; i < calls; ++i)
            call(context, variant, p, x);
        assert_ok(context, subwave_synchronize(context));
        const double taken = (processor_seconds() - begin) / (double)calls;
        least = taken < least ? taken : least;
        if (least > 3 * best)
            return least;
        if (taken * (double)calls < enough && trial == 0)
            calls *= 4;
        else
            ++trial;
    }
    return least;
}

static void *random_elements(subwave_context *context, int64_t bytes, bool f32)
{
    harness_random random = harness_random_start();
    void *const host = malloc((size_t)bytes), *device = NULL;
    assert_non_null(host);
    for (int64_t i = 0; i < bytes / (f32 ? 4 : 8); ++i)
        if (f32)
            ((float *)host)[i] = (float)harness_random_sign(&random);
        else
            ((double *)host)[i] = harness_random_sign(&random);
    assert_ok(context, subwave_malloc(context, &device, bytes));
    assert_ok(context, subwave_copy(context, device, host, bytes));
    free(host);
    return device;
}

static void print_product(const product *p, subwave_variant planned, const double *of, double ratio)
{
    print_message("%6.2f %s %s %c%c %5lldx%5lldx%6lld %-9s", ratio, subwave_dtype_name(p->dtype),
                  p->layout == SUBWAVE_LAYOUT_ROW_MAJOR ? "row   " : "column",
                  p->transpose_a == SUBWAVE_TRANSPOSE_NONE ? 'n' : 't',
                  p->transpose_b == SUBWAVE_TRANSPOSE_NONE ? 'n' : 't', (long long)p->s.m,
                  (long long)p->s.n, (long long)p->s.k, subwave_variant_name(planned));
    for (size_t i = 0; i < COUNT(all_variants); ++i)
        if (of[all_variants[i]] > 0)
            print_message(" %s %.1f", subwave_variant_name(all_variants[i]),
                          1e6 * of[all_variants[i]]);
    print_message("\n");
}

/* The seconds of AUTO over those of the fastest variant. */
static double compare(subwave_context *context, const product *p, const matrices *x)
{
    double of[GREATEST(SUBWAVE_VARIANT_LIST) + 1] = {0}, best = 1e9;
    subwave_matmul_plan_info plan;
    assert_ok(context,
              subwave_matmul_plan(context, SUBWAVE_VARIANT_AUTO, p->dtype, p->layout,
                                  p->transpose_a, p->transpose_b, p->s.m, p->s.n, p->s.k, &plan));
    of[plan.variant] = best = seconds(context, plan.variant, p, x, best);
    for (size_t i = 0; i < COUNT(all_variants); ++i) {
        const subwave_variant v = all_variants[i];
        const bool takes = (v != SUBWAVE_VARIANT_SKINNY || IS_ONE_OF(skinny_dtypes, p->dtype)) &&
                           (v != SUBWAVE_VARIANT_MATRIX || IS_ONE_OF(matrix_dtypes, p->dtype));
        if (!takes || v == SUBWAVE_VARIANT_AUTO || v == plan.variant)
            continue;
        of[v] = seconds(context, v, p, x, best);
        best = of[v] < best ? of[v] : best;
    }
    const double ratio = of[plan.variant] / best;
    if (harness_is_full() || ratio > MOST)
        print_product(p, plan.variant, of, ratio);
    return ratio;
}

static void test_auto(void **state)
{
    subwave_context *const context = *state;
    if (!harness_is_cpu(context))
        skip();
    static const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64, SUBWAVE_DTYPE_C64};
    static const subwave_layout layouts[] = {SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_LAYOUT_COLUMN_MAJOR};
    static const subwave_transpose_kind transposes[] = {SUBWAVE_TRANSPOSE_NONE,
                                                        SUBWAVE_TRANSPOSE_YES};
    const bool all = harness_is_full();
    const shape *const shapes = all ? full : quick;
    const size_t count = all ? COUNT(full) : COUNT(quick);
    int slow = 0;
    for (size_t d = 0; d < COUNT(dtypes); ++d)
        for (size_t i = 0; i < count; ++i) {
            const shape s = shapes[i];
            const int64_t size = (int64_t)subwave_dtype_size(dtypes[d]);
            const bool f32 = dtypes[d] == SUBWAVE_DTYPE_F32;
            const matrices x = {random_elements(context, s.m * s.k * size, f32),
                                random_elements(context, s.k * s.n * size, f32),
                                random_elements(context, s.m * s.n * size, f32)};
            /* The quick ones share the types among the orders. */
            for (int order = 0; order < 8; ++order) {
                if (!all && ((size_t)order + i) % COUNT(dtypes) != d)
                    continue;
                const product p = {dtypes[d], layouts[order & 1], transposes[order >> 1 & 1],
                                   transposes[order >> 2], s};
                slow += compare(context, &p, &x) > MOST;
            }
            assert_ok(context, subwave_free(context, x.a));
            assert_ok(context, subwave_free(context, x.b));
            assert_ok(context, subwave_free(context, x.c));
        }
    assert_true(all || slow == 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_auto)};
    return harness_run("auto", tests, sizeof tests / sizeof *tests);
}
