/* SPDX-License-Identifier: MIT
 * fuzz_matmul.c: the matrix products: one by one, their plan, and batches of both kinds.
 */
#include "fuzz.h"

#include "../reference.h"
#include "../types.h"

#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BATCH = 40 };
typedef double complex number;
typedef enum form { SINGLE, STRIDED, POINTERS } form;

/* The matrices of an operand, one for each entry of a batch. */
typedef struct operand {
    const char *name, *ld_name, *stride_name;
    /* extent: elements from the first to the last of one */
    int64_t rows, columns, minor, major, extent;
    int64_t ld, stride;
    int64_t at[MOST_BATCH]; /* the first element of an entry's matrix in the memory's contents */
    fuzz_memory *memory, *array;
    const void *pointer;
} operand;

/* The arguments, wrong ones too. */
typedef struct product {
    subwave_context *handle;
    form form;
    int32_t variant, dtype, layout, transpose_a, transpose_b;
    int64_t m, n, k, batch;
    operand a, b, c;
    const void *alpha, *beta;

    number alpha_value, beta_value;
    bool packed; /* matrices without gaps, which have kernels of their own */
    bool exact;  /* small integers: every sum is exact in every order */
    bool reads;  /* A and B */
    bool checks; /* pointers */
} product;

/* --- elements -------------------------------------------------------------------------------- */

static bool is_complex(int32_t dtype) { return reference_is_complex((subwave_dtype)dtype); }
/* What A, B or C is of. */
static int32_t type_of(const product *p, const operand *x)
{
    return x == &p->c ? (int32_t)reference_product((subwave_dtype)p->dtype) : p->dtype;
}
static subwave_dtype part_of(int32_t dtype) { return reference_part((subwave_dtype)dtype); }

/* C11's CMPLX, which clang does not find in every C library; real + imaginary * I would spread a
 * NaN. */
static number make_number(double real, double imaginary)
{
    const double parts[2] = {real, imaginary};
    number result;
    memcpy(&result, parts, sizeof result);
    return result;
}

static number get(int32_t dtype, const void *array, int64_t i)
{
    const subwave_dtype part = part_of(dtype);
    if (!is_complex(dtype))
        return reference_decode(part, reference_load(part, array, i));
    return make_number(reference_decode(part, reference_load(part, array, 2 * i)),
                       reference_decode(part, reference_load(part, array, 2 * i + 1)));
}

static void set(int32_t dtype, void *array, int64_t i, number value)
{
    const subwave_dtype part = part_of(dtype);
    const int64_t at = is_complex(dtype) ? 2 * i : i;
    reference_store(part, array, at, reference_encode(part, creal(value)));
    if (is_complex(dtype))
        reference_store(part, array, at + 1, reference_encode(part, cimag(value)));
}

/* Of integers any value. */
static number random_number(fuzz *f, const product *p, const operand *x)
{
    const subwave_dtype type = part_of(type_of(p, x));
    if (reference_is_integer(type))
        return reference_decode(type, fuzz_bits(f) >> (64 - reference_width(type)));
    const double real = p->exact ? (double)fuzz_between(f, -3, 3) : fuzz_sign(f);
    if (!is_complex(p->dtype))
        return real;
    return make_number(real, p->exact ? (double)fuzz_between(f, -3, 3) : fuzz_sign(f));
}

static number random_scalar(fuzz *f, const product *p)
{
    static const double parts[] = {0, 0, 1, 1, 1, -1, 2, 0.5, -3};
    double real = FUZZ_PICK(f, parts);
    if (reference_is_integer((subwave_dtype)p->dtype) && real != trunc(real))
        real = (double)fuzz_between(f, -100000, 100000);
    return is_complex(p->dtype) && fuzz_one_in(f, 2) ? make_number(real, FUZZ_PICK(f, parts))
                                                     : real;
}

/* What alpha and beta are of. */
static int32_t scalar_type(const product *p)
{
    return (int32_t)reference_sums((subwave_dtype)p->dtype);
}

/* --- right arguments ------------------------------------------------------------------------- */

static int64_t choose_size(fuzz *f)
{
    if (fuzz_one_in(f, 25))
        return 0;
    return fuzz_between(f, 1, fuzz_one_in(f, 3) ? 70 : fuzz_one_in(f, 2) ? 33 : 9);
}

