/* SPDX-License-Identifier: MIT
 * test_npy.c: the reader and writer of .npy files, header by header, and with mutated headers.
 */
#include "npy.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool parse(const char *text, npy_matrix *matrix, char *error)
{
    strcpy(error, "");
    return npy_parse_header(text, strlen(text), matrix, error);
}

static void test_headers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        subwave_dtype dtype;
        bool fortran, swapped; /* swapped: on a little-endian machine */
        int64_t rows, columns;
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n", SUBWAVE_DTYPE_F32,
         false, false, 3, 4},
        {"{'descr': '>f4', 'fortran_order': True, 'shape': (3, 4), }\n", SUBWAVE_DTYPE_F32, true,
         true, 3, 4},
        {"{'shape': (0, 7), 'fortran_order': False, 'descr': '<f8'}", SUBWAVE_DTYPE_F64, false,
         false, 0, 7},
        {"{\"descr\":\">f8\",\"shape\":(3L,4L,),\"fortran_order\":True}", SUBWAVE_DTYPE_F64, true,
         true, 3, 4},
        {" { 'descr' : '=f8' , 'fortran_order' : False , 'shape' : ( 1 , 1 ) } ", SUBWAVE_DTYPE_F64,
         false, false, 1, 1},
        {"{'descr': '|i1', 'fortran_order': False, 'shape': (5, 2), }", SUBWAVE_DTYPE_I8, false,
         false, 5, 2},
        {"{'descr': '>i4', 'fortran_order': False, 'shape': (5, 2), }", SUBWAVE_DTYPE_I32, false,
         true, 5, 2},
        {"{'descr': 'f8', 'fortran_order': False, 'shape': (9223372036854775807, 0)}",
         SUBWAVE_DTYPE_F64, false, false, INT64_MAX, 0},
    };
    const union {
        uint16_t word;
        uint8_t first;
    } endian = {1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        npy_matrix found;
        char error[NPY_ERROR_SIZE];
        if (!parse(cases[i].text, &found, error))
            fail_msg("%s: %s", cases[i].text, error);
        assert_int_equal(found.dtype, cases[i].dtype);
        assert_int_equal(found.fortran, cases[i].fortran);
        assert_int_equal(found.rows, cases[i].rows);
        assert_int_equal(found.columns, cases[i].columns);
        if (endian.first)
            assert_int_equal(found.swapped, cases[i].swapped);
    }
}

static void test_bad_headers(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"", "no dictionary"},
        {"   \n", "no dictionary"},
        {"(3, 4)", "no dictionary"},
        {"{", "malformed"},
        {"{}", "no 'descr'"},
        {"{'descr'", "malformed"},
        {"{'descr':", "not a short string"},
        {"{'descr': '<f4", "not a short string"},
        {"{descr: '<f4'}", "malformed"},
        {"{'descr': '<f4' 'shape': (1, 1)}", "malformed"},
        {"{'descr': '<f4', 'shape': (1, 1)}", "no 'fortran_order'"},
        {"{'descr': '<f4', 'fortran_order': False}", "no 'shape'"},
        {"{'descr': '<f4', 'descr': '<f4'}", "'descr' twice"},
        {"{'descr': '<f4', 'order': 'C'}", "unknown key 'order'"},
        {"{'descr': '<f16'}", "the elements are '<f16'"},
        {"{'descr': '<i2'}", "the elements are '<i2'"},
        {"{'descr': '<c4'}", "the elements are '<c4'"},
        {"{'descr': '|O'}", "the elements are '|O'"},
        {"{'descr': ''}", "the elements are ''"},
        {"{'descr': '<f44'}", "the elements are '<f44'"},
        {"{'descr': '<<f4'}", "the elements are '<<f4'"},
        {"{'descr': [('x', '<f4')]}", "structures"},
        {"{'descr': '\\x3cf4'}", "not a short string"},
        {"{'descr': 4}", "not a short string"},
        {"{'fortran_order': 0}", "neither True nor False"},
        {"{'fortran_order': 'False'}", "neither True nor False"},
        {"{'shape': 4}", "not a tuple"},
        {"{'shape': [3, 4]}", "not a tuple"},
        {"{'shape': ()}", "0 dimensions"},
        {"{'shape': (3,)}", "1 dimension;"},
        {"{'shape': (3, 4, 5)}", "3 dimensions"},
        {"{'shape': (-3, 4)}", "negative"},
        {"{'shape': (3, -4)}", "negative"},
        {"{'shape': (3, 4.0)}", "not a tuple of numbers"},
        {"{'shape': (3, 0x4)}", "not a tuple of numbers"},
        {"{'shape': (3,, 4)}", "not a tuple of numbers"},
        {"{'shape': (3 4)}", "not a tuple of numbers"},
        {"{'shape': (3, 4", "not a tuple of numbers"},
        {"{'shape': (3, True)}", "not a tuple of numbers"},
        {"{'shape': (3, 9223372036854775808)}", "beyond 64 bits"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)} x", "goes on"},
        {"{'descr': '<f4', 'fortran_order': Falsey, 'shape': (3, 4)}", "malformed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        npy_matrix found;
        char error[NPY_ERROR_SIZE];
        if (parse(cases[i].text, &found, error))
            fail_msg("accepted: %s", cases[i].text);
        if (!strstr(error, cases[i].reason))
            fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].text, error, cases[i].reason);
    }
    npy_matrix found;
    char error[NPY_ERROR_SIZE];
    static const char zero[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)}\0";
    assert_false(npy_parse_header(zero, sizeof zero, &found, error));
    assert_non_null(strstr(error, "goes on"));
}

