/* SPDX-License-Identifier: MIT
 * scan.hip: y[i] = x[0] op ... op x[i], or up to x[i - 1]. An array is read from memory once and
 * written once.
 *
 * A block scans a tile of SUBWAVE_SCAN_ROWS rows (array.hpp); what stands before it comes from
 * other blocks (look_back.hpp). So the order depends on n alone. Rows of a matrix are arrays of their
 * own, the tiles of each of which follow those of the one before.
 */
#include "look_back.hpp"
#include "reduce.hpp"
#include "scan_runs.hpp"

SUBWAVE_BEGIN

/* Stores a pack of 32 bytes together with the neighbouring lane's. Of both packs the lane with the even
 * number stores the first halves and the other one the second halves: a store of the two fills 32 bytes. */
template <int Size, class T>
SUBWAVE_DEVICE void store_with_neighbour(lane_mask callers, T *to, const T (&pack)[Size])
{
    constexpr int half = Size / 2;
    using word = std::uint32_t;
    /* A mask, since nvcc would make two branches of choices by a condition, and exchange in both. */
    const auto odd = static_cast<word>(held(-static_cast<std::int64_t>(wave_lane() & 1)));
    const auto chosen = [odd](word if_odd, word if_even) {
        return (if_odd & odd) | (if_even & ~odd);
    };
    /* What the lane stores, of the even lane's pack and of the odd one's. */
    T first[half], second[half];
    SUBWAVE_UNROLL
    for (int e = 0; e < half; ++e) {
        words_of<T> low = to_words(pack[e]), high = to_words(pack[half + e]);
        SUBWAVE_UNROLL
        for (std::size_t w = 0; w < sizeof(T) / sizeof(word); ++w) {
            const word given = chosen(low.word[w], high.word[w]),
                       others = wave_sibling(callers, given, 1, site::current());
            low.word[w] = chosen(others, low.word[w]);
            high.word[w] = chosen(high.word[w], others);
        }
        first[e] = from_words<T>(low);
        second[e] = from_words<T>(high);
    }
    T *const at = to - (wave_lane() & 1) * half;
    store_pack<false>(at, first);
    store_pack<false>(at + Size, second);
}

/* A work-item's packs of a tile, one per row. For small elements a loop over the
 * rows is not unrolled, or the code would be too long. */
