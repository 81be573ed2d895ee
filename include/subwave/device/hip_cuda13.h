/* SPDX-License-Identifier: MIT
 * hip_cuda13.h: makes HIP headers written for CUDA <= 12 compile with CUDA 13.
 *
 * Include this file instead of <hip/hip_runtime.h> (or, with HIP_CUDA13_API_ONLY
 * defined, instead of <hip/hip_runtime_api.h>) in code that may be built for
 * NVIDIA GPUs. On AMD, and with CUDA 12 or older, it includes the HIP header and
 * does nothing else.
 *
 * CUDA 13 changed signatures and dropped symbols which the inline functions of
 * hip/nvidia_detail/nvidia_hip_runtime_api.h use. While that header is read the
 * names below are macros that turn the old call into the new one; they are gone
 * again after it, so a program's own use of the CUDA API is not touched. Newer HIP
 * headers test CUDA_VERSION themselves and must be left alone: a build system
 * that finds <hip/hip_runtime.h> to compile as it is defines HIP_CUDA13_OFF;
 * without that, HIP 7.2 and newer is taken to be so (inferred, not seen).
 *
 * C++ and CUDA C++ work as they are. C needs -fms-extensions (gcc and clang),
 * for one unnamed struct member, and HIP headers that are valid C.
 */
#ifndef HIP_CUDA13_H
#define HIP_CUDA13_H

#if defined(__HIP_PLATFORM_NVIDIA__) && !defined(HIP_CUDA13_OFF)
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <hip/hip_version.h>
#if CUDA_VERSION >= 13000 && HIP_VERSION_MAJOR * 100 + HIP_VERSION_MINOR < 702
#define HIP_CUDA13_ACTIVE 1
#endif
#endif

#ifdef HIP_CUDA13_ACTIVE

#include <stddef.h>
#ifdef __CUDACC__
#include <cuda_runtime.h>
#endif

/* --- device properties: what CUDA 13 took out is asked for one by one ------- */

#ifdef __cplusplus
struct hip_cuda13_prop : cudaDeviceProp {
#else
struct hip_cuda13_prop {
    struct cudaDeviceProp;
#endif
    int clockRate, memoryClockRate, computeMode, cooperativeMultiDeviceLaunch;
    int kernelExecTimeoutEnabled, deviceOverlap, maxTexture1DLinear;
    int singleToDoublePrecisionPerfRatio;
};

static inline int hip_cuda13_attr(enum cudaDeviceAttr attr, int device)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, attr, device) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return value;
}

static inline cudaError_t hip_cuda13_get_prop(struct hip_cuda13_prop *p, int device)
{
    cudaError_t rc = cudaGetDeviceProperties((struct cudaDeviceProp *)p, device);
    if (rc != cudaSuccess)
        return rc;
    p->clockRate = hip_cuda13_attr(cudaDevAttrClockRate, device);
    p->memoryClockRate = hip_cuda13_attr(cudaDevAttrMemoryClockRate, device);
    p->computeMode = hip_cuda13_attr(cudaDevAttrComputeMode, device);
    p->kernelExecTimeoutEnabled = hip_cuda13_attr(cudaDevAttrKernelExecTimeout, device);
    p->deviceOverlap = hip_cuda13_attr(cudaDevAttrGpuOverlap, device);
    p->maxTexture1DLinear = hip_cuda13_attr(cudaDevAttrMaxTexture1DLinearWidth, device);
    p->singleToDoublePrecisionPerfRatio =
        hip_cuda13_attr(cudaDevAttrSingleToDoublePrecisionPerfRatio, device);
    p->cooperativeMultiDeviceLaunch = 0;
    return cudaSuccess;
}

static inline cudaError_t hip_cuda13_choose(int *device, const struct hip_cuda13_prop *p)
{
    return cudaChooseDevice(device, (const struct cudaDeviceProp *)p);
}

/* --- managed memory: a device number becomes a location -------------------------------------- */

static inline struct cudaMemLocation hip_cuda13_location(int device)
{
    struct cudaMemLocation where;
    if (device == cudaCpuDeviceId) {
        where.type = cudaMemLocationTypeHost;
        where.id = 0;
    } else {
        where.type = cudaMemLocationTypeDevice;
        where.id = device;
    }
    return where;
}

static inline cudaError_t hip_cuda13_prefetch(const void *p, size_t n, int device,
                                              cudaStream_t stream)
{
    return cudaMemPrefetchAsync(p, n, hip_cuda13_location(device), 0, stream);
}

static inline cudaError_t hip_cuda13_advise(const void *p, size_t n, enum cudaMemoryAdvise advice,
                                            int device)
{
    return cudaMemAdvise(p, n, advice, hip_cuda13_location(device));
}

/* --- graphs and capture: edge data was added; none is passed --------------------------------- */

static inline cudaError_t hip_cuda13_capture_info(cudaStream_t stream,
                                                  enum cudaStreamCaptureStatus *status,
                                                  unsigned long long *id, cudaGraph_t *graph,
                                                  const cudaGraphNode_t **deps, size_t *ndeps)
{
    return cudaStreamGetCaptureInfo(stream, status, id, graph, deps, NULL, ndeps);
}

static inline CUresult hip_cuda13_cu_capture_info(CUstream stream, CUstreamCaptureStatus *status,
                                                  cuuint64_t *id, CUgraph *graph,
                                                  const CUgraphNode **deps, size_t *ndeps)
{
    return cuStreamGetCaptureInfo(stream, status, id, graph, deps, NULL, ndeps);
}

