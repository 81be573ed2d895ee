/* SPDX-License-Identifier: MIT
 * harness.c: runs a group of tests on each device, with memory that notices stray writes.
 */
#define _DEFAULT_SOURCE
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GUARD = 4096 };

static const char *wanted_device(void)
{
    const char *wanted = getenv("SUBWAVE_TEST_DEVICE");
    return wanted ? wanted : "";
}

static uint64_t seed(void)
{
    const char *text = getenv("SUBWAVE_TEST_SEED");
    return text && *text ? strtoull(text, NULL, 0) : 20261121;
}

bool harness_is_full(void)
{
    const char *text = getenv("SUBWAVE_TEST_FULL");
    return text && strcmp(text, "1") == 0;
}

bool harness_is_emulated(void) { return getenv("SUBWAVE_ROCM_RUNNER") != NULL; }

bool harness_takes(int one_in, int one_in_emulated)
{
    static const char *const devices[] = {"cpu:4",  "cpu:8",  "cpu:64",  "cpu:16", "cpu:32",
                                          "gfx90a", "gfx942", "gfx1100", "gfx1201"};
    static uint64_t turn;
    const char *const emulated = getenv("SUBWAVE_ROCM_RUNNER");
    const char *const device = emulated ? emulated : wanted_device();
    const uint64_t of = (uint64_t)(emulated ? one_in_emulated : one_in);
    uint64_t own = 0;
    while (own < sizeof devices / sizeof *devices - 1 && strcmp(device, devices[own]) != 0)
        ++own;
    if (harness_is_full() && strncmp(device, "gpu", 3) == 0)
        return true;
    harness_random random = {++turn};
    return harness_random_bits(&random) % of == own % of;
}

bool harness_is_cpu(subwave_context *context)
{
    subwave_device_properties device;
    assert_ok(context, subwave_context_info(context, &device));
    return strcmp(device.backend, "cpu") == 0;
}

static char device_id[sizeof((subwave_device_properties *)0)->id];

static int open_device(void **state)
{
    subwave_context *context;
    assert_ok(NULL, subwave_context_create(&context, device_id));
    *state = context;
    return 0;
}

static int close_device(void **state)
{
    subwave_context *context = *state;
    assert_ok(NULL, subwave_context_destroy(&context));
    assert_null(context);
    return 0;
}

/* "cpu" and "gpu" mean all of the kind. */
static bool is_wanted(const char *id)
{
    const char *wanted = wanted_device();
    return !*wanted || strcmp(wanted, id) == 0 ||
           (strlen(wanted) == 3 && strncmp(id, wanted, 3) == 0);
}

int harness_run(const char *name, const struct CMUnitTest *tests, size_t count)
{
    int devices, found = 0, failures = 0;
    if (subwave_device_count(&devices) != SUBWAVE_STATUS_SUCCESS)
        return 1;
    printf("seed %llu, %s\n", (unsigned long long)seed(), subwave_build_info());
    for (int i = 0; i < devices; ++i) {
        subwave_device_properties device;
        if (subwave_device_info(i, &device) != SUBWAVE_STATUS_SUCCESS || !is_wanted(device.id))
            continue;
        if (!device.built_for) {
            printf("%s (%s): this library holds no code for %s\n", device.id, device.name,
                   device.architecture);
            continue;
        }
        ++found;
        char title[256];
        snprintf(title, sizeof title, "%s on %s (%s)", name, device.id, device.name);
        strcpy(device_id, device.id);
        failures += _cmocka_run_group_tests(title, tests, count, open_device, close_device);
    }
    if (found)
        return failures;
    printf("skipped: no device \"%s\" that this library holds code for is here\n", wanted_device());
    return HARNESS_SKIP;
}

bool harness_refused(const subwave_context *context, subwave_status status, const char *text)
{
    const bool about_argument =
        status >= SUBWAVE_STATUS_INVALID_CONTEXT && status <= SUBWAVE_STATUS_NO_DEVICE;
    return strstr(subwave_last_error(context), text) &&
           about_argument == (subwave_last_argument(context) > 0);
}

