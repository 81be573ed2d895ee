/* SPDX-License-Identifier: MIT
 * tensor.c: subwave_tensor_apply and subwave_tensor_gradient: which steps the blocks take.
 */
#include "check.h"
#include "log.h"
#include "plan.h"

#include <inttypes.h>
#include <string.h>

/* What either call takes. */
typedef struct tensor_problem {
    const char *function;
    subwave_dtype dtype;
    subwave_transpose_kind transpose;
    int32_t dimensions;
    int64_t p, q;
    const void *alpha, *beta;
    const void *x;
    int64_t stride_x, component_x;
    void *y;
    int64_t stride_y, component_y, derivative;
    int64_t components, batch;
    bool differentiates; /* else the derivative's stride is not the caller's */
} tensor_problem;

/* --- arguments ------------------------------------------------------------------------------- */

static bool is_transposed(const tensor_problem *t)
{
    return t->transpose != SUBWAVE_TRANSPOSE_NONE;
}

static double value_of(const tensor_problem *t, const void *scalar)
{
    return subwave_real(subwave_sum_dtype(t->dtype), scalar, 0);
}

static int32_t power(int32_t base, int32_t exponent)
{
    int32_t result = 1;
    for (int32_t i = 0; i < exponent; ++i)
        result *= base;
    return result;
}

/* The tensors that are written lie apart: each stride is at least the extent of what the shorter
 * ones step through. */
static subwave_status check_apart(subwave_context *context, const tensor_problem *t)
{
    struct {
        const char *name;
        int64_t apart, count;
    } stride[] = {
        {"stride_y", t->stride_y, t->batch},
        {"component_y", t->component_y, t->components},
        {"derivative", t->derivative, t->differentiates && !is_transposed(t) ? t->dimensions : 1}};
    bool done[] = {false, false, false};
    int64_t extent = power((int32_t)(is_transposed(t) ? t->p : t->q), t->dimensions);
    for (int i = 0; i < 3; ++i)
        stride[i].apart = stride[i].count < 2   ? INT64_MAX
                          : stride[i].apart < 0 ? -stride[i].apart
                                                : stride[i].apart;
    for (int round = 0; round < 3; ++round) {
        int next = -1;
        for (int i = 0; i < 3; ++i)
            if (!done[i] && (next < 0 || stride[i].apart < stride[next].apart))
                next = i;
        done[next] = true;
        if (stride[next].count < 2)
            continue;
        if (stride[next].apart < extent)
            return subwave_fail(context, SUBWAVE_STATUS_INVALID_STRIDE,
                                "%s is %" PRId64
                                " or the negative of it: what it steps over in y has %" PRId64
                                " elements, which would overlap",
                                stride[next].name, stride[next].apart, extent);
        extent += (stride[next].count - 1) * stride[next].apart;
    }
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status check(subwave_context *context, const tensor_problem *t)
{
    enum { COMPONENTS = 1 << 30 };
    SUBWAVE_TRY(subwave_check_context(context, t->function));
    subwave_log_call(context,
                     "%s(dtype=%s, transpose=%d, dimensions=%d, p=%" PRId64 ", q=%" PRId64
                     ", components=%" PRId64 ", batch=%" PRId64 ")",
                     t->function, subwave_dtype_name(t->dtype), (int)t->transpose,
                     (int)t->dimensions, t->p, t->q, t->components, t->batch);
    SUBWAVE_TRY(subwave_check_dtype(context, t->dtype));
    SUBWAVE_TRY(subwave_check_transpose(context, "transpose", t->transpose));
    SUBWAVE_TRY(subwave_check_built(context, t->function, SUBWAVE_OPERATION_tensor, t->dtype));
    const struct {
        const char *name;
        int64_t size, most;
    } sizes[] = {{"dimensions", t->dimensions, 3},
                 {"p", t->p, SUBWAVE_TENSOR_MOST},
                 {"q", t->q, SUBWAVE_TENSOR_MOST}};
    for (int i = 0; i < 3; ++i)
        if (sizes[i].size < 1 || sizes[i].size > sizes[i].most)
            return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                                "%s is %" PRId64 "; %s takes 1 to %" PRId64, sizes[i].name,
                                sizes[i].size, t->function, sizes[i].most);
    SUBWAVE_TRY(subwave_check_size(context, "components", t->components));
    if (t->components > COMPONENTS)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                            "components is %" PRId64 "; %s takes up to %d", t->components,
                            t->function, COMPONENTS);
    SUBWAVE_TRY(subwave_check_size(context, "batch", t->batch));
    /* The offsets of an entry, a component and a derivative are added. */
    const size_t size = 4 * subwave_dtype_size(t->dtype);
    SUBWAVE_TRY(subwave_check_stride(context, "stride_x", t->stride_x, t->batch, size));
    SUBWAVE_TRY(subwave_check_stride(context, "component_x", t->component_x, t->components, size));
    SUBWAVE_TRY(subwave_check_stride(context, "stride_y", t->stride_y, t->batch, size));
    SUBWAVE_TRY(subwave_check_stride(context, "component_y", t->component_y, t->components, size));
    SUBWAVE_TRY(subwave_check_stride(context, "derivative", t->derivative, t->dimensions, size));
    return check_apart(context, t);
}

