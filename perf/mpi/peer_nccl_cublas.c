/* SPDX-License-Identifier: MIT
 * peer_nccl_cublas.c: SUMMA with ncclBroadcast and cublasDgemm, two panels in turn, and a sum with
 * ncclAllReduce: what a program would have without a library for it. NCCL is loaded as
 * libsubwave_mpi loads it.
 */
#include "peer.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 1024 };
typedef struct {
    char bytes[128];
} nccl_id;

struct peer {
    int parts[2], mine[2]; /* rows and columns of the grid; this rank's row and column */
    int64_t block, panel_bytes[2];
    void *along[2]; /* communicators of NCCL: of the ranks of a column and of a row */
    int (*broadcast)(const void *, void *, size_t, int, int, void *, cudaStream_t);
    int (*all_reduce)(const void *, void *, size_t, int, int, void *, cudaStream_t);
    int (*destroy)(void *);
    double *sum, *sum_on_host;
    cublasHandle_t cublas;
    cudaStream_t send, compute;
    cudaEvent_t ready[2], used[2];
    double *panel[2][2]; /* of A and B, by slot */
};

static void expect(int code, const char *what)
{
    if (code == 0)
        return;
    fprintf(stderr, "subwave-mpi-bench: %s of the peer failed: %d\n", what, code);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

peer *peer_create(subwave_context *context, MPI_Comm comm, int grid_rows, int grid_columns,
                  int64_t block)
{
    const char *const chosen = getenv("SUBWAVE_MPI_CCL");
    void *const library = dlopen(chosen && *chosen ? chosen : "libnccl.so.2", RTLD_NOW);
    subwave_device_properties properties;
    int rank, ok;
    ok = library && subwave_context_info(context, &properties) == SUBWAVE_STATUS_SUCCESS &&
         properties.backend[0] == 'h';
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_MIN, comm);
    if (!ok) {
        if (rank == 0)
            fprintf(stderr,
                    "subwave-mpi-bench: no peer: NCCL cannot be loaded, or there is no GPU\n");
        return NULL;
    }
    int (*get_id)(nccl_id *), (*init)(void **, int, nccl_id, int);
    peer *p = calloc(1, sizeof *p);
    expect(!p, "calloc");
    *(void **)&get_id = dlsym(library, "ncclGetUniqueId");
    *(void **)&init = dlsym(library, "ncclCommInitRank");
    *(void **)&p->broadcast = dlsym(library, "ncclBroadcast");
    *(void **)&p->all_reduce = dlsym(library, "ncclAllReduce");
    *(void **)&p->destroy = dlsym(library, "ncclCommDestroy");
    p->block = block;
    p->parts[0] = grid_rows, p->parts[1] = grid_columns;
    p->mine[0] = rank / grid_columns, p->mine[1] = rank % grid_columns;
    expect(cudaSetDevice(atoi(properties.id + 4)), "cudaSetDevice");
    for (int i = 0; i < 2; ++i) { /* those of this column, by row; then those of this row */
        MPI_Comm ranks;
        nccl_id id;
        MPI_Comm_split(comm, p->mine[1 - i], p->mine[i], &ranks);
        if (p->mine[i] == 0)
            expect(get_id(&id), "ncclGetUniqueId");
        MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, ranks);
        MPI_Comm_free(&ranks);
        expect(init(&p->along[i], p->parts[i], id, p->mine[i]), "ncclCommInitRank");
        expect(cudaEventCreateWithFlags(&p->ready[i], cudaEventDisableTiming), "cudaEventCreate");
        expect(cudaEventCreateWithFlags(&p->used[i], cudaEventDisableTiming), "cudaEventCreate");
    }
    expect(cudaStreamCreateWithFlags(&p->send, cudaStreamNonBlocking), "cudaStreamCreate");
    expect(cudaStreamCreateWithFlags(&p->compute, cudaStreamNonBlocking), "cudaStreamCreate");
    expect(cudaMalloc((void **)&p->sum, sizeof *p->sum), "cudaMalloc");
    expect(cudaMallocHost((void **)&p->sum_on_host, sizeof *p->sum), "cudaMallocHost");
    expect((int)cublasCreate(&p->cublas), "cublasCreate");
    expect((int)cublasSetStream(p->cublas, p->compute), "cublasSetStream");
    return p;
}

/* The panels of the steps of k from `at` on of the blocks whose numbers are `class` modulo
 * `classes`. */
