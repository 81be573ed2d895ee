/* SPDX-License-Identifier: MIT
 * multiply.c: a user's program that multiplies, or calls wrongly, and says what it got:
 * multiply plain N [TIMES [LIBRARY]] | batch N TIMES | complex N | wrong-fortran | wrong-c |
 * wrong-rows. A LIBRARY is loaded first, for nobody else to see.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_MAJOR = 101, COLUMN_MAJOR = 102, NO_TRANSPOSE = 111 };
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *, size_t, size_t);
void zgemm_(const char *, const char *, const int *, const int *, const int *, const void *,
            const void *, const int *, const void *, const int *, const void *, void *, const int *,
            size_t, size_t);
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int,
                 double, double *, int);
void cblas_dgemm_batch_strided(int, int, int, int, int, int, double, const double *, int, int,
                               const double *, int, int, double, double *, int, int, int);

int main(int argc, char **argv)
{
    enum { MOST = 64, ENTRIES = 4 };
    static double a[ENTRIES * MOST * MOST], b[ENTRIES * MOST * MOST], c[2 * ENTRIES * MOST * MOST];
    const char *const what = argc > 1 ? argv[1] : "";
    const int n = argc > 2 ? atoi(argv[2]) : 2, times = argc > 3 ? atoi(argv[3]) : 1, none = 0;
    if (n < 1 || n > MOST || times < 1 || times > ENTRIES)
        return 2;
    if (argc > 4 && !dlopen(argv[4], RTLD_LAZY | RTLD_LOCAL))
        return 2;
    const double one[] = {1, 0}, zero[] = {0, 0};
    for (int i = 0; i < ENTRIES * MOST * MOST; ++i) {
        a[i] = 1;
        b[i] = 2;
    }
    if (strcmp(what, "plain") == 0)
        for (int i = 0; i < times; ++i)
            dgemm_("N", "N", &n, &n, &n, one, a, &n, b, &n, zero, c + i * n * n, &n, 1, 1);
    else if (strcmp(what, "batch") == 0)
        cblas_dgemm_batch_strided(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, n, n, n, 1, a, n, n * n, b,
                                  n, n * n, 0, c, n, n * n, times);
    else if (strcmp(what, "complex") == 0)
        zgemm_("N", "N", &n, &n, &n, one, a, &n, b, &n, zero, c, &n, 1, 1);
    else if (strcmp(what, "wrong-fortran") == 0)
        dgemm_("N", "N", &n, &n, &n, one, a, &n, b, &none, zero, c, &n, 1, 1);
    else if (strcmp(what, "wrong-c") == 0)
        cblas_dgemm(COLUMN_MAJOR, 7, NO_TRANSPOSE, n, n, n, 1, a, n, b, n, 0, c, n);
    else if (strcmp(what, "wrong-rows") == 0)
        cblas_dgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, n, n, n, 1, a, n, b, 0, 0, c, n);
    else
        return 2;
    for (int i = 0; i < times; ++i)
        printf("%g %g\n", c[i * n * n], c[(i + 1) * n * n - 1]);
    return 0;
}