static subwave_status check_pointers(subwave_context *context, const tensor_problem *t,
                                     const char *const names[], const void *const matrices[],
                                     int count)
{
    const size_t size = subwave_dtype_size(t->dtype);
    SUBWAVE_TRY(subwave_check_pointer(context, "alpha", t->alpha, size));
    SUBWAVE_TRY(subwave_check_pointer(context, "beta", t->beta, size));
    if (value_of(t, t->alpha) != 0) {
        for (int i = 0; i < count; ++i)
            SUBWAVE_TRY(subwave_check_pointer(context, names[i], matrices[i], size));
        SUBWAVE_TRY(subwave_check_pointer(context, "x", t->x, size));
    }
    return subwave_check_pointer(context, "y", t->y, size);
}

/* --- steps ----------------------------------------------------------------------------------- */

enum { NOTHING = -1 };

/* A list that grows, and what the buffers hold by then. */
typedef struct program {
    subwave_tensor_launch *launch;
    int32_t dimensions;
    int32_t size[2][3]; /* of each buffer's tensors, in every direction */
    int32_t room;       /* elements of the largest tensor in a buffer */
    int32_t lines;      /* of a tensor in a step, at most */
    int32_t direction;  /* of the newest contraction */
    int32_t element;    /* its bytes */
    int32_t pending[2]; /* what is yet to be loaded into each buffer, a field or NOTHING */
    bool loads_anywhere;
} program;

static void measure(program *p, int32_t buffer)
{
    const int32_t *const size = p->size[buffer];
    p->room = (int32_t)greater_of(p->room, subwave_tensor_pitch(size[0]) * size[1] * size[2]);
}

static subwave_tensor_step *new_step(program *p, subwave_tensor_action action, int32_t from,
                                     int32_t to)
{
    subwave_tensor_step *const s = &p->launch->step[p->launch->steps++];
    *s = (subwave_tensor_step){.action = action, .from = from, .to = to};
    return s;
}

static void set_elements(subwave_tensor_step *s, const int32_t size[3])
{
    s->geometry = (subwave_tensor_geometry){.count = size[0] * size[1] * size[2],
                                            .lines_i = subwave_divisor_of(size[0]),
                                            .lines_j = subwave_divisor_of(size[1] * size[2]),
                                            .now.of_j = subwave_tensor_pitch(size[0])};
}

/* Says that the buffer holds this field of x. It is copied there, by fill(), when a step reads the
 * buffer. */
static void load(program *p, int32_t field, int32_t buffer)
{
    for (int32_t d = 0; d < 3; ++d)
        p->size[buffer][d] = d < p->dimensions ? p->launch->in : 1;
    p->pending[buffer] = field;
}

static void fill(program *p, int32_t buffer)
{
    if (p->pending[buffer] == NOTHING)
        return;
    measure(p, buffer);
    set_elements(new_step(p, SUBWAVE_TENSOR_LOAD, p->pending[buffer], buffer), p->size[buffer]);
    p->pending[buffer] = NOTHING;
}

