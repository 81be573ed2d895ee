/* SPDX-License-Identifier: MIT
 * test_histogram.c: subwave_histogram and subwave_histogram_by_boundaries against plain loops: every
 * type, few bins and many, elements on edges, outside and NaN, one bin with nearly all elements; and
 * the same with weights, in every order.
 */
#include "arrays.h"

#include "../reference_array.h"

#include <math.h>

static void compare(arrays *a, const int64_t *wanted, int64_t bins, const char *what,
                    subwave_dtype dtype, int64_t n)
{
    int64_t *const counts = malloc((size_t)bins * sizeof *counts);
    assert_non_null(counts);
    assert_int_equal(guarded_read(&a->y, counts), 0);
    assert_int_equal(guarded_changes(&a->x), 0);
    for (int64_t b = 0; b < bins; ++b)
        if (counts[b] != wanted[b])
            fail_msg("%s of %s, n = %lld: bin %lld of %lld has %lld, not %lld", what,
                     subwave_dtype_name(dtype), (long long)n, (long long)b, (long long)bins,
                     (long long)counts[b], (long long)wanted[b]);
    free(counts);
}

/* a->x and a->y as a call is to find them; a count that stays is a failure. */
static int64_t *prepare(arrays *a, subwave_dtype dtype, int64_t bins, int64_t n, unsigned turn)
{
    const size_t size = subwave_dtype_size(dtype), bytes = (size_t)bins * sizeof(int64_t);
    guarded_reset(&a->x, turn % 2 ? 16 : size, a->values, (size_t)n * size);
    int64_t *const before = malloc(bytes);
    assert_non_null(before);
    memset(before, 0x5a, bytes);
    guarded_reset(&a->y, sizeof(int64_t), before, bytes);
    memset(before, 0, bytes);
    return before;
}

static void check_even(arrays *a, subwave_dtype dtype, int64_t bins, double lower, double upper,
                       int64_t n, unsigned turn)
{
    int64_t *const wanted = prepare(a, dtype, bins, n, turn);
    reference_array_histogram(dtype, bins, lower, upper, NULL, n, a->values, NULL, wanted);
    assert_ok(a->context,
              subwave_histogram(a->context, dtype, bins, lower, upper, n,
                                n ? guarded_pointer(&a->x) : NULL, guarded_pointer(&a->y)));
    compare(a, wanted, bins, "histogram", dtype, n);
    free(wanted);
}

static void check_bounded(arrays *a, subwave_dtype dtype, int64_t bins, const void *boundaries,
                          int64_t n, unsigned turn)
{
    int64_t *const wanted = prepare(a, dtype, bins, n, turn);
    const size_t size = subwave_dtype_size(dtype);
    reference_array_histogram(dtype, bins, 0, 0, boundaries, n, a->values, NULL, wanted);
    void *on_device;
    assert_ok(a->context, subwave_malloc(a->context, &on_device, (bins + 1) * (int64_t)size));
    assert_ok(a->context,
              subwave_copy(a->context, on_device, boundaries, (bins + 1) * (int64_t)size));
    assert_ok(a->context, subwave_histogram_by_boundaries(a->context, dtype, bins, on_device, n,
                                                          n ? guarded_pointer(&a->x) : NULL,
                                                          guarded_pointer(&a->y)));
    compare(a, wanted, bins, "histogram by boundaries", dtype, n);
    assert_ok(a->context, subwave_free(a->context, on_device));
    free(wanted);
}

/* Elements at random within the range and around it; on edges, and the numbers next to them; NaN
 * and infinities. `hot`: 15 of 16 are one number. */
