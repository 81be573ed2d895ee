/* SPDX-License-Identifier: MIT
 * test_runner.c: the ROCm runner, as a program sees it. What ends a process or is set by its
 * environment happens in a child: this program again, with the name of a case.
 */
#define _GNU_SOURCE
#include "kernels.h"

#include <hip/hip_runtime_api.h>

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { COUNT = 1000 };

#define OK(call) assert_int_equal((call), hipSuccess)
#define GIVES(error, call) assert_int_equal((call), (error))

static int *device_ints(int count)
{
    void *at;
    OK(hipMalloc(&at, (size_t)count * sizeof(int)));
    return at;
}

static void expect_ints(const int *device, int first, int count)
{
    int *host = malloc((size_t)count * sizeof *host);
    OK(hipMemcpy(host, device, (size_t)count * sizeof *host, hipMemcpyDeviceToHost));
    for (int i = 0; i < count; ++i)
        assert_int_equal(host[i], first + i);
    free(host);
}

/* --- children -------------------------------------------------------------------------------- */

static struct {
    int status;
    char output[16384];
} child;

/* Runs this program with the name of a case; "NAME=value" may be added to its environment. */
static void run_child(const char *name, const char *setting)
{
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        if (setting)
            putenv(strdup(setting));
        execl("/proc/self/exe", "test_runner", name, (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    size_t n = 0;
    ssize_t part;
    while ((part = read(pipes[0], child.output + n, sizeof child.output - 1 - n)) > 0)
        n += (size_t)part;
    child.output[n] = 0;
    close(pipes[0]);
    assert_int_equal(waitpid(pid, &child.status, 0), pid);
}

static void expect_output(const char *part)
{
    if (!strstr(child.output, part))
        print_error("\"%s\" is not in the child's output:\n%s\n", part, child.output);
    assert_non_null(strstr(child.output, part));
}

static void expect_signal(int number)
{
    if (!WIFSIGNALED(child.status))
        print_error("the child ended with %#x:\n%s\n", child.status, child.output);
    assert_true(WIFSIGNALED(child.status));
    assert_int_equal(WTERMSIG(child.status), number);
}

static void expect_exit(int code)
{
    if (!WIFEXITED(child.status) || WEXITSTATUS(child.status) != code)
        print_error("the child ended with %#x:\n%s\n", child.status, child.output);
    assert_true(WIFEXITED(child.status));
    assert_int_equal(WEXITSTATUS(child.status), code);
}

static int *child_ints(int count)
{
    void *at;
    return hipMalloc(&at, (size_t)count * sizeof(int)) == hipSuccess ? at : NULL;
}

static int in_child(const char *name)
{
    int host = 0, *a = child_ints(COUNT), *b = child_ints(COUNT);
    if (strcmp(name, "store") == 0) /* on the page behind */
        return launch_behind(a, COUNT, 64, NULL) + hipDeviceSynchronize();
    if (strcmp(name, "load") == 0) {
        return launch_load(a, b, 1 << 20, NULL) + hipDeviceSynchronize();
    } else if (strcmp(name, "freed") == 0) {
        return hipFree(b) + launch_load(a, b, 0, NULL) + hipDeviceSynchronize();
    } else if (strcmp(name, "host") == 0) {
        return *(volatile int *)a;
    } else if (strcmp(name, "padding") ==
               0) { /* in the bytes that make the size a multiple of 256 */
        launch_behind(a, COUNT, 1, NULL);
        hipError_t first = hipDeviceSynchronize(), second = launch_set(a, 0, 1, NULL),
                   third = hipMalloc((void **)&b, 4);
        return first == hipErrorLaunchFailure && second == first && third == first &&
                       hipFree(a) == first
                   ? 3
                   : 1;
    } else if (strcmp(name, "race") == 0) {
        launch_race(a, NULL);
        return hipDeviceSynchronize() == hipErrorLaunchFailure ? 3 : 1;
    } else if (strcmp(name, "endless") == 0) {
        launch_endless(a, NULL);
        return hipDeviceSynchronize() == hipErrorLaunchFailure ? 3 : 1;
    } else if (strcmp(name, "failing") == 0) { /* the calls before these are two hipMalloc */
        const hipError_t third = hipMemcpy(a, &host, 4, hipMemcpyHostToDevice),
                         last = hipGetLastError();
        const hipError_t fourth = hipMemcpy(a, &host, 4, hipMemcpyHostToDevice);
        return third == hipErrorOutOfMemory && last == third && fourth == hipSuccess ? 3 : 1;
    } else if (strcmp(name, "report") == 0) {
        hipStream_t stream;
        if (hipStreamCreate(&stream) != hipSuccess || launch_set(a, 0, COUNT, stream) ||
            hipFree(b) != hipSuccess)
            return 1;
        return hipStreamSynchronize(stream) == hipSuccess ? 3 : 1;
    } else if (strcmp(name, "none") == 0) {
        int devices = 9;
        void *at;
        return hipGetDeviceCount(&devices) == hipErrorNoDevice && devices == 0 &&
                       hipMalloc(&at, 4) == hipErrorNoDevice
                   ? 3
                   : 1;
    }
    return 2;
}

/* --- tests ----------------------------------------------------------------------------------- */

static void test_device(void **state)
{
    (void)state;
    const char *architecture = getenv("SUBWAVE_ROCM_RUNNER");
    int count, value;
    hipDeviceProp_t p;
    OK(hipGetDeviceCount(&count));
    assert_int_equal(count, 1);
    OK(hipGetDeviceProperties(&p, 0));
    assert_non_null(strstr(p.name, "emulated"));
    assert_non_null(architecture);
    assert_memory_equal(p.gcnArchName, architecture, strlen(architecture));
    assert_int_equal(p.warpSize, strncmp(architecture, "gfx9", 4) == 0 ? 64 : 32);
    assert_int_equal(p.sharedMemPerBlock, 65536);
    OK(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0));
    assert_int_equal(value, p.multiProcessorCount);
    GIVES(hipErrorInvalidDevice, hipSetDevice(1));
    GIVES(hipErrorInvalidDevice, hipGetDeviceProperties(&p, 1));
    run_child("none", "HIP_VISIBLE_DEVICES=-1");
    expect_exit(3);
    run_child("none", "SUBWAVE_ROCM_RUNNER=gfx000");
    expect_exit(3);
    expect_output("gfx000");
}

static void test_errors(void **state)
{
    (void)state;
    GIVES(hipErrorInvalidValue, hipMalloc(NULL, 4));
    GIVES(hipErrorInvalidValue, hipPeekAtLastError());
    GIVES(hipErrorInvalidValue, hipGetLastError());
    OK(hipGetLastError());
    assert_string_equal(hipGetErrorName(hipErrorOutOfMemory), "hipErrorOutOfMemory");
    assert_string_equal(hipGetErrorString(hipErrorOutOfMemory), "out of memory");
    int value;
    GIVES(hipErrorNotSupported, hipDeviceGetByPCIBusId(&value, "0"));
    GIVES(hipErrorNotSupported, hipGetLastError());
}

static void test_memory(void **state)
{
    (void)state;
    void *at = &at, *more[100];
    size_t before, after, total;
    OK(hipMemGetInfo(&before, &total));
    OK(hipMalloc(&at, 0));
    assert_null(at);
    OK(hipFree(NULL));
    for (size_t i = 0; i < 100; ++i) {
        OK(hipMalloc(&more[i], 1 + 37 * i));
        assert_int_equal((uintptr_t)more[i] % 256, 0);
    }
    OK(hipMemGetInfo(&after, &total));
    assert_int_equal(before - after, 100 + 37 * 4950);
    for (size_t i = 0; i < 100; ++i)
        OK(hipFree(more[i]));
    GIVES(hipErrorInvalidValue, hipFree(more[0]));
    GIVES(hipErrorInvalidValue, hipFree(&at));
    GIVES(hipErrorOutOfMemory, hipMalloc(&at, total + 1));
    assert_null(at);
    OK(hipMalloc(&at, (size_t)8 << 30)); /* costs nothing until it is touched */
    GIVES(hipErrorInvalidValue, hipFree((char *)at + 256));
    OK(hipFree(at));

    double fresh[3];
    float *floats = (float *)fresh;
    OK(hipMalloc(&at, sizeof fresh));
    OK(hipMemcpy(fresh, at, sizeof fresh, hipMemcpyDeviceToHost));
    for (int i = 0; i < 3; ++i)
        assert_true(isnan(fresh[i]) && isnan(floats[2 * i]) && isnan(floats[2 * i + 1]));
    hipPointerAttribute_t about;
    OK(hipPointerGetAttributes(&about, (char *)at + 8));
    assert_ptr_equal(about.devicePointer, (char *)at + 8);
    assert_null(about.hostPointer);
    GIVES(hipErrorInvalidValue, hipPointerGetAttributes(&about, fresh));
    GIVES(hipErrorInvalidValue, hipHostFree(at));
    OK(hipFree(at));

    OK(hipHostMalloc(&at, 64, hipHostMallocDefault));
    memset(at, 7, 64);
    OK(hipPointerGetAttributes(&about, at));
    assert_ptr_equal(about.hostPointer, at);
    GIVES(hipErrorInvalidValue, hipFree(at));
    OK(hipHostFree(at));
}

static void test_copies(void **state)
{
    (void)state;
    int from[COUNT], to[COUNT];
    for (int i = 0; i < COUNT; ++i)
        from[i] = i;
    int *a = device_ints(COUNT), *b = device_ints(COUNT);
    OK(hipMemcpy(a, from, sizeof from, hipMemcpyHostToDevice));
    OK(hipMemcpy(b, a, sizeof from, hipMemcpyDeviceToDevice));
    OK(hipMemcpyAsync(to, b, sizeof to, hipMemcpyDefault, NULL));
    assert_memory_equal(from, to, sizeof from);
    OK(hipMemcpy(to + 1, from, 4, hipMemcpyHostToHost));
    assert_int_equal(to[1], 0);
    GIVES(hipErrorInvalidValue, hipMemcpy(a, from, sizeof from, hipMemcpyDeviceToDevice));
    GIVES(hipErrorInvalidValue, hipMemcpy(a, from, sizeof from, hipMemcpyDeviceToHost));
    GIVES(hipErrorInvalidValue, hipMemcpy(to, from, sizeof from, hipMemcpyDeviceToHost));
    GIVES(hipErrorInvalidValue, hipMemcpy(to, from, sizeof from, hipMemcpyHostToDevice));
    GIVES(hipErrorInvalidMemcpyDirection, hipMemcpy(to, from, sizeof from, (hipMemcpyKind)77));
    GIVES(hipErrorInvalidValue, hipMemcpy(a + 1, from, sizeof from, hipMemcpyHostToDevice));
    GIVES(hipErrorInvalidValue, hipMemcpy(to, b + COUNT - 1, 8, hipMemcpyDefault));
    GIVES(hipErrorInvalidValue, hipMemcpy(NULL, from, 4, hipMemcpyDefault));
    OK(hipMemset(a, 0xff, 8));
    OK(hipMemsetD32((hipDeviceptr_t)(a + 3), 77, 2));
    OK(hipMemcpy(to, a, 24, hipMemcpyDefault));
    assert_memory_equal(to, ((int[]){-1, -1, 2, 77, 77, 5}), 24);
    GIVES(hipErrorInvalidValue, hipMemset(to, 0, 4));
    GIVES(hipErrorInvalidValue, hipMemset(a, 0, sizeof from + 1));
    OK(hipFree(a));
    OK(hipFree(b));
}

static void test_guards(void **state)
{
    (void)state;
    run_child("store", NULL);
    expect_signal(SIGABRT);
    expect_output("store_behind"); /* the kernel */
    expect_output("behind allocation 1 of 4000 bytes");
    expect_output("instruction at 0x");
    run_child("load", NULL);
    expect_signal(SIGABRT);
    run_child("freed", NULL);
    expect_signal(SIGABRT);
    expect_output("lies in memory that was freed");
    run_child("host", NULL);
    expect_signal(SIGSEGV);
    expect_output("was touched by the host");
    run_child("padding", NULL);
    expect_exit(3);
    expect_output("store_behind");
    expect_output("4 behind allocation 1 of 4000 bytes were written");
}

static void test_findings(void **state)
{
    (void)state;
    run_child("race", NULL);
    expect_exit(3);
    expect_output("with no barrier between");
    run_child("race", "AMDRUN_CHECK=0");
    expect_exit(1);
    run_child("endless", "AMDRUN_LIMIT=100000");
    expect_exit(3);
    expect_output("does not end");
}

static void test_launches(void **state)
{
    (void)state;
    int *a = device_ints(COUNT), value;
    long long *clock;
    const hipError_t too_large =
        HIP_VERSION_MAJOR < 6 ? hipErrorInvalidConfiguration : hipErrorInvalidValue;
    OK(launch_set(a, 5, COUNT, NULL));
    expect_ints(a, 5, COUNT);
    OK(hipMemset(a, 0, 4));
    OK(launch_grid(3, 4, 5, 1024, 0, a, NULL));
    OK(hipMemcpy(&value, a, 4, hipMemcpyDefault));
    assert_int_equal(value, 60);
    GIVES(too_large, launch_grid(1, 1, 1, 1025, 0, a, NULL));
    GIVES(hipErrorInvalidConfiguration, launch_grid(1, 1, 1, 0, 0, a, NULL));
    GIVES(hipErrorInvalidValue, launch_grid(0, 1, 1, 64, 0, a, NULL));
    /* 2^32 work-items */
    GIVES(hipErrorInvalidConfiguration, launch_grid(1u << 26, 1, 1, 64, 0, a, NULL));
    GIVES(hipErrorInvalidValue, launch_grid(1, 1, 1, 64, 65537, a, NULL));
    OK(launch_bounded(64, a, NULL));
    expect_ints(a, 0, 64);
    GIVES(hipErrorLaunchFailure, launch_bounded(65, a, NULL));
    OK(launch_lds(32768, a, NULL));
    OK(hipMemcpy(&value, a + 3, 4, hipMemcpyDefault));
    assert_int_equal(value, 62);
    GIVES(hipErrorInvalidValue, launch_lds(32772, a, NULL));
    OK(hipMalloc((void **)&clock, 8));
    GIVES(hipErrorNotSupported, launch_clock(clock, NULL));
    GIVES(hipErrorInvalidDeviceFunction,
          hipLaunchKernel(&value, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
    struct hipFuncAttributes about;
    OK(hipFuncGetAttributes(&about, function_of_set()));
    assert_int_equal(about.maxThreadsPerBlock, 1024);
    assert_true(about.numRegs > 0 && about.sharedSizeBytes == 0);
    hipDeviceProp_t device;
    OK(hipGetDeviceProperties(&device, 0));
    int blocks;
    OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_of_set(), 256, 0));
    assert_int_equal(blocks, device.maxThreadsPerMultiProcessor / 256);
    OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_of_set(), 250, 20000));
    assert_int_equal(blocks, 3);
    GIVES(hipErrorInvalidValue,
          hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_of_set(), 0, 0));
    GIVES(hipErrorInvalidDeviceFunction,
          hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &value, 64, 0));
    int size;
    OK(hipOccupancyMaxPotentialBlockSize(&blocks, &size, function_of_set(), 0, 512));
    assert_int_equal(size, 512);
    assert_int_equal(blocks, device.maxThreadsPerMultiProcessor / 512 * device.multiProcessorCount);
    OK(hipDeviceSynchronize()); /* none of this has broken the device */
    OK(hipFree(clock));
    OK(hipFree(a));
}

