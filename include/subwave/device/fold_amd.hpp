/* SPDX-License-Identifier: MIT
 * fold_amd.hpp: ladders by DPP: an arithmetic instruction takes one operand from another lane, so a
 * step of a ladder is an instruction. No LDS, and a result for all lanes is a scalar.
 *
 * Lanes that do not count hold what leaves others as they are. Where they may be switched off, the
 * ladder runs in whole-wave mode, in which they are not.
 */
#ifndef SUBWAVE_DEVICE_FOLD_AMD_HPP
#define SUBWAVE_DEVICE_FOLD_AMD_HPP

#include <subwave/device/ladder.hpp>

SUBWAVE_BEGIN

/* --- blocks of lanes that all hold a value ---------------------------------------------------- */

/* Valid in all lanes of a block. */
template <int Size, class T, class Op> SUBWAVE_DEVICE T reduce_blocks(T x, Op op)
{
    if constexpr (Size > 1)
        x = op(x, dpp<dpp_swap_lanes>(x));
    if constexpr (Size > 2)
        x = op(x, dpp<dpp_swap_pairs>(x));
    if constexpr (Size > 4)
        x = op(x, dpp<dpp_half_mirror>(x));
    if constexpr (Size > 8)
        x = op(x, dpp<dpp_mirror>(x));
    if constexpr (Size > 16 && !SUBWAVE_ROWS_BY_BROADCAST) {
        x = op(x, other_row<0>(x));
        return read_lane(x, 0);
    }
    if constexpr (Size > 16)
        x = op(x, dpp<dpp_row_bcast15>(x)); /* right in rows 1 and 3 */
    if constexpr (Size == 32) {
        const T lower = read_lane(x, 31), upper = read_lane(x, 63);
        return wave_lane() < 32 ? lower : upper;
    }
    if constexpr (Size > 32) {
        x = op(x, dpp<dpp_row_bcast31>(x)); /* right in row 3 */
        return read_lane(x, 63);
    }
    return x;
}

/* Inclusive. */
template <int Size, class T, class Op> SUBWAVE_DEVICE T scan_blocks(T x, Op op)
{
    const T fill = filler<Op, T>::value();
    if constexpr (Size > 1) /* odd lanes from even ones */
        x = op(dpp<dpp_swap_lanes>(in_each_four<0x5>() ? x : fill), x);
    if constexpr (Size > 2) /* lanes 2 and 3 of four from lane 1 */
        x = op(dpp<dpp_quad_0011>(in_each_four<0x2>() ? x : fill), x);
    if constexpr (Size > 4) /* fours 1 and 3 of a row from the last lanes of 0 and 2 */
        x = op(dpp_into<dpp_row_shr + 4, 0xf, 0xa>(fill, dpp<dpp_quad_3333>(x)), x);
    if constexpr (Size > 8) /* fours 2 and 3 from lane 7 */
        x = op(upper_half_from_lower(fill, x), x);
    if constexpr (Size > 16)
        x = op(odd_rows_from_even(fill, x), x);
    if constexpr (Size > 32)
        x = op(dpp_into<dpp_row_bcast31, 0xc, 0xf>(fill, x), x);
    return x;
}

/* x of the lane below; of the first lane of a block nothing is said. */
template <int Size, class T> SUBWAVE_DEVICE T lane_below(T x)
{
    if constexpr (Size <= 16)
        return dpp<dpp_row_shr + 1>(x);
    else
        return from_lane_below(x);
}

/* --- what is worked out ------------------------------------------------------------------------------ */

/* f(x, op) in the type to work in. Sums of 64 bits go by words: LLVM takes a 64-bit value made of words of
 * other lanes apart into terms with a word that is 0, and may move its copies of that 0 out of
 * whole-wave mode. */
