/* SPDX-License-Identifier: MIT
 * shapes.hip: collectives amid a kernel's own values: in one branch, in both, in loops whose trips
 * differ from lane to lane, behind early returns, nested, in a switch; while the kernel uses its
 * lane's number and keeps many values, which a collective must leave alone.
 *
 * A shape passes numbered sites, at each of which a group works something out. Its path, a plain
 * function, says which sites a work-item passes, and with what kind of group.
 */
#include "reference.hpp"

namespace test {

using i32 = std::int32_t;
using u32 = std::uint32_t;

constexpr int sites = 10, out_row = 2 + 2 * sites;

/* An operation of the user's own, not commutative: the last that is 8 or more, else the first. */
struct latest {
    template <class T> SUBWAVE_DEVICE T operator()(const T &a, const T &b) const
    {
        return b < T(8) ? a : b;
    }
};

/* What is worked out at a site: the same at all, or with `mix` and more another at each. */
enum : int { scan_all, reduce_all, mix };
constexpr __host__ __device__ int task_at(int mode, int site)
{
    return mode < mix ? mode : (mode - mix + site) % 6;
}

/* Sums of 64 such numbers are exact in 16 bits too. */
constexpr __host__ __device__ int number_at(int site, int lane)
{
    return site % 4 < 2 ? lane : site % 4 == 2 ? lane * 3 % 32 : 63 - lane;
}

/* What a work-item does at its sites, and the values that it keeps meanwhile. If it keeps none it
 * has no use for its lane's number either once the last site has it. */
template <class T, int Mode, int Kept> struct user {
    word64 *row;
    int lane;
    u32 kept[Kept ? Kept : 1];

    SUBWAVE_DEVICE user(sub_group sg, const word64 *mine, word64 *its_row)
        : row(its_row), lane(static_cast<int>(sg.get_local_linear_id()))
    {
        row[0] = sg.lanes();
        for (int i = 0; i < Kept; ++i)
            kept[i] = static_cast<u32>(mine[2 + i]) + static_cast<u32>(lane * (2 * i + 1));
    }
    /* At site Site, or one of those behind it, in a loop. */
    template <int Site, class G>
    SUBWAVE_DEVICE void operator()(std::integral_constant<int, Site>, G g, int behind = 0)
    {
        constexpr int task = task_at(Mode, Site);
        const T x = T(static_cast<float>(number_at(Site, lane)));
        word64 result;
        if constexpr (task == 0)
            result = to_word(inclusive_scan_over_group(g, x, plus<>()));
        else if constexpr (task == 1)
            result = to_word(reduce_over_group(g, x, plus<T>()));
        else if constexpr (task == 2)
            result = to_word(inclusive_scan_over_group(g, x, latest()));
        else if constexpr (task == 3)
            result = to_word(reduce_over_group(g, x, 0.5, plus<>())); /* a double */
        else if constexpr (task == 4)
            result = to_word(exclusive_scan_over_group(g, x, maximum<>()));
        else
            result = to_word(reduce_over_group(g, x, latest()));
        row[1 + Site + behind] = result;
        if constexpr (Kept > 0) {
            row[1 + sites + Site + behind] = static_cast<word64>(lane * (Site + 3));
            kept[Site % Kept] += static_cast<u32>(result);
        }
    }
    SUBWAVE_DEVICE void done()
    {
        if constexpr (Kept > 0) {
            u32 sum = static_cast<u32>(lane);
            for (u32 k : kept)
                sum = sum * 0x01000193u ^ k;
            row[1 + 2 * sites] = sum;
        }
    }
};
template <int N> using at = std::integral_constant<int, N>;

/* --- shapes of control flow: p is the side of the ballot, r random bits ---------------------- */

using bits = u32;
/* Called with a site's number, the one of the first behind which it is, and the kind of its
 * group. */
using path = std::function<void(int site, int first, int kind)>;

template <class U> SUBWAVE_DEVICE void straight(U &use, sub_group sg, bool p, bits)
{
    use(at<0>(), sg);
    use(at<1>(), get_ballot_group(sg, p));
    use(at<2>(), sg);
    use(at<3>(), get_tangle_group(sg));
    use(at<4>(), get_ballot_group(sg, p));
    use.done();
}
static void path_straight(const path &to, int, bool, bits)
{
    to(0, 0, whole), to(1, 1, ballot), to(2, 2, whole), to(3, 3, tangle), to(4, 4, ballot);
}

template <class U> SUBWAVE_DEVICE void one_side(U &use, sub_group sg, bool p, bits)
{
    const auto g = get_ballot_group(sg, p);
    if (p)
        use(at<0>(), g);
    use(at<2>(), sg);
    if (!p)
        use(at<3>(), g);
    use.done();
}
static void path_one_side(const path &to, int, bool p, bits)
{
    to(p ? 0 : 3, p ? 0 : 3, ballot), to(2, 2, whole);
}

template <class U> SUBWAVE_DEVICE void both_sides(U &use, sub_group sg, bool p, bits)
{
    const auto g = get_ballot_group(sg, p);
    if (p)
        use(at<0>(), g);
    else
        use(at<1>(), g);
    use.done();
}
static void path_both_sides(const path &to, int, bool p, bits) { to(!p, !p, ballot); }

/* The same text on both sides. */
template <class U> SUBWAVE_DEVICE void alike(U &use, sub_group sg, bool p, bits)
{
    const auto g = get_ballot_group(sg, p);
    if (p)
        use(at<0>(), g);
    else
        use(at<0>(), g);
    use.done();
}
static void path_alike(const path &to, int, bool, bits) { to(0, 0, ballot); }

template <class U> SUBWAVE_DEVICE void both_twice(U &use, sub_group sg, bool p, bits)
{
    const auto g = get_ballot_group(sg, p);
    if (p) {
        use(at<0>(), g);
        use(at<3>(), g);
    } else {
        use(at<1>(), g);
        use(at<2>(), g);
    }
    use(at<4>(), g);
    use(at<5>(), sg);
    use.done();
}
static void path_both_twice(const path &to, int, bool p, bits)
{
    if (p)
        to(0, 0, ballot), to(3, 3, ballot);
    else
        to(1, 1, ballot), to(2, 2, ballot);
    to(4, 4, ballot), to(5, 5, whole);
}

/* A side inside a branch of the other question, one of them together. */
template <class U> SUBWAVE_DEVICE void three_ways(U &use, sub_group sg, bool p, bits r)
{
    const auto g = get_ballot_group(sg, p);
    if (p)
        use(at<0>(), g);
    else if (r & 1)
        use(at<1>(), get_tangle_group(sg));
    else
        use(at<2>(), get_tangle_group(sg));
    use(at<4>(), g);
    use.done();
}
static void path_three_ways(const path &to, int, bool p, bits r)
{
    const int site = p ? 0 : r & 1 ? 1 : 2;
    to(site, site, p ? ballot : tangle), to(4, 4, ballot);
}

/* Blocks of the wave, in branches that each block takes whole. */
template <class U> SUBWAVE_DEVICE void blocks_aside(U &use, sub_group sg, bool p, bits)
{
    const auto four = get_fixed_size_group<4>(sg);
    const auto g = get_ballot_group(sg, p);
    use(at<0>(), four);
    if (use.lane & 4)
        use(at<1>(), four);
    else
        use(at<4>(), four);
    if (p)
        use(at<2>(), g);
    else
        use(at<3>(), g);
    use(at<5>(), get_fixed_size_group<2>(sg));
    use.done();
}
static void path_blocks_aside(const path &to, int lane, bool p, bits)
{
    const int site = lane & 4 ? 1 : 4, by_side = p ? 2 : 3;
    to(0, 0, 4), to(site, site, 4), to(by_side, by_side, ballot), to(5, 5, 2);
}

template <class U> SUBWAVE_DEVICE void loop(U &use, sub_group sg, bool, bits r)
{
    const int trips = static_cast<int>(r % 5);
    SUBWAVE_LOOP for (int i = 0; i < trips; ++i)
    {
        SUBWAVE_ITER;
        use(at<0>(), get_tangle_group(sg), i);
    }
    use(at<5>(), sg);
    use.done();
}
static void path_loop(const path &to, int, bool, bits r)
{
    for (int i = 0; i < int(r % 5); ++i)
        to(i, 0, tangle);
    to(5, 5, whole);
}

/* The sides go round together while both do. */
template <class U> SUBWAVE_DEVICE void sides_loop(U &use, sub_group sg, bool p, bits)
{
    const auto g = get_ballot_group(sg, p);
    for (int i = 0; i < (p ? 2 : 5); ++i)
        use(at<0>(), g, i);
    if (p)
        for (int i = 0; i < 3; ++i)
            use(at<6>(), g, i);
    use(at<9>(), sg);
    use.done();
}
static void path_sides_loop(const path &to, int, bool p, bits)
{
    for (int i = 0; i < (p ? 2 : 5); ++i)
        to(i, 0, ballot);
    for (int i = 0; p && i < 3; ++i)
        to(6 + i, 6, ballot);
    to(9, 9, whole);
}

template <class U> SUBWAVE_DEVICE void skip_and_leave(U &use, sub_group sg, bool p, bits r)
{
    SUBWAVE_LOOP for (int i = 0; i < 4; ++i)
    {
        SUBWAVE_ITER;
        if (r >> i & 1)
            continue;
        use(at<0>(), get_tangle_group(sg), i);
        if ((r >> 2 * i & 0x300) == 0)
            break;
        if (p)
            use(at<4>(), get_tangle_group(sg), i);
    }
    use(at<9>(), sg);
    use.done();
}
[[maybe_unused]] static void path_skip_and_leave(const path &to, int, bool p, bits r)
{
    for (int i = 0; i < 4; ++i) {
        if (r >> i & 1)
            continue;
        to(i, 0, tangle);
        if ((r >> 2 * i & 0x300) == 0)
            break;
        if (p)
            to(4 + i, 4, tangle);
    }
    to(9, 9, whole);
}

template <class U> SUBWAVE_DEVICE void early_return(U &use, sub_group sg, bool p, bits r)
{
    const auto g = get_ballot_group(sg, p);
    if (p) {
        use(at<0>(), g);
        use.done();
        return;
    }
    use(at<1>(), g);
    if (r & 1) {
        use.done();
        return;
    }
    use(at<2>(), get_tangle_group(sg));
    use(at<4>(), get_tangle_group(sg));
    use.done();
}
static void path_early_return(const path &to, int, bool p, bits r)
{
    to(!p, !p, ballot);
    if (!p && !(r & 1))
        to(2, 2, tangle), to(4, 4, tangle);
}

/* An outer tangle is of use again where its members are together again. */
template <class U> SUBWAVE_DEVICE void nested(U &use, sub_group sg, bool p, bits r)
{
    const auto side = get_ballot_group(sg, p);
    if (p) {
        const auto outer = get_tangle_group(sg);
        use(at<0>(), outer);
        if (r & 1) {
            use(at<1>(), get_tangle_group(sg));
            if (r & 2)
                use(at<2>(), get_tangle_group(sg));
        } else {
            use(at<3>(), get_tangle_group(sg));
        }
        use(at<4>(), outer);
        use(at<5>(), side);
    } else {
        use(at<6>(), side);
    }
    use.done();
}
static void path_nested(const path &to, int, bool p, bits r)
{
    if (!p)
        return to(6, 6, ballot);
    to(0, 0, tangle), to(r & 1 ? 1 : 3, r & 1 ? 1 : 3, tangle);
    if ((r & 3) == 3)
        to(2, 2, tangle);
    to(4, 4, tangle), to(5, 5, ballot);
}

template <class U> SUBWAVE_DEVICE void choice(U &use, sub_group sg, bool p, bits r)
{
    const auto g = get_ballot_group(sg, p);
    switch (r % 4) {
    case 0:
        use(at<0>(), get_tangle_group(sg));
        break;
    case 1:
        use(at<1>(), get_tangle_group(sg));
        [[fallthrough]];
    case 2:
        use(at<2>(), get_tangle_group(sg));
        break;
    default:
        use(at<3>(), get_tangle_group(sg));
    }
    use(at<4>(), g);
    use.done();
}
static void path_choice(const path &to, int, bool, bits r)
{
    if (r % 4 == 1)
        to(1, 1, tangle);
    const int site = r % 4 == 1 ? 2 : int(r % 4);
    to(site, site, tangle), to(4, 4, ballot);
}

/* Sides of one ballot in branches inside those of another, each in its turn. */
template <class U> SUBWAVE_DEVICE void turns(U &use, sub_group sg, bool p, bits r)
{
    const bool q = r & 1;
    const auto by_p = get_ballot_group(sg, p), by_q = get_ballot_group(sg, q);
    if (p)
        use(at<0>(), by_p);
    else
        use(at<1>(), by_p);
    if (q)
        use(at<4>(), by_q);
    use(at<5>(), by_p);
    use.done();
}
static void path_turns(const path &to, int, bool p, bits r)
{
    to(!p, !p, ballot), to(5, 5, ballot);
    if (r & 1)
        to(4, 4, tangle);
}

/* --- kernels and what they leave ------------------------------------------------------------- */

/* On an H200 lanes that skipped an iteration are at times not yet together with the others in the
 * next (docs/groups.md). */
#if defined(__CUDACC__)
#define SKIPPING(X)
#else
#define SKIPPING(X) X(skip_and_leave)
#endif
#define SHAPES(X) \
    X(straight) \
    X(one_side) \
    X(both_sides) \
    X(alike) \
    X(both_twice) \
    X(three_ways) X(blocks_aside) X(loop) X(sides_loop) SKIPPING(X) X(early_return) X(nested) \
        X(choice) X(turns)
/* Type, tasks, values kept. */
#define FLAVOURS(X, shape) \
    X(shape, float, scan_all, 0) \
    X(shape, double, reduce_all, 0) \
    X(shape, float, mix, 40) \
    X(shape, i32, mix + 4, 0) X(shape, double, scan_all, 40) X(shape, float16, mix + 2, 3)

template <class T, int Mode, int Kept>
static void expect(const member &m, word64 *row, void (*path_of)(const path &, int, bool, bits))
{
    using H = host_t<T>;
    word64 passing[sites] = {};
    int first_of[sites], kind_of[sites];
    bool mine[sites] = {};
    for (int i = 0; i < m.count; ++i)
        path_of(
            [&](int site, int first, int kind) {
                passing[site] |= word64(1) << i;
                first_of[site] = first, kind_of[site] = kind;
                mine[site] |= i == m.lane;
            },
            i, m.in(i)[0] & 1, static_cast<bits>(m.in(i)[1]));
    u32 kept[Kept ? Kept : 1] = {};
    for (int i = 0; i < Kept; ++i)
        kept[i] = static_cast<u32>(m.in(m.lane)[2 + i]) + static_cast<u32>(m.lane * (2 * i + 1));
    for (int site = 0; site < sites; ++site) {
        if (!mine[site])
            continue;
        word64 side = 0;
        for (int i = 0; i < m.count; ++i)
            side |= word64((m.in(i)[0] & 1) == (m.in(m.lane)[0] & 1)) << i;
        member in_group = m;
        const int kind = kind_of[site], first = first_of[site], task = task_at(Mode, first);
        in_group.mask = kind == whole    ? low_bits(m.count)
                        : kind == ballot ? side
                        : kind == tangle ? passing[site]
                                         : low_bits(kind) << (m.lane & -kind);
        const auto x = [&](int rank) {
            return host_cast<H>(static_cast<float>(number_at(first, in_group.lane_of(rank))));
        };
        const auto fold = [&](int end, auto op) {
            H result = x(0);
            for (int i = 1; i < end; ++i)
                result = op(result, x(i));
            return result;
        };
        const auto sum = [](H a, H b) { return combine(PLUS, a, b); };
        const auto top = [](H a, H b) { return combine(MAXIMUM, a, b); };
        const auto last = [](H a, H b) { return b < host_cast<H>(8.0f) ? a : b; };
        const int size = in_group.size(), rank = in_group.rank();
        word64 result = 0;
        if (task == 0 || task == 1)
            result = host_to_word(fold(task ? size : rank + 1, sum));
        else if (task == 2 || task == 5)
            result = host_to_word(fold(task == 2 ? rank + 1 : size, last));
        else if (task == 3)
            result = host_to_word(0.5 + static_cast<double>(fold(size, sum)));
        else
            result = host_to_word(rank ? fold(rank, top) : identity<H>(MAXIMUM));
        row[1 + site] = result;
        if constexpr (Kept > 0) {
            row[1 + sites + site] = static_cast<word64>(m.lane * (first + 3));
            kept[first % Kept] += static_cast<u32>(result);
        }
    }
    u32 sum = static_cast<u32>(m.lane);
    for (u32 k : kept)
        sum = sum * 0x01000193u ^ k;
    if (Kept > 0)
        row[1 + 2 * sites] = sum;
}

#define KERNEL(shape, T, mode, kept) \
    extern "C" SUBWAVE_KERNEL(128) \
        shape##_##T##_##kept(const word64 *in, word64 *out, std::int64_t) \
    { \
        const word64 *mine = in + grid_item() * (2 + kept); \
        const sub_group sg = this_work_item::get_sub_group(); \
        user<T, mode, kept> use(sg, mine, out + grid_item() * out_row); \
        shape(use, sg, mine[0] & 1, static_cast<bits>(mine[1])); \
    }
#define KERNELS(shape) FLAVOURS(KERNEL, shape)
SHAPES(KERNELS)

static void cases(machine &t)
{
    struct {
        const char *name;
        kernel *function;
        int in_row, of; /* members must be a multiple of this */
        reference expect;
    } const all[] = {
#define ENTRY(shape, T, mode, kept) \
    {#shape "_" #T "_" #kept, shape##_##T##_##kept, 2 + kept, \
     std::string(#shape) == "blocks_aside" ? 4 : 1, \
     [](const member &m, word64 *row) { expect<T, mode, kept>(m, row, path_##shape); }},
#define ENTRIES(shape) FLAVOURS(ENTRY, shape)
        SHAPES(ENTRIES)};

    const unsigned w = static_cast<unsigned>(t.wave);
    const dim3 blocks[] = {dim3(w),     dim3(w + w / 2 + 1), dim3(5, 3, 2),
                           dim3(w - 1), dim3(w + 12),        dim3(2, 2)};
    int turn = 0;
    for (dim3 block : blocks)
        for (int pattern = 0; pattern < t.patterns; ++pattern)
            for (auto &k : all) {
                launch_case l{k.name, k.function, whole, block, k.in_row, out_row};
                const bool taken = t.full || ++turn % 3 == int(t.seed) % 3;
                if (!taken || items_of(block) % t.wave % k.of != 0)
                    continue;
                t.fill(l, pattern, word64(&k - all));
                t.run(l, k.expect);
            }
}

} // namespace test

int main(int argc, char **argv) { return test::main_of(argc, argv, test::cases); }
