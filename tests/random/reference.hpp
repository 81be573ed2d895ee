/* SPDX-License-Identifier: MIT
 * reference.hpp: plain C++ for what generated kernels compute. The lanes of a wave go through a
 * kernel together, by masks; values are arrays with an element a lane. Includes nothing of subwave.
 */
#ifndef SUBWAVE_TESTS_RANDOM_REFERENCE_HPP
#define SUBWAVE_TESTS_RANDOM_REFERENCE_HPP

#include "launch.hpp"

#include <cstring>
#include <limits>
#include <type_traits>

namespace {

using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u16 = std::uint16_t;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;
using mask = u64;

#define EACH(lanes) \
    for (mask rest_ = (lanes); rest_; rest_ &= rest_ - 1) \
        if (const int l = __builtin_ctzll(rest_); true)

/* --- types ----------------------------------------------------------------------------------- */

/* Floats of 16 bits; a generated kernel has whole numbers in them that they hold exactly. */
template <int Fraction, int Bias> struct small_float {
    float value;
    small_float() = default;
    small_float(float x) : value(x) {}
    operator float() const { return value; }
    static small_float of(u16 bits)
    {
        const int exponent = bits >> Fraction & (2 * Bias + 1);
        const u32 fraction = static_cast<u32>(bits & ((1 << Fraction) - 1)) << (23 - Fraction);
        const u32 word = exponent ? static_cast<u32>(exponent + 127 - Bias) << 23 | fraction : 0;
        small_float x;
        std::memcpy(&x.value, &word, 4);
        return x;
    }
    u16 bits() const
    {
        u32 word;
        std::memcpy(&word, &value, 4);
        const u32 sign = word >> 16 & 0x8000u, exponent = word >> 23 & 0xff;
        if (exponent == 0)
            return static_cast<u16>(sign);
        if (exponent == 255)
            return static_cast<u16>(sign | (2 * Bias + 1) << Fraction);
        return static_cast<u16>(sign | (exponent - 127 + Bias) << Fraction |
                                (word & 0x7fffff) >> (23 - Fraction));
    }
};
using float16 = small_float<10, 15>;
using bfloat16 = small_float<7, 127>;
template <class T>
constexpr bool is_small_float = std::is_same<T, float16>::value || std::is_same<T, bfloat16>::value;
template <class T> constexpr bool is_float = std::is_floating_point<T>::value || is_small_float<T>;

struct affine {
    u32 a, b;
};
template <class T> T number(int x)
{
    if constexpr (std::is_same<T, affine>::value)
        return {static_cast<u32>(x) | 1u, static_cast<u32>(x) * 5u + 3u};
    else if constexpr (is_float<T>)
        return T(static_cast<float>(x));
    else
        return static_cast<T>(x);
}
template <class T> T spread(u32 x) { return static_cast<T>(x * u64(0x100000001)); }
template <class T> u32 digest(const T &x)
{
    u64 bits = 0;
    if constexpr (is_small_float<T>)
        bits = x.bits();
    else
        std::memcpy(&bits, &x, sizeof(T));
    return static_cast<u32>(bits) ^ static_cast<u32>(bits >> 32) * 3u;
}
/* In another type, as static_cast does. */
template <class To, class From> To converted(From x)
{
    if constexpr (is_small_float<From>)
        return static_cast<To>(static_cast<float>(x));
    else
        return static_cast<To>(x);
}

/* --- operations ------------------------------------------------------------------------------ */

/* Integers wrap. */
template <class T> auto wide(T x)
{
    if constexpr (std::is_integral<T>::value)
        return static_cast<u64>(x);
    else
        return x;
}
template <class T> constexpr T lowest()
{
    if constexpr (is_float<T>)
        return T(-std::numeric_limits<float>::infinity());
    else
        return std::numeric_limits<T>::min();
}
template <class T> constexpr T highest()
{
    if constexpr (is_float<T>)
        return T(std::numeric_limits<float>::infinity());
    else
        return std::numeric_limits<T>::max();
}
#define OPERATION(name, expression, neutral) \
    struct name { \
        template <class T> T operator()(T a, T b) const { return static_cast<T>(expression); } \
        template <class T> static T identity() { return static_cast<T>(neutral); } \
    };
OPERATION(plus, wide(a) + wide(b), 0)
OPERATION(multiplies, wide(a) * wide(b), 1)
OPERATION(minimum, b < a ? b : a, highest<T>())
OPERATION(maximum, a < b ? b : a, lowest<T>())
OPERATION(bit_and, a &b, ~T(0))
OPERATION(bit_or, a | b, 0)
OPERATION(bit_xor, a ^ b, 0)
OPERATION(logical_and, a != 0 && b != 0, 1)
OPERATION(logical_or, a != 0 || b != 0, 0)
#undef OPERATION
struct compose {
    affine operator()(affine f, affine g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};
struct latest {
    template <class T> T operator()(T a, T b) const { return b < T(8) ? a : b; }
};

/* --- groups: the mask of a lane's group, in each lane ---------------------------------------- */

inline mask low_bits(int n) { return n >= 64 ? ~mask(0) : (mask(1) << n) - 1; }
inline int size_of(mask group) { return __builtin_popcountll(group); }
inline int rank_in(mask group, int lane) { return size_of(group & low_bits(lane)); }
inline int leader_of(mask group) { return __builtin_ctzll(group); }
inline int lane_of(mask group, int rank)
{
    while (rank-- > 0)
        group &= group - 1;
    return leader_of(group);
}

/* op over x of lanes, which is not empty, in their order. */
template <class T, class Op> T over(mask lanes, const T *x, Op op)
{
    T result = x[leader_of(lanes)];
    EACH(lanes & (lanes - 1)) result = op(result, x[l]);
    return result;
}
template <class T, class Op> void reduce(mask m, const mask *g, const T *x, T *r, Op op)
{
    EACH(m) r[l] = l == leader_of(g[l]) ? over(g[l], x, op) : r[leader_of(g[l])];
}
template <class T, class Op> void inclusive(mask m, const mask *g, const T *x, T *r, Op op)
{
    EACH(m) r[l] = over(g[l] & low_bits(l + 1), x, op);
}
template <class T, class Op> void exclusive(mask m, const mask *g, const T *x, T *r, T first, Op op)
{
    EACH(m) r[l] = l == leader_of(g[l]) ? first : over(g[l] & low_bits(l), x, op);
}

/* Of an array behind the rows of input. */
struct small_elements {
    const u16 *bits;
    float16 operator[](int i) const { return float16::of(bits[i]); }
};
template <class T> auto elements(const u64 *data)
{
    if constexpr (is_small_float<T>)
        return small_elements{reinterpret_cast<const u16 *>(data)};
    else
        return reinterpret_cast<const T *>(data);
}

/* --- where a wave stands --------------------------------------------------------------------- */

/* One wave of a launch, whose kernel's reference is derived from it. */
struct wave_state {
    const generated_launch &of;
    const int first, items; /* its first work-item in the grid; the grid's */
    const mask all;
    mask off = 0;   /* lanes that have left a loop or the kernel */
    int misuse = 0; /* the site of a group without all of its members: the kernel is no good */
    int lane[64], item[64];
    mask whole[64];

