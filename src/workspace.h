/* SPDX-License-Identifier: MIT
 * workspace.h: device memory that calls use between their kernels. It begins with
 * SUBWAVE_WORKSPACE_COUNTERS 32-bit zeros, which every kernel leaves as zeros.
 */
#ifndef SUBWAVE_WORKSPACE_H
#define SUBWAVE_WORKSPACE_H

#include "check.h"

enum { SUBWAVE_WORKSPACE_ALIGNMENT = 256 };

/* The context's own, as large as any call needs. */
subwave_status subwave_workspace_create(subwave_context *context, char *error);

/* The workspace for a call that needs `bytes`: WORKSPACE_TOO_SMALL if they are more than it has. */
subwave_status subwave_workspace_get(subwave_context *context, int64_t bytes, void **workspace);

/* The bytes that a stack of so many entries needs (matmul_stacked.c). */
int64_t subwave_stack_workspace(int64_t entries);

#endif
