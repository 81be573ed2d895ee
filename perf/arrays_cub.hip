/* SPDX-License-Identifier: MIT
 * arrays_cub.hip: CUB beside the operations on arrays on NVIDIA GPUs.
 */
#include <cub/cub.cuh>

#define BY "CUB"
#define VERSION SUBWAVE_BENCH_TEXT(CUB_VERSION)
#define STREAM cudaStream_t
#include "arrays_cub.hpp"
