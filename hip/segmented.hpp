/* SPDX-License-Identifier: MIT
 * segmented.hpp: what the operations on segments of an array share: how segments of any lengths are
 * divided among blocks and work-items, so that all have the same to do.
 *
 * The elements and the ends of the segments form one sequence, in which an end stands behind its
 * segment's elements. A tile is a constant number of items of it, be they elements or ends, and so
 * is a work-item's part of a tile. (Merrill and Garland, Merge-based parallel sparse matrix-vector
 * multiplication, 2016.)
 *
 * Offsets are the caller's and may be wrong. A search whose steps do not depend on what is looked for
 * finds later places for later items even among numbers in disorder; so each end belongs to one tile
 * and one work-item, whatever the offsets are.
 */
#ifndef SUBWAVE_HIP_SEGMENTED_HPP
#define SUBWAVE_HIP_SEGMENTED_HPP

#include "look_back.hpp"

SUBWAVE_BEGIN

/* least is no greater than most. */
template <class Number> SUBWAVE_DEVICE Number clamped(Number value, Number least, Number most)
{
    return greater(lesser(value, most), least);
}

/* The offsets at several places, which are on their way from memory together. */
template <int Count, class At>
SUBWAVE_DEVICE void load_offsets(const subwave_segments &p, std::int64_t (&offset)[Count], At at)
{
    const auto *const wide = static_cast<const std::int64_t *>(p.offsets);
    const auto *const narrow = static_cast<const std::int32_t *>(p.offsets);
    if (p.wide) {
        SUBWAVE_UNROLL
        for (int k = 0; k < Count; ++k)
            offset[k] = wide[at(k)];
    } else {
        SUBWAVE_UNROLL
        for (int k = 0; k < Count; ++k)
            offset[k] = narrow[at(k)];
    }
}

/* The segments' first element, and how many elements follow up to the last one's end. */
struct segments_range {
    std::int64_t first, elements;
    SUBWAVE_DEVICE explicit segments_range(const subwave_segments &p)
    {
        std::int64_t end[2];
        load_offsets(p, end, [&](int k) { return k * p.count; });
        first = clamped(end[0], std::int64_t(0), p.tiles.n);
        elements = clamped(end[1], first, p.tiles.n) - first;
    }
};

/* How many lanes search for the place of one tile, at most. More would need fewer loads that wait for
 * each other, but a large array has more tiles than a device could then search for at once. */
constexpr int segmented_searchers = 8;

/* Writes the places where the launch's tiles begin and the last one ends, and clears the tiles'
 * states. */
template <class State>
SUBWAVE_KERNEL(array_block)
segmented_find(subwave_segments p, State *states, int items)
{
    const std::uint32_t begun = blockIdx.x * array_block + threadIdx.x;
    for (std::uint32_t i = begun; i < SUBWAVE_SCAN_STATES(p.tiles.count);
         i += gridDim.x * array_block)
        states[i] = 0;
    const segments_range range(p);
    const lane_mask callers = this_work_item::get_sub_group().callers();
    const int searchers = wave_size() < segmented_searchers ? wave_size() : segmented_searchers,
              own = wave_lane() & (searchers - 1), first_lane = wave_lane() - own;
    const std::uint32_t i = begun / searchers;
    const std::int64_t item = (p.tiles.first + i) * items;
    /* begin: of segment `low` */
    std::int64_t low = 0, high = i <= p.tiles.count ? p.count : 0, begin = range.first;
    SUBWAVE_LOOP for (;;)
    {
        SUBWAVE_ITER;
        const bool searches = low < high;
        if (wave_ballot(callers, searches, site::current()) == 0)
            break;
        /* Nothing but `low` and `high` decides at which segments lanes look. */
        const std::int64_t step = (high - low + searchers) / searchers,
                           at = lesser(low + (own + 1) * step, high) - 1;
        std::int64_t end[] = {0};
        if (searches)
            load_offsets(p, end, [&](int) { return at + 1; });
        end[0] = clamped(end[0], std::int64_t(0), p.tiles.n);
        const auto ends_earlier = static_cast<lane_bits>(
            wave_ballot(callers, searches && end[0] - range.first + at < item, site::current()));
        /* How many of the segments that the lanes look at end earlier, from the first one on. */
        const int earlier = lowest_lane(~(ends_earlier >> first_lane) | lane_bits(1) << searchers);
        const std::int64_t last = wave_shuffle(
            callers, end[0], first_lane + (earlier > 0 ? earlier - 1 : 0), site::current());
        begin = earlier > 0 ? last : begin;
        const std::int64_t next = low + earlier * step;
        if (searches && earlier < searchers)
            high = lesser(next + step, high) - 1;
        low = lesser(next, high);
    }
    if (own == 0 && i <= p.tiles.count)
        p.places[i] = {low, range.first + clamped(item - low, std::int64_t(0), range.elements),
                       item < p.count + range.elements
                           ? clamped(begin - range.first + low, std::int64_t(0), item) / items -
                                 p.tiles.first
                           : std::int64_t(p.tiles.count)};
}

