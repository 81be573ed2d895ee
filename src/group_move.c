/* SPDX-License-Identifier: MIT
 * group_move.c: subwave_group_broadcast, _shift, _permute and _select.
 */
#include "group.h"
#include "log.h"

#include <inttypes.h>

static void log_bench(subwave_context *context, subwave_move move, subwave_dtype dtype,
                      const subwave_group *group, int64_t n, uint32_t amount)
{
    static const char *const calls[] = {[SUBWAVE_MOVE_BROADCAST] = "broadcast",
                                        [SUBWAVE_MOVE_SHIFT_LEFT] = "shift",
                                        [SUBWAVE_MOVE_SHIFT_RIGHT] = "shift",
                                        [SUBWAVE_MOVE_PERMUTE] = "permute",
                                        [SUBWAVE_MOVE_SELECT] = "select"};
    static const char *const options[] = {[SUBWAVE_MOVE_BROADCAST] = " --local-id ",
                                          [SUBWAVE_MOVE_SHIFT_LEFT] = " --direction left --delta ",
                                          [SUBWAVE_MOVE_SHIFT_RIGHT] =
                                              " --direction right --delta ",
                                          [SUBWAVE_MOVE_PERMUTE] = " --mask "};
    if (move == SUBWAVE_MOVE_SELECT)
        subwave_log_bench_group(context, group, n, "group_select --dtype %s",
                                subwave_dtype_name(dtype));
    else
        subwave_log_bench_group(context, group, n, "group_%s --dtype %s%s%" PRIu32, calls[move],
                                subwave_dtype_name(dtype), options[move], amount);
}

static subwave_status group_move(subwave_context *context, const char *function, subwave_move move,
                                 subwave_dtype dtype, const subwave_group *group, int64_t n,
                                 uint32_t amount, const uint32_t *id, const void *x, void *y)
{
    subwave_log_call(context, "%s(dtype=%s, kind=%s, n=%" PRId64 ", amount=%" PRIu32 ")", function,
                     subwave_dtype_name(dtype),
                     group ? subwave_group_kind_name(group->kind) : "null", n, amount);
    subwave_group_move_launch launch = {.move = move, .amount = amount, .id = id, .x = x, .y = y};
    SUBWAVE_TRY(subwave_check_dtype(context, dtype));
    SUBWAVE_TRY(subwave_group_prepare(context, group, n, &launch.shape));
    if (n == 0)
        return SUBWAVE_STATUS_SUCCESS;
    SUBWAVE_TRY(subwave_group_check_pointers(context, group));
    if (move == SUBWAVE_MOVE_SELECT)
        SUBWAVE_TRY(subwave_check_pointer(context, "id", id, sizeof *id));
    const size_t alignment = subwave_dtype_size(subwave_part_dtype(dtype));
    SUBWAVE_TRY(subwave_check_pointer(context, "x", x, alignment));
    SUBWAVE_TRY(subwave_check_pointer(context, "y", y, alignment));
    log_bench(context, move, dtype, group, n, amount);
    return subwave_launch(context, SUBWAVE_OPERATION_group_move, subwave_moved_dtype(dtype),
                          &launch, "subwave_group_move");
}

subwave_status subwave_group_broadcast(subwave_context *context, subwave_dtype dtype,
                                       const subwave_group *group, int64_t n, uint32_t local_id,
                                       const void *x, void *y)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_group_broadcast"));
    return group_move(context, "subwave_group_broadcast", SUBWAVE_MOVE_BROADCAST, dtype, group, n,
                      local_id, NULL, x, y);
}

subwave_status subwave_group_shift(subwave_context *context, subwave_dtype dtype,
                                   subwave_shift direction, const subwave_group *group, int64_t n,
                                   uint32_t delta, const void *x, void *y)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_group_shift"));
    if (direction != SUBWAVE_SHIFT_LEFT && direction != SUBWAVE_SHIFT_RIGHT)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_VALUE,
                            "direction is %d, which is no subwave_shift", (int)direction);
    return group_move(context, "subwave_group_shift",
                      direction == SUBWAVE_SHIFT_LEFT ? SUBWAVE_MOVE_SHIFT_LEFT
                                                      : SUBWAVE_MOVE_SHIFT_RIGHT,
                      dtype, group, n, delta, NULL, x, y);
}

subwave_status subwave_group_permute(subwave_context *context, subwave_dtype dtype,
                                     const subwave_group *group, int64_t n, uint32_t mask,
                                     const void *x, void *y)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_group_permute"));
    return group_move(context, "subwave_group_permute", SUBWAVE_MOVE_PERMUTE, dtype, group, n, mask,
                      NULL, x, y);
}

subwave_status subwave_group_select(subwave_context *context, subwave_dtype dtype,
                                    const subwave_group *group, int64_t n, const uint32_t *id,
                                    const void *x, void *y)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_group_select"));
    return group_move(context, "subwave_group_select", SUBWAVE_MOVE_SELECT, dtype, group, n, 0, id,
                      x, y);
}
