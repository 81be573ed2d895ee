/* SPDX-License-Identifier: MIT
 * look_back.hpp: what the tiles before a tile combine to, while other blocks work on them.
 *
 * A block says what its tile's elements combine to, without waiting for others. Tiles form groups,
 * whose last tiles say what the groups combine to. Before a tile there are groups, and tiles of its
 * own group: each work-item of the block waits for one of the groups and for one of the tiles. So
 * the order does not depend on which blocks run first, and no chain of waiting blocks is longer than
 * two.
 */
#ifndef SUBWAVE_HIP_LOOK_BACK_HPP
#define SUBWAVE_HIP_LOOK_BACK_HPP

#include "array.hpp"
#include "shapes.hpp"

SUBWAVE_BEGIN

/* Values of up to 8 bytes that other blocks wait for: each of their words below one that says that
 * it is there. `states` are 0 before. */
template <class T> constexpr int state_words = sizeof(words_of<T>) / 4;
constexpr std::uint64_t state_is_there = std::uint64_t(1) << 32;

template <class T> SUBWAVE_DEVICE void publish(std::uint64_t *states, std::uint32_t i, T value)
{
    const words_of<T> words = to_words(value);
    SUBWAVE_UNROLL
    for (int w = 0; w < state_words<T>; ++w)
        store_relaxed(&states[state_words<T> * std::int64_t(i) + w],
                      state_is_there | words.word[w]);
}

/* Of a tile of the launch's `count`. No tile waits for the last one. */
template <class T>
SUBWAVE_DEVICE void publish_tile(std::uint64_t *states, std::uint32_t count, std::uint32_t tile,
                                 T value)
{
    if (tile != count - 1)
        publish(states, tile, value);
}

/* A state as it was when it was asked for. */
template <class T> struct seen_state {
    std::uint64_t word[state_words<T>];

    SUBWAVE_DEVICE void ask(const std::uint64_t *states, std::uint32_t i)
    {
        const std::uint64_t *const from = states + state_words<T> * i;
        if constexpr (state_words<T> == 2)
            load_relaxed_pair(from, word);
        else
            word[0] = load_relaxed(from);
    }
    /* What all words say above the value's. */
    SUBWAVE_DEVICE bool all_are(std::uint64_t what) const
    {
        bool all = true;
        SUBWAVE_UNROLL
        for (int w = 0; w < state_words<T>; ++w)
            all = all && word[w] >> 32 == what >> 32;
        return all;
    }
    SUBWAVE_DEVICE bool is_there() const { return all_are(state_is_there); }
    SUBWAVE_DEVICE T value() const
    {
        words_of<T> words;
        SUBWAVE_UNROLL
        for (int w = 0; w < state_words<T>; ++w)
            words.word[w] = static_cast<std::uint32_t>(word[w]);
        return from_words<T>(words);
    }
};

template <class T> SUBWAVE_DEVICE T wait_for(const std::uint64_t *states, std::uint32_t i)
{
    seen_state<T> state;
    do {
        state.ask(states, i);
    } while (!state.is_there());
    return state.value();
}

/* The first `count` values of array_block, combined in the order of block_reduce, in all lanes of the
 * block's first wave, which wait for them together: each for some that follow one another. `first`
 * comes before them. */
template <class T, class Op>
SUBWAVE_DEVICE T wait_for_all(const std::uint64_t *states, std::uint32_t count, T first, Op op)
{
    constexpr int most = array_block / min_wave_size();
    const int share = array_block / wave_size();
    const std::uint32_t from = threadIdx.x * share;
    seen_state<T> state[most];
    T x[most] = {};
    SUBWAVE_UNROLL
    for (int i = 0; i < share; ++i)
        if (from + i < count)
            state[i].ask(states, from + i);
    SUBWAVE_UNROLL
    for (int i = 0; i < share; ++i) {
        x[i] = filler<Op, T>::value();
        if (from + i < count) {
            while (!state[i].is_there())
                state[i].ask(states, from + i);
            x[i] = state[i].value();
        }
    }
    if (from == 0)
        x[0] = op(first, x[0]);
    SUBWAVE_UNROLL
    for (int size = 1; size < share; size *= 2) {
        SUBWAVE_UNROLL
        for (int i = 0; i < share; i += 2 * size)
            x[i] = op(x[i], x[i + size]);
    }
    const sub_group wave = this_work_item::get_sub_group();
    if constexpr (min_wave_size() == max_wave_size()) /* known to be whole */
        return reduce_over_group(get_fixed_size_group<max_wave_size()>(wave), x[0], op);
    else
        return reduce_over_group(wave, x[0], op);
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
    if constexpr (blocks_begin_in_order) {
        return blockIdx.x;
    } else {
        SUBWAVE_SHARED(std::uint32_t, next, 1);
        if (threadIdx.x == 0) {
            next[0] = atomicAdd(counter, 1u);
            if (next[0] == count - 1)
                *counter = 0;
        }
        block_barrier(site::current());
        return next[0];
    }
}

