/* SPDX-License-Identifier: MIT
 * case_matmul_stacked.cpp: a stack of small products, 16 of which are added up in a C, as DBCSR has
 * them, beside one batched call of as many entries, and beside atomic additions.
 */
#include "../hip/kernels.def"
#include "bench.hpp"
#include "registry.hpp"

namespace bench {
namespace {

#define SUBWAVE_X(operation, dtype, type) SUBWAVE_DTYPE_##dtype,
const std::vector<subwave_dtype> all_dtypes = {SUBWAVE_KERNELS_matmul_stacked(SUBWAVE_X)};
#undef SUBWAVE_X

/* DBCSR's stacks have up to 30000 entries. */
std::int64_t usual_entries(bool on_gpu) { return on_gpu ? 30000 : 320; }

contender theirs(device &on, const stack_kernel &kernel)
{
    return {"atomic additions", "", "", [&on, &kernel](problem &p, int set) {
                const measure_data &data = static_cast<call_problem &>(p).data;
                const measure_problem &of = data.problem;
                if (kernel.launch(on.runtime->stream(), of.m, of.n, of.k, of.batch,
                                  measure_at(&data.id, set), measure_at(&data.a, set),
                                  measure_at(&data.b, set), measure_at(&data.c, set)) != 0)
                    throw failure("a kernel could not be launched");
            }};
}

} // namespace

void matmul_stacked_cases(session &s)
{
    if (!s.wants("matmul_stacked"))
        return;
    std::vector<shape> usual;
    for (std::int64_t n : {4, 8, 13, 23, 32})
        usual.push_back({n, n, n});
    for (shape size : s.sizes(usual))
        for (subwave_dtype dtype : s.dtypes(all_dtypes, {SUBWAVE_DTYPE_F64}))
            for (const char *kind : {"one after the other", "scattered", "a C each"}) {
                if (!size.m)
                    size.m = size.k = size.n;
                const bool stacked = kind[0] != 'a', scattered = kind[0] == 's';
                measure_problem p = measure_default(
                    stacked ? MEASURE_MATMUL_STACKED : MEASURE_MATMUL_STRIDED_BATCHED, dtype);
                p.m = size.m;
                p.n = size.n;
                p.k = size.k;
                p.batch = size.batch =
                    s.wishes.batch ? s.wishes.batch : usual_entries(s.on.is_gpu());
                p.scattered = scattered;
                p.beta[0] = 1;
                if (!s.wants_kind(kind))
                    continue;
                std::vector<contender> all = {
                    ours(stacked ? "stacked" : "strided", [](measure_problem &) {})};
                for (const stack_kernel &kernel : registry<stack_kernel>())
                    if (s.on.is_gpu() && stacked && kernel.dtype == dtype &&
                        kernel.takes(p.m, p.n, p.k))
                        all.push_back(theirs(s.on, kernel));
                for (cache state : s.caches(measure_bytes(&p)))
                    if (const int sets = s.sets(state, measure_bytes(&p)))
                        s.run({"matmul_stacked", dtype, size, state, kind, ""},
                              {measure_flops(&p), measure_bytes(&p), "GFLOP/s"}, all,
                              [&s, &p, sets] {
                                  return std::make_unique<call_problem>(s.on, p, sets);
                              });
            }
}

} // namespace bench
