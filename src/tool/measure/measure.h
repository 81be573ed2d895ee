/* SPDX-License-Identifier: MIT
 * measure.h: what `subwave bench` and `subwave-bench` share: timing, problems on a device, and the
 * check of their results. Plain C over the C interface.
 */
#ifndef SUBWAVE_MEASURE_H
#define SUBWAVE_MEASURE_H

#include <subwave/subwave.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- timing ---------------------------------------------------------------------------------- */

/* Seconds since some fixed moment, unmoved by changes of the clock. */
double measure_now(void);

/* What is timed, and by what clock. A function that returns false ends the measurement. */
typedef struct measure_subject {
    void *self;                            /* passed to each of them */
    bool (*first)(void *self);             /* one call, which pays for what is loaded and set up */
    bool (*record)(void *self, int calls); /* keeps a batch of so many calls */
    bool (*replay)(void *self, double *seconds); /* runs the batch to its end and times it */
} measure_subject;

typedef struct measure_rules {
    double batch_seconds; /* a batch lasts so long, or is one round through the sets */
    int sets;             /* a batch is a multiple of this: calls take turns at so many sets */
    double warm_up;       /* seconds of batches that do not count, as clocks rise; negative: none */
    int fewest, most;     /* batches that count */
    double seconds;       /* enough, however they differ */
    double noise;         /* 10 of them are enough at this relative spread; negative: never */
    bool first_may_count; /* a first call that takes `seconds` is the result */
} measure_rules;

typedef struct measure_timing {
    int samples, calls;                       /* batches, and calls in each */
    double median, lower, upper, least, most; /* seconds a call; quartiles */
    double spread; /* half the 95 % interval of the median, relative to it */
} measure_timing;

bool measure_time(const measure_subject *subject, const measure_rules *rules,
                  measure_timing *timing);

/* --- elements -------------------------------------------------------------------------------- */

/* A complex element is two numbers of this type, any other one of its own. */
subwave_dtype measure_part(subwave_dtype dtype);
int measure_parts(subwave_dtype dtype);
/* What products are summed in, and alpha and beta are of. */
subwave_dtype measure_sums(subwave_dtype dtype);
/* What C is of. */
subwave_dtype measure_product(subwave_dtype dtype);
/* Whether a product's alpha can be this number; floating ones are rounded. */
bool measure_is_scalar(subwave_dtype dtype, double number);
bool measure_is_signed(subwave_dtype dtype);   /* an integer */
bool measure_is_floating(subwave_dtype dtype); /* its parts */
bool measure_has_op(subwave_dtype dtype, subwave_op op);
/* The relative distance of neighbouring numbers; 0 for integers. */
double measure_epsilon(subwave_dtype dtype);

/* `count` numbers, of complex types two an element: in [-1, 1) for floating types, else integers from
 * -4 to 3, or from 0 to 7; each one that the type can hold and none subnormal. They repeat after a
 * million, at no multiple of a size that is measured. */
void measure_random(subwave_dtype dtype, int64_t count, uint64_t seed, double *values);
void measure_encode(subwave_dtype dtype, int64_t count, const double *values, void *elements);
void measure_decode(subwave_dtype dtype, int64_t count, const void *elements, double *values);
/* An integer's bits, zero-filled. */
uint64_t measure_integer(subwave_dtype dtype, const void *elements, int64_t i);

/* --- arrays ---------------------------------------------------------------------------------- */

/* An array in device memory, `sets` times over: calls that take turns at more sets than the cache
 * holds find none of them in it. The functions return the status of the library's call that failed.
 */
typedef struct measure_array {
    subwave_context *context;
    size_t bytes, stride;
    int sets;
    void *memory;
} measure_array;

subwave_status measure_allocate(measure_array *array, subwave_context *context, size_t bytes,
                                int sets);
void measure_free(measure_array *array);
void *measure_at(const measure_array *array, int set);
subwave_status measure_write(const measure_array *array, int set, const void *contents);
subwave_status measure_read(const measure_array *array, int set, void *contents);
subwave_status measure_fill(const measure_array *array, const void *contents); /* every set */
/* Every byte 0xff: NaN in any float. */
subwave_status measure_poison(const measure_array *array, int set);

/* --- problems -------------------------------------------------------------------------------- */

