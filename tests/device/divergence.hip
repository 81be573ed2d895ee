/* SPDX-License-Identifier: MIT
 * divergence.hip: tangle and opportunistic groups in every shape of control flow (R050 to R052,
 * R060 to R063).
 *
 * A kernel passes numbered points. Its path, a plain function, says which points a work-item with
 * the given bits passes; those that pass a point are one tangle there.
 */
#include "harness.hpp"

namespace test {

constexpr int points = 12, in_row = 2, out_row = 1 + 2 * points;

/* Ranks and ends of a group as its algorithms find them, in types that platforms treat apart. */
template <class G> SUBWAVE_DEVICE bool agrees(G g)
{
    const int lane = wave_lane(), size = g.get_local_linear_range(), rank = g.get_local_linear_id();
    const lane_bits lanes = static_cast<lane_bits>(g.lanes());
    bool right = reduce_over_group(g, 1.0f, plus<>()) == float(size);
    right &= reduce_over_group(g, double(lane), maximum<>()) == highest_lane(lanes);
    right &= reduce_over_group(g, lane, minimum<>()) == lowest_lane(lanes);
    right &= inclusive_scan_over_group(g, 1.0, plus<>()) == rank + 1;
    right &= exclusive_scan_over_group(g, 1.0f, plus<>()) == float(rank);
    right &= exclusive_scan_over_group(g, word64(1) << 32, plus<>()) >> 32 == word64(rank);
    return right;
}

/* What a group is found to be at a point: its lanes, twice. */
template <class G> SUBWAVE_DEVICE void note(word64 *row, int point, G g)
{
    row[1 + 2 * point] = g.lanes();
    row[2 + 2 * point] = reduce_over_group(g, word64(1) << wave_lane(), plus<>());
    if (!agrees(g))
        row[2 + 2 * point] = 0;
}
struct tangles {
    sub_group sg;
    word64 *row;
    SUBWAVE_DEVICE void operator()(int point, site where = site::current()) const
    {
        note(row, point, get_tangle_group(sg, where));
    }
};
struct opportunities {
    sub_group sg;
    word64 *row;
    SUBWAVE_DEVICE void operator()(int point, site where = site::current()) const
    {
        note(row, point, this_kernel::get_opportunistic_group(where));
    }
};

/* --- shapes of control flow: p is 0 or 1, r random bits -------------------------------------- */

using bits = std::uint32_t;
using path = std::function<void(int)>; /* called with each point */

/* Branches whose bodies read alike. */
template <class At> SUBWAVE_DEVICE void three_way(At at, bits, bits r)
{
    if (r % 3 == 0)
        at(0);
    else if (r % 3 == 1)
        at(1);
    else
        at(2);
}
static void path_three_way(const path &at, bits, bits r) { at(int(r % 3)); }

/* The same point, to a compiler: both sides do the very same. */
template <class At> SUBWAVE_DEVICE void equal(At at, bits p, bits)
{
    if (p)
        at(0);
    else
        at(0);
}
/* Noted at 0 by either side: see cases(). */
static void path_equal(const path &at, bits, bits) { at(0); }

template <class At> SUBWAVE_DEVICE void nested(At at, bits p, bits r)
{
    if (p) {
        if (r & 1)
            at(0);
        else
            at(1);
        at(2);
    } else {
        at(3);
        if (r & 2) {
            at(4);
            if (r & 4)
                at(5);
        }
    }
    at(6);
}
static void path_nested(const path &at, bits p, bits r)
{
    if (p) {
        at(r & 1 ? 0 : 1);
        at(2);
    } else {
        at(3);
        if (r & 2)
            at(4);
        if ((r & 6) == 6)
            at(5);
    }
    at(6);
}

/* Unequal trip counts, and convergence behind the loop. */
template <class At> SUBWAVE_DEVICE void loop(At at, bits, bits r)
{
    const int trips = static_cast<int>(r % 6);
    SUBWAVE_LOOP for (int i = 0; i < trips; ++i)
    {
        SUBWAVE_ITER;
        at(i);
    }
    at(6);
}
static void path_loop(const path &at, bits, bits r)
{
    for (int i = 0; i < int(r % 6); ++i)
        at(i);
    at(6);
}

template <class At> SUBWAVE_DEVICE void skip_and_leave(At at, bits p, bits r)
{
    SUBWAVE_LOOP for (int i = 0; i < 5; ++i)
    {
        SUBWAVE_ITER;
        if (r >> i & 1)
            continue;
        at(i);
        if ((r >> 2 * i & 0x300) == 0)
            break;
        if (p)
            at(5 + i);
    }
    at(10);
}
static void path_skip_and_leave(const path &at, bits p, bits r)
{
    bool in = true;
    for (int i = 0; i < 5; ++i)
        if (in && !(r >> i & 1)) {
            at(i);
            in = (r >> 2 * i & 0x300) != 0;
            if (in && p)
                at(5 + i);
        }
    at(10);
}

template <class At> SUBWAVE_DEVICE void early_return(At at, bits p, bits r)
{
    if (p)
        return;
    at(0);
    SUBWAVE_LOOP for (int i = 1; i < 5; ++i)
    {
        SUBWAVE_ITER;
        if (r >> 2 * i & 3)
            at(i);
        else
            return;
    }
    at(5);
}
static void path_early_return(const path &at, bits p, bits r)
{
    int i = p ? 6 : 0;
    if (!p)
        at(0);
    for (i += 1; i < 5 && (r >> 2 * i & 3); ++i)
        at(i);
    if (i == 5)
        at(5);
}

template <class At> SUBWAVE_DEVICE void fall_through(At at, bits, bits r)
{
    switch (r % 5) {
    case 0:
        at(0);
        [[fallthrough]];
    case 1:
        at(1);
        break;
    case 2:
        at(2);
        [[fallthrough]];
    case 3:
        at(3);
        [[fallthrough]];
    default:
        at(4);
    }
    at(5);
}
static void path_fall_through(const path &at, bits, bits r)
{
    const int to[] = {1, 1, 4, 4, 4};
    for (int i = int(r % 5); i <= to[r % 5]; ++i)
        at(i);
    at(5);
}

/* A helper with a point in it, called from both sides of a branch and from a loop. */
template <class At> SUBWAVE_DEVICE bits helper(At at, int point, bits r)
{
    if (r & 1)
        at(point);
    return r >> 1;
}
template <class At> SUBWAVE_DEVICE void helpers(At at, bits p, bits r)
{
    if (p)
        r = SUBWAVE_CALL(helper(at, 0, r));
    else
        r = SUBWAVE_CALL(helper(at, 1, r));
    SUBWAVE_LOOP for (int i = 2; i < 5; ++i)
    {
        SUBWAVE_ITER;
        r = SUBWAVE_CALL(helper(at, i, r));
    }
}
static void path_helpers(const path &at, bits p, bits r)
{
    const int point[] = {p ? 0 : 1, 2, 3, 4};
    for (int i = 0; i < 4; ++i)
        if (r >> i & 1)
            at(point[i]);
}

/* Two calls of one function with equal arguments, which LLVM 15 would make one behind the
 * branch. */
template <class At> __device__ __attribute__((noinline)) void not_inlined(At at) { at(0); }
template <class At> SUBWAVE_DEVICE void equal_calls(At at, bits p, bits)
{
    if (p)
        SUBWAVE_CALL(not_inlined(at));
    else
        SUBWAVE_CALL(not_inlined(at));
}
static void path_equal_calls(const path &at, bits, bits) { at(0); }

/* Sides that first diverge on work of their own. */
template <class At> SUBWAVE_DEVICE void uneven(At at, bits p, bits r)
{
    bits sum = r;
    if (p) {
        for (bits i = 0; i < r % 13; ++i)
            sum = sum * 5 + i;
        at(sum == 1 ? 3 : 0);
    } else {
        for (bits i = 0; i < r % 7; ++i)
            sum = sum * 7 - i;
        at(sum == 1 ? 3 : 1);
    }
    at(2);
}
static void path_uneven(const path &at, bits p, bits)
{
    at(p ? 0 : 1);
    at(2);
}

template <class At> SUBWAVE_DEVICE void loops(At at, bits, bits r)
{
    SUBWAVE_LOOP for (int i = 0; i < static_cast<int>(r % 4); ++i)
    {
        SUBWAVE_ITER;
        SUBWAVE_LOOP for (int j = 0; j < static_cast<int>(r >> 8) % 3; ++j)
        {
            SUBWAVE_ITER;
            at(3 * i + j);
        }
        at(3 * i + 2);
    }
    at(9);
}
static void path_loops(const path &at, bits, bits r)
{
    for (int i = 0; i < int(r % 4); ++i) {
        for (int j = 0; j < static_cast<int>(r >> 8) % 3; ++j)
            at(3 * i + j);
        at(3 * i + 2);
    }
    at(9);
}

#define SHAPES(X) \
    X(three_way) \
    X(equal) \
    X(nested) \
    X(loop) \
    X(skip_and_leave) X(early_return) X(fall_through) X(helpers) X(equal_calls) X(uneven) X(loops)
#define KERNELS(shape) \
    extern "C" SUBWAVE_KERNEL(1024) tangle_##shape(const word64 *in, word64 *out, std::int64_t) \
    { \
        const tangles at{this_work_item::get_sub_group(), out + grid_item() * out_row}; \
        at.row[0] = at.sg.lanes(); \
        shape(at, bits(in[grid_item() * in_row]), bits(in[grid_item() * in_row + 1])); \
    } \
    extern "C" SUBWAVE_KERNEL(1024) chance_##shape(const word64 *in, word64 *out, std::int64_t) \
    { \
        const opportunities at{this_work_item::get_sub_group(), out + grid_item() * out_row}; \
        at.row[0] = at.sg.lanes(); \
        shape(at, bits(in[grid_item() * in_row]), bits(in[grid_item() * in_row + 1])); \
    }
SHAPES(KERNELS)

/* --- cases ----------------------------------------------------------------------------------- */

struct shape {
    const char *name;
    kernel *function;
    void (*path)(const path &, bits, bits);
    bool by_side; /* each side of p has its own tangle at the same point */
};

/* Which points each work-item passes, as bits. */
static std::vector<unsigned> points_passed(const shape &s, const launch_case &l)
{
    std::vector<unsigned> result;
    for (std::size_t i = 0; i < l.in.size(); i += in_row) {
        result.push_back(0);
        s.path([&](int point) { result.back() |= 1u << point; }, bits(l.in[i]), bits(l.in[i + 1]));
    }
    return result;
}

/* The lanes of m's wave that pass `point` with it. */
static word64 passing(const shape &s, const std::vector<unsigned> &passed, const member &m,
                      int point)
{
    word64 lanes = 0;
    for (int i = 0; i < m.count; ++i)
        if (!s.by_side || m.in(i)[0] == m.in(m.lane)[0])
            lanes |= word64(passed[m.first + i] >> point & 1) << i;
    return passed[m.item] >> point & 1 ? lanes : 0;
}

static void cases(machine &t)
{
    const shape all[] = {
#define TANGLE_ENTRY(shape) \
    {"tangle_" #shape, tangle_##shape, path_##shape, std::string(#shape).rfind("equal", 0) == 0},
        SHAPES(TANGLE_ENTRY)};
    const shape chances[] = {
#define CHANCE_ENTRY(shape) \
    {"chance_" #shape, chance_##shape, path_##shape, std::string(#shape).rfind("equal", 0) == 0},
        SHAPES(CHANCE_ENTRY)};

    for (dim3 block : t.blocks())
        for (int pattern = 0; pattern < t.patterns; ++pattern) {
            for (const shape &s : all) {
                launch_case l{s.name, s.function, whole, block, in_row, out_row, 0, 2};
                if (!t.take(1))
                    continue;
                t.fill(l, pattern);
                const std::vector<unsigned> passed = points_passed(s, l);
                t.run(l, [&](const member &m, word64 *row) {
                    for (int i = 0; i < points; ++i)
                        if (const word64 lanes = passing(s, passed, m, i))
                            row[1 + 2 * i] = row[2 + 2 * i] = lanes;
                });
            }
            /* A group by chance: any part of the tangle that has the work-item, the same to all in
             * it, and so every work-item in exactly one. */
            for (const shape &s : chances) {
                launch_case l{s.name, s.function, whole, block, in_row, out_row, 0, 2};
                if (!t.take(1))
                    continue;
                t.fill(l, pattern);
                const std::vector<unsigned> passed = points_passed(s, l);
                std::vector<member> members;
                t.run(
                    l,
                    [&](const member &m, word64 *row) {
                        members.push_back(m);
                        for (int i = 0; i < points; ++i)
                            if (passing(s, passed, m, i))
                                row[1 + 2 * i] = row[2 + 2 * i] = anything;
                    },
                    [&](const word64 *out) -> std::string {
                        for (const member &m : members)
                            for (int c = 1; c < out_row; ++c) {
                                const word64 *mine = out + m.item * out_row;
                                const word64 tangle = passing(s, passed, m, (c - 1) / 2);
                                if (tangle == 0)
                                    continue;
                                bool right = (mine[c] & ~tangle) == 0 && mine[c] >> m.lane & 1;
                                for (int i = 0; i < m.count; ++i)
                                    right &= !(mine[c] >> i & 1) ||
                                             out[(m.first + i) * out_row + c] == mine[c];
                                if (!right)
                                    return "work-item " + std::to_string(m.item) +
                                           " has a wrong group in column " + std::to_string(c);
                            }
                        return "";
                    });
            }
        }
}

} // namespace test

int main(int argc, char **argv) { return test::main_of(argc, argv, test::cases); }
