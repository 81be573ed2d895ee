/* SPDX-License-Identifier: MIT
 * hip.hpp: cells of the instruction table as HIP and its compiler offer them: shuffles as people
 * write them by hand, cooperative groups, and LLVM's wave reductions.
 */
#ifndef SUBWAVE_PERF_ISA_HIP_HPP
#define SUBWAVE_PERF_ISA_HIP_HPP

#include "../../tests/isa/cells.hpp"

#include <hip/hip_cooperative_groups.h>

namespace cells {

template <class T> inline constexpr bool is_shuffled = !subwave::is_small_float<T>::value;
template <class A, class... B> inline constexpr bool is_one_of = (std::is_same<A, B>::value || ...);
template <class Operation>
inline constexpr bool is_vote = is_one_of<Operation, any_of, all_of, none_of>;
template <class Operation> inline constexpr bool is_place = is_one_of<Operation, local_id, leader>;
template <class Operation>
inline constexpr bool is_move =
    is_one_of<Operation, broadcast, select, shift_left, shift_right, permute_xor>;
template <class Operation> inline constexpr bool is_reduce = false;
template <template <class> class Op> inline constexpr bool is_reduce<reduce<Op>> = true;

/* The operations as a user's own code spells them. */
template <class T> SUBWAVE_DEVICE T join(subwave::plus<T>, T a, T b)
{
    return static_cast<T>(a + b);
}
template <class T> SUBWAVE_DEVICE T join(subwave::bit_and<T>, T a, T b) { return a & b; }
template <class T> SUBWAVE_DEVICE T join(subwave::minimum<T>, T a, T b) { return b < a ? b : a; }
template <class T> SUBWAVE_DEVICE T join(subwave::maximum<T>, T a, T b) { return a < b ? b : a; }

/* Where there is no such id; the shuffle is done by all, for lanes that skip it cannot be read. */
template <class T> SUBWAVE_DEVICE T own_outside(const input<T> &in, int size, T selected)
{
    return in.source < size ? selected : in.value;
}

/* Lanes of a group that begins at a multiple of its size; 0 for the others. */
template <class Kind> SUBWAVE_DEVICE constexpr int width()
{
    return is_one_of<Kind, whole, sub_group> ? subwave::wave_size() : Kind::size;
}

/* __shfl_xor and __shfl_up ladders, __ballot and bit counts. A side of a ballot is summed with the
 * other side's lanes at the identity, which takes a whole wave; a tangle by a loop over its
 * lanes. */
struct shuffles {
    template <class Operation, class Kind, class T>
    static constexpr bool offers =
        is_shuffled<T> && Kind::size <= subwave::wave_size() &&
        (width<Kind>() ? !std::is_same<Kind, sub_group>::value || is_vote<Operation> ||
                             is_place<Operation> || is_one_of<Operation, broadcast, select>
         : is_one_of<Kind, ballot>
             ? is_reduce<Operation> || is_vote<Operation> || is_place<Operation>
             : is_reduce<Operation> || is_place<Operation> || is_vote<Operation>);

    template <class Kind> static SUBWAVE_DEVICE std::uint64_t enter(Kind, bool mine)
    {
        if constexpr (is_one_of<Kind, ballot, ballot_branch>) {
            const std::uint64_t all = __ballot(1), yes = __ballot(mine);
            return mine ? yes : all & ~yes;
        }
        return 0;
    }

