/* SPDX-License-Identifier: MIT
 * array.hpp: what the operations on arrays share: how an array is divided among blocks, what its
 * elements are combined in, and how the blocks' results become one.
 *
 * An array of n elements is cut into packs of 16 bytes, and a row is a pack of each work-item of a
 * block: work-item i has the packs i, i + array_block, and so on. A tile is some rows; one block
 * works on one tile. What order that makes of n elements depends on n and the rows of a tile alone:
 * not on the wave size, on which blocks run first, or on where the array begins.
 */
#ifndef SUBWAVE_HIP_ARRAY_HPP
#define SUBWAVE_HIP_ARRAY_HPP

#include "integers.hpp"
#include "kernels.h"

#include <subwave/subwave.hpp>

SUBWAVE_BEGIN

constexpr int array_block = SUBWAVE_ARRAY_BLOCK;

/* Elements of a pack. */
template <class T> inline constexpr int pack_size = 16 / static_cast<int>(sizeof(T));

/* What values of T are combined in, to be rounded or to wrap once, in the end. */
template <class T, class = void> struct combined {
    using type = T;
};
template <class T> struct combined<T, std::enable_if_t<is_integer_v<T> && sizeof(T) < 4>> {
    using type = std::conditional_t<std::is_signed<T>::value, std::int32_t, std::uint32_t>;
};
template <class T>
struct combined<T, std::enable_if_t<is_floating_v<T> && !std::is_arithmetic<T>::value>> {
    using type = float;
};
template <class T> using combined_t = typename combined<T>::type;

/* Integers with and without a sign are combined by the same instructions, except for their minima
 * and maxima: only these are built for both. */
template <class T> bool combines_as_unsigned(subwave_op op)
{
    return std::is_signed<T>::value && is_integer_v<T> && op != SUBWAVE_OP_MINIMUM &&
           op != SUBWAVE_OP_MAXIMUM;
}

/* An element as the number that it is combined as. */
template <class T> struct as_number {
    using value = combined_t<T>;
    /* Whether result() keeps all of a value. */
    static constexpr bool is_kept = std::is_same<value, T>::value;
    SUBWAVE_DEVICE value operator()(const T &x) const { return static_cast<value>(x); }
    SUBWAVE_DEVICE T result(value x) const { return static_cast<T>(x); }
};
/* A float as a truth value: 0 if it is 0, of either sign, and otherwise any other number. So "or"
 * is that of their bits and "and" the least of them, without a comparison. Integers are such
 * numbers. */
template <class T> struct as_truth {
    using value = std::uint32_t;
    static constexpr bool is_kept = true;
    value flip = 0; /* if all bits are flipped, "or" is the least of the numbers */
    SUBWAVE_DEVICE value operator()(const T &x) const
    {
        const auto words = to_words(x);
        constexpr int last = sizeof(words) / 4 - 1, sign = sizeof(T) < 4 ? 17 : 1;
        return (words.word[last] << sign | (last > 0 ? words.word[0] : 0)) ^ flip;
    }
    SUBWAVE_DEVICE T result(value x) const { return static_cast<T>(x != flip ? 1.0f : 0.0f); }
};

/* The op of integers whose result is another number than 0 where that of a logical op is 1. */
inline subwave_op op_of_bits(subwave_op op)
{
    return op == SUBWAVE_OP_LOGICAL_AND  ? SUBWAVE_OP_MINIMUM
           : op == SUBWAVE_OP_LOGICAL_OR ? SUBWAVE_OP_BIT_OR
                                         : op;
}

/* Calls body(op object, as), which combines as(element). Of integers not for logical ops. If
 * Inverts, maxima and "or" of bits are not among them: they are minima and "and" of inverted bits. */
