/* SPDX-License-Identifier: MIT
 * group.hpp: what the group_*.hip kernels share: forming the group that a subwave_group describes,
 * and walking over the work-groups of an array.
 */
#ifndef SUBWAVE_HIP_GROUP_HPP
#define SUBWAVE_HIP_GROUP_HPP

#include "integers.hpp"
#include "kernels.h"
#include "shapes.hpp"

#include <subwave/subwave.hpp>

SUBWAVE_BEGIN

/* Any group, by its members alone: one kernel then serves every kind. The members come from the
 * real creation functions; the ladders depend on nothing else, so results are those of the typed
 * group. */
class any_group : public lane_set<any_group> {
public:
    /* What all groups have in common that make a call together: the callers, and what ladders ask
     * for. */
    struct beside {
        lane_mask callers;
        wave_siblings siblings;
    };
    template <class Group>
    SUBWAVE_DEVICE any_group(Group g) : any_group(g, {g.callers(), wave_siblings()})
    {
    }
    /* For calls that other groups make together with this one. */
    template <class Group>
    SUBWAVE_DEVICE any_group(Group g, const beside &others)
        : any_group(g.lanes(), others, g.get_group_linear_id(), g.get_group_linear_range(),
                    block_size_of(g))
    {
    }
    /* The only one in its control flow; or without members, of a work-item that makes these calls too,
     * but belongs to no group. */
    static SUBWAVE_DEVICE any_group of_flow(lane_bits members, const beside &others)
    {
        return {members, others, 0, 1, 0};
    }
    SUBWAVE_DEVICE bool is_none() const { return static_cast<lane_bits>(this->lanes()) == 0; }

    SUBWAVE_DEVICE std::uint32_t get_group_linear_id() const { return id_; }
    SUBWAVE_DEVICE std::uint32_t get_group_linear_range() const { return range_; }
    SUBWAVE_DEVICE lane_mask callers() const { return beside_.callers; }
    SUBWAVE_DEVICE int lane_of(std::uint32_t local_id) const
    {
        return block_size_ ? (wave_lane() & -block_size_) + static_cast<int>(local_id)
                           : lane_set<any_group>::lane_of(local_id);
    }
    /* Members with lower local ids. */
    SUBWAVE_DEVICE lane_bits members_below() const
    {
        return static_cast<lane_bits>(this->lanes()) & ((lane_bits(1) << wave_lane()) - 1);
    }
    /* The lanes of the aligned blocks that such groups are, or 0. */
    SUBWAVE_DEVICE int block_size() const { return block_size_; }
    SUBWAVE_DEVICE const wave_siblings &siblings() const { return beside_.siblings; }

private:
    SUBWAVE_DEVICE any_group(lane_mask lanes, const beside &others, std::uint32_t id,
                             std::uint32_t range, int block_size)
        : lane_set<any_group>(lanes), beside_(others), id_(id), range_(range),
          block_size_(block_size)
    {
    }
    template <class Group> static SUBWAVE_DEVICE int block_size_of(Group)
    {
        return block_size_v<Group>;
    }
    static SUBWAVE_DEVICE int block_size_of(sub_group g)
    {
        return static_cast<int>(g.get_local_linear_range()) == wave_size() ? wave_size() : 0;
    }

    beside beside_;
    std::uint32_t id_, range_;
    int block_size_;
};

SUBWAVE_DEVICE sets_or_blocks ladder_of(any_group g)
{
    return {{static_cast<lane_bits>(g.lanes())}, g.block_size(), g.siblings()};
}

SUBWAVE_DEVICE any_group fixed_size_group_of(sub_group sg, int size,
                                             const any_group::beside &others)
{
    switch (size) {
    case 1:
        return {get_fixed_size_group<1>(sg), others};
    case 2:
        return {get_fixed_size_group<2>(sg), others};
    case 4:
        return {get_fixed_size_group<4>(sg), others};
    case 8:
        return {get_fixed_size_group<8>(sg), others};
    case 16:
        return {get_fixed_size_group<16>(sg), others};
    case 32:
        return {get_fixed_size_group<32>(sg), others};
    default: /* the host admits 64 only where a wave has as many lanes */
        return {get_fixed_size_group<max_wave_size()>(sg), others};
    }
}

