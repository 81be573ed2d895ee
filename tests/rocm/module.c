/* SPDX-License-Identifier: MIT
 * module.c: the code that programs register, and its launches. Code is translated once by amdrun's
 * image.py and kept in the cache folder of amdrun's executors, under a hash of all that goes into
 * the translation.
 */
#define _GNU_SOURCE
#include "runner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LDS_BYTES = 65536, MOST_THREADS = 1024 };

/* What the compiler puts into a program for each source file. */
typedef struct binary {
    const char *bundle;
    amdrun_image *image;
    hipError_t error; /* of loading it */
    bool is_loaded;
    struct binary *next;
} binary;

/* A kernel or a variable, by the host's address for it. */
typedef struct symbol {
    const void *host;
    const char *name;
    binary *in;
    struct symbol *next;
} symbol;

static binary *binaries, **last_binary = &binaries;
static symbol *symbols[1024];
static const char *running; /* kernel */

/* --- bundles --------------------------------------------------------------------------------- */

typedef struct entry {
    const char *target; /* gfx90a:sramecc+ */
    size_t target_length;
    const char *code;
    size_t bytes;
} entry;

static uint64_t number_at(const char *at)
{
    uint64_t n;
    memcpy(&n, at, sizeof n);
    return n;
}

/* The entry number i of device code; false behind the last. */
static bool entry_of(const char *bundle, size_t i, entry *e)
{
    static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__";
    if (memcmp(bundle, magic, sizeof magic - 1) != 0)
        return false;
    const char *at = bundle + sizeof magic - 1 + 8;
    for (uint64_t n = number_at(at - 8); n; --n) {
        const size_t length = number_at(at + 16);
        const char *name = at + 24, *target = memmem(name, length, "amdgcn-amd-amdhsa-", 18);
        e->code = bundle + number_at(at);
        e->bytes = number_at(at + 8);
        at = name + length;
        if (!target || !e->bytes || i--)
            continue;
        target += 18 + (target[18] == '-');
        e->target = target;
        e->target_length = (size_t)(at - target);
        return true;
    }
    return false;
}

static size_t processor_length(const entry *e)
{
    const char *colon = memchr(e->target, ':', e->target_length);
    return colon ? (size_t)(colon - e->target) : e->target_length;
}

/* A feature that the code does not name may be either way; one that it names must be as the device
 * has it. */
static bool runs_on(const entry *e, const device *d)
{
    const size_t length = processor_length(e);
    if (length != strlen(d->architecture) || memcmp(e->target, d->architecture, length) != 0)
        return false;
    for (const char *at = e->target + length, *end = e->target + e->target_length; at < end;) {
        const char *next = memchr(at + 1, ':', (size_t)(end - at - 1));
        const size_t n = (size_t)((next ? next : end) - at);
        if (!memmem(d->features, strlen(d->features), at, n))
            return false;
        at += n;
    }
    return true;
}

const device *first_device_with_code(void)
{
    entry e;
    for (const binary *b = binaries; b; b = b->next)
        for (size_t i = 0; entry_of(b->bundle, i, &e); ++i) {
            const device *d = device_named(e.target, processor_length(&e));
            if (d)
                return d;
        }
    return NULL;
}

/* --- translations ---------------------------------------------------------------------------- */

typedef struct hash {
    uint64_t a, b;
} hash;

static void add_bytes(hash *h, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; ++i) {
        h->a = (h->a ^ at[i]) * 0x100000001b3u;
        h->b = (h->b + at[i]) * 0x9e3779b97f4a7c15u;
        h->b ^= h->b >> 29;
    }
}

