/* SPDX-License-Identifier: MIT
 * scatter_add.hip: the elements of an array added to the cells that their indices name, or to those of
 * the bins that other elements are in: the weights of a histogram.
 *
 * Where cells are few enough, a block sums in shared memory, in several copies, and in the end adds its
 * sums to those in device memory, as a histogram does. What several lanes of a wave have for the same
 * cell they add together before, if they are many.
 *
 * Sums of floats in fixed point do not depend on the order. A first kernel finds the greatest exponent
 * X of the elements that are finite: each is below 2 ** (X + 1), in units of the exponent's least value.
 * An element becomes an integer of two parts of w bits, such that the greatest ones fill the first:
 * n elements then overflow neither sum of 64 bits. A last kernel makes a number of each cell's sums.
 */
#include "bins.hpp"
#include "look_back.hpp"

SUBWAVE_BEGIN

/* How a float is made up. */
template <class T> struct float_format {
    using word = unsigned_of<T>;
    static constexpr int fraction = sizeof(T) == 4 ? 23 : 52;
    static constexpr word one = word(1) << fraction, exponents = sizeof(T) == 4 ? 0xff : 0x7ff,
                          infinity = exponents << fraction, nan = infinity | one >> 1;

    static SUBWAVE_DEVICE word of(T x) { return __builtin_bit_cast(word, x); }
    /* `exponents` of infinities and NaN. Below the normal numbers numbers have the least one's. */
    static SUBWAVE_DEVICE std::int32_t exponent(word bits)
    {
        const auto field = static_cast<std::int32_t>(bits >> fraction & exponents);
        return field > 0 ? field : 1;
    }
    static SUBWAVE_DEVICE bool is_finite(word bits) { return (bits & infinity) != infinity; }
    static SUBWAVE_DEVICE bool is_negative(word bits) { return bits >> (8 * sizeof(T) - 1) != 0; }
    static SUBWAVE_DEVICE std::uint64_t significand(word bits)
    {
        return (bits & (one - 1)) | ((bits & infinity) != 0 ? one : 0);
    }
};

/* Bits of a cell's flags: what was added to it that is no number. */
enum : std::uint32_t { nan_flag = 1, infinity_flag = 2, negative_infinity_flag = 4 };

/* What an element adds to the sums of its cell: itself. */
template <class T, bool Fixed> struct addends {
    using word = T;
    static constexpr int parts = 1;
    word *sums;

    SUBWAVE_DEVICE explicit addends(const subwave_scatter_add_launch &p)
        : sums(static_cast<T *>(p.y))
    {
    }
    SUBWAVE_DEVICE void find(word (&part)[parts], std::int64_t &, T element) const
    {
        part[0] = element;
    }
};
/* In fixed point: two integers. */
template <class T> struct addends<T, true> {
    using word = std::uint64_t;
    using bits_of = float_format<T>;
    static constexpr int parts = 2;
    word *sums;
    std::uint32_t *flags;
    std::int32_t greatest, part_bits;

    SUBWAVE_DEVICE explicit addends(const subwave_scatter_add_launch &p)
        : sums(p.sums), flags(p.flags), greatest(static_cast<std::int32_t>(*p.greatest)),
          part_bits(p.part_bits)
    {
    }
    /* Rounded to nearest, a half away from 0. What is not finite is noted, and in no cell. */
    SUBWAVE_DEVICE void find(word (&part)[parts], std::int64_t &cell, T element) const
    {
        const auto bits = bits_of::of(element);
        if (!bits_of::is_finite(bits)) {
            if (cell >= 0)
                atomicOr(&flags[cell], (bits & (bits_of::one - 1)) != 0 ? nan_flag
                                       : bits_of::is_negative(bits)     ? negative_infinity_flag
                                                                        : infinity_flag);
            cell = -1;
        }
        std::uint64_t x = bits_of::significand(bits);
        int up = bits_of::exponent(bits) - greatest + 2 * part_bits - (bits_of::fraction + 1);
        if (up < 0) {
            x = up > -64 ? ((x >> (-up - 1)) + 1) >> 1 : 0;
            up = 0;
        }
        const std::uint64_t low_bits = (std::uint64_t(1) << part_bits) - 1;
        const std::uint64_t high = up <= part_bits ? x >> (part_bits - up) : x << (up - part_bits);
        const std::uint64_t low = up < 64 ? x << up & low_bits : 0;
        const std::uint64_t sign = bits_of::is_negative(bits) ? ~std::uint64_t(0) : 0;
        part[0] = (high ^ sign) - sign;
        part[1] = (low ^ sign) - sign;
    }
};

