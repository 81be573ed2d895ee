/* SPDX-License-Identifier: MIT
 * group.c: what the subwave_group_* calls share: checking a subwave_group and shaping its launch.
 */
#include "group.h"

#include <inttypes.h>

SUBWAVE_DEFINE_NAME(subwave_group_kind, SUBWAVE_GROUP_LIST)

/* The aspect that a device needs for a kind of group, or 0; -1: there is no such kind. */
static int32_t aspect_of(subwave_group_kind kind)
{
    switch (kind) {
#define SUBWAVE_X(name, value, spelling, aspect) \
    case SUBWAVE_GROUP_##name: \
        return aspect;
        SUBWAVE_GROUP_LIST(SUBWAVE_X)
#undef SUBWAVE_X
    }
    return -1;
}

SUBWAVE_DEFINE_NAME(subwave_op, SUBWAVE_OP_LIST)

static bool is_op(subwave_op op)
{
    switch (op) {
#define SUBWAVE_X(name, ...) case SUBWAVE_OP_##name:
        SUBWAVE_OP_LIST(SUBWAVE_X)
#undef SUBWAVE_X
        return true;
    }
    return false;
}

static bool is_for_floats(subwave_op op)
{
    switch (op) {
#define SUBWAVE_X(name, value, spelling, floating) \
    case SUBWAVE_OP_##name: \
        return floating;
        SUBWAVE_OP_LIST(SUBWAVE_X)
#undef SUBWAVE_X
    }
    return false;
}

subwave_status subwave_check_op(subwave_context *context, subwave_operation operation,
                                subwave_op op, subwave_dtype dtype)
{
    if (!is_op(op))
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_VALUE,
                            "op is %d, which is no subwave_op", (int)op);
    SUBWAVE_TRY(subwave_check_dtype(context, dtype));
    if (!subwave_is_built(operation, dtype))
        return subwave_fail(context, SUBWAVE_STATUS_UNSUPPORTED, "dtype is %s, which has no op %s",
                            subwave_dtype_name(dtype), subwave_op_name(op));
    if (subwave_class_of(dtype) == SUBWAVE_CLASS_FLOAT && !is_for_floats(op))
        return subwave_fail(context, SUBWAVE_STATUS_UNSUPPORTED,
                            "op is %s, which dtype %s does not have", subwave_op_name(op),
                            subwave_dtype_name(dtype));
    return SUBWAVE_STATUS_SUCCESS;
}

SUBWAVE_DEFINE_NAME(subwave_scan_kind, SUBWAVE_SCAN_LIST)

SUBWAVE_DEFINE_CHECK(subwave_check_scan_kind, subwave_scan_kind, "scan", SUBWAVE_SCAN_LIST)

static bool is_power_of_two(int32_t x) { return x > 0 && (x & (x - 1)) == 0; }

/* How many blocks walk over shape->count of `items` work-items, and how many each takes at a time. */
static void divide(const subwave_context *context, int64_t items, subwave_group_shape *shape)
{
    const subwave_capabilities *device = &context->capabilities;
    const int32_t *batch = device->shapes->group_batch;
    const int64_t lanes = (items + device->wave_size - 1) / device->wave_size * device->wave_size;
    const bool take_turns = device->waves_take_turns;
    /* A compute unit holds 2048 work-items at the most. Eight times as many blocks as run at once leave
     * few units idle while the last ones run, and are few enough for what a block does before its first
     * element to cost little. */
    const int64_t at_once =
        take_turns ? 1 : (2048 * (int64_t)device->compute_units - 1) / lanes + 1;
    const int64_t each = shape->count > at_once ? (shape->count - 1) / at_once + 1 : 1,
                  most = batch[batch[0] < batch[1]];
    shape->batch = (int32_t)(each < most ? each : most);
    const int64_t batches = (shape->count - 1) / shape->batch + 1;
    const int64_t wanted = batches / device->shapes->group_batches;
    int64_t enough = wanted < 8 * at_once ? wanted : 8 * at_once;
    if (enough < at_once)
        enough = at_once;
    if (take_turns || enough > SUBWAVE_MOST_BLOCKS)
        enough = SUBWAVE_MOST_BLOCKS;
    shape->blocks = (uint32_t)(batches < enough ? batches : enough);
}

