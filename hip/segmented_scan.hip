/* SPDX-License-Identifier: MIT
 * segmented_scan.hip: each segment of an array, scanned: an array is read once and written once.
 *
 * Results are in the order of segmented_reduce.hip. What a work-item does per element is there for
 * each op; what it does once is there once, and looks up the op.
 */
#include "segmented_join.hpp"

SUBWAVE_BEGIN

/* Calls body(op object). Other ops are these with bits inverted, and integers' instead of floats'. */
template <class Number, class Body>
SUBWAVE_DEVICE auto with_segmented_scan_op(subwave_op op, Body body)
{
    if (op == SUBWAVE_OP_MINIMUM)
        return body(minimum<Number>());
    if (op == SUBWAVE_OP_MULTIPLIES)
        return body(multiplies<Number>());
    if constexpr (is_integer_v<Number>) {
        if (op == SUBWAVE_OP_BIT_OR)
            return body(bit_or<Number>());
        if (op == SUBWAVE_OP_BIT_XOR)
            return body(bit_xor<Number>());
    }
    return body(plus<Number>());
}

/* An op that is looked up when it is needed. It combines numbers' bits, with those of the op's filler
 * inverted, so that the filler of each is 0. */
template <class Number> struct looked_up_op {
    using bits = unsigned_of<Number>;
    subwave_op op;
    bits filling;

    SUBWAVE_DEVICE bits from(const Number &number) const
    {
        bits to;
        memcpy(&to, &number, sizeof to);
        return to ^ filling;
    }
    SUBWAVE_DEVICE Number number(bits from) const
    {
        from ^= filling;
        Number to;
        memcpy(&to, &from, sizeof to);
        return to;
    }
    SUBWAVE_DEVICE bits operator()(bits a, bits b) const
    {
        const Number left = number(a), right = number(b);
        return from(with_segmented_scan_op<Number>(op, [&](auto f) { return f(left, right); }));
    }
};
template <class Number, class Bits> struct filler<looked_up_op<Number>, Bits> {
    static constexpr bool exists = true;
    static SUBWAVE_DEVICE constexpr Bits value() { return 0; }
};

/* Items of a part that are loaded together; an op is looked up once for them. */
constexpr int scan_together = 4;

/* What a work-item's part has since its last end. */
template <class T>
SUBWAVE_DEVICE combined_t<T> since_last_end(subwave_op op, const segmented_tile<T> &tile,
                                            const segmented_part &part, combined_t<T> none)
{
    using number = combined_t<T>;
    int e =
        part.segment < part.segments_end ? tile.end_of(part.segments_end - 1, part) : part.first;
    number sum = none;
    SUBWAVE_ROLLED
    for (; e < part.end; e += scan_together) {
        number x[scan_together];
        SUBWAVE_UNROLL
        for (int k = 0; k < scan_together; ++k) {
            const int last = part.end - 1;
            x[k] = static_cast<number>(tile.x[e + k < last ? e + k : last]);
            x[k] = e + k <= last ? x[k] : none;
        }
        sum = with_segmented_scan_op<number>(op, [&](auto f) {
            number all = sum;
            SUBWAVE_UNROLL
            for (int k = 0; k < scan_together; ++k)
                all = f(all, x[k]);
            return all;
        });
    }
    return sum;
}

/* Replaces the elements of a work-item's part by the results; `start` is what the segment that is open
 * where it begins has before it. */
template <class T>
SUBWAVE_DEVICE void scan_part(const subwave_segmented_scan_launch &p, const segmented_tile<T> &tile,
                              const segmented_part &part, combined_t<T> start)
{
    using number = combined_t<T>;
    const bool is_inclusive = p.scan == SUBWAVE_SCAN_INCLUSIVE;
    T truth;
    memcpy(static_cast<void *>(&truth), &p.truth, sizeof truth);
    T nothing = {};
    number none = {};
    with_segmented_scan_op<number>(p.op, [&](auto f) {
        none = filler<decltype(f), number>::value();
        nothing = static_cast<T>(known_identity<decltype(f), number>::value());
    });
    number sum = none;
    int begin = part.begin - 1; /* of the segment */
    int e = part.first, s = part.segment;
    constexpr int never = 1 << 30;
    int end = s < part.segments_end ? tile.end_of(s, part) : never;
    SUBWAVE_ROLLED
    for (int left = part.segments_end - s + part.end - e; left > 0; left -= scan_together) {
        int at[scan_together];
        bool is_end[scan_together], is_first[scan_together];
        T x[scan_together] = {};
        SUBWAVE_UNROLL
        for (int k = 0; k < scan_together; ++k) {
            at[k] = e;
            is_end[k] = e >= end;
            is_first[k] = e == begin;
            if (is_end[k]) {
                begin = e;
                ++s;
                end = s < part.segments_end ? tile.end_of(s, part) : never;
            } else {
                ++e;
            }
        }
        if (part.first < part.end) { /* others' elements may change already */
            SUBWAVE_UNROLL
            for (int k = 0; k < scan_together; ++k)
                x[k] = tile.x[at[k] < part.end ? at[k] : part.first];
        }
        number result[scan_together];
        with_segmented_scan_op<number>(p.op, [&](auto f) {
            SUBWAVE_UNROLL
            for (int k = 0; k < scan_together; ++k) {
                const number with = f(sum, static_cast<number>(x[k]));
                result[k] = f(start, is_inclusive ? with : sum);
                sum = is_end[k] ? none : with;
                start = is_end[k] ? none : start;
            }
        });
        SUBWAVE_UNROLL
        for (int k = 0; k < scan_together; ++k) {
            T y = static_cast<T>(result[k]);
            if constexpr (is_floating_v<T>) /* of others the filler is the identity */
                y = is_first[k] && !is_inclusive ? nothing : y;
            else if (truth != 0)
                y = y != 0 ? truth : T(0);
            if (!is_end[k] && at[k] < part.end)
                tile.x[at[k]] = y;
        }
    }
}

