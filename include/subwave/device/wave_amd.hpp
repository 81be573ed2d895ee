/* SPDX-License-Identifier: MIT
 * wave_amd.hpp: the wave primitives as AMD instructions, a function an instruction or idiom.
 */
#ifndef SUBWAVE_DEVICE_WAVE_AMD_HPP
#define SUBWAVE_DEVICE_WAVE_AMD_HPP

#include <subwave/device/words.hpp>

SUBWAVE_BEGIN

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

template <class T>
SUBWAVE_DEVICE T wave_shuffle_xor(lane_mask members, const T &value, int mask, site where)
{
    return wave_shuffle(members, value, wave_lane() ^ mask, where);
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