    template <template <class> class Op, class Kind, class T>
    static SUBWAVE_DEVICE T call(reduce<Op>, Kind, std::uint64_t side, const input<T> &in)
    {
        if constexpr (width<Kind>() != 0) {
            return ladder<Op, width<Kind>()>(in.value);
        } else if constexpr (is_one_of<Kind, ballot>) {
            constexpr int w = subwave::wave_size();
            const T identity = subwave::known_identity<Op<T>, T>::value();
            const bool first = side & 1; /* whether this lane is on lane 0's side */
            const T a = ladder<Op, w>(first ? in.value : identity);
            const T b = ladder<Op, w>(first ? identity : in.value);
            return first ? a : b;
        } else {
            std::uint64_t rest = is_one_of<Kind, ballot_branch> ? side : __ballot(1);
            T x = __shfl(in.value, __ffsll(static_cast<long long>(rest)) - 1);
            while (rest &= rest - 1)
                x = join(
                    Op<T>(), x,
                    static_cast<T>(__shfl(in.value, __ffsll(static_cast<long long>(rest)) - 1)));
            return x;
        }
    }
    template <template <class> class Op, class Kind, class T>
    static SUBWAVE_DEVICE T call(inclusive_scan<Op>, Kind, std::uint64_t, const input<T> &in)
    {
        return climb<Op, width<Kind>()>(in.value);
    }
    template <template <class> class Op, class Kind, class T>
    static SUBWAVE_DEVICE T call(exclusive_scan<Op>, Kind, std::uint64_t, const input<T> &in)
    {
        constexpr int w = width<Kind>();
        const T before = static_cast<T>(__shfl_up(climb<Op, w>(in.value), 1, w));
        return __lane_id() % w ? before : subwave::known_identity<Op<T>, T>::value();
    }
#define SUBWAVE_X(operation, expression) \
    template <class Kind, class T> \
    static SUBWAVE_DEVICE T call(operation, Kind, std::uint64_t side, const input<T> &in) \
    { \
        constexpr int w = width<Kind>(); \
        const std::uint64_t lanes = lanes_of<Kind>(side); \
        (void)w, (void)lanes, (void)in; \
        return static_cast<T>(expression); \
    }
    SUBWAVE_X(broadcast, __shfl(in.value, in.id, w))
    SUBWAVE_X(select, own_outside(in, w, __shfl(in.value, in.source, w)))
    SUBWAVE_X(shift_left, __shfl_down(in.value, 1, w))
    SUBWAVE_X(shift_right, __shfl_up(in.value, 1, w))
    SUBWAVE_X(permute_xor, __shfl_xor(in.value, 1, w))
    SUBWAVE_X(any_of, (__ballot(in.value != 0) & lanes) != 0)
    SUBWAVE_X(all_of, (__ballot(in.value == 0) & lanes) == 0)
    SUBWAVE_X(none_of, (__ballot(in.value != 0) & lanes) == 0)
    SUBWAVE_X(local_id, w ? __lane_id() % (w ? w : 1) : below(lanes))
    SUBWAVE_X(leader, (w ? __lane_id() % (w ? w : 1) : below(lanes)) == 0)
#undef SUBWAVE_X

private:
    static SUBWAVE_DEVICE unsigned below(std::uint64_t lanes)
    {
        return __popcll(lanes & ((std::uint64_t(1) << __lane_id()) - 1));
    }
    template <class Kind> static SUBWAVE_DEVICE std::uint64_t lanes_of(std::uint64_t side)
    {
        if constexpr (is_one_of<Kind, whole, sub_group, fixed<subwave::wave_size()>>)
            return ~std::uint64_t(0);
        else if constexpr (width<Kind>() != 0)
            return ((std::uint64_t(1) << width<Kind>()) - 1) << (__lane_id() & -width<Kind>());
        else
            return is_one_of<Kind, ballot, ballot_branch> ? side : __ballot(1);
    }
    template <template <class> class Op, int Width, class T> static SUBWAVE_DEVICE T ladder(T x)
    {
        SUBWAVE_UNROLL
        for (int distance = Width / 2; distance > 0; distance /= 2)
            x = join(Op<T>(), x, static_cast<T>(__shfl_xor(x, distance, Width)));
        return x;
    }
    template <template <class> class Op, int Width, class T> static SUBWAVE_DEVICE T climb(T x)
    {
        const int lane = __lane_id() % Width;
        SUBWAVE_UNROLL
        for (int distance = 1; distance < Width; distance *= 2) {
            const T below = static_cast<T>(__shfl_up(x, distance, Width));
            if (lane >= distance)
                x = join(Op<T>(), below, x);
        }
        return x;
    }
};

/* tiled_partition for fixed sizes, coalesced_threads for a sub-group and for what is in a branch.
 * Has no reductions nor scans; votes since ROCm 6. */
struct cooperative {
    template <class Operation, class Kind, class T>
    static constexpr bool offers =
        is_shuffled<T> && Kind::size <= subwave::wave_size() &&
        !is_one_of<Kind, ballot, ballot_branch> &&
        (is_place<Operation> || is_vote<Operation> && HIP_VERSION_MAJOR >= 6 ||
         is_move<Operation> && !(std::is_same<Operation, permute_xor>::value && Kind::size == 0));

