/* SPDX-License-Identifier: MIT
 * registers.hpp: the kernel around every group function that is timed in registers, ours or a
 * peer's.
 */
#ifndef SUBWAVE_BENCH_REGISTERS_HPP
#define SUBWAVE_BENCH_REGISTERS_HPP

#include "registry.hpp"

#include <subwave/subwave.hpp>

#define SUBWAVE_BENCH_TEXT(name) SUBWAVE_BENCH_QUOTE(name)
#define SUBWAVE_BENCH_QUOTE(name) #name

SUBWAVE_BEGIN

/* How many lanes, in a type: a kernel must have the same name on the device as on the host, for
 * which the wave size is another. */
template <int Count> struct lanes {
    static constexpr int value = Count;
};
struct all_lanes {
    static constexpr int value = max_wave_size();
};

SUBWAVE_DEVICE bool one_side() { return SUBWAVE_BENCH_SIDE(wave_lane()); }

/* Groups::with(body) forms the group once and calls body(group) in its members; each call of
 * Function then waits for the one before it. */
template <class T, class Groups, class Function>
SUBWAVE_KERNEL(bench::REGISTER_BLOCK)
register_chain(T *sums, int rounds)
{
    Groups::with([=](auto group) {
        T x = T(wave_lane() + 1), sum = 0;
        for (int i = 0; i < rounds; i += bench::REGISTER_STEP) {
            SUBWAVE_UNROLL
            for (int step = 0; step < bench::REGISTER_STEP; ++step) {
                sum += Function()(group, x);
                x += T(1);
            }
        }
        sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    });
}

template <class T, class Groups, class Function>
int launch_register_chain(void *stream, unsigned blocks, int rounds, void *sums)
{
    return launch(register_chain<T, Groups, Function>, dim3(blocks), dim3(bench::REGISTER_BLOCK), 0,
                  stream, static_cast<T *>(sums), rounds);
}

template <class Groups, class Function> struct enrolled_chain {
    enrolled_chain(const char *function, const char *kind, const char *by, const char *version,
                   bool first_only = false)
    {
        const auto add = [&](subwave_dtype dtype, auto launcher) {
            bench::registry<bench::register_kernel>().push_back(
                {SUBWAVE_BENCH_TEXT(SUBWAVE_PLATFORM), function, kind, by, version, dtype,
                 first_only, launcher});
        };
        add(SUBWAVE_DTYPE_F32, launch_register_chain<float, Groups, Function>);
        add(SUBWAVE_DTYPE_F64, launch_register_chain<double, Groups, Function>);
        add(SUBWAVE_DTYPE_U32, launch_register_chain<std::uint32_t, Groups, Function>);
    }
};

SUBWAVE_END

#endif
