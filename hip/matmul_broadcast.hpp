/* SPDX-License-Identifier: MIT
 * matmul_broadcast.hpp: C = alpha A B + beta C from tiles in registers: A is broadcast through the
 * sub-group, B is loaded ahead of its use.
 */
#ifndef SUBWAVE_HIP_MATMUL_BROADCAST_HPP
#define SUBWAVE_HIP_MATMUL_BROADCAST_HPP

#include "matmul.hpp"

#include <utility>

SUBWAVE_BEGIN

/* A work-item's Rows x Columns cells of C, and how it comes by their sums. The sub-group is parted
 * into teams of wave_team_size() lanes side by side; a team computes Rows rows, of which item s
 * loads element l + s, once; the team then hears each element in turn. Packed: a load brings 16 bytes
 * of B's row; on the CPU device all of the work-item's columns follow one another. A block's layers, in
 * blockDim.y, are parts of k; only their last sums meet in local memory. */
template <class T, int Rows, int Columns, bool Packed> class broadcast_tile {
    using sum = matmul_sum<T>;
    static constexpr int steps = wave_straight_steps;
    /* Where a fragment is unrolled (NVIDIA) registers are short: rows of B in them, those of these between
     * load and use, and whether there is a next fragment of A. */
    static constexpr bool scarce = steps > 4;
    static constexpr int ring = scarce && (sizeof(T) >= 4 || !Packed) ? 2 : 4;
    static constexpr int ahead = sizeof(T) == 8 ? 2 : ring - 1;
    static constexpr bool next_ahead = !scarce || sizeof(T) < 8;
    static constexpr bool in_parts = scarce || !wave_loads_ahead; /* on AMD they would take scalar registers */
    static constexpr int load_size = wave_loads_ahead ? 16 / static_cast<int>(sizeof(T)) : Columns;
    static constexpr int pack = !Packed ? 1 : load_size < Columns ? load_size : Columns;
    static_assert(Columns % pack == 0, "a row is whole packs");

    template <class Element> struct column_of {
        Element row[Rows];
    };
    using fragment = column_of<T>;
    using heard_fragment = column_of<sum>; /* widened by the lane that loaded it */
    using tile = sum[Rows][Columns];       /* a local array: GCC keeps members of a class in memory */

    matmul_problem<T> p_;
    lane_mask members_;
    int item_;           /* in the team */
    int part_;           /* of k */
    std::int64_t i_, j_; /* the first cell; that with index c is column(c) to the right */
    bool inside_;        /* all cells of the sub-group are cells of C */

public:
    SUBWAVE_DEVICE broadcast_tile(const matmul_problem<T> &p, sub_group sg)
        : p_(p), members_(sg.callers()), item_(wave_lane() % width())
    {
    }

    SUBWAVE_DEVICE void multiply(sub_group sg, site where)
    {
        tile cells = {};
        locate(sg);
        if constexpr (wave_loads_ahead) {
            if (inside_)
                add_ahead(cells, where);
            p_ = argument_read_anew(p_);
            locate(sg);
            add<false>(cells, inside_ ? share() : 0, where);
        } else if (inside_) {
            add<true>(cells, 0, where);
        } else {
            add<false>(cells, 0, where);
        }
        if (in_parts && parts() > 1)
            join(cells, sg, where);
        if (!in_parts || part_ == 0)
            store(cells);
    }

private:
    /* Sub-groups of a layer have tiles one below the other; those of the last may be below C. */
    SUBWAVE_DEVICE void locate(sub_group sg)
    {
        const int groups = static_cast<int>(sg.get_group_linear_range()) / parts();
        const int group = computed_anew(static_cast<int>(sg.get_group_linear_id()));
        const block_tile at(computed_anew(blockIdx.x), p_.m, rows() * groups);
        part_ = in_parts ? group / groups : 0;
        const std::int64_t i = (at.row * groups + group - part_ * groups) * rows();
        const std::int64_t j = at.column * columns();
        inside_ = i + rows() <= p_.m && j + columns() <= p_.n;
        i_ = i + wave_lane() / width() * Rows;
        j_ = j + item_ * pack;
    }

    /* k's whole fragments of A a part; each part has one of those that are left, the last of them short. */
    static SUBWAVE_DEVICE int parts() { return in_parts ? static_cast<int>(blockDim.y) : 1; }
    SUBWAVE_DEVICE std::int64_t share() const
    {
        int doublings = 0;
        while (1 << doublings < parts())
            ++doublings;
        return p_.k / width() >> doublings;
    }
    /* The first term of the part's fragment; share() numbers the one that is left. */
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

    /* A term for each cell; next(r) once row r of A has been used. */
    template <class Next>
    static SUBWAVE_DEVICE void add_step(tile &cells, const heard_fragment &heard, const T (&b)[Columns],
                                        Next next)
    {
        sum right[Columns];
        SUBWAVE_UNROLL
        for (int c = 0; c < Columns; ++c)
            right[c] = b[c];
        SUBWAVE_UNROLL
        for (int r = 0; r < Rows; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Columns; ++c)
                cells[r][c] += heard.row[r] * right[c];
            next(r);
        }
    }

    /* The part's fragments from `number` on. At the edges all load elements that exist. */
    template <bool Inside>
    SUBWAVE_DEVICE void add(tile &cells, std::int64_t number, site where) const
    {
        for (; number <= share() && term(number) < p_.k; ++number) {
            const std::int64_t l = term(number);
            fragment mine;
            SUBWAVE_UNROLL
            for (int r = 0; r < Rows; ++r)
                mine.row[r] = p_.a_at(Inside ? i_ + r : least(i_ + r, p_.m - 1),
                                      least(l + item_, p_.k - 1));
            const auto team = wave_publish(members_, widen(mine), where);
            const int count = static_cast<int>(least(p_.k - l, width()));
            const T *row = &p_.b[l * p_.b_row + j_ * p_.b_column];
            if constexpr (Inside && Packed && std::is_same<T, sum>::value) {
                add_vectors(cells, team, count, row, std::make_integer_sequence<int, Rows>(),
                            std::make_integer_sequence<int, Columns * sizeof(T) / 16>());
                continue;
            }
            for (int s = 0; s < count; ++s, row += p_.b_row) {
                T b[Columns];
                load_b<Inside>(b, row);
                add_step(cells, team.read_in_team(s), b, [](int) {});
            }
        }
    }

    /* On the CPU device: `count` terms in vectors, with indices that GCC knows in time for registers. */
    template <class Team, int... R, int... V>
    SUBWAVE_DEVICE void add_vectors(tile &cells, const Team &team, int count, const T *row,
                                    std::integer_sequence<int, R...>,
                                    std::integer_sequence<int, V...>) const
    {
        using vector = typename wave_vector<sum>::type;
        constexpr int lanes = sizeof(vector) / sizeof(sum), vectors = sizeof...(V);
        vector now[Rows * vectors], b[vectors];
        memcpy(now, cells, sizeof now);
        for (int s = 0; s < count; ++s, row += p_.b_row) {
            const heard_fragment &heard = team.read_in_team(s);
            (memcpy(&b[V], row + V * lanes, sizeof(vector)), ...);
            const auto add_row = [&](auto r, sum a) { ((now[r * vectors + V] += b[V] * a), ...); };
            (add_row(std::integral_constant<int, R>(), heard.row[R]), ...);
        }
        memcpy(cells, now, sizeof now);
    }

    /* The part's whole fragments, with the loads of the next fragment and of the next rows of B under way:
     * no load is waited for. */
    SUBWAVE_DEVICE void add_ahead(tile &cells, site where) const
    {
        const std::int64_t number = share();
        if (number == 0)
            return;
        const T *a = &p_.a[i_ * p_.a_row + (part_ * number * width() + item_) * p_.a_column];
        const T *row = &p_.b[part_ * number * width() * p_.b_row + j_ * p_.b_column];
        heard_fragment mine = widen(load_a(a));
        fragment next;
        if constexpr (next_ahead) {
            a += number > 1 ? width() * p_.a_column : 0;
            next = load_a(a);
        }
        T b[ring][Columns];
        SUBWAVE_UNROLL
        for (int s = 0; s < ahead; ++s, row += p_.b_row)
            load_b<true>(b[s], row);
        /* No memory holds so many that 32 bits do not count them. */
        for (auto left = static_cast<std::uint32_t>(number); left > 0; --left) {
            for (int base = 0; base < width(); base += steps) {
                const std::int64_t beyond = left > 1 || base + steps < width() ? p_.b_row : 0;
                const auto load_row = [&](int s) {
                    load_b<true>(b[(s + ahead) % ring], row);
                    row += s < steps - ahead - 1 ? p_.b_row : beyond;
                };
                heard_fragment heard;
                const auto hear = [&](int r, int s) {
                    heard.row[r] = wave_broadcast_in_team(members_, mine.row[r], base + s, where);
                };
                if constexpr (scarce) {
                    SUBWAVE_UNROLL
                    for (int r = 0; r < Rows; ++r)
                        hear(r, 0);
                }
                SUBWAVE_UNROLL
                for (int s = 0; s < steps; ++s) {
                    if (ahead < ring)
                        load_row(s);
                    if constexpr (!scarce) {
                        SUBWAVE_UNROLL
                        for (int r = 0; r < Rows; ++r)
                            hear(r, s);
                    }
                    add_step(cells, heard, b[s % ring], [&](int r) {
                        if (s + 1 < steps && scarce) /* a shuffle takes its time, v_readlane does not */
                            hear(r, s + 1);
                    });
                    if (ahead == ring)
                        load_row(s);
                    keep_order();
                }
            }
            if constexpr (next_ahead)
                mine = widen(next);
            a += left > (next_ahead ? 2 : 1) ? width() * p_.a_column : 0;
            if constexpr (next_ahead)
                next = load_a(a);
            else
                mine = widen(load_a(a));
        }
    }

    /* The sums of the parts of k, added two by two in an order that is always the same, into part 0. */
    SUBWAVE_DEVICE void join(tile &cells, sub_group sg, site where) const
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
                        cells[r][c] += at[(r * Columns + c) * wave_size()];
                }
            }
            block_barrier(where);
        }
    }

    SUBWAVE_DEVICE void store(const tile &cells) const
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < Rows; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Columns; ++c)
                if (inside_ || (i_ + r < p_.m && j_ + column(c) < p_.n))
                    p_.store(i_ + r, j_ + column(c), cells[r][c]);
        }
    }
};

/* Sub-groups of a block at most; on NVIDIA, which has teams, as many as a multiprocessor holds. */
template <class T, int Rows, int Columns, bool Packed>
SUBWAVE_KERNEL((wave_team_size() == wave_size() ? 4 : sizeof(T) <= 4 ? 12 : 8) * wave_size(), 1)
matmul_broadcast(matmul_problem<T> p)
{
    sub_group sg = this_work_item::get_sub_group();
    broadcast_tile<T, Rows, Columns, Packed>(p, sg).multiply(sg, site::current());
}

SUBWAVE_END

#endif
