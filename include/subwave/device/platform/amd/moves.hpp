/* SPDX-License-Identifier: MIT
 * platform/amd/moves.hpp: moves by a constant, by DPP where it can.
 */
#ifndef SUBWAVE_DEVICE_PLATFORM_AMD_MOVES_HPP
#define SUBWAVE_DEVICE_PLATFORM_AMD_MOVES_HPP

SUBWAVE_BEGIN

SUBWAVE_DEVICE bool wave_knows(std::uint32_t number) { return __builtin_constant_p(number); }

/* f(integral_constant<int, n>) for the n of Count that `number` is, known when optimising. */
template <int Count, class T, class F> SUBWAVE_DEVICE T for_constant(std::uint32_t number, T x, F f)
{
    if constexpr (Count > 0)
        return number == Count - 1 ? f(std::integral_constant<int, Count - 1>())
                                   : for_constant<Count - 1>(number, x, f);
    else
        return x;
}

/* The one move to lane ^ mask, 0 < mask < 16; 0 if there is none. */
SUBWAVE_DEVICE constexpr int xor_control(int mask)
{
    if (mask < 4)
        return mask | (1 ^ mask) << 2 | (2 ^ mask) << 4 | (3 ^ mask) << 6;
    if (!SUBWAVE_ROWS_BY_BROADCAST)
        return dpp_row_xor + mask;
    return mask == 7 ? dpp_half_mirror : mask == 8 ? dpp_row_ror + 8 : mask == 15 ? dpp_mirror : 0;
}

/* v of lane ^ mask, 0 < mask < 16. */
template <int Mask, class T> SUBWAVE_DEVICE T xor_in_row(const T &value)
{
    if constexpr (xor_control(Mask) != 0)
        return dpp<xor_control(Mask)>(value);
    else if constexpr (Mask > 8)
        return dpp<dpp_row_ror + 8>(xor_in_row<Mask - 8>(value));
    else if constexpr (Mask == 4)
        return dpp_into<dpp_row_shr + 4, 0xf, 0xa>(dpp<dpp_row_shl + 4>(value), value);
    else
        return xor_in_row<7>(xor_in_row < 7 ^ Mask > (value));
}

template <int Size, class T>
SUBWAVE_DEVICE T wave_xor_block(lane_mask members, const T &value, std::uint32_t mask, site where)
{
    if (wave_knows(mask) && mask < 16)
        return for_constant<16>(mask, value, [&](auto m) {
            if constexpr (m() == 0)
                return value;
            else
                return apart(xor_in_row<m()>(value));
        });
    if constexpr (!SUBWAVE_ROWS_BY_BROADCAST)
        if (wave_knows(mask) && mask == 16)
            return before_branches(other_row_lanes<0xfedcba9876543210u>(value));
    return wave_shuffle(members, value, wave_lane() ^ static_cast<int>(mask), where);
}

SUBWAVE_DEVICE bool wave_xors_partial(std::uint32_t mask)
{
    return wave_knows(mask) && mask > 0 && mask < 16 && xor_control(static_cast<int>(mask)) != 0;
}

template <class T>
SUBWAVE_DEVICE T wave_xor_partial(lane_mask, const T &value, std::uint32_t mask, site)
{
    return for_constant<16>(mask, value, [&](auto m) {
        if constexpr (m() == 0 || xor_control(m()) == 0)
            return value;
        else
            return apart(dpp_into<xor_control(m()), 0xf, 0xf>(value, value));
    });
}

template <class T>
SUBWAVE_DEVICE T wave_sibling(lane_mask members, const T &value, int size, site where)
{
    if (size == 4)
        return apart(dpp<dpp_half_mirror>(value));
    if (size == 8)
        return apart(dpp<dpp_mirror>(value));
    return wave_xor_block<wave_size()>(members, value, static_cast<std::uint32_t>(size), where);
}