static void choose_sizes(fuzz *f, product *p)
{
    int64_t *const sizes[] = {&p->m, &p->n, &p->k};
    p->packed = fuzz_one_in(f, 3);
    const bool small = p->packed && fuzz_one_in(f, 2);
    for (int i = 0; i < 3; ++i)
        *sizes[i] = small ? fuzz_between(f, 1, 16) : choose_size(f);
    if (p->form == SINGLE && fuzz_one_in(f, 12)) { /* one long, the others short */
        for (int i = 0; i < 3; ++i)
            *sizes[i] = fuzz_between(f, 1, 17);
        *FUZZ_PICK(f, sizes) = fuzz_between(f, 100, 600);
    }
    p->batch = 1;
    if (p->form != SINGLE) {
        const int64_t cost =
            1 + p->m * p->n * p->k / 1000 + (p->m * p->n + p->k * (p->m + p->n)) / 500;
        p->batch = fuzz_one_in(f, 20)
                       ? 0
                       : fuzz_between(f, 1, MOST_BATCH / cost > 1 ? MOST_BATCH / cost : 2);
    }
}

static void shape(product *p, operand *x, int64_t rows, int64_t columns, bool flipped)
{
    const bool row_major = p->layout == SUBWAVE_LAYOUT_ROW_MAJOR;
    x->rows = flipped ? columns : rows;
    x->columns = flipped ? rows : columns;
    x->minor = row_major ? x->columns : x->rows;
    x->major = row_major ? x->rows : x->columns;
}

/* The distances between elements. A row alone may have any leading dimension. */
static void choose_distances(fuzz *f, const product *p, operand *x)
{
    static const int64_t pads[] = {0, 0, 1, 2, 3, 5, 9};
    const int64_t size = (int64_t)subwave_dtype_size((subwave_dtype)type_of(p, x));
    const bool is_c = x == &p->c;
    if (p->packed) {
        x->ld = x->minor < 1 ? 1 : x->minor;
        x->stride = x->extent = x->major * x->minor;
        return;
    }
    x->ld = (x->minor < 1 ? 1 : x->minor) + FUZZ_PICK(f, pads);
    if (x->major <= 1 && fuzz_one_in(f, 6))
        x->ld = fuzz_one_in(f, 2) ? INT64_MAX / size : (int64_t)1 << 33;
    x->extent = x->rows && x->columns ? (x->major - 1) * x->ld + x->minor : 0;
    x->stride = is_c ? x->extent : fuzz_one_in(f, 4) ? 0 : x->extent;
    if (fuzz_one_in(f, 2))
        x->stride += fuzz_between(f, 0, 7);
    if (is_c && p->form == STRIDED && p->batch > 1 && fuzz_one_in(f, 4)) { /* side by side */
        x->stride = x->minor + fuzz_between(f, 0, 3);
        x->ld = x->stride * (p->batch - 1) + x->minor + FUZZ_PICK(f, pads);
        x->ld += x->ld < 1;
        x->extent = x->rows && x->columns ? (x->major - 1) * x->ld + x->minor : 0;
    } else if (!is_c && fuzz_one_in(f, 5)) /* over one another */
        x->stride = fuzz_between(f, 0, 5);
    if (fuzz_one_in(f, 3))
        x->stride = -x->stride;
}

/* Entries at a stride of any sign. */
static int64_t place_at_stride(const product *p, operand *x)
{
    const int64_t last = p->batch > 0 ? (p->batch - 1) * x->stride : 0;
    for (int64_t e = 0; e < p->batch; ++e)
        x->at[e] = e * x->stride - (last < 0 ? last : 0);
    return p->batch > 0 ? x->extent + (last < 0 ? -last : last) : 0;
}

/* Entries anywhere: C's in any order, those of others may be the same. */
static int64_t place_anywhere(fuzz *f, const product *p, operand *x)
{
    const bool is_c = x == &p->c;
    int64_t starts[MOST_BATCH], end = 0;
    for (int64_t e = 0; e < p->batch; ++e) {
        starts[e] = end += e && fuzz_one_in(f, 2) ? fuzz_between(f, 0, 3) : 0;
        end += x->extent;
    }
    for (int64_t e = 0; e < p->batch; ++e) {
        const int64_t other = fuzz_between(f, is_c ? e : 0, p->batch - 1), start = starts[other];
        x->at[e] = start;
        if (is_c) {
            starts[other] = starts[e];
            starts[e] = start;
        }
    }
    return end;
}

static int64_t element(const product *p, const operand *x, int64_t entry, int64_t i, int64_t j)
{
    return x->at[entry] +
           (p->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR ? i + j * x->ld : i * x->ld + j);
}

