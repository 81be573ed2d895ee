/* SPDX-License-Identifier: MIT
 * registers_hipcub.hip: hipCUB beside the group functions on AMD GPUs.
 */
#include <hipcub/hipcub.hpp>

namespace cub = hipcub;
#define BY "hipCUB"
#define VERSION SUBWAVE_BENCH_TEXT(HIPCUB_VERSION)
#include "registers_cub.hpp"
