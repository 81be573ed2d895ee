/* SPDX-License-Identifier: MIT
 * group_vote.c: subwave_group_vote.
 */
#include "group.h"
#include "log.h"

#include <inttypes.h>

subwave_status subwave_group_vote(subwave_context *context, subwave_vote vote,
                                  const subwave_group *group, int64_t n, const uint8_t *x,
                                  uint8_t *y)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_group_vote"));
    subwave_log_call(context, "subwave_group_vote(vote=%d, kind=%s, n=%" PRId64 ")", (int)vote,
                     group ? subwave_group_kind_name(group->kind) : "null", n);
    subwave_group_vote_launch launch = {.vote = vote, .x = x, .y = y};
    if (vote != SUBWAVE_VOTE_ANY && vote != SUBWAVE_VOTE_ALL && vote != SUBWAVE_VOTE_NONE)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_VALUE,
                            "vote is %d, which is no subwave_vote", (int)vote);
    SUBWAVE_TRY(subwave_group_prepare(context, group, n, &launch.shape));
    if (n == 0)
        return SUBWAVE_STATUS_SUCCESS;
    SUBWAVE_TRY(subwave_group_check_pointers(context, group));
    SUBWAVE_TRY(subwave_check_pointer(context, "x", x, 1));
    SUBWAVE_TRY(subwave_check_pointer(context, "y", y, 1));
    subwave_log_bench_group(context, group, n, "group_vote --vote %s",
                            vote == SUBWAVE_VOTE_ANY   ? "any"
                            : vote == SUBWAVE_VOTE_ALL ? "all"
                                                       : "none");
    return subwave_launch(context, SUBWAVE_OPERATION_group_vote, SUBWAVE_DTYPE_U8, &launch,
                          "subwave_group_vote");
}
