/* SPDX-License-Identifier: MIT
 * runner.h: what the files of the stand-in for libamdhip64 share. A lock is held in every call of
 * HIP's.
 */
#ifndef ROCM_RUNNER_H
#define ROCM_RUNNER_H

#include "launch.h"

#include <hip/hip_runtime_api.h>

#include <stdbool.h>
#include <stdio.h>

/* --- calls.c: every call is counted, may be made to fail, and leaves its error for
 * hipGetLastError */

typedef struct call {
    const char *name;
    unsigned long count;
    struct call *next;
} call;

/* False, and the error, if the call is not to be carried out. */
bool call_begin(call *site, bool needs_device, hipError_t *error);
hipError_t call_end(hipError_t error);

/* A call's first and last statement. A device that failed refuses all calls but those that let go
 * of something. */
#define BEGIN_AS(function, needs_device) \
    static call this_call = {.name = function}; \
    hipError_t refused; \
    if (!call_begin(&this_call, needs_device, &refused)) \
    return refused
#define BEGIN(function) BEGIN_AS(#function, true)
#define BEGIN_ALWAYS(function) BEGIN_AS(#function, false)
#define END(error) return call_end(error)

/* One line on stderr that says "emulated". */
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The device answers nothing from now on but this. */
hipError_t device_fails(hipError_t error);
/* What the report says. */
extern struct totals {
    /* of these: those that are not released yet */
    unsigned long allocations, streams, events, graphs;
    unsigned long all_allocations, launches, waves;
    unsigned long long most_bytes, bytes;
    double seconds; /* in launches */
} totals;
unsigned long long instructions_executed(void); /* module.c */

/* --- device.c -------------------------------------------------------------------------------- */

typedef struct device {
    const char *architecture, *features, *name;
    int major, minor, wave, units, clock_mhz, memory_clock_mhz, bus_bits, threads_of_unit;
    int registers,
        registers_at_a_time; /* of a lane of a SIMD, four of which are in a unit; given to waves */
    int l2_bytes;
    size_t memory_bytes;
} device;

/* The device of SUBWAVE_ROCM_RUNNER or, without it, that of the first code that is registered;
 * null: none. */
const device *the_device(void);
const device *device_named(const char *architecture, size_t length);
/* As many as the device has, or as SUBWAVE_ROCM_UNITS says: on a few of them plans for many are
 * made at small sizes. */
int compute_units(const device *d);

/* --- memory.c -------------------------------------------------------------------------------- */

typedef struct allocation {
    char *at, *map;
    size_t bytes, map_bytes;
    hipMemoryType type;
    unsigned flags;
    bool managed, code, is_open; /* code: variables of a code object */
    unsigned long number;
} allocation;

/* The allocation that an address lies in, or null. */
allocation *allocation_of(const void *at);
void add_code_memory(void *at, size_t bytes);
/* The device's memory, all of it or an allocation, may be touched between these. */
void open_memory(void);
void open_memory_at(const void *at);
void close_memory(void);
/* Tells which bytes around the allocations have changed, and by whom. True if there are any. */
bool has_stray_writes(const char *who);
hipError_t check_copy(void *to, const void *from, size_t bytes, hipMemcpyKind kind);
/* Says on stderr what lies at an address. */
void describe_address(const void *at);
/* Frees memory of the device, which is the start of an allocation. */
hipError_t free_now(void *pointer);
void list_leaks(FILE *to);

/* --- stream.c -------------------------------------------------------------------------------- */

/* What waits in a stream or lies in a graph. */
typedef struct work {
    struct work *next;
    unsigned long long number; /* of all that was queued; later is higher */
    enum { COPY, SET, FREE, LAUNCH, RECORD, WAIT, CALL } kind;
    union {
        struct {
            char *to;
            const char *from;
            size_t bytes, to_pitch, from_pitch, rows; /* bytes of a row */
        } copy;
        void *freed;
        struct {
            char *to;
            unsigned value;
            size_t width, count;
        } set;
        struct {
            const amdrun_kernel *kernel;
            uint32_t grid[3], block[3], dynamic_lds;
        } launch; /* followed by the arguments */
        hipEvent_t record;
        struct {
            hipStream_t stream;
            unsigned long long number;
        } wait;
        struct {
            hipHostFn_t function;
            void *data;
        } call;
    };
    size_t extra; /* bytes that follow */
    max_align_t bytes[];
} work;

work *new_work(int kind, size_t extra);
/* Queues it on the stream, or adds it to the graph that the stream is captured for. Takes the work
 * over. */
hipError_t queue(hipStream_t stream, work *w);
/* Carries out all work of the stream; of all streams. */
hipError_t finish(hipStream_t stream);
hipError_t finish_all(void);
bool is_stream(hipStream_t stream);
bool is_capturing(hipStream_t stream);

/* --- module.c -------------------------------------------------------------------------------- */

hipError_t run_launch(const work *w);
/* The kernels that were launched, and how often, as members of a JSON object. */
void list_launched(FILE *to);
/* A line for each instruction that was executed: function, address, how often by a wave. */
void list_executed(FILE *to);
/* The first architecture of registered code that the runner knows, or null. */
const device *first_device_with_code(void);

#endif