/* Where the cells of elements are from: load() loads what names those of the pack from element i on,
 * or of element i alone, and find() finds them, -1 where there is none. They are named by indices. */
struct indexed_cells {
    using name = std::int64_t;
    static constexpr bool in_turn = false;
    const subwave_scatter_add_launch &p;

    template <bool Aligned, int Size>
    SUBWAVE_DEVICE void load(name (&index)[Size], std::int64_t i) const
    {
        const auto *const wide = static_cast<const std::int64_t *>(p.indices);
        if (p.wide) {
            SUBWAVE_UNROLL
            for (int e = 0; e < Size; e += 2)
                load_pack<Aligned>(reinterpret_cast<name(&)[2]>(index[e]), wide + i + e);
        } else {
            const auto *const narrow = static_cast<const std::int32_t *>(p.indices) + i;
            std::int32_t short_index[Size];
            if constexpr (Aligned)
                load_together<Size>(short_index, narrow);
            else
                load_anywhere<Size>(short_index, narrow);
            SUBWAVE_UNROLL
            for (int e = 0; e < Size; ++e)
                index[e] = short_index[e];
        }
    }
    SUBWAVE_DEVICE void load(name &index, std::int64_t i) const
    {
        index = p.wide ? static_cast<const std::int64_t *>(p.indices)[i]
                       : static_cast<const std::int32_t *>(p.indices)[i];
    }
    template <int Size>
    SUBWAVE_DEVICE void find(std::int64_t (&cell)[Size], name (&index)[Size]) const
    {
        SUBWAVE_UNROLL
        for (int e = 0; e < Size; ++e)
            cell[e] = static_cast<std::uint64_t>(index[e]) < static_cast<std::uint64_t>(p.cells)
                          ? index[e]
                          : std::int64_t(-1);
    }
};

/* They are the bins that elements of T are in. Elements are added one after the other by the same
 * instructions, as many as their bins need already. */
template <class T> struct binned_cells {
    using name = T;
    static constexpr bool in_turn = true;
    const subwave_scatter_add_launch &p;

    template <bool Aligned, int Size>
    SUBWAVE_DEVICE void load(name (&element)[Size], std::int64_t i) const
    {
        load_pack<Aligned>(element, static_cast<const T *>(p.indices) + i);
    }
    SUBWAVE_DEVICE void load(name &element, std::int64_t i) const
    {
        element = static_cast<const T *>(p.indices)[i];
    }
    template <int Size>
    SUBWAVE_DEVICE void find(std::int64_t (&cell)[Size], name (&element)[Size]) const
    {
        std::uint32_t slot[Size] = {};
        any_bins<T>{p.bins}.find(slot, element);
        SUBWAVE_UNROLL
        for (int e = 0; e < Size; ++e)
            cell[e] = slot[e] <= static_cast<std::uint32_t>(p.bins.count)
                          ? std::int64_t(slot[e]) - 1
                          : std::int64_t(-1);
    }
};

