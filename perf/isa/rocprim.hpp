/* SPDX-License-Identifier: MIT
 * rocprim.hpp: cells of the instruction table as rocPRIM offers them. Reductions give all lanes the
 * result.
 */
#ifndef SUBWAVE_PERF_ISA_ROCPRIM_HPP
#define SUBWAVE_PERF_ISA_ROCPRIM_HPP

#include "hip.hpp"

#include <cstring>
#include <iostream>
#include <rocprim/rocprim.hpp>

namespace cells {

/* rocPRIM's own types and operations for ours. */
template <class T> struct its_type {
    using type = T;
};
template <> struct its_type<f16> {
    using type = ::rocprim::half;
};
template <> struct its_type<bf16> {
    using type = ::rocprim::bfloat16;
};
template <class T> using its = typename its_type<T>::type;
template <template <class> class Op, class T> struct its_op;
template <class T> struct its_op<subwave::plus, T> : ::rocprim::plus<T> {};
template <class T> struct its_op<subwave::minimum, T> : ::rocprim::minimum<T> {};
template <class T> struct its_op<subwave::maximum, T> : ::rocprim::maximum<T> {};
template <class T> struct its_op<subwave::bit_and, T> {
    SUBWAVE_DEVICE T operator()(const T &a, const T &b) const { return a & b; }
};

struct rocprim {
    template <class Operation, class Kind, class T>
    static constexpr bool offers =
        width<Kind>() != 0 && !Kind::asks && width<Kind>() <= subwave::wave_size() &&
        (!is_vote<Operation> && !is_place<Operation> || is_one_of<Kind, whole, sub_group>) &&
        !(std::is_same<Kind, sub_group>::value &&
          !(is_vote<Operation> || is_place<Operation> || is_reduce<Operation> ||
            is_one_of<Operation, broadcast, select>)) &&
        (is_shuffled<T> || is_reduce<Operation> || is_one_of<Operation, inclusive_scan_plus>);

    template <class Kind> static SUBWAVE_DEVICE int enter(Kind, bool)
    {
        if constexpr (std::is_same<Kind, sub_group>::value)
            return int(subwave::this_work_item::get_sub_group().get_local_linear_range());
        return 0;
    }

    template <template <class> class Op, class Kind, class T>
    static SUBWAVE_DEVICE T call(reduce<Op>, Kind, int members, const input<T> &in)
    {
        using reducer = ::rocprim::warp_reduce<its<T>, width<Kind>(), true>;
        typename reducer::storage_type storage;
        its<T> x = __builtin_bit_cast(its<T>, in.value);
        if constexpr (std::is_same<Kind, sub_group>::value)
            reducer().reduce(x, x, members, storage, its_op<Op, its<T>>());
        else
            reducer().reduce(x, x, storage, its_op<Op, its<T>>());
        return __builtin_bit_cast(T, x);
    }
    template <template <class> class Op, class Kind, class T>
    static SUBWAVE_DEVICE T call(inclusive_scan<Op>, Kind, int, const input<T> &in)
    {
        using scanner = ::rocprim::warp_scan<its<T>, width<Kind>()>;
        typename scanner::storage_type storage;
        its<T> x = __builtin_bit_cast(its<T>, in.value);
        scanner().inclusive_scan(x, x, storage, its_op<Op, its<T>>());
        return __builtin_bit_cast(T, x);
    }
    template <template <class> class Op, class Kind, class T>
    static SUBWAVE_DEVICE T call(exclusive_scan<Op>, Kind, int, const input<T> &in)
    {
        using scanner = ::rocprim::warp_scan<T, width<Kind>()>;
        typename scanner::storage_type storage;
        T x;
        scanner().exclusive_scan(in.value, x, subwave::known_identity<Op<T>, T>::value(), storage,
                                 its_op<Op, T>());
        return x;
    }
#define SUBWAVE_X(operation, expression) \
    template <class Kind, class T> \
    static SUBWAVE_DEVICE T call(operation, Kind, int, const input<T> &in) \
    { \
        constexpr int w = width<Kind>(); \
        (void)w, (void)in; \
        return static_cast<T>(expression); \
    }
    SUBWAVE_X(broadcast, ::rocprim::warp_shuffle(in.value, in.id, w))
    SUBWAVE_X(select, own_outside(in, w, ::rocprim::warp_shuffle(in.value, in.source, w)))
    SUBWAVE_X(shift_left, ::rocprim::warp_shuffle_down(in.value, 1, w))
    SUBWAVE_X(shift_right, ::rocprim::warp_shuffle_up(in.value, 1, w))
    SUBWAVE_X(permute_xor, ::rocprim::warp_shuffle_xor(in.value, 1, w))
    SUBWAVE_X(any_of, ::rocprim::detail::warp_any(in.value != 0))
    SUBWAVE_X(all_of, ::rocprim::detail::warp_all(in.value != 0))
    SUBWAVE_X(none_of, !::rocprim::detail::warp_any(in.value != 0))
    SUBWAVE_X(local_id, ::rocprim::lane_id())
    SUBWAVE_X(leader, ::rocprim::lane_id() == 0)
#undef SUBWAVE_X
};

} // namespace cells

#endif
