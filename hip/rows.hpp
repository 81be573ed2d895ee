/* SPDX-License-Identifier: MIT
 * rows.hpp: many short arrays at once, the rows of a matrix, each of which is folded as fold_array
 * would.
 *
 * A row has at most SUBWAVE_ROW_WAVE_TILES tiles, of which only the last may be shorter. One wave
 * stands for the 256 work-items that fold_array would have for each of these. Work-items without
 * elements change nothing, so that a row of one tile needs only the first 2^i that have any. A line
 * is a wave's lanes at once: if a row needs fewer work-items than that, a line holds several rows;
 * otherwise a row takes several lines, one after another. So no wave waits for another, and values
 * are exchanged in registers alone. Whatever the wave size, work-items are joined as in fold_array:
 * within a line by a ladder, and lines, and then tiles, as a binary counter counts.
 */
#ifndef SUBWAVE_HIP_ROWS_HPP
#define SUBWAVE_HIP_ROWS_HPP

#include "array.hpp"

SUBWAVE_BEGIN

/* Where a step of a ladder is one instruction, each line has a ladder of its own. Elsewhere the lines
 * that are loaded together share one: in its first steps, of two lines' values one half of the lanes
 * goes on with the one, and the other half with the other. */
constexpr bool lines_share_ladder = !folds_reduce_v<plus<float>, float, blocks_alike>;

/* op over each block of 1 << log_lanes lanes, of each line's value x; only each `apart`-th of the first
 * `lines` is needed. If lines do not share a ladder, x[i] becomes that of line i in all lanes. Otherwise,
 * with `spread` the lower bits that numbers of lines and of a block's lanes both have, x[i & ~spread]
 * becomes that of line i, in those lanes whose number has the same bits of `spread` as i. */
template <class T, int Lines, class Op>
SUBWAVE_DEVICE void reduce_lines(int log_lanes, int apart, int lines, T (&x)[Lines], Op op)
{
    const lane_mask callers = this_work_item::get_sub_group().callers();
    if constexpr (!lines_share_ladder) {
        SUBWAVE_ROLLED
        for (int i = 1; i <= Lines; ++i, turn(x))
            if ((i & (apart - 1)) == 0 && i <= lines)
                x[0] = fold_reduce(callers, blocks_alike{1 << log_lanes}, x[0], op);
    } else {
        SUBWAVE_UNROLL
        for (int step = 1; step < max_wave_size(); step *= 2) {
            if (step >= 1 << log_lanes)
                break;
            const bool is_upper = (wave_lane() & step) != 0;
            SUBWAVE_UNROLL
            for (int i = 0; i < (step < Lines ? Lines : 1); i += 2 * step) {
                if (i >= lines)
                    break;
                T own = x[i], others = x[i];
                if (step < Lines && step < lines) {
                    own = is_upper ? x[i + step] : x[i];
                    others = is_upper ? x[i] : x[i + step];
                }
                x[i] = op(own, wave_sibling(callers, others, step, site::current()));
            }
        }
    }
}

template <int Power> inline constexpr int log2_v = 1 + log2_v<Power / 2>;
template <> inline constexpr int log2_v<1> = 0;

/* A value among those of the same or of more bytes, and back. */
template <class To, class From> SUBWAVE_DEVICE To kept_as(From x)
{
    if constexpr (sizeof(To) == sizeof(From))
        return __builtin_bit_cast(To, x);
    else
        return static_cast<To>(x);
}

/* x with those bits inverted that are set in `flip`, which repeats as often as elements of T do. */
template <class T> SUBWAVE_DEVICE T flipped_element(T x, std::uint64_t flip)
{
    using bits = unsigned_of<T>;
    return __builtin_bit_cast(
        T, static_cast<bits>(__builtin_bit_cast(bits, x) ^ static_cast<bits>(flip)));
}

/* A number that is the same in all lanes. What follows from it is worked out anew each time, since
 * scalar registers are few. */
SUBWAVE_DEVICE int alike_anew(int number)
{
    return computed_anew(wave_uniform(static_cast<int>(of_each_lane(number))));
}

/* What is so many bytes after a lane's own place. */
template <class T> SUBWAVE_DEVICE const T *bytes_after(const T *own, std::int64_t bytes)
{
    return reinterpret_cast<const T *>(reinterpret_cast<const char *>(own) + bytes);
}