static void fill(arrays *a, subwave_dtype dtype, int64_t bins, double lower, double upper,
                 int64_t n, bool hot)
{
    arrays_fill(a, dtype, SUBWAVE_OP_PLUS, n);
    const double special[] = {NAN, INFINITY, -INFINITY, lower, upper, 0.0, -0.0};
    for (int64_t i = 0; i < n; ++i) {
        const uint64_t r = harness_random_bits(&a->random);
        const double unit = harness_random_sign(&a->random);
        double x = lower + (upper - lower) * (0.5 + 0.6 * unit);
        if (r % 4 == 0)
            x = reference_array_edge((int64_t)(r / 64 % (uint64_t)bins), bins, lower, upper);
        if (r % 8 == 4)
            x = nextafter(x, r % 16 == 4 ? INFINITY : -INFINITY);
        if (r % 32 == 5 && reference_is_floating(dtype))
            x = special[r / 32 % COUNT(special)];
        if (hot && r / 1024 % 16)
            x = lower + (upper - lower) * 0.3;
        const double least = subwave_dtype_size(dtype) == 1 ? -128 : -32768;
        if (!reference_is_floating(dtype)) {
            const bool has_sign = dtype == SUBWAVE_DTYPE_I8 || dtype == SUBWAVE_DTYPE_I16 ||
                                  dtype == SUBWAVE_DTYPE_I32 || dtype == SUBWAVE_DTYPE_I64;
            const double from = has_sign ? least : 0, to = -least - 1 + (has_sign ? 0 : -least);
            x = x < from ? from : x > to ? to : floor(x);
        }
        reference_store(dtype, a->values, i, reference_encode(dtype, x));
    }
}

static const int64_t bin_counts[] = {1, 2, 3, 7, 10, 49, 256, 1000, 4096, 5000, 8192, 8193, 20000};

/* --- tests ----------------------------------------------------------------------------------- */

static void test_even(void **state)
{
    static const struct {
        double lower, upper;
    } ranges[] = {{0, 1}, {0, 98}, {-3.25, 7.5}, {10, 110}, {-100, 100.1}, {0.1, 0.7}};
    arrays a = arrays_create(*state);
    unsigned turn = 0;
    for (size_t d = 0; d < COUNT(number_dtypes); ++d)
        for (size_t b = 0; b < COUNT(bin_counts); ++b, ++turn) {
            const subwave_dtype dtype = number_dtypes[d];
            const int64_t pack = 128 / reference_width(dtype);
            const array_size s = fold_sizes[turn % COUNT(fold_sizes)];
            for (unsigned r = 0; r < 3; ++r) { /* and once a bin for each integer */
                const double lower = r == 2 ? 0 : ranges[(turn + r) % COUNT(ranges)].lower,
                             upper = r == 2 ? (double)bin_counts[b]
                                            : ranges[(turn + r) % COUNT(ranges)].upper;
                fill(&a, dtype, bin_counts[b], lower, upper, s.packs * pack + s.elements,
                     turn % 5 == 0);
                check_even(&a, dtype, bin_counts[b], lower, upper, s.packs * pack + s.elements,
                           turn + r);
            }
        }
    arrays_destroy(&a);
}

/* Numbers so large, so small or so near to each other that f32 does not tell their bins apart. */
static void test_ranges(void **state)
{
    static const struct {
        double lower, upper;
    } ranges[] = {{1e6, 1e6 + 3},  {-1e30, 1e30},        {0, 1e-30},
                  {-3e38, 3e38},   {16777216, 16777300}, {0, 5e-324 * 64},
                  {-1e300, 1e300}, {1, 1.0000001},       {0, 1e-40}};
    arrays a = arrays_create(*state);
    for (size_t r = 0; r < COUNT(ranges); ++r)
        for (unsigned turn = 0; turn < 4; ++turn) {
            const subwave_dtype dtype = turn % 2 ? SUBWAVE_DTYPE_F64 : SUBWAVE_DTYPE_F32;
            const int64_t bins = turn < 2 ? 37 : 6000;
            if (!isfinite((double)bins / (ranges[r].upper - ranges[r].lower)))
                continue;
            fill(&a, dtype, bins, ranges[r].lower, ranges[r].upper, 5000, false);
            check_even(&a, dtype, bins, ranges[r].lower, ranges[r].upper, 5000, turn);
        }
    arrays_destroy(&a);
}

