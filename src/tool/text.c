/* SPDX-License-Identifier: MIT
 * text.c: how the subwave command words errors, times, sizes and JSON.
 */
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

int fail(const char *command, const char *format, ...)
{
    fflush(stdout); /* what went well comes first */
    fprintf(stderr, "subwave %s: ", command);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return EXIT_FAILURE;
}

const char *format_digits(char *text, double value)
{
    int decimals = 0;
    for (double limit = 99.95; decimals < 6 && value != 0 && fabs(value) < limit; limit /= 10)
        ++decimals;
    snprintf(text, TEXT_SIZE, "%.*f", decimals, value);
    return text;
}

const char *format_time(char *text, double seconds)
{
    static const char *const units[] = {"s", "ms", "us", "ns"};
    int unit = 0;
    for (; unit < 3 && seconds < 0.9995; ++unit)
        seconds *= 1e3;
    char digits[TEXT_SIZE];
    snprintf(text, TEXT_SIZE, "%.20s %s", format_digits(digits, seconds), units[unit]);
    return text;
}

const char *format_bytes(char *text, int64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; unit < 4 && value >= 1024; ++unit)
        value /= 1024;
    snprintf(text, TEXT_SIZE, "%.*f %s", unit > 0, value, units[unit]);
    return text;
}

void print_json(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(file, "\\u%04x", *text);
        else
            fputc(*text, file);
    }
    fputc('"', file);
}
