/* SPDX-License-Identifier: MIT
 * matmul_matrix.hip: the launcher of variant MATRIX.
 */
#include "matmul_matrix.hpp"

SUBWAVE_BEGIN

/* The kernel of MATRIX for what are neighbours in A and B. */
template <class T, int Shape>
static auto matmul_matrix_kernel(const subwave_matmul_product &product, bool packed)
{
    const bool a_along_k = product.a_row != 1, b_along_k = product.b_row == 1;
    if constexpr (matrix_by_rows<T>) {
        if constexpr (Shape == 0)
            if (!packed)
                return matmul_matrix<T, Shape, false, true, true>;
    }
    if constexpr (sizeof(T) == 1) {
        return matmul_matrix<T, Shape, true, true, true>; /* packed means along k */
    } else {
        if constexpr (matrix_by_rows<T>)
            if (a_along_k && !b_along_k)
                return matmul_matrix<T, Shape, true, true, false>;
        /* else the plan transposes that one: f32 and f64 are stored by pairs of columns */
        if (a_along_k)
            return matmul_matrix<T, Shape, true, true, true>;
        return b_along_k ? matmul_matrix<T, Shape, true, false, true>
                         : matmul_matrix<T, Shape, true, false, false>;
    }
}

/* The kernel of the planned shape, of those that there are from this one on. */
template <class T, int Shape = 0> static auto planned_matrix_kernel(const subwave_matmul_launch &l)
{
    if constexpr (Shape + 1 < matrix_shapes<T> && matrix_shape<T>(Shape + 1).down != 0)
        if (l.kernel.of.matrix.shape > Shape)
            return planned_matrix_kernel<T, Shape + 1>(l);
    return matmul_matrix_kernel<T, Shape>(l.product, l.kernel.packed);
}

template <class T> static int launch_matmul_matrix(const subwave_matmul_launch &l, void *stream)
{
    const auto kernel = planned_matrix_kernel<T>(l);
    const subwave_matmul_kernel &plan = l.kernel;
    char *const workspace = static_cast<char *>(l.workspace);
    const auto &split = plan.of.matrix;
    const bool is_split = split.shares > 0, by_tiles = is_split && split.shares % split.shared == 0;
    const std::uint32_t together = by_tiles   ? split.shares / split.shared
                                   : is_split ? split.shares
                                              : 1,
                        span = by_tiles ? split.stages : split.shared * split.stages;
    const matrix_problem<T> problem = {
        problem_of<T>(l.product),
        split.tiles,
        split.stages,
        split.shares,
        split.shared,
        together,
        span,
        span / together,
        span % together,
        is_split ? split.stages * matrix_shape<T>(split.shape).stage -
                       static_cast<std::uint32_t>(l.product.k)
                 : 0,
        split.band,
        reinterpret_cast<matmul_sum<T> *>(workspace +
                                          SUBWAVE_WORKSPACE_COUNTERS * sizeof(std::uint32_t)),
        reinterpret_cast<std::uint32_t *>(workspace)};
    return launch(kernel, dim3(plan.blocks), dim3(plan.block_x), plan.shared_bytes, stream,
                  problem);
}

SUBWAVE_END

SUBWAVE_KERNELS_matmul_matrix(SUBWAVE_DEFINE_LAUNCHER)
