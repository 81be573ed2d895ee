/* SPDX-License-Identifier: MIT
 * case_histogram.cpp: histograms of few bins and many, of elements in all of them and nearly all in
 * one, beside the device's own libraries; and of weights, beside an atomic addition for each element.
 */
#include "../hip/kernels.def"
#include "array_peer.hpp"
#include "bench.hpp"
#include "registry.hpp"

#include <algorithm>

namespace bench {
namespace {

#define SUBWAVE_X(operation, dtype, type) SUBWAVE_DTYPE_##dtype,
const std::vector<subwave_dtype> numbers = {SUBWAVE_KERNELS_histogram(SUBWAVE_X)},
                                 addends = {SUBWAVE_KERNELS_scatter_add(SUBWAVE_X)};
#undef SUBWAVE_X

struct named_bins {
    const char *kind;
    std::int64_t bins;
    bool bounded, skewed, weighted;
};
/* Of weights there are as many bins as make plain arithmetic exact, which the plain kernel has. */
constexpr named_bins all_bins[] = {{"256 bins", 256, false, false, false},
                                   {"256 bins, skewed", 256, false, true, false},
                                   {"256 bins, boundaries", 256, true, false, false},
                                   {"4096 bins", 4096, false, false, false},
                                   {"1000000 bins", 1000000, false, false, false},
                                   {"1000000 bins, skewed", 1000000, false, true, false},
                                   {"256 bins, weights", 256, false, false, true},
                                   {"256 bins, weights, skewed", 256, false, true, true},
                                   {"1048576 bins, weights", 1 << 20, false, false, true}};

/* In the form that is theirs: counters of 32 bits. */
contender theirs(device &on, const array_peer &peer)
{
    return {peer.name, "", peer.version, [&on, &peer](problem &p, int set) {
                measure_data &data = static_cast<call_problem &>(p).data;
                const measure_problem &of = data.problem;
                data.problem.narrow = true;
                const peer_workspace &workspace = library_for<peer_workspace>(on);
                double lower, upper;
                measure_histogram_range(&of, &lower, &upper);
                const peer_call became = peer.histogram(
                    on.runtime->stream(), of.dtype, of.bins, lower, upper,
                    of.bounded ? measure_at(&data.b, set) : nullptr, of.n, measure_at(&data.a, set),
                    measure_at(&data.c, set), workspace.memory, workspace.bytes);
                expect_queued(became, peer, "written for f32, f64 and i32, up to 2^31");
            }};
}

contender theirs(device &on, const weights_kernel &kernel)
{
    return {"one atomic each", "", "", [&on, &kernel](problem &p, int set) {
                const measure_data &data = static_cast<call_problem &>(p).data;
                const measure_problem &of = data.problem;
                double lower, upper;
                measure_histogram_range(&of, &lower, &upper);
                if (kernel.launch(on.runtime->stream(), of.n, measure_at(&data.a, set),
                                  measure_at(&data.weights, set), of.bins, lower, upper,
                                  measure_at(&data.c, set)) != 0)
                    throw failure("a kernel could not be launched");
            }};
}

std::vector<contender> contenders_of(session &s, const measure_problem &p)
{
    std::vector<contender> all;
    if (p.weighted) {
        for (subwave_order order : {SUBWAVE_ORDER_ANY, SUBWAVE_ORDER_FIXED})
            all.push_back(ours(subwave_order_name(order),
                               [order](measure_problem &of) { of.order = order; }));
        for (const weights_kernel &kernel : registry<weights_kernel>())
            if (s.on.is_gpu() && kernel.dtype == p.dtype)
                all.push_back(theirs(s.on, kernel));
        return all;
    }
    all.push_back(ours("", [](measure_problem &of) { of.narrow = false; }));
    for (const array_peer &peer : registry<array_peer>())
        if (s.on.is_gpu() && peer.histogram)
            all.push_back(theirs(s.on, peer));
    return all;
}

} // namespace

void histogram_cases(session &s)
{
    if (!s.wants("histogram"))
        return;
    std::vector<shape> usual = {{.n = 1 << 16}, {.n = 1 << 20}};
    if (s.on.is_gpu())
        usual.insert(usual.end(), {{.n = 1 << 24}, {.n = 1 << 28}});
    for (const shape &size : s.sizes(usual))
        for (subwave_dtype dtype : s.dtypes(numbers, {SUBWAVE_DTYPE_F32}))
            for (const auto &[kind, bins, bounded, skewed, weighted] : all_bins) {
                measure_problem p = measure_default(MEASURE_HISTOGRAM, dtype);
                p.n = size.n;
                p.bins = bins;
                p.bounded = bounded;
                p.skewed = skewed;
                p.weighted = weighted;
                if (size.m || !s.wants_kind(kind) ||
                    (weighted && std::find(addends.begin(), addends.end(), dtype) == addends.end()))
                    continue;
                for (cache state : s.wishes.caches)
                    if (const int sets = s.sets(state, measure_bytes(&p)))
                        s.run({"histogram", dtype, size, state, kind, ""},
                              {.bytes = measure_bytes(&p)}, contenders_of(s, p), [&s, &p, sets] {
                                  return std::make_unique<call_problem>(s.on, p, sets);
                              });
            }
}

} // namespace bench
