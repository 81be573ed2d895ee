/* SPDX-License-Identifier: MIT
 * matmul_batched.hip: C = alpha A B + beta C for very many small matrices.
 */
#include "matmul_batched_cells.hpp"
#include "matmul_batched_dense.hpp"
#include "matmul_batched_groups.hpp"
#include "matmul_batched_staged.hpp"
#include "matmul_batched_unit.hpp"

SUBWAVE_BEGIN

template <class T, int For, int Size, int Lanes, int Across, int Terms>
static int launch_matmul_batched_tile(const matmul_batched_problem<T> &problem,
                                      std::uint32_t blocks, void *stream)
{
    const dim3 grid(blocks), block(problem.p.block);
    if constexpr (!is_for<T>(For)) {
        return SUBWAVE_NO_KERNEL;
    } else if constexpr (Across == 0) {
        return launch(matmul_batched_groups<T, Size, Lanes, Terms>, grid, block, 0, stream,
                      problem);
    } else {
        using s = staged<T, Size, Lanes, Across, Terms>;
        return launch(matmul_batched_staged<T, Size, Lanes, Across, Terms>, grid, block,
                      problem.p.block / s::items * s::bytes, stream, problem);
    }
}

/* Only NVIDIA's groups have a matrix unit. */
template <int Size, int Across, class T>
static int launch_matmul_batched_dense(const matmul_batched_problem<T> &problem,
                                       std::uint32_t blocks, void *stream)
{
    if constexpr (shapes.f64_unit_in_groups && std::is_same<T, double>::value)
        return launch(matmul_batched_dense<T, Size, Across>, dim3(blocks), dim3(problem.p.block),
                      problem.p.shared_bytes, stream, problem);
    (void)problem, (void)blocks, (void)stream;
    return SUBWAVE_NO_KERNEL;
}

/* Only AMD's whole waves have one here. */
template <class T>
static int launch_matmul_batched_unit(const matmul_batched_problem<T> &problem,
                                      std::uint32_t blocks, void *stream)
{
    if constexpr (shapes.unit_in_batches)
        return launch(matmul_batched_unit<T>, dim3(blocks), dim3(problem.p.block), 0, stream,
                      problem);
    (void)problem, (void)blocks, (void)stream;
    return SUBWAVE_NO_KERNEL;
}

template <class T>
static int launch_matmul_batched(const subwave_matmul_batched_launch &p, void *stream)
{
    matmul_batched_problem<T> problem = {p, {}, {}};
    memcpy(&problem.alpha, p.alpha, sizeof(T));
    memcpy(&problem.beta, p.beta, sizeof(T));
    const auto run = [&](std::uint32_t blocks) {
        switch (p.tile) {
#define SUBWAVE_X(name, use, size, lanes, across, terms4, terms8, terms16) \
    case SUBWAVE_MATMUL_BATCHED_##name: \
        return launch_matmul_batched_tile<T, SUBWAVE_MATMUL_BATCHED_FOR_##use, size, lanes, \
                                          across, \
                                          (sizeof(T) == 4   ? terms4 \
                                           : sizeof(T) == 8 ? terms8 \
                                                            : terms16)>(problem, blocks, stream);
            SUBWAVE_MATMUL_BATCHED_TILES(SUBWAVE_X)
#undef SUBWAVE_X
        case SUBWAVE_MATMUL_BATCHED_CELLS_3:
            return launch(matmul_batched_cells<T, 3>, dim3(blocks), dim3(p.block), p.shared_bytes,
                          stream, problem);
        case SUBWAVE_MATMUL_BATCHED_CELLS_4:
            return launch(matmul_batched_cells<T, 4>, dim3(blocks), dim3(p.block), p.shared_bytes,
                          stream, problem);
        case SUBWAVE_MATMUL_BATCHED_UNIT:
            return launch_matmul_batched_unit(problem, blocks, stream);
        case SUBWAVE_MATMUL_BATCHED_DENSE_24:
            return launch_matmul_batched_dense<24, 1>(problem, blocks, stream);
        case SUBWAVE_MATMUL_BATCHED_DENSE_32:
            return launch_matmul_batched_dense<32, 1>(problem, blocks, stream);
        case SUBWAVE_MATMUL_BATCHED_DENSE_48:
            return launch_matmul_batched_dense<24, 2>(problem, blocks, stream);
        case SUBWAVE_MATMUL_BATCHED_DENSE_64:
            return launch_matmul_batched_dense<32, 2>(problem, blocks, stream);
        }
        return SUBWAVE_NO_KERNEL;
    };
    const std::int64_t most = SUBWAVE_MOST_BATCHED_BLOCKS;
    int status = 0;
    for (std::int64_t &first = problem.p.first_block; status == 0 && first < p.blocks;
         first += most)
        status = run(static_cast<std::uint32_t>(p.blocks - first < most ? p.blocks - first : most));
    return status;
}

SUBWAVE_END

SUBWAVE_KERNELS_matmul_batched(SUBWAVE_DEFINE_LAUNCHER)
