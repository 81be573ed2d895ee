/* SPDX-License-Identifier: MIT
 * test_determinism.c: every compute call, 100 times, is bit-equal to its first: in other contexts,
 * at other alignments, beside a thread that takes the processors at random; on the CPU device with
 * 1 to 5 OS threads and in six orders of lanes. Which work-items share an opportunistic group is
 * not promised; on the CPU device the seed alone decides it (docs/cpu-device.md), so its results
 * are compared at equal seeds there and left out elsewhere.
 */
#include "../harness.h"
#include "../reference.h"
#include "../types.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int thread_counts[] = {1, 2, 3, 5};
enum { SEEDS = 6, MOST_CONTEXTS = SEEDS * COUNT(thread_counts), SHIFTS = 8 };

/* More than there are contexts, each of which makes a call in turn: 30, of a GPU three. */
static int repeats(void) { return harness_is_full() ? 100 : harness_is_emulated() ? 8 : 40; }

/* --- a processor that others use too --------------------------------------------------------- */

static void wait_us(uint64_t us)
{
    const struct timespec time = {0, (long)us * 1000};
    nanosleep(&time, NULL);
}

static atomic_bool load_ends;

/* Busy and idle for random times, so that blocks meet and pass each other in other orders. */
static void *load(void *unused)
{
    harness_random random = {7};
    while (!atomic_load(&load_ends)) {
        for (uint64_t i = harness_random_bits(&random) % 100000; i; --i)
            (void)atomic_load_explicit(&load_ends, memory_order_relaxed);
        wait_us(harness_random_bits(&random) % 1000);
    }
    return unused;
}

/* --- calls ----------------------------------------------------------------------------------- */

/* What a call reads and writes; a matrix product's A, B and C are FIRST, SECOND and RESULT. */
enum { FIRST, SECOND, CHOICE, RESULT, MEMBERS, OPERANDS };

typedef struct task {
    char name[80];
    subwave_status (*run)(subwave_context *context, const struct task *t, void *const *operand);
    subwave_dtype dtype;
    subwave_variant variant;
    int64_t m, n, k, batch;                          /* n: of groups the elements */
    enum { STRIDED, POINTERS, GROUPED, FORMS } form; /* of a batch */
    int function;
    subwave_group group;
    size_t bytes[OPERANDS], align[OPERANDS]; /* 0 bytes: not used */
    void *before[OPERANDS];
} task;

static subwave_status run_matmul(subwave_context *context, const task *t, void *const *operand)
{
    const subwave_dtype sums = reference_sums(t->dtype);
    const bool is_integer = reference_is_integer(sums);
    const subwave_dtype part = reference_part(sums);
    double alpha[2], beta[2]; /* room for any of their types */
    for (int i = 0; i < reference_parts(sums); ++i) {
        reference_store(part, alpha, i, reference_encode(part, is_integer ? 5 : 1.25 - i));
        reference_store(part, beta, i, reference_encode(part, is_integer ? -3 : -0.75 + i));
    }
    return subwave_matmul(context, t->variant, t->dtype, SUBWAVE_LAYOUT_ROW_MAJOR,
                          SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, t->m, t->n, t->k, alpha,
                          operand[FIRST], t->k, operand[SECOND], t->n, beta, operand[RESULT], t->n);
}

static void step(subwave_context *context, const char *start, int64_t bytes, int64_t batch,
                 guarded *list)
{
    const char *entries[64];
    assert_true(batch <= (int64_t)COUNT(entries));
    for (int64_t e = 0; e < batch; ++e)
        entries[e] = start + e * bytes;
    *list = guarded_create(context, entries, (size_t)batch * sizeof *entries);
}

/* An array of the same number, `count` times, in device memory. */
static guarded repeated(subwave_context *context, int64_t number, int64_t count)
{
    int64_t *const numbers = malloc((size_t)count * sizeof *numbers);
    assert_non_null(numbers);
    for (int64_t i = 0; i < count; ++i)
        numbers[i] = number;
    const guarded memory = guarded_create(context, numbers, (size_t)count * sizeof *numbers);
    free(numbers);
    return memory;
}

