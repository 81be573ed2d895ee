/* SPDX-License-Identifier: MIT
 * grouped.hpp: problems of any sizes, and what each of them has to do.
 */
#ifndef SUBWAVE_HIP_GROUPED_HPP
#define SUBWAVE_HIP_GROUPED_HPP

#include "kernels.h"

#include <subwave/subwave.hpp>

SUBWAVE_BEGIN

/* A problem as tiles of a class compute it, all of the same units of work: one per eight steps of k,
 * and two for what a tile takes besides. */
struct grouped_problem {
    int m, n, k;
    std::uint32_t across, tiles, units;

    SUBWAVE_DEVICE grouped_problem(const subwave_grouped_launch &p, std::uint32_t i, int side)
        : m(static_cast<int>(p.m[i])), n(static_cast<int>(p.n[i])),
          k(p.multiplies ? static_cast<int>(p.k[i]) : 0),
          across((static_cast<std::uint32_t>(n) + side - 1) / side),
          tiles((static_cast<std::uint32_t>(m) + side - 1) / side * across),
          units((static_cast<std::uint32_t>(k) + 7) / 8 + 2)
    {
    }
    SUBWAVE_DEVICE std::uint64_t work() const { return std::uint64_t(tiles) * units; }
};

/* The work of a class, as it was measured. */
class grouped_work {
    const subwave_grouped_launch &p_;
    const int number_;

public:
    SUBWAVE_DEVICE grouped_work(const subwave_grouped_launch &p, int number)
        : p_(p), number_(number)
    {
    }
    SUBWAVE_DEVICE std::uint64_t total() const { return p_.total[number_]; }
    /* The units before those of problem i. */
    SUBWAVE_DEVICE std::uint64_t before(std::uint32_t i) const
    {
        return p_.before_run[std::uint64_t(number_) * p_.runs + i / SUBWAVE_GROUPED_RUN] +
               p_.in_run[std::uint64_t(number_) * p_.count + i];
    }
    /* The problem of a unit that is not before problem `low`. Near ones are looked at first if `step`
     * is small. */
    SUBWAVE_DEVICE std::uint32_t problem_of(std::uint64_t unit, std::uint32_t low,
                                            std::uint32_t step) const
    {
        std::uint32_t high = p_.count;
        for (; high - low > step && before(low + step) <= unit; step *= 2)
            low += step;
        if (high - low > step)
            high = low + step;
        while (high - low > 1) {
            const std::uint32_t middle = low + (high - low) / 2;
            if (before(middle) <= unit)
                low = middle;
            else
                high = middle;
        }
        return low;
    }
};

SUBWAVE_END

#endif
