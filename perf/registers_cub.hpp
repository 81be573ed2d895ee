/* SPDX-License-Identifier: MIT
 * registers_cub.hpp: CUB's warp collectives in registers, or those of a library with its interface.
 * The including file gives the namespace `cub` and BY and VERSION, the library's.
 */
#include "registers.hpp"

SUBWAVE_BEGIN
namespace {

template <class Lanes> struct logical_warp {
    static constexpr int size = Lanes::value;
    template <class Body> static SUBWAVE_DEVICE void with(Body body) { body(logical_warp()); }
};

/* Registers are enough for these sizes: what is declared shared has no member that is used. */
struct reduce {
    template <class Warp, class T> SUBWAVE_DEVICE T operator()(Warp, T x) const
    {
        using collective = cub::WarpReduce<T, Warp::size>;
        __shared__ typename collective::TempStorage storage[bench::REGISTER_BLOCK / Warp::size];
        return collective(storage[threadIdx.x / Warp::size]).Sum(x);
    }
};
struct scan {
    template <class Warp, class T> SUBWAVE_DEVICE T operator()(Warp, T x) const
    {
        using collective = cub::WarpScan<T, Warp::size>;
        __shared__ typename collective::TempStorage storage[bench::REGISTER_BLOCK / Warp::size];
        T sum;
        collective(storage[threadIdx.x / Warp::size]).InclusiveSum(x, sum);
        return sum;
    }
};

template <class Lanes> struct both {
    explicit both(const char *kind)
    {
        enrolled_chain<logical_warp<Lanes>, reduce>("reduce", kind, BY, VERSION, true);
        enrolled_chain<logical_warp<Lanes>, scan>("scan", kind, BY, VERSION);
    }
};
const both<all_lanes> sub_groups("sub_group");
const both<lanes<32>> wide("fixed_size 32");
const both<lanes<8>> narrow("fixed_size 8");

} // namespace
SUBWAVE_END
