/* SPDX-License-Identifier: MIT
 * launch.h: launches kernels of a code object from its translation file (image.py), without Python.
 */
#ifndef AMDRUN_LAUNCH_H
#define AMDRUN_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

typedef struct amdrun_image amdrun_image;

typedef struct amdrun_kernel {
    amdrun_image *image;
    const char *name, *error; /* error: why it cannot run, or null */
    uint32_t lds, private_bytes, argument_bytes, most_threads, vgprs, sgprs;
    const void *row;
    uint64_t launches; /* that came to their end */
} amdrun_kernel;

typedef struct amdrun_launch_result {
    uint64_t waves, executed; /* executed: operations; a dual-issue instruction is two */
    char error[2048];
} amdrun_launch_result;

/* Null, and the reason, if the file is no translation for the executor that it names. */
amdrun_image *amdrun_image_open(const char *path, char *error, size_t size);
/* Null if there is none. */
const amdrun_kernel *amdrun_image_kernel(amdrun_image *image, const char *name);
/* All of them, one after another. */
const amdrun_kernel *amdrun_image_kernels(const amdrun_image *image, size_t *count);
/* The object's memory, where its variables lie. */
void *amdrun_image_memory(const amdrun_image *image, size_t *bytes);
/* A variable's address, or null. */
void *amdrun_image_symbol(const amdrun_image *image, const char *name, size_t *bytes);
/* Gathers what `arguments` point at as the kernel wants it, argument_bytes in all. */
void amdrun_image_arguments(const amdrun_kernel *kernel, void **arguments, void *bytes);
/* Instructions executed so far, a wave's at a time. */
uint64_t amdrun_image_instructions(const amdrun_image *image);
/* The same of each instruction that was executed: what it is in, where it lies in the object, and how
 * often. */
void amdrun_image_executed(const amdrun_image *image,
                           void (*tell)(void *self, const char *function, uint64_t address,
                                        uint64_t count),
                           void *self);

/* Runs a kernel to its end. 0 if it went well; else the result says why not. What hardware does not
 * forgive is looked for unless AMDRUN_CHECK is 0. One at a time in a process. A bad access is told
 * on stderr, with kernel and instruction, then goes to the handler of SIGSEGV that was there
 * before. */
int amdrun_image_launch(const amdrun_kernel *kernel, const uint32_t grid[3],
                        const uint32_t block[3], uint32_t dynamic_lds, const void *arguments,
                        amdrun_launch_result *result);

#endif
