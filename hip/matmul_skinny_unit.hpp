/* SPDX-License-Identifier: MIT
 * matmul_skinny_unit.hpp: tiles of a skinny product in f64 by NVIDIA's matrix unit.
 */
#ifndef SUBWAVE_HIP_MATMUL_SKINNY_UNIT_HPP
#define SUBWAVE_HIP_MATMUL_SKINNY_UNIT_HPP

#include "matmul_skinny.hpp"

#include "unit/matrix.hpp"

SUBWAVE_BEGIN

/* 16 x 16 elements a wave; `Along` waves share k, the others are side by side. A lane's packs of B
 * are operands of the unit as they lie in memory, since the order of steps of k and of columns is
 * free. Where B's columns are lines of memory (Down), a pack is two steps of k of a column of the
 * unit's B; where its rows are, two columns, which are rows of the unit's A, and the unit computes
 * C^T. The time is that of B's loads, so registers hold B on its way, and nothing passes through
 * shared memory; A's elements reach a multiprocessor's waves by its cache. */
template <class T, int Along, int Steps, bool Down, bool Packed> class skinny_unit {
    using unit = matrix_unit<T>;
    static constexpr int across = SUBWAVE_SKINNY_UNIT_BLOCK / unit::fewest_lanes / Along;
    /* of a batch */
    static constexpr int terms = Steps * SUBWAVE_SKINNY_UNIT_DEPTH, stride = Along * terms;
    static constexpr bool pairs = Packed && !Down; /* of columns */

    struct batch {
        T few[Steps][2][2], many[Steps][2][2]; /* A's, B's */
    };

    const matmul_problem<T> p_;
    const lane_mask members_;
    const int along_, first_; /* the wave's place among those that share k, and its first column */
    const int high_, low_;    /* of the lane's number, whose low part counts pairs of steps of k */
    /* A's elements too that the unit takes together lie so; the same for all lanes */
    const bool a_pairs_;
    /* the next batch's of the lane's rows and columns; if they are pairs, the first */
    const T *a_[2], *b_[2];
    typename unit::sums sum_;

public:
    static constexpr int rows = SUBWAVE_SKINNY_UNIT_ROWS, rounds = 1,
                         items = SUBWAVE_SKINNY_UNIT_BLOCK;
    static constexpr int blocks = Steps == 4 ? 2 : Packed ? 4 : 3;
    static constexpr int most_along = Along;
    static SUBWAVE_DEVICE int columns(int) { return across * 16; }

    SUBWAVE_DEVICE skinny_unit(const matmul_problem<T> &p, sub_group sg, int)
        : p_(in_packs<Packed, Down>(p)), members_(sg.callers()),
          along_(sg.get_group_linear_id() / across), first_(sg.get_group_linear_id() % across * 16),
          high_(wave_lane() / 4), low_(wave_lane() % 4),
          a_pairs_((Down ? p.a_row : p.a_column) == 1 && (Down ? p.a_column : p.a_row) % 2 == 0 &&
                   reinterpret_cast<std::uintptr_t>(p.a) % 16 == 0),
          sum_{}
    {
        const std::int64_t l = along_ * terms + 2 * low_;
        SUBWAVE_UNROLL
        for (int e = 0; e < 2; ++e) {
            a_[e] = p_.a + (Down && a_pairs_ ? row(0) & ~1 : row(e)) * p_.a_row + l * p_.a_column;
            b_[e] = p_.b + l * p_.b_row + (pairs ? column(0) & ~1 : column(e)) * p_.b_column;
        }
    }

    SUBWAVE_DEVICE void multiply(T *, site where)
    {
        if constexpr (unit::exists)
            add_batches(where);
        else
            trap(); /* no plan asks for it on this architecture */
    }

    SUBWAVE_DEVICE void put(int, T *memory, int columns) const
    {
        SUBWAVE_UNROLL
        for (int v = 0; v < 2; ++v) {
            SUBWAVE_UNROLL
            for (int h = 0; h < 2; ++h) {
                SUBWAVE_UNROLL
                for (int e = 0; e < 2; ++e) {
                    const int i = Down ? 2 * high_ + h : 8 * v + 2 * low_ + e;
                    const int j = Down ? 8 * v + 2 * low_ + e : 2 * high_ + h;
                    memory[along_ * 16 * columns + skinny_place<T>(i, first_ + j, columns)] =
                        sum_.of[v * unit::c_right + h * unit::c_below + e];
                }
            }
        }
    }

private:
    /* While a batch is waited for and used, the next one is on its way. */
    SUBWAVE_DEVICE void add_batches(site where)
    {
        /* The last pair may lie half outside the matrix, but in its memory if another step
         * follows. */
        const int beyond = (pairs && p_.n - first_ < 16 && p_.n % 2) ||
                           (Down && a_pairs_ && p_.m < 16 && p_.m % 2);
        std::int64_t left = first_ < p_.n ? p_.k - along_ * terms : 0;
        batch batches[2];
        if (left >= terms + beyond)
            load(batches[0]);
        while (left >= terms + beyond) {
            SUBWAVE_UNROLL
            for (int e = 0; e < 2 && left >= terms + beyond; ++e) {
                left -= stride;
                if (left >= terms + beyond)
                    load(batches[1 - e]);
                add(batches[e], where);
            }
        }
        SUBWAVE_ROLLED
        for (; left > 0; left -= stride) {
            load_some(batches[0], p_.k - left);
            add(batches[0], where);
        }
    }

    /* The lane's of A and B; beyond their ends the last, for elements that nobody stores. */
    SUBWAVE_DEVICE int row(int h) const
    {
        const int i = Down ? 2 * high_ + h : high_ + 8 * h;
        return i < p_.m ? i : static_cast<int>(p_.m) - 1;
    }
    SUBWAVE_DEVICE int column(int v) const
    {
        const int j = first_ + (Down ? high_ + 8 * v : 2 * high_ + v);
        return j < p_.n ? j : static_cast<int>(p_.n) - 1;
    }

    SUBWAVE_DEVICE void load(batch &to)
    {
        if (a_pairs_) {
            SUBWAVE_UNROLL
            for (int s = 0; s < Steps; ++s) {
                SUBWAVE_UNROLL
                for (int x = 0; x < 2; ++x)
                    load_in_order<2>(to.few[s][x],
                                     Down ? a_[0] + (8 * s + x) * p_.a_column : a_[x] + 8 * s);
            }
        } else {
            SUBWAVE_UNROLL
            for (int s = 0; s < Steps; ++s) {
                SUBWAVE_UNROLL
                for (int h = 0; h < 2; ++h) {
                    SUBWAVE_UNROLL
                    for (int u = 0; u < 2; ++u)
                        load_in_order<1>(&of_a(to, s, h, u), a_[h] + (8 * s + u) * p_.a_column);
                }
            }
        }
        SUBWAVE_UNROLL
        for (int s = 0; s < Steps; ++s) {
            SUBWAVE_UNROLL
            for (int x = 0; x < 2; ++x) {
                if constexpr (Packed) {
                    load_once<2>(to.many[s][x],
                                 Down ? b_[x] + 8 * s : b_[0] + (8 * s + x) * p_.b_row);
                } else {
                    SUBWAVE_UNROLL
                    for (int u = 0; u < 2; ++u)
                        load_once<1>(&of_b(to, s, x, u), b_[x] + (8 * s + u) * p_.b_row);
                }
            }
        }
        SUBWAVE_UNROLL
        for (int e = 0; e < 2; ++e) {
            a_[e] += stride * p_.a_column;
            b_[e] += stride * p_.b_row;
        }
    }

    /* A batch that begins at step l of k and that k does not fill, or which a pair of columns could
     * leave. */
    SUBWAVE_DEVICE void load_some(batch &to, std::int64_t l) const
    {
        SUBWAVE_UNROLL
        for (int s = 0; s < Steps; ++s) {
            SUBWAVE_UNROLL
            for (int u = 0; u < 2; ++u) {
                const std::int64_t at = l + 8 * s + 2 * low_ + u;
                SUBWAVE_UNROLL
                for (int e = 0; e < 2; ++e) {
                    of_a(to, s, e, u) = at < p_.k ? p_.a_at(row(e), at) : T(0);
                    of_b(to, s, e, u) = at < p_.k ? p_.b_at(at, column(e)) : T(0);
                }
            }
        }
    }

    /* Of step s and the lane's u-th step of k, A's of row h and B's of column v. */
    static SUBWAVE_DEVICE T &of_a(batch &b, int s, int h, int u)
    {
        return Down ? b.few[s][u][h] : b.few[s][h][u];
    }
    static SUBWAVE_DEVICE T &of_b(batch &b, int s, int v, int u)
    {
        return Down ? b.many[s][v][u] : b.many[s][u][v];
    }

    SUBWAVE_DEVICE void add(const batch &b, site where)
    {
        SUBWAVE_UNROLL
        for (int s = 0; s < Steps; ++s) {
            const auto &x = Down ? b.few[s] : b.many[s], &y = Down ? b.many[s] : b.few[s];
            unit::multiply_add(members_, sum_, {{{x[0][0], x[0][1]}, {x[1][0], x[1][1]}}},
                               {{{y[0][0], y[1][0]}, {y[0][1], y[1][1]}}}, where);
        }
    }
};

SUBWAVE_END

#endif
