/* SPDX-License-Identifier: MIT
 * tensor_ceed.c: times subwave_tensor_apply and subwave_tensor_gradient beside libCEED's bases, on the
 * same elements in the same memory, in f64 and three directions, and compares the results.
 *
 *   subwave-bench-ceed [RESOURCE [MEGABYTES]]      libCEED's, /gpu/cuda/shared; of a case, 800
 *
 * libCEED launches on the default stream, which no graph can record: both are timed by the host's clock,
 * several calls together, on arrays in turn that together exceed any cache.
 */
#include "measure.h"

#include <ceed.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 3, MOST = 8 };

static subwave_context *context;

static void expect(int status, const char *text)
{
    if (status == 0)
        return;
    fprintf(stderr, "subwave-bench-ceed: %s\n", text);
    exit(1);
}
#define EXPECT(call) expect((int)(call), subwave_last_error(context))
#define EXPECT_CEED(call) expect((call), #call)

/* Elements of `points` points in each of three directions. */
typedef struct problem {
    int points, fields; /* 1: apply; 3: gradient */
    int64_t elements, in, out;
    double *x[SETS], *y[SETS], *b, *g; /* in device memory */
    CeedBasis basis;
    CeedVector from[SETS], to[SETS];
} problem;

static void by_subwave(problem *p, int set)
{
    const double one = 1, zero = 0;
    const int32_t n = p->points;
    if (p->fields == 1)
        EXPECT(subwave_tensor_apply(context, SUBWAVE_DTYPE_F64, SUBWAVE_TRANSPOSE_NONE, 3, n, n,
                                    &one, p->b, p->b, p->b, p->x[set], p->in, 0, &zero, p->y[set],
                                    p->in, 0, 1, p->elements));
    else
        EXPECT(subwave_tensor_gradient(context, SUBWAVE_DTYPE_F64, SUBWAVE_TRANSPOSE_NONE, 3, n, n,
                                       &one, p->b, p->g, p->x[set], p->in, 0, &zero, p->y[set],
                                       p->in, 0, p->in * p->elements, 1, p->elements));
}

static void by_ceed(problem *p, int set)
{
    EXPECT_CEED(CeedBasisApply(p->basis, (CeedInt)p->elements, CEED_NOTRANSPOSE,
                               p->fields == 1 ? CEED_EVAL_INTERP : CEED_EVAL_GRAD, p->from[set],
                               p->to[set]));
}

/* A case and what computes it: `calls` calls are a batch. */
typedef struct subject {
    problem *of;
    void (*call)(problem *, int);
    int calls;
} subject;

static bool record(void *self, int calls)
{
    ((subject *)self)->calls = calls;
    return true;
}
static bool replay(void *self, double *seconds)
{
    const subject *const s = self;
    const double begun = measure_now();
    for (int c = 0; c < s->calls; ++c)
        s->call(s->of, c % SETS);
    EXPECT(subwave_synchronize(context));
    *seconds = measure_now() - begun;
    return true;
}
static bool first(void *self)
{
    double seconds;
    return record(self, 1) && replay(self, &seconds);
}

/* The median of the seconds of a call. */
static double time_of(problem *p, void (*call)(problem *, int))
{
    subject s = {p, call, 1};
    const measure_subject timed = {&s, first, record, replay};
    const measure_rules rules = {.batch_seconds = 5e-3,
                                 .sets = SETS,
                                 .warm_up = 0.02,
                                 .fewest = 7,
                                 .most = 1000,
                                 .seconds = 0.3,
                                 .noise = 0.01};
    measure_timing timing;
    expect(!measure_time(&timed, &rules, &timing), "no time");
    return timing.median;
}

static double *upload(const double *from, int64_t count)
{
    double *to;
    EXPECT(subwave_malloc(context, (void **)&to, count * 8));
    if (from)
        EXPECT(subwave_copy(context, to, from, count * 8));
    return to;
}

/* The largest difference of the first set's results, beside the largest result. */
static double difference(problem *p)
{
    double *const ours = malloc((size_t)p->out * 8), *const theirs = malloc((size_t)p->out * 8);
    double worst = 0, most = 0;
    expect(!ours || !theirs, "no memory");
    by_subwave(p, 0);
    EXPECT(subwave_copy(context, ours, p->y[0], p->out * 8));
    by_ceed(p, 0);
    EXPECT(subwave_copy(context, theirs, p->y[0], p->out * 8));
    for (int64_t i = 0; i < p->out; ++i) {
        const double off = fabs(ours[i] - theirs[i]);
        worst = off <= worst ? worst : off;
        most = fabs(ours[i]) > most ? fabs(ours[i]) : most;
    }
    free(ours);
    free(theirs);
    return worst / most;
}

