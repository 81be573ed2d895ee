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
const std::vector<subwave_dtype> factors = {SUBWAVE_KERNELS_dot(SUBWAVE_X)};
#undef SUBWAVE_X
#define SUBWAVE_X(name, ...) SUBWAVE_DTYPE_##name,
const std::vector<subwave_dtype> all_types = {SUBWAVE_DTYPE_LIST(SUBWAVE_X)};
#undef SUBWAVE_X
#define SUBWAVE_X(name, value, spelling, floating) SUBWAVE_OP_##name,
const std::vector<subwave_op> all_ops = {SUBWAVE_OP_LIST(SUBWAVE_X)};
#undef SUBWAVE_X
#define SUBWAVE_X(name, value, spelling) SUBWAVE_ORDER_##name,
const std::vector<subwave_order> all_orders = {SUBWAVE_ORDER_LIST(SUBWAVE_X)};
#undef SUBWAVE_X

#define SUBWAVE_X(name, value, spelling) SUBWAVE_SCAN_##name,
const std::vector<subwave_scan_kind> all_scans = {SUBWAVE_SCAN_LIST(SUBWAVE_X)};
#undef SUBWAVE_X

bool is_product_sum(const measure_problem &of)
{
    return of.operation == MEASURE_DOT || of.operation == MEASURE_NORM2;
}

/* What is appended is what is compacted, but for its order. */
selection selection_of(const measure_problem &of)
{
    switch (of.operation) {
    case MEASURE_APPEND:
        return of.comparison ? selection::less : selection::flagged;
    case MEASURE_COMPACT:
        return selection::flagged;
    case MEASURE_COMPACT_IF:
        return selection::less;
    case MEASURE_PARTITION:
        return selection::partition_flagged;
    case MEASURE_PARTITION_IF:
        return selection::partition_less;
    default:
        return selection::unlike;
    }
}

contender theirs(device &on, const array_peer &peer)
{
    return {peer.name, "", peer.version, [&on, &peer](problem &p, int set) {
                const measure_data &data = static_cast<call_problem &>(p).data;
                const measure_problem &of = data.problem;
                void *const stream = on.runtime->stream(), *x = measure_at(&data.a, set),
                            *y = measure_at(&data.c, set);
                const auto &[workspace, bytes] = library_for<peer_workspace>(on);
                const peer_call became =
                    measure_is_selection(&of)
                        ? peer.select(
                              stream, selection_of(of), of.dtype, of.n, x, measure_at(&data.b, set),
                              static_cast<char *>(y) + MEASURE_COUNT_BYTES, y, workspace, bytes)
                    : of.operation == MEASURE_SCAN
                        ? peer.scan(stream, of.dtype, of.op, of.scan, of.n, x, y, workspace, bytes)
                    : of.operation == MEASURE_MINMAX_INDEX
                        ? peer.minmax_index(stream, of.dtype, of.op, of.n, x,
                                            static_cast<char *>(y) + MEASURE_INDEX_BYTES, y,
                                            workspace, bytes)
                    : of.operation == MEASURE_SEGMENTED_REDUCE
                        ? peer.segmented_reduce(
                              stream, of.dtype, of.op, of.segments,
                              static_cast<const std::int64_t *>(measure_at(&data.id, set)), x, y,
                              workspace, bytes)
                    : of.operation == MEASURE_SEGMENTED_SCAN
                        ? peer.segmented_scan(
                              stream, of.dtype, of.op, of.scan, of.n,
                              static_cast<const std::uint32_t *>(measure_at(&data.b, set)), x, y,
                              workspace, bytes)
                        : peer.reduce(stream, of.dtype, of.op, of.n, x, y, workspace, bytes);
                expect_queued(became, peer,
                              "written for sums, for the minimum or maximum of all elements "
                              "and for selections, of f32, f64 and i32, up to 2^31");
            }};
}

contender theirs(device &on, const append_kernel &kernel)
{
    return {"one atomic each", "", "", [&on, &kernel](problem &p, int set) {
                const measure_data &data = static_cast<call_problem &>(p).data;
                char *const count = static_cast<char *>(measure_at(&data.c, set));
                if (kernel.launch(on.runtime->stream(), data.problem.n, measure_at(&data.b, set),
                                  measure_at(&data.a, set), count + MEASURE_COUNT_BYTES,
                                  count) != 0)
                    throw failure("a kernel could not be launched");
            }};
}

/* A dot product or a norm by BLAS. */
contender theirs(device &on, const blas &peer)
{
    return {peer.name, "", peer.version(), [&on, &peer](problem &p, int set) {
                const measure_data &data = static_cast<call_problem &>(p).data;
                const measure_problem &of = data.problem;
                if (of.operation == MEASURE_DOT)
                    peer.dot(on, of.dtype, of.n, measure_at(&data.a, set), measure_at(&data.b, set),
                             measure_at(&data.c, set));
                else
                    peer.norm2(on, of.dtype, of.n, measure_at(&data.a, set),
                               measure_at(&data.c, set));
            }};
}

