/* SPDX-License-Identifier: MIT
 * test_streams.c: a GPU's streams and graphs: every compute call captured and replayed with other
 * inputs, streams side by side, and one context that goes from stream to stream.
 */
#include "../harness.h"

#define HIP_CUDA13_API_ONLY
#include <subwave/device/hip_cuda13.h>
#ifdef __HIP_PLATFORM_NVIDIA__ /* HIP's header has these for C++ alone */
#define hipStreamBeginCapture cudaStreamBeginCapture
#define hipStreamEndCapture cudaStreamEndCapture
#define hipGraphInstantiateWithFlags cudaGraphInstantiateWithFlags
#define hipGraphLaunch cudaGraphLaunch
#define hipGraphExecDestroy cudaGraphExecDestroy
#define hipGraphDestroy cudaGraphDestroy
#endif

#include <stdlib.h>
#include <string.h>

enum { N = 48, CELLS = N * N, STREAMS = 4, TURNS = 40, REPLAYS = 10 };

/* The arrays of a call in device memory; `c` is what it writes, the others it reads. */
typedef struct arrays {
    float *a, *b;
    uint32_t *id;
    int32_t *offsets, *stack, *places;
    int64_t *sizes;        /* of PROBLEMS, and then their leading dimension */
    const void **matrices; /* A of PROBLEMS, then B */
    void **results;        /* their C, in `c` */
    void *c;
} arrays;

enum { SEGMENTS = 70, ENTRIES = 20, PROBLEMS = 20, MOST_SIDE = 10 };
enum { C_BYTES = CELLS * (int)sizeof(subwave_group_item) };

static arrays arrays_create(subwave_context *context)
{
    arrays x;
    assert_ok(context, subwave_malloc(context, (void **)&x.a, CELLS * sizeof *x.a));
    assert_ok(context, subwave_malloc(context, (void **)&x.b, CELLS * sizeof *x.b));
    assert_ok(context, subwave_malloc(context, (void **)&x.id, CELLS * sizeof *x.id));
    assert_ok(context,
              subwave_malloc(context, (void **)&x.offsets, (SEGMENTS + 1) * sizeof *x.offsets));
    assert_ok(context, subwave_malloc(context, (void **)&x.stack, 3 * ENTRIES * sizeof *x.stack));
    assert_ok(context, subwave_malloc(context, (void **)&x.places, ENTRIES * sizeof *x.places));
    assert_ok(context, subwave_malloc(context, (void **)&x.sizes, 2 * PROBLEMS * sizeof *x.sizes));
    assert_ok(context,
              subwave_malloc(context, (void **)&x.matrices, 2 * PROBLEMS * sizeof *x.matrices));
    assert_ok(context, subwave_malloc(context, &x.c, C_BYTES));
    void *results[PROBLEMS];
    for (int i = 0; i < PROBLEMS; ++i)
        results[i] = (float *)x.c + MOST_SIDE * MOST_SIDE * i;
    assert_ok(context, subwave_malloc(context, (void **)&x.results, sizeof results));
    assert_ok(context, subwave_copy(context, (void *)x.results, results, sizeof results));
    return x;
}

static void arrays_destroy(subwave_context *context, arrays *x)
{
    assert_ok(context, subwave_free(context, x->a));
    assert_ok(context, subwave_free(context, x->b));
    assert_ok(context, subwave_free(context, x->id));
    assert_ok(context, subwave_free(context, x->offsets));
    assert_ok(context, subwave_free(context, x->stack));
    assert_ok(context, subwave_free(context, x->places));
    assert_ok(context, subwave_free(context, x->sizes));
    assert_ok(context, subwave_free(context, (void *)x->matrices));
    assert_ok(context, subwave_free(context, (void *)x->results));
    assert_ok(context, subwave_free(context, x->c));
}