static subwave_status run_batched(subwave_context *context, const task *t, void *const *operand)
{
    const double alpha[] = {1.25, 0.5}, beta[] = {-0.75, 0.25};
    const float alpha_f[] = {1.25, 0.5}, beta_f[] = {-0.75, 0.25};
    const bool f64 = reference_part(t->dtype) == SUBWAVE_DTYPE_F64;
    const void *const a = f64 ? (const void *)alpha : alpha_f, *const b = f64 ? (const void *)beta
                                                                              : beta_f;
    const subwave_transpose_kind none = SUBWAVE_TRANSPOSE_NONE;
    const int64_t size = (int64_t)subwave_dtype_size(t->dtype), mk = t->m * t->k, kn = t->k * t->n,
                  mn = t->m * t->n;
    if (t->form == STRIDED)
        return subwave_matmul_strided_batched(context, t->dtype, SUBWAVE_LAYOUT_ROW_MAJOR, none,
                                              none, t->m, t->n, t->k, a, operand[FIRST], t->k, mk,
                                              operand[SECOND], t->n, kn, b, operand[RESULT], t->n,
                                              mn, t->batch);
    guarded of_a, of_b, of_c;
    step(context, operand[FIRST], mk * size, t->batch, &of_a);
    step(context, operand[SECOND], kn * size, t->batch, &of_b);
    step(context, operand[RESULT], mn * size, t->batch, &of_c);
    subwave_status status;
    if (t->form == POINTERS) {
        status = subwave_matmul_batched(context, t->dtype, SUBWAVE_LAYOUT_ROW_MAJOR, none, none,
                                        t->m, t->n, t->k, a, guarded_pointer(&of_a), t->k,
                                        guarded_pointer(&of_b), t->n, b, guarded_pointer(&of_c),
                                        t->n, t->batch);
    } else {
        guarded m = repeated(context, t->m, t->batch), n = repeated(context, t->n, t->batch),
                k = repeated(context, t->k, t->batch);
        status = subwave_matmul_grouped(
            context, t->dtype, SUBWAVE_LAYOUT_ROW_MAJOR, none, none, guarded_pointer(&m),
            guarded_pointer(&n), guarded_pointer(&k), a, guarded_pointer(&of_a),
            guarded_pointer(&k), guarded_pointer(&of_b), guarded_pointer(&n), b,
            guarded_pointer(&of_c), guarded_pointer(&n), t->batch);
        guarded_destroy(&m);
        guarded_destroy(&n);
        guarded_destroy(&k);
    }
    guarded_destroy(&of_a);
    guarded_destroy(&of_b);
    guarded_destroy(&of_c);
    return status;
}

enum {
    REDUCE,
    INCLUSIVE,
    EXCLUSIVE,
    BROADCAST,
    LEFT,
    RIGHT,
    PERMUTE,
    SELECT,
    ANY,
    ALL,
    NONE,
    INFO,
    FUNCTIONS
};
static const char *const function_names[FUNCTIONS] = {
    "reduce",    "inclusive scan", "exclusive scan",
    "broadcast", "shift left",     "shift right",
    "permute",   "select",         "any",
    "all",       "none",           "info"};

static subwave_status run_group(subwave_context *context, const task *t, void *const *operand)
{
    subwave_group group = t->group;
    group.predicate = operand[CHOICE];
    group.key = operand[CHOICE];
    group.members = operand[MEMBERS];
    const void *const x = operand[FIRST];
    void *const y = operand[RESULT];
    switch (t->function) {
    case REDUCE:
        return subwave_group_reduce(context, t->dtype, SUBWAVE_OP_PLUS, &group, t->n, NULL, x, y);
    case INCLUSIVE:
        return subwave_group_scan(context, t->dtype, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE,
                                  &group, t->n, NULL, x, y);
    case EXCLUSIVE:
        return subwave_group_scan(context, t->dtype, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_EXCLUSIVE,
                                  &group, t->n, NULL, x, y);
    case BROADCAST:
        return subwave_group_broadcast(context, t->dtype, &group, t->n, 1, x, y);
    case LEFT:
        return subwave_group_shift(context, t->dtype, SUBWAVE_SHIFT_LEFT, &group, t->n, 1, x, y);
    case RIGHT:
        return subwave_group_shift(context, t->dtype, SUBWAVE_SHIFT_RIGHT, &group, t->n, 2, x, y);
    case PERMUTE:
        return subwave_group_permute(context, t->dtype, &group, t->n, 3, x, y);
    case SELECT:
        return subwave_group_select(context, t->dtype, &group, t->n, operand[SECOND], x, y);
    case ANY:
        return subwave_group_vote(context, SUBWAVE_VOTE_ANY, &group, t->n, x, y);
    case ALL:
        return subwave_group_vote(context, SUBWAVE_VOTE_ALL, &group, t->n, x, y);
    case NONE:
        return subwave_group_vote(context, SUBWAVE_VOTE_NONE, &group, t->n, x, y);
    default:
        return subwave_group_info(context, &group, t->n, y);
    }
}

/* --- repeats --------------------------------------------------------------------------------- */

typedef struct device {
    /* the seed is the index modulo SEEDS; elsewhere all are alike */
    subwave_context *context[MOST_CONTEXTS];
    int contexts;
    bool cpu;
    unsigned char *memory[OPERANDS];
    harness_random random;
} device;

enum { CAPACITY = 1 << 19 }; /* bytes of an operand */

static device device_open(subwave_context *context)
{
    device d = {.cpu = harness_is_cpu(context), .random = harness_random_start()};
    subwave_device_properties properties;
    assert_ok(context, subwave_context_info(context, &properties));
    d.contexts = d.cpu ? MOST_CONTEXTS : 3;
    for (int i = 0; i < d.contexts; ++i) {
        char text[16];
        snprintf(text, sizeof text, "%d", thread_counts[i / SEEDS]);
        setenv("SUBWAVE_CPU_THREADS", text, 1);
        snprintf(text, sizeof text, "%d", i % SEEDS);
        setenv("SUBWAVE_CPU_SEED", text, 1);
        const subwave_status status = subwave_context_create(&d.context[i], properties.id);
        unsetenv("SUBWAVE_CPU_THREADS");
        unsetenv("SUBWAVE_CPU_SEED");
        assert_ok(NULL, status);
    }
    for (int i = 0; i < OPERANDS; ++i) {
        void *memory;
        assert_ok(context, subwave_malloc(context, &memory, CAPACITY + 16 * SHIFTS));
        d.memory[i] = memory;
    }
    return d;
}

