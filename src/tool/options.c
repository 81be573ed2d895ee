/* SPDX-License-Identifier: MIT
 * options.c: a command's options as a table, from which both the parser and --help work.
 */
#include "options.h"

#include "text.h"

#include "../../hip/kernels.def"

#include <subwave/subwave.h>

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int usage_error(const char *command_name, const char *format, ...)
{
    const char *space = *command_name ? " " : "";
    fprintf(stderr, "subwave%s%s: ", space, command_name);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nTry 'subwave%s%s --help'.\n", space, command_name);
    return EXIT_USAGE;
}

/* Breaks a text into lines from column 28 to 100. */
static void print_broken(const char *text)
{
    const int width = 72;
    while (strlen(text) > (size_t)width) {
        int length = width;
        while (text[length] != ' ')
            --length;
        printf("%.*s\n%28s", length, text, "");
        text += length + 1;
    }
    puts(text);
}

/* "  -o, --output FILE    help", with "..." after the value of an option that may be repeated. */
static void print_option(const option *o)
{
    char left[64];
    const char letter[] = {'-', o->letter, ',', ' ', 0};
    snprintf(left, sizeof left, "%s%s%s%s%s", o->letter ? letter : "", o->name, o->value ? " " : "",
             o->value ? o->value : "", o->repeats ? "..." : "");
    printf("  %-26s", left);
    /* Nothing is named "", so the option says what it takes, and stores nothing that lasts. */
    char help[400];
    snprintf(help, sizeof help, "%s %s", o->help[0] == '(' ? o->take("", o->target) : "", o->help);
    print_broken(help + (help[0] == ' '));
}

static void print_help(const command *c)
{
    printf("usage: subwave %s %s\n\n%s\noptions:\n", c->name, c->usage, c->about);
    for (int i = 0; i < c->option_count; ++i)
        print_option(&c->options[i]);
    print_option(&(option){.letter = 'h', .name = "--help", .help = "print this and exit"});
}

/* The option that `argument` names, or null; `*value` is what follows its '=', or null. */
static option *find_option(const command *c, const char *argument, const char **value)
{
    const size_t length = strcspn(argument, "=");
    *value = argument[length] ? argument + length + 1 : NULL;
    for (int i = 0; i < c->option_count; ++i) {
        option *o = &c->options[i];
        const char letter[] = {'-', o->letter, 0};
        if ((strlen(o->name) == length && strncmp(argument, o->name, length) == 0) ||
            (o->letter && strcmp(argument, letter) == 0))
            return o;
    }
    return NULL;
}

bool parse_options(command *c, int argc, char **argv, const char **operands, int *exit_code)
{
    int operand_count = 0;
    bool options_end = false;
    *exit_code = EXIT_USAGE;
    for (int i = 1; i < argc; ++i) {
        const char *argument = argv[i], *value;
        if (!options_end && strcmp(argument, "--") == 0) {
            options_end = true;
            continue;
        }
        if (options_end || argument[0] != '-' || !argument[1]) {
            if (operand_count == c->operand_count) {
                usage_error(c->name, "unexpected argument \"%s\"", argument);
                return false;
            }
            operands[operand_count++] = argument;
            continue;
        }
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            print_help(c);
            *exit_code = EXIT_SUCCESS;
            return false;
        }
        option *o = find_option(c, argument, &value);
        if (!o) {
            usage_error(c->name, "unknown option \"%s\"", argument);
            return false;
        }
        if (o->given && !o->repeats) {
            usage_error(c->name, "%s is given twice", o->name);
            return false;
        }
        o->given = true;
        if (!o->value && value) {
            usage_error(c->name, "%s takes no value", o->name);
            return false;
        }
        /* A number may begin with one dash, so only a second one tells the next option. */
        if (o->value && !value) {
            if (i + 1 == argc || strncmp(argv[i + 1], "--", 2) == 0) {
                usage_error(c->name, "%s needs a value: %s", o->name, o->value);
                return false;
            }
            value = argv[++i];
        }
        const char *wanted = o->take(value, o->target);
        if (wanted) {
            usage_error(c->name, "%s is \"%s\"; it takes %s", o->name, value, wanted);
            return false;
        }
    }
    if (operand_count < c->operand_count) {
        usage_error(c->name, "%s is missing", c->operand_names[operand_count]);
        return false;
    }
    return true;
}

