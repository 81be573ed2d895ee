/* SPDX-License-Identifier: MIT
 * case_copy.cpp: copies by the runtime and by a kernel: the bandwidth that memory-bound work can
 * hope for.
 */
#include "bench.hpp"

#include <cstring>

namespace bench {
namespace {

class copy_problem : public problem {
public:
    copy_problem(const device &on, std::size_t bytes, int count)
        : from(on, bytes, count), to(on, bytes, count)
    {
        sets = count;
        const auto elements = static_cast<std::int64_t>(bytes);
        std::vector<double> values(bytes);
        measure_random(SUBWAVE_DTYPE_U8, elements, 1, values.data());
        contents_.resize(bytes);
        measure_encode(SUBWAVE_DTYPE_U8, elements, values.data(), contents_.data());
        from.fill(contents_.data());
    }
    void poison() override { to.poison(sets - 1); }
    double error() override { return to.read(sets - 1) == contents_ ? 0 : 1; }

    rotating_array from, to;

private:
    std::vector<unsigned char> contents_;
};

} // namespace

void copy_cases(session &s)
{
    if (!s.wants("copy"))
        return;
    std::vector<shape> usual;
    for (std::int64_t n = 1 << 16; n <= (s.on.is_gpu() ? 1 << 30 : 1 << 26); n *= 4)
        usual.push_back({.n = n});
    for (const shape &size : s.sizes(usual)) {
        for (cache state : s.wishes.caches) {
            const double bytes = 2.0 * static_cast<double>(size.n);
            const int sets = s.sets(state, bytes);
            if (size.m || !sets)
                continue;
            const contender runtime = {"runtime", "", s.on.about.backend, [&](problem &p, int set) {
                                           auto &c = static_cast<copy_problem &>(p);
                                           s.on.runtime->copy(c.to[set], c.from[set],
                                                              static_cast<std::size_t>(size.n));
                                       }};
            std::vector<contender> contenders = {runtime};
            for (const copy_kernel kernel : registry<copy_kernel>())
                if (s.on.is_gpu())
                    contenders.push_back(
                        {"kernel", "", subwave_version(), [&, kernel](problem &p, int set) {
                             auto &c = static_cast<copy_problem &>(p);
                             if (size.n % 16)
                                 throw unsupported("bytes are no multiple of 16");
                             if (kernel(s.on.runtime->stream(), c.to[set], c.from[set], size.n))
                                 throw failure("launch");
                         }});
            s.run({"copy", SUBWAVE_DTYPE_U8, size, state}, {.bytes = bytes}, contenders, [&] {
                return std::make_unique<copy_problem>(s.on, static_cast<std::size_t>(size.n), sets);
            });
        }
    }
}

} // namespace bench
