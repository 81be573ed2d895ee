/* SPDX-License-Identifier: MIT
 * scatter_plain.hip: elements added to cells of device memory as one writes it first: an atomic
 * addition for each element.
 */
#include "registry.hpp"

#include <subwave/subwave.hpp>

SUBWAVE_BEGIN
namespace {

template <class T>
SUBWAVE_KERNEL(256)
add_each(std::int64_t n, const std::int64_t *indices, const T *values, std::int64_t cells, T *y)
{
    const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n && indices[i] >= 0 && indices[i] < cells)
        add_to_global(&y[indices[i]], values[i]);
}

template <class T>
int run(void *stream, std::int64_t n, const void *indices, const void *values, std::int64_t cells,
        void *y)
{
    return launch(add_each<T>, dim3(static_cast<unsigned>((n + 255) / 256)), dim3(256), 0, stream,
                  n, static_cast<const std::int64_t *>(indices), static_cast<const T *>(values),
                  cells, static_cast<T *>(y));
}

const bench::enrolled<bench::scatter_kernel> of_f32({SUBWAVE_DTYPE_F32, run<float>});
const bench::enrolled<bench::scatter_kernel> of_f64({SUBWAVE_DTYPE_F64, run<double>});
const bench::enrolled<bench::scatter_kernel> of_i32({SUBWAVE_DTYPE_I32, run<std::int32_t>});

} // namespace
SUBWAVE_END