static const char too_many[] = "at most 64 values";

const char *take_flag(const char *value, void *target)
{
    (void)value;
    *(bool *)target = true;
    return NULL;
}

const char *take_text(const char *value, void *target)
{
    *(const char **)target = value;
    return *value ? NULL : "a text that is not empty";
}

const char *take_texts(const char *value, void *target)
{
    text_list *list = target;
    if (list->count == LIST_SIZE)
        return too_many;
    return take_text(value, &list->item[list->count++]);
}

const char *take_number(const char *value, void *target)
{
    char *end;
    const double number = strtod(value, &end);
    if (end == value || *end || !isfinite(number))
        return "a finite number";
    *(double *)target = number;
    return NULL;
}

const char *take_seconds(const char *value, void *target)
{
    double number;
    if (take_number(value, &number) || number < 0)
        return "seconds, 0 or more";
    *(double *)target = number;
    return NULL;
}

/* A decimal number without a sign; `*value` moves behind it. */
static bool read_size(const char **value, int64_t *size)
{
    char *end;
    if (**value < '0' || **value > '9')
        return false;
    errno = 0;
    const long long number = strtoll(*value, &end, 10);
    *value = end;
    *size = number;
    return errno == 0;
}

const char *take_count(const char *value, void *target)
{
    int64_t count;
    if (!read_size(&value, &count) || *value || count < 1 || count > 1000)
        return "a number from 1 to 1000";
    *(int *)target = (int)count;
    return NULL;
}

/* A name that an option takes, and the value that it stands for. */
typedef struct choice {
    const char *name;
    int value;
} choice;

/* Of the choices the one that is named; returns null, or all names. */
static const char *choose(const char *name, const choice *choices, size_t count, int *value)
{
    static char names[256];
    for (size_t i = 0; i < count; ++i)
        if (strcmp(name, choices[i].name) == 0) {
            *value = choices[i].value;
            return NULL;
        }
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof names; ++i)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 i == 0          ? ""
                                 : i + 1 < count ? ", "
                                                 : " or ",
                                 choices[i].name);
    return names;
}

#define TAKE_CHOICE(function, type, ...) \
    const char *function(const char *value, void *target) \
    { \
        static const choice choices[] = {__VA_ARGS__}; \
        int chosen = 0; \
        const char *const wanted = \
            choose(value, choices, sizeof choices / sizeof *choices, &chosen); \
        *(type *)target = (type)chosen; \
        return wanted; \
    }
#define SUBWAVE_X(name, number, spelling, ...) {spelling, number},
TAKE_CHOICE(take_variant, subwave_variant, SUBWAVE_VARIANT_LIST(SUBWAVE_X))
TAKE_CHOICE(take_kind, subwave_group_kind, SUBWAVE_GROUP_LIST(SUBWAVE_X))
TAKE_CHOICE(take_op, subwave_op, SUBWAVE_OP_LIST(SUBWAVE_X))
TAKE_CHOICE(take_comparison, subwave_comparison, SUBWAVE_COMPARISON_LIST(SUBWAVE_X))
#undef SUBWAVE_X
TAKE_CHOICE(take_layout, subwave_layout, {"row", SUBWAVE_LAYOUT_ROW_MAJOR},
            {"column", SUBWAVE_LAYOUT_COLUMN_MAJOR})
