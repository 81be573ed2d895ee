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

SUBWAVE_DEVICE lane_mask wave_whole(lane_mask members) { return members; }

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
template <class T>
SUBWAVE_DEVICE T wave_broadcast(lane_mask, const T &value, int source_lane, site)
{
    in_place pin;
    return map_words(value, [source_lane](std::uint32_t word) {
        return static_cast<std::uint32_t>(
            __builtin_amdgcn_readlane(static_cast<int>(word), source_lane));
    });
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
    dpp_swap_lanes = 0xb1,  /* quad_perm:[1,0,3,2] */
    dpp_swap_pairs = 0x4e,  /* quad_perm:[2,3,0,1] */
    dpp_half_mirror = 0x141, /* 7 - lane, of eight */
    dpp_mirror = 0x140,      /* 15 - lane, of a row */
    dpp_row_bcast15 = 0x142, /* gfx9: the last lane of the row below */
    dpp_row_bcast31 = 0x143, /* gfx9: lane 31 */
};
template <int Control, class T> SUBWAVE_DEVICE T dpp(const T &value)
{
    in_place pin;
    return map_words(value, [](std::uint32_t word) {
        return static_cast<std::uint32_t>(
            __builtin_amdgcn_mov_dpp(static_cast<int>(word), Control, 0xf, 0xf, true));
    });
}

/* v_permlanex16: lane 0 of the other row of 32 lanes. */
template <class T> SUBWAVE_DEVICE T other_row(const T &value)
{
    in_place pin;
    return map_words(value, [](std::uint32_t word) {
        const int w = static_cast<int>(word);
        return static_cast<std::uint32_t>(__builtin_amdgcn_permlanex16(w, w, 0, 0, false, false));
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
        return other_row(value);
    else
        return wave_shuffle(members, value, wave_lane() ^ size, where);
}

/* Six folded instructions and a v_readlane of the last lane; what the others compute is not used. */
constexpr bool wave_reduces_whole = true;
template <class T, class Op> SUBWAVE_DEVICE T wave_reduce_whole(T x, Op op)
{
    x = op(x, dpp<dpp_swap_lanes>(x));
    x = op(x, dpp<dpp_swap_pairs>(x));
    x = op(x, dpp<dpp_half_mirror>(x));
    x = op(x, dpp<dpp_mirror>(x));
    if constexpr (SUBWAVE_ROWS_BY_BROADCAST) {
        x = op(x, dpp<dpp_row_bcast15>(x));
        x = op(x, dpp<dpp_row_bcast31>(x));
    } else {
        x = op(x, other_row(x));
    }
    return wave_broadcast(~lane_mask(0), x, wave_size() - 1, site::current());
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

/* No instruction combines a value of all lanes. */
constexpr bool wave_reduces_integers = false;

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
