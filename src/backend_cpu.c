/* SPDX-License-Identifier: MIT
 * backend_cpu.c: the CPU device as a backend: a device for each wave size.
 */
#include "backend.h"

#include "cpu/cpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
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

/* The simulator calls a launch configuration a stream. */
static subwave_status open_device(int index, void **state, void **stream, char *error)
{
    struct subwave_cpu_stream *created = calloc(1, sizeof *created);
    if (!created)
        return fail(SUBWAVE_STATUS_OUT_OF_MEMORY, error, "no memory for the CPU device's state");
    if (subwave_cpu_stream_init(created, wave_sizes[index]) != 0) {
        free(created);
        return fail(SUBWAVE_STATUS_INVALID_VALUE, error, subwave_cpu_error());
    }
    *state = created;
    *stream = NULL;
    return SUBWAVE_STATUS_SUCCESS;
}

static void close_device(void *state) { free(state); }

static subwave_status set_stream(void *state, void *old_stream, void *new_stream, char *error)
{
    (void)state;
    (void)old_stream;
    if (new_stream)
        return fail(SUBWAVE_STATUS_UNSUPPORTED, error,
                    "stream is not null; the CPU device has the default stream only");
    return SUBWAVE_STATUS_SUCCESS;
}

/* Launches have finished when they return, and have reported their errors. */
static subwave_status synchronize(void *state, void *stream, char *error)
{
    (void)state;
    (void)stream;
    (void)error;
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

static subwave_status copy(void *state, void *stream, void *destination, const void *source,
                           size_t bytes, char *error)
{
    (void)state;
    (void)stream;
    (void)error;
    memcpy(destination, source, bytes);
    return SUBWAVE_STATUS_SUCCESS;
}

static const subwave_launcher launchers[] = {SUBWAVE_KERNELS(SUBWAVE_LAUNCHER_ROW_cpu)};

static subwave_status launch(void *state, void *stream, subwave_operation operation,
                             subwave_dtype dtype, const void *arguments, char *error)
{
    (void)stream;
    const int code = subwave_call_launcher(launchers, sizeof launchers / sizeof *launchers,
                                           operation, dtype, arguments, state);
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
    .set_stream = set_stream,
    .synchronize = synchronize,
    .allocate = allocate,
    .release = release,
    .copy = copy,
    .launch = launch,
};
