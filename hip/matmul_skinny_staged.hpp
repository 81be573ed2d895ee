/* SPDX-License-Identifier: MIT
 * matmul_skinny_staged.hpp: skinny products in tiles of 16 and more rows, of which the lanes of a
 * block have some each. Stages of k of A and B are copied to shared memory while those before are
 * multiplied, from one tile to the block's next.
 */
#ifndef SUBWAVE_HIP_MATMUL_SKINNY_STAGED_HPP
#define SUBWAVE_HIP_MATMUL_SKINNY_STAGED_HPP

#include "matmul_skinny.hpp"

SUBWAVE_BEGIN

/* A tile of Rows x Columns elements of C, of which a work-item has Tall x Wide: fours of rows that
 * follow one another in C, and of columns (Down: single ones). A is stored step by step, B as it lies
 * in memory: steps of k that have columns, or columns that have steps of k (Down). */
template <class T, int Rows, int Columns, int Tall, int Wide, int Steps, int Stages, bool Down,
          int Blocks, bool Packed>
class skinny_staged {
    static constexpr int items_down = Rows / Tall, items_across = Columns / Wide;
    static constexpr int a_pitch = subwave_skinny_a_pitch(Rows),
                         b_pitch = subwave_skinny_b_pitch(Columns, Steps, Down);
    static constexpr int together = 4, pack = Packed ? skinny_pack<T> : 1;
    static_assert(together % skinny_pack<T> == 0 && Tall % together == 0 && Wide % together == 0);

    T sum_[Tall][Wide];

    /* Neighbours have the same four of A, and a work-item has that of B which the second after it
     * has: then one access of a wave on NVIDIA takes half as long. */
    static SUBWAVE_DEVICE int row_four() { return block_item() / 2 % items_down; }
    static SUBWAVE_DEVICE int column_four()
    {
        return block_item() / 2 / items_down * 2 + block_item() % 2;
    }
    static SUBWAVE_DEVICE int row(int r)
    {
        return (r / together * items_down + row_four()) * together + r % together;
    }
    static SUBWAVE_DEVICE int column(int c)
    {
        return Down ? c * items_across + column_four()
                    : (c / together * items_across + column_four()) * together + c % together;
    }

public:
    static constexpr int rows = Rows, columns = Columns, items = items_down * items_across,
                         blocks = Blocks, stages = Stages, depth = Steps,
                         stage_elements = subwave_skinny_stage(Rows, Columns, Steps, Down);

    SUBWAVE_DEVICE void clear()
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < Tall; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Wide; ++c)
                sum_[r][c] = {};
        }
    }

    /* Begins to copy a stage: what is left of the tile from there on. Beyond k it gets zeros, and
     * beyond C nothing, since nothing is stored there. */
    static SUBWAVE_DEVICE void copy(T *stage, const matmul_problem<T> &left)
    {
        const int m = left.m < Rows ? static_cast<int>(left.m) : Rows,
                  n = left.n < columns ? static_cast<int>(left.n) : columns,
                  k = left.k < Steps ? static_cast<int>(left.k) : Steps;
        copy_a(stage, left, m, k);
        T *const b = stage + Steps * a_pitch;
        if constexpr (Down)
            copy_columns(b, left, n, k);
        else
            copy_rows(b, left, n, k);
    }

    /* Adds a stage's products, of `there` steps of k. */
    SUBWAVE_DEVICE void multiply(const T *stage, std::int64_t there)
    {
        const T *const a = stage + row_four() * together, *const b = stage + Steps * a_pitch;
        SUBWAVE_UNROLL
        for (int first = 0; first < Steps; first += together) {
            if (first >= there)
                break;
            T of_a[together][Tall];
            SUBWAVE_UNROLL
            for (int s = 0; s < together; ++s) {
                SUBWAVE_UNROLL
                for (int r = 0; r < Tall; r += together)
                    load_together<together>(&of_a[s][r],
                                            a + (first + s) * a_pitch + r * items_down);
                if constexpr (!Down)
                    add_step(of_a[s], b + (first + s) * b_pitch);
            }
            if constexpr (Down) {
                SUBWAVE_UNROLL
                for (int c = 0; c < Wide; ++c) {
                    T of_b[together];
                    load_together<together>(of_b, b + column(c) * b_pitch + first);
                    SUBWAVE_UNROLL
                    for (int s = 0; s < together; ++s) {
                        SUBWAVE_UNROLL
                        for (int r = 0; r < Tall; ++r)
                            sum_[r][c] = fused_multiply_add(of_a[s][r], of_b[s], sum_[r][c]);
                    }
                }
            }
        }
    }

    /* The sums of a part of k, and their addition: elements by which work-item has them. */
    SUBWAVE_DEVICE void put(T *sums) const
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < Tall; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Wide; ++c)
                sums[(r * Wide + c) * items + block_item()] = sum_[r][c];
        }
    }
    /* Of so many parts together, as registers allow. */
    static constexpr int ahead = 64 / (Tall * Wide);
    template <int Parts> SUBWAVE_DEVICE void add(const T *sums)
    {
        T more[Parts][Tall][Wide];
        SUBWAVE_UNROLL
        for (int part = 0; part < Parts; ++part) {
            SUBWAVE_UNROLL
            for (int r = 0; r < Tall; ++r) {
                SUBWAVE_UNROLL
                for (int c = 0; c < Wide; ++c)
                    more[part][r][c] =
                        sums[part * Rows * columns + (r * Wide + c) * items + block_item()];
            }
        }
        SUBWAVE_UNROLL
        for (int part = 0; part < Parts; ++part) {
            SUBWAVE_UNROLL
            for (int r = 0; r < Tall; ++r) {
                SUBWAVE_UNROLL
                for (int c = 0; c < Wide; ++c)
                    sum_[r][c] += more[part][r][c];
            }
        }
    }

    /* `free` is a stage that nobody copies to; others may still multiply it. */
    SUBWAVE_DEVICE void store(const matmul_problem<T> &tile, T *free) const
    {
        const bool aligned = reinterpret_cast<std::uintptr_t>(tile.c) % (together * sizeof(T)) == 0;
        if constexpr (Down) {
            if (tile.c_row == 1 && !(aligned && tile.c_column % together == 0))
                return store_in_order(tile, free);
        }
        if (Down || tile.c_row == 1)
            store_fours<true>(tile, aligned && tile.c_row == 1 && tile.c_column % together == 0);
        else
            store_fours<false>(tile, aligned && tile.c_column == 1 && tile.c_row % together == 0);
    }

