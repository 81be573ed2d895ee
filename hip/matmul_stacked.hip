/* SPDX-License-Identifier: MIT
 * matmul_stacked.hip: C = alpha (A1 B1 + A2 B2 + ...) + beta C for the lists of a stack, as stack.hip
 * leaves it. All terms of a C are added up in the registers of one group or wave, in their order.
 */
#include "matmul_batched_add.hpp"

SUBWAVE_BEGIN

template <class T> struct matmul_stacked_problem {
    matmul_batched_problem<T> product;
    const std::uint32_t *count;
    const subwave_stack_list *lists;
    const subwave_stack_term *terms;
};

/* A tile of a list's C, side x side elements or what is left of them. The kernel's arguments are read
 * anew for each term: else LLVM keeps what follows from them in more registers than there are. */
template <class T> class matmul_stacked_tile : public matmul_batched_tile<T> {
    const matmul_stacked_problem<T> &problem_;
    const int i_, j_, side_; /* i, j: its first element */
    const subwave_stack_list list_;

    static SUBWAVE_DEVICE T *at(const subwave_matmul_batched_operand &x, std::int64_t offset)
    {
        return in_global_memory(static_cast<T *>(const_cast<void *>(x.first)) + offset);
    }
    SUBWAVE_DEVICE void measure(const subwave_matmul_batched_launch &p)
    {
        this->rows = p.m - i_ < side_ ? p.m - i_ : side_;
        this->columns = p.n - j_ < side_ ? p.n - j_ : side_;
    }

public:
    SUBWAVE_DEVICE matmul_stacked_tile(const matmul_stacked_problem<T> &problem, std::uint32_t list,
                                       int tile, int side)
        : problem_(problem), i_(tile / problem.product.p.across * side),
          j_(tile % problem.product.p.across * side), side_(side), list_(problem.lists[list])
    {
    }
    /* Calls add(p) for each term, with the tile's part of its A and B. */
    template <class Add> SUBWAVE_DEVICE void for_each_term(Add add)
    {
        SUBWAVE_ROLLED
        for (std::uint32_t t = 0; t < list_.count; ++t) {
            const matmul_stacked_problem<T> anew = argument_read_anew(problem_);
            const subwave_matmul_batched_launch &p = anew.product.p;
            const subwave_stack_term term = anew.terms[list_.first + t];
            measure(p);
            this->a = at(p.a, term.a) + i_ * (p.a.transposed ? 1 : p.a.ld);
            this->b = at(p.b, term.b) + j_ * (p.b.transposed ? p.b.ld : 1);
            add(p);
        }
    }
    /* Calls store(problem) with the tile's part of C. */
    template <class Store> SUBWAVE_DEVICE void finish(Store store)
    {
        const matmul_batched_problem<T> product = argument_read_anew(problem_).product;
        measure(product.p);
        this->c = at(product.p.c, list_.c) + i_ * product.p.c.ld + j_;
        store(product);
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
    const int groups = block_size() / Lanes, mine = unsigned(block_item()) / Lanes;
    for_each_tile(problem, Size, groups, mine, [&](matmul_stacked_tile<T> tile) {
        group_matrix<T, Size, Size, group> sum;
        sum.fill(T{});
        tile.for_each_term(
            [&](const subwave_matmul_batched_launch &p) { add_product<Terms>(g, p, tile, sum); });
        tile.finish([&](const matmul_batched_problem<T> &product) {
            finish(g, product, tile.c, tile.rows, tile.columns, sum);
            sum.store(g, tile.c, product.p.c.ld, tile.rows, tile.columns);
        });
    });
}

template <class T, int Size, int Lanes, int Across, int Terms>
SUBWAVE_KERNEL((staged<T, Size, Lanes, Across, Terms>::bound))
matmul_stacked_staged(matmul_stacked_problem<T> problem)
{
    if constexpr (staged<T, Size, Lanes, Across, Terms>::exists) {
        using staged_sum = staged_product<T, Size, Lanes, Across, Terms>;
        SUBWAVE_DYNAMIC_SHARED(T, local);
        const int teams = staged_sum::teams(), mine = staged_sum::team();
        for_each_tile(problem, Size * Across, teams, mine, [&](matmul_stacked_tile<T> tile) {
            staged_sum sum(local);
            tile.for_each_term([&](const subwave_matmul_batched_launch &p) { sum.add(p, tile); });
            tile.finish([&](const matmul_batched_problem<T> &product) {
                sum.store(product, tile, true);
                sum.barrier(); /* C's place is the next tile's */
            });
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
        const int waves = block_size() / wave_size(), mine = sg.get_group_linear_id();
        for_each_tile(problem, SUBWAVE_MATMUL_BATCHED_UNIT_SIDE, waves, mine,
                      [&](matmul_stacked_tile<T> tile) {
                          batched_unit_tile<T> sum(problem.product.p);
                          tile.for_each_term([&](const subwave_matmul_batched_launch &p) {
                              add_product<T>(sg.callers(), p, tile, sum);
                          });
                          tile.finish([&](const matmul_batched_problem<T> &product) {
                              store<T>(product, tile, sum);
                          });
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
