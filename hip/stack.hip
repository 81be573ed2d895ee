/* SPDX-License-Identifier: MIT
 * stack.hip: the entries of a stack of products, sorted by their C, and by their place in the stack
 * where they have the same C.
 *
 * A hash table finds the entries of each C, which get places next to one another in any order; an
 * entry's place in the order of the stack is the number of those before it. So the lists come in
 * any order, but their terms in one.
 */
#include "offsets.hpp"

SUBWAVE_BEGIN

constexpr std::int64_t empty_slot = INT64_MIN; /* no element has this offset */

enum stack_step { stack_clear, stack_find, stack_allocate, stack_place, stack_order, stack_steps };

class stack_sorter {
    const subwave_stack_launch &p_;

    /* Other work-items wrote the list. */
    SUBWAVE_DEVICE subwave_stack_list list_at(std::uint32_t slot) const
    {
        static_assert(sizeof(subwave_stack_list) == 16, "two words of 64 bits");
        const auto *const words = reinterpret_cast<const std::uint64_t *>(&p_.slots[slot]);
        const std::uint64_t c = load_relaxed(words), terms = load_relaxed(words + 1);
        return {static_cast<std::int64_t>(c), static_cast<std::uint32_t>(terms),
                static_cast<std::uint32_t>(terms >> 32)};
    }
    /* 0, 1, 2: of A, B, C. */
    SUBWAVE_DEVICE std::int64_t offset(std::uint32_t e, int matrix) const
    {
        return offset_at(p_.offsets, 3 * std::int64_t(e) + matrix);
    }
    SUBWAVE_DEVICE std::uint32_t find_slot(std::int64_t c) const
    {
        using word = unsigned long long;
        const auto hash = static_cast<std::uint64_t>(c) * 0x9e3779b97f4a7c15;
        auto slot = static_cast<std::uint32_t>(hash >> (64 - p_.log_slots));
        for (;; slot = (slot + 1) & ((1u << p_.log_slots) - 1)) {
            auto *const key = reinterpret_cast<word *>(&p_.slots[slot].c);
            auto found = static_cast<std::int64_t>(
                load_relaxed(reinterpret_cast<const std::uint64_t *>(key)));
            if (found == empty_slot)
                found = static_cast<std::int64_t>(
                    atomicCAS(key, static_cast<word>(empty_slot), static_cast<word>(c)));
            if (found == empty_slot || found == c)
                return slot;
        }
    }

public:
    SUBWAVE_DEVICE explicit stack_sorter(const subwave_stack_launch &p) : p_(p) {}

    SUBWAVE_DEVICE void clear(std::uint32_t slot) const
    {
        p_.slots[slot] = {empty_slot, 0, 0};
        if (slot < 2)
            p_.taken[slot] = 0;
    }
    SUBWAVE_DEVICE void find(std::uint32_t e) const
    {
        const std::uint32_t slot = find_slot(offset(e, 2));
        p_.slot[e] = slot;
        p_.place[e] = aggregated_fetch_add(&p_.slots[slot].count, 1u);
    }
    SUBWAVE_DEVICE void allocate(std::uint32_t e) const
    {
        if (p_.place[e] != 0) /* one entry does it for its list */
            return;
        subwave_stack_list list = list_at(p_.slot[e]);
        list.first = aggregated_fetch_add(&p_.taken[1], list.count);
        p_.slots[p_.slot[e]].first = list.first;
        p_.lists[aggregated_fetch_add(&p_.taken[0], 1u)] = list;
    }
    SUBWAVE_DEVICE void place(std::uint32_t e) const
    {
        p_.entry[list_at(p_.slot[e]).first + p_.place[e]] = e;
    }
    SUBWAVE_DEVICE void order(std::uint32_t e) const
    {
        const subwave_stack_list list = list_at(p_.slot[e]);
        std::uint32_t before = 0;
        for (std::uint32_t i = 0; i < list.count; ++i)
            before += p_.entry[list.first + i] < e ? 1 : 0;
        p_.terms[list.first + before] = {offset(e, p_.swapped ? 1 : 0),
                                         offset(e, p_.swapped ? 0 : 1)};
    }

    /* This work-item's part of a step, as one of all in the grid. */
    SUBWAVE_DEVICE void take(int step) const
    {
        const std::uint32_t count = step == stack_clear ? 1u << p_.log_slots : p_.entries;
        SUBWAVE_LOOP for (std::uint32_t i = blockIdx.x * SUBWAVE_STACK_BLOCK + threadIdx.x;
                          i < count; i += gridDim.x * SUBWAVE_STACK_BLOCK)
        {
            SUBWAVE_ITER;
            switch (step) {
            case stack_clear:
                clear(i);
                break;
            case stack_find:
                find(i);
                break;
            case stack_allocate:
                allocate(i);
                break;
            case stack_place:
                place(i);
                break;
            default:
                order(i);
            }
        }
    }
};

SUBWAVE_KERNEL(SUBWAVE_STACK_BLOCK) stack_by_steps(subwave_stack_launch p, int step)
{
    stack_sorter(p).take(step);
}

SUBWAVE_KERNEL(SUBWAVE_STACK_BLOCK) stack_by_a_block(subwave_stack_launch p)
{
    SUBWAVE_ROLLED
    SUBWAVE_LOOP for (int step = 0; step < stack_steps; ++step)
    {
        SUBWAVE_ITER;
        stack_sorter(p).take(step);
        block_barrier(site::current());
    }
}

template <class T> int launch_stack(const subwave_stack_launch &p, void *stream)
{
    const dim3 block(SUBWAVE_STACK_BLOCK);
    if (p.entries <= SUBWAVE_STACK_ONE_BLOCK)
        return launch(stack_by_a_block, dim3(1), block, 0, stream, p);
    int status = 0;
    for (int step = 0; status == 0 && step < stack_steps; ++step)
        status = launch(stack_by_steps, dim3(p.blocks), block, 0, stream, p, step);
    return status;
}

SUBWAVE_END

SUBWAVE_KERNELS_stack(SUBWAVE_DEFINE_LAUNCHER)
