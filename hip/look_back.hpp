/* SPDX-License-Identifier: MIT
 * look_back.hpp: what the tiles before a tile combine to, while other blocks work on them.
 *
 * A block says what its tile's elements combine to, without waiting for others. Tiles form groups,
 * whose last tiles say what the groups combine to. Before a tile there are groups, and tiles of its
 * own group: the block's first wave waits for all of them. So the order does not depend on which
 * blocks run first, and no chain of waiting blocks is longer than two.
 */
#ifndef SUBWAVE_HIP_LOOK_BACK_HPP
#define SUBWAVE_HIP_LOOK_BACK_HPP

#include "array.hpp"

SUBWAVE_BEGIN

/* Values of up to 8 bytes that other blocks wait for: each of their words beside one that says that
 * it is there. `states` are 0 before. */
template <class T> constexpr int state_words = sizeof(words_of<T>) / 4;

/* What is at `from`, when it is there. */
template <class T> struct awaited {
    std::uint64_t state[state_words<T>];

    static SUBWAVE_DEVICE awaited of(const T &value)
    {
        const words_of<T> words = to_words(value);
        awaited there;
        SUBWAVE_UNROLL
        for (int w = 0; w < state_words<T>; ++w)
            there.state[w] = std::uint64_t(1) << 32 | words.word[w];
        return there;
    }
    SUBWAVE_DEVICE void look(const std::uint64_t *from)
    {
        SUBWAVE_UNROLL
        for (int w = 0; w < state_words<T>; ++w)
            state[w] = load_relaxed(&from[w]);
    }
    SUBWAVE_DEVICE T wait(const std::uint64_t *from)
    {
        words_of<T> words;
        SUBWAVE_UNROLL
        for (int w = 0; w < state_words<T>; ++w) {
            while (state[w] >> 32 == 0)
                state[w] = load_relaxed(&from[w]);
            words.word[w] = static_cast<std::uint32_t>(state[w]);
        }
        T value;
        memcpy(&value, &words, sizeof value);
        return value;
    }
};
template <class T> SUBWAVE_DEVICE void publish(std::uint64_t *states, std::uint32_t i, T value)
{
    const awaited<T> there = awaited<T>::of(value);
    SUBWAVE_UNROLL
    for (int w = 0; w < state_words<T>; ++w)
        store_relaxed(&states[state_words<T> * std::int64_t(i) + w], there.state[w]);
}
template <class T> SUBWAVE_DEVICE T wait_for(const std::uint64_t *states, std::uint32_t i)
{
    const std::uint64_t *const from = &states[state_words<T> * std::int64_t(i)];
    awaited<T> there;
    there.look(from);
    return there.wait(from);
}

template <class State> SUBWAVE_KERNEL(array_block) clear_states(State *states, std::int64_t count)
{
    for (std::int64_t i = std::int64_t(blockIdx.x) * array_block + threadIdx.x; i < count;
         i += std::int64_t(gridDim.x) * array_block)
        states[i] = 0;
}

/* Tiles begin in ascending order, so that a block waits only for blocks that are at work. */
SUBWAVE_DEVICE std::uint32_t next_tile(std::uint32_t *counter, std::uint32_t count)
{
    SUBWAVE_SHARED(std::uint32_t, next, 1);
    if (threadIdx.x == 0) {
        next[0] = atomicAdd(counter, 1u);
        if (next[0] == count - 1)
            *counter = 0;
    }
    block_barrier(site::current());
    return next[0];
}

/* `start` and the first `count` values of `states`, at most array_block, combined in the order of
 * block_reduce; in all lanes of the wave that calls it, each of which waits for neighbours. */
