/* SPDX-License-Identifier: MIT
 * agree.c: errors, on which all ranks agree, and waiting, which ends.
 */
#include "grid.h"

#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static _Thread_local char thread_error[SUBWAVE_MPI_TEXT];

const char *subwave_mpi_last_error(const subwave_mpi *mpi)
{
    return mpi ? mpi->error : thread_error;
}

subwave_status subwave_mpi_fail(subwave_mpi *mpi, subwave_status status, const char *format, ...)
{
    if (mpi && mpi->status)
        return mpi->status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(mpi ? mpi->error : thread_error, SUBWAVE_MPI_TEXT, format, arguments);
    va_end(arguments);
    if (mpi)
        mpi->status = status;
    return status;
}

subwave_status subwave_mpi_try(subwave_mpi *mpi, subwave_context *context, subwave_status status)
{
    return status ? subwave_mpi_fail(mpi, status, "%s", subwave_last_error(context)) : status;
}

bool subwave_mpi_begin(subwave_mpi *mpi, const char *function, subwave_status *status)
{
    if (!mpi) {
        *status = subwave_mpi_fail(NULL, SUBWAVE_STATUS_INVALID_POINTER, "mpi is null");
        return false;
    }
    if (mpi->lost) {
        *status =
            SUBWAVE_STATUS_COMMUNICATION_ERROR; /* the text is still that of the call that failed */
        return false;
    }
    mpi->function = function;
    mpi->status = SUBWAVE_STATUS_SUCCESS;
    mpi->argument_count = 0;
    mpi->is_empty = false;
    subwave_mpi_same_bytes(mpi, "mpi", function, strlen(function));
    return true;
}

void subwave_mpi_same(subwave_mpi *mpi, const char *name, int64_t value)
{
    if (mpi->argument_count == SUBWAVE_MPI_ARGUMENTS) {
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_KERNEL_ERROR, "%s has too many arguments",
                         mpi->function);
        return;
    }
    mpi->arguments[mpi->argument_count].name = name;
    mpi->arguments[mpi->argument_count++].value = value;
}

/* By a hash (FNV-1a), in which different bytes of the same number differ but for bad luck. */
void subwave_mpi_same_bytes(subwave_mpi *mpi, const char *name, const void *bytes, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; bytes && i < count; ++i)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    subwave_mpi_same(mpi, name, (int64_t)hash);
}

void subwave_mpi_pause(double since)
{
    const double waited = MPI_Wtime() - since;
    /* The shortest sleep takes 50 microseconds: longer than most agreements take, and several percent
     * of work that takes a millisecond. */
    if (waited < 4e-3)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = waited < 20e-3 ? 5000 : 200000}, NULL);
}

static void lose(subwave_mpi *mpi, const char *what, const char *why)
{
    mpi->lost = true;
    mpi->status = SUBWAVE_STATUS_SUCCESS; /* whatever was wrong before, it can no longer be told */
    subwave_mpi_fail(mpi, SUBWAVE_STATUS_COMMUNICATION_ERROR, "%s, rank %d: %s: %s", mpi->function,
                     mpi->rank[ALL_RANKS], what, why);
}

void subwave_mpi_await(subwave_mpi *mpi, int result, MPI_Request *request, const char *what)
{
    const double since = MPI_Wtime();
    int done = 0;
    while (result == MPI_SUCCESS) {
        result = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            return;
        if (mpi->limit > 0 && MPI_Wtime() - since > mpi->limit) {
            char why[160];
            snprintf(
                why, sizeof why,
                "not all ranks have come within %g s (SUBWAVE_MPI_TIMEOUT): one is lost, or does "
                "something else",
                mpi->limit);
            lose(mpi, what, why);
            return;
        }
        subwave_mpi_pause(since);
    }
    char why[MPI_MAX_ERROR_STRING];
    int length;
    if (MPI_Error_string(result, why, &length) != MPI_SUCCESS)
        snprintf(why, sizeof why, "error %d of MPI", result);
    lose(mpi, what, why);
}

