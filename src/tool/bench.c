/* SPDX-License-Identifier: MIT
 * bench.c: `subwave bench OPERATION`: times a compute call on each device, and checks each result.
 */
#include "commands.h"
#include "options.h"
#include "text.h"

#include <measure.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MOST_REPEATS = 1000 };

typedef struct settings {
    measure_problem problem; /* without what stands in the lists */
    text_list devices;
    variant_list variants;
    dtype_list dtypes;
    shape_list shapes;
    bool transpose_a, transpose_b, conjugate_a, conjugate_b, json, no_check, peer, progress;
    int repeat;
    double min_time;
    char name[40]; /* the command's */
} settings;

typedef struct device {
    subwave_context *context;
    subwave_device_properties about;
} device;

typedef struct result {
    measure_timing time;
    subwave_matmul_plan_info plan; /* no blocks: it is not of subwave_matmul, or it has none */
    double error;                  /* NaN if not checked */
    char failure[512];             /* why there is no result, or "" */
} result;

/* --- timing ---------------------------------------------------------------------------------- */

/* The library's call, or the plain loop. */
typedef struct work {
    const measure_data *data;
    void *a, *b, *c; /* of the plain loop */
    int calls;
} work;

static bool call_device(void *self, int set)
{
    return measure_queue(((const work *)self)->data, set) == SUBWAVE_STATUS_SUCCESS;
}

static bool wait_for(const work *w)
{
    return subwave_synchronize(w->data->context) == SUBWAVE_STATUS_SUCCESS;
}

static bool call_and_wait(void *self, int set) { return call_device(self, set) && wait_for(self); }

static bool call_plain(work *w)
{
    const measure_problem *p = &w->data->problem;
    return measure_plain_matmul(p->dtype, p->m, p->n, p->k, w->a, w->b, w->c);
}

static bool first_call(void *self)
{
    work *w = self;
    return w->c ? call_plain(w) : call_and_wait(w, 0);
}

static bool record(void *self, int calls)
{
    ((work *)self)->calls = calls;
    return true;
}

/* Short calls are queued together, so that the wait is not what is timed. */
static bool replay(void *self, double *seconds)
{
    work *w = self;
    bool good = true;
    const double start = measure_now();
    for (int i = 0; good && i < w->calls; ++i)
        good = w->c ? call_plain(w) : call_device(w, 0);
    good = good && (w->c || wait_for(w));
    *seconds = measure_now() - start;
    return good;
}

/* Where the first call takes the whole of the minimum time, it is the result: on the CPU device a
 * call may take seconds. */
static bool time_work(const settings *s, work *w, measure_timing *timing)
{
    const measure_subject subject = {w, first_call, record, replay};
    const measure_rules rules = {.batch_seconds = 2e-3,
                                 .sets = 1,
                                 .warm_up = -1,
                                 .fewest = 1,
                                 .most = s->repeat,
                                 .seconds = s->min_time,
                                 .noise = -1,
                                 .first_may_count = true};
    return measure_time(&subject, &rules, timing);
}

static bool has_elements(const measure_problem *p)
{
    return p->n > 0 && (!measure_is_product(p) || (p->m > 0 && p->k > 0 && p->batch > 0)) &&
           (!measure_is_rows(p) || p->m > 0) &&
           (!measure_is_transpose(p) || (p->m > 0 && p->batch > 0));
}

/* The least call with these arguments, which loads the kernel. */
static bool load_kernel(const measure_data *data)
{
    measure_data least = *data;
    measure_problem *p = &least.problem;
    p->m = p->k = p->batch = 1;
    p->n = measure_is_product(p) || measure_is_array(p) || measure_is_rows(p) ||
                   measure_is_transpose(p)
               ? 1
               : (int64_t)p->group.block[0] * p->group.block[1] * p->group.block[2];
    return p->n > data->problem.n || (measure_queue(&least, 0) == SUBWAVE_STATUS_SUCCESS &&
                                      measure_reset(data) == SUBWAVE_STATUS_SUCCESS);
}

/* Without blocks where the product will be refused. */
static subwave_matmul_plan_info plan_of(const measure_problem *p, const device *d)
{
    subwave_matmul_plan_info plan = {0};
    if (p->operation == MEASURE_MATMUL)
        (void)subwave_matmul_plan(d->context, p->variant, p->dtype, p->layout, p->transpose_a,
                                  p->transpose_b, p->m, p->n, p->k, &plan);
    return plan;
}

