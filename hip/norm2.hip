/* SPDX-License-Identifier: MIT
 * norm2.hip: the square root of the sum of an array's squares, which neither overflow nor vanish.
 */
#include "array.hpp"

SUBWAVE_BEGIN

/* Squares of 32 bits and less are exact in f64, and those of f16 in f32, and in their range. */
template <class T> struct squares {
    using value =
        std::conditional_t<sizeof(T) == 2 && !std::is_same<T, bfloat16>::value, float, double>;
    SUBWAVE_DEVICE static value none() { return 0; }
    SUBWAVE_DEVICE value operator()(value a, value b) const { return a + b; }
    SUBWAVE_DEVICE static void add(value &sum, T x)
    {
        const value number = static_cast<value>(x);
        sum += number * number;
    }
    SUBWAVE_DEVICE static T root(value sum)
    {
        return static_cast<T>(static_cast<float>(square_root(static_cast<double>(sum))));
    }
};

/* Of f64, squares are in the range of f64 if the number is in the middle of it. The others are scaled
 * by a power of two: three sums. Source: J. Blue, A portable Fortran program to find the Euclidean
 * norm of a vector, 1978; LAPACK's dnrm2. */
template <> struct squares<double> {
    struct value {
        double small, middle, big;
    };
    /* Numbers below and from these on, and what they are multiplied by. */
    static constexpr double least = 0x1p-511, most = 0x1p486, up = 0x1p700, down = 0x1p-538;

    SUBWAVE_DEVICE static value none() { return {0, 0, 0}; }
    SUBWAVE_DEVICE value operator()(const value &a, const value &b) const
    {
        return {a.small + b.small, a.middle + b.middle, a.big + b.big};
    }
    SUBWAVE_DEVICE static void add(value &sum, double x)
    {
        const double size = x < 0 ? -x : x;
        const bool is_small = size < least, is_big = size >= most; /* a NaN is neither */
        const double scaled = x * (is_small ? up
                                   : is_big ? down
                                            : 1),
                     square = rounded_product(scaled, scaled);
        sum.small += is_small ? square : 0;
        sum.middle += is_small || is_big ? 0 : square;
        sum.big += is_big ? square : 0;
    }
    /* What is left out is too little to change a bit. */
    SUBWAVE_DEVICE static double root(const value &sum)
    {
        if (sum.big > 0)
            return square_root(sum.big + sum.middle * down * down) / down;
        if (sum.middle < 0x1p-900)
            return square_root(sum.small + sum.middle * up * up) / up;
        return square_root(sum.middle);
    }
};

template <class T, bool Aligned> struct norm2_fold {
    using value = typename squares<T>::value;
    static constexpr int size = pack_size<T>, sums = size;
    struct pack {
        T element[size];
    };
    const T *x;
    squares<T> join;

    SUBWAVE_DEVICE value none() const { return join.none(); }
    SUBWAVE_DEVICE void load(pack &to, std::uint64_t i) const
    {
        load_pack<Aligned>(to.element, x + i * size);
    }
    SUBWAVE_DEVICE void add(value (&sum)[size], const pack &from) const
    {
        SUBWAVE_UNROLL
        for (int e = 0; e < size; ++e)
            join.add(sum[e], from.element[e]);
    }
    SUBWAVE_DEVICE void add_element(value &sum, std::uint64_t i) const { join.add(sum, x[i]); }
};

template <class T, bool Aligned> SUBWAVE_KERNEL(array_block) norm2(subwave_norm2_launch p)
{
    using fold = norm2_fold<T, Aligned>;
    const array_tile<fold::size> tile(p.array);
    typename fold::value sum;
    if (fold_array(p.array, tile, fold{static_cast<const T *>(p.x), {}}, sum) && tile.item == 0)
        *static_cast<T *>(p.result) = squares<T>::root(sum);
}

template <class T> int launch_norm2(const subwave_norm2_launch &p, void *stream)
{
    return with_alignment(p.x, p.x, [&](auto aligned) {
        return launch(norm2<T, aligned.value>, dim3(p.array.tiles), dim3(array_block), 0, stream,
                      p);
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_norm2(SUBWAVE_DEFINE_LAUNCHER)
