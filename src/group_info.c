/* SPDX-License-Identifier: MIT
 * group_info.c: subwave_group_info.
 */
#include "group.h"
#include "log.h"

#include <inttypes.h>

subwave_status subwave_group_info(subwave_context *context, const subwave_group *group, int64_t n,
                                  subwave_group_item *item)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_group_info"));
    subwave_log_call(context, "subwave_group_info(kind=%s, n=%" PRId64 ")",
                     group ? subwave_group_kind_name(group->kind) : "null", n);
    subwave_group_info_launch launch = {.item = item};
    SUBWAVE_TRY(subwave_group_prepare(context, group, n, &launch.shape));
    if (n == 0)
        return SUBWAVE_STATUS_SUCCESS;
    SUBWAVE_TRY(subwave_group_check_pointers(context, group));
    SUBWAVE_TRY(subwave_check_pointer(context, "item", item, sizeof(uint32_t)));
    subwave_log_bench_group(context, group, n, "group_info");
    return subwave_launch(context, SUBWAVE_OPERATION_group_info, SUBWAVE_DTYPE_U8, &launch,
                          "subwave_group_info");
}
