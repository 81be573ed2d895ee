/* SPDX-License-Identifier: MIT
 * matmul_naive.hip: variant NAIVE, one work-item per element of C.
 */
#include "matmul.hpp"

SUBWAVE_BEGIN

/* Reads global memory only. Block: columns x rows. */
template <class T> SUBWAVE_KERNEL(256) matmul_naive(matmul_problem<T> p)
{
    tile_walk walk(p.m, p.n, blockDim.y, blockDim.x);
    for (std::int64_t tile = blockIdx.x; tile < walk.count; tile += gridDim.x) {
        std::int64_t i = walk.row(tile) * blockDim.y + threadIdx.y;
        std::int64_t j = walk.column(tile) * blockDim.x + threadIdx.x;
        if (i >= p.m || j >= p.n)
            continue;
        matmul_sum<T> sum = {};
        for (std::int64_t l = 0; l < p.k; ++l)
            add_product(sum, p.factor(p.a_at(i, l)), p.b_at(l, j));
        p.store(i, j, sum);
    }
}

template <class T> static int launch_matmul_naive(const subwave_matmul_launch &l, void *stream)
{
    return launch_tiles(matmul_naive<T>, l, stream);
}

SUBWAVE_END

SUBWAVE_KERNELS_matmul_naive(SUBWAVE_DEFINE_LAUNCHER)