/* Calls body(cell, element) in all lanes of a wave together; the cell is -1 where there is none. */
template <bool Aligned, class T, class Cells, class Body>
SUBWAVE_DEVICE void for_each_element(const subwave_scatter_add_launch &p, const Cells &cells,
                                     Body body)
{
    constexpr int size = pack_size<T>;
    const T *const x = static_cast<const T *>(p.values);
    const std::int64_t packs = (p.n - 1) / size + 1; /* the last one may lack elements */
    const int item = static_cast<int>(threadIdx.x);
    for (std::int64_t first = std::int64_t(blockIdx.x) * array_block; first < packs;
         first += std::int64_t(gridDim.x) * array_block) {
        const std::int64_t i = (first + item) * size, left = p.n - i;
        T element[size] = {};
        typename Cells::name name[size] = {};
        if (left >= size) {
            load_pack<Aligned>(element, x + i);
            cells.template load<Aligned>(name, i);
        } else {
            SUBWAVE_UNROLL
            for (int e = 0; e < size - 1; ++e)
                if (e < left) {
                    element[e] = x[i + e];
                    cells.load(name[e], i + e);
                }
        }
        std::int64_t cell[size];
        cells.find(cell, name);
        SUBWAVE_UNROLL
        for (int e = 0; e < size; ++e)
            cell[e] = e < left ? cell[e] : -1;
        if constexpr (Cells::in_turn) {
            SUBWAVE_ROLLED
            for (int e = 0; e < size; ++e, turn(cell), turn(element))
                body(cell[0], element[0]);
        } else {
            SUBWAVE_UNROLL
            for (int e = 0; e < size; ++e)
                body(cell[e], element[e]);
        }
    }
}

template <class T, class Cells, bool Fixed, bool Aligned>
SUBWAVE_KERNEL(array_block)
scatter_add(subwave_scatter_add_launch p)
{
    using addend = addends<T, Fixed>;
    using word = typename addend::word;
    constexpr int parts = addend::parts;
    SUBWAVE_DYNAMIC_SHARED(word, shared);
    const std::uint32_t item = threadIdx.x;
    /* Only of few cells there are copies. */
    const std::uint32_t all = static_cast<std::uint32_t>(p.cells) * p.copies,
                        mine = p.copies > 0 ? item % p.copies : 0;
    for (std::uint32_t i = item; i < parts * all; i += array_block)
        shared[i] = 0;
    block_barrier(site::current());
    const addend to(p);
    const auto add = [&](std::int64_t cell, const word(&part)[parts]) {
        SUBWAVE_UNROLL
        for (int k = 0; k < parts; ++k) {
            if (parts > 1 && part[k] == 0) /* as a rule, the second of f32 */
                continue;
            if (p.copies > 0)
                add_to_shared(&shared[k * all + static_cast<std::uint32_t>(cell) * p.copies + mine],
                              part[k]);
            else
                add_to_global(&to.sums[cell * parts + k], part[k]);
        }
    };
    /* A cell of many elements: lanes add up what they have for it, until there is another such cell. */
    const sub_group wave = this_work_item::get_sub_group();
    std::int64_t common = -2; /* none yet: -1 is that of elements which are in no cell */
    word sum[parts] = {};
    const int turns = p.copies > 0 ? 1 : common_turns; /* in shared memory the others cost little */
    const auto finish_common = [&] {
        SUBWAVE_UNROLL
        for (int k = 0; k < parts; ++k)
            sum[k] = reduce_over_group(wave, sum[k], plus<word>());
        if (common >= 0 && wave.leader())
            add(common, sum);
    };
    for_each_element<Aligned, T>(p, Cells{p}, [&](std::int64_t cell, T element) {
        word part[parts];
        to.find(part, cell, element);
        SUBWAVE_UNROLL
        for (int k = 0; k < parts; ++k)
            sum[k] += cell == common ? part[k] : word(0);
        cell = cell == common ? -1 : cell;
        auto left = static_cast<lane_bits>(wave_ballot(wave.callers(), cell >= 0, site::current()));
        SUBWAVE_ROLLED
        for (int turn = 0; turn < turns && left != 0; ++turn) {
            const std::int64_t first =
                wave_broadcast(wave.callers(), cell, lowest_lane(left), site::current());
            const bool has_it = cell == first;
            const auto same =
                static_cast<lane_bits>(wave_ballot(wave.callers(), has_it, site::current()));
            left &= ~same;
            if (lane_count(same) >= wave_size() / 8) {
                finish_common();
                common = first;
                SUBWAVE_UNROLL
                for (int k = 0; k < parts; ++k)
                    sum[k] = has_it ? part[k] : word(0);
                cell = has_it ? -1 : cell;
            }
        }
        if (cell >= 0)
            add(cell, part);
    });
    finish_common();
    block_barrier(site::current());
    for (std::uint32_t i = item; i < all / (p.copies > 0 ? p.copies : 1); i += array_block) {
        SUBWAVE_ROLLED
        for (int k = 0; k < parts; ++k) {
            /* Lanes begin at different copies, which lie in different banks. */
            word sum = 0;
            for (std::uint32_t c = 0; c < p.copies; ++c)
                sum += shared[k * all + i * p.copies + (c + item) % p.copies];
            if (!(sum == word(0)))
                add_to_global(&to.sums[i * parts + static_cast<std::uint32_t>(k)], sum);
        }
    }
}

