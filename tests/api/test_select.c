/* SPDX-License-Identifier: MIT
 * test_select.c: subwave_compact, subwave_partition, subwave_unique and subwave_append against the
 * reference, byte for byte: every size of elements, flags of all kinds, every comparison, any
 * alignment, in place, and nothing written behind what is selected.
 */
#include "arrays.h"

#include "../reference_array.h"

enum { BLOCK = 256, ROWS = 4, GROUP = 256 };

typedef enum call {
    COMPACT,
    COMPACT_IF,
    PARTITION,
    PARTITION_IF,
    UNIQUE,
    APPEND,
    APPEND_IF,
    CALLS
} call;
static const char *const call_names[] = {"compact", "compact_if", "partition", "partition_if",
                                         "unique",  "append",     "append_if"};

static bool has_rest(call c) { return c == PARTITION || c == PARTITION_IF; }
static bool compares(call c) { return c == COMPACT_IF || c == PARTITION_IF || c == APPEND_IF; }

/* What is selected. */
typedef enum pattern {
    NONE,
    ALL,
    ALTERNATING,
    RUNS,
    ONE_PER_TILE,
    FEW,
    HALF,
    MOST,
    PATTERNS
} pattern;

static bool is_chosen(pattern p, int64_t i, int64_t tile, uint64_t random)
{
    switch (p) {
    case NONE:
        return false;
    case ALL:
        return true;
    case ALTERNATING:
        return i % 2;
    case RUNS:
        return i / 37 % 2;
    case ONE_PER_TILE:
        return i % tile == i / tile * 1009 % tile;
    case FEW:
        return random % 16 == 0;
    case HALF:
        return random % 2;
    default:
        return random % 16 != 0;
    }
}

typedef struct selected {
    call call;
    subwave_dtype dtype;
    int64_t n;
    pattern pattern;
    subwave_comparison comparison;
    bool aligned, flags_aligned, in_place;
    int64_t capacity; /* of the queue that is appended to */
} selected;

/* Numbers that are often equal, and special ones. */
static uint64_t few_numbers(subwave_dtype dtype, uint64_t random)
{
    static const double floats[] = {0.0, -0.0, 1.5, -1.5, 0.0 / 0.0, 1 / 0.0, -1 / 0.0, 6e-8};
    const uint64_t all = UINT64_MAX >> (64 - reference_width(dtype));
    const uint64_t integers[] = {0, 1, all, all / 2, all / 2 + 1, 5, all - 4, 1};
    return reference_is_floating(dtype) ? reference_encode(dtype, floats[random % 8])
                                        : integers[random % 8];
}

static void fill(arrays *a, const selected *s)
{
    const subwave_dtype part = reference_part(s->dtype);
    const int64_t size = reference_width(s->dtype) / 8, parts = size / (reference_width(part) / 8);
    arrays_fill(a, SUBWAVE_DTYPE_U8, SUBWAVE_OP_PLUS, s->n * size); /* any bytes */
    if (s->call != UNIQUE && !compares(s->call))
        return;
    for (int64_t i = 0; i < s->n; ++i) {
        /* Elements that are selected differ from those before them, as far as few numbers can. */
        const bool repeats =
            s->call == UNIQUE && i > 0 &&
            !is_chosen(s->pattern, i, ROWS * BLOCK * 16 / size, harness_random_bits(&a->random));
        for (int64_t p = 0; p < parts; ++p)
            reference_store(part, a->values, i * parts + p,
                            repeats ? reference_load(part, a->values, (i - 1) * parts + p)
                                    : few_numbers(part, harness_random_bits(&a->random)));
    }
}

static subwave_status make(subwave_context *context, const selected *s, const uint8_t *flags,
                           const void *scalar, const void *x, void *y, void *rest, int64_t *count)
{
    switch (s->call) {
    case COMPACT:
        return subwave_compact(context, s->dtype, s->n, flags, x, y, count);
    case COMPACT_IF:
        return subwave_compact_if(context, s->dtype, s->comparison, scalar, s->n, x, y, count);
    case PARTITION:
        return subwave_partition(context, s->dtype, s->n, flags, x, y, rest, count);
    case PARTITION_IF:
        return subwave_partition_if(context, s->dtype, s->comparison, scalar, s->n, x, y, rest,
                                    count);
    case APPEND:
        return subwave_append(context, s->dtype, s->n, flags, x, s->capacity, y, count);
    case APPEND_IF:
        return subwave_append_if(context, s->dtype, s->comparison, scalar, s->n, x, s->capacity, y,
                                 count);
    default:
        return subwave_unique(context, s->dtype, s->n, x, y, count);
    }
}

