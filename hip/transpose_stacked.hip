/* SPDX-License-Identifier: MIT
 * transpose_stacked.hip: small matrices without gaps, found by their offsets and transposed in place:
 * all of a matrix, or the same part of all its elements, is in local memory before any is written.
 */
#include "integers.hpp"
#include "offsets.hpp"

SUBWAVE_BEGIN

/* Calls body(i, j, e) for the elements e = i * columns + j of one of `items` work-items. */
template <class Body>
SUBWAVE_DEVICE void for_each_element(int rows, int columns, int item, int items, Body body)
{
    const int down = items / columns, across = items - down * columns;
    int i = item / columns, j = item - i * columns;
    for (int e = item; e < rows * columns; e += items) {
        body(i, j, e);
        i += down;
        j += across;
        if (j >= columns) {
            ++i;
            j -= columns;
        }
    }
}

template <class T>
SUBWAVE_KERNEL(SUBWAVE_TRANSPOSE_BLOCK)
transpose_stacked(subwave_transpose_stacked_launch p)
{
    SUBWAVE_DYNAMIC_SHARED(T, local_of_block);
    const sub_group sg = this_work_item::get_sub_group();
    const bool by_waves = p.teams > 1;
    const int items = by_waves ? wave_size() : SUBWAVE_TRANSPOSE_BLOCK,
              team = int(threadIdx.x) / items, item = int(threadIdx.x) % items;
    T *const local = local_of_block + team * p.m * p.pitch;
    const auto barrier = [&] {
        if (by_waves)
            wave_barrier(sg.callers(), site::current());
        else
            block_barrier(site::current());
    };
    for (std::int64_t entry = std::int64_t(blockIdx.x) * p.teams + team; entry < p.entries;
         entry += std::int64_t(gridDim.x) * p.teams) {
        T *const x = static_cast<T *>(p.x) + offset_at(p.offsets, entry) * p.parts;
        for (T *part = x; part != x + p.parts; ++part) {
            for_each_element(p.m, p.n, item, items, [&](int i, int j, int e) {
                copy(local[i * p.pitch + j], part[e * p.parts]);
            });
            barrier();
            for_each_element(p.n, p.m, item, items, [&](int i, int j, int e) {
                copy(part[e * p.parts], local[j * p.pitch + i]);
            });
            barrier();
        }
    }
}

template <class T>
int launch_transpose_stacked(const subwave_transpose_stacked_launch &p, void *stream)
{
    const auto elements = static_cast<std::size_t>(p.teams) * p.m * p.pitch;
    return with_moved<T>(p.x, p.x, [&](auto element) {
        return launch(transpose_stacked<decltype(element)>, dim3(p.blocks),
                      dim3(SUBWAVE_TRANSPOSE_BLOCK), elements * sizeof(T), stream, p);
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_transpose_stacked(SUBWAVE_DEFINE_LAUNCHER)
