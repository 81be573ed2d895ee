/* SPDX-License-Identifier: MIT
 * integers.hpp: integers without a sign that take the place of others, and of whatever is moved as
 * it is.
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

/* Aligned as the parts of a complex number. */
struct words_of_16_bytes {
    std::uint64_t word[2];
};

SUBWAVE_END

#endif
