/* SPDX-License-Identifier: MIT
 * unit/nvidia/matrix8.hpp: mma.sync on elements of 8 bits. What it takes is, byte for byte, what
 * half as many elements of 16 bits would be.
 */
#ifndef SUBWAVE_HIP_UNIT_NVIDIA_MATRIX8_HPP
#define SUBWAVE_HIP_UNIT_NVIDIA_MATRIX8_HPP

#include "matrix16.hpp"

SUBWAVE_BEGIN

/* 16 x 16 x 32: two of mma.sync.m16n8k32, side by side. */
template <> struct matrix_unit<std::int8_t> {
    using twice = matrix_unit<float16>;
    static constexpr bool exists = twice::exists, holds_next = false;
    static constexpr int rows = 16, depth = 32, fewest_lanes = 32;
    static constexpr int c_held = 8;
    static constexpr __host__ __device__ int columns_of(int) { return 16; }
    static constexpr __host__ __device__ int columns() { return 16; }
    static SUBWAVE_DEVICE int a_line() { return twice::a_line(); }
    static SUBWAVE_DEVICE int a_k() { return 2 * twice::a_k(); }
    static SUBWAVE_DEVICE int b_line() { return twice::b_line(); }
    static SUBWAVE_DEVICE int b_k() { return 2 * twice::b_k(); }
    static SUBWAVE_DEVICE int c_row(int e) { return twice::c_row(e); }
    static SUBWAVE_DEVICE int c_column(int e) { return twice::c_column(e); }
    using operand = matrix16_chunk;
    struct sums {
        std::uint32_t of[c_held];
    };

    static SUBWAVE_DEVICE void multiply_add(lane_mask, sums &c, const operand &a, const operand &b,
                                            site)
    {
        SUBWAVE_UNROLL
        for (int half = 0; half < 2; ++half)
            multiply_add(&c.of[4 * half], a.word, b.word[2 * half], b.word[2 * half + 1]);
    }

private:
    static SUBWAVE_DEVICE void multiply_add(std::uint32_t *c, const std::uint32_t (&a)[4],
                                            std::uint32_t b0, std::uint32_t b1)
    {
        asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
            "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
            : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    }
};

template <int Stage, int Lines, int Waves, bool AlongK, bool Packed>
class matrix_panel<std::int8_t, Stage, Lines, Waves, AlongK, Packed>
    : public matrix_rows_panel<std::int8_t, Stage, Lines, Waves, AlongK, Packed> {
    using base = matrix_rows_panel<std::int8_t, Stage, Lines, Waves, AlongK, Packed>;

public:
    using base::base;
};

SUBWAVE_END

#endif
