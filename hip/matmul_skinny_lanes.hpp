/* SPDX-License-Identifier: MIT
 * matmul_skinny_lanes.hpp: tiles of a skinny product by multiply-adds.
 */
#ifndef SUBWAVE_HIP_MATMUL_SKINNY_LANES_HPP
#define SUBWAVE_HIP_MATMUL_SKINNY_LANES_HPP

#include "matmul_skinny.hpp"

SUBWAVE_BEGIN

/* By multiply-adds: a lane has a pack of columns. Where B's rows are lines of memory, it loads them as they lie
 * (Narrow: four lanes do, and others take further rows); where B's columns are (Down), a wave's packs of terms
 * change places in its part of local memory. A's terms always pass through there, but a single row. */
template <class T, int Rows, bool Narrow, bool Down, bool Packed> class skinny_lanes {
    static constexpr int pack = skinny_pack<T>;
    static constexpr int steps =
        subwave_skinny_steps(Rows, sizeof(T), Narrow); /* packs of B that a lane loads */
    static constexpr int chunks = steps / pack,
                         pitch = steps + pack; /* Down: packs and elements of a column */
    static SUBWAVE_DEVICE int lanes() { return Narrow ? SUBWAVE_SKINNY_NARROW_LANES : wave_size(); }
    static SUBWAVE_DEVICE int together()
    {
        return Narrow ? wave_size() / SUBWAVE_SKINNY_NARROW_LANES : 1;
    }
    static SUBWAVE_DEVICE int terms() { return steps * together(); }

    const matmul_problem<T> p_;
    const sub_group sg_;
    const int wave_, lane_;
    T sum_[Rows][pack];

public:
    static constexpr int items = SUBWAVE_SKINNY_BLOCK;
    static constexpr int rows = Rows,
                         rounds = Rows > SUBWAVE_SKINNY_ROUND ? Rows / SUBWAVE_SKINNY_ROUND : 1;
    static constexpr int blocks = Rows * sizeof(T) > 64 || (Rows == 16 && !Packed) ? 1 : 2;
    static SUBWAVE_DEVICE int columns() { return lanes() * pack; }
    static SUBWAVE_DEVICE int waves_along() { return skinny_waves; }

    SUBWAVE_DEVICE skinny_lanes(const matmul_problem<T> &p, sub_group sg)
        : p_(in_packs<Packed, Down>(p)), sg_(sg), wave_(sg.get_group_linear_id()),
          lane_(wave_lane())
    {
        SUBWAVE_UNROLL
        for (int i = 0; i < Rows; ++i) {
            SUBWAVE_UNROLL
            for (int c = 0; c < pack; ++c)
                sum_[i][c] = 0;
        }
    }

    SUBWAVE_DEVICE void multiply(T *memory, site where)
    {
        if constexpr (Rows == 1)
            multiply_row();
        else
            multiply_rows(memory + wave_ * (2 * terms() * Rows + (Down ? columns() * pitch : 0)),
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

    SUBWAVE_DEVICE void put(int round, T *memory) const
    {
        if (lane_ >= lanes())
            return;
        constexpr int count = Rows / rounds;
        T *to = &memory[wave_ * count * columns() + (Down ? lane_ : lane_ * pack)];
        SUBWAVE_UNROLL
        for (int i = 0; i < count; ++i) {
            SUBWAVE_UNROLL
            for (int c = 0; c < pack; ++c)
                to[i * columns() + (Down ? lanes() * c : c)] = sum_[round * count + i][c];
        }
    }

private:
    SUBWAVE_DEVICE const T *first_pack() const
    {
        return &p_.b[(wave_ * terms() + term()) * p_.b_row + column(0) * p_.b_column];
    }

    SUBWAVE_DEVICE void multiply_row()
    {
        const int stride = skinny_waves * terms();
        const T *b = first_pack();
        for (std::int64_t l = wave_ * terms(); l < p_.k; l += stride, b += stride * p_.b_row) {
            T left[steps], line[steps][pack];
            SUBWAVE_UNROLL
            for (int s = 0; s < steps; ++s) {
                const std::int64_t at = l + s * together() + term();
                left[s] = at < p_.k ? p_.a[at * p_.a_column] : T(0);
            }
            fetch(line, b, l);
            SUBWAVE_UNROLL
            for (int s = 0; s < steps; ++s) {
                SUBWAVE_UNROLL
                for (int c = 0; c < pack; ++c)
                    sum_[0][c] = fused_multiply_add(left[s], line[s][c], sum_[0][c]);
            }
        }
    }

    SUBWAVE_DEVICE void multiply_rows(T *memory, site where)
    {
        constexpr bool ahead = Down && Rows < 16; /* B's loads, as registers allow */
        const int stride = skinny_waves * terms();
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

    /* Of the lane's pack s of B: the first column and, from the wave's term on, the first term. */
    SUBWAVE_DEVICE int column(int s) const
    {
        return Down ? s * (wave_size() / chunks) + lane_ / chunks : lane_ % lanes() * pack;
    }
    SUBWAVE_DEVICE int term() const { return Down ? lane_ % chunks * pack : lane_ / lanes(); }

    SUBWAVE_DEVICE void fetch(T (&line)[steps][pack], const T *b, std::int64_t l) const
    {
        if (columns() <= p_.n && l + terms() <= p_.k)
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
                                          p_.b_row, column(s) < p_.n ? p_.k - l : 0);
            else
                load_line<Packed, Inside>(line[s], b + s * together() * p_.b_row, p_.b_column,
                                          l + s * together() < p_.k ? p_.n - column(s) : 0);
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
                    sum_[i][c] = fused_multiply_add(left, line[s][c], sum_[i][c]);
            }
        }
    }

    SUBWAVE_DEVICE void transpose(T *transposed, const T (&line)[steps][pack]) const
    {
        SUBWAVE_UNROLL
        for (int s = 0; s < steps; ++s)
            store_16_bytes(&transposed[column(s) * pitch + term()], line[s]);
    }
    SUBWAVE_DEVICE void add_columns(const T *a, const T *transposed)
    {
        SUBWAVE_UNROLL
        for (int s = 0; s < steps; s += pack) {
            T right[pack][pack];
            SUBWAVE_UNROLL
            for (int c = 0; c < pack; ++c)
                load_together<skinny_pack<T>>(right[c],
                                              &transposed[(lane_ + lanes() * c) * pitch + s]);
            SUBWAVE_UNROLL
            for (int i = 0; i < Rows; ++i) {
                T left[pack];
                load_together<skinny_pack<T>>(left, &a[i * terms() + s]);
                SUBWAVE_UNROLL
                for (int c = 0; c < pack; ++c) {
                    SUBWAVE_UNROLL
                    for (int e = 0; e < pack; ++e)
                        sum_[i][c] = fused_multiply_add(left[e], right[c][e], sum_[i][c]);
                }
            }
        }
    }
};

SUBWAVE_END

#endif