TAKE_CHOICE(take_order, subwave_order, {"fixed", SUBWAVE_ORDER_FIXED},
            {"device", SUBWAVE_ORDER_DEVICE}, {"any", SUBWAVE_ORDER_ANY})
TAKE_CHOICE(take_minmax, subwave_op, {"minimum", SUBWAVE_OP_MINIMUM},
            {"maximum", SUBWAVE_OP_MAXIMUM})
TAKE_CHOICE(take_conjugation, subwave_conjugation, {"none", SUBWAVE_CONJUGATION_NONE},
            {"first", SUBWAVE_CONJUGATION_FIRST})
TAKE_CHOICE(take_lengths, measure_lengths, {"random", MEASURE_LENGTHS_RANDOM},
            {"power", MEASURE_LENGTHS_POWER}, {"equal", MEASURE_LENGTHS_EQUAL},
            {"half_empty", MEASURE_LENGTHS_HALF_EMPTY})
TAKE_CHOICE(take_offset_dtype, subwave_dtype, {"i32", SUBWAVE_DTYPE_I32},
            {"i64", SUBWAVE_DTYPE_I64})
TAKE_CHOICE(take_scan, subwave_scan_kind, {"inclusive", SUBWAVE_SCAN_INCLUSIVE},
            {"exclusive", SUBWAVE_SCAN_EXCLUSIVE})
TAKE_CHOICE(take_shift, subwave_shift, {"left", SUBWAVE_SHIFT_LEFT}, {"right", SUBWAVE_SHIFT_RIGHT})
TAKE_CHOICE(take_vote, subwave_vote, {"any", SUBWAVE_VOTE_ANY}, {"all", SUBWAVE_VOTE_ALL},
            {"none", SUBWAVE_VOTE_NONE})

const char *take_variants(const char *value, void *target)
{
    variant_list *list = target;
    if (list->count == LIST_SIZE)
        return too_many;
    return take_variant(value, &list->item[list->count++]);
}

static const char *take_dtype_of(const subwave_dtype *dtypes, size_t count, const char *value,
                                 dtype_list *list)
{
    choice choices[LIST_SIZE];
    int chosen;
    if (list->count == LIST_SIZE)
        return too_many;
    for (size_t i = 0; i < count; ++i)
        choices[i] = (choice){subwave_dtype_name(dtypes[i]), (int)dtypes[i]};
    const char *const wanted = choose(value, choices, count, &chosen);
    if (!wanted)
        list->item[list->count++] = (subwave_dtype)chosen;
    return wanted;
}

#define TAKE_DTYPES(function, ...) \
    const char *function(const char *value, void *target) \
    { \
        static const subwave_dtype dtypes[] = {__VA_ARGS__}; \
        return take_dtype_of(dtypes, sizeof dtypes / sizeof *dtypes, value, target); \
    }
#define SUBWAVE_X(operation, dtype, type) SUBWAVE_DTYPE_##dtype,
#define SUBWAVE_X_DTYPE(name, ...) SUBWAVE_DTYPE_##name,
TAKE_DTYPES(take_dtypes, SUBWAVE_KERNELS_matmul_broadcast(SUBWAVE_X))
TAKE_DTYPES(take_batched_dtypes, SUBWAVE_KERNELS_matmul_batched(SUBWAVE_X))
TAKE_DTYPES(take_dot_dtypes, SUBWAVE_KERNELS_dot(SUBWAVE_X))
TAKE_DTYPES(take_number_dtypes, SUBWAVE_KERNELS_group_reduce(SUBWAVE_X))
TAKE_DTYPES(take_scatter_dtypes, SUBWAVE_KERNELS_scatter_add(SUBWAVE_X))
TAKE_DTYPES(take_all_dtypes, SUBWAVE_DTYPE_LIST(SUBWAVE_X_DTYPE))
#undef SUBWAVE_X
#undef SUBWAVE_X_DTYPE

