/* SPDX-License-Identifier: MIT
 * unit/amd/matrix.hpp: MFMA.
 */
#ifndef SUBWAVE_HIP_UNIT_AMD_MATRIX_HPP
#define SUBWAVE_HIP_UNIT_AMD_MATRIX_HPP

#include "../matrix_staged.hpp"

SUBWAVE_BEGIN

constexpr int matrix_banks_bytes = 128, matrix_deep_lanes = 1, matrix_fewest_lanes = 64;

/* What the 16x16x4 instructions share: eight of them for 32x32x8. */
template <class T> struct mfma_16x16x4 {
    typedef T four __attribute__((ext_vector_type(4)));
    static constexpr int rows = 32, fewest_columns = 32, depth = 8, pairs = 4;
    static constexpr __host__ __device__ int columns() { return 32; }
    static SUBWAVE_DEVICE int a_row() { return wave_lane() % 16; }
    static SUBWAVE_DEVICE int a_depth() { return wave_lane() / 16; }
    static SUBWAVE_DEVICE int b_depth() { return wave_lane() / 16; }
    static SUBWAVE_DEVICE int b_column() { return wave_lane() % 16; }
    static SUBWAVE_DEVICE int c_column(int) { return wave_lane() % 16; }

protected:
    template <class F>
    static SUBWAVE_DEVICE void each(T (&c)[2][2][4], const T (&a)[2][2], const T (&b)[2][2], F mfma)
    {
        SUBWAVE_UNROLL
        for (int u = 0; u < 2; ++u) {
            SUBWAVE_UNROLL
            for (int v = 0; v < 2; ++v) {
                SUBWAVE_UNROLL
                for (int h = 0; h < 2; ++h) {
                    T(&cells)[4] = c[v][h];
                    four sum = {cells[0], cells[1], cells[2], cells[3]};
                    sum = mfma(a[u][h], b[v][u], sum);
                    cells[0] = sum[0], cells[1] = sum[1], cells[2] = sum[2], cells[3] = sum[3];
                }
            }
        }
    }
};

template <class T> struct matrix_unit {
    static constexpr bool exists = false;
};

/* v_mfma_f32_16x16x4f32 */
template <> struct matrix_unit<float> : mfma_16x16x4<float> {
    static constexpr bool exists = SUBWAVE_HAS_MATRIX_F32;
    static SUBWAVE_DEVICE int c_row(int e) { return wave_lane() / 16 * 4 + e; }
    static SUBWAVE_DEVICE void multiply_add(lane_mask, float (&c)[2][2][4], const float (&a)[2][2],
                                            const float (&b)[2][2], site)
    {
        if constexpr (SUBWAVE_HAS_MATRIX_F32)
            each(c, a, b, [](float x, float y, four sum) {
                return __builtin_amdgcn_mfma_f32_16x16x4f32(x, y, sum, 0, 0, 0);
            });
    }
};

/* v_mfma_f64_16x16x4f64 */
template <> struct matrix_unit<double> : mfma_16x16x4<double> {
    static constexpr bool exists = SUBWAVE_HAS_MATRIX_F64;
    static SUBWAVE_DEVICE int c_row(int e) { return e * 4 + wave_lane() / 16; }
    static SUBWAVE_DEVICE void multiply_add(lane_mask, double (&c)[2][2][4],
                                            const double (&a)[2][2], const double (&b)[2][2], site)
    {
        if constexpr (SUBWAVE_HAS_MATRIX_F64)
            each(c, a, b, [](double x, double y, four sum) {
                return __builtin_amdgcn_mfma_f64_16x16x4f64(x, y, sum, 0, 0, 0);
            });
    }
};

SUBWAVE_END

#endif