template <class T> struct scan_packs {
    static constexpr int rows = SUBWAVE_SCAN_ROWS(sizeof(T)), size = scan_pack_size<T>,
                         all = SUBWAVE_SCAN_TILE(sizeof(T));
    static constexpr bool rolled = sizeof(T) < 4;
    scan_elements<T> pack[rows];

    /* The first element of the pack of a row, counted from the tile's. */
    static SUBWAVE_DEVICE int place(int row)
    {
        return (row * array_block + static_cast<int>(threadIdx.x)) * size;
    }
    /* Calls body(element, i) for those of the pack in which a tile of `elements` ends. */
    template <class Body> SUBWAVE_DEVICE void for_last(int elements, Body body)
    {
        for_rows<true>(
            [&](int r, scan_elements<T> &of_row) {
                const int first = place(r);
                if (first < elements && elements < first + size) {
                    SUBWAVE_UNROLL
                    for (int e = 0; e < size; ++e)
                        if (first + e < elements)
                            body(of_row.element[e], first + e);
                }
            },
            pack);
    }
    /* Where the pack of a row is, of a tile whose first element is at `tile`. */
    template <class E> static SUBWAVE_DEVICE E *at(E *tile, int row)
    {
        return &element_in_row(tile, static_cast<std::uint32_t>(row * array_block * size),
                               threadIdx.x * size);
    }
    template <bool Aligned> SUBWAVE_DEVICE void load_row(int row, const T *from)
    {
        /* By words where LLVM 15 compiles, which is what the flag says: of a pack's elements it makes three
         * loads. Newer LLVMs make more loads of the words. */
        if constexpr (adds_wide_offsets && size > pack_size<T>)
            pack[row] = __builtin_bit_cast(scan_elements<T>, load_words_of<Aligned, size>(from));
        else
            load_pack<Aligned>(pack[row].element, from);
    }
    /* Those behind the end hold anything: nothing that is stored depends on them. */
    template <bool Aligned> SUBWAVE_DEVICE void load(const T *tile, int elements)
    {
        if (elements == all) {
            SUBWAVE_UNROLL
            for (int r = 0; r < rows; ++r)
                load_row<Aligned>(r, at(tile, r));
        } else {
            SUBWAVE_UNROLL
            for (int r = 0; r < rows; ++r)
                if (place(r) + size <= elements)
                    load_row<Aligned>(r, at(tile, r));
            for_last(elements, [&](T &to, int i) { to = tile[i]; });
        }
    }
    SUBWAVE_DEVICE void store_all(T *tile)
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < rows; ++r) {
            if constexpr (stores_cost_sectors && size * sizeof(T) == 32)
                store_with_neighbour(this_work_item::get_sub_group().callers(), at(tile, r),
                                     pack[r].element);
            else
                store_pack<false>(at(tile, r), pack[r].element);
        }
    }
    /* To other registers. Otherwise LLVM moves all elements in each op's branch to where the code after
     * the branches wants them, though all but the last tile end in the branch. */
    SUBWAVE_DEVICE void move()
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < rows; ++r) {
            SUBWAVE_UNROLL
            for (int e = 0; e < size; ++e)
                pack[r].element[e] = moved(pack[r].element[e]);
        }
    }
    SUBWAVE_DEVICE void turn_to_truth()
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < rows; ++r) {
            SUBWAVE_UNROLL
            for (int e = 0; e < size; ++e)
                pack[r].element[e] = static_cast<T>(pack[r].element[e] != T(0));
        }
    }
    SUBWAVE_DEVICE void store(T *tile, int elements)
    {
        if (elements == all) {
            store_all(tile);
        } else {
            SUBWAVE_UNROLL
            for (int r = 0; r < rows; ++r)
                if (place(r) + size <= elements)
                    store_pack<false>(at(tile, r), pack[r].element);
            for_last(elements, [&](T &from, int i) { tile[i] = from; });
        }
    }
};

/* What stands before the launch, whose tiles are `t`. */
template <class T, class Op, class As>
SUBWAVE_DEVICE auto value_before_launch(const subwave_scan_launch &p, const subwave_tiles &t, Op,
                                        As as)
{
    using value = typename As::value;
    if (t.first != 0)
        return *tiles_carry<value>(t, t.first);
    if (!p.has_init)
        return filler<Op, value>::value();
    T init;
    memcpy(&init, p.init, sizeof init);
    return as(init);
}

/* What a whole tile combines to, in the order of its scan, in all work-items. */
template <class T, class Op, class As>
SUBWAVE_DEVICE auto tile_value(const scan_packs<T> &x, scan_chunk<combined_t<T>> *exchanged, Op op,
                               As as)
{
    using value = typename As::value;
    constexpr int rows = scan_packs<T>::rows;
    SUBWAVE_SHARED(value, shared, block_reduce_elements<array_block>);
    auto *const sums = reinterpret_cast<value *>(exchanged);
    const int item = static_cast<int>(threadIdx.x);
    SUBWAVE_UNROLL
    for (int r = 0; r < rows; ++r) {
        value sum = as(x.pack[r].element[0]);
        SUBWAVE_UNROLL
        for (int e = 1; e < scan_pack_size<T>; ++e)
            sum = op(sum, as(x.pack[r].element[e]));
        sums[r * array_block + item] = sum;
    }
    block_barrier(site::current());
    value own[rows];
    SUBWAVE_UNROLL
    for (int r = 0; r < rows; ++r)
        own[r] = sums[item * rows + r];
    SUBWAVE_UNROLL
    for (int size = 1; size < rows; size *= 2) {
        SUBWAVE_UNROLL
        for (int r = 0; r < rows; r += 2 * size)
            own[r] = op(own[r], own[r + size]);
    }
    return block_reduce<array_block>(own[0], op, shared);
}

/* Replaces x, the work-item's packs of the tile, by the results; `t` are the tiles of its row.
 * before(start, mine) is what stands before the tile, called and found as by value_before_tile; `start` is
 * what stands before the launch. Returns count_reader(). */