const char *take_shapes(const char *value, void *target)
{
    shape_list *list = target;
    if (list->count == LIST_SIZE)
        return too_many;
    shape *s = &list->item[list->count++];
    bool valid = read_size(&value, &s->m);
    if (valid && !*value)
        s->n = s->k = s->m;
    else
        valid = valid && *value++ == 'x' && read_size(&value, &s->n) && *value++ == 'x' &&
                read_size(&value, &s->k) && !*value;
    return valid ? NULL : "a size: N, or MxNxK (C is M x N, summed over K)";
}

const char *take_matrices(const char *value, void *target)
{
    shape_list *list = target;
    if (list->count == LIST_SIZE)
        return too_many;
    shape *s = &list->item[list->count++];
    bool valid = read_size(&value, &s->m);
    if (valid && !*value)
        s->n = s->m;
    else
        valid = valid && *value++ == 'x' && read_size(&value, &s->n) && !*value;
    return valid ? NULL : "a size: N, or MxN (x is M x N)";
}

const char *take_sizes(const char *value, void *target)
{
    shape_list *list = target;
    if (list->count == LIST_SIZE)
        return too_many;
    return take_size(value, &list->item[list->count++].n);
}

const char *take_size(const char *value, void *target)
{
    return read_size(&value, target) && !*value ? NULL : "a number, 0 or more";
}

/* `count` numbers with `separator` between them. */
static bool read_numbers(const char *value, char separator, bool signs, int count, int64_t *numbers)
{
    for (int i = 0; i < count; ++i) {
        const bool negative = signs && *value == '-';
        value += negative;
        if (!read_size(&value, &numbers[i]) || *value++ != (i + 1 < count ? separator : 0))
            return false;
        numbers[i] = negative ? -numbers[i] : numbers[i];
    }
    return true;
}

const char *take_three(const char *value, void *target)
{
    return read_numbers(value, ',', true, 3, target) ? NULL : "three numbers, of A,B,C";
}

const char *take_pair(const char *value, void *target)
{
    int64_t pair[2], *of = target;
    const bool valid = read_numbers(value, ',', true, 2, pair);
    of[0] = valid ? pair[0] : 0;
    of[2] = valid ? pair[1] : 0;
    return valid ? NULL : "two numbers, of X,Y";
}

const char *take_block(const char *value, void *target)
{
    int64_t sizes[3];
    bool valid = read_numbers(value, 'x', false, 3, sizes);
    for (int i = 0; valid && i < 3; ++i) {
        valid = sizes[i] <= INT32_MAX;
        ((int32_t *)target)[i] = (int32_t)sizes[i];
    }
    return valid ? NULL : "a block: XxYxZ work-items";
}

const char *take_scalar(const char *value, void *target)
{
    double *parts = target;
    char *end;
    parts[0] = strtod(value, &end);
    bool valid = end != value && isfinite(parts[0]);
    parts[1] = 0;
    if (valid && *end == ',') {
        value = end + 1;
        parts[1] = strtod(value, &end);
        valid = end != value && isfinite(parts[1]);
    }
    return valid && !*end ? NULL : "a finite number, or RE,IM";
}

const char *take_range(const char *value, void *target)
{
    const double *const range = target;
    const bool valid = strchr(value, ',') && !take_scalar(value, target) && range[0] < range[1];
    return valid ? NULL : "two finite numbers, of LOWER,UPPER, the lesser one first";
}

const char *take_int(const char *value, void *target)
{
    int64_t number;
    if (!read_size(&value, &number) || *value || number > INT32_MAX)
        return "a number from 0 to 2147483647";
    *(int32_t *)target = (int32_t)number;
    return NULL;
}

const char *take_unsigned(const char *value, void *target)
{
    int64_t number;
    if (!read_size(&value, &number) || *value || number > UINT32_MAX)
        return "a number from 0 to 4294967295";
    *(uint32_t *)target = (uint32_t)number;
    return NULL;
}
