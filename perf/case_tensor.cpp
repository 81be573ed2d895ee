/* SPDX-License-Identifier: MIT
 * case_tensor.cpp: tensor products and derivatives of many small elements, beside the same by
 * batched products, a direction a call.
 */
#include "../hip/kernels.def"
#include "bench.hpp"

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

#define SUBWAVE_X(operation, dtype, type) SUBWAVE_DTYPE_##dtype,
const std::vector<subwave_dtype> all_dtypes = {SUBWAVE_KERNELS_tensor(SUBWAVE_X)};
#undef SUBWAVE_X

constexpr int most_points = 16; /* of a direction, as the call takes */

/* p to q points in each of `dimensions` directions; apply has B in each, the gradient B and G. */
struct tensor_size {
    int p, q, dimensions, fields;
    std::int64_t batch;

    static std::int64_t power(std::int64_t base, int exponent)
    {
        return exponent ? base * power(base, exponent - 1) : 1;
    }
    std::int64_t in() const { return power(p, dimensions); }
    std::int64_t out() const { return power(q, dimensions); }
    /* The larger of any intermediate tensor. */
    std::int64_t between() const { return power(std::max(p, q), dimensions); }
    /* Of a direction after another, those before being applied already. */
    double operations() const
    {
        double all = 0;
        for (int f = 0; f < fields; ++f)
            for (int d = 0; d < dimensions; ++d)
                all +=
                    2.0 * p * static_cast<double>(power(q, d + 1) * power(p, dimensions - 1 - d));
        return all * static_cast<double>(batch);
    }
};

class tensor_problem : public problem {
public:
    tensor_problem(const device &on, subwave_dtype dtype, tensor_size of, int count)
        : size(of), dtype(dtype), element(subwave_dtype_size(dtype)),
          x(on, bytes_of(of.in() * of.batch), count),
          y(on, bytes_of(of.out() * of.fields * of.batch), count),
          matrices(on, bytes_of(2 * of.p * of.q), 1), one(on, bytes_of(of.between() * of.batch), 1),
          other(on, bytes_of(of.between() * of.batch), 1), x_(values(of.in() * of.batch, 1, x)),
          matrices_(values(2 * of.p * of.q, 2, matrices))
    {
        sets = count;
        /* Of a sum of p^dimensions terms below 1. */
        bound = 8 * of.dimensions * of.p * (dtype == SUBWAVE_DTYPE_F64 ? 0x1p-53 : 0x1p-24) *
                static_cast<double>(of.in());
    }
    void poison() override { y.poison(sets - 1); }
    /* Of the first and the last elements. */
    double error() override
    {
        const std::vector<unsigned char> bytes = y.read(sets - 1);
        std::vector<double> found(bytes.size() / element);
        measure_decode(dtype, static_cast<std::int64_t>(found.size()), bytes.data(), found.data());
        double worst = 0;
        for (std::int64_t e = 0; e < size.batch; ++e)
            for (int f = 0; f < size.fields && (e < 50 || e >= size.batch - 50); ++f) {
                std::vector<double> right(x_.begin() + e * size.in(),
                                          x_.begin() + (e + 1) * size.in());
                for (int d = 0; d < size.dimensions; ++d)
                    right = applied(right, d, size.fields > 1 && f == d);
                const double *const at = &found[(f * size.batch + e) * size.out()];
                for (std::int64_t i = 0; i < size.out(); ++i) {
                    const double off = std::fabs(at[i] - right[i]);
                    worst = off <= worst ? worst : off;
                }
            }
        return worst;
    }
    void *matrix(int number) const
    {
        return static_cast<char *>(matrices[0]) + number * size.p * size.q * element;
    }
    void *field(int set, int number) const
    {
        return static_cast<char *>(y[set]) + number * size.out() * size.batch * element;
    }

    const tensor_size size;
    const subwave_dtype dtype;
    const std::size_t element;
    rotating_array x, y, matrices, one, other;

private:
    std::size_t bytes_of(std::int64_t count) const
    {
        return static_cast<std::size_t>(count) * element;
    }
    /* As the elements hold them. */
    std::vector<double> values(std::int64_t count, std::uint64_t seed,
                               const rotating_array &array) const
    {
        std::vector<double> numbers(count);
        std::vector<unsigned char> bytes(bytes_of(count));
        measure_random(dtype, count, seed, numbers.data());
        measure_encode(dtype, count, numbers.data(), bytes.data());
        array.fill(bytes.data());
        measure_decode(dtype, count, bytes.data(), numbers.data());
        return numbers;
    }
    /* Directions before d have q points by then. */
    std::vector<double> applied(const std::vector<double> &from, int d, int matrix) const
    {
        const std::int64_t before = tensor_size::power(size.q, d),
                           behind = tensor_size::power(size.p, size.dimensions - 1 - d);
        std::vector<double> to(before * size.q * behind);
        for (std::int64_t k = 0; k < behind; ++k)
            for (int j = 0; j < size.q; ++j)
                for (std::int64_t i = 0; i < before; ++i) {
                    double sum = 0;
                    for (int l = 0; l < size.p; ++l)
                        sum += matrices_[(matrix * size.q + j) * size.p + l] *
                               from[i + before * (l + size.p * k)];
                    to[i + before * (j + size.q * k)] = sum;
                }
        return to;
    }

