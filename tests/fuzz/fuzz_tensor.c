/* SPDX-License-Identifier: MIT
 * fuzz_tensor.c: subwave_tensor_apply and subwave_tensor_gradient. All numbers are small integers,
 * of which every sum is exact.
 */
#include "fuzz.h"

#include "../numbers.h"
#include "../types.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { X, Y, OPERANDS, MOST = 16 };

/* The arguments, wrong ones too. */
typedef struct tensor_call {
    subwave_context *handle;
    int32_t dtype, transpose, dimensions;
    int64_t p, q, components, batch, stride[OPERANDS][2], derivative;
    const void *alpha, *beta, *matrix[3], *x;
    void *y;
    bool gradient;

    /* What is in memory. */
    double alpha_value, beta_value;
    bool transposed, has_b;
    int64_t points[OPERANDS], fields[OPERANDS], field_stride[OPERANDS];
    fuzz_memory *on[OPERANDS], *on_matrix[3];
} tensor_call;

/* --- right arguments ------------------------------------------------------------------------- */

static int64_t power(int64_t base, int64_t exponent)
{
    return exponent ? base * power(base, exponent - 1) : 1;
}

static fuzz_memory *take_numbers(fuzz *f, const char *label, subwave_dtype dtype, int64_t count)
{
    const size_t size = subwave_dtype_size(dtype);
    fuzz_memory *const memory = fuzz_take(f, FUZZ_DEVICE, label, (size_t)count * size, size);
    for (int64_t i = 0; i < count; ++i)
        number_set(dtype, memory->contents, i, (double)fuzz_between(f, -1, 1));
    return memory;
}

static const void *scalar(fuzz *f, const char *label, subwave_dtype dtype, double *value)
{
    static const double values[] = {0, 1, 1, -1, 2};
    *value = FUZZ_PICK(f, values);
    const size_t size = subwave_dtype_size(dtype);
    fuzz_memory *const memory = fuzz_take(f, FUZZ_HOST, label, size, size);
    number_set(dtype, memory->contents, 0, *value);
    return memory->pointer;
}

/* Strides of an operand in any order, with gaps or without. */
static fuzz_memory *take_operand(fuzz *f, tensor_call *t, int which, const char *label)
{
    const int64_t counts[] = {t->batch, t->components, t->fields[which]};
    int64_t *const strides[] = {&t->stride[which][0], &t->stride[which][1],
                                &t->field_stride[which]};
    const int64_t gap = fuzz_one_in(f, 2) ? 0 : fuzz_between(f, 0, 3);
    int64_t apart = t->points[which] + gap;
    int order[] = {0, 1, 2};
    for (int i = 2; i > 0; --i) {
        const int other = (int)fuzz_between(f, 0, i), last = order[i];
        order[i] = order[other];
        order[other] = last;
    }
    for (int i = 0; i < 3; ++i) {
        *strides[order[i]] = apart;
        apart *= counts[order[i]] ? counts[order[i]] : 1;
    }
    return take_numbers(f, label, (subwave_dtype)t->dtype, counts[0] && counts[1] ? apart : 0);
}

static void choose(fuzz *f, tensor_call *t)
{
    static const char *const names[] = {"a1", "a2", "a3"};
    const subwave_dtype dtype = FUZZ_PICK(f, tensor_dtypes);
    t->dtype = (int32_t)dtype;
    t->gradient = fuzz_one_in(f, 2);
    t->transpose = (int32_t)fuzz_between(f, 1, 3);
    t->transposed = t->transpose != SUBWAVE_TRANSPOSE_NONE;
    t->dimensions = (int32_t)fuzz_between(f, 1, 3);
    t->p = fuzz_between(f, 1, fuzz_one_in(f, 4) ? MOST : 6);
    t->q = fuzz_one_in(f, 2) ? t->p : fuzz_between(f, 1, fuzz_one_in(f, 4) ? MOST : 6);
    const bool large = power(t->p, t->dimensions) + power(t->q, t->dimensions) > 500;
    t->components = fuzz_between(f, 0, large ? 2 : 4);
    t->batch = fuzz_between(f, 0, large ? 2 : fuzz_one_in(f, 4) ? 60 : 5);
    t->alpha = scalar(f, "alpha", dtype, &t->alpha_value);
    t->beta = scalar(f, "beta", dtype, &t->beta_value);
    t->has_b = t->p != t->q || fuzz_one_in(f, 2);
    for (int m = 0; m < 3; ++m) {
        t->on_matrix[m] = take_numbers(f, names[m], dtype, t->p * t->q);
        t->matrix[m] = t->on_matrix[m]->pointer;
    }
    t->points[X] = power(t->transposed ? t->q : t->p, t->dimensions);
    t->points[Y] = power(t->transposed ? t->p : t->q, t->dimensions);
    t->fields[X] = t->gradient && t->transposed ? t->dimensions : 1;
    t->fields[Y] = t->gradient && !t->transposed ? t->dimensions : 1;
    t->on[X] = take_operand(f, t, X, "x");
    t->on[Y] = take_operand(f, t, Y, "y");
    t->derivative = t->field_stride[t->transposed ? X : Y];
    t->x = t->on[X]->bytes ? (const void *)t->on[X]->pointer : fuzz_nowhere(f);
    t->y = t->on[Y]->bytes ? (void *)t->on[Y]->pointer : fuzz_nowhere(f);
}

