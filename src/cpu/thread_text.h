/* SPDX-License-Identifier: MIT
 * thread_text.h: the texts of a thread's last failures. Not in thread-local storage: a library that
 * dlopen() loads can count on a few bytes of it alone.
 */
#ifndef SUBWAVE_CPU_THREAD_TEXT_H
#define SUBWAVE_CPU_THREAD_TEXT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SUBWAVE_THREAD_TEXT_LEAST = 2048 };
enum subwave_thread_text_of {
    SUBWAVE_TEXT_OF_DEVICE,
    SUBWAVE_TEXT_OF_LIBRARY,
    SUBWAVE_THREAD_TEXTS
};

struct subwave_thread_text {
    char *text;
    size_t bytes;
};

/* The calling thread's text, "" at first, with room for `wanted` bytes where there is memory for
 * them, and for SUBWAVE_THREAD_TEXT_LEAST bytes always: without memory it is one that all threads
 * share. Freed when the thread ends. */
struct subwave_thread_text subwave_thread_text(enum subwave_thread_text_of of, size_t wanted);

#ifdef __cplusplus
}
#endif
#endif
