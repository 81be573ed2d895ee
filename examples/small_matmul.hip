/* SPDX-License-Identifier: MIT
 * small_matmul.hip: products of small matrices in a kernel of one's own: a chain of them, A B A, in
 * the registers of eight neighbours, and one by a whole sub-group.
 *
 *   AMD:         hipcc -std=c++17 -O3 small_matmul.hip -o small_matmul
 *   NVIDIA:      nvcc -x cu -std=c++17 -O3 -D__HIP_PLATFORM_NVIDIA__ small_matmul.hip -o
 *                small_matmul
 *   CPU device:  subwave_cpu_kernels(small_matmul small_matmul.hip) in CMake; SUBWAVE_CPU_WAVE=8
 *                ./small_matmul
 */
#include <subwave/device/hip_cuda13.h> /* <hip/hip_runtime.h>, for every CUDA too */
#include <subwave/subwave.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int N = 6, M = 24;

/* C[e] = A[e] B[e] A[e], N x N each. The members of a group hold all three in their registers,
 * dealt out alike (matmul.hpp), so a product is at once an operand of the next. */
template <int Lanes> __global__ void chain(const double *a, const double *b, double *c, int count)
{
    using group = subwave::fixed_size_group<Lanes>;
    const auto sg = subwave::this_work_item::get_sub_group();
    const group g = subwave::get_fixed_size_group<Lanes>(sg);
    const int entry = (blockIdx.x * blockDim.x + threadIdx.x) / Lanes;
    if (entry >= count) /* whole groups leave */
        return;

    subwave::group_matrix<double, N, N, group> first, second, product, result;
    first.load(g, a + entry * N * N, N);
    second.load(g, b + entry * N * N, N);
    product.fill(0);
    subwave::matmul(g, first, second, product);
    result.fill(0);
    subwave::matmul(g, product, first, result);
    result.store(g, c + entry * N * N, N);
}

/* C = A B, M x M, by the one sub-group of the block, on the matrix unit where it has one for
 * doubles. */
__global__ void by_sub_group(const double *a, const double *b, double *c)
{
    const auto sg = subwave::this_work_item::get_sub_group();
    subwave::group_matrix<double, M, M, subwave::sub_group> left, right, product;
    left.load(sg, a, M);
    right.load(sg, b, M);
    product.fill(0);
    subwave::matmul(sg, left, right, product);
    product.store(sg, c, M);
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

static std::vector<double> product(const double *a, const double *b, int n)
{
    std::vector<double> c(n * n, 0.0);
    for (int i = 0; i < n; ++i)
        for (int l = 0; l < n; ++l)
            for (int j = 0; j < n; ++j)
                c[i * n + j] += a[i * n + l] * b[l * n + j];
    return c;
}

/* The largest difference; infinite if there is a NaN. */
static double difference(const double *x, const std::vector<double> &y)
{
    double largest = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double d = std::fabs(x[i] - y[i]);
        largest = d <= largest ? largest : d > largest ? d : INFINITY;
    }
    return largest;
}

int main()
{
    const int count = 50;
    std::vector<double> a(count * N * N), b(count * N * N), c(count * N * N, NAN), d(M * M, NAN);
    for (double &x : a)
        x = std::rand() / double(RAND_MAX) - 0.5;
    for (double &x : b)
        x = std::rand() / double(RAND_MAX) - 0.5;

    hipDeviceProp_t device;
    require(hipGetDeviceProperties(&device, 0));
    const int width = device.warpSize, lanes = width < 8 ? 4 : 8;
    double *device_a = upload(a), *device_b = upload(b), *device_c = upload(c),
           *device_d = upload(d);
    const int blocks = (count * lanes + 63) / 64;
    if (lanes == 8)
        hipLaunchKernelGGL(chain<8>, dim3(blocks), dim3(64), 0, 0, device_a, device_b, device_c,
                           count);
    else
        hipLaunchKernelGGL(chain<4>, dim3(blocks), dim3(64), 0, 0, device_a, device_b, device_c,
                           count);
    hipLaunchKernelGGL(by_sub_group, dim3(1), dim3(width), 0, 0, device_a, device_b, device_d);
    require(hipGetLastError());
    require(hipMemcpy(c.data(), device_c, c.size() * sizeof(double), hipMemcpyDeviceToHost));
    require(hipMemcpy(d.data(), device_d, d.size() * sizeof(double), hipMemcpyDeviceToHost));
    for (double *memory : {device_a, device_b, device_c, device_d})
        require(hipFree(memory));

    double error = difference(d.data(), product(a.data(), b.data(), M));
    for (int e = 0; e < count; ++e) {
        const double *of_a = &a[e * N * N];
        const auto both = product(product(of_a, &b[e * N * N], N).data(), of_a, N);
        error = std::fmax(error, difference(&c[e * N * N], both));
    }
    const bool right = error <= 1e-14;
    std::printf("%s, sub-groups of %d: error %.1e: %s\n", device.name, width, error,
                right ? "right" : "WRONG");
    return right ? 0 : 1;
}
