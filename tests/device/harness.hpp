/* SPDX-License-Identifier: MIT
 * harness.hpp: launches whose every work-item writes a row that a plain C++ reference predicts, on
 * the CPU device, an AMD or an NVIDIA GPU.
 */
#ifndef SUBWAVE_TESTS_DEVICE_HARNESS_HPP
#define SUBWAVE_TESTS_DEVICE_HARNESS_HPP

#include <subwave/subwave.hpp>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
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

namespace test {

using namespace subwave;
using word64 = std::uint64_t;

/* --- on the device --------------------------------------------------------------------------- */

/* Kinds of group; a positive one is that fixed size. `ballot` is used by both sides in one
 * converged instruction, `ballot_branch` by each in a branch of its own; `partition` by up to six
 * groups in one instruction, those of each side whose lanes leave one remainder by three. */
enum : int {
    whole = -1,
    ballot = -2,
    ballot_branch = -3,
    tangle = -4,
    opportunistic = -5,
    partition = -6
};
SUBWAVE_DEVICE word64 partition_key(bool p, int lane)
{
    return word64(lane % 3) << 31 | word64(p) << 5 | 0x7700;
}

/* Every kernel is of this type, so that one launcher and one file format serve all. */
using kernel = void(const word64 *in, word64 *out, std::int64_t argument);

/* This work-item in the grid, worked out without the interface under test. */
SUBWAVE_DEVICE int grid_item()
{
    const int size = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
    return static_cast<int>(blockIdx.x) * size +
           static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}

/* Calls body(group) with a group of kind K, divided by p; textually alike on both sides of a
 * branch. */
template <int K, class Body> SUBWAVE_DEVICE void with_group(bool p, Body body)
{
    const sub_group sg = this_work_item::get_sub_group();
    if constexpr (K == whole) {
        body(sg);
    } else if constexpr (K == ballot) {
        body(get_ballot_group(sg, p));
    } else if constexpr (K == ballot_branch) {
        const auto g = get_ballot_group(sg, p);
        if (p)
            body(g);
        else
            body(g);
    } else if constexpr (K == tangle) {
        if (p)
            body(get_tangle_group(sg));
        else
            body(get_tangle_group(sg));
    } else if constexpr (K == opportunistic) {
        if (p)
            body(this_kernel::get_opportunistic_group());
        else
            body(this_kernel::get_opportunistic_group());
    } else if constexpr (K == partition) {
        body(get_partition_group(sg, partition_key(p, wave_lane())));
    } else if constexpr (K <= max_wave_size()) {
        body(get_fixed_size_group<K>(sg));
    }
}

/* Values as words: zero-extended, and all NaNs alike, whose payloads no target promises. */
template <class T> SUBWAVE_DEVICE word64 to_word(const T &x)
{
    word64 result = 0;
    if constexpr (is_floating_v<T>) {
        if (as_machine_number(x) != as_machine_number(x))
            return 0x7ff8deadu;
    }
    memcpy(&result, &x, sizeof(T));
    return result;
}
template <class T> SUBWAVE_DEVICE T from_word(word64 bits)
{
    T x;
    memcpy(static_cast<void *>(&x), &bits, sizeof(T));
    return x;
}

/* --- on the host ----------------------------------------------------------------------------- */

constexpr word64 poison = 0xa5a5a5a5a5a5a5a5u;
/* In an expected row: any value but poison. */
constexpr word64 anything = 0x0dd0dd0dd0dd0dd0u;

/* splitmix64 */
struct random_words {
    word64 state;
    word64 operator()()
    {
        word64 z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
};

struct launch_case {
    const char *name;
    kernel *function;
    int kind;
    dim3 block;
    int in_columns, columns;
    std::int64_t argument = 0;
    int blocks = 1;
    /* a row of in_columns a work-item, predicate first; then what is extra */
    std::vector<word64> in = {};
};

/* A work-item as the reference sees it. */
struct member {
    const launch_case *of;
    int item, lane, count, first; /* in the grid; in its wave; lanes that exist; item of lane 0 */
    int wave, waves;              /* in its block */
    word64 mask;                  /* lanes of its group */

    const word64 *in(int other) const { return &of->in[(first + other) * of->in_columns]; }
    bool has(int other) const { return mask >> other & 1; }
    int size() const { return __builtin_popcountll(mask); }
    int rank_of(int other) const { return __builtin_popcountll(mask & ((word64(1) << other) - 1)); }
    int rank() const { return rank_of(lane); }
    int lane_of(int rank) const
    {
        word64 rest = mask;
        while (rank-- > 0)
            rest &= rest - 1;
        return __builtin_ctzll(rest);
    }
    int leader() const { return __builtin_ctzll(mask); }
};

inline word64 low_bits(int n) { return n >= 64 ? ~word64(0) : (word64(1) << n) - 1; }
inline int items_of(dim3 block) { return static_cast<int>(block.x * block.y * block.z); }

using reference = std::function<void(const member &, word64 *row)>;

class machine {
public:
    int wave = 0;
    bool full = false;
    word64 seed = 0;
    int launches = 0, failures = 0;

