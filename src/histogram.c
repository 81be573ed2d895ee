/* SPDX-License-Identifier: MIT
 * histogram.c: subwave_histogram, subwave_histogram_by_boundaries, and the same with weights.
 */
#include "array.h"
#include "log.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* What the calls have in common. */
typedef struct histogram {
    const char *function;
    bool is_weighted; /* elements are not counted, but their weights added in an order */
    subwave_dtype dtype;
    subwave_order order;
    int64_t bins, n;
    const void *x, *weights;
    void *results;
} histogram;

/* The order of sums, behind this text; of counts nothing. */
typedef struct order_text {
    char text[40];
} order_text;
static order_text order_of(const histogram *h, const char *before)
{
    order_text o = {""};
    if (h->is_weighted)
        snprintf(o.text, sizeof o.text, "%s%s", before, subwave_order_name(h->order));
    return o;
}

static subwave_status check(subwave_context *context, const histogram *h)
{
    SUBWAVE_TRY(subwave_check_dtype(context, h->dtype));
    SUBWAVE_TRY(h->is_weighted ? subwave_check_built(context, "histogram_weighted",
                                                     SUBWAVE_OPERATION_scatter_add, h->dtype)
                               : subwave_check_built(context, "histogram",
                                                     SUBWAVE_OPERATION_histogram, h->dtype));
    if (h->is_weighted)
        SUBWAVE_TRY(subwave_check_order(context, h->order));
    if (h->bins < 1 || h->bins > INT32_MAX - 1)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                            "bins is %" PRId64 "; a histogram has 1 to %d", h->bins, INT32_MAX - 1);
    SUBWAVE_TRY(subwave_check_count(context, "n", h->n));
    const size_t size = subwave_dtype_size(h->dtype);
    if (h->n > 0) {
        SUBWAVE_TRY(subwave_check_pointer(context, "x", h->x, size));
        if (h->is_weighted)
            SUBWAVE_TRY(subwave_check_pointer(context, "weights", h->weights, size));
    }
    return h->is_weighted ? subwave_check_pointer(context, "sums", h->results, size)
                          : subwave_check_pointer(context, "counts", h->results, sizeof(int64_t));
}

/* How elements are told their bins, in f32 or, if they have 8 bytes, in f64. */
static void place_bins(subwave_dtype dtype, double upper, subwave_bins *bins)
{
    const bool wide = subwave_dtype_size(dtype) == 8;
    const double lower = bins->lower, greatest = fmax(fabs(lower), fabs(upper));
    /* Where all edges are integers, integers are looked for half above where they are, and so on no edge. */
    const bool integers = subwave_class_of(dtype) != SUBWAVE_CLASS_FLOAT && lower == floor(lower) &&
                          bins->step == floor(bins->step) && greatest < 0x1p52;
    const double shift = integers ? 0.5 : 0;
    /* Roundings, each by up to 2^-24 or 2^-53 of a number: of an element and of the scale, of their
     * product, of the offset and of the sum; of a bin's width, its multiple and the edge. Numbers that
     * are so small may be taken as 0. */
    const double small = wide ? 1e-290 : 1e-30;
    const double margin =
        greatest < small || bins->scale < small || bins->scale > 1 / small
            ? SUBWAVE_HISTOGRAM_DOUBT
            : 5 * ldexp((greatest + shift) * bins->scale + bins->count + 2, wide ? -53 : -24);
    /* The offset raises each number by the margin: one that was rounded down stays in its bin, and one
     * that was rounded up lies so near the edge below it that it is compared in f64. */
    bins->offset = (shift - lower) * bins->scale + 1 + margin;
    bins->doubt = 2 * margin;
}

static subwave_status add_weights(subwave_context *context, const histogram *h,
                                  const subwave_bins *bins)
{
    subwave_scatter_add_launch launch = {.n = h->n,
                                         .cells = h->bins,
                                         .indices = h->x,
                                         .values = h->weights,
                                         .y = h->results,
                                         .bins = *bins};
    SUBWAVE_TRY(subwave_array_prepare_sums(context, h->dtype, h->order, &launch));
    return subwave_launch(context, SUBWAVE_OPERATION_scatter_add, h->dtype, &launch, h->function);
}

static subwave_status count(subwave_context *context, const histogram *h, const subwave_bins *bins)
{
    subwave_histogram_launch launch = {.n = h->n, .x = h->x, .bins = *bins, .counts = h->results};
    if (h->n > 0) {
        const size_t size = subwave_dtype_size(h->dtype);
        const int64_t counters = size > 1 ? h->bins : 256;
        if (subwave_array_divide_for_cells(context, &context->capabilities.shapes->counting, h->n,
                                           size, counters, sizeof(uint32_t), size == 1,
                                           &launch.log_copies, &launch.blocks))
            launch.counters = (uint32_t)counters;
    }
    return subwave_launch(context, SUBWAVE_OPERATION_histogram, h->dtype, &launch, h->function);
}

