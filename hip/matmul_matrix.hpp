/* SPDX-License-Identifier: MIT
 * matmul_matrix.hpp: C = alpha A B + beta C by the matrix units, from panels of A and B in local
 * memory.
 */
#ifndef SUBWAVE_HIP_MATMUL_MATRIX_HPP
#define SUBWAVE_HIP_MATMUL_MATRIX_HPP

#include "matmul.hpp"

#include "unit/matrix.hpp"

SUBWAVE_BEGIN

/* A stage of k of some rows of A or columns of B, which are "outer" here, copied by all work-items
 * of a block. It lies in lines of pairs: along k, a line an outer, first the even ones; or of two
 * outers, a line a k. What are neighbours in the matrix should be pairs. Those of a line are
 * permuted so that lanes which load together find theirs in different banks. What lies beyond the
 * matrix is 0. All sizes are powers of two. */
template <class T, unsigned Stage, bool AlongK, int Share> class matrix_panel {
    static constexpr unsigned stage = Stage, pair_bytes = 2 * sizeof(T);
    static constexpr unsigned banks = /* of a pair each */
        matrix_banks_bytes < pair_bytes ? 1 : matrix_banks_bytes / pair_bytes;

    const T *from_; /* this work-item's first pair of the stage that is copied next */
    std::int64_t by_outer_, by_k_;
    unsigned outers_, items_;
    int existing_, outer_, k_; /* of the outers; where that pair is in the stage */
    /* and in local memory; where the lane's part of a stage begins there */
    int place_, part_;
    bool paired_;
    pair_copy<T, Share> copies_;

public:
    /* This lane's part begins at outer 2 x, k 2 d. */
    SUBWAVE_DEVICE matrix_panel(const T *matrix, std::int64_t by_outer, std::int64_t by_k,
                                int outers, std::int64_t existing, int items, unsigned x,
                                unsigned d)
        : by_outer_(by_outer), by_k_(by_k), outers_(outers), items_(items),
          existing_(existing < outers ? static_cast<int>(existing) : outers),
          outer_(outer(block_item())), k_(k(block_item())), place_(place(block_item())),
          part_(AlongK ? (x * length() + permuted(x, d)) * 2
                       : (2 * d * length() + permuted(d, x)) * 2)
    {
        from_ = matrix + outer_ * by_outer + k_ * by_k;
        paired_ = (AlongK ? by_k : by_outer) == 1 && (AlongK ? by_outer : by_k) % 2 == 0 &&
                  reinterpret_cast<std::uintptr_t>(matrix) % pair_bytes == 0;
    }

    /* The next stage, of which the first `depth` k exist. */
    SUBWAVE_DEVICE void begin_copies(T *memory, int depth)
    {
        if (paired_ && existing_ == static_cast<int>(outers_) && depth == static_cast<int>(stage)) {
            each([&](int e, int place, int outer, int k) {
                copies_.begin(e, &memory[place], from_ + outer * by_outer_ + k * by_k_);
            });
        } else {
            each([&](int e, int place, int outer, int k) {
                const int outers = existing_ - outer_ - outer, ks = depth - k_ - k;
                const int along = AlongK ? ks : outers, other = AlongK ? outers : ks;
                copies_.begin(e, &memory[place], from_ + outer * by_outer_ + k * by_k_,
                              AlongK ? by_k_ : by_outer_, other > 0 ? along : 0);
            });
        }
        from_ += stage * by_k_;
    }
    SUBWAVE_DEVICE void end_copies(T *memory)
    {
        each([&](int e, int place, int, int) { copies_.end(e, &memory[place]); });
    }

    /* The lane's elements at k + u and outer + h of its part, which are multiples of what a unit
     * takes. */
    SUBWAVE_DEVICE void load(T (&part)[2][2], const T *memory, int outer, int k) const
    {
        const T *from = AlongK ? &memory[(part_ ^ k) + outer * length()]
                               : &memory[part_ + k * length() * 2 + outer];
        T pairs[2][2];
        SUBWAVE_UNROLL
        for (int e = 0; e < 2; ++e) {
            const T *pair = static_cast<const T *>(
                __builtin_assume_aligned(from + e * (AlongK ? outers_ : 2) * length(), pair_bytes));
            pairs[e][0] = pair[0];
            pairs[e][1] = pair[1];
        }
        SUBWAVE_UNROLL
        for (int u = 0; u < 2; ++u) {
            SUBWAVE_UNROLL
            for (int h = 0; h < 2; ++h)
                part[u][h] = AlongK ? pairs[h][u] : pairs[u][h];
        }
    }

private:
    SUBWAVE_DEVICE unsigned length() const { return (AlongK ? stage : outers_) / 2; }
    /* Where the n-th pair of a stage begins in it. */
    SUBWAVE_DEVICE int outer(unsigned n) const
    {
        const unsigned line = n / length(), half = outers_ / 2;
        return AlongK ? line % half * 2 + line / half : n % length() * 2;
    }
    SUBWAVE_DEVICE int k(unsigned n) const { return AlongK ? n % length() * 2 : n / length(); }
    SUBWAVE_DEVICE int place(unsigned n) const
    {
        const unsigned line = n / length();
        return (line * length() + permuted(AlongK ? line : line / 2, n % length())) * 2;
    }
    /* Lines that follow one another, counted in pairs if pairs are of two outers. */
    static SUBWAVE_DEVICE unsigned permuted(unsigned line, unsigned pair)
    {
        constexpr unsigned deep = matrix_deep_lanes, along_k = stage / 2;
        if (!AlongK)
            return pair ^ line * (banks / deep) % banks;
        return along_k < banks ? pair ^ line / (banks / along_k) * deep % along_k
                               : pair ^ line * deep % banks;
    }

    /* Calls copy(e, place, outer, k) for this work-item's pairs: the place in local memory, and the
     * distance from its first pair. Bits of n are bits of these, some exchanged. */
    template <class F> SUBWAVE_DEVICE void each(F copy) const
    {
        const unsigned pairs = outers_ * stage / 2, line = 2 * length();
        /* else all work-items have as many */
        const unsigned first = items_ > pairs ? block_item() : 0;
        SUBWAVE_UNROLL
        for (int e = 0; e < Share; ++e) {
            const unsigned n = e * items_, there = place(n);
            if (first + n < pairs)
                copy(e, (place_ ^ there % line) + there / line * line, outer(n), k(n));
        }
    }
};