static void device_close(device *d)
{
    for (int i = 0; i < OPERANDS; ++i)
        assert_ok(d->context[0], subwave_free(d->context[0], d->memory[i]));
    for (int i = 0; i < d->contexts; ++i)
        assert_ok(NULL, subwave_context_destroy(&d->context[i]));
}

/* What RESULT and MEMBERS hold behind the call, in context c with each operand `shift[i]` elements
 * into its memory. */
static void run_once(device *d, const task *t, int c, const int *shift, unsigned char *outcome)
{
    subwave_context *const context = d->context[c];
    void *operand[OPERANDS] = {NULL};
    for (int i = 0; i < OPERANDS; ++i)
        if (t->bytes[i]) {
            operand[i] = d->memory[i] + (size_t)shift[i] * t->align[i];
            assert_ok(context,
                      subwave_copy(context, operand[i], t->before[i], (int64_t)t->bytes[i]));
        }
    assert_ok(context, t->run(context, t, operand));
    assert_ok(context, subwave_copy(context, outcome, operand[RESULT], (int64_t)t->bytes[RESULT]));
    if (t->bytes[MEMBERS])
        assert_ok(context, subwave_copy(context, outcome + t->bytes[RESULT], operand[MEMBERS],
                                        (int64_t)t->bytes[MEMBERS]));
}

/* How many of the repeats differ from the first, or the first of their seed. */
static int count_changes(device *d, const task *t)
{
    const size_t bytes = t->bytes[RESULT] + t->bytes[MEMBERS];
    const bool by_seed = t->run == run_group && t->group.kind == SUBWAVE_GROUP_OPPORTUNISTIC;
    unsigned char *first[SEEDS] = {NULL}, *again = malloc(bytes);
    assert_non_null(again);
    int changes = 0;
    for (int r = 0; r <= repeats(); ++r) {
        const int c = r % d->contexts, seed = by_seed ? c % SEEDS : 0;
        int shift[OPERANDS] = {0};
        for (int i = 0; i < OPERANDS && r > 0; ++i)
            shift[i] = (int)(harness_random_bits(&d->random) % SHIFTS);
        if (r % 16 == 1)
            wait_us(harness_random_bits(&d->random) % 50);
        run_once(d, t, c, shift, again);
        if (!first[seed]) {
            first[seed] = again;
            again = malloc(bytes);
            assert_non_null(again);
            continue;
        }
        if (memcmp(again, first[seed], bytes) == 0)
            continue;
        if (changes++ == 0 && *t->name) {
            print_error("%s: repeat %d differs; shifts of its operands %d, %d, %d elements",
                        t->name, r, shift[FIRST], shift[SECOND], shift[RESULT]);
            if (d->cpu)
                print_error("; %d threads, seed %d", thread_counts[c / SEEDS], c % SEEDS);
            print_error("\n");
        }
    }
    for (int s = 0; s < SEEDS; ++s)
        free(first[s]);
    free(again);
    return changes;
}

/* --- tasks ----------------------------------------------------------------------------------- */

static void add_operand(task *t, int i, size_t count, size_t size)
{
    t->bytes[i] = count * size;
    t->align[i] = size;
    assert_true(t->bytes[i] <= CAPACITY);
    t->before[i] = malloc(t->bytes[i]);
    assert_non_null(t->before[i]);
    memset(t->before[i], 0xa5, t->bytes[i]);
}

/* Numbers with all their digits, so that another order of a sum shows. */
static void fill_numbers(subwave_dtype dtype, void *array, int64_t count, harness_random *random)
{
    const subwave_dtype part = reference_part(dtype);
    const double size = reference_is_integer(part) ? ldexp(1, reference_width(part) - 1) : 1;
    for (int64_t i = 0; i < count * (reference_is_complex(dtype) ? 2 : 1); ++i)
        reference_store(part, array, i,
                        reference_encode(part, size * (harness_random_sign(random) +
                                                       0x1p-25 * harness_random_sign(random))));
}

static void task_destroy(task *t)
{
    for (int i = 0; i < OPERANDS; ++i)
        free(t->before[i]);
}

static int failures;

static void check(device *d, task *t)
{
    if (harness_takes(3, 3))
        failures += count_changes(d, t) != 0;
    task_destroy(t);
}