static void measure(Ceed ceed, int64_t bytes, int points, int fields)
{
    problem p = {.points = points, .fields = fields, .in = (int64_t)points * points * points};
    p.elements = 1 + bytes / (8 * p.in * (1 + fields));
    p.out = p.in * p.elements * fields;
    double b[MOST * MOST], g[MOST * MOST], q[MOST] = {0}, weights[MOST] = {0};
    for (int j = 0; j < points; ++j)
        for (int i = 0; i < points; ++i) { /* B is far from singular: libCEED divides by it */
            b[j * points + i] = (i == j) + 0.1 * sin(1 + j + 3 * i);
            g[j * points + i] = cos(2 * j + i);
        }
    double *const x = malloc((size_t)(p.in * p.elements) * 8);
    expect(!x, "no memory");
    for (int64_t i = 0; i < p.in * p.elements; ++i)
        x[i] = (double)(i * 7919 % 1000) / 500 - 1;
    p.b = upload(b, points * points);
    p.g = upload(g, points * points);
    EXPECT_CEED(CeedBasisCreateTensorH1(ceed, 3, 1, points, points, b, g, q, weights, &p.basis));
    for (int s = 0; s < SETS; ++s) {
        p.x[s] = upload(x, p.in * p.elements);
        p.y[s] = upload(NULL, p.out);
        EXPECT_CEED(CeedVectorCreate(ceed, p.in * p.elements, &p.from[s]));
        EXPECT_CEED(CeedVectorCreate(ceed, p.out, &p.to[s]));
        EXPECT_CEED(CeedVectorSetArray(p.from[s], CEED_MEM_DEVICE, CEED_USE_POINTER, p.x[s]));
        EXPECT_CEED(CeedVectorSetArray(p.to[s], CEED_MEM_DEVICE, CEED_USE_POINTER, p.y[s]));
    }
    free(x);
    const double off = difference(&p);
    const double ours = time_of(&p, by_subwave), theirs = time_of(&p, by_ceed);
    const double gigabytes = 8e-9 * (double)(p.in * p.elements + p.out);
    printf("%d points, %-8s  subwave %5.0f GB/s, libCEED %5.0f GB/s, ratio %.2f  difference %.1e\n",
           points, fields == 1 ? "apply" : "gradient", gigabytes / ours, gigabytes / theirs,
           theirs / ours, off);
    fflush(stdout);
    for (int s = 0; s < SETS; ++s) {
        EXPECT_CEED(CeedVectorDestroy(&p.from[s]));
        EXPECT_CEED(CeedVectorDestroy(&p.to[s]));
        EXPECT(subwave_free(context, p.x[s]));
        EXPECT(subwave_free(context, p.y[s]));
    }
    EXPECT_CEED(CeedBasisDestroy(&p.basis));
    EXPECT(subwave_free(context, p.b));
    EXPECT(subwave_free(context, p.g));
    if (!(off < 1e-11))
        expect(1, "the results differ");
}

int main(int argc, char **argv)
{
    Ceed ceed;
    subwave_device_properties device;
    const char *const resource = argc > 1 ? argv[1] : "/gpu/cuda/shared", *used;
    const int64_t bytes = (int64_t)(1e6 * (argc > 2 ? atof(argv[2]) : 800));
    EXPECT(subwave_context_create(&context, NULL));
    EXPECT(subwave_set_stream(context, NULL)); /* as libCEED */
    EXPECT(subwave_context_info(context, &device));
    EXPECT_CEED(CeedInit(resource, &ceed));
    CeedMemType memory;
    EXPECT_CEED(CeedGetPreferredMemType(ceed, &memory));
    expect(memory != CEED_MEM_DEVICE,
           "the resource is no GPU's, whose layout of elements is meant");
    EXPECT_CEED(CeedGetResource(ceed, &used));
    printf("subwave %s beside libCEED's %s, f64, three directions, on %s\n", subwave_version(),
           used, device.name);
    for (int points = 2; points <= MOST; ++points)
        for (int fields = 1; fields <= 3; fields += 2)
            measure(ceed, bytes, points, fields);
    EXPECT_CEED(CeedDestroy(&ceed));
    EXPECT(subwave_context_destroy(&context));
    return 0;
}
