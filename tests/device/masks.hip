/* SPDX-License-Identifier: MIT
 * masks.hip: the core functions under any division of a sub-group in two, both parts in one
 * instruction: every mask of eight lanes at each place, and random ones of 64. Lane i contributes
 * bit i.
 */
#include "harness.hpp"

namespace test {

/* Any set of lanes, as a group of the interface's own making. */
class part_of_wave : public lane_set<part_of_wave> {
public:
    SUBWAVE_DEVICE explicit part_of_wave(lane_mask lanes) : lane_set<part_of_wave>(lanes) {}
    SUBWAVE_DEVICE std::uint32_t get_group_linear_id() const { return 0; }
    SUBWAVE_DEVICE std::uint32_t get_group_linear_range() const { return 2; }
};

constexpr int columns = 12; /* a mask; before them the lanes of the wave */

/* The masks lie behind the rows of input. In `divided` each part makes its calls in a branch. */
template <bool Branch> SUBWAVE_DEVICE void divide(const word64 *in, word64 *out, std::int64_t count)
{
    const int items = static_cast<int>(gridDim.x * blockDim.x * blockDim.y * blockDim.z);
    const sub_group sg = this_work_item::get_sub_group();
    const int lane = wave_lane();
    const word64 bit = word64(1) << lane;
    word64 *row = out + grid_item() * (1 + count * columns);
    *row++ = sg.lanes();
    for (int n = 0; n < count; ++n, row += columns) {
        const word64 mask = in[items + n];
        const auto calls = [&](part_of_wave g) {
            const std::uint32_t rank = g.get_local_linear_id(), size = g.get_local_linear_range();
            row[0] = rank;
            row[1] = size;
            row[2] = word64(g.lane_of(size - 1 - rank));
            row[3] = reduce_over_group(g, bit, plus<>());
            row[4] = inclusive_scan_over_group(g, bit, bit_or<>());
            row[5] = exclusive_scan_over_group(g, bit, bit_xor<>());
            row[6] = group_broadcast(g, bit, n % size);
            row[7] = select_from_group(g, bit, id<1>(size - 1 - rank));
            row[8] = shift_group_left(g, bit);
            row[9] = shift_group_right(g, bit, n % size);
            row[10] = permute_group_by_xor(g, bit, id<1>(n % 64));
            row[11] = any_of_group(g, lane == n % 64);
        };
        const part_of_wave part(mask & bit ? mask & sg.lanes() : ~mask & sg.lanes());
        if (!Branch)
            calls(part);
        else if (mask & bit)
            calls(part);
        else
            calls(part);
    }
}
extern "C" SUBWAVE_KERNEL(1024) together(const word64 *in, word64 *out, std::int64_t count)
{
    divide<false>(in, out, count);
}
extern "C" SUBWAVE_KERNEL(1024) branched(const word64 *in, word64 *out, std::int64_t count)
{
    divide<true>(in, out, count);
}

static void expect_divided(const member &m, word64 *row)
{
    const std::int64_t count = m.of->argument;
    const word64 *masks = &m.of->in[std::size_t(items_of(m.of->block)) * m.of->blocks];
    const word64 all = m.mask, bit = word64(1) << m.lane;
    ++row;
    for (int n = 0; n < count; ++n, row += columns) {
        member part = m;
        part.mask = masks[n] & bit ? masks[n] & all : ~masks[n] & all;
        const int rank = part.rank(), size = part.size();
        const auto bit_of_rank = [&](int r) {
            return r >= 0 && r < size ? word64(1) << part.lane_of(r) : bit;
        };
        row[0] = word64(rank);
        row[1] = word64(size);
        row[2] = word64(part.lane_of(size - 1 - rank));
        row[3] = part.mask;
        row[4] = part.mask & (bit | (bit - 1));
        row[5] = part.mask & (bit - 1);
        row[6] = bit_of_rank(n % size);
        row[7] = bit_of_rank(size - 1 - rank);
        row[8] = bit_of_rank(rank + 1);
        row[9] = bit_of_rank(rank - n % size);
        row[10] = bit_of_rank(rank ^ n % 64);
        row[11] = part.has(n % 64);
    }
}

static void cases(machine &t)
{
    const unsigned w = static_cast<unsigned>(t.wave);
    std::vector<word64> masks;
    for (int place = 0; place < 64; place += 8)
        for (word64 eight = 1; eight < 256; ++eight)
            masks.push_back(eight << place);
    /* Sparse, even and dense ones. */
    random_words draw{t.seed};
    const bool many = t.full && t.seed == 0;
    const std::size_t random = many && t.wave >= 32 ? 100000
                               : many               ? 10000
                               : t.seed == 0        ? 1000
                                                    : 100;
    for (std::size_t i = 0; i < random; ++i) {
        const word64 a = draw(), b = draw(), c = draw();
        masks.push_back(i % 3 == 0 ? a : i % 3 == 1 ? a & b & c : a | b | c);
    }
    const std::size_t chunk = 500;
    for (std::size_t from = 0, turn = 0; from < masks.size(); from += chunk, ++turn) {
        const std::size_t to = from + chunk < masks.size() ? from + chunk : masks.size();
        /* A whole wave, in turn with one that lacks its last lane. */
        launch_case l{turn % 2 ? "branched" : "together",
                      turn % 2 ? branched : together,
                      whole,
                      dim3(turn % 3 == 2 ? w - 1 : w),
                      1,
                      int(1 + (to - from) * columns),
                      std::int64_t(to - from)};
        t.fill(l, 0);
        l.in.insert(l.in.end(), masks.begin() + long(from), masks.begin() + long(to));
        t.run(l, expect_divided);
    }
}

} // namespace test

int main(int argc, char **argv) { return test::main_of(argc, argv, test::cases); }
