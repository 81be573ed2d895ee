/* SPDX-License-Identifier: MIT
 * arch.hpp: which machine this is compiled for. Everything a kernel file needs that is spelled
 * differently on AMD, NVIDIA and the CPU device gets its one name here; conditions on the platform
 * stand here and in the headers that a platform has for itself.
 */
#ifndef SUBWAVE_DEVICE_ARCH_HPP
#define SUBWAVE_DEVICE_ARCH_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/* Every platform's device code lives in an inline namespace of its own, so that
 * one library can hold the same kernels built for a GPU and for the CPU device. */
#if defined(SUBWAVE_CPU_DEVICE) /* the CPU device: any C++20 compiler, src/cpu */
#include <hip/hip_runtime.h>    /* the CPU device's own */
#define SUBWAVE_PLATFORM cpu
#elif defined(__CUDACC__) /* NVIDIA: nvcc or clang; needs no HIP header */
#include <cuda_runtime.h>
#define SUBWAVE_PLATFORM nvidia
#elif defined(__HIP__) || defined(__HIPCC__) /* AMD: hipcc or clang -x hip */
#include <hip/hip_runtime.h>
#define SUBWAVE_PLATFORM amd
#else
#error "subwave device headers need hipcc, nvcc, or the CPU device (link subwave::cpu)"
#endif

#define SUBWAVE_BEGIN \
    namespace subwave { \
    inline namespace SUBWAVE_PLATFORM {
#define SUBWAVE_END \
    } \
    }

#if defined(SUBWAVE_CPU_DEVICE)

#define SUBWAVE_DEVICE inline __attribute__((always_inline))
#define SUBWAVE_KERNEL(...) __global__ void
#define SUBWAVE_TWO_WAVES
#define SUBWAVE_UNROLL
#define SUBWAVE_ROLLED
SUBWAVE_BEGIN
/* Where a kernel calls a group function; the CPU device names it in diagnostics. */
using site = ::subwave::simt::site;
inline int wave_size() { return ::subwave::simt::wave_size(); }
constexpr int max_wave_size() { return 64; }
constexpr int min_wave_size() { return 4; }

/* Queues `kernel` on `stream` (a hipStream_t) and returns the runtime's error
 * code, 0 for success. On the CPU device the launch has finished on return. */
template <class... Parameters, class... Arguments>
int launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
           void *stream, Arguments... arguments)
{
    return ::subwave::simt::launch(kernel, grid, block, shared_bytes,
                                   static_cast<hipStream_t>(stream), arguments...);
}
SUBWAVE_END

#else /* a GPU */

#define SUBWAVE_DEVICE __device__ __forceinline__
/* Most threads of a block; for NVIDIA also how many such blocks a multiprocessor's registers must hold,
 * which nvcc does not find by itself. */
#if defined(__CUDACC__)
#define SUBWAVE_KERNEL(...) __global__ void __launch_bounds__(__VA_ARGS__)
#else
#define SUBWAVE_KERNEL(threads, ...) __global__ void __launch_bounds__(threads)
#endif
/* On AMD, a kernel of which a SIMD must hold two waves. With the registers of one, LLVM before 22 keeps the matrix
 * unit's sums apart from its operands and copies them for every instruction. */
#if defined(__CUDACC__)
#define SUBWAVE_TWO_WAVES
#else
#define SUBWAVE_TWO_WAVES __attribute__((amdgpu_waves_per_eu(2)))
#endif
#define SUBWAVE_UNROLL _Pragma("unroll")
#define SUBWAVE_ROLLED _Pragma("unroll 1")
#define SUBWAVE_SHARED(T, name, count) __shared__ T name[count]
/* One raw array a kernel: templates over T may not redeclare it with another type. */
#define SUBWAVE_DYNAMIC_SHARED(T, name) \
    extern __shared__ __align__(16) unsigned char subwave_dynamic_shared[]; \
    T *name = reinterpret_cast<T *>(subwave_dynamic_shared)
/* Markers for the CPU device: around a loop or a helper call that contains an
 * implicit operation (get_tangle_group, get_opportunistic_group, wave_active). */
#define SUBWAVE_LOOP
#define SUBWAVE_ITER ((void)0)
#if defined(__CUDACC__)
#define SUBWAVE_CALL(...) __VA_ARGS__
#else /* LLVM 15 makes one of equal calls in the two sides of a branch, unless they are held in place */
#define SUBWAVE_CALL(...) \
    ([&]() __attribute__((always_inline)) -> decltype(auto) { \
        ::subwave::in_place subwave_pin; \
        return __VA_ARGS__; \
    }())
#endif

SUBWAVE_BEGIN
struct site {
    static constexpr __host__ __device__ site current() { return {}; }
};

