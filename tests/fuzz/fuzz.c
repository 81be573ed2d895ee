/* SPDX-License-Identifier: MIT
 * fuzz.c: random calls of the C interface, right and wrong ones, each compared with a plain
 * reference.
 *
 * fuzz [--device ID] [--seed S] [--calls N] [--first K] [--verbose] [--here]
 *
 *   --device ID  "cpu:16" and so on or "gpu:0"; without it SUBWAVE_TEST_DEVICE, else cpu:16
 *   --seed S     of all choices; without it SUBWAVE_TEST_SEED, else 1
 *   --calls N    how many, 1000 without it
 *   --first K    the first one's number, 0 without it
 *   --verbose    each call in words before it is made
 *   --here       in this process
 *
 * What call K does follows from the seed and K alone, so "--first K --calls 1" repeats it by
 * itself: it makes its contexts (one in four calls has several, and a sequence of calls on them),
 * its arguments, and destroys the contexts. About one call in four has a wrong argument: then the
 * status, the name in the error text, and that nothing was written are checked. Every operand of
 * the CPU device ends or begins at a hole, so a read or write beyond it is a crash.
 *
 * The calls are made in a child process. Should it crash, or a call not return, then its parent
 * reports that call and has another child go on with the next one. (A signal handler would not do:
 * the library's own threads block signals.) --here makes them in the process itself, for a
 * debugger.
 *
 * Exit status: 0 all right; 1 failures, a line each that begins with "replay:"; 2 wrong options; 77
 * there is no such device.
 */
#define _DEFAULT_SOURCE
#include "fuzz.h"

#include "../reference.h"
#include "../types.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    GUARD = 512,
    PAGE_MOST = 1 << 16,
    MOST_FAILURES = 20,
    PATIENCE_SECONDS = 120,
    EXIT_STOP = 3,
    EXIT_SKIP = 77
};

/* What the process that makes the calls leaves to the one that waits for it. */
typedef struct shared {
    char replay[256], words[FUZZ_WORDS];
    int64_t next, failures, library_calls, refused;
} shared;
static shared *s;

/* --- random choices -------------------------------------------------------------------------- */

/* splitmix64 */
static uint64_t mix(uint64_t bits)
{
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return bits ^ bits >> 31;
}

uint64_t fuzz_bits(fuzz *f) { return mix(f->random += 0x9e3779b97f4a7c15u); }

int64_t fuzz_between(fuzz *f, int64_t least, int64_t most)
{
    return least + (int64_t)(fuzz_bits(f) % (uint64_t)(most - least + 1));
}

bool fuzz_one_in(fuzz *f, int n) { return fuzz_between(f, 1, n) == 1; }

double fuzz_sign(fuzz *f)
{
    const uint64_t bits = fuzz_bits(f);
    const double size = (double)((bits >> 41) + 1) / (0x1p23 + 1);
    return (float)(bits & 1 ? -size : size);
}

int32_t fuzz_outside(fuzz *f, int32_t least, int32_t most)
{
    const int32_t usual[] = {least - 1, -1, most + 1, INT32_MAX, INT32_MIN, 101, 112};
    for (;;) {
        const int32_t value = fuzz_one_in(f, 3) ? (int32_t)fuzz_bits(f) : FUZZ_PICK(f, usual);
        if (value < least || value > most)
            return value;
    }
}

/* --- reports --------------------------------------------------------------------------------- */

/* A report is one line, whatever a name in it holds. */
static void make_printable(char *text)
{
    for (; *text; ++text)
        if (!isprint((unsigned char)*text))
            *text = '?';
}

void fuzz_words(fuzz *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->words, sizeof s->words, format, arguments);
    va_end(arguments);
    make_printable(s->words);
    if (f->verbose)
        printf("    %s\n", s->words);
}

void fuzz_fail(fuzz *f, const char *format, ...)
{
    char reason[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    make_printable(reason);
    printf("%s  # %s: %s\n", s->replay, s->words, reason);
    fflush(stdout);
    f->failed = true;
}

/* --- what a call returns --------------------------------------------------------------------- */

/* Whether `text` has `name` as a whole word. */
static bool names(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length) {
        const bool starts = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (starts && !(isalnum((unsigned char)at[length]) || at[length] == '_'))
            return true;
    }
    return false;
}

void fuzz_wrong(fuzz_expected *expected, subwave_status status, const char *name)
{
    expected->status[expected->wrong] = status;
    expected->name[expected->wrong++] = name;
}

