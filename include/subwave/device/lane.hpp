/* SPDX-License-Identifier: MIT
 * lane.hpp: SYCL's small vocabulary (id, range, memory_scope) and arithmetic on sets of lanes.
 */
#ifndef SUBWAVE_DEVICE_LANE_HPP
#define SUBWAVE_DEVICE_LANE_HPP

#include <subwave/device/wave.hpp>

SUBWAVE_BEGIN

/* As in SYCL, for the one dimension that sub-groups have. */
template <int Dimensions> class id;
template <int Dimensions> class range;

template <> class id<1> {
public:
    SUBWAVE_DEVICE id(std::size_t value = 0) : value_(value) {}
    SUBWAVE_DEVICE operator std::size_t() const { return value_; }
    SUBWAVE_DEVICE std::size_t get(int) const { return value_; }
    SUBWAVE_DEVICE std::size_t operator[](int) const { return value_; }

private:
    std::size_t value_;
};

template <> class range<1> {
public:
    SUBWAVE_DEVICE range(std::size_t value) : value_(value) {}
    SUBWAVE_DEVICE operator std::size_t() const { return value_; }
    SUBWAVE_DEVICE std::size_t get(int) const { return value_; }
    SUBWAVE_DEVICE std::size_t operator[](int) const { return value_; }
    SUBWAVE_DEVICE std::size_t size() const { return value_; }

private:
    std::size_t value_;
};

enum class memory_scope { work_item, sub_group, work_group, device, system };

SUBWAVE_DEVICE int lane_count(lane_mask lanes) { return __popcll(lanes); }

SUBWAVE_END

#endif
