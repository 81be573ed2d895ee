/* SPDX-License-Identifier: MIT
 * device.c: the one device, and what it says of itself: what the GPUs that the executor knows
 * would.
 */
#include "runner.h"

#include <stdlib.h>
#include <string.h>

#define MIB ((size_t)1 << 20)

/* RDNA counts work-group processors, as HIP does there. */
static const device devices[] = {
    {"gfx906", ":sramecc+:xnack-", "AMD Instinct MI50", 9, 0, 64, 60, 1725, 1000, 4096, 2560, 256,
     4, 4 << 20, 16368 * MIB},
    {"gfx908", ":sramecc+:xnack-", "AMD Instinct MI100", 9, 0, 64, 120, 1502, 1200, 4096, 2560, 256,
     4, 8 << 20, 32752 * MIB},
    {"gfx90a", ":sramecc+:xnack-", "AMD Instinct MI210", 9, 0, 64, 104, 1700, 1600, 4096, 2048, 512,
     8, 8 << 20, 65520 * MIB},
    {"gfx942", ":sramecc+:xnack-", "AMD Instinct MI300X", 9, 4, 64, 304, 2100, 1300, 8192, 2048,
     512, 8, 4 << 20, 196592 * MIB},
    {"gfx1030", "", "AMD Radeon RX 6900 XT", 10, 3, 32, 40, 2250, 1000, 256, 2048, 1024, 16,
     4 << 20, 16368 * MIB},
    {"gfx1100", "", "AMD Radeon RX 7900 XTX", 11, 0, 32, 48, 2482, 1249, 384, 2048, 1536, 24,
     6 << 20, 24560 * MIB},
    {"gfx1201", "", "AMD Radeon RX 9070 XT", 12, 0, 32, 32, 2970, 1258, 256, 2048, 1536, 24,
     8 << 20, 16304 * MIB},
};

enum { LDS_BYTES = 65536, MOST_THREADS = 1024 };

const device *device_named(const char *architecture, size_t length)
{
    for (size_t i = 0; i < sizeof devices / sizeof *devices; ++i)
        if (strlen(devices[i].architecture) == length &&
            strncmp(devices[i].architecture, architecture, length) == 0)
            return &devices[i];
    return NULL;
}

const device *the_device(void)
{
    static const device *chosen;
    static bool is_chosen;
    if (is_chosen)
        return chosen;
    is_chosen = true;
    const char *visible = getenv("HIP_VISIBLE_DEVICES"), *name = getenv("SUBWAVE_ROCM_RUNNER");
    if (visible && strtol(visible, NULL, 0) != 0)
        return NULL; /* device 0 is not in the list */
    if (!name || !*name)
        return chosen = first_device_with_code();
    chosen = device_named(name, strlen(name));
    if (!chosen)
        tell("SUBWAVE_ROCM_RUNNER is \"%s\", which the runner does not know: no device", name);
    return chosen;
}

int compute_units(const device *d)
{
    const char *text = getenv("SUBWAVE_ROCM_UNITS");
    if (!text || !*text)
        return d->units;
    char *end;
    const long units = strtol(text, &end, 10);
    if (!*end && units > 0 && units <= 1024)
        return (int)units;
    tell("SUBWAVE_ROCM_UNITS is \"%s\"; it takes a number from 1 to 1024", text);
    return d->units;
}

static void describe(hipDeviceProp_t *p)
{
    const device *d = the_device();
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s, emulated", d->name);
    snprintf(p->gcnArchName, sizeof p->gcnArchName, "%s%s", d->architecture, d->features);
    p->totalGlobalMem = d->memory_bytes;
    p->sharedMemPerBlock = p->maxSharedMemoryPerMultiProcessor = LDS_BYTES;
    p->regsPerBlock = 65536;
    p->warpSize = d->wave;
    p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = p->maxThreadsDim[2] =
        MOST_THREADS;
    p->maxGridSize[0] = 2147483647;
    p->maxGridSize[1] = p->maxGridSize[2] = d->major >= 12 ? 65536 : 2147483647;
    p->clockRate = 1000 * d->clock_mhz;
    p->memoryClockRate = 1000 * d->memory_clock_mhz;
    p->memoryBusWidth = d->bus_bits;
    p->totalConstMem = 2147483647;
    p->major = d->major;
    p->minor = d->minor;
    p->multiProcessorCount = compute_units(d);
    p->l2CacheSize = d->l2_bytes;
    p->maxThreadsPerMultiProcessor = d->threads_of_unit;
    p->clockInstructionRate = 100000;
    p->concurrentKernels = p->canMapHostMemory = p->cooperativeLaunch = 1;
    p->memPitch = 2147483647;
    p->textureAlignment = p->texturePitchAlignment = 256;
    p->ECCEnabled = d->wave == 64;
    p->managedMemory = 1;
    p->arch = (hipDeviceArch_t){.hasGlobalInt32Atomics = 1,
                                .hasGlobalFloatAtomicExch = 1,
                                .hasSharedInt32Atomics = 1,
                                .hasSharedFloatAtomicExch = 1,
                                .hasFloatAtomicAdd = 1,
                                .hasGlobalInt64Atomics = 1,
                                .hasSharedInt64Atomics = 1,
                                .hasDoubles = 1,
                                .hasWarpVote = 1,
                                .hasWarpBallot = 1,
                                .hasWarpShuffle = 1,
                                .hasThreadFenceSystem = 1,
                                .has3dGrid = 1};
}

