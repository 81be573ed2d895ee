/* SPDX-License-Identifier: MIT
 * primitives.cpp: every wave primitive against its closed form, at every wave size, in one and
 * several waves, blocks of one to three dimensions, partial last waves, and random groups. */
#include "common.hpp"

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace subwave;
using test::expect_success;
using test::run;
using test::stream;

int bad; /* lanes count what is wrong here */
void expect(bool right) { atomicAdd(&bad, right ? 0 : 1); }

void expect_none(const char *what, int w, dim3 block)
{
    if (bad != 0)
        fail_msg("%s: %d wrong, W=%d, block (%u,%u,%u)", what, bad, w, block.x, block.y, block.z);
}

struct big { /* larger than any register, not a power of two */
    double a;
    short b[7];
    char c;
};

std::uint64_t mixed(std::uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* ---- who is where ---- */

void coordinates(int w)
{
    const int item = block_item(), threads = block_size();
    expect(threads == static_cast<int>(blockDim.x * blockDim.y * blockDim.z));
    expect(item ==
           static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)));
    expect(threadIdx.x < blockDim.x && threadIdx.y < blockDim.y && threadIdx.z < blockDim.z);
    expect(blockIdx.x < gridDim.x && blockIdx.y < gridDim.y && blockIdx.z < gridDim.z);
    expect(wave_size() == w && warpSize == w && wave_lane() == item % w);
    const int here = threads - item / w * w;
    expect(wave_members() == test::first_lanes(here < w ? here : w));
    expect(lanes_below(~lane_mask(0)) == wave_lane());
    expect(wave_active(site::current()) == wave_members());
}

void visit(int *visits)
{
    atomicAdd(&visits[blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)], 1);
}

/* Every block once, where no two sides of the grid are alike. */
void each_block(void **)
{
    int visits[3 * 5 * 2] = {};
    expect_success(run(stream(4), dim3(3, 5, 2), 7, visit, static_cast<int *>(visits)));
    for (int count : visits)
        assert_int_equal(count, 7);
}

void overrun(int bytes)
{
    volatile char frame[200 * 1024]; /* of a stack of 64 KiB */
    frame[bytes] = 1;
    expect(frame[bytes] == 1);
}

/* What overruns a lane's stack ends the process, rather than write to another's. With
 * AddressSanitizer stacks are larger, and planted.cpp has a test of its own. */