private:
    SUBWAVE_DEVICE void add_step(const T (&of_a)[Tall], const T *b)
    {
        T of_b[Wide];
        SUBWAVE_UNROLL
        for (int c = 0; c < Wide; c += together)
            load_together<together>(&of_b[c], b + column(c));
        SUBWAVE_UNROLL
        for (int r = 0; r < Tall; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Wide; ++c)
                sum_[r][c] = fused_multiply_add(of_a[r], of_b[c], sum_[r][c]);
        }
    }

    /* Eight rows by neighbours, of four steps of k a wave, which are in different banks. */
    static SUBWAVE_DEVICE void copy_a(T *to, const matmul_problem<T> &left, int m, int k)
    {
        const unsigned item = block_item();
        const int first = item % 8;
        SUBWAVE_UNROLL
        for (int l = item / 8; l < Steps; l += items / 8) {
            const T *from = left.a + first * left.a_row + l * left.a_column;
            SUBWAVE_UNROLL
            for (int r = 0; r < Rows; r += 8, from += 8 * left.a_row)
                if (r + first < m)
                    copy_part_to_local<1>(&to[l * a_pitch + r + first], from, l < k);
        }
    }
    /* Packs along k by neighbours. */
    static SUBWAVE_DEVICE void copy_columns(T *to, const matmul_problem<T> &left, int n, int k)
    {
        constexpr int along = Steps / pack, at_once = items / along;
        const unsigned item = block_item();
        const int l = item % along * pack, first = item / along;
        const T *from = left.b + l * left.b_row + first * left.b_column;
        T *at = &to[first * b_pitch + l];
        SUBWAVE_UNROLL
        for (int j = first; j < columns; j += at_once) {
            if (j < n)
                copy_part_to_local<pack>(at, from, k - l);
            from += at_once * left.b_column;
            at += at_once * b_pitch;
        }
    }
    /* Packs of a row by neighbours. */
    static SUBWAVE_DEVICE void copy_rows(T *to, const matmul_problem<T> &left, int n, int k)
    {
        constexpr int along = columns / pack < 32 ? columns / pack : 32, at_once = items / along;
        const unsigned item = block_item();
        const int first = item / along, right = item % along * pack;
        SUBWAVE_UNROLL
        for (int l = first; l < Steps; l += at_once) {
            SUBWAVE_UNROLL
            for (int j = right; j < columns; j += along * pack)
                if (j < n)
                    copy_part_to_local<pack>(&to[l * b_pitch + j],
                                             left.b + l * left.b_row + j * left.b_column,
                                             l < k ? n - j : 0);
        }
    }

    /* Columns of C that are not aligned, some at a time: neighbours store neighbours in memory. */
    SUBWAVE_DEVICE void store_in_order(const matmul_problem<T> &tile, T *free) const
    {
        constexpr int pitch = Rows + 1, fit = stage_elements / (items_across * pitch),
                      at_once = fit >= Wide ? Wide
                                : fit >= 4  ? 4
                                            : 2;
        static_assert(fit >= at_once && Wide % at_once == 0);
        const int m = tile.m < Rows ? static_cast<int>(tile.m) : Rows, item = block_item();
        SUBWAVE_UNROLL
        for (int first = 0; first < Wide; first += at_once) {
            block_barrier(site::current());
            SUBWAVE_UNROLL
            for (int c = 0; c < at_once; ++c) {
                SUBWAVE_UNROLL
                for (int r = 0; r < Tall; ++r)
                    free[column(c) * pitch + row(r)] = sum_[r][first + c];
            }
            block_barrier(site::current());
            const int left = first * items_across;
            const std::int64_t there = tile.n - left, n = at_once * items_across;
            int i = item % m, j = item / m;
            SUBWAVE_ROLLED
            while (j < n && j < there) {
                tile.store(i, left + j, free[j * pitch + i]);
                i += items % m;
                j += items / m + (i >= m);
                i -= i >= m ? m : 0;
            }
        }
    }

    template <bool ByRows>
    SUBWAVE_DEVICE void store_fours(const matmul_problem<T> &tile, bool is_whole) const
    {
        constexpr int more_rows = ByRows ? together : 1, more_columns = ByRows ? 1 : together;
        SUBWAVE_UNROLL
        for (int r = 0; r < Tall; r += more_rows) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Wide; c += more_columns) {
                const int i = row(r), j = column(c);
                if (i >= tile.m || j >= tile.n)
                    continue; /* before the code that stores some, which is long */
                T sums[together];
                SUBWAVE_UNROLL
                for (int e = 0; e < together; ++e)
                    sums[e] = ByRows ? sum_[r + e][c] : sum_[r][c + e];
                if (is_whole && i + more_rows <= tile.m && j + more_columns <= tile.n) {
                    tile.store_together(i * tile.c_row + j * tile.c_column, sums);
                    continue;
                }
                SUBWAVE_UNROLL
                for (int e = 0; e < together; ++e) {
                    const int below = ByRows ? i + e : i, right = ByRows ? j : j + e;
                    if (below < tile.m && right < tile.n)
                        tile.store(below, right, sums[e]);
                }
            }
        }
    }
};

