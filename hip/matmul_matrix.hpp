/* SPDX-License-Identifier: MIT
 * matmul_matrix.hpp: C = alpha A B + beta C by the matrix units, from panels of A and B in local memory.
 */
#ifndef SUBWAVE_HIP_MATMUL_MATRIX_HPP
#define SUBWAVE_HIP_MATMUL_MATRIX_HPP

#include "matmul.hpp"

#include <subwave/device/matrix.hpp>

SUBWAVE_BEGIN

/* A block's tile of C: matrix_down x matrix_across sub-groups, each with 4 x 4 tiles of the unit. While they multiply one
 * stage of k, the next is copied into the other half of local memory. Elements are kept in pairs: of
 * B along n, two operands; of A the unit's two rows, one operand, or along k, two. Pairs are permuted so
 * that lanes which load together find theirs in different banks. What lies beyond A or B is 0. Paired: a
 * pair along k or n is an aligned access to global memory. */
template <class T, bool Paired> class matrix_tile {
    using unit = matrix_unit<T>;
    static constexpr int side = 4;
    static constexpr int stage = matrix_stage;
    static constexpr bool by_rows = unit::a_held == 2; /* pairs of A */
    static constexpr int passes = by_rows ? 1 : 2;     /* of a pair of A through the unit */
    static constexpr int rows_ = matrix_down * side * unit::rows;
    /* Pairs of a stage that a work-item copies. */
    static constexpr int a_share = side * unit::rows * stage / (2 * matrix_across * unit::fewest_lanes);
    static constexpr int b_share = stage * side / (2 * matrix_down * unit::lanes_a_column);
    struct pair {
        T of[2];
    };

    const matmul_problem<T> p_;
    lane_mask members_;
    int i_sub_, j_sub_;  /* the sub-group's first cell in the block's tile */
    std::int64_t i_, j_; /* the tile's first cell */
    T sum_[side][side][unit::c_held];
    pair_copy<T, a_share> a_copy_;
    pair_copy<T, b_share> b_copy_;

public:
    SUBWAVE_DEVICE matrix_tile(const matmul_problem<T> &p, sub_group sg)
        : p_(p), members_(sg.callers())
    {
        const int group = sg.get_group_linear_id();
        i_sub_ = group % matrix_down * side * unit::rows;
        j_sub_ = group / matrix_down * side * unit::columns();
    }

    static SUBWAVE_DEVICE int rows() { return rows_; }
    static SUBWAVE_DEVICE int columns() { return matrix_across * side * unit::columns(); }

    /* `memory`: 2 stage (rows() + columns()) elements. */
    SUBWAVE_DEVICE void multiply(std::int64_t i, std::int64_t j, T *memory, site where)
    {
        i_ = i;
        j_ = j;
        SUBWAVE_UNROLL
        for (int r = 0; r < side; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < side; ++c) {
                SUBWAVE_UNROLL
                for (int e = 0; e < unit::c_held; ++e)
                    sum_[r][c][e] = 0;
            }
        }
        T *now = memory, *next = memory + stage * (rows() + columns());
        begin_copies(0, now);
        end_copies(now);
        for (std::int64_t l = 0; l < p_.k; l += stage) {
            block_barrier(where); /* all copies have arrived; nobody reads `next` any more */
            add(now, [&] { begin_copies(l + stage, next); }, where);
            end_copies(next);
            T *last = now;
            now = next;
            next = last;
        }
        store();
    }

