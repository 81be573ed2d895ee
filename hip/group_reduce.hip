/* SPDX-License-Identifier: MIT
 * group_reduce.hip: y[i] = reduce_over_group of x over the group of work-item i.
 */
#include "group.hpp"

SUBWAVE_BEGIN

template <class T> SUBWAVE_KERNEL(1024) group_reduce(subwave_group_reduce_launch p)
{
    const T *x = static_cast<const T *>(p.x);
    T init;
    memcpy(&init, p.init, sizeof init);
    init = flipped(init, p.flip);
    const group_walk walk(p.shape);
    with_op<T>(p.op, [&](auto op) {
        walk.for_each_item(
            static_cast<T *>(p.y), [&](element i) { return i.of(x); },
            [&](any_group g, T loaded) {
                const T mine = flipped(loaded, p.flip);
                T result;
                if constexpr (is_logical_v<decltype(op)>)
                    result = combine_truths(g, static_cast<lane_bits>(g.lanes()), mine, op);
                else
                    result = reduce_over_group(g, mine, op);
                return flipped(p.has_init ? op(init, result) : result, p.flip);
            });
    });
}

template <class T> int launch_group_reduce(const subwave_group_reduce_launch &p, void *stream)
{
    using twin = typename unsigned_twin<T>::type;
    if constexpr (std::is_same<twin, T>::value)
        return launch_groups(group_reduce<T>, p, p.shape, stream);
    else
        return launch_group_reduce<twin>(without_sign<T>(p), stream);
}

SUBWAVE_END

SUBWAVE_KERNELS_group_reduce(SUBWAVE_DEFINE_LAUNCHER)
