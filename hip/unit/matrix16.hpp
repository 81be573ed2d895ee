/* SPDX-License-Identifier: MIT
 * matrix16.hpp: the matrix unit of the platform at hand for elements of 16 bits with sums in f32,
 * and the panels of local memory that it reads.
 *
 * A line is a row of A or a column of B.
 *
 *   matrix16_unit<T>               C += A B with A, B and C spread over the lanes of a whole wave
 *     exists                       whether the architecture has it for T
 *     rows, columns(), depth       A is rows x depth, B depth x columns(); columns_of(lanes) at
 *                                  compile time
 *     fewest_lanes                 of any wave that has it
 *     operand                      a lane's part of A or of B
 *     a_line(), a_k()              where in A, and in B, what this lane loads of an operand begins
 *     b_line(), b_k()
 *     c_held                       elements of C in a lane
 *     c_row(e), c_column(e)        where in C this lane's element e is
 *     multiply_add(members, c, a, b, where)
 *   matrix16_blocks                such blocks that a multiprocessor must hold
 *   matrix16_piece                 elements that a work-item copies at a time
 *   matrix16_panel<T, Share, AlongK, Packed>(lines, line, k)
 *                                  `lines` lines of a stage, Share pieces for each work-item of the
 *                                  block; `line` and `k` are what the unit says of A or of B
 *     begin(to, from, line_stride, k_stride, lines, depth)
 *                                  starts a copy; what is not in the first `lines` lines and `depth`
 *                                  of k is 0. Packed: neighbours along k, or else along lines, are
 *                                  neighbours in memory and begin at multiples of 16 bytes
 *     end(to)                      once a begin()
 *     load(panel, line, k)         the operand that begins there
 *   matrix16_wait<Behind>()        this lane's copies have arrived, except for those of the last
 *                                  Behind end()s
 */
#ifndef SUBWAVE_HIP_UNIT_MATRIX16_HPP
#define SUBWAVE_HIP_UNIT_MATRIX16_HPP

#include "../shapes.hpp"

#include <subwave/device/half.hpp>

SUBWAVE_BEGIN
constexpr int matrix16_stage = shapes.matrix16.stage, matrix16_slots = shapes.matrix16.stages;
constexpr int matrix16_down = shapes.matrix16.down, matrix16_across = shapes.matrix16.across;
constexpr int matrix16_tall = shapes.matrix16.tall, matrix16_wide = shapes.matrix16.wide;
SUBWAVE_END

#include SUBWAVE_UNIT_HEADER(matrix16)

#endif
