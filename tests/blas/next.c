/* SPDX-License-Identifier: MIT
 * next.c: a BLAS that another one calls: its dgemm_ gives -1 for every element, so that its work is
 * recognised. It has no zgemm_.
 */
#include <stdio.h>
#include <stdlib.h>

__attribute__((visibility("default"))) void
dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
       const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
       const double *beta, double *c, const int *ldc, size_t transa_length, size_t transb_length)
{
    if (*transa != 'N' || *transb != 'N' || transa_length != 1 || transb_length != 1 ||
        *k != *lda || *k != *ldb || a[0] * b[0] != 2 || *alpha != 1 || (*beta != 0 && *beta != 1)) {
        fprintf(stderr, "next: the arguments have changed\n");
        exit(3);
    }
    for (int j = 0; j < *n; ++j)
        for (int i = 0; i < *m; ++i)
            c[i + j * *ldc] = -1;
}
