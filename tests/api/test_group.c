/* SPDX-License-Identifier: MIT
 * test_group.c: the subwave_group_* calls against the reference, bit for bit: every kind of group,
 * function, operation and element type; who belongs to which group; lost and doubled lanes.
 *
 * Covers R005, R020-R026, R030-R036, R040-R043, R050-R052, R060-R063, R070-R073, R081-R085, R087,
 * R089, R091, R095 as far as C reaches them.
 */
#include "../harness.h"
#include "../reference.h"
#include "../types.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the axes of the table ------------------------------------------------------------------- */

enum { DTYPES = COUNT(all_dtypes), OPS = COUNT(all_ops) };

/* The kinds of group, fixed_size with each of its sizes. */
typedef struct variant {
    subwave_group_kind kind;
    int32_t fixed_size;
} variant;
static const variant variants[] = {
#define SUBWAVE_X(name, ...) {SUBWAVE_GROUP_##name, 1},
    SUBWAVE_GROUP_LIST(SUBWAVE_X)
#undef SUBWAVE_X
        {SUBWAVE_GROUP_FIXED_SIZE, 2},
    {SUBWAVE_GROUP_FIXED_SIZE, 4},
    {SUBWAVE_GROUP_FIXED_SIZE, 8},
    {SUBWAVE_GROUP_FIXED_SIZE, 16},
    {SUBWAVE_GROUP_FIXED_SIZE, 32},
    {SUBWAVE_GROUP_FIXED_SIZE, 64},
};
enum { VARIANTS = COUNT(variants), KINDS = VARIANTS - 6 };

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
    INFO,
    FUNCTIONS
} function;
static const char *const function_names[FUNCTIONS] = {
    "reduce",    "inclusive scan", "exclusive scan",
    "broadcast", "shift left",     "shift right",
    "permute",   "select",         "any",
    "all",       "none",           "info"};
static bool is_arithmetic(function f) { return f <= EXCLUSIVE; }
static bool is_vote(function f) { return f >= ANY && f <= NONE; }

static const struct shape {
    int32_t block[3];
    int blocks;
} shapes[] = {
    {{64, 1, 1}, 3},  {{8, 8, 1}, 1},    {{16, 1, 4}, 2}, {{1, 64, 1}, 1},
    {{33, 1, 1}, 4},  {{5, 3, 2}, 5},    {{1, 1, 1}, 3},  {{7, 1, 1}, 3},
    {{256, 1, 1}, 1}, {{1024, 1, 1}, 1}, {{1, 1, 1}, 1},
};
enum { SHAPES = COUNT(shapes) };

/* Where the predicate is true, or which branch is taken. */
typedef enum pattern {
    RANDOM,
    ALL_TRUE,
    ALL_FALSE,
    ALTERNATING,
    ONE_LANE,
    LANES_31_32,
    LANE_63,
    PATTERNS
} pattern;
static const int branch_counts[] = {1, 2, 3, 7, 64};

/* --- an array whose elements form groups ----------------------------------------------------- */

typedef struct arrangement {
    subwave_context *context;
    subwave_group group; /* with device pointers; members is set by each call */
    int wave;
    int64_t n, items; /* elements, and those of a block */
    pattern pattern;
    bool exact; /* opportunistic groups are all that take the branch */
    uint8_t *predicate;
    int32_t *key;
    uint64_t *mask;       /* the members of each one's group by definition; 0: takes no branch */
    int64_t smaller_sets; /* opportunistic groups seen that were less than that */
    guarded on_choice;    /* predicate or key; null in `group` where the kind does not use it */
    guarded on_members, on_x, on_y, on_id;
} arrangement;

/* Without a seed, the CPU device's opportunistic groups are all lanes that are there. */
static bool is_exact(subwave_context *context)
{
    const char *seed = getenv("SUBWAVE_CPU_SEED");
    return harness_is_cpu(context) && (!seed || strcmp(seed, "0") == 0);
}

static int wave_size(subwave_context *context)
{
    subwave_device_properties device;
    assert_ok(context, subwave_context_info(context, &device));
    assert_int_equal(device.sub_group_size_count, 1);
    return device.sub_group_sizes[0];
}

static void *allocate(size_t bytes)
{
    void *memory = calloc(bytes ? bytes : 1, 1);
    assert_non_null(memory);
    return memory;
}

/* Whether the sub-groups of such blocks can be cut in groups of this kind. */
static bool fits(variant v, const struct shape *shape, int wave)
{
    const int items = shape->block[0] * shape->block[1] * shape->block[2];
    return v.kind != SUBWAVE_GROUP_FIXED_SIZE ||
           (v.fixed_size <= wave && items % wave % v.fixed_size == 0);
}

static arrangement arrange(subwave_context *context, variant v, const struct shape *shape)
{
    arrangement a = {.context = context,
                     .group = {.kind = v.kind, .fixed_size = v.fixed_size, .branches = 1},
                     .wave = wave_size(context),
                     .items = shape->block[0] * shape->block[1] * shape->block[2],
                     .exact = is_exact(context)};
    memcpy(a.group.block, shape->block, sizeof a.group.block);
    a.n = a.items * shape->blocks;
    a.predicate = allocate((size_t)a.n);
    a.key = allocate((size_t)a.n * sizeof *a.key);
    a.mask = allocate((size_t)a.n * sizeof *a.mask);
    guarded *const memories[] = {&a.on_choice, &a.on_members, &a.on_x, &a.on_y, &a.on_id};
    for (size_t i = 0; i < COUNT(memories); ++i)
        memories[i]->context = context;
    return a;
}

static void clear(arrangement *a)
{
    guarded *const memories[] = {&a->on_choice, &a->on_members, &a->on_x, &a->on_y, &a->on_id};
    for (size_t i = 0; i < COUNT(memories); ++i)
        guarded_destroy(memories[i]);
    free(a->predicate);
    free(a->key);
    free(a->mask);
}

static bool captures_control_flow(const arrangement *a)
{
    return a->group.kind == SUBWAVE_GROUP_TANGLE || a->group.kind == SUBWAVE_GROUP_OPPORTUNISTIC;
}

static bool takes_branch(const arrangement *a, int64_t i)
{
    return !captures_control_flow(a) || (a->key[i] >= 0 && a->key[i] < a->group.branches);
}

/* The first element of i's sub-group, and how many it has. */
static int64_t wave_start(const arrangement *a, int64_t i) { return i - i % a->items % a->wave; }
static int wave_items(const arrangement *a, int64_t start)
{
    const int64_t left = a->items - start % a->items;
    return (int)(left < a->wave ? left : a->wave);
}

