/* SPDX-License-Identifier: MIT
 * matmul_skinny.hip: C = alpha A B + beta C where A has few rows: B is read once, k is split among
 * lanes, waves and blocks, and the parts' sums are added in an order that is always the same.
 */
#include "matmul_skinny_staged.hpp"
#include "matmul_skinny_unit.hpp"

#include <utility>

SUBWAVE_BEGIN

/* The cells of a tile that are stored in a round: neighbours in C have numbers that follow one
 * another. */
template <class T, class Tile> class round_cells {
    static constexpr unsigned rows_ = Tile::rows / Tile::rounds;
    const bool down_;
    const int columns_log2_;

public:
    const int columns;
    const unsigned count;

    SUBWAVE_DEVICE round_cells(const matmul_problem<T> &tile, int of_tile)
        : down_(tile.c_row == 1 && tile.c_column != 1), columns_log2_(31 - __builtin_clz(of_tile)),
          columns(of_tile), count(rows_ * of_tile)
    {
    }
    /* Of the round that has a cell of the tile. */
    SUBWAVE_DEVICE int first_row(unsigned cell) const
    {
        return (cell >> columns_log2_) / rows_ * rows_;
    }
    SUBWAVE_DEVICE int row(unsigned cell) const
    {
        return down_ ? cell % rows_ : cell >> columns_log2_;
    }
    SUBWAVE_DEVICE int column(unsigned cell) const
    {
        return down_ ? cell / rows_ : cell & ((1u << columns_log2_) - 1);
    }
};

/* Writes the tile's elements, which are the sums over all parts of what lies in `sums`. All waves of a
 * block shared a part's k. */
template <class T, class Tile>
SUBWAVE_DEVICE void add_parts(const matmul_problem<T> &tile, const T *sums, std::uint32_t parts,
                              T *memory)
{
    constexpr int pack = skinny_pack<T>, ahead = 16; /* loads that do not wait for one another */
    const round_cells<T, Tile> of_round(tile, Tile::columns(Tile::most_along));
    const unsigned cells = Tile::rounds * of_round.count, packs = cells / pack;
    const unsigned item = block_item(), items = block_size();
    /* If there are more work-items than packs, they split the parts among themselves. */
    const unsigned most = (parts + ahead - 1) / ahead, room = items / packs;
    const unsigned teams = room > most ? most : room > 1 ? room : 1;
    for (unsigned e = teams > 1 ? item % packs : item; e < packs; e += items) {
        const unsigned team = teams > 1 ? item / packs : 0;
        T sum[pack] = {};
        for (std::uint32_t part = team; part < parts; part += ahead * teams) {
            T more[ahead][pack] = {};
            SUBWAVE_UNROLL
            for (int a = 0; a < ahead; ++a)
                if (part + a * teams < parts)
                    load_together<skinny_pack<T>>(
                        more[a], &sums[std::int64_t(part + a * teams) * cells + e * pack]);
            SUBWAVE_UNROLL
            for (int a = 0; a < ahead; ++a) {
                SUBWAVE_UNROLL
                for (int c = 0; c < pack; ++c)
                    sum[c] += more[a][c];
            }
        }
        SUBWAVE_UNROLL
        for (int c = 0; c < pack; ++c) {
            if (team < teams)
                memory[(team * packs + e) * pack + c] = sum[c];
        }
    }
    block_barrier(site::current());
    for (unsigned cell = item; cell < cells; cell += items) {
        T sum = {};
        for (unsigned team = 0; team < teams; ++team)
            sum += memory[team * cells + cell];
        const unsigned e = cell & (of_round.count - 1);
        const int i = of_round.first_row(cell) + of_round.row(e), j = of_round.column(e);
        if (i < tile.m && j < tile.n)
            tile.store(i, j, sum);
    }
}

/* The sums of the waves that shared k, some rows at a time, go to C if they are Whole, or as one part's
 * to `sums`. */