static void check_matmul(device *d, subwave_variant variant, subwave_dtype dtype, int64_t m,
                         int64_t n, int64_t k)
{
    subwave_matmul_plan_info plan;
    const subwave_status status =
        subwave_matmul_plan(d->context[0], variant, dtype, SUBWAVE_LAYOUT_ROW_MAJOR,
                            SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, m, n, k, &plan);
    if (status == SUBWAVE_STATUS_UNSUPPORTED)
        return;
    assert_ok(d->context[0], status);
    task t = {.run = run_matmul, .variant = variant, .dtype = dtype, .m = m, .n = n, .k = k};
    snprintf(t.name, sizeof t.name, "matmul %s %s %" PRId64 " x %" PRId64 " x %" PRId64,
             subwave_variant_name(variant), subwave_dtype_name(dtype), m, n, k);
    const int64_t elements[] = {[FIRST] = m * k, [SECOND] = k * n, [RESULT] = m * n};
    for (int i = 0; i <= RESULT; ++i)
        if (i != CHOICE) {
            const subwave_dtype type = i == RESULT ? reference_product(dtype) : dtype;
            add_operand(&t, i, (size_t)elements[i], subwave_dtype_size(type));
            fill_numbers(type, t.before[i], elements[i], &d->random);
        }
    check(d, &t);
}

/* Of a batch of equal entries: also that the results are, whatever the entry's place. */
static void check_entries(device *d, task *t)
{
    const int none[OPERANDS] = {0};
    unsigned char *outcome = malloc(t->bytes[RESULT]);
    assert_non_null(outcome);
    run_once(d, t, 0, none, outcome);
    const size_t entry = t->bytes[RESULT] / (size_t)t->batch;
    for (int64_t e = 1; e < t->batch; ++e)
        if (memcmp(outcome, outcome + (size_t)e * entry, entry) != 0) {
            print_error("%s: entry %" PRId64 " differs from entry 0\n", t->name, e);
            ++failures;
        }
    free(outcome);
    check(d, t);
}

static void check_batched(device *d, subwave_dtype dtype, int form, int64_t m, int64_t n, int64_t k)
{
    task t = {.run = run_batched, .dtype = dtype, .m = m, .n = n, .k = k, .batch = 9, .form = form};
    snprintf(t.name, sizeof t.name, "%s %s %" PRId64 " x %" PRId64 " x %" PRId64,
             ((const char *[]){"matmul_strided_batched", "matmul_batched", "matmul_grouped"})[form],
             subwave_dtype_name(dtype), m, n, k);
    const size_t size = subwave_dtype_size(dtype);
    const int64_t elements[] = {[FIRST] = m * k, [SECOND] = k * n, [RESULT] = m * n};
    for (int i = 0; i <= RESULT; ++i)
        if (i != CHOICE) { /* all entries are the same product */
            const size_t entry = (size_t)elements[i] * size;
            add_operand(&t, i, (size_t)(elements[i] * t.batch), size);
            fill_numbers(dtype, t.before[i], elements[i], &d->random);
            for (int64_t e = 1; e < t.batch; ++e)
                memcpy((char *)t.before[i] + (size_t)e * entry, t.before[i], entry);
        }
    check_entries(d, &t);
}

static void check_group(device *d, int function, subwave_dtype dtype, subwave_group_kind kind)
{
    enum { ITEMS = 100, BLOCKS = 4, N = ITEMS * BLOCKS, BRANCHES = 3 };
    task t = {
        .run = run_group,
        .dtype = dtype,
        .n = N,
        .function = function,
        .group = {.kind = kind, .block = {ITEMS, 1, 1}, .fixed_size = 4, .branches = BRANCHES}};
    snprintf(t.name, sizeof t.name, "%s %s of %s", function_names[function],
             subwave_dtype_name(dtype), subwave_group_kind_name(kind));
    const size_t size = subwave_dtype_size(dtype);
    add_operand(&t, FIRST, N, size);
    if (reference_is_floating(dtype))
        fill_numbers(dtype, t.before[FIRST], N, &d->random);
    else
        for (size_t i = 0; i < t.bytes[FIRST]; ++i)
            ((unsigned char *)t.before[FIRST])[i] = harness_random_bits(&d->random) & 0x21;
    add_operand(&t, SECOND, N, sizeof(uint32_t));
    for (int i = 0; i < N; ++i)
        ((uint32_t *)t.before[SECOND])[i] = (uint32_t)(harness_random_bits(&d->random) % 70);
    add_operand(&t, CHOICE, N, sizeof(int32_t)); /* as predicates the same bytes do */
    for (int i = 0; i < N; ++i)
        ((int32_t *)t.before[CHOICE])[i] =
            (int32_t)(harness_random_bits(&d->random) % (BRANCHES + 1));
    add_operand(&t, RESULT, N, function == INFO ? sizeof(subwave_group_item) : size);
    if (function == INFO)
        t.align[RESULT] = sizeof(uint32_t);
    add_operand(&t, MEMBERS, N, sizeof(uint64_t));
    check(d, &t);
}

static void check_matmuls(device *d)
{
    for (size_t i = 0; i < COUNT(matmul_dtypes); ++i)
        for (size_t v = 0; v < COUNT(all_variants); ++v) {
            const subwave_variant variant = all_variants[v];
            if (variant != SUBWAVE_VARIANT_SKINNY || harness_is_full())
                check_matmul(d, variant, matmul_dtypes[i], 11, 38, 43);
            if (harness_is_full())
                check_matmul(d, variant, matmul_dtypes[i], 70, 65, 64);
        }
    /* k in parts; few rows and few columns. */
    for (size_t i = 0; i < COUNT(skinny_dtypes); ++i) {
        check_matmul(d, SUBWAVE_VARIANT_SKINNY, skinny_dtypes[i], 3, 9, 700);
        check_matmul(d, SUBWAVE_VARIANT_SKINNY, skinny_dtypes[i], 12, 1, 200);
        check_matmul(d, SUBWAVE_VARIANT_AUTO, skinny_dtypes[i], 1, 7, 1000);
    }
}

