/* SPDX-License-Identifier: MIT
 * registers_cg.hip: CUDA's cooperative groups in registers. What they call a tile of a whole warp
 * is both a sub-group and a fixed-size group here; coalesced_threads is a tangle.
 */
#include "registers.hpp"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

SUBWAVE_BEGIN
namespace {

namespace cg = cooperative_groups;

template <int Size> struct tile {
    template <class Body> static SUBWAVE_DEVICE void with(Body body)
    {
        body(cg::tiled_partition<Size>(cg::this_thread_block()));
    }
};
struct partition {
    template <class Body> static SUBWAVE_DEVICE void with(Body body)
    {
        body(cg::binary_partition(cg::tiled_partition<32>(cg::this_thread_block()), one_side()));
    }
};
struct partition_branch {
    template <class Body> static SUBWAVE_DEVICE void with(Body body)
    {
        auto g = cg::binary_partition(cg::tiled_partition<32>(cg::this_thread_block()), one_side());
        if (one_side())
            body(g);
    }
};
struct coalesced {
    template <class Body> static SUBWAVE_DEVICE void with(Body body)
    {
        if (one_side())
            body(cg::coalesced_threads());
    }
};

struct reduce {
    template <class Group, class T> SUBWAVE_DEVICE T operator()(const Group &g, T x) const
    {
        return cg::reduce(g, x, cg::plus<T>());
    }
};
struct scan {
    template <class Group, class T> SUBWAVE_DEVICE T operator()(const Group &g, T x) const
    {
        return cg::inclusive_scan(g, x, cg::plus<T>());
    }
};

template <class Groups> struct both {
    explicit both(const char *kind)
    {
        enrolled_chain<Groups, reduce>("reduce", kind, "cooperative groups",
                                       "CUDA " SUBWAVE_BENCH_TEXT(CUDART_VERSION));
        enrolled_chain<Groups, scan>("scan", kind, "cooperative groups",
                                     "CUDA " SUBWAVE_BENCH_TEXT(CUDART_VERSION));
    }
};
const both<tile<32>> sub_groups("sub_group"), wide("fixed_size 32");
const both<tile<8>> narrow("fixed_size 8");
const both<partition> sides("ballot");
const both<partition_branch> one_of_two("ballot, one side");
const both<coalesced> branches("tangle");

} // namespace
SUBWAVE_END