static result bench_device(const settings *s, const device *d, const measure_problem *p)
{
    result r = {.error = NAN, .plan = plan_of(p, d)};
    measure_data data;
    work w = {.data = &data};
    const char *reason = NULL;
    if (!measure_place(&data, d->context, p, 1))
        reason = data.reason;
    else if ((has_elements(p) && !load_kernel(&data)) || !time_work(s, &w, &r.time) ||
             (!s->no_check && !measure_error(&data, call_and_wait, &w, &r.error)))
        reason = subwave_last_error(d->context);
    if (reason)
        snprintf(r.failure, sizeof r.failure, "%s", *reason ? reason : "no reason given");
    measure_release(&data);
    return r;
}

/* The same product, whatever the layout and the transposes are. */
static result bench_plain(const settings *s, const device *d, const measure_problem *p)
{
    result r = {.error = NAN};
    measure_data data;
    work w = {.data = &data};
    const size_t size = subwave_dtype_size(p->dtype);
    const bool placed = measure_place(&data, d->context, p, 1);
    if (placed) {
        w.a = malloc((size_t)(p->m * p->k) * size + 1);
        w.b = malloc((size_t)(p->k * p->n) * size + 1);
        w.c = malloc((size_t)(p->m * p->n) * size + 1);
    }
    if (w.a && w.b && w.c) {
        measure_encode(p->dtype, p->m * p->k, data.a_values, w.a);
        measure_encode(p->dtype, p->k * p->n, data.b_values, w.b);
        time_work(s, &w, &r.time);
        if (!s->no_check)
            r.error = measure_product_error(&data, w.c, true);
    } else {
        snprintf(r.failure, sizeof r.failure, "%s", placed ? measure_no_memory : data.reason);
    }
    free(w.a);
    free(w.b);
    free(w.c);
    measure_release(&data);
    return r;
}

/* --- output ---------------------------------------------------------------------------------- */

enum { LABEL_SIZE = 120 };

/* "7 x 9 x 5", with the number of products if there are several; otherwise the work-items or
 * elements. */
static const char *size_label(char *label, const measure_problem *p)
{
    int length =
        measure_is_product(p)
            ? snprintf(label, LABEL_SIZE, "%" PRId64 " x %" PRId64 " x %" PRId64, p->m, p->n, p->k)
        : measure_is_transpose(p) || measure_is_rows(p)
            ? snprintf(label, LABEL_SIZE, "%" PRId64 " x %" PRId64, p->m, p->n)
            : snprintf(label, LABEL_SIZE, "%" PRId64, p->n);
    if ((measure_is_product(p) && p->operation != MEASURE_MATMUL) ||
        p->operation == MEASURE_TRANSPOSE_STRIDED_BATCHED)
        snprintf(label + length, LABEL_SIZE - (size_t)length, " *%" PRId64, p->batch);
    return label;
}

/* What variant_label shows. */
static const char *variant_heading(const measure_problem *p)
{
    return measure_is_product(p)     ? "variant"
           : measure_is_selection(p) ? "selected"
           : measure_has_segments(p) ? "lengths"
           : measure_is_array(p)     ? "order"
           : measure_is_rows(p)      ? "op"
           : measure_is_transpose(p) ? "layout"
                                     : "kind";
}

/* The variant of a product, the kind of a group, the order of an array, the op of rows,
 * the lengths of segments. */
static const char *variant_label(char *label, const measure_problem *p)
{
    if (p->operation == MEASURE_MATMUL)
        snprintf(label, LABEL_SIZE, "%s", subwave_variant_name(p->variant));
    else if (measure_is_product(p))
        snprintf(label, LABEL_SIZE, "%s",
                 p->operation == MEASURE_MATMUL_BATCHED   ? "pointers"
                 : p->operation == MEASURE_MATMUL_STACKED ? "stacked"
                                                          : "strided");
    else if (measure_is_selection(p))
        snprintf(label, LABEL_SIZE, "%s",
                 measure_has_comparison(p) ? subwave_comparison_name(p->comparison)
                 : measure_has_flags(p)    ? "flags"
                                           : "unequal");
    else if (measure_has_segments(p))
        snprintf(label, LABEL_SIZE, "%s", measure_lengths_name(p->lengths));
    else if (measure_is_array(p))
        snprintf(label, LABEL_SIZE, "%s", subwave_order_name(p->order));
    else if (measure_is_rows(p))
        snprintf(label, LABEL_SIZE, "%s", subwave_op_name(p->op));
    else if (measure_is_transpose(p))
        snprintf(label, LABEL_SIZE, "%s",
                 p->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR ? "column" : "row");
    else if (p->group.kind == SUBWAVE_GROUP_FIXED_SIZE)
        snprintf(label, LABEL_SIZE, "fixed_size %" PRId32, p->group.fixed_size);
    else
        snprintf(label, LABEL_SIZE, "%s", subwave_group_kind_name(p->group.kind));
    return label;
}

