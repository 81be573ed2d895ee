/* SPDX-License-Identifier: MIT
 * unit/amd/matrix8.hpp: MFMA of gfx9 and WMMA of gfx11 and gfx12 on elements of 8 bits.
 */
#ifndef SUBWAVE_HIP_UNIT_AMD_MATRIX8_HPP
#define SUBWAVE_HIP_UNIT_AMD_MATRIX8_HPP

#include "matrix16.hpp"

SUBWAVE_BEGIN

/* Lane i has 16 steps of k of line i % 16, those after them being in the next 16 lanes; on gfx11
 * both halves of the wave have the same. MFMA takes 4 of a lane at a time, and those of gfx942, as
 * WMMA of gfx12, take 8, and mean them to be others, which changes nothing, as A and B are permuted
 * alike. The builtins depend on T, since not every compiler has all. */
template <class T> struct matrix8_unit {
    static constexpr matrix16_kind kind = SUBWAVE_MATRIX16;
    static constexpr bool exists = kind != matrix16_kind::none;
    static constexpr bool is_wmma =
        kind == matrix16_kind::wmma_gfx11 || kind == matrix16_kind::wmma_gfx12;
    static constexpr int rows = 16, depth = kind == matrix16_kind::wmma_gfx11   ? 16
                                            : kind == matrix16_kind::wmma_gfx12 ? 32
                                                                                : 64;
    static constexpr int c_held = is_wmma ? 8 : 4, c_below = 0, c_right = 0;
    static constexpr bool holds_next = true;
    static constexpr int fewest_lanes = is_wmma ? 32 : 64;
    static constexpr __host__ __device__ int columns_of(int) { return 16; }
    static constexpr __host__ __device__ int columns() { return 16; }
    static SUBWAVE_DEVICE int a_line() { return wave_lane() % 16; }
    static SUBWAVE_DEVICE int b_line() { return wave_lane() % 16; }
    static SUBWAVE_DEVICE int a_k()
    {
        return kind == matrix16_kind::wmma_gfx11 ? 0 : wave_lane() / 16 * 16;
    }
    static SUBWAVE_DEVICE int b_k() { return a_k(); }
    static SUBWAVE_DEVICE int c_row(int e) { return matrix_unit<half>::c_row(e); }
    static SUBWAVE_DEVICE int c_column(int e) { return matrix_unit<half>::c_column(e); }
    using operand = matrix16_chunk;
    struct sums {
        std::uint32_t of[c_held];
    };

    static SUBWAVE_DEVICE void multiply_add(lane_mask, sums &c, const operand &a, const operand &b,
                                            site)
    {
        vector_sums all = __builtin_bit_cast(vector_sums, c);
        if constexpr (kind == matrix16_kind::wmma_gfx11) {
            const auto x = parts<vector<4>>(a), y = parts<vector<4>>(b);
            all = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, x.of[0], true, y.of[0], all,
                                                             false);
        } else if constexpr (kind == matrix16_kind::wmma_gfx12) {
            const auto x = parts<vector<2>>(a), y = parts<vector<2>>(b);
            SUBWAVE_UNROLL
            for (int i = 0; i < 2; ++i)
                all = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, x.of[i], true, y.of[i],
                                                                       all, false);
        } else if constexpr (SUBWAVE_FAST_MATRIX16) {
            const auto x = parts<long>(a), y = parts<long>(b);
            SUBWAVE_UNROLL
            for (int i = 0; i < 2; ++i)
                all = __builtin_amdgcn_mfma_i32_16x16x32_i8(x.of[i], y.of[i], all, 0, 0, 0);
        } else {
            const auto x = parts<int>(a), y = parts<int>(b);
            SUBWAVE_UNROLL
            for (int i = 0; i < 4; ++i)
                all = __builtin_amdgcn_mfma_i32_16x16x16i8(x.of[i], y.of[i], all, 0, 0, 0);
        }
        c = __builtin_bit_cast(sums, all);
    }

private:
    template <int Count> struct vector_of {
        typedef std::conditional_t<sizeof(T) == 1, int, T> type
            __attribute__((ext_vector_type(Count)));
    };
    template <int Count> using vector = typename vector_of<Count>::type;
    using vector_sums = vector<c_held>;
    template <class Part> struct whole {
        Part of[sizeof(operand) / sizeof(Part)];
    };
    template <class Part> static SUBWAVE_DEVICE whole<Part> parts(const operand &all)
    {
        return __builtin_bit_cast(whole<Part>, all);
    }
};

template <> struct matrix_unit<std::int8_t> : matrix8_unit<std::int8_t> {};

template <int Stage, int Lines, int Waves, bool AlongK, bool Packed>
class matrix_panel<std::int8_t, Stage, Lines, Waves, AlongK, Packed>
    : public matrix_staged_panel<std::int8_t, Stage, Lines, Waves, AlongK, Packed> {
public:
    using matrix_staged_panel<std::int8_t, Stage, Lines, Waves, AlongK,
                              Packed>::matrix_staged_panel;

    SUBWAVE_DEVICE matrix16_chunk load(const std::int8_t *memory, int line, int k) const
    {
        return this->chunk(memory, line, k);
    }
};

SUBWAVE_END

#endif
