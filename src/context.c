/* SPDX-License-Identifier: MIT
 * context.c: contexts, and what the library reports about itself.
 */
#include "check.h"
#include "device.h"
#include "log.h"
#include "tuning.h"
#include "workspace.h"

#include <stdlib.h>

const char *subwave_version(void) { return SUBWAVE_VERSION_STRING; }

const char *subwave_build_info(void)
{
    return "subwave " SUBWAVE_VERSION_STRING ", " SUBWAVE_BUILD_INFO;
}

/* Whatever of it there is. */
static subwave_status close_device(subwave_context *context, char *error)
{
    const subwave_backend *backend = context->backend;
    const subwave_status status =
        context->own_workspace
            ? backend->release(context->state, context->stream, context->own_workspace, error)
            : backend->synchronize(context->state, context->stream, error);
    backend->close(context->state);
    return status;
}

subwave_status subwave_context_create(subwave_context **context, const char *device)
{
    SUBWAVE_TRY(subwave_check_pointer(NULL, "context", context, 1));
    *context = NULL;
    const subwave_backend *backend;
    int local;
    SUBWAVE_TRY(subwave_find_device(device, &backend, &local));

    subwave_context *created = calloc(1, sizeof *created);
    if (!created)
        return subwave_fail(NULL, SUBWAVE_STATUS_OUT_OF_MEMORY, "no memory for the context");
    created->backend = backend;
    created->tuning = &subwave_tuning_of_products;
    subwave_status status = backend->device_info(local, &created->device, subwave_thread_error());
    if (status == SUBWAVE_STATUS_SUCCESS) {
        backend->capabilities(&created->device, &created->capabilities);
        status = subwave_log_open(created);
    }
    if (status == SUBWAVE_STATUS_SUCCESS) {
        status =
            backend->open(local, &created->state, &created->own_stream, subwave_thread_error());
        if (status == SUBWAVE_STATUS_SUCCESS) {
            created->stream = created->own_stream;
            status = subwave_workspace_create(created, subwave_thread_error());
            if (status != SUBWAVE_STATUS_SUCCESS) {
                char ignored[SUBWAVE_ERROR_TEXT_SIZE];
                (void)close_device(created, ignored);
            }
        }
        if (status != SUBWAVE_STATUS_SUCCESS)
            subwave_log_close(created);
    }
    if (status != SUBWAVE_STATUS_SUCCESS) {
        free(created);
        return status;
    }
    subwave_log_call(created, "subwave_context_create(device=\"%s\")", device ? device : "");
    *context = created;
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_context_destroy(subwave_context **context)
{
    if (!context || !*context)
        return SUBWAVE_STATUS_SUCCESS;
    subwave_context *c = *context;
    *context = NULL;
    subwave_log_call(c, "subwave_context_destroy()");
    subwave_status status = close_device(c, subwave_thread_error());
    subwave_log_close(c);
    free(c);
    return status;
}

subwave_status subwave_context_info(subwave_context *context, subwave_device_properties *properties)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_context_info"));
    SUBWAVE_TRY(subwave_check_pointer(context, "properties", properties, 1));
    *properties = context->device;
    return SUBWAVE_STATUS_SUCCESS;
}