static void show_progress(const settings *s, const measure_problem *p, const char *who,
                          const char *variant)
{
    char size[LABEL_SIZE];
    if (s->progress || isatty(STDERR_FILENO))
        fprintf(stderr, "timing %s %s %s %s ...%s", who, variant, subwave_dtype_name(p->dtype),
                size_label(size, p), isatty(STDERR_FILENO) ? "" : "\n");
}

static void clear_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static bool is_right(const measure_problem *p, const result *r)
{
    return r->error <= measure_bound(p);
}

/* GFLOP/s of products, GB/s of other calls. */
static double rate(const measure_problem *p, const measure_timing *t)
{
    const double amount = measure_is_product(p) ? measure_flops(p) : measure_bytes(p);
    return t->median > 0 ? amount / t->median * 1e-9 : 0;
}

static void print_heading(const measure_problem *p)
{
    const bool product = measure_is_product(p);
    printf("%-8s  %-12s  %-5s  %-20s  %8s  %8s  %8s  %8s  %s\n", "device", variant_heading(p),
           "dtype",
           product                   ? "m x n x k"
           : measure_is_array(p)     ? "elements"
           : measure_is_rows(p)      ? "rows x length"
           : measure_is_transpose(p) ? "m x n"
                                     : "work-items",
           "time", "min", "max", product ? "GFLOP/s" : "GB/s", "error");
}

static void print_row(const settings *s, const measure_problem *p, const char *who,
                      const char *variant, const result *r)
{
    char size[LABEL_SIZE], text[TEXT_SIZE];
    printf("%-8s  %-12s  %-5s  %-20s  ", who, variant, subwave_dtype_name(p->dtype),
           size_label(size, p));
    if (r->failure[0]) {
        printf("failed: %s\n", r->failure);
        return;
    }
    const bool several = r->time.samples > 1;
    printf("%8s  ", format_time(text, r->time.median));
    printf("%8s  ", several ? format_time(text, r->time.least) : "one run");
    printf("%8s  ", several ? format_time(text, r->time.most) : "");
    printf("%8s  ", format_digits(text, rate(p, &r->time)));
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

static const char *truth(bool value) { return value ? "true" : "false"; }

static void print_json_problem(const measure_problem *p)
{
    if (measure_is_rows(p)) { /* whose op is printed already */
        printf(", \"m\": %" PRId64 ", \"n\": %" PRId64, p->m, p->n);
        return;
    }
    if (!measure_is_product(p)) {
        printf(", \"op\": \"%s\", \"n\": %" PRId64, subwave_op_name(p->op), p->n);
        return;
    }
    printf(", \"layout\": \"%s\", \"transpose_a\": %s, \"transpose_b\": %s, \"m\": %" PRId64
           ", \"n\": %" PRId64 ", \"k\": %" PRId64,
           p->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR ? "column" : "row",
           truth(p->transpose_a != SUBWAVE_TRANSPOSE_NONE),
           truth(p->transpose_b != SUBWAVE_TRANSPOSE_NONE), p->m, p->n, p->k);
    if (p->operation != MEASURE_MATMUL)
        printf(", \"batch\": %" PRId64, p->batch);
    if (p->operation == MEASURE_MATMUL_STACKED)
        printf(", \"terms\": %" PRId64, p->terms);
}

static void print_json_row(const settings *s, const measure_problem *p, const char *who,
                           const char *variant, const subwave_device_properties *about,
                           const result *r)
{
    printf("{\"case\": \"%s\", \"%s\": \"%s\", \"dtype\": \"%s\"",
           measure_operation_name(p->operation), variant_heading(p), variant,
           subwave_dtype_name(p->dtype));
    print_json_problem(p);
    printf(", \"device\": \"%s\", \"architecture\": \"%s\", \"backend\": \"%s\", \"wave\": %" PRId32
           ", \"version\": \"%s\"",
           who, about->architecture, about->backend, about->sub_group_sizes[0], subwave_version());
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
           r->time.samples, 1e6 * r->time.median, 1e6 * r->time.least, 1e6 * r->time.most);
    print_number(measure_is_product(p) ? "gflops" : "gbytes", rate(p, &r->time));
    print_number("error", r->error);
    print_number("bound", s->no_check ? NAN : measure_bound(p));
    printf(", \"ok\": %s}\n", s->no_check ? "null" : truth(is_right(p, r)));
}

