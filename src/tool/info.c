/* SPDX-License-Identifier: MIT
 * info.c: `subwave info`: the devices, as a table on one screen or as JSON.
 */
#include "commands.h"
#include "options.h"
#include "text.h"

#include <subwave/subwave.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    subwave_aspect bit;
    const char *name, *short_name;
} aspects[] = {
    {SUBWAVE_ASPECT_BALLOT_GROUP, "ballot_group", "ballot"},
    {SUBWAVE_ASPECT_FIXED_SIZE_GROUP, "fixed_size_group", "fixed"},
    {SUBWAVE_ASPECT_TANGLE_GROUP, "tangle_group", "tangle"},
    {SUBWAVE_ASPECT_OPPORTUNISTIC_GROUP, "opportunistic_group", "opportunistic"},
    {SUBWAVE_ASPECT_NON_UNIFORM_GROUPS, "non_uniform_groups", "all groups"},
    {SUBWAVE_ASPECT_FP16, "fp16", "fp16"},
    {SUBWAVE_ASPECT_FP64, "fp64", "fp64"},
};
enum { ASPECTS = sizeof aspects / sizeof *aspects };

enum { DEVICE, NAME, ARCHITECTURE, SUB_GROUP, UNITS, MEMORY, ASPECT_LIST, COLUMNS };

static const char *const titles[COLUMNS] = {"device", "name",   "arch",   "sub-group",
                                            "units",  "memory", "aspects"};

typedef struct row {
    char cell[COLUMNS][96];
} row;

static void append(char *cell, const char *separator, const char *text)
{
    const size_t length = strlen(cell);
    snprintf(cell + length, sizeof((row *)0)->cell[0] - length, "%s%s", length ? separator : "",
             text);
}

static row describe(const subwave_device_properties *p)
{
    row r = {0};
    char text[TEXT_SIZE];
    append(r.cell[DEVICE], "", p->id);
    snprintf(r.cell[NAME], sizeof r.cell[NAME], strlen(p->name) > 28 ? "%.25s..." : "%s", p->name);
    /* AMD's names go on with features, "gfx90a:sramecc+:xnack-"; JSON has them. */
    snprintf(r.cell[ARCHITECTURE], sizeof r.cell[ARCHITECTURE], "%.*s",
             (int)strcspn(p->architecture, ":"), p->architecture);
    for (int i = 0; i < p->sub_group_size_count; ++i) {
        snprintf(text, sizeof text, "%" PRId32, p->sub_group_sizes[i]);
        append(r.cell[SUB_GROUP], ",", text);
    }
    snprintf(r.cell[UNITS], sizeof r.cell[UNITS], "%" PRId32, p->compute_units);
    append(r.cell[MEMORY], "", format_bytes(text, p->memory_bytes));
    if (!p->built_for) {
        append(r.cell[ASPECT_LIST], "", "no code in this build");
        return r;
    }
    const bool all_groups = p->aspects & SUBWAVE_ASPECT_NON_UNIFORM_GROUPS;
    for (int i = 0; i < ASPECTS; ++i)
        if (p->aspects & aspects[i].bit &&
            !(all_groups && aspects[i].bit < SUBWAVE_ASPECT_NON_UNIFORM_GROUPS))
            append(r.cell[ASPECT_LIST], ", ", aspects[i].short_name);
    return r;
}

static void print_row(const char *mark, const row *r, const int *width)
{
    printf("%s", mark);
    for (int column = 0; column < COLUMNS; ++column) {
        const bool right = column == UNITS || column == MEMORY;
        const int padded = column == ASPECT_LIST ? 0 : width[column]; /* no spaces at the end */
        printf("%s%*s", column ? "  " : "", right ? padded : -padded, r->cell[column]);
    }
    putchar('\n');
}

static void print_table(const subwave_device_properties *devices, int count, const char *chosen)
{
    row heading = {0};
    int width[COLUMNS];
    for (int column = 0; column < COLUMNS; ++column) {
        append(heading.cell[column], "", titles[column]);
        width[column] = (int)strlen(titles[column]);
        for (int i = 0; i < count; ++i) {
            const row r = describe(&devices[i]);
            const int length = (int)strlen(r.cell[column]);
            width[column] = length > width[column] ? length : width[column];
        }
    }
    print_row("  ", &heading, width);
    for (int i = 0; i < count; ++i) {
        const row r = describe(&devices[i]);
        print_row(strcmp(devices[i].id, chosen) == 0 ? "* " : "  ", &r, width);
    }
}

