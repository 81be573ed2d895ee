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
    shapes.unit_in_batches && matrix_unit<part_of<T>>::exists;

/* A wave's tile of C, and what a lane holds of A and B. */
template <class T> class batched_unit_tile {
    using unit = matrix_unit<T>;
    typename unit::sums sum_ = {};

public:
    using operand = typename unit::operand;

    SUBWAVE_DEVICE explicit batched_unit_tile(const subwave_matmul_batched_launch &) {}
    static SUBWAVE_DEVICE void set(operand &x, int u, int h, T value) { x.of[u][h] = value; }
    SUBWAVE_DEVICE T sum(int e) const { return sum_.of[e]; }
    SUBWAVE_DEVICE void multiply_add(lane_mask members, const operand &a, const operand &b)
    {
        unit::multiply_add(members, sum_, a, b, site::current());
    }
};

/* A complex product is four real ones. conj(x) has -y for the imaginary part y; since the unit adds
 * only, the signs are those of A's imaginary parts, and of the imaginary sum. */
template <class T> class batched_unit_tile<complex<T>> {
    using unit = matrix_unit<T>;
    typename unit::sums real_ = {}, imaginary_ = {};
    const T sign_of_both_, sign_of_b_;

public:
    struct operand {
        typename unit::operand real, imaginary;
    };

    SUBWAVE_DEVICE explicit batched_unit_tile(const subwave_matmul_batched_launch &p)
        : sign_of_both_(p.a.conjugate == p.b.conjugate ? T(1) : T(-1)),
          sign_of_b_(p.b.conjugate ? T(-1) : T(1))
    {
    }
    static SUBWAVE_DEVICE void set(operand &x, int u, int h, complex<T> value)
    {
        x.real.of[u][h] = value.real;
        x.imaginary.of[u][h] = value.imaginary;
    }
    SUBWAVE_DEVICE complex<T> sum(int e) const
    {
        return {real_.of[e], sign_of_b_ * imaginary_.of[e]};
    }
    SUBWAVE_DEVICE void multiply_add(lane_mask members, const operand &a, const operand &b)
    {
        typename unit::operand plus, minus;
        SUBWAVE_UNROLL
        for (int u = 0; u < 2; ++u) {
            SUBWAVE_UNROLL
            for (int h = 0; h < 2; ++h) {
                plus.of[u][h] = sign_of_both_ * a.imaginary.of[u][h];
                minus.of[u][h] = -plus.of[u][h];
            }
        }
        unit::multiply_add(members, real_, a.real, b.real, site::current());
        unit::multiply_add(members, imaginary_, a.real, b.imaginary, site::current());
        unit::multiply_add(members, real_, minus, b.imaginary, site::current());
        unit::multiply_add(members, imaginary_, plus, b.real, site::current());
    }
};

/* What a lane reads of A or of B: two neighbouring lines (rows of A, columns of B), and of these
 * two steps of k at a time. In the place of lines beyond the matrix the last one is read again; the
 * elements of C that follow from it are not stored. */
template <class T> class batched_unit_lines {
    using operand = typename batched_unit_tile<T>::operand;
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
                batched_unit_tile<T>::set(x, u, h, inside ? line_[h][u * by_k_] : T{});
        }
        SUBWAVE_UNROLL
        for (int h = 0; h < 2; ++h)
            line_[h] += matrix_unit<part_of<T>>::depth * by_k_;
        return x;
    }
};

/* C = alpha sum + beta C; with beta = 0 C may hold anything. */
template <class T>
SUBWAVE_DEVICE void store(const matmul_batched_problem<T> &problem,
                          const matmul_batched_tile<T> &tile, const batched_unit_tile<T> &product)
{
    using unit = matrix_unit<part_of<T>>;
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
        old[e] = adds && inside(e) ? *cell(e) : T{};
    SUBWAVE_UNROLL
    for (int e = 0; e < unit::c_held; ++e)
        if (inside(e)) {
            const T result = multiply_add(problem.alpha, product.sum(e), T{});
            *cell(e) = adds ? multiply_add(problem.beta, old[e], result) : result;
        }
}

/* A wave computes a tile of C. */
template <class T>
SUBWAVE_TWO_WAVES SUBWAVE_KERNEL(SUBWAVE_MATMUL_BATCHED_BLOCK)
    matmul_batched_unit(matmul_batched_problem<T> problem)
{
    if constexpr (!multiplies_on_unit_v<T>) {
        trap(); /* no plan asks for it on this architecture */
    } else {
        using unit = matrix_unit<part_of<T>>;
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
        batched_unit_tile<T> product(p);
        /* The operands of a step are loaded while the one before is multiplied. */
        int left = p.k;
        if (left >= unit::depth) {
            auto next_a = a.template load<true>(left), next_b = b.template load<true>(left);
            SUBWAVE_ROLLED
            for (; left >= 2 * unit::depth; left -= unit::depth) {
                const auto now_a = next_a, now_b = next_b;
                next_a = a.template load<true>(left);
                next_b = b.template load<true>(left);
                product.multiply_add(sg.callers(), now_a, now_b);
            }
            product.multiply_add(sg.callers(), next_a, next_b);
            left -= unit::depth;
        }
        if (left > 0) {
            const auto last_a = a.template load<false>(left), last_b = b.template load<false>(left);
            product.multiply_add(sg.callers(), last_a, last_b);
        }
        store(problem, tile, product);
    }
}

SUBWAVE_END

#endif