/* The large shape of a block, or the small one. */
template <int Index> struct matrix_block_shape {
    static constexpr subwave_block_shape block = shapes.matrix[Index];
    static constexpr int down = block.down, across = block.across, tall = block.tall,
                         wide = block.wide;
    static constexpr int stage = block.stage, stages = block.stages;
};

/* A block's tile of C. While sub-groups multiply, later stages of k are copied into local memory,
 * and the next step's parts of A and B from there into registers. */
template <class T, class Shape, bool AAlongK, bool BAlongK> class matrix_tile {
    using unit = matrix_unit<T>;
    static constexpr int tall = Shape::tall, wide = Shape::wide, stage = Shape::stage;
    static constexpr int rows_ = Shape::down * tall * unit::rows;
    static constexpr int items = Shape::down * Shape::across * matrix_fewest_lanes;
    static constexpr int a_share = rows_ * stage / 2 / items;
    static_assert(is_unit(unit::rows, unit::fewest_columns, 4 * unit::pairs, shapes.matrix_unit));
    static constexpr int b_share = Shape::across * wide * unit::fewest_columns * stage / 2 / items;

    const matmul_problem<T> p_;
    lane_mask members_;
    std::int64_t i_, j_; /* the sub-group's first cell */
    std::int64_t left_;  /* of k, after the stages whose copies have begun */
    matrix_panel<T, stage, AAlongK, a_share> a_;
    matrix_panel<T, stage, BAlongK, b_share> b_;
    T sum_[tall][wide][2][2][unit::pairs];
    struct operands {
        T a[tall][2][2], b[wide][2][2];
    };

public:
    static SUBWAVE_DEVICE int rows() { return rows_; }
    static SUBWAVE_DEVICE int columns() { return Shape::across * wide * unit::columns(); }

    /* Row i and column j of C are the tile's first. */
    SUBWAVE_DEVICE matrix_tile(const matmul_problem<T> &p, std::int64_t i, std::int64_t j,
                               sub_group sg)
        : matrix_tile(p, i, j, sg, sg.get_group_linear_id() % Shape::down * tall * unit::rows,
                      sg.get_group_linear_id() / Shape::down * wide * unit::columns())
    {
    }

    /* `memory`: Shape::stages * stage * (rows() + columns()) elements. */
    SUBWAVE_DEVICE void multiply(T *memory, site where)
    {
        const int size = stage * (rows() + columns());
        T *now = memory;
        clear();
        begin_copies(now);
        end_copies(now);
        SUBWAVE_UNROLL
        for (int s = 1; s < Shape::stages; ++s)
            begin_copies(memory + s * size);
        matrix_copies_wait<Shape::stages - 2>();
        block_barrier(where);
        operands held, coming;
        load(held, now, 0);
        for (std::int64_t l = 0; l < p_.k; l += stage) {
            SUBWAVE_UNROLL
            for (int k = unit::depth; k <= stage; k += unit::depth) {
                if (k < stage) {
                    load(coming, now, k);
                } else {
                    T *const read = now;
                    now = now == memory + (Shape::stages - 1) * size ? memory : now + size;
                    end_copies(now);
                    matrix_copies_wait<Shape::stages - 2>();
                    /* all copies have arrived; nobody reads `read` any more */
                    block_barrier(where);
                    load(coming, now, 0);
                    begin_copies(read);
                }
                multiply_add(held, where);
                held = coming;
            }
        }
        store();
    }

private:
    SUBWAVE_DEVICE matrix_tile(const matmul_problem<T> &p, std::int64_t i, std::int64_t j,
                               sub_group sg, int i_sub, int j_sub)
        : p_(p), members_(sg.callers()), i_(i + i_sub), j_(j + j_sub), left_(p.k),
          a_(p.a + i * p.a_row, p.a_row, p.a_column, rows(), p.m - i,
             Shape::down * Shape::across * wave_size(), i_sub / 2 + unit::a_row(), unit::a_depth()),
          b_(p.b + j * p.b_column, p.b_column, p.b_row, columns(), p.n - j,
             Shape::down * Shape::across * wave_size(), j_sub / 2 + unit::b_column(),
             unit::b_depth())
    {
    }

    /* Stages beyond k are 0. */
    SUBWAVE_DEVICE void begin_copies(T *memory)
    {
        const int depth = left_ < stage ? static_cast<int>(left_) : stage;
        a_.begin_copies(memory, depth);
        b_.begin_copies(memory + rows() * stage, depth);
        matrix_copies_begun();
        left_ -= depth;
    }
    SUBWAVE_DEVICE void end_copies(T *memory)
    {
        a_.end_copies(memory);
        b_.end_copies(memory + rows() * stage);
    }

    SUBWAVE_DEVICE void clear()
    {
        SUBWAVE_UNROLL
        for (int e = 0; e < tall * wide * 4 * unit::pairs; ++e)
            (&sum_[0][0][0][0][0])[e] = 0;
    }
    SUBWAVE_DEVICE void load(operands &x, const T *memory, int k) const
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < tall; ++r)
            a_.load(x.a[r], memory, r * unit::rows, k);
        SUBWAVE_UNROLL
        for (int c = 0; c < wide; ++c) {
            T part[2][2];
            b_.load(part, memory + rows() * stage, c * unit::columns(), k);
            SUBWAVE_UNROLL
            for (int v = 0; v < 2; ++v) {
                SUBWAVE_UNROLL
                for (int u = 0; u < 2; ++u)
                    x.b[c][v][u] = part[u][v];
            }
        }
    }
    SUBWAVE_DEVICE void multiply_add(const operands &x, site where)
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < tall; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < wide; ++c)
                unit::multiply_add(members_, sum_[r][c], x.a[r], x.b[c], where);
        }
    }

    /* Cells are in pairs of a column, or of a row, whichever are neighbours in memory. */
    SUBWAVE_DEVICE void store() const
    {
        const bool down = p_.c_row == 1;
        const bool paired = (down || p_.c_column == 1) &&
                            (down ? p_.c_column : p_.c_row) % 2 == 0 &&
                            reinterpret_cast<std::uintptr_t>(p_.c) % (2 * sizeof(T)) == 0;
        SUBWAVE_UNROLL
        for (int r = 0; r < tall; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < wide; ++c) {
                SUBWAVE_UNROLL
                for (int e = 0; e < unit::pairs; ++e) {
                    const std::int64_t i = i_ + r * unit::rows + 2 * unit::c_row(e);
                    const std::int64_t j = j_ + c * unit::columns() + 2 * unit::c_column(e);
                    SUBWAVE_UNROLL
                    for (int x = 0; x < 2; ++x) {
                        const auto &sum = sum_[r][c];
                        const T pair[2] = {down ? sum[x][0][e] : sum[0][x][e],
                                           down ? sum[x][1][e] : sum[1][x][e]};
                        store_pair(i + (down ? 0 : x), j + (down ? x : 0), down, paired, pair);
                    }
                }
            }
        }
    }
    SUBWAVE_DEVICE void store_pair(std::int64_t i, std::int64_t j, bool down, bool paired,
                                   const T (&pair)[2]) const
    {
        const std::int64_t next_i = i + (down ? 1 : 0), next_j = j + (down ? 0 : 1);
        const bool both = next_i < p_.m && next_j < p_.n;
        if (paired && both) {
            p_.store_together(i * p_.c_row + j * p_.c_column, pair);
        } else {
            if (i < p_.m && j < p_.n)
                p_.store(i, j, pair[0]);
            if (both)
                p_.store(next_i, next_j, pair[1]);
        }
    }
};

