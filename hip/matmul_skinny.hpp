/* SPDX-License-Identifier: MIT
 * matmul_skinny.hpp: the tiles of a skinny product. There is one for each way in which B can lie:
 * how a wave loads B by 16 bytes per lane and comes by its sums. Those of NVIDIA's matrix unit are
 * in matmul_skinny_unit.hpp. Each has:
 *
 *   Tile(problem, sg, along)  the problem begins at the tile's first element and the block's part of
 *                             k, which so many waves share; the others are side by side
 *   rows, columns(along)      elements
 *   most_along                waves that share k where blocks share it too, and otherwise at most
 *   items, blocks             of a block; whose registers a multiprocessor should hold
 *   multiply(memory, where)   all of k; memory is the block's shared memory
 *   rounds, put(round, memory, columns)  writes the sums of rows / rounds rows, of so many columns, to
 *                             the places of skinny_place(), and wave by wave of those that share k
 */
#ifndef SUBWAVE_HIP_MATMUL_SKINNY_HPP
#define SUBWAVE_HIP_MATMUL_SKINNY_HPP

#include "matmul.hpp"

SUBWAVE_BEGIN

template <class T> struct skinny_problem {
    matmul_problem<T> whole;
    std::int64_t part; /* of k, a block's */
    std::uint32_t parts;
    int along; /* waves of a block that share its part: a power of two, as their number is */
    std::uint32_t first_tile, tiles; /* of this launch */
    T *sums;                         /* of every tile, part by part, if there are several */
    std::uint32_t *finished;         /* parts of every tile: zeros, and zeros again in the end */
};

/* Whether this block, which has written its part's sums, is the last one of the tile's; it then sees
 * all of them. `memory` is the block's shared memory. */
template <class T>
SUBWAVE_DEVICE bool is_last_of_tile(std::uint32_t *finished, std::uint32_t parts, T *memory)
{
    __threadfence();
    block_barrier(site::current());
    std::uint32_t *const before = reinterpret_cast<std::uint32_t *>(memory);
    if (block_item() == 0)
        *before = atomicAdd(finished, 1u);
    block_barrier(site::current());
    const bool is_last = *before == parts - 1;
    block_barrier(site::current()); /* all know; shared memory is free */
    __threadfence();
    return is_last;
}

template <class T> constexpr int skinny_pack = 16 / sizeof(T);

/* Whether one load reads a pack from any address that is aligned as an element; a pack of c64 is
 * one. */
template <class T>
constexpr bool skinny_loads_anywhere = wave_loads_anywhere || skinny_pack<T> == 1;

/* Where in shared memory the sum of a cell is, such that the lanes that read a column, or a row, find
 * their elements in different banks. `columns` is a power of two. */
template <class T> SUBWAVE_DEVICE int skinny_place(int row, int column, int columns)
{
    return row * columns + (column ^ (row * skinny_pack<T> & (columns - 1)));
}

/* The CPU device's waves take turns. */
constexpr int skinny_waves = min_wave_size() == max_wave_size()
                                 ? SUBWAVE_SKINNY_BLOCK / max_wave_size()
                                 : SUBWAVE_SKINNY_CPU_WAVES;

/* By one load, where plans find it possible (plan_skinny.c). */
template <int Count, class T> SUBWAVE_DEVICE void load_line_together(T *to, const T *from)
{
    if constexpr (wave_loads_anywhere)
        load_anywhere<Count>(to, from);
    else
        load_together<Count>(to, from);
}

/* Elements of a line of memory, `stride` apart; those from `count` on are 0. Packed: neighbours, that
 * one load reads. */
template <bool Packed, bool Inside, class T, int N>
SUBWAVE_DEVICE void load_line(T (&to)[N], const T *from, std::int64_t stride, std::int64_t count)
{
    if (Packed && (Inside || count >= N)) {
        load_line_together<N>(to, from);
    } else {
        const std::int64_t step = Packed ? 1 : of_each_lane(stride);
        SUBWAVE_UNROLL
        for (int e = 0; e < N; ++e, from += step)
            to[e] = Inside || e < count ? *from : T{};
    }
}

