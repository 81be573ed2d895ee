/* SPDX-License-Identifier: MIT
 * unit/cpu/matrix.hpp: a matrix unit for the CPU device: outer products of 8 rows and two columns a
 * lane.
 */
#ifndef SUBWAVE_HIP_UNIT_CPU_MATRIX_HPP
#define SUBWAVE_HIP_UNIT_CPU_MATRIX_HPP

SUBWAVE_BEGIN

constexpr int matrix_banks_bytes = 1, matrix_deep_lanes = 1;
constexpr bool matrix_splits_stages = true;
template <class T> constexpr int matrix_blocks(int) { return 1; }
constexpr int matrix_pairs_held = 1;

/* One rendezvous per operation, in which lanes 0 to 3 publish A. */
template <class T> struct matrix_pairs_unit {
    using operand = matrix_pairs<T>;
    struct sums {
        T of[16]; /* [v][h][e] */
    };
    static constexpr bool exists = true, holds_next = true;
    static constexpr int rows = 8, depth = 2, fewest_lanes = 4;
    static constexpr int c_held = 16, c_below = 4, c_right = 8;
    static constexpr int columns_of(int lanes) { return 2 * lanes; }
    static SUBWAVE_DEVICE int columns() { return columns_of(wave_size()); }
    static SUBWAVE_DEVICE int a_line() { return wave_lane() % 4 * 2; }
    static SUBWAVE_DEVICE int a_k() { return 0; }
    static SUBWAVE_DEVICE int b_line() { return wave_lane() * 2; }
    static SUBWAVE_DEVICE int b_k() { return 0; }
    static SUBWAVE_DEVICE int c_row(int e) { return e % 4 * 2 + e / c_below % 2; }
    static SUBWAVE_DEVICE int c_column(int e) { return wave_lane() * 2 + e / c_right; }

    static SUBWAVE_DEVICE void multiply_add(lane_mask members, sums &c, const operand &a,
                                            const operand &b, site where)
    {
        const auto all = wave_publish(members, a, where);
        for (int e = 0; e < 4; ++e) {
            const operand theirs = all.read(e);
            for (int v = 0; v < 2; ++v)
                for (int h = 0; h < 2; ++h)
                    for (int u = 0; u < 2; ++u)
                        c.of[v * c_right + h * c_below + e] += theirs.of[u][h] * b.of[u][v];
        }
    }
};
template <> struct matrix_unit<float> : matrix_pairs_unit<float> {};
template <> struct matrix_unit<double> : matrix_pairs_unit<double> {};

SUBWAVE_DEVICE void matrix_keep_order() {}
SUBWAVE_DEVICE void matrix_barrier(site where) { block_barrier(where); }

SUBWAVE_END

#endif
