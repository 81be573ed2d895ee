/* SPDX-License-Identifier: MIT
 * platform/nvidia/wave.hpp: the wave primitives as NVIDIA instructions, each with an explicit mask.
 */
#ifndef SUBWAVE_DEVICE_PLATFORM_NVIDIA_WAVE_HPP
#define SUBWAVE_DEVICE_PLATFORM_NVIDIA_WAVE_HPP

#include <subwave/device/complex.hpp>
#include <subwave/device/words.hpp>

SUBWAVE_BEGIN

/* Set bits of `mask` below this lane, and `more`. */
SUBWAVE_DEVICE int lanes_below(lane_mask mask, int more = 0)
{
    std::uint32_t below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    return __popc(static_cast<std::uint32_t>(mask) & below) + more;
}

SUBWAVE_DEVICE int wave_lane()
{
    std::uint32_t lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return static_cast<int>(lane);
}

constexpr bool counts_lanes_by_scalars = false;

/* Of each step of a ladder the lanes of the sibling of this lane's block; and the same where that is
 * the lower one, elsewhere none. The assembly keeps the compiler from working them out at every
 * use, which takes three instructions. */
struct wave_siblings {
    std::uint32_t of[5], below[5];
    SUBWAVE_DEVICE wave_siblings()
    {
        const int lane = wave_lane();
        SUBWAVE_UNROLL
        for (int step = 0, size = 1; step < 5; ++step, size *= 2) {
            of[step] = ((std::uint32_t(1) << size) - 1) << ((lane ^ size) & -size);
            below[step] = lane & size ? of[step] : 0;
            asm("" : "+r"(of[step]));
            asm("" : "+r"(below[step]));
        }
    }
};

SUBWAVE_DEVICE int wave_uniform(int value) { return value; }

/* A constant costs fewer instructions at every call; lanes that do not exist count as having
 * left. */
SUBWAVE_DEVICE lane_mask wave_whole(lane_mask) { return 0xffffffffu; }

/* No promise by the book; in optimised code it is the lockstep set, except for what docs/groups.md
 * shows, and a barrier after it makes the lanes meet (docs/groups.md says what was tried). */
SUBWAVE_DEVICE lane_mask wave_active(site) { return __activemask(); }

SUBWAVE_DEVICE int wave_caller_count(lane_mask members, site) { return __popcll(members); }
SUBWAVE_DEVICE lane_mask wave_opportunistic(site) { return __activemask(); }

SUBWAVE_DEVICE lane_mask wave_ballot(lane_mask members, bool p, site)
{
    return __ballot_sync(static_cast<std::uint32_t>(members), p);
}

SUBWAVE_DEVICE bool inverse_ballot(lane_mask mask)
{
    return static_cast<std::uint32_t>(mask) >> wave_lane() & 1;
}
constexpr bool has_inverse_ballot = false;

SUBWAVE_DEVICE lane_mask wave_match(lane_mask members, std::uint32_t word, site)
{
    return __match_any_sync(static_cast<std::uint32_t>(members), word);
}

template <class T>
SUBWAVE_DEVICE T wave_shuffle(lane_mask members, const T &value, int source_lane, site)
{
    return map_words(value, [members, source_lane](std::uint32_t word) {
        return __shfl_sync(static_cast<std::uint32_t>(members), word, source_lane);
    });
}

template <class T, class Find>
SUBWAVE_DEVICE T wave_select(lane_mask members, const T &value, bool there, Find find, site where)
{
    const T found = wave_shuffle(members, value, find(), where);
    return there ? found : value;
}

template <class T>
SUBWAVE_DEVICE T wave_broadcast(lane_mask members, const T &value, int source_lane, site where)
{
    return wave_shuffle(members, value, source_lane, where);
}

/* A shuffle is a shuffle. 16 lanes read 256 bytes side by side. */
constexpr __host__ __device__ int wave_team_size() { return 16; }

constexpr int wave_small_team = 16;

template <class T>
SUBWAVE_DEVICE T wave_broadcast_in_team(lane_mask members, const T &value, int item, site)
{
    return map_words(value, [members, item](std::uint32_t word) {
        return __shfl_sync(static_cast<std::uint32_t>(members), word, item, wave_team_size());
    });
}

