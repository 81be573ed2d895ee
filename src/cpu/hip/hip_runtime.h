/* SPDX-License-Identifier: MIT
 * hip_runtime.h: plays HIP's header of that name on the CPU device. */
#ifndef SUBWAVE_CPU_HIP_RUNTIME_H
#define SUBWAVE_CPU_HIP_RUNTIME_H

#include "../simt.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

/* ---- language ---- */

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
/* A block runs on one OS thread. SUBWAVE_SHARED is better: it is poisoned, and has red zones. */
#define __shared__ static thread_local
#define HIP_DYNAMIC_SHARED(type, name) SUBWAVE_DYNAMIC_SHARED(type, name);
#define HIP_KERNEL_NAME(...) __VA_ARGS__

#define threadIdx (::subwave::simt::thread_index())
#define blockIdx (::subwave::simt::block_index())
#define blockDim (::subwave::simt::block_size())
#define gridDim (::subwave::simt::grid_size())

/* Not a constant in HIP either, since ROCm 7. */
struct subwave_cpu_warp_size {
    operator int() const { return ::subwave::simt::wave_size(); }
};
inline constexpr subwave_cpu_warp_size warpSize{};

/* ---- barriers and fences ---- */

inline void __syncthreads(::subwave::simt::site where = ::subwave::simt::site::current())
{
    ::subwave::simt::fast::block_barrier(where);
}
inline void __threadfence() { ::subwave::simt::fast::fence(); }
inline void __threadfence_block() { ::subwave::simt::fast::fence(); }
inline void __threadfence_system() { ::subwave::simt::fast::fence(); }
/* Lets other lanes run, so that a loop which waits for them comes to its end. */
inline void __nanosleep(unsigned) { ::subwave::simt::outlined::yield(); }
inline void __builtin_amdgcn_s_sleep(int) { ::subwave::simt::outlined::yield(); }

/* ---- the wave ---- */

inline unsigned long long
__activemask(::subwave::simt::site where = ::subwave::simt::site::current())
{
    return ::subwave::simt::outlined::implicit(::subwave::simt::operation::active, where);
}

inline void __syncwarp(unsigned long long mask,
                       ::subwave::simt::site where = ::subwave::simt::site::current())
{
    ::subwave::simt::fast::barrier(mask, where);
}
inline void __syncwarp(::subwave::simt::site where = ::subwave::simt::site::current())
{
    ::subwave::simt::fast::barrier(::subwave::simt::existing_lanes(), where);
}

inline unsigned long long
__ballot_sync(unsigned long long mask, int p,
              ::subwave::simt::site where = ::subwave::simt::site::current())
{
    return ::subwave::simt::fast::ballot(mask, p != 0, where);
}
inline int __any_sync(unsigned long long mask, int p,
                      ::subwave::simt::site where = ::subwave::simt::site::current())
{
    return __ballot_sync(mask, p, where) != 0;
}
inline int __all_sync(unsigned long long mask, int p,
                      ::subwave::simt::site where = ::subwave::simt::site::current())
{
    return __ballot_sync(mask, p, where) == mask;
}

/* Without a mask: the lanes that execute the call together. */
namespace subwave::simt {
inline lane_mask together(site where) { return outlined::implicit(operation::unmasked, where); }
} // namespace subwave::simt
inline unsigned long long __ballot(int p,
                                   ::subwave::simt::site where = ::subwave::simt::site::current())
{
    return __ballot_sync(::subwave::simt::together(where), p, where);
}
inline int __any(int p, ::subwave::simt::site where = ::subwave::simt::site::current())
{
    return __any_sync(::subwave::simt::together(where), p, where);
}
inline int __all(int p, ::subwave::simt::site where = ::subwave::simt::site::current())
{
    return __all_sync(::subwave::simt::together(where), p, where);
}

namespace subwave::simt {
/* A source outside the mask gives all bits set: programs may receive it, and not use it. */
template <class T> T shfl(lane_mask mask, T value, int source, site where)
{
    return exchange(operation::shuffle, mask, value, source, true, where);
}
/* The source lane within segments of `width`; the own lane past the segment's end. */
inline int shfl_source(int lane, int width)
{
    return (lane_index() & -width) | (lane & (width - 1));
}
inline int shfl_up_source(unsigned delta, int width)
{
    const int self = lane_index(), source = self - static_cast<int>(delta);
    return source < (self & -width) ? self : source;
}
inline int shfl_down_source(unsigned delta, int width)
{
    const int self = lane_index();
    return (self & (width - 1)) + static_cast<int>(delta) >= width ? self
                                                                   : self + static_cast<int>(delta);
}
inline int shfl_xor_source(int bits, int width)
{
    const int self = lane_index(), source = self ^ bits;
    return source >= (self & -width) + width ? self : source;
}
} // namespace subwave::simt

