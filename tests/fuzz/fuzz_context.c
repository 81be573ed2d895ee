/* SPDX-License-Identifier: MIT
 * fuzz_context.c: contexts and their lives, devices, streams, device memory and names.
 */
#define _DEFAULT_SOURCE
#include "fuzz.h"

#include "../types.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- contexts -------------------------------------------------------------------------------- */

static void create(fuzz *f, fuzz_context *context)
{
    const fuzz_expected right = {.without_context = true};
    *context = (fuzz_context){0};
    if (!fuzz_returns(f, NULL, &right, subwave_context_create(&context->handle, f->device.id)) ||
        !context->handle) {
        fuzz_fail(f, "no context");
        exit(1);
    }
    if (*subwave_last_error(context->handle))
        fuzz_fail(f, "a new context's last error is \"%s\"", subwave_last_error(context->handle));
}

/* With the CPU device's settings at random: none may change a result, but for who is in an
 * opportunistic group. The log's lines are made and thrown away. */
void fuzz_open(fuzz *f, fuzz_context *context)
{
    char threads[8], seed[24];
    const bool in_order = fuzz_one_in(f, 2), checked = fuzz_one_in(f, 8),
               logged = fuzz_one_in(f, 8);
    snprintf(threads, sizeof threads, "%d", (int)fuzz_between(f, 1, 3));
    snprintf(seed, sizeof seed, "%" PRIu64, in_order ? 0 : fuzz_bits(f));
    fuzz_words(f,
               "SUBWAVE_CPU_THREADS=%s SUBWAVE_CPU_SEED=%s SUBWAVE_CPU_CHECKED=%d SUBWAVE_LOG=%d "
               "subwave_context_create(\"%s\")",
               threads, seed, checked, logged ? 3 : 0, f->device.id);
    setenv("SUBWAVE_CPU_THREADS", threads, 1);
    setenv("SUBWAVE_CPU_SEED", seed, 1);
    setenv("SUBWAVE_CPU_CHECKED", checked ? "1" : "0", 1);
    setenv("SUBWAVE_LOG", logged ? "3" : "0", 1);
    setenv("SUBWAVE_LOG_FILE", "/dev/null", 1);
    create(f, context);
    context->ascending = f->on_cpu && in_order;
}

void fuzz_close(fuzz *f, fuzz_context *context)
{
    const fuzz_expected right = {.without_context = true};
    if (!f->failed) /* else the words are about what failed */
        fuzz_words(f, "subwave_context_destroy, once or twice");
    for (int64_t times = fuzz_between(f, 1, 2); times > 0; --times)
        if (fuzz_returns(f, NULL, &right, subwave_context_destroy(&context->handle)) &&
            context->handle)
            fuzz_fail(f, "the context is not null");
}

/* Whether `name` is that of a device. */
static bool is_device(const char *name)
{
    int count = 0;
    subwave_device_properties properties;
    if (strcmp(name, "gpu") == 0 || strcmp(name, "cpu") == 0)
        return true;
    if (subwave_device_count(&count) != SUBWAVE_STATUS_SUCCESS)
        abort();
    for (int i = 0; i < count; ++i)
        if (subwave_device_info(i, &properties) != SUBWAVE_STATUS_SUCCESS ||
            strcmp(properties.id, name) == 0)
            return true;
    return false;
}