static subwave_status run_stacked(subwave_context *context, const task *t, void *const *operand)
{
    const double of_f64[] = {1, 0};
    const float of_f32[] = {1, 0};
    const void *const one = reference_fraction(t->dtype) == 52 ? (const void *)of_f64 : of_f32;
    return subwave_matmul_stacked(
        context, t->dtype, SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE,
        t->m, t->n, t->k, one, operand[FIRST], t->k, operand[SECOND], t->n, one, operand[RESULT],
        t->n, SUBWAVE_DTYPE_I32, 0, operand[CHOICE], t->batch);
}

/* The entries of a C find their places in any order, and are added in one. */
static void check_stack(device *d, subwave_dtype dtype, int64_t m, int64_t n, int64_t k,
                        int64_t entries)
{
    enum { MATRICES = 5 };
    const size_t size = subwave_dtype_size(dtype);
    task t = {.run = run_stacked, .dtype = dtype, .m = m, .n = n, .k = k, .batch = entries};
    snprintf(t.name, sizeof t.name, "matmul_stacked %s %" PRId64 " x %" PRId64 " x %" PRId64,
             subwave_dtype_name(dtype), m, n, k);
    const int64_t elements[] = {[FIRST] = m * k, [SECOND] = k * n, [RESULT] = m * n};
    add_operand(&t, CHOICE, (size_t)(3 * entries), sizeof(int32_t));
    for (int64_t e = 0; e < 3 * entries; ++e) {
        const int operand = (int[]){FIRST, SECOND, RESULT}[e % 3];
        ((int32_t *)t.before[CHOICE])[e] =
            (int32_t)(elements[operand] * (int64_t)(harness_random_bits(&d->random) % MATRICES));
    }
    for (int i = 0; i <= RESULT; ++i)
        if (i != CHOICE) {
            add_operand(&t, i, (size_t)(elements[i] * MATRICES), size);
            fill_numbers(dtype, t.before[i], elements[i] * MATRICES, &d->random);
        }
    check(d, &t);
}

static subwave_status run_tensor(subwave_context *context, const task *t, void *const *operand)
{
    const double of_f64[] = {1, 0};
    const float of_f32[] = {1, 0};
    const bool wide = reference_fraction(t->dtype) == 52;
    const void *const one = wide ? (const void *)of_f64 : of_f32, *const zero =
                                                                      wide ? (const void *)(of_f64 +
                                                                                            1)
                                                                           : of_f32 + 1;
    const int64_t n = t->n, points = n * n * n;
    return t->function ? subwave_tensor_gradient(context, t->dtype, SUBWAVE_TRANSPOSE_YES, 3, n, n,
                                                 one, operand[SECOND], operand[SECOND],
                                                 operand[FIRST], 3 * points, 0, zero,
                                                 operand[RESULT], points, 0, points, 1, t->batch)
                       : subwave_tensor_apply(context, t->dtype, SUBWAVE_TRANSPOSE_NONE, 3, n, n,
                                              one, operand[SECOND], operand[SECOND],
                                              operand[SECOND], operand[FIRST], points, 0, zero,
                                              operand[RESULT], points, 0, 1, t->batch);
}

/* The same tensors have the same result, wherever they stand. */
static void check_tensors(device *d, subwave_dtype dtype, int64_t n, int function)
{
    const size_t size = subwave_dtype_size(dtype);
    const int64_t in = n * n * n * (function ? 3 : 1), out = n * n * n;
    task t = {.run = run_tensor, .dtype = dtype, .n = n, .batch = 7, .function = function};
    snprintf(t.name, sizeof t.name, "tensor_%s %s of %" PRId64 " points",
             function ? "gradient" : "apply", subwave_dtype_name(dtype), n);
    add_operand(&t, FIRST, (size_t)(in * t.batch), size);
    fill_numbers(dtype, t.before[FIRST], in, &d->random);
    for (int64_t e = 1; e < t.batch; ++e)
        memcpy((char *)t.before[FIRST] + (size_t)(e * in) * size, t.before[FIRST],
               (size_t)in * size);
    add_operand(&t, SECOND, (size_t)(n * n), size);
    fill_numbers(dtype, t.before[SECOND], n * n, &d->random);
    add_operand(&t, RESULT, (size_t)(out * t.batch), size);
    check_entries(d, &t);
}

