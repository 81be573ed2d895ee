/* SPDX-License-Identifier: MIT
 * platform/cpu/wave.hpp: the wave primitives as rendezvous of the CPU device's lanes.
 */
#ifndef SUBWAVE_DEVICE_PLATFORM_CPU_WAVE_HPP
#define SUBWAVE_DEVICE_PLATFORM_CPU_WAVE_HPP

#include <subwave/device/complex.hpp>
#include <subwave/device/words.hpp>

SUBWAVE_BEGIN

/* Set bits of `mask` below this lane, and `more`. */
SUBWAVE_DEVICE int lanes_below(lane_mask mask, int more = 0)
{
    return __popcll(mask & ((lane_mask(1) << ::subwave::simt::lane_index()) - 1)) + more;
}

SUBWAVE_DEVICE int wave_lane() { return ::subwave::simt::lane_index(); }

constexpr bool counts_lanes_by_scalars = true; /* as on AMD, so that it is tested */

struct wave_siblings {};

/* What is uniform needs no telling here. */
SUBWAVE_DEVICE int wave_uniform(int value) { return value; }

/* Work-items are laid out x fastest, then y, then z, in waves of wave_size(). */
SUBWAVE_DEVICE int block_item() { return static_cast<int>(::subwave::simt::thread_number()); }

SUBWAVE_DEVICE int block_size() { return static_cast<int>(blockDim.x * blockDim.y * blockDim.z); }

SUBWAVE_DEVICE lane_mask wave_members() { return ::subwave::simt::existing_lanes(); }
SUBWAVE_DEVICE lane_mask wave_whole(lane_mask members) { return members; }

SUBWAVE_DEVICE lane_mask wave_active(site where)
{
    return ::subwave::simt::outlined::implicit(::subwave::simt::operation::active, where);
}

SUBWAVE_DEVICE int wave_caller_count(lane_mask members, site) { return __popcll(members); }

SUBWAVE_DEVICE lane_mask wave_opportunistic(site where)
{
    return ::subwave::simt::outlined::implicit(::subwave::simt::operation::opportunistic, where);
}

/* For a result that the specification leaves open: the value of any member will do. */
SUBWAVE_DEVICE int wave_unspecified(lane_mask members, int otherwise)
{
    return ::subwave::simt::unspecified_lane(members, otherwise);
}

SUBWAVE_DEVICE lane_mask wave_ballot(lane_mask members, bool p, site where)
{
    return ::subwave::simt::fast::ballot(members, p, where);
}

SUBWAVE_DEVICE bool inverse_ballot(lane_mask mask) { return mask >> wave_lane() & 1; }
constexpr bool has_inverse_ballot = true; /* as on AMD, so that it is tested */

SUBWAVE_DEVICE lane_mask wave_side(lane_mask callers, lane_mask members, bool p, site where)
{
    const lane_mask yes = wave_ballot(callers, p, where);
    return p ? yes : members & ~yes;
}

SUBWAVE_DEVICE lane_mask wave_match(lane_mask members, std::uint32_t word, site where)
{
    const std::uint32_t *const words = ::subwave::simt::publish(members, word, where);
    lane_mask same = 0;
    for (lane_mask left = members; left != 0; left &= left - 1)
        if (words[__builtin_ctzll(left)] == word)
            same |= left & -left;
    return same;
}

template <class T>
SUBWAVE_DEVICE T wave_shuffle(lane_mask members, const T &value, int source_lane, site where)
{
    return ::subwave::simt::exchange(::subwave::simt::operation::shuffle, members, value,
                                     source_lane, false, where);
}

template <class T, class Find>
SUBWAVE_DEVICE T wave_select(lane_mask members, const T &value, bool there, Find find, site where)
{
    return wave_shuffle(members, value, there ? find() : wave_lane(), where);
}

template <class T>
SUBWAVE_DEVICE T wave_broadcast(lane_mask members, const T &value, int source_lane, site where)
{
    return ::subwave::simt::exchange(::subwave::simt::operation::broadcast, members, value,
                                     source_lane, false, where);
}