void stack_guard(void **)
{
#if defined(__SANITIZE_ADDRESS__)
    skip();
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    skip();
#endif
#endif
    const pid_t child = fork();
    if (child == 0) {
        subwave_cpu_stream s = stream(8);
        s.stack_bytes = 64 * 1024;
        run(s, 1, 64, overrun, 0);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- the primitives, in the whole wave and in groups of it ---- */

void exchange_in(lane_mask group, std::uint64_t salt)
{
    const int l = wave_lane();
    const auto p = [&](int lane) { return (mixed(salt + static_cast<unsigned>(lane)) & 1) != 0; };
    lane_mask want = 0;
    int members[64], count = 0, rank = 0;
    for (int i = 0; i < 64; ++i)
        if (group >> i & 1) {
            rank = i == l ? count : rank;
            members[count++] = i;
            want |= p(i) ? lane_mask(1) << i : 0;
        }
    expect(wave_ballot(group, p(l), site::current()) == want);

    const int from =
        members[(static_cast<unsigned>(rank) + salt % 64) % static_cast<unsigned>(count)];
    expect(wave_shuffle(group, static_cast<short>(l * 3), from, site::current()) == from * 3);
    expect(wave_shuffle(group, l + 0.5, from, site::current()) == from + 0.5);
    const int any = members[salt % static_cast<unsigned>(count)];
    expect(wave_broadcast(group, static_cast<char>(l), any, site::current()) == any);
    wave_barrier(group, site::current());
}

void exchange_large(lane_mask group)
{
    __threadfence_block();
    const int l = wave_lane(), first = __ffsll(static_cast<long long>(group)) - 1;
    big v = {l * 2.0, {}, static_cast<char>(l)};
    v.b[6] = static_cast<short>(-l);
    const big got = wave_shuffle(group, v, first, site::current());
    expect(got.a == first * 2.0 && got.b[6] == -first && got.c == first);
    const auto tile = wave_publish(group, v, site::current());
    const auto second = wave_publish(group, static_cast<char>(l + 1), site::current());
    (void)tile;
    for (int i = 0; i < 64; ++i)
        if (group >> i & 1)
            expect(second.read(i) == static_cast<char>(i + 1));
}

void groups(std::uint64_t salt, int rounds)
{
    const lane_mask all = wave_members(), bit = lane_mask(1) << wave_lane();
    for (int r = 0; r < rounds; ++r) {
        const std::uint64_t s = mixed(salt + static_cast<unsigned>(r) * 1000u +
                                      static_cast<unsigned>(block_item() / wave_size()));
        const lane_mask side = s & all;
        exchange_in(all, s);
        exchange_in((side & bit) != 0 ? side : all & ~side, s); /* both sides from one call */
        if ((side & bit) != 0)
            exchange_in(side, s + 1);
    }
    exchange_large(all);
    exchange_large((wave_lane() & 1) != 0 ? all & 0xaaaaaaaaaaaaaaaau : all & 0x5555555555555555u);
}

/* A tile stays readable while others, who are through with it, publish again. */
void tiles(int)
{
    const lane_mask all = wave_members(), low = all & 3;
    const auto first = wave_publish(all, wave_lane(), site::current());
    if (wave_lane() < 2) {
        for (int i = 0; i < 5; ++i) {
            const auto mine = wave_publish(low, 100 + i + wave_lane(), site::current());
            expect(mine.read(0) == 100 + i && (low == 1 || mine.read(1) == 101 + i));
        }
    } else {
        for (int k = 0; k < __popcll(all); ++k)
            expect(first.read(k) == k);
    }
    const auto last = wave_publish(all, -wave_lane(), site::current());
    for (int k = 0; k < __popcll(all); ++k)
        expect(last.read(k) == -k);
}

void through_block_memory(int rounds)
{
    SUBWAVE_DYNAMIC_SHARED(int, slot);
    SUBWAVE_SHARED(double, poisoned, 3);
    const int n = block_size(), i = block_item();
    expect(poisoned[0] != poisoned[0] && poisoned[2] != poisoned[2] && slot[i] == -1);
    for (int r = 0; r < rounds; ++r) {
        block_barrier(site::current());
        slot[i] = i + r;
        block_barrier(site::current());
        const int other = (i * 7 + r) % n;
        expect(slot[other] == other + r);
    }
    block_barrier(site::current());
    if (i < 3)
        poisoned[i] = 1;
}

/* ---- the operations that find their lanes ---- */

void opportunistic(lane_mask *sets)
{
    const int any = wave_unspecified(5, wave_lane());
    expect(any == wave_lane() || any == 0 || any == 2);
    sets[block_item()] = wave_opportunistic(site::current());
}

const std::vector<dim3> blocks = {1,  2,   3,      7,         31,        33,         64,
                                  65, 100, {5, 7}, {8, 4, 2}, {3, 5, 7}, {1, 1, 64}, 256};

void each_shape(void **)
{
    for (const int w : test::waves)
        for (const std::uint64_t seed : {0u, 5u})
            for (const dim3 &b : blocks) {
                bad = 0;
                auto s = stream(w, seed);
                expect_success(run(s, dim3(2, 2, 2), b, coordinates, w));
                expect_none("coordinates", w, b);
                expect_success(run(s, 2, b, groups, mixed(seed + b.x), 3));
                expect_none("groups", w, b);
                expect_success(run(s, 1, b, tiles, 0));
                expect_none("tiles", w, b);
                const std::size_t bytes = b.x * b.y * b.z * sizeof(int);
                assert_int_equal(launch(through_block_memory, 3, b, bytes, &s, 5), 0);
                expect_none("block memory", w, b);
                s.checked = 1;
                expect_success(run(s, 1, b, groups, std::uint64_t{4}, 1));
                expect_none("checked tiles", w, b);
            }
}

void one_large_block(void **)
{
    for (const int w : test::waves) {
        bad = 0;
        expect_success(run(stream(w), 2, 1024, coordinates, w));
        expect_success(run(stream(w), 1, dim3(32, 8, 4), groups, std::uint64_t{9}, 1));
        auto s = stream(w);
        assert_int_equal(launch(through_block_memory, 1, 1024, 4096, &s, 2), 0);
        expect_none("large block", w, 1024);
    }
}

/* In all more than 100,000 random groups. */
void random_groups(void **)
{
    for (const int w : test::waves) {
        bad = 0;
        expect_success(
            run(stream(w, 0, 2), 350, 64, groups, std::uint64_t{1} << 40, w == 64 ? 30 : w));
        expect_success(run(stream(w, 3, 2), 50, 50, groups, std::uint64_t{2} << 40, 10));
        expect_none("random groups", w, 64);
    }
}

void opportunistic_sets(void **)
{
    bool split = false;
    bad = 0;
    for (const int w : test::waves)
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            lane_mask sets[100];
            expect_success(run(stream(w, seed), 1, 100, opportunistic, sets));
            for (int i = 0; i < 100; ++i) {
                const int first = i / w * w, here = 100 - first < w ? 100 - first : w;
                assert_true(sets[i] >> (i - first) & 1);
                assert_true((sets[i] & ~test::first_lanes(here)) == 0);
                for (int k = 0; k < here; ++k) /* those in it agree, so the sets are a partition */
                    assert_true((sets[i] >> k & 1) == 0 || sets[first + k] == sets[i]);
                if (seed == 0)
                    assert_true(sets[i] == test::first_lanes(here));
                split = split || sets[i] != test::first_lanes(here);
            }
        }
    assert_true(split);
    assert_int_equal(bad, 0);
}

/* ---- HIP's own names ---- */

void hip_names(int n)
{
    const int w = warpSize, l = static_cast<int>(threadIdx.x) % w,
              first = static_cast<int>(threadIdx.x) - l;
    const int here = n - first < w ? n - first : w;
    const lane_mask all = test::first_lanes(here);
    expect(__activemask() == all);
    expect(__ballot(l & 1) == (all & 0xaaaaaaaaaaaaaaaau));
    expect(__any(l == 0) && !__all(l == 0) == (here > 1) && __all(1));
    __syncwarp();
    __syncwarp(all);
    expect(__shfl(l, 0) == 0);
    expect(here == w ? __shfl(l, w + 1) == 1 : true);
    expect(__shfl_up(l, 1) == (l == 0 ? 0 : l - 1));
    expect(__shfl_up(l, 1u, 4) == (l % 4 == 0 ? l : l - 1));
    if (here == w) {
        expect(__shfl_down(l, 2) == (l + 2 < w ? l + 2 : l));
        expect(__shfl_down(l, 1, 4) == (l % 4 == 3 ? l : l + 1));
        expect(__shfl_xor(l, 1) == (l ^ 1));
        expect(__shfl_xor(l, 4, 4) == ((l ^ 4) < l ? (l ^ 4) : l));
        expect(__shfl(l, 2, 4) == (l & ~3) + 2);
        expect(__shfl_xor_sync(all, l + 0.5, 2) == (l ^ 2) + 0.5);
    } else {
        const double beyond = __shfl_down(1.0, 1u);
        expect(l == here - 1 ? beyond != beyond : beyond == 1.0);
    }
    if (l & 1)
        expect(__ballot_sync(all & 0xaaaaaaaaaaaaaaaau, l == 1) == 2);
    expect(__popc(0xf0u) == 4 && __popcll(~0ull) == 64 && __ffs(8) == 4 && __ffs(0) == 0);
    expect(__ffsll(1ll << 40) == 41 && __clz(1) == 31 && __clz(0) == 32 && __clzll(1) == 63);
    expect(__clzll(0) == 64 && __brev(1) == 0x80000000u && __brevll(2) == 1ull << 62);
}

struct sums {
    int i, min, max, exchanged, chosen;
    unsigned u, ands, ors, xors;
    unsigned long long ull;
    float f;
    double d;
};
void atomics(sums *s)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    atomicAdd(&s->i, 2);
    atomicSub(&s->i, 1);
    atomicMin(&s->min, -i);
    atomicMax(&s->max, i);
    atomicExch(&s->exchanged, 5);
    atomicCAS(&s->chosen, 0, 6);
    atomicAdd(&s->u, 3);
    atomicAnd(&s->ands, ~(1u << i % 8));
    atomicOr(&s->ors, 1u << i % 8);
    atomicXor(&s->xors, static_cast<unsigned>(i));
    atomicAdd(&s->ull, 1ull << 32);
    atomicAdd(&s->f, 0.5f);
    atomicAdd(&s->d, 0.25);
}

