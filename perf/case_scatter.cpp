/* SPDX-License-Identifier: MIT
 * case_scatter.cpp: elements added to few cells and many, evenly and nearly all to one, in any order
 * and in fixed point, beside an atomic addition for each element.
 */
#include "../hip/kernels.def"
#include "bench.hpp"
#include "registry.hpp"

namespace bench {
namespace {

#define SUBWAVE_X(operation, dtype, type) SUBWAVE_DTYPE_##dtype,
const std::vector<subwave_dtype> addends = {SUBWAVE_KERNELS_scatter_add(SUBWAVE_X)};
#undef SUBWAVE_X

struct named_cells {
    const char *kind;
    std::int64_t cells;
    bool skewed;
};
constexpr named_cells all_cells[] = {
    {"64 cells", 64, false},           {"64 cells, skewed", 64, true},
    {"2000 cells", 2000, false},       {"30000 cells", 30000, false},
    {"1000000 cells", 1000000, false}, {"1000000 cells, skewed", 1000000, true}};

contender theirs(device &on, const scatter_kernel &kernel)
{
    return {"one atomic each", "", "", [&on, &kernel](problem &p, int set) {
                const measure_data &data = static_cast<call_problem &>(p).data;
                const measure_problem &of = data.problem;
                if (kernel.launch(on.runtime->stream(), of.n, measure_at(&data.id, set),
                                  measure_at(&data.a, set), of.bins, measure_at(&data.c, set)) != 0)
                    throw failure("a kernel could not be launched");
            }};
}

} // namespace

void scatter_cases(session &s)
{
    if (!s.wants("scatter_add"))
        return;
    std::vector<shape> usual = {{.n = 1 << 16}, {.n = 1 << 20}};
    if (s.on.is_gpu())
        usual.insert(usual.end(), {{.n = 1 << 24}, {.n = 1 << 28}});
    for (const shape &size : s.sizes(usual))
        for (subwave_dtype dtype : s.dtypes(addends, {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64}))
            for (const auto &[kind, cells, skewed] : all_cells) {
                measure_problem p = measure_default(MEASURE_SCATTER_ADD, dtype);
                p.n = size.n;
                p.bins = cells;
                p.skewed = skewed;
                if (size.m || !s.wants_kind(kind))
                    continue;
                std::vector<contender> all;
                for (subwave_order order : {SUBWAVE_ORDER_ANY, SUBWAVE_ORDER_FIXED})
                    all.push_back(ours(subwave_order_name(order),
                                       [order](measure_problem &of) { of.order = order; }));
                for (const scatter_kernel &kernel : registry<scatter_kernel>())
                    if (s.on.is_gpu() && kernel.dtype == dtype)
                        all.push_back(theirs(s.on, kernel));
                for (cache state : s.wishes.caches)
                    if (const int sets = s.sets(state, measure_bytes(&p)))
                        s.run({"scatter_add", dtype, size, state, kind, ""},
                              {.bytes = measure_bytes(&p)}, all, [&s, &p, sets] {
                                  return std::make_unique<call_problem>(s.on, p, sets);
                              });
            }
}

} // namespace bench
