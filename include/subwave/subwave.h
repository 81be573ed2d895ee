/* SPDX-License-Identifier: MIT
 * subwave.h: the C interface. Needs no HIP, CUDA or C++ header; bindable from Fortran.
 *
 * Rules that hold for every function:
 * - It returns a subwave_status. On anything but SUBWAVE_STATUS_SUCCESS nothing was written, and
 *   subwave_last_error() names the parameter and the reason.
 * - Arguments are checked in one order: context, enumerations, sizes, quick return, pointers.
 * - "Device memory" is memory that the context's device can access: subwave_malloc(), the GPU
 *   runtime's own allocators, or, on the CPU device, any memory of the process.
 * - Compute calls are queued on the context's stream, allocate nothing, do not synchronise with
 *   the host, and can be captured in a graph. On the CPU device they have finished on return.
 * - Results are the same, bit for bit, from run to run on the same device.
 * - Distinct contexts may be used from distinct threads at once; one context is one thread's at a
 *   time. There is no global state.
 */
#ifndef SUBWAVE_H
#define SUBWAVE_H

#include <subwave/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- status, names, version ------------------------------------------------------------------ */

/* The constant's name without prefix ("INVALID_SIZE"), or "unknown". Never null. */
SUBWAVE_API const char *subwave_status_name(subwave_status status);

/* One line of English about `status`. Never null. */
SUBWAVE_API const char *subwave_status_text(subwave_status status);

/* "f32" and so on, or "unknown". Never null. */
SUBWAVE_API const char *subwave_dtype_name(subwave_dtype dtype);

/* Bytes of one element, or 0 for a value outside the list. */
SUBWAVE_API size_t subwave_dtype_size(subwave_dtype dtype);

/* "naive" and so on, or "unknown". Never null. */
SUBWAVE_API const char *subwave_variant_name(subwave_variant variant);

/* "ballot" and "plus" and so on, or "unknown". Never null. */
SUBWAVE_API const char *subwave_group_kind_name(subwave_group_kind kind);
SUBWAVE_API const char *subwave_op_name(subwave_op op);

/* "fixed" and "device" and so on, or "unknown". Never null. */
SUBWAVE_API const char *subwave_order_name(subwave_order order);

/* "none" or "first", or "unknown". Never null. */
SUBWAVE_API const char *subwave_conjugation_name(subwave_conjugation conjugation);

/* "inclusive" or "exclusive", or "unknown". Never null. */
SUBWAVE_API const char *subwave_scan_kind_name(subwave_scan_kind scan);

/* "less" and so on, or "unknown". Never null. */
SUBWAVE_API const char *subwave_comparison_name(subwave_comparison comparison);

/* The library's version, "major.minor.patch"; SUBWAVE_VERSION_STRING is the header's. */
SUBWAVE_API const char *subwave_version(void);

/* One line: version, backends, architectures with code in this library, compilers. */
SUBWAVE_API const char *subwave_build_info(void);

/* --- devices --------------------------------------------------------------------------------- */

/* Counts the devices: GPUs first, then the CPU device once for each wave size.
 *   count  [out, host] the number; never 0, since the CPU device is always there.
 * A GPU runtime without a driver or a GPU counts as no GPU; it is not an error.
 * Errors: INVALID_POINTER count is null. */
SUBWAVE_API subwave_status subwave_device_count(int *count);

/* Describes device `index`, 0 <= index < count.
 *   properties  [out, host] filled whole.
 * Errors: NO_DEVICE no such index; INVALID_POINTER properties is null; DEVICE_ERROR. */
SUBWAVE_API subwave_status subwave_device_info(int index, subwave_device_properties *properties);

/* --- contexts -------------------------------------------------------------------------------- */

/* One device, one stream, the text of the last error. */
typedef struct subwave_context subwave_context;

/* Creates a context on a device, with a stream of its own: its work is in order with no other
 * stream's, the runtime's default stream included, unless events or subwave_set_stream say so.
 *   context  [out, host] the new context, null on error.
 *   device   [in, host]  "gpu:0", "gpu:1", ..., "cpu:4", "cpu:8", "cpu:16", "cpu:32", "cpu:64" (the
 *            number is the wave size), "gpu" or "cpu" for the first of a kind ("cpu" is
 *            cpu:64, or what SUBWAVE_CPU_WAVE says). Null: the environment's SUBWAVE_DEVICE, else
 *            the first GPU that the library holds code for, else "cpu".
 * Environment, read here: SUBWAVE_DEVICE; SUBWAVE_LOG (sum of 1: trace calls on stderr, 2: print
 * each compute call that has something to compute as a `subwave bench` command, which repeats it on
 * random data); SUBWAVE_LOG_FILE (append there instead); for the CPU device SUBWAVE_CPU_WAVE,
 * SUBWAVE_CPU_THREADS, SUBWAVE_CPU_SEED (docs/cpu-device.md). Errors: INVALID_POINTER context is
 * null; NO_DEVICE; INVALID_VALUE the name or an environment variable cannot be read;
 * ARCHITECTURE_MISMATCH; OUT_OF_MEMORY; DEVICE_ERROR. Since there is no context to ask,
 * subwave_last_error(NULL) has the text, for the calling thread. */
SUBWAVE_API subwave_status subwave_context_create(subwave_context **context, const char *device);

/* Waits for the context's work, frees the context and sets *context to null. Memory from
 * subwave_malloc stays valid. A null context or *context is a no-op.
 * Errors: DEVICE_ERROR queued work had failed; the context is freed all the same. */
SUBWAVE_API subwave_status subwave_context_destroy(subwave_context **context);

/* Describes the context's device. Errors: INVALID_CONTEXT, INVALID_POINTER. */
SUBWAVE_API subwave_status subwave_context_info(subwave_context *context,
                                                subwave_device_properties *properties);

/* What the last failed call on `context` found wrong, naming the parameter; "" if none failed.
 * With a null context: the last failed call of this thread that had no context. Valid until the
 * next call. Never null. */
SUBWAVE_API const char *subwave_last_error(const subwave_context *context);

/* The position in its function's list, from 1, of the parameter that was found wrong (-info of
 * LAPACK): of the struct, if a field of one was. 0 if the last call on `context` did not fail, or
 * for another reason than a parameter. With a null context: of what subwave_last_error(NULL) is
 * about. Valid until the next call. */
SUBWAVE_API int subwave_last_argument(const subwave_context *context);

/* Queues later calls on `stream`: one of subwave_stream_create, a hipStream_t or cudaStream_t of
 * the context's device, or what subwave_get_stream gave; null is the runtime's default stream. Work
 * queued before on the old stream is ordered before work queued after on the new one. The stream
 * must outlive its use here.
 * Errors: INVALID_CONTEXT; UNSUPPORTED a stream of no subwave_stream_create on the CPU device;
 * DEVICE_ERROR. */
SUBWAVE_API subwave_status subwave_set_stream(subwave_context *context, void *stream);

/* The context's stream: from the start its own, which lives as long as the context.
 * Errors: INVALID_CONTEXT, INVALID_POINTER. */
SUBWAVE_API subwave_status subwave_get_stream(subwave_context *context, void **stream);

/* Waits on the host until the context's stream has run empty.
 * Errors: INVALID_CONTEXT; DEVICE_ERROR queued work had failed. */
SUBWAVE_API subwave_status subwave_synchronize(subwave_context *context);

/* --- streams and events ---------------------------------------------------------------------- */

/* A stream is a queue of work, for subwave_set_stream of any context of the device; an event is a
 * place in one. Work on one stream is done in order. Contexts of a device, each on its own stream,
 * overlap their work, and one waits for another where an event says so. On the CPU device, where
 * calls have finished on return, streams are numbers, and an event is reached as soon as it is
 * recorded. */

/* Creates a stream, which keeps no order with other streams, the default stream included.
 *   stream    [out, host] the stream; on a GPU a hipStream_t or cudaStream_t.
 *   priority  SUBWAVE_PRIORITY_NORMAL, or which work is taken up first.
 * Errors: INVALID_CONTEXT; INVALID_VALUE priority; INVALID_POINTER; OUT_OF_MEMORY; DEVICE_ERROR. */
SUBWAVE_API subwave_status subwave_stream_create(subwave_context *context, void **stream,
                                                 subwave_priority priority);

/* Destroys a stream of subwave_stream_create, whose queued work is still done; null is a no-op. If
 * it is the stream of `context`, that goes back to its own first; no other context may still have
 * it.
 * Errors: INVALID_CONTEXT; INVALID_VALUE the stream is the context's own; UNSUPPORTED as in
 * subwave_set_stream; DEVICE_ERROR. */
