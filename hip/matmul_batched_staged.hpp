/* SPDX-License-Identifier: MIT
 * matmul_batched_staged.hpp: products of groups of lanes that have their operands copied to local
 * memory, and larger ones by tiles of C.
 */
#ifndef SUBWAVE_HIP_MATMUL_BATCHED_STAGED_HPP
#define SUBWAVE_HIP_MATMUL_BATCHED_STAGED_HPP

#include "matmul_batched_unit.hpp"

SUBWAVE_BEGIN

/* A row of shared memory that holds this many elements, such that lanes which read four or eight
 * rows at once find them in different banks. */
constexpr int local_ld(int columns) { return (columns + 3) / 8 * 8 + 4; }

/* Copies rows x columns elements between shared memory and x, `item` of `items` work-items at work,
 * each row by neighbours. */
template <class Copy, class Local, class T>
SUBWAVE_DEVICE void stage_elements(Copy copy, Local *local, int row_local, T *x, std::int64_t ld,
                                   int rows, int columns, int item, int items)
{
    /* e / columns by multiplication, exact as long as e columns < 2^20; then by adding up. */
    const std::uint32_t reciprocal = (1u << 20) / columns + 1;
    const auto row_of = [=](int e) { return static_cast<int>(e * reciprocal >> 20); };
    int i = row_of(item), j = item - i * columns;
    const int down = row_of(items), across = items - down * columns;
    local += i * row_local + j;
    x += i * ld + j;
    if (across == 0) {
        for (; i < rows; i += down, local += down * row_local, x += down * ld)
            copy(local, x);
        return;
    }
    const int local_step = down * row_local + across, local_wrap = row_local - columns;
    const std::int64_t step = down * ld + across, wrap = ld - columns;
    while (i < rows) {
        copy(local, x);
        const bool wraps = j + across >= columns;
        i += down + wraps;
        j += across - (wraps ? columns : 0);
        local += local_step + (wraps ? local_wrap : 0);
        x += step + (wraps ? wrap : 0);
    }
}

/* The same, 16 bytes a copy where rows begin and end on such. */
template <class Copy, class T, class X>
SUBWAVE_DEVICE void stage(Copy copy, T *local, int row_local, X *x, std::int64_t ld, int rows,
                          int columns, int item, int items)
{
    constexpr int per = 16 / sizeof(T);
    using chunk =
        std::conditional_t<std::is_const<X>::value, const chunk_of_16_bytes, chunk_of_16_bytes>;
    if (per > 1 && columns % per == 0 && ld % per == 0 &&
        reinterpret_cast<std::uintptr_t>(x) % 16 == 0)
        stage_elements(copy, reinterpret_cast<chunk_of_16_bytes *>(local), row_local / per,
                       reinterpret_cast<chunk *>(x), ld / per, rows, columns / per, item, items);
    else
        stage_elements(copy, local, row_local, x, ld, rows, columns, item, items);
}

/* Zeroes rows x columns elements of shared memory. */
template <class T>
SUBWAVE_DEVICE void clear(T *local, int row_local, int rows, int columns, int item, int items)
{
    for (int e = item; e < rows * columns; e += items)
        local[e / columns * row_local + e % columns] = T{};
}

template <class T>
SUBWAVE_DEVICE void conjugate_all(T *local, int row_local, int rows, int columns, int item,
                                  int items)
{
    for (int e = item; e < rows * columns; e += items) {
        T &x = local[e / columns * row_local + e % columns];
        x = conjugate(x);
    }
}

/* What the staged kernel of these parameters keeps in shared memory. */
template <class T, int Size, int Lanes, int Across, int Terms> struct staged {
    static constexpr int side = Size * Across, items = Lanes * Across * Across;
    static constexpr int ld_terms = local_ld(Terms), ld_side = local_ld(side);
    /* Elements of an operand's part, whether its rows have Terms elements or `side`. */
    static constexpr int panel = side * ld_terms > Terms *ld_side ? side *ld_terms : Terms *ld_side;
    /* C's tile takes the place of both where that pays. */
    static constexpr bool keeps_c = sizeof(T) == 8 && side >= 32;
    static constexpr int elements =
        keeps_c && side * ld_side > 2 * panel ? side *ld_side : 2 * panel;
    static constexpr int bytes = elements * sizeof(T);
    static constexpr int bound =
        (sizeof(T) > 8 || shapes.staged_bound_by_items) && items <= 256 ? 256 : 512;
    static constexpr bool exists = subwave_batched_fits(few_registers, Size, items) &&
                                   (side <= 16 || !multiplies_on_unit_v<T>);
};

/* Across x Across groups of Lanes, a team, compute a tile of as many times Size x Size elements, Terms
 * steps of k at a time; their parts of A and B are copied to shared memory in the order in which
 * they lie, whatever the sizes, and read there by all. */