template <class T, class Before, class Op, class As>
SUBWAVE_DEVICE std::uint32_t
scan_tile(const subwave_scan_launch &p, const subwave_tiles &t, std::uint32_t tile,
          scan_packs<T> &x, scan_chunk<combined_t<T>> *exchanged, Before before, Op op, As as)
{
    using value = typename As::value;
    static_assert(sizeof(value) <= sizeof(combined_t<T>), "what is exchanged has room");
    constexpr int rows = scan_packs<T>::rows, run = SUBWAVE_SCAN_RUN, runs = array_block / run,
                  parts = rows * runs / run, elements = block_scan_elements<array_block>;
    constexpr bool rolled = scan_packs<T>::rolled, runs_in_waves = min_wave_size() >= run;
    constexpr bool in_place = As::is_kept;
    /* Whether the first wave adds what stands before the tile to what stands before its runs, so that no
     * work-item has to. */
    constexpr bool starts_with_tile = one_wave_looks_back && runs_in_waves;
    static_assert(rows * runs % run == 0, "the runs of a part of the tile are scanned as one");
    SUBWAVE_SHARED(value, shared, rows * elements);
    SUBWAVE_SHARED(value, totals, rows * runs);
    /* And two values that one work-item hands to all. */
    SUBWAVE_SHARED(value, starts, rows * runs + 2);
    const int item = static_cast<int>(threadIdx.x), number = item / run, place = item % run;
    value start = filler<Op, value>::value(), mine = start;
    scan_runs<value, rows> packs(reinterpret_cast<scan_chunk<value> *>(exchanged));
    /* An element becomes what is up to it in its pack, if its place can keep that. */
    for_rows<rolled>(
        [&](int r, scan_elements<T> &pack) {
            value sum = as(pack.element[0]);
            SUBWAVE_UNROLL
            for (int e = 1; e < scan_pack_size<T>; ++e) {
                sum = by_itself(op(sum, as(pack.element[e])));
                if constexpr (in_place)
                    pack.element[e] = as.result(sum);
            }
            if constexpr (exchanges_packs) {
                packs.of_row(r) = sum;
            } else {
                const scanned<value> upto =
                    block_scan_runs<array_block, run>(sum, op, &shared[r * elements]);
                packs.of_row(r) = upto.before;
                if (place == run - 1)
                    totals[r * runs + number] = upto.upto;
            }
        },
        x.pack);
    block_barrier(site::current());

    const bool is_first_wave = in_first_wave();
    if constexpr (exchanges_packs) {
        if (is_first_wave)
            packs.scan(op, totals);
        if constexpr (!runs_in_waves)
            block_barrier(site::current());
        else if (is_first_wave)
            group_barrier(this_work_item::get_sub_group());
    }
    if (is_first_wave || !one_wave_looks_back)
        start = value_before_launch<T>(p, t, op, as);
    value before_run[parts] = {};
    if (is_first_wave || !runs_in_waves) {
        SUBWAVE_UNROLL
        for (int part = 0; part < parts; ++part) {
            const scanned<value> all =
                block_scan_runs<array_block, run>(totals[part * run + place], op, shared);
            value of_part;
            if constexpr (runs_in_waves) {
                of_part = wave_broadcast(this_work_item::get_sub_group().callers(), all.upto,
                                         run - 1, site::current());
            } else {
                block_barrier(site::current()); /* the value before has been read */
                if (item == run - 1)
                    starts[rows * runs] = all.upto;
                block_barrier(site::current());
                of_part = starts[rows * runs];
            }
            before_run[part] = part == 0 ? all.before : op(mine, all.before);
            if (!starts_with_tile && item < run)
                starts[part * run + item] = before_run[part];
            mine = part == 0 ? of_part : op(mine, of_part);
        }
    }
    if constexpr (one_wave_looks_back) {
        constexpr int of_tile = rows * runs + 1;
        if (is_first_wave) {
            start = before(start, mine);
            SUBWAVE_UNROLL
            for (int part = 0; part < parts; ++part)
                if (starts_with_tile && item < run)
                    starts[part * run + item] = op(start, before_run[part]);
            if (!starts_with_tile && item == 0)
                starts[of_tile] = start;
        }
        block_barrier(site::current());
        if (!starts_with_tile)
            start = starts[of_tile];
    } else {
        start = before(start, mine);
    }
    const std::uint32_t readers_before = count_reader(t);
    if (tile == t.count - 1 && item == 0 && t.first + t.count != t.all)
        *tiles_carry<value>(t, t.first + SUBWAVE_SCAN_TILES) = op(start, mine);
    const bool begins_with_nothing = t.first == 0 && tile == 0 && !p.has_init;
    const auto before_pack = [&](int r) {
        const value of_run = starts[r * runs + number];
        return op(starts_with_tile ? of_run : op(start, of_run), packs.of_row(r));
    };
    if constexpr (in_place)
        for_rows<rolled>(
            [&](int r, scan_elements<T> &pack) {
                const value before = before_pack(r);
                SUBWAVE_UNROLL
                for (int e = 0; e < scan_pack_size<T>; ++e)
                    pack.element[e] = as.result(op(before, as(pack.element[e])));
            },
            x.pack);
    else
        with_scan_kind(p.scan, [&](auto kind) {
            for_rows<rolled>(
                [&](int r, scan_elements<T> &pack) {
                    scan_pack(pack, before_pack(r), kind.value, op, as);
                },
                x.pack);
        });
    if (p.scan == SUBWAVE_SCAN_EXCLUSIVE) {
        if constexpr (in_place)
            for_rows<rolled>(
                [&](int r, scan_elements<T> &pack) {
                    SUBWAVE_UNROLL
                    for (int e = scan_pack_size<T> - 1; e > 0; --e)
                        pack.element[e] = moved(pack.element[e - 1]);
                    pack.element[0] = as.result(before_pack(r));
                },
                x.pack);
        if (item == 0 && begins_with_nothing)
            x.pack[0].element[0] = result_of_nothing<T>(op, as);
    }
    return readers_before;
}

