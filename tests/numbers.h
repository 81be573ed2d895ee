/* SPDX-License-Identifier: MIT
 * numbers.h: the elements of any floating type, real or complex, as complex numbers of double.
 */
#ifndef SUBWAVE_TESTS_NUMBERS_H
#define SUBWAVE_TESTS_NUMBERS_H

#include "reference.h"

#include <complex.h>
#include <math.h>

typedef double complex number;

static inline number number_get(subwave_dtype dtype, const void *array, int64_t i)
{
    const subwave_dtype part = reference_part(dtype);
    if (!reference_is_complex(dtype))
        return reference_decode(part, reference_load(part, array, i));
    return CMPLX(reference_decode(part, reference_load(part, array, 2 * i)),
                 reference_decode(part, reference_load(part, array, 2 * i + 1)));
}

static inline void number_set(subwave_dtype dtype, void *array, int64_t i, number value)
{
    const subwave_dtype part = reference_part(dtype);
    const int64_t at = reference_is_complex(dtype) ? 2 * i : i;
    reference_store(part, array, at, reference_encode(part, creal(value)));
    if (reference_is_complex(dtype))
        reference_store(part, array, at + 1, reference_encode(part, cimag(value)));
}

static inline double number_size(number x) { return fabs(creal(x)) + fabs(cimag(x)); }

#endif
