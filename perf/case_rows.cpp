/* SPDX-License-Identifier: MIT
 * case_rows.cpp: the operations on the rows of a matrix, beside the segmented ones of the device's
 * own libraries.
 */
#include "../hip/kernels.def"
#include "array_peer.hpp"
#include "bench.hpp"

namespace bench {
namespace {

#define SUBWAVE_X(operation, dtype, type) SUBWAVE_DTYPE_##dtype,
const std::vector<subwave_dtype> numbers = {SUBWAVE_KERNELS_row_reduce(SUBWAVE_X)};
#undef SUBWAVE_X
#define SUBWAVE_X(name, value, spelling, floating) SUBWAVE_OP_##name,
const std::vector<subwave_op> all_ops = {SUBWAVE_OP_LIST(SUBWAVE_X)};
#undef SUBWAVE_X

contender theirs(device &on, const array_peer &peer)
{
    return {peer.name, "", peer.version, [&on, &peer](problem &p, int set) {
                const measure_data &data = static_cast<call_problem &>(p).data;
                const measure_problem &of = data.problem;
                const peer_call became =
                    peer.row_reduce(on.runtime->stream(), of.dtype, of.op, of.m, of.n,
                                    measure_at(&data.a, set), measure_at(&data.c, set),
                                    library_for<peer_workspace>(on).memory, peer_workspace::BYTES);
                expect_queued(became, peer,
                              "written for sums and maxima of f32, f64 and i32, up to 2^31 rows");
            }};
}

} // namespace

/* Sizes are the length of a row, in an array of 2^20 elements, on GPUs of 2^26; or MxNxK, M rows of N,
 * without regard to K. */
void row_cases(session &s)
{
    if (!s.wants("row_reduce"))
        return;
    std::vector<shape> usual = {{.n = 8}, {.n = 300}};
    if (s.on.is_gpu())
        usual = {{.n = 4},    {.n = 8},    {.n = 32},     {.n = 100},
                 {.n = 1024}, {.n = 4096}, {.n = 1 << 20}};
    const std::int64_t all = std::int64_t(1) << (s.on.is_gpu() ? 26 : 20);
    for (shape size : s.sizes(usual)) {
        if (!size.m)
            size.m = size.n < all ? all / size.n : 1;
        size.k = 0;
        for (subwave_dtype dtype : s.dtypes(numbers, {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64}))
            for (subwave_op op : all_ops) {
                measure_problem p = measure_default(MEASURE_ROW_REDUCE, dtype);
                if (!measure_has_op(dtype, op) ||
                    !(s.wishes.ops.empty() ? op == p.op : s.wants_op(subwave_op_name(op))))
                    continue;
                p.op = op;
                p.m = size.m;
                p.n = size.n;
                std::vector<contender> contenders = {ours("", [](measure_problem &) {})};
                for (const array_peer &peer : registry<array_peer>())
                    if (s.on.is_gpu() && peer.row_reduce)
                        contenders.push_back(theirs(s.on, peer));
                for (cache state : s.wishes.caches)
                    if (const int sets = s.sets(state, measure_bytes(&p)))
                        s.run({"row_reduce", dtype, size, state, "", subwave_op_name(op)},
                              {.bytes = measure_bytes(&p)}, contenders,
                              [&] { return std::make_unique<call_problem>(s.on, p, sets); });
            }
    }
}

} // namespace bench