typedef struct memories {
    arrays a;
    guarded flags, rest, count;
} memories;

static memories memories_create(subwave_context *context)
{
    return (memories){.a = arrays_create(context),
                      .flags = {.context = context},
                      .rest = {.context = context},
                      .count = {.context = context}};
}

static void memories_destroy(memories *m)
{
    arrays_destroy(&m->a);
    guarded_destroy(&m->flags);
    guarded_destroy(&m->rest);
    guarded_destroy(&m->count);
}

static void expect(guarded *memory, const unsigned char *wanted, size_t bytes, const selected *s,
                   const char *name)
{
    unsigned char *const found = malloc(bytes + 1);
    assert_non_null(found);
    assert_int_equal(guarded_read(memory, found), 0);
    if (memcmp(found, wanted, bytes) != 0) {
        size_t at = 0;
        while (found[at] == wanted[at])
            ++at;
        fail_msg("%s of %s, n = %lld, pattern %d, comparison %d, way %d: byte %zu of %s is wrong",
                 call_names[s->call], subwave_dtype_name(s->dtype), (long long)s->n,
                 (int)s->pattern, (int)s->comparison,
                 (int)(s->aligned + 2 * s->flags_aligned + 4 * s->in_place), at, name);
    }
    free(found);
}

/* Fills a->values, *scalar if there is one, and flags: what is selected. */
static void choose(arrays *a, const selected *s, uint8_t *flags, uint64_t *scalar)
{
    const int64_t tile = ROWS * BLOCK * (16 / (int64_t)subwave_dtype_size(s->dtype));
    fill(a, s);
    if (compares(s->call)) {
        *scalar = few_numbers(s->dtype, harness_random_bits(&a->random));
        for (int64_t i = 0; i < s->n; ++i)
            flags[i] = reference_compares(s->dtype, s->comparison,
                                          reference_load(s->dtype, a->values, i), *scalar);
    } else if (s->call == UNIQUE) {
        reference_array_unequal(s->dtype, a->values, s->n, flags);
    } else {
        for (int64_t i = 0; i < s->n; ++i) {
            const uint64_t random = harness_random_bits(&a->random);
            flags[i] = is_chosen(s->pattern, i, tile, random) ? (uint8_t)(1 << random / 64 % 8) : 0;
        }
    }
}

/* The outputs have room for what they receive, and no more. */
static void check(memories *m, selected s)
{
    arrays *const a = &m->a;
    const size_t size = subwave_dtype_size(s.dtype), bytes = (size_t)s.n * size;
    const size_t alignment = subwave_dtype_size(reference_part(s.dtype));
    uint8_t *const flags = malloc((size_t)s.n + 1);
    unsigned char *const y = malloc(bytes + 1), *const rest = malloc(bytes + 1);
    assert_true(flags && y && rest);
    uint64_t scalar[2] = {0}; /* it need not be aligned */
    choose(a, &s, flags, scalar);
    char at[1 + sizeof(uint64_t)];
    memcpy(at + 1, scalar, sizeof(uint64_t));
    if (s.in_place)
        memcpy(y, a->values, bytes);
    const int64_t count = reference_array_partition(s.dtype, flags, a->values, s.n, y, rest);
    const size_t of_y = (size_t)count * size, of_rest = has_rest(s.call) ? bytes - of_y : 0;
    unsigned char *const poison = malloc(bytes + 1);
    assert_non_null(poison);
    harness_fill(HARNESS_A5, poison, bytes);
    int64_t found_count = -1;
    guarded_reset(&a->x, s.aligned ? 16 : alignment, a->values, bytes);
    guarded_reset(&a->y, s.aligned ? 16 : alignment, poison, of_y);
    guarded_reset(&m->rest, alignment, poison, of_rest);
    guarded_reset(&m->flags, s.flags_aligned ? 16 : 1, flags, (size_t)s.n);
    guarded_reset(&m->count, 8, &found_count, sizeof found_count);
    guarded *const on_y = s.in_place ? &a->x : &a->y;
    assert_ok(a->context,
              make(a->context, &s, s.n ? guarded_pointer(&m->flags) : NULL, at + 1,
                   s.n ? guarded_pointer(&a->x) : NULL, s.n ? guarded_pointer(on_y) : NULL,
                   s.n ? guarded_pointer(&m->rest) : NULL, guarded_pointer(&m->count)));
    assert_int_equal(guarded_read(&m->count, &found_count), 0);
    if (found_count != count)
        fail_msg("%s of %s, n = %lld, pattern %d, comparison %d: count is %lld, not %lld",
                 call_names[s.call], subwave_dtype_name(s.dtype), (long long)s.n, (int)s.pattern,
                 (int)s.comparison, (long long)found_count, (long long)count);
    expect(on_y, y, s.in_place ? bytes : of_y, &s, "y");
    expect(&m->rest, rest, of_rest, &s, "rest");
    assert_int_equal(guarded_changes(s.in_place ? &a->y : &a->x), 0);
    assert_int_equal(guarded_changes(&m->flags), 0);
    free(flags);
    free(y);
    free(rest);
    free(poison);
}

