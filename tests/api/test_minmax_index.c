/* SPDX-License-Identifier: MIT
 * test_minmax_index.c: subwave_minmax_index against a plain loop: every type, sizes around packs, rows
 * and tiles, values that repeat, NaN, zeros of both signs, the ends of the types' ranges.
 */
#include "arrays.h"

#include "../reference_array.h"

static const subwave_op ops[] = {SUBWAVE_OP_MINIMUM, SUBWAVE_OP_MAXIMUM};

typedef struct found {
    uint64_t value;
    int64_t index;
} found;

static found call(arrays *a, subwave_dtype dtype, subwave_op op, int64_t n, subwave_place place,
                  bool aligned)
{
    const size_t size = (size_t)reference_width(dtype) / 8;
    guarded_reset(&a->x, aligned ? 16 : size, a->values, (size_t)n * size);
    /* Together in one piece of memory: the index comes first, and the value ends it. */
    unsigned char *const result = arrays_result(a, place, 8, 8 + size);
    assert_ok(a->context,
              subwave_minmax_index(a->context, dtype, op, n, n ? guarded_pointer(&a->x) : NULL,
                                   place, result + 8, (int64_t *)(void *)result));
    const unsigned char *const both = arrays_result_read(a, place, 8 + size);
    found f = {.value = reference_load(dtype, both + 8, 0)};
    memcpy(&f.index, both, sizeof f.index);
    return f;
}

static void check(arrays *a, subwave_dtype dtype, subwave_op op, int64_t n, unsigned turn)
{
    uint64_t value;
    const int64_t index = reference_array_minmax_index(dtype, op, a->values, n, &value);
    const found f = call(a, dtype, op, n, all_places[turn % COUNT(all_places)], turn / 2 % 2);
    if (f.index != index || !reference_same(dtype, f.value, value))
        fail_msg("%s of %s, n = %lld: %.17g at %lld, not %.17g at %lld", subwave_op_name(op),
                 subwave_dtype_name(dtype), (long long)n, reference_decode(dtype, f.value),
                 (long long)f.index, reference_decode(dtype, value), (long long)index);
}

/* What elements there are: any; few values, which repeat; the worst one alone; that, and one that is
 * better; NaN and few numbers; zeros. */
enum { ANY, FEW, WORST, ONE, NANS, ZEROS, KINDS };
static void fill(arrays *a, subwave_dtype dtype, subwave_op op, int64_t n, int kind)
{
    arrays_fill(a, dtype, SUBWAVE_OP_PLUS, n);
    const bool floats = reference_is_floating(dtype);
    const uint64_t worst = reference_identity(dtype, op);
    for (int64_t i = 0; i < n && kind != ANY; ++i) {
        const uint64_t bits = harness_random_bits(&a->random);
        uint64_t element = worst;
        if (kind == FEW)
            element = reference_encode(dtype, (double)(bits % 5));
        else if (kind == NANS && floats && bits % 64)
            element = reference_encode(dtype, bits % 2 ? 0.0 / 0.0 : -(0.0 / 0.0));
        else if (kind == ZEROS)
            element = reference_encode(dtype, bits % 2 ? 0.0 : -0.0);
        reference_store(dtype, a->values, i, element);
    }
    if (kind == ONE && n > 0)
        reference_store(dtype, a->values, (int64_t)(harness_random_bits(&a->random) % (uint64_t)n),
                        reference_encode(dtype, 7));
}

/* --- tests ----------------------------------------------------------------------------------- */

static void test_all(void **state)
{
    arrays a = arrays_create(*state);
    unsigned turn = 0;
    for (size_t d = 0; d < COUNT(number_dtypes); ++d)
        for (size_t o = 0; o < COUNT(ops); ++o)
            for (size_t s = 0; s < COUNT(fold_sizes); ++s, ++turn) {
                const subwave_dtype dtype = number_dtypes[d];
                const int64_t n = (int64_t)fold_sizes[s].packs * (128 / reference_width(dtype)) +
                                  fold_sizes[s].elements;
                for (int kind = 0; kind < KINDS; ++kind) {
                    fill(&a, dtype, ops[o], n, kind);
                    check(&a, dtype, ops[o], n, turn + (unsigned)kind);
                }
            }
    arrays_destroy(&a);
}

/* The only element of its kind, first, last, and where tiles meet; and all that are NaN. */
static void test_many_tiles(void **state)
{
    arrays a = arrays_create(*state);
    const int64_t tile = 4 * 256 * 4, n = 515 * tile + 7,
                  places[] = {0, 1, tile - 1, tile, 300 * tile + 77, n - 8, n - 7, n - 1};
    for (size_t i = 0; i < COUNT(places); ++i) {
        fill(&a, SUBWAVE_DTYPE_F32, SUBWAVE_OP_MAXIMUM, n, i % 2 ? FEW : NANS);
        reference_store(SUBWAVE_DTYPE_F32, a.values, places[i],
                        reference_encode(SUBWAVE_DTYPE_F32, 9));
        check(&a, SUBWAVE_DTYPE_F32, SUBWAVE_OP_MAXIMUM, n, (unsigned)i);
    }
    for (int64_t i = 0; i < n; ++i)
        reference_store(SUBWAVE_DTYPE_F32, a.values, i,
                        reference_encode(SUBWAVE_DTYPE_F32, 0.0 / 0.0));
    check(&a, SUBWAVE_DTYPE_F32, SUBWAVE_OP_MINIMUM, n, 0);
    fill(&a, SUBWAVE_DTYPE_U64, SUBWAVE_OP_MINIMUM, n, ANY);
    check(&a, SUBWAVE_DTYPE_U64, SUBWAVE_OP_MINIMUM, n, 1);
    arrays_destroy(&a);
}

