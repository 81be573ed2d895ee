/* SPDX-License-Identifier: MIT
 * groups.hpp: the groups: which work-items belong, and each one's place among them.
 */
#ifndef SUBWAVE_DEVICE_GROUPS_HPP
#define SUBWAVE_DEVICE_GROUPS_HPP

#include <subwave/device/lane.hpp>

SUBWAVE_BEGIN

class sub_group;
namespace this_work_item {
SUBWAVE_DEVICE sub_group get_sub_group();
}

/* The work-items of a work-group that share a wave: lane i is local id i. The last sub-group of a
 * work-group whose size is no multiple of wave_size() has fewer. */
class sub_group {
public:
    using id_type = id<1>;
    using range_type = range<1>;
    using linear_id_type = std::uint32_t;
    static constexpr int dimensions = 1;
    static constexpr memory_scope fence_scope = memory_scope::sub_group;

    SUBWAVE_DEVICE id_type get_group_id() const { return get_group_linear_id(); }
    SUBWAVE_DEVICE id_type get_local_id() const { return get_local_linear_id(); }
    SUBWAVE_DEVICE range_type get_group_range() const { return get_group_linear_range(); }
    SUBWAVE_DEVICE range_type get_local_range() const { return get_local_linear_range(); }
    /* wave_size(), whatever the work-group's size. */
    SUBWAVE_DEVICE range_type get_max_local_range() const { return wave_size(); }

    SUBWAVE_DEVICE linear_id_type get_group_linear_id() const
    {
        return wave_uniform(block_item() / wave_size());
    }
    SUBWAVE_DEVICE linear_id_type get_local_linear_id() const { return wave_lane(); }
    SUBWAVE_DEVICE linear_id_type get_group_linear_range() const
    {
        return (block_size() + wave_size() - 1) / wave_size();
    }
    SUBWAVE_DEVICE linear_id_type get_local_linear_range() const { return lane_count(lanes_); }
    SUBWAVE_DEVICE bool leader() const { return get_local_linear_id() == 0; }

    /* Beyond SYCL: the members as lanes, and the lane of a local id. */
    SUBWAVE_DEVICE lane_mask lanes() const { return lanes_; }
    SUBWAVE_DEVICE int lane_of(linear_id_type local_id) const { return static_cast<int>(local_id); }

private:
    friend SUBWAVE_DEVICE sub_group this_work_item::get_sub_group();
    SUBWAVE_DEVICE explicit sub_group(lane_mask lanes) : lanes_(lanes) {}
    lane_mask lanes_;
};

namespace this_work_item {
/* The calling work-item's sub-group. Local ids follow the linear id in the work-group, x fastest. */
SUBWAVE_DEVICE sub_group get_sub_group() { return sub_group(wave_members()); }
}

SUBWAVE_END

#endif
