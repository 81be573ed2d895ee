/* SPDX-License-Identifier: MIT
 * gemm.c: the functions that libsubwave_blas exports, for Fortran and for C, and their arguments.
 */
#include "blas.h"

/* X(letter, name, scalar of Fortran, scalar of C, how C's is pointed to, dtype) */
#define TYPE_LIST(X) \
    X(s, "S", float, float, &, F32) \
    X(d, "D", double, double, &, F64) \
    X(c, "C", void, const void *, , C32) \
    X(z, "Z", void, const void *, , C64)

/* Values of cblas.h, which is the program's own. */
enum { ROW_MAJOR = 101, COLUMN_MAJOR = 102, NO_TRANSPOSE = 111, TRANSPOSE, CONJUGATE };

/* --- checks ---------------------------------------------------------------------------------- */

/* Numbers of the arguments, as Fortran counts them, without and with strides. */
typedef struct numbers {
    int lda, ldb, ldc, stride_c, batch;
} numbers;
static const numbers plain_numbers = {8, 10, 13, 0, 0}, strided_numbers = {8, 11, 15, 16, 17};

static int64_t one_or_more(int64_t x) { return x > 1 ? x : 1; }

/* The first that is wrong, or 0. `is_strided`: there are several matrices of C, which must not
 * overlap. */
static int wrong_argument(const subwave_blas_product *p, bool is_strided)
{
    const numbers *const at = is_strided ? &strided_numbers : &plain_numbers;
    const bool a_flipped = p->transpose_a != SUBWAVE_TRANSPOSE_NONE,
               b_flipped = p->transpose_b != SUBWAVE_TRANSPOSE_NONE;
    if (!p->transpose_a)
        return 1;
    if (!p->transpose_b)
        return 2;
    if (p->m < 0)
        return 3;
    if (p->n < 0)
        return 4;
    if (p->k < 0)
        return 5;
    if (p->a.ld < one_or_more(a_flipped ? p->k : p->m))
        return at->lda;
    if (p->b.ld < one_or_more(b_flipped ? p->n : p->k))
        return at->ldb;
    if (p->c.ld < one_or_more(p->m))
        return at->ldc;
    const int64_t apart = p->c.stride < 0 ? -p->c.stride : p->c.stride;
    if (p->batch > 1 && p->m > 0 && p->n > 0 && apart < (p->n - 1) * p->c.ld + p->m)
        return at->stride_c;
    return p->batch < 0 ? at->batch : 0;
}

static bool is_empty(const subwave_blas_product *p)
{
    return p->m == 0 || p->n == 0 || p->batch == 0;
}

/* --- Fortran --------------------------------------------------------------------------------- */

static subwave_transpose_kind transpose_of_letter(char letter)
{
    switch (letter) {
    case 'n':
    case 'N':
        return SUBWAVE_TRANSPOSE_NONE;
    case 't':
    case 'T':
        return SUBWAVE_TRANSPOSE_YES;
    case 'c':
    case 'C':
        return SUBWAVE_TRANSPOSE_CONJUGATE;
    default:
        return (subwave_transpose_kind)0;
    }
}

static void call_from_fortran(const char *routine, bool is_strided, const subwave_blas_product *p)
{
    const int wrong = wrong_argument(p, is_strided);
    if (wrong)
        subwave_blas_xerbla(routine, wrong);
    else if (!is_empty(p))
        subwave_blas_compute(routine, p);
}

/* The lengths of the texts, which Fortran's compilers pass behind the other arguments, are not
 * needed, and C programs do not pass them. */
#define DEFINE(letter, name, scalar, c_scalar, address, type) \
    SUBWAVE_API void letter##gemm_(const char *transa, const char *transb, const int *m, \
                                   const int *n, const int *k, const scalar *alpha, \
                                   const scalar *a, const int *lda, const scalar *b, \
                                   const int *ldb, const scalar *beta, scalar *c, const int *ldc) \
    { \
        call_from_fortran(name "GEMM", false, \
                          &(subwave_blas_product){.dtype = SUBWAVE_DTYPE_##type, \
                                                  .transpose_a = transpose_of_letter(*transa), \
                                                  .transpose_b = transpose_of_letter(*transb), \
                                                  .m = *m, \
                                                  .n = *n, \
                                                  .k = *k, \
                                                  .alpha = alpha, \
                                                  .beta = beta, \
                                                  .a = {(void *)a, *lda, 0}, \
                                                  .b = {(void *)b, *ldb, 0}, \
                                                  .c = {c, *ldc, 0}, \
                                                  .batch = 1}); \
    }
TYPE_LIST(DEFINE)
#undef DEFINE

