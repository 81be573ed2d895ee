/* SPDX-License-Identifier: MIT
 * test_answers.c: known answers. answers.h has what answers.py, which shares no code with the
 * library or its reference, works out in exact arithmetic for waves of 4 to 64. Inputs are drawn
 * here as they are there, and answers compared by their digest; the first words stand in the file
 * so that a failure can be understood. All devices of equal wave size must give these answers bit
 * for bit, but for the few products that are rounded, which have a bound.
 */
#include "../harness.h"
#include "../reference.h"
#include "../types.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- vectors --------------------------------------------------------------------------------- */

enum { SHOWN = 3, WAVES = 5, OUTPUT = 0xa5 };

typedef struct answer {
    uint64_t digest, first[SHOWN];
} answer;

typedef struct matmul_vector {
    subwave_dtype dtype;
    subwave_layout layout;
    subwave_transpose_kind transpose_a, transpose_b;
    int64_t m, n, k;
    int pad_a, pad_b, pad_c; /* of the leading dimensions over the least */
    double alpha, beta;
    int64_t range;
    uint64_t seed;
    answer answer;
} matmul_vector;
#define MATMUL(dtype, layout, ta, tb, m, n, k, pad_a, pad_b, pad_c, alpha, beta, range, seed, ...) \
    { \
        SUBWAVE_DTYPE_##dtype, SUBWAVE_LAYOUT_##layout, SUBWAVE_TRANSPOSE_##ta, \
            SUBWAVE_TRANSPOSE_##tb, m, n, k, pad_a, pad_b, pad_c, alpha, beta, range, seed, \
        { \
            __VA_ARGS__ \
        } \
    }

typedef struct batched_vector {
    subwave_dtype dtype;
    subwave_layout layout;
    subwave_transpose_kind transpose_a, transpose_b;
    int64_t m, n, k, batch;
    int pad, gap;   /* gap: elements between one matrix and the next */
    int shared;     /* 1: one A for all; 2: one B */
    bool backwards; /* entry 0 lies last */
    double alpha[2], beta[2];
    int64_t range;
    uint64_t seed;
    answer answer;
} batched_vector;
#define BATCHED(dtype, layout, ta, tb, m, n, k, batch, pad, gap, shared, backwards, alpha, \
                alpha_i, beta, beta_i, range, seed, ...) \
    { \
        SUBWAVE_DTYPE_##dtype, SUBWAVE_LAYOUT_##layout, SUBWAVE_TRANSPOSE_##ta, \
            SUBWAVE_TRANSPOSE_##tb, m, n, k, batch, pad, gap, shared, backwards, {alpha, alpha_i}, \
            {beta, beta_i}, range, seed, \
        { \
            __VA_ARGS__ \
        } \
    }

/* 2 x 3 cells, each the exact answer and how far from it a right one can be. */
typedef struct rounded_vector {
    subwave_dtype dtype;
    int64_t k;
    uint64_t seed;
    double cells[6][2];
} rounded_vector;
#define ROUNDED(dtype, k, seed, ...) \
    { \
        SUBWAVE_DTYPE_##dtype, k, seed, { __VA_ARGS__ } \
    }

typedef enum function {
    REDUCE,
    INCLUSIVE,
    EXCLUSIVE,
    BROADCAST,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    PERMUTE,
    SELECT,
    ANY,
    ALL,
    NONE,
    INFO
} function;

typedef struct group_vector {
    function f;
    const char *name;
    subwave_dtype dtype;
    subwave_op op;
    subwave_group_kind kind;
    int32_t size; /* fixed_size or branches */
    int32_t block[3], blocks;
    uint32_t amount;
    bool has_init;
    uint64_t seed;
    struct {
        int wave; /* 0: no more */
        uint64_t digest, first[SHOWN];
    } answers[WAVES];
} group_vector;
#define GROUP(f, dtype, op, kind, size, x, y, z, blocks, amount, has_init, seed, ...) \
    { \
        f, #f, SUBWAVE_DTYPE_##dtype, SUBWAVE_OP_##op, SUBWAVE_GROUP_##kind, size, {x, y, z}, \
            blocks, amount, has_init, seed, \
        { \
            __VA_ARGS__ \
        } \
    }

