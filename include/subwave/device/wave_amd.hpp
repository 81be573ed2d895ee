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

SUBWAVE_DEVICE lane_mask wave_callers(lane_mask members, site where)
{
    return __builtin_constant_p(members) ? members : wave_active(where);
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

/* first ? a : b, which between large types would be made in memory. */
template <class T> SUBWAVE_DEVICE T choose(bool first, const T &a, const T &b)
{
    if constexpr (std::is_scalar<T>::value) {
        return first ? a : b;
    } else {
        const std::uint32_t from_a = first ? ~0u : 0;
        return map_words(
            a, [from_a](std::uint32_t x, std::uint32_t y) { return (x & from_a) | (y & ~from_a); },
            b);
    }
}

/* f(side, whether this lane is in it) for the caller's side, where those who run together are two groups at
 * the most, the sides of a ballot. They take turns: what is done for a side is done with scalars. */
template <class F> SUBWAVE_DEVICE auto wave_each_side(lane_mask lanes, F f)
{
    const lane_mask side = wave_first(lanes), active = wave_active(site::current());
    const bool here = lanes == side;
    auto result = f(side, here);
    if (active != side)
        result = choose(here, result, f(active & ~side, !here));
    return result;
}

template <class T> SUBWAVE_DEVICE T wave_broadcast_first(lane_mask members, const T &value, site)
{
    return wave_each_side(members, [&](lane_mask side, bool) {
        return read_lane(value, __ffsll(static_cast<long long>(side)) - 1);
    });
}

/* Whether the lane is one of those of its row that the constant's bits name. */
#if __clang_major__ >= 17
__device__ bool wave64_constant(unsigned long long) __asm("llvm.amdgcn.inverse.ballot.i64");
__device__ bool wave32_constant(unsigned) __asm("llvm.amdgcn.inverse.ballot.i32");
template <unsigned Lanes> SUBWAVE_DEVICE bool in_each_row()
{
    if constexpr (wave_size() == 64)
        return wave64_constant(Lanes * 0x1000100010001u);
    else
        return wave32_constant(Lanes * 0x10001u);
}
#else
template <unsigned Lanes> SUBWAVE_DEVICE bool in_each_row()
{
    constexpr bool is_by_four = Lanes == (Lanes & 0xf) * 0x1111;
    return (is_by_four ? Lanes & 0xf : Lanes) >> (wave_lane() & (is_by_four ? 3 : 15)) & 1;
}
#endif

/* DPP: lanes of a row of 16 read each other within the arithmetic instruction itself, into which the
 * compiler folds the move. */
enum dpp_control {
    dpp_swap_lanes = 0xb1,   /* quad_perm:[1,0,3,2] */
    dpp_swap_pairs = 0x4e,   /* quad_perm:[2,3,0,1] */
    dpp_quad_0011 = 0x50,    /* quad_perm:[0,0,1,1] */
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

/* v_permlanex16: of the other row of 32 lanes the lane that a digit names, each lane's own. */
template <std::uint64_t Lanes, class T> SUBWAVE_DEVICE T other_row_lanes(const T &value)
{
    in_place pin;
    return map_words(value, [](std::uint32_t word) {
        const int w = static_cast<int>(word);
        return static_cast<std::uint32_t>(__builtin_amdgcn_permlanex16(
            w, w, static_cast<int>(Lanes), static_cast<int>(Lanes >> 32), false, false));
    });
}
template <int Lane, class T> SUBWAVE_DEVICE T other_row(const T &value)
{
    return other_row_lanes<Lane * 0x1111111111111111u>(value);
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

/* --- moves by a constant: DPP where it can --------------------------------------------------------- */

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
        return dpp<Mask | (1 ^ Mask) << 2 | (2 ^ Mask) << 4 | (3 ^ Mask) << 6>(value);
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
        return xor_in_row<7>(xor_in_row<7 ^ Mask>(value));
}

template <int Size, class T>
SUBWAVE_DEVICE T wave_xor_block(lane_mask members, const T &value, std::uint32_t mask, site where)
{
    if (wave_knows(mask) && mask < 16)
        return for_constant<16>(mask, value, [&](auto m) {
            if constexpr (m() == 0)
                return value;
            else
                return xor_in_row<m()>(value);
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
        return dpp<dpp_half_mirror>(value);
    if (size == 8)
        return dpp<dpp_mirror>(value);
    return wave_xor_block<wave_size()>(members, value, static_cast<std::uint32_t>(size), where);
}

/* Lane `id` of the block, a constant, into all of its lanes. */
template <int Size, int Id, class T> SUBWAVE_DEVICE T block_lane(const T &value)
{
    if constexpr (Size == 2)
        return dpp<Id * 0x55 | 0xa0>(value);
    else if constexpr (Size == 4)
        return dpp<Id * 0x55>(value);
    else if constexpr (Size == 8)
        return dpp_into<dpp_row_read + 8 + Id, 0xf, 0xc>(dpp<dpp_row_read + Id>(value), value);
    else
        return dpp<dpp_row_read + Id>(value);
}

template <int Size, class T>
SUBWAVE_DEVICE T wave_broadcast_block(lane_mask members, const T &value, std::uint32_t id, site where)
{
    if constexpr (Size == wave_size())
        return read_lane(value, static_cast<int>(id));
    if constexpr (Size == 1)
        return value;
    else if constexpr (Size < 8 || (Size < 32 && SUBWAVE_ROW_READS)) {
        if (wave_knows(id))
            return for_constant<Size>(
                id, value, [&](auto lane) { return block_lane<Size, lane()>(value); });
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
        constexpr unsigned firsts = Size == 1 ? 0xffff : Size == 2 ? 0x5555 : Size == 4 ? 0x1111 : 0x0101;
        constexpr unsigned ends = FromBelow ? firsts : firsts << (Size - 1) & 0xffff;
        const T moved = dpp_into<by_one, 0xf, 0xf>(value, value);
        return Size < 16 ? choose(in_each_row<ends>(), value, moved) : moved;
    }
    const bool at_end = (wave_lane() & (Size - 1)) == (FromBelow ? 0 : Size - 1);
    if constexpr (SUBWAVE_ROWS_BY_BROADCAST) {
        const T moved = dpp_into<across, 0xf, 0xf>(value, value);
        return Size < 64 ? choose(at_end, value, moved) : moved;
    } else {
        const T next_row = other_row<FromBelow ? 15 : 0>(value);
        const bool at_row_end = in_each_row<FromBelow ? 0x0001 : 0x8000>();
        const T moved = dpp_into<by_one, 0xf, 0xf>(choose(at_row_end, next_row, value), value);
        return choose(at_end, value, moved);
    }
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
