/* SPDX-License-Identifier: MIT
 * segmented_join.hpp: how what work-items and tiles have of a segment becomes one: work-items of a block in runs,
 * runs in a tile, and tiles by way of words that blocks write and wait for.
 */
#ifndef SUBWAVE_HIP_SEGMENTED_JOIN_HPP
#define SUBWAVE_HIP_SEGMENTED_JOIN_HPP

#include "segmented.hpp"

SUBWAVE_BEGIN

/* A value, and whether a segment ended before the elements that it is of: otherwise 0. */
template <class Value> struct since_end {
    Value value;
    std::uint32_t ended;
};
template <class Op> struct join_since_end {
    Op op;
    template <class Value>
    SUBWAVE_DEVICE since_end<Value> operator()(const since_end<Value> &a,
                                               const since_end<Value> &b) const
    {
        return {b.ended ? b.value : op(a.value, b.value), a.ended | b.ended};
    }
};
template <class Op, class Value> struct filler<join_since_end<Op>, since_end<Value>> {
    static constexpr bool exists = true;
    static SUBWAVE_DEVICE constexpr since_end<Value> value()
    {
        return {filler<Op, Value>::value(), 0};
    }
};

/* What stands before a work-item in its tile since the last end in it, and what the tile has since
 * its last end. */
template <class Value> struct tile_since_end {
    since_end<Value> before;
    Value all;
};
template <class Value>
constexpr int tile_since_end_elements =
    block_scan_elements<array_block> + array_block / SUBWAVE_SCAN_RUN;

/* What x combines to since the last end, in a run of SUBWAVE_SCAN_RUN work-items: up to each, and before it. As
 * block_scan_runs by join_since_end, but one value is exchanged per step, where a wave has whole runs. The calls are
 * those of a wave rather than of a group: NVIDIA then knows all lanes that make them. */
template <class Value, class Op> class run_since_end {
    static constexpr int run = SUBWAVE_SCAN_RUN;
    static constexpr lane_bits firsts = ~lane_bits(0) / 0xffffffff; /* the first lane of each run */

    /* The lanes of `among` that have no end in their row of neighbours there, from its first lane up to them: those
     * that a carry from the first lane passes. */
    static SUBWAVE_DEVICE constexpr lane_bits following(lane_bits among, lane_bits ended)
    {
        const lane_bits open = among & ~ended, begin = among & ~(among << 1);
        return open & ~(open + begin);
    }

public:
    Value upto;
    bool is_first, is_last,
        ended_below; /* ended_below: an end is before the work-item in its run */

    SUBWAVE_DEVICE run_since_end(const since_end<Value> &x, Op op)
        : upto(x.value), is_first(threadIdx.x % run == 0), is_last(threadIdx.x % run == run - 1)
    {
        const site where = site::current();
        const sub_group wave = this_work_item::get_sub_group();
        const auto ended = static_cast<lane_bits>(wave_ballot(wave.callers(), x.ended, where));
        const std::uint32_t lane = threadIdx.x % run,
                            below = static_cast<std::uint32_t>(ended >>
                                                               (threadIdx.x % wave_size() - lane)) &
                                    ((std::uint32_t(1) << lane) - 1);
        /* The lane of the last end up to this one, or lane 0. */
        const auto since = x.ended ? lane : static_cast<std::uint32_t>(highest_lane(below | 1));
        /* The upper half of a block takes what the lower half's last lane has, unless a segment ended
         * since: then `since` is in the upper half too, and differs from the lane in lower bits only. So
         * the lane takes it in the steps that have bits of `takes`: those of the lane, without the ones
         * above the highest that differs. All are doubled, for then one differs in any case. */
        const std::uint32_t differs = 2 * (lane ^ since) | 1,
                            takes = 2 * lane & ~std::uint32_t(0) >> (31 - highest_lane(differs));
        if constexpr (has_inverse_ballot) {
            is_first = inverse_ballot(firsts);
            is_last = inverse_ballot(firsts << (run - 1));
            ended_below = !inverse_ballot(following(~(firsts << (run - 1)), ended) << 1 | firsts);
        } else
            ended_below = below != 0;
        const auto step = [&](auto half) {
            constexpr std::uint32_t size = decltype(half)::value;
            constexpr lane_bits upper = ~lane_bits(0) / ((lane_bits(1) << size) + 1) << size;
            const Value other =
                wave_broadcast_block<2 * size>(wave.callers(), upto, size - 1, where);
            if (has_inverse_ballot ? inverse_ballot(following(upper, ended))
                                   : (takes & 2 * size) != 0) {
                remains_branch();
                upto = op(other, upto);
            }
            upto = seen_as_whole(upto);
        };
        static_assert(run == 32, "as many lanes as the last step has in a block");
        step(std::integral_constant<std::uint32_t, 1>());
        step(std::integral_constant<std::uint32_t, 2>());
        step(std::integral_constant<std::uint32_t, 4>());
        step(std::integral_constant<std::uint32_t, 8>());
        step(std::integral_constant<std::uint32_t, 16>());
    }

    /* What stands before the work-item, if before_run stands before its run. */
    SUBWAVE_DEVICE Value before(Value before_run, Op op) const
    {
        const Value last =
            shift_group_right(this_work_item::get_sub_group(), upto, 1, site::current());
        Value result = ended_below ? last : before_run;
        if (!is_first && !ended_below) {
            remains_branch();
            result = op(result, last);
        }
        return seen_as_whole(result);
    }
};