/* Whether a number that is the same in all lanes is less than 0: AMD's scalar unit compares 32 bits. */
SUBWAVE_DEVICE bool is_negative(std::int64_t number)
{
    return wave_uniform(static_cast<int>(number >> 32)) < 0;
}

/* Whether blocks search, for their tiles' places, and leave zeros, if there are few tiles. */
template <class T>
constexpr bool searches_in_block = shapes.segmented_searched > 0 &&
                                   SUBWAVE_SEGMENTED_SEARCHES(sizeof(T));

/* Offset i, taken as 0 if it is less and as n if it is more, where 32 bits count all items. It loads two
 * words, the same ones if offsets have 32 bits: so there is one code for both. */
SUBWAVE_DEVICE int near_offset(const subwave_segments &p, int i)
{
    const auto *const words = static_cast<const std::uint32_t *>(p.offsets);
    const auto at = static_cast<std::uint32_t>(i << p.wide);
    const std::uint32_t low = element_near(words, at), second = element_near(words, at + p.wide);
    const int high = static_cast<int>(p.wide ? second : low) >> (p.wide ? 0 : 31),
              n = static_cast<int>(p.tiles.n);
    return high == 0 && low <= static_cast<std::uint32_t>(n) ? static_cast<int>(low)
           : high < 0                                        ? 0
                                                             : n;
}

/* How many segments end before the first item of a tile, and before that of the next one; the segments'
 * elements begin at `first`. The work-items of the tile's block look at other segments each, for both
 * places at once, so that few loads wait for each other. */
SUBWAVE_DEVICE void search_in_block(const subwave_segments &p, int first, std::uint32_t tile,
                                    int items, int (&ended)[2])
{
    SUBWAVE_SHARED(std::uint32_t, shared, block_reduce_elements<array_block>);
    constexpr int bits = 16;
    static_assert(array_block < 1 << bits, "two counts of work-items are in one number");
    const int item = static_cast<int>(threadIdx.x);
    int high[2];
    SUBWAVE_UNROLL
    for (int k = 0; k < 2; ++k) {
        ended[k] = 0;
        high[k] = static_cast<int>(p.count);
    }
    SUBWAVE_ROLLED
    while (ended[0] < high[0] || ended[1] < high[1]) {
        std::uint32_t step[2], earlier = 0;
        SUBWAVE_UNROLL
        for (int k = 0; k < 2; ++k) {
            step[k] = static_cast<std::uint32_t>(high[k] - ended[k] + array_block) / array_block;
            const int at = lesser(ended[k] + (item + 1) * static_cast<int>(step[k]), high[k]),
                      before = near_offset(p, at) - first + at;
            if (ended[k] < high[k] && before <= static_cast<int>(tile + k) * items)
                earlier += std::uint32_t(1) << bits * k;
        }
        earlier = block_reduce<array_block>(earlier, plus<std::uint32_t>(), shared);
        block_barrier(site::current());
        SUBWAVE_UNROLL
        for (int k = 0; k < 2; ++k) {
            const int all = wave_uniform(
                static_cast<int>(earlier >> bits * k & ((std::uint32_t(1) << bits) - 1)));
            const int next = ended[k] + all * static_cast<int>(step[k]);
            if (ended[k] < high[k] && all < array_block)
                high[k] = lesser(next + static_cast<int>(step[k]), high[k]) - 1;
            ended[k] = lesser(next, high[k]);
        }
    }
}