/* Whether the lanes of a block's first wave wait for all tiles and groups, rather than each work-item of
 * the block for one: the other waves then execute nothing for it. Smaller waves would have more values
 * per lane, and more code. */
constexpr bool one_wave_looks_back = max_wave_size() > 32;

/* Elements of shared memory that value_before_tile needs. */
constexpr int look_back_elements = one_wave_looks_back ? 1 : block_reduce_elements<array_block>;

/* What the elements before a tile of the launch's `count` combine to. If one_wave_looks_back, its block's
 * first wave calls it; otherwise all work-items of the block, of array_block, and there is a barrier: what
 * one of them wrote to shared memory before, all may read after it. `states` has SUBWAVE_SCAN_STATES(count).
 * `start` is what stands before the launch; `mine` the tile's value, needed in work-item 0 alone; `shared`
 * has look_back_elements. IsPublished: publish_ahead() has been called for the tile. */
template <bool IsPublished, class Value, class Op>
SUBWAVE_DEVICE Value value_before_tile(std::uint64_t *states, std::uint32_t count,
                                       std::uint32_t tile, Value mine, Value start, Op op,
                                       Value *shared)
{
    static_assert(SUBWAVE_SCAN_GROUP == array_block &&
                      SUBWAVE_SCAN_TILES <= array_block * array_block,
                  "a work-item waits for a tile and for a group");
    const Value none = filler<Op, Value>::value();
    const std::uint32_t group = tile / SUBWAVE_SCAN_GROUP, place = tile % SUBWAVE_SCAN_GROUP;
    const std::uint64_t *const own_group = states + state_words<Value> * (tile - place);
    std::uint64_t *const groups = states + state_words<Value> * count;
    const std::uint32_t item = threadIdx.x;
    /* Of a group, unless the launch ends with it. */
    const bool publishes_group =
        !IsPublished && place == SUBWAVE_SCAN_GROUP - 1 && tile != count - 1;
    if (!IsPublished && item == 0)
        publish_tile(states, count, tile, mine);
    if constexpr (one_wave_looks_back) {
        const Value in_group = wait_for_all(own_group, place, none, op);
        if (item == 0 && publishes_group)
            publish(groups, group, op(in_group, mine));
        if (group > 0)
            start = wait_for_all(groups, group, start, op);
        return op(start, in_group);
    }
    const Value of_tile = item < place ? wait_for<Value>(own_group, item) : none;
    const Value in_group = block_reduce<array_block>(of_tile, op, shared);
    if (item == 0 && publishes_group)
        publish(groups, group, op(in_group, mine));
    if (group > 0) {
        Value of_group = item < group ? wait_for<Value>(groups, item) : none;
        if (item == 0)
            of_group = op(start, of_group);
        block_barrier(site::current());
        start = block_reduce<array_block>(of_group, op, shared);
    }
    return op(start, in_group);
}

/* Whether blocks of a launch combine later tiles, by publish_ahead(), before they work on their own. As
 * many blocks more are then needed as tiles lie between the two. */
inline bool combines_ahead(const subwave_tiles &t)
{
    return shapes.ahead_from > 0 && t.count >= static_cast<std::uint32_t>(shapes.ahead_from);
}

/* Publishes `mine`, what a tile combines to, and if the tile is the last one of its group, what the group
 * combines to. The tile is not the launch's last one, and its own block comes later, so that what this
 * one waits for is there by then. All work-items of the block call it together; `shared` has
 * block_reduce_elements<array_block>. */
template <class Value, class Op>
SUBWAVE_DEVICE void publish_ahead(std::uint64_t *states, std::uint32_t count, std::uint32_t tile,
                                  Value mine, Op op, Value *shared)
{
    const std::uint32_t place = tile % SUBWAVE_SCAN_GROUP, item = threadIdx.x;
    if (item == 0)
        publish(states, tile, mine);
    if (place != SUBWAVE_SCAN_GROUP - 1)
        return;
    const Value of_tile =
        item < place ? wait_for<Value>(states, tile - place + item) : filler<Op, Value>::value();
    const Value in_group = block_reduce<array_block>(of_tile, op, shared);
    if (item == 0)
        publish(states, count + tile / SUBWAVE_SCAN_GROUP, op(in_group, mine));
    block_barrier(site::current());
}