/* The compute calls, as `subwave_<spelling>`. X(name, spelling) */
#define MEASURE_OPERATION_LIST(X) \
    X(MATMUL, "matmul") \
    X(MATMUL_STRIDED_BATCHED, "matmul_strided_batched") \
    X(MATMUL_BATCHED, "matmul_batched") \
    X(MATMUL_STACKED, "matmul_stacked") \
    X(GROUP_REDUCE, "group_reduce") \
    X(GROUP_SCAN, "group_scan") \
    X(GROUP_BROADCAST, "group_broadcast") \
    X(GROUP_SHIFT, "group_shift") \
    X(GROUP_PERMUTE, "group_permute") \
    X(GROUP_SELECT, "group_select") \
    X(GROUP_VOTE, "group_vote") \
    X(GROUP_INFO, "group_info") \
    X(REDUCE, "reduce") \
    X(SCAN, "scan") \
    X(DOT, "dot") \
    X(NORM2, "norm2") \
    X(MINMAX_INDEX, "minmax_index") \
    X(COMPACT, "compact") \
    X(COMPACT_IF, "compact_if") \
    X(PARTITION, "partition") \
    X(PARTITION_IF, "partition_if") \
    X(UNIQUE, "unique") \
    X(APPEND, "append") \
    X(SEGMENTED_REDUCE, "segmented_reduce") \
    X(SEGMENTED_SCAN, "segmented_scan") \
    X(SCATTER_ADD, "scatter_add") \
    X(ROW_REDUCE, "row_reduce") \
    X(ROW_SCAN, "row_scan") \
    X(ROW_MINMAX_INDEX, "row_minmax_index") \
    X(TRANSPOSE, "transpose") \
    X(TRANSPOSE_STRIDED_BATCHED, "transpose_strided_batched") \
    X(HISTOGRAM, "histogram")

typedef enum measure_operation {
#define MEASURE_X(name, spelling) MEASURE_##name,
    MEASURE_OPERATION_LIST(MEASURE_X)
#undef MEASURE_X
        MEASURE_OPERATIONS
} measure_operation;

const char *measure_operation_name(measure_operation operation);

/* How long segments are. X(name, spelling) */
#define MEASURE_LENGTHS_LIST(X) \
    X(RANDOM, "random") /* up to twice the mean, evenly */ \
    X(POWER, "power")   /* of a power law: many short ones, a few long ones */ \
    X(EQUAL, "equal") \
    X(HALF_EMPTY, "half_empty") /* every other one is; the rest is as random */

typedef enum measure_lengths {
#define MEASURE_X(name, spelling) MEASURE_LENGTHS_##name,
    MEASURE_LENGTHS_LIST(MEASURE_X)
#undef MEASURE_X
} measure_lengths;

const char *measure_lengths_name(measure_lengths lengths);

/* The arguments of a call, except for data. */
typedef struct measure_problem {
    measure_operation operation;
    subwave_dtype dtype;
    int64_t n; /* of groups the work-items, of arrays the elements */

    /* products */
    subwave_variant variant;
    subwave_layout layout;
    subwave_transpose_kind transpose_a, transpose_b;
    /* Of transpositions x is A, m x n; y is C, whose transpose is. Of operations on rows there are m,
     * of n elements, ld[0] apart; of a scan, those of y ld[2] apart. */
    int64_t m, k, batch;
    int64_t ld[3];     /* of A, B and C; 0: without gaps */
    int64_t stride[3]; /* from matrix to matrix of a strided batch; MEASURE_NO_GAPS: one after
                          another */
    double alpha[2], beta[2];
    /* Of a stack of `batch` entries, so many have the same C: they follow one another, or come as far
     * apart as they can. A and B are each one's own. */
    int64_t terms;
    bool scattered;

    /* groups */
    subwave_group group;    /* its arrays are not used: `members` says whether they are asked for */
    bool members, has_init; /* init is 1 */
    subwave_op op;
    subwave_scan_kind scan;
    subwave_shift direction;
    subwave_vote vote;
    uint32_t amount; /* local_id, delta or mask */

    /* arrays */
    subwave_order order;
    subwave_conjugation conjugation;
    subwave_comparison
        comparison;       /* with a scalar in the middle of the numbers; 0: there are flags */
    int64_t bins;         /* or cells that elements are added to */
    bool bounded, skewed; /* by boundaries; 15 of 16 elements are alike, or for one cell */
    bool weighted;        /* of a histogram, which adds weights in the order */
    bool keyed;           /* of scans of segments: a peer takes each element's segment, in b */
    bool narrow;          /* a peer's counts are of 32 bits */
    int64_t segments;
    subwave_dtype offset_dtype;
    measure_lengths lengths;
} measure_problem;

/* The ends of a histogram's bins, of which all have the same width. */
void measure_histogram_range(const measure_problem *p, double *lower, double *upper);

