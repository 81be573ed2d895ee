/* SPDX-License-Identifier: MIT
 * peer_rocblas.cpp: rocBLAS beside the matrix products on AMD GPUs.
 */
#include "peer_gemm.hpp"

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

const gemm_types<rocblas_datatype> types = {rocblas_datatype_f16_r, rocblas_datatype_bf16_r,
                                            rocblas_datatype_f32_r, rocblas_datatype_f64_r,
                                            rocblas_datatype_f32_c, rocblas_datatype_f64_c,
                                            rocblas_datatype_i8_r,  rocblas_datatype_i32_r};

/* Row-major C = A B is column-major C^T = B^T A^T. Sums in f32 at least. */
void gemm(device &on, subwave_dtype dtype, const shape &s, const void *a, const void *b, void *c)
{
    const auto [one, zero] = gemm_scalars(dtype);
    const rocblas_datatype type = types.of(dtype), c_type = types.of(measure_product(dtype)),
                           sums = types.of(measure_sums(dtype));
    const rocblas_handle handle = library_for<library>(on).handle;
    const auto m = static_cast<rocblas_int>(s.m), n = static_cast<rocblas_int>(s.n),
               k = static_cast<rocblas_int>(s.k);
    if (s.batch == 1)
        expect(rocblas_gemm_ex(handle, rocblas_operation_none, rocblas_operation_none, n, m, k, one,
                               b, type, n, a, type, k, zero, c, c_type, n, c, c_type, n, sums,
                               rocblas_gemm_algo_standard, 0, 0));
    else
        expect(rocblas_gemm_strided_batched_ex(
            handle, rocblas_operation_none, rocblas_operation_none, n, m, k, one, b, type, n,
            s.k * s.n, a, type, k, s.m * s.k, zero, c, c_type, n, s.m * s.n, c, c_type, n,
            s.m * s.n, static_cast<rocblas_int>(s.batch), sums, rocblas_gemm_algo_standard, 0, 0));
}

const enrolled<blas> here({.name = "rocblas", .on_gpu = true, .version = version, .gemm = gemm});

} // namespace
} // namespace bench
