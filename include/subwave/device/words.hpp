/* SPDX-License-Identifier: MIT
 * words.hpp: any trivially copyable type as 32-bit words, the unit in which GPU lanes exchange data.
 */
#ifndef SUBWAVE_DEVICE_WORDS_HPP
#define SUBWAVE_DEVICE_WORDS_HPP

#include <subwave/device/arch.hpp>

SUBWAVE_BEGIN

/* The value whose words are f(word) of the words of `value`; a last, partial word is zero-filled. */
template <class T, class F> SUBWAVE_DEVICE T map_words(const T &value, F f)
{
    static_assert(std::is_trivially_copyable<T>::value,
                  "only trivially copyable types can move between work-items");
    constexpr int count = (sizeof(T) + 3) / 4;
    std::uint32_t words[count] = {};
    memcpy(words, &value, sizeof(T));
    SUBWAVE_UNROLL
    for (int i = 0; i < count; ++i)
        words[i] = f(words[i]);
    T result = value; /* T need not have a default constructor */
    memcpy(&result, words, sizeof(T));
    return result;
}

SUBWAVE_END

#endif
