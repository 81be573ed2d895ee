/* SPDX-License-Identifier: MIT
 * row_minmax_index.hip: the least or greatest element of each row of a matrix, and where it is first;
 * rows that are short enough for a wave each.
 *
 * An element becomes a key, a number without a sign: the least key is wanted, whatever the type and
 * the op. So there is one kernel for each size of elements. A key and the element's place in its row
 * are one value, the least of which is the first of the least elements. These may be compared in any
 * order. So a lane first finds the least of what it has of a row, which is as much as it loads at a
 * time if the row is as long, and a row has as few lanes as that allows.
 */
#include "reduce.hpp"
#include "rows.hpp"

SUBWAVE_BEGIN

/* A key of 64 bits and a place. */
struct placed_key {
    std::uint32_t low, high, place;
    SUBWAVE_DEVICE static placed_key of(std::uint64_t key, std::uint32_t place)
    {
        return {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32), place};
    }
    SUBWAVE_DEVICE std::uint64_t key() const { return std::uint64_t(high) << 32 | low; }
};
/* Arguments are copies: between references, LLVM would choose by their addresses in scratch memory. */
template <class T> SUBWAVE_DEVICE T chosen(bool is_a, T a, T b) { return is_a ? a : b; }
SUBWAVE_DEVICE placed_key chosen(bool is_a, placed_key a, placed_key b)
{
    const std::uint64_t of_a = a.key(), of_b = b.key();
    const std::uint32_t at_a = a.place, at_b = b.place;
    return placed_key::of(is_a ? of_a : of_b, is_a ? at_a : at_b);
}
struct lesser_and_first {
    SUBWAVE_DEVICE placed_key operator()(const placed_key &a, const placed_key &b) const
    {
        const bool is_less = a.key() < b.key(), is_same = a.key() == b.key(),
                   is_first = a.place < b.place;
        return chosen(is_less | (is_same & is_first), a, b); /* without branches */
    }
};

/* The least of the first `lines` values, over each block of 1 << log_lanes lanes, by reduce_lines. */
template <class T, int Lines>
SUBWAVE_DEVICE void least_of_lines(int log_lanes, int lines, T (&x)[Lines])
{
    if constexpr (!std::is_same_v<T, placed_key>) {
        reduce_lines(log_lanes, 1, lines, x, minimum<T>());
    } else if constexpr (lines_share_ladder) {
        reduce_lines(log_lanes, 1, lines, x, lesser_and_first());
    } else {
        /* The least key, then the first place of those that have it: each is one instruction a step. */
        std::uint64_t least[Lines];
        std::uint32_t place[Lines];
        SUBWAVE_UNROLL
        for (int i = 0; i < Lines; ++i)
            least[i] = x[i].key();
        reduce_lines(log_lanes, 1, lines, least, minimum<std::uint64_t>());
        SUBWAVE_UNROLL
        for (int i = 0; i < Lines; ++i)
            place[i] = x[i].key() == least[i] ? x[i].place : ~0u;
        reduce_lines(log_lanes, 1, lines, place, minimum<std::uint32_t>());
        SUBWAVE_UNROLL
        for (int i = 0; i < Lines; ++i)
            x[i] = placed_key::of(least[i], place[i]);
    }
}

