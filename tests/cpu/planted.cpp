/* SPDX-License-Identifier: MIT
 * planted.cpp: kernels with errors that a sanitizer must find, and one without; the argument picks.
 * The test looks at what the sanitizer says. */
#include <subwave/device/wave.hpp>

#include <cstdio>
#include <cstring>

namespace {

using subwave::site;

constexpr int count = 64;

void correct(int *out)
{
    SUBWAVE_SHARED(int, slot, count);
    const int i = subwave::block_item();
    slot[i] = i;
    subwave::block_barrier(site::current());
    int sum = slot[(i + 1) % count];
    for (int k = 1; k < subwave::wave_size(); k *= 2)
        sum += subwave::wave_shuffle(subwave::wave_members(), sum,
                                     (subwave::wave_lane() + k) % subwave::wave_size(),
                                     site::current());
    const auto tile = subwave::wave_publish(subwave::wave_members(), sum, site::current());
    sum +=
        tile.read(0) + (subwave::wave_ballot(subwave::wave_members(), i & 1, site::current()) != 0);
    SUBWAVE_LOOP for (int k = 0; k < i % 3; ++k)
    {
        SUBWAVE_ITER;
        sum += subwave::wave_active(site::current()) != 0;
    }
    subwave::wave_barrier(subwave::wave_members(), site::current());
    atomicAdd(&out[count], sum);
    subwave::block_barrier(site::current());
    slot[count - 1 - i] = sum; /* of another lane, after a barrier */
    subwave::block_barrier(site::current());
    if (blockIdx.x == 0)
        out[i] = slot[i];
}

void missing_barrier(int *out)
{
    SUBWAVE_SHARED(int, slot, count);
    const int i = subwave::block_item();
    slot[i] = i;
    /* a barrier belongs here */
    out[i] = slot[(i + 1) % count];
}

void shared_overrun(int *out)
{
    SUBWAVE_SHARED(int, slot, count);
    SUBWAVE_SHARED(int, other, count);
    const int i = subwave::block_item();
    other[i] = i;
    int *volatile p = slot;
    p[i + 1] = i;
    subwave::block_barrier(site::current());
    out[i] = slot[i] + other[i];
}

void stack_overrun(int *out)
{
    int local[4] = {};
    int *volatile p = local;
    p[subwave::block_item() % 5] = 1;
    subwave::block_barrier(site::current());
    out[subwave::block_item()] = local[0];
}

__attribute__((noinline)) int descend(int depth)
{
    volatile char frame[1024];
    frame[0] = static_cast<char>(depth);
    return depth == 0 ? 0 : descend(depth - 1) + frame[0];
}
void stack_overflow(int *out) { out[subwave::block_item()] = descend(10000 + out[0]); }

void signed_overflow(int *out)
{
    out[subwave::block_item()] = 0x7fffffff;
    out[subwave::block_item()] += 1 + subwave::wave_lane();
}

/* Gives up lanes in the middle; what stays on their stacks must not disturb the next launch. */
void given_up(int *out)
{
    int local[32] = {};
    int *volatile p = local;
    p[1] = subwave::wave_lane();
    if (subwave::wave_lane() != 3)
        subwave::wave_barrier(subwave::wave_members(), site::current());
    if (blockIdx.x == 0)
        out[subwave::block_item()] = p[1];
}

} // namespace

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*kernel)(int *);
    } cases[] = {{"correct", correct},
                 {"missing_barrier", missing_barrier},
                 {"shared_overrun", shared_overrun},
                 {"stack_overrun", stack_overrun},
                 {"stack_overflow", stack_overflow},
                 {"signed_overflow", signed_overflow}};
    subwave_cpu_stream s;
    if (argc != 2 || subwave_cpu_stream_init(&s, 32) != 0)
        return 2;
    s.threads = 2;
    static int out[count + 1];
    for (const auto &c : cases)
        if (std::strcmp(c.name, argv[1]) == 0) {
            if (c.kernel == correct)
                if (subwave::launch(given_up, 2, count, 0, &s, out) == 0)
                    return 2;
            const int repeats = c.kernel == correct ? 20 : 1;
            for (int i = 0; i < repeats; ++i)
                if (subwave::launch(c.kernel, c.kernel == correct ? 4 : 1, count, 0, &s, out) != 0)
                    std::printf("%s\n", subwave_cpu_error());
            std::printf("ran to its end\n");
            return 0;
        }
    return 2;
}