template <class T, int Size, int Lanes, int Across, int Terms> class staged_product {
    using group = fixed_size_group<Lanes>;
    using s = staged<T, Size, Lanes, Across, Terms>;
    static constexpr int side = s::side, ld_terms = s::ld_terms, ld_side = s::ld_side;

    const group g_;
    const int item_, i_, j_; /* in the team; of the group's elements in the tile */
    T *const local_a_, *const local_b_;
    group_matrix<T, Size, Size, group> sum_;

    SUBWAVE_DEVICE staged_product(group g, T *local, unsigned in_block)
        : g_(g), item_(in_block % s::items), i_(in_block % s::items / Lanes / Across * Size),
          j_(in_block % s::items / Lanes % Across * Size),
          local_a_(local + in_block / s::items * s::elements), local_b_(local_a_ + s::panel)
    {
        sum_.fill(T{});
    }
    /* As it lies: a row per step of k, or as many rows as C's tile has. */
    SUBWAVE_DEVICE void stage_part(T *to, const T *x, std::int64_t ld, bool row_per_term, int size,
                                   int l, int terms) const
    {
        if (code_is_short)
            stage(to_local<>(), to, row_per_term ? ld_side : ld_terms,
                  x + (row_per_term ? l * ld : l), ld, row_per_term ? terms : size,
                  row_per_term ? size : terms, item_, s::items);
        else if (row_per_term)
            stage(to_local<>(), to, ld_side, x + l * ld, ld, terms, size, item_, s::items);
        else
            stage(to_local<>(), to, ld_terms, x + l, ld, size, terms, item_, s::items);
    }

public:
    /* `local`: the block's shared memory, s::bytes per team. Unsigned, that divisions are shifts. */
    SUBWAVE_DEVICE explicit staged_product(T *local)
        : staged_product(get_fixed_size_group<Lanes>(this_work_item::get_sub_group()), local,
                         static_cast<unsigned>(block_item()))
    {
    }
    static SUBWAVE_DEVICE int teams() { return block_size() / s::items; }
    static SUBWAVE_DEVICE int team() { return unsigned(block_item()) / s::items; }

    SUBWAVE_DEVICE void barrier() const
    {
        if (Across == 1)
            wave_barrier(g_.callers(), site::current());
        else
            block_barrier(site::current());
    }

    /* Adds A B, where the tile's A and B are. The team calls together. */
    SUBWAVE_DEVICE void add(const subwave_matmul_batched_launch &p,
                            const matmul_batched_tile<T> &tile)
    {
        const int rows = tile.rows, columns = tile.columns, item = item_, items = s::items;
        for (int l = 0; l < p.k; l += Terms) {
            const int terms = p.k - l < Terms ? p.k - l : Terms;
            stage_part(local_a_, tile.a, p.a.ld, p.a.transposed, rows, l, terms);
            stage_part(local_b_, tile.b, p.b.ld, !p.b.transposed, columns, l, terms);
            const int missing = uses_matrix_unit<T, group, Size, Size, 8> ? -terms & 7 : 0;
            if (missing != 0) {
                if (p.a.transposed)
                    clear(local_a_ + terms * ld_side, ld_side, missing, side, item, items);
                else
                    clear(local_a_ + terms, ld_terms, side, missing, item, items);
                if (p.b.transposed)
                    clear(local_b_ + terms, ld_terms, side, missing, item, items);
                else
                    clear(local_b_ + terms * ld_side, ld_side, missing, side, item, items);
            }
            copies_to_local_done();
            barrier();
            if (p.a.conjugate || p.b.conjugate) { /* and so transposed */
                if (p.a.conjugate)
                    conjugate_all(local_a_, ld_side, terms, rows, item, items);
                if (p.b.conjugate)
                    conjugate_all(local_b_, ld_terms, columns, terms, item, items);
                barrier();
            }
            const T *const a = local_a_ + i_ * (p.a.transposed ? 1 : ld_terms);
            const T *const b = local_b_ + j_ * (p.b.transposed ? ld_terms : 1);
            const int rows_left = rows - i_, columns_left = columns - j_;
            if (p.a.transposed && p.b.transposed)
                matmul(g_, a, 1, ld_side, b, 1, ld_terms, sum_, terms, rows_left, columns_left);
            else if (p.a.transposed)
                matmul(g_, a, 1, ld_side, b, ld_side, 1, sum_, terms, rows_left, columns_left);
            else if (p.b.transposed)
                matmul(g_, a, ld_terms, 1, b, 1, ld_terms, sum_, terms, rows_left, columns_left);
            else
                matmul(g_, a, ld_terms, 1, b, ld_side, 1, sum_, terms, rows_left, columns_left);
            barrier();
        }
    }

    /* C = alpha sum + beta C, unless the team is beyond the work: it is not `mine` then. */
    SUBWAVE_DEVICE void store(const matmul_batched_problem<T> &problem,
                              const matmul_batched_tile<T> &tile, bool mine)
    {
        const std::int64_t ld = problem.p.c.ld;
        T *const c = tile.c + i_ * ld + j_;
        finish(g_, problem, c, tile.rows - i_, tile.columns - j_, sum_);
        /* Rows that begin within a sector of 32 bytes are written whole, by neighbours. */
        if (s::keeps_c && ld * sizeof(T) % 32 != 0) {
            sum_.store(g_, local_a_ + i_ * ld_side + j_, ld_side);
            barrier();
            if (mine)
                stage(from_local<T>{}, local_a_, ld_side, tile.c, ld, tile.rows, tile.columns,
                      item_, s::items);
        } else if (mine) {
            sum_.store(g_, c, ld, tile.rows - i_, tile.columns - j_);
        }
    }
};

template <class T, int Size, int Lanes, int Across, int Terms>
SUBWAVE_KERNEL((staged<T, Size, Lanes, Across, Terms>::bound))
matmul_batched_staged(matmul_batched_problem<T> problem)
{
    if constexpr (staged<T, Size, Lanes, Across, Terms>::exists) {
        using product = staged_product<T, Size, Lanes, Across, Terms>;
        SUBWAVE_DYNAMIC_SHARED(T, local);
        const subwave_matmul_batched_launch &p = problem.p;
        const std::int64_t count = p.batch * p.down * p.across;
        const std::int64_t at = (p.first_block + blockIdx.x) * product::teams() + product::team();
        const bool mine = at < count;
        const matmul_batched_tile<T> tile(problem, mine ? at : count - 1, Size * Across);
        product team(local);
        team.add(p, tile);
        team.store(problem, tile, mine);
    } else {
        trap(); /* no plan asks for it on this architecture */
    }
}

SUBWAVE_END

#endif
