/* SPDX-License-Identifier: MIT
 * registers_hip_cg.hip: HIP's cooperative groups in registers, AMD GPUs. They have no reduce of
 * their own: a butterfly of shuffles within the tile is what their manual shows.
 */
#include "registers.hpp"

#include <hip/hip_cooperative_groups.h>

SUBWAVE_BEGIN
namespace {

namespace cg = cooperative_groups;

template <class Lanes> struct tile {
    template <class Body> static SUBWAVE_DEVICE void with(Body body)
    {
        body(cg::tiled_partition<Lanes::value>(cg::this_thread_block()));
    }
};
struct reduce {
    template <class Tile, class T> SUBWAVE_DEVICE T operator()(const Tile &g, T x) const
    {
        for (unsigned step = 1; step < g.size(); step *= 2)
            x += g.shfl_xor(x, step);
        return x;
    }
};
const char version[] =
    "HIP " SUBWAVE_BENCH_TEXT(HIP_VERSION_MAJOR) "." SUBWAVE_BENCH_TEXT(HIP_VERSION_MINOR);
template <class Lanes> struct tiles {
    explicit tiles(const char *kind)
    {
        enrolled_chain<tile<Lanes>, reduce>("reduce", kind, "cooperative groups", version);
    }
};
const tiles<all_lanes> sub_groups("sub_group");
const tiles<lanes<32>> wide("fixed_size 32");
const tiles<lanes<8>> narrow("fixed_size 8");

} // namespace
SUBWAVE_END
