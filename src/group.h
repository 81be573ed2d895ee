/* SPDX-License-Identifier: MIT
 * group.h: what the subwave_group_* calls share: checking a subwave_group and shaping its launch.
 */
#ifndef SUBWAVE_GROUP_H
#define SUBWAVE_GROUP_H

#include "check.h"

/* Checks what `group` and `n` say (not the device pointers) and fills the launch's shape. */
subwave_status subwave_group_prepare(subwave_context *context, const subwave_group *group,
                                     int64_t n, subwave_group_shape *shape);

/* The device pointers of `group`; called last, after the quick return for n = 0. */
subwave_status subwave_group_check_pointers(subwave_context *context, const subwave_group *group);

/* Whether the operation, reduce or scan, is built for the type and has the op for it. */
subwave_status subwave_check_op(subwave_context *context, subwave_operation operation,
                                subwave_op op, subwave_dtype dtype);

subwave_status subwave_check_scan_kind(subwave_context *context, subwave_scan_kind scan);

#endif