static bool is_empty(const tensor_call *t) { return t->components == 0 || t->batch == 0; }

/* --- wrong arguments ------------------------------------------------------------------------- */

static void spoil(fuzz *f, tensor_call *t, fuzz_expected *e)
{
    const bool looks = !is_empty(t), reads = looks && t->alpha_value != 0;
    const size_t size = subwave_dtype_size((subwave_dtype)t->dtype);
    switch (fuzz_between(f, 0, 9)) {
    case 0:
        t->handle = fuzz_no_context(e);
        return;
    case 1:
        t->dtype = fuzz_wrong_dtype(f, e);
        return;
    case 2:
        t->transpose = fuzz_outside(f, 1, SUBWAVE_TRANSPOSE_CONJUGATE);
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_VALUE, "transpose");
        return;
    case 3:
        t->dimensions = fuzz_outside(f, 1, 3);
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "dimensions");
        return;
    case 4:
        t->p = fuzz_outside(f, 1, MOST);
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "p");
        return;
    case 5:
        t->q = fuzz_one_in(f, 2) ? INT64_MAX : fuzz_outside(f, 1, MOST);
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "q");
        return;
    case 6:
        t->components = fuzz_one_in(f, 2) ? -1 : INT64_MAX;
        fuzz_wrong(e, SUBWAVE_STATUS_INVALID_SIZE, "components");
        return;
    case 7:
        if (t->batch > 1 && looks) {
            t->stride[Y][0] = fuzz_between(f, 1 - t->points[Y], t->points[Y] - 1);
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_STRIDE, "stride_y");
        }
        return;
    case 8:
        if (reads) {
            t->x = fuzz_misaligned(f, t->x, size);
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "x");
        }
        return;
    default:
        if (looks) {
            t->y = fuzz_misaligned(f, t->y, size);
            fuzz_wrong(e, SUBWAVE_STATUS_INVALID_POINTER, "y");
        }
    }
}

/* --- the call -------------------------------------------------------------------------------- */

static subwave_status make(const tensor_call *t)
{
    const subwave_dtype dtype = (subwave_dtype)t->dtype;
    const subwave_transpose_kind transpose = (subwave_transpose_kind)t->transpose;
    return t->gradient
               ? subwave_tensor_gradient(t->handle, dtype, transpose, t->dimensions, t->p, t->q,
                                         t->alpha, t->has_b ? t->matrix[0] : NULL, t->matrix[1],
                                         t->x, t->stride[X][0], t->stride[X][1], t->beta, t->y,
                                         t->stride[Y][0], t->stride[Y][1], t->derivative,
                                         t->components, t->batch)
               : subwave_tensor_apply(t->handle, dtype, transpose, t->dimensions, t->p, t->q,
                                      t->alpha, t->matrix[0], t->matrix[1], t->matrix[2], t->x,
                                      t->stride[X][0], t->stride[X][1], t->beta, t->y,
                                      t->stride[Y][0], t->stride[Y][1], t->components, t->batch);
}

static int64_t at(const tensor_call *t, int which, int64_t e, int64_t c, int64_t f)
{
    return e * t->stride[which][0] + c * t->stride[which][1] + f * t->field_stride[which];
}

