/* SPDX-License-Identifier: MIT
 * ccl.c: stands in for RCCL and NCCL on devices whose memory is the host's: their functions, as far
 * as libsubwave_mpi calls them, over MPI. Streams are not looked at, since all is done on return.
 *
 * A rank that the environment's SUBWAVE_TEST_CCL_FAILS names fails in its next broadcast.
 */
#include <mpi.h>

#include <stddef.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

typedef struct communicator {
    MPI_Comm comm;
} communicator;
typedef union id {
    char bytes[128];
    int root, serial[2]; /* the root's rank among all; the id's number there, at place 1 */
} id;

static MPI_Request requests[1024];
static int request_count, group_depth;

EXPORT const char *ncclGetErrorString(int result)
{
    return result ? "a planted error" : "no error";
}

EXPORT int ncclGetUniqueId(id *result)
{
    static int serial = 100;
    MPI_Comm_rank(MPI_COMM_WORLD, &result->serial[0]);
    result->serial[1] = serial++;
    return 0;
}

EXPORT int ncclCommInitRank(communicator **result, int size, id of, int rank)
{
    int *const members = calloc((size_t)size, sizeof *members), tag = of.serial[1];
    MPI_Comm_rank(MPI_COMM_WORLD, &members[0]);
    for (int i = 1; i < size && rank == 0; ++i) {
        int other;
        MPI_Status status;
        MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
        members[other] = status.MPI_SOURCE;
    }
    for (int i = 1; i < size && rank == 0; ++i)
        MPI_Send(members, size, MPI_INT, members[i], tag, MPI_COMM_WORLD);
    if (rank) {
        MPI_Send(&rank, 1, MPI_INT, of.serial[0], tag, MPI_COMM_WORLD);
        MPI_Recv(members, size, MPI_INT, of.serial[0], tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Group all, group;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, size, members, &group);
    *result = malloc(sizeof **result);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &(*result)->comm);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    free(members);
    return 0;
}

EXPORT int ncclCommDestroy(communicator *x)
{
    MPI_Comm_free(&x->comm);
    free(x);
    return 0;
}

EXPORT int ncclCommAbort(communicator *x)
{
    free(x); /* others may not come to free it with this rank */
    return 0;
}

EXPORT int ncclCommGetAsyncError(communicator *x, int *result)
{
    (void)x;
    *result = 0;
    return 0;
}

EXPORT int ncclGroupStart(void)
{
    ++group_depth;
    return 0;
}

EXPORT int ncclGroupEnd(void)
{
    --group_depth;
    while (request_count > 0)
        MPI_Wait(&requests[--request_count], MPI_STATUS_IGNORE);
    return 0;
}

/* Both are called in groups alone. */
EXPORT int ncclSend(const void *data, size_t count, int type, int peer, communicator *x,
                    void *stream)
{
    (void)stream;
    if (type != 0 || !group_depth || request_count == 1024)
        return 4;
    return MPI_Isend(data, (int)count, MPI_BYTE, peer, 0, x->comm, &requests[request_count++]);
}

EXPORT int ncclRecv(void *data, size_t count, int type, int peer, communicator *x, void *stream)
{
    (void)stream;
    if (type != 0 || !group_depth || request_count == 1024)
        return 4;
    return MPI_Irecv(data, (int)count, MPI_BYTE, peer, 0, x->comm, &requests[request_count++]);
}

EXPORT int ncclBroadcast(const void *from, void *to, size_t count, int type, int root,
                         communicator *x, void *stream)
{
    int rank;
    const char *const fails = getenv("SUBWAVE_TEST_CCL_FAILS");
    (void)stream;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int result =
        type == 0 && from == to ? MPI_Bcast(to, (int)count, MPI_BYTE, root, x->comm) : 4;
    return fails && *fails && atoi(fails) == rank ? 3 : result;
}

EXPORT int ncclAllReduce(const void *from, void *to, size_t count, int type, int op,
                         communicator *x, void *stream)
{
    (void)stream;
    if (type != 4 || op != 0 || from != to)
        return 4;
    return MPI_Allreduce(MPI_IN_PLACE, to, (int)count, MPI_INT64_T, MPI_SUM, x->comm);
}

EXPORT int ncclAllGather(const void *from, void *to, size_t count, int type, communicator *x,
                         void *stream)
{
    int rank;
    (void)stream;
    MPI_Comm_rank(x->comm, &rank);
    if (type != 0 || (const char *)from != (char *)to + (size_t)rank * count)
        return 4;
    return MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, (int)count, MPI_BYTE, x->comm);
}
