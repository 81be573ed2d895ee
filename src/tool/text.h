/* SPDX-License-Identifier: MIT
 * text.h: how the subwave command words errors, times, sizes and JSON.
 */
#ifndef SUBWAVE_TOOL_TEXT_H
#define SUBWAVE_TOOL_TEXT_H

#include <stdint.h>
#include <stdio.h>

enum { TEXT_SIZE = 32, EXIT_USAGE = 2 };

/* Prints "subwave COMMAND: ..." on stderr and returns EXIT_FAILURE. */
int fail(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Each fills `text`, TEXT_SIZE bytes, and returns it. */
const char *format_time(char *text, double seconds); /* "1.23 ms": three digits */
const char *format_digits(char *text, double value); /* "1.23", "12.3", "1234" */
const char *format_bytes(char *text, int64_t bytes); /* "139.8 GiB" */

/* Prints `text` as a JSON string, with its quotes. */
void print_json(FILE *file, const char *text);

#endif