static void send_panels(peer *p, int slot, int64_t class, int64_t classes, int64_t at,
                        int64_t width, int64_t rows, int64_t columns, const double *a,
                        const double *b)
{
    expect(cudaStreamWaitEvent(p->send, p->used[slot], 0), "cudaStreamWaitEvent");
    for (int64_t done = 0; done < width; done += p->block) {
        const int64_t number = class + (at + done) / p->block * classes;
        if (number % p->parts[1] == p->mine[1])
            expect(cudaMemcpyAsync(
                       p->panel[0][slot] + done * rows, a + number / p->parts[1] * p->block * rows,
                       (size_t)(rows * p->block) * 8, cudaMemcpyDeviceToDevice, p->send),
                   "cudaMemcpyAsync");
        if (number % p->parts[0] == p->mine[0])
            expect(cudaMemcpy2DAsync(p->panel[1][slot] + done, (size_t)width * 8,
                                     b + number / p->parts[0] * p->block, (size_t)rows * 8,
                                     (size_t)p->block * 8, (size_t)columns,
                                     cudaMemcpyDeviceToDevice, p->send),
                   "cudaMemcpy2DAsync");
    }
    const double *const of_a = p->panel[0][slot], *const of_b = p->panel[1][slot];
    expect(p->broadcast(of_a, p->panel[0][slot], (size_t)(rows * width) * 8, 0,
                        (int)(class % p->parts[1]), p->along[1], p->send),
           "ncclBroadcast");
    expect(p->broadcast(of_b, p->panel[1][slot], (size_t)(columns * width) * 8, 0,
                        (int)(class % p->parts[0]), p->along[0], p->send),
           "ncclBroadcast");
    expect(cudaEventRecord(p->ready[slot], p->send), "cudaEventRecord");
}

void peer_matmul(peer *p, int64_t n, int64_t rows, int64_t columns, const double *a,
                 const double *b, double *c)
{
    int64_t classes = 1;
    while (classes % p->parts[0] || classes % p->parts[1])
        ++classes;
    const int64_t length = n / classes, width = WIDTH < length ? WIDTH : length;
    if (n % (p->block * classes) || length % width || width % p->block)
        expect(1, "a product of other than whole blocks");
    const int64_t sides[2] = {rows, columns};
    for (int i = 0; i < 2; ++i)
        for (int slot = 0; slot < 2 && sides[i] * width * 8 > p->panel_bytes[i]; ++slot) {
            expect(cudaFree(p->panel[i][slot]), "cudaFree");
            expect(cudaMalloc((void **)&p->panel[i][slot], (size_t)(sides[i] * width) * 8),
                   "cudaMalloc");
        }
    for (int i = 0; i < 2; ++i)
        if (sides[i] * width * 8 > p->panel_bytes[i])
            p->panel_bytes[i] = sides[i] * width * 8;
    const double one = 1, zero = 0;
    const int64_t per_class = length / width, panels = classes * per_class;
    send_panels(p, 0, 0, classes, 0, width, rows, columns, a, b);
    for (int64_t i = 0; i < panels; ++i) {
        const int slot = (int)(i % 2);
        if (i + 1 < panels)
            send_panels(p, 1 - slot, (i + 1) / per_class, classes, (i + 1) % per_class * width,
                        width, rows, columns, a, b);
        expect(cudaStreamWaitEvent(p->compute, p->ready[slot], 0), "cudaStreamWaitEvent");
        expect((int)cublasDgemm(p->cublas, CUBLAS_OP_N, CUBLAS_OP_N, (int)rows, (int)columns,
                                (int)width, &one, p->panel[0][slot], (int)rows, p->panel[1][slot],
                                (int)width, i ? &one : &zero, c, (int)rows),
               "cublasDgemm");
        expect(cudaEventRecord(p->used[slot], p->compute), "cudaEventRecord");
    }
    expect(cudaStreamSynchronize(p->compute), "cudaStreamSynchronize");
}

double peer_reduce(peer *p, subwave_context *context, int64_t n, const double *x)
{
    enum { NCCL_FLOAT64 = 8, NCCL_SUM = 0 };
    void *stream;
    expect((int)subwave_reduce(context, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_ORDER_DEVICE, n,
                               NULL, x, SUBWAVE_PLACE_DEVICE, p->sum),
           "subwave_reduce");
    expect((int)subwave_get_stream(context, &stream), "subwave_get_stream");
    expect(
        p->all_reduce(p->sum, p->sum, 1, NCCL_FLOAT64, NCCL_SUM, p->along[1], (cudaStream_t)stream),
        "ncclAllReduce");
    expect(cudaMemcpyAsync(p->sum_on_host, p->sum, sizeof *p->sum, cudaMemcpyDeviceToHost,
                           (cudaStream_t)stream),
           "cudaMemcpyAsync");
    expect(cudaStreamSynchronize((cudaStream_t)stream), "cudaStreamSynchronize");
    return *p->sum_on_host;
}

void peer_destroy(peer *p)
{
    if (!p)
        return;
    (void)cudaFree(p->sum);
    (void)cudaFreeHost(p->sum_on_host);
    for (int i = 0; i < 2; ++i) {
        expect(p->destroy(p->along[i]), "ncclCommDestroy");
        (void)cudaEventDestroy(p->ready[i]);
        (void)cudaEventDestroy(p->used[i]);
        for (int slot = 0; slot < 2; ++slot)
            (void)cudaFree(p->panel[i][slot]);
    }
    (void)cublasDestroy(p->cublas);
    (void)cudaStreamDestroy(p->send);
    (void)cudaStreamDestroy(p->compute);
    free(p);
}
