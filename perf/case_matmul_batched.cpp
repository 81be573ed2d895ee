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

} // namespace

void matmul_batched_cases(session &s)
{
    if (!s.wants("matmul_batched"))
        return;
    std::vector<shape> usual;
    for (std::int64_t n : {2, 4, 8, 16, 24, 32, 48, 64})
        usual.push_back({n, n, n});
    usual.push_back({29, 23, 31});
    const double usual_bytes = s.on.is_gpu() ? 8e8 : 4e5;
    for (subwave_dtype dtype : s.dtypes(all_dtypes, {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64}))
        for (shape size : s.sizes(usual))
            for (cache state : s.wishes.caches) {
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
                const int sets = s.sets(state, measure_bytes(&p));
                if (!sets)
                    continue;
                const auto by = [](measure_operation operation) {
                    return [operation](measure_problem &call) { call.operation = operation; };
                };
                std::vector<contender> contenders = {
                    ours("strided", by(MEASURE_MATMUL_STRIDED_BATCHED)),
                    ours("pointers", by(MEASURE_MATMUL_BATCHED))};
                for (const blas &peer : registry<blas>())
                    if (peer.on_gpu == s.on.is_gpu())
                        contenders.push_back(theirs(s.on, peer, dtype, size));
                s.run({"matmul_batched", dtype, size, state},
                      {measure_flops(&p), measure_bytes(&p), "GB/s"}, contenders,
                      [&] { return std::make_unique<call_problem>(s.on, p, sets); });
            }
}

} // namespace bench
