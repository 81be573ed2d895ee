/* SPDX-License-Identifier: MIT
 * platform/amd/rows.hpp: lanes of a row of 16 that read each other, and whole-wave mode.
 */
#ifndef SUBWAVE_DEVICE_PLATFORM_AMD_ROWS_HPP
#define SUBWAVE_DEVICE_PLATFORM_AMD_ROWS_HPP

SUBWAVE_BEGIN

/* `value` in the lanes of each row that the constant's bits name, `other` elsewhere. LLVM 15 knows
 * no masks of lanes: it works out from `lane`, this one, which it is, or is given a mask in
 * assembly, which is shorter where that is done once, and must not be in whole-wave mode. */
#if __clang_major__ >= 17
__device__ bool wave64_constant(unsigned long long) __asm("llvm.amdgcn.inverse.ballot.i64");
__device__ bool wave32_constant(unsigned) __asm("llvm.amdgcn.inverse.ballot.i32");
template <unsigned Lanes, bool ByMask, class T>
SUBWAVE_DEVICE T in_each_row(int, const T &value, const T &other)
{
    if constexpr (wave_size() == 64)
        return wave64_constant(Lanes * 0x1000100010001u) ? value : other;
    else
        return wave32_constant(Lanes * 0x10001u) ? value : other;
}
SUBWAVE_DEVICE int lane_in_whole_wave() { return 0; }
#else
template <unsigned Lanes, bool ByMask, class T>
SUBWAVE_DEVICE T in_each_row(int lane, const T &value, const T &other)
{
    static_assert(Lanes == (Lanes & 0xf) * 0x1111);
    using mask = std::conditional_t<wave_size() == 64, std::uint64_t, std::uint32_t>;
    if constexpr (!ByMask)
        return (Lanes & 0xf) >> (lane & 3) & 1 ? value : other;
    else
        return map_words(
            value,
            [](std::uint32_t word, std::uint32_t otherwise) {
                asm("v_cndmask_b32_e64 %0, %1, %0, %2"
                    : "+v"(word)
                    : "v"(otherwise), "s"(static_cast<mask>(Lanes * 0x1000100010001u)));
                return word;
            },
            other);
}
/* wave_lane(), worked out anew. LLVM 15 takes a vector register that both sides of a branch read
 * for free to overwrite at its last use in the first side; in whole-wave mode that overwrites it
 * for the second side too. */
SUBWAVE_DEVICE int lane_in_whole_wave()
{
    std::uint32_t all;
    asm volatile("s_mov_b32 %0, -1" : "=s"(all));
    return lanes_below(all | static_cast<lane_mask>(all) << 32);
}
#endif

/* DPP: lanes of a row of 16 read each other within the arithmetic instruction itself, into which
 * the compiler folds the move. */
enum dpp_control {
    dpp_swap_lanes = 0xb1,   /* quad_perm:[1,0,3,2] */
    dpp_swap_pairs = 0x4e,   /* quad_perm:[2,3,0,1] */
    dpp_quad_0011 = 0x50,    /* quad_perm:[0,0,1,1] */
    dpp_quad_0012 = 0x90,    /* quad_perm:[0,0,1,2] */
    dpp_quad_0022 = 0xa0,    /* quad_perm:[0,0,2,2] */
    dpp_quad_1133 = 0xf5,    /* quad_perm:[1,1,3,3] */
    dpp_quad_1233 = 0xf9,    /* quad_perm:[1,2,3,3] */
    dpp_quad_3333 = 0xff,    /* quad_perm:[3,3,3,3] */
    dpp_same = 0xe4,         /* quad_perm:[0,1,2,3] */
    dpp_row_shl = 0x100,     /* + n: the lane n above */
    dpp_row_shr = 0x110,     /* + n: the lane n below */
    dpp_row_ror = 0x120,     /* + n: the lane n below, around the row */
    dpp_wave_shl1 = 0x130,   /* gfx9: the lane above, across rows */
    dpp_wave_shr1 = 0x138,   /* gfx9: the lane below, across rows */
    dpp_mirror = 0x140,      /* 15 - lane, of a row */
    dpp_half_mirror = 0x141, /* 7 - lane, of eight */
    dpp_row_bcast15 = 0x142, /* gfx9: the last lane of the row below */
    dpp_row_bcast31 = 0x143, /* gfx9: lane 31 */
    dpp_row_read = 0x150,    /* + n: row_newbcast or row_share, lane n */
    dpp_row_xor = 0x160,     /* + n: gfx10 and later, lane ^ n */
};

