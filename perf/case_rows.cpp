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
#define SUBWAVE_X(name, value, spelling) SUBWAVE_SCAN_##name,
const std::vector<subwave_scan_kind> all_scans = {SUBWAVE_SCAN_LIST(SUBWAVE_X)};
#undef SUBWAVE_X

contender theirs(device &on, const array_peer &peer)
{
    return {
        peer.name, "", peer.version, [&on, &peer](problem &p, int set) {
            const measure_data &data = static_cast<call_problem &>(p).data;
            const measure_problem &of = data.problem;
            const void *const x = measure_at(&data.a, set);
            void *const y = measure_at(&data.c, set), *const stream = on.runtime->stream();
            const auto &[memory, bytes] = library_for<peer_workspace>(on);
            if (of.operation == MEASURE_ROW_SCAN)
                expect_queued(peer.row_scan(stream, of.dtype, of.op, of.scan, of.m, of.n, x, y,
                                            memory, bytes),
                              peer, "written for sums of f32, f64 and i32, up to 2^31 elements");
            else if (of.operation == MEASURE_ROW_MINMAX_INDEX)
                expect_queued(
                    peer.row_minmax_index(stream, of.dtype, of.op, of.m, of.n, x,
                                          static_cast<char *>(y) + of.m * MEASURE_INDEX_BYTES, y,
                                          memory, bytes),
                    peer, "written for f32, f64 and i32, up to 2^31 rows");
            else
                expect_queued(
                    peer.row_reduce(stream, of.dtype, of.op, of.m, of.n, x, y, memory, bytes), peer,
                    "written for sums and maxima of f32, f64 and i32, up to 2^31 "
                    "rows");
        }};
}

bool has_call(const array_peer &peer, measure_operation operation)
{
    return operation == MEASURE_ROW_SCAN           ? peer.row_scan != nullptr
           : operation == MEASURE_ROW_MINMAX_INDEX ? peer.row_minmax_index != nullptr
                                                   : peer.row_reduce != nullptr;
}

void row_case(session &s, const measure_problem &p, const shape &size)
{
    const bool scans = p.operation == MEASURE_ROW_SCAN;
    std::vector<contender> contenders = {ours("", [](measure_problem &) {})};
    for (const array_peer &peer : registry<array_peer>())
        if (s.on.is_gpu() && has_call(peer, p.operation))
            contenders.push_back(theirs(s.on, peer));
    for (cache state : s.wishes.caches)
        if (const int sets = s.sets(state, measure_bytes(&p)))
            s.run({measure_operation_name(p.operation), p.dtype, size, state,
                   scans ? subwave_scan_kind_name(p.scan) : "", subwave_op_name(p.op)},
                  {.bytes = measure_bytes(&p)}, contenders,
                  [&] { return std::make_unique<call_problem>(s.on, p, sets); });
}

} // namespace

/* Sizes are the length of a row, in an array of 2^20 elements, on GPUs of 2^26; or MxNxK, M rows of N,
 * without regard to K. */
void row_cases(session &s)
{
    std::vector<shape> usual = {{.n = 8}, {.n = 300}};
    if (s.on.is_gpu())
        usual = {{.n = 4},    {.n = 8},    {.n = 32},     {.n = 100},
                 {.n = 1024}, {.n = 4096}, {.n = 1 << 20}};
    const std::int64_t all = std::int64_t(1) << (s.on.is_gpu() ? 26 : 20);
    for (shape size : s.sizes(usual)) {
        if (!size.m)
            size.m = size.n < all ? all / size.n : 1;
        size.k = 0;
        for (measure_operation operation :
             {MEASURE_ROW_REDUCE, MEASURE_ROW_SCAN, MEASURE_ROW_MINMAX_INDEX}) {
            if (!s.wants(measure_operation_name(operation)))
                continue;
            for (subwave_dtype dtype : s.dtypes(numbers, {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64}))
                for (subwave_op op : all_ops) {
                    measure_problem p = measure_default(operation, dtype);
                    const bool is_end = op == SUBWAVE_OP_MINIMUM || op == SUBWAVE_OP_MAXIMUM;
                    if (!measure_has_op(dtype, op) || (measure_finds_index(&p) && !is_end) ||
                        !(s.wishes.ops.empty() ? op == p.op : s.wants_op(subwave_op_name(op))))
                        continue;
                    p.op = op;
                    p.m = size.m;
                    p.n = size.n;
                    if (operation != MEASURE_ROW_SCAN) {
                        row_case(s, p, size);
                        continue;
                    }
                    for (subwave_scan_kind scan : all_scans) {
                        p.scan = scan;
                        row_case(s, p, size);
                    }
                }
        }
    }
}

} // namespace bench
