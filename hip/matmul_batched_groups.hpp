/* SPDX-License-Identifier: MIT
 * matmul_batched_groups.hpp: products in the registers of groups of lanes, several a wave.
 */
#ifndef SUBWAVE_HIP_MATMUL_BATCHED_GROUPS_HPP
#define SUBWAVE_HIP_MATMUL_BATCHED_GROUPS_HPP

#include "matmul_batched.hpp"

SUBWAVE_BEGIN

/* A group of Lanes computes a tile of Size x Size elements, Terms steps of k at a time, all in
 * registers. A wave holds several groups, which stay together: those beyond the work repeat the
 * last of it in silence. */
template <class T, int Size, int Lanes, int Terms>
SUBWAVE_KERNEL(SUBWAVE_MATMUL_BATCHED_BLOCK)
matmul_batched_groups(matmul_batched_problem<T> problem)
{
    using group = fixed_size_group<Lanes>;
    const subwave_matmul_batched_launch &p = problem.p;
    const sub_group sg = this_work_item::get_sub_group();
    const group g = get_fixed_size_group<Lanes>(sg);
    const int groups = block_size() / Lanes;
    const std::int64_t count = p.batch * p.down * p.across;
    const std::int64_t at = (p.first_block + blockIdx.x) * groups + unsigned(block_item()) / Lanes;
    const matmul_batched_tile<T> tile(problem, at < count ? at : count - 1, Size);

    group_matrix<T, Size, Size, group> sum;
    sum.fill(T{});
    for (int l = 0; l < p.k; l += Terms) {
        group_matrix<T, Size, Terms, group> a;
        group_matrix<T, Terms, Size, group> b;
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
        matmul(sg, g, a, b, sum, terms);
    }
    finish(g, problem, tile.c, tile.rows, tile.columns, sum);
    if (at < count)
        sum.store(g, tile.c, p.c.ld, tile.rows, tile.columns);
}

SUBWAVE_END

#endif
