/* SPDX-License-Identifier: MIT
 * check.c: applies bases of libCEED in one to three dimensions by the backend of ceed_subwave.c and by
 * libCEED's reference, and compares.
 */
#include <ceed.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 8 };

static void require(int status)
{
    if (status != CEED_ERROR_SUCCESS)
        exit(1); /* libCEED has said why */
}

static CeedSize power(CeedInt base, CeedInt exponent)
{
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

/* The result of one application, of `size` numbers; the caller frees it. */
static CeedScalar *apply(Ceed ceed, CeedInt elements, CeedInt dim, CeedInt components, CeedInt p,
                         CeedInt q, CeedEvalMode mode, CeedTransposeMode transpose, CeedSize *size)
{
    const CeedSize nodes = elements * components * power(p, dim),
                   points =
                       elements * components * power(q, dim) * (mode == CEED_EVAL_GRAD ? dim : 1);
    const CeedSize from = transpose == CEED_TRANSPOSE ? points : nodes;
    const CeedScalar *read;
    CeedScalar *numbers, *result;
    CeedBasis basis;
    CeedVector u, v;
    *size = transpose == CEED_TRANSPOSE ? nodes : points;
    result = malloc((size_t)*size * sizeof *result);
    require(result ? CEED_ERROR_SUCCESS : CEED_ERROR_MAJOR);
    require(CeedBasisCreateTensorH1Lagrange(ceed, dim, components, p, q, CEED_GAUSS, &basis));
    require(CeedVectorCreate(ceed, from, &u));
    require(CeedVectorCreate(ceed, *size, &v));
    require(CeedVectorGetArrayWrite(u, CEED_MEM_HOST, &numbers));
    for (CeedSize i = 0; i < from; ++i)
        numbers[i] = (CeedScalar)((i * 37 + 11) % 101) / 50 - 1;
    require(CeedVectorRestoreArray(u, &numbers));
    require(CeedVectorSetValue(v, 0));
    require(CeedBasisApply(basis, elements, transpose, mode, u, v));
    require(CeedVectorGetArrayRead(v, CEED_MEM_HOST, &read));
    memcpy(result, read, (size_t)*size * sizeof *result);
    require(CeedVectorRestoreArrayRead(v, &read));
    require(CeedVectorDestroy(&u));
    require(CeedVectorDestroy(&v));
    require(CeedBasisDestroy(&basis));
    return result;
}

int main(void)
{
    static const char *const resources[] = {"/cpu/self/subwave/serial",
                                            "/cpu/self/subwave/blocked"};
    const CeedScalar most = CEED_SCALAR_TYPE == CEED_SCALAR_FP64 ? 1e-12 : 1e-4f;
    int cases = 0, wrong = 0;
    Ceed reference;
    require(CeedInit("/cpu/self/ref/serial", &reference));
    for (int r = 0; r < 2; ++r) {
        const CeedInt elements = r == 0 ? 1 : 9; /* as libCEED's operators call them */
        const char *resource;
        Ceed ceed;
        require(CeedInit(resources[r], &ceed));
        require(CeedGetResource(ceed, &resource));
        if (strcmp(resource, resources[r]) != 0) {
            fprintf(stderr, "CeedInit(\"%s\") gave %s\n", resources[r], resource);
            return 1;
        }
        for (CeedInt dim = 1; dim <= 3; ++dim)
            for (CeedInt p = 2; p <= MOST_POINTS; p += dim)
                for (CeedInt q = p - 1; q <= p + 1; ++q)
                    for (int gradient = 0; gradient < 2; ++gradient)
                        for (int transposed = 0; transposed < 2; ++transposed) {
                            const CeedEvalMode mode = gradient ? CEED_EVAL_GRAD : CEED_EVAL_INTERP;
                            const CeedTransposeMode transpose =
                                transposed ? CEED_TRANSPOSE : CEED_NOTRANSPOSE;
                            CeedSize size;
                            CeedScalar *const got =
                                apply(ceed, elements, dim, 1 + r, p, q, mode, transpose, &size);
                            CeedScalar *const wanted = apply(reference, elements, dim, 1 + r, p, q,
                                                             mode, transpose, &size);
                            CeedScalar greatest = 0;
                            for (CeedSize i = 0; i < size; ++i)
                                greatest = fmax(greatest, fabs(wanted[i]));
                            for (CeedSize i = 0; i < size; ++i)
                                wrong += !(fabs(got[i] - wanted[i]) <= most * greatest);
                            ++cases;
                            free(got);
                            free(wanted);
                        }
        require(CeedDestroy(&ceed));
    }
    require(CeedDestroy(&reference));
    printf("%d applications of bases, %d elements differ from libCEED's reference\n", cases, wrong);
    return cases > 0 && wrong == 0 ? 0 : 1;
}