static void create_nothing(fuzz *f, fuzz_context *context)
{
    static const char *const starts[] = {"cpu:64", "cpu:4", "cpu", "gpu:0", "gpu", "gpu:", ""};
    static const char usual[] = "0123456789:gpuc -";
    char name[64];
    snprintf(name, sizeof name, "%s", FUZZ_PICK(f, starts));
    for (int64_t edits = fuzz_between(f, 1, 4); edits > 0; --edits) {
        const size_t length = strlen(name), at = (size_t)fuzz_between(f, 0, (int64_t)length);
        const char added = fuzz_one_in(f, 4) ? (char)fuzz_between(f, 1, 255)
                                             : usual[fuzz_between(f, 0, (int64_t)sizeof usual - 2)];
        if (fuzz_one_in(f, 2))
            /* without a character */
            memmove(name + at, name + at + 1, at < length ? length - at : 0);
        else if (length + 1 < sizeof name) {
            memmove(name + at + 1, name + at, length - at + 1);
            name[at] = added;
        }
        name[sizeof name - 1] = 0;
    }
    if (is_device(name))
        return;
    fuzz_words(f, "subwave_context_create(\"%s\")", name);
    const bool is_gpu =
        strncmp(name, "gpu:", 4) == 0 && name[4] && !name[4 + strspn(name + 4, "0123456789")];
    fuzz_expected expected = {.without_context = true};
    fuzz_wrong(&expected, is_gpu ? SUBWAVE_STATUS_NO_DEVICE : SUBWAVE_STATUS_INVALID_VALUE,
               "device");
    fuzz_memory *text = fuzz_put(f, FUZZ_HOST, "device", name, strlen(name) + 1, 1);
    subwave_context *none = context->handle;
    fuzz_upload(f);
    fuzz_returns(f, context, &expected, subwave_context_create(&none, (const char *)text->pointer));
    if (none)
        fuzz_fail(f, "*context is not null");
    fuzz_check_memory(f);
}

/* Memory outlives the context that it is from, and any context of the device frees it. */
static void outlive(fuzz *f, fuzz_context *context)
{
    const fuzz_expected right = {0};
    fuzz_context other;
    void *memory = NULL;
    const int64_t bytes = fuzz_between(f, 1, 5000);
    fuzz_words(f, "subwave_malloc(%" PRId64 ") from a context that is then destroyed", bytes);
    create(f, &other);
    fuzz_memory *source = fuzz_take(f, FUZZ_HOST, "source", (size_t)bytes, 1);
    fuzz_memory *destination = fuzz_take(f, FUZZ_HOST, "destination", (size_t)bytes, 1);
    fuzz_upload(f);
    fuzz_returns(f, &other, &right, subwave_malloc(other.handle, &memory, bytes));
    fuzz_returns(f, &other, &right, subwave_copy(other.handle, memory, source->pointer, bytes));
    fuzz_close(f, &other);
    memcpy(destination->contents, source->contents, (size_t)bytes);
    fuzz_returns(f, context, &right,
                 subwave_copy(context->handle, destination->pointer, memory, bytes));
    fuzz_returns(f, context, &right, subwave_free(context->handle, memory));
    fuzz_check_memory(f);
}

void fuzz_life(fuzz *f, fuzz_context *context)
{
    subwave_context *none = NULL;
    fuzz_expected expected = {.without_context = true};
    switch (fuzz_between(f, 0, 3)) {
    case 0:
        fuzz_words(f, "subwave_context_destroy(null), and of a null context");
        fuzz_returns(f, context, &expected, subwave_context_destroy(NULL));
        fuzz_returns(f, context, &expected, subwave_context_destroy(&none));
        return;
    case 1:
        fuzz_words(f, "subwave_context_create(null, \"%s\")", f->device.id);
        fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_POINTER, "context");
        fuzz_returns(f, context, &expected, subwave_context_create(NULL, f->device.id));
        return;
    case 2:
        create_nothing(f, context);
        return;
    default:
        outlive(f, context);
    }
}

void fuzz_context_info(fuzz *f, fuzz_context *context)
{
    fuzz_expected expected = {0};
    subwave_context *handle = context->handle;
    fuzz_memory *memory = fuzz_take(f, FUZZ_HOST, "properties", sizeof f->device,
                                    _Alignof(subwave_device_properties));
    subwave_device_properties *properties = (subwave_device_properties *)memory->pointer;
    if (fuzz_one_in(f, 6))
        handle = fuzz_no_context(&expected);
    else if (fuzz_one_in(f, 6)) {
        fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_POINTER, "properties");
        properties = NULL;
    }
    fuzz_words(f, "subwave_context_info(context=%p, properties=%p)", (void *)handle,
               (void *)properties);
    fuzz_upload(f);
    if (fuzz_returns(f, context, &expected, subwave_context_info(handle, properties)))
        memcpy(memory->contents, &f->device, sizeof f->device);
    fuzz_check_memory(f);
}