/* The same of counts, whose sum is the same in any order, so that all states are asked for together.
 * The sum over a group is there only after its last tile has waited for the others. If the tiles of
 * the next group waited for it, most blocks at work would do so at the same time, and then all load at
 * once: they ask for each tile of the group before instead. `is_published`: publish_tile() has been
 * called; IsAhead: publish_ahead() has been. */
template <bool IsAhead>
SUBWAVE_DEVICE std::uint32_t count_before_tile(std::uint64_t *states, std::uint32_t count,
                                               std::uint32_t tile, std::uint32_t mine,
                                               bool is_published, std::uint32_t *shared)
{
    using number = std::uint32_t;
    const plus<number> op;
    const number group = tile / SUBWAVE_SCAN_GROUP, place = tile % SUBWAVE_SCAN_GROUP,
                 item = threadIdx.x;
    const number in_own = tile - place + item;
    if (!IsAhead && item == 0 && !is_published)
        publish_tile(states, count, tile, mine);
    if (!IsAhead && place == SUBWAVE_SCAN_GROUP - 1 && tile != count - 1) {
        const number of_tile = item < place ? wait_for<number>(states, in_own) : 0;
        const number in_group = block_reduce<array_block>(of_tile, op, shared);
        if (item == 0)
            publish(states, count + group, in_group + mine);
        block_barrier(site::current());
    }
    /* Of a tile of the own group, of one of the group before, and of an earlier group. */
    constexpr int kinds = 3;
    const number at[kinds] = {in_own, in_own - SUBWAVE_SCAN_GROUP, count + item};
    const bool is_wanted[kinds] = {item < place, group > 0, item + 1 < group};
    std::uint64_t state[kinds];
    SUBWAVE_UNROLL
    for (int k = 0; k < kinds; ++k)
        state[k] = is_wanted[k] ? load_relaxed(&states[at[k]]) : state_is_there;
    number before = 0;
    SUBWAVE_UNROLL
    for (int k = 0; k < kinds; ++k) {
        while (state[k] >> 32 == 0)
            state[k] = load_relaxed(&states[at[k]]);
        before += static_cast<number>(state[k]);
    }
    return block_reduce<array_block>(before, op, shared);
}

/* Where no other launch clears the states, the last block to have read them does: by then nobody needs
 * them, and each that was written is there, since the last tile waits for all others. A block counts
 * itself as soon as value_before_tile or count_before_tile returns, and then goes on with its results,
 * since the count takes as long to come. It is that of work-item 0. */
SUBWAVE_DEVICE std::uint32_t count_reader(const subwave_tiles &t)
{
    return t.leaves_zeros && threadIdx.x == 0 ? atomicAdd(t.counter + 1, 1u) : 0;
}

/* `before` is what count_reader() returned to work-item `Item`. All work-items of a block call it. */
template <int Item>
SUBWAVE_DEVICE void leave_zeros(const subwave_tiles &t, std::uint32_t before, std::uint32_t states)
{
    if (!t.leaves_zeros || !in_wave_of<Item>())
        return;
    const sub_group wave = this_work_item::get_sub_group();
    const std::uint32_t lane = wave.get_local_linear_id();
    before = wave_broadcast(wave.callers(), before, Item % wave_size(), site::current());
    if (before != t.count - 1)
        return;
    for (std::uint32_t i = lane; i < states; i += wave_size())
        store_relaxed(&t.states[i], std::uint64_t(0));
    if (lane == 0)
        t.counter[1] = 0;
}
SUBWAVE_DEVICE void leave_zeros(const subwave_tiles &t, std::uint32_t before)
{
    leave_zeros<0>(t, before, 2 * (t.count - 1));
}

/* Where a launch finds what stands before it: a value by the one before. */
template <class Value>
SUBWAVE_DEVICE Value *tiles_carry(const subwave_tiles &t, std::int64_t first_tile)
{
    return reinterpret_cast<Value *>(&t.carry[first_tile / SUBWAVE_SCAN_TILES % 2]);
}

/* Calls launch_part(), which queues a kernel of t.count blocks for each of `rows` arrays, for one part
 * of the tiles after the other. Tiles without states wait for none. */
template <class Part>
int launch_tiles(subwave_tiles &t, std::uint32_t rows, void *stream, Part launch_part)
{
    const std::int64_t most = SUBWAVE_SCAN_TILES;
    int status = 0;
    for (t.first = 0; status == 0 && t.first < t.all; t.first += most) {
        const std::int64_t left = t.all - t.first;
        t.count = static_cast<std::uint32_t>(left < most ? left : most);
        if (t.count > 1 && t.states && !t.leaves_zeros) {
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
