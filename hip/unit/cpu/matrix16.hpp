/* SPDX-License-Identifier: MIT
 * unit/cpu/matrix16.hpp: a matrix unit of 16-bit elements for the CPU device: 4 rows, one column
 * per lane, 8 steps of k.
 */
#ifndef SUBWAVE_HIP_UNIT_CPU_MATRIX16_HPP
#define SUBWAVE_HIP_UNIT_CPU_MATRIX16_HPP

#include "../matrix16_panel.hpp"

SUBWAVE_BEGIN

constexpr int matrix16_piece = 16, matrix16_blocks = 1;

/* One rendezvous an operation, in which lanes 0 to 3 publish A. */
template <class T> struct matrix16_unit {
    static constexpr bool exists = true;
    static constexpr int rows = 4, depth = 8, c_held = 4, fewest_lanes = 4;
    static constexpr int columns_of(int lanes) { return lanes; }
    static SUBWAVE_DEVICE int columns() { return wave_size(); }
    static SUBWAVE_DEVICE int a_line() { return wave_lane() % 4; }
    static SUBWAVE_DEVICE int b_line() { return wave_lane(); }
    static SUBWAVE_DEVICE int a_k() { return 0; }
    static SUBWAVE_DEVICE int b_k() { return 0; }
    static SUBWAVE_DEVICE int c_row(int e) { return e; }
    static SUBWAVE_DEVICE int c_column(int) { return wave_lane(); }
    struct operand {
        float of[8];
    };

    static SUBWAVE_DEVICE void multiply_add(lane_mask members, float (&c)[4], const operand &a,
                                            const operand &b, site where)
    {
        const auto all = wave_publish(members, a, where);
        for (int e = 0; e < 4; ++e) {
            const operand row = all.read(e);
            for (int l = 0; l < 8; ++l)
                c[e] += row.of[l] * b.of[l];
        }
    }
};

template <class T, int Share, bool AlongK, bool Packed>
struct matrix16_panel : matrix16_staged_panel<T, matrix16_stage, Share, AlongK, Packed> {
    using matrix16_staged_panel<T, matrix16_stage, Share, AlongK, Packed>::matrix16_staged_panel;

    typename matrix16_unit<T>::operand load(const T *panel, int line, int k) const
    {
        typename matrix16_unit<T>::operand loaded;
        const matrix16_chunk chunk = this->chunk(panel, line, k);
        for (int l = 0; l < 8; ++l)
            loaded.of[l] =
                T::from_bits(static_cast<std::uint16_t>(chunk.word[l / 2] >> l % 2 * 16));
        return loaded;
    }
};

SUBWAVE_DEVICE int matrix16_item() { return block_item(); }

template <int Behind> SUBWAVE_DEVICE void matrix16_wait() {}

SUBWAVE_END

#endif
