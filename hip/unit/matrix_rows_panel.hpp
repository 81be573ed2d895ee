/* SPDX-License-Identifier: MIT
 * matrix_rows_panel.hpp: panels of elements of 16 and of 8 bits in shared memory, by rows of 16
 * bytes each, and one that is copied by way of registers.
 */
#ifndef SUBWAVE_HIP_UNIT_MATRIX_ROWS_PANEL_HPP
#define SUBWAVE_HIP_UNIT_MATRIX_ROWS_PANEL_HPP

#include "dot.hpp"

#include <subwave/device/half.hpp>

SUBWAVE_BEGIN

/* Sixteen bytes, by words. Copied by value, not by memcpy, which LLVM takes apart into bytes. */
struct __attribute__((__may_alias__, __aligned__(16))) matrix16_chunk {
    std::uint32_t word[4];
};

/* block_item(), from which what follows is not kept from one call to the next: all these addresses
 * take more registers than there are. */
template <bool Packed> SUBWAVE_DEVICE int matrix16_item();

/* Where the chunk with this number begins, of elements T, in a row of `length` chunks, a power of
 * two. They are permuted so that any one of eight rows is in different banks. */
template <class T> SUBWAVE_DEVICE int matrix16_place(int row, int chunk, int length)
{
    const int turn = length >= 8 ? row % 8 : row * length / 8 % length;
    return (row * length + (chunk ^ turn)) * (16 / static_cast<int>(sizeof(T)));
}

/* Each line has its k in a row, so that a lane finds those of an operand together. A piece of 32
 * bytes is 2 lines by 16 bytes of k; or, of 16 bits, where neighbours in global memory are so along
 * lines, 4 by 4 elements, which are transposed on their way. Squares: 16 work-items beside one another copy 4 x 4 of
 * the latter, of 32 steps of k. Held: stages that are on their way in registers. Apart: the two lines of
 * a piece are half of all lines apart, so that neighbouring work-items store neighbouring lines. */
template <class T, int Stage, int Lines, int Waves, bool AlongK, bool Packed, bool Squares = false,
          int Held = 1, bool Apart = false>
class matrix_staged_panel {
    static_assert(!Apart || AlongK);

protected:
    static constexpr int size = sizeof(T), per_chunk = 16 / size, length = Stage / per_chunk;
    static constexpr int count = AlongK ? per_chunk : 4; /* neighbours that are read together */
    static constexpr int reads = 32 / size / count;      /* of a piece */
    static constexpr int piece_lines = AlongK ? 2 : 4, piece_k = 32 / size / piece_lines;
    static constexpr int items = Waves * matrix_unit<T>::fewest_lanes;
    static constexpr int share = (Lines * Stage * size / 32 + items - 1) / items; /* pieces */
    template <int Bytes> struct __attribute__((__may_alias__, __aligned__(Bytes))) words {
        std::uint32_t word[Bytes / 4];
    };
    using pack = words<size * count>;
    using row_of_k = words<size * piece_k>; /* of a piece */

    const T *from_; /* the stage that is copied next */
    std::int64_t by_line_, by_k_;
    int lines_, existing_, line_, k_;
    bool along_k_; /* neighbouring work-items copy neighbouring pieces along k */
    pack held_[Held][share][reads];

    /* Calls f(number, line, k) for each of this work-item's pieces. Anew: what follows from their
     * number is not kept from one call to the next. */
    template <bool Anew, class F> SUBWAVE_DEVICE void each(F f) const
    {
        const int pieces = lines_ * Stage / (piece_lines * piece_k), down = lines_ / piece_lines,
                  across = Stage / piece_k;
        const int items = Waves * wave_size();
        const bool all = pieces == share * items; /* work-items have as many */
        SUBWAVE_UNROLL
        for (int e = 0; e < share; ++e) {
            int n = matrix16_item<Packed && size == 2>() + e * items;
            if (Anew) /* else masks of lanes take more registers than there are */
                forget(n);
            int line = along_k_ ? n / across : n % down, k = along_k_ ? n % across : n / down;
            if constexpr (Squares) {
                line = n % 4 + n / 16 % 4 * 4 + n / 128 * 16;
                k = n / 4 % 4 + n / 64 % 2 * 4;
            }
            if (all || n < pieces)
                f(e, Apart ? line : line * piece_lines, k * piece_k);
        }
    }

