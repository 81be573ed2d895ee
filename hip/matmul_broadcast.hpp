/* SPDX-License-Identifier: MIT
 * matmul_broadcast.hpp: C = alpha A B + beta C from tiles in registers: A is broadcast through the
 * sub-group, B is loaded ahead of its use.
 */
#ifndef SUBWAVE_HIP_MATMUL_BROADCAST_HPP
#define SUBWAVE_HIP_MATMUL_BROADCAST_HPP

#include "matmul.hpp"

SUBWAVE_BEGIN

/* A work-item's Rows x Columns cells of C, and how it comes by their sums. The sub-group is parted
 * into teams of wave_team_size() lanes side by side; a team computes Rows rows, of which item s
 * loads element l + s, once; the team then hears each element in turn. Packed: a load brings 16 bytes
 * of B's row, or all Columns. No local memory, no barrier. */
template <class T, int Rows, int Columns, bool Packed> class broadcast_tile {
    using sum = matmul_sum<T>;
    static constexpr int steps = wave_straight_steps;
    static constexpr int ahead = sizeof(T) <= 4 ? 3 : 2; /* rows of B between load and use */
    static constexpr int ring = 4;
    static constexpr int load_size = 16 / static_cast<int>(sizeof(T));
    static constexpr int pack = !Packed ? 1 : load_size < Columns ? load_size : Columns;
    static_assert(Columns % pack == 0, "a row is whole packs");

    template <class Element> struct column_of {
        Element row[Rows];
    };
    using fragment = column_of<T>;
    using heard_fragment = column_of<sum>; /* widened by the lane that loaded it */

    const matmul_problem<T> p_;
    lane_mask members_;
    int item_; /* in the team */
    std::int64_t i_, j_; /* the first cell; that with index c is column(c) to the right */
    bool inside_;        /* all cells of the sub-group are cells of C */
    sum sum_[Rows][Columns];

public:
    SUBWAVE_DEVICE broadcast_tile(const matmul_problem<T> &p, sub_group sg)
        : p_(p), members_(sg.callers()), item_(wave_lane() % width())
    {
    }

    /* The sub-group's tile. */
    static SUBWAVE_DEVICE int rows() { return Rows * (wave_size() / width()); }
    static SUBWAVE_DEVICE int columns() { return Columns * width(); }

    SUBWAVE_DEVICE void multiply(sub_group sg, site where)
    {
        if (!locate(sg))
            return;
        SUBWAVE_UNROLL
        for (int r = 0; r < Rows; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Columns; ++c)
                sum_[r][c] = 0;
        }
        std::int64_t l = 0;
        if constexpr (wave_loads_ahead) {
            if (inside_)
                l = add_ahead(where);
            locate(sg);
            add<false>(l, where);
        } else if (inside_) {
            add<true>(l, where);
        } else {
            add<false>(l, where);
        }
        store();
    }

