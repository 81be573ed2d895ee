/* SPDX-License-Identifier: MIT
 * matmul_tutorial.hip: variant TUTORIAL, a row of A broadcast through the sub-group.
 */
#include "matmul.hpp"

SUBWAVE_BEGIN

/* The tutorial's kernel: a sub-group of W work-items computes W elements of a row. Work-item s
 * loads element l + s of A's row, once, and broadcasts it to the others when its turn comes. */
template <class T> SUBWAVE_KERNEL(256) matmul_tutorial(matmul_problem<T> p)
{
    sub_group sg = this_work_item::get_sub_group();
    const int width = sg.get_local_linear_range(), item = sg.get_local_linear_id();
    const std::int64_t groups = sg.get_group_linear_range(), group = sg.get_group_linear_id();
    tile_walk walk(p.m, p.n, groups, width);
    for (std::int64_t tile = blockIdx.x; tile < walk.count; tile += gridDim.x) {
        const std::int64_t i = walk.row(tile) * groups + group;
        const std::int64_t j = walk.column(tile) * width + item;
        if (i >= p.m)
            continue;
        const std::int64_t column = j < p.n ? j : p.n - 1; /* all take part in the broadcasts */
        matmul_sum<T> sum = {};
        for (std::int64_t l = 0; l < p.k; l += width) {
            const T mine = l + item < p.k ? p.factor(p.a_at(i, l + item)) : T{};
            const int steps = p.k - l < width ? static_cast<int>(p.k - l) : width;
            for (int s = 0; s < steps; ++s)
                add_product(sum, group_broadcast(sg, mine, s), p.b_at(l + s, column));
        }
        if (j < p.n)
            p.store(i, j, sum);
    }
}

template <class T> static int launch_matmul_tutorial(const subwave_matmul_launch &l, void *stream)
{
    return launch_tiles(matmul_tutorial<T>, l, stream);
}

SUBWAVE_END

SUBWAVE_KERNELS_matmul_tutorial(SUBWAVE_DEFINE_LAUNCHER)
