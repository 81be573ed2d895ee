/* SPDX-License-Identifier: MIT
 * timing.c: how long a call takes: batches, warm-up, and samples until the median stands still.
 */
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_CALLS = 1000, ENOUGH_SAMPLES = 10, ROOM_AT_FIRST = 1024 };

double measure_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_doubles(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double quantile(const double *sorted, int count, double where)
{
    const double at = where * (count - 1);
    const int below = (int)at, above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

/* Sorts the samples. The spread is the notch of a box plot: the median lies within 1.57
 * interquartile ranges over sqrt(samples), with 95 % confidence (McGill, Tukey, Larsen 1978). */
static measure_timing summarize(double *samples, int count, int calls)
{
    qsort(samples, (size_t)count, sizeof *samples, compare_doubles);
    measure_timing t = {.samples = count, .calls = calls};
    t.median = quantile(samples, count, 0.5);
    t.lower = quantile(samples, count, 0.25);
    t.upper = quantile(samples, count, 0.75);
    t.least = samples[0];
    t.most = samples[count - 1];
    t.spread = 1.57 * (t.upper - t.lower) / sqrt(count) / t.median;
    return t;
}

/* Batches of `calls` until they are enough. */
static bool take_samples(const measure_subject *s, const measure_rules *rules, int calls,
                         measure_timing *timing)
{
    int room = ROOM_AT_FIRST, count = 0;
    double *samples = malloc((size_t)room * sizeof *samples);
    const double start = measure_now();
    bool enough = false;
    while (samples && !enough) {
        if (count == room) {
            double *more = realloc(samples, 2 * (size_t)room * sizeof *samples);
            if (!more) { /* so many will do */
                *timing = summarize(samples, count, calls);
                enough = true;
                break;
            }
            samples = more;
            room *= 2;
        }
        if (!s->replay(s->self, &samples[count]))
            break;
        samples[count++] /= calls;
        enough = count >= rules->most ||
                 (count >= rules->fewest && measure_now() - start >= rules->seconds);
        if (enough || (count >= ENOUGH_SAMPLES && rules->noise >= 0)) {
            *timing = summarize(samples, count, calls);
            enough |= count >= ENOUGH_SAMPLES && timing->spread <= rules->noise;
        }
    }
    free(samples);
    return enough;
}

bool measure_time(const measure_subject *s, const measure_rules *rules, measure_timing *timing)
{
    double seconds, start = measure_now();
    if (!s->first(s->self))
        return false;
    double first = measure_now() - start;
    if (rules->first_may_count && first >= rules->seconds) {
        *timing = summarize(&first, 1, 1);
        return true;
    }
    if (!s->record(s->self, 1) || !s->replay(s->self, &seconds))
        return false;
    const double wanted = rules->batch_seconds / (seconds + 1e-9);
    int calls = wanted < 1 ? 1 : wanted > MOST_CALLS ? MOST_CALLS : (int)wanted;
    calls = (calls + rules->sets - 1) / rules->sets * rules->sets; /* or the cache keeps some */
    if (!s->record(s->self, calls))
        return false;
    for (start = measure_now(); rules->warm_up >= 0;) {
        if (!s->replay(s->self, &seconds))
            return false;
        if (measure_now() - start >= rules->warm_up)
            break;
    }
    return take_samples(s, rules, calls, timing);
}
