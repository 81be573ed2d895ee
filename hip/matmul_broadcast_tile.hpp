/* SPDX-License-Identifier: MIT
 * matmul_broadcast_tile.hpp: where the tile of a work-item of BROADCAST lies, and how it is loaded,
 * joined and stored.
 */
#ifndef SUBWAVE_HIP_MATMUL_BROADCAST_TILE_HPP
#define SUBWAVE_HIP_MATMUL_BROADCAST_TILE_HPP

#include "matmul.hpp"

SUBWAVE_BEGIN

/* What each row of a tile has one of. */
template <class Element, int Rows> struct broadcast_column {
    Element row[Rows];
};

/* How A is broadcast: from the lanes, which have loaded an element each, or as scalars, where
 * elements along k or rows side by side can be loaded together. */
enum class broadcast_a { by_lanes, along_k, across };

/* A work-item's Rows x Columns elements of C. The wave is divided into teams of wave_team_size()
 * lanes side by side; a team computes Rows rows, of which lane s loads element l + s, once; the
 * team then receives each element in turn. Packed: a load brings 16 bytes of B's row; on the CPU
 * device all of the work-item's columns follow one another. A block's layers, in blockDim.y, are
 * parts of k; only their last sums meet in shared memory. */
template <class T, int Rows, int Columns, bool Packed, broadcast_a A> struct broadcast_tile {
    using element = T;
    using sum = matmul_sum<T>;
    static constexpr int item_rows = Rows, item_columns = Columns;
    static constexpr bool packed = Packed;
    static constexpr broadcast_a operand_a = A;
    /* k is not split on AMD: that would exceed the scalar registers. */
    static constexpr bool in_parts = wave_small_team > 0 || !wave_loads_ahead;
    static constexpr int load_size = wave_loads_ahead ? 16 / static_cast<int>(sizeof(T)) : Columns;
    static constexpr int pack = !Packed ? 1 : load_size < Columns ? load_size : Columns;
    static_assert(Columns % pack == 0, "a row is whole packs");

    using fragment = broadcast_column<T, Rows>;
    using received_fragment = broadcast_column<sum, Rows>; /* as widen() has them */
    using sums = sum[Rows][Columns]; /* a local array: GCC keeps members of a class in memory */

    matmul_problem<T> p_;
    lane_mask members_;
    int item_;                   /* in the team */
    int part_;                   /* of k */
    bool inside_;                /* all elements of the sub-group are elements of C */
    std::int64_t i_, j_;         /* the first element; index c is column(c) to the right */
    std::int64_t own_i_, own_j_; /* the first that the sub-group stores */

    SUBWAVE_DEVICE broadcast_tile(const matmul_problem<T> &p, sub_group sg)
        : p_(p), members_(sg.callers()), item_(wave_lane() % width())
    {
    }

    /* Sub-groups of a layer have tiles one below the other; those of the last may be below C. A
     * tile that C ends in is moved up and left until it fits, if it can: what others compute too is
     * not stored. */
    SUBWAVE_DEVICE void locate(sub_group sg)
    {
        /* AMD: anew, or what follows from it stays in scalar registers through the main loop. */
        const int groups = wave_uniform(static_cast<int>(sg.get_group_linear_range())) / parts();
        int group = computed_anew(static_cast<int>(sg.get_group_linear_id()));
        /* so the compiler knows that the lanes agree, and stay together */
        if constexpr (wave_small_team > 0)
            group = wave_broadcast(members_, group, 0, site::current());
        const block_tile at(computed_anew(blockIdx.x), p_.m, rows() * groups);
        part_ = in_parts ? group / groups : 0;
        own_i_ = (at.row * groups + group - part_ * groups) * rows();
        own_j_ = at.column * columns();
        const bool aligned = !Packed || !wave_loads_ahead || p_.n % pack == 0;
        inside_ = (own_i_ + rows() <= p_.m || p_.m >= rows()) &&
                  (own_j_ + columns() <= p_.n || (p_.n >= columns() && aligned));
        i_ = (inside_ ? least(own_i_, p_.m - rows()) : own_i_) + wave_lane() / width() * Rows;
        j_ = (inside_ ? least(own_j_, p_.n - columns()) : own_j_) + item_ * pack;
    }

    /* k's whole fragments of A a part; each part has one of those that are left, the last of them
     * short. */
    static SUBWAVE_DEVICE int parts() { return in_parts ? static_cast<int>(blockDim.y) : 1; }
    SUBWAVE_DEVICE std::int64_t share() const
    {
        if constexpr (in_parts)
            return p_.k / width() >> (31 - __builtin_clz(blockDim.y));
        return p_.k / width();
    }
    /* The first step of k of the part's fragment; share() numbers the one that is left. */
    SUBWAVE_DEVICE std::int64_t term(std::int64_t number) const
    {
        if (in_parts)
            number += number < share() ? part_ * share() : (parts() - 1) * share() + part_;
        return number * width();
    }

    /* The sub-group's tile. */
    static SUBWAVE_DEVICE int rows() { return Rows * (wave_size() / width()); }
    static SUBWAVE_DEVICE int columns() { return Columns * width(); }
    static SUBWAVE_DEVICE int width() { return wave_team_size(); }
    static SUBWAVE_DEVICE int column(int c) { return c / pack * pack * width() + c % pack; }
    static SUBWAVE_DEVICE std::int64_t least(std::int64_t x, std::int64_t y)
    {
        return x < y ? x : y;
    }

    /* Where the part's steps of k begin in A, for the lane's rows and its item, and in B, for its
     * columns. */
    SUBWAVE_DEVICE const T *first_of_a() const
    {
        return &p_.a[i_ * p_.a_row + (part_ * share() * width() + item_) * p_.a_column];
    }
    SUBWAVE_DEVICE const T *first_of_b() const
    {
        return &p_.b[part_ * share() * width() * p_.b_row + j_ * p_.b_column];
    }

    /* InOrder: where the compiler may not move the load. */
    template <bool InOrder, int Count> static SUBWAVE_DEVICE void load(T *to, const T *from)
    {
        if constexpr (InOrder)
            load_in_order<Count>(to, from);
        else
            load_together<Count>(to, from);
    }
    template <bool InOrder = false> SUBWAVE_DEVICE fragment load_a(const T *a) const
    {
        fragment loaded;
        SUBWAVE_UNROLL
        for (int r = 0; r < Rows; ++r, a += p_.a_row)
            load<InOrder, 1>(&loaded.row[r], a);
        return loaded;
    }
    template <bool Inside, bool InOrder = false>
    SUBWAVE_DEVICE void load_b(T (&b)[Columns], const T *row) const
    {
        if constexpr (Inside && Packed) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Columns; c += pack)
                load<InOrder, pack>(&b[c], &row[c * width()]);
        } else {
            SUBWAVE_UNROLL
            for (int c = 0; c < Columns; ++c)
                load<InOrder, 1>(&b[c],
                                 &row[(Inside ? column(c) : least(j_ + column(c), p_.n - 1) - j_) *
                                      p_.b_column]);
        }
    }

    /* For touch(): the next fragment's lines, a lane's. Of A a lane's is that of a row of the
     * sub-group, if its rows lie along k. The sub-groups of a layer share the touches of B's rows,
     * which must be packed. */
    static constexpr int line = 128 / static_cast<int>(sizeof(T));
    static SUBWAVE_DEVICE int row_lines()
    {
        return width() * Columns > line ? width() * Columns / line : 1;
    }
    SUBWAVE_DEVICE std::int64_t lines_of_a() const
    {
        const int lane = wave_lane();
        return p_.a_column == 1 ? (lane % rows() - lane / width() * Rows) * p_.a_row - item_ : 0;
    }
    SUBWAVE_DEVICE const T *lines_of_b() const
    {
        const int lane = wave_lane();
        return first_of_b() + lane % row_lines() * line - item_ * pack +
               (lane / row_lines() % width() + width()) * p_.b_row;
    }
    SUBWAVE_DEVICE void touch_b(const T *lines) const
    {
        if constexpr (Packed) {
            const int at_once = wave_size() / row_lines();
            const int group = threadIdx.x / wave_size(), groups = blockDim.x / wave_size();
            SUBWAVE_UNROLL
            for (int s = 0; s < width(); s += at_once)
                if (s / at_once % groups == group)
                    touch(lines + s * p_.b_row);
        }
    }

    SUBWAVE_DEVICE received_fragment widen(const fragment &loaded) const
    {
        received_fragment wide;
        SUBWAVE_UNROLL
        for (int r = 0; r < Rows; ++r)
            wide.row[r] = p_.factor(loaded.row[r]);
        return wide;
    }

    static SUBWAVE_DEVICE void add_step(sums &cells, const received_fragment &received,
                                        const T (&b)[Columns])
    {
        if constexpr (is_complex_v<T>) {
            SUBWAVE_UNROLL
            for (int r = 0; r < Rows; ++r)
                add_products(cells[r], received.row, r, b);
        } else {
            sum right[Columns];
            SUBWAVE_UNROLL
            for (int c = 0; c < Columns; ++c)
                right[c] = b[c];
            SUBWAVE_UNROLL
            for (int r = 0; r < Rows; ++r) {
                SUBWAVE_UNROLL
                for (int c = 0; c < Columns; ++c)
                    cells[r][c] += received.row[r] * right[c];
            }
        }
    }

    /* The sums of the parts of k, added two by two in an order that is always the same, into part
     * 0. */
    SUBWAVE_DEVICE void join(sums &cells, sub_group sg, site where) const
    {
        SUBWAVE_DYNAMIC_SHARED(sum, other);
        const int groups = static_cast<int>(sg.get_group_linear_range()) / parts();
        const int group = static_cast<int>(sg.get_group_linear_id()) - part_ * groups;
        for (int half = parts() / 2; half > 0; half /= 2) {
            sum *const at = &other[(part_ % half * groups + group) * Rows * Columns * wave_size()] +
                            wave_lane();
            if (part_ >= half && part_ < 2 * half) {
                SUBWAVE_UNROLL
                for (int r = 0; r < Rows; ++r) {
                    SUBWAVE_UNROLL
                    for (int c = 0; c < Columns; ++c)
                        at[(r * Columns + c) * wave_size()] = cells[r][c];
                }
            }
            block_barrier(where);
            if (part_ < half) {
                SUBWAVE_UNROLL
                for (int r = 0; r < Rows; ++r) {
                    SUBWAVE_UNROLL
                    for (int c = 0; c < Columns; ++c)
                        cells[r][c] = cells[r][c] + at[(r * Columns + c) * wave_size()];
                }
            }
            block_barrier(where);
        }
    }

    /* Whether packs of C are aligned; a pack is then the sub-group's own or not. */
    SUBWAVE_DEVICE bool stores_packs() const
    {
        const std::uintptr_t element = reinterpret_cast<std::uintptr_t>(p_.c) / sizeof(T);
        return inside_ && p_.c_column == 1 && (element | p_.c_row) % pack == 0;
    }
    SUBWAVE_DEVICE void store_row(std::int64_t r, const sum (&row)[Columns], bool packs) const
    {
        if (wave_loads_ahead && Packed && packs) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Columns; c += pack) {
                sum together[pack];
                SUBWAVE_UNROLL
                for (int e = 0; e < pack; ++e)
                    together[e] = row[c + e];
                if (i_ + r >= own_i_ && j_ + column(c) >= own_j_)
                    p_.store_together((i_ + r) * p_.c_row + j_ + column(c), together);
            }
            return;
        }
        SUBWAVE_UNROLL
        for (int c = 0; c < Columns; ++c)
            if (inside_ ? i_ + r >= own_i_ && j_ + column(c) >= own_j_
                        : i_ + r < p_.m && j_ + column(c) < p_.n)
                p_.store(i_ + r, j_ + column(c), row[c]);
    }
    /* Where the stores would be half of the kernel's code, the loop is not unrolled. With fewer rows
     * at a time, or with elements of 16 bits, LLVM 15 needs registers that waves then lack. */
    SUBWAVE_DEVICE void store(sums &cells) const
    {
        constexpr bool is_long = Rows * Columns > 16 && sizeof(T) >= 4;
        constexpr int together = is_long ? 4 : Rows;
        const bool packs = stores_packs();
        SUBWAVE_ROLLED
        for (int r = 0; r < Rows; r += together) {
            SUBWAVE_UNROLL
            for (int e = 0; e < together; ++e)
                store_row(r + e, cells[e], packs);
            move_rows_up<together>(cells);
        }
    }
};

SUBWAVE_END

#endif
