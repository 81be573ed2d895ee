/* SPDX-License-Identifier: MIT
 * acc_subwave.c: DBCSR's accelerator interface (acc.h and acc_libsmm.h) on subwave, for CP2K and other
 * programs that use DBCSR. docs/consumers.md says how to link it.
 *
 * A stream of DBCSR is a context of subwave, with its stream and its workspace. Calls that name no
 * stream use a context of the calling thread. The device is SUBWAVE_DEVICE, or one of the GPUs, or the
 * CPU device where there is none.
 */
#include <subwave/subwave.h>

#include <acc_libsmm.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct acc_stream {
    subwave_context *context;
    void *handle;
} acc_stream;

/* 0, or -1 with the library's words on standard error. */
static int result(subwave_status status, const subwave_context *context, const char *what)
{
    if (status == SUBWAVE_STATUS_SUCCESS)
        return 0;
    fprintf(stderr, "%s: %s: %s\n", what, subwave_status_text(status), subwave_last_error(context));
    return -1;
}

/* --- devices and contexts -------------------------------------------------------------------- */

static int active_device;

/* DBCSR asks before most of its calls; the answer stays the same. */
static int count_gpus(void)
{
    static _Atomic int known = -1;
    if (known >= 0)
        return known;
    int count = 0, gpus = 0;
    subwave_device_count(&count);
    for (int i = 0; i < count; ++i) {
        subwave_device_properties device;
        if (subwave_device_info(i, &device) == SUBWAVE_STATUS_SUCCESS && device.id[0] == 'g')
            ++gpus;
    }
    known = gpus;
    return gpus;
}

static subwave_status create_context(subwave_context **context)
{
    char id[32];
    snprintf(id, sizeof id, "gpu:%d", active_device);
    const char *const chosen = getenv("SUBWAVE_DEVICE");
    return subwave_context_create(context, (chosen && *chosen) || count_gpus() == 0 ? NULL : id);
}

/* The calling thread's context; it lives as long as the process. */
static subwave_context *own_context(void)
{
    static _Thread_local subwave_context *context;
    static _Thread_local int device;
    if (context && device != active_device)
        subwave_context_destroy(&context);
    if (!context) {
        device = active_device;
        result(create_context(&context), NULL, "subwave_context_create");
    }
    return context;
}

static subwave_context *context_of(void *stream)
{
    return stream ? ((acc_stream *)stream)->context : own_context();
}

int c_dbcsr_acc_init(void) { return own_context() ? 0 : -1; }
int c_dbcsr_acc_finalize(void) { return 0; }
void c_dbcsr_acc_clear_errors(void) {}

int c_dbcsr_acc_get_ndevices(int *ndevices)
{
    const char *const chosen = getenv("SUBWAVE_DEVICE");
    const int gpus = chosen && *chosen ? 0 : count_gpus();
    *ndevices = gpus > 0 ? gpus : 1;
    return 0;
}

int c_dbcsr_acc_set_active_device(int device_id)
{
    int count;
    c_dbcsr_acc_get_ndevices(&count);
    if (device_id < 0 || device_id >= count)
        return -1;
    active_device = device_id;
    return 0;
}

/* --- streams and events ---------------------------------------------------------------------- */

int c_dbcsr_acc_stream_priority_range(int *least, int *greatest)
{
    if (least)
        *least = 1;
    if (greatest)
        *greatest = -1;
    return 0;
}

/* All streams that were created, for c_dbcsr_acc_device_synchronize. */
enum { MOST_STREAMS = 1024 };
static acc_stream *streams[MOST_STREAMS];

