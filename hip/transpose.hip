/* SPDX-License-Identifier: MIT
 * transpose.hip: transposed matrices, tile by tile through shared memory, whose rows are read and
 * written as neighbours in memory. In place, a block exchanges the two tiles that take each other's
 * place.
 */
#include "integers.hpp"
#include "kernels.h"
#include "shapes.hpp"

SUBWAVE_BEGIN

/* A square tile of elements of T. */
template <class T> class transposed_tile {
public:
    static constexpr int side = subwave_transpose_side(&shapes, sizeof(T));

private:
    static constexpr int block = SUBWAVE_TRANSPOSE_BLOCK;
    /* Rows from one element of a work-item to its next; elements of a work-item. */
    static constexpr int step = block / side, each = side / step;
    /* One element longer than a row, or 4 bytes if that is more: neighbours in a column then lie in
     * different banks of shared memory. */
    static constexpr int pitch = side + (sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1);

    T held_[each] = {};
    const int row_ = threadIdx.x / side, column_ = threadIdx.x % side;

public:
    static constexpr int local_size = side * pitch;

    /* Rows and columns of a tile that begins so far before the end. */
    static SUBWAVE_DEVICE int within(std::int64_t left)
    {
        return left < side ? static_cast<int>(left) : side;
    }

    /* The first rows x columns elements of a tile that begins at x. Where there is no element, the
     * nearest one is loaded again, which needs no branch. */
    SUBWAVE_DEVICE void load(const T *x, std::int64_t ld, int rows, int columns)
    {
        const T *from =
            &x[(row_ < rows ? row_ : rows - 1) * ld + (column_ < columns ? column_ : columns - 1)];
        SUBWAVE_UNROLL
        for (int e = 0; e < each; ++e) {
            copy(held_[e], *from);
            from += row_ + (e + 1) * step < rows ? step * ld : 0;
        }
    }
    /* Writes the transpose's first rows x columns elements to the tile that begins at y. All
     * work-items of the block call it together. */
    SUBWAVE_DEVICE void store(T *local, T *y, std::int64_t ld, int rows, int columns) const
    {
        SUBWAVE_UNROLL
        for (int e = 0; e < each; ++e)
            copy(local[(row_ + e * step) * pitch + column_], held_[e]);
        block_barrier(site::current());
        const T *const from = &local[column_ * pitch];
        T *const to = &y[column_];
        if (rows == side && columns == side) {
            SUBWAVE_UNROLL
            for (int e = 0; e < each; ++e)
                copy(to[(row_ + e * step) * ld], from[row_ + e * step]);
        } else if (column_ < columns) {
            SUBWAVE_ROLLED
            for (int r = row_; r < rows; r += step)
                copy(to[r * ld], from[r]);
        }
        block_barrier(site::current());
    }
};

template <class T> SUBWAVE_KERNEL(SUBWAVE_TRANSPOSE_BLOCK) transpose(subwave_transpose_launch p)
{
    using tile = transposed_tile<T>;
    constexpr std::int64_t side = tile::side;
    SUBWAVE_SHARED(T, local, tile::local_size);
    const T *x = static_cast<const T *>(p.x);
    T *y = static_cast<T *>(p.y);
    for (std::int64_t t = blockIdx.x; t < p.down * p.across * p.batch; t += gridDim.x) {
        const std::int64_t line = t / p.across, entry = line / p.down;
        const std::int64_t i = (line - entry * p.down) * side, j = (t - line * p.across) * side;
        if (p.in_place && i > j)
            continue; /* another block exchanges it */
        const T *const from = x + entry * p.stride_x;
        T *const to = y + entry * p.stride_y;
        const int rows = tile::within(p.m - i), columns = tile::within(p.n - j);
        const bool exchanges = p.in_place && i != j;
        tile mine, other;
        mine.load(from + i * p.ldx + j, p.ldx, rows, columns);
        if (exchanges)
            other.load(from + j * p.ldx + i, p.ldx, columns, rows);
        mine.store(local, to + j * p.ldy + i, p.ldy, columns, rows);
        if (exchanges)
            other.store(local, to + i * p.ldy + j, p.ldy, rows, columns);
    }
}

template <class T> int launch_transpose(const subwave_transpose_launch &p, void *stream)
{
    const std::int64_t tiles = p.down * p.across * p.batch;
    const auto blocks = static_cast<unsigned>(
        tiles < SUBWAVE_TRANSPOSE_BLOCKS ? tiles : std::int64_t(SUBWAVE_TRANSPOSE_BLOCKS));
    return with_moved<T>(p.x, p.y, [&](auto element) {
        return launch(transpose<decltype(element)>, dim3(blocks), dim3(SUBWAVE_TRANSPOSE_BLOCK), 0,
                      stream, p);
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_transpose(SUBWAVE_DEFINE_LAUNCHER)
