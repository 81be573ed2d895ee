/* SPDX-License-Identifier: MIT
 * segmented_reduce.hip: the elements of each segment of an array, combined.
 */
#include "segmented.hpp"

SUBWAVE_BEGIN

/* Whether segments are handed over. Of elements of 4 bytes that was no faster; and each op has code of its
 * own, for which sums are worth most. */
template <class Value, class Op>
constexpr bool hands_over = sizeof(Value) == 8 && std::is_same<Op, plus<Value>>::value;

/* Whether the tile's first segment ends there and begins in the tile before, so that the block that comes
 * second combines the two pieces, and writes to y. Blocks that wait for others anyhow do not. */
template <class T>
SUBWAVE_DEVICE bool leaves_first(const subwave_tiles &t, std::uint32_t number, std::int32_t began,
                                 const segmented_tile<T> &tile)
{
    return !t.leaves_zeros && t.count > 1 && tile.segments > 0 && began >= 0 &&
           began + 1 == static_cast<std::int32_t>(number) && number != t.count - 1 &&
           !earlier_tiles{0, number}.ends_group();
}

/* What is written to y for a result of these bits. */
template <class T>
SUBWAVE_DEVICE T stored_result(const subwave_segmented_reduce_launch &p,
                               typename segmented_tile<T>::slot bits)
{
    bits = static_cast<typename segmented_tile<T>::slot>(bits ^ p.flip);
    T result;
    memcpy(static_cast<void *>(&result), &bits, sizeof result);
    if (p.to_truth)
        result = static_cast<T>(result != T(0));
    return result;
}

/* Writes the results from the places of the segments' ends to y, but not that of the first one if another
 * writes it. Returns count_segments_reader(). All work-items of the block call it together. */
template <class T>
SUBWAVE_DEVICE std::uint32_t store_results(const subwave_segmented_reduce_launch &p,
                                           const segmented_tile<T> &tile, bool all_but_first)
{
    block_barrier(site::current());
    const std::uint32_t readers_before = count_segments_reader<T>(p.segments.tiles);
    T *const y = static_cast<T *>(p.y) + tile.first_segment;
    SUBWAVE_ROLLED
    for (int j = static_cast<int>(threadIdx.x) + all_but_first; j < tile.segments; j += array_block)
        y[j] = stored_result<T>(p, tile.end[j + 1]);
    return readers_before;
}

/* Puts the results of the tile's segments in the places of their ends. True if it has stored them too. */
template <class T, class Op, class As>
SUBWAVE_DEVICE bool reduce_segments(const subwave_segmented_reduce_launch &p, std::uint32_t number,
                                    std::int32_t began, const segmented_tile<T> &tile,
                                    segmented_part part, Op op, As as)
{
    using value = typename As::value;
    using slot = typename segmented_tile<T>::slot;
    SUBWAVE_SHARED(since_end<value>, shared, tile_since_end_elements<value>);
    const value none = filler<Op, value>::value();
    const auto bits_of = [&](value sum, bool is_empty) {
        T result = as.result(sum);
        if constexpr (is_floating_v<T>) /* of others the filler is the identity */
            if (is_empty)
                result = result_of_nothing<T>(op, as);
        words_of<T> words = to_words(result);
        slot bits = words.word[0];
        if constexpr (sizeof(T) == 8)
            bits |= static_cast<slot>(words.word[1]) << 32;
        return bits;
    };
    const auto store = [&](int segment, value sum, bool is_empty) {
        tile.end[segment + 1] = bits_of(sum, is_empty);
    };

    /* Up to the first end of the part, or the part's. */
    const bool has_end = part.segment < part.segments_end;
    int first_end = part.end;
    bool first_is_empty = false;
    if (has_end) {
        first_end = tile.end_of(part.segment, part);
        first_is_empty = part.begin == static_cast<int>(tile.end[part.segment + 1]);
    }
    value sum = none, first_sum = none;
    /* If only one segment ends in the part, the same loop then sums what follows that end. */
    bool rest_follows = has_end && part.segments_end - part.segment == 1;
    const bool has_several_ends = has_end && !rest_follows;
    const T *next = tile.x + part.first;
    const auto add = [&](auto number) {
        constexpr int together = decltype(number)::value;
        T x[together];
        SUBWAVE_UNROLL
        for (int k = 0; k < together; ++k)
            x[k] = next[k];
        SUBWAVE_UNROLL
        for (int k = 0; k < together; ++k)
            sum = op(sum, as(x[k]));
        return next + together;
    };
    SUBWAVE_ROLLED
    for (int left = first_end - part.first;; left = part.end - first_end) {
        SUBWAVE_ROLLED
        for (const T *const stop = next + (left & ~7); next != stop;)
            next = add(std::integral_constant<int, 8>());
        if (left & 4)
            next = add(std::integral_constant<int, 4>());
        if (left & 2)
            next = add(std::integral_constant<int, 2>());
        if (left & 1)
            next = add(std::integral_constant<int, 1>());
        if (!rest_follows)
            break;
        rest_follows = false;
        first_sum = sum;
        sum = none;
    }
    if (has_several_ends) {
        first_sum = sum;
        sum = none;
        int e = first_end, begin = e, s = part.segment + 1;
        constexpr int never = 1 << 30;
        int end = s < part.segments_end ? tile.end_of(s, part) : never;
        SUBWAVE_ROLLED
        for (int left = part.segments_end - s + part.end - e; left > 0; --left) {
            if (e < end) {
                sum = op(sum, as(tile.x[e]));
                ++e;
            } else {
                store(s, sum, begin == e);
                begin = e;
                sum = none;
                ++s;
                end = s < part.segments_end ? tile.end_of(s, part) : never;
            }
        }
    }

    const auto ends = static_cast<std::uint32_t>(part.segments_end - part.segment);
    const tile_since_end<value> mine = scan_tile_since_end<value>({sum, ends}, op, shared);
    first_sum = op(mine.before.value, first_sum);
    const subwave_tiles &t = p.segments.tiles;
    constexpr bool hands = hands_over<value, Op>;
    const bool leaves = hands && leaves_first(t, number, began, tile),
               is_first = has_end && !mine.before.ended,
               is_publisher = threadIdx.x == segments_publisher;
    seen_state<value> of_next = {}, of_before = {};
    if (t.count > 1 && is_publisher) {
        if (hands && !t.leaves_zeros)
            of_next = publish_and_take(t.states, number, mine.all.value);
        else
            publish(t.states, number, mine.all.value);
    }
    const value before = value_before_segment(p.segments, number, began, tile.segments > 0,
                                              tile.segments > 0 && !leaves, is_first, mine, op);
    if (is_first && leaves)
        of_before = leave_for_tile(t.states, number - 1, first_sum);
    else if (has_end)
        store(part.segment, is_first ? op(before, first_sum) : first_sum, first_is_empty);
    if (!hands || t.leaves_zeros)
        return false;
    store_results(p, tile, leaves);
    T *const y = static_cast<T *>(p.y) + tile.first_segment;
    if (is_publisher && tile_came_second(of_next))
        y[tile.segments] = stored_result<T>(p, bits_of(op(mine.all.value, of_next.value()), false));
    if (is_first && leaves && next_came_second(of_before))
        y[0] = stored_result<T>(
            p, bits_of(op(wait_for<value>(t.states, number - 1), first_sum), false));
    return true;
}

