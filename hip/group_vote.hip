/* SPDX-License-Identifier: MIT
 * group_vote.hip: y[i] = whether x is true in any, all or none of the group of work-item i.
 */
#include "group.hpp"

SUBWAVE_BEGIN

template <class T> SUBWAVE_KERNEL(1024) group_vote(subwave_group_vote_launch p)
{
    /* All are true if none is false, and so every vote asks for one lane. */
    const bool looked_for = p.vote != SUBWAVE_VOTE_ALL, found_is = p.vote == SUBWAVE_VOTE_ANY;
    group_walk(p.shape).for_each_item(
        p.y, [&](element i) { return i.of(p.x); },
        [&](any_group g, T mine) {
            const lane_mask found =
                wave_ballot(g.callers(), (mine != T(0)) == looked_for, site::current());
            return static_cast<T>(((found & g.lanes()) != 0) == found_is);
        });
}

template <class T> int launch_group_vote(const subwave_group_vote_launch &p, void *stream)
{
    return launch_groups(group_vote<T>, p, p.shape, stream);
}

SUBWAVE_END

SUBWAVE_KERNELS_group_vote(SUBWAVE_DEFINE_LAUNCHER)
