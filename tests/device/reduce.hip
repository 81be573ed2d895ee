/* SPDX-License-Identifier: MIT
 * reduce.hip: reduce and both scans in registers: nine operations on every number type, mixed
 * types, user's operations, every kind of group (R087, R089, R091, R092, R094, R095).
 */
#include "reference.hpp"

namespace test {

/* Calls body(op) for operation number `op`; not for the bitwise ones of floats. */
template <class T, class Body> SUBWAVE_DEVICE void with_op(std::int64_t op, Body body)
{
    switch (op) {
    case PLUS:
        return body(plus<T>());
    case MULTIPLIES:
        return body(multiplies<>());
    case LOGICAL_AND:
        return body(logical_and<T>());
    case LOGICAL_OR:
        return body(logical_or<>());
    case MINIMUM:
        return body(minimum<T>());
    case MAXIMUM:
        return body(maximum<>());
    default:
        break;
    }
    if constexpr (is_integer_v<T>) {
        switch (op) {
        case BIT_AND:
            return body(bit_and<T>());
        case BIT_OR:
            return body(bit_or<>());
        case BIT_XOR:
            return body(bit_xor<T>());
        default:
            break;
        }
    }
}

/* --- every operation on every type ----------------------------------------------------------- */

template <class T, int K>
SUBWAVE_DEVICE void numbers(const word64 *in, word64 *out, std::int64_t op)
{
    const word64 *mine = in + grid_item() * 2;
    word64 *row = out + grid_item() * 4;
    const T x = from_word<T>(mine[1]);
    with_group<K>(mine[0] & 1, [&](auto g) {
        with_op<T>(op, [&](auto f) {
            row[0] = g.lanes();
            row[1] = to_word(reduce_over_group(g, x, f));
            row[2] = to_word(exclusive_scan_over_group(g, x, f));
            row[3] = to_word(inclusive_scan_over_group(g, x, f));
        });
    });
}

template <class T> static void expect_numbers(const member &m, word64 *row)
{
    using H = host_t<T>;
    const int op = static_cast<int>(m.of->argument), lane = m.lane;
    const auto f = [op](H a, H b) { return combine(op, a, b); };
    const auto x = [&](int i) { return host_from_word<H>(m.in(i)[1]); };
    row[1] = host_to_word(tree_of<H>(m.mask, f, x));
    row[2] = host_to_word(m.rank() == 0 ? identity<H>(op)
                                        : scan_at<H>(m.mask, m.lane_of(m.rank() - 1), f, x));
    row[3] = host_to_word(scan_at<H>(m.mask, lane, f, x));
}

/* Bits of a number with which no operation of this kind overflows where that is undefined; with
 * `specials` infinities, NaN, zeros and a small one now and then. */
template <class H> static word64 number(int op, word64 random, bool specials)
{
    if constexpr (is_host_float<H>) {
        const double special[] = {INFINITY, -INFINITY, NAN, 0.0, 1e-7, -0.0};
        const double size = std::ldexp(1.0 + double(random >> 12) * 0x1p-52, int(random & 7) - 4);
        if (specials && random % 3 == 0)
            return host_to_word(static_cast<H>(special[random / 3 % 6]));
        if (op == LOGICAL_AND || op == LOGICAL_OR)
            return host_to_word(static_cast<H>(random % 7 == (op == LOGICAL_AND) ? 0.0 : size));
        return host_to_word(static_cast<H>(random & 8 ? size : -size));
    } else {
        if (op == MULTIPLIES && sizeof(H) >= 4 && std::is_signed<H>::value)
            random = random % 29 == 0 ? 2 : random & 1 ? word64(1) : ~word64(0);
        if (op == PLUS && sizeof(H) >= 4 && std::is_signed<H>::value)
            random = word64(std::int64_t(random) >> (sizeof(H) == 8 ? 8 : 40));
        if (op == LOGICAL_AND || op == LOGICAL_OR)
            random = random % 7 == (op == LOGICAL_AND) ? 0 : random;
        return host_to_word(static_cast<H>(random));
    }
}

/* --- results that one lane alone uses ---------------------------------------------------------- */

/* What all compute stays with all, also where a compiler sees that a branch alone uses it. */
template <class T, int K> SUBWAVE_DEVICE void by_last(const word64 *in, word64 *out)
{
    const T x = from_word<T>(in[grid_item() * 2 + 1]);
    word64 *row = out + grid_item() * 5;
    with_group<K>(in[grid_item() * 2] & 1, [&](auto g) {
        const T sum = reduce_over_group(g, x, plus<T>());
        const T before = exclusive_scan_over_group(g, x, plus<T>());
        const T upto = inclusive_scan_over_group(g, x, plus<T>());
        T other = x;
        if constexpr (K == 32)
            other = permute_group_by_xor(g, x, id<1>(16));
        row[0] = g.lanes();
        if (g.get_local_linear_id() == g.get_local_linear_range() - 1) {
            row[1] = to_word(sum);
            row[2] = to_word(before);
            row[3] = to_word(upto);
            if (K == 32)
                row[4] = to_word(other);
        }
    });
}

template <class T, int K> static void expect_by_last(const member &m, word64 *row)
{
    using H = host_t<T>;
    const auto f = [](H a, H b) { return combine(PLUS, a, b); };
    const auto x = [&](int i) { return host_from_word<H>(m.in(i)[1]); };
    if (m.rank() != m.size() - 1)
        return;
    row[1] = host_to_word(tree_of<H>(m.mask, f, x));
    row[2] = host_to_word(m.rank() == 0 ? identity<H>(PLUS)
                                        : scan_at<H>(m.mask, m.lane_of(m.rank() - 1), f, x));
    row[3] = host_to_word(scan_at<H>(m.mask, m.lane, f, x));
    if (K == 32)
        row[4] = host_to_word(x(m.lane ^ 16));
}

/* --- initial values, of a wider or narrower type --------------------------------------------- */

template <class V, class T, int K>
SUBWAVE_DEVICE void mixed(const word64 *in, word64 *out, std::int64_t argument)
{
    const word64 *mine = in + grid_item() * 2;
    word64 *row = out + grid_item() * 7;
    const V x = from_word<V>(mine[1]);
    const T init = from_word<T>(static_cast<word64>(argument));
    with_group<K>(mine[0] & 1, [&](auto g) {
        row[0] = g.lanes();
        row[1] = to_word(reduce_over_group(g, x, init, plus<T>()));
        row[2] = to_word(exclusive_scan_over_group(g, x, init, plus<>()));
        row[3] = to_word(inclusive_scan_over_group(g, x, plus<T>(), init));
        row[4] = to_word(reduce_over_group(g, x, init, maximum<>()));
        row[5] = to_word(exclusive_scan_over_group(g, x, init, minimum<T>()));
        row[6] = to_word(inclusive_scan_over_group(g, x, maximum<T>(), init));
    });
}

template <class V, class T> static void expect_mixed(const member &m, word64 *row)
{
    using H = host_t<T>;
    const H init = host_from_word<H>(static_cast<word64>(m.of->argument));
    const auto x = [&](int i) { return host_cast<H>(host_from_word<host_t<V>>(m.in(i)[1])); };
    const auto op = [](int o) { return [o](H a, H b) { return combine(o, a, b); }; };
    /* In a scan init enters with the first element. */
    const auto scan = [&](int o, int lane) {
        return scan_at<H>(m.mask, lane, op(o),
                          [&](int i) { return i == m.leader() ? combine(o, init, x(i)) : x(i); });
    };
    const auto before = [&](int o) {
        return m.rank() == 0 ? init : scan(o, m.lane_of(m.rank() - 1));
    };
    row[1] = host_to_word(combine(PLUS, init, tree_of<H>(m.mask, op(PLUS), x)));
    row[2] = host_to_word(before(PLUS));
    row[3] = host_to_word(scan(PLUS, m.lane));
    row[4] = host_to_word(combine(MAXIMUM, init, tree_of<H>(m.mask, op(MAXIMUM), x)));
    row[5] = host_to_word(before(MINIMUM));
    row[6] = host_to_word(scan(MAXIMUM, m.lane));
}

/* --- a user's operations, which are associative and not commutative -------------------------- */

/* x -> a x + b: composition, left to right. */
struct affine {
    std::uint32_t a, b;
};
struct compose {
    SUBWAVE_DEVICE affine operator()(affine f, affine g) const
    {
        return {f.a * g.a, f.b * g.a + g.b};
    }
};
/* 2 x 2, modulo 2^32. */
struct matrix {
    std::uint32_t e[4];
};
struct product {
    SUBWAVE_DEVICE matrix operator()(const matrix &x, const matrix &y) const
    {
        return {{x.e[0] * y.e[0] + x.e[1] * y.e[2], x.e[0] * y.e[1] + x.e[1] * y.e[3],
                 x.e[2] * y.e[0] + x.e[3] * y.e[2], x.e[2] * y.e[1] + x.e[3] * y.e[3]}};
    }
};
SUBWAVE_DEVICE word64 digest(affine f) { return word64(f.a) << 32 | f.b; }
SUBWAVE_DEVICE word64 digest(const matrix &m)
{
    return (word64(m.e[0]) << 32 | m.e[1]) * 0x9e3779b97f4a7c15u + (word64(m.e[2]) << 32 | m.e[3]);
}
template <class T> SUBWAVE_DEVICE T from_two(word64 x, word64 y)
{
    if constexpr (sizeof(T) == 8)
        return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)};
    else
        return {{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(x >> 32),
                 static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(y >> 32)}};
}

