/* SPDX-License-Identifier: MIT
 * unit/cpu/matrix.hpp: a matrix unit for the CPU device: outer products of 8 rows and two columns a
 * lane.
 */
#ifndef SUBWAVE_HIP_UNIT_CPU_MATRIX_HPP
#define SUBWAVE_HIP_UNIT_CPU_MATRIX_HPP

#include "../matrix_staged.hpp"

SUBWAVE_BEGIN

constexpr int matrix_banks_bytes = 1, matrix_deep_lanes = 1, matrix_fewest_lanes = 4;

/* One rendezvous an operation, in which lanes 0 to 3 publish A. */
template <class T> struct matrix_unit {
    static constexpr bool exists = true;
    static constexpr int rows = 8, fewest_columns = 8, depth = 2, pairs = 4;
    static SUBWAVE_DEVICE int columns() { return 2 * wave_size(); }
    static SUBWAVE_DEVICE int a_row() { return wave_lane() % 4; }
    static SUBWAVE_DEVICE int a_depth() { return 0; }
    static SUBWAVE_DEVICE int b_depth() { return 0; }
    static SUBWAVE_DEVICE int b_column() { return wave_lane(); }
    static SUBWAVE_DEVICE int c_row(int e) { return e; }
    static SUBWAVE_DEVICE int c_column(int) { return wave_lane(); }

    static SUBWAVE_DEVICE void multiply_add(lane_mask members, T (&c)[2][2][4], const T (&a)[2][2],
                                            const T (&b)[2][2], site where)
    {
        struct part {
            T of[2][2];
        } mine;
        memcpy(mine.of, a, sizeof mine.of);
        const auto all = wave_publish(members, mine, where);
        for (int e = 0; e < 4; ++e) {
            const part theirs = all.read(e);
            for (int v = 0; v < 2; ++v)
                for (int h = 0; h < 2; ++h)
                    for (int u = 0; u < 2; ++u)
                        c[v][h][e] += theirs.of[u][h] * b[v][u];
        }
    }
};

SUBWAVE_END

#endif
