/* SPDX-License-Identifier: MIT
 * select.hip: the elements of an array that a predicate selects, in order, and the others: read once
 * and written once. Or they are appended to a queue, which other blocks and kernels may append to at
 * the same time: a tile takes its place there by one atomic addition, and waits for no other.
 *
 * A block loads a tile, whose waves have neighbouring packs. What the predicate says of a pack is a
 * bit per element: sums of these bits are the elements' places in the tile, where shared memory
 * gathers them; how many are selected before the tile comes from other blocks (look_back.hpp).
 *
 * If y is x, a tile is written only after every earlier one has been loaded: a tile's elements are in
 * registers or in shared memory before its count is published. No element is further from the
 * beginning of y than it is from that of x.
 */
#include "look_back.hpp"

SUBWAVE_BEGIN

/* Of shared memory, as words, whatever is stored there. */
struct __attribute__((__may_alias__)) select_pack {
    alignas(16) std::uint32_t word[4];
};

/* Count elements as words, of which the last may be filled with zeros. */
template <int Count, class T> using words_of_elements = word_array<(Count * sizeof(T) + 3) / 4>;

template <class T, int Words>
SUBWAVE_DEVICE void put_element(word_array<Words> &to, int e, const T &element)
{
    constexpr int size = sizeof(T);
    const words_of<T> words = to_words(element);
    SUBWAVE_UNROLL
    for (int w = 0; w < static_cast<int>(sizeof(words) / 4); ++w)
        to.word[e * size / 4 + w] |= words.word[w] << e * size % 4 * 8;
}

template <class T, int Words>
SUBWAVE_DEVICE words_of<T> element_of(const word_array<Words> &from, int e)
{
    constexpr int size = sizeof(T);
    words_of<T> words;
    SUBWAVE_UNROLL
    for (int w = 0; w < static_cast<int>(sizeof(words) / 4); ++w)
        words.word[w] = from.word[e * size / 4 + w];
    if constexpr (size < 4)
        words.word[0] = words.word[0] >> e * size % 4 * 8 & ((1u << 8 * size) - 1);
    return words;
}

/* A number's bits in a register. */
template <class T>
using number_bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T> SUBWAVE_DEVICE number_bits<T> bits_of(const words_of<T> &words)
{
    if constexpr (sizeof(T) == 8)
        return std::uint64_t(words.word[1]) << 32 | words.word[0];
    else
        return words.word[0];
}

template <class T> SUBWAVE_DEVICE void store_element(T &to, const words_of<T> &from)
{
    to = static_cast<T>(bits_of<T>(from));
}
/* Word by word: LLVM keeps in scratch memory what is copied as a whole. */
SUBWAVE_DEVICE void store_element(words_of_8_bytes &to, const words_of<words_of_8_bytes> &from)
{
    to.word[0] = from.word[0];
    to.word[1] = from.word[1];
}
SUBWAVE_DEVICE void store_element(words_of_16_bytes &to, const words_of<words_of_16_bytes> &from)
{
    to.word[0] = std::uint64_t(from.word[1]) << 32 | from.word[0];
    to.word[1] = std::uint64_t(from.word[3]) << 32 | from.word[2];
}

/* Count elements by one load; aligned to their bytes, unless any address will do. */
template <int Count, class T> SUBWAVE_DEVICE words_of_elements<Count, T> load_words(const T *from)
{
    constexpr int bytes = Count * static_cast<int>(sizeof(T));
    words_of_elements<Count, T> to = {};
    if constexpr (bytes == 1)
        to.word[0] = *from;
    else if constexpr (wave_loads_anywhere)
        __builtin_memcpy(&to, from, bytes);
    else if constexpr (bytes == 2)
        to.word[0] = *reinterpret_cast<const std::uint16_t *>(from);
    else
        load_together<1>(&to, reinterpret_cast<const words_of_elements<Count, T> *>(from));
    return to;
}

