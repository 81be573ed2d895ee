/* SPDX-License-Identifier: MIT
 * group_scan.hip: y[i] = inclusive or exclusive scan of x over the group of work-item i.
 */
#include "group.hpp"

SUBWAVE_BEGIN

/* An exclusive scan, made of an inclusive one: what the member before has, or `first` in the leader. */
template <class T> struct shift_scan {
    bool wanted;
    T first;

    SUBWAVE_DEVICE bool is_wanted() const { return wanted; }
    SUBWAVE_DEVICE T operator()(any_group g, T upto) const
    {
        const lane_bits below = g.members_below();
        const T before = wave_select(
            g.callers(), upto, below != 0, [&] { return highest_lane(below); }, site::current());
        return below != 0 ? before : first;
    }
};

template <class T> SUBWAVE_KERNEL(1024) group_scan(subwave_group_scan_launch p)
{
    const T *x = static_cast<const T *>(p.reduce.x);
    T init;
    memcpy(&init, p.reduce.init, sizeof init);
    init = flipped(init, p.reduce.flip);
    const group_walk walk(p.reduce.shape);
    with_op<T>(p.reduce.op, [&](auto op) {
        const T first = p.reduce.has_init ? init : known_identity<decltype(op), T>::value();
        walk.for_each_item(
            static_cast<T *>(p.reduce.y), [&](element i) { return i.of(x); },
            [&](any_group g, T loaded) {
                T mine = flipped(loaded, p.reduce.flip);
                const lane_bits below = g.members_below();
                if (p.reduce.has_init && below == 0)
                    mine = op(init, mine);
                T upto;
                if constexpr (is_logical_v<decltype(op)>)
                    upto = combine_truths(g, below | lane_bits(1) << wave_lane(), mine, op);
                else
                    upto = inclusive_scan_over_group(g, mine, op);
                return flipped(upto, p.reduce.flip);
            },
            shift_scan<T>{p.scan == SUBWAVE_SCAN_EXCLUSIVE, flipped(first, p.reduce.flip)});
    });
}

template <class T> int launch_group_scan(const subwave_group_scan_launch &p, void *stream)
{
    using twin = typename unsigned_twin<T>::type;
    if constexpr (std::is_same<twin, T>::value)
        return launch_groups(group_scan<T>, p, p.reduce.shape, stream);
    else
        return launch_group_scan<twin>({without_sign<T>(p.reduce), p.scan}, stream);
}

SUBWAVE_END

SUBWAVE_KERNELS_group_scan(SUBWAVE_DEFINE_LAUNCHER)