template <class Value, class Op>
SUBWAVE_DEVICE Value combine_states(const std::uint64_t *states, std::uint32_t count, Value start,
                                    Op op)
{
    if (count == 0)
        return start;
    constexpr int most = array_block / min_wave_size();
    const int each = array_block / wave_size();
    const auto number = static_cast<std::uint32_t>(wave_lane() * each);
    const std::uint64_t *const from = states + state_words<Value> * number;
    awaited<Value> there[most];
    SUBWAVE_UNROLL
    for (int i = 0; i < each; ++i) {
        there[i] = awaited<Value>::of(filler<Op, Value>::value());
        if (number + i < count)
            there[i].look(&from[state_words<Value> * i]);
    }
    Value of[most];
    SUBWAVE_UNROLL
    for (int i = 0; i < each; ++i)
        of[i] = there[i].wait(&from[state_words<Value> * i]);
    if (number == 0)
        of[0] = op(start, of[0]);
    SUBWAVE_UNROLL
    for (int size = 1; size < each; size *= 2) {
        SUBWAVE_UNROLL
        for (int i = 0; i < each; i += 2 * size)
            of[i] = op(of[i], of[i + size]);
    }
    return reduce_whole_wave(of[0], op, site::current());
}

/* What the elements before a tile of the launch's `count` combine to, in all work-items of its block,
 * of array_block, which call it together. `states` has SUBWAVE_SCAN_STATES(count). `start` is what
 * stands before the launch, `mine` the tile's value, both of the first wave alone: it waits. `shared`
 * has one element. What was in shared memory before may be read after it. */
template <class Value, class Op>
SUBWAVE_DEVICE Value value_before_tile(std::uint64_t *states, std::uint32_t count,
                                       std::uint32_t tile, Value mine, Value start, Op op,
                                       Value *shared)
{
    static_assert(SUBWAVE_SCAN_GROUP == array_block &&
                      SUBWAVE_SCAN_TILES <= array_block * array_block,
                  "a wave looks at as many tiles as a block has work-items, and groups");
    if (in_first_wave()) {
        std::uint64_t *const groups = states + state_words<Value> * std::int64_t(count);
        const std::uint32_t group = tile / SUBWAVE_SCAN_GROUP, place = tile % SUBWAVE_SCAN_GROUP;
        const bool is_first_lane = wave_lane() == 0;
        if (is_first_lane)
            publish(states, tile, mine);
        /* What its group has before it, and then what all have before that, by the same code. */
        const Value none = filler<Op, Value>::value();
        Value in_group = none;
        SUBWAVE_ROLLED
        for (bool groups_follow = true;; groups_follow = false) {
            const Value combined = combine_states(
                groups_follow ? states + state_words<Value> * std::int64_t(tile - place) : groups,
                groups_follow ? place : group, groups_follow ? none : start, op);
            if (!groups_follow) {
                start = op(combined, in_group);
                break;
            }
            in_group = combined;
            if (is_first_lane && place == SUBWAVE_SCAN_GROUP - 1)
                publish(groups, group, op(in_group, mine));
        }
        if (is_first_lane)
            shared[0] = start;
    }
    block_barrier(site::current());
    return shared[0];
}

/* Where a launch finds what stands before it: a value by the one before. */
template <class Value>
SUBWAVE_DEVICE Value *tiles_carry(const subwave_tiles &t, std::int64_t first_tile)
{
    return reinterpret_cast<Value *>(&t.carry[first_tile / SUBWAVE_SCAN_TILES % 2]);
}

/* Calls launch_part(), which queues a kernel of t.count blocks for each of `rows` arrays, for one part
 * of the tiles after the other. */
template <class Part>
int launch_tiles(subwave_tiles &t, std::uint32_t rows, void *stream, Part launch_part)
{
    const std::int64_t most = SUBWAVE_SCAN_TILES;
    int status = 0;
    for (t.first = 0; status == 0 && t.first < t.all; t.first += most) {
        const std::int64_t left = t.all - t.first;
        t.count = static_cast<std::uint32_t>(left < most ? left : most);
        if (t.count > 1) {
            const std::uint32_t states = rows * SUBWAVE_SCAN_STATES(t.count);
            status =
                launch(clear_states<std::uint64_t>, dim3((states + array_block - 1) / array_block),
                       dim3(array_block), 0, stream, t.states, states);
        }
        if (status == 0)
            status = launch_part();
    }
    return status;
}
template <class Part> int launch_tiles(subwave_tiles &t, void *stream, Part launch_part)
{
    return launch_tiles(t, 1, stream, launch_part);
}

SUBWAVE_END

#endif
