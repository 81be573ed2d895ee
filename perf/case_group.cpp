/* SPDX-License-Identifier: MIT
 * case_group.cpp: the group calls over arrays: every function, kind, operation and element type. The copy
 * is what bounds them; on the CPU device a plain C++ loop is beside reduce and scan.
 */
#include "../hip/kernels.def"
#include "bench.hpp"

extern "C" {
#include "../tests/reference.h"
}

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace bench {
namespace {

enum { BLOCK = 256, BRANCHES = 3 };

#define SUBWAVE_X(operation, dtype, type) SUBWAVE_DTYPE_##dtype,
const std::vector<subwave_dtype> numbers = {SUBWAVE_KERNELS_group_reduce(SUBWAVE_X)};
#undef SUBWAVE_X
#define SUBWAVE_X(name, ...) SUBWAVE_DTYPE_##name,
const std::vector<subwave_dtype> all_dtypes = {SUBWAVE_DTYPE_LIST(SUBWAVE_X)};
#undef SUBWAVE_X
#define SUBWAVE_X(name, value, spelling, floating) SUBWAVE_OP_##name,
const std::vector<subwave_op> all_ops = {SUBWAVE_OP_LIST(SUBWAVE_X)};
#undef SUBWAVE_X

/* What group function, over what. */
struct question {
    std::string function; /* "reduce" and so on: the operation without its prefix */
    subwave_dtype dtype;
    subwave_op op;
    subwave_group_kind kind;
    int fixed_size;
    std::int64_t n;

    bool by_predicate() const { return kind == SUBWAVE_GROUP_BALLOT; }
    bool by_key() const
    {
        return kind == SUBWAVE_GROUP_TANGLE || kind == SUBWAVE_GROUP_OPPORTUNISTIC;
    }
    bool combines() const { return function == "reduce" || function == "scan"; }
    std::size_t x_size() const { return function == "info" ? 0 : subwave_dtype_size(dtype); }
    std::size_t y_size() const
    {
        return function == "info" ? sizeof(subwave_group_item) : subwave_dtype_size(dtype);
    }
    double bytes() const
    {
        const std::size_t each = x_size() + y_size() + (by_predicate() ? sizeof(std::uint8_t) : 0) +
                                 (by_key() ? sizeof(std::int32_t) : 0) +
                                 (function == "select" ? sizeof(std::uint32_t) : 0);
        return static_cast<double>(each) * static_cast<double>(n);
    }
};

/* The lane that holds what is `rank`th of the members; `own` where there are not so many. */
int member(std::uint64_t members, std::uint32_t rank, int own)
{
    if (rank >= static_cast<std::uint32_t>(std::popcount(members)))
        return own;
    for (; rank > 0; --rank)
        members &= members - 1;
    return std::countr_zero(members);
}

class group_problem : public problem {
public:
    group_problem(const device &on, const question &asked, int count)
        : q(asked), x(on, bytes(q.x_size()), count), y(on, bytes(q.y_size()), count),
          choice(on, bytes(sizeof(std::int32_t)), count),
          id(on, bytes(sizeof(std::uint32_t)), count), on_(on)
    {
        sets = count;
        bound = q.combines() ? 64 * epsilon(q.dtype) : 0;
        if (q.x_size())
            x_ = encode(q.dtype, random_values(q.dtype, q.n, 1));
        x.fill(x_.data());
        const std::vector<double> small = random_values(SUBWAVE_DTYPE_U32, q.n, 2); /* 0 to 7 */
        std::vector<std::int32_t> keys;
        std::vector<std::uint8_t> predicates;
        for (const double value : small) {
            keys.push_back(static_cast<int>(value) % BRANCHES);
            predicates.push_back(value < 3);
            ids_.push_back(static_cast<std::uint32_t>(value));
        }
        predicates.resize(bytes(sizeof(std::int32_t)));
        choice.fill(q.by_key() ? static_cast<const void *>(keys.data()) : predicates.data());
        id.fill(ids_.data());
    }

    void poison() override { y.poison(sets - 1); }

    void queue(int set, void *members = nullptr) const
    {
        subwave_group g = {};
        g.kind = q.kind;
        g.block[0] = BLOCK;
        g.block[1] = g.block[2] = 1;
        g.fixed_size = q.fixed_size;
        g.branches = BRANCHES;
        g.predicate = static_cast<const std::uint8_t *>(choice[set]);
        g.key = static_cast<const std::int32_t *>(choice[set]);
        g.members = static_cast<std::uint64_t *>(members);
        on_.expect(call(on_.context, g, x[set], y[set], id[set]));
    }

    /* The largest error of an element, relative to the members' sum of magnitudes where it is a sum;
     * anything else is right or infinitely wrong. Whole waves, about 100,000 elements. The members are
     * what the library says: the tests hold them against their definition. */
    double error() override
    {
        const rotating_array members(on_, bytes(sizeof(std::uint64_t)), 1);
        members.poison(0);
        std::vector<unsigned char> found = y.read(sets - 1);
        queue(sets - 1, members[0]);
        const std::vector<unsigned char> told = members.read(0);
        if (q.kind == SUBWAVE_GROUP_OPPORTUNISTIC) /* they are of this call alone */
            found = y.read(sets - 1);

        const std::int64_t wave = on_.wave(), waves = q.n / wave;
        const std::int64_t step = 1 + waves * wave / 100000;
        double worst = 0;
        for (std::int64_t w = 0; w < waves; w += step) {
            std::uint64_t lanes[64];
            std::memcpy(lanes, &told[static_cast<std::size_t>(w * wave) * sizeof *lanes],
                        static_cast<std::size_t>(wave) * sizeof *lanes);
            for (int lane = 0; lane < wave; ++lane) {
                const double off = lanes[lane] >> lane & 1
                                       ? error_of(found, w * wave, lane, lanes[lane])
                                       : INFINITY;
                worst = std::isnan(off) ? INFINITY : std::max(worst, off);
            }
        }
        return worst;
    }

    question q;
    rotating_array x, y, choice, id;

private:
    std::size_t bytes(std::size_t of_each) const { return of_each * static_cast<std::size_t>(q.n); }

    subwave_status call(subwave_context *c, const subwave_group &g, const void *from, void *to,
                        const void *ids) const
    {
        if (q.function == "reduce")
            return subwave_group_reduce(c, q.dtype, q.op, &g, q.n, nullptr, from, to);
        if (q.function == "scan")
            return subwave_group_scan(c, q.dtype, q.op, SUBWAVE_SCAN_INCLUSIVE, &g, q.n, nullptr,
                                      from, to);
        if (q.function == "broadcast")
            return subwave_group_broadcast(c, q.dtype, &g, q.n, 1, from, to);
        if (q.function == "shift")
            return subwave_group_shift(c, q.dtype, SUBWAVE_SHIFT_LEFT, &g, q.n, 1, from, to);
        if (q.function == "permute")
            return subwave_group_permute(c, q.dtype, &g, q.n, 1, from, to);
        if (q.function == "select")
            return subwave_group_select(c, q.dtype, &g, q.n,
                                        static_cast<const std::uint32_t *>(ids), from, to);
        if (q.function == "vote")
            return subwave_group_vote(c, SUBWAVE_VOTE_ALL, &g, q.n,
                                      static_cast<const std::uint8_t *>(from),
                                      static_cast<std::uint8_t *>(to));
        return subwave_group_info(c, &g, q.n, static_cast<subwave_group_item *>(to));
    }

    double error_of(const std::vector<unsigned char> &found, std::int64_t first, int lane,
                    std::uint64_t members) const
    {
        const std::int64_t i = first + lane;
        const auto rank =
            static_cast<std::uint32_t>(std::popcount(members & ((std::uint64_t(1) << lane) - 1)));
        if (q.function == "info") {
            subwave_group_item item;
            std::memcpy(&item, &found[static_cast<std::size_t>(i) * sizeof item], sizeof item);
            return item.local_id == rank && item.lane == static_cast<std::uint32_t>(lane) &&
                           item.local_range == static_cast<std::uint32_t>(std::popcount(members))
                       ? 0
                       : INFINITY;
        }
        if (q.combines() || q.function == "vote") {
            std::uint64_t at[64] = {};
            double magnitude = 0;
            for (std::uint64_t rest = members; rest; rest &= rest - 1) {
                const int other = std::countr_zero(rest);
                at[other] = reference_load(q.dtype, x_.data(), first + other);
                if (is_floating(q.dtype))
                    magnitude += std::fabs(reference_decode(q.dtype, at[other]));
            }
            std::uint64_t right = 1;
            if (q.function == "vote") {
                for (std::uint64_t rest = members; rest; rest &= rest - 1)
                    right &= at[std::countr_zero(rest)] != 0;
            } else if (q.function == "scan") {
                reference_scan(q.dtype, q.op, members, at);
                right = at[lane];
            } else {
                right = reference_reduce(q.dtype, q.op, members, at);
            }
            const std::uint64_t got = reference_load(q.dtype, found.data(), i);
            if (reference_same(q.dtype, right, got))
                return 0;
            return is_floating(q.dtype) ? std::fabs(reference_decode(q.dtype, right) -
                                                    reference_decode(q.dtype, got)) /
                                              magnitude
                                        : INFINITY;
        }
        const std::uint32_t wanted = q.function == "broadcast" ? 1
                                     : q.function == "shift"   ? rank + 1
                                     : q.function == "permute" ? rank ^ 1
                                                               : ids_[static_cast<std::size_t>(i)];
        const std::size_t size = q.x_size();
        const auto from = static_cast<std::size_t>(first + member(members, wanted, lane));
        return std::memcmp(&found[static_cast<std::size_t>(i) * size], &x_[from * size], size) == 0
                   ? 0
                   : INFINITY;
    }

    const device &on_;
    std::vector<unsigned char> x_;
    std::vector<std::uint32_t> ids_;
};

/* --- the plain loop --------------------------------------------------------------------------- */

/* Sums, or running sums, of what `class_of(i)` tells apart in each wave. */
template <class T, class ClassOf>
void plain_sums(const group_problem &p, int set, std::int64_t wave, ClassOf class_of)
{
    const T *x = static_cast<const T *>(p.x[set]);
    T *y = static_cast<T *>(p.y[set]);
    const bool running = p.q.function == "scan";
    for (std::int64_t first = 0; first < p.q.n; first += wave) {
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

template <class T> void plain_loop(const group_problem &p, int set, int wave)
{
    if (p.q.by_predicate())
        plain_sums<T>(
            p, set, wave,
            [of = static_cast<const std::uint8_t *>(p.choice[set])](auto i) { return of[i]; });
    else if (p.q.by_key())
        plain_sums<T>(
            p, set, wave,
            [of = static_cast<const std::int32_t *>(p.choice[set])](auto i) { return of[i]; });
    else /* runs of neighbours */
        plain_sums<T>(p, set, p.q.kind == SUBWAVE_GROUP_FIXED_SIZE ? p.q.fixed_size : wave,
                      [](auto) { return 0; });
}

contender plain(const device &on)
{
    return {"plain loop", "", SUBWAVE_BENCH_C_COMPILER, [&on](problem &p, int set) {
                const auto &g = static_cast<group_problem &>(p);
                if (g.q.dtype == SUBWAVE_DTYPE_F32)
                    plain_loop<float>(g, set, on.wave());
                else if (g.q.dtype == SUBWAVE_DTYPE_F64)
                    plain_loop<double>(g, set, on.wave());
                else if (g.q.dtype == SUBWAVE_DTYPE_I32 || g.q.dtype == SUBWAVE_DTYPE_U32)
                    plain_loop<std::uint32_t>(g, set, on.wave()); /* it wraps */
                else
                    throw unsupported("written for f32, f64, i32 and u32");
            }};
}

/* --- cases ------------------------------------------------------------------------------------ */

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

std::vector<question> questions_of(const session &s, const std::string &function, const kind &k,
                                   std::int64_t n)
{
    const bool combines = function == "reduce" || function == "scan";
    std::vector<subwave_dtype> dtypes = {SUBWAVE_DTYPE_U8}; /* of vote and info */
    if (function != "vote" && function != "info")
        dtypes = s.dtypes(combines ? numbers : all_dtypes,
                          {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64, SUBWAVE_DTYPE_U32});
    std::vector<question> questions;
    for (subwave_dtype dtype : dtypes) {
        const question q = {function, dtype, SUBWAVE_OP_LOGICAL_AND, k.kind, k.size, n};
        if (!combines)
            questions.push_back(q);
        for (subwave_op op : all_ops)
            if (combines && s.wants_op(subwave_op_name(op)) && reference_has_op(dtype, op)) {
                questions.push_back(q);
                questions.back().op = op;
            }
    }
    return questions;
}

} // namespace

void group_cases(session &s)
{
    for (const char *operation : {"group_reduce", "group_scan", "group_broadcast", "group_shift",
                                  "group_permute", "group_select", "group_vote", "group_info"}) {
        if (!s.wants(operation))
            continue;
        const std::string function = std::strchr(operation, '_') + 1;
        for (const shape &size : s.sizes({{.n = s.on.is_gpu() ? 1 << 24 : 1 << 16}}))
            for (const kind &k : kinds_of(s)) {
                std::string name = subwave_group_kind_name(k.kind);
                if (k.kind == SUBWAVE_GROUP_FIXED_SIZE)
                    name.append(" ").append(std::to_string(k.size));
                if (!s.wants_kind(name) || size.m || size.n % BLOCK)
                    continue;
                for (const question &q : questions_of(s, function, k, size.n))
                    for (cache state : s.wishes.caches) {
                        const int sets = s.sets(state, q.bytes());
                        if (!sets)
                            continue;
                        std::vector<contender> contenders = {
                            {"subwave", "", subwave_version(), [](problem &p, int set) {
                                 static_cast<group_problem &>(p).queue(set);
                             }}};
                        if (!s.on.is_gpu() && q.combines() && q.op == SUBWAVE_OP_PLUS)
                            contenders.push_back(plain(s.on));
                        s.run({operation, q.dtype, size, state, name,
                               q.combines() ? subwave_op_name(q.op) : ""},
                              {.bytes = q.bytes()}, contenders,
                              [&] { return std::make_unique<group_problem>(s.on, q, sets); });
                    }
            }
    }
}

} // namespace bench