#define MEASURE_NO_GAPS INT64_MIN

/* A call with the least of everything: alpha is 1, no gaps, sub-groups in blocks of 256. */
measure_problem measure_default(measure_operation operation, subwave_dtype dtype);

bool measure_is_product(const measure_problem *p);
bool measure_is_transpose(const measure_problem *p);
bool measure_is_array(const measure_problem *p);
bool measure_is_rows(const measure_problem *p);
bool measure_has_segments(const measure_problem *p);
bool measure_is_selection(const measure_problem *p); /* an array, too */
bool measure_has_flags(const measure_problem *p);
bool measure_has_comparison(const measure_problem *p);
bool measure_sums_cells(const measure_problem *p); /* scatter_add, and weights of a histogram */
/* Bytes of the count of a selection, behind which y is and room for the rest. */
enum { MEASURE_COUNT_BYTES = 256 };
/* The elements that are not selected, among the results. */
size_t measure_rest_at(const measure_problem *p);
/* Writes the scalar that elements are compared with. */
void measure_scalar(const measure_problem *p, void *scalar);
/* Minima or maxima with their indices: these are behind all indices. */
bool measure_finds_index(const measure_problem *p);
enum { MEASURE_INDEX_BYTES = sizeof(int64_t) };
/* Elements of y of an operation on arrays or rows. */
int64_t measure_array_results(const measure_problem *p);
/* How many C a product has. */
int64_t measure_products(const measure_problem *p);
/* Floating-point operations of one call, 0 of a call that is no product, and the fewest bytes that it can move.
 */
double measure_flops(const measure_problem *p);
double measure_bytes(const measure_problem *p);

/* A problem's arrays on a device, and the host's copies of what they hold. */
typedef struct measure_data {
    measure_problem problem; /* leading dimensions and strides filled in */
    subwave_context *context;
    int wave, sets;
    /* of groups and arrays x, the members (of a dot product y, of a selection its flags), and the
     * results */
    measure_array a, b, c;
    measure_array a_list, b_list, c_list; /* of a batch by pointers */
    measure_array choice, id;             /* of groups: predicates or keys; local ids */
    measure_array weights, workspace;     /* of histograms; of sums in cells */
    double *a_values,
        *b_values; /* op(A) and op(B), entry after entry, each row-major without gaps; or boundaries */
    double *c_values; /* what C holds before the call, as stored; null if beta is 0 */
    /* of products: what is compared, from the first time on, unless that is much; or null */
    double *expected;
    /* of groups and arrays; of a dot product both, one after the other, or elements and weights */
    unsigned char *x;
    int32_t *choices;
    uint32_t *ids;
    int64_t *offsets;   /* of segments, or cells of elements; on the device they are `id` */
    const char *reason; /* why measure_place failed */
} measure_data;
extern const char measure_no_memory[]; /* the reason where it is the host's memory */

/* Makes the arrays and fills them; false: see `reason`. Either way the caller ends with
 * measure_release. */
bool measure_place(measure_data *data, subwave_context *context, const measure_problem *problem,
                   int sets);
void measure_release(measure_data *data);

/* Queues the call on the arrays of one set. */
subwave_status measure_queue(const measure_data *data, int set);

/* Makes the last set's result what it was before any call, and NaN if a call does not read it: an
 * element that no kernel wrote is then found. */
subwave_status measure_reset(const measure_data *data);

/* How much of a product is compared: whole rows and single elements, so that it stays under a
 * second. */
typedef struct measure_coverage {
    int64_t rows, elements; /* rows of all products together */
} measure_coverage;
measure_coverage measure_covers(const measure_problem *p);

/* The largest error of the result in the last set: of a sum relative to the magnitudes that were
 * added, otherwise 0 or infinity. Where a call reads its result (beta is not 0), and for groups
 * that the device chooses, `call` is called once more, on a result that was reset; it returns false
 * on failure. */
bool measure_error(measure_data *data, bool (*call)(void *self, int set), void *self,
                   double *error);
/* The same of products of a peer whose C has no gaps and lies in the host's memory. */
double measure_product_error(measure_data *data, const void *c, bool without_gaps);
/* What a right result's error is at most. */
double measure_bound(const measure_problem *p);

/* C = A B in f32 or f64, row-major without gaps, by a plain loop on one thread: what a C program
 * would do without a library. False for other types, which C does not have. */
bool measure_plain_matmul(subwave_dtype dtype, int64_t m, int64_t n, int64_t k, const void *a,
                          const void *b, void *c);

#ifdef __cplusplus
}
#endif

#endif