    wave_state(const generated_launch &l_, int first_, int count)
        : of(l_), first(first_), items(l_.blocks * l_.x * l_.y * l_.z), all(low_bits(count))
    {
        EACH(all) lane[l] = l, item[l] = first + l, whole[l] = all;
    }
    u64 &row(int l, int column)
    {
        return of.out[static_cast<std::int64_t>(first + l) * of.stride + column];
    }
    u64 told(int l, int column) const
    {
        return of.got[static_cast<std::int64_t>(first + l) * of.stride + column];
    }
    void check(mask m, const mask *g, int site)
    {
        EACH(m) if ((g[l] & ~m) != 0 || !(g[l] >> l & 1)) misuse = site;
    }
    /* An opportunistic group is any part of m with the lane in it, and what its members say. */
    void opportunity(mask m, mask *g, int column)
    {
        EACH(m)
        {
            const mask said = told(l, column), mine = mask(1) << l;
            bool right = (said & mine) && !(said & ~m);
            for (int i = 0; i < 64 && right; ++i)
                right = !(said >> i & 1) || told(i, column) == said;
            g[l] = right ? said : mine; /* if it is not, the row differs */
        }
        EACH(m) row(l, column) = g[l];
    }
};

template <class Kernel> int run(const generated_launch &l)
{
    const int size = l.x * l.y * l.z;
    int misuse = 0;
    for (int block = 0; block < l.blocks; ++block)
        for (int start = 0; start < size; start += l.wave) {
            const int left = size - start;
            Kernel kernel(l, block * size + start, left < l.wave ? left : l.wave);
            kernel.body();
            misuse = kernel.misuse ? kernel.misuse : misuse;
        }
    return misuse;
}

} // namespace

#endif
