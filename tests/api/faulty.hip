/* SPDX-License-Identifier: MIT
 * faulty.hip: launchers that take the place of matmul's: a kernel with an error in it, for
 * test_faults.c.
 */
#include <subwave/subwave.hpp>

SUBWAVE_BEGIN

SUBWAVE_KERNEL(64) barrier_for_three(int *)
{
    if (threadIdx.x < 3)
        block_barrier(site::current());
}

SUBWAVE_END

extern "C" int launch_barrier_for_three(void *stream)
{
    return subwave::launch(subwave::barrier_for_three, dim3(1), dim3(64), 0, stream, nullptr);
}