static void test_boundaries(void **state)
{
    static const int64_t counts[] = {1, 2, 5, 100, 1000};
    arrays a = arrays_create(*state);
    unsigned turn = 0;
    for (size_t d = 0; d < COUNT(number_dtypes); ++d)
        for (size_t c = 0; c < COUNT(counts); ++c, ++turn) {
            const subwave_dtype dtype = number_dtypes[d];
            const int64_t bins = counts[c], n = turn % 3 ? 700 + turn : 3 * 1024 + 5;
            /* Ascending, some of them equal; the first and last may be infinite. */
            uint64_t boundaries[1001];
            double at = reference_is_floating(dtype) ? -50 : 0;
            for (int64_t i = 0; i <= bins; ++i) {
                const uint64_t r = harness_random_bits(&a.random);
                reference_store(dtype, boundaries, i, reference_encode(dtype, at));
                at += reference_is_floating(dtype) ? (double)(r % 8) / 8 : (double)(r % 2);
                at = at < 120 ? at : 120;
            }
            if (reference_is_floating(dtype) && turn % 2) {
                reference_store(dtype, boundaries, 0, reference_encode(dtype, -INFINITY));
                reference_store(dtype, boundaries, bins, reference_encode(dtype, INFINITY));
            }
            fill(&a, dtype, 64, 0, 128, n, turn % 4 == 0);
            check_bounded(&a, dtype, bins, boundaries, n, turn);
        }
    arrays_destroy(&a);
}

/* So many elements that blocks count in shared memory whatever the device; and all in one bin. */
static void test_many(void **state)
{
    static const int64_t counts[] = {1, 256, 4096, 100000};
    arrays a = arrays_create(*state);
    const int64_t n = harness_is_cpu(*state) ? 300007 : 5000011;
    for (size_t c = 0; c < COUNT(counts); ++c)
        for (unsigned hot = 0; hot < 2; ++hot) {
            if (!harness_takes(1, 3))
                continue;
            fill(&a, SUBWAVE_DTYPE_F32, counts[c], 0, 1, n, hot);
            check_even(&a, SUBWAVE_DTYPE_F32, counts[c], 0, 1, n, hot);
        }
    memset(a.values, 7, (size_t)n);
    check_even(&a, SUBWAVE_DTYPE_U8, 256, 0, 256, n, 1);
    arrays_destroy(&a);
}

/* More than 2^31 elements, and more than 2^31 of them in a bin. */
static void test_large(void **state)
{
    subwave_context *context = *state;
    enum { PART = 1 << 26, PARTS = 33 };
    if (!harness_is_full() || harness_is_cpu(context))
        skip(); /* 2 GiB: for GPUs */
    unsigned char *const part = malloc(PART), *x;
    assert_non_null(part);
    memset(part, 3, PART);
    const int64_t n = (int64_t)PART * PARTS;
    if (subwave_malloc(context, (void **)&x, n) == SUBWAVE_STATUS_OUT_OF_MEMORY) {
        print_message("skipped: %s\n", subwave_last_error(context));
        free(part);
        skip();
    }
    for (int64_t p = 0; p < PARTS; ++p)
        assert_ok(context, subwave_copy(context, x + p * PART, part, PART));
    assert_ok(context, subwave_copy(context, x + n - 5, "\1\2\2\4\4", 5));
    int64_t counts[5], *on_device;
    assert_ok(context, subwave_malloc(context, (void **)&on_device, sizeof counts));
    assert_ok(context, subwave_histogram(context, SUBWAVE_DTYPE_U8, 5, 0, 5, n, x, on_device));
    assert_ok(context, subwave_copy(context, counts, on_device, sizeof counts));
    const int64_t wanted[] = {0, 1, 2, n - 5, 2};
    for (size_t b = 0; b < 5; ++b)
        assert_true(counts[b] == wanted[b]);
    assert_ok(context, subwave_free(context, on_device));
    assert_ok(context, subwave_free(context, x));
    free(part);
}

/* --- weights --------------------------------------------------------------------------------- */

static const subwave_dtype weighted_dtypes[] = {SUBWAVE_DTYPE_I32, SUBWAVE_DTYPE_U32,
                                                SUBWAVE_DTYPE_I64, SUBWAVE_DTYPE_U64,
                                                SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64};

/* Elements and weights are the x of both; with a workspace for so many bins in fixed point, which the
 * context of a small device lacks. */
typedef struct weighted {
    arrays elements, weights;
    void *workspace;
} weighted;

enum { MOST_BINS = 20000, WORKSPACE = 4352 + 20 * MOST_BINS };

static weighted weighted_create(subwave_context *context)
{
    weighted w = {arrays_create(context), arrays_create(context), NULL};
    assert_ok(context, subwave_malloc(context, &w.workspace, WORKSPACE));
    assert_ok(context, subwave_set_workspace(context, w.workspace, WORKSPACE));
    return w;
}

