/* SPDX-License-Identifier: MIT
 * bench.c: `subwave bench matmul`: times each variant on each device, and checks each result.
 */
#include "commands.h"
#include "options.h"
#include "plain.h"
#include "text.h"

#include <subwave/subwave.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MOST_REPEATS = 1000, MOST_CALLS = 1000 };

typedef struct settings {
    text_list devices;
    variant_list variants;
    dtype_list dtypes;
    shape_list shapes;
    subwave_layout layout;
    bool transpose_a, transpose_b, json, no_check, peer, progress;
    int repeat;
    double min_time;
} settings;

typedef struct device {
    subwave_context *context;
    subwave_device_properties about;
} device;

/* One matrix product: the operands without gaps by rows, as the plain loops read them, and as the
 * devices are to get them. */
typedef struct problem {
    subwave_dtype dtype;
    shape size;
    size_t a_bytes, b_bytes, c_bytes;
    void *a, *b, *stored_a, *stored_b; /* stored_x is x itself where no transposition is needed */
    void *c;
    bool a_flipped, b_flipped, c_flipped; /* stored by columns */
} problem;

typedef struct timing {
    int repeats;
    double median, least, most;
} timing;

typedef struct result {
    timing time;
    subwave_matmul_plan_info plan; /* no blocks: it is not the library's, or it has none */
    double error;      /* the largest |C - reference| / sum |a b| of a cell; NaN if not checked */
    char failure[512]; /* why there is no result, or "" */
} result;

/* --- operands --------------------------------------------------------------------------------- */