static size_t element_bytes; /* of those that are sorted */
static int by_bytes(const void *a, const void *b) { return memcmp(a, b, element_bytes); }

static void sort(unsigned char *elements, int64_t count, size_t size)
{
    element_bytes = size;
    qsort(elements, (size_t)count, size, by_bytes);
}

/* To a queue that has `there` elements already, and room for `room` more than are selected, or less.
 * The elements come in any order; where some are missing, each is one of those that are selected, and
 * none is there more often. */
static void check_append(memories *m, selected s, int64_t there, int64_t room)
{
    arrays *const a = &m->a;
    const size_t size = subwave_dtype_size(s.dtype), bytes = (size_t)s.n * size;
    const size_t alignment = subwave_dtype_size(reference_part(s.dtype));
    uint8_t *const flags = malloc((size_t)s.n + 1);
    unsigned char *const wanted = malloc(bytes + 1);
    assert_true(flags && wanted);
    uint64_t scalar[2] = {0};
    choose(a, &s, flags, scalar);
    char at[1 + sizeof(uint64_t)];
    memcpy(at + 1, scalar, sizeof(uint64_t));
    const int64_t count = reference_array_partition(s.dtype, flags, a->values, s.n, wanted, NULL);
    s.capacity = there + count + room > 0 ? there + count + room : 0;
    const size_t queue_bytes = (size_t)s.capacity * size;
    unsigned char *const queue = malloc(queue_bytes + 1), *const found = malloc(queue_bytes + 1);
    assert_true(queue && found);
    harness_fill(HARNESS_A5, queue, queue_bytes);
    int64_t counted = there;
    guarded_reset(&a->x, s.aligned ? 16 : alignment, a->values, bytes);
    guarded_reset(&a->y, s.aligned ? 16 : alignment, queue, queue_bytes);
    guarded_reset(&m->flags, s.flags_aligned ? 16 : 1, flags, (size_t)s.n);
    guarded_reset(&m->count, 8, &counted, sizeof counted);
    assert_ok(a->context,
              make(a->context, &s, s.n ? guarded_pointer(&m->flags) : NULL, at + 1,
                   s.n ? guarded_pointer(&a->x) : NULL, s.capacity ? guarded_pointer(&a->y) : NULL,
                   NULL, guarded_pointer(&m->count)));
    assert_int_equal(guarded_read(&m->count, &counted), 0);
    assert_int_equal(guarded_read(&a->y, found), 0);
    assert_int_equal(guarded_changes(&a->x), 0);
    assert_int_equal(guarded_changes(&m->flags), 0);
    if (counted != there + count)
        fail_msg("%s of %s, n = %lld, pattern %d: count is %lld, not %lld", call_names[s.call],
                 subwave_dtype_name(s.dtype), (long long)s.n, (int)s.pattern, (long long)counted,
                 (long long)(there + count));
    const int64_t first = there < s.capacity ? there : s.capacity,
                  end = counted < s.capacity ? counted : s.capacity;
    unsigned char *const appended = found + (size_t)first * size;
    assert_memory_equal(found, queue, (size_t)first * size);
    assert_memory_equal(found + (size_t)end * size, queue + (size_t)end * size,
                        queue_bytes - (size_t)end * size);
    sort(wanted, count, size);
    sort(appended, end - first, size);
    for (int64_t i = 0, j = 0; i < end - first; ++i, ++j) {
        while (j < count && by_bytes(wanted + (size_t)j * size, appended + (size_t)i * size) < 0)
            ++j;
        if (j == count || by_bytes(wanted + (size_t)j * size, appended + (size_t)i * size) != 0)
            fail_msg("%s of %s, n = %lld, pattern %d, %lld of %lld there: an element is wrong",
                     call_names[s.call], subwave_dtype_name(s.dtype), (long long)s.n,
                     (int)s.pattern, (long long)there, (long long)s.capacity);
    }
    free(flags);
    free(wanted);
    free(queue);
    free(found);
}

