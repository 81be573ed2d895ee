/* SPDX-License-Identifier: MIT
 * matmul_grouped.hip: C = alpha A B + beta C for problems of any sizes, as grouped.hip has measured
 * them. The work of a class is divided into equal shares; a group, team or wave computes the tiles
 * that begin in its share.
 */
#include "grouped.hpp"
#include "matmul_batched_add.hpp"

SUBWAVE_BEGIN

template <class T> struct matmul_grouped_problem {
    matmul_batched_problem<T> product;
    subwave_grouped_launch problems;
    int number;
};

/* A problem's product, of the kernel's arguments, which are read anew for it: else LLVM keeps what
 * follows from them in more registers than there are. */
template <class T> struct matmul_grouped_product : matmul_batched_problem<T> {
    static SUBWAVE_DEVICE void set(subwave_matmul_batched_operand &to,
                                   const subwave_grouped_operand &from, std::uint32_t i)
    {
        to.first = from.matrices[i];
        to.ld = from.lds[i];
    }
    SUBWAVE_DEVICE matmul_grouped_product(const matmul_grouped_problem<T> &anew, std::uint32_t i,
                                          const grouped_problem &sizes)
        : matmul_batched_problem<T>(anew.product)
    {
        this->p.m = sizes.m;
        this->p.n = sizes.n;
        this->p.k = sizes.k;
        /* Where A and B are not read, there may be none. */
        set(this->p.a, sizes.k > 0 ? anew.problems.a : anew.problems.c, i);
        set(this->p.b, sizes.k > 0 ? anew.problems.b : anew.problems.c, i);
        set(this->p.c, anew.problems.c, i);
    }
};

/* A tile of it, side x side elements of C or what is left of them. */
template <class T> struct matmul_grouped_tile : matmul_batched_tile<T> {
    static SUBWAVE_DEVICE T *first(const subwave_matmul_batched_operand &x)
    {
        return in_global_memory(static_cast<T *>(const_cast<void *>(x.first)));
    }
    SUBWAVE_DEVICE matmul_grouped_tile(const subwave_matmul_batched_launch &p, int i, int j,
                                       int side)
    {
        this->rows = p.m - i < side ? p.m - i : side;
        this->columns = p.n - j < side ? p.n - j : side;
        this->a = first(p.a) + i * (p.a.transposed ? 1 : p.a.ld);
        this->b = first(p.b) + j * (p.b.transposed ? p.b.ld : 1);
        this->c = first(p.c) + i * p.c.ld + j;
    }
};

/* Calls body(product, tile) for the tiles of team `team` of a block of `teams`, which does not wait
 * for other teams. */
template <class T, class Body>
SUBWAVE_DEVICE void for_each_tile(const matmul_grouped_problem<T> &problem, int side, int teams,
                                  int team, Body body)
{
    const grouped_work work(problem.problems, problem.number);
    const std::uint64_t total = work.total(), shares = std::uint64_t(gridDim.x) * teams,
                        mine = std::uint64_t(blockIdx.x) * teams + team;
    const std::uint64_t each = total / shares, more = total % shares;
    std::uint64_t at = each * mine + (mine < more ? mine : more);
    const std::uint64_t end = at + each + (mine < more ? 1 : 0);
    std::uint32_t i = 0, step = problem.problems.count;
    SUBWAVE_ROLLED
    while (at < end) {
        const matmul_grouped_problem<T> anew = argument_read_anew(problem);
        i = work.problem_of(at, i, step);
        step = 1;
        const grouped_problem sizes(anew.problems, i, side);
        const std::uint64_t before = work.before(i);
        const matmul_grouped_product<T> product(anew, i, sizes);
        /* The share may begin within the problem, and within a tile that is another's. */
        auto tile = static_cast<std::uint32_t>((at - before + sizes.units - 1) / sizes.units);
        for (; tile < sizes.tiles && before + std::uint64_t(tile) * sizes.units < end; ++tile) {
            const int down = static_cast<int>(tile / sizes.across),
                      across = static_cast<int>(tile - down * sizes.across);
            body(product, matmul_grouped_tile<T>(product.p, down * side, across * side, side));
        }
        at = before + sizes.work();
    }
}

template <class T, int Size, int Lanes, int Terms>
SUBWAVE_KERNEL(SUBWAVE_MATMUL_BATCHED_BLOCK)
matmul_grouped_groups(matmul_grouped_problem<T> problem)
{
    using group = fixed_size_group<Lanes>;
    const group g = get_fixed_size_group<Lanes>(this_work_item::get_sub_group());
    const int groups = block_size() / Lanes, mine = unsigned(block_item()) / Lanes;
    for_each_tile(
        problem, Size, groups, mine,
        [&](const matmul_batched_problem<T> &product, const matmul_batched_tile<T> &tile) {
            group_matrix<T, Size, Size, group> sum;
            sum.fill(T{});
            add_product<Terms>(g, product.p, tile, sum);
            finish(g, product, tile.c, tile.rows, tile.columns, sum);
            sum.store(g, tile.c, product.p.c.ld, tile.rows, tile.columns);
        });
}