static uint64_t random_bits(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static bool is_16_bit(subwave_dtype dtype)
{
    return dtype == SUBWAVE_DTYPE_F16 || dtype == SUBWAVE_DTYPE_BF16;
}

/* Uniform in [-1, 1), with all bits of the type's fraction in use. Those of 16 bits are sign and fraction
 * at random and an exponent of -4 to -1, so that no product is subnormal. */
static void fill(subwave_dtype dtype, void *data, int64_t count, uint64_t seed)
{
    const int fraction = dtype == SUBWAVE_DTYPE_F16 ? 10 : 7,
              bias = dtype == SUBWAVE_DTYPE_F16 ? 15 : 127;
    for (int64_t i = 0; i < count; ++i) {
        const uint64_t bits = random_bits(&seed);
        const double value = (double)(bits >> 11) * 0x1p-52 - 1;
        if (is_16_bit(dtype))
            ((uint16_t *)data)[i] =
                (uint16_t)((bits >> 48 & 0x8000) | (bits >> 32 & ((1u << fraction) - 1)) |
                           (uint64_t)(bias - 1 - (int)(bits >> 16 & 3)) << fraction);
        else if (dtype == SUBWAVE_DTYPE_F32)
            ((float *)data)[i] = (float)value;
        else
            ((double *)data)[i] = value;
    }
}

static void *transposed(size_t size, const void *from, int64_t rows, int64_t columns)
{
    char *to = malloc((size_t)(rows * columns) * size + 1);
    for (int64_t j = 0; to && j < columns; ++j)
        for (int64_t i = 0; i < rows; ++i)
            memcpy(to + (size_t)(j * rows + i) * size,
                   (const char *)from + (size_t)(i * columns + j) * size, size);
    return to;
}

static void free_problem(problem *p)
{
    if (p->stored_a != p->a)
        free(p->stored_a);
    if (p->stored_b != p->b)
        free(p->stored_b);
    free(p->a);
    free(p->b);
    free(p->c);
}

static bool matrix_bytes(int64_t rows, int64_t columns, size_t size, size_t *bytes)
{
    if (columns > 0 && rows > PTRDIFF_MAX / 8 / columns)
        return false;
    *bytes = (size_t)(rows * columns) * size;
    return true;
}

static bool make_problem(const settings *s, subwave_dtype dtype, shape size, problem *p)
{
    const bool column = s->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR;
    const size_t element = subwave_dtype_size(dtype);
    *p = (problem){.dtype = dtype,
                   .size = size,
                   .a_flipped = column != s->transpose_a,
                   .b_flipped = column != s->transpose_b,
                   .c_flipped = column};
    if (!matrix_bytes(size.m, size.k, element, &p->a_bytes) ||
        !matrix_bytes(size.k, size.n, element, &p->b_bytes) ||
        !matrix_bytes(size.m, size.n, element, &p->c_bytes))
        return false;
    p->a = malloc(p->a_bytes + 1);
    p->b = malloc(p->b_bytes + 1);
    p->c = malloc(p->c_bytes + 1);
    if (!p->a || !p->b || !p->c)
        return false;
    fill(dtype, p->a, size.m * size.k, 0x9e3779b97f4a7c15);
    fill(dtype, p->b, size.k * size.n, 0xd1b54a32d192ed03);
    p->stored_a = p->a_flipped ? transposed(element, p->a, size.m, size.k) : p->a;
    p->stored_b = p->b_flipped ? transposed(element, p->b, size.k, size.n) : p->b;
    return p->stored_a && p->stored_b;
}

/* --- the check -------------------------------------------------------------------------------- */

/* How much of C is compared: whole rows and single cells, so that it stays well under a second. */
typedef struct coverage {
    int64_t rows, cells;
} coverage;

static coverage choose_coverage(shape size)
{
    const double budget = 2e8, cell_budget = 2e7; /* multiplications; down a column they are slow */
    const double row_cost = (double)size.n * (double)size.k + 1;
    if (row_cost * (double)size.m <= budget)
        return (coverage){.rows = size.m};
    const double cells = cell_budget / (double)(size.k + 1);
    return (coverage){.rows = (int64_t)(budget / row_cost),
                      .cells = cells < 16      ? 16
                               : cells > 10000 ? 10000
                                               : (int64_t)cells};
}

static double cell_error(const problem *p, bool flipped, int64_t i, int64_t j, double sum,
                         double magnitude)
{
    const int64_t at = flipped ? i + j * p->size.m : i * p->size.n + j;
    const double found = plain_value(p->dtype, p->c, at);
    if (found == sum)
        return 0;
    const double error = fabs(found - sum) / magnitude;
    return isnan(error) ? INFINITY : error; /* a NaN must not hide in a maximum */
}

/* Compares p->c with the reference, unless that is not wanted. */
static void check(const settings *s, const problem *p, bool flipped, result *r)
{
    if (s->no_check)
        return;
    const shape size = p->size;
    const coverage checked = choose_coverage(size);
    uint64_t seed = 0x2545f4914f6cdd1d;
    double worst = 0;
    double *sum = malloc(2 * (size_t)size.n * sizeof *sum + 1), *magnitude = sum + size.n;
    if (!sum) {
        snprintf(r->failure, sizeof r->failure, "no memory to check the result");
        return;
    }
    for (int64_t drawn = 0; drawn < checked.rows; ++drawn) {
        /* All rows; or the first, the last and any between. */
        int64_t i = drawn;
        if (checked.rows < size.m && drawn > 0)
            i = drawn == 1 ? size.m - 1 : (int64_t)(random_bits(&seed) % (uint64_t)size.m);
        plain_row(p->dtype, i, size.n, size.k, p->a, p->b, sum, magnitude);
        for (int64_t j = 0; j < size.n; ++j)
            worst = fmax(worst, cell_error(p, flipped, i, j, sum[j], magnitude[j]));
    }
    free(sum);
    for (int64_t c = 0; c < checked.cells; ++c) {
        const int64_t i = (int64_t)(random_bits(&seed) % (uint64_t)size.m);
        const int64_t j = (int64_t)(random_bits(&seed) % (uint64_t)size.n);
        double cell_sum, cell_magnitude;
        plain_cell(p->dtype, i, j, size.n, size.k, p->a, p->b, &cell_sum, &cell_magnitude);
        worst = fmax(worst, cell_error(p, flipped, i, j, cell_sum, cell_magnitude));
    }
    r->error = worst;
}

/* Two roundings a term, one of the product and one of the sum; and where sums are f32 and C has 16 bits,
 * one more. */
static double error_bound(subwave_dtype dtype, int64_t k)
{
    const double rounding = dtype == SUBWAVE_DTYPE_F16    ? 0x1p-11
                            : dtype == SUBWAVE_DTYPE_BF16 ? 0x1p-8
                                                          : 0;
    return (double)k * (dtype == SUBWAVE_DTYPE_F64 ? DBL_EPSILON : FLT_EPSILON) + rounding;
}

/* --- timing ----------------------------------------------------------------------------------- */

/* Something to time: makes `calls` calls and waits for them; false on failure. */
typedef struct work {
    bool (*run)(const struct work *w, int calls);
    const problem *problem;
    const settings *settings;
    subwave_context *context;
    subwave_variant variant;
    void *a, *b, *c;
} work;

static int compare_doubles(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static bool time_run(const work *w, int calls, double *seconds)
{
    const double start = monotonic_seconds();
    const bool done = w->run(w, calls);
    *seconds = (monotonic_seconds() - start) / calls;
    return done;
}

/* The first run warms up. Where it takes the whole of the minimum time, it is the result: on the
 * CPU device a call may take seconds. Short calls are queued together, so that the wait is not
 * what is timed. */
static bool measure(const work *w, timing *t)
{
    double samples[MOST_REPEATS], estimate, total = 0;
    const double min_time = w->settings->min_time;
    t->repeats = 0;
    if (!time_run(w, 1, &samples[0]))
        return false;
    if (samples[0] >= min_time) {
        t->repeats = 1;
    } else {
        if (!time_run(w, 1, &estimate))
            return false;
        const double calls = 2e-3 / (estimate + 1e-9);
        const int batch = calls < 1 ? 1 : calls > MOST_CALLS ? MOST_CALLS : (int)calls;
        while (t->repeats < w->settings->repeat && total < min_time) {
            if (!time_run(w, batch, &samples[t->repeats]))
                return false;
            total += samples[t->repeats++] * batch;
        }
    }
    qsort(samples, (size_t)t->repeats, sizeof *samples, compare_doubles);
    const int middle = t->repeats / 2;
    t->least = samples[0];
    t->most = samples[t->repeats - 1];
    t->median = t->repeats % 2 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
    return true;
}

static bool run_plain(const work *w, int calls)
{
    const problem *p = w->problem;
    for (int i = 0; i < calls; ++i)
        plain_matmul(p->dtype, p->size.m, p->size.n, p->size.k, p->a, p->b, p->c);
    return true;
}

static int64_t at_least_1(int64_t size) { return size > 0 ? size : 1; }

static subwave_transpose transposed_if(bool yes)
{
    return yes ? SUBWAVE_TRANSPOSE_YES : SUBWAVE_TRANSPOSE_NONE;
}

static bool queue_matmul(const work *w, shape size)
{
    const float one_f32 = 1, zero_f32 = 0;
    const double one_f64 = 1, zero_f64 = 0;
    const problem *p = w->problem;
    const bool single = p->dtype != SUBWAVE_DTYPE_F64; /* the scalars */
    return subwave_matmul(
               w->context, w->variant, p->dtype, w->settings->layout,
               transposed_if(w->settings->transpose_a), transposed_if(w->settings->transpose_b),
               size.m, size.n, size.k, single ? (const void *)&one_f32 : &one_f64, w->a,
               at_least_1(p->a_flipped ? p->size.m : p->size.k), w->b,
               at_least_1(p->b_flipped ? p->size.k : p->size.n),
               single ? (const void *)&zero_f32 : &zero_f64, w->c,
               at_least_1(p->c_flipped ? p->size.m : p->size.n)) == SUBWAVE_STATUS_SUCCESS;
}

static bool run_device(const work *w, int calls)
{
    for (int i = 0; i < calls; ++i)
        if (!queue_matmul(w, w->problem->size))
            return false;
    return subwave_synchronize(w->context) == SUBWAVE_STATUS_SUCCESS;
}

static bool place(subwave_context *context, void **memory, const void *data, size_t bytes)
{
    return subwave_malloc(context, memory, (int64_t)bytes) == SUBWAVE_STATUS_SUCCESS &&
           subwave_copy(context, *memory, data, (int64_t)bytes) == SUBWAVE_STATUS_SUCCESS;
}

static bool measure_device(work *w, problem *p, timing *t)
{
    /* C starts as NaN everywhere: a cell that no kernel wrote is found. */
    memset(p->c, 0xff, p->c_bytes);
    const bool some = p->size.m > 0 && p->size.n > 0 && p->size.k > 0;
    return place(w->context, &w->a, p->stored_a, p->a_bytes) &&
           place(w->context, &w->b, p->stored_b, p->b_bytes) &&
           place(w->context, &w->c, p->c, p->c_bytes) &&
           (!some || queue_matmul(w, (shape){1, 1, 1})) && /* loads the kernel */
           measure(w, t) &&
           subwave_copy(w->context, p->c, w->c, (int64_t)p->c_bytes) == SUBWAVE_STATUS_SUCCESS;
}

/* Without blocks where the product will be refused. */
static subwave_matmul_plan_info plan_of(const settings *s, const device *d, subwave_variant variant,
                                        subwave_dtype dtype, shape size)
{
    subwave_matmul_plan_info plan = {0};
    (void)subwave_matmul_plan(d->context, variant, dtype, s->layout, transposed_if(s->transpose_a),
                              transposed_if(s->transpose_b), size.m, size.n, size.k, &plan);
    return plan;
}

static result bench_device(const settings *s, const device *d, subwave_variant variant, problem *p)
{
    work w = {
        .run = run_device, .problem = p, .settings = s, .context = d->context, .variant = variant};
    result r = {.error = NAN};
    r.plan = plan_of(s, d, variant, p->dtype, p->size);
    if (measure_device(&w, p, &r.time)) {
        check(s, p, p->c_flipped, &r);
    } else {
        const char *reason = subwave_last_error(d->context);
        snprintf(r.failure, sizeof r.failure, "%s", *reason ? reason : "no reason given");
    }
    subwave_free(d->context, w.a);
    subwave_free(d->context, w.b);
    subwave_free(d->context, w.c);
    return r;
}

static result bench_plain(const settings *s, problem *p)
{
    const work w = {.run = run_plain, .problem = p, .settings = s};
    result r = {.error = NAN};
    measure(&w, &r.time);
    check(s, p, false, &r);
    return r;
}

/* --- output ----------------------------------------------------------------------------------- */

static void show_progress(const settings *s, const problem *p, const char *who, const char *variant)
{
    if (!s->progress && !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "timing %s %s %s %" PRId64 " x %" PRId64 " x %" PRId64 " ...%s", who, variant,
            subwave_dtype_name(p->dtype), p->size.m, p->size.n, p->size.k,
            isatty(STDERR_FILENO) ? "" : "\n");
}

static void clear_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static bool is_right(const problem *p, const result *r)
{
    return r->error <= error_bound(p->dtype, p->size.k);
}

static double gflops(const problem *p, const timing *t)
{
    const double flops = 2.0 * (double)p->size.m * (double)p->size.n * (double)p->size.k;
    return t->median > 0 ? flops / t->median * 1e-9 : 0;
}

static void print_heading(void)
{
    printf("%-8s  %-12s  %-5s  %-20s  %8s  %8s  %8s  %8s  %s\n", "device", "variant", "dtype",
           "m x n x k", "time", "min", "max", "GFLOP/s", "error");
}

static void print_row(const settings *s, const problem *p, const char *who, const char *variant,
                      const result *r)
{
    char sizes[80], text[TEXT_SIZE];
    snprintf(sizes, sizeof sizes, "%" PRId64 " x %" PRId64 " x %" PRId64, p->size.m, p->size.n,
             p->size.k);
    printf("%-8s  %-12s  %-5s  %-20s  ", who, variant, subwave_dtype_name(p->dtype), sizes);
    if (r->failure[0]) {
        printf("failed: %s\n", r->failure);
        return;
    }
    const bool several = r->time.repeats > 1;
    printf("%8s  ", format_time(text, r->time.median));
    printf("%8s  ", several ? format_time(text, r->time.least) : "one run");
    printf("%8s  ", several ? format_time(text, r->time.most) : "");
    printf("%8s  ", format_digits(text, gflops(p, &r->time)));
    if (s->no_check)
        puts("not checked");
    else
        printf("%.1e%s\n", r->error, is_right(p, r) ? "" : "  WRONG");
}

static void print_number(const char *name, double value)
{
    if (isfinite(value))
        printf(", \"%s\": %.6g", name, value);
    else
        printf(", \"%s\": null", name);
}

static void print_json_row(const settings *s, const problem *p, const char *who,
                           const char *variant, const subwave_device_properties *about,
                           const result *r)
{
    printf("{\"case\": \"matmul\", \"variant\": \"%s\", \"dtype\": \"%s\", \"layout\": \"%s\", "
           "\"transpose_a\": %s, \"transpose_b\": %s, \"m\": %" PRId64 ", \"n\": %" PRId64
           ", \"k\": %" PRId64 ", \"device\": \"%s\", \"architecture\": \"%s\", "
           "\"backend\": \"%s\", \"wave\": %" PRId32 ", \"version\": \"%s\"",
           variant, subwave_dtype_name(p->dtype),
           s->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR ? "column" : "row",
           s->transpose_a ? "true" : "false", s->transpose_b ? "true" : "false", p->size.m,
           p->size.n, p->size.k, who, about->architecture, about->backend,
           about->sub_group_sizes[0], subwave_version());
    if (r->plan.blocks)
        printf(", \"plan\": {\"variant\": \"%s\", \"tile\": [%" PRId32 ", %" PRId32
               "], \"blocks\": %" PRId64 "}",
               subwave_variant_name(r->plan.variant), r->plan.tile_rows, r->plan.tile_columns,
               (int64_t)r->plan.blocks);
    else
        printf(", \"plan\": null");
    if (r->failure[0]) {
        printf(", \"failure\": ");
        print_json(stdout, r->failure);
        puts(", \"ok\": false}");
        return;
    }
    printf(", \"repeats\": %d, \"time_us\": {\"median\": %.6g, \"min\": %.6g, \"max\": %.6g}",
           r->time.repeats, 1e6 * r->time.median, 1e6 * r->time.least, 1e6 * r->time.most);
    print_number("gflops", gflops(p, &r->time));
    print_number("error", r->error);
    print_number("bound", s->no_check ? NAN : error_bound(p->dtype, p->size.k));
    printf(", \"ok\": %s}\n", s->no_check ? "null" : is_right(p, r) ? "true" : "false");
}

static void describe_check(subwave_dtype dtype, shape size)
{
    const coverage checked = choose_coverage(size);
    printf("%s %" PRId64 " x %" PRId64 " x %" PRId64 ": ", subwave_dtype_name(dtype), size.m,
           size.n, size.k);
    if (!checked.cells)
        printf("all cells checked");
    else
        printf("checked %" PRId64 " of %" PRId64 " rows and %" PRId64 " cells at random",
               checked.rows, size.m, checked.cells);
    printf("; limit k eps%s = %.1e\n", is_16_bit(dtype) ? " + rounding" : "",
           error_bound(dtype, size.k));
}

/* --- the command ------------------------------------------------------------------------------ */

/* Prints a result; whether it is a good one. */
static bool report(const settings *s, const problem *p, const char *who, const char *variant,
                   const subwave_device_properties *about, const result *r)
{
    clear_progress();
    if (s->json)
        print_json_row(s, p, who, variant, about, r);
    else
        print_row(s, p, who, variant, r);
    fflush(stdout);
    return !r->failure[0] && (s->no_check || is_right(p, r));
}

static bool bench_problem(const settings *s, const device *devices, problem *p)
{
    bool good = true, plain = s->peer;
    for (int d = 0; d < s->devices.count; ++d) {
        const device *on = &devices[d];
        plain |= strcmp(on->about.backend, "cpu") == 0;
        for (int v = 0; v < s->variants.count; ++v) {
            const char *variant = subwave_variant_name(s->variants.item[v]);
            show_progress(s, p, on->about.id, variant);
            const result r = bench_device(s, on, s->variants.item[v], p);
            good &= report(s, p, on->about.id, variant, &on->about, &r);
        }
    }
    if (plain && !is_16_bit(p->dtype)) { /* C has no such type */
        subwave_device_properties host = {.backend = "plain-c", .sub_group_sizes = {1}};
        struct utsname machine;
        snprintf(host.architecture, sizeof host.architecture, "%.63s",
                 uname(&machine) == 0 ? machine.machine : "unknown");
        show_progress(s, p, "host", "plain C loop");
        const result r = bench_plain(s, p);
        good &= report(s, p, "host", s->json ? "plain" : "plain C loop", &host, &r);
    }
    return good;
}

static void print_title(const settings *s, const device *devices)
{
    printf("C = %s %s, %s-major\n", s->transpose_a ? "A^T" : "A", s->transpose_b ? "B^T" : "B",
           s->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR ? "column" : "row");
    for (int d = 0; d < s->devices.count; ++d)
        printf("%s: %s, %s\n", devices[d].about.id, devices[d].about.name,
               devices[d].about.architecture);
    putchar('\n');
    print_heading();
}

/* What AUTO has chosen. */
static void describe_plan(const settings *s, const device *d, subwave_dtype dtype, shape size)
{
    const subwave_matmul_plan_info plan = plan_of(s, d, SUBWAVE_VARIANT_AUTO, dtype, size);
    if (plan.blocks)
        printf("%s, %s %" PRId64 " x %" PRId64 " x %" PRId64 ": auto is %s, %" PRId64
               " blocks of %" PRId32 " x %" PRId32 "\n",
               d->about.id, subwave_dtype_name(dtype), size.m, size.n, size.k,
               subwave_variant_name(plan.variant), plan.blocks, plan.tile_rows, plan.tile_columns);
}

static void print_plans(const settings *s, const device *devices)
{
    bool any = false;
    for (int v = 0; v < s->variants.count; ++v)
        any |= s->variants.item[v] == SUBWAVE_VARIANT_AUTO;
    if (any)
        putchar('\n');
    for (int d = 0; any && d < s->devices.count; ++d)
        for (int t = 0; t < s->dtypes.count; ++t)
            for (int i = 0; i < s->shapes.count; ++i)
                describe_plan(s, &devices[d], s->dtypes.item[t], s->shapes.item[i]);
}

static void print_notes(const settings *s)
{
    puts("\nerror: largest |C - reference| / sum |a b| of a cell; reference: plain C, sums in f64");
    for (int t = 0; t < s->dtypes.count; ++t)
        for (int i = 0; i < s->shapes.count; ++i)
            describe_check(s->dtypes.item[t], s->shapes.item[i]);
}

static bool bench_all(const settings *s, const device *devices)
{
    bool good = true;
    if (!s->json)
        print_title(s, devices);
    for (int t = 0; t < s->dtypes.count; ++t)
        for (int i = 0; i < s->shapes.count; ++i) {
            problem p;
            const shape size = s->shapes.item[i];
            if (make_problem(s, s->dtypes.item[t], size, &p)) {
                good &= bench_problem(s, devices, &p);
            } else {
                fail("bench matmul",
                     "no memory for the matrices of %" PRId64 " x %" PRId64 " x %" PRId64, size.m,
                     size.n, size.k);
                good = false;
            }
            free_problem(&p);
        }
    if (!s->json)
        print_plans(s, devices);
    if (!s->json && !s->no_check)
        print_notes(s);
    return good;
}

/* All devices are opened before anything is timed, so that a wrong name is told at once. */
static int open_and_bench(const settings *s)
{
    device *devices = calloc((size_t)s->devices.count, sizeof *devices);
    if (!devices)
        return fail("bench matmul", "no memory");
    int code = EXIT_SUCCESS;
    for (int d = 0; d < s->devices.count && code == EXIT_SUCCESS; ++d) {
        const subwave_status status =
            subwave_context_create(&devices[d].context, s->devices.item[d]);
        if (status == SUBWAVE_STATUS_INVALID_VALUE)
            code = usage_error("bench matmul", "%s", subwave_last_error(NULL));
        else if (status != SUBWAVE_STATUS_SUCCESS)
            code = fail("bench matmul", "%s", subwave_last_error(NULL));
        else
            subwave_context_info(devices[d].context, &devices[d].about);
    }
    if (code == EXIT_SUCCESS && !bench_all(s, devices))
        code = EXIT_FAILURE;
    for (int d = 0; d < s->devices.count; ++d)
        subwave_context_destroy(&devices[d].context);
    free(devices);
    return code;
}

int bench_main(int argc, char **argv)
{
    settings s = {.layout = SUBWAVE_LAYOUT_ROW_MAJOR, .min_time = NAN /* until given */};
    option options[] = {
        {.name = "--device",
         .value = "ID",
         .take = take_texts,
         .target = &s.devices,
         .repeats = true,
         .help = "a device of `subwave info`; without it, the one with the star"},
        {.name = "--variant",
         .value = "NAME",
         .take = take_variants,
         .target = &s.variants,
         .repeats = true,
         .help = "naive, local, broadcast (these three), tutorial, matrix, skinny, auto"},
        {.name = "--dtype",
         .value = "TYPE",
         .take = take_dtypes,
         .target = &s.dtypes,
         .repeats = true,
         .help = "f16, bf16, f32 or f64 (f32)"},
        {.name = "--size",
         .value = "N|MxNxK",
         .take = take_shapes,
         .target = &s.shapes,
         .repeats = true,
         .help = "C is M x N, summed over K (1024)"},
        {.name = "--layout",
         .value = "ORDER",
         .take = take_layout,
         .target = &s.layout,
         .help = "row or column: the order of all matrices (row)"},
        {.name = "--transpose-a",
         .take = take_flag,
         .target = &s.transpose_a,
         .help = "A is stored transposed"},
        {.name = "--transpose-b",
         .take = take_flag,
         .target = &s.transpose_b,
         .help = "B is stored transposed"},
        {.name = "--repeat",
         .value = "R",
         .take = take_count,
         .target = &s.repeat,
         .help = "at most R timed runs, 1 to 1000 (as many as --min-time allows)"},
        {.name = "--min-time",
         .value = "S",
         .take = take_seconds,
         .target = &s.min_time,
         .help = "repeat for S seconds (0.3; no limit if only --repeat is given)"},
        {.name = "--peer",
         .take = take_flag,
         .target = &s.peer,
         .help = "time a plain C loop too, on one thread; always done with a CPU device"},
        {.name = "--no-check",
         .take = take_flag,
         .target = &s.no_check,
         .help = "do not compare the results with the reference"},
        {.name = "--json",
         .take = take_flag,
         .target = &s.json,
         .help = "print a JSON object a line instead of a table"},
        {.name = "--progress",
         .take = take_flag,
         .target = &s.progress,
         .help = "say on stderr what is being timed (without it, on a terminal only)"},
    };
    command c = {
        .name = "bench matmul",
        .usage = "[OPTION]...",
        .about =
            "Times C = A B with each variant on each device, and checks each result against\n"
            "plain C. A first run warms up; it is the result where it already takes the minimum\n"
            "time. Times are medians; short calls are queued in batches that are waited for once.\n"
            "The lines that SUBWAVE_LOG=2 prints from any program are commands for this.\n"
            "Exit status: 1 if a check fails.\n",
        .options = options,
        .option_count = sizeof options / sizeof *options};
    if (argc < 2)
        return usage_error("bench", "the operation is missing; there is matmul");
    /* So far there is one operation, so its help is the command's. */
    const bool help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
    if (!help && strcmp(argv[1], "matmul") != 0)
        return usage_error("bench", "unknown operation \"%s\"; there is matmul", argv[1]);
    int code;
    if (!parse_options(&c, argc - !help, argv + !help, NULL, &code))
        return code;

    if (isnan(s.min_time))
        s.min_time = s.repeat ? INFINITY : 0.3;
    if (!s.repeat)
        s.repeat = MOST_REPEATS;
    if (!s.devices.count)
        s.devices.item[s.devices.count++] = NULL; /* the library's choice */
    if (!s.dtypes.count)
        s.dtypes.item[s.dtypes.count++] = SUBWAVE_DTYPE_F32;
    if (!s.shapes.count)
        s.shapes.item[s.shapes.count++] = (shape){1024, 1024, 1024};
    if (!s.variants.count)
        s.variants = (variant_list){
            3, {SUBWAVE_VARIANT_NAIVE, SUBWAVE_VARIANT_LOCAL, SUBWAVE_VARIANT_BROADCAST}};
    return open_and_bench(&s);
}
