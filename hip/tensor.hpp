/* SPDX-License-Identifier: MIT
 * tensor.hpp: the tensors of a block, and what it does with them. Between its steps it has them in shared
 * memory; of a step a lane has all elements of a few lines in registers, so that it reads and writes
 * each once, and the coefficients, which are the same for all lanes, once for its lines.
 */
#ifndef SUBWAVE_HIP_TENSOR_HPP
#define SUBWAVE_HIP_TENSOR_HPP

#include "divisor.hpp"
#include "integers.hpp"
#include "shapes.hpp"

SUBWAVE_BEGIN

template <class T> struct tensor_problem {
    subwave_tensor_launch p;
    T alpha, beta;
};

/* What the work-items of a block share. Rows of coefficients are read in packs. Out: points of a direction
 * in y, if the list of steps is known, and otherwise 0. Rows: of a matrix, in a turn of the loop over them. */
template <class T, int In, int Out, int Rows> struct tensor_block {
    static constexpr int pack = 16 / sizeof(T), packs = (In + pack - 1) / pack;
    static constexpr int width = subwave_tensor_width(shapes.tensor_bytes, sizeof(T), In);
    static constexpr int line_pack = /* elements of a line that are loaded together */
        wave_loads_anywhere ? pack : subwave_tensor_pack(sizeof(T), In);
    static constexpr int loads = 8; /* elements under way together */
    /* Planes of so few bytes end within sectors of a cache, which would be written twice or more often. */
    static constexpr bool stores_packs =
        shapes.tensor_packs && Out % 2 == 1 && Out * Out * sizeof(T) < 96;

    const tensor_problem<T> &problem;
    T *const coefficients, *const buffers;
    const std::int64_t entry; /* of the block's first tensor */
    const std::uint32_t component;
    const int tensors, item, items;

    SUBWAVE_DEVICE tensor_block(const tensor_problem<T> &all, T *local, std::int64_t first)
        : problem(all), coefficients(local),
          buffers(local + all.p.matrix_count * out() * packs * pack),
          entry(uniform(components() == 1 ? first : first / components())),
          component(static_cast<std::uint32_t>(first - entry * components())),
          tensors(static_cast<int>(all.p.count - first < all.p.tensors ? all.p.count - first
                                                                       : all.p.tensors)),
          item(block_item()), items(block_size())
    {
    }

    SUBWAVE_DEVICE int out() const { return Out > 0 ? Out : problem.p.out; }
    SUBWAVE_DEVICE int components() const { return Out > 0 ? 1 : problem.p.components; }

    /* Where a tensor begins, counted from the block's first entry. */
    template <class Offset>
    SUBWAVE_DEVICE Offset offset(const subwave_tensor_operand &x, int tensor) const
    {
        if (components() == 1)
            return static_cast<Offset>(tensor) * static_cast<Offset>(x.entry);
        const std::uint32_t all = static_cast<std::uint32_t>(components()),
                            at = component + static_cast<std::uint32_t>(tensor), beyond = at / all;
        return static_cast<Offset>(beyond) * static_cast<Offset>(x.entry) +
               static_cast<Offset>(at - beyond * all) * static_cast<Offset>(x.component);
    }
    static SUBWAVE_DEVICE T *field(const subwave_tensor_operand &x, int number)
    {
        return in_global_memory(static_cast<T *>(const_cast<void *>(x.first))) + number * x.field;
    }

    SUBWAVE_DEVICE void load_matrices() const
    {
        const subwave_tensor_launch &p = problem.p;
        const auto address = [&](int number) {
            return static_cast<const T *>(
                argument_element(p.matrices, offsetof(tensor_problem<T>, p.matrices), number));
        };
        const int each = out() * packs * pack;
        /* In one loop the small matrices of known lists do not wait for one another; with larger ones it would
         * have many turns, each of which waits for memory. */
        if constexpr (Out > 0) {
            SUBWAVE_ROLLED
            for (int e = item; e < p.matrix_count * each; e += items) {
                const int m = (e >= each) + (e >= 2 * each), of_matrix = e - m * each,
                          j = of_matrix / (packs * pack), i = of_matrix - j * packs * pack;
                const T *const a = in_global_memory(m == 0   ? address(0)
                                                    : m == 1 ? address(1)
                                                             : address(2));
                T value = {};
                if (i < In)
                    value = a[p.transposed ? i * out() + j : j * In + i];
                coefficients[e] = value;
            }
        } else {
            for (int m = 0; m < p.matrix_count; ++m) {
                const T *const a = in_global_memory(address(m));
                for (int e = item; e < each; e += items) {
                    const int j = e / (packs * pack), i = e - j * packs * pack;
                    T value = {};
                    if (i < In)
                        value = a[p.transposed ? i * out() + j : j * In + i];
                    coefficients[m * each + e] = value;
                }
            }
        }
    }

    /* Element e of all tensors in a field that is at x, and in the buffer. Dense: the tensors
     * follow one another without gaps. */
    template <bool Dense>
    SUBWAVE_DEVICE T *in_field(const subwave_tensor_step &s, const subwave_tensor_operand &of, T *x,
                               int e) const
    {
        if constexpr (Dense) {
            return x + entry * of.entry + static_cast<std::uint32_t>(e);
        } else {
            const int tensor = quotient(quotient(e, s.geometry.lines_i), s.geometry.lines_j);
            return x + (entry * of.entry + offset<std::int64_t>(of, tensor)) +
                   (e - small_product(tensor, s.geometry.count));
        }
    }
    static SUBWAVE_DEVICE int in_buffer(const subwave_tensor_step &s, int e)
    {
        return e + small_product(quotient(e, s.geometry.lines_i),
                                 s.geometry.now.of_j - static_cast<int>(s.geometry.lines_i.number));
    }

    /* Calls body(whether tensors are dense, how many elements move together), both constants. */
    template <class Body>
    SUBWAVE_DEVICE void with_access(const subwave_tensor_step &s, const subwave_tensor_operand &of,
                                    const T *x, Body body) const
    {
        const bool dense = components() == 1 && of.entry == s.geometry.count;
        if (!dense)
            body(std::false_type(), std::integral_constant<int, 1>());
        else if (s.geometry.count % pack == 0 && reinterpret_cast<std::uintptr_t>(x) % 16 == 0)
            body(std::true_type(), std::integral_constant<int, pack>());
        else
            body(std::true_type(), std::integral_constant<int, 1>());
    }

    /* Elements beyond the last are the last again, and not written. */
    SUBWAVE_DEVICE void load(const subwave_tensor_step &s, const subwave_tensor_operand &of) const
    {
        T *const x = field(of, s.from), *const to = buffers + s.to * problem.p.buffer;
        with_access(s, of, x, [&](auto dense, auto each) {
            constexpr bool is_dense = decltype(dense)::value;
            constexpr int count = decltype(each)::value, together = is_dense ? loads / count : 1;
            const int all = tensors * s.geometry.count / count;
            for (int first = item; first < all; first += together * items) {
                T value[together][count];
                SUBWAVE_UNROLL
                for (int l = 0; l < together; ++l)
                    load_together<count>(
                        value[l],
                        in_field<is_dense>(s, of, x, count * lesser(first + l * items, all - 1)));
                SUBWAVE_UNROLL
                for (int l = 0; l < together; ++l) {
                    const int at = first + l * items;
                    SUBWAVE_UNROLL
                    for (int e = 0; e < count && at < all; ++e)
                        to[in_buffer(s, count * at + e)] = value[l][e];
                }
            }
        });
    }

    /* A line from global memory, as the lane's number w. Where a load of 16 bytes has to be aligned, lines
     * are aligned to subwave_tensor_pack elements, of which the host has seen to the first one's. */
    static SUBWAVE_DEVICE void load_line(T (&x)[In][width], int w, const T *from)
    {
        constexpr int together = line_pack, whole = In / together * together;
        SUBWAVE_UNROLL
        for (int l = 0; l < whole; l += together) {
            T some[together];
            if constexpr (wave_loads_anywhere)
                load_anywhere<together>(some, from + l);
            else
                load_together<together>(some, from + l);
            SUBWAVE_UNROLL
            for (int e = 0; e < together; ++e)
                x[l + e][w] = some[e];
        }
        SUBWAVE_UNROLL
        for (int l = whole; l < In; ++l)
            x[l][w] = from[l];
    }

    /* A work-item with fewer than `width` lines computes its first one again for each that it lacks,
     * and writes it again: then only what adds to old values has to ask which lines are there. */
    template <bool Begins>
    SUBWAVE_DEVICE void contract(const subwave_tensor_step &s,
                                 const subwave_tensor_operand &of) const
    {
        const int count = s.geometry.count, lines = tensors * count,
                  first_line = lesser(item, lines - 1);
        int line[width], begin[width], place[width], tensor[width];
        SUBWAVE_UNROLL
        for (int w = 0; w < width; ++w) {
            const int own = item + w * items;
            line[w] = own < lines ? own : first_line;
            const int row = quotient(line[w], s.geometry.lines_i),
                      i = line[w] - small_product(row, int(s.geometry.lines_i.number)),
                      k = quotient(row, s.geometry.lines_j),
                      j = row - small_product(k, int(s.geometry.lines_j.number));
            const auto at = [&](const subwave_tensor_lines &in) {
                return (Out > 0 ? small_product(i, in.of_i) : i) + small_product(j, in.of_j) +
                       small_product(k, in.of_k);
            };
            begin[w] = at(s.geometry.old);
            place[w] = at(s.geometry.now);
            tensor[w] = k; /* along the last direction */
        }
        T x[In][width];
        if (s.action == SUBWAVE_TENSOR_LOAD_AND_CONTRACT) {
            const T *const from = field(of, s.from) + entry * of.entry;
            SUBWAVE_UNROLL
            for (int w = 0; w < width; ++w)
                load_line(x, w, from + static_cast<std::uint32_t>(line[w] * In));
        } else {
            const T *const from = buffers + s.from * problem.p.buffer;
            SUBWAVE_UNROLL
            for (int w = 0; w < width; ++w) {
                SUBWAVE_UNROLL
                for (int l = 0; l < In; ++l)
                    x[l][w] = from[begin[w] + l * s.geometry.old.along];
            }
        }
        if constexpr (stores_packs)
            if (s.action == SUBWAVE_TENSOR_CONTRACT_AND_STORE && of.entry == count * Out) {
                contract_to_packs(s, of, x, tensor, place);
                return;
            }
        if (s.action == SUBWAVE_TENSOR_CONTRACT_AND_STORE) {
            const T *const a = matrix(s.matrix);
            char *const y = reinterpret_cast<char *>(field(of, s.to) + entry * of.entry);
            std::uint32_t cell[width]; /* bytes, of which the host knows that they fit */
            SUBWAVE_UNROLL
            for (int w = 0; w < width; ++w)
                cell[w] =
                    (offset<std::uint32_t>(of, tensor[w]) + static_cast<std::uint32_t>(place[w])) *
                    sizeof(T);
            if (beta_of(s) != 0)
                multiply(a, x, lines,
                         [&](const T(&sum)[width]) { put_in_field<true>(s, sum, y, cell, lines); });
            else
                multiply(a, x, lines, [&](const T(&sum)[width]) {
                    put_in_field<false>(s, sum, y, cell, lines);
                });
            return;
        }
        if (Begins)
            load_matrices();
        /* What is overwritten has been read; the coefficients are there. */
        block_barrier(site::current());
        decltype(in_shared_memory(buffers)) to[width];
        SUBWAVE_UNROLL
        for (int w = 0; w < width; ++w)
            to[w] = in_shared_memory(buffers) + (s.to * problem.p.buffer + place[w]);
        const T *a = matrix(s.matrix);
        SUBWAVE_ROLLED
        for (int left = s.is_by_both;; --left) {
            if (s.adds)
                multiply(a, x, lines,
                         [&](const T(&sum)[width]) { put_in_buffer<true>(s, sum, to, lines); });
            else
                multiply(a, x, lines,
                         [&](const T(&sum)[width]) { put_in_buffer<false>(s, sum, to, lines); });
            if (left == 0)
                return;
            a = matrix(s.other_matrix);
            SUBWAVE_UNROLL
            for (int w = 0; w < width; ++w) /* back, and to the other buffer */
                to[w] += (s.other_to - s.to) * problem.p.buffer - out() * s.geometry.now.along;
        }
    }
    /* Along the last direction, where tensors in y follow one another without gaps. The sums take the place of
     * what has been read, in the order of y, and go to y together. */
    SUBWAVE_DEVICE void contract_to_packs(const subwave_tensor_step &s,
                                          const subwave_tensor_operand &of, const T (&x)[In][width],
                                          const int (&tensor)[width],
                                          const int (&place)[width]) const
    {
        const int count = s.geometry.count, lines = tensors * count;
        T *const y = field(of, s.to) + entry * of.entry, *const sums = buffers +
                                                                       s.from * problem.p.buffer +
                                                                       elements_beyond_pack(y);
        block_barrier(site::current());
        decltype(in_shared_memory(buffers)) to[width];
        SUBWAVE_UNROLL
        for (int w = 0; w < width; ++w)
            to[w] = in_shared_memory(sums) + (small_product(tensor[w], count * Out) + place[w]);
        multiply(matrix(s.matrix), x, lines,
                 [&](const T(&sum)[width]) { put_in_buffer<false>(s, sum, to, lines); });
        block_barrier(site::current());

        const int all = lines * Out, beyond = elements_beyond_pack(y),
                  before = lesser(beyond ? pack - beyond : 0, all),
                  after = before + (all - before) / pack * pack;
        for (int e = before + item * pack; e < after; e += items * pack)
            store_elements<pack>(s, sums + e, y + e);
        if (item < before)
            store_elements<1>(s, sums + item, y + item);
        if (item < all - after)
            store_elements<1>(s, sums + after + item, y + after + item);
    }
    static SUBWAVE_DEVICE int elements_beyond_pack(const T *at)
    {
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(at) % 16 / sizeof(T));
    }
    /* y = alpha x + beta y for elements that follow one another. */
    template <int Count>
    SUBWAVE_DEVICE void store_elements(const subwave_tensor_step &s, const T *x, T *y) const
    {
        struct alignas(Count * sizeof(T)) elements {
            T element[Count];
        };
        const T beta = beta_of(s);
        elements now = *reinterpret_cast<const elements *>(x);
        elements *const to = reinterpret_cast<elements *>(y);
        SUBWAVE_UNROLL
        for (int e = 0; e < Count; ++e)
            now.element[e] *= problem.alpha;
        if (beta != 0) {
            const elements old = *to;
            SUBWAVE_UNROLL
            for (int e = 0; e < Count; ++e)
                now.element[e] = fused_multiply_add(beta, old.element[e], now.element[e]);
        }
        *to = now;
    }
    SUBWAVE_DEVICE const T *matrix(int number) const
    {
        return coefficients + number * out() * packs * pack;
    }

    /* A row of coefficients gives an element of each line: put(those elements). */
    template <class Put>
    SUBWAVE_DEVICE void multiply(const T *a, const T (&x)[In][width], int lines, Put put) const
    {
        if (item >= lines)
            return;
        SUBWAVE_UNROLL_BY(Rows)
        for (int j = 0; j < out(); ++j) {
            T sum[width] = {};
            SUBWAVE_UNROLL
            for (int l = 0; l < In; l += pack) {
                T factor[pack];
                load_together<pack>(factor, a);
                a += pack;
                SUBWAVE_UNROLL
                for (int e = 0; e < pack && l + e < In; ++e)
                    fused_multiply_adds(sum, factor, e, x[l + e]);
            }
            put(sum);
        }
    }
    template <bool Adds, class Shared>
    SUBWAVE_DEVICE void put_in_buffer(const subwave_tensor_step &s, const T (&sum)[width],
                                      Shared (&y)[width], int lines) const
    {
        SUBWAVE_UNROLL
        for (int w = 0; w < width; ++w) {
            if (!Adds || item + w * items < lines)
                *y[w] = Adds ? *y[w] + sum[w] : sum[w];
            y[w] += s.geometry.now.along;
        }
    }
    template <bool Adds>
    SUBWAVE_DEVICE void put_in_field(const subwave_tensor_step &s, const T (&sum)[width], char *y,
                                     std::uint32_t (&cell)[width], int lines) const
    {
        T old[width] = {};
        SUBWAVE_UNROLL
        for (int w = 0; w < width; ++w)
            if (Adds && item + w * items < lines)
                old[w] = *reinterpret_cast<const T *>(y + cell[w]);
        SUBWAVE_UNROLL
        for (int w = 0; w < width; ++w) {
            const T now = problem.alpha * sum[w];
            if (!Adds || item + w * items < lines)
                *reinterpret_cast<T *>(y + cell[w]) =
                    Adds ? fused_multiply_add(beta_of(s), old[w], now) : now;
            cell[w] += static_cast<std::uint32_t>(s.geometry.now.along) * sizeof(T);
        }
    }

    SUBWAVE_DEVICE void store(const subwave_tensor_step &s, const subwave_tensor_operand &of) const
    {
        T *const y = field(of, s.to), *const from = buffers + s.from * problem.p.buffer;
        const T alpha = problem.alpha, beta = beta_of(s);
        with_access(s, of, y, [&](auto dense, auto each) {
            constexpr int count = decltype(each)::value;
            struct alignas(count * sizeof(T)) elements {
                T element[count];
            };
            const int all = tensors * s.geometry.count / count;
            for (int at = item; at < all; at += items) {
                auto *const place = reinterpret_cast<elements *>(
                    in_field<decltype(dense)::value>(s, of, y, count * at));
                elements now = {};
                if (alpha != 0) {
                    SUBWAVE_UNROLL
                    for (int e = 0; e < count; ++e)
                        now.element[e] = alpha * from[in_buffer(s, count * at + e)];
                }
                if (beta != 0) {
                    const elements old = *place;
                    SUBWAVE_UNROLL
                    for (int e = 0; e < count; ++e)
                        now.element[e] = fused_multiply_add(beta, old.element[e], now.element[e]);
                }
                *place = now;
            }
        });
    }

private:
    SUBWAVE_DEVICE T beta_of(const subwave_tensor_step &s) const
    {
        return s.adds ? T(1) : problem.beta;
    }
    static SUBWAVE_DEVICE int lesser(int a, int b) { return a < b ? a : b; }
};

SUBWAVE_END

#endif
