/* SPDX-License-Identifier: MIT
 * several.hip: groups of one parent in use by turns, also in branches; and an atomic addition for
 * all that come together (R036, R073, R104).
 */
#include "harness.hpp"

namespace test {

constexpr int in_row = 2, out_row = 19;

/* What a group is found to be at a point: its lanes, twice. */
template <class G> SUBWAVE_DEVICE void note(word64 *row, int point, G g)
{
    row[1 + 2 * point] = g.lanes();
    row[2 + 2 * point] = reduce_over_group(g, word64(1) << wave_lane(), plus<>());
}
extern "C" SUBWAVE_KERNEL(1024) several(const word64 *in, word64 *out, std::int64_t)
{
    const sub_group sg = this_work_item::get_sub_group();
    word64 *row = out + grid_item() * out_row;
    const word64 *mine = in + grid_item() * in_row;
    const bool p = mine[0] & 1, q = mine[1] & 1;
    row[0] = sg.lanes();
    const auto by_p = get_ballot_group(sg, p), by_q = get_ballot_group(sg, q);
    const auto pairs = get_fixed_size_group<2>(sg);
    note(row, 0, by_q);
    note(row, 1, pairs);
    if (p) {
        group_barrier(by_p);
        note(row, 2, by_p);
        note(row, 3, get_tangle_group(sg));
    }
    note(row, 4, pairs);
    if (!q)
        note(row, 5, by_q);
    note(row, 6, by_p);
    note(row, 7, sg);
    note(row, 8, get_ballot_group(sg, p && q));
}

/* --- R104: one atomic addition for all that come together ------------------------------------ */

SUBWAVE_DEVICE word64 aggregate_inc(word64 *counter, site where = site::current())
{
    const auto active = this_kernel::get_opportunistic_group(where);
    unsigned long long old = 0;
    if (active.leader())
        old = atomicAdd(reinterpret_cast<unsigned long long *>(counter),
                        static_cast<unsigned long long>(active.get_local_linear_range()));
    return group_broadcast(active, old) + active.get_local_linear_id();
}

/* The counter is in row 0, where poison is; every work-item but those on one side takes its
 * numbers. */
extern "C" SUBWAVE_KERNEL(1024) aggregate(const word64 *in, word64 *out, std::int64_t)
{
    word64 *row = out + grid_item() * out_row;
    const word64 p = in[grid_item() * in_row], r = in[grid_item() * in_row + 1];
    row[0] = this_work_item::get_sub_group().lanes();
    if (p)
        return;
    SUBWAVE_LOOP for (int i = 0; i < static_cast<int>(r % 4); ++i)
    {
        SUBWAVE_ITER;
        row[1 + i] = aggregate_inc(out + out_row - 1) + 1;
    }
}

/* --- the library's, to two counters and of different values ------------------------------------ */

/* Counters are in row 0, where poison is; the row says which parts were taken, plus 1. */
template <class T> SUBWAVE_DEVICE void take(const word64 *in, word64 *out)
{
    word64 *row = out + grid_item() * out_row;
    const word64 p = in[grid_item() * in_row], r = in[grid_item() * in_row + 1];
    row[0] = this_work_item::get_sub_group().lanes();
    SUBWAVE_LOOP for (int i = 0; i < static_cast<int>(r % 4); ++i)
    {
        SUBWAVE_ITER;
        const T amount = static_cast<T>(1 + (r >> (8 + i)) % 3);
        T *const counter = reinterpret_cast<T *>(out + out_row - 1 - (r >> (16 + i)) % 2);
        if (p)
            row[1 + i] =
                static_cast<word64>(SUBWAVE_CALL(aggregated_fetch_add(counter, amount) + 1));
        else
            row[1 + i] =
                static_cast<word64>(SUBWAVE_CALL(aggregated_fetch_add(counter, amount) + 1));
    }
}
extern "C" SUBWAVE_KERNEL(1024) take_u64(const word64 *in, word64 *out, std::int64_t)
{
    take<std::uint64_t>(in, out);
}
extern "C" SUBWAVE_KERNEL(1024) take_i32(const word64 *in, word64 *out, std::int64_t)
{
    take<std::int32_t>(in, out);
}

/* Every part of what was added to a counter is somebody's, once. */
template <class T> static void run_take(machine &t, launch_case l)
{
    const auto of = [](const word64 *in, int i, word64 &counter) {
        counter = (in[1] >> (16 + i)) % 2;
        return 1 + (in[1] >> (8 + i)) % 3;
    };
    word64 total[2] = {};
    for (std::size_t item = 0; item < l.in.size() / in_row; ++item)
        for (int i = 0; i < static_cast<int>(l.in[item * in_row + 1] % 4); ++i) {
            word64 counter;
            const word64 amount = of(&l.in[item * in_row], i, counter);
            total[counter] += amount;
        }
    t.run(
        l,
        [&](const member &m, word64 *row) {
            for (word64 i = 0; i < m.in(m.lane)[1] % 4; ++i)
                row[1 + i] = anything;
            for (int c = 0; m.item == 0 && c < 2; ++c) {
                word64 sum = poison;
                const T after =
                    static_cast<T>(static_cast<word64>(static_cast<T>(poison)) + total[c]);
                memcpy(&sum, &after, sizeof after);
                row[out_row - 1 - c] = sum;
            }
        },
        [&](const word64 *out) -> std::string {
            std::vector<bool> taken[2] = {std::vector<bool>(total[0]), std::vector<bool>(total[1])};
            for (std::size_t item = 0; item < l.in.size() / in_row; ++item)
                for (int i = 0; i < static_cast<int>(l.in[item * in_row + 1] % 4); ++i) {
                    word64 counter;
                    const word64 amount = of(&l.in[item * in_row], i, counter);
                    const T first = static_cast<T>(out[item * out_row + 1 + i] - 1);
                    for (word64 a = 0; a < amount; ++a) {
                        const word64 at = static_cast<word64>(
                            static_cast<T>(first + static_cast<T>(a) - static_cast<T>(poison)));
                        if (at >= total[counter] || taken[counter][at])
                            return "a part was taken twice or is not of what was added";
                        taken[counter][at] = true;
                    }
                }
            return "";
        });
}

static void cases(machine &t)
{
    for (dim3 block : t.blocks())
        for (int pattern = 0; pattern < t.patterns; ++pattern) {
            launch_case l{"several", several, whole, block, in_row, out_row};
            t.fill(l, pattern);
            if (items_of(block) % t.wave % 2 == 0)
                t.run(l, [&](const member &m, word64 *row) {
                    const word64 p = m.in(m.lane)[0], q = m.in(m.lane)[1] & 1;
                    const auto put = [&](int point, auto alike) {
                        word64 lanes = 0;
                        for (int i = 0; i < m.count; ++i)
                            lanes |= word64(alike(i, m.in(i)[0], m.in(i)[1] & 1)) << i;
                        row[1 + 2 * point] = row[2 + 2 * point] = lanes;
                    };
                    const auto by_p = [&](int, word64 a, word64) { return a == p; };
                    const auto by_q = [&](int, word64, word64 b) { return b == q; };
                    const auto pairs = [&](int i, word64, word64) { return i / 2 == m.lane / 2; };
                    put(0, by_q);
                    put(1, pairs);
                    if (p)
                        put(2, by_p), put(3, by_p);
                    put(4, pairs);
                    if (!q)
                        put(5, by_q);
                    put(6, by_p);
                    put(7, [](int, word64, word64) { return true; });
                    put(8, [&](int, word64 a, word64 b) { return (a && b) == (p && q); });
                });
            launch_case takes{"take_u64", take_u64, whole, block, in_row, out_row, 0, 3};
            t.fill(takes, pattern, 7);
            run_take<std::uint64_t>(t, takes);
            takes.name = "take_i32";
            takes.function = take_i32;
            run_take<std::int32_t>(t, takes);
            launch_case a{"aggregate", aggregate, whole, block, in_row, out_row, 0, 5};
            t.fill(a, pattern);
            const auto trips = [](const word64 *in) { return in[0] ? 0 : in[1] % 4; };
            word64 taken = 0;
            for (std::size_t i = 0; i < a.in.size(); i += in_row)
                taken += trips(&a.in[i]);
            t.run(
                a,
                [&](const member &m, word64 *row) {
                    for (word64 i = 0; i < trips(m.in(m.lane)); ++i)
                        row[1 + i] = anything;
                    if (m.item == 0)
                        row[out_row - 1] = poison + taken;
                },
                [&](const word64 *out) -> std::string {
                    std::vector<bool> seen(taken);
                    for (std::size_t i = 0; i < a.in.size() / in_row; ++i)
                        for (word64 c = 1; c <= trips(&a.in[i * in_row]); ++c) {
                            const word64 number = out[i * out_row + c] - poison - 1;
                            if (number >= taken || seen[number])
                                return "number " + std::to_string(number) +
                                       " was taken twice or is too high";
                            seen[number] = true;
                        }
                    return "";
                });
        }
}

} // namespace test

int main(int argc, char **argv) { return test::main_of(argc, argv, test::cases); }
