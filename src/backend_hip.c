/* SPDX-License-Identifier: MIT
 * backend_hip.c: GPUs through the HIP runtime, AMD's own or NVIDIA's by the HIP-CUDA headers.
 */
#include "backend.h"

#define HIP_CUDA13_API_ONLY
#include <subwave/device/hip_cuda13.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef __HIP_PLATFORM_NVIDIA__
#define BACKEND_NAME "hip-nvidia"
#define CAPABILITIES subwave_capabilities_of_nvidia
#else
#define BACKEND_NAME "hip-amd"
#define CAPABILITIES subwave_capabilities_of_amd
#endif

typedef struct gpu {
    int device;
    hipStream_t stream;
    hipEvent_t switched; /* orders a new stream after the old one */
} gpu;

/* Leaves `what: the runtime's words` and clears the runtime's own record of the error. */
static subwave_status fail(hipError_t code, const char *what, char *error)
{
    snprintf(error, SUBWAVE_ERROR_TEXT_SIZE, "%s: %s (%s)", what, hipGetErrorString(code),
             hipGetErrorName(code));
    (void)hipGetLastError();
    if (code == hipErrorOutOfMemory)
        return SUBWAVE_STATUS_OUT_OF_MEMORY;
    return code == hipErrorNoBinaryForGpu ? SUBWAVE_STATUS_ARCHITECTURE_MISMATCH
                                          : SUBWAVE_STATUS_DEVICE_ERROR;
}

#define TRY_HIP(call, what) \
    do { \
        hipError_t try_code = (call); \
        if (try_code != hipSuccess) \
            return fail(try_code, what, error); \
    } while (0)

/* No driver and no GPU are the same to a caller: there is none. */
static int device_count(void)
{
    int count = 0;
    if (hipGetDeviceCount(&count) != hipSuccess) {
        (void)hipGetLastError();
        return 0;
    }
    return count;
}

/* Whether code in this library runs on the architecture. AMD: the same name, features aside.
 * NVIDIA: code for sm_XY runs on X.Z with Z >= Y. */
static bool is_built_for(const char *architecture)
{
    char names[] = SUBWAVE_GPU_ARCHITECTURES;
    for (char *rest = names, *name; (name = strtok_r(rest, " ", &rest));) {
#ifdef __HIP_PLATFORM_NVIDIA__
        const int built = atoi(name + strlen("sm_")), present = atoi(architecture + strlen("sm_"));
        if (built / 10 == present / 10 && built <= present)
            return true;
#else
        const size_t length = strcspn(architecture, ":");
        if (strlen(name) == length && strncmp(name, architecture, length) == 0)
            return true;
#endif
    }
    return false;
}

static subwave_status ask_for_info(int index, subwave_device_properties *properties, char *error)
{
    hipDeviceProp_t found;
    TRY_HIP(hipGetDeviceProperties(&found, index), "hipGetDeviceProperties");
    snprintf(properties->name, sizeof properties->name, "%.127s", found.name);
    snprintf(properties->id, sizeof properties->id, "gpu:%d", index);
    strcpy(properties->backend, BACKEND_NAME);
#ifdef __HIP_PLATFORM_NVIDIA__
    snprintf(properties->architecture, sizeof properties->architecture, "sm_%d%d", found.major,
             found.minor);
#else
    snprintf(properties->architecture, sizeof properties->architecture, "%.63s", found.gcnArchName);
#endif
    properties->memory_bytes = (int64_t)found.totalGlobalMem;
    properties->sub_group_sizes[0] = found.warpSize;
    properties->sub_group_size_count = 1;
    properties->compute_units = found.multiProcessorCount;
    properties->max_block_size = found.maxThreadsPerBlock;
    properties->aspects = SUBWAVE_ALL_ASPECTS;
    properties->built_for = is_built_for(properties->architecture);
    return SUBWAVE_STATUS_SUCCESS;
}