template <class T>
SUBWAVE_DEVICE T wave_broadcast_first(lane_mask members, const T &value, site where)
{
    return wave_shuffle(members, value, __ffs(static_cast<int>(members)) - 1, where);
}

SUBWAVE_DEVICE bool wave_knows(std::uint32_t) { return false; }

template <int Size, class T>
SUBWAVE_DEVICE T wave_xor_block(lane_mask members, const T &value, std::uint32_t mask, site)
{
    return map_words(value, [members, mask](std::uint32_t word) {
        return __shfl_xor_sync(static_cast<std::uint32_t>(members), word, static_cast<int>(mask));
    });
}

SUBWAVE_DEVICE bool wave_xors_partial(std::uint32_t) { return false; }

template <class T>
SUBWAVE_DEVICE T wave_xor_partial(lane_mask members, const T &value, std::uint32_t mask, site where)
{
    return wave_xor_block<max_wave_size()>(members, value, mask, where);
}

/* shfl.bfly: needs no register for the lane. */
template <class T> SUBWAVE_DEVICE T wave_sibling(lane_mask members, const T &value, int size, site)
{
    return map_words(value, [members, size](std::uint32_t word) {
        return __shfl_xor_sync(static_cast<std::uint32_t>(members), word, size);
    });
}

/* Within blocks a shuffle needs no register for the lane. */
template <int Size, class T>
SUBWAVE_DEVICE T wave_broadcast_block(lane_mask members, const T &value, std::uint32_t id, site)
{
    return map_words(value, [members, id](std::uint32_t word) {
        return __shfl_sync(static_cast<std::uint32_t>(members), word, static_cast<int>(id), Size);
    });
}

constexpr bool wave_shifts_partial = false;

template <int Size, bool FromBelow, class T>
SUBWAVE_DEVICE T wave_shift_one(lane_mask members, const T &value, site)
{
    return map_words(value, [members](std::uint32_t word) {
        if constexpr (FromBelow)
            return __shfl_up_sync(static_cast<std::uint32_t>(members), word, 1, Size);
        else
            return __shfl_down_sync(static_cast<std::uint32_t>(members), word, 1, Size);
    });
}

template <class T>
SUBWAVE_DEVICE T wave_shift_in(lane_mask members, const T &value, const T &first, site where)
{
    T result = wave_shift_one<32, true>(members, value, where);
    /* If it knew that these are the same lanes at each call, nvcc would take them through a copy of all
     * the code between two, and all shuffles would wait for them. */
    int lane = wave_lane();
    asm volatile("" : "+r"(lane));
    if (lane == 0)
        result = first;
    return result;
}

SUBWAVE_DEVICE void wave_barrier(lane_mask members, site)
{
    __syncwarp(static_cast<std::uint32_t>(members));
}

SUBWAVE_DEVICE void block_barrier(site) { __syncthreads(); }

template <int Count, class T> SUBWAVE_DEVICE void load_together(T *to, const T *from);

constexpr bool wave_loads_anywhere = false;
constexpr bool adds_wide_offsets = false;
constexpr bool stores_cost_sectors = true;

template <int Count, class T> SUBWAVE_DEVICE void load_anywhere(T *to, const T *from)
{
    SUBWAVE_UNROLL
    for (int i = 0; i < Count; ++i)
        to[i] = from[i];
}

/* Stores 16 bytes by one instruction if their address is aligned. nvcc makes several stores of them
 * where a kernel has computed the elements one by one. */
template <int Count, class T> SUBWAVE_DEVICE void store_anywhere(T *to, const T *from)
{
#ifdef __CUDA_ARCH__
    if constexpr (Count * sizeof(T) == 16) {
        if (reinterpret_cast<std::uintptr_t>(to) % 16 == 0) {
            std::uint32_t word[4];
            memcpy(word, from, sizeof word);
            asm volatile(
                "st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
                "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3])
                : "memory");
            return;
        }
    }
#endif
    SUBWAVE_UNROLL
    for (int i = 0; i < Count; ++i)
        to[i] = from[i];
}

SUBWAVE_DEVICE std::uint64_t load_relaxed(const std::uint64_t *at)
{
    std::uint64_t word = 0;
#ifdef __CUDA_ARCH__
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                 : "=l"(word)
                 : "l"(__cvta_generic_to_global(at))
                 : "memory");
