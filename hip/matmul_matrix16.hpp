/* SPDX-License-Identifier: MIT
 * matmul_matrix16.hpp: C = alpha A B + beta C of elements of 16 bits by the matrix units, with sums
 * in f32, from panels of A and B in local memory.
 */
#ifndef SUBWAVE_HIP_MATMUL_MATRIX16_HPP
#define SUBWAVE_HIP_MATMUL_MATRIX16_HPP

#include "matmul.hpp"

#include "unit/matrix16.hpp"

SUBWAVE_BEGIN

/* A block's tile of C: matrix16_down x matrix16_across sub-groups, each with matrix16_tall x
 * matrix16_wide tiles of the unit. While they multiply one stage of k, the next are copied to the
 * other slots of local memory. What lies beyond A or B is 0. Packed: A is read along k or along its
 * columns as AAlongK says, B likewise, by 16 aligned bytes; otherwise in any order, element by
 * element. */
template <class T, bool Packed, bool AAlongK, bool BAlongK> class matrix16_tile {
    using unit = matrix16_unit<T>;
    using operand = typename unit::operand;
    static constexpr int high = matrix16_tall, wide = matrix16_wide, stage = matrix16_stage,
                         slots = matrix16_slots;
    static_assert(is_unit(unit::rows, 16, unit::c_held, shapes.matrix16_unit));
    static constexpr int rows_ = matrix16_down * high * unit::rows;
    static constexpr int columns_of(int lanes)
    {
        return matrix16_across * wide * unit::columns_of(lanes);
    }
    /* Pieces that a work-item copies of `lines` lines. */
    static constexpr int share(int lines)
    {
        const int items = matrix16_down * matrix16_across * unit::fewest_lanes * matrix16_piece;
        return (lines * stage + items - 1) / items;
    }

    const matmul_problem<T> p_;
    lane_mask members_;
    int i_sub_, j_sub_;  /* the sub-group's first cell in the block's tile */
    std::int64_t i_, j_; /* the tile's first cell */
    float sum_[high][wide][unit::c_held];
    matrix16_panel<T, share(rows_), AAlongK, Packed> a_;
    matrix16_panel<T, share(columns_of(unit::fewest_lanes)), BAlongK, Packed> b_;

public:
    SUBWAVE_DEVICE matrix16_tile(const matmul_problem<T> &p, sub_group sg)
        : p_(p), members_(sg.callers()), a_(rows(), unit::a_line(), unit::a_k()),
          b_(columns(), unit::b_line(), unit::b_k())
    {
        const int group = sg.get_group_linear_id();
        i_sub_ = group % matrix16_down * high * unit::rows;
        j_sub_ = group / matrix16_down * wide * unit::columns();
        const block_tile tile(blockIdx.x, p.m, rows());
        i_ = tile.row * rows();
        j_ = tile.column * columns();
    }

    static SUBWAVE_DEVICE int rows() { return rows_; }
    static SUBWAVE_DEVICE int columns() { return matrix16_across * wide * unit::columns(); }

    /* `memory`: matrix16_slots stages of rows() + columns() elements each. */
    SUBWAVE_DEVICE void multiply(T *memory, site where)
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < high; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < wide; ++c) {
                SUBWAVE_UNROLL
                for (int e = 0; e < unit::c_held; ++e)
                    sum_[r][c][e] = 0;
            }
        }
        const int slot = stage * (rows() + columns());
        SUBWAVE_UNROLL
        for (int s = 0; s < slots - 1; ++s) {
            begin(s * stage, memory + s * slot);
            end(memory + s * slot);
        }
        T *now = memory, *last = memory + (slots - 1) * slot, *free = last;
        for (std::int64_t l = 0; l < p_.k; l += stage) {
            matrix16_wait<slots - 2>();
            /* all copies to `now` have arrived; nobody reads `free` any more */
            block_barrier(where);
            begin(l + (slots - 1) * stage, free);
            add(now, where);
            end(free);
            free = now;
            now = now == last ? memory : now + slot;
        }
        store();
    }

private:
    static SUBWAVE_DEVICE int part(std::int64_t left, int whole)
    {
        return left < whole ? static_cast<int>(left) : whole;
    }

    SUBWAVE_DEVICE void begin(std::int64_t l, T *memory)
    {
        if (l >= p_.k)
            return;
        const int depth = part(p_.k - l, stage);
        a_.begin(memory, &p_.a[i_ * p_.a_row + l * p_.a_column], p_.a_row, p_.a_column,
                 part(p_.m - i_, rows()), depth);
        b_.begin(memory + stage * rows(), &p_.b[l * p_.b_row + j_ * p_.b_column], p_.b_column,
                 p_.b_row, part(p_.n - j_, columns()), depth);
    }
    SUBWAVE_DEVICE void end(T *memory)
    {
        a_.end(memory);
        b_.end(memory + stage * rows());
    }

    /* Where registers suffice, the next operands are loaded before those at hand are multiplied. */
    SUBWAVE_DEVICE void add(const T *memory, site where)
    {
        constexpr int steps = stage / unit::depth, ahead = sizeof(operand) * (high + wide) <= 128;
        operand a[1 + ahead][high], b[1 + ahead][wide];
        SUBWAVE_UNROLL
        for (int step = -ahead; step < steps; ++step) {
            const int next = step + ahead, now = ahead ? step & 1 : 0;
            if (next < steps)
                load(memory, next * unit::depth, a[next % (1 + ahead)], b[next % (1 + ahead)]);
            if (step < 0)
                continue;
            SUBWAVE_UNROLL
            for (int r = 0; r < high; ++r) {
                SUBWAVE_UNROLL
                for (int c = 0; c < wide; ++c)
                    unit::multiply_add(members_, sum_[r][c], a[now][r], b[now][c], where);
            }
            if (!ahead)
                keep_order();
        }
    }
    SUBWAVE_DEVICE void load(const T *memory, int k, operand (&a)[high], operand (&b)[wide]) const
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < high; ++r)
            a[r] = a_.load(memory, i_sub_ + r * unit::rows, k);
        SUBWAVE_UNROLL
        for (int c = 0; c < wide; ++c)
            b[c] = b_.load(memory + stage * rows(), j_sub_ + c * unit::columns(), k);
    }

    SUBWAVE_DEVICE void store() const
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < high; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < wide; ++c) {
                SUBWAVE_UNROLL
                for (int e = 0; e < unit::c_held; ++e) {
                    const std::int64_t i = i_ + i_sub_ + r * unit::rows + unit::c_row(e);
                    const std::int64_t j = j_ + j_sub_ + c * unit::columns() + unit::c_column(e);
                    if (i < p_.m && j < p_.n)
                        p_.store(i, j, sum_[r][c][e]);
                }
            }
        }
    }
};

template <class T, bool Packed, bool AAlongK, bool BAlongK>
SUBWAVE_TWO_WAVES SUBWAVE_KERNEL(matrix16_down *matrix16_across *max_wave_size(), matrix16_blocks)
    matmul_matrix16(matmul_problem<T> p)
{
    if constexpr (!matrix16_unit<T>::exists) {
        trap(); /* no plan asks for it on this architecture */
    } else {
        SUBWAVE_DYNAMIC_SHARED(T, memory);
        matrix16_tile<T, Packed, AAlongK, BAlongK>(p, this_work_item::get_sub_group())
            .multiply(memory, site::current());
    }
}

SUBWAVE_END

#endif