/* The first `there` of Count elements, one by one; 0 for the others. */
template <int Count, class T>
SUBWAVE_DEVICE words_of_elements<Count, T> load_first_words(const T *from, int there)
{
    words_of_elements<Count, T> to = {};
    SUBWAVE_UNROLL
    for (int e = 0; e < Count; ++e)
        if (e < there)
            put_element(to, e, from[e]);
    return to;
}

/* A bit for each of Count bytes: whether it is not 0. */
template <int Count>
SUBWAVE_DEVICE std::uint32_t nonzero_bytes(const word_array<(Count + 3) / 4> &bytes)
{
    std::uint32_t bits = 0;
    SUBWAVE_UNROLL
    for (int w = 0; w < (Count + 3) / 4; ++w) {
        const std::uint32_t word = bytes.word[w], low = 0x7f7f7f7f,
                            highest = (((word & low) + low) | word) & ~low;
        /* The product has the four bits side by side. */
        bits |= (highest >> 7) * 0x01020408u >> 24 << 4 * w;
    }
    return bits;
}

/* --- predicates ------------------------------------------------------------------------------ */

/* Its sign, in all bits. */
template <class T> SUBWAVE_DEVICE number_bits<T> sign_of(number_bits<T> bits)
{
    if constexpr (sizeof(T) == 8)
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> 63);
    else
        return static_cast<std::uint32_t>(
            static_cast<std::int32_t>(bits << (32 - 8 * static_cast<int>(sizeof(T)))) >> 31);
}

template <class T>
SUBWAVE_DEVICE bool is_in_interval(const subwave_select_launch &p, const words_of<T> &x)
{
    using bits = number_bits<T>;
    const bits number = bits_of<T>(x), negative = static_cast<bits>(p.negative),
               flip = static_cast<bits>(p.flip), least = static_cast<bits>(p.least),
               span = static_cast<bits>(p.span);
    return static_cast<bits>((number ^ (sign_of<T>(number) & negative) ^ flip) - least) <= span;
}

template <class T> struct equal_bits {
    SUBWAVE_DEVICE bool operator()(const words_of<T> &a, const words_of<T> &b) const
    {
        return bits_of<T>(a) == bits_of<T>(b);
    }
};

/* Of floats: zeros are equal whatever their signs are, and a NaN is equal to none. */
template <class T> struct equal_floats {
    std::uint32_t infinity;
    bool has_two_parts;

    SUBWAVE_DEVICE bool operator()(const words_of<T> &a, const words_of<T> &b) const
    {
        constexpr std::uint32_t magnitude = 0x7fff;
        if constexpr (sizeof(T) == 2)
            return (a.word[0] == b.word[0] && (a.word[0] & magnitude) <= infinity) ||
                   ((a.word[0] | b.word[0]) & magnitude) == 0;
        else if constexpr (sizeof(T) == 4)
            return are_equal<float, 0>(a, b);
        else if constexpr (sizeof(T) == 16)
            return are_equal<double, 0>(a, b) && are_equal<double, 1>(a, b);
        else
            return has_two_parts ? are_equal<float, 0>(a, b) && are_equal<float, 1>(a, b)
                                 : are_equal<double, 0>(a, b);
    }

private:
    /* From whole words: what is copied, LLVM 15 takes apart into bytes. */
    template <class Part, int Number> static SUBWAVE_DEVICE Part part_of(const words_of<T> &x)
    {
        if constexpr (sizeof(Part) == 4)
            return __builtin_bit_cast(Part, x.word[Number]);
        else
            return __builtin_bit_cast(Part, std::uint64_t(x.word[2 * Number + 1]) << 32 |
                                                x.word[2 * Number]);
    }
    template <class Part, int Number>
    static SUBWAVE_DEVICE bool are_equal(const words_of<T> &a, const words_of<T> &b)
    {
        return part_of<Part, Number>(a) == part_of<Part, Number>(b);
    }
};

/* --- a tile ---------------------------------------------------------------------------------- */

