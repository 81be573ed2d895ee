/* SPDX-License-Identifier: MIT
 * launch.hpp: what a generated kernel's reference is told.
 */
#ifndef SUBWAVE_TESTS_RANDOM_LAUNCH_HPP
#define SUBWAVE_TESTS_RANDOM_LAUNCH_HPP

#include <cstdint>

constexpr std::uint64_t poison = 0xa5a5a5a5a5a5a5a5u;

/* random_kernels.py has it too. */
struct generated_launch {
    int wave, blocks, x, y, z;
    int stride; /* words in a work-item's row of output */
    const std::uint64_t *in;
    std::uint64_t *out;       /* rows to be filled */
    const std::uint64_t *got; /* rows as a device filled them, for what a device may choose */
    std::int64_t argument;
};

#endif
