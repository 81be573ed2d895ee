/* SPDX-License-Identifier: MIT
 * memory.c: memory of the device and of the host, and copies between them.
 */
#include "check.h"
#include "log.h"

#include <inttypes.h>

/* --- allocation ------------------------------------------------------------------------------ */

static subwave_status check_allocation(subwave_context *context, void **pointer, int64_t bytes)
{
    SUBWAVE_TRY(subwave_check_size(context, "bytes", bytes));
    SUBWAVE_TRY(subwave_check_pointer(context, "pointer", pointer, 1));
    if (bytes == 0)
        *pointer = NULL;
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_malloc(subwave_context *context, void **pointer, int64_t bytes)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_malloc"));
    subwave_log_call(context, "subwave_malloc(bytes=%" PRId64 ")", bytes);
    SUBWAVE_TRY(check_allocation(context, pointer, bytes));
    return bytes == 0
               ? SUBWAVE_STATUS_SUCCESS
               : context->backend->allocate(context->state, pointer, (size_t)bytes, context->error);
}

subwave_status subwave_free(subwave_context *context, void *pointer)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_free"));
    subwave_log_call(context, "subwave_free(pointer=%p)", pointer);
    if (!pointer)
        return SUBWAVE_STATUS_SUCCESS;
    return context->backend->release(context->state, context->stream, pointer, context->error);
}

subwave_status subwave_malloc_async(subwave_context *context, void **pointer, int64_t bytes)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_malloc_async"));
    subwave_log_call(context, "subwave_malloc_async(bytes=%" PRId64 ")", bytes);
    SUBWAVE_TRY(check_allocation(context, pointer, bytes));
    return bytes == 0 ? SUBWAVE_STATUS_SUCCESS
                      : context->backend->allocate_async(context->state, context->stream, pointer,
                                                         (size_t)bytes, context->error);
}

subwave_status subwave_free_async(subwave_context *context, void *pointer)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_free_async"));
    subwave_log_call(context, "subwave_free_async(pointer=%p)", pointer);
    if (!pointer)
        return SUBWAVE_STATUS_SUCCESS;
    return context->backend->release_async(context->state, context->stream, pointer,
                                           context->error);
}

subwave_status subwave_malloc_host(subwave_context *context, void **pointer, int64_t bytes)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_malloc_host"));
    subwave_log_call(context, "subwave_malloc_host(bytes=%" PRId64 ")", bytes);
    SUBWAVE_TRY(check_allocation(context, pointer, bytes));
    return bytes == 0 ? SUBWAVE_STATUS_SUCCESS
                      : context->backend->allocate_host(context->state, pointer, (size_t)bytes,
                                                        context->error);
}

subwave_status subwave_free_host(subwave_context *context, void *pointer)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_free_host"));
    subwave_log_call(context, "subwave_free_host(pointer=%p)", pointer);
    if (!pointer)
        return SUBWAVE_STATUS_SUCCESS;
    return context->backend->release_host(context->state, context->stream, pointer, context->error);
}

subwave_status subwave_memory_info(subwave_context *context, int64_t *free_bytes,
                                   int64_t *total_bytes)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_memory_info"));
    SUBWAVE_TRY(subwave_check_pointer(context, "free_bytes", free_bytes, 1));
    SUBWAVE_TRY(subwave_check_pointer(context, "total_bytes", total_bytes, 1));
    return context->backend->memory_info(context->state, free_bytes, total_bytes, context->error);
}

/* --- copies ---------------------------------------------------------------------------------- */

/* Checks the pointers, the sizes being right and none of them 0, and queues the copy. */
static subwave_status copy(subwave_context *context, void *destination, int64_t destination_pitch,
                           const void *source, int64_t source_pitch, int64_t width, int64_t height)
{
    SUBWAVE_TRY(subwave_check_pointer(context, "destination", destination, 1));
    SUBWAVE_TRY(subwave_check_pointer(context, "source", source, 1));
    /* Rows without gaps are one, which every runtime copies faster. */
    if (height == 1 || (width == destination_pitch && width == source_pitch))
        return context->backend->copy(context->state, context->stream, destination, source,
                                      (size_t)(width * height), context->error);
    return context->backend->copy_rows(context->state, context->stream, destination,
                                       (size_t)destination_pitch, source, (size_t)source_pitch,
                                       (size_t)width, (size_t)height, context->error);
}

static subwave_status copy_1d(subwave_context *context, const char *function, void *destination,
                              const void *source, int64_t bytes, bool waits)
{
    SUBWAVE_TRY(subwave_check_context(context, function));
    subwave_log_call(context, "%s(destination=%p, source=%p, bytes=%" PRId64 ")", function,
                     destination, source, bytes);
    SUBWAVE_TRY(subwave_check_size(context, "bytes", bytes));
    if (bytes == 0)
        return SUBWAVE_STATUS_SUCCESS;
    SUBWAVE_TRY(copy(context, destination, bytes, source, bytes, bytes, 1));
    return waits ? context->backend->synchronize(context->state, context->stream, context->error)
                 : SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_copy(subwave_context *context, void *destination, const void *source,
                            int64_t bytes)
{
    return copy_1d(context, "subwave_copy", destination, source, bytes, true);
}

subwave_status subwave_copy_async(subwave_context *context, void *destination, const void *source,
                                  int64_t bytes)
{
    return copy_1d(context, "subwave_copy_async", destination, source, bytes, false);
}

static subwave_status copy_2d(subwave_context *context, const char *function, void *destination,
                              int64_t destination_pitch, const void *source, int64_t source_pitch,
                              int64_t width, int64_t height, bool waits)
{
    SUBWAVE_TRY(subwave_check_context(context, function));
    subwave_log_call(context,
                     "%s(destination=%p, destination_pitch=%" PRId64
                     ", source=%p, source_pitch=%" PRId64 ", width=%" PRId64 ", height=%" PRId64
                     ")",
                     function, destination, destination_pitch, source, source_pitch, width, height);
    SUBWAVE_TRY(subwave_check_size(context, "width", width));
    SUBWAVE_TRY(subwave_check_size(context, "height", height));
    SUBWAVE_TRY(subwave_check_matrix(context, "destination_pitch", SUBWAVE_LAYOUT_ROW_MAJOR, height,
                                     width, destination_pitch, 1));
    SUBWAVE_TRY(subwave_check_matrix(context, "source_pitch", SUBWAVE_LAYOUT_ROW_MAJOR, height,
                                     width, source_pitch, 1));
    if (width == 0 || height == 0)
        return SUBWAVE_STATUS_SUCCESS;
    SUBWAVE_TRY(copy(context, destination, destination_pitch, source, source_pitch, width, height));
    return waits ? context->backend->synchronize(context->state, context->stream, context->error)
                 : SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_copy_2d(subwave_context *context, void *destination,
                               int64_t destination_pitch, const void *source, int64_t source_pitch,
                               int64_t width, int64_t height)
{
    return copy_2d(context, "subwave_copy_2d", destination, destination_pitch, source, source_pitch,
                   width, height, true);
}

subwave_status subwave_copy_2d_async(subwave_context *context, void *destination,
                                     int64_t destination_pitch, const void *source,
                                     int64_t source_pitch, int64_t width, int64_t height)
{
    return copy_2d(context, "subwave_copy_2d_async", destination, destination_pitch, source,
                   source_pitch, width, height, false);
}
