/* SPDX-License-Identifier: MIT
 * case_group.cpp: the group calls over arrays: every function, kind, operation and element type.
 * The copy is what bounds them; on the CPU device a plain C++ loop is beside reduce and scan.
 */
#include "../hip/kernels.def"
#include "bench.hpp"

namespace bench {
namespace {

enum { BLOCK = 256 };

#define SUBWAVE_X(operation, dtype, type) SUBWAVE_DTYPE_##dtype,
const std::vector<subwave_dtype> numbers = {SUBWAVE_KERNELS_group_reduce(SUBWAVE_X)};
#undef SUBWAVE_X
#define SUBWAVE_X(name, ...) SUBWAVE_DTYPE_##name,
const std::vector<subwave_dtype> all_dtypes = {SUBWAVE_DTYPE_LIST(SUBWAVE_X)};
#undef SUBWAVE_X
#define SUBWAVE_X(name, value, spelling, floating) SUBWAVE_OP_##name,
const std::vector<subwave_op> all_ops = {SUBWAVE_OP_LIST(SUBWAVE_X)};
#undef SUBWAVE_X

bool combines(const measure_problem &p)
{
    return p.operation == MEASURE_GROUP_REDUCE || p.operation == MEASURE_GROUP_SCAN;
}

/* --- the plain loop -------------------------------------------------------------------------- */

/* Sums, or running sums, of what `class_of(i)` tells apart in each wave. */
template <class T, class ClassOf>
void plain_sums(const measure_data &data, int set, std::int64_t wave, ClassOf class_of)
{
    const T *x = static_cast<const T *>(measure_at(&data.a, set));
    T *y = static_cast<T *>(measure_at(&data.c, set));
    const bool running = data.problem.operation == MEASURE_GROUP_SCAN;
    for (std::int64_t first = 0; first < data.problem.n; first += wave) {
        T sum[64] = {};
        for (std::int64_t i = first; i < first + wave; ++i) {
            sum[class_of(i)] += x[i];
            if (running)
                y[i] = sum[class_of(i)];
        }
        for (std::int64_t i = first; !running && i < first + wave; ++i)
            y[i] = sum[class_of(i)];
    }
}

template <class T> void plain_loop(const measure_data &data, int set)
{
    const subwave_group &g = data.problem.group;
    const void *choice = measure_at(&data.choice, set);
    if (g.kind == SUBWAVE_GROUP_BALLOT)
        plain_sums<T>(data, set, data.wave,
                      [of = static_cast<const std::uint8_t *>(choice)](auto i) { return of[i]; });
    else if (g.kind == SUBWAVE_GROUP_TANGLE || g.kind == SUBWAVE_GROUP_OPPORTUNISTIC)
        plain_sums<T>(data, set, data.wave,
                      [of = static_cast<const std::int32_t *>(choice)](auto i) { return of[i]; });
    else /* runs of neighbours */
        plain_sums<T>(data, set, g.kind == SUBWAVE_GROUP_FIXED_SIZE ? g.fixed_size : data.wave,
                      [](auto) { return 0; });
}

contender plain()
{
    return {"plain loop", "", SUBWAVE_BENCH_C_COMPILER, [](problem &p, int set) {
                const measure_data &data = static_cast<call_problem &>(p).data;
                const subwave_dtype dtype = data.problem.dtype;
                if (dtype == SUBWAVE_DTYPE_F32)
                    plain_loop<float>(data, set);
                else if (dtype == SUBWAVE_DTYPE_F64)
                    plain_loop<double>(data, set);
                else if (dtype == SUBWAVE_DTYPE_I32 || dtype == SUBWAVE_DTYPE_U32)
                    plain_loop<std::uint32_t>(data, set); /* it wraps */
                else
                    throw unsupported("written for f32, f64, i32 and u32");
            }};
}

/* --- cases ----------------------------------------------------------------------------------- */

struct kind {
    subwave_group_kind kind;
    int size; /* of a fixed-size group */
};

/* Every kind, and fixed-size groups of 8; of every size on demand. */
std::vector<kind> kinds_of(const session &s)
{
    std::vector<kind> kinds = {{SUBWAVE_GROUP_SUB_GROUP, 1}, {SUBWAVE_GROUP_BALLOT, 1}};
    for (int size = 2; size <= s.on.wave(); size *= 2)
        if (size == 8 || !s.wishes.kinds.empty())
            kinds.push_back({SUBWAVE_GROUP_FIXED_SIZE, size});
    kinds.push_back({SUBWAVE_GROUP_TANGLE, 1});
    kinds.push_back({SUBWAVE_GROUP_OPPORTUNISTIC, 1});
    return kinds;
}

std::vector<measure_problem> problems_of(const session &s, measure_operation operation,
                                         const kind &k, std::int64_t n)
{
    measure_problem p = measure_default(operation, SUBWAVE_DTYPE_U8);
    p.n = n;
    p.group.kind = k.kind;
    p.group.fixed_size = k.size;
    std::vector<subwave_dtype> dtypes = {SUBWAVE_DTYPE_U8}; /* of vote and info */
    if (operation != MEASURE_GROUP_VOTE && operation != MEASURE_GROUP_INFO)
        dtypes = s.dtypes(combines(p) ? numbers : all_dtypes,
                          {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64, SUBWAVE_DTYPE_U32});
    std::vector<measure_problem> problems;
    for (subwave_dtype dtype : dtypes) {
        p.dtype = dtype;
        if (!combines(p))
            problems.push_back(p);
        for (subwave_op op : all_ops)
            if (combines(p) && s.wants_op(subwave_op_name(op)) && measure_has_op(dtype, op)) {
                problems.push_back(p);
                problems.back().op = op;
            }
    }
    return problems;
}

} // namespace

void group_cases(session &s)
{
    for (int number = MEASURE_GROUP_REDUCE; number <= MEASURE_GROUP_INFO; ++number) {
        const auto operation = static_cast<measure_operation>(number);
        const char *called = measure_operation_name(operation);
        if (!s.wants(called))
            continue;
        for (const shape &size : s.sizes({{.n = s.on.is_gpu() ? 1 << 24 : 1 << 16}}))
            for (const kind &k : kinds_of(s)) {
                std::string name = subwave_group_kind_name(k.kind);
                if (k.kind == SUBWAVE_GROUP_FIXED_SIZE)
                    name.append(" ").append(std::to_string(k.size));
                if (!s.wants_kind(name) || size.m || size.n % BLOCK)
                    continue;
                for (const measure_problem &p : problems_of(s, operation, k, size.n))
                    for (cache state : s.wishes.caches) {
                        const int sets = s.sets(state, measure_bytes(&p));
                        if (!sets)
                            continue;
                        std::vector<contender> contenders = {ours("", [](measure_problem &) {})};
                        if (!s.on.is_gpu() && combines(p) && p.op == SUBWAVE_OP_PLUS)
                            contenders.push_back(plain());
                        s.run({called, p.dtype, size, state, name,
                               combines(p) ? subwave_op_name(p.op) : ""},
                              {.bytes = measure_bytes(&p)}, contenders,
                              [&] { return std::make_unique<call_problem>(s.on, p, sets); });
                    }
            }
    }
}

} // namespace bench
