/* SPDX-License-Identifier: MIT
 * xerbla.c: wrong arguments, as the reference BLAS reports them.
 */
#include "blas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Of the program, or of its BLAS; not exported from here, where they would take the place of the
 * BLAS's for its other functions. */
extern void xerbla_(const char *routine, const int *number, size_t length) __attribute__((weak));
extern void cblas_xerbla(int number, const char *routine, const char *form, ...)
    __attribute__((weak));
/* By this variable of the reference CBLAS, cblas_xerbla learns that A and B have changed places. */
extern int RowMajorStrg __attribute__((weak));

_Noreturn void subwave_blas_stop(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    exit(EXIT_FAILURE);
}

void subwave_blas_xerbla(const char *routine, int number)
{
    if (!xerbla_)
        subwave_blas_stop(" ** On entry to %s parameter number %2d had an illegal value\n", routine,
                          number);
    char name[32]; /* of at least 6 characters, as the reference has it */
    const int length = snprintf(name, sizeof name, "%-6s", routine);
    xerbla_(name, &number, (size_t)length);
}

/* Number of m for that of n, and of lda for that of ldb: what the reference's cblas_xerbla does to
 * every product by rows. Its own inverse. */
static int exchanged(int number)
{
    switch (number) {
    case 4:
        return 5;
    case 5:
        return 4;
    case 9:
        return 11;
    case 11:
        return 9;
    default:
        return number;
    }
}

void subwave_blas_cblas_xerbla(const char *routine, int number, bool row_major, const char *form,
                               int value)
{
    if (!cblas_xerbla) {
        fprintf(stderr, "Parameter %d to routine %s was incorrect\n", number, routine);
        if (*form)
            fprintf(stderr, "Illegal %s setting, %d\n", form, value);
        exit(EXIT_FAILURE);
    }
    if (&RowMajorStrg) {
        RowMajorStrg = row_major;
        if (row_major)
            number = exchanged(number);
    }
    if (*form) {
        char text[64];
        snprintf(text, sizeof text, "Illegal %s setting, %%d\n", form);
        cblas_xerbla(number, routine, text, value);
    } else {
        cblas_xerbla(number, routine, "");
    }
    if (&RowMajorStrg)
        RowMajorStrg = 0;
}