/* Lanes, waves and blocks take turns by a ticket: needs the waiting ones to let others run. */
void tickets(int *now)
{
    const int mine = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    while (atomicAdd(now, 0) != mine) {}
    atomicExch(now, mine + 1);
}

void hip_functions(void **)
{
    for (const int w : test::waves)
        for (const std::uint64_t seed : {0u, 7u}) {
            bad = 0;
            for (int n : {4, 37, 64, 130})
                expect_success(run(stream(w, seed), 2, static_cast<unsigned>(n), hip_names, n));
            expect_none("HIP's names", w, 64);
            sums s = {0, 0, 0, 0, 0, 0, ~0u, 0, 0, 0, 0, 0};
            expect_success(run(stream(w, seed, 2), 10, 100, atomics, &s));
            assert_true(s.i == 1000 && s.min == -999 && s.max == 999 && s.exchanged == 5 &&
                        s.chosen == 6);
            assert_true(s.u == 3000 && s.ands == ~0xffu && s.ors == 0xff && s.xors == 0);
            assert_true(s.ull == 1000ull << 32 && s.f == 500 && s.d == 250);
            int now = 0;
            expect_success(run(stream(w, seed, 2), 2, 128, tickets, &now));
            assert_int_equal(now, 256);
        }
}

/* ---- schedules ---- */

