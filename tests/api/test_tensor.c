/* SPDX-License-Identifier: MIT
 * test_tensor.c: tensor products and derivatives against plain loops: every number of points, one
 * to three directions, both forms, transposes, scalars, strides of every order; bad arguments.
 */
#include "../harness.h"
#include "../numbers.h"
#include "../types.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, ALL = MOST * MOST * MOST };

/* --- the reference --------------------------------------------------------------------------- */

/* A matrix of rows x columns in double, and a tensor with `size` points in each direction. */
typedef struct plain_matrix {
    int rows, columns;
    double element[MOST * MOST];
} plain_matrix;
typedef struct plain_tensor {
    int size[3];
    double element[ALL];
} plain_tensor;

static int index_of(const plain_tensor *x, const int i[3])
{
    return i[0] + x->size[0] * (i[1] + x->size[1] * i[2]);
}

/* *x = a applied along a direction. */
static void contract(plain_tensor *x, int direction, const plain_matrix *a)
{
    static plain_tensor y;
    memcpy(y.size, x->size, sizeof y.size);
    y.size[direction] = a->rows;
    int i[3];
    for (i[2] = 0; i[2] < y.size[2]; ++i[2])
        for (i[1] = 0; i[1] < y.size[1]; ++i[1])
            for (i[0] = 0; i[0] < y.size[0]; ++i[0]) {
                double sum = 0;
                int from[3] = {i[0], i[1], i[2]};
                for (int l = 0; l < a->columns; ++l) {
                    from[direction] = l;
                    sum +=
                        a->element[i[direction] * a->columns + l] * x->element[index_of(x, from)];
                }
                y.element[index_of(&y, i)] = sum;
            }
    *x = y;
}

static plain_matrix transpose_of(const plain_matrix *a)
{
    plain_matrix t = {.rows = a->columns, .columns = a->rows};
    for (int i = 0; i < a->rows; ++i)
        for (int j = 0; j < a->columns; ++j)
            t.element[j * t.columns + i] = a->element[i * a->columns + j];
    return t;
}

static plain_matrix sizes_of(const plain_matrix *a)
{
    plain_matrix size = *a;
    for (int e = 0; e < a->rows * a->columns; ++e)
        size.element[e] = fabs(a->element[e]);
    return size;
}

/* --- a case ---------------------------------------------------------------------------------- */

typedef enum tensor_form { APPLY, GRADIENT, COLLOCATED, FORMS } tensor_form;

typedef struct tensor_case {
    subwave_dtype dtype;
    tensor_form form;
    bool transposed;
    int dimensions, p, q, components, batch;
    int order;     /* of the strides: which of entries, components and derivatives is innermost */
    int gap;       /* elements between tensors */
    bool negative; /* entries follow one another downwards */
    bool same;     /* APPLY: all directions have the same matrix, in the same memory */
    double alpha, beta;
    harness_poison poison;
} tensor_case;

static int fields_of(const tensor_case *w) { return w->form == APPLY ? 1 : w->dimensions; }

static int power(int base, int exponent) { return exponent ? base * power(base, exponent - 1) : 1; }

/* Tensors of `points` elements each; strides of entries, components and fields. */
typedef struct operand {
    int points, count[3];
    int64_t stride[3], first, elements;
    char *host;
    guarded device;
} operand;

static int64_t place(const operand *x, int entry, int component, int field)
{
    return x->first + entry * x->stride[0] + component * x->stride[1] + field * x->stride[2];
}

static operand operand_create(const tensor_case *w, int points, int fields)
{
    static const int orders[6][3] = {{1, 0, 2}, {0, 1, 2}, {2, 1, 0},
                                     {1, 2, 0}, {0, 2, 1}, {2, 0, 1}};
    operand x = {.points = points, .count = {w->batch, w->components, fields}};
    int64_t apart = points + w->gap;
    for (int i = 0; i < 3; ++i) {
        const int which = orders[w->order][i];
        x.stride[which] = apart;
        apart = apart * (x.count[which] ? x.count[which] : 1) + w->gap;
    }
    x.elements = apart;
    if (w->negative) {
        x.first = w->batch ? (w->batch - 1) * x.stride[0] : 0;
        x.stride[0] = -x.stride[0];
    }
    x.host = malloc((size_t)x.elements * subwave_dtype_size(w->dtype));
    assert_non_null(x.host);
    harness_fill(w->poison, x.host, (size_t)x.elements * subwave_dtype_size(w->dtype));
    return x;
}

