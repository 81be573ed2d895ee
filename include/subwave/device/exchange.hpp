/* SPDX-License-Identifier: MIT
 * exchange.hpp: moving values between the members of a group, and making them wait for each other.
 * All members call together; lanes outside the group take no part.
 */
#ifndef SUBWAVE_DEVICE_EXCHANGE_HPP
#define SUBWAVE_DEVICE_EXCHANGE_HPP

#include <subwave/device/groups.hpp>

SUBWAVE_BEGIN

/* Waits for all members; what each wrote before, the others see after, at `scope` or narrower. */
template <class Group>
SUBWAVE_DEVICE void group_barrier(Group g, memory_scope scope = Group::fence_scope,
                                  site where = site::current())
{
    if (scope == memory_scope::system)
        __threadfence_system();
    else if (scope == memory_scope::device)
        __threadfence();
    else if (scope == memory_scope::work_group)
        __threadfence_block();
    wave_barrier(g.lanes(), where);
}

/* x of the member with local id `local_id`, which is the same in all members; valid in all. */
template <class Group, class T>
SUBWAVE_DEVICE T group_broadcast(Group g, const T &x, typename Group::linear_id_type local_id,
                                 site where = site::current())
{
    return wave_broadcast(g.lanes(), x, g.lane_of(local_id), where);
}

template <class Group, class T>
SUBWAVE_DEVICE T group_broadcast(Group g, const T &x, id<1> local_id, site where = site::current())
{
    return wave_broadcast(g.lanes(), x, g.lane_of(static_cast<std::uint32_t>(local_id.get(0))),
                          where);
}

/* x of the leader. */
template <class Group, class T>
SUBWAVE_DEVICE T group_broadcast(Group g, const T &x, site where = site::current())
{
    return wave_broadcast(g.lanes(), x, g.lane_of(0), where);
}

/* What publish() returns: x of every member, read by local id. */
template <class Group, class T> class published {
public:
    SUBWAVE_DEVICE published(Group g, const T &x, site where)
        : group_(g), tile_(wave_publish(g.lanes(), x, where))
    {
    }
    /* x of the member with local id `local_id`, the same in all members, who all read it. */
    SUBWAVE_DEVICE decltype(auto) operator[](typename Group::linear_id_type local_id) const
    {
        return tile_.read(group_.lane_of(local_id));
    }

private:
    Group group_;
    wave_tile<T> tile_;
};

/* Beyond SYCL: one meeting of the group after which every member's x can be broadcast any number of
 * times. On a GPU x stays in registers; on the CPU device a broadcast becomes a plain load, which
 * makes it a hundred times cheaper. Valid until the calling work-item publishes again. */
template <class Group, class T>
SUBWAVE_DEVICE published<Group, T> publish(Group g, const T &x, site where = site::current())
{
    return published<Group, T>(g, x, where);
}

SUBWAVE_END

#endif