static void create_operand(fuzz *f, product *p, operand *x, bool is_filled)
{
    const size_t size = subwave_dtype_size((subwave_dtype)type_of(p, x));
    const int64_t elements = p->form == POINTERS ? place_anywhere(f, p, x) : place_at_stride(p, x);
    x->memory = fuzz_take(f, FUZZ_DEVICE, x->name, (size_t)elements * size, size);
    for (int64_t e = 0; e < p->batch && is_filled; ++e)
        for (int64_t i = 0; i < x->rows; ++i)
            for (int64_t j = 0; j < x->columns; ++j)
                set(type_of(p, x), x->memory->contents, element(p, x, e, i, j),
                    random_number(f, p, x));
    x->pointer = x->memory->pointer + (p->batch > 0 ? x->at[0] : 0) * (int64_t)size;
    if (p->form == POINTERS) {
        void *pointers[MOST_BATCH + 1] = {NULL};
        for (int64_t e = 0; e < p->batch; ++e)
            pointers[e] = x->memory->pointer + x->at[e] * (int64_t)size;
        x->array = fuzz_put(f, FUZZ_DEVICE, x->name, pointers, (size_t)p->batch * sizeof *pointers,
                            sizeof *pointers);
        x->pointer = x->array->pointer;
    }
}

static const void *create_scalar(fuzz *f, const product *p, const char *label, number value)
{
    unsigned char element[16];
    const size_t size = subwave_dtype_size((subwave_dtype)scalar_type(p));
    set(scalar_type(p), element, 0, value);
    return fuzz_put(f, FUZZ_HOST, label, element, size, size)->pointer;
}

static void choose_types(fuzz *f, product *p)
{
    const subwave_dtype dtype =
        p->form == SINGLE ? FUZZ_PICK(f, matmul_dtypes) : FUZZ_PICK(f, batched_dtypes);
    p->dtype = (int32_t)dtype;
    do
        p->variant = (int32_t)FUZZ_PICK(f, all_variants);
    while (!types_has_variant((subwave_variant)p->variant, dtype));
    p->layout = (int32_t)fuzz_between(f, SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_LAYOUT_COLUMN_MAJOR);
    p->transpose_a = (int32_t)fuzz_between(f, SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_CONJUGATE);
    p->transpose_b = (int32_t)fuzz_between(f, SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_CONJUGATE);
}

static void create_product(fuzz *f, product *p)
{
    p->a = (operand){.name = "a", .ld_name = "lda", .stride_name = "stride_a"};
    p->b = (operand){.name = "b", .ld_name = "ldb", .stride_name = "stride_b"};
    p->c = (operand){.name = "c", .ld_name = "ldc", .stride_name = "stride_c"};
    choose_types(f, p);
    choose_sizes(f, p);
    shape(p, &p->a, p->m, p->k, p->transpose_a != SUBWAVE_TRANSPOSE_NONE);
    shape(p, &p->b, p->k, p->n, p->transpose_b != SUBWAVE_TRANSPOSE_NONE);
    shape(p, &p->c, p->m, p->n, false);
    choose_distances(f, p, &p->a);
    choose_distances(f, p, &p->b);
    choose_distances(f, p, &p->c);
    p->exact = !fuzz_one_in(f, 4) || reference_is_integer((subwave_dtype)p->dtype);
    p->alpha_value = random_scalar(f, p);
    p->beta_value = random_scalar(f, p);
    if (p->k == 0 && fuzz_one_in(f, 3) && !reference_is_integer((subwave_dtype)p->dtype))
        p->alpha_value = INFINITY; /* is multiplied with nothing */
    p->checks = p->m && p->n && p->batch;
    p->reads = p->checks && p->k && p->alpha_value != 0;
    create_operand(f, p, &p->a, p->reads);
    create_operand(f, p, &p->b, p->reads);
    create_operand(f, p, &p->c, p->beta_value != 0);
    p->alpha = create_scalar(f, p, "alpha", p->alpha_value);
    p->beta = create_scalar(f, p, "beta", p->beta_value);
    if (!p->reads && fuzz_one_in(f, 2)) { /* not even their pointers are looked at */
        p->a.pointer = fuzz_nowhere(f);
        p->b.pointer = fuzz_nowhere(f);
    }
    if (!p->checks && fuzz_one_in(f, 2)) {
        p->alpha = fuzz_nowhere(f);
        p->beta = fuzz_nowhere(f);
        p->c.pointer = fuzz_nowhere(f);
    }
}

/* --- wrong arguments ------------------------------------------------------------------------- */

#define VALUE SUBWAVE_STATUS_INVALID_VALUE
#define UNSUPPORTED SUBWAVE_STATUS_UNSUPPORTED
#define SIZE SUBWAVE_STATUS_INVALID_SIZE
#define STRIDE SUBWAVE_STATUS_INVALID_STRIDE
#define POINTER SUBWAVE_STATUS_INVALID_POINTER