static void describe_check(const measure_problem *p)
{
    char size[LABEL_SIZE];
    const measure_coverage checked = measure_covers(p);
    printf("%s %s: ", subwave_dtype_name(p->dtype), size_label(size, p));
    if (!checked.elements)
        printf("all elements checked");
    else
        printf("checked %" PRId64 " of %" PRId64 " rows and %" PRId64 " elements at random",
               checked.rows, p->m * measure_products(p), checked.elements);
    const bool small = subwave_dtype_size(p->dtype) == 2;
    printf("; limit k eps%s = %.1e\n", small ? " + rounding" : "", measure_bound(p));
}

/* --- the command ----------------------------------------------------------------------------- */

/* Prints a result; whether it is a good one. */
static bool report(const settings *s, const measure_problem *p, const char *who,
                   const char *variant, const subwave_device_properties *about, const result *r)
{
    char size[LABEL_SIZE];
    clear_progress();
    if (strcmp(r->failure, measure_no_memory) == 0)
        fail(s->name, "no memory for the matrices of %s", size_label(size, p));
    else if (s->json)
        print_json_row(s, p, who, variant, about, r);
    else
        print_row(s, p, who, variant, r);
    fflush(stdout);
    return !r->failure[0] && (s->no_check || is_right(p, r));
}

static bool bench_problem(const settings *s, const device *devices, measure_problem p)
{
    bool good = true, plain = s->peer;
    char label[LABEL_SIZE];
    for (int d = 0; d < s->devices.count; ++d) {
        const device *on = &devices[d];
        plain |= strcmp(on->about.backend, "cpu") == 0;
        for (int v = 0; v < s->variants.count; ++v) {
            p.variant = s->variants.item[v];
            show_progress(s, &p, on->about.id, variant_label(label, &p));
            const result r = bench_device(s, on, &p);
            good &= report(s, &p, on->about.id, label, &on->about, &r);
        }
    }
    const bool simple = p.operation == MEASURE_MATMUL && p.alpha[0] == 1 && p.beta[0] == 0;
    if (plain && simple &&
        (p.dtype == SUBWAVE_DTYPE_F32 || p.dtype == SUBWAVE_DTYPE_F64)) { /* C's types */
        subwave_device_properties host = {.backend = "plain-c", .sub_group_sizes = {1}};
        struct utsname machine;
        snprintf(host.architecture, sizeof host.architecture, "%.63s",
                 uname(&machine) == 0 ? machine.machine : "unknown");
        show_progress(s, &p, "host", "plain C loop");
        const result r = bench_plain(s, &devices[0], &p);
        good &= report(s, &p, "host", s->json ? "plain" : "plain C loop", &host, &r);
    }
    return good;
}

static const char *operand(subwave_transpose_kind transpose)
{
    return transpose == SUBWAVE_TRANSPOSE_NONE  ? ""
           : transpose == SUBWAVE_TRANSPOSE_YES ? "^T"
                                                : "^H";
}

static void print_title(const settings *s, const device *devices)
{
    const measure_problem *p = &s->problem;
    const bool alpha = p->alpha[0] != 1 || p->alpha[1] != 0,
               beta = p->beta[0] != 0 || p->beta[1] != 0;
    if (measure_is_product(p))
        printf("C = %sA%s B%s%s, %s-major\n", alpha ? "alpha " : "", operand(p->transpose_a),
               operand(p->transpose_b), beta ? " + beta C" : "",
               p->layout == SUBWAVE_LAYOUT_COLUMN_MAJOR ? "column" : "row");
    else
        printf("subwave_%s\n", measure_operation_name(p->operation));
    for (int d = 0; d < s->devices.count; ++d)
        printf("%s: %s, %s\n", devices[d].about.id, devices[d].about.name,
               devices[d].about.architecture);
    putchar('\n');
    print_heading(p);
}

static measure_problem problem_of(const settings *s, int dtype, int size)
{
    measure_problem p = s->problem;
    p.dtype = s->dtypes.item[dtype];
    p.n = s->shapes.item[size].n;
    p.m = s->shapes.item[size].m;
    p.k = s->shapes.item[size].k;
    return p;
}

/* What AUTO has chosen. */
static void describe_plan(const device *d, const measure_problem *p)
{
    char size[LABEL_SIZE];
    const subwave_matmul_plan_info plan = plan_of(p, d);
    if (plan.blocks)
        printf("%s, %s %s: auto is %s, %" PRId64 " blocks of %" PRId32 " x %" PRId32 "\n",
               d->about.id, subwave_dtype_name(p->dtype), size_label(size, p),
               subwave_variant_name(plan.variant), plan.blocks, plan.tile_rows, plan.tile_columns);
}

