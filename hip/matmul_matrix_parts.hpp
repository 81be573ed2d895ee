/* SPDX-License-Identifier: MIT
 * matmul_matrix_parts.hpp: which stages of which tiles a block of MATRIX multiplies, and how the
 * sums of parts of k become C.
 */
#ifndef SUBWAVE_HIP_MATMUL_MATRIX_PARTS_HPP
#define SUBWAVE_HIP_MATMUL_MATRIX_PARTS_HPP

#include "integers.hpp"
#include "matmul.hpp"

SUBWAVE_BEGIN

/* Each of the first `tiles` blocks computes one tile. The k of the next `shared` tiles is split:
 * their stages, counted through from one tile to the next, are divided into `shares` of equal length,
 * except for one stage. Each tile is divided by itself if the shares are a multiple of the tiles;
 * otherwise all of them are as a whole. A share is at most as long as a tile, so that its stages are of
 * one tile or of two, and one block computes those of each. */
template <class T> struct matrix_problem {
    matmul_problem<T> whole;
    std::uint32_t tiles;  /* that are not shared */
    std::uint32_t stages; /* of a tile */
    std::uint32_t shares, shared;
    std::uint32_t together, span; /* shares and stages of a tile, or of the whole */
    std::uint32_t share, rest; /* stages of a share; of the first `rest` of `together` one more */
    std::uint32_t missing;     /* steps of k that the last stage of a shared tile lacks */
    std::uint32_t band;        /* rows of tiles, whose blocks follow one another */
    matmul_sum<T> *sums;       /* of the shares' parts, `shares + shared` at most */
    std::uint32_t *finished;   /* parts of every shared tile: zeros, and zeros again in the end */

    /* The share that has this stage of a shared tile. */
    SUBWAVE_DEVICE std::uint32_t share_of(std::uint32_t tile, std::uint32_t stage) const
    {
        const bool by_tiles = span == stages;
        const std::uint32_t here = by_tiles ? stage : tile * stages + stage,
                            longer = rest * (share + 1);
        return (by_tiles ? tile * together : 0) +
               (here < longer ? here / (share + 1) : rest + (here - longer) / share);
    }
    /* Where a share's sums of a shared tile lie. No two lie in the same place: a later share has the
     * same tile or a later one, and the two tiles of a share have different numbers. */
    SUBWAVE_DEVICE matmul_sum<T> *sums_of(std::uint32_t number, std::uint32_t tile,
                                          std::uint32_t elements) const
    {
        return sums + std::int64_t(number + tile) * elements;
    }
};

/* What a block multiplies: stages of a tile; and whose they are, if it is shared. */
struct matrix_part {
    std::uint32_t share, tile, first, count;

    /* The blocks of the shares' second tiles come after those of their first ones, so that those of
     * a share may run on the same compute unit, side by side. */
    template <class T> SUBWAVE_DEVICE matrix_part(const matrix_problem<T> &p, std::uint32_t block)
    {
        const bool whole = block < p.tiles, second = !whole && block - p.tiles >= p.shares;
        share = uniform(whole ? 0 : block - p.tiles - (second ? p.shares : 0));
        const std::uint32_t before = share / p.together, here = share - before * p.together;
        const std::uint32_t from =
            before * p.span + here * p.share + (here < p.rest ? here : p.rest);
        const std::uint32_t to = from + p.share + (here < p.rest ? 1 : 0);
        const std::uint32_t shared = from / p.stages + second, begin = shared * p.stages;
        const std::uint32_t end = begin + p.stages < to ? begin + p.stages : to;
        tile = uniform(whole ? block : p.tiles + shared);
        first = uniform(whole || second ? 0 : from - begin);
        count = uniform(whole ? p.stages : end > begin + first ? end - begin - first : 0);
    }
    template <class T> SUBWAVE_DEVICE bool is_whole(const matrix_problem<T> &p) const
    {
        return count == p.stages;
    }
};

/* Writes the sums of a block's part of a tile. The last block to do so gets the sums of all parts,
 * added in their order, and returns true. */
template <class T, class Tile>
SUBWAVE_DEVICE bool add_parts(const matrix_problem<T> &p, const matrix_part &part, Tile &mine,
                              void *memory)
{
    const std::uint32_t tile = part.tile - p.tiles, elements = Tile::rows() * Tile::columns();
    const std::uint32_t first = p.share_of(tile, 0), last = p.share_of(tile, p.stages - 1);
    mine.put_sums(p.sums_of(part.share, tile, elements));
    __threadfence();
    block_barrier(site::current());
    std::uint32_t *const finished = &p.finished[tile];
    std::uint32_t *const before = static_cast<std::uint32_t *>(memory);
    if (block_item() == 0)
        *before = atomicAdd(finished, 1u);
    block_barrier(site::current());
    if (*before != last - first)
        return false;
    __threadfence();
    mine.clear_sums();
    for (std::uint32_t number = first; number <= last; ++number)
        mine.add_sums(p.sums_of(number, tile, elements));
    if (block_item() == 0)
        *finished = 0;
    return true;
}

SUBWAVE_END

#endif
