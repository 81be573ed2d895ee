/* SPDX-License-Identifier: MIT
 * stream.c: streams, events and graphs. What is queued is carried out no earlier than something
 * waits for it, in the order that streams and events promise and in no other: what relies on more
 * finds its data not ready.
 */
#define _GNU_SOURCE
#include "runner.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct list {
    work *first, **end;
} list;

struct ihipStream_t {
    list works;
    struct ihipStream_t *next;
    bool blocking; /* keeps order with the null stream */
    bool alive;
    hipGraph_t graph;           /* that it is captured for */
    bool is_origin, is_invalid; /* of the capture */
    bool is_apart;              /* captured work of it that the origin has not waited for */
};

struct ihipEvent_t {
    unsigned flags;
    hipStream_t stream; /* where it was recorded last; null: never */
    unsigned long long number, carried_out;
    unsigned waiting; /* records in queues */
    bool destroyed;
    hipGraph_t graph; /* recorded in a capture for it */
    double seconds;
};

struct ihipGraph {
    list works;
};

struct hipGraphExec {
    list works;
};

static struct ihipStream_t null_stream = {
    .works = {NULL, &null_stream.works.first}, .blocking = true, .alive = true};
/* dead ones too: they are small, and events point at them */
static hipStream_t streams = &null_stream;
static _Thread_local hipStream_t stream_of_thread;
static unsigned long long numbers;
static hipError_t outcome; /* of work that failed */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static hipStream_t new_stream(bool blocking)
{
    hipStream_t s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->works.end = &s->works.first;
    s->blocking = blocking;
    s->alive = true;
    s->next = streams;
    streams = s;
    return s;
}

/* The stream behind a handle, or null. */
static hipStream_t stream_of(hipStream_t handle)
{
    if (!handle || handle == (hipStream_t)1)
        return &null_stream;
    if (handle == hipStreamPerThread)
        return stream_of_thread ? stream_of_thread : (stream_of_thread = new_stream(true));
    for (hipStream_t s = streams; s; s = s->next)
        if (s == handle)
            return s->alive ? s : NULL;
    return NULL;
}

bool is_stream(hipStream_t handle) { return stream_of(handle) != NULL; }
bool is_capturing(hipStream_t handle) { return stream_of(handle) && stream_of(handle)->graph; }

/* --- work ------------------------------------------------------------------------------------ */

work *new_work(int kind, size_t extra)
{
    work *w = calloc(1, sizeof *w + extra);
    if (w) {
        w->kind = kind;
        w->extra = extra;
    }
    return w;
}

static void append(list *to, work *w)
{
    w->next = NULL;
    *to->end = w;
    to->end = &w->next;
}

static void drop(list *works)
{
    while (works->first) {
        work *w = works->first;
        works->first = w->next;
        if (w->kind == RECORD && --w->record->waiting == 0 && w->record->destroyed)
            free(w->record);
        free(w);
    }
    works->end = &works->first;
}

static hipError_t carry_out(const work *w)
{
    if (w->kind == LAUNCH)
        return run_launch(w);
    if (w->kind == COPY) {
        open_memory_at(w->copy.to);
        open_memory_at(w->copy.from);
        for (size_t row = 0; row < w->copy.rows; ++row)
            memmove(w->copy.to + row * w->copy.to_pitch, w->copy.from + row * w->copy.from_pitch,
                    w->copy.bytes);
    } else if (w->kind == SET) {
        open_memory_at(w->set.to);
        if (w->set.width == 1)
            memset(w->set.to, (int)w->set.value, w->set.count);
        for (size_t i = 0; w->set.width > 1 && i < w->set.count; ++i)
            memcpy(w->set.to + i * w->set.width, &w->set.value, w->set.width);
    } else if (w->kind == FREE) {
        return free_now(w->freed);
    } else if (w->kind == RECORD) {
        w->record->seconds = now();
        w->record->carried_out = w->number;
        if (--w->record->waiting == 0 && w->record->destroyed)
            free(w->record);
    }
    return hipSuccess;
}

/* Carries out the stream's work up to a number, and first what that work has to wait for. Work that
 * has to wait for none behind it has a lower number than what waits for it, so this ends. */
