/* SPDX-License-Identifier: MIT
 * matrix_nvidia.hpp: DMMA, and cp.async into shared memory.
 */
#ifndef SUBWAVE_DEVICE_MATRIX_NVIDIA_HPP
#define SUBWAVE_DEVICE_MATRIX_NVIDIA_HPP

#include <subwave/device/wave.hpp>

SUBWAVE_BEGIN

template <class T> struct matrix_unit {
    static constexpr bool exists = false;
};

/* mma.sync.m16n8k4; sm_80 has halves of it. */
template <> struct matrix_unit<double> {
    static constexpr bool exists = SUBWAVE_HAS_MATRIX_F64;
    static constexpr int rows = 16, depth = 4, a_held = 2, c_held = 4;
    static constexpr int fewest_lanes = 32, lanes_a_column = 4;
    static constexpr __host__ __device__ int columns() { return 8; }
    static SUBWAVE_DEVICE int a_row(int e) { return wave_lane() / 4 + 8 * e; }
    static SUBWAVE_DEVICE int a_depth() { return wave_lane() % 4; }
    static SUBWAVE_DEVICE int b_depth() { return wave_lane() % 4; }
    static SUBWAVE_DEVICE int b_column() { return wave_lane() / 4; }
    static SUBWAVE_DEVICE int c_row(int e) { return wave_lane() / 4 + 8 * (e / 2); }
    static SUBWAVE_DEVICE int c_column(int e) { return wave_lane() % 4 * 2 + e % 2; }

    static SUBWAVE_DEVICE void multiply_add(lane_mask, double (&c)[4], const double (&a)[2], double b,
                                            site)
    {
        if constexpr (SUBWAVE_HAS_F64_MMA) {
            asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                : "d"(a[0]), "d"(a[1]), "d"(b));
        } else {
            for (int half = 0; half < 2; ++half)
                asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
                    : "+d"(c[2 * half]), "+d"(c[2 * half + 1])
                    : "d"(a[half]), "d"(b));
        }
    }
};

constexpr int matrix_stage = 16, matrix_down = 2, matrix_across = 4;

/* cp.async: no register holds what is on its way. */
template <class T, int Count> struct pair_copy {
    template <bool Paired>
    static SUBWAVE_DEVICE void begin(int, T *to, const T *from, std::int64_t distance, int count)
    {
        if constexpr (Paired) {
            copy<2>(to, from, count);
        } else {
            copy<1>(to, from, count > 0);
            copy<1>(to + 1, from + distance, count > 1);
        }
    }
    static SUBWAVE_DEVICE void end(int, T *) {}
    static SUBWAVE_DEVICE void wait() { asm volatile("cp.async.wait_all;" ::: "memory"); }

private:
    /* Of `Most` elements the first `count`; the rest is 0. */
    template <int Most> static SUBWAVE_DEVICE void copy(T *to, const T *from, int count)
    {
        constexpr int size = sizeof(T);
        const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                     :
                     : "r"(address), "l"(from), "n"(Most * size), "r"(count * size)
                     : "memory");
    }
};

SUBWAVE_END

#endif
