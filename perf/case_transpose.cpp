/* SPDX-License-Identifier: MIT
 * case_transpose.cpp: transposed matrices beside the vendor's BLAS, single ones and batches.
 */
#include "bench.hpp"
#include "registry.hpp"

namespace bench {
namespace {

#define SUBWAVE_X(name, ...) SUBWAVE_DTYPE_##name,
const std::vector<subwave_dtype> all_dtypes = {SUBWAVE_DTYPE_LIST(SUBWAVE_X)};
#undef SUBWAVE_X

contender theirs(device &on, const blas &peer)
{
    return {peer.name, "", peer.version(), [&on, &peer](problem &p, int set) {
                const measure_data &data = static_cast<call_problem &>(p).data;
                const measure_problem &of = data.problem;
                peer.transpose(on, of.dtype, of.m, of.n, measure_at(&data.a, set),
                               measure_at(&data.c, set));
            }};
}

} // namespace

/* Sizes are N, or MxNxK without regard to K; with --batch so many matrices, for which BLAS has no call. */
void transpose_cases(session &s)
{
    if (!s.wants("transpose"))
        return;
    std::vector<shape> usual = {{.n = 256}, {.n = 1000}};
    if (s.on.is_gpu())
        usual = {{.n = 1024}, {.n = 4096}, {.n = 4097}, {.n = 16384}};
    for (shape size : s.sizes(usual)) {
        if (!size.m)
            size.m = size.n;
        size.k = 0;
        for (subwave_dtype dtype :
             s.dtypes(all_dtypes, {SUBWAVE_DTYPE_U8, SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64})) {
            measure_problem p = measure_default(
                s.wishes.batch ? MEASURE_TRANSPOSE_STRIDED_BATCHED : MEASURE_TRANSPOSE, dtype);
            p.m = size.m;
            p.n = size.n;
            p.batch = size.batch = s.wishes.batch ? s.wishes.batch : 1;
            std::vector<contender> contenders = {ours("", [](measure_problem &) {})};
            for (const blas &peer : registry<blas>())
                if (s.on.is_gpu() == peer.on_gpu && peer.transpose && !s.wishes.batch)
                    contenders.push_back(theirs(s.on, peer));
            for (cache state : s.wishes.caches)
                if (const int sets = s.sets(state, measure_bytes(&p)))
                    s.run({"transpose", dtype, size, state}, {.bytes = measure_bytes(&p)},
                          contenders,
                          [&] { return std::make_unique<call_problem>(s.on, p, sets); });
        }
    }
}

} // namespace bench