SUBWAVE_DEVICE int wave_team_size() { return wave_size(); }
constexpr int wave_small_team = 0;

template <class T>
SUBWAVE_DEVICE T wave_broadcast_in_team(lane_mask members, const T &value, int item, site where)
{
    return wave_broadcast(members, value, item, where);
}

template <class T>
SUBWAVE_DEVICE T wave_broadcast_each(lane_mask members, const T &value, int source_lane, site where)
{
    return wave_broadcast(members, value, source_lane, where);
}

template <class T>
SUBWAVE_DEVICE T wave_broadcast_first(lane_mask members, const T &value, site where)
{
    return wave_broadcast(members, value, __builtin_ctzll(members), where);
}

SUBWAVE_DEVICE bool wave_knows(std::uint32_t) { return false; }

template <int Size, class T>
SUBWAVE_DEVICE T wave_xor_block(lane_mask members, const T &value, std::uint32_t mask, site where)
{
    return wave_shuffle(members, value, wave_lane() ^ static_cast<int>(mask), where);
}

SUBWAVE_DEVICE bool wave_xors_partial(std::uint32_t) { return false; }

template <class T>
SUBWAVE_DEVICE T wave_xor_partial(lane_mask members, const T &value, std::uint32_t mask, site where)
{
    return wave_xor_block<max_wave_size()>(members, value, mask, where);
}

template <class T>
SUBWAVE_DEVICE T wave_sibling(lane_mask members, const T &value, int size, site where)
{
    return wave_shuffle(members, value, wave_lane() ^ size, where);
}

template <int Size, class T>
SUBWAVE_DEVICE T wave_broadcast_block(lane_mask members, const T &value, std::uint32_t id,
                                      site where)
{
    const int first = wave_lane() & -Size;
    const lane_mask block = (~lane_mask(0) >> (max_wave_size() - Size)) << first;
    return wave_broadcast(members & block, value, first + static_cast<int>(id), where);
}

constexpr bool wave_shifts_partial = false;

template <int Size, bool FromBelow, class T>
SUBWAVE_DEVICE T wave_shift_one(lane_mask members, const T &value, site where)
{
    const int lane = wave_lane(), from = lane + (FromBelow ? -1 : 1);
    return wave_shuffle(members, value, (from & -Size) == (lane & -Size) ? from : lane, where);
}

template <class T>
SUBWAVE_DEVICE T wave_shift_in(lane_mask members, const T &value, const T &first, site where)
{
    const int lane = wave_lane();
    const T below = wave_shuffle(members, value, lane == 0 ? 0 : lane - 1, where);
    return lane == 0 ? first : below;
}

/* A value of every member, in memory until this lane publishes again: another publish needs all
 * members, and what any of them may still read is not overwritten. */
template <class T> class wave_tile {
public:
    SUBWAVE_DEVICE wave_tile(lane_mask members, const T &value, site where)
        : values_(::subwave::simt::publish(members, value, where)),
          checked_(::subwave::simt::reads_are_checked()), members_(members), where_(where)
    {
    }
    SUBWAVE_DEVICE const T &read(int lane) const
    {
        if (checked_) [[unlikely]]
            ::subwave::simt::check_tile_read(members_, lane, where_);
        return values_[lane];
    }
    SUBWAVE_DEVICE const T &read_in_team(int item) const { return read(item); }
    template <class Part> SUBWAVE_DEVICE auto select(int lane, Part part) const
    {
        return part(values_[lane]);
    }
    template <int, class Part>
    SUBWAVE_DEVICE auto select_block(int lane, std::uint32_t, Part part) const
    {
        return select(lane, part);
    }
    template <int Size> SUBWAVE_DEVICE const T &read_block(std::uint32_t id) const
    {
        return read((wave_lane() & -Size) + static_cast<int>(id));
    }
    SUBWAVE_DEVICE const T &read_each(int lane) const { return read(lane); }

private:
    const T *values_;
    bool checked_;
    lane_mask members_;
    site where_;
};

