/* SPDX-License-Identifier: MIT
 * group_vote.hip: y[i] = whether x is true in any, all or none of the group of work-item i.
 */
#include "group.hpp"

SUBWAVE_BEGIN

template <class T> SUBWAVE_KERNEL(1024) group_vote(subwave_group_vote_launch p)
{
    for_each_item(p.shape, [&](any_group g, std::int64_t i) {
        const bool x = p.x[i] != T(0);
        p.y[i] = p.vote == SUBWAVE_VOTE_ANY   ? any_of_group(g, x)
                 : p.vote == SUBWAVE_VOTE_ALL ? all_of_group(g, x)
                                              : none_of_group(g, x);
    });
}

template <class T> int launch_group_vote(const subwave_group_vote_launch &p, void *stream)
{
    return launch_groups(group_vote<T>, p, p.shape, stream);
}

SUBWAVE_END

SUBWAVE_KERNELS_group_vote(SUBWAVE_DEFINE_LAUNCHER)
