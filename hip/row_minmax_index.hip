/* SPDX-License-Identifier: MIT
 * row_minmax_index.hip: the least or greatest element of each row of a matrix, and where it is first;
 * rows of a few tiles at most.
 *
 * An element becomes a key, a number without a sign: the least key is wanted, whatever the type and
 * the op. So there is one kernel for each size of elements. A key and, below it, the element's place
 * in its row are one number, whose minimum is the first of the least elements.
 */
#include "reduce.hpp"
#include "rows.hpp"

SUBWAVE_BEGIN

/* A key of 64 bits and a place. */
struct placed_key {
    std::uint32_t low, high, place;
    SUBWAVE_DEVICE static placed_key of(std::uint64_t key, std::uint32_t place)
    {
        return {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32), place};
    }
    SUBWAVE_DEVICE std::uint64_t key() const { return std::uint64_t(high) << 32 | low; }
};
struct lesser_and_first {
    SUBWAVE_DEVICE placed_key operator()(const placed_key &a, const placed_key &b) const
    {
        /* Copies, or LLVM would choose between addresses in scratch memory. */
        const std::uint64_t of_a = a.key(), of_b = b.key();
        const std::uint32_t at_a = a.place, at_b = b.place;
        const bool is_a = of_a < of_b || (of_a == of_b && at_a < at_b);
        return placed_key::of(is_a ? of_a : of_b, is_a ? at_a : at_b);
    }
};

/* As rows.hpp has it for any op. Where each line has its own ladder: the least key, then the first place
 * of those that have it. */
template <int Lines>
SUBWAVE_DEVICE void reduce_lines(int log_lanes, int apart, placed_key (&x)[Lines],
                                 lesser_and_first op)
{
    if constexpr (lines_share_ladder) {
        reduce_lines<placed_key, Lines, lesser_and_first>(log_lanes, apart, x, op);
    } else {
        std::uint64_t least[Lines];
        std::uint32_t place[Lines];
        SUBWAVE_UNROLL
        for (int i = 0; i < Lines; ++i)
            least[i] = x[i].key();
        reduce_lines(log_lanes, apart, least, minimum<std::uint64_t>());
        SUBWAVE_UNROLL
        for (int i = 0; i < Lines; ++i)
            place[i] = x[i].key() == least[i] ? x[i].place : ~0u;
        reduce_lines(log_lanes, apart, place, minimum<std::uint32_t>());
        SUBWAVE_UNROLL
        for (int i = 0; i < Lines; ++i)
            x[i] = placed_key::of(least[i], place[i]);
    }
}