/* A number that the elements of a sub-group share if and only if they share a group. */
static int group_number(const arrangement *a, int64_t i, int lane)
{
    switch (a->group.kind) {
    case SUBWAVE_GROUP_SUB_GROUP:
        return 0;
    case SUBWAVE_GROUP_BALLOT:
        return a->predicate[i] != 0;
    case SUBWAVE_GROUP_FIXED_SIZE:
        return lane / a->group.fixed_size;
    case SUBWAVE_GROUP_TANGLE:
    case SUBWAVE_GROUP_OPPORTUNISTIC:
        return a->key[i];
    }
    abort();
}

/* Takes predicates and keys as they now are. */
static void form_groups(arrangement *a)
{
    int number[64];
    for (int64_t start = 0; start < a->n; start += wave_items(a, start)) {
        const int lanes = wave_items(a, start);
        for (int lane = 0; lane < lanes; ++lane)
            number[lane] = group_number(a, start + lane, lane);
        for (int lane = 0; lane < lanes; ++lane) {
            uint64_t mask = 0;
            for (int other = 0; other < lanes; ++other)
                mask |= (uint64_t)(number[other] == number[lane]) << other;
            a->mask[start + lane] = takes_branch(a, start + lane) ? mask : 0;
        }
    }
    if (a->group.kind == SUBWAVE_GROUP_BALLOT) {
        guarded_reset(&a->on_choice, 1, a->predicate, (size_t)a->n);
        a->group.predicate = guarded_pointer(&a->on_choice);
    } else if (captures_control_flow(a)) {
        guarded_reset(&a->on_choice, sizeof *a->key, a->key, (size_t)a->n * sizeof *a->key);
        a->group.key = guarded_pointer(&a->on_choice);
    }
}

static void form_pattern(arrangement *a, pattern pattern, int branches, harness_random *random)
{
    static const uint8_t yes[] = {1, 2, 0x80, 0xff};
    const int32_t nowhere[] = {-1, branches, INT32_MIN, INT32_MAX};
    a->pattern = pattern;
    a->group.branches = branches;
    for (int64_t i = 0; i < a->n; ++i) {
        const uint64_t bits = harness_random_bits(random);
        const int64_t lane = i % a->items % a->wave;
        const bool is[PATTERNS] = {[RANDOM] = bits & 1,
                                   [ALL_TRUE] = true,
                                   [ALTERNATING] = lane % 2 == 0,
                                   [ONE_LANE] = lane == i / a->wave % a->wave,
                                   [LANES_31_32] = lane == 31 || lane == 32,
                                   [LANE_63] = lane == 63};
        a->predicate[i] = is[pattern] ? yes[bits >> 1 & 3] : 0;
        a->key[i] = is[pattern] ? 0 : 1;
        if (pattern == RANDOM)
            a->key[i] =
                bits >> 3 & 7 ? (int32_t)(bits >> 6 & 63) % branches : nowhere[bits >> 1 & 3];
    }
    form_groups(a);
}

static void form_any_pattern(arrangement *a, harness_random *random)
{
    const pattern pattern = harness_random_bits(random) % PATTERNS;
    form_pattern(a, pattern, branch_counts[harness_random_bits(random) % COUNT(branch_counts)],
                 random);
}

/* --- a call and what it must give ------------------------------------------------------------ */

typedef struct task {
    function f;
    subwave_dtype dtype;
    subwave_op op; /* of arithmetic */
    bool has_init;
    uint64_t init;
    uint32_t amount; /* of broadcast, shifts and permute */
    bool in_place, no_members;
    unsigned char *x;
    uint32_t *id; /* of select */
} task;

static size_t x_size(const task *t) { return is_vote(t->f) ? 1 : subwave_dtype_size(t->dtype); }
static size_t y_size(const task *t)
{
    return t->f == INFO ? sizeof(subwave_group_item) : x_size(t);
}

