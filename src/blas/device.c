/* SPDX-License-Identifier: MIT
 * device.c: a product on subwave's device: contexts for the threads that call, copies to a device
 * with a memory of its own, and what happens if the device cannot.
 */
#include "blas.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- contexts -------------------------------------------------------------------------------- */

/* Device memory that grows, and is kept from call to call. */
typedef struct buffer {
    void *memory;
    int64_t bytes;
} buffer;

enum { OF_A, OF_B, OF_C, BUFFERS };

/* A context, which one call at a time takes. There are as many as there were calls at the same
 * time, so a thread that ends leaves nothing behind. Nothing is locked, so that a child of fork()
 * can go on; what other threads had taken in the parent stays taken there. */
typedef struct seat {
    atomic_bool taken;
    struct seat *next;
    subwave_context *context; /* null: none yet */
    bool on_cpu;
    pid_t process; /* whose context it is */
    buffer buffers[BUFFERS];
} seat;

static _Atomic(seat *) all_seats;
/* The process in which no context can be made, and why. */
static atomic_int hopeless, hopeless_reason;

static seat *take_seat(void)
{
    for (seat *s = atomic_load(&all_seats); s; s = s->next)
        if (!atomic_exchange(&s->taken, true))
            return s;
    seat *const made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    atomic_init(&made->taken, true);
    made->next = atomic_load(&all_seats);
    while (!atomic_compare_exchange_weak(&all_seats, &made->next, made))
        ;
    return made;
}

static void leave_seat(seat *s) { atomic_store(&s->taken, false); }

/* A failure, and the text that belongs to it. */
typedef struct failure {
    subwave_status status;
    const char *text;
    bool written; /* C may no longer be what it was */
} failure;

static const failure none = {SUBWAVE_STATUS_SUCCESS, "", false};

static failure failed(const subwave_context *context, subwave_status status)
{
    return (failure){status, subwave_last_error(context), false};
}

static failure sit_down(seat **taken)
{
    const pid_t process = getpid();
    seat *const s = take_seat();
    *taken = s;
    if (!s)
        return (failure){SUBWAVE_STATUS_OUT_OF_MEMORY, "no memory for a context", false};
    /* Of a GPU, a child of fork() has nothing; not even to give back. */
    if (s->context && !s->on_cpu && s->process != process) {
        s->context = NULL;
        memset(s->buffers, 0, sizeof s->buffers);
    }
    if (s->context)
        return none;
    /* What has failed is not tried again for each product; only memory may be there next time. */
    const int reason = atomic_load(&hopeless_reason);
    if (reason && atomic_load(&hopeless) == process)
        return (failure){(subwave_status)reason, "", false};
    const subwave_status status = subwave_context_create(&s->context, NULL);
    if (status != SUBWAVE_STATUS_SUCCESS) {
        if (status != SUBWAVE_STATUS_OUT_OF_MEMORY) {
            atomic_store(&hopeless, process);
            atomic_store(&hopeless_reason, status);
        }
        return failed(NULL, status);
    }
    subwave_device_properties device;
    (void)subwave_context_info(s->context, &device);
    s->on_cpu = strcmp(device.backend, "cpu") == 0;
    s->process = process;
    return none;
}

/* At the end of the program. (The library stays when it is closed: to see a GPU's contexts off at
 * either time would be wrong at the other, when the GPU's runtime may have ended.) A context that a
 * thread still uses is left to it. */
__attribute__((destructor)) static void destroy_contexts(void)
{
    for (seat *s = atomic_load(&all_seats); s; s = s->next) {
        if (atomic_exchange(&s->taken, true) || !s->context || !s->on_cpu)
            continue;
        for (int i = 0; i < BUFFERS; ++i)
            (void)subwave_free(s->context, s->buffers[i].memory);
        (void)subwave_context_destroy(&s->context);
    }
}

/* --- copies ---------------------------------------------------------------------------------- */

static subwave_status grow(seat *s, buffer *b, int64_t bytes)
{
    if (b->bytes >= bytes)
        return SUBWAVE_STATUS_SUCCESS;
    (void)subwave_free(s->context, b->memory);
    *b = (buffer){NULL, 0};
    const subwave_status status = subwave_malloc(s->context, &b->memory, bytes);
    if (status == SUBWAVE_STATUS_SUCCESS)
        b->bytes = bytes;
    return status;
}

