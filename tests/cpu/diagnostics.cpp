/* SPDX-License-Identifier: MIT
 * diagnostics.cpp: each error that the CPU device reports of a kernel, made, and its report
 * read. */
#include "common.hpp"

#include <thread>

namespace {

using namespace subwave;
using test::expect_report;
using test::run;
using test::stream;

int me() { return wave_lane(); }
lane_mask all() { return wave_members(); }

std::string at(int line) { return "diagnostics.cpp:" + std::to_string(line); }

/* ---- members and operations ---- */

constexpr int missing_line = __LINE__ + 4;
void missing_lane(int)
{
    if (me() != 5)
        wave_ballot(all(), true, site::current());
}
void missing_member(void **)
{
    expect_report(run(stream(8), 1, 8, missing_lane, 0),
                  {"kernel ",
                   "missing_lane(int), block (0,0,0), waves of 8, seed 0: no lane can run\n",
                   "  wave 0: lanes 0-4,6-7 wait in ballot at ", at(missing_line), " for lane 5\n",
                   "    lane 5: finished\n"});
}

constexpr int waiting_line = __LINE__ + 5;
void waits_elsewhere(int)
{
    const lane_mask low = 3, high = all() & ~low;
    if (me() == 0)
        wave_barrier(all(), site::current());
    else if (me() == 1)
        wave_ballot(low, true, site::current());
    else
        wave_ballot(high | 1, true, site::current());
}
void missing_members_elsewhere(void **)
{
    expect_report(run(stream(4), dim3(1, 2, 2), 8, waits_elsewhere, 0),
                  {"block (0,0,0)", "no lane can run", "wave 0: lane 0 waits in wave barrier at ",
                   at(waiting_line), " for lanes 1-3", "lane 1 waits in ballot", "for lane 0",
                   "lanes 2-3 wait in ballot", "for lane 0", "    lane 0: waits in wave barrier",
                   "wave 1:"});
}

void not_a_member(int) { wave_ballot(all() & ~lane_mask(4), true, site::current()); }
void absent_lane(int) { wave_barrier(all() | lane_mask(1) << 6, site::current()); }
void empty_group(int) { wave_barrier(0, site::current()); }
void non_member(void **)
{
    expect_report(run(stream(16), 1, 16, not_a_member, 0),
                  {"wave 0 lane 2 is no member of its own group in ballot at ", at(__LINE__ - 6),
                   "members 0-1,3-15"});
    expect_report(
        run(stream(8), 1, 13, absent_lane, 0),
        {"wave 1 lane 0 names lane 6, which the wave does not have, in wave barrier at "});
    expect_report(run(stream(8), 1, 8, empty_group, 0),
                  {"is no member of its own group", "members none"});
}

void other_operation(int)
{
    if (me() % 2 == 0)
        wave_ballot(all(), true, site::current());
    else
        wave_barrier(all(), site::current());
}
constexpr int sites_line = __LINE__ + 5;
void other_site(int)
{
    lane_mask m;
    if (me() % 2 == 0)
        m = wave_ballot(all(), true, site::current());
    else
        m = wave_ballot(all(), true, site::current());
    (void)m;
}
void different_operations(void **)
{
    expect_report(run(stream(4), 1, 4, other_operation, 0),
                  {"members of one group (lanes 0-3) are at different operations\n",
                   "lane 0 in ballot at ", "lane 1 in wave barrier at "});
    expect_report(run(stream(4), 1, 4, other_site, 0),
                  {"different operations", "lane 0 in ballot at ", at(sites_line),
                   "lane 1 in ballot at ", at(sites_line + 2)});
}

/* ---- indexes ---- */

void shuffle_outside(int from)
{
    wave_shuffle(all() & 0xf, 1.5, me() == 2 ? from : 0, site::current());
}
void broadcast_outside(int from) { wave_broadcast(all(), 1.5, from, site::current()); }
void broadcast_varying(int) { wave_broadcast(all(), 1.5, me() == 3, site::current()); }
void index_outside(void **)
{
    for (int from : {-1, 4, 63, 64, 1 << 30})
        expect_report(run(stream(64), 1, 4, shuffle_outside, from),
                      {"source lane outside the group in shuffle at ", "members 0-3",
                       "lane 2 asks for lane ", std::to_string(from)});
    expect_report(run(stream(8), 1, 6, broadcast_outside, 6),
                  {"source lane outside the group in broadcast at ", "lane 5 asks for lane 6"});
    expect_report(run(stream(8), 1, 8, broadcast_varying, 0),
                  {"asks for lane ", "in broadcast at ", "it must be the same in all members"});
}

void tile_varying(int)
{
    const auto tile = wave_publish(all(), me(), site::current());
    int sum = 0;
    for (int k = 0; k < 4; ++k)
        sum += tile.read((k + (me() == 1)) % 4);
    (void)sum;
}
void tile_uneven(int)
{
    const auto tile = wave_publish(all(), me(), site::current());
    for (int k = 0; k < 2 + (me() == 1); ++k)
        if (tile.read(k) != k)
            return;
}
void tile_reads(void **)
{
    auto checked = stream(4);
    checked.checked = 1;
    expect_report(run(checked, 1, 4, tile_varying, 0),
                  {"in read of a published tile at ", "it must be the same in all members"});
    expect_report(run(checked, 1, 4, tile_uneven, 0),
                  {"waits in read of a published tile at ", "finished"});
    test::expect_success(run(stream(4), 1, 4, tile_uneven, 0));
}

/* ---- block barriers ---- */

constexpr int barrier_line = __LINE__ + 4;
void barrier_sites(int)
{
    if (block_item() < 6)
        block_barrier(site::current());
    else
        block_barrier(site::current());
}
void barrier_skipped(int)
{
    if (block_item() == 9)
        return;
    block_barrier(site::current());
}
void divergent_barrier(void **)
{
    expect_report(run(stream(4), 1, 8, barrier_sites, 0),
                  {"divergent block barrier\n", "block barrier at ", at(barrier_line),
                   "6 of 8 threads", "block barrier at ", at(barrier_line + 2), "wave 1 lane 2"});
    expect_report(run(stream(4), 1, 16, barrier_skipped, 0),
                  {"divergent block barrier, no lane can run\n", "15 of 16 threads, 1 finished",
                   "wave 2", "lane 1: finished"});
    auto lenient = stream(4);
    lenient.exited_ok = 1;
    test::expect_success(run(lenient, 1, 16, barrier_skipped, 0));
}

/* ---- program positions ---- */

void unmarked_loop(int)
{
    for (int i = 0; i < me() % 3 + 1; ++i)
        wave_active(site::current());
}
void unmarked_hip_loop(int)
{
    for (int i = 0; i < 3; ++i) /* of the same lanes: no report */
        if (__shfl(me(), 0) != 0)
            return;
}
void skewed_hip_loop(int)
{
    for (int i = 0; i < me() % 3 + 1; ++i)
        __ballot(1);
}
void deep(int depth)
{
    SUBWAVE_LOOP for (int i = 0; i < 1; ++i)
    {
        SUBWAVE_ITER;
        if (depth > 0)
            deep(depth - 1);
    }
}
void unmarked(void **)
{
    expect_report(run(stream(8), 1, 8, unmarked_loop, 0),
                  {"active mask at ", "was reached again without a new position", "SUBWAVE_LOOP",
                   "SUBWAVE_CALL"});
    test::expect_success(run(stream(8), 1, 8, unmarked_hip_loop, 0));
    expect_report(run(stream(8), 1, 8, skewed_hip_loop, 0),
                  {"function without a mask at ", "was reached again"});
    expect_report(run(stream(8), 1, 8, deep, 20),
                  {"more than 16 open SUBWAVE_LOOP and SUBWAVE_CALL at "});
}

/* ---- the rest ---- */

int flag;
void spin(int)
{
    if (me() == 1)
        wave_barrier(all(), site::current());
    while (atomicAdd(&flag, 0) == 0) {}
    wave_barrier(all(), site::current());
}
void no_progress(void **)
{
    auto s = stream(4);
    s.watchdog_ms = 100;
    expect_report(run(s, 1, 8, spin, 0), {"no progress for 100 ms", "wave 0:",
                                          "lane 1: waits in wave barrier at ", "wave 1:"});
}

void too_much_shared(int)
{
    SUBWAVE_SHARED(double, a, 5000);
    SUBWAVE_SHARED(double, b, 5000);
    a[0] = b[0] = 0;
}
void nested_launch(int *status) { *status = launch(missing_lane, 1, 4, 0, nullptr, 0); }
void configuration(void **)
{
    expect_report(run(stream(8), 1, 8, too_much_shared, 0),
                  {"shared memory: 80000 bytes asked for, 65536 available"});
    int status = 0;
    run(stream(8), 1, 1, nested_launch, &status);
    assert_int_equal(status, SUBWAVE_CPU_INVALID_CONFIGURATION);

    auto s = stream(8);
    assert_int_equal(launch(missing_lane, 1, 1025, 0, &s, 0), SUBWAVE_CPU_INVALID_CONFIGURATION);
    expect_report(subwave_cpu_error(),
                  {"missing_lane(int): block (1025,1,1) has not from 1 to 1024 threads"});
    assert_int_equal(launch(missing_lane, 1, dim3(4, 0, 1), 0, &s, 0),
                     SUBWAVE_CPU_INVALID_CONFIGURATION);
    assert_int_equal(launch(missing_lane, dim3(1, 1, 0), 4, 0, &s, 0),
                     SUBWAVE_CPU_INVALID_CONFIGURATION);
    assert_int_equal(launch(missing_lane, 1, 4, 65537, &s, 0), SUBWAVE_CPU_INVALID_CONFIGURATION);
    s.wave = 12;
    assert_int_equal(launch(missing_lane, 1, 4, 0, &s, 0), SUBWAVE_CPU_INVALID_CONFIGURATION);
    expect_report(subwave_cpu_error(), {"a wave of 12 lanes is not possible: 4, 8, 16, 32 or 64"});
    assert_int_equal(subwave_cpu_stream_init(&s, 12), SUBWAVE_CPU_INVALID_VALUE);
}

void environment(void **)
{
    subwave_cpu_stream s;
    for (const char *bad : {"x", "-1", "3 ", "0", "99999"}) {
        setenv("SUBWAVE_CPU_THREADS", bad, 1);
        assert_int_equal(subwave_cpu_stream_init(&s, 8), SUBWAVE_CPU_INVALID_VALUE);
        expect_report(subwave_cpu_error(), {std::string("SUBWAVE_CPU_THREADS=") + bad +
                                            " is not a whole number from 1 to"});
    }
    setenv("SUBWAVE_CPU_THREADS", "3", 1);
    setenv("SUBWAVE_CPU_SEED", "18446744073709551615", 1);
    setenv("SUBWAVE_CPU_WAVE", "16", 1);
    assert_int_equal(subwave_cpu_stream_init(&s, 0), 0);
    assert_int_equal(s.threads, 3);
    assert_int_equal(s.wave, 16);
    assert_true(s.seed == UINT64_MAX);
    assert_int_equal(subwave_cpu_stream_init(&s, 8), 0);
    assert_int_equal(s.wave, 8);
    setenv("SUBWAVE_CPU_WAVE", "12", 1);
    assert_int_equal(subwave_cpu_stream_init(&s, 0), SUBWAVE_CPU_INVALID_VALUE);
    expect_report(subwave_cpu_error(), {"SUBWAVE_CPU_WAVE=12 is not 4, 8, 16, 32 or 64"});
    for (const char *name : {"SUBWAVE_CPU_THREADS", "SUBWAVE_CPU_SEED", "SUBWAVE_CPU_WAVE"})
        unsetenv(name);
}

/* The report is that of the lowest block that fails, and the device works on after it. */
void fails_from(int block)
{
    if (static_cast<int>(blockIdx.x) >= block && me() != 1)
        wave_barrier(all(), site::current());
}
void lowest_block(void **)
{
    for (int threads : {1, 2, 4})
        for (int i = 0; i < 20; ++i)
            expect_report(run(stream(8, 0, threads), 64, 32, fails_from, 17), {"block (17,0,0)"});
    test::expect_success(run(stream(8, 0, 4), 64, 32, fails_from, 100));
    expect_report(run(stream(8, 77), 1, 32, fails_from, 0), {"seed 77"});
}

/* Launches from several threads, some of which fail, keep apart. */
void several_threads(void **)
{
    std::string report[4];
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&report, t] {
            for (int i = 0; i < 25; ++i) {
                subwave_cpu_stream s;
                subwave_cpu_stream_init(&s, 8);
                s.threads = 2;
                launch(fails_from, 16, 32, 0, &s, t % 2 == 0 ? 5 : 100);
                report[t] = subwave_cpu_error();
            }
        });
    for (std::thread &t : threads)
        t.join();
    for (int t = 0; t < 4; ++t)
        if (t % 2 == 0)
            expect_report(report[t], {"block (5,0,0)"});
        else
            test::expect_success(report[t]);
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(missing_member),    cmocka_unit_test(missing_members_elsewhere),
        cmocka_unit_test(non_member),        cmocka_unit_test(different_operations),
        cmocka_unit_test(index_outside),     cmocka_unit_test(tile_reads),
        cmocka_unit_test(divergent_barrier), cmocka_unit_test(unmarked),
        cmocka_unit_test(no_progress),       cmocka_unit_test(configuration),
        cmocka_unit_test(environment),       cmocka_unit_test(lowest_block),
        cmocka_unit_test(several_threads)};
    return cmocka_run_group_tests_name("cpu.diagnostics", tests, nullptr, nullptr);
}
