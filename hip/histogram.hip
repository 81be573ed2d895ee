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

/* What `at_once` says of an element whose bin takes longer to find, by `of`. */
inline constexpr std::int32_t unsure = -2;

/* Which bins elements are in, if bins are equally wide: in f64, as numpy.histogram computes it for
 * elements of f64. -1 for elements that are in none. */
template <class T> struct even_bins {
    using number = combined_t<T>;
    double lower, upper, step, scale;
    float guess_lower, guess_scale, guess_margin;
    std::int32_t bins;

    SUBWAVE_DEVICE explicit even_bins(const subwave_histogram_launch &p)
        : lower(p.lower), upper(p.upper), step(p.step), scale(p.scale),
          guess_lower(static_cast<float>(p.lower) - (is_integer_v<T> ? p.guess_shift : 0)),
          guess_scale(static_cast<float>(p.scale)), guess_margin(p.guess_margin), bins(p.bins)
    {
    }
    SUBWAVE_DEVICE double edge(std::int32_t i) const
    {
        return lower + rounded_product(static_cast<double>(i), step);
    }
    SUBWAVE_DEVICE std::int32_t of(T element) const
    {
        const auto x = static_cast<double>(static_cast<number>(element));
        if (!(x >= lower && x <= upper))
            return -1;
        auto i = static_cast<std::int32_t>((x - lower) * scale);
        i = i < bins ? i : bins - 1;
        while (i > 0 && x < edge(i))
            --i;
        while (i + 1 < bins && x >= edge(i + 1))
            ++i;
        return i;
    }
    /* f32 has the bits to say it of nearly all elements of up to 32 bits, and is faster. */
    SUBWAVE_DEVICE std::int32_t at_once(T element) const
    {
        if constexpr (sizeof(number) == 8)
            return of(element);
        const float place =
            (static_cast<float>(static_cast<number>(element)) - guess_lower) * guess_scale;
        const float whole = floorf(place), rest = place - whole;
        const auto end = static_cast<float>(bins); /* there is where `upper` may be */
        if (!(rest > guess_margin && rest < 1 - guess_margin) || whole == end)
            return unsure;
        const bool is_in = whole >= 0 && whole < end;
        return is_in ? static_cast<std::int32_t>(whole) : -1;
    }
};

/* The same between boundaries, of which there are bins + 1. */
template <class T> struct bounded_bins {
    using number = combined_t<T>;
    const T *boundaries;
    std::int32_t bins;

    SUBWAVE_DEVICE explicit bounded_bins(const subwave_histogram_launch &p)
        : boundaries(static_cast<const T *>(p.boundaries)), bins(p.bins)
    {
    }
    SUBWAVE_DEVICE std::int32_t at_once(T) const { return unsure; }
    SUBWAVE_DEVICE number boundary(std::int32_t i) const
    {
        return static_cast<number>(boundaries[i]);
    }
    SUBWAVE_DEVICE std::int32_t of(T element) const
    {
        const auto x = static_cast<number>(element);
        std::int32_t first = 0, count = bins + 1; /* of those that may be above x */
        while (count > 0) {
            const std::int32_t half = count / 2;
            const bool below = boundary(first + half) <= x;
            first = below ? first + half + 1 : first;
            count = below ? count - half - 1 : half;
        }
        if (first == bins + 1) /* the last bin has its upper boundary too */
            return x == boundary(bins) ? bins - 1 : -1;
        return first - 1;
    }
};

/* Of 8 bits there are so few values that these are counted; the bin of a value is found in the end. */
template <class T> struct values_as_bins {
    SUBWAVE_DEVICE std::int32_t of(T element) const { return static_cast<std::uint8_t>(element); }
    SUBWAVE_DEVICE std::int32_t at_once(T element) const { return of(element); }
};

/* The bins of a pack's elements. Those whose bin is not found at once take turns at the first place: the
 * indices of registers must be constants. */
template <class Bins, class T, int Size>
SUBWAVE_DEVICE void find_bins(const Bins &bins, std::int32_t (&bin)[Size], T (&element)[Size])
{
    bool any_unsure = false;
    SUBWAVE_UNROLL
    for (int e = 0; e < Size; ++e) {
        bin[e] = bins.at_once(element[e]);
        any_unsure |= bin[e] == unsure;
    }
    if (any_unsure) {
        SUBWAVE_ROLLED
        for (int e = 0; e < Size; ++e, turn(bin), turn(element))
            bin[0] = bin[0] == unsure ? bins.of(element[0]) : bin[0];
    }
}

