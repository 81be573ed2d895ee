/* SPDX-License-Identifier: MIT
 * unit/amd/matrix16.hpp: MFMA of gfx9 and WMMA of gfx11 and gfx12 on elements of 16 bits.
 */
#ifndef SUBWAVE_HIP_UNIT_AMD_MATRIX16_HPP
#define SUBWAVE_HIP_UNIT_AMD_MATRIX16_HPP

#include "../matrix_rows_panel.hpp"

SUBWAVE_BEGIN

/* Lane i has steps of k of line i % 16: on gfx11 all 16, else 8 of them, the next 8 being in the
 * next 16 lanes. MFMA takes 4 of a lane at a time and means them to be others, which changes
 * nothing but the order of the sum, as A and B are permuted alike. */
template <class Format> struct matrix_unit<small_float<Format>> {
    static constexpr matrix16_kind kind = SUBWAVE_MATRIX16;
    static constexpr bool exists = kind != matrix16_kind::none;
    static constexpr bool is_wmma =
        kind == matrix16_kind::wmma_gfx11 || kind == matrix16_kind::wmma_gfx12;
    static constexpr int rows = 16, depth = is_wmma ? 16 : 32;
    static constexpr int c_held = is_wmma ? 8 : 4, c_below = 0, c_right = 0;
    static constexpr bool holds_next = kind != matrix16_kind::wmma_gfx11;
    static constexpr int fewest_lanes = is_wmma ? 32 : 64;
    static constexpr __host__ __device__ int columns_of(int) { return 16; }
    static constexpr __host__ __device__ int columns() { return 16; }
    static SUBWAVE_DEVICE int a_line() { return wave_lane() % 16; }
    static SUBWAVE_DEVICE int b_line() { return wave_lane() % 16; }
    static SUBWAVE_DEVICE int a_k()
    {
        return kind == matrix16_kind::wmma_gfx11 ? 0 : wave_lane() / 16 * 8;
    }
    static SUBWAVE_DEVICE int b_k() { return a_k(); }
    static SUBWAVE_DEVICE int c_row(int e)
    {
        return kind == matrix16_kind::wmma_gfx11 ? 2 * e + wave_lane() / 16
                                                 : wave_lane() / 16 * c_held + e;
    }
    static SUBWAVE_DEVICE int c_column(int) { return wave_lane() % 16; }
    struct operand {
        matrix16_chunk chunk[kind == matrix16_kind::wmma_gfx11 ? 2 : 1];
    };

    struct sums {
        float of[c_held];
    };

    static SUBWAVE_DEVICE void multiply_add(lane_mask, sums &c, const operand &a, const operand &b,
                                            site)
    {
        vector_sums all = __builtin_bit_cast(vector_sums, c);
        if constexpr (kind == matrix16_kind::wmma_gfx11) {
            const auto x = parts<16>(a), y = parts<16>(b);
            if constexpr (is_half)
                all = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(x.of[0], y.of[0], all);
            else
                all = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(x.of[0], y.of[0], all);
        } else if constexpr (kind == matrix16_kind::wmma_gfx12) {
            const auto x = parts<8>(a), y = parts<8>(b);
            if constexpr (is_half)
                all = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(x.of[0], y.of[0], all);
            else
                all = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(x.of[0], y.of[0], all);
        } else if constexpr (is_half) {
            const auto x = parts<4>(a), y = parts<4>(b);
            all = __builtin_amdgcn_mfma_f32_16x16x16f16(x.of[0], y.of[0], all, 0, 0, 0);
            all = __builtin_amdgcn_mfma_f32_16x16x16f16(x.of[1], y.of[1], all, 0, 0, 0);
        } else if constexpr (kind == matrix16_kind::mfma) {
            const auto x = parts<4>(a), y = parts<4>(b);
            all = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(x.of[0], y.of[0], all, 0, 0, 0);
            all = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(x.of[1], y.of[1], all, 0, 0, 0);
        } else {
            const auto x = parts<2>(a), y = parts<2>(b);
            SUBWAVE_UNROLL
            for (int i = 0; i < 4; ++i)
                all = __builtin_amdgcn_mfma_f32_16x16x8bf16(x.of[i], y.of[i], all, 0, 0, 0);
        }
        c = __builtin_bit_cast(sums, all);
    }

private:
    static constexpr bool is_half = std::is_same<small_float<Format>, half>::value;
    typedef float vector_sums __attribute__((ext_vector_type(c_held)));
    template <int Count> struct vectors {
        typedef std::conditional_t<is_half, _Float16, short> vector
            __attribute__((ext_vector_type(Count)));
        vector of[sizeof(operand) / 2 / Count];
    };
    template <int Count> static SUBWAVE_DEVICE vectors<Count> parts(const operand &all)
    {
        return __builtin_bit_cast(vectors<Count>, all);
    }
};

template <class Format, int Stage, int Lines, int Waves, bool AlongK, bool Packed>
class matrix_panel<small_float<Format>, Stage, Lines, Waves, AlongK, Packed>
    : public matrix_staged_panel<small_float<Format>, Stage, Lines, Waves, AlongK, Packed> {
    using T = small_float<Format>;
    using operand = typename matrix_unit<T>::operand;

public:
    using matrix_staged_panel<T, Stage, Lines, Waves, AlongK, Packed>::matrix_staged_panel;

    SUBWAVE_DEVICE operand load(const T *memory, int line, int k) const
    {
        operand loaded;
        loaded.chunk[0] = this->chunk(memory, line, k);
        if constexpr (sizeof loaded == 32)
            loaded.chunk[1] = this->chunk(memory, line, k + 8);
        return loaded;
    }
};

inline constexpr bool matrix16_is_fast = SUBWAVE_FAST_MATRIX16;

SUBWAVE_DEVICE int matrix16_item()
{
    int item = block_item();
    if constexpr (shapes.matrix16[0].wide == 2) /* the others have registers enough */
        asm volatile("" : "+v"(item));
    return item;
}

SUBWAVE_END

#endif