static subwave_status call(const arrangement *a, const task *t)
{
    subwave_context *context = a->context;
    subwave_group group = a->group;
    const void *x = guarded_pointer(&a->on_x), *init = t->has_init ? &t->init : NULL;
    void *y = t->in_place ? guarded_pointer(&a->on_x) : guarded_pointer(&a->on_y);
    group.members = t->no_members ? NULL : guarded_pointer(&a->on_members);
    switch (t->f) {
    case REDUCE:
        return subwave_group_reduce(context, t->dtype, t->op, &group, a->n, init, x, y);
    case INCLUSIVE:
    case EXCLUSIVE:
        return subwave_group_scan(context, t->dtype, t->op,
                                  t->f == INCLUSIVE ? SUBWAVE_SCAN_INCLUSIVE
                                                    : SUBWAVE_SCAN_EXCLUSIVE,
                                  &group, a->n, init, x, y);
    case BROADCAST:
        return subwave_group_broadcast(context, t->dtype, &group, a->n, t->amount, x, y);
    case SHIFT_LEFT:
    case SHIFT_RIGHT:
        return subwave_group_shift(context, t->dtype,
                                   t->f == SHIFT_LEFT ? SUBWAVE_SHIFT_LEFT : SUBWAVE_SHIFT_RIGHT,
                                   &group, a->n, t->amount, x, y);
    case PERMUTE:
        return subwave_group_permute(context, t->dtype, &group, a->n, t->amount, x, y);
    case SELECT:
        return subwave_group_select(context, t->dtype, &group, a->n, guarded_pointer(&a->on_id), x,
                                    y);
    case ANY:
    case ALL:
    case NONE:
        return subwave_group_vote(context,
                                  t->f == ANY   ? SUBWAVE_VOTE_ANY
                                  : t->f == ALL ? SUBWAVE_VOTE_ALL
                                                : SUBWAVE_VOTE_NONE,
                                  &group, a->n, x, y);
    case INFO:
        return subwave_group_info(context, &group, a->n, y);
    case FUNCTIONS:
        break;
    }
    abort();
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

static void expect_arithmetic(const task *t, const unsigned char *x, uint64_t lanes,
                              unsigned char *y)
{
    int lane[64];
    const int size = list_lanes(lanes, lane);
    uint64_t value[64];
    for (int r = 0; r < size; ++r)
        value[lane[r]] = reference_load(t->dtype, x, lane[r]);
    if (t->f == REDUCE) {
        uint64_t result = reference_reduce(t->dtype, t->op, lanes, value);
        if (t->has_init)
            result = reference_combine(t->dtype, t->op, t->init, result);
        for (int r = 0; r < size; ++r)
            reference_store(t->dtype, y, lane[r], result);
        return;
    }
    if (t->has_init)
        value[lane[0]] = reference_combine(t->dtype, t->op, t->init, value[lane[0]]);
    reference_scan(t->dtype, t->op, lanes, value);
    const uint64_t first = t->has_init ? t->init : reference_identity(t->dtype, t->op);
    for (int r = 0; r < size; ++r)
        reference_store(t->dtype, y, lane[r],
                        t->f == INCLUSIVE ? value[lane[r]]
                        : r == 0          ? first
                                          : value[lane[r - 1]]);
}

static void expect_move(const task *t, const unsigned char *x, const uint32_t *id, uint64_t lanes,
                        unsigned char *y)
{
    int lane[64];
    const int64_t size = list_lanes(lanes, lane), amount = t->amount;
    const size_t bytes = x_size(t);
    for (int64_t r = 0; r < size; ++r) {
        const int64_t from = t->f == BROADCAST     ? amount
                             : t->f == SHIFT_LEFT  ? r + amount
                             : t->f == SHIFT_RIGHT ? r - amount
                             : t->f == PERMUTE     ? r ^ amount
                                                   : (int64_t)id[lane[r]];
        const int source = lane[from >= 0 && from < size ? from : r];
        memcpy(y + (size_t)lane[r] * bytes, x + (size_t)source * bytes, bytes);
    }
}

static void expect_vote(const task *t, const unsigned char *x, uint64_t lanes, unsigned char *y)
{
    int lane[64], yes = 0;
    const int size = list_lanes(lanes, lane);
    for (int r = 0; r < size; ++r)
        yes += x[lane[r]] != 0;
    for (int r = 0; r < size; ++r)
        y[lane[r]] = t->f == ANY ? yes > 0 : t->f == ALL ? yes == size : yes == 0;
}

static void expect_info(const arrangement *a, int64_t start, uint64_t lanes, unsigned char *y)
{
    int lane[64];
    const int size = list_lanes(lanes, lane), in_wave = wave_items(a, start);
    for (int r = 0; r < size; ++r) {
        subwave_group_item item = {.group_range = 1,
                                   .local_id = (uint32_t)r,
                                   .local_range = (uint32_t)size,
                                   .leader = r == 0,
                                   .sub_group_id = (uint32_t)(start % a->items / a->wave),
                                   .sub_group_range =
                                       (uint32_t)((a->items + a->wave - 1) / a->wave),
                                   .lane = (uint32_t)lane[r]};
        if (a->group.kind == SUBWAVE_GROUP_SUB_GROUP) {
            item.group_id = item.sub_group_id;
            item.group_range = item.sub_group_range;
        } else if (a->group.kind == SUBWAVE_GROUP_BALLOT) {
            item.group_id = a->predicate[start + lane[r]] ? 0 : 1;
            item.group_range = 2;
        } else if (a->group.kind == SUBWAVE_GROUP_FIXED_SIZE) {
            item.group_id = (uint32_t)(lane[r] / a->group.fixed_size);
            item.group_range = (uint32_t)(in_wave / a->group.fixed_size);
        }
        memcpy(y + (size_t)lane[r] * sizeof item, &item, sizeof item);
    }
}

/* Writes the results of the groups in `mask` to y; elements that are in none keep what y holds. */
static void expect(const arrangement *a, const task *t, const uint64_t *mask, unsigned char *y)
{
    for (int64_t i = 0; i < a->n; ++i) {
        const int64_t start = wave_start(a, i);
        const uint64_t lanes = mask[i], below = ((uint64_t)1 << (i - start)) - 1;
        if (!lanes || lanes & below)
            continue; /* a group is worked out at its first lane */
        const unsigned char *x = t->x + (size_t)start * x_size(t);
        unsigned char *out = y + (size_t)start * y_size(t);
        if (is_arithmetic(t->f))
            expect_arithmetic(t, x, lanes, out);
        else if (is_vote(t->f))
            expect_vote(t, x, lanes, out);
        else if (t->f == INFO)
            expect_info(a, start, lanes, out);
        else
            expect_move(t, x, t->id + start, lanes, out);
    }
}

static size_t wrong_elements(const arrangement *a, const task *t, const unsigned char *got,
                             const unsigned char *expected)
{
    const size_t size = y_size(t);
    size_t wrong = 0;
    for (int64_t i = 0; i < a->n; ++i) {
        const size_t at = (size_t)i * size;
        wrong += memcmp(got + at, expected + at, size) != 0 &&
                 !(is_arithmetic(t->f) && a->mask[i] &&
                   reference_same(t->dtype, reference_load(t->dtype, got, i),
                                  reference_load(t->dtype, expected, i)));
    }
    return wrong;
}

/* Elements whose members are not what the kind of group says. */
static size_t wrong_members(arrangement *a, const uint64_t *got)
{
    size_t wrong = 0;
    for (int64_t i = 0; i < a->n; ++i) {
        const int64_t start = wave_start(a, i);
        const uint64_t expected = a->mask[i];
        bool right = got[i] == (expected ? expected : UINT64_MAX);
        if (!right && expected && !a->exact && a->group.kind == SUBWAVE_GROUP_OPPORTUNISTIC) {
            right = (got[i] & ~expected) == 0 && (got[i] >> (i - start) & 1);
            for (int lane = 0; right && lane < wave_items(a, start); ++lane)
                right = !(got[i] >> lane & 1) || got[start + lane] == got[i];
            ++a->smaller_sets;
        }
        wrong += !right;
    }
    return wrong;
}

/* What test_faults_are_noticed spoils. */
typedef enum fault {
    NO_FAULT,
    NO_LAUNCH,
    AN_ELEMENT,
    BEFORE_Y,
    AFTER_Y,
    AN_INPUT,
    A_MEMBER,
    FAULTS
} fault;

static void spoil(const arrangement *a, const task *t, fault fault)
{
    char *y = guarded_pointer(&a->on_y);
    const size_t size = y_size(t);
    char *const victims[FAULTS] = {[AN_ELEMENT] = y + (size_t)(a->n / 2) * size,
                                   [BEFORE_Y] = y - 1,
                                   [AFTER_Y] = y + (size_t)a->n * size,
                                   [AN_INPUT] = guarded_pointer(&a->on_x),
                                   [A_MEMBER] = guarded_pointer(&a->on_members)};
    if (victims[fault]) {
        unsigned char byte;
        assert_ok(a->context, subwave_copy(a->context, &byte, victims[fault], 1));
        byte ^= 1;
        assert_ok(a->context, subwave_copy(a->context, victims[fault], &byte, 1));
    }
}

static void describe(const arrangement *a, const task *t)
{
    print_error("%s %s %s of %s (fixed size %d, %d branches), block %d x %d x %d, n %" PRId64
                ", pattern %d, amount %" PRIu32 ", init %d %" PRIx64 ", in place %d, members %d\n",
                function_names[t->f], subwave_dtype_name(t->dtype), subwave_op_name(t->op),
                subwave_group_kind_name(a->group.kind), (int)a->group.fixed_size,
                (int)a->group.branches, (int)a->group.block[0], (int)a->group.block[1],
                (int)a->group.block[2], a->n, (int)a->pattern, t->amount, t->has_init, t->init,
                t->in_place, !t->no_members);
}

static int64_t cases;

/* Puts the task on the device. What y and members hold before is the opposite of what they must
 * become, so that an element that is not written cannot be right. */
static void upload(arrangement *a, const task *t, unsigned char *before)
{
    const size_t n = (size_t)a->n, bytes = n * y_size(t);
    memset(before, 0x5a, bytes);
    expect(a, t, a->mask, before);
    for (size_t i = 0; i < bytes; ++i)
        before[i] = (unsigned char)~before[i];
    if (t->in_place)
        memcpy(before, t->x, bytes);
    uint64_t *members = allocate(n * sizeof *members);
    for (size_t i = 0; i < n; ++i)
        members[i] = ~a->mask[i];
    guarded_reset(&a->on_members, sizeof *members, members, n * sizeof *members);
    free(members);
    guarded_reset(&a->on_y, t->f == INFO ? sizeof(uint32_t) : y_size(t), before, bytes);
    guarded_reset(&a->on_x, x_size(t), t->x, n * x_size(t));
    if (t->f == SELECT)
        guarded_reset(&a->on_id, sizeof *t->id, t->id, n * sizeof *t->id);
}

/* How many things are wrong with the outcome of a task, each kind once described. */
static size_t faults_of(arrangement *a, const task *t, fault fault)
{
    const size_t n = (size_t)a->n, bytes = n * y_size(t);
    unsigned char *expected = allocate(bytes), *got = allocate(bytes);
    uint64_t *members = allocate(n * sizeof *members);
    upload(a, t, expected);
    if (fault != NO_LAUNCH) {
        assert_ok(a->context, call(a, t));
        assert_ok(a->context, subwave_synchronize(a->context));
    }
    spoil(a, t, fault);

    const guarded *const result = t->in_place ? &a->on_x : &a->on_y;
    const size_t stray = guarded_read(result, got);
    const size_t stray_members = guarded_read(&a->on_members, members);
    const size_t wrong = t->no_members ? 0 : wrong_members(a, members);
    for (size_t i = 0; i < n; ++i) /* now the groups that were formed, if they are any */
        members[i] = wrong || t->no_members || !a->mask[i] ? a->mask[i] : members[i];
    expect(a, t, members, expected);
    const size_t faults[] = {t->no_members ? guarded_changes(&a->on_members) : wrong,
                             stray_members,
                             wrong_elements(a, t, got, expected),
                             stray,
                             guarded_changes(t->in_place ? &a->on_y : &a->on_x),
                             t->f == SELECT ? guarded_changes(&a->on_id) : 0,
                             a->group.predicate || a->group.key ? guarded_changes(&a->on_choice)
                                                                : 0};
    static const char *const names[COUNT(faults)] = {"wrong members",
                                                     "changed bytes around members",
                                                     "wrong elements",
                                                     "changed bytes around y",
                                                     "changed bytes of x, or y",
                                                     "changed bytes of id",
                                                     "changed bytes of predicate or key"};
    size_t total = 0;
    for (size_t i = 0; i < COUNT(faults); ++i) {
        if (faults[i] && fault == NO_FAULT) {
            describe(a, t);
            print_error("  %zu %s\n", faults[i], names[i]);
        }
        total += faults[i];
    }
    free(expected);
    free(got);
    free(members);
    ++cases;
    return total;
}

static void check(arrangement *a, const task *t)
{
    if (faults_of(a, t, NO_FAULT))
        fail();
}

static void check_refused(arrangement *a, const task *t, subwave_status expected)
{
    const size_t bytes = (size_t)a->n * 16; /* enough for any type */
    unsigned char *memory = allocate(bytes);
    guarded *const memories[] = {&a->on_members, &a->on_x, &a->on_y, &a->on_id};
    for (size_t i = 0; i < COUNT(memories); ++i)
        guarded_reset(memories[i], 0, memory, bytes);
    const subwave_status status = call(a, t);
    assert_ok(a->context, subwave_synchronize(a->context));
    if (status != expected) {
        describe(a, t);
        fail_msg("gave %s", subwave_status_name(status));
    }
    for (size_t i = 0; i < COUNT(memories); ++i)
        assert_int_equal(guarded_changes(memories[i]), 0);
    free(memory);
    ++cases;
}

/* --- elements -------------------------------------------------------------------------------- */

typedef enum style { ORDINARY, SPECIAL, TINY, STYLES } style;

/* Sums and products of a wave of ordinary elements stay finite in every type, and cancel. */
static uint64_t random_float(subwave_dtype dtype, subwave_op op, style style,
                             harness_random *random)
{
    static const double special[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0, 65504, -3.0e38, 1e-7};
    const uint64_t bits = harness_random_bits(random);
    const int digits = dtype == SUBWAVE_DTYPE_F64 ? 52 : 23;
    const double one_to_two = 1 + ldexp((double)(bits >> (64 - digits)), -digits);
    const int exponent = op == SUBWAVE_OP_MULTIPLIES ? -(int)(bits >> 4 & 1) : (int)(bits & 15) - 9;
    if (style == SPECIAL && harness_random_bits(random) % 24 == 0)
        return reference_encode(dtype, special[bits % COUNT(special)]);
    const bool rare = (bits >> 6 & 31) == 0;
    if ((op == SUBWAVE_OP_LOGICAL_AND && rare) || (op == SUBWAVE_OP_LOGICAL_OR && !rare))
        return reference_encode(dtype, bits & 1 ? 0.0 : -0.0);
    if (style == TINY) { /* a few steps from zero, of either sign */
        const uint64_t sign = reference_encode(dtype, -0.0);
        return (bits >> 8 & 3) | (bits & 1 ? sign : 0);
    }
    return reference_encode(dtype, ldexp(bits & 1u << 5 ? one_to_two : -one_to_two, exponent));
}

/* An element of which a wave of others leaves something: mostly odd products, few empty sets. */
static uint64_t random_element(subwave_dtype dtype, subwave_op op, style style,
                               harness_random *random)
{
    if (reference_is_floating(dtype))
        return random_float(dtype, op, style, random);
    const uint64_t bits = harness_random_bits(random), rare = harness_random_bits(random);
    const uint64_t few = bits & rare & harness_random_bits(random) & harness_random_bits(random);
    uint64_t element = bits;
    if (op == SUBWAVE_OP_MULTIPLIES)
        element = bits | (rare % 32 != 0);
    else if (op == SUBWAVE_OP_BIT_AND)
        element = ~few;
    else if (op == SUBWAVE_OP_BIT_OR)
        element = few;
    else if (op == SUBWAVE_OP_LOGICAL_AND)
        element = rare % 32 ? bits | 4 : 0;
    else if (op == SUBWAVE_OP_LOGICAL_OR)
        element = rare % 32 ? 0 : bits | 4;
    unsigned char stored[8];
    reference_store(dtype, stored, 0, element);
    return reference_load(dtype, stored, 0);
}

static void fill(const arrangement *a, task *t, style style, harness_random *random)
{
    for (int64_t i = 0; i < a->n; ++i) {
        const uint64_t bits = harness_random_bits(random);
        if (is_arithmetic(t->f))
            reference_store(t->dtype, t->x, i, random_element(t->dtype, t->op, style, random));
        else if (is_vote(t->f)) /* true in half, in most or in few */
            t->x[i] = (style == ORDINARY ? bits & 1 : (bits % 64 == 0) == (style == TINY))
                          ? (uint8_t)(bits >> 8 | 1)
                          : 0;
        else
            for (size_t byte = 0; byte < x_size(t); ++byte)
                t->x[(size_t)i * x_size(t) + byte] = (unsigned char)harness_random_bits(random);
        const uint32_t far[] = {64, 1u << 31, UINT32_MAX, (uint32_t)(bits >> 32)};
        t->id[i] = bits & 15 ? (uint32_t)(bits >> 4) % (uint32_t)a->wave : far[bits >> 4 & 3];
    }
    if (is_arithmetic(t->f))
        t->init = random_element(t->dtype, t->op, style, random);
}

/* Host arrays long enough for a task of any type on `a`. */
static task task_create(const arrangement *a)
{
    return (task){.dtype = SUBWAVE_DTYPE_U8,
                  .op = SUBWAVE_OP_PLUS,
                  .x = allocate((size_t)a->n * 16),
                  .id = allocate((size_t)a->n * sizeof(uint32_t))};
}

static void task_destroy(task *t)
{
    free(t->x);
    free(t->id);
}

/* Without members nobody can say what an opportunistic group was. */
static void vary(const arrangement *a, task *t, harness_random *random)
{
    const uint64_t bits = harness_random_bits(random);
    t->in_place = t->f != INFO && (bits & 3) == 0;
    t->no_members = (bits & 12) == 0 && (a->exact || a->group.kind != SUBWAVE_GROUP_OPPORTUNISTIC);
}

/* --- the table: kind x function x operation x type ------------------------------------------- */

/* The arrays of each shape that fits a kind. */
typedef struct arrays {
    arrangement of[SHAPES];
    size_t count;
} arrays;

static void arrays_create(arrays *all, subwave_context *context, variant v)
{
    const int wave = wave_size(context);
    all->count = 0;
    for (size_t s = 0; s < SHAPES; ++s)
        if (fits(v, &shapes[s], wave))
            all->of[all->count++] = arrange(context, v, &shapes[s]);
}

static void arrays_destroy(arrays *all)
{
    for (size_t i = 0; i < all->count; ++i)
        clear(&all->of[i]);
}

/* One cell on one array, of a random pattern. */
static void check_cell(arrangement *a, function f, subwave_dtype dtype, subwave_op op,
                       bool has_init, uint32_t amount, harness_random *random)
{
    form_any_pattern(a, random);
    task t = task_create(a);
    t.f = f;
    t.dtype = dtype;
    t.op = op;
    t.has_init = has_init;
    t.amount = amount;
    vary(a, &t, random);
    if (is_arithmetic(f) && !reference_has_op(dtype, op)) {
        check_refused(a, &t, SUBWAVE_STATUS_UNSUPPORTED);
    } else {
        fill(a, &t, harness_random_bits(random) % STYLES, random);
        check(a, &t);
    }
    task_destroy(&t);
}

/* Around the ends of groups of every size. */
static uint32_t random_amount(const arrangement *a, harness_random *random)
{
    const uint64_t bits = harness_random_bits(random);
    const uint32_t size = (uint32_t)a->group.fixed_size, wave = (uint32_t)a->wave;
    const uint32_t amounts[] = {0, 1, size - 1, size, wave - 1, wave, UINT32_MAX, 1u << 31};
    return bits & 1 ? amounts[bits >> 1 & 7] : (uint32_t)(bits >> 1) % wave;
}

/* Every cell: on one array each, or on one of each shape. Counts those of each kind once. */
static void check_table(subwave_context *context, bool all_shapes, int64_t *computed,
                        int64_t *refused)
{
    harness_random random = harness_random_start();
    *computed = *refused = 0;
    for (size_t v = 0; v < VARIANTS; ++v) {
        arrays all;
        arrays_create(&all, context, variants[v]);
        for (function f = 0; f < FUNCTIONS; ++f)
            for (size_t d = 0; d < (f <= SELECT ? DTYPES : 1); ++d)
                for (size_t o = 0; o < (is_arithmetic(f) ? OPS : 1); ++o)
                    for (int init = 0; init < (is_arithmetic(f) ? 2 : 1); ++init) {
                        if (v < KINDS && is_arithmetic(f) &&
                            !reference_has_op(all_dtypes[d], all_ops[o]))
                            ++*refused;
                        else if (v < KINDS)
                            ++*computed;
                        for (size_t i = 0; i < (all_shapes ? all.count : all.count > 0); ++i) {
                            if (!harness_takes(1, 3))
                                continue;
                            arrangement *a =
                                &all.of[all_shapes ? i : harness_random_bits(&random) % all.count];
                            check_cell(a, f, all_dtypes[d], all_ops[o], init,
                                       random_amount(a, &random), &random);
                        }
                    }
        arrays_destroy(&all);
    }
}

/* 5 kinds; 8 integer and 4 floating types with 9 and 6 operations, 6 forms; 5 moves of 14 types;
 * 3 votes; info. Refused: 3 operations on floating types, all 9 on the complex ones. And what was
 * appended to the lists. */
enum {
    CELLS_COMPUTED = 5 * ((8 * 9 + 4 * 6) * 6 + 5 * 14 + 3 + 1),
    CELLS_REFUSED = 5 * (4 * 3 + 2 * 9) * 6,
    CELLS = KINDS * (DTYPES * OPS * 6 + 5 * DTYPES + 3 + 1),
};

static void test_table(void **state)
{
    int64_t computed, refused;
    check_table(*state, harness_is_full(), &computed, &refused);
    print_message("%" PRId64 " cells computed, %" PRId64 " refused\n", computed, refused);
    assert_true(computed >= CELLS_COMPUTED);
    assert_true(refused >= CELLS_REFUSED);
    assert_int_equal(computed + refused, CELLS);
}

/* A fixed size that no sub-group of the device has. */
static void test_too_large(void **state)
{
    harness_random random = harness_random_start();
    const int wave = wave_size(*state);
    for (int32_t size = 2 * wave; size <= 128; size *= 2) {
        arrangement a = arrange(*state, (variant){SUBWAVE_GROUP_FIXED_SIZE, size}, &shapes[9]);
        form_pattern(&a, RANDOM, 1, &random);
        task t = task_create(&a);
        for (t.f = 0; t.f < FUNCTIONS; ++t.f)
            check_refused(&a, &t, SUBWAVE_STATUS_UNSUPPORTED);
        task_destroy(&t);
        clear(&a);
    }
}

/* Nothing to do: no pointer is looked at. */
static void test_empty(void **state)
{
    harness_random random = harness_random_start();
    for (size_t v = 0; v < KINDS; ++v) {
        arrangement a = arrange(*state, variants[v], &shapes[0]);
        form_pattern(&a, RANDOM, 3, &random);
        task t = task_create(&a);
        a.n = 0;
        for (t.f = 0; t.f < FUNCTIONS; ++t.f)
            for (int null = 0; null < 2; ++null) {
                check_refused(&a, &t, SUBWAVE_STATUS_SUCCESS);
                a.group.predicate = NULL;
                a.group.key = NULL;
            }
        task_destroy(&t);
        clear(&a);
    }
}

/* Complex numbers need be aligned as their parts are. */
static void test_complex_alignment(void **state)
{
    static const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_C32, SUBWAVE_DTYPE_C64};
    enum { N = 64 };
    const subwave_group group = {.kind = SUBWAVE_GROUP_SUB_GROUP, .block = {4, 1, 1}};
    for (size_t d = 0; d < COUNT(dtypes); ++d) {
        const size_t size = subwave_dtype_size(dtypes[d]), bytes = N * size;
        unsigned char x[N * 16], y[N * 16];
        for (size_t i = 0; i < bytes; ++i)
            x[i] = (unsigned char)(i / size * 3 + i % size);
        void *memory;
        assert_ok(*state, subwave_malloc(*state, &memory, (int64_t)(2 * bytes + size / 2)));
        unsigned char *const device_x = (unsigned char *)memory + size / 2, *const device_y =
                                                                                device_x + bytes;
        assert_ok(*state, subwave_copy(*state, device_x, x, (int64_t)bytes));
        assert_ok(*state,
                  subwave_group_broadcast(*state, dtypes[d], &group, N, 3, device_x, device_y));
        assert_ok(*state, subwave_copy(*state, y, device_y, (int64_t)bytes));
        for (size_t i = 0; i < N; ++i)
            assert_memory_equal(&y[i * size], &x[(i / 4 * 4 + 3) * size], size);
        assert_ok(*state, subwave_free(*state, memory));
    }
}

