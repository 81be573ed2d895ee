/* SPDX-License-Identifier: MIT
 * arrays_rocprim.hip: one call of rocPRIM on an array: arrays_rocprim OPERATION f32|f64 ELEMENTS. For arrays.py.
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

template <class T> static bool call_on(const std::string &operation, std::size_t n)
{
    const std::size_t segments = n / 1000;
    std::vector<T> elements(n);
    std::vector<std::uint8_t> chosen(n);
    std::vector<int> ends(segments + 1);
    for (std::size_t i = 0; i < n; ++i) {
        const auto random = static_cast<std::uint32_t>(i) * 2654435761u;
        elements[i] = static_cast<T>(operation == "unique" ? i / 2 : random >> 8) / (1 << 24);
        chosen[i] = random >> 13 & 1;
    }
    for (std::size_t s = 0; s <= segments; ++s)
        ends[s] = static_cast<int>(n * s / segments);
    const T *const x = on_device(elements);
    const std::uint8_t *const flags = on_device(chosen);
    const int *const offsets = on_device(ends);
    T *const y = on_device(elements);
    unsigned *const counts = on_device(std::vector<unsigned>(256));
    const auto count = static_cast<unsigned>(n), segment_count = static_cast<unsigned>(segments);
    void *workspace = nullptr;
    std::size_t bytes = 0;
    const auto call = [&] {
        if (operation == "reduce")
            return rocprim::reduce(workspace, bytes, x, y, n, rocprim::plus<T>());
        if (operation == "scan")
            return rocprim::inclusive_scan(workspace, bytes, x, y, n, rocprim::plus<T>());
        if (operation == "compact")
            return rocprim::select(workspace, bytes, x, flags, y, counts, n);
        if (operation == "partition")
            return rocprim::partition(workspace, bytes, x, flags, y, counts, n);
        if (operation == "unique")
            return rocprim::unique(workspace, bytes, x, y, counts, n);
        if (operation == "segmented_reduce")
            return rocprim::segmented_reduce(workspace, bytes, x, y, segment_count, offsets,
                                             offsets + 1, rocprim::plus<T>(), T(0));
        if (operation == "histogram")
            return rocprim::histogram_even(workspace, bytes, x, count, counts, 257u, T(0), T(1));
        return hipErrorInvalidValue;
    };
    /* The first call tells how much memory the second one needs. */
    return call() == hipSuccess && hipMalloc(&workspace, bytes > 0 ? bytes : 1) == hipSuccess &&
           call() == hipSuccess && hipDeviceSynchronize() == hipSuccess;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const std::string operation = argv[1];
    const bool f64 = std::strcmp(argv[2], "f64") == 0;
    const std::size_t n = std::strtoull(argv[3], nullptr, 10);
    return (f64 ? call_on<double>(operation, n) : call_on<float>(operation, n)) ? 0 : 1;
}