/* --- tests ----------------------------------------------------------------------------------- */

/* Elements of every size, and a complex type that is aligned as its parts. */
static const subwave_dtype dtypes[] = {SUBWAVE_DTYPE_I8,  SUBWAVE_DTYPE_BF16, SUBWAVE_DTYPE_F32,
                                       SUBWAVE_DTYPE_C32, SUBWAVE_DTYPE_I64,  SUBWAVE_DTYPE_C64};

/* In packs, and elements more: around packs, rows of a wave, and tiles. */
static const array_size sizes[] = {{0, 0},
                                   {0, 1},
                                   {1, 0},
                                   {1, 1},
                                   {31, 1},
                                   {65, 0},
                                   {BLOCK + 1, 1},
                                   {ROWS * BLOCK - 1, 1},
                                   {ROWS * BLOCK, 0},
                                   {ROWS * BLOCK, 1},
                                   {3 * ROWS * BLOCK + 2 * BLOCK + 77, 1}};

static void test_flags(void **state)
{
    memories m = memories_create(*state);
    unsigned turn = 0;
    for (size_t d = 0; d < COUNT(dtypes); ++d)
        for (size_t z = 0; z < COUNT(sizes); ++z)
            for (pattern p = NONE; p < PATTERNS; ++p, ++turn) {
                const int pack = 128 / reference_width(dtypes[d]);
                selected s = {.call = turn / PATTERNS % 2 ? PARTITION : COMPACT,
                              .dtype = dtypes[d],
                              .n = (int64_t)sizes[z].packs * pack + sizes[z].elements,
                              .pattern = p,
                              .aligned = turn % 3 > 0,
                              .flags_aligned = turn % 4 > 0,
                              .in_place = turn % 5 == 0};
                check(&m, s);
                if (z + 1 == COUNT(sizes)) {
                    s.call = s.call == COMPACT ? PARTITION : COMPACT;
                    s.in_place = !s.in_place;
                    check(&m, s);
                }
            }
    memories_destroy(&m);
}

static void test_comparisons(void **state)
{
    memories m = memories_create(*state);
    unsigned turn = 0;
    for (size_t d = 0; d < COUNT(number_dtypes); ++d)
        for (size_t c = 0; c < COUNT(all_comparisons); ++c)
            for (int repeat = 0; repeat < 12; ++repeat, ++turn)
                check(&m, (selected){.call = turn % 4 ? COMPACT_IF : PARTITION_IF,
                                     .dtype = number_dtypes[d],
                                     .n = repeat < 11 ? 61 + repeat : 5000,
                                     .comparison = all_comparisons[c],
                                     .aligned = turn % 2,
                                     .in_place = turn % 3 == 0});
    memories_destroy(&m);
}

static void test_unique(void **state)
{
    memories m = memories_create(*state);
    unsigned turn = 0;
    for (size_t d = 0; d < COUNT(all_dtypes); ++d)
        for (size_t z = 0; z < COUNT(sizes); ++z) {
            const int pack = 128 / reference_width(all_dtypes[d]);
            for (int repeat = 0; repeat < 2; ++repeat, ++turn)
                check(&m, (selected){.call = UNIQUE,
                                     .dtype = all_dtypes[d],
                                     .n = (int64_t)sizes[z].packs * pack + sizes[z].elements,
                                     .pattern = (pattern)(turn % PATTERNS),
                                     .aligned = turn % 3 > 0,
                                     .in_place = turn % 2});
        }
    memories_destroy(&m);
}

/* To an empty queue and others, with room for all elements, for some, and for none. */
static void test_append(void **state)
{
    static const int64_t there[] = {0, 0, 1, 77, 5};
    memories m = memories_create(*state);
    unsigned turn = 0;
    for (size_t d = 0; d < COUNT(dtypes); ++d)
        for (size_t z = 0; z < COUNT(sizes); ++z)
            for (pattern p = NONE; p < PATTERNS; ++p, ++turn) {
                const int pack = 128 / reference_width(dtypes[d]);
                const int64_t rooms[] = {0, 3, -1, -500, INT32_MIN};
                check_append(&m,
                             (selected){.call = APPEND,
                                        .dtype = dtypes[d],
                                        .n = (int64_t)sizes[z].packs * pack + sizes[z].elements,
                                        .pattern = p,
                                        .aligned = turn % 3 > 0,
                                        .flags_aligned = turn % 4 > 0},
                             there[turn % COUNT(there)], rooms[turn / 2 % COUNT(rooms)]);
            }
    for (size_t d = 0; d < COUNT(number_dtypes); ++d)
        for (size_t c = 0; c < COUNT(all_comparisons); ++c, ++turn)
            check_append(&m,
                         (selected){.call = APPEND_IF,
                                    .dtype = number_dtypes[d],
                                    .n = 61 + 97 * (int64_t)(turn % 30),
                                    .comparison = all_comparisons[c],
                                    .aligned = turn % 2},
                         there[turn % COUNT(there)], turn % 7 ? 0 : -20);
    memories_destroy(&m);
}

