/* SPDX-License-Identifier: MIT
 * kernels.hip: kernels that do as they should, and kernels that do what the runner must notice.
 */
#include "kernels.h"

#include <hip/hip_runtime.h>

__device__ int variable = 40;
__constant__ int constant[4];

namespace {

__global__ void set(int *to, int value, int count)
{
    const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count)
        to[i] = value + i;
}

__global__ void add(int *to, const int *from, int count)
{
    const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count)
        to[i] += from[i];
}

__global__ void store_behind(int *to, int count, int distance) { to[count + distance] = 1; }
__global__ void load(int *to, const int *from, int distance) { to[0] = from[distance]; }
__global__ void grid(int *to)
{
    if (threadIdx.x == 0)
        atomicAdd(to, 1);
}
__global__ void __launch_bounds__(64) bounded(int *to) { to[threadIdx.x] = int(threadIdx.x); }

__global__ void lds(int *to, unsigned count)
{
    __shared__ int own[8192];
    extern __shared__ int dynamic[];
    own[threadIdx.x] = int(threadIdx.x);
    dynamic[count - 1 - threadIdx.x] = 2;
    __syncthreads();
    to[threadIdx.x] = own[63 - threadIdx.x] + dynamic[count - 64 + threadIdx.x];
}

__global__ void read_clock(long long *to) { to[0] = clock64(); }

__global__ void race(int *to)
{
    __shared__ int shared[1];
    if (threadIdx.x == 0)
        shared[0] = 1;
    if (threadIdx.x == 64)
        to[0] = shared[0];
}

__global__ void endless(volatile int *to)
{
    while (to[0] != 1)
        ;
}

__global__ void use_variable(int *to) { to[0] = ++variable + constant[2]; }

template <class... Types, class... Arguments>
int launch(void (*kernel)(Types...), dim3 blocks, dim3 threads, size_t dynamic_lds, void *stream,
           Arguments... arguments)
{
    (void)hipGetLastError(); /* from HIP 6 on it stays until it is read */
    kernel<<<blocks, threads, dynamic_lds, hipStream_t(stream)>>>(arguments...);
    return hipGetLastError();
}

} // namespace

int launch_set(int *to, int value, int count, void *stream)
{
    return launch(set, dim3((count + 63) / 64), dim3(64), 0, stream, to, value, count);
}
int launch_add(int *to, const int *from, int count, void *stream)
{
    return launch(add, dim3((count + 63) / 64), dim3(64), 0, stream, to, from, count);
}
int launch_behind(int *to, int count, int distance, void *stream)
{
    return launch(store_behind, dim3(1), dim3(1), 0, stream, to, count, distance);
}
int launch_load(int *to, const int *from, int distance, void *stream)
{
    return launch(load, dim3(1), dim3(1), 0, stream, to, from, distance);
}
int launch_grid(unsigned x, unsigned y, unsigned z, unsigned threads, size_t dynamic_lds, int *to,
                void *stream)
{
    return launch(grid, dim3(x, y, z), dim3(threads), dynamic_lds, stream, to);
}
int launch_bounded(unsigned threads, int *to, void *stream)
{
    return launch(bounded, dim3(1), dim3(threads), 0, stream, to);
}
int launch_lds(size_t dynamic_bytes, int *to, void *stream)
{
    return launch(lds, dim3(1), dim3(64), dynamic_bytes, stream, to,
                  unsigned(dynamic_bytes / sizeof(int)));
}
int launch_clock(long long *to, void *stream)
{
    return launch(read_clock, dim3(1), dim3(1), 0, stream, to);
}
int launch_race(int *to, void *stream) { return launch(race, dim3(1), dim3(128), 0, stream, to); }
int launch_endless(int *to, void *stream)
{
    return launch(endless, dim3(1), dim3(1), 0, stream, to);
}
int launch_variable(int *to, void *stream)
{
    return launch(use_variable, dim3(1), dim3(1), 0, stream, to);
}
int write_variable(int value)
{
    return hipMemcpyToSymbol(HIP_SYMBOL(variable), &value, sizeof value);
}
int read_variable(int *value)
{
    return hipMemcpyFromSymbol(value, HIP_SYMBOL(variable), sizeof *value);
}
int write_constant(const int values[4])
{
    return hipMemcpyToSymbol(HIP_SYMBOL(constant), values, 4 * sizeof *values);
}
const void *function_of_set(void) { return reinterpret_cast<const void *>(set); }