/* Whether a contraction along the first direction can read its lines from x instead of the buffer. */
static bool lines_are_loaded(const program *p, int32_t buffer)
{
    const subwave_tensor_launch *const launch = p->launch;
    const subwave_tensor_operand *const x = &launch->operand[0];
    const int32_t *const size = p->size[buffer];
    if (p->pending[buffer] == NOTHING || launch->components != 1 ||
        x->entry != size[0] * size[1] * size[2])
        return false;
    const uintptr_t places = (uintptr_t)x->first | (uintptr_t)(x->field * p->element),
                    aligned = (uintptr_t)(subwave_tensor_pack(p->element, launch->in) * p->element);
    return p->loads_anywhere || places % aligned == 0;
}

/* Whether the places in y of a block's tensors, in bytes from its first entry on, are numbers of 32
 * bits: those of the entry and of the component are added. A work-item has up to 4 lines. */
static bool is_near(const subwave_tensor_launch *launch)
{
    const int64_t tensors = 4 * SUBWAVE_TENSOR_BLOCK, most = UINT32_MAX / sizeof(double);
    const subwave_tensor_operand *const y = &launch->operand[1];
    return y->entry >= 0 && y->component >= 0 && y->entry <= most / 4 / tensors &&
           y->component <= most / 4 / launch->components;
}

/* The step before, if it is a contraction along the last direction, writes its sums to the field
 * instead of the buffer: lanes that are neighbours have neighbouring elements there. */
static bool store_sums(program *p, int32_t buffer, int32_t field, bool adds)
{
    subwave_tensor_launch *const launch = p->launch;
    subwave_tensor_step *const s = launch->steps ? &launch->step[launch->steps - 1] : NULL;
    if (!s || s->action != SUBWAVE_TENSOR_CONTRACT || s->adds || s->to != buffer ||
        p->direction == 0 || p->direction != p->dimensions - 1 || !is_near(launch))
        return false;
    s->action = SUBWAVE_TENSOR_CONTRACT_AND_STORE;
    s->to = field;
    s->adds = adds;
    s->geometry.now = subwave_tensor_lines_in_y(p->size[buffer], p->direction);
    return true;
}

static void store(program *p, int32_t buffer, int32_t field, bool adds)
{
    if (store_sums(p, buffer, field, adds))
        return;
    subwave_tensor_step *const s = new_step(p, SUBWAVE_TENSOR_STORE, buffer, field);
    set_elements(s, p->size[buffer]);
    s->adds = adds;
}

/* The buffer `to` now holds what `from` does, with as many points in this direction as y has. */
static void set_contracted(program *p, int32_t from, int32_t to, int32_t direction)
{
    p->pending[to] = NOTHING;
    if (to != from)
        memcpy(p->size[to], p->size[from], sizeof p->size[to]);
    p->size[to][direction] = p->launch->out;
    measure(p, to);
}

static void contract(program *p, int32_t from, int32_t to, int32_t direction, int32_t matrix,
                     bool adds)
{
    const bool loads = direction == 0 && lines_are_loaded(p, from);
    if (!loads)
        fill(p, from);
    subwave_tensor_step *const s =
        loads ? new_step(p, SUBWAVE_TENSOR_LOAD_AND_CONTRACT, p->pending[from], to)
              : new_step(p, SUBWAVE_TENSOR_CONTRACT, from, to);
    s->adds = adds;
    s->matrix = matrix;
    s->geometry = subwave_tensor_contraction(p->size[from], direction, p->launch->out);
    p->lines = (int32_t)greater_of(p->lines, s->geometry.count);
    p->direction = direction;
    set_contracted(p, from, to, direction);
}

/* The same by two matrices. The result by the other one takes the place of what is contracted. */
static void contract_by_both(program *p, int32_t from, int32_t to, int32_t direction,
                             int32_t matrix, int32_t other_matrix)
{
    contract(p, from, to, direction, matrix, false);
    subwave_tensor_step *const s = &p->launch->step[p->launch->steps - 1];
    s->is_by_both = true;
    s->other_to = from;
    s->other_matrix = other_matrix;
    set_contracted(p, from, from, direction);
}