static void check_batches(device *d)
{
    for (size_t i = 0; i < COUNT(tensor_dtypes); ++i)
        for (int function = 0; function < 2; ++function)
            for (int64_t n = 3; n <= (harness_is_full() ? 12 : 6); n += 3)
                check_tensors(d, tensor_dtypes[i], n, function);
    for (size_t i = 0; i < COUNT(batched_dtypes); ++i)
        for (int form = 0; form < FORMS; ++form) {
            check_batched(d, batched_dtypes[i], form, 5, 4, 7);
            check_batched(d, batched_dtypes[i], form, 17, 9, 14);
            if (harness_is_full())
                check_batched(d, batched_dtypes[i], form, 20, 19, 20);
        }
    for (size_t i = 0; i < COUNT(batched_dtypes); ++i) {
        check_stack(d, batched_dtypes[i], 2, 3, 2, i % 2 ? 1200 : 70);
        check_stack(d, batched_dtypes[i], 20, 19, 3, 30);
    }
}

static void check_groups(device *d)
{
    for (size_t g = 0; g < COUNT(all_kinds); ++g)
        for (int function = 0; function < FUNCTIONS; ++function) {
            const subwave_group_kind kind = all_kinds[g];
            if (kind == SUBWAVE_GROUP_OPPORTUNISTIC && !d->cpu)
                continue;
            if (function >= ANY)
                check_group(d, function, SUBWAVE_DTYPE_U8, kind);
            else if (!harness_is_full())
                check_group(d, function, SUBWAVE_DTYPE_F32, kind);
            for (size_t i = 0; i < COUNT(number_dtypes) && function < ANY && harness_is_full(); ++i)
                check_group(d, function, number_dtypes[i], kind);
        }
}

static subwave_status run_reduce(subwave_context *context, const task *t, void *const *operand)
{
    return subwave_reduce(context, t->dtype, SUBWAVE_OP_PLUS, (subwave_order)t->function, t->n,
                          NULL, operand[FIRST], SUBWAVE_PLACE_DEVICE, operand[RESULT]);
}

static subwave_status run_scan(subwave_context *context, const task *t, void *const *operand)
{
    return subwave_scan(context, t->dtype, SUBWAVE_OP_PLUS, (subwave_scan_kind)t->function,
                        SUBWAVE_ORDER_FIXED, t->n, NULL, operand[FIRST], operand[RESULT]);
}

static subwave_status run_dot(subwave_context *context, const task *t, void *const *operand)
{
    return subwave_dot(context, t->dtype, SUBWAVE_CONJUGATION_FIRST, (subwave_order)t->function,
                       t->n, operand[FIRST], operand[FIRST], SUBWAVE_PLACE_DEVICE, operand[RESULT]);
}

static subwave_status run_norm2(subwave_context *context, const task *t, void *const *operand)
{
    return subwave_norm2(context, t->dtype, (subwave_order)t->function, t->n, operand[FIRST],
                         SUBWAVE_PLACE_DEVICE, operand[RESULT]);
}

static subwave_status run_row_minmax(subwave_context *context, const task *t, void *const *operand)
{
    return subwave_row_minmax_index(context, t->dtype, SUBWAVE_OP_MINIMUM, t->m, t->n,
                                    operand[FIRST], t->n, operand[RESULT], operand[MEMBERS]);
}

static subwave_status run_rows(subwave_context *context, const task *t, void *const *operand)
{
    return subwave_row_reduce(context, t->dtype, SUBWAVE_OP_PLUS, t->m, t->n, operand[FIRST], t->n,
                              operand[RESULT]);
}

static subwave_status run_row_scan(subwave_context *context, const task *t, void *const *operand)
{
    return subwave_row_scan(context, t->dtype, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE, t->m, t->n,
                            operand[FIRST], t->n, operand[RESULT], t->n);
}

/* Rows that share a wave; rows of several tiles, whose blocks may finish in any order. */
static void check_rows(device *d, subwave_dtype dtype)
{
    const size_t size = subwave_dtype_size(dtype);
    for (int i = 0; i < 6; ++i) {
        const bool is_long = i % 2, scans = i / 2 == 1, finds = i / 2 == 2;
        task t = {.run = scans   ? run_row_scan
                         : finds ? run_row_minmax
                                 : run_rows,
                  .dtype = dtype,
                  .m = is_long ? 2 : 150,
                  .n = (int64_t)((is_long ? 24003 : 203) / size)};
        snprintf(t.name, sizeof t.name, "row_%s %s",
                 scans   ? "scan"
                 : finds ? "minmax_index"
                         : "reduce",
                 subwave_dtype_name(dtype));
        add_operand(&t, FIRST, (size_t)(t.m * t.n), size);
        fill_numbers(dtype, t.before[FIRST], t.m * t.n, &d->random);
        add_operand(&t, RESULT, (size_t)(scans ? t.m * t.n : t.m), size);
        if (finds)
            add_operand(&t, MEMBERS, (size_t)t.m, sizeof(int64_t));
        check(d, &t);
    }
}

/* MEMBERS is the count. */
static subwave_status run_select(subwave_context *context, const task *t, void *const *operand)
{
    if (t->function == 0)
        return subwave_compact(context, t->dtype, t->n, operand[CHOICE], operand[FIRST],
                               operand[RESULT], operand[MEMBERS]);
    if (t->function == 1)
        return subwave_partition(context, t->dtype, t->n, operand[CHOICE], operand[FIRST],
                                 operand[RESULT], operand[SECOND], operand[MEMBERS]);
    return subwave_unique(context, t->dtype, t->n, operand[FIRST], operand[RESULT],
                          operand[MEMBERS]);
}

