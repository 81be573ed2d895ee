/* SPDX-License-Identifier: MIT
 * reference.hpp: plain C++ for what group algorithms compute: small floats, operations, and the
 * order in which values are combined. Includes nothing of the device interface but the names of its
 * types.
 */
#ifndef SUBWAVE_TESTS_DEVICE_REFERENCE_HPP
#define SUBWAVE_TESTS_DEVICE_REFERENCE_HPP

#include "harness.hpp"

#include "../../hip/kernels.def"

#include <subwave/types.h>

#include <cmath>
#include <cstring>

namespace test {

/* A binary float of 8 or 16 bits, worked out by way of double. */
template <int Fraction, int Bytes> struct host_float {
    using word = std::conditional_t<Bytes == 1, std::uint8_t, std::uint16_t>;
    static constexpr unsigned sign_bit = 1u << (8 * Bytes - 1);
    static constexpr int Bias = (1 << (8 * Bytes - 2 - Fraction)) - 1;
    word bits = 0;
    host_float() = default;
    host_float(double x)
    {
        const unsigned sign = std::signbit(x) ? sign_bit : 0u;
        const unsigned infinity = unsigned(2 * Bias + 1) << Fraction;
        const double size = std::fabs(x);
        int exponent = 0;
        std::frexp(size, &exponent); /* size in [2^(exponent - 1), 2^exponent) */
        exponent = exponent - 1 < 1 - Bias || size == 0 ? 1 - Bias : exponent - 1;
        if (x != x)
            bits = static_cast<word>(infinity | 1u << (Fraction - 1));
        else if (std::isinf(size) || exponent > Bias)
            bits = static_cast<word>(sign | infinity);
        else /* the carry of a rounded-up fraction raises the exponent, to infinity at the end */
            bits = static_cast<word>(
                sign | (unsigned(std::nearbyint(std::ldexp(size, Fraction - exponent))) +
                        (unsigned(exponent + Bias - 1) << Fraction)));
    }
    operator double() const
    {
        const unsigned exponent = (bits & (sign_bit - 1)) >> Fraction,
                       fraction = bits & ((1u << Fraction) - 1);
        const double sign = bits & sign_bit ? -1 : 1;
        if (exponent == 2 * Bias + 1)
            return fraction ? NAN : sign * INFINITY;
        if (exponent == 0)
            return sign * std::ldexp(fraction, 1 - Bias - Fraction);
        return sign *
               std::ldexp(fraction + double(1u << Fraction), int(exponent) - Bias - Fraction);
    }
};
/* The fraction of a number type, as the lists have it. */
enum : int {
#define SUBWAVE_X(name, value, bytes, spelling, class, sums, product, parts, fraction) \
    fraction_of_##name = fraction,
    SUBWAVE_DTYPE_LIST(SUBWAVE_X)
#undef SUBWAVE_X
};
template <class T> constexpr int fraction_of()
{
    int result = 0;
#define SUBWAVE_X(operation, dtype, type) \
    if (std::is_same<T, type>::value) \
        result = fraction_of_##dtype;
    SUBWAVE_KERNELS_group_reduce(SUBWAVE_X)
#undef SUBWAVE_X
        return result;
}

template <class T> struct host {
    using type = T;
};
template <class Format> struct host<small_float<Format>> {
    using number = small_float<Format>;
    using type = host_float<fraction_of<number>(), sizeof(number)>;
};
/* The platform's own, where it has one. */
template <> struct host<half> {
    using type = host_float<fraction_of<float16>(), sizeof(half)>;
};
template <class T> using host_t = typename host<T>::type;
using host_half = host_t<float16>;
using host_bfloat16 = host_t<bfloat16>;

template <class H> inline constexpr bool is_small_host_float = false;
template <int Fraction, int Bytes>
inline constexpr bool is_small_host_float<host_float<Fraction, Bytes>> = true;
template <class H>
inline constexpr bool is_host_float = std::is_floating_point<H>::value || is_small_host_float<H>;

template <class H> H host_from_word(word64 bits)
{
    H x;
    std::memcpy(static_cast<void *>(&x), &bits, sizeof(H));
    return x;
}
template <class H> word64 host_to_word(H x)
{
    word64 result = 0;
    if constexpr (is_host_float<H>)
        if (std::isnan(static_cast<double>(x)))
            return 0x7ff8deadu;
    std::memcpy(&result, &x, sizeof(H));
    return result;
}
/* As a cast in a kernel: small floats compute as float. */
template <class To, class From> To host_cast(From x)
{
    if constexpr (is_small_host_float<To>)
        return To(static_cast<double>(static_cast<float>(x)));
    else if constexpr (is_small_host_float<From>)
        return static_cast<To>(static_cast<double>(x));
    else
        return static_cast<To>(x);
}

enum operation {
    PLUS,
    MULTIPLIES,
    BIT_AND,
    BIT_OR,
    BIT_XOR,
    LOGICAL_AND,
    LOGICAL_OR,
    MINIMUM,
    MAXIMUM
};
constexpr int operations = 9;
inline bool is_bitwise(int op) { return op >= BIT_AND && op <= BIT_XOR; }

/* In double a sum or product of small floats is exact but for the last rounding, as it is in
 * float. */
template <class H> H combine(int op, H a, H b)
{
    using wide = std::conditional_t<is_small_host_float<H>, double, H>;
    const wide x = a, y = b;
    switch (op) {
    case PLUS:
        return static_cast<H>(x + y);
    case MULTIPLIES:
        return static_cast<H>(x * y);
    case LOGICAL_AND:
        return static_cast<H>(static_cast<wide>(x != 0 && y != 0));
    case LOGICAL_OR:
        return static_cast<H>(static_cast<wide>(x != 0 || y != 0));
    default:
        break;
    }
    if constexpr (is_host_float<H>) {
        /* A number wins over NaN, and -0 is below +0. */
        if (std::isnan(static_cast<double>(x)) || std::isnan(static_cast<double>(y)))
            return std::isnan(static_cast<double>(x)) ? b : a;
        const bool less = x < y || (x == y && std::signbit(static_cast<double>(x)));
        return (op == MINIMUM) == less ? a : b;
    } else {
        switch (op) {
        case BIT_AND:
            return static_cast<H>(x & y);
        case BIT_OR:
            return static_cast<H>(x | y);
        case BIT_XOR:
            return static_cast<H>(x ^ y);
        default:
            return (op == MINIMUM) == (x < y) ? a : b;
        }
    }
}

template <class H> H identity(int op)
{
    using limits = std::numeric_limits<H>;
    if constexpr (is_host_float<H>) {
        const double of[operations] = {0, 1, 0, 0, 0, 1, 0, INFINITY, -INFINITY};
        return static_cast<H>(of[op]);
    } else {
        const H of[operations] = {
            0, 1, static_cast<H>(-1), 0, 0, 1, 0, limits::max(), limits::min()};
        return of[op];
    }
}

/* The promised order: a tree over lane positions from which absent lanes are left out. Combines
 * f(lane) over those of `lanes` in the `size` lanes from `from`; false if there are none. */
template <class H, class Op, class F>
bool tree(word64 lanes, int from, int size, Op op, F f, H &result)
{
    if (size == 1) {
        if (!(lanes >> from & 1))
            return false;
        result = f(from);
        return true;
    }
    H low{}, high{};
    const bool has_low = tree(lanes, from, size / 2, op, f, low);
    const bool has_high = tree(lanes, from + size / 2, size / 2, op, f, high);
    if (has_low || has_high)
        result = has_low && has_high ? op(low, high) : has_low ? low : high;
    return has_low || has_high;
}
template <class H, class Op, class F> H tree_of(word64 lanes, Op op, F f)
{
    H result{};
    tree(lanes, 0, 64, op, f, result);
    return result;
}

/* The inclusive scan at `lane`: what a lane has is joined, block by block upwards, to what the last
 * lane of the block before it has. */
template <class H, class Op, class F> H scan_at(word64 lanes, int lane, Op op, F f, int size = 64)
{
    if (size == 1)
        return f(lane);
    const int half = size / 2, from = lane & -half;
    const H mine = scan_at<H>(lanes, lane, op, f, half);
    const word64 before = lane & half ? (lanes >> (from - half)) & low_bits(half) : 0;
    if (before == 0)
        return mine;
    const int last = from - half + 63 - __builtin_clzll(before);
    return op(scan_at<H>(lanes, last, op, f, half), mine);
}

} // namespace test

#endif
