/* SPDX-License-Identifier: MIT
 * groups.hip: the usage examples of SYCL's non-uniform groups extension as HIP kernels, each
 * checked.
 *
 *   AMD:         hipcc -std=c++17 -O3 groups.hip -o groups
 *   NVIDIA:      nvcc -x cu -std=c++17 -O3 -D__HIP_PLATFORM_NVIDIA__ groups.hip -o groups
 *   CPU device:  subwave_cpu_kernels(groups groups.hip) in CMake; SUBWAVE_CPU_WAVE=8 ./groups
 */
#include <subwave/device/hip_cuda13.h> /* <hip/hip_runtime.h>, for every CUDA too */
#include <subwave/subwave.hpp>

#include <cstdio>
#include <cstdlib>
#include <vector>

using subwave::plus;
using subwave::this_work_item::get_sub_group;

/* Work-items with even ids take a branch, and know of each other beforehand. */
__global__ void ballot_example(const float *x, float *sum)
{
    auto sg = get_sub_group();

    /* the part of the sub-group that will take the branch */
    const bool will_branch = sg.get_local_linear_id() % 2 == 0;
    auto inner = subwave::get_ballot_group(sg, will_branch);

    if (will_branch) {
        /* wait for all work-items that took the branch to reach the barrier */
        subwave::group_barrier(inner);

        /* reduce across the work-items that took the branch */
        sum[threadIdx.x] = subwave::reduce_over_group(inner, x[threadIdx.x], plus<>());
    }
}

/* Sums of eight neighbours; the first of them writes. (Waves of 4 have no eight neighbours.) */
template <int N> __global__ void fixed_size_example(const float *x, float *sum)
{
    auto sg = get_sub_group();
    auto partition = subwave::get_fixed_size_group<N>(sg);
    const float result = subwave::reduce_over_group(partition, x[threadIdx.x], plus<>());

    /* write the result once a group */
    const int groups_before = sg.get_group_linear_id() * partition.get_group_linear_range();
    if (partition.leader())
        sum[groups_before + partition.get_group_id()] = result;
}

/* An interface that accepts exactly four work-items: the transpose of 4 x 4 values, one row
 * each. */
__device__ void transpose_by_4_work_items(subwave::fixed_size_group<4> group, float (&row)[4])
{
    float column[4] = {};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            const float element = subwave::group_broadcast(group, row[j], i);
            if (int(group.get_local_linear_id()) == j)
                column[i] = element;
        }
    for (int i = 0; i < 4; ++i)
        row[i] = column[i];
}

__global__ void interface_example(float *matrices)
{
    float row[4];
    for (int j = 0; j < 4; ++j)
        row[j] = matrices[4 * threadIdx.x + j];
    transpose_by_4_work_items(subwave::get_fixed_size_group<4>(get_sub_group()), row);
    for (int j = 0; j < 4; ++j)
        matrices[4 * threadIdx.x + j] = row[j];
}

/* As the first, but who is there is asked inside the branch. */
__global__ void tangle_example(const float *x, float *sum)
{
    auto sg = get_sub_group();
    const bool will_branch = sg.get_local_linear_id() % 2 == 0;
    if (will_branch) {
        auto inner = subwave::get_tangle_group(sg);
        subwave::group_barrier(inner);
        sum[threadIdx.x] = subwave::reduce_over_group(inner, x[threadIdx.x], plus<>());
    }
}

/* *counter + 1 for each caller, by one atomic addition for all that are here at once. */
__device__ int atomic_aggregate_inc(int *counter)
{
    /* the work-items that called this function simultaneously */
    auto active_group = subwave::this_kernel::get_opportunistic_group();

    /* one addition on behalf of them all */
    const int count = active_group.get_local_linear_range();
    int old_value = 0;
    if (active_group.leader())
        old_value = atomicAdd(counter, count);

    /* the value that each might have received if it had worked alone */
    const int base = subwave::group_broadcast(active_group, old_value);
    return base + active_group.get_local_linear_id();
}

__global__ void opportunistic_example(int *counter, int *taken)
{
    if (threadIdx.x % 3 != 0)
        taken[threadIdx.x] = SUBWAVE_CALL(atomic_aggregate_inc(counter));
}

