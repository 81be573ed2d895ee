/* SPDX-License-Identifier: MIT
 * device.h: how a device's name finds its backend.
 */
#ifndef SUBWAVE_DEVICE_H
#define SUBWAVE_DEVICE_H

#include "backend.h"

/* The backend of the device called `name` (null: the environment's, else the best), and the
 * device's number there. The error text is the thread's. */
subwave_status subwave_find_device(const char *name, const subwave_backend **backend, int *local);

#endif
