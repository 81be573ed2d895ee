/* SPDX-License-Identifier: MIT
 * test_segmented_reduce.c: subwave_segmented_reduce against the reference, bit for bit: every dtype
 * and op, segments of many kinds of lengths, any alignment; and offsets that are wrong.
 */
#include "segments.h"

#include <math.h>
#include <string.h>

/* --- calls ----------------------------------------------------------------------------------- */

/* y of the call, 0xa5 before; a->values are x. */
static unsigned char *reduce(fixture *f, subwave_dtype dtype, subwave_op op,
                             subwave_dtype offset_dtype, const segments *s, int64_t n, bool aligned)
{
    arrays *a = &f->a;
    const size_t size = (size_t)reference_width(dtype) / 8, bytes = (size_t)s->count * size;
    size_t offset_bytes;
    void *offsets = offsets_of(s->offsets, s->count, offset_dtype, &offset_bytes);
    unsigned char *found = malloc(bytes + 1);
    assert_non_null(found);
    memset(found, 0xa5, bytes);
    guarded_reset(&a->x, aligned ? 16 : size, a->values, (size_t)n * size);
    guarded_reset(&a->y, aligned ? 16 : size, found, bytes);
    guarded_reset(&f->offsets, offset_dtype == SUBWAVE_DTYPE_I64 ? 8 : 4, offsets, offset_bytes);
    free(offsets);
    assert_ok(a->context,
              subwave_segmented_reduce(a->context, dtype, op, offset_dtype, s->count,
                                       guarded_pointer(&f->offsets), n,
                                       n ? guarded_pointer(&a->x) : NULL, guarded_pointer(&a->y)));
    assert_int_equal(guarded_read(&a->y, found), 0);
    assert_int_equal(guarded_changes(&a->x), 0);
    assert_int_equal(guarded_changes(&f->offsets), 0);
    return found;
}

/* Before the first segment and behind the last there are elements, if wanted. */
static void check(fixture *f, subwave_dtype dtype, subwave_op op, lengths kind, int64_t size,
                  unsigned turn)
{
    arrays *a = &f->a;
    const int64_t first = turn % 3 ? 0 : 5 + turn % 16;
    segments s =
        segments_create(&a->random, kind, reference_array_segmented_items(dtype), size, first);
    const int64_t n = s.offsets[s.count] + (turn % 2 ? 0 : 37);
    arrays_fill(a, dtype, op, n);
    const subwave_dtype offset_dtype = turn % 2 ? SUBWAVE_DTYPE_I32 : SUBWAVE_DTYPE_I64;
    const size_t bytes = (size_t)reference_width(dtype) / 8;
    unsigned char *right = malloc((size_t)s.count * bytes + 1);
    assert_non_null(right);
    reference_array_segmented_reduce(dtype, op, s.count, s.offsets, a->values, right);
    unsigned char *found = reduce(f, dtype, op, offset_dtype, &s, n, turn / 2 % 3 > 0);
    for (int64_t i = 0; i < s.count; ++i)
        if (!reference_same(dtype, reference_load(dtype, found, i),
                            reference_load(dtype, right, i)))
            fail_msg(
                "%s of %s, %s segments, n = %lld, turn %u: y[%lld] of %lld is %.17g, not %.17g",
                subwave_op_name(op), subwave_dtype_name(dtype), lengths_names[kind], (long long)n,
                turn, (long long)i, (long long)s.count,
                reference_decode(dtype, reference_load(dtype, found, i)),
                reference_decode(dtype, reference_load(dtype, right, i)));
    free(found);
    free(right);
    free(s.offsets);
}

/* --- tests ----------------------------------------------------------------------------------- */

/* Every dtype, op and kind, at sizes around a work-item's part, a tile, and several. */
static void test_all(void **state)
{
    fixture f = fixture_create(*state);
    unsigned turn = 0;
    for (size_t d = 0; d < COUNT(number_dtypes); ++d)
        for (size_t o = 0; o < COUNT(all_ops); ++o) {
            const subwave_dtype dtype = number_dtypes[d];
            if (!reference_has_op(dtype, all_ops[o]))
                continue;
            const int64_t part = reference_array_segmented_items(dtype), tile = part * BLOCK;
            const int64_t sizes[] = {1, part, tile - 1, tile + 1, 3 * tile + 77};
            for (int kind = 0; kind < LENGTHS; ++kind, ++turn)
                check(&f, dtype, all_ops[o], (lengths)kind, sizes[(turn + turn / 5) % COUNT(sizes)],
                      turn);
        }
    for (int kind = 0; kind < LENGTHS; ++kind) /* all sizes up to some */
        for (int64_t n = 0; n < 40; ++n, ++turn)
            check(&f, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, (lengths)kind, n, turn);
    fixture_destroy(&f);
}