template <class T, class Op, int K> SUBWAVE_DEVICE void ordered(const word64 *in, word64 *out)
{
    const word64 *mine = in + grid_item() * 3;
    word64 *row = out + grid_item() * 6;
    const T x = from_two<T>(mine[1], mine[2]), init = from_two<T>(5, 7);
    with_group<K>(mine[0] & 1, [&](auto g) {
        row[0] = g.lanes();
        row[1] = digest(reduce_over_group(g, x, Op()));
        row[2] = digest(reduce_over_group(g, x, init, Op()));
        row[3] = digest(inclusive_scan_over_group(g, x, Op()));
        row[4] = digest(inclusive_scan_over_group(g, x, Op(), init));
        row[5] = digest(exclusive_scan_over_group(g, x, init, Op()));
    });
}

/* The same things on the host, from the left. */
static void host_multiply(affine &f, const affine &g) { f = {f.a * g.a, f.b * g.a + g.b}; }
static void host_multiply(matrix &x, const matrix &y)
{
    matrix r{};
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            for (int k = 0; k < 2; ++k)
                r.e[2 * i + j] += x.e[2 * i + k] * y.e[2 * k + j];
    x = r;
}
static word64 host_digest(const affine &f) { return word64(f.a) << 32 | f.b; }
static word64 host_digest(const matrix &m)
{
    return (word64(m.e[0]) << 32 | m.e[1]) * 0x9e3779b97f4a7c15u + (word64(m.e[2]) << 32 | m.e[3]);
}
static void host_from_two(affine &f, word64 x, word64 y)
{
    f = {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)};
}
static void host_from_two(matrix &m, word64 x, word64 y)
{
    m = {{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(x >> 32),
          static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(y >> 32)}};
}
template <class T> static void expect_ordered(const member &m, word64 *row)
{
    T init, x;
    host_from_two(init, 5, 7);
    /* The product of the elements with ranks below `end`, behind init if so told. */
    const auto upto = [&](int end, bool with_init) {
        T result = init;
        for (int rank = 0; rank < end; ++rank) {
            const word64 *in = m.in(m.lane_of(rank));
            host_from_two(x, in[1], in[2]);
            if (rank == 0 && !with_init)
                result = x;
            else
                host_multiply(result, x);
        }
        return host_digest(result);
    };
    row[1] = upto(m.size(), false);
    row[2] = upto(m.size(), true);
    row[3] = upto(m.rank() + 1, false);
    row[4] = upto(m.rank() + 1, true);
    row[5] = upto(m.rank(), true);
}

