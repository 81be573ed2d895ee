/* SPDX-License-Identifier: MIT
 * integers.hpp: integers with a sign, and those without that may take their place.
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

SUBWAVE_END

#endif