void fuzz_stream(fuzz *f, fuzz_context *context)
{
    fuzz_expected expected = {0};
    subwave_context *handle = context->handle;
    void *current = NULL;
    fuzz_memory *memory = fuzz_take(f, FUZZ_HOST, "stream", sizeof(void *), sizeof(void *));
    if (subwave_get_stream(context->handle, &current) != SUBWAVE_STATUS_SUCCESS)
        fuzz_fail(f, "the stream cannot be read");
    fuzz_upload(f);
    const bool is_set = fuzz_one_in(f, 3), is_wait = fuzz_one_in(f, 3);
    if (fuzz_one_in(f, 4))
        handle = fuzz_no_context(&expected);
    if (is_set) {
        void *stream = NULL; /* a GPU's runtime would follow any other */
        if (handle && f->on_cpu && fuzz_one_in(f, 2)) {
            stream = memory->pointer;
            fuzz_wrong(&expected, SUBWAVE_STATUS_UNSUPPORTED, "stream");
        }
        fuzz_words(f, "subwave_set_stream(context=%p, stream=%p)", (void *)handle, stream);
        fuzz_returns(f, context, &expected, subwave_set_stream(handle, stream));
    } else if (is_wait) {
        fuzz_words(f, "subwave_synchronize(context=%p)", (void *)handle);
        fuzz_returns(f, context, &expected, subwave_synchronize(handle));
    } else {
        void **stream = (void **)memory->pointer;
        if (handle && fuzz_one_in(f, 4)) {
            stream = NULL;
            fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_POINTER, "stream");
        }
        fuzz_words(f, "subwave_get_stream(context=%p, stream=%p)", (void *)handle, (void *)stream);
        if (fuzz_returns(f, context, &expected, subwave_get_stream(handle, stream)))
            memcpy(memory->contents, &current, sizeof current);
    }
    fuzz_check_memory(f);
}

/* An event's life, on a stream of its own or on the context's, in which something may be wrong. */
void fuzz_event(fuzz *f, fuzz_context *context)
{
    const fuzz_expected right = {0};
    subwave_context *const handle = context->handle;
    subwave_event *event = NULL;
    void *own = NULL, *stream = NULL;
    bool reached = false;
    double elapsed = -1;
    fuzz_words(f, "an event, and a stream of some priority");
    fuzz_returns(f, context, &right, subwave_event_create(handle, &event));
    fuzz_returns(f, context, &right, subwave_get_stream(handle, &own));
    const int32_t priority = fuzz_one_in(f, 3) ? fuzz_outside(f, 1, GREATEST(SUBWAVE_PRIORITY_LIST))
                                               : (int32_t)fuzz_between(f, 1, 3);
    fuzz_expected expected = {0};
    if (priority < 1 || priority > GREATEST(SUBWAVE_PRIORITY_LIST))
        fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_VALUE, "priority");
    if (fuzz_returns(f, context, &expected,
                     subwave_stream_create(handle, &stream, (subwave_priority)priority)))
        fuzz_returns(f, context, &right, subwave_set_stream(handle, stream));
    if (fuzz_one_in(f, 3)) {
        fuzz_expected never = {0};
        fuzz_wrong(&never, SUBWAVE_STATUS_INVALID_VALUE, "start");
        fuzz_returns(f, context, &never, subwave_event_elapsed(handle, event, event, &elapsed));
    }
    for (int64_t times = fuzz_between(f, 1, 3); times > 0; --times) {
        fuzz_returns(f, context, &right, subwave_event_record(handle, event));
        if (fuzz_one_in(f, 2))
            fuzz_returns(f, context, &right, subwave_event_wait(handle, event));
    }
    fuzz_returns(f, context, &right, subwave_event_synchronize(handle, event));
    fuzz_returns(f, context, &right, subwave_event_query(handle, event, &reached));
    fuzz_returns(f, context, &right, subwave_event_elapsed(handle, event, event, &elapsed));
    if (!reached || elapsed != 0)
        fuzz_fail(f, "an event was waited for and %s reached, after %g ms of itself",
                  reached ? "is" : "is not", elapsed);
    if (stream && fuzz_one_in(f, 2))
        fuzz_returns(f, context, &right, subwave_set_stream(handle, own));
    fuzz_returns(f, context, &right, subwave_stream_destroy(handle, stream));
    fuzz_returns(f, context, &right, subwave_event_destroy(handle, event));
    fuzz_returns(f, context, &right, subwave_set_stream(handle, own));
}