static void weighted_destroy(weighted *w)
{
    subwave_context *context = w->elements.context;
    assert_ok(context, subwave_set_workspace(context, NULL, 0));
    assert_ok(context, subwave_free(context, w->workspace));
    arrays_destroy(&w->elements);
    arrays_destroy(&w->weights);
}

/* Integers of any bits. Floats of which sums are exact, or of very different sizes; the greatest ones
 * and those that are no numbers are weights of elements in no bin, which are above all others. */
static void fill_weights(weighted *w, subwave_dtype dtype, int64_t n, bool exact, double upper)
{
    static const double special[] = {NAN, INFINITY, -INFINITY};
    arrays *const a = &w->weights;
    arrays_fill(a, dtype, SUBWAVE_OP_PLUS, n);
    for (int64_t i = 0; reference_is_floating(dtype) && i < n; ++i) {
        const uint64_t r = harness_random_bits(&a->random);
        const double x = reference_decode(dtype, reference_load(dtype, w->elements.values, i)),
                     hard = ldexp(harness_random_sign(&a->random), (int)(r / 64 % 60) - 40),
                     number = x > upper ? r % 4 ? 1e30 : special[r / 64 % COUNT(special)]
                              : exact ? (double)(r % 17) - 8
                                        : hard;
        reference_store(dtype, a->values, i, reference_encode(dtype, number));
    }
}

/* Bit for bit; of ANY with floats the weights must be such that no sum is rounded. Between boundaries
 * if they are not null. */
static void check_weighted(weighted *w, subwave_dtype dtype, subwave_order order, int64_t bins,
                           double lower, double upper, const void *boundaries, int64_t n,
                           unsigned turn)
{
    arrays *const a = &w->elements, *const b = &w->weights;
    subwave_context *const context = a->context;
    const size_t size = subwave_dtype_size(dtype), bytes = (size_t)bins * size;
    unsigned char *const right = malloc(bytes), *const found = malloc(bytes);
    assert_true(right && found);
    memset(right, 0x5a, bytes);
    guarded_reset(&a->x, turn % 2 ? 16 : size, a->values, (size_t)n * size);
    guarded_reset(&b->x, turn % 3 ? 16 : size, b->values, (size_t)n * size);
    guarded_reset(&a->y, size, right, bytes);
    const void *const x = n ? guarded_pointer(&a->x) : NULL, *const weights =
                                                                 n ? guarded_pointer(&b->x) : NULL;
    reference_array_histogram(dtype, bins, lower, upper, boundaries, n, a->values, b->values,
                              right);
    if (boundaries) {
        void *on_device;
        const int64_t all = (bins + 1) * (int64_t)size;
        assert_ok(context, subwave_malloc(context, &on_device, all));
        assert_ok(context, subwave_copy(context, on_device, boundaries, all));
        assert_ok(context,
                  subwave_histogram_by_boundaries_weighted(context, dtype, order, bins, on_device,
                                                           n, x, weights, guarded_pointer(&a->y)));
        assert_ok(context, subwave_free(context, on_device));
    } else {
        assert_ok(context, subwave_histogram_weighted(context, dtype, order, bins, lower, upper, n,
                                                      x, weights, guarded_pointer(&a->y)));
    }
    assert_int_equal(guarded_read(&a->y, found), 0);
    assert_int_equal(guarded_changes(&a->x), 0);
    assert_int_equal(guarded_changes(&b->x), 0);
    for (int64_t i = 0; i < bins; ++i) {
        const uint64_t is = reference_load(dtype, found, i), was = reference_load(dtype, right, i);
        if (order == SUBWAVE_ORDER_ANY ? !reference_same(dtype, is, was) : is != was)
            fail_msg("%s, %s, n = %lld%s: bin %lld of %lld has %.17g, not %.17g",
                     subwave_dtype_name(dtype), subwave_order_name(order), (long long)n,
                     boundaries ? ", boundaries" : "", (long long)i, (long long)bins,
                     reference_decode(dtype, is), reference_decode(dtype, was));
    }
    free(right);
    free(found);
}

