/* SPDX-License-Identifier: MIT
 * atomic.hpp: atomic operations that the work-items of a wave make together.
 */
#ifndef SUBWAVE_DEVICE_ATOMIC_HPP
#define SUBWAVE_DEVICE_ATOMIC_HPP

#include <subwave/device/reduce.hpp>
#include <subwave/device/scan.hpp>

SUBWAVE_BEGIN

/* atomicAdd of integers of 4 or 8 bytes, which wrap. */
template <class T> SUBWAVE_DEVICE T atomic_add(T *at, T value)
{
    using word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
    return static_cast<T>(atomicAdd(reinterpret_cast<word *>(at), static_cast<word>(value)));
}

/* aggregated_fetch_add of a group whose members name the same counter. */
template <class Group, class T>
SUBWAVE_DEVICE T fetch_add_of_group(Group g, T *counter, T value, site where)
{
    const T upto = inclusive_scan_over_group(g, value, plus<T>(), where);
    const T total = group_broadcast(g, upto, g.get_local_linear_range() - 1, where);
    T before = 0;
    if (g.leader())
        before = atomic_add(counter, total);
    return group_broadcast(g, before, where) + (upto - value);
}

/* Adds value to *counter, in global or shared memory, and returns what it was before, as atomicAdd
 * does for each work-item by itself: no two get the same part of what is added. Those that call at
 * once make one atomic operation for each counter that they name; they get their parts in lane
 * order. May be called in divergent control flow; nobody waits. An integer of 4 or 8 bytes; relaxed,
 * among all work-items of the device. */
template <class T>
SUBWAVE_DEVICE T aggregated_fetch_add(T *counter, T value, site where = site::current())
{
    static_assert(is_integer_v<T> && sizeof(T) >= 4,
                  "aggregated_fetch_add: a counter is an integer of 4 or 8 bytes");
    const auto here = this_kernel::get_opportunistic_group(where);
    const auto same = get_partition_group(here, counter, where);
    if (same.get_group_linear_range() == 1) /* as a rule, and then a scan costs less */
        return fetch_add_of_group(here, counter, value, where);
    return fetch_add_of_group(same, counter, value, where);
}

SUBWAVE_END

#endif
