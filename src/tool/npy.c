/* SPDX-License-Identifier: MIT
 * npy.c: matrices and arrays in NumPy's .npy files.
 *
 * The format: "\x93NUMPY", two bytes of version, the header's length (two bytes in version 1, four
 * later, little-endian), the header (a Python dictionary with 'descr', 'fortran_order' and
 * 'shape'), the elements.
 */
#include "npy.h"

#include <subwave/subwave.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC_SIZE = 6, PREFIX_SIZE = 10, HEADER_LIMIT = 1 << 20, CHUNK = 1 << 30 };

static bool little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static bool fail(char *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, NPY_ERROR_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

bool npy_size(const npy_matrix *matrix, size_t *bytes)
{
    const int64_t most = PTRDIFF_MAX / (int64_t)subwave_dtype_size(matrix->dtype);
    if (matrix->columns > 0 && matrix->rows > most / matrix->columns)
        return false;
    *bytes = (size_t)(matrix->rows * matrix->columns) * subwave_dtype_size(matrix->dtype);
    return true;
}

/* --- the header's dictionary ----------------------------------------------------------------- */

typedef struct cursor {
    const char *at, *end;
} cursor;

/* The next character that is no space, or 0 at the end. */
static char peek(cursor *c)
{
    while (c->at < c->end && strchr(" \t\r\n", *c->at) && *c->at)
        ++c->at;
    return c->at < c->end ? *c->at : 0;
}

static bool accept(cursor *c, char wanted)
{
    if (peek(c) != wanted || !wanted)
        return false;
    ++c->at;
    return true;
}

static bool accept_word(cursor *c, const char *word)
{
    const size_t length = strlen(word);
    peek(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

/* A string without escapes, which neither the keys nor the types that we take need. */
static bool accept_string(cursor *c, char *text, size_t size)
{
    const char quote = peek(c);
    if (quote != '\'' && quote != '"')
        return false;
    const char *start = ++c->at;
    while (c->at < c->end && *c->at != quote) {
        if (*c->at < ' ' || *c->at > '~' || *c->at == '\\')
            return false;
        ++c->at;
    }
    if (c->at == c->end || (size_t)(c->at - start) >= size)
        return false;
    memcpy(text, start, (size_t)(c->at - start));
    text[c->at - start] = 0;
    ++c->at;
    return true;
}

/* NumPy's names, and what they are taken of. There is none for bf16. */
enum taken_of { OF_MATRICES, OF_ARRAYS, OF_FLAGS }; /* of this and of those behind it */
static const struct {
    char name[4];
    subwave_dtype dtype;
    enum taken_of of;
} types[] = {
    {"f2", SUBWAVE_DTYPE_F16, OF_MATRICES},  {"f4", SUBWAVE_DTYPE_F32, OF_MATRICES},
    {"f8", SUBWAVE_DTYPE_F64, OF_MATRICES},  {"i1", SUBWAVE_DTYPE_I8, OF_MATRICES},
    {"i4", SUBWAVE_DTYPE_I32, OF_MATRICES},  {"i2", SUBWAVE_DTYPE_I16, OF_ARRAYS},
    {"i8", SUBWAVE_DTYPE_I64, OF_ARRAYS},    {"u1", SUBWAVE_DTYPE_U8, OF_ARRAYS},
    {"u2", SUBWAVE_DTYPE_U16, OF_ARRAYS},    {"u4", SUBWAVE_DTYPE_U32, OF_ARRAYS},
    {"u8", SUBWAVE_DTYPE_U64, OF_ARRAYS},    {"c8", SUBWAVE_DTYPE_C32, OF_MATRICES},
    {"c16", SUBWAVE_DTYPE_C64, OF_MATRICES}, {"b1", SUBWAVE_DTYPE_U8, OF_FLAGS},
};
enum { TYPES = sizeof types / sizeof *types };

static bool parse_descr(cursor *c, npy_matrix *matrix, char *error)
{
    const char *const taken =
        matrix->is_array
            ? "int8 to int64, uint8 to uint64, float16 to float64, complex64 and complex128"
            : "float16 ('<f2'), float32 ('<f4'), float64 ('<f8'), complex64 ('<c8'), complex128 "
              "('<c16'), int8 ('|i1') and, to add, int32 ('<i4')";
    char descr[64];
    if (peek(c) == '[')
        return fail(error, "the elements are structures; subwave takes %s", taken);
    if (!accept_string(c, descr, sizeof descr))
        return fail(error, "the header's 'descr' is not a short string");
    const char *name = descr + (descr[0] && strchr("<>=|", descr[0]));
    const enum taken_of is = matrix->is_flags   ? OF_FLAGS
                             : matrix->is_array ? OF_ARRAYS
                                                : OF_MATRICES;
    int type = 0;
    while (type < TYPES && (strcmp(name, types[type].name) != 0 || types[type].of > is))
        ++type;
    if (type == TYPES)
        return fail(error, "the elements are '%s'; subwave takes %s", descr, taken);
    matrix->dtype = types[type].dtype;
    matrix->swapped = descr[0] == (little_endian() ? '>' : '<');
    return true;
}

static bool parse_shape(cursor *c, npy_matrix *matrix, char *error)
{
    int count = 0;
    if (!accept(c, '('))
        return fail(error, "the header's 'shape' is not a tuple");
    while (!accept(c, ')')) {
        if (peek(c) == '-')
            return fail(error, "the header's 'shape' has a negative number");
        int64_t size = 0;
        const char *start = c->at;
        for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; ++c->at) {
            const int digit = *c->at - '0';
            if (size > (INT64_MAX - digit) / 10)
                return fail(error, "the header's 'shape' has a number beyond 64 bits");
            size = 10 * size + digit;
        }
        if (c->at == start)
            return fail(error, "the header's 'shape' is not a tuple of numbers");
        accept(c, 'L'); /* Python 2 wrote its long integers so */
        if (count < NPY_MOST_DIMENSIONS)
            matrix->sizes[count] = size;
        ++count;
        if (!accept(c, ',') && peek(c) != ')')
            return fail(error, "the header's 'shape' is not a tuple of numbers");
    }
    if (!matrix->is_array) {
        matrix->rows = matrix->sizes[0];
        matrix->columns = matrix->sizes[1];
        return count == 2 || fail(error, "the array has %d dimension%s; a matrix has 2", count,
                                  count == 1 ? "" : "s");
    }
    if (count > NPY_MOST_DIMENSIONS)
        return fail(error, "the array has %d dimensions; at most %d are read", count,
                    NPY_MOST_DIMENSIONS);
    matrix->dimensions = count;
    matrix->rows = matrix->columns = 1;
    bool is_empty = false;
    for (int d = 0; d < count; ++d)
        is_empty |= matrix->sizes[d] == 0;
    for (int d = 0; d < count; ++d) {
        if (!is_empty && matrix->rows > INT64_MAX / matrix->sizes[d])
            return fail(error, "the header's 'shape' exceeds the address space");
        matrix->rows = is_empty ? 0 : matrix->rows * matrix->sizes[d];
    }
    return true;
}

static bool parse_fortran_order(cursor *c, npy_matrix *matrix, char *error)
{
    matrix->fortran = accept_word(c, "True");
    return matrix->fortran || accept_word(c, "False") ||
           fail(error, "the header's 'fortran_order' is neither True nor False");
}

static bool parse_header(const char *text, size_t length, npy_matrix *matrix, char *error)
{
    static const struct {
        const char *key;
        bool (*parse)(cursor *c, npy_matrix *matrix, char *error);
    } fields[] = {
        {"descr", parse_descr}, {"fortran_order", parse_fortran_order}, {"shape", parse_shape}};
    enum { FIELDS = sizeof fields / sizeof *fields };
    bool found[FIELDS] = {false};

    *matrix = (npy_matrix){
        .dtype = SUBWAVE_DTYPE_F64, .is_array = matrix->is_array, .is_flags = matrix->is_flags};
    cursor c = {text, text + length};
    if (!accept(&c, '{'))
        return fail(error, "the header holds no dictionary");
    while (!accept(&c, '}')) {
        char key[32];
        int field = 0;
        if (!accept_string(&c, key, sizeof key) || !accept(&c, ':'))
            return fail(error, "the header's dictionary is malformed");
        while (field < FIELDS && strcmp(key, fields[field].key) != 0)
            ++field;
        if (field == FIELDS)
            return fail(error, "the header has an unknown key '%s'", key);
        if (found[field])
            return fail(error, "the header has '%s' twice", key);
        found[field] = true;
        if (!fields[field].parse(&c, matrix, error))
            return false;
        if (!accept(&c, ',') && peek(&c) != '}')
            return fail(error, "the header's dictionary is malformed");
    }
    for (int field = 0; field < FIELDS; ++field)
        if (!found[field])
            return fail(error, "the header has no '%s'", fields[field].key);
    if (peek(&c) || c.at != c.end)
        return fail(error, "the header goes on after its dictionary");
    return true;
}

bool npy_parse_header(const char *text, size_t length, npy_matrix *matrix, char *error)
{
    *matrix = (npy_matrix){.is_array = false};
    return parse_header(text, length, matrix, error);
}

/* --- reading --------------------------------------------------------------------------------- */

static bool read_all(int file, void *data, size_t bytes, char *error)
{
    for (char *at = data; bytes > 0;) {
        const ssize_t got = read(file, at, bytes < CHUNK ? bytes : CHUNK);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail(error, "cannot read: %s", strerror(errno));
        if (got == 0)
            return fail(error, "the file is truncated");
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

static void swap_bytes(unsigned char *data, size_t bytes, size_t size)
{
    for (size_t i = 0; i < bytes; i += size)
        for (size_t low = i, high = i + size - 1; low < high; ++low, --high) {
            const unsigned char kept = data[low];
            data[low] = data[high];
            data[high] = kept;
        }
}

/* The part before the elements; `*left` is how many bytes of the file follow it. */
static bool read_header(int file, uint64_t *left, npy_matrix *matrix, char *error)
{
    unsigned char prefix[PREFIX_SIZE + 2];
    if (*left < MAGIC_SIZE)
        return fail(error, *left ? "the file is too short to be a .npy file" : "the file is empty");
    const size_t first = *left < PREFIX_SIZE ? (size_t)*left : PREFIX_SIZE;
    if (!read_all(file, prefix, first, error))
        return false;
    if (memcmp(prefix, magic, MAGIC_SIZE) != 0)
        return fail(error, memcmp(prefix, "PK", 2) == 0
                               ? "this is a .npz archive; subwave takes single .npy files"
                               : "this is no .npy file: it does not begin with \\x93NUMPY");
    if (first < PREFIX_SIZE)
        return fail(error, "the file is truncated in its header");
    *left -= first;
    const int version = prefix[6];
    if (version < 1 || version > 3 || prefix[7] != 0)
        return fail(error, "the .npy version is %d.%d; subwave reads 1.0, 2.0 and 3.0", version,
                    prefix[7]);
    size_t length = prefix[8] | (size_t)prefix[9] << 8;
    if (version > 1) {
        if (*left < 2)
            return fail(error, "the file is truncated in its header");
        if (!read_all(file, prefix + PREFIX_SIZE, 2, error))
            return false;
        *left -= 2;
        length |= (size_t)prefix[10] << 16 | (size_t)prefix[11] << 24;
    }
    if (length > *left)
        return fail(error, "the file is truncated in its header");
    if (length > HEADER_LIMIT)
        return fail(error, "the header has %zu bytes; at most %d are read", length, HEADER_LIMIT);
    char *text = malloc(length + 1);
    if (!text)
        return fail(error, "no memory for a header of %zu bytes", length);
    const bool done =
        read_all(file, text, length, error) && parse_header(text, length, matrix, error);
    free(text);
    *left -= length;
    return done;
}

static bool read_file(int file, npy_matrix *matrix, char *error)
{
    struct stat about;
    if (fstat(file, &about) != 0)
        return fail(error, "cannot read: %s", strerror(errno));
    if (!S_ISREG(about.st_mode))
        return fail(error,
                    S_ISDIR(about.st_mode) ? "this is a directory" : "this is not a regular file");
    uint64_t left = (uint64_t)about.st_size;
    size_t bytes;
    if (!read_header(file, &left, matrix, error))
        return false;
    if (!npy_size(matrix, &bytes))
        return fail(error, "a shape of %" PRId64 " x %" PRId64 " exceeds the address space",
                    matrix->rows, matrix->columns);
    if (left != bytes)
        return fail(error,
                    "%s: %" PRId64 " x %" PRId64
                    " elements of %zu bytes are %zu bytes, but %" PRIu64 " follow the header",
                    left < bytes ? "the file is truncated" : "the file goes on after its matrix",
                    matrix->rows, matrix->columns, subwave_dtype_size(matrix->dtype), bytes, left);
    /* One byte at least: a matrix without elements is no failure. */
    matrix->data = malloc(bytes ? bytes : 1);
    if (!matrix->data)
        return fail(error, "no memory for %" PRId64 " x %" PRId64 " elements (%zu bytes)",
                    matrix->rows, matrix->columns, bytes);
    if (!read_all(file, matrix->data, bytes, error)) {
        free(matrix->data);
        matrix->data = NULL;
        return false;
    }
    const bool is_complex =
        matrix->dtype == SUBWAVE_DTYPE_C32 || matrix->dtype == SUBWAVE_DTYPE_C64;
    if (matrix->swapped) /* each part by itself */
        swap_bytes(matrix->data, bytes, subwave_dtype_size(matrix->dtype) / (is_complex ? 2 : 1));
    return true;
}

static bool read_path(const char *path, npy_matrix *matrix, char *error)
{
    /* Without O_NONBLOCK a named pipe would wait for a writer before it can be refused. */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return fail(error, "cannot open: %s", strerror(errno));
    const bool done = read_file(file, matrix, error);
    close(file);
    return done;
}

bool npy_read(const char *path, npy_matrix *matrix, char *error)
{
    *matrix = (npy_matrix){.is_array = false};
    return read_path(path, matrix, error);
}

bool npy_read_array(const char *path, npy_matrix *array, char *error)
{
    *array = (npy_matrix){.is_array = true};
    return read_path(path, array, error);
}

bool npy_read_flags(const char *path, npy_matrix *flags, char *error)
{
    *flags = (npy_matrix){.is_array = true, .is_flags = true};
    return read_path(path, flags, error);
}

/* --- writing --------------------------------------------------------------------------------- */

typedef struct target {
    char path[PATH_MAX]; /* links resolved */
    /* Beside it, since a rename cannot leave the file system. */
    char temporary[PATH_MAX + sizeof ".subwave-XXXXXX"];
    mode_t mode;
} target;

/* Replaces a path by what the links at its end lead to, which need not exist. */
static bool follow_links(char path[PATH_MAX])
{
    enum { MOST_LINKS = 40 }; /* as Linux has it */
    struct stat about;
    for (int i = 0; i < MOST_LINKS; ++i) {
        if (lstat(path, &about) != 0)
            return errno == ENOENT;
        if (!S_ISLNK(about.st_mode))
            return true;
        char link[PATH_MAX];
        const ssize_t length = readlink(path, link, sizeof link);
        if (length < 0)
            return false;
        char *const slash = strrchr(path, '/');
        const size_t folder = link[0] == '/' || !slash ? 0 : (size_t)(slash - path) + 1;
        if (folder + (size_t)length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return false;
        }
        memcpy(path + folder, link, (size_t)length);
        path[folder + (size_t)length] = '\0';
    }
    errno = ELOOP;
    return false;
}

static bool find_target(const char *path, target *t, char *error)
{
    struct stat about;
    if (strlen(path) >= sizeof t->path)
        return fail(error, "cannot write: %s", strerror(ENAMETOOLONG));
    strcpy(t->path, path);
    if (!follow_links(t->path))
        return fail(error, "cannot write: %s", strerror(errno));
    if (lstat(t->path, &about) == 0) {
        if (!S_ISREG(about.st_mode))
            return fail(error, S_ISDIR(about.st_mode) ? "cannot write: this is a directory"
                                                      : "cannot write: this is not a regular file");
        if (access(t->path, W_OK) != 0)
            return fail(error, "cannot write: %s", strerror(errno));
        t->mode = about.st_mode & 0777;
    } else if (errno != ENOENT) {
        return fail(error, "cannot write: %s", strerror(errno));
    } else {
        const mode_t mask = umask(0);
        umask(mask);
        t->mode = 0666 & ~mask;
    }
    const char *slash = strrchr(t->path, '/');
    const int folder = slash ? (int)(slash - t->path) + 1 : 0;
    const char *name = t->path + folder;
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return fail(error, "cannot write: %s",
                    *path ? "this names a directory" : "the name is empty");
    snprintf(t->temporary, sizeof t->temporary, "%.*s.", folder, t->path);
    if (access(t->temporary, W_OK | X_OK) != 0)
        return fail(error, "cannot write in the folder \"%.300s\": %s", t->temporary,
                    strerror(errno));
    snprintf(t->temporary, sizeof t->temporary, "%.*s.subwave-XXXXXX", folder, t->path);
    return true;
}

bool npy_check_target(const char *path, char *error)
{
    target t;
    return find_target(path, &t, error);
}

static bool write_all(int file, const void *data, size_t bytes)
{
    for (const char *at = data; bytes > 0;) {
        const ssize_t written = write(file, at, bytes < CHUNK ? bytes : CHUNK);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            at += written;
            bytes -= (size_t)written;
        }
    }
    return true;
}

static bool write_matrix(int file, const npy_matrix *matrix, size_t bytes)
{
    /* NumPy ends the header at a multiple of 64 with a newline, so that elements can be mapped. */
    char header[1024], text[900];
    const int64_t sizes[] = {matrix->rows, matrix->columns};
    const int dimensions = matrix->is_array ? matrix->dimensions : 2;
    int type = 0;
    while (types[type].dtype != matrix->dtype)
        ++type;
    int length = snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (",
                          subwave_dtype_size(matrix->dtype) == 1 ? '|'
                          : little_endian()                      ? '<'
                                                                 : '>',
                          types[type].name, matrix->fortran ? "True" : "False");
    /* A tuple of one number has a comma behind it. */
    for (int d = 0; d < dimensions; ++d)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%" PRId64 "%s",
                           d ? " " : "", matrix->is_array ? matrix->sizes[d] : sizes[d],
                           d + 1 < dimensions || dimensions == 1 ? "," : "");
    length += snprintf(text + length, sizeof text - (size_t)length, "), }");
    const size_t total = (PREFIX_SIZE + (size_t)length + 1 + 63) / 64 * 64;
    memset(header, ' ', total);
    memcpy(header, magic, MAGIC_SIZE);
    header[6] = 1;
    header[7] = 0;
    header[8] = (char)((total - PREFIX_SIZE) & 0xff);
    header[9] = (char)((total - PREFIX_SIZE) >> 8);
    memcpy(header + PREFIX_SIZE, text, (size_t)length);
    header[total - 1] = '\n';
    return write_all(file, header, total) && write_all(file, matrix->data, bytes);
}

/* Signals that would end the process between the temporary file's creation and its renaming are
 * acted upon after that. By handlers and not by a mask, which is of one thread: a GPU's runtime has
 * others. */
static const int held_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { HELD = sizeof held_signals / sizeof *held_signals };
static volatile sig_atomic_t came[HELD];

static void note_signal(int number)
{
    for (int i = 0; i < HELD; ++i)
        if (held_signals[i] == number)
            came[i] = 1;
}

static void hold_signals(struct sigaction *before)
{
    struct sigaction hold = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    sigemptyset(&hold.sa_mask);
    for (int i = 0; i < HELD; ++i) {
        came[i] = 0;
        sigaction(held_signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) /* as nohup has it */
            sigaction(held_signals[i], &hold, NULL);
    }
}

static void release_signals(const struct sigaction *before)
{
    for (int i = 0; i < HELD; ++i)
        sigaction(held_signals[i], &before[i], NULL);
    for (int i = 0; i < HELD; ++i)
        if (came[i])
            raise(held_signals[i]);
}

bool npy_write(const char *path, const npy_matrix *matrix, char *error)
{
    target t;
    size_t bytes;
    if (!find_target(path, &t, error))
        return false;
    if (!npy_size(matrix, &bytes))
        return fail(error, "cannot write: the shape exceeds the address space");
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is then an error of write() */
    struct sigaction before[HELD];
    hold_signals(before);
    const int file = mkstemp(t.temporary);
    bool done = file >= 0;
    if (done) {
        done = write_matrix(file, matrix, bytes) && fchmod(file, t.mode) == 0 && fsync(file) == 0;
        int code = errno;
        if (close(file) != 0 && done) {
            done = false;
            code = errno;
        }
        if (done && rename(t.temporary, t.path) != 0) {
            done = false;
            code = errno;
        }
        if (!done)
            unlink(t.temporary);
        errno = code;
    }
    if (!done)
        fail(error, "cannot write: %s", strerror(errno));
    release_signals(before);
    return done;
}