void subwave_mpi_wait(subwave_mpi *mpi)
{
    const double since = MPI_Wtime();
    bool reached = false;
    subwave_mpi_try(mpi, mpi->context, subwave_event_record(mpi->context, mpi->begun));
    while (!mpi->status && !reached) {
        subwave_mpi_try(mpi, mpi->context, subwave_event_query(mpi->context, mpi->begun, &reached));
        const char *const failure = reached ? NULL : subwave_mpi_ccl_failure(mpi);
        if (failure || (!reached && mpi->limit > 0 && MPI_Wtime() - since > mpi->limit)) {
            subwave_mpi_fail(mpi, SUBWAVE_STATUS_COMMUNICATION_ERROR, "%s, rank %d: %s",
                             mpi->function, mpi->rank[ALL_RANKS],
                             failure ? failure
                                     : "the work has not ended within SUBWAVE_MPI_TIMEOUT");
            mpi->lost = true;
        }
        if (!reached)
            subwave_mpi_pause(since);
    }
    if (!mpi->status)
        subwave_mpi_try(mpi, mpi->context, subwave_synchronize(mpi->context));
}

/* The first rank that has found an error tells the others. One that has found the same keeps its
 * own text, which begins with the parameter's name. */
static void tell(subwave_mpi *mpi, int first, subwave_status status)
{
    memcpy(mpi->told, mpi->error, sizeof mpi->told);
    MPI_Request request;
    subwave_mpi_await(
        mpi,
        MPI_Ibcast(mpi->told, sizeof mpi->told, MPI_CHAR, first, mpi->comm[ALL_RANKS], &request),
        &request, "telling of an error");
    if (mpi->lost)
        return;
    if (mpi->status != status) {
        mpi->status = SUBWAVE_STATUS_SUCCESS;
        subwave_mpi_fail(mpi, status, "rank %d: %.*s", first, SUBWAVE_MPI_TEXT - 20, mpi->told);
    }
}

subwave_status subwave_mpi_agree(subwave_mpi *mpi)
{
    /* The greatest of each: of the first failing rank, of each argument and of its complement, whose
     * greatest is the complement of the least, and of who has an empty part. */
    int64_t *const most = mpi->most;
    const int size = mpi->size[ALL_RANKS], count = mpi->argument_count;
    if (mpi->lost)
        return mpi->status;
    memset(mpi->most, 0, sizeof mpi->most);
    if (mpi->status)
        most[0] = (int64_t)(size - mpi->rank[ALL_RANKS]) << 8 | mpi->status;
    for (int i = 0; i < count; ++i) {
        most[1 + 2 * i] = mpi->arguments[i].value;
        most[2 + 2 * i] = ~mpi->arguments[i].value;
    }
    most[1 + 2 * SUBWAVE_MPI_ARGUMENTS] = mpi->is_empty;
    MPI_Request request;
    subwave_mpi_await(mpi,
                      MPI_Iallreduce(MPI_IN_PLACE, most, 2 + 2 * SUBWAVE_MPI_ARGUMENTS, MPI_INT64_T,
                                     MPI_MAX, mpi->comm[ALL_RANKS], &request),
                      &request, "agreeing");
    mpi->any_is_empty = most[1 + 2 * SUBWAVE_MPI_ARGUMENTS];
    mpi->argument_count = 0;
    if (mpi->lost)
        return mpi->status;
    if (most[0])
        tell(mpi, size - (int)(most[0] >> 8), (subwave_status)(most[0] & 255));
    for (int i = 0; i < count; ++i)
        if (most[1 + 2 * i] != ~most[2 + 2 * i] && !mpi->status) {
            if (i == 0)
                subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_VALUE,
                                 "mpi is used for different calls by the ranks: %s here",
                                 mpi->function);
            else
                subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_VALUE,
                                 "%s is not the same on all ranks: %" PRId64 " here, of %" PRId64
                                 " to %" PRId64,
                                 mpi->arguments[i].name, mpi->arguments[i].value, ~most[2 + 2 * i],
                                 most[1 + 2 * i]);
        }
    if (mpi->status == SUBWAVE_STATUS_COMMUNICATION_ERROR)
        mpi->lost = true;
    return mpi->status;
}