/* Broken at spaces to 100 columns: a build may list many architectures. */
static void print_wrapped(const char *text)
{
    enum { WIDTH = 98 }; /* and the indent */
    while (strlen(text) > WIDTH) {
        int length = WIDTH;
        while (length > 1 && text[length] != ' ')
            --length;
        printf("%.*s\n ", length, text);
        text += length;
    }
    printf("%s\n", text);
}

static void print_devices_json(const subwave_device_properties *devices, int count,
                               const char *chosen)
{
    printf("{\"version\": \"%s\", \"build\": ", subwave_version());
    print_json(stdout, subwave_build_info());
    printf(", \"default\": ");
    if (*chosen)
        print_json(stdout, chosen);
    else
        printf("null");
    printf(", \"devices\": [");
    for (int i = 0; i < count; ++i) {
        const subwave_device_properties *p = &devices[i];
        printf("%s\n  {\"id\": \"%s\", \"name\": ", i ? "," : "", p->id);
        print_json(stdout, p->name);
        printf(", \"backend\": \"%s\", \"architecture\": \"%s\", \"sub_group_sizes\": [",
               p->backend, p->architecture);
        for (int s = 0; s < p->sub_group_size_count; ++s)
            printf("%s%" PRId32, s ? ", " : "", p->sub_group_sizes[s]);
        printf("], \"compute_units\": %" PRId32 ", \"max_block_size\": %" PRId32
               ", \"memory_bytes\": %" PRId64 ", \"built_for\": %s, \"aspects\": [",
               p->compute_units, p->max_block_size, p->memory_bytes,
               p->built_for ? "true" : "false");
        const char *comma = "";
        for (int a = 0; a < ASPECTS; ++a)
            if (p->aspects & aspects[a].bit) {
                printf("%s\"%s\"", comma, aspects[a].name);
                comma = ", ";
            }
        printf("]}");
    }
    printf("\n]}\n");
}

/* The device that a program gets which names none: only a context knows. */
static bool find_default(char *id, size_t size)
{
    subwave_context *context;
    subwave_device_properties properties;
    if (subwave_context_create(&context, NULL) != SUBWAVE_STATUS_SUCCESS)
        return false;
    const bool known = subwave_context_info(context, &properties) == SUBWAVE_STATUS_SUCCESS;
    subwave_context_destroy(&context);
    if (known)
        snprintf(id, size, "%s", properties.id);
    return known;
}

int info_main(int argc, char **argv)
{
    bool json = false;
    option options[] = {
        {.name = "--json", .help = "print one JSON object", .take = take_flag, .target = &json}};
    command c = {
        .name = "info",
        .usage = "[--json]",
        .about = "Shows every device: GPUs first, then the CPU device once for each wave size.\n"
                 "A star marks the device that is used when none is named. \"units\" are\n"
                 "multiprocessors, or threads of the CPU device; \"sub-group\" is its work-items;\n"
                 "\"all groups\": ballot, fixed-size, tangle and opportunistic groups. A device\n"
                 "that this build holds no code for cannot be used.\n",
        .options = options,
        .option_count = sizeof options / sizeof *options};
    int code;
    if (!parse_options(&c, argc, argv, NULL, &code))
        return code;

    int count = 0;
    if (subwave_device_count(&count) != SUBWAVE_STATUS_SUCCESS)
        return fail("info", "%s", subwave_last_error(NULL));
    subwave_device_properties *devices = calloc((size_t)count, sizeof *devices);
    if (!devices)
        return fail("info", "no memory");
    int known = 0;
    code = EXIT_SUCCESS;
    for (int i = 0; i < count; ++i)
        if (subwave_device_info(i, &devices[known]) == SUBWAVE_STATUS_SUCCESS)
            ++known;
        else
            code = fail("info", "device %d: %s", i, subwave_last_error(NULL));

    char chosen[sizeof devices->id] = "";
    if (!find_default(chosen, sizeof chosen))
        code = fail("info", "there is no default device: %s", subwave_last_error(NULL));
    if (json) {
        print_devices_json(devices, known, chosen);
    } else {
        const char *wish = getenv("SUBWAVE_DEVICE");
        print_wrapped(subwave_build_info());
        putchar('\n');
        print_table(devices, known, chosen);
        if (*chosen)
            printf("\n* used when no device is named%s\n",
                   wish && *wish ? " (by SUBWAVE_DEVICE)" : "; SUBWAVE_DEVICE=ID picks another");
    }
    free(devices);
    return code;
}