/* All work-items of a block call it together; `shared` has tile_since_end_elements, and may be used
 * again after a block_barrier. `all` is valid in the last one. */
template <class Value, class Op>
SUBWAVE_DEVICE tile_since_end<Value> scan_tile_since_end(since_end<Value> x, Op op,
                                                         since_end<Value> *shared)
{
    constexpr int run = SUBWAVE_SCAN_RUN, runs = array_block / run;
    const Value none = filler<Op, Value>::value();
    const int item = static_cast<int>(threadIdx.x);
    since_end<Value> *const totals = shared + block_scan_elements<array_block>;
    /* Of the runs before the work-item's own those count that follow the last end. */
    const auto before_run = [&](int number, std::uint32_t ended) {
        Value before = none;
        SUBWAVE_ROLLED
        for (int r = highest_lane((ended & ((std::uint32_t(1) << number) - 1)) | 1); r < number;
             ++r)
            before = op(before, totals[r].value);
        return before;
    };
    if (min_wave_size() < run && wave_size() < run) {
        const join_since_end<Op> join = {op};
        const auto in_run = block_scan_runs<array_block, run>(x, join, shared);
        if (item % run == run - 1)
            totals[item / run] = in_run.upto;
        block_barrier(site::current());
        std::uint32_t ended = 0; /* bit r: run r has an end */
        for (int r = 0; r < runs; ++r)
            ended |= static_cast<std::uint32_t>(totals[r].ended != 0) << r;
        const since_end<Value> before = {before_run(item / run, ended),
                                         ended & ((std::uint32_t(1) << item / run) - 1)};
        return {join(before, in_run.before), join(before, in_run.upto).value};
    } else {
        static_assert(max_wave_size() <= 2 * run, "a wave has no more runs");
        constexpr lane_bits seconds = ~lane_bits(0) << (run - 1) << 1; /* of a wave's second run */
        const auto in_lanes = [](lane_bits lanes, bool here) {
            return has_inverse_ballot ? inverse_ballot(lanes) : here;
        };
        /* Of the wave's first run. */
        const int number = wave_uniform(item / wave_size()) * (wave_size() / run),
                  is_second = item / run % (wave_size() / run);
        run_since_end<Value, Op> in_run(x, op);
        if (in_run.is_last)
            totals[number + is_second] = {in_run.upto,
                                          std::uint32_t(in_run.ended_below || x.ended)};
        block_barrier(site::current());
        const auto ended = static_cast<std::uint32_t>(wave_ballot(
            this_work_item::get_sub_group().callers(), totals[item % runs].ended, site::current()));
        Value before = before_run(number, ended);
        const bool ends_first = (ended >> number & 1) != 0,
                   ended_before = (ended & ((std::uint32_t(1) << number) - 1)) != 0;
        if (wave_size() > run && in_lanes(seconds, is_second != 0)) {
            remains_branch();
            if (ends_first) {
                remains_branch();
                before = none;
            }
            before = op(before, totals[number].value);
        }
        before = seen_as_whole(before);
        tile_since_end<Value> result;
        result.all = in_run.upto;
        if (number + wave_size() / run == runs && !in_run.ended_below && !x.ended) {
            remains_branch();
            result.all = op(before, in_run.upto);
        }
        const bool has_ended =
            in_lanes((ended_before ? ~seconds : 0) | (ended_before || ends_first ? seconds : 0),
                     ended_before || (ends_first && is_second != 0));
        result.before = {in_run.before(before, op), in_run.ended_below || has_ended};
        return result;
    }
}

