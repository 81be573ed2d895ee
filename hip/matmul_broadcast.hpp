/* SPDX-License-Identifier: MIT
 * matmul_broadcast.hpp: C = alpha A B + beta C from tiles in registers: A is broadcast through the
 * sub-group, B is loaded ahead of its use.
 */
#ifndef SUBWAVE_HIP_MATMUL_BROADCAST_HPP
#define SUBWAVE_HIP_MATMUL_BROADCAST_HPP

#include "matmul_broadcast_ahead.hpp"

#include <utility>

SUBWAVE_BEGIN

template <class T, int Rows, int Columns, bool Packed>
class broadcast_product : public broadcast_ahead<T, Rows, Columns, Packed> {
    using base = broadcast_ahead<T, Rows, Columns, Packed>;
    using base::i_;
    using base::in_parts;
    using base::inside_;
    using base::item_;
    using base::j_;
    using base::least;
    using base::members_;
    using base::p_;
    using base::part_;
    using base::share;
    using base::width;
    using typename base::fragment;
    using typename base::received_fragment;
    using typename base::sum;
    using typename base::tile;

public:
    using base::base;

    SUBWAVE_DEVICE void multiply(sub_group sg, site where)
    {
        tile cells = {};
        this->locate(sg);
        if (this->own_i_ >= p_.m) {
            /* nothing to add or store, but a barrier to reach */
        } else if constexpr (wave_loads_ahead) {
            if (inside_)
                this->add_ahead(cells, where);
            p_ = argument_read_anew(p_);
            this->locate(sg);
            add<false>(cells, inside_ ? share() : 0, where);
        } else if (inside_) {
            add<true>(cells, 0, where);
        } else {
            add<false>(cells, 0, where);
        }
        if (in_parts && this->parts() > 1)
            this->join(cells, sg, where);
        if (!in_parts || part_ == 0)
            this->store(cells);
    }

private:
    /* The part's fragments from `number` on. At the edges all load elements that exist. */
    template <bool Inside>
    SUBWAVE_DEVICE void add(tile &cells, std::int64_t number, site where) const
    {
        for (; number <= share() && this->term(number) < p_.k; ++number) {
            const std::int64_t l = this->term(number);
            fragment mine;
            SUBWAVE_UNROLL
            for (int r = 0; r < Rows; ++r)
                mine.row[r] = p_.a_at(Inside ? this->i_ + r : least(i_ + r, p_.m - 1),
                                      least(l + item_, p_.k - 1));
            const auto team = wave_publish(members_, this->widen(mine), where);
            const int count = static_cast<int>(least(p_.k - l, width()));
            const T *row = &p_.b[l * p_.b_row + j_ * p_.b_column];
            if constexpr (Inside && Packed && std::is_same<T, sum>::value) {
                add_vectors(cells, team, count, row, std::make_integer_sequence<int, Rows>(),
                            std::make_integer_sequence<int, Columns * sizeof(T) / 16>());
                continue;
            }
            for (int s = 0; s < count; ++s, row += p_.b_row) {
                T b[Columns];
                this->template load_b<Inside>(b, row);
                this->add_step(cells, team.read_in_team(s), b);
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
            const received_fragment &received = team.read_in_team(s);
            (memcpy(&b[V], row + V * lanes, sizeof(vector)), ...);
            const auto add_row = [&](auto r, sum a) { ((now[r * vectors + V] += b[V] * a), ...); };
            (add_row(std::integral_constant<int, R>(), received.row[R]), ...);
        }
        memcpy(cells, now, sizeof now);
    }
};

/* With teams a work-item may have 255 registers. */
template <class T, int Rows, int Columns, bool Packed>
SUBWAVE_KERNEL((wave_small_team > 0 ? 8 : 4) * wave_size(), 1)
matmul_broadcast(matmul_problem<T> p)
{
    sub_group sg = this_work_item::get_sub_group();
    broadcast_product<T, Rows, Columns, Packed>(p, sg).multiply(sg, site::current());
}

SUBWAVE_END

#endif
