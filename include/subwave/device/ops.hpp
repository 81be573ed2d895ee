/* SPDX-License-Identifier: MIT
 * ops.hpp: the function objects that group algorithms combine values with, and their identities.
 * Spelled as in SYCL; plus<> and the others without a type take whatever they are given.
 */
#ifndef SUBWAVE_DEVICE_OPS_HPP
#define SUBWAVE_DEVICE_OPS_HPP

#include <subwave/device/half.hpp>
#include <subwave/device/wave.hpp>

SUBWAVE_BEGIN

/* NaN loses to any number and -0 is below +0, so that both orders of operands give the same
 * bits. */
template <class T> SUBWAVE_DEVICE T lesser(const T &a, const T &b)
{
    if constexpr (is_floating_v<T>)
        return number_min(as_machine_number(a), as_machine_number(b));
    else
        return b < a ? b : a;
}

template <class T> SUBWAVE_DEVICE T greater(const T &a, const T &b)
{
    if constexpr (is_floating_v<T>)
        return number_max(as_machine_number(a), as_machine_number(b));
    else
        return a < b ? b : a;
}

/* Sums and products of integers wrap, signed ones too. They are worked out in an unsigned type, no
 * narrower than int, which is where C++ would take narrow ones to overflow. */
template <class T> SUBWAVE_DEVICE auto wrapping(const T &a)
{
    if constexpr (is_integer_v<T>)
        return static_cast<std::make_unsigned_t<decltype(a + a)>>(a);
    else
        return as_machine_number(a);
}

/* X(name, expression of a and b) */
#define SUBWAVE_OPS(X) \
    X(plus, wrapping(a) + wrapping(b)) \
    X(multiplies, wrapping(a) * wrapping(b)) \
    X(bit_and, a &b) \
    X(bit_or, a | b) \
    X(bit_xor, a ^ b) \
    X(logical_and, a &&b) \
    X(logical_or, a || b) \
    X(minimum, lesser(a, b)) \
    X(maximum, greater(a, b))

#define SUBWAVE_X(name, expression) \
    template <class T = void> struct name { \
        SUBWAVE_DEVICE T operator()(const T &a, const T &b) const \
        { \
            return static_cast<T>(expression); \
        } \
    }; \
    template <> struct name<void> { \
        template <class T> SUBWAVE_DEVICE T operator()(const T &a, const T &b) const \
        { \
            return static_cast<T>(expression); \
        } \
    };
SUBWAVE_OPS(SUBWAVE_X)
#undef SUBWAVE_X
#undef SUBWAVE_OPS

/* The largest and least values of a number type; infinities where it has them. */
template <class T> SUBWAVE_DEVICE constexpr T highest_value()
{
    if constexpr (is_floating_v<T>)
        return T(__builtin_huge_valf());
    else if constexpr (std::is_same<T, bool>::value)
        return true;
    else if constexpr (std::is_signed<T>::value)
        return static_cast<T>((std::uint64_t(1) << (8 * sizeof(T) - 1)) - 1);
    else
        return static_cast<T>(~T(0));
}

template <class T> SUBWAVE_DEVICE constexpr T lowest_value()
{
    if constexpr (is_floating_v<T>)
        return T(-__builtin_huge_valf());
    else if constexpr (std::is_signed<T>::value)
        return static_cast<T>(-highest_value<T>() - 1);
    else
        return T(0);
}

/* known_identity<Op, T>::value() combines with any T to that T; for numbers and the ops above. */
template <class Op, class T> struct known_identity {
    static constexpr bool exists = false;
};

#define SUBWAVE_IDENTITY(op, condition, identity) \
    template <class U, class T> struct known_identity<op<U>, T> { \
        static constexpr bool exists = condition; \
        static SUBWAVE_DEVICE constexpr T value() { return identity; } \
    };
SUBWAVE_IDENTITY(plus, is_integer_v<T> || is_floating_v<T>, T(0))
SUBWAVE_IDENTITY(multiplies, is_integer_v<T> || is_floating_v<T>, T(1))
SUBWAVE_IDENTITY(bit_and, is_integer_v<T>, static_cast<T>(~T(0)))
SUBWAVE_IDENTITY(bit_or, is_integer_v<T>, T(0))
SUBWAVE_IDENTITY(bit_xor, is_integer_v<T>, T(0))
SUBWAVE_IDENTITY(logical_and, is_integer_v<T> || is_floating_v<T>, T(1))
SUBWAVE_IDENTITY(logical_or, is_integer_v<T> || is_floating_v<T>, T(0))
SUBWAVE_IDENTITY(minimum, is_integer_v<T> || is_floating_v<T>, highest_value<T>())
SUBWAVE_IDENTITY(maximum, is_integer_v<T> || is_floating_v<T>, lowest_value<T>())
#undef SUBWAVE_IDENTITY

template <class Op, class T>
inline constexpr bool has_known_identity_v = known_identity<Op, T>::exists;

/* Any number wins over NaN; an infinity would hide a group of NaNs. */
template <class T> SUBWAVE_DEVICE constexpr T last_choice(T limit)
{
    if constexpr (is_floating_v<T>)
        return T(__builtin_nanf(""));
    else
        return limit;
}

/* filler<Op, T>::value() combines with any T to the same bits of it, which the known identity of
 * floating sums does not: -0 + 0 is 0. Stands in for members that have no value. */
template <class Op, class T> struct filler {
    static constexpr bool exists = false;
};

#define SUBWAVE_FILLER(op, condition, filling) \
    template <class U, class T> struct filler<op<U>, T> { \
        static constexpr bool exists = condition; \
        static SUBWAVE_DEVICE constexpr T value() { return filling; } \
    };
SUBWAVE_FILLER(plus, is_integer_v<T> || is_floating_v<T>,
               static_cast<T>(is_floating_v<T> ? -0.0f : 0.0f))
SUBWAVE_FILLER(multiplies, is_integer_v<T> || is_floating_v<T>, T(1))
SUBWAVE_FILLER(bit_and, is_integer_v<T>, static_cast<T>(~T(0)))
SUBWAVE_FILLER(bit_or, is_integer_v<T>, T(0))
SUBWAVE_FILLER(bit_xor, is_integer_v<T>, T(0))
SUBWAVE_FILLER(minimum, is_integer_v<T> || is_floating_v<T>, last_choice(highest_value<T>()))
SUBWAVE_FILLER(maximum, is_integer_v<T> || is_floating_v<T>, last_choice(lowest_value<T>()))
#undef SUBWAVE_FILLER

/* Whether op(a, b) and op(b, a) have the same bits; if so a ladder need not keep their order. */
template <class Op, class T> inline constexpr bool is_commutative_v = known_identity<Op, T>::exists;

/* f(x, op) in the type to combine T in. Integers wrap as well once, at the end; machines mask
 * narrow ones after every step. */
template <class T, class Op, class F> SUBWAVE_DEVICE T in_words(T x, Op op, F f)
{
    return f(x, op);
}
template <
    class T, template <class> class Op, class U, class F,
    class = std::enable_if_t<is_integer_v<T> && sizeof(T) < 4 && known_identity<Op<U>, T>::exists>>
SUBWAVE_DEVICE T in_words(T x, Op<U>, F f)
{
    using Word = std::conditional_t<std::is_signed<T>::value, std::int32_t, std::uint32_t>;
    return static_cast<T>(f(static_cast<Word>(x), Op<Word>()));
}

SUBWAVE_END

#endif