static bool spoil_choice(fuzz *f, product *p, fuzz_expected *e)
{
    const bool single = p->form == SINGLE;
    subwave_dtype dtype;
    switch (fuzz_between(f, 0, 6)) {
    case 0:
        if (!single)
            return false;
        p->variant = fuzz_outside(f, 1, GREATEST(SUBWAVE_VARIANT_LIST));
        fuzz_wrong(e, VALUE, "variant");
        return true;
    case 1:
        p->dtype = fuzz_outside(f, 1, GREATEST(SUBWAVE_DTYPE_LIST));
        fuzz_wrong(e, VALUE, "dtype");
        return true;
    case 2:
        do
            dtype = FUZZ_PICK(f, all_dtypes);
        while (single ? IS_ONE_OF(matmul_dtypes, dtype) : IS_ONE_OF(batched_dtypes, dtype));
        p->dtype = (int32_t)dtype;
        fuzz_wrong(e, UNSUPPORTED, "dtype");
        return true;
    case 3:
        p->layout = fuzz_outside(f, SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_LAYOUT_COLUMN_MAJOR);
        fuzz_wrong(e, VALUE, "layout");
        return true;
    case 4:
        p->transpose_a = fuzz_outside(f, SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_CONJUGATE);
        fuzz_wrong(e, VALUE, "transpose_a");
        return true;
    case 5:
        p->transpose_b = fuzz_outside(f, SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_CONJUGATE);
        fuzz_wrong(e, VALUE, "transpose_b");
        return true;
    default:
        if (!single)
            return false;
        dtype = FUZZ_PICK(f, matmul_dtypes);
        p->variant = (int32_t)(fuzz_one_in(f, 2) ? SUBWAVE_VARIANT_SKINNY : SUBWAVE_VARIANT_MATRIX);
        if (types_has_variant((subwave_variant)p->variant, dtype))
            return false;
        p->dtype = (int32_t)dtype;
        fuzz_wrong(e, UNSUPPORTED, "variant");
        return true;
    }
}

static bool spoil_size(fuzz *f, product *p, fuzz_expected *e)
{
    static const int64_t negative[] = {-1, -2, -70, INT64_MIN, INT32_MIN},
                         large[] = {32769, INT32_MAX, INT64_MAX};
    static const char *const names[] = {"m", "n", "k"};
    int64_t *const sizes[] = {&p->m, &p->n, &p->k};
    const int64_t which = fuzz_between(f, 0, 2);
    switch (fuzz_between(f, 0, 2)) {
    case 0:
        *sizes[which] = FUZZ_PICK(f, negative);
        fuzz_wrong(e, SIZE, names[which]);
        return true;
    case 1:
        if (p->form != SINGLE) {
            *sizes[which] = FUZZ_PICK(f, large);
            fuzz_wrong(e, SIZE, names[which]);
            return true;
        }
        *sizes[which] =
            INT64_MAX; /* some leading dimension is too small for it or exceeds the address space */
        fuzz_wrong(e, SIZE, names[which]);
        fuzz_wrong(e, STRIDE, names[which]);
        return true;
    default:
        if (p->form == SINGLE)
            return false;
        p->batch = FUZZ_PICK(f, negative);
        fuzz_wrong(e, SIZE, "batch");
        return true;
    }
}

static bool spoil_ld(fuzz *f, product *p, fuzz_expected *e)
{
    operand *const operands[] = {&p->a, &p->b, &p->c};
    operand *x = FUZZ_PICK(f, operands);
    const int64_t size = (int64_t)subwave_dtype_size((subwave_dtype)type_of(p, x));
    const int64_t small[] = {x->minor - 1, 0, -1, -x->minor, INT64_MIN};
    if (fuzz_one_in(f, 3)) {
        if (x->major < 1 || size == 0 || size * x->major == 1) /* of a row of bytes none is */
            return false;
        x->ld = fuzz_one_in(f, 2) ? INT64_MAX / size / x->major + 1 : INT64_MAX;
        fuzz_wrong(e, SIZE, x->ld_name);
        return true;
    }
    x->ld = FUZZ_PICK(f, small);
    fuzz_wrong(e, STRIDE, x->ld_name);
    return true;
}