static void print_plans(const settings *s, const device *devices)
{
    bool any = false;
    for (int v = 0; s->problem.operation == MEASURE_MATMUL && v < s->variants.count; ++v)
        any |= s->variants.item[v] == SUBWAVE_VARIANT_AUTO;
    if (any)
        putchar('\n');
    for (int d = 0; any && d < s->devices.count; ++d)
        for (int t = 0; t < s->dtypes.count; ++t)
            for (int i = 0; i < s->shapes.count; ++i) {
                const measure_problem p = problem_of(s, t, i); /* its variant is AUTO */
                describe_plan(&devices[d], &p);
            }
}

static void print_notes(const settings *s)
{
    if (measure_is_array(&s->problem) || measure_is_rows(&s->problem)) {
        puts("\nerror: largest |result - reference| / sum |x| of a sum, otherwise 0 or inf");
        return;
    }
    if (measure_is_transpose(&s->problem)) {
        puts("\nerror: 0, or inf if an element is wrong");
        return;
    }
    if (!measure_is_product(&s->problem)) {
        puts("\nerror: largest |y - reference| / sum |x| of a sum, otherwise 0 or inf; about "
             "100,000 work-items checked");
        return;
    }
    puts(
        "\nerror: largest |C - reference| / sum |a b| of an element; reference: plain C, sums in f64");
    for (int t = 0; t < s->dtypes.count; ++t)
        for (int i = 0; i < s->shapes.count; ++i) {
            const measure_problem p = problem_of(s, t, i);
            describe_check(&p);
        }
}

