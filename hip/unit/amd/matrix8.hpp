/* SPDX-License-Identifier: MIT
 * unit/amd/matrix8.hpp: MFMA on elements of 8 bits.
 */
#ifndef SUBWAVE_HIP_UNIT_AMD_MATRIX8_HPP
#define SUBWAVE_HIP_UNIT_AMD_MATRIX8_HPP

#include "matrix16.hpp"

SUBWAVE_BEGIN

/* Lane i has 16 steps of k of line i % 16, those after them being in the next 16 lanes. An MFMA takes
 * 4 of a lane at a time, or on gfx942 8, and means them to be others, which changes nothing, as A
 * and B are permuted alike. The builtins depend on T, since not every compiler has all. WMMA is left
 * to 16 bits: with it the code for gfx11 and gfx12 would be larger than its bound. */
template <class T> struct matrix8_unit {
    static constexpr bool exists =
        SUBWAVE_MATRIX16 == matrix16_kind::mfma || SUBWAVE_MATRIX16 == matrix16_kind::mfma_gfx908;
    static constexpr int rows = 16, depth = 64, fewest_lanes = 64;
    static constexpr int c_held = 4;
    static constexpr bool holds_next = true;
    static constexpr __host__ __device__ int columns_of(int) { return 16; }
    static constexpr __host__ __device__ int columns() { return 16; }
    static SUBWAVE_DEVICE int a_line() { return wave_lane() % 16; }
    static SUBWAVE_DEVICE int b_line() { return wave_lane() % 16; }
    static SUBWAVE_DEVICE int a_k() { return wave_lane() / 16 * 16; }
    static SUBWAVE_DEVICE int b_k() { return a_k(); }
    static SUBWAVE_DEVICE int c_row(int e) { return matrix_unit<float16>::c_row(e); }
    static SUBWAVE_DEVICE int c_column(int e) { return matrix_unit<float16>::c_column(e); }
    using operand = matrix16_chunk;
    struct sums {
        std::uint32_t of[c_held];
    };

    static SUBWAVE_DEVICE void multiply_add(lane_mask, sums &c, const operand &a, const operand &b,
                                            site)
    {
        vector_sums all = __builtin_bit_cast(vector_sums, c);
        if constexpr (SUBWAVE_FAST_MATRIX16) {
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
    typedef std::conditional_t<sizeof(T) == 1, int, T> vector_sums
        __attribute__((ext_vector_type(c_held)));
    template <class Part> struct whole {
        Part of[sizeof(operand) / sizeof(Part)];
    };
    template <class Part> static SUBWAVE_DEVICE whole<Part> parts(const operand &all)
    {
        return __builtin_bit_cast(whole<Part>, all);
    }
};

template <> struct matrix_unit<std::int8_t> : matrix8_unit<std::int8_t> {};

/* Stages that a panel holds in registers, as in matrix16.hpp; slower units need no second one. */
constexpr int matrix8_held(int lines) { return SUBWAVE_FAST_MATRIX16 ? matrix16_held(lines) : 1; }

/* Two lines in shared memory are a row of all banks. */
template <int Stage, int Lines, int Waves, bool AlongK, bool Packed>
class matrix_panel<std::int8_t, Stage, Lines, Waves, AlongK, Packed>
    : public matrix_staged_panel<std::int8_t, Stage, Lines, Waves, AlongK, Packed, false,
                                 matrix8_held(Lines), true> {
public:
    using matrix_staged_panel<std::int8_t, Stage, Lines, Waves, AlongK, Packed, false,
                              matrix8_held(Lines), true>::matrix_staged_panel;

    SUBWAVE_DEVICE matrix16_chunk load(const std::int8_t *memory, int line, int k) const
    {
        matrix16_chunk all = this->chunk(memory, line, k);
        if constexpr (SUBWAVE_FAST_MATRIX16) {
            /* Or LLVM would load the halves that an MFMA takes, of which lanes' are in the same banks. */
            typedef std::uint32_t words __attribute__((ext_vector_type(4)));
            auto together = __builtin_bit_cast(words, all);
            asm("" : "+v"(together));
            all = __builtin_bit_cast(matrix16_chunk, together);
        }
        return all;
    }
};

SUBWAVE_END

#endif
