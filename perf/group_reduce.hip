/* SPDX-License-Identifier: MIT
 * group_reduce.hip: group reductions in registers beside CUDA's cooperative groups, in one run.
 *
 * Every kernel keeps the GPU full of waves that do nothing but reduce, a chain of 2000 reductions each;
 * the figure is reductions a nanosecond of all waves together, both sides of a ballot counted as one.
 * Results are checked. Usage: subwave-bench-groups
 */
#include <subwave/subwave.hpp>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;
using namespace subwave;

enum { REDUCTIONS = 2000, BLOCK = 256, BLOCKS_PER_UNIT = 8, ROUNDS = 7 };

/* One third of the lanes against two thirds. */
static constexpr std::uint32_t SIDES = 0x92492492u;
static __host__ __device__ bool side(int lane) { return SIDES >> lane & 1; }

/* Groups are made once; each reduction depends on the one before it. */
template <class T, class Group, class Reduce>
static __device__ void chain(T *out, Group group, Reduce reduce)
{
    T x = T(wave_lane() + 1), sum = 0;
    for (int i = 0; i < REDUCTIONS; ++i) {
        sum += reduce(group, x);
        x += T(1);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

struct ours {
    template <class Group, class T> __device__ T operator()(Group g, T x) const
    {
        return reduce_over_group(g, x, plus<T>());
    }
};
struct peers {
    template <class Group, class T> __device__ T operator()(Group g, T x) const
    {
        return cg::reduce(g, x, cg::plus<T>());
    }
};

template <class T> __global__ void full_ours(T *out)
{
    chain(out, this_work_item::get_sub_group(), ours());
}
template <class T> __global__ void fixed32_ours(T *out)
{
    chain(out, get_fixed_size_group<32>(this_work_item::get_sub_group()), ours());
}
template <class T> __global__ void full_peer(T *out)
{
    chain(out, cg::tiled_partition<32>(cg::this_thread_block()), peers());
}
template <class T> __global__ void fixed8_ours(T *out)
{
    chain(out, get_fixed_size_group<8>(this_work_item::get_sub_group()), ours());
}
template <class T> __global__ void fixed8_peer(T *out)
{
    chain(out, cg::tiled_partition<8>(cg::this_thread_block()), peers());
}
template <class T> __global__ void ballot_ours(T *out)
{
    chain(out, get_ballot_group(this_work_item::get_sub_group(), side(wave_lane())), ours());
}
template <class T> __global__ void ballot_peer(T *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    chain(out, cg::binary_partition(warp, side(wave_lane())), peers());
}
template <class T> __global__ void branch_ours(T *out)
{
    auto g = get_ballot_group(this_work_item::get_sub_group(), side(wave_lane()));
    if (side(wave_lane()))
        chain(out, g, ours());
}
template <class T> __global__ void branch_peer(T *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto g = cg::binary_partition(warp, side(wave_lane()));
    if (side(wave_lane()))
        chain(out, g, peers());
}
template <class T> __global__ void tangle_ours(T *out)
{
    if (side(wave_lane()))
        chain(out, get_tangle_group(this_work_item::get_sub_group()), ours());
}
template <class T> __global__ void tangle_peer(T *out)
{
    if (side(wave_lane()))
        chain(out, cg::coalesced_threads(), peers());
}

/* Reductions a nanosecond, or a negative number if a result is wrong. */
template <class T> static double rate(void (*kernel)(T *), bool (*together)(int, int), bool branch)
{
    int units = 0;
    cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0);
    const int blocks = units * BLOCKS_PER_UNIT;
    T *out;
    cudaMalloc(&out, sizeof(T) * blocks * BLOCK);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    std::vector<float> times;
    for (int round = 0; round < ROUNDS; ++round) {
        cudaEventRecord(begin);
        kernel<<<blocks, BLOCK>>>(out);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms = -1;
        cudaEventElapsedTime(&ms, begin, end);
        times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    T result[32];
    const bool ran = cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost) == cudaSuccess;
    bool right = ran;
    for (int lane = 0; lane < 32; ++lane) {
        if (branch && !side(lane))
            continue;
        double sum = 0;
        for (int other = 0; other < 32; ++other)
            if (together(lane, other))
                sum += REDUCTIONS * (other + 1.0) + REDUCTIONS * (REDUCTIONS - 1.0) / 2;
        right &= std::fabs(double(result[lane]) - sum) <= 1e-4 * sum;
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaFree(out);
    return right ? double(blocks) * BLOCK / 32 * REDUCTIONS / (times[ROUNDS / 2] * 1e6) : -1;
}

static bool all_right = true;

template <class T>
static void row(const char *name, const char *type, void (*mine)(T *), void (*peer)(T *),
                bool (*together)(int, int), bool branch = false)
{
    const double a = rate(mine, together, branch), b = rate(peer, together, branch);
    if (a < 0 || b < 0) {
        std::printf("%-28s %-5s WRONG RESULT of %s\n", name, type, a < 0 ? "subwave" : "the peer");
        all_right = false;
    } else {
        std::printf("%-28s %-5s %10.2f %10.2f %8.2f\n", name, type, a, b, a / b);
    }
}

template <class T> static void rows(const char *type)
{
    auto all = [](int, int) { return true; };
    auto eight = [](int a, int b) { return a / 8 == b / 8; };
    auto sides = [](int a, int b) { return side(a) == side(b); };
    row<T>("fixed-size 32", type, fixed32_ours<T>, full_peer<T>, all);
    row<T>("sub-group, maybe partial", type, full_ours<T>, full_peer<T>, all);
    row<T>("fixed-size 8", type, fixed8_ours<T>, fixed8_peer<T>, eight);
    row<T>("ballot, both sides at once", type, ballot_ours<T>, ballot_peer<T>, sides);
    row<T>("ballot, inside its branch", type, branch_ours<T>, branch_peer<T>, sides, true);
    row<T>("tangle / coalesced_threads", type, tangle_ours<T>, tangle_peer<T>, sides, true);
}

int main()
{
    cudaDeviceProp device;
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) {
        std::printf("no NVIDIA device\n");
        return 77;
    }
    std::printf("%s: sums, wave-reductions a nanosecond\n%-28s %-5s %10s %10s %8s\n", device.name,
                "group", "type", "subwave", "CUDA CG", "ratio");
    rows<float>("f32");
    rows<double>("f64");
    rows<std::uint32_t>("u32");
    return all_right ? 0 : 1;
}
