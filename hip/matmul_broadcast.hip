/* SPDX-License-Identifier: MIT
 * matmul_broadcast.hip: the launcher of variant BROADCAST.
 */
#include "matmul_broadcast.hpp"

#include <iterator>
#include <utility>

SUBWAVE_BEGIN

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

template <class T> static int launch_matmul_broadcast(const subwave_matmul_launch &l, void *stream)
{
    constexpr std::make_index_sequence<std::size(shapes.broadcast)> all;
    return launch_tiles(matmul_broadcast_kernel<T>(l.kernel, all), l, stream);
}

SUBWAVE_END

SUBWAVE_KERNELS_matmul_broadcast(SUBWAVE_DEFINE_LAUNCHER)
