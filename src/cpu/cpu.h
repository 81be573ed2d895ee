/* SPDX-License-Identifier: MIT
 * cpu.h: the CPU device as C code sees it: streams, their settings, error texts. */
#ifndef SUBWAVE_CPU_CPU_H
#define SUBWAVE_CPU_CPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a launch returns. The values are those of hipError_t. */
enum subwave_cpu_status {
    SUBWAVE_CPU_SUCCESS = 0,
    SUBWAVE_CPU_INVALID_VALUE = 1,         /* a malformed environment variable or setting */
    SUBWAVE_CPU_OUT_OF_MEMORY = 2,         /* no memory for stacks */
    SUBWAVE_CPU_INVALID_CONFIGURATION = 9, /* wave, grid, block or shared size not possible */
    SUBWAVE_CPU_KERNEL_ERROR = 719         /* the kernel did what is diagnosed as an error */
};

/* A stream is its settings: a launch has finished when it returns. */
struct subwave_cpu_stream {
    int wave;           /* lanes in a wave: 4, 8, 16, 32 or 64 */
    int threads;        /* OS threads that run blocks; 1 keeps to the calling one */
    uint64_t seed;      /* 0: lanes in ascending order; n: random order number n */
    int exited_ok;      /* finished threads do not count at a block barrier */
    int checked;        /* every read of a published tile is a rendezvous */
    int strict;         /* compare call chains of converged lanes; for kernels built with -O0 */
    int watchdog_ms;    /* report a launch that only spins after this long; 0: never */
    size_t stack_bytes; /* of each lane */
};

/* Settings from SUBWAVE_CPU_THREADS (default: processors online), _SEED (0),
 * _EXITED_OK (0), _CHECKED (0), _STRICT (0), _WATCHDOG_MS (10000) and _STACK_KB
 * (64; at least 256 in a sanitizer build); a `wave` of 0 means SUBWAVE_CPU_WAVE,
 * or 64. On a malformed variable or wave, the settings are the defaults, the
 * status says so and subwave_cpu_error() tells which. */
int subwave_cpu_stream_init(struct subwave_cpu_stream *stream, int wave);

/* The text of the calling thread's last failure; "" when its last call succeeded. */
const char *subwave_cpu_error(void);

#ifdef __cplusplus
}
#endif
#endif