SUBWAVE_API subwave_status subwave_stream_destroy(subwave_context *context, void *stream);

/* An event belongs to the device: any context of the device takes it, also after the one that
 * created it was destroyed. It is one thread's at a time, as a context is. */
typedef struct subwave_event subwave_event;

/* Creates an event, which counts as reached until it is recorded.
 *   event  [out, host]
 * Errors: INVALID_CONTEXT, INVALID_POINTER, OUT_OF_MEMORY, DEVICE_ERROR. */
SUBWAVE_API subwave_status subwave_event_create(subwave_context *context, subwave_event **event);

/* Destroys an event; what waits for it is not disturbed. Null is a no-op.
 * Errors: INVALID_CONTEXT; INVALID_VALUE the event is another device's; DEVICE_ERROR. */
SUBWAVE_API subwave_status subwave_event_destroy(subwave_context *context, subwave_event *event);

/* The event is reached when all that was queued on the context's stream is done. An earlier record
 * of it is forgotten, but not by those who wait already.
 * Stream: asynchronous. Errors, also of the functions that follow: INVALID_CONTEXT; INVALID_POINTER
 * event is null; INVALID_VALUE the event is another device's; DEVICE_ERROR, also if work that was
 * queued before had failed, or if the event was recorded while a graph is captured and is waited
 * for on the host. */
SUBWAVE_API subwave_status subwave_event_record(subwave_context *context, subwave_event *event);

/* What is queued on the context's stream from now on waits until the event, as it was recorded
 * last, is reached; also if another context has recorded it. Stream: asynchronous. */
SUBWAVE_API subwave_status subwave_event_wait(subwave_context *context, subwave_event *event);

/* Whether the event has been reached.
 *   reached  [out, host] Errors: also INVALID_POINTER. */
SUBWAVE_API subwave_status subwave_event_query(subwave_context *context, subwave_event *event,
                                               bool *reached);

/* Waits on the host until the event is reached. */
SUBWAVE_API subwave_status subwave_event_synchronize(subwave_context *context,
                                                     subwave_event *event);

/* The time from one event to another, once both are reached, for which the call waits.
 *   start, stop   [in, host] events that were recorded.
 *   milliseconds  [out, host] negative if `stop` was reached first.
 * Errors: also INVALID_VALUE an event that was never recorded; INVALID_POINTER. */
SUBWAVE_API subwave_status subwave_event_elapsed(subwave_context *context, subwave_event *start,
                                                 subwave_event *stop, double *milliseconds);

/* --- workspace ------------------------------------------------------------------------------- */

/* Calls that split their work keep partial results in a workspace: device memory of the context,
 * allocated when the context is created, as large as any call needs. How much a matrix product needs
 * is in what subwave_matmul_plan returns, which is computed on the host; what other calls need stands
 * with them. The calls of a context follow one another on its stream and share the workspace; a
 * captured graph keeps using the memory that was the workspace at its capture. */

/* Makes the caller's memory the workspace of later calls.
 *   workspace  [device] `bytes` bytes, aligned to 256 bytes. It must outlive its use here and serve
 *              one context at a time. Null and 0 bytes: the context's own memory again.
 *   bytes      >= 0. A call that needs more returns WORKSPACE_TOO_SMALL and writes nothing.
 * Stream: writes zeros to the first 4 KiB, and waits for that; not while a graph is captured.
 * Errors: INVALID_CONTEXT; INVALID_SIZE bytes is negative; INVALID_POINTER workspace is null with
 * bytes > 0, or misaligned; DEVICE_ERROR. */
SUBWAVE_API subwave_status subwave_set_workspace(subwave_context *context, void *workspace,
                                                 int64_t bytes);

/* The size of the workspace in use.
 *   bytes  [out, host] its bytes.
 * Errors: INVALID_CONTEXT, INVALID_POINTER. */
SUBWAVE_API subwave_status subwave_workspace_size(subwave_context *context, int64_t *bytes);

/* --- memory ---------------------------------------------------------------------------------- */

/* Allocates `bytes` of device memory, aligned to 256 bytes, contents undefined.
 *   pointer  [out, host] the memory; null when bytes is 0.
 * Synchronises on some GPUs. Errors: INVALID_CONTEXT, INVALID_SIZE, INVALID_POINTER,
 * OUT_OF_MEMORY, DEVICE_ERROR. */
SUBWAVE_API subwave_status subwave_malloc(subwave_context *context, void **pointer, int64_t bytes);

/* Frees memory from subwave_malloc, or subwave_malloc_async, after the work queued on the context,
 * for which it waits; null is a no-op. Errors: INVALID_CONTEXT, DEVICE_ERROR. */
SUBWAVE_API subwave_status subwave_free(subwave_context *context, void *pointer);

/* Allocates in stream order: as subwave_malloc, but for what is queued on the context's stream from
 * now on, and for what is ordered after that. The host does not wait, and memory that was freed in
 * stream order is taken first.
 * Stream: asynchronous. Errors: also UNSUPPORTED a GPU whose runtime has no pools of memory. */
SUBWAVE_API subwave_status subwave_malloc_async(subwave_context *context, void **pointer,
                                                int64_t bytes);

/* Frees memory of subwave_malloc_async, from the same context or another one of the device, when
 * the work queued on the context's stream is done; null is a no-op. The host does not wait.
 * Stream: asynchronous. Errors: INVALID_CONTEXT; UNSUPPORTED as in subwave_malloc_async;
 * DEVICE_ERROR. */
SUBWAVE_API subwave_status subwave_free_async(subwave_context *context, void *pointer);

/* Allocates `bytes` of host memory that the device copies from and to by itself ("pinned"),
 * contents undefined, aligned to 256 bytes. The device can access it, slowly.
 *   pointer  [out, host] the memory; null when bytes is 0.
 * Errors: as subwave_malloc. */
SUBWAVE_API subwave_status subwave_malloc_host(subwave_context *context, void **pointer,
                                               int64_t bytes);

/* Frees memory from subwave_malloc_host after the work queued on the context, for which it waits;
 * null is a no-op. Errors: INVALID_CONTEXT, DEVICE_ERROR. */
SUBWAVE_API subwave_status subwave_free_host(subwave_context *context, void *pointer);

/* The device's memory in bytes: what could still be allocated at most, by all programs together,
 * and what it has in all.
 *   free_bytes, total_bytes  [out, host] On the CPU device they are the machine's.
 * Errors: INVALID_CONTEXT, INVALID_POINTER, DEVICE_ERROR. */
SUBWAVE_API subwave_status subwave_memory_info(subwave_context *context, int64_t *free_bytes,
                                               int64_t *total_bytes);

/* Copies between any two of host and device memory, in stream order; done on return.
 *   destination, source  [out, in; host or device] `bytes` bytes each, not overlapping.
 * Errors: INVALID_CONTEXT, INVALID_SIZE, INVALID_POINTER, DEVICE_ERROR. */
SUBWAVE_API subwave_status subwave_copy(subwave_context *context, void *destination,
                                        const void *source, int64_t bytes);

/* The same without waiting. Host memory must stay as it is until the copy is done; if it is not
 * from subwave_malloc_host, the call may wait, and must not be captured in a graph.
 * Stream: asynchronous. */
SUBWAVE_API subwave_status subwave_copy_async(subwave_context *context, void *destination,
                                              const void *source, int64_t bytes);

/* Copies the first `width` bytes of each of `height` rows between any two of host and device
 * memory, in stream order; done on return.
 *   destination, source  [out, in; host or device] the first rows; they must not overlap. Bytes of
 *           the destination between rows are kept.
 *   destination_pitch, source_pitch  bytes from one row to the next, at least max(1, width); a
 *           GPU's runtime may take no more than 2^31 - 1.
 *   width, height  >= 0; 0 returns at once.
 * Errors: INVALID_CONTEXT; INVALID_SIZE; INVALID_STRIDE a pitch; INVALID_POINTER; DEVICE_ERROR.
 * Source: Memcpy2D of HIP and CUDA. */
SUBWAVE_API subwave_status subwave_copy_2d(subwave_context *context, void *destination,
                                           int64_t destination_pitch, const void *source,
                                           int64_t source_pitch, int64_t width, int64_t height);

/* The same without waiting, as subwave_copy_async. */
SUBWAVE_API subwave_status subwave_copy_2d_async(subwave_context *context, void *destination,
                                                 int64_t destination_pitch, const void *source,
                                                 int64_t source_pitch, int64_t width,
                                                 int64_t height);