template <class T> struct first_fold {
    static constexpr int size = pack_size<T>;
    static constexpr bool is_small = sizeof(T) < 4;
    /* Keys of small elements lie in a word's upper bits, and places in those below. */
    static constexpr int shift = is_small ? 32 - 8 * static_cast<int>(sizeof(T)) : 0;
    using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    using value = std::conditional_t<is_small, std::uint32_t,
                                     std::conditional_t<sizeof(T) == 4, std::uint64_t, placed_key>>;
    using lesser = std::conditional_t<sizeof(T) == 8, lesser_and_first, minimum<value>>;
    bits negative, offset, most;
    lesser join;

    SUBWAVE_DEVICE explicit first_fold(const subwave_row_minmax_index_launch &p)
        : negative(placed(p.negative)), offset(placed(p.offset)), most(placed(p.most)), join()
    {
    }
    /* Words of 64 bits are kept in each lane, since scalar registers are few. */
    SUBWAVE_DEVICE static bits placed(std::uint64_t number)
    {
        if constexpr (sizeof(T) == 8)
            return static_cast<bits>(of_each_lane(static_cast<std::int64_t>(number)));
        return static_cast<bits>(number) << shift;
    }
    /* x with the bits of `negative` inverted if its sign is set, which stays. */
    SUBWAVE_DEVICE bits turned(bits x) const
    {
        const bits sign = x >> (8 * sizeof(bits) - 1);
        return x ^ ((bits(0) - sign) & negative);
    }
    SUBWAVE_DEVICE bits key_of(T element) const
    {
        const bits x = static_cast<bits>(element) << shift;
        if constexpr (sizeof(T) == 1) /* is an integer */
            return x;
        return turned(x) + offset;
    }
    /* Whether all elements of a row with this least key are NaNs or, of integers, the last in order. Then
     * the row's first element is the one wanted. */
    SUBWAVE_DEVICE bool is_none(bits key) const { return sizeof(T) > 1 && key >= most; }
    /* Back again, if it is a number's. */
    SUBWAVE_DEVICE T element_of(bits key) const
    {
        return static_cast<T>(turned(key - offset) >> shift);
    }
    SUBWAVE_DEVICE static value with_place(bits key, int place)
    {
        const auto at = static_cast<std::uint32_t>(place);
        if constexpr (is_small)
            return key | at;
        else if constexpr (sizeof(T) == 4)
            return std::uint64_t(key) << 32 | at;
        else
            return placed_key::of(key, at);
    }
    SUBWAVE_DEVICE static bits key_in(const value &x)
    {
        if constexpr (is_small)
            return x >> shift << shift;
        else if constexpr (sizeof(T) == 4)
            return static_cast<std::uint32_t>(x >> 32);
        else
            return x.key();
    }
    SUBWAVE_DEVICE static std::uint32_t place_in(const value &x)
    {
        if constexpr (is_small)
            return x & ((1u << shift) - 1);
        else if constexpr (sizeof(T) == 4)
            return static_cast<std::uint32_t>(x);
        else
            return x.place;
    }

    /* Not less than any element. Where it hides an element as great, is_none() finds the row's first. */
    SUBWAVE_DEVICE value none() const
    {
        if constexpr (sizeof(T) == 8)
            return {~0u, ~0u, ~0u};
        else
            return ~value(0);
    }
    /* The least of `before` and of a pack, which stands after it in the row, if there `is` one. */
    SUBWAVE_DEVICE value with_pack(value before, const T (&from)[size], int first, bool is) const
    {
        if constexpr (is_small) {
            value least = with_place(key_of(from[0]), 0);
            SUBWAVE_UNROLL
            for (int e = 1; e < size; ++e)
                least = join(least, with_place(key_of(from[e]), e));
            least = join(before, least | static_cast<std::uint32_t>(first));
            return is ? least : before;
        } else {
            bits least = key_of(from[0]);
            int place = first;
            SUBWAVE_UNROLL
            for (int e = 1; e < size; ++e) {
                const bits key = key_of(from[e]);
                place = key < least ? first + e : place;
                least = key < least ? key : least;
            }
            const bits least_before = key_in(before);
            const int place_before = static_cast<int>(place_in(before));
            const bool is_less = is && least < least_before;
            return with_place(is_less ? least : least_before, is_less ? place : place_before);
        }
    }
    SUBWAVE_DEVICE value with_element(value before, T element, int place) const
    {
        return join(before, with_place(key_of(element), place));
    }
};

/* x[i] becomes the last of the i-th 1 << log_apart lines. */
template <class T, int Lines> SUBWAVE_DEVICE void take_last(int log_apart, T (&x)[Lines])
{
    SUBWAVE_UNROLL
    for (int i = 0; i < Lines / 2; ++i) {
        T taken = x[i];
        SUBWAVE_UNROLL
        for (int log = 1; log <= log2_v<Lines>; ++log)
            if ((i + 1) << log <= Lines)
                taken = chosen(log == log_apart, x[((i + 1) << log) - 1], taken);
        x[i] = taken;
    }
}

/* A lane loads 1 << log_turns packs of a row together, which are as many apart as the row has lanes. A
 * line is what all lanes have at once: of one row or of several. */
