/* SPDX-License-Identifier: MIT
 * platform/amd/wave.hpp: the wave primitives as AMD instructions, one function per instruction or
 * idiom.
 */
#ifndef SUBWAVE_DEVICE_PLATFORM_AMD_WAVE_HPP
#define SUBWAVE_DEVICE_PLATFORM_AMD_WAVE_HPP

#include <subwave/device/complex.hpp>
#include <subwave/device/words.hpp>

SUBWAVE_BEGIN

/* float4 and its like, which have constructors of their own in ROCm 5. */
template <class T, unsigned Rank>
inline constexpr bool moves_as_bytes_v<HIP_vector_type<T, Rank>> = true;

/* v_mbcnt: set bits of `mask` below this lane, and `more`. */
SUBWAVE_DEVICE int lanes_below(lane_mask mask, int more = 0)
{
    const auto low = static_cast<int>(__builtin_amdgcn_mbcnt_lo(static_cast<std::uint32_t>(mask),
                                                                static_cast<std::uint32_t>(more)));
    return wave_size() == 64
               ? __builtin_amdgcn_mbcnt_hi(static_cast<std::uint32_t>(mask >> 32), low)
               : low;
}

SUBWAVE_DEVICE int wave_lane() { return lanes_below(~lane_mask(0)); }

constexpr bool counts_lanes_by_scalars = true;

struct wave_siblings {};

/* v_readfirstlane: tells the compiler what it cannot see, that `value` is the same in all lanes. */
SUBWAVE_DEVICE int wave_uniform(int value) { return __builtin_amdgcn_readfirstlane(value); }

/* The callers are the lanes of EXEC. */
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

SUBWAVE_DEVICE int wave_caller_count(lane_mask members, site)
{
    if (__builtin_constant_p(members))
        return __popcll(members);
    in_place pin;
    int count;
    if (wave_size() == 64)
        asm volatile("s_bcnt1_i32_b64 %0, exec" : "=s"(count) : : "scc");
    else
        asm volatile("s_bcnt1_i32_b32 %0, exec_lo" : "=s"(count) : : "scc");
    return count;
}

SUBWAVE_DEVICE lane_mask wave_opportunistic(site where) { return wave_active(where); }

SUBWAVE_DEVICE lane_mask wave_ballot(lane_mask members, bool p, site)
{
    return active_ballot(p) & members;
}

/* The condition of a branch can be the mask itself, which LLVM before 17 cannot be told. */
__device__ bool bit_of_lane(std::uint32_t) __asm("llvm.amdgcn.inverse.ballot.i32");
__device__ bool bit_of_lane(std::uint64_t) __asm("llvm.amdgcn.inverse.ballot.i64");
SUBWAVE_DEVICE bool inverse_ballot(lane_mask mask)
{
#if defined(__OPTIMIZE__) && __clang_major__ >= 17
    using lanes = std::conditional_t<wave_size() == 64, std::uint64_t, std::uint32_t>;
    return bit_of_lane(static_cast<lanes>(mask));
#else
    return mask >> wave_lane() & 1;
#endif
}
constexpr bool has_inverse_ballot = __clang_major__ >= 17;

