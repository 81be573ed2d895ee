/* SPDX-License-Identifier: MIT
 * unit/nvidia/matrix16.hpp: mma.sync on elements of 16 bits, ldmatrix, and cp.async into shared
 * memory.
 */
#ifndef SUBWAVE_HIP_UNIT_NVIDIA_MATRIX16_HPP
#define SUBWAVE_HIP_UNIT_NVIDIA_MATRIX16_HPP

#include "../matrix_rows_panel.hpp"

SUBWAVE_BEGIN

/* 16 x 16 x 16: two of mma.sync.m16n8k16, side by side. */
template <class Format> struct matrix_unit<small_float<Format>> {
    static constexpr bool exists = SUBWAVE_HAS_MATRIX_16, holds_next = false;
    static constexpr int rows = 16, depth = 16, fewest_lanes = 32;
    static constexpr int c_held = 8;
    static constexpr __host__ __device__ int columns_of(int) { return 16; }
    static constexpr __host__ __device__ int columns() { return 16; }
    /* Of 8 x 8 elements a lane gives ldmatrix the address of a row. */
    static SUBWAVE_DEVICE int a_line() { return wave_lane() % 16; }
    static SUBWAVE_DEVICE int a_k() { return wave_lane() / 16 * 8; }
    static SUBWAVE_DEVICE int b_line() { return wave_lane() % 8 + wave_lane() / 16 * 8; }
    static SUBWAVE_DEVICE int b_k() { return wave_lane() / 8 % 2 * 8; }
    static SUBWAVE_DEVICE int c_row(int e) { return wave_lane() / 4 + e / 2 % 2 * 8; }
    static SUBWAVE_DEVICE int c_column(int e) { return wave_lane() % 4 * 2 + e % 2 + e / 4 * 8; }
    /* Two elements of each quarter: of A as its columns have it, of B line after line, for what an
     * instruction takes are registers side by side. */
    using operand = matrix16_chunk;
    struct sums {
        float of[c_held];
    };

    static SUBWAVE_DEVICE void multiply_add(lane_mask, sums &c, const operand &a, const operand &b,
                                            site)
    {
        SUBWAVE_UNROLL
        for (int half = 0; half < 2; ++half)
            multiply_add(&c.of[4 * half], a.word, b.word[2 * half], b.word[2 * half + 1]);
    }

private:
    static SUBWAVE_DEVICE void multiply_add(float *c, const std::uint32_t (&a)[4], std::uint32_t b0,
                                            std::uint32_t b1)
    {
        if constexpr (std::is_same<small_float<Format>, bfloat16>::value)
            asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
        else
            asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    }
};

/* Four matrices of 8 x 8: lanes 8 i to 8 i + 7 give the addresses of the rows of number i. */
template <bool Transposed> SUBWAVE_DEVICE matrix16_chunk load_matrices(const void *row)
{
    matrix16_chunk all;
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
    if constexpr (Transposed)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3},[%4];"
                     : "=r"(all.word[0]), "=r"(all.word[1]), "=r"(all.word[2]), "=r"(all.word[3])
                     : "r"(address)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];"
                     : "=r"(all.word[0]), "=r"(all.word[1]), "=r"(all.word[2]), "=r"(all.word[3])
                     : "r"(address)
                     : "memory");
    return all;
}

/* Elements lie as in global memory, along k or along lines, and ldmatrix turns them where it has
 * to. */
