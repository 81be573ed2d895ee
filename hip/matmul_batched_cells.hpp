/* SPDX-License-Identifier: MIT
 * matmul_batched_cells.hpp: small products of sizes that are no group's: a lane has several
 * elements of C, and a block several entries, whose matrices, dense and one after another, are
 * copied to shared memory in one piece.
 */
#ifndef SUBWAVE_HIP_MATMUL_BATCHED_CELLS_HPP
#define SUBWAVE_HIP_MATMUL_BATCHED_CELLS_HPP

#include "divisor.hpp"
#include "matmul_batched.hpp"

SUBWAVE_BEGIN

/* An operand in shared memory: element (i, j) of a block's entry e is first[e * entry + i * row + j
 * * column]. */
template <class T> struct local_operand {
    T *first;
    int entry, row, column;
    SUBWAVE_DEVICE local_operand(const matmul_batched_problem<T> &problem,
                                 const subwave_matmul_batched_operand &x, T *local,
                                 std::int64_t first_entry)
        : first(local + x.local_at + within_16_bytes(problem.matrix(x, first_entry))),
          entry(x.stride), row(x.transposed ? 1 : x.ld), column(x.transposed ? x.ld : 1)
    {
    }
};

/* A lane's Side x Side elements of an entry: the entry's rows and columns are dealt out to the grid
 * of its lanes in turn. */
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

    SUBWAVE_DEVICE void add(local_operand<T> a, local_operand<T> b, int terms, int rows,
                            int columns)
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

    /* f(i, j, sum) for the lane's elements. */
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
    SUBWAVE_DEVICE void add_in(local_operand<T> a, local_operand<T> b, int terms, int rows,
                               int columns)
    {
        /* Beyond C the last row and column again, whose sums are not used. */
        const T *left[Side], *right[Side];
        SUBWAVE_UNROLL
        for (int r = 0; r < Side; ++r) {
            left[r] = a.first + entry_ * a.entry +
                      (row(r) < rows ? row(r) : rows - 1) * (AInRows ? a.row : 1);
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
    SUBWAVE_DEVICE void add_terms(const T *const (&left)[Side], const T *const (&right)[Side],
                                  int l, int a_step, int b_step)
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

/* Blocks that NVIDIA's multiprocessors must have registers for, by what was faster on an H200. */
template <class T, int Side>
constexpr int cells_blocks = sizeof(T) == 16 || sizeof(T) == 4 ? 3
                             : Side == 3                       ? 8
                                                               : 5;

/* A block computes p.entries entries. */
template <class T, int Side>
SUBWAVE_KERNEL(SUBWAVE_MATMUL_BATCHED_BLOCK, (cells_blocks<T, Side>))
matmul_batched_cells(matmul_batched_problem<T> problem)
{
    SUBWAVE_DYNAMIC_SHARED(T, local);
    const subwave_matmul_batched_launch &p = problem.p;
    const int item = block_item(), items = block_size();
    const std::int64_t entry = (p.first_block + blockIdx.x) * p.entries, left = p.batch - entry;
    const int entries = left < p.entries ? static_cast<int>(left) : p.entries;
    const local_operand<T> a(problem, p.a, local, entry), b(problem, p.b, local, entry),
        c(problem, p.c, local, entry);
    copy_run(to_local<>(), a.first, problem.matrix(p.a, entry), entries * a.entry, item, items);
    copy_run(to_local<>(), b.first, problem.matrix(p.b, entry), entries * b.entry, item, items);
    copies_to_local_done();
    block_barrier(site::current());
    if (p.a.conjugate || p.b.conjugate) {
        for (int e = item; p.a.conjugate && e < entries * a.entry; e += items)
            a.first[e] = conjugate(a.first[e]);
        for (int e = item; p.b.conjugate && e < entries * b.entry; e += items)
            b.first[e] = conjugate(b.first[e]);
        block_barrier(site::current());
    }

    lane_cells<T, Side> cells(p, entries);
    cells.add(a, b, p.k, p.m, p.n);
    block_barrier(site::current());
    cells.for_each(p.m, p.n, [&](int i, int j, T sum) {
        c.first[cells.entry() * c.entry + i * c.row + j] = multiply_add(problem.alpha, sum, T{});
    });
    block_barrier(site::current());
    copy_run(from_local<T>{problem.beta}, c.first, problem.matrix(p.c, entry), entries * c.entry,
             item, items);
}

SUBWAVE_END

#endif
