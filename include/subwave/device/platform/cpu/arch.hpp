/* SPDX-License-Identifier: MIT
 * platform/cpu/arch.hpp: the CPU device, as src/cpu simulates it.
 */
#ifndef SUBWAVE_DEVICE_PLATFORM_CPU_ARCH_HPP
#define SUBWAVE_DEVICE_PLATFORM_CPU_ARCH_HPP

#define SUBWAVE_DEVICE inline
#define SUBWAVE_KERNEL(...) __global__ void
#define SUBWAVE_TWO_WAVES
#define SUBWAVE_UNROLL
#define SUBWAVE_ROLLED
#define SUBWAVE_UNROLL_BY(count)

SUBWAVE_BEGIN

using site = ::subwave::simt::site;
inline int wave_size() { return ::subwave::simt::wave_size(); }
constexpr int max_wave_size() { return 64; }
constexpr int min_wave_size() { return 4; }

template <class... Parameters, class... Arguments>
int launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
           void *stream, Arguments... arguments)
{
    return ::subwave::simt::launch(kernel, grid, block, shared_bytes,
                                   static_cast<hipStream_t>(stream), arguments...);
}

using native_half = void;
constexpr bool code_is_short = true;
constexpr bool few_registers = false;

SUBWAVE_DEVICE void trap() { __builtin_trap(); }

SUBWAVE_END

#endif
