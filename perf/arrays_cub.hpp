/* SPDX-License-Identifier: MIT
 * arrays_cub.hpp: CUB's algorithms for whole arrays, or those of a library with its interface.
 * The including file gives the namespace `cub`, BY and VERSION, the library's, and STREAM, the type
 * of a stream.
 */
#include "array_peer.hpp"
#include "registers.hpp"

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

const enrolled<array_peer> here({BY, VERSION, cub_reduce, cub_scan});

} // namespace
} // namespace bench
