/* SPDX-License-Identifier: MIT
 * real_form.hip: the real form of a complex matrix, two lines for each of its lines, by which
 * matrix units, which multiply real numbers, multiply complex ones (src/matmul_complex.c).
 */
#include "kernels.h"
#include "unit/matrix.hpp"

#include <subwave/subwave.hpp>

SUBWAVE_BEGIN

template <class T> SUBWAVE_DEVICE void write_real_form(const subwave_real_form_launch &p)
{
    using real = part_of<T>;
    const T alpha = {static_cast<real>(p.alpha[0]), static_cast<real>(p.alpha[1])};
    for (std::uint32_t tile = blockIdx.x; tile < p.tiles; tile += gridDim.x) {
        const std::uint32_t line = tile / p.tiles_of_line,
                            i = (tile - line * p.tiles_of_line) * SUBWAVE_REAL_FORM_BLOCK +
                                threadIdx.x;
        if (i >= p.length)
            continue;
        const T loaded = static_cast<const T *>(p.x)[static_cast<std::int64_t>(line) * p.ldx + i],
                x = p.conjugate ? conjugate(loaded) : loaded;
        /* A real factor takes no part of x to the other one, which an infinity would make a NaN. */
        const T v = alpha.imaginary == 0 ? T{alpha.real * x.real, alpha.real * x.imaginary}
                                         : multiply_add(alpha, x, T{});
        T *const y = static_cast<T *>(p.y) + 2 * static_cast<std::int64_t>(line) * p.ldy + i;
        y[0] = v;
        y[p.ldy] = p.minus ? T{v.imaginary, -v.real} : T{-v.imaginary, v.real};
    }
}

template <class T> SUBWAVE_KERNEL(SUBWAVE_REAL_FORM_BLOCK) real_form(subwave_real_form_launch p)
{
    if constexpr (matrix_unit<part_of<T>>::exists)
        write_real_form<T>(p);
    else
        trap(); /* nothing asks for it on this architecture */
}

template <class T> static int launch_real_form(const subwave_real_form_launch &p, void *stream)
{
    return launch(real_form<T>, dim3(p.blocks), dim3(SUBWAVE_REAL_FORM_BLOCK), 0, stream, p);
}

SUBWAVE_END

SUBWAVE_KERNELS_real_form(SUBWAVE_DEFINE_LAUNCHER)
