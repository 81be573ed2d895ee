/* SPDX-License-Identifier: MIT
 * platform/gpu/arch.hpp: what AMD and NVIDIA have in common.
 */
#ifndef SUBWAVE_DEVICE_PLATFORM_GPU_ARCH_HPP
#define SUBWAVE_DEVICE_PLATFORM_GPU_ARCH_HPP

#define SUBWAVE_DEVICE __device__ __forceinline__
#define SUBWAVE_UNROLL _Pragma("unroll")
#define SUBWAVE_ROLLED _Pragma("unroll 1")
#define SUBWAVE_PRAGMA(text) _Pragma(#text)
#define SUBWAVE_UNROLL_BY(count) SUBWAVE_PRAGMA(unroll count)
#define SUBWAVE_SHARED(T, name, count) __shared__ T name[count]
/* One raw array per kernel: templates over T may not redeclare it with another type. */
#define SUBWAVE_DYNAMIC_SHARED(T, name) \
    extern __shared__ __align__(16) unsigned char subwave_dynamic_shared[]; \
    T *name = reinterpret_cast<T *>(subwave_dynamic_shared)
#define SUBWAVE_LOOP
#define SUBWAVE_ITER ((void)0)

SUBWAVE_BEGIN

struct site {
    static constexpr __host__ __device__ site current() { return {}; }
};

SUBWAVE_END

#endif
