/* SPDX-License-Identifier: MIT
 * cells.hpp: what a cell of the instruction table is: one collective of one kind of group in one
 * type, as a kernel that does nothing else, whichever library supplies the collective.
 *
 * A library is a class with
 *   offers<Operation, Kind, T>             whether it has the cell
 *   enter(Kind, predicate)                 what it makes where all lanes are together
 *   call(Operation, Kind, entered, in)     the collective, where its members are together
 */
#ifndef SUBWAVE_TESTS_ISA_CELLS_HPP
#define SUBWAVE_TESTS_ISA_CELLS_HPP

#include <subwave/subwave.hpp>

namespace cells {

using subwave::bfloat16;
using subwave::half;

using i8 = std::int8_t;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using f16 = half;
using bf16 = bfloat16;
using f32 = float;
using f64 = double;

/* --- kinds: who takes part, and where -------------------------------------------------------- */

struct converged {
    static constexpr bool asks = false;      /* whether it has a predicate */
    static constexpr bool in_branch = false; /* whether the call stands in the predicate's branch */
    static constexpr int size = 0;           /* of a fixed-size group */
};
struct asking : converged {
    static constexpr bool asks = true;
};
struct branched : asking {
    static constexpr bool in_branch = true;
};
struct whole : converged {};     /* a sub-group of all lanes, which the compiler is told */
struct sub_group : converged {}; /* a sub-group, perhaps a partial one */
template <int P> struct fixed : converged {
    static constexpr int size = P;
};
using fixed2 = fixed<2>;
using fixed4 = fixed<4>;
using fixed8 = fixed<8>;
using fixed16 = fixed<16>;
using fixed32 = fixed<32>;
using fixed64 = fixed<64>;
struct fixed8_branch : branched { /* whole groups take the branch or do not */
    static constexpr int size = 8;
};
struct ballot : asking {};          /* both sides at once */
struct ballot_branch : branched {}; /* one side, in its branch */
struct tangle : branched {};
struct opportunistic : branched {};

/* --- operations: what a call is given -------------------------------------------------------- */

struct of_value {
    static constexpr bool takes_value = true, takes_source = false, takes_id = false;
};
template <template <class> class Op> struct reduce : of_value {};
template <template <class> class Op> struct inclusive_scan : of_value {};
template <template <class> class Op> struct exclusive_scan : of_value {};
using reduce_plus = reduce<subwave::plus>;
using reduce_minimum = reduce<subwave::minimum>;
using reduce_maximum = reduce<subwave::maximum>;
using reduce_bit_and = reduce<subwave::bit_and>;
using inclusive_scan_plus = inclusive_scan<subwave::plus>;
using exclusive_scan_plus = exclusive_scan<subwave::plus>;
struct broadcast : of_value { /* an id that all lanes share */
    static constexpr bool takes_id = true;
};
struct select : of_value { /* an id of each lane's own */
    static constexpr bool takes_source = true;
};
struct shift_left : of_value {}; /* by one */
struct shift_right : of_value {};
struct permute_xor : of_value {}; /* with one */
struct any_of : of_value {};
struct all_of : of_value {};
struct none_of : of_value {};
struct of_nothing : of_value {
    static constexpr bool takes_value = false;
};
struct local_id : of_nothing {};
struct leader : of_nothing {};

template <class T> struct input {
    T value;
    int source, id;
};

/* --- the kernel ------------------------------------------------------------------------------ */

/* the most work-items of one; a block's rows begin at a multiple of it */
constexpr int block = 256;

template <class Library, class Operation, class Kind, class T>
SUBWAVE_DEVICE void cell(const T *x, const i32 *predicate, const i32 *source, i32 id, T *y)
{
    if constexpr (Library::template offers<Operation, Kind, T>) {
        /* Has all three ids passed to the kernel, so that every library unpacks them. */
        if (threadIdx.y + threadIdx.z > 1000)
            __builtin_unreachable();
        const std::size_t first = std::size_t(blockIdx.x) * block;
        const unsigned item = threadIdx.x;
        const input<T> in{Operation::takes_value ? (x + first)[item] : T(),
                          Operation::takes_source ? (source + first)[item] : 0,
                          Operation::takes_id ? id : 0};
        const bool mine = Kind::asks && (predicate + first)[item] != 0;
        const auto entered = Library::enter(Kind(), mine);
        if (!Kind::in_branch || mine)
            (y + first)[item] = static_cast<T>(Library::call(Operation(), Kind(), entered, in));
    }
}

/* The kernel operation__kind__type. */
#define SUBWAVE_CELL(Library, operation, kind, type) \
    extern "C" SUBWAVE_KERNEL(cells::block) \
        operation##__##kind##__##type(const cells::type *x, const cells::i32 *predicate, \
                                      const cells::i32 *source, cells::i32 id, cells::type *y) \
    { \
        cells::cell<Library, cells::operation, cells::kind>(x, predicate, source, id, y); \
    }

