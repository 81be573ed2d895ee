/* SPDX-License-Identifier: MIT
 * minmax_index.hip: the least or greatest element of an array, and where it is first.
 *
 * A work-item finds the least number of a pack, and remembers the index of the pack's first element
 * if that number is less than all before. Which element of the pack it is, is looked up in the end.
 * With some of their bits inverted, integers with a sign are ordered as those without, and the
 * greatest element is the least. So one kernel serves all integers of a size, and one each float type.
 */
#include "reduce.hpp"

SUBWAVE_BEGIN

/* Whether a and b are the same number, which -0 and +0 are not, or both NaN. */
template <class T> SUBWAVE_DEVICE bool are_same(T a, T b)
{
    using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    return __builtin_bit_cast(bits, a) == __builtin_bit_cast(bits, b) || (a != a && b != b);
}

/* An element's index, in two halves: with a number of 64 bits, values of 32 bits would have bytes of
 * padding, which were never written and which lanes would exchange. */
struct array_index {
    std::uint32_t low, high;

    SUBWAVE_DEVICE static array_index of(std::uint64_t i)
    {
        return {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32)};
    }
    SUBWAVE_DEVICE std::uint64_t number() const { return std::uint64_t(high) << 32 | low; }
};

template <class Number> struct placed_number {
    Number least;
    array_index first;
};
/* The lesser one; of equal ones that which is further to the front. */
template <class Number> struct lesser_and_first {
    using value = placed_number<Number>;
    SUBWAVE_DEVICE value operator()(const value &a, const value &b) const
    {
        const Number least = minimum<Number>()(a.least, b.least);
        const bool is_a = are_same(least, a.least), is_b = are_same(least, b.least);
        const std::uint64_t of_a = a.first.number(), of_b = b.first.number();
        return {least, array_index::of(is_a && (!is_b || of_a < of_b) ? of_a : of_b)};
    }
};
template <class Number>
inline constexpr bool is_commutative_v<lesser_and_first<Number>, placed_number<Number>> = true;

template <class T, bool Aligned> struct least_fold {
    using number = combined_t<T>;
    using value = placed_number<number>;
    using bits = std::conditional_t<sizeof(number) == 8, std::uint64_t, std::uint32_t>;
    using lesser_of = minimum<number>;
    static constexpr int size = pack_size<T>, sums = 1;
    /* The index of filler, which loses against any other number. */
    static constexpr std::uint64_t nowhere = ~std::uint64_t(0);
    struct pack {
        T element[size];
        std::uint64_t first;
    };
    const T *x;
    bits flip;
    lesser_and_first<number> join;

    SUBWAVE_DEVICE number flipped(number x) const
    {
        return __builtin_bit_cast(number, __builtin_bit_cast(bits, x) ^ flip);
    }
    SUBWAVE_DEVICE number at(std::uint64_t i) const { return flipped(static_cast<number>(x[i])); }

    SUBWAVE_DEVICE value none() const
    {
        return {filler<lesser_of, number>::value(), array_index::of(nowhere)};
    }
    SUBWAVE_DEVICE void load(pack &to, std::uint64_t i) const
    {
        load_pack<Aligned>(to.element, x + i * size);
        to.first = i * size;
    }
    /* In a work-item, what is less than all before is the first of its kind. */
    SUBWAVE_DEVICE static void take(value &to, number x, std::uint64_t first)
    {
        const number least = lesser_of()(to.least, x);
        to.first = array_index::of(are_same(least, to.least) ? to.first.number() : first);
        to.least = least;
    }
    SUBWAVE_DEVICE void add(value (&to)[sums], const pack &from) const
    {
        number least = flipped(static_cast<number>(from.element[0]));
        SUBWAVE_UNROLL
        for (int e = 1; e < size; ++e)
            least = lesser_of()(least, flipped(static_cast<number>(from.element[e])));
        take(to[0], least, from.first);
    }
    SUBWAVE_DEVICE void add_element(value &to, std::uint64_t i) const { take(to, at(i), i); }
};

template <class T, bool Aligned>
SUBWAVE_KERNEL(array_block)
minmax_index(subwave_minmax_index_launch p)
{
    using fold = least_fold<T, Aligned>;
    const fold f{static_cast<const T *>(p.x) + blockIdx.y * p.ldx,
                 static_cast<typename fold::bits>(p.flip),
                 {}};
    const array_tile<fold::size> tile(p.array);
    typename fold::value found = f.none();
    if (!fold_array(p.array, tile, f, found) || tile.item > 0)
        return;
    std::uint64_t i = found.first.number();
    T value;
    if (p.array.n == 0) {
        value = static_cast<T>(
            f.flipped(static_cast<typename fold::number>(known_identity<minimum<T>, T>::value())));
    } else {
        i = i == fold::nowhere ? 0 : i; /* all elements are alike */
        while (!are_same(f.at(i), found.least))
            ++i;
        value = f.x[i];
    }
    static_cast<T *>(p.value)[blockIdx.y] = value;
    p.index[blockIdx.y] = static_cast<std::int64_t>(i);
}

template <class T> int launch_minmax_index(const subwave_minmax_index_launch &p, void *stream)
{
    using bits = typename least_fold<T, true>::bits;
    subwave_minmax_index_launch launched = p;
    const bits all = is_integer_v<T>
                         ? static_cast<bits>(~bits(0)) >> (8 * (sizeof(bits) - sizeof(T)))
                         : bits(1) << (8 * sizeof(bits) - 1);
    const bits sign = std::is_signed<T>::value && is_integer_v<T> ? all / 2 + 1 : 0;
    launched.flip = (p.op == SUBWAVE_OP_MAXIMUM ? all : 0) ^ sign;
    using element = typename unsigned_twin<T>::type;
    return with_aligned_rows<T>(p.x, p.ldx, [&](auto aligned) {
        return launch(minmax_index<element, aligned.value>, dim3(p.array.tiles, p.rows),
                      dim3(array_block), 0, stream, launched);
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_minmax_index(SUBWAVE_DEFINE_LAUNCHER)
