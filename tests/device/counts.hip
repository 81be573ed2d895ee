/* SPDX-License-Identifier: MIT
 * counts.hip: sub-groups of every number of members, from one to the wave's size, and groups within
 * them: the last member may have no neighbour, and what a lane that does not exist holds counts
 * nowhere.
 *
 * Values are small whole numbers, whose sums and products are exact in every type and order, and
 * such that what a missing lane could bring in would show: no minimum is below 5, no product is 0.
 */
#include "reference.hpp"

namespace test {

using i8 = std::int8_t;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;

/* Calls body(op, its number) for every operation that T has. */
template <class T, class Body> SUBWAVE_DEVICE void each_op(Body body)
{
    body(plus<T>(), PLUS);
    body(multiplies<>(), MULTIPLIES);
    body(minimum<>(), MINIMUM);
    body(maximum<T>(), MAXIMUM);
    body(logical_and<>(), LOGICAL_AND);
    body(logical_or<T>(), LOGICAL_OR);
    if constexpr (is_integer_v<T>) {
        body(bit_and<>(), BIT_AND);
        body(bit_or<T>(), BIT_OR);
        body(bit_xor<>(), BIT_XOR);
    }
}

/* A value for an operation; `all` is the same for a whole launch. */
template <class H> static word64 number(int op, word64 random, word64 all)
{
    const unsigned small = random >> 8 & 3;
    constexpr bool is_unsigned = std::is_unsigned<H>::value;
    if (op == BIT_XOR || (is_unsigned && op == PLUS))
        return random & low_bits(8 * sizeof(H));
    if (op == BIT_AND || op == BIT_OR) { /* a bit here and there */
        const word64 bit = small == 0 ? word64(1) << random % (8 * sizeof(H)) : 0;
        return (op == BIT_AND ? ~bit : bit) & low_bits(8 * sizeof(H));
    }
    double x = 0;
    if (op == PLUS)
        x = all % 4 == 0 ? -0.0 : double(small);
    else if (op == MULTIPLIES) /* 2 in one lane of about 40 */
        x = random % 41 == 0 ? 2 : is_unsigned || random & 64 ? 1 : -1;
    else if (op == MINIMUM)
        x = 5 + random % 90;
    else if (op == MAXIMUM)
        x = is_unsigned ? double(random % 90) : -5 - double(random % 90);
    else if (all % 3 == 0 ? random % 50 == 0 : op == LOGICAL_AND)
        x = all % 3 != 0 || op == LOGICAL_OR ? 3 : 0;
    else
        x = op == LOGICAL_AND ? 7 : 0;
    return host_to_word(static_cast<H>(x));
}

/* op over f(rank) of ranks from .. to - 1, from the left; there is at least one. */
template <class Op, class F> auto fold(int from, int to, Op op, F f)
{
    auto result = f(from);
    for (int i = from + 1; i < to; ++i)
        result = op(result, f(i));
    return result;
}

/* --- numbers: a column of input an operation, two results each ------------------------------- */

constexpr int number_in = 1 + operations, number_out = 1 + 3 * operations;

template <class T, int K> SUBWAVE_DEVICE void numbers(const word64 *in, word64 *out)
{
    const word64 *mine = in + grid_item() * number_in;
    word64 *row = out + grid_item() * number_out;
    with_group<K>(mine[0] & 1, [&](auto g) {
        row[0] = g.lanes();
        each_op<T>([&](auto f, int op) {
            const T x = from_word<T>(mine[1 + op]);
            row[1 + 3 * op] = to_word(reduce_over_group(g, x, f));
            row[2 + 3 * op] = to_word(exclusive_scan_over_group(g, x, f));
            row[3 + 3 * op] = to_word(inclusive_scan_over_group(g, x, f));
        });
    });
}

template <class T> static void expect_numbers(const member &m, word64 *row)
{
    using H = host_t<T>;
    for (int op = 0; op < operations; ++op) {
        if (is_host_float<H> && is_bitwise(op))
            continue;
        word64 left = m.mask;
        const auto next = [&] {
            const int lane = __builtin_ctzll(left);
            left &= left - 1;
            return host_from_word<H>(m.in(lane)[1 + op]);
        };
        /* In one pass from the left: of the members before this one, up to it, and of all. */
        H all = next(), before = identity<H>(op), up_to = all;
        for (int rank = 1; rank < m.size(); ++rank) {
            if (rank == m.rank())
                before = all;
            all = combine(op, all, next());
            if (rank == m.rank())
                up_to = all;
        }
        row[1 + 3 * op] = host_to_word(all);
        row[2 + 3 * op] = host_to_word(before);
        row[3 + 3 * op] = host_to_word(up_to);
    }
}

/* --- a user's operation, which is not commutative -------------------------------------------- */

/* x -> a x + b: composition, left to right. */
struct affine {
    u32 a, b;
};
struct compose {
    SUBWAVE_DEVICE affine operator()(affine f, affine g) const
    {
        return {f.a * g.a, f.b * g.a + g.b};
    }
};
SUBWAVE_DEVICE word64 digest(affine f) { return word64(f.a) << 32 | f.b; }
SUBWAVE_DEVICE affine from_digest(word64 x)
{
    return {static_cast<u32>(x >> 32), static_cast<u32>(x)};
}

constexpr int ordered_in = 2, ordered_out = 6;

template <int K> SUBWAVE_DEVICE void ordered(const word64 *in, word64 *out)
{
    const word64 *mine = in + grid_item() * ordered_in;
    word64 *row = out + grid_item() * ordered_out;
    const affine x = from_digest(mine[1]), init{5, 7};
    with_group<K>(mine[0] & 1, [&](auto g) {
        row[0] = g.lanes();
        row[1] = digest(reduce_over_group(g, x, compose()));
        row[2] = digest(inclusive_scan_over_group(g, x, compose()));
        row[3] = digest(reduce_over_group(g, x, init, compose()));
        row[4] = digest(exclusive_scan_over_group(g, x, init, compose()));
        row[5] = digest(inclusive_scan_over_group(g, x, compose(), init));
    });
}

static void expect_ordered(const member &m, word64 *row)
{
    using pair = std::pair<u32, u32>;
    const auto f = [](pair x, pair y) {
        return pair(x.first * y.first, x.second * y.first + y.second);
    };
    const auto element =
        [&](int rank) { /* rank -1 is what goes before all */
                        const word64 x = rank < 0 ? word64(5) << 32 | 7 : m.in(m.lane_of(rank))[1];
                        return pair(static_cast<u32>(x >> 32), static_cast<u32>(x));
        };
    const auto upto = [&](int from, int to) {
        const pair x = fold(from, to, f, element);
        return word64(x.first) << 32 | x.second;
    };
    row[1] = upto(0, m.size());
    row[2] = upto(0, m.rank() + 1);
    row[3] = upto(-1, m.size());
    row[4] = upto(-1, m.rank());
    row[5] = upto(-1, m.rank() + 1);
}

/* --- moves and votes ------------------------------------------------------------------------- */

constexpr int move_in = 3, move_out = 21;

template <class T, int K> SUBWAVE_DEVICE void moves(const word64 *in, word64 *out)
{
    const word64 *mine = in + grid_item() * move_in;
    word64 *row = out + grid_item() * move_out;
    const T x = from_word<T>(mine[1]);
    with_group<K>(mine[0] & 1, [&](auto g) {
        const u32 size = g.get_local_linear_range(), rank = g.get_local_linear_id();
        const auto big = [](T y) { return (to_word(y) & 0x60) == 0; };
        row[0] = g.lanes();
        row[1] = to_word(group_broadcast(g, x));
        row[2] = to_word(group_broadcast(g, x, size - 1));
        row[3] = to_word(group_broadcast(g, x, id<1>(size / 2)));
        row[4] = to_word(shift_group_left(g, x));
        row[5] = to_word(shift_group_right(g, x));
        row[6] = to_word(shift_group_left(g, x, 3));
        row[7] = to_word(shift_group_right(g, x, 3));
        row[8] = to_word(shift_group_left(g, x, size - 1));
        row[9] = to_word(shift_group_right(g, x, size));
        row[10] = to_word(permute_group_by_xor(g, x, 1));
        row[11] = to_word(permute_group_by_xor(g, x, 2));
        row[12] = to_word(permute_group_by_xor(g, x, id<1>(size / 2)));
        row[13] = to_word(select_from_group(g, x, id<1>(size - 1 - rank)));
        row[14] = to_word(select_from_group(g, x, id<1>(mine[2] % (2 * size))));
        row[15] = any_of_group(g, rank == size - 1);
        row[16] = all_of_group(g, rank < size);
        row[17] = none_of_group(g, rank >= size);
        row[18] = any_of_group(g, x, big);
        row[19] = all_of_group(g, rank != size - 1);
        row[20] = none_of_group(g, x, big);
    });
}

template <class T> static void expect_moves(const member &m, word64 *row)
{
    const u32 size = static_cast<u32>(m.size()), rank = static_cast<u32>(m.rank());
    /* A local id outside the group gives the own value. */
    const auto of = [&](u32 local_id) {
        const int lane = local_id < size ? m.lane_of(static_cast<int>(local_id)) : m.lane;
        return host_to_word(host_from_word<host_t<T>>(m.in(lane)[1]));
    };
    const u32 from[] = {0,
                        size - 1,
                        size / 2,
                        rank + 1,
                        rank - 1,
                        rank + 3,
                        rank - 3,
                        rank + size - 1,
                        rank - size,
                        rank ^ 1,
                        rank ^ 2,
                        rank ^ size / 2,
                        size - 1 - rank,
                        static_cast<u32>(m.in(m.lane)[2] % (2 * size))};
    for (int i = 0; i < 14; ++i)
        row[1 + i] = of(from[i]);
    bool big = false;
    for (u32 i = 0; i < size; ++i)
        big |= (of(i) & 0x60) == 0;
    const bool votes[] = {true, true, true, big, false, !big};
    for (int i = 0; i < 6; ++i)
        row[15 + i] = votes[i];
}

/* --- ranges: each group has its own, of one element less than members to more than two a member
 * ----- */

constexpr int longest = 2 * 64 + 1, range_columns = 2 + longest, ranges = 3;
constexpr int joint_out = 1 + ranges * range_columns;

constexpr __host__ __device__ int range_length(int which, int size)
{
    return which == 2 ? 2 * size + 1 : size - 1 + 2 * which;
}

template <class T, template <class> class Op, int K>
SUBWAVE_DEVICE void joint(const word64 *in, word64 *out)
{
    const int item = grid_item(), items = static_cast<int>(gridDim.x * blockDim.x);
    with_group<K>(in[item] & 1, [&](auto g) {
        const int leader = item - wave_lane() + g.lane_of(0);
        const T *first = reinterpret_cast<const T *>(in + items) + leader;
        out[item * joint_out] = g.lanes();
        for (int i = 0; i < ranges; ++i) {
            const int length = range_length(i, static_cast<int>(g.get_local_linear_range()));
            word64 *row = out + item * joint_out + 1 + i * range_columns;
            T *scanned = reinterpret_cast<T *>(out + leader * joint_out + 3 + i * range_columns);
            row[0] = to_word(joint_reduce(g, first, first + length, Op<T>()));
            row[1] = joint_inclusive_scan(g, first, first + length, scanned, Op<T>()) ==
                     scanned + length;
        }
    });
}

template <class T, int OpNumber> static void expect_joint(const member &m, word64 *row)
{
    using H = host_t<T>;
    const char *data =
        reinterpret_cast<const char *>(&m.of->in[std::size_t(items_of(m.of->block))]);
    const auto f = [](H a, H b) { return combine(OpNumber, a, b); };
    const auto x = [&](int i) {
        H value;
        std::memcpy(static_cast<void *>(&value),
                    data + (m.first + m.leader() + i) * int(sizeof value), sizeof value);
        return value;
    };
    for (int i = 0; i < ranges; ++i) {
        const int length = range_length(i, m.size());
        word64 *of_range = row + 1 + i * range_columns;
        of_range[0] = host_to_word(
            fold(-1, length, f, [&](int k) { return k < 0 ? identity<H>(OpNumber) : x(k); }));
        of_range[1] = true;
        if (m.lane != m.leader())
            continue;
        H value = length ? x(0) : H();
        for (int k = 0; k < length; value = ++k < length ? f(value, x(k)) : value)
            std::memcpy(reinterpret_cast<char *>(of_range + 2) + k * int(sizeof value), &value,
                        sizeof value);
    }
}

/* --- kernels --------------------------------------------------------------------------------- */

#define NUMBERS(X) \
    X(i8, whole) \
    X(i32, whole) \
    X(u32, whole) \
    X(i64, whole) \
    X(float16, whole) X(bfloat16, whole) X(float, whole) X(double, whole) X(i32, ballot) \
        X(double, ballot) X(float, ballot_branch) X(float16, ballot_branch) X(i64, tangle) \
            X(bfloat16, tangle) X(u32, opportunistic) X(float, 2) X(float16, 4) X(i64, 8) \
                X(double, 16) X(i32, 32)
#define ORDERED(X) X(whole) X(ballot) X(ballot_branch) X(tangle) X(4)
#define MOVES(X) \
    X(u32, whole) \
    X(i64, whole) \
    X(float16, whole) \
    X(double, ballot) \
    X(u32, ballot_branch) X(i8, tangle) X(i64, opportunistic) X(float, 4) X(double, 32)
#define JOINT(X) \
    X(i32, minimum, MINIMUM, whole) \
    X(float16, plus, PLUS, whole) \
    X(double, multiplies, MULTIPLIES, whole) \
    X(float, maximum, MAXIMUM, ballot) \
    X(i64, plus, PLUS, ballot_branch) X(u32, bit_and, BIT_AND, tangle) \
        X(bfloat16, minimum, MINIMUM, 8)

#define NUMBERS_KERNEL(T, K) \
    extern "C" SUBWAVE_KERNEL(128) count_##T##_##K(const word64 *in, word64 *out, std::int64_t) \
    { \
        numbers<T, K>(in, out); \
    }
#define ORDERED_KERNEL(K) \
    extern "C" SUBWAVE_KERNEL(128) ordered_##K(const word64 *in, word64 *out, std::int64_t) \
    { \
        ordered<K>(in, out); \
    }
#define MOVES_KERNEL(T, K) \
    extern "C" SUBWAVE_KERNEL(128) move_##T##_##K(const word64 *in, word64 *out, std::int64_t) \
    { \
        moves<T, K>(in, out); \
    }
#define JOINT_KERNEL(T, Op, number, K) \
    extern "C" SUBWAVE_KERNEL(128) \
        joint_##T##_##Op##_##K(const word64 *in, word64 *out, std::int64_t) \
    { \
        joint<T, Op, K>(in, out); \
    }
NUMBERS(NUMBERS_KERNEL)
ORDERED(ORDERED_KERNEL)
MOVES(MOVES_KERNEL)
JOINT(JOINT_KERNEL)

static void cases(machine &t)
{
    struct {
        const char *name;
        kernel *function;
        int kind, in, out;
        void (*expect)(const member &, word64 *);
        word64 (*number)(int, word64, word64); /* for columns of input, or a range after the rows */
        int op;                                /* the range's; -1 for columns */
        std::size_t size;
    } const all[] = {
#define NUMBERS_ENTRY(T, K) \
    {"count_" #T "_" #K, count_##T##_##K,   K,  number_in, number_out, \
     expect_numbers<T>,  number<host_t<T>>, -1, 0},
#define ORDERED_ENTRY(K) \
    {"ordered_" #K, ordered_##K, K, ordered_in, ordered_out, expect_ordered, nullptr, -1, 0},
#define MOVES_ENTRY(T, K) \
    {"move_" #T "_" #K, move_##T##_##K, K, move_in, move_out, expect_moves<T>, nullptr, -1, 0},
#define JOINT_ENTRY(T, Op, number_, K) \
    {"joint_" #T "_" #Op "_" #K, joint_##T##_##Op##_##K, K,       1,        joint_out, \
     expect_joint<T, number_>,   number<host_t<T>>,      number_, sizeof(T)},
        NUMBERS(NUMBERS_ENTRY) ORDERED(ORDERED_ENTRY) MOVES(MOVES_ENTRY) JOINT(JOINT_ENTRY)};

    for (int count = 1; count <= t.wave; ++count)
        for (auto &k : all)
            /* The members alone, or behind a whole wave; random orders do less. */
            for (int before = 0; before < 2; ++before) {
                const int index = static_cast<int>(&k - all),
                          turn = (index ^ before) + (count >> 1);
                const dim3 block(static_cast<unsigned>(before * t.wave + count));
                launch_case l{k.name, k.function, k.kind, block, k.in, k.out};
                if (!t.fits(k.kind, block) ||
                    (!t.full &&
                     (turn % 2 || (t.seed && (turn / 2 + count) % 3 + 1 != int(t.seed)))))
                    continue;
                random_words draw{word64(count) << 32 | word64(index)};
                t.fill(l, (count + index) % t.patterns, draw());
                const word64 alike = draw();
                if (k.number && k.op < 0)
                    for (std::size_t i = 0; i < l.in.size(); ++i)
                        if (const int c = static_cast<int>(i % k.in); c > 0)
                            l.in[i] = k.number(c - 1, l.in[i], alike + c);
                if (k.op >= 0)
                    for (int i = 0; i < items_of(block) + longest; ++i) {
                        if (i * k.size % 8 == 0)
                            l.in.push_back(0);
                        l.in.back() |= k.number(k.op, draw(), alike) << 8 * (i * k.size % 8);
                    }
                t.run(l, k.expect);
            }
}

} // namespace test

int main(int argc, char **argv) { return test::main_of(argc, argv, test::cases); }