/* --- launch ---------------------------------------------------------------------------------- */

/* Components are entries if there is one stride for both. */
static void set_operands(subwave_tensor_launch *launch, const tensor_problem *t)
{
    const bool transposed = is_transposed(t);
    subwave_tensor_operand x = {t->x, t->stride_x, t->component_x, transposed ? t->derivative : 0};
    subwave_tensor_operand y = {t->y, t->stride_y, t->component_y, transposed ? 0 : t->derivative};
    const int64_t entries = t->batch, components = t->components;
    const bool entries_step_over_components =
        x.entry == components * x.component && y.entry == components * y.component;
    const bool components_step_over_entries =
        components > 1 && x.component == entries * x.entry && y.component == entries * y.entry;
    launch->count = entries * components;
    launch->components = (int32_t)components;
    if (entries == 1 || entries_step_over_components) {
        x.entry = x.component;
        y.entry = y.component;
        launch->components = 1;
    } else if (components_step_over_entries) {
        launch->components = 1;
    }
    launch->operand[0] = x;
    launch->operand[1] = y;
}

/* Whether the steps are those of a list for which there is a kernel. */
static bool is_list(const subwave_tensor_launch *launch, subwave_tensor_list list)
{
    bool is = subwave_tensor_is_known(list, launch->in, launch->out) &&
              launch->steps == subwave_tensor_known_steps(list);
    for (int32_t i = 0; is && i < launch->steps; ++i) {
        const subwave_tensor_step *const s = &launch->step[i];
        subwave_tensor_step known = subwave_tensor_known_step(list, i, launch->in, launch->out);
        known.matrix = s->matrix;
        known.other_matrix = s->other_matrix;
        is = memcmp(s, &known, sizeof known) == 0;
    }
    return is;
}

/* How many tensors a block has, and its shared memory. */
static subwave_status run(subwave_context *context, const tensor_problem *t, program *p,
                          int32_t buffers)
{
    const subwave_capabilities *const device = &context->capabilities;
    subwave_tensor_launch *const launch = p->launch;
    const int32_t size = (int32_t)subwave_dtype_size(t->dtype), wave = device->wave_size,
                  pack = 16 / size;
    launch->list = is_list(launch, SUBWAVE_TENSOR_APPLY)      ? SUBWAVE_TENSOR_APPLY
                   : is_list(launch, SUBWAVE_TENSOR_GRADIENT) ? SUBWAVE_TENSOR_GRADIENT
                                                              : SUBWAVE_TENSOR_ANY_LIST;
    const int32_t room = launch->list != SUBWAVE_TENSOR_ANY_LIST
                             ? subwave_tensor_known_places(launch->in, launch->out, size).tensor
                             : p->room;
    const int64_t width = subwave_tensor_width(device->shapes->tensor_bytes, size, launch->in),
                  lines = greater_of(p->lines, 1),
                  for_memory = device->shapes->tensor_room / (buffers * room * size);
    /* The fewest waves that leave few of their lanes without lines. On the CPU device waves of a block take
     * turns on one core. */
    const int64_t most = device->waves_take_turns ? 1 : SUBWAVE_TENSOR_BLOCK / wave;
    int64_t tensors = 1, waves = ceil_divide(lines, width * wave);
    for (int64_t w = waves; w <= most; ++w) {
        const int64_t fit = lesser_of(for_memory, w * wave * width / lines);
        if (15 * fit * waves > 16 * tensors * w) {
            tensors = fit;
            waves = w;
        }
    }
    launch->tensors = (int32_t)lesser_of(launch->count, tensors);
    launch->block = (uint32_t)round_up(ceil_divide(launch->tensors * lines, width), wave);
    launch->buffer = (int32_t)round_up(launch->tensors * room + pack - 1, pack);
    launch->shared_bytes =
        (uint32_t)(size * (launch->matrix_count * launch->out * round_up(launch->in, pack) +
                           buffers * launch->buffer));
    launch->blocks = ceil_divide(launch->count, launch->tensors);
    memcpy(launch->alpha, t->alpha, (size_t)size);
    memcpy(launch->beta, t->beta, (size_t)size);
    return subwave_launch(context, SUBWAVE_OPERATION_tensor, t->dtype, launch, t->function);
}

