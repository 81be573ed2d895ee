/* SPDX-License-Identifier: MIT
 * matrix.hpp: the matrix unit of the platform at hand, and copies into local memory beside which it can
 * work.
 *
 *   matrix_unit<T>                 C += A B with A, B and C spread over the lanes of a whole wave
 *     exists                       whether the architecture has it for T
 *     rows, columns(), depth       A is rows x depth, B depth x columns()
 *     fewest_lanes, lanes_a_column of any wave that has it; lanes of the wave over columns()
 *     a_held, c_held               elements of A and of C in a lane; of B it holds one
 *     a_row(e), a_depth()          where in A this lane's element e is
 *     b_depth(), b_column()        where in B its element is
 *     c_row(e), c_column(e)        where in C its element e is
 *     multiply_add(members, c, a, b, where)
 *   matrix_down, matrix_across     sub-groups of a block, one below the other and side by side
 *   matrix_stage                   k of A and B that a block keeps in local memory at a time
 *   pair_copy<T, Count>            Count copies of two elements, from global to local memory
 *     begin<Paired>(e, to, from, distance, count)   of from[0] and from[distance] the first `count`, and 0
 *                                  for the rest; Paired: they are neighbours and aligned
 *     end(e, to)                   and wait() after all of them: now this lane's copies are there
 */
#ifndef SUBWAVE_DEVICE_MATRIX_HPP
#define SUBWAVE_DEVICE_MATRIX_HPP

#include <subwave/device/wave.hpp>

#define SUBWAVE_MATRIX_HEADER_(platform) <subwave/device/matrix_##platform.hpp>
#define SUBWAVE_MATRIX_HEADER(platform) SUBWAVE_MATRIX_HEADER_(platform)
#include SUBWAVE_MATRIX_HEADER(SUBWAVE_PLATFORM)

#endif
