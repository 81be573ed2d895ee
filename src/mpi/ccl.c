/* SPDX-License-Identifier: MIT
 * ccl.c: RCCL and NCCL, which have the same interface. The library is loaded, so that nobody needs
 * it who does not ask for it; what is used of it is declared here, as both have it since version
 * 2.7.
 */
#include "grid.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct ccl_communicator *ccl_handle;
typedef struct ccl_id {
    char bytes[128];
} ccl_id;
enum { CCL_SUCCESS = 0, CCL_INT8 = 0, CCL_INT64 = 4, CCL_SUM = 0 };

/* X(name, parameters) */
#define CCL_FUNCTIONS(X) \
    X(GetUniqueId, (ccl_id *)) \
    X(CommInitRank, (ccl_handle *, int, ccl_id, int)) \
    X(CommDestroy, (ccl_handle)) \
    X(CommAbort, (ccl_handle)) \
    X(CommGetAsyncError, (ccl_handle, int *)) \
    X(GroupStart, (void)) \
    X(GroupEnd, (void)) \
    X(Broadcast, (const void *, void *, size_t, int, int, ccl_handle, void *)) \
    X(AllGather, (const void *, void *, size_t, int, ccl_handle, void *)) \
    X(AllReduce, (const void *, void *, size_t, int, int, ccl_handle, void *)) \
    X(Send, (const void *, size_t, int, int, ccl_handle, void *)) \
    X(Recv, (void *, size_t, int, int, ccl_handle, void *))

struct subwave_mpi_ccl {
    const char *(*GetErrorString)(int);
#define SUBWAVE_X(name, parameters) int(*name) parameters;
    CCL_FUNCTIONS(SUBWAVE_X)
#undef SUBWAVE_X
    ccl_handle handles[RANK_SETS];
    ccl_id ids[RANK_SETS];
};

/* --- the library ----------------------------------------------------------------------------- */

static void *open_library(subwave_mpi *mpi, const char *backend)
{
    static const char *const names[][3] = {{"hip-amd", "librccl.so.1", "librccl.so"},
                                           {"hip-nvidia", "libnccl.so.2", "libnccl.so"}};
    const char *const chosen = getenv("SUBWAVE_MPI_CCL");
    void *library = chosen && *chosen ? dlopen(chosen, RTLD_NOW | RTLD_LOCAL) : NULL;
    bool has_one = chosen && *chosen;
    for (int i = 0; i < 2 && !(chosen && *chosen); ++i)
        if (strcmp(backend, names[i][0]) == 0) {
            has_one = true;
            for (int j = 1; j < 3 && !library; ++j)
                library = dlopen(names[i][j], RTLD_NOW | RTLD_LOCAL);
        }
    if (!has_one)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_UNSUPPORTED, "transport is CCL, which needs a GPU");
    else if (!library)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_UNSUPPORTED, "transport is CCL, and %s", dlerror());
    return library;
}

static bool load(subwave_mpi *mpi, subwave_mpi_ccl *ccl)
{
    subwave_device_properties properties;
    if (subwave_mpi_try(mpi, mpi->context, subwave_context_info(mpi->context, &properties)))
        return false;
    void *const library = open_library(mpi, properties.backend);
    const char *missing = NULL;
    if (!library)
        return false;
#define SUBWAVE_X(name, parameters) \
    *(void **)&ccl->name = dlsym(library, "nccl" #name); \
    if (!ccl->name) \
        missing = "nccl" #name;
    CCL_FUNCTIONS(SUBWAVE_X)
    SUBWAVE_X(GetErrorString, )
#undef SUBWAVE_X
    if (missing)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_UNSUPPORTED,
                         "transport is CCL, whose library has no %s: is it older than 2.7?",
                         missing);
    return !missing;
}

/* Notes an error of a call of the library. */
static void try(subwave_mpi *mpi, const char *what, int result, subwave_status status)
{
    if (result != CCL_SUCCESS)
        subwave_mpi_fail(mpi, status, "transport is CCL, whose %s failed: %s", what,
                         mpi->ccl->GetErrorString(result));
}

/* The library wants the stream's device to be the thread's current one, as a call that asks the
 * device leaves it. */
static void use_device(subwave_mpi *mpi)
{
    bool reached;
    subwave_mpi_try(mpi, mpi->transfer, subwave_event_query(mpi->transfer, mpi->begun, &reached));
}

