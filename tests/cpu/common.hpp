/* SPDX-License-Identifier: MIT
 * common.hpp: cmocka for C++, and launches whose outcome is a text. */
#ifndef SUBWAVE_TESTS_CPU_COMMON_HPP
#define SUBWAVE_TESTS_CPU_COMMON_HPP

#include <subwave/device/wave.hpp>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
extern "C" {
#include <cmocka.h>
}

#include <string>
#include <vector>

namespace test {

using subwave::lane_mask;
using subwave::site;

constexpr int waves[] = {4, 8, 16, 32, 64};

inline lane_mask first_lanes(int n) { return n >= 64 ? ~lane_mask(0) : (lane_mask(1) << n) - 1; }

inline subwave_cpu_stream stream(int wave, std::uint64_t seed = 0, int threads = 1)
{
    subwave_cpu_stream s;
    if (subwave_cpu_stream_init(&s, wave) != 0)
        fail_msg("%s", subwave_cpu_error());
    s.seed = seed;
    s.threads = threads;
    return s;
}

/* "" or the report. */
template <class... Parameters, class... Arguments>
std::string run(subwave_cpu_stream s, dim3 grid, dim3 block, void (*kernel)(Parameters...),
                Arguments... arguments)
{
    const int status = subwave::launch(kernel, grid, block, 0, &s, arguments...);
    const std::string report = subwave_cpu_error();
    if ((status == 0) != report.empty())
        fail_msg("status %d with report \"%s\"", status, report.c_str());
    return report;
}

inline void expect_success(const std::string &report)
{
    if (!report.empty())
        fail_msg("%s", report.c_str());
}

/* The report contains each of the texts, in this order. */
inline void expect_report(const std::string &report, const std::vector<std::string> &texts)
{
    std::size_t at = 0;
    for (const std::string &text : texts) {
        at = report.find(text, at);
        if (at == std::string::npos)
            fail_msg("no \"%s\" (after what comes before it) in:\n%s", text.c_str(),
                     report.c_str());
        at += text.size();
    }
}

} // namespace test
#endif