using word_pair = word_array<2>;
struct plus_pairs {
    SUBWAVE_DEVICE word_pair operator()(word_pair a, word_pair b) const
    {
        word_pair sum;
        const bool carry = __builtin_add_overflow(a.word[0], b.word[0], &sum.word[0]);
        sum.word[1] = a.word[1] + b.word[1] + carry;
        return sum;
    }
};
template <> struct filler<plus_pairs, word_pair> {
    static constexpr bool exists = true;
    static SUBWAVE_DEVICE constexpr word_pair value() { return {{0, 0}}; }
};
template <class Op> inline constexpr bool is_plus_v = false;
template <class T> inline constexpr bool is_plus_v<plus<T>> = true;
template <class T, class Op, class F> SUBWAVE_DEVICE T worked_out(T x, Op op, F f)
{
    if constexpr (is_integer_v<T> && sizeof(T) == 8 && is_plus_v<Op>)
        return __builtin_bit_cast(T, f(__builtin_bit_cast(word_pair, x), plus_pairs()));
    else
        return f(x, op);
}

/* --- ladders over a wave of which lanes may be switched off -------------------------------------- */

template <int Size> using lanes_in_block = std::integral_constant<int, Size>;
using whole_wave = lanes_in_block<wave_size()>;

/* f of x in the lanes that are on and of the filler in the others, which take part. */
template <class T, class Op, class F> SUBWAVE_DEVICE T in_whole_wave(T x, Op, F f)
{
    in_place pin;
    return whole_wave_result(f(whole_wave{}, whole_wave_value(x, filler<Op, T>::value())));
}

/* Blocks are whole. */
template <int Size, class T, class Op, class F>
SUBWAVE_DEVICE T over_lanes(whole_blocks<Size>, T x, Op, F f)
{
    return f(lanes_in_block<Size>{}, x);
}

/* Those who run together are one group. */
template <class T, class Op, class F> SUBWAVE_DEVICE T over_lanes(active_lanes, T x, Op op, F f)
{
    return in_whole_wave(x, op, f);
}
template <class T, class Op, class F> SUBWAVE_DEVICE T over_lanes(first_lanes, T x, Op op, F f)
{
    return in_whole_wave(x, op, f);
}

/* They may be two, the sides of a ballot. Each has its turn. */
template <class T, class Op, class F> SUBWAVE_DEVICE T over_lanes(any_lanes ladder, T x, Op op, F f)
{
    const T fill = filler<Op, T>::value();
    const lane_mask side = wave_first(lane_mask(ladder.lanes));
    const bool here = ladder.lanes == side;
    T result = in_whole_wave(here ? x : fill, op, f);
    if (wave_active(site::current()) != side) {
        T other = in_whole_wave(here ? fill : x, op, f);
        result = here ? result : other;
    }
    return result;
}

/* Where f looks at lower lanes only: those of the first lanes are there. */
template <class Ladder, class T, class Op, class F>
SUBWAVE_DEVICE T over_lower_lanes(Ladder ladder, T x, Op op, F f)
{
    return over_lanes(ladder, x, op, f);
}
template <class T, class Op, class F>
SUBWAVE_DEVICE T over_lower_lanes(first_lanes, T x, Op, F f)
{
    return f(whole_wave{}, x);
}

/* --- the interface of fold.hpp -------------------------------------------------------------------- */

template <class Op, class T, class Ladder>
inline constexpr bool folds_reduce_v =
    filler<Op, T>::exists && (has_whole_wave_mode_v<T> || Ladder::is_whole);
template <class Op, class T, class Ladder>
inline constexpr bool folds_scan_v = folds_reduce_v<Op, T, Ladder>;

template <class Ladder, class T, class Op>
SUBWAVE_DEVICE T fold_reduce(lane_mask, Ladder ladder, T value, Op given)
{
    return worked_out(value, given, [=](auto x, auto op) {
        return over_lanes(ladder, x, op, [=](auto size, auto v) { return reduce_blocks<size()>(v, op); });
    });
}
template <class Ladder, class T, class Op>
SUBWAVE_DEVICE T fold_scan(lane_mask, Ladder ladder, T value, Op given)
{
    return worked_out(value, given, [=](auto x, auto op) {
        return over_lower_lanes(ladder, x, op, [=](auto size, auto v) { return scan_blocks<size()>(v, op); });
    });
}
template <class Ladder, class T, class Op>
SUBWAVE_DEVICE T fold_scan_before(lane_mask, Ladder ladder, T value, Op given)
{
    return worked_out(value, given, [=](auto x, auto op) {
        return over_lower_lanes(ladder, x, op, [=](auto size, auto v) {
            return lane_below<size()>(scan_blocks<size()>(v, op));
        });
    });
}

SUBWAVE_END

#endif
