/* SPDX-License-Identifier: MIT
 * bins.hpp: the bins of a histogram, and which of them an element is in.
 */
#ifndef SUBWAVE_HIP_BINS_HPP
#define SUBWAVE_HIP_BINS_HPP

#include "array.hpp"

SUBWAVE_BEGIN

/* How many lanes' bins a wave compares with those of all its lanes, to add once for all that have the same. */
constexpr int common_turns = 4;

/* Elements are in slots: those of bin b in slot b + 1. What is in no bin is in slot 0 or in the one
 * above all bins. */

/* The slots of elements if bins are equally wide: in f64, as numpy.histogram computes it for elements of
 * f64. Or a block of f32 has all edges at hand in shared memory, each as the least f32 that is not
 * below it. */
template <class T, bool AtHand = false> struct even_bins {
    using number = combined_t<T>;
    using place = std::conditional_t<sizeof(number) == 8, double, float>;
    double lower, beyond, step, scale;
    place offset, doubt;
    std::int32_t bins;
    const float *edges = nullptr; /* edges[s]: no element of slot s is below it */

    SUBWAVE_DEVICE explicit even_bins(const subwave_bins &p)
        : lower(p.lower), beyond(p.beyond), step(p.step), scale(p.scale),
          offset(static_cast<place>(p.offset)), doubt(static_cast<place>(p.doubt)), bins(p.count)
    {
        /* A multiply-add takes one operand from scalar registers on AMD, which is the scale: LLVM would
         * copy the offset to vector registers for each pack. */
        if constexpr (sizeof(place) == 8)
            offset =
                __builtin_bit_cast(double, of_each_lane(__builtin_bit_cast(std::int64_t, offset)));
    }
    /* With edges at hand. All of a block call this, and then a barrier. */
    SUBWAVE_DEVICE even_bins(const subwave_bins &p, float *at_hand, std::uint32_t block)
        : even_bins(p)
    {
        for (std::uint32_t i = threadIdx.x; i <= static_cast<std::uint32_t>(bins) + 1; i += block) {
            const double at = i > 0 ? edge(static_cast<std::int32_t>(i) - 1) : -INFINITY;
            const auto near = static_cast<float>(at);
            at_hand[i] = near < at ? nextafterf(near, INFINITY) : near;
        }
        edges = at_hand;
    }
    SUBWAVE_DEVICE double edge(std::int32_t i) const
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
    SUBWAVE_DEVICE void find(std::uint32_t (&slot)[Size], T (&element)[Size]) const
    {
        /* A number outside all bins is moved to the middle of the slot before or behind them, where
         * no edge is near. Integers may come out half a slot too high, and the upper end of the range
         * then lies above its edge. */
        constexpr bool is_integer = is_integer_v<T>;
        const auto above_all = static_cast<std::uint32_t>(bins) + 1;
        const place outside = static_cast<place>(0.5),
                    most = static_cast<place>(above_all + is_integer) + outside;
        place at[Size], above_edge[Size], least_above = 1;
        SUBWAVE_UNROLL
        for (int e = 0; e < Size; ++e)
            at[e] =
                static_cast<place>(static_cast<number>(element[e])) * static_cast<place>(scale) +
                offset;
        SUBWAVE_UNROLL
        for (int e = 0; e < Size; ++e) {
            at[e] = number_between(at[e], outside, most);
            slot[e] = static_cast<std::uint32_t>(at[e]);
            above_edge[e] = fraction(at[e]);
            if constexpr (is_integer) {
                above_edge[e] = slot[e] == above_all ? 0 : above_edge[e];
                slot[e] = slot[e] < above_all ? slot[e] : above_all;
            }
            least_above = e == 0 ? above_edge[0] : lesser(least_above, above_edge[e]);
        }
        /* Compared with the edge itself, there is no doubt on which side of it an element is. */
        if (least_above < doubt) {
            SUBWAVE_UNROLL
            for (int e = 0; e < Size; ++e)
                if constexpr (AtHand) {
                    slot[e] -= static_cast<float>(element[e]) < edges[slot[e]];
                } else if (above_edge[e] < doubt) {
                    slot[e] -= static_cast<double>(static_cast<number>(element[e])) <
                               edge(static_cast<std::int32_t>(slot[e]) - 1);
                }
        }
    }
    static SUBWAVE_DEVICE float lesser(float a, float b) { return fminf(a, b); }
    static SUBWAVE_DEVICE double lesser(double a, double b) { return fmin(a, b); }
};

/* The same if bins are as narrow as numbers are apart. */
template <class T> struct narrow_bins : even_bins<T> {
    using even_bins<T>::even_bins;
    template <int Size>
    SUBWAVE_DEVICE void find(std::uint32_t (&slot)[Size], T (&element)[Size]) const
    {
        SUBWAVE_UNROLL
        for (int e = 0; e < Size; ++e)
            slot[e] = 0; /* else GCC takes them as not initialized */
        SUBWAVE_ROLLED
        for (int e = 0; e < Size; ++e, turn(slot), turn(element))
            slot[0] = this->search(element[0]);
    }
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
    SUBWAVE_DEVICE void find(std::uint32_t (&slot)[Size], T (&element)[Size]) const
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
            slot[e] = static_cast<std::uint32_t>(first[e] - is_last);
        }
    }
    SUBWAVE_DEVICE std::uint32_t search(T element) const
    {
        std::uint32_t slot[1];
        T one[] = {element};
        find(slot, one);
        return slot[0];
    }
};

/* Calls body(which bins there are). */
template <class T, class Body> SUBWAVE_DEVICE void with_bins(const subwave_bins &bins, Body body)
{
    if (bins.boundaries)
        body(bounded_bins<T>(bins));
    else if (bins.doubt >= SUBWAVE_HISTOGRAM_DOUBT)
        body(narrow_bins<T>(bins));
    else
        body(even_bins<T>(bins));
}

/* Any of these, looked up for each pack: then there is one copy of the code that does more with an element
 * than to find its slot. */
template <class T> struct any_bins {
    const subwave_bins &p;

    template <int Size>
    SUBWAVE_DEVICE void find(std::uint32_t (&slot)[Size], T (&element)[Size]) const
    {
        with_bins<T>(p, [&](const auto &bins) { bins.find(slot, element); });
    }
    SUBWAVE_DEVICE std::uint32_t search(T element) const
    {
        std::uint32_t slot = 0;
        with_bins<T>(p, [&](const auto &bins) { slot = bins.search(element); });
        return slot;
    }
};

SUBWAVE_END

#endif