/* Two contexts append to one queue at the same time, again and again: each element of both is there,
 * and *count says what has no room. */
static void test_append_side_by_side(void **state)
{
    enum { N = 3 * ROWS * BLOCK * 4 + 99, TIMES = 4, ROOM = 2 * TIMES * N - 1000 };
    subwave_context *contexts[] = {*state, NULL};
    subwave_device_properties about;
    assert_ok(contexts[0], subwave_context_info(contexts[0], &about));
    assert_ok(NULL, subwave_context_create(&contexts[1], about.id));
    int32_t *const numbers = malloc(N * sizeof *numbers), *x[2], *queue;
    static int32_t found[ROOM];
    static uint8_t seen[2 * N];
    int64_t counted = 0, *count;
    const int32_t zero = 0;
    assert_non_null(numbers);
    for (int c = 0; c < 2; ++c) {
        for (int i = 0; i < N; ++i)
            numbers[i] = 2 * i + c + 1;
        assert_ok(contexts[c], subwave_malloc(contexts[c], (void **)&x[c], N * sizeof *numbers));
        assert_ok(contexts[c], subwave_copy(contexts[c], x[c], numbers, N * sizeof *numbers));
    }
    assert_ok(contexts[0], subwave_malloc(contexts[0], (void **)&queue, sizeof found));
    assert_ok(contexts[0], subwave_malloc(contexts[0], (void **)&count, sizeof *count));
    assert_ok(contexts[0], subwave_copy(contexts[0], count, &counted, sizeof *count));
    for (int i = 0; i < 2 * TIMES; ++i)
        assert_ok(contexts[i % 2],
                  subwave_append_if(contexts[i % 2], SUBWAVE_DTYPE_I32, SUBWAVE_COMPARISON_GREATER,
                                    &zero, N, x[i % 2], ROOM, queue, count));
    for (int c = 0; c < 2; ++c)
        assert_ok(contexts[c], subwave_synchronize(contexts[c]));
    assert_ok(contexts[0], subwave_copy(contexts[0], &counted, count, sizeof *count));
    assert_ok(contexts[0], subwave_copy(contexts[0], found, queue, sizeof found));
    assert_int_equal(counted, 2 * TIMES * N);
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < ROOM; ++i) {
        assert_true(found[i] >= 1 && found[i] <= 2 * N);
        assert_true(++seen[found[i] - 1] <= TIMES);
    }
    for (int c = 0; c < 2; ++c)
        assert_ok(contexts[c], subwave_free(contexts[c], x[c]));
    assert_ok(contexts[0], subwave_free(contexts[0], queue));
    assert_ok(contexts[0], subwave_free(contexts[0], count));
    assert_ok(NULL, subwave_context_destroy(&contexts[1]));
    free(numbers);
}

/* Several groups of tiles, and more than a launch of the build with small limits takes; in place a
 * block must not write what another one has not read. */
