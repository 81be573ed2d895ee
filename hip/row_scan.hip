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

template <class T> using scan_words = words_of_pack<sizeof(scan_elements<T>) / 4>;

/* 1 in place of every element but 0. */
template <class T> SUBWAVE_DEVICE scan_words<T> truths(const scan_words<T> &words)
{
    auto pack = __builtin_bit_cast(scan_elements<T>, words);
    SUBWAVE_UNROLL
    for (int e = 0; e < scan_pack_size<T>; ++e)
        pack.element[e] = static_cast<T>(pack.element[e] != T(0));
    return __builtin_bit_cast(scan_words<T>, pack);
}

/* The first `count` elements of a pack; word by word where words hold several. */
template <class T> SUBWAVE_DEVICE scan_words<T> load_some(const T *from, int count)
{
    constexpr int size = scan_pack_size<T>, together = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
    scan_elements<T> pack = {};
    SUBWAVE_UNROLL
    for (int e = 0; e < size; e += together)
        if (e + together <= count) {
            T some[together];
            load_anywhere<together>(some, from + e);
            SUBWAVE_UNROLL
            for (int i = 0; i < together; ++i)
                pack.element[e + i] = some[i];
        }
    auto words = __builtin_bit_cast(scan_words<T>, pack);
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
template <class T> SUBWAVE_DEVICE void store_some(T *to, const scan_words<T> &words, int count)
{
    constexpr int size = scan_pack_size<T>, together = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
    const scan_elements<T> pack = __builtin_bit_cast(scan_elements<T>, words);
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

/* Values of lines that are worked on together: a step of a ladder has one choice of lanes for all. */
template <class T, int Lines> struct line_values {
    T of[Lines];
};

/* An inclusive scan over each block of `size` lanes, of each line. Each lane gives the same size. */
template <class T, int Lines, class Op>
SUBWAVE_DEVICE void scan_blocks_alike(int size, line_values<T, Lines> &x, Op op)
{
    const blocks_alike ladder{size};
    const lane_mask callers = this_work_item::get_sub_group().callers();
    if constexpr (folds_scan_v<Op, T, blocks_alike>) {
        SUBWAVE_UNROLL
        for (int j = 0; j < Lines; ++j)
            x.of[j] = fold_scan(callers, ladder, x.of[j], op);
    } else {
        const auto op_of_each = [&](const line_values<T, Lines> &before,
                                    const line_values<T, Lines> &after) {
            line_values<T, Lines> result;
            SUBWAVE_UNROLL
            for (int j = 0; j < Lines; ++j)
                result.of[j] = op(before.of[j], after.of[j]);
            return result;
        };
        x = scan_lanes(callers, ladder, x, op_of_each, site::current());
    }
}

/* The same value in a register of each lane, since scalar registers are few. */
template <class T> SUBWAVE_DEVICE T of_lanes(T x)
{
    if constexpr (sizeof(T) == 8)
        return __builtin_bit_cast(T, of_each_lane(__builtin_bit_cast(std::int64_t, x)));
    else
        return __builtin_bit_cast(T, static_cast<int>(of_each_lane(__builtin_bit_cast(int, x))));
}

/* Scans values that come one after another in the order of a ladder, as a binary counter counts. A
 * value of `Levels` binary digits of a number is joined with the ones before it. */
template <class Kept, int Levels> struct ladder_in_turn {
    /* Level i: the value of 2^i neighbours, until that of their right neighbours is there. */
    Kept waiting[Levels > 0 ? Levels : 1] = {};
    Kept upto; /* of all so far */

    /* Values number, number + 1 and so on, number being a multiple of Count, are joined with those
     * before them, of which every 2^log_length begin anew. last(x) is what others wait for of x. */
    template <class T, int Count, class Op, class Last>
    SUBWAVE_DEVICE void add(int number, int log_length, T (&x)[Count], Op op, Last last)
    {
        constexpr int together = log2_v<Count>;
        SUBWAVE_UNROLL
        for (int i = 0; i < together; ++i) {
            if (i >= log_length)
                break;
            SUBWAVE_UNROLL
            for (int c = 0; c < Count; ++c)
                if (c >> i & 1)
                    x[c] = op(x[(c & -(1 << i)) - 1], x[c]);
        }
        bool waits = true;
        SUBWAVE_UNROLL
        for (int i = together; i < Levels; ++i) {
            if (number >> i & 1) {
                SUBWAVE_UNROLL
                for (int c = 0; c < Count; ++c)
                    x[c] = op(kept_as<T>(waiting[i]), x[c]);
            } else if (waits) {
                waiting[i] = of_lanes(kept_as<Kept>(last(x[Count - 1])));
                waits = false;
            }
        }
        upto = of_lanes(kept_as<Kept>(last(x[Count - 1])));
    }
};

/* Lines that are worked on together; those of a run come one after another. */
template <class T>
constexpr int lines_together = code_is_short || run_lines > 1 ? 1
                                                              : SUBWAVE_ROW_SCAN_LOADS(sizeof(T));

/* WithinLine: no row has more than a line. Then fewer registers are needed. */
template <class T, bool Aligned, bool WithinLine>
SUBWAVE_KERNEL(array_block, sizeof(T) < 2 ? 2
                            : WithinLine  ? 4
                                          : 3)
row_scan(subwave_row_scan_launch p)
{
    using kept = unsigned_of<combined_t<T>>;
    using lane_words = scan_words<T>;
    constexpr int loads = SUBWAVE_ROW_SCAN_LOADS(sizeof(T)), size = scan_pack_size<T>,
                  scan_lines = lines_together<T>;
    const int wave_lanes = wave_size(), lane = wave_lane(),
              log_wave = __builtin_ctz(static_cast<unsigned>(wave_lanes)),
              log_packs = static_cast<int>(p.log_packs);
    /* Lanes of a row in a line; lines of a row as a power of two, or rows of a line. */
    const int log_lanes = WithinLine || log_packs < log_wave ? log_packs : log_wave,
              log_parts = WithinLine ? 0 : log_packs - log_lanes, parts = 1 << log_parts,
              log_rows = log_wave - log_lanes,
              row_lines = WithinLine ? 1 : (static_cast<int>(p.packs) + wave_lanes - 1) >> log_wave;
    /* What a wave works on at a time. */
    const int lines = row_lines > loads ? row_lines : loads,
              rows = (loads >> log_parts > 0 ? loads >> log_parts : 1) << log_rows;
    const int row_in_line = lane >> log_lanes, item_in_line = lane & ((1 << log_lanes) - 1);
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
    /* A lane's place in its first row. */
    const T *x =
        static_cast<const T *>(p.x) + ((first + row_in_line) * p.ldx + item_in_line * size);
    T *y = static_cast<T *>(p.y) + ((first + row_in_line) * p.ldy + item_in_line * size);
    SUBWAVE_ROLLED
    for (std::int64_t row = first; row < p.rows;
         row += next, x += next * p.ldx, y += next * p.ldy) {
        const int left = p.rows - row < rows ? static_cast<int>(p.rows - row) : rows;
        const int rows_left = static_cast<int>(of_each_lane(left - row_in_line));
        ladder_in_turn<kept, log2_v<run_lines>> lines_of_run = {};
        ladder_in_turn<kept, log_scan_run> runs = {};
        SUBWAVE_ROLLED
        for (int begin = 0; begin < lines; begin += loads) {
            lane_words pack[loads] = {};
            /* How many elements of the row stand from the pack on, in a register of each lane. It may
             * exceed the pack's size: ptxas before CUDA 13.4 compares a bounded number wrongly. */
            int has[loads];
            const auto line_row = [&](int j) { return (begin + j) >> log_parts << log_rows; };
            const auto line_element = [&](int j) {
                return (((begin + j) & (parts - 1)) << log_lanes) * size;
            };
            const auto line_at = [&](int j, std::int64_t ld) {
                return of_each_lane(line_row(j) * ld + line_element(j));
            };
            SUBWAVE_UNROLL
            for (int j = 0; j < loads; ++j) {
                has[j] = static_cast<int>(
                    of_each_lane(line_row(j) < rows_left ? left_in_row - line_element(j) : 0));
                const T *const from = x + line_at(j, p.ldx);
                if (has[j] >= size) {
                    pack[j] = load_words_of<Aligned, size>(from);
                } else if (has[j] > 0) {
                    pack[j] = load_some(from, has[j]);
                }
            }
            const auto flip_all = [&] {
                SUBWAVE_UNROLL
                for (int j = 0; j < loads; ++j) {
                    pack[j] = pack[j].anew();
                    SUBWAVE_UNROLL
                    for (int w = 0; w < lane_words::count; ++w)
                        pack[j].word[w] ^= static_cast<std::uint32_t>(p.flip >> w % 2 * 32);
                }
            };
            flip_all();
            with_array_op<T, true>(p.op, [&](auto op, auto as) {
                using value = typename decltype(as)::value;
                const value none = filler<decltype(op), value>::value();
                SUBWAVE_ROLLED
                for (int first_line = 0; first_line < loads; first_line += scan_lines) {
                    scan_elements<T> elements[scan_lines];
                    line_values<value, scan_lines> upto, before;
                    SUBWAVE_UNROLL
                    for (int j = 0; j < scan_lines; ++j) {
                        elements[j] = __builtin_bit_cast(scan_elements<T>, pack[j]);
                        upto.of[j] = as(elements[j].element[0]);
                        SUBWAVE_UNROLL
                        for (int e = 1; e < size; ++e)
                            upto.of[j] = op(upto.of[j], as(elements[j].element[e]));
                    }

                    /* The packs of a run. */
                    const int number = (begin + first_line) & (parts - 1);
                    const int log_run = log_lanes < log_scan_run ? log_lanes : log_scan_run;
                    scan_blocks_alike(1 << log_run, upto, op);
                    value before_line = none;
                    bool run_ends = true;
                    int run = number;
                    if constexpr (run_lines > 1) {
                        const int log_lines = /* of a run */
                            log_scan_run > log_wave ? log_scan_run - log_wave : 0;
                        if (log_lines > 0) {
                            const int line_in_run = number & ((1 << log_lines) - 1);
                            if (line_in_run > 0)
                                before_line = kept_as<value>(lines_of_run.upto);
                            lines_of_run.add(
                                line_in_run, log_lines, upto.of, op,
                                [&](value of_line) { return from_lane(of_line, wave_lanes - 1); });
                            run_ends = line_in_run == (1 << log_lines) - 1;
                            run = number >> log_lines;
                        }
                    }
                    before = shift_group_right(this_work_item::get_sub_group(), upto, 1);
                    const bool begins_run = (item_in_line & (scan_run - 1)) == 0;
                    SUBWAVE_UNROLL
                    for (int j = 0; j < scan_lines; ++j)
                        before.of[j] = begins_run ? before_line : before.of[j];

                    /* The runs of a row. */
                    value before_run[scan_lines];
                    SUBWAVE_UNROLL
                    for (int j = 0; j < scan_lines; ++j)
                        before_run[j] = none;
                    const auto join_runs = [&](auto of_line) {
                        constexpr int each = decltype(of_line)::value, count = scan_lines * each;
                        const value carried = kept_as<value>(runs.upto);
                        value upto_run[count];
                        SUBWAVE_UNROLL
                        for (int i = 0; i < count; ++i)
                            upto_run[i] =
                                from_lane(upto.of[i / each],
                                          i % each == each - 1 ? wave_lanes - 1 : scan_run - 1);
                        if (run_ends)
                            runs.add(each * run, log_packs - log_scan_run, upto_run, op,
                                     [](value of_run) { return of_run; });
                        SUBWAVE_UNROLL
                        for (int j = 0; j < scan_lines; ++j) {
                            if (((run + j) & (parts - 1)) != 0)
                                before_run[j] = j == 0 ? carried : upto_run[j * each - 1];
                            if (each > 1 && lane >= scan_run)
                                before_run[j] = upto_run[j * each];
                        }
                    };
                    if (!(WithinLine && line_runs == 1) && log_packs > log_scan_run) {
                        if (line_runs > 1 && wave_lanes > scan_run)
                            join_runs(std::integral_constant<int, 2>());
                        else
                            join_runs(std::integral_constant<int, 1>());
                    }

                    SUBWAVE_UNROLL
                    for (int j = 0; j < scan_lines; ++j) {
                        scan_pack(elements[j], op(before_run[j], before.of[j]), p.scan, op, as);
                        if (((number + j) & (parts - 1)) == 0 && item_in_line == 0 &&
                            p.scan == SUBWAVE_SCAN_EXCLUSIVE)
                            elements[j].element[0] = result_of_nothing<T>(op, as);
                        pack[j] = __builtin_bit_cast(lane_words, elements[j]);
                    }
                    if constexpr (scan_lines < loads)
                        turn(pack);
                }
            });
            flip_all();
            for_rows<code_is_short>(
                [&](int j, lane_words &words, int count) {
                    if (p.to_truth)
                        words = truths<T>(words);
                    T *const to = y + line_at(j, p.ldy);
                    if (count >= size)
                        store_pack<Aligned>(to,
                                            __builtin_bit_cast(scan_elements<T>, words).element);
                    else if (count > 0)
                        store_some(to, words, count);
                },
                pack, has);
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
        const auto kernel = !code_is_short && p.packs <= min_wave_size()
                                ? row_scan<element, aligned.value, !code_is_short>
                                : row_scan<element, aligned.value, false>;
        return launch(kernel, dim3(p.blocks), dim3(array_block), 0, stream, launched);
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_row_scan(SUBWAVE_DEFINE_LAUNCHER)
