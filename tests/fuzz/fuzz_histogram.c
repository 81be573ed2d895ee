/* SPDX-License-Identifier: MIT
 * fuzz_histogram.c: subwave_histogram and subwave_histogram_by_boundaries, with weights too.
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
    int32_t dtype, order;
    int64_t bins, n;
    double lower, upper;
    const void *x, *boundaries, *weights;
    void *results; /* counts, or sums of weights */
    bool bounded, weighted;

    /* What is in memory. */
    fuzz_memory *on_x, *on_boundaries, *on_weights, *on_results;
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

/* In any order sums of floats must be exact, to be known: integers. */
static uint64_t weight(fuzz *f, const histogram_call *h)
{
    const subwave_dtype dtype = (subwave_dtype)h->dtype;
    if (!reference_is_floating(dtype))
        return fuzz_bits(f);
    return reference_encode(dtype, h->order == SUBWAVE_ORDER_ANY
                                       ? (double)fuzz_between(f, -9, 9)
                                       : ldexp(fuzz_sign(f), (int)fuzz_between(f, -20, 20)));
}

static void choose(fuzz *f, histogram_call *h)
{
    static const subwave_dtype addends[] = {SUBWAVE_DTYPE_I32, SUBWAVE_DTYPE_U32,
                                            SUBWAVE_DTYPE_I64, SUBWAVE_DTYPE_U64,
                                            SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64};
    static const int64_t most_bins[] = {3, 300, 9000}, most[] = {20, 3000, 9000};
    h->weighted = fuzz_one_in(f, 2);
    h->dtype = (int32_t)(h->weighted ? FUZZ_PICK(f, addends) : FUZZ_PICK(f, number_dtypes));
    h->order = (int32_t)FUZZ_PICK(f, all_orders);
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
    h->on_weights =
        fuzz_take(f, FUZZ_DEVICE, "weights", h->weighted ? (size_t)h->n * size : 0, size);
    for (int64_t i = 0; h->weighted && i < h->n; ++i)
        reference_store(dtype, h->on_weights->contents, i, weight(f, h));
    const size_t result = h->weighted ? size : sizeof(int64_t);
    h->on_results = fuzz_take(f, FUZZ_DEVICE, "results", (size_t)h->bins * result, result);
    h->x = h->n ? (const void *)h->on_x->pointer : fuzz_nowhere(f);
    h->boundaries = h->on_boundaries->pointer;
    h->weights = h->n ? (const void *)h->on_weights->pointer : fuzz_nowhere(f);
    h->results = h->on_results->pointer;
}

/* --- wrong arguments ------------------------------------------------------------------------- */

static void spoil(fuzz *f, histogram_call *h, fuzz_expected *e)
{
    switch (fuzz_between(f, 0, 8)) {
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
        h->results = fuzz_one_in(f, 2) ? NULL : h->on_results->pointer + 2;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, h->weighted ? "sums" : "counts");
        return;
    case 6:
        if (!h->weighted)
            return;
        h->order = fuzz_outside(f, 1, GREATEST(SUBWAVE_ORDER_LIST));
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_VALUE, "order");
        return;
    case 7:
        if (!h->weighted || h->n == 0)
            return;
        h->weights = fuzz_misaligned(f, h->weights, subwave_dtype_size((subwave_dtype)h->dtype));
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "weights");
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

static subwave_status make(const histogram_call *h)
{
    const subwave_dtype dtype = (subwave_dtype)h->dtype;
    const subwave_order order = (subwave_order)h->order;
    if (h->weighted)
        return h->bounded
                   ? subwave_histogram_by_boundaries_weighted(h->handle, dtype, order, h->bins,
                                                              h->boundaries, h->n, h->x, h->weights,
                                                              h->results)
                   : subwave_histogram_weighted(h->handle, dtype, order, h->bins, h->lower,
                                                h->upper, h->n, h->x, h->weights, h->results);
    return h->bounded ? subwave_histogram_by_boundaries(h->handle, dtype, h->bins, h->boundaries,
                                                        h->n, h->x, h->results)
                      : subwave_histogram(h->handle, dtype, h->bins, h->lower, h->upper, h->n, h->x,
                                          h->results);
}

void fuzz_histogram(fuzz *f, fuzz_context *context)
{
    fuzz_expected expected = {0};
    histogram_call h = {.handle = context->handle};
    choose(f, &h);
    const subwave_dtype dtype = (subwave_dtype)h.dtype;
    if (fuzz_one_in(f, 4))
        spoil(f, &h, &expected);
    else if (h.weighted && h.order != SUBWAVE_ORDER_ANY && reference_is_floating(dtype) && h.n > 0)
        fuzz_expect_workspace(f, h.handle, 4352 + 20 * h.bins, &expected);
    fuzz_words(f,
               "subwave_histogram%s%s(%s, dtype %d, order %d, bins %" PRId64
               ", %.17g to %.17g, boundaries %p, n %" PRId64 ", x %p, weights %p, results %p)",
               h.bounded ? "_by_boundaries" : "", h.weighted ? "_weighted" : "",
               h.handle ? "context" : "no context", (int)h.dtype, (int)h.order, h.bins, h.lower,
               h.upper, h.boundaries, h.n, h.x, h.weights, h.results);
    fuzz_upload(f);
    if (fuzz_returns(f, context, &expected, make(&h))) {
        const fuzz_expected right = {0};
        fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
        reference_array_histogram(
            dtype, h.bins, h.lower, h.upper, h.bounded ? h.on_boundaries->contents : NULL, h.n,
            h.on_x->contents, h.weighted ? h.on_weights->contents : NULL, h.on_results->contents);
    }
    fuzz_check_memory(f);
}