template <class T, int Stage, int Lines, int Waves, bool AlongK> class matrix_async_panel {
    static_assert(AlongK || sizeof(T) == 2, "ldmatrix turns 16 bits");
    static constexpr int per_chunk = 16 / sizeof(T);
    static constexpr int items = Waves * 32, share = Lines * Stage / per_chunk / items;

    const T *from_; /* the stage that is copied next */
    std::int64_t stride_, by_stage_;
    int lines_, existing_, line_, k_;

public:
    static constexpr int held = 1;

    SUBWAVE_DEVICE matrix_async_panel(const T *matrix, std::int64_t by_line, std::int64_t by_k,
                                      int lines, std::int64_t existing, int line, int k)
        : from_(matrix), stride_(AlongK ? by_line : by_k), by_stage_(Stage * by_k), lines_(lines),
          existing_(existing < lines ? static_cast<int>(existing) : lines), line_(line), k_(k)
    {
    }

    SUBWAVE_DEVICE bool whole() const { return existing_ == lines_; }

    template <bool Whole, int> SUBWAVE_DEVICE void begin_copies(T *to, int depth)
    {
        /* Nobody multiplies a stage beyond k. */
        if (!Whole && depth == 0)
            return;
        const int length = chunks(), step = items / length; /* rows from one copy to the next */
        const int item = matrix16_item<true>(), row = item / length, chunk = item % length;
        const T *source = from_ + row * stride_ + chunk * per_chunk;
        if (Whole || (whole() && depth == Stage)) {
            SUBWAVE_UNROLL
            for (int e = 0; e < share; ++e)
                copy(&to[matrix16_place<T>(row + e * step, chunk, length)],
                     source + e * step * stride_);
        } else {
            const int rows = AlongK ? existing_ : depth;
            const int left = (AlongK ? depth : existing_) - chunk * per_chunk;
            const int count = left < 0 ? 0 : left < per_chunk ? left : per_chunk;
            SUBWAVE_UNROLL
            for (int e = 0; e < share; ++e)
                copy(&to[matrix16_place<T>(row + e * step, chunk, length)],
                     source + e * step * stride_, row + e * step < rows ? count : 0);
        }
        from_ += by_stage_;
    }
    template <int> SUBWAVE_DEVICE void end_copies(T *) {}

    SUBWAVE_DEVICE matrix16_chunk load(const T *panel, int line, int k) const
    {
        const int row = AlongK ? line + line_ : k + k_ + line_ % 8;
        const int chunk = (AlongK ? k + k_ : line + line_) / per_chunk;
        return load_matrices<!AlongK>(&panel[matrix16_place<T>(row, chunk, chunks())]);
    }

private:
    SUBWAVE_DEVICE int chunks() const { return (AlongK ? Stage : lines_) / per_chunk; }

    static SUBWAVE_DEVICE void copy(T *to, const T *from)
    {
        const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                     :
                     : "r"(address), "l"(from)
                     : "memory");
    }
    /* The first `count` elements; the rest is 0. */
    static SUBWAVE_DEVICE void copy(T *to, const T *from, int count)
    {
        const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     :
                     : "r"(address), "l"(from), "r"(count * static_cast<int>(sizeof(T)))
                     : "memory");
    }
};

/* Without the alignment for it, through registers, at once. */
template <class T, int Stage, int Lines, int Waves, bool AlongK, bool Packed>
class matrix_at_once_panel : public matrix_staged_panel<T, Stage, Lines, Waves, AlongK, Packed> {
    using base = matrix_staged_panel<T, Stage, Lines, Waves, AlongK, Packed>;

public:
    using base::base;

    template <bool Whole, int> SUBWAVE_DEVICE void begin_copies(T *to, int depth)
    {
        if (depth == 0)
            return;
        base::template begin_copies<false, 0>(to, depth);
        base::template end_copies<0>(to);
    }
    template <int> SUBWAVE_DEVICE void end_copies(T *) {}
    SUBWAVE_DEVICE matrix16_chunk load(const T *panel, int line, int k) const
    {
        return load_matrices<false>(this->place(panel, line, k));
    }
};

template <class T, int Stage, int Lines, int Waves, bool AlongK, bool Packed>
using matrix_rows_panel =
    std::conditional_t<Packed, matrix_async_panel<T, Stage, Lines, Waves, AlongK>,
                       matrix_at_once_panel<T, Stage, Lines, Waves, AlongK, Packed>>;

template <class Format, int Stage, int Lines, int Waves, bool AlongK, bool Packed>
class matrix_panel<small_float<Format>, Stage, Lines, Waves, AlongK, Packed>
    : public matrix_rows_panel<small_float<Format>, Stage, Lines, Waves, AlongK, Packed> {
    using base = matrix_rows_panel<small_float<Format>, Stage, Lines, Waves, AlongK, Packed>;

public:
    using base::base;
};

inline constexpr bool matrix16_is_fast = false;

template <bool> SUBWAVE_DEVICE int matrix16_item() { return computed_anew(block_item()); }

SUBWAVE_END

#endif