#if defined(__CUDACC__)
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define SUBWAVE_HAS_REDUX true
#define SUBWAVE_HAS_ASYNC_COPY true
#define SUBWAVE_HAS_MATRIX_F64 true
#define SUBWAVE_HAS_MATRIX_16 true
#else
#define SUBWAVE_HAS_REDUX false
#define SUBWAVE_HAS_ASYNC_COPY false
#define SUBWAVE_HAS_MATRIX_F64 false
#define SUBWAVE_HAS_MATRIX_16 false
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define SUBWAVE_HAS_F64_MMA true /* of 16 rows */
#else
#define SUBWAVE_HAS_F64_MMA false
#endif
__host__ __device__ constexpr int wave_size() { return 32; }
#elif !defined(__HIP_DEVICE_COMPILE__) /* host pass: parsed, never called */
#define SUBWAVE_ROWS_BY_BROADCAST true
#define SUBWAVE_ROW_READS false
__host__ __device__ constexpr int wave_size() { return 64; }
#elif defined(__GFX8__) || defined(__GFX9__)
#define SUBWAVE_ROWS_BY_BROADCAST true /* DPP row_bcast */
#if defined(__GFX8__) || defined(__gfx900__) || defined(__gfx902__) || defined(__gfx904__) || \
    defined(__gfx906__) || defined(__gfx908__) || defined(__gfx909__) || defined(__gfx90c__)
#define SUBWAVE_ROW_READS false
#else
#define SUBWAVE_ROW_READS true /* DPP row_newbcast */
#endif
__host__ __device__ constexpr int wave_size() { return 64; }
#elif defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
#define SUBWAVE_ROWS_BY_BROADCAST false /* v_permlanex16 */
#define SUBWAVE_ROW_READS true          /* DPP row_share */
__host__ __device__ constexpr int wave_size() { return 32; }
#if defined(__AMDGCN_WAVEFRONT_SIZE__) && __AMDGCN_WAVEFRONT_SIZE__ != 32
#error \
    "subwave: -mwavefrontsize64 is not supported on gfx10 and later (newer compilers hide it from the source)"
#endif
#else
#error "subwave: an AMD architecture that arch.hpp does not list"
#endif
#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
#define SUBWAVE_HAS_MATRIX_F32 true
#else
#define SUBWAVE_HAS_MATRIX_F32 false
#endif
#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
#define SUBWAVE_HAS_MATRIX_F64 true
#elif !defined(__CUDACC__)
#define SUBWAVE_HAS_MATRIX_F64 false
#endif
/* AMD's unit for elements of 16 bits; of the two MFMA gfx908's has less of bf16. */
enum class matrix16_kind { none, mfma_gfx908, mfma, wmma_gfx11, wmma_gfx12 };
#if defined(__gfx908__)
#define SUBWAVE_MATRIX16 matrix16_kind::mfma_gfx908
#elif defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
#define SUBWAVE_MATRIX16 matrix16_kind::mfma
#elif defined(__GFX11__)
#define SUBWAVE_MATRIX16 matrix16_kind::wmma_gfx11
#elif defined(__GFX12__)
#define SUBWAVE_MATRIX16 matrix16_kind::wmma_gfx12
#else
#define SUBWAVE_MATRIX16 matrix16_kind::none
#endif
/* The widest and the narrowest wave of any device that this compilation serves. */
__host__ __device__ constexpr int max_wave_size() { return wave_size(); }
__host__ __device__ constexpr int min_wave_size() { return wave_size(); }

#if defined(__CUDACC__)
using stream_handle = cudaStream_t;
inline int launch_status() { return static_cast<int>(cudaGetLastError()); }
#else
using stream_handle = hipStream_t;
inline int launch_status() { return static_cast<int>(hipGetLastError()); }
#endif

/* Queues `kernel` on `stream` (a hipStream_t or cudaStream_t) and returns the
 * runtime's error code, 0 for success. */
template <class... Parameters, class... Arguments>
int launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
           void *stream, Arguments... arguments)
{
#if defined(__CUDACC__)
    if (shared_bytes > 48 * 1024)
        cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes));
#endif
    kernel<<<grid, block, shared_bytes, static_cast<stream_handle>(stream)>>>(arguments...);
    return launch_status();
}
SUBWAVE_END

#endif

SUBWAVE_BEGIN
/* Whether 512 work-items in a block, by which registers are shared out, leave a lane too few for large tiles. */
#if defined(__gfx900__) || defined(__gfx902__) || defined(__gfx904__) || defined(__gfx906__) || \
    defined(__gfx909__) || defined(__gfx90c__)
constexpr bool few_registers = true;
#else
constexpr bool few_registers = false;
#endif

/* Ends a kernel that must not have been launched with an error, where it would otherwise do nothing. */
SUBWAVE_DEVICE void trap()
{
#if defined(__CUDA_ARCH__)
    __trap();
#else
    __builtin_trap();
#endif
}

/* A set of lanes of one wave; 64 bits on every target. */
using lane_mask = std::uint64_t;
SUBWAVE_END

#endif