/* array[i] of an array that is the same in all lanes. */
template <class T, class Index> SUBWAVE_DEVICE T &element_behind(T *array, Index i)
{
    if constexpr (adds_wide_offsets)
        return element_near(array, static_cast<std::uint32_t>(i));
    else
        return array[i];
}

/* Writes `count` elements, the first of which is element `first` of shared memory, from which
 * `memory` has all words and one more. All work-items of the block call it together. */
template <class T>
SUBWAVE_DEVICE void write_elements(T *to, const select_pack *memory, std::uint32_t first,
                                   std::uint32_t count)
{
    const std::uint32_t item = threadIdx.x;
    const T *const from = reinterpret_cast<const T *>(memory) + first;
    if constexpr (sizeof(T) < 4) {
        /* By words, which may lie askew in shared memory. */
        constexpr std::uint32_t size = sizeof(T), per_word = 4 / size;
        const std::uint32_t to_word =
                                static_cast<std::uint32_t>(-reinterpret_cast<std::uintptr_t>(to)) %
                                4 / size,
                            head = to_word < count ? to_word : count,
                            words = (count - head) / per_word, tail = head + words * per_word;
        const auto *const in =
            reinterpret_cast<const word_array<1> *>(memory) + (first + head) * size / 4;
        const std::uint32_t askew = (first + head) * size % 4 * 8;
        auto *const out = reinterpret_cast<word_array<1> *>(to + head);
        SUBWAVE_ROLLED
        for (std::uint32_t w = item; w < words; w += array_block)
            out[w].word[0] = static_cast<std::uint32_t>(
                (std::uint64_t(in[w + 1].word[0]) << 32 | in[w].word[0]) >> askew);
        if (item < head)
            to[item] = from[item];
        if (tail + item < count)
            to[tail + item] = from[tail + item];
    } else {
        constexpr int together = 4;
        SUBWAVE_ROLLED
        for (std::uint32_t i = item; i < count; i += together * array_block) {
            T element[together];
            SUBWAVE_UNROLL
            for (int e = 0; e < together; ++e)
                copy(element[e], from[i + e * array_block < count ? i + e * array_block : i]);
            SUBWAVE_UNROLL
            for (int e = 0; e < together; ++e)
                if (i + e * array_block < count)
                    copy(to[i + e * array_block], element[e]);
        }
    }
}

/* Adds to a number in device memory once for the block, and returns what it was before in all of the
 * block's work-items, which call it together. */
SUBWAVE_DEVICE std::int64_t add_by_block(std::int64_t *number, std::uint32_t value)
{
    SUBWAVE_SHARED(std::int64_t, before, 1);
    if (threadIdx.x == 0)
        before[0] = atomic_add(number, std::int64_t(value));
    block_barrier(site::current());
    return before[0];
}

/* Counts of the rows of a work-item, or of a wave, two in a word. */
template <int Rows> struct row_counts {
    static_assert(Rows % 4 == 0, "scan_counts takes two words together");
    static constexpr int words = Rows / 2;
    std::uint32_t word[words];
    SUBWAVE_DEVICE std::uint32_t of_row(int r) const
    {
        return word[r % words] >> 16 * (r / words) & 0xffff;
    }
};

/* Sums of the counts up to this lane's in its wave. Where these need no more than a byte, they are
 * added four in a word. */
template <int Most, int Rows>
SUBWAVE_DEVICE row_counts<Rows> scan_counts(sub_group wave, const row_counts<Rows> &own)
{
    const auto scan = [&](std::uint32_t x) {
        const plus<std::uint32_t> op;
        if constexpr (min_wave_size() == max_wave_size()) /* known to be whole */
            return inclusive_scan_over_group(get_fixed_size_group<max_wave_size()>(wave), x, op);
        else
            return inclusive_scan_over_group(wave, x, op);
    };
    row_counts<Rows> upto;
    SUBWAVE_UNROLL
    for (int w = 0; w < upto.words; w += 2) {
        if constexpr (Most * max_wave_size() > 0xff) {
            upto.word[w] = scan(own.word[w]);
            upto.word[w + 1] = scan(own.word[w + 1]);
        } else {
            const std::uint32_t all = scan(own.word[w] | own.word[w + 1] << 8), low = 0x00ff00ff;
            upto.word[w] = all & low;
            upto.word[w + 1] = all >> 8 & low;
        }
    }
    return upto;
}