/* Says that a line's elements are neighbours. */
template <bool Packed, bool Down, class T>
SUBWAVE_DEVICE matmul_problem<T> in_packs(matmul_problem<T> p)
{
    if (Packed)
        (Down ? p.b_row : p.b_column) = 1;
    return p;
}

template <class T> SUBWAVE_DEVICE void store_16_bytes(T *to, const T (&from)[skinny_pack<T>])
{
    struct alignas(16) chunk {
        T element[skinny_pack<T>];
    } stored;
    SUBWAVE_UNROLL
    for (int e = 0; e < skinny_pack<T>; ++e)
        stored.element[e] = from[e];
    *reinterpret_cast<chunk *>(to) = stored;
}

/* Copies Rows rows of A from step l of k on, as many steps as `terms`, to shared memory: step by
 * step, or row by row. What is not there becomes 0. */
template <int Rows, bool ByTerm, class T>
SUBWAVE_DEVICE void copy_terms(T *local, const matmul_problem<T> &p, std::int64_t l, unsigned terms,
                               unsigned item, unsigned items)
{
    const bool along_k = p.a_column == 1;
    const unsigned rows = p.m < Rows ? p.m : Rows;
    const unsigned there = p.k - l >= terms ? terms : p.k > l ? p.k - l : 0;
    const T *a = p.a + l * p.a_column;
    SUBWAVE_ROLLED /* or registers go to what could be computed once */
    for (unsigned e = computed_anew(item); e < Rows * terms; e += items) {
        const unsigned i = along_k ? e / terms : e % Rows, s = along_k ? e % terms : e / Rows;
        T *to = &local[ByTerm ? s * Rows + i : i * terms + s];
        if (i < rows && s < there)
            copy_to_local(to, a + i * p.a_row + s * p.a_column);
        else
            *to = {};
    }
}

/* The wave's place in its block. */
SUBWAVE_DEVICE int skinny_wave(sub_group sg)
{
    return wave_uniform(static_cast<int>(sg.get_group_linear_id()));
}

