/* SPDX-License-Identifier: MIT
 * peer_openblas.cpp: OpenBLAS beside the CPU device, with as many threads as it has.
 */
#include "bench.hpp"

#include <cblas.h>

namespace bench {

static const enrolled<blas> openblas({
    .name = "openblas",
    .on_gpu = false,
    .version = [] { return std::string(openblas_get_config()); },
    .gemm =
        [](device &on, subwave_dtype dtype, const shape &s, const void *a, const void *b, void *c) {
            openblas_set_num_threads(on.units());
            const auto m = static_cast<blasint>(s.m), n = static_cast<blasint>(s.n),
                       k = static_cast<blasint>(s.k);
            for (std::int64_t i = 0; i < s.batch; ++i) {
                if (dtype == SUBWAVE_DTYPE_F32)
                    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1,
                                static_cast<const float *>(a) + i * s.m * s.k, k,
                                static_cast<const float *>(b) + i * s.k * s.n, n, 0,
                                static_cast<float *>(c) + i * s.m * s.n, n);
                else if (dtype == SUBWAVE_DTYPE_F64)
                    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1,
                                static_cast<const double *>(a) + i * s.m * s.k, k,
                                static_cast<const double *>(b) + i * s.k * s.n, n, 0,
                                static_cast<double *>(c) + i * s.m * s.n, n);
                else
                    throw unsupported("no gemm of this element type");
            }
        },
});

} // namespace bench
