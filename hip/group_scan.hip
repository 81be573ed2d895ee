/* SPDX-License-Identifier: MIT
 * group_scan.hip: y[i] = inclusive or exclusive scan of x over the group of work-item i.
 */
#include "group.hpp"

SUBWAVE_BEGIN

template <class T> SUBWAVE_KERNEL(1024) group_scan(subwave_group_scan_launch p)
{
    const T *x = static_cast<const T *>(p.reduce.x);
    T *y = static_cast<T *>(p.reduce.y);
    T init;
    memcpy(&init, p.reduce.init, sizeof init);
    for_each_item(p.reduce.shape, [&](any_group g, std::int64_t i) {
        with_op<T>(p.reduce.op, [&](auto op) {
            /* All forms are one inclusive scan, so that a single ladder an op is built. */
            const bool with_init = p.reduce.has_init && g.leader();
            T upto = inclusive_scan_over_group(g, with_init ? op(init, x[i]) : x[i], op);
            if (p.scan == SUBWAVE_SCAN_EXCLUSIVE) {
                T before = shift_group_right(g, upto);
                T first = p.reduce.has_init ? init : known_identity<decltype(op), T>::value();
                y[i] = g.leader() ? first : before;
            } else {
                y[i] = upto;
            }
        });
    });
}

template <class T> int launch_group_scan(const subwave_group_scan_launch &p, void *stream)
{
    return launch_groups(group_scan<T>, p, p.reduce.shape, stream);
}

SUBWAVE_END

SUBWAVE_KERNELS_group_scan(SUBWAVE_DEFINE_LAUNCHER)
