/* SPDX-License-Identifier: MIT
 * test_histogram.c: subwave_histogram and subwave_histogram_by_boundaries against plain loops: every
 * type, few bins and many, elements on edges, outside and NaN, one bin with nearly all elements.
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
    reference_array_histogram(dtype, bins, lower, upper, NULL, n, a->values, wanted);
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
    reference_array_histogram(dtype, bins, 0, 0, boundaries, n, a->values, wanted);
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
                !strstr(subwave_last_error(context),
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
        cmocka_unit_test(test_even),       cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_boundaries), cmocka_unit_test(test_many),
        cmocka_unit_test(test_large),      cmocka_unit_test(test_arguments),
    };
    return harness_run("histogram", tests, COUNT(tests));
}