static void test_weighted(void **state)
{
    static const int64_t counts[] = {1, 3, 49, 1000, 2048, 2049, 5000, 8193, MOST_BINS};
    weighted w = weighted_create(*state);
    unsigned turn = 0;
    for (size_t d = 0; d < COUNT(weighted_dtypes); ++d)
        for (size_t o = 0; o < COUNT(all_orders); ++o)
            for (size_t c = 0; c < COUNT(counts); ++c, ++turn) {
                const subwave_dtype dtype = weighted_dtypes[d];
                const int64_t pack = 128 / reference_width(dtype);
                const array_size s = fold_sizes[turn % COUNT(fold_sizes)];
                const int64_t n = s.packs * pack + s.elements;
                const double lower = turn % 4 ? 0 : -3.25,
                             upper = turn % 2 ? (double)counts[c] : 97.5;
                fill(&w.elements, dtype, counts[c], lower, upper, n, turn % 5 == 0);
                fill_weights(&w, dtype, n, all_orders[o] == SUBWAVE_ORDER_ANY, upper);
                check_weighted(&w, dtype, all_orders[o], counts[c], lower, upper, NULL, n, turn);
            }
    weighted_destroy(&w);
}

static void test_weighted_boundaries(void **state)
{
    weighted w = weighted_create(*state);
    unsigned turn = 0;
    for (size_t d = 0; d < COUNT(weighted_dtypes); ++d)
        for (size_t o = 0; o < COUNT(all_orders); ++o)
            for (int64_t bins = 1; bins < 200; bins = 5 * bins + 1, ++turn) {
                const subwave_dtype dtype = weighted_dtypes[d];
                const int64_t n = 700 + 600 * turn;
                uint64_t boundaries[200];
                double at = reference_is_floating(dtype) ? -50 : 0;
                for (int64_t i = 0; i <= bins; ++i) {
                    reference_store(dtype, boundaries, i, reference_encode(dtype, at));
                    at += (double)(harness_random_bits(&w.elements.random) % 3);
                }
                fill(&w.elements, dtype, 64, 0, 128, n, turn % 4 == 0);
                fill_weights(&w, dtype, n, all_orders[o] == SUBWAVE_ORDER_ANY, at);
                check_weighted(&w, dtype, all_orders[o], bins, 0, 0, boundaries, n, turn);
            }
    weighted_destroy(&w);
}

/* So many elements that blocks sum in shared memory whatever the device; and all in one bin. Weights
 * that are all 1 count. */
static void test_weighted_many(void **state)
{
    static const int64_t counts[] = {1, 256, MOST_BINS};
    weighted w = weighted_create(*state);
    const int64_t n = harness_is_cpu(*state) ? 60007 : 1000011;
    for (size_t c = 0; c < COUNT(counts); ++c)
        for (unsigned hot = 0; hot < 2; ++hot) {
            if (!harness_takes(1, 3))
                continue;
            const subwave_dtype dtype = hot ? SUBWAVE_DTYPE_F64 : SUBWAVE_DTYPE_F32;
            fill(&w.elements, dtype, counts[c], 0, 1, n, hot);
            fill_weights(&w, dtype, n, true, 1);
            check_weighted(&w, dtype, SUBWAVE_ORDER_ANY, counts[c], 0, 1, NULL, n, hot);
            fill_weights(&w, dtype, n, false, 1);
            check_weighted(&w, dtype, SUBWAVE_ORDER_FIXED, counts[c], 0, 1, NULL, n, hot);
        }
    for (int64_t i = 0; i < n; ++i) {
        ((int32_t *)(void *)w.elements.values)[i] = (int32_t)(i % 100);
        ((int32_t *)(void *)w.weights.values)[i] = 1;
    }
    check_weighted(&w, SUBWAVE_DTYPE_I32, SUBWAVE_ORDER_FIXED, 10, 0, 100, NULL, n, 1);
    weighted_destroy(&w);
}

/* What the comment promises of the workspace; and one that is too small is told, and nothing
 * written. */
