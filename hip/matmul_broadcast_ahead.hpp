/* SPDX-License-Identifier: MIT
 * matmul_broadcast_ahead.hpp: the sums of BROADCAST's tiles that lie in C, with loads ahead of their use.
 */
#ifndef SUBWAVE_HIP_MATMUL_BROADCAST_AHEAD_HPP
#define SUBWAVE_HIP_MATMUL_BROADCAST_AHEAD_HPP

#include "matmul_broadcast_tile.hpp"

SUBWAVE_BEGIN

/* Adds the part's whole fragments, with loads of the next fragment and of the next rows of B under way. */
template <class T, int Rows, int Columns, bool Packed>
class broadcast_ahead : public broadcast_tile<T, Rows, Columns, Packed> {
public:
    using base = broadcast_tile<T, Rows, Columns, Packed>;
    using base::base;
    using base::members_;
    using base::p_;
    using base::share;
    using base::width;
    using typename base::fragment;
    using typename base::received_fragment;
    using typename base::sum;
    using typename base::tile;

    SUBWAVE_DEVICE void add_ahead(tile &cells, site where) const
    {
        if (share() == 0)
            return;
        if constexpr (wave_small_team > 0)
            add_by_groups(cells, where);
        else
            add_by_rows(cells, where);
    }

private:
    /* Row after row of B, each loaded three before its use (f64: two). */
    SUBWAVE_DEVICE void add_by_rows(tile &cells, site where) const
    {
        constexpr int steps = 4, ring = 4, ahead = sizeof(T) == 8 ? 2 : 3;
        const T *a = this->first_of_a(), *row = this->first_of_b();
        received_fragment mine = this->widen(this->load_a(a));
        a += share() > 1 ? width() * p_.a_column : 0;
        fragment next = this->load_a(a);
        T b[ring][Columns];
        SUBWAVE_UNROLL
        for (int s = 0; s < ahead; ++s, row += p_.b_row)
            this->template load_b<true>(b[s], row);
        /* No memory holds so many that 32 bits do not count them. */
        for (auto left = static_cast<std::uint32_t>(share()); left > 0; --left) {
            for (int first = 0; first < width(); first += steps) {
                const std::int64_t beyond = left > 1 || first + steps < width() ? p_.b_row : 0;
                SUBWAVE_UNROLL
                for (int s = 0; s < steps; ++s) {
                    this->template load_b<true>(b[(s + ahead) % ring], row);
                    row += s < steps - ahead - 1 ? p_.b_row : beyond;
                    received_fragment received;
                    SUBWAVE_UNROLL
                    for (int r = 0; r < Rows; ++r)
                        received.row[r] =
                            wave_broadcast_in_team(members_, mine.row[r], first + s, where);
                    this->add_step(cells, received, b[s % ring]);
                    keep_order();
                }
            }
            mine = this->widen(next);
            a += left > 2 ? width() * p_.a_column : 0;
            next = this->load_a(a);
        }
    }

    /* Rows of B that are loaded together: as many as there are registers for. */
    static constexpr __host__ __device__ int group_size()
    {
        const int words = sizeof(sum) / 4, others = (Rows * Columns + 3 * Rows) * words;
        int size = 8;
        while (size > 1 && others + 2 * size * Columns * static_cast<int>(sizeof(T)) / 4 > 240)
            size /= 2;
        return size;
    }

    /* Groups of rows of B, each loaded while the one before is used. On NVIDIA a multiply-add takes two or
     * three cycles if its registers lie in one bank; ptxas finds them places if it neither mixes steps nor
     * moves loads (docs/nvidia.md). */
    SUBWAVE_DEVICE void add_by_groups(tile &cells, site where) const
    {
        constexpr int steps = wave_small_team, group = group_size(), load_step = sizeof(T) < 8;
        constexpr lane_mask all =
            0xffffffff; /* a block is whole sub-groups; a constant saves a branch */
        const T *a = this->first_of_a(), *row = this->first_of_b();
        const std::int64_t touched_a = this->lines_of_a();
        const T *touched_b = this->lines_of_b();
        received_fragment mine = this->widen(this->template load_a<true>(a)), received[2];
        const auto receive = [&](int r, int s) {
            received[s % 2].row[r] = wave_broadcast_in_team(all, mine.row[r], s, where);
        };
        T b[2][group][Columns];
        SUBWAVE_UNROLL
        for (int q = 0; q < group; ++q, row += p_.b_row)
            this->template load_b<true, true>(b[0][q], row);
        /* Terms. No memory holds 2^31 of them for a tile. */
        int left = computed_anew(static_cast<int>(share() * steps));
        for (; left > 0; left -= steps) {
            SUBWAVE_UNROLL
            for (int r = 0; r < Rows; ++r)
                receive(r, 0);
            fragment next;
            const std::int64_t beyond = left > steps ? p_.b_row : 0;
            a += left > steps ? steps * p_.a_column : 0;
            SUBWAVE_UNROLL
            for (int s = 0; s < steps; ++s) {
                if (s % group == load_step) {
                    SUBWAVE_UNROLL
                    for (int q = 0; q < group; ++q) {
                        this->template load_b<true, true>(b[(s / group + 1) % 2][q], row);
                        row += (s / group + 1) * group + q + 1 < steps ? p_.b_row : beyond;
                    }
                }
                if (s == load_step && left > steps) {
                    touch(a + touched_a);
                    this->touch_b(touched_b);
                    touched_b += steps * p_.b_row;
                }
                SUBWAVE_UNROLL
                for (int r = 0; r < Rows; ++r) {
                    /* To and fro, so that a multiply-add has an operand from the one before. */
                    SUBWAVE_UNROLL
                    for (int c = 0; c < Columns; ++c) {
                        const int at = r % 2 ? Columns - 1 - c : c;
                        cells[r][at] +=
                            received[s % 2].row[r] * sum(b[s / group % 2][s % group][at]);
                    }
                    if (s + 1 < steps)
                        receive(r, s + 1);
                }
                if (s == steps - 2)
                    next = this->template load_a<true>(a);
                if (s + 1 < steps && s + 1 >= left) /* never: for ptxas a block of code ends */
                    break;
            }
            mine = this->widen(next);
        }
    }
};

SUBWAVE_END

#endif
