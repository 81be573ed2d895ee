/* SPDX-License-Identifier: MIT
 * peer_plain.cpp: the matrix product as a C program has it without a library: loops, one thread.
 */
#include "bench.hpp"

extern "C" {
#include "../src/tool/plain.h"
}

namespace bench {

static const enrolled<blas> plain({
    .name = "plain loop",
    .on_gpu = false,
    .version = [] { return std::string(SUBWAVE_BENCH_C_COMPILER); },
    .gemm =
        [](device &, subwave_dtype dtype, const shape &s, const void *a, const void *b, void *c) {
            if (dtype != SUBWAVE_DTYPE_F32 && dtype != SUBWAVE_DTYPE_F64)
                throw unsupported("C has no such element type");
            for (std::int64_t i = 0; i < s.batch; ++i) {
                const std::size_t size = subwave_dtype_size(dtype);
                const auto at = [&](const void *x, std::int64_t elements) {
                    return static_cast<const char *>(x) +
                           static_cast<std::size_t>(i * elements) * size;
                };
                plain_matmul(dtype, s.m, s.n, s.k, at(a, s.m * s.k), at(b, s.k * s.n),
                             const_cast<char *>(at(c, s.m * s.n)));
            }
        },
});

} // namespace bench
