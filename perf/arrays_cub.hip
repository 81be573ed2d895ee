/* SPDX-License-Identifier: MIT
 * arrays_cub.hip: CUB beside the operations on arrays on NVIDIA GPUs.
 */
#include <cub/cub.cuh>

#define BY "CUB"
#define VERSION SUBWAVE_BENCH_TEXT(CUB_VERSION)
#define STREAM cudaStream_t
#if CUB_VERSION >= 300000
#define HAS_ARG_MIN_OF_TWO_RESULTS
#endif
#include "arrays_cub.hpp"