/* Several groups of tiles; where limits are small, several launches. */
static void test_many_tiles(void **state)
{
    fixture f = fixture_create(*state);
    const int64_t tile = reference_array_segmented_items(SUBWAVE_DTYPE_F64) * BLOCK;
    check(&f, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, ALL_IN_ONE, tile * (2 * GROUP + 3) + 5, 1);
    check(&f, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, POWER_LAW, tile * (GROUP + 2), 2);
    check(&f, SUBWAVE_DTYPE_U8, SUBWAVE_OP_PLUS, ALL_EMPTY,
          reference_array_segmented_items(SUBWAVE_DTYPE_U8) * BLOCK * (GROUP + 1), 3);
    check(&f, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, EMPTY_AT_ONCE,
          reference_array_segmented_items(SUBWAVE_DTYPE_F32) * BLOCK * (GROUP + 1), 4);
    if (harness_is_full()) {
        for (int kind = 0; kind < LENGTHS; ++kind)
            check(&f, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, (lengths)kind,
                  tile * (3 * GROUP + 5) + 77, (unsigned)kind);
        /* Long segments that begin and end anywhere among the groups. */
        const int64_t n = tile * (5 * GROUP + 9);
        arrays_fill(&f.a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, n);
        int64_t offsets[8] = {0,
                              3,
                              tile * 77,
                              tile * (GROUP + 3),
                              tile * (3 * GROUP + 5) + 9,
                              tile * (4 * GROUP) - 4,
                              n - 5,
                              n};
        const segments s = {7, offsets};
        double right[7];
        reference_array_segmented_reduce(SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, s.count, offsets,
                                         f.a.values, right);
        unsigned char *found =
            reduce(&f, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_DTYPE_I64, &s, n, true);
        assert_memory_equal(found, right, sizeof right);
        free(found);
    }
    fixture_destroy(&f);
}

/* As many tiles as search for their own places, on the CPU device and on GPUs, and one more; also tiles
 * that hold nothing, for their elements belong to no segment. Again, in what the first call left. */
static void test_some_tiles(void **state)
{
    fixture f = fixture_create(*state);
    const int64_t tile = reference_array_segmented_items(SUBWAVE_DTYPE_F64) * BLOCK,
                  tiles[] = {2, 3, 6, 7, GROUP - 1, GROUP};
    for (size_t t = 0; t < COUNT(tiles); ++t) {
        const int64_t n = tiles[t] * tile - 3;
        arrays_fill(&f.a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, n);
        int64_t offsets[][4] = {{5, 9, 9, 30}, {tile, 2 * tile - 9, 2 * tile - 7, n}, {0, 1, n, n}};
        for (size_t i = 0; i < COUNT(offsets); ++i) {
            const segments s = {3, offsets[i]};
            double right[3];
            reference_array_segmented_reduce(SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, s.count, s.offsets,
                                             f.a.values, right);
            for (int again = 0; again < 2; ++again) {
                unsigned char *found =
                    reduce(&f, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_DTYPE_I64, &s, n, true);
                if (memcmp(found, right, sizeof right) != 0)
                    fail_msg("%lld tiles, offsets %zu, again %d", (long long)tiles[t], i, again);
                free(found);
            }
        }
    }
    fixture_destroy(&f);
}

/* Whatever offsets are, nothing outside x, y and offsets is read or written, and every call ends. */
static void test_wrong_offsets(void **state)
{
    fixture f = fixture_create(*state);
    const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_F64, SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_U8};
    for (int kind = 0; kind < WRONG_KINDS; ++kind)
        for (size_t d = 0; d < COUNT(dtypes); ++d) {
            const int64_t tile = (int64_t)reference_array_segmented_items(dtypes[d]) * BLOCK,
                          n = 5 * tile + 3;
            segments s = segments_wrong(&f.a.random, kind, kind % 2 ? 4 * tile : 700, n);
            arrays_fill(&f.a, dtypes[d], SUBWAVE_OP_PLUS, n);
            free(reduce(&f, dtypes[d], SUBWAVE_OP_PLUS,
                        d % 2 ? SUBWAVE_DTYPE_I32 : SUBWAVE_DTYPE_I64, &s, n, kind % 2));
            free(s.offsets);
        }
    fixture_destroy(&f);
}