/* A device stays as it is, and the runtime takes up to milliseconds to answer where threads ask at the
 * same time. So answers are kept as long as the process runs. */
static subwave_status device_info(int index, subwave_device_properties *properties, char *error)
{
    enum { MOST_KEPT = 64 };
    static subwave_device_properties *_Atomic kept[MOST_KEPT];
    const bool may_keep = index >= 0 && index < MOST_KEPT;
    const subwave_device_properties *const found = may_keep ? kept[index] : NULL;
    if (found) {
        *properties = *found;
        return SUBWAVE_STATUS_SUCCESS;
    }
    const subwave_status status = ask_for_info(index, properties, error);
    if (status != SUBWAVE_STATUS_SUCCESS || !may_keep)
        return status;
    subwave_device_properties *none = NULL, *const copy = malloc(sizeof *copy);
    if (!copy)
        return status;
    *copy = *properties;
    if (!atomic_compare_exchange_strong(&kept[index], &none, copy))
        free(copy); /* another thread was first */
    return status;
}

static subwave_status open_device(int index, void **state, void **stream, char *error)
{
    subwave_device_properties properties;
    memset(&properties, 0, sizeof properties);
    subwave_status status = device_info(index, &properties, error);
    if (status != SUBWAVE_STATUS_SUCCESS)
        return status;
    if (!properties.built_for) {
        snprintf(error, SUBWAVE_ERROR_TEXT_SIZE,
                 "device gpu:%d (%s) is %s; this library holds code for %s", index, properties.name,
                 properties.architecture, SUBWAVE_GPU_ARCHITECTURES);
        return SUBWAVE_STATUS_ARCHITECTURE_MISMATCH;
    }
    TRY_HIP(hipSetDevice(index), "hipSetDevice");
    gpu *created = calloc(1, sizeof *created);
    if (!created) {
        snprintf(error, SUBWAVE_ERROR_TEXT_SIZE, "no memory for the device's state");
        return SUBWAVE_STATUS_OUT_OF_MEMORY;
    }
    created->device = index;
    const char *what = "hipStreamCreate";
    hipError_t code = hipStreamCreateWithFlags(&created->stream, hipStreamNonBlocking);
    if (code == hipSuccess) {
        what = "hipEventCreate";
        code = hipEventCreateWithFlags(&created->switched, hipEventDisableTiming);
        if (code != hipSuccess)
            (void)hipStreamDestroy(created->stream);
    }
    if (code != hipSuccess) {
        free(created);
        return fail(code, what, error);
    }
    *state = created;
    *stream = created->stream;
    return SUBWAVE_STATUS_SUCCESS;
}

static void close_device(void *state)
{
    gpu *g = state;
    (void)hipSetDevice(g->device);
    (void)hipEventDestroy(g->switched);
    (void)hipStreamDestroy(g->stream);
    free(g);
}

/* The runtime's current device belongs to the thread, and the caller may have changed it. */
static subwave_status use(void *state, char *error)
{
    TRY_HIP(hipSetDevice(((gpu *)state)->device), "hipSetDevice");
    return SUBWAVE_STATUS_SUCCESS;
}

#define USE_DEVICE() \
    do { \
        subwave_status use_status = use(state, error); \
        if (use_status != SUBWAVE_STATUS_SUCCESS) \
            return use_status; \
    } while (0)