/* --- small floats to and from float ---------------------------------------------------------- */

extern "C" SUBWAVE_KERNEL(1024) conversions(const word64 *in, word64 *out, std::int64_t)
{
    const word64 mine = in[grid_item() * 2 + 1];
    word64 *row = out + grid_item() * 5;
    const float x = from_word<float>(mine);
    row[0] = this_work_item::get_sub_group().lanes();
    row[1] = to_word(float16(x));
    row[2] = to_word(bfloat16(x));
    row[3] = to_word(static_cast<float>(from_word<float16>(mine >> 32)));
    row[4] = to_word(static_cast<float>(from_word<bfloat16>(mine >> 32)));
}
static void expect_conversions(const member &m, word64 *row)
{
    const word64 mine = m.in(m.lane)[1];
    const double x = host_from_word<float>(mine);
    row[1] = host_to_word(host_half(x));
    row[2] = host_to_word(host_bfloat16(x));
    row[3] = host_to_word(static_cast<float>(host_from_word<host_half>(mine >> 32)));
    row[4] = host_to_word(static_cast<float>(host_from_word<host_bfloat16>(mine >> 32)));
}
/* Floats around where halves begin, round, become normal and end; ties; every other bit pattern. */
static word64 float_to_convert(word64 random)
{
    const word64 near[] = {0x33000000, 0x33800000, 0x387fe000, 0x38800000, 0x477fe000, 0x477ff000,
                           0x7f7fffff, 0x7f7f8000, 0x7f800000, 0x00000001, 0x00800000, 0x3f801000};
    const word64 bits = near[random % 12] + (random >> 8 & 3) * 0x1000 + (random >> 10 & 3) - 1;
    return (random >> 12 & 1 ? bits & 0x7fffffff : random >> 20 & 0xffffffff) ^
           (random << 31 & 0x80000000);
}

