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

/* v_cmp into a scalar pair: the active lanes with p true. */
SUBWAVE_DEVICE lane_mask active_ballot(bool p)
{
#if __has_builtin(__builtin_amdgcn_ballot_w64)
    if (wave_size() == 64)
        return __builtin_amdgcn_ballot_w64(p);
#endif
    return __ballot(p);
}

SUBWAVE_DEVICE lane_mask wave_active(site) { return active_ballot(true); }
SUBWAVE_DEVICE lane_mask wave_opportunistic(site) { return active_ballot(true); }

SUBWAVE_DEVICE lane_mask wave_ballot(lane_mask members, bool p, site)
{
    return active_ballot(p) & members;
}

/* ds_bpermute: through the LDS crossbar, no LDS memory. */
template <class T>
SUBWAVE_DEVICE T wave_shuffle(lane_mask, const T &value, int source_lane, site)
{
    return map_words(value, [source_lane](std::uint32_t word) {
        return static_cast<std::uint32_t>(
            __builtin_amdgcn_ds_bpermute(source_lane * 4, static_cast<int>(word)));
    });
}

/* v_readlane into a scalar register. */
template <class T>
SUBWAVE_DEVICE T wave_broadcast(lane_mask, const T &value, int source_lane, site)
{
    return map_words(value, [source_lane](std::uint32_t word) {
        return static_cast<std::uint32_t>(
            __builtin_amdgcn_readlane(static_cast<int>(word), source_lane));
    });
}

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