template <class T, bool Inverts = false, class Body>
SUBWAVE_DEVICE void with_array_op(subwave_op op, Body body)
{
    using number = typename as_number<T>::value;
    constexpr bool ordered_only = std::is_signed<T>::value && is_integer_v<T>;
    if (op == SUBWAVE_OP_MINIMUM)
        return body(minimum<number>(), as_number<T>());
    if constexpr (!Inverts)
        if (ordered_only || op == SUBWAVE_OP_MAXIMUM)
            return body(maximum<number>(), as_number<T>());
    if constexpr (!ordered_only) {
        switch (op) {
        case SUBWAVE_OP_PLUS:
            return body(plus<number>(), as_number<T>());
        case SUBWAVE_OP_MULTIPLIES:
            return body(multiplies<number>(), as_number<T>());
        default:
            break;
        }
        if constexpr (is_floating_v<T>) {
            switch (op) {
            case SUBWAVE_OP_LOGICAL_AND:
                return body(minimum<std::uint32_t>(), as_truth<T>());
            case SUBWAVE_OP_LOGICAL_OR:
                return body(bit_or<std::uint32_t>(), as_truth<T>());
            default:
                break;
            }
        } else {
            switch (op) {
            case SUBWAVE_OP_BIT_AND:
                return body(bit_and<number>(), as_number<T>());
            case SUBWAVE_OP_BIT_OR:
                if constexpr (!Inverts)
                    return body(bit_or<number>(), as_number<T>());
                break;
            case SUBWAVE_OP_BIT_XOR:
                return body(bit_xor<number>(), as_number<T>());
            default:
                break;
            }
        }
    }
}

/* The result of no elements. */
template <class T, class Number, template <class> class Op>
SUBWAVE_DEVICE T result_of_nothing(Op<Number>, as_number<T>)
{
    return known_identity<Op<T>, T>::value();
}
template <class T, class Op> SUBWAVE_DEVICE T result_of_nothing(Op, as_truth<T> as)
{
    return as.result(filler<Op, std::uint32_t>::value());
}

/* What a work-item does of an array of unsigned sizes: rows first to end of its block's tile, of
 * which those below `whole` have all packs. */
template <int PackSize> struct array_tile {
    std::uint64_t packs, first, whole, end;
    std::uint32_t item;

    SUBWAVE_DEVICE explicit array_tile(const subwave_array &a)
        : packs(static_cast<std::uint64_t>(a.n) / PackSize),
          first(blockIdx.x * static_cast<std::uint64_t>(a.rows)), item(threadIdx.x)
    {
        const std::uint64_t all_whole = packs / array_block;
        const std::uint64_t rows = all_whole + (packs % array_block > 0), next = first + a.rows;
        end = next < rows ? next : rows;
        whole = end < all_whole ? end : all_whole;
    }
};

/* Aligned: to 16 bytes; otherwise as an element. */
template <bool Aligned, int Size, class T>
SUBWAVE_DEVICE void load_pack(T (&to)[Size], const T *from)
{
    SUBWAVE_UNROLL
    for (int e = 0; e < Size; e += pack_size<T>) {
        if constexpr (Aligned)
            load_together<pack_size<T>>(to + e, from + e);
        else
            load_anywhere<pack_size<T>>(to + e, from + e);
    }
}

/* Aligned: to 16 bytes; otherwise as an element. */
template <bool Aligned, int Size, class T>
SUBWAVE_DEVICE void store_pack(T *to, const T (&from)[Size])
{
    struct alignas(16) chunk {
        T element[pack_size<T>];
    };
    SUBWAVE_UNROLL
    for (int e = 0; e < Size; e += pack_size<T>) {
        if constexpr (Aligned)
            *reinterpret_cast<chunk *>(to + e) = reinterpret_cast<const chunk &>(from[e]);
        else
            store_anywhere<pack_size<T>>(to + e, from + e);
    }
}

/* A pack's elements, and as words: of elements of a byte LLVM would keep each in a register. */
template <class T, int Size = pack_size<T>> struct pack_elements {
    T element[Size];
};
template <int Words> struct words_of_pack {
    static constexpr int count = Words;
    std::uint32_t word[Words];
    /* The same words, of which LLVM does not know where they come from. */
    SUBWAVE_DEVICE words_of_pack anew() const
    {
        words_of_pack words;
        SUBWAVE_UNROLL
        for (int w = 0; w < Words; ++w)
            words.word[w] = static_cast<std::uint32_t>(of_each_lane(static_cast<int>(word[w])));
        return words;
    }
};
using pack_words = words_of_pack<4>;

/* The pack of `Size` elements at `from`. What is loaded as bytes LLVM 15 does not compute with before all
 * is loaded, as it would with elements of 16 bits. */
template <bool Aligned, int Size, class T> SUBWAVE_DEVICE auto load_words_of(const T *from)
{
    using words = words_of_pack<Size *static_cast<int>(sizeof(T)) / 4>;
    if constexpr (wave_loads_anywhere) {
        pack_elements<std::uint8_t, sizeof(words)> bytes;
        load_pack<false>(bytes.element, reinterpret_cast<const std::uint8_t *>(from));
        return __builtin_bit_cast(words, bytes);
    } else {
        pack_elements<T, Size> pack;
        load_pack<Aligned>(pack.element, from);
        return __builtin_bit_cast(words, pack);
    }
}
template <bool Aligned, class T> SUBWAVE_DEVICE pack_words load_pack_words(const T *from)
{
    return load_words_of<Aligned, pack_size<T>>(from);
}