/* x[i] = *value for i = 0 ... n - 1.
 *   dtype   any: U8 for bytes. Elements are moved as they are.
 *   value   [in, host] one element, of any alignment; read during the call.
 *   n       elements, >= 0; 0 returns at once.
 *   x       [out, device] n elements, aligned as an element or, of complex types, as its part.
 * Stream: asynchronous. Workspace: none. Determinism: nothing is computed. Errors: INVALID_CONTEXT;
 * INVALID_VALUE dtype; INVALID_SIZE; INVALID_POINTER; DEVICE_ERROR; KERNEL_ERROR. */
SUBWAVE_API subwave_status subwave_fill(subwave_context *context, subwave_dtype dtype,
                                        const void *value, int64_t n, void *x);

/* --- matrix product -------------------------------------------------------------------------- */

/* C = alpha op(A) op(B) + beta C.
 *   variant   SUBWAVE_VARIANT_AUTO picks the fastest (subwave_matmul_plan says which); the others
 *             are as in the enumeration.
 *   dtype     SUBWAVE_DTYPE_F16, _BF16, _F32, _F64, _C32 or _C64, of all matrices, or _I8, of A and
 *             B. Sums and scalars are i32 for I8, f32 for F16 and BF16, of dtype itself for the
 *             others; an element of C is rounded once, to nearest even. With I8, C is of i32, and
 *             all is exact modulo 2^32. MATRIX on gfx90a takes subnormal elements of 16 bits for 0.
 *   layout    of all three matrices. transpose_a, transpose_b: with CONJUGATE, op(X) = X^H.
 *   m, n, k   op(A) is m x k, op(B) is k x n, C is m x n; each >= 0, no divisibility needed.
 *   alpha     [in, host]   one float, double for F64, int32_t for I8, or one element of a complex
 *             type, aligned as its part. 0: A and B are not read.
 *   a, lda    [in, device] m x k, or k x m with transpose_a.
 *   b, ldb    [in, device] k x n, or n x k with transpose_b.
 *   beta      [in, host]   as alpha. 0: C is not read, so it may hold anything.
 *   c, ldc    [in/out, device] m x n; must not overlap A or B. Elements between rows are kept.
 * Matrices are aligned as their elements, which of C64 is to 16 bytes. A leading dimension is at
 * least max(1, columns) in row-major and max(1, rows) in column-major order of the matrix as
 * stored. m = 0 or n = 0 returns at once; k = 0 scales C by beta. Stream: asynchronous.
 * Workspace: as subwave_matmul_plan says; a graph captured from a call that needs it must not run
 * beside other work that uses the same workspace. Determinism: bit-equal from run to run on one
 * device; the sum over k runs in ascending order, one partial sum per element, to whose parts
 * each real product is added by itself, except for MATRIX, whose units add a few products at
 * once, and SKINNY, MATRIX and BROADCAST (on NVIDIA), which add sums of parts of k in an order
 * that the arguments and the device alone decide, and for MATRIX of complex types the workspace's
 * size. Errors: INVALID_CONTEXT; INVALID_VALUE variant, dtype, layout, transpose;
 * UNSUPPORTED dtype, or MATRIX where the device has no matrix unit that keeps the accuracy of
 * dtype, or of its parts, or SKINNY of 8 or 16 bits; INVALID_SIZE; INVALID_STRIDE;
 * INVALID_POINTER; WORKSPACE_TOO_SMALL; DEVICE_ERROR; KERNEL_ERROR. Source: the three kernels of the sub-group tutorial and "matmul
 * three ways" (docs/matmul.md). */
SUBWAVE_API subwave_status subwave_matmul(subwave_context *context, subwave_variant variant,
                                          subwave_dtype dtype, subwave_layout layout,
                                          subwave_transpose_kind transpose_a,
                                          subwave_transpose_kind transpose_b, int64_t m, int64_t n,
                                          int64_t k, const void *alpha, const void *a, int64_t lda,
                                          const void *b, int64_t ldb, const void *beta, void *c,
                                          int64_t ldc);

/* Many products of small matrices: C[e] = alpha op(A[e]) op(B[e]) + beta C[e] for each entry e of a
 * batch.
 *   dtype        F32, F64, C32 or C64, of all matrices and scalars; sums are kept in it.
 *   layout       of all matrices. transpose_a, transpose_b: with CONJUGATE, op(X) = X^H.
 *   m, n, k      op(A) is m x k, op(B) is k x n, C is m x n; 0 to 32768 each. Made for sizes of 1
 *                to 64.
 *   alpha        [in, host]   one element. 0: A and B are not read.
 *   a, lda       [in, device] the first A, m x k, or k x m with transpose_a; entry e's is e
 *                stride_a on.
 *   b, ldb       [in, device] the first B, k x n, or n x k with transpose_b.
 *   beta         [in, host]   one element. 0: C is not read, so it may hold anything.
 *   c, ldc       [in/out, device] the first C, m x n; must not overlap any A or B. Elements between
 *                rows and between matrices are kept.
 *   stride_a, stride_b, stride_c  elements from one entry's matrix to the next's, of any sign. 0
 *                for A or B: one matrix for all. The matrices of C lie apart: |stride_c| is at
 *                least the elements from the first to the last of one C; or they lie side by side
 *                in rows of length ldc.
 *   batch        entries, >= 0.
 * Leading dimensions as in subwave_matmul. m, n or batch = 0 returns at once; k = 0 scales C by
 * beta. Stream: asynchronous. Workspace: none. Determinism: bit-equal from run to run on one
 * device, whatever the entry's place in the batch; the sum over k runs in ascending order, one
 * partial sum per element (f64 on a GPU's matrix unit: in its order within eight steps of k).
 * Errors: INVALID_CONTEXT; INVALID_VALUE dtype, layout, transpose; UNSUPPORTED another dtype;
 * INVALID_SIZE; INVALID_STRIDE; INVALID_POINTER; DEVICE_ERROR; KERNEL_ERROR. Source:
 * gemmStridedBatched of hipBLAS and cuBLAS (docs/matmul-batched.md). */
SUBWAVE_API subwave_status subwave_matmul_strided_batched(
    subwave_context *context, subwave_dtype dtype, subwave_layout layout,
    subwave_transpose_kind transpose_a, subwave_transpose_kind transpose_b, int64_t m, int64_t n,
    int64_t k, const void *alpha, const void *a, int64_t lda, int64_t stride_a, const void *b,
    int64_t ldb, int64_t stride_b, const void *beta, void *c, int64_t ldc, int64_t stride_c,
    int64_t batch);

/* The same with matrices anywhere:
 *   a, b, c  [in, device] arrays of `batch` pointers to device memory, each aligned to an element,
 *            which is not checked; pointers of a and b may repeat, matrices of C must not overlap.
 * All else, errors too, as in subwave_matmul_strided_batched.
 * Source: gemmBatched of hipBLAS and cuBLAS. */
SUBWAVE_API subwave_status subwave_matmul_batched(
    subwave_context *context, subwave_dtype dtype, subwave_layout layout,
    subwave_transpose_kind transpose_a, subwave_transpose_kind transpose_b, int64_t m, int64_t n,
    int64_t k, const void *alpha, const void *const *a, int64_t lda, const void *const *b,
    int64_t ldb, const void *beta, void *const *c, int64_t ldc, int64_t batch);

/* A stack of products of small matrices: C += alpha op(A) op(B) for each entry of a list of offsets in
 * device memory, where a C may occur any number of times, at any places in the stack:
 *   C = alpha (op(A1) op(B1) + op(A2) op(B2) + ...) + beta C for each C that occurs, over all entries
 *   with it, in the order of the stack.
 *   dtype ... k   as in subwave_matmul_strided_batched.
 *   alpha, beta   [in, host]   one element each. alpha = 0: no A or B is read. beta = 0: C is not
 *                 read, so it may hold anything. beta is applied once to each C.
 *   a, b, c       [in, device; c in/out] where offsets count from.
 *   lda, ldb, ldc as in subwave_matmul_strided_batched, of each matrix.
 *   offset_dtype  I32 or I64.
 *   base          0 or 1: the offset of the first element of a, b and c.
 *   offsets       [in, device] 3 x entries numbers: of entry e, 3 e, 3 e + 1 and 3 e + 2 say at which
 *                 elements of a, b and c its A, B and C begin. They are not checked. Two C are the
 *                 same, or lie apart as in subwave_matmul_batched.
 *   entries       0 to 2^28.
 * m, n or entries = 0 returns at once; k = 0 scales each C by beta. Stream: asynchronous. Workspace:
 * up to 4160 bytes and 108 per entry; a context's own is enough for 32768 entries. Determinism:
 * bit-equal from run to run on one device; one partial sum per element, over the entries in the order
 * of the stack and over k in ascending order, or as subwave_matmul_strided_batched does within an
 * entry. Errors: INVALID_CONTEXT; INVALID_VALUE dtype, layout, transpose, offset_dtype, base;
 * UNSUPPORTED another dtype or offset_dtype; INVALID_SIZE; INVALID_STRIDE; INVALID_POINTER;
 * WORKSPACE_TOO_SMALL; DEVICE_ERROR; KERNEL_ERROR. Source: the parameter stacks of DBCSR's
 * libsmm_acc, and libxsmm's batches by index (docs/matmul-batched.md). */
