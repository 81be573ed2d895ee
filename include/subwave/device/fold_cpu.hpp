/* SPDX-License-Identifier: MIT
 * fold_cpu.hpp: the CPU device climbs the ladders as they are written.
 */
#ifndef SUBWAVE_DEVICE_FOLD_CPU_HPP
#define SUBWAVE_DEVICE_FOLD_CPU_HPP

#include <subwave/device/ladder.hpp>

SUBWAVE_BEGIN

template <class Op, class T, class Ladder> inline constexpr bool folds_reduce_v = false;
template <class Op, class T, class Ladder> inline constexpr bool folds_scan_v = false;

SUBWAVE_END

#endif