static bool spoil_stride(fuzz *f, product *p, fuzz_expected *e)
{
    static const int64_t endless[] = {INT64_MAX, INT64_MIN, INT64_MIN + 1, INT64_MAX / 2};
    operand *const operands[] = {&p->a, &p->b, &p->c};
    operand *x = FUZZ_PICK(f, operands);
    if (p->form != STRIDED || p->batch < 2)
        return false;
    if (fuzz_one_in(f, 2)) {
        x->stride = FUZZ_PICK(f, endless);
        fuzz_wrong(e, SIZE, x->stride_name);
        return true;
    }
    x = &p->c;
    if (p->m < 1 || p->n < 1 || x->extent < 1 || x->ld < x->minor)
        return false;
    /* Within a row, or a row of one within a row of another; often just so. */
    const int64_t beside = (x->ld - x->minor) / (p->batch - 1);
    const int64_t least = beside < x->minor ? x->minor : beside + 1;
    const bool within_row = fuzz_one_in(f, 2) || least >= x->extent;
    const int64_t low = within_row ? 0 : least, high = within_row ? x->minor - 1 : x->extent - 1;
    const int64_t choices[] = {low, high, fuzz_between(f, low, high)};
    x->stride = FUZZ_PICK(f, choices);
    if (fuzz_one_in(f, 2))
        x->stride = -x->stride;
    fuzz_wrong(e, STRIDE, x->stride_name);
    return true;
}

/* Null, or misaligned by less than a component of the element, which no type's alignment is below.
 * What is wrong already becomes null: misaligned twice it might be right again. */
static const void *bad_pointer(fuzz *f, const void *pointer, size_t component)
{
    if (component < 2 || !pointer || (uintptr_t)pointer % component || fuzz_one_in(f, 2))
        return NULL;
    return (const char *)pointer + fuzz_between(f, 1, (int64_t)component - 1);
}

static bool spoil_pointer(fuzz *f, product *p, fuzz_expected *e)
{
    const size_t size =
        p->form == POINTERS ? sizeof(void *) : subwave_dtype_size(part_of(p->dtype));
    const size_t c_size =
        p->form == POINTERS ? sizeof(void *) : subwave_dtype_size(part_of(type_of(p, &p->c)));
    const size_t scalar = subwave_dtype_size(part_of(scalar_type(p)));
    if (!p->checks)
        return false;
    switch (fuzz_between(f, 0, 4)) {
    case 0:
        p->alpha = bad_pointer(f, p->alpha, scalar);
        fuzz_wrong(e, POINTER, "alpha");
        return true;
    case 1:
        p->beta = bad_pointer(f, p->beta, scalar);
        fuzz_wrong(e, POINTER, "beta");
        return true;
    case 2:
        if (!p->reads)
            return false;
        p->a.pointer = bad_pointer(f, p->a.pointer, size);
        fuzz_wrong(e, POINTER, "a");
        return true;
    case 3:
        if (!p->reads)
            return false;
        p->b.pointer = bad_pointer(f, p->b.pointer, size);
        fuzz_wrong(e, POINTER, "b");
        return true;
    default:
        p->c.pointer = bad_pointer(f, p->c.pointer, c_size);
        fuzz_wrong(e, POINTER, "c");
        return true;
    }
}

static void spoil_one(fuzz *f, product *p, fuzz_expected *e)
{
    const product right = *p;
    if (fuzz_one_in(f, 12)) {
        p->handle = fuzz_no_context(e);
        return;
    }
    for (;;) {
        const int64_t kind = fuzz_between(f, 0, 4);
        if (kind == 0   ? spoil_choice(f, p, e)
            : kind == 1 ? spoil_size(f, p, e)
            : kind == 2 ? spoil_ld(f, p, e)
            : kind == 3 ? spoil_stride(f, p, e)
                        : spoil_pointer(f, p, e))
            return;
        *p = right;
    }
}

static void spoil(fuzz *f, product *p, fuzz_expected *e)
{
    if (!fuzz_one_in(f, 4))
        return;
    spoil_one(f, p, e);
    /* Pointers are checked last, so with a wrong one another argument is seen first. */
    if (e->wrong == 1 && fuzz_one_in(f, 8))
        spoil_one(f, p, e);
}

/* --- what must come out ---------------------------------------------------------------------- */

static double size_of(number x) { return fabs(creal(x)) + fabs(cimag(x)); }

static number get_op(const product *p, const operand *x, int32_t transpose, int64_t entry,
                     int64_t i, int64_t j)
{
    const bool flipped = transpose != SUBWAVE_TRANSPOSE_NONE;
    const int64_t at = flipped ? element(p, x, entry, j, i) : element(p, x, entry, i, j);
    const number value = get(p->dtype, x->memory->contents, at);
    return transpose == SUBWAVE_TRANSPOSE_CONJUGATE && is_complex(p->dtype) ? conj(value) : value;
}