/* A lane whose source is not there receives 0. */
template <int Control, class T> SUBWAVE_DEVICE T dpp(const T &value)
{
    in_place pin;
    return map_words(value, [](std::uint32_t word) {
        return static_cast<std::uint32_t>(
            __builtin_amdgcn_mov_dpp(static_cast<int>(word), Control, 0xf, 0xf, true));
    });
}

/* Into the rows of a wave and the fours of a row that the masks name; elsewhere, and in lanes whose
 * source is not there, it is `other`. */
template <int Control, int Rows, int Fours, class T>
SUBWAVE_DEVICE T dpp_into(T other, const T &value)
{
    in_place pin;
    return map_words(
        value,
        [](std::uint32_t word, std::uint32_t old) {
            return static_cast<std::uint32_t>(__builtin_amdgcn_update_dpp(
                static_cast<int>(old), static_cast<int>(word), Control, Rows, Fours, false));
        },
        other);
}

/* LLVM before 24 folds a move also into an instruction that makes 64 bits of a word, such as
 * v_cvt_f64_i32 or v_mad_u64_u32, which has no DPP: gfx12 then meets code that means nothing, and
 * for other architectures compilation fails. So what was moved stays apart from operations that are
 * not known; neither way is an instruction. Doubles are used whole. */
template <class T> SUBWAVE_DEVICE T apart(const T &moved)
{
    if constexpr (__clang_major__ >= 24 || std::is_same<T, double>::value)
        return moved;
    else
        return map_words(moved, [](std::uint32_t word) {
            asm("" : "+v"(word));
            return word;
        });
}
/* The same in whole-wave mode, whose registers LLVM gives to no assembly. */
__device__ float arithmetic_fence(float) __asm("llvm.arithmetic.fence.f32");
template <class T> SUBWAVE_DEVICE T apart_in_whole_wave(const T &moved)
{
    return map_words(
        moved, [](std::uint32_t word) { return float_bits(arithmetic_fence(bits_float(word))); });
}

/* v_permlanex16: of the other row of 32 lanes the lane that a digit names, each lane's own. Where
 * that lane may not be there, the own value stays, of which there must then be a copy. (LLVM 15 has
 * no right encoding for the form without.) */
template <std::uint64_t Lanes, bool KeepsOwn = false, class T>
SUBWAVE_DEVICE T other_row_lanes(const T &value)
{
    in_place pin;
    return map_words(value, [](std::uint32_t word) {
        const int w = static_cast<int>(word);
        return static_cast<std::uint32_t>(__builtin_amdgcn_permlanex16(
            w, w, static_cast<int>(Lanes), static_cast<int>(Lanes >> 32), false,
            !KeepsOwn && __clang_major__ >= 19));
    });
}
/* What v_permlanex16 gave, where no instruction that LLVM leaves in its place takes it at once.
 * LLVM before 21 moves the former into a branch that alone uses its result, where the lanes that it
 * reads may be switched off. Not for whole-wave mode. */
template <class T> SUBWAVE_DEVICE T before_branches(const T &moved)
{
    if constexpr (__clang_major__ >= 21)
        return moved;
    else
        return map_words(moved, [](std::uint32_t word) {
            asm volatile("" : "+v"(word));
            return word;
        });
}
template <int Lane, bool KeepsOwn = false, class T> SUBWAVE_DEVICE T other_row(const T &value)
{
    return other_row_lanes<Lane * 0x1111111111111111u, KeepsOwn>(value);
}

