/* SPDX-License-Identifier: MIT
 * fuzz_group.c: the subwave_group_* calls.
 */
#include "fuzz.h"

#include "../reference.h"
#include "../types.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ELEMENTS = 4096 };

typedef enum function {
    REDUCE,
    SCAN,
    BROADCAST,
    SHIFT,
    PERMUTE,
    SELECT,
    VOTE,
    INFO,
    FUNCTIONS
} function;
static const char *const function_names[FUNCTIONS] = {"reduce",  "scan",   "broadcast", "shift",
                                                      "permute", "select", "vote",      "info"};

/* The arguments, wrong ones too. */
typedef struct group_call {
    subwave_context *handle;
    function function;
    int32_t dtype, op, scan, direction, vote;
    subwave_group group;
    bool no_group;
    int64_t n;
    uint32_t amount;
    const void *init, *x, *id;
    void *y;

    /* What is in memory. */
    bool in_place, exact; /* sums of floats are exact */
    int64_t items;
    fuzz_memory *on_x, *on_y, *on_id, *on_key, *on_predicate, *on_members, *on_init;
    uint64_t mask[MOST_ELEMENTS]; /* the members of each one's group; 0: it takes no branch */
    bool unknown;                 /* opportunistic groups that nobody tells */
} group_call;

static bool is_arithmetic(const group_call *g) { return g->function <= SCAN; }
static bool is_typed(const group_call *g) { return g->function <= SELECT; }
static bool has_branches(const group_call *g)
{
    return g->group.kind == SUBWAVE_GROUP_TANGLE || g->group.kind == SUBWAVE_GROUP_OPPORTUNISTIC;
}
static size_t x_size(const group_call *g)
{
    return is_typed(g) ? subwave_dtype_size((subwave_dtype)g->dtype) : 1;
}
static size_t y_size(const group_call *g)
{
    return g->function == INFO ? sizeof(subwave_group_item) : x_size(g);
}

/* --- right arguments ------------------------------------------------------------------------- */

/* One to three dimensions, of which the last may be any. */
static void choose_block(fuzz *f, group_call *g)
{
    const int32_t most_items = fuzz_one_in(f, 12)  ? f->device.max_block_size
                               : fuzz_one_in(f, 3) ? 160
                                                   : 70;
    const int64_t most = most_items < MOST_ELEMENTS ? most_items : MOST_ELEMENTS;
    int64_t left = fuzz_one_in(f, 3) ? most : fuzz_between(f, 1, most);
    int32_t *block = g->group.block;
    for (int64_t i = 0, first = fuzz_between(f, 0, 2); i < 3; ++i) {
        const int dimension = (int)((first + i) % 3);
        int64_t size = fuzz_one_in(f, 2) ? fuzz_between(f, 1, left) : fuzz_one_in(f, 2) ? 1 : left;
        if (fuzz_one_in(f, 3)) /* a power of two */
            while (size & (size - 1))
                size &= size - 1;
        if (dimension == 2 && size > 64)
            size = 64;
        block[dimension] = (int32_t)size;
        left /= size;
    }
    g->items = (int64_t)block[0] * block[1] * block[2];
    const int64_t blocks = fuzz_one_in(f, 20) ? 0 : fuzz_between(f, 1, fuzz_one_in(f, 4) ? 40 : 4);
    g->n = g->items * (blocks * g->items > MOST_ELEMENTS ? MOST_ELEMENTS / g->items : blocks);
}

static void choose_kind(fuzz *f, group_call *g)
{
    static const int32_t counts[] = {1, 2, 3, 7, 64};
    const int wave = f->device.sub_group_sizes[0];
    g->group.kind = FUZZ_PICK(f, all_kinds);
    g->group.branches = fuzz_one_in(f, 2) ? FUZZ_PICK(f, counts) : (int32_t)fuzz_between(f, 1, 64);
    g->group.fixed_size = 1;
    while (2 * g->group.fixed_size <= wave && g->items % wave % (2 * g->group.fixed_size) == 0 &&
           !fuzz_one_in(f, 4))
        g->group.fixed_size *= 2;
    if (g->group.kind != SUBWAVE_GROUP_FIXED_SIZE && fuzz_one_in(f, 2))
        g->group.fixed_size = (int32_t)fuzz_bits(f); /* not looked at */
    if (!has_branches(g) && fuzz_one_in(f, 2))
        g->group.branches = (int32_t)fuzz_bits(f);
}

