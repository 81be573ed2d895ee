/* SPDX-License-Identifier: MIT
 * matmul.hpp: small matrices in the registers of a group, and their product by broadcasts within
 * it.
 *
 *   using group = fixed_size_group<16>;
 *   group_matrix<double, 12, 8, group> a;
 *   group_matrix<double, 8, 20, group> b;
 *   group_matrix<double, 12, 20, group> c;
 *   a.load(g, pointer_a, lda);
 *   b.load(g, pointer_b, ldb);
 *   c.fill(0);
 *   matmul(g, a, b, c);
 *   c.store(g, pointer_c, ldc);
 *
 * The members of a group of P form a grid of lanes, in the order of their local ids along its rows:
 *
 *   P             1      2      4      8      16     32     64
 *   lane grid     1x1    1x2    1x4    2x4    4x4    8x4    8x8
 *
 * Every matrix, whatever its part in a product, is dealt out to the grid in turn, in both
 * directions: in a grid of R x C lanes element (i, j) is held by the member with local id (i mod R)
 * C + j mod C, as its element (i / R, j / C). So a product may be an operand of the next.
 */
#ifndef SUBWAVE_DEVICE_MATMUL_HPP
#define SUBWAVE_DEVICE_MATMUL_HPP

#include <subwave/device/complex.hpp>
#include <subwave/device/groups.hpp>

SUBWAVE_BEGIN

/* How many members a group of this type has, and the fewest it may have on any device that this
 * compilation serves. A sub_group must be whole. */
template <class Group> struct lane_grid_members;
template <std::size_t P, class Parent> struct lane_grid_members<fixed_size_group<P, Parent>> {
    static constexpr int fewest = P;
    static SUBWAVE_DEVICE constexpr int count() { return P; }
};
template <> struct lane_grid_members<sub_group> {
    static constexpr int fewest = min_wave_size();
    static SUBWAVE_DEVICE int count() { return wave_size(); }
};

/* The grid of the members of a group. */
template <class Group> struct lane_grid {
    using members = lane_grid_members<Group>;
    static constexpr __host__ __device__ int columns_of(int members)
    {
        return members >= 64 ? 8 : members >= 4 ? 4 : members;
    }
    static constexpr int fewest_columns = columns_of(members::fewest);
    static constexpr int fewest_rows = members::fewest / fewest_columns;
    static SUBWAVE_DEVICE int columns() { return columns_of(members::count()); }
    static SUBWAVE_DEVICE int rows() { return members::count() / columns(); }
    static SUBWAVE_DEVICE int row(Group g) { return g.get_local_linear_id() / columns(); }
    static SUBWAVE_DEVICE int column(Group g) { return g.get_local_linear_id() % columns(); }
};

/* A member's part of a Rows x Columns matrix. */
template <class T, int Rows, int Columns, class Group> class group_matrix {
public:
    using grid = lane_grid<Group>;
    static SUBWAVE_DEVICE int rows_each() { return (Rows + grid::rows() - 1) / grid::rows(); }
    static SUBWAVE_DEVICE int columns_each()
    {
        return (Columns + grid::columns() - 1) / grid::columns();
    }
    SUBWAVE_DEVICE T &at(int r, int c) { return element_[r * columns_each() + c]; }
    SUBWAVE_DEVICE const T &at(int r, int c) const { return element_[r * columns_each() + c]; }

    /* Calls f(i, j, element) for each of the member's elements; i and j may be beyond the matrix
     * where the grid does not divide it. */
    template <class F> SUBWAVE_DEVICE void for_each(Group g, F f)
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < rows_each(); ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < columns_each(); ++c)
                f(grid::rows() * r + grid::row(g), grid::columns() * c + grid::column(g), at(r, c));
        }
    }

    SUBWAVE_DEVICE void fill(T value)
    {
        SUBWAVE_UNROLL
        for (int e = 0; e < rows_each() * columns_each(); ++e)
            element_[e] = value;
    }
    SUBWAVE_DEVICE void scale(T factor)
    {
        SUBWAVE_UNROLL
        for (int e = 0; e < rows_each() * columns_each(); ++e)
            element_[e] = multiply_add(factor, element_[e], T{});
    }
    SUBWAVE_DEVICE void conjugate()
    {
        SUBWAVE_UNROLL
        for (int e = 0; e < rows_each() * columns_each(); ++e)
            element_[e] = subwave::conjugate(element_[e]);
    }

    /* Element (i, j) is x[i * ld + j], or x[i + j * ld] if transposed. Only the first `rows` rows
     * and `columns` columns are accessed; load makes the others zero. */
    SUBWAVE_DEVICE void load(Group g, const T *x, std::int64_t ld, int rows = Rows,
                             int columns = Columns)
    {
        each_in_memory(g, x, ld, 1, rows, columns,
                       [](T &element, const T *x, bool inside) { element = inside ? *x : T{}; });
    }
    SUBWAVE_DEVICE void load_transposed(Group g, const T *x, std::int64_t ld, int rows = Rows,
                                        int columns = Columns)
    {
        each_in_memory(g, x, 1, ld, rows, columns,
                       [](T &element, const T *x, bool inside) { element = inside ? *x : T{}; });
    }
    /* Adds factor times the matrix in memory. */
    SUBWAVE_DEVICE void add(Group g, T factor, const T *x, std::int64_t ld, int rows = Rows,
                            int columns = Columns)
    {
        each_in_memory(g, x, ld, 1, rows, columns, [=](T &element, const T *x, bool inside) {
            if (inside)
                element = multiply_add(factor, *x, element);
        });
    }
    SUBWAVE_DEVICE void store(Group g, T *x, std::int64_t ld, int rows = Rows,
                              int columns = Columns)
    {
        each_in_memory(g, x, ld, 1, rows, columns, [](T &element, T *x, bool inside) {
            if (inside)
                *x = element;
        });
    }