/* Which elements of a pack are chosen, a bit each. */
template <int Size> struct choices_of_lane {
    std::uint32_t bits = 0;
    SUBWAVE_DEVICE bool has(int e) const { return bits >> e & 1; }
    SUBWAVE_DEVICE std::uint32_t count(int e) const { return bits >> e & 1; }
    SUBWAVE_DEVICE void add(int e, bool is) { bits |= static_cast<std::uint32_t>(is) << e; }
    SUBWAVE_DEVICE void add_nonzero(const words_of_elements<Size, std::uint8_t> &bytes)
    {
        bits = nonzero_bytes<Size>(bytes);
    }
    SUBWAVE_DEVICE void invert() { bits ^= (1u << Size) - 1; }
    SUBWAVE_DEVICE void remove_from(int end) { bits &= (1u << end) - 1; }
};
/* The same as conditions of a wave, which AMD keeps and counts in scalar registers. All lanes make each
 * call together. */
template <int Size> struct choices_of_wave {
    wave_condition of[Size];
    SUBWAVE_DEVICE bool has(int e) const { return of[e].here(); }
    SUBWAVE_DEVICE std::uint32_t count(int e) const { return of[e].one_here(); }
    SUBWAVE_DEVICE void add(int e, bool is) { of[e].or_if(is); }
    SUBWAVE_DEVICE void add_nonzero(const words_of_elements<Size, std::uint8_t> &bytes)
    {
        SUBWAVE_UNROLL
        for (int e = 0; e < Size; ++e)
            add(e, element_of<std::uint8_t>(bytes, e).word[0] != 0);
    }
    SUBWAVE_DEVICE void invert()
    {
        SUBWAVE_UNROLL
        for (int e = 0; e < Size; ++e)
            of[e].invert();
    }
    SUBWAVE_DEVICE void remove_from(int end)
    {
        SUBWAVE_UNROLL
        for (int e = 0; e < Size; ++e)
            of[e].and_if(e < end);
    }
};
template <int Size>
using choices = std::conditional_t<counts_lanes_by_scalars && Size <= 4, choices_of_wave<Size>,
                                   choices_of_lane<Size>>;

/* before[r]: how many elements of a wave's rows are chosen before this lane's pack of row r. Returns how
 * many are in all rows. */
template <int Size, int Rows>
SUBWAVE_DEVICE std::uint32_t count_before(sub_group wave,
                                          const choices_of_lane<Size> (&chosen)[Rows],
                                          std::uint32_t (&before)[Rows])
{
    const auto count = [&](int r) {
        return static_cast<std::uint32_t>(lane_count(chosen[r].bits));
    };
    row_counts<Rows> own, all;
    SUBWAVE_UNROLL
    for (int w = 0; w < own.words; ++w)
        own.word[w] = count(w) | count(w + own.words) << 16;
    const row_counts<Rows> upto = scan_counts<Size>(wave, own);
    const auto last_lane = static_cast<std::uint32_t>(wave_size() - 1);
    SUBWAVE_UNROLL
    for (int w = 0; w < own.words; ++w)
        all.word[w] = group_broadcast(wave, upto.word[w], last_lane);
    std::uint32_t next = 0;
    SUBWAVE_UNROLL
    for (int r = 0; r < Rows; ++r) {
        before[r] = next + upto.of_row(r) - own.of_row(r);
        next += all.of_row(r);
    }
    return next;
}
template <int Size, int Rows>
SUBWAVE_DEVICE std::uint32_t count_before(sub_group, const choices_of_wave<Size> (&chosen)[Rows],
                                          std::uint32_t (&before)[Rows])
{
    int next = 0;
    SUBWAVE_UNROLL
    for (int r = 0; r < Rows; ++r) {
        int to = next;
        SUBWAVE_UNROLL
        for (int e = 0; e < Size; ++e) {
            const lane_bits lanes = chosen[r].of[e].lanes();
            to = lanes_below(lanes, to);
            next += lane_count(lanes);
        }
        before[r] = static_cast<std::uint32_t>(to);
    }
    return static_cast<std::uint32_t>(next);
}

