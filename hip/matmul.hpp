/* SPDX-License-Identifier: MIT
 * matmul.hpp: what the kernels of the matrix product share: the problem, and the order of its
 * tiles.
 */
#ifndef SUBWAVE_HIP_MATMUL_HPP
#define SUBWAVE_HIP_MATMUL_HPP

#include "kernels.h"
#include "shapes.hpp"

#include <subwave/subwave.hpp>

SUBWAVE_BEGIN

static_assert(shapes.loads_anywhere == wave_loads_anywhere, "plans know what kernels can load");

/* The columns `sums` and `product` of SUBWAVE_DTYPE_LIST, as C++ types. */
struct matmul_types {
#define SUBWAVE_X(operation, dtype, type) using dtype = type;
    SUBWAVE_NUMBERS(SUBWAVE_X, )
#undef SUBWAVE_X
    using C32 = complex<float>;
    using C64 = complex<double>;
    template <class T> struct of;
};
#define SUBWAVE_X(name, value, bytes, spelling, class, sums, product, ...) \
    template <> struct matmul_types::of<matmul_types::name> { \
        using sum = matmul_types::sums; \
        using element = matmul_types::product; \
    };
SUBWAVE_DTYPE_LIST(SUBWAVE_X)
#undef SUBWAVE_X

/* What C is of. */
template <class T> using matmul_element = typename matmul_types::of<T>::element;
/* What products of T are summed in; alpha and beta are of it. Without a sign, integers wrap. */
template <class T> struct matmul_wrapping {
    using type = T;
};
template <> struct matmul_wrapping<std::int32_t> {
    using type = std::uint32_t;
};
template <class T>
using matmul_sum = typename matmul_wrapping<typename matmul_types::of<T>::sum>::type;

/* sum += a b */
template <class Sum, class T> SUBWAVE_DEVICE void add_product(Sum &sum, T a, T b)
{
    if constexpr (is_complex_v<T>)
        sum = multiply_add(a, b, sum);
    else
        sum += a * b;
}

/* sum + a b, in which each real product is fused with the sum that it is added to, as that of real
 * numbers is (device/wave.hpp). */
template <class T>
SUBWAVE_DEVICE complex<T> fused_multiply_add(complex<T> a, complex<T> b, complex<T> sum)
{
    return {
        fused_multiply_add(-a.imaginary, b.imaginary, fused_multiply_add(a.real, b.real, sum.real)),
        fused_multiply_add(a.imaginary, b.real,
                           fused_multiply_add(a.real, b.imaginary, sum.imaginary))};
}

/* Which matrices are conjugated: nothing to know of real ones. */
template <class T> struct matmul_signs {
    static matmul_signs of(const subwave_matmul_product &) { return {}; }
    SUBWAVE_DEVICE T factor(T element) const { return element; }
    SUBWAVE_DEVICE matmul_sum<T> summed(matmul_sum<T> sum) const { return sum; }
};
/* Products of a + i s b and c + i t d, with s and t for the signs that conjugation decides, sum up to
 *   (sum of a c - s t b d) + i t (sum of a d + s t b c)
 * so only A's imaginary parts and those of the finished sums need a sign: none of B's elements, of
 * which most tiles load more, does. (SKINNY exchanges A and B.) */
template <class T> struct matmul_signs<complex<T>> {
    std::uint32_t of_factors, of_sums;

    static matmul_signs of(const subwave_matmul_product &product)
    {
        const std::uint32_t sign = 0x80000000u;
        return {product.conjugate_a != product.conjugate_b ? sign : 0,
                product.conjugate_b ? sign : 0};
    }
    SUBWAVE_DEVICE complex<T> factor(complex<T> element) const
    {
        return conjugate_by(element, of_factors);
    }
    SUBWAVE_DEVICE complex<T> summed(complex<T> sum) const { return conjugate_by(sum, of_sums); }
};

