/* SPDX-License-Identifier: MIT
 * half.hpp: the 16-bit floating types, float16 (IEEE binary16) and bfloat16, the same on every
 * target; and SYCL's name half.
 *
 * Arithmetic is done in float and rounded to nearest even after every operation, so results agree
 * bit for bit on AMD, NVIDIA and the CPU device. Both are laid out as the platforms' own types.
 */
#ifndef SUBWAVE_DEVICE_HALF_HPP
#define SUBWAVE_DEVICE_HALF_HPP

#include <subwave/device/wave.hpp>

SUBWAVE_BEGIN

struct half_format {
    static SUBWAVE_DEVICE std::uint16_t encode(float value) { return half_bits(value); }
    static SUBWAVE_DEVICE float decode(std::uint16_t stored) { return half_value(stored); }
};

struct bfloat16_format {
    /* The bits of the float that is stored. */
    static SUBWAVE_DEVICE std::uint32_t rounded_bits(float value)
    {
        const std::uint32_t bits = float_bits(value), rounded = round_off(bits, 16) << 16;
        const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u; /* and stays one */
        return (is_nan ? bits | 0x400000u : rounded) & 0xffff0000u;
    }
    static SUBWAVE_DEVICE std::uint16_t encode(float value)
    {
        return static_cast<std::uint16_t>(rounded_bits(value) >> 16);
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

using float16 = small_float<half_format>;
using bfloat16 = small_float<bfloat16_format>;

/* float16, but on NVIDIA CUDA's own type: it has the same name there, and `using namespace subwave`
 * would make the name ambiguous if it meant two types. Group functions compute with it as with
 * float16; what kernels compute with it themselves is as CUDA defines it. */
using half = std::conditional_t<std::is_void<native_half>::value, float16, native_half>;

template <class T> struct is_small_float : std::false_type {};
template <class Format> struct is_small_float<small_float<Format>> : std::true_type {};
template <> struct is_small_float<half> : std::true_type {};

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
inline constexpr bool is_floating_v = std::is_floating_point<T>::value || is_small_float<T>::value;

SUBWAVE_END

#endif