#include "answers.h"

/* --- digests --------------------------------------------------------------------------------- */

/* FNV-1a */
static const uint64_t digest_start = 0xcbf29ce484222325u;
static uint64_t digest(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; ++i)
        hash = (hash ^ byte[i]) * 0x100000001b3u;
    return hash;
}

static bool is_right(const answer *expected, uint64_t got, const void *data, size_t word)
{
    if (got == expected->digest)
        return true;
    print_error("  digest %016" PRIx64 " instead of %016" PRIx64 "; first words", got,
                expected->digest);
    for (size_t i = 0; i < SHOWN; ++i) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)data + i * word, word);
        print_error(" %" PRIx64 " (%" PRIx64 ")", bits, expected->first[i]);
    }
    print_error(", expected ones in brackets\n");
    return false;
}

static int64_t vectors;

static void *allocate(size_t bytes)
{
    void *memory = calloc(bytes + 8 * SHOWN, 1); /* an answer of few words is shown with zeros */
    assert_non_null(memory);
    return memory;
}

/* --- matrices -------------------------------------------------------------------------------- */

typedef struct matrix {
    int64_t ld, apart, first, stride, elements;
    char *host;
    guarded device;
} matrix;

/* Draws `batch` matrices, which lie `gap` elements apart. */
static matrix matrix_create(subwave_context *context, harness_random *random, subwave_dtype dtype,
                            subwave_layout layout, int64_t range, int64_t rows, int64_t columns,
                            int pad, int gap, int64_t batch, bool backwards)
{
    const bool column_major = layout == SUBWAVE_LAYOUT_COLUMN_MAJOR;
    const int64_t minor = column_major ? rows : columns;
    matrix x = {.ld = (minor < 1 ? 1 : minor) + pad};
    x.apart = (column_major ? columns : rows) * x.ld + gap;
    x.stride = backwards ? -x.apart : x.apart;
    x.first = backwards ? (batch - 1) * x.apart : 0;
    x.elements = x.apart * batch;
    const int64_t parts = x.elements * (reference_is_complex(dtype) ? 2 : 1);
    const size_t size = subwave_dtype_size(dtype);
    x.host = allocate((size_t)x.elements * size);
    for (int64_t i = 0; i < parts; ++i) {
        const int64_t number =
            (int64_t)(harness_random_bits(random) % (uint64_t)(2 * range + 1)) - range;
        reference_store(reference_part(dtype), x.host, i,
                        reference_encode(reference_part(dtype),
                                         (double)number / (reference_is_integer(dtype) ? 1 : 8)));
    }
    x.device = (guarded){.context = context};
    guarded_reset(&x.device, size, x.host, (size_t)x.elements * size);
    return x;
}

static void *matrix_start(const matrix *x, subwave_dtype dtype)
{
    return (char *)guarded_pointer(&x->device) + x->first * (int64_t)subwave_dtype_size(dtype);
}

static void matrix_destroy(matrix *x)
{
    guarded_destroy(&x->device);
    free(x->host);
}

/* Reads C back, with every zero as +0: the sign of a sum that is 0 depends on how it is fused. */
static uint64_t read_product(matrix *c, subwave_dtype dtype)
{
    const size_t bytes = (size_t)c->elements * subwave_dtype_size(dtype);
    assert_int_equal(guarded_read(&c->device, c->host), 0);
    for (int64_t i = 0; i < c->elements * (reference_is_complex(dtype) ? 2 : 1); ++i)
        if (reference_decode(reference_part(dtype),
                             reference_load(reference_part(dtype), c->host, i)) == 0)
            reference_store(reference_part(dtype), c->host, i, 0);
    return digest(digest_start, c->host, bytes);
}