private:
    static SUBWAVE_DEVICE unsigned threads() { return matrix_down * matrix_across * wave_size(); }
    static SUBWAVE_DEVICE int tile_part(std::int64_t left, int whole)
    {
        return left < whole ? static_cast<int>(left) : whole;
    }
    /* The pair whose first element is at (row, k), or (k, column). */
    static SUBWAVE_DEVICE T *a_place(T *memory, int row, int k)
    {
        const int half = unit::rows / 2;
        const int line = by_rows ? row / unit::rows * half + row % half : row;
        const int length = by_rows ? stage : stage / 2;
        return &memory[(line * length + (k / passes ^ line % 2 * (length >= 8 ? 4 : length / 2))) * 2];
    }
    static SUBWAVE_DEVICE T *b_place(T *memory, int k, int column)
    {
        return &memory[rows() * stage + k * columns() + (column / 2 ^ k / passes % 4 * 2) * 2];
    }

    /* Calls copy(e, place, row or column of the tile, k of the stage) for each pair that is this
     * work-item's. Neighbours copy along the dimension in which elements follow one another. */
    template <class F> SUBWAVE_DEVICE void each_a(T *memory, F copy)
    {
        constexpr unsigned half = unit::rows / 2;
        constexpr unsigned lines = by_rows ? rows_ / 2 : rows_, length = stage / passes;
        const bool along_k = p_.a_column == 1;
        const unsigned item = computed_anew(block_item());
        SUBWAVE_UNROLL
        for (int e = 0; e < a_share; ++e) {
            const unsigned n = item + e * threads();
            const unsigned line = along_k ? n / length : n % lines;
            const int k = (along_k ? n % length : n / lines) * passes;
            const int row = by_rows ? line / half * unit::rows + line % half : line;
            if (a_share * threads() == lines * length || n < lines * length)
                copy(e, a_place(memory, row, k), row, k);
        }
    }
    template <class F> SUBWAVE_DEVICE void each_b(T *memory, F copy)
    {
        const bool along_k = !Paired && p_.b_row == 1;
        const unsigned item = computed_anew(block_item()), across = columns() / 2;
        SUBWAVE_UNROLL
        for (int e = 0; e < b_share; ++e) {
            const unsigned n = item + e * threads();
            const int column = (along_k ? n / stage : n % across) * 2;
            const int k = along_k ? n % stage : n / across;
            copy(e, b_place(memory, k, column), column, k);
        }
    }

    /* How many of a pair's elements there are, where `left` are. */
    static SUBWAVE_DEVICE int of_pair(int left) { return left < 0 ? 0 : left < 2 ? left : 2; }

    SUBWAVE_DEVICE void begin_copies(std::int64_t l, T *memory)
    {
        const T *a = &p_.a[i_ * p_.a_row + l * p_.a_column], *b = &p_.b[l * p_.b_row + j_ * p_.b_column];
        const int m = tile_part(p_.m - i_, rows()), n = tile_part(p_.n - j_, columns());
        const int depth = tile_part(p_.k - l, stage);
        each_a(memory, [&](int e, T *place, int row, int k) {
            const T *from = &a[row * p_.a_row + k * p_.a_column];
            if constexpr (by_rows) {
                const int half = unit::rows / 2;
                a_copy_.template begin<false>(e, place, from, half * p_.a_row,
                                              k < depth ? (row < m) + (row + half < m) : 0);
            } else {
                a_copy_.template begin<Paired>(e, place, from, p_.a_column,
                                               row < m ? of_pair(depth - k) : 0);
            }
        });
        each_b(memory, [&](int e, T *place, int column, int k) {
            b_copy_.template begin<Paired>(e, place, &b[k * p_.b_row + column * p_.b_column],
                                           p_.b_column, k < depth ? of_pair(n - column) : 0);
        });
    }
    SUBWAVE_DEVICE void end_copies(T *memory)
    {
        each_a(memory, [&](int e, T *place, int, int) { a_copy_.end(e, place); });
        each_b(memory, [&](int e, T *place, int, int) { b_copy_.end(e, place); });
        a_copy_.wait();
    }

    static SUBWAVE_DEVICE pair load(const T *place)
    {
        pair loaded;
        memcpy(&loaded, __builtin_assume_aligned(place, 2 * sizeof(T)), sizeof loaded);
        return loaded;
    }

    /* With two passes, a lane's element of A at depth d of the unit is at 2 d and 2 d + 1 of the stage; its
     * element of B in column c is at 2 c and 2 c + 1, for two tiles. `meanwhile` is called once. */
    template <class F> SUBWAVE_DEVICE void add(T *memory, F meanwhile, site where)
    {
        SUBWAVE_UNROLL
        for (int k = 0; k < stage; k += passes * unit::depth) {
            pair a[side], b[passes][side / 2];
            SUBWAVE_UNROLL
            for (int r = 0; r < side; ++r)
                a[r] = load(a_place(memory, i_sub_ + r * unit::rows + unit::a_row(0),
                                    k + passes * unit::a_depth()));
            SUBWAVE_UNROLL
            for (int u = 0; u < passes; ++u) {
                SUBWAVE_UNROLL
                for (int c = 0; c < side / 2; ++c)
                    b[u][c] = load(b_place(memory, k + passes * unit::b_depth() + u,
                                           j_sub_ + 2 * (c * unit::columns() + unit::b_column())));
            }
            if (k == 0)
                meanwhile();
            SUBWAVE_UNROLL
            for (int u = 0; u < passes; ++u) {
                SUBWAVE_UNROLL
                for (int r = 0; r < side; ++r) {
                    T held[unit::a_held];
                    SUBWAVE_UNROLL
                    for (int e = 0; e < unit::a_held; ++e)
                        held[e] = a[r].of[by_rows ? e : u];
                    SUBWAVE_UNROLL
                    for (int c = 0; c < side; ++c)
                        unit::multiply_add(members_, sum_[r][c], held, b[u][c / 2].of[c % 2], where);
                }
            }
        }
    }

    SUBWAVE_DEVICE void store() const
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < side; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < side; ++c) {
                SUBWAVE_UNROLL
                for (int e = 0; e < unit::c_held; ++e) {
                    const std::int64_t i = i_ + i_sub_ + r * unit::rows + unit::c_row(e);
                    const std::int64_t j = j_ + j_sub_ + c % 2 +
                                           2 * (c / 2 * unit::columns() + unit::c_column(e));
                    if (i < p_.m && j < p_.n)
                        p_.store(i, j, sum_[r][c][e]);
                }
            }
        }
    }
};

/* An architecture without the unit has an empty kernel, which plan does not choose. */
template <class T, bool Paired>
SUBWAVE_KERNEL(matrix_down *matrix_across *max_wave_size(), 1) matmul_matrix(matmul_problem<T> p)
{
    if constexpr (matrix_unit<T>::exists) {
        SUBWAVE_DYNAMIC_SHARED(T, memory);
        matrix_tile<T, Paired> mine(p, this_work_item::get_sub_group());
        const block_tile tile(blockIdx.x, p.m, mine.rows());
        mine.multiply(tile.row * mine.rows(), tile.column * mine.columns(), memory, site::current());
    }
}

SUBWAVE_END

#endif