/* What is beyond n or below 0 counts as n or 0. */
static void test_clamped(void **state)
{
    fixture f = fixture_create(*state);
    int64_t near[] = {-7, -2, 3, 5, 5, 99}, far[] = {INT64_MIN, INT64_MIN + 1, 3, 5, 5, INT64_MAX};
    const segments s[] = {{5, near}, {5, far}};
    arrays_fill(&f.a, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, 8);
    const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    memcpy(f.a.values, x, sizeof x);
    const float right[] = {0, x[0] + x[1] + x[2], x[3] + x[4], 0, x[5] + x[6] + x[7]};
    for (int is_far = 0; is_far < 2; ++is_far) {
        unsigned char *found =
            reduce(&f, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS,
                   is_far ? SUBWAVE_DTYPE_I64 : SUBWAVE_DTYPE_I32, &s[is_far], 8, true);
        assert_memory_equal(found, right, sizeof right);
        free(found);
    }
    fixture_destroy(&f);
}

/* NaN, infinities, zeros of both signs, and segments without elements between. */
static void test_special(void **state)
{
    const double nan = NAN, infinity = INFINITY;
    const struct {
        subwave_op op;
        double x[3], right[4];
    } cases[] = {
        {SUBWAVE_OP_PLUS, {-0.0, infinity, -infinity}, {-0.0, 0, nan, 0}},
        {SUBWAVE_OP_MULTIPLIES, {-0.0, nan, 1}, {-0.0, 1, nan, 1}},
        {SUBWAVE_OP_MINIMUM, {nan, 0.0, -0.0}, {nan, infinity, -0.0, infinity}},
        {SUBWAVE_OP_MAXIMUM, {nan, nan, -5}, {nan, -infinity, -5, -infinity}},
        {SUBWAVE_OP_LOGICAL_OR, {-0.0, nan, 0}, {0, 0, 1, 0}},
        {SUBWAVE_OP_LOGICAL_AND, {0.5, -0.0, nan}, {1, 1, 0, 1}},
    };
    int64_t offsets[] = {0, 1, 1, 3, 3};
    const segments s = {4, offsets};
    fixture f = fixture_create(*state);
    for (size_t c = 0; c < COUNT(cases); ++c) {
        arrays_fill(&f.a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, 3);
        memcpy(f.a.values, cases[c].x, sizeof cases[c].x);
        unsigned char *found =
            reduce(&f, SUBWAVE_DTYPE_F64, cases[c].op, SUBWAVE_DTYPE_I32, &s, 3, true);
        for (int i = 0; i < 4; ++i)
            if (!reference_same(SUBWAVE_DTYPE_F64, reference_load(SUBWAVE_DTYPE_F64, found, i),
                                reference_load(SUBWAVE_DTYPE_F64, cases[c].right, i)))
                fail_msg("case %zu: y[%d] is not %g", c, i, cases[c].right[i]);
        free(found);
    }
    fixture_destroy(&f);
}

/* What the comment promises of the workspace; and one that is too small is told, and nothing
 * written. */
static void test_workspace(void **state)
{
    subwave_context *context = *state;
    enum { SMALL = 4352, LARGE = SMALL + 2 * (2 + 1) * 8 + 3 * 24 };
    fixture f = fixture_create(context);
    void *workspace;
    assert_ok(context, subwave_malloc(context, &workspace, LARGE));
    for (int large = 0; large < 2; ++large) {
        const int64_t n = reference_array_segmented_items(SUBWAVE_DTYPE_F64) * BLOCK - 2 + large,
                      needed = large ? LARGE : SMALL;
        int64_t offsets[] = {0, n / 2, n};
        const segments s = {2, offsets};
        arrays_fill(&f.a, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, n);
        double right[2], y[2] = {-1, -1};
        reference_array_segmented_reduce(SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, 2, offsets, f.a.values,
                                         right);
        void *device;
        assert_ok(context, subwave_malloc(context, &device, sizeof y));
        assert_ok(context, subwave_copy(context, device, y, sizeof y));
        assert_ok(context, subwave_set_workspace(context, workspace, needed - 1));
        assert_int_equal(subwave_segmented_reduce(context, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS,
                                                  SUBWAVE_DTYPE_I64, 2, device, n, device, device),
                         SUBWAVE_STATUS_WORKSPACE_TOO_SMALL);
        assert_ok(context, subwave_copy(context, y, device, sizeof y));
        assert_true(y[0] == -1 && y[1] == -1);
        assert_ok(context, subwave_free(context, device));
        for (int again = 0; again < 2; ++again) { /* in what the first call left */
            assert_ok(context, subwave_set_workspace(context, workspace, needed));
            unsigned char *found =
                reduce(&f, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_DTYPE_I64, &s, n, true);
            assert_memory_equal(found, right, sizeof right);
            free(found);
        }
    }
    assert_ok(context, subwave_set_workspace(context, NULL, 0));
    assert_ok(context, subwave_free(context, workspace));
    fixture_destroy(&f);
}