static void choose_function(fuzz *f, group_call *g)
{
    const int wave = f->device.sub_group_sizes[0];
    const uint32_t amounts[] = {0, 1, (uint32_t)wave - 1, UINT32_MAX, 1u << 31, (uint32_t)wave};
    g->function = fuzz_one_in(f, 3) ? REDUCE : (function)fuzz_between(f, SCAN, INFO);
    g->op = (int32_t)FUZZ_PICK(f, all_ops);
    do
        g->dtype = (int32_t)FUZZ_PICK(f, all_dtypes);
    while (is_arithmetic(g) && !reference_has_op((subwave_dtype)g->dtype, (subwave_op)g->op));
    g->scan = (int32_t)fuzz_between(f, 1, 2);
    g->direction = (int32_t)fuzz_between(f, 1, 2);
    g->vote = (int32_t)fuzz_between(f, 1, 3);
    g->amount = fuzz_one_in(f, 4) ? FUZZ_PICK(f, amounts) : (uint32_t)fuzz_between(f, 0, wave - 1);
    /* 64 numbers to 3, and an init, have sums of 8 bits. */
    g->exact = reference_fraction((subwave_dtype)g->dtype) >= 7 && !fuzz_one_in(f, 4);
}

/* --- data ------------------------------------------------------------------------------------ */

/* Sums and products of a wave of exact ones are exact in every order: multiplication has
 * no zeros, and what exceeds a type is infinite in every order. */
static double random_float(fuzz *f, const group_call *g)
{
    static const double special[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0, 65504, -3.0e38, 1e-7};
    const double sign = fuzz_one_in(f, 2) ? -1 : 1;
    if (g->op == SUBWAVE_OP_LOGICAL_AND || g->op == SUBWAVE_OP_LOGICAL_OR) {
        const bool rare = fuzz_one_in(f, 32);
        return rare == (g->op == SUBWAVE_OP_LOGICAL_AND) ? 0 : sign;
    }
    if (g->exact)
        return g->op != SUBWAVE_OP_MULTIPLIES ? (double)fuzz_between(f, -3, 3)
               : fuzz_one_in(f, 8)            ? 2 * sign
                                              : sign;
    if (fuzz_one_in(f, 24))
        return FUZZ_PICK(f, special);
    const int64_t exponent =
        g->op == SUBWAVE_OP_MULTIPLIES ? fuzz_between(f, -1, 0) : fuzz_between(f, -9, 6);
    return sign * ldexp(1 + fabs(fuzz_sign(f)), (int)exponent);
}

/* Of which a wave of others leaves something: mostly odd factors, few empty sets. */
static uint64_t random_element(fuzz *f, const group_call *g)
{
    const uint64_t bits = fuzz_bits(f);
    if (reference_is_floating((subwave_dtype)g->dtype))
        return reference_encode((subwave_dtype)g->dtype, random_float(f, g));
    switch (g->op) {
    case SUBWAVE_OP_MULTIPLIES:
        return bits % 16 ? bits | 1 : bits;
    case SUBWAVE_OP_BIT_AND:
        return bits | fuzz_bits(f) | fuzz_bits(f);
    case SUBWAVE_OP_BIT_OR:
        return bits & fuzz_bits(f) & fuzz_bits(f);
    case SUBWAVE_OP_LOGICAL_AND:
        return bits % 32 ? bits | 1 : 0;
    case SUBWAVE_OP_LOGICAL_OR:
        return bits % 32 ? 0 : bits | 1;
    default:
        return bits;
    }
}

static void fill_x(fuzz *f, group_call *g)
{
    const int64_t density = fuzz_between(f, 1, 40);
    for (int64_t i = 0; i < g->n; ++i)
        if (is_arithmetic(g))
            reference_store((subwave_dtype)g->dtype, g->on_x->contents, i, random_element(f, g));
        else if (g->function == VOTE)
            g->on_x->contents[i] =
                fuzz_between(f, 0, 40) < density ? (uint8_t)fuzz_between(f, 1, 255) : 0;
        else
            for (size_t byte = 0; byte < x_size(g); ++byte)
                g->on_x->contents[(size_t)i * x_size(g) + byte] = (unsigned char)fuzz_bits(f);
}

