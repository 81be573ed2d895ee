/* SPDX-License-Identifier: MIT
 * integers.hpp: integers without a sign that take the place of others, and of whatever is moved as
 * it is; and numbers that a wave's lanes have in common.
 */
#ifndef SUBWAVE_HIP_INTEGERS_HPP
#define SUBWAVE_HIP_INTEGERS_HPP

#include <subwave/subwave.hpp>

SUBWAVE_BEGIN

/* The integers of T's size without a sign; T itself if it has none or is no integer. */
template <class T> struct unsigned_twin {
    using type = T;
};
template <> struct unsigned_twin<std::int8_t> {
    using type = std::uint8_t;
};
template <> struct unsigned_twin<std::int16_t> {
    using type = std::uint16_t;
};
template <> struct unsigned_twin<std::int32_t> {
    using type = std::uint32_t;
};
template <> struct unsigned_twin<std::int64_t> {
    using type = std::uint64_t;
};

/* Integers of a type's size without a sign. */
template <class T>
using unsigned_of = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/* Aligned as the parts of a complex number. */
struct words_of_16_bytes {
    std::uint64_t word[2];
};
struct words_of_8_bytes {
    std::uint32_t word[2];
};

template <class T> SUBWAVE_DEVICE void copy(T &to, const T &from) { to = from; }
/* Word by word: LLVM keeps in scratch memory what is copied as a whole. */
SUBWAVE_DEVICE void copy(words_of_16_bytes &to, const words_of_16_bytes &from)
{
    to.word[0] = from.word[0];
    to.word[1] = from.word[1];
}

/* A number that is the same in all lanes of the wave. AMD's compilers divide in vector registers, and
 * load from shared memory into them: there all that follows would stay. */
SUBWAVE_DEVICE std::uint32_t uniform(std::uint32_t number)
{
    return static_cast<std::uint32_t>(wave_uniform(static_cast<int>(number)));
}
SUBWAVE_DEVICE std::int64_t uniform(std::int64_t number)
{
    const std::uint32_t low = uniform(static_cast<std::uint32_t>(number)),
                        high = uniform(static_cast<std::uint32_t>(number >> 32));
    return static_cast<std::int64_t>(std::uint64_t(high) << 32 | low);
}

/* Calls body(an element of the type that moves T between x and y): 8 bytes may be those of a complex
 * number, and begin at a multiple of 4, from which not every device loads them at once. */
template <class T, class Body> int with_moved(const void *x, const void *y, Body body)
{
    if constexpr (sizeof(T) == 8 && !wave_loads_anywhere)
        if ((reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(y)) % 8 != 0)
            return body(words_of_8_bytes());
    return body(T());
}

SUBWAVE_END

#endif