static void test_many_tiles(void **state)
{
    memories m = memories_create(*state);
    const int64_t packs = (int64_t)ROWS * BLOCK * (2 * GROUP + 3) + 5;
    selected s = {.call = COMPACT,
                  .dtype = SUBWAVE_DTYPE_F64,
                  .n = 2 * packs + 1,
                  .pattern = MOST,
                  .aligned = true,
                  .flags_aligned = true,
                  .in_place = true};
    check(&m, s);
    s.call = UNIQUE;
    s.pattern = ALTERNATING;
    check(&m, s);
    /* A group of tiles, which have so many rows on one device or another. */
    for (int rows = ROWS; rows <= 2 * ROWS; rows += ROWS) {
        s.n = (int64_t)2 * rows * BLOCK * GROUP;
        check(&m, s);
    }
    s.n = 2 * packs + 1;
    s.call = PARTITION;
    s.pattern = ONE_PER_TILE;
    s.in_place = false;
    check(&m, s);
    s.call = APPEND;
    check_append(&m, s, 3, 1);
    s.pattern = MOST;
    check_append(&m, s, 0, -packs);
    if (harness_is_full()) {
        s.dtype = SUBWAVE_DTYPE_U16;
        s.n = 8 * packs + 3;
        for (pattern p = NONE; p < PATTERNS; ++p) {
            s.pattern = p;
            s.call = p % 2 ? UNIQUE : PARTITION;
            s.in_place = p % 4 == 1;
            check(&m, s);
        }
    }
    if (harness_is_full() && !harness_is_emulated()) {
        /* So many that the flags of tiles are counted ahead. */
        const int64_t rows =
            harness_is_cpu(*state) ? ROWS * (GROUP + 3) : 2 * ROWS * (4 * GROUP + 3);
        static const struct {
            subwave_dtype dtype;
            int size;
        } types[] = {{SUBWAVE_DTYPE_F32, 4}, {SUBWAVE_DTYPE_I64, 8}, {SUBWAVE_DTYPE_C64, 16}};
        s.in_place = false;
        for (size_t t = 0; t < COUNT(types); ++t) {
            s.dtype = types[t].dtype;
            s.n = 16 / types[t].size * BLOCK * rows + (int64_t)t;
            s.pattern = t % 2 ? MOST : ALTERNATING;
            s.aligned = s.flags_aligned = t % 2 == 0;
            s.call = t % 2 ? PARTITION : COMPACT;
            check(&m, s);
            s.pattern = ONE_PER_TILE;
            s.call = t % 2 ? COMPACT : PARTITION;
            check(&m, s);
        }
    }
    memories_destroy(&m);
}

/* More elements than 31 bits count, and more tiles than a launch takes: ones at a few places, and
 * zeros. */
static void test_large(void **state)
{
    subwave_context *context = *state;
    enum { PART = 1 << 26, PARTS = 33 };
    if (!harness_is_full() || harness_is_cpu(context))
        skip(); /* 2 GiB: for GPUs */
    unsigned char *part = calloc(PART, 1), *x;
    int64_t *count, found;
    assert_non_null(part);
    const int64_t n = (int64_t)PART * PARTS;
    assert_ok(context, subwave_malloc(context, (void **)&count, sizeof *count));
    if (subwave_malloc(context, (void **)&x, n) == SUBWAVE_STATUS_OUT_OF_MEMORY) {
        print_message("skipped: %s\n", subwave_last_error(context));
        free(part);
        skip();
    }
    for (int64_t p = 0; p < PARTS; ++p) { /* in each part an element of its own */
        part[p * 1000003 % PART] = (unsigned char)(p + 1);
        assert_ok(context, subwave_copy(context, x + p * PART, part, PART));
        part[p * 1000003 % PART] = 0;
    }
    const unsigned char zero = 0;
    void *queue;
    assert_ok(context, subwave_malloc(context, &queue, PARTS));
    assert_ok(context, subwave_copy(context, count, &(int64_t){0}, sizeof *count));
    assert_ok(context, subwave_append_if(context, SUBWAVE_DTYPE_U8, SUBWAVE_COMPARISON_NOT_EQUAL,
                                         &zero, n, x, PARTS, queue, count));
    assert_ok(context, subwave_copy(context, &found, count, sizeof found));
    assert_int_equal(found, PARTS);
    assert_ok(context, subwave_copy(context, part, queue, PARTS));
    assert_ok(context, subwave_free(context, queue));
    sort(part, PARTS, 1);
    for (int p = 0; p < PARTS; ++p)
        assert_int_equal(part[p], p + 1);
    assert_ok(context, subwave_compact_if(context, SUBWAVE_DTYPE_U8, SUBWAVE_COMPARISON_NOT_EQUAL,
                                          &zero, n, x, x, count));
    assert_ok(context, subwave_copy(context, &found, count, sizeof found));
    assert_int_equal(found, PARTS);
    assert_ok(context, subwave_copy(context, part, x, PARTS));
    for (int p = 0; p < PARTS; ++p)
        assert_int_equal(part[p], p + 1);
    assert_ok(context, subwave_free(context, x));
    assert_ok(context, subwave_free(context, count));
    free(part);
}

/* What the comment promises of the workspace; and one that is too small is told, and nothing
 * written. */