static void fill_choices(fuzz *f, group_call *g)
{
    const int wave = f->device.sub_group_sizes[0];
    const int64_t density = fuzz_between(f, 0, 8);
    const bool by_lane = fuzz_one_in(f, 4);
    uint8_t *predicate = g->on_predicate->contents;
    for (int64_t i = 0; i < g->n; ++i) {
        const uint32_t far[] = {(uint32_t)wave, 1u << 31, UINT32_MAX, (uint32_t)fuzz_bits(f)};
        const uint32_t id =
            fuzz_one_in(f, 8) ? FUZZ_PICK(f, far) : (uint32_t)fuzz_between(f, 0, wave - 1);
        const int32_t nowhere[] = {-1, g->group.branches, INT32_MIN, INT32_MAX};
        const int64_t branches = has_branches(g) ? g->group.branches : 1;
        const int32_t key = fuzz_one_in(f, 8) ? FUZZ_PICK(f, nowhere)
                            : by_lane         ? (int32_t)(i % branches)
                                              : (int32_t)fuzz_between(f, 0, branches - 1);
        predicate[i] = (by_lane ? i % 9 < density : fuzz_between(f, 0, 7) < density)
                           ? (uint8_t)fuzz_between(f, 1, 255)
                           : 0;
        memcpy(g->on_id->contents + i * 4, &id, sizeof id);
        memcpy(g->on_key->contents + i * 4, &key, sizeof key);
    }
}

/* Which of the arguments' memory is there; what a call does not look at is anything. */
static void choose_memory(fuzz *f, group_call *g, const fuzz_context *context)
{
    const size_t n = (size_t)g->n;
    g->on_x = fuzz_take(f, FUZZ_DEVICE, "x", n * x_size(g), x_size(g));
    g->on_id = fuzz_take(f, FUZZ_DEVICE, "id", n * sizeof(uint32_t), sizeof(uint32_t));
    g->on_key = fuzz_take(f, FUZZ_DEVICE, "group->key", n * sizeof(int32_t), sizeof(int32_t));
    g->on_predicate = fuzz_take(f, FUZZ_DEVICE, "group->predicate", n, 1);
    g->on_members =
        fuzz_take(f, FUZZ_DEVICE, "group->members", n * sizeof(uint64_t), sizeof(uint64_t));
    g->on_y = g->in_place
                  ? g->on_x
                  : fuzz_take(f, FUZZ_DEVICE, g->function == INFO ? "item" : "y", n * y_size(g),
                              g->function == INFO ? sizeof(uint32_t) : y_size(g));
    fill_x(f, g);
    fill_choices(f, g);
    g->x = g->on_x->pointer;
    g->y = g->on_y->pointer;
    g->id = g->on_id->pointer;
    g->group.predicate =
        g->group.kind == SUBWAVE_GROUP_BALLOT ? g->on_predicate->pointer : fuzz_nowhere(f);
    g->group.key = has_branches(g) ? (const int32_t *)g->on_key->pointer : fuzz_nowhere(f);
    g->group.members = fuzz_one_in(f, 4) ? NULL : (uint64_t *)g->on_members->pointer;
    g->unknown =
        g->group.kind == SUBWAVE_GROUP_OPPORTUNISTIC && !g->group.members && !context->ascending;
    if (is_arithmetic(g) && fuzz_one_in(f, 2)) {
        const uint64_t init = random_element(f, g);
        g->on_init = fuzz_put(f, FUZZ_HOST, "init", &init, x_size(g), x_size(g));
        g->init = g->on_init->pointer;
    }
    if (g->n == 0) { /* no pointer is looked at, not even to find it misaligned */
        g->x = fuzz_nowhere(f);
        g->y = fuzz_nowhere(f);
        g->id = fuzz_nowhere(f);
        g->group.predicate = fuzz_nowhere(f);
        g->group.key = fuzz_nowhere(f);
        g->group.members = fuzz_nowhere(f);
    }
}

/* --- wrong arguments ------------------------------------------------------------------------- */

#define VALUE SUBWAVE_STATUS_INVALID_VALUE
#define UNSUPPORTED SUBWAVE_STATUS_UNSUPPORTED
#define SIZE SUBWAVE_STATUS_INVALID_SIZE
#define POINTER SUBWAVE_STATUS_INVALID_POINTER