/* with_array_op, but of minima and maxima the former, of "and" and "or" the latter. */
template <class T, class Body> SUBWAVE_DEVICE void with_segmented_op(subwave_op op, Body body)
{
    using number = typename as_number<T>::value;
    if (op == SUBWAVE_OP_MINIMUM)
        return body(minimum<number>(), as_number<T>());
    if (op == SUBWAVE_OP_MULTIPLIES)
        return body(multiplies<number>(), as_number<T>());
    if constexpr (is_floating_v<T>) {
        if (op == SUBWAVE_OP_LOGICAL_AND)
            return body(minimum<std::uint32_t>(), as_truth<T>());
        if (op == SUBWAVE_OP_LOGICAL_OR)
            return body(bit_or<std::uint32_t>(), as_truth<T>());
    } else {
        if (op == SUBWAVE_OP_BIT_OR)
            return body(bit_or<number>(), as_number<T>());
        if (op == SUBWAVE_OP_BIT_XOR)
            return body(bit_xor<number>(), as_number<T>());
    }
    body(plus<number>(), as_number<T>());
}

/* As many blocks at a time as have registers enough, for a tile waits for the one before it. */
template <class T>
SUBWAVE_KERNEL(array_block, sizeof(T) < 8 ? 7 : 6)
segmented_reduce(subwave_segmented_reduce_launch p)
{
    assume_line_of_items();
    using tile_of = segmented_tile<T>;
    SUBWAVE_SHARED(typename tile_of::chunk, local, tile_of::chunks);
    SUBWAVE_SHARED(std::uint16_t, before, array_block + 1);
    const subwave_segments &segments = p.segments;
    const std::uint32_t number = segmented_tile_number(segments);
    tile_of tile;
    if (!tile.find(segments, static_cast<const T *>(p.x), number))
        return leave_segments_zeros<T>(segments.tiles, count_segments_reader<T>(segments.tiles));
    tile.load(segments, static_cast<const T *>(p.x), {all_bits, p.flip}, local);
    block_barrier(site::current());
    const segmented_part part = tile.divide(before);
    bool is_stored = false;
    with_segmented_op<T>(p.op, [&](auto op, auto as) {
        const subwave_segmented_reduce_launch again = argument_read_anew(p); /* as in reduce.hip */
        is_stored = reduce_segments<T>(again, number, wave_uniform(tile.began), tile, part, op, as);
    });
    if (!is_stored)
        leave_segments_zeros<T>(segments.tiles, store_results(p, tile, false));
}

template <class T>
int launch_segmented_reduce(const subwave_segmented_reduce_launch &p, void *stream)
{
    using twin = typename unsigned_twin<T>::type;
    subwave_segmented_reduce_launch part = p;
    part.flip = inverted_for<T>(part.op);
    if constexpr (is_integer_v<T>) {
        part.op = op_of_bits(part.op);
        part.to_truth = op_of_bits(p.op) != p.op;
    }
    return launch_segments(p.segments, segmented_tile<T>::items, stream,
                           [&](const subwave_segments &segments) {
                               part.segments = segments;
                               return launch(segmented_reduce<twin>, dim3(segments.tiles.count),
                                             dim3(array_block), 0, stream, part);
                           });
}

SUBWAVE_END

SUBWAVE_KERNELS_segmented_reduce(SUBWAVE_DEFINE_LAUNCHER)