subwave_status subwave_group_prepare(subwave_context *context, const subwave_group *group,
                                     int64_t n, subwave_group_shape *shape)
{
    SUBWAVE_TRY(subwave_check_pointer(context, "group", group, sizeof(void *)));
    const subwave_device_properties *device = &context->device;
    const int32_t wave = device->sub_group_sizes[0];
    const int32_t aspect = aspect_of(group->kind);
    if (aspect < 0)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_VALUE,
                            "group->kind is %d, which is no subwave_group_kind", (int)group->kind);
    if ((device->aspects & aspect) != aspect)
        return subwave_fail(context, SUBWAVE_STATUS_UNSUPPORTED,
                            "group->kind is %s, an aspect that device %s lacks",
                            subwave_group_kind_name(group->kind), device->id);

    SUBWAVE_TRY(subwave_check_size(context, "n", n));
    int64_t items = 1;
    for (int i = 0; i < 3; ++i) {
        if (group->block[i] < 1 || group->block[i] > device->max_block_size)
            return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                                "group->block[%d] is %" PRId32 ", outside 1 to %" PRId32, i,
                                group->block[i], device->max_block_size);
        items *= group->block[i];
    }
    if (items > device->max_block_size)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                            "group->block holds %" PRId64 " work-items; device %s allows %" PRId32,
                            items, device->id, device->max_block_size);
    if (group->block[2] > 64) /* CUDA's limit, kept everywhere */
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                            "group->block[2] is %" PRId32 ", above 64", group->block[2]);
    if (n % items)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                            "n is %" PRId64 ", no multiple of the %" PRId64
                            " work-items of group->block",
                            n, items);
    if (group->kind == SUBWAVE_GROUP_FIXED_SIZE) {
        if (!is_power_of_two(group->fixed_size))
            return subwave_fail(context, SUBWAVE_STATUS_INVALID_VALUE,
                                "group->fixed_size is %" PRId32 ", no positive power of two",
                                group->fixed_size);
        if (group->fixed_size > wave)
            return subwave_fail(context, SUBWAVE_STATUS_UNSUPPORTED,
                                "group->fixed_size is %" PRId32
                                "; sub-groups of device %s have %" PRId32 " work-items",
                                group->fixed_size, device->id, wave);
        if (items % wave % group->fixed_size)
            return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                                "group->fixed_size is %" PRId32
                                ", which does not divide the last sub-group of %" PRId64
                                " work-items",
                                group->fixed_size, items % wave);
    }
    if ((group->kind == SUBWAVE_GROUP_TANGLE || group->kind == SUBWAVE_GROUP_OPPORTUNISTIC) &&
        (group->branches < 1 || group->branches > 64))
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_VALUE,
                            "group->branches is %" PRId32 ", outside 1 to 64", group->branches);

    shape->group = *group;
    shape->count = n / items;
    divide(context, items, shape);
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_group_check_pointers(subwave_context *context, const subwave_group *group)
{
    if (group->kind == SUBWAVE_GROUP_BALLOT)
        SUBWAVE_TRY(subwave_check_pointer(context, "group->predicate", group->predicate, 1));
    if (group->kind == SUBWAVE_GROUP_TANGLE || group->kind == SUBWAVE_GROUP_OPPORTUNISTIC)
        SUBWAVE_TRY(subwave_check_pointer(context, "group->key", group->key, sizeof(int32_t)));
    if (group->members)
        SUBWAVE_TRY(
            subwave_check_pointer(context, "group->members", group->members, sizeof(uint64_t)));
    return SUBWAVE_STATUS_SUCCESS;
}
