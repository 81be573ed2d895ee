/* SPDX-License-Identifier: MIT
 * workspace.c: the workspace of a context, its own or the caller's.
 */
#include "workspace.h"

#include "array.h"
#include "log.h"
#include "plan.h"

#include <inttypes.h>

static const uint32_t zeros[SUBWAVE_WORKSPACE_COUNTERS];

static size_t own_bytes(const subwave_context *context)
{
    /* More entries than stacks have as a rule: DBCSR's, up to 30000. */
    enum { STACK_ENTRIES = 1 << 15 };
    const size_t bytes[] = {subwave_plan_workspace(&context->capabilities),
                            subwave_array_workspace(),
                            (size_t)subwave_stack_workspace(STACK_ENTRIES)};
    size_t most = 0;
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; ++i)
        most = bytes[i] > most ? bytes[i] : most;
    return most;
}

static subwave_status clear_counters(subwave_context *context, void *workspace, size_t bytes,
                                     char *error)
{
    SUBWAVE_TRY(context->backend->copy(context->state, context->stream, workspace, zeros,
                                       bytes < sizeof zeros ? bytes : sizeof zeros, error));
    return context->backend->synchronize(context->state, context->stream, error);
}

subwave_status subwave_workspace_create(subwave_context *context, char *error)
{
    const size_t bytes = own_bytes(context);
    SUBWAVE_TRY(context->backend->allocate(context->state, &context->own_workspace, bytes, error));
    context->workspace = context->own_workspace;
    context->workspace_bytes = (int64_t)bytes;
    return clear_counters(context, context->workspace, bytes, error);
}

subwave_status subwave_workspace_get(subwave_context *context, int64_t bytes, void **workspace)
{
    if (bytes > context->workspace_bytes)
        return subwave_fail(context, SUBWAVE_STATUS_WORKSPACE_TOO_SMALL,
                            "the call needs a workspace of %" PRId64
                            " bytes; the context's has %" PRId64 " (subwave_set_workspace)",
                            bytes, context->workspace_bytes);
    *workspace = context->workspace;
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_set_workspace(subwave_context *context, void *workspace, int64_t bytes)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_set_workspace"));
    subwave_log_call(context, "subwave_set_workspace(workspace=%p, bytes=%" PRId64 ")", workspace,
                     bytes);
    SUBWAVE_TRY(subwave_check_size(context, "bytes", bytes));
    if (!workspace && bytes == 0) {
        workspace = context->own_workspace;
        bytes = (int64_t)own_bytes(context);
    } else {
        SUBWAVE_TRY(
            subwave_check_pointer(context, "workspace", workspace, SUBWAVE_WORKSPACE_ALIGNMENT));
        if (bytes > 0)
            SUBWAVE_TRY(clear_counters(context, workspace, (size_t)bytes, context->error));
    }
    context->workspace = workspace;
    context->workspace_bytes = bytes;
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_workspace_size(subwave_context *context, int64_t *bytes)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_workspace_size"));
    SUBWAVE_TRY(subwave_check_pointer(context, "bytes", bytes, 1));
    *bytes = context->workspace_bytes;
    return SUBWAVE_STATUS_SUCCESS;
}