template <class T, bool Aligned>
SUBWAVE_KERNEL(array_block, sizeof(T) < 4 ? 2 : 4)
scan(subwave_scan_launch p)
{
    assume_line_of_items();
    const std::uint32_t next = p.tiles.count > 1
                                   ? next_tile(p.tiles.counter, p.tiles.count * p.rows)
                                   : blockIdx.x,
                        row = p.rows > 1 ? next / p.tiles.count : 0,
                        tile = next - row * p.tiles.count;
    /* The tile's first element in its row, and how many from there on are in the tile. */
    const auto first = [&] { return (p.tiles.first + tile) * scan_packs<T>::all; };
    const auto elements = [&] { return elements_of_tile<scan_packs<T>::all>(p.tiles.n - first()); };
    scan_packs<T> x = {};
    const T *const from = static_cast<const T *>(p.x) + (row * p.ldx + first());
    touch_later_tile(from, static_cast<std::uint32_t>(elements()), p.tiles.n - first());
    x.template load<Aligned>(from, elements());
    p = argument_read_anew(p); /* or LLVM keeps it in more scalar registers than there are */
    p.tiles.states += row * static_cast<std::int64_t>(SUBWAVE_SCAN_STATES(p.tiles.count));
    /* Whether each op stores whole tiles, rather than leave them to what follows all ops. */
    constexpr bool each_stores = branches_end_in_moves && !scan_packs<T>::rolled;
    const auto is_stored = [&] {
        return each_stores && elements() == scan_packs<T>::all && !p.to_truth &&
               !p.tiles.leaves_zeros;
    };
    const auto to = [&] { return static_cast<T *>(p.y) + (row * p.ldy + first()); };
    using chunk = scan_chunk<combined_t<T>>;
    SUBWAVE_SHARED(chunk, exchanged, (scan_runs<combined_t<T>, scan_packs<T>::rows>::chunks));
    std::uint32_t readers_before = 0;
    with_array_op<T>(p.op, [&](auto op, auto as) {
        using value = typename decltype(as)::value;
        if constexpr (!std::is_same<value, combined_t<T>>::value)
            x.move(); /* or LLVM takes elements apart for this op before it looks which one it is */
        SUBWAVE_SHARED(value, of_block, look_back_elements);
        const auto before = [&](value start, value mine) {
            const subwave_tiles &t = p.tiles;
            if (t.count > 1)
                return value_before_tile<false>(t.states, t.count, tile, mine, start, op, of_block);
            if constexpr (!one_wave_looks_back)
                block_barrier(site::current());
            return start;
        };
        readers_before = scan_tile(p, p.tiles, tile, x, exchanged, before, op, as);
        if constexpr (each_stores) {
            if (is_stored()) {
                x.store_all(to());
                end_of_kernel();
            } else {
                x.move();
            }
        }
    });
    p = argument_read_anew(p);
    if (is_stored())
        return;
    if (p.to_truth)
        x.turn_to_truth();
    x.store(to(), elements());
    leave_zeros(p.tiles, readers_before);
}