static void check_selections(device *d)
{
    for (size_t i = 0; i < COUNT(all_dtypes); ++i)
        for (int function = 0; function < 3; ++function) {
            const subwave_dtype dtype = all_dtypes[i];
            const size_t size = subwave_dtype_size(dtype);
            task t = {.run = run_select,
                      .dtype = dtype,
                      .n = (int64_t)(60003 / size),
                      .function = function};
            snprintf(t.name, sizeof t.name, "selection %d of %s", function,
                     subwave_dtype_name(dtype));
            add_operand(&t, FIRST, (size_t)t.n, size);
            add_operand(&t, CHOICE, (size_t)t.n, 1);
            for (int64_t e = 0; e < t.n; ++e) {
                const uint64_t bits = harness_random_bits(&d->random);
                memset((char *)t.before[FIRST] + (size_t)e * size, (int)(bits % 2), size);
                ((uint8_t *)t.before[CHOICE])[e] = (uint8_t)(bits >> 8 & 3);
            }
            add_operand(&t, SECOND, (size_t)t.n, size);
            add_operand(&t, RESULT, (size_t)t.n, size);
            add_operand(&t, MEMBERS, 1, sizeof(int64_t));
            check(d, &t);
        }
}

static subwave_status run_segments(subwave_context *context, const task *t, void *const *operand)
{
    return subwave_segmented_reduce(context, t->dtype, SUBWAVE_OP_PLUS, SUBWAVE_DTYPE_I32,
                                    t->function, operand[SECOND], t->n, operand[FIRST],
                                    operand[RESULT]);
}

static subwave_status run_scan_of_segments(subwave_context *context, const task *t,
                                           void *const *operand)
{
    return subwave_segmented_scan(context, t->dtype, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE,
                                  SUBWAVE_DTYPE_I32, t->function, operand[SECOND], t->n,
                                  operand[FIRST], operand[RESULT]);
}

/* Segments whose mean length is `mean`. */
static void check_segments(device *d, subwave_dtype dtype, int mean, bool scans)
{
    const size_t size = subwave_dtype_size(dtype);
    const int64_t n = (int64_t)(60003 / size), segments = n / mean;
    task t = {.run = scans ? run_scan_of_segments : run_segments,
              .dtype = dtype,
              .n = n,
              .function = (int)segments};
    snprintf(t.name, sizeof t.name, "%s of segments of %d of %s", scans ? "scan" : "reduce", mean,
             subwave_dtype_name(dtype));
    add_operand(&t, FIRST, (size_t)n, size);
    fill_numbers(dtype, t.before[FIRST], n, &d->random);
    add_operand(&t, SECOND, (size_t)segments + 1, sizeof(int32_t));
    int32_t *offsets = t.before[SECOND];
    offsets[0] = 0;
    for (int64_t s = 1; s <= segments; ++s) {
        const int64_t end =
            offsets[s - 1] + (int64_t)(harness_random_bits(&d->random) % (unsigned)(2 * mean + 1));
        offsets[s] = (int32_t)(end < n ? end : n);
    }
    add_operand(&t, RESULT, (size_t)(scans ? n : segments), size);
    check(d, &t);
}

static subwave_status run_scatter(subwave_context *context, const task *t, void *const *operand)
{
    return subwave_scatter_add(context, t->dtype, SUBWAVE_ORDER_DEVICE, t->n, SUBWAVE_DTYPE_I32,
                               operand[SECOND], operand[FIRST], t->function, operand[RESULT]);
}

/* So few cells that blocks sum in shared memory, or so many that it does not pay. */
static void check_scatter(device *d, subwave_dtype dtype, int cells)
{
    const size_t size = subwave_dtype_size(dtype);
    task t = {.run = run_scatter, .dtype = dtype, .n = (int64_t)(60003 / size), .function = cells};
    snprintf(t.name, sizeof t.name, "scatter_add to %d cells of %s", cells,
             subwave_dtype_name(dtype));
    add_operand(&t, FIRST, (size_t)t.n, size);
    fill_numbers(dtype, t.before[FIRST], t.n, &d->random);
    add_operand(&t, SECOND, (size_t)t.n, sizeof(int32_t));
    for (int64_t i = 0; i < t.n; ++i)
        ((int32_t *)t.before[SECOND])[i] =
            (int32_t)(harness_random_bits(&d->random) % (unsigned)cells);
    add_operand(&t, RESULT, (size_t)cells, size);
    check(d, &t);
}

static subwave_status run_weights(subwave_context *context, const task *t, void *const *operand)
{
    return subwave_histogram_weighted(context, t->dtype, SUBWAVE_ORDER_DEVICE, t->function, -1, 1,
                                      t->n, operand[SECOND], operand[FIRST], operand[RESULT]);
}

