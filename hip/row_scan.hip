/* SPDX-License-Identifier: MIT
 * row_scan.hip: each row of a matrix scanned as scan.hip would; rows of at most 16 KiB.
 *
 * As in rows.hpp a line is a wave's lanes at once: several rows, a row, or one of its lines after
 * another. A lane has a pack, whose run of SUBWAVE_SCAN_RUN packs is part of a line, or several lines
 * of a small wave. So values are exchanged in registers alone, and no wave waits for another.
 */
#include "reduce.hpp"
#include "rows.hpp"

SUBWAVE_BEGIN

constexpr int scan_run = SUBWAVE_SCAN_RUN, log_scan_run = log2_v<scan_run>;
/* Lines of a run at most, and runs of a line. */
constexpr int run_lines = min_wave_size() < scan_run ? scan_run / min_wave_size() : 1;
constexpr int line_runs = max_wave_size() > scan_run ? max_wave_size() / scan_run : 1;

/* 1 in place of every element but 0. */
template <class T> SUBWAVE_DEVICE pack_words truths(const pack_words &words)
{
    pack_elements<T> pack = __builtin_bit_cast(pack_elements<T>, words);
    SUBWAVE_UNROLL
    for (int e = 0; e < pack_size<T>; ++e)
        pack.element[e] = static_cast<T>(pack.element[e] != T(0));
    return __builtin_bit_cast(pack_words, pack);
}

/* The first `count` elements of a pack; word by word where words hold several. */
template <class T> SUBWAVE_DEVICE pack_words load_some(const T *from, int count)
{
    constexpr int size = pack_size<T>, together = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
    pack_elements<T> pack = {};
    SUBWAVE_UNROLL
    for (int e = 0; e < size; e += together)
        if (e + together <= count) {
            T some[together];
            load_anywhere<together>(some, from + e);
            SUBWAVE_UNROLL
            for (int i = 0; i < together; ++i)
                pack.element[e + i] = some[i];
        }
    pack_words words = __builtin_bit_cast(pack_words, pack);
    if constexpr (together > 1) {
        const int whole = count & -together;
        if (whole < count) {
            struct {
                T element[together];
            } rest = {};
            SUBWAVE_UNROLL
            for (int e = 0; e + 1 < together; ++e)
                if (whole + e < count)
                    rest.element[e] = from[whole + e];
            SUBWAVE_UNROLL
            for (int w = 0; w < 4; ++w)
                if (w * together == whole)
                    words.word[w] = __builtin_bit_cast(std::uint32_t, rest);
        }
    }
    return words;
}
template <class T> SUBWAVE_DEVICE void store_some(T *to, const pack_words &words, int count)
{
    constexpr int size = pack_size<T>, together = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
    const pack_elements<T> pack = __builtin_bit_cast(pack_elements<T>, words);
    SUBWAVE_UNROLL
    for (int e = 0; e < size; e += together)
        if (e + together <= count) {
            T some[together];
            SUBWAVE_UNROLL
            for (int i = 0; i < together; ++i)
                some[i] = pack.element[e + i];
            store_anywhere<together>(to + e, some);
        }
    if constexpr (together > 1) {
        const int whole = count & -together;
        std::uint32_t rest = 0;
        SUBWAVE_UNROLL
        for (int w = 0; w < 4; ++w)
            if (w * together == whole)
                rest = words.word[w];
        SUBWAVE_UNROLL
        for (int e = 0; e + 1 < together; ++e)
            if (whole + e < count)
                to[whole + e] =
                    __builtin_bit_cast(T, static_cast<unsigned_of<T>>(rest >> 8 * sizeof(T) * e));
    }
}

/* An inclusive scan over each block of `size` lanes, the same in all lanes. */
template <class T, class Op> SUBWAVE_DEVICE T scan_blocks_alike(int size, T x, Op op)
{
    const blocks_alike ladder{size};
    const lane_mask callers = this_work_item::get_sub_group().callers();
    if constexpr (folds_scan_v<Op, T, blocks_alike>)
        return fold_scan(callers, ladder, x, op);
    else
        return scan_lanes(callers, ladder, x, op, site::current());
}

/* The same value in a register of each lane, since scalar registers are few. */
template <class T> SUBWAVE_DEVICE T of_lanes(T x)
{
    if constexpr (sizeof(T) == 8)
        return __builtin_bit_cast(T, of_each_lane(__builtin_bit_cast(std::int64_t, x)));
    else
        return __builtin_bit_cast(T, static_cast<int>(of_each_lane(__builtin_bit_cast(int, x))));
}