static void arrays_fill(subwave_context *context, const arrays *x, harness_random *random)
{
    static float a[CELLS], b[CELLS];
    static uint32_t id[CELLS];
    static int32_t offsets[SEGMENTS + 1], stack[3 * ENTRIES], places[ENTRIES];
    static int64_t sizes[2 * PROBLEMS];
    static const void *matrices[2 * PROBLEMS];
    static unsigned char poison[C_BYTES];
    for (int i = 0; i < CELLS; ++i) {
        a[i] = (float)harness_random_sign(random);
        b[i] = (float)harness_random_sign(random);
        id[i] = (uint32_t)(harness_random_bits(random) % 8);
    }
    for (int s = 1; s <= SEGMENTS; ++s)
        offsets[s] = offsets[s - 1] + (int32_t)(harness_random_bits(random) % (CELLS / SEGMENTS));
    for (int i = 0; i < 3 * ENTRIES; ++i)
        stack[i] = 9 * (int32_t)(harness_random_bits(random) % 7);
    for (int i = 0; i < ENTRIES; ++i)
        places[i] = 16 * i;
    for (int i = 0; i < PROBLEMS; ++i) {
        sizes[i] = (int64_t)(harness_random_bits(random) % (MOST_SIDE + 1));
        sizes[PROBLEMS + i] = MOST_SIDE;
        matrices[i] = x->a + MOST_SIDE * MOST_SIDE * i;
        matrices[PROBLEMS + i] = x->b + MOST_SIDE * MOST_SIDE * i;
    }
    assert_ok(context, subwave_copy(context, x->sizes, sizes, sizeof sizes));
    assert_ok(context, subwave_copy(context, (void *)x->matrices, matrices, sizeof matrices));
    memset(poison, 0xa5, sizeof poison);
    assert_ok(context, subwave_copy(context, x->places, places, sizeof places));
    assert_ok(context, subwave_copy(context, x->stack, stack, sizeof stack));
    assert_ok(context, subwave_copy(context, x->a, a, sizeof a));
    assert_ok(context, subwave_copy(context, x->b, b, sizeof b));
    assert_ok(context, subwave_copy(context, x->id, id, sizeof id));
    assert_ok(context, subwave_copy(context, x->offsets, offsets, sizeof offsets));
    assert_ok(context, subwave_copy(context, x->c, poison, sizeof poison));
}

/* --- calls ----------------------------------------------------------------------------------- */

static const float one = 1, zero = 0;
static const subwave_group eights = {
    .kind = SUBWAVE_GROUP_FIXED_SIZE, .block = {64, 1, 1}, .fixed_size = 8};

typedef subwave_status call(subwave_context *context, const arrays *x);

static subwave_status product(subwave_context *context, const arrays *x, subwave_variant variant,
                              int64_t m)
{
    subwave_matmul_plan_info plan; /* AUTO stands in for what the device lacks */
    if (subwave_matmul_plan(context, variant, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR,
                            SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, m, N, N,
                            &plan) == SUBWAVE_STATUS_UNSUPPORTED)
        variant = SUBWAVE_VARIANT_AUTO;
    return subwave_matmul(context, variant, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR,
                          SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, m, N, N, &one, x->a, N,
                          x->b, N, &zero, x->c, N);
}

#define CALL(name, ...) \
    static subwave_status name(subwave_context *context, const arrays *x) { return __VA_ARGS__; }
#define SUBWAVE_X(name, ...) CALL(product_##name, product(context, x, SUBWAVE_VARIANT_##name, N))
SUBWAVE_VARIANT_LIST(SUBWAVE_X)
#undef SUBWAVE_X
CALL(few_rows, product(context, x, SUBWAVE_VARIANT_SKINNY, 2))
CALL(batched,
     subwave_matmul_strided_batched(context, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR,
                                    SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, 8, 8, 8, &one,
                                    x->a, 8, 64, x->b, 8, 64, &zero, x->c, 8, 64, CELLS / 64))
CALL(stacked,
     subwave_matmul_stacked(context, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR,
                            SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, 3, 3, 3, &one, x->a, 3,
                            x->b, 3, &zero, x->c, 3, SUBWAVE_DTYPE_I32, 0, x->stack, ENTRIES))
CALL(grouped, subwave_matmul_grouped(context, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR,
                                     SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, x->sizes,
                                     x->sizes, x->sizes, &one, x->matrices, x->sizes + PROBLEMS,
                                     x->matrices + PROBLEMS, x->sizes + PROBLEMS, &zero, x->results,
                                     x->sizes + PROBLEMS, PROBLEMS))
CALL(tensor,
     subwave_tensor_gradient(context, SUBWAVE_DTYPE_F32, SUBWAVE_TRANSPOSE_YES, 2, 4, 5, &one, x->a,
                             x->a, x->b, 50, 0, &zero, x->c, 16, 0, 25, 1, CELLS / 50))