/* Of a tile, and of a work-item's part of it: elements first to end, and the segments that end
 * there. */
struct segmented_part {
    int first, end, segment, segments_end;
    int begin; /* of the first segment, as in segmented_tile */
};

/* What becomes of the bits of elements before they are combined, in each element of 64 bits. */
struct segmented_bits {
    std::uint64_t kept, flip;

    /* Word i of an element, or of neighbours. */
    SUBWAVE_DEVICE std::uint32_t operator()(std::uint32_t word, int i) const
    {
        return (word & static_cast<std::uint32_t>(kept >> 32 * (i % 2))) ^
               static_cast<std::uint32_t>(flip >> 32 * (i % 2));
    }
};
constexpr std::uint64_t all_bits = ~std::uint64_t(0);

/* Inverted, the greatest number is the least, and "and" is "or": so there are kernels for fewer ops. A
 * sign is inverted where numbers without one are compared. Returns the bits to invert. */
template <class T> std::uint64_t inverted_for(subwave_op &op)
{
    constexpr std::uint64_t sign = std::uint64_t(1) << (8 * sizeof(T) - 1),
                            ones = all_bits >> (64 - 8 * sizeof(T)), repeated = all_bits / ones;
    const bool least = op == SUBWAVE_OP_MINIMUM, greatest = op == SUBWAVE_OP_MAXIMUM,
               is_and = op == SUBWAVE_OP_BIT_AND;
    std::uint64_t flip = 0;
    if constexpr (is_integer_v<T>) {
        if (greatest || is_and)
            flip = ones;
        if ((least || greatest) && std::is_signed<T>::value)
            flip ^= sign;
    } else if (greatest) {
        flip = sign;
    }
    op = greatest ? SUBWAVE_OP_MINIMUM : is_and ? SUBWAVE_OP_BIT_OR : op;
    return flip * repeated;
}

template <class T> SUBWAVE_DEVICE T changed(const T &x, segmented_bits change)
{
    words_of<T> bits = to_words(x);
    SUBWAVE_UNROLL
    for (int w = 0; w < static_cast<int>(sizeof bits / 4); ++w)
        bits.word[w] = change(bits.word[w], w);
    T result;
    memcpy(static_cast<void *>(&result), &bits, sizeof result);
    return result;
}