subwave_status subwave_mpi_ccl_open(subwave_mpi *mpi)
{
    subwave_mpi_ccl *ccl = mpi->ccl = calloc(1, sizeof *ccl);
    if (!ccl)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_OUT_OF_MEMORY, "no memory for the grid");
    else if (load(mpi, ccl)) {
        for (int i = 0; i < RANK_SETS; ++i)
            if (mpi->size[i] > 1 && mpi->rank[i] == 0)
                try(mpi, "ncclGetUniqueId", ccl->GetUniqueId(&ccl->ids[i]),
                    SUBWAVE_STATUS_UNSUPPORTED);
    }
    if (subwave_mpi_agree(mpi))
        return mpi->status;
    use_device(mpi);
    for (int i = 0; i < RANK_SETS && !mpi->lost; ++i)
        if (mpi->size[i] > 1) {
            MPI_Request request;
            subwave_mpi_await(
                mpi,
                MPI_Ibcast(&ccl->ids[i], sizeof ccl->ids[i], MPI_CHAR, 0, mpi->comm[i], &request),
                &request, "the id of CCL's communicator");
            if (!mpi->lost)
                try(mpi, "ncclCommInitRank",
                    ccl->CommInitRank(&ccl->handles[i], mpi->size[i], ccl->ids[i], mpi->rank[i]),
                    SUBWAVE_STATUS_UNSUPPORTED);
        }
    return subwave_mpi_agree(mpi);
}

void subwave_mpi_ccl_close(subwave_mpi *mpi)
{
    subwave_mpi_ccl *ccl = mpi->ccl;
    for (int i = 0; ccl && i < RANK_SETS; ++i)
        if (ccl->handles[i])
            (void)(mpi->status ? ccl->CommAbort : ccl->CommDestroy)(ccl->handles[i]);
    if (!mpi->lost)
        free(ccl);
    mpi->ccl = NULL;
}

const char *subwave_mpi_ccl_failure(subwave_mpi *mpi)
{
    for (int i = 0; mpi->ccl && i < RANK_SETS; ++i) {
        int asynchronous = CCL_SUCCESS, result = CCL_SUCCESS;
        if (mpi->ccl->handles[i])
            result = mpi->ccl->CommGetAsyncError(mpi->ccl->handles[i], &asynchronous);
        if (result == CCL_SUCCESS)
            result = asynchronous;
        if (result != CCL_SUCCESS)
            return mpi->ccl->GetErrorString(result);
    }
    return NULL;
}

/* --- messages -------------------------------------------------------------------------------- */

void subwave_mpi_ccl_broadcast(subwave_mpi *mpi, subwave_mpi_ranks ranks, int root, void *data,
                               int64_t bytes)
{
    use_device(mpi);
    try(mpi, "ncclBroadcast",
        mpi->ccl->Broadcast(data, data, (size_t)bytes, CCL_INT8, root, mpi->ccl->handles[ranks],
                            mpi->stream),
        SUBWAVE_STATUS_COMMUNICATION_ERROR);
}

void subwave_mpi_ccl_gather(subwave_mpi *mpi, char *data, int64_t bytes)
{
    void *stream = NULL;
    use_device(mpi);
    subwave_mpi_try(mpi, mpi->context, subwave_get_stream(mpi->context, &stream));
    try(mpi, "ncclAllGather",
        mpi->ccl->AllGather(data + mpi->rank[ALL_RANKS] * bytes, data, (size_t)bytes, CCL_INT8,
                            mpi->ccl->handles[ALL_RANKS], stream),
        SUBWAVE_STATUS_COMMUNICATION_ERROR);
}

void subwave_mpi_ccl_sum(subwave_mpi *mpi, int64_t *data, int64_t n)
{
    use_device(mpi);
    try(mpi, "ncclAllReduce",
        mpi->ccl->AllReduce(data, data, (size_t)n, CCL_INT64, CCL_SUM, mpi->ccl->handles[ALL_RANKS],
                            mpi->stream),
        SUBWAVE_STATUS_COMMUNICATION_ERROR);
}

void subwave_mpi_ccl_exchange(subwave_mpi *mpi)
{
    subwave_mpi_ccl *ccl = mpi->ccl;
    const int size = mpi->size[ALL_RANKS], *counts = mpi->counts;
    use_device(mpi);
    int result = ccl->GroupStart();
    for (int r = 0; r < size; ++r) {
        if (counts[r] && result == CCL_SUCCESS)
            result = ccl->Send(mpi->sent.device + (int64_t)counts[size + r] * SUBWAVE_MPI_UNIT,
                               (size_t)counts[r] * SUBWAVE_MPI_UNIT, CCL_INT8, r,
                               ccl->handles[ALL_RANKS], mpi->stream);
        if (counts[2 * size + r] && result == CCL_SUCCESS)
            result =
                ccl->Recv(mpi->received.device + (int64_t)counts[3 * size + r] * SUBWAVE_MPI_UNIT,
                          (size_t)counts[2 * size + r] * SUBWAVE_MPI_UNIT, CCL_INT8, r,
                          ccl->handles[ALL_RANKS], mpi->stream);
    }
    const int end = ccl->GroupEnd();
    try(mpi, "exchange by ncclSend and ncclRecv", result == CCL_SUCCESS ? end : result,
        SUBWAVE_STATUS_COMMUNICATION_ERROR);
}