static bool spoil_choice(fuzz *f, group_call *g, fuzz_expected *e)
{
    switch (fuzz_between(f, 0, 6)) {
    case 0:
        if (!is_typed(g))
            return false;
        g->dtype = fuzz_outside(f, 1, GREATEST(SUBWAVE_DTYPE_LIST));
        fuzz_wrong(e, VALUE, "dtype");
        return true;
    case 1:
        if (!is_arithmetic(g))
            return false;
        do
            g->dtype = (int32_t)FUZZ_PICK(f, all_dtypes);
        while (IS_ONE_OF(number_dtypes, (subwave_dtype)g->dtype));
        fuzz_wrong(e, UNSUPPORTED, "dtype");
        return true;
    case 2:
        if (!is_arithmetic(g))
            return false;
        g->op = fuzz_outside(f, 1, GREATEST(SUBWAVE_OP_LIST));
        fuzz_wrong(e, VALUE, "op");
        return true;
    case 3:
        if (!is_arithmetic(g) || !reference_is_floating((subwave_dtype)g->dtype))
            return false;
        do
            g->op = (int32_t)FUZZ_PICK(f, all_ops);
        while (reference_has_op((subwave_dtype)g->dtype, (subwave_op)g->op));
        fuzz_wrong(e, UNSUPPORTED, "op");
        return true;
    case 4:
        g->scan = g->direction = g->vote = fuzz_outside(f, 1, 3);
        if (g->function != SCAN && g->function != SHIFT && g->function != VOTE)
            return false;
        fuzz_wrong(e, VALUE,
                   g->function == SCAN    ? "scan"
                   : g->function == SHIFT ? "direction"
                                          : "vote");
        return true;
    case 5:
        g->group.kind = (subwave_group_kind)fuzz_outside(f, 1, GREATEST(SUBWAVE_GROUP_LIST));
        fuzz_wrong(e, VALUE, "group->kind");
        return true;
    default:
        g->no_group = true;
        fuzz_wrong(e, POINTER, "group");
        return true;
    }
}

static bool spoil_size(fuzz *f, group_call *g, fuzz_expected *e)
{
    static const char *const names[] = {"group->block[0]", "group->block[1]", "group->block[2]"};
    const int32_t most = f->device.max_block_size, wave = f->device.sub_group_sizes[0];
    const int32_t beyond[] = {0, -1, INT32_MIN, most + 1, INT32_MAX, -(int32_t)g->items};
    const int64_t negative[] = {-1, INT64_MIN, -g->items, g->n < 0 ? -2 : -g->n - 1};
    const int dimension = (int)fuzz_between(f, 0, 2);
    switch (fuzz_between(f, 0, 7)) {
    case 0:
        g->n = FUZZ_PICK(f, negative);
        fuzz_wrong(e, SIZE, "n");
        return true;
    case 1:
        if (g->items < 2 || g->n < 0 || g->n % g->items)
            return false;
        g->n += fuzz_between(f, 1, g->items - 1);
        fuzz_wrong(e, SIZE, "n");
        return true;
    case 2:
        g->group.block[dimension] = FUZZ_PICK(f, beyond);
        fuzz_wrong(e, SIZE, names[dimension]);
        return true;
    case 3: /* each fine, their product not */
        g->group.block[0] = (int32_t)fuzz_between(f, 33, most);
        g->group.block[1] = (int32_t)fuzz_between(f, most / 33 + 1, most);
        fuzz_wrong(e, SIZE, "group->block");
        return true;
    case 4:
        g->group.block[0] = g->group.block[1] = 1;
        g->group.block[2] = (int32_t)fuzz_between(f, 65, most);
        fuzz_wrong(e, SIZE, "group->block[2]");
        return true;
    case 5: { /* no power of two, or too large */
        const int32_t odd[] = {0, -1, -4, 3, wave - 1, wave + 1, INT32_MAX, INT32_MIN};
        g->group.kind = SUBWAVE_GROUP_FIXED_SIZE;
        g->group.fixed_size =
            fuzz_one_in(f, 3) ? wave << fuzz_between(f, 1, 20) : FUZZ_PICK(f, odd);
        const bool is_power =
            g->group.fixed_size > 0 && (g->group.fixed_size & (g->group.fixed_size - 1)) == 0;
        fuzz_wrong(e, is_power ? UNSUPPORTED : VALUE, "group->fixed_size");
        return true;
    }
    case 6:
        g->group.kind = SUBWAVE_GROUP_FIXED_SIZE;
        g->group.fixed_size = wave >> fuzz_between(f, 0, 2);
        if (g->items % wave % g->group.fixed_size == 0)
            return false;
        fuzz_wrong(e, SIZE, "group->fixed_size");
        return true;
    default:
        g->group.kind = fuzz_one_in(f, 2) ? SUBWAVE_GROUP_TANGLE : SUBWAVE_GROUP_OPPORTUNISTIC;
        g->group.branches = fuzz_outside(f, 1, 64);
        fuzz_wrong(e, VALUE, "group->branches");
        return true;
    }
}

