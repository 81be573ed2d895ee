/* SPDX-License-Identifier: MIT
 * segmented_reduce.hip: the elements of each segment of an array, combined.
 */
#include "segmented.hpp"

SUBWAVE_BEGIN

/* Where a launch finds what the open segment has before it: a value by the one before. */
template <class Value>
SUBWAVE_DEVICE Value *segments_carry(const subwave_segments &p, std::int64_t first_tile)
{
    return reinterpret_cast<Value *>(&p.carry[first_tile / SUBWAVE_SCAN_TILES % 2]);
}

/* Puts the results of the tile's segments in the places of their ends. */
template <class T, class Op, class As>
SUBWAVE_DEVICE void reduce_segments(const subwave_segments &p, std::uint32_t number,
                                    std::int64_t began, const segmented_tile<T> &tile,
                                    segmented_part part, Op op, As as)
{
    using value = typename As::value;
    using slot = typename segmented_tile<T>::slot;
    SUBWAVE_SHARED(since_end<value>, shared, tile_since_end_elements<value>);
    const value none = filler<Op, value>::value();
    const auto store = [&](int segment, value sum, bool is_empty) {
        T result = as.result(sum);
        if constexpr (is_floating_v<T>) /* of others the filler is the identity */
            if (is_empty)
                result = result_of_nothing<T>(op, as);
        words_of<T> words = to_words(result);
        slot bits = words.word[0];
        if constexpr (sizeof(T) == 8)
            bits |= static_cast<slot>(words.word[1]) << 32;
        tile.end[segment + 1] = bits;
    };

    /* Up to the first end of the part, or the part's. */
    const bool has_end = part.segment < part.segments_end;
    const int first_end = has_end ? tile.end_of(part.segment, part) : part.end;
    const bool first_is_empty =
        has_end && part.begin == static_cast<int>(tile.end[part.segment + 1]);
    int e = part.first;
    value sum = none;
    constexpr int together = 4;
    SUBWAVE_ROLLED
    for (; e + together <= first_end; e += together) {
        T x[together];
        SUBWAVE_UNROLL
        for (int k = 0; k < together; ++k)
            x[k] = tile.x[e + k];
        SUBWAVE_UNROLL
        for (int k = 0; k < together; ++k)
            sum = op(sum, as(x[k]));
    }
    SUBWAVE_ROLLED
    for (; e < first_end; ++e)
        sum = op(sum, as(tile.x[e]));
    value first_sum = none;
    if (has_end) {
        first_sum = sum;
        sum = none;
        int begin = e, s = part.segment + 1;
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

    /* The work-items of the tile, and then the tiles before it, by the same code. */
    const std::uint32_t count = p.tiles_of_launch;
    const bool is_last_item = threadIdx.x == array_block - 1, is_last_tile = number == count - 1;
    const earlier_tiles earlier = {began > 0 ? static_cast<std::uint32_t>(began) : 0, number};
    tile_since_end<value> mine = {};
    value before = none;
    int steps = 0;
    since_end<value> x = {sum, has_end};
    SUBWAVE_ROLLED
    for (int step = -1; step < steps; ++step) {
        if (step >= 0) {
            block_barrier(site::current());
            x = {earlier.wait(p.states, count, step, none), 0};
        }
        const tile_since_end<value> scanned = scan_tile_since_end(x, op, shared);
        if (step >= 0) {
            before = op(scanned.all.value, before);
            if (step == 0 && earlier.ends_group() && is_last_item)
                publish(p.states, count + earlier.group(), op(before, mine.all.value));
        } else {
            mine = scanned;
            if (count > 1) {
                if (is_last_item)
                    publish(p.states, number, mine.all.value);
                if (earlier.ends_group())
                    steps = earlier.steps();
                else if (tile.segments > 0 || is_last_tile) {
                    if (earlier.first + 1 == number)
                        before = wait_for<value>(p.states, earlier.first);
                    else if (earlier.first < number)
                        steps = earlier.steps();
                }
            }
        }
    }
    if (began < 0)
        before = op(*segments_carry<value>(p, p.first_tile), before);
    if (has_end)
        store(part.segment,
              op(mine.before.ended ? mine.before.value : op(before, mine.before.value), first_sum),
              first_is_empty);
    if (is_last_tile && is_last_item)
        *segments_carry<value>(p, p.first_tile + SUBWAVE_SCAN_TILES) =
            tile.segments > 0 ? mine.all.value : op(before, mine.all.value);
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

template <class T> SUBWAVE_KERNEL(array_block) segmented_reduce(subwave_segmented_reduce_launch p)
{
    using tile_of = segmented_tile<T>;
    SUBWAVE_SHARED(typename tile_of::chunk, local, tile_of::chunks);
    SUBWAVE_SHARED(std::uint16_t, before, array_block + 1);
    SUBWAVE_SHARED(std::int64_t, began, 1);
    const subwave_segments &segments = p.segments;
    const std::uint32_t number =
        segments.tiles_of_launch > 1 ? next_tile(segments.counter, segments.tiles_of_launch) : 0;
    tile_of tile;
    if (!tile.find(segments, number))
        return;
    tile.load(segments, static_cast<const T *>(p.x), p.flip, local, began);
    block_barrier(site::current());
    const segmented_part part = tile.divide(before);
    with_segmented_op<T>(p.op, [&](auto op, auto as) {
        p = argument_read_anew(p); /* as in reduce.hip */
        reduce_segments<T>(segments, number, *began, tile, part, op, as);
    });
    block_barrier(site::current());
    T *y = static_cast<T *>(p.y) + tile.first_segment;
    SUBWAVE_ROLLED
    for (int j = static_cast<int>(threadIdx.x); j < tile.segments; j += array_block) {
        const auto bits = static_cast<typename tile_of::slot>(tile.end[j + 1] ^ p.flip);
        T result;
        memcpy(static_cast<void *>(&result), &bits, sizeof result);
        if (p.to_truth)
            result = static_cast<T>(result != T(0));
        y[j] = result;
    }
}

/* Inverted, the greatest number is the least, and "and" is "or": so there are kernels for fewer ops. A
 * sign is inverted where numbers without one are compared. */
template <class T>
int launch_segmented_reduce(const subwave_segmented_reduce_launch &p, void *stream)
{
    using twin = typename unsigned_twin<T>::type;
    constexpr std::uint64_t sign = std::uint64_t(1) << (8 * sizeof(T) - 1),
                            ones = ~std::uint64_t(0) >> (64 - 8 * sizeof(T)),
                            repeated = ~std::uint64_t(0) / ones;
    subwave_segmented_reduce_launch part = p;
    const bool least = p.op == SUBWAVE_OP_MINIMUM, greatest = p.op == SUBWAVE_OP_MAXIMUM;
    if constexpr (is_integer_v<T>) {
        part.op = op_of_bits(p.op);
        part.to_truth = part.op != p.op;
        if (greatest || p.op == SUBWAVE_OP_BIT_AND)
            part.flip = ones;
        if ((least || greatest) && std::is_signed<T>::value)
            part.flip ^= sign;
        if (p.op == SUBWAVE_OP_BIT_AND)
            part.op = SUBWAVE_OP_BIT_OR;
    } else if (greatest) {
        part.flip = sign;
    }
    if (greatest)
        part.op = SUBWAVE_OP_MINIMUM;
    part.flip *= repeated; /* in each element of 64 bits */
    return launch_segments(p.segments, segmented_tile<T>::items, stream,
                           [&](const subwave_segments &segments) {
                               part.segments = segments;
                               return launch(segmented_reduce<twin>, dim3(segments.tiles_of_launch),
                                             dim3(array_block), 0, stream, part);
                           });
}

SUBWAVE_END

SUBWAVE_KERNELS_segmented_reduce(SUBWAVE_DEFINE_LAUNCHER)
