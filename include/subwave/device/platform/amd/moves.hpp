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

/* v of lane ^ mask, 0 < mask < 16. */
template <int Mask, class T> SUBWAVE_DEVICE T xor_in_row(const T &value)
{
    if constexpr (Mask < 4)
        return dpp < Mask | (1 ^ Mask) << 2 | (2 ^ Mask) << 4 | (3 ^ Mask) << 6 > (value);
    else if constexpr (!SUBWAVE_ROWS_BY_BROADCAST)
        return dpp<dpp_row_xor + Mask>(value);
    else if constexpr (Mask == 7)
        return dpp<dpp_half_mirror>(value);
    else if constexpr (Mask == 8)
        return dpp<dpp_row_ror + 8>(value);
    else if constexpr (Mask == 15)
        return dpp<dpp_mirror>(value);
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
            return other_row_lanes<0xfedcba9876543210u>(value);
    return wave_shuffle(members, value, wave_lane() ^ static_cast<int>(mask), where);
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
    else
        return dpp<dpp_row_read + Id>(value);
}

template <int Size, class T>
SUBWAVE_DEVICE T wave_broadcast_block(lane_mask members, const T &value, std::uint32_t id,
                                      site where)
{
    if constexpr (Size == wave_size())
        return read_lane(value, static_cast<int>(id));
    if constexpr (Size == 1)
        return value;
    else if constexpr (Size < 8 || (Size < 32 && SUBWAVE_ROW_READS)) {
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

/* Lanes that do not exist are as good as switched off: who would read one keeps its own. */
constexpr bool wave_shifts_partial = true;
template <int Size, bool FromBelow, class T>
SUBWAVE_DEVICE T wave_shift_one(lane_mask, const T &value, site)
{
    constexpr int by_one = (FromBelow ? dpp_row_shr : dpp_row_shl) + 1;
    constexpr int across = FromBelow ? dpp_wave_shr1 : dpp_wave_shl1;
    if constexpr (Size <= 16) {
        constexpr unsigned firsts = Size == 1   ? 0xffff
                                    : Size == 2 ? 0x5555
                                    : Size == 4 ? 0x1111
                                                : 0x0101;
        constexpr unsigned ends = FromBelow ? firsts : firsts << (Size - 1) & 0xffff;
        const T moved = apart(dpp_into<by_one, 0xf, 0xf>(value, value));
        return Size < 16 ? choose(in_each_row<ends>(wave_lane()), value, moved) : moved;
    }
    const bool at_end = (wave_lane() & (Size - 1)) == (FromBelow ? 0 : Size - 1);
    if constexpr (SUBWAVE_ROWS_BY_BROADCAST) {
        const T moved = apart(dpp_into<across, 0xf, 0xf>(value, value));
        return Size < 64 ? choose(at_end, value, moved) : moved;
    } else {
        const T next_row = other_row<FromBelow ? 15 : 0>(value);
        const bool at_row_end = in_each_row<FromBelow ? 0x0001 : 0x8000>(wave_lane());
        const T moved =
            apart(dpp_into<by_one, 0xf, 0xf>(choose(at_row_end, next_row, value), value));
        return choose(at_end, value, moved);
    }
}

SUBWAVE_END

#endif