static void operand_randomize(const tensor_case *w, operand *x, harness_random *random)
{
    for (int e = 0; e < w->batch; ++e)
        for (int c = 0; c < w->components; ++c)
            for (int f = 0; f < x->count[2]; ++f)
                for (int i = 0; i < x->points; ++i)
                    number_set(w->dtype, x->host, place(x, e, c, f) + i,
                               harness_random_sign(random));
}

typedef struct problem {
    subwave_context *context;
    tensor_case what;
    plain_matrix matrix[3]; /* of APPLY; else B and G */
    char stored[3][8 * MOST * MOST];
    guarded device_matrix[3];
    operand x, y;
} problem;

static problem *problem_create(subwave_context *context, const tensor_case *w,
                               harness_random *random)
{
    problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->context = context;
    p->what = *w;
    for (int m = 0; m < 3; ++m) {
        p->matrix[m].rows = w->q;
        p->matrix[m].columns = w->p;
        for (int e = 0; e < w->p * w->q; ++e) {
            number_set(w->dtype, p->stored[m], e, harness_random_sign(random));
            p->matrix[m].element[e] = creal(number_get(w->dtype, p->stored[m], e));
        }
        p->device_matrix[m] = guarded_create(context, p->stored[m],
                                             (size_t)(w->p * w->q) * subwave_dtype_size(w->dtype));
    }
    const int nodes = power(w->p, w->dimensions), points = power(w->q, w->dimensions),
              fields = fields_of(w);
    p->x = operand_create(w, w->transposed ? points : nodes, w->transposed ? fields : 1);
    p->y = operand_create(w, w->transposed ? nodes : points, w->transposed ? 1 : fields);
    operand_randomize(w, &p->x, random);
    if (w->beta != 0)
        operand_randomize(w, &p->y, random);
    const size_t size = subwave_dtype_size(w->dtype);
    p->x.device = guarded_create(context, p->x.host, (size_t)p->x.elements * size);
    p->y.device = guarded_create(context, p->y.host, (size_t)p->y.elements * size);
    return p;
}

static void problem_destroy(problem *p)
{
    for (int m = 0; m < 3; ++m)
        guarded_destroy(&p->device_matrix[m]);
    guarded_destroy(&p->x.device);
    guarded_destroy(&p->y.device);
    free(p->x.host);
    free(p->y.host);
    free(p);
}

static subwave_status call_once(const problem *p)
{
    const tensor_case *w = &p->what;
    const size_t size = subwave_dtype_size(w->dtype);
    const subwave_transpose_kind transpose =
        w->transposed ? SUBWAVE_TRANSPOSE_YES : SUBWAVE_TRANSPOSE_NONE;
    char alpha[8], beta[8];
    number_set(w->dtype, alpha, 0, w->alpha);
    number_set(w->dtype, beta, 0, w->beta);
    const void *const x = (char *)guarded_pointer(&p->x.device) + p->x.first * (int64_t)size;
    void *const y = (char *)guarded_pointer(&p->y.device) + p->y.first * (int64_t)size;
    const void *matrix[3];
    for (int m = 0; m < 3; ++m)
        matrix[m] = guarded_pointer(&p->device_matrix[w->same && w->form == APPLY ? 0 : m]);
    if (w->form == APPLY)
        return subwave_tensor_apply(p->context, w->dtype, transpose, w->dimensions, w->p, w->q,
                                    alpha, matrix[0], w->dimensions > 1 ? matrix[1] : NULL,
                                    w->dimensions > 2 ? matrix[2] : NULL, x, p->x.stride[0],
                                    p->x.stride[1], beta, y, p->y.stride[0], p->y.stride[1],
                                    w->components, w->batch);
    return subwave_tensor_gradient(p->context, w->dtype, transpose, w->dimensions, w->p, w->q,
                                   alpha, w->form == COLLOCATED ? NULL : matrix[0], matrix[1], x,
                                   p->x.stride[0], p->x.stride[1], beta, y, p->y.stride[0],
                                   p->y.stride[1], w->transposed ? p->x.stride[2] : p->y.stride[2],
                                   w->components, w->batch);
}