/* One cell: the sum in double, and how far a right result may be from it. */
static number expect_cell(const product *p, int64_t entry, int64_t i, int64_t j, double *bound)
{
    number sum = 0;
    double size = 0;
    for (int64_t l = 0; l < p->k && p->reads; ++l) {
        const number a = get_op(p, &p->a, p->transpose_a, entry, i, l);
        const number b = get_op(p, &p->b, p->transpose_b, entry, l, j);
        sum += a * b;
        size += size_of(a) * size_of(b);
    }
    number old = 0;
    if (p->beta_value != 0)
        old = p->beta_value *
              get(type_of(p, &p->c), p->c.memory->contents, element(p, &p->c, entry, i, j));
    const number result = (p->reads ? p->alpha_value * sum : 0) + old;
    const double eps = ldexp(1, -reference_fraction((subwave_dtype)scalar_type(p)));
    *bound = (double)(2 * p->k + 6) * eps *
             ((p->reads ? size_of(p->alpha_value) * size : 0) + size_of(old));
    *bound += reference_rounding((subwave_dtype)p->dtype, size_of(result) + *bound);
    return result;
}

/* Checks C's cells, and puts them into its image. */
static void check_cells(fuzz *f, product *p)
{
    const int32_t type = type_of(p, &p->c);
    const size_t size = subwave_dtype_size((subwave_dtype)type);
    unsigned char *now = fuzz_now(f, p->c.memory);
    int64_t wrong = 0;
    for (int64_t e = 0; e < p->batch; ++e)
        for (int64_t i = 0; i < p->m; ++i)
            for (int64_t j = 0; j < p->n; ++j) {
                const int64_t at = element(p, &p->c, e, i, j);
                double bound;
                unsigned char rounded[16];
                number expected = expect_cell(p, e, i, j, &bound);
                const number is = get(type, now, at);
                if (p->exact) {
                    set(type, rounded, 0, expected);
                    expected = get(type, rounded, 0);
                    bound = 0;
                }
                if (!(size_of(is - expected) <= bound) && wrong++ == 0)
                    fuzz_fail(f,
                              "C(%" PRId64 ", %" PRId64 ") of entry %" PRId64
                              " is %.9g%+.9gi instead of %.9g%+.9gi, +-%g",
                              i, j, e, creal(is), cimag(is), creal(expected), cimag(expected),
                              bound);
                memcpy(p->c.memory->contents + (size_t)at * size, now + (size_t)at * size, size);
            }
    if (wrong > 1)
        fuzz_fail(f, "%" PRId64 " cells are wrong", wrong);
}

/* --- the calls ------------------------------------------------------------------------------- */

static void say(fuzz *f, const product *p)
{
    static const char *const functions[] = {"subwave_matmul", "subwave_matmul_strided_batched",
                                            "subwave_matmul_batched"};
    fuzz_words(
        f,
        "%s(context=%p variant=%s(%d) dtype=%s(%d) layout=%d transpose_a=%d transpose_b=%d m=%" PRId64
        " n=%" PRId64 " k=%" PRId64 " alpha=%p(%g%+gi) a=%p lda=%" PRId64 " stride_a=%" PRId64
        " b=%p ldb=%" PRId64 " stride_b=%" PRId64 " beta=%p(%g%+gi) c=%p ldc=%" PRId64
        " stride_c=%" PRId64 " batch=%" PRId64 ")",
        functions[p->form], (void *)p->handle, subwave_variant_name((subwave_variant)p->variant),
        p->variant, subwave_dtype_name((subwave_dtype)p->dtype), p->dtype, p->layout,
        p->transpose_a, p->transpose_b, p->m, p->n, p->k, p->alpha, creal(p->alpha_value),
        cimag(p->alpha_value), p->a.pointer, p->a.ld, p->a.stride, p->b.pointer, p->b.ld,
        p->b.stride, p->beta, creal(p->beta_value), cimag(p->beta_value), p->c.pointer, p->c.ld,
        p->c.stride, p->batch);
}

static subwave_status make(const product *p)
{
    const subwave_dtype dtype = (subwave_dtype)p->dtype;
    const subwave_layout layout = (subwave_layout)p->layout;
    const subwave_transpose_kind transpose_a = (subwave_transpose_kind)p->transpose_a;
    const subwave_transpose_kind transpose_b = (subwave_transpose_kind)p->transpose_b;
    switch (p->form) {
    case SINGLE:
        return subwave_matmul(p->handle, (subwave_variant)p->variant, dtype, layout, transpose_a,
                              transpose_b, p->m, p->n, p->k, p->alpha, p->a.pointer, p->a.ld,
                              p->b.pointer, p->b.ld, p->beta, (void *)p->c.pointer, p->c.ld);
    case STRIDED:
        return subwave_matmul_strided_batched(
            p->handle, dtype, layout, transpose_a, transpose_b, p->m, p->n, p->k, p->alpha,
            p->a.pointer, p->a.ld, p->a.stride, p->b.pointer, p->b.ld, p->b.stride, p->beta,
            (void *)p->c.pointer, p->c.ld, p->c.stride, p->batch);
    default:
        return subwave_matmul_batched(p->handle, dtype, layout, transpose_a, transpose_b, p->m,
                                      p->n, p->k, p->alpha, (const void *const *)p->a.pointer,
                                      p->a.ld, (const void *const *)p->b.pointer, p->b.ld, p->beta,
                                      (void *const *)p->c.pointer, p->c.ld, p->batch);
    }
}

