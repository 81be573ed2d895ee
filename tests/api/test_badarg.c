/* SPDX-License-Identifier: MIT
 * test_badarg.c: every parameter of every function in every way wrong: the status, a text that
 * names the parameter or environment variable, and nothing written.
 *
 * ARCHITECTURE_MISMATCH and DEVICE_ERROR need a GPU of another kind or a failing one. KERNEL_ERROR
 * and the allocations that fail inside a call are in test_faults.c. All other statuses are here.
 */
#include "../harness.h"
#include "../types.h"
#include "parameters.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int cases;

/* Whether `text` has `name` as a whole word. */
static bool names(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length) {
        const bool starts = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (starts && !(isalnum((unsigned char)at[length]) || at[length] == '_'))
            return true;
    }
    return false;
}

/* The position of parameter `name`, or of that of which it is a field, in the function that `call`
 * begins with; 0 if it has none such. Some tests call several with the same parameters. */
static int position(const char *call, const char *name)
{
    static const struct {
        const char *function, *parameters;
    } all[] = {
#define SUBWAVE_X(function, parameters) {#function, parameters},
        SUBWAVE_PARAMETERS(SUBWAVE_X)
#undef SUBWAVE_X
    };
    static const char *const alike[][2] = {{"create_none", "subwave_context_create"},
                                           {"MATMUL", "subwave_matmul"},
                                           {"allocate", "subwave_malloc"},
                                           {"release", "subwave_free"},
                                           {"copies", "subwave_copy"},
                                           {"copies_2d", "subwave_copy_2d"}};
    const size_t length = strspn(call, "abcdefghijklmnopqrstuvwxyzMATUL_0123456789");
    const size_t name_length = strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789");
    char function[64];
    snprintf(function, sizeof function, "%.*s", (int)length, call);
    for (size_t i = 0; i < COUNT(alike); ++i)
        if (strcmp(alike[i][0], function) == 0)
            strcpy(function, alike[i][1]);
    for (size_t i = 0; i < COUNT(all); ++i) {
        if (strcmp(all[i].function, function) != 0)
            continue;
        int result = 1;
        for (const char *at = all[i].parameters; *at; at = strchr(at, ' ') + 1, ++result)
            if (strncmp(at, name, name_length) == 0 && at[name_length] == ' ')
                return result;
        return 0;
    }
    fail_msg("no function is called %s", function);
    return 0;
}