/* Whatever is wrong, the context keeps the workspace that it has. */
void fuzz_workspace(fuzz *f, fuzz_context *context)
{
    fuzz_expected expected = {0};
    subwave_context *handle = context->handle;
    fuzz_memory *memory = fuzz_take(f, FUZZ_HOST, "bytes", sizeof(int64_t), sizeof(int64_t));
    int64_t before = 0, after = 0;
    fuzz_upload(f);
    if (subwave_workspace_size(handle, &before) != SUBWAVE_STATUS_SUCCESS)
        fuzz_fail(f, "the size of the workspace cannot be read");
    const bool is_set = fuzz_one_in(f, 2);
    if (fuzz_one_in(f, 4))
        handle = fuzz_no_context(&expected);
    if (is_set) {
        void *workspace = NULL;
        int64_t bytes = 0;
        if (handle && fuzz_one_in(f, 2)) {
            bytes = -fuzz_between(f, 1, INT64_MAX);
            fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_SIZE, "bytes");
        } else if (handle && fuzz_one_in(f, 2)) {
            bytes = fuzz_between(f, 1, INT64_MAX);
            workspace = fuzz_one_in(f, 2) ? NULL
                                          : (void *)(uintptr_t)(256 * fuzz_between(f, 16, 1000) +
                                                                fuzz_between(f, 1, 255));
            fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_POINTER, "workspace");
        }
        fuzz_words(f, "subwave_set_workspace(context=%p, workspace=%p, bytes=%lld)", (void *)handle,
                   workspace, (long long)bytes);
        fuzz_returns(f, context, &expected, subwave_set_workspace(handle, workspace, bytes));
    } else {
        int64_t *bytes = (int64_t *)memory->pointer;
        if (handle && fuzz_one_in(f, 4)) {
            bytes = NULL;
            fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_POINTER, "bytes");
        }
        fuzz_words(f, "subwave_workspace_size(context=%p, bytes=%p)", (void *)handle,
                   (void *)bytes);
        if (fuzz_returns(f, context, &expected, subwave_workspace_size(handle, bytes)))
            memcpy(memory->contents, &before, sizeof before);
    }
    fuzz_check_memory(f);
    if (subwave_workspace_size(context->handle, &after) != SUBWAVE_STATUS_SUCCESS ||
        after != before)
        fuzz_fail(f, "the workspace was %lld bytes and is %lld", (long long)before,
                  (long long)after);
}

/* --- devices --------------------------------------------------------------------------------- */

static int count_devices(fuzz *f, fuzz_context *context)
{
    const fuzz_expected right = {.without_context = true};
    fuzz_memory *memory = fuzz_take(f, FUZZ_HOST, "count", sizeof(int), sizeof(int));
    int count = 0;
    fuzz_words(f, "subwave_device_count");
    fuzz_upload(f);
    if (!fuzz_returns(f, context, &right, subwave_device_count((int *)memory->pointer)))
        return 0;
    memcpy(&count, fuzz_now(f, memory), sizeof count);
    memcpy(memory->contents, &count, sizeof count);
    if (count < 1)
        fuzz_fail(f, "counts %d devices", count);
    fuzz_check_memory(f);
    return count;
}