static void test_arguments(void **state)
{
    subwave_context *context = *state;
    double x[2] = {1, 2}, y[2] = {-1, -1};
    int64_t offsets[3] = {0, 1, 2};
    const int64_t huge = INT64_MAX / 2;
    enum { F64 = SUBWAVE_DTYPE_F64, I32 = SUBWAVE_DTYPE_I32, I64 = SUBWAVE_DTYPE_I64 };
    const struct {
        subwave_status status;
        int dtype, op, offset_dtype;
        int64_t segments, n;
        const void *offsets, *x;
        void *y;
        const char *text;
    } cases[] = {
        {SUBWAVE_STATUS_INVALID_VALUE, F64, 0, I64, 2, 2, offsets, x, y, "op is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, 0, 1, I64, 2, 2, offsets, x, y, "dtype is 0"},
        {SUBWAVE_STATUS_UNSUPPORTED, SUBWAVE_DTYPE_C64, 1, I64, 2, 2, offsets, x, y, "c64"},
        {SUBWAVE_STATUS_UNSUPPORTED, F64, SUBWAVE_OP_BIT_XOR, I64, 2, 2, offsets, x, y, "bit_xor"},
        {SUBWAVE_STATUS_INVALID_VALUE, F64, 1, 0, 2, 2, offsets, x, y, "offset_dtype is 0"},
        {SUBWAVE_STATUS_UNSUPPORTED, F64, 1, SUBWAVE_DTYPE_U32, 2, 2, offsets, x, y,
         "offset_dtype is u32"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, 1, I64, -1, 2, offsets, x, y, "segments is -1"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, 1, I64, huge, 2, offsets, x, y, "segments is"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, 1, I64, 0, -2, offsets, x, y, "n is -2"},
        {SUBWAVE_STATUS_INVALID_SIZE, F64, 1, I64, 2, huge, offsets, x, y, "n is"},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, 1, I64, 2, 2, NULL, x, y, "offsets is null"},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, 1, I64, 2, 2, (char *)offsets + 4, x, y, "offsets "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, 1, I32, 2, 2, (char *)offsets + 2, x, y, "offsets "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, 1, I64, 2, 2, offsets, NULL, y, "x is null"},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, 1, I64, 2, 2, offsets, (char *)x + 4, y, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, 1, I64, 2, 2, offsets, x, NULL, "y is null"},
        {SUBWAVE_STATUS_INVALID_POINTER, F64, 1, I64, 2, 2, offsets, x, (char *)y + 1, "y "},
    };
    for (size_t c = 0; c < COUNT(cases); ++c) {
        const subwave_status status = subwave_segmented_reduce(
            context, (subwave_dtype)cases[c].dtype, (subwave_op)cases[c].op,
            (subwave_dtype)cases[c].offset_dtype, cases[c].segments, cases[c].offsets, cases[c].n,
            cases[c].x, cases[c].y);
        if (status != cases[c].status || !harness_refused(context, status, cases[c].text))
            fail_msg("case %zu: %s, \"%s\"", c, subwave_status_name(status),
                     subwave_last_error(context));
        assert_true(y[0] == -1 && y[1] == -1);
    }
    assert_ok(context, subwave_segmented_reduce(context, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS,
                                                SUBWAVE_DTYPE_I64, 0, NULL, 2, NULL, NULL));
    assert_int_equal(subwave_segmented_reduce(NULL, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS,
                                              SUBWAVE_DTYPE_I64, 2, offsets, 2, x, y),
                     SUBWAVE_STATUS_INVALID_CONTEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),           cmocka_unit_test(test_many_tiles),
        cmocka_unit_test(test_wrong_offsets), cmocka_unit_test(test_clamped),
        cmocka_unit_test(test_special),       cmocka_unit_test(test_workspace),
        cmocka_unit_test(test_some_tiles),    cmocka_unit_test(test_arguments),
    };
    return harness_run("segmented_reduce", tests, COUNT(tests));
}
