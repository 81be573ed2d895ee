/* SPDX-License-Identifier: MIT
 * scan_runs.hpp: the runs of a scan's tile, each of SUBWAVE_SCAN_RUN packs, scanned by way of shared
 * memory.
 *
 * A scan between lanes takes a step for each doubling of the lanes, and for each row of the tile
 * anew. Here one wave scans the whole tile's packs, each lane a run or half of one: so nearly all steps
 * are between values of one lane, and the other waves execute nothing for them.
 */
#ifndef SUBWAVE_HIP_SCAN_RUNS_HPP
#define SUBWAVE_HIP_SCAN_RUNS_HPP

#include "array.hpp"

SUBWAVE_BEGIN

/* Whether a scan does that, rather than scan between lanes row by row. On NVIDIA, where
 * four blocks at a time leave too few registers for it, a scan of f64 took 8 % longer on an H100. */
constexpr bool exchanges_packs = lane_registers > 64;

/* Values that one load or store moves together. */
template <class T> struct alignas(16) scan_chunk {
    static constexpr int size = 16 / sizeof(T);
    T value[size];
};

/* The values of a tile's packs in shared memory. */
template <class T, int Rows> class scan_runs {
public:
    static constexpr int run = SUBWAVE_SCAN_RUN, runs = Rows * array_block / run,
                         chunks = runs * run / scan_chunk<T>::size;

    SUBWAVE_DEVICE explicit scan_runs(scan_chunk<T> *shared) : shared_{shared} {}

    /* Of the work-item's pack of a row: its value, and after scan() what is before it in its run. */
    SUBWAVE_DEVICE T &of_row(int row)
    {
        const int item = static_cast<int>(threadIdx.x), own = turned(item / size);
        constexpr int chunks_of_row = array_block / size;
        static_assert(chunks_of_row / widest % banks == 0,
                      "each row is turned as the first one is");
        return shared_[row * chunks_of_row + own].value[item % size];
    }

    /* totals[i] becomes the value of run i of the tile. The block's first wave calls it, when all values
     * are there. */
    template <class Op> SUBWAVE_DEVICE void scan(Op op, T *totals)
    {
        const auto pair = get_fixed_size_group<2>(this_work_item::get_sub_group());
        const T none = filler<Op, T>::value();
        SUBWAVE_ROLLED
        for (int first = 0; first < runs * sharers; first += wave_size()) {
            const int own = first + static_cast<int>(threadIdx.x),
                      begin = turned(own * share_chunks);
            T x[share];
            SUBWAVE_UNROLL
            for (int c = 0; c < share_chunks; ++c) {
                const scan_chunk<T> from = shared_[begin ^ c];
                SUBWAVE_UNROLL
                for (int i = 0; i < size; ++i)
                    x[c * size + i] = from.value[i];
            }
            SUBWAVE_UNROLL
            for (int block = 1; block < share; block *= 2) {
                SUBWAVE_UNROLL
                for (int i = 0; i < share; ++i)
                    if (i & block)
                        x[i] = by_itself(op(x[(i & -block) - 1], x[i]));
            }
            T before = none;
            if constexpr (sharers == 2) {
                const T of_first = group_broadcast(pair, x[last], 0);
                before = own % 2 == 1 ? of_first : none;
                SUBWAVE_UNROLL
                for (int i = 0; i < share; ++i)
                    x[i] = op(before, x[i]);
            }
            if (own % sharers == sharers - 1)
                totals[own / sharers] = x[last];
            SUBWAVE_UNROLL
            for (int c = 0; c < share_chunks; ++c) {
                scan_chunk<T> to;
                SUBWAVE_UNROLL
                for (int i = 0; i < size; ++i)
                    to.value[i] = c + i > 0 ? x[c * size + i - 1] : before;
                shared_[begin ^ c] = to;
            }
        }
    }

private:
    /* How many lanes share a run, so that none is left out where there are more lanes than runs. */
    static constexpr int sharers = max_wave_size() > runs ? 2 : 1;
    static constexpr int share = run / sharers, last = share - 1;
    static constexpr int size = scan_chunk<T>::size, share_chunks = share / size;
    /* Lanes that read chunks at the same time find them in different banks. */
    static constexpr int banks = share_chunks < 8 ? share_chunks : 8,
                         widest = share_chunks < 8 ? 8 : share_chunks;
    static SUBWAVE_DEVICE int turned(int i)
    {
        return exchanges_packs ? i ^ (i / widest & (banks - 1)) : i;
    }

    scan_chunk<T> *shared_;
};

SUBWAVE_END

#endif
