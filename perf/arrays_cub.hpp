/* SPDX-License-Identifier: MIT
 * arrays_cub.hpp: CUB's algorithms for whole arrays, or those of a library with its interface.
 * The including file gives the namespace `cub`, BY and VERSION, the library's, STREAM, the type of a
 * stream, and HAS_ARG_MIN_OF_TWO_RESULTS if its ArgMin writes a value and an index of any size.
 */
#include "array_peer.hpp"
#include "registers.hpp"
#include "row_offsets.hpp"

namespace bench {
namespace {

peer_call cub_reduce(void *stream, subwave_dtype dtype, subwave_op op, std::int64_t n,
                     const void *x, void *y, void *workspace, std::size_t bytes)
{
    return with_peer_type(dtype, [=](auto element) {
        using T = decltype(element);
        const auto *from = static_cast<const T *>(x);
        auto *to = static_cast<T *>(y);
        const int count = static_cast<int>(n);
        const auto on = static_cast<STREAM>(stream);
        if (count != n || (op != SUBWAVE_OP_PLUS && op != SUBWAVE_OP_MAXIMUM))
            return peer_call::not_written;
        return queue_in(workspace, bytes, [&](void *memory, std::size_t &needed) {
            return op == SUBWAVE_OP_PLUS
                       ? cub::DeviceReduce::Sum(memory, needed, from, to, count, on)
                       : cub::DeviceReduce::Max(memory, needed, from, to, count, on);
        });
    });
}

peer_call cub_scan(void *stream, subwave_dtype dtype, subwave_op op, subwave_scan_kind kind,
                   std::int64_t n, const void *x, void *y, void *workspace, std::size_t bytes)
{
    return with_peer_type(dtype, [=](auto element) {
        using T = decltype(element);
        const auto *from = static_cast<const T *>(x);
        auto *to = static_cast<T *>(y);
        const int count = static_cast<int>(n);
        const auto on = static_cast<STREAM>(stream);
        if (count != n || op != SUBWAVE_OP_PLUS)
            return peer_call::not_written;
        return queue_in(workspace, bytes, [&](void *memory, std::size_t &needed) {
            return kind == SUBWAVE_SCAN_INCLUSIVE
                       ? cub::DeviceScan::InclusiveSum(memory, needed, from, to, count, on)
                       : cub::DeviceScan::ExclusiveSum(memory, needed, from, to, count, on);
        });
    });
}

peer_call cub_segmented_reduce(void *stream, subwave_dtype dtype, subwave_op op,
                               std::int64_t segments, const std::int64_t *offsets, const void *x,
                               void *y, void *workspace, std::size_t bytes)
{
    return with_peer_type(dtype, [=](auto element) {
        using T = decltype(element);
        const auto *from = static_cast<const T *>(x);
        auto *to = static_cast<T *>(y);
        const int count = static_cast<int>(segments);
        const auto on = static_cast<STREAM>(stream);
        if (count != segments || (op != SUBWAVE_OP_PLUS && op != SUBWAVE_OP_MAXIMUM))
            return peer_call::not_written;
        return queue_in(workspace, bytes, [&](void *memory, std::size_t &needed) {
            return op == SUBWAVE_OP_PLUS
                       ? cub::DeviceSegmentedReduce::Sum(memory, needed, from, to, count, offsets,
                                                         offsets + 1, on)
                       : cub::DeviceSegmentedReduce::Max(memory, needed, from, to, count, offsets,
                                                         offsets + 1, on);
        });
    });
}

peer_call cub_segmented_scan(void *stream, subwave_dtype dtype, subwave_op op,
                             subwave_scan_kind kind, std::int64_t n, const std::uint32_t *keys,
                             const void *x, void *y, void *workspace, std::size_t bytes)
{
    return with_peer_type(dtype, [=](auto element) {
        using T = decltype(element);
        const auto *from = static_cast<const T *>(x);
        auto *to = static_cast<T *>(y);
        const int count = static_cast<int>(n);
        const auto on = static_cast<STREAM>(stream);
        if (count != n || op != SUBWAVE_OP_PLUS)
            return peer_call::not_written;
        return queue_in(workspace, bytes, [&](void *memory, std::size_t &needed) {
            return kind == SUBWAVE_SCAN_INCLUSIVE
                       ? cub::DeviceScan::InclusiveSumByKey(memory, needed, keys, from, to, count,
                                                            equal_keys(), on)
                       : cub::DeviceScan::ExclusiveSumByKey(memory, needed, keys, from, to, count,
                                                            equal_keys(), on);
        });
    });
}

#ifdef HAS_ARG_MIN_OF_TWO_RESULTS
peer_call cub_minmax_index(void *stream, subwave_dtype dtype, subwave_op op, std::int64_t n,
                           const void *x, void *value, void *index, void *workspace,
                           std::size_t bytes)
{
    return with_peer_type(dtype, [=](auto element) {
        using T = decltype(element);
        const auto *from = static_cast<const T *>(x);
        auto *to = static_cast<T *>(value);
        auto *at = static_cast<std::int64_t *>(index);
        const auto on = static_cast<STREAM>(stream);
        return queue_in(workspace, bytes, [&](void *memory, std::size_t &needed) {
            return op == SUBWAVE_OP_MINIMUM
                       ? cub::DeviceReduce::ArgMin(memory, needed, from, to, at, n, on)
                       : cub::DeviceReduce::ArgMax(memory, needed, from, to, at, n, on);
        });
    });
}
#else
constexpr decltype(array_peer::minmax_index) cub_minmax_index = nullptr;
#endif

peer_call cub_row_reduce(void *stream, subwave_dtype dtype, subwave_op op, std::int64_t rows,
                         std::int64_t length, const void *x, void *y, void *workspace,
                         std::size_t bytes)
{
    return with_peer_type(dtype, [=](auto element) {
        using T = decltype(element);
        const auto *from = static_cast<const T *>(x);
        auto *to = static_cast<T *>(y);
        const int count = static_cast<int>(rows);
        const auto on = static_cast<STREAM>(stream);
        const row_offsets begin{length, 0}, end{length, 1};
        if (count != rows || (op != SUBWAVE_OP_PLUS && op != SUBWAVE_OP_MAXIMUM))
            return peer_call::not_written;
        return queue_in(workspace, bytes, [&](void *memory, std::size_t &needed) {
            return op == SUBWAVE_OP_PLUS ? cub::DeviceSegmentedReduce::Sum(memory, needed, from, to,
                                                                           count, begin, end, on)
                                         : cub::DeviceSegmentedReduce::Max(memory, needed, from, to,
                                                                           count, begin, end, on);
        });
    });
}

/* Where pairs of an index and a value are written, each to an array of its own. */
template <class T> struct found_pairs {
    struct place {
        T &value;
        std::int64_t &key; /* hipCUB subtracts the row's beginning from it */
        template <class Pair> __device__ void operator=(const Pair &found) const
        {
            value = found.value;
            key = found.key;
        }
    };
    using iterator_category = std::random_access_iterator_tag;
    using value_type = void;
    using difference_type = std::int64_t;
    using pointer = void;
    using reference = place;

    T *value;
    std::int64_t *index;

    __host__ __device__ place operator*() const { return {*value, *index}; }
    __host__ __device__ place operator[](std::int64_t i) const { return *(*this + i); }
    __host__ __device__ found_pairs operator+(std::int64_t i) const
    {
        return {value + i, index + i};
    }
    __host__ __device__ found_pairs &operator+=(std::int64_t i) { return *this = *this + i; }
};

peer_call cub_row_minmax_index(void *stream, subwave_dtype dtype, subwave_op op, std::int64_t rows,
                               std::int64_t length, const void *x, void *values, void *indices,
                               void *workspace, std::size_t bytes)
{
    return with_peer_type(dtype, [=](auto element) {
        using T = decltype(element);
        const auto *from = static_cast<const T *>(x);
        const found_pairs<T> to{static_cast<T *>(values), static_cast<std::int64_t *>(indices)};
        const int count = static_cast<int>(rows);
        const auto on = static_cast<STREAM>(stream);
        const row_offsets begin{length, 0}, end{length, 1};
        if (count != rows)
            return peer_call::not_written;
        return queue_in(workspace, bytes, [&](void *memory, std::size_t &needed) {
            return op == SUBWAVE_OP_MINIMUM
                       ? cub::DeviceSegmentedReduce::ArgMin(memory, needed, from, to, count, begin,
                                                            end, on)
                       : cub::DeviceSegmentedReduce::ArgMax(memory, needed, from, to, count, begin,
                                                            end, on);
        });
    });
}

peer_call cub_select(void *stream, selection what, subwave_dtype dtype, std::int64_t n,
                     const void *x, const void *flags, void *y, void *count, void *workspace,
                     std::size_t bytes)
{
    return with_peer_type(dtype, [=](auto element) {
        using T = decltype(element);
        const auto *from = static_cast<const T *>(x);
        const auto *flagged = static_cast<const std::uint8_t *>(flags);
        auto *to = static_cast<T *>(y);
        auto *number = static_cast<std::int64_t *>(count);
        const int elements = static_cast<int>(n);
        const auto on = static_cast<STREAM>(stream);
        if (elements != n)
            return peer_call::not_written;
        return queue_in(workspace, bytes, [&](void *memory, std::size_t &needed) {
            switch (what) {
            case selection::flagged:
                return cub::DeviceSelect::Flagged(memory, needed, from, flagged, to, number,
                                                  elements, on);
            case selection::less:
                return cub::DeviceSelect::If(memory, needed, from, to, number, elements,
                                             less_than_0<T>(), on);
            case selection::partition_flagged:
                return cub::DevicePartition::Flagged(memory, needed, from, flagged, to, number,
                                                     elements, on);
            case selection::partition_less:
                return cub::DevicePartition::If(memory, needed, from, to, number, elements,
                                                less_than_0<T>(), on);
            default:
                return cub::DeviceSelect::Unique(memory, needed, from, to, number, elements, on);
            }
        });
    });
}

peer_call cub_histogram(void *stream, subwave_dtype dtype, std::int64_t bins, double lower,
                        double upper, const void *boundaries, std::int64_t n, const void *x,
                        void *counts, void *workspace, std::size_t bytes)
{
    return with_peer_type(dtype, [=](auto element) {
        using T = decltype(element);
        const auto *from = static_cast<const T *>(x);
        auto *to = static_cast<unsigned *>(counts);
        const int count = static_cast<int>(n), levels = static_cast<int>(bins) + 1;
        const auto on = static_cast<STREAM>(stream);
        if (count != n)
            return peer_call::not_written;
        return queue_in(workspace, bytes, [&](void *memory, std::size_t &needed) {
            return boundaries
                       ? cub::DeviceHistogram::HistogramRange(memory, needed, from, to, levels,
                                                              static_cast<const T *>(boundaries),
                                                              count, on)
                       : cub::DeviceHistogram::HistogramEven(memory, needed, from, to, levels,
                                                             static_cast<T>(lower),
                                                             static_cast<T>(upper), count, on);
        });
    });
}

struct same_row {
    __host__ __device__ bool operator()(std::int64_t a, std::int64_t b) const { return a == b; }
};

peer_call cub_row_scan(void *stream, subwave_dtype dtype, subwave_op op, subwave_scan_kind kind,
                       std::int64_t rows, std::int64_t length, const void *x, void *y,
                       void *workspace, std::size_t bytes)
{
    return with_peer_type(dtype, [=](auto element) {
        using T = decltype(element);
        const auto *from = static_cast<const T *>(x);
        auto *to = static_cast<T *>(y);
        const int count = static_cast<int>(rows * length);
        const auto on = static_cast<STREAM>(stream);
        const row_numbers keys{length, 0};
        if (count != rows * length || op != SUBWAVE_OP_PLUS)
            return peer_call::not_written;
        return queue_in(workspace, bytes, [&](void *memory, std::size_t &needed) {
            return kind == SUBWAVE_SCAN_INCLUSIVE
                       ? cub::DeviceScan::InclusiveSumByKey(memory, needed, keys, from, to, count,
                                                            same_row(), on)
                       : cub::DeviceScan::ExclusiveSumByKey(memory, needed, keys, from, to, count,
                                                            same_row(), on);
        });
    });
}

const enrolled<array_peer> here({BY, VERSION, cub_reduce, cub_scan, cub_minmax_index,
                                 cub_row_reduce, cub_select, cub_histogram, cub_segmented_reduce,
                                 cub_row_scan, cub_row_minmax_index, cub_segmented_scan});

} // namespace
} // namespace bench
