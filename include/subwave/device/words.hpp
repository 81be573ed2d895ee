/* SPDX-License-Identifier: MIT
 * words.hpp: any trivially copyable type as 32-bit words, the unit in which GPU lanes exchange
 * data, and the bits of a float.
 */
#ifndef SUBWAVE_DEVICE_WORDS_HPP
#define SUBWAVE_DEVICE_WORDS_HPP

#include <subwave/device/arch.hpp>

SUBWAVE_BEGIN

template <int Count> struct __attribute__((__may_alias__)) word_array {
    std::uint32_t word[Count];
};

/* Whether values of T are their bytes. A platform adds its own types to those of which C++
 * knows. */
template <class T> inline constexpr bool moves_as_bytes_v = std::is_trivially_copyable<T>::value;

template <class T> using words_of = word_array<(sizeof(T) + 3) / 4>;
template <class T>
inline constexpr bool holds_words_v = sizeof(T) == sizeof(words_of<T>) && alignof(T) >= 4;
template <class T>
inline constexpr bool is_words_v =
    sizeof(T) == sizeof(words_of<T>) && std::is_trivially_copyable<T>::value;
template <class T>
inline constexpr bool is_half_word_v = sizeof(T) == 2 && std::is_trivially_copyable<T>::value;

/* A last, partial word is zero-filled. LLVM 15 takes a memcpy apart into bytes, or leaves it in
 * memory; types that C++ does not know to be their bytes are read as what they hold. */
template <class T> SUBWAVE_DEVICE words_of<T> to_words(const T &value)
{
    static_assert(moves_as_bytes_v<T>, "only trivially copyable types can move between work-items");
    if constexpr (is_words_v<T>) {
        return __builtin_bit_cast(words_of<T>, value);
    } else if constexpr (is_half_word_v<T>) {
        return {{__builtin_bit_cast(std::uint16_t, value)}};
    } else if constexpr (holds_words_v<T>) {
        return reinterpret_cast<const words_of<T> &>(value);
    } else {
        words_of<T> words = {};
        memcpy(&words, &value, sizeof(T));
        return words;
    }
}

/* The value of these words: of a type that can be made of them. */
template <class T> SUBWAVE_DEVICE T from_words(const words_of<T> &words)
{
    if constexpr (is_words_v<T>)
        return __builtin_bit_cast(T, words);
    else
        return __builtin_bit_cast(T, static_cast<std::uint16_t>(words.word[0]));
}

/* The value whose words are f(word of value, word of each of the others). */
template <class T, class F, class... Others>
SUBWAVE_DEVICE T map_words(const T &value, F f, const Others &...others)
{
    words_of<T> words = to_words(value);
    SUBWAVE_UNROLL
    for (int i = 0; i < static_cast<int>(sizeof(words) / 4); ++i)
        words.word[i] = f(words.word[i], to_words(others).word[i]...);
    if constexpr (is_words_v<T> || is_half_word_v<T>) {
        return from_words<T>(words);
    } else {
        T result = value; /* T need not have a default constructor */
        if constexpr (holds_words_v<T>)
            reinterpret_cast<words_of<T> &>(result) = words;
        else
            memcpy(static_cast<void *>(&result), &words, sizeof(T));
        return result;
    }
}

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

/* Drops the low `count` bits, rounding to nearest even; 1 <= count <= 31, and no overflow. Without
 * a branch, which AMD's whole-wave mode does not survive. */
SUBWAVE_DEVICE std::uint32_t round_off(std::uint32_t bits, int count)
{
    return (bits + ((1u << (count - 1)) - 1) + (bits >> count & 1)) >> count;
}

SUBWAVE_END

#endif
