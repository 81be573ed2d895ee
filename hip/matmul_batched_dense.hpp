/* SPDX-License-Identifier: MIT
 * matmul_batched_dense.hpp: products of dense matrices on the matrix unit, each copied to local
 * memory as it lies.
 */
#ifndef SUBWAVE_HIP_MATMUL_BATCHED_DENSE_HPP
#define SUBWAVE_HIP_MATMUL_BATCHED_DENSE_HPP

#include "matmul_batched.hpp"

SUBWAVE_BEGIN

/* sum += A B on the matrix unit, in shared memory. A lane takes two steps of k at a time: of the
 * next eight, q and q + 4 where q is its column; or, where rows of A have an odd length, of the
 * next sixteen 4 q and 4 q + 1, then the two after them: so lanes find A in different banks, except
 * for some even lengths. */
template <class T, int Size, class Group>
SUBWAVE_DEVICE void multiply_dense(Group g, const T *a, int a_row, const T *b, int b_row,
                                   group_matrix<T, Size, Size, Group> &sum, int terms, int rows,
                                   int columns)
{
    using grid = lane_grid<Group>;
    const bool odd = a_row % 2 != 0;
    const int row = grid::row(g), apart = odd ? 1 : 4, first = grid::column(g) * (odd ? 4 : 1);
    a += row * a_row + first;
    b += first * b_row + matrix_unit_column(row);
    const auto add = [&](bool in0, bool in1) {
        group_matrix<T, Size, 8, Group> left;
        SUBWAVE_UNROLL
        for (int i = 0; i < Size / 8; ++i) {
            left.at(i, 0) = in0 ? a[8 * i * a_row] : T(0);
            left.at(i, 1) = in1 ? a[8 * i * a_row + apart] : T(0);
        }
        SUBWAVE_UNROLL
        for (int j = 0; j < Size; j += 8) {
            if (j >= columns)
                break;
            const T right[2] = {in0 ? b[j] : T(0), in1 ? b[j + apart * b_row] : T(0)};
            multiply_on_matrix_unit(left, 0, right, sum, j, rows);
        }
    };
    int by = odd ? 2 : 8, l = 0;
    SUBWAVE_ROLLED
    for (; l + (odd ? 14 : 8) <= terms; l += by, a += by, b += by * b_row, by = 16 - by)
        add(true, true);
    SUBWAVE_ROLLED
    for (; l < terms; l += by, a += by, b += by * b_row, by = 16 - by)
        add(l + first < terms, l + first + apart < terms);
}

/* Across x Across groups of 32 compute an entry of at most as many times Size x Size elements, and
 * steps of k. */
template <class T, int Size, int Across>
SUBWAVE_KERNEL(4 * SUBWAVE_MATMUL_BATCHED_BLOCK) /* more than there are keeps the registers few */
matmul_batched_dense(matmul_batched_problem<T> problem)
{
    using group = fixed_size_group<32>;
    SUBWAVE_DYNAMIC_SHARED(T, local);
    const subwave_matmul_batched_launch &p = problem.p;
    const sub_group sg = this_work_item::get_sub_group();
    const group g = get_fixed_size_group<32>(sg);
    constexpr int items = 32 * Across * Across;
    const unsigned in_block = block_item(), number = in_block % items / 32;
    const int teams = block_size() / items, team = in_block / items, item = in_block % items;
    const int i = number / Across * Size, j = number % Across * Size;
    const auto barrier = [&] {
        if (Across == 1)
            wave_barrier(sg.callers(), site::current());
        else
            block_barrier(site::current());
    };

    const std::int64_t at = (p.first_block + blockIdx.x) * teams + team,
                       entry = at < p.batch ? at : p.batch - 1;
    T *const a = problem.matrix(p.a, entry), *const b = problem.matrix(p.b, entry),
             *const c = problem.matrix(p.c, entry);
    T *const local_a = local + team * p.a.local_size, *const own_a = local_a + within_16_bytes(a);
    T *const own_b = local_a + p.b.local_at + within_16_bytes(b), *const own_c =
                                                                      local_a + within_16_bytes(c);
    /* The largest leave little of the memory that L1 shares. */
    constexpr bool cached = Size * Across < 64;
    copy_run(to_local<cached>(), own_a, a, p.m * p.k, item, items);
    copy_run(to_local<cached>(), own_b, b, p.k * p.n, item, items);
    copies_to_local_done();
    barrier();

    group_matrix<T, Size, Size, group> sum;
    sum.fill(T{});
    if constexpr (uses_matrix_unit<T, group, Size, Size, 8>) /* else plan does not choose it */
        multiply_dense(g, own_a + i * p.k, p.k, own_b + j, p.n, sum, p.k, p.m - i, p.n - j);
    barrier();
    sum.scale(problem.alpha);
    sum.store(g, own_c + i * p.n + j, p.n, p.m - i, p.n - j);
    barrier();
    if (at < p.batch)
        copy_run(from_local<T>{problem.beta}, own_c, c, p.m * p.n, item, items);
}

SUBWAVE_END

#endif
