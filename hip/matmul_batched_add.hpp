/* SPDX-License-Identifier: MIT
 * matmul_batched_add.hpp: a product added to the sums of one tile of C, whose entry is found at run
 * time.
 */
#ifndef SUBWAVE_HIP_MATMUL_BATCHED_ADD_HPP
#define SUBWAVE_HIP_MATMUL_BATCHED_ADD_HPP

#include "matmul_batched_groups.hpp"
#include "matmul_batched_staged.hpp"
#include "matmul_batched_unit.hpp"

SUBWAVE_BEGIN

/* sum += A B, Terms steps of k at a time, all in registers, as a group of a batch does. (As functions
 * of both, this and the next one take LLVM more registers in the kernels of batches.) */
template <int Terms, class Group, class T, int Size>
SUBWAVE_DEVICE void add_product(Group g, const subwave_matmul_batched_launch &p,
                                const matmul_batched_tile<T> &tile,
                                group_matrix<T, Size, Size, Group> &sum)
{
    for (int l = 0; l < p.k; l += Terms) {
        group_matrix<T, Size, Terms, Group> a;
        group_matrix<T, Terms, Size, Group> b;
        const int terms = p.k - l;
        if (p.a.transposed)
            a.load_transposed(g, tile.a + l * p.a.ld, p.a.ld, tile.rows, terms);
        else
            a.load(g, tile.a + l, p.a.ld, tile.rows, terms);
        if (p.b.transposed)
            b.load_transposed(g, tile.b + l, p.b.ld, terms, tile.columns);
        else
            b.load(g, tile.b + l * p.b.ld, p.b.ld, terms, tile.columns);
        if (p.a.conjugate)
            a.conjugate();
        if (p.b.conjugate)
            b.conjugate();
        matmul(g, a, b, sum, terms);
    }
}

/* The same by a wave on its matrix unit: a step's operands are loaded while those of the one before are
 * multiplied. */
template <class T>
SUBWAVE_DEVICE void add_product(lane_mask members, const subwave_matmul_batched_launch &p,
                                const matmul_batched_tile<T> &tile, batched_unit_tile<T> &sum)
{
    using unit = matrix_unit<part_of<T>>;
    batched_unit_lines<T> a(tile.a, p.a.transposed ? 1 : p.a.ld, p.a.transposed ? p.a.ld : 1,
                            tile.rows, unit::a_line(), unit::a_k());
    batched_unit_lines<T> b(tile.b, p.b.transposed ? p.b.ld : 1, p.b.transposed ? 1 : p.b.ld,
                            tile.columns, unit::b_line(), unit::b_k());
    int left = p.k;
    if (left >= unit::depth) {
        auto next_a = a.template load<true>(left), next_b = b.template load<true>(left);
        SUBWAVE_ROLLED
        for (; left >= 2 * unit::depth; left -= unit::depth) {
            const auto now_a = next_a, now_b = next_b;
            next_a = a.template load<true>(left);
            next_b = b.template load<true>(left);
            sum.multiply_add(members, now_a, now_b);
        }
        sum.multiply_add(members, next_a, next_b);
        left -= unit::depth;
    }
    if (left > 0) {
        const auto last_a = a.template load<false>(left), last_b = b.template load<false>(left);
        sum.multiply_add(members, last_a, last_b);
    }
}

SUBWAVE_END

#endif
