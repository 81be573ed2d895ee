/* SPDX-License-Identifier: MIT
 * histogram.hip: how many elements of an array lie in each bin.
 *
 * Where bins are few enough, a block counts in shared memory, in several copies: neighbouring lanes
 * have different copies, which lie in different banks, so that elements of one bin cost no more than
 * elements of different ones. In the end it adds its counts to those in device memory. Where bins are
 * many, a wave adds to device memory at once what its lanes have of the same bin.
 */
#include "bins.hpp"
#include "look_back.hpp"
#include "shapes.hpp"

SUBWAVE_BEGIN

constexpr subwave_counting_shape counting = shapes.counting;

/* Of 8 bits there are so few values that these are counted; the bin of a value is found in the end. */
template <class T> struct values_as_bins {
    SUBWAVE_DEVICE std::uint32_t search(T element) const
    {
        return static_cast<std::uint8_t>(element) + 1u;
    }
    template <int Size>
    SUBWAVE_DEVICE void find(std::uint32_t (&slot)[Size], T (&element)[Size]) const
    {
        SUBWAVE_UNROLL
        for (int e = 0; e < Size; ++e)
            slot[e] = search(element[e]);
    }
};

/* In shared memory: copies of the slots, which lie 2^shift bytes apart. All work-items of a block call
 * together, except add(). */
template <class T> class block_counters {
    const subwave_histogram_launch &p_;
    std::uint32_t *const counts_, *const mine_; /* mine_: this lane's copy of slot 0 */
    const std::uint32_t shift_;

    SUBWAVE_DEVICE std::uint32_t copies() const { return 1u << p_.log_copies; }

public:
    /* Whether packs are counted one after the other by the same instructions, which is less code. */
    static constexpr bool in_turn = false;

    SUBWAVE_DEVICE block_counters(const subwave_histogram_launch &p, std::uint32_t *counts)
        : p_(p), counts_(counts), mine_(counts + (threadIdx.x & ((1u << p.log_copies) - 1))),
          shift_(p.log_copies + 2)
    {
        for (std::uint32_t i = threadIdx.x; i < (p.counters + 2) << p.log_copies;
             i += counting.block)
            counts[i] = 0;
        block_barrier(site::current());
    }
    template <int Size>
    SUBWAVE_DEVICE void add(const std::uint32_t (&slot)[Size], bool has_elements) const
    {
        if (has_elements)
            for (std::uint32_t s : slot)
                atomicAdd(reinterpret_cast<std::uint32_t *>(reinterpret_cast<char *>(mine_) +
                                                            (s << shift_)),
                          1u);
    }
    SUBWAVE_DEVICE void finish() const
    {
        const std::uint32_t item = threadIdx.x;
        block_barrier(site::current());
        /* Blocks begin at different counters, which lie in different parts of the cache. */
        const std::uint32_t ahead =
            p_.counters > counting.block ? blockIdx.x * counting.block % p_.counters : 0;
        for (std::uint32_t at = item; at < p_.counters; at += counting.block) {
            const std::uint32_t i =
                at + ahead < p_.counters ? at + ahead : at + ahead - p_.counters;
            /* Lanes begin at different copies, which lie in different banks. */
            std::uint32_t sum = 0;
            SUBWAVE_ROLLED
            for (std::uint32_t c = 0; c < copies(); ++c)
                sum += counts_[((i + 1) << p_.log_copies) + ((c + item) & (copies() - 1))];
            std::uint32_t bin = i;
            if constexpr (sizeof(T) == 1)
                with_bins<T>(p_.bins, [&](auto find) { bin = find.search(static_cast<T>(i)) - 1; });
            if (sum > 0 && bin < static_cast<std::uint32_t>(p_.bins.count))
                atomic_add(&p_.counts[bin], static_cast<std::int64_t>(sum));
        }
    }
};