template <class T>
T __shfl_sync(unsigned long long mask, T value, int lane, int width = warpSize,
              ::subwave::simt::site where = ::subwave::simt::site::current())
{
    return ::subwave::simt::shfl(mask, value, ::subwave::simt::shfl_source(lane, width), where);
}
template <class T>
T __shfl_up_sync(unsigned long long mask, T value, unsigned delta, int width = warpSize,
                 ::subwave::simt::site where = ::subwave::simt::site::current())
{
    return ::subwave::simt::shfl(mask, value, ::subwave::simt::shfl_up_source(delta, width), where);
}
template <class T>
T __shfl_down_sync(unsigned long long mask, T value, unsigned delta, int width = warpSize,
                   ::subwave::simt::site where = ::subwave::simt::site::current())
{
    return ::subwave::simt::shfl(mask, value, ::subwave::simt::shfl_down_source(delta, width),
                                 where);
}
template <class T>
T __shfl_xor_sync(unsigned long long mask, T value, int bits, int width = warpSize,
                  ::subwave::simt::site where = ::subwave::simt::site::current())
{
    return ::subwave::simt::shfl(mask, value, ::subwave::simt::shfl_xor_source(bits, width), where);
}
template <class T>
T __shfl(T value, int lane, int width = warpSize,
         ::subwave::simt::site where = ::subwave::simt::site::current())
{
    return __shfl_sync(::subwave::simt::together(where), value, lane, width, where);
}
template <class T>
T __shfl_up(T value, unsigned delta, int width = warpSize,
            ::subwave::simt::site where = ::subwave::simt::site::current())
{
    return __shfl_up_sync(::subwave::simt::together(where), value, delta, width, where);
}
template <class T>
T __shfl_down(T value, unsigned delta, int width = warpSize,
              ::subwave::simt::site where = ::subwave::simt::site::current())
{
    return __shfl_down_sync(::subwave::simt::together(where), value, delta, width, where);
}
template <class T>
T __shfl_xor(T value, int bits, int width = warpSize,
             ::subwave::simt::site where = ::subwave::simt::site::current())
{
    return __shfl_xor_sync(::subwave::simt::together(where), value, bits, width, where);
}

