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
    wave_barrier(g.callers(), where);
}

/* x of the member with local id `local_id`, which is the same in all members; valid in all. */
template <class Group, class T>
SUBWAVE_DEVICE T group_broadcast(Group g, const T &x, typename Group::linear_id_type local_id,
                                 site where = site::current())
{
    if constexpr (is_alone<Group>::value)
        return wave_broadcast(g.callers(), x, g.lane_of(local_id), where);
    else if constexpr (block_size_v<Group> > 0)
        return wave_broadcast_block<block_size_v<Group>>(g.callers(), x, local_id, where);
    else
        return wave_broadcast_each(g.callers(), x, g.lane_of(local_id), where);
}

template <class Group, class T>
SUBWAVE_DEVICE T group_broadcast(Group g, const T &x, id<1> local_id, site where = site::current())
{
    return group_broadcast(g, x, static_cast<std::uint32_t>(local_id.get(0)), where);
}

/* x of the leader. */
template <class Group, class T>
SUBWAVE_DEVICE T group_broadcast(Group g, const T &x, site where = site::current())
{
    /* Of groups of one's own more than two may make the call. */
    if constexpr (block_size_v<Group> > 0 || !is_user_constructed_group<Group>::value ||
                  is_one_of_many<Group>::value)
        return group_broadcast(g, x, std::uint32_t(0), where);
    else
        return wave_broadcast_first(g.lanes(), x, where);
}

/* get_local_linear_range() where all members are. */
template <class Group> SUBWAVE_DEVICE std::uint32_t range_of_callers(Group g, site where)
{
    if constexpr (std::is_same<Group, sub_group>::value)
        return wave_caller_count(g.lanes(), where);
    else
        return g.get_local_linear_range();
}

/* x of the member with local id `local_id`, which may differ from member to member; an id outside
 * the group gives the caller's own x. */
template <class Group, class T>
SUBWAVE_DEVICE T select_from_group(Group g, const T &x, id<1> local_id,
                                   site where = site::current())
{
    const bool inside = local_id.get(0) < range_of_callers(g, where);
    const auto find = [=] { return g.lane_of(static_cast<std::uint32_t>(local_id.get(0))); };
    return wave_select(g.callers(), x, inside, find, where);
}

/* x of the member `delta` local ids above; the caller's own x where there is none. */
template <class Group, class T>
SUBWAVE_DEVICE T shift_group_left(Group g, const T &x, std::uint32_t delta = 1,
                                  site where = site::current())
{
    if constexpr (block_size_v<Group> > 0)
        if (wave_knows(delta) && delta == 1)
            return wave_shift_one<block_size_v<Group>, false>(g.callers(), x, where);
    if constexpr (std::is_same<Group, sub_group>::value && wave_shifts_partial)
        if (wave_knows(delta) && delta == 1)
            return wave_shift_one<max_wave_size(), false>(g.callers(), x, where);
    const std::uint32_t rank = g.get_local_linear_id();
    const bool inside = delta < range_of_callers(g, where) - rank;
    const auto find = [=] { return g.lane_of(rank + delta); };
    return wave_select(g.callers(), x, inside, find, where);
}

/* x of the member `delta` local ids below; the caller's own x where there is none. */
template <class Group, class T>
SUBWAVE_DEVICE T shift_group_right(Group g, const T &x, std::uint32_t delta = 1,
                                   site where = site::current())
{
    constexpr int block =
        std::is_same<Group, sub_group>::value ? max_wave_size() : block_size_v<Group>;
    if constexpr (block > 0)
        if (wave_knows(delta) && delta == 1)
            return wave_shift_one<block, true>(g.callers(), x, where);
    const std::uint32_t rank = g.get_local_linear_id();
    const auto find = [=] { return g.lane_of(rank - delta); };
    return wave_select(g.callers(), x, delta <= rank, find, where);
}