SUBWAVE_API subwave_status subwave_matmul_stacked(
    subwave_context *context, subwave_dtype dtype, subwave_layout layout,
    subwave_transpose_kind transpose_a, subwave_transpose_kind transpose_b, int64_t m, int64_t n,
    int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
    const void *beta, void *c, int64_t ldc, subwave_dtype offset_dtype, int32_t base,
    const void *offsets, int64_t entries);

/* Products of any sizes, all at once: C = alpha op(A) op(B) + beta C for each of a list of problems,
 * of which the host need not know the sizes.
 *   dtype         SUBWAVE_DTYPE_F32, _F64, _C32 or _C64, of all matrices and scalars.
 *   layout, transpose_a, transpose_b   as in subwave_matmul, of all problems.
 *   m, n, k       [in, device] `count` numbers each, 0 to 2^30: problem i is m[i] x n[i], with sums
 *                 over k[i] products.
 *   alpha, beta   [in, host] one element each. alpha = 0: k, A and B, their addresses and leading
 *                 dimensions are not read. beta = 0: no C is read, so it may hold anything.
 *   a, b, c       [in, device] `count` addresses each, of A, B and C in device memory, of which C is
 *                 in/out. Of an A or B with k[i] = 0 it may be null. No C may overlap another one, or
 *                 an A or B.
 *   lda, ldb, ldc [in, device] `count` numbers each, in elements, as in subwave_matmul.
 *   count         0 to 2^28.
 * count = 0 returns at once. m[i] or n[i] = 0: there is nothing to do; k[i] = 0: C is scaled by beta.
 * What stands in device memory the host does not check; a problem with a size, leading dimension or
 * null address that is not possible is left as it is. Stream: asynchronous; one or two kernels, and
 * one for each of at most four classes of sizes, whatever the problems are. Workspace: up to 4160
 * bytes and 33 per problem; a context's own is enough for 65536 problems. Determinism: bit-equal from run to run on one device, wherever the problem stands; one partial sum per element,
 * over k in ascending order, or as subwave_matmul_strided_batched does within an entry. Errors:
 * INVALID_CONTEXT; INVALID_VALUE dtype, layout, transpose; UNSUPPORTED another dtype; INVALID_SIZE;
 * INVALID_POINTER; WORKSPACE_TOO_SMALL; DEVICE_ERROR; KERNEL_ERROR. Source: the grouped products of
 * CUTLASS and hipBLASLt, whose sizes are in device memory too (docs/matmul-batched.md). */
SUBWAVE_API subwave_status subwave_matmul_grouped(
    subwave_context *context, subwave_dtype dtype, subwave_layout layout,
    subwave_transpose_kind transpose_a, subwave_transpose_kind transpose_b, const int64_t *m,
    const int64_t *n, const int64_t *k, const void *alpha, const void *const *a, const int64_t *lda,
    const void *const *b, const int64_t *ldb, const void *beta, void *const *c, const int64_t *ldc,
    int64_t count);

/* How subwave_matmul with these arguments would compute, by arithmetic on the host alone.
 *   variant ... k  [in]   as in subwave_matmul.
 *   plan    [out, host] filled whole; of m = 0 or n = 0: blocks is 0. With column-major order, rows
 *                  and
 *           columns are C's all the same.
 * Stream: nothing is queued. Workspace: none. Determinism: depends on the arguments and the device
 * alone. Errors: INVALID_CONTEXT; INVALID_VALUE variant, dtype, layout, transpose; UNSUPPORTED as
 * in subwave_matmul; INVALID_SIZE; INVALID_POINTER plan is null. */
SUBWAVE_API subwave_status subwave_matmul_plan(subwave_context *context, subwave_variant variant,
                                               subwave_dtype dtype, subwave_layout layout,
                                               subwave_transpose_kind transpose_a,
                                               subwave_transpose_kind transpose_b, int64_t m,
                                               int64_t n, int64_t k,
                                               subwave_matmul_plan_info *plan);

/* --- whole arrays ---------------------------------------------------------------------------- */

/* *result = op over all elements of x, with *init in front if not null.
 *   dtype   I8 to F64. 16-bit floats are combined in f32 and rounded once, to nearest even; integers
 *           wrap.
 *   op      LOGICAL_AND and LOGICAL_OR give 1 or 0. Minima and maxima: a number wins over NaN, and
 *           -0 < +0.
 *   order   FIXED: the result is the same, bit for bit, on every device, AMD, NVIDIA or CPU,
 *           whatever its wave size and wherever x begins. DEVICE: one of the same speed or faster,
 *           the same from run to run on one device. They differ for floats alone (docs/arrays.md).
 *   n       elements, >= 0. With n = 0 the result is *init or op's identity.
 *   init    [in, host, or null] one element.
 *   x       [in, device] n elements, aligned as an element; aligned to 16 bytes they are read
 *           faster on NVIDIA. May be null if n = 0.
 *   place   DEVICE: `result` is device memory, written in stream order. HOST: it is host memory; the
 *           call waits for it, and cannot be captured in a graph.
 *   result  [out] one element; may be an element of x.
 * Stream: asynchronous with DEVICE. Workspace: 12544 bytes. Determinism: see `order`. Errors:
 * INVALID_CONTEXT; INVALID_VALUE op, dtype, order, place; UNSUPPORTED an op that the dtype lacks;
 * INVALID_SIZE; INVALID_POINTER; WORKSPACE_TOO_SMALL; DEVICE_ERROR; KERNEL_ERROR. Source: the
 * reductions of CUB and rocPRIM. */
SUBWAVE_API subwave_status subwave_reduce(subwave_context *context, subwave_dtype dtype,
                                          subwave_op op, subwave_order order, int64_t n,
                                          const void *init, const void *x, subwave_place place,
                                          void *result);

/* y[i] = x[0] op ... op x[i] (INCLUSIVE), or x[0] op ... op x[i - 1] (EXCLUSIVE), with *init in front
 * if not null.
 *   dtype, op, order  as in subwave_reduce; 16-bit floats are rounded once per element of y. The two
 *           orders are the same: FIXED is the fastest there is.
 *   scan    y[0] of an exclusive scan is *init or op's identity.
 *   n       elements, >= 0; 0 returns at once.
 *   init    [in, host, or null] one element.
 *   x       [in, device] n elements, aligned as an element; if x and y are aligned to 16 bytes the
 *           scan is faster on NVIDIA.
 *   y       [out, device] n elements; may be x, and must not overlap it otherwise.
 * Stream: asynchronous. Workspace: at most 1057040 bytes; 4352 bytes if x has at most
 *         32 KiB, or 16 KiB of elements of one or two bytes.
 * Determinism: bit-equal on every device (docs/arrays.md). Errors: INVALID_CONTEXT; INVALID_VALUE
 * op, dtype, scan, order; UNSUPPORTED an op that the dtype lacks; INVALID_SIZE; INVALID_POINTER;
 * WORKSPACE_TOO_SMALL; DEVICE_ERROR; KERNEL_ERROR. Source: the scans of CUB and rocPRIM. */
SUBWAVE_API subwave_status subwave_scan(subwave_context *context, subwave_dtype dtype,
                                        subwave_op op, subwave_scan_kind scan, subwave_order order,
                                        int64_t n, const void *init, const void *x, void *y);

/* y[s] = op over the elements of segment s: x[offsets[s]] op ... op x[offsets[s + 1] - 1].
 *   dtype, op  as in subwave_reduce. A segment without elements gives op's identity.
 *   offset_dtype  I32 or I64, of the offsets.
 *   segments  >= 0; 0 returns at once. They may have any lengths: the work is divided by elements.
 *   offsets [in, device] segments + 1 numbers in ascending order, aligned as themselves. The first may
 *           be above 0, and the last below n. Offsets below 0 or above n count as 0 or n: whatever
 *           they are, nothing outside x and y is read or written. If they do not ascend, y holds
 *           anything.
 *   n       elements of x, >= 0. Its elements that belong to no segment are not read, but space in
 *           the grid is taken for them.
 *   x       [in, device] n elements, aligned as an element. May be null if n = 0.
 *   y       [out, device] `segments` elements; must not overlap x or offsets.
 * Stream: asynchronous. Workspace: at most 2629928 bytes; 4352 bytes if n + segments is at most 3840,
 * 7424, or 15104 for elements of 8, 4, or fewer bytes. Determinism: bit-equal on every device; the
 * order depends on dtype and on the offsets' distances from the first one alone (docs/arrays.md).
 * Errors: INVALID_CONTEXT; INVALID_VALUE op, dtype, offset_dtype; UNSUPPORTED an op that the dtype
 * lacks, another offset_dtype; INVALID_SIZE; INVALID_POINTER; WORKSPACE_TOO_SMALL; DEVICE_ERROR;
 * KERNEL_ERROR. Source: the segmented reductions of CUB and rocPRIM. */
