/* SPDX-License-Identifier: MIT
 * wave_amd.hpp: the wave primitives as AMD instructions, a function an instruction or idiom.
 */
#ifndef SUBWAVE_DEVICE_WAVE_AMD_HPP
#define SUBWAVE_DEVICE_WAVE_AMD_HPP

#include <subwave/device/words.hpp>

SUBWAVE_BEGIN

/* float4 and its like, which have constructors of their own in ROCm 5. */
template <class T, unsigned Rank>
inline constexpr bool moves_as_bytes_v<HIP_vector_type<T, Rank>> = true;

/* v_mbcnt: set bits of `mask` below this lane. */
SUBWAVE_DEVICE int lanes_below(lane_mask mask)
{
    int low = __builtin_amdgcn_mbcnt_lo(static_cast<std::uint32_t>(mask), 0);
    return wave_size() == 64
               ? __builtin_amdgcn_mbcnt_hi(static_cast<std::uint32_t>(mask >> 32), low)
               : low;
}

SUBWAVE_DEVICE int wave_lane() { return lanes_below(~lane_mask(0)); }

/* v_readfirstlane: tells the compiler what it cannot see, that `value` is the same in all lanes. */
SUBWAVE_DEVICE int wave_uniform(int value) { return __builtin_amdgcn_readfirstlane(value); }

/* Who calls is what EXEC says. */
SUBWAVE_DEVICE lane_mask wave_whole(lane_mask) { return ~lane_mask(0); }

/* Around what depends on the lanes that run it. LLVM 15 takes equal instructions at the start of a
 * branch's two sides to its front, and at their end behind it, where the lanes of both would run
 * them together. It moves nothing past a nomerge call, be it of no instruction. */
__device__ void no_instruction() __asm("llvm.sideeffect");
struct in_place {
    SUBWAVE_DEVICE in_place() { [[clang::nomerge]] no_instruction(); }
    SUBWAVE_DEVICE ~in_place() { [[clang::nomerge]] no_instruction(); }
};

/* v_cmp into a scalar pair: the active lanes with p true. */
SUBWAVE_DEVICE lane_mask active_ballot(bool p)
{
    in_place pin;
#if __has_builtin(__builtin_amdgcn_ballot_w64)
    if (wave_size() == 64)
        return __builtin_amdgcn_ballot_w64(p);
#endif
    return __ballot(p);
}

/* EXEC. Volatile: two ballots of `true` may become one although lanes have left in between. */
SUBWAVE_DEVICE lane_mask wave_active(site)
{
    in_place pin;
    if (wave_size() == 64) {
        std::uint64_t exec;
        asm volatile("s_mov_b64 %0, exec" : "=s"(exec));
        return exec;
    }
    std::uint32_t exec;
    asm volatile("s_mov_b32 %0, exec_lo" : "=s"(exec));
    return exec;
}

SUBWAVE_DEVICE lane_mask wave_opportunistic(site where) { return wave_active(where); }

SUBWAVE_DEVICE lane_mask wave_ballot(lane_mask members, bool p, site)
{
    return active_ballot(p) & members;
}

/* ds_bpermute: through the LDS crossbar, no LDS memory. */
template <class T>
SUBWAVE_DEVICE T wave_shuffle(lane_mask, const T &value, int source_lane, site)
{
    in_place pin;
    return map_words(value, [source_lane](std::uint32_t word) {
        return static_cast<std::uint32_t>(
            __builtin_amdgcn_ds_bpermute(source_lane * 4, static_cast<int>(word)));
    });
}

/* v_readlane into a scalar register. */
template <class T> SUBWAVE_DEVICE T read_lane(const T &value, int lane)
{
    in_place pin;
    return map_words(value, [lane](std::uint32_t word) {
        return static_cast<std::uint32_t>(
            __builtin_amdgcn_readlane(static_cast<int>(word), lane));
    });
}

template <class T>
SUBWAVE_DEVICE T wave_broadcast(lane_mask, const T &value, int source_lane, site)
{
    return read_lane(value, source_lane);
}

/* v_readfirstlane */
template <class T> SUBWAVE_DEVICE T wave_first(const T &value)
{
    in_place pin;
    return map_words(value, [](std::uint32_t word) {
        return static_cast<std::uint32_t>(
            __builtin_amdgcn_readfirstlane(static_cast<int>(word)));
    });
}

constexpr __host__ __device__ int wave_team_size() { return wave_size(); }

template <class T>
SUBWAVE_DEVICE T wave_broadcast_in_team(lane_mask members, const T &value, int item, site where)
{
    return wave_broadcast(members, value, item, where);
}

/* v_readlane takes one lane for all; groups that run together each have their own. */
template <class T>
SUBWAVE_DEVICE T wave_broadcast_each(lane_mask members, const T &value, int source_lane, site where)
{
    return wave_shuffle(members, value, source_lane, where);
}

/* DPP: lanes of a row of 16 read each other within the arithmetic instruction itself, into which the
 * compiler folds the move. */
enum dpp_control {
    dpp_swap_lanes = 0xb1,   /* quad_perm:[1,0,3,2] */
    dpp_swap_pairs = 0x4e,   /* quad_perm:[2,3,0,1] */
    dpp_quad_0011 = 0x50,    /* quad_perm:[0,0,1,1] */
    dpp_quad_3333 = 0xff,    /* quad_perm:[3,3,3,3] */
    dpp_same = 0xe4,         /* quad_perm:[0,1,2,3] */
    dpp_row_shr = 0x110,     /* + n: the lane n below */
    dpp_wave_shr1 = 0x138,   /* gfx9: the lane below, across rows */
    dpp_mirror = 0x140,      /* 15 - lane, of a row */
    dpp_half_mirror = 0x141, /* 7 - lane, of eight */
    dpp_row_bcast15 = 0x142, /* gfx9: the last lane of the row below */
    dpp_row_bcast31 = 0x143, /* gfx9: lane 31 */
    dpp_row_read = 0x150,    /* + n: row_newbcast or row_share, lane n */
};

