/* SPDX-License-Identifier: MIT
 * fold.hpp: the ladders that a platform climbs in its own way, with the exchange folded into the
 * arithmetic. Results are those of ladder.hpp, bit for bit.
 *
 *   folds_reduce_v<Op, T, Ladder>       whether there is a
 *   fold_reduce(callers, ladder, x, op)     reduce_lanes of its own
 *   folds_scan_v<Op, T, Ladder>         whether there are
 *   fold_scan(callers, ladder, x, op)       a scan_lanes of its own, and
 *   fold_scan_before(callers, ladder, x, op)  x of the members below combined, in all but the first
 */
#ifndef SUBWAVE_DEVICE_FOLD_HPP
#define SUBWAVE_DEVICE_FOLD_HPP

#include <subwave/device/ladder.hpp>

#include SUBWAVE_PLATFORM_HEADER(fold)

#endif