/* As an element of `dtype`, for alpha and beta. */
static const void *scalar(subwave_dtype dtype, const double *number, void *memory)
{
    const subwave_dtype type = reference_part(reference_sums(dtype));
    for (int i = 0; i < (reference_is_complex(dtype) ? 2 : 1); ++i)
        reference_store(type, memory, i, reference_encode(type, number[i]));
    return memory;
}

static bool flipped(subwave_transpose_kind transpose)
{
    return transpose != SUBWAVE_TRANSPOSE_NONE;
}

/* --- matrix products ------------------------------------------------------------------------- */

static bool has_variant(subwave_context *context, subwave_variant variant, subwave_dtype dtype)
{
    subwave_matmul_plan_info plan;
    const subwave_status status =
        subwave_matmul_plan(context, variant, dtype, SUBWAVE_LAYOUT_ROW_MAJOR,
                            SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, 1, 1, 1, &plan);
    if (status != SUBWAVE_STATUS_UNSUPPORTED)
        assert_ok(context, status);
    return status == SUBWAVE_STATUS_SUCCESS;
}

static void check_matmul(subwave_context *context, const matmul_vector *v, subwave_variant variant)
{
    harness_random random = {v->seed};
    const bool ta = flipped(v->transpose_a), tb = flipped(v->transpose_b);
    matrix a = matrix_create(context, &random, v->dtype, v->layout, v->range, ta ? v->k : v->m,
                             ta ? v->m : v->k, v->pad_a, 0, 1, false);
    matrix b = matrix_create(context, &random, v->dtype, v->layout, v->range, tb ? v->n : v->k,
                             tb ? v->k : v->n, v->pad_b, 0, 1, false);
    const subwave_dtype product = reference_product(v->dtype);
    matrix c = matrix_create(context, &random, product, v->layout, v->range, v->m, v->n, v->pad_c,
                             0, 1, false);
    double alpha, beta;
    assert_ok(context,
              subwave_matmul(context, variant, v->dtype, v->layout, v->transpose_a, v->transpose_b,
                             v->m, v->n, v->k, scalar(v->dtype, &v->alpha, &alpha),
                             matrix_start(&a, v->dtype), a.ld, matrix_start(&b, v->dtype), b.ld,
                             scalar(v->dtype, &v->beta, &beta), matrix_start(&c, product), c.ld));
    const uint64_t got = read_product(&c, product);
    if (!is_right(&v->answer, got, c.host, subwave_dtype_size(product)))
        fail_msg("matmul %s %s, layout %d, transposes %d and %d, %" PRId64 " x %" PRId64
                 " x %" PRId64 ", seed %" PRIu64,
                 subwave_variant_name(variant), subwave_dtype_name(v->dtype), (int)v->layout,
                 (int)v->transpose_a, (int)v->transpose_b, v->m, v->n, v->k, v->seed);
    matrix_destroy(&a);
    matrix_destroy(&b);
    matrix_destroy(&c);
}

static void test_matmul(void **state)
{
    for (size_t i = 0; i < COUNT(matmul_vectors); ++i, ++vectors)
        for (size_t v = 0; v < COUNT(all_variants); ++v)
            if (has_variant(*state, all_variants[v], matmul_vectors[i].dtype))
                check_matmul(*state, &matmul_vectors[i], all_variants[v]);
}

/* Fractions between -1 and 1 with as many bits as the type holds. */
static guarded draw_fractions(subwave_context *context, harness_random *random, subwave_dtype dtype,
                              int64_t count)
{
    const int digits = reference_fraction(dtype) + 1;
    const size_t size = subwave_dtype_size(dtype);
    char *host = allocate((size_t)count * size);
    for (int64_t i = 0; i < count; ++i) {
        const double number = (double)(harness_random_bits(random) >> (64 - digits));
        reference_store(dtype, host, i, reference_encode(dtype, ldexp(number, 1 - digits) - 1));
    }
    guarded device = guarded_create(context, host, (size_t)count * size);
    free(host);
    return device;
}