static void test_weighted_workspace(void **state)
{
    subwave_context *context = *state;
    enum { BINS = 77, NEEDED = 4352 + 20 * BINS, N = 500 };
    weighted w = weighted_create(context);
    const subwave_dtype f32 = SUBWAVE_DTYPE_F32;
    fill(&w.elements, f32, BINS, 0, 1, N, false);
    fill_weights(&w, f32, N, true, 1);
    assert_ok(context, subwave_set_workspace(context, w.workspace, NEEDED));
    check_weighted(&w, f32, SUBWAVE_ORDER_FIXED, BINS, 0, 1, NULL, N, 0);
    assert_ok(context, subwave_set_workspace(context, w.workspace, NEEDED - 1));
    guarded_reset(&w.elements.y, 4, (float[BINS]){0}, BINS * sizeof(float));
    assert_int_equal(subwave_histogram_weighted(context, f32, SUBWAVE_ORDER_DEVICE, BINS, 0, 1, N,
                                                guarded_pointer(&w.elements.x),
                                                guarded_pointer(&w.weights.x),
                                                guarded_pointer(&w.elements.y)),
                     SUBWAVE_STATUS_WORKSPACE_TOO_SMALL);
    assert_int_equal(guarded_changes(&w.elements.y), 0);
    /* Others need none. */
    assert_ok(context, subwave_set_workspace(context, w.workspace, 0));
    check_weighted(&w, f32, SUBWAVE_ORDER_ANY, BINS, 0, 1, NULL, N, 0);
    check_weighted(&w, f32, SUBWAVE_ORDER_FIXED, BINS, 0, 1, NULL, 0, 0);
    weighted_destroy(&w);
}

static void test_weighted_arguments(void **state)
{
    subwave_context *context = *state;
    double x[3] = {0.5, 1, 2}, weights[3] = {1, 1, 1}, boundaries[3] = {0, 1, 2},
           sums[2] = {-7, -7};
    enum { F64 = SUBWAVE_DTYPE_F64, ANY = SUBWAVE_ORDER_ANY };
    const struct {
        subwave_status status;
        int dtype, order;
        int64_t bins, n;
        const void *x, *weights, *boundaries;
        void *sums;
        const char *text;
    } cases[] = {
        {SUBWAVE_STATUS_INVALID_VALUE, 0, ANY, 2, 3, x, weights, boundaries, sums, "dtype is 0"},
        {SUBWAVE_STATUS_UNSUPPORTED, SUBWAVE_DTYPE_F16, ANY, 2, 3, x, weights, boundaries, sums,
         "f16"},
        {SUBWAVE_STATUS_INVALID_VALUE, F64, 0, 2, 3, x, weights, boundaries, sums, "order is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, F64, GREATEST(SUBWAVE_ORDER_LIST) + 1, 2, 3, x, weights,
         boundaries, sums, "order is"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, ANY, 0, 3, x, weights, boundaries, sums, "bins is 0"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, ANY, 2, -1, x, weights, boundaries, sums, "n is -1"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, ANY, 2, INT64_MAX / 2, x, weights, boundaries, sums,
         "n is"},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, ANY, 2, 3, NULL, weights, boundaries, sums, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, ANY, 2, 3, x, NULL, boundaries, sums, "weights "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, ANY, 2, 3, x, (char *)weights + 4, boundaries, sums,
         "weights "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, ANY, 2, 3, x, weights, boundaries, NULL, "sums "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, ANY, 2, 0, NULL, NULL, boundaries, (char *)sums + 4,
         "sums "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, ANY, 2, 3, x, weights, NULL, sums, "boundaries "},
    };
    for (size_t c = 0; c < COUNT(cases); ++c)
        for (int bounded = 0; bounded < 2; ++bounded) {
            const subwave_dtype dtype = (subwave_dtype)cases[c].dtype;
            const subwave_order order = (subwave_order)cases[c].order;
            const bool no_range = !cases[c].boundaries; /* the range is then no range, either */
            const subwave_status status =
                bounded ? subwave_histogram_by_boundaries_weighted(
                              context, dtype, order, cases[c].bins, cases[c].boundaries, cases[c].n,
                              cases[c].x, cases[c].weights, cases[c].sums)
                        : subwave_histogram_weighted(context, dtype, order, cases[c].bins, 0,
                                                     no_range ? 0 : 1, cases[c].n, cases[c].x,
                                                     cases[c].weights, cases[c].sums);
            if (status != (no_range && !bounded ? SUBWAVE_STATUS_INVALID_VALUE : cases[c].status) ||
                !harness_refused(context, status,
                                 no_range && !bounded ? "lower is 0 and upper is 0"
                                                      : cases[c].text))
                fail_msg("case %zu: %s, \"%s\"", c, subwave_status_name(status),
                         subwave_last_error(context));
            assert_true(sums[0] == -7 && sums[1] == -7);
        }
    assert_int_equal(subwave_histogram_weighted(NULL, SUBWAVE_DTYPE_F64, SUBWAVE_ORDER_ANY, 2, 0, 1,
                                                3, x, weights, sums),
                     SUBWAVE_STATUS_INVALID_CONTEXT);
    assert_int_equal(subwave_histogram_by_boundaries_weighted(NULL, SUBWAVE_DTYPE_F64,
                                                              SUBWAVE_ORDER_ANY, 2, boundaries, 3,
                                                              x, weights, sums),
                     SUBWAVE_STATUS_INVALID_CONTEXT);
}