void fuzz_devices(fuzz *f, fuzz_context *context)
{
    fuzz_expected expected = {.without_context = true};
    if (fuzz_one_in(f, 8)) {
        fuzz_words(f, "subwave_device_count(null)");
        fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_POINTER, "count");
        fuzz_returns(f, context, &expected, subwave_device_count(NULL));
        return;
    }
    const int count = count_devices(f, context);
    fuzz_memory *memory = fuzz_take(f, FUZZ_HOST, "properties", sizeof f->device,
                                    _Alignof(subwave_device_properties));
    subwave_device_properties *properties = (subwave_device_properties *)memory->pointer, found;
    int index = (int)fuzz_between(f, 0, count - 1);
    if (fuzz_one_in(f, 4)) {
        index = fuzz_outside(f, 0, count - 1);
        fuzz_wrong(&expected, SUBWAVE_STATUS_NO_DEVICE, "index");
    } else if (fuzz_one_in(f, 4)) {
        properties = NULL;
        fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_POINTER, "properties");
    }
    fuzz_words(f, "subwave_device_info(index=%d, properties=%p)", index, (void *)properties);
    fuzz_upload(f);
    if (fuzz_returns(f, context, &expected, subwave_device_info(index, properties))) {
        memcpy(&found, fuzz_now(f, memory), sizeof found);
        memcpy(memory->contents, &found, sizeof found);
        if (strcmp(found.id, f->device.id) == 0 && memcmp(&found, &f->device, sizeof found) != 0)
            fuzz_fail(f, "is not what the context's own device was");
        if (found.max_block_size < 1 || found.sub_group_size_count < 1 ||
            found.sub_group_sizes[0] < 1)
            fuzz_fail(f, "device %s has no work-items", found.id);
    }
    fuzz_check_memory(f);
}

/* --- device memory --------------------------------------------------------------------------- */

/* Through new memory and back, and freed. */
static void use_memory(fuzz *f, fuzz_context *context, void *device, int64_t bytes)
{
    const fuzz_expected right = {0};
    f->taken[FUZZ_HOST] = 0;
    fuzz_memory *source = fuzz_take(f, FUZZ_HOST, "source", (size_t)bytes, 1);
    fuzz_memory *destination = fuzz_take(f, FUZZ_HOST, "destination", (size_t)bytes, 1);
    for (int64_t i = 0; i < bytes; ++i)
        source->contents[i] = (unsigned char)fuzz_bits(f);
    fuzz_upload(f);
    fuzz_returns(f, context, &right, subwave_copy(context->handle, device, source->pointer, bytes));
    fuzz_returns(f, context, &right,
                 subwave_copy(context->handle, destination->pointer, device, bytes));
    memcpy(destination->contents, source->contents, (size_t)bytes);
    fuzz_check_memory(f);
    fuzz_expected refused = {0};
    if (fuzz_one_in(f, 4))
        fuzz_returns(f, context, &refused, subwave_free(fuzz_no_context(&refused), device));
    fuzz_returns(f, context, &right, subwave_free(context->handle, device));
}