/* All of a block ask for elements that a block later loads, where a device can load ahead; `left` are
 * those from the tile on. Tiles wait for all tiles before them, and so for the slowest of their loads:
 * these take less time from the cache that blocks share. */
template <class T>
SUBWAVE_DEVICE void touch_later_tile(const T *tile, std::uint32_t elements, std::int64_t left)
{
    /* More than is on its way at any time, and little of the cache. */
    constexpr std::int64_t ahead = (3 << 20) / sizeof(T);
    constexpr std::uint32_t line = 128 / sizeof(T);
    SUBWAVE_ROLLED
    for (std::uint32_t at = threadIdx.x * line; at < elements && ahead + at < left;
         at += array_block * line)
        touch_shared(tile + (ahead + at));
}

/* How many elements a tile has, of Most at most, a power of two, if so many are left from its first one
 * on, at least 0. AMD has no scalar comparison of 64 bits. */
template <int Most> SUBWAVE_DEVICE int elements_of_tile(std::int64_t left)
{
    static_assert((Most & (Most - 1)) == 0, "a division is a shift");
    const auto low = static_cast<std::uint32_t>(left),
               high = static_cast<std::uint32_t>(static_cast<std::uint64_t>(left) >> 32);
    return (high | low / Most) != 0 ? Most : static_cast<int>(low);
}

/* The first becomes the last. A loop that is not unrolled can so work on one after the other in
 * registers, whose indices must be constants. */
template <class T, int Count> SUBWAVE_DEVICE void turn(T (&x)[Count])
{
    const T first = x[0];
    SUBWAVE_UNROLL
    for (int i = 0; i + 1 < Count; ++i)
        x[i] = x[i + 1];
    x[Count - 1] = first;
}
/* Calls body(r, of_rows[r]...) for each row of a tile. */
template <bool Rolled, class Body, int Rows, class... OfRows>
SUBWAVE_DEVICE void for_rows(Body body, OfRows (&...of_rows)[Rows])
{
    if constexpr (Rolled) {
        SUBWAVE_ROLLED
        for (int r = 0; r < Rows; ++r, (turn(of_rows), ...))
            body(r, of_rows[0]...);
    } else {
        SUBWAVE_UNROLL
        for (int r = 0; r < Rows; ++r)
            body(r, of_rows[r]...);
    }
}

/* Elements of a scan's pack. */
template <class T> inline constexpr int scan_pack_size = SUBWAVE_SCAN_PACK(sizeof(T));
template <class T> using scan_elements = pack_elements<T, scan_pack_size<T>>;

/* Replaces the elements of a pack by what is up to them in it, or before them, after `before`. */
template <class T, int Size, class Value, class Op, class As>
SUBWAVE_DEVICE void scan_pack(pack_elements<T, Size> &pack, Value before, subwave_scan_kind kind,
                              Op op, As as)
{
    Value upto = before;
    SUBWAVE_UNROLL
    for (int e = 0; e < Size; ++e) {
        const Value x = as(pack.element[e]), with = e == 0 ? x : op(upto, x);
        if (kind == SUBWAVE_SCAN_INCLUSIVE)
            pack.element[e] = as.result(op(before, with));
        else
            pack.element[e] = as.result(e == 0 ? before : op(before, upto));
        upto = with;
    }
}

/* Calls body(the kind, as a constant), in a branch of its own. */
template <class Body> SUBWAVE_DEVICE void with_scan_kind(subwave_scan_kind kind, Body body)
{
    if (kind == SUBWAVE_SCAN_INCLUSIVE)
        body(std::integral_constant<subwave_scan_kind, SUBWAVE_SCAN_INCLUSIVE>());
    else
        body(std::integral_constant<subwave_scan_kind, SUBWAVE_SCAN_EXCLUSIVE>());
}

/* Whether the caller is in its block's wave that has work-item `Item`. The compiler knows that all lanes of
 * it agree. */
template <int Item> SUBWAVE_DEVICE bool in_wave_of()
{
    return wave_uniform(static_cast<int>(threadIdx.x) / wave_size()) == Item / wave_size();
}
SUBWAVE_DEVICE bool in_first_wave() { return in_wave_of<0>(); }