hipError_t hipGetDeviceCount(int *count)
{
    BEGIN_ALWAYS(hipGetDeviceCount);
    if (!count)
        END(hipErrorInvalidValue);
    *count = the_device() != NULL;
    END(*count ? hipSuccess : hipErrorNoDevice);
}

/* With HIP 6 and later the header gives this another name, for the longer structure. */
hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int index)
{
    BEGIN(hipGetDeviceProperties);
    if (!properties)
        END(hipErrorInvalidValue);
    if (index != 0)
        END(hipErrorInvalidDevice);
    describe(properties);
    END(hipSuccess);
}

hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t which, int index)
{
    BEGIN(hipDeviceGetAttribute);
    if (!value)
        END(hipErrorInvalidValue);
    if (index != 0)
        END(hipErrorInvalidDevice);
    hipDeviceProp_t p;
    describe(&p);
    switch ((int)which) {
    case hipDeviceAttributeL2CacheSize:
        *value = p.l2CacheSize;
        break;
    case hipDeviceAttributeClockRate:
        *value = p.clockRate;
        break;
    case hipDeviceAttributeMemoryClockRate:
        *value = p.memoryClockRate;
        break;
    case hipDeviceAttributeMemoryBusWidth:
        *value = p.memoryBusWidth;
        break;
    case hipDeviceAttributeMultiprocessorCount:
        *value = p.multiProcessorCount;
        break;
    case hipDeviceAttributeWarpSize:
        *value = p.warpSize;
        break;
    case hipDeviceAttributeMaxThreadsPerBlock:
        *value = p.maxThreadsPerBlock;
        break;
    case hipDeviceAttributeMaxThreadsPerMultiProcessor:
        *value = p.maxThreadsPerMultiProcessor;
        break;
    case hipDeviceAttributeMaxSharedMemoryPerBlock:
        *value = (int)p.sharedMemPerBlock;
        break;
    case hipDeviceAttributeMaxRegistersPerBlock:
        *value = p.regsPerBlock;
        break;
    case hipDeviceAttributeMaxBlockDimX:
        *value = p.maxThreadsDim[0];
        break;
    case hipDeviceAttributeMaxBlockDimY:
        *value = p.maxThreadsDim[1];
        break;
    case hipDeviceAttributeMaxBlockDimZ:
        *value = p.maxThreadsDim[2];
        break;
    case hipDeviceAttributeMaxGridDimX:
        *value = p.maxGridSize[0];
        break;
    case hipDeviceAttributeMaxGridDimY:
        *value = p.maxGridSize[1];
        break;
    case hipDeviceAttributeMaxGridDimZ:
        *value = p.maxGridSize[2];
        break;
    case hipDeviceAttributeComputeCapabilityMajor:
        *value = p.major;
        break;
    case hipDeviceAttributeComputeCapabilityMinor:
        *value = p.minor;
        break;
    case hipDeviceAttributeMemoryPoolsSupported: /* hipMallocAsync and hipFreeAsync alone */
        *value = 1;
        break;
    case hipDeviceAttributeManagedMemory:
        *value = p.managedMemory;
        break;
    default:
        tell("hipDeviceGetAttribute: attribute %d is not in the runner", (int)which);
        END(hipErrorInvalidValue);
    }
    END(hipSuccess);
}

hipError_t hipSetDevice(int index)
{
    BEGIN(hipSetDevice);
    END(index == 0 ? hipSuccess : hipErrorInvalidDevice);
}

hipError_t hipGetDevice(int *index)
{
    BEGIN(hipGetDevice);
    if (!index)
        END(hipErrorInvalidValue);
    *index = 0;
    END(hipSuccess);
}

hipError_t hipInit(unsigned flags)
{
    BEGIN(hipInit);
    END(flags ? hipErrorInvalidValue : hipSuccess);
}

static hipError_t version(int *value)
{
    if (!value)
        return hipErrorInvalidValue;
    *value = HIP_VERSION;
    return hipSuccess;
}

hipError_t hipRuntimeGetVersion(int *value)
{
    BEGIN_ALWAYS(hipRuntimeGetVersion);
    END(version(value));
}

hipError_t hipDriverGetVersion(int *value)
{
    BEGIN_ALWAYS(hipDriverGetVersion);
    END(version(value));
}