static void add_text(hash *h, const char *text)
{
    add_bytes(h, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void add_file(hash *h, const char *folder, const char *name)
{
    char path[4096], part[65536];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;
    while (fd >= 0 && (n = read(fd, part, sizeof part)) > 0)
        add_bytes(h, part, (size_t)n);
    if (fd >= 0)
        close(fd);
}

static int is_source(const struct dirent *d)
{
    const char *dot = strrchr(d->d_name, '.');
    return dot && (strcmp(dot, ".py") == 0 || strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0);
}

/* Of amdrun's sources, and of what its executor is compiled by and for. */
static hash tools_hash(void)
{
    static hash h;
    if (h.a)
        return h;
    h = (hash){0xcbf29ce484222325u, 1};
    struct dirent **files;
    const int n = scandir(AMDRUN_FOLDER, &files, is_source, alphasort);
    for (int i = 0; i < n; ++i) {
        add_file(&h, AMDRUN_FOLDER, files[i]->d_name);
        free(files[i]);
    }
    if (n >= 0)
        free(files);
    const char *const variables[] = {"AMDRUN_CC", "AMDRUN_CFLAGS", "AMDRUN_OBJDUMP"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i)
        add_text(&h, getenv(variables[i]));
    FILE *processor = fopen("/proc/cpuinfo", "r");
    char line[8192];
    while (processor && fgets(line, sizeof line, processor))
        if (strncmp(line, "flags", 5) == 0 || strncmp(line, "Features", 8) == 0) {
            add_text(&h, line);
            break;
        }
    if (processor)
        fclose(processor);
    return h;
}

/* As amdrun.py has it. */
static void cache_folder(char *folder, size_t size)
{
    const char *own = getenv("AMDRUN_CACHE"), *user = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    if (own && *own)
        snprintf(folder, size, "%s", own);
    else if (user && *user)
        snprintf(folder, size, "%s/amdrun", user);
    else
        snprintf(folder, size, "%s/.cache/amdrun", home ? home : "");
    for (char *slash = folder; (slash = strchr(slash + 1, '/'));) {
        *slash = 0;
        mkdir(folder, 0777);
        *slash = '/';
    }
    mkdir(folder, 0777);
    if (access(folder, W_OK) != 0) {
        snprintf(folder, size, "/tmp/amdrun-%d", (int)getuid());
        mkdir(folder, 0700);
    }
}

extern char **environ;

/* Runs image.py with the code as its standard input, and without what was loaded into this
 * process. */
static bool translate(const entry *e, const char *target, const char *path)
{
    char *environment[1024];
    size_t n = 0;
    for (char **v = environ; *v && n < 1023; ++v)
        if (strncmp(*v, "LD_", 3) != 0)
            environment[n++] = *v;
    environment[n] = NULL;
    const int code = memfd_create("code", MFD_CLOEXEC);
    if (code < 0 || write(code, e->code, e->bytes) != (ssize_t)e->bytes ||
        lseek(code, 0, SEEK_SET) != 0) {
        tell("%s: %s", path, strerror(errno));
        return false;
    }
    char *const arguments[] = {RUNNER_PYTHON, "-B",           AMDRUN_FOLDER "/image.py",
                               (char *)path,  (char *)target, NULL};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, code, STDIN_FILENO);
    pid_t child;
    int status = -1;
    const int failure = posix_spawnp(&child, RUNNER_PYTHON, &files, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&files);
    close(code);
    if (failure)
        tell("%s: %s", RUNNER_PYTHON, strerror(failure));
    else
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    return !failure && status == 0;
}

static amdrun_image *open_translation(const entry *e, const device *d)
{
    char folder[3072], path[4096], locked[4200], why[512];
    hash h = tools_hash();
    add_text(&h, d->architecture);
    add_bytes(&h, e->code, e->bytes);
    cache_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/%016llx%016llx.image", folder, (unsigned long long)h.a,
             (unsigned long long)h.b);
    amdrun_image *image = amdrun_image_open(path, why, sizeof why);
    if (image)
        return image;
    /* Processes that need it at the same time translate it once. */
    snprintf(locked, sizeof locked, "%s.lock", path);
    const int lock = open(locked, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock >= 0)
        flock(lock, LOCK_EX);
    image = amdrun_image_open(path, why, sizeof why);
    if (!image && translate(e, d->architecture, path))
        image = amdrun_image_open(path, why, sizeof why);
    if (!image)
        tell("code for %s cannot be run: %s", d->architecture, why);
    unlink(locked);
    if (lock >= 0)
        close(lock);
    return image;
}

static hipError_t load(binary *b)
{
    if (b->is_loaded)
        return b->error;
    b->is_loaded = true;
    b->error = hipErrorNoBinaryForGpu;
    if (memcmp(b->bundle, "CCOB", 4) == 0)
        tell("code that was compressed (--offload-compress) is not in the runner");
    entry e;
    for (size_t i = 0; entry_of(b->bundle, i, &e); ++i) {
        if (!runs_on(&e, the_device()))
            continue;
        b->image = open_translation(&e, the_device());
        b->error = b->image ? hipSuccess : hipErrorInvalidImage;
        if (b->image) {
            size_t bytes;
            void *memory = amdrun_image_memory(b->image, &bytes);
            add_code_memory(memory, bytes);
        }
        break;
    }
    return b->error;
}

