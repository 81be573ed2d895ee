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

/* Sets of lanes are 64 bits wide in interfaces; arithmetic on them is done in as many bits as the
 * platform's widest wave has. */
using lane_bits = std::conditional_t<max_wave_size() == 32, std::uint32_t, std::uint64_t>;

SUBWAVE_DEVICE int lane_count(std::uint32_t lanes) { return __popc(lanes); }
SUBWAVE_DEVICE int lane_count(std::uint64_t lanes) { return __popcll(lanes); }

/* Undefined for the empty set. */
SUBWAVE_DEVICE int lowest_lane(std::uint32_t lanes) { return __ffs(static_cast<int>(lanes)) - 1; }
SUBWAVE_DEVICE int lowest_lane(std::uint64_t lanes)
{
    return __ffsll(static_cast<long long>(lanes)) - 1;
}
SUBWAVE_DEVICE int highest_lane(std::uint32_t lanes) { return 31 - __clz(static_cast<int>(lanes)); }
SUBWAVE_DEVICE int highest_lane(std::uint64_t lanes)
{
    return 63 - __clzll(static_cast<long long>(lanes));
}

/* A condition of each lane of a whole wave, false at first. All lanes make each call together. */
class wave_condition {
public:
    SUBWAVE_DEVICE bool here() const
    {
        if constexpr (has_inverse_ballot)
            return inverse_ballot(is_);
        else
            return is_ != 0;
    }
    /* here() as a number. */
    SUBWAVE_DEVICE std::uint32_t one_here() const
    {
        if constexpr (has_inverse_ballot)
            return inverse_ballot(is_);
        else
            return is_;
    }
    SUBWAVE_DEVICE lane_bits lanes() const
    {
        if constexpr (has_inverse_ballot)
            return is_;
        else
            return ballot(is_ != 0);
    }
    SUBWAVE_DEVICE void or_if(bool condition) { is_ |= of(condition); }
    SUBWAVE_DEVICE void and_if(bool condition) { is_ &= of(condition); }
    SUBWAVE_DEVICE void invert() { is_ ^= of(true); }

private:
    static SUBWAVE_DEVICE lane_bits ballot(bool condition)
    {
        const lane_mask all = wave_whole(wave_members());
        return static_cast<lane_bits>(wave_ballot(all, condition, site::current()));
    }
    /* Its lanes, or a number in each. */
    using value = std::conditional_t<has_inverse_ballot, lane_bits, std::uint32_t>;
    static SUBWAVE_DEVICE value of(bool condition)
    {
        if constexpr (has_inverse_ballot)
            return ballot(condition);
        else
            return condition;
    }
    value is_ = 0;
};

/* The lane of the member with `rank` members below it; rank < lane_count(lanes). Halves the set
 * until one lane is left, without a branch. */
SUBWAVE_DEVICE int ranked_lane(lane_bits lanes, int rank)
{
    int lane = 0;
    SUBWAVE_UNROLL
    for (int width = max_wave_size() / 2; width >= 1; width /= 2) {
        int below = lane_count(lanes & ((lane_bits(1) << width) - 1));
        bool above = rank >= below;
        rank -= above ? below : 0;
        lane += above ? width : 0;
        lanes >>= above ? width : 0;
    }
    return lane;
}

/* The `size` lanes of the aligned block of that size which holds `lane`; size a power of two below
 * the width of lane_bits. */
SUBWAVE_DEVICE lane_bits block_lanes(int lane, int size)
{
    return ((lane_bits(1) << size) - 1) << (lane & -size);
}

SUBWAVE_END

#endif