/* --- who belongs to a group ------------------------------------------------------------------ */

/* Every kind, shape, pattern and number of branches; with sums in which a lane is a bit. */
static void test_members(void **state)
{
    harness_random random = harness_random_start();
    for (size_t v = 0; v < VARIANTS; ++v) {
        arrays all;
        arrays_create(&all, *state, variants[v]);
        for (size_t i = 0; i < all.count; ++i)
            for (pattern p = 0; p < PATTERNS; ++p)
                for (size_t b = 0; b < COUNT(branch_counts); ++b) {
                    arrangement *a = &all.of[i];
                    if (b > 0 && !captures_control_flow(a))
                        break;
                    form_pattern(a, p, branch_counts[b], &random);
                    task t = task_create(a);
                    t.f = INFO;
                    check(a, &t);
                    t.f = REDUCE;
                    t.dtype = SUBWAVE_DTYPE_U64;
                    for (int64_t e = 0; e < a->n; ++e)
                        reference_store(t.dtype, t.x, e, (uint64_t)1 << (e - wave_start(a, e)));
                    check(a, &t);
                    task_destroy(&t);
                }
        arrays_destroy(&all);
    }
}

/* --- how many blocks --------------------------------------------------------------------------- */

/* Functions that between them make every kernel. */
static void check_functions(arrangement *a, harness_random *random)
{
    static const function functions[] = {REDUCE, EXCLUSIVE, SELECT, ALL, INFO};
    for (size_t f = 0; f < COUNT(functions); ++f) {
        const subwave_dtype dtype = all_dtypes[harness_random_bits(random) % DTYPES];
        const subwave_op op = all_ops[harness_random_bits(random) % OPS];
        const bool has = !is_arithmetic(functions[f]) || reference_has_op(dtype, op);
        check_cell(a, functions[f], has ? dtype : SUBWAVE_DTYPE_F32, has ? op : SUBWAVE_OP_PLUS,
                   harness_random_bits(random) & 1, random_amount(a, random), random);
    }
}

