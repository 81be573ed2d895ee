/* SPDX-License-Identifier: MIT
 * complex.hpp: complex numbers as the matrix products compute with them: stored as in C and
 * Fortran.
 */
#ifndef SUBWAVE_DEVICE_COMPLEX_HPP
#define SUBWAVE_DEVICE_COMPLEX_HPP

#include <subwave/device/arch.hpp>

SUBWAVE_BEGIN

template <class T> struct alignas(2 * sizeof(T)) complex {
    T real, imaginary;
};

template <class T> inline constexpr bool is_complex_v = false;
template <class T> inline constexpr bool is_complex_v<complex<T>> = true;

/* The type of a number's real part. */
template <class T> struct part {
    using type = T;
};
template <class T> struct part<complex<T>> {
    using type = T;
};
template <class T> using part_of = typename part<T>::type;

template <class T> SUBWAVE_DEVICE bool is_zero(T x) { return x == T(0); }
template <class T> SUBWAVE_DEVICE bool is_zero(complex<T> x)
{
    return x.real == T(0) && x.imaginary == T(0);
}

template <class T> SUBWAVE_DEVICE complex<T> operator+(complex<T> x, complex<T> y)
{
    return {x.real + y.real, x.imaginary + y.imaginary};
}

template <class T> SUBWAVE_DEVICE complex<T> &operator+=(complex<T> &x, complex<T> y)
{
    return x = x + y;
}

/* The complex conjugate; a real number is its own. */
template <class T> SUBWAVE_DEVICE T conjugate(T x) { return x; }
template <class T> SUBWAVE_DEVICE complex<T> conjugate(complex<T> x)
{
    return {x.real, -x.imaginary};
}

/* The same if `sign` is the bit of a sign, the highest of a word of 32 bits, and x if it is 0. */
template <class T> SUBWAVE_DEVICE complex<T> conjugate_by(complex<T> x, std::uint32_t sign)
{
    using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    const bits flip = static_cast<bits>(sign) << (8 * sizeof(T) - 32);
    return {x.real, __builtin_bit_cast(T, __builtin_bit_cast(bits, x.imaginary) ^ flip)};
}

/* sum + a b, where each real product is added by itself. */
template <class T> SUBWAVE_DEVICE T multiply_add(T a, T b, T sum) { return sum + a * b; }
template <class T>
SUBWAVE_DEVICE complex<T> multiply_add(complex<T> a, complex<T> b, complex<T> sum)
{
    return {sum.real + a.real * b.real - a.imaginary * b.imaginary,
            sum.imaginary + a.real * b.imaginary + a.imaginary * b.real};
}

SUBWAVE_END

#endif
