/* SPDX-License-Identifier: MIT
 * dot.hip: the sum of the products of two arrays' elements.
 */
#include "array.hpp"

SUBWAVE_BEGIN

/* An element as memory holds it, aligned as its parts, and as the kernel computes with it. */
template <class T> struct stored {
    using type = T;
    using sum = combined_t<T>;
    SUBWAVE_DEVICE static sum number(T x) { return static_cast<sum>(x); }
    SUBWAVE_DEVICE static T result(sum x) { return static_cast<T>(x); }
};
/* In f64 the products of f32 are exact. */
template <> struct stored<float> {
    using type = float;
    using sum = double;
    SUBWAVE_DEVICE static double number(float x) { return x; }
    SUBWAVE_DEVICE static float result(double x) { return static_cast<float>(x); }
};
template <class Part> struct stored<complex<Part>> {
    struct type {
        Part real, imaginary;
    };
    using sum = complex<double>;
    SUBWAVE_DEVICE static sum number(type x) { return {x.real, x.imaginary}; }
    SUBWAVE_DEVICE static type result(sum x)
    {
        return {static_cast<Part>(x.real), static_cast<Part>(x.imaginary)};
    }
};

/* As written: no multiplication is fused with an addition, which not all devices would do alike. */
template <class T> SUBWAVE_DEVICE T product(T a, T b) { return rounded_product(a, b); }
template <class T> SUBWAVE_DEVICE complex<T> product(complex<T> a, complex<T> b)
{
    return {rounded_product(a.real, b.real) - rounded_product(a.imaginary, b.imaginary),
            rounded_product(a.real, b.imaginary) + rounded_product(a.imaginary, b.real)};
}

template <class T> struct dot_sum {
    using type = plus<T>;
    SUBWAVE_DEVICE static T none() { return filler<plus<T>, T>::value(); }
    SUBWAVE_DEVICE static T zero() { return T(0); }
};
template <class T> struct dot_sum<complex<T>> {
    struct type {
        SUBWAVE_DEVICE complex<T> operator()(complex<T> a, complex<T> b) const
        {
            return {a.real + b.real, a.imaginary + b.imaginary};
        }
    };
    SUBWAVE_DEVICE static complex<T> none() { return {dot_sum<T>::none(), dot_sum<T>::none()}; }
    SUBWAVE_DEVICE static complex<T> zero() { return {}; }
};

template <class T, bool Aligned> struct dot_fold {
    using element = typename stored<T>::type;
    using value = typename stored<T>::sum;
    static constexpr int size = pack_size<element>, sums = size;
    struct pack {
        element x[size], y[size];
    };
    const element *x, *y;
    bool conjugates; /* x */
    typename dot_sum<value>::type join;

    SUBWAVE_DEVICE value none() const { return dot_sum<value>::none(); }
    SUBWAVE_DEVICE void load(pack &to, std::uint64_t i) const
    {
        load_pack<Aligned>(to.x, x + i * size);
        load_pack<Aligned>(to.y, y + i * size);
    }
    SUBWAVE_DEVICE value product_of(const element &a, const element &b) const
    {
        const value left = stored<T>::number(a);
        return product(is_complex_v<T> && conjugates ? conjugate(left) : left,
                       stored<T>::number(b));
    }
    SUBWAVE_DEVICE void add(value (&sum)[size], const pack &from) const
    {
        SUBWAVE_UNROLL
        for (int e = 0; e < size; ++e)
            sum[e] = join(sum[e], product_of(from.x[e], from.y[e]));
    }
    SUBWAVE_DEVICE void add_element(value &sum, std::uint64_t i) const
    {
        sum = join(sum, product_of(x[i], y[i]));
    }
};

template <class T, bool Aligned> SUBWAVE_KERNEL(array_block) dot(subwave_dot_launch p)
{
    using fold = dot_fold<T, Aligned>;
    using element = typename fold::element;
    using value = typename fold::value;
    const array_tile<fold::size> tile(p.array);
    const fold products{
        static_cast<const element *>(p.x), static_cast<const element *>(p.y), p.conjugate != 0, {}};
    value sum;
    if (!fold_array(p.array, tile, products, sum) || tile.item > 0)
        return;
    *static_cast<element *>(p.result) =
        stored<T>::result(p.array.n > 0 ? sum : dot_sum<value>::zero());
}

template <class T> int launch_dot(const subwave_dot_launch &p, void *stream)
{
    return with_alignment(p.x, p.y, [&](auto aligned) {
        return launch(dot<T, aligned.value>, dim3(p.array.tiles), dim3(array_block), 0, stream, p);
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_dot(SUBWAVE_DEFINE_LAUNCHER)
