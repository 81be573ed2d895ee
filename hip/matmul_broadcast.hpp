/* SPDX-License-Identifier: MIT
 * matmul_broadcast.hpp: C = alpha A B + beta C from tiles in registers: A is broadcast through the
 * sub-group, B is loaded ahead of its use. There is one main loop per platform, for tiles that lie
 * in C, and one for the edges.
 */
#ifndef SUBWAVE_HIP_MATMUL_BROADCAST_HPP
#define SUBWAVE_HIP_MATMUL_BROADCAST_HPP

#include "matmul_broadcast_tile.hpp"

#include <utility>

SUBWAVE_BEGIN

/* AMD, where A goes through the lanes. Adds the part's whole fragments, row after row of B, each
 * loaded three before its use (f64 and c32: two, c64: one). */
template <class Tile>
SUBWAVE_DEVICE void add_by_rows(const Tile &t, typename Tile::sums &cells, site where)
{
    using T = typename Tile::element;
    constexpr int steps = 4, ring = sizeof(T) == 16 ? 2 : 4,
                  ahead = sizeof(T) == 16  ? 1
                          : sizeof(T) == 8 ? 2
                                           : 3;
    const T *a = t.first_of_a(), *row = t.first_of_b();
    typename Tile::received_fragment mine = t.widen(t.load_a(a));
    a += t.share() > 1 ? Tile::width() * t.p_.a_column : 0;
    typename Tile::fragment next = t.load_a(a);
    T b[ring][Tile::item_columns];
    SUBWAVE_UNROLL
    for (int s = 0; s < ahead; ++s, row += t.p_.b_row)
        t.template load_b<true>(b[s], row);
    /* No memory holds so many that 32 bits do not count them. */
    for (auto left = static_cast<std::uint32_t>(t.share()); left > 0; --left) {
        for (int first = 0; first < Tile::width(); first += steps) {
            const std::int64_t beyond = left > 1 || first + steps < Tile::width() ? t.p_.b_row : 0;
            SUBWAVE_UNROLL
            for (int s = 0; s < steps; ++s) {
                t.template load_b<true>(b[(s + ahead) % ring], row);
                row += s < steps - ahead - 1 ? t.p_.b_row : beyond;
                typename Tile::received_fragment received;
                SUBWAVE_UNROLL
                for (int r = 0; r < Tile::item_rows; ++r)
                    received.row[r] =
                        wave_broadcast_in_team(t.members_, mine.row[r], first + s, where);
                Tile::add_step(cells, received, b[s % ring]);
                keep_order();
            }
        }
        mine = t.widen(next);
        a += left > 2 ? Tile::width() * t.p_.a_column : 0;
        next = t.load_a(a);
    }
}

/* AMD, packed elements of 4 bytes and more. Adds the part's whole fragments with A in scalar registers,
 * which a multiply-add reads at no cost and whose loads leave the vector unit to the multiply-adds.
 * There are two buffers of four times 32 bytes: either 4 rows of the tile for as many steps of k as
 * 32 bytes have elements, or 4 steps for as many rows. Each is filled while the other is used;
 * since loads of scalars arrive in any order, what is in use has arrived before the next is asked
 * for. B's rows for the next steps are loaded meanwhile. */
template <class Tile> SUBWAVE_DEVICE void add_by_scalars(const Tile &t, typename Tile::sums &cells)
{
    using T = typename Tile::element;
    constexpr bool along_k = Tile::operand_a == broadcast_a::along_k;
    constexpr int loads = 4, length = 32 / static_cast<int>(sizeof(T));
    constexpr int steps = along_k ? length : loads;
    constexpr int high = along_k ? loads : length < Tile::item_rows ? length : Tile::item_rows;
    constexpr int parts = Tile::item_rows / high;
    static_assert(Tile::item_rows % high == 0, "rows are whole parts");
    T scalars[2][loads][along_k ? steps : high], b[2][steps][Tile::item_columns];
    /* Kept for each lane where scalar registers are short. */
    const std::int64_t a_step = along_k ? of_each_lane(t.p_.a_row) : t.p_.a_column,
                       a_next = of_each_lane(along_k ? steps : steps * t.p_.a_column),
                       b_row = of_each_lane(t.p_.b_row);
    const T *a = t.first_of_a(), *from = a, *row = t.first_of_b();
    const auto load_a = [&](int buffer, int number) {
        const T *place = from;
        /* Along k by two loads, whose registers are found more easily. */
        load_scalars<along_k ? steps : high, along_k ? 2 : 1>(scalars[buffer][number], place);
        from = (along_k ? from : place) + a_step;
    };
    SUBWAVE_UNROLL
    for (int i = 0; i < loads; ++i)
        load_a(0, i);
    SUBWAVE_UNROLL
    for (int s = 0; s < steps; ++s, row += b_row)
        t.template load_b<true>(b[0][s], row);
    /* No memory holds so many that 32 bits do not count them. */
    auto left = static_cast<std::int32_t>(t.share() * (Tile::width() / (2 * steps)));
    for (; left > 0; --left) {
        /* All bits, or none in the last turn, whose loads stay in the matrices. */
        const std::int64_t further = ~((left - 2) >> 31);
        SUBWAVE_UNROLL
        for (int half = 0; half < 2; ++half) {
            SUBWAVE_UNROLL
            for (int part = 0; part < parts; ++part) {
                const int buffer = (half * parts + part) % 2;
                if constexpr (is_complex_v<T>) {
                    SUBWAVE_UNROLL
                    for (auto &loaded : scalars[buffer]) {
                        SUBWAVE_UNROLL
                        for (T &scalar : loaded)
                            scalar = t.p_.factor(scalar);
                    }
                }
                SUBWAVE_UNROLL
                for (int s = 0; s < steps; ++s) {
                    if (part == 0) {
                        t.template load_b<true>(b[1 - half][s], row);
                        row += b_row & (half == 0 && s + 1 < steps ? -1 : further);
                    }
                    SUBWAVE_UNROLL
                    for (int i = 0; i < high; ++i) {
                        /* First what was loaded last, for then all has arrived. */
                        const int r = along_k ? high - 1 - i : i;
                        add_products(cells[part * high + r], scalars[buffer][along_k ? r : s],
                                     along_k ? s : r, b[half][s]);
                        /* Between multiply-adds, with which other waves can fill the time. */
                        const int done = s * high + i;
                        if (done % 2 == 0 && done / 2 < loads) {
                            keep_order();
                            if (done == 0 && part + 1 == parts)
                                from = a += a_next & (half == 0 ? -1 : further);
                            else if (done == 0 && !along_k)
                                from = a + (part + 1) * high;
                            load_a(1 - buffer, done / 2);
                            keep_order();
                        }
                    }
                    keep_order();
                }
            }
        }
    }
}

