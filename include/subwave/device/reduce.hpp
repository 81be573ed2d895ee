/* SPDX-License-Identifier: MIT
 * reduce.hpp: one value from the members of a group.
 *
 * All members call together, in convergent control flow; the result is valid in all of them. Values are
 * combined in the order that ladder.hpp gives, which depends on the members' lanes alone.
 */
#ifndef SUBWAVE_DEVICE_REDUCE_HPP
#define SUBWAVE_DEVICE_REDUCE_HPP

#include <subwave/device/ladder.hpp>

SUBWAVE_BEGIN

/* Where the machine combines 32-bit integers in one instruction: which of its operations Op is.
 * Narrower integers go through as 32 bits. */
template <class Op> struct wave_reduction {
    static constexpr bool exists = false;
};
template <class T> using unsigned_word = std::conditional_t<sizeof(T) <= 4, std::uint32_t, T>;
template <class T>
using integer_word = std::conditional_t<std::is_signed<T>::value, std::int32_t, unsigned_word<T>>;
#define SUBWAVE_X(op, instruction, Word) \
    template <class U> struct wave_reduction<op<U>> { \
        static constexpr bool exists = true; \
        template <class T> static SUBWAVE_DEVICE T of(lane_mask members, T x) \
        { \
            return static_cast<T>(instruction(members, static_cast<Word<T>>(x))); \
        } \
    };
SUBWAVE_X(plus, wave_sum, unsigned_word)
SUBWAVE_X(bit_and, wave_and, unsigned_word)
SUBWAVE_X(bit_or, wave_or, unsigned_word)
SUBWAVE_X(bit_xor, wave_xor, unsigned_word)
SUBWAVE_X(minimum, wave_min, integer_word)
SUBWAVE_X(maximum, wave_max, integer_word)
#undef SUBWAVE_X

/* Aligned blocks of a wave are better off with a ladder: the instruction takes them one by one. */
template <class Group> inline constexpr bool is_block_v = false;
template <std::size_t P, class G>
inline constexpr bool is_block_v<fixed_size_group<P, G>> = P < max_wave_size();

/* Groups that are a whole wave if all of its lanes exist. */
template <class Group> inline constexpr bool is_wave_v = std::is_same<Group, sub_group>::value;
template <std::size_t P, class G>
inline constexpr bool is_wave_v<fixed_size_group<P, G>> = P == max_wave_size();

template <class Group, class T, class Op>
inline constexpr bool is_one_instruction_v = wave_reduces_integers && is_integer_v<T> &&
                                             sizeof(T) <= 4 && wave_reduction<Op>::exists &&
                                             !is_block_v<Group>;

template <class Group, class T, class Op>
SUBWAVE_DEVICE T reduce_members(Group g, T x, Op op, site where)
{
    if constexpr (wave_reduces_whole && is_wave_v<Group> && is_commutative_v<Op, T>)
        if (g.lanes() == ~lane_mask(0) >> (64 - wave_size()))
            return wave_reduce_whole(x, op);
    if constexpr (is_one_instruction_v<Group, T, Op>)
        return wave_reduction<Op>::of(g.callers(), x);
    else
        return reduce_lanes(g.callers(), ladder_of(g), x, op, where);
}

/* plus<T> for T = short as plus<int>, and so on. */
template <class Op, class T> struct rebind_op;
template <template <class> class Op, class U, class T> struct rebind_op<Op<U>, T> {
    using type = Op<T>;
};

/* op over x of all members. op is associative; it may be any function object, also one that is not
 * commutative: operands come in local-id order. */
template <class Group, class T, class Op>
SUBWAVE_DEVICE T reduce_over_group(Group g, T x, Op op, site where = site::current())
{
    if constexpr (is_integer_v<T> && sizeof(T) < 4 && has_known_identity_v<Op, T>) {
        /* Integers wrap as well once, at the end; machines mask narrow ones after every step. */
        using Word = integer_word<T>;
        using WordOp = typename rebind_op<Op, Word>::type;
        return static_cast<T>(reduce_members(g, static_cast<Word>(x), WordOp(), where));
    } else {
        return reduce_members(g, x, op, where);
    }
}

/* The same with `init` in front, applied once; computed in init's type. */
template <class Group, class V, class T, class Op>
SUBWAVE_DEVICE T reduce_over_group(Group g, V x, T init, Op op, site where = site::current())
{
    return op(init, reduce_over_group(g, static_cast<T>(x), op, where));
}

/* op over the elements of [first, last), the same in all members; op is associative and commutative.
 * Member i takes elements i, i + size, ...; an empty range gives op's known identity. */
template <class Group, class Iterator, class Op>
SUBWAVE_DEVICE auto joint_reduce(Group g, Iterator first, Iterator last, Op op,
                                 site where = site::current())
{
    using T = std::remove_cv_t<std::remove_reference_t<decltype(*first)>>;
    static_assert(has_known_identity_v<Op, T>,
                  "joint_reduce: without init the operation needs a known identity");
    return joint_reduce(g, first, last, known_identity<Op, T>::value(), op, where);
}

/* The same with `init` in front, applied once; computed in init's type. */
template <class Group, class Iterator, class T, class Op>
SUBWAVE_DEVICE T joint_reduce(Group g, Iterator first, Iterator last, T init, Op op,
                              site where = site::current())
{
    const std::int64_t count = last - first;
    const std::int64_t size = g.get_local_linear_range();
    std::int64_t i = g.get_local_linear_id();
    if (count == 0)
        return init;
    T x = static_cast<T>(first[i < count ? i : 0]);
    for (i += size; i < count; i += size)
        x = op(x, static_cast<T>(first[i]));

    /* In a short range only the first members have a value. */
    lane_bits lanes = static_cast<lane_bits>(g.lanes());
    if (count < size) {
        const int end = g.lane_of(static_cast<std::uint32_t>(count));
        lanes &= (lane_bits(1) << end) - 1;
    }
    x = reduce_lanes(g.callers(), any_lanes{lanes}, x, op, where);
    return op(init, group_broadcast(g, x, where));
}

SUBWAVE_END

#endif
