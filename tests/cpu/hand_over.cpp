/* SPDX-License-Identifier: MIT
 * hand_over.cpp: two blocks that each have a piece of a segment, and meet again and again at any time:
 * just one of them comes second, and it gets what the other has (hip/segmented_join.hpp).
 */
#include "../../hip/segmented_join.hpp"
#include "common.hpp"

namespace {

enum { MEETINGS = 5000 };

double piece(int meeting, int block) { return 1.0 / (2 * meeting + block + 1); }

/* meetings[i] counts the blocks that have come to meeting i; seconds[i] those that came second, and 100 for each
 * that got something else than the other's piece. */
void meet(std::uint64_t *states, unsigned long long *meetings, int *seconds)
{
    if (threadIdx.x != 0)
        return;
    const int block = static_cast<int>(blockIdx.x);
    for (int i = 0; i < MEETINGS; ++i) {
        atomicAdd(&meetings[i], 1ULL);
        while (atomicAdd(&meetings[i], 0ULL) < 2) {}
        const std::uint32_t state = static_cast<std::uint32_t>(i);
        double got = 0;
        bool is_second;
        if (block == 0) {
            const auto before = subwave::publish_and_take(states, state, piece(i, 0));
            is_second = tile_came_second(before);
            got = before.value();
        } else {
            is_second = next_came_second(subwave::leave_for_tile(states, state, piece(i, 1)));
            if (is_second)
                got = subwave::wait_for<double>(states, state);
        }
        if (is_second)
            atomicAdd(&seconds[i], got == piece(i, 1 - block) ? 1 : 100);
    }
}

void test_meetings(void **)
{
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
        std::vector<std::uint64_t> states(2 * MEETINGS);
        std::vector<unsigned long long> meetings(MEETINGS);
        std::vector<int> seconds(MEETINGS);
        test::expect_success(test::run(test::stream(4, seed, 2), dim3(2), dim3(4), meet,
                                       states.data(), meetings.data(), seconds.data()));
        for (int i = 0; i < MEETINGS; ++i) {
            if (seconds[i] != 1)
                fail_msg("meeting %d: %d", i, seconds[i]);
            for (int w = 0; w < 2; ++w) /* whoever came first, the tile's piece stays */
                assert_int_equal(states[2 * i + w] >> 32, 1);
        }
    }
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {cmocka_unit_test(test_meetings)};
    return cmocka_run_group_tests_name("hand_over", tests, nullptr, nullptr);
}