static void run(hipStream_t s, unsigned long long last)
{
    while (s->works.first && s->works.first->number <= last && outcome == hipSuccess) {
        work *w = s->works.first;
        if (s == &null_stream) {
            for (hipStream_t other = streams; other; other = other->next)
                if (other != s && other->blocking)
                    run(other, w->number);
        } else if (s->blocking) {
            run(&null_stream, w->number);
        }
        if (w->kind == WAIT)
            run(w->wait.stream, w->wait.number);
        if (outcome != hipSuccess)
            break;
        s->works.first = w->next;
        if (!s->works.first)
            s->works.end = &s->works.first;
        const hipError_t error = carry_out(w);
        free(w);
        if (error != hipSuccess)
            outcome = device_fails(error);
    }
}

static hipError_t run_closed(hipStream_t s, unsigned long long last)
{
    run(s, last);
    close_memory();
    return outcome;
}

hipError_t finish(hipStream_t handle)
{
    hipStream_t s = stream_of(handle);
    if (!s)
        return hipErrorInvalidHandle;
    if (s->graph) {
        s->is_invalid = true;
        return hipErrorStreamCaptureUnsupported;
    }
    if (s == &null_stream) /* which waits for the blocking ones even when nothing is queued on it */
        for (hipStream_t other = streams; other; other = other->next)
            if (other->blocking)
                run(other, ULLONG_MAX);
    return run_closed(s, ULLONG_MAX);
}

hipError_t finish_all(void)
{
    for (hipStream_t s = streams; s; s = s->next)
        run(s, ULLONG_MAX);
    close_memory();
    return outcome;
}

hipError_t queue(hipStream_t handle, work *w)
{
    hipStream_t s = stream_of(handle);
    hipError_t error = s ? hipSuccess : hipErrorInvalidHandle;
    if (s && s->graph) {
        s->is_apart = !s->is_origin;
        append(&s->graph->works, w);
        return s->is_invalid ? hipErrorStreamCaptureInvalidated : hipSuccess;
    }
    if (s == &null_stream) /* it would have to wait for a stream whose work is not work yet */
        for (hipStream_t other = streams; other; other = other->next)
            if (other->graph && other->blocking) {
                other->is_invalid = true;
                error = hipErrorStreamCaptureImplicit;
            }
    if (error != hipSuccess) {
        free(w);
        return error;
    }
    w->number = ++numbers;
    append(&s->works, w);
    return hipSuccess;
}

/* --- streams --------------------------------------------------------------------------------- */

static hipError_t create_stream(hipStream_t *stream, unsigned flags)
{
    if (!stream || flags > hipStreamNonBlocking)
        return hipErrorInvalidValue;
    *stream = new_stream(flags != hipStreamNonBlocking);
    totals.streams += *stream != NULL;
    return *stream ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t hipStreamCreate(hipStream_t *stream)
{
    BEGIN(hipStreamCreate);
    END(create_stream(stream, hipStreamDefault));
}

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags)
{
    BEGIN(hipStreamCreateWithFlags);
    END(create_stream(stream, flags));
}

hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int priority)
{
    (void)priority;
    BEGIN(hipStreamCreateWithPriority);
    END(create_stream(stream, flags));
}

hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    BEGIN(hipDeviceGetStreamPriorityRange);
    if (least)
        *least = 1;
    if (greatest)
        *greatest = -1;
    END(hipSuccess);
}

hipError_t hipStreamDestroy(hipStream_t stream)
{
    BEGIN_ALWAYS(hipStreamDestroy);
    hipStream_t s = stream_of(stream);
    if (!s || s == &null_stream || s == stream_of_thread)
        END(hipErrorInvalidHandle);
    if (s->graph && s->is_origin) {
        drop(&s->graph->works);
        free(s->graph);
        --totals.graphs;
    }
    s->graph = NULL;
    const hipError_t error = run_closed(s, ULLONG_MAX);
    drop(&s->works);
    s->alive = false;
    --totals.streams;
    END(error);
}

hipError_t hipStreamSynchronize(hipStream_t stream)
{
    BEGIN(hipStreamSynchronize);
    END(finish(stream));
}

hipError_t hipDeviceSynchronize(void)
{
    BEGIN(hipDeviceSynchronize);
    END(finish_all());
}

/* One piece of work is carried out, or who asks again and again would ask for ever. */
static hipError_t query(hipStream_t s, unsigned long long last)
{
    if (!s->works.first || s->works.first->number > last)
        return hipSuccess;
    const hipError_t error = run_closed(s, s->works.first->number);
    return error == hipSuccess ? hipErrorNotReady : error;
}

hipError_t hipStreamQuery(hipStream_t stream)
{
    BEGIN(hipStreamQuery);
    hipStream_t s = stream_of(stream);
    if (!s)
        END(hipErrorInvalidHandle);
    if (s->graph) {
        s->is_invalid = true;
        END(hipErrorStreamCaptureUnsupported);
    }
    END(query(s, ULLONG_MAX));
}