/* A block computes tiles one after the other; or a part of one, and the last of a tile's blocks adds
 * the parts up. */
template <class T, class Tile>
SUBWAVE_KERNEL(Tile::items, Tile::blocks)
matmul_skinny_staged(skinny_problem<T> p)
{
    SUBWAVE_DYNAMIC_SHARED(T, memory);
    const std::uint32_t parts_of_tiles = p.tiles * p.parts;
    const auto locate = [&](std::uint32_t number) {
        const block_tile tile(number % p.tiles, p.whole.m, Tile::rows);
        return p.whole.from(tile.row * Tile::rows, tile.column * Tile::columns,
                            number / p.tiles * p.part, p.part);
    };
    std::uint32_t coming = blockIdx.x;
    matmul_problem<T> left = locate(coming);
    const auto copy_next = [&](int stage) {
        if (left.k > 0) {
            Tile::copy(memory + stage * Tile::stage_elements, left);
            left.k -= Tile::depth;
            left.a += Tile::depth * left.a_column;
            left.b += Tile::depth * left.b_row;
            if (left.k <= 0 && (coming += gridDim.x) < parts_of_tiles)
                left = locate(coming);
        }
        copies_to_local_begun();
    };
    SUBWAVE_UNROLL
    for (int stage = 0; stage < Tile::stages - 1; ++stage)
        copy_next(stage);
    int stage = 0, free = Tile::stages - 1;
    Tile mine;
    SUBWAVE_ROLLED
    for (std::uint32_t number = blockIdx.x; number < parts_of_tiles; number += gridDim.x) {
        mine.clear();
        const std::int64_t l = number / p.tiles * p.part;
        std::int64_t k = p.whole.k - l < p.part ? p.whole.k - l : p.part;
        SUBWAVE_ROLLED
        do {
            copies_to_local_wait<Tile::stages - 2>();
            block_barrier(site::current()); /* all is there; nobody reads the free stage any more */
            copy_next(free);
            mine.multiply(memory + stage * Tile::stage_elements, k);
            stage = stage + 1 < Tile::stages ? stage + 1 : 0;
            free = free + 1 < Tile::stages ? free + 1 : 0;
            k -= Tile::depth;
        } while (k > 0);
        if (p.parts > 1) {
            const std::uint32_t at = number % p.tiles;
            constexpr int cells = Tile::rows * Tile::columns;
            T *const sums = p.sums + std::int64_t(at) * p.parts * cells;
            mine.put(sums + number / p.tiles * cells);
            if (!is_last_of_tile(&p.finished[at], p.parts, memory))
                return;
            mine.clear();
            std::uint32_t part = 0;
            SUBWAVE_ROLLED
            for (; part + Tile::ahead <= p.parts; part += Tile::ahead)
                mine.template add<Tile::ahead>(sums + part * cells);
            SUBWAVE_ROLLED
            for (; part < p.parts; ++part)
                mine.template add<1>(sums + part * cells);
            if (block_item() == 0)
                p.finished[at] = 0;
        }
        mine.store(locate(number), memory + free * Tile::stage_elements);
    }
}

SUBWAVE_END

#endif
