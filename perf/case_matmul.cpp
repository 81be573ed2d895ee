/* SPDX-License-Identifier: MIT
 * case_matmul.cpp: matrix products: every variant of subwave_matmul beside every BLAS.
 */
#include "../hip/kernels.def"
#include "bench.hpp"

namespace bench {
namespace {

const std::vector<subwave_dtype> all_dtypes = {
#define SUBWAVE_X(operation, dtype, type) SUBWAVE_DTYPE_##dtype,
    SUBWAVE_KERNELS_matmul_broadcast(SUBWAVE_X)
#undef SUBWAVE_X
};
const std::vector<subwave_variant> all_variants = {
#define SUBWAVE_X(name, value, spelling) SUBWAVE_VARIANT_##name,
    SUBWAVE_VARIANT_LIST(SUBWAVE_X)
#undef SUBWAVE_X
};

/* Around the sizes where AUTO goes from one variant to another, and where blocks are few. */
std::vector<shape> sizes_to_tune(bool on_gpu)
{
    std::vector<shape> sizes;
    const std::int64_t wide = on_gpu ? 4096 : 128;
    for (std::int64_t n :
         on_gpu ? std::vector<std::int64_t>{128, 256, 384, 512, 768, 1000, 1024, 1536, 2048, 4096}
                : std::vector<std::int64_t>{32, 64, 96})
        sizes.push_back({n, n, n});
    for (std::int64_t thin : {1, 8, 16, 24})
        sizes.push_back({thin, wide, wide});
    sizes.push_back({wide, 16, wide});
    sizes.push_back({16, 16, 16 * wide});
    return sizes;
}

std::vector<contender> variants_and_peers(device &on, subwave_dtype dtype, const shape &size)
{
    std::vector<contender> contenders;
    for (subwave_variant variant : all_variants)
        contenders.push_back(ours(subwave_variant_name(variant),
                                  [variant](measure_problem &call) { call.variant = variant; }));
    for (const blas &peer : registry<blas>())
        if (peer.on_gpu == on.is_gpu())
            contenders.push_back(theirs(on, peer, dtype, size));
    return contenders;
}

std::vector<shape> sizes_to_time(bool on_gpu)
{
    std::vector<shape> usual;
    for (std::int64_t n : on_gpu ? std::vector<std::int64_t>{256, 512, 1024, 2048, 4096, 8192}
                                 : std::vector<std::int64_t>{64, 128, 256, 512})
        usual.push_back({n, n, n});
    const std::int64_t wide = on_gpu ? 4096 : 256;
    for (std::int64_t thin : {1, 16}) {
        usual.push_back({thin, wide, wide});
        usual.push_back({wide, thin, wide});
        usual.push_back({thin, thin, 16 * wide});
    }
    return usual;
}

} // namespace

void matmul_cases(session &s)
{
    if (!s.wants("matmul"))
        return;
    const std::vector<subwave_dtype> usual_dtypes = {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64};
    const bool tune = s.wishes.tune;
    for (subwave_dtype dtype : s.dtypes(all_dtypes, tune ? all_dtypes : usual_dtypes))
        for (shape size : s.sizes((tune ? sizes_to_tune : sizes_to_time)(s.on.is_gpu()))) {
            if (!size.m)
                size.m = size.k = size.n;
            measure_problem p = measure_default(MEASURE_MATMUL, dtype);
            p.m = size.m;
            p.n = size.n;
            p.k = size.k;
            for (cache state : s.caches(measure_bytes(&p))) {
                const int sets = s.sets(state, measure_bytes(&p));
                if (!sets)
                    continue;
                std::vector<contender> contenders;
                if (tune)
                    contenders = candidates_of(s.on, p);
                else
                    contenders = variants_and_peers(s.on, dtype, size);
                s.run({"matmul", dtype, size, state},
                      {measure_flops(&p), measure_bytes(&p), "GFLOP/s"}, contenders,
                      [&] { return std::make_unique<call_problem>(s.on, p, sets); });
            }
        }
}

} // namespace bench