/* One row of A, and B's columns are lines of memory: dot products of the sub-group. */
template <class T, bool Packed> class skinny_dots {
    static constexpr int pack = skinny_pack<T>, across = SUBWAVE_SKINNY_DOTS,
                         steps = SUBWAVE_SKINNY_DOTS_STEPS;
    static SUBWAVE_DEVICE int terms() { return steps * wave_size() * pack; }

    const matmul_problem<T> p_;
    const sub_group sg_;
    const int waves_, wave_; /* those that share k, and this wave's place among them */
    const int first_;        /* its first column */
    const int lane_;
    T sum_[across];

public:
    static constexpr int items = SUBWAVE_SKINNY_BLOCK;
    static constexpr int rows = 1, rounds = 1, blocks = Packed ? 2 : 1;
    static constexpr int most_along = skinny_waves;
    static SUBWAVE_DEVICE int columns(int along) { return skinny_waves / along * across; }

    SUBWAVE_DEVICE skinny_dots(const matmul_problem<T> &p, sub_group sg, int along)
        : p_(in_packs<Packed, true>(p)), sg_(sg), waves_(along), wave_(skinny_wave(sg) % along),
          first_(skinny_wave(sg) / along * across), lane_(wave_lane())
    {
        SUBWAVE_UNROLL
        for (int c = 0; c < across; ++c)
            sum_[c] = {};
    }

    SUBWAVE_DEVICE void multiply(T *, site where)
    {
        const int stride = waves_ * terms(), first = wave_ * terms() + lane_ * pack;
        const T *a = &p_.a[first * p_.a_column],
                *b = &p_.b[first * p_.b_row + first_ * p_.b_column];
        const bool whole = first_ + across <= p_.n;
        std::int64_t l = wave_ * terms();
        for (; l < p_.k; l += stride, a += stride * p_.a_column, b += stride * p_.b_row) {
            if (whole && l + terms() <= p_.k)
                add<true>(a, b, p_.k - l);
            else
                add<false>(a, b, p_.k - l - lane_ * pack);
        }
        SUBWAVE_UNROLL
        for (int c = 0; c < across; ++c)
            sum_[c] = reduce_over_group(sg_, sum_[c], plus<T>(), where);
    }

    SUBWAVE_DEVICE void put(int, T *memory, int columns) const
    {
        SUBWAVE_UNROLL
        for (int c = 0; c < across; ++c)
            if (lane_ == c % min_wave_size())
                memory[wave_ * columns + first_ + c] = sum_[c];
    }

private:
    template <bool Inside> SUBWAVE_DEVICE void add(const T *a, const T *b, std::int64_t left)
    {
        T of_a[steps][pack], of_b[steps][across][pack];
        SUBWAVE_UNROLL
        for (int s = 0; s < steps; ++s) {
            const int ahead = s * wave_size() * pack;
            if (p_.a_column == 1 &&
                (skinny_loads_anywhere<T> || reinterpret_cast<std::uintptr_t>(p_.a) % 16 == 0))
                load_line<true, Inside>(of_a[s], a + ahead, 1, left - ahead);
            else
                load_line<false, Inside>(of_a[s], a + ahead * p_.a_column, p_.a_column,
                                         left - ahead);
            SUBWAVE_UNROLL
            for (int c = 0; c < across; ++c)
                load_line<Packed, Inside>(of_b[s][c], b + ahead * p_.b_row + c * p_.b_column,
                                          p_.b_row, first_ + c < p_.n ? left - ahead : 0);
        }
        SUBWAVE_UNROLL
        for (int s = 0; s < steps; ++s) {
            SUBWAVE_UNROLL
            for (int c = 0; c < across; ++c) {
                SUBWAVE_UNROLL
                for (int e = 0; e < pack; ++e)
                    sum_[c] = fused_multiply_add(of_a[s][e], p_.factor(of_b[s][c][e]), sum_[c]);
            }
        }
    }
};

/* By multiply-adds: a lane has a pack of columns. Where B's rows are lines of memory, it loads them
 * as they lie (Narrow: four lanes do, and others take further rows); where B's columns are (Down),
 * a wave's packs of steps of k change places in its part of shared memory. A's elements always pass
 * through there, but a single row. */
