/* SPDX-License-Identifier: MIT
 * ceed_subwave.c: a backend of libCEED whose tensor contractions are batched products of subwave, on
 * the CPU device. docs/consumers.md says how a program loads it.
 *
 * It adds the resources /cpu/self/subwave/serial and /cpu/self/subwave/blocked, which leave all but
 * contractions to /cpu/self/opt/serial and /cpu/self/opt/blocked.
 */
#include <subwave/subwave.h>

#include <ceed/backend.h>

#include <string.h>

enum { MOST_COLUMNS = 32768 }; /* of one batched product */

static const subwave_dtype dtype =
    CEED_SCALAR_TYPE == CEED_SCALAR_FP64 ? SUBWAVE_DTYPE_F64 : SUBWAVE_DTYPE_F32;

#define CALL(ceed, context, call) \
    do { \
        const subwave_status status_ = (call); \
        CeedCheck(status_ == SUBWAVE_STATUS_SUCCESS, ceed, CEED_ERROR_BACKEND, "%s: %s", #call, \
                  subwave_last_error(context)); \
    } while (0)

/* v[a][j][c] (+)= the sum over b of t[j][b] u[a][b][c], or with t[b][j]: a product for each a. */
static int apply(CeedTensorContract contract, CeedInt A, CeedInt B, CeedInt C, CeedInt J,
                 const CeedScalar *restrict t, CeedTransposeMode t_mode, const CeedInt add,
                 const CeedScalar *restrict u, CeedScalar *restrict v)
{
    const subwave_transpose_kind transpose =
        t_mode == CEED_TRANSPOSE ? SUBWAVE_TRANSPOSE_YES : SUBWAVE_TRANSPOSE_NONE;
    const CeedScalar one = 1, beta = add ? 1 : 0;
    const CeedInt ldt = t_mode == CEED_TRANSPOSE ? J : B;
    subwave_context *context;
    Ceed ceed;
    CeedCallBackend(CeedTensorContractGetCeed(contract, &ceed));
    CeedCallBackend(CeedGetData(ceed, &context));
    if (C == 1) { /* one product v[a][j] = u[a][b] t^T[b][j], rather than many of one column */
        CALL(ceed, context,
             subwave_matmul(context, SUBWAVE_VARIANT_AUTO, dtype, SUBWAVE_LAYOUT_ROW_MAJOR,
                            SUBWAVE_TRANSPOSE_NONE,
                            t_mode == CEED_TRANSPOSE ? SUBWAVE_TRANSPOSE_NONE
                                                     : SUBWAVE_TRANSPOSE_YES,
                            A, J, B, &one, u, B, t, ldt, &beta, v, J));
    }
    for (CeedInt c = 0; C > 1 && c < C; c += MOST_COLUMNS) {
        const CeedInt columns = C - c < MOST_COLUMNS ? C - c : MOST_COLUMNS;
        CALL(ceed, context,
             subwave_matmul_strided_batched(context, dtype, SUBWAVE_LAYOUT_ROW_MAJOR, transpose,
                                            SUBWAVE_TRANSPOSE_NONE, J, columns, B, &one, t, ldt, 0,
                                            u + c, C, (int64_t)B * C, &beta, v + c, C,
                                            (int64_t)J * C, A));
    }
    CALL(ceed, context, subwave_synchronize(context));
    return CEED_ERROR_SUCCESS;
}

static int create_contract(CeedTensorContract contract)
{
    Ceed ceed;
    CeedCallBackend(CeedTensorContractGetCeed(contract, &ceed));
    CeedCallBackend(CeedSetBackendFunction(ceed, "TensorContract", contract, "Apply", apply));
    return CEED_ERROR_SUCCESS;
}

static int destroy(Ceed ceed)
{
    subwave_context *context;
    CeedCallBackend(CeedGetData(ceed, &context));
    subwave_context_destroy(&context);
    return CEED_ERROR_SUCCESS;
}

static int init(const char *resource, Ceed ceed)
{
    const char *const kind = strrchr(resource, '/');
    Ceed delegate;
    subwave_context *context;
    CALL(ceed, NULL, subwave_context_create(&context, "cpu"));
    CeedCallBackend(CeedSetData(ceed, context));
    CeedCallBackend(CeedSetBackendFunction(ceed, "Ceed", ceed, "Destroy", destroy));
    CeedCallBackend(
        CeedSetBackendFunction(ceed, "Ceed", ceed, "TensorContractCreate", create_contract));
    CeedCallBackend(CeedSetDeterministic(ceed, true));
    CeedCallBackend(CeedInit(kind && strcmp(kind, "/blocked") == 0 ? "/cpu/self/opt/blocked"
                                                                   : "/cpu/self/opt/serial",
                             &delegate));
    CeedCallBackend(CeedSetDelegate(ceed, delegate));
    return CEED_ERROR_SUCCESS;
}

/* Runs when the library is loaded. A program that names no backend of its own keeps libCEED's. */
__attribute__((constructor)) static void register_backend(void)
{
    CeedRegister("/cpu/self/subwave/serial", init, CEED_MAX_BACKEND_PRIORITY);
    CeedRegister("/cpu/self/subwave/blocked", init, CEED_MAX_BACKEND_PRIORITY);
}
