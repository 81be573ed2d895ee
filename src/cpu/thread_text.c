/* SPDX-License-Identifier: MIT
 * thread_text.c: the texts of a thread's last failures, by a key of POSIX threads.
 */
#include "thread_text.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static char shared[SUBWAVE_THREAD_TEXTS][SUBWAVE_THREAD_TEXT_LEAST];
static _Thread_local bool has_shared[SUBWAVE_THREAD_TEXTS];

static struct subwave_thread_text shared_text(enum subwave_thread_text_of of)
{
    if (!has_shared[of])
        shared[of][0] = '\0';
    has_shared[of] = true;
    return (struct subwave_thread_text){shared[of], sizeof shared[of]};
}

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;

static void release(void *value)
{
    struct subwave_thread_text *texts = value;
    for (int i = 0; texts && i < SUBWAVE_THREAD_TEXTS; ++i)
        free(texts[i].text);
    free(texts);
}

static void make_key(void) { has_key = pthread_key_create(&key, release) == 0; }

/* Threads that end after dlclose() must find no function to call. */
__attribute__((destructor)) static void remove_key(void)
{
    if (!has_key)
        return;
    release(pthread_getspecific(key));
    pthread_key_delete(key);
    has_key = false;
}

struct subwave_thread_text subwave_thread_text(enum subwave_thread_text_of of, size_t wanted)
{
    pthread_once(&once, make_key);
    if (!has_key)
        return shared_text(of);
    struct subwave_thread_text *texts = pthread_getspecific(key);
    if (!texts) {
        texts = calloc(SUBWAVE_THREAD_TEXTS, sizeof *texts);
        if (!texts || pthread_setspecific(key, texts) != 0) {
            free(texts);
            return shared_text(of);
        }
    }
    struct subwave_thread_text *own = &texts[of];
    if (wanted < SUBWAVE_THREAD_TEXT_LEAST)
        wanted = SUBWAVE_THREAD_TEXT_LEAST;
    if (own->bytes < wanted) {
        char *larger = realloc(own->text, wanted);
        if (!larger)
            return own->text ? *own : shared_text(of);
        if (!own->text) {
            snprintf(larger, wanted, "%s", has_shared[of] ? shared[of] : "");
            has_shared[of] = false;
        }
        *own = (struct subwave_thread_text){larger, wanted};
    }
    return *own;
}
