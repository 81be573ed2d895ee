/* SPDX-License-Identifier: MIT
 * calls.c: what all calls have in common: the lock, counts, errors, failures on demand, and the
 * report.
 */
#include "runner.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    hipError_t code;
    const char *name, *text;
} errors[] = {
#include "errors.inc"
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static call *calls;
static unsigned long call_count;
static hipError_t failed; /* of the device, once */
static _Thread_local hipError_t last_error;
struct totals totals;

/* SUBWAVE_ROCM_FAIL_CALL=k[:function[:error]] */
static struct {
    unsigned long call;
    char function[64];
    hipError_t error;
} wish;

void tell(const char *format, ...)
{
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    int n = snprintf(line, sizeof line, "emulated ROCm: ");
    n += vsnprintf(line + n, sizeof line - (size_t)n - 1, format, arguments);
    va_end(arguments);
    if (n > (int)sizeof line - 2)
        n = sizeof line - 2;
    line[n] = '\n';
    if (write(STDERR_FILENO, line, (size_t)n + 1) < 0)
        return; /* stderr is closed: nobody listens */
}

static const char *name_of(hipError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
        if (errors[i].code == error)
            return errors[i].name;
    return "hipErrorUnknown";
}

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

static void start(void)
{
    char *text = getenv("SUBWAVE_ROCM_FAIL_CALL"), *end = NULL;
    if (text && *text) {
        wish.call = strtoul(text, &end, 10);
        wish.error = hipErrorUnknown;
        if (*end == ':') {
            const size_t length = strcspn(++end, ":");
            snprintf(wish.function, sizeof wish.function, "%.*s", (int)length, end);
            end += length;
        }
        if (*end == ':') {
            size_t i = 0;
            for (++end; i < sizeof errors / sizeof *errors && strcmp(errors[i].name, end) != 0; ++i)
                ;
            if (i < sizeof errors / sizeof *errors) {
                wish.error = errors[i].code;
                end += strlen(end);
            }
        }
        if (*end || !wish.call)
            tell("SUBWAVE_ROCM_FAIL_CALL is \"%s\"; it takes NUMBER[:FUNCTION[:ERROR]]", text);
    }
    pthread_atfork(before_fork, after_fork, after_fork);
}

bool call_begin(call *site, bool needs_device, hipError_t *error)
{
    pthread_once(&once, start);
    pthread_mutex_lock(&lock);
    if (!site->count++) {
        site->next = calls;
        calls = site;
    }
    ++call_count;
    if (wish.call &&
        (*wish.function ? strcmp(wish.function, site->name) == 0 && site->count == wish.call
                        : call_count == wish.call)) {
        tell("call %lu, %s, fails with %s as SUBWAVE_ROCM_FAIL_CALL asks", call_count, site->name,
             name_of(wish.error));
        *error = call_end(wish.error);
        return false;
    }
    if (needs_device && !the_device())
        *error = hipErrorNoDevice;
    else if (needs_device && failed)
        *error = failed;
    else
        return true;
    call_end(*error);
    return false;
}

/* Before version 6 a call that went well wiped out the error before it. */
hipError_t call_end(hipError_t error)
{
    if (error != hipSuccess || HIP_VERSION_MAJOR < 6)
        last_error = error;
    pthread_mutex_unlock(&lock);
    return error;
}

hipError_t device_fails(hipError_t error)
{
    failed = error;
    return error;
}

hipError_t hipGetLastError(void)
{
    const hipError_t error = last_error;
    last_error = hipSuccess;
    return error;
}

hipError_t hipPeekAtLastError(void) { return last_error; }

const char *hipGetErrorName(hipError_t error) { return name_of(error); }

const char *hipGetErrorString(hipError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
        if (errors[i].code == error)
            return errors[i].text;
    return "unknown error";
}

/* The answer of every function of the real library that is not written here. */
hipError_t rocm_runner_lacks(const char *function)
{
    tell("%s is not in the runner", function);
    return last_error = hipErrorNotSupported;
}

/* To the file that SUBWAVE_ROCM_EXECUTED names, in place of what it had. */
__attribute__((destructor)) static void report_executed(void)
{
    const char *path = getenv("SUBWAVE_ROCM_EXECUTED");
    if (!path || !*path)
        return;
    FILE *file = fopen(path, "w");
    if (!file) {
        tell("SUBWAVE_ROCM_EXECUTED: %s: %s", path, strerror(errno));
        return;
    }
    list_executed(file);
    fclose(file);
}

/* A JSON object on a line of its own, added to the file that SUBWAVE_ROCM_REPORT names; - is
 * stderr. */
__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("SUBWAVE_ROCM_REPORT");
    if (!path || !*path)
        return;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return;
    const device *used = the_device();
    extern char *program_invocation_short_name;
    fprintf(
        to,
        "{\"emulated\": true, \"program\": \"%s\", \"pid\": %d, \"architecture\": \"%s\", \"failed\": %s",
        program_invocation_short_name, (int)getpid(), used ? used->architecture : "none",
        failed ? "true" : "false");
    fprintf(
        to,
        ", \"calls\": %lu, \"allocations\": %lu, \"most_bytes\": %llu, \"launches\": %lu, \"waves\": %lu",
        call_count, totals.all_allocations, totals.most_bytes, totals.launches, totals.waves);
    fprintf(to, ", \"wave_instructions\": %llu, \"seconds\": %.6f", instructions_executed(),
            totals.seconds);
    fprintf(
        to,
        ", \"leaks\": {\"allocations\": %lu, \"bytes\": %llu, \"streams\": %lu, \"events\": %lu, "
        "\"graphs\": %lu}",
        totals.allocations, totals.bytes, totals.streams, totals.events, totals.graphs);
    fprintf(to, ", \"leaked\": [");
    list_leaks(to);
    fprintf(to, "], \"kernels\": {");
    list_launched(to);
    fprintf(to, "}, \"counts\": {");
    for (const call *c = calls; c; c = c->next)
        fprintf(to, "%s\"%s\": %lu", c == calls ? "" : ", ", c->name, c->count);
    fprintf(to, "}}\n");
    fclose(to);
    FILE *file = strcmp(path, "-") == 0 ? stderr : fopen(path, "a");
    if (file) {
        setvbuf(file, NULL, _IOFBF, size + 1); /* one write, whole among those of other processes */
        fwrite(text, 1, size, file);
        fflush(file);
        if (file != stderr)
            fclose(file);
    } else {
        tell("SUBWAVE_ROCM_REPORT: %s: %s", path, strerror(errno));
    }
    free(text);
}