/* Rows of B that NVIDIA loads together: as many as there are registers for. */
template <class Tile> constexpr __host__ __device__ int broadcast_group_size()
{
    const int words = sizeof(typename Tile::sum) / 4,
              element_bytes = sizeof(typename Tile::element);
    const int others = (Tile::item_rows * Tile::item_columns + 3 * Tile::item_rows) * words;
    const int most = is_complex_v<typename Tile::element> ? 200 : 240; /* ptxas spills with more */
    int size = 8;
    while (size > 1 && others + 2 * size * Tile::item_columns * element_bytes / 4 > most)
        size /= 2;
    return size;
}

/* NVIDIA. Adds the part's whole fragments by groups of rows of B, each loaded while the one before
 * is used. A multiply-add takes two or three cycles if its registers lie in one bank; ptxas finds
 * them places if it neither mixes steps nor moves loads (docs/nvidia.md). */
template <class Tile>
SUBWAVE_DEVICE void add_by_groups(const Tile &t, typename Tile::sums &cells, site where)
{
    using T = typename Tile::element;
    constexpr int rows = Tile::item_rows, columns = Tile::item_columns;
    constexpr int steps = wave_small_team, group = broadcast_group_size<Tile>(),
                  load_step = sizeof(T) < 8;
    /* a block is whole sub-groups; a constant saves a branch */
    constexpr lane_mask all = 0xffffffff;
    const T *a = t.first_of_a(), *row = t.first_of_b();
    const std::int64_t touched_a = t.lines_of_a();
    const T *touched_b = t.lines_of_b();
    typename Tile::received_fragment mine = t.widen(t.template load_a<true>(a)), received[2];
    const auto receive = [&](int r, int s) {
        received[s % 2].row[r] = wave_broadcast_in_team(all, mine.row[r], s, where);
    };
    T b[2][group][columns];
    SUBWAVE_UNROLL
    for (int q = 0; q < group; ++q, row += t.p_.b_row)
        t.template load_b<true, true>(b[0][q], row);
    /* Steps of k. No memory holds 2^31 of them for a tile. */
    int left = computed_anew(static_cast<int>(t.share() * steps));
    for (; left > 0; left -= steps) {
        SUBWAVE_UNROLL
        for (int r = 0; r < rows; ++r)
            receive(r, 0);
        typename Tile::fragment next;
        const std::int64_t beyond = left > steps ? t.p_.b_row : 0;
        a += left > steps ? steps * t.p_.a_column : 0;
        SUBWAVE_UNROLL
        for (int s = 0; s < steps; ++s) {
            if (s % group == load_step) {
                SUBWAVE_UNROLL
                for (int q = 0; q < group; ++q) {
                    t.template load_b<true, true>(b[(s / group + 1) % 2][q], row);
                    row += (s / group + 1) * group + q + 1 < steps ? t.p_.b_row : beyond;
                }
            }
            if (s == load_step && left > steps) {
                touch(a + touched_a);
                t.touch_b(touched_b);
                touched_b += steps * t.p_.b_row;
            }
            SUBWAVE_UNROLL
            for (int r = 0; r < rows; ++r) {
                /* To and fro, so that a multiply-add has an operand from the one before. */
                SUBWAVE_UNROLL
                for (int c = 0; c < columns; ++c) {
                    const int at = r % 2 ? columns - 1 - c : c;
                    add_product(cells[r][at], received[s % 2].row[r],
                                typename Tile::sum(b[s / group % 2][s % group][at]));
                }
                if (s + 1 < steps)
                    receive(r, s + 1);
            }
            if (s == steps - 2)
                next = t.template load_a<true>(a);
            if (s + 1 < steps && s + 1 >= left) /* never: for ptxas a block of code ends */
                break;
        }
        mine = t.widen(next);
    }
}