/* Lane 7 of the row, into fours 2 and 3. */
template <class T> SUBWAVE_DEVICE T upper_half_from_lower(T other, const T &value)
{
    if constexpr (SUBWAVE_ROW_READS) {
        return dpp_into<dpp_row_read + 7, 0xf, 0xc>(other, value);
    } else {
        const T last = dpp<dpp_quad_3333>(value);
        other = dpp_into<dpp_row_shr + 4, 0xf, 0x4>(other, last);
        return dpp_into<dpp_row_shr + 8, 0xf, 0x8>(other, last);
    }
}

/* The last lane of the row below, into rows 1 and 3. */
template <class T> SUBWAVE_DEVICE T odd_rows_from_even(T other, const T &value)
{
    if constexpr (SUBWAVE_ROWS_BY_BROADCAST)
        return dpp_into<dpp_row_bcast15, 0xa, 0xf>(other, value);
    else
        return dpp_into<dpp_same, 0xa, 0xf>(other, other_row<15>(value));
}

/* gfx9: what all lanes of rows 1 and 3 hold, into the rows below. */
template <class T> SUBWAVE_DEVICE T even_rows_from_odd(const T &value)
{
    if constexpr (SUBWAVE_ROW_READS) {
        const T below = dpp<dpp_wave_shl1>(value); /* right in lanes 15 and 47 */
        return dpp_into<dpp_row_read + 15, 0x5, 0xf>(value, below);
    } else {
        return choose(wave_lane() < 32, read_lane(value, 31), read_lane(value, 63));
    }
}

/* The value of the lane below; that of lane 0 is not specified. */
template <class T> SUBWAVE_DEVICE T from_lane_below(const T &value)
{
    if constexpr (SUBWAVE_ROWS_BY_BROADCAST)
        return dpp<dpp_wave_shr1>(value);
    else
        return dpp_into<dpp_row_shr + 1, 0xf, 0xf>(other_row<15>(value), value);
}

/* Unoptimised code in whole-wave mode has had no test: the emulator cannot run it. */
#ifdef __OPTIMIZE__
constexpr bool has_whole_wave_mode = true;
#else
constexpr bool has_whole_wave_mode = false;
#endif
/* On gfx11 LLVM 21 and later keep values of 16 bits in halves of registers, and put what made the
 * other half into whole-wave mode as well, be it a ballot; nor can they spill such a half. */
#if defined(__GFX11__) && __clang_major__ >= 21
constexpr bool has_halves_in_whole_wave = false;
#else
constexpr bool has_halves_in_whole_wave = true;
#endif

/* Whole-wave mode, in which lanes are on that EXEC had switched off: from a value for these to a
 * result, which is for the others. clang has no builtins for the two ends. */
__device__ int set_inactive(int, int) __asm("llvm.amdgcn.set.inactive.i32");
__device__ int strict_wwm(int) __asm("llvm.amdgcn.strict.wwm.i32");
template <class T> SUBWAVE_DEVICE T whole_wave_value(const T &value, const T &inactive)
{
    return map_words(
        value,
        [](std::uint32_t word, std::uint32_t other) {
            asm volatile("" : "+v"(word)); /* LLVM 15 takes two of the same word for one */
            return static_cast<std::uint32_t>(
                set_inactive(static_cast<int>(word), static_cast<int>(other)));
        },
        inactive);
}
template <class T> SUBWAVE_DEVICE T whole_wave_result(const T &value)
{
    return map_words(value, [](std::uint32_t word) {
        return static_cast<std::uint32_t>(strict_wwm(static_cast<int>(word)));
    });
}

/* A constant for whole-wave mode alone. One that a kernel has elsewhere too LLVM keeps in one
 * vector register, whose neighbours and whose uses it then takes for ones in this mode, and
 * overwrites for lanes that still need them. */
template <class T> SUBWAVE_DEVICE T whole_wave_constant(const T &value)
{
    return map_words(value, [](std::uint32_t word) {
        asm volatile("" : "+s"(word));
        return word;
    });
}

SUBWAVE_END

#endif
