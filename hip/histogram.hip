/* SPDX-License-Identifier: MIT
 * histogram.hip: how many elements of an array lie in each bin.
 *
 * Where bins are few enough, a block counts in shared memory, in several copies: neighbouring lanes
 * have different copies, which lie in different banks, so that elements of one bin cost no more than
 * elements of different ones. In the end it adds its counts to those in device memory. Where bins are
 * many, a wave adds to device memory at once what its lanes have of the same bin.
 */
#include "look_back.hpp"

SUBWAVE_BEGIN

/* Elements are counted in slots: those of bin b in slot b + 1. What is in no bin is in slot 0 or above all
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

    SUBWAVE_DEVICE explicit even_bins(const subwave_histogram_launch &p)
        : lower(p.lower), beyond(p.beyond), step(p.step), scale(p.scale),
          offset(static_cast<place>(p.offset)), margin(static_cast<place>(p.margin)), bins(p.bins)
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

    SUBWAVE_DEVICE explicit bounded_bins(const subwave_histogram_launch &p)
        : boundaries(static_cast<const T *>(p.boundaries)), bins(p.bins)
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

/* Of 8 bits there are so few values that these are counted; the bin of a value is found in the end. */
template <class T> struct values_as_bins {
    SUBWAVE_DEVICE std::uint32_t search(T element) const
    {
        return static_cast<std::uint8_t>(element) + 1u;
    }
    template <int Size>
    SUBWAVE_DEVICE void find(std::uint32_t (&slot)[Size], T (&element)[Size],
                             std::uint32_t limit) const
    {
        SUBWAVE_UNROLL
        for (int e = 0; e < Size; ++e)
            slot[e] = least(search(element[e]), limit);
    }
};

/* In shared memory: a lane's copies of the slots, which lie 2^shift bytes apart. */
struct block_counters {
    std::uint32_t *mine, shift;

    SUBWAVE_DEVICE void add(std::uint32_t slot) const
    {
        atomicAdd(
            reinterpret_cast<std::uint32_t *>(reinterpret_cast<char *>(mine) + (slot << shift)),
            1u);
    }
};

/* In device memory. All of a wave's lanes call together. Twice the first lane's bin is counted for
 * all lanes that have it, so that no bin of very many elements is waited for. */
struct device_counters {
    std::int64_t *counts;
    std::int32_t bins;

    SUBWAVE_DEVICE void add(std::uint32_t slot) const
    {
        std::int32_t bin =
            slot <= static_cast<std::uint32_t>(bins) ? static_cast<std::int32_t>(slot) - 1 : -1;
        const sub_group wave = this_work_item::get_sub_group();
        SUBWAVE_UNROLL
        for (int turn = 0; turn < 2; ++turn) {
            const auto counted =
                static_cast<lane_bits>(wave_ballot(wave.callers(), bin >= 0, site::current()));
            if (counted == 0)
                return;
            const int first = lowest_lane(counted);
            const std::int32_t common = wave_broadcast(wave.callers(), bin, first, site::current());
            const auto same =
                static_cast<lane_bits>(wave_ballot(wave.callers(), bin == common, site::current()));
            if (wave_lane() == first)
                atomic_add(&counts[common], static_cast<std::int64_t>(lane_count(same)));
            bin = bin == common ? -1 : bin;
        }
        if (bin >= 0)
            atomic_add(&counts[bin], std::int64_t(1));
    }
};

/* All elements of the array, by the blocks of the grid: packs from the first place that is aligned to
 * one, and by the first block what lies before and behind them. `last` is the greatest slot. */