/* --- kernels --------------------------------------------------------------------------------- */

using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u16 = std::uint16_t;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;

/* Kinds go round the types; the next list has every kind. A variable and not a function, which nvcc
 * would want marked for the device. */
constexpr int kinds_of_numbers[] = {ballot, 8, whole, ballot_branch, tangle, 2, 4, partition};
template <subwave_dtype Dtype> constexpr int kind_of = kinds_of_numbers[Dtype % 8];

#define MIXED(X) \
    X(i8, i32, whole) \
    X(u16, i64, 2) \
    X(i32, double, ballot) \
    X(float, double, tangle) \
    X(float16, float, ballot_branch) \
    X(bfloat16, float, 32) \
    X(u8, u64, opportunistic) X(double, float, 1) X(float, float, 64) X(u32, u32, 8) \
        X(float, half, ballot) X(i64, double, 16) X(double, double, whole) X(i32, i32, ballot) \
            X(half, float, partition) X(double, double, partition)
#define ORDERED(X) \
    X(affine, compose, whole) \
    X(affine, compose, ballot) \
    X(affine, compose, opportunistic) \
    X(matrix, product, ballot_branch) \
    X(matrix, product, 8) \
    X(matrix, product, tangle) X(affine, compose, 64) X(matrix, product, 2) \
        X(affine, compose, partition)

#define NUMBERS_KERNEL(operation, dtype, type) \
    extern "C" SUBWAVE_KERNEL(1024) \
        numbers_##dtype(const word64 *in, word64 *out, std::int64_t op) \
    { \
        numbers<type, kind_of<SUBWAVE_DTYPE_##dtype>>(in, out, op); \
    }
#define MIXED_KERNEL(V, T, K) \
    extern "C" SUBWAVE_KERNEL(1024) \
        mixed_##V##_##T##_##K(const word64 *in, word64 *out, std::int64_t init) \
    { \
        mixed<V, T, K>(in, out, init); \
    }
#define BY_LAST(X) \
    X(float, whole) \
    X(double, whole) X(int64_t, whole) X(float16, whole) X(float, 32) X(double, 32) X(int64_t, 32) \
        X(double, ballot)
#define BY_LAST_KERNEL(T, K) \
    extern "C" SUBWAVE_KERNEL(1024) by_last_##T##_##K(const word64 *in, word64 *out, std::int64_t) \
    { \
        by_last<T, K>(in, out); \
    }
#define ORDERED_KERNEL(T, Op, K) \
    extern "C" SUBWAVE_KERNEL(1024) Op##_##K(const word64 *in, word64 *out, std::int64_t) \
    { \
        ordered<T, Op, K>(in, out); \
    }
