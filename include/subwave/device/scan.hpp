/* SPDX-License-Identifier: MIT
 * scan.hpp: running combinations over a group, in local-id order.
 *
 * All members call together, in convergent control flow. op is associative; it need not be
 * commutative. Values are combined in the order that ladder.hpp gives. Note SYCL's order of
 * arguments: an exclusive scan takes (init, op), an inclusive one (op, init).
 */
#ifndef SUBWAVE_DEVICE_SCAN_HPP
#define SUBWAVE_DEVICE_SCAN_HPP

#include <subwave/device/fold.hpp>

SUBWAVE_BEGIN

/* x[0] op ... op x[i] in the member with local id i. */
template <class Group, class T, class Op>
SUBWAVE_DEVICE T inclusive_scan_over_group(Group g, T x, Op op, site where = site::current())
{
    return in_words(x, op, [=](auto word, auto word_op) {
        auto ladder = ladder_of(g); /* traits know no const */
        if constexpr (folds_scan_v<decltype(word_op), decltype(word), decltype(ladder)>)
            return fold_scan(g.callers(), ladder, word, word_op);
        else
            return scan_lanes(g.callers(), ladder, word, word_op, where);
    });
}

/* x[0] op ... op x[i - 1]; the leader's is not specified. */
template <class Group, class T, class Op>
SUBWAVE_DEVICE T scan_before(Group g, T x, Op op, site where)
{
    return in_words(x, op, [=](auto word, auto word_op) {
        auto ladder = ladder_of(g); /* traits know no const */
        if constexpr (folds_scan_v<decltype(word_op), decltype(word), decltype(ladder)>)
            return fold_scan_before(g.callers(), ladder, word, word_op);
        else
            return shift_group_right(g, scan_lanes(g.callers(), ladder, word, word_op, where), 1,
                                     where);
    });
}

/* init op x[0] op ... op x[i], computed in init's type. */
template <class Group, class V, class Op, class T,
          class = std::enable_if_t<!std::is_same<T, site>::value>>
SUBWAVE_DEVICE T inclusive_scan_over_group(Group g, V x, Op op, T init,
                                           site where = site::current())
{
    T first = static_cast<T>(x);
    return inclusive_scan_over_group(g, g.leader() ? op(init, first) : first, op, where);
}

/* init op x[0] op ... op x[i - 1], computed in init's type; init in the leader. */
template <class Group, class V, class T, class Op>
SUBWAVE_DEVICE T exclusive_scan_over_group(Group g, V x, T init, Op op,
                                           site where = site::current())
{
    T first = static_cast<T>(x);
    T before = scan_before(g, g.leader() ? op(init, first) : first, op, where);
    return g.leader() ? init : before;
}

/* The same from op's known identity. */
template <class Group, class T, class Op>
SUBWAVE_DEVICE T exclusive_scan_over_group(Group g, T x, Op op, site where = site::current())
{
    static_assert(has_known_identity_v<Op, T>,
                  "exclusive_scan_over_group: without init the operation needs a known identity");
    T before = scan_before(g, x, op, where);
    return g.leader() ? known_identity<Op, T>::value() : before;
}

/* Scans chunks of the group's size, the carry of one entering the next. */
template <bool Inclusive, class Group, class Input, class Output, class T, class Op>
SUBWAVE_DEVICE Output joint_scan(Group g, Input first, Input last, Output out, bool has_carry,
                                 T carry, Op op, site where)
{
    const std::int64_t count = last - first;
    const std::int64_t size = g.get_local_linear_range();
    const std::int64_t item = g.get_local_linear_id();
    for (std::int64_t base = 0; base < count; base += size) {
        /* Members behind the end repeat the last element: their results are not stored. */
        const std::int64_t i = base + item < count ? base + item : count - 1;
        T x = static_cast<T>(first[i]);
        if (g.leader() && has_carry)
            x = op(carry, x);
        x = inclusive_scan_over_group(g, x, op, where);
        T result = x;
        if constexpr (!Inclusive) {
            T before = shift_group_right(g, x, 1, where);
            result = g.leader() ? carry : before;
        }
        /* In place: all have read before any writes, which the exchanges above ensured. */
        if (base + item < count)
            out[i] = result;
        carry = group_broadcast(g, x, static_cast<std::uint32_t>(size - 1), where);
        has_carry = true;
    }
    return out + count;
}

/* out[i] = first[0] op ... op first[i] for the whole range; returns the end of the output, the same
 * in all members. Input and output may be the same, not otherwise overlap. */
template <class Group, class Input, class Output, class Op>
SUBWAVE_DEVICE Output joint_inclusive_scan(Group g, Input first, Input last, Output out, Op op,
                                           site where = site::current())
{
    using T = std::remove_cv_t<std::remove_reference_t<decltype(*first)>>;
    if (first == last)
        return out;
    return joint_scan<true>(g, first, last, out, false, static_cast<T>(*first), op, where);
}

template <class Group, class Input, class Output, class Op, class T,
          class = std::enable_if_t<!std::is_same<T, site>::value>>
SUBWAVE_DEVICE Output joint_inclusive_scan(Group g, Input first, Input last, Output out, Op op,
                                           T init, site where = site::current())
{
    return joint_scan<true>(g, first, last, out, true, init, op, where);
}

/* out[i] = init op first[0] op ... op first[i - 1]. */
template <class Group, class Input, class Output, class T, class Op>
SUBWAVE_DEVICE Output joint_exclusive_scan(Group g, Input first, Input last, Output out, T init,
                                           Op op, site where = site::current())
{
    return joint_scan<false>(g, first, last, out, true, init, op, where);
}

template <class Group, class Input, class Output, class Op>
SUBWAVE_DEVICE Output joint_exclusive_scan(Group g, Input first, Input last, Output out, Op op,
                                           site where = site::current())
{
    using T = std::remove_cv_t<std::remove_reference_t<decltype(*first)>>;
    static_assert(has_known_identity_v<Op, T>,
                  "joint_exclusive_scan: without init the operation needs a known identity");
    return joint_exclusive_scan(g, first, last, out, known_identity<Op, T>::value(), op, where);
}

SUBWAVE_END

#endif
