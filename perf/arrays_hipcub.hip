/* SPDX-License-Identifier: MIT
 * arrays_hipcub.hip: hipCUB beside the operations on arrays on AMD GPUs.
 */
#include <hipcub/hipcub.hpp>

namespace cub = hipcub;
#define BY "hipCUB"
#define VERSION SUBWAVE_BENCH_TEXT(HIPCUB_VERSION)
#define STREAM hipStream_t
#include "arrays_cub.hpp"
