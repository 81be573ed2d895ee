/* SPDX-License-Identifier: MIT
 * peer_rocblas.cpp: rocBLAS beside the matrix products on AMD GPUs.
 */
#include "bench.hpp"

#include <rocblas/rocblas.h>

namespace bench {
namespace {

void expect(rocblas_status code)
{
    if (code == rocblas_status_not_implemented)
        throw unsupported("rocBLAS does not implement it");
    if (code != rocblas_status_success)
        throw failure(std::string("rocBLAS: ") + rocblas_status_to_string(code));
}

struct library {
    explicit library(device &on)
    {
        expect(rocblas_create_handle(&handle));
        expect(rocblas_set_stream(handle, static_cast<hipStream_t>(on.runtime->stream())));
    }
    rocblas_handle handle = nullptr;
};

std::string version()
{
    char text[64] = "";
    (void)rocblas_get_version_string(text, sizeof text);
    return text;
}

/* Row-major C = A B is column-major C^T = B^T A^T. Sums in f32 at least. */
void gemm(device &on, subwave_dtype dtype, const shape &s, const void *a, const void *b, void *c)
{
    const float one_f32[] = {1, 0}, zero_f32[] = {0, 0}; /* real and complex */
    const double one_f64[] = {1, 0}, zero_f64[] = {0, 0};
    const bool f64 = part_of(dtype) == SUBWAVE_DTYPE_F64;
    const void *one = f64 ? static_cast<const void *>(one_f64) : one_f32;
    const void *zero = f64 ? static_cast<const void *>(zero_f64) : zero_f32;
    rocblas_datatype type = rocblas_datatype_f64_r;
    switch (dtype) {
    case SUBWAVE_DTYPE_F16:
        type = rocblas_datatype_f16_r;
        break;
    case SUBWAVE_DTYPE_BF16:
        type = rocblas_datatype_bf16_r;
        break;
    case SUBWAVE_DTYPE_F32:
        type = rocblas_datatype_f32_r;
        break;
    case SUBWAVE_DTYPE_F64:
        break;
    case SUBWAVE_DTYPE_C32:
        type = rocblas_datatype_f32_c;
        break;
    case SUBWAVE_DTYPE_C64:
        type = rocblas_datatype_f64_c;
        break;
    default:
        throw unsupported("no gemm of this element type");
    }
    const rocblas_datatype sums = part_of(dtype) != dtype ? type
                                  : f64                   ? rocblas_datatype_f64_r
                                                          : rocblas_datatype_f32_r;
    const rocblas_handle handle = library_for<library>(on).handle;
    const auto m = static_cast<rocblas_int>(s.m), n = static_cast<rocblas_int>(s.n),
               k = static_cast<rocblas_int>(s.k);
    if (s.batch == 1)
        expect(rocblas_gemm_ex(handle, rocblas_operation_none, rocblas_operation_none, n, m, k, one, b,
                               type, n, a, type, k, zero, c, type, n, c, type, n, sums,
                               rocblas_gemm_algo_standard, 0, 0));
    else
        expect(rocblas_gemm_strided_batched_ex(
            handle, rocblas_operation_none, rocblas_operation_none, n, m, k, one, b, type, n, s.k * s.n,
            a, type, k, s.m * s.k, zero, c, type, n, s.m * s.n, c, type, n, s.m * s.n,
            static_cast<rocblas_int>(s.batch), sums, rocblas_gemm_algo_standard, 0, 0));
}

const enrolled<blas> here({.name = "rocblas", .on_gpu = true, .version = version, .gemm = gemm});

} // namespace
} // namespace bench