constexpr unsigned ring_size = 32;
void ring(int *out)
{
    SUBWAVE_SHARED(int, slot, ring_size);
    slot[threadIdx.x] = static_cast<int>(threadIdx.x);
    /* a barrier belongs here */
    out[threadIdx.x] = slot[(threadIdx.x + ring_size - 1) % ring_size];
}
bool ring_is_right(std::uint64_t seed, int *out)
{
    expect_success(run(stream(16, seed), 1, ring_size, ring, out));
    for (unsigned i = 1; i < ring_size; ++i)
        if (out[i] != static_cast<int>(i) - 1)
            return false;
    return true;
}
void planted_race(void **)
{
    int out[ring_size], again[ring_size], failures = 0;
    assert_true(ring_is_right(0, out));
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
        failures += !ring_is_right(seed, out);
        ring_is_right(seed, again); /* replays */
        assert_memory_equal(out, again, sizeof out);
    }
    assert_true(failures >= 15);
}

void order_of_blocks(int *order)
{
    const int turn = atomicAdd(&order[0], 1);
    order[1 + blockIdx.x * blockDim.x + threadIdx.x] = turn;
}
void replay(void **)
{
    std::vector<int> first(1 + 512), other(1 + 512);
    for (const std::uint64_t seed : {0u, 1u, 2u}) {
        std::fill(first.begin(), first.end(), 0);
        expect_success(run(stream(8, seed), 8, 64, order_of_blocks, first.data()));
        if (seed == 0)
            for (int i = 0; i < 512; ++i)
                assert_int_equal(first[static_cast<unsigned>(i) + 1], i);
        /* one block at a time, by any number of threads, in the same order */
        for (int threads : {1, 2, 3}) {
            std::fill(other.begin(), other.end(), 0);
            expect_success(run(stream(8, seed, threads), 1, 64, order_of_blocks, other.data()));
            for (unsigned i = 1; i <= 64; ++i)
                assert_int_equal(other[i], first[i]);
        }
    }
}

/* Each block waits for the other: a thread joins a launch whose first block goes on and on. */
void meet(int *arrived)
{
    if (threadIdx.x == 0)
        atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < 2) {}
}
void blocks_at_once(void **)
{
    for (const unsigned block : {1u, 8u, 300u})
        for (const std::uint64_t seed : {0u, 1u}) {
            int arrived = 0;
            expect_success(run(stream(8, seed, 2), 2, block, meet, &arrived));
            assert_int_equal(arrived, 2);
        }
}

void count(int *n) { atomicAdd(n, 1); }
void many_launchers(void **)
{
    std::vector<std::thread> threads;
    int counts[4] = {};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&counts, t] {
            subwave_cpu_stream s;
            subwave_cpu_stream_init(&s, test::waves[t]);
            s.threads = 1 + t % 3;
            for (int i = 0; i < 50; ++i)
                launch(count, static_cast<unsigned>(i % 5 + 1), static_cast<unsigned>(10 * t + 7),
                       0, &s, &counts[t]);
        });
    for (std::thread &t : threads)
        t.join();
    for (int t = 0; t < 4; ++t)
        assert_int_equal(counts[t], 150 * (10 * t + 7));
}

} // namespace

/* Arguments name the tests to run; without any, all. */
int main(int argc, char **argv)
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(each_shape),    cmocka_unit_test(one_large_block),
        cmocka_unit_test(random_groups), cmocka_unit_test(opportunistic_sets),
        cmocka_unit_test(hip_functions), cmocka_unit_test(planted_race),
        cmocka_unit_test(replay),        cmocka_unit_test(many_launchers),
        cmocka_unit_test(each_block),    cmocka_unit_test(stack_guard),
        cmocka_unit_test(blocks_at_once)};
    std::vector<CMUnitTest> chosen;
    for (const CMUnitTest &t : tests)
        for (int i = argc == 1 ? 0 : 1; i < argc; ++i)
            if (argc == 1 || std::strcmp(t.name, argv[i]) == 0)
                chosen.push_back(t);
    return _cmocka_run_group_tests("cpu.primitives", chosen.data(), chosen.size(), nullptr,
                                   nullptr);
}
