/* SPDX-License-Identifier: MIT
 * matrix_amd.hpp: MFMA.
 */
#ifndef SUBWAVE_DEVICE_MATRIX_AMD_HPP
#define SUBWAVE_DEVICE_MATRIX_AMD_HPP

#include <subwave/device/matrix_staged.hpp>

SUBWAVE_BEGIN

constexpr int matrix_stage = 8, matrix_down = 2, matrix_across = 2;

/* What the 16x16x4 instructions share. */
template <class T> struct mfma_16x16x4 {
    typedef T four __attribute__((ext_vector_type(4)));
    static constexpr int rows = 16, depth = 4, a_held = 1, c_held = 4;
    static constexpr int fewest_lanes = 64, lanes_a_column = 4;
    static constexpr __host__ __device__ int columns() { return 16; }
    static SUBWAVE_DEVICE int a_row(int) { return wave_lane() % 16; }
    static SUBWAVE_DEVICE int a_depth() { return wave_lane() / 16; }
    static SUBWAVE_DEVICE int b_depth() { return wave_lane() / 16; }
    static SUBWAVE_DEVICE int b_column() { return wave_lane() % 16; }
    static SUBWAVE_DEVICE int c_column(int) { return wave_lane() % 16; }
};

template <class T> struct matrix_unit {
    static constexpr bool exists = false;
};

/* v_mfma_f32_16x16x4f32 */
template <> struct matrix_unit<float> : mfma_16x16x4<float> {
    static constexpr bool exists = SUBWAVE_HAS_MATRIX_F32;
    static SUBWAVE_DEVICE int c_row(int e) { return wave_lane() / 16 * 4 + e; }
    static SUBWAVE_DEVICE void multiply_add(lane_mask, float (&c)[4], const float (&a)[1], float b, site)
    {
        if constexpr (SUBWAVE_HAS_MATRIX_F32) {
            four sum = {c[0], c[1], c[2], c[3]};
            sum = __builtin_amdgcn_mfma_f32_16x16x4f32(a[0], b, sum, 0, 0, 0);
            c[0] = sum[0], c[1] = sum[1], c[2] = sum[2], c[3] = sum[3];
        }
    }
};

/* v_mfma_f64_16x16x4f64 */
template <> struct matrix_unit<double> : mfma_16x16x4<double> {
    static constexpr bool exists = SUBWAVE_HAS_MATRIX_F64;
    static SUBWAVE_DEVICE int c_row(int e) { return e * 4 + wave_lane() / 16; }
    static SUBWAVE_DEVICE void multiply_add(lane_mask, double (&c)[4], const double (&a)[1], double b,
                                            site)
    {
        if constexpr (SUBWAVE_HAS_MATRIX_F64) {
            four sum = {c[0], c[1], c[2], c[3]};
            sum = __builtin_amdgcn_mfma_f64_16x16x4f64(a[0], b, sum, 0, 0, 0);
            c[0] = sum[0], c[1] = sum[1], c[2] = sum[2], c[3] = sum[3];
        }
    }
};

SUBWAVE_END

#endif