/* In device memory, where additions to one place wait for each other. So a wave counts a bin that many of
 * its lanes have in a register, until there is another such bin. All of a wave's lanes call together. */
class device_counters {
    std::int64_t *counts_;
    std::int32_t bins_, common_ = -2; /* that bin; none yet, since -1 is no bin */
    std::int64_t count_ = 0;

    SUBWAVE_DEVICE void add(std::uint32_t slot)
    {
        std::int32_t bin =
            slot <= static_cast<std::uint32_t>(bins_) ? static_cast<std::int32_t>(slot) - 1 : -1;
        const sub_group wave = this_work_item::get_sub_group();
        const auto lanes_of = [&](std::int32_t wanted) {
            return static_cast<lane_bits>(
                wave_ballot(wave.callers(), bin == wanted, site::current()));
        };
        count_ += lane_count(lanes_of(common_));
        bin = bin == common_ ? -1 : bin;
        auto left = static_cast<lane_bits>(wave_ballot(wave.callers(), bin >= 0, site::current()));
        SUBWAVE_ROLLED
        for (int turn = 0; turn < common_turns && left != 0; ++turn) {
            const std::int32_t first =
                wave_broadcast(wave.callers(), bin, lowest_lane(left), site::current());
            const lane_bits same = lanes_of(first);
            left &= ~same;
            if (lane_count(same) >= wave_size() / 8) {
                finish();
                common_ = first;
                count_ = lane_count(same);
                bin = bin == first ? -1 : bin;
            }
        }
        if (bin >= 0)
            atomic_add(&counts_[bin], std::int64_t(1));
    }

public:
    static constexpr bool in_turn = true;

    SUBWAVE_DEVICE explicit device_counters(const subwave_histogram_launch &p)
        : counts_(p.counts), bins_(p.bins.count)
    {
    }
    /* Only some of the lanes may have elements. */
    template <int Size> SUBWAVE_DEVICE void add(std::uint32_t (&slot)[Size], bool has_elements)
    {
        SUBWAVE_ROLLED
        for (int e = 0; e < Size; ++e, turn(slot))
            add(has_elements ? slot[0] : 0);
    }
    SUBWAVE_DEVICE void finish() const
    {
        if (count_ > 0 && wave_lane() == 0)
            atomic_add(&counts_[common_], count_);
    }
};

/* All elements of the array, by the blocks of the grid: packs from the first place that is aligned to
 * one; the first block takes what lies before and behind them. */
template <class T, class Bins, class Counters>
SUBWAVE_DEVICE void count(const subwave_histogram_launch &p, const Bins &bins, Counters &counters)
{
    constexpr int size = pack_size<T>, rows = counting.packs;
    const T *const x = static_cast<const T *>(p.x);
    const auto place = reinterpret_cast<std::uintptr_t>(x) / sizeof(T);
    const int until = static_cast<int>((size - place % size) % size),
              before = wave_uniform(until < p.n ? until : static_cast<int>(p.n));
    const std::int64_t packs = (p.n - before) / size;
    const int item = static_cast<int>(threadIdx.x);
    constexpr int tile = rows * counting.block;
    const auto tiles =
        static_cast<std::uint32_t>(wave_uniform(static_cast<int>((packs + tile - 1) / tile)));
    const int of_last = static_cast<int>(packs - (std::int64_t(tiles) - 1) * tile);
    SUBWAVE_ROLLED
    for (std::uint32_t number = blockIdx.x; number < tiles; number += gridDim.x) {
        const char *const from =
            reinterpret_cast<const char *>(x + before) + std::int64_t(number) * (tile * 16);
        const int present = number + 1 < tiles ? tile : of_last, last = (present - 1) * 16;
        pack_words held[rows];
        SUBWAVE_UNROLL
        for (int r = 0; r < rows; ++r) {
            const int at = (r * counting.block + item) * 16;
            held[r] = load_pack_words<true>(reinterpret_cast<const T *>(
                from + static_cast<std::uint32_t>(at < last ? at : last)));
        }
        for_rows<Counters::in_turn>(
            [&](int r, const pack_words &words) {
                auto pack = __builtin_bit_cast(pack_elements<T>, words);
                std::uint32_t slot[size];
                bins.find(slot, pack.element);
                counters.add(slot, r * counting.block + item < present);
            },
            held);
    }
    if (blockIdx.x == 0 && packs * size < p.n) {
        const std::int64_t i = item < before ? item : packs * size + item;
        std::uint32_t slot[] = {i < p.n ? bins.search(x[i]) : 0};
        counters.add(slot, i < p.n);
    }
}

