/* SPDX-License-Identifier: MIT
 * case_matmul_batched.cpp: many small products in one call, evenly spaced and by pointers, beside
 * the batched calls of every BLAS. Up to about 32 x 32 they are bound by memory, so their rate is
 * in bytes.
 */
#include "../hip/kernels.def"
#include "bench.hpp"

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

const std::vector<subwave_dtype> all_dtypes = {
#define SUBWAVE_X(operation, dtype, type) SUBWAVE_DTYPE_##dtype,
    SUBWAVE_KERNELS_matmul_batched(SUBWAVE_X)
#undef SUBWAVE_X
};

std::vector<shape> sizes_to_time()
{
    std::vector<shape> usual;
    for (std::int64_t n : {2, 4, 8, 16, 24, 32, 48, 64})
        usual.push_back({n, n, n});
    usual.push_back({29, 23, 31});
    return usual;
}

/* Some of each family that plans choose. */
std::vector<shape> sizes_to_tune()
{
    std::vector<shape> sizes;
    for (std::int64_t n : {5, 8, 13, 20, 32, 63})
        sizes.push_back({n, n, n});
    return sizes;
}

/* Of the usual batch. A sweep has many kernels, so that it takes as little as fills a GPU. */
double bytes_to_move(bool on_gpu, bool tune) { return !on_gpu ? 4e5 : tune ? 3.2e7 : 8e8; }

std::vector<contender> calls_and_peers(device &on, subwave_dtype dtype, const shape &size)
{
    const auto by = [](measure_operation operation) {
        return [operation](measure_problem &call) { call.operation = operation; };
    };
    std::vector<contender> contenders = {ours("strided", by(MEASURE_MATMUL_STRIDED_BATCHED)),
                                         ours("pointers", by(MEASURE_MATMUL_BATCHED))};
    for (const blas &peer : registry<blas>())
        if (peer.on_gpu == on.is_gpu())
            contenders.push_back(theirs(on, peer, dtype, size));
    return contenders;
}

} // namespace

void matmul_batched_cases(session &s)
{
    if (!s.wants("matmul_batched"))
        return;
    const bool tune = s.wishes.tune;
    const double usual_bytes = bytes_to_move(s.on.is_gpu(), tune);
    for (subwave_dtype dtype : s.dtypes(all_dtypes, {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64}))
        for (shape size : s.sizes(tune ? sizes_to_tune() : sizes_to_time())) {
            if (!size.m)
                size.m = size.k = size.n;
            measure_problem p = measure_default(MEASURE_MATMUL_BATCHED, dtype);
            p.m = size.m;
            p.n = size.n;
            p.k = size.k;
            p.batch =
                s.wishes.batch
                    ? s.wishes.batch
                    : std::max<std::int64_t>(1, std::llround(usual_bytes / measure_bytes(&p)));
            size.batch = p.batch;
            for (cache state : s.caches(measure_bytes(&p))) {
                const int sets = s.sets(state, measure_bytes(&p));
                if (!sets)
                    continue;
                const std::vector<contender> contenders =
                    tune ? batched_candidates_of(s.on, p) : calls_and_peers(s.on, dtype, size);
                s.run({"matmul_batched", dtype, size, state},
                      {measure_flops(&p), measure_bytes(&p), "GB/s"}, contenders,
                      [&] { return std::make_unique<call_problem>(s.on, p, sets); });
            }
        }
}

} // namespace bench