/* By less than a component of the element, which no type's alignment is below. Twice might be
 * aligned again. */
static bool misalign(fuzz *f, const void **pointer, size_t component)
{
    if (component < 2 || !*pointer || (uintptr_t)*pointer % component)
        return false;
    *pointer = (const char *)*pointer + fuzz_between(f, 1, (int64_t)component - 1);
    return true;
}

static bool spoil_pointer(fuzz *f, group_call *g, fuzz_expected *e)
{
    const bool is_null = fuzz_one_in(f, 2);
    const size_t component = g->function == INFO ? sizeof(uint32_t)
                             : !is_typed(g)
                                 ? 1
                                 : subwave_dtype_size(reference_part((subwave_dtype)g->dtype));
    const void *pointer;
    if (g->n <= 0)
        return false;
    switch (fuzz_between(f, 0, 5)) {
    case 0:
        if (g->function == INFO || (!is_null && !misalign(f, &g->x, component)))
            return false;
        g->x = is_null ? NULL : g->x;
        fuzz_wrong(e, POINTER, "x");
        return true;
    case 1:
        pointer = g->y;
        if (!is_null && !misalign(f, &pointer, component))
            return false;
        g->y = is_null ? NULL : (char *)g->y + ((const char *)pointer - (const char *)g->y);
        fuzz_wrong(e, POINTER, g->function == INFO ? "item" : "y");
        return true;
    case 2:
        if (g->function != SELECT || (!is_null && !misalign(f, &g->id, sizeof(uint32_t))))
            return false;
        g->id = is_null ? NULL : g->id;
        fuzz_wrong(e, POINTER, "id");
        return true;
    case 3:
        g->group.kind = SUBWAVE_GROUP_BALLOT;
        g->group.predicate = NULL;
        fuzz_wrong(e, POINTER, "group->predicate");
        return true;
    case 4:
        pointer = g->on_key->pointer;
        if (!has_branches(g))
            return false;
        if (!is_null && !misalign(f, &pointer, sizeof(int32_t)))
            return false;
        g->group.key = is_null ? NULL : (const int32_t *)pointer;
        fuzz_wrong(e, POINTER, "group->key");
        return true;
    default:
        if (!g->group.members)
            return false;
        g->group.members = (uint64_t *)(g->on_members->pointer + fuzz_between(f, 1, 7));
        fuzz_wrong(e, POINTER, "group->members");
        return true;
    }
}

static void spoil(fuzz *f, group_call *g, fuzz_expected *e)
{
    const group_call right = *g;
    if (fuzz_one_in(f, 12)) {
        g->handle = fuzz_no_context(e);
        return;
    }
    for (;;) {
        const int64_t kind = fuzz_between(f, 0, 2);
        if (kind == 0   ? spoil_choice(f, g, e)
            : kind == 1 ? spoil_size(f, g, e)
                        : spoil_pointer(f, g, e))
            return;
        *g = right;
    }
}

/* --- what must come out ---------------------------------------------------------------------- */

static int64_t wave_start(const fuzz *f, const group_call *g, int64_t i)
{
    return i - i % g->items % f->device.sub_group_sizes[0];
}

static int wave_items(const fuzz *f, const group_call *g, int64_t start)
{
    const int64_t left = g->items - start % g->items, wave = f->device.sub_group_sizes[0];
    return (int)(left < wave ? left : wave);
}

static int32_t key_of(const group_call *g, int64_t i)
{
    int32_t key;
    memcpy(&key, g->on_key->contents + i * 4, sizeof key);
    return key;
}

/* A number that the elements of a sub-group share if and only if they share a group; -1: no
 * group. */
