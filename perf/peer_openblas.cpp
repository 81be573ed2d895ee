/* SPDX-License-Identifier: MIT
 * peer_openblas.cpp: OpenBLAS beside the CPU device, with as many threads as it has.
 */
#include "peer_gemm.hpp"

#include <cblas.h>

namespace bench {
namespace {

void gemm(device &on, subwave_dtype dtype, const shape &s, const void *a, const void *b, void *c)
{
    openblas_set_num_threads(on.units());
    const auto m = static_cast<blasint>(s.m), n = static_cast<blasint>(s.n),
               k = static_cast<blasint>(s.k);
    const gemm_scalars with(dtype);
    const void *one = with.one, *zero = with.zero;
    const auto size = static_cast<std::int64_t>(subwave_dtype_size(dtype));
    for (std::int64_t i = 0; i < s.batch; ++i) {
        const void *x = static_cast<const char *>(a) + i * s.m * s.k * size;
        const void *y = static_cast<const char *>(b) + i * s.k * s.n * size;
        void *z = static_cast<char *>(c) + i * s.m * s.n * size;
        switch (dtype) {
        case SUBWAVE_DTYPE_F32:
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1,
                        static_cast<const float *>(x), k, static_cast<const float *>(y), n, 0,
                        static_cast<float *>(z), n);
            break;
        case SUBWAVE_DTYPE_F64:
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1,
                        static_cast<const double *>(x), k, static_cast<const double *>(y), n, 0,
                        static_cast<double *>(z), n);
            break;
        case SUBWAVE_DTYPE_C32:
            cblas_cgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, one, x, k, y, n, zero,
                        z, n);
            break;
        case SUBWAVE_DTYPE_C64:
            cblas_zgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, one, x, k, y, n, zero,
                        z, n);
            break;
        default:
            throw unsupported("no gemm of this element type");
        }
    }
}

const enrolled<blas> here({
    .name = "openblas",
    .on_gpu = false,
    .version = [] { return std::string(openblas_get_config()); },
    .gemm = gemm,
});

} // namespace
} // namespace bench
