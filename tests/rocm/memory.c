/* SPDX-License-Identifier: MIT
 * memory.c: device and host memory, which ends where a page begins that nobody may touch. Around
 * what was asked for, and in what is new, lies a pattern that is a NaN in every floating type.
 * Device memory can be touched by kernels and by copies alone; freed memory by nobody, for a long
 * time.
 */
#define _GNU_SOURCE
#include "runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PATTERN_BYTES = 4 << 20, KEPT = 4096 };

static const unsigned char pattern[4] = {0xc5, 0x7f, 0xfd, 0x7f};

static allocation *table; /* by address */
static size_t count, capacity;
static unsigned long numbers;
static size_t open_count;

static struct {
    char *at;
    size_t bytes;
} kept[KEPT]; /* freed, and not given back yet */
static size_t next_kept;

/* A file of the pattern: mapped privately it costs nothing until it is written to. */
static int pattern_file(void)
{
    static int fd = -1;
    if (fd >= 0)
        return fd;
    fd = memfd_create("pattern", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, PATTERN_BYTES) != 0)
        return -1;
    unsigned char *bytes = mmap(NULL, PATTERN_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        return -1;
    for (size_t i = 0; i < PATTERN_BYTES; ++i)
        bytes[i] = pattern[i % sizeof pattern];
    munmap(bytes, PATTERN_BYTES);
    return fd;
}