/* Coefficient (j, i) of what direction d is multiplied by; the derivative is along `along`. */
static double coefficient(const tensor_call *t, int d, int along, int64_t j, int64_t i)
{
    if (t->gradient && d != along && !t->has_b)
        return i == j;
    const int m = t->gradient ? d == along : d;
    return creal(number_get((subwave_dtype)t->dtype, t->on_matrix[m]->contents,
                            t->transposed ? i * t->p + j : j * t->p + i));
}

/* Adds to `sum` what becomes of the tensor at `from` of x. */
static void operate(const tensor_call *t, int64_t from, int along, double *sum)
{
    static double old[MOST * MOST * MOST], now[MOST * MOST * MOST];
    const int64_t in = t->transposed ? t->q : t->p, out = t->transposed ? t->p : t->q;
    for (int64_t i = 0; i < t->points[X]; ++i)
        old[i] = creal(number_get((subwave_dtype)t->dtype, t->on[X]->contents, from + i));
    for (int d = 0; d < t->dimensions; ++d) {
        const int64_t before = power(out, d), behind = power(in, t->dimensions - 1 - d);
        for (int64_t k = 0; k < behind; ++k)
            for (int64_t j = 0; j < out; ++j)
                for (int64_t i = 0; i < before; ++i) {
                    double all = 0;
                    for (int64_t l = 0; l < in; ++l)
                        all += coefficient(t, d, along, j, l) * old[i + before * (l + in * k)];
                    now[i + before * (j + out * k)] = all;
                }
        memcpy(old, now, sizeof old);
    }
    for (int64_t i = 0; i < t->points[Y]; ++i)
        sum[i] += old[i];
}

/* Of zeros the sign is not known. */
static void expect_results(fuzz *f, const tensor_call *t)
{
    static double sum[MOST * MOST * MOST];
    const subwave_dtype dtype = (subwave_dtype)t->dtype;
    const unsigned char *const found = fuzz_now(f, t->on[Y]);
    for (int64_t e = 0; e < t->batch; ++e)
        for (int64_t c = 0; c < t->components; ++c)
            for (int64_t y = 0; y < t->fields[Y]; ++y) {
                memset(sum, 0, sizeof sum);
                for (int64_t x = 0; x < t->fields[X] && t->alpha_value != 0; ++x)
                    operate(t, at(t, X, e, c, x), (int)(t->transposed ? x : y), sum);
                for (int64_t i = 0; i < t->points[Y]; ++i) {
                    const int64_t place = at(t, Y, e, c, y) + i;
                    const double old = creal(number_get(dtype, t->on[Y]->contents, place));
                    const double right = t->alpha_value * sum[i] + t->beta_value * old;
                    number_set(dtype, t->on[Y]->contents, place, right);
                    if (right == 0 && creal(number_get(dtype, found, place)) == 0)
                        reference_store(dtype, t->on[Y]->contents, place,
                                        reference_load(dtype, found, place));
                }
            }
}

void fuzz_tensor(fuzz *f, fuzz_context *context)
{
    fuzz_expected expected = {0};
    tensor_call t = {.handle = context->handle};
    choose(f, &t);
    const bool empty = is_empty(&t);
    if (fuzz_one_in(f, 4))
        spoil(f, &t, &expected);
    fuzz_words(f,
               "subwave_tensor_%s(%s, dtype %d, transpose %d, dimensions %d, p %" PRId64
               ", q %" PRId64 ", alpha %g, %s, x %p, strides %" PRId64 " %" PRId64
               ", beta %g, y %p, strides %" PRId64 " %" PRId64 ", derivative %" PRId64
               ", components %" PRId64 ", batch %" PRId64 ")",
               t.gradient ? "gradient" : "apply", t.handle ? "context" : "no context", (int)t.dtype,
               (int)t.transpose, (int)t.dimensions, t.p, t.q, t.alpha_value, t.has_b ? "b" : "no b",
               t.x, t.stride[X][0], t.stride[X][1], t.beta_value, t.y, t.stride[Y][0],
               t.stride[Y][1], t.derivative, t.components, t.batch);
    fuzz_upload(f);
    if (fuzz_returns(f, context, &expected, make(&t)) && !empty) {
        const fuzz_expected right = {0};
        fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
        expect_results(f, &t);
    }
    fuzz_check_memory(f);
}