/* What a value x of each work-item combines to, in all of them and in the same order. All work-items of
 * a block call it together, again after a block_barrier. */
template <class Value, class Op> SUBWAVE_DEVICE Value combine_in_runs(Value x, Op op)
{
    constexpr int run = SUBWAVE_SCAN_RUN, runs = array_block / run;
    SUBWAVE_SHARED(Value, shared, block_scan_elements<array_block>);
    SUBWAVE_SHARED(Value, totals, runs);
    Value upto = x;
    if constexpr (!code_is_short || min_wave_size() < run) {
        upto = block_scan_runs<array_block, run>(x, op, shared).upto;
    } else {
        const site where = site::current();
        const lane_mask all = this_work_item::get_sub_group().callers();
        SUBWAVE_ROLLED
        for (int size = 1; size < run; size *= 2) /* right in the last lane */
            upto = op(wave_shuffle(all, upto, wave_lane() ^ size, where), upto);
    }
    if (threadIdx.x % run == run - 1)
        totals[threadIdx.x / run] = upto;
    block_barrier(site::current());
    Value all = filler<Op, Value>::value();
    SUBWAVE_ROLLED
    for (int r = 0; r < runs; ++r)
        all = op(all, totals[r]);
    return all;
}

/* The states of the tiles from `first` up to `tile` that its block looks at in each of at most three
 * steps: tiles of its own group; groups; tiles of the group in which the first one is, if that is
 * another and not wanted as a whole. */
struct earlier_tiles {
    std::uint32_t first, tile;

    SUBWAVE_DEVICE std::uint32_t group() const { return tile / SUBWAVE_SCAN_GROUP; }
    SUBWAVE_DEVICE bool ends_group() const
    {
        return tile % SUBWAVE_SCAN_GROUP == SUBWAVE_SCAN_GROUP - 1;
    }
    SUBWAVE_DEVICE int steps() const
    {
        return first / SUBWAVE_SCAN_GROUP == group() ? 1 : first % SUBWAVE_SCAN_GROUP == 0 ? 2 : 3;
    }
    template <class Value>
    SUBWAVE_DEVICE Value wait(const std::uint64_t *states, std::uint32_t count, int step,
                              Value otherwise) const
    {
        const std::uint32_t in = step == 0 ? group() : first / SUBWAVE_SCAN_GROUP,
                            skipped = first % SUBWAVE_SCAN_GROUP;
        const std::uint32_t i = threadIdx.x + (step == 1 ? 0 : in * SUBWAVE_SCAN_GROUP);
        const std::uint32_t low = step == 1 ? in + (skipped > 0) : first,
                            high = step == 0   ? tile
                                   : step == 1 ? group()
                                               : (in + 1) * SUBWAVE_SCAN_GROUP;
        if (i < low || i >= high)
            return otherwise;
        return wait_for<Value>(states, step == 1 ? count + i : i);
    }
};

/* As count_reader() of look_back.hpp. The last tile may wait for none, so that the work-item that has
 * published a tile's value counts the block, after that is written and the block has waited. */
constexpr int segments_publisher = array_block - 1;
template <class T> SUBWAVE_DEVICE std::uint32_t count_segments_reader(const subwave_tiles &t)
{
    return searches_in_block<T> && t.leaves_zeros && threadIdx.x == segments_publisher
               ? fetch_add_acq_rel(t.counter + 1, 1u)
               : 0;
}

/* As leave_zeros() of look_back.hpp. */
template <class T>
SUBWAVE_DEVICE void leave_segments_zeros(const subwave_tiles &t, std::uint32_t before)
{
    if constexpr (searches_in_block<T>)
        leave_zeros<segments_publisher>(t, before, 2 * t.count);
}

