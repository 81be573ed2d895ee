/* SPDX-License-Identifier: MIT
 * matrix_cpu.hpp: a matrix unit for the CPU device: outer products of 4 rows and a column a lane.
 */
#ifndef SUBWAVE_DEVICE_MATRIX_CPU_HPP
#define SUBWAVE_DEVICE_MATRIX_CPU_HPP

#include <subwave/device/matrix_staged.hpp>

SUBWAVE_BEGIN

constexpr int matrix_stage = 8, matrix_down = 1, matrix_across = 1;

/* One rendezvous an operation, in which lanes 0 to 3 publish A. */
template <class T> struct matrix_unit {
    static constexpr bool exists = true;
    static constexpr int rows = 4, depth = 1, a_held = 1, c_held = 4;
    static constexpr int fewest_lanes = 4, lanes_a_column = 1;
    static SUBWAVE_DEVICE int columns() { return wave_size(); }
    static SUBWAVE_DEVICE int a_row(int) { return wave_lane() % 4; }
    static SUBWAVE_DEVICE int a_depth() { return 0; }
    static SUBWAVE_DEVICE int b_depth() { return 0; }
    static SUBWAVE_DEVICE int b_column() { return wave_lane(); }
    static SUBWAVE_DEVICE int c_row(int e) { return e; }
    static SUBWAVE_DEVICE int c_column(int) { return wave_lane(); }

    static SUBWAVE_DEVICE void multiply_add(lane_mask members, T (&c)[4], const T (&a)[1], T b,
                                            site where)
    {
        const auto all = wave_publish(members, a[0], where);
        for (int e = 0; e < 4; ++e)
            c[e] += all.read(e) * b;
    }
};

SUBWAVE_END

#endif
