/* SPDX-License-Identifier: MIT
 * bins.hpp: the bins of a histogram, and which of them an element is in.
 */
#ifndef SUBWAVE_HIP_BINS_HPP
#define SUBWAVE_HIP_BINS_HPP

#include "array.hpp"

SUBWAVE_BEGIN

/* Elements are in slots: those of bin b in slot b + 1. What is in no bin is in slot 0 or above all
 * bins, in `limit`, as is what a lane has that has no elements: its limit is 0. */
template <class Integer> SUBWAVE_DEVICE std::uint32_t least(Integer slot, std::uint32_t limit)
{
    return slot < limit ? static_cast<std::uint32_t>(slot) : limit;
}

/* The slots of elements if bins are equally wide: in f64, as numpy.histogram computes it for elements of
 * f64. */
template <class T> struct even_bins {
    using number = combined_t<T>;
    using place = std::conditional_t<sizeof(number) == 8, double, float>;
    using bits = unsigned_of<place>;
    using integer = std::make_signed_t<bits>;
    /* Added to a number, it leaves no room for a fraction: the last bits of the sum are the nearest
     * integer. Those of a number that is too great for that are beyond all bins. */
    static constexpr place to_integer =
        static_cast<place>(sizeof(place) == 8 ? 0x1.8p52 : 0x1.8p23);
    double lower, beyond, step, scale;
    place offset, margin;
    std::int32_t bins;

    SUBWAVE_DEVICE explicit even_bins(const subwave_bins &p)
        : lower(p.lower), beyond(p.beyond), step(p.step), scale(p.scale),
          offset(static_cast<place>(p.offset)), margin(static_cast<place>(p.margin)), bins(p.count)
    {
    }
    SUBWAVE_DEVICE double edge(integer i) const
    {
        return i == bins ? beyond : lower + rounded_product(static_cast<double>(i), step);
    }
    SUBWAVE_DEVICE std::uint32_t search(T element) const
    {
        const auto x = static_cast<double>(static_cast<number>(element));
        if (!(x >= lower && x < beyond))
            return 0;
        auto i = static_cast<std::int32_t>((x - lower) * scale);
        i = i < bins ? i : bins - 1;
        /* LLVM 22 would turn these loops into ones of several steps, with more scalar registers than
         * there are. */
        SUBWAVE_ROLLED
        while (i > 0 && x < edge(i))
            i = static_cast<std::int32_t>(of_each_lane(i - 1));
        SUBWAVE_ROLLED
        while (i + 1 < bins && x >= edge(i + 1))
            i = static_cast<std::int32_t>(of_each_lane(i + 1));
        return static_cast<std::uint32_t>(i + 1);
    }
    template <int Size>
    SUBWAVE_DEVICE void find(std::uint32_t (&slot)[Size], T (&element)[Size],
                             std::uint32_t limit) const
    {
        if (margin >= SUBWAVE_HISTOGRAM_MARGIN) { /* bins as narrow as numbers are apart */
            SUBWAVE_ROLLED
            for (int e = 0; e < Size; ++e, turn(slot), turn(element))
                slot[0] = least(search(element[0]), limit);
            return;
        }
        bits nearest[Size];
        place from_edge[Size], least_from_edge = 1;
        SUBWAVE_UNROLL
        for (int e = 0; e < Size; ++e) {
            const place at = static_cast<place>(static_cast<number>(element[e])) *
                                 static_cast<place>(scale) +
                             offset,
                        sum = at + to_integer, rest = at - (sum - to_integer);
            nearest[e] = __builtin_bit_cast(bits, sum) - __builtin_bit_cast(bits, to_integer);
            const bits place_slot = nearest[e] + (rest >= 0);
            from_edge[e] = rest;
            if constexpr (is_integer_v<T>) /* half above where it is may be the upper end */
                if (place_slot == static_cast<bits>(bins) + 1) {
                    from_edge[e] = 0;
                    nearest[e] = static_cast<bits>(bins);
                }
            least_from_edge = lesser(least_from_edge, magnitude(from_edge[e]));
            slot[e] = least(place_slot, limit);
        }
        /* In f64 there is no doubt on which side of its nearest edge an element is. */
        if (least_from_edge < margin) {
            SUBWAVE_UNROLL
            for (int e = 0; e < Size; ++e) {
                const auto i = static_cast<integer>(nearest[e]);
                const auto x = static_cast<double>(static_cast<number>(element[e]));
                const bool is_above = x >= edge(i);
                slot[e] = magnitude(from_edge[e]) < margin
                              ? least(static_cast<bits>(i + is_above), limit)
                              : slot[e];
            }
        }
    }
    static SUBWAVE_DEVICE float magnitude(float x) { return fabsf(x); }
    static SUBWAVE_DEVICE double magnitude(double x) { return fabs(x); }
    /* The number, if one is none: what is no number is in no bin anyway. */
    static SUBWAVE_DEVICE float lesser(float a, float b) { return fminf(a, b); }
    static SUBWAVE_DEVICE double lesser(double a, double b) { return fmin(a, b); }
};

/* The same between boundaries, of which there are bins + 1: slot s if s of them are at most x. */
template <class T> struct bounded_bins {
    using number = combined_t<T>;
    const T *boundaries;
    std::int32_t bins;

    SUBWAVE_DEVICE explicit bounded_bins(const subwave_bins &p)
        : boundaries(static_cast<const T *>(p.boundaries)), bins(p.count)
    {
    }
    SUBWAVE_DEVICE number boundary(std::int32_t i) const
    {
        return static_cast<number>(boundaries[i]);
    }
    template <int Size>
    SUBWAVE_DEVICE void find(std::uint32_t (&slot)[Size], T (&element)[Size],
                             std::uint32_t limit) const
    {
        std::int32_t first[Size] = {};
        /* All elements take the same steps, so that their loads are on their way together. */
        for (std::int32_t left = bins + 1; left > 0; left -= left > 1 ? left / 2 : 1) {
            const std::int32_t half = left > 1 ? left / 2 : 1;
            SUBWAVE_UNROLL
            for (int e = 0; e < Size; ++e)
                first[e] +=
                    boundary(first[e] + half - 1) <= static_cast<number>(element[e]) ? half : 0;
        }
        SUBWAVE_UNROLL
        for (int e = 0; e < Size; ++e) {
            /* The last bin has its upper boundary too. */
            const bool is_last =
                first[e] > bins && static_cast<number>(element[e]) == boundary(bins);
            slot[e] = least(static_cast<std::uint32_t>(first[e] - is_last), limit);
        }
    }
    SUBWAVE_DEVICE std::uint32_t search(T element) const
    {
        std::uint32_t slot[1];
        T one[] = {element};
        find(slot, one, ~0u);
        return slot[0];
    }
};

/* Calls body(which bins there are). */
template <class T, class Body> SUBWAVE_DEVICE void with_bins(const subwave_bins &bins, Body body)
{
    if (bins.boundaries)
        body(bounded_bins<T>(bins));
    else
        body(even_bins<T>(bins));
}

SUBWAVE_END

#endif
