/* SPDX-License-Identifier: MIT
 * matmul_skinny_dots.hpp: a row times columns that are lines of memory.
 */
#ifndef SUBWAVE_HIP_MATMUL_SKINNY_DOTS_HPP
#define SUBWAVE_HIP_MATMUL_SKINNY_DOTS_HPP

#include "matmul_skinny.hpp"

SUBWAVE_BEGIN

/* One row of A, and B's columns are lines of memory: dot products of the sub-group. */
template <class T, bool Packed> class skinny_dots {
    static constexpr int pack = skinny_pack<T>, across = SUBWAVE_SKINNY_DOTS,
                         steps = SUBWAVE_SKINNY_DOTS_STEPS;
    static SUBWAVE_DEVICE int terms() { return steps * wave_size() * pack; }

    const matmul_problem<T> p_;
    const sub_group sg_;
    const int wave_, lane_;
    T sum_[across];

public:
    static constexpr int items = SUBWAVE_SKINNY_BLOCK;
    static constexpr int rows = 1, rounds = 1, blocks = Packed ? 2 : 1;
    static SUBWAVE_DEVICE int columns() { return across; }
    static SUBWAVE_DEVICE int waves_along() { return skinny_waves; }

    SUBWAVE_DEVICE skinny_dots(const matmul_problem<T> &p, sub_group sg)
        : p_(in_packs<Packed, true>(p)), sg_(sg), wave_(sg.get_group_linear_id()),
          lane_(wave_lane())
    {
        SUBWAVE_UNROLL
        for (int c = 0; c < across; ++c)
            sum_[c] = 0;
    }

    SUBWAVE_DEVICE void multiply(T *, site where)
    {
        const int stride = skinny_waves * terms(), first = wave_ * terms() + lane_ * pack;
        const T *a = &p_.a[first * p_.a_column], *b = &p_.b[first * p_.b_row];
        const bool whole = across <= p_.n;
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

    SUBWAVE_DEVICE void put(int, T *memory) const
    {
        SUBWAVE_UNROLL
        for (int c = 0; c < across; ++c)
            if (lane_ == c % min_wave_size())
                memory[wave_ * across + c] = sum_[c];
    }

private:
    template <bool Inside> SUBWAVE_DEVICE void add(const T *a, const T *b, std::int64_t left)
    {
        T of_a[steps][pack], of_b[steps][across][pack];
        SUBWAVE_UNROLL
        for (int s = 0; s < steps; ++s) {
            const int ahead = s * wave_size() * pack;
            if (p_.a_column == 1 && reinterpret_cast<std::uintptr_t>(p_.a) % 16 == 0)
                load_line<true, Inside>(of_a[s], a + ahead, 1, left - ahead);
            else
                load_line<false, Inside>(of_a[s], a + ahead * p_.a_column, p_.a_column,
                                         left - ahead);
            SUBWAVE_UNROLL
            for (int c = 0; c < across; ++c)
                load_line<Packed, Inside>(of_b[s][c], b + ahead * p_.b_row + c * p_.b_column,
                                          p_.b_row, c < p_.n ? left - ahead : 0);
        }
        SUBWAVE_UNROLL
        for (int s = 0; s < steps; ++s) {
            SUBWAVE_UNROLL
            for (int c = 0; c < across; ++c) {
                SUBWAVE_UNROLL
                for (int e = 0; e < pack; ++e)
                    sum_[c] = fused_multiply_add(of_a[s][e], of_b[s][c][e], sum_[c]);
            }
        }
    }
};

SUBWAVE_END

#endif
