/* SPDX-License-Identifier: MIT
 * block/scan.hpp: running combinations over the work-items of a block, in an order that does not
 * depend on how many lanes a wave has.
 */
#ifndef SUBWAVE_DEVICE_BLOCK_SCAN_HPP
#define SUBWAVE_DEVICE_BLOCK_SCAN_HPP

#include <subwave/device/scan.hpp>

SUBWAVE_BEGIN

/* Elements of shared memory that the scans below need for a block of so many work-items. */
template <int Items> inline constexpr int block_scan_elements = Items / min_wave_size();

/* What a work-item has of a scan: the combination up to its own value, and that of the values
 * before its own, which is filler<Op, T> where there are none. */
template <class T> struct scanned {
    T upto, before;
};

/* Scans x over each run of Run work-items of a block of Items, both powers of two, of which Items is
 * a multiple of the wave size. All work-items of the block call it together, in converged control
 * flow. The order is that of ladder.hpp, over a run: of neighbours the right one takes the left one's
 * value, then of pairs, and so on, whatever the wave size. `shared` has block_scan_elements<Items>,
 * and may be used again after a block_barrier. Op has a filler. */
template <int Items, int Run, class T, class Op>
SUBWAVE_DEVICE scanned<T> block_scan_runs(T x, Op op, T *shared, site where = site::current())
{
    static_assert((Items & (Items - 1)) == 0 && (Run & (Run - 1)) == 0 && Run <= Items &&
                      Items >= max_wave_size(),
                  "block_scan: the block must be a power of two, of whole waves and runs");
    static_assert(filler<Op, T>::exists, "block_scan: there is no value that op leaves out");
    const sub_group wave = this_work_item::get_sub_group();
    const auto scan_in = [&](auto group) -> scanned<T> {
        const T upto = inclusive_scan_over_group(group, x, op, where),
                before = shift_group_right(group, upto, 1, where);
        return {upto, group.leader() ? filler<Op, T>::value() : before};
    };
    constexpr int in_wave = Run < max_wave_size() ? Run : max_wave_size();
    if (Run <= wave_size())
        return scan_in(get_fixed_size_group<in_wave>(wave));
    scanned<T> mine;
    if constexpr (min_wave_size() == max_wave_size()) /* known to be whole */
        mine = scan_in(get_fixed_size_group<in_wave>(wave));
    else
        mine = scan_in(wave);
    const int number = static_cast<int>(wave.get_group_linear_id());
    if (wave.get_local_linear_id() + 1 == wave.get_local_linear_range())
        shared[number] = mine.upto;
    block_barrier(where);
    /* The values of the run's waves; then of pairs of waves, and so on. */
    constexpr int most = Run > min_wave_size() ? Run / min_wave_size() : 1;
    const int waves = Run / wave_size(), first = number & -waves;
    T part[most];
    SUBWAVE_UNROLL
    for (int i = 0; i < most; ++i)
        part[i] = i < waves ? shared[first + i] : filler<Op, T>::value();
    int place = number - first;
    SUBWAVE_UNROLL
    for (int parts = most; parts > 1; parts /= 2, place /= 2) {
        SUBWAVE_UNROLL
        for (int i = 0; i < parts; i += 2) {
            if (place == i + 1)
                mine = {op(part[i], mine.upto), op(part[i], mine.before)};
            part[i / 2] = op(part[i], part[i + 1]);
        }
    }
    return mine;
}

/* x[0] op ... op x[i] in work-item i, over a block of Items work-items, as in block_scan_runs. */
template <int Items, class T, class Op>
SUBWAVE_DEVICE T block_inclusive_scan(T x, Op op, T *shared, site where = site::current())
{
    return block_scan_runs<Items, Items>(x, op, shared, where).upto;
}

/* init op x[0] op ... op x[i - 1] in work-item i; init in the first. */
template <int Items, class T, class Op>
SUBWAVE_DEVICE T block_exclusive_scan(T x, T init, Op op, T *shared, site where = site::current())
{
    return op(init, block_scan_runs<Items, Items>(x, op, shared, where).before);
}

SUBWAVE_END

#endif
