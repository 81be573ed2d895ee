/* SPDX-License-Identifier: MIT
 * registers.hip: subwave's group functions in registers, a kind of group each.
 */
#include "registers.hpp"

SUBWAVE_BEGIN
namespace {

struct whole {
    template <class Body> static SUBWAVE_DEVICE void with(Body body)
    {
        body(this_work_item::get_sub_group());
    }
};
template <int Size> struct fixed_size {
    template <class Body> static SUBWAVE_DEVICE void with(Body body)
    {
        body(get_fixed_size_group<Size>(this_work_item::get_sub_group()));
    }
};
struct ballot {
    template <class Body> static SUBWAVE_DEVICE void with(Body body)
    {
        body(get_ballot_group(this_work_item::get_sub_group(), one_side()));
    }
};
struct ballot_branch {
    template <class Body> static SUBWAVE_DEVICE void with(Body body)
    {
        const auto g = get_ballot_group(this_work_item::get_sub_group(), one_side());
        if (one_side())
            body(g);
    }
};
struct tangle {
    template <class Body> static SUBWAVE_DEVICE void with(Body body)
    {
        if (one_side())
            body(get_tangle_group(this_work_item::get_sub_group()));
    }
};

struct reduce {
    template <class Group, class T> SUBWAVE_DEVICE T operator()(Group g, T x) const
    {
        return reduce_over_group(g, x, plus<T>());
    }
};
struct scan {
    template <class Group, class T> SUBWAVE_DEVICE T operator()(Group g, T x) const
    {
        return inclusive_scan_over_group(g, x, plus<T>());
    }
};

template <class Groups> struct both {
    explicit both(const char *kind)
    {
        enrolled_chain<Groups, reduce>("reduce", kind, "subwave", SUBWAVE_VERSION_STRING);
        enrolled_chain<Groups, scan>("scan", kind, "subwave", SUBWAVE_VERSION_STRING);
    }
};
const both<whole> sub_groups("sub_group");
const both<fixed_size<32>> wide("fixed_size 32");
const both<fixed_size<8>> narrow("fixed_size 8");
const both<ballot> sides("ballot");
const both<ballot_branch> one_of_two("ballot, one side");
const both<tangle> branches("tangle");

} // namespace
SUBWAVE_END
