/* SPDX-License-Identifier: MIT
 * registry.hpp: files that are built only where their compiler or library is found enrol what they
 * have.
 */
#ifndef SUBWAVE_BENCH_REGISTRY_HPP
#define SUBWAVE_BENCH_REGISTRY_HPP

#include <subwave/types.h>

#include <cstdint>
#include <vector>

namespace bench {

template <class T> std::vector<T> &registry()
{
    static std::vector<T> rows;
    return rows;
}
template <class T> struct enrolled {
    explicit enrolled(const T &row) { registry<T>().push_back(row); }
};

/* Queues a copy of a multiple of 16 bytes on a GPU; 0 for success. */
using copy_kernel = int (*)(void *stream, void *to, const void *from, std::int64_t bytes);

/* Queues y[indices[i]] += values[i] for n elements on a GPU; 0 for success. */
struct scatter_kernel {
    subwave_dtype dtype;
    int (*launch)(void *stream, std::int64_t n, const void *indices, const void *values,
                  std::int64_t cells, void *y);
};

/* Queues C += A B for the entries of a stack, by rows without gaps, with offsets of 64 bits from 0, on a
 * GPU; 0 for success. */
struct stack_kernel {
    subwave_dtype dtype;
    bool (*takes)(std::int64_t m, std::int64_t n, std::int64_t k);
    int (*launch)(void *stream, std::int64_t m, std::int64_t n, std::int64_t k,
                  std::int64_t entries, const void *offsets, const void *a, const void *b, void *c);
};

/* Queues sums of the weights of n elements in bins of the same width on a GPU; 0 for success. */
struct weights_kernel {
    subwave_dtype dtype;
    int (*launch)(void *stream, std::int64_t n, const void *x, const void *weights,
                  std::int64_t bins, double lower, double upper, void *sums);
};

/* Queues the elements whose flags are not 0 to an empty queue on a GPU; 0 for success. */
struct append_kernel {
    subwave_dtype dtype;
    int (*launch)(void *stream, std::int64_t n, const void *flags, const void *x, void *queue,
                  void *count);
};

/* A kernel that keeps the device full of waves which do nothing but call a group function, `rounds`
 * times each, on values in registers: register_chain of registers.hpp. */
struct register_kernel {
    const char *platform; /* cpu, amd or nvidia */
    const char *function; /* "reduce" or "scan", by plus */
    const char *kind;
    const char *by, *version;
    subwave_dtype dtype;
    bool first_only; /* the result is that of a group's first member; others hold anything */
    int (*launch)(void *stream, unsigned blocks, int rounds, void *sums);
};
enum { REGISTER_BLOCK = 256, REGISTER_STEP = 8 }; /* rounds are a multiple of the step */

/* One third of the lanes against two thirds. */
#define SUBWAVE_BENCH_SIDE(lane) ((lane) % 3 == 1)

} // namespace bench

#endif