/* ---- bits ---- */

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x)
{
    return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline unsigned long long __brevll(unsigned long long x)
{
    x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
    x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
    return __builtin_bswap64(x);
}
inline unsigned __brev(unsigned x) { return static_cast<unsigned>(__brevll(x) >> 32); }

/* ---- atomics: relaxed, as on the device; all return the old value ---- */

namespace subwave::simt {
template <class T>
using same_size = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/* *address = f(*address). */
template <class T, class F> T atomic_update(T *address, F f)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    using word = same_size<T>;
    word *const at = reinterpret_cast<word *>(address);
    word old = __atomic_load_n(at, __ATOMIC_RELAXED), now;
    T before;
    do {
        std::memcpy(&before, &old, sizeof(T));
        const T after = f(before);
        std::memcpy(&now, &after, sizeof(T));
    } while (!__atomic_compare_exchange_n(at, &old, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    fast::after_atomic(old != now);
    return before;
}
/* So that atomicAdd(&unsigned, 1) means what it says. */
template <class T> using as = std::type_identity_t<T>;
} // namespace subwave::simt

template <class T> T atomicAdd(T *address, ::subwave::simt::as<T> v)
{
    if constexpr (std::is_integral_v<T>) {
        const T old = __atomic_fetch_add(address, v, __ATOMIC_RELAXED);
        ::subwave::simt::fast::after_atomic(v != 0);
        return old;
    } else {
        return ::subwave::simt::atomic_update(address, [v](T old) { return old + v; });
    }
}
template <class T> T atomicSub(T *address, ::subwave::simt::as<T> v)
{
    return ::subwave::simt::atomic_update(address, [v](T old) { return static_cast<T>(old - v); });
}
template <class T> T atomicMin(T *address, ::subwave::simt::as<T> v)
{
    return ::subwave::simt::atomic_update(address, [v](T old) { return v < old ? v : old; });
}
template <class T> T atomicMax(T *address, ::subwave::simt::as<T> v)
{
    return ::subwave::simt::atomic_update(address, [v](T old) { return old < v ? v : old; });
}
template <class T> T atomicAnd(T *address, ::subwave::simt::as<T> v)
{
    return ::subwave::simt::atomic_update(address, [v](T old) { return static_cast<T>(old & v); });
}
template <class T> T atomicOr(T *address, ::subwave::simt::as<T> v)
{
    return ::subwave::simt::atomic_update(address, [v](T old) { return static_cast<T>(old | v); });
}
template <class T> T atomicXor(T *address, ::subwave::simt::as<T> v)
{
    return ::subwave::simt::atomic_update(address, [v](T old) { return static_cast<T>(old ^ v); });
}
template <class T> T atomicExch(T *address, ::subwave::simt::as<T> v)
{
    return ::subwave::simt::atomic_update(address, [v](T) { return v; });
}
template <class T>
T atomicCAS(T *address, ::subwave::simt::as<T> expected, ::subwave::simt::as<T> desired)
{
    using word = ::subwave::simt::same_size<T>;
    word old, now;
    std::memcpy(&old, &expected, sizeof(T));
    std::memcpy(&now, &desired, sizeof(T));
    const bool done = __atomic_compare_exchange_n(reinterpret_cast<word *>(address), &old, now,
                                                  false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    ::subwave::simt::fast::after_atomic(done && old != now);
    T before;
    std::memcpy(&before, &old, sizeof(T));
    return before;
}

/* ---- host ---- */

enum hipError_t {
    hipSuccess = 0,
    hipErrorInvalidValue = 1,
    hipErrorOutOfMemory = 2,
    hipErrorInvalidConfiguration = 9,
    hipErrorInvalidDevice = 101,
    hipErrorLaunchFailure = 719
};

enum hipMemcpyKind {
    hipMemcpyHostToHost = 0,
    hipMemcpyHostToDevice = 1,
    hipMemcpyDeviceToHost = 2,
    hipMemcpyDeviceToDevice = 3,
    hipMemcpyDefault = 4
};

struct hipDeviceProp_t {
    char name[256];
    char gcnArchName[256];
    std::size_t totalGlobalMem;
    std::size_t sharedMemPerBlock;
    int warpSize;
    int multiProcessorCount;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
};

struct subwave_cpu_event {
    std::chrono::steady_clock::time_point at;
};
typedef subwave_cpu_event *hipEvent_t;

namespace subwave::simt {
inline thread_local hipError_t last_status = hipSuccess;
inline hipError_t note(hipError_t status)
{
    if (status != hipSuccess)
        last_status = status;
    return status;
}
} // namespace subwave::simt

inline const char *hipGetErrorName(hipError_t status)
{
    switch (status) {
    case hipSuccess:
        return "hipSuccess";
    case hipErrorInvalidValue:
        return "hipErrorInvalidValue";
    case hipErrorOutOfMemory:
        return "hipErrorOutOfMemory";
    case hipErrorInvalidConfiguration:
        return "hipErrorInvalidConfiguration";
    case hipErrorInvalidDevice:
        return "hipErrorInvalidDevice";
    case hipErrorLaunchFailure:
        return "hipErrorLaunchFailure";
    }
    return "hipErrorUnknown";
}
inline const char *hipGetErrorString(hipError_t status)
{
    switch (status) {
    case hipSuccess:
        return "no error";
    case hipErrorInvalidValue:
        return "invalid argument";
    case hipErrorOutOfMemory:
        return "out of memory";
    case hipErrorInvalidConfiguration:
        return "invalid configuration argument";
    case hipErrorInvalidDevice:
        return "invalid device ordinal";
    case hipErrorLaunchFailure:
        return "unspecified launch failure";
    }
    return "unknown error";
}
inline hipError_t hipPeekAtLastError() { return ::subwave::simt::last_status; }
inline hipError_t hipGetLastError()
{
    const hipError_t status = ::subwave::simt::last_status;
    ::subwave::simt::last_status = hipSuccess;
    return status;
}

/* The report of a kernel error goes to stderr, for there is nowhere else for it. */
template <class... Parameters, class... Arguments>
void hipLaunchKernelGGL(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                        std::size_t shared_bytes, hipStream_t stream, Arguments... arguments)
{
    const int status =
        ::subwave::simt::launch(kernel, grid, block, shared_bytes, stream, arguments...);
    if (status != 0)
        std::fputs((std::string(subwave_cpu_error()) + "\n").c_str(), stderr);
    ::subwave::simt::note(static_cast<hipError_t>(status));
}

inline hipError_t hipMalloc(void **p, std::size_t bytes)
{
    constexpr std::size_t line = 256;
    *p = bytes == 0 ? nullptr : std::aligned_alloc(line, (bytes + line - 1) / line * line);
    return ::subwave::simt::note(bytes != 0 && *p == nullptr ? hipErrorOutOfMemory : hipSuccess);
}
template <class T> hipError_t hipMalloc(T **p, std::size_t bytes)
{
    void *memory;
    const hipError_t status = hipMalloc(&memory, bytes);
    *p = static_cast<T *>(memory);
    return status;
}
inline hipError_t hipFree(void *p)
{
    std::free(p);
    return hipSuccess;
}
template <class T> hipError_t hipHostMalloc(T **p, std::size_t bytes, unsigned = 0)
{
    return hipMalloc(p, bytes);
}
inline hipError_t hipHostFree(void *p) { return hipFree(p); }
inline hipError_t hipMemcpy(void *to, const void *from, std::size_t bytes, hipMemcpyKind)
{
    if (bytes != 0)
        std::memmove(to, from, bytes);
    return hipSuccess;
}
inline hipError_t hipMemcpyAsync(void *to, const void *from, std::size_t bytes, hipMemcpyKind kind,
                                 hipStream_t = nullptr)
{
    return hipMemcpy(to, from, bytes, kind);
}
inline hipError_t hipMemset(void *to, int value, std::size_t bytes)
{
    if (bytes != 0)
        std::memset(to, value, bytes);
    return hipSuccess;
}
inline hipError_t hipMemsetAsync(void *to, int value, std::size_t bytes, hipStream_t = nullptr)
{
    return hipMemset(to, value, bytes);
}

inline hipError_t hipStreamCreate(hipStream_t *stream)
{
    *stream = new subwave_cpu_stream;
    const int status = subwave_cpu_stream_init(*stream, 0);
    if (status != 0) {
        std::fputs((std::string(subwave_cpu_error()) + "\n").c_str(), stderr);
        delete *stream;
        *stream = nullptr;
    }
    return ::subwave::simt::note(static_cast<hipError_t>(status));
}
inline hipError_t hipStreamDestroy(hipStream_t stream)
{
    delete stream;
    return hipSuccess;
}
inline hipError_t hipStreamSynchronize(hipStream_t) { return hipPeekAtLastError(); }
inline hipError_t hipDeviceSynchronize() { return hipPeekAtLastError(); }

inline hipError_t hipEventCreate(hipEvent_t *event)
{
    *event = new subwave_cpu_event{};
    return hipSuccess;
}
inline hipError_t hipEventDestroy(hipEvent_t event)
{
    delete event;
    return hipSuccess;
}
inline hipError_t hipEventRecord(hipEvent_t event, hipStream_t = nullptr)
{
    event->at = std::chrono::steady_clock::now();
    return hipSuccess;
}
inline hipError_t hipEventSynchronize(hipEvent_t) { return hipPeekAtLastError(); }
inline hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop)
{
    *milliseconds = std::chrono::duration<float, std::milli>(stop->at - start->at).count();
    return hipSuccess;
}

inline hipError_t hipGetDeviceCount(int *count)
{
    *count = 1;
    return hipSuccess;
}
inline hipError_t hipGetDevice(int *device)
{
    *device = 0;
    return hipSuccess;
}
inline hipError_t hipSetDevice(int device)
{
    return ::subwave::simt::note(device == 0 ? hipSuccess : hipErrorInvalidDevice);
}
inline hipError_t hipGetDeviceProperties(hipDeviceProp_t *p, int device)
{
    subwave_cpu_stream settings;
    const int status = subwave_cpu_stream_init(&settings, 0);
    if (device != 0 || status != 0)
        return ::subwave::simt::note(device != 0 ? hipErrorInvalidDevice
                                                 : static_cast<hipError_t>(status));
    *p = {};
    std::snprintf(p->name, sizeof p->name, "subwave CPU device, waves of %d", settings.wave);
    p->sharedMemPerBlock = ::subwave::simt::shared_limit;
    p->warpSize = settings.wave;
    p->multiProcessorCount = settings.threads;
    p->maxThreadsPerBlock = ::subwave::simt::max_block;
    for (int i = 0; i < 3; ++i) {
        p->maxThreadsDim[i] = ::subwave::simt::max_block;
        p->maxGridSize[i] = i == 0 ? INT32_MAX : 65535;
    }
    return hipSuccess;
}

#endif