/* Whether blocks have the edges of even bins in shared memory, behind their counters: an element on
 * an edge takes longest where it is computed in f64. */
template <class T> inline constexpr bool can_keep_edges = std::is_same<combined_t<T>, float>::value;
__host__ SUBWAVE_DEVICE bool keeps_edges(const subwave_histogram_launch &p)
{
    return p.counters > 0 && p.counters <= SUBWAVE_HISTOGRAM_COUNTERS / 2;
}

/* The same in shared memory, with these edges where they are kept. */
template <class T, class Bins>
SUBWAVE_DEVICE void count_by_edges(const subwave_histogram_launch &p, const Bins &bins,
                                   const block_counters<T> &counters)
{
    if constexpr (can_keep_edges<T> && std::is_same<Bins, even_bins<T>>::value)
        if (keeps_edges(p)) {
            SUBWAVE_DYNAMIC_SHARED(std::uint32_t, counts);
            std::uint32_t *const after = counts + ((p.counters + 2) << p.log_copies);
            const even_bins<T, true> at_hand(p.bins, reinterpret_cast<float *>(after),
                                             counting.block);
            block_barrier(site::current());
            count<T>(p, at_hand, counters);
            return;
        }
    count<T>(p, bins, counters);
}

template <class T>
SUBWAVE_KERNEL(counting.block, counting.blocks)
histogram_in_blocks(subwave_histogram_launch p)
{
    SUBWAVE_DYNAMIC_SHARED(std::uint32_t, counts);
    const block_counters<T> counters(p, counts);
    if constexpr (sizeof(T) == 1)
        count<T>(p, values_as_bins<T>(), counters);
    else
        with_bins<T>(p.bins, [&](const auto &bins) { count_by_edges<T>(p, bins, counters); });
    counters.finish();
}

template <class T>
SUBWAVE_KERNEL(counting.block, counting.blocks)
histogram_in_device(subwave_histogram_launch p)
{
    device_counters counters(p);
    count<T>(p, any_bins<T>{p.bins}, counters);
    counters.finish();
}

template <class T> int launch_histogram(const subwave_histogram_launch &p, void *stream)
{
    const auto bins = static_cast<std::uint32_t>(p.bins.count);
    const std::uint32_t most = SUBWAVE_HISTOGRAM_BLOCKS;
    const std::uint32_t blocks = (bins - 1) / array_block + 1;
    const int status = launch(clear_states<std::int64_t>, dim3(blocks < most ? blocks : most),
                              dim3(array_block), 0, stream, p.counts, bins);
    if (status != 0 || p.n == 0)
        return status;
    if constexpr (sizeof(T) > 1)
        if (p.counters == 0)
            return launch(histogram_in_device<T>, dim3(p.blocks), dim3(counting.block), 0, stream,
                          p);
    const std::uint32_t slots = p.counters + 2,
                        edges = can_keep_edges<T> && keeps_edges(p) ? slots : 0;
    return launch(histogram_in_blocks<T>, dim3(p.blocks), dim3(counting.block),
                  ((slots << p.log_copies) + edges) * sizeof(std::uint32_t), stream, p);
}

SUBWAVE_END

SUBWAVE_KERNELS_histogram(SUBWAVE_DEFINE_LAUNCHER)
