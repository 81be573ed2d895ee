/* SPDX-License-Identifier: MIT
 * launch.c: from an operation to the launcher of its kernel.
 */
#include "check.h"

bool subwave_is_built(subwave_operation operation, subwave_dtype dtype)
{
    static const struct {
        subwave_operation operation;
        subwave_dtype dtype;
    } built[] = {
#define SUBWAVE_X(operation, dtype, type) {SUBWAVE_OPERATION_##operation, SUBWAVE_DTYPE_##dtype},
        SUBWAVE_KERNELS(SUBWAVE_X)
#undef SUBWAVE_X
    };
    for (size_t i = 0; i < sizeof built / sizeof *built; ++i)
        if (built[i].operation == operation && built[i].dtype == dtype)
            return true;
    return false;
}

int subwave_call_launcher(const subwave_launcher *rows, size_t count, subwave_operation operation,
                          subwave_dtype dtype, const void *launch, void *stream)
{
    for (size_t i = 0; i < count; ++i)
        if (rows[i].operation == operation && rows[i].dtype == dtype)
            return rows[i].launch(launch, stream);
    return SUBWAVE_NO_KERNEL;
}

subwave_status subwave_launch(subwave_context *context, subwave_operation operation,
                              subwave_dtype dtype, const void *launch, const char *what)
{
    char error[SUBWAVE_ERROR_TEXT_SIZE] = "";
    const subwave_status status =
        context->backend->launch(context->state, context->stream, operation, dtype, launch, error);
    if (status == SUBWAVE_STATUS_SUCCESS)
        return status; /* the text of an earlier error stays */
    if (*error)
        return subwave_fail(context, status, "%s", error);
    return subwave_fail(
        context, status, "no kernel is built for %s of %s on %s (%s): the plan is wrong", what,
        subwave_dtype_name(dtype), context->device.id, context->device.architecture);
}
