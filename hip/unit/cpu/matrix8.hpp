/* SPDX-License-Identifier: MIT
 * unit/cpu/matrix8.hpp: a matrix unit of 8-bit elements for the CPU device: 4 rows, one column per
 * lane, 16 steps of k.
 */
#ifndef SUBWAVE_HIP_UNIT_CPU_MATRIX8_HPP
#define SUBWAVE_HIP_UNIT_CPU_MATRIX8_HPP

#include "../dot.hpp"
#include "matrix16.hpp"

SUBWAVE_BEGIN

/* One rendezvous per operation, in which lanes 0 to 3 publish A. */
template <> struct matrix_unit<std::int8_t> {
    static constexpr bool exists = true, holds_next = true;
    static constexpr int rows = 4, depth = 16, fewest_lanes = 4;
    static constexpr int c_held = 4;
    static constexpr int columns_of(int lanes) { return lanes; }
    static SUBWAVE_DEVICE int columns() { return wave_size(); }
    static SUBWAVE_DEVICE int a_line() { return wave_lane() % 4; }
    static SUBWAVE_DEVICE int b_line() { return wave_lane(); }
    static SUBWAVE_DEVICE int a_k() { return 0; }
    static SUBWAVE_DEVICE int b_k() { return 0; }
    static SUBWAVE_DEVICE int c_row(int e) { return e; }
    static SUBWAVE_DEVICE int c_column(int) { return wave_lane(); }
    using operand = matrix16_chunk;
    struct sums {
        std::uint32_t of[c_held];
    };

    static SUBWAVE_DEVICE void multiply_add(lane_mask members, sums &c, const operand &a,
                                            const operand &b, site where)
    {
        const auto all = wave_publish(members, a, where);
        for (int e = 0; e < 4; ++e) {
            const operand row = all.read(e);
            for (int w = 0; w < 4; ++w)
                c.of[e] = dot4<std::int8_t>(row.word[w], b.word[w], c.of[e]);
        }
    }
};

template <int Stage, int Lines, int Waves, bool AlongK, bool Packed>
class matrix_panel<std::int8_t, Stage, Lines, Waves, AlongK, Packed>
    : public matrix_staged_panel<std::int8_t, Stage, Lines, Waves, AlongK, Packed> {
public:
    using matrix_staged_panel<std::int8_t, Stage, Lines, Waves, AlongK,
                              Packed>::matrix_staged_panel;

    matrix16_chunk load(const std::int8_t *memory, int line, int k) const
    {
        return this->chunk(memory, line, k);
    }
};

SUBWAVE_END

#endif
