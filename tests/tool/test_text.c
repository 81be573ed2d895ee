/* SPDX-License-Identifier: MIT
 * test_text.c: how numbers, times, sizes and JSON strings read.
 */
#include "text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

static void test_digits(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},          {12345.6, "12346"}, {100, "100"},     {99.96, "100"},
                 {99.94, "99.9"},   {12.34, "12.3"},    {9.994, "9.99"},  {9.996, "10.0"},
                 {1, "1.00"},       {0.1234, "0.123"},  {0.9996, "1.00"}, {-1.5, "-1.50"},
                 {1e-9, "0.000000"}};
    char text[TEXT_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        assert_string_equal(format_digits(text, cases[i].value), cases[i].text);
}

static void test_units(void **state)
{
    (void)state;
    char text[TEXT_SIZE];
    assert_string_equal(format_time(text, 75), "75.0 s");
    assert_string_equal(format_time(text, 0.9996), "1.00 s");
    assert_string_equal(format_time(text, 0.0125), "12.5 ms");
    assert_string_equal(format_time(text, 0.9996e-3), "1.00 ms");
    assert_string_equal(format_time(text, 4.5e-6), "4.50 us");
    assert_string_equal(format_time(text, 3e-10), "0.300 ns");
    assert_string_equal(format_time(text, 0), "0 ns");
    assert_string_equal(format_bytes(text, 512), "512 bytes");
    assert_string_equal(format_bytes(text, 1536), "1.5 KiB");
    assert_string_equal(format_bytes(text, (int64_t)139 << 30), "139.0 GiB");
    assert_string_equal(format_bytes(text, INT64_MAX), "8388608.0 TiB");
}

static void test_json(void **state)
{
    (void)state;
    char text[64] = "";
    FILE *file = tmpfile();
    assert_non_null(file);
    print_json(file, "a \"b\" \\ \n\x1f \xc3\xa9");
    rewind(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "\"a \\\"b\\\" \\\\ \\u000a\\u001f \xc3\xa9\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
