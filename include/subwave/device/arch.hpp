/* SPDX-License-Identifier: MIT
 * arch.hpp: which platform this is compiled for. What is spelled differently on AMD, NVIDIA and the
 * CPU device has one name, which every folder of platform/ defines: see platform/<name>/arch.hpp,
 * wave.hpp and fold.hpp.
 *
 *   SUBWAVE_DEVICE                 a function of device code, always inlined
 *   SUBWAVE_KERNEL(threads, blocks)  a kernel with blocks of up to `threads`; for NVIDIA also how
 *                                  many such blocks a multiprocessor's registers must hold, which
 *                                  nvcc does not find by itself
 *   SUBWAVE_TWO_WAVES              before it: on AMD, a SIMD must hold two of its waves
 *   SUBWAVE_UNROLL, SUBWAVE_ROLLED before a loop
 *   SUBWAVE_SHARED(T, name, count), SUBWAVE_DYNAMIC_SHARED(T, name)  shared memory of a block
 *   SUBWAVE_LOOP, SUBWAVE_ITER, SUBWAVE_CALL(call)  for the CPU device, around a loop or a helper
 *                                  call that contains an implicit operation (get_tangle_group,
 *                                  get_opportunistic_group, wave_active)
 *   site                           where a kernel calls a group function; the CPU device names it
 *                                  in diagnostics
 *   wave_size()                    lanes of a wave; max_wave_size(), min_wave_size(): of any device
 *                                  that this compilation serves
 *   launch(kernel, grid, block, shared_bytes, stream, arguments...)  queues the kernel on `stream`
 *                                  (a hipStream_t or cudaStream_t) and returns the runtime's error
 *                                  code, 0 for success; on the CPU device the kernel has ended on
 *                                  return
 *   native_half                    the runtime's own type `half`; void where it has none, or one
 *                                  that only a header of its own brings
 *   code_is_short                  whether code must be small: one kernel then decides while it runs
 *                                  what several would be compiled for
 *   few_registers                  whether 512 work-items in a block, by which registers are shared
 *                                  out, leave a lane too few for large tiles
 *   trap()                         ends with an error a kernel that must not have been launched
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
#include <cuda_fp16.h>
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

/* A header that every platform has for itself. */
/* Without spaces, which would be in the name of the file. */
/* clang-format off */
#define SUBWAVE_PLATFORM_PATH(p,name) <subwave/device/platform/p/name.hpp>
#define SUBWAVE_PLATFORM_FILE(p,name) SUBWAVE_PLATFORM_PATH(p,name)
#define SUBWAVE_PLATFORM_HEADER(name) SUBWAVE_PLATFORM_FILE(SUBWAVE_PLATFORM,name)
/* clang-format on */

SUBWAVE_BEGIN
/* A set of lanes of one wave; 64 bits on every target. */
using lane_mask = std::uint64_t;
SUBWAVE_END

#include SUBWAVE_PLATFORM_HEADER(arch)

#endif