/* Blocks are worked on in batches: fewer than one, as many, and around several. */
static void test_numbers_of_blocks(void **state)
{
    static const int32_t blocks[][3] = {{1, 1, 1}, {7, 1, 1}, {33, 1, 1}, {64, 1, 1},
                                        {8, 4, 2}, {5, 3, 2}, {128, 1, 1}};
    harness_random random = harness_random_start();
    for (size_t v = 0; v < VARIANTS; ++v)
        for (size_t b = 0; b < COUNT(blocks); ++b)
            for (int count = 1; count <= 17; ++count) {
                struct shape shape = {.blocks = count};
                memcpy(shape.block, blocks[b], sizeof shape.block);
                if (!fits(variants[v], &shape, wave_size(*state)))
                    continue;
                arrangement a = arrange(*state, variants[v], &shape);
                check_functions(&a, &random);
                clear(&a);
            }
}

/* More than a grid of a GPU has (`divide` in src/group.c), so that blocks go round. */
static void test_many_blocks(void **state)
{
    harness_random random = harness_random_start();
    subwave_device_properties device;
    assert_ok(*state, subwave_context_info(*state, &device));
    const int most = 65536 / wave_size(*state) * device.compute_units;
    const int count = harness_is_cpu(*state) ? 99 : most + 7;
    const struct shape shape = {{3, 1, 1}, count};
    for (size_t v = 0; v < KINDS; ++v) {
        arrangement a = arrange(*state, variants[v], &shape);
        check_functions(&a, &random);
        clear(&a);
    }
}