    std::vector<double> x_, matrices_;
};

const double one_f64 = 1, zero_f64 = 0;
const float one_f32 = 1, zero_f32 = 0;

contender fused(device &on)
{
    return {"subwave", "fused", subwave_version(), [&on](problem &any, int set) {
                const auto &p = static_cast<tensor_problem &>(any);
                const tensor_size &of = p.size;
                const bool wide = p.dtype == SUBWAVE_DTYPE_F64;
                const void *const one = wide ? static_cast<const void *>(&one_f64) : &one_f32,
                                  *const zero =
                                      wide ? static_cast<const void *>(&zero_f64) : &zero_f32;
                if (of.fields == 1)
                    on.expect(subwave_tensor_apply(on.context, p.dtype, SUBWAVE_TRANSPOSE_NONE,
                                                   of.dimensions, of.p, of.q, one, p.matrix(0),
                                                   p.matrix(0), p.matrix(0), p.x[set], of.in(), 0,
                                                   zero, p.y[set], of.out(), 0, 1, of.batch));
                else
                    on.expect(subwave_tensor_gradient(
                        on.context, p.dtype, SUBWAVE_TRANSPOSE_NONE, of.dimensions, of.p, of.q, one,
                        p.matrix(0), p.matrix(1), p.x[set], of.in(), 0, zero, p.y[set], of.out(), 0,
                        of.out() * of.batch, 1, of.batch));
            }};
}

/* Along direction d of all tensors, those before having q points: for the first, rows of an
 * element by the transposed matrix; for others, the matrix by rows of `before` elements. */
void contract(const device &on, const tensor_problem &p, int d, int matrix, const void *from,
              void *to)
{
    const tensor_size &of = p.size;
    const bool wide = p.dtype == SUBWAVE_DTYPE_F64;
    const void *const one = wide ? static_cast<const void *>(&one_f64) : &one_f32,
                      *const zero = wide ? static_cast<const void *>(&zero_f64) : &zero_f32;
    const std::int64_t before = tensor_size::power(of.q, d),
                       behind = tensor_size::power(of.p, of.dimensions - 1 - d);
    if (d == 0)
        on.expect(subwave_matmul_strided_batched(
            on.context, p.dtype, SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
            SUBWAVE_TRANSPOSE_YES, behind, of.q, of.p, one, from, of.p, behind * of.p,
            p.matrix(matrix), of.p, 0, zero, to, of.q, behind * of.q, of.batch));
    else
        on.expect(subwave_matmul_strided_batched(
            on.context, p.dtype, SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
            SUBWAVE_TRANSPOSE_NONE, of.q, before, of.p, one, p.matrix(matrix), of.p, 0, from,
            before, before * of.p, zero, to, before, before * of.q, behind * of.batch));
}

contender batched(device &on)
{
    return {
        "subwave", "batched", subwave_version(), [&on](problem &any, int set) {
            const auto &p = static_cast<tensor_problem &>(any);
            const int last = p.size.dimensions - 1;
            for (int f = 0; f < p.size.fields; ++f) {
                const void *from = p.x[set];
                for (int d = 0; d <= last; ++d) {
                    void *const to = d == last ? p.field(set, f) : d % 2 ? p.other[0] : p.one[0];
                    contract(on, p, d, p.size.fields > 1 && f == d, from, to);
                    from = to;
                }
            }
        }};
}

} // namespace

/* Sizes are N, or MxNxK: M points to N in K directions. */
void tensor_cases(session &s)
{
    if (!s.wants("tensor"))
        return;
    std::vector<shape> usual = {{8, 8, 2}, {5, 6, 3}};
    for (std::int64_t n : {2, 3, 4, 5, 6, 7, 8, 10, 12, 16})
        usual.push_back({n, n, 3});
    for (shape size : s.sizes(usual))
        for (subwave_dtype dtype : s.dtypes(all_dtypes, {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64}))
            for (const char *kind : {"apply", "gradient"}) {
                if (!size.m)
                    size = {size.n, size.n, 3};
                if (size.m > most_points || size.n > most_points || size.k > 3 ||
                    !s.wants_kind(kind))
                    continue;
                tensor_size of = {static_cast<int>(size.m), static_cast<int>(size.n),
                                  static_cast<int>(size.k),
                                  kind[0] == 'a' ? 1 : static_cast<int>(size.k), 1};
                const auto bytes = [&] {
                    return static_cast<double>(of.batch * (of.in() + of.fields * of.out())) *
                           static_cast<double>(subwave_dtype_size(dtype));
                };
                const double usual_bytes = s.on.is_gpu() ? 8e8 : 4e5;
                of.batch = size.batch =
                    s.wishes.batch ? s.wishes.batch
                                   : std::max<std::int64_t>(1, std::llround(usual_bytes / bytes()));
                for (cache state : s.caches(bytes()))
                    if (const int sets = s.sets(state, bytes()))
                        s.run({"tensor", dtype, size, state, kind},
                              {.operations = of.operations(), .bytes = bytes()},
                              {fused(s.on), batched(s.on)}, [&s, dtype, of, sets] {
                                  return std::make_unique<tensor_problem>(s.on, dtype, of, sets);
                              });
            }
}

} // namespace bench