    SUBWAVE_DEVICE int line_in_piece(int i) const { return Apart ? i * (lines_ / piece_lines) : i; }

public:
    SUBWAVE_DEVICE matrix_staged_panel(const T *matrix, std::int64_t by_line, std::int64_t by_k,
                                       int lines, std::int64_t existing, int line, int k)
        : from_(matrix), by_line_(by_line), by_k_(by_k), lines_(lines),
          existing_(existing < lines ? static_cast<int>(existing) : lines), line_(line), k_(k),
          along_k_(Packed ? AlongK : by_k == 1)
    {
    }

    SUBWAVE_DEVICE bool whole() const { return Packed && existing_ == lines_; }

    static constexpr int held = Held;
    template <bool Whole, int Number> SUBWAVE_DEVICE void begin_copies(T *, int depth)
    {
        if constexpr (!Whole) {
            SUBWAVE_UNROLL
            for (int h = 1; h < Held; ++h) {
                SUBWAVE_UNROLL
                for (int i = 0; i < share * reads; ++i)
                    held_[h - 1][i / reads][i % reads] = held_[h][i / reads][i % reads];
            }
        }
        constexpr int to = Whole ? Number : Held - 1;
        each<!Whole && size == 1>([&](int e, int line, int k) {
            const int across = AlongK ? depth - k : existing_ - line; /* of a pack; packs */
            const int down = AlongK ? existing_ - line : depth - k;
            const T *piece = &from_[line * by_line_ + k * by_k_];
            SUBWAVE_UNROLL
            for (int i = 0; i < reads; ++i) {
                const int at = AlongK ? line_in_piece(i) : i;
                held_[to][e][i] =
                    read(piece + at * (AlongK ? by_line_ : by_k_), AlongK ? by_k_ : by_line_,
                         Whole       ? count
                         : at < down ? across
                                     : 0);
            }
        });
        from_ += Stage * by_k_;
    }
    template <int Number> SUBWAVE_DEVICE void end_copies(T *memory) const
    {
        each<false>([&](int e, int line, int k) {
            SUBWAVE_UNROLL
            for (int i = 0; i < piece_lines; ++i) {
                T *place =
                    &memory[matrix16_place<T>(line + line_in_piece(i), k / per_chunk, length) +
                            k % per_chunk];
                *reinterpret_cast<row_of_k *>(place) = row(held_[Number][e], i);
            }
        });
    }

    static constexpr int copy_steps = 1;
    template <int Number> SUBWAVE_DEVICE void copy_step(T *memory, int)
    {
        end_copies<Number>(memory);
        begin_copies<true, Number>(memory, Stage);
    }

    /* The chunk of this lane. */
    SUBWAVE_DEVICE const T *place(const T *memory, int line, int k) const
    {
        return &memory[matrix16_place<T>(line + line_, (k + k_) / per_chunk, length)];
    }
    SUBWAVE_DEVICE matrix16_chunk chunk(const T *memory, int line, int k) const
    {
        return *reinterpret_cast<const matrix16_chunk *>(place(memory, line, k));
    }

private:
    /* Line i of a piece. */
    static SUBWAVE_DEVICE row_of_k row(const pack (&piece)[reads], int i)
    {
        if constexpr (AlongK) {
            return piece[i];
        } else {
            return {{half_of(piece[0], i) | half_of(piece[1], i) << 16,
                     half_of(piece[2], i) | half_of(piece[3], i) << 16}};
        }
    }
    static SUBWAVE_DEVICE std::uint32_t half_of(const pack &all, int i)
    {
        return all.word[i / 2] >> i % 2 * 16 & 0xffff;
    }
    /* The first `existing` elements, and 0. */
    static SUBWAVE_DEVICE pack read(const T *from, std::int64_t stride, int existing)
    {
        if (Packed && existing >= count)
            return *reinterpret_cast<const pack *>(from);
        pack all = {};
        const T *next = from; /* of 8 bits: 16 products with the stride would not fit */
        SUBWAVE_UNROLL
        for (int i = 0; i < count; ++i) {
            using bits = std::conditional_t<size == 1, std::uint8_t, std::uint16_t>;
            constexpr int in_word = 4 / size;
            const T *const at = size == 1 ? next : &from[i * (Packed ? 1 : stride)];
            const std::uint32_t element = i < existing ? __builtin_bit_cast(bits, *at) : 0;
            next += i + 1 < existing ? (Packed ? 1 : stride) : 0; /* within the matrix */
            all.word[i / in_word] |= element << i % in_word * 8 * size;
            if (size == 1 && i % in_word == in_word - 1)
                put_together(all.word[i / in_word], next);
        }
        return all;
    }
};

SUBWAVE_END

#endif