/* Whatever a header holds: no access outside it (its copy ends where the heap block ends), and
 * either a whole matrix or a reason. */
static void test_mutated_headers(void **state)
{
    (void)state;
    static const char good[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (12, 345), }  \n";
    static const char bits[] = "{}()[]'\":,-<>=|L0123456789fTrueFalse \\\n\t";
    const unsigned seed = 20261121;
    print_message("seed %u\n", seed);
    srand(seed);
    int accepted = 0;
    for (int round = 0; round < 200000; ++round) {
        const size_t length = (size_t)rand() % 8 ? sizeof good - 1 : (size_t)rand() % sizeof good;
        char *text = malloc(length + !length);
        assert_non_null(text);
        memcpy(text, good, length);
        for (int changes = rand() % 4; length && changes > 0; --changes) {
            const size_t at = (size_t)rand() % length;
            if (rand() % 3)
                text[at] = bits[(size_t)rand() % sizeof bits];
            else if (rand() % 2)
                text[at] = (char)rand();
            else
                memmove(text + at, text + (size_t)rand() % (at + 1), length - at);
        }
        npy_matrix found;
        char error[NPY_ERROR_SIZE] = "";
        if (npy_parse_header(text, length, &found, error)) {
            ++accepted;
            assert_true(found.dtype == SUBWAVE_DTYPE_F16 || found.dtype == SUBWAVE_DTYPE_F32 ||
                        found.dtype == SUBWAVE_DTYPE_F64);
            assert_true(found.rows >= 0 && found.columns >= 0 && !found.data);
        } else {
            assert_true(error[0] != 0 && memchr(error, 0, sizeof error));
        }
        free(text);
    }
    assert_true(accepted > 1000 && accepted < 199000); /* both outcomes were reached */
}

static void test_size_overflow(void **state)
{
    (void)state;
    size_t bytes = 1;
    npy_matrix matrix = {.dtype = SUBWAVE_DTYPE_F64, .rows = INT64_MAX, .columns = 0};
    assert_true(npy_size(&matrix, &bytes));
    assert_int_equal(bytes, 0);
    matrix.columns = 1;
    assert_false(npy_size(&matrix, &bytes));
    matrix = (npy_matrix){
        .dtype = SUBWAVE_DTYPE_F64, .rows = (int64_t)1 << 30, .columns = (int64_t)1 << 30};
    assert_false(npy_size(&matrix, &bytes));
    matrix.columns = 1 << 29;
    assert_true(npy_size(&matrix, &bytes));
    assert_true(bytes == (size_t)1 << 62);
}

static void test_round_trip(void **state)
{
    (void)state;
    double f64[6] = {1, -2.5, 1e300, 4, -0.0, 6};
    float f32[6] = {1, -2.5f, 1e30f, 4, -0.0f, 6};
    int32_t i32[6] = {1, -2, INT32_MAX, INT32_MIN, 0, 6};
    const struct {
        subwave_dtype dtype;
        void *data;
        size_t bytes;
    } kinds[] = {{SUBWAVE_DTYPE_F64, f64, sizeof f64},
                 {SUBWAVE_DTYPE_F32, f32, sizeof f32},
                 {SUBWAVE_DTYPE_I32, i32, sizeof i32}};
    char name[] = "subwave-test-XXXXXX";
    const int file = mkstemp(name);
    assert_true(file >= 0);
    close(file);
    for (int i = 0; i < 6; ++i) {
        npy_matrix matrix = {.dtype = kinds[i / 2].dtype,
                             .rows = 2,
                             .columns = 3,
                             .fortran = i % 2,
                             .data = kinds[i / 2].data};
        npy_matrix found;
        char error[NPY_ERROR_SIZE] = "";
        const bool written = npy_write(name, &matrix, error);
        const bool read = written && npy_read(name, &found, error);
        if (!read)
            fail_msg("%s", error);
        assert_int_equal(found.dtype, matrix.dtype);
        assert_int_equal(found.fortran, matrix.fortran);
        assert_int_equal(found.rows, 2);
        assert_int_equal(found.columns, 3);
        assert_memory_equal(found.data, matrix.data, kinds[i / 2].bytes);
        free(found.data);
        const int next = dup(STDIN_FILENO); /* as before: no file stayed open */
        assert_int_equal(next, file);
        close(next);
    }
    unlink(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),         cmocka_unit_test(test_bad_headers),
        cmocka_unit_test(test_mutated_headers), cmocka_unit_test(test_size_overflow),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
