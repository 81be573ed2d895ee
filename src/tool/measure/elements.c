/* SPDX-License-Identifier: MIT
 * elements.c: numbers as elements of every type, and arrays of them in device memory.
 */
#include "problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the list of types says of one. */
typedef struct traits {
    bool is_signed;
    subwave_dtype sums, product, part;
    int fraction; /* bits of a part's, 0 of an integer */
} traits;

static traits traits_of(subwave_dtype dtype)
{
    enum { SIGNED, UNSIGNED, FLOAT, COMPLEX };
    switch (dtype) {
#define SUBWAVE_X(name, value, bytes, spelling, class, sums, product, parts, fraction) \
    case SUBWAVE_DTYPE_##name: \
        return (traits){class == SIGNED, SUBWAVE_DTYPE_##sums, SUBWAVE_DTYPE_##product, \
                        SUBWAVE_DTYPE_##parts, fraction};
        SUBWAVE_DTYPE_LIST(SUBWAVE_X)
#undef SUBWAVE_X
    }
    abort();
}

subwave_dtype measure_part(subwave_dtype dtype) { return traits_of(dtype).part; }

subwave_dtype measure_sums(subwave_dtype dtype) { return traits_of(dtype).sums; }

subwave_dtype measure_product(subwave_dtype dtype) { return traits_of(dtype).product; }

bool measure_is_signed(subwave_dtype dtype) { return traits_of(dtype).is_signed; }

int measure_parts(subwave_dtype dtype) { return measure_part(dtype) == dtype ? 1 : 2; }

bool measure_is_floating(subwave_dtype dtype) { return traits_of(dtype).fraction != 0; }

bool measure_is_scalar(subwave_dtype dtype, double number)
{
    return measure_is_floating(measure_sums(dtype)) ||
           (number >= INT32_MIN && number <= INT32_MAX && number == trunc(number));
}

bool measure_has_op(subwave_dtype dtype, subwave_op op)
{
    switch (op) {
#define SUBWAVE_X(name, value, spelling, floating) \
    case SUBWAVE_OP_##name: \
        return measure_parts(dtype) == 1 && (floating || !measure_is_floating(dtype));
        SUBWAVE_OP_LIST(SUBWAVE_X)
#undef SUBWAVE_X
    }
    return false;
}

double measure_epsilon(subwave_dtype dtype)
{
    return measure_is_floating(dtype) ? ldexp(1, -traits_of(dtype).fraction) : 0;
}

/* C has no types of 8 and 16 bits: sign, exponent field, fraction f below 1. Field e > 0 stands for
 * (1 + f) 2^(e - bias), field 0 for f 2^(1 - bias), the largest for infinity and NaN. */
typedef struct format {
    int fraction, top, bias; /* bits; the largest field */
    uint64_t sign;
} format;

static format format_of(subwave_dtype part)
{
    const int width = 8 * (int)subwave_dtype_size(part), fraction = traits_of(part).fraction;
    const int top = (1 << (width - 1 - fraction)) - 1;
    return (format){fraction, top, top / 2, (uint64_t)1 << (width - 1)};
}

static double decode_small(format f, uint64_t bits)
{
    const int field = (int)(bits >> f.fraction) & f.top;
    const double sign = bits & f.sign ? -1 : 1, one = 1 << f.fraction;
    const double rest = (double)(bits & (((uint64_t)1 << f.fraction) - 1));
    if (field == f.top)
        return rest != 0 ? NAN : sign * INFINITY;
    return sign * ldexp(field ? rest + one : rest, (field ? field : 1) - f.bias - f.fraction);
}

/* To nearest, ties to even; of finite numbers. A fraction that rounds up to the next exponent, or
 * to infinity, is right by itself, since codes count the numbers from zero up. */
static uint64_t encode_small(format f, double number)
{
    const uint64_t sign = signbit(number) ? f.sign : 0;
    if (fabs(number) >= ldexp(1, f.bias + 1))
        return sign | (uint64_t)f.top << f.fraction;
    const int exponent = number == 0 || ilogb(number) < 1 - f.bias ? 1 - f.bias : ilogb(number);
    const uint64_t steps = (uint64_t)nearbyint(ldexp(fabs(number), f.fraction - exponent));
    return sign | (steps + ((uint64_t)(exponent + f.bias - 1) << f.fraction));
}

uint64_t measure_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

void measure_random(subwave_dtype dtype, int64_t count, uint64_t seed, double *values)
{
    const subwave_dtype part = measure_part(dtype);
    count *= measure_parts(dtype);
    for (int64_t i = 0; i < count; ++i) {
        if (i >= MEASURE_PERIOD) {
            values[i] = values[i - MEASURE_PERIOD];
            continue;
        }
        const uint64_t bits = measure_next(&seed);
        double value = (double)(bits >> 11) * 0x1p-52 - 1;
        if (!measure_is_floating(part))
            value = (double)(bits >> 61) - (measure_is_signed(part) ? 4 : 0);
        else if (fabs(value) < 0x1p-14) /* a matrix unit may take a subnormal f16 for 0 */
            value += 0.5;
        if (part == SUBWAVE_DTYPE_F32)
            value = (float)value;
        else if (measure_is_floating(part) && part != SUBWAVE_DTYPE_F64)
            value = decode_small(format_of(part), encode_small(format_of(part), value));
        values[i] = value;
    }
}

/* All integers lie in memory with their lowest byte first, on every machine that has a GPU. */
static void store(subwave_dtype dtype, void *elements, int64_t i, uint64_t value)
{
    const size_t size = subwave_dtype_size(dtype);
    memcpy((char *)elements + (size_t)i * size, &value, size);
}

uint64_t measure_integer(subwave_dtype dtype, const void *elements, int64_t i)
{
    const size_t size = subwave_dtype_size(dtype);
    uint64_t value = 0;
    memcpy(&value, (const char *)elements + (size_t)i * size, size);
    return value;
}

/* The sign's bit counts as negative. */
static int64_t signed_integer(subwave_dtype dtype, const void *elements, int64_t i)
{
    const uint64_t value = measure_integer(dtype, elements, i);
    const uint64_t sign =
        measure_is_signed(dtype) ? (uint64_t)1 << (8 * subwave_dtype_size(dtype) - 1) : 0;
    return (int64_t)((value ^ sign) - sign);
}

void measure_encode(subwave_dtype dtype, int64_t count, const double *values, void *elements)
{
    const subwave_dtype part = measure_part(dtype);
    count *= measure_parts(dtype);
    if (part == SUBWAVE_DTYPE_F32) {
        for (int64_t i = 0; i < count; ++i)
            ((float *)elements)[i] = (float)values[i];
    } else if (part == SUBWAVE_DTYPE_F64) {
        memmove(elements, values, (size_t)count * sizeof *values);
    } else if (measure_is_floating(part)) {
        const format f = format_of(part);
        for (int64_t i = 0; i < count; ++i)
            store(part, elements, i, encode_small(f, values[i]));
    } else {
        for (int64_t i = 0; i < count; ++i)
            store(part, elements, i, (uint64_t)(int64_t)values[i]);
    }
}

/* Unsigned integers are those of measure_random and sums of them, which are small. */
void measure_decode(subwave_dtype dtype, int64_t count, const void *elements, double *values)
{
    const subwave_dtype part = measure_part(dtype);
    count *= measure_parts(dtype);
    if (part == SUBWAVE_DTYPE_F32) {
        for (int64_t i = 0; i < count; ++i)
            values[i] = ((const float *)elements)[i];
    } else if (part == SUBWAVE_DTYPE_F64) {
        memmove(values, elements, (size_t)count * sizeof *values);
    } else if (measure_is_floating(part)) {
        const format f = format_of(part);
        for (int64_t i = 0; i < count; ++i)
            values[i] = decode_small(f, measure_integer(part, elements, i));
    } else {
        for (int64_t i = 0; i < count; ++i)
            values[i] = (double)signed_integer(part, elements, i);
    }
}

/* --- arrays ---------------------------------------------------------------------------------- */

subwave_status measure_allocate(measure_array *array, subwave_context *context, size_t bytes,
                                int sets)
{
    *array = (measure_array){context, bytes, (bytes + 255) / 256 * 256, sets, NULL};
    return subwave_malloc(context, &array->memory, (int64_t)array->stride * sets);
}

void measure_free(measure_array *array)
{
    if (array->context)
        subwave_free(array->context, array->memory);
    array->memory = NULL;
}

void *measure_at(const measure_array *array, int set)
{
    return (char *)array->memory + array->stride * (size_t)set;
}

subwave_status measure_write(const measure_array *array, int set, const void *contents)
{
    return subwave_copy(array->context, measure_at(array, set), contents, (int64_t)array->bytes);
}

subwave_status measure_read(const measure_array *array, int set, void *contents)
{
    return subwave_copy(array->context, contents, measure_at(array, set), (int64_t)array->bytes);
}

subwave_status measure_fill(const measure_array *array, const void *contents)
{
    subwave_status status = measure_write(array, 0, contents);
    for (int set = 1; status == SUBWAVE_STATUS_SUCCESS && set < array->sets; ++set)
        status = measure_write(array, set, measure_at(array, 0));
    return status;
}

subwave_status measure_poison(const measure_array *array, int set)
{
    unsigned char *poison = malloc(array->bytes + 1);
    if (!poison)
        return SUBWAVE_STATUS_OUT_OF_MEMORY;
    memset(poison, 0xff, array->bytes);
    const subwave_status status = measure_write(array, set, poison);
    free(poison);
    return status;
}
