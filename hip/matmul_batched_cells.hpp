/* SPDX-License-Identifier: MIT
 * matmul_batched_cells.hpp: small products of sizes that are no group's: a lane has several cells of C, and a block
 * several entries, whose matrices are copied to local memory in the order in which they lie.
 */
#ifndef SUBWAVE_HIP_MATMUL_BATCHED_CELLS_HPP
#define SUBWAVE_HIP_MATMUL_BATCHED_CELLS_HPP

#include "matmul_batched.hpp"

SUBWAVE_BEGIN

/* Exact while the product of both is below 2^20. */
SUBWAVE_DEVICE int quotient(int x, subwave_divisor by)
{
    return static_cast<int>(static_cast<std::uint32_t>(x) * by.reciprocal >> 20);
}

/* Copies rows of `columns` elements, a row by neighbours among `items` work-items. */
template <class Copy, class T>
SUBWAVE_DEVICE void copy_rows(Copy copy, T *local, int local_ld, T *x, std::int64_t ld, int rows, int columns,
                              int item, int items)
{
    const int width = columns < items ? columns : items;
    const subwave_divisor by_width = {std::uint32_t(width), (1u << 20) / std::uint32_t(width) + 1};
    const int together = quotient(items, by_width), first = quotient(item, by_width);
    if (first >= together)
        return;
    local += first * local_ld;
    x += first * ld;
    const std::int64_t step = together * ld;
    SUBWAVE_ROLLED
    for (int i = first; i < rows; i += together, local += together * local_ld, x += step) {
        SUBWAVE_ROLLED
        for (int j = item - first * width; j < columns; j += width)
            copy(local + j, x + j);
    }
}

/* Where a block's part of an operand begins in local memory; a run as far into 16 bytes as x, its first element. */
template <class T>
SUBWAVE_DEVICE T *begin_of(const subwave_matmul_batched_operand &operand, T *local, const T *x)
{
    return local + operand.local_at + (operand.run ? within_16_bytes(x) : 0);
}

/* Copies the rows x columns from (i, j) on of op(X), X an operand of several entries, between local memory and X.
 * Returns where they begin in local memory. The problem is read anew by whoever calls, as AMD's scalar registers
 * cannot keep it. */
template <class T, class Copy>
SUBWAVE_DEVICE T *copy_part(Copy copy, const matmul_batched_problem<T> &problem,
                            subwave_matmul_batched_operand subwave_matmul_batched_launch::*operand, T *local,
                            std::int64_t first, int entries, int i, int j, int rows, int columns)
{
    const subwave_matmul_batched_operand &x = problem.p.*operand;
    const int item = block_item(), items = block_size();
    local = begin_of(x, local, problem.matrix(x, first));
    if (x.run) {
        copy_run(copy, local, problem.matrix(x, first), entries * x.local_size, item, items);
        return local;
    }
    const int stored_rows = x.transposed ? columns : rows, stored_columns = x.transposed ? rows : columns;
    const std::int64_t corner = x.transposed ? j * x.ld + i : i * x.ld + j;
    /* By all, or a wave an entry. */
    const int members = entries == 1 ? items : wave_size(), team = entries == 1 ? 0 : item / wave_size();
    SUBWAVE_ROLLED
    for (int entry = team; entry < entries; entry += items / members) {
        copy_rows(copy, local + entry * x.local_size, x.local_ld, problem.matrix(x, first + entry) + corner, x.ld,
                  stored_rows, stored_columns, item - team * members, members);
    }
    return local;
}

/* An operand in local memory: element (i, j) of a block's entry e is first[e * entry + i * row + j * column]. */
template <class T> struct local_operand {
    const T *first;
    int entry, row, column;
    SUBWAVE_DEVICE local_operand(const T *first, const subwave_matmul_batched_operand &x)
        : first(first), entry(x.local_size), row(x.transposed ? 1 : x.local_ld),
          column(x.transposed ? x.local_ld : 1)
    {
    }
};

/* A lane's Side x Side cells of an entry: the entry's rows and columns are dealt out to the grid of its lanes in
 * turn. */
template <class T, int Side> class lane_cells {
    int entry_, row_, column_, down_, across_;
    bool idle_;
    T sum_[Side][Side];

    SUBWAVE_DEVICE int row(int r) const { return row_ + r * down_; }
    SUBWAVE_DEVICE int column(int c) const { return column_ + c * across_; }

public:
    SUBWAVE_DEVICE lane_cells(const subwave_matmul_batched_launch &p, int entries)
        : down_(p.lane_rows), across_(static_cast<int>(p.lane_columns.number))
    {
        const int item = block_item();
        entry_ = quotient(item, p.lanes);
        const int lane = item - entry_ * static_cast<int>(p.lanes.number);
        row_ = quotient(lane, p.lane_columns);
        column_ = lane - row_ * across_;
        idle_ = entry_ >= entries;
        entry_ = idle_ ? 0 : entry_;
        SUBWAVE_UNROLL
        for (int r = 0; r < Side; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Side; ++c)
                sum_[r][c] = T{};
        }
    }

    SUBWAVE_DEVICE int entry() const { return entry_; }

    SUBWAVE_DEVICE void add(local_operand<T> a, local_operand<T> b, int terms, int rows, int columns)
    {
        if (idle_)
            return;
        if (a.column == 1 && b.column == 1)
            add_in<true, true>(a, b, terms, rows, columns);
        else if (a.column == 1)
            add_in<true, false>(a, b, terms, rows, columns);
        else if (b.column == 1)
            add_in<false, true>(a, b, terms, rows, columns);
        else
            add_in<false, false>(a, b, terms, rows, columns);
    }

    /* f(i, j, sum) for the lane's cells. */
    template <class F> SUBWAVE_DEVICE void for_each(int rows, int columns, F f)
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < Side; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Side; ++c)
                if (!idle_ && row(r) < rows && column(c) < columns)
                    f(row(r), column(c), sum_[r][c]);
        }
    }