/* --- lost and doubled lanes ------------------------------------------------------------------ */

/* Both sides of ballots with the given lanes, a block each: lane i contributes bit i, so a sum is
 * the set of lanes that entered it. What must come out is plain to see without the reference. */
static void check_sides(subwave_context *context, const uint64_t *sides, int count)
{
    enum { SUM, UNION, UPTO, BEFORE, NEXT, PREVIOUS, ALGORITHMS };
    const int wave = wave_size(context);
    const int64_t n = (int64_t)count * wave;
    uint8_t *predicate = allocate((size_t)n);
    uint64_t *x = allocate((size_t)n * sizeof *x), *y = allocate((size_t)n * sizeof *y);
    for (int64_t i = 0; i < n; ++i) {
        predicate[i] = sides[i / wave] >> (i % wave) & 1;
        x[i] = (uint64_t)1 << (i % wave);
        y[i] = 0;
    }
    guarded on_predicate = guarded_create(context, predicate, (size_t)n);
    guarded on_x = guarded_create(context, x, (size_t)n * sizeof *x);
    guarded on_y = guarded_create(context, y, (size_t)n * sizeof *y);
    const subwave_group group = {.kind = SUBWAVE_GROUP_BALLOT,
                                 .block = {wave, 1, 1},
                                 .predicate = guarded_pointer(&on_predicate)};
    const void *const in = guarded_pointer(&on_x);
    void *const out = guarded_pointer(&on_y);
    const subwave_dtype u64 = SUBWAVE_DTYPE_U64;
    for (int algorithm = 0; algorithm < ALGORITHMS; ++algorithm) {
        assert_ok(
            context,
            algorithm <= UNION
                ? subwave_group_reduce(context, u64,
                                       algorithm == SUM ? SUBWAVE_OP_PLUS : SUBWAVE_OP_BIT_OR,
                                       &group, n, NULL, in, out)
            : algorithm <= BEFORE
                ? subwave_group_scan(context, u64, SUBWAVE_OP_PLUS,
                                     algorithm == UPTO ? SUBWAVE_SCAN_INCLUSIVE
                                                       : SUBWAVE_SCAN_EXCLUSIVE,
                                     &group, n, NULL, in, out)
                : subwave_group_shift(context, u64,
                                      algorithm == NEXT ? SUBWAVE_SHIFT_LEFT : SUBWAVE_SHIFT_RIGHT,
                                      &group, n, 1, in, out));
        assert_int_equal(guarded_read(&on_y, y), 0);
        for (int64_t i = 0; i < n; ++i) {
            const uint64_t all = UINT64_MAX >> (64 - wave), bit = x[i], below = bit - 1;
            const uint64_t side = predicate[i] ? sides[i / wave] & all : ~sides[i / wave] & all;
            const uint64_t above = side & ~below & ~bit;
            uint64_t previous = side & below;
            while (previous & (previous - 1))
                previous &= previous - 1;
            const uint64_t expected[ALGORITHMS] = {[SUM] = side,
                                                   [UNION] = side,
                                                   [UPTO] = side & (below | bit),
                                                   [BEFORE] = side & below,
                                                   [NEXT] = above ? above & (~above + 1) : bit,
                                                   [PREVIOUS] = previous ? previous : bit};
            if (y[i] != expected[algorithm])
                fail_msg("algorithm %d, lanes %" PRIx64 " of ballot %" PRIx64 ", lane %d: %" PRIx64
                         " instead of %" PRIx64,
                         algorithm, side, sides[i / wave], (int)(i % wave), y[i],
                         expected[algorithm]);
        }
    }
    assert_int_equal(guarded_changes(&on_x) + guarded_changes(&on_predicate), 0);
    guarded_destroy(&on_predicate);
    guarded_destroy(&on_x);
    guarded_destroy(&on_y);
    free(predicate);
    free(x);
    free(y);
    cases += count;
}