SUBWAVE_API subwave_status subwave_segmented_reduce(subwave_context *context, subwave_dtype dtype,
                                                    subwave_op op, subwave_dtype offset_dtype,
                                                    int64_t segments, const void *offsets,
                                                    int64_t n, const void *x, void *y);

/* Scans each segment: y[i] = x[offsets[s]] op ... op x[i] for offsets[s] <= i < offsets[s + 1], or up
 * to x[i - 1].
 *   dtype, op, offset_dtype, segments, offsets, n  as in subwave_segmented_reduce. Offsets that do not
 *           ascend may also leave elements of y as they are.
 *   scan    INCLUSIVE or EXCLUSIVE, of which a segment's first result is op's identity.
 *   x       [in, device] n elements, aligned as an element. May be null if n = 0.
 *   y       [out, device] n elements, aligned as an element; may be x, and must not overlap it, or
 *           offsets, otherwise. Elements that belong to no segment are not written. May be null if
 *           n = 0.
 * Stream, workspace and determinism are as in subwave_segmented_reduce. Errors: INVALID_CONTEXT;
 * INVALID_VALUE op, dtype, scan, offset_dtype; UNSUPPORTED an op that the dtype lacks, another
 * offset_dtype; INVALID_SIZE; INVALID_POINTER; WORKSPACE_TOO_SMALL; DEVICE_ERROR; KERNEL_ERROR. Source:
 * Sengupta and others, Scan Primitives for GPU Computing, 2007. */
SUBWAVE_API subwave_status subwave_segmented_scan(subwave_context *context, subwave_dtype dtype,
                                                  subwave_op op, subwave_scan_kind scan,
                                                  subwave_dtype offset_dtype, int64_t segments,
                                                  const void *offsets, int64_t n, const void *x,
                                                  void *y);

/* *result = x[0] y[0] + ... + x[n - 1] y[n - 1], with the elements of x conjugated if asked for.
 *   dtype   F16, BF16, F32, F64, C32, C64. Products and sums are of f32 for F16 and BF16, and of f64
 *           for all others, and the result is rounded once more, to nearest even. A product is rounded
 *           before it is added; docs/arrays.md has the whole order.
 *   conjugation  FIRST: x; of real types it is the same as NONE.
 *   order   as in subwave_reduce.
 *   n       elements, >= 0. With n = 0 the result is 0.
 *   x, y    [in, device] n elements each, aligned as an element or, of complex types, as its part;
 *           may overlap. If both are aligned to 16 bytes they are read faster on NVIDIA. May be null
 *           if n = 0.
 *   place   as in subwave_reduce.
 *   result  [out] one element; may be an element of x or y.
 * Stream: asynchronous with DEVICE. Workspace: 20736 bytes. Determinism: see `order`. Errors:
 * INVALID_CONTEXT; INVALID_VALUE dtype, conjugation, order, place; UNSUPPORTED another dtype;
 * INVALID_SIZE; INVALID_POINTER; WORKSPACE_TOO_SMALL; DEVICE_ERROR; KERNEL_ERROR. Source: dot, dotu
 * and dotc of BLAS. */
SUBWAVE_API subwave_status subwave_dot(subwave_context *context, subwave_dtype dtype,
                                       subwave_conjugation conjugation, subwave_order order,
                                       int64_t n, const void *x, const void *y, subwave_place place,
                                       void *result);

/* *result = the square root of |x[0]|^2 + ... + |x[n - 1]|^2, wherever its type can hold it: no square
 * overflows or becomes 0 on the way.
 *   dtype   F16, BF16, F32, F64, C32, C64. The sum is of f32 for F16, of f64 for all others.
 *   order   as in subwave_reduce.
 *   n       elements, >= 0. With n = 0 the result is 0.
 *   x       [in, device] n elements, aligned as in subwave_dot. May be null if n = 0.
 *   place   as in subwave_reduce.
 *   result  [out] one element of dtype, or of the type of its real part; may be an element of x.
 * Stream: asynchronous with DEVICE. Workspace: 28928 bytes. Determinism: see `order`. Errors:
 * INVALID_CONTEXT; INVALID_VALUE dtype, order, place; UNSUPPORTED another dtype; INVALID_SIZE;
 * INVALID_POINTER; WORKSPACE_TOO_SMALL; DEVICE_ERROR; KERNEL_ERROR. Source: nrm2 of BLAS. */
SUBWAVE_API subwave_status subwave_norm2(subwave_context *context, subwave_dtype dtype,
                                         subwave_order order, int64_t n, const void *x,
                                         subwave_place place, void *result);

/* *value = the least or the greatest element of x, *index = the least i with x[i] = *value.
 *   dtype   I8 to F64.
 *   op      MINIMUM or MAXIMUM. A number wins over NaN, and -0 < +0; if all are NaN, the first one
 *           is found.
 *   n       elements, >= 0. With n = 0 the value is op's identity, and the index -1.
 *   x       [in, device] n elements, aligned as in subwave_reduce. May be null if n = 0.
 *   place   where both results are, as in subwave_reduce.
 *   value   [out] one element.
 *   index   [out] one number; must not overlap value. Both must not overlap x.
 * Stream: asynchronous with DEVICE. Workspace: 20736 bytes. Determinism: the same on every device.
 * Errors: INVALID_CONTEXT; INVALID_VALUE dtype, op, place; UNSUPPORTED another dtype or op;
 * INVALID_SIZE; INVALID_POINTER; WORKSPACE_TOO_SMALL; DEVICE_ERROR; KERNEL_ERROR. Source: the ArgMin
 * and ArgMax of CUB; minloc and maxloc of Fortran. */
SUBWAVE_API subwave_status subwave_minmax_index(subwave_context *context, subwave_dtype dtype,
                                                subwave_op op, int64_t n, const void *x,
                                                subwave_place place, void *value, int64_t *index);

/* y[r] = op over all elements of row r of x, as subwave_reduce with order FIXED gives it, bit for bit.
 *   dtype, op  as in subwave_reduce.
 *   rows    of x, >= 0; 0 returns at once.
 *   length  elements of a row, >= 0. With length = 0 the results are op's identity.
 *   x       [in, device] the first row, aligned as an element; if every row is aligned to 16 bytes,
 *           they are read faster on NVIDIA. May be null if length = 0.
 *   ldx     elements from one row of x to the next, >= length and >= 1.
 *   y       [out, device] `rows` elements, which must not overlap x.
 * Stream: asynchronous. Workspace: none if a row has at most 16 KiB, otherwise at most 528632 bytes.
 * Determinism: bit-equal on every device. Errors: INVALID_CONTEXT; INVALID_VALUE op, dtype; UNSUPPORTED
 * an op that the dtype lacks; INVALID_SIZE rows, length; INVALID_STRIDE ldx; INVALID_POINTER;
 * WORKSPACE_TOO_SMALL; DEVICE_ERROR; KERNEL_ERROR. Source: the segmented reductions of CUB and
 * rocPRIM. */
SUBWAVE_API subwave_status subwave_row_reduce(subwave_context *context, subwave_dtype dtype,
                                              subwave_op op, int64_t rows, int64_t length,
                                              const void *x, int64_t ldx, void *y);

/* Row r of y = the inclusive or exclusive scan of row r of x, as subwave_scan without *init gives it,
 * bit for bit.
 *   dtype, op, scan  as in subwave_scan.
 *   rows    of x and y, >= 0.
 *   length  elements of a row, >= 0. With rows = 0 or length = 0 the call returns at once.
 *   x       [in, device] the first row, aligned as an element; if every row of x and y is aligned to
 *           16 bytes, they are read and written faster on NVIDIA.
 *   ldx     elements from one row of x to the next, >= length and >= 1; of y: ldy.
 *   y       [out, device] the first row; may be x if ldx = ldy, and must not overlap it otherwise.
 *           What lies between its rows is not written.
 * Stream: asynchronous. Workspace: none if a row has at most 4 KiB, or at most 16 KiB and there are at
 * least 16 rows for each compute unit; otherwise at most 1577216 bytes. Determinism: bit-equal on every
 * device. Errors: INVALID_CONTEXT; INVALID_VALUE op, dtype, scan; UNSUPPORTED an op that the dtype
 * lacks; INVALID_SIZE rows, length; INVALID_STRIDE ldx, ldy; INVALID_POINTER; WORKSPACE_TOO_SMALL;
 * DEVICE_ERROR; KERNEL_ERROR. Source: NumPy's cumsum along an axis; the scans by key of CUB and
 * rocPRIM. */
