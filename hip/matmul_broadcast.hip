/* SPDX-License-Identifier: MIT
 * matmul_broadcast.hip: the launcher of variant BROADCAST.
 */
#include "matmul_broadcast.hpp"
#include "matmul_broadcast_dot.hpp"

#include <iterator>
#include <utility>

SUBWAVE_BEGIN

/* The kernel of BROADCAST for a plan's tile, or null. */
template <class T, std::size_t... I>
static auto matmul_broadcast_kernel(const subwave_matmul_launch &l, std::index_sequence<I...>)
{
    void (*kernel)(matmul_problem<T>) = nullptr;
    constexpr bool has_scalars = subwave_broadcast_by_scalars(&shapes, sizeof(T), true);
    const auto try_shape = [&](auto index) {
        constexpr subwave_broadcast_shape shape = shapes.broadcast[index()];
        constexpr int rows = shape.rows, columns = shape.columns;
        const bool is_it = l.kernel.item_rows == rows && l.kernel.item_columns == columns;
        if constexpr (index() >= shapes.broadcast_count ||
                      !subwave_broadcast_is_for(&shape, sizeof(T), is_complex_v<T>)) {
        } else if constexpr (is_integer_v<T>) {
            if constexpr (index() == shapes.broadcast_count - 1)
                if (is_it)
                    kernel = l.kernel.packed ? matmul_broadcast_dot<T, rows, columns, true>
                                             : matmul_broadcast_dot<T, rows, columns, false>;
        } else if constexpr (!shape.scalars) {
            if (is_it && !l.kernel.packed)
                kernel = matmul_broadcast<T, rows, columns, false, broadcast_a::by_lanes>;
            if constexpr (!has_scalars)
                if (is_it && l.kernel.packed)
                    kernel = matmul_broadcast<T, rows, columns, true, broadcast_a::by_lanes>;
        } else if constexpr (has_scalars) {
            if (is_it && l.kernel.packed)
                kernel = l.product.a_column == 1
                             ? matmul_broadcast<T, rows, columns, true, broadcast_a::along_k>
                             : matmul_broadcast<T, rows, columns, true, broadcast_a::across>;
        }
    };
    (try_shape(std::integral_constant<int, I>()), ...);
    return kernel;
}

template <class T> static int launch_matmul_broadcast(const subwave_matmul_launch &l, void *stream)
{
    constexpr std::make_index_sequence<std::size(shapes.broadcast)> all;
    return launch_tiles(matmul_broadcast_kernel<T>(l, all), l, stream);
}

SUBWAVE_END

SUBWAVE_KERNELS_matmul_broadcast(SUBWAVE_DEFINE_LAUNCHER)
