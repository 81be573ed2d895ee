/* SPDX-License-Identifier: MIT
 * grouped.hip: what problems of any sizes have to do, each, counted through class by class, so that
 * equal shares of the work can be found by it.
 */
#include "grouped.hpp"

#include <subwave/device/block/scan.hpp>

SUBWAVE_BEGIN

constexpr int grouped_run = SUBWAVE_GROUPED_RUN;

/* Rows and columns as they lie, of which each has `ld` elements or more to the next. */
SUBWAVE_DEVICE bool is_matrix(const subwave_grouped_operand &x, std::uint32_t i, std::int64_t rows,
                              std::int64_t columns)
{
    return x.matrices[i] && x.lds[i] >= (x.transposed ? rows : columns);
}

/* Whether there is something to compute that can be: nothing else is touched. */
SUBWAVE_DEVICE bool is_possible(const subwave_grouped_launch &p, std::uint32_t i)
{
    constexpr std::int64_t most = SUBWAVE_GROUPED_MOST_SIZE;
    const std::int64_t m = p.m[i], n = p.n[i], k = p.multiplies ? p.k[i] : 0;
    if (m <= 0 || n <= 0 || k < 0 || m > most || n > most || k > most || !is_matrix(p.c, i, m, n))
        return false;
    return k == 0 || (is_matrix(p.a, i, m, k) && is_matrix(p.b, i, k, n));
}

/* The first whose tile holds C, or the last. */
SUBWAVE_DEVICE int class_of(const subwave_grouped_launch &p, std::uint32_t i)
{
    const std::int64_t widest = p.m[i] > p.n[i] ? p.m[i] : p.n[i];
    int number = 0;
    while (number < p.classes - 1 && widest > p.sides[number])
        ++number;
    return number;
}

/* A block measures runs of problems. A single run is all. */
SUBWAVE_KERNEL(grouped_run) grouped_measure(subwave_grouped_launch p)
{
    SUBWAVE_SHARED(std::uint64_t, shared, block_scan_elements<grouped_run>);
    const std::uint32_t item = threadIdx.x;
    for (std::uint32_t run = blockIdx.x; run < p.runs; run += gridDim.x) {
        const std::uint32_t i = run * grouped_run + item;
        const int mine = i < p.count && is_possible(p, i) ? class_of(p, i) : -1;
        for (int number = 0; number < p.classes; ++number) {
            const std::uint64_t work =
                number == mine ? grouped_problem(p, i, p.sides[number]).work() : 0;
            const std::uint64_t before = block_exclusive_scan<grouped_run>(
                work, std::uint64_t(0), plus<std::uint64_t>(), shared);
            if (i < p.count)
                p.in_run[std::uint64_t(number) * p.count + i] = before;
            if (item == grouped_run - 1) {
                p.before_run[std::uint64_t(number) * p.runs + run] =
                    p.runs == 1 ? 0 : before + work;
                if (p.runs == 1)
                    p.total[number] = before + work;
            }
            block_barrier(site::current());
        }
    }
}

/* One block turns what each run has to do into what is before it. */
SUBWAVE_KERNEL(grouped_run) grouped_add_up(subwave_grouped_launch p)
{
    SUBWAVE_SHARED(std::uint64_t, shared, block_scan_elements<grouped_run>);
    SUBWAVE_SHARED(std::uint64_t, upto_here, 1);
    const std::uint32_t item = threadIdx.x;
    for (int number = 0; number < p.classes; ++number) {
        std::uint64_t *const runs = p.before_run + std::uint64_t(number) * p.runs;
        std::uint64_t before_these = 0;
        for (std::uint32_t first = 0; first < p.runs; first += grouped_run) {
            const std::uint32_t run = first + item;
            const std::uint64_t work = run < p.runs ? runs[run] : 0;
            const std::uint64_t before = block_exclusive_scan<grouped_run>(
                work, before_these, plus<std::uint64_t>(), shared);
            if (run < p.runs)
                runs[run] = before;
            if (item == grouped_run - 1)
                *upto_here = before + work;
            block_barrier(site::current());
            before_these = *upto_here;
            block_barrier(site::current());
        }
        if (item == 0)
            p.total[number] = before_these;
    }
}

template <class T> int launch_grouped(const subwave_grouped_launch &p, void *stream)
{
    const dim3 block(grouped_run);
    const int status = launch(grouped_measure, dim3(p.blocks), block, 0, stream, p);
    return status != 0 || p.runs == 1 ? status
                                      : launch(grouped_add_up, dim3(1), block, 0, stream, p);
}

SUBWAVE_END

SUBWAVE_KERNELS_grouped(SUBWAVE_DEFINE_LAUNCHER)