/* Plans have tiles of 48 x 48 only where there are none of 64 x 64. */
template <class T, int Size>
inline constexpr bool is_largest_v = Size != 24 || few_registers || is_complex_v<T>;

template <class T, int Size, int Lanes, int Across, int Terms>
SUBWAVE_KERNEL((staged<T, Size, Lanes, Across, Terms>::bound))
matmul_grouped_staged(matmul_grouped_problem<T> problem)
{
    if constexpr (staged<T, Size, Lanes, Across, Terms>::exists && is_largest_v<T, Size>) {
        using staged_sum = staged_product<T, Size, Lanes, Across, Terms>;
        SUBWAVE_DYNAMIC_SHARED(T, local);
        for_each_tile(
            problem, Size * Across, staged_sum::teams(), staged_sum::team(),
            [&](const matmul_batched_problem<T> &product, const matmul_batched_tile<T> &tile) {
                staged_sum sum(local);
                sum.add(product.p, tile);
                sum.store(product, tile, true);
                sum.barrier(); /* C's place is the next tile's */
            });
    } else {
        trap(); /* no plan asks for it on this architecture */
    }
}

template <class T>
SUBWAVE_TWO_WAVES SUBWAVE_KERNEL(SUBWAVE_MATMUL_BATCHED_BLOCK)
    matmul_grouped_unit(matmul_grouped_problem<T> problem)
{
    if constexpr (!multiplies_on_unit_v<T>) {
        trap(); /* no plan asks for it on this architecture */
    } else {
        const sub_group sg = this_work_item::get_sub_group();
        for_each_tile(
            problem, SUBWAVE_MATMUL_BATCHED_UNIT_SIDE, block_size() / wave_size(),
            wave_uniform(static_cast<int>(sg.get_group_linear_id())),
            [&](const matmul_batched_problem<T> &product, const matmul_batched_tile<T> &tile) {
                batched_unit_tile<T> sum(product.p);
                add_product<T>(sg.callers(), product.p, tile, sum);
                store<T>(product, tile, sum);
            });
    }
}

template <class T, int For, int Size, int Lanes, int Across, int Terms>
static int launch_matmul_grouped_tile(const matmul_grouped_problem<T> &problem, void *stream)
{
    const subwave_matmul_batched_launch &p = problem.product.p;
    const dim3 grid(static_cast<std::uint32_t>(p.blocks)), block(p.block);
    constexpr bool fits = subwave_grouped_fits(min_wave_size(), Size, Across);
    if constexpr (!fits || !is_for<T>(For)) {
        return SUBWAVE_NO_KERNEL;
    } else if constexpr (Across == 0) {
        return launch(matmul_grouped_groups<T, Size, Lanes, Terms>, grid, block, 0, stream,
                      problem);
    } else {
        using s = staged<T, Size, Lanes, Across, Terms>;
        return launch(matmul_grouped_staged<T, Size, Lanes, Across, Terms>, grid, block,
                      p.block / s::items * s::bytes, stream, problem);
    }
}

template <class T>
int launch_matmul_grouped(const subwave_matmul_grouped_launch &launched, void *stream)
{
    const subwave_matmul_batched_launch &p = launched.product;
    matmul_grouped_problem<T> problem = {{p, {}, {}}, launched.problems, launched.number};
    memcpy(&problem.product.alpha, p.alpha, sizeof(T));
    memcpy(&problem.product.beta, p.beta, sizeof(T));
    switch (p.tile) {
#define SUBWAVE_X(name, use, size, lanes, across, terms4, terms8, terms16) \
    case SUBWAVE_MATMUL_BATCHED_##name: \
        return launch_matmul_grouped_tile<T, SUBWAVE_MATMUL_BATCHED_FOR_##use, size, lanes, \
                                          across, \
                                          (sizeof(T) == 4   ? terms4 \
                                           : sizeof(T) == 8 ? terms8 \
                                                            : terms16)>(problem, stream);
        SUBWAVE_MATMUL_BATCHED_TILES(SUBWAVE_X)
#undef SUBWAVE_X
    case SUBWAVE_MATMUL_BATCHED_UNIT:
        if constexpr (shapes.unit_in_batches)
            return launch(matmul_grouped_unit<T>, dim3(static_cast<std::uint32_t>(p.blocks)),
                          dim3(p.block), 0, stream, problem);
        break;
    default:
        break;
    }
    return SUBWAVE_NO_KERNEL;
}

SUBWAVE_END

SUBWAVE_KERNELS_matmul_grouped(SUBWAVE_DEFINE_LAUNCHER)