/* Whether a device lacks the matrix unit is not for the fuzzer to say: the plan must say the
 * same. */
static bool lacks_unit(const fuzz *f, const product *p)
{
    subwave_matmul_plan_info plan;
    return !f->on_cpu && p->form == SINGLE && p->variant == SUBWAVE_VARIANT_MATRIX &&
           subwave_matmul_plan(f->copier, SUBWAVE_VARIANT_MATRIX, (subwave_dtype)p->dtype,
                               SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                               SUBWAVE_TRANSPOSE_NONE, 1, 1, 1, &plan) == UNSUPPORTED;
}

/* The same arguments give the same bits. */
static void repeat(fuzz *f, fuzz_context *context, product *p, const unsigned char *old)
{
    const fuzz_expected right = {0};
    fuzz_memory *c = p->c.memory;
    unsigned char *first = malloc(c->bytes + 1);
    if (!first)
        abort();
    memcpy(first, c->contents, c->bytes);
    memcpy(c->contents, old, c->bytes);
    fuzz_upload(f);
    if (fuzz_returns(f, context, &right, make(p)))
        fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
    memcpy(c->contents, first, c->bytes);
    fuzz_check_memory(f);
    free(first);
}

static void fuzz_product(fuzz *f, fuzz_context *context, form form)
{
    static product p;
    fuzz_expected expected = {0};
    p = (product){.handle = context->handle, .form = form};
    create_product(f, &p);
    if (lacks_unit(f, &p))
        fuzz_wrong(&expected, UNSUPPORTED, "variant");
    else
        spoil(f, &p, &expected);
    say(f, &p);
    unsigned char *old = malloc(p.c.memory->bytes + 1);
    if (!old)
        abort();
    memcpy(old, p.c.memory->contents, p.c.memory->bytes);
    fuzz_upload(f);
    const bool is_right = fuzz_returns(f, context, &expected, make(&p));
    if (is_right) {
        const fuzz_expected right = {0};
        fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
        if (p.checks)
            check_cells(f, &p);
    }
    fuzz_check_memory(f);
    if (is_right && !f->failed && fuzz_one_in(f, 8))
        repeat(f, context, &p, old);
    free(old);
}

void fuzz_matmul(fuzz *f, fuzz_context *context) { fuzz_product(f, context, SINGLE); }

void fuzz_matmul_batched(fuzz *f, fuzz_context *context)
{
    fuzz_product(f, context, fuzz_one_in(f, 3) ? POINTERS : STRIDED);
}

/* What holds of any plan; which variant is fastest is for other tests. */
static void check_plan(fuzz *f, const product *p, const subwave_matmul_plan_info *plan)
{
    static const int32_t zeros[sizeof plan->reserved / sizeof *plan->reserved];
    const int64_t down = plan->tile_rows > 0 ? (p->m + plan->tile_rows - 1) / plan->tile_rows : 0;
    const int64_t across =
        plan->tile_columns > 0 ? (p->n + plan->tile_columns - 1) / plan->tile_columns : 0;
    const bool empty = p->m == 0 || p->n == 0;
    if (plan->variant == SUBWAVE_VARIANT_AUTO ||
        strcmp(subwave_variant_name(plan->variant), "unknown") == 0 ||
        (p->variant != SUBWAVE_VARIANT_AUTO && (int32_t)plan->variant != p->variant))
        fuzz_fail(f, "plans variant %d", (int)plan->variant);
    if (plan->item_rows < 1 || plan->item_columns < 1 || plan->tile_rows < plan->item_rows ||
        plan->tile_columns < plan->item_columns)
        fuzz_fail(f, "plans %d x %d cells a work-item, tiles of %d x %d", plan->item_rows,
                  plan->item_columns, plan->tile_rows, plan->tile_columns);
    if (plan->block[0] < 1 || plan->block[1] < 1 ||
        (int64_t)plan->block[0] * plan->block[1] > f->device.max_block_size)
        fuzz_fail(f, "plans blocks of %d x %d", plan->block[0], plan->block[1]);
    /* MATRIX may have two blocks where parts of two tiles meet. */
    const bool is_matrix = plan->variant == SUBWAVE_VARIANT_MATRIX && plan->parts > 1;
    const int64_t most = down * across * plan->parts * (is_matrix ? 2 : 1);
    if (empty ? plan->blocks != 0 : plan->blocks < 1 || plan->blocks > most)
        fuzz_fail(f, "plans %" PRId64 " blocks of %" PRId64 " x %" PRId64 " tiles, %d parts",
                  plan->blocks, down, across, plan->parts);
    if (plan->shared_bytes < 0 || plan->parts < 1 ||
        memcmp(plan->reserved, zeros, sizeof plan->reserved) != 0 ||
        (plan->parts > 1 && plan->variant != SUBWAVE_VARIANT_SKINNY && !is_matrix))
        fuzz_fail(f, "plans %" PRId64 " bytes of local memory and %d parts, or reserved values",
                  plan->shared_bytes, plan->parts);
    /* MATRIX may pack operands of i8 there, and has the real form of complex ones there. */
    const bool is_complex = p->dtype == SUBWAVE_DTYPE_C32 || p->dtype == SUBWAVE_DTYPE_C64;
    const bool may_pack = plan->variant == SUBWAVE_VARIANT_MATRIX &&
                          (p->dtype == SUBWAVE_DTYPE_I8 || is_complex) && p->k > 0;
    const bool has_parts = plan->parts > 1 && !empty;
    if ((plan->workspace_bytes > 0) != has_parts &&
        !(plan->workspace_bytes > 0 && may_pack && !empty))
        fuzz_fail(f, "plans %" PRId64 " bytes of the workspace for %d parts", plan->workspace_bytes,
                  plan->parts);
}