private:
    /* InRows: whether elements that follow one another are a row's. */
    template <bool AInRows, bool BInRows>
    SUBWAVE_DEVICE void add_in(local_operand<T> a, local_operand<T> b, int terms, int rows, int columns)
    {
        /* Beyond C the last row and column again, whose sums are not used. */
        const T *left[Side], *right[Side];
        SUBWAVE_UNROLL
        for (int r = 0; r < Side; ++r) {
            left[r] = a.first + entry_ * a.entry + (row(r) < rows ? row(r) : rows - 1) * (AInRows ? a.row : 1);
            right[r] = b.first + entry_ * b.entry +
                       (column(r) < columns ? column(r) : columns - 1) * (BInRows ? 1 : b.column);
        }
        const int a_step = AInRows ? 1 : a.column, b_step = BInRows ? b.row : 1;
        int l = 0;
        SUBWAVE_ROLLED
        for (; l + 2 <= terms; l += 2)
            add_terms<2>(left, right, l, a_step, b_step);
        if (l < terms)
            add_terms<1>(left, right, l, a_step, b_step);
    }

    template <int Count>
    SUBWAVE_DEVICE void add_terms(const T *const (&left)[Side], const T *const (&right)[Side], int l, int a_step,
                                  int b_step)
    {
        T x[Count][Side], y[Count][Side];
        SUBWAVE_UNROLL
        for (int u = 0; u < Count; ++u) {
            SUBWAVE_UNROLL
            for (int r = 0; r < Side; ++r) {
                x[u][r] = left[r][(l + u) * a_step];
                y[u][r] = right[r][(l + u) * b_step];
            }
        }
        SUBWAVE_UNROLL
        for (int u = 0; u < Count; ++u) {
            SUBWAVE_UNROLL
            for (int r = 0; r < Side; ++r) {
                SUBWAVE_UNROLL
                for (int c = 0; c < Side; ++c)
                    sum_[r][c] = multiply_add(x[u][r], y[u][c], sum_[r][c]);
            }
        }
    }
};

/* A block computes p.entries entries, p.terms terms at a time. */
template <class T, int Side>
SUBWAVE_KERNEL(SUBWAVE_MATMUL_BATCHED_BLOCK) matmul_batched_cells(matmul_batched_problem<T> problem)
{
    SUBWAVE_DYNAMIC_SHARED(T, local);
    using launch = subwave_matmul_batched_launch;
    const launch &p = problem.p;
    const std::int64_t entry = (p.first_block + blockIdx.x) * p.entries, left = p.batch - entry;
    const int entries = left < p.entries ? static_cast<int>(left) : p.entries;

    lane_cells<T, Side> cells(p, entries);
    for (int l = 0; l < argument_read_anew(problem).p.k; l += argument_read_anew(problem).p.terms) {
        const auto now = argument_read_anew(problem);
        const int terms = now.p.k - l < now.p.terms ? now.p.k - l : now.p.terms;
        T *const a = copy_part(to_local<>(), now, &launch::a, local, entry, entries, 0, l, now.p.m, terms);
        const auto then = argument_read_anew(problem);
        T *const b = copy_part(to_local<>(), then, &launch::b, local, entry, entries, l, 0, terms, then.p.n);
        copies_to_local_done();
        block_barrier(site::current());
        const auto last = argument_read_anew(problem);
        if (last.p.a.conjugate || last.p.b.conjugate) { /* and so transposed */
            const int item = block_item(), items = block_size();
            for (int e = item; last.p.a.conjugate && e < entries * last.p.a.local_size; e += items)
                a[e] = conjugate(a[e]);
            for (int e = item; last.p.b.conjugate && e < entries * last.p.b.local_size; e += items)
                b[e] = conjugate(b[e]);
            block_barrier(site::current());
        }
        cells.add(local_operand<T>(a, last.p.a), local_operand<T>(b, last.p.b), terms, last.p.m, last.p.n);
        block_barrier(site::current());
    }

    const auto end = argument_read_anew(problem);
    T *const c = begin_of(end.p.c, local, problem.matrix(end.p.c, entry)) + cells.entry() * end.p.c.local_size;
    cells.for_each(end.p.m, end.p.n, [&](int i, int j, T sum) {
        c[i * end.p.c.local_ld + j] = multiply_add(end.alpha, sum, T{});
    });
    block_barrier(site::current());
    copy_part(from_local<T>{end.beta}, end, &launch::c, local, entry, entries, 0, 0, end.p.m, end.p.n);
}

SUBWAVE_END

#endif
