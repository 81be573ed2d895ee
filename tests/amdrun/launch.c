/* SPDX-License-Identifier: MIT
 * launch.c: translation files and launches from them. Of core.c it takes the structures alone: the
 * functions are in the executor, a shared library for each wave size, which the file names.
 */
#include "core.c"

#include "launch.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>

#define QUEUE_BYTES 65536

/* The tables of image.py: 64-bit numbers, texts and data as offsets into the file. */
typedef struct {
    u64 at, count;
} Table;
typedef struct {
    char magic[8];
    u64 bytes, op_size, launch_size, wave, rdna4, ids_apart, executor, memory, memory_bytes;
    Table functions, names, lanes, fixups, kernels, arguments, relocations, symbols;
} Header;
typedef struct {
    u64 start, name, error, ops, count, first, fixup, fixups;
} Function;
typedef struct {
    u64 op, lanes;
} Fixup;
typedef struct {
    u64 name, descriptor, entry, props, preload, preload_offset, rsrc2, lds, private_bytes,
        argument_bytes, most_threads, vgprs, sgprs, argument, arguments;
} Kernel;
typedef struct {
    u64 offset, bytes, kind;
} Argument;
typedef struct {
    u64 offset, bytes, shift, value;
} Relocation;
typedef struct {
    u64 name, at, bytes;
} Symbol;
enum {
    EXPLICIT,
    COUNT_X,
    COUNT_Y,
    COUNT_Z,
    SIZE_X,
    SIZE_Y,
    SIZE_Z,
    DIMENSIONS,
    DYNAMIC_LDS,
    PRIVATE_BASE,
    SHARED_BASE,
    QUEUE
};

struct amdrun_image {
    u8 *file, *memory;
    const Header *h;
    int (*launch)(L *, const char *), (*describe)(const L *, int, char *, size_t);
    Fn *functions; /* by number, from 1 */
    /* the operation of each word of the code, once it is translated */
    const Op **map;
    u64 words;
    u8 *ready; /* functions whose pointers are addresses */
    amdrun_kernel *kernels;
    /* of a launch; arguments end at an inaccessible page */
    u8 *arguments, *packet, *queue;
    u64 arguments_bytes;
};

#define ROWS(image, table, type) ((const type *)((image)->file + (image)->h->table.at))
static const char *text(const amdrun_image *m, u64 at)
{
    return at ? (const char *)m->file + at : NULL;
}

static int refuse(char *error, size_t size, const char *what, const char *which)
{
    snprintf(error, size, "%s: %s", which, what);
    return -1;
}

static int bind(amdrun_image *m, char *error, size_t size)
{
    const char *path = text(m, m->h->executor);
    void *executor = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!executor)
        return refuse(error, size, dlerror(), "executor");
    u64 (*sizes)(int) = (u64(*)(int))dlsym(executor, "amdrun_sizes");
    m->launch = (int (*)(L *, const char *))dlsym(executor, "amdrun_launch");
    m->describe = (int (*)(const L *, int, char *, size_t))dlsym(executor, "amdrun_describe");
    if (!sizes || !m->launch || !m->describe || sizes(0) != sizeof(Op) || sizes(1) != sizeof(L) ||
        sizes(2) != m->h->wave)
        return refuse(error, size, "another version's", path);
    m->functions = calloc(m->h->names.count + 1, sizeof *m->functions);
    for (u64 i = 0; i < m->h->names.count; i++) {
        char name[128];
        snprintf(name, sizeof name, "op_%s", text(m, ROWS(m, names, u64)[i]));
        if (!(m->functions[i + 1] = (Fn)dlsym(executor, name)))
            return refuse(error, size, "not in the executor", name);
    }
    return 0;
}

/* Writable memory, zero, that ends where an inaccessible page begins. */
static u8 *fenced(u64 bytes)
{
    const u64 page = (u64)sysconf(_SC_PAGESIZE), body = (bytes + page - 1) / page * page;
    u8 *at = mmap(0, body + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || mprotect(at + body, page, PROT_NONE)) {
        perror("amdrun: mmap");
        abort();
    }
    return at + (body - bytes);
}

