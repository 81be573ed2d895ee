/* SPDX-License-Identifier: MIT
 * group_move.hip: y[i] = x of another work-item of the group: broadcast, shift, permute, select.
 */
#include "group.hpp"

SUBWAVE_BEGIN

template <class T> SUBWAVE_KERNEL(1024) group_move(subwave_group_move_launch p)
{
    const T *x = static_cast<const T *>(p.x);
    /* All moves are one: x of the local id (own id, or 0) + step, with the bits of `flip` inverted;
     * where the group has none, the own x. */
    const bool steps = p.move == SUBWAVE_MOVE_SHIFT_LEFT || p.move == SUBWAVE_MOVE_SHIFT_RIGHT;
    const bool from_own = steps || p.move == SUBWAVE_MOVE_PERMUTE;
    const std::int64_t amount = p.amount;
    const std::int64_t step = !steps ? 0 : p.move == SUBWAVE_MOVE_SHIFT_LEFT ? amount : -amount;
    const std::uint32_t flip = steps ? 0 : p.amount;
    struct item {
        T mine;
        std::uint32_t flip;
    };
    group_walk(p.shape).for_each_item(
        static_cast<T *>(p.y),
        [&](element i) { return item{i.of(x), p.move == SUBWAVE_MOVE_SELECT ? i.of(p.id) : flip}; },
        [&](any_group g, const item &loaded) {
            const std::int64_t own = from_own ? g.get_local_linear_id() : 0;
            const auto from = static_cast<std::size_t>((own + step) ^ loaded.flip);
            return select_from_group(g, loaded.mine, id<1>(from));
        });
}

template <class T> int launch_group_move(const subwave_group_move_launch &p, void *stream)
{
    return with_moved<T>(p.x, p.y, [&](auto element) {
        return launch_groups(group_move<decltype(element)>, p, p.shape, stream);
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_group_move(SUBWAVE_DEFINE_LAUNCHER)
