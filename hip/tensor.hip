/* SPDX-License-Identifier: MIT
 * tensor.hip: y = alpha (A3 x A2 x A1) x + beta y for very many small tensors, and the derivatives
 * in all directions: the lists of steps that blocks take.
 */
#include "tensor.hpp"

#include <utility>

SUBWAVE_BEGIN

/* Step I of a known list. */
template <subwave_tensor_list List, int I, class T, int In, int Out, int Rows>
SUBWAVE_DEVICE void take_known_step(const tensor_block<T, In, Out, Rows> &block)
{
    constexpr subwave_tensor_step known = subwave_tensor_known_step(List, I, In, Out);
    /* x is read along the first direction, and y written along the last. */
    constexpr int direction = known.action == SUBWAVE_TENSOR_LOAD_AND_CONTRACT ? 0
                              : known.action == SUBWAVE_TENSOR_CONTRACT        ? 1
                                                                               : 2;
    const subwave_tensor_launch &p = block.problem.p;
    subwave_tensor_step s = known;
    s.matrix = p.step[I].matrix;
    s.other_matrix = p.step[I].other_matrix;
    s.geometry = subwave_tensor_known_lines(direction, In, Out, sizeof(T));
    block.template contract<I == 0>(s, p.operand[known.action > SUBWAVE_TENSOR_LOAD_AND_CONTRACT]);
    if (I + 1 < subwave_tensor_known_steps(List))
        block_barrier(site::current());
}
template <subwave_tensor_list List, class T, int In, int Out, int Rows, int... I>
SUBWAVE_DEVICE void take_known_steps(const tensor_block<T, In, Out, Rows> &block,
                                     std::integer_sequence<int, I...>)
{
    (take_known_step<List, I>(block), ...);
}

/* Out: 0 if the list is any. */
template <class T, int In, int Out, subwave_tensor_list List>
SUBWAVE_KERNEL(SUBWAVE_TENSOR_BLOCK)
tensor(tensor_problem<T> problem)
{
    SUBWAVE_DYNAMIC_SHARED(T, local);
    const subwave_tensor_launch &p = problem.p;
    constexpr int rows = List == SUBWAVE_TENSOR_GRADIENT ? shapes.tensor_rows : 1;
    const tensor_block<T, In, Out, rows> block(problem, local,
                                               (p.first_block + blockIdx.x) * p.tensors);
    if constexpr (Out > 0) {
        take_known_steps<List>(block,
                               std::make_integer_sequence<int, subwave_tensor_known_steps(List)>());
    } else {
        block.load_matrices();
        for (int i = 0; i < p.steps; ++i) {
            const subwave_tensor_step s =
                argument_element(p.step, offsetof(tensor_problem<T>, p.step), i);
            /* Read for each step, since LLVM has too few scalar registers to keep both. */
            const subwave_tensor_operand of =
                argument_element(p.operand, offsetof(tensor_problem<T>, p.operand),
                                 s.action <= SUBWAVE_TENSOR_LOAD_AND_CONTRACT ? 0 : 1);
            if (s.action == SUBWAVE_TENSOR_LOAD)
                block.load(s, of);
            else if (s.action == SUBWAVE_TENSOR_STORE)
                block.store(s, of);
            else
                block.template contract<false>(s, of);
            block_barrier(site::current());
        }
    }
}

template <class T, int In>
static int launch_tensor_blocks(const tensor_problem<T> &problem, std::uint32_t blocks,
                                void *stream)
{
    const subwave_tensor_launch &p = problem.p;
    if (p.in != In) {
        if constexpr (In < SUBWAVE_TENSOR_MOST)
            return launch_tensor_blocks<T, In + 1>(problem, blocks, stream);
        return SUBWAVE_NO_KERNEL;
    }
    const auto launch_it = [&](auto kernel) {
        return launch(kernel, dim3(blocks), dim3(p.block), p.shared_bytes, stream, problem);
    };
    int status = SUBWAVE_NO_KERNEL;
    const auto try_list = [&](auto of_list, auto points) {
        constexpr subwave_tensor_list list = decltype(of_list)::value;
        constexpr int out = decltype(points)::value;
        if constexpr (subwave_tensor_is_known(list, In, out))
            if (p.list == list && p.out == out)
                status = launch_it(tensor<T, In, out, list>);
    };
    const auto try_lists = [&](auto points) {
        using list = subwave_tensor_list;
        try_list(std::integral_constant<list, SUBWAVE_TENSOR_APPLY>(), points);
        try_list(std::integral_constant<list, SUBWAVE_TENSOR_GRADIENT>(), points);
    };
    try_lists(std::integral_constant<int, In - 1>());
    try_lists(std::integral_constant<int, In>());
    try_lists(std::integral_constant<int, In + 1>());
    return status != SUBWAVE_NO_KERNEL ? status
                                       : launch_it(tensor<T, In, 0, SUBWAVE_TENSOR_ANY_LIST>);
}

template <class T> static int launch_tensor(const subwave_tensor_launch &p, void *stream)
{
    tensor_problem<T> problem = {p, {}, {}};
    memcpy(&problem.alpha, p.alpha, sizeof(T));
    memcpy(&problem.beta, p.beta, sizeof(T));
    const std::int64_t most = SUBWAVE_MOST_BATCHED_BLOCKS;
    int status = 0;
    for (std::int64_t &first = problem.p.first_block; status == 0 && first < p.blocks;
         first += most)
        status = launch_tensor_blocks<T, 1>(
            problem, static_cast<std::uint32_t>(p.blocks - first < most ? p.blocks - first : most),
            stream);
    return status;
}

SUBWAVE_END

SUBWAVE_KERNELS_tensor(SUBWAVE_DEFINE_LAUNCHER)