/* The first allocation that begins behind the address. */
static size_t behind(const void *at)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (table[middle].at <= (const char *)at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

allocation *allocation_of(const void *at)
{
    const size_t i = behind(at);
    return i && (const char *)at < table[i - 1].at + table[i - 1].bytes ? &table[i - 1] : NULL;
}

static bool is_guarded(const allocation *a)
{
    return a->type == hipMemoryTypeDevice && !a->code && !a->managed;
}

static void protect(const allocation *a, int how)
{
    mprotect(a->map + PAGE, a->map_bytes - 2 * PAGE, how);
}

static void open_one(allocation *a)
{
    if (a->is_open || !is_guarded(a))
        return;
    protect(a, PROT_READ | PROT_WRITE);
    a->is_open = true;
    ++open_count;
}

void open_memory_at(const void *at)
{
    allocation *a = allocation_of(at);
    if (a)
        open_one(a);
}

void open_memory(void)
{
    for (size_t i = 0; i < count; ++i)
        open_one(&table[i]);
}

void close_memory(void)
{
    for (size_t i = 0; open_count && i < count; ++i) {
        if (!table[i].is_open)
            continue;
        protect(&table[i], PROT_NONE);
        table[i].is_open = false;
        --open_count;
    }
}

static hipError_t add(allocation a)
{
    if (count == capacity) {
        const size_t more = capacity ? 2 * capacity : 64;
        allocation *grown = realloc(table, more * sizeof *table);
        if (!grown)
            return hipErrorOutOfMemory;
        table = grown;
        capacity = more;
    }
    const size_t i = behind(a.at);
    memmove(&table[i + 1], &table[i], (count - i) * sizeof *table);
    a.number = ++numbers;
    table[i] = a;
    ++count;
    return hipSuccess;
}

void add_code_memory(void *at, size_t bytes)
{
    (void)add((allocation){.at = at, .bytes = bytes, .type = hipMemoryTypeDevice, .code = true});
}

/* HIP promises 256. Less, down to 1, has memory end closer to the page behind it. */
static size_t alignment(void)
{
    static size_t chosen;
    const char *text = getenv("SUBWAVE_ROCM_ALIGNMENT");
    if (!chosen)
        chosen = text ? strtoul(text, NULL, 0) : 256;
    if (!chosen || chosen & (chosen - 1) || chosen > PAGE) {
        tell("SUBWAVE_ROCM_ALIGNMENT is \"%s\"; it takes a power of two up to %d", text, PAGE);
        chosen = 256;
    }
    return chosen;
}

static hipError_t allocate(void **pointer, size_t bytes, allocation a)
{
    if (!pointer)
        return hipErrorInvalidValue;
    *pointer = NULL;
    if (!bytes)
        return hipSuccess;
    const size_t limit = the_device()->memory_bytes;
    if (bytes > limit || (a.type == hipMemoryTypeDevice && totals.bytes + bytes > limit))
        return hipErrorOutOfMemory;
    const size_t body = (bytes + PAGE - 1) / PAGE * PAGE;
    a.map_bytes = body + 2 * PAGE;
    a.map = mmap(NULL, a.map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (a.map == MAP_FAILED)
        return hipErrorOutOfMemory;
    for (size_t done = 0; done < body; done += PATTERN_BYTES) {
        const size_t part = body - done < PATTERN_BYTES ? body - done : PATTERN_BYTES;
        if (mmap(a.map + PAGE + done, part, is_guarded(&a) ? PROT_NONE : PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, pattern_file(), 0) == MAP_FAILED) {
            munmap(a.map, a.map_bytes);
            return hipErrorOutOfMemory;
        }
    }
    a.bytes = bytes;
    a.at = a.map + PAGE + body - (bytes + alignment() - 1) / alignment() * alignment();
    if (add(a) != hipSuccess) {
        munmap(a.map, a.map_bytes);
        return hipErrorOutOfMemory;
    }
    ++totals.allocations;
    ++totals.all_allocations;
    totals.bytes += bytes;
    if (totals.bytes > totals.most_bytes)
        totals.most_bytes = totals.bytes;
    *pointer = a.at;
    return hipSuccess;
}

/* The number of bytes from one address to another that are not the pattern any more; the first of
 * them. */
static size_t changed(const char *from, const char *to, const char **first)
{
    static unsigned char whole[PAGE];
    if (!whole[0])
        for (size_t i = 0; i < PAGE; ++i)
            whole[i] = pattern[i % sizeof pattern];
    const size_t offset = (size_t)from % sizeof pattern, bytes = (size_t)(to - from);
    if (bytes <= PAGE - sizeof pattern && memcmp(from, whole + offset, bytes) == 0)
        return 0;
    size_t found = 0;
    for (const char *at = from; at < to; ++at)
        if ((unsigned char)*at != pattern[(size_t)at % sizeof pattern] && !found++)
            *first = at;
    return found;
}

static bool is_spoilt(const allocation *a, const char *who)
{
    if (a->code)
        return false;
    const char *first = NULL, *end = a->at + a->bytes;
    const size_t before = changed(a->map + PAGE, a->at, &first),
                 after = changed(end, a->map + a->map_bytes - PAGE, &first);
    if (!before && !after)
        return false;
    tell(
        "%s: %zu bytes before and %zu behind allocation %lu of %zu bytes were written, the first %td bytes "
        "from its start",
        who, before, after, a->number, a->bytes, first - a->at);
    for (char *at = a->map + PAGE; at < a->at; ++at) /* told once */
        *at = (char)pattern[(size_t)at % sizeof pattern];
    for (char *at = a->at + a->bytes; at < a->map + a->map_bytes - PAGE; ++at)
        *at = (char)pattern[(size_t)at % sizeof pattern];
    return true;
}

bool has_stray_writes(const char *who)
{
    bool found = false;
    for (size_t i = 0; i < count; ++i)
        found |= is_spoilt(&table[i], who);
    return found;
}

/* The allocation that begins at an address, or null, which is told. */
static allocation *allocation_at(const void *pointer, bool of_device)
{
    allocation *a = allocation_of(pointer);
    if (a && a->at == pointer && !a->code && (a->type == hipMemoryTypeDevice) == of_device)
        return a;
    tell("%p, which is to be freed, is not the start of an allocation of that kind", pointer);
    return NULL;
}

static hipError_t give_back(allocation *a)
{
    hipError_t error = hipSuccess;
    protect(a, PROT_READ | PROT_WRITE);
    if (is_spoilt(a, "the host or a copy"))
        error = device_fails(hipErrorLaunchFailure);
    --totals.allocations;
    totals.bytes -= a->bytes;
    open_count -= a->is_open;
    if (kept[next_kept].at)
        munmap(kept[next_kept].at, kept[next_kept].bytes);
    kept[next_kept].at = mmap(a->map, a->map_bytes, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    kept[next_kept].bytes = a->map_bytes;
    next_kept = (next_kept + 1) % KEPT;
    const size_t i = (size_t)(a - table);
    memmove(&table[i], &table[i + 1], (--count - i) * sizeof *table);
    return error;
}

static hipError_t release(void *pointer, bool of_device)
{
    if (!pointer)
        return hipSuccess;
    const hipError_t finished = finish_all();
    allocation *a = allocation_at(pointer, of_device);
    if (!a)
        return hipErrorInvalidValue;
    const hipError_t error = give_back(a);
    return error == hipSuccess ? finished : error;
}

hipError_t free_now(void *pointer)
{
    allocation *a = allocation_at(pointer, true);
    return a ? give_back(a) : hipErrorInvalidValue;
}

void describe_address(const void *at)
{
    for (size_t i = 0; i < KEPT; ++i)
        if (kept[i].at && (const char *)at >= kept[i].at &&
            (const char *)at < kept[i].at + kept[i].bytes)
            tell("%p lies in memory that was freed", at);
    const size_t i = behind(at);
    if (i) {
        const allocation *a = &table[i - 1];
        const char *end = a->at + a->bytes;
        if ((const char *)at < end)
            tell("%p lies in allocation %lu of %zu bytes%s", at, a->number, a->bytes,
                 is_guarded(a) ? ", which is the device's and was touched by the host" : "");
        else
            tell("%p is %td bytes behind allocation %lu of %zu bytes", at, (const char *)at - end,
                 a->number, a->bytes);
    }
    if (i < count)
        tell("%p is %td bytes before allocation %lu of %zu bytes", at,
             table[i].at - (const char *)at, table[i].number, table[i].bytes);
}

void list_leaks(FILE *to)
{
    const char *before = "";
    for (size_t i = 0; i < count; ++i) {
        if (table[i].code)
            continue;
        fprintf(to, "%s{\"allocation\": %lu, \"bytes\": %zu}", before, table[i].number,
                table[i].bytes);
        before = ", ";
    }
}

/* --- allocation ------------------------------------------------------------------------------ */

hipError_t hipMalloc(void **pointer, size_t bytes)
{
    BEGIN(hipMalloc);
    END(allocate(pointer, bytes, (allocation){.type = hipMemoryTypeDevice}));
}

hipError_t hipFree(void *pointer)
{
    BEGIN_ALWAYS(hipFree);
    END(release(pointer, true));
}

/* There is no pool: memory is there at once, and goes when the stream has come to it. */
hipError_t hipMallocAsync(void **pointer, size_t bytes, hipStream_t stream)
{
    BEGIN(hipMallocAsync);
    if (!is_stream(stream))
        END(hipErrorInvalidHandle);
    if (is_capturing(stream))
        END(hipErrorStreamCaptureUnsupported);
    END(allocate(pointer, bytes, (allocation){.type = hipMemoryTypeDevice}));
}

hipError_t hipFreeAsync(void *pointer, hipStream_t stream)
{
    BEGIN(hipFreeAsync);
    if (!is_stream(stream))
        END(hipErrorInvalidHandle);
    if (is_capturing(stream))
        END(hipErrorStreamCaptureUnsupported);
    if (!allocation_at(pointer, true))
        END(hipErrorInvalidValue);
    work *w = new_work(FREE, 0);
    if (!w)
        END(hipErrorOutOfMemory);
    w->freed = pointer;
    END(queue(stream, w));
}

hipError_t hipMallocManaged(void **pointer, size_t bytes, unsigned flags)
{
    BEGIN(hipMallocManaged);
    END(allocate(pointer, bytes,
                 (allocation){.type = hipMemoryTypeDevice, .managed = true, .flags = flags}));
}

hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned flags)
{
    BEGIN(hipHostMalloc);
    END(allocate(pointer, bytes, (allocation){.type = hipMemoryTypeHost, .flags = flags}));
}

hipError_t hipHostFree(void *pointer)
{
    BEGIN_ALWAYS(hipHostFree);
    END(release(pointer, false));
}

hipError_t hipMemGetInfo(size_t *unused, size_t *total)
{
    BEGIN(hipMemGetInfo);
    if (!unused || !total)
        END(hipErrorInvalidValue);
    *total = the_device()->memory_bytes;
    *unused = *total - totals.bytes;
    END(hipSuccess);
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *pointer)
{
    BEGIN(hipPointerGetAttributes);
    const allocation *a = allocation_of(pointer);
    if (!attributes || !a)
        END(hipErrorInvalidValue);
    *attributes = (hipPointerAttribute_t){
        .devicePointer = (void *)pointer,
        .isManaged = a->managed,
        .allocationFlags = a->flags,
        .hostPointer = a->type == hipMemoryTypeHost || a->managed ? (void *)pointer : NULL};
#if HIP_VERSION_MAJOR < 6
    attributes->memoryType = a->type;
#else
    attributes->type = a->managed ? hipMemoryTypeManaged : a->type;
#endif
    END(hipSuccess);
}

/* --- copies ---------------------------------------------------------------------------------- */

static bool fits(const void *at, size_t bytes, const char *what)
{
    const allocation *a = allocation_of(at);
    const size_t left = a ? (size_t)(a->at + a->bytes - (const char *)at) : bytes;
    if (bytes > left)
        tell("a copy's %s has %zu bytes left in allocation %lu, not %zu", what, left, a->number,
             bytes);
    return bytes <= left;
}

hipError_t check_copy(void *to, const void *from, size_t bytes, hipMemcpyKind kind)
{
    if (!to || !from)
        return hipErrorInvalidValue;
    if ((unsigned)kind > hipMemcpyDefault)
        return hipErrorInvalidMemcpyDirection;
    const allocation *a = allocation_of(to), *b = allocation_of(from);
    /* Memory that host and device share is what the kind says it is. */
    const bool to_device = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice;
    const bool from_device = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice;
    const bool wrong_to = to_device ? !a : a && is_guarded(a),
               wrong_from = from_device ? !b : b && is_guarded(b);
    if (kind != hipMemcpyDefault && (wrong_to || wrong_from)) {
        tell("a copy's %s is %s memory, which its kind denies", wrong_to ? "destination" : "source",
             (wrong_to ? to_device : from_device) ? "no device" : "device");
        return hipErrorInvalidValue;
    }
    return fits(to, bytes, "destination") && fits(from, bytes, "source") ? hipSuccess
                                                                         : hipErrorInvalidValue;
}

/* Where the host's memory is not pinned, the copy is over when the call returns; a copy within the
 * device never waits. */
static hipError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                            size_t bytes, size_t rows, hipMemcpyKind kind, hipStream_t stream,
                            bool waits)
{
    if (!bytes || !rows)
        return hipSuccess;
    if (rows > 1 && (to_pitch < bytes || from_pitch < bytes))
        return hipErrorInvalidPitchValue;
    if (!is_stream(stream))
        return hipErrorInvalidHandle;
    const hipError_t error = check_copy(to, from, bytes, kind);
    if (error != hipSuccess)
        return error;
    if (!fits(to, (rows - 1) * to_pitch + bytes, "destination") ||
        !fits(from, (rows - 1) * from_pitch + bytes, "source"))
        return hipErrorInvalidValue;
    work *w = new_work(COPY, 0);
    if (!w)
        return hipErrorOutOfMemory;
    w->copy.to = to;
    w->copy.from = from;
    w->copy.bytes = bytes;
    w->copy.to_pitch = to_pitch;
    w->copy.from_pitch = from_pitch;
    w->copy.rows = rows;
    const allocation *a = allocation_of(to), *b = allocation_of(from);
    const bool within = a && b && a->type == hipMemoryTypeDevice && b->type == hipMemoryTypeDevice;
    const bool captured = is_capturing(stream);
    if (captured && waits) {
        free(w);
        return hipErrorStreamCaptureUnsupported;
    }
    const hipError_t queued = queue(stream, w);
    if (queued != hipSuccess || captured || (within && !waits) || (a && b && !waits))
        return queued;
    return finish(stream);
}

static hipError_t copy(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                       hipStream_t stream, bool waits)
{
    return copy_rows(to, bytes, from, bytes, bytes, 1, kind, stream, waits);
}

hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind)
{
    BEGIN(hipMemcpy);
    END(copy(to, from, bytes, kind, NULL, true));
}

hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream)
{
    BEGIN(hipMemcpyAsync);
    END(copy(to, from, bytes, kind, stream, false));
}

hipError_t hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                            size_t bytes, size_t rows, hipMemcpyKind kind, hipStream_t stream)
{
    BEGIN(hipMemcpy2DAsync);
    END(copy_rows(to, to_pitch, from, from_pitch, bytes, rows, kind, stream, false));
}

hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                               hipStream_t stream)
{
    BEGIN(hipMemcpyWithStream);
    END(copy(to, from, bytes, kind, stream, true));
}

static hipError_t set(void *to, unsigned value, size_t width, size_t times, hipStream_t stream,
                      bool waits)
{
    if (!times)
        return hipSuccess;
    const allocation *a = allocation_of(to);
    if (!a || !fits(to, width * times, "destination"))
        return hipErrorInvalidValue;
    if (!is_stream(stream))
        return hipErrorInvalidHandle;
    work *w = new_work(SET, 0);
    if (!w)
        return hipErrorOutOfMemory;
    w->set.to = to;
    w->set.value = value;
    w->set.width = width;
    w->set.count = times;
    const hipError_t error = queue(stream, w);
    return error == hipSuccess && waits ? finish(stream) : error;
}

hipError_t hipMemset(void *to, int value, size_t bytes)
{
    BEGIN(hipMemset);
    END(set(to, (unsigned)value, 1, bytes, NULL, true));
}

hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream)
{
    BEGIN(hipMemsetAsync);
    END(set(to, (unsigned)value, 1, bytes, stream, false));
}

hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t times)
{
    BEGIN(hipMemsetD32);
    END(set(to, (unsigned)value, 4, times, NULL, true));
}

hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t times, hipStream_t stream)
{
    BEGIN(hipMemsetD32Async);
    END(set(to, (unsigned)value, 4, times, stream, false));
}