SUBWAVE_API subwave_status subwave_row_scan(subwave_context *context, subwave_dtype dtype,
                                            subwave_op op, subwave_scan_kind scan, int64_t rows,
                                            int64_t length, const void *x, int64_t ldx, void *y,
                                            int64_t ldy);

/* values[r] = the least or the greatest element of row r of x, indices[r] = the first place in the row
 * where it is, as subwave_minmax_index gives them.
 *   dtype   I8 to F64.
 *   op      MINIMUM or MAXIMUM, as in subwave_minmax_index.
 *   rows, length, x, ldx  as in subwave_row_reduce. With length = 0 the values are op's identity, and
 *           the indices -1.
 *   values  [out, device] `rows` elements.
 *   indices [out, device] `rows` numbers. Neither results nor x overlap another.
 * Stream: asynchronous. Workspace: none if a row has at most 16 KiB, otherwise at most 1052912 bytes.
 * Determinism: the same on every device. Errors: INVALID_CONTEXT; INVALID_VALUE dtype, op; UNSUPPORTED
 * another dtype or op; INVALID_SIZE rows, length; INVALID_STRIDE ldx; INVALID_POINTER;
 * WORKSPACE_TOO_SMALL; DEVICE_ERROR; KERNEL_ERROR. Source: the segmented ArgMin and ArgMax of CUB. */
SUBWAVE_API subwave_status subwave_row_minmax_index(subwave_context *context, subwave_dtype dtype,
                                                    subwave_op op, int64_t rows, int64_t length,
                                                    const void *x, int64_t ldx, void *values,
                                                    int64_t *indices);

/* counts[b] = how many elements of x are in bin b, of bins of the same width between lower and upper.
 * Bin b has the elements from lower + b * w to below lower + (b + 1) * w, w = (upper - lower) / bins;
 * the last one also those that are upper. Others, and NaN, are in none. Elements become f64, in which
 * all is computed as written here: bins are those that numpy.histogram has for elements of f64.
 *   dtype   I8 to F64.
 *   bins    1 to 2^31 - 2. Up to 8192 are counted in shared memory.
 *   lower, upper  finite, lower < upper.
 *   n       elements, >= 0. With n = 0 all counts are 0.
 *   x       [in, device] n elements, aligned as an element. May be null if n = 0.
 *   counts  [out, device] bins numbers; what they were before does not count. Must not overlap x.
 * Stream: asynchronous. Workspace: none. Determinism: the same on every device. Errors:
 * INVALID_CONTEXT; INVALID_VALUE dtype, lower or upper; UNSUPPORTED another dtype; INVALID_SIZE n, bins;
 * INVALID_POINTER; DEVICE_ERROR; KERNEL_ERROR. Source: DeviceHistogram of CUB. */
SUBWAVE_API subwave_status subwave_histogram(subwave_context *context, subwave_dtype dtype,
                                             int64_t bins, double lower, double upper, int64_t n,
                                             const void *x, int64_t *counts);

/* The same where bin b has the elements from boundaries[b] to below boundaries[b + 1], and the last
 * one also those that are boundaries[bins].
 *   boundaries  [in, device] bins + 1 elements of dtype, none less than the one before it and none
 *           NaN, which is not checked: counts are not specified otherwise. Aligned as an element. */
SUBWAVE_API subwave_status subwave_histogram_by_boundaries(subwave_context *context,
                                                           subwave_dtype dtype, int64_t bins,
                                                           const void *boundaries, int64_t n,
                                                           const void *x, int64_t *counts);

/* sums[b] = the sum of the weights of the elements of x that are in bin b, of bins as in
 * subwave_histogram: 0 if there are none.
 *   dtype   of elements and weights: I32, U32, I64, U64, of which sums wrap; F32, F64.
 *   order   as in subwave_scatter_add of the weights to the sums, with the bins as cells.
 *   bins    1 to 2^31 - 2. As many are summed in shared memory as cells by subwave_scatter_add.
 *   lower, upper  as in subwave_histogram.
 *   n       elements, >= 0. With n = 0 all sums are 0.
 *   x       [in, device] n elements, aligned as an element. May be null if n = 0, as the weights.
 *   weights [in, device] n elements, aligned likewise; if x and weights are aligned to 16 bytes they
 *           are read faster on NVIDIA. Those of elements in no bin do not count. May be x.
 *   sums    [out, device] bins elements, aligned likewise; what they were before does not count. Must
 *           not overlap the others.
 * Stream: asynchronous. Workspace: of floats in order FIXED or DEVICE 4352 + 20 bins bytes, none
 * otherwise or if n = 0. Determinism: see `order`; of integers bit-equal on every device. Errors:
 * INVALID_CONTEXT; INVALID_VALUE dtype, order, lower or upper; UNSUPPORTED another dtype; INVALID_SIZE
 * n, bins; INVALID_POINTER; WORKSPACE_TOO_SMALL; DEVICE_ERROR; KERNEL_ERROR. Source: the weights of
 * numpy.histogram. */
SUBWAVE_API subwave_status subwave_histogram_weighted(subwave_context *context, subwave_dtype dtype,
                                                      subwave_order order, int64_t bins,
                                                      double lower, double upper, int64_t n,
                                                      const void *x, const void *weights,
                                                      void *sums);

/* The same of bins between boundaries, as in subwave_histogram_by_boundaries. */
SUBWAVE_API subwave_status subwave_histogram_by_boundaries_weighted(
    subwave_context *context, subwave_dtype dtype, subwave_order order, int64_t bins,
    const void *boundaries, int64_t n, const void *x, const void *weights, void *sums);

/* y[indices[i]] += values[i] for i = 0 ... n - 1. Elements whose index is not in 0 ... cells - 1 are left
 * out.
 *   dtype   I32, U32, I64, U64, which wrap; F32, F64.
 *   order   ANY: floats are added to y as they come. y must not be memory that the host shares
 *           (subwave_malloc and hipMalloc give none), where AMD's instructions are lost; f32 below
 *           the normal numbers may count as 0. FIXED, DEVICE: bit-equal on every device. A cell's
 *           values are summed in fixed point, and the sum, rounded once, is added to the cell. Each
 *           value is rounded to a multiple of 2^(e - 2 w), where every finite value to be added is
 *           below 2^e and w = 62 - log2(n), rounded down: of at most 2^32 values none is off by more
 *           than 2^-60 of the greatest (docs/arrays.md). Infinities and NaN give what sums of them
 *           give; all NaN are the same one. A cell whose sum is 0 stays as it is.
 *   n       elements, >= 0; 0 returns at once.
 *   index_dtype  I32, I64
 *   indices [in, device] n indices, aligned as themselves.
 *   values  [in, device] n elements, aligned as an element; if values and indices are aligned to 16
 *           bytes they are read faster on NVIDIA.
 *   cells   elements of y, >= 0; 0 returns at once. Few are summed in shared memory: up to 8192 of 4
 *           bytes or 4096 of 8 bytes, of floats in fixed point 2048.
 *   y       [in, out, device] cells elements, aligned as an element; must not overlap the others.
 * Stream: asynchronous. Workspace: of floats in order FIXED or DEVICE 4352 + 20 cells bytes, none
 * otherwise. Determinism: see `order`; of integers bit-equal on every device. Errors: INVALID_CONTEXT;
 * INVALID_VALUE dtype, order, index_dtype; UNSUPPORTED another dtype or index_dtype; INVALID_SIZE n,
 * cells; INVALID_POINTER; WORKSPACE_TOO_SMALL; DEVICE_ERROR; KERNEL_ERROR. Source: index_add of
 * PyTorch, numpy.add.at. */
SUBWAVE_API subwave_status subwave_scatter_add(subwave_context *context, subwave_dtype dtype,
                                               subwave_order order, int64_t n,
                                               subwave_dtype index_dtype, const void *indices,
                                               const void *values, int64_t cells, void *y);

