/* SPDX-License-Identifier: MIT
 * matmul.hip: C = alpha A B + beta C by one work-item a cell (naive), a row of A in local memory
 * (local), and a row of A broadcast through the sub-group (broadcast).
 */
#include "kernels.h"

#include <subwave/subwave.hpp>

SUBWAVE_BEGIN

template <class T> struct matmul_problem {
    std::int64_t m, n, k;
    const T *a, *b;
    T *c;
    std::int64_t a_row, a_column, b_row, b_column, c_row;
    T alpha, beta;

    SUBWAVE_DEVICE T a_at(std::int64_t i, std::int64_t l) const { return a[i * a_row + l * a_column]; }
    SUBWAVE_DEVICE T b_at(std::int64_t l, std::int64_t j) const { return b[l * b_row + j * b_column]; }

    /* beta = 0 must not read C, which may hold anything. */
    SUBWAVE_DEVICE void store(std::int64_t i, std::int64_t j, T sum) const
    {
        T *cell = &c[i * c_row + j];
        *cell = beta == T(0) ? alpha * sum : alpha * sum + beta * *cell;
    }
};

/* A grid of any size walks over tiles of C, `rows` x `columns` cells each. Rows run fastest: blocks
 * that run together share a panel of B. */
struct tile_walk {
    std::int64_t down, count;

    SUBWAVE_DEVICE tile_walk(std::int64_t m, std::int64_t n, std::int64_t rows, std::int64_t columns)
        : down((m + rows - 1) / rows), count(down * ((n + columns - 1) / columns))
    {
    }
    SUBWAVE_DEVICE std::int64_t row(std::int64_t tile) const { return tile % down; }
    SUBWAVE_DEVICE std::int64_t column(std::int64_t tile) const { return tile / down; }
};

/* A work-item computes a cell, reading a row of A and a column of B. Block: columns x rows. */
template <class T> SUBWAVE_KERNEL(256) matmul_naive(matmul_problem<T> p)
{
    tile_walk walk(p.m, p.n, blockDim.y, blockDim.x);
    for (std::int64_t tile = blockIdx.x; tile < walk.count; tile += gridDim.x) {
        std::int64_t i = walk.row(tile) * blockDim.y + threadIdx.y;
        std::int64_t j = walk.column(tile) * blockDim.x + threadIdx.x;
        if (i >= p.m || j >= p.n)
            continue;
        T sum = 0;
        for (std::int64_t l = 0; l < p.k; ++l)
            sum += p.a_at(i, l) * p.b_at(l, j);
        p.store(i, j, sum);
    }
}

/* A block of B work-items computes B cells of one row; they load B elements of A's row into local
 * memory, and wait before they use them and before they replace them. */
template <class T> SUBWAVE_KERNEL(256) matmul_local(matmul_problem<T> p)
{
    SUBWAVE_DYNAMIC_SHARED(T, part);
    int item = threadIdx.x, width = blockDim.x;
    tile_walk walk(p.m, p.n, 1, width);
    for (std::int64_t tile = blockIdx.x; tile < walk.count; tile += gridDim.x) {
        std::int64_t i = walk.row(tile);
        std::int64_t j = walk.column(tile) * width + item;
        std::int64_t column = j < p.n ? j : p.n - 1; /* all must reach the barriers */
        T sum = 0;
        for (std::int64_t l = 0; l < p.k; l += width) {
            if (l + item < p.k)
                part[item] = p.a_at(i, l + item);
            block_barrier(site::current());
            int steps = p.k - l < width ? static_cast<int>(p.k - l) : width;
            for (int s = 0; s < steps; ++s)
                sum += part[s] * p.b_at(l + s, column);
            block_barrier(site::current());
        }
        if (j < p.n)
            p.store(i, j, sum);
    }
}

template <class T, int Rows> struct fragment {
    T row[Rows];
};

/* sum += (column l of A's tile) x (row l of B's tile), where `a` holds the former and `columns` says
 * which of B's columns are this work-item's. */
template <bool Contiguous, class T, int Rows, int Columns>
SUBWAVE_DEVICE void multiply_step(T (&sum)[Rows][Columns], const fragment<T, Rows> &a,
                                  const T *b_row, const std::int64_t (&columns)[Columns])
{
    T b[Columns];
    SUBWAVE_UNROLL
    for (int c = 0; c < Columns; ++c)
        b[c] = Contiguous ? b_row[columns[0] + c] : b_row[columns[c]];
    SUBWAVE_UNROLL
    for (int r = 0; r < Rows; ++r) {
        SUBWAVE_UNROLL
        for (int c = 0; c < Columns; ++c)
            sum[r][c] += a.row[r] * b[c];
    }
}