int hipGetStreamDeviceId(hipStream_t stream) { return is_stream(stream) ? 0 : -1; }

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned *flags)
{
    BEGIN(hipStreamGetFlags);
    if (!is_stream(stream) || !flags)
        END(hipErrorInvalidValue);
    *flags = stream_of(stream)->blocking ? hipStreamDefault : hipStreamNonBlocking;
    END(hipSuccess);
}

/* --- events ---------------------------------------------------------------------------------- */

static hipError_t create_event(hipEvent_t *event, unsigned flags)
{
    if (!event)
        return hipErrorInvalidValue;
    *event = calloc(1, sizeof **event);
    if (!*event)
        return hipErrorOutOfMemory;
    (*event)->flags = flags;
    ++totals.events;
    return hipSuccess;
}

hipError_t hipEventCreate(hipEvent_t *event)
{
    BEGIN(hipEventCreate);
    END(create_event(event, hipEventDefault));
}

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags)
{
    BEGIN(hipEventCreateWithFlags);
    END(create_event(event, flags));
}

hipError_t hipEventDestroy(hipEvent_t event)
{
    BEGIN_ALWAYS(hipEventDestroy);
    if (!event)
        END(hipErrorInvalidHandle);
    --totals.events;
    event->destroyed = true;
    if (!event->waiting)
        free(event);
    END(hipSuccess);
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream)
{
    BEGIN(hipEventRecord);
    hipStream_t s = stream_of(stream);
    if (!event || !s)
        END(hipErrorInvalidHandle);
    event->graph = s->graph;
    if (s->graph) {
        event->stream = s;
        END(hipSuccess);
    }
    work *w = new_work(RECORD, 0);
    if (!w)
        END(hipErrorOutOfMemory);
    w->record = event;
    ++event->waiting;
    const hipError_t error = queue(stream, w);
    if (error != hipSuccess) {
        --event->waiting;
        END(error);
    }
    event->stream = s;
    event->number = numbers;
    END(hipSuccess);
}

static bool is_done(const struct ihipEvent_t *event) { return event->carried_out == event->number; }

hipError_t hipEventSynchronize(hipEvent_t event)
{
    BEGIN(hipEventSynchronize);
    if (!event)
        END(hipErrorInvalidHandle);
    if (event->graph)
        END(hipErrorCapturedEvent);
    END(event->stream ? run_closed(event->stream, event->number) : hipSuccess);
}

hipError_t hipEventQuery(hipEvent_t event)
{
    BEGIN(hipEventQuery);
    if (!event)
        END(hipErrorInvalidHandle);
    if (event->graph)
        END(hipErrorCapturedEvent);
    END(event->stream && !is_done(event) ? query(event->stream, event->number) : hipSuccess);
}

hipError_t hipEventElapsedTime(float *ms, hipEvent_t from, hipEvent_t to)
{
    BEGIN(hipEventElapsedTime);
    if (!ms)
        END(hipErrorInvalidValue);
    if (!from || !to || !from->stream || !to->stream || from->graph || to->graph ||
        (from->flags | to->flags) & hipEventDisableTiming)
        END(hipErrorInvalidHandle);
    if (!is_done(from) || !is_done(to))
        END(hipErrorNotReady);
    *ms = (float)(1e3 * (to->seconds - from->seconds));
    END(hipSuccess);
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags)
{
    BEGIN(hipStreamWaitEvent);
    hipStream_t s = stream_of(stream);
    if (!s || !event)
        END(hipErrorInvalidHandle);
    if (flags)
        END(hipErrorInvalidValue);
    /* the stream takes part in the capture; a graph's works stay in order as they are */
    if (event->graph) {
        if (s->graph && s->graph != event->graph)
            END(hipErrorStreamCaptureMerge);
        if (event->stream->graph != event->graph)
            END(hipErrorCapturedEvent);
        event->stream->is_apart = false;
        s->graph = event->graph;
        s->is_apart = !s->is_origin;
        END(hipSuccess);
    }
    if (s->graph) {
        s->is_invalid = true;
        END(hipErrorStreamCaptureIsolation);
    }
    if (!event->stream)
        END(hipSuccess);
    work *w = new_work(WAIT, 0);
    if (!w)
        END(hipErrorOutOfMemory);
    w->wait.stream = event->stream;
    w->wait.number = event->number;
    END(queue(stream, w));
}

