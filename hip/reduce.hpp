/* SPDX-License-Identifier: MIT
 * reduce.hpp: what the reductions of arrays and of a matrix's rows share.
 */
#ifndef SUBWAVE_HIP_REDUCE_HPP
#define SUBWAVE_HIP_REDUCE_HPP

#include "array.hpp"

SUBWAVE_BEGIN

template <class T, class Op, class As, bool Aligned> struct reduce_fold {
    using value = typename As::value;
    static constexpr int size = pack_size<T>, sums = size;
    struct pack {
        T element[size];
    };
    const T *x;
    Op join;
    As as;

    SUBWAVE_DEVICE value none() const { return filler<Op, value>::value(); }
    SUBWAVE_DEVICE void load(pack &to, std::uint64_t i) const
    {
        load_pack<Aligned>(to.element, x + i * size);
    }
    SUBWAVE_DEVICE void add(value (&sum)[size], const pack &from) const
    {
        add_pack(sum, from.element, 0);
    }
    SUBWAVE_DEVICE void add_pack(value (&sum)[size], const T (&from)[size], int) const
    {
        SUBWAVE_UNROLL
        for (int e = 0; e < size; ++e)
            sum[e] = join(sum[e], as(from[e]));
    }
    SUBWAVE_DEVICE void add_element(value &sum, std::uint64_t i) const { add_value(sum, x[i], 0); }
    SUBWAVE_DEVICE void add_value(value &sum, const T &with, int) const
    {
        sum = join(sum, as(with));
    }
};

/* Calls body(whether rows that are so many elements apart are to be taken as aligned). */
template <class T, class Body> int with_aligned_rows(const void *x, std::int64_t apart, Body body)
{
    return with_alignment(x, reinterpret_cast<const void *>(apart * sizeof(T)), body);
}

SUBWAVE_END

#endif
