/* SPDX-License-Identifier: MIT
 * stream.c: a context's stream, streams and events.
 */
#include "check.h"
#include "log.h"

#include <stdlib.h>
#include <string.h>

/* A stream that the CPU device refuses is an argument; other errors are the device's own. */
static subwave_status about_stream(subwave_context *context, subwave_status status)
{
    context->argument_failed = status == SUBWAVE_STATUS_UNSUPPORTED;
    return status;
}

static SUBWAVE_DEFINE_CHECK(check_priority, subwave_priority, "priority", SUBWAVE_PRIORITY_LIST)

    static subwave_status go_to_stream(subwave_context *context, void *stream)
{
    const subwave_status status =
        context->backend->set_stream(context->state, context->stream, stream, context->error);
    SUBWAVE_TRY(about_stream(context, status));
    context->stream = stream;
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_set_stream(subwave_context *context, void *stream)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_set_stream"));
    subwave_log_call(context, "subwave_set_stream(stream=%p)", stream);
    return go_to_stream(context, stream);
}

subwave_status subwave_get_stream(subwave_context *context, void **stream)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_get_stream"));
    SUBWAVE_TRY(subwave_check_pointer(context, "stream", stream, 1));
    *stream = context->stream;
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_synchronize(subwave_context *context)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_synchronize"));
    subwave_log_call(context, "subwave_synchronize()");
    return context->backend->synchronize(context->state, context->stream, context->error);
}

subwave_status subwave_stream_create(subwave_context *context, void **stream,
                                     subwave_priority priority)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_stream_create"));
    subwave_log_call(context, "subwave_stream_create(priority=%d)", (int)priority);
    SUBWAVE_TRY(check_priority(context, priority));
    SUBWAVE_TRY(subwave_check_pointer(context, "stream", stream, 1));
    return context->backend->create_stream(context->state, priority, stream, context->error);
}

subwave_status subwave_stream_destroy(subwave_context *context, void *stream)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_stream_destroy"));
    subwave_log_call(context, "subwave_stream_destroy(stream=%p)", stream);
    if (!stream)
        return SUBWAVE_STATUS_SUCCESS;
    if (stream == context->own_stream)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_VALUE,
                            "stream is the context's own, which lives as long as the context");
    if (stream == context->stream)
        SUBWAVE_TRY(go_to_stream(context, context->own_stream));
    return about_stream(context,
                        context->backend->destroy_stream(context->state, stream, context->error));
}

/* --- events ---------------------------------------------------------------------------------- */

struct subwave_event {
    void *handle;                                            /* the backend's */
    char device[sizeof((subwave_device_properties *)0)->id]; /* that it belongs to */
    bool recorded;
};

static subwave_status check_device(subwave_context *context, const char *name,
                                   const subwave_event *event)
{
    if (strcmp(event->device, context->device.id) == 0)
        return SUBWAVE_STATUS_SUCCESS;
    return subwave_fail(context, SUBWAVE_STATUS_INVALID_VALUE,
                        "%s is an event of %s; the context's device is %s", name, event->device,
                        context->device.id);
}

static subwave_status check_event(subwave_context *context, const char *name,
                                  const subwave_event *event)
{
    SUBWAVE_TRY(subwave_check_pointer(context, name, event, 1));
    return check_device(context, name, event);
}

subwave_status subwave_event_create(subwave_context *context, subwave_event **event)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_event_create"));
    subwave_log_call(context, "subwave_event_create()");
    SUBWAVE_TRY(subwave_check_pointer(context, "event", event, 1));
    subwave_event *created = calloc(1, sizeof *created);
    if (!created)
        return subwave_fail(context, SUBWAVE_STATUS_OUT_OF_MEMORY, "no memory for an event");
    const subwave_status status =
        context->backend->create_event(context->state, &created->handle, context->error);
    if (status != SUBWAVE_STATUS_SUCCESS) {
        free(created);
        return status;
    }
    memcpy(created->device, context->device.id, sizeof created->device);
    *event = created;
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_event_destroy(subwave_context *context, subwave_event *event)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_event_destroy"));
    subwave_log_call(context, "subwave_event_destroy(event=%p)", (void *)event);
    if (!event)
        return SUBWAVE_STATUS_SUCCESS;
    SUBWAVE_TRY(check_device(context, "event", event));
    const subwave_status status =
        context->backend->destroy_event(context->state, event->handle, context->error);
    free(event);
    return status;
}

subwave_status subwave_event_record(subwave_context *context, subwave_event *event)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_event_record"));
    subwave_log_call(context, "subwave_event_record(event=%p)", (void *)event);
    SUBWAVE_TRY(check_event(context, "event", event));
    SUBWAVE_TRY(context->backend->record_event(context->state, context->stream, event->handle,
                                               context->error));
    event->recorded = true;
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_event_wait(subwave_context *context, subwave_event *event)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_event_wait"));
    subwave_log_call(context, "subwave_event_wait(event=%p)", (void *)event);
    SUBWAVE_TRY(check_event(context, "event", event));
    return context->backend->wait_event(context->state, context->stream, event->handle,
                                        context->error);
}

subwave_status subwave_event_query(subwave_context *context, subwave_event *event, bool *reached)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_event_query"));
    SUBWAVE_TRY(check_event(context, "event", event));
    SUBWAVE_TRY(subwave_check_pointer(context, "reached", reached, 1));
    return context->backend->query_event(context->state, event->handle, reached, context->error);
}

subwave_status subwave_event_synchronize(subwave_context *context, subwave_event *event)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_event_synchronize"));
    subwave_log_call(context, "subwave_event_synchronize(event=%p)", (void *)event);
    SUBWAVE_TRY(check_event(context, "event", event));
    return context->backend->synchronize_event(context->state, event->handle, context->error);
}

static subwave_status check_recorded(subwave_context *context, const char *name,
                                     const subwave_event *event)
{
    SUBWAVE_TRY(check_event(context, name, event));
    if (event->recorded)
        return SUBWAVE_STATUS_SUCCESS;
    return subwave_fail(context, SUBWAVE_STATUS_INVALID_VALUE,
                        "%s is an event that was never recorded", name);
}

subwave_status subwave_event_elapsed(subwave_context *context, subwave_event *start,
                                     subwave_event *stop, double *milliseconds)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_event_elapsed"));
    SUBWAVE_TRY(check_recorded(context, "start", start));
    SUBWAVE_TRY(check_recorded(context, "stop", stop));
    SUBWAVE_TRY(subwave_check_pointer(context, "milliseconds", milliseconds, 1));
    const subwave_backend *backend = context->backend;
    SUBWAVE_TRY(backend->synchronize_event(context->state, start->handle, context->error));
    SUBWAVE_TRY(backend->synchronize_event(context->state, stop->handle, context->error));
    return backend->elapsed(context->state, start->handle, stop->handle, milliseconds,
                            context->error);
}
