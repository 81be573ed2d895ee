/* SPDX-License-Identifier: MIT
 * matmul_batched_unit.hpp: products of matrices too large for a group's registers on the matrix
 * unit of a whole wave, with operands loaded as they lie.
 */
#ifndef SUBWAVE_HIP_MATMUL_BATCHED_UNIT_HPP
#define SUBWAVE_HIP_MATMUL_BATCHED_UNIT_HPP

#include "matmul_batched.hpp"

#include "unit/matrix.hpp"

SUBWAVE_BEGIN

/* Whether such products of T take the place of other kernels. */
template <class T>
inline constexpr bool multiplies_on_unit_v =
    shapes.f64_unit_in_batches && std::is_same<T, double>::value && matrix_unit<T>::exists;

/* What a lane reads of A or of B: two neighbouring lines (rows of A, columns of B), and of these
 * two steps of k at a time. In the place of lines beyond the matrix the last one is read again; the
 * elements of C that follow from it are not stored. */
template <class T> class batched_unit_lines {
    using operand = typename matrix_unit<T>::operand;
    const T *line_[2]; /* at the step of k that is loaded next */
    std::int64_t by_k_;
    int k_;

public:
    SUBWAVE_DEVICE batched_unit_lines(const T *matrix, std::int64_t by_line, std::int64_t by_k,
                                      int lines, int line, int k)
        : by_k_(by_k), k_(k)
    {
        SUBWAVE_UNROLL
        for (int h = 0; h < 2; ++h) {
            const int at = line + h < lines ? line + h : lines - 1;
            line_[h] = matrix + at * by_line + k * by_k;
        }
    }
    /* The operand of the next steps of k, of which `left` exist: all, if Whole. */
    template <bool Whole> SUBWAVE_DEVICE operand load(int left)
    {
        operand x;
        SUBWAVE_UNROLL
        for (int u = 0; u < 2; ++u) {
            const bool inside = Whole || k_ + u < left;
            SUBWAVE_UNROLL
            for (int h = 0; h < 2; ++h)
                x.of[u][h] = inside ? line_[h][u * by_k_] : T(0);
        }
        SUBWAVE_UNROLL
        for (int h = 0; h < 2; ++h)
            line_[h] += matrix_unit<T>::depth * by_k_;
        return x;
    }
};

/* C = alpha sum + beta C; with beta = 0 C may hold anything. */
template <class T>
SUBWAVE_DEVICE void store(const matmul_batched_problem<T> &problem,
                          const matmul_batched_tile<T> &tile,
                          const typename matrix_unit<T>::sums &sum)
{
    using unit = matrix_unit<T>;
    const bool adds = !is_zero(problem.beta);
    const auto inside = [&](int e) {
        return unit::c_row(e) < tile.rows && unit::c_column(e) < tile.columns;
    };
    const auto cell = [&](int e) {
        return &tile.c[unit::c_row(e) * problem.p.c.ld + unit::c_column(e)];
    };
    T old[unit::c_held];
    SUBWAVE_UNROLL
    for (int e = 0; e < unit::c_held; ++e)
        old[e] = adds && inside(e) ? *cell(e) : T(0);
    SUBWAVE_UNROLL
    for (int e = 0; e < unit::c_held; ++e)
        if (inside(e))
            *cell(e) = adds ? multiply_add(problem.beta, old[e], problem.alpha * sum.of[e])
                            : problem.alpha * sum.of[e];
}

/* A wave computes a tile of C. */
template <class T>
SUBWAVE_TWO_WAVES SUBWAVE_KERNEL(SUBWAVE_MATMUL_BATCHED_BLOCK)
    matmul_batched_unit(matmul_batched_problem<T> problem)
{
    if constexpr (!multiplies_on_unit_v<T>) {
        trap(); /* no plan asks for it on this architecture */
    } else {
        using unit = matrix_unit<T>;
        constexpr int side = SUBWAVE_MATMUL_BATCHED_UNIT_SIDE;
        static_assert(unit::rows == side && unit::columns_of(unit::fewest_lanes) == side);
        const subwave_matmul_batched_launch &p = problem.p;
        const sub_group sg = this_work_item::get_sub_group();
        const std::int64_t at =
            (p.first_block + blockIdx.x) * (block_size() / wave_size()) + sg.get_group_linear_id();
        if (at >= p.batch * p.down * p.across)
            return;
        const matmul_batched_tile<T> tile(problem, at, side);
        batched_unit_lines<T> a(tile.a, p.a.transposed ? 1 : p.a.ld, p.a.transposed ? p.a.ld : 1,
                                tile.rows, unit::a_line(), unit::a_k());
        batched_unit_lines<T> b(tile.b, p.b.transposed ? p.b.ld : 1, p.b.transposed ? 1 : p.b.ld,
                                tile.columns, unit::b_line(), unit::b_k());
        using operand = typename unit::operand;
        typename unit::sums sum = {};
        const auto multiply = [&](const operand &x, const operand &y) {
            unit::multiply_add(sg.callers(), sum, x, y, site::current());
        };
        /* The operands of a step are loaded while the one before is multiplied. */
        int left = p.k;
        if (left >= unit::depth) {
            operand next_a = a.template load<true>(left), next_b = b.template load<true>(left);
            SUBWAVE_ROLLED
            for (; left >= 2 * unit::depth; left -= unit::depth) {
                const operand now_a = next_a, now_b = next_b;
                next_a = a.template load<true>(left);
                next_b = b.template load<true>(left);
                multiply(now_a, now_b);
            }
            multiply(next_a, next_b);
            left -= unit::depth;
        }
        if (left > 0) {
            const operand last_a = a.template load<false>(left);
            multiply(last_a, b.template load<false>(left));
        }
        store(problem, tile, sum);
    }
}

SUBWAVE_END

#endif