static int32_t group_number(const group_call *g, int64_t i, int lane)
{
    switch (g->group.kind) {
    case SUBWAVE_GROUP_SUB_GROUP:
        return 0;
    case SUBWAVE_GROUP_BALLOT:
        return g->on_predicate->contents[i] ? 0 : 1;
    case SUBWAVE_GROUP_FIXED_SIZE:
        return lane / g->group.fixed_size;
    default:
        return key_of(g, i) < g->group.branches && key_of(g, i) >= 0 ? key_of(g, i) : -1;
    }
}

static void form_groups(const fuzz *f, group_call *g)
{
    for (int64_t start = 0; start < g->n; start += wave_items(f, g, start)) {
        const int lanes = wave_items(f, g, start);
        int32_t number[64];
        for (int lane = 0; lane < lanes; ++lane)
            number[lane] = group_number(g, start + lane, lane);
        for (int lane = 0; lane < lanes; ++lane) {
            uint64_t *mask = &g->mask[start + lane];
            *mask = 0;
            for (int other = 0; other < lanes && number[lane] >= 0; ++other)
                *mask |= (uint64_t)(number[other] == number[lane]) << other;
        }
    }
}

/* An opportunistic group is any part of those that take the branch, and its members agree on it. */
static void take_members(fuzz *f, group_call *g)
{
    const unsigned char *now = fuzz_now(f, g->on_members);
    uint64_t got[MOST_ELEMENTS];
    memcpy(got, now, (size_t)g->n * sizeof *got);
    for (int64_t i = 0; i < g->n; ++i) {
        const int64_t start = wave_start(f, g, i);
        bool right =
            g->mask[i] == 0 || ((got[i] & ~g->mask[i]) == 0 && (got[i] >> (i - start) & 1));
        for (int lane = 0; lane < wave_items(f, g, start) && right && g->mask[i]; ++lane)
            right = !(got[i] >> lane & 1) || got[start + lane] == got[i];
        if (!right)
            fuzz_fail(f,
                      "the members of work-item %" PRId64 " are %" PRIx64 ", of %" PRIx64
                      " that take its branch",
                      i, got[i], g->mask[i]);
    }
    for (int64_t i = 0; i < g->n; ++i)
        if (g->mask[i])
            g->mask[i] = got[i];
}

/* The lanes of a set in order; returns how many. */
static int list_lanes(uint64_t lanes, int *list)
{
    int count = 0;
    for (int lane = 0; lane < 64; ++lane)
        if (lanes >> lane & 1)
            list[count++] = lane;
    return count;
}

/* Integers and exact floats by a plain loop, others in the promised order. */
static void expect_arithmetic(const group_call *g, const unsigned char *x, uint64_t lanes,
                              unsigned char *y)
{
    const subwave_dtype dtype = (subwave_dtype)g->dtype;
    const subwave_op op = (subwave_op)g->op;
    const bool in_order = reference_is_floating(dtype) && !g->exact;
    const uint64_t init = g->init ? reference_load(dtype, g->on_init->contents, 0) : 0;
    int lane[64];
    const int size = list_lanes(lanes, lane);
    uint64_t value[64], before[64];
    for (int r = 0; r < size; ++r)
        value[lane[r]] = reference_load(dtype, x, lane[r]);
    if (g->function == REDUCE && in_order) {
        const uint64_t sum = reference_reduce(dtype, op, lanes, value);
        for (int r = 0; r < size; ++r)
            reference_store(dtype, y, lane[r],
                            g->init ? reference_combine(dtype, op, init, sum) : sum);
        return;
    }
    if (g->init)
        value[lane[0]] = reference_combine(dtype, op, init, value[lane[0]]);
    if (in_order)
        reference_scan(dtype, op, lanes, value);
    else
        for (int r = 1; r < size; ++r)
            value[lane[r]] = reference_combine(dtype, op, value[lane[r - 1]], value[lane[r]]);
    before[0] = g->init ? init : reference_identity(dtype, op);
    for (int r = 1; r < size; ++r)
        before[r] = value[lane[r - 1]];
    for (int r = 0; r < size; ++r)
        reference_store(dtype, y, lane[r],
                        g->function == REDUCE               ? value[lane[size - 1]]
                        : g->scan == SUBWAVE_SCAN_INCLUSIVE ? value[lane[r]]
                                                            : before[r]);
}

