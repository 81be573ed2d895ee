/* SPDX-License-Identifier: MIT
 * peer_gemm.hpp: what a vendor's gemm of any element type takes, whatever the vendor calls it.
 */
#ifndef SUBWAVE_PERF_PEER_GEMM_HPP
#define SUBWAVE_PERF_PEER_GEMM_HPP

#include "bench.hpp"

namespace bench {

/* alpha and beta of C = A B, for sums in f64, f32 or i32, real or complex. */
struct gemm_scalars {
    explicit gemm_scalars(subwave_dtype dtype)
    {
        static const float one_f32[] = {1, 0}, zero_f32[] = {0, 0};
        static const double one_f64[] = {1, 0}, zero_f64[] = {0, 0};
        static const std::int32_t one_i32 = 1, zero_i32 = 0;
        const subwave_dtype sums = measure_part(measure_sums(dtype));
        const bool f64 = sums == SUBWAVE_DTYPE_F64, i32 = sums == SUBWAVE_DTYPE_I32;
        one = i32 ? &one_i32 : f64 ? static_cast<const void *>(one_f64) : one_f32;
        zero = i32 ? &zero_i32 : f64 ? static_cast<const void *>(zero_f64) : zero_f32;
    }
    const void *one, *zero;
};

/* The library's names of element types. */
template <class Name> struct gemm_types {
    Name f16, bf16, f32, f64, c32, c64, i8, i32;

    Name of(subwave_dtype dtype) const
    {
        switch (dtype) {
        case SUBWAVE_DTYPE_F16:
            return f16;
        case SUBWAVE_DTYPE_BF16:
            return bf16;
        case SUBWAVE_DTYPE_F32:
            return f32;
        case SUBWAVE_DTYPE_F64:
            return f64;
        case SUBWAVE_DTYPE_C32:
            return c32;
        case SUBWAVE_DTYPE_C64:
            return c64;
        case SUBWAVE_DTYPE_I8:
            return i8;
        case SUBWAVE_DTYPE_I32:
            return i32;
        default:
            throw unsupported("no gemm of this element type");
        }
    }
};

} // namespace bench

#endif
