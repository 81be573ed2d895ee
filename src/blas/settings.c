/* SPDX-License-Identifier: MIT
 * settings.c: the environment variables of libsubwave_blas.
 */
#include "blas.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static subwave_blas_settings settings = {.minimum = -1};
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Empty is as good as not set. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* Loads the next BLAS, which must be another than this one. */
static void load(const char *name)
{
    const char *reason = NULL;
    void *const library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    void *const function = library ? dlsym(library, "dgemm_") : NULL;
    if (!library)
        reason = dlerror();
    else if (!function)
        reason = "it has no dgemm_";
    else if (subwave_blas_is_own(function))
        reason = "that is this library";
    if (reason)
        snprintf(settings.error, sizeof settings.error,
                 "SUBWAVE_BLAS_NEXT is \"%.80s\", which cannot be the next BLAS: %.120s", name,
                 reason);
    else
        settings.library = library;
    if (reason && library)
        dlclose(library);
}

static void read_environment(void)
{
    const size_t size = sizeof settings.error;
    const char *const minimum = variable("SUBWAVE_BLAS_MIN"),
                      *const copies = variable("SUBWAVE_BLAS_COPY"),
                      *const library = variable("SUBWAVE_BLAS_NEXT");
    if (library)
        load(library);
    if (minimum) {
        char *end;
        errno = 0;
        settings.minimum = strtoll(minimum, &end, 10);
        if (*minimum < '0' || *minimum > '9' || *end || errno)
            snprintf(settings.error, size,
                     "SUBWAVE_BLAS_MIN is \"%.80s\"; it takes a number of multiplications, m n k",
                     minimum);
    }
    if (copies) {
        settings.copies = strcmp(copies, "1") == 0;
        if (!settings.copies && strcmp(copies, "0") != 0)
            snprintf(settings.error, size, "SUBWAVE_BLAS_COPY is \"%.80s\"; it takes 0 or 1",
                     copies);
    }
}

const subwave_blas_settings *subwave_blas_get_settings(void)
{
    pthread_once(&once, read_environment);
    return &settings;
}