/* y[0] ... y[*count - 1] = the elements of x whose flag is not 0, in their order.
 *   dtype   any; elements are moved as they are.
 *   n       elements, >= 0. With n = 0 the count is 0.
 *   flags   [in, device] n bytes. May be null if n = 0, as x and y.
 *   x       [in, device] n elements, aligned as an element or, of complex types, as its part; if x and
 *           flags are aligned to 16 bytes they are read faster on NVIDIA.
 *   y       [out, device] room for as many elements as are selected, aligned likewise; what follows
 *           them is not written. May be x, and must not overlap it, or flags, otherwise.
 *   count   [out, device] how many elements are selected; must not overlap the arrays.
 * Stream: asynchronous. Workspace: as subwave_scan. Determinism: nothing is computed. Errors:
 * INVALID_CONTEXT; INVALID_VALUE dtype; INVALID_SIZE; INVALID_POINTER; WORKSPACE_TOO_SMALL;
 * DEVICE_ERROR; KERNEL_ERROR. Source: DeviceSelect of CUB, select of rocPRIM. */
SUBWAVE_API subwave_status subwave_compact(subwave_context *context, subwave_dtype dtype, int64_t n,
                                           const uint8_t *flags, const void *x, void *y,
                                           int64_t *count);

/* The same of the elements x[i] for which `x[i] comparison *scalar` is true.
 *   dtype   I8 to F64.
 *   comparison  as IEEE compares: of a NaN only NOT_EQUAL is true, and -0 equals +0.
 *   scalar  [in, host] one element, of any alignment; read during the call.
 * Errors: also INVALID_VALUE comparison; UNSUPPORTED a complex dtype. */
SUBWAVE_API subwave_status subwave_compact_if(subwave_context *context, subwave_dtype dtype,
                                              subwave_comparison comparison, const void *scalar,
                                              int64_t n, const void *x, void *y, int64_t *count);

/* selected[0] ... selected[*count - 1] = the elements of x whose flag is not 0, and rest[0] ... rest[n
 * - *count - 1] = the others, both in their order.
 *   dtype, n, flags, x, count  as in subwave_compact.
 *   selected, rest  [out, device] room for as many elements as each receives, aligned as x; what
 *           follows them is not written. `selected` may be x. Otherwise they must not overlap x, flags
 *           or each other.
 * Stream, workspace, determinism, errors: as subwave_compact. Source: DevicePartition of CUB,
 * partition_two_way of rocPRIM. */
SUBWAVE_API subwave_status subwave_partition(subwave_context *context, subwave_dtype dtype,
                                             int64_t n, const uint8_t *flags, const void *x,
                                             void *selected, void *rest, int64_t *count);

/* The same by the elements x[i] for which `x[i] comparison *scalar` is true, as in
 * subwave_compact_if. */
SUBWAVE_API subwave_status subwave_partition_if(subwave_context *context, subwave_dtype dtype,
                                                subwave_comparison comparison, const void *scalar,
                                                int64_t n, const void *x, void *selected,
                                                void *rest, int64_t *count);

/* y[0] ... y[*count - 1] = the elements of x that differ from the one before them, and the first one:
 * of neighbours that are equal the first remains.
 *   dtype   any. Floats are equal as IEEE compares them: a NaN to nothing, so that every NaN remains,
 *           and -0 to +0, of which the first one remains. Complex numbers are equal if both parts are.
 *   n, x, y, count  as in subwave_compact.
 * Stream, workspace, determinism, errors: as subwave_compact. Source: DeviceSelect::Unique of CUB,
 * unique of rocPRIM. */
SUBWAVE_API subwave_status subwave_unique(subwave_context *context, subwave_dtype dtype, int64_t n,
                                          const void *x, void *y, int64_t *count);

/* Appends the elements of x whose flag is not 0 to a queue that already has *count: they become
 * queue[*count] and so on in an order that is not specified, and *count grows by how many they are.
 * Several calls may append to one queue at the same time, from several streams and contexts of the
 * device: each element has a place of its own. What others append can be read once their calls have
 * ended.
 *   dtype, flags, x  as in subwave_compact.
 *   n       elements, >= 0; 0 returns at once.
 *   capacity  elements that the queue has room for, >= 0. What is selected beyond them is not written,
 *           but counted: if *count is more than the capacity in the end, as many elements are missing.
 *   queue   [in, out, device] aligned as x. Must not overlap x or flags. May be null if the capacity
 *           is 0.
 *   count   [in, out, device] how many elements the queue has, >= 0; must not overlap the arrays.
 *           Memory that kernels of one device reach by its atomic operations, as that of
 *           subwave_malloc is.
 * Stream: asynchronous. Workspace: none. Determinism: the elements are the same on every run, their
 * order is not, nor which of them are missing. Errors: INVALID_CONTEXT; INVALID_VALUE dtype;
 * INVALID_SIZE n, capacity; INVALID_POINTER; DEVICE_ERROR; KERNEL_ERROR. Source: atomicAggInc, "Optimized
 * Filtering with Warp-Aggregated Atomics" of NVIDIA; one atomic operation adds what a block selects. */
SUBWAVE_API subwave_status subwave_append(subwave_context *context, subwave_dtype dtype, int64_t n,
                                          const uint8_t *flags, const void *x, int64_t capacity,
                                          void *queue, int64_t *count);

/* The same of the elements x[i] for which `x[i] comparison *scalar` is true, as in
 * subwave_compact_if. */
SUBWAVE_API subwave_status subwave_append_if(subwave_context *context, subwave_dtype dtype,
                                             subwave_comparison comparison, const void *scalar,
                                             int64_t n, const void *x, int64_t capacity,
                                             void *queue, int64_t *count);

/* y = the transpose of x: element (j, i) of y is element (i, j) of x.
 *   dtype   any; elements are moved as they are.
 *   layout  of both.
 *   m, n    rows and columns of x, >= 0; m = 0 or n = 0 returns at once.
 *   x       [in, device] m x n elements, aligned as an element or, of complex types, as its part.
 *   ldx     elements from one row of x to the next (ROW_MAJOR, >= n), or column (>= m).
 *   y       [out, device] n x m elements, aligned likewise; may be x if m = n and ldx = ldy, and must
 *           not overlap it otherwise, which is not checked.
 *   ldy     as ldx, of y.
 * Stream: asynchronous. Workspace: none. Determinism: nothing is computed. Errors: INVALID_CONTEXT;
 * INVALID_VALUE dtype, layout; INVALID_SIZE; INVALID_STRIDE ldx, ldy; INVALID_POINTER, y too if it is
 * x and may not be; DEVICE_ERROR; KERNEL_ERROR. Source: geam of cuBLAS and rocBLAS. */
SUBWAVE_API subwave_status subwave_transpose(subwave_context *context, subwave_dtype dtype,
                                             subwave_layout layout, int64_t m, int64_t n,
                                             const void *x, int64_t ldx, void *y, int64_t ldy);

/* The same for `batch` matrices, >= 0, those of x stride_x elements apart and those of y stride_y.
 *   stride_x  any; 0: all are the same.
 *   stride_y  the matrices lie one after another, or side by side within the rows of a larger one;
 *             INVALID_STRIDE if they overlap. In place it is stride_x. */
SUBWAVE_API subwave_status subwave_transpose_strided_batched(subwave_context *context,
                                                             subwave_dtype dtype,
                                                             subwave_layout layout, int64_t m,
                                                             int64_t n, const void *x, int64_t ldx,
                                                             int64_t stride_x, void *y, int64_t ldy,
                                                             int64_t stride_y, int64_t batch);

/* Small matrices of a list, transposed where they are: the m x n matrix at each offset, without gaps,
 * becomes the n x m one.
 *   dtype         any.
 *   layout        of the matrices before and after.
 *   m, n          >= 0. A matrix has up to 65,536 elements, where its rows (by columns, its columns) are
 *                 padded to an odd number of them: 255 x 255. Beyond 64 KiB its elements are moved part by
 *                 part: F64 from 91 x 91 on in two, C64 from 64 x 64 on in two and from 91 x 91 on in four.
 *   x             [in/out, device] where offsets count from; aligned as a part of an element.
 *   offset_dtype  I32 or I64.
 *   base          0 or 1: the offset of x's first element.
 *   offsets       [in, device] `entries` offsets, in elements, which are not checked. The matrices lie
 *                 apart.
 *   entries       0 to 2^28.
 * m, n or entries = 0 returns at once; so does m or n = 1, since nothing moves. Stream: asynchronous.
 * Workspace: none. Determinism: exact. Errors: INVALID_CONTEXT; INVALID_VALUE dtype, layout,
 * offset_dtype, base; UNSUPPORTED another offset_dtype; INVALID_SIZE; INVALID_POINTER; DEVICE_ERROR;
 * KERNEL_ERROR. Source: libsmm_acc_transpose of DBCSR. */