static void check_rounded(subwave_context *context, const rounded_vector *v,
                          subwave_variant variant)
{
    harness_random random = {v->seed};
    guarded a = draw_fractions(context, &random, v->dtype, 2 * v->k);
    guarded b = draw_fractions(context, &random, v->dtype, v->k * 3);
    guarded c = draw_fractions(context, &random, v->dtype, 6);
    const double alpha = 1.25, beta = -0.75;
    double alpha_memory, beta_memory, cells[6];
    assert_ok(context,
              subwave_matmul(context, variant, v->dtype, SUBWAVE_LAYOUT_ROW_MAJOR,
                             SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, 2, 3, v->k,
                             scalar(v->dtype, &alpha, &alpha_memory), guarded_pointer(&a), v->k,
                             guarded_pointer(&b), 3, scalar(v->dtype, &beta, &beta_memory),
                             guarded_pointer(&c), 3));
    assert_int_equal(guarded_read(&c, cells), 0);
    for (int i = 0; i < 6; ++i) {
        const double cell = reference_decode(v->dtype, reference_load(v->dtype, cells, i));
        if (!(fabs(cell - v->cells[i][0]) <= v->cells[i][1]))
            fail_msg("matmul %s %s, k %" PRId64 ", cell %d is %a, not within %a of %a",
                     subwave_variant_name(variant), subwave_dtype_name(v->dtype), v->k, i, cell,
                     v->cells[i][1], v->cells[i][0]);
    }
    guarded_destroy(&a);
    guarded_destroy(&b);
    guarded_destroy(&c);
}

static void test_rounded(void **state)
{
    for (size_t i = 0; i < COUNT(rounded_vectors); ++i, ++vectors)
        for (size_t v = 0; v < COUNT(all_variants); ++v)
            if (has_variant(*state, all_variants[v], rounded_vectors[i].dtype))
                check_rounded(*state, &rounded_vectors[i], all_variants[v]);
}

/* --- batched products ------------------------------------------------------------------------ */

/* The entries' addresses, in device memory. */
static guarded list_entries(subwave_context *context, const matrix *x, subwave_dtype dtype,
                            int64_t stride, int64_t batch)
{
    const char **entries = allocate((size_t)batch * sizeof *entries);
    for (int64_t e = 0; e < batch; ++e)
        entries[e] =
            (char *)matrix_start(x, dtype) + e * stride * (int64_t)subwave_dtype_size(dtype);
    guarded device = guarded_create(context, entries, (size_t)batch * sizeof *entries);
    free(entries);
    return device;
}

