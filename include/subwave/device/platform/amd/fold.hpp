/* SPDX-License-Identifier: MIT
 * platform/amd/fold.hpp: ladders by DPP: an arithmetic instruction takes one operand from another
 * lane, so a step of a ladder is an instruction. No LDS, and a result for all lanes is a scalar
 * (but not one of 64 bits on gfx10 and later).
 *
 * Lanes that do not count hold what leaves others as they are. Where they may be switched off, the
 * ladder runs in whole-wave mode, in which they are not.
 */
#ifndef SUBWAVE_DEVICE_PLATFORM_AMD_FOLD_HPP
#define SUBWAVE_DEVICE_PLATFORM_AMD_FOLD_HPP

#include <subwave/device/platform/amd/dpp.hpp>
#include <subwave/device/ladder.hpp>

SUBWAVE_BEGIN

/* --- how many lanes a ladder climbs over ----------------------------------------------------- */

/* Blocks of that many lanes, all of which are there and hold a value. */
template <int Size> using lanes_in_block = std::integral_constant<int, Size>;
struct whole_wave : lanes_in_block<wave_size()> {};
/* Whose last lanes may not be there. */
struct partial_wave : whole_wave {};
/* All of whose lanes were switched on. */
struct switched_on_wave : whole_wave {};

template <class Size> SUBWAVE_DEVICE int lane_for(Size) { return wave_lane(); }
SUBWAVE_DEVICE int lane_for(switched_on_wave) { return lane_in_whole_wave(); }

/* Whether LLVM makes one instruction of op(x, y of another lane) where some lanes have no y: it
 * knows the filler. */
template <class Op, class T>
inline constexpr bool knows_filler_v = is_integer_v<T> && sizeof(T) == 4;
template <class Op, class T>
inline constexpr bool knows_filler_v<unfolded<Op>, T> = knows_filler_v<Op, T>;
template <class U, class T> inline constexpr bool knows_filler_v<multiplies<U>, T> = false;

template <class Op, class T, class Size> SUBWAVE_DEVICE T filler_for(Size)
{
    return filler<Op, T>::value();
}
template <class Op, class T> SUBWAVE_DEVICE T filler_for(switched_on_wave)
{
    const T fill = filler<Op, T>::value();
    return knows_filler_v<Op, T> ? fill : whole_wave_constant(fill);
}

/* --- ladders: `size` is one of these, or a number that is the same in all lanes -------------- */

/* Valid in all lanes of a block. */
template <class Size, class T, class Op> SUBWAVE_DEVICE T reduce_blocks(Size size, T x, Op op)
{
    x = dpp_begin(x, op);
    if (size > 1)
        x = dpp_step<dpp_swap_lanes>(x, op);
    if (size > 2)
        x = dpp_step<dpp_swap_pairs>(x, op);
    if (size > 4)
        x = dpp_step<dpp_half_mirror>(x, op);
    if (size > 8)
        x = dpp_step<dpp_mirror>(x, op);
    if constexpr (SUBWAVE_ROWS_BY_BROADCAST) {
        if (size > 16)
            x = dpp_step<dpp_row_bcast15>(x, op); /* right in rows 1 and 3 */
        if (size > 32)
            x = dpp_step<dpp_row_bcast31>(x, op); /* right in row 3 */
        x = dpp_end<dpp_instruction<Op, T>::always>(x);
        if (size > 32)
            return read_lane(x, 63);
        if (size > 16)
            return even_rows_from_odd(x);
        return x;
    } else {
        if (size > 16) {
            const T other = other_row<0>(x);
            /* What is read by v_readlane stays here, and so does what makes it. */
            if constexpr (sizeof(T) == 8 && !std::is_same<Size, switched_on_wave>::value)
                x = dpp_step_from<dpp_same>(x, op, before_branches(other));
            else
                x = dpp_step_from<dpp_same>(x, op, other);
        }
        x = dpp_end<dpp_instruction<Op, T>::always>(x);
        if constexpr (sizeof(T) == 8) /* is computed with in vector registers */
            return x;
        else
            return size > 16 ? read_lane(x, 0) : x;
    }
}