template <bool Whole, class T, class Tile>
SUBWAVE_DEVICE void finish(const matmul_problem<T> &tile, const Tile &mine, int along, T *sums,
                           T *memory)
{
    const unsigned item = block_item(), items = block_size();
    constexpr int rows = Tile::rows / Tile::rounds;
    const round_cells<T, Tile> cells(tile, Tile::columns(along));
    SUBWAVE_UNROLL
    for (int round = 0; round < Tile::rounds; ++round) {
        block_barrier(site::current());
        mine.put(round, memory, cells.columns);
        block_barrier(site::current());
        SUBWAVE_ROLLED
        for (unsigned e = item; e < cells.count; e += items) {
            const int i = cells.row(e), j = cells.column(e);
            const T *const from = &memory[skinny_place<T>(i, j, cells.columns)];
            T sum = *from;
            SUBWAVE_UNROLL
            for (int wave = 1; wave < Tile::most_along; ++wave) {
                if (wave < along)
                    sum += from[wave * cells.count];
            }
            if constexpr (!Whole)
                sums[round * cells.count + e] = sum;
            else if (round * rows + i < tile.m && j < tile.n)
                tile.store(round * rows + i, j, sum);
        }
    }
}

/* A block computes one part of a tile; the last of a tile's blocks adds the parts up. */
template <class T, class Tile>
SUBWAVE_KERNEL(Tile::items, Tile::blocks)
matmul_skinny(skinny_problem<T> p)
{
    SUBWAVE_DYNAMIC_SHARED(T, memory);
    const auto locate = [&](std::uint32_t block) {
        const block_tile tile(p.first_tile + block % p.tiles, p.whole.m, Tile::rows);
        return p.whole.from(tile.row * Tile::rows, tile.column * Tile::columns(p.along),
                            block / p.tiles * p.part, p.part);
    };
    Tile mine(locate(blockIdx.x), this_work_item::get_sub_group(), p.along);
    mine.multiply(memory, site::current());

    /* The block's index is computed again, so that values derived from it do not stay in
     * registers. */
    const std::uint32_t block = computed_anew(static_cast<int>(blockIdx.x)), at = block % p.tiles;
    const matmul_problem<T> tile = locate(block);
    /* With one call for both, LLVM 19 puts a jump into the main loop of skinny_dots. */
    if (p.parts == 1) {
        finish<true, T, Tile>(tile, mine, p.along, nullptr, memory);
        return;
    }
    const unsigned cells = Tile::rows * Tile::columns(p.along);
    T *const sums = p.sums + std::int64_t(at) * p.parts * cells;
    finish<false, T, Tile>(tile, mine, Tile::most_along, sums + block / p.tiles * cells, memory);
    if (!is_last_of_tile(&p.finished[at], p.parts, memory))
        return;
    add_parts<T, Tile>(tile, sums, p.parts, memory);
    if (block_item() == 0)
        p.finished[at] = 0;
}