template <class T>
SUBWAVE_DEVICE wave_tile<T> wave_publish(lane_mask members, const T &value, site where)
{
    return wave_tile<T>(members, value, where);
}

SUBWAVE_DEVICE void wave_barrier(lane_mask members, site where)
{
    ::subwave::simt::fast::barrier(members, where);
}

SUBWAVE_DEVICE void block_barrier(site where) { ::subwave::simt::fast::block_barrier(where); }

constexpr bool wave_loads_ahead = false;

/* What a compiler keeps in one of the processor's registers. */
template <class T> struct wave_vector {
    typedef T type __attribute__((vector_size(16)));
};

template <int Count, class T> SUBWAVE_DEVICE void load_together(T *to, const T *from)
{
    memcpy(static_cast<void *>(to), from, Count * sizeof(T));
}

constexpr bool wave_loads_anywhere = true;
constexpr bool adds_wide_offsets = false;
constexpr bool stores_cost_sectors = false;

template <int Count, class T> SUBWAVE_DEVICE void load_anywhere(T *to, const T *from)
{
    load_together<Count>(to, from);
}

template <int Count, class T> SUBWAVE_DEVICE void store_anywhere(T *to, const T *from)
{
    memcpy(static_cast<void *>(to), from, Count * sizeof(T));
}

/* In order with other memory, at no cost here: what blocks read before they write such a word, others
 * may write when they have read it, which a sanitizer does not know of relaxed ones. */