private:
    /* Sub-groups of a block have tiles one below the other; the last may have none. */
    SUBWAVE_DEVICE bool locate(sub_group sg)
    {
        const std::int64_t groups = sg.get_group_linear_range(), group = sg.get_group_linear_id();
        const block_tile tile(computed_anew(blockIdx.x), p_.m, rows() * groups);
        const std::int64_t i = (tile.row * groups + group) * rows(), j = tile.column * columns();
        inside_ = i + rows() <= p_.m && j + columns() <= p_.n;
        i_ = i + wave_lane() / width() * Rows;
        j_ = j + item_ * pack;
        return i < p_.m;
    }

    static SUBWAVE_DEVICE int width() { return wave_team_size(); }
    static SUBWAVE_DEVICE int column(int c) { return c / pack * pack * width() + c % pack; }
    static SUBWAVE_DEVICE std::int64_t least(std::int64_t x, std::int64_t y) { return x < y ? x : y; }

    SUBWAVE_DEVICE fragment load_a(const T *a) const
    {
        fragment loaded;
        SUBWAVE_UNROLL
        for (int r = 0; r < Rows; ++r, a += p_.a_row)
            loaded.row[r] = *a;
        return loaded;
    }

    template <bool Inside> SUBWAVE_DEVICE void load_b(T (&b)[Columns], const T *row) const
    {
        if constexpr (Inside && Packed) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Columns; c += pack)
                load_together<pack>(&b[c], &row[c * width()]);
        } else {
            SUBWAVE_UNROLL
            for (int c = 0; c < Columns; ++c)
                b[c] = row[(Inside ? column(c) : least(j_ + column(c), p_.n - 1) - j_) * p_.b_column];
        }
    }

    static SUBWAVE_DEVICE heard_fragment widen(const fragment &loaded)
    {
        heard_fragment wide;
        SUBWAVE_UNROLL
        for (int r = 0; r < Rows; ++r)
            wide.row[r] = loaded.row[r];
        return wide;
    }

    SUBWAVE_DEVICE void accumulate(const heard_fragment &a, const T (&b)[Columns])
    {
        sum right[Columns];
        SUBWAVE_UNROLL
        for (int c = 0; c < Columns; ++c)
            right[c] = b[c];
        SUBWAVE_UNROLL
        for (int r = 0; r < Rows; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Columns; ++c)
                sum_[r][c] += a.row[r] * right[c];
        }
    }

    /* The terms from l on. At the edges all stay in the sub-group and load elements that exist. */
    template <bool Inside> SUBWAVE_DEVICE void add(std::int64_t l, site where)
    {
        for (; l < p_.k; l += width()) {
            fragment mine;
            SUBWAVE_UNROLL
            for (int r = 0; r < Rows; ++r)
                mine.row[r] = p_.a_at(Inside ? i_ + r : least(i_ + r, p_.m - 1),
                                      least(l + item_, p_.k - 1));
            const auto team = wave_publish(members_, widen(mine), where);
            const int count = static_cast<int>(least(p_.k - l, width()));
            const T *row = &p_.b[l * p_.b_row + j_ * p_.b_column];
            for (int s = 0; s < count; ++s, row += p_.b_row) {
                T b[Columns];
                load_b<Inside>(b, row);
                accumulate(team.read_in_team(s), b);
            }
        }
    }

    /* The terms of all whole fragments of A, with the loads of the next fragment and of the next rows
     * of B under way: no load is waited for. Returns the number of terms. */
    SUBWAVE_DEVICE std::int64_t add_ahead(site where)
    {
        const std::int64_t whole = p_.k - p_.k % width();
        if (whole == 0)
            return 0;
        const T *a = &p_.a[i_ * p_.a_row + item_ * p_.a_column], *row = &p_.b[j_ * p_.b_column];
        fragment next = load_a(a);
        T b[ring][Columns];
        SUBWAVE_UNROLL
        for (int s = 0; s < ahead; ++s, row += p_.b_row)
            load_b<true>(b[s], row);
        for (std::int64_t l = 0; l < whole; l += width()) {
            const auto team = wave_publish(members_, widen(next), where);
            a += l + width() < whole ? width() * p_.a_column : 0;
            next = load_a(a);
            for (int base = 0; base < width(); base += steps) {
                const std::int64_t beyond = l + base + steps < whole ? p_.b_row : 0;
                heard_fragment heard = team.read_in_team(base);
                SUBWAVE_UNROLL
                for (int s = 0; s < steps; ++s) {
                    load_b<true>(b[(s + ahead) % ring], row);
                    row += s < steps - ahead - 1 ? p_.b_row : beyond;
                    const heard_fragment now = heard;
                    if (s + 1 < steps)
                        heard = team.read_in_team(base + s + 1);
                    accumulate(now, b[s % ring]);
                    keep_order();
                }
            }
        }
        return whole;
    }

    SUBWAVE_DEVICE void store() const
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < Rows; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Columns; ++c)
                if (inside_ || (i_ + r < p_.m && j_ + column(c) < p_.n))
                    p_.store(i_ + r, j_ + column(c), sum_[r][c]);
        }
    }
};

/* Four sub-groups a block at most. */
template <class T, int Rows, int Columns, bool Packed>
SUBWAVE_KERNEL(4 * wave_size(), sizeof(T) == 4 ? 3 : 2) matmul_broadcast(matmul_problem<T> p)
{
    sub_group sg = this_work_item::get_sub_group();
    broadcast_tile<T, Rows, Columns, Packed>(p, sg).multiply(sg, site::current());
}

SUBWAVE_END

#endif