void harness_ok(const subwave_context *context, subwave_status status, const char *call,
                const char *file, int line)
{
    if (status == SUBWAVE_STATUS_SUCCESS)
        return;
    print_error("%s: %s: %s\n", call, subwave_status_name(status), subwave_last_error(context));
    _fail(file, line);
}

harness_random harness_random_start(void) { return (harness_random){seed()}; }

/* splitmix64 */
uint64_t harness_random_bits(harness_random *random)
{
    uint64_t bits = random->state += 0x9e3779b97f4a7c15u;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return bits ^ bits >> 31;
}

double harness_random_unit(harness_random *random)
{
    return (double)(harness_random_bits(random) >> 40) / 0x1p24;
}

double harness_random_sign(harness_random *random)
{
    const uint64_t bits = harness_random_bits(random);
    const double size = (double)((bits >> 41) + 1) / (0x1p23 + 1);
    return (float)(bits & 1 ? -size : size);
}

void harness_fill(harness_poison poison, void *memory, size_t bytes)
{
    /* Read as any floating type, at any multiple of its bytes or 4: a quiet NaN with a payload. */
    static const unsigned char nan_payload[4] = {0xc5, 0x7f, 0xfd, 0x7f};
    unsigned char *byte = memory;
    for (size_t i = 0; i < bytes && i < sizeof nan_payload; ++i)
        byte[i] = poison == HARNESS_NAN ? nan_payload[i] : 0xa5;
    /* What is filled is copied behind itself, the whole in a few large pieces. */
    for (size_t filled = sizeof nan_payload; filled < bytes; filled *= 2)
        memcpy(byte + filled, byte, filled < bytes - filled ? filled : bytes - filled);
}

/* Memory of the CPU device ends where the process has none, so that reads beyond it are found
 * too. */
static void reserve_before_hole(guarded *memory, size_t total)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (total + page - 1) / page * page;
    unsigned char *map =
        mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(map != MAP_FAILED);
    assert_int_equal(mprotect(map + whole, page, PROT_NONE), 0);
    madvise(map, whole, MADV_HUGEPAGE); /* fewer faults; not every system has it */
    memory->map = map;
    memory->mapped = whole + page;
    memory->capacity = whole;
}

static void give_back(guarded *memory)
{
    if (memory->map)
        munmap(memory->map, memory->mapped);
    else
        assert_ok(memory->context, subwave_free(memory->context, memory->device));
    free(memory->expected);
}

static void reserve(guarded *memory, size_t total)
{
    subwave_context *context = memory->context;
    give_back(memory);
    *memory = (guarded){.context = context};
    if (harness_is_cpu(context)) {
        reserve_before_hole(memory, total);
    } else {
        void *device;
        assert_ok(context, subwave_malloc(context, &device, (int64_t)total));
        memory->device = device;
        memory->capacity = total;
    }
    memory->expected = malloc(memory->capacity);
    assert_non_null(memory->expected);
}

void guarded_reset(guarded *memory, size_t alignment, const void *contents, size_t bytes)
{
    subwave_context *context = memory->context;
    if (GUARD + alignment + bytes + GUARD > memory->capacity)
        reserve(memory, GUARD + alignment + bytes + GUARD);
    memory->bytes = bytes;
    memory->front = GUARD + alignment;
    memory->back = GUARD;
    if (memory->map) {
        const size_t step = alignment ? alignment : 16;
        unsigned char *const end = memory->map + memory->capacity;
        unsigned char *start = end - bytes;
        start -= (uintptr_t)start % step;
        while (alignment && (uintptr_t)start % (2 * step) == 0)
            start -= step;
        memory->back = (size_t)(end - start) - bytes;
        memory->device = start - memory->front;
    }
    const size_t total = memory->front + bytes + memory->back;
    /* No byte repeats at a short distance, so a shifted copy is noticed too. */
    for (size_t i = 0; i < total; i = i + 1 == memory->front ? i + 1 + bytes : i + 1)
        memory->expected[i] = (unsigned char)(i * 167 + i / 256 * 13 + 89);
    if (bytes)
        memcpy(memory->expected + memory->front, contents, bytes);
    assert_ok(context, subwave_copy(context, memory->device, memory->expected, (int64_t)total));
}