/* An element of each array: i.of(x) is x[first + next], `first` the same in all work-items. */
struct element {
    std::int64_t first;
    std::uint32_t next;
    template <class T> SUBWAVE_DEVICE T &of(T *array) const
    {
        return element_near(array + first, next);
    }
};

/* Whether groups are the same for all elements. */
SUBWAVE_DEVICE constexpr bool lasts(subwave_group_kind kind)
{
    return kind == SUBWAVE_GROUP_SUB_GROUP || kind == SUBWAVE_GROUP_FIXED_SIZE;
}
SUBWAVE_DEVICE constexpr bool captures_flow(subwave_group_kind kind)
{
    return kind == SUBWAVE_GROUP_TANGLE || kind == SUBWAVE_GROUP_OPPORTUNISTIC;
}

/* The choices of a work-item for `Count` elements, a byte each: there are fewer branches than a byte has
 * values. AMD shifts 64 bits by one instruction; nvcc compares words of 64 bits in two steps. */
template <int Count> struct choice_bytes {
    using word = std::conditional_t<code_is_short && (Count > 4), std::uint64_t, std::uint32_t>;
    static constexpr int each = sizeof(word), words = (Count + each - 1) / each;
    word all[words];

    SUBWAVE_DEVICE void set(int element, std::uint32_t choice)
    {
        all[element / each] |= word(choice) << 8 * (element % each);
    }
    /* Of one of the first four elements. */
    SUBWAVE_DEVICE int of(int element) const
    {
        return static_cast<int>(all[0] >> 8 * element & 255);
    }
    /* Forgets the choices of so many elements: the next one is then the first. */
    template <int Elements> SUBWAVE_DEVICE void forget()
    {
        static_assert(Elements <= 4, "of() has an element of the first word");
        SUBWAVE_UNROLL
        for (int w = 0; w < words; ++w) {
            const word next = w + 1 < words ? all[w + 1] : 0;
            if constexpr (Elements == each)
                all[w] = next;
            else
                all[w] = all[w] >> 8 * Elements | next << 8 * (each - Elements);
        }
    }
};

/* Calls body(kind). Where code need not be short there is one for each kind, to which it is a
 * constant. */
template <class Body> SUBWAVE_DEVICE void with_kind(subwave_group_kind kind, Body body)
{
    if constexpr (code_is_short)
        return body(kind);
    switch (kind) {
    case SUBWAVE_GROUP_BALLOT:
        return body(SUBWAVE_GROUP_BALLOT);
    case SUBWAVE_GROUP_TANGLE:
        return body(SUBWAVE_GROUP_TANGLE);
    case SUBWAVE_GROUP_OPPORTUNISTIC:
        return body(SUBWAVE_GROUP_OPPORTUNISTIC);
    default: /* of a fixed size, too: groups that last */
        return body(SUBWAVE_GROUP_SUB_GROUP);
    }
}

/* The work-items of a launch on their way along the arrays, and the groups that they form. */
class group_walk {
public:
    SUBWAVE_DEVICE explicit group_walk(const subwave_group_shape &shape)
        : wanted_(shape.group), count_(shape.count), batch_(shape.batch), item_(block_item()),
          items_(block_size()), sub_group_(this_work_item::get_sub_group()),
          all_{sub_group_.callers(), wave_siblings()},
          lasting_(shape.group.kind == SUBWAVE_GROUP_FIXED_SIZE
                       ? fixed_size_group_of(sub_group_, shape.group.fixed_size, all_)
                       : any_group(sub_group_, all_))
    {
    }

    /* The last step of a call that has none. */
    struct nothing {
        static SUBWAVE_DEVICE constexpr bool is_wanted() { return false; }
        template <class Y> SUBWAVE_DEVICE Y operator()(any_group, Y result) const { return result; }
    };