SUBWAVE_DEVICE std::uint64_t load_relaxed(const std::uint64_t *at)
{
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

SUBWAVE_DEVICE void load_relaxed_pair(const std::uint64_t *at, std::uint64_t *to)
{
    to[0] = load_relaxed(at);
    to[1] = load_relaxed(at + 1);
}

SUBWAVE_DEVICE void store_relaxed(std::uint64_t *at, std::uint64_t word)
{
    __atomic_store_n(at, word, __ATOMIC_RELEASE);
}

SUBWAVE_DEVICE std::uint32_t fetch_add_acq_rel(std::uint32_t *at, std::uint32_t value)
{
    return __atomic_fetch_add(at, value, __ATOMIC_ACQ_REL);
}

template <class T> SUBWAVE_DEVICE void add_to_global(T *at, T value) { atomicAdd(at, value); }
template <class T> SUBWAVE_DEVICE void add_to_shared(T *at, T value) { atomicAdd(at, value); }

template <int Count, class T> SUBWAVE_DEVICE void load_in_order(T *to, const T *from)
{
    load_together<Count>(to, from);
}

template <int Count, class T> SUBWAVE_DEVICE void load_once(T *to, const T *from)
{
    load_together<Count>(to, from);
}

template <int Count, int Loads, class T> SUBWAVE_DEVICE void load_scalars(T *to, const T *&from)
{
    load_together<Count>(to, from);
}

template <int Columns, int Count, class T>
SUBWAVE_DEVICE void add_products(T (&sums)[Columns], const T (&scalars)[Count], int i,
                                 const T (&b)[Columns])
{
    SUBWAVE_UNROLL
    for (int c = 0; c < Columns; ++c)
        sums[c] = multiply_add(scalars[i], b[c], sums[c]);
}

SUBWAVE_DEVICE void touch(const void *) {}
SUBWAVE_DEVICE void touch_shared(const void *) {}

template <class T> SUBWAVE_DEVICE T *in_global_memory(T *x) { return x; }
template <class T> SUBWAVE_DEVICE T *in_shared_memory(T *x) { return x; }

template <class T> SUBWAVE_DEVICE T &element_near(T *base, std::uint32_t i) { return base[i]; }
template <class T> SUBWAVE_DEVICE T &element_in_row(T *base, std::uint32_t row, std::uint32_t i)
{
    return base[row + i];
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

template <class T> SUBWAVE_DEVICE T seen_as_whole(T x) { return x; }
SUBWAVE_DEVICE void remains_branch() {}
SUBWAVE_DEVICE void keep_order() {}
SUBWAVE_DEVICE int computed_anew(int value) { return value; }
template <class T> SUBWAVE_DEVICE T by_itself(T x) { return x; }
template <class T> SUBWAVE_DEVICE T moved(T x) { return x; }
SUBWAVE_DEVICE void end_of_kernel() {}
SUBWAVE_DEVICE void assume_line_of_items() {}
constexpr int lane_registers = 256;
constexpr bool branches_end_in_moves = true; /* as on AMD, so that it is tested */
constexpr bool blocks_begin_in_order = false;
template <class T> SUBWAVE_DEVICE T argument_read_anew(const T &argument) { return argument; }
template <class T, int Count>
SUBWAVE_DEVICE T argument_element(const T (&array)[Count], std::size_t, int i)
{
    return array[i];
}

SUBWAVE_DEVICE std::int64_t of_each_lane(std::int64_t number) { return number; }
SUBWAVE_DEVICE std::int64_t held(std::int64_t number) { return number; }

/* IEEE binary16 by integer arithmetic: baseline processors have no instruction for it. */
SUBWAVE_DEVICE std::uint16_t half_bits(float value)
{
    std::uint32_t bits = float_bits(value), sign = bits >> 16 & 0x8000u;
    bits &= 0x7fffffffu;
    if (bits > 0x7f800000u)
        return static_cast<std::uint16_t>(sign | 0x7e00u | (bits >> 13 & 0x3ffu)); /* NaN */
    if (bits >= 0x477ff000u)
        return static_cast<std::uint16_t>(sign | 0x7c00u); /* 65520 and more round to infinity */
    if (bits >= 0x38800000u)
        return static_cast<std::uint16_t>(sign | round_off(bits - 0x38000000u, 13));
    if (bits < 0x33000000u)
        return static_cast<std::uint16_t>(sign); /* below half of the least subnormal */
    int exponent = static_cast<int>(bits >> 23); /* 102 .. 112: subnormal results */
    return static_cast<std::uint16_t>(sign |
                                      round_off((bits & 0x7fffffu) | 0x800000u, 126 - exponent));
}

SUBWAVE_DEVICE float half_value(std::uint16_t stored)
{
    std::uint32_t sign = (stored & 0x8000u) << 16, rest = stored & 0x7fffu;
    if (rest >= 0x7c00u) /* infinity and NaN keep a full exponent */
        return bits_float(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
    /* A float with the half's exponent is 2^112 times too small: this is exact, subnormals too. */
    return bits_float(sign | float_bits(bits_float(rest << 13) * 0x1p112f));
}

template <class T> SUBWAVE_DEVICE T fused_multiply_add(T a, T b, T sum) { return sum + a * b; }
template <int Columns, int Count, class T>
SUBWAVE_DEVICE void fused_multiply_adds(T (&sums)[Columns], const T (&factors)[Count], int i,
                                        const T (&b)[Columns])
{
    SUBWAVE_UNROLL
    for (int c = 0; c < Columns; ++c)
        sums[c] = fused_multiply_add(factors[i], b[c], sums[c]);
}

template <class T> SUBWAVE_DEVICE T rounded_product(T a, T b)
{
    return a * b; /* the library's kernels are compiled so that nothing is fused */
}

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

SUBWAVE_DEVICE double square_root(double x) { return __builtin_sqrt(x); }

/* As the GPUs' instructions: a number wins over NaN, and -0 is below +0. */
template <class T> SUBWAVE_DEVICE T number_min(T a, T b)
{
    if (a == b)
        return __builtin_signbit(a) ? a : b;
    return b != b || a < b ? a : b;
}

template <class T> SUBWAVE_DEVICE T number_max(T a, T b)
{
    if (a == b)
        return __builtin_signbit(a) ? b : a;
    return b != b || a > b ? a : b;
}

/* No matrix unit is used. */
template <class T> inline constexpr bool wave_multiplies_matrices = false;

template <class T>
SUBWAVE_DEVICE void wave_multiply_16x8x8(const T (&)[4], const T (&)[2], T &, T &, T &, T &);

SUBWAVE_END

#endif