/* What it says of lanes whose source is not there is 0. */
template <int Control, class T> SUBWAVE_DEVICE T dpp(const T &value)
{
    in_place pin;
    return map_words(value, [](std::uint32_t word) {
        return static_cast<std::uint32_t>(
            __builtin_amdgcn_mov_dpp(static_cast<int>(word), Control, 0xf, 0xf, true));
    });
}

/* Into the rows of a wave and the fours of a row that the masks name; elsewhere, and in lanes whose source
 * is not there, it is `other`. */
template <int Control, int Rows, int Fours, class T> SUBWAVE_DEVICE T dpp_into(T other, const T &value)
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

/* v_permlanex16: lane Lane of the other row of 32 lanes. */
template <int Lane, class T> SUBWAVE_DEVICE T other_row(const T &value)
{
    in_place pin;
    return map_words(value, [](std::uint32_t word) {
        constexpr int lanes = Lane * 0x11111111u;
        const int w = static_cast<int>(word);
        return static_cast<std::uint32_t>(
            __builtin_amdgcn_permlanex16(w, w, lanes, lanes, false, false));
    });
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

/* The lane below; of lane 0 it says nothing. */
template <class T> SUBWAVE_DEVICE T from_lane_below(const T &value)
{
    if constexpr (SUBWAVE_ROWS_BY_BROADCAST)
        return dpp<dpp_wave_shr1>(value);
    else
        return dpp_into<dpp_row_shr + 1, 0xf, 0xf>(other_row<15>(value), value);
}

/* Whether the lane is one of those of its four that the constant's bits name. */
#if __clang_major__ >= 17
__device__ bool wave64_constant(unsigned long long) __asm("llvm.amdgcn.inverse.ballot.i64");
__device__ bool wave32_constant(unsigned) __asm("llvm.amdgcn.inverse.ballot.i32");
template <unsigned Lanes> SUBWAVE_DEVICE bool in_each_four()
{
    if constexpr (wave_size() == 64)
        return wave64_constant(Lanes * 0x1111111111111111u);
    else
        return wave32_constant(Lanes * 0x11111111u);
}
#else
template <unsigned Lanes> SUBWAVE_DEVICE bool in_each_four()
{
    return Lanes >> (wave_lane() & 3) & 1;
}
#endif

/* Whether values of T may be in whole-wave mode. Unoptimised code has had no test: the emulator cannot run
 * it. On gfx11 LLVM 21 and later keep 16-bit values in halves of registers, and put what made the other half
 * into whole-wave mode as well, be it a ballot. */
#if !defined(__OPTIMIZE__)
template <class T> inline constexpr bool has_whole_wave_mode_v = false;
#elif defined(__GFX11__) && __clang_major__ >= 21
template <class T> inline constexpr bool has_whole_wave_mode_v = sizeof(T) != 2;
#else
template <class T> inline constexpr bool has_whole_wave_mode_v = true;
#endif

/* Whole-wave mode, in which lanes are on that EXEC had switched off: from a value for these to a result,
 * which is for the others. clang has no builtins for the two ends. */
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

template <class T>
SUBWAVE_DEVICE T wave_sibling(lane_mask members, const T &value, int size, site where)
{
    if (size == 1)
        return dpp<dpp_swap_lanes>(value);
    if (size == 2)
        return dpp<dpp_swap_pairs>(value);
    if (size == 4)
        return dpp<dpp_half_mirror>(value);
    if (size == 8)
        return dpp<dpp_mirror>(value);
    if constexpr (!SUBWAVE_ROWS_BY_BROADCAST)
        return other_row<0>(value);
    else
        return wave_shuffle(members, value, wave_lane() ^ size, where);
}

/* v_cvt: rounds to nearest even. */
SUBWAVE_DEVICE std::uint16_t half_bits(float value)
{
    return __builtin_bit_cast(std::uint16_t, static_cast<_Float16>(value));
}
SUBWAVE_DEVICE float half_value(std::uint16_t bits)
{
    return static_cast<float>(__builtin_bit_cast(_Float16, bits));
}

constexpr int wave_straight_steps = 4;
SUBWAVE_DEVICE void keep_order() { __builtin_amdgcn_sched_barrier(0); }
SUBWAVE_DEVICE int computed_anew(int value) { return value; }

/* A pointer that was read from memory; with its address space loads need not ask whether it is local. */
template <class T> SUBWAVE_DEVICE T *in_global_memory(T *x)
{
    using global = __attribute__((address_space(1))) T;
    return (T *)(global *)reinterpret_cast<std::uintptr_t>(x);
}

/* A copy is a load and a store, which need no waiting for. */
template <class T> SUBWAVE_DEVICE void copy_to_local(T *local, const T *global) { *local = *global; }
SUBWAVE_DEVICE void copies_to_local_done() {}

/* No matrix unit is used. */
template <class T> inline constexpr bool wave_multiplies_matrices = false;
template <class T>
SUBWAVE_DEVICE void wave_multiply_16x8x8(const T (&)[4], const T (&)[2], T &, T &, T &, T &);

/* Lanes run in lockstep, but the compiler may move memory accesses across unless told. */
SUBWAVE_DEVICE void wave_barrier(lane_mask, site)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

SUBWAVE_DEVICE void block_barrier(site) { __syncthreads(); }

SUBWAVE_END

#include <subwave/device/wave_gpu.hpp>

#endif