/* --- the host -------------------------------------------------------------------------------- */

static void require(hipError_t code)
{
    if (code == hipSuccess)
        return;
    std::fprintf(stderr, "%s\n", hipGetErrorString(code));
    std::exit(1);
}

template <class T> static T *upload(const std::vector<T> &host)
{
    void *device;
    require(hipMalloc(&device, host.size() * sizeof(T)));
    require(hipMemcpy(device, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice));
    return static_cast<T *>(device);
}
template <class T> static void download(std::vector<T> &host, T *device)
{
    require(hipGetLastError());
    require(hipMemcpy(host.data(), device, host.size() * sizeof(T), hipMemcpyDeviceToHost));
    require(hipFree(device));
}

static bool report(const char *example, bool right)
{
    std::printf("%-13s %s\n", example, right ? "right" : "WRONG");
    return right;
}

int main()
{
    const int items = 128; /* one work-group, of whole sub-groups on every device */
    hipDeviceProp_t device;
    require(hipGetDeviceProperties(&device, 0));
    const int width = device.warpSize;
    std::printf("%s, sub-groups of %d\n", device.name, width);

    std::vector<float> x(items), even_sums(items, -1);
    for (int i = 0; i < items; ++i)
        x[i] = float(i * i % 31);
    for (int i = 0; i < items; i += 2) {
        even_sums[i] = 0;
        for (int j = i / width * width; j < i / width * width + width; j += 2)
            even_sums[i] += x[j];
    }
    float *const device_x = upload(x);
    bool right = true;

    std::vector<float> sums(items, -1);
    float *device_sums = upload(sums);
    hipLaunchKernelGGL(ballot_example, dim3(1), dim3(items), 0, 0, device_x, device_sums);
    download(sums, device_sums);
    right &= report("ballot", sums == even_sums);

    const int size = width < 8 ? width : 8;
    std::vector<float> group_sums(items / size, 0);
    for (int i = 0; i < items; ++i)
        group_sums[i / size] += x[i];
    sums.assign(items / size, -1);
    device_sums = upload(sums);
    if (size == 8)
        hipLaunchKernelGGL(fixed_size_example<8>, dim3(1), dim3(items), 0, 0, device_x,
                           device_sums);
    else
        hipLaunchKernelGGL(fixed_size_example<4>, dim3(1), dim3(items), 0, 0, device_x,
                           device_sums);
    download(sums, device_sums);
    right &= report("fixed size", sums == group_sums);

    std::vector<float> matrices(4 * items), transposed(4 * items);
    for (int i = 0; i < 4 * items; ++i) {
        matrices[i] = float(i);
        transposed[i / 16 * 16 + i % 4 * 4 + i / 4 % 4] = float(i);
    }
    float *const device_matrices = upload(matrices);
    hipLaunchKernelGGL(interface_example, dim3(1), dim3(items), 0, 0, device_matrices);
    download(matrices, device_matrices);
    right &= report("interface", matrices == transposed);

    sums.assign(items, -1);
    device_sums = upload(sums);
    hipLaunchKernelGGL(tangle_example, dim3(1), dim3(items), 0, 0, device_x, device_sums);
    download(sums, device_sums);
    right &= report("tangle", sums == even_sums);

    /* Each number from 0 on is taken exactly once. */
    std::vector<int> taken(items, -1), counter(1, 0), owners;
    int *const device_counter = upload(counter), *const device_taken = upload(taken);
    hipLaunchKernelGGL(opportunistic_example, dim3(1), dim3(items), 0, 0, device_counter,
                       device_taken);
    download(taken, device_taken);
    download(counter, device_counter);
    bool permutation = true;
    owners.assign(items, 0);
    for (int i = 0; i < items; ++i)
        if (i % 3 != 0 && taken[i] >= 0 && taken[i] < counter[0])
            ++owners[taken[i]];
        else
            permutation &= i % 3 == 0 && taken[i] == -1;
    for (int i = 0; i < counter[0]; ++i)
        permutation &= owners[i] == 1;
    right &= report("opportunistic", permutation && counter[0] == items - (items + 2) / 3);

    require(hipFree(device_x));
    return right ? 0 : 1;
}