template <class T> static auto skinny_kernel(const subwave_matmul_kernel &plan)
{
    void (*kernel)(skinny_problem<T>) = nullptr;
    const auto is = [&](int rows, int shape, bool packed) {
        return plan.tile_rows == rows && plan.of.skinny.shape == shape &&
               bool(plan.packed) == packed;
    };
    /* Where any line is read by packs, plans ask for no others; but a single column may be none. */
    const auto try_shape = [&](auto rows_, auto packed_) {
        constexpr int rows = rows_();
        constexpr bool packed = packed_();
        if constexpr (packed || !skinny_loads_anywhere<T>) {
            if (is(rows, SUBWAVE_SKINNY_ACROSS, packed))
                kernel = matmul_skinny<T, skinny_lanes<T, rows, false, false, packed>>;
            if (is(rows, SUBWAVE_SKINNY_NARROW, packed))
                kernel = matmul_skinny<T, skinny_lanes<T, rows, true, false, packed>>;
        }
        if constexpr (rows == 1) {
            if (is(rows, SUBWAVE_SKINNY_DOWN, packed))
                kernel = matmul_skinny<T, skinny_dots<T, packed>>;
        } else if constexpr ((packed || !skinny_loads_anywhere<T>) &&
                             subwave_skinny_has_down(&shapes, rows, sizeof(T))) {
            if (is(rows, SUBWAVE_SKINNY_DOWN, packed))
                kernel = matmul_skinny<T, skinny_lanes<T, rows, false, true, packed>>;
        }
    };
    const auto try_rows = [&](auto rows) {
        try_shape(rows, std::false_type());
        try_shape(rows, std::true_type());
    };
    try_rows(std::integral_constant<int, 1>());
    try_rows(std::integral_constant<int, 4>());
    try_rows(std::integral_constant<int, 16>());
    if constexpr (shapes.skinny_staged && std::is_floating_point<T>::value) {
#define SUBWAVE_X(name, bytes, rows, columns, tall, wide, steps, stages, down, blocks, ...) \
    if constexpr (sizeof(T) == bytes) { \
        if (plan.of.skinny.shape == SUBWAVE_SKINNY_##name) \
            kernel = \
                plan.packed \
                    ? matmul_skinny_staged<T, skinny_staged<T, rows, columns, tall, wide, steps, \
                                                            stages, down, blocks, true>> \
                    : matmul_skinny_staged<T, skinny_staged<T, rows, columns, tall, wide, steps, \
                                                            stages, down, blocks, false>>; \
    }
        SUBWAVE_SKINNY_STAGES(SUBWAVE_X)
#undef SUBWAVE_X
    }
    if constexpr (shapes.f64_unit_in_groups && std::is_same<T, double>::value) {
#define SUBWAVE_X(name, along, steps, down) \
    if (plan.of.skinny.shape == SUBWAVE_SKINNY_##name) \
        kernel = plan.packed ? matmul_skinny<T, skinny_unit<T, along, steps, down, true>> \
                             : matmul_skinny<T, skinny_unit<T, along, steps, down, false>>;
        SUBWAVE_SKINNY_UNITS(SUBWAVE_X)
#undef SUBWAVE_X
    }
    return kernel;
}

template <class T> static int launch_matmul_skinny(const subwave_matmul_launch &l, void *stream)
{
    const subwave_matmul_kernel &plan = l.kernel;
    char *const workspace = static_cast<char *>(l.workspace);
    /* With A and B exchanged, the signs of conjugation are put to B's elements, which lanes have in
     * registers for all rows; A's go to shared memory as they are. */
    subwave_matmul_product product = l.product;
    std::swap(product.conjugate_a, product.conjugate_b);
    skinny_problem<T> problem = {
        problem_of<T>(product),
        plan.of.skinny.part,
        static_cast<std::uint32_t>(plan.parts),
        plan.of.skinny.along,
        0,
        plan.of.skinny.tiles,
        reinterpret_cast<T *>(workspace + SUBWAVE_WORKSPACE_COUNTERS * sizeof(std::uint32_t)),
        reinterpret_cast<std::uint32_t *>(workspace)};
    const auto kernel = skinny_kernel<T>(plan);
    if (!kernel)
        return SUBWAVE_NO_KERNEL;
    if (subwave_skinny_is_staged(plan.of.skinny.shape)) {
        problem.tiles = plan.of.skinny.tiles;
        return launch(kernel, dim3(plan.blocks), dim3(plan.block_x), plan.shared_bytes, stream,
                      problem);
    }
    /* A grid on AMD has fewer than 2^32 work-items. */
    const std::uint32_t most = 1 << 23;
    int status = 0;
    for (; status == 0 && problem.first_tile < plan.of.skinny.tiles;
         problem.first_tile += problem.tiles) {
        const std::uint32_t left = plan.of.skinny.tiles - problem.first_tile;
        problem.tiles = left < most ? left : most;
        status = launch(kernel, dim3(problem.tiles * problem.parts), dim3(plan.block_x),
                        plan.shared_bytes, stream, problem);
    }
    return status;
}

SUBWAVE_END

SUBWAVE_KERNELS_matmul_skinny(SUBWAVE_DEFINE_LAUNCHER)