static void test_variables(void **state)
{
    (void)state;
    const int constants[4] = {1, 2, 3, 4};
    int *a = device_ints(1), value;
    OK(write_constant(constants));
    OK(launch_variable(a, NULL));
    expect_ints(a, 44, 1);
    OK(read_variable(&value));
    assert_int_equal(value, 41);
    OK(write_variable(99));
    OK(launch_variable(a, NULL));
    expect_ints(a, 103, 1);
    OK(hipFree(a));
}

static void test_streams(void **state)
{
    (void)state;
    hipStream_t one, other;
    hipEvent_t event;
    OK(hipStreamCreateWithFlags(&one, hipStreamNonBlocking));
    OK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    OK(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    int *a = device_ints(COUNT), *b = device_ints(COUNT);
    OK(hipMemset(a, 0, COUNT * sizeof(int)));
    OK(hipMemset(b, 0, COUNT * sizeof(int)));

    OK(launch_set(a, 1, COUNT, one)); /* not before something waits for it */
    OK(launch_add(b, a, COUNT, other));
    OK(hipStreamSynchronize(other));
    int value;
    OK(hipMemcpyAsync(&value, b + 7, 4, hipMemcpyDeviceToHost, other));
    assert_int_equal(value, 0);
    OK(hipEventRecord(event, one));
    GIVES(hipErrorNotReady, hipEventQuery(event));
    OK(hipStreamWaitEvent(other, event, 0));
    OK(launch_add(b, a, COUNT, other));
    OK(hipStreamSynchronize(other));
    OK(hipEventQuery(event));
    OK(hipStreamQuery(one));
    expect_ints(b, 1, COUNT);

    OK(launch_set(a, 2, COUNT, one));
    int polls = 0;
    while (hipStreamQuery(one) == hipErrorNotReady)
        ++polls;
    assert_true(polls > 0);
    expect_ints(a, 2, COUNT);
    OK(hipEventDestroy(event));
    OK(hipStreamDestroy(one));
    OK(hipStreamDestroy(other));
    GIVES(hipErrorInvalidHandle, hipStreamSynchronize(one));
    GIVES(hipErrorInvalidHandle, hipStreamDestroy(NULL));

    /* A stream that blocks keeps order with the null stream. */
    OK(hipStreamCreate(&one));
    OK(launch_set(a, 3, COUNT, one));
    OK(launch_set(b, 0, COUNT, NULL));
    OK(launch_add(a, b, COUNT, one));
    OK(hipStreamSynchronize(one));
    OK(hipMemcpy(&value, a + 10, 4, hipMemcpyDefault));
    assert_int_equal(value, 23);
    OK(launch_set(a, 4, COUNT, one));
    expect_ints(a, 4, COUNT); /* by a copy on the null stream */
    OK(hipStreamDestroy(one));
    OK(hipFree(a));
    OK(hipFree(b));
}

static void test_events(void **state)
{
    (void)state;
    hipStream_t stream;
    hipEvent_t begin, end, plain;
    float ms = -1;
    OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    OK(hipEventCreate(&begin));
    OK(hipEventCreate(&end));
    OK(hipEventCreateWithFlags(&plain, hipEventDisableTiming));
    int *a = device_ints(COUNT);
    GIVES(hipErrorInvalidHandle, hipEventElapsedTime(&ms, begin, end));
    OK(hipEventSynchronize(begin)); /* never recorded */
    OK(hipEventRecord(begin, stream));
    for (int i = 0; i < 20; ++i)
        OK(launch_set(a, i, COUNT, stream));
    OK(hipEventRecord(end, stream));
    OK(hipEventRecord(plain, stream));
    GIVES(hipErrorNotReady, hipEventElapsedTime(&ms, begin, end));
    OK(hipEventSynchronize(end));
    OK(hipEventElapsedTime(&ms, begin, end));
    assert_true(ms > 0 && ms < 10000);
    OK(hipEventElapsedTime(&ms, begin, begin));
    assert_true(ms == 0);
    OK(hipEventSynchronize(plain));
    GIVES(hipErrorInvalidHandle, hipEventElapsedTime(&ms, begin, plain));
    expect_ints(a, 19, COUNT);
    OK(hipEventRecord(end, stream)); /* destroyed before it is reached */
    OK(hipEventDestroy(end));
    OK(hipStreamSynchronize(stream));
    OK(hipEventDestroy(begin));
    OK(hipEventDestroy(plain));
    OK(hipStreamDestroy(stream));
    OK(hipFree(a));
}

static void test_graphs(void **state)
{
    (void)state;
    hipStream_t stream, other;
    hipGraph_t graph;
    hipGraphExec_t batch;
    hipEvent_t fork_event, join_event;
    hipStreamCaptureStatus status;
    OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    OK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    OK(hipEventCreate(&fork_event));
    OK(hipEventCreate(&join_event));
    int *a = device_ints(COUNT), *b = device_ints(COUNT), value;
    OK(launch_set(a, 0, COUNT, NULL));
    OK(hipMemset(b, 0, COUNT * sizeof(int)));

    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    OK(hipStreamIsCapturing(stream, &status));
    assert_int_equal(status, hipStreamCaptureStatusActive);
    OK(launch_add(b, a, COUNT, stream));
    OK(hipMemcpyAsync(a, b, COUNT * sizeof(int), hipMemcpyDeviceToDevice, stream));
    OK(hipStreamEndCapture(stream, &graph));
    OK(hipStreamSynchronize(stream));
    OK(hipMemcpy(&value, b + 1, 4, hipMemcpyDefault));
    assert_int_equal(value, 0); /* captured, not carried out */
    OK(hipGraphInstantiateWithFlags(&batch, graph, 0));
    OK(hipGraphDestroy(graph));
    for (int i = 0; i < 3; ++i) /* b is 1, 2, 4 times the start */
        OK(hipGraphLaunch(batch, stream));
    OK(hipGraphExecDestroy(batch));
    OK(hipStreamSynchronize(stream));
    OK(hipMemcpy(&value, b + 10, 4, hipMemcpyDefault));
    assert_int_equal(value, 40);

    /* What waits for the capture's end cannot be waited for. */
    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    GIVES(hipErrorIllegalState, hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    GIVES(hipErrorStreamCaptureUnsupported, hipStreamSynchronize(stream));
    GIVES(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(stream, &graph));
    assert_null(graph);
    GIVES(hipErrorIllegalState, hipStreamEndCapture(stream, &graph));
    GIVES(hipErrorStreamCaptureUnsupported,
          hipStreamBeginCapture(NULL, hipStreamCaptureModeRelaxed));

    /* Another stream takes part, and must come back. */
    for (int joined = 0; joined < 2; ++joined) {
        OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
        OK(hipEventRecord(fork_event, stream));
        OK(hipStreamWaitEvent(other, fork_event, 0));
        OK(launch_set(a, 100, COUNT, other));
        OK(hipEventRecord(join_event, other));
        GIVES(hipErrorCapturedEvent, hipEventSynchronize(join_event));
        if (joined)
            OK(hipStreamWaitEvent(stream, join_event, 0));
        GIVES(hipErrorStreamCaptureUnmatched, hipStreamEndCapture(other, &graph));
        GIVES(joined ? hipSuccess : hipErrorStreamCaptureUnjoined,
              hipStreamEndCapture(stream, &graph));
    }
    OK(hipGraphInstantiate(&batch, graph, NULL, NULL, 0));
    OK(hipGraphLaunch(batch, NULL));
    expect_ints(a, 100, COUNT);
    OK(hipGraphExecDestroy(batch));
    OK(hipGraphDestroy(graph));
    OK(hipEventDestroy(fork_event));
    OK(hipEventDestroy(join_event));
    OK(hipStreamDestroy(stream));
    OK(hipStreamDestroy(other));
    OK(hipFree(a));
    OK(hipFree(b));
}

void **__hipRegisterFatBinary(const void *data);
void __hipUnregisterFatBinary(void **binary);
void __hipRegisterFunction(void **in, const void *host, char *function, const char *name,
                           unsigned most_threads, void *thread, void *block, void *block_size,
                           void *grid_size, int *wave);

/* A bundle that holds code for another GPU alone, in the form that the compiler gives it. */
static void test_other_architecture(void **state)
{
    (void)state;
    static const char target[] = "hipv4-amdgcn-amd-amdhsa--gfx900", function;
    static struct __attribute__((packed)) {
        char magic[24];
        uint64_t count, offset, bytes, length;
        char target[sizeof target - 1], code[16];
    } bundle = {.count = 1, .bytes = 16, .length = sizeof target - 1};
    static struct {
        unsigned magic, version;
        const void *bundle, *unused;
    } wrapper = {0x48495046, 1, &bundle, NULL};
    memcpy(bundle.magic, "__CLANG_OFFLOAD_BUNDLE__", 24);
    memcpy(bundle.target, target, sizeof bundle.target);
    bundle.offset = (uint64_t)(bundle.code - (char *)&bundle);
    void **registered = __hipRegisterFatBinary(&wrapper);
    assert_non_null(registered);
    __hipRegisterFunction(registered, &function, "f", "f", ~0u, NULL, NULL, NULL, NULL, NULL);
    GIVES(hipErrorNoBinaryForGpu,
          hipLaunchKernel(&function, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
    __hipUnregisterFatBinary(registered);
    GIVES(hipErrorInvalidDeviceFunction,
          hipLaunchKernel(&function, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
}

static void *use_a_stream(void *argument)
{
    const int first = (int)(intptr_t)argument;
    int host[100], *a = NULL, *b = NULL;
    hipStream_t stream = NULL;
    intptr_t wrong = hipStreamCreateWithFlags(&stream, hipStreamNonBlocking) != hipSuccess;
    for (int i = 0; i < 20; ++i) {
        wrong += hipMalloc((void **)&a, sizeof host) != hipSuccess ||
                 hipMalloc((void **)&b, sizeof host) != hipSuccess;
        wrong += launch_set(a, first + i, 100, stream) != hipSuccess ||
                 launch_set(b, 0, 100, stream) != hipSuccess;
        wrong += launch_add(a, b, 100, stream) != hipSuccess;
        wrong += hipMemcpyAsync(host, a, sizeof host, hipMemcpyDeviceToHost, stream) != hipSuccess;
        wrong += hipStreamSynchronize(stream) != hipSuccess;
        for (int k = 0; k < 100; ++k)
            wrong += host[k] != first + i + 2 * k;
        wrong += hipMalloc((void **)&a, 0) != hipSuccess || hipFree(b) != hipSuccess;
    }
    return (void *)(wrong + (hipStreamDestroy(stream) != hipSuccess));
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (intptr_t i = 0; i < 4; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, use_a_stream, (void *)(1000 * i)), 0);
    for (int i = 0; i < 4; ++i) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_int_equal((intptr_t)wrong, 0);
    }
}

static void test_failures_on_demand(void **state)
{
    (void)state;
    run_child("failing", "SUBWAVE_ROCM_FAIL_CALL=3::hipErrorOutOfMemory");
    expect_exit(3);
    run_child("failing", "SUBWAVE_ROCM_FAIL_CALL=1:hipMemcpy:hipErrorOutOfMemory");
    expect_exit(3);
    expect_output("call 3, hipMemcpy, fails with hipErrorOutOfMemory");
    run_child("failing", "SUBWAVE_ROCM_FAIL_CALL=2:hipMemcpy:hipErrorOutOfMemory");
    expect_exit(1);
    run_child("failing", "SUBWAVE_ROCM_FAIL_CALL=many");
    expect_exit(1);
    expect_output("it takes");
}

static void test_report(void **state)
{
    (void)state;
    run_child("report", "SUBWAVE_ROCM_REPORT=-");
    expect_exit(3);
    expect_output("{\"emulated\": true, \"program\": \"test_runner\"");
    expect_output("\"allocations\": 2, \"most_bytes\": 8000, \"launches\": 1, \"waves\": ");
    expect_output(
        "\"leaks\": {\"allocations\": 1, \"bytes\": 4000, \"streams\": 1, \"events\": 0, \"graphs\": 0}");
    expect_output("\"leaked\": [{\"allocation\": 1, \"bytes\": 4000}]");
    expect_output("3setEPiii\": 1}"); /* the kernel's mangled name; the others were not launched */
    expect_output("\"hipMalloc\": 2");
    assert_null(strstr(child.output, "\"wave_instructions\": 0,"));
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return in_child(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device),   cmocka_unit_test(test_errors),
        cmocka_unit_test(test_memory),   cmocka_unit_test(test_copies),
        cmocka_unit_test(test_guards),   cmocka_unit_test(test_findings),
        cmocka_unit_test(test_launches), cmocka_unit_test(test_variables),
        cmocka_unit_test(test_streams),  cmocka_unit_test(test_events),
        cmocka_unit_test(test_graphs),   cmocka_unit_test(test_other_architecture),
        cmocka_unit_test(test_threads),  cmocka_unit_test(test_failures_on_demand),
        cmocka_unit_test(test_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