subwave_context *fuzz_no_context(fuzz_expected *expected)
{
    fuzz_wrong(expected, SUBWAVE_STATUS_INVALID_CONTEXT, "context");
    expected->without_context = true;
    return NULL;
}

int32_t fuzz_wrong_dtype(fuzz *f, fuzz_expected *expected)
{
    fuzz_wrong(expected, SUBWAVE_STATUS_INVALID_VALUE, "dtype");
    return fuzz_outside(f, 1, GREATEST(SUBWAVE_DTYPE_LIST));
}

int32_t fuzz_wrong_op(fuzz *f, fuzz_expected *expected)
{
    fuzz_wrong(expected, SUBWAVE_STATUS_INVALID_VALUE, "op");
    return fuzz_outside(f, 1, GREATEST(SUBWAVE_OP_LIST));
}

void fuzz_expect_workspace(fuzz *f, subwave_context *context, int64_t needed,
                           fuzz_expected *expected)
{
    int64_t bytes;
    if (subwave_workspace_size(context, &bytes) != SUBWAVE_STATUS_SUCCESS)
        fuzz_fail(f, "the size of the workspace cannot be read");
    if (needed > bytes)
        fuzz_wrong(expected, SUBWAVE_STATUS_WORKSPACE_TOO_SMALL, "workspace");
}

void *fuzz_misaligned(fuzz *f, const void *pointer, size_t size)
{
    return fuzz_one_in(f, 2) || size == 1
               ? NULL
               : (char *)(uintptr_t)pointer + fuzz_between(f, 1, (int64_t)size - 1);
}

uint64_t fuzz_element(fuzz *f, subwave_dtype dtype, subwave_op op)
{
    static const double special[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0, 65504, -3.0e38, 1e-7};
    if (!reference_is_floating(dtype)) /* few bits are 0, so that products and the like are not */
        return fuzz_bits(f) | (fuzz_one_in(f, 16) ? 0 : fuzz_bits(f) | 1);
    return reference_encode(dtype, fuzz_one_in(f, 500)
                                       ? FUZZ_PICK(f, special)
                                       : ldexp(fuzz_sign(f) + (op == SUBWAVE_OP_MULTIPLIES),
                                               (int)fuzz_between(f, 0, 1)));
}

static bool is_expected(const fuzz_expected *expected, subwave_status status)
{
    for (int i = 0; i < expected->wrong; ++i)
        if (status == expected->status[i])
            return true;
    return expected->wrong == 0 && status == SUBWAVE_STATUS_SUCCESS;
}

static void must(subwave_context *context, subwave_status status)
{
    if (status == SUBWAVE_STATUS_SUCCESS)
        return;
    printf("%s  # %s: the fuzzer's own call failed: %s, \"%s\"\n", s->replay, s->words,
           subwave_status_name(status), subwave_last_error(context));
    exit(EXIT_STOP);
}

bool fuzz_returns(fuzz *f, fuzz_context *context, const fuzz_expected *expected,
                  subwave_status status)
{
    const bool succeeded = status == SUBWAVE_STATUS_SUCCESS;
    const subwave_context *told = context && !expected->without_context ? context->handle : NULL;
    const char *text = subwave_last_error(told);
    ++s->library_calls;
    s->refused += !succeeded;
    if (!is_expected(expected, status))
        fuzz_fail(
            f, "gave %s, \"%s\"; it should be %s for %s%s", subwave_status_name(status), text,
            subwave_status_name(expected->wrong ? expected->status[0] : SUBWAVE_STATUS_SUCCESS),
            expected->wrong ? expected->name[0] : "right arguments",
            expected->wrong > 1 ? ", or what is wrong besides" : "");
    else if (expected->wrong == 1 && !names(text, expected->name[0]))
        fuzz_fail(f, "gave %s, but \"%s\" does not name %s", subwave_status_name(status), text,
                  expected->name[0]);
    if (context && !(told && !succeeded) &&
        strcmp(subwave_last_error(context->handle), context->error) != 0)
        fuzz_fail(f, "the context's last error changed, from \"%s\" to \"%s\"", context->error,
                  subwave_last_error(context->handle));
    if (context)
        snprintf(context->error, sizeof context->error, "%s", subwave_last_error(context->handle));
    if (told && succeeded) /* the copier's stream is another one */
        must(context->handle, subwave_synchronize(context->handle));
    return succeeded && expected->wrong == 0;
}

