/* SPDX-License-Identifier: MIT
 * matrix16_panel.hpp: where panels have their elements in local memory, and a panel that is copied
 * by way of registers.
 */
#ifndef SUBWAVE_HIP_UNIT_MATRIX16_PANEL_HPP
#define SUBWAVE_HIP_UNIT_MATRIX16_PANEL_HPP

#include <subwave/device/half.hpp>

SUBWAVE_BEGIN

/* Eight elements, by words. Copied by value, not by memcpy, which LLVM takes apart into bytes. */
struct __attribute__((__may_alias__, __aligned__(16))) matrix16_chunk {
    std::uint32_t word[4];
};

/* block_item(), from which what follows is not kept from one call to the next: all these addresses
 * take more registers than there are. */
SUBWAVE_DEVICE int matrix16_item();

/* The chunk with this number in a row of `length` chunks, a power of two. They are permuted so that
 * any one of eight rows is in different banks. */
SUBWAVE_DEVICE int matrix16_place(int row, int chunk, int length)
{
    const int turn = length >= 8 ? row % 8 : row * length / 8 % length;
    return (row * length + (chunk ^ turn)) * 8;
}

/* Each line has its k in a row, so that a lane finds those of an operand together. A piece is 4
 * lines by 4 of k: where neighbours in global memory are so along lines, it is transposed on its
 * way. */
template <class T, int Stage, int Share, bool AlongK, bool Packed> class matrix16_staged_panel {
    static constexpr int length = Stage / 8;
    /* four elements that are neighbours in global memory */
    struct __attribute__((__may_alias__, __aligned__(8))) quad {
        std::uint32_t word[2];
    };

public:
    SUBWAVE_DEVICE matrix16_staged_panel(int lines, int line, int k)
        : lines_(lines), line_(line), k_(k)
    {
    }

    SUBWAVE_DEVICE void begin(T *, const T *from, std::int64_t line_stride, std::int64_t k_stride,
                              int lines, int depth)
    {
        along_k_ = Packed ? AlongK : k_stride == 1;
        each([&](int e, int line, int k) {
            const int across = AlongK ? depth - k : lines - line; /* elements along a quad, quads */
            const int down = AlongK ? lines - line : depth - k;
            const T *piece = &from[line * line_stride + k * k_stride];
            SUBWAVE_UNROLL
            for (int i = 0; i < 4; ++i)
                held_[e][i] = read(piece + i * (AlongK ? line_stride : k_stride),
                                   AlongK ? k_stride : line_stride, i < down ? across : 0);
        });
    }

    SUBWAVE_DEVICE void end(T *to) const
    {
        each([&](int e, int line, int k) {
            SUBWAVE_UNROLL
            for (int i = 0; i < 4; ++i) {
                const quad(&all)[4] = held_[e];
                const quad transposed = {{half_of(all[0], i) | half_of(all[1], i) << 16,
                                          half_of(all[2], i) | half_of(all[3], i) << 16}};
                const quad row = AlongK ? all[i] : transposed;
                T *place = &to[matrix16_place(line + i, k / 8, length) + k % 8];
                *reinterpret_cast<quad *>(place) = row;
            }
        });
    }

    /* The eight elements of this lane. */
    SUBWAVE_DEVICE const T *place(const T *panel, int line, int k) const
    {
        return &panel[matrix16_place(line + line_, (k + k_) / 8, length)];
    }
    SUBWAVE_DEVICE matrix16_chunk chunk(const T *panel, int line, int k) const
    {
        return *reinterpret_cast<const matrix16_chunk *>(place(panel, line, k));
    }

private:
    /* Calls f(number, line, k) for each of this work-item's pieces. */
    template <class F> SUBWAVE_DEVICE void each(F f) const
    {
        const int pieces = lines_ * Stage / 16, down = lines_ / 4, across = Stage / 4;
        const int threads = blockDim.x;
        SUBWAVE_UNROLL
        for (int e = 0; e < Share; ++e) {
            const int n = matrix16_item() + e * threads;
            const int line = along_k_ ? n / across : n % down, k = along_k_ ? n % across : n / down;
            if (n < pieces)
                f(e, line * 4, k * 4);
        }
    }
    static SUBWAVE_DEVICE std::uint32_t half_of(const quad &all, int i)
    {
        return all.word[i / 2] >> i % 2 * 16 & 0xffff;
    }
    /* `count` elements and 0. */
    static SUBWAVE_DEVICE quad read(const T *from, std::int64_t stride, int count)
    {
        if (Packed && count >= 4)
            return *reinterpret_cast<const quad *>(from);
        std::uint32_t part[4];
        SUBWAVE_UNROLL
        for (int i = 0; i < 4; ++i)
            part[i] =
                i < count ? __builtin_bit_cast(std::uint16_t, from[i * (Packed ? 1 : stride)]) : 0;
        return {{part[0] | part[1] << 16, part[2] | part[3] << 16}};
    }

    int lines_, line_, k_;
    bool along_k_ = AlongK; /* neighbouring work-items copy neighbouring pieces along k */
    quad held_[Share][4];
};

SUBWAVE_END

#endif