template <class T> struct matmul_problem : matmul_signs<T> {
    std::int64_t m, n, k;
    const T *a, *b;
    matmul_element<T> *c;
    std::int64_t a_row, a_column, b_row, b_column, c_row, c_column;
    matmul_sum<T> alpha, beta;

    /* As it lies in memory: factor(a_at(i, l)) is what the sums need. */
    SUBWAVE_DEVICE T a_at(std::int64_t i, std::int64_t l) const
    {
        return a[i * a_row + l * a_column];
    }
    SUBWAVE_DEVICE T b_at(std::int64_t l, std::int64_t j) const
    {
        return b[l * b_row + j * b_column];
    }

    SUBWAVE_DEVICE matmul_sum<T> scaled(matmul_sum<T> sum) const
    {
        if constexpr (is_complex_v<T>)
            return multiply_add(alpha, this->summed(sum), T{});
        else
            return alpha * sum;
    }
    SUBWAVE_DEVICE matmul_sum<T> with_old(matmul_sum<T> sum, matmul_element<T> old) const
    {
        if constexpr (is_complex_v<T>)
            return multiply_add(alpha, this->summed(sum), multiply_add(beta, old, T{}));
        else if constexpr (is_integer_v<T>)
            return alpha * sum + beta * static_cast<matmul_sum<T>>(old);
        else
            return fused_multiply_add(alpha, sum, matmul_sum<T>(beta * old));
    }
    /* Rounds once. beta = 0 must not read C, which may hold anything. */
    SUBWAVE_DEVICE void store(std::int64_t i, std::int64_t j, matmul_sum<T> sum) const
    {
        matmul_element<T> *cell = &c[i * c_row + j * c_column];
        *cell = static_cast<matmul_element<T>>(is_zero(beta) ? scaled(sum) : with_old(sum, *cell));
    }
    /* Elements that follow one another in memory, aligned to their bytes together. */
    template <int Count> struct alignas(Count * sizeof(matmul_element<T>)) cells {
        matmul_element<T> cell[Count];
    };
    /* Those of C from an offset on, which with beta = 0 may hold anything. */
    template <int Count> SUBWAVE_DEVICE cells<Count> &cells_at(std::int64_t first) const
    {
        return *reinterpret_cast<cells<Count> *>(&c[first]);
    }
    template <int Count>
    SUBWAVE_DEVICE void store_together(std::int64_t first, const matmul_sum<T> (&sum)[Count],
                                       const cells<Count> &old) const
    {
        using element = matmul_element<T>;
        cells<Count> now;
        if (is_zero(beta)) {
            SUBWAVE_UNROLL
            for (int i = 0; i < Count; ++i)
                now.cell[i] = static_cast<element>(scaled(sum[i]));
        } else {
            const cells<Count> was = old;
            SUBWAVE_UNROLL
            for (int i = 0; i < Count; ++i)
                now.cell[i] = static_cast<element>(with_old(sum[i], was.cell[i]));
        }
        cells_at<Count>(first) = now;
    }
    template <int Count>
    SUBWAVE_DEVICE void store_together(std::int64_t first, const matmul_sum<T> (&sum)[Count]) const
    {
        store_together(first, sum, cells_at<Count>(first));
    }

    /* What is left of it from element (i, j) and step l of k on, of at most `terms` steps. */
    SUBWAVE_DEVICE matmul_problem from(std::int64_t i, std::int64_t j, std::int64_t l,
                                       std::int64_t terms) const
    {
        matmul_problem rest = *this;
        rest.m -= i;
        rest.n -= j;
        rest.k = k - l < terms ? k - l : terms;
        rest.a += i * a_row + l * a_column;
        rest.b += l * b_row + j * b_column;
        rest.c += i * c_row + j * c_column;
        return rest;
    }
};

/* By way of 64 bits: a negative number is beyond the range of integers without a sign. */
template <class T> static matmul_sum<T> matmul_scalar(const double (&parts)[2])
{
    using through = std::conditional_t<is_integer_v<T>, std::int64_t, double>;
    if constexpr (is_complex_v<T>)
        return {static_cast<part_of<T>>(parts[0]), static_cast<part_of<T>>(parts[1])};
    else
        return static_cast<matmul_sum<T>>(static_cast<through>(parts[0]));
}

template <class T> static matmul_problem<T> problem_of(const subwave_matmul_product &product)
{
    return {matmul_signs<T>::of(product),
            product.m,
            product.n,
            product.k,
            static_cast<const T *>(product.a),
            static_cast<const T *>(product.b),
            static_cast<matmul_element<T> *>(product.c),
            product.a_row,
            product.a_column,
            product.b_row,
            product.b_column,
            product.c_row,
            product.c_column,
            matmul_scalar<T>(product.alpha),
            matmul_scalar<T>(product.beta)};
}

/* Queues a kernel with the plan's grid; null is one that was not instantiated. */
template <class T>
static int launch_tiles(void (*kernel)(matmul_problem<T>), const subwave_matmul_launch &l,
                        void *stream)
{
    if (!kernel)
        return SUBWAVE_NO_KERNEL;
    const subwave_matmul_kernel &plan = l.kernel;
    return launch(kernel, dim3(plan.blocks), dim3(plan.block_x, plan.block_y), plan.shared_bytes,
                  stream, problem_of<T>(l.product));
}

/* Each row takes the place of the one `By` before it. A loop that is not unrolled can so work on
 * some rows after others of an array in registers, whose indices must be constants. */
template <int By, class T, int Rows, int Columns>
SUBWAVE_DEVICE void move_rows_up(T (&x)[Rows][Columns])
{
    SUBWAVE_UNROLL
    for (int r = 0; r + By < Rows; ++r) {
        SUBWAVE_UNROLL
        for (int c = 0; c < Columns; ++c)
            x[r][c] = x[r + By][c];
    }
}

/* A grid of any size walks over tiles of C, `rows` x `columns` elements each. Rows run fastest:
 * blocks that run together share a panel of B. */
struct tile_walk {
    std::int64_t down, count;

    SUBWAVE_DEVICE tile_walk(std::int64_t m, std::int64_t n, std::int64_t rows,
                             std::int64_t columns)
        : down((m + rows - 1) / rows), count(down * ((n + columns - 1) / columns))
    {
    }
    SUBWAVE_DEVICE std::int64_t row(std::int64_t tile) const { return tile - column(tile) * down; }
    SUBWAVE_DEVICE std::int64_t column(std::int64_t tile) const
    {
        /* A division of 64 bits takes a hundred instructions, and few products need one. */
        if (count <= SUBWAVE_MOST_TILES_IN_32_BITS)
            return static_cast<std::uint32_t>(tile) / static_cast<std::uint32_t>(down);
        return tile / down;
    }
};

/* One tile a block, in the same order. Memory ends before the blocks of a grid do. */
struct block_tile {
    std::int64_t row, column;

    SUBWAVE_DEVICE block_tile(std::uint32_t block, std::int64_t m, std::int64_t rows)
    {
        const std::uint32_t down = static_cast<std::uint32_t>((m + rows - 1) / rows);
        row = block % down;
        column = block / down;
    }
};

SUBWAVE_END

#endif
