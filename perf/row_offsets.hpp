/* SPDX-License-Identifier: MIT
 * row_offsets.hpp: where the rows of a matrix begin, and the rows' numbers, as iterators for
 * segmented operations and for those by key, which read no memory.
 */
#ifndef SUBWAVE_BENCH_ROW_OFFSETS_HPP
#define SUBWAVE_BENCH_ROW_OFFSETS_HPP

#include <cstdint>
#include <iterator>

namespace bench {

struct row_offsets {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::int64_t;
    using difference_type = std::int64_t;
    using pointer = const std::int64_t *;
    using reference = std::int64_t;

    std::int64_t length, row;

    __host__ __device__ std::int64_t operator*() const { return row * length; }
    __host__ __device__ std::int64_t operator[](std::int64_t i) const { return (row + i) * length; }
    __host__ __device__ row_offsets operator+(std::int64_t i) const { return {length, row + i}; }
    __host__ __device__ row_offsets operator-(std::int64_t i) const { return {length, row - i}; }
    __host__ __device__ std::int64_t operator-(row_offsets other) const { return row - other.row; }
    __host__ __device__ row_offsets &operator+=(std::int64_t i)
    {
        row += i;
        return *this;
    }
    __host__ __device__ row_offsets &operator++() { return *this += 1; }
    __host__ __device__ bool operator==(row_offsets other) const { return row == other.row; }
    __host__ __device__ bool operator!=(row_offsets other) const { return row != other.row; }
};

/* Likewise the number of each element's row. */
struct row_numbers {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::int64_t;
    using difference_type = std::int64_t;
    using pointer = const std::int64_t *;
    using reference = std::int64_t;

    std::int64_t length, element;

    __host__ __device__ std::int64_t operator*() const { return element / length; }
    __host__ __device__ std::int64_t operator[](std::int64_t i) const
    {
        return (element + i) / length;
    }
    __host__ __device__ row_numbers operator+(std::int64_t i) const
    {
        return {length, element + i};
    }
    __host__ __device__ row_numbers operator-(std::int64_t i) const
    {
        return {length, element - i};
    }
    __host__ __device__ std::int64_t operator-(row_numbers other) const
    {
        return element - other.element;
    }
    __host__ __device__ row_numbers &operator+=(std::int64_t i)
    {
        element += i;
        return *this;
    }
    __host__ __device__ row_numbers &operator++() { return *this += 1; }
    __host__ __device__ bool operator==(row_numbers other) const
    {
        return element == other.element;
    }
    __host__ __device__ bool operator!=(row_numbers other) const
    {
        return element != other.element;
    }
};

} // namespace bench

#endif
