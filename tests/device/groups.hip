/* SPDX-License-Identifier: MIT
 * groups.hip: the classes' members, types and traits, creation, and barriers, for every kind of
 * group.
 */
#include "harness.hpp"

namespace test {

/* --- traits and types (R010 to R013, R020, R021, R027, R028) --------------------------------- */

struct no_group {};

template <class G> constexpr bool has_surface()
{
    static_assert(std::is_same<typename G::id_type, id<1>>::value, "");
    static_assert(std::is_same<typename G::range_type, range<1>>::value, "");
    static_assert(std::is_same<typename G::linear_id_type, std::uint32_t>::value, "");
    static_assert(std::is_same<decltype(G::dimensions), const int>::value && G::dimensions == 1,
                  "");
    static_assert(std::is_same<decltype(G::fence_scope), const memory_scope>::value, "");
    static_assert(G::fence_scope == memory_scope::sub_group, "");
    using const_group = const G;
#define RETURNS(type, call) \
    static_assert(std::is_same<type, decltype(std::declval<const_group &>().call())>::value, #call);
    RETURNS(id<1>, get_group_id)
    RETURNS(id<1>, get_local_id)
    RETURNS(range<1>, get_group_range)
    RETURNS(range<1>, get_local_range)
    RETURNS(std::uint32_t, get_group_linear_id)
    RETURNS(std::uint32_t, get_local_linear_id)
    RETURNS(std::uint32_t, get_group_linear_range)
    RETURNS(std::uint32_t, get_local_linear_range)
    RETURNS(bool, leader)
#undef RETURNS
    static_assert(std::is_trivially_copyable<G>::value && sizeof(G) <= 16,
                  "cheap to pass by value");
    static_assert(!std::is_default_constructible<G>::value, "made by creation functions alone");
    static_assert(std::is_same<typename is_group<G>::type, std::true_type>::value, "");
    static_assert(is_group_v<G> && is_group<G>::value, "");
    static_assert(is_fixed_topology_group_v<G> != is_user_constructed_group_v<G>, "");
    return true;
}
template <class G> constexpr bool is_user_group()
{
    static_assert(is_user_constructed_group<G>::value && !is_fixed_topology_group<G>::value, "");
    return has_surface<G>();
}
static_assert(SUBWAVE_NON_UNIFORM_GROUPS == 1, "R001");
static_assert(has_surface<sub_group>() && is_fixed_topology_group_v<sub_group>, "");
static_assert(is_user_group<ballot_group<>>() && is_user_group<tangle_group<>>() &&
                  is_user_group<opportunistic_group>() && is_user_group<partition_group<>>() &&
                  is_user_group<fixed_size_group<1>>() && is_user_group<fixed_size_group<4>>() &&
                  is_user_group<fixed_size_group<32>>(),
              "");
static_assert(std::is_same<ballot_group<>, ballot_group<sub_group>>::value &&
                  std::is_same<tangle_group<>, tangle_group<sub_group>>::value &&
                  std::is_same<fixed_size_group<4>, fixed_size_group<4, sub_group>>::value,
              "the parent is a sub_group unless told");
static_assert(is_fixed_topology_group_v<subwave::group<1>> && is_group_v<subwave::group<3>> &&
                  is_fixed_topology_group_v<root_group<2>> &&
                  !is_user_constructed_group_v<root_group<1>>,
              "");
static_assert(!is_group_v<no_group> && !is_group_v<int> && !is_fixed_topology_group_v<no_group> &&
                  !is_user_constructed_group_v<no_group>,
              "");
static_assert(std::is_base_of<std::false_type, is_group<int>>::value &&
                  std::is_base_of<std::true_type, is_user_constructed_group<ballot_group<>>>::value,
              "");

/* A parent that is none leaves the creation functions out; it is no error inside them. */
template <class Parent, class = void> struct has_ballot_group : std::false_type {};
template <class Parent>
struct has_ballot_group<Parent,
                        std::void_t<decltype(get_ballot_group(std::declval<Parent>(), true))>>
    : std::true_type {};
template <class Parent, class = void> struct has_fixed_size_group : std::false_type {};
template <class Parent>
struct has_fixed_size_group<Parent,
                            std::void_t<decltype(get_fixed_size_group<2>(std::declval<Parent>()))>>
    : std::true_type {};
template <class Parent, class = void> struct has_tangle_group : std::false_type {};
template <class Parent>
struct has_tangle_group<Parent, std::void_t<decltype(get_tangle_group(std::declval<Parent>()))>>
    : std::true_type {};
template <class Parent, class = void> struct has_partition_group : std::false_type {};
template <class Parent>
struct has_partition_group<Parent,
                           std::void_t<decltype(get_partition_group(std::declval<Parent>(), 1))>>
    : std::true_type {};
template <class Parent, bool IsSubGroup, bool IsGroup> constexpr bool makes_groups()
{
    static_assert(has_ballot_group<Parent>::value == IsSubGroup, "");
    static_assert(has_fixed_size_group<Parent>::value == IsSubGroup, "");
    static_assert(has_tangle_group<Parent>::value == IsSubGroup, "");
    static_assert(has_partition_group<Parent>::value == IsGroup, "");
    return true;
}
static_assert(makes_groups<sub_group, true, true>() &&
                  makes_groups<const sub_group &, true, true>() &&
                  makes_groups<ballot_group<>, false, true>() &&
                  makes_groups<fixed_size_group<4>, false, true>() &&
                  makes_groups<tangle_group<>, false, true>() &&
                  makes_groups<opportunistic_group, false, true>() &&
                  makes_groups<partition_group<>, false, true>() &&
                  makes_groups<no_group, false, false>() && makes_groups<int, false, false>(),
              "");

/* --- members (R005, R022 to R026, R032 to R035, R042, R043, R052, R061, R062) ---------------- */

template <class G> SUBWAVE_DEVICE word64 by_value(G g)
{
    return g.get_local_linear_id() << 16 | g.get_group_linear_range();
}

template <int K> SUBWAVE_DEVICE void members(const word64 *in, word64 *out)
{
    const int item = grid_item();
    with_group<K>(in[item] & 1, [&](auto g) {
        word64 *row = out + item * 14;
        row[0] = g.lanes();
        row[1] = g.get_group_id();
        row[2] = g.get_local_id()[0];
        row[3] = g.get_group_range().get(0);
        row[4] = g.get_local_range().size();
        row[5] = g.get_group_linear_id();
        row[6] = g.get_local_linear_id();
        row[7] = g.get_group_linear_range();
        row[8] = g.get_local_linear_range();
        row[9] = g.leader();
        row[10] = by_value(g);
        row[11] = word64(g.lane_of(g.get_local_linear_id()));
        row[12] = word64(g.lane_of(g.get_local_linear_range() - 1));
        row[13] = this_work_item::get_sub_group().get_max_local_range();
    });
}

/* Keys that lanes below `end` have. */
static int partitions_below(const member &m, int end)
{
    int count = 0;
    for (int i = 0; i < end; ++i) {
        bool first = true;
        for (int j = 0; j < i; ++j)
            first &= j % 3 != i % 3 || (m.in(j)[0] & 1) != (m.in(i)[0] & 1);
        count += first;
    }
    return count;
}

/* The group that the reference's member is in. */
static int group_id(const member &m)
{
    if (m.of->kind == partition)
        return partitions_below(m, m.leader());
    const int kind = m.of->kind;
    const bool divided = kind == ballot || kind == ballot_branch;
    return kind == whole ? m.wave : divided ? !(m.in(m.lane)[0] & 1) : kind > 0 ? m.lane / kind : 0;
}
static int group_range(const member &m)
{
    if (m.of->kind == partition)
        return partitions_below(m, m.count);
    const int kind = m.of->kind;
    const bool divided = kind == ballot || kind == ballot_branch;
    return kind == whole ? m.waves : divided ? 2 : kind > 0 ? m.count / kind : 1;
}

/* --- barriers (R021, R080) ------------------------------------------------------------------- */

/* Two rounds of reading what the next member wrote. To a work-item alone its slots and the
 * neighbour's are unrelated: a compiler that no barrier stops reads too soon. */
template <class G, class Barrier>
SUBWAVE_DEVICE void hand_on(G g, word64 x, word64 *out, Barrier barrier)
{
    const int item = grid_item();
    const std::uint32_t next = (g.get_local_linear_id() + 1) % g.get_local_linear_range();
    const int other = item - wave_lane() + g.lane_of(next);
    word64 *row = out + item * 4, *there = out + other * 4;
    row[0] = g.lanes();
    row[1] = x;
    barrier(g);
    row[2] = 3 * there[1];
    barrier(g);
    row[3] = there[2] + 1;
}

template <int K> SUBWAVE_DEVICE void barriers(const word64 *in, word64 *out, std::int64_t scope)
{
    const int item = grid_item();
    with_group<K>(in[2 * item] & 1, [&](auto g) {
        const word64 x = in[2 * item + 1];
        switch (scope) {
        case 0:
            return hand_on(g, x, out, [](auto h) { group_barrier(h); });
        case 1:
            return hand_on(g, x, out, [](auto h) { group_barrier(h, memory_scope::sub_group); });
        case 2:
            return hand_on(g, x, out, [](auto h) { group_barrier(h, memory_scope::work_group); });
        case 3:
            return hand_on(g, x, out, [](auto h) { group_barrier(h, memory_scope::device); });
        default:
            return hand_on(g, x, out, [](auto h) { group_barrier(h, memory_scope::system); });
        }
    });
}

/* Creation makes the parent's members meet (ballot: R031), or the group's (tangle: R051): what any
 * of them wrote before can be read after. Then members of two groups of one parent in turn. */
extern "C" SUBWAVE_KERNEL(1024) creation(const word64 *in, word64 *out, std::int64_t)
{
    const sub_group sg = this_work_item::get_sub_group();
    const int item = grid_item(), lane = wave_lane();
    const int n = static_cast<int>(sg.get_local_linear_range()), first = item - lane;
    const bool p = in[2 * item] & 1;
    word64 *row = out + item * 6;
    row[1] = in[2 * item + 1];
    const auto side = get_ballot_group(sg, p);
    row[0] = sg.lanes();
    row[2] = out[(first + (lane + 1) % n) * 6 + 1]; /* of either side */
    const int next = side.lane_of((side.get_local_linear_id() + 1) % side.get_local_linear_range());
    if (p) {
        row[3] = 5 * row[1];
        const auto t = get_tangle_group(sg);
        row[4] = out[(first + next) * 6 + 3] + t.get_local_linear_range();
    } else {
        row[3] = 7 * row[1];
        const auto t = get_tangle_group(sg);
        row[4] = out[(first + next) * 6 + 3] + t.get_local_linear_range();
    }
    row[5] = get_ballot_group(sg, !p).get_group_id();
}

/* --- keys of every size, parents of every kind ----------------------------------------------- */

/* Word 1 is the key. Few keys, or many, which differ in many bits. */
template <int K, class Key> SUBWAVE_DEVICE void partitions(const word64 *in, word64 *out)
{
    const int item = grid_item();
    const word64 bits = in[2 * item + 1];
    with_group<K>(in[2 * item] & 1, [&](auto parent) {
        word64 *row = out + item * 5;
        row[0] = parent.lanes();
        const auto g = get_partition_group(parent, (Key)bits);
        row[1] = g.lanes();
        row[2] = g.get_group_id();
        row[3] = g.get_group_range()[0];
        row[4] = reduce_over_group(g, word64(1) << wave_lane(), plus<>());
    });
}
enum class colour : std::uint16_t {};
using byte = std::uint8_t;
using word = std::int32_t;
using address = const word64 *;
#define PARTITIONS(X) \
    X(whole, bool) \
    X(whole, word) X(whole, word64) X(ballot, byte) X(ballot_branch, address) X(tangle, word) \
        X(opportunistic, colour) X(partition, word) X(8, word64) X(4, byte)
#define PARTITION_KERNEL(K, Key) \
    extern "C" SUBWAVE_KERNEL(1024) \
        partition_##K##_##Key(const word64 *in, word64 *out, std::int64_t) \
    { \
        partitions<K, Key>(in, out); \
    }
PARTITIONS(PARTITION_KERNEL)

/* Of the keys as the kernel sees them. */
template <class Key> static void expect_partitions(const member &m, word64 *row)
{
    const auto key = [&m](int i) { return (Key)m.in(i)[1]; };
    word64 same = 0, leaders = 0;
    for (int i = 0; i < m.count; ++i) {
        if (!m.has(i))
            continue;
        same |= word64(key(i) == key(m.lane)) << i;
        bool first = true;
        for (int j = 0; j < i; ++j)
            first &= !m.has(j) || key(j) != key(i);
        leaders |= word64(first) << i;
    }
    row[1] = row[4] = same;
    row[2] = word64(__builtin_popcountll(leaders & ((same & -same) - 1)));
    row[3] = word64(__builtin_popcountll(leaders));
}

#define KERNELS(K) \
    extern "C" SUBWAVE_KERNEL(1024) members_##K(const word64 *in, word64 *out, std::int64_t) \
    { \
        members<K>(in, out); \
    }
#define BARRIERS(K) \
    extern "C" SUBWAVE_KERNEL(1024) \
        barriers_##K(const word64 *in, word64 *out, std::int64_t scope) \
    { \
        barriers<K>(in, out, scope); \
    }
#define KINDS(X) \
    X(whole) X(ballot) X(ballot_branch) X(tangle) X(opportunistic) X(partition) X(1) X(8) X(64)
KINDS(KERNELS)
KERNELS(2)
KERNELS(4)
KERNELS(16)
KERNELS(32)
KINDS(BARRIERS)

    static void cases(machine &t)
{
    struct {
        const char *name;
        kernel *function;
        int kind;
    } const all[] =
        {
#define ENTRY(K) {"members_" #K, members_##K, K},
            KINDS(ENTRY) ENTRY(2) ENTRY(4) ENTRY(16) ENTRY(32)},
            synchronising[] = {
#define BARRIER_ENTRY(K) {"barriers_" #K, barriers_##K, K},
                KINDS(BARRIER_ENTRY)};

    struct {
        const char *name;
        kernel *function;
        int kind;
        void (*expect)(const member &, word64 *);
    } const dividing[] = {
#define PARTITION_ENTRY(K, Key) \
    {"partition_" #K "_" #Key, partition_##K##_##Key, K, expect_partitions<Key>},
        PARTITIONS(PARTITION_ENTRY)};

    for (dim3 block : t.blocks())
        for (int pattern = 0; pattern < t.patterns; ++pattern) {
            for (auto &k : all) {
                launch_case l{k.name, k.function, k.kind, block, 1, 14};
                if (!t.fits(k.kind, block) || (k.kind > 0 && pattern))
                    continue;
                t.fill(l, pattern);
                t.run(l, [&](const member &m, word64 *row) {
                    row[1] = row[5] = word64(group_id(m));
                    row[2] = row[6] = row[11] = word64(m.rank());
                    row[3] = row[7] = word64(group_range(m));
                    row[4] = row[8] = word64(m.size());
                    row[9] = m.rank() == 0;
                    row[10] = row[6] << 16 | row[7];
                    row[11] = word64(m.lane);
                    row[12] = word64(m.lane_of(m.size() - 1));
                    row[13] = word64(t.wave);
                });
            }
            launch_case l{"creation", creation, whole, block, 2, 6, 0, 2};
            t.fill(l, pattern);
            t.run(l, [&](const member &m, word64 *row) {
                const bool p = m.in(m.lane)[0] & 1;
                member side = m;
                side.mask = 0;
                for (int i = 0; i < m.count; ++i)
                    side.mask |= word64((m.in(i)[0] & 1) == p) << i;
                const int next = side.lane_of((side.rank() + 1) % side.size()), factor = p ? 5 : 7;
                row[1] = m.in(m.lane)[1];
                row[2] = m.in((m.lane + 1) % m.count)[1];
                row[3] = factor * row[1];
                row[4] = factor * m.in(next)[1] + side.size();
                row[5] = p;
            });
            for (auto &k : dividing)
                for (int keys = 0; keys < 3; ++keys) {
                    launch_case d{k.name, k.function, k.kind, block, 2, 5};
                    if (!t.fits(k.kind, block))
                        continue;
                    t.fill(d, pattern, word64(keys));
                    /* One key; as drawn; five that differ in high and low bits. */
                    for (std::size_t i = 1; keys != 1 && i < d.in.size(); i += 2)
                        d.in[i] = keys == 0 ? 42 : d.in[i] % 5 * 0x8000000180000101u;
                    t.run(d, k.expect);
                }
            for (auto &k : synchronising) {
                launch_case b{k.name, k.function, k.kind, block, 2, 4, pattern % 5};
                if (!t.fits(k.kind, block))
                    continue;
                t.fill(b, pattern);
                t.run(b, [&](const member &m, word64 *row) {
                    const int next = m.lane_of((m.rank() + 1) % m.size());
                    const int after = m.lane_of((m.rank() + 2) % m.size());
                    row[1] = m.in(m.lane)[1];
                    row[2] = 3 * m.in(next)[1];
                    row[3] = 3 * m.in(after)[1] + 1;
                });
            }
        }
}

} // namespace test

int main(int argc, char **argv) { return test::main_of(argc, argv, test::cases); }
