/* SPDX-License-Identifier: MIT
 * histogram.c: subwave_histogram, subwave_histogram_by_boundaries.
 */
#include "array.h"
#include "log.h"

#include <inttypes.h>
#include <math.h>

static subwave_status check(subwave_context *context, subwave_dtype dtype, int64_t bins, int64_t n,
                            const void *x, const int64_t *counts)
{
    SUBWAVE_TRY(subwave_check_dtype(context, dtype));
    SUBWAVE_TRY(subwave_check_built(context, "histogram", SUBWAVE_OPERATION_histogram, dtype));
    if (bins < 1 || bins > INT32_MAX - 1)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                            "bins is %" PRId64 "; a histogram has 1 to %d", bins, INT32_MAX - 1);
    SUBWAVE_TRY(subwave_check_size(context, "n", n));
    if (n > 0)
        SUBWAVE_TRY(subwave_check_pointer(context, "x", x, subwave_dtype_size(dtype)));
    return subwave_check_pointer(context, "counts", counts, sizeof *counts);
}

/* How elements are told their bins, in f32 or, if they have 8 bytes, in f64. */
static void place_bins(subwave_dtype dtype, double upper, subwave_histogram_launch *launch)
{
    const bool wide = subwave_dtype_size(dtype) == 8;
    const double lower = launch->lower, greatest = fmax(fabs(lower), fabs(upper));
    /* Where all edges are integers, integers are looked for half above where they are, and so on no edge. */
    const bool integers = subwave_class_of(dtype) != SUBWAVE_CLASS_FLOAT && lower == floor(lower) &&
                          launch->step == floor(launch->step) && greatest < 0x1p52;
    const double shift = integers ? 0.5 : 0;
    launch->offset = (shift - lower) * launch->scale;
    /* Roundings, each by up to 2^-24 or 2^-53 of a number: of an element and of the scale, of their
     * product, of the offset and of the sum; of a bin's width, its multiple and the edge. */
    launch->margin = 5 * ldexp((greatest + shift) * launch->scale + launch->bins, wide ? -53 : -24);
    /* Numbers that are so small may be taken as 0. */
    const double small = wide ? 1e-290 : 1e-30;
    if (greatest < small || launch->scale < small || launch->scale > 1 / small)
        launch->margin = SUBWAVE_HISTOGRAM_MARGIN;
}

static subwave_status run(subwave_context *context, subwave_dtype dtype,
                          subwave_histogram_launch *launch, const char *what)
{
    if (launch->n > 0) {
        const size_t size = subwave_dtype_size(dtype);
        const int64_t bins = size > 1 ? launch->bins : 256;
        if (subwave_array_divide_for_cells(context, launch->n, size, bins, sizeof(uint32_t),
                                           size == 1, &launch->log_copies, &launch->blocks))
            launch->counters = (uint32_t)bins;
    }
    return subwave_launch(context, SUBWAVE_OPERATION_histogram, dtype, launch, what);
}

subwave_status subwave_histogram(subwave_context *context, subwave_dtype dtype, int64_t bins,
                                 double lower, double upper, int64_t n, const void *x,
                                 int64_t *counts)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_histogram"));
    subwave_log_call(
        context, "subwave_histogram(dtype=%s, bins=%" PRId64 ", lower=%g, upper=%g, n=%" PRId64 ")",
        subwave_dtype_name(dtype), bins, lower, upper, n);
    SUBWAVE_TRY(check(context, dtype, bins, n, x, counts));
    if (!isfinite(lower) || !isfinite(upper) || !(lower < upper) || !isfinite(upper - lower))
        return subwave_fail(
            context, SUBWAVE_STATUS_INVALID_VALUE,
            "lower is %g and upper is %g: they must be finite, and lower the lesser", lower, upper);
    const double width = upper - lower, scale = (double)bins / width;
    if (!isfinite(scale))
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_VALUE,
                            "lower is %g and upper is %g: too near to each other for %" PRId64
                            " bins",
                            lower, upper, bins);
    subwave_histogram_launch launch = {.n = n,
                                       .x = x,
                                       .counts = counts,
                                       .lower = lower,
                                       .beyond = nextafter(upper, INFINITY),
                                       .step = width / (double)bins,
                                       .scale = scale,
                                       .bins = (int32_t)bins};
    place_bins(dtype, upper, &launch);
    if (n > 0)
        subwave_log_bench(context, "histogram --dtype %s --bins %" PRId64 " --size %" PRId64,
                          subwave_dtype_name(dtype), bins, n);
    return run(context, dtype, &launch, "subwave_histogram");
}

subwave_status subwave_histogram_by_boundaries(subwave_context *context, subwave_dtype dtype,
                                               int64_t bins, const void *boundaries, int64_t n,
                                               const void *x, int64_t *counts)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_histogram_by_boundaries"));
    subwave_log_call(context,
                     "subwave_histogram_by_boundaries(dtype=%s, bins=%" PRId64 ", n=%" PRId64 ")",
                     subwave_dtype_name(dtype), bins, n);
    SUBWAVE_TRY(check(context, dtype, bins, n, x, counts));
    SUBWAVE_TRY(
        subwave_check_pointer(context, "boundaries", boundaries, subwave_dtype_size(dtype)));
    subwave_histogram_launch launch = {
        .n = n, .x = x, .boundaries = boundaries, .counts = counts, .bins = (int32_t)bins};
    if (n > 0)
        subwave_log_bench(context,
                          "histogram --dtype %s --boundaries --bins %" PRId64 " --size %" PRId64,
                          subwave_dtype_name(dtype), bins, n);
    return run(context, dtype, &launch, "subwave_histogram_by_boundaries");
}
