/* SPDX-License-Identifier: MIT
 * registers_cub.hip: CUB beside the group functions on NVIDIA GPUs.
 */
#include <cub/cub.cuh>

#define BY "CUB"
#define VERSION SUBWAVE_BENCH_TEXT(CUB_VERSION)
#include "registers_cub.hpp"
