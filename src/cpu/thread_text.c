/* SPDX-License-Identifier: MIT
 * thread_text.c: the texts of a thread's last failures, by a key of POSIX threads.
 */
#include "thread_text.h"

#include <pthread.h>
#include <stdatomic.h>
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

/* A thread's texts, or, once that thread has ended, some other thread's. Nothing is locked, so that
 * a child of fork() can go on. */
typedef struct texts {
    struct subwave_thread_text of[SUBWAVE_THREAD_TEXTS];
    atomic_bool taken;
    struct texts *next;
} texts;

static _Atomic(texts *) all_texts;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;

static texts *take_texts(void)
{
    for (texts *t = atomic_load(&all_texts); t; t = t->next)
        if (!atomic_exchange(&t->taken, true))
            return t;
    texts *const made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    atomic_init(&made->taken, true);
    made->next = atomic_load(&all_texts);
    while (!atomic_compare_exchange_weak(&all_texts, &made->next, made))
        ;
    return made;
}

/* At the end of a thread. */
static void release(void *value)
{
    texts *const t = value;
    for (int i = 0; i < SUBWAVE_THREAD_TEXTS; ++i) {
        free(t->of[i].text);
        t->of[i] = (struct subwave_thread_text){0};
    }
    atomic_store(&t->taken, false);
}

static void make_key(void) { has_key = pthread_key_create(&key, release) == 0; }

/* Threads that end after dlclose() must find no function to call; their texts end here. */
__attribute__((destructor)) static void remove_key(void)
{
    if (!has_key)
        return;
    has_key = false;
    pthread_key_delete(key);
    for (texts *t = atomic_exchange(&all_texts, NULL), *next; t; t = next) {
        next = t->next;
        release(t);
        free(t);
    }
}

struct subwave_thread_text subwave_thread_text(enum subwave_thread_text_of of, size_t wanted)
{
    pthread_once(&once, make_key);
    if (!has_key)
        return shared_text(of);
    texts *mine = pthread_getspecific(key);
    if (!mine) {
        mine = take_texts();
        if (mine && pthread_setspecific(key, mine) != 0) {
            release(mine);
            mine = NULL;
        }
        if (!mine)
            return shared_text(of);
    }
    struct subwave_thread_text *own = &mine->of[of];
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
