/* SPDX-License-Identifier: MIT
 * arrays_rocprim.hip: rocPRIM beside the operations on arrays on AMD GPUs.
 */
#include "array_peer.hpp"
#include "registers.hpp"
#include "row_offsets.hpp"

#include <rocprim/rocprim.hpp>
#include <rocprim/rocprim_version.hpp>

#include <limits>

namespace bench {
namespace {

peer_call rocprim_reduce(void *stream, subwave_dtype dtype, subwave_op op, std::int64_t n,
                         const void *x, void *y, void *workspace, std::size_t bytes)
{
    return with_peer_type(dtype, [=](auto element) {
        using T = decltype(element);
        const auto *from = static_cast<const T *>(x);
        auto *to = static_cast<T *>(y);
        const auto count = static_cast<std::size_t>(n);
        const auto on = static_cast<hipStream_t>(stream);
        if (op != SUBWAVE_OP_PLUS && op != SUBWAVE_OP_MAXIMUM)
            return peer_call::not_written;
        return queue_in(workspace, bytes, [&](void *memory, std::size_t &needed) {
            return op == SUBWAVE_OP_PLUS
                       ? rocprim::reduce(memory, needed, from, to, count, rocprim::plus<T>(), on)
                       : rocprim::reduce(memory, needed, from, to, count, rocprim::maximum<T>(),
                                         on);
        });
    });
}

peer_call rocprim_scan(void *stream, subwave_dtype dtype, subwave_op op, subwave_scan_kind kind,
                       std::int64_t n, const void *x, void *y, void *workspace, std::size_t bytes)
{
    return with_peer_type(dtype, [=](auto element) {
        using T = decltype(element);
        const auto *from = static_cast<const T *>(x);
        auto *to = static_cast<T *>(y);
        const auto count = static_cast<std::size_t>(n);
        const auto on = static_cast<hipStream_t>(stream);
        if (op != SUBWAVE_OP_PLUS)
            return peer_call::not_written;
        return queue_in(workspace, bytes, [&](void *memory, std::size_t &needed) {
            return kind == SUBWAVE_SCAN_INCLUSIVE
                       ? rocprim::inclusive_scan(memory, needed, from, to, count,
                                                 rocprim::plus<T>(), on)
                       : rocprim::exclusive_scan(memory, needed, from, to, T(0), count,
                                                 rocprim::plus<T>(), on);
        });
    });
}

peer_call rocprim_row_reduce(void *stream, subwave_dtype dtype, subwave_op op, std::int64_t rows,
                             std::int64_t length, const void *x, void *y, void *workspace,
                             std::size_t bytes)
{
    return with_peer_type(dtype, [=](auto element) {
        using T = decltype(element);
        const auto *from = static_cast<const T *>(x);
        auto *to = static_cast<T *>(y);
        const auto count = static_cast<unsigned>(rows);
        const auto on = static_cast<hipStream_t>(stream);
        const row_offsets begin{length, 0}, end{length, 1};
        if (count != rows || (op != SUBWAVE_OP_PLUS && op != SUBWAVE_OP_MAXIMUM))
            return peer_call::not_written;
        return queue_in(workspace, bytes, [&](void *memory, std::size_t &needed) {
            return op == SUBWAVE_OP_PLUS
                       ? rocprim::segmented_reduce(memory, needed, from, to, count, begin, end,
                                                   rocprim::plus<T>(), T(0), on)
                       : rocprim::segmented_reduce(memory, needed, from, to, count, begin, end,
                                                   rocprim::maximum<T>(),
                                                   std::numeric_limits<T>::lowest(), on);
        });
    });
}

peer_call rocprim_select(void *stream, selection what, subwave_dtype dtype, std::int64_t n,
                         const void *x, const void *flags, void *y, void *count, void *workspace,
                         std::size_t bytes)
{
    return with_peer_type(dtype, [=](auto element) {
        using T = decltype(element);
        const auto *from = static_cast<const T *>(x);
        const auto *flagged = static_cast<const std::uint8_t *>(flags);
        auto *to = static_cast<T *>(y);
        auto *number = static_cast<std::int64_t *>(count);
        const auto elements = static_cast<std::size_t>(n);
        const auto on = static_cast<hipStream_t>(stream);
        return queue_in(workspace, bytes, [&](void *memory, std::size_t &needed) {
            switch (what) {
            case selection::flagged:
                return rocprim::select(memory, needed, from, flagged, to, number, elements, on);
            case selection::less:
                return rocprim::select(memory, needed, from, to, number, elements, less_than_0<T>(),
                                       on);
            case selection::partition_flagged:
                return rocprim::partition(memory, needed, from, flagged, to, number, elements, on);
            case selection::partition_less:
                return rocprim::partition(memory, needed, from, to, number, elements,
                                          less_than_0<T>(), on);
            default:
                return rocprim::unique(memory, needed, from, to, number, elements,
                                       rocprim::equal_to<T>(), on);
            }
        });
    });
}

peer_call rocprim_segmented_reduce(void *stream, subwave_dtype dtype, subwave_op op,
                                   std::int64_t segments, const std::int64_t *offsets,
                                   const void *x, void *y, void *workspace, std::size_t bytes)
{
    return with_peer_type(dtype, [=](auto element) {
        using T = decltype(element);
        const auto *from = static_cast<const T *>(x);
        auto *to = static_cast<T *>(y);
        const auto count = static_cast<unsigned>(segments);
        const auto on = static_cast<hipStream_t>(stream);
        if (count != segments || op != SUBWAVE_OP_PLUS)
            return peer_call::not_written;
        return queue_in(workspace, bytes, [&](void *memory, std::size_t &needed) {
            return rocprim::segmented_reduce(memory, needed, from, to, count, offsets, offsets + 1,
                                             rocprim::plus<T>(), T(0), on);
        });
    });
}

peer_call rocprim_row_scan(void *stream, subwave_dtype dtype, subwave_op op, subwave_scan_kind kind,
                           std::int64_t rows, std::int64_t length, const void *x, void *y,
                           void *workspace, std::size_t bytes)
{
    return with_peer_type(dtype, [=](auto element) {
        using T = decltype(element);
        const auto *from = static_cast<const T *>(x);
        auto *to = static_cast<T *>(y);
        const auto count = static_cast<unsigned>(rows);
        const auto on = static_cast<hipStream_t>(stream);
        const row_offsets begin{length, 0}, end{length, 1};
        if (count != rows || op != SUBWAVE_OP_PLUS)
            return peer_call::not_written;
        return queue_in(workspace, bytes, [&](void *memory, std::size_t &needed) {
            return kind == SUBWAVE_SCAN_INCLUSIVE
                       ? rocprim::segmented_inclusive_scan(memory, needed, from, to, count, begin,
                                                           end, rocprim::plus<T>(), on)
                       : rocprim::segmented_exclusive_scan(memory, needed, from, to, count, begin,
                                                           end, T(0), rocprim::plus<T>(), on);
        });
    });
}

peer_call rocprim_segmented_scan(void *stream, subwave_dtype dtype, subwave_op op,
                                 subwave_scan_kind kind, std::int64_t n, const std::uint32_t *keys,
                                 const void *x, void *y, void *workspace, std::size_t bytes)
{
    return with_peer_type(dtype, [=](auto element) {
        using T = decltype(element);
        const auto *from = static_cast<const T *>(x);
        auto *to = static_cast<T *>(y);
        const auto count = static_cast<std::size_t>(n);
        const auto on = static_cast<hipStream_t>(stream);
        if (op != SUBWAVE_OP_PLUS)
            return peer_call::not_written;
        return queue_in(workspace, bytes, [&](void *memory, std::size_t &needed) {
            return kind == SUBWAVE_SCAN_INCLUSIVE
                       ? rocprim::inclusive_scan_by_key(memory, needed, keys, from, to, count,
                                                        rocprim::plus<T>(), equal_keys(), on)
                       : rocprim::exclusive_scan_by_key(memory, needed, keys, from, to, T(0), count,
                                                        rocprim::plus<T>(), equal_keys(), on);
        });
    });
}

const enrolled<array_peer> here({"rocPRIM", SUBWAVE_BENCH_TEXT(ROCPRIM_VERSION), rocprim_reduce,
                                 rocprim_scan, nullptr, rocprim_row_reduce, rocprim_select, nullptr,
                                 rocprim_segmented_reduce, rocprim_row_scan, nullptr,
                                 rocprim_segmented_scan});

} // namespace
} // namespace bench