    std::string name;

    /* Whether the next of very many cases is to be run: one in `every` of a full run, fewer of
     * others. */
    bool take(int every) { return ++turn % (full ? every : 4 * every + 1) == 0; }
    int turn = 0;

    /* Blocks of every shape, whole waves or not. */
    std::vector<dim3> blocks() const
    {
        const unsigned w = static_cast<unsigned>(wave);
        return {dim3(w),        dim3(2 * w + 3), dim3(8, 8, 1), dim3(16, 1, 4),
                dim3(1, 64, 1), dim3(33, 1, 1),  dim3(5, 3, 2), dim3(1)};
    }
    /* Whether groups of this kind can be made in every sub-group of the block. */
    bool fits(int kind, dim3 block) const
    {
        return kind < 0 || (kind <= wave && items_of(block) % wave % kind == 0);
    }

    /* Rows for a launch: word 0 is what divides the sub-group, the others are random. */
    void fill(launch_case &l, int pattern, word64 salt = 0) const
    {
        random_words draw{word64(pattern) * 1000003u + salt};
        const int size = items_of(l.block), items = l.blocks * size;
        l.in.assign(static_cast<std::size_t>(items) * l.in_columns, 0);
        word64 divided = 0;
        for (int i = 0; i < items; ++i) {
            const int lane = i % size % wave;
            if (lane == 0)
                divided = side(pattern, draw());
            word64 *row = &l.in[static_cast<std::size_t>(i) * l.in_columns];
            row[0] = divided >> lane & 1;
            for (int c = 1; c < l.in_columns; ++c)
                row[c] = draw();
        }
    }
    static constexpr int patterns = 8;
    static word64 side(int pattern, word64 random)
    {
        const word64 sides[patterns] = {random,
                                        0,
                                        ~word64(0),
                                        0x5555555555555555u,
                                        word64(3) << 31,
                                        word64(1) << 63 | 0x88888888u,
                                        1,
                                        random & random >> 7 & random << 9};
        return sides[pattern];
    }

    /* `more`, if given, says what else is wrong with all rows together; "" if nothing. */
    void run(const launch_case &l, const reference &expect,
             const std::function<std::string(const word64 *out)> &more = nullptr)
    {
        const std::size_t items = static_cast<std::size_t>(l.blocks) * items_of(l.block);
        std::vector<word64> out(items * l.columns + 2 * guard, poison);
        ++launches;
        if (!launch_on_device(l, out))
            return;
        for (std::size_t i = 0; i < guard; ++i)
            if (out[i] != poison || out[out.size() - 1 - i] != poison)
                return fail(l, "a guard band was written");
        verify(l, out.data() + guard, expect);
        const std::string problem = more ? more(out.data() + guard) : "";
        if (!problem.empty())
            return fail(l, problem);
    }

    void fail(const launch_case &l, const std::string &what)
    {
        if (++failures > 20)
            return;
        std::printf("%s: %s, block (%u,%u,%u), argument %" PRId64 ": FAILED: %s\n", name.c_str(),
                    l.name, l.block.x, l.block.y, l.block.z, l.argument, what.c_str());
    }

#if defined(SUBWAVE_CPU_DEVICE)
    subwave_cpu_stream *stream = nullptr;
#else
    void *stream = nullptr;
#endif

private:
    static constexpr std::size_t guard = 64;

    bool launch_on_device(const launch_case &l, std::vector<word64> &out)
    {
        word64 *in_there, *out_there;
        const std::size_t in_bytes = (l.in.size() + 1) * sizeof(word64),
                          bytes = out.size() * sizeof(word64);
        std::vector<word64> in = l.in;
        in.push_back(poison);
        require(hipMalloc(&in_there, in_bytes));
        require(hipMalloc(&out_there, bytes));
        require(hipMemcpy(in_there, in.data(), in_bytes, hipMemcpyDefault));
        require(hipMemcpy(out_there, out.data(), bytes, hipMemcpyDefault));
        const int status =
            launch(l.function, dim3(static_cast<unsigned>(l.blocks)), l.block, 0, stream,
                   static_cast<const word64 *>(in_there), out_there + guard, l.argument);
#if defined(SUBWAVE_CPU_DEVICE)
        if (status != 0)
            fail(l, subwave_cpu_error());
#else
        require(static_cast<hipError_t>(status));
        require(hipDeviceSynchronize());
#endif
        require(hipMemcpy(out.data(), out_there, bytes, hipMemcpyDefault));
        require(hipMemcpy(in.data(), in_there, in_bytes, hipMemcpyDefault));
        require(hipFree(in_there));
        require(hipFree(out_there));
        in.pop_back();
        if (status == 0 && in != l.in)
            fail(l, "an input was written");
        return status == 0;
    }