static int remember(acc_stream *stream)
{
    for (int i = 0; i < MOST_STREAMS; ++i) {
        acc_stream *none = NULL;
        if (__atomic_compare_exchange_n(&streams[i], &none, stream, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            return 0;
    }
    fprintf(stderr, "acc_subwave: more than %d streams\n", MOST_STREAMS);
    return -1;
}

static void forget(acc_stream *stream)
{
    for (int i = 0; i < MOST_STREAMS; ++i) {
        acc_stream *found = stream;
        if (__atomic_compare_exchange_n(&streams[i], &found, NULL, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            return;
    }
}

int c_dbcsr_acc_stream_destroy(void *stream)
{
    acc_stream *const s = stream;
    if (!s)
        return 0;
    forget(s);
    int failed = 0;
    if (s->handle)
        failed |= result(subwave_stream_destroy(s->context, s->handle), s->context, __func__);
    failed |= result(subwave_context_destroy(&s->context), NULL, __func__);
    free(s);
    return failed;
}

int c_dbcsr_acc_stream_create(void **stream_p, const char *name, int priority)
{
    (void)name;
    acc_stream *const s = calloc(1, sizeof *s);
    *stream_p = NULL;
    if (!s)
        return -1;
    int failed = result(create_context(&s->context), NULL, __func__);
    if (!failed && priority != 0) { /* a context's own stream has the normal one */
        failed = result(
            subwave_stream_create(s->context, &s->handle,
                                  priority < 0 ? SUBWAVE_PRIORITY_HIGH : SUBWAVE_PRIORITY_LOW),
            s->context, __func__);
        if (!failed)
            failed = result(subwave_set_stream(s->context, s->handle), s->context, __func__);
    }
    if (failed || remember(s) != 0) {
        c_dbcsr_acc_stream_destroy(s);
        return -1;
    }
    *stream_p = s;
    return 0;
}

int c_dbcsr_acc_stream_sync(void *stream)
{
    return result(subwave_synchronize(context_of(stream)), context_of(stream), __func__);
}

int c_dbcsr_acc_stream_wait_event(void *stream, void *event)
{
    return result(subwave_event_wait(context_of(stream), event), context_of(stream), __func__);
}

/* DBCSR calls it where no other thread uses a stream. */
int c_dbcsr_acc_device_synchronize(void)
{
    int failed = c_dbcsr_acc_stream_sync(NULL);
    for (int i = 0; i < MOST_STREAMS; ++i) {
        acc_stream *const s = __atomic_load_n(&streams[i], __ATOMIC_SEQ_CST);
        failed |= s ? c_dbcsr_acc_stream_sync(s) : 0;
    }
    return failed;
}

int c_dbcsr_acc_event_create(void **event_p)
{
    return result(subwave_event_create(own_context(), (subwave_event **)event_p), own_context(),
                  __func__);
}

int c_dbcsr_acc_event_destroy(void *event)
{
    return result(subwave_event_destroy(own_context(), event), own_context(), __func__);
}

int c_dbcsr_acc_event_record(void *event, void *stream)
{
    return result(subwave_event_record(context_of(stream), event), context_of(stream), __func__);
}

int c_dbcsr_acc_event_query(void *event, c_dbcsr_acc_bool_t *has_occurred)
{
    bool reached = false;
    const subwave_status status = subwave_event_query(own_context(), event, &reached);
    *has_occurred = reached;
    return result(status, own_context(), __func__);
}

int c_dbcsr_acc_event_synchronize(void *event)
{
    return result(subwave_event_synchronize(own_context(), event), own_context(), __func__);
}

/* --- memory ---------------------------------------------------------------------------------- */

int c_dbcsr_acc_dev_mem_allocate(void **dev_mem, size_t nbytes)
{
    return result(subwave_malloc(own_context(), dev_mem, (int64_t)nbytes), own_context(), __func__);
}

int c_dbcsr_acc_dev_mem_deallocate(void *dev_mem)
{
    return result(subwave_free(own_context(), dev_mem), own_context(), __func__);
}

int c_dbcsr_acc_dev_mem_set_ptr(void **dev_mem, void *other, size_t lb)
{
    *dev_mem = (char *)other + lb;
    return 0;
}

int c_dbcsr_acc_host_mem_allocate(void **host_mem, size_t nbytes, void *stream)
{
    return result(subwave_malloc_host(context_of(stream), host_mem, (int64_t)nbytes),
                  context_of(stream), __func__);
}

int c_dbcsr_acc_host_mem_deallocate(void *host_mem, void *stream)
{
    return result(subwave_free_host(context_of(stream), host_mem), context_of(stream), __func__);
}

static int copy(void *to, const void *from, size_t nbytes, void *stream, const char *what)
{
    return result(subwave_copy_async(context_of(stream), to, from, (int64_t)nbytes),
                  context_of(stream), what);
}

int c_dbcsr_acc_memcpy_h2d(const void *host_mem, void *dev_mem, size_t nbytes, void *stream)
{
    return copy(dev_mem, host_mem, nbytes, stream, __func__);
}

int c_dbcsr_acc_memcpy_d2h(const void *dev_mem, void *host_mem, size_t nbytes, void *stream)
{
    return copy(host_mem, dev_mem, nbytes, stream, __func__);
}

int c_dbcsr_acc_memcpy_d2d(const void *devmem_src, void *devmem_dst, size_t nbytes, void *stream)
{
    return copy(devmem_dst, devmem_src, nbytes, stream, __func__);
}

int c_dbcsr_acc_memset_zero(void *dev_mem, size_t offset, size_t nbytes, void *stream)
{
    const uint8_t zero = 0;
    return result(subwave_fill(context_of(stream), SUBWAVE_DTYPE_U8, &zero, (int64_t)nbytes,
                               (char *)dev_mem + offset),
                  context_of(stream), __func__);
}

int c_dbcsr_acc_dev_mem_info(size_t *mem_free, size_t *mem_total)
{
    int64_t free_bytes = 0, total_bytes = 0;
    const subwave_status status = subwave_memory_info(own_context(), &free_bytes, &total_bytes);
    if (mem_free)
        *mem_free = (size_t)free_bytes;
    if (mem_total)
        *mem_total = (size_t)total_bytes;
    return result(status, own_context(), __func__);
}

/* --- small products -------------------------------------------------------------------------- */

int libsmm_acc_init(void) { return c_dbcsr_acc_init(); }
int libsmm_acc_finalize(void) { return 0; }
c_dbcsr_acc_bool_t libsmm_acc_is_thread_safe(void) { return 1; }

static subwave_dtype dtype_of(libsmm_acc_data_t datatype)
{
    switch (datatype) {
    case dbcsr_type_real_4:
        return SUBWAVE_DTYPE_F32;
    case dbcsr_type_real_8:
        return SUBWAVE_DTYPE_F64;
    case dbcsr_type_complex_4:
        return SUBWAVE_DTYPE_C32;
    case dbcsr_type_complex_8:
        return SUBWAVE_DTYPE_C64;
    }
    return (subwave_dtype)0;
}

/* Each m x n matrix of the list, by columns, becomes the n x m one; larger ones stay as they are. */
int libsmm_acc_transpose(const int *dev_trs_stack, int offset, int stack_size, void *dev_data,
                         libsmm_acc_data_t datatype, int m, int n, int max_kernel_dim, void *stream)
{
    if (m > max_kernel_dim || n > max_kernel_dim)
        return 0;
    return result(subwave_transpose_stacked(
                      context_of(stream), dtype_of(datatype), SUBWAVE_LAYOUT_COLUMN_MAJOR, m, n,
                      dev_data, SUBWAVE_DTYPE_I32, 0, dev_trs_stack + offset, stack_size),
                  context_of(stream), __func__);
}

/* C += A B for each entry of the stack, where libsmm_acc_transpose has transposed B unless that is
 * large. A stack of several shapes is left to DBCSR. */
int libsmm_acc_process(const int *host_param_stack, const int *dev_param_stack, int stack_size,
                       libsmm_acc_data_t datatype, const void *dev_a_data, const void *dev_b_data,
                       void *dev_c_data, int m_max, int n_max, int k_max, int max_kernel_dim,
                       c_dbcsr_acc_bool_t def_mnk, void *stack_stream, void *c_stream)
{
    (void)host_param_stack, (void)c_stream;
    if (!def_mnk)
        return -1;
    const double one[2] = {1, 0};
    const float one32[2] = {1, 0};
    const subwave_dtype dtype = dtype_of(datatype);
    const bool is_f32 = dtype == SUBWAVE_DTYPE_F32 || dtype == SUBWAVE_DTYPE_C32,
               transposed = n_max <= max_kernel_dim && k_max <= max_kernel_dim;
    const void *const scalar = is_f32 ? (const void *)one32 : one;
    subwave_context *const context = context_of(stack_stream);
    return result(subwave_matmul_stacked(
                      context, dtype, SUBWAVE_LAYOUT_COLUMN_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                      transposed ? SUBWAVE_TRANSPOSE_YES : SUBWAVE_TRANSPOSE_NONE, m_max, n_max,
                      k_max, scalar, dev_a_data, m_max, dev_b_data, transposed ? n_max : k_max,
                      scalar, dev_c_data, m_max, SUBWAVE_DTYPE_I32, 1, dev_param_stack, stack_size),
                  context, __func__);
}

/* norms[i] is the sum of the squares of the nelems[i] elements from mat[offsets[i]] on. Computed on the
 * host: DBCSR asks for it once per matrix, to filter small blocks. */
int c_calculate_norms(const double *mat, int nblks, const int *offsets, const int *nelems,
                      float *norms, void *stream_ptr)
{
    subwave_context *const context = context_of(stream_ptr);
    const size_t count = nblks > 0 ? (size_t)nblks : 0;
    int *const host = malloc(2 * count * sizeof *host + 1);
    float *const sums = malloc(count * sizeof *sums + 1);
    double *elements = NULL;
    size_t most = 0;
    int failed = host && sums ? 0 : -1;
    if (!failed)
        failed = result(subwave_copy(context, host, offsets, (int64_t)(count * sizeof *host)),
                        context, __func__);
    if (!failed)
        failed =
            result(subwave_copy(context, host + count, nelems, (int64_t)(count * sizeof *host)),
                   context, __func__);
    for (size_t i = 0; !failed && i < count; ++i) {
        const size_t end = (size_t)host[i] + (size_t)host[count + i];
        most = end > most ? end : most;
    }
    if (!failed)
        failed = (elements = malloc(most * sizeof *elements + 1)) ? 0 : -1;
    if (!failed)
        failed = result(subwave_copy(context, elements, mat, (int64_t)(most * sizeof *elements)),
                        context, __func__);
    for (size_t i = 0; !failed && i < count; ++i) {
        double sum = 0;
        for (int e = 0; e < host[count + i]; ++e)
            sum += elements[host[i] + e] * elements[host[i] + e];
        sums[i] = (float)sum;
    }
    if (!failed)
        failed = result(subwave_copy(context, norms, sums, (int64_t)(count * sizeof *sums)),
                        context, __func__);
    free(elements);
    free(sums);
    free(host);
    return failed;
}
