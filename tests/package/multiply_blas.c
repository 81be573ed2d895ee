/* SPDX-License-Identifier: MIT
 * multiply_blas.c: a user's program in C: one small product, as of any BLAS.
 */
#include <stdio.h>

void cblas_dgemm(int layout, int transa, int transb, int m, int n, int k, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c,
                 int ldc);

int main(void)
{
    const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, right[] = {19, 22, 43, 50};
    double c[4];
    cblas_dgemm(101, 111, 111, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2); /* by rows, none transposed */
    for (int i = 0; i < 4; ++i)
        if (c[i] != right[i]) {
            printf("c[%d] is %g, not %g\n", i, c[i], right[i]);
            return 1;
        }
    printf("ok\n");
    return 0;
}
