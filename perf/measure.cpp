/* SPDX-License-Identifier: MIT
 * measure.cpp: how long a call takes: batches, warm-up, and samples until the median stands still.
 */
#include "bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace bench {
namespace {

constexpr int FEWEST_SAMPLES = 10, FEWEST_SLOW_SAMPLES = 3, MOST_CALLS = 1000;
constexpr double BATCH_SECONDS = 1e-3; /* far above what an event or a clock can resolve */

double quantile(const std::vector<double> &sorted, double where)
{
    const double at = where * static_cast<double>(sorted.size() - 1);
    const std::size_t below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/* The spread is the notch of a box plot: the median lies within 1.57 interquartile ranges over
 * sqrt(samples), with 95 % confidence (McGill, Tukey, Larsen 1978). */
timing summarize(std::vector<double> samples, int calls)
{
    std::sort(samples.begin(), samples.end());
    timing t;
    t.samples = static_cast<int>(samples.size());
    t.calls = calls;
    t.median = quantile(samples, 0.5);
    t.lower = quantile(samples, 0.25);
    t.upper = quantile(samples, 0.75);
    t.least = samples.front();
    t.most = samples.back();
    t.spread = 1.57 * (t.upper - t.lower) / std::sqrt(t.samples) / t.median;
    return t;
}

} // namespace

timing measure(runtime &clock, const settings &wishes, int sets,
               const std::function<void(int set)> &call)
{
    using steady = std::chrono::steady_clock;
    const auto since = [](steady::time_point start) {
        return std::chrono::duration<double>(steady::now() - start).count();
    };
    const auto record = [&](int calls) {
        clock.record([&call, calls, sets] {
            for (int i = 0; i < calls; ++i)
                call(i % sets);
        });
    };

    call(0); /* pays for what is loaded and set up */
    record(1);
    const double estimate = clock.replay() + 1e-9;
    int calls = static_cast<int>(std::clamp(BATCH_SECONDS / estimate, 1.0, double(MOST_CALLS)));
    calls = (calls + sets - 1) / sets * sets; /* every set in turn, or the cache would keep some */
    record(calls);
    const auto warming = steady::now();
    do
        clock.replay();
    while (since(warming) < 0.1 * wishes.time); /* clocks rise under load */

    std::vector<double> samples;
    timing t;
    const auto start = steady::now();
    do {
        samples.push_back(clock.replay() / calls);
        const int count = static_cast<int>(samples.size());
        if (count < FEWEST_SLOW_SAMPLES)
            continue;
        t = summarize(samples, calls);
        if (count >= FEWEST_SAMPLES && t.spread <= wishes.noise)
            return t;
    } while (samples.size() < FEWEST_SLOW_SAMPLES || since(start) < wishes.time);
    t = summarize(samples, calls);
    t.noisy = t.spread > wishes.noise;
    return t;
}

} // namespace bench