static subwave_status create_stream(void *state, subwave_priority priority, void **stream,
                                    char *error)
{
    USE_DEVICE();
    hipStream_t created;
    int least, greatest, number = 0;
    if (priority != SUBWAVE_PRIORITY_NORMAL) {
        TRY_HIP(hipDeviceGetStreamPriorityRange(&least, &greatest),
                "priority: hipDeviceGetStreamPriorityRange");
        number = priority == SUBWAVE_PRIORITY_HIGH ? greatest : least;
    }
    TRY_HIP(hipStreamCreateWithPriority(&created, hipStreamNonBlocking, number),
            "hipStreamCreateWithPriority");
    *stream = created;
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status destroy_stream(void *state, void *stream, char *error)
{
    USE_DEVICE();
    TRY_HIP(hipStreamDestroy((hipStream_t)stream), "stream: hipStreamDestroy");
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status set_stream(void *state, void *old_stream, void *new_stream, char *error)
{
    gpu *g = state;
    USE_DEVICE();
    TRY_HIP(hipEventRecord(g->switched, (hipStream_t)old_stream), "stream: hipEventRecord");
    TRY_HIP(hipStreamWaitEvent((hipStream_t)new_stream, g->switched, 0),
            "stream: hipStreamWaitEvent");
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status synchronize(void *state, void *stream, char *error)
{
    USE_DEVICE();
    TRY_HIP(hipStreamSynchronize((hipStream_t)stream), "queued work failed");
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status create_event(void *state, void **event, char *error)
{
    USE_DEVICE();
    hipEvent_t created;
    TRY_HIP(hipEventCreate(&created), "hipEventCreate");
    *event = created;
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status destroy_event(void *state, void *event, char *error)
{
    USE_DEVICE();
    TRY_HIP(hipEventDestroy((hipEvent_t)event), "event: hipEventDestroy");
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status record_event(void *state, void *stream, void *event, char *error)
{
    USE_DEVICE();
    TRY_HIP(hipEventRecord((hipEvent_t)event, (hipStream_t)stream), "event: hipEventRecord");
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status wait_event(void *state, void *stream, void *event, char *error)
{
    USE_DEVICE();
    TRY_HIP(hipStreamWaitEvent((hipStream_t)stream, (hipEvent_t)event, 0),
            "event: hipStreamWaitEvent");
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status query_event(void *state, void *event, bool *reached, char *error)
{
    USE_DEVICE();
    const hipError_t code = hipEventQuery((hipEvent_t)event);
    if (code == hipErrorNotReady)
        (void)hipGetLastError();
    else
        TRY_HIP(code, "event: hipEventQuery");
    *reached = code == hipSuccess;
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status synchronize_event(void *state, void *event, char *error)
{
    USE_DEVICE();
    TRY_HIP(hipEventSynchronize((hipEvent_t)event), "event: hipEventSynchronize");
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status elapsed(void *state, void *start, void *stop, double *milliseconds,
                              char *error)
{
    USE_DEVICE();
    float found;
    TRY_HIP(hipEventElapsedTime(&found, (hipEvent_t)start, (hipEvent_t)stop),
            "start, stop: hipEventElapsedTime");
    *milliseconds = (double)found;
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status memory_info(void *state, int64_t *free_bytes, int64_t *total_bytes,
                                  char *error)
{
    USE_DEVICE();
    size_t unused, total;
    TRY_HIP(hipMemGetInfo(&unused, &total), "hipMemGetInfo");
    *free_bytes = (int64_t)unused;
    *total_bytes = (int64_t)total;
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status allocate(void *state, void **pointer, size_t bytes, char *error)
{
    USE_DEVICE();
    void *memory = NULL;
    TRY_HIP(hipMalloc(&memory, bytes), "bytes: hipMalloc");
    *pointer = memory;
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status release(void *state, void *stream, void *pointer, char *error)
{
    USE_DEVICE();
    TRY_HIP(hipStreamSynchronize((hipStream_t)stream), "queued work failed");
    TRY_HIP(hipFree(pointer), "pointer: hipFree");
    return SUBWAVE_STATUS_SUCCESS;
}

/* Runtimes that know no pools know no such attribute either. */
static subwave_status check_pools(const gpu *g, char *error)
{
    int supported = 0;
    if (hipDeviceGetAttribute(&supported, hipDeviceAttributeMemoryPoolsSupported, g->device) !=
        hipSuccess)
        (void)hipGetLastError();
    if (supported)
        return SUBWAVE_STATUS_SUCCESS;
    snprintf(error, SUBWAVE_ERROR_TEXT_SIZE,
             "the runtime of gpu:%d has no pools of memory for allocations in stream order",
             g->device);
    return SUBWAVE_STATUS_UNSUPPORTED;
}

static subwave_status allocate_async(void *state, void *stream, void **pointer, size_t bytes,
                                     char *error)
{
    USE_DEVICE();
    const subwave_status status = check_pools(state, error);
    if (status != SUBWAVE_STATUS_SUCCESS)
        return status;
    void *memory = NULL;
    TRY_HIP(hipMallocAsync(&memory, bytes, (hipStream_t)stream), "bytes: hipMallocAsync");
    *pointer = memory;
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status release_async(void *state, void *stream, void *pointer, char *error)
{
    USE_DEVICE();
    const subwave_status status = check_pools(state, error);
    if (status != SUBWAVE_STATUS_SUCCESS)
        return status;
    TRY_HIP(hipFreeAsync(pointer, (hipStream_t)stream), "pointer: hipFreeAsync");
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status allocate_host(void *state, void **pointer, size_t bytes, char *error)
{
    USE_DEVICE();
    void *memory = NULL;
    TRY_HIP(hipHostMalloc(&memory, bytes, hipHostMallocDefault), "bytes: hipHostMalloc");
    *pointer = memory;
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status release_host(void *state, void *stream, void *pointer, char *error)
{
    USE_DEVICE();
    TRY_HIP(hipStreamSynchronize((hipStream_t)stream), "queued work failed");
    TRY_HIP(hipHostFree(pointer), "pointer: hipHostFree");
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status copy(void *state, void *stream, void *destination, const void *source,
                           size_t bytes, char *error)
{
    USE_DEVICE();
    TRY_HIP(hipMemcpyAsync(destination, source, bytes, hipMemcpyDefault, (hipStream_t)stream),
            "hipMemcpy");
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status copy_rows(void *state, void *stream, void *destination,
                                size_t destination_pitch, const void *source, size_t source_pitch,
                                size_t width, size_t height, char *error)
{
    USE_DEVICE();
    TRY_HIP(hipMemcpy2DAsync(destination, destination_pitch, source, source_pitch, width, height,
                             hipMemcpyDefault, (hipStream_t)stream),
            "hipMemcpy2D");
    return SUBWAVE_STATUS_SUCCESS;
}

static const subwave_launcher launchers[] = {SUBWAVE_KERNELS(SUBWAVE_LAUNCHER_ROW_gpu)};

static subwave_status launch(void *state, void *stream, subwave_operation operation,
                             subwave_dtype dtype, const void *arguments, char *error)
{
    USE_DEVICE();
    const int code = subwave_call_launcher(launchers, sizeof launchers / sizeof *launchers,
                                           operation, dtype, arguments, stream);
    if (code == SUBWAVE_NO_KERNEL)
        return SUBWAVE_STATUS_KERNEL_ERROR;
    TRY_HIP((hipError_t)code, "launch");
    return SUBWAVE_STATUS_SUCCESS;
}

const subwave_backend subwave_backend_hip = {
    .name = BACKEND_NAME,
    .device_count = device_count,
    .device_info = device_info,
    .capabilities = CAPABILITIES,
    .open = open_device,
    .close = close_device,
    .create_stream = create_stream,
    .destroy_stream = destroy_stream,
    .set_stream = set_stream,
    .synchronize = synchronize,
    .create_event = create_event,
    .destroy_event = destroy_event,
    .record_event = record_event,
    .wait_event = wait_event,
    .query_event = query_event,
    .synchronize_event = synchronize_event,
    .elapsed = elapsed,
    .memory_info = memory_info,
    .allocate = allocate,
    .release = release,
    .allocate_async = allocate_async,
    .release_async = release_async,
    .allocate_host = allocate_host,
    .release_host = release_host,
    .copy = copy,
    .copy_rows = copy_rows,
    .launch = launch,
};