/* All sets of eight neighbours, wherever they lie. */
static void test_all_sets(void **state)
{
    const int wave = wave_size(*state);
    uint64_t sides[255];
    for (int offset = 0; offset < wave; offset += 8) {
        for (uint64_t set = 1; set <= COUNT(sides); ++set)
            sides[set - 1] = set << offset;
        check_sides(*state, sides, COUNT(sides));
    }
}

static void test_random_sets(void **state)
{
    enum { CHUNK = 500 };
    harness_random random = harness_random_start();
    uint64_t sides[CHUNK];
    for (int chunk = 0; chunk < (harness_is_full() ? 200 : 2); ++chunk) {
        for (int i = 0; i < CHUNK; ++i) {
            sides[i] = harness_random_bits(&random);
            for (int thin = i % 4; thin; --thin) /* crowded, even and lonely sides */
                sides[i] &= harness_random_bits(&random);
        }
        check_sides(*state, sides, CHUNK);
    }
}

/* --- amounts --------------------------------------------------------------------------------- */

/* Every distance, id and bit of a mask in every kind of group. */
static void test_amounts(void **state)
{
    harness_random random = harness_random_start();
    for (size_t v = 0; v < VARIANTS; ++v) {
        arrays all;
        arrays_create(&all, *state, variants[v]);
        uint32_t amounts[128];
        size_t count = 0;
        for (uint32_t i = 0; i <= 64; ++i)
            amounts[count++] = i;
        for (int bit = 7; bit < 32; ++bit) {
            amounts[count++] = (uint32_t)1 << bit;
            amounts[count++] = (uint32_t)1 << bit | 1;
        }
        amounts[count++] = UINT32_MAX - 1;
        amounts[count++] = UINT32_MAX;
        for (function f = BROADCAST; f <= PERMUTE && all.count; ++f)
            for (size_t i = 0; i < count; ++i)
                check_cell(&all.of[harness_random_bits(&random) % all.count], f, SUBWAVE_DTYPE_U32,
                           SUBWAVE_OP_PLUS, false, amounts[i], &random);
        arrays_destroy(&all);
    }
}

/* --- floats of at most 16 bits --------------------------------------------------------------- */

static bool is_small_float(subwave_dtype dtype)
{
    return reference_is_floating(dtype) && reference_width(dtype) <= 16;
}

/* The reference's conversions, by properties that leave one answer. */
static void test_small_float_reference(void **state)
{
    static const struct {
        subwave_dtype dtype;
        uint64_t bits;
        double number;
    } known[] = {
        {SUBWAVE_DTYPE_F16, 0x0001, 0x1p-24},   {SUBWAVE_DTYPE_F16, 0x0400, 0x1p-14},
        {SUBWAVE_DTYPE_F16, 0x3c00, 1},         {SUBWAVE_DTYPE_F16, 0xc000, -2},
        {SUBWAVE_DTYPE_F16, 0x7bff, 65504},     {SUBWAVE_DTYPE_F16, 0x7c00, INFINITY},
        {SUBWAVE_DTYPE_BF16, 0x0001, 0x1p-133}, {SUBWAVE_DTYPE_BF16, 0x0080, 0x1p-126},
        {SUBWAVE_DTYPE_BF16, 0x3f80, 1},        {SUBWAVE_DTYPE_BF16, 0xc000, -2},
        {SUBWAVE_DTYPE_BF16, 0x7f7f, 0xffp120}, {SUBWAVE_DTYPE_BF16, 0x7f80, INFINITY},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(known); ++i) {
        assert_true(reference_decode(known[i].dtype, known[i].bits) == known[i].number);
        assert_int_equal(reference_encode(known[i].dtype, known[i].number), known[i].bits);
    }
    for (size_t d = 0; d < DTYPES; ++d) {
        const subwave_dtype dtype = all_dtypes[d];
        if (!is_small_float(dtype))
            continue;
        const uint64_t infinity = reference_encode(dtype, INFINITY);
        const uint64_t sign = (uint64_t)1 << (reference_width(dtype) - 1);
        for (uint64_t bits = 0; bits < sign; ++bits) {
            const double number = reference_decode(dtype, bits);
            assert_true(isnan(number) == (bits > infinity));
            assert_true(isnan(number) || reference_decode(dtype, bits | sign) == -number);
            if (bits >= infinity)
                continue;
            /* Neighbours ascend; what lies between goes to the nearer, halfway to the even one. */
            const double before = reference_decode(dtype, bits - 1);
            const double next =
                bits + 1 < infinity ? reference_decode(dtype, bits + 1) : 2 * number - before;
            const double middle = (number + next) / 2;
            assert_true(number < next);
            assert_int_equal(reference_encode(dtype, number), bits);
            assert_int_equal(reference_encode(dtype, -number), bits | sign);
            assert_int_equal(reference_encode(dtype, nextafter(middle, 0)), bits);
            assert_int_equal(reference_encode(dtype, middle), bits + (bits & 1));
            assert_int_equal(reference_encode(dtype, -middle), (bits + (bits & 1)) | sign);
            assert_int_equal(reference_encode(dtype, nextafter(middle, INFINITY)), bits + 1);
        }
        cases += (int64_t)sign;
    }
}