#define DEFINE(letter, name, scalar, c_scalar, address, type) \
    SUBWAVE_API void letter##gemm_batch_strided_( \
        const char *transa, const char *transb, const int *m, const int *n, const int *k, \
        const scalar *alpha, const scalar *a, const int *lda, const int *stridea, const scalar *b, \
        const int *ldb, const int *strideb, const scalar *beta, scalar *c, const int *ldc, \
        const int *stridec, const int *batch_size) \
    { \
        call_from_fortran(name "GEMM_BATCH_STRIDED", true, \
                          &(subwave_blas_product){.dtype = SUBWAVE_DTYPE_##type, \
                                                  .transpose_a = transpose_of_letter(*transa), \
                                                  .transpose_b = transpose_of_letter(*transb), \
                                                  .m = *m, \
                                                  .n = *n, \
                                                  .k = *k, \
                                                  .alpha = alpha, \
                                                  .beta = beta, \
                                                  .a = {(void *)a, *lda, *stridea}, \
                                                  .b = {(void *)b, *ldb, *strideb}, \
                                                  .c = {c, *ldc, *stridec}, \
                                                  .batch = *batch_size}); \
    }
TYPE_LIST(DEFINE)
#undef DEFINE

/* --- C --------------------------------------------------------------------------------------- */

static subwave_transpose_kind transpose_of_value(int value)
{
    return value == NO_TRANSPOSE ? SUBWAVE_TRANSPOSE_NONE
           : value == TRANSPOSE  ? SUBWAVE_TRANSPOSE_YES
           : value == CONJUGATE  ? SUBWAVE_TRANSPOSE_CONJUGATE
                                 : (subwave_transpose_kind)0;
}

/* What C counts, of what Fortran does: the layout comes first, and by rows A and B have changed
 * places. */
static int number_in_c(int number, bool row_major, bool is_strided)
{
    const numbers *const at = is_strided ? &strided_numbers : &plain_numbers;
    if (row_major) {
        const int m = 3, n = 4;
        number = number == m         ? n
                 : number == n       ? m
                 : number == at->lda ? at->ldb
                 : number == at->ldb ? at->lda
                                     : number;
    }
    return number + 1;
}

/* `given` is by columns, whatever the layout says. */
static void call_from_c(const char *routine, bool is_strided, int layout, int transa, int transb,
                        const subwave_blas_product *given)
{
    const bool row_major = layout == ROW_MAJOR;
    subwave_blas_product p = *given;
    p.transpose_a = transpose_of_value(transa);
    p.transpose_b = transpose_of_value(transb);
    if (!row_major && layout != COLUMN_MAJOR) {
        subwave_blas_cblas_xerbla(routine, 1, false, "layout", layout);
        return;
    }
    if (!p.transpose_a) {
        subwave_blas_cblas_xerbla(routine, 2, row_major, "TransA", transa);
        return;
    }
    if (!p.transpose_b) {
        subwave_blas_cblas_xerbla(routine, 3, row_major, "TransB", transb);
        return;
    }
    if (row_major) {
        /* A matrix by rows is its transpose by columns: C^T = op(B)^T op(A)^T. */
        const subwave_blas_product q = p;
        p.transpose_a = q.transpose_b;
        p.transpose_b = q.transpose_a;
        p.m = q.n;
        p.n = q.m;
        p.a = q.b;
        p.b = q.a;
    }
    const int wrong = wrong_argument(&p, is_strided);
    if (wrong)
        subwave_blas_cblas_xerbla(routine, number_in_c(wrong, row_major, is_strided), row_major, "",
                                  0);
    else if (!is_empty(&p))
        subwave_blas_compute(routine, &p);
}

#define CBLAS_NAME(letter) "cblas_" #letter "gemm"

#define DEFINE(letter, name, scalar, c_scalar, address, type) \
    SUBWAVE_API void cblas_##letter##gemm( \
        int layout, int transa, int transb, int m, int n, int k, c_scalar alpha, const scalar *a, \
        int lda, const scalar *b, int ldb, c_scalar beta, scalar *c, int ldc) \
    { \
        call_from_c(CBLAS_NAME(letter), false, layout, transa, transb, \
                    &(subwave_blas_product){.dtype = SUBWAVE_DTYPE_##type, \
                                            .m = m, \
                                            .n = n, \
                                            .k = k, \
                                            .alpha = address alpha, \
                                            .beta = address beta, \
                                            .a = {(void *)a, lda, 0}, \
                                            .b = {(void *)b, ldb, 0}, \
                                            .c = {c, ldc, 0}, \
                                            .batch = 1}); \
    }
TYPE_LIST(DEFINE)
#undef DEFINE

#define DEFINE(letter, name, scalar, c_scalar, address, type) \
    SUBWAVE_API void cblas_##letter##gemm_batch_strided( \
        int layout, int transa, int transb, int m, int n, int k, c_scalar alpha, const scalar *a, \
        int lda, int stridea, const scalar *b, int ldb, int strideb, c_scalar beta, scalar *c, \
        int ldc, int stridec, int batch_size) \
    { \
        call_from_c(CBLAS_NAME(letter) "_batch_strided", true, layout, transa, transb, \
                    &(subwave_blas_product){.dtype = SUBWAVE_DTYPE_##type, \
                                            .m = m, \
                                            .n = n, \
                                            .k = k, \
                                            .alpha = address alpha, \
                                            .beta = address beta, \
                                            .a = {(void *)a, lda, stridea}, \
                                            .b = {(void *)b, ldb, strideb}, \
                                            .c = {c, ldc, stridec}, \
                                            .batch = batch_size}); \
    }
TYPE_LIST(DEFINE)
#undef DEFINE
