/* SPDX-License-Identifier: MIT
 * matrix.hpp: the matrix unit of the platform at hand, and copies into local memory beside which it
 * can work.
 *
 *   matrix_unit<T>                 C += A B with A, B and C spread over the lanes of a whole wave:
 *                                  one instruction, or a few that fill pairs
 *     exists                       whether the architecture has it for T
 *     rows, columns(), depth       A is rows x depth, B depth x columns(); all even
 *     a_row(), a_depth()           this lane's part of A is a[u][h], row 2 a_row() + h and depth
 *                                  2 a_depth() + u
 *     b_column(), b_depth()        and of B b[h][u], column 2 b_column() + h and depth 2 b_depth()
 *                                  + u
 *     pairs, c_row(e), c_column(e)  and of C c[v][h][e], row 2 c_row(e) + h, column
 *                                  2 c_column(e) + v, for e < pairs
 *     multiply_add(members, c, a, b, where)
 *   matrix_banks_bytes             of local memory that lanes can load at a time, from different
 *                                  banks
 *   matrix_deep_lanes              neighbouring lanes that differ in depth only
 *   matrix_fewest_lanes            of any wave that has the unit
 *   pair_copy<T, Count>            Count copies of two elements, from global to local memory
 *     begin(e, to, from)           of from[0] and from[1], which are aligned
 *     begin(e, to, from, distance, count)   of from[0] and from[distance], of which the first
 *                                  `count` exist; the others are 0
 *     end(e, to)                   what remains to be done for either
 *   matrix_copies_begun()          after the begin of all copies of a stage, even if there were
 *                                  none
 *   matrix_copies_wait<Excepted>()  after the end of a stage's: this lane's copies are there,
 *                                  except for those of the `Excepted` stages begun last
 */
#ifndef SUBWAVE_HIP_UNIT_MATRIX_HPP
#define SUBWAVE_HIP_UNIT_MATRIX_HPP

#include "../shapes.hpp"

#include <subwave/device/wave.hpp>

#include SUBWAVE_UNIT_HEADER(matrix)

#endif