/* Adds to `sum` what the operator makes of the tensor at `from` of x, for a field that the gradient
 * has along a direction; `sizes`: of the sizes of all numbers. */
static void operate(const problem *p, int64_t from, int along, bool sizes, double *sum)
{
    const tensor_case *w = &p->what;
    static plain_tensor t;
    const int in = w->transposed ? w->q : w->p;
    for (int d = 0; d < 3; ++d)
        t.size[d] = d < w->dimensions ? in : 1;
    for (int i = 0; i < p->x.points; ++i) {
        t.element[i] = creal(number_get(w->dtype, p->x.host, from + i));
        if (sizes)
            t.element[i] = fabs(t.element[i]);
    }
    for (int d = 0; d < w->dimensions; ++d) {
        if (w->form == COLLOCATED && d != along)
            continue;
        const int m = w->form == APPLY ? (w->same ? 0 : d) : d == along;
        plain_matrix a = w->transposed ? transpose_of(&p->matrix[m]) : p->matrix[m];
        if (sizes)
            a = sizes_of(&a);
        contract(&t, d, &a);
    }
    for (int i = 0; i < p->y.points; ++i)
        sum[i] += t.element[i];
}

/* Elements of `now`, y's memory, that are wrong, and bytes that are none and have changed. */
static size_t faults(const problem *p, char *now)
{
    const tensor_case *w = &p->what;
    const size_t size = subwave_dtype_size(w->dtype);
    const double eps = ldexp(1, -reference_fraction(w->dtype));
    const int in = w->transposed ? w->q : w->p, fields = fields_of(w);
    static double sum[ALL], bound[ALL];
    size_t wrong = 0;
    for (int e = 0; e < w->batch; ++e)
        for (int c = 0; c < w->components; ++c)
            for (int f = 0; f < p->y.count[2]; ++f) {
                memset(sum, 0, sizeof sum);
                memset(bound, 0, sizeof bound);
                for (int other = 0; other < p->x.count[2] && w->alpha != 0; ++other) {
                    const int along = w->transposed ? other : f;
                    operate(p, place(&p->x, e, c, other), along, false, sum);
                    operate(p, place(&p->x, e, c, other), along, true, bound);
                }
                for (int i = 0; i < p->y.points; ++i) {
                    const int64_t at = place(&p->y, e, c, f) + i;
                    const double old =
                        w->beta != 0 ? w->beta * creal(number_get(w->dtype, p->y.host, at)) : 0;
                    const double expected = w->alpha * sum[i] + old;
                    const double most = (w->dimensions * in + 2 * fields + 4) * eps *
                                        (fabs(w->alpha) * bound[i] + fabs(old));
                    wrong += !(fabs(creal(number_get(w->dtype, now, at)) - expected) <= most);
                    memcpy(now + (size_t)at * size, p->y.host + (size_t)at * size, size);
                }
            }
    for (size_t i = 0; i < (size_t)p->y.elements * size; ++i)
        wrong += now[i] != p->y.host[i];
    return wrong;
}

static int cases;

