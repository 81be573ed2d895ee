/* SPDX-License-Identifier: MIT
 * matmul_local.hip: variant LOCAL, a row of A in shared memory.
 */
#include "matmul.hpp"

SUBWAVE_BEGIN

/* A block of B work-items computes B elements of one row; they load B elements of A's row into
 * shared memory, and wait before they use them and before they replace them. */
template <class T> SUBWAVE_KERNEL(256) matmul_local(matmul_problem<T> p)
{
    SUBWAVE_DYNAMIC_SHARED(T, part);
    int item = threadIdx.x, width = blockDim.x;
    tile_walk walk(p.m, p.n, 1, width);
    for (std::int64_t tile = blockIdx.x; tile < walk.count; tile += gridDim.x) {
        std::int64_t i = walk.row(tile);
        std::int64_t j = walk.column(tile) * width + item;
        std::int64_t column = j < p.n ? j : p.n - 1; /* all must reach the barriers */
        matmul_sum<T> sum = {};
        for (std::int64_t l = 0; l < p.k; l += width) {
            if (l + item < p.k)
                part[item] = p.factor(p.a_at(i, l + item));
            block_barrier(site::current());
            int steps = p.k - l < width ? static_cast<int>(p.k - l) : width;
            for (int s = 0; s < steps; ++s)
                add_product(sum, part[s], p.b_at(l + s, column));
            block_barrier(site::current());
        }
        if (j < p.n)
            p.store(i, j, sum);
    }
}

template <class T> static int launch_matmul_local(const subwave_matmul_launch &l, void *stream)
{
    return launch_tiles(matmul_local<T>, l, stream);
}

SUBWAVE_END

SUBWAVE_KERNELS_matmul_local(SUBWAVE_DEFINE_LAUNCHER)
