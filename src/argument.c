/* SPDX-License-Identifier: MIT
 * argument.c: the position of the parameter that an error is about. Texts begin with its name; the
 * names in order come from the header (parameters.cmake).
 */
#include "check.h"
#include "parameters.h"

#include <string.h>

/* Those that fail without a context. No two of their parameters have one name at two positions. */
static const char *const without_context[] = {"subwave_context_create", "subwave_device_count",
                                              "subwave_device_info"};

static const char *parameters_of(const char *function)
{
    static const struct {
        const char *function, *parameters;
    } all[] = {
#define SUBWAVE_X(function, parameters) {#function, parameters},
        SUBWAVE_PARAMETERS(SUBWAVE_X)
#undef SUBWAVE_X
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (strcmp(all[i].function, function) == 0)
            return all[i].parameters;
    return "";
}

/* Of the name that `text` begins with among names with a space after each; 0 if it is none. */
static int position(const char *parameters, const char *text)
{
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789");
    int result = 1;
    for (const char *name = parameters; *name; name = strchr(name, ' ') + 1, ++result)
        if (strncmp(name, text, length) == 0 && name[length] == ' ')
            return result;
    return 0;
}

int subwave_last_argument(const subwave_context *context)
{
    if (context)
        return context->argument_failed ? position(parameters_of(context->function), context->error)
                                        : 0;
    const char *text = subwave_thread_error();
    if (strncmp(text, "subwave_", 8) == 0 && strstr(text, ": context is null"))
        return 1;
    int result = 0;
    for (size_t i = 0; result == 0 && i < sizeof without_context / sizeof *without_context; ++i)
        result = position(parameters_of(without_context[i]), text);
    return result;
}
