/* SPDX-License-Identifier: MIT
 * kernels.h: what test_runner.c launches. Each function launches one kernel on a stream and returns
 * HIP's error.
 */
#ifndef ROCM_KERNELS_H
#define ROCM_KERNELS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

int launch_set(int *to, int value, int count, void *stream);       /* to[i] = value + i */
int launch_add(int *to, const int *from, int count, void *stream); /* to[i] += from[i] */
int launch_behind(int *to, int count, int distance, void *stream); /* to[count + distance] = 1 */
int launch_load(int *to, const int *from, int distance, void *stream); /* to[0] = from[distance] */
int launch_grid(unsigned x, unsigned y, unsigned z, unsigned threads, size_t dynamic_lds, int *to,
                void *stream);
int launch_bounded(unsigned threads, int *to, void *stream); /* built for blocks of 64 */
int launch_lds(size_t dynamic_bytes, int *to, void *stream); /* beside 32 KiB of its own */
int launch_clock(long long *to, void *stream); /* reads a clock, which the executor does not have */
int launch_race(int *to, void *stream);        /* two waves, one byte of LDS, no barrier */
int launch_endless(int *to, void *stream);
int launch_variable(int *to, void *stream); /* to[0] = ++variable + constant[2] */
int write_variable(int value);
int read_variable(int *value);
int write_constant(const int values[4]);
const void *function_of_set(void);

#ifdef __cplusplus
}
#endif
#endif
