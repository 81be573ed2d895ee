/* SPDX-License-Identifier: MIT
 * program.hpp: runs generated kernels on the CPU device or on a GPU, beside their references.
 */
#ifndef SUBWAVE_TESTS_RANDOM_PROGRAM_HPP
#define SUBWAVE_TESTS_RANDOM_PROGRAM_HPP

#include "device.hpp"
#include "launch.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#if defined(__CUDACC__)
#define hipMalloc cudaMalloc
#define hipFree cudaFree
#define hipMemcpy cudaMemcpy
#define hipMemcpyDefault cudaMemcpyDefault
#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipGetErrorString cudaGetErrorString
#define hipGetDeviceProperties cudaGetDeviceProperties
#define hipDeviceProp_t cudaDeviceProp
#define hipSuccess cudaSuccess
#define hipError_t cudaError_t
#endif

namespace generated {

struct entry {
    const char *name;
    void (*kernel)(const u64 *, u64 *, i64);
    int (*expect)(const generated_launch &); /* the site of a misuse of a group, or 0 */
    int inputs, columns, stride;
};
struct shape {
    int entry, wave, blocks, x, y, z;
};

/* words of each array behind the rows of input: u32, i64, float, double, float16 */
constexpr int section = 256;
constexpr std::size_t guard = 64;

inline u64 random_word(u64 &state) /* splitmix64 */
{
    u64 z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

inline void require(hipError_t code)
{
    if (code == hipSuccess)
        return;
    std::printf("FAILED: %s\n", hipGetErrorString(code));
    std::exit(1);
}

/* Random rows, and arrays of small whole numbers where they are floats. */
inline std::vector<u64> input(std::size_t rows, u64 &state)
{
    std::vector<u64> in(rows + 5 * section);
    for (u64 &word : in)
        word = random_word(state);
    const std::uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700};
    for (int i = 0; i < section; ++i) {
        const u64 random = random_word(state);
        const float f = static_cast<float>(random & 7);
        const double d = static_cast<double>(random >> 3 & 7);
        std::memcpy(reinterpret_cast<char *>(&in[rows + 2 * section]) + i * sizeof f, &f, sizeof f);
        std::memcpy(&in[rows + 3 * section + i], &d, sizeof d);
        std::memcpy(reinterpret_cast<char *>(&in[rows + 4 * section]) + i * 2,
                    &halves[random >> 6 & 7], 2);
    }
    return in;
}

/* What is wrong with a launch, on a stream that is the CPU device's settings; "" if nothing. */
inline std::string problem_with(const entry &e, const shape &s, void *stream, u64 &state)
{
    const std::size_t items = static_cast<std::size_t>(s.blocks) * s.x * s.y * s.z,
                      words = items * e.stride;
    const std::vector<u64> in = input(items * e.inputs, state);
    std::vector<u64> got(words + 2 * guard, poison), want(words, poison);
    const i64 argument = static_cast<i64>(random_word(state) >> 1);
    u64 *in_there, *out_there;
    require(hipMalloc(&in_there, in.size() * sizeof(u64)));
    require(hipMalloc(&out_there, got.size() * sizeof(u64)));
    require(hipMemcpy(in_there, in.data(), in.size() * sizeof(u64), hipMemcpyDefault));
    require(hipMemcpy(out_there, got.data(), got.size() * sizeof(u64), hipMemcpyDefault));
    const dim3 block(static_cast<unsigned>(s.x), static_cast<unsigned>(s.y),
                     static_cast<unsigned>(s.z));
    const int status = launch(e.kernel, dim3(static_cast<unsigned>(s.blocks)), block, 0, stream,
                              static_cast<const u64 *>(in_there), out_there + guard, argument);
    std::string problem;
#if defined(SUBWAVE_CPU_DEVICE)
    if (status != 0)
        problem = subwave_cpu_error();
#else
    require(static_cast<hipError_t>(status));
    require(hipDeviceSynchronize());
#endif
    require(hipMemcpy(got.data(), out_there, got.size() * sizeof(u64), hipMemcpyDefault));
    require(hipFree(in_there));
    require(hipFree(out_there));
    if (!problem.empty())
        return problem;
    for (std::size_t i = 0; i < guard; ++i)
        if (got[i] != poison || got[got.size() - 1 - i] != poison)
            return "a guard band was written";
    const u64 *rows = got.data() + guard;
    if (e.expect(
            {s.wave, s.blocks, s.x, s.y, s.z, e.stride, in.data(), want.data(), rows, argument}))
        return "a group without all of its members: the generator is wrong";
    for (std::size_t i = 0; i < items; ++i)
        for (int c = 0; c < e.columns; ++c)
            if (const std::size_t at = i * e.stride + c; rows[at] != want[at]) {
                char text[160];
                std::snprintf(text, sizeof text,
                              "argument %#" PRIx64 ": work-item %zu, column %d: %#" PRIx64
                              ", not %#" PRIx64,
                              static_cast<u64>(argument), i, c, rows[at], want[at]);
                return text;
            }
    return "";
}

template <std::size_t Entries, std::size_t Shapes>
int run_all(const entry (&entries)[Entries], const shape (&shapes)[Shapes])
{
    int launches = 0, failures = 0;
    const auto run = [&](const shape &s, void *stream, const char *where) {
        const entry &e = entries[s.entry];
        u64 state = static_cast<u64>(&s - shapes) + 1;
        ++launches;
        const std::string problem = problem_with(e, s, stream, state);
        if (problem.empty())
            return;
        ++failures;
        std::printf("%s: FAILED: %s, block %dx%dx%d x %d, %s\n", e.name, where, s.x, s.y, s.z,
                    s.blocks, problem.c_str());
    };
#if defined(SUBWAVE_CPU_DEVICE)
    for (const shape &s : shapes)
        for (u64 seed : {u64(0), static_cast<u64>(&s - shapes) + 1}) {
            subwave_cpu_stream settings;
            if (subwave_cpu_stream_init(&settings, s.wave) != 0) {
                std::printf("FAILED: %s\n", subwave_cpu_error());
                return 1;
            }
            settings.seed = seed;
            const std::string where =
                "cpu:" + std::to_string(s.wave) + " seed " + std::to_string(seed);
            run(s, &settings, where.c_str());
        }
#else
    hipDeviceProp_t properties;
    require(hipGetDeviceProperties(&properties, 0));
    for (const shape &s : shapes)
        if (s.wave == properties.warpSize)
            run(s, nullptr, properties.name);
#endif
    std::printf("%d launches, %d failed\n", launches, failures);
    return failures || !launches ? 1 : 0;
}

} // namespace generated

#endif