template <class T> inline constexpr int select_rows = subwave_select_rows(&shapes, sizeof(T));

/* How many of Elements flags are not 0, in all work-items of the block. */
template <int Elements>
SUBWAVE_DEVICE std::uint32_t count_flags(const std::uint8_t *flags, bool packed,
                                         std::uint32_t *shared)
{
    constexpr int own = Elements / array_block, together = own < 16 ? own : 16;
    std::uint32_t count = 0;
    SUBWAVE_UNROLL
    for (int i = 0; i < own; i += together) {
        const std::uint8_t *const from = flags + (i * array_block + threadIdx.x * together);
        const auto bytes =
            packed ? load_words<together>(from) : load_first_words<together>(from, together);
        count += static_cast<std::uint32_t>(lane_count(nonzero_bytes<together>(bytes)));
    }
    return block_reduce<array_block>(count, plus<std::uint32_t>(), shared);
}

/* IsAhead: by flags, of which a block first counts those of a later tile (ahead_from in shapes.h). */
template <class T, bool IsAhead> SUBWAVE_KERNEL(array_block, 4) select(subwave_select_launch p)
{
    assume_line_of_items();
    constexpr int size = pack_size<T>, rows = select_rows<T>;
    constexpr bool rolled = size > 4;
    SUBWAVE_SHARED(select_pack, memory, rows * array_block + 1);
    SUBWAVE_SHARED(std::uint32_t, totals, array_block / min_wave_size());
    SUBWAVE_SHARED(std::uint32_t, shared, block_reduce_elements<array_block>);
    T *const gathered = reinterpret_cast<T *>(memory);
    const subwave_tiles &t = p.tiles;
    const T *const x = static_cast<const T *>(p.x);
    constexpr auto ahead = static_cast<std::uint32_t>(IsAhead ? shapes.select_ahead : 0);
    constexpr int tile_elements = rows * array_block * size;
    const std::uint32_t begun =
        t.count > 1 && !p.appends ? next_tile(t.counter, t.count + ahead) : blockIdx.x;
    const auto count_ahead = [&] {
        const std::uint32_t flagged = count_flags<tile_elements>(
            p.flags + (t.first + begun) * tile_elements, p.packed, shared);
        block_barrier(site::current());
        publish_ahead(t.states, t.count, begun, flagged, plus<std::uint32_t>(), shared);
    };
    if (IsAhead && begun < ahead) {
        count_ahead();
        return;
    }
    const std::uint32_t tile = begun - ahead;
    const std::int64_t tile_first = (t.first + tile) * tile_elements, left = t.n - tile_first;
    const auto elements = static_cast<std::uint32_t>(elements_of_tile<tile_elements>(left));
    const bool is_whole = elements == tile_elements;

    /* Row r of a wave follows row r - 1. */
    const sub_group wave = this_work_item::get_sub_group();
    const int waves = array_block / wave_size(), number = wave.get_group_linear_id(),
              lane = wave.get_local_linear_id();
    const auto place = [&](int r) { return ((number * rows + r) * wave_size() + lane) * size; };
    const auto there = [&](int r) {
        const int count = static_cast<int>(elements) - place(r);
        return count < 0 ? 0 : count < size ? count : size;
    };

    if constexpr (!IsAhead) {
        touch_later_tile(x + tile_first, elements, left);
        if (p.flags)
            touch_later_tile(p.flags + tile_first, elements, left);
    }
    word_array<4> pack[rows];
    words_of_elements<size, std::uint8_t> flags[rows] = {};
    if (is_whole && p.packed) {
        SUBWAVE_UNROLL
        for (int r = 0; r < rows; ++r)
            pack[r] = load_words<size>(&element_behind(x + tile_first, place(r)));
        if (p.flags) {
            SUBWAVE_UNROLL
            for (int r = 0; r < rows; ++r)
                flags[r] = load_words<size>(&element_behind(p.flags + tile_first, place(r)));
        }
    } else {
        for_rows<rolled || wave_loads_anywhere>(
            [&](int r, auto &of_pack, auto &of_flags) {
                of_pack = load_first_words<size>(x + tile_first + place(r), there(r));
                if (p.flags)
                    of_flags = load_first_words<size>(p.flags + tile_first + place(r), there(r));
            },
            pack, flags);
    }

    if (IsAhead && begun < t.count - 1) { /* while the elements are on their way */
        count_ahead();
        block_barrier(site::current());
    }
    p = argument_read_anew(p); /* or LLVM keeps it in more scalar registers than there are */
    const subwave_select_predicate predicate = IsAhead ? SUBWAVE_SELECT_FLAGS : p.predicate;
    choices<size> chosen[rows];
    if (predicate == SUBWAVE_SELECT_FLAGS) {
        SUBWAVE_UNROLL
        for (int r = 0; r < rows; ++r)
            chosen[r].add_nonzero(flags[r]);
    } else if (predicate == SUBWAVE_SELECT_INTERVAL) {
        if constexpr (sizeof(T) <= 8)
            for_rows<rolled>(
                [&](int, const auto &of_pack, auto &of_row) {
                    SUBWAVE_UNROLL
                    for (int e = 0; e < size; ++e)
                        of_row.add(e, is_in_interval<T>(p, element_of<T>(of_pack, e)));
                    if (p.outside)
                        of_row.invert();
                },
                pack, chosen);
    } else {
        words_of<T> before = {}; /* the element before the wave's next row, in lane 0 */
        if (lane == 0 && there(0) > 0 && (number > 0 || tile_first != 0))
            before =
                to_words(element_near(x + (tile_first - 1), static_cast<std::uint32_t>(place(0))));
        const auto find_unequal = [&](auto are_equal) {
            for_rows<rolled>(
                [&](int, const auto &of_pack, auto &of_row) {
                    const words_of<T> last_here = element_of<T>(of_pack, size - 1);
                    words_of<T> last =
                        wave_shift_in(wave.callers(), last_here, before, site::current());
                    SUBWAVE_UNROLL
                    for (int e = 0; e < size; ++e) {
                        const words_of<T> element = element_of<T>(of_pack, e);
                        of_row.add(e, !are_equal(last, element));
                        last = element;
                    }
                    before = group_broadcast(wave, last_here,
                                             static_cast<std::uint32_t>(wave_size() - 1));
                },
                pack, chosen);
        };
        if constexpr (sizeof(T) == 1) {
            find_unequal(equal_bits<T>());
        } else if constexpr (sizeof(T) == 16) {
            find_unequal(equal_floats<T>{p.infinity, true});
        } else {
            if (p.parts == 0)
                find_unequal(equal_bits<T>());
            else
                find_unequal(equal_floats<T>{p.infinity, p.parts == 2});
        }
        if (tile_first == 0)
            chosen[0].add(0, threadIdx.x == 0); /* there is none before it */
    }
    if (!is_whole) {
        SUBWAVE_UNROLL
        for (int r = 0; r < rows; ++r)
            chosen[r].remove_from(there(r));
    }

    std::uint32_t start[rows], next = 0, total = 0;
    const std::uint32_t all_of_wave = count_before(wave, chosen, start);
    if (lane == 0)
        totals[number] = all_of_wave;
    block_barrier(site::current());
    SUBWAVE_UNROLL
    for (int w = 0; w < waves; ++w) {
        const std::uint32_t of_wave = uniform(totals[w]);
        next += w < number ? of_wave : 0;
        total += of_wave;
    }

    /* Where the count depends on the elements, they have been loaded. */
    const bool is_published = t.count > 1 && !p.appends && p.predicate != SUBWAVE_SELECT_FLAGS;
    if (is_published && threadIdx.x == 0)
        publish_tile(t.states, t.count, tile, total);

    /* The selected elements from the front, the others behind them. may_end: the array may end within a
     * pack. Only the others ask: behind the end nothing is selected. */
    const auto gather = [&](auto others, auto may_end) {
        for_rows<rolled || may_end.value>(
            [&](int r, const auto &of_pack, const auto &of_row, std::uint32_t to) {
                to += next;
                /* The places of the next selected element and of the next other one, added; one more
                 * for each element. */
                const std::uint32_t both = total + place(r);
                SUBWAVE_UNROLL
                for (int e = 0; e < size; ++e) {
                    const bool is_chosen = of_row.has(e);
                    if (others.value ? !may_end.value || e < there(r) : is_chosen)
                        store_element(gathered[!others.value || is_chosen ? to : both + e - to],
                                      element_of<T>(of_pack, e));
                    to += of_row.count(e);
                }
            },
            pack, chosen, start);
    };
    if (!p.rest)
        gather(std::false_type(), std::false_type());
    else if (is_whole)
        gather(std::true_type(), std::false_type());
    else
        gather(std::true_type(), std::true_type());
    block_barrier(site::current());

    p = argument_read_anew(p);
    if (p.appends) {
        if (total == 0)
            return;
        const std::int64_t first = add_by_block(p.count, total), room = p.capacity - first;
        if (first >= 0 && room > 0)
            write_elements(static_cast<T *>(p.y) + first, memory, 0,
                           room < total ? static_cast<std::uint32_t>(room) : total);
        return;
    }
    std::int64_t before = t.first > 0 ? *tiles_carry<std::int64_t>(t, t.first) : 0;
    if (t.count > 1)
        before += count_before_tile<IsAhead>(t.states, t.count, tile, total, is_published, shared);
    const std::uint32_t readers_before = count_reader(t);
    if (tile == t.count - 1 && threadIdx.x == 0) {
        *tiles_carry<std::int64_t>(t, t.first + SUBWAVE_SCAN_TILES) = before + total;
        if (t.first + t.count == t.all)
            *p.count = before + total;
    }
    T *to = static_cast<T *>(p.y) + before;
    /* Unless all are where they were, and the next tile may be reading the last one. */
    if (to != x + tile_first || total != elements) {
        SUBWAVE_ROLLED
        for (std::uint32_t from = 0, end = total;; from = end, end = elements) {
            write_elements(to, memory, from, end - from);
            if (!p.rest || from > 0 || end == elements)
                break;
            to = static_cast<T *>(p.rest) + (tile_first - before);
        }
    }
    leave_zeros(t, readers_before);
}

template <class Element> int launch_select(const subwave_select_launch &p, void *stream)
{
    subwave_select_launch part = p;
    const auto *const to = reinterpret_cast<const void *>(reinterpret_cast<std::uintptr_t>(p.y) |
                                                          reinterpret_cast<std::uintptr_t>(p.rest));
    part.packed = wave_loads_anywhere ||
                  with_alignment(p.x, p.flags, [](auto aligned) { return aligned.value; });
    return launch_tiles(part.tiles, stream, [&] {
        return with_moved<Element>(p.x, to, [&](auto element) {
            using T = decltype(element);
            if constexpr (shapes.ahead_from > 0 && sizeof(T) >= 4) {
                /* If y is x, a tile must have been loaded before a later one is written. */
                if (p.predicate == SUBWAVE_SELECT_FLAGS && !p.appends && p.y != p.x &&
                    combines_ahead(part.tiles))
                    return launch(select<T, true>, dim3(part.tiles.count + shapes.select_ahead),
                                  dim3(array_block), 0, stream, part);
            }
            return launch(select<T, false>, dim3(part.tiles.count), dim3(array_block), 0, stream,
                          part);
        });
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_select(SUBWAVE_DEFINE_LAUNCHER)
