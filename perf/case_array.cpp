/* SPDX-License-Identifier: MIT
 * case_array.cpp: the operations on whole arrays, in both orders, beside the device's own libraries.
 */
#include "../hip/kernels.def"
#include "array_peer.hpp"
#include "bench.hpp"
#include "registry.hpp"

namespace bench {
namespace {

#define SUBWAVE_X(operation, dtype, type) SUBWAVE_DTYPE_##dtype,
const std::vector<subwave_dtype> numbers = {SUBWAVE_KERNELS_reduce(SUBWAVE_X)};
#undef SUBWAVE_X
#define SUBWAVE_X(name, value, spelling, floating) SUBWAVE_OP_##name,
const std::vector<subwave_op> all_ops = {SUBWAVE_OP_LIST(SUBWAVE_X)};
#undef SUBWAVE_X
#define SUBWAVE_X(name, value, spelling) SUBWAVE_ORDER_##name,
const std::vector<subwave_order> all_orders = {SUBWAVE_ORDER_LIST(SUBWAVE_X)};
#undef SUBWAVE_X

/* Memory for the peers, so that none allocates inside the graph that is timed. */
struct peer_workspace {
    enum { BYTES = 64 << 20 };
    explicit peer_workspace(device &on) { on.expect(subwave_malloc(on.context, &memory, BYTES)); }
    void *memory = nullptr;
};

contender theirs(device &on, const array_peer &peer)
{
    return {peer.name, "", peer.version, [&on, &peer](problem &p, int set) {
                const measure_data &data = static_cast<call_problem &>(p).data;
                void *workspace = library_for<peer_workspace>(on).memory;
                const peer_call became =
                    peer.reduce(on.runtime->stream(), data.problem.dtype, data.problem.op,
                                data.problem.n, measure_at(&data.a, set), measure_at(&data.c, set),
                                workspace, peer_workspace::BYTES);
                if (became == peer_call::not_written)
                    throw unsupported(
                        "written for sums and maxima of f32, f64 and i32, up to 2^31");
                if (became == peer_call::failed)
                    throw failure(std::string(peer.name) + " failed");
            }};
}

std::vector<contender> contenders_of(session &s)
{
    std::vector<contender> all;
    for (subwave_order order : all_orders)
        all.push_back(
            ours(subwave_order_name(order), [order](measure_problem &p) { p.order = order; }));
    for (const array_peer &peer : registry<array_peer>())
        if (s.on.is_gpu())
            all.push_back(theirs(s.on, peer));
    return all;
}

} // namespace

void array_cases(session &s)
{
    const char *called = measure_operation_name(MEASURE_REDUCE);
    if (!s.wants(called))
        return;
    std::vector<shape> usual = {{.n = 1 << 16}, {.n = 1 << 20}};
    if (s.on.is_gpu())
        usual.insert(usual.end(), {{.n = 1 << 24}, {.n = 1 << 28}});
    for (const shape &size : s.sizes(usual))
        for (subwave_dtype dtype : s.dtypes(numbers, {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64}))
            for (subwave_op op : all_ops) {
                if (size.m || !measure_has_op(dtype, op) ||
                    !(s.wishes.ops.empty() ? op == SUBWAVE_OP_PLUS
                                           : s.wants_op(subwave_op_name(op))))
                    continue;
                measure_problem p = measure_default(MEASURE_REDUCE, dtype);
                p.n = size.n;
                p.op = op;
                for (cache state : s.wishes.caches)
                    if (const int sets = s.sets(state, measure_bytes(&p)))
                        s.run({called, dtype, size, state, "", subwave_op_name(op)},
                              {.bytes = measure_bytes(&p)}, contenders_of(s),
                              [&] { return std::make_unique<call_problem>(s.on, p, sets); });
            }
}

} // namespace bench