static void test_workspace(void **state)
{
    subwave_context *context = *state;
    enum { TILE = ROWS * BLOCK * 2, SMALL = 4352, MORE = SMALL + 2 * (2 + 1) * 8 };
    static double x[TILE + 1], found[TILE + 1];
    void *workspace, *device, *count;
    int64_t selected = -1;
    const double one = 1;
    assert_ok(context, subwave_malloc(context, &workspace, MORE));
    assert_ok(context, subwave_malloc(context, &device, sizeof x));
    assert_ok(context, subwave_malloc(context, &count, sizeof selected));
    for (int c = 0; c < 2; ++c) {
        const int64_t n = TILE + c, needed = c ? MORE : SMALL;
        for (int64_t i = 0; i < n; ++i)
            x[i] = (double)(i % 3);
        assert_ok(context, subwave_copy(context, device, x, sizeof x));
        for (int tries = 0; tries < 3; ++tries) { /* too small; enough; again, in what is left */
            assert_ok(context, subwave_copy(context, count, &(int64_t){-1}, sizeof selected));
            assert_ok(context, subwave_set_workspace(context, workspace, needed - (tries == 0)));
            assert_int_equal(subwave_compact_if(context, SUBWAVE_DTYPE_F64,
                                                SUBWAVE_COMPARISON_EQUAL, &one, n, device, device,
                                                count),
                             tries ? SUBWAVE_STATUS_SUCCESS : SUBWAVE_STATUS_WORKSPACE_TOO_SMALL);
            assert_ok(context, subwave_copy(context, &selected, count, sizeof selected));
            assert_ok(context, subwave_copy(context, found, device, sizeof found));
            int64_t ones = 0;
            for (int64_t i = 0; i < n; ++i)
                ones += x[i] == 1;
            assert_int_equal(selected, tries ? ones : -1);
            for (int64_t i = 0; tries && i < ones; ++i)
                x[i] = 1;
            assert_memory_equal(found, x, sizeof x);
        }
    }
    assert_ok(context, subwave_set_workspace(context, NULL, 0));
    assert_ok(context, subwave_free(context, workspace));
    assert_ok(context, subwave_free(context, device));
    assert_ok(context, subwave_free(context, count));
}

