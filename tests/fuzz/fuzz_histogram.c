/* SPDX-License-Identifier: MIT
 * fuzz_histogram.c: subwave_histogram and subwave_histogram_by_boundaries.
 */
#include "fuzz.h"

#include "../reference.h"
#include "../reference_array.h"
#include "../types.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The arguments, wrong ones too. */
typedef struct histogram_call {
    subwave_context *handle;
    int32_t dtype;
    int64_t bins, n;
    double lower, upper;
    const void *x, *boundaries;
    int64_t *counts;
    bool bounded;

    /* What is in memory. */
    fuzz_memory *on_x, *on_boundaries, *on_counts;
} histogram_call;

/* --- right arguments ------------------------------------------------------------------------- */

static double number(fuzz *f, const histogram_call *h)
{
    const double special[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0, h->lower, h->upper};
    const bool floats = reference_is_floating((subwave_dtype)h->dtype);
    if (floats && fuzz_one_in(f, 20))
        return FUZZ_PICK(f, special);
    const double x = h->lower + (h->upper - h->lower) * (0.5 + 0.6 * fuzz_sign(f));
    /* What every integer type holds. */
    return floats ? x : x < 0 ? 0 : x > 127 ? 127 : floor(x);
}

static void choose(fuzz *f, histogram_call *h)
{
    static const int64_t most_bins[] = {3, 300, 9000}, most[] = {20, 3000, 9000};
    h->dtype = (int32_t)FUZZ_PICK(f, number_dtypes);
    h->bounded = fuzz_one_in(f, 2);
    h->bins = fuzz_between(f, 1, h->bounded ? 50 : FUZZ_PICK(f, most_bins));
    h->n = fuzz_between(f, 0, FUZZ_PICK(f, most));
    h->lower = fuzz_one_in(f, 3) ? 0 : floor(fuzz_sign(f) * 40);
    h->upper = h->lower + (fuzz_one_in(f, 2) ? (double)h->bins : 1 + 60 * fabs(fuzz_sign(f)));
    const subwave_dtype dtype = (subwave_dtype)h->dtype;
    const size_t size = subwave_dtype_size(dtype);
    h->on_x = fuzz_take(f, FUZZ_DEVICE, "x", (size_t)h->n * size, size);
    for (int64_t i = 0; i < h->n; ++i)
        reference_store(dtype, h->on_x->contents, i, reference_encode(dtype, number(f, h)));
    h->on_boundaries = fuzz_take(f, FUZZ_DEVICE, "boundaries",
                                 h->bounded ? ((size_t)h->bins + 1) * size : 0, size);
    double at = reference_is_floating(dtype) ? h->lower : 0;
    for (int64_t i = 0; h->bounded && i <= h->bins; ++i) {
        reference_store(dtype, h->on_boundaries->contents, i, reference_encode(dtype, at));
        at += (double)fuzz_between(f, 0, 2);
    }
    h->on_counts =
        fuzz_take(f, FUZZ_DEVICE, "counts", (size_t)h->bins * sizeof *h->counts, sizeof *h->counts);
    h->x = h->n ? (const void *)h->on_x->pointer : fuzz_nowhere(f);
    h->boundaries = h->on_boundaries->pointer;
    h->counts = (int64_t *)(void *)h->on_counts->pointer;
}

/* --- wrong arguments ------------------------------------------------------------------------- */

static void spoil(fuzz *f, histogram_call *h, fuzz_expected *e)
{
    switch (fuzz_between(f, 0, 6)) {
    case 0:
        h->handle = fuzz_no_context(e);
        return;
    case 1:
        h->dtype = fuzz_wrong_dtype(f, e);
        return;
    case 2:
        h->bins = fuzz_one_in(f, 2) ? -h->bins : INT64_MAX - h->bins;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "bins");
        return;
    case 3:
        h->n = -h->n - 1;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "n");
        return;
    case 4:
        h->counts = fuzz_one_in(f, 2) ? NULL : (int64_t *)(void *)(h->on_counts->pointer + 4);
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "counts");
        return;
    case 5:
        if (h->n == 0)
            return;
        h->x = NULL;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "x");
        return;
    default:
        if (h->bounded) {
            h->boundaries = NULL;
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "boundaries");
        } else {
            h->upper = fuzz_one_in(f, 2) ? h->lower : NAN;
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_VALUE, "upper");
        }
    }
}

/* --- the call -------------------------------------------------------------------------------- */

void fuzz_histogram(fuzz *f, fuzz_context *context)
{
    fuzz_expected expected = {0};
    histogram_call h = {.handle = context->handle};
    choose(f, &h);
    if (fuzz_one_in(f, 4))
        spoil(f, &h, &expected);
    const subwave_dtype dtype = (subwave_dtype)h.dtype;
    fuzz_words(f,
               "subwave_histogram%s(%s, dtype %d, bins %" PRId64 ", %.17g to %.17g, boundaries %p, "
               "n %" PRId64 ", x %p, counts %p)",
               h.bounded ? "_by_boundaries" : "", h.handle ? "context" : "no context", (int)h.dtype,
               h.bins, h.lower, h.upper, h.boundaries, h.n, h.x, (void *)h.counts);
    fuzz_upload(f);
    const subwave_status status =
        h.bounded
            ? subwave_histogram_by_boundaries(h.handle, dtype, h.bins, h.boundaries, h.n, h.x,
                                              h.counts)
            : subwave_histogram(h.handle, dtype, h.bins, h.lower, h.upper, h.n, h.x, h.counts);
    if (fuzz_returns(f, context, &expected, status)) {
        const fuzz_expected right = {0};
        fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
        reference_array_histogram(dtype, h.bins, h.lower, h.upper,
                                  h.bounded ? h.on_boundaries->contents : NULL, h.n,
                                  h.on_x->contents, (int64_t *)(void *)h.on_counts->contents);
    }
    fuzz_check_memory(f);
}