/* --- graphs ---------------------------------------------------------------------------------- */

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode)
{
    BEGIN(hipStreamBeginCapture);
    hipStream_t s = stream_of(stream);
    if (!s || (unsigned)mode > hipStreamCaptureModeRelaxed)
        END(hipErrorInvalidValue);
    if (s == &null_stream)
        END(hipErrorStreamCaptureUnsupported);
    if (s->graph)
        END(hipErrorIllegalState);
    s->graph = calloc(1, sizeof *s->graph);
    if (!s->graph)
        END(hipErrorOutOfMemory);
    s->graph->works.end = &s->graph->works.first;
    s->is_origin = true;
    s->is_invalid = false;
    ++totals.graphs;
    END(hipSuccess);
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph)
{
    BEGIN(hipStreamEndCapture);
    hipStream_t s = stream_of(stream);
    if (!graph)
        END(hipErrorInvalidValue);
    *graph = NULL;
    if (!s || !s->graph)
        END(hipErrorIllegalState);
    if (!s->is_origin)
        END(hipErrorStreamCaptureUnmatched);
    hipGraph_t captured = s->graph;
    bool invalid = false, apart = false;
    for (hipStream_t other = streams; other; other = other->next)
        if (other->graph == captured) {
            invalid |= other->is_invalid;
            apart |= other->is_apart;
            other->graph = NULL;
            other->is_origin = other->is_invalid = other->is_apart = false;
        }
    if (!invalid && !apart) {
        *graph = captured;
        END(hipSuccess);
    }
    drop(&captured->works);
    free(captured);
    --totals.graphs;
    END(invalid ? hipErrorStreamCaptureInvalidated : hipErrorStreamCaptureUnjoined);
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status)
{
    BEGIN(hipStreamIsCapturing);
    hipStream_t s = stream_of(stream);
    if (!s || !status)
        END(hipErrorInvalidValue);
    *status = !s->graph       ? hipStreamCaptureStatusNone
              : s->is_invalid ? hipStreamCaptureStatusInvalidated
                              : hipStreamCaptureStatusActive;
    END(hipSuccess);
}

static work *copy_of(const work *w)
{
    work *copy = new_work(w->kind, w->extra);
    if (copy)
        memcpy(copy, w, sizeof *w + w->extra);
    return copy;
}

static hipError_t instantiate(hipGraphExec_t *made, hipGraph_t graph)
{
    if (!made || !graph)
        return hipErrorInvalidValue;
    hipGraphExec_t e = calloc(1, sizeof *e);
    if (!e)
        return hipErrorOutOfMemory;
    e->works.end = &e->works.first;
    for (const work *w = graph->works.first; w; w = w->next) {
        work *copy = copy_of(w);
        if (!copy) {
            drop(&e->works);
            free(e);
            return hipErrorOutOfMemory;
        }
        append(&e->works, copy);
    }
    ++totals.graphs;
    *made = e;
    return hipSuccess;
}

hipError_t hipGraphInstantiate(hipGraphExec_t *made, hipGraph_t graph, hipGraphNode_t *node,
                               char *log, size_t size)
{
    (void)node, (void)log, (void)size;
    BEGIN(hipGraphInstantiate);
    END(instantiate(made, graph));
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *made, hipGraph_t graph,
                                        unsigned long long flags)
{
    BEGIN(hipGraphInstantiateWithFlags);
    END(flags ? hipErrorInvalidValue : instantiate(made, graph));
}

hipError_t hipGraphLaunch(hipGraphExec_t graph, hipStream_t stream)
{
    BEGIN(hipGraphLaunch);
    if (!graph)
        END(hipErrorInvalidValue);
    for (const work *w = graph->works.first; w; w = w->next) {
        work *copy = copy_of(w);
        const hipError_t error = copy ? queue(stream, copy) : hipErrorOutOfMemory;
        if (error != hipSuccess)
            END(error);
    }
    END(hipSuccess);
}

hipError_t hipGraphDestroy(hipGraph_t graph)
{
    BEGIN_ALWAYS(hipGraphDestroy);
    if (!graph)
        END(hipErrorInvalidValue);
    drop(&graph->works);
    free(graph);
    --totals.graphs;
    END(hipSuccess);
}

hipError_t hipGraphExecDestroy(hipGraphExec_t graph)
{
    BEGIN_ALWAYS(hipGraphExecDestroy);
    if (!graph)
        END(hipErrorInvalidValue);
    drop(&graph->works);
    free(graph);
    --totals.graphs;
    END(hipSuccess);
}
