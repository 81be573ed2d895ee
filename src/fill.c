/* SPDX-License-Identifier: MIT
 * fill.c: memory that is filled with one element.
 */
#include "check.h"
#include "log.h"

#include <inttypes.h>
#include <string.h>

enum { PACK = sizeof((subwave_fill_launch *)0)->pack };

/* Of an element of `size` bytes, which divides a pack, for `bytes` bytes, 1 or more. */
static subwave_fill_launch launch_of(const void *value, size_t size, char *x, int64_t bytes)
{
    const int64_t to_pack = (int64_t)(-(uintptr_t)x % PACK),
                  before = to_pack < bytes ? to_pack : bytes, packs = (bytes - before) / PACK;
    const int64_t blocks = (packs + SUBWAVE_FILL_BLOCK - 1) / SUBWAVE_FILL_BLOCK;
    subwave_fill_launch launch = {
        .x = x,
        .packs = packs,
        .before = (uint32_t)before,
        .after = (uint32_t)((bytes - before) % PACK),
        .blocks = blocks < 1                     ? 1
                  : blocks < SUBWAVE_FILL_BLOCKS ? (uint32_t)blocks
                                                 : (uint32_t)SUBWAVE_FILL_BLOCKS,
    };
    unsigned char twice[2 * PACK];
    for (size_t i = 0; i < sizeof twice; i += size)
        memcpy(twice + i, value, size);
    memcpy(launch.pattern, twice, PACK);
    memcpy(launch.pack, twice + before, PACK);
    return launch;
}

subwave_status subwave_fill(subwave_context *context, subwave_dtype dtype, const void *value,
                            int64_t n, void *x)
{
    SUBWAVE_TRY(subwave_check_context(context, "subwave_fill"));
    subwave_log_call(context, "subwave_fill(dtype=%s, n=%" PRId64 ", x=%p)",
                     subwave_dtype_name(dtype), n, x);
    SUBWAVE_TRY(subwave_check_dtype(context, dtype));
    SUBWAVE_TRY(subwave_check_size(context, "n", n));
    const int64_t size = (int64_t)subwave_dtype_size(dtype);
    if (n > INT64_MAX / size)
        return subwave_fail(context, SUBWAVE_STATUS_INVALID_SIZE,
                            "n is %" PRId64 ": so many elements exceed the address space", n);
    if (n == 0)
        return SUBWAVE_STATUS_SUCCESS;
    SUBWAVE_TRY(subwave_check_pointer(context, "value", value, 1));
    SUBWAVE_TRY(
        subwave_check_pointer(context, "x", x, subwave_dtype_size(subwave_part_dtype(dtype))));
    const subwave_fill_launch launch = launch_of(value, (size_t)size, x, n * size);
    return subwave_launch(context, SUBWAVE_OPERATION_fill, SUBWAVE_DTYPE_U8, &launch,
                          "subwave_fill");
}