static inline cudaError_t hip_cuda13_capture_deps(cudaStream_t stream, cudaGraphNode_t *deps,
                                                  size_t ndeps, unsigned int flags)
{
    return cudaStreamUpdateCaptureDependencies(stream, deps, NULL, ndeps, flags);
}

/* --- gone without a successor ---------------------------------------------------------------- */

static inline cudaError_t hip_cuda13_gone(void) { return cudaErrorNotSupported; }

#if HIP_VERSION_MAJOR < 6 && defined(__cplusplus)
template <class T, int dim, enum cudaTextureReadMode mode> struct hip_cuda13_texture;
#endif

/* --- the old names, for the one header below ------------------------------------------------- */

#pragma push_macro("cuCtxCreate")
#pragma push_macro("cuStreamGetCaptureInfo_v2")
#pragma push_macro("cudaMemPrefetchAsync")
#pragma push_macro("cudaStreamGetCaptureInfo")
#pragma push_macro("cudaStreamUpdateCaptureDependencies")
#pragma push_macro("texture")
#undef cuCtxCreate
#undef cuStreamGetCaptureInfo_v2
#undef cudaMemPrefetchAsync
#undef cudaStreamGetCaptureInfo
#undef cudaStreamUpdateCaptureDependencies
#undef texture

#define cudaDeviceProp hip_cuda13_prop
#define cudaGetDeviceProperties hip_cuda13_get_prop
#define cudaChooseDevice hip_cuda13_choose
#define cudaDevAttrCooperativeMultiDeviceLaunch cudaDevAttrReserved96
#define cudaLaunchCooperativeKernelMultiDevice(list, n, flags) hip_cuda13_gone()
#define cudaMemPrefetchAsync hip_cuda13_prefetch
#define cudaMemAdvise hip_cuda13_advise
#define cuCtxCreate(ctx, flags, device) cuCtxCreate_v4(ctx, NULL, flags, device)
#define cudaGraphAddDependencies(g, from, to, n) cudaGraphAddDependencies(g, from, to, NULL, n)
#define cudaGraphRemoveDependencies(g, from, to, n) \
    cudaGraphRemoveDependencies(g, from, to, NULL, n)
#define cudaGraphGetEdges(g, from, to, n) cudaGraphGetEdges(g, from, to, NULL, n)
#define cudaGraphNodeGetDependencies(node, list, n) \
    cudaGraphNodeGetDependencies(node, list, NULL, n)
#define cudaGraphNodeGetDependentNodes(node, list, n) \
    cudaGraphNodeGetDependentNodes(node, list, NULL, n)
#define cudaStreamGetCaptureInfo(s, status, id) \
    hip_cuda13_capture_info(s, status, id, NULL, NULL, NULL)
#define cudaStreamGetCaptureInfo_v2 hip_cuda13_capture_info
#define cuStreamGetCaptureInfo_v2 hip_cuda13_cu_capture_info
#define cudaStreamUpdateCaptureDependencies hip_cuda13_capture_deps
#if HIP_VERSION_MAJOR < 6
#define texture hip_cuda13_texture
#define cudaBindTexture(...) hip_cuda13_gone()
#define cudaBindTexture2D(...) hip_cuda13_gone()
#define cudaBindTextureToArray(...) hip_cuda13_gone()
#define cudaBindTextureToMipmappedArray(...) hip_cuda13_gone()
#define cudaUnbindTexture(...) hip_cuda13_gone()
#define cudaGetTextureAlignmentOffset(...) hip_cuda13_gone()
#define cudaGetTextureReference(...) hip_cuda13_gone()
#endif

#endif /* HIP_CUDA13_ACTIVE */

#ifdef HIP_CUDA13_API_ONLY
#include <hip/hip_runtime_api.h>
#else
#include <hip/hip_runtime.h>
#endif

#ifdef HIP_CUDA13_ACTIVE
#if HIP_VERSION_MAJOR < 6
#undef texture
#undef cudaBindTexture
#undef cudaBindTexture2D
#undef cudaBindTextureToArray
#undef cudaBindTextureToMipmappedArray
#undef cudaUnbindTexture
#undef cudaGetTextureAlignmentOffset
#undef cudaGetTextureReference
#endif
#undef cudaDeviceProp
#undef cudaGetDeviceProperties
#undef cudaChooseDevice
#undef cudaDevAttrCooperativeMultiDeviceLaunch
#undef cudaLaunchCooperativeKernelMultiDevice
#undef cudaMemPrefetchAsync
#undef cudaMemAdvise
#undef cuCtxCreate
#undef cudaGraphAddDependencies
#undef cudaGraphRemoveDependencies
#undef cudaGraphGetEdges
#undef cudaGraphNodeGetDependencies
#undef cudaGraphNodeGetDependentNodes
#undef cudaStreamGetCaptureInfo
#undef cudaStreamGetCaptureInfo_v2
#undef cuStreamGetCaptureInfo_v2
#undef cudaStreamUpdateCaptureDependencies
#pragma pop_macro("texture")
#pragma pop_macro("cudaStreamUpdateCaptureDependencies")
#pragma pop_macro("cudaStreamGetCaptureInfo")
#pragma pop_macro("cudaMemPrefetchAsync")
#pragma pop_macro("cuStreamGetCaptureInfo_v2")
#pragma pop_macro("cuCtxCreate")
#endif

#endif /* HIP_CUDA13_H */
