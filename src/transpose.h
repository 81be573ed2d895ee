/* SPDX-License-Identifier: MIT
 * transpose.h: the launch of a transposition, for other calls that need one.
 */
#ifndef SUBWAVE_TRANSPOSE_H
#define SUBWAVE_TRANSPOSE_H

#include "check.h"

/* Queues a transposition of elements of this type, after filling in launch->down and ->across. */
subwave_status subwave_queue_transpose(subwave_context *context, subwave_dtype dtype,
                                       subwave_transpose_launch *launch, const char *what);

#endif