/* All 65536 values: through an operation by itself (1 x), and with a second value near or far. */
static void test_small_floats(void **state)
{
    static const struct shape shape = {{64, 1, 1}, 2 * 65536 / 64};
    harness_random random = harness_random_start();
    arrangement pairs = arrange(*state, (variant){SUBWAVE_GROUP_FIXED_SIZE, 2}, &shape);
    arrangement single = arrange(*state, (variant){SUBWAVE_GROUP_FIXED_SIZE, 1}, &shape);
    form_pattern(&pairs, RANDOM, 1, &random);
    form_pattern(&single, RANDOM, 1, &random);
    task t = task_create(&pairs);
    for (size_t d = 0; d < DTYPES; ++d)
        for (size_t o = 0; o < OPS; ++o) {
            t.dtype = all_dtypes[d];
            t.op = all_ops[o];
            if (!is_small_float(t.dtype) || !reference_has_op(t.dtype, t.op))
                continue;
            for (int round = 0; round < (harness_is_full() ? 8 : 1); ++round) {
                for (int64_t i = 0; i < 65536; ++i) {
                    const uint64_t bits = harness_random_bits(&random);
                    const uint64_t near = (uint64_t)i ^ (bits & 0x8fff), far = bits >> 16 & 0xffff;
                    const int64_t at = bits >> 60 & 1;
                    reference_store(t.dtype, t.x, 2 * i + at, (uint64_t)i);
                    reference_store(t.dtype, t.x, 2 * i + !at, bits >> 61 ? near : far);
                }
                t.has_init = false;
                check(&pairs, &t);
            }
            t.has_init = true;
            t.init = reference_identity(t.dtype, t.op);
            check(&single, &t);
        }
    task_destroy(&t);
    clear(&pairs);
    clear(&single);
}

/* --- the CPU device's settings --------------------------------------------------------------- */

/* In whatever order lanes and waves run: the same results, and the same groups but for
 * opportunistic ones, which may then be less than all that are there. */
static void test_cpu_settings(void **state)
{
    static const char *const settings[][2] = {
        {"1", "1"}, {"3", "12345"}, {"2", "18446744073709551615"}};
    if (!harness_is_cpu(*state)) {
        print_message("skipped: SUBWAVE_CPU_* do not concern a GPU\n");
        skip();
    }
    harness_random random = harness_random_start();
    subwave_device_properties device;
    assert_ok(*state, subwave_context_info(*state, &device));
    for (size_t s = 0; s < COUNT(settings); ++s) {
        subwave_context *context;
        setenv("SUBWAVE_CPU_THREADS", settings[s][0], 1);
        setenv("SUBWAVE_CPU_SEED", settings[s][1], 1);
        const subwave_status status = subwave_context_create(&context, device.id);
        assert_ok(NULL, status);
        int64_t smaller_sets = 0;
        for (size_t v = 0; v < VARIANTS; ++v) {
            arrays all;
            arrays_create(&all, context, variants[v]);
            for (int i = 0; i < 60 && all.count; ++i) {
                const function f = i % FUNCTIONS;
                const subwave_dtype dtype = all_dtypes[harness_random_bits(&random) % DTYPES];
                const subwave_op op = all_ops[harness_random_bits(&random) % OPS];
                arrangement *a = &all.of[harness_random_bits(&random) % all.count];
                check_cell(a, f, dtype, op, harness_random_bits(&random) & 1,
                           random_amount(a, &random), &random);
            }
            for (size_t i = 0; i < all.count; ++i)
                smaller_sets += all.of[i].smaller_sets;
            arrays_destroy(&all);
        }
        unsetenv("SUBWAVE_CPU_THREADS");
        unsetenv("SUBWAVE_CPU_SEED");
        assert_ok(NULL, subwave_context_destroy(&context));
        assert_true(smaller_sets > 0);
    }
}

/* --- the tests' own eyes --------------------------------------------------------------------- */

static void test_faults_are_noticed(void **state)
{
    harness_random random = harness_random_start();
    for (function f = 0; f < FUNCTIONS; ++f)
        for (fault fault = 0; fault < FAULTS; ++fault) {
            arrangement a = arrange(*state, variants[0], &shapes[4]);
            form_pattern(&a, RANDOM, 1, &random);
            task t = task_create(&a);
            t.f = f;
            fill(&a, &t, ORDINARY, &random);
            /* A spoilt member also spoils what follows from it. */
            const size_t faults = faults_of(&a, &t, fault), n = (size_t)a.n;
            assert_true(fault == NO_FAULT    ? faults == 0
                        : fault == NO_LAUNCH ? faults == 2 * n
                        : fault == A_MEMBER  ? faults >= 1
                                             : faults == 1);
            task_destroy(&t);
            clear(&a);
        }
}

static void test_count(void **state)
{
    (void)state;
    print_message("%" PRId64 " cases\n", cases);
    assert_true(cases > 10000);
    cases = 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_float_reference),
        cmocka_unit_test(test_faults_are_noticed),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_complex_alignment),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_numbers_of_blocks),
        cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_all_sets),
        cmocka_unit_test(test_random_sets),
        cmocka_unit_test(test_amounts),
        cmocka_unit_test(test_small_floats),
        cmocka_unit_test(test_cpu_settings),
        cmocka_unit_test(test_count),
    };
    return harness_run("group", tests, COUNT(tests));
}