/* --- what every cell costs whatever its collective does -------------------------------------- */

/* The collective that returns its argument. Its kernel's instructions are taken from a cell's. */
struct baseline {
    template <class Operation, class Kind, class T> static constexpr bool offers = true;
    template <class Kind> static SUBWAVE_DEVICE bool enter(Kind, bool mine)
    {
        if constexpr (Kind::asks && !Kind::in_branch)
            asm volatile("" : : "v"(int(mine)));
        return mine;
    }
    template <class Operation, class Kind, class T>
    static SUBWAVE_DEVICE T call(Operation, Kind, bool, const input<T> &in)
    {
        if constexpr (Operation::takes_source)
            asm volatile("" : : "v"(in.source));
        if constexpr (Operation::takes_id)
            asm volatile("" : : "s"(in.id));
        if constexpr (Operation::takes_value)
            return in.value;
        T any;
        asm volatile("" : "=v"(any));
        return any;
    }
};

/* --- ours ------------------------------------------------------------------------------------ */

struct ours {
    template <class Operation, class Kind, class T>
    static constexpr bool offers = Kind::size <= subwave::wave_size();

    template <class Kind> static SUBWAVE_DEVICE auto enter(Kind, bool mine)
    {
        const subwave::sub_group sg = subwave::this_work_item::get_sub_group();
        if constexpr (std::is_same<Kind, whole>::value) {
            if (sg.lanes() != ~subwave::lane_mask(0) >> (64 - subwave::wave_size()))
                __builtin_unreachable();
            return sg;
        } else if constexpr (Kind::size != 0) {
            return subwave::get_fixed_size_group<Kind::size>(sg);
        } else if constexpr (std::is_same<Kind, ballot>::value ||
                             std::is_same<Kind, ballot_branch>::value) {
            return subwave::get_ballot_group(sg, mine);
        } else {
            return sg;
        }
    }

    template <class Operation, class Kind, class Entered, class T>
    static SUBWAVE_DEVICE auto call(Operation operation, Kind, Entered entered, const input<T> &in)
    {
        if constexpr (std::is_same<Kind, tangle>::value)
            return collective(operation, subwave::get_tangle_group(entered), in);
        else if constexpr (std::is_same<Kind, opportunistic>::value)
            return collective(operation, subwave::this_kernel::get_opportunistic_group(), in);
        else
            return collective(operation, entered, in);
    }

private:
    template <template <class> class Op, class Group, class T>
    static SUBWAVE_DEVICE T collective(reduce<Op>, Group g, const input<T> &in)
    {
        return subwave::reduce_over_group(g, in.value, Op<T>());
    }
    template <template <class> class Op, class Group, class T>
    static SUBWAVE_DEVICE T collective(inclusive_scan<Op>, Group g, const input<T> &in)
    {
        return subwave::inclusive_scan_over_group(g, in.value, Op<T>());
    }
    template <template <class> class Op, class Group, class T>
    static SUBWAVE_DEVICE T collective(exclusive_scan<Op>, Group g, const input<T> &in)
    {
        return subwave::exclusive_scan_over_group(g, in.value, Op<T>());
    }
#define SUBWAVE_X(operation, expression) \
    template <class Group, class T> \
    static SUBWAVE_DEVICE auto collective(operation, Group g, const input<T> &in) \
    { \
        (void)in; \
        return subwave::expression; \
    }
    SUBWAVE_X(broadcast, group_broadcast(g, in.value, subwave::id<1>(u32(in.id))))
    SUBWAVE_X(select, select_from_group(g, in.value, u32(in.source)))
    SUBWAVE_X(shift_left, shift_group_left(g, in.value))
    SUBWAVE_X(shift_right, shift_group_right(g, in.value))
    SUBWAVE_X(permute_xor, permute_group_by_xor(g, in.value, 1))
    SUBWAVE_X(any_of, any_of_group(g, in.value != 0))
    SUBWAVE_X(all_of, all_of_group(g, in.value != 0))
    SUBWAVE_X(none_of, none_of_group(g, in.value != 0))
#undef SUBWAVE_X
    template <class Group, class T>
    static SUBWAVE_DEVICE u32 collective(local_id, Group g, const input<T> &)
    {
        return g.get_local_linear_id();
    }
    template <class Group, class T>
    static SUBWAVE_DEVICE bool collective(leader, Group g, const input<T> &)
    {
        return g.leader();
    }
};

} // namespace cells

#endif
