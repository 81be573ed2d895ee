/* SPDX-License-Identifier: MIT
 * check.c: what DBCSR does with its accelerator interface, for a few shapes: blocks of B are
 * transposed, a stack of products is added to the blocks of C, and the result is compared with plain
 * loops. All numbers are small integers, so that it must be equal.
 */
#include <acc_libsmm.h>

#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 20, ENTRIES = 300, MOST_DIM = 80 };

static void require(int status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "%s failed\n", what);
    exit(1);
}
#define REQUIRE(call) require(call, #call)

/* Fills n elements with -4 to 4, the same ones each time. */
static void fill(double *x, int n, unsigned seed)
{
    for (int i = 0; i < n; ++i) {
        seed = seed * 1664525 + 1013904223;
        x[i] = (double)(int)(seed >> 24) / 255 * 8 - 4;
        x[i] = (double)(int)x[i];
    }
}

/* The wrong elements of C, of one shape. */
static int check(int m, int n, int k)
{
    const size_t bytes_a = sizeof(double) * BLOCKS * (size_t)(m * k),
                 bytes_b = sizeof(double) * BLOCKS * (size_t)(k * n),
                 bytes_c = sizeof(double) * BLOCKS * (size_t)(m * n),
                 bytes_stack = sizeof(int) * 3 * ENTRIES, bytes_list = sizeof(int) * BLOCKS;
    double *a, *b, *c, *wanted = malloc(bytes_c);
    int *stack, *list;
    void *stream, *event, *on_a, *on_b, *on_c, *on_stack, *on_list;
    int wrong = 0;
    require(wanted ? 0 : -1, "malloc");
    REQUIRE(c_dbcsr_acc_stream_create(&stream, "check", -1));
    REQUIRE(c_dbcsr_acc_event_create(&event));
    REQUIRE(c_dbcsr_acc_host_mem_allocate((void **)&a, bytes_a, stream));
    REQUIRE(c_dbcsr_acc_host_mem_allocate((void **)&b, bytes_b, stream));
    REQUIRE(c_dbcsr_acc_host_mem_allocate((void **)&c, bytes_c, stream));
    REQUIRE(c_dbcsr_acc_host_mem_allocate((void **)&stack, bytes_stack, stream));
    REQUIRE(c_dbcsr_acc_host_mem_allocate((void **)&list, bytes_list, stream));
    REQUIRE(c_dbcsr_acc_dev_mem_allocate(&on_a, bytes_a));
    REQUIRE(c_dbcsr_acc_dev_mem_allocate(&on_b, bytes_b));
    REQUIRE(c_dbcsr_acc_dev_mem_allocate(&on_c, bytes_c));
    REQUIRE(c_dbcsr_acc_dev_mem_allocate(&on_stack, bytes_stack));
    REQUIRE(c_dbcsr_acc_dev_mem_allocate(&on_list, bytes_list));
    fill(a, BLOCKS * m * k, 1);
    fill(b, BLOCKS * k * n, 2);
    fill(wanted, BLOCKS * m * n, 0);
    for (int i = 0; i < BLOCKS * m * n; ++i)
        wanted[i] = 0;
    for (int i = 0; i < BLOCKS; ++i)
        list[i] = i * k * n;
    for (int e = 0; e < ENTRIES; ++e) {
        const int of_a = 7 * e % BLOCKS, of_b = (5 * e + e / 3) % BLOCKS, of_c = e / 16 % BLOCKS;
        stack[3 * e] = of_a * m * k + 1;
        stack[3 * e + 1] = of_b * k * n + 1;
        stack[3 * e + 2] = of_c * m * n + 1;
        for (int j = 0; j < n; ++j)
            for (int l = 0; l < k; ++l)
                for (int i = 0; i < m; ++i)
                    wanted[of_c * m * n + j * m + i] +=
                        a[of_a * m * k + l * m + i] * b[of_b * k * n + j * k + l];
    }
    REQUIRE(c_dbcsr_acc_memcpy_h2d(a, on_a, bytes_a, stream));
    REQUIRE(c_dbcsr_acc_memcpy_h2d(b, on_b, bytes_b, stream));
    REQUIRE(c_dbcsr_acc_memcpy_h2d(stack, on_stack, bytes_stack, stream));
    REQUIRE(c_dbcsr_acc_memcpy_h2d(list, on_list, bytes_list, stream));
    REQUIRE(c_dbcsr_acc_memset_zero(on_c, 0, bytes_c, stream));
    REQUIRE(
        libsmm_acc_transpose(on_list, 0, BLOCKS, on_b, dbcsr_type_real_8, k, n, MOST_DIM, stream));
    REQUIRE(libsmm_acc_process(stack, on_stack, ENTRIES, dbcsr_type_real_8, on_a, on_b, on_c, m, n,
                               k, MOST_DIM, 1, stream, stream));
    REQUIRE(c_dbcsr_acc_memcpy_d2h(on_c, c, bytes_c, stream));
    REQUIRE(c_dbcsr_acc_event_record(event, stream));
    REQUIRE(c_dbcsr_acc_event_synchronize(event));
    for (int i = 0; i < BLOCKS * m * n; ++i)
        wrong += c[i] != wanted[i];

    const int size = m * n;
    float norm = -1;
    double sum = 0;
    int *one_block;
    void *on_norm;
    REQUIRE(c_dbcsr_acc_host_mem_allocate((void **)&one_block, 2 * sizeof *one_block, stream));
    REQUIRE(c_dbcsr_acc_dev_mem_allocate(&on_norm, sizeof norm));
    one_block[0] = size; /* the second block of C */
    one_block[1] = size;
    REQUIRE(c_dbcsr_acc_memcpy_h2d(one_block, on_list, 2 * sizeof *one_block, stream));
    REQUIRE(c_calculate_norms(on_c, 1, on_list, (int *)on_list + 1, on_norm, stream));
    REQUIRE(c_dbcsr_acc_memcpy_d2h(on_norm, &norm, sizeof norm, stream));
    REQUIRE(c_dbcsr_acc_stream_sync(stream));
    for (int i = 0; i < size; ++i)
        sum += wanted[size + i] * wanted[size + i];
    wrong += norm != (float)sum;

    REQUIRE(c_dbcsr_acc_dev_mem_deallocate(on_norm));
    REQUIRE(c_dbcsr_acc_host_mem_deallocate(one_block, stream));
    void *const on_device[] = {on_a, on_b, on_c, on_stack, on_list};
    void *const on_host[] = {a, b, c, stack, list};
    for (int i = 0; i < 5; ++i) {
        REQUIRE(c_dbcsr_acc_dev_mem_deallocate(on_device[i]));
        REQUIRE(c_dbcsr_acc_host_mem_deallocate(on_host[i], stream));
    }
    REQUIRE(c_dbcsr_acc_event_destroy(event));
    REQUIRE(c_dbcsr_acc_stream_destroy(stream));
    free(wanted);
    return wrong;
}

int main(void)
{
    static const int shapes[][3] = {{23, 23, 23}, {5, 13, 26}, {1, 1, 1},
                                    {4, 9, 4},    {80, 3, 80}, {3, 90, 7}};
    int wrong = 0;
    REQUIRE(c_dbcsr_acc_init());
    REQUIRE(libsmm_acc_init());
    for (int s = 0; s < 6; ++s) {
        const int now = check(shapes[s][0], shapes[s][1], shapes[s][2]);
        printf("%d x %d x %d, %d products in %d blocks: %d elements wrong\n", shapes[s][0],
               shapes[s][1], shapes[s][2], ENTRIES, BLOCKS, now);
        wrong += now;
    }
    REQUIRE(c_dbcsr_acc_device_synchronize());
    REQUIRE(libsmm_acc_finalize());
    REQUIRE(c_dbcsr_acc_finalize());
    return wrong == 0 ? 0 : 1;
}
