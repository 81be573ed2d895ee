/* SPDX-License-Identifier: MIT
 * test_faults.c: what the library says when memory runs out or a launch fails. The program holds
 * the library's own objects, so that the linker can put the functions below (--wrap) in others'
 * places.
 */
#include "../harness.h"

#include "../../hip/kernels.h"
#include "../../src/cpu/cpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* --- functions that fail on demand ----------------------------------------------------------- */

static int failing_allocation = -1; /* counted down; the one at 0 fails */
static bool maps_fail;
enum { LAUNCH_AS_IT_IS = -100, LAUNCH_NOTHING = 0 };
static int launch_code = LAUNCH_AS_IT_IS;

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return failing_allocation-- == 0 ? NULL : __real_calloc(count, size);
}

int __real_posix_memalign(void **pointer, size_t alignment, size_t size);
int __wrap_posix_memalign(void **pointer, size_t alignment, size_t size)
{
    return failing_allocation-- == 0 ? ENOMEM : __real_posix_memalign(pointer, alignment, size);
}

void *__real_mmap(void *address, size_t length, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    errno = ENOMEM;
    return maps_fail ? MAP_FAILED : __real_mmap(address, length, protection, flags, file, offset);
}

int launch_barrier_for_three(void *stream);
int __real_subwave_cpu_matmul_naive_F32(const void *launch, void *stream);
int __wrap_subwave_cpu_matmul_naive_F32(const void *launch, void *stream)
{
    if (launch_code == LAUNCH_AS_IT_IS)
        return __real_subwave_cpu_matmul_naive_F32(launch, stream);
    return launch_code == SUBWAVE_CPU_KERNEL_ERROR ? launch_barrier_for_three(stream) : launch_code;
}

/* --- tests ----------------------------------------------------------------------------------- */

/* c = 2 x 3; 6 when it was computed, -1 when nothing was written. */
static subwave_status multiply(subwave_context *context, float *c)
{
    const float two = 2, three = 3, one = 1, zero = 0;
    *c = -1;
    return subwave_matmul(context, SUBWAVE_VARIANT_NAIVE, SUBWAVE_DTYPE_F32,
                          SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE,
                          1, 1, 1, &one, &two, 1, &three, 1, &zero, c, 1);
}

static void check_text(const subwave_context *context, const char *expected)
{
    const char *text = subwave_last_error(context);
    if (!strstr(text, expected))
        fail_msg("\"%s\" does not hold \"%s\"", text, expected);
}

/* First, since later launches have their stacks already. */
static void test_no_stacks(void **state)
{
    float c;
    maps_fail = true;
    const subwave_status status = multiply(*state, &c);
    maps_fail = false;
    assert_string_equal(subwave_status_name(status), "OUT_OF_MEMORY");
    assert_true(strlen(subwave_last_error(*state)) > 10);
    assert_true(c == -1);
    assert_ok(*state, multiply(*state, &c));
    assert_true(c == 6);
}

/* Each allocation of a context's creation in turn. */
static void test_no_context(void **state)
{
    (void)state;
    int failures = 0;
    for (;; ++failures) {
        subwave_context *context = (subwave_context *)&failures;
        failing_allocation = failures;
        const subwave_status status = subwave_context_create(&context, "cpu:16");
        const bool failed = failing_allocation < 0;
        failing_allocation = -1;
        if (!failed) {
            assert_ok(NULL, status);
            assert_ok(NULL, subwave_context_destroy(&context));
            break;
        }
        assert_string_equal(subwave_status_name(status), "OUT_OF_MEMORY");
        assert_null(context);
        check_text(NULL, "no memory for");
    }
    assert_int_equal(failures, 3);
}

static void test_no_memory(void **state)
{
    void *pointer = state;
    failing_allocation = 0;
    const subwave_status status = subwave_malloc(*state, &pointer, 100);
    failing_allocation = -1;
    assert_string_equal(subwave_status_name(status), "OUT_OF_MEMORY");
    check_text(*state, "no memory for 100 bytes");
    assert_ptr_equal(pointer, state);
}

/* Of an event, each allocation in turn. */
static void test_no_event(void **state)
{
    for (int failures = 0; failures < 2; ++failures) {
        subwave_event *event = (subwave_event *)state;
        failing_allocation = failures;
        const subwave_status status = subwave_event_create(*state, &event);
        failing_allocation = -1;
        assert_string_equal(subwave_status_name(status), "OUT_OF_MEMORY");
        check_text(*state, "no memory for an event");
        assert_ptr_equal(event, state);
    }
}

static subwave_status multiply_with(subwave_context *context, int code, float *c)
{
    launch_code = code;
    const subwave_status status = multiply(context, c);
    launch_code = LAUNCH_AS_IT_IS;
    return status;
}

static void test_launches(void **state)
{
    float c;
    assert_int_equal(multiply_with(*state, SUBWAVE_CPU_KERNEL_ERROR, &c),
                     SUBWAVE_STATUS_KERNEL_ERROR);
    check_text(*state, "barrier_for_three");
    check_text(*state, "faulty.hip:12");
    assert_int_equal(multiply_with(*state, SUBWAVE_CPU_INVALID_CONFIGURATION, &c),
                     SUBWAVE_STATUS_KERNEL_ERROR);
    assert_int_equal(multiply_with(*state, SUBWAVE_CPU_OUT_OF_MEMORY, &c),
                     SUBWAVE_STATUS_OUT_OF_MEMORY);
    assert_int_equal(multiply_with(*state, SUBWAVE_NO_KERNEL, &c), SUBWAVE_STATUS_KERNEL_ERROR);
    check_text(*state, "no kernel is built for naive of f32 on cpu:8");
    assert_true(c == -1);
    /* The context is as good as before. */
    assert_ok(*state, multiply(*state, &c));
    assert_true(c == 6);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_stacks), cmocka_unit_test(test_no_context),
        cmocka_unit_test(test_no_memory), cmocka_unit_test(test_no_event),
        cmocka_unit_test(test_launches),
    };
    return harness_run("faults", tests, sizeof tests / sizeof *tests);
}