static void expect_move(const group_call *g, const unsigned char *x, const unsigned char *ids,
                        uint64_t lanes, unsigned char *y)
{
    int lane[64];
    const int64_t size = list_lanes(lanes, lane), amount = g->amount;
    const size_t bytes = x_size(g);
    for (int64_t r = 0; r < size; ++r) {
        uint32_t id;
        memcpy(&id, ids + lane[r] * 4, sizeof id);
        const int64_t from = g->function == BROADCAST             ? amount
                             : g->function == PERMUTE             ? r ^ amount
                             : g->function == SELECT              ? (int64_t)id
                             : g->direction == SUBWAVE_SHIFT_LEFT ? r + amount
                                                                  : r - amount;
        const int source = lane[from >= 0 && from < size ? from : r];
        memcpy(y + (size_t)lane[r] * bytes, x + (size_t)source * bytes, bytes);
    }
}

static void expect_vote(const group_call *g, const unsigned char *x, uint64_t lanes,
                        unsigned char *y)
{
    int lane[64], yes = 0;
    const int size = list_lanes(lanes, lane);
    for (int r = 0; r < size; ++r)
        yes += x[lane[r]] != 0;
    for (int r = 0; r < size; ++r)
        y[lane[r]] = g->vote == SUBWAVE_VOTE_ANY   ? yes > 0
                     : g->vote == SUBWAVE_VOTE_ALL ? yes == size
                                                   : yes == 0;
}

static void expect_info(const fuzz *f, const group_call *g, int64_t start, uint64_t lanes,
                        unsigned char *y)
{
    int lane[64];
    const int size = list_lanes(lanes, lane), wave = f->device.sub_group_sizes[0];
    for (int r = 0; r < size; ++r) {
        subwave_group_item item = {.group_range = 1,
                                   .local_id = (uint32_t)r,
                                   .local_range = (uint32_t)size,
                                   .leader = r == 0,
                                   .sub_group_id = (uint32_t)(start % g->items / wave),
                                   .sub_group_range = (uint32_t)((g->items + wave - 1) / wave),
                                   .lane = (uint32_t)lane[r]};
        if (g->group.kind == SUBWAVE_GROUP_SUB_GROUP) {
            item.group_id = item.sub_group_id;
            item.group_range = item.sub_group_range;
        } else if (!has_branches(g)) {
            const bool fixed = g->group.kind == SUBWAVE_GROUP_FIXED_SIZE;
            item.group_id = (uint32_t)group_number(g, start + lane[r], lane[r]);
            item.group_range =
                fixed ? (uint32_t)(wave_items(f, g, start) / g->group.fixed_size) : 2;
        }
        memcpy(y + (size_t)lane[r] * sizeof item, &item, sizeof item);
    }
}

/* Puts into y's and the members' images what they must hold. */
static void expect(fuzz *f, group_call *g)
{
    unsigned char x[MOST_ELEMENTS * 16], now[MOST_ELEMENTS * sizeof(subwave_group_item)];
    memcpy(x, g->on_x->contents, (size_t)g->n * x_size(g)); /* y may be x */
    memcpy(now, fuzz_now(f, g->on_y), (size_t)g->n * y_size(g));
    for (int64_t i = 0; i < g->n; ++i) {
        const int64_t start = wave_start(f, g, i);
        const uint64_t lanes = g->mask[i], below = ((uint64_t)1 << (i - start)) - 1;
        const unsigned char *from = x + (size_t)start * x_size(g);
        unsigned char *to = g->on_y->contents + (size_t)start * y_size(g);
        if (lanes && g->group.members)
            memcpy(g->on_members->contents + (size_t)i * sizeof lanes, &lanes, sizeof lanes);
        if (lanes && g->unknown)
            memcpy(to + (size_t)(i - start) * y_size(g), now + (size_t)i * y_size(g), y_size(g));
        else if (!lanes || lanes & below)
            continue; /* a group is worked out at its first lane */
        else if (is_arithmetic(g))
            expect_arithmetic(g, from, lanes, to);
        else if (g->function == VOTE)
            expect_vote(g, from, lanes, to);
        else if (g->function == INFO)
            expect_info(f, g, start, lanes, to);
        else
            expect_move(g, from, g->on_id->contents + start * 4, lanes, to);
    }
    for (int64_t i = 0; is_arithmetic(g) && i < g->n; ++i) { /* one NaN is as good as another */
        const subwave_dtype dtype = (subwave_dtype)g->dtype;
        const uint64_t is = reference_load(dtype, now, i);
        if (g->mask[i] && reference_same(dtype, is, reference_load(dtype, g->on_y->contents, i)))
            reference_store(dtype, g->on_y->contents, i, is);
    }
}

