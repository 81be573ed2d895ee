/* SPDX-License-Identifier: MIT
 * case_registers.cpp: group functions in registers, a full device of waves that do nothing else.
 */
#include "bench.hpp"

#include "../src/cpu/cpu.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace bench {
namespace {

/* Who shares a group with whom, and takes part at all, in the kinds of registers.hip. */
bool takes_part(const std::string &kind, int lane)
{
    return (kind != "tangle" && kind != "ballot, one side") || SUBWAVE_BENCH_SIDE(lane);
}
int width_of(const std::string &kind, int wave)
{
    const char prefix[] = "fixed_size ";
    return kind.starts_with(prefix) ? std::stoi(kind.substr(std::strlen(prefix))) : wave;
}
bool together(const std::string &kind, int width, int a, int b)
{
    if (kind == "sub_group" || kind.starts_with("fixed_size"))
        return a / width == b / width;
    return SUBWAVE_BENCH_SIDE(a) == SUBWAVE_BENCH_SIDE(b);
}

class register_problem : public problem {
public:
    register_problem(const device &on, const problem_key &key, unsigned blocks, int rounds)
        : blocks(blocks), rounds(rounds),
          sums(on, std::size_t(blocks) * REGISTER_BLOCK * subwave_dtype_size(key.dtype), 1),
          key_(key), wave_(on.wave())
    {
        bound = 2.0 * rounds * measure_epsilon(key.dtype);
    }
    void poison() override { sums.poison(0); }

    /* The largest relative error of a lane's sum. */
    double error() override
    {
        const std::vector<unsigned char> elements = sums.read(0);
        std::vector<double> found(elements.size() / subwave_dtype_size(key_.dtype));
        measure_decode(key_.dtype, static_cast<std::int64_t>(found.size()), elements.data(),
                       found.data());
        double worst = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            const int lane = static_cast<int>(i % static_cast<std::size_t>(wave_));
            double right = 0;
            bool first = true;
            for (int other = 0; other < wave_; ++other) {
                if (!together(key_.kind, width_of(key_.kind, wave_), lane, other))
                    continue;
                first &= other >= lane;
                if (key_.operation == "register_reduce" || other <= lane)
                    right += rounds * (other + 1.0) + rounds * (rounds - 1.0) / 2;
            }
            if (!takes_part(key_.kind, lane) || (first_only && !first))
                continue;
            const double off = std::fabs(found[i] - right) / right;
            worst = std::isnan(off) ? INFINITY : std::max(worst, off);
        }
        return worst;
    }

    unsigned blocks;
    int rounds;
    rotating_array sums;
    bool first_only = false;

private:
    problem_key key_;
    int wave_;
};

contender contender_of(device &on, const register_kernel &kernel)
{
    return {kernel.by, "", kernel.version, [&on, &kernel](problem &p, int) {
                auto &r = static_cast<register_problem &>(p);
                r.first_only = kernel.first_only;
                subwave_cpu_stream settings; /* what the CPU device calls a stream */
                void *stream = on.runtime->stream();
                if (!on.is_gpu()) {
                    if (subwave_cpu_stream_init(&settings, on.wave()) != 0)
                        throw failure(subwave_cpu_error());
                    stream = &settings;
                }
                if (const int code = kernel.launch(stream, r.blocks, r.rounds, r.sums[0]))
                    throw failure("launch: error " + std::to_string(code));
            }};
}

} // namespace

void register_cases(session &s)
{
    std::vector<std::string> kinds;
    for (const register_kernel &k : registry<register_kernel>())
        if (std::find(kinds.begin(), kinds.end(), k.kind) == kinds.end())
            kinds.push_back(k.kind);
    const shape full = {.n = std::int64_t(8) * s.on.units() * REGISTER_BLOCK};
    const int rounds = s.on.is_gpu() ? 2000 : 48;
    const std::vector<subwave_dtype> dtypes = {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64,
                                               SUBWAVE_DTYPE_U32};
    for (const std::string function : {"reduce", "scan"})
        for (const std::string &kind : kinds)
            for (subwave_dtype dtype : s.dtypes(dtypes, dtypes)) {
                const std::string operation = "register_" + function;
                if (!s.wants(operation.c_str()) || !s.wants_kind(kind) || !s.wants_op("plus") ||
                    s.wishes.caches[0] == cache::cold || width_of(kind, s.on.wave()) > s.on.wave())
                    continue;
                std::vector<contender> contenders;
                for (const register_kernel &k : registry<register_kernel>())
                    if (k.function == function && k.kind == kind && k.dtype == dtype &&
                        s.on.is_gpu() == (std::strcmp(k.platform, "cpu") != 0))
                        contenders.push_back(contender_of(s.on, k));
                for (const shape &size : s.sizes({full})) {
                    if (size.m || size.n % REGISTER_BLOCK)
                        continue;
                    const problem_key key = {operation, dtype, size, cache::warm, kind, "plus"};
                    const double calls = static_cast<double>(size.n / s.on.wave() * rounds);
                    s.run(key, {calls, 0, "waves/ns"}, contenders, [&] {
                        return std::make_unique<register_problem>(
                            s.on, key, static_cast<unsigned>(size.n / REGISTER_BLOCK), rounds);
                    });
                }
            }
}

} // namespace bench
