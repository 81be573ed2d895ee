/* SPDX-License-Identifier: MIT
 * joint.hip: what a group does to a range of memory: votes, reduce and scans over empty, short,
 * exact and long ranges, in place too (R086, R088, R090, R092).
 */
#include "reference.hpp"

namespace test {

/* A row: lanes, fixed results, then areas that the group's scans fill in its leader's row. */
constexpr int area = 133, areas = 6, fixed = 8, out_row = fixed + areas * area;

/* Ranges lie behind the rows of input and differ from group to group. */
SUBWAVE_DEVICE std::int64_t range_start(int leader) { return leader % 5; }

/* The argument: elements more than (low half, signed) a multiple (high half) of the group's
 * size. */
SUBWAVE_DEVICE std::int64_t range_length(std::int64_t argument, std::int64_t size)
{
    return static_cast<std::int32_t>(argument) + (argument >> 32) * size;
}

/* A range whose elements are all -0, as their sum is. */
struct minus_zeros {
    std::int64_t at;
    SUBWAVE_DEVICE float operator*() const { return -0.0f; }
    SUBWAVE_DEVICE float operator[](std::int64_t) const { return -0.0f; }
    SUBWAVE_DEVICE std::int64_t operator-(minus_zeros other) const { return at - other.at; }
};

/* A range of ones, and a sum that the library does not know. */
struct ones {
    std::int64_t at;
    SUBWAVE_DEVICE int operator*() const { return 1; }
    SUBWAVE_DEVICE int operator[](std::int64_t) const { return 1; }
    SUBWAVE_DEVICE std::int64_t operator-(ones other) const { return at - other.at; }
};
struct unknown_sum {
    SUBWAVE_DEVICE int operator()(int a, int b) const { return a + b; }
};

/* op and a range without init; then with an init of type T. */
template <class V, class T, template <class> class Op, int K>
SUBWAVE_DEVICE void joint(const word64 *in, word64 *out, std::int64_t argument)
{
    const int items = static_cast<int>(gridDim.x * blockDim.x * blockDim.y * blockDim.z);
    const int item = grid_item();
    const word64 *data = in + items;
    with_group<K>(in[item] & 1, [&](auto g) {
        word64 *row = out + std::int64_t(item) * out_row;
        const int leader = item - wave_lane() + g.lane_of(0);
        const std::int64_t length = range_length(argument, g.get_local_linear_range());
        const V *first = reinterpret_cast<const V *>(data) + range_start(leader),
                *last = first + length;
        const auto odd = [](V x) { return static_cast<int>(x) % 2 != 0; };
        const T init = T(3);
        word64 *const areas_start = out + std::int64_t(leader) * out_row + fixed;
        row[0] = g.lanes();
        row[1] = joint_any_of(g, first, last, odd);
        row[2] = joint_all_of(g, first, last, odd);
        row[3] = joint_none_of(g, first, last, odd);
        row[4] = to_word(joint_reduce(g, first, last, Op<V>()));
        row[5] = to_word(joint_reduce(g, first, last, init, Op<T>()));

        /* The areas hold results as T, or as V where there is no init. */
        V *v = reinterpret_cast<V *>(areas_start);
        T *t = reinterpret_cast<T *>(areas_start + 2 * area);
        V *in_place = reinterpret_cast<V *>(areas_start + 4 * area);
        const bool ends =
            joint_inclusive_scan(g, first, last, v, Op<V>()) == v + length &&
            joint_exclusive_scan(g, first, last, v + area, Op<V>()) == v + area + length &&
            joint_inclusive_scan(g, first, last, t, Op<T>(), init) == t + length &&
            joint_exclusive_scan(g, first, last, t + area, init, Op<T>()) == t + area + length;
        for (std::int64_t i = g.get_local_linear_id(); i < length; i += g.get_local_linear_range())
            in_place[i] = in_place[area + i] = first[i];
        group_barrier(g);
        joint_inclusive_scan(g, in_place, in_place + length, in_place, Op<V>());
        const float sum =
            joint_reduce(g, minus_zeros{0}, minus_zeros{length}, -0.0f, subwave::plus<float>());
        row[6] = ends && subwave::float_bits(sum) == 0x80000000u &&
                 joint_reduce(g, ones{0}, ones{length}, 0, unknown_sum()) == length &&
                 joint_exclusive_scan(g, in_place + area, in_place + area + length, in_place + area,
                                      Op<V>()) == in_place + area + length;
        group_barrier(g);
        row[7] = length ? to_word(in_place[length - 1]) : 0; /* all see what any wrote */
    });
}

/* Chunks of the group's size, each scanned as in registers, its leader's element behind the
 * carry. */
template <class H, class Op, class F>
static std::vector<H> scan_of(const member &m, std::int64_t length, Op op, F x, const H *init)
{
    std::vector<H> result;
    H carry{};
    bool has_carry = init != nullptr;
    if (init)
        carry = *init;
    for (std::int64_t base = 0; base < length; base += m.size()) {
        const auto element = [&](int lane) {
            const std::int64_t i = base + m.rank_of(lane);
            const H mine = x(i < length ? i : length - 1);
            return lane == m.leader() && has_carry ? op(carry, mine) : mine;
        };
        H last{};
        for (int r = 0; r < m.size(); ++r) {
            last = scan_at<H>(m.mask, m.lane_of(r), op, element);
            if (base + r < length)
                result.push_back(last);
        }
        carry = last;
        has_carry = true;
    }
    return result;
}

template <class V, class T, int OpNumber> static void expect_joint(const member &m, word64 *row)
{
    using HV = host_t<V>;
    using HT = host_t<T>;
    const word64 *data = &m.of->in[std::size_t(items_of(m.of->block)) * m.of->blocks];
    const std::int64_t start = (m.first + m.leader()) % 5, size = m.size();
    const std::int64_t length =
        static_cast<std::int32_t>(m.of->argument) + (m.of->argument >> 32) * size;
    const auto x = [&](std::int64_t i) {
        HV value;
        std::memcpy(static_cast<void *>(&value),
                    reinterpret_cast<const char *>(data) + (start + i) * sizeof(HV), sizeof(HV));
        return value;
    };
    const auto y = [&](std::int64_t i) { return host_cast<HT>(x(i)); };
    const auto op_v = [](HV a, HV b) { return combine(OpNumber, a, b); };
    const auto op_t = [](HT a, HT b) { return combine(OpNumber, a, b); };
    const HT init = host_cast<HT>(3);
    const HV id = identity<HV>(OpNumber);
    /* Member r folds elements r, r + size, ... from the left. */
    const auto reduced = [&](auto of, auto op, auto first) {
        using H = decltype(first);
        if (length == 0)
            return first;
        const word64 taking = length < size ? m.mask & low_bits(m.lane_of(int(length))) : m.mask;
        return op(first, tree_of<H>(taking, op, [&](int lane) {
                      H sum = of(m.rank_of(lane));
                      for (std::int64_t i = m.rank_of(lane) + size; i < length; i += size)
                          sum = op(sum, of(i));
                      return sum;
                  }));
    };
    int odd = 0;
    for (std::int64_t i = 0; i < length; ++i)
        odd += static_cast<int>(static_cast<double>(x(i))) % 2 != 0;
    const std::vector<HV> inclusive = scan_of<HV>(m, length, op_v, x, nullptr);
    const std::vector<HT> inclusive_init = scan_of<HT>(m, length, op_t, y, &init);
    /* Without init an exclusive scan begins with the identity, which enters like an init. */
    const std::vector<HV> behind_id = scan_of<HV>(m, length, op_v, x, &id);
    row[1] = odd > 0;
    row[2] = odd == length;
    row[3] = odd == 0;
    row[4] = host_to_word(reduced(x, op_v, id));
    row[5] = host_to_word(reduced(y, op_t, init));
    row[6] = 1;
    row[7] = length ? host_to_word(inclusive.back()) : 0;
    if (m.lane != m.leader())
        return;
    const auto put = [&](int where, std::int64_t at, auto value) {
        std::memcpy(reinterpret_cast<char *>(row + fixed + where * area) + at * sizeof value,
                    &value, sizeof value);
    };
    for (std::int64_t i = 0; i < length; ++i) {
        put(0, i, inclusive[i]);
        put(0, i + area, i ? behind_id[i - 1] : id);
        put(2, i, inclusive_init[i]);
        put(2, i + area, i ? inclusive_init[i - 1] : init);
        put(4, i, inclusive[i]);
        put(4, i + area, i ? behind_id[i - 1] : id);
    }
}

/* An ordered operation through a joint scan: composition of x -> a x + b. */
struct affine {
    std::uint32_t a, b;
};
struct compose {
    SUBWAVE_DEVICE affine operator()(affine f, affine g) const
    {
        return {f.a * g.a, f.b * g.a + g.b};
    }
};
template <int K> SUBWAVE_DEVICE void ordered(const word64 *in, word64 *out, std::int64_t argument)
{
    const int items = static_cast<int>(gridDim.x * blockDim.x * blockDim.y * blockDim.z);
    const int item = grid_item();
    with_group<K>(in[item] & 1, [&](auto g) {
        const int leader = item - wave_lane() + g.lane_of(0);
        const std::int64_t length = range_length(argument, g.get_local_linear_range());
        const affine *first = reinterpret_cast<const affine *>(in + items) + range_start(leader);
        affine *to = reinterpret_cast<affine *>(out + std::int64_t(leader) * out_row + fixed);
        out[std::int64_t(item) * out_row] = g.lanes();
        joint_inclusive_scan(g, first, first + length, to, compose());
        joint_inclusive_scan(g, first, first + length, to + area, compose(), affine{5, 7});
        joint_exclusive_scan(g, first, first + length, to + 2 * area, affine{5, 7}, compose());
    });
}
static void expect_ordered(const member &m, word64 *row)
{
    if (m.lane != m.leader())
        return;
    const word64 *data = &m.of->in[std::size_t(items_of(m.of->block)) * m.of->blocks];
    const std::int64_t start = (m.first + m.leader()) % 5;
    const std::int64_t length =
        static_cast<std::int32_t>(m.of->argument) + (m.of->argument >> 32) * m.size();
    const auto pack = [](affine f) { return f.a | word64(f.b) << 32; };
    affine plain{1, 0}, with_init{5, 7};
    for (std::int64_t i = 0; i < length; ++i) {
        affine f;
        std::memcpy(&f, data + start + i, sizeof f);
        row[fixed + 2 * area + i] = pack(with_init);
        plain = {plain.a * f.a, plain.b * f.a + f.b};
        with_init = {with_init.a * f.a, with_init.b * f.a + f.b};
        row[fixed + i] = pack(plain);
        row[fixed + area + i] = pack(with_init);
    }
}

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
#define JOINT(X) \
    X(u32, u32, plus, PLUS, whole) \
    X(double, double, plus, PLUS, ballot) \
    X(float, double, maximum, MAXIMUM, ballot_branch) \
    X(u8, u32, bit_xor, BIT_XOR, tangle) \
    X(float, float, plus, PLUS, opportunistic) \
    X(float16, float, plus, PLUS, 4) X(i64, i64, minimum, MINIMUM, 16) \
        X(u32, float, multiplies, MULTIPLIES, 1) X(u8, i64, plus, PLUS, 64) \
            X(bfloat16, bfloat16, plus, PLUS, 2) X(float, float, maximum, MAXIMUM, partition)
#define JOINT_KERNEL(V, T, Op, number, K) \
    extern "C" SUBWAVE_KERNEL(1024) \
        joint_##V##_##T##_##K(const word64 *in, word64 *out, std::int64_t argument) \
    { \
        joint<V, T, Op, K>(in, out, argument); \
    }
#define ORDERED(X) X(whole) X(ballot) X(tangle) X(partition) X(8)
#define ORDERED_KERNEL(K) \
    extern "C" SUBWAVE_KERNEL(1024) \
        ordered_##K(const word64 *in, word64 *out, std::int64_t argument) \
    { \
        ordered<K>(in, out, argument); \
    }
JOINT(JOINT_KERNEL)
ORDERED(ORDERED_KERNEL)

/* A word of elements that count up and down, with fractions where there are any. */
template <class V> static word64 elements(word64 random)
{
    word64 result = 0;
    for (std::size_t i = 0; i < 8 / sizeof(V); ++i) {
        using H = host_t<V>;
        const int small = static_cast<int>(random >> 8 * i & 63);
        const H value = is_host_float<H> ? host_cast<H>(small / 7.0 - 2) : host_cast<H>(small);
        result |= host_to_word(value) << 8 * i * sizeof(V) % 64;
    }
    return result;
}

static void cases(machine &t)
{
    struct {
        const char *name;
        kernel *function;
        int kind;
        void (*expect)(const member &, word64 *);
        word64 (*elements)(word64);
    } const all[] = {
#define JOINT_ENTRY(V, T, Op, number, K) \
    {"joint_" #V "_" #T "_" #K, joint_##V##_##T##_##K, K, expect_joint<V, T, number>, elements<V>},
        JOINT(JOINT_ENTRY)
#define ORDERED_ENTRY(K) \
    {"ordered_" #K, ordered_##K, K, expect_ordered, [](word64 x) { return x; }},
            ORDERED(ORDERED_ENTRY)};
    const std::int64_t one = std::int64_t(1) << 32;
    const std::int64_t lengths[] = {0,  1, one | 0xffffffff, one, one + 1, 2 * one + 3, 2 * one,
                                    37, 5};
    for (dim3 block : t.blocks())
        for (int pattern = 0; pattern < t.patterns; ++pattern)
            for (auto &k : all)
                for (std::int64_t length : lengths) {
                    launch_case l{k.name, k.function, k.kind, block, 1, out_row, length};
                    if (!t.fits(k.kind, block) || !t.take(12))
                        continue;
                    t.fill(l, pattern);
                    random_words draw{word64(t.launches)};
                    for (int i = 0; i < 2 * 64 + 16; ++i)
                        l.in.push_back(k.elements(draw()));
                    t.run(l, k.expect);
                }
}

} // namespace test

int main(int argc, char **argv) { return test::main_of(argc, argv, test::cases); }