private:
    /* Calls f(element, its address, whether it is in the first `rows` rows and `columns` columns);
     * where all are, the compiler knows. */
    template <class Pointer, class Row, class Column, class F>
    SUBWAVE_DEVICE void each_in_memory(Group g, Pointer x, Row row_stride, Column column_stride,
                                       int rows, int columns, F f)
    {
        const int i = grid::row(g), j = grid::column(g), down = grid::rows(),
                  across = grid::columns();
        const bool whole =
            Rows % down == 0 && Columns % across == 0 && rows >= Rows && columns >= Columns;
        const Pointer corner = x + i * row_stride + j * column_stride;
        if (whole) {
            SUBWAVE_UNROLL
            for (int r = 0; r < rows_each(); ++r) {
                SUBWAVE_UNROLL
                for (int c = 0; c < columns_each(); ++c)
                    f(at(r, c), corner + down * r * row_stride + across * c * column_stride, true);
            }
        } else {
            SUBWAVE_UNROLL
            for (int r = 0; r < rows_each(); ++r) {
                SUBWAVE_UNROLL
                for (int c = 0; c < columns_each(); ++c)
                    f(at(r, c), corner + down * r * row_stride + across * c * column_stride,
                      i + down * r < rows && j + across * c < columns);
            }
        }
    }

    T element_[(Rows + grid::fewest_rows - 1) / grid::fewest_rows *
               ((Columns + grid::fewest_columns - 1) / grid::fewest_columns)];
};

/* Whether matmul works on the matrix unit. */
template <class T, class Group, int M, int N, int K>
inline constexpr bool uses_matrix_unit =
    wave_multiplies_matrices<T> && lane_grid_members<Group>::fewest == 32 && M % 8 == 0 &&
    N % 8 == 0 && K % 8 == 0;

/* Of eight columns, the one that the lanes of a row of the grid hold for the matrix unit, which
 * gives its columns 2 q and 2 q + 1 to lane column q: those whose remainder by 4 is q. */
SUBWAVE_DEVICE int matrix_unit_column(int row) { return row / 2 + row % 2 * 4; }

/* Columns j to j + 7 of c += columns l to l + 7 of a times b, as the matrix unit has it; of the
 * first `rows` rows at least. */
template <class T, int M, int N, int K, class Group>
SUBWAVE_DEVICE void multiply_on_matrix_unit(const group_matrix<T, M, K, Group> &a, int l,
                                            const T (&b)[2], group_matrix<T, M, N, Group> &c, int j,
                                            int rows = M)
{
    SUBWAVE_UNROLL
    for (int i = 0; i < M / 8; i += 2) {
        if (8 * i >= rows)
            break;
        T none[2] = {};
        const bool two = i + 1 < M / 8;
        const T left[4] = {a.at(i, l / 4), two ? a.at(i + 1, l / 4) : T(0), a.at(i, l / 4 + 1),
                           two ? a.at(i + 1, l / 4 + 1) : T(0)};
        wave_multiply_16x8x8(left, b, c.at(i, j / 4), c.at(i, j / 4 + 1),
                             two ? c.at(i + 1, j / 4) : none[0],
                             two ? c.at(i + 1, j / 4 + 1) : none[1]);
    }
}

/* c += a b, an element's steps of k in ascending order (four at a time where the wave's matrix unit
 * adds them). All members call together, with all other groups of the same type in `callers`, which
 * is g itself or its sub_group: the latter is faster on NVIDIA. What lies beyond the first `terms`
 * columns of a and rows of b is zero, and need not be gone through. */
