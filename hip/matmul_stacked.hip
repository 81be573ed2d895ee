/* SPDX-License-Identifier: MIT
 * matmul_stacked.hip: C = alpha (A1 B1 + A2 B2 + ...) + beta C for the lists of a stack, as stack.hip
 * leaves it. All terms of a C are added up in the registers of one group or wave, in their order.
 */
#include "matmul_batched_groups.hpp"
#include "matmul_batched_staged.hpp"
#include "matmul_batched_unit.hpp"

SUBWAVE_BEGIN

template <class T> struct matmul_stacked_problem {
    matmul_batched_problem<T> product;
    const std::uint32_t *count;
    const subwave_stack_list *lists;
    const subwave_stack_term *terms;
};

/* A tile of a list's C. */
template <class T> class matmul_stacked_tile : public matmul_batched_tile<T> {
    const matmul_stacked_problem<T> &problem_;
    int tile_, side_;
    subwave_stack_list list_;

    SUBWAVE_DEVICE void begin(subwave_stack_term term)
    {
        const matmul_batched_problem<T> &product = problem_.product;
        this->place(product.p, tile_, side_, product.matrix(product.p.a, term.a),
                    product.matrix(product.p.b, term.b), product.matrix(product.p.c, list_.c));
    }

public:
    SUBWAVE_DEVICE matmul_stacked_tile(const matmul_stacked_problem<T> &problem, std::uint32_t list,
                                       int tile, int side)
        : problem_(problem), tile_(tile), side_(side), list_(problem.lists[list])
    {
        begin({});
    }
    /* Calls add() for each term, with the tile's part of its A and B. */
    template <class Add> SUBWAVE_DEVICE void for_each_term(Add add)
    {
        SUBWAVE_ROLLED
        for (std::uint32_t i = 0; i < list_.count; ++i) {
            begin(problem_.terms[list_.first + i]);
            add();
        }
    }
};

/* Calls body(tile) for the tiles of team `team` of a block of `teams`, which does not wait for other
 * teams: those in its wave may have other tiles, or none. */
template <class T, class Body>
SUBWAVE_DEVICE void for_each_tile(const matmul_stacked_problem<T> &problem, int side, int teams,
                                  int team, Body body)
{
    const subwave_matmul_batched_launch &p = problem.product.p;
    const int tiles = p.down * p.across;
    const std::int64_t count = std::int64_t(*problem.count) * tiles;
    for (std::int64_t at = std::int64_t(blockIdx.x) * teams + team; at < count;
         at += std::int64_t(gridDim.x) * teams) {
        const auto list = static_cast<std::uint32_t>(tiles == 1 ? at : at / tiles);
        body(matmul_stacked_tile<T>(problem, list,
                                    static_cast<int>(at - std::int64_t(list) * tiles), side));
    }
}

template <class T, int Size, int Lanes, int Terms>
SUBWAVE_KERNEL(SUBWAVE_MATMUL_BATCHED_BLOCK)
matmul_stacked_groups(matmul_stacked_problem<T> problem)
{
    using group = fixed_size_group<Lanes>;
    const group g = get_fixed_size_group<Lanes>(this_work_item::get_sub_group());
    for_each_tile(problem, Size, block_size() / Lanes, unsigned(block_item()) / Lanes,
                  [&](matmul_stacked_tile<T> tile) {
                      const subwave_matmul_batched_launch &p = problem.product.p;
                      group_matrix<T, Size, Size, group> sum;
                      sum.fill(T{});
                      tile.for_each_term([&] { add_product<Terms>(g, g, p, tile, sum); });
                      finish(g, problem.product, tile.c, tile.rows, tile.columns, sum);
                      sum.store(g, tile.c, p.c.ld, tile.rows, tile.columns);
                  });
}

