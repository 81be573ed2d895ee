/* SPDX-License-Identifier: MIT
 * group.hpp: what the group_*.hip kernels share: forming the group that a subwave_group describes,
 * and walking over the work-groups of an array.
 */
#ifndef SUBWAVE_HIP_GROUP_HPP
#define SUBWAVE_HIP_GROUP_HPP

#include "kernels.h"

#include <subwave/subwave.hpp>

SUBWAVE_BEGIN

/* Any group, by its members alone: one kernel then serves every kind. The members come from the
 * real creation functions; the ladders depend on nothing else, so results are those of the typed
 * group. */
class any_group : public lane_set<any_group> {
public:
    SUBWAVE_DEVICE std::uint32_t get_group_linear_id() const { return id_; }
    SUBWAVE_DEVICE std::uint32_t get_group_linear_range() const { return range_; }

    template <class Group>
    SUBWAVE_DEVICE any_group(Group g)
        : lane_set<any_group>(g.lanes()), id_(g.get_group_linear_id()),
          range_(g.get_group_linear_range()), block_size_(block_size_v<Group>)
    {
    }
    /* The lanes of the aligned blocks that such groups are, or 0. */
    SUBWAVE_DEVICE int block_size() const { return block_size_; }

private:
    std::uint32_t id_, range_;
    int block_size_;
};

SUBWAVE_DEVICE lanes_or_blocks ladder_of(any_group g)
{
    return {{static_cast<lane_bits>(g.lanes())}, g.block_size()};
}

SUBWAVE_DEVICE any_group fixed_size_group_of(sub_group sg, int size)
{
    switch (size) {
    case 1:
        return get_fixed_size_group<1>(sg);
    case 2:
        return get_fixed_size_group<2>(sg);
    case 4:
        return get_fixed_size_group<4>(sg);
    case 8:
        return get_fixed_size_group<8>(sg);
    case 16:
        return get_fixed_size_group<16>(sg);
    case 32:
        return get_fixed_size_group<32>(sg);
    default: /* the host admits 64 only where a wave has as many lanes */
        return get_fixed_size_group<max_wave_size()>(sg);
    }
}

/* Calls body(group, i) in every work-item of the shape's blocks, i its element; once in the branch
 * of its key for the kinds that capture control flow. */
template <class Body> SUBWAVE_DEVICE void for_each_item(const subwave_group_shape &shape, Body body)
{
    const subwave_group &wanted = shape.group;
    const bool branching =
        wanted.kind == SUBWAVE_GROUP_TANGLE || wanted.kind == SUBWAVE_GROUP_OPPORTUNISTIC;
    const sub_group sg = this_work_item::get_sub_group();
    SUBWAVE_LOOP for (std::int64_t block = blockIdx.x; block < shape.count; block += gridDim.x)
    {
        SUBWAVE_ITER;
        const std::int64_t i = block * block_size() + block_item();
        const int key = branching ? wanted.key[i] : 0;
        const bool predicate = wanted.kind == SUBWAVE_GROUP_BALLOT && wanted.predicate[i] != 0;
        SUBWAVE_LOOP for (int branch = 0; branch < (branching ? wanted.branches : 1); ++branch)
        {
            SUBWAVE_ITER;
            if (key != branch)
                continue;
            any_group g = wanted.kind == SUBWAVE_GROUP_BALLOT
                              ? any_group(get_ballot_group(sg, predicate))
                          : wanted.kind == SUBWAVE_GROUP_FIXED_SIZE
                              ? fixed_size_group_of(sg, wanted.fixed_size)
                          : wanted.kind == SUBWAVE_GROUP_TANGLE ? any_group(get_tangle_group(sg))
                          : wanted.kind == SUBWAVE_GROUP_OPPORTUNISTIC
                              ? any_group(this_kernel::get_opportunistic_group())
                              : any_group(sg);
            if (wanted.members)
                wanted.members[i] = g.lanes();
            body(g, i);
        }
    }
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