/* Lane `id` of the block, a constant, into all of its lanes. */
template <int Size, int Id, class T> SUBWAVE_DEVICE T block_lane(const T &value)
{
    if constexpr (Size == 2)
        return dpp < Id * 0x55 | 0xa0 > (value);
    else if constexpr (Size == 4)
        return dpp<Id * 0x55>(value);
    else if constexpr (Size == 8)
        return dpp_into<dpp_row_read + 8 + Id, 0xf, 0xc>(dpp<dpp_row_read + Id>(value), value);
    else if constexpr (Size == 16)
        return dpp<dpp_row_read + Id>(value);
    else { /* of two rows */
        const T of_row = dpp<dpp_row_read + Id % 16>(value);
        if constexpr (Id < 16)
            return dpp_into<dpp_row_bcast15, 0xa, 0xf>(of_row, of_row);
        else
            return even_rows_from_odd(of_row);
    }
}

template <int Size, class T>
SUBWAVE_DEVICE T wave_broadcast_block(lane_mask members, const T &value, std::uint32_t id,
                                      site where)
{
    if constexpr (Size == wave_size())
        return read_lane(value, static_cast<int>(id));
    else if constexpr (Size == 1)
        return value;
    else if constexpr (Size < 8 || SUBWAVE_ROW_READS) {
        if (wave_knows(id))
            return for_constant<Size>(
                id, value, [&](auto lane) { return apart(block_lane<Size, lane()>(value)); });
    } else if constexpr (Size == 32) {
        if (wave_knows(id)) {
            const T lower = read_lane(value, static_cast<int>(id));
            const T upper = read_lane(value, 32 + static_cast<int>(id));
            return choose(wave_lane() < 32, lower, upper);
        }
    }
    return wave_shuffle(members, value, (wave_lane() & -Size) + static_cast<int>(id), where);
}

/* Lanes that do not exist are as good as switched off: who would read one keeps its own. Each move
 * is for more lanes than it is right in, and the next one for the others. */
constexpr bool wave_shifts_partial = true;
template <int Size, bool FromBelow, class T> SUBWAVE_DEVICE T shift_one(const T &value)
{
    constexpr int in_row = (FromBelow ? dpp_row_shr : dpp_row_shl) + 1;
    constexpr int in_wave = FromBelow ? dpp_wave_shr1 : dpp_wave_shl1;
    constexpr int in_four = FromBelow ? dpp_quad_0012 : dpp_quad_1233; /* the end keeps its own */
    if constexpr (Size == 1) {
        return value;
    } else if constexpr (Size == 2) {
        return dpp<FromBelow ? dpp_quad_0022 : dpp_quad_1133>(value);
    } else if constexpr (Size == 4) {
        return dpp<in_four>(value);
    } else if constexpr (Size == 8) {
        return dpp_into<in_row, 0xf, FromBelow ? 0xa : 0x5>(dpp<in_four>(value), value);
    } else if constexpr (Size == 16) {
        return dpp_into<in_row, 0xf, 0xf>(value, value);
    } else if constexpr (SUBWAVE_ROWS_BY_BROADCAST) {
        const T moved = dpp_into<in_wave, 0xf, 0xf>(value, value);
        if constexpr (Size == wave_size())
            return moved;
        else /* lanes 32 or 31 */
            return dpp_into<in_four, FromBelow ? 0x4 : 0x2, FromBelow ? 0x1 : 0x8>(moved, value);
    } else if constexpr (FromBelow) {
        const T own = dpp_into<dpp_same, 0x1, 0x1>(other_row<15>(value), value);
        return dpp_into<in_row, 0xf, 0xf>(own, value);
    } else { /* of row 0, too, lanes may be the last that are there */
        const T own = dpp_into<dpp_same, 0x2, 0xf>(other_row<0, true>(value), value);
        return dpp_into<in_row, 0xf, 0xf>(own, value);
    }
}
template <int Size, bool FromBelow, class T>
SUBWAVE_DEVICE T wave_shift_one(lane_mask, const T &value, site)
{
    return apart(shift_one<Size, FromBelow>(value));
}

template <class T> SUBWAVE_DEVICE T wave_shift_in(lane_mask, const T &value, const T &first, site)
{
    if constexpr (SUBWAVE_ROWS_BY_BROADCAST)
        return apart(dpp_into<dpp_wave_shr1, 0xf, 0xf>(first, value));
    else
        return choose(wave_lane() == 0, first, apart(from_lane_below(value)));
}

SUBWAVE_END

#endif