static program start(const subwave_context *context, subwave_tensor_launch *launch,
                     const tensor_problem *t)
{
    const int32_t p = (int32_t)t->p, q = (int32_t)t->q;
    set_operands(launch, t);
    launch->transposed = is_transposed(t);
    launch->in = launch->transposed ? q : p;
    launch->out = launch->transposed ? p : q;
    return (program){.launch = launch,
                     .dimensions = t->dimensions,
                     .element = (int32_t)subwave_dtype_size(t->dtype),
                     .pending = {NOTHING, NOTHING},
                     .loads_anywhere = context->capabilities.shapes->loads_anywhere};
}

/* y = beta y in `fields` fields. */
static subwave_status scale(subwave_context *context, const tensor_problem *t, program *p,
                            int32_t fields)
{
    if (value_of(t, t->beta) == 1)
        return SUBWAVE_STATUS_SUCCESS;
    for (int32_t d = 0; d < 3; ++d)
        p->size[0][d] = d < p->dimensions ? p->launch->out : 1;
    measure(p, 0);
    p->launch->matrix_count = 0;
    for (int32_t f = 0; f < fields; ++f)
        store(p, 0, f, false);
    return run(context, t, p, 1);
}

subwave_status subwave_tensor_apply(subwave_context *context, subwave_dtype dtype,
                                    subwave_transpose_kind transpose, int32_t dimensions, int64_t p,
                                    int64_t q, const void *alpha, const void *a1, const void *a2,
                                    const void *a3, const void *x, int64_t stride_x,
                                    int64_t component_x, const void *beta, void *y,
                                    int64_t stride_y, int64_t component_y, int64_t components,
                                    int64_t batch)
{
    const tensor_problem t = {.function = "subwave_tensor_apply",
                              .dtype = dtype,
                              .transpose = transpose,
                              .dimensions = dimensions,
                              .p = p,
                              .q = q,
                              .alpha = alpha,
                              .beta = beta,
                              .x = x,
                              .stride_x = stride_x,
                              .component_x = component_x,
                              .y = y,
                              .stride_y = stride_y,
                              .component_y = component_y,
                              .components = components,
                              .batch = batch};
    static const char *const names[] = {"a1", "a2", "a3"};
    SUBWAVE_TRY(check(context, &t));
    if (components == 0 || batch == 0)
        return SUBWAVE_STATUS_SUCCESS;
    const void *const matrices[] = {a1, a2, a3};
    SUBWAVE_TRY(check_pointers(context, &t, names, matrices, dimensions));

    subwave_tensor_launch launch = {0};
    program steps = start(context, &launch, &t);
    if (value_of(&t, alpha) == 0)
        return scale(context, &t, &steps, 1);
    load(&steps, 0, 0);
    for (int32_t d = 0; d < dimensions; ++d) {
        int32_t m = 0; /* one that is there already, or a new one */
        while (m < launch.matrix_count && launch.matrices[m] != matrices[d])
            ++m;
        launch.matrices[m] = matrices[d];
        launch.matrix_count = (int32_t)greater_of(launch.matrix_count, m + 1);
        contract(&steps, 0, 0, d, m, false);
    }
    store(&steps, 0, 0, false);
    return run(context, &t, &steps, 1);
}

/* --- gradient -------------------------------------------------------------------------------- */

enum { B, G }; /* the matrices, and without B both are G */

/* The directions from `first` on, but for one, which G is along. */
static void contract_others(program *p, int32_t buffer, int32_t first, int32_t but, bool has_b)
{
    for (int32_t d = first; has_b && d < p->dimensions; ++d)
        if (d != but)
            contract(p, buffer, buffer, d, B, false);
}

/* x stays in buffer 0, from derivative to derivative interpolated in one direction more: those
 * before the derivative's own. */
