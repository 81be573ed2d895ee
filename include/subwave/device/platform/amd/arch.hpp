/* SPDX-License-Identifier: MIT
 * platform/amd/arch.hpp: AMD GPUs, from gfx803 on.
 */
#ifndef SUBWAVE_DEVICE_PLATFORM_AMD_ARCH_HPP
#define SUBWAVE_DEVICE_PLATFORM_AMD_ARCH_HPP

#include <subwave/device/platform/gpu/arch.hpp>

#define SUBWAVE_KERNEL(threads, ...) __global__ void __launch_bounds__(threads)
/* With the registers of one wave, LLVM before 22 keeps the matrix unit's sums apart from its
 * operands and copies them for every instruction. */
#define SUBWAVE_TWO_WAVES __attribute__((amdgpu_waves_per_eu(2)))
/* LLVM 15 makes one of equal calls in the two sides of a branch, unless they are held in place. */
#define SUBWAVE_CALL(...) \
    ([&]() __attribute__((always_inline)) -> decltype(auto) { \
        ::subwave::in_place subwave_pin; \
        return __VA_ARGS__; \
    }())

SUBWAVE_BEGIN

#if !defined(__HIP_DEVICE_COMPILE__) /* host pass: parsed, never called */
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
#error "subwave: gfx10 and later run waves of 32 here: -mwavefrontsize64 is not supported" /* where it can be seen */
#endif
#else
#error "subwave: an AMD architecture that this file does not list"
#endif
#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
#define SUBWAVE_HAS_MATRIX_F32 true
#else
#define SUBWAVE_HAS_MATRIX_F32 false
#endif
#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
#define SUBWAVE_HAS_MATRIX_F64 true
#else
#define SUBWAVE_HAS_MATRIX_F64 false
#endif
/* global_atomic_add_f64, and global_atomic_add_f32, whose result nobody wants. */
#define SUBWAVE_HAS_ADD_F64 SUBWAVE_HAS_MATRIX_F64
#if SUBWAVE_HAS_MATRIX_F32 || defined(__GFX11__) || defined(__GFX12__)
#define SUBWAVE_HAS_ADD_F32 true
#else
#define SUBWAVE_HAS_ADD_F32 false
#endif
/* v_pk_fma_f32 */
#define SUBWAVE_HAS_PAIRS_F32 SUBWAVE_HAS_MATRIX_F64
/* The unit for elements of 16 bits; of the two MFMA gfx908's has less of bf16. */
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
/* Which instruction adds the products of four bytes: v_dot4_i32_i8 or v_dot4_i32_iu8. */
enum class dot4_kind { none, i8, iu8 };
#if defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || \
    defined(__gfx950__) || defined(__gfx1011__) || defined(__gfx1012__) || defined(__gfx1030__) || \
    defined(__gfx1031__) || defined(__gfx1032__) || defined(__gfx1033__) || \
    defined(__gfx1034__) || defined(__gfx1035__) || defined(__gfx1036__)
#define SUBWAVE_DOT4 dot4_kind::i8
#elif defined(__GFX11__) || defined(__GFX12__)
#define SUBWAVE_DOT4 dot4_kind::iu8
#else
#define SUBWAVE_DOT4 dot4_kind::none
#endif
/* Twice the rate of gfx90a, with no faster shared memory. */
#if defined(__gfx942__) || defined(__gfx950__)
#define SUBWAVE_FAST_MATRIX16 true
#else
#define SUBWAVE_FAST_MATRIX16 false
#endif
__host__ __device__ constexpr int max_wave_size() { return wave_size(); }
__host__ __device__ constexpr int min_wave_size() { return wave_size(); }

using native_half = void;
constexpr bool code_is_short = true;
#if defined(__gfx900__) || defined(__gfx902__) || defined(__gfx904__) || defined(__gfx906__) || \
    defined(__gfx909__) || defined(__gfx90c__)
constexpr bool few_registers = true;
#else
constexpr bool few_registers = false;
#endif

template <class... Parameters, class... Arguments>
int launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
           void *stream, Arguments... arguments)
{
    kernel<<<grid, block, shared_bytes, static_cast<hipStream_t>(stream)>>>(arguments...);
    return static_cast<int>(hipGetLastError());
}

SUBWAVE_DEVICE void trap() { __builtin_trap(); }

SUBWAVE_END

#endif
