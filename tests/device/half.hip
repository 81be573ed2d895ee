/* SPDX-License-Identifier: MIT
 * half.hip: `half` after `using namespace subwave` in a program that has CUDA's too: FIRST and LAST
 * are the headers before and after subwave's.
 */
#ifdef FIRST
#include FIRST
#endif
#include <subwave/subwave.hpp>
#ifdef LAST
#include LAST
#endif

using namespace subwave;

static_assert(std::is_same<half, subwave::half>::value, "one type");
static_assert(is_floating_v<half> && is_floating_v<float16>, "both are numbers");
static_assert(has_known_identity_v<plus<>, half>, "as every number");
static_assert(sizeof(half) == sizeof(float16) && alignof(half) == alignof(float16), "one layout");
#if defined(__CUDACC__)
static_assert(std::is_same<half, __half>::value, "CUDA's");
#else
static_assert(std::is_same<half, float16>::value, "subwave's");
#endif

__global__ void use(const half *x, half *y, float16 *z)
{
    const sub_group sg = this_work_item::get_sub_group();
    const half sum = reduce_over_group(sg, x[threadIdx.x], plus<>());
    const half greatest = reduce_over_group(sg, x[threadIdx.x], maximum<half>());
    y[0] = inclusive_scan_over_group(sg, sum, minimum<>());
    y[1] = joint_reduce(get_fixed_size_group<4>(sg), x, x + 9, multiplies<>());
    y[2] = select_from_group(sg, greatest, 1);
    z[0] = float16(static_cast<float>(sum));
}