/* An index of more than 31 bits. */
static void test_large(void **state)
{
    subwave_context *context = *state;
    enum { PART = 1 << 26, PARTS = 33 };
    if (!harness_is_full() || harness_is_cpu(context))
        skip(); /* 2 GiB: for GPUs */
    unsigned char *const part = calloc(PART, 1), *x;
    assert_non_null(part);
    const int64_t n = (int64_t)PART * PARTS, place = n - 12345;
    if (subwave_malloc(context, (void **)&x, n) == SUBWAVE_STATUS_OUT_OF_MEMORY) {
        print_message("skipped: %s\n", subwave_last_error(context));
        free(part);
        skip();
    }
    for (int64_t p = 0; p < PARTS; ++p)
        assert_ok(context, subwave_copy(context, x + p * PART, part, PART));
    assert_ok(context, subwave_copy(context, x + place, &(unsigned char){5}, 1));
    uint8_t value = 0;
    int64_t index = 0;
    assert_ok(context, subwave_minmax_index(context, SUBWAVE_DTYPE_U8, SUBWAVE_OP_MAXIMUM, n, x,
                                            SUBWAVE_PLACE_HOST, &value, &index));
    assert_int_equal(value, 5);
    assert_true(index == place);
    assert_ok(context, subwave_free(context, x));
    free(part);
}

static void test_workspace_and_arguments(void **state)
{
    subwave_context *context = *state;
    enum { NEEDED = 20736 };
    float x[3] = {1, 3, 2}, value = -1;
    int64_t index = -7;
    const struct {
        subwave_status status;
        int dtype, op, place;
        int64_t n;
        const void *x;
        void *value, *index;
        const char *text;
    } cases[] = {
        {SUBWAVE_STATUS_INVALID_VALUE, 0, 3, 2, 2, x, &value, &index, "dtype is 0"},
        {SUBWAVE_STATUS_UNSUPPORTED, SUBWAVE_DTYPE_C32, 3, 2, 2, x, &value, &index, "c32"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F32, 0, 2, 2, x, &value, &index, "op is 0"},
        {SUBWAVE_STATUS_UNSUPPORTED, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, 2, 2, x, &value, &index,
         "op is plus; minmax_index takes minimum and maximum"},
        {SUBWAVE_STATUS_INVALID_VALUE, SUBWAVE_DTYPE_F32, 3, 0, 2, x, &value, &index, "place is 0"},
        {SUBWAVE_STATUS_INVALID_SIZE, SUBWAVE_DTYPE_F32, 3, 2, -1, x, &value, &index, "n is -1"},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F32, 3, 2, 2, NULL, &value, &index, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F32, 3, 2, 2, x, NULL, &index, "value "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F32, 3, 2, 0, NULL, &value, NULL, "index "},
        {SUBWAVE_STATUS_INVALID_POINTER, SUBWAVE_DTYPE_F32, 3, 2, 0, NULL, &value,
         (char *)&index + 4, "index "},
    };
    for (size_t c = 0; c < COUNT(cases); ++c) {
        const subwave_status status = subwave_minmax_index(
            context, (subwave_dtype)cases[c].dtype, (subwave_op)cases[c].op, cases[c].n, cases[c].x,
            (subwave_place)cases[c].place, cases[c].value, cases[c].index);
        if (status != cases[c].status || !harness_refused(context, status, cases[c].text))
            fail_msg("case %zu: %s, \"%s\"", c, subwave_status_name(status),
                     subwave_last_error(context));
        assert_true(value == -1 && index == -7);
    }
    assert_int_equal(subwave_minmax_index(NULL, SUBWAVE_DTYPE_F32, SUBWAVE_OP_MAXIMUM, 3, x,
                                          SUBWAVE_PLACE_HOST, &value, &index),
                     SUBWAVE_STATUS_INVALID_CONTEXT);

    void *on_device, *workspace;
    assert_ok(context, subwave_malloc(context, &on_device, sizeof x));
    assert_ok(context, subwave_copy(context, on_device, x, sizeof x));
    assert_ok(context, subwave_malloc(context, &workspace, NEEDED));
    assert_ok(context, subwave_set_workspace(context, workspace, NEEDED - 1));
#define CALL \
    subwave_minmax_index(context, SUBWAVE_DTYPE_F32, SUBWAVE_OP_MAXIMUM, 3, on_device, \
                         SUBWAVE_PLACE_HOST, &value, &index)
    assert_int_equal(CALL, SUBWAVE_STATUS_WORKSPACE_TOO_SMALL);
    assert_true(value == -1 && index == -7);
    assert_ok(context, subwave_set_workspace(context, workspace, NEEDED));
    assert_ok(context, CALL);
    assert_true(value == 3 && index == 1);
#undef CALL
    assert_ok(context, subwave_set_workspace(context, NULL, 0));
    assert_ok(context, subwave_free(context, workspace));
    assert_ok(context, subwave_free(context, on_device));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_many_tiles),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_workspace_and_arguments),
    };
    return harness_run("minmax_index", tests, COUNT(tests));
}