template <class T> struct first_fold {
    static constexpr int size = pack_size<T>, sums = 1;
    static constexpr bool is_small = sizeof(T) < 4;
    /* Keys of small elements lie in a word's upper bits, and places in those below. */
    static constexpr int shift = is_small ? 32 - 8 * static_cast<int>(sizeof(T)) : 0;
    using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    using value = std::conditional_t<is_small, std::uint32_t,
                                     std::conditional_t<sizeof(T) == 4, std::uint64_t, placed_key>>;
    using lesser = std::conditional_t<sizeof(T) == 8, lesser_and_first, minimum<value>>;
    bits negative, offset, most;
    lesser join;

    SUBWAVE_DEVICE explicit first_fold(const subwave_row_minmax_index_launch &p)
        : negative(placed(p.negative)), offset(placed(p.offset)), most(placed(p.most)), join()
    {
    }
    /* Words of 64 bits are kept in each lane, since scalar registers are few. */
    SUBWAVE_DEVICE static bits placed(std::uint64_t number)
    {
        if constexpr (sizeof(T) == 8)
            return static_cast<bits>(of_each_lane(static_cast<std::int64_t>(number)));
        return static_cast<bits>(number) << shift;
    }
    /* x with the bits of `negative` inverted if its sign is set, which stays. */
    SUBWAVE_DEVICE bits turned(bits x) const
    {
        const bits sign = x >> (8 * sizeof(bits) - 1);
        return x ^ ((bits(0) - sign) & negative);
    }
    SUBWAVE_DEVICE bits key_of(T element) const
    {
        const bits x = static_cast<bits>(element) << shift;
        if constexpr (sizeof(T) == 1) /* is an integer */
            return x;
        const bits key = turned(x) + offset;
        return key < most ? key : most;
    }
    /* Back again, unless the key is `most`. */
    SUBWAVE_DEVICE T element_of(bits key) const
    {
        return static_cast<T>(turned(key - offset) >> shift);
    }
    SUBWAVE_DEVICE static value with_place(bits key, int place)
    {
        const auto at = static_cast<std::uint32_t>(place);
        if constexpr (is_small)
            return key | at;
        else if constexpr (sizeof(T) == 4)
            return std::uint64_t(key) << 32 | at;
        else
            return placed_key::of(key, at);
    }
    SUBWAVE_DEVICE static bits key_in(const value &x)
    {
        if constexpr (is_small)
            return x >> shift << shift;
        else if constexpr (sizeof(T) == 4)
            return static_cast<std::uint32_t>(x >> 32);
        else
            return x.key();
    }
    SUBWAVE_DEVICE static std::uint32_t place_in(const value &x)
    {
        if constexpr (is_small)
            return x & ((1u << shift) - 1);
        else if constexpr (sizeof(T) == 4)
            return static_cast<std::uint32_t>(x);
        else
            return x.place;
    }

    /* Loses against any element: no row has that place. */
    SUBWAVE_DEVICE value none() const
    {
        if constexpr (sizeof(T) == 8)
            return {~0u, ~0u, ~0u};
        else
            return ~value(0);
    }
    SUBWAVE_DEVICE void add_pack(value (&sum)[sums], const T (&from)[size], int first,
                                 bool has) const
    {
        const value before = sum[0];
        if constexpr (is_small) {
            value least = with_place(key_of(from[0]), 0);
            SUBWAVE_UNROLL
            for (int e = 1; e < size; ++e)
                least = join(least, with_place(key_of(from[e]), e));
            sum[0] = join(sum[0], least | static_cast<std::uint32_t>(first));
        } else {
            bits least = key_of(from[0]);
            int place = 0;
            SUBWAVE_UNROLL
            for (int e = 1; e < size; ++e) {
                const bits key = key_of(from[e]);
                place = key < least ? e : place;
                least = key < least ? key : least;
            }
            sum[0] = join(sum[0], with_place(least, first + place));
        }
        sum[0] = has ? sum[0] : before;
    }
    SUBWAVE_DEVICE void add_value(value &sum, const T &with, int place) const
    {
        sum = join(sum, with_place(key_of(with), place));
    }
};

template <class T, bool Aligned>
SUBWAVE_KERNEL(array_block, sizeof(T) < 8 ? 4 : 3)
row_minmax_index(subwave_row_minmax_index_launch p)
{
    using fold = first_fold<T>;
    const T *const x = static_cast<const T *>(p.x);
    const fold f(p);
    const auto finish = [&](std::int64_t row, typename fold::value found) {
        const typename fold::bits key = fold::key_in(found);
        std::int64_t index = fold::place_in(found);
        T value = flipped_element(f.element_of(key), p.flip);
        if (p.rows.length == 0) {
            index = -1;
            value = static_cast<T>(p.nothing);
        } else if (sizeof(T) > 1 && key == f.most) { /* a NaN, if it is a float */
            value = x[row * p.rows.ldx + index];
        }
        static_cast<T *>(p.values)[row] = value;
        p.indices[row] = index;
    };
    fold_rows<Aligned, typename fold::value>(p.rows, x, p.flip,
                                             [&](auto body) { body(f, finish); });
}

template <class T>
int launch_row_minmax_index(const subwave_row_minmax_index_launch &p, void *stream)
{
    return with_aligned_rows<T>(p.x, p.rows.ldx, [&](auto aligned) {
        return launch(row_minmax_index<T, aligned.value>, dim3(p.rows.blocks), dim3(array_block), 0,
                      stream, p);
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_row_minmax_index(SUBWAVE_DEFINE_LAUNCHER)
