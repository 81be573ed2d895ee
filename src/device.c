/* SPDX-License-Identifier: MIT
 * device.c: the list of devices, GPUs first, and how a name picks one.
 */
#include "device.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

static const subwave_backend *const backends[] = {
#ifdef SUBWAVE_HAVE_GPU
    &subwave_backend_hip,
#endif
    &subwave_backend_cpu,
};
enum { BACKENDS = sizeof backends / sizeof *backends };

static int total_devices(void)
{
    int total = 0;
    for (int i = 0; i < BACKENDS; ++i)
        total += backends[i]->device_count();
    return total;
}

/* The backend of device `index` of the whole list, and its number there. */
static const subwave_backend *backend_of(int index, int *local)
{
    for (int i = 0; index >= 0 && i < BACKENDS; ++i) {
        int count = backends[i]->device_count();
        if (index < count) {
            *local = index;
            return backends[i];
        }
        index -= count;
    }
    return NULL;
}

subwave_status subwave_device_count(int *count)
{
    SUBWAVE_TRY(subwave_check_pointer(NULL, "count", count, 1));
    *count = total_devices();
    return SUBWAVE_STATUS_SUCCESS;
}

subwave_status subwave_device_info(int index, subwave_device_properties *properties)
{
    int local;
    const subwave_backend *backend = backend_of(index, &local);
    if (!backend)
        return subwave_fail(NULL, SUBWAVE_STATUS_NO_DEVICE,
                            "index is %d; there are %d devices, counted from 0", index,
                            total_devices());
    SUBWAVE_TRY(subwave_check_pointer(NULL, "properties", properties, 1));
    subwave_device_properties found = {0};
    SUBWAVE_TRY(backend->device_info(local, &found, subwave_thread_error()));
    *properties = found;
    return SUBWAVE_STATUS_SUCCESS;
}

/* Without a wish: the first GPU that this library holds code for, else the CPU device. */
static int default_device(const char **name)
{
#ifdef SUBWAVE_HAVE_GPU
    int gpus = subwave_backend_hip.device_count();
    for (int i = 0; i < gpus; ++i) {
        subwave_device_properties found = {0};
        if (subwave_device_info(i, &found) == SUBWAVE_STATUS_SUCCESS && found.built_for)
            return i;
    }
#endif
    *name = "cpu";
    return -1;
}

subwave_status subwave_find_device(const char *name, const subwave_backend **backend, int *local)
{
    const char *origin = "device";
    if (!name) {
        name = getenv("SUBWAVE_DEVICE");
        origin = "SUBWAVE_DEVICE";
        if (name && !*name)
            name = NULL;
    }
    int index = name ? -1 : default_device(&name);
    char wanted[sizeof((subwave_device_properties *)0)->id] = "";
    if (index < 0) {
        const char *wave = getenv("SUBWAVE_CPU_WAVE");
        if (strcmp(name, "gpu") == 0)
            strcpy(wanted, "gpu:0");
        else if (strcmp(name, "cpu") == 0 && wave && *wave) {
            origin = "SUBWAVE_CPU_WAVE";
            name = wave;
            snprintf(wanted, sizeof wanted, "cpu:%.8s", wave);
        } else if (strcmp(name, "cpu") == 0)
            strcpy(wanted, "cpu:64");
        else
            snprintf(wanted, sizeof wanted, "%s", name);
    }
    /* A name with "cpu" does not touch the GPU runtime, which can take seconds to start. */
    const bool on_cpu = strncmp(wanted, "cpu", 3) == 0;
    for (int i = on_cpu ? BACKENDS - 1 : 0; index < 0 && i < BACKENDS; ++i) {
        const int count = backends[i]->device_count();
        for (int j = 0; j < count; ++j) {
            subwave_device_properties found = {0};
            if (backends[i]->device_info(j, &found, subwave_thread_error()) ==
                    SUBWAVE_STATUS_SUCCESS &&
                strcmp(found.id, wanted) == 0) {
                *backend = backends[i];
                *local = j;
                return SUBWAVE_STATUS_SUCCESS;
            }
        }
    }
    *backend = backend_of(index, local);
    if (*backend)
        return SUBWAVE_STATUS_SUCCESS;
    if (strncmp(wanted, "gpu:", 4) == 0 && strspn(wanted + 4, "0123456789") == strlen(wanted + 4) &&
        wanted[4])
        return subwave_fail(
            NULL, SUBWAVE_STATUS_NO_DEVICE, "%s is \"%s\"; there are %d GPUs here%s", origin, name,
            total_devices() - subwave_backend_cpu.device_count(),
            BACKENDS == 1 ? ", since this library was built for the CPU device only" : "");
    return subwave_fail(
        NULL, SUBWAVE_STATUS_INVALID_VALUE,
        "%s is \"%.40s\" (as a device: \"%s\"); it takes gpu:N, or cpu:W with a wave size W of 4, 8, 16, 32 or 64",
        origin, name, wanted);
}
