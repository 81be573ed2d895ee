/* SPDX-License-Identifier: MIT
 * matmul_batched.hpp: what the kernels of matmul_batched.hip share.
 */
#ifndef SUBWAVE_HIP_MATMUL_BATCHED_HPP
#define SUBWAVE_HIP_MATMUL_BATCHED_HPP

#include "kernels.h"
#include "shapes.hpp"

#include <subwave/subwave.hpp>

SUBWAVE_BEGIN

/* Whether tiles for that use are built for T. */
template <class T> constexpr bool is_for(int use)
{
    constexpr bool real = !is_complex_v<T>;
    constexpr bool on_unit = shapes.f64_unit_in_groups && std::is_same<T, double>::value;
    return !((use == SUBWAVE_MATMUL_BATCHED_FOR_REAL && !real) ||
             (use == SUBWAVE_MATMUL_BATCHED_FOR_COMPLEX && real) ||
             (use == SUBWAVE_MATMUL_BATCHED_FOR_MATRIX_UNIT && !on_unit) ||
             (use == SUBWAVE_MATMUL_BATCHED_FOR_BROADCAST && (!real || on_unit)));
}

template <class T> struct matmul_batched_problem {
    subwave_matmul_batched_launch p;
    T alpha, beta;

    /* The first element of a batch entry's matrix. */
    static SUBWAVE_DEVICE T *matrix(const subwave_matmul_batched_operand &x, std::int64_t entry)
    {
        return in_global_memory(x.array ? static_cast<T *const *>(x.array)[entry]
                                        : const_cast<T *>(static_cast<const T *>(x.first)) +
                                              entry * x.stride);
    }
};

/* A tile of C, side x side elements or what is left of them, and where its operands begin. */
template <class T> struct matmul_batched_tile {
    int rows, columns;
    T *a, *b, *c;

    SUBWAVE_DEVICE matmul_batched_tile(const matmul_batched_problem<T> &problem, std::int64_t at,
                                       int side)
    {
        const subwave_matmul_batched_launch &p = problem.p;
        const std::int64_t tiles = std::int64_t(p.down) * p.across;
        const std::int64_t entry = tiles == 1 ? at : at / tiles;
        const int tile = static_cast<int>(at - entry * tiles);
        const int i = tile / p.across * side, j = tile % p.across * side;
        rows = p.m - i < side ? p.m - i : side;
        columns = p.n - j < side ? p.n - j : side;
        a = problem.matrix(p.a, entry) + i * (p.a.transposed ? 1 : p.a.ld);
        b = problem.matrix(p.b, entry) + j * (p.b.transposed ? p.b.ld : 1);
        c = problem.matrix(p.c, entry) + i * p.c.ld + j;
    }

protected:
    matmul_batched_tile() = default;
};

/* sum = alpha sum + beta C, where C begins at c. */
template <class T, int Size, class Group>
SUBWAVE_DEVICE void finish(Group g, const matmul_batched_problem<T> &problem, const T *c, int rows,
                           int columns, group_matrix<T, Size, Size, Group> &sum)
{
    sum.scale(problem.alpha);
    if (!is_zero(problem.beta)) /* else C may hold anything */
        sum.add(g, problem.beta, c, problem.p.c.ld, rows, columns);
}

struct alignas(16) chunk_of_16_bytes {
    std::uint64_t half[2];
};

template <bool Cached = true> struct to_local {
    template <class T> SUBWAVE_DEVICE void operator()(T *local, const T *x) const
    {
        copy_to_local<Cached>(local, x);
    }
};

/* C = the result + beta C; with beta = 0 C may hold anything. */
template <class T> struct from_local {
    T beta;
    SUBWAVE_DEVICE void operator()(const T *local, T *c) const
    {
        *c = is_zero(beta) ? *local : multiply_add(beta, *c, *local);
    }
    SUBWAVE_DEVICE void operator()(const chunk_of_16_bytes *local, chunk_of_16_bytes *c) const
    {
        chunk_of_16_bytes result = *local;
        if (!is_zero(beta)) {
            const chunk_of_16_bytes before = *c;
            T sum[16 / sizeof(T)], old[16 / sizeof(T)];
            memcpy(sum, &result, sizeof sum);
            memcpy(old, &before, sizeof old);
            SUBWAVE_UNROLL
            for (int e = 0; e < int(16 / sizeof(T)); ++e)
                sum[e] = multiply_add(beta, old[e], sum[e]);
            memcpy(&result, sum, sizeof sum);
        }
        *c = result;
    }
};

/* How many elements after a multiple of 16 bytes x is. */
template <class T> SUBWAVE_DEVICE int within_16_bytes(const T *x)
{
    return reinterpret_cast<std::uintptr_t>(x) / sizeof(T) % (16 / sizeof(T));
}

/* Copies `count` elements that lie one after another; both begin equally far into 16 bytes. */
template <class Copy, class T>
SUBWAVE_DEVICE void copy_run(Copy copy, T *local, T *x, int count, int item, int items)
{
    constexpr int per = 16 / sizeof(T);
    const int before =
        -static_cast<int>(reinterpret_cast<std::uintptr_t>(x) / sizeof(T)) & (per - 1);
    const int head = before < count ? before : count, chunks = (count - head) / per;
    for (int c = item; c < chunks; c += items)
        copy(reinterpret_cast<chunk_of_16_bytes *>(local + head) + c,
             reinterpret_cast<chunk_of_16_bytes *>(x + head) + c);
    const int ends = per > 1 ? count - chunks * per : 0;
    SUBWAVE_ROLLED
    for (int e = item; e < ends; e += items) {
        const int at = e < head ? e : e + chunks * per;
        copy(local + at, x + at);
    }
}

SUBWAVE_END

#endif