/* Takes a call's outcome for `expected`, and the text of `context` for one about `name`. */
#define CHECK(call, expected, context, name) \
    check_outcome(call, SUBWAVE_STATUS_##expected, context, name, #call, __LINE__)

static void check_outcome(subwave_status status, subwave_status expected,
                          const subwave_context *context, const char *name, const char *call,
                          int line)
{
    const char *text = subwave_last_error(context);
    ++cases;
    /* An environment variable is no parameter, and success has none; without a context the text and
     * the position are an earlier call's. */
    const bool about_argument = expected != SUBWAVE_STATUS_SUCCESS &&
                                expected <= SUBWAVE_STATUS_NO_DEVICE &&
                                !isupper((unsigned char)name[0]);
    const int argument = subwave_last_argument(context);
    const bool right = about_argument ? argument > 0 && argument == position(call, name)
                                      : argument == 0 || (!context && !*name);
    if (status == expected && right && (status == SUBWAVE_STATUS_SUCCESS || names(text, name)))
        return;
    print_error("%s\n  gave %s, \"%s\", argument %d; it should be %s and name \"%s\"\n", call,
                subwave_status_name(status), text, argument, subwave_status_name(expected), name);
    _fail(__FILE__, line);
}

/* --- spoilt arguments ------------------------------------------------------------------------ */

/* Replaces a field of a struct of arguments, or adds to it. */
typedef struct change {
    size_t offset, size;
    int64_t value;
    bool add;
} change;
#define CHANGE(type, field, value, add) \
    {offsetof(type, field), sizeof((type *)0)->field, value, add}

static void apply(void *arguments, const change *change)
{
    char *field = (char *)arguments + change->offset;
    if (change->size == sizeof(int32_t)) {
        const int32_t value = (int32_t)change->value;
        memcpy(field, &value, sizeof value);
    } else if (change->size == sizeof(int64_t)) {
        int64_t value;
        memcpy(&value, field, sizeof value);
        value = change->add ? value + change->value : change->value;
        memcpy(field, &value, sizeof value);
    }
}

#define VALUE SUBWAVE_STATUS_INVALID_VALUE
#define UNSUPPORTED SUBWAVE_STATUS_UNSUPPORTED
#define SIZE SUBWAVE_STATUS_INVALID_SIZE
#define STRIDE SUBWAVE_STATUS_INVALID_STRIDE
#define POINTER SUBWAVE_STATUS_INVALID_POINTER
#define SUCCESS SUBWAVE_STATUS_SUCCESS

/* --- subwave_matmul -------------------------------------------------------------------------- */

typedef struct arguments {
    subwave_context *context;
    int32_t variant, dtype, layout, transpose_a, transpose_b;
    int64_t m, n, k;
    const void *alpha, *a;
    int64_t lda;
    const void *b;
    int64_t ldb;
    const void *beta;
    void *c;
    int64_t ldc;
} arguments;
#define SET(field, value) CHANGE(arguments, field, value, false)
#define ADD(field, value) CHANGE(arguments, field, value, true)

typedef struct bad_case {
    const char *name;
    subwave_status status;
    change changes[3];
} bad_case;

/* Against m = n = k = 5 with leading dimensions of 5, which hold for every layout and transpose. */
static const bad_case bad_cases[] = {
    {"variant", VALUE, {SET(variant, 0)}},
    {"variant", VALUE, {SET(variant, -1)}},
    {"variant", VALUE, {SET(variant, GREATEST(SUBWAVE_VARIANT_LIST) + 1)}},
    {"variant", VALUE, {SET(variant, INT_MAX)}},
    {"variant", VALUE, {SET(variant, INT_MIN)}},
    {"dtype", VALUE, {SET(dtype, 0)}},
    {"dtype", VALUE, {SET(dtype, -1)}},
    {"dtype", VALUE, {SET(dtype, GREATEST(SUBWAVE_DTYPE_LIST) + 1)}},
    {"dtype", VALUE, {SET(dtype, INT_MAX)}},
    {"dtype", UNSUPPORTED, {SET(dtype, SUBWAVE_DTYPE_I16)}},
    {"dtype", UNSUPPORTED, {SET(dtype, SUBWAVE_DTYPE_U64)}},
    {"dtype", UNSUPPORTED, {SET(dtype, SUBWAVE_DTYPE_BF16), SET(variant, SUBWAVE_VARIANT_SKINNY)}},
    {"layout", VALUE, {SET(layout, 0)}},
    {"layout", VALUE, {SET(layout, -1)}},
    {"layout", VALUE, {SET(layout, 3)}},
    {"layout", VALUE, {SET(layout, 101)}}, /* CBLAS's */
    {"transpose_a", VALUE, {SET(transpose_a, 0)}},
    {"transpose_a", VALUE, {SET(transpose_a, -1)}},
    {"transpose_a", VALUE, {SET(transpose_a, 4)}},
    {"transpose_a", VALUE, {SET(transpose_a, 'T')}},
    {"transpose_b", VALUE, {SET(transpose_b, 0)}},
    {"transpose_b", VALUE, {SET(transpose_b, -1)}},
    {"transpose_b", VALUE, {SET(transpose_b, 4)}},
    {"transpose_b", VALUE, {SET(transpose_b, 112)}},
    {"m", SIZE, {SET(m, -1)}},
    {"m", SIZE, {SET(m, INT64_MIN)}},
    {"n", SIZE, {SET(n, -1)}},
    {"n", SIZE, {SET(n, INT64_MIN)}},
    {"k", SIZE, {SET(k, -1)}},
    {"k", SIZE, {SET(k, INT64_MIN)}},
    {"lda", STRIDE, {SET(lda, 4)}},
    {"lda", STRIDE, {SET(lda, 0)}},
    {"lda", STRIDE, {SET(lda, -5)}},
    {"lda", STRIDE, {SET(lda, INT64_MIN)}},
    {"lda", SIZE, {SET(lda, INT64_MAX)}},
    {"lda", SIZE, {SET(lda, INT64_MAX / 16)}},
    {"ldb", STRIDE, {SET(ldb, 4)}},
    {"ldb", STRIDE, {SET(ldb, 0)}},
    {"ldb", STRIDE, {SET(ldb, -5)}},
    {"ldb", STRIDE, {SET(ldb, INT64_MIN)}},
    {"ldb", SIZE, {SET(ldb, INT64_MAX)}},
    {"ldb", SIZE, {SET(ldb, INT64_MAX / 16)}},
    {"ldc", STRIDE, {SET(ldc, 4)}},
    {"ldc", STRIDE, {SET(ldc, 0)}},
    {"ldc", STRIDE, {SET(ldc, -5)}},
    {"ldc", STRIDE, {SET(ldc, INT64_MIN)}},
    {"ldc", SIZE, {SET(ldc, INT64_MAX)}},
    {"ldc", SIZE, {SET(ldc, INT64_MAX / 16)}},
    {"alpha", POINTER, {SET(alpha, 0)}},
    {"alpha", POINTER, {ADD(alpha, 1)}},
    {"alpha", POINTER, {ADD(alpha, 2)}},
    {"a", POINTER, {SET(a, 0)}},
    {"a", POINTER, {ADD(a, 1)}},
    {"a", POINTER, {ADD(a, 2)}},
    {"b", POINTER, {SET(b, 0)}},
    {"b", POINTER, {ADD(b, 1)}},
    {"b", POINTER, {ADD(b, 2)}},
    {"beta", POINTER, {SET(beta, 0)}},
    {"beta", POINTER, {ADD(beta, 1)}},
    {"beta", POINTER, {ADD(beta, 2)}},
    {"c", POINTER, {SET(c, 0)}},
    {"c", POINTER, {ADD(c, 1)}},
    {"c", POINTER, {ADD(c, 2)}},
    /* Scalars are floats where elements have 16 bits. */
    {"alpha", POINTER, {SET(dtype, SUBWAVE_DTYPE_F16), ADD(alpha, 2)}},
    {"beta", POINTER, {SET(dtype, SUBWAVE_DTYPE_BF16), ADD(beta, 2)}},
    {"c", POINTER, {SET(dtype, SUBWAVE_DTYPE_BF16), ADD(c, 1)}},
    {"c", POINTER, {SET(dtype, SUBWAVE_DTYPE_F16), ADD(c, 3)}},
    /* Where elements have 8 bits, scalars and C have 32. */
    {"alpha", POINTER, {SET(dtype, SUBWAVE_DTYPE_I8), ADD(alpha, 2)}},
    {"beta", POINTER, {SET(dtype, SUBWAVE_DTYPE_I8), ADD(beta, 1)}},
    {"c", POINTER, {SET(dtype, SUBWAVE_DTYPE_I8), ADD(c, 2)}},
    {"lda", SIZE, {SET(dtype, SUBWAVE_DTYPE_I8), SET(lda, INT64_MAX)}},
    {"ldc", SIZE, {SET(dtype, SUBWAVE_DTYPE_I8), SET(ldc, INT64_MAX / 16)}},
    /* The order of checks: what is wrong first is what is named. */
    {"variant", VALUE, {SET(variant, 0), SET(dtype, 0), SET(layout, 0)}},
    {"dtype", VALUE, {SET(dtype, 0), SET(layout, 0), SET(transpose_a, 0)}},
    {"layout", VALUE, {SET(layout, 0), SET(transpose_a, 0), SET(m, -1)}},
    {"transpose_a", VALUE, {SET(transpose_a, 0), SET(transpose_b, 0), SET(k, -1)}},
    {"transpose_b", VALUE, {SET(dtype, SUBWAVE_DTYPE_I16), SET(transpose_b, 0)}},
    {"dtype", UNSUPPORTED, {SET(dtype, SUBWAVE_DTYPE_I16), SET(m, -1), SET(c, 0)}},
    {"m", SIZE, {SET(m, -1), SET(n, -1), SET(lda, 0)}},
    {"n", SIZE, {SET(n, -1), SET(k, -1), SET(ldc, 0)}},
    {"k", SIZE, {SET(k, -1), SET(ldb, 0), SET(a, 0)}},
    {"lda", STRIDE, {SET(lda, 0), SET(ldb, 0), SET(ldc, 0)}},
    {"ldb", STRIDE, {SET(ldb, 0), SET(ldc, 0), SET(alpha, 0)}},
    {"ldc", STRIDE, {SET(ldc, 0), SET(c, 0), SET(beta, 0)}},
    {"alpha", POINTER, {SET(alpha, 0), SET(beta, 0), SET(a, 0)}},
    {"beta", POINTER, {SET(beta, 0), SET(a, 0), SET(c, 0)}},
    {"a", POINTER, {SET(a, 0), SET(b, 0), SET(c, 0)}},
    {"b", POINTER, {SET(b, 0), SET(c, 0)}},
    /* An empty C does not excuse wrong enumerations and sizes, only pointers. */
    {"variant", VALUE, {SET(m, 0), SET(variant, 9)}},
    {"dtype", UNSUPPORTED, {SET(n, 0), SET(dtype, SUBWAVE_DTYPE_I64)}},
    {"k", SIZE, {SET(m, 0), SET(k, -1)}},
    {"ldc", STRIDE, {SET(m, 0), SET(n, 0), SET(ldc, 0)}},
    {"lda", STRIDE, {SET(k, 0), SET(lda, 0)}},
    {"", SUCCESS, {SET(m, 0), SET(a, 0), SET(c, 0)}},
    {"", SUCCESS, {SET(n, 0), SET(alpha, 0), SET(beta, 0)}},
    {"beta", POINTER, {SET(k, 0), SET(a, 0), SET(beta, 0)}},
    {"c", POINTER, {SET(k, 0), SET(b, 0), SET(c, 0)}},
};

static subwave_status call(const arguments *x)
{
    return subwave_matmul(x->context, (subwave_variant)x->variant, (subwave_dtype)x->dtype,
                          (subwave_layout)x->layout, (subwave_transpose_kind)x->transpose_a,
                          (subwave_transpose_kind)x->transpose_b, x->m, x->n, x->k, x->alpha, x->a,
                          x->lda, x->b, x->ldb, x->beta, x->c, x->ldc);
}

static void check_matmul(subwave_context *context, const bad_case *cases, size_t count)
{
    char zeros[5 * 5 * 8] = {0};
    guarded a = guarded_create(context, zeros, sizeof zeros);
    guarded b = guarded_create(context, zeros, sizeof zeros);
    guarded c = guarded_create(context, zeros, sizeof zeros);
    const double one64[2] = {1, 0}, two64[2] = {2, 0}; /* shifted by a byte they stay readable */
    const float one32[2] = {1, 0}, two32[2] = {2, 0};
    for (size_t i = 0; i < count; ++i)
        for (int form = 0; form < 16; ++form) {
            const bad_case *bad = &cases[i];
            const bool f64 = form & 1;
            arguments x = {
                .context = context,
                .variant = SUBWAVE_VARIANT_AUTO,
                .dtype = f64 ? SUBWAVE_DTYPE_F64 : SUBWAVE_DTYPE_F32,
                .layout = form & 2 ? SUBWAVE_LAYOUT_ROW_MAJOR : SUBWAVE_LAYOUT_COLUMN_MAJOR,
                .transpose_a = form & 4 ? SUBWAVE_TRANSPOSE_YES : SUBWAVE_TRANSPOSE_NONE,
                .transpose_b = form & 8 ? SUBWAVE_TRANSPOSE_YES : SUBWAVE_TRANSPOSE_NONE,
                .m = 5,
                .n = 5,
                .k = 5,
                .alpha = f64 ? (const void *)one64 : one32,
                .a = guarded_pointer(&a),
                .lda = 5,
                .b = guarded_pointer(&b),
                .ldb = 5,
                .beta = f64 ? (const void *)two64 : two32,
                .c = guarded_pointer(&c),
                .ldc = 5,
            };
            for (int j = 0; j < 3; ++j)
                apply(&x, &bad->changes[j]);
            check_outcome(call(&x), bad->status, context, bad->name, "subwave_matmul", __LINE__);
            /* Without a context nothing else counts. */
            x.context = NULL;
            check_outcome(call(&x), SUBWAVE_STATUS_INVALID_CONTEXT, NULL, "context",
                          "subwave_matmul without a context", __LINE__);
        }
    assert_ok(context, subwave_synchronize(context));
    assert_int_equal(guarded_changes(&a) + guarded_changes(&b) + guarded_changes(&c), 0);
    guarded_destroy(&a);
    guarded_destroy(&b);
    guarded_destroy(&c);
}

static void test_matmul(void **state)
{
    _Static_assert(COUNT(bad_cases) >= 80, "the table has lost cases");
    check_matmul(*state, bad_cases, COUNT(bad_cases));
    int refused = 0;
    for (size_t d = 0; d < COUNT(all_dtypes); ++d) {
        const bad_case unsupported = {"dtype", UNSUPPORTED, {SET(dtype, all_dtypes[d])}};
        if (IS_ONE_OF(matmul_dtypes, all_dtypes[d]))
            continue;
        check_matmul(*state, &unsupported, 1);
        ++refused;
    }
    assert_true(refused >= 7); /* all integers but I8 */
}

/* Sizes whose bytes exceed 63 bits, though each alone is fine. */
static void test_matmul_overflow(void **state)
{
    const float one = 1;
    const int64_t big = (int64_t)1 << 31;
    float cell = 7;
    guarded c = guarded_create(*state, &cell, sizeof cell);
    void *at = guarded_pointer(&c);
#define MATMUL(layout, m, n, k, lda, ldb, ldc) \
    subwave_matmul(*state, SUBWAVE_VARIANT_AUTO, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_##layout, \
                   SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, m, n, k, &one, at, lda, at, \
                   ldb, &one, at, ldc)
    CHECK(MATMUL(ROW_MAJOR, big, 1, 1, big, 1, 1), INVALID_SIZE, *state, "lda");
    CHECK(MATMUL(ROW_MAJOR, 1, 1, big, big, big, 1), INVALID_SIZE, *state, "ldb");
    CHECK(MATMUL(ROW_MAJOR, big, big, 1, 1, big, big), INVALID_SIZE, *state, "ldc");
    CHECK(MATMUL(COLUMN_MAJOR, 1, 1, big, big, big, 1), INVALID_SIZE, *state, "lda");
    CHECK(MATMUL(COLUMN_MAJOR, 1, big, 1, 1, big, 1), INVALID_SIZE, *state, "ldb");
    CHECK(MATMUL(COLUMN_MAJOR, big, big, 1, big, 1, big), INVALID_SIZE, *state, "ldc");
    CHECK(MATMUL(ROW_MAJOR, INT64_MAX, 1, 1, 1, 1, 1), INVALID_SIZE, *state, "lda");
    CHECK(MATMUL(COLUMN_MAJOR, 1, INT64_MAX, 1, 1, 1, 1), INVALID_SIZE, *state, "ldb");
    CHECK(MATMUL(ROW_MAJOR, 1, INT64_MAX, 1, 1, INT64_MAX, INT64_MAX), INVALID_SIZE, *state, "ldb");
    CHECK(MATMUL(COLUMN_MAJOR, INT64_MAX, 1, 1, INT64_MAX, 1, INT64_MAX), INVALID_SIZE, *state,
          "lda");
#undef MATMUL
    assert_int_equal(guarded_changes(&c), 0);
    guarded_destroy(&c);
}

/* --- subwave_group_* ------------------------------------------------------------------------- */

typedef struct group_arguments {
    subwave_context *context;
    int32_t dtype, op, scan, direction, vote, no_group;
    subwave_group group;
    int64_t n;
    const void *x, *id;
    void *y;
} group_arguments;
#undef SET
#undef ADD
#define SET(field, value) CHANGE(group_arguments, field, value, false)
#define ADD(field, value) CHANGE(group_arguments, field, value, true)
#define KIND(name) SET(group.kind, SUBWAVE_GROUP_##name)
#define DTYPE(name) SET(dtype, SUBWAVE_DTYPE_##name)
#define OP(name) SET(op, SUBWAVE_OP_##name)

enum {
    REDUCE = 1,
    SCAN = 2,
    BROADCAST = 4,
    SHIFT = 8,
    PERMUTE = 16,
    SELECT = 32,
    VOTE = 64,
    INFO = 128,
    ALL = 255,
    TYPED = ALL - VOTE - INFO,
    OPS = REDUCE + SCAN,
};

static subwave_status call_group(int function, const group_arguments *a)
{
    const subwave_group *group = a->no_group ? NULL : &a->group;
    const subwave_dtype dtype = (subwave_dtype)a->dtype;
    switch (function) {
    case REDUCE:
        return subwave_group_reduce(a->context, dtype, (subwave_op)a->op, group, a->n, NULL, a->x,
                                    a->y);
    case SCAN:
        return subwave_group_scan(a->context, dtype, (subwave_op)a->op, (subwave_scan_kind)a->scan,
                                  group, a->n, NULL, a->x, a->y);
    case BROADCAST:
        return subwave_group_broadcast(a->context, dtype, group, a->n, 0, a->x, a->y);
    case SHIFT:
        return subwave_group_shift(a->context, dtype, (subwave_shift)a->direction, group, a->n, 1,
                                   a->x, a->y);
    case PERMUTE:
        return subwave_group_permute(a->context, dtype, group, a->n, 1, a->x, a->y);
    case SELECT:
        return subwave_group_select(a->context, dtype, group, a->n, a->id, a->x, a->y);
    case VOTE:
        return subwave_group_vote(a->context, (subwave_vote)a->vote, group, a->n, a->x, a->y);
    default:
        return subwave_group_info(a->context, group, a->n, a->y);
    }
}

static const char *group_function(int function)
{
    return function == REDUCE      ? "subwave_group_reduce"
           : function == SCAN      ? "subwave_group_scan"
           : function == BROADCAST ? "subwave_group_broadcast"
           : function == SHIFT     ? "subwave_group_shift"
           : function == PERMUTE   ? "subwave_group_permute"
           : function == SELECT    ? "subwave_group_select"
           : function == VOTE      ? "subwave_group_vote"
                                   : "subwave_group_info";
}

/* Against sub-groups of blocks of 64 x 1 x 1, n = 128, f32, plus. */
static const struct bad_group {
    const char *name;
    subwave_status status;
    int functions;
    change changes[4];
} bad_groups[] = {
    {"dtype", VALUE, TYPED, {SET(dtype, 0)}},
    {"dtype", VALUE, TYPED, {SET(dtype, -1)}},
    {"dtype", VALUE, TYPED, {SET(dtype, GREATEST(SUBWAVE_DTYPE_LIST) + 1)}},
    {"dtype", UNSUPPORTED, OPS, {DTYPE(C32)}},
    {"dtype", UNSUPPORTED, OPS, {DTYPE(C64)}},
    {"op", VALUE, OPS, {SET(op, 0)}},
    {"op", VALUE, OPS, {SET(op, -1)}},
    {"op", VALUE, OPS, {SET(op, GREATEST(SUBWAVE_OP_LIST) + 1)}},
    {"op", UNSUPPORTED, OPS, {DTYPE(F16), OP(BIT_AND)}},
    {"op", UNSUPPORTED, OPS, {DTYPE(BF16), OP(BIT_OR)}},
    {"op", UNSUPPORTED, OPS, {DTYPE(F32), OP(BIT_XOR)}},
    {"op", UNSUPPORTED, OPS, {DTYPE(F64), OP(BIT_AND)}},
    {"scan", VALUE, SCAN, {SET(scan, 0)}},
    {"scan", VALUE, SCAN, {SET(scan, 3)}},
    {"direction", VALUE, SHIFT, {SET(direction, 0)}},
    {"direction", VALUE, SHIFT, {SET(direction, 3)}},
    {"vote", VALUE, VOTE, {SET(vote, 0)}},
    {"vote", VALUE, VOTE, {SET(vote, 4)}},
    {"group", POINTER, ALL, {SET(no_group, 1)}},
    {"group->kind", VALUE, ALL, {SET(group.kind, 0)}},
    {"group->kind", VALUE, ALL, {SET(group.kind, -1)}},
    {"group->kind", VALUE, ALL, {SET(group.kind, GREATEST(SUBWAVE_GROUP_LIST) + 1)}},
    {"n", SIZE, ALL, {SET(n, -1)}},
    {"n", SIZE, ALL, {SET(n, INT64_MIN)}},
    {"n", SIZE, ALL, {SET(n, 127)}},
    {"n", SIZE, ALL, {SET(n, 1)}},
    {"group->block[0]", SIZE, ALL, {SET(group.block[0], 0)}},
    {"group->block[1]", SIZE, ALL, {SET(group.block[1], 0)}},
    {"group->block[2]", SIZE, ALL, {SET(group.block[2], 0)}},
    {"group->block[0]", SIZE, ALL, {SET(group.block[0], -64)}},
    {"group->block[1]", SIZE, ALL, {SET(group.block[1], INT_MIN)}},
    {"group->block[2]", SIZE, ALL, {SET(group.block[2], -1)}},
    {"group->block[0]", SIZE, ALL, {SET(group.block[0], 1025)}},
    {"group->block[1]", SIZE, ALL, {SET(group.block[1], INT_MAX)}},
    {"group->block", SIZE, ALL, {SET(group.block[1], 17)}},
    {"group->block holds", SIZE, ALL, {SET(group.block[1], 17), SET(n, 64 * 17)}},
    {"group->block", SIZE, ALL, {SET(group.block[1], 1024), SET(group.block[2], 1024)}},
    {"group->block[2]", SIZE, ALL, {SET(group.block[0], 1), SET(group.block[2], 65)}},
    {"group->fixed_size", VALUE, ALL, {KIND(FIXED_SIZE), SET(group.fixed_size, 0)}},
    {"group->fixed_size", VALUE, ALL, {KIND(FIXED_SIZE), SET(group.fixed_size, 3)}},
    {"group->fixed_size", VALUE, ALL, {KIND(FIXED_SIZE), SET(group.fixed_size, -4)}},
    {"group->fixed_size", VALUE, ALL, {KIND(FIXED_SIZE), SET(group.fixed_size, INT_MIN)}},
    {"group->fixed_size", UNSUPPORTED, ALL, {KIND(FIXED_SIZE), SET(group.fixed_size, 128)}},
    {"group->fixed_size",
     SIZE,
     ALL,
     {KIND(FIXED_SIZE), SET(group.fixed_size, 4), SET(group.block[0], 70), SET(n, 70)}},
    {"group->branches", VALUE, ALL, {KIND(TANGLE), SET(group.branches, 0)}},
    {"group->branches", VALUE, ALL, {KIND(TANGLE), SET(group.branches, 65)}},
    {"group->branches", VALUE, ALL, {KIND(OPPORTUNISTIC), SET(group.branches, -1)}},
    {"group->branches", VALUE, ALL, {KIND(OPPORTUNISTIC), SET(group.branches, INT_MAX)}},
    {"group->predicate", POINTER, ALL, {KIND(BALLOT), SET(group.predicate, 0)}},
    {"group->key", POINTER, ALL, {KIND(TANGLE), SET(group.key, 0)}},
    {"group->key", POINTER, ALL, {KIND(OPPORTUNISTIC), SET(group.key, 0)}},
    {"group->key", POINTER, ALL, {KIND(TANGLE), ADD(group.key, 1)}},
    {"group->members", POINTER, ALL, {ADD(group.members, 4)}},
    {"x", POINTER, ALL - INFO, {SET(x, 0)}},
    {"x", POINTER, TYPED, {ADD(x, 2)}},
    {"x", POINTER, TYPED, {DTYPE(F64), ADD(x, 4)}},
    {"x", POINTER, TYPED, {DTYPE(F16), ADD(x, 1)}},
    {"y", POINTER, ALL - INFO, {SET(y, 0)}},
    {"y", POINTER, TYPED, {ADD(y, 2)}},
    {"y", POINTER, TYPED, {DTYPE(I64), ADD(y, 4)}},
    {"item", POINTER, INFO, {SET(y, 0)}},
    {"item", POINTER, INFO, {ADD(y, 2)}},
    {"id", POINTER, SELECT, {SET(id, 0)}},
    {"id", POINTER, SELECT, {ADD(id, 2)}},
    /* The order: types, then the group, then sizes, and pointers only where there is work. */
    {"dtype", VALUE, TYPED, {SET(dtype, 0), SET(no_group, 1), SET(n, -1)}},
    {"group->kind", VALUE, ALL, {SET(group.kind, 9), SET(n, -1), SET(group.block[0], 0)}},
    {"n", SIZE, ALL, {SET(n, -1), SET(group.block[0], 0), SET(x, 0)}},
    {"group->block[0]", SIZE, ALL, {SET(group.block[0], 0), SET(n, 0)}},
    {"group->branches", VALUE, ALL, {KIND(TANGLE), SET(group.branches, 0), SET(n, 0)}},
    {"group->predicate", POINTER, ALL, {KIND(BALLOT), SET(group.predicate, 0), SET(y, 0)}},
    {"", SUCCESS, ALL, {SET(n, 0), SET(x, 0), SET(y, 0), SET(id, 0)}},
    {"", SUCCESS, ALL, {SET(n, 0), KIND(BALLOT), SET(group.predicate, 0)}},
    {"", SUCCESS, ALL, {SET(n, 0), KIND(TANGLE), SET(group.key, 0)}},
};

static void test_groups(void **state)
{
    static char zeros[128 * sizeof(subwave_group_item)];
    guarded in = guarded_create(*state, zeros, sizeof zeros);
    guarded out = guarded_create(*state, zeros, sizeof zeros);
    guarded members = guarded_create(*state, zeros, 128 * sizeof(uint64_t));
    for (size_t i = 0; i < sizeof bad_groups / sizeof *bad_groups; ++i)
        for (int function = REDUCE; function <= INFO; function *= 2) {
            const struct bad_group *bad = &bad_groups[i];
            group_arguments x = {
                .context = *state,
                .dtype = SUBWAVE_DTYPE_F32,
                .op = SUBWAVE_OP_PLUS,
                .scan = SUBWAVE_SCAN_INCLUSIVE,
                .direction = SUBWAVE_SHIFT_LEFT,
                .vote = SUBWAVE_VOTE_ANY,
                .group = {.kind = SUBWAVE_GROUP_SUB_GROUP,
                          .block = {64, 1, 1},
                          .fixed_size = 4,
                          .branches = 2,
                          .predicate = guarded_pointer(&in),
                          .key = guarded_pointer(&in),
                          .members = guarded_pointer(&members)},
                .n = 128,
                .x = guarded_pointer(&in),
                .id = guarded_pointer(&in),
                .y = guarded_pointer(&out),
            };
            if (!(bad->functions & function))
                continue;
            for (int j = 0; j < 4; ++j)
                apply(&x, &bad->changes[j]);
            char title[64];
            snprintf(title, sizeof title, "%s, row %d", group_function(function), (int)i);
            check_outcome(call_group(function, &x), bad->status, *state, bad->name, title,
                          __LINE__);
            x.context = NULL;
            check_outcome(call_group(function, &x), SUBWAVE_STATUS_INVALID_CONTEXT, NULL, "context",
                          title, __LINE__);
        }
    assert_ok(*state, subwave_synchronize(*state));
    assert_int_equal(guarded_changes(&in) + guarded_changes(&out) + guarded_changes(&members), 0);
    guarded_destroy(&in);
    guarded_destroy(&out);
    guarded_destroy(&members);
}

/* --- devices and contexts -------------------------------------------------------------------- */

static void test_devices(void **state)
{
    (void)state;
    int count;
    assert_ok(NULL, subwave_device_count(&count));
    CHECK(subwave_device_count(NULL), INVALID_POINTER, NULL, "count");
    subwave_device_properties properties, before;
    memset(&properties, 0xa5, sizeof properties);
    before = properties;
    const int indices[] = {-1, count, count + 1, INT_MAX, INT_MIN};
    for (size_t i = 0; i < sizeof indices / sizeof *indices; ++i) {
        CHECK(subwave_device_info(indices[i], &properties), NO_DEVICE, NULL, "index");
        CHECK(subwave_device_info(indices[i], NULL), NO_DEVICE, NULL, "index");
    }
    for (int i = 0; i < count; ++i)
        CHECK(subwave_device_info(i, NULL), INVALID_POINTER, NULL, "properties");
    assert_memory_equal(&properties, &before, sizeof before);
}

/* Creates a context that must not come to be; `*context` is null afterwards. */
static subwave_status create_none(const char *device)
{
    subwave_context *context = (subwave_context *)&cases;
    const subwave_status status = subwave_context_create(&context, device);
    assert_null(context);
    return status;
}

static void test_device_names(void **state)
{
    (void)state;
    static const char *const nonsense[] = {
        "",        "nonsense", "cpu:",    "cpu:0",  "cpu:1", "cpu:5",    "cpu:-4",
        "cpu:064", "cpu:64 ",  " cpu:64", "CPU:64", "cpu64", "cpu:64:1", "cpu:4294967300",
        "gpu:",    "gpu:-1",   "gpu:x",   "gpu:1x", "GPU",   "tpu",      "cpu:64\n",
        "gpu: 0",  "0",        "gpu:0x0"};
    CHECK(subwave_context_create(NULL, "cpu"), INVALID_POINTER, NULL, "context");
    CHECK(subwave_context_create(NULL, "nonsense"), INVALID_POINTER, NULL, "context");
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; ++i)
        CHECK(create_none(nonsense[i]), INVALID_VALUE, NULL, "device");
    char endless[5000];
    memset(endless, 'x', sizeof endless);
    endless[sizeof endless - 1] = 0;
    CHECK(create_none(endless), INVALID_VALUE, NULL, "device");
    CHECK(create_none("gpu:99"), NO_DEVICE, NULL, "device");
    CHECK(create_none("gpu:2147483648"), NO_DEVICE, NULL, "device");
    CHECK(create_none("gpu:99999999999999999999999"), NO_DEVICE, NULL, "device");
    subwave_device_properties first;
    assert_ok(NULL, subwave_device_info(0, &first));
    if (strncmp(first.id, "gpu", 3) != 0) {
        CHECK(create_none("gpu"), NO_DEVICE, NULL, "device");
        CHECK(create_none("gpu:0"), NO_DEVICE, NULL, "device");
    }
}