/* Columns of `rows` elements, from the matrices of one batch to those of another. */
static subwave_status copy_columns(seat *s, subwave_dtype dtype, const subwave_blas_matrix *to,
                                   const subwave_blas_matrix *from, int64_t rows, int64_t columns,
                                   int64_t entry)
{
    const int64_t size = (int64_t)subwave_dtype_size(dtype);
    void *const destination = subwave_blas_at(to, dtype, 0, 0, entry);
    const void *const source = subwave_blas_at(from, dtype, 0, 0, entry);
    if (to->ld * size <= INT32_MAX && from->ld * size <= INT32_MAX) /* as all runtimes take it */
        return subwave_copy_2d_async(s->context, destination, to->ld * size, source,
                                     from->ld * size, rows * size, columns);
    for (int64_t j = 0; j < columns; ++j) {
        const subwave_status status =
            subwave_copy_async(s->context, subwave_blas_at(to, dtype, 0, j, entry),
                               subwave_blas_at(from, dtype, 0, j, entry), rows * size);
        if (status != SUBWAVE_STATUS_SUCCESS)
            return status;
    }
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status copy(seat *s, subwave_dtype dtype, const subwave_blas_matrix *to,
                           const subwave_blas_matrix *from, int64_t rows, int64_t columns,
                           int64_t batch)
{
    if (to->stride == columns * to->ld && from->stride == columns * from->ld) /* all are one */
        return copy_columns(s, dtype, to, from, rows, columns * batch, 0);
    for (int64_t e = 0; e < batch; ++e) {
        const subwave_status status = copy_columns(s, dtype, to, from, rows, columns, e);
        if (status != SUBWAVE_STATUS_SUCCESS)
            return status;
    }
    return SUBWAVE_STATUS_SUCCESS;
}

/* The matrix as the device can read it: itself, or in one of the seat's buffers, without gaps. */
static subwave_status bring(seat *s, int which, subwave_dtype dtype, subwave_blas_matrix *x,
                            int64_t rows, int64_t columns, int64_t batch, bool reads)
{
    const int64_t size = (int64_t)subwave_dtype_size(dtype);
    /* A complex number of C and Fortran is aligned as its parts are. */
    const bool aligned = (uintptr_t)x->first % (uintptr_t)size == 0;
    if (s->on_cpu && aligned && !subwave_blas_get_settings()->copies)
        return SUBWAVE_STATUS_SUCCESS;
    if (x->stride == 0)
        batch = 1;
    const int64_t bytes = columns <= INT64_MAX / size / rows / batch
                              ? rows * columns * batch * size
                              : INT64_MAX; /* which no device has, as it will say */
    const subwave_status status = grow(s, &s->buffers[which], bytes);
    if (status != SUBWAVE_STATUS_SUCCESS)
        return status;
    const subwave_blas_matrix brought = {s->buffers[which].memory, rows,
                                         x->stride == 0 ? 0 : rows * columns};
    const subwave_blas_matrix from = *x;
    *x = brought;
    return reads ? copy(s, dtype, &brought, &from, rows, columns, batch) : SUBWAVE_STATUS_SUCCESS;
}

/* --- products -------------------------------------------------------------------------------- */

static bool is_scalar(subwave_dtype dtype, const void *scalar, double value)
{
    const float *const f32 = scalar;
    const double *const f64 = scalar;
    switch (dtype) {
    case SUBWAVE_DTYPE_F32:
        return f32[0] == value;
    case SUBWAVE_DTYPE_F64:
        return f64[0] == value;
    case SUBWAVE_DTYPE_C32:
        return f32[0] == value && f32[1] == 0;
    default:
        return f64[0] == value && f64[1] == 0;
    }
}

/* Of m, n and k: what subwave_matmul_strided_batched is made for. */
enum { BATCHED_GOOD = 64 };

static subwave_status multiply(subwave_context *context, const subwave_blas_product *p)
{
    const subwave_layout layout = SUBWAVE_LAYOUT_COLUMN_MAJOR;
    if (p->batch == 1)
        return subwave_matmul(context, SUBWAVE_VARIANT_AUTO, p->dtype, layout, p->transpose_a,
                              p->transpose_b, p->m, p->n, p->k, p->alpha, p->a.first, p->a.ld,
                              p->b.first, p->b.ld, p->beta, p->c.first, p->c.ld);
    return subwave_matmul_strided_batched(context, p->dtype, layout, p->transpose_a, p->transpose_b,
                                          p->m, p->n, p->k, p->alpha, p->a.first, p->a.ld,
                                          p->a.stride, p->b.first, p->b.ld, p->b.stride, p->beta,
                                          p->c.first, p->c.ld, p->c.stride, p->batch);
}

/* On the device of the seat. */
static failure compute_there(seat *s, const subwave_blas_product *p)
{
    subwave_blas_product there = *p;
    const bool a_flipped = p->transpose_a != SUBWAVE_TRANSPOSE_NONE,
               b_flipped = p->transpose_b != SUBWAVE_TRANSPOSE_NONE;
    subwave_status status = SUBWAVE_STATUS_SUCCESS;
    if (p->k > 0)
        status = bring(s, OF_A, p->dtype, &there.a, a_flipped ? p->k : p->m,
                       a_flipped ? p->m : p->k, p->batch, true);
    if (p->k > 0 && status == SUBWAVE_STATUS_SUCCESS)
        status = bring(s, OF_B, p->dtype, &there.b, b_flipped ? p->n : p->k,
                       b_flipped ? p->k : p->n, p->batch, true);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = bring(s, OF_C, p->dtype, &there.c, p->m, p->n, p->batch,
                       !is_scalar(p->dtype, p->beta, 0));
    const bool in_place = there.c.first == p->c.first;
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = multiply(s->context, &there);
    /* A kernel's errors come to light before C is written. */
    if (status == SUBWAVE_STATUS_SUCCESS && !in_place)
        status = subwave_synchronize(s->context);
    failure result = failed(s->context, status);
    result.written = in_place && status == SUBWAVE_STATUS_KERNEL_ERROR;
    if (status != SUBWAVE_STATUS_SUCCESS || in_place)
        return result;
    status = copy(s, p->dtype, &p->c, &there.c, p->m, p->n, p->batch);
    if (status == SUBWAVE_STATUS_SUCCESS)
        status = subwave_synchronize(s->context);
    result = failed(s->context, status);
    result.written = true;
    return result;
}

/* Once for each status: a program may call a million times. */
static void report(const char *routine, const failure *f, const char *reason)
{
    static atomic_bool reported[32];
    if (!atomic_exchange(&reported[f->status % 32], true))
        fprintf(
            stderr,
            "libsubwave_blas: %s: %s (%s); the next BLAS computes this and what fails like it\n",
            routine, reason, subwave_status_name(f->status));
}

/* A product that one call computes, or the next BLAS. `f` says why, if there is no seat. */
static void compute_or_pass(const char *routine, seat *s, failure f, const subwave_blas_product *p)
{
    if (f.status == SUBWAVE_STATUS_SUCCESS)
        f = compute_there(s, p);
    if (f.status == SUBWAVE_STATUS_SUCCESS)
        return;
    const char *const reason = f.text[0] ? f.text : subwave_status_text(f.status);
    if (f.written)
        subwave_blas_stop("libsubwave_blas: %s: %s (%s); C is lost\n", routine, reason,
                          subwave_status_name(f.status));
    if (!subwave_blas_has_next(p->dtype))
        subwave_blas_stop(
            "libsubwave_blas: %s: %s (%s); there is no next BLAS (SUBWAVE_BLAS_NEXT)\n", routine,
            reason, subwave_status_name(f.status));
    report(routine, &f, reason);
    subwave_blas_call_next(p);
}

static int64_t larger(int64_t x, int64_t y) { return x > y ? x : y; }

static int64_t largest_size(const subwave_blas_product *p)
{
    return larger(p->m, larger(p->n, p->k));
}

/* Of m n k, for a GPU: about where three copies there and one back begin to take less time than a
 * processor's core needs to multiply. Predicted, not measured. */
enum { MINIMUM_OF_GPU = 128 * 128 * 128 };

static bool is_too_small(const seat *s, const subwave_blas_product *p)
{
    int64_t minimum = subwave_blas_get_settings()->minimum;
    if (minimum < 0)
        minimum = s->on_cpu ? 0 : MINIMUM_OF_GPU;
    return (double)p->m * (double)p->n * (double)p->k * (double)p->batch < (double)minimum &&
           subwave_blas_has_next(p->dtype);
}

void subwave_blas_compute(const char *routine, const subwave_blas_product *given)
{
    const subwave_blas_settings *const settings = subwave_blas_get_settings();
    subwave_blas_product p = *given;
    if (is_scalar(p.dtype, p.alpha, 0))
        p.k = 0; /* A and B are not read, not even to copy them */
    if (p.k == 0 && is_scalar(p.dtype, p.beta, 1))
        return;
    seat *s = NULL;
    failure f = {SUBWAVE_STATUS_INVALID_VALUE, settings->error, false};
    if (!settings->error[0])
        f = sit_down(&s);
    if (f.status == SUBWAVE_STATUS_SUCCESS && is_too_small(s, &p)) {
        leave_seat(s);
        subwave_blas_call_next(&p);
        return;
    }
    if (p.batch == 1 || largest_size(&p) > BATCHED_GOOD) {
        subwave_blas_product entry = p;
        entry.batch = 1;
        for (int64_t e = 0; e < p.batch; ++e) {
            entry.a.first = subwave_blas_at(&p.a, p.dtype, 0, 0, e);
            entry.b.first = subwave_blas_at(&p.b, p.dtype, 0, 0, e);
            entry.c.first = subwave_blas_at(&p.c, p.dtype, 0, 0, e);
            compute_or_pass(routine, s, f, &entry);
        }
    } else {
        compute_or_pass(routine, s, f, &p);
    }
    if (s)
        leave_seat(s);
}