/* --- the call -------------------------------------------------------------------------------- */

static void say(fuzz *f, const group_call *g)
{
    const subwave_group *p = &g->group;
    char special[80] = "";
    switch (g->function) {
    case REDUCE:
    case SCAN:
        snprintf(special, sizeof special, " op=%s(%d) scan=%d init=%p",
                 subwave_op_name((subwave_op)g->op), g->op, g->scan, g->init);
        break;
    case SELECT:
        snprintf(special, sizeof special, " id=%p", g->id);
        break;
    case VOTE:
        snprintf(special, sizeof special, " vote=%d", g->vote);
        break;
    case INFO:
        break;
    default:
        snprintf(special, sizeof special, " direction=%d amount=%" PRIu32, g->direction, g->amount);
    }
    fuzz_words(
        f,
        "subwave_group_%s(context=%p dtype=%s(%d)%s group=%s kind=%s(%d) block=%d,%d,%d fixed_size=%d "
        "branches=%d predicate=%p key=%p members=%p n=%" PRId64 " x=%p y=%p)",
        function_names[g->function], (void *)g->handle, subwave_dtype_name((subwave_dtype)g->dtype),
        g->dtype, special, g->no_group ? "null" : "given", subwave_group_kind_name(p->kind),
        (int)p->kind, p->block[0], p->block[1], p->block[2], p->fixed_size, p->branches,
        (const void *)p->predicate, (const void *)p->key, (void *)p->members, g->n, g->x, g->y);
}

static subwave_status make(const group_call *g, const subwave_group *group)
{
    const subwave_dtype dtype = (subwave_dtype)g->dtype;
    switch (g->function) {
    case REDUCE:
        return subwave_group_reduce(g->handle, dtype, (subwave_op)g->op, group, g->n, g->init, g->x,
                                    g->y);
    case SCAN:
        return subwave_group_scan(g->handle, dtype, (subwave_op)g->op, (subwave_scan_kind)g->scan,
                                  group, g->n, g->init, g->x, g->y);
    case BROADCAST:
        return subwave_group_broadcast(g->handle, dtype, group, g->n, g->amount, g->x, g->y);
    case SHIFT:
        return subwave_group_shift(g->handle, dtype, (subwave_shift)g->direction, group, g->n,
                                   g->amount, g->x, g->y);
    case PERMUTE:
        return subwave_group_permute(g->handle, dtype, group, g->n, g->amount, g->x, g->y);
    case SELECT:
        return subwave_group_select(g->handle, dtype, group, g->n, g->id, g->x, g->y);
    case VOTE:
        return subwave_group_vote(g->handle, (subwave_vote)g->vote, group, g->n, g->x, g->y);
    default:
        return subwave_group_info(g->handle, group, g->n, g->y);
    }
}

void fuzz_group(fuzz *f, fuzz_context *context)
{
    static group_call g; /* of 40 KiB */
    fuzz_expected expected = {0};
    g = (group_call){.handle = context->handle};
    choose_function(f, &g);
    choose_block(f, &g);
    choose_kind(f, &g);
    g.in_place = g.function != INFO && fuzz_one_in(f, 4);
    choose_memory(f, &g, context);
    for (int64_t wrong = fuzz_one_in(f, 4) ? fuzz_one_in(f, 8) ? 2 : 1 : 0; wrong > 0; --wrong)
        spoil(f, &g, &expected);
    fuzz_memory *on_group =
        fuzz_put(f, FUZZ_HOST, "group", &g.group, sizeof g.group, sizeof(void *));
    say(f, &g);
    fuzz_upload(f);
    const subwave_status status =
        make(&g, g.no_group ? NULL : (const subwave_group *)on_group->pointer);
    if (fuzz_returns(f, context, &expected, status)) {
        const fuzz_expected right = {0};
        fuzz_returns(f, context, &right, subwave_synchronize(context->handle));
        form_groups(f, &g);
        if (g.group.kind == SUBWAVE_GROUP_OPPORTUNISTIC && g.group.members && !context->ascending &&
            g.n)
            take_members(f, &g);
        expect(f, &g);
    }
    fuzz_check_memory(f);
}
