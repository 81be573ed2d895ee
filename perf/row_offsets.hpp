/* SPDX-License-Identifier: MIT
 * row_offsets.hpp: where the rows of a matrix begin, as an iterator for segmented operations, which
 * reads no memory.
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

} // namespace bench

#endif
