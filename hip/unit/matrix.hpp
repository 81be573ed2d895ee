/* SPDX-License-Identifier: MIT
 * matrix.hpp: the matrix unit of the platform at hand, and the panels of shared memory that it
 * reads, into which can be copied while it works.
 *
 * A line is a row of A or a column of B.
 *
 *   matrix_unit<T>                 C += A B with A, B and C spread over the lanes of a whole wave:
 *                                  one instruction or a few
 *     exists                       whether the architecture has it for T
 *     rows, columns(), depth       A is rows x depth, B depth x columns(); columns_of(lanes) at
 *                                  compile time
 *     fewest_lanes                 of any wave that has it
 *     operand                      a lane's part of A or of B
 *     a_line(), a_k()              where in A, and in B, what this lane loads of an operand begins
 *     b_line(), b_k()
 *     holds_next                   whether registers suffice for a second set of operands
 *     sums, c_held                 a lane's part of C, sums::of[c_held]
 *     c_row(e), c_column(e)        where in C element e of it is
 *     c_below, c_right             of f32 and f64: distances in `of` of elements e < c_below from
 *                                  the one below and the one to the right
 *     multiply_add(members, sums, a, b, where)
 *   matrix16_is_fast               whether large blocks are built for elements of 16 and 8 bits
 *   matrix_blocks<T>(shape)        blocks of a shape that a multiprocessor must hold
 *   matrix_pairs_held              `held` below, of f32 and f64
 *   matrix_splits_stages           whether some tiles of a stage are multiplied before the barrier, and
 *                                  stages that need no checks have a loop of their own in 16 and 8
 *                                  bits too
 *   matrix_panel<T, Stage, Lines, Waves, AlongK, Packed>(matrix, by_line, by_k, lines, existing,
 *                                  line, k)
 *                                  `Stage` steps of k of `lines` lines, at least Lines, of which
 *                                  `existing` exist, copied by the `Waves` waves of a block;
 *                                  `line` and `k` are what the unit says of A or of B, and k even.
 *                                  Packed: neighbours along k, or else along lines, are neighbours
 *                                  in memory, and those that are copied together are aligned
 *     whole()                      whether all lines exist, and can be copied without checks
 *     held                         stages that are on their way in registers before the first ends
 *     begin_copies<Whole, Number>(memory, depth)   starts to copy the next stage, of which the first
 *                                  `depth` steps exist, and all lines if Whole; the rest is 0.
 *                                  Number, if Whole: counts the stages in turn, up to `held`;
 *                                  otherwise those that are held move up
 *     end_copies<Number>(memory)   what remains to be done for the first of them
 *     load(memory, line, k)        the operand that begins there
 *     copy_step<Number>(memory, step)   of 16 bits and whole: step 0 to copy_steps - 1 of
 *                                  end_copies() and then begin_copies() of a stage after
 *   matrix_barrier(where)          block_barrier() that does not wait for what is on its way in
 *                                  registers
 *   matrix_keep_order()            what stands before it is issued before what follows, loads and
 *                                  stores too
 */
#ifndef SUBWAVE_HIP_UNIT_MATRIX_HPP
#define SUBWAVE_HIP_UNIT_MATRIX_HPP

#include "../shapes.hpp"

#include <subwave/device/half.hpp>
#include <subwave/device/wave.hpp>

#include <iterator>

SUBWAVE_BEGIN

/* Whether panels are by rows (matrix_rows_panel.hpp) rather than by pairs. */
template <class T> inline constexpr bool matrix_by_rows = sizeof(T) < 4;

template <class T> constexpr subwave_block_shape matrix_shape(int index)
{
    return sizeof(T) == 1      ? shapes.matrix8[index]
           : matrix_by_rows<T> ? shapes.matrix16[index]
                               : shapes.matrix[index];
}
template <class T>
inline constexpr int matrix_shapes = sizeof(T) == 1      ? std::size(shapes.matrix8)
                                     : matrix_by_rows<T> ? std::size(shapes.matrix16)
                                                         : std::size(shapes.matrix);
template <class T> constexpr subwave_unit_shape matrix_unit_shape()
{
    return matrix_by_rows<T> ? shapes.matrix16_unit : shapes.matrix_unit;
}

template <class T> struct matrix_unit {
    static constexpr bool exists = false;
};

/* An operand of a unit for f32 and f64: element [u][h] is of k + u and of line + h. */
template <class T> struct matrix_pairs {
    T of[2][2];
};

/* For f32 and f64 (matrix_pairs_panel.hpp), and for 16 and 8 bits (matrix_rows_panel.hpp). */
template <class T, int Stage, int Lines, int Waves, bool AlongK, bool Packed> class matrix_panel;
template <class T, int Count> struct pair_copy;

SUBWAVE_END

#include SUBWAVE_UNIT_HEADER(matrix)
#include "matrix_pairs_panel.hpp"
#include SUBWAVE_UNIT_HEADER(matrix16)
#include SUBWAVE_UNIT_HEADER(matrix8)

#endif
