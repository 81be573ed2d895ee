/* SPDX-License-Identifier: MIT
 * peer_plain.cpp: the matrix product as a C program has it without a library: loops, one thread.
 */
#include "bench.hpp"

namespace bench {

static const enrolled<blas> plain({
    .name = "plain loop",
    .on_gpu = false,
    .version = [] { return std::string(SUBWAVE_BENCH_C_COMPILER); },
    .gemm =
        [](device &, subwave_dtype dtype, const shape &s, const void *a, const void *b, void *c) {
            for (std::int64_t i = 0; i < s.batch; ++i) {
                const std::size_t size = subwave_dtype_size(dtype);
                const auto at = [&](const void *x, std::int64_t elements) {
                    return static_cast<const char *>(x) +
                           static_cast<std::size_t>(i * elements) * size;
                };
                if (!measure_plain_matmul(dtype, s.m, s.n, s.k, at(a, s.m * s.k), at(b, s.k * s.n),
                                          const_cast<char *>(at(c, s.m * s.n))))
                    throw unsupported("C has no such element type");
            }
        },
});

} // namespace bench