CALL(reduce, subwave_group_reduce(context, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, &eights, CELLS, NULL,
                                  x->a, x->c))
CALL(scan, subwave_group_scan(context, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_EXCLUSIVE,
                              &eights, CELLS, &one, x->a, x->c))
CALL(one_to_all, subwave_group_broadcast(context, SUBWAVE_DTYPE_F32, &eights, CELLS, 3, x->a, x->c))
CALL(shift, subwave_group_shift(context, SUBWAVE_DTYPE_F32, SUBWAVE_SHIFT_RIGHT, &eights, CELLS, 1,
                                x->a, x->c))
CALL(permute, subwave_group_permute(context, SUBWAVE_DTYPE_F32, &eights, CELLS, 5, x->a, x->c))
CALL(pick, subwave_group_select(context, SUBWAVE_DTYPE_F32, &eights, CELLS, x->id, x->a, x->c))
CALL(vote,
     subwave_group_vote(context, SUBWAVE_VOTE_ALL, &eights, CELLS, (const uint8_t *)x->id, x->c))
CALL(describe, subwave_group_info(context, &eights, CELLS, x->c))
CALL(whole_array, subwave_reduce(context, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, SUBWAVE_ORDER_FIXED,
                                 CELLS, &one, x->a, SUBWAVE_PLACE_DEVICE, x->c))
CALL(scan_array, subwave_scan(context, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_EXCLUSIVE,
                              SUBWAVE_ORDER_FIXED, CELLS, &one, x->a, x->c))
CALL(multiply_arrays,
     subwave_dot(context, SUBWAVE_DTYPE_F32, SUBWAVE_CONJUGATION_NONE, SUBWAVE_ORDER_FIXED, CELLS,
                 x->a, x->b, SUBWAVE_PLACE_DEVICE, x->c))
CALL(flip, subwave_transpose(context, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_ROW_MAJOR, 8, CELLS / 8,
                             x->a, CELLS / 8, x->c, 8))
static subwave_status flip_all(subwave_context *context, const arrays *x)
{
    const subwave_status status =
        subwave_copy_async(context, x->c, x->a, CELLS * (int64_t)sizeof *x->a);
    return status != SUBWAVE_STATUS_SUCCESS
               ? status
               : subwave_transpose_stacked(context, SUBWAVE_DTYPE_U32, SUBWAVE_LAYOUT_ROW_MAJOR, 3,
                                           5, x->c, SUBWAVE_DTYPE_I32, 0, x->places, ENTRIES);
}
CALL(norm, subwave_norm2(context, SUBWAVE_DTYPE_F32, SUBWAVE_ORDER_FIXED, CELLS, x->a,
                         SUBWAVE_PLACE_DEVICE, x->c))
CALL(bins, subwave_histogram(context, SUBWAVE_DTYPE_F32, 16, -1, 1, CELLS, x->a, x->c))
CALL(bounds,
     subwave_histogram_by_boundaries(context, SUBWAVE_DTYPE_F32, 1, x->b, CELLS, x->a, x->c))
CALL(weights_in_bins, subwave_histogram_weighted(context, SUBWAVE_DTYPE_F32, SUBWAVE_ORDER_FIXED,
                                                 16, -1, 1, CELLS, x->a, x->b, x->c))
CALL(weights_in_bounds,
     subwave_histogram_by_boundaries_weighted(context, SUBWAVE_DTYPE_U32, SUBWAVE_ORDER_ANY, 1,
                                              x->b, CELLS, x->a, x->b, x->c))
CALL(of_segments,
     subwave_segmented_reduce(context, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, SUBWAVE_DTYPE_I32,
                              SEGMENTS, x->offsets, CELLS, x->a, x->c))
CALL(in_segments,
     subwave_segmented_scan(context, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_EXCLUSIVE,
                            SUBWAVE_DTYPE_I32, SEGMENTS, x->offsets, CELLS, x->a, x->c))
CALL(sum_in_cells, subwave_scatter_add(context, SUBWAVE_DTYPE_F32, SUBWAVE_ORDER_FIXED, CELLS,
                                       SUBWAVE_DTYPE_I32, x->id, x->a, 8, x->c))
CALL(sum_in_many_cells, subwave_scatter_add(context, SUBWAVE_DTYPE_U32, SUBWAVE_ORDER_ANY, CELLS,
                                            SUBWAVE_DTYPE_I32, x->id, x->a, CELLS, x->c))