/* Inclusive. */
template <class Size, class T, class Op> SUBWAVE_DEVICE T scan_blocks(Size size, T x, Op op)
{
    constexpr bool all_there = !std::is_same<Size, partial_wave>::value;
    constexpr bool by_mask = std::is_same<Size, lanes_in_block<2>>::value;
    const T fill = filler_for<Op, T>(size);
    const int lane = lane_for(size);
    x = dpp_begin(x, op);
    if (size > 1) /* odd lanes from even ones */
        x = dpp_step_from<dpp_swap_lanes, 0xf, 0xf, all_there>(
            x, op, in_each_row<0x5555, by_mask>(lane, x, fill), fill);
    if (size > 2) /* lanes 2 and 3 of four from lane 1 */
        x = dpp_step_from<dpp_quad_0011>(x, op, in_each_row<0x2222, by_mask>(lane, x, fill), fill);
    if (size > 4) { /* fours 1 and 3 of a row from lanes 3 and 11 */
        if constexpr (SUBWAVE_ROW_READS && dpp_instruction<Op, T>::exists) {
            x = dpp_step<dpp_row_read + 3, 0xf, 0x2>(x, op);
            x = dpp_step<dpp_row_read + 11, 0xf, 0x8>(x, op);
        } else {
            x = op(moved_for<Op>(dpp_into<dpp_row_shr + 4, 0xf, 0xa>(fill, dpp<dpp_quad_3333>(x))),
                   x);
        }
    }
    if (size > 8) { /* fours 2 and 3 from lane 7 */
        if constexpr (SUBWAVE_ROW_READS)
            x = dpp_step<dpp_row_read + 7, 0xf, 0xc>(x, op, fill);
        else
            x = op(moved_for<Op>(upper_half_from_lower(fill, x)), x);
    }
    if constexpr (SUBWAVE_ROWS_BY_BROADCAST) {
        if (size > 16)
            x = dpp_step<dpp_row_bcast15, 0xa>(x, op, fill);
        if (size > 32)
            x = dpp_step<dpp_row_bcast31, 0xc>(x, op, fill);
    } else if (size > 16) {
        x = dpp_step_from<dpp_same, 0xa>(x, op, other_row<15>(x), fill);
    }
    return dpp_end<dpp_instruction<Op, T>::exists>(x);
}

/* x of the lane below; of the first lane of a block nothing is said. */
template <class Size, class T> SUBWAVE_DEVICE T lane_below(Size size, T x)
{
    return size > 16 ? from_lane_below(x) : dpp<dpp_row_shr + 1>(x);
}

/* --- what is worked out ---------------------------------------------------------------------- */

/* f(x, op) of a small float in float: minima and maxima, which need no rounding, and bfloat16. */
template <class Op> inline constexpr bool rounds_v = true;
template <class U> inline constexpr bool rounds_v<minimum<U>> = false;
template <class U> inline constexpr bool rounds_v<maximum<U>> = false;
template <template <class> class Op, class U, class F>
SUBWAVE_DEVICE bfloat16 in_float(bfloat16 x, Op<U>, F f)
{
    using float_op = std::conditional_t<rounds_v<Op<U>>, rounded<Op<float>>, Op<float>>;
    const float result = f(static_cast<float>(x), float_op());
    return bfloat16::from_bits(static_cast<std::uint16_t>(float_bits(result) >> 16));
}
template <template <class> class Op, class U, class F>
SUBWAVE_DEVICE float16 in_float(float16 x, Op<U>, F f)
{
    return float16(f(static_cast<float>(x), Op<float>()));
}

/* f(x, op) of a sum or product of halves in pairs. */
template <template <class> class Op, class U, class F>
SUBWAVE_DEVICE float16 in_pairs(float16 x, Op<U>, F f)
{
    const std::uint32_t word = __builtin_bit_cast(std::uint16_t, x);
    const half_pair result = f(__builtin_bit_cast(half_pair, word), Op<half_pair>());
    return float16::from_bits(
        static_cast<std::uint16_t>(__builtin_bit_cast(std::uint32_t, result)));
}

/* f(x, op) in the type to work in. */
template <class Op> inline constexpr bool is_plus_v = false;
template <class T> inline constexpr bool is_plus_v<plus<T>> = true;
template <class T, class Op, class F> SUBWAVE_DEVICE T worked_out(T x, Op op, F f)
{
    if constexpr (is_integer_v<T> && sizeof(T) == 8 && is_plus_v<Op>)
        return __builtin_bit_cast(T, f(__builtin_bit_cast(word_pair, x), plus_pairs()));
    else if constexpr (is_small_float<T>::value &&
                       !(rounds_v<Op> && std::is_same<T, float16>::value))
        return in_float(x, op, f);
    else
        return f(x, op);
}

/* --- ladders over a wave of which lanes may be switched off ---------------------------------- */

/* f of x in the lanes that are on and of the filler in the others, which take part. */
template <class T, class Op, class F> SUBWAVE_DEVICE T in_whole_wave(T x, Op op, F f)
{
    if constexpr (std::is_same<T, float16>::value && !has_halves_in_whole_wave) {
        return in_pairs(x, op, [=](half_pair pair, auto o) { return in_whole_wave(pair, o, f); });
    } else {
        in_place pin;
        const T value = whole_wave_value(x, filler<Op, T>::value());
        return whole_wave_result(f(switched_on_wave{}, value, unfolded<Op>{op}));
    }
}

/* Blocks are whole. */
template <int Size, class T, class Op, class F>
SUBWAVE_DEVICE T over_lanes(whole_blocks<Size>, T x, Op op, F f)
{
    return f(lanes_in_block<Size>{}, x, op);
}

