/* SPDX-License-Identifier: MIT
 * array_peer.hpp: a library that combines whole arrays on the GPU.
 */
#ifndef SUBWAVE_BENCH_ARRAY_PEER_HPP
#define SUBWAVE_BENCH_ARRAY_PEER_HPP

#include "registry.hpp"

#include <cstddef>

namespace bench {

/* What became of a call to a peer. */
enum class peer_call { queued, not_written, too_large, failed };

/* What is selected of an array: by flags, or what is less than 0, or what differs from the element
 * before; and whether the others are kept as well. */
enum class selection { flagged, less, unlike, partition_flagged, partition_less };
#if defined(__CUDACC__) || defined(__HIPCC__)
/* The predicate of those that take what is less than 0. */
template <class T> struct less_than_0 {
    __host__ __device__ bool operator()(const T &x) const { return x < T(0); }
};
/* Whether elements belong to the same segment. */
struct equal_keys {
    __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
};
#endif

struct array_peer {
    const char *name, *version;
    /* Queues *y = op over n elements of x. It uses up to `bytes` of workspace, or fails. */
    peer_call (*reduce)(void *stream, subwave_dtype dtype, subwave_op op, std::int64_t n,
                        const void *x, void *y, void *workspace, std::size_t bytes);
    /* The same of y = scan of x. */
    peer_call (*scan)(void *stream, subwave_dtype dtype, subwave_op op, subwave_scan_kind kind,
                      std::int64_t n, const void *x, void *y, void *workspace, std::size_t bytes);
    /* The same of the least or greatest element and its index, a number of 64 bits. Null: it has no
     * such call. */
    peer_call (*minmax_index)(void *stream, subwave_dtype dtype, subwave_op op, std::int64_t n,
                              const void *x, void *value, void *index, void *workspace,
                              std::size_t bytes) = nullptr;
    /* The same of y[r] = op over row r of x, `rows` of `length` elements without gaps, given as
     * segments between offsets. Null: as above. */
    peer_call (*row_reduce)(void *stream, subwave_dtype dtype, subwave_op op, std::int64_t rows,
                            std::int64_t length, const void *x, void *y, void *workspace,
                            std::size_t bytes) = nullptr;
    /* The same of a selection, whose count is a number of 64 bits. The others of a partition follow the
     * selected, from the end of n elements of y on backwards. */
    peer_call (*select)(void *stream, selection what, subwave_dtype dtype, std::int64_t n,
                        const void *x, const void *flags, void *y, void *count, void *workspace,
                        std::size_t bytes) = nullptr;
    /* The same of counts, of 32 bits, of the elements in bins of the same width or, if they are not
     * null, between boundaries. */
    peer_call (*histogram)(void *stream, subwave_dtype dtype, std::int64_t bins, double lower,
                           double upper, const void *boundaries, std::int64_t n, const void *x,
                           void *counts, void *workspace, std::size_t bytes) = nullptr;
    /* The same of y[s] = op over the elements from offsets[s] up to offsets[s + 1], of 64 bits each.
     */
    peer_call (*segmented_reduce)(void *stream, subwave_dtype dtype, subwave_op op,
                                  std::int64_t segments, const std::int64_t *offsets, const void *x,
                                  void *y, void *workspace, std::size_t bytes) = nullptr;
    /* The same of scans of rows of x without gaps, given as segments between offsets, or as neighbours
     * of the same key, which is the row's number. */
    peer_call (*row_scan)(void *stream, subwave_dtype dtype, subwave_op op, subwave_scan_kind kind,
                          std::int64_t rows, std::int64_t length, const void *x, void *y,
                          void *workspace, std::size_t bytes) = nullptr;
    /* The same of the least or greatest element of each row and its index, rows as in row_reduce and
     * numbers of 64 bits. Null: as above. */
    peer_call (*row_minmax_index)(void *stream, subwave_dtype dtype, subwave_op op,
                                  std::int64_t rows, std::int64_t length, const void *x,
                                  void *values, void *indices, void *workspace,
                                  std::size_t bytes) = nullptr;
    /* The same of y = the scan of each segment of n elements of x: neighbours with equal keys. */
    peer_call (*segmented_scan)(void *stream, subwave_dtype dtype, subwave_op op,
                                subwave_scan_kind kind, std::int64_t n, const std::uint32_t *keys,
                                const void *x, void *y, void *workspace,
                                std::size_t bytes) = nullptr;
};

/* Throws what the bench reports if the call was not queued: `written` says for what it is written. */
void expect_queued(peer_call became, const array_peer &peer, const char *written);

/* Calls body(one element of that type) for the types that peers are asked for. */
template <class Body> peer_call with_peer_type(subwave_dtype dtype, Body body)
{
    switch (dtype) {
    case SUBWAVE_DTYPE_F32:
        return body(float());
#ifndef SUBWAVE_BENCH_F32_ALONE
    case SUBWAVE_DTYPE_F64:
        return body(double());
    case SUBWAVE_DTYPE_I32:
        return body(std::int32_t());
#endif
    default:
        return peer_call::not_written;
    }
}

/* Queues call(memory, bytes): without memory it only says how many bytes it needs, and is not
 * queued. Both return the runtime's error code. */
template <class Call> peer_call queue_in(void *workspace, std::size_t bytes, Call call)
{
    std::size_t needed = 0;
    if (static_cast<int>(call(nullptr, needed)))
        return peer_call::failed;
    if (needed > bytes)
        return peer_call::too_large;
    return static_cast<int>(call(workspace, needed)) ? peer_call::failed : peer_call::queued;
}

} // namespace bench

#endif