CALL(greatest, subwave_minmax_index(context, SUBWAVE_DTYPE_F32, SUBWAVE_OP_MAXIMUM, CELLS, x->a,
                                    SUBWAVE_PLACE_DEVICE, (float *)x->c + 2, x->c))
CALL(rows, subwave_row_reduce(context, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, 8, CELLS / 8, x->a,
                              CELLS / 8, x->c))
CALL(scanned_rows,
     subwave_row_scan(context, SUBWAVE_DTYPE_F32, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE, 8,
                      CELLS / 8, x->a, CELLS / 8, x->c, CELLS / 8))
CALL(greatest_of_rows,
     subwave_row_minmax_index(context, SUBWAVE_DTYPE_F32, SUBWAVE_OP_MAXIMUM, 8, CELLS / 8, x->a,
                              CELLS / 8, (float *)x->c + 16, x->c))
CALL(compact, subwave_compact(context, SUBWAVE_DTYPE_F32, CELLS - 2, (const uint8_t *)x->id, x->a,
                              (float *)x->c + 2, x->c))
CALL(partition,
     subwave_partition_if(context, SUBWAVE_DTYPE_F32, SUBWAVE_COMPARISON_LESS, &one, CELLS / 2 - 1,
                          x->a, (float *)x->c + 2, (float *)x->c + CELLS / 2 + 1, x->c))
CALL(unique, subwave_unique(context, SUBWAVE_DTYPE_F32, CELLS - 2, x->a, (float *)x->c + 2, x->c))
CALL(fill, subwave_fill(context, SUBWAVE_DTYPE_F64, (double[1]){7.5}, CELLS, x->c))
CALL(copy_all, subwave_copy_async(context, x->c, x->a, CELLS * sizeof *x->a))
CALL(copy_rows, subwave_copy_2d_async(context, x->c, 4 * N + 8, x->a, 4 * N, 4 * N - 4, N))

/* To an empty queue; of one tile, so that the order is always the same. */
static subwave_status append(subwave_context *context, const arrays *x)
{
    const subwave_status status =
        subwave_compact(context, SUBWAVE_DTYPE_F32, 0, NULL, NULL, NULL, x->c);
    return status != SUBWAVE_STATUS_SUCCESS
               ? status
               : subwave_append(context, SUBWAVE_DTYPE_F32, CELLS - 2, (const uint8_t *)x->id, x->a,
                                CELLS - 2, (float *)x->c + 2, x->c);
}

#define SUBWAVE_X(name, ...) product_##name,
static call *const calls[] = {SUBWAVE_VARIANT_LIST(SUBWAVE_X) few_rows,
                              batched,
                              stacked,
                              grouped,
                              tensor,
                              reduce,
                              scan,
                              one_to_all,
                              shift,
                              permute,
                              pick,
                              vote,
                              describe,
                              whole_array,
                              scan_array,
                              multiply_arrays,
                              norm,
                              flip,
                              flip_all,
                              greatest,
                              rows,
                              scanned_rows,
                              greatest_of_rows,
                              compact,
                              partition,
                              unique,
                              append,
                              bins,
                              bounds,
                              weights_in_bins,
                              weights_in_bounds,
                              of_segments,
                              in_segments,
                              sum_in_cells,
                              sum_in_many_cells,
                              fill,
                              copy_all,
                              copy_rows};
#undef SUBWAVE_X
enum { CALLS = sizeof calls / sizeof *calls };

/* What a call leaves, from another context. */
static void expect(subwave_context *context, call *what, const arrays *inputs, const arrays *own,
                   void *result)
{
    arrays x = *inputs;
    static unsigned char poison[C_BYTES];
    memset(poison, 0xa5, sizeof poison);
    x.c = own->c;
    x.results = own->results;
    assert_ok(context, subwave_copy(context, x.c, poison, C_BYTES));
    assert_ok(context, what(context, &x));
    assert_ok(context, subwave_copy(context, result, x.c, C_BYTES));
}

static unsigned char now[C_BYTES], wanted[C_BYTES];

#define assert_hip(code) assert_int_equal(code, hipSuccess)

/* --- tests ----------------------------------------------------------------------------------- */