template <class T, int Rows, bool Narrow, bool Down, bool Packed> class skinny_lanes {
    static constexpr int pack = skinny_pack<T>;
    /* packs of B that a lane loads */
    static constexpr int steps = subwave_skinny_steps(Rows, sizeof(T),
                                                      Narrow ? SUBWAVE_SKINNY_NARROW
                                                      : Down ? SUBWAVE_SKINNY_DOWN
                                                             : SUBWAVE_SKINNY_ACROSS);
    /* Down: packs and elements of a column */
    static constexpr int chunks = steps / pack, b_pitch = steps + pack;
    static SUBWAVE_DEVICE int lanes() { return Narrow ? SUBWAVE_SKINNY_NARROW_LANES : wave_size(); }
    static SUBWAVE_DEVICE int together()
    {
        return Narrow ? wave_size() / SUBWAVE_SKINNY_NARROW_LANES : 1;
    }
    static SUBWAVE_DEVICE int terms() { return steps * together(); }
    static constexpr bool all_share =
        wave_loads_anywhere && Down && Rows == SUBWAVE_SKINNY_ALL_SHARE;

    const matmul_problem<T> p_;
    const sub_group sg_;
    const int waves_, wave_; /* those that share k, and this wave's place among them */
    const int first_;        /* its first column */
    const int lane_;
    T sum_[Rows][pack];

public:
    static constexpr int items = SUBWAVE_SKINNY_BLOCK;
    static constexpr int rows = Rows,
                         rounds = Rows > SUBWAVE_SKINNY_ROUND ? Rows / SUBWAVE_SKINNY_ROUND : 1;
    static constexpr int blocks = Rows * sizeof(T) > 64 || (Rows == 16 && !Packed) ? 1 : 2;
    static constexpr int most_along = skinny_waves;
    static SUBWAVE_DEVICE int columns(int along) { return skinny_waves / along * lanes() * pack; }

    SUBWAVE_DEVICE skinny_lanes(const matmul_problem<T> &p, sub_group sg, int along)
        : p_(in_packs<Packed, Down>(p)), sg_(sg), waves_(all_share ? skinny_waves : along),
          wave_(skinny_wave(sg) % waves_),
          first_(all_share ? 0 : skinny_wave(sg) / along * lanes() * pack), lane_(wave_lane())
    {
        SUBWAVE_UNROLL
        for (int i = 0; i < Rows; ++i) {
            SUBWAVE_UNROLL
            for (int c = 0; c < pack; ++c)
                sum_[i][c] = {};
        }
    }

    SUBWAVE_DEVICE void multiply(T *memory, site where)
    {
        if constexpr (Rows == 1)
            multiply_row();
        else
            multiply_rows(memory + skinny_wave(sg_) *
                                       (2 * terms() * Rows + (Down ? lanes() * pack * b_pitch : 0)),
                          where);
        if constexpr (Narrow) {
            SUBWAVE_UNROLL
            for (int i = 0; i < Rows; ++i) {
                SUBWAVE_UNROLL
                for (int c = 0; c < pack; ++c) {
                    SUBWAVE_UNROLL
                    for (int away = 4; away < wave_size(); away *= 2)
                        sum_[i][c] += permute_group_by_xor(sg_, sum_[i][c], away, where);
                }
            }
        }
    }

    SUBWAVE_DEVICE void put(int round, T *memory, int columns) const
    {
        if (lane_ >= lanes())
            return;
        constexpr int count = Rows / rounds;
        memory += wave_ * count * columns;
        SUBWAVE_UNROLL
        for (int i = 0; i < count; ++i) {
            SUBWAVE_UNROLL
            for (int c = 0; c < pack; ++c) {
                const int place = Down ? skinny_place<T>(i, first_ + lane_ + lanes() * c, columns)
                                       : skinny_place<T>(i, first_ + lane_ * pack, columns) + c;
                memory[place] = sum_[round * count + i][c];
            }
        }
    }

private:
    SUBWAVE_DEVICE const T *first_pack() const
    {
        return &p_.b[(wave_ * terms() + term()) * p_.b_row + (first_ + column(0)) * p_.b_column];
    }

    SUBWAVE_DEVICE void multiply_row()
    {
        const int stride = waves_ * terms();
        const T *b = first_pack();
        for (std::int64_t l = wave_ * terms(); l < p_.k; l += stride, b += stride * p_.b_row) {
            T left[steps], line[steps][pack];
            SUBWAVE_UNROLL
            for (int s = 0; s < steps; ++s) {
                const std::int64_t at = l + s * together() + term();
                left[s] = at < p_.k ? p_.a[at * p_.a_column] : T{};
            }
            fetch(line, b, l);
            SUBWAVE_UNROLL
            for (int s = 0; s < steps; ++s) {
                SUBWAVE_UNROLL
                for (int c = 0; c < pack; ++c)
                    sum_[0][c] = fused_multiply_add(left[s], p_.factor(line[s][c]), sum_[0][c]);
            }
        }
    }

    SUBWAVE_DEVICE void multiply_rows(T *memory, site where)
    {
        constexpr bool ahead = Down && Rows < 16; /* B's loads, as registers allow */
        const int stride = waves_ * terms();
        T *now = memory, *next = now + terms() * Rows, *const transposed = next + terms() * Rows;
        std::int64_t l = wave_ * terms();
        const T *b = first_pack();
        T line[steps][pack] = {};
        copy_terms<Rows, !Down>(now, p_, l, terms(), lane_, wave_size());
        if (ahead && l < p_.k)
            fetch(line, b, l);
        SUBWAVE_ROLLED
        for (; l < p_.k; l += stride, b += stride * p_.b_row) {
            if (!ahead)
                fetch(line, b, l);
            if constexpr (Down)
                transpose(transposed, line);
            copies_to_local_done();
            wave_barrier(sg_.callers(), where); /* all is there; nobody reads `next` any more */
            copy_terms<Rows, !Down>(next, p_, l + stride, terms(), lane_, wave_size());
            if constexpr (Down) {
                if (ahead && l + stride < p_.k)
                    fetch(line, b + stride * p_.b_row, l + stride);
                add_columns(now, transposed);
                wave_barrier(sg_.callers(), where);
            } else {
                add_rows(now, line);
            }
            T *last = now;
            now = next;
            next = last;
        }
        copies_to_local_done();
    }

    /* Of the lane's pack s of B: the first column and, from the wave's first step on, the first
     * step of k. */
    SUBWAVE_DEVICE int column(int s) const
    {
        return Down ? s * (wave_size() / chunks) + lane_ / chunks : lane_ % lanes() * pack;
    }
    SUBWAVE_DEVICE int term() const { return Down ? lane_ % chunks * pack : lane_ / lanes(); }

    SUBWAVE_DEVICE void fetch(T (&line)[steps][pack], const T *b, std::int64_t l) const
    {
        if (first_ + lanes() * pack <= p_.n && l + terms() <= p_.k)
            fetch_lines<true>(line, b, l + term());
        else
            fetch_lines<false>(line, b, l + term());
    }
    template <bool Inside>
    SUBWAVE_DEVICE void fetch_lines(T (&line)[steps][pack], const T *b, std::int64_t l) const
    {
        SUBWAVE_UNROLL
        for (int s = 0; s < steps; ++s) {
            if constexpr (Down)
                load_line<Packed, Inside>(line[s], b + (column(s) - column(0)) * p_.b_column,
                                          p_.b_row, first_ + column(s) < p_.n ? p_.k - l : 0);
            else
                load_line<Packed, Inside>(line[s], b + s * together() * p_.b_row, p_.b_column,
                                          l + s * together() < p_.k ? p_.n - first_ - column(s)
                                                                    : 0);
        }
    }

    SUBWAVE_DEVICE void add_rows(const T *a, const T (&line)[steps][pack])
    {
        SUBWAVE_UNROLL
        for (int s = 0; s < steps; ++s) {
            SUBWAVE_UNROLL
            for (int i = 0; i < Rows; ++i) {
                const T left = a[(s * together() + term()) * Rows + i];
                SUBWAVE_UNROLL
                for (int c = 0; c < pack; ++c)
                    sum_[i][c] = fused_multiply_add(left, p_.factor(line[s][c]), sum_[i][c]);
            }
        }
    }

    SUBWAVE_DEVICE void transpose(T *transposed, const T (&line)[steps][pack]) const
    {
        SUBWAVE_UNROLL
        for (int s = 0; s < steps; ++s)
            store_16_bytes(&transposed[column(s) * b_pitch + term()], line[s]);
    }
    SUBWAVE_DEVICE void add_columns(const T *a, const T *transposed)
    {
        SUBWAVE_UNROLL
        for (int s = 0; s < steps; s += pack) {
            T right[pack][pack];
            SUBWAVE_UNROLL
            for (int c = 0; c < pack; ++c)
                load_together<skinny_pack<T>>(right[c],
                                              &transposed[(lane_ + lanes() * c) * b_pitch + s]);
            SUBWAVE_UNROLL
            for (int i = 0; i < Rows; ++i) {
                T left[pack];
                load_together<skinny_pack<T>>(left, &a[i * terms() + s]);
                SUBWAVE_UNROLL
                for (int c = 0; c < pack; ++c) {
                    SUBWAVE_UNROLL
                    for (int e = 0; e < pack; ++e)
                        sum_[i][c] =
                            fused_multiply_add(left[e], p_.factor(right[c][e]), sum_[i][c]);
                }
            }
        }
    }
};

SUBWAVE_END

#endif