static void differentiate(program *p, bool has_b, int32_t g)
{
    load(p, 0, 0);
    for (int32_t d = 0; d < p->dimensions; ++d) {
        if (has_b && d + 1 < p->dimensions)
            contract_by_both(p, 0, 1, d, g, B);
        else
            contract(p, 0, 1, d, g, false);
        contract_others(p, 1, d + 1, d, has_b);
        store(p, 1, d, false);
    }
}

/* The same backwards: buffer 0 has the sum of the derivatives behind. */
static void differentiate_transposed(program *p, bool has_b, int32_t g)
{
    for (int32_t d = p->dimensions - 1; d >= 0; --d) {
        const bool adds = d + 1 < p->dimensions;
        if (has_b && adds)
            contract(p, 0, 0, d, B, false);
        load(p, d, 1);
        contract_others(p, 1, d + 1, d, has_b);
        contract(p, 1, 0, d, g, adds);
    }
    store(p, 0, 0, false);
}

/* Large tensors have no room for two buffers. */
static void differentiate_one_by_one(program *p, bool transposed, bool has_b, int32_t g)
{
    for (int32_t i = 0; i < p->dimensions; ++i) {
        const int32_t d = transposed ? p->dimensions - 1 - i : i;
        load(p, transposed ? d : 0, 0);
        contract(p, 0, 0, d, g, false);
        contract_others(p, 0, 0, d, has_b);
        store(p, 0, transposed ? 0 : d, transposed && i > 0);
    }
}

subwave_status subwave_tensor_gradient(subwave_context *context, subwave_dtype dtype,
                                       subwave_transpose_kind transpose, int32_t dimensions,
                                       int64_t p, int64_t q, const void *alpha, const void *b,
                                       const void *g, const void *x, int64_t stride_x,
                                       int64_t component_x, const void *beta, void *y,
                                       int64_t stride_y, int64_t component_y, int64_t derivative,
                                       int64_t components, int64_t batch)
{
    const tensor_problem t = {.function = "subwave_tensor_gradient",
                              .dtype = dtype,
                              .transpose = transpose,
                              .dimensions = dimensions,
                              .p = p,
                              .q = q,
                              .alpha = alpha,
                              .beta = beta,
                              .x = x,
                              .stride_x = stride_x,
                              .component_x = component_x,
                              .y = y,
                              .stride_y = stride_y,
                              .component_y = component_y,
                              .derivative = derivative,
                              .components = components,
                              .batch = batch,
                              .differentiates = true};
    static const char *const names[] = {"g", "b"};
    SUBWAVE_TRY(check(context, &t));
    if (components == 0 || batch == 0)
        return SUBWAVE_STATUS_SUCCESS;
    const bool has_b = b || p != q; /* else it is the identity */
    const void *const matrices[] = {g, b};
    SUBWAVE_TRY(check_pointers(context, &t, names, matrices, has_b ? 2 : 1));

    subwave_tensor_launch launch = {0};
    program steps = start(context, &launch, &t);
    const bool transposed = is_transposed(&t);
    if (value_of(&t, alpha) == 0)
        return scale(context, &t, &steps, transposed ? 1 : dimensions);
    launch.matrices[B] = has_b ? b : g;
    launch.matrices[G] = g;
    launch.matrix_count = has_b ? 2 : 1;

    enum { LOCAL_BYTES = 64 << 10 }; /* of a block, on every device */
    const int32_t size = (int32_t)subwave_dtype_size(dtype), points = (int32_t)greater_of(p, q),
                  elements = (points | 1) * power(points, dimensions - 1);
    const bool two = (2 * elements + 2 * points * SUBWAVE_TENSOR_MOST) * size <= LOCAL_BYTES;
    const int32_t matrix = has_b ? G : 0;
    if (!two)
        differentiate_one_by_one(&steps, transposed, has_b, matrix);
    else if (transposed)
        differentiate_transposed(&steps, has_b, matrix);
    else
        differentiate(&steps, has_b, matrix);
    return run(context, &t, &steps, two ? 2 : 1);
}