SUBWAVE_KERNELS_group_reduce(NUMBERS_KERNEL) BY_LAST(BY_LAST_KERNEL) MIXED(MIXED_KERNEL)
    ORDERED(ORDERED_KERNEL)

        static void cases(machine &t)
{
    struct {
        const char *name;
        kernel *function;
        int kind;
        void (*expect)(const member &, word64 *);
        word64 (*number)(int, word64, bool);
        bool floating;
    } const all[] = {
#define NUMBERS_ENTRY(operation, dtype, type) \
    {"numbers_" #dtype,    numbers_##dtype,      kind_of<SUBWAVE_DTYPE_##dtype>, \
     expect_numbers<type>, number<host_t<type>>, is_host_float<host_t<type>>},
        SUBWAVE_KERNELS_group_reduce(NUMBERS_ENTRY)};
    struct {
        const char *name;
        kernel *function;
        int kind;
        void (*expect)(const member &, word64 *);
        word64 (*number)(int, word64, bool);
        word64 init;
    } const mixing[] = {
#define MIXED_ENTRY(V, T, K) \
    {"mixed_" #V "_" #T "_" #K, mixed_##V##_##T##_##K, K, \
     expect_mixed<V, T>,        number<host_t<V>>,     host_to_word(host_cast<host_t<T>>(3))},
        MIXED(MIXED_ENTRY)};
    struct {
        const char *name;
        kernel *function;
        int kind;
        void (*expect)(const member &, word64 *);
        word64 (*number)(int, word64, bool);
    } const lasts[] = {
#define BY_LAST_ENTRY(T, K) \
    {"by_last_" #T "_" #K, by_last_##T##_##K, K, expect_by_last<T, K>, number<host_t<T>>},
        BY_LAST(BY_LAST_ENTRY)};
    struct {
        const char *name;
        kernel *function;
        int kind;
        void (*expect)(const member &, word64 *);
    } const ordering[] = {
#define ORDERED_ENTRY(T, Op, K) {#Op "_" #K, Op##_##K, K, expect_ordered<T>},
        ORDERED(ORDERED_ENTRY)};

    /* Every bit pattern of 16 bits, 1024 a launch. */
    for (unsigned high = 0; high < 64; ++high) {
        launch_case l{"conversions", conversions, whole, dim3(256), 2, 5, 0, 4};
        t.fill(l, 0, high);
        for (std::size_t i = 1; i < l.in.size(); i += 2)
            l.in[i] = (high * 1024 + i / 2) << 32 | (float_to_convert(l.in[i]) & 0xffffffff);
        t.run(l, expect_conversions);
    }
    for (dim3 block : t.blocks())
        for (int pattern = 0; pattern < t.patterns; ++pattern) {
            for (auto &k : all)
                for (int op = 0; op < operations; ++op) {
                    launch_case l{k.name, k.function, k.kind, block, 2, 4, op};
                    if ((is_bitwise(op) && k.floating) || !t.fits(k.kind, block) || !t.take(2))
                        continue;
                    t.fill(l, pattern, word64(op));
                    for (std::size_t i = 1; i < l.in.size(); i += 2)
                        l.in[i] = k.number(op, l.in[i], pattern % 2 != 0);
                    t.run(l, k.expect);
                }
            for (auto &k : mixing) {
                launch_case l{k.name, k.function, k.kind, block, 2, 7, std::int64_t(k.init)};
                if (!t.fits(k.kind, block) || !t.take(1))
                    continue;
                t.fill(l, pattern);
                /* What is not finite is on one side alone and must stay there. */
                for (std::size_t i = 1; i < l.in.size(); i += 2)
                    l.in[i] = k.number(PLUS, l.in[i] & ~word64(0x80) /* unsigned sums stay small */,
                                       pattern == 3 && l.in[i - 1]);
                t.run(l, k.expect);
            }
            for (auto &k : lasts) {
                launch_case l{k.name, k.function, k.kind, block, 2, 5};
                if (!t.fits(k.kind, block) || !t.take(1))
                    continue;
                t.fill(l, pattern);
                for (std::size_t i = 1; i < l.in.size(); i += 2)
                    l.in[i] = k.number(PLUS, l.in[i], false);
                t.run(l, k.expect);
            }
            for (auto &k : ordering) {
                launch_case l{k.name, k.function, k.kind, block, 3, 6};
                if (!t.fits(k.kind, block) || !t.take(1))
                    continue;
                t.fill(l, pattern);
                t.run(l, k.expect);
            }
        }
}

} // namespace test

int main(int argc, char **argv) { return test::main_of(argc, argv, test::cases); }