#endif
    return word;
}

SUBWAVE_DEVICE void load_relaxed_pair(const std::uint64_t *at, std::uint64_t *to)
{
#ifdef __CUDA_ARCH__
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(to[0]), "=l"(to[1])
                 : "l"(__cvta_generic_to_global(at))
                 : "memory");
#endif
}

SUBWAVE_DEVICE void store_relaxed(std::uint64_t *at, std::uint64_t word)
{
#ifdef __CUDA_ARCH__
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(at)),
                 "l"(word)
                 : "memory");
#endif
}

/* atom.acq_rel; __threadfence() around a plain one makes stronger and slower fences. */
SUBWAVE_DEVICE std::uint32_t fetch_add_acq_rel(std::uint32_t *at, std::uint32_t value)
{
#ifdef __CUDA_ARCH__
    std::uint32_t before;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(__cvta_generic_to_global(at)), "r"(value)
                 : "memory");
    return before;
#else
    return *at + value; /* for nvcc's pass over the host's code */
#endif
}

template <class T> SUBWAVE_DEVICE void add_to_global(T *at, T value)
{
    if constexpr (sizeof(T) == 8 && std::is_integral<T>::value)
        atomicAdd(reinterpret_cast<unsigned long long *>(at),
                  static_cast<unsigned long long>(value));
    else
        atomicAdd(at, value);
}
template <class T> SUBWAVE_DEVICE void add_to_shared(T *at, T value) { add_to_global(at, value); }

/* Strong loads at the scope of a block, which the cache of the multiprocessor serves: ptxas, which
 * moves weak ones to their uses where registers are short, leaves these where they are. */
template <int Count, class T> SUBWAVE_DEVICE void load_in_order(T *to, const T *from)
{
    constexpr int bytes = Count * sizeof(T);
    static_assert(bytes == 16 || bytes == 8 || bytes == 4 || bytes == 2, "one load");
    const auto source = __cvta_generic_to_global(from);
    if constexpr (sizeof(T) == 8) {
        std::uint64_t word[Count];
        if constexpr (Count == 2)
            asm volatile("ld.relaxed.cta.global.v2.u64 {%0, %1}, [%2];"
                         : "=l"(word[0]), "=l"(word[1])
                         : "l"(source));
        else
            asm volatile("ld.relaxed.cta.global.u64 %0, [%1];" : "=l"(word[0]) : "l"(source));
        memcpy(to, word, bytes);
    } else if constexpr (bytes == 2) {
        std::uint16_t word;
        asm volatile("ld.relaxed.cta.global.u16 %0, [%1];" : "=h"(word) : "l"(source));
        memcpy(to, &word, bytes);
    } else {
        std::uint32_t word[bytes / 4];
        if constexpr (bytes == 16)
            asm volatile("ld.relaxed.cta.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                         : "l"(source));
        else if constexpr (bytes == 8)
            asm volatile("ld.relaxed.cta.global.v2.u32 {%0, %1}, [%2];"
                         : "=r"(word[0]), "=r"(word[1])
                         : "l"(source));
        else
            asm volatile("ld.relaxed.cta.global.u32 %0, [%1];" : "=r"(word[0]) : "l"(source));
        memcpy(to, word, bytes);
    }
}

/* ld.global.nc; 128 bytes come to the second-level cache together. */
template <int Count, class T> SUBWAVE_DEVICE void load_once(T *to, const T *from)
{
    static_assert(sizeof(T) == 8 && (Count == 1 || Count == 2), "one load");
    const auto source = __cvta_generic_to_global(from);
    std::uint64_t word[Count];
    if constexpr (Count == 2)
        asm volatile("ld.global.nc.L1::evict_first.L2::128B.v2.u64 {%0, %1}, [%2];"
                     : "=l"(word[0]), "=l"(word[1])
                     : "l"(source));
    else
        asm volatile("ld.global.nc.L1::evict_first.L2::128B.u64 %0, [%1];"
                     : "=l"(word[0])
                     : "l"(source));
    memcpy(to, word, sizeof word);
}

template <int Count, int Loads, class T> SUBWAVE_DEVICE void load_scalars(T *to, const T *&from)
{
    constexpr int part = (Count & (Count - 1)) == 0 ? Count : 1; /* of one load */
    SUBWAVE_UNROLL
    for (int i = 0; i < Count; i += part)
        load_together<part>(to + i, from + i);
}

template <int Columns, int Count, class T>
SUBWAVE_DEVICE void add_products(T (&sums)[Columns], const T (&scalars)[Count], int i,
                                 const T (&b)[Columns])
{
    SUBWAVE_UNROLL
    for (int c = 0; c < Columns; ++c)
        sums[c] = multiply_add(scalars[i], b[c], sums[c]);
}

SUBWAVE_DEVICE void touch(const void *line)
{
    asm volatile("prefetch.global.L1 [%0];" ::"l"(__cvta_generic_to_global(line)));
}
SUBWAVE_DEVICE void touch_shared(const void *line)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(line)));
}