/* x of the member with local id `own id ^ mask`; the caller's own x where there is none. */
template <class Group, class T>
SUBWAVE_DEVICE T permute_group_by_xor(Group g, const T &x, id<1> mask, site where = site::current())
{
    if constexpr (block_size_v<Group> > 0)
        if (mask.get(0) < block_size_v<Group>)
            return wave_xor_block<block_size_v<Group>>(
                g.callers(), x, static_cast<std::uint32_t>(mask.get(0)), where);
    if constexpr (std::is_same<Group, sub_group>::value)
        if (mask.get(0) < max_wave_size() &&
            wave_xors_partial(static_cast<std::uint32_t>(mask.get(0))))
            return wave_xor_partial(g.callers(), x, static_cast<std::uint32_t>(mask.get(0)), where);
    return select_from_group(g, x, id<1>(g.get_local_linear_id() ^ mask.get(0)), where);
}

/* Whether `predicate` is true in any, in all, in none of the members; the same in all of them. */
template <class Group>
SUBWAVE_DEVICE bool any_of_group(Group g, bool predicate, site where = site::current())
{
    return wave_ballot(g.callers(), predicate, where) != 0;
}

template <class Group>
SUBWAVE_DEVICE bool none_of_group(Group g, bool predicate, site where = site::current())
{
    return wave_ballot(g.callers(), predicate, where) == 0;
}

template <class Group>
SUBWAVE_DEVICE bool all_of_group(Group g, bool predicate, site where = site::current())
{
    return wave_ballot(g.callers(), !predicate, where) == 0;
}

/* The same of predicate(x). */
template <class Group, class T, class Predicate,
          class = std::enable_if_t<!std::is_same<Predicate, site>::value>>
SUBWAVE_DEVICE bool any_of_group(Group g, T x, Predicate predicate, site where = site::current())
{
    return any_of_group(g, static_cast<bool>(predicate(x)), where);
}

template <class Group, class T, class Predicate,
          class = std::enable_if_t<!std::is_same<Predicate, site>::value>>
SUBWAVE_DEVICE bool all_of_group(Group g, T x, Predicate predicate, site where = site::current())
{
    return all_of_group(g, static_cast<bool>(predicate(x)), where);
}

template <class Group, class T, class Predicate,
          class = std::enable_if_t<!std::is_same<Predicate, site>::value>>
SUBWAVE_DEVICE bool none_of_group(Group g, T x, Predicate predicate, site where = site::current())
{
    return none_of_group(g, static_cast<bool>(predicate(x)), where);
}

/* The same of the elements of [first, last), which all members name alike. In an empty range any is
 * false, all and none are true. */
template <class Group, class Iterator, class Predicate>
SUBWAVE_DEVICE bool joint_any_of(Group g, Iterator first, Iterator last, Predicate predicate,
                                 site where = site::current())
{
    const std::int64_t count = last - first, size = g.get_local_linear_range();
    bool found = false;
    for (std::int64_t i = g.get_local_linear_id(); i < count; i += size)
        found |= static_cast<bool>(predicate(first[i]));
    return any_of_group(g, found, where);
}

template <class Group, class Iterator, class Predicate>
SUBWAVE_DEVICE bool joint_none_of(Group g, Iterator first, Iterator last, Predicate predicate,
                                  site where = site::current())
{
    return !joint_any_of(g, first, last, predicate, where);
}

template <class Group, class Iterator, class Predicate>
SUBWAVE_DEVICE bool joint_all_of(Group g, Iterator first, Iterator last, Predicate predicate,
                                 site where = site::current())
{
    return !joint_any_of(
        g, first, last, [&](const auto &x) { return !static_cast<bool>(predicate(x)); }, where);
}

/* What publish() returns: x of every member, read by local id. */
template <class Group, class T> class published {
public:
    SUBWAVE_DEVICE published(Group g, const T &x, site where)
        : group_(g), tile_(wave_publish(g.callers(), x, where))
    {
    }
    /* x of the member with local id `local_id`, the same in all members, who all read it. */
    SUBWAVE_DEVICE decltype(auto) operator[](typename Group::linear_id_type local_id) const
    {
        if constexpr (is_alone<Group>::value)
            return tile_.read(group_.lane_of(local_id));
        else if constexpr (block_size_v<Group> > 0)
            return tile_.template read_block<block_size_v<Group>>(local_id);
        else
            return tile_.read_each(group_.lane_of(local_id));
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
