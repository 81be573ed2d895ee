/* SPDX-License-Identifier: MIT
 * harness.h: runs a group of tests on each device, with memory that notices stray writes.
 *
 * Environment: SUBWAVE_TEST_DEVICE, a device's id, "cpu" or "gpu" for all of a kind, or nothing for
 * all; SUBWAVE_TEST_SEED, a number; SUBWAVE_TEST_FULL=1 for the longer tests too.
 */
#ifndef SUBWAVE_TESTS_HARNESS_H
#define SUBWAVE_TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <subwave/subwave.h>

/* Runs the tests once a device, each test with `*state` a subwave_context of it. Returns main()'s
 * exit status: 0, the number of failures, or HARNESS_SKIP, said why, if no such device is here. */
int harness_run(const char *name, const struct CMUnitTest *tests, size_t count);
enum { HARNESS_SKIP = 77 };

bool harness_is_full(void);
bool harness_is_cpu(subwave_context *context);
bool harness_is_emulated(void); /* the device is a GPU's code that the CPU executes: slow */
/* For a list of cases that takes long: whether this case is to be run. Of every `one_in` cases about
 * one is, on an emulated device of every `one_in_emulated`. Each of the five wave sizes of the CPU
 * device takes other cases, and each of the four emulated devices: all cases are run if the number
 * is at most 5, or 3 of emulated devices. In the full tests a GPU runs all. */
bool harness_takes(int one_in, int one_in_emulated);

/* Whether a call that gave `status` left a text with `text` in it, and, if the status is about an
 * argument, a position of one; else none. */
bool harness_refused(const subwave_context *context, subwave_status status, const char *text);

/* Fails the test if `call` does not return SUBWAVE_STATUS_SUCCESS, with the library's words. */
#define assert_ok(context, call) harness_ok(context, call, #call, __FILE__, __LINE__)
void harness_ok(const subwave_context *context, subwave_status status, const char *call,
                const char *file, int line);

/* Random numbers that are the same on every machine for the same seed. */
typedef struct harness_random {
    uint64_t state;
} harness_random;
harness_random harness_random_start(void); /* at the seed */
uint64_t harness_random_bits(harness_random *random);
double harness_random_unit(harness_random *random); /* [0, 1), 24 bits: exact in f32 */
double harness_random_sign(harness_random *random); /* (-1, 1) without 0 */

/* What memory holds that nobody should read: an output that was never written is found in both. */
typedef enum harness_poison { HARNESS_NAN, HARNESS_A5, HARNESS_POISONS } harness_poison;
void harness_fill(harness_poison poison, void *memory, size_t bytes);

/* Device memory between two guard bands, and what it must hold. On the CPU device nothing can be
 * read behind it. */
typedef struct guarded {
    subwave_context *context;
    unsigned char *device, *expected; /* guard, contents, guard */
    /* of the guard before, the contents, the guard behind, all three */
    size_t front, bytes, back, capacity;
    unsigned char *map; /* where memory is not from subwave_malloc() */
    size_t mapped;
} guarded;

/* Device memory that starts as `contents`; its address is guarded_pointer(). */
guarded guarded_create(subwave_context *context, const void *contents, size_t bytes);
/* Gives it other contents, in the same memory if they fit, at an address that is a multiple of
 * `alignment` but of no larger power of two (0: of 16). All zero is a guarded memory that has none
 * yet, but needs its context. */
void guarded_reset(guarded *memory, size_t alignment, const void *contents, size_t bytes);
void *guarded_pointer(const guarded *memory);
/* How many bytes of the guards, or of guards and contents, are not as they were made. */
size_t guarded_stray_writes(const guarded *memory);
size_t guarded_changes(const guarded *memory);
/* Copies the contents to the host; returns guarded_stray_writes() of the same moment. */
size_t guarded_read(const guarded *memory, void *contents);
void guarded_destroy(guarded *memory);

/* Finds the least workspace of `context` that `call(of)` is taken with, which must not be more than
 * `documented` bytes, and checks that nothing is written behind one of that size. */
void harness_check_workspace(subwave_context *context, int64_t documented,
                             subwave_status (*call)(const void *of), const void *of);

#endif