SUBWAVE_API subwave_status subwave_transpose_stacked(subwave_context *context, subwave_dtype dtype,
                                                     subwave_layout layout, int64_t m, int64_t n,
                                                     void *x, subwave_dtype offset_dtype,
                                                     int32_t base, const void *offsets,
                                                     int64_t entries);

/* --- tensor products --------------------------------------------------------------------------- */

/* y = alpha (A3 x A2 x A1) x + beta y for `components` small tensors in each entry of a batch, as
 * finite and spectral elements interpolate from their nodes to other points: A1 is applied along
 * direction 1, whose elements follow one another, then A2 along direction 2, then A3.
 *   dtype       F32 or F64, of all operands and scalars; sums are kept in it.
 *   transpose   NONE: x has p^dimensions elements and y q^dimensions per tensor. YES: the transposes
 *               of A1, A2, A3 are applied, x has q^dimensions and y p^dimensions.
 *   dimensions  1, 2 or 3: directions. With fewer than 3 the matrices of the others are not read.
 *   p, q        1 to 16.
 *   alpha       [in, host]   one element. 0: x and the matrices are not read.
 *   a1, a2, a3  [in, device] q x p in row-major order without gaps; may be the same.
 *   x           [in, device] element (i1, i2, i3) of a tensor of n points per direction is at i1 + n
 *               (i2 + n i3).
 *   stride_x    elements from one entry to the next, of any sign. component_x: from one component of
 *               an entry to the next.
 *   beta        [in, host]   one element. 0: y is not read, so it may hold anything; 1: the call adds
 *               to it.
 *   y           [in/out, device] must not overlap x or the matrices.
 *   stride_y    as for x. component_y: likewise. Tensors of y lie apart: of both strides the smaller
 *               is at least the elements of a tensor, and the larger at least those from the first to
 *               the last of what it steps over.
 *   components  0 to 2^30. batch: entries, >= 0.
 * Operands are aligned as their elements. components or batch = 0 returns at once. Stream:
 * asynchronous. Workspace: none. Determinism: bit-equal from run to run on one device, wherever a
 * tensor stands; a sum over the points of a direction runs in ascending order, each direction is
 * rounded before the next. Errors: INVALID_CONTEXT; INVALID_VALUE dtype, transpose; UNSUPPORTED another
 * dtype; INVALID_SIZE; INVALID_STRIDE stride_y, component_y; INVALID_POINTER; DEVICE_ERROR;
 * KERNEL_ERROR. Source: CEED_EVAL_INTERP of libCEED (docs/tensor.md). */
SUBWAVE_API subwave_status subwave_tensor_apply(
    subwave_context *context, subwave_dtype dtype, subwave_transpose_kind transpose,
    int32_t dimensions, int64_t p, int64_t q, const void *alpha, const void *a1, const void *a2,
    const void *a3, const void *x, int64_t stride_x, int64_t component_x, const void *beta, void *y,
    int64_t stride_y, int64_t component_y, int64_t components, int64_t batch);

/* All derivatives of a tensor at once: of d = 1 ... dimensions, y_d = alpha D_d x + beta y_d, where D_d
 * applies G along direction d and B along the others. Transposed, the sum of what they bring back: y =
 * alpha (D_1^T x_1 + D_2^T x_2 + ...) + beta y.
 *   dtype ... alpha  as in subwave_tensor_apply.
 *   b, g        [in, device] q x p in row-major order without gaps. b may be null if p = q: the
 *               identity, for points that are the nodes.
 *   x           [in, device] as in subwave_tensor_apply; transposed, x_1.
 *   y           [in/out, device] y_1; transposed, y. Must not overlap x or the matrices.
 *   stride_x, component_x, beta, stride_y, component_y, components, batch  as in
 *               subwave_tensor_apply.
 *   derivative  elements from y_d to y_(d + 1), of any sign, where it lies apart from the others as
 *               components do; transposed, from x_d to x_(d + 1).
 * Stream, workspace: as subwave_tensor_apply. Determinism: likewise; the derivatives of a sum are
 * added from the last to the first. Errors: also INVALID_STRIDE derivative. Source: CEED_EVAL_GRAD of
 * libCEED; local_grad3 and local_grad3_t of Nekbone. */
SUBWAVE_API subwave_status subwave_tensor_gradient(
    subwave_context *context, subwave_dtype dtype, subwave_transpose_kind transpose,
    int32_t dimensions, int64_t p, int64_t q, const void *alpha, const void *b, const void *g,
    const void *x, int64_t stride_x, int64_t component_x, const void *beta, void *y,
    int64_t stride_y, int64_t component_y, int64_t derivative, int64_t components, int64_t batch);

/* --- group algorithms over arrays, element by element ---------------------------------------- */

/* Element i belongs to work-item i; *group says how work-items form groups (types.h). All calls:
 *   group     [in, host]   read during the call. Its arrays are device memory.
 *   n         elements; >= 0, a multiple of the work-items of group->block. 0 returns at once.
 *   x, y      [in; out, device] n elements each; y may be x.
 * Stream: asynchronous. Workspace: none. Determinism: integers are the same on every device of
 * equal wave size; floating-point values are combined in the order of docs/groups.md, which depends
 * on the members' lanes alone, so devices of equal wave size agree bit for bit. Which work-items
 * share an OPPORTUNISTIC group is the device's choice; group->members tells. Errors:
 * INVALID_CONTEXT; INVALID_VALUE an enumeration, group->fixed_size, group->branches; UNSUPPORTED a
 * kind that the device lacks, fixed_size above its sub-group size, an op that the dtype lacks (bit
 * ops on floating types, any on complex ones); INVALID_SIZE n or group->block, or fixed_size does
 * not divide the last sub-group; INVALID_POINTER; DEVICE_ERROR; KERNEL_ERROR. Source: the group
 * algorithms of SYCL 2020 and of the non-uniform groups extension. */

/* y[i] = op over x of i's group, with *init in front if not null.
 *   dtype  I8 to F64; 16-bit floats are rounded after every op.
 *   init   [in, host, or null] one element. */
SUBWAVE_API subwave_status subwave_group_reduce(subwave_context *context, subwave_dtype dtype,
                                                subwave_op op, const subwave_group *group,
                                                int64_t n, const void *init, const void *x,
                                                void *y);

/* y[i] = scan of x over i's group in local-id order, from *init if not null. Types as in reduce. */
SUBWAVE_API subwave_status subwave_group_scan(subwave_context *context, subwave_dtype dtype,
                                              subwave_op op, subwave_scan_kind scan,
                                              const subwave_group *group, int64_t n,
                                              const void *init, const void *x, void *y);

/* y[i] = x of the member of i's group with local id `local_id`; x[i] where the group has none.
 *   dtype  any, as in _shift, _permute and _select. */
SUBWAVE_API subwave_status subwave_group_broadcast(subwave_context *context, subwave_dtype dtype,
                                                   const subwave_group *group, int64_t n,
                                                   uint32_t local_id, const void *x, void *y);

/* y[i] = x of the member `delta` local ids above (LEFT) or below (RIGHT); x[i] where there is
 * none. */
SUBWAVE_API subwave_status subwave_group_shift(subwave_context *context, subwave_dtype dtype,
                                               subwave_shift direction, const subwave_group *group,
                                               int64_t n, uint32_t delta, const void *x, void *y);

/* y[i] = x of the member with local id `own ^ mask`; x[i] where there is none. */
SUBWAVE_API subwave_status subwave_group_permute(subwave_context *context, subwave_dtype dtype,
                                                 const subwave_group *group, int64_t n,
                                                 uint32_t mask, const void *x, void *y);

/* y[i] = x of the member with local id id[i]; x[i] where there is none.
 *   id  [in, device] n local ids. */
SUBWAVE_API subwave_status subwave_group_select(subwave_context *context, subwave_dtype dtype,
                                                const subwave_group *group, int64_t n,
                                                const uint32_t *id, const void *x, void *y);

/* y[i] = 1 if x is not 0 in any, all or none of i's group, else 0. */
SUBWAVE_API subwave_status subwave_group_vote(subwave_context *context, subwave_vote vote,
                                              const subwave_group *group, int64_t n,
                                              const uint8_t *x, uint8_t *y);

/* item[i] = what work-item i is in its group and sub-group.
 *   item  [out, device] n entries. */
SUBWAVE_API subwave_status subwave_group_info(subwave_context *context, const subwave_group *group,
                                              int64_t n, subwave_group_item *item);

#ifdef __cplusplus
}
#endif

#endif