/* Adds the part's whole fragments, of a tile that lies in C. */
template <class Tile>
SUBWAVE_DEVICE void add_ahead(const Tile &t, typename Tile::sums &cells, site where)
{
    if (t.share() == 0)
        return;
    if constexpr (wave_small_team > 0)
        add_by_groups(t, cells, where);
    else if constexpr (Tile::operand_a != broadcast_a::by_lanes)
        add_by_scalars(t, cells);
    else
        add_by_rows(t, cells, where);
}

/* The CPU device. Adds `count` steps of k in vectors, with indices that GCC knows in time for
 * registers. */
template <class Tile, class Received, int... R, int... V>
SUBWAVE_DEVICE void add_by_vectors(const Tile &t, typename Tile::sums &cells, const Received &team,
                                   int count, const typename Tile::element *row,
                                   std::integer_sequence<int, R...>,
                                   std::integer_sequence<int, V...>)
{
    using sum = typename Tile::sum;
    using vector = typename wave_vector<sum>::type;
    constexpr int lanes = sizeof(vector) / sizeof(sum), vectors = sizeof...(V);
    vector now[sizeof...(R) * vectors], b[vectors];
    memcpy(now, cells, sizeof now);
    for (int s = 0; s < count; ++s, row += t.p_.b_row) {
        const typename Tile::received_fragment &received = team.read_in_team(s);
        (memcpy(&b[V], row + V * lanes, sizeof(vector)), ...);
        const auto add_row = [&](auto r, sum a) { ((now[r * vectors + V] += b[V] * a), ...); };
        (add_row(std::integral_constant<int, R>(), received.row[R]), ...);
    }
    memcpy(cells, now, sizeof now);
}

/* Adds the part's fragments from `number` on. At the edges (not Inside) all load elements that
 * exist. */
template <bool Inside, class Tile>
SUBWAVE_DEVICE void add_one_by_one(const Tile &t, typename Tile::sums &cells, std::int64_t number,
                                   site where)
{
    using T = typename Tile::element;
    constexpr int rows = Tile::item_rows, columns = Tile::item_columns;
    const auto &p = t.p_;
    for (; number <= t.share() && t.term(number) < p.k; ++number) {
        const std::int64_t l = t.term(number);
        typename Tile::fragment mine;
        SUBWAVE_UNROLL
        for (int r = 0; r < rows; ++r)
            mine.row[r] = p.a_at(Inside ? t.i_ + r : Tile::least(t.i_ + r, p.m - 1),
                                 Tile::least(l + t.item_, p.k - 1));
        const auto team = wave_publish(t.members_, t.widen(mine), where);
        const int count = static_cast<int>(Tile::least(p.k - l, Tile::width()));
        const T *row = &p.b[l * p.b_row + t.j_ * p.b_column];
        if constexpr (Inside && Tile::packed && std::is_same<T, typename Tile::sum>::value &&
                      !is_complex_v<T>) {
            add_by_vectors(t, cells, team, count, row, std::make_integer_sequence<int, rows>(),
                           std::make_integer_sequence<int, columns * sizeof(T) / 16>());
            continue;
        }
        for (int s = 0; s < count; ++s, row += p.b_row) {
            T b[columns];
            t.template load_b<Inside>(b, row);
            Tile::add_step(cells, team.read_in_team(s), b);
        }
    }
}

/* With teams a work-item may have 255 registers. */
template <class T, int Rows, int Columns, bool Packed, broadcast_a A>
SUBWAVE_KERNEL((wave_small_team > 0 ? 8 : 4) * wave_size(), 1)
matmul_broadcast(matmul_problem<T> p)
{
    using tile = broadcast_tile<T, Rows, Columns, Packed, A>;
    const site where = site::current();
    sub_group sg = this_work_item::get_sub_group();
    tile t(p, sg);
    typename tile::sums cells = {};
    t.locate(sg);
    if (t.own_i_ >= t.p_.m) {
        /* nothing to add or store, but a barrier to reach */
    } else if constexpr (wave_loads_ahead) {
        if (t.inside_)
            add_ahead(t, cells, where);
        t.p_ = argument_read_anew(t.p_);
        t.locate(sg);
        add_one_by_one<false>(t, cells, t.inside_ ? t.share() : 0, where);
    } else if (t.inside_) {
        add_one_by_one<true>(t, cells, 0, where);
    } else {
        add_one_by_one<false>(t, cells, 0, where);
    }
    if (tile::in_parts && t.parts() > 1)
        t.join(cells, sg, where);
    if (!tile::in_parts || t.part_ == 0)
        t.store(cells);
}

SUBWAVE_END

#endif
