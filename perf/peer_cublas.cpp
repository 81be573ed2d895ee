/* SPDX-License-Identifier: MIT
 * peer_cublas.cpp: cuBLAS beside matrix products, dot products, norms and transpositions on NVIDIA GPUs.
 */
#include "peer_gemm.hpp"

#include <cublas_v2.h>

#include <map>

namespace bench {
namespace {

void expect(cublasStatus_t code)
{
    if (code == CUBLAS_STATUS_NOT_SUPPORTED)
        throw unsupported("cuBLAS does not support it");
    if (code != CUBLAS_STATUS_SUCCESS)
        throw failure(std::string("cuBLAS: ") + cublasGetStatusString(code));
}

/* Workspace of its own: without one, cuBLAS would allocate inside the graph that is timed. */
struct library {
    explicit library(device &on)
    {
        enum { WORKSPACE = 64 << 20 };
        void *workspace;
        expect(cublasCreate(&handle));
        on.expect(subwave_malloc(on.context, &workspace, WORKSPACE));
        expect(cublasSetStream(handle, static_cast<cudaStream_t>(on.runtime->stream())));
        expect(cublasSetWorkspace(handle, workspace, WORKSPACE));
    }
    cublasHandle_t handle = nullptr;
};

std::string version()
{
    int major = 0, minor = 0, patch = 0;
    (void)cublasGetProperty(MAJOR_VERSION, &major);
    (void)cublasGetProperty(MINOR_VERSION, &minor);
    (void)cublasGetProperty(PATCH_LEVEL, &patch);
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

const gemm_types<cudaDataType_t> types = {CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_64F,
                                          CUDA_C_32F, CUDA_C_64F,  CUDA_R_8I,  CUDA_R_32I};

/* Row-major C = A B is column-major C^T = B^T A^T. Sums in f32 at least; no TF32. */
void gemm(device &on, subwave_dtype dtype, const shape &s, const void *a, const void *b, void *c)
{
    const auto [one, zero] = gemm_scalars(dtype);
    const cudaDataType_t type = types.of(dtype), c_type = types.of(measure_product(dtype));
    const cublasComputeType_t sums = measure_part(dtype) == SUBWAVE_DTYPE_F64 ? CUBLAS_COMPUTE_64F
                                     : dtype == SUBWAVE_DTYPE_I8              ? CUBLAS_COMPUTE_32I
                                                                              : CUBLAS_COMPUTE_32F;
    const cublasHandle_t handle = library_for<library>(on).handle;
    const int m = static_cast<int>(s.m), n = static_cast<int>(s.n), k = static_cast<int>(s.k);
    if (s.batch == 1)
        expect(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, one, b, type, n, a, type, k,
                            zero, c, c_type, n, sums, CUBLAS_GEMM_DEFAULT));
    else
        expect(cublasGemmStridedBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, one, b, type,
                                          n, s.k * s.n, a, type, k, s.m * s.k, zero, c, c_type, n,
                                          s.m * s.n, static_cast<int>(s.batch), sums,
                                          CUBLAS_GEMM_DEFAULT));
}

#if CUBLAS_VERSION >= 120400
/* What each group of one product has: no transposition, the scalars 1 and 0. */
template <class T> struct group_constants {
    explicit group_constants(std::size_t count)
        : as_is(count, CUBLAS_OP_N), sizes(count, 1), ones(count, T(1)), zeros(count, T(0))
    {
    }
    std::vector<cublasOperation_t> as_is;
    std::vector<int> sizes;
    std::vector<T> ones, zeros;
};

void gemm_grouped(device &on, subwave_dtype dtype, const gemm_group &g)
{
    const auto by = [&](auto gemm, auto one) {
        using T = decltype(one);
        static std::map<std::size_t, group_constants<T>> all; /* graphs may refer to them */
        const std::size_t count = g.m.size();
        const group_constants<T> &of_group = all.try_emplace(count, count).first->second;
        const auto operands = [](const void *const *list) {
            return reinterpret_cast<const T *const *>(list);
        };
        expect(gemm(library_for<library>(on).handle, of_group.as_is.data(), of_group.as_is.data(),
                    g.n.data(), g.m.data(), g.k.data(), of_group.ones.data(), operands(g.b),
                    g.n.data(), operands(g.a), g.k.data(), of_group.zeros.data(),
                    reinterpret_cast<T *const *>(g.c), g.n.data(), static_cast<int>(count),
                    of_group.sizes.data()));
    };
    switch (dtype) {
    case SUBWAVE_DTYPE_F32:
        return by(cublasSgemmGroupedBatched, 1.0f);
    case SUBWAVE_DTYPE_F64:
        return by(cublasDgemmGroupedBatched, 1.0);
    default:
        throw unsupported("cuBLAS has no grouped gemm of this element type");
    }
}
#else
constexpr std::nullptr_t gemm_grouped = nullptr;
#endif

/* Calls body(handle, type, type of the result, type of the sum), with results in device memory. Sums
 * are of f32 at least. */
template <class Body> void reduce_by(device &on, subwave_dtype dtype, bool is_norm, Body body)
{
    const cublasHandle_t handle = library_for<library>(on).handle;
    const subwave_dtype sums = measure_sums(dtype);
    expect(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    expect(body(handle, types.of(dtype), types.of(is_norm ? measure_part(dtype) : dtype),
                types.of(is_norm ? measure_part(sums) : sums)));
    expect(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
}

void dot(device &on, subwave_dtype dtype, std::int64_t n, const void *x, const void *y,
         void *result)
{
    reduce_by(on, dtype, false, [=](auto handle, auto type, auto of_result, auto sums) {
        return cublasDotEx_64(handle, n, x, type, 1, y, type, 1, result, of_result, sums);
    });
}

void norm2(device &on, subwave_dtype dtype, std::int64_t n, const void *x, void *result)
{
    reduce_by(on, dtype, true, [=](auto handle, auto type, auto of_result, auto sums) {
        return cublasNrm2Ex_64(handle, n, x, type, 1, result, of_result, sums);
    });
}

/* geam; by columns, x is its own transpose, with n rows. */
void transpose(device &on, subwave_dtype dtype, std::int64_t m, std::int64_t n, const void *x,
               void *y)
{
    const cublasHandle_t handle = library_for<library>(on).handle;
    const auto by = [&](auto geam, auto one) {
        using T = decltype(one);
        const T zero{};
        T *const to = static_cast<T *>(y);
        const int rows = static_cast<int>(m), columns = static_cast<int>(n);
        expect(geam(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one,
                    static_cast<const T *>(x), columns, &zero, to, rows, to, rows));
    };
    switch (dtype) {
    case SUBWAVE_DTYPE_F32:
        return by(cublasSgeam, 1.0f);
    case SUBWAVE_DTYPE_F64:
        return by(cublasDgeam, 1.0);
    case SUBWAVE_DTYPE_C32:
        return by(cublasCgeam, cuComplex{1, 0});
    case SUBWAVE_DTYPE_C64:
        return by(cublasZgeam, cuDoubleComplex{1, 0});
    default:
        throw unsupported("cuBLAS has no geam of this element type");
    }
}

const enrolled<blas> here({.name = "cublas",
                           .on_gpu = true,
                           .version = version,
                           .gemm = gemm,
                           .gemm_grouped = gemm_grouped,
                           .dot = dot,
                           .norm2 = norm2,
                           .transpose = transpose});

} // namespace
} // namespace bench