/* Scans values that come one after the other in the order of a ladder, as a binary counter counts. A
 * value of `Levels` binary digits of a number is joined with the ones before it. */
template <class Kept, int Levels> struct ladder_in_turn {
    /* Level i: the value of 2^i neighbours, until that of their right neighbours is there. */
    Kept waiting[Levels > 0 ? Levels : 1] = {};
    Kept upto; /* of all so far */

    /* x joined with those before number `number`; `last` gives what of x others wait for. */
    template <class T, class Op, class Last> SUBWAVE_DEVICE T add(int number, T x, Op op, Last last)
    {
        bool waits = true;
        SUBWAVE_UNROLL
        for (int i = 0; i < Levels; ++i) {
            if (number >> i & 1) {
                x = op(kept_as<T>(waiting[i]), x);
            } else if (waits) {
                waiting[i] = of_lanes(kept_as<Kept>(last(x)));
                waits = false;
            }
        }
        upto = of_lanes(kept_as<Kept>(last(x)));
        return x;
    }
};

template <class T, bool Aligned> SUBWAVE_KERNEL(array_block) row_scan(subwave_row_scan_launch p)
{
    using kept = unsigned_of<combined_t<T>>;
    constexpr int loads = SUBWAVE_ARRAY_ROWS, size = pack_size<T>;
    const int wave_lanes = wave_size(), lane = wave_lane(),
              log_wave = __builtin_ctz(static_cast<unsigned>(wave_lanes)),
              log_packs = static_cast<int>(p.log_packs);
    /* Lanes of a row in a line; lines of a row as a power of two, or rows of a line. */
    const int log_lanes = log_packs < log_wave ? log_packs : log_wave,
              log_parts = log_packs - log_lanes, parts = 1 << log_parts,
              log_rows = log_wave - log_lanes,
              row_lines = (static_cast<int>(p.packs) + wave_lanes - 1) >> log_wave;
    /* What a wave works on at a time. */
    const int lines = row_lines > loads ? row_lines : loads,
              rows = (loads >> log_parts > 0 ? loads >> log_parts : 1) << log_rows;
    const int row_in_line = lane >> log_lanes, item_in_line = lane & ((1 << log_lanes) - 1);
    const T *const x = static_cast<const T *>(p.x) + (row_in_line * p.ldx + item_in_line * size);
    T *const y = static_cast<T *>(p.y) + (row_in_line * p.ldy + item_in_line * size);
    const int left_in_row =
        static_cast<int>(of_each_lane(static_cast<int>(p.length) - item_in_line * size));
    const lane_mask callers = this_work_item::get_sub_group().callers();
    const auto from_lane = [&](auto value, int from) {
        return wave_broadcast(callers, value, from, site::current());
    };

    const int waves = array_block / wave_lanes;
    const int wave = wave_uniform(static_cast<int>(threadIdx.x) / wave_lanes);
    const std::int64_t first = (blockIdx.x * static_cast<std::int64_t>(waves) + wave) * rows,
                       next = p.blocks * static_cast<std::int64_t>(waves) * rows;
    SUBWAVE_ROLLED
    for (std::int64_t row = first; row < p.rows; row += next) {
        const int left = p.rows - row < rows ? static_cast<int>(p.rows - row) : rows;
        const int rows_left = static_cast<int>(of_each_lane(left - row_in_line));
        ladder_in_turn<kept, log2_v<run_lines>> lines_of_run = {};
        ladder_in_turn<kept, log_scan_run> runs = {};
        SUBWAVE_ROLLED
        for (int begin = 0; begin < lines; begin += loads) {
            pack_words pack[loads][1] = {};
            /* How many elements of the row stand from the pack on, in a register of each lane. It may
             * exceed the pack's size: ptxas before CUDA 13.4 compares a bounded number wrongly. */
            int has[loads][1];
            const auto line_row = [&](int j) { return (begin + j) >> log_parts << log_rows; };
            const auto line_pack = [&](int j) { return ((begin + j) & (parts - 1)) << log_lanes; };
            SUBWAVE_UNROLL
            for (int j = 0; j < loads; ++j) {
                has[j][0] = static_cast<int>(
                    of_each_lane(line_row(j) < rows_left ? left_in_row - line_pack(j) * size : 0));
                const std::int64_t at = of_each_lane((row + line_row(j)) * p.ldx);
                const T *const from = x + (at + line_pack(j) * size);
                if (has[j][0] >= size) {
                    pack[j][0] = load_pack_words<Aligned>(from);
                } else if (has[j][0] > 0) {
                    pack[j][0] = load_some(from, has[j][0]);
                }
            }
            const auto flip_all = [&] {
                SUBWAVE_UNROLL
                for (int j = 0; j < loads; ++j) {
                    pack[j][0] = pack[j][0].anew();
                    SUBWAVE_UNROLL
                    for (int w = 0; w < 4; ++w)
                        pack[j][0].word[w] ^= static_cast<std::uint32_t>(p.flip >> w % 2 * 32);
                }
            };
            flip_all();
            with_array_op<T, true>(p.op, [&](auto op, auto as) {
                using value = typename decltype(as)::value;
                const value none = filler<decltype(op), value>::value();
                SUBWAVE_ROLLED
                for (int j = 0; j < loads; ++j, turn_rows(pack)) {
                    pack_elements<T> elements = __builtin_bit_cast(pack_elements<T>, pack[0][0]);
                    value sum = as(elements.element[0]);
                    SUBWAVE_UNROLL
                    for (int e = 1; e < size; ++e)
                        sum = op(sum, as(elements.element[e]));

                    /* The packs of a run. */
                    const int number = (begin + j) & (parts - 1);
                    const int log_run = log_lanes < log_scan_run ? log_lanes : log_scan_run;
                    value upto = scan_blocks_alike(1 << log_run, sum, op), before_line = none;
                    bool run_ends = true;
                    int run = number;
                    if constexpr (run_lines > 1) {
                        const int log_lines = /* of a run */
                            log_scan_run > log_wave ? log_scan_run - log_wave : 0;
                        if (log_lines > 0) {
                            const int line_in_run = number & ((1 << log_lines) - 1);
                            if (line_in_run > 0)
                                before_line = kept_as<value>(lines_of_run.upto);
                            upto = lines_of_run.add(line_in_run, upto, op, [&](value of_line) {
                                return from_lane(of_line, wave_lanes - 1);
                            });
                            run_ends = line_in_run == (1 << log_lines) - 1;
                            run = number >> log_lines;
                        }
                    }
                    const value below = shift_group_right(this_work_item::get_sub_group(), upto, 1);
                    value before = (item_in_line & (scan_run - 1)) == 0 ? before_line : below;

                    /* The runs of a row. */
                    value before_run = none;
                    if (log_packs > log_scan_run) {
                        if (run > 0)
                            before_run = kept_as<value>(runs.upto);
                        if (run_ends) {
                            const auto add = [&](int i, int from) {
                                runs.add(i, from_lane(upto, from), op,
                                         [](value of_run) { return of_run; });
                            };
                            if (line_runs > 1 && wave_lanes > scan_run) {
                                add(2 * run, scan_run - 1);
                                if (lane >= scan_run)
                                    before_run = kept_as<value>(runs.upto);
                                add(2 * run + 1, wave_lanes - 1);
                            } else {
                                add(run, wave_lanes - 1);
                            }
                        }
                    }
                    scan_pack(elements, op(before_run, before), p.scan, op, as);
                    if (number == 0 && item_in_line == 0 && p.scan == SUBWAVE_SCAN_EXCLUSIVE)
                        elements.element[0] = result_of_nothing<T>(op, as);
                    pack[0][0] = __builtin_bit_cast(pack_words, elements);
                }
            });
            flip_all();
            SUBWAVE_ROLLED
            for (int j = 0; j < loads; ++j, turn_rows(pack), turn_rows(has)) {
                if (p.to_truth)
                    pack[0][0] = truths<T>(pack[0][0]);
                const std::int64_t at = of_each_lane((row + line_row(j)) * p.ldy);
                T *const to = y + (at + line_pack(j) * size);
                if (has[0][0] >= size)
                    store_pack<Aligned>(to,
                                        __builtin_bit_cast(pack_elements<T>, pack[0][0]).element);
                else if (has[0][0] > 0)
                    store_some(to, pack[0][0], has[0][0]);
            }
        }
    }
}

template <class T> int launch_row_scan(const subwave_row_scan_launch &p, void *stream)
{
    using element = typename unsigned_twin<T>::type;
    subwave_row_scan_launch launched = p;
    const inverted_op inverted = invert_op<T>(p.op);
    launched.op = inverted.op;
    launched.flip = inverted.flip;
    launched.to_truth = inverted.to_truth;
    return with_aligned_rows<T>(p.x, p.ldx, p.y, p.ldy, [&](auto aligned) {
        return launch(row_scan<element, aligned.value>, dim3(p.blocks), dim3(array_block), 0,
                      stream, launched);
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_row_scan(SUBWAVE_DEFINE_LAUNCHER)
