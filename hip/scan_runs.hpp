/* SPDX-License-Identifier: MIT
 * scan_runs.hpp: the runs of a scan's tile, each of SUBWAVE_SCAN_RUN packs, scanned by way of shared
 * memory.
 *
 * A scan between lanes takes a step for each doubling of the lanes, and for each row of the tile
 * anew. Here a work-item has packs that are neighbours, so that most steps are its own.
 */
#ifndef SUBWAVE_HIP_SCAN_RUNS_HPP
#define SUBWAVE_HIP_SCAN_RUNS_HPP

#include "array.hpp"

SUBWAVE_BEGIN

/* Whether a scan does that, rather than scan between lanes row by row. On NVIDIA, where
 * four blocks at a time leave too few registers for it, a scan of f64 took 8 % longer on an H100. */
constexpr bool exchanges_packs = lane_registers > 64;

/* How many neighbours of a run a work-item scans by itself; and how many work-items share a run, which
 * are lanes of one wave however small waves are. */
constexpr int scan_share = 8, scan_sharers = SUBWAVE_SCAN_RUN / scan_share;

/* Values that one load or store moves together. */
template <class T> struct alignas(sizeof(T) < 2 ? scan_share : 16) scan_chunk {
    static constexpr int size = (sizeof(T) < 2 ? scan_share : 16) / sizeof(T);
    T value[size];
};

/* The values of a tile's packs in shared memory, where work-items that have packs of the same runs
 * exchange them, so that few steps of the order are between lanes. */
template <class T, int Rows> class scan_runs {
public:
    static constexpr int run = SUBWAVE_SCAN_RUN, chunks = Rows * array_block / scan_chunk<T>::size;

    SUBWAVE_DEVICE explicit scan_runs(scan_chunk<T> *shared) : shared_{shared} {}

    /* Of the work-item's pack of a row: its value, and after scan() what is before it in its run. */
    SUBWAVE_DEVICE T &of_row(int row)
    {
        constexpr int chunks_of_row = run / size;
        static_assert(chunks_of_row % 8 == 0,
                      "banks of a row's first chunk follow from the row alone");
        return shared_[number_ * (Rows * chunks_of_row) + row * chunks_of_row +
                       (turned(place_ / size) ^ (row * chunks_of_row / 8 & (share_chunks - 1)))]
            .value[place_ % size];
    }

    /* totals[i] becomes the value of run i of the tile. */
    template <class Op> SUBWAVE_DEVICE void scan(Op op, T *totals)
    {
        const sub_group wave = this_work_item::get_sub_group();
        const auto sharers = get_fixed_size_group<scan_sharers>(wave);
        /* Four rows have too few packs for all work-items: the others compute the same as these, and
         * store nothing. */
        constexpr int shares = Rows * scan_sharers;
        const int share = place_ % shares;
        T x[scan_share];
        wait();
        SUBWAVE_UNROLL
        for (int c = 0; c < share_chunks; ++c) {
            const scan_chunk<T> from = chunk(share * share_chunks + c);
            SUBWAVE_UNROLL
            for (int i = 0; i < size; ++i)
                x[c * size + i] = from.value[i];
        }
        SUBWAVE_UNROLL
        for (int block = 1; block < scan_share; block *= 2) {
            SUBWAVE_UNROLL
            for (int i = 0; i < scan_share; ++i)
                if (i & block)
                    x[i] = by_itself(op(x[(i & -block) - 1], x[i]));
        }
        const auto join_lower_lanes = [&](auto constant) {
            constexpr int lanes = decltype(constant)::value;
            const auto both = get_fixed_size_group<2 * lanes>(wave);
            const T last_of_lower = group_broadcast(both, x[last], lanes - 1);
            const T lower = place_ & lanes ? last_of_lower : filler<Op, T>::value();
            SUBWAVE_UNROLL
            for (int i = 0; i < scan_share; ++i)
                x[i] = op(lower, x[i]);
        };
        static_assert(scan_sharers == 4, "there are two steps between lanes");
        join_lower_lanes(std::integral_constant<int, 1>());
        join_lower_lanes(std::integral_constant<int, 2>());
        const T of_lower_lanes = shift_group_right(sharers, x[last], 1);
        if (place_ < shares) {
            if (place_ % scan_sharers == scan_sharers - 1)
                totals[share / scan_sharers * (array_block / run) + number_] = x[last];
            SUBWAVE_UNROLL
            for (int c = 0; c < share_chunks; ++c) {
                scan_chunk<T> to;
                SUBWAVE_UNROLL
                for (int i = 0; i < size; ++i)
                    to.value[i] = c + i > 0                    ? x[c * size + i - 1]
                                  : place_ % scan_sharers == 0 ? filler<Op, T>::value()
                                                               : of_lower_lanes;
                chunk(share * share_chunks + c) = to;
            }
        }
        wait();
    }

private:
    static constexpr int size = scan_chunk<T>::size, share_chunks = scan_share / size,
                         last = scan_share - 1;

    /* Lanes that read chunks at the same time find them in different banks. */
    SUBWAVE_DEVICE scan_chunk<T> &chunk(int i)
    {
        return shared_[number_ * (Rows * run / size) + turned(i)];
    }
    static SUBWAVE_DEVICE int turned(int i) { return i ^ (i / 8 & (share_chunks - 1)); }

    static SUBWAVE_DEVICE void wait()
    {
        if constexpr (min_wave_size() >= run)
            group_barrier(this_work_item::get_sub_group());
        else
            block_barrier(site::current());
    }

    scan_chunk<T> *shared_;
    int number_ = static_cast<int>(threadIdx.x) / run, place_ = static_cast<int>(threadIdx.x) % run;
};

SUBWAVE_END

#endif