static void check_batched(subwave_context *context, const batched_vector *v, bool pointers)
{
    harness_random random = {v->seed};
    const bool ta = flipped(v->transpose_a), tb = flipped(v->transpose_b);
    const int64_t batch_a = v->shared == 1 ? 1 : v->batch, batch_b = v->shared == 2 ? 1 : v->batch;
    matrix a = matrix_create(context, &random, v->dtype, v->layout, v->range, ta ? v->k : v->m,
                             ta ? v->m : v->k, v->pad, v->gap, batch_a, v->backwards);
    matrix b = matrix_create(context, &random, v->dtype, v->layout, v->range, tb ? v->n : v->k,
                             tb ? v->k : v->n, v->pad, v->gap, batch_b, v->backwards);
    matrix c = matrix_create(context, &random, v->dtype, v->layout, v->range, v->m, v->n, v->pad,
                             v->gap, v->batch, v->backwards);
    if (v->shared == 1)
        a.stride = 0;
    if (v->shared == 2)
        b.stride = 0;
    double alpha_memory[2], beta_memory[2];
    const void *alpha = scalar(v->dtype, v->alpha, alpha_memory),
               *beta = scalar(v->dtype, v->beta, beta_memory);
    if (pointers) {
        guarded of_a = list_entries(context, &a, v->dtype, a.stride, v->batch);
        guarded of_b = list_entries(context, &b, v->dtype, b.stride, v->batch);
        guarded of_c = list_entries(context, &c, v->dtype, c.stride, v->batch);
        assert_ok(context,
                  subwave_matmul_batched(context, v->dtype, v->layout, v->transpose_a,
                                         v->transpose_b, v->m, v->n, v->k, alpha,
                                         guarded_pointer(&of_a), a.ld, guarded_pointer(&of_b), b.ld,
                                         beta, guarded_pointer(&of_c), c.ld, v->batch));
        guarded_destroy(&of_a);
        guarded_destroy(&of_b);
        guarded_destroy(&of_c);
    } else {
        assert_ok(context, subwave_matmul_strided_batched(
                               context, v->dtype, v->layout, v->transpose_a, v->transpose_b, v->m,
                               v->n, v->k, alpha, matrix_start(&a, v->dtype), a.ld, a.stride,
                               matrix_start(&b, v->dtype), b.ld, b.stride, beta,
                               matrix_start(&c, v->dtype), c.ld, c.stride, v->batch));
    }
    const uint64_t got = read_product(&c, v->dtype);
    if (!is_right(&v->answer, got, c.host, subwave_dtype_size(reference_part(v->dtype))))
        fail_msg("%s %s, layout %d, transposes %d and %d, %" PRId64 " x %" PRId64 " x %" PRId64
                 ", batch %" PRId64 ", seed %" PRIu64,
                 pointers ? "matmul_batched" : "matmul_strided_batched",
                 subwave_dtype_name(v->dtype), (int)v->layout, (int)v->transpose_a,
                 (int)v->transpose_b, v->m, v->n, v->k, v->batch, v->seed);
    matrix_destroy(&a);
    matrix_destroy(&b);
    matrix_destroy(&c);
}

static void test_batched(void **state)
{
    for (size_t i = 0; i < COUNT(batched_vectors); ++i, ++vectors) {
        check_batched(*state, &batched_vectors[i], false);
        check_batched(*state, &batched_vectors[i], true);
    }
}

/* --- groups ---------------------------------------------------------------------------------- */

static bool is_move(function f) { return (f >= BROADCAST && f <= SELECT) || f == INFO; }

static uint64_t turn(uint64_t bits, int by) { return bits << by | bits >> (64 - by); }

/* An integer of which many leave something when combined. */
static uint64_t draw_integer(subwave_op op, uint64_t r)
{
    const bool rare = r >> 59 == 0;
    switch (op) {
    case SUBWAVE_OP_MULTIPLIES:
        return r | 1;
    case SUBWAVE_OP_BIT_AND:
        return r | turn(r, 21) | turn(r, 42);
    case SUBWAVE_OP_BIT_OR:
        return r & turn(r, 21) & turn(r, 42);
    case SUBWAVE_OP_LOGICAL_AND:
        return rare ? 0 : r | 1;
    case SUBWAVE_OP_LOGICAL_OR:
        return rare ? r | 1 : 0;
    default:
        return r;
    }
}

static uint64_t draw_float(subwave_dtype dtype, subwave_op op, uint64_t r)
{
    const int width = (int)subwave_dtype_size(dtype) * 8, f = reference_fraction(dtype);
    const uint64_t infinity = (UINT64_MAX >> (65 - width)) >> f << f, sign = r >> 63 << (width - 1);
    const uint64_t bias = (infinity >> f) / 2, special[] = {0, 1, infinity, infinity + 1};
    const bool rare = r >> 59 == 0;
    if (op == SUBWAVE_OP_PLUS || op == SUBWAVE_OP_MULTIPLIES)
        return sign | (bias - 2 + (r >> 52 & 3)) << f | (r & (((uint64_t)1 << f) - 1));
    if ((op == SUBWAVE_OP_LOGICAL_AND && rare) || (op == SUBWAVE_OP_LOGICAL_OR && !rare))
        return (r & 1) << (width - 1);
    if ((op == SUBWAVE_OP_MINIMUM || op == SUBWAVE_OP_MAXIMUM) && rare)
        return sign | special[r >> 50 & 3];
    return r & UINT64_MAX >> (64 - width);
}

