/* SPDX-License-Identifier: MIT
 * broadcast.hip: a matrix product as a user's own kernel: each work-item loads an element of A, and
 * the sub-group hears it from there. No local memory, no barrier.
 *
 *   AMD:         hipcc -std=c++17 -O3 broadcast.hip -o broadcast
 *   NVIDIA:      nvcc -x cu -std=c++17 -O3 -D__HIP_PLATFORM_NVIDIA__ broadcast.hip -o broadcast
 *   CPU device:  subwave_cpu_kernels(broadcast broadcast.hip) in CMake; SUBWAVE_CPU_WAVE=4
 *                ./broadcast
 */
#include <subwave/device/hip_cuda13.h> /* <hip/hip_runtime.h>, for every CUDA too */
#include <subwave/subwave.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

/* C = A B, where A is m x k and B is k x n. Work-groups are a sub-group wide. */
__global__ void matmul(const double *a, const double *b, double *c, int n, int k)
{
    auto sg = subwave::this_work_item::get_sub_group();
    const int width = sg.get_max_local_range(), item = sg.get_local_linear_id();
    const int row = blockIdx.y, column = blockIdx.x * width + item;

    double sum = 0;
    for (int l = 0; l < k; l += width) {
        /* Past the end of the row or of C, a work-item has no element, but still takes part. */
        const double tile = l + item < k ? a[row * k + l + item] : 0;
        const int steps = k - l < width ? k - l : width;
        for (int s = 0; s < steps; ++s) {
            const double element = subwave::group_broadcast(sg, tile, s);
            if (column < n)
                sum += element * b[(l + s) * n + column];
        }
    }
    if (column < n)
        c[row * n + column] = sum;
}

static void require(hipError_t code)
{
    if (code == hipSuccess)
        return;
    std::fprintf(stderr, "%s\n", hipGetErrorString(code));
    std::exit(1);
}

static double *upload(const std::vector<double> &host)
{
    void *device;
    require(hipMalloc(&device, host.size() * sizeof(double)));
    require(hipMemcpy(device, host.data(), host.size() * sizeof(double), hipMemcpyHostToDevice));
    return static_cast<double *>(device);
}

int main()
{
    const int m = 100, n = 150, k = 200;
    std::vector<double> a(m * k), b(k * n), c(m * n, NAN);
    for (double &x : a)
        x = std::rand() / double(RAND_MAX);
    for (double &x : b)
        x = std::rand() / double(RAND_MAX);

    hipDeviceProp_t device;
    require(hipGetDeviceProperties(&device, 0));
    const int width = device.warpSize;
    double *device_a = upload(a), *device_b = upload(b), *device_c = upload(c);
    hipLaunchKernelGGL(matmul, dim3((n + width - 1) / width, m), dim3(width), 0, 0, device_a,
                       device_b, device_c, n, k);
    require(hipGetLastError());
    require(hipMemcpy(c.data(), device_c, c.size() * sizeof(double), hipMemcpyDeviceToHost));
    require(hipFree(device_a));
    require(hipFree(device_b));
    require(hipFree(device_c));

    double largest = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int l = 0; l < k; ++l)
                sum += a[i * k + l] * b[l * n + j];
            const double error = std::fabs(c[i * n + j] - sum) / sum;
            if (!(error <= largest)) /* so that a NaN is kept */
                largest = error;
        }
    const bool right = largest <= 1e-12;
    std::printf("%s, sub-groups of %d: %d x %d x %d, error %.1e: %s\n", device.name, width, m, n, k,
                largest, right ? "right" : "WRONG");
    return right ? 0 : 1;
}
