/* SPDX-License-Identifier: MIT
 * peer_rocblas.cpp: rocBLAS beside matrix products, dot products, norms and transpositions on AMD
 * GPUs.
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

/* Calls body(handle, n, type, type of the result, type of the sum), with results in device memory.
 * Sums are of f32 at least. */
template <class Body>
void reduce_by(device &on, subwave_dtype dtype, std::int64_t n, bool is_norm, Body body)
{
    const rocblas_handle handle = library_for<library>(on).handle;
    const subwave_dtype sums = measure_sums(dtype);
    const auto count = static_cast<rocblas_int>(n);
    if (count != n)
        throw unsupported("rocBLAS counts with 32 bits");
    expect(rocblas_set_pointer_mode(handle, rocblas_pointer_mode_device));
    expect(body(handle, count, types.of(dtype), types.of(is_norm ? measure_part(dtype) : dtype),
                types.of(is_norm ? measure_part(sums) : sums)));
    expect(rocblas_set_pointer_mode(handle, rocblas_pointer_mode_host));
}

void dot(device &on, subwave_dtype dtype, std::int64_t n, const void *x, const void *y,
         void *result)
{
    reduce_by(
        on, dtype, n, false, [=](auto handle, auto count, auto type, auto of_result, auto sums) {
            return rocblas_dot_ex(handle, count, x, type, 1, y, type, 1, result, of_result, sums);
        });
}

void norm2(device &on, subwave_dtype dtype, std::int64_t n, const void *x, void *result)
{
    reduce_by(on, dtype, n, true,
              [=](auto handle, auto count, auto type, auto of_result, auto sums) {
                  return rocblas_nrm2_ex(handle, count, x, type, 1, result, of_result, sums);
              });
}

/* geam; by columns, x is its own transpose, with n rows. */
void transpose(device &on, subwave_dtype dtype, std::int64_t m, std::int64_t n, const void *x,
               void *y)
{
    const rocblas_handle handle = library_for<library>(on).handle;
    const auto by = [&](auto geam, auto one) {
        using T = decltype(one);
        const T zero = 0;
        T *const to = static_cast<T *>(y);
        const auto rows = static_cast<rocblas_int>(m), columns = static_cast<rocblas_int>(n);
        expect(geam(handle, rocblas_operation_transpose, rocblas_operation_none, rows, columns,
                    &one, static_cast<const T *>(x), columns, &zero, to, rows, to, rows));
    };
    switch (dtype) {
    case SUBWAVE_DTYPE_F32:
        return by(rocblas_sgeam, 1.0f);
    case SUBWAVE_DTYPE_F64:
        return by(rocblas_dgeam, 1.0);
    default:
        throw unsupported("written for f32 and f64");
    }
}

const enrolled<blas> here({.name = "rocblas",
                           .on_gpu = true,
                           .version = version,
                           .gemm = gemm,
                           .dot = dot,
                           .norm2 = norm2,
                           .transpose = transpose});

} // namespace
} // namespace bench
