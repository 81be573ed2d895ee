/* SPDX-License-Identifier: MIT
 * next.c: the BLAS behind this one, for what it is not to compute or cannot.
 */
#include "blas.h"

#include <dlfcn.h>
#include <pthread.h>

/* Every BLAS has Fortran's functions, and the reference's cblas_dgemm calls dgemm_, which would be
 * this library's again. */
typedef void gemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                  const void *alpha, const void *a, const int *lda, const void *b, const int *ldb,
                  const void *beta, void *c, const int *ldc, size_t transa_length,
                  size_t transb_length);

static struct next {
    subwave_dtype dtype;
    const char *name;
    gemm *function;
} all_next[] = {
    {SUBWAVE_DTYPE_F32, "sgemm_", NULL},
    {SUBWAVE_DTYPE_F64, "dgemm_", NULL},
    {SUBWAVE_DTYPE_C32, "cgemm_", NULL},
    {SUBWAVE_DTYPE_C64, "zgemm_", NULL},
};
enum { NEXT = sizeof all_next / sizeof *all_next };
static pthread_once_t once = PTHREAD_ONCE_INIT;

bool subwave_blas_is_own(const void *function)
{
    Dl_info here, there;
    return dladdr(function, &there) && dladdr(all_next, &here) && there.dli_fbase == here.dli_fbase;
}

static bool find_in(void *library)
{
    bool found = false;
    for (int i = 0; i < NEXT; ++i) {
        void *const symbol = dlsym(library, all_next[i].name);
        const bool is_other = symbol && !subwave_blas_is_own(symbol);
        *(void **)&all_next[i].function = is_other ? symbol : NULL;
        found |= is_other;
    }
    return found;
}

static void find_all(void)
{
    void *const named = subwave_blas_get_settings()->library;
    if (named)
        find_in(named);
    if (named || find_in(RTLD_NEXT))
        return;
    /* One that was loaded for somebody alone, as by modules of Python, has a usual name. */
    static const char *const usual[] = {"libblas.so.3", "libopenblas.so.0", "libmkl_rt.so.2"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; ++i) {
        void *const library = dlopen(usual[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library && find_in(library))
            return;
        if (library)
            dlclose(library);
    }
}

static gemm *find(subwave_dtype dtype)
{
    pthread_once(&once, find_all);
    for (int i = 0; i < NEXT; ++i)
        if (all_next[i].dtype == dtype)
            return all_next[i].function;
    return NULL;
}

bool subwave_blas_has_next(subwave_dtype dtype) { return find(dtype) != NULL; }

static const char *letter(subwave_transpose_kind transpose)
{
    return transpose == SUBWAVE_TRANSPOSE_NONE  ? "N"
           : transpose == SUBWAVE_TRANSPOSE_YES ? "T"
                                                : "C";
}

void subwave_blas_call_next(const subwave_blas_product *p)
{
    gemm *const next = find(p->dtype);
    const int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    const int lda = (int)p->a.ld, ldb = (int)p->b.ld, ldc = (int)p->c.ld;
    for (int64_t e = 0; e < p->batch; ++e)
        next(letter(p->transpose_a), letter(p->transpose_b), &m, &n, &k, p->alpha,
             subwave_blas_at(&p->a, p->dtype, 0, 0, e), &lda,
             subwave_blas_at(&p->b, p->dtype, 0, 0, e), &ldb, p->beta,
             subwave_blas_at(&p->c, p->dtype, 0, 0, e), &ldc, 1, 1);
}