template <class T, int Size, int Lanes, int Across, int Terms>
SUBWAVE_KERNEL((staged<T, Size, Lanes, Across, Terms>::bound))
matmul_stacked_staged(matmul_stacked_problem<T> problem)
{
    if constexpr (staged<T, Size, Lanes, Across, Terms>::exists) {
        using product = staged_product<T, Size, Lanes, Across, Terms>;
        SUBWAVE_DYNAMIC_SHARED(T, local);
        for_each_tile(problem, Size * Across, product::teams(), product::team(),
                      [&](matmul_stacked_tile<T> tile) {
                          product team(local);
                          tile.for_each_term([&] { team.add(problem.product.p, tile); });
                          team.store(problem.product, tile, true);
                          team.barrier(); /* the next tile takes the place of this one's C */
                      });
    } else {
        trap(); /* no plan asks for it on this architecture */
    }
}

template <class T>
SUBWAVE_TWO_WAVES SUBWAVE_KERNEL(SUBWAVE_MATMUL_BATCHED_BLOCK)
    matmul_stacked_unit(matmul_stacked_problem<T> problem)
{
    if constexpr (!multiplies_on_unit_v<T>) {
        trap(); /* no plan asks for it on this architecture */
    } else {
        const sub_group sg = this_work_item::get_sub_group();
        for_each_tile(problem, SUBWAVE_MATMUL_BATCHED_UNIT_SIDE, block_size() / wave_size(),
                      sg.get_group_linear_id(), [&](matmul_stacked_tile<T> tile) {
                          batched_unit_tile<T> sum(problem.product.p);
                          tile.for_each_term(
                              [&] { add_product<T>(sg.callers(), problem.product.p, tile, sum); });
                          store<T>(problem.product, tile, sum);
                      });
    }
}

template <class T, int For, int Size, int Lanes, int Across, int Terms>
static int launch_matmul_stacked_tile(const matmul_stacked_problem<T> &problem, void *stream)
{
    const subwave_matmul_batched_launch &p = problem.product.p;
    const dim3 grid(static_cast<std::uint32_t>(p.blocks)), block(p.block);
    constexpr bool fits = subwave_stacked_fits(Size, Across);
    if constexpr (!fits || !is_for<T>(For)) {
        return SUBWAVE_NO_KERNEL;
    } else if constexpr (Across == 0) {
        return launch(matmul_stacked_groups<T, Size, Lanes, Terms>, grid, block, 0, stream,
                      problem);
    } else {
        using s = staged<T, Size, Lanes, Across, Terms>;
        return launch(matmul_stacked_staged<T, Size, Lanes, Across, Terms>, grid, block,
                      p.block / s::items * s::bytes, stream, problem);
    }
}

template <class T>
int launch_matmul_stacked(const subwave_matmul_stacked_launch &launched, void *stream)
{
    const subwave_matmul_batched_launch &p = launched.product;
    matmul_stacked_problem<T> problem = {
        {p, {}, {}}, launched.count, launched.lists, launched.terms};
    memcpy(&problem.product.alpha, p.alpha, sizeof(T));
    memcpy(&problem.product.beta, p.beta, sizeof(T));
    switch (p.tile) {
#define SUBWAVE_X(name, use, size, lanes, across, terms4, terms8, terms16) \
    case SUBWAVE_MATMUL_BATCHED_##name: \
        return launch_matmul_stacked_tile<T, SUBWAVE_MATMUL_BATCHED_FOR_##use, size, lanes, \
                                          across, \
                                          (sizeof(T) == 4   ? terms4 \
                                           : sizeof(T) == 8 ? terms8 \
                                                            : terms16)>(problem, stream);
        SUBWAVE_MATMUL_BATCHED_TILES(SUBWAVE_X)
#undef SUBWAVE_X
    case SUBWAVE_MATMUL_BATCHED_UNIT:
        if constexpr (shapes.unit_in_batches)
            return launch(matmul_stacked_unit<T>, dim3(static_cast<std::uint32_t>(p.blocks)),
                          dim3(p.block), 0, stream, problem);
        break;
    default:
        break;
    }
    return SUBWAVE_NO_KERNEL;
}

SUBWAVE_END

SUBWAVE_KERNELS_matmul_stacked(SUBWAVE_DEFINE_LAUNCHER)