#if SUBWAVE_HAS_REDUX
#define SUBWAVE_REDUX(name, type, instruction) \
    SUBWAVE_DEVICE type name(lane_mask members, type value) \
    { \
        return instruction(static_cast<std::uint32_t>(members), value); \
    }
SUBWAVE_REDUX(wave_sum, std::uint32_t, __reduce_add_sync)
SUBWAVE_REDUX(wave_and, std::uint32_t, __reduce_and_sync)
SUBWAVE_REDUX(wave_or, std::uint32_t, __reduce_or_sync)
SUBWAVE_REDUX(wave_xor, std::uint32_t, __reduce_xor_sync)
SUBWAVE_REDUX(wave_min, std::uint32_t, __reduce_min_sync)
SUBWAVE_REDUX(wave_max, std::uint32_t, __reduce_max_sync)
SUBWAVE_REDUX(wave_min, std::int32_t, __reduce_min_sync)
SUBWAVE_REDUX(wave_max, std::int32_t, __reduce_max_sync)
#undef SUBWAVE_REDUX
#endif

/* value and that of the lane `delta` below in its block of Size lanes, if there is one. The shuffle tells
 * whether there is; nvcc would choose between the other value and 0, and add what it chose. */
template <int Size>
SUBWAVE_DEVICE std::uint32_t wave_add_below(lane_mask members, std::uint32_t value, int delta)
{
    asm volatile("{ .reg .pred there; .reg .b32 other; "
                 "shfl.sync.up.b32 other|there, %0, %1, %2, %3; "
                 "@there add.u32 %0, %0, other; }"
                 : "+r"(value)
                 : "r"(delta), "n"((32 - Size) << 8), "r"(static_cast<std::uint32_t>(members)));
    return value;
}

/* A pointer that was read from memory; with its address space loads need not ask whether it is
 * local. */
template <class T> SUBWAVE_DEVICE T *in_global_memory(T *x)
{
    __builtin_assume(__isGlobal(x));
    return x;
}

template <class T> SUBWAVE_DEVICE T *in_shared_memory(T *x) { return x; }

/* By one wide multiplication and addition, if the compiler does not look into `base`. */
template <class T> SUBWAVE_DEVICE T &element_near(T *base, std::uint32_t i)
{
    asm("" : "+l"(base));
    return in_global_memory(base)[i];
}
template <class T> SUBWAVE_DEVICE T &element_in_row(T *base, std::uint32_t row, std::uint32_t i)
{
    return base[row + i];
}

/* cp.async: past the registers, so that many copies are on their way; 16 bytes past L1 too, if
 * wished. */
template <bool Cached = true, class T> SUBWAVE_DEVICE void copy_to_local(T *local, const T *global)
{
    if constexpr (SUBWAVE_HAS_ASYNC_COPY) {
        const std::uint32_t to = static_cast<std::uint32_t>(__cvta_generic_to_shared(local));
        if constexpr (sizeof(T) == 16 && !Cached)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global)
                         : "memory");
        else
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global),
                         "n"(sizeof(T))
                         : "memory");
    } else {
        *local = *global;
    }
}