std::vector<contender> contenders_of(session &s, const measure_problem &of)
{
    std::vector<contender> all;
    const bool has_orders = of.operation == MEASURE_REDUCE || is_product_sum(of);
    if (!has_orders)
        all.push_back(ours("", [](measure_problem &) {}));
    for (subwave_order order : all_orders)
        if (has_orders && order != SUBWAVE_ORDER_ANY) /* here the same as DEVICE */
            all.push_back(
                ours(subwave_order_name(order), [order](measure_problem &p) { p.order = order; }));
    if (is_product_sum(of)) {
        for (const blas &peer : registry<blas>())
            if (s.on.is_gpu() == peer.on_gpu && peer.dot && peer.norm2)
                all.push_back(theirs(s.on, peer));
        return all;
    }
    for (const array_peer &peer : registry<array_peer>())
        if (s.on.is_gpu() && (of.operation != MEASURE_MINMAX_INDEX || peer.minmax_index) &&
            (!measure_is_selection(&of) || peer.select) &&
            (of.operation != MEASURE_SEGMENTED_REDUCE || peer.segmented_reduce) &&
            (of.operation != MEASURE_SEGMENTED_SCAN || peer.segmented_scan))
            all.push_back(theirs(s.on, peer));
    for (const append_kernel &kernel : registry<append_kernel>())
        if (s.on.is_gpu() && of.operation == MEASURE_APPEND && !of.comparison &&
            kernel.dtype == of.dtype)
            all.push_back(theirs(s.on, kernel));
    return all;
}

/* All problems of an operation that are asked for, with their names. */
struct named_problem {
    std::string kind;
    measure_problem problem;
};

/* Segments of these lengths, in the mean; of all elements where it is 0. */
constexpr struct {
    const char *name;
    measure_lengths lengths;
    std::int64_t mean;
} segment_kinds[] = {
    {"random 0 to 1000", MEASURE_LENGTHS_RANDOM, 500},
    {"power law", MEASURE_LENGTHS_POWER, 500},
    {"of 8", MEASURE_LENGTHS_EQUAL, 8},
    {"one segment", MEASURE_LENGTHS_EQUAL, 0},
    {"half are empty", MEASURE_LENGTHS_HALF_EMPTY, 8},
};

std::vector<named_problem> problems_of(const session &s, measure_operation operation,
                                       subwave_dtype dtype, std::int64_t n)
{
    std::vector<named_problem> problems;
    measure_problem p = measure_default(operation, dtype);
    p.n = n;
    p.keyed = operation == MEASURE_SEGMENTED_SCAN && s.on.is_gpu(); /* for peers */
    if (operation == MEASURE_APPEND) {
        problems.push_back({"flags", p});
        p.comparison = SUBWAVE_COMPARISON_LESS;
        if (measure_parts(dtype) == 1)
            problems.push_back({"less", p});
        return problems;
    }
    if (is_product_sum(p) || measure_is_selection(&p))
        return {{"", p}};
    const subwave_op usual = p.op;
    const bool finds = operation == MEASURE_MINMAX_INDEX;
    for (subwave_op op : all_ops) {
        if (!measure_has_op(dtype, op) ||
            (finds && op != SUBWAVE_OP_MINIMUM && op != SUBWAVE_OP_MAXIMUM) ||
            !(s.wishes.ops.empty() ? op == usual : s.wants_op(subwave_op_name(op))))
            continue;
        p.op = op;
        for (const auto &kind : segment_kinds)
            if (measure_has_segments(&p)) {
                p.lengths = kind.lengths;
                p.segments = kind.mean ? n / kind.mean + 1 : 1;
                problems.push_back({kind.name, p});
            }
        if (operation != MEASURE_SCAN && !measure_has_segments(&p))
            problems.push_back({"", p});
        for (subwave_scan_kind scan : all_scans) {
            p.scan = scan;
            if (operation == MEASURE_SCAN)
                problems.push_back({subwave_scan_kind_name(scan), p});
        }
    }
    return problems;
}

} // namespace

void expect_queued(peer_call became, const array_peer &peer, const char *written)
{
    if (became == peer_call::not_written)
        throw unsupported(written);
    if (became == peer_call::too_large)
        throw unsupported("needs more workspace than it was given");
    if (became == peer_call::failed)
        throw failure(std::string(peer.name) + " failed");
}

void array_cases(session &s)
{
    for (measure_operation operation :
         {MEASURE_REDUCE, MEASURE_SCAN, MEASURE_DOT, MEASURE_NORM2, MEASURE_MINMAX_INDEX,
          MEASURE_COMPACT, MEASURE_COMPACT_IF, MEASURE_PARTITION, MEASURE_PARTITION_IF,
          MEASURE_UNIQUE, MEASURE_APPEND, MEASURE_SEGMENTED_REDUCE, MEASURE_SEGMENTED_SCAN}) {
        const measure_problem example = measure_default(operation, SUBWAVE_DTYPE_F32);
        const bool multiplies = is_product_sum(example),
                   has_op = !multiplies && !measure_is_selection(&example);
        const std::vector<subwave_dtype> &dtypes =
            multiplies                                                            ? factors
            : measure_is_selection(&example) && !measure_has_comparison(&example) ? all_types
                                                                                  : numbers;
        const char *called = measure_operation_name(operation);
        if (!s.wants(called))
            continue;
        std::vector<shape> usual = {{.n = 1 << 16}, {.n = 1 << 20}};
        if (s.on.is_gpu())
            usual.insert(usual.end(), {{.n = 1 << 24}, {.n = 1 << 28}});
        for (const shape &size : s.sizes(usual))
            for (subwave_dtype dtype : s.dtypes(dtypes, {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64})) {
                if (size.m)
                    continue;
                for (const auto &[kind, p] : problems_of(s, operation, dtype, size.n))
                    for (cache state : s.wishes.caches)
                        if (const int sets = s.sets(state, measure_bytes(&p)))
                            s.run({called, dtype, size, state, kind,
                                   has_op ? subwave_op_name(p.op) : ""},
                                  {.bytes = measure_bytes(&p)}, contenders_of(s, p),
                                  [&s, &p = p, sets] {
                                      return std::make_unique<call_problem>(s.on, p, sets);
                                  });
            }
    }
}

} // namespace bench