/* In shared memory. */
struct block_counters {
    std::uint32_t *counts;
    std::uint32_t copies, mine;

    SUBWAVE_DEVICE void add(std::int32_t bin) const
    {
        if (bin >= 0)
            atomicAdd(&counts[static_cast<std::uint32_t>(bin) * copies + mine], 1u);
    }
};

/* In device memory. All of a wave's lanes call together. Twice the first lane's bin is counted for
 * all lanes that have it, so that no bin of very many elements is waited for. */
struct device_counters {
    std::int64_t *counts;

    SUBWAVE_DEVICE void add(std::int32_t bin) const
    {
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
 * one, and by the first block what lies before and behind them. */
template <class T, class Bins>
SUBWAVE_DEVICE void count(const subwave_histogram_launch &p, const Bins &bins,
                          const block_counters &in_block)
{
    constexpr int size = pack_size<T>, rows = SUBWAVE_ARRAY_ROWS;
    const auto add = [&](auto &bin) {
        constexpr int count = sizeof bin / sizeof bin[0];
        if (sizeof(T) == 1 || p.copies > 0) {
            for (std::int32_t b : bin)
                in_block.add(b);
        } else {
            SUBWAVE_ROLLED
            for (int e = 0; e < count; ++e, turn(bin))
                device_counters{p.counts}.add(bin[0]);
        }
    };
    const T *const x = static_cast<const T *>(p.x);
    const auto place = reinterpret_cast<std::uintptr_t>(x) / sizeof(T);
    const std::int64_t until = (size - place % size) % size, before = until < p.n ? until : p.n;
    const std::int64_t packs = (p.n - before) / size;
    const std::int64_t stride = std::int64_t(gridDim.x) * rows * array_block;
    const int item = static_cast<int>(threadIdx.x);
    for (std::int64_t first = std::int64_t(blockIdx.x) * rows * array_block; first < packs;
         first += stride) {
        T element[rows][size] = {};
        SUBWAVE_UNROLL
        for (int r = 0; r < rows; ++r)
            if (const std::int64_t i = first + r * array_block + item; i < packs)
                load_pack<true>(element[r], x + before + i * size);
        SUBWAVE_ROLLED
        for (int r = 0; r < rows; ++r, turn_rows(element)) {
            std::int32_t bin[size];
            find_bins(bins, bin, element[0]);
            if (first + r * array_block + item >= packs)
                for (std::int32_t &b : bin)
                    b = -1;
            add(bin);
        }
    }
    if (blockIdx.x == 0 && packs * size < p.n) {
        const std::int64_t i = item < before ? item : packs * size + item;
        std::int32_t bin[] = {i < p.n ? bins.of(x[i]) : -1};
        add(bin);
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
    const std::uint32_t item = threadIdx.x, each = p.counters;
    for (std::uint32_t i = item; i < each * p.copies; i += array_block)
        counts[i] = 0;
    block_barrier(site::current());
    const block_counters counters{counts, p.copies, p.copies > 0 ? item % p.copies : 0};
    if constexpr (of_values)
        count<T>(p, values_as_bins<T>(), counters);
    else
        with_bins<T>(p, [&](const auto &bins) { count<T>(p, bins, counters); });
    block_barrier(site::current());
    for (std::uint32_t i = item; i < each; i += array_block) {
        /* Lanes begin at different copies, which lie in different banks. */
        std::uint32_t sum = 0;
        for (std::uint32_t c = 0; c < p.copies; ++c)
            sum += counts[i * p.copies + (c + item) % p.copies];
        auto bin = static_cast<std::int32_t>(i);
        if constexpr (of_values)
            with_bins<T>(p, [&](auto bins) { bin = bins.of(static_cast<T>(i)); });
        if (sum > 0 && bin >= 0)
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
                  p.counters * p.copies * sizeof(std::uint32_t), stream, p);
}

SUBWAVE_END

SUBWAVE_KERNELS_histogram(SUBWAVE_DEFINE_LAUNCHER)
