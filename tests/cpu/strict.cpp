/* SPDX-License-Identifier: MIT
 * strict.cpp: forgotten markers of calls, which only the comparison of call chains finds. Built
 * with -O0 -fno-omit-frame-pointer. */
#include "common.hpp"

namespace {

using test::lane_mask;
using test::site;

void helper(lane_mask *out) { out[subwave::wave_lane()] = subwave::wave_active(site::current()); }

void two_branches(lane_mask *out)
{
    if (subwave::wave_lane() & 1)
        helper(out);
    else
        helper(out);
}
void deeper(lane_mask *out) { helper(out); }
void unequal_depth(lane_mask *out)
{
    if (subwave::wave_lane() & 1)
        deeper(out);
    else
        helper(out);
}
void marked(lane_mask *out)
{
    if (subwave::wave_lane() & 1)
        SUBWAVE_CALL(helper(out));
    else
        SUBWAVE_CALL(helper(out));
}

void unmarked_calls(void **)
{
    for (const int w : test::waves) {
        auto s = test::stream(w);
        lane_mask out[64] = {};
        test::expect_success(test::run(s, 1, static_cast<unsigned>(w), two_branches, out));
        s.strict = 1;
        for (auto kernel : {two_branches, unequal_depth})
            test::expect_report(test::run(s, 1, static_cast<unsigned>(w), kernel, out),
                                {" are in active mask at ", "by different calls", "SUBWAVE_CALL"});
        test::expect_success(test::run(s, 1, static_cast<unsigned>(w), marked, out));
        assert_true(out[1] == (test::first_lanes(w) & 0xaaaaaaaaaaaaaaaau));
    }
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {cmocka_unit_test(unmarked_calls)};
    return cmocka_run_group_tests_name("cpu.strict", tests, nullptr, nullptr);
}
