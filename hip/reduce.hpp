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
        add_pack(sum, from.element, 0, true);
    }
    SUBWAVE_DEVICE void add_pack(value (&sum)[size], const T (&from)[size], int, bool has) const
    {
        SUBWAVE_UNROLL
        for (int e = 0; e < size; ++e)
            sum[e] = has ? join(sum[e], as(from[e])) : sum[e];
    }
    SUBWAVE_DEVICE void add_element(value &sum, std::uint64_t i) const { add_value(sum, x[i], 0); }
    SUBWAVE_DEVICE void add_value(value &sum, const T &with, int) const
    {
        sum = join(sum, as(with));
    }
};

/* What with_array_op<T, true> takes in place of an op, with the bits to invert of elements and of
 * results, as often as an element of 8 bytes has them; and whether other results than 0 become 1.
 *
 * With some of their bits inverted, integers with a sign are ordered as those without, the greatest
 * number is the least, and "or" is "and". So fewer ops and types need code. */
struct inverted_op {
    subwave_op op;
    int to_truth;
    std::uint64_t flip;
};
/* Whether there may be bits to invert. */
template <class T, class Op>
inline constexpr bool is_inverted_v = std::is_same<Op, minimum<combined_t<T>>>::value ||
                                      std::is_same<Op, bit_and<combined_t<T>>>::value;
template <class T> inverted_op invert_op(subwave_op op)
{
    constexpr std::uint64_t all = ~std::uint64_t(0),
                            signs = all / ((std::uint64_t(1) << (8 * sizeof(T) - 1)) * 2 - 1)
                                    << (8 * sizeof(T) - 1);
    inverted_op result = {op, false, 0};
    const bool is_greatest = op == SUBWAVE_OP_MAXIMUM;
    if constexpr (is_integer_v<T>) {
        result.op = op_of_bits(op);
        result.to_truth = result.op != op;
        if (op == SUBWAVE_OP_MINIMUM || is_greatest)
            result.flip = std::is_signed<T>::value ? signs : 0;
        if (is_greatest || result.op == SUBWAVE_OP_BIT_OR)
            result.flip ^= all;
        if (result.op == SUBWAVE_OP_BIT_OR)
            result.op = SUBWAVE_OP_BIT_AND;
    } else if (is_greatest) {
        result.flip = signs;
    }
    if (is_greatest)
        result.op = SUBWAVE_OP_MINIMUM;
    return result;
}

/* Calls body(whether rows that are so many elements apart are to be taken as aligned). */
template <class T, class Body> int with_aligned_rows(const void *x, std::int64_t apart, Body body)
{
    return with_alignment(x, reinterpret_cast<const void *>(apart * sizeof(T)), body);
}
/* The same of two matrices. */
template <class T, class Body>
int with_aligned_rows(const void *x, std::int64_t ldx, const void *y, std::int64_t ldy, Body body)
{
    const auto bits = reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(y);
    return with_aligned_rows<T>(reinterpret_cast<const void *>(bits), ldx | ldy, body);
}

SUBWAVE_END

#endif