/* Of elements of 8 bytes, scans were no faster: half as many are in a tile. */
template <class T> constexpr bool scans_ahead = shapes.ahead_from > 0 && sizeof(T) == 4;

/* The same of one array, if blocks combine a later tile first (ahead_from in shapes.h). */
template <class T, bool Aligned> SUBWAVE_KERNEL(array_block, 4) scan_ahead(subwave_scan_launch p)
{
    constexpr auto ahead = static_cast<std::uint32_t>(shapes.scan_ahead);
    const subwave_tiles &t = p.tiles;
    const std::uint32_t number = next_tile(t.counter, t.count + ahead), tile = number - ahead;
    const bool combines = number < t.count - 1, scans = number >= ahead;
    const auto first = [&](std::uint32_t of) { return (t.first + of) * scan_packs<T>::all; };
    const auto elements = [&](std::uint32_t of) {
        return elements_of_tile<scan_packs<T>::all>(t.n - first(of));
    };
    const T *const from = static_cast<const T *>(p.x);
    using chunk = scan_chunk<combined_t<T>>;
    SUBWAVE_SHARED(chunk, exchanged, (scan_runs<combined_t<T>, scan_packs<T>::rows>::chunks));
    scan_packs<T> x = {};
    if (combines)
        x.template load<Aligned>(from + first(number), elements(number));
    with_array_op<T>(p.op, [&](auto op, auto as) {
        using value = typename decltype(as)::value;
        SUBWAVE_SHARED(value, shared, block_reduce_elements<array_block>);
        if (combines)
            publish_ahead(t.states, t.count, number, tile_value(x, exchanged, op, as), op, shared);
        if (!scans)
            return;
        x.template load<Aligned>(from + first(tile), elements(tile));
        const auto before = [&](value start, value mine) {
            return value_before_tile<true>(t.states, t.count, tile, mine, start, op, shared);
        };
        scan_tile(p, t, tile, x, exchanged, before, op, as);
        if (p.y == p.x && tile != t.count - 1) /* the block that combines it may be reading it */
            wait_for<value>(t.states, tile);
    });
    if (!scans)
        return;
    if (p.to_truth)
        x.turn_to_truth();
    x.store(static_cast<T *>(p.y) + first(tile), elements(tile));
}

template <class T> int launch_scan(const subwave_scan_launch &p, void *stream)
{
    if (combines_as_unsigned<T>(p.op))
        return launch_scan<typename unsigned_twin<T>::type>(p, stream);
    subwave_scan_launch part = p;
    if constexpr (is_integer_v<T>) {
        part.op = op_of_bits(p.op);
        part.to_truth = part.op != p.op;
    }
    return launch_tiles(part.tiles, part.rows, stream, [&] {
        return with_aligned_rows<T>(p.x, p.ldx, p.y, p.ldy, [&](auto aligned) {
            if constexpr (scans_ahead<T>) {
                if (part.rows == 1 && combines_ahead(part.tiles))
                    return launch(scan_ahead<T, aligned.value>,
                                  dim3(part.tiles.count + shapes.scan_ahead), dim3(array_block), 0,
                                  stream, part);
            }
            return launch(scan<T, aligned.value>, dim3(part.tiles.count * part.rows),
                          dim3(array_block), 0, stream, part);
        });
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_scan(SUBWAVE_DEFINE_LAUNCHER)