    /* y[i] = body(group, load(i)) in every work-item that has a group, i its element; or where a last step
     * is wanted, finish(group, body(group, load(i))), which follows the bodies of several elements. All
     * members of a sub-group call both together, in converged flow, whatever groups they are in. */
    template <class Y, class Load, class Body, class Finish = nothing>
    SUBWAVE_DEVICE void for_each_item(Y *y, Load load, Body body, Finish finish = {}) const
    {
        with_kind(wanted_.kind,
                  [&](subwave_group_kind kind) { walk(kind, y, load, body, finish); });
    }

private:
    /* What a work-item has loaded for several blocks. */
    template <class Loaded> struct batch {
        static constexpr int size = shapes.group_batch[sizeof(Loaded) == 4    ? 0
                                                       : sizeof(Loaded) <= 16 ? 1
                                                                              : 2];
        int choice[size];
        Loaded loaded[size];
    };

    /* Loads what the work-item needs for `count` blocks, from `block` on. A batch may be larger: for
     * the rest of it a block's elements are loaded again. */
    template <class Loaded, class Load>
    SUBWAVE_DEVICE void load_batch(subwave_group_kind kind, std::int64_t block, int count,
                                   Load load, batch<Loaded> &to) const
    {
        /* AMD chooses between constants that scalar registers have; nvcc computes a minimum at once. */
        const int last = count - 1;
        const auto at = [&](int b) {
            const std::uint32_t from =
                code_is_short ? b < count ? b * items_ : 0 : (b < last ? b : last) * items_;
            return element{block * items_, item_ + from};
        };
        if (kind == SUBWAVE_GROUP_BALLOT) {
            SUBWAVE_UNROLL
            for (int b = 0; b < to.size; ++b)
                to.choice[b] = at(b).of(wanted_.predicate);
        } else if (captures_flow(kind)) {
            SUBWAVE_UNROLL
            for (int b = 0; b < to.size; ++b)
                to.choice[b] = at(b).of(wanted_.key);
        }
        SUBWAVE_UNROLL
        for (int b = 0; b < to.size; ++b)
            to.loaded[b] = load(at(b));
    }

    /* Works on what has been loaded for `count` blocks, from `block` on. */
    template <class Y, class Loaded, class Body, class Finish>
    SUBWAVE_DEVICE void work_on(subwave_group_kind kind, std::int64_t block, int count,
                                batch<Loaded> &has, Y *y, Body body, Finish finish) const
    {
        element i = {block * items_, item_};
        choice_bytes<batch<Loaded>::size> choices = {};
        if (!lasts(kind)) {
            /* A number that is no branch's becomes 255. Predicates are bytes anyhow, which matters where
             * each kind has code of its own. */
            const bool is_byte = !code_is_short && !captures_flow(kind);
            const auto none = static_cast<std::uint32_t>(code_is_short ? 255 : wanted_.branches);
            SUBWAVE_UNROLL
            for (int b = 0; b < has.size; ++b) {
                const auto choice = static_cast<std::uint32_t>(has.choice[b]);
                choices.set(b, is_byte || choice < none ? choice : 255);
            }
        }
        if (tells_at_once(kind) && wanted_.members) {
            SUBWAVE_ROLLED
            for (int b = 0; b < count; ++b)
                i.of(wanted_.members + b * items_) = lasting_.lanes();
        }
        /* Where code need not be short, a turn of the loop works on several elements: there are fewer moves. */
        constexpr int all = batch<Loaded>::size, some = all < 4 ? all : 4;
        if constexpr (code_is_short)
            work_in_turns<1>(kind, i, count, choices, has, y, body, finish);
        else if (lasts(kind))
            work_in_turns<all>(kind, i, count, choices, has, y, body, finish);
        else
            work_in_turns<some>(kind, i, count, choices, has, y, body, finish);
    }
    /* Groups that last have the same members for every element: these are written before the first turn, and
     * those of other groups in each. */
    static SUBWAVE_DEVICE constexpr bool tells_at_once(subwave_group_kind kind)
    {
        return !code_is_short && lasts(kind);
    }