static void draw(const group_vector *v, harness_random *random, char *element)
{
    uint64_t words[2] = {harness_random_bits(random)};
    const size_t size = subwave_dtype_size(v->dtype);
    if (size > 8)
        words[1] = harness_random_bits(random);
    if (!is_move(v->f))
        words[0] = reference_is_floating(v->dtype) ? draw_float(v->dtype, v->op, words[0])
                                                   : draw_integer(v->op, words[0]);
    memcpy(element, words, size);
}

static subwave_status call(subwave_context *context, const group_vector *v,
                           const subwave_group *group, int64_t n, const void *init, const void *id,
                           const void *x, void *y)
{
    switch (v->f) {
    case REDUCE:
        return subwave_group_reduce(context, v->dtype, v->op, group, n, init, x, y);
    case INCLUSIVE:
    case EXCLUSIVE:
        return subwave_group_scan(context, v->dtype, v->op,
                                  v->f == INCLUSIVE ? SUBWAVE_SCAN_INCLUSIVE
                                                    : SUBWAVE_SCAN_EXCLUSIVE,
                                  group, n, init, x, y);
    case BROADCAST:
        return subwave_group_broadcast(context, v->dtype, group, n, v->amount, x, y);
    case SHIFT_LEFT:
    case SHIFT_RIGHT:
        return subwave_group_shift(context, v->dtype,
                                   v->f == SHIFT_LEFT ? SUBWAVE_SHIFT_LEFT : SUBWAVE_SHIFT_RIGHT,
                                   group, n, v->amount, x, y);
    case PERMUTE:
        return subwave_group_permute(context, v->dtype, group, n, v->amount, x, y);
    case SELECT:
        return subwave_group_select(context, v->dtype, group, n, id, x, y);
    case ANY:
        return subwave_group_vote(context, SUBWAVE_VOTE_ANY, group, n, x, y);
    case ALL:
        return subwave_group_vote(context, SUBWAVE_VOTE_ALL, group, n, x, y);
    case NONE:
        return subwave_group_vote(context, SUBWAVE_VOTE_NONE, group, n, x, y);
    case INFO:
        return subwave_group_info(context, group, n, y);
    }
    abort();
}

/* Every NaN becomes the one of answers.py: which one it is, is not promised. */
static void unify_nans(subwave_dtype dtype, void *array, int64_t n)
{
    const int f = reference_fraction(dtype);
    const uint64_t infinity = (UINT64_MAX >> (65 - 8 * subwave_dtype_size(dtype))) >> f << f;
    for (int64_t i = 0; i < n; ++i)
        if (isnan(reference_decode(dtype, reference_load(dtype, array, i))))
            reference_store(dtype, array, i, infinity | (uint64_t)1 << (f - 1));
}

