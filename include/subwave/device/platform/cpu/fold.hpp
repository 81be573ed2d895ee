/* SPDX-License-Identifier: MIT
 * platform/cpu/fold.hpp: the CPU device climbs the ladders as they are written.
 */
#ifndef SUBWAVE_DEVICE_PLATFORM_CPU_FOLD_HPP
#define SUBWAVE_DEVICE_PLATFORM_CPU_FOLD_HPP

#include <subwave/device/ladder.hpp>

SUBWAVE_BEGIN

template <class Op, class T, class Ladder> inline constexpr bool folds_reduce_v = false;
template <class Op, class T, class Ladder> inline constexpr bool folds_scan_v = false;

SUBWAVE_END

#endif