/* The tile of a block. Those that run together are in a band of 16 rows of tiles, so that they
 * share panels of A and of B in the cache. */
SUBWAVE_DEVICE block_tile matrix_block(std::uint32_t block, std::int64_t m, std::int64_t n,
                                       int rows, int columns)
{
    const auto down = static_cast<std::uint32_t>((m + rows - 1) / rows);
    const auto across = static_cast<std::uint32_t>((n + columns - 1) / columns);
    const std::uint32_t band = down < 16 ? down : 16, first = block / (band * across) * band;
    block_tile tile(block - first * across, (down - first < band ? down - first : band), 1);
    tile.row += first;
    return tile;
}

template <class T, int Index, bool AAlongK, bool BAlongK>
SUBWAVE_TWO_WAVES
SUBWAVE_KERNEL(shapes.matrix[Index].down *shapes.matrix[Index].across *max_wave_size(), 1)
    matmul_matrix(matmul_problem<T> p)
{
    if constexpr (!matrix_unit<T>::exists) {
        trap(); /* no plan asks for it on this architecture */
    } else {
        SUBWAVE_DYNAMIC_SHARED(T, memory);
        using tile = matrix_tile<T, matrix_block_shape<Index>, AAlongK, BAlongK>;
        const block_tile at = matrix_block(blockIdx.x, p.m, p.n, tile::rows(), tile::columns());
        tile mine(p, at.row * tile::rows(), at.column * tile::columns(),
                  this_work_item::get_sub_group());
        mine.multiply(memory, site::current());
    }
}

SUBWAVE_END

#endif