void fuzz_device_memory(fuzz *f, fuzz_context *context)
{
    static const int64_t negative[] = {-1, INT64_MIN, -4096},
                         endless[] = {INT64_MAX, (int64_t)1 << 50};
    fuzz_expected expected = {0};
    subwave_context *handle = context->handle;
    int64_t bytes = fuzz_one_in(f, 8) ? 0 : fuzz_between(f, 1, fuzz_one_in(f, 4) ? 100000 : 700);
    fuzz_memory *memory = fuzz_take(f, FUZZ_HOST, "pointer", sizeof(void *), sizeof(void *));
    void **pointer = (void **)memory->pointer, *given;
    switch (fuzz_between(f, 0, 15)) {
    case 0:
        handle = fuzz_no_context(&expected);
        break;
    case 1:
        pointer = NULL;
        fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_POINTER, "pointer");
        break;
    case 2:
        bytes = FUZZ_PICK(f, negative);
        fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_SIZE, "bytes");
        break;
    case 3:
        bytes = FUZZ_PICK(f, endless);
        fuzz_wrong(&expected, SUBWAVE_STATUS_OUT_OF_MEMORY, "bytes");
        break;
    default:
        break;
    }
    fuzz_words(f, "subwave_malloc(context=%p, pointer=%p, bytes=%" PRId64 ")", (void *)handle,
               (void *)pointer, bytes);
    fuzz_upload(f);
    const bool is_right =
        fuzz_returns(f, context, &expected, subwave_malloc(handle, pointer, bytes));
    if (is_right) {
        memcpy(&given, fuzz_now(f, memory), sizeof given);
        memcpy(memory->contents, &given, sizeof given);
        if ((bytes == 0) != (given == NULL) || (uintptr_t)given % 256)
            fuzz_fail(f, "gave %p", given);
    }
    fuzz_check_memory(f);
    if (is_right && bytes > 0 && !f->failed)
        use_memory(f, context, given, bytes);
    else if (is_right && bytes == 0)
        fuzz_returns(f, context, &expected, subwave_free(handle, NULL));
}

void fuzz_copy(fuzz *f, fuzz_context *context)
{
    static const int64_t negative[] = {-1, INT64_MIN, -4096};
    fuzz_expected expected = {0};
    subwave_context *handle = context->handle;
    int64_t bytes = fuzz_one_in(f, 8) ? 0 : fuzz_between(f, 1, fuzz_one_in(f, 4) ? 100000 : 700);
    fuzz_memory *from =
        fuzz_take(f, fuzz_one_in(f, 2) ? FUZZ_HOST : FUZZ_DEVICE, "source", (size_t)bytes, 1);
    fuzz_memory *to =
        fuzz_take(f, fuzz_one_in(f, 2) ? FUZZ_HOST : FUZZ_DEVICE, "destination", (size_t)bytes, 1);
    void *source = from->pointer, *destination = to->pointer;
    const size_t moved = (size_t)bytes;
    for (size_t i = 0; i < moved; ++i)
        from->contents[i] = (unsigned char)fuzz_bits(f);
    if (bytes == 0) {
        source = fuzz_nowhere(f);
        destination = fuzz_nowhere(f);
    }
    switch (fuzz_between(f, 0, 15)) {
    case 0:
        handle = fuzz_no_context(&expected);
        break;
    case 1:
        if (bytes) {
            source = NULL;
            fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_POINTER, "source");
        }
        break;
    case 2:
        if (bytes) {
            destination = NULL;
            fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_POINTER, "destination");
        }
        break;
    case 3:
        bytes = FUZZ_PICK(f, negative);
        fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_SIZE, "bytes");
        break;
    default:
        break;
    }
    const bool waits = fuzz_one_in(f, 2);
    fuzz_words(f, "subwave_copy%s(context=%p, destination=%p, source=%p, bytes=%" PRId64 ")",
               waits ? "" : "_async", (void *)handle, destination, source, bytes);
    fuzz_upload(f);
    if (fuzz_returns(f, context, &expected,
                     waits ? subwave_copy(handle, destination, source, bytes)
                           : subwave_copy_async(handle, destination, source, bytes)))
        memcpy(to->contents, from->contents, moved);
    fuzz_check_memory(f);
}