template <class T>
SUBWAVE_KERNEL(array_block, sizeof(T) < 8 ? 1 : 5)
segmented_scan(subwave_segmented_scan_launch p)
{
    assume_line_of_items();
    using tile_of = segmented_tile<T>;
    using number = combined_t<T>;
    using bits = typename looked_up_op<number>::bits;
    SUBWAVE_SHARED(typename tile_of::chunk, local, tile_of::chunks);
    SUBWAVE_SHARED(std::uint16_t, before, array_block + 1);
    SUBWAVE_SHARED(since_end<bits>, shared, tile_since_end_elements<bits>);
    SUBWAVE_SHARED(std::uint32_t, impossible, 1);
    if (threadIdx.x == 0)
        impossible[0] = 0;
    const subwave_segments &segments = p.segments;
    const std::uint32_t tile_number = segmented_tile_number(segments);
    tile_of tile;
    if (!tile.find(segments, static_cast<const T *>(p.x), tile_number))
        return leave_segments_zeros<T>(segments.tiles, count_segments_reader<T>(segments.tiles));
    tile.load(segments, static_cast<const T *>(p.x), {p.kept, p.flip}, local);
    block_barrier(site::current());
    const segmented_part part = tile.divide(before);
    if (!tile_of::is_possible(part))
        atomicAdd(impossible, 1u);

    p = argument_read_anew(p); /* as in reduce.hip */
    looked_up_op<number> op = {p.op, 0};
    number none = {};
    with_segmented_scan_op<number>(p.op,
                                   [&](auto f) { none = filler<decltype(f), number>::value(); });
    op.filling = op.from(none);
    const bits sum = op.from(since_last_end(p.op, tile, part, none));
    const tile_since_end<bits> mine =
        scan_tile_since_end<bits>({sum, part.segment < part.segments_end}, op, shared);
    const subwave_tiles &tiles = segments.tiles;
    if (tiles.count > 1 && threadIdx.x == segments_publisher)
        publish(tiles.states, tile_number, mine.all);
    const bits before_tile =
        value_before_segment(segments, tile_number, tile.began, tile.segments > 0,
                             tile.elements > 0, !mine.before.ended, mine, op);
    const bits start = mine.before.ended ? mine.before.value : op(before_tile, mine.before.value);
    p = argument_read_anew(p);
    if (impossible[0] == 0) /* there was a barrier */
        scan_part(p, tile, part, op.number(start));
    block_barrier(site::current());
    const std::uint32_t readers_before = count_segments_reader<T>(segments.tiles);
    tile.store(static_cast<T *>(p.y), p.flip, local);
    leave_segments_zeros<T>(segments.tiles, readers_before);
}

/* The bits of 1. */
template <class T> constexpr std::uint64_t one_of()
{
    return is_integer_v<T>                    ? 1
           : std::is_same<T, double>::value   ? 0x3ff0000000000000
           : std::is_same<T, float>::value    ? 0x3f800000
           : std::is_same<T, bfloat16>::value ? 0x3f80
                                              : 0x3c00;
}

template <class T> int launch_segmented_scan(const subwave_segmented_scan_launch &p, void *stream)
{
    subwave_segmented_scan_launch part = p;
    part.kept = all_bits;
    part.flip = inverted_for<T>(part.op);
    part.op = op_of_bits(part.op);
    const auto launch_as = [&](auto element) {
        using type = decltype(element);
        return launch_segments(p.segments, segmented_tile<type>::items, stream,
                               [&](const subwave_segments &segments) {
                                   part.segments = segments;
                                   return launch(segmented_scan<type>, dim3(segments.tiles.count),
                                                 dim3(array_block), 0, stream, part);
                               });
    };
    const bool is_logical = op_of_bits(p.op) != p.op;
    if (is_logical) {
        part.truth = one_of<T>();
        if constexpr (is_floating_v<T>) { /* zeros of either sign are 0 */
            part.kept = ~(all_bits / (all_bits >> (64 - 8 * sizeof(T))) << (8 * sizeof(T) - 1));
            return launch_as(unsigned_of<T>());
        }
    }
    return launch_as(typename unsigned_twin<T>::type());
}

SUBWAVE_END

SUBWAVE_KERNELS_segmented_scan(SUBWAVE_DEFINE_LAUNCHER)
