/* SPDX-License-Identifier: MIT
 * unit/nvidia/matrix.hpp: DMMA, and cp.async into shared memory.
 */
#ifndef SUBWAVE_HIP_UNIT_NVIDIA_MATRIX_HPP
#define SUBWAVE_HIP_UNIT_NVIDIA_MATRIX_HPP

SUBWAVE_BEGIN

constexpr int matrix_banks_bytes = 128, matrix_deep_lanes = 4;
constexpr bool matrix_splits_stages = false;
/* Thin blocks wait for memory: as many of them as registers allow keep it busy. Of small ones ptxas
 * would leave registers for two only. */
template <class T> constexpr int matrix_blocks(int shape)
{
    const int tiles = matrix_shape<T>(shape).tall * matrix_shape<T>(shape).wide;
    return is_small_float<T>::value                   ? 2
           : matrix_by_rows<T> || shape == 0          ? 1
           : tiles > 2 || shape < SUBWAVE_MATRIX_THIN ? 3
                                                      : 4;
}
constexpr int matrix_pairs_held = 1;

/* mma.sync.m16n8k8, for even columns and for odd ones; its operands are in registers that follow
 * one another, as pairs do that are loaded from rows of A and along the depth of B. sm_80 has
 * quarters of it. */
template <> struct matrix_unit<double> {
    static constexpr bool exists = SUBWAVE_HAS_MATRIX_F64;
    using operand = matrix_pairs<double>;
    struct sums {
        double of[8]; /* [v][h][e] */
    };
    static constexpr int rows = 16, depth = 8, fewest_lanes = 32;
    static constexpr int c_held = 8, c_below = 2, c_right = 4;
    static constexpr bool holds_next = true;
    static constexpr __host__ __device__ int columns_of(int) { return 16; }
    static constexpr __host__ __device__ int columns() { return 16; }
    static SUBWAVE_DEVICE int a_line() { return wave_lane() / 4 * 2; }
    static SUBWAVE_DEVICE int a_k() { return wave_lane() % 4 * 2; }
    static SUBWAVE_DEVICE int b_line() { return a_line(); }
    static SUBWAVE_DEVICE int b_k() { return a_k(); }
    static SUBWAVE_DEVICE int c_row(int e) { return wave_lane() / 4 * 2 + e / c_below % 2; }
    static SUBWAVE_DEVICE int c_column(int e)
    {
        return (wave_lane() % 4 * 2 + e % 2) * 2 + e / c_right;
    }

    static SUBWAVE_DEVICE void multiply_add(lane_mask, sums &all, const operand &a,
                                            const operand &b, site)
    {
        SUBWAVE_UNROLL
        for (int v = 0; v < 2; ++v) {
            if constexpr (SUBWAVE_HAS_F64_MMA) {
                double *const c = &all.of[v * c_right];
                asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
                    "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                    : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                    : "d"(a.of[0][0]), "d"(a.of[0][1]), "d"(a.of[1][0]), "d"(a.of[1][1]),
                      "d"(b.of[0][v]), "d"(b.of[1][v]));
            } else {
                SUBWAVE_UNROLL
                for (int u = 0; u < 2; ++u) {
                    SUBWAVE_UNROLL
                    for (int h = 0; h < 2; ++h) {
                        double *const c = &all.of[v * c_right + h * c_below];
                        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
                            : "+d"(c[0]), "+d"(c[1])
                            : "d"(a.of[u][h]), "d"(b.of[u][v]));
                    }
                }
            }
        }
    }
};

/* cp.async: no register holds what is on its way. */
template <int Count> struct pair_copy<double, Count> {
    using T = double;
    static constexpr bool fills = true;

    static SUBWAVE_DEVICE void begin(int, T *to, const T *from, bool exists)
    {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address(to)), "l"(from),
                     "r"(exists ? 16 : 0)
                     : "memory");
    }
    static SUBWAVE_DEVICE void begin(int, T *to, const T *from, std::int64_t distance, int count)
    {
        copy(to, from, count > 0);
        copy(to + 1, from + distance, count > 1);
    }
    static SUBWAVE_DEVICE void end(int, T *) {}

private:
    static SUBWAVE_DEVICE std::uint32_t address(T *to)
    {
        return static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
    }
    static SUBWAVE_DEVICE void copy(T *to, const T *from, bool exists)
    {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
                     :
                     : "r"(address(to)), "l"(from), "r"(exists ? 8 : 0)
                     : "memory");
    }
};
SUBWAVE_DEVICE void matrix_keep_order() {}
SUBWAVE_DEVICE void matrix_barrier(site where) { block_barrier(where); }

SUBWAVE_END

#endif