static void check_weights(device *d, subwave_dtype dtype, int bins)
{
    const size_t size = subwave_dtype_size(dtype);
    task t = {.run = run_weights, .dtype = dtype, .n = (int64_t)(60003 / size), .function = bins};
    snprintf(t.name, sizeof t.name, "weights in %d bins of %s", bins, subwave_dtype_name(dtype));
    add_operand(&t, FIRST, (size_t)t.n, size);
    fill_numbers(dtype, t.before[FIRST], t.n, &d->random);
    add_operand(&t, SECOND, (size_t)t.n, size);
    for (int64_t i = 0; i < t.n; ++i)
        reference_store(dtype, t.before[SECOND], i,
                        reference_encode(dtype, 1.2 * harness_random_sign(&d->random)));
    add_operand(&t, RESULT, (size_t)bins, size);
    check(d, &t);
}

/* Several tiles, whose blocks may finish in any order. */
static void check_arrays(device *d)
{
    for (size_t i = 0; i < COUNT(number_dtypes); ++i)
        for (size_t o = 0; o < COUNT(all_orders); ++o) {
            const subwave_dtype dtype = number_dtypes[i];
            if (!reference_is_floating(dtype))
                continue;
            const size_t size = subwave_dtype_size(dtype);
            task t = {.run = run_reduce,
                      .dtype = dtype,
                      .n = (int64_t)(60003 / size),
                      .function = (int)all_orders[o]};
            snprintf(t.name, sizeof t.name, "reduce %s %s", subwave_dtype_name(dtype),
                     subwave_order_name(all_orders[o]));
            add_operand(&t, FIRST, (size_t)t.n, size);
            fill_numbers(dtype, t.before[FIRST], t.n, &d->random);
            add_operand(&t, RESULT, 1, size);
            check(d, &t);
            for (int norm = 0; norm < 2; ++norm) {
                t = (task){.run = norm ? run_norm2 : run_dot,
                           .dtype = dtype,
                           .n = (int64_t)(60003 / size),
                           .function = (int)all_orders[o]};
                snprintf(t.name, sizeof t.name, "%s %s %s", norm ? "norm2" : "dot",
                         subwave_dtype_name(dtype), subwave_order_name(all_orders[o]));
                add_operand(&t, FIRST, (size_t)t.n, size);
                fill_numbers(dtype, t.before[FIRST], t.n, &d->random);
                add_operand(&t, RESULT, 1, size);
                check(d, &t);
            }
            check_segments(d, dtype, o ? 7 : 5000, false);
            check_segments(d, dtype, o ? 7 : 5000, true);
            if (size >= 4) {
                check_scatter(d, dtype, o ? 13 : 1500);
                check_weights(d, dtype, o ? 13 : 1500);
            }
            t = (task){.run = run_scan,
                       .dtype = dtype,
                       .n = (int64_t)(60003 / size),
                       .function = (int)(o ? SUBWAVE_SCAN_INCLUSIVE : SUBWAVE_SCAN_EXCLUSIVE)};
            snprintf(t.name, sizeof t.name, "scan %s %s", subwave_dtype_name(dtype),
                     subwave_scan_kind_name((subwave_scan_kind)t.function));
            add_operand(&t, FIRST, (size_t)t.n, size);
            fill_numbers(dtype, t.before[FIRST], t.n, &d->random);
            add_operand(&t, RESULT, (size_t)t.n, size);
            check(d, &t);
        }
}

static void check_all_rows(device *d)
{
    for (size_t i = 0; i < COUNT(number_dtypes); ++i)
        if (reference_is_floating(number_dtypes[i]))
            check_rows(d, number_dtypes[i]);
}

static void check_all(subwave_context *context, void (*all)(device *d))
{
    device d = device_open(context);
    pthread_t thread;
    failures = 0;
    atomic_store(&load_ends, false);
    assert_int_equal(pthread_create(&thread, NULL, load, NULL), 0);
    all(&d);
    atomic_store(&load_ends, true);
    pthread_join(thread, NULL);
    device_close(&d);
    assert_int_equal(failures, 0);
}

static void test_matmul(void **state) { check_all(*state, check_matmuls); }
static void test_batched(void **state) { check_all(*state, check_batches); }
static void test_groups(void **state) { check_all(*state, check_groups); }
static void test_arrays(void **state) { check_all(*state, check_arrays); }
static void test_rows(void **state) { check_all(*state, check_all_rows); }
static void test_selections(void **state) { check_all(*state, check_selections); }

/* --- the test's own eyes --------------------------------------------------------------------- */

static int calls;

/* A sum whose parts come in another order every fourth time. */
static subwave_status run_faulty(subwave_context *context, const task *t, void *const *operand)
{
    const float parts[] = {1e8f, -1e8f, 1.5f};
    const int first = ++calls % 4 ? 0 : 1;
    const float sum = parts[first] + parts[first + 1] + parts[first ? 0 : 2];
    return subwave_copy(context, operand[RESULT], &sum, (int64_t)t->bytes[RESULT]);
}

static void test_faults_are_noticed(void **state)
{
    device d = device_open(*state);
    task t = {.run = run_faulty};
    add_operand(&t, RESULT, 1, sizeof(float));
    calls = 0;
    assert_int_equal(count_changes(&d, &t), (repeats() + 1) / 4);
    task_destroy(&t);
    device_close(&d);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults_are_noticed),
        cmocka_unit_test(test_matmul),
        cmocka_unit_test(test_batched),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_selections),
    };
    return harness_run("determinism", tests, COUNT(tests));
}