/* In the capture mode that takes any allocation, or any wait, as an error. */
static void test_graphs(void **state)
{
    subwave_context *other, *context = *state;
    harness_random random = harness_random_start();
    hipStream_t stream;
    void *own_stream;
    assert_ok(context, subwave_get_stream(context, &own_stream));
    assert_ok(NULL, subwave_context_create(&other, "gpu"));
    assert_hip(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    arrays x = arrays_create(context), own = arrays_create(other);
    for (int i = 0; i < CALLS; ++i) {
        hipGraph_t graph = NULL;
        hipGraphExec_t batch = NULL;
        arrays_fill(context, &x, &random);
        assert_ok(context, subwave_set_stream(context, stream));
        assert_ok(context, calls[i](context, &x)); /* loads the kernel */
        assert_ok(context, subwave_synchronize(context));
        assert_hip(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
        const subwave_status status = calls[i](context, &x);
        assert_hip(hipStreamEndCapture(stream, &graph));
        assert_ok(context, status);
        assert_hip(hipGraphInstantiateWithFlags(&batch, graph, 0));
        for (int replay = 0; replay < REPLAYS; ++replay) {
            arrays_fill(context, &x, &random);
            assert_hip(hipGraphLaunch(batch, stream));
            assert_ok(context, subwave_copy(context, now, x.c, C_BYTES));
            expect(other, calls[i], &x, &own, wanted);
            assert_memory_equal(now, wanted, C_BYTES);
        }
        assert_hip(hipGraphExecDestroy(batch));
        assert_hip(hipGraphDestroy(graph));
        assert_ok(context, subwave_set_stream(context, own_stream));
    }
    arrays_destroy(other, &own);
    arrays_destroy(context, &x);
    assert_hip(hipStreamDestroy(stream));
    assert_ok(NULL, subwave_context_destroy(&other));
}

static void test_streams_side_by_side(void **state)
{
    harness_random random = harness_random_start();
    hipStream_t streams[STREAMS];
    subwave_context *contexts[STREAMS];
    arrays x[STREAMS], own = arrays_create(*state);
    for (int s = 0; s < STREAMS; ++s) {
        assert_hip(hipStreamCreateWithFlags(&streams[s], hipStreamNonBlocking));
        assert_ok(NULL, subwave_context_create(&contexts[s], "gpu"));
        x[s] = arrays_create(contexts[s]);
        arrays_fill(contexts[s], &x[s], &random);
        assert_ok(contexts[s], subwave_set_stream(contexts[s], streams[s]));
    }
    for (int turn = 0; turn < TURNS; ++turn)
        for (int s = 0; s < STREAMS; ++s)
            assert_ok(contexts[s], calls[(turn + 4 * s) % CALLS](contexts[s], &x[s]));
    /* A last call of each, which adds nothing to what the one before left, but leaves the rest of it. */
    for (int s = 0; s < STREAMS; ++s) {
        call *const last = calls[4 * s];
        assert_ok(contexts[s], last(contexts[s], &x[s]));
        assert_ok(contexts[s], subwave_copy(contexts[s], now, x[s].c, C_BYTES));
        expect(*state, last, &x[s], &own, wanted);
        for (int i = 0; i < C_BYTES; ++i)
            assert_true(now[i] == wanted[i] || wanted[i] == 0xa5);
        arrays_destroy(contexts[s], &x[s]);
        assert_ok(NULL, subwave_context_destroy(&contexts[s]));
        assert_hip(hipStreamDestroy(streams[s]));
    }
    arrays_destroy(*state, &own);
}

/* C = C B again and again, each on another stream and with no wait: the library orders them. */
static void test_from_stream_to_stream(void **state)
{
    subwave_context *context = *state;
    static float a[CELLS], b[CELLS];
    float *left, *right, *turned;
    hipStream_t streams[STREAMS];
    void *own_stream;
    assert_ok(context, subwave_get_stream(context, &own_stream));
    for (int i = 0; i < CELLS; ++i) {
        a[i] = (float)i;
        b[i] = (float)((i / N + 1) % N == i % N); /* turns columns by one */
    }
    assert_ok(context, subwave_malloc(context, (void **)&left, sizeof a));
    assert_ok(context, subwave_malloc(context, (void **)&right, sizeof a));
    assert_ok(context, subwave_malloc(context, (void **)&turned, sizeof a));
    assert_ok(context, subwave_copy(context, left, a, sizeof a));
    assert_ok(context, subwave_copy(context, right, b, sizeof b));
    for (int s = 0; s < STREAMS; ++s)
        assert_hip(hipStreamCreateWithFlags(&streams[s], hipStreamNonBlocking));
    for (int turn = 0; turn < TURNS; ++turn) {
        assert_ok(context, subwave_set_stream(context, streams[turn % STREAMS]));
        assert_ok(context,
                  subwave_matmul(context, SUBWAVE_VARIANT_BROADCAST, SUBWAVE_DTYPE_F32,
                                 SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                                 SUBWAVE_TRANSPOSE_NONE, N, N, N, &one, turn % 2 ? turned : left, N,
                                 right, N, &zero, turn % 2 ? left : turned, N));
    }
    assert_ok(context, subwave_copy(context, b, TURNS % 2 ? turned : left, sizeof b));
    for (int i = 0; i < CELLS; ++i)
        assert_true(b[i / N * N + (i + TURNS) % N] == a[i]);
    assert_ok(context, subwave_set_stream(context, own_stream));
    for (int s = 0; s < STREAMS; ++s)
        assert_hip(hipStreamDestroy(streams[s]));
    assert_ok(context, subwave_free(context, left));
    assert_ok(context, subwave_free(context, right));
    assert_ok(context, subwave_free(context, turned));
}

/* A capture on a context's own stream, in which another context takes part by events. */
static void test_fork_in_a_graph(void **state)
{
    subwave_context *const first = *state, *second;
    subwave_event *fork, *join;
    uint32_t *x, *y, found[CELLS];
    void *stream;
    hipGraph_t graph = NULL;
    hipGraphExec_t batch = NULL;
    assert_ok(NULL, subwave_context_create(&second, "gpu"));
    assert_ok(first, subwave_malloc(first, (void **)&x, sizeof found));
    assert_ok(first, subwave_malloc(first, (void **)&y, sizeof found));
    assert_ok(first, subwave_event_create(first, &fork));
    assert_ok(second, subwave_event_create(second, &join));
    assert_ok(first, subwave_get_stream(first, &stream));
    assert_ok(first, subwave_fill(first, SUBWAVE_DTYPE_U32, &(uint32_t){1}, CELLS, x));
    assert_ok(first, subwave_synchronize(first)); /* the kernel is loaded */
    assert_hip(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    const subwave_status calls_of_both[] = {
        subwave_fill(first, SUBWAVE_DTYPE_U32, &(uint32_t){5}, CELLS, x),
        subwave_event_record(first, fork),
        subwave_event_wait(second, fork),
        subwave_copy_async(second, y, x, sizeof found),
        subwave_event_record(second, join),
        subwave_event_wait(first, join),
        subwave_fill(first, SUBWAVE_DTYPE_U32, &(uint32_t){9}, CELLS / 2, y),
    };
    assert_hip(hipStreamEndCapture(stream, &graph));
    for (size_t i = 0; i < sizeof calls_of_both / sizeof *calls_of_both; ++i)
        assert_int_equal(calls_of_both[i], SUBWAVE_STATUS_SUCCESS);
    assert_hip(hipGraphInstantiateWithFlags(&batch, graph, 0));
    for (int replay = 0; replay < REPLAYS; ++replay) {
        assert_ok(first, subwave_fill(first, SUBWAVE_DTYPE_U32, &(uint32_t){0}, CELLS, y));
        assert_hip(hipGraphLaunch(batch, stream));
        assert_ok(first, subwave_copy(first, found, y, sizeof found));
        for (int i = 0; i < CELLS; ++i)
            assert_int_equal(found[i], i < CELLS / 2 ? 9 : 5);
    }
    assert_hip(hipGraphExecDestroy(batch));
    assert_hip(hipGraphDestroy(graph));
    assert_ok(first, subwave_event_destroy(first, fork));
    assert_ok(first, subwave_event_destroy(first, join));
    assert_ok(first, subwave_free(first, x));
    assert_ok(first, subwave_free(first, y));
    assert_ok(NULL, subwave_context_destroy(&second));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_streams_side_by_side),
        cmocka_unit_test(test_from_stream_to_stream),
        cmocka_unit_test(test_fork_in_a_graph),
    };
    return harness_run("streams", tests, sizeof tests / sizeof *tests);
}