static void check_case(subwave_context *context, const tensor_case *w, harness_random *random)
{
    problem *const p = problem_create(context, w, random);
    const size_t bytes = (size_t)p->y.elements * subwave_dtype_size(w->dtype);
    char *const now = malloc(bytes), *const again = malloc(bytes);
    assert_true(now && again);
    assert_ok(context, call_once(p));
    assert_ok(context, subwave_synchronize(context));
    assert_int_equal(guarded_read(&p->y.device, now), 0);
    assert_int_equal(guarded_changes(&p->x.device), 0);
    for (int m = 0; m < 3; ++m)
        assert_int_equal(guarded_changes(&p->device_matrix[m]), 0);
    /* The same bits in a second run. */
    guarded_reset(&p->y.device, 0, p->y.host, bytes);
    assert_ok(context, call_once(p));
    assert_ok(context, subwave_synchronize(context));
    assert_int_equal(guarded_read(&p->y.device, again), 0);
    assert_memory_equal(now, again, bytes);
    const size_t wrong = faults(p, now);
    /* A launch that does nothing must not pass for a right one. */
    memcpy(now, p->y.host, bytes);
    const bool writes = w->batch && w->components && (w->alpha != 0 || w->beta != 1);
    const bool idle_would_pass = writes && faults(p, now) == 0;
    free(now);
    free(again);
    problem_destroy(p);
    ++cases;
    if (wrong == 0 && !idle_would_pass)
        return;
    print_error("%s, form %d%s, %d directions, %d to %d points, %d components, batch %d, order %d, "
                "gap %d%s%s, alpha %g, beta %g\n",
                subwave_dtype_name(w->dtype), (int)w->form, w->transposed ? " transposed" : "",
                w->dimensions, w->p, w->q, w->components, w->batch, w->order, w->gap,
                w->negative ? ", downwards" : "", w->same ? ", one matrix" : "", w->alpha, w->beta);
    if (idle_would_pass)
        fail_msg("y was right before the call");
    fail_msg("%zu wrong elements or changed bytes", wrong);
}

static tensor_case random_case(int form, int dimensions, int p, int q, harness_random *random)
{
    static const double alphas[] = {1, 1, -1, 0.5}, betas[] = {0, 1, 0, -0.75};
    const uint64_t bits = harness_random_bits(random);
    return (tensor_case){.dtype = bits & 1 ? SUBWAVE_DTYPE_F32 : SUBWAVE_DTYPE_F64,
                         .form = form == COLLOCATED && p != q ? GRADIENT : form,
                         .transposed = bits & 2,
                         .dimensions = dimensions,
                         .p = p,
                         .q = q,
                         .components = 1 + (int)((bits >> 2) % 3),
                         .batch = 1 + (int)((bits >> 8) % 5),
                         .order = (int)((bits >> 12) % 6),
                         .gap = bits & 1 << 16 ? (int)((bits >> 17) % 4) : 0,
                         .negative = (bits >> 20) % 4 == 0,
                         .same = bits & 1 << 22,
                         .alpha = alphas[bits >> 24 & 3],
                         .beta = betas[bits >> 26 & 3],
                         .poison = (bits >> 28) % HARNESS_POISONS};
}

/* --- tests ----------------------------------------------------------------------------------- */

/* As many points as a direction may have, each with as many and with one more or fewer. */
static void test_points(void **state)
{
    harness_random random = harness_random_start();
    for (int p = 1; p <= MOST; ++p)
        for (int dimensions = 1; dimensions <= 3; ++dimensions)
            for (int form = APPLY; form < FORMS; ++form)
                for (int q = p - 1; q <= p + 2; ++q) {
                    const bool large = dimensions == 3 && p > 8;
                    if (q < 1 || q > MOST || (large && !harness_is_full() && (p + q + form) % 5))
                        continue;
                    tensor_case w = random_case(form, dimensions, p, q, &random);
                    if (large)
                        w.batch = w.components = 1 + (p + q) % 2;
                    check_case(*state, &w, &random);
                }
}

/* Sizes and strides for which there are kernels of their own, and some sizes next to them: a matrix for each
 * direction and the same one for all, full blocks and one that is not. */
static void test_known_lists(void **state)
{
    harness_random random = harness_random_start();
    const int variants = harness_is_full() ? 16 : 4;
    for (int p = 1; p <= 9; ++p)
        for (int q = p - 2; q <= p + 2; ++q)
            for (int variant = 0; q > 0 && variant < variants; ++variant) {
                tensor_case w = random_case(variant & 1 ? GRADIENT : APPLY, 3, p, q, &random);
                w.dtype = variant & 2 ? SUBWAVE_DTYPE_F32 : SUBWAVE_DTYPE_F64;
                w.transposed = variant & 4;
                w.order = 0;
                w.negative = false;
                w.gap = 0;
                w.batch = variant & 8 ? 57 : 7;
                check_case(*state, &w, &random);
            }
}

