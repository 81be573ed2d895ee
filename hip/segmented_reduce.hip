/* SPDX-License-Identifier: MIT
 * segmented_reduce.hip: the elements of each segment of an array, combined.
 */
#include "segmented_join.hpp"

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
        y[j] = stored_result<T>(p, tile.place[j + 1]);
    return readers_before;
}

template <class T>
constexpr int segmented_together = shapes.segmented_together[sizeof(T) == 8 ? 0 : 1];

/* What the elements of a part before its first end, and those after it, combine to. If it has no end, all are
 * after it; if it has several, after_end means nothing. */
template <class Value> struct combined_part {
    Value before_end, after_end;
};

/* All work-items of a wave call it together, and read as many elements as a part can have. Few parts have an end,
 * so that the wave asks at once which elements any lane's end is before, rather than each lane before each element.
 * after_end means nothing if the part lacks more than one element, too. */
template <class T, class Op, class As, class Value>
SUBWAVE_DEVICE combined_part<Value> combine_by_wave(const segmented_tile<T> &tile,
                                                    const segmented_part &part, bool has_end,
                                                    int up_to_end, Op op, As as, Value none)
{
    /* Each op has code of its own, for which sums are worth most. */
    constexpr int each = segmented_tile<T>::each, most = segmented_together<T>,
                  together = std::is_same<Op, plus<Value>>::value && each < 32 ? most : 5;
    using marks = std::conditional_t<(each < 32), std::uint32_t, std::int64_t>;
    /* Bit k: the end is before element k of the part. */
    marks own = has_end ? marks(1) << up_to_end : 0;
    marks any = uniform(reduce_over_group(this_work_item::get_sub_group(), own, bit_or<marks>()));
    combined_part<Value> result = {none, none};
    Value &sum = result.after_end;
    const auto put_aside = [&](int k) {
        if ((any >> k & 1) != 0) {
            remains_branch();
            const bool is_own = (own >> k & 1) != 0;
            result.before_end = is_own ? sum : result.before_end;
            sum = is_own ? none : sum;
        }
    };
    const T *next = tile.x + part.first;
    SUBWAVE_ROLLED
    for (int begin = 0; begin < each; begin += together, next += together) {
        T x[together];
        SUBWAVE_UNROLL
        for (int k = 0; k < together; ++k)
            x[k] = next[k];
        SUBWAVE_UNROLL
        for (int k = 0; k < together; ++k) {
            put_aside(k);
            if (k < (each - 1) % together || begin + k < part.end - part.first) {
                remains_branch();
                sum = op(sum, as(x[k]));
            }
        }
        any >>= together;
        own >>= together;
    }
    if (each % together == 0)
        put_aside(0);
    return result;
}

/* The same, where each work-item counts its own elements. */
template <class T, class Op, class As, class Value>
SUBWAVE_DEVICE combined_part<Value> combine_by_lane(const segmented_tile<T> &tile,
                                                    const segmented_part &part, bool has_end,
                                                    int up_to_end, Op op, As as, Value none)
{
    combined_part<Value> result = {none, none};
    Value &sum = result.after_end;
    /* If only one segment ends in the part, the same loop then combines what follows that end. */
    bool rest_follows = has_end && part.segments_end - part.segment == 1;
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
    for (int left = up_to_end;; left = part.end - part.first - up_to_end) {
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
        result.before_end = sum;
        sum = none;
    }
    if (part.segments_end - part.segment > 1)
        result.before_end = sum;
    return result;
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
        tile.place[segment + 1] = bits_of(sum, is_empty);
    };

    const bool has_end = part.segment < part.segments_end;
    const int count = part.end - part.first;
    int up_to_end = count; /* elements before the first end, or all */
    bool first_is_empty = false;
    if (has_end) {
        const auto place = static_cast<int>(tile.place[part.segment + 1]);
        up_to_end = clamped(place - tile.first_place(), 0, count);
        first_is_empty = part.begin + part.segment + 1 == place;
    }
    const auto combine = [&] {
        if constexpr (segmented_together<T> > 0)
            return combine_by_wave(tile, part, has_end, up_to_end, op, as, none);
        else
            return combine_by_lane(tile, part, has_end, up_to_end, op, as, none);
    };
    const combined_part<value> combined = combine();
    value sum = combined.after_end, first_sum = combined.before_end;
    const bool remains = segmented_together<T> > 0 ? count < segmented_tile<T>::each - 1
                                                   : part.segments_end - part.segment > 1;
    if (remains) {
        sum = none;
        int e = part.first + (has_end ? up_to_end : 0), begin = e, s = part.segment + has_end;
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
            of_next = publish_and_take(t.states, number, mine.all);
        else
            publish(t.states, number, mine.all);
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
        y[tile.segments] = stored_result<T>(p, bits_of(op(mine.all, of_next.value()), false));
    if (is_first && leaves && next_came_second(of_before))
        y[0] = stored_result<T>(
            p, bits_of(op(wait_for<value>(t.states, number - 1), first_sum), false));
    return true;
}

/* with_array_op, but of minima and maxima the former, of "and" and "or" one. */
template <class T, class Body> SUBWAVE_DEVICE void with_segmented_op(subwave_op op, Body body)
{
    using number = typename as_number<T>::value;
    if (op == SUBWAVE_OP_MINIMUM)
        return body(minimum<number>(), as_number<T>());
    if (op == SUBWAVE_OP_MULTIPLIES)
        return body(multiplies<number>(), as_number<T>());
    if constexpr (is_floating_v<T>) {
        const bool is_or = op == SUBWAVE_OP_LOGICAL_OR;
        if (is_or || op == SUBWAVE_OP_LOGICAL_AND)
            return body(minimum<std::uint32_t>(),
                        as_truth<T>{is_or ? ~std::uint32_t(0) : std::uint32_t(0)});
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
        is_stored = reduce_segments<T>(again, number, tile.began, tile, part, op, as);
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