/* Folds the rows of a matrix that begins at x, elements of which have the bits of `flip` inverted.
 * with_fold(body) calls body(fold, finish) with a fold as fold_array takes it, which also has
 * add_value(sum, element, i), where i is the element's place in its row, and
 * add_pack(sums, elements, i, has), where i is the first one's. Unless `has`, this adds nothing, and
 * should do so without a branch: the compiler for NVIDIA would move each load to its branch, so that
 * loads wait for each other. finish(row, value) is called in one lane per row. Kept is a type that
 * holds the values of all folds. */
template <bool Aligned, class Kept, class T, class WithFold>
SUBWAVE_DEVICE void fold_rows(const subwave_rows &m, const T *x, std::uint64_t flip,
                              WithFold with_fold)
{
    constexpr int loads = SUBWAVE_ARRAY_ROWS, size = pack_size<T>;
    const lane_mask callers = this_work_item::get_sub_group().callers();
    const int lane = wave_lane(), log_wave = __builtin_ctz(static_cast<unsigned>(wave_size())),
              log_packs = static_cast<int>(m.log_packs), packs = 1 << log_packs,
              log_items = static_cast<int>(m.log_items), tiles = static_cast<int>(m.tiles);
    /* Lanes of a row in a line; lines of a tile, or rows of a line. */
    const int log_lanes = log_items < log_wave ? log_items : log_wave,
              log_parts = log_items - log_lanes, log_rows = log_wave - log_lanes;
    /* A lane's loads of a tile of a row; those that are done together; a row's steps, each of these. */
    const int log_turns = log_parts + log_packs,
              log_together = log_turns < log2_v<loads> ? log_turns : log2_v<loads>,
              together = 1 << log_together, log_steps = log_turns - log_together,
              steps = tiles << log_steps;
    const int rows = loads >> log_together << log_rows; /* that a wave works on at a time */
    const int row_in_line = lane >> log_lanes, item_in_line = lane & ((1 << log_lanes) - 1);
    /* Load j is of this row behind the lane's own, of this work-item behind the lane's own, and is that
     * work-item's pack with this number. */
    const auto row_of = [&](int j) { return j >> log_turns << log_rows; };
    const auto item_of = [&](int j) {
        return (j >> log_packs & ((1 << log_parts) - 1)) << log_lanes;
    };
    const auto turn_of = [&](int j) { return j & (packs - 1); };
    /* It is so many bytes behind the lane's place, and is there if `least` is less than the number of
     * rows that are left or, where a row takes several steps, of packs. All that is kept in each lane,
     * since scalar registers are few. */
    std::int64_t at[loads];
    int least[loads];
    const int packs_left = static_cast<int>(of_each_lane(static_cast<int>(m.packs) - item_in_line));
    SUBWAVE_UNROLL
    for (int j = 0; j < loads; ++j) {
        const int pack = item_of(j) + turn_of(j) * array_block;
        at[j] = of_each_lane((row_of(j) * m.ldx + pack * size) * std::int64_t(sizeof(T)));
        least[j] = static_cast<int>(of_each_lane(steps > 1           ? pack
                                                 : pack < packs_left ? row_of(j)
                                                                     : 0x7fffffff));
    }

    const int waves = array_block / wave_size();
    const int wave = wave_uniform(static_cast<int>(threadIdx.x) / wave_size());
    const std::int64_t first = (blockIdx.x * static_cast<std::int64_t>(waves) + wave) * rows,
                       next = m.blocks * static_cast<std::int64_t>(waves) * rows;
    const std::int64_t apart = of_each_lane(next * m.ldx * std::int64_t(sizeof(T)));
    const T *mine = x + ((first + row_in_line) * m.ldx + item_in_line * size);
    SUBWAVE_ROLLED
    for (std::int64_t row = first; row < m.rows; row += next, mine = bytes_after(mine, apart)) {
        const int left = m.rows - row < rows ? static_cast<int>(m.rows - row) : rows;
        const int rows_left = static_cast<int>(of_each_lane(left - row_in_line));
        constexpr int levels = log2_v<array_block / min_wave_size() * SUBWAVE_ROW_WAVE_TILES>;
        /* Level i: the value of 2^i steps, until that of their right neighbours is there. */
        Kept waiting[levels];
        SUBWAVE_ROLLED
        for (int step = 0; step < steps; ++step) {
            const int tile = step >> log_steps,
                      step_item = (step & ((1 << log_steps) - 1)) * (loads >> log_packs)
                                  << log_lanes,
                      step_pack = tile * packs * array_block + step_item;
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
                /* LLVM would take a pack apart where it is loaded, and wait for it there. */
                pack[j] = pack[j].anew();
                SUBWAVE_UNROLL
                for (int w = 0; w < 4; ++w)
                    pack[j].word[w] ^= static_cast<std::uint32_t>(flip >> w % 2 * 32);
            }
            with_fold([&](const auto &fold, auto finish) {
                using fold_type = std::decay_t<decltype(fold)>;
                using value = typename fold_type::value;
                value whole[loads], sum[fold_type::sums];
                const auto begin_sums = [&] {
                    SUBWAVE_UNROLL
                    for (int e = 0; e < fold_type::sums; ++e)
                        sum[e] = fold.none();
                };
                begin_sums();
                SUBWAVE_UNROLL
                for (int j = 0; j < loads; ++j) {
                    if (j > 0 && turn_of(j) == 0)
                        begin_sums();
                    /* Likewise it would take all packs apart before it looks which fold it is. */
                    if (has[j] || lines_share_ladder)
                        fold.add_pack(
                            sum, __builtin_bit_cast(pack_elements<T>, pack[j].anew()).element,
                            (step_pack + item_of(j) + turn_of(j) * array_block + item_in_line) *
                                size,
                            has[j]);
                    value joined[fold_type::sums];
                    SUBWAVE_UNROLL
                    for (int e = 0; e < fold_type::sums; ++e)
                        joined[e] = sum[e];
                    SUBWAVE_UNROLL
                    for (int width = 1; width < fold_type::sums; width *= 2) {
                        SUBWAVE_UNROLL
                        for (int e = 0; e < fold_type::sums; e += 2 * width)
                            joined[e] = fold.join(joined[e], joined[e + width]);
                    }
                    whole[j] = joined[0];
                    keep_order(); /* or there would be sums of all lines at once */
                }
                if (m.after > 0 && tile == tiles - 1) {
                    const int begin = static_cast<int>(m.packs) * size,
                              log_turns_anew = alike_anew(log_turns);
                    for_rows<!lines_share_ladder>(
                        [&](int j, value &sum) {
                            const int item = step_item + item_of(j) + item_in_line;
                            const int row_at = j >> log_turns_anew << log_rows;
                            if (turn_of(j) == packs - 1 && row_at < rows_left &&
                                item < static_cast<int>(m.after)) {
                                const T *const element =
                                    mine + (row_at * m.ldx + (begin + item - item_in_line * size));
                                fold.add_value(sum, flipped_element(*element, flip), begin + item);
                            }
                        },
                        whole);
                }
                /* The last of several loads has the value of all of them: of a line, then of lines. */
                reduce_lines(log_lanes, packs, loads, whole, fold.join);
                SUBWAVE_UNROLL
                for (int width = 1; width < loads; width *= 2)
                    if (packs <= width && width < together) {
                        if constexpr (lines_share_ladder) {
                            whole[0] = fold.join(
                                whole[0], wave_sibling(callers, whole[0], width, site::current()));
                        } else {
                            SUBWAVE_UNROLL
                            for (int j = 2 * width - 1; j < loads; j += 2 * width)
                                whole[j] = fold.join(whole[j - width], whole[j]);
                        }
                    }
                if (steps > 1) {
                    value &row_value = whole[lines_share_ladder ? 0 : loads - 1];
                    bool joins = true;
                    SUBWAVE_UNROLL
                    for (int i = 0; i < levels; ++i) {
                        if (joins && (step >> i & 1)) {
                            row_value = fold.join(kept_as<value>(waiting[i]), row_value);
                        } else if (joins) {
                            waiting[i] = kept_as<Kept>(row_value);
                            joins = false;
                        }
                    }
                }
                const int spread = lines_share_ladder ? (loads - 1) & ((1 << log_lanes) - 1) : 0,
                          line = lane & spread;
                if (step == steps - 1 && item_in_line == line) {
                    const int log_turns_anew = alike_anew(log_turns),
                              others = ((1 << log_turns_anew) - 1) & (loads - 1);
                    SUBWAVE_UNROLL
                    for (int i = 0; i < loads; ++i) {
                        const int j = i + line, row_at = j >> log_turns_anew << log_rows;
                        if ((i & spread) == 0 && ((j + 1) & others) == 0 && row_at < rows_left)
                            finish(row + (row_at + row_in_line), whole[i]);
                    }
                }
            });
        }
    }
}

SUBWAVE_END

#endif