template <class T, int M, int N, int K, class Group, class Callers>
SUBWAVE_DEVICE void matmul(Callers callers, Group g, const group_matrix<T, M, K, Group> &a,
                           const group_matrix<T, K, N, Group> &b, group_matrix<T, M, N, Group> &c,
                           int terms = K, site where = site::current())
{
    using grid = lane_grid<Group>;
    const int row = grid::row(g), column = grid::column(g);
    if constexpr (uses_matrix_unit<T, Group, M, N, K>) {
        /* A's and C's elements are where the matrix unit wants them. Of B it wants B[q + 4 h][p] in
         * lane (p, q) as part h, with columns as in matrix_unit_column(): one of two elements of
         * lane (q + 4 h, p / 2). Lanes of even p ask the upper half of the grid first, the others
         * the lower. */
        const bool lower = row >= 4, odd = row % 2;
        const int source = column * 4 + row / 2, other = source + 16;
        const lane_mask all = callers.callers();
        SUBWAVE_UNROLL
        for (int l = 0; l < K; l += 8) {
            if (l >= terms)
                break;
            SUBWAVE_UNROLL
            for (int j = 0; j < N; j += 8) {
                const T even = b.at(l / 8, j / 4), uneven = b.at(l / 8, j / 4 + 1);
                const T x = wave_shuffle(all, lower ? uneven : even, odd ? other : source, where);
                const T y = wave_shuffle(all, lower ? even : uneven, odd ? source : other, where);
                const T part[2] = {odd ? y : x, odd ? x : y};
                multiply_on_matrix_unit(a, l, part, c, j);
            }
        }
    } else {
        struct operands {
            group_matrix<T, M, K, Group> a;
            group_matrix<T, K, N, Group> b;
        };
        const auto received = wave_publish(callers.callers(), operands{a, b}, where);
        const int across = grid::columns(), down = grid::rows();
        SUBWAVE_UNROLL
        for (int l = 0; l < K; ++l) {
            if (l % 4 == 0 && l >= terms)
                break;
            /* Along a row of lanes an element of A, along a column one of B. */
            const int of_a = g.lane_of(row * across + l % across);
            const int of_b = g.lane_of(l % down * across + column);
            T left[(M + grid::fewest_rows - 1) / grid::fewest_rows];
            SUBWAVE_UNROLL
            for (int r = 0; r < c.rows_each(); ++r)
                left[r] = received.template select_block<grid::fewest_columns>(
                    of_a, l % across, [=](const operands &x) { return x.a.at(r, l / across); });
            SUBWAVE_UNROLL
            for (int s = 0; s < c.columns_each(); ++s) {
                const T right =
                    down == 1 ? b.at(l, s) : received.select(of_b, [=](const operands &x) {
                        return x.b.at(l / down, s);
                    });
                SUBWAVE_UNROLL
                for (int r = 0; r < c.rows_each(); ++r)
                    c.at(r, s) = multiply_add(left[r], right, c.at(r, s));
            }
        }
    }
}

template <class T, int M, int N, int K, class Group>
SUBWAVE_DEVICE void matmul(Group g, const group_matrix<T, M, K, Group> &a,
                           const group_matrix<T, K, N, Group> &b, group_matrix<T, M, N, Group> &c,
                           int terms = K, site where = site::current())
{
    matmul(g, g, a, b, c, terms, where);
}

/* c += A B, where A and B lie in memory that all members see, well in local memory: element (i, l)
 * of A is at a[i * a_row + l * a_column], (l, j) of B at b[l * b_row + j * b_column]. All M rows
 * and N columns must be readable, but those beyond the first `rows` and `columns` may hold
 * anything, and c then holds anything there. Where the matrix unit is used, `terms` is rounded up
 * to a multiple of 8. */
template <class T, int M, int N, class Group>
SUBWAVE_DEVICE void matmul(Group g, const T *a, int a_row, int a_column, const T *b, int b_row,
                           int b_column, group_matrix<T, M, N, Group> &c, int terms, int rows = M,
                           int columns = N)
{
    using grid = lane_grid<Group>;
    const int row = grid::row(g), column = grid::column(g);
    if constexpr (uses_matrix_unit<T, Group, M, N, 8>) {
        a += row * a_row + column * a_column;
        b += column * b_row + matrix_unit_column(row) * b_column;
        SUBWAVE_ROLLED
        for (int l = 0; l < terms; l += 8, a += 8 * a_column, b += 8 * b_row) {
            group_matrix<T, M, 8, Group> left;
            SUBWAVE_UNROLL
            for (int i = 0; i < M / 8; ++i) {
                left.at(i, 0) = a[8 * i * a_row];
                left.at(i, 1) = a[8 * i * a_row + 4 * a_column];
            }
            SUBWAVE_UNROLL
            for (int j = 0; j < N; j += 8) {
                if (j >= columns)
                    break;
                const T right[2] = {b[j * b_column], b[j * b_column + 4 * b_row]};
                multiply_on_matrix_unit(left, 0, right, c, j, rows);
            }
        }
    } else {
        a += row * a_row;
        b += column * b_column;
        for (int l = 0; l < terms; ++l, a += a_column, b += b_row) {
            T left[(M + grid::fewest_rows - 1) / grid::fewest_rows];
            SUBWAVE_UNROLL
            for (int r = 0; r < c.rows_each(); ++r)
                left[r] = a[grid::rows() * r * a_row];
            SUBWAVE_UNROLL
            for (int s = 0; s < c.columns_each(); ++s) {
                const T right = b[grid::columns() * s * b_column];
                SUBWAVE_UNROLL
                for (int r = 0; r < c.rows_each(); ++r)
                    c.at(r, s) = multiply_add(left[r], right, c.at(r, s));
            }
        }
    }
}

SUBWAVE_END

#endif
