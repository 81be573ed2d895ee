/* SPDX-License-Identifier: MIT
 * rows.hpp: many short arrays at once, the rows of a matrix, each of which is folded as fold_array
 * would.
 *
 * A row has at most a tile. Of the 256 work-items that fold_array would have, those without
 * elements change nothing, so that a row needs only the first 2^i of them that have any. One wave
 * stands for them. A line is a wave's lanes at once: if a row needs fewer work-items than that, a
 * line holds several rows; otherwise a row takes several lines, one after another. So no wave waits
 * for another, and values are exchanged in registers alone. Whatever the wave size, work-items are
 * joined as in fold_array: within a line by a ladder, and lines as a binary counter counts.
 */
#ifndef SUBWAVE_HIP_ROWS_HPP
#define SUBWAVE_HIP_ROWS_HPP

#include "array.hpp"

SUBWAVE_BEGIN

/* op over each block of `size` lanes, the same in all lanes; valid in all of them. */
template <class T, class Op> SUBWAVE_DEVICE T reduce_blocks_alike(int size, T x, Op op)
{
    const blocks_alike ladder{size};
    const lane_mask callers = this_work_item::get_sub_group().callers();
    if constexpr (folds_reduce_v<Op, T, blocks_alike>)
        return fold_reduce(callers, ladder, x, op);
    else
        return reduce_lanes(callers, ladder, x, op, site::current());
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
template <class T> SUBWAVE_DEVICE T flipped(T x, std::uint64_t flip)
{
    using bits = unsigned_of<T>;
    return __builtin_bit_cast(
        T, static_cast<bits>(__builtin_bit_cast(bits, x) ^ static_cast<bits>(flip)));
}

/* What a lane has of a line: a pack and an element after the row's last one, or one, or neither. */
template <class T> struct row_part {
    pack_words pack;
    T after;
    int has; /* 1: the pack; 2: the element; kept in each lane, since scalar registers are few */
    SUBWAVE_DEVICE bool has_pack() const { return (has & 1) != 0; }
    SUBWAVE_DEVICE bool has_after() const { return (has & 2) != 0; }
};

/* Where element i from a lane's own place is; i, which all lanes have, is added in each of them, since
 * scalar registers are few. */
template <class T> SUBWAVE_DEVICE const T *in_lanes(const T *own, std::int64_t i)
{
    const std::int64_t bytes = of_each_lane(i * static_cast<std::int64_t>(sizeof(T)));
    return reinterpret_cast<const T *>(reinterpret_cast<const char *>(own) + bytes);
}

/* Folds the rows of a matrix that begins at x, elements of which have the bits of `flip` inverted.
 * with_fold(body) calls body(fold, finish) with a fold as fold_array takes it, which also has
 * add_pack(sums, elements, i), where i is the first one's place in its row, and
 * add_value(sum, element, i). finish(row, value) is called in one lane per row. Kept is a type that
 * holds the values of all folds. */
template <bool Aligned, class Kept, class T, class WithFold>
SUBWAVE_DEVICE void fold_rows(const subwave_rows &m, const T *x, std::uint64_t flip,
                              WithFold with_fold)
{
    constexpr int loads = SUBWAVE_ARRAY_ROWS, size = pack_size<T>;
    const int lane = wave_lane(), log_wave = __builtin_ctz(static_cast<unsigned>(wave_size())),
              log_packs = static_cast<int>(m.log_packs), packs = 1 << log_packs,
              log_items = static_cast<int>(m.log_items);
    /* Lanes of a row in a line; lines of a row, or rows of a line; lines loaded together. */
    const int log_lanes = log_items < log_wave ? log_items : log_wave,
              log_parts = log_items - log_lanes, parts = 1 << log_parts,
              log_rows = log_wave - log_lanes, step = loads >> log_packs;
    /* What a wave works on at a time. */
    const int lines = step > parts ? step : parts, rows = lines >> log_parts << log_rows;
    const int row_in_line = lane >> log_lanes, item_in_line = lane & ((1 << log_lanes) - 1);
    const T *const mine = x + row_in_line * m.ldx + item_in_line * size;
    const T *const mine_after =
        x + row_in_line * m.ldx + (static_cast<int>(m.packs) * size + item_in_line);

    /* Behind the lane's place in a line; in each lane, since scalar registers are few. */
    const int packs_left = static_cast<int>(of_each_lane(static_cast<int>(m.packs) - item_in_line)),
              after_left = static_cast<int>(of_each_lane(static_cast<int>(m.after) - item_in_line));
    const int waves = array_block / wave_size();
    const int wave = wave_uniform(static_cast<int>(threadIdx.x) / wave_size());
    const std::int64_t first = (blockIdx.x * static_cast<std::int64_t>(waves) + wave) * rows,
                       next = m.blocks * static_cast<std::int64_t>(waves) * rows;
    SUBWAVE_ROLLED
    for (std::int64_t row = first; row < m.rows; row += next) {
        const int left = m.rows - row < rows ? static_cast<int>(m.rows - row) : rows;
        const int lines_left = static_cast<int>(of_each_lane(left - row_in_line));
        constexpr int levels = log2_v<array_block / min_wave_size()>;
        /* Level i: the value of 2^i lines, until that of their right neighbours is there. */
        Kept waiting[levels] = {};
        SUBWAVE_ROLLED
        for (int begin = 0; begin < lines; begin += step) {
            row_part<T> part[loads] = {};
            SUBWAVE_UNROLL
            for (int j = 0; j < loads; ++j) {
                const int line = begin + (j >> log_packs), line_row = line >> log_parts << log_rows,
                          line_item = (line & (parts - 1)) << log_lanes, turn = j & (packs - 1),
                          line_pack = line_item + turn * array_block;
                const std::int64_t at = (row + line_row) * m.ldx;
                const bool there = line_row < lines_left;
                const bool has_pack = there && line_pack < packs_left,
                           has_after = there && turn == packs - 1 && line_item < after_left;
                part[j].has =
                    static_cast<int>(of_each_lane((has_pack ? 1 : 0) | (has_after ? 2 : 0)));
                if (has_pack)
                    part[j].pack = load_pack_words<Aligned>(in_lanes(mine, at + line_pack * size));
                if (m.after > 0 && has_after)
                    part[j].after = *in_lanes(mine_after, at + line_item);
            }
            SUBWAVE_UNROLL
            for (int j = 0; j < loads; ++j) {
                /* LLVM would take a pack apart where it is loaded, and wait for it there. */
                part[j].pack = part[j].pack.anew();
                SUBWAVE_UNROLL
                for (int w = 0; w < 4; ++w)
                    part[j].pack.word[w] ^= static_cast<std::uint32_t>(flip >> w % 2 * 32);
                part[j].after = flipped(part[j].after, flip);
            }
            with_fold([&](const auto &fold, auto finish) {
                using fold_type = std::decay_t<decltype(fold)>;
                using value = typename fold_type::value;
                value sum[fold_type::sums], of_line[loads][1];
                const auto begin_sums = [&] {
                    SUBWAVE_UNROLL
                    for (int e = 0; e < fold_type::sums; ++e)
                        sum[e] = fold.none();
                };
                begin_sums();
                SUBWAVE_UNROLL
                for (int j = 0; j < loads; ++j) {
                    const int turn = j & (packs - 1);
                    if (j > 0 && turn == 0)
                        begin_sums();
                    const int line = begin + (j >> log_packs),
                              item = ((line & (parts - 1)) << log_lanes) + item_in_line;
                    /* Likewise it would take all packs apart before it looks which fold it is. */
                    if (part[j].has_pack())
                        fold.add_pack(
                            sum, __builtin_bit_cast(pack_elements<T>, part[j].pack.anew()).element,
                            (turn * array_block + item) * size);
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
                    of_line[j][0] = joined[0];
                    if (m.after > 0) {
                        keep_order(); /* or LLVM computes it for all rows, and then chooses */
                        if (part[j].has_after())
                            fold.add_value(of_line[j][0], part[j].after,
                                           static_cast<int>(m.packs) * size + item);
                    }
                    keep_order(); /* or there would be sums of all lines at once */
                }
                SUBWAVE_ROLLED
                for (int j = 0; j < loads; ++j, turn_rows(of_line)) {
                    if ((j & (packs - 1)) != packs - 1)
                        continue;
                    const int line = begin + (j >> log_packs), number = line & (parts - 1);
                    value whole = reduce_blocks_alike(1 << log_lanes, of_line[0][0], fold.join);
                    bool joins = true;
                    SUBWAVE_UNROLL
                    for (int i = 0; i < levels; ++i) {
                        if (joins && (number >> i & 1)) {
                            whole = fold.join(kept_as<value>(waiting[i]), whole);
                        } else if (joins) {
                            waiting[i] = kept_as<Kept>(whole);
                            joins = false;
                        }
                    }
                    const int place = (line >> log_parts << log_rows) + row_in_line;
                    if (number == parts - 1 && item_in_line == 0 && place < left)
                        finish(row + place, whole);
                }
            });
        }
    }
}

SUBWAVE_END

#endif