/* --- memory ---------------------------------------------------------------------------------- */

static size_t page_size(void)
{
    const long page = sysconf(_SC_PAGESIZE);
    return page > 0 && page <= PAGE_MOST ? (size_t)page : PAGE_MOST;
}

/* Memory with a hole on each side. */
static unsigned char *map_between_holes(void)
{
    const size_t page = page_size();
    unsigned char *map =
        mmap(NULL, FUZZ_CAPACITY + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map + page, FUZZ_CAPACITY, PROT_READ | PROT_WRITE) != 0)
        abort();
    return map + page;
}

static fuzz_memory create_memory(fuzz *f, bool on_host)
{
    fuzz_memory memory = {.on_host = on_host};
    memory.image = malloc(FUZZ_CAPACITY);
    memory.copy = malloc(FUZZ_CAPACITY);
    if (!memory.image || !memory.copy)
        abort();
    if (on_host) {
        memory.area = map_between_holes();
    } else {
        void *area;
        must(f->copier, subwave_malloc(f->copier, &area, FUZZ_CAPACITY));
        memory.area = area;
    }
    return memory;
}

static void move_bytes(fuzz *f, const fuzz_memory *memory, void *to, const void *from)
{
    const size_t total = memory->front + memory->bytes + memory->back;
    if (memory->on_host)
        memcpy(to, from, total);
    else
        must(f->copier, subwave_copy(f->copier, to, from, (int64_t)total));
}

fuzz_memory *fuzz_take(fuzz *f, int place, const char *label, size_t bytes, size_t alignment)
{
    if (f->taken[place] == FUZZ_SLOTS || bytes + 2 * GUARD + 4096 > FUZZ_CAPACITY ||
        bytes % alignment) {
        fuzz_fail(f, "the fuzzer wants %zu bytes for %s", bytes, label);
        exit(EXIT_STOP);
    }
    fuzz_memory *memory = &f->slots[place][f->taken[place]++];
    if (!memory->image)
        *memory = create_memory(f, place == FUZZ_HOST || f->on_cpu);
    memory->label = label;
    memory->bytes = bytes;
    memory->front = memory->back = GUARD;
    if (!memory->on_host)
        memory->pointer =
            memory->area + GUARD + alignment * (size_t)fuzz_between(f, 0, 255 / (int64_t)alignment);
    else if (fuzz_one_in(f, 3)) {
        memory->front = 0;
        memory->pointer = memory->area;
    } else {
        memory->back = 0;
        memory->pointer = memory->area + FUZZ_CAPACITY - bytes;
    }
    memory->contents = memory->image + memory->front;
    /* No byte repeats at a short distance, so a shifted copy is noticed too. */
    for (size_t i = 0; i < memory->front + bytes + memory->back; ++i)
        memory->image[i] = (unsigned char)(i * 167 + i / 256 * 13 + 89);
    /* As any floating type, at any multiple of its bytes or 4, the first is a NaN. */
    static const unsigned char nan_payload[4] = {0xc5, 0x7f, 0xfd, 0x7f};
    for (size_t i = 0; i < bytes; ++i)
        memory->contents[i] = f->poison_is_nan ? nan_payload[i % 4] : 0xa5;
    return memory;
}

fuzz_memory *fuzz_put(fuzz *f, int place, const char *label, const void *contents, size_t bytes,
                      size_t alignment)
{
    fuzz_memory *memory = fuzz_take(f, place, label, bytes, alignment);
    memcpy(memory->contents, contents, bytes);
    return memory;
}

void fuzz_upload(fuzz *f)
{
    for (int place = 0; place < 2; ++place)
        for (int i = 0; i < f->taken[place]; ++i) {
            const fuzz_memory *memory = &f->slots[place][i];
            move_bytes(f, memory, memory->pointer - memory->front, memory->image);
        }
}

unsigned char *fuzz_now(fuzz *f, fuzz_memory *memory)
{
    move_bytes(f, memory, memory->copy, memory->pointer - memory->front);
    return memory->copy + memory->front;
}

