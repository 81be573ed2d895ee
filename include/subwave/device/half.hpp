/* SPDX-License-Identifier: MIT
 * half.hpp: the 16-bit floating types, half (IEEE binary16) and bfloat16, the same on every target.
 *
 * Arithmetic is done in float and rounded to nearest even after every operation, so results agree bit
 * for bit on AMD, NVIDIA and the CPU device. Both are laid out as the platforms' own types.
 */
#ifndef SUBWAVE_DEVICE_HALF_HPP
#define SUBWAVE_DEVICE_HALF_HPP

#include <subwave/device/arch.hpp>

SUBWAVE_BEGIN

SUBWAVE_DEVICE std::uint32_t float_bits(float value)
{
    std::uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

SUBWAVE_DEVICE float bits_float(std::uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Drops the low `count` bits, rounding to nearest even; 1 <= count <= 31. */
SUBWAVE_DEVICE std::uint32_t round_off(std::uint32_t bits, int count)
{
    std::uint32_t rest = bits & ((1u << count) - 1), kept = bits >> count;
    std::uint32_t halfway = 1u << (count - 1);
    return kept + (rest > halfway || (rest == halfway && (kept & 1)));
}

struct half_format {
    static SUBWAVE_DEVICE std::uint16_t encode(float value)
    {
        std::uint32_t bits = float_bits(value), sign = bits >> 16 & 0x8000u;
        bits &= 0x7fffffffu;
        if (bits > 0x7f800000u)
            return static_cast<std::uint16_t>(sign | 0x7e00u | (bits >> 13 & 0x3ffu)); /* NaN */
        if (bits >= 0x477ff000u)
            return static_cast<std::uint16_t>(sign | 0x7c00u); /* 65520 and more round to infinity */
        if (bits >= 0x38800000u)
            return static_cast<std::uint16_t>(sign | round_off(bits - 0x38000000u, 13));
        if (bits < 0x33000000u)
            return static_cast<std::uint16_t>(sign); /* below half of the least subnormal */
        int exponent = static_cast<int>(bits >> 23); /* 102 .. 112: subnormal results */
        return static_cast<std::uint16_t>(
            sign | round_off((bits & 0x7fffffu) | 0x800000u, 126 - exponent));
    }
    static SUBWAVE_DEVICE float decode(std::uint16_t stored)
    {
        std::uint32_t sign = (stored & 0x8000u) << 16, rest = stored & 0x7fffu;
        if (rest >= 0x7c00u) /* infinity and NaN keep a full exponent */
            return bits_float(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
        /* A float with the half's exponent is 2^112 times too small: this is exact, subnormals too. */
        return bits_float(sign | float_bits(bits_float(rest << 13) * 0x1p112f));
    }
};

struct bfloat16_format {
    static SUBWAVE_DEVICE std::uint16_t encode(float value)
    {
        std::uint32_t bits = float_bits(value);
        if ((bits & 0x7fffffffu) > 0x7f800000u)
            return static_cast<std::uint16_t>(bits >> 16 | 0x40u); /* NaN stays one */
        return static_cast<std::uint16_t>(round_off(bits, 16));
    }
    static SUBWAVE_DEVICE float decode(std::uint16_t stored)
    {
        return bits_float(static_cast<std::uint32_t>(stored) << 16);
    }
};

/* A stored number of 16 bits that computes as a float. */
template <class Format> class small_float {
public:
    small_float() = default;
    SUBWAVE_DEVICE small_float(float value) : stored_(Format::encode(value)) {}
    SUBWAVE_DEVICE operator float() const { return Format::decode(stored_); }
    static SUBWAVE_DEVICE small_float from_bits(std::uint16_t bits)
    {
        small_float result;
        result.stored_ = bits;
        return result;
    }

private:
    std::uint16_t stored_;
};

using half = small_float<half_format>;
using bfloat16 = small_float<bfloat16_format>;

template <class T> struct is_small_float : std::false_type {};
template <class Format> struct is_small_float<small_float<Format>> : std::true_type {};

/* What the machine computes with: a small float as float, any other as itself. */
template <class T> SUBWAVE_DEVICE auto as_machine_number(const T &value)
{
    if constexpr (is_small_float<T>::value)
        return static_cast<float>(value);
    else
        return value;
}

/* The numbers that group algorithms compute with. */
template <class T> inline constexpr bool is_integer_v = std::is_integral<T>::value;
template <class T>
inline constexpr bool is_floating_v =
    std::is_floating_point<T>::value || is_small_float<T>::value;

SUBWAVE_END

#endif
