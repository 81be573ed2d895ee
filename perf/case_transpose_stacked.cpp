/* SPDX-License-Identifier: MIT
 * case_transpose_stacked.cpp: small matrices of a list, transposed where they are, as DBCSR has them,
 * beside as many that are evenly spaced.
 */
#include "bench.hpp"

#include <cstring>
#include <numeric>

namespace bench {
namespace {

#define SUBWAVE_X(name, ...) SUBWAVE_DTYPE_##name,
const std::vector<subwave_dtype> all_dtypes = {SUBWAVE_DTYPE_LIST(SUBWAVE_X)};
#undef SUBWAVE_X

/* Matrices one after the other, and a list of them in no order. */
class stacked_problem : public problem {
public:
    stacked_problem(const device &on, subwave_dtype dtype, const shape &size, int count)
        : size(size), on_(on), dtype_(dtype), bytes_(subwave_dtype_size(dtype)),
          matrices_(on, elements() * bytes_, count),
          offsets_(on, static_cast<std::size_t>(size.batch) * sizeof(std::int64_t), count),
          contents_(elements() * bytes_)
    {
        sets = count;
        for (std::size_t i = 0; i < contents_.size(); ++i)
            contents_[i] = static_cast<unsigned char>(i * 2654435761u >> 24);
        matrices_.fill(contents_.data());
        std::vector<std::int64_t> offsets;
        std::int64_t step = 7919;
        while (std::gcd(step, size.batch) != 1) /* or some would be in the list twice */
            ++step;
        for (std::int64_t i = 0; i < size.batch; ++i)
            offsets.push_back(i * step % size.batch * size.m * size.n);
        offsets_.fill(offsets.data());
    }

    void stacked(int set) const
    {
        on_.expect(subwave_transpose_stacked(on_.context, dtype_, SUBWAVE_LAYOUT_ROW_MAJOR, size.m,
                                             size.n, matrices_[set], SUBWAVE_DTYPE_I64, 0,
                                             offsets_[set], size.batch));
    }
    void strided(int set) const
    {
        const std::int64_t one = size.m * size.n;
        on_.expect(subwave_transpose_strided_batched(on_.context, dtype_, SUBWAVE_LAYOUT_ROW_MAJOR,
                                                     size.m, size.n, matrices_[set], size.n, one,
                                                     matrices_[set], size.m, one, size.batch));
    }
    void (stacked_problem::*last)(int set) const = nullptr;

    void poison() override {}

    /* The timed calls have moved the elements an unknown number of times. One more is judged. */
    double error() override
    {
        matrices_.fill(contents_.data());
        (this->*last)(sets - 1);
        const std::vector<unsigned char> found = matrices_.read(sets - 1);
        std::vector<unsigned char> expected(contents_.size());
        const auto rows = static_cast<std::size_t>(size.m),
                   columns = static_cast<std::size_t>(size.n);
        for (std::size_t first = 0; first < elements(); first += rows * columns)
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t j = 0; j < columns; ++j)
                    std::memcpy(&expected[(first + j * rows + i) * bytes_],
                                &contents_[(first + i * columns + j) * bytes_], bytes_);
        return found == expected ? 0 : 1;
    }

    const shape size;

private:
    std::size_t elements() const { return static_cast<std::size_t>(size.batch * size.m * size.n); }

    const device &on_;
    subwave_dtype dtype_;
    std::size_t bytes_;
    rotating_array matrices_, offsets_;
    std::vector<unsigned char> contents_;
};

contender by(const char *variant, void (stacked_problem::*call)(int set) const)
{
    return {"subwave", variant, subwave_version(), [call](problem &p, int set) {
                auto &stack = static_cast<stacked_problem &>(p);
                stack.last = call;
                (stack.*call)(set);
            }};
}

} // namespace

void transpose_stacked_cases(session &s)
{
    if (!s.wants("transpose_stacked"))
        return;
    for (shape size : s.sizes({{.n = 5}, {.n = 13}, {.n = 23}, {.n = 32}, {.m = 13, .n = 23}}))
        for (subwave_dtype dtype : s.dtypes(all_dtypes, {SUBWAVE_DTYPE_F64})) {
            if (!size.m)
                size.m = size.n;
            size.k = 0;
            size.batch = s.wishes.batch ? s.wishes.batch : s.on.is_gpu() ? 30000 : 320;
            const double bytes = 2. * static_cast<double>(size.batch * size.m * size.n) *
                                 static_cast<double>(subwave_dtype_size(dtype));
            std::vector<contender> contenders = {by("stacked", &stacked_problem::stacked)};
            if (size.m == size.n) /* others are not transposed in place */
                contenders.push_back(by("strided", &stacked_problem::strided));
            for (cache state : s.caches(bytes))
                if (const int sets = s.sets(state, bytes))
                    s.run({"transpose_stacked", dtype, size, state, "", ""}, {.bytes = bytes},
                          contenders, [&s, dtype, size, sets] {
                              return std::make_unique<stacked_problem>(s.on, dtype, size, sets);
                          });
        }
}

} // namespace bench