/* Of a segment that begins in one tile and ends in the next: neither block waits for the other, but the one
 * that comes second combines what both have. A state holds what the tile's block has, or before that what
 * the next tile's block has left there. Each word of a state says which block came second; if they differ,
 * it is the next tile's, which sees that some words are there. */
constexpr std::uint64_t state_is_left = std::uint64_t(2) << 32;

/* Changes each word of a state by change(at, new word), an atomic operation, and returns what was there. */
template <class Value, class Change>
SUBWAVE_DEVICE seen_state<Value> change_state(std::uint64_t *states, std::uint32_t i, Value value,
                                              std::uint64_t what, Change change)
{
    using word = unsigned long long; /* of HIP's atomic operations */
    const words_of<Value> words = to_words(value);
    seen_state<Value> before;
    SUBWAVE_UNROLL
    for (int w = 0; w < state_words<Value>; ++w)
        before.word[w] = change(reinterpret_cast<word *>(&states[state_words<Value> * i + w]),
                                word(what | words.word[w]));
    return before;
}

/* By the next tile's block, which came second if next_came_second() of what it returns: then the state is
 * published, or about to be. */
template <class Value>
SUBWAVE_DEVICE seen_state<Value> leave_for_tile(std::uint64_t *states, std::uint32_t i, Value value)
{
    return change_state(states, i, value, state_is_left,
                        [](auto *at, auto word) { return atomicCAS(at, 0ULL, word); });
}
template <class Value> SUBWAVE_DEVICE bool next_came_second(const seen_state<Value> &before)
{
    return !before.all_are(0);
}

/* By the tile's block: publishes what it has. If tile_came_second() of what it returns, that is what the
 * next tile's block has. */
template <class Value>
SUBWAVE_DEVICE seen_state<Value> publish_and_take(std::uint64_t *states, std::uint32_t i,
                                                  Value value)
{
    return change_state(states, i, value, state_is_there,
                        [](auto *at, auto word) { return atomicExch(at, word); });
}
template <class Value> SUBWAVE_DEVICE bool tile_came_second(const seen_state<Value> &before)
{
    return before.all_are(state_is_left);
}

/* What the segment that is open where a tile begins has before it, in the work-items that want it; it began
 * in the tile `began`, counted from the launch's first. `mine` is what the tile has. Blocks wait for others
 * if the tile is a group's last or `waits`; otherwise a segment of earlier tiles has none of them. All
 * work-items of the block call it together, after the tile's value has been published. */
template <class Value, class Op>
SUBWAVE_DEVICE Value value_before_segment(const subwave_segments &p, std::uint32_t number,
                                          std::int32_t began, bool has_ends, bool waits, bool wants,
                                          const tile_since_end<Value> &mine, Op op)
{
    const Value none = filler<Op, Value>::value();
    const std::uint32_t count = p.tiles.count;
    const bool is_last_item = threadIdx.x == segments_publisher, is_last_tile = number == count - 1;
    const earlier_tiles earlier = {began > 0 ? static_cast<std::uint32_t>(began) : 0, number};
    Value before = none;
    if (count > 1) {
        int steps = 0;
        if (earlier.ends_group())
            steps = earlier.steps();
        else if (waits || is_last_tile) {
            if (earlier.first + 1 == number) {
                /* The others should not ask all the time. */
                if (wants || (is_last_tile && is_last_item))
                    before = wait_for<Value>(p.tiles.states, earlier.first);
            } else if (earlier.first < number)
                steps = earlier.steps();
        }
        SUBWAVE_ROLLED
        for (int step = 0; step < steps; ++step) {
            block_barrier(site::current());
            const Value of_tile = earlier.wait(p.tiles.states, count, step, none);
            before = op(combine_in_runs(of_tile, op), before);
            if (step == 0 && earlier.ends_group() && is_last_item)
                publish(p.tiles.states, count + earlier.group(), op(before, mine.all));
        }
    }
    if (began < 0)
        before = op(*tiles_carry<Value>(p.tiles, p.tiles.first), before);
    if (is_last_tile && is_last_item)
        *tiles_carry<Value>(p.tiles, p.tiles.first + SUBWAVE_SCAN_TILES) =
            has_ends ? mine.all : op(before, mine.all);
    return before;
}

SUBWAVE_END

#endif