void fuzz_copy_2d(fuzz *f, fuzz_context *context)
{
    fuzz_expected expected = {0};
    subwave_context *handle = context->handle;
    int64_t width = fuzz_one_in(f, 8) ? 0 : fuzz_between(f, 1, 200),
            height = fuzz_one_in(f, 8) ? 0 : fuzz_between(f, 1, 30);
    const int64_t least = width > 0 ? width : 1;
    int64_t to_pitch = least + (fuzz_one_in(f, 3) ? 0 : fuzz_between(f, 0, 90)),
            from_pitch = least + (fuzz_one_in(f, 3) ? 0 : fuzz_between(f, 0, 90));
    const bool any = width > 0 && height > 0;
    const int64_t rows = height, bytes = width, to_step = to_pitch, from_step = from_pitch;
    fuzz_memory *from = fuzz_take(f, fuzz_one_in(f, 2) ? FUZZ_HOST : FUZZ_DEVICE, "source",
                                  any ? (size_t)((rows - 1) * from_pitch + width) : 0, 1);
    fuzz_memory *to = fuzz_take(f, fuzz_one_in(f, 2) ? FUZZ_HOST : FUZZ_DEVICE, "destination",
                                any ? (size_t)((rows - 1) * to_pitch + width) : 0, 1);
    void *source = any ? (void *)from->pointer : fuzz_nowhere(f),
         *destination = any ? (void *)to->pointer : fuzz_nowhere(f);
    for (size_t i = 0; i < from->bytes; ++i)
        from->contents[i] = (unsigned char)fuzz_bits(f);
    switch (fuzz_between(f, 0, 20)) {
    case 0:
        handle = fuzz_no_context(&expected);
        break;
    case 1:
        width = -fuzz_between(f, 1, INT64_MAX);
        fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_SIZE, "width");
        break;
    case 2:
        height = -fuzz_between(f, 1, INT64_MAX);
        fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_SIZE, "height");
        break;
    case 3:
        to_pitch = least - fuzz_between(f, 1, 300);
        fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_STRIDE, "destination_pitch");
        break;
    case 4:
        from_pitch = least - fuzz_between(f, 1, 300);
        fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_STRIDE, "source_pitch");
        break;
    case 5:
        if (any) {
            source = NULL;
            fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_POINTER, "source");
        }
        break;
    case 6:
        if (any) {
            destination = NULL;
            fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_POINTER, "destination");
        }
        break;
    default:
        break;
    }
    const bool waits = fuzz_one_in(f, 2);
    fuzz_words(f,
               "subwave_copy_2d%s(context=%p, destination=%p, destination_pitch=%" PRId64
               ", source=%p, source_pitch=%" PRId64 ", width=%" PRId64 ", height=%" PRId64 ")",
               waits ? "" : "_async", (void *)handle, destination, to_pitch, source, from_pitch,
               width, height);
    fuzz_upload(f);
    if (fuzz_returns(f, context, &expected,
                     (waits ? subwave_copy_2d : subwave_copy_2d_async)(
                         handle, destination, to_pitch, source, from_pitch, width, height)))
        for (int64_t row = 0; any && row < rows; ++row)
            memcpy(to->contents + row * to_step, from->contents + row * from_step, (size_t)bytes);
    fuzz_check_memory(f);
}