template <class T, bool Aligned>
SUBWAVE_KERNEL(array_block, sizeof(T) < 8 ? 4 : 3)
row_minmax_index(subwave_row_minmax_index_launch p)
{
    using fold = first_fold<T>;
    constexpr int loads = SUBWAVE_ARRAY_ROWS, size = pack_size<T>;
    const T *const x = static_cast<const T *>(p.x);
    const fold f(p);
    const int lane = wave_lane(), log_wave = __builtin_ctz(static_cast<unsigned>(wave_size())),
              log_lanes = static_cast<int>(p.log_lanes), log_turns = static_cast<int>(p.log_turns),
              log_rows = log_wave - log_lanes, lines = loads >> log_turns,
              steps = static_cast<int>(p.steps);
    const int rows = lines << log_rows; /* that a wave works on at a time */
    const int row_in_line = lane >> log_lanes, item = lane & ((1 << log_lanes) - 1);
    /* Load j is so many bytes behind the lane's place, and is there if `least` is less than the number of
     * rows that are left or, where a row takes several steps, of packs. All that is kept in each lane,
     * since scalar registers are few. */
    const auto pack_of = [&](int j) { return (j & ((1 << log_turns) - 1)) << log_lanes; };
    const auto row_of = [&](int j) { return j >> log_turns << log_rows; };
    std::int64_t at[loads];
    int least[loads];
    const int packs_left = static_cast<int>(of_each_lane(static_cast<int>(p.packs) - item));
    SUBWAVE_UNROLL
    for (int j = 0; j < loads; ++j) {
        at[j] = held((row_of(j) * p.ldx + pack_of(j) * size) * std::int64_t(sizeof(T)));
        least[j] = static_cast<int>(of_each_lane(steps > 1                 ? pack_of(j)
                                                 : pack_of(j) < packs_left ? row_of(j)
                                                                           : 0x7fffffff));
    }

    const int waves = array_block / wave_size();
    const int wave = wave_uniform(static_cast<int>(threadIdx.x) / wave_size());
    const std::int64_t first = (blockIdx.x * static_cast<std::int64_t>(waves) + wave) * rows,
                       next = p.blocks * static_cast<std::int64_t>(waves) * rows;
    const std::int64_t apart = of_each_lane(next * p.ldx * std::int64_t(sizeof(T)));
    const T *mine = x + ((first + row_in_line) * p.ldx + item * size);
    SUBWAVE_ROLLED
    for (std::int64_t row = first; row < p.rows; row += next, mine = bytes_after(mine, apart)) {
        const int left = p.rows - row < rows ? static_cast<int>(p.rows - row) : rows;
        const int rows_left = static_cast<int>(of_each_lane(left - row_in_line));
        typename fold::value found[loads], upto = f.none();
        SUBWAVE_ROLLED
        for (int step = 0; step < steps; ++step) {
            const int step_pack = step * loads << log_lanes;
            const T *const from = bytes_after(mine, of_each_lane(step_pack * 16));
            const int bound = steps > 1 ? packs_left - step_pack : rows_left;
            pack_words pack[loads];
            bool has[loads];
            SUBWAVE_UNROLL
            for (int j = 0; j < loads; ++j) {
                has[j] = least[j] < bound;
                if (has[j])
                    pack[j] = load_pack_words<Aligned>(bytes_after(from, at[j]));
            }
            SUBWAVE_UNROLL
            for (int j = 0; j < loads; ++j) {
                if (j > 0 && pack_of(j) == 0)
                    upto = f.none();
                /* LLVM would take a pack apart where it is loaded, and wait for it there. */
                pack[j] = pack[j].anew();
                SUBWAVE_UNROLL
                for (int w = 0; w < 4; ++w)
                    pack[j].word[w] ^= static_cast<std::uint32_t>(p.flip >> w % 2 * 32);
                upto = f.with_pack(upto, __builtin_bit_cast(pack_elements<T>, pack[j]).element,
                                   (step_pack + pack_of(j) + item) * size, has[j]);
                found[j] = upto;
            }
        }
        take_last(log_turns, found);
        if (p.after > 0) {
            const int begin = static_cast<int>(p.packs) * size,
                      log_rows_anew = alike_anew(log_rows);
            for_rows<!lines_share_ladder>(
                [&](int i, typename fold::value &least_of_row) {
                    const int row_at = i << log_rows_anew;
                    if (i >= lines || row_at >= rows_left)
                        return;
                    SUBWAVE_ROLLED
                    for (int j = item; j < static_cast<int>(p.after); j += 1 << log_lanes) {
                        const T element = mine[row_at * p.ldx + (begin + j - item * size)];
                        least_of_row = f.with_element(least_of_row,
                                                      flipped_element(element, p.flip), begin + j);
                    }
                },
                found);
        }
        least_of_lines(log_lanes, lines, found);
        const int spread = lines_share_ladder ? (lines - 1) & ((1 << log_lanes) - 1) : 0,
                  line = lane & spread;
        SUBWAVE_ROLLED
        for (int i = 0; i < lines; ++i, turn(found)) {
            const int row_at = (i + line) << log_rows;
            if ((i & spread) != 0 || item != line || row_at >= rows_left)
                continue;
            const std::int64_t at_row = row + (row_at + row_in_line);
            const typename fold::bits key = fold::key_in(found[0]);
            std::int64_t index = fold::place_in(found[0]);
            T value = flipped_element(f.element_of(key), p.flip);
            if (p.length == 0) {
                index = -1;
                value = static_cast<T>(p.nothing);
            } else if (f.is_none(key)) {
                index = 0;
                value = x[at_row * p.ldx];
            }
            static_cast<T *>(p.values)[at_row] = value;
            p.indices[at_row] = index;
        }
    }
}

template <class T>
int launch_row_minmax_index(const subwave_row_minmax_index_launch &p, void *stream)
{
    return with_aligned_rows<T>(p.x, p.ldx, [&](auto aligned) {
        return launch(row_minmax_index<T, aligned.value>, dim3(p.blocks), dim3(array_block), 0,
                      stream, p);
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_row_minmax_index(SUBWAVE_DEFINE_LAUNCHER)
