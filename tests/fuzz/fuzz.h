/* SPDX-License-Identifier: MIT
 * fuzz.h: what the parts of the API fuzzer share: random choices, memory beside a hole, and what a
 * call must return.
 */
#ifndef SUBWAVE_TESTS_FUZZ_H
#define SUBWAVE_TESTS_FUZZ_H

#include <subwave/subwave.h>

/* Memory of one argument, between guards that nobody may write. On the host, and so on the CPU
 * device, it ends or begins exactly where the process has no memory. */
typedef struct fuzz_memory {
    const char *label;
    bool on_host;
    /* where it may lie; what it and its guards must hold; a copy of it now */
    unsigned char *area, *image, *copy;
    size_t front, bytes, back; /* of the guard before, the contents, the guard behind */
    unsigned char *pointer;    /* what a call is given */
    unsigned char *contents;   /* what it must hold: the image without the guards */
} fuzz_memory;

typedef struct fuzz_context {
    subwave_context *handle;
    char error[1024]; /* what subwave_last_error() says until another call on it fails */
    /* the CPU device without a seed: opportunistic groups are all that take the branch */
    bool ascending;
} fuzz_context;

enum { FUZZ_SLOTS = 16, FUZZ_CAPACITY = 4 << 20, FUZZ_WORDS = 2000 };

typedef struct fuzz {
    subwave_device_properties device;
    bool on_cpu, verbose;
    subwave_context *copier; /* moves data, and is not tested */
    uint64_t random;
    fuzz_memory slots[2][FUZZ_SLOTS]; /* of the device and of the host */
    int taken[2];
    bool poison_is_nan;
    bool failed; /* the call at hand */
} fuzz;

/* --- random choices, all from the seed and the number of the call ---------------------------- */

uint64_t fuzz_bits(fuzz *f);
int64_t fuzz_between(fuzz *f, int64_t least, int64_t most);
bool fuzz_one_in(fuzz *f, int n);
double fuzz_sign(fuzz *f); /* (-1, 1) without 0, exact in f32 */
/* a number that is no constant of a list */
int32_t fuzz_outside(fuzz *f, int32_t least, int32_t most);
#define FUZZ_PICK(f, array) \
    ((array)[fuzz_between(f, 0, (int64_t)(sizeof(array) / sizeof *(array)) - 1)])

/* An element's bits, for an op over many of them. */
uint64_t fuzz_element(fuzz *f, subwave_dtype dtype, subwave_op op);

/* --- the call at hand ------------------------------------------------------------------------ */

/* Puts the call into words, for what is said of it should it fail or crash. */
void fuzz_words(fuzz *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports the call with a command that repeats it. */
void fuzz_fail(fuzz *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What a call must return. With one wrong argument its text must name that; with several it may
 * have seen any first. */
enum { FUZZ_WRONG = 4 };
typedef struct fuzz_expected {
    int wrong;
    subwave_status status[FUZZ_WRONG];
    const char *name[FUZZ_WRONG];
    bool without_context;
} fuzz_expected;

void fuzz_wrong(fuzz_expected *expected, subwave_status status, const char *name);
/* Wrong arguments, and what the call must then say: null for a context, a type and an op that no list
 * has. */
subwave_context *fuzz_no_context(fuzz_expected *expected);
int32_t fuzz_wrong_dtype(fuzz *f, fuzz_expected *expected);
int32_t fuzz_wrong_op(fuzz *f, fuzz_expected *expected);
/* The call needs so many bytes of workspace, which the context of a small device may not have. */
void fuzz_expect_workspace(fuzz *f, subwave_context *context, int64_t needed,
                           fuzz_expected *expected);
/* Null, or the pointer moved by less than the size that it is aligned to. */
void *fuzz_misaligned(fuzz *f, const void *pointer, size_t size);
/* Checks a status and the error texts of all contexts; whether the call rightly succeeded. */
bool fuzz_returns(fuzz *f, fuzz_context *context, const fuzz_expected *expected,
                  subwave_status status);

/* --- memory ---------------------------------------------------------------------------------- */

enum { FUZZ_DEVICE, FUZZ_HOST };
/* Memory for the call at hand, with poison in it. Contents are written to ->contents before
 * fuzz_upload(). */
fuzz_memory *fuzz_take(fuzz *f, int place, const char *label, size_t bytes, size_t alignment);
/* The same with these contents. */
fuzz_memory *fuzz_put(fuzz *f, int place, const char *label, const void *contents, size_t bytes,
                      size_t alignment);
void fuzz_upload(fuzz *f);
/* A copy of what the memory holds now. */
unsigned char *fuzz_now(fuzz *f, fuzz_memory *memory);
/* Reports bytes of any memory of the call that are not what its image says. */
void fuzz_check_memory(fuzz *f);
/* A pointer that must not be followed: null, misaligned, or into a hole. */
void *fuzz_nowhere(fuzz *f);

/* --- the calls ------------------------------------------------------------------------------- */

void fuzz_open(fuzz *f, fuzz_context *context);
void fuzz_close(fuzz *f, fuzz_context *context);

void fuzz_matmul(fuzz *f, fuzz_context *context);
void fuzz_matmul_plan(fuzz *f, fuzz_context *context);
void fuzz_matmul_batched(fuzz *f, fuzz_context *context);
void fuzz_matmul_stacked(fuzz *f, fuzz_context *context);
void fuzz_matmul_grouped(fuzz *f, fuzz_context *context);
void fuzz_tensor(fuzz *f, fuzz_context *context);
void fuzz_group(fuzz *f, fuzz_context *context);
void fuzz_reduce(fuzz *f, fuzz_context *context);
void fuzz_scan(fuzz *f, fuzz_context *context);
void fuzz_dot(fuzz *f, fuzz_context *context);
void fuzz_norm2(fuzz *f, fuzz_context *context);
void fuzz_minmax_index(fuzz *f, fuzz_context *context);
void fuzz_row_reduce(fuzz *f, fuzz_context *context);
void fuzz_row_scan(fuzz *f, fuzz_context *context);
void fuzz_row_minmax_index(fuzz *f, fuzz_context *context);
void fuzz_segmented_reduce(fuzz *f, fuzz_context *context);
void fuzz_segmented_scan(fuzz *f, fuzz_context *context);
void fuzz_scatter_add(fuzz *f, fuzz_context *context);
void fuzz_transpose(fuzz *f, fuzz_context *context);
void fuzz_select(fuzz *f, fuzz_context *context);
void fuzz_histogram(fuzz *f, fuzz_context *context);
void fuzz_device_memory(fuzz *f, fuzz_context *context);
void fuzz_copy(fuzz *f, fuzz_context *context);
void fuzz_copy_2d(fuzz *f, fuzz_context *context);
void fuzz_fill(fuzz *f, fuzz_context *context);
void fuzz_stream(fuzz *f, fuzz_context *context);
void fuzz_event(fuzz *f, fuzz_context *context);
void fuzz_workspace(fuzz *f, fuzz_context *context);
void fuzz_context_info(fuzz *f, fuzz_context *context);
void fuzz_devices(fuzz *f, fuzz_context *context);
void fuzz_names(fuzz *f, fuzz_context *context);
void fuzz_life(fuzz *f, fuzz_context *context);

#endif