/* Calls body(whether both arrays are to be taken as aligned, as a constant); where any address will
 * do, one kernel serves all. */
template <class Body> int with_alignment(const void *x, const void *y, Body body)
{
    if constexpr (!wave_loads_anywhere)
        if ((reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(y)) % 16 == 0)
            return body(std::true_type());
    return body(std::false_type());
}

/* Whether this is the last block of the grid to arrive; `counter` is 0 before and after. What
 * work-item 0 of the others wrote before they arrived is then visible to all of the block. */
SUBWAVE_DEVICE bool is_last_block(std::uint32_t *counter, std::uint32_t blocks)
{
    SUBWAVE_SHARED(std::uint32_t, arrived, 1);
    if (threadIdx.x == 0)
        arrived[0] = fetch_add_acq_rel(counter, 1);
    block_barrier(site::current());
    if (arrived[0] != blocks - 1)
        return false;
    if (threadIdx.x == 0)
        *counter = 0;
    return true;
}

/* Folds an array into one value; true in the work-items of the one block that has it. Of a grid with
 * several lines of blocks, each folds an array of its own, of the same size, with a counter and
 * results of its own; `fold` begins at that array.
 *
 * A fold has the type `value`, the type `pack` of what is loaded together and its number of
 * elements `size`; load(x, i) loads pack i, add(sums, x) adds its elements to the work-item's `sums`
 * values, add_element(sum, j) adds element j to one, none() is the value of no elements, and the
 * function object `join` combines two values.
 *
 * The order, if there are `size` values: value e of a work-item takes the elements e of its packs in
 * ascending order. The values of a work-item are joined in pairs, then pairs of pairs. Of the last
 * tile, work-item i then takes
 * element i of those after the last pack. Work-items are joined as in block_reduce. The tiles'
 * values are folded in the same way, work-item i taking those of tiles i, i + array_block, ... */
template <class Fold>
SUBWAVE_DEVICE bool fold_array(const subwave_array &a, const array_tile<Fold::size> &tile,
                               const Fold &fold, typename Fold::value &result)
{
    using value = typename Fold::value;
    SUBWAVE_SHARED(value, shared, block_reduce_elements<array_block>);
    value sum[Fold::sums];
    SUBWAVE_UNROLL
    for (int e = 0; e < Fold::sums; ++e)
        sum[e] = fold.none();

    constexpr int together = SUBWAVE_ARRAY_ROWS;
    std::uint64_t row = tile.first;
    SUBWAVE_ROLLED
    for (; row + together <= tile.whole; row += together) {
        typename Fold::pack x[together];
        SUBWAVE_UNROLL
        for (int r = 0; r < together; ++r)
            fold.load(x[r], (row + r) * array_block + tile.item);
        SUBWAVE_UNROLL
        for (int r = 0; r < together; ++r)
            fold.add(sum, x[r]);
    }
    SUBWAVE_ROLLED
    for (std::uint64_t i = row * array_block + tile.item; row < tile.end && i < tile.packs;
         ++row, i += array_block) {
        typename Fold::pack x;
        fold.load(x, i);
        fold.add(sum, x);
    }
    SUBWAVE_UNROLL
    for (int size = 1; size < Fold::sums; size *= 2) {
        SUBWAVE_UNROLL
        for (int e = 0; e < Fold::sums; e += 2 * size)
            sum[e] = fold.join(sum[e], sum[e + size]);
    }
    const std::uint64_t after = tile.packs * Fold::size + tile.item;
    if (blockIdx.x == a.tiles - 1 && after < static_cast<std::uint64_t>(a.n))
        fold.add_element(sum[0], after);
    result = sum[0];
    const std::uint32_t first_result = blockIdx.y * a.tiles;
    value *const results = static_cast<value *>(a.results) + first_result;
    bool whole_array = a.tiles == 1;
    SUBWAVE_ROLLED
    for (;;) {
        result = block_reduce<array_block>(result, fold.join, shared);
        if (whole_array)
            return true;
        if (tile.item == 0)
            results[blockIdx.x] = result;
        if (!is_last_block(a.counter + blockIdx.y, a.tiles))
            return false;
        result = fold.none();
        SUBWAVE_ROLLED
        for (std::uint32_t i = tile.item; i < a.tiles; i += array_block)
            result = fold.join(result, results[i]);
        whole_array = true;
    }
}

SUBWAVE_END

#endif
