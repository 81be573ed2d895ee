/* SPDX-License-Identifier: MIT
 * group_move.hip: y[i] = x of another work-item of the group: broadcast, shift, permute, select.
 */
#include "group.hpp"

SUBWAVE_BEGIN

struct words_of_16_bytes {
    std::uint64_t word[2];
};

template <class T> SUBWAVE_KERNEL(1024) group_move(subwave_group_move_launch p)
{
    const T *x = static_cast<const T *>(p.x);
    T *y = static_cast<T *>(p.y);
    for_each_item(p.shape, [&](any_group g, std::int64_t i) {
        if (p.move == SUBWAVE_MOVE_BROADCAST)
            /* In a group without such a member everyone keeps their own value. */
            y[i] =
                p.amount < g.get_local_linear_range() ? group_broadcast(g, x[i], p.amount) : x[i];
        else if (p.move == SUBWAVE_MOVE_SHIFT_LEFT)
            y[i] = shift_group_left(g, x[i], p.amount);
        else if (p.move == SUBWAVE_MOVE_SHIFT_RIGHT)
            y[i] = shift_group_right(g, x[i], p.amount);
        else if (p.move == SUBWAVE_MOVE_PERMUTE)
            y[i] = permute_group_by_xor(g, x[i], id<1>(p.amount));
        else
            y[i] = select_from_group(g, x[i], id<1>(p.id[i]));
    });
}

template <class T> int launch_group_move(const subwave_group_move_launch &p, void *stream)
{
    return launch_groups(group_move<T>, p, p.shape, stream);
}

SUBWAVE_END

SUBWAVE_KERNELS_group_move(SUBWAVE_DEFINE_LAUNCHER)