unsigned long long instructions_executed(void)
{
    unsigned long long sum = 0;
    for (const binary *b = binaries; b; b = b->next)
        sum += b->image ? amdrun_image_instructions(b->image) : 0;
    return sum;
}

static void list_instruction(void *to, const char *function, uint64_t address, uint64_t count)
{
    fprintf(to, "%s %llx %llu\n", function, (unsigned long long)address, (unsigned long long)count);
}

void list_executed(FILE *to)
{
    for (const binary *b = binaries; b; b = b->next)
        if (b->image)
            amdrun_image_executed(b->image, list_instruction, to);
}

void list_launched(FILE *to)
{
    const char *before = "";
    for (const binary *b = binaries; b; b = b->next) {
        size_t count = 0;
        const amdrun_kernel *kernels = b->image ? amdrun_image_kernels(b->image, &count) : NULL;
        for (size_t i = 0; i < count; ++i)
            if (kernels[i].launches) {
                fprintf(to, "%s\"%s\": %llu", before, kernels[i].name,
                        (unsigned long long)kernels[i].launches);
                before = ", ";
            }
    }
}

/* --- registration, by the constructors of programs ------------------------------------------- */

static symbol **bucket(const void *host)
{
    return &symbols[((uintptr_t)host >> 3) % (sizeof symbols / sizeof *symbols)];
}

static symbol *symbol_of(const void *host)
{
    symbol *s = *bucket(host);
    while (s && s->host != host)
        s = s->next;
    return s;
}

static void add_symbol(void **in, const void *host, const char *name)
{
    symbol *s = malloc(sizeof *s);
    if (!s || !in)
        abort();
    *s = (symbol){host, name, (binary *)in, *bucket(host)};
    *bucket(host) = s;
}

void **__hipRegisterFatBinary(const void *data)
{
    const struct {
        unsigned magic, version;
        const char *bundle;
    } *wrapper = data;
    binary *b = calloc(1, sizeof *b);
    if (!b || wrapper->magic != 0x48495046 || wrapper->version != 1)
        abort();
    b->bundle = wrapper->bundle;
    *last_binary = b;
    last_binary = &b->next;
    return (void **)b;
}

/* Kept for the report, whose destructor runs later. */
void __hipUnregisterFatBinary(void **in)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i)
        for (symbol **at = &symbols[i]; *at;)
            if ((*at)->in == (binary *)in) {
                symbol *gone = *at;
                *at = gone->next;
                free(gone);
            } else {
                at = &(*at)->next;
            }
}

void __hipRegisterFunction(void **in, const void *host, char *device_function, const char *name,
                           unsigned most_threads, void *thread, void *block, void *block_size,
                           void *grid_size, int *wave)
{
    (void)device_function, (void)most_threads, (void)thread, (void)block, (void)block_size,
        (void)grid_size, (void)wave;
    add_symbol(in, host, name);
}

void __hipRegisterVar(void **in, void *host, char *host_name, char *name, int external,
                      size_t bytes, int constant, int global)
{
    (void)host_name, (void)external, (void)bytes, (void)constant, (void)global;
    add_symbol(in, host, name);
}

/* --- launches -------------------------------------------------------------------------------- */

static _Thread_local struct {
    dim3 grid, block;
    size_t dynamic_lds;
    hipStream_t stream;
} configurations[8];
static _Thread_local unsigned depth;

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_lds, hipStream_t stream)
{
    if (depth == sizeof configurations / sizeof *configurations)
        return hipErrorInvalidConfiguration;
    configurations[depth].grid = grid;
    configurations[depth].block = block;
    configurations[depth].dynamic_lds = dynamic_lds;
    configurations[depth++].stream = stream;
    return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic_lds,
                                     hipStream_t *stream)
{
    if (!depth)
        return hipErrorMissingConfiguration;
    *grid = configurations[--depth].grid;
    *block = configurations[depth].block;
    *dynamic_lds = configurations[depth].dynamic_lds;
    *stream = configurations[depth].stream;
    return hipSuccess;
}

static hipError_t kernel_of(const void *host, const amdrun_kernel **kernel)
{
    const symbol *s = symbol_of(host);
    if (!s)
        return hipErrorInvalidDeviceFunction;
    const hipError_t error = load(s->in);
    if (error != hipSuccess)
        return error;
    *kernel = amdrun_image_kernel(s->in->image, s->name);
    return *kernel ? hipSuccess : hipErrorInvalidDeviceFunction;
}

