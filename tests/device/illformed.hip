/* SPDX-License-Identifier: MIT
 * illformed.hip: a use that must not compile, by number (R030, R040, R041, trap 4); 0 is
 * well-formed. The text after "expect:" must be in what the compiler says.
 */
#include <subwave/subwave.hpp>

using namespace subwave;

struct no_identity {
    SUBWAVE_DEVICE int operator()(int a, int b) const { return a > b ? a : b; }
};
struct not_copyable {
    not_copyable(const not_copyable &);
};

__global__ void use(int *out)
{
    const sub_group sg = this_work_item::get_sub_group();
#if CASE == 0
    out[0] = reduce_over_group(get_fixed_size_group<4>(sg), 1, no_identity());
#elif CASE == 1  /* expect: the partition size must be a positive power of two */
    out[0] = get_fixed_size_group<0>(sg).leader();
#elif CASE == 2  /* expect: the partition size must be a positive power of two */
    out[0] = get_fixed_size_group<3>(sg).leader();
#elif CASE == 3  /* expect: the partition size must not exceed the sub-group's on this target */
    out[0] = get_fixed_size_group<128>(sg).leader();
#elif CASE == 4  /* expect: sub_group>::value */
    out[0] = get_ballot_group(get_fixed_size_group<4>(sg), true).leader();
#elif CASE == 5  /* expect: sub_group>::value */
    out[0] = get_fixed_size_group<2>(get_fixed_size_group<4>(sg)).leader();
#elif CASE == 6  /* expect: sub_group>::value */
    out[0] = get_tangle_group(get_tangle_group(sg)).leader();
#elif CASE == 7  /* expect: exclusive_scan_over_group: without init the operation needs */
    out[0] = exclusive_scan_over_group(sg, 1, no_identity());
#elif CASE == 8  /* expect: joint_reduce: without init the operation needs */
    out[0] = joint_reduce(sg, out, out + 1, no_identity());
#elif CASE == 9  /* expect: joint_exclusive_scan: without init the operation needs */
    joint_exclusive_scan(sg, out, out + 1, out, no_identity());
#elif CASE == 10 /* expect: only trivially copyable types can move between work-items */
    group_broadcast(sg, *reinterpret_cast<not_copyable *>(out));
#elif CASE == 64 /* expect: the partition size must not exceed the sub-group's on this target */
    out[0] = get_fixed_size_group<64>(sg).leader();
#endif
}