    static void require(hipError_t code)
    {
        if (code == hipSuccess)
            return;
        std::printf("FAILED: %s\n", hipGetErrorString(code));
        std::exit(1);
    }

    /* The lanes of the member's group. An opportunistic group may be any part of its side: what the
     * kernel says of itself, if it is consistent. */
    word64 lanes(const launch_case &l, const member &m, const word64 *out,
                 std::string &problem) const
    {
        const word64 existing = low_bits(m.count);
        if (l.kind > 0)
            return low_bits(l.kind) << (m.lane & -l.kind);
        word64 mine = 0;
        for (int i = 0; i < m.count; ++i)
            if (l.kind == whole || ((m.in(i)[0] & 1) == (m.in(m.lane)[0] & 1) &&
                                    (l.kind != partition || i % 3 == m.lane % 3)))
                mine |= word64(1) << i;
        mine &= existing;
        if (l.kind != opportunistic)
            return mine;
        const word64 said = out[static_cast<std::size_t>(m.item) * l.columns];
        if (said == poison && (mine & said) != said)
            problem = "never ran";
        else if ((said & ~mine) != 0 || !(said >> m.lane & 1))
            problem = "is in no group, or in one that reaches beyond its control flow";
        else
            for (int i = 0; i < m.count; ++i)
                if ((said >> i & 1) &&
                    out[static_cast<std::size_t>(m.first + i) * l.columns] != said)
                    problem = "disagrees with a member about the group";
        return said;
    }

    void verify(const launch_case &l, const word64 *out, const reference &expect)
    {
        std::vector<word64> row(l.columns);
        const int size = items_of(l.block);
        for (int i = 0; i < l.blocks * size; ++i) {
            const int in_block = i % size, lane = in_block % wave, left = size - (in_block - lane);
            member m{&l,
                     i,
                     lane,
                     left < wave ? left : wave,
                     i - lane,
                     in_block / wave,
                     (size + wave - 1) / wave,
                     0};
            std::string problem;
            m.mask = lanes(l, m, out, problem);
            if (!problem.empty())
                return fail(l, "work-item " + std::to_string(i) + " " + problem);
            row.assign(row.size(), poison);
            row[0] = m.mask;
            expect(m, row.data());
            for (int c = 0; c < l.columns; ++c) {
                const word64 got = out[static_cast<std::size_t>(i) * l.columns + c];
                if (got == row[c] || (row[c] == anything && got != poison))
                    continue;
                char text[160];
                std::snprintf(text, sizeof text,
                              "work-item %d (lane %d, group %#" PRIx64 "), column %d: %#" PRIx64
                              ", not %#" PRIx64,
                              i, lane, m.mask, c, got, row[c]);
                return fail(l, text);
            }
        }
    }
};

/* [--full] [--wave N] [--seed N]; all waves and four seeds of the CPU device unless told. */
inline int main_of(int argc, char **argv, void (*cases)(machine &))
{
    machine m;
    int only_wave = 0;
    long only_seed = -1;
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        const char *value = i + 1 < argc ? argv[i + 1] : nullptr;
        if (option == "--full") {
            m.full = true;
            continue;
        }
        if (option == "--wave" && value)
            only_wave = std::atoi(value);
        else if (option == "--seed" && value)
            only_seed = std::atol(value);
        else {
            std::fprintf(stderr, "usage: %s [--full] [--wave N] [--seed N]\n", argv[0]);
            return 2;
        }
        ++i;
    }
#if defined(SUBWAVE_CPU_DEVICE)
    for (int wave : {4, 8, 16, 32, 64})
        for (long seed : {0, 1, 2, 3}) {
            subwave_cpu_stream settings;
            if ((only_wave && wave != only_wave) || (only_seed >= 0 && seed != only_seed))
                continue;
            if (subwave_cpu_stream_init(&settings, wave) != 0) {
                std::printf("FAILED: %s\n", subwave_cpu_error());
                return 1;
            }
            settings.seed = m.seed = static_cast<word64>(seed);
            m.stream = &settings;
            m.wave = wave;
            m.name = "cpu:" + std::to_string(wave) + " seed " + std::to_string(seed);
            cases(m);
        }
#else
    hipDeviceProp_t properties;
    const hipError_t code = hipGetDeviceProperties(&properties, 0);
    if (code != hipSuccess) {
        std::printf("skipped: no GPU: %s\n", hipGetErrorString(code));
        return 77;
    }
    m.name = properties.name;
    m.wave = properties.warpSize;
    if ((only_wave && only_wave != m.wave) || only_seed > 0) {
        std::printf("skipped: %s has waves of %d, and no seeds\n", properties.name, m.wave);
        return 77;
    }
    cases(m);
#endif
    std::printf("%d launches, %d failed\n", m.launches, m.failures);
    return m.failures || !m.launches ? 1 : 0;
}

} // namespace test

#endif
