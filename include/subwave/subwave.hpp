/* SPDX-License-Identifier: MIT
 * subwave.hpp: the device interface, SYCL's sub-groups and group functions for HIP kernels.
 * Read device/ in this order: chip, word, wave, lane, group, function.
 */
#ifndef SUBWAVE_HPP
#define SUBWAVE_HPP

#include <subwave/device/arch.hpp>
#include <subwave/device/complex.hpp>
#include <subwave/device/words.hpp>
#include <subwave/device/wave.hpp>
#include <subwave/device/lane.hpp>
#include <subwave/device/half.hpp>
#include <subwave/device/ops.hpp>
#include <subwave/device/groups.hpp>
#include <subwave/device/exchange.hpp>
#include <subwave/device/matmul.hpp>
#include <subwave/device/ladder.hpp>
#include <subwave/device/reduce.hpp>
#include <subwave/device/scan.hpp>
#include <subwave/device/atomic.hpp>
#include <subwave/device/block/reduce.hpp>
#include <subwave/device/block/scan.hpp>

#endif
