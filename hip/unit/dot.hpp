/* SPDX-License-Identifier: MIT
 * dot.hpp: words of four bytes: their dot product, and how their bytes change places.
 *
 *   dot4<T>(a, b, sum)                 sum and the products of the four bytes of a and of b, which
 *                                      are of type T, std::int8_t; it wraps
 *   forget(number)                     the compiler does not know the number any more: what follows
 *                                      from it is computed anew, and not kept in registers
 *   put_together(word, next)           the bytes of `word` are in one register from here on, and the
 *                                      pointer `next` is computed here: compilers would keep each
 *                                      byte, and each address, in registers of its own
 *   bytes_of<I, J, K, L>(low, high)    a word of four of eight bytes, of which `high` has the last
 *                                      four
 */
#ifndef SUBWAVE_HIP_UNIT_DOT_HPP
#define SUBWAVE_HIP_UNIT_DOT_HPP

#include "../shapes.hpp"

#include SUBWAVE_UNIT_HEADER(dot)

SUBWAVE_BEGIN

/* Byte i of word j becomes byte j of word i. */
SUBWAVE_DEVICE void transpose_bytes(std::uint32_t (&word)[4])
{
    const std::uint32_t first = bytes_of<0, 4, 1, 5>(word[0], word[1]),
                        second = bytes_of<0, 4, 1, 5>(word[2], word[3]),
                        first_high = bytes_of<2, 6, 3, 7>(word[0], word[1]),
                        second_high = bytes_of<2, 6, 3, 7>(word[2], word[3]);
    word[0] = bytes_of<0, 1, 4, 5>(first, second);
    word[1] = bytes_of<2, 3, 6, 7>(first, second);
    word[2] = bytes_of<0, 1, 4, 5>(first_high, second_high);
    word[3] = bytes_of<2, 3, 6, 7>(first_high, second_high);
}

SUBWAVE_END

#endif