/* The largest: the derivatives of f64 have no room for a second buffer. */
static void test_largest(void **state)
{
    harness_random random = harness_random_start();
    for (int form = APPLY; form < FORMS; ++form)
        for (int transposed = 0; transposed < 2; ++transposed)
            for (int d = 0; d < 2; ++d) {
                tensor_case w = random_case(form, 3, MOST, MOST, &random);
                w.dtype = d ? SUBWAVE_DTYPE_F32 : SUBWAVE_DTYPE_F64;
                w.transposed = transposed;
                w.batch = 2;
                w.components = 1;
                w.beta = -0.75;
                w.gap = 1;
                check_case(*state, &w, &random);
            }
    for (int form = APPLY; form < COLLOCATED; ++form)
        for (int transposed = 0; transposed < 2; ++transposed) {
            tensor_case w =
                random_case(form, 3, transposed ? MOST : 1, transposed ? 1 : MOST, &random);
            w.dtype = SUBWAVE_DTYPE_F64;
            w.transposed = transposed;
            w.alpha = 1;
            check_case(*state, &w, &random);
        }
}

/* Every order of entries, components and derivatives, dense and with gaps. */
static void test_strides(void **state)
{
    harness_random random = harness_random_start();
    for (int form = APPLY; form < FORMS; ++form)
        for (int order = 0; order < 6; ++order)
            for (int variant = 0; variant < 8; ++variant) {
                tensor_case w = random_case(form, 1 + (order + variant) % 3, 3, 3, &random);
                w.order = order;
                w.gap = variant & 1;
                w.negative = variant & 2;
                w.transposed = variant & 4;
                w.components = 1 + variant % 4;
                w.batch = 1 + (order + variant / 2) % 4;
                check_case(*state, &w, &random);
            }
}

/* Blocks that are full, and the last one that is not; more than a grid has, where limits are
 * small. */
static void test_batches(void **state)
{
    static const int counts[] = {0, 1, 15, 16, 17, 31, 33, 63, 65, 127, 129, 257, 700};
    harness_random random = harness_random_start();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        for (int form = APPLY; form < FORMS; ++form)
            for (int dimensions = 1; dimensions <= 3; ++dimensions) {
                tensor_case w =
                    random_case(form, dimensions, 2 + (int)i % 2, 2 + (int)i % 2, &random);
                w.batch = counts[i];
                w.components = 1 + (int)(i + (size_t)dimensions) % 2;
                check_case(*state, &w, &random);
            }
}

static void test_scalars(void **state)
{
    static const double scalars[] = {0, 1, -2.5};
    harness_random random = harness_random_start();
    for (int form = APPLY; form < FORMS; ++form)
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                for (int transposed = 0; transposed < 2; ++transposed) {
                    tensor_case w = random_case(form, 3, 4, 4, &random);
                    w.alpha = scalars[a];
                    w.beta = scalars[b];
                    w.transposed = transposed;
                    check_case(*state, &w, &random);
                }
}

/* With alpha = 0 neither x nor matrices are read, with beta = 0 y is not. */
static void test_not_read(void **state)
{
    enum { N = 27 };
    double nan[N], y[N];
    for (int i = 0; i < N; ++i) {
        nan[i] = NAN;
        y[i] = i + 1;
    }
    guarded device_nan = guarded_create(*state, nan, sizeof nan),
            device_y = guarded_create(*state, y, sizeof y);
    const double zero = 0, two = 2;
    void *const x = guarded_pointer(&device_nan);
    assert_ok(*state, subwave_tensor_apply(*state, SUBWAVE_DTYPE_F64, SUBWAVE_TRANSPOSE_NONE, 3, 3,
                                           3, &zero, x, x, x, x, N, N, &two,
                                           guarded_pointer(&device_y), N, N, 1, 1));
    assert_ok(*state, subwave_synchronize(*state));
    double now[N];
    assert_int_equal(guarded_read(&device_y, now), 0);
    for (int i = 0; i < N; ++i)
        assert_true(now[i] == 2 * (i + 1));
    /* Null is as good. */
    assert_ok(*state, subwave_tensor_gradient(*state, SUBWAVE_DTYPE_F64, SUBWAVE_TRANSPOSE_YES, 3,
                                              3, 3, &zero, NULL, NULL, NULL, N, N, &two,
                                              guarded_pointer(&device_y), N, N, N, 1, 1));
    assert_ok(*state, subwave_synchronize(*state));
    assert_int_equal(guarded_read(&device_y, now), 0);
    for (int i = 0; i < N; ++i)
        assert_true(now[i] == 4 * (i + 1));
    /* A NaN of one matrix reaches every element that it is multiplied into, and no other. */
    double matrix[9] = {NAN, 1, 1, 1, 1, 1, 1, 1, 1}, line[3] = {1, 2, 3};
    guarded device_matrix = guarded_create(*state, matrix, sizeof matrix),
            device_line = guarded_create(*state, line, sizeof line);
    const double one = 1;
    assert_ok(*state,
              subwave_tensor_apply(*state, SUBWAVE_DTYPE_F64, SUBWAVE_TRANSPOSE_NONE, 1, 3, 3, &one,
                                   guarded_pointer(&device_matrix), NULL, NULL,
                                   guarded_pointer(&device_line), 3, 3, &zero, x, 3, 3, 1, 1));
    assert_ok(*state, subwave_synchronize(*state));
    assert_int_equal(guarded_read(&device_nan, now), 0);
    assert_true(isnan(now[0]) && now[1] == 6 && now[2] == 6 && isnan(now[3]));
    guarded_destroy(&device_nan);
    guarded_destroy(&device_y);
    guarded_destroy(&device_matrix);
    guarded_destroy(&device_line);
}