void fuzz_check_memory(fuzz *f)
{
    for (int place = 0; place < 2; ++place)
        for (int i = 0; i < f->taken[place]; ++i) {
            fuzz_memory *memory = &f->slots[place][i];
            const unsigned char *now = fuzz_now(f, memory) - memory->front;
            const size_t total = memory->front + memory->bytes + memory->back;
            size_t at = 0;
            if (memcmp(now, memory->image, total) == 0)
                continue;
            while (now[at] == memory->image[at])
                ++at;
            fuzz_fail(f, "byte %" PRId64 " of the %zu of %s is %02x instead of %02x",
                      (int64_t)at - (int64_t)memory->front, memory->bytes, memory->label, now[at],
                      memory->image[at]);
        }
}

void *fuzz_nowhere(fuzz *f)
{
    static unsigned char *hole;
    if (!hole)
        hole = map_between_holes() + FUZZ_CAPACITY;
    return fuzz_one_in(f, 2) ? NULL : hole + fuzz_between(f, 0, 63);
}

/* --- a call ---------------------------------------------------------------------------------- */

typedef void call(fuzz *f, fuzz_context *context);

static call *choose_call(fuzz *f)
{
    static const struct {
        call *call;
        int weight;
    } calls[] = {{fuzz_group, 40},          {fuzz_matmul, 25},       {fuzz_matmul_batched, 20},
                 {fuzz_matmul_plan, 4},     {fuzz_device_memory, 3}, {fuzz_copy, 3},
                 {fuzz_copy_2d, 3},         {fuzz_fill, 4},          {fuzz_life, 3},
                 {fuzz_context_info, 2},    {fuzz_stream, 2},        {fuzz_event, 3},
                 {fuzz_devices, 2},         {fuzz_names, 1},         {fuzz_workspace, 2},
                 {fuzz_reduce, 10},         {fuzz_scan, 10},         {fuzz_dot, 5},
                 {fuzz_norm2, 5},           {fuzz_minmax_index, 5},  {fuzz_transpose, 10},
                 {fuzz_row_reduce, 10},     {fuzz_row_scan, 10},     {fuzz_row_minmax_index, 5},
                 {fuzz_select, 15},         {fuzz_histogram, 10},    {fuzz_segmented_reduce, 10},
                 {fuzz_segmented_scan, 10}, {fuzz_scatter_add, 10},  {fuzz_matmul_stacked, 10},
                 {fuzz_matmul_grouped, 10}, {fuzz_tensor, 10}};
    int64_t left = fuzz_between(f, 0, 271);
    int i = 0;
    while ((left -= calls[i].weight) >= 0)
        ++i;
    return calls[i].call;
}

/* A call may not touch what another context says of its own errors. */
static void check_others(fuzz *f, const fuzz_context *contexts, int count, const fuzz_context *used)
{
    for (int i = 0; i < count; ++i)
        if (&contexts[i] != used &&
            strcmp(subwave_last_error(contexts[i].handle), contexts[i].error) != 0)
            fuzz_fail(f, "the last error of another context changed, from \"%s\" to \"%s\"",
                      contexts[i].error, subwave_last_error(contexts[i].handle));
}

static void make_call(fuzz *f, uint64_t seed, int64_t number)
{
    fuzz_context contexts[3];
    f->random = mix(seed + 0x9e3779b97f4a7c15u) ^ mix((uint64_t)number * 0xd1342543de82ef95u + 1);
    f->failed = false;
    snprintf(s->replay, sizeof s->replay,
             "replay: fuzz --device %s --seed %" PRIu64 " --first %" PRId64 " --calls 1",
             f->device.id, seed, number);
    if (f->verbose)
        printf("%" PRId64 "\n", number);
    const bool sequence = fuzz_one_in(f, 4);
    const int count = sequence ? (int)fuzz_between(f, 1, 3) : 1;
    const int64_t steps = sequence ? fuzz_between(f, 2, 6) : 1;
    for (int i = 0; i < count; ++i)
        fuzz_open(f, &contexts[i]);
    for (int64_t step = 0; step < steps && !f->failed; ++step) {
        fuzz_context *context = &contexts[fuzz_between(f, 0, count - 1)];
        f->taken[FUZZ_DEVICE] = f->taken[FUZZ_HOST] = 0;
        f->poison_is_nan = fuzz_one_in(f, 2);
        if (sequence && fuzz_one_in(f, 10)) {
            fuzz_close(f, context);
            fuzz_open(f, context);
        }
        choose_call(f)(f, context);
        check_others(f, contexts, count, context);
    }
    for (int i = 0; i < count; ++i)
        fuzz_close(f, &contexts[i]);
    s->failures += f->failed;
}

/* --- options --------------------------------------------------------------------------------- */