static void test_arguments(void **state)
{
    subwave_context *context = *state;
    enum { BAD_SCALAR = 1, BAD_FLAGS = 2, BAD_COUNT = 4, BAD_CAPACITY = 8 };
    double x[2] = {1, 2}, y[2] = {-1, -1}, rest[2] = {-1, -1}, scalar = 1;
    const uint8_t flags[2] = {1, 1};
    int64_t count = -1;
    const struct {
        subwave_status status;
        int calls; /* bits */
        int dtype, comparison;
        int64_t n;
        const void *x;
        void *y, *rest;
        int bad;
        const char *text;
    } cases[] = {
#define F64 SUBWAVE_DTYPE_F64
#define EACH 127
#define FLAGGED (1 << COMPACT | 1 << PARTITION | 1 << APPEND)
#define COMPARED (1 << COMPACT_IF | 1 << PARTITION_IF | 1 << APPEND_IF)
#define PARTITIONS (1 << PARTITION | 1 << PARTITION_IF)
#define APPENDS (1 << APPEND | 1 << APPEND_IF)
        {SUBWAVE_STATUS_INVALID_VALUE, EACH, 0, 1, 2, x, y, rest, 0, "dtype is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, EACH, GREATEST(SUBWAVE_DTYPE_LIST) + 1, 1, 2, x, y, rest, 0,
         "dtype is"},
        {SUBWAVE_STATUS_UNSUPPORTED, COMPARED, SUBWAVE_DTYPE_C32, 1, 2, x, y, rest, 0,
         "dtype is c32"},
        {SUBWAVE_STATUS_INVALID_VALUE, COMPARED, F64, 0, 2, x, y, rest, 0, "comparison is 0"},
        {SUBWAVE_STATUS_INVALID_VALUE, COMPARED, F64, GREATEST(SUBWAVE_COMPARISON_LIST) + 1, 2, x,
         y, rest, 0, "comparison is"},
        {SUBWAVE_STATUS_INVALID_SIZE, EACH, F64, 1, -1, x, y, rest, 0, "n is -1"},
        {SUBWAVE_STATUS_INVALID_SIZE, EACH, F64, 1, INT64_MAX / 8, x, y, rest, 0, "n is"},
        {SUBWAVE_STATUS_INVALID_SIZE, EACH, SUBWAVE_DTYPE_I8, 1, INT64_MAX, x, y, rest, 0, "n is"},
        {SUBWAVE_STATUS_INVALID_POINTER, COMPARED, F64, 1, 2, x, y, rest, BAD_SCALAR, "scalar "},
        {SUBWAVE_STATUS_INVALID_POINTER, FLAGGED, F64, 1, 2, x, y, rest, BAD_FLAGS, "flags "},
        {SUBWAVE_STATUS_INVALID_POINTER, EACH, F64, 1, 2, NULL, y, rest, 0, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, EACH, F64, 1, 1, (char *)x + 4, y, rest, 0, "x "},
        {SUBWAVE_STATUS_INVALID_POINTER, EACH, F64, 1, 2, x, NULL, rest, 0, ""},
        {SUBWAVE_STATUS_INVALID_POINTER, EACH & ~PARTITIONS & ~APPENDS, F64, 1, 1, x, (char *)y + 1,
         rest, 0, "y "},
        {SUBWAVE_STATUS_INVALID_POINTER, APPENDS, F64, 1, 1, x, (char *)y + 1, rest, 0, "queue "},
        {SUBWAVE_STATUS_INVALID_SIZE, APPENDS, F64, 1, 0, NULL, NULL, NULL, BAD_CAPACITY,
         "capacity is -3"},
        {SUBWAVE_STATUS_INVALID_POINTER, PARTITIONS, F64, 1, 1, x, (char *)y + 1, rest, 0,
         "selected "},
        {SUBWAVE_STATUS_INVALID_POINTER, PARTITIONS, F64, 1, 2, x, y, NULL, 0, "rest "},
        {SUBWAVE_STATUS_INVALID_POINTER, PARTITIONS, F64, 1, 1, x, y, (char *)rest + 2, 0, "rest "},
        {SUBWAVE_STATUS_INVALID_POINTER, EACH, F64, 1, 2, x, y, rest, BAD_COUNT, "count "},
        {SUBWAVE_STATUS_INVALID_POINTER, EACH & ~APPENDS, F64, 1, 0, NULL, NULL, NULL, BAD_COUNT,
         "count "},
    };
    for (size_t c = 0; c < COUNT(cases); ++c)
        for (call k = COMPACT; k < CALLS; ++k) {
            if (!(cases[c].calls >> k & 1))
                continue;
            const selected s = {.call = k,
                                .dtype = (subwave_dtype)cases[c].dtype,
                                .n = cases[c].n,
                                .comparison = (subwave_comparison)cases[c].comparison,
                                .capacity = cases[c].bad == BAD_CAPACITY ? -3 : 2};
            const subwave_status status = make(
                context, &s, cases[c].bad == BAD_FLAGS ? NULL : flags,
                cases[c].bad == BAD_SCALAR ? NULL : &scalar, cases[c].x, cases[c].y, cases[c].rest,
                cases[c].bad != BAD_COUNT ? &count
                : k % 2                   ? NULL
                                          : (int64_t *)((char *)&count + 4));
            if (status != cases[c].status || !harness_refused(context, status, cases[c].text))
                fail_msg("case %zu of %s: %s, \"%s\"", c, call_names[k],
                         subwave_status_name(status), subwave_last_error(context));
            assert_true(y[0] == -1 && y[1] == -1 && rest[0] == -1 && rest[1] == -1 && count == -1);
            assert_int_equal(make(NULL, &s, flags, &scalar, x, y, rest, &count),
                             SUBWAVE_STATUS_INVALID_CONTEXT);
        }
    /* Without elements nothing is looked at, and without room no queue. */
    count = 7;
    assert_ok(context, subwave_append(context, F64, 0, NULL, NULL, 0, NULL, NULL));
    assert_ok(context, subwave_append_if(context, F64, SUBWAVE_COMPARISON_LESS, NULL, 0, NULL, 5,
                                         NULL, &count));
    assert_int_equal(subwave_append(context, F64, 1, flags, x, INT64_MAX, y, &count),
                     SUBWAVE_STATUS_INVALID_SIZE);
    assert_int_equal(count, 7);
    assert_string_equal(subwave_comparison_name(SUBWAVE_COMPARISON_LESS_EQUAL), "less_equal");
    assert_string_equal(subwave_comparison_name((subwave_comparison)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_unique),
        cmocka_unit_test(test_append),
        cmocka_unit_test(test_append_side_by_side),
        cmocka_unit_test(test_many_tiles),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_workspace),
        cmocka_unit_test(test_arguments),
    };
    return harness_run("select", tests, COUNT(tests));
}