template <class T, class Op, class F>
SUBWAVE_DEVICE T over_lanes(blocks_alike ladder, T x, Op op, F f)
{
    return f(ladder.size, x, op);
}

/* Those who run together are one group. */
template <class T, class Op, class F> SUBWAVE_DEVICE T over_lanes(active_lanes, T x, Op op, F f)
{
    return in_whole_wave(x, op, f);
}
SUBWAVE_DEVICE bool is_known_whole(first_lanes ladder)
{
    return __builtin_constant_p(ladder.last) && ladder.last == wave_size() - 1;
}
template <class T, class Op, class F>
SUBWAVE_DEVICE T over_lanes(first_lanes ladder, T x, Op op, F f)
{
    return is_known_whole(ladder) ? f(whole_wave{}, x, op) : in_whole_wave(x, op, f);
}

/* They may be sides of a ballot. */
template <class T, class Op, class F> SUBWAVE_DEVICE T over_lanes(any_lanes ladder, T x, Op op, F f)
{
    if constexpr (std::is_same<T, float16>::value && !has_halves_in_whole_wave)
        return in_pairs(x, op,
                        [=](half_pair pair, auto o) { return over_lanes(ladder, pair, o, f); });
    else
        return wave_each_side(ladder.lanes, [&](lane_mask, bool here) {
            return in_whole_wave(here ? x : filler<Op, T>::value(), op, f);
        });
}

/* Blocks, whose size only the running program knows, or sets, which take turns. */
template <class T, class Op, class F>
SUBWAVE_DEVICE T over_lanes(sets_or_blocks ladder, T x, Op op, F f)
{
    if (ladder.size)
        return f(ladder.size, x, op);
    if constexpr (std::is_same<T, float16>::value && !has_halves_in_whole_wave) {
        return in_pairs(x, op,
                        [=](half_pair pair, auto o) { return over_lanes(ladder, pair, o, f); });
    } else {
        const lane_bits lanes = seen_anew(ladder.lanes);
        /* Where no lane is switched off, the ladder needs no whole-wave mode, and is shorter without
         * it. */
        const bool all_are_on = static_cast<lane_bits>(active_ballot(true)) == ~lane_bits(0);
        T result = x;
        SUBWAVE_ROLLED
        for (lane_mask left = active_ballot(lanes != 0); left != 0;) {
            const lane_bits set = read_lane(lanes, lowest_lane(static_cast<lane_bits>(left)));
            const bool here = lanes == set;
            const T x_or_filler = here ? x : filler<Op, T>::value();
            const T of_set =
                all_are_on ? f(whole_wave{}, x_or_filler, op) : in_whole_wave(x_or_filler, op, f);
            result = choose(here, of_set, result);
            left &= ~static_cast<lane_mask>(set);
        }
        return result;
    }
}

/* Where f looks at lower lanes only: those of the first lanes are there. */
template <class Ladder, class T, class Op, class F>
SUBWAVE_DEVICE T over_lower_lanes(Ladder ladder, T x, Op op, F f)
{
    return over_lanes(ladder, x, op, f);
}
template <class T, class Op, class F>
SUBWAVE_DEVICE T over_lower_lanes(first_lanes ladder, T x, Op op, F f)
{
    return is_known_whole(ladder) ? f(whole_wave{}, x, op) : f(partial_wave{}, x, op);
}

/* --- the interface of fold.hpp --------------------------------------------------------------- */

template <class Op, class T, class Ladder>
inline constexpr bool folds_reduce_v =
    filler<Op, T>::exists && (has_whole_wave_mode || Ladder::is_whole);
template <class Op, class T> inline constexpr bool folds_reduce_v<Op, T, many_sets> = false;
template <class Op, class T, class Ladder>
inline constexpr bool folds_scan_v = folds_reduce_v<Op, T, Ladder>;

template <class Ladder, class T, class Op>
SUBWAVE_DEVICE T fold_reduce(lane_mask, Ladder ladder, T value, Op given)
{
    return worked_out(value, given, [=](auto x, auto op) {
        return over_lanes(ladder, x, op,
                          [](auto size, auto v, auto o) { return reduce_blocks(size, v, o); });
    });
}
template <class Ladder, class T, class Op>
SUBWAVE_DEVICE T fold_scan(lane_mask, Ladder ladder, T value, Op given)
{
    return worked_out(value, given, [=](auto x, auto op) {
        return over_lower_lanes(ladder, x, op,
                                [](auto size, auto v, auto o) { return scan_blocks(size, v, o); });
    });
}
template <class Ladder, class T, class Op>
SUBWAVE_DEVICE T fold_scan_before(lane_mask, Ladder ladder, T value, Op given)
{
    return apart(worked_out(value, given, [=](auto x, auto op) {
        return over_lower_lanes(ladder, x, op, [](auto size, auto v, auto o) {
            return lane_below(size, scan_blocks(size, v, o));
        });
    }));
}

SUBWAVE_END

#endif