static bool bench_all(const settings *s, const device *devices)
{
    bool good = true;
    if (!s->json)
        print_title(s, devices);
    for (int t = 0; t < s->dtypes.count; ++t)
        for (int i = 0; i < s->shapes.count; ++i)
            good &= bench_problem(s, devices, problem_of(s, t, i));
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
        return fail(s->name, "no memory");
    int code = EXIT_SUCCESS;
    for (int d = 0; d < s->devices.count && code == EXIT_SUCCESS; ++d) {
        const subwave_status status =
            subwave_context_create(&devices[d].context, s->devices.item[d]);
        if (status == SUBWAVE_STATUS_INVALID_VALUE)
            code = usage_error(s->name, "%s", subwave_last_error(NULL));
        else if (status != SUBWAVE_STATUS_SUCCESS)
            code = fail(s->name, "%s", subwave_last_error(NULL));
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

/* The operations that have an option, a bit for each. */
#define ONE(name) (UINT64_C(1) << MEASURE_##name)
enum {
    MATMUL = ONE(MATMUL),
    STRIDED = ONE(MATMUL_STRIDED_BATCHED),
    STACKED = ONE(MATMUL_STACKED),
    BATCHED = STRIDED | ONE(MATMUL_BATCHED) | STACKED,
    PRODUCTS = MATMUL | BATCHED,
    PRODUCT_SUMS = ONE(DOT) | ONE(NORM2),
    TRANSPOSES = ONE(TRANSPOSE) | ONE(TRANSPOSE_STRIDED_BATCHED),
    FOUND = ONE(MINMAX_INDEX) | ONE(ROW_MINMAX_INDEX),
    ROWS = ONE(ROW_REDUCE) | ONE(ROW_SCAN) | ONE(ROW_MINMAX_INDEX),
    SEGMENTED = ONE(SEGMENTED_REDUCE) | ONE(SEGMENTED_SCAN),
    SCATTER = ONE(SCATTER_ADD),
    FLAGGED = ONE(COMPACT) | ONE(PARTITION),
    COMPARED = ONE(COMPACT_IF) | ONE(PARTITION_IF),
    SELECTIONS = FLAGGED | COMPARED | ONE(UNIQUE) | ONE(APPEND),
    ARRAYS = ONE(REDUCE) | ONE(SCAN) | PRODUCT_SUMS | ONE(MINMAX_INDEX) | SELECTIONS |
             ONE(HISTOGRAM) | SEGMENTED | SCATTER,
    GROUP_COMBINING = ONE(GROUP_REDUCE) | ONE(GROUP_SCAN),
    COMBINING = GROUP_COMBINING | ONE(REDUCE) | ONE(SCAN) | ONE(ROW_REDUCE) | ONE(ROW_SCAN),
    MOVING = ONE(GROUP_BROADCAST) | ONE(GROUP_SHIFT) | ONE(GROUP_PERMUTE) | ONE(GROUP_SELECT),
    GROUPS = GROUP_COMBINING | MOVING | ONE(GROUP_VOTE) | ONE(GROUP_INFO),
    ALL = PRODUCTS | GROUPS | ARRAYS | ROWS | TRANSPOSES,
};

/* An option with a value, one that may be given more than once, and one without a value. */
static option one(const char *name, const char *value,
                  const char *(*take)(const char *value, void *target), void *target,
                  const char *help)
{
    return (option){.name = name, .value = value, .take = take, .target = target, .help = help};
}

static option several(const char *name, const char *value,
                      const char *(*take)(const char *value, void *target), void *target,
                      const char *help)
{
    option o = one(name, value, take, target, help);
    o.repeats = true;
    return o;
}

static option flag(const char *name, bool *target, const char *help)
{
    return one(name, NULL, take_flag, target, help);
}

static int print_help(void)
{
    puts("usage: subwave bench OPERATION [OPTION]...\n\n"
         "Times a compute call of the library, subwave_OPERATION, and checks its result.\n"
         "The lines that SUBWAVE_LOG=2 prints from any program are commands for this.\n\n"
         "operations:");
    int column = 0;
    for (int o = 0; o < MEASURE_OPERATIONS; ++o) {
        const char *const name = measure_operation_name((measure_operation)o);
        const bool breaks = o > 0 && column + 1 + (int)strlen(name) > 78;
        const int printed = printf("%s%s", o == 0 ? "  " : breaks ? "\n  " : " ", name);
        column = breaks ? printed - 1 : column + printed;
    }
    puts("\n\n'subwave bench OPERATION --help' shows an operation's options.");
    return EXIT_SUCCESS;
}

/* What was left out. */
static void complete(settings *s)
{
    measure_problem *p = &s->problem;
    if (isnan(s->min_time))
        s->min_time = s->repeat ? INFINITY : 0.3;
    if (!s->repeat)
        s->repeat = MOST_REPEATS;
    if (!s->devices.count)
        s->devices.item[s->devices.count++] = NULL; /* the library's choice */
    if (!s->dtypes.count)
        s->dtypes.item[s->dtypes.count++] = p->dtype;
    const int64_t size = p->operation == MEASURE_MATMUL                  ? 1024
                         : measure_is_product(p)                         ? 16
                         : measure_is_transpose(p) || measure_is_rows(p) ? 1000
                                                                         : 65536;
    if (!s->shapes.count)
        s->shapes.item[s->shapes.count++] = (shape){size, size, size};
    if (!s->variants.count)
        s->variants =
            p->operation != MEASURE_MATMUL
                ? (variant_list){1, {SUBWAVE_VARIANT_AUTO}}
                : (variant_list){
                      3, {SUBWAVE_VARIANT_NAIVE, SUBWAVE_VARIANT_LOCAL, SUBWAVE_VARIANT_BROADCAST}};
    p->transpose_a = s->conjugate_a   ? SUBWAVE_TRANSPOSE_CONJUGATE
                     : s->transpose_a ? SUBWAVE_TRANSPOSE_YES
                                      : SUBWAVE_TRANSPOSE_NONE;
    p->transpose_b = s->conjugate_b   ? SUBWAVE_TRANSPOSE_CONJUGATE
                     : s->transpose_b ? SUBWAVE_TRANSPOSE_YES
                                      : SUBWAVE_TRANSPOSE_NONE;
}

int bench_main(int argc, char **argv)
{
    if (argc < 2)
        return usage_error("bench",
                           "the operation is missing; there are matmul, group_reduce and so on");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help();
    measure_operation operation = 0;
    while (operation < MEASURE_OPERATIONS &&
           strcmp(argv[1], measure_operation_name(operation)) != 0)
        ++operation;
    if (operation == MEASURE_OPERATIONS)
        return usage_error(
            "bench", "unknown operation \"%s\"; there are matmul, group_reduce and so on", argv[1]);

    const uint64_t bit = UINT64_C(1) << operation;
    settings s = {.min_time = NAN /* until given */};
    s.problem = measure_default(operation,
                                bit & (PRODUCTS | COMBINING | MOVING | ARRAYS | ROWS | TRANSPOSES)
                                    ? SUBWAVE_DTYPE_F32
                                    : SUBWAVE_DTYPE_U8);
    measure_problem *p = &s.problem;
    if (bit & BATCHED)
        p->batch = 1000;
    if (bit & ONE(TRANSPOSE_STRIDED_BATCHED))
        p->batch = 10;
    const struct {
        uint64_t operations;
        option option;
    } table[] = {
        {ALL, several("--device", "ID", take_texts, &s.devices,
                      "a device of `subwave info`; without it, the one with the star")},
        {MATMUL,
         several("--variant", "NAME", take_variants, &s.variants, "(naive, local and broadcast)")},
        {MATMUL, several("--dtype", "TYPE", take_dtypes, &s.dtypes, "(f32)")},
        {BATCHED, several("--dtype", "TYPE", take_batched_dtypes, &s.dtypes, "(f32)")},
        {COMBINING | FOUND | COMPARED | ONE(HISTOGRAM) | SEGMENTED,
         several("--dtype", "TYPE", take_number_dtypes, &s.dtypes, "(f32)")},
        {SCATTER, several("--dtype", "TYPE", take_scatter_dtypes, &s.dtypes, "(f32)")},
        {PRODUCT_SUMS, several("--dtype", "TYPE", take_dot_dtypes, &s.dtypes, "(f32)")},
        {MOVING | TRANSPOSES | FLAGGED | ONE(UNIQUE) | ONE(APPEND),
         several("--dtype", "TYPE", take_all_dtypes, &s.dtypes, "(f32)")},
        {PRODUCTS, several("--size", "N|MxNxK", take_shapes, &s.shapes,
                           bit & MATMUL ? "C is M x N, summed over K (1024)"
                                        : "C is M x N, summed over K (16)")},
        {GROUPS, several("--size", "N", take_sizes, &s.shapes,
                         "work-items, a multiple of those of a block (65536)")},
        {ARRAYS, several("--size", "N", take_sizes, &s.shapes, "elements (65536)")},
        {TRANSPOSES, several("--size", "N|MxN", take_matrices, &s.shapes, "x is M x N (1000)")},
        {ROWS,
         several("--size", "N|MxN", take_matrices, &s.shapes, "x has M rows of N elements (1000)")},
        {ROWS & ~ONE(ROW_SCAN),
         one("--ld", "X", take_size, &p->ld[0], "elements from row to row (no gaps)")},
        {ONE(ROW_SCAN), one("--ld", "X,Y", take_pair, p->ld, "elements from row to row (no gaps)")},
        {ONE(TRANSPOSE_STRIDED_BATCHED),
         one("--batch", "COUNT", take_size, &p->batch, "how many matrices (10)")},
        {TRANSPOSES, one("--ld", "X,Y", take_pair, p->ld, "leading dimensions (no gaps)")},
        {ONE(TRANSPOSE_STRIDED_BATCHED), one("--strides", "X,Y", take_pair, p->stride,
                                             "elements from matrix to matrix (one after another)")},
        {BATCHED, one("--batch", "COUNT", take_size, &p->batch, "how many products (1000)")},
        {STACKED, one("--terms", "COUNT", take_size, &p->terms, "entries with the same C (16)")},
        {STACKED, flag("--scattered", &p->scattered,
                       "they come as far apart as they can, instead of one after the other")},
        {STACKED, one("--offsets", "TYPE", take_offset_dtype, &p->offset_dtype, "(i64)")},
        {PRODUCTS | TRANSPOSES, one("--layout", "ORDER", take_layout, &p->layout,
                                    "row or column: the order of all matrices (row)")},
        {PRODUCTS, flag("--transpose-a", &s.transpose_a, "A is stored transposed")},
        {PRODUCTS, flag("--transpose-b", &s.transpose_b, "B is stored transposed")},
        {PRODUCTS,
         flag("--conjugate-a", &s.conjugate_a, "the conjugate of A is stored transposed")},
        {PRODUCTS,
         flag("--conjugate-b", &s.conjugate_b, "the conjugate of B is stored transposed")},
        {PRODUCTS, one("--ld", "A,B,C", take_three, p->ld, "leading dimensions (no gaps)")},
        {STRIDED, one("--strides", "A,B,C", take_three, p->stride,
                      "elements from matrix to matrix (one after another)")},
        {PRODUCTS,
         one("--alpha", "X", take_scalar, p->alpha, "factor of the product; RE,IM if complex (1)")},
        {PRODUCTS, one("--beta", "X", take_scalar, p->beta, "factor of what C was before (0)")},
        {GROUPS, one("--kind", "KIND", take_kind, &p->group.kind, "(sub_group)")},
        {GROUPS, one("--block", "XxYxZ", take_block, p->group.block,
                     "work-items of a work-group (256x1x1)")},
        {GROUPS, one("--fixed-size", "COUNT", take_int, &p->group.fixed_size,
                     "members of a fixed-size group (8)")},
        {GROUPS, one("--branches", "COUNT", take_int, &p->group.branches,
                     "branches of tangle and opportunistic groups (3)")},
        {GROUPS, flag("--members", &p->members, "ask for the members as well")},
        {COMPARED, one("--comparison", "NAME", take_comparison, &p->comparison,
                       "with 0; with 4 if unsigned (less)")},
        {ONE(APPEND), one("--comparison", "NAME", take_comparison, &p->comparison,
                          "with 0; with 4 if unsigned (there are flags)")},
        {SEGMENTED, one("--segments", "COUNT", take_size, &p->segments, "how many (1000)")},
        {SEGMENTED, one("--offsets", "TYPE", take_offset_dtype, &p->offset_dtype, "(i64)")},
        {SEGMENTED, one("--lengths", "KIND", take_lengths, &p->lengths, "(random)")},
        {COMBINING | SEGMENTED, one("--op", "OP", take_op, &p->op, "(plus)")},
        {FOUND, one("--op", "OP", take_minmax, &p->op, "(minimum)")},
        {SCATTER, one("--cells", "COUNT", take_size, &p->bins, "of y (256)")},
        {SCATTER, one("--indices", "TYPE", take_offset_dtype, &p->offset_dtype, "(i64)")},
        {SCATTER, flag("--skewed", &p->skewed, "15 of 16 elements are for one cell")},
        {ONE(REDUCE) | ONE(SCAN) | PRODUCT_SUMS | SCATTER,
         one("--order", "ORDER", take_order, &p->order, "(fixed)")},
        {ONE(HISTOGRAM), flag("--weights", &p->weighted, "elements have weights, which are added")},
        {ONE(HISTOGRAM),
         one("--order", "ORDER", take_order, &p->order, "in which weights are added (fixed)")},
        {ONE(HISTOGRAM), one("--bins", "COUNT", take_size, &p->bins, "(256)")},
        {ONE(HISTOGRAM),
         flag("--boundaries", &p->bounded, "bins are given by an array of their boundaries")},
        {ONE(HISTOGRAM), flag("--skewed", &p->skewed, "15 of 16 elements are alike")},
        {ONE(DOT), one("--conjugation", "FACTOR", take_conjugation, &p->conjugation, "(none)")},
        {ONE(GROUP_SCAN) | ONE(SCAN) | ONE(ROW_SCAN) | ONE(SEGMENTED_SCAN),
         one("--scan", "SCAN", take_scan, &p->scan, "(inclusive)")},
        {COMBINING & ~ROWS, flag("--init", &p->has_init, "with a first value, which is 1")},
        {ONE(GROUP_BROADCAST), one("--local-id", "ID", take_unsigned, &p->amount,
                                   "of the member whose value is broadcast (1)")},
        {ONE(GROUP_SHIFT), one("--direction", "SIDE", take_shift, &p->direction, "(left)")},
        {ONE(GROUP_SHIFT),
         one("--delta", "COUNT", take_unsigned, &p->amount, "local ids to shift by (1)")},
        {ONE(GROUP_PERMUTE), one("--mask", "MASK", take_unsigned, &p->amount,
                                 "local ids are permuted by this exclusive or (1)")},
        {ONE(GROUP_VOTE), one("--vote", "VOTE", take_vote, &p->vote, "(all)")},
        {ALL, one("--repeat", "R", take_count, &s.repeat,
                  "at most R timed runs, 1 to 1000 (as many as --min-time allows)")},
        {ALL, one("--min-time", "S", take_seconds, &s.min_time,
                  "repeat for S seconds (0.3; no limit if only --repeat is given)")},
        {MATMUL, flag("--peer", &s.peer,
                      "time a plain C loop too, on one thread; always done with a CPU device")},
        {ALL, flag("--no-check", &s.no_check, "do not compare the results with the reference")},
        {ALL, flag("--json", &s.json, "print a JSON object a line instead of a table")},
        {ALL, flag("--progress", &s.progress,
                   "say on stderr what is being timed (without it, on a terminal only)")},
    };
    option options[sizeof table / sizeof *table];
    snprintf(s.name, sizeof s.name, "bench %s", measure_operation_name(operation));
    command c = {
        .name = s.name,
        .usage = "[OPTION]...",
        .about =
            bit & MATMUL
                ? "Times C = A B with each variant on each device, and checks each result against\n"
                  "plain C. A first run warms up; it is the result where it already takes the "
                  "minimum\n"
                  "time. Times are medians; short calls are queued in batches that are waited for "
                  "once.\n"
                  "Exit status: 1 if a check fails.\n"
                : "Times the call and checks its result against plain C; see 'subwave bench matmul "
                  "--help'.\n",
        .options = options};
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
        if (table[i].operations & bit)
            options[c.option_count++] = table[i].option;
    p->group.fixed_size = 8;
    int code;
    if (!parse_options(&c, argc - 1, argv + 1, NULL, &code))
        return code;
    complete(&s);
    return open_and_bench(&s);
}