static uint64_t number(const char *text)
{
    char *end;
    const uint64_t value = text ? strtoull(text, &end, 0) : 0;
    if (!text || !isdigit((unsigned char)*text) || *end) {
        fprintf(stderr, "fuzz: \"%s\" is no number\n", text ? text : "");
        exit(2);
    }
    return value;
}

typedef struct options {
    const char *device;
    uint64_t seed;
    int64_t first, calls;
    bool verbose, here;
} options;

static options read_options(int argc, char **argv)
{
    const char *device = getenv("SUBWAVE_TEST_DEVICE"), *seed = getenv("SUBWAVE_TEST_SEED");
    options o = {.device = device && *device ? device : "cpu:16",
                 .seed = seed && *seed ? number(seed) : 1,
                 .calls = 1000};
    for (int i = 1; i < argc; ++i) {
        const char *option = argv[i];
        if (strcmp(option, "--verbose") == 0)
            o.verbose = true;
        else if (strcmp(option, "--here") == 0)
            o.here = true;
        else if (strcmp(option, "--device") == 0 && i + 1 < argc)
            o.device = argv[++i];
        else if (strcmp(option, "--seed") == 0)
            o.seed = number(argv[++i]);
        else if (strcmp(option, "--calls") == 0)
            o.calls = (int64_t)number(argv[++i]);
        else if (strcmp(option, "--first") == 0)
            o.first = (int64_t)number(argv[++i]);
        else {
            fprintf(
                stderr,
                "usage: fuzz [--device ID] [--seed S] [--calls N] [--first K] [--verbose] [--here]\n");
            exit(2);
        }
    }
    return o;
}

/* Makes the calls that are left; returns an exit status. */
static int make_calls(const options *o)
{
    static fuzz f;
    f.verbose = o->verbose;
    const subwave_status status = subwave_context_create(&f.copier, o->device);
    if (status == SUBWAVE_STATUS_NO_DEVICE || status == SUBWAVE_STATUS_ARCHITECTURE_MISMATCH) {
        printf("skipped: %s\n", subwave_last_error(NULL));
        return EXIT_SKIP;
    }
    must(NULL, status);
    must(f.copier, subwave_context_info(f.copier, &f.device));
    f.on_cpu = strcmp(f.device.backend, "cpu") == 0;
    while (s->next < o->first + o->calls && s->failures < MOST_FAILURES) {
        if (!o->here)
            alarm(PATIENCE_SECONDS);
        make_call(&f, o->seed, s->next++);
    }
    for (int i = 0; i < FUZZ_SLOTS && !f.on_cpu; ++i)
        must(f.copier, subwave_free(f.copier, f.slots[FUZZ_DEVICE][i].area));
    must(NULL, subwave_context_destroy(&f.copier));
    return EXIT_SUCCESS;
}

/* The same in a child process, and in another one after each that a call ended. */
static int make_calls_in_children(const options *o)
{
    for (;;) {
        int status;
        fflush(stdout);
        *s->words = 0;
        const pid_t child = fork();
        if (child == 0)
            exit(make_calls(o));
        if (child < 0 || waitpid(child, &status, 0) != child) {
            perror("fuzz: fork");
            return EXIT_STOP;
        }
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (code == EXIT_SUCCESS || code == EXIT_SKIP || code == EXIT_STOP)
            return code;
        ++s->failures;
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
            printf("%s  # %s: does not return\n", s->replay, s->words);
        else if (WIFSIGNALED(status))
            printf("%s  # %s: %s\n", s->replay, s->words, strsignal(WTERMSIG(status)));
        else
            printf("%s  # %s: ended the process with status %d\n", s->replay, s->words, code);
        if (!*s->words)
            return EXIT_STOP; /* before the first call */
    }
}

int main(int argc, char **argv)
{
    const options o = read_options(argc, argv);
    s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED)
        abort();
    s->next = o.first;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    const int status = o.here ? make_calls(&o) : make_calls_in_children(&o);
    if (status == EXIT_SKIP)
        return EXIT_SKIP;
    printf("%s, seed %" PRIu64 ": %" PRId64 " calls from %" PRId64 " made %" PRId64
           " calls of the library, %" PRId64 " of them refused; %" PRId64 " failures\n",
           o.device, o.seed, s->next - o.first, o.first, s->library_calls, s->refused, s->failures);
    return status == EXIT_SUCCESS && s->failures == 0 ? 0 : 1;
}
