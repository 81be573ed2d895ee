/* SPDX-License-Identifier: MIT
 * cpu_device.cpp: what the CPU device's operations cost, in ns of one thread; and two threads. */
#include <subwave/device/wave.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

using subwave::lane_mask;
using subwave::site;

double thread_seconds()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

constexpr int rounds = 20000;

void switches(int n)
{
    for (int i = 0; i < n; ++i)
        subwave::wave_barrier(subwave::wave_members(), site::current());
}
void ballots(int n, lane_mask *out)
{
    lane_mask sum = 0;
    for (int i = 0; i < n; ++i)
        sum += subwave::wave_ballot(subwave::wave_members(), (i & 1) != 0, site::current());
    out[subwave::wave_lane()] = sum;
}
void shuffles(int n, lane_mask *out)
{
    double v = subwave::wave_lane();
    const int from = (subwave::wave_lane() + 1) % subwave::wave_size();
    for (int i = 0; i < n; ++i)
        v = subwave::wave_shuffle(subwave::wave_members(), v, from, site::current());
    out[subwave::wave_lane()] = static_cast<lane_mask>(v);
}
void broadcasts(int n, lane_mask *out)
{
    double v = subwave::wave_lane();
    for (int i = 0; i < n; ++i)
        v += subwave::wave_broadcast(subwave::wave_members(), v, 0, site::current());
    out[subwave::wave_lane()] = v > 0;
}
void actives(int n, lane_mask *out)
{
    lane_mask sum = 0;
    SUBWAVE_LOOP for (int i = 0; i < n; ++i)
    {
        SUBWAVE_ITER;
        sum += subwave::wave_active(site::current());
    }
    out[subwave::wave_lane()] = sum;
}
void block_barriers(int n)
{
    for (int i = 0; i < n; ++i)
        subwave::block_barrier(site::current());
}
void nothing() {}

/* The register tile of a matrix product, as matmul uses it. */
struct fragment {
    double e[4];
};
void tiles(int n, double *out)
{
    double c[4][4] = {};
    fragment a = {{1, 2, 3, 4}}, b = {{5, 6, 7, 8}};
    for (int i = 0; i < n; ++i) {
        const auto tile = subwave::wave_publish(subwave::wave_members(), a, site::current());
        for (int k = 0; k < subwave::wave_size(); ++k) {
            const fragment &f = tile.read(k);
            for (int x = 0; x < 4; ++x)
                for (int y = 0; y < 4; ++y)
                    c[x][y] += f.e[x] * b.e[y];
        }
    }
    double sum = 0;
    for (auto &row : c)
        for (double v : row)
            sum += v;
    out[subwave::wave_lane()] = sum;
}

/* Best of a few: ns of thread time of one round. */
template <class Run> double best(int n, Run run)
{
    double least = 1e30;
    for (int i = 0; i < 5; ++i) {
        const double start = thread_seconds();
        if (run() != 0) {
            std::fprintf(stderr, "%s\n", subwave_cpu_error());
            std::exit(1);
        }
        const double ns = (thread_seconds() - start) / n * 1e9;
        least = ns < least ? ns : least;
    }
    return least;
}

double wall(subwave_cpu_stream &stream)
{
    static lane_mask out[64];
    double least = 1e30;
    for (int i = 0; i < 5; ++i) {
        const auto start = std::chrono::steady_clock::now();
        subwave::launch(ballots, 256, 64, 0, &stream, 200, out);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        least = took.count() < least ? took.count() : least;
    }
    return least;
}

} // namespace

int main()
{
    static lane_mask masks[64];
    static double values[64];
    subwave_cpu_stream stream;
    if (subwave_cpu_stream_init(&stream, 64) != 0) {
        std::fprintf(stderr, "%s\n", subwave_cpu_error());
        return 1;
    }
    std::printf("%4s %9s %9s %9s %9s %9s %9s %9s %9s\n", "W", "switch", "ballot", "shuffle",
                "broadcast", "active", "barrier", "launch/th", "GFLOP/s");
    for (int w : {4, 8, 16, 32, 64}) {
        stream.wave = w;
        stream.threads = 1;
        const unsigned n = static_cast<unsigned>(w);
        const auto one = [&](auto kernel, auto... arguments) {
            return best(rounds, [&] {
                return subwave::launch(kernel, 1, n, 0, &stream, rounds, arguments...);
            });
        };
        const double tile =
            best(1, [&] { return subwave::launch(tiles, 1, n, 0, &stream, 2000, values); });
        const double launches =
            best(2000 * 64, [&] { return subwave::launch(nothing, 2000, 64, 0, &stream); });
        std::printf("%4d %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %9.2f\n", w, one(switches) / w,
                    one(ballots, masks), one(shuffles, masks), one(broadcasts, masks),
                    one(actives, masks), one(block_barriers), launches, 2000.0 * w * w * 32 / tile);
    }
    stream.threads = 1;
    const double alone = wall(stream);
    stream.threads = 2;
    std::printf("two threads: %.2f times one\n", alone / wall(stream));
}