    template <class Kind> static SUBWAVE_DEVICE auto enter(Kind, bool mine)
    {
        namespace cg = cooperative_groups;
        if constexpr (Kind::size != 0)
            return cg::tiled_partition<Kind::size>(cg::this_thread_block());
        else if constexpr (!Kind::in_branch)
            return cg::coalesced_threads();
        else
            return mine;
    }
#define SUBWAVE_X(operation, expression) \
    template <class Kind, class Entered, class T> \
    static SUBWAVE_DEVICE T call(operation, Kind, const Entered &entered, const input<T> &in) \
    { \
        auto g = group(Kind(), entered); \
        (void)in; \
        return static_cast<T>(expression); \
    }
    SUBWAVE_X(broadcast, g.shfl(in.value, in.id))
    SUBWAVE_X(select, own_outside(in, int(g.size()), g.shfl(in.value, in.source)))
    SUBWAVE_X(shift_left, g.shfl_down(in.value, 1))
    SUBWAVE_X(shift_right, g.shfl_up(in.value, 1))
    SUBWAVE_X(permute_xor, g.shfl_xor(in.value, 1))
    SUBWAVE_X(local_id, g.thread_rank())
    SUBWAVE_X(leader, g.thread_rank() == 0)
#if HIP_VERSION_MAJOR >= 6
    SUBWAVE_X(any_of, bool(g.any(in.value != 0)))
    SUBWAVE_X(all_of, bool(g.all(in.value != 0)))
    SUBWAVE_X(none_of, !g.any(in.value != 0))
#endif
#undef SUBWAVE_X

private:
    template <class Kind, class Entered>
    static SUBWAVE_DEVICE auto group(Kind, const Entered &entered)
    {
        if constexpr (Kind::in_branch && Kind::size == 0)
            return cooperative_groups::coalesced_threads();
        else
            return entered;
    }
};

/* __builtin_amdgcn_wave_reduce_*, over the active lanes, where the compiler has them. */
template <class Operation, class T> struct builtin {
    static constexpr bool exists = false;
};
#define SUBWAVE_X(operation, T, function) \
    template <> struct builtin<operation, T> { \
        static constexpr bool exists = true; \
        static SUBWAVE_DEVICE T of(T x) { return static_cast<T>(function(x, 0)); } \
    };
#if __has_builtin(__builtin_amdgcn_wave_reduce_add_u32)
SUBWAVE_X(reduce_plus, i32, __builtin_amdgcn_wave_reduce_add_u32)
SUBWAVE_X(reduce_plus, u32, __builtin_amdgcn_wave_reduce_add_u32)
SUBWAVE_X(reduce_minimum, i32, __builtin_amdgcn_wave_reduce_min_i32)
SUBWAVE_X(reduce_maximum, u32, __builtin_amdgcn_wave_reduce_max_u32)
SUBWAVE_X(reduce_bit_and, i32, __builtin_amdgcn_wave_reduce_and_b32)
#endif
#if __has_builtin(__builtin_amdgcn_wave_reduce_add_u64)
SUBWAVE_X(reduce_plus, i64, __builtin_amdgcn_wave_reduce_add_u64)
SUBWAVE_X(reduce_maximum, i64, __builtin_amdgcn_wave_reduce_max_i64)
SUBWAVE_X(reduce_bit_and, i64, __builtin_amdgcn_wave_reduce_and_b64)
#endif
#if __has_builtin(__builtin_amdgcn_wave_reduce_fadd_f32)
SUBWAVE_X(reduce_plus, f32, __builtin_amdgcn_wave_reduce_fadd_f32)
SUBWAVE_X(reduce_minimum, f32, __builtin_amdgcn_wave_reduce_fmin_f32)
SUBWAVE_X(reduce_maximum, f32, __builtin_amdgcn_wave_reduce_fmax_f32)
#endif
#undef SUBWAVE_X

struct builtins {
    template <class Operation, class Kind, class T>
    static constexpr bool offers =
        is_one_of<Kind, whole, sub_group, tangle, opportunistic> && builtin<Operation, T>::exists;
    template <class Kind> static SUBWAVE_DEVICE bool enter(Kind, bool mine) { return mine; }
    template <class Operation, class Kind, class T>
    static SUBWAVE_DEVICE T call(Operation, Kind, bool, const input<T> &in)
    {
        return builtin<Operation, T>::of(in.value);
    }
};

} // namespace cells

#endif