static void test_environment(void **state)
{
    (void)state;
    static const struct {
        const char *device, *variable, *value, *second_variable, *second_value;
        subwave_status status;
    } rows[] = {
        {NULL, "SUBWAVE_DEVICE", "nonsense", NULL, NULL, VALUE},
        {NULL, "SUBWAVE_DEVICE", "cpu:5", NULL, NULL, VALUE},
        {NULL, "SUBWAVE_DEVICE", "gpu:99", NULL, NULL, SUBWAVE_STATUS_NO_DEVICE},
        {"cpu", "SUBWAVE_CPU_WAVE", "5", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_CPU_WAVE", "0", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_CPU_WAVE", "-64", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_CPU_WAVE", "64x", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_CPU_WAVE", "128", NULL, NULL, VALUE},
        {"cpu:8", "SUBWAVE_CPU_WAVE", "5", NULL, NULL, VALUE},
        {NULL, "SUBWAVE_CPU_WAVE", "5", "SUBWAVE_DEVICE", "cpu", VALUE},
        {"cpu", "SUBWAVE_CPU_THREADS", "0", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_CPU_THREADS", "-1", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_CPU_THREADS", "two", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_CPU_THREADS", "2 ", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_CPU_THREADS", "1000000000", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_CPU_SEED", "-1", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_CPU_SEED", "0x10", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_CPU_SEED", "18446744073709551616", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_CPU_CHECKED", "2", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_CPU_EXITED_OK", "yes", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_CPU_STACK_KB", "1", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_CPU_WATCHDOG_MS", "1.5", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_LOG", "4", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_LOG", "-1", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_LOG", "1 ", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_LOG", "trace", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_LOG", "99999999999999999999", NULL, NULL, VALUE},
        {"cpu", "SUBWAVE_LOG_FILE", "no-such-folder/file", "SUBWAVE_LOG", "1", VALUE},
        {"cpu", "SUBWAVE_LOG_FILE", ".", "SUBWAVE_LOG", "3", VALUE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        setenv(rows[i].variable, rows[i].value, 1);
        if (rows[i].second_variable)
            setenv(rows[i].second_variable, rows[i].second_value, 1);
        const subwave_status status = create_none(rows[i].device);
        unsetenv(rows[i].variable);
        if (rows[i].second_variable)
            unsetenv(rows[i].second_variable);
        check_outcome(status, rows[i].status, NULL, rows[i].variable, rows[i].value, __LINE__);
    }
}

static void test_contexts(void **state)
{
    subwave_context *none = NULL;
    subwave_device_properties properties, before;
    memset(&properties, 0xa5, sizeof properties);
    before = properties;
    void *stream = &properties;
    CHECK(subwave_context_destroy(NULL), SUCCESS, NULL, "");
    CHECK(subwave_context_destroy(&none), SUCCESS, NULL, "");
    CHECK(subwave_context_info(NULL, &properties), INVALID_CONTEXT, NULL, "context");
    CHECK(subwave_context_info(NULL, NULL), INVALID_CONTEXT, NULL, "context");
    CHECK(subwave_context_info(*state, NULL), INVALID_POINTER, *state, "properties");
    CHECK(subwave_synchronize(NULL), INVALID_CONTEXT, NULL, "context");
    CHECK(subwave_set_stream(NULL, NULL), INVALID_CONTEXT, NULL, "context");
    CHECK(subwave_get_stream(NULL, &stream), INVALID_CONTEXT, NULL, "context");
    CHECK(subwave_get_stream(*state, NULL), INVALID_POINTER, *state, "stream");
    assert_ptr_equal(stream, &properties);
    assert_memory_equal(&properties, &before, sizeof before);

    int64_t size = -7, own;
    assert_ok(*state, subwave_workspace_size(*state, &own));
    CHECK(subwave_workspace_size(NULL, &size), INVALID_CONTEXT, NULL, "context");
    CHECK(subwave_workspace_size(*state, NULL), INVALID_POINTER, *state, "bytes");
    CHECK(subwave_set_workspace(NULL, NULL, 0), INVALID_CONTEXT, NULL, "context");
    CHECK(subwave_set_workspace(*state, NULL, -1), INVALID_SIZE, *state, "bytes");
    CHECK(subwave_set_workspace(*state, NULL, 1), INVALID_POINTER, *state, "workspace");
    CHECK(subwave_set_workspace(*state, (void *)(uintptr_t)0x10080, 1), INVALID_POINTER, *state,
          "workspace");
    assert_int_equal(size, -7);
    assert_ok(*state, subwave_workspace_size(*state, &size));
    assert_int_equal(size, own);
}

static void test_streams(void **state)
{
    static const int bad_priorities[] = {0, -1, GREATEST(SUBWAVE_PRIORITY_LIST) + 1, INT_MAX,
                                         INT_MIN};
    void *own, *stream = &cases;
    assert_ok(*state, subwave_get_stream(*state, &own));
    for (size_t i = 0; i < COUNT(bad_priorities); ++i) {
        const subwave_priority priority = (subwave_priority)bad_priorities[i];
        CHECK(subwave_stream_create(NULL, &stream, priority), INVALID_CONTEXT, NULL, "context");
        CHECK(subwave_stream_create(*state, &stream, priority), INVALID_VALUE, *state, "priority");
        CHECK(subwave_stream_create(*state, NULL, priority), INVALID_VALUE, *state, "priority");
    }
    CHECK(subwave_stream_create(NULL, &stream, SUBWAVE_PRIORITY_NORMAL), INVALID_CONTEXT, NULL,
          "context");
    CHECK(subwave_stream_create(*state, NULL, SUBWAVE_PRIORITY_NORMAL), INVALID_POINTER, *state,
          "stream");
    assert_ptr_equal(stream, &cases);
    CHECK(subwave_stream_destroy(NULL, NULL), INVALID_CONTEXT, NULL, "context");
    CHECK(subwave_stream_destroy(NULL, own), INVALID_CONTEXT, NULL, "context");
    CHECK(subwave_stream_destroy(*state, own), INVALID_VALUE, *state, "stream");
    CHECK(subwave_stream_destroy(*state, NULL), SUCCESS, *state, "");
    if (harness_is_cpu(*state)) { /* a GPU's runtime would follow the pointer */
        CHECK(subwave_stream_destroy(*state, &own), UNSUPPORTED, *state, "stream");
        CHECK(subwave_set_stream(*state, &own), UNSUPPORTED, *state, "stream");
    }
    assert_ok(*state, subwave_get_stream(*state, &stream));
    assert_ptr_equal(stream, own);
}

static void test_events(void **state)
{
    subwave_context *other;
    subwave_event *const untouched = (subwave_event *)&cases;
    subwave_event *event = untouched, *foreign, *started;
    bool reached = false;
    double elapsed = -7;
    CHECK(subwave_event_create(NULL, &event), INVALID_CONTEXT, NULL, "context");
    CHECK(subwave_event_create(*state, NULL), INVALID_POINTER, *state, "event");
    assert_ptr_equal(event, untouched);
    assert_ok(NULL, subwave_context_create(&other, "cpu:4"));
    assert_ok(other, subwave_event_create(other, &foreign));
    assert_ok(other, subwave_event_record(other, foreign));
    assert_ok(*state, subwave_event_create(*state, &event));
    assert_ok(*state, subwave_event_create(*state, &started));
    assert_ok(*state, subwave_event_record(*state, started));

    CHECK(subwave_event_record(NULL, event), INVALID_CONTEXT, NULL, "context");
    CHECK(subwave_event_record(*state, NULL), INVALID_POINTER, *state, "event");
    CHECK(subwave_event_wait(NULL, event), INVALID_CONTEXT, NULL, "context");
    CHECK(subwave_event_wait(*state, NULL), INVALID_POINTER, *state, "event");
    CHECK(subwave_event_query(NULL, event, &reached), INVALID_CONTEXT, NULL, "context");
    CHECK(subwave_event_query(*state, NULL, &reached), INVALID_POINTER, *state, "event");
    CHECK(subwave_event_query(*state, event, NULL), INVALID_POINTER, *state, "reached");
    CHECK(subwave_event_synchronize(NULL, event), INVALID_CONTEXT, NULL, "context");
    CHECK(subwave_event_synchronize(*state, NULL), INVALID_POINTER, *state, "event");
    CHECK(subwave_event_elapsed(NULL, started, started, &elapsed), INVALID_CONTEXT, NULL,
          "context");
    CHECK(subwave_event_elapsed(*state, NULL, started, &elapsed), INVALID_POINTER, *state, "start");
    CHECK(subwave_event_elapsed(*state, started, NULL, &elapsed), INVALID_POINTER, *state, "stop");
    CHECK(subwave_event_elapsed(*state, event, started, &elapsed), INVALID_VALUE, *state, "start");
    CHECK(subwave_event_elapsed(*state, started, event, &elapsed), INVALID_VALUE, *state, "stop");
    CHECK(subwave_event_elapsed(*state, started, started, NULL), INVALID_POINTER, *state,
          "milliseconds");
    CHECK(subwave_event_destroy(NULL, event), INVALID_CONTEXT, NULL, "context");
    CHECK(subwave_event_destroy(NULL, NULL), INVALID_CONTEXT, NULL, "context");
    CHECK(subwave_event_destroy(*state, NULL), SUCCESS, *state, "");

    /* Another device's; also another wave size's. */
    subwave_device_properties own;
    assert_ok(*state, subwave_context_info(*state, &own));
    if (strcmp(own.id, "cpu:4") != 0) {
        CHECK(subwave_event_record(*state, foreign), INVALID_VALUE, *state, "event");
        CHECK(subwave_event_wait(*state, foreign), INVALID_VALUE, *state, "event");
        CHECK(subwave_event_query(*state, foreign, &reached), INVALID_VALUE, *state, "event");
        CHECK(subwave_event_synchronize(*state, foreign), INVALID_VALUE, *state, "event");
        CHECK(subwave_event_destroy(*state, foreign), INVALID_VALUE, *state, "event");
        CHECK(subwave_event_elapsed(*state, foreign, started, &elapsed), INVALID_VALUE, *state,
              "start");
        CHECK(subwave_event_elapsed(*state, started, foreign, &elapsed), INVALID_VALUE, *state,
              "stop");
    }
    assert_false(reached);
    assert_true(elapsed == -7);
    assert_ok(*state, subwave_event_destroy(*state, event));
    assert_ok(*state, subwave_event_destroy(*state, started));
    assert_ok(other, subwave_event_destroy(other, foreign));
    assert_ok(NULL, subwave_context_destroy(&other));
}

/* --- memory ---------------------------------------------------------------------------------- */

/* Of each way to allocate. */
static void check_allocation(subwave_context *context,
                             subwave_status (*allocate)(subwave_context *, void **, int64_t),
                             subwave_status (*release)(subwave_context *, void *), bool has_it)
{
    void *const untouched = &cases;
    void *pointer = untouched;
    CHECK(allocate(NULL, &pointer, 8), INVALID_CONTEXT, NULL, "context");
    CHECK(allocate(context, NULL, 8), INVALID_POINTER, context, "pointer");
    CHECK(allocate(context, NULL, 0), INVALID_POINTER, context, "pointer");
    CHECK(allocate(context, NULL, -1), INVALID_SIZE, context, "bytes");
    CHECK(allocate(context, &pointer, -1), INVALID_SIZE, context, "bytes");
    CHECK(allocate(context, &pointer, INT64_MIN), INVALID_SIZE, context, "bytes");
    if (has_it) {
        CHECK(allocate(context, &pointer, INT64_MAX), OUT_OF_MEMORY, context, "bytes");
        CHECK(allocate(context, &pointer, (int64_t)1 << 50), OUT_OF_MEMORY, context, "bytes");
    }
    assert_ptr_equal(pointer, untouched);
    CHECK(release(NULL, pointer), INVALID_CONTEXT, NULL, "context");
    CHECK(release(NULL, NULL), INVALID_CONTEXT, NULL, "context");
    CHECK(release(context, NULL), SUCCESS, context, "");
}

/* Of both ways to copy. */
static void check_copies(subwave_context *context, void *device)
{
    subwave_status (*const copies[])(subwave_context *, void *, const void *,
                                     int64_t) = {subwave_copy, subwave_copy_async};
    subwave_status (*const copies_2d[])(subwave_context *, void *, int64_t, const void *, int64_t,
                                        int64_t,
                                        int64_t) = {subwave_copy_2d, subwave_copy_2d_async};
    static char host[16];
    for (int i = 0; i < 2; ++i) {
        CHECK(copies[i](NULL, device, host, 4), INVALID_CONTEXT, NULL, "context");
        CHECK(copies[i](context, NULL, host, 4), INVALID_POINTER, context, "destination");
        CHECK(copies[i](context, device, NULL, 4), INVALID_POINTER, context, "source");
        CHECK(copies[i](context, NULL, NULL, 4), INVALID_POINTER, context, "destination");
        CHECK(copies[i](context, device, host, -1), INVALID_SIZE, context, "bytes");
        CHECK(copies[i](context, device, host, INT64_MIN), INVALID_SIZE, context, "bytes");
        CHECK(copies[i](context, NULL, NULL, 0), SUCCESS, context, "");
        CHECK(copies[i](context, device, NULL, 0), SUCCESS, context, "");
    }
    const int64_t far = INT64_MAX / 2 + 1;
    for (int i = 0; i < 2; ++i) {
        CHECK(copies_2d[i](NULL, device, 4, host, 4, 4, 2), INVALID_CONTEXT, NULL, "context");
        CHECK(copies_2d[i](context, device, 4, host, 4, -1, 2), INVALID_SIZE, context, "width");
        CHECK(copies_2d[i](context, device, 4, host, 4, 4, -1), INVALID_SIZE, context, "height");
        CHECK(copies_2d[i](context, device, 3, host, 3, 4, 2), INVALID_STRIDE, context,
              "destination_pitch");
        CHECK(copies_2d[i](context, device, 4, host, 3, 4, 2), INVALID_STRIDE, context,
              "source_pitch");
        CHECK(copies_2d[i](context, device, 4, host, -4, 4, 2), INVALID_STRIDE, context,
              "source_pitch");
        CHECK(copies_2d[i](context, device, 0, host, 1, 0, 2), INVALID_STRIDE, context,
              "destination_pitch");
        CHECK(copies_2d[i](context, device, far, host, 4, 4, 2), INVALID_SIZE, context,
              "destination_pitch");
        CHECK(copies_2d[i](context, device, 4, host, far, 4, 2), INVALID_SIZE, context,
              "source_pitch");
        CHECK(copies_2d[i](context, NULL, 4, host, 4, 4, 2), INVALID_POINTER, context,
              "destination");
        CHECK(copies_2d[i](context, device, 4, NULL, 4, 4, 2), INVALID_POINTER, context, "source");
        CHECK(copies_2d[i](context, NULL, 4, NULL, 4, 0, 2), SUCCESS, context, "");
        CHECK(copies_2d[i](context, NULL, 4, NULL, 4, 4, 0), SUCCESS, context, "");
    }
}

static void check_fill(subwave_context *context, void *device)
{
    static const int bad_dtypes[] = {0, -1, GREATEST(SUBWAVE_DTYPE_LIST) + 1, INT_MAX, INT_MIN};
    static const double value[2] = {1, 2};
    for (size_t i = 0; i < COUNT(bad_dtypes); ++i)
        CHECK(subwave_fill(context, (subwave_dtype)bad_dtypes[i], NULL, -1, NULL), INVALID_VALUE,
              context, "dtype");
    for (size_t d = 0; d < COUNT(all_dtypes); ++d) {
        const subwave_dtype dtype = all_dtypes[d];
        const int64_t size = (int64_t)subwave_dtype_size(dtype);
        CHECK(subwave_fill(NULL, dtype, value, 1, device), INVALID_CONTEXT, NULL, "context");
        CHECK(subwave_fill(context, dtype, value, -1, device), INVALID_SIZE, context, "n");
        CHECK(subwave_fill(context, dtype, value, INT64_MIN, device), INVALID_SIZE, context, "n");
        if (size > 1) {
            CHECK(subwave_fill(context, dtype, value, INT64_MAX / size + 1, device), INVALID_SIZE,
                  context, "n");
            CHECK(subwave_fill(context, dtype, value, 1, (char *)device + 1), INVALID_POINTER,
                  context, "x");
        }
        CHECK(subwave_fill(context, dtype, NULL, 1, device), INVALID_POINTER, context, "value");
        CHECK(subwave_fill(context, dtype, value, 1, NULL), INVALID_POINTER, context, "x");
        CHECK(subwave_fill(context, dtype, NULL, 0, NULL), SUCCESS, context, "");
    }
}

static void test_memory(void **state)
{
    void *pointer = NULL;
    const bool has_pools = subwave_malloc_async(*state, &pointer, 8) != SUBWAVE_STATUS_UNSUPPORTED;
    if (has_pools)
        assert_ok(*state, subwave_free_async(*state, pointer));
    check_allocation(*state, subwave_malloc, subwave_free, true);
    check_allocation(*state, subwave_malloc_host, subwave_free_host, true);
    check_allocation(*state, subwave_malloc_async, subwave_free_async, has_pools);

    int64_t unused = -7, total = -7;
    CHECK(subwave_memory_info(NULL, &unused, &total), INVALID_CONTEXT, NULL, "context");
    CHECK(subwave_memory_info(*state, NULL, &total), INVALID_POINTER, *state, "free_bytes");
    CHECK(subwave_memory_info(*state, &unused, NULL), INVALID_POINTER, *state, "total_bytes");
    assert_true(unused == -7 && total == -7);

    char host[16] = "fifteen letters";
    guarded memory = guarded_create(*state, host, sizeof host);
    void *device = guarded_pointer(&memory);
    check_copies(*state, device);
    check_fill(*state, device);
    assert_int_equal(guarded_changes(&memory), 0);
    guarded_destroy(&memory);
}

static void test_count(void **state)
{
    (void)state;
    print_message("%d cases\n", cases);
    assert_true(cases > 80 * 32);
    cases = 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matmul),       cmocka_unit_test(test_matmul_overflow),
        cmocka_unit_test(test_groups),       cmocka_unit_test(test_devices),
        cmocka_unit_test(test_device_names), cmocka_unit_test(test_environment),
        cmocka_unit_test(test_contexts),     cmocka_unit_test(test_streams),
        cmocka_unit_test(test_events),       cmocka_unit_test(test_memory),
        cmocka_unit_test(test_count),
    };
    return harness_run("bad arguments", tests, sizeof tests / sizeof *tests);
}