template <class T, class Cells, bool Aligned>
SUBWAVE_KERNEL(array_block)
scatter_add_greatest(subwave_scatter_add_launch p)
{
    std::uint32_t greatest = 0;
    for_each_element<Aligned, T>(p, Cells{p}, [&](std::int64_t cell, T element) {
        const auto bits = float_format<T>::of(element);
        const auto exponent = static_cast<std::uint32_t>(float_format<T>::exponent(bits));
        if (cell >= 0 && float_format<T>::is_finite(bits) && exponent > greatest)
            greatest = exponent;
    });
    const sub_group wave = this_work_item::get_sub_group();
    greatest = reduce_over_group(wave, greatest, maximum<std::uint32_t>());
    if (wave.leader() && greatest > 0)
        atomicMax(p.greatest, greatest);
}

/* sums[0] * 2 ** part_bits + sums[1], in units of fixed point, rounded to nearest even. */
template <class T>
SUBWAVE_DEVICE T number_of(const std::uint64_t (&sums)[2], int part_bits, int greatest)
{
    using bits_of = float_format<T>;
    using word = typename bits_of::word;
    const std::uint64_t sign_of_low = sums[1] >> 63 != 0 ? ~std::uint64_t(0) : 0;
    std::uint64_t low = (sums[0] << part_bits) + sums[1];
    std::uint64_t high =
        static_cast<std::uint64_t>(static_cast<std::int64_t>(sums[0]) >> (64 - part_bits)) +
        sign_of_low + (low < sums[1] ? 1 : 0);
    const bool negative = high >> 63 != 0;
    if (negative) {
        low = ~low + 1;
        high = ~high + (low == 0 ? 1 : 0);
    }
    if ((low | high) == 0)
        return 0;
    const int last = high != 0 ? 127 - __clzll(static_cast<long long>(high))
                               : 63 - __clzll(static_cast<long long>(low));
    /* How many bits are rounded off; numbers below the normal ones have fewer bits. */
    const int least = 2 * part_bits - bits_of::fraction - greatest;
    const int off = last - bits_of::fraction > least ? last - bits_of::fraction : least;
    std::uint64_t significand, rest = 0; /* rest: what is rounded off, its first bit on top */
    if (off <= 0) {
        significand = low << -off;
    } else if (off < 64) {
        significand = low >> off | high << (64 - off);
        rest = low << (64 - off);
    } else {
        significand = off > 64 ? high >> (off - 64) : high;
        rest = (off > 64 ? high << (128 - off) | low >> (off - 64) : low) |
               (off > 64 && low << (128 - off) != 0 ? 1 : 0);
    }
    const std::uint64_t half = std::uint64_t(1) << 63;
    significand += rest > half || (rest == half && significand % 2 == 1) ? 1 : 0;
    const int exponent =
        off - least; /* one less than the number's, as the significand has a bit of it */
    std::uint64_t bits = (static_cast<std::uint64_t>(exponent) << bits_of::fraction) + significand;
    bits = bits < bits_of::infinity && exponent < static_cast<int>(bits_of::exponents)
               ? bits
               : bits_of::infinity;
    return __builtin_bit_cast(
        T, static_cast<word>(bits | (negative ? std::uint64_t(1) << (8 * sizeof(T) - 1) : 0)));
}