template <int Count, class T>
SUBWAVE_DEVICE void copy_part_to_local(T *local, const T *global, int count)
{
    constexpr int bytes = Count * sizeof(T);
    if constexpr (SUBWAVE_HAS_ASYNC_COPY) {
        const int there = count < 0 ? 0 : count < Count ? count : Count;
        const std::uint32_t to = static_cast<std::uint32_t>(__cvta_generic_to_shared(local)),
                            from_there = there * static_cast<std::uint32_t>(sizeof(T));
        if constexpr (bytes == 16)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global),
                         "r"(from_there)
                         : "memory");
        else
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(global),
                         "n"(bytes), "r"(from_there)
                         : "memory");
    } else {
        SUBWAVE_UNROLL
        for (int i = 0; i < Count; ++i)
            local[i] = i < count ? global[i] : T{};
    }
}

constexpr bool copies_bypass_registers = SUBWAVE_HAS_ASYNC_COPY;
SUBWAVE_DEVICE void copies_to_local_done()
{
    if constexpr (SUBWAVE_HAS_ASYNC_COPY)
        asm volatile("cp.async.wait_all;" ::: "memory");
}
SUBWAVE_DEVICE void copies_to_local_begun()
{
    if constexpr (SUBWAVE_HAS_ASYNC_COPY)
        asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int Excepted> SUBWAVE_DEVICE void copies_to_local_wait()
{
    if constexpr (SUBWAVE_HAS_ASYNC_COPY)
        asm volatile("cp.async.wait_group %0;" ::"n"(Excepted) : "memory");
}

template <class T> SUBWAVE_DEVICE T seen_as_whole(T x) { return x; }
SUBWAVE_DEVICE void remains_branch() {}
SUBWAVE_DEVICE void keep_order() {}

SUBWAVE_DEVICE int computed_anew(int value)
{
    asm volatile("" : "+r"(value));
    return value;
}

template <class T> SUBWAVE_DEVICE T by_itself(T x) { return x; }
template <class T> SUBWAVE_DEVICE T moved(T x) { return x; }
SUBWAVE_DEVICE void end_of_kernel() {}
SUBWAVE_DEVICE void assume_line_of_items() {}

constexpr int lane_registers = 64;
constexpr bool branches_end_in_moves = false;
/* CUDA does not promise it, but all GPUs so far do it, and CUB relies on it
 * (github.com/NVIDIA/cub/issues/245). */
constexpr bool blocks_begin_in_order = true;

template <class T> SUBWAVE_DEVICE T argument_read_anew(const T &argument) { return argument; }
template <class T, int Count>
SUBWAVE_DEVICE T argument_element(const T (&array)[Count], std::size_t, int i)
{
    return array[i];
}

SUBWAVE_DEVICE std::int64_t of_each_lane(std::int64_t number) { return number; }
SUBWAVE_DEVICE std::int64_t held(std::int64_t number)
{
    asm volatile("" : "+l"(number));
    return number;
}

/* cvt.rn */
SUBWAVE_DEVICE std::uint16_t half_bits(float value)
{
    std::uint16_t bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

SUBWAVE_DEVICE float half_value(std::uint16_t bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

SUBWAVE_DEVICE float rounded_product(float a, float b) { return __fmul_rn(a, b); }
SUBWAVE_DEVICE double rounded_product(double a, double b) { return __dmul_rn(a, b); }

SUBWAVE_DEVICE float number_between(float x, float least, float most)
{
    return fminf(fmaxf(x, least), most);
}
SUBWAVE_DEVICE double number_between(double x, double least, double most)
{
    return fmin(fmax(x, least), most);
}

SUBWAVE_DEVICE float fraction(float x) { return x - truncf(x); }
SUBWAVE_DEVICE double fraction(double x) { return x - trunc(x); }

/* redux.sync: one 32-bit integer of each member combined in a single instruction, which takes the
 * masks of several groups one after another. */
constexpr bool wave_reduces_integers = SUBWAVE_HAS_REDUX;

/* mma.sync on the matrix unit, in full double precision. */
template <class T> inline constexpr bool wave_multiplies_matrices = false;

template <> inline constexpr bool wave_multiplies_matrices<double> = SUBWAVE_HAS_F64_MMA;

SUBWAVE_DEVICE void wave_multiply_16x8x8(const double (&a)[4], const double (&b)[2], double &c0,
                                         double &c1, double &c2, double &c3)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+d"(c0), "+d"(c1), "+d"(c2), "+d"(c3)
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

SUBWAVE_END

#include <subwave/device/platform/gpu/wave.hpp>

#endif