/* Each turn takes a bit in which some lane still differs from the first. */
SUBWAVE_DEVICE lane_mask wave_match(lane_mask members, std::uint32_t word, site)
{
    in_place pin;
    lane_mask same = members;
    std::uint32_t left =
        word ^ static_cast<std::uint32_t>(__builtin_amdgcn_readfirstlane(static_cast<int>(word)));
    SUBWAVE_ROLLED
    for (lane_mask differ; (differ = active_ballot(left != 0)) != 0;) {
        const auto bits = static_cast<std::uint32_t>(
            __builtin_amdgcn_readlane(static_cast<int>(left), __builtin_ctzll(differ)));
        const std::uint32_t bit = bits & -bits;
        const lane_mask set = active_ballot((word & bit) != 0);
        same &= word & bit ? set : ~set;
        left &= ~bit;
    }
    return same;
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

/* ds_bpermute: through the LDS crossbar, no LDS memory. Of the number of the lane it looks at the
 * bits that name one, and no more. */
template <class T> SUBWAVE_DEVICE T wave_shuffle(lane_mask, const T &value, int source_lane, site)
{
    in_place pin;
    const int address = static_cast<int>(static_cast<std::uint32_t>(source_lane) * 4);
    return map_words(value, [address](std::uint32_t word) {
        return static_cast<std::uint32_t>(
            __builtin_amdgcn_ds_bpermute(address, static_cast<int>(word)));
    });
}

/* A choice between the values takes an instruction a word, one between the lanes four. */
template <class T, class Find>
SUBWAVE_DEVICE T wave_select(lane_mask members, const T &value, bool there, Find find, site where)
{
    const int source_lane = find();
    if constexpr (sizeof(T) > 8)
        return wave_shuffle(members, value, there ? source_lane : wave_lane(), where);
    else
        return choose(there, wave_shuffle(members, value, source_lane, where), value);
}

/* v_readlane into a scalar register. */
template <class T> SUBWAVE_DEVICE T read_lane(const T &value, int lane)
{
    in_place pin;
    return map_words(value, [lane](std::uint32_t word) {
        return static_cast<std::uint32_t>(__builtin_amdgcn_readlane(static_cast<int>(word), lane));
    });
}

template <class T> SUBWAVE_DEVICE T wave_broadcast(lane_mask, const T &value, int source_lane, site)
{
    return read_lane(value, source_lane);
}

/* v_readfirstlane */
template <class T> SUBWAVE_DEVICE T wave_first(const T &value)
{
    in_place pin;
    return map_words(value, [](std::uint32_t word) {
        return static_cast<std::uint32_t>(__builtin_amdgcn_readfirstlane(static_cast<int>(word)));
    });
}

constexpr __host__ __device__ int wave_team_size() { return wave_size(); }
constexpr int wave_small_team = 0;

template <class T>
SUBWAVE_DEVICE T wave_broadcast_in_team(lane_mask members, const T &value, int item, site where)
{
    return wave_broadcast(members, value, item, where);
}

/* The value, which LLVM 15 then takes for another at each call: else what the two sides of a branch
 * have read first is to it what all lanes read first behind the branch. */
template <class T> SUBWAVE_DEVICE T seen_anew(const T &value)
{
#if __clang_major__ < 17
    return map_words(value, [](std::uint32_t word) {
        asm volatile("" : "+v"(word));
        return word;
    });
#else
    return value;
#endif
}

/* f(side, whether this lane is in it) for the caller's side, where those who run together are two
 * groups at the most, the sides of a ballot. They take turns: what is done for a side is done with
 * scalars. */
template <class F> SUBWAVE_DEVICE auto wave_each_side(lane_mask lanes, F f)
{
    lanes = seen_anew(lanes);
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

/* Lanes run in lockstep, but the compiler may move memory accesses across unless told. */
SUBWAVE_DEVICE void wave_barrier(lane_mask, site)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

SUBWAVE_DEVICE void block_barrier(site) { __syncthreads(); }
/* gpu/wave.hpp */
template <int Count, class T> SUBWAVE_DEVICE void load_together(T *to, const T *from);

constexpr bool wave_loads_anywhere = true;
constexpr bool adds_wide_offsets = __clang_major__ < 16;
/* The second-level cache takes more than twice as many stores of 64 bytes as memory does. */
constexpr bool stores_cost_sectors = false;

template <int Count, class T> SUBWAVE_DEVICE void load_anywhere(T *to, const T *from)
{
#if __clang_major__ < 19
    /* As a vector, since LLVM 15 loads numbers of 16 bits one by one. */
    if constexpr (Count * sizeof(T) == 16 && sizeof(T) == 2) {
        typedef std::uint16_t vector __attribute__((ext_vector_type(8), aligned(2), may_alias));
        const vector loaded = *reinterpret_cast<const vector *>(from);
        SUBWAVE_UNROLL
        for (int i = 0; i < Count; ++i)
            to[i] = __builtin_bit_cast(T, static_cast<std::uint16_t>(loaded[i]));
        return;
    }
#endif
    __builtin_memcpy(static_cast<void *>(to), from, Count * sizeof(T));
}

template <int Count, class T> SUBWAVE_DEVICE void store_anywhere(T *to, const T *from)
{
    __builtin_memcpy(static_cast<void *>(to), from, Count * sizeof(T));
}

SUBWAVE_DEVICE std::uint64_t load_relaxed(const std::uint64_t *at)
{
    return __hip_atomic_load(at, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

SUBWAVE_DEVICE void load_relaxed_pair(const std::uint64_t *at, std::uint64_t *to)
{
    to[0] = load_relaxed(at);
    to[1] = load_relaxed(at + 1);
}

SUBWAVE_DEVICE void store_relaxed(std::uint64_t *at, std::uint64_t word)
{
    __hip_atomic_store(at, word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

SUBWAVE_DEVICE std::uint32_t fetch_add_acq_rel(std::uint32_t *at, std::uint32_t value)
{
    return __hip_atomic_fetch_add(at, value, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
}

template <class T> SUBWAVE_DEVICE void add_to_global(T *at, T value)
{
    [[maybe_unused]] const auto global = (__attribute__((address_space(1))) T *)(at);
#if SUBWAVE_HAS_ADD_F64
    if constexpr (std::is_same<T, double>::value) {
        __builtin_amdgcn_global_atomic_fadd_f64(global, value);
        return;
    }
#endif
#if SUBWAVE_HAS_ADD_F32
    if constexpr (std::is_same<T, float>::value) {
#if SUBWAVE_HAS_ADD_F64 || (__clang_major__ >= 19 && !defined(__gfx908__))
        __builtin_amdgcn_global_atomic_fadd_f32(global, value);
#else /* LLVM has the builtin where there is a form that returns the old number */
        asm volatile("global_atomic_add_f32 %0, %1, off" ::"v"(global), "v"(value) : "memory");
#endif
        return;
    }
#endif
    __hip_atomic_fetch_add(global, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/* Without an instruction for doubles they are compared: with 0 first, which it is before the first. */
template <class T> SUBWAVE_DEVICE void add_to_shared(T *at, T value)
{
#if !SUBWAVE_HAS_ADD_F64
    if constexpr (std::is_same<T, double>::value) {
        unsigned long long old = 0, seen;
        do {
            seen = old;
            const double sum = __builtin_bit_cast(double, seen) + value;
            old = atomicCAS(reinterpret_cast<unsigned long long *>(at), seen,
                            __builtin_bit_cast(unsigned long long, sum));
        } while (old != seen);
        return;
    }
#endif
    const auto shared = (__attribute__((address_space(3))) T *)(at);
    __hip_atomic_fetch_add(shared, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

template <int Count, class T> SUBWAVE_DEVICE void load_in_order(T *to, const T *from)
{
    load_together<Count>(to, from);
}

template <int Count, class T> SUBWAVE_DEVICE void load_once(T *to, const T *from)
{
    load_together<Count>(to, from);
}

/* s_load. Volatile, so that LLVM leaves it where it stands; moved to its use it would be waited
 * for. The address is nothing that LLVM knows, or it would keep the distances between loads. */
template <int Count, int Loads, class T> SUBWAVE_DEVICE void load_scalars(T *to, const T *&from)
{
    constexpr int part = Count / Loads, bytes = part * sizeof(T);
    typedef std::uint32_t words __attribute__((ext_vector_type(bytes / 4), aligned(4)));
    using constant = const volatile __attribute__((address_space(4))) words;
    from = wave_first(from);
    asm volatile("" : "+s"(from));
    SUBWAVE_UNROLL
    for (int i = 0; i < Count; i += part) {
        const words loaded = *(constant *)reinterpret_cast<std::uintptr_t>(from + i);
        __builtin_memcpy(to + i, &loaded, bytes);
    }
}

#if SUBWAVE_HAS_PAIRS_F32
/* Of two factors side by side v_pk_fma_f32 takes either for both products; LLVM copies the second one
 * into a pair of its own. Scalars: they are in scalar registers. */
template <bool Scalars, int Columns, int Count>
SUBWAVE_DEVICE void add_products_in_pairs(float (&sums)[Columns], const float (&factors)[Count],
                                          int i, const float (&b)[Columns])
{
    typedef float pair __attribute__((ext_vector_type(2)));
    const pair two = {factors[i / 2 * 2], factors[i / 2 * 2 + 1]};
    SUBWAVE_UNROLL
    for (int c = 0; c < Columns; c += 2) {
        const pair right = {b[c], b[c + 1]};
        pair sum = {sums[c], sums[c + 1]};
        if constexpr (Scalars) {
            if (i % 2 == 0)
                asm("v_pk_fma_f32 %0, %1, %2, %0 op_sel_hi:[0,1,1]"
                    : "+v"(sum)
                    : "s"(two), "v"(right));
            else
                asm("v_pk_fma_f32 %0, %1, %2, %0 op_sel:[1,0,0]"
                    : "+v"(sum)
                    : "s"(two), "v"(right));
        } else {
            if (i % 2 == 0)
                asm("v_pk_fma_f32 %0, %1, %2, %0 op_sel_hi:[0,1,1]"
                    : "+v"(sum)
                    : "v"(two), "v"(right));
            else
                asm("v_pk_fma_f32 %0, %1, %2, %0 op_sel:[1,0,0]"
                    : "+v"(sum)
                    : "v"(two), "v"(right));
        }
        sums[c] = sum.x;
        sums[c + 1] = sum.y;
    }
}
#endif

template <int Columns, int Count, class T>
SUBWAVE_DEVICE void add_products(T (&sums)[Columns], const T (&scalars)[Count], int i,
                                 const T (&b)[Columns])
{
#if SUBWAVE_HAS_PAIRS_F32
    if constexpr (std::is_same<T, float>::value && Count % 2 == 0 && Columns % 2 == 0) {
        add_products_in_pairs<true>(sums, scalars, i, b);
        return;
    }
    /* The real part times b; then the imaginary part, with its sign inverted, times b's parts in the
     * other order. */
    if constexpr (std::is_same<T, complex<float>>::value) {
        typedef float pair __attribute__((ext_vector_type(2)));
        const pair left = {scalars[i].real, scalars[i].imaginary};
        SUBWAVE_UNROLL
        for (int c = 0; c < Columns; ++c) {
            const pair right = {b[c].real, b[c].imaginary};
            pair sum = {sums[c].real, sums[c].imaginary};
            asm("v_pk_fma_f32 %0, %1, %2, %0 op_sel_hi:[0,1,1]"
                : "+v"(sum)
                : "s"(left), "v"(right));
            asm("v_pk_fma_f32 %0, %1, %2, %0 op_sel:[1,1,0] op_sel_hi:[1,0,1] neg_lo:[1,0,0]"
                : "+v"(sum)
                : "s"(left), "v"(right));
            sums[c] = {sum.x, sum.y};
        }
        return;
    }
#endif
    SUBWAVE_UNROLL
    for (int c = 0; c < Columns; ++c)
        sums[c] = multiply_add(scalars[i], b[c], sums[c]);
}

SUBWAVE_DEVICE void touch(const void *) {}
SUBWAVE_DEVICE void touch_shared(const void *) {}

/* A pointer that was read from memory; with its address space loads need not ask whether it is
 * local. */
template <class T> SUBWAVE_DEVICE T *in_global_memory(T *x)
{
    using global = __attribute__((address_space(1))) T;
    return (T *)(global *)reinterpret_cast<std::uintptr_t>(x);
}

/* LLVM 15 does not see it of pointers that a loop moves. */
template <class T> SUBWAVE_DEVICE auto in_shared_memory(T *x)
{
    return (__attribute__((address_space(3))) T *)(x);
}

/* The offset in 32 bits, which a load or a store adds to a scalar address. */
template <class T> SUBWAVE_DEVICE T &element_near(T *base, std::uint32_t i)
{
    using byte = std::conditional_t<std::is_const<T>::value, const char, char>;
    const std::uint32_t offset = i * static_cast<std::uint32_t>(sizeof(T));
    return *reinterpret_cast<T *>(reinterpret_cast<byte *>(base) + offset);
}
/* Where `row` begins is nothing that LLVM knows, or it would add the distances between rows in vector
 * registers; nor, for LLVM 15, is the offset, or it would add one of few bits there. */
template <class T> SUBWAVE_DEVICE T &element_in_row(T *base, std::uint32_t row, std::uint32_t i)
{
    T *start = base + row;
    asm volatile("" : "+s"(start));
    using byte = std::conditional_t<std::is_const<T>::value, const char, char>;
    std::uint32_t offset = i * static_cast<std::uint32_t>(sizeof(T));
    if constexpr (adds_wide_offsets)
        asm("" : "+v"(offset));
    return *reinterpret_cast<T *>(reinterpret_cast<byte *>(in_global_memory(start)) + offset);
}

/* A copy is a load and a store, which need no waiting for. */
template <bool Cached = true, class T> SUBWAVE_DEVICE void copy_to_local(T *local, const T *global)
{
    *local = *global;
}

template <int Count, class T>
SUBWAVE_DEVICE void copy_part_to_local(T *local, const T *global, int count)
{
    SUBWAVE_UNROLL
    for (int i = 0; i < Count; ++i)
        local[i] = i < count ? global[i] : T{};
}

constexpr bool copies_bypass_registers = false;
SUBWAVE_DEVICE void copies_to_local_done() {}
SUBWAVE_DEVICE void copies_to_local_begun() {}
template <int> SUBWAVE_DEVICE void copies_to_local_wait() {}

template <class T> SUBWAVE_DEVICE T seen_as_whole(T x)
{
    if constexpr (std::is_same<T, double>::value)
        asm("" : "+v"(x));
    return x;
}
SUBWAVE_DEVICE void remains_branch() { asm volatile(""); }
SUBWAVE_DEVICE void keep_order() { __builtin_amdgcn_sched_barrier(0); }
SUBWAVE_DEVICE int computed_anew(int value) { return value; }
/* LLVM makes pairs for v_pk_add_f32, whose moves take longer than what they save. */
template <class T> SUBWAVE_DEVICE T by_itself(T x)
{
    if constexpr (std::is_same<T, float>::value)
        asm("" : "+v"(x));
    return x;
}
template <class T> SUBWAVE_DEVICE T moved(T x)
{
    return map_words(x, [](std::uint32_t word) {
        std::uint32_t other;
        asm volatile("v_mov_b32 %0, %1" : "=v"(other) : "v"(word));
        return other;
    });
}
/* LLVM does not know of it: it would put what follows all branches before this one. */
SUBWAVE_DEVICE void end_of_kernel() { asm volatile("s_endpgm" : : : "memory"); }
SUBWAVE_DEVICE void assume_line_of_items()
{
    const unsigned y = threadIdx.y, z = threadIdx.z;
    __builtin_assume(y == 0);
    __builtin_assume(z == 0);
}

constexpr int lane_registers = 128;
/* LLVM 15 would keep in scratch memory what each branch stores. */
constexpr bool branches_end_in_moves = __clang_major__ > 15;
constexpr bool blocks_begin_in_order = false; /* AMD does not promise it */

template <class T> SUBWAVE_DEVICE T argument_read_anew(const T &)
{
    auto arguments = __builtin_amdgcn_kernarg_segment_ptr();
    asm volatile("" : "+s"(arguments)); /* else what was read at the start is kept */
    T read;
    __builtin_memcpy(&read, (const __attribute__((address_space(4))) T *)arguments, sizeof read);
    return read;
}

/* LLVM copies an argument with an array to scratch memory if it is to index it. */
template <class T, int Count>
SUBWAVE_DEVICE T argument_element(const T (&)[Count], std::size_t offset, int i)
{
    const auto array =
        (const __attribute__((address_space(4))) char *)__builtin_amdgcn_kernarg_segment_ptr() +
        offset;
    T read;
    __builtin_memcpy(&read, array + i * sizeof read, sizeof read);
    return read;
}

SUBWAVE_DEVICE std::int64_t of_each_lane(std::int64_t number)
{
    /* LLVM 15 keeps two scalar registers for every sum of strides */
    asm volatile("" : "+v"(number));
    return number;
}
SUBWAVE_DEVICE std::int64_t held(std::int64_t number) { return of_each_lane(number); }
SUBWAVE_DEVICE int of_each_lane(int number)
{
    asm volatile("" : "+v"(number));
    return number;
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

#if SUBWAVE_HAS_PAIRS_F32
template <int Columns, int Count, std::enable_if_t<Columns % 2 == 0 && Count % 2 == 0, bool> = true>
SUBWAVE_DEVICE void fused_multiply_adds(float (&sums)[Columns], const float (&factors)[Count],
                                        int i, const float (&b)[Columns])
{
    add_products_in_pairs<false>(sums, factors, i, b);
}
#endif

template <class T> SUBWAVE_DEVICE T rounded_product(T a, T b)
{
#pragma clang fp contract(off)
    return a * b;
}

/* v_med3: with a NaN the lesser of the other two. */
SUBWAVE_DEVICE float number_between(float x, float least, float most)
{
    return __builtin_amdgcn_fmed3f(x, least, most);
}
SUBWAVE_DEVICE double number_between(double x, double least, double most)
{
    return fmin(fmax(x, least), most);
}

SUBWAVE_DEVICE float fraction(float x) { return __builtin_amdgcn_fractf(x); }
SUBWAVE_DEVICE double fraction(double x) { return __builtin_amdgcn_fract(x); }

/* No matrix unit is used. */
template <class T> inline constexpr bool wave_multiplies_matrices = false;

template <class T>
SUBWAVE_DEVICE void wave_multiply_16x8x8(const T (&)[4], const T (&)[2], T &, T &, T &, T &);

SUBWAVE_END

#include <subwave/device/platform/amd/rows.hpp>
#include <subwave/device/platform/amd/moves.hpp>
#include <subwave/device/platform/gpu/wave.hpp>

#endif