/* A cell whose sum is 0 stays as it is. A NaN is the same one on every device. */
template <class T> SUBWAVE_KERNEL(array_block) scatter_add_results(subwave_scatter_add_launch p)
{
    using bits_of = float_format<T>;
    T *const y = static_cast<T *>(p.y);
    for (std::int64_t i = std::int64_t(blockIdx.x) * array_block + threadIdx.x; i < p.cells;
         i += std::int64_t(gridDim.x) * array_block) {
        const std::uint64_t sums[] = {p.sums[2 * i], p.sums[2 * i + 1]};
        const std::uint32_t flags = p.flags[i];
        T sum;
        if (flags != 0)
            sum = __builtin_bit_cast(
                T, static_cast<typename bits_of::word>(
                       flags == infinity_flag ? bits_of::infinity
                       : flags == negative_infinity_flag
                           ? bits_of::infinity | bits_of::one
                                                     << (8 * sizeof(T) - 1 - bits_of::fraction)
                           : bits_of::nan));
        else
            sum = number_of<T>(sums, p.part_bits, static_cast<std::int32_t>(*p.greatest));
        if (sum == 0)
            continue;
        sum += y[i];
        y[i] = sum == sum ? sum : __builtin_bit_cast(T, bits_of::nan);
    }
}

template <class T, class Cells, bool Aligned>
int launch_sums(const subwave_scatter_add_launch &p, dim3 for_cells, void *stream)
{
    constexpr bool is_float = is_floating_v<T>;
    const bool fixed = is_float && p.part_bits > 0;
    const auto bytes = static_cast<std::size_t>(
        p.copies > 0 ? p.cells * p.copies * (fixed ? 16 : std::int64_t(sizeof(T))) : 0);
    if constexpr (is_float)
        if (fixed) {
            int status = launch(clear_states<std::uint32_t>, for_cells, dim3(array_block), 0,
                                stream, p.greatest, SUBWAVE_SCATTER_HEADER + 5 * p.cells);
            if (status == 0)
                status = launch(scatter_add_greatest<T, Cells, Aligned>, dim3(p.blocks),
                                dim3(array_block), 0, stream, p);
            if (status == 0)
                status = launch(scatter_add<T, Cells, true, Aligned>, dim3(p.blocks),
                                dim3(array_block), bytes, stream, p);
            if (status == 0)
                status = launch(scatter_add_results<T>, for_cells, dim3(array_block), 0, stream, p);
            return status;
        }
    return launch(scatter_add<T, Cells, false, Aligned>, dim3(p.blocks), dim3(array_block), bytes,
                  stream, p);
}

template <class T> int launch_scatter_add(const subwave_scatter_add_launch &p, void *stream)
{
    using element = typename unsigned_twin<T>::type;
    const std::uint32_t most = SUBWAVE_HISTOGRAM_BLOCKS;
    const std::int64_t blocks = (p.cells - 1) / array_block + 1;
    const dim3 for_cells(blocks < most ? static_cast<std::uint32_t>(blocks) : most);
    if (p.bins.count > 0) {
        const int status =
            launch(clear_states<std::uint32_t>, for_cells, dim3(array_block), 0, stream,
                   static_cast<std::uint32_t *>(p.y), p.cells * std::int64_t(sizeof(T) / 4));
        if (status != 0 || p.n == 0)
            return status;
    }
    return with_alignment(p.values, p.indices, [&](auto aligned) {
        constexpr bool is_aligned = decltype(aligned)::value;
        return p.bins.count > 0
                   ? launch_sums<element, binned_cells<T>, is_aligned>(p, for_cells, stream)
                   : launch_sums<element, indexed_cells, is_aligned>(p, for_cells, stream);
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_scatter_add(SUBWAVE_DEFINE_LAUNCHER)
