/* SPDX-License-Identifier: MIT
 * matmul.hip: C = alpha A B + beta C by one work-item per element (naive), a row of A in local
 * memory (local), a row of A broadcast through the sub-group (tutorial), and the tiled forms'
 * launches.
 */
#include "matmul_broadcast.hpp"
#include "matmul_matrix.hpp"

#include <iterator>
#include <utility>

SUBWAVE_BEGIN

/* One work-item per element of C; reads global memory only. Block: columns x rows. */
template <class T> SUBWAVE_KERNEL(256) matmul_naive(matmul_problem<T> p)
{
    tile_walk walk(p.m, p.n, blockDim.y, blockDim.x);
    for (std::int64_t tile = blockIdx.x; tile < walk.count; tile += gridDim.x) {
        std::int64_t i = walk.row(tile) * blockDim.y + threadIdx.y;
        std::int64_t j = walk.column(tile) * blockDim.x + threadIdx.x;
        if (i >= p.m || j >= p.n)
            continue;
        matmul_sum<T> sum = 0;
        for (std::int64_t l = 0; l < p.k; ++l)
            sum += p.a_at(i, l) * p.b_at(l, j);
        p.store(i, j, sum);
    }
}

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
        matmul_sum<T> sum = 0;
        for (std::int64_t l = 0; l < p.k; l += width) {
            if (l + item < p.k)
                part[item] = p.a_at(i, l + item);
            block_barrier(site::current());
            int steps = p.k - l < width ? static_cast<int>(p.k - l) : width;
            for (int s = 0; s < steps; ++s)
                sum += part[s] * p.b_at(l + s, column);
            block_barrier(site::current());
        }
        if (j < p.n)
            p.store(i, j, sum);
    }
}

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
        matmul_sum<T> sum = 0;
        for (std::int64_t l = 0; l < p.k; l += width) {
            const T mine = l + item < p.k ? p.a_at(i, l + item) : T(0);
            const int steps = p.k - l < width ? static_cast<int>(p.k - l) : width;
            for (int s = 0; s < steps; ++s)
                sum += group_broadcast(sg, mine, s) * p.b_at(l + s, column);
        }
        if (j < p.n)
            p.store(i, j, sum);
    }
}

/* The kernel of MATRIX for what are neighbours in A and B. */
template <class T, int Shape>
static auto matmul_matrix_kernel(const subwave_matmul_product &product, bool packed)
{
    const bool a_along_k = product.a_row != 1, b_along_k = product.b_row == 1;
    if constexpr (is_small_float<T>::value) {
        if (!packed)
            return matmul_matrix<T, Shape, false, true, true>;
        if (a_along_k && !b_along_k)
            return matmul_matrix<T, Shape, true, true, false>;
    } /* else the plan transposes that one: f32 and f64 are stored by pairs of columns */
    if (a_along_k)
        return matmul_matrix<T, Shape, true, true, true>;
    return b_along_k ? matmul_matrix<T, Shape, true, false, true>
                     : matmul_matrix<T, Shape, true, false, false>;
}

/* The kernel of BROADCAST for a plan's tile, or null. */
template <class T, std::size_t... I>
static auto matmul_broadcast_kernel(const subwave_matmul_kernel &plan, std::index_sequence<I...>)
{
    void (*kernel)(matmul_problem<T>) = nullptr;
    const auto try_shape = [&](auto index) {
        constexpr subwave_broadcast_shape shape = shapes.broadcast[index()];
        if constexpr (index() < shapes.broadcast_count &&
                      (!shape.f32_only || std::is_same<T, float>::value))
            if (plan.item_rows == shape.rows && plan.item_columns == shape.columns)
                kernel = plan.packed ? matmul_broadcast<T, shape.rows, shape.columns, true>
                                     : matmul_broadcast<T, shape.rows, shape.columns, false>;
    };
    (try_shape(std::integral_constant<int, I>()), ...);
    return kernel;
}

/* The kernel for a plan's variant and tile, or null. */
template <class T>
static auto matmul_kernel(const subwave_matmul_kernel &plan, const subwave_matmul_product &product)
{
    void (*kernel)(matmul_problem<T>) = nullptr;
    switch (plan.variant) {
    case SUBWAVE_VARIANT_NAIVE:
        return matmul_naive<T>;
    case SUBWAVE_VARIANT_LOCAL:
        return matmul_local<T>;
    case SUBWAVE_VARIANT_TUTORIAL:
        return matmul_tutorial<T>;
    case SUBWAVE_VARIANT_BROADCAST:
        return matmul_broadcast_kernel<T>(plan,
                                          std::make_index_sequence<std::size(shapes.broadcast)>());
    case SUBWAVE_VARIANT_MATRIX:
        if constexpr (!is_small_float<T>::value)
            if (plan.of.matrix.small)
                return matmul_matrix_kernel<T, 1>(product, plan.packed);
        return matmul_matrix_kernel<T, 0>(product, plan.packed);
    default:
        return kernel;
    }
}

template <class T> static int launch_matmul(const subwave_matmul_launch &l, void *stream)
{
    const subwave_matmul_kernel &plan = l.kernel;
    const auto kernel = matmul_kernel<T>(plan, l.product);
    if (!kernel)
        return SUBWAVE_NO_KERNEL;
    return launch(kernel, dim3(plan.blocks), dim3(plan.block_x, plan.block_y), plan.shared_bytes,
                  stream, problem_of<T>(l.product));
}

SUBWAVE_END

SUBWAVE_KERNELS_matmul(SUBWAVE_DEFINE_LAUNCHER)