/* A sub-group of W work-items computes Rows x (W Columns) cells, a work-item Rows x Columns of them.
 * Work-item s loads element l + s of each row of A, once; the group then hears each element in turn.
 * No local memory, no barrier. Rows = Columns = 1 is the tutorial's kernel. */
template <class T, int Rows, int Columns> SUBWAVE_KERNEL(256) matmul_broadcast(matmul_problem<T> p)
{
    sub_group sg = this_work_item::get_sub_group();
    const int width = wave_size();
    const int item = sg.get_local_linear_id();
    const std::int64_t groups = sg.get_group_linear_range(), group = sg.get_group_linear_id();

    tile_walk walk(p.m, p.n, Rows * groups, std::int64_t(Columns) * width);
    for (std::int64_t tile = blockIdx.x; tile < walk.count; tile += gridDim.x) {
        const std::int64_t i = (walk.row(tile) * groups + group) * Rows;
        const std::int64_t j = (walk.column(tile) * width + item) * Columns;
        std::int64_t columns[Columns];
        SUBWAVE_UNROLL
        for (int c = 0; c < Columns; ++c) /* outside: any valid column, the sum is not stored */
            columns[c] = (j + c < p.n ? j + c : p.n - 1) * p.b_column;
        /* The same for the whole sub-group, which must stay together to hear the broadcasts. */
        const bool contiguous =
            p.b_column == 1 && (walk.column(tile) + 1) * width * Columns <= p.n;

        T sum[Rows][Columns] = {};
        for (std::int64_t l = 0; l < p.k; l += width) {
            fragment<T, Rows> mine;
            SUBWAVE_UNROLL
            for (int r = 0; r < Rows; ++r)
                mine.row[r] = i + r < p.m && l + item < p.k ? p.a_at(i + r, l + item) : T(0);
            auto a = publish(sg, mine);

            const T *b_row = p.b + l * p.b_row;
            const int steps = p.k - l < width ? static_cast<int>(p.k - l) : width;
            if (contiguous)
                for (int s = 0; s < steps; ++s, b_row += p.b_row)
                    multiply_step<true>(sum, a[s], b_row, columns);
            else
                for (int s = 0; s < steps; ++s, b_row += p.b_row)
                    multiply_step<false>(sum, a[s], b_row, columns);
        }
        SUBWAVE_UNROLL
        for (int r = 0; r < Rows; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Columns; ++c)
                if (i + r < p.m && j + c < p.n)
                    p.store(i + r, j + c, sum[r][c]);
        }
    }
}

template <class T> static int launch_matmul(const subwave_matmul_launch &plan, void *stream)
{
    matmul_problem<T> problem = {plan.m,
                                 plan.n,
                                 plan.k,
                                 static_cast<const T *>(plan.a),
                                 static_cast<const T *>(plan.b),
                                 static_cast<T *>(plan.c),
                                 plan.a_row,
                                 plan.a_column,
                                 plan.b_row,
                                 plan.b_column,
                                 plan.c_row,
                                 static_cast<T>(plan.alpha),
                                 static_cast<T>(plan.beta)};
    void (*kernel)(matmul_problem<T>) = nullptr;
    if (plan.variant == SUBWAVE_VARIANT_NAIVE)
        kernel = matmul_naive<T>;
    else if (plan.variant == SUBWAVE_VARIANT_LOCAL)
        kernel = matmul_local<T>;
    else if (plan.variant == SUBWAVE_VARIANT_BROADCAST && plan.tile_rows == 1)
        kernel = matmul_broadcast<T, 1, 1>;
    else if (plan.variant == SUBWAVE_VARIANT_BROADCAST && plan.tile_rows == 4)
        kernel = matmul_broadcast<T, 4, 4>;
    if (!kernel)
        return SUBWAVE_NO_KERNEL;
    return launch(kernel, dim3(plan.blocks), dim3(plan.block_x, plan.block_y), plan.shared_bytes,
                  stream, problem);
}

SUBWAVE_END

SUBWAVE_KERNELS_matmul(SUBWAVE_DEFINE_LAUNCHER)
