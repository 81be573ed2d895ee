/* SPDX-License-Identifier: MIT
 * platform/nvidia/arch.hpp: NVIDIA GPUs, of compute capability 7.0 and later.
 */
#ifndef SUBWAVE_DEVICE_PLATFORM_NVIDIA_ARCH_HPP
#define SUBWAVE_DEVICE_PLATFORM_NVIDIA_ARCH_HPP

#include <subwave/device/platform/gpu/arch.hpp>

#define SUBWAVE_KERNEL(...) __global__ void __launch_bounds__(__VA_ARGS__)
#define SUBWAVE_TWO_WAVES
#define SUBWAVE_CALL(...) __VA_ARGS__

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

SUBWAVE_BEGIN

__host__ __device__ constexpr int wave_size() { return 32; }
__host__ __device__ constexpr int max_wave_size() { return wave_size(); }
__host__ __device__ constexpr int min_wave_size() { return wave_size(); }
/* cuda_fp16.h, which HIP's headers include, has it as ::half. */
using native_half = __half;
constexpr bool code_is_short = false;
constexpr bool few_registers = false;

template <class... Parameters, class... Arguments>
int launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
           void *stream, Arguments... arguments)
{
    if (shared_bytes > 48 * 1024)
        cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes));
    kernel<<<grid, block, shared_bytes, static_cast<cudaStream_t>(stream)>>>(arguments...);
    return static_cast<int>(cudaGetLastError());
}

SUBWAVE_DEVICE void trap()
{
#if defined(__CUDA_ARCH__)
    __trap();
#endif
}

SUBWAVE_END

#endif