amdrun_image *amdrun_image_open(const char *path, char *error, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) {
        refuse(error, size, "cannot be read", path);
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    amdrun_image *m = calloc(1, sizeof *m);
    m->file = mmap(0, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    close(fd);
    m->h = (const Header *)m->file;
    const int whole = m->file != MAP_FAILED && st.st_size >= (off_t)sizeof(Header) &&
                      !memcmp(m->h->magic, "amdrun-2", 8) && m->h->bytes == (u64)st.st_size &&
                      m->h->op_size == sizeof(Op) && m->h->launch_size == sizeof(L);
    if (whole ? bind(m, error, size) : refuse(error, size, "no translation", path)) {
        if (m->file != MAP_FAILED)
            munmap(m->file, (size_t)st.st_size);
        free(m->functions);
        free(m);
        return NULL;
    }
    const Header *h = m->h;
    /* constants are loaded by the line */
    m->memory = (u8 *)((u64)fenced(h->memory_bytes + 256) & ~255ull);
    memcpy(m->memory, m->file + h->memory, h->memory_bytes);
    for (u64 i = 0; i < h->relocations.count; i++) {
        const Relocation *r = &ROWS(m, relocations, Relocation)[i];
        u64 value = ((u64)m->memory + r->value) >> r->shift;
        memcpy(m->memory + r->offset, &value, r->bytes);
    }
    m->words = h->memory_bytes / 4 + 64;
    m->map = calloc(m->words, sizeof *m->map);
    m->ready = calloc(h->functions.count + 1, 1);
    m->kernels = calloc(h->kernels.count + 1, sizeof *m->kernels);
    for (u64 i = 0; i < h->kernels.count; i++) {
        const Kernel *k = &ROWS(m, kernels, Kernel)[i];
        m->kernels[i] = (amdrun_kernel){m,
                                        text(m, k->name),
                                        "it has no code",
                                        (u32)k->lds,
                                        (u32)k->private_bytes,
                                        (u32)k->argument_bytes,
                                        (u32)k->most_threads,
                                        (u32)k->vgprs,
                                        (u32)k->sgprs,
                                        k};
        for (u64 j = 0; j < h->functions.count; j++) {
            const Function *f = &ROWS(m, functions, Function)[j];
            if (f->start <= k->entry && k->entry <= f->start + 256)
                m->kernels[i].error = text(m, f->error);
        }
        if (m->arguments_bytes < k->argument_bytes)
            m->arguments_bytes = k->argument_bytes;
    }
    m->arguments_bytes = (m->arguments_bytes + 15) & ~15ull;
    m->arguments = fenced(m->arguments_bytes ? m->arguments_bytes : 16);
    m->packet = fenced(64);
    m->queue = fenced(QUEUE_BYTES);
    return m;
}

const amdrun_kernel *amdrun_image_kernel(amdrun_image *m, const char *name)
{
    for (u64 i = 0; i < m->h->kernels.count; i++)
        if (!strcmp(m->kernels[i].name, name))
            return &m->kernels[i];
    return NULL;
}

const amdrun_kernel *amdrun_image_kernels(const amdrun_image *m, size_t *count)
{
    *count = m->h->kernels.count;
    return m->kernels;
}

void *amdrun_image_memory(const amdrun_image *m, size_t *bytes)
{
    *bytes = m->h->memory_bytes;
    return m->memory;
}

void *amdrun_image_symbol(const amdrun_image *m, const char *name, size_t *bytes)
{
    for (u64 i = 0; i < m->h->symbols.count; i++) {
        const Symbol *s = &ROWS(m, symbols, Symbol)[i];
        if (strcmp(text(m, s->name), name))
            continue;
        *bytes = s->bytes;
        return m->memory + s->at;
    }
    return NULL;
}

void amdrun_image_arguments(const amdrun_kernel *kernel, void **arguments, void *bytes)
{
    const Kernel *k = kernel->row;
    const Argument *a = ROWS(kernel->image, arguments, Argument) + k->argument;
    memset(bytes, 0, k->argument_bytes);
    for (u64 i = 0; i < k->arguments; i++)
        if (a[i].kind == EXPLICIT)
            memcpy((u8 *)bytes + a[i].offset, *arguments++, a[i].bytes);
}

/* Turns the numbers in the operations of the function that holds this address into addresses. */
static const char *prepare(amdrun_image *m, u64 at)
{
    const Function *f = NULL;
    u64 j;
    for (j = 0; j < m->h->functions.count && ROWS(m, functions, Function)[j].start <= at; j++)
        f = &ROWS(m, functions, Function)[j];
    if (!f)
        return "a jump to where no function is";
    if (f->error)
        return text(m, f->error);
    Op *ops = (Op *)(m->file + f->ops);
    if (!m->ready[--j]) {
        m->ready[j] = 1;
        for (u64 i = 0; i < f->count; i++) {
            Op *o = &ops[i];
            o->fn = m->functions[(u64)o->fn];
            o->fn2 = m->functions[(u64)o->fn2];
            if (o->target)
                o->target = (const Op *)((u8 *)ops + ((u64)o->target - sizeof(Op)));
            if (i + 1 < f->count && !m->map[o->addr >> 2])
                m->map[o->addr >> 2] = o;
        }
        const Fixup *x = ROWS(m, fixups, Fixup) + f->fixup;
        for (u64 i = 0; i < f->fixups; i++)
            ops[x[i].op].imm2 = (u64)(m->file + m->h->lanes.at + 64 * x[i].lanes);
    }
    return m->map[at >> 2] ? NULL : "a jump to what is no instruction";
}

void amdrun_image_executed(const amdrun_image *m,
                           void (*tell)(void *, const char *, uint64_t, uint64_t), void *self)
{
    for (u64 j = 0; j < m->h->functions.count; j++) {
        if (!m->ready[j])
            continue;
        const Function *f = &ROWS(m, functions, Function)[j];
        const Op *ops = (const Op *)(m->file + f->ops);
        for (u64 i = 0; i < f->count; i++)
            if (m->file[f->first + i] && ops[i].count)
                tell(self, text(m, f->name), ops[i].addr, ops[i].count);
    }
}

static void add(void *sum, const char *function, uint64_t address, uint64_t count)
{
    (void)function;
    (void)address;
    *(u64 *)sum += count;
}

u64 amdrun_image_instructions(const amdrun_image *m)
{
    u64 sum = 0;
    amdrun_image_executed(m, add, &sum);
    return sum;
}

/* The arguments in memory, the hidden ones with them. */
static void place_arguments(amdrun_image *m, const Kernel *k, const L *l, u32 dynamic_lds,
                            const void *explicit)
{
    u8 *to = m->arguments + (m->arguments_bytes - ((k->argument_bytes + 15) & ~15ull));
    u32 dimensions = 0;
    for (int i = 0; i < 3; i++)
        dimensions += (u64)l->grid[i] * l->block[i] > 1;
    const u64 hidden[] = {0,           l->grid[0],  l->grid[1],  l->grid[2],
                          l->block[0], l->block[1], l->block[2], dimensions ? dimensions : 1,
                          dynamic_lds, PRIVATE_HI,  SHARED_HI,   (u64)m->queue};
    memcpy(to, explicit, k->argument_bytes);
    const Argument *a = ROWS(m, arguments, Argument) + k->argument;
    for (u64 i = 0; i < k->arguments; i++)
        if (a[i].kind && a[i].kind < sizeof hidden / sizeof *hidden)
            memcpy(to + a[i].offset, &hidden[a[i].kind], a[i].bytes);
    const u16 setup[6] = {0x1502, 3, (u16)l->block[0], (u16)l->block[1], (u16)l->block[2]};
    const u32 sizes[5] = {l->grid[0] * l->block[0], l->grid[1] * l->block[1],
                          l->grid[2] * l->block[2], l->priv, l->lds};
    const u64 places[4] = {(u64)(m->memory + k->descriptor), (u64)to};
    memcpy(m->packet, setup, sizeof setup);
    memcpy(m->packet + 12, sizes, sizeof sizes);
    memcpy(m->packet + 32, places, sizeof places);
}

/* Scalar registers that a wave starts with, in the descriptor's order. */
static void place_registers(const amdrun_image *m, const Kernel *k, L *l)
{
    const u8 *arguments = m->arguments + (m->arguments_bytes - ((k->argument_bytes + 15) & ~15ull));
    const struct {
        u64 value, words;
    } fields[] = {{0, 4}, /* scratch is addressed without its descriptor */
                  {(u64)m->packet, 2},
                  {(u64)m->queue, 2},
                  {(u64)arguments, 2},
                  {0, 2},
                  {0, 2},
                  {l->priv, 1}};
    u32 n = 0;
    for (u32 i = 0; i < 7; i++) {
        if (!(k->props >> i & 1))
            continue;
        for (u32 j = 0; j < fields[i].words; j++)
            l->fixed[n++] = j > 1 ? 0 : (u32)(fields[i].value >> 32 * j);
    }
    for (u32 j = 0; j < k->preload; j++, n++)
        memcpy(&l->fixed[n], arguments + 4 * (k->preload_offset + j), 4);
    l->nfixed = n;
    l->nuser = (u32)k->rsrc2 >> 1 & 31;
    if (l->nuser < n)
        l->nuser = n;
    l->rsrc2 = (u32)k->rsrc2;
}

int amdrun_image_launch(const amdrun_kernel *kernel, const uint32_t grid[3],
                        const uint32_t block[3], uint32_t dynamic_lds, const void *arguments,
                        amdrun_launch_result *result)
{
    amdrun_image *m = kernel->image;
    const Kernel *k = kernel->row;
    const char *limit = getenv("AMDRUN_LIMIT"), *check = getenv("AMDRUN_CHECK");
    L l = {.lds = kernel->lds + dynamic_lds,
           .rdna4 = (u32)m->h->rdna4,
           .apart = (u32)m->h->ids_apart,
           .resident = 1,
           .priv = kernel->private_bytes,
           .poison = 1,
           .slice = 4096,
           .cdna = m->h->wave == 64,
           .limit = limit ? strtoull(limit, 0, 0) : 20000000000u,
           .entry = (u64)m->memory + k->entry,
           .textbase = (u64)m->memory,
           .textwords = m->words,
           .map = m->map,
           .check = check && !strcmp(check, "0") ? 0 : CHECK | QUIET};
    memcpy(l.grid, grid, sizeof l.grid);
    memcpy(l.block, block, sizeof l.block);
    place_arguments(m, k, &l, dynamic_lds, arguments);
    place_registers(m, k, &l);
    int code = 2;
    const char *why = prepare(m, k->entry);
    while (!why && (code = m->launch(&l, kernel->name)) == 2)
        why = prepare(m, l.need - l.textbase);
    if (!why && code == 1)
        why = "it does not end (AMDRUN_LIMIT instructions)";
    if (!why && code)
        why = "it ran into what is no instruction";
    *result = (amdrun_launch_result){.waves = l.waves, .executed = l.executed};
    if (why)
        snprintf(result->error, sizeof result->error, "%s", why);
    else
        ++m->kernels[kernel - m->kernels].launches;
    for (u32 i = 0; !why && i < l.nfault; i++) {
        size_t n = strlen(result->error);
        if (n && n + 2 < sizeof result->error)
            n = (size_t)(stpcpy(result->error + n, "; ") - result->error);
        m->describe(&l, (int)i, result->error + n, sizeof result->error - n);
    }
    return why || l.nfault;
}
