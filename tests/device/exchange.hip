/* SPDX-License-Identifier: MIT
 * exchange.hip: broadcast, select, shift, xor and votes, for every kind of group and types of every
 * size (R080 to R086, R092, R093).
 */
#include "harness.hpp"

#include <utility>

namespace test {

/* --- what moves: any trivially copyable type, between words and itself field by field -------- */

constexpr int value_words = 9;

#if defined(SUBWAVE_CPU_DEVICE)
struct words4 {
    std::uint32_t x, y, z, w;
};
#else
using words4 = uint4; /* the platform's own */
#endif
struct longs2 {
    std::int64_t x, y;
};
struct floats5 {
    float f[5];
};
struct shorts7 {
    short s[7];
};
struct bytes3 {
    unsigned char b[3];
};
struct int_bool {
    int i;
    bool b;
};
struct bytes40 {
    std::uint64_t u[5];
};
struct bytes68 {
    std::uint32_t u[17];
    bytes68() = delete; /* need not be constructible */
};

template <class T> SUBWAVE_DEVICE T read_value(const word64 *from)
{
    if constexpr (std::is_same<T, int_bool>::value) {
        return int_bool{static_cast<int>(from[0]), (from[0] >> 32 & 1) != 0};
    } else if constexpr (std::is_same<T, bool>::value) {
        return (from[0] & 1) != 0;
    } else {
        union any {
            unsigned char bytes[sizeof(T)];
            T value;
            SUBWAVE_DEVICE any() {}
        } x;
        memcpy(x.bytes, from, sizeof(T));
        return x.value;
    }
}
template <class T> SUBWAVE_DEVICE void write_value(word64 *to, const T &x)
{
    word64 bits[value_words] = {};
    if constexpr (std::is_same<T, int_bool>::value) {
        bits[0] = static_cast<std::uint32_t>(x.i) | word64(x.b) << 32;
    } else {
        memcpy(bits, &x, sizeof(T));
    }
    for (int i = 0; i < static_cast<int>((sizeof(T) + 7) / 8); ++i)
        to[i] = bits[i];
}

/* What write_value makes of the words that read_value takes. */
template <class T> static void expect_value(word64 *to, const word64 *from)
{
    std::memset(to, 0, (sizeof(T) + 7) / 8 * 8);
    std::memcpy(to, from, sizeof(T));
    if (std::is_same<T, bool>::value)
        to[0] &= 1;
    if (std::is_same<T, int_bool>::value)
        to[0] &= 0x1ffffffffu;
}

/* A row of input: the predicate, what to select, the value. Of output: the lanes, nine values. */
constexpr int in_row = 2 + value_words, results = 9, out_row = 1 + results * value_words;

/* The argument: a shift's delta, plus the group's size where bit 32 says so, and a mask for xor. */
SUBWAVE_DEVICE std::uint32_t delta_of(std::int64_t argument, std::uint32_t size)
{
    return static_cast<std::uint32_t>(argument) + (argument >> 32 & 1 ? size : 0);
}

template <class T, int K>
SUBWAVE_DEVICE void move(const word64 *in, word64 *out, std::int64_t argument)
{
    const word64 *mine = in + grid_item() * in_row;
    word64 *row = out + grid_item() * out_row;
    with_group<K>(mine[0] & 1, [&](auto g) {
        const T x = read_value<T>(mine + 2);
        const std::uint32_t size = g.get_local_linear_range();
        const std::uint32_t delta = delta_of(argument, size), from = delta % size;
        const std::uint32_t bits = 1u << (argument >> 33 & 31);
        row[0] = g.lanes();
        row += 1;
        write_value(row + 0 * value_words, group_broadcast(g, x));
        write_value(row + 1 * value_words, group_broadcast(g, x, from));
        write_value(row + 2 * value_words, group_broadcast(g, x, id<1>(from)));
        write_value(row + 3 * value_words, select_from_group(g, x, id<1>(mine[1] % (2 * size))));
        write_value(row + 4 * value_words, shift_group_left(g, x, delta));
        write_value(row + 5 * value_words, shift_group_right(g, x, delta));
        write_value(row + 6 * value_words, permute_group_by_xor(g, x, id<1>(bits)));
        const T up = shift_group_left(g, x), down = shift_group_right(g, x);
        write_value(row + 7 * value_words, g.leader() ? up : down);
        const auto tile = publish(g, x);
        write_value(row + 8 * value_words, tile[from]);
    });
}

template <class T> static void expect_moves(const member &m, word64 *row)
{
    const std::int64_t argument = m.of->argument;
    const std::uint32_t size = static_cast<std::uint32_t>(m.size());
    const std::uint32_t delta =
        static_cast<std::uint32_t>(argument) + (argument >> 32 & 1 ? size : 0);
    const word64 rank = word64(m.rank()), bits = word64(1) << (argument >> 33 & 31);
    /* A local id outside the group gives the own value. */
    auto expect = [&](int result, word64 local_id) {
        const int lane = local_id < size ? m.lane_of(static_cast<int>(local_id)) : m.lane;
        expect_value<T>(row + 1 + result * value_words, m.in(lane) + 2);
    };
    expect(0, 0);
    expect(1, delta % size);
    expect(2, delta % size);
    expect(3, m.in(m.lane)[1] % (2 * size));
    expect(4, rank + delta);
    expect(5, rank - delta); /* wraps past the end */
    expect(6, rank ^ bits);
    expect(7, rank == 0 ? 1 : rank - 1);
    expect(8, delta % size);
}

/* --- constants, for which platforms have instructions of their own --------------------------- */

constexpr int constants = 20; /* exclusive ors with 0 to 19, then broadcasts of ids 0 to 19 */

/* Not force-inlined: a fiber's stack would not hold the unoptimised frames of all constants at
 * once. */
template <int N, class G> __device__ void by_constant(word64 *row, G g, std::uint32_t x)
{
    row[N] = permute_group_by_xor(g, x, N);
    row[constants + N] = x;
    if (N < g.get_local_linear_range())
        row[constants + N] = group_broadcast(g, x, std::uint32_t(N));
}
template <class G, int... N>
SUBWAVE_DEVICE void by_constants(word64 *row, G g, std::uint32_t x,
                                 std::integer_sequence<int, N...>)
{
    (by_constant<N>(row, g, x), ...);
}

#define CONSTANTS(K) \
    extern "C" SUBWAVE_KERNEL(1024) constants_##K(const word64 *in, word64 *out, std::int64_t) \
    { \
        const word64 *mine = in + grid_item() * 2; \
        word64 *row = out + grid_item() * (1 + 2 * constants); \
        with_group<K>(mine[0] & 1, [&](auto g) { \
            row[0] = g.lanes(); \
            by_constants(row + 1, g, static_cast<std::uint32_t>(mine[1]), \
                         std::make_integer_sequence<int, constants>()); \
        }); \
    }

static void expect_constants(const member &m, word64 *row)
{
    for (int n = 0; n < constants; ++n) {
        const auto of = [&](int local_id) {
            const bool inside = local_id < m.size();
            return word64(std::uint32_t(m.in(inside ? m.lane_of(local_id) : m.lane)[1]));
        };
        row[1 + n] = of(m.rank() ^ n);
        row[1 + constants + n] = of(n);
    }
}

/* --- what was moved, used at once in an operation of 64 bits, into which not every compiler may
 * take the move -- */

#if defined(SUBWAVE_CPU_DEVICE)
#define ON_BOTH_SIDES inline
#else
#define ON_BOTH_SIDES __host__ __device__
#endif
constexpr int ways = 6, moves_to_widen = 8;

/* y is another lane's, of a move that no other use shares. */
template <int Way> ON_BOTH_SIDES word64 widened(std::uint32_t y, std::uint32_t x, word64 wide)
{
    if constexpr (Way == 0)
        return wide + word64(y) * x;
    else if constexpr (Way == 1)
        return static_cast<word64>(std::int64_t(static_cast<std::int32_t>(y)) *
                                   static_cast<std::int32_t>(x));
    else if constexpr (Way == 2)
        return wide << (y & 63);
    else if constexpr (Way == 3)
        return __builtin_bit_cast(word64, double(y) * 0.3);
    else if constexpr (Way == 4)
        return __builtin_bit_cast(word64, double(static_cast<std::int32_t>(y)) * 0.3);
    else
        return wide * (wide ^ y);
}

/* The rank from which lane `rank` of a group of `size` has it. */
template <int Move> ON_BOTH_SIDES std::uint32_t rank_moved(std::uint32_t rank, std::uint32_t size)
{
    const std::uint32_t from = Move < 5    ? rank ^ (Move == 4 ? 8 : Move)
                               : Move == 5 ? 0
                               : Move == 6 ? rank + 1
                                           : rank - 1;
    return from < size ? from : rank;
}
template <int Move, class G> SUBWAVE_DEVICE std::uint32_t moved(G g, std::uint32_t x)
{
    if constexpr (Move < 5)
        return permute_group_by_xor(g, x, Move == 4 ? 8 : Move);
    else if constexpr (Move == 5)
        return group_broadcast(g, x);
    else if constexpr (Move == 6)
        return shift_group_left(g, x);
    else
        return shift_group_right(g, x);
}

template <int N, class G> __device__ void widen_once(word64 *row, G g, std::uint32_t x, word64 wide)
{
    constexpr int way = N % ways, move = N / ways;
    row[N] = widened<way>(moved<move>(g, x + N), x, wide);
}
template <class G, int... N>
SUBWAVE_DEVICE void widen(word64 *row, G g, std::uint32_t x, word64 wide,
                          std::integer_sequence<int, N...>)
{
    (widen_once<N>(row, g, x, wide), ...);
}
template <int... N>
static void expect_widened(const member &m, word64 *row, std::integer_sequence<int, N...>)
{
    const std::uint32_t rank = static_cast<std::uint32_t>(m.rank()),
                        size = static_cast<std::uint32_t>(m.size());
    const auto of = [&](std::uint32_t r) {
        return static_cast<std::uint32_t>(m.in(m.lane_of(static_cast<int>(r)))[1]);
    };
    ((row[1 + N] =
          widened<N % ways>(of(rank_moved<N / ways>(rank, size)) + N, of(rank), m.in(m.lane)[1])),
     ...);
}
using widenings = std::make_integer_sequence<int, ways * moves_to_widen>;

#define WIDENED(K) \
    extern "C" SUBWAVE_KERNEL(1024) widened_##K(const word64 *in, word64 *out, std::int64_t) \
    { \
        const word64 *mine = in + grid_item() * 2; \
        word64 *row = out + grid_item() * (1 + ways * moves_to_widen); \
        with_group<K>(mine[0] & 1, [&](auto g) { \
            row[0] = g.lanes(); \
            widen(row + 1, g, static_cast<std::uint32_t>(mine[1]), mine[1], widenings()); \
        }); \
    }

/* --- votes ----------------------------------------------------------------------------------- */

template <int K> SUBWAVE_DEVICE void votes(const word64 *in, word64 *out)
{
    const word64 *mine = in + grid_item() * 2;
    word64 *row = out + grid_item() * 8;
    with_group<K>(mine[0] & 1, [&](auto g) {
        const bool p = mine[1] & 1;
        const auto odd = [](word64 x) { return static_cast<int>(x & 4); };
        row[0] = g.lanes();
        row[1] = any_of_group(g, p);
        row[2] = all_of_group(g, p);
        row[3] = none_of_group(g, p);
        row[4] = any_of_group(g, mine[1], odd);
        row[5] = all_of_group(g, mine[1], odd);
        row[6] = none_of_group(g, mine[1], odd);
        row[7] = any_of_group(g, g.leader()) && !all_of_group(g, false) && none_of_group(g, false);
    });
}

#define VOTES(K) \
    extern "C" SUBWAVE_KERNEL(1024) votes_##K(const word64 *in, word64 *out, std::int64_t) \
    { \
        votes<K>(in, out); \
    }
#define KINDS(X) \
    X(whole) \
    X(ballot) \
    X(ballot_branch) X(tangle) X(opportunistic) X(partition) X(1) X(2) X(4) X(8) X(16) X(32) X(64)
KINDS(VOTES)
#define CONSTANT_KINDS(X) X(whole) X(ballot) X(1) X(2) X(4) X(8) X(16) X(32) X(64)
CONSTANT_KINDS(CONSTANTS)
CONSTANT_KINDS(WIDENED)

/* Every type with two kinds, every kind with two types. */
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
#define MOVES(X) \
    X(bool, ballot) \
    X(bool, 8) \
    X(u8, whole) \
    X(u8, tangle) \
    X(i16, ballot_branch) \
    X(i16, 4) X(u32, opportunistic) X(u32, ballot) X(i64, 16) X(i64, whole) X(float16, 2) \
        X(float16, tangle) X(float, 32) X(float, ballot_branch) X(double, opportunistic) \
            X(double, 1) X(words4, ballot) X(words4, 64) X(longs2, tangle) X(longs2, 8) \
                X(floats5, 4) X(floats5, ballot) X(shorts7, 16) X(shorts7, ballot_branch) \
                    X(bytes3, 1) X(bytes3, 64) X(int_bool, whole) X(int_bool, 2) \
                        X(bytes40, opportunistic) X(bytes40, 32) X(bytes68, ballot) \
                            X(bytes68, tangle) X(float, partition) X(bytes40, partition) \
                                X(bool, partition) X(double, partition)
#define MOVE(T, K) \
    extern "C" SUBWAVE_KERNEL(1024) \
        move_##T##_##K(const word64 *in, word64 *out, std::int64_t argument) \
    { \
        move<T, K>(in, out, argument); \
    }
MOVES(MOVE)

static void cases(machine &t)
{
    struct {
        const char *name;
        kernel *function;
        int kind;
        void (*expect)(const member &, word64 *);
    } const moves[] = {
#define MOVE_ENTRY(T, K) {"move_" #T "_" #K, move_##T##_##K, K, expect_moves<T>},
        MOVES(MOVE_ENTRY)};
    struct {
        const char *name;
        kernel *function;
        int kind;
    } const voting[] = {
#define VOTE_ENTRY(K) {"votes_" #K, votes_##K, K},
        KINDS(VOTE_ENTRY)};

    struct {
        const char *name;
        kernel *function;
        int kind, columns;
        void (*expect)(const member &, word64 *);
    } const constant[] = {
#define CONSTANT_ENTRY(K) {"constants_" #K, constants_##K, K, 1 + 2 * constants, expect_constants},
        CONSTANT_KINDS(CONSTANT_ENTRY)
#define WIDENED_ENTRY(K) \
    {"widened_" #K, widened_##K, K, 1 + ways * moves_to_widen, \
     [](const member &m, word64 *row) { expect_widened(m, row, widenings()); }},
            CONSTANT_KINDS(WIDENED_ENTRY)};

    const std::int64_t plus_size = std::int64_t(1) << 32;
    const std::int64_t deltas[] = {1,         0,         2, 0xffffffff, plus_size | 0xffffffff,
                                   plus_size, 0x80000000};
    for (dim3 block : t.blocks())
        for (int pattern = 0; pattern < t.patterns; ++pattern) {
            for (auto &k : moves)
                for (std::int64_t delta : deltas) {
                    launch_case l{k.name, k.function, k.kind, block, in_row, out_row};
                    if (!t.fits(k.kind, block) || !t.take(3))
                        continue;
                    /* Every bit of the mask for xor comes with some delta. */
                    l.argument = delta | std::int64_t(t.launches % 32) << 33;
                    t.fill(l, pattern, word64(t.launches));
                    t.run(l, k.expect);
                }
            for (auto &k : constant) {
                launch_case l{k.name, k.function, k.kind, block, 2, k.columns};
                if (!t.fits(k.kind, block) || !t.take(3))
                    continue;
                t.fill(l, pattern);
                t.run(l, k.expect);
            }
            for (auto &k : voting)
                for (int voters = 0; voters < 3; ++voters) {
                    launch_case l{k.name, k.function, k.kind, block, 2, 8};
                    if (!t.fits(k.kind, block))
                        continue;
                    t.fill(l, pattern);
                    /* As drawn; nearly nobody; nearly everybody. */
                    for (std::size_t i = 1; voters && i < l.in.size(); i += 2)
                        l.in[i] = (i * 7 % 97 == 1) == (voters == 1) ? ~word64(0) : 0;
                    t.run(l, [](const member &m, word64 *row) {
                        int yes = 0, odd = 0;
                        for (int i = 0; i < m.count; ++i) {
                            yes += m.has(i) && (m.in(i)[1] & 1);
                            odd += m.has(i) && (m.in(i)[1] & 4);
                        }
                        row[1] = yes > 0;
                        row[2] = yes == m.size();
                        row[3] = yes == 0;
                        row[4] = odd > 0;
                        row[5] = odd == m.size();
                        row[6] = odd == 0;
                        row[7] = 1;
                    });
                }
        }
}

} // namespace test

int main(int argc, char **argv) { return test::main_of(argc, argv, test::cases); }