template <class T> class segmented_tile {
    static constexpr int pack = pack_size<T>;

public:
    /* Of a work-item, and of a tile. */
    static constexpr int each = SUBWAVE_SEGMENTED_ITEMS(static_cast<int>(sizeof(T)));
    static constexpr int items = array_block * each;

private:
    /* Of few tiles, which are all at work at the same time, each asks for as many elements as it has, or
     * others: so all are on their way during the search. */
    static SUBWAVE_DEVICE void touch_share(const subwave_segments &p, const T *from,
                                           std::uint32_t tile)
    {
        constexpr int line = 128 / sizeof(T);
        static_assert(items <= array_block * line, "a work-item asks for one line");
        const int own = static_cast<int>(threadIdx.x) * line;
        const std::int64_t at = std::int64_t(tile) * items + own;
        if (own < items && at < p.tiles.n)
            touch_shared(from + at);
    }

public:
    /* A result takes the place of its segment's end. */
    using slot =
        std::conditional_t<sizeof(T) == 8, std::uint64_t,
                           std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
    struct alignas(16) chunk {
        std::uint32_t word[4];
    };
    /* Between elements and places: a work-item may read as many elements as it has items, and use those that are
     * its own. */
    static constexpr int chunks_between = (each + 1) * static_cast<int>(sizeof(T)) / 16 + 1;
    /* For packs at both ends that belong to a tile in part, and for one end more. */
    static constexpr int chunks = items * static_cast<int>(sizeof(slot)) / 16 + 3 + chunks_between;

    std::int64_t first_segment, first_element; /* first_element: in x */
    int segments, elements;                    /* segments: that end in the tile */
    int began; /* the tile in which the first segment begins, counted from the launch's first */
    /* In shared memory. place[j + 1] is where the end of segment j is among the tile's items, and two more;
     * place[0] is the element with which segment 0 begins, counted from the tile's first, and one more, or 0 if
     * that is before the tile. Results take their places. */
    T *x;
    slot *place;

    /* False if there is nothing in the tile. */
    SUBWAVE_DEVICE bool find(const subwave_segments &p, const T *from, std::uint32_t tile)
    {
        if (p.tiles.all > 1 && !p.tiles.leaves_zeros) {
            subwave_segments_place found[2];
            const auto *places = reinterpret_cast<const std::int64_t *>(p.places + tile);
            load_scalars<sizeof found / 8, 1>(reinterpret_cast<std::int64_t *>(found), places);
            const subwave_segments_place &first = found[0], &end = found[1];
            began = wave_uniform(static_cast<int>(first.began));
            first_segment = uniform(first.ended);
            first_element = uniform(first.element);
            segments = wave_uniform(static_cast<int>(end.ended - first.ended));
            const std::int64_t between = uniform(end.element - first.element);
            elements = is_negative(between) ? 0 : static_cast<int>(between);
        } else {
            touch_share(p, from, tile);
            const int count = static_cast<int>(p.count), first = near_offset(p, 0),
                      all = greater(near_offset(p, count), first) - first,
                      item = static_cast<int>(tile) * items;
            int ended[2] = {0, count};
            if constexpr (searches_in_block<T>)
                if (p.tiles.all > 1)
                    search_in_block(p, first, tile, items, ended);
            const auto element = [&](int of_item, int before) {
                return clamped(of_item - before, 0, all);
            };
            began = wave_uniform(
                item < count + all
                    ? static_cast<int>(static_cast<std::uint32_t>(clamped(
                                           near_offset(p, ended[0]) - first + ended[0], 0, item)) /
                                       items)
                    : static_cast<int>(tile) + 1);
            first_segment = wave_uniform(ended[0]);
            const int begin = element(item, ended[0]);
            first_element = wave_uniform(first + begin);
            segments = wave_uniform(ended[1] - ended[0]);
            elements = wave_uniform(greater(element(item + items, ended[1]) - begin, 0));
        }
        segments = clamped(segments, 0, items);
        elements = clamped(elements, 0, items - segments);
        return began <= static_cast<int>(tile);
    }

    /* The elements of the tile before an offset, `before_tile` if that is before the tile, and all if it is behind
     * the tile. Most is done with 32 bits. */
    SUBWAVE_DEVICE int in_tile(std::int64_t offset, int before_tile) const
    {
        const auto from = static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) -
                                                    static_cast<std::uint64_t>(first_element));
        const auto high = static_cast<std::int32_t>(from >> 32);
        const auto near = static_cast<int>(
            lesser(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(elements)));
        const bool is_before = (high | static_cast<std::int32_t>(offset >> 32)) < 0;
        return high == 0 ? near : is_before ? before_tile : elements;
    }

    /* Brings elements and ends into shared memory. */
    SUBWAVE_DEVICE void load(const subwave_segments &p, const T *from, segmented_bits change,
                             chunk *local)
    {
        /* Packs are those of memory, whatever the tile's first element is. */
        const int item = static_cast<int>(threadIdx.x),
                  shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(from + first_element) %
                                           16 / sizeof(T)),
                  packs = (shift + elements + pack - 1) / pack;
        constexpr int rows = (items / pack + array_block) / array_block;
        /* The first and the last of them may lie across an end of the array. */
        const std::int64_t first = first_element - shift;
        const int whole = first < 0 ? 1 : 0,
                  whole_end = is_negative(p.tiles.n - first - packs * pack) ? packs - 1 : packs;
        touch_later_tile(from + first_element, static_cast<std::uint32_t>(elements),
                         p.tiles.n - first_element);
        const char *const in = reinterpret_cast<const char *>(from + first);
        std::uint32_t loaded[rows][4];
        if constexpr (copies_bypass_registers) {
            /* Or else nvcc would work out the addresses anew for each row. */
            const auto held_at = [&](const void *at) {
                return held(reinterpret_cast<std::int64_t>(at)) + item * 16;
            };
            const auto *const own = reinterpret_cast<const chunk *>(held_at(in));
            auto *const to = reinterpret_cast<chunk *>(held_at(local));
            const int left = whole_end - item;
            SUBWAVE_UNROLL
            for (int r = 0; r < rows; ++r)
                if (r * array_block < left && (r > 0 || item >= whole))
                    copy_to_local<false>(&to[r * array_block], &own[r * array_block]);
        } else if (whole < whole_end) {
            const int last = (whole_end - 1) * 16;
            SUBWAVE_UNROLL
            for (int r = 0; r < rows; ++r) {
                const int row = lesser(r * array_block * 16, last);
                int at = lesser(item * 16, last - row);
                if (r == 0)
                    at = greater(at, whole * 16);
                load_together<4>(loaded[r], reinterpret_cast<const chunk *>(
                                                &element_in_row(in, static_cast<std::uint32_t>(row),
                                                                static_cast<std::uint32_t>(at)))
                                                ->word);
            }
        }
        x = reinterpret_cast<T *>(local) + shift;
        place = reinterpret_cast<slot *>(local + packs + chunks_between);
        const int before_tile = is_negative(-first_element) ? -1 : 0;
        constexpr int together = 4;
        SUBWAVE_ROLLED
        for (int i = item; i <= segments; i += together * array_block) {
            std::int64_t offset[together];
            load_offsets(p, offset, [&](int k) {
                const int at = i + k * array_block;
                return first_segment + (at < segments ? at : segments);
            });
            SUBWAVE_UNROLL
            for (int k = 0; k < together; ++k)
                if (i + k * array_block <= segments)
                    place[i + k * array_block] = static_cast<slot>(static_cast<std::uint32_t>(
                        in_tile(offset[k], before_tile) + 1 + i + k * array_block));
        }
        const bool changes = change.kept != all_bits || change.flip != 0;
        if constexpr (copies_bypass_registers) {
            copies_to_local_done();
            if (changes) {
                SUBWAVE_ROLLED
                for (int i = item; i < whole_end; i += array_block) {
                    chunk &own = local[i];
                    own = {change(own.word[0], 0), change(own.word[1], 1), change(own.word[2], 2),
                           change(own.word[3], 3)};
                }
            }
        } else {
            if (changes) {
                SUBWAVE_UNROLL
                for (int r = 0; r < rows; ++r) {
                    SUBWAVE_UNROLL
                    for (int w = 0; w < 4; ++w)
                        loaded[r][w] = change(loaded[r][w], w);
                }
            }
            const auto store_row = [&](int r) {
                local[r * array_block + item] = {loaded[r][0], loaded[r][1], loaded[r][2],
                                                 loaded[r][3]};
            };
            /* Most tiles have all packs of all rows but the last. (AMD with waves of 32: the code for them would make
             * the library too large.) */
            constexpr int most_rows = items / pack / array_block;
            const bool has_most =
                max_wave_size() > 32 && whole == 0 && most_rows * array_block <= whole_end;
            if (has_most) {
                remains_branch();
                SUBWAVE_UNROLL
                for (int r = 0; r < most_rows; ++r)
                    store_row(r);
            } else {
                SUBWAVE_UNROLL
                for (int r = 0; r < most_rows; ++r)
                    if (item < whole_end - r * array_block && (r > 0 || item >= whole))
                        store_row(r);
            }
            SUBWAVE_UNROLL
            for (int r = most_rows; r < rows; ++r)
                if (item < whole_end - r * array_block)
                    store_row(r);
        }
        if (whole == 0 && whole_end == packs)
            return;
        SUBWAVE_ROLLED
        for (int i = item; i < packs; i += array_block)
            if (i < whole || i >= whole_end) {
                SUBWAVE_ROLLED
                for (int e = 0; e < pack; ++e) {
                    const std::int64_t at = first + i * pack + e;
                    if (at >= 0 && at < p.tiles.n)
                        reinterpret_cast<T *>(&local[i])[e] = changed(from[at], change);
                }
            }
    }

    /* Writes what x has become to where it belongs in y. */
    SUBWAVE_DEVICE void store(T *y, std::uint64_t flip, const chunk *local) const
    {
        const int item = static_cast<int>(threadIdx.x),
                  shift = static_cast<int>(x - reinterpret_cast<const T *>(local)),
                  begin = clamped((pack - shift) % pack, 0, elements);
        const segmented_bits change = {all_bits, flip};
        T *const to = y + first_element;
        /* Whole packs, of which only some devices store any; and all others. */
        const bool aligned = reinterpret_cast<std::uintptr_t>(to + begin) % 16 == 0,
                   in_packs = wave_loads_anywhere || aligned;
        const int packs = in_packs ? (elements - begin) / pack : 0;
        const chunk *const first = local + (shift + begin) / pack;
        SUBWAVE_ROLLED
        for (int i = item; i < packs; i += array_block) {
            const chunk from = {change(first[i].word[0], 0), change(first[i].word[1], 1),
                                change(first[i].word[2], 2), change(first[i].word[3], 3)};
            if constexpr (wave_loads_anywhere)
                store_anywhere<pack>(to + begin + i * pack, reinterpret_cast<const T *>(&from));
            else
                *reinterpret_cast<chunk *>(to + begin + i * pack) = from;
        }
        SUBWAVE_ROLLED
        for (int i = item; i < elements - packs * pack; i += array_block) {
            const int at = i < begin ? i : i + packs * pack;
            to[at] = changed(x[at], change);
        }
    }

    /* Divides the tile among its block's work-items, all of which call it together. `before` has
     * array_block + 1. */
    SUBWAVE_DEVICE segmented_part divide(std::uint16_t *before) const
    {
        const int item = static_cast<int>(threadIdx.x);
        segmented_part part = {};
        /* All work-items take the same steps. */
        int low = 0;
        for (std::uint32_t left = segments; left > 0; left /= 2) {
            const int next = low + static_cast<int>((left + 1) / 2);
            if (static_cast<int>(place[next]) < first_place())
                low = next;
        }
        part.begin = static_cast<int>(place[low]) - low; /* results come later */
        if (segments > 0) {
            before[item] = static_cast<std::uint16_t>(low);
            if (item == 0)
                before[array_block] = static_cast<std::uint16_t>(segments);
            block_barrier(site::current());
            part.segments_end = before[item + 1];
        }
        part.segment = low;
        part.first = clamped(item * each - low, 0, elements);
        part.end = clamped((item + 1) * each - part.segments_end, part.first, elements);
        return part;
    }

    /* Whether the part has no more ends than items: if all parts of a tile do, none has another's
     * elements. Offsets that ascend make it so. */
    SUBWAVE_DEVICE static bool is_possible(const segmented_part &part)
    {
        return part.segments_end - part.segment <= each;
    }

    /* As `place` counts, of the first item of the work-item's part. */
    SUBWAVE_DEVICE static int first_place() { return static_cast<int>(threadIdx.x) * each + 2; }

    /* Where segment j, of the part's, ends in the tile. */
    SUBWAVE_DEVICE int end_of(int j, const segmented_part &part) const
    {
        return clamped(static_cast<int>(place[j + 1]) - j - 2, part.first, part.end);
    }
};

/* The tile of a launch that a block works on. */
SUBWAVE_DEVICE std::uint32_t segmented_tile_number(const subwave_segments &p)
{
    return uniform(p.tiles.count > 1 ? next_tile(p.tiles.counter, p.tiles.count) : 0);
}

/* Calls body(launch) for launches of at most SUBWAVE_SCAN_TILES tiles, after what they need. */
template <class Body>
int launch_segments(const subwave_segments &p, int items, void *stream, Body body)
{
    subwave_segments part = p;
    const std::int64_t most = SUBWAVE_SCAN_TILES;
    int status = 0;
    for (part.tiles.first = 0; status == 0 && part.tiles.first < p.tiles.all;
         part.tiles.first += most) {
        const std::int64_t left = p.tiles.all - part.tiles.first;
        part.tiles.count = static_cast<std::uint32_t>(left < most ? left : most);
        if (p.tiles.all > 1 && !p.tiles.leaves_zeros)
            status = launch(segmented_find<std::uint64_t>,
                            dim3(part.tiles.count / (array_block / segmented_searchers) + 1),
                            dim3(array_block), 0, stream, part, part.tiles.states, items);
        if (status == 0)
            status = body(part);
    }
    return status;
}

SUBWAVE_END

#endif
