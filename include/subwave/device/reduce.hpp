/* SPDX-License-Identifier: MIT
 * reduce.hpp: one value from the members of a group.
 *
 * All members call together, in convergent control flow; the result is valid in all of them. Values
 * are combined in the order that ladder.hpp gives, which depends on the members' lanes alone.
 */
#ifndef SUBWAVE_DEVICE_REDUCE_HPP
#define SUBWAVE_DEVICE_REDUCE_HPP

#include <subwave/device/fold.hpp>

SUBWAVE_BEGIN

/* op over x of all members. op is associative; it may be any function object, also one that is not
 * commutative: operands come in local-id order. */
template <class Group, class T, class Op>
SUBWAVE_DEVICE T reduce_over_group(Group g, T x, Op op, site where = site::current())
{
    return in_words(x, op, [=](auto word, auto word_op) {
        auto ladder = ladder_of(g); /* traits know no const */
        if constexpr (folds_reduce_v<decltype(word_op), decltype(word), decltype(ladder)>)
            return fold_reduce(g.callers(), ladder, word, word_op);
        else
            return reduce_lanes(g.callers(), ladder, word, word_op, where);
    });
}

/* The same with `init` in front, applied once; computed in init's type. */
template <class Group, class V, class T, class Op>
SUBWAVE_DEVICE T reduce_over_group(Group g, V x, T init, Op op, site where = site::current())
{
    return op(init, reduce_over_group(g, static_cast<T>(x), op, where));
}

/* op over the elements of [first, last), the same in all members; op is associative and
 * commutative. Member i takes elements i, i + size, ...; an empty range gives op's known
 * identity. */
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
    if (count >= size)
        return op(init, reduce_over_group(g, x, op, where));
    if constexpr (filler<Op, T>::exists) {
        const bool here = g.get_local_linear_id() < count;
        return op(init, reduce_over_group(g, here ? x : filler<Op, T>::value(), op, where));
    } else {
        const int end = g.lane_of(static_cast<std::uint32_t>(count));
        const lane_bits lanes = static_cast<lane_bits>(g.lanes()) & ((lane_bits(1) << end) - 1);
        x = reduce_lanes(g.callers(), any_lanes{lanes}, x, op, where);
        return op(init, group_broadcast(g, x, where));
    }
}

SUBWAVE_END

#endif