static void test_arguments(void **state)
{
    subwave_context *context = *state;
    float x[3] = {0.5f, 1, 2}, boundaries[3] = {0, 1, 2};
    int64_t counts[2] = {-7, -7};
    const struct {
        subwave_status status;
        int dtype;
        int64_t bins, n;
        double lower, upper;
        const void *x, *boundaries;
        void *counts;
        const char *text;
    } cases[] = {
        {SUBWAVE_STATUS_INVALID_VALUE, 0, 2, 3, 0, 1, x, boundaries, counts, "dtype is 0"},
        {SUBWAVE_STATUS_UNSUPPORTED, SUBWAVE_DTYPE_C32, 2, 3, 0, 1, x, boundaries, counts, "c32"},
        {SUBWAVE_STATUS_INVALID_SIZE, SUBWAVE_DTYPE_F32, 0, 3, 0, 1, x, boundaries, counts,
         "bins is 0"},
        {SUBWAVE_STATUS_INVALID_SIZE, SUBWAVE_DTYPE_F32, INT32_MAX, 3, 0, 1, x, boundaries, counts,
         "bins is 2147483647"},
        {SUBWAVE_STATUS_INVALID_SIZE, SUBWAVE_DTYPE_F32, 2, -1, 0, 1, x, boundaries, counts,
         "n is -1"},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F32, 2, 3, 0, 1, NULL, boundaries, counts,
         "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F32, 2, 3, 0, 1, x, boundaries, NULL,
         "counts "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F32, 2, 0, 0, 1, NULL, boundaries,
         (char *)counts + 4, "counts "},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F32, 2, 3, 1, 1, x, NULL, counts,
         "lower is 1"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F32, 2, 3, 2, 1, x, NULL, counts,
         "upper is 1"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F32, 2, 3, NAN, 1, x, NULL, counts,
         "lower is nan"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F32, 2, 3, 0, INFINITY, x, NULL, counts,
         "upper is inf"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F32, 2, 3, -1e308, 1e308, x, NULL, counts,
         "finite"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F32, 2, 3, 0, 5e-324, x, NULL, counts,
         "too near"},
    };
    for (size_t c = 0; c < COUNT(cases); ++c) {
        const subwave_dtype dtype = (subwave_dtype)cases[c].dtype;
        for (int bounded = 0; bounded < 2; ++bounded) {
            const subwave_status status =
                bounded
                    ? subwave_histogram_by_boundaries(context, dtype, cases[c].bins,
                                                      cases[c].boundaries, cases[c].n, cases[c].x,
                                                      cases[c].counts)
                    : subwave_histogram(context, dtype, cases[c].bins, cases[c].lower,
                                        cases[c].upper, cases[c].n, cases[c].x, cases[c].counts);
            const bool of_range = !cases[c].boundaries;
            if (status !=
                    (bounded && of_range ? SUBWAVE_STATUS_INVALID_POINTER : cases[c].status) ||
                !harness_refused(context, status,
                                 bounded && of_range ? "boundaries " : cases[c].text))
                fail_msg("case %zu: %s, \"%s\"", c, subwave_status_name(status),
                         subwave_last_error(context));
            assert_true(counts[0] == -7 && counts[1] == -7);
        }
    }
    assert_int_equal(subwave_histogram(NULL, SUBWAVE_DTYPE_F32, 2, 0, 1, 3, x, counts),
                     SUBWAVE_STATUS_INVALID_CONTEXT);
    assert_int_equal(
        subwave_histogram_by_boundaries(NULL, SUBWAVE_DTYPE_F32, 2, boundaries, 3, x, counts),
        SUBWAVE_STATUS_INVALID_CONTEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_boundaries),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_weighted),
        cmocka_unit_test(test_weighted_boundaries),
        cmocka_unit_test(test_weighted_many),
        cmocka_unit_test(test_weighted_workspace),
        cmocka_unit_test(test_weighted_arguments),
    };
    return harness_run("histogram", tests, COUNT(tests));
}