static hipError_t launch(const void *host, dim3 grid, dim3 block, void **arguments,
                         size_t dynamic_lds, hipStream_t stream)
{
    const amdrun_kernel *kernel;
    if (!is_stream(stream))
        return hipErrorInvalidValue;
    hipError_t error = kernel_of(host, &kernel);
    if (error != hipSuccess)
        return error;
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    const uint32_t yz = (uint32_t)(the_device()->major >= 12 ? 65536 : UINT32_MAX);
    if (!threads || (uint64_t)grid.x * block.x > UINT32_MAX ||
        (uint64_t)grid.y * block.y > UINT32_MAX || (uint64_t)grid.z * block.z > UINT32_MAX ||
        grid.y > yz || grid.z > yz)
        return hipErrorInvalidConfiguration;
    if (!grid.x || !grid.y || !grid.z || (kernel->argument_bytes && !arguments))
        return hipErrorInvalidValue;
    if (threads > MOST_THREADS)
        return HIP_VERSION_MAJOR < 6 ? hipErrorInvalidConfiguration : hipErrorInvalidValue;
    if (threads > kernel->most_threads) {
        tell("%s: %llu work-items in a block, and it is built for at most %u", kernel->name,
             (unsigned long long)threads, kernel->most_threads);
        return hipErrorLaunchFailure;
    }
    if (kernel->lds + dynamic_lds > LDS_BYTES) {
        tell("%s: %u + %zu bytes of LDS, and there are %d", kernel->name, kernel->lds, dynamic_lds,
             LDS_BYTES);
        return hipErrorInvalidValue;
    }
    if (kernel->error) {
        tell("%s", kernel->error);
        return hipErrorNotSupported;
    }
    work *w = new_work(LAUNCH, kernel->argument_bytes);
    if (!w)
        return hipErrorOutOfMemory;
    w->launch.kernel = kernel;
    memcpy(w->launch.grid, (uint32_t[]){grid.x, grid.y, grid.z}, sizeof w->launch.grid);
    memcpy(w->launch.block, (uint32_t[]){block.x, block.y, block.z}, sizeof w->launch.block);
    w->launch.dynamic_lds = (uint32_t)dynamic_lds;
    amdrun_image_arguments(kernel, arguments, w->bytes);
    return queue(stream, w);
}

hipError_t hipLaunchKernel(const void *host, dim3 grid, dim3 block, void **arguments,
                           size_t dynamic_lds, hipStream_t stream)
{
    BEGIN(hipLaunchKernel);
    END(launch(host, grid, block, arguments, dynamic_lds, stream));
}

/* As a GPU's driver does it: the process is told and ends. The executor has said which instruction
 * it was. */
static void fault(int signal_number, siginfo_t *about, void *context)
{
    (void)context;
    describe_address(about->si_addr);
    if (running) {
        tell("memory access fault in %s: the process is ended, as ROCm does it", running);
        abort();
    }
    signal(signal_number, SIG_DFL); /* and the instruction is tried again */
}

