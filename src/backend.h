/* SPDX-License-Identifier: MIT
 * backend.h: what a kind of device must provide, and the structures that the host library keeps.
 */
#ifndef SUBWAVE_BACKEND_H
#define SUBWAVE_BACKEND_H

#include <subwave/subwave.h>

#include "../hip/kernels.h"
#include "capabilities.h"
#include "cpu/thread_text.h"

#include <stdio.h>

enum { SUBWAVE_ERROR_TEXT_SIZE = SUBWAVE_THREAD_TEXT_LEAST };

/* A device that a context has opened. Functions return a status and, on error, leave a text in
 * `error`, which has SUBWAVE_ERROR_TEXT_SIZE bytes. Pointers and sizes have been checked. */
typedef struct subwave_backend {
    const char *name;
    int (*device_count)(void);
    subwave_status (*device_info)(int index, subwave_device_properties *properties, char *error);
    /* What plans know of a device with these properties. */
    void (*capabilities)(const subwave_device_properties *properties, subwave_capabilities *found);
    /* `*stream` is the device's own, with which a new context starts and which close() destroys. */
    subwave_status (*open)(int index, void **state, void **stream, char *error);
    void (*close)(void *state);
    subwave_status (*create_stream)(void *state, subwave_priority priority, void **stream,
                                    char *error);
    subwave_status (*destroy_stream)(void *state, void *stream, char *error);
    /* Orders the new stream after the old one. */
    subwave_status (*set_stream)(void *state, void *old_stream, void *new_stream, char *error);
    subwave_status (*synchronize)(void *state, void *stream, char *error);
    /* An event serves every state of the device that it was created for. */
    subwave_status (*create_event)(void *state, void **event, char *error);
    subwave_status (*destroy_event)(void *state, void *event, char *error);
    subwave_status (*record_event)(void *state, void *stream, void *event, char *error);
    subwave_status (*wait_event)(void *state, void *stream, void *event, char *error);
    subwave_status (*query_event)(void *state, void *event, bool *reached, char *error);
    subwave_status (*synchronize_event)(void *state, void *event, char *error);
    /* Of events that were recorded and have been reached. */
    subwave_status (*elapsed)(void *state, void *start, void *stop, double *milliseconds,
                              char *error);
    subwave_status (*memory_info)(void *state, int64_t *free_bytes, int64_t *total_bytes,
                                  char *error);
    subwave_status (*allocate)(void *state, void **pointer, size_t bytes, char *error);
    /* Waits for the stream. */
    subwave_status (*release)(void *state, void *stream, void *pointer, char *error);
    subwave_status (*allocate_async)(void *state, void *stream, void **pointer, size_t bytes,
                                     char *error);
    subwave_status (*release_async)(void *state, void *stream, void *pointer, char *error);
    subwave_status (*allocate_host)(void *state, void **pointer, size_t bytes, char *error);
    /* Waits for the stream. */
    subwave_status (*release_host)(void *state, void *stream, void *pointer, char *error);
    /* Queues a copy, of 1 byte or more. */
    subwave_status (*copy)(void *state, void *stream, void *destination, const void *source,
                           size_t bytes, char *error);
    /* The same of rows of `width` bytes, which lie `pitch` bytes apart. */
    subwave_status (*copy_rows)(void *state, void *stream, void *destination,
                                size_t destination_pitch, const void *source, size_t source_pitch,
                                size_t width, size_t height, char *error);
    /* Runs the operation's kernel for `dtype` with the operation's struct of hip/kernels.h.
     * KERNEL_ERROR without a text: there is no such kernel. */
    subwave_status (*launch)(void *state, void *stream, subwave_operation operation,
                             subwave_dtype dtype, const void *launch, char *error);
} subwave_backend;

/* Whether kernels.def has the operation for the type. */
bool subwave_is_built(subwave_operation operation, subwave_dtype dtype);

/* Calls the launcher of (operation, dtype); the runtime's code, or SUBWAVE_NO_KERNEL. */
int subwave_call_launcher(const subwave_launcher *rows, size_t count, subwave_operation operation,
                          subwave_dtype dtype, const void *launch, void *stream);

extern const subwave_backend subwave_backend_cpu;
#ifdef SUBWAVE_HAVE_GPU
extern const subwave_backend subwave_backend_hip;
#endif

/* Every device here has every kind of group; 16-bit floats are computed as float. */
enum {
    SUBWAVE_ALL_ASPECTS = SUBWAVE_ASPECT_BALLOT_GROUP | SUBWAVE_ASPECT_FIXED_SIZE_GROUP |
                          SUBWAVE_ASPECT_TANGLE_GROUP | SUBWAVE_ASPECT_OPPORTUNISTIC_GROUP |
                          SUBWAVE_ASPECT_NON_UNIFORM_GROUPS | SUBWAVE_ASPECT_FP16 |
                          SUBWAVE_ASPECT_FP64,
};

struct subwave_context {
    const subwave_backend *backend;
    void *state;
    void *stream, *own_stream;
    /* in use: own_workspace or the caller's (workspace.h); for one call at a time */
    void *workspace;
    int64_t workspace_bytes;
    void *own_workspace;
    subwave_device_properties device;
    subwave_capabilities capabilities;
    const struct subwave_tuning *tuning; /* tuning.h */
    FILE *log;
    int log_bits;
    const char *function; /* the one called last */
    bool argument_failed; /* it found an argument wrong, with whose name `error` begins */
    char error[SUBWAVE_ERROR_TEXT_SIZE];
};

enum { SUBWAVE_LOG_TRACE = 1, SUBWAVE_LOG_BENCH = 2 };

#endif