void fuzz_fill(fuzz *f, fuzz_context *context)
{
    static const subwave_dtype dtypes[] = {
#define ANY(name, ...) SUBWAVE_DTYPE_##name,
        SUBWAVE_DTYPE_LIST(ANY)
#undef ANY
    };
    fuzz_expected expected = {0};
    subwave_context *handle = context->handle;
    int32_t dtype = FUZZ_PICK(f, dtypes);
    const size_t size = subwave_dtype_size((subwave_dtype)dtype);
    const size_t part = dtype >= SUBWAVE_DTYPE_C32 ? size / 2 : size;
    int64_t n = fuzz_one_in(f, 8) ? 0 : fuzz_between(f, 1, fuzz_one_in(f, 4) ? 20000 : 300);
    const size_t bytes = (size_t)n * size;
    fuzz_memory *on_x = fuzz_take(f, FUZZ_DEVICE, "x", bytes, part);
    fuzz_memory *element = fuzz_take(f, FUZZ_HOST, "value", n > 0 ? size : 0, 1);
    for (size_t i = 0; i < element->bytes; ++i)
        element->contents[i] = (unsigned char)fuzz_bits(f);
    void *x = n > 0 ? (void *)on_x->pointer : fuzz_nowhere(f);
    const void *value = n > 0 ? (const void *)element->pointer : fuzz_nowhere(f);
    switch (fuzz_between(f, 0, 15)) {
    case 0:
        handle = fuzz_no_context(&expected);
        break;
    case 1:
        dtype = fuzz_wrong_dtype(f, &expected);
        break;
    case 2:
        n = -fuzz_between(f, 1, INT64_MAX);
        fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_SIZE, "n");
        break;
    case 3:
        if (n > 0) {
            value = NULL;
            fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_POINTER, "value");
        }
        break;
    case 4:
        if (n > 0) {
            x = fuzz_misaligned(f, x, part);
            fuzz_wrong(&expected, SUBWAVE_STATUS_INVALID_POINTER, "x");
        }
        break;
    default:
        break;
    }
    fuzz_words(f, "subwave_fill(context=%p, dtype=%d, value=%p, n=%" PRId64 ", x=%p)",
               (void *)handle, dtype, value, n, x);
    fuzz_upload(f);
    if (fuzz_returns(f, context, &expected,
                     subwave_fill(handle, (subwave_dtype)dtype, value, n, x)))
        for (size_t i = 0; i < bytes; i += size)
            memcpy(on_x->contents + i, element->contents, size);
    fuzz_check_memory(f);
}

/* --- names ----------------------------------------------------------------------------------- */

static void check_name(fuzz *f, const char *function, const char *name, int value, bool is_listed)
{
    fuzz_words(f, "%s(%d)", function, value);
    if (!name || !*name || (strcmp(name, "unknown") != 0) != is_listed)
        fuzz_fail(f, "gave \"%s\"", name ? name : "(null)");
}

void fuzz_names(fuzz *f, fuzz_context *context)
{
    (void)context;
    for (int i = 0; i < 5; ++i) {
        const int beyond = GREATEST(SUBWAVE_DTYPE_LIST) + 3; /* the longest list */
        const int value = fuzz_one_in(f, 3) ? (int)fuzz_bits(f) : (int)fuzz_between(f, -2, beyond);
#define IS_ANY_OF(list) (value >= 1 && value <= GREATEST(list))
        const bool is_dtype = IS_ANY_OF(SUBWAVE_DTYPE_LIST);
        check_name(f, "subwave_status_name", subwave_status_name((subwave_status)value), value,
                   value == SUBWAVE_STATUS_SUCCESS || IS_ANY_OF(SUBWAVE_STATUS_LIST));
        check_name(f, "subwave_dtype_name", subwave_dtype_name((subwave_dtype)value), value,
                   is_dtype);
        check_name(f, "subwave_variant_name", subwave_variant_name((subwave_variant)value), value,
                   IS_ANY_OF(SUBWAVE_VARIANT_LIST));
        check_name(f, "subwave_group_kind_name", subwave_group_kind_name((subwave_group_kind)value),
                   value, IS_ANY_OF(SUBWAVE_GROUP_LIST));
        check_name(f, "subwave_op_name", subwave_op_name((subwave_op)value), value,
                   IS_ANY_OF(SUBWAVE_OP_LIST));
#undef IS_ANY_OF
        check_name(f, "subwave_status_text", subwave_status_text((subwave_status)value), value,
                   true);
        fuzz_words(f, "subwave_dtype_size(%d)", value);
        if ((subwave_dtype_size((subwave_dtype)value) != 0) != is_dtype)
            fuzz_fail(f, "gave %zu", subwave_dtype_size((subwave_dtype)value));
    }
    fuzz_words(f, "subwave_version and subwave_build_info");
    if (strcmp(subwave_version(), SUBWAVE_VERSION_STRING) != 0 ||
        !strstr(subwave_build_info(), SUBWAVE_VERSION_STRING))
        fuzz_fail(f, "gave \"%s\" and \"%s\"", subwave_version(), subwave_build_info());
}