template <class T, class Bins>
SUBWAVE_DEVICE void count(const subwave_histogram_launch &p, const Bins &bins, std::uint32_t last,
                          const block_counters &in_block)
{
    constexpr int size = pack_size<T>;
    const auto add = [&](auto &slot) {
        constexpr int count = sizeof slot / sizeof slot[0];
        if (sizeof(T) == 1 || p.counters > 0) {
            for (std::uint32_t s : slot)
                in_block.add(s);
        } else {
            SUBWAVE_ROLLED
            for (int e = 0; e < count; ++e, turn(slot))
                device_counters{p.counts, p.bins}.add(slot[0]);
        }
    };
    const T *const x = static_cast<const T *>(p.x);
    const auto place = reinterpret_cast<std::uintptr_t>(x) / sizeof(T);
    const std::int64_t until = (size - place % size) % size, before = until < p.n ? until : p.n;
    const std::int64_t packs = (p.n - before) / size, lanes = std::int64_t(gridDim.x) * array_block;
    const int item = static_cast<int>(threadIdx.x);
    const std::int64_t first = std::int64_t(blockIdx.x) * array_block + item;
    /* A pack is on its way from memory while the one before it is counted. */
    pack_words ahead = {};
    const auto load = [&](std::int64_t pack) {
        if (pack < packs)
            ahead = load_pack_words<true>(x + before + pack * size);
    };
    load(first);
    SUBWAVE_ROLLED
    for (std::int64_t pack = first; pack - item < packs; pack += lanes) {
        auto now = __builtin_bit_cast(pack_elements<T>, ahead.anew());
        load(pack + lanes);
        std::uint32_t slot[size];
        bins.find(slot, now.element, pack < packs ? last : 0);
        add(slot);
    }
    if (blockIdx.x == 0 && packs * size < p.n) {
        const std::int64_t i = item < before ? item : packs * size + item;
        std::uint32_t slot[] = {i < p.n ? least(bins.search(x[i]), last) : 0};
        add(slot);
    }
}

/* Calls body(which bins there are). */
template <class T, class Body>
SUBWAVE_DEVICE void with_bins(const subwave_histogram_launch &p, Body body)
{
    if (p.boundaries)
        body(bounded_bins<T>(p));
    else
        body(even_bins<T>(p));
}

template <class T> SUBWAVE_KERNEL(array_block) histogram(subwave_histogram_launch p)
{
    constexpr bool of_values = sizeof(T) == 1;
    SUBWAVE_DYNAMIC_SHARED(std::uint32_t, counts);
    const std::uint32_t item = threadIdx.x, copies = 1u << p.log_copies;
    const std::uint32_t slots = p.counters > 0 ? p.counters + 2 : 0;
    for (std::uint32_t i = item; i < slots << p.log_copies; i += array_block)
        counts[i] = 0;
    block_barrier(site::current());
    const block_counters counters{counts + item % copies, p.log_copies + 2};
    const auto bins = static_cast<std::uint32_t>(p.bins);
    if constexpr (of_values)
        count<T>(p, values_as_bins<T>(), p.counters + 1, counters);
    else
        with_bins<T>(p, [&](const auto &find) { count<T>(p, find, bins + 1, counters); });
    block_barrier(site::current());
    for (std::uint32_t i = item; i < p.counters; i += array_block) {
        /* Lanes begin at different copies, which lie in different banks. */
        std::uint32_t sum = 0;
        SUBWAVE_ROLLED
        for (std::uint32_t c = 0; c < copies; ++c)
            sum += counts[((i + 1) << p.log_copies) + (c + item) % copies];
        std::uint32_t bin = i;
        if constexpr (of_values)
            with_bins<T>(p, [&](auto find) { bin = find.search(static_cast<T>(i)) - 1; });
        if (sum > 0 && bin < bins)
            atomic_add(&p.counts[bin], static_cast<std::int64_t>(sum));
    }
}

template <class T> int launch_histogram(const subwave_histogram_launch &p, void *stream)
{
    const auto bins = static_cast<std::uint32_t>(p.bins);
    const std::uint32_t most = SUBWAVE_HISTOGRAM_BLOCKS;
    const std::uint32_t blocks = (bins - 1) / array_block + 1;
    const int status = launch(clear_states<std::int64_t>, dim3(blocks < most ? blocks : most),
                              dim3(array_block), 0, stream, p.counts, bins);
    if (status != 0 || p.n == 0)
        return status;
    return launch(histogram<T>, dim3(p.blocks), dim3(array_block),
                  (p.counters > 0 ? p.counters + 2 : 0) * sizeof(std::uint32_t) << p.log_copies,
                  stream, p);
}

SUBWAVE_END

SUBWAVE_KERNELS_histogram(SUBWAVE_DEFINE_LAUNCHER)
