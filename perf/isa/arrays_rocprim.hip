/* SPDX-License-Identifier: MIT
 * arrays_rocprim.hip: one call of rocPRIM on an array of f32: arrays_rocprim OPERATION ELEMENTS. For arrays.py.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring> /* rocPRIM 7.2 needs it and does not include it */
#include <string>
#include <vector>

#include <hip/hip_runtime.h>
#include <rocprim/rocprim.hpp>

template <class T> static T *on_device(const std::vector<T> &host)
{
    void *device = nullptr;
    if (hipMalloc(&device, host.size() * sizeof(T)) != hipSuccess ||
        hipMemcpy(device, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice) !=
            hipSuccess)
        std::exit(1);
    return static_cast<T *>(device);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const std::string operation = argv[1];
    const std::size_t n = std::strtoull(argv[2], nullptr, 10), segments = n / 1000;
    std::vector<float> elements(n);
    std::vector<std::uint8_t> chosen(n);
    std::vector<int> ends(segments + 1);
    for (std::size_t i = 0; i < n; ++i) {
        const auto random = static_cast<std::uint32_t>(i) * 2654435761u;
        elements[i] = static_cast<float>(operation == "unique" ? i / 2 : random >> 8) / (1 << 24);
        chosen[i] = random >> 13 & 1;
    }
    for (std::size_t s = 0; s <= segments; ++s)
        ends[s] = static_cast<int>(n * s / segments);
    const float *const x = on_device(elements);
    const std::uint8_t *const flags = on_device(chosen);
    const int *const offsets = on_device(ends);
    float *const y = on_device(elements);
    unsigned *const counts = on_device(std::vector<unsigned>(256));
    const auto count = static_cast<unsigned>(n), segment_count = static_cast<unsigned>(segments);
    void *workspace = nullptr;
    std::size_t bytes = 0;
    const auto call = [&] {
        if (operation == "reduce")
            return rocprim::reduce(workspace, bytes, x, y, n, rocprim::plus<float>());
        if (operation == "scan")
            return rocprim::inclusive_scan(workspace, bytes, x, y, n, rocprim::plus<float>());
        if (operation == "compact")
            return rocprim::select(workspace, bytes, x, flags, y, counts, n);
        if (operation == "partition")
            return rocprim::partition(workspace, bytes, x, flags, y, counts, n);
        if (operation == "unique")
            return rocprim::unique(workspace, bytes, x, y, counts, n);
        if (operation == "segmented_reduce")
            return rocprim::segmented_reduce(workspace, bytes, x, y, segment_count, offsets,
                                             offsets + 1, rocprim::plus<float>(), 0.0f);
        if (operation == "histogram")
            return rocprim::histogram_even(workspace, bytes, x, count, counts, 257u, 0.0f, 1.0f);
        return hipErrorInvalidValue;
    };
    /* The first call tells how much memory the second one needs. */
    const bool done = call() == hipSuccess &&
                      hipMalloc(&workspace, bytes > 0 ? bytes : 1) == hipSuccess &&
                      call() == hipSuccess && hipDeviceSynchronize() == hipSuccess;
    return done ? 0 : 1;
}
