/* SPDX-License-Identifier: MIT
 * group_reduce.hip: y[i] = reduce_over_group of x over the group of work-item i.
 */
#include "group.hpp"

SUBWAVE_BEGIN

template <class T> SUBWAVE_KERNEL(1024) group_reduce(subwave_group_reduce_launch p)
{
    const T *x = static_cast<const T *>(p.x);
    T *y = static_cast<T *>(p.y);
    T init;
    memcpy(&init, p.init, sizeof init);
    for_each_item(p.shape, [&](any_group g, std::int64_t i) {
        with_op<T>(p.op, [&](auto op) {
            T result = reduce_over_group(g, x[i], op);
            y[i] = p.has_init ? op(init, result) : result;
        });
    });
}

template <class T> int launch_group_reduce(const subwave_group_reduce_launch &p, void *stream)
{
    return launch_groups(group_reduce<T>, p, p.shape, stream);
}

SUBWAVE_END

SUBWAVE_KERNELS_group_reduce(SUBWAVE_DEFINE_LAUNCHER)
