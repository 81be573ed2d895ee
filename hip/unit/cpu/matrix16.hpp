/* SPDX-License-Identifier: MIT
 * unit/cpu/matrix16.hpp: a matrix unit of 16-bit elements for the CPU device: 4 rows, one column
 * per lane, 8 steps of k.
 */
#ifndef SUBWAVE_HIP_UNIT_CPU_MATRIX16_HPP
#define SUBWAVE_HIP_UNIT_CPU_MATRIX16_HPP

#include "../matrix_rows_panel.hpp"

SUBWAVE_BEGIN

/* One rendezvous per operation, in which lanes 0 to 3 publish A. */
template <class Format> struct matrix_unit<small_float<Format>> {
    static constexpr bool exists = true, holds_next = true;
    static constexpr int rows = 4, depth = 8, fewest_lanes = 4;
    static constexpr int c_held = 4;
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
    struct sums {
        float of[c_held];
    };

    static SUBWAVE_DEVICE void multiply_add(lane_mask members, sums &c, const operand &a,
                                            const operand &b, site where)
    {
        const auto all = wave_publish(members, a, where);
        for (int e = 0; e < 4; ++e) {
            const operand row = all.read(e);
            for (int l = 0; l < 8; ++l)
                c.of[e] += row.of[l] * b.of[l];
        }
    }
};

template <class Format, int Stage, int Lines, int Waves, bool AlongK, bool Packed>
class matrix_panel<small_float<Format>, Stage, Lines, Waves, AlongK, Packed>
    : public matrix_staged_panel<small_float<Format>, Stage, Lines, Waves, AlongK, Packed> {
    using T = small_float<Format>;

public:
    using matrix_staged_panel<T, Stage, Lines, Waves, AlongK, Packed>::matrix_staged_panel;

    typename matrix_unit<T>::operand load(const T *memory, int line, int k) const
    {
        typename matrix_unit<T>::operand loaded;
        const matrix16_chunk chunk = this->chunk(memory, line, k);
        for (int l = 0; l < 8; ++l)
            loaded.of[l] =
                T::from_bits(static_cast<std::uint16_t>(chunk.word[l / 2] >> l % 2 * 16));
        return loaded;
    }
};

inline constexpr bool matrix16_is_fast = false;

template <bool> SUBWAVE_DEVICE int matrix16_item() { return block_item(); }

SUBWAVE_END

#endif