    /* Works on `left` elements from i on, Turn at a time and then one at a time. */
    template <int Turn, class Y, class Loaded, class Body, class Finish>
    SUBWAVE_DEVICE void work_in_turns(subwave_group_kind kind, element i, int left,
                                      choice_bytes<batch<Loaded>::size> choices, batch<Loaded> &has,
                                      Y *y, Body body, Finish finish) const
    {
        SUBWAVE_ROLLED
        SUBWAVE_LOOP for (; left >= Turn; left -= Turn)
        {
            SUBWAVE_ITER;
            lane_bits members[Turn];
            Y result[Turn];
            SUBWAVE_UNROLL
            for (int t = 0; t < Turn; ++t) {
                const any_group g = SUBWAVE_CALL(group_of(kind, choices.of(t)));
                members[t] = static_cast<lane_bits>(g.lanes());
                result[t] = body(g, has.loaded[t]);
            }
            if (finish.is_wanted()) {
                SUBWAVE_UNROLL
                for (int t = 0; t < Turn; ++t)
                    result[t] = finish(any_group::of_flow(members[t], all_), result[t]);
            }
            const bool tells = !tells_at_once(kind) && wanted_.members != nullptr;
            SUBWAVE_UNROLL
            for (int t = 0; t < Turn; ++t) {
                const bool has_group = !captures_flow(kind) || members[t] != 0;
                if (has_group)
                    i.of(y) = result[t];
                if (tells && has_group)
                    i.of(wanted_.members) = members[t];
                i.next += items_;
            }
            if constexpr (Turn <= 4) /* there are no choices where it is more */
                choices.template forget<Turn>();
            SUBWAVE_UNROLL
            for (int b = Turn; b < has.size; ++b)
                has.loaded[b - Turn] = has.loaded[b];
        }
        if constexpr (Turn > 1)
            work_in_turns<1>(kind, i, left, choices, has, y, body, finish);
    }

    template <class Y, class Load, class Body, class Finish>
    SUBWAVE_DEVICE void walk(subwave_group_kind kind, Y *y, Load load, Body body,
                             Finish finish) const
    {
        using batch_of = batch<decltype(load(element()))>;
        const int most = batch_ < batch_of::size ? batch_ : batch_of::size;
        const std::int64_t step = gridDim.x * std::int64_t(most);
        const auto blocks_from = [&](std::int64_t block) {
            const std::int64_t left = count_ - block;
            return computed_anew(left < most ? static_cast<int>(left) : most);
        };
        std::int64_t block = blockIdx.x * std::int64_t(most);
        if constexpr (code_is_short) {
            SUBWAVE_LOOP for (; block < count_; block += step)
            {
                SUBWAVE_ITER;
                batch_of has = {};
                const int count = blocks_from(block);
                load_batch(kind, block, count, load, has);
                SUBWAVE_CALL(work_on(kind, block, count, has, y, body, finish));
            }
        } else {
            /* The next batch is on its way from memory while the block works on one; on the first
             * turn it only loads. Where code is short, that takes more moves than it saves time. */
            batch_of has = {};
            int count = 0;
            for (block -= step; block < count_; block += step) {
                batch_of next; /* of no use if nothing is loaded, as on the last turn */
                const int loaded = block + step < count_ ? blocks_from(block + step) : 0;
                if (loaded > 0)
                    load_batch(kind, block + step, loaded, load, next);
                work_on(kind, block, count, has, y, body, finish);
                has = next;
                count = loaded;
            }
        }
    }

    /* Called by all of the sub-group. The kinds that capture control flow are formed in the branch
     * of the work-item's key, and are used when the branches have joined again. */
    SUBWAVE_DEVICE any_group group_of(subwave_group_kind kind, int choice) const
    {
        if (lasts(kind))
            return lasting_;
        if (kind == SUBWAVE_GROUP_BALLOT)
            return {ballot_group_without_barrier(sub_group_, choice != 0), all_};
        lane_bits members = 0;
        /* Where code need not be short, most launches have no more branches than one turn takes. */
        constexpr int together = code_is_short ? 1 : 4;
        SUBWAVE_ROLLED
        SUBWAVE_LOOP for (int first = 0, more = true; more;
                          more = (first += together) < wanted_.branches)
        {
            SUBWAVE_ITER;
            SUBWAVE_UNROLL
            for (int k = 0; k < together; ++k)
                if (choice == first + k)
                    members = static_cast<lane_bits>(
                        kind != SUBWAVE_GROUP_TANGLE
                            ? this_kernel::get_opportunistic_group().lanes()
                        : code_is_short ? get_tangle_group(sub_group_).lanes()
                                        : tangle_group_without_barrier(sub_group_).lanes());
        }
        return any_group::of_flow(members, all_);
    }