static subwave_status run(subwave_context *context, const histogram *h, const subwave_bins *bins)
{
    if (h->n > 0)
        subwave_log_bench(context, "histogram --dtype %s%s%s --bins %" PRId64 " --size %" PRId64,
                          subwave_dtype_name(h->dtype), order_of(h, " --weights --order ").text,
                          bins->boundaries ? " --boundaries" : "", h->bins, h->n);
    return h->is_weighted ? add_weights(context, h, bins) : count(context, h, bins);
}

static subwave_status evenly(subwave_context *context, const histogram *h, double lower,
                             double upper)
{
    SUBWAVE_TRY(subwave_check_context(context, h->function));
    subwave_log_call(context, "%s(dtype=%s%s, bins=%" PRId64 ", lower=%g, upper=%g, n=%" PRId64 ")",
                     h->function, subwave_dtype_name(h->dtype), order_of(h, ", order=").text,
                     h->bins, lower, upper, h->n);
    SUBWAVE_TRY(check(context, h));
    if (!isfinite(lower) || !isfinite(upper) || !(lower < upper) || !isfinite(upper - lower))
        return subwave_fail(
            context, SUBWAVE_STATUS_INVALID_VALUE,
            "lower is %g and upper is %g: they must be finite, and lower the lesser", lower, upper);
    const double width = upper - lower, scale = (double)h->bins / width;
    if (!isfinite(scale))
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_VALUE,
                            "lower is %g and upper is %g: too near to each other for %" PRId64
                            " bins",
                            lower, upper, h->bins);
    subwave_bins bins = {.lower = lower,
                         .beyond = nextafter(upper, INFINITY),
                         .step = width / (double)h->bins,
                         .scale = scale,
                         .count = (int32_t)h->bins};
    place_bins(h->dtype, upper, &bins);
    return run(context, h, &bins);
}

static subwave_status by_boundaries(subwave_context *context, const histogram *h,
                                    const void *boundaries)
{
    SUBWAVE_TRY(subwave_check_context(context, h->function));
    subwave_log_call(context, "%s(dtype=%s%s, bins=%" PRId64 ", n=%" PRId64 ")", h->function,
                     subwave_dtype_name(h->dtype), order_of(h, ", order=").text, h->bins, h->n);
    SUBWAVE_TRY(check(context, h));
    SUBWAVE_TRY(
        subwave_check_pointer(context, "boundaries", boundaries, subwave_dtype_size(h->dtype)));
    return run(context, h, &(subwave_bins){.boundaries = boundaries, .count = (int32_t)h->bins});
}

subwave_status subwave_histogram(subwave_context *context, subwave_dtype dtype, int64_t bins,
                                 double lower, double upper, int64_t n, const void *x,
                                 int64_t *counts)
{
    return evenly(context,
                  &(histogram){.function = "subwave_histogram",
                               .dtype = dtype,
                               .bins = bins,
                               .n = n,
                               .x = x,
                               .results = counts},
                  lower, upper);
}

subwave_status subwave_histogram_by_boundaries(subwave_context *context, subwave_dtype dtype,
                                               int64_t bins, const void *boundaries, int64_t n,
                                               const void *x, int64_t *counts)
{
    return by_boundaries(context,
                         &(histogram){.function = "subwave_histogram_by_boundaries",
                                      .dtype = dtype,
                                      .bins = bins,
                                      .n = n,
                                      .x = x,
                                      .results = counts},
                         boundaries);
}

subwave_status subwave_histogram_weighted(subwave_context *context, subwave_dtype dtype,
                                          subwave_order order, int64_t bins, double lower,
                                          double upper, int64_t n, const void *x,
                                          const void *weights, void *sums)
{
    return evenly(
        context,
        &(histogram){"subwave_histogram_weighted", true, dtype, order, bins, n, x, weights, sums},
        lower, upper);
}

subwave_status subwave_histogram_by_boundaries_weighted(subwave_context *context,
                                                        subwave_dtype dtype, subwave_order order,
                                                        int64_t bins, const void *boundaries,
                                                        int64_t n, const void *x,
                                                        const void *weights, void *sums)
{
    return by_boundaries(context,
                         &(histogram){"subwave_histogram_by_boundaries_weighted", true, dtype,
                                      order, bins, n, x, weights, sums},
                         boundaries);
}
