/* SPDX-License-Identifier: MIT
 * unit/amd/matrix.hpp: MFMA.
 */
#ifndef SUBWAVE_HIP_UNIT_AMD_MATRIX_HPP
#define SUBWAVE_HIP_UNIT_AMD_MATRIX_HPP

SUBWAVE_BEGIN

constexpr int matrix_banks_bytes = 128, matrix_deep_lanes = 1;
constexpr bool matrix_splits_stages = true;
template <class T> constexpr int matrix_blocks(int) { return 1; }
/* Stages that panels of f32 and f64 hold in registers: two cover the way from memory also where a
 * compute unit has few blocks. */
constexpr int matrix_pairs_held = 2;

/* What the 16x16x4 instructions share: eight of them for 32x32x8. */
template <class T> struct mfma_16x16x4 {
    typedef T four __attribute__((ext_vector_type(4)));
    using operand = matrix_pairs<T>;
    struct sums {
        T of[16]; /* [v][h][e] */
    };
    static constexpr int rows = 32, depth = 8, fewest_lanes = 64;
    static constexpr int c_held = 16, c_below = 4, c_right = 8;
    static constexpr bool holds_next = true;
    static constexpr __host__ __device__ int columns_of(int) { return 32; }
    static constexpr __host__ __device__ int columns() { return 32; }
    static SUBWAVE_DEVICE int a_line() { return wave_lane() % 16 * 2; }
    static SUBWAVE_DEVICE int a_k() { return wave_lane() / 16 * 2; }
    static SUBWAVE_DEVICE int b_line() { return a_line(); }
    static SUBWAVE_DEVICE int b_k() { return a_k(); }
    static SUBWAVE_DEVICE int c_column(int e) { return wave_lane() % 16 * 2 + e / c_right; }

protected:
    template <class F>
    static SUBWAVE_DEVICE void each(sums &c, const operand &a, const operand &b, F mfma)
    {
        SUBWAVE_UNROLL
        for (int u = 0; u < 2; ++u) {
            SUBWAVE_UNROLL
            for (int v = 0; v < 2; ++v) {
                SUBWAVE_UNROLL
                for (int h = 0; h < 2; ++h) {
                    T *const part = &c.of[v * c_right + h * c_below];
                    four sum = {part[0], part[1], part[2], part[3]};
                    sum = mfma(a.of[u][h], b.of[u][v], sum);
                    part[0] = sum[0], part[1] = sum[1], part[2] = sum[2], part[3] = sum[3];
                }
            }
        }
    }
};

/* v_mfma_f32_16x16x4f32 */
template <> struct matrix_unit<float> : mfma_16x16x4<float> {
    static constexpr bool exists = SUBWAVE_HAS_MATRIX_F32;
    static SUBWAVE_DEVICE int c_row(int e)
    {
        return (wave_lane() / 16 * 4 + e % 4) * 2 + e / c_below % 2;
    }
    static SUBWAVE_DEVICE void multiply_add(lane_mask, sums &c, const operand &a, const operand &b,
                                            site)
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
    static SUBWAVE_DEVICE int c_row(int e)
    {
        return (e % 4 * 4 + wave_lane() / 16) * 2 + e / c_below % 2;
    }
    static SUBWAVE_DEVICE void multiply_add(lane_mask, sums &c, const operand &a, const operand &b,
                                            site)
    {
        if constexpr (SUBWAVE_HAS_MATRIX_F64)
            each(c, a, b, [](double x, double y, four sum) {
                return __builtin_amdgcn_mfma_f64_16x16x4f64(x, y, sum, 0, 0, 0);
            });
    }
};

SUBWAVE_DEVICE void matrix_keep_order()
{
    asm volatile("" ::: "memory"); /* keep_order() alone does not order loads and stores */
    keep_order();
}
/* block_barrier() that does not wait for loads from global memory, as LLVM 15's does; by instructions
 * of gfx9. */
SUBWAVE_DEVICE void matrix_barrier(site)
{
    asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory");
}

SUBWAVE_END

#endif
