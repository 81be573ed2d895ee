/* SPDX-License-Identifier: MIT
 * scatter_plain.hip: elements added to cells of device memory, weights to bins, and elements appended
 * to a queue, as one writes it first: an atomic addition for each element.
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

template <class T> SUBWAVE_KERNEL(256) clear_each(std::int64_t n, T *x)
{
    const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = 0;
}

/* What is upper is in the last bin. */
template <class T>
SUBWAVE_KERNEL(256)
weigh_each(std::int64_t n, const T *x, const T *weights, std::int64_t bins, double lower,
           double upper, double scale, T *sums)
{
    const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const auto number = static_cast<double>(x[i]);
    if (!(number >= lower && number <= upper))
        return;
    const auto bin = static_cast<std::int64_t>((number - lower) * scale);
    add_to_global(&sums[bin < bins ? bin : bins - 1], weights[i]);
}

template <class T>
int weigh(void *stream, std::int64_t n, const void *x, const void *weights, std::int64_t bins,
          double lower, double upper, void *sums)
{
    const int status = launch(clear_each<T>, dim3(static_cast<unsigned>((bins + 255) / 256)),
                              dim3(256), 0, stream, bins, static_cast<T *>(sums));
    return status != 0
               ? status
               : launch(weigh_each<T>, dim3(static_cast<unsigned>((n + 255) / 256)), dim3(256), 0,
                        stream, n, static_cast<const T *>(x), static_cast<const T *>(weights), bins,
                        lower, upper, static_cast<double>(bins) / (upper - lower),
                        static_cast<T *>(sums));
}

template <class T>
SUBWAVE_KERNEL(256)
append_each(std::int64_t n, const std::uint8_t *flags, const T *x, T *queue, std::int64_t *count)
{
    const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n && flags[i] != 0)
        queue[atomic_add(count, std::int64_t(1))] = x[i];
}

template <class T>
int append(void *stream, std::int64_t n, const void *flags, const void *x, void *queue, void *count)
{
    auto *const number = static_cast<std::int64_t *>(count);
    const int status =
        launch(clear_each<std::int64_t>, dim3(1), dim3(256), 0, stream, std::int64_t(1), number);
    return status != 0 ? status
                       : launch(append_each<T>, dim3(static_cast<unsigned>((n + 255) / 256)),
                                dim3(256), 0, stream, n, static_cast<const std::uint8_t *>(flags),
                                static_cast<const T *>(x), static_cast<T *>(queue), number);
}

template <class T> struct enrolled_for {
    bench::enrolled<bench::scatter_kernel> sums;
    bench::enrolled<bench::weights_kernel> weights;
    bench::enrolled<bench::append_kernel> appends;
    explicit enrolled_for(subwave_dtype dtype)
        : sums({dtype, run<T>}), weights({dtype, weigh<T>}), appends({dtype, append<T>})
    {
    }
};
const enrolled_for<float> of_f32(SUBWAVE_DTYPE_F32);
const enrolled_for<double> of_f64(SUBWAVE_DTYPE_F64);
const enrolled_for<std::int32_t> of_i32(SUBWAVE_DTYPE_I32);

} // namespace
SUBWAVE_END
