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

/* A sub-group of W work-items computes Rows x (W Columns) cells, a work-item Rows x Columns of them.
 * Work-item s loads element l + s of each row of A, once; the group then hears each element in turn.
 * No local memory, no barrier. Rows = Columns = 1 is the tutorial's kernel. Contiguous: B's columns are,
 * and there are at least Columns of them. */
template <class T, int Rows, int Columns, bool Contiguous>
SUBWAVE_KERNEL(256) matmul_broadcast(matmul_problem<T> p)
{
    sub_group sg = this_work_item::get_sub_group();
    const int width = wave_size();
    const int item = sg.get_local_linear_id();
    const std::int64_t groups = sg.get_group_linear_range(), group = sg.get_group_linear_id();

    tile_walk walk(p.m, p.n, Rows * groups, std::int64_t(Columns) * width);
    for (std::int64_t tile = blockIdx.x; tile < walk.count; tile += gridDim.x) {
        const std::int64_t i = (walk.row(tile) * groups + group) * Rows;
        const std::int64_t j = (walk.column(tile) * width + item) * Columns;
        /* At the edges all stay in the group and load valid elements, but store only what is theirs:
         * rows up to `last`, and of the columns from `first` on those from j on. */
        const int last = static_cast<int>(p.m - 1 - i < Rows ? p.m - 1 - i : Rows);
        const std::int64_t edge = Contiguous ? p.n - Columns : p.n - 1;
        const std::int64_t first = j < edge ? j : edge;

        T sum[Rows][Columns] = {};
        for (std::int64_t l = 0; l < p.k; l += width) {
            const std::int64_t mine_l = l + item < p.k ? l + item : p.k - 1;
            fragment<T, Rows> mine;
            SUBWAVE_UNROLL
            for (int r = 0; r < Rows; ++r)
                mine.row[r] = p.a_at(i + (r < last ? r : last), mine_l);
            auto a = publish(sg, mine);

            const T *b_row = &p.b[l * p.b_row + first * (Contiguous ? 1 : p.b_column)];
            const int steps = p.k - l < width ? static_cast<int>(p.k - l) : width;
            for (int s = 0; s < steps; ++s, b_row += p.b_row) {
                const fragment<T, Rows> &heard = a[s];
                T b[Columns];
                SUBWAVE_UNROLL
                for (int c = 0; c < Columns; ++c)
                    b[c] = b_row[Contiguous       ? c
                                 : first + c < p.n ? c * p.b_column
                                                   : 0];
                SUBWAVE_UNROLL
                for (int r = 0; r < Rows; ++r) {
                    SUBWAVE_UNROLL
                    for (int c = 0; c < Columns; ++c)
                        sum[r][c] += heard.row[r] * b[c];
                }
            }
        }
        SUBWAVE_UNROLL
        for (int r = 0; r < Rows; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Columns; ++c)
                if (r <= last && first + c >= j && first + c < p.n)
                    p.store(i + r, first + c, sum[r][c]);
        }
    }
}

/* The kernel for a plan's variant and tile, or null. */
template <class T> static auto matmul_kernel(const subwave_matmul_launch &plan)
{
    const bool contiguous = plan.b_column == 1 && plan.n >= plan.tile_columns;
    void (*kernel)(matmul_problem<T>) = nullptr;
    if (plan.variant == SUBWAVE_VARIANT_NAIVE)
        kernel = matmul_naive<T>;
    else if (plan.variant == SUBWAVE_VARIANT_LOCAL)
        kernel = matmul_local<T>;
    else if (plan.variant == SUBWAVE_VARIANT_BROADCAST && plan.tile_rows == 1)
        kernel = contiguous ? matmul_broadcast<T, 1, 1, true> : matmul_broadcast<T, 1, 1, false>;
    else if (plan.variant == SUBWAVE_VARIANT_BROADCAST && plan.tile_rows == 4)
        kernel = contiguous ? matmul_broadcast<T, 4, 4, true> : matmul_broadcast<T, 4, 4, false>;
    return kernel;
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
    const auto kernel = matmul_kernel<T>(plan);
    if (!kernel)
        return SUBWAVE_NO_KERNEL;
    return launch(kernel, dim3(plan.blocks), dim3(plan.block_x, plan.block_y), plan.shared_bytes,
                  stream, problem);
}

SUBWAVE_END

SUBWAVE_KERNELS_matmul(SUBWAVE_DEFINE_LAUNCHER)