/* Each is refused with a text that names the parameter, and y is not touched. */
static void test_bad_arguments(void **state)
{
    double memory[1024] = {0}, numbers[64] = {0};
    const double one = 1;
    guarded y = guarded_create(*state, memory, sizeof memory);
    const struct arguments {
        subwave_dtype dtype;
        subwave_transpose_kind transpose;
        int32_t dimensions;
        int64_t p, q;
        const void *alpha, *a1, *a2, *a3, *x;
        int64_t stride_x, component_x;
        const void *beta;
        void *y;
        int64_t stride_y, component_y, derivative, components, batch;
    } right = {SUBWAVE_DTYPE_F64,
               SUBWAVE_TRANSPOSE_NONE,
               3,
               2,
               2,
               &one,
               numbers,
               numbers,
               numbers,
               numbers,
               8,
               16,
               &one,
               guarded_pointer(&y),
               8,
               16,
               32,
               2,
               2};
#define APPLY_IT(context, a) \
    subwave_tensor_apply(context, (a).dtype, (a).transpose, (a).dimensions, (a).p, (a).q, \
                         (a).alpha, (a).a1, (a).a2, (a).a3, (a).x, (a).stride_x, (a).component_x, \
                         (a).beta, (a).y, (a).stride_y, (a).component_y, (a).components, \
                         (a).batch)
#define DIFFERENTIATE(context, a) \
    subwave_tensor_gradient(context, (a).dtype, (a).transpose, (a).dimensions, (a).p, (a).q, \
                            (a).alpha, (a).a1, (a).a2, (a).x, (a).stride_x, (a).component_x, \
                            (a).beta, (a).y, (a).stride_y, (a).component_y, (a).derivative, \
                            (a).components, (a).batch)
#define REFUSED(call, a, expected, name) \
    do { \
        assert_int_equal(call(*state, a), SUBWAVE_STATUS_##expected); \
        assert_true(harness_refused(*state, SUBWAVE_STATUS_##expected, name)); \
        assert_memory_equal(subwave_last_error(*state), name " ", sizeof name); \
        ++cases; \
    } while (0)
#define BAD(field, value, expected) \
    do { \
        struct arguments a = right; \
        a.field = value; \
        REFUSED(APPLY_IT, a, expected, #field); \
        REFUSED(DIFFERENTIATE, a, expected, #field); \
    } while (0)
    BAD(dtype, 0, INVALID_VALUE);
    BAD(dtype, GREATEST(SUBWAVE_DTYPE_LIST) + 1, INVALID_VALUE);
    BAD(dtype, SUBWAVE_DTYPE_C64, UNSUPPORTED);
    BAD(transpose, 0, INVALID_VALUE);
    BAD(transpose, 4, INVALID_VALUE);
    BAD(dimensions, 0, INVALID_SIZE);
    BAD(dimensions, 4, INVALID_SIZE);
    BAD(p, 0, INVALID_SIZE);
    BAD(p, 17, INVALID_SIZE);
    BAD(p, INT64_MIN, INVALID_SIZE);
    BAD(q, 0, INVALID_SIZE);
    BAD(q, 17, INVALID_SIZE);
    BAD(q, ((int64_t)1 << 32) + 2, INVALID_SIZE);
    BAD(components, -1, INVALID_SIZE);
    BAD(components, (1 << 30) + 1, INVALID_SIZE);
    BAD(batch, INT64_MIN, INVALID_SIZE);
    BAD(stride_x, INT64_MAX, INVALID_SIZE);
    BAD(component_x, INT64_MIN, INVALID_SIZE);
    BAD(stride_y, INT64_MIN, INVALID_SIZE);
    BAD(component_y, INT64_MAX, INVALID_SIZE);
    BAD(stride_y, 7, INVALID_STRIDE);
    BAD(stride_y, 0, INVALID_STRIDE);
    BAD(stride_y, -7, INVALID_STRIDE);
    BAD(component_y, 15, INVALID_STRIDE);
    BAD(component_y, -9, INVALID_STRIDE);
    BAD(alpha, NULL, INVALID_POINTER);
    BAD(alpha, (const char *)&one + 4, INVALID_POINTER);
    BAD(x, NULL, INVALID_POINTER);
    BAD(x, (const char *)numbers + 4, INVALID_POINTER);
    BAD(beta, NULL, INVALID_POINTER);
    BAD(y, NULL, INVALID_POINTER);
    BAD(y, (char *)memory + 4, INVALID_POINTER);
    struct arguments a = right;
    a.batch = INT64_MAX; /* said of the first of the strides that reach too far */
    REFUSED(APPLY_IT, a, INVALID_SIZE, "stride_x");
    a = right;
    a.a1 = NULL;
    REFUSED(APPLY_IT, a, INVALID_POINTER, "a1");
    a = right;
    a.a2 = (const char *)numbers + 4;
    REFUSED(APPLY_IT, a, INVALID_POINTER, "a2");
    REFUSED(DIFFERENTIATE, a, INVALID_POINTER, "g");
    a = right;
    a.a3 = NULL;
    REFUSED(APPLY_IT, a, INVALID_POINTER, "a3");
    a = right;
    a.a1 = NULL; /* the identity needs as many nodes as points */
    a.p = 1;
    REFUSED(DIFFERENTIATE, a, INVALID_POINTER, "b");
    a = right;
    a.derivative = 31;
    REFUSED(DIFFERENTIATE, a, INVALID_STRIDE, "derivative");
    a.derivative = 0;
    REFUSED(DIFFERENTIATE, a, INVALID_STRIDE, "derivative");
    a.derivative = INT64_MAX;
    REFUSED(DIFFERENTIATE, a, INVALID_SIZE, "derivative");
    assert_int_equal(APPLY_IT(NULL, right), SUBWAVE_STATUS_INVALID_CONTEXT);
    assert_int_equal(DIFFERENTIATE(NULL, right), SUBWAVE_STATUS_INVALID_CONTEXT);
    /* Nothing to do is no error, whatever the pointers. */
    a = right;
    a.batch = 0;
    a.x = a.alpha = a.beta = a.a1 = a.a2 = a.a3 = a.y = NULL;
    assert_ok(*state, APPLY_IT(*state, a));
    assert_ok(*state, DIFFERENTIATE(*state, a));
    a.batch = 2;
    a.components = 0;
    assert_ok(*state, APPLY_IT(*state, a));
    assert_ok(*state, DIFFERENTIATE(*state, a));
#undef APPLY_IT
#undef DIFFERENTIATE
#undef REFUSED
#undef BAD
    assert_int_equal(guarded_changes(&y), 0);
    guarded_destroy(&y);
}

static void test_count(void **state)
{
    (void)state;
    print_message("%d tensor products checked\n", cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),   cmocka_unit_test(test_known_lists),
        cmocka_unit_test(test_largest),  cmocka_unit_test(test_strides),
        cmocka_unit_test(test_batches),  cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_not_read), cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_count),
    };
    return harness_run("tensor", tests, sizeof tests / sizeof *tests);
}
