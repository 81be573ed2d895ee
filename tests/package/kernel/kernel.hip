/* SPDX-License-Identifier: MIT
 * kernel.hip: a user's HIP program: each block sums its part of an array, in shared memory and,
 * within sub-groups, by broadcasts.
 */
#include <hip/hip_runtime.h>
#include <subwave/subwave.hpp>

#include <cstdio>

constexpr int block = 160, blocks = 5; /* no multiple of a wave: 160 = 2.5 x 64 */

__global__ void sum_blocks(const int *values, int *by_shared, int *by_broadcast)
{
    __shared__ int part[block];
    __shared__ int group_sum[block];
    const int item = threadIdx.x;
    const int value = values[blockIdx.x * block + item];

    part[item] = value;
    __syncthreads();
    if (item == 0) {
        int sum = 0;
        for (int i = 0; i < block; ++i)
            sum += part[i];
        by_shared[blockIdx.x] = sum;
    }

    auto sg = subwave::this_work_item::get_sub_group();
    int sum = 0;
    for (unsigned i = 0; i < sg.get_local_linear_range(); ++i)
        sum += subwave::group_broadcast(sg, value, i);
    if (sg.leader())
        group_sum[sg.get_group_linear_id()] = sum;
    __syncthreads();
    if (item == 0) {
        sum = 0;
        for (unsigned i = 0; i < sg.get_group_linear_range(); ++i)
            sum += group_sum[i];
        by_broadcast[blockIdx.x] = sum;
    }
}

int main()
{
    int values[blocks * block], expected[blocks] = {}, shared[blocks], broadcast[blocks];
    for (int i = 0; i < blocks * block; ++i) {
        values[i] = i * i % 1009;
        expected[i / block] += values[i];
    }
    int *device_values, *device_shared, *device_broadcast;
    if (hipMalloc((void **)&device_values, sizeof values) != hipSuccess ||
        hipMalloc((void **)&device_shared, sizeof shared) != hipSuccess ||
        hipMalloc((void **)&device_broadcast, sizeof broadcast) != hipSuccess ||
        hipMemcpy(device_values, values, sizeof values, hipMemcpyHostToDevice) != hipSuccess)
        return 1;
    hipLaunchKernelGGL(sum_blocks, dim3(blocks), dim3(block), 0, 0, device_values, device_shared,
                       device_broadcast);
    if (hipGetLastError() != hipSuccess || hipDeviceSynchronize() != hipSuccess ||
        hipMemcpy(shared, device_shared, sizeof shared, hipMemcpyDeviceToHost) != hipSuccess ||
        hipMemcpy(broadcast, device_broadcast, sizeof broadcast, hipMemcpyDeviceToHost) !=
            hipSuccess)
        return 1;
    hipFree(device_values);
    hipFree(device_shared);
    hipFree(device_broadcast);
    int wrong = 0;
    for (int i = 0; i < blocks; ++i) {
        std::printf("block %d: %d %d, expected %d\n", i, shared[i], broadcast[i], expected[i]);
        wrong += shared[i] != expected[i] || broadcast[i] != expected[i];
    }
    return wrong;
}