void fuzz_matmul_plan(fuzz *f, fuzz_context *context)
{
    static product p;
    fuzz_expected expected = {0};
    subwave_matmul_plan_info plan;
    p = (product){.handle = context->handle, .form = SINGLE, .batch = 1};
    choose_types(f, &p);
    choose_sizes(f, &p);
    if (fuzz_one_in(f, 4)) /* nothing is computed, so sizes may be any */
        p.m = (int64_t)(fuzz_bits(f) >> fuzz_between(f, 1, 63));
    if (fuzz_one_in(f, 4))
        p.n = (int64_t)(fuzz_bits(f) >> fuzz_between(f, 1, 63));
    if (fuzz_one_in(f, 4))
        p.k = (int64_t)(fuzz_bits(f) >> fuzz_between(f, 1, 63));
    const bool is_large = p.m > 100000 || p.n > 100000;
    fuzz_memory *memory =
        fuzz_take(f, FUZZ_HOST, "plan", sizeof plan, _Alignof(subwave_matmul_plan_info));
    subwave_matmul_plan_info *pointer = (subwave_matmul_plan_info *)memory->pointer;
    if (lacks_unit(f, &p))
        fuzz_wrong(&expected, UNSUPPORTED, "variant");
    else if (fuzz_one_in(f, 4)) {
        const product right = p;
        if (fuzz_one_in(f, 6)) {
            pointer = NULL;
            fuzz_wrong(&expected, POINTER, "plan");
        } else if (fuzz_one_in(f, 6)) {
            p.handle = NULL;
            expected.without_context = true;
            fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_CONTEXT, "context");
        } else if (fuzz_one_in(f, 2)) {
            static const int64_t negative[] = {-1, INT64_MIN};
            static const char *const names[] = {"m", "n", "k"};
            int64_t *const sizes[] = {&p.m, &p.n, &p.k};
            const int64_t which = fuzz_between(f, 0, 2);
            *sizes[which] = FUZZ_PICK(f, negative);
            fuzz_wrong(&expected, SIZE, names[which]);
        } else
            while (!spoil_choice(f, &p, &expected))
                p = right;
    }
    fuzz_words(
        f,
        "subwave_matmul_plan(context=%p variant=%d dtype=%d layout=%d transpose_a=%d transpose_b=%d m=%" PRId64
        " n=%" PRId64 " k=%" PRId64 " plan=%p)",
        (void *)p.handle, p.variant, p.dtype, p.layout, p.transpose_a, p.transpose_b, p.m, p.n, p.k,
        (void *)pointer);
    fuzz_upload(f);
    const subwave_status status =
        subwave_matmul_plan(p.handle, (subwave_variant)p.variant, (subwave_dtype)p.dtype,
                            (subwave_layout)p.layout, (subwave_transpose_kind)p.transpose_a,
                            (subwave_transpose_kind)p.transpose_b, p.m, p.n, p.k, pointer);
    if (fuzz_returns(f, context, &expected, status)) {
        memcpy(&plan, fuzz_now(f, memory), sizeof plan);
        memcpy(memory->contents, &plan, sizeof plan);
        if (!is_large)
            check_plan(f, &p, &plan);
    }
    fuzz_check_memory(f);
}
