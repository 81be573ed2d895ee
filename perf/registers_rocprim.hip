/* SPDX-License-Identifier: MIT
 * registers_rocprim.hip: rocPRIM beside the group functions on AMD GPUs.
 */
#include "registers.hpp"

#include <rocprim/rocprim.hpp>
#include <rocprim/rocprim_version.hpp>

SUBWAVE_BEGIN
namespace {

template <class Lanes> struct logical_warp {
    static constexpr int size = Lanes::value;
    template <class Body> static SUBWAVE_DEVICE void with(Body body) { body(logical_warp()); }
};

struct reduce {
    template <class Warp, class T> SUBWAVE_DEVICE T operator()(Warp, T x) const
    {
        using collective = rocprim::warp_reduce<T, Warp::size, true>;
        __shared__ typename collective::storage_type storage[bench::REGISTER_BLOCK / Warp::size];
        T sum;
        collective().reduce(x, sum, storage[threadIdx.x / Warp::size], rocprim::plus<T>());
        return sum;
    }
};
struct scan {
    template <class Warp, class T> SUBWAVE_DEVICE T operator()(Warp, T x) const
    {
        using collective = rocprim::warp_scan<T, Warp::size>;
        __shared__ typename collective::storage_type storage[bench::REGISTER_BLOCK / Warp::size];
        T sum;
        collective().inclusive_scan(x, sum, storage[threadIdx.x / Warp::size], rocprim::plus<T>());
        return sum;
    }
};

template <class Lanes> struct both {
    explicit both(const char *kind)
    {
        enrolled_chain<logical_warp<Lanes>, reduce>("reduce", kind, "rocPRIM",
                                                    SUBWAVE_BENCH_TEXT(ROCPRIM_VERSION));
        enrolled_chain<logical_warp<Lanes>, scan>("scan", kind, "rocPRIM",
                                                  SUBWAVE_BENCH_TEXT(ROCPRIM_VERSION));
    }
};
const both<all_lanes> sub_groups("sub_group");
const both<lanes<32>> wide("fixed_size 32");
const both<lanes<8>> narrow("fixed_size 8");

} // namespace
SUBWAVE_END
