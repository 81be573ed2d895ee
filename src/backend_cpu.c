/* SPDX-License-Identifier: MIT
 * backend_cpu.c: the CPU device as a backend: a device for each wave size.
 */
#include "backend.h"

#include "cpu/cpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static const int wave_sizes[] = {64, 4, 8, 16, 32};

static int device_count(void) { return sizeof wave_sizes / sizeof *wave_sizes; }

static subwave_status device_info(int index, subwave_device_properties *properties, char *error)
{
    (void)error;
    struct utsname machine;
    const int wave = wave_sizes[index];
    snprintf(properties->name, sizeof properties->name, "CPU device, %d-lane waves", wave);
    snprintf(properties->id, sizeof properties->id, "cpu:%d", wave);
    strcpy(properties->backend, "cpu");
    snprintf(properties->architecture, sizeof properties->architecture, "%.63s",
             uname(&machine) == 0 ? machine.machine : "unknown");
    properties->memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    properties->sub_group_sizes[0] = wave;
    properties->sub_group_size_count = 1;
    properties->compute_units = (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
    properties->max_block_size = 1024;
    properties->aspects = SUBWAVE_ALL_ASPECTS;
    properties->built_for = 1;
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status fail(subwave_status status, char *error, const char *text)
{
    snprintf(error, SUBWAVE_ERROR_TEXT_SIZE, "%s", text);
    return status;
}

typedef struct cpu {
    struct subwave_cpu_stream launches; /* what the simulator calls a stream is how it launches */
    uintptr_t streams;                  /* that were created */
} cpu;

/* All streams are as good as one, since calls have finished when they return: the first is the
 * device's own, and the odd numbers that follow are handles which no pointer to an object is taken
 * for. */
static void *stream_of_number(uintptr_t number) { return (void *)(2 * number + 1); }

static subwave_status check_stream(const void *stream, char *error)
{
    if (!stream || (uintptr_t)stream % 2 == 1)
        return SUBWAVE_STATUS_SUCCESS;
    snprintf(error, SUBWAVE_ERROR_TEXT_SIZE,
             "stream is %p; the CPU device has those of subwave_stream_create and the default one",
             stream);
    return SUBWAVE_STATUS_UNSUPPORTED;
}

static subwave_status open_device(int index, void **state, void **stream, char *error)
{
    cpu *created = calloc(1, sizeof *created);
    if (!created)
        return fail(SUBWAVE_STATUS_OUT_OF_MEMORY, error, "no memory for the CPU device's state");
    if (subwave_cpu_stream_init(&created->launches, wave_sizes[index]) != 0) {
        free(created);
        return fail(SUBWAVE_STATUS_INVALID_VALUE, error, subwave_cpu_error());
    }
    *state = created;
    *stream = stream_of_number(0);
    return SUBWAVE_STATUS_SUCCESS;
}

static void close_device(void *state) { free(state); }

static subwave_status create_stream(void *state, subwave_priority priority, void **stream,
                                    char *error)
{
    (void)priority;
    (void)error;
    *stream = stream_of_number(++((cpu *)state)->streams);
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status destroy_stream(void *state, void *stream, char *error)
{
    (void)state;
    return check_stream(stream, error);
}

static subwave_status set_stream(void *state, void *old_stream, void *new_stream, char *error)
{
    (void)state;
    (void)old_stream;
    return check_stream(new_stream, error);
}

/* Launches have finished when they return, and have reported their errors. */
static subwave_status synchronize(void *state, void *stream, char *error)
{
    (void)state;
    (void)stream;
    (void)error;
    return SUBWAVE_STATUS_SUCCESS;
}

/* An event is the time at which it was recorded. */
static subwave_status create_event(void *state, void **event, char *error)
{
    (void)state;
    *event = calloc(1, sizeof(struct timespec));
    return *event ? SUBWAVE_STATUS_SUCCESS
                  : fail(SUBWAVE_STATUS_OUT_OF_MEMORY, error, "no memory for an event");
}

static subwave_status destroy_event(void *state, void *event, char *error)
{
    (void)state;
    (void)error;
    free(event);
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status record_event(void *state, void *stream, void *event, char *error)
{
    (void)state;
    (void)stream;
    (void)error;
    clock_gettime(CLOCK_MONOTONIC, event);
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status wait_event(void *state, void *stream, void *event, char *error)
{
    (void)event;
    return synchronize(state, stream, error);
}

static subwave_status query_event(void *state, void *event, bool *reached, char *error)
{
    (void)state;
    (void)event;
    (void)error;
    *reached = true;
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status synchronize_event(void *state, void *event, char *error)
{
    return synchronize(state, event, error);
}

static subwave_status elapsed(void *state, void *start, void *stop, double *milliseconds,
                              char *error)
{
    (void)state;
    (void)error;
    const struct timespec *from = start, *to = stop;
    *milliseconds =
        1e3 * (double)(to->tv_sec - from->tv_sec) + 1e-6 * (double)(to->tv_nsec - from->tv_nsec);
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status memory_info(void *state, int64_t *free_bytes, int64_t *total_bytes,
                                  char *error)
{
    (void)state;
    (void)error;
    const int64_t page = sysconf(_SC_PAGESIZE);
    *free_bytes = page * sysconf(_SC_AVPHYS_PAGES);
    *total_bytes = page * sysconf(_SC_PHYS_PAGES);
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status allocate(void *state, void **pointer, size_t bytes, char *error)
{
    (void)state;
    void *memory;
    int code = posix_memalign(&memory, 256, bytes);
    if (code) {
        snprintf(error, SUBWAVE_ERROR_TEXT_SIZE, "no memory for %zu bytes: %s", bytes,
                 strerror(code));
        return SUBWAVE_STATUS_OUT_OF_MEMORY;
    }
    *pointer = memory;
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status release(void *state, void *stream, void *pointer, char *error)
{
    (void)state;
    (void)stream;
    (void)error;
    free(pointer);
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status allocate_async(void *state, void *stream, void **pointer, size_t bytes,
                                     char *error)
{
    (void)stream;
    return allocate(state, pointer, bytes, error);
}

static subwave_status copy(void *state, void *stream, void *destination, const void *source,
                           size_t bytes, char *error)
{
    (void)state;
    (void)stream;
    (void)error;
    memcpy(destination, source, bytes);
    return SUBWAVE_STATUS_SUCCESS;
}

static subwave_status copy_rows(void *state, void *stream, void *destination,
                                size_t destination_pitch, const void *source, size_t source_pitch,
                                size_t width, size_t height, char *error)
{
    for (size_t row = 0; row < height; ++row)
        (void)copy(state, stream, (char *)destination + row * destination_pitch,
                   (const char *)source + row * source_pitch, width, error);
    return SUBWAVE_STATUS_SUCCESS;
}

static const subwave_launcher launchers[] = {SUBWAVE_KERNELS(SUBWAVE_LAUNCHER_ROW_cpu)};

static subwave_status launch(void *state, void *stream, subwave_operation operation,
                             subwave_dtype dtype, const void *arguments, char *error)
{
    (void)stream;
    const int code = subwave_call_launcher(launchers, sizeof launchers / sizeof *launchers,
                                           operation, dtype, arguments, &((cpu *)state)->launches);
    if (code == SUBWAVE_NO_KERNEL)
        return SUBWAVE_STATUS_KERNEL_ERROR;
    if (code == SUBWAVE_CPU_OUT_OF_MEMORY)
        return fail(SUBWAVE_STATUS_OUT_OF_MEMORY, error, subwave_cpu_error());
    return code ? fail(SUBWAVE_STATUS_KERNEL_ERROR, error, subwave_cpu_error())
                : SUBWAVE_STATUS_SUCCESS;
}

const subwave_backend subwave_backend_cpu = {
    .name = "cpu",
    .device_count = device_count,
    .device_info = device_info,
    .capabilities = subwave_capabilities_of_cpu,
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
    .release_async = release,
    .allocate_host = allocate,
    .release_host = release,
    .copy = copy,
    .copy_rows = copy_rows,
    .launch = launch,
};
