/* SPDX-License-Identifier: MIT
 * peer_hipblas.cpp: hipBLAS beside the matrix products on AMD GPUs, by the calls that all its
 * versions have.
 */
#include "bench.hpp"

#include <hipblas/hipblas.h>

namespace bench {
namespace {

void expect(hipblasStatus_t code)
{
    if (code != HIPBLAS_STATUS_SUCCESS)
        throw failure(std::string("hipBLAS: ") + hipblasStatusToString(code));
}

struct library {
    explicit library(device &on)
    {
        expect(hipblasCreate(&handle));
        expect(hipblasSetStream(handle, static_cast<hipStream_t>(on.runtime->stream())));
    }
    hipblasHandle_t handle = nullptr;
};

std::string version()
{
    return std::to_string(hipblasVersionMajor) + "." + std::to_string(hipblaseVersionMinor) + "." +
           std::to_string(hipblasVersionPatch);
}

/* Row-major C = A B is column-major C^T = B^T A^T. */
void gemm(device &on, subwave_dtype dtype, const shape &s, const void *a, const void *b, void *c)
{
    const float one_f32 = 1, zero_f32 = 0;
    const double one_f64 = 1, zero_f64 = 0;
    const hipblasHandle_t handle = library_for<library>(on).handle;
    const int m = static_cast<int>(s.m), n = static_cast<int>(s.n), k = static_cast<int>(s.k);
    if (dtype == SUBWAVE_DTYPE_F32)
        expect(hipblasSgemmStridedBatched(
            handle, HIPBLAS_OP_N, HIPBLAS_OP_N, n, m, k, &one_f32, static_cast<const float *>(b), n,
            s.k * s.n, static_cast<const float *>(a), k, s.m * s.k, &zero_f32,
            static_cast<float *>(c), n, s.m * s.n, static_cast<int>(s.batch)));
    else if (dtype == SUBWAVE_DTYPE_F64)
        expect(hipblasDgemmStridedBatched(
            handle, HIPBLAS_OP_N, HIPBLAS_OP_N, n, m, k, &one_f64, static_cast<const double *>(b),
            n, s.k * s.n, static_cast<const double *>(a), k, s.m * s.k, &zero_f64,
            static_cast<double *>(c), n, s.m * s.n, static_cast<int>(s.batch)));
    else
        throw unsupported("no gemm of this element type in all versions of hipBLAS");
}

const enrolled<blas> here({.name = "hipblas", .on_gpu = true, .version = version, .gemm = gemm});

} // namespace
} // namespace bench