__attribute__((constructor)) static void watch_the_host(void)
{
    struct sigaction before, after = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (sigaction(SIGSEGV, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(SIGSEGV, &after, NULL);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

hipError_t run_launch(const work *w)
{
    const amdrun_kernel *kernel = w->launch.kernel;
    struct sigaction segv, bus, ours = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    amdrun_launch_result result;
    open_memory();
    running = kernel->name;
    sigaction(SIGSEGV, &ours, &segv);
    sigaction(SIGBUS, &ours, &bus);
    const double start = now();
    const int code = amdrun_image_launch(kernel, w->launch.grid, w->launch.block,
                                         w->launch.dynamic_lds, w->bytes, &result);
    totals.seconds += now() - start;
    sigaction(SIGSEGV, &segv, NULL);
    sigaction(SIGBUS, &bus, NULL);
    running = NULL;
    ++totals.launches;
    totals.waves += result.waves;
    if (code)
        tell("%s failed: %s", kernel->name, result.error);
    return has_stray_writes(kernel->name) || code ? hipErrorLaunchFailure : hipSuccess;
}

/* --- what is asked of kernels and variables -------------------------------------------------- */

hipError_t hipFuncGetAttributes(struct hipFuncAttributes *attributes, const void *host)
{
    BEGIN(hipFuncGetAttributes);
    const amdrun_kernel *kernel;
    if (!attributes)
        END(hipErrorInvalidValue);
    const hipError_t error = kernel_of(host, &kernel);
    if (error != hipSuccess)
        END(error);
    *attributes =
        (struct hipFuncAttributes){.localSizeBytes = kernel->private_bytes,
                                   .sharedSizeBytes = kernel->lds,
                                   .maxDynamicSharedSizeBytes = (int)(LDS_BYTES - kernel->lds),
                                   .maxThreadsPerBlock = (int)kernel->most_threads,
                                   .numRegs = (int)kernel->vgprs,
                                   .binaryVersion = 10 * the_device()->major + the_device()->minor};
    END(hipSuccess);
}

/* Blocks that a compute unit has room for. */
static int held_blocks(const amdrun_kernel *kernel, int size, size_t dynamic_lds)
{
    const device *d = the_device();
    const int step = d->registers_at_a_time, waves = (size + d->wave - 1) / d->wave;
    const int registers = ((int)kernel->vgprs + step - 1) / step * step;
    const int by_registers = 4 * (d->registers / (registers ? registers : step)) / waves,
              by_threads = d->threads_of_unit / (waves * d->wave);
    const size_t lds = kernel->lds + dynamic_lds, by_lds = lds ? LDS_BYTES / lds : MOST_THREADS;
    const int held = by_registers < by_threads ? by_registers : by_threads;
    return (size_t)held < by_lds ? held : (int)by_lds;
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host, int size,
                                                        size_t dynamic_lds)
{
    BEGIN(hipOccupancyMaxActiveBlocksPerMultiprocessor);
    const amdrun_kernel *kernel;
    if (!blocks || size <= 0)
        END(hipErrorInvalidValue);
    const hipError_t error = kernel_of(host, &kernel);
    if (error == hipSuccess)
        *blocks = held_blocks(kernel, size, dynamic_lds);
    END(error);
}

hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *size, const void *host,
                                             size_t dynamic_lds, int limit)
{
    BEGIN(hipOccupancyMaxPotentialBlockSize);
    const amdrun_kernel *kernel;
    if (!grid || !size)
        END(hipErrorInvalidValue);
    const hipError_t error = kernel_of(host, &kernel);
    if (error == hipSuccess) {
        *size = limit > 0 && limit < (int)kernel->most_threads ? limit : (int)kernel->most_threads;
        *grid = compute_units(the_device()) * held_blocks(kernel, *size, dynamic_lds);
    }
    END(error);
}

hipError_t hipFuncSetAttribute(const void *host, hipFuncAttribute which, int value)
{
    BEGIN(hipFuncSetAttribute);
    const amdrun_kernel *kernel;
    const hipError_t error = kernel_of(host, &kernel);
    if (error == hipSuccess && which == hipFuncAttributeMaxDynamicSharedMemorySize &&
        (uint32_t)value > LDS_BYTES - kernel->lds)
        END(hipErrorInvalidValue);
    END(error);
}

static hipError_t variable(const void *host, size_t offset, size_t bytes, char **at)
{
    const symbol *s = symbol_of(host);
    if (!s)
        return hipErrorInvalidSymbol;
    const hipError_t error = load(s->in);
    if (error != hipSuccess)
        return error;
    size_t size;
    *at = amdrun_image_symbol(s->in->image, s->name, &size);
    if (!*at)
        return hipErrorInvalidSymbol;
    *at += offset;
    return offset <= size && bytes <= size - offset ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipGetSymbolAddress(void **at, const void *host)
{
    BEGIN(hipGetSymbolAddress);
    END(at ? variable(host, 0, 0, (char **)at) : hipErrorInvalidValue);
}

hipError_t hipMemcpyToSymbol(const void *host, const void *from, size_t bytes, size_t offset,
                             hipMemcpyKind kind)
{
    BEGIN(hipMemcpyToSymbol);
    char *to;
    hipError_t error = variable(host, offset, bytes, &to);
    if (error == hipSuccess && bytes)
        error = check_copy(to, from, bytes, kind);
    if (error == hipSuccess)
        error = finish(NULL);
    if (error == hipSuccess) {
        open_memory_at(to);
        open_memory_at(from);
        memmove(to, from, bytes);
        close_memory();
    }
    END(error);
}

hipError_t hipMemcpyFromSymbol(void *to, const void *host, size_t bytes, size_t offset,
                               hipMemcpyKind kind)
{
    BEGIN(hipMemcpyFromSymbol);
    char *from;
    hipError_t error = variable(host, offset, bytes, &from);
    if (error == hipSuccess && bytes)
        error = check_copy(to, from, bytes, kind);
    if (error == hipSuccess)
        error = finish(NULL);
    if (error == hipSuccess) {
        open_memory_at(to);
        open_memory_at(from);
        memmove(to, from, bytes);
        close_memory();
    }
    END(error);
}
