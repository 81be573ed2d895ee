/* SPDX-License-Identifier: MIT
 * group_info.hip: what each work-item is in its group and in its sub-group.
 */
#include "group.hpp"

SUBWAVE_BEGIN

template <class T> SUBWAVE_KERNEL(1024) group_info(subwave_group_info_launch p)
{
    const sub_group sg = this_work_item::get_sub_group();
    group_walk(p.shape).for_each_item(
        p.item, [](element) { return T(0); },
        [&](any_group g, T) {
            return subwave_group_item{g.get_group_linear_id(),
                                      g.get_group_linear_range(),
                                      g.get_local_linear_id(),
                                      g.get_local_linear_range(),
                                      g.leader(),
                                      sg.get_group_linear_id(),
                                      sg.get_group_linear_range(),
                                      sg.get_local_linear_id()};
        });
}

template <class T> int launch_group_info(const subwave_group_info_launch &p, void *stream)
{
    return launch_groups(group_info<T>, p, p.shape, stream);
}

SUBWAVE_END

SUBWAVE_KERNELS_group_info(SUBWAVE_DEFINE_LAUNCHER)