static void check_group(subwave_context *context, const group_vector *v, const answer *expected)
{
    const int64_t n = (int64_t)v->block[0] * v->block[1] * v->block[2] * v->blocks;
    const size_t count = (size_t)n, size = subwave_dtype_size(v->dtype);
    const size_t y_bytes = count * (v->f == INFO ? sizeof(subwave_group_item) : size);
    harness_random random = {v->seed};
    char init[16], *x = allocate(count * size), *y = allocate(y_bytes);
    uint8_t *predicate = allocate(count);
    int32_t *key = allocate(count * sizeof *key);
    uint32_t *id = allocate(count * sizeof *id);
    uint64_t *members = allocate(count * sizeof *members);
    draw(v, &random, init);
    for (size_t i = 0; i < count; ++i)
        draw(v, &random, x + i * size);
    for (size_t i = 0; i < count; ++i) {
        const uint64_t r = harness_random_bits(&random);
        predicate[i] = r & 1 ? (uint8_t)(r >> 8 | 1) : 0;
        key[i] = (int32_t)((r >> 8) % (uint64_t)(v->size + 2)) - 1;
    }
    for (size_t i = 0; i < count; ++i)
        id[i] = (uint32_t)(harness_random_bits(&random) % 80);
    memset(y, OUTPUT, y_bytes);
    memset(members, OUTPUT, count * sizeof *members);

    guarded on_x = guarded_create(context, x, count * size),
            on_y = guarded_create(context, y, y_bytes);
    guarded on_predicate = guarded_create(context, predicate, count);
    guarded on_key = guarded_create(context, key, count * sizeof *key);
    guarded on_id = guarded_create(context, id, count * sizeof *id);
    guarded on_members = guarded_create(context, members, count * sizeof *members);
    subwave_group group = {.kind = v->kind,
                           .fixed_size = v->size,
                           .branches = v->size,
                           .predicate = guarded_pointer(&on_predicate),
                           .key = guarded_pointer(&on_key),
                           .members = guarded_pointer(&on_members)};
    memcpy(group.block, v->block, sizeof group.block);
    assert_ok(context,
              call(context, v, &group, n, v->has_init ? init : NULL, guarded_pointer(&on_id),
                   guarded_pointer(&on_x), guarded_pointer(&on_y)));
    assert_int_equal(guarded_read(&on_y, y), 0);
    assert_int_equal(guarded_read(&on_members, members), 0);
    if (!is_move(v->f) && reference_is_floating(v->dtype))
        unify_nans(v->dtype, y, n);
    const uint64_t got = digest(digest(digest_start, y, y_bytes), members, count * sizeof *members);
    if (!is_right(expected, got, y, v->f == INFO ? 4 : size < 8 ? size : 8))
        fail_msg("%s %s %s of %s (%d), blocks of %d x %d x %d, seed %" PRIu64, v->name,
                 subwave_dtype_name(v->dtype), subwave_op_name(v->op),
                 subwave_group_kind_name(v->kind), (int)v->size, (int)v->block[0], (int)v->block[1],
                 (int)v->block[2], v->seed);
    guarded *const memories[] = {&on_x, &on_y, &on_predicate, &on_key, &on_id, &on_members};
    for (size_t i = 0; i < COUNT(memories); ++i)
        guarded_destroy(memories[i]);
    free(x);
    free(y);
    free(predicate);
    free(key);
    free(id);
    free(members);
}

static void test_group(void **state)
{
    subwave_device_properties device;
    assert_ok(*state, subwave_context_info(*state, &device));
    for (size_t i = 0; i < COUNT(group_vectors); ++i)
        for (int w = 0; w < WAVES; ++w)
            if (group_vectors[i].answers[w].wave == device.sub_group_sizes[0]) {
                answer expected = {.digest = group_vectors[i].answers[w].digest};
                memcpy(expected.first, group_vectors[i].answers[w].first, sizeof expected.first);
                check_group(*state, &group_vectors[i], &expected);
                ++vectors;
            }
}

/* --- the test's own eyes --------------------------------------------------------------------- */

/* A digest that is not looked at would make every device right. */
static void test_faults_are_noticed(void **state)
{
    (void)state;
    static const unsigned char text[] = "foobar"; /* of FNV's authors */
    assert_true(digest(digest_start, text, 6) == 0x85944171f73967e8u);
    assert_true(digest(digest_start, "foobas", 6) != digest(digest_start, text, 6));
}

static void test_count(void **state)
{
    (void)state;
    print_message("%" PRId64 " vectors\n", vectors);
    assert_true(vectors >= 200);
    vectors = 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults_are_noticed),
        cmocka_unit_test(test_matmul),
        cmocka_unit_test(test_rounded),
        cmocka_unit_test(test_batched),
        cmocka_unit_test(test_group),
        cmocka_unit_test(test_count),
    };
    return harness_run("known answers", tests, COUNT(tests));
}