    const subwave_group &wanted_;
    std::int64_t count_;
    int batch_;                  /* of how many blocks, at most */
    std::uint32_t item_, items_; /* this one of a block, and how many there are */
    sub_group sub_group_;
    any_group::beside all_;
    any_group lasting_;
};

/* Logical ops need no ladder: where there are two operands or more, the result is whether one of
 * them decides it. Of x in `lanes`, of which the caller is one. */
template <class Op> inline constexpr bool is_logical_v = false;
template <class T> inline constexpr bool is_logical_v<logical_and<T>> = true;
template <class T> inline constexpr bool is_logical_v<logical_or<T>> = true;
template <class T, class Op>
SUBWAVE_DEVICE T combine_truths(any_group g, lane_bits lanes, T x, Op op)
{
    const bool decides = op(T(1), T(0)) != T(0); /* what true alone does to logical_or */
    const auto found =
        static_cast<lane_bits>(wave_ballot(g.callers(), (x != T(0)) == decides, site::current()));
    const bool result = ((found & lanes) != 0) == decides;
    return lane_count(lanes) > 1 ? T(result) : x;
}

/* Calls body(op object) for the operation; nothing where T does not have it, which the host has
 * refused. */
template <class T, class Body> SUBWAVE_DEVICE void with_op(subwave_op op, Body body)
{
    switch (op) {
    case SUBWAVE_OP_PLUS:
        return body(plus<T>());
    case SUBWAVE_OP_MULTIPLIES:
        return body(multiplies<T>());
    case SUBWAVE_OP_MINIMUM:
        return body(minimum<T>());
    case SUBWAVE_OP_MAXIMUM:
        return body(maximum<T>());
    case SUBWAVE_OP_LOGICAL_AND:
        return body(logical_and<T>());
    case SUBWAVE_OP_LOGICAL_OR:
        return body(logical_or<T>());
    default:
        break;
    }
    if constexpr (is_integer_v<T>) {
        switch (op) {
        case SUBWAVE_OP_BIT_AND:
            return body(bit_and<T>());
        case SUBWAVE_OP_BIT_OR:
            return body(bit_or<T>());
        case SUBWAVE_OP_BIT_XOR:
            return body(bit_xor<T>());
        default:
            break;
        }
    }
}

/* Integers with a sign are combined as those without: sums, products and bits are the same, and so
 * are minima and maxima of numbers whose sign bits are inverted. There are fewer kernels then. */
template <class T> subwave_group_reduce_launch without_sign(const subwave_group_reduce_launch &p)
{
    subwave_group_reduce_launch as_unsigned = p;
    if (p.op == SUBWAVE_OP_MINIMUM || p.op == SUBWAVE_OP_MAXIMUM)
        as_unsigned.flip = std::uint64_t(1) << (8 * sizeof(T) - 1);
    return as_unsigned;
}
template <class T> SUBWAVE_DEVICE T flipped(T x, std::uint64_t bits)
{
    if constexpr (is_integer_v<T>)
        return static_cast<T>(x ^ static_cast<T>(bits));
    else
        return x;
}

/* Queues a kernel that walks over the shape's blocks. */
template <class Launch>
int launch_groups(void (*kernel)(Launch), const Launch &arguments, const subwave_group_shape &shape,
                  void *stream)
{
    const std::int32_t *block = shape.group.block;
    return launch(kernel, dim3(shape.blocks), dim3(block[0], block[1], block[2]), 0, stream,
                  arguments);
}

SUBWAVE_END

#endif
