/* SPDX-License-Identifier: MIT
 * array_peer.hpp: a library that combines whole arrays on the GPU.
 */
#ifndef SUBWAVE_BENCH_ARRAY_PEER_HPP
#define SUBWAVE_BENCH_ARRAY_PEER_HPP

#include "registry.hpp"

#include <cstddef>

namespace bench {

/* What became of a call to a peer. */
enum class peer_call { queued, not_written, failed };

struct array_peer {
    const char *name, *version;
    /* Queues *y = op over n elements of x. It uses up to `bytes` of workspace, or fails. */
    peer_call (*reduce)(void *stream, subwave_dtype dtype, subwave_op op, std::int64_t n,
                        const void *x, void *y, void *workspace, std::size_t bytes);
    /* The same of y = scan of x. */
    peer_call (*scan)(void *stream, subwave_dtype dtype, subwave_op op, subwave_scan_kind kind,
                      std::int64_t n, const void *x, void *y, void *workspace, std::size_t bytes);
};

/* Calls body(one element of that type) for the types that peers are asked for. */
template <class Body> peer_call with_peer_type(subwave_dtype dtype, Body body)
{
    switch (dtype) {
    case SUBWAVE_DTYPE_F32:
        return body(float());
    case SUBWAVE_DTYPE_F64:
        return body(double());
    case SUBWAVE_DTYPE_I32:
        return body(std::int32_t());
    default:
        return peer_call::not_written;
    }
}

} // namespace bench

#endif