guarded guarded_create(subwave_context *context, const void *contents, size_t bytes)
{
    guarded memory = {.context = context};
    guarded_reset(&memory, 0, contents, bytes);
    return memory;
}

void *guarded_pointer(const guarded *memory) { return memory->device + memory->front; }

/* Copies all to the host, which frees it. */
static unsigned char *now(const guarded *memory)
{
    const size_t bytes = memory->front + memory->bytes + memory->back;
    unsigned char *copy = malloc(bytes);
    assert_non_null(copy);
    assert_ok(memory->context, subwave_copy(memory->context, copy, memory->device, (int64_t)bytes));
    return copy;
}

/* Against `now`, which holds the bytes from `first` on. */
static size_t count_changes(const guarded *memory, const unsigned char *now, size_t first,
                            size_t count)
{
    size_t changes = 0;
    for (size_t i = 0; i < count; ++i)
        changes += now[i] != memory->expected[first + i];
    return changes;
}

/* Of the device's memory, in pieces that stay in the cache. */
static size_t count_changes_there(const guarded *memory, size_t first, size_t count)
{
    static unsigned char piece[1 << 18];
    size_t changes = 0;
    while (count > 0) {
        const size_t bytes = count < sizeof piece ? count : sizeof piece;
        assert_ok(memory->context,
                  subwave_copy(memory->context, piece, memory->device + first, (int64_t)bytes));
        changes += count_changes(memory, piece, first, bytes);
        first += bytes;
        count -= bytes;
    }
    return changes;
}

static size_t count_stray_writes(const guarded *memory, const unsigned char *now)
{
    const size_t end = memory->front + memory->bytes;
    return count_changes(memory, now, 0, memory->front) +
           count_changes(memory, now + end, end, memory->back);
}

size_t guarded_stray_writes(const guarded *memory)
{
    return count_changes_there(memory, 0, memory->front) +
           count_changes_there(memory, memory->front + memory->bytes, memory->back);
}

size_t guarded_changes(const guarded *memory)
{
    return count_changes_there(memory, 0, memory->front + memory->bytes + memory->back);
}

size_t guarded_read(const guarded *memory, void *contents)
{
    unsigned char *copy = now(memory);
    if (memory->bytes)
        memcpy(contents, copy + memory->front, memory->bytes);
    const size_t changes = count_stray_writes(memory, copy);
    free(copy);
    return changes;
}

void guarded_destroy(guarded *memory)
{
    give_back(memory);
    *memory = (guarded){0};
}

/* `call(of)` with a workspace of `bytes`, of which there are `there`. */
static subwave_status call_within(subwave_context *context, int64_t bytes, int64_t there,
                                  subwave_status (*call)(const void *of), const void *of)
{
    char *const contents = malloc((size_t)there);
    assert_non_null(contents);
    harness_fill(HARNESS_A5, contents, (size_t)there);
    guarded memory = {.context = context};
    guarded_reset(&memory, 256, contents, (size_t)there);
    free(contents);
    assert_ok(context, subwave_set_workspace(context, guarded_pointer(&memory), bytes));
    const subwave_status status = call(of);
    assert_ok(context, subwave_synchronize(context));
    assert_int_equal(guarded_stray_writes(&memory), 0);
    assert_ok(context, subwave_set_workspace(context, NULL, 0));
    guarded_destroy(&memory);
    return status;
}

void harness_check_workspace(subwave_context *context, int64_t documented,
                             subwave_status (*call)(const void *of), const void *of)
{
    int64_t least = 0, most = documented;
    while (least < most) {
        const int64_t bytes = (least + most) / 2;
        const subwave_status status = call_within(context, bytes, documented, call, of);
        assert_true(status == SUBWAVE_STATUS_SUCCESS ||
                    status == SUBWAVE_STATUS_WORKSPACE_TOO_SMALL);
        if (status == SUBWAVE_STATUS_SUCCESS)
            most = bytes;
        else
            least = bytes + 1;
    }
    assert_ok(context, call_within(context, least, least, call, of));
}
