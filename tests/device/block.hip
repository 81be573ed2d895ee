/* SPDX-License-Identifier: MIT
 * block.hip: reductions and scans over a block, in an order that is the same for every wave size:
 * bit for bit against the same order in plain C++.
 */
#include "harness.hpp"

namespace test {

constexpr int in_row = 2, out_row = 3;

/* Floats of mixed sizes and signs, so that every order of additions rounds otherwise. */
template <class T> constexpr __host__ __device__ T number_of(word64 random)
{
    const T small = static_cast<T>(static_cast<std::int32_t>(random));
    return std::is_integral<T>::value ? static_cast<T>(random)
                                      : small / T(1 << static_cast<unsigned>(random >> 32) % 20) / T(3);
}

template <class T, int Items> SUBWAVE_DEVICE void combine(const word64 *in, word64 *out)
{
    SUBWAVE_SHARED(T, shared, block_scan_elements<Items>);
    word64 *const row = out + grid_item() * out_row;
    const T x = number_of<T>(in[grid_item() * in_row + 1]);
    row[0] = to_word(block_reduce<Items>(x, plus<T>(), shared));
    block_barrier(site::current());
    row[1] = to_word(block_inclusive_scan<Items>(x, plus<T>(), shared));
    block_barrier(site::current());
    row[2] = to_word(block_exclusive_scan<Items>(x, T(5), plus<T>(), shared));
}

/* Of neighbours the right one takes the left one's value, then of pairs, and so on. */
template <class T> std::vector<T> scanned_in_pairs(std::vector<T> x)
{
    for (std::size_t size = 1; size < x.size(); size *= 2)
        for (std::size_t i = x.size(); i-- > 0;)
            if (i & size)
                x[i] = x[(i & ~(size - 1)) - 1] + x[i];
    return x;
}

template <class T> word64 word_of(T x)
{
    word64 word = 0;
    memcpy(&word, &x, sizeof x);
    return word;
}

template <class T> void expect_block(const member &m, word64 *row)
{
    const int size = items_of(m.of->block), first = m.item / size * size;
    std::vector<T> x;
    for (int i = first; i < first + size; ++i)
        x.push_back(number_of<T>(m.of->in[static_cast<std::size_t>(i) * in_row + 1]));
    /* A sum in pairs is the last value of a scan in pairs. */
    const std::vector<T> upto = scanned_in_pairs(x);
    const int item = m.item - first;
    row[0] = word_of(upto.back());
    row[1] = word_of(upto[item]);
    row[2] = word_of(item ? T(5) + upto[item - 1] : T(5));
}

/* X(type, work-items) */
#define BLOCKS(X) \
    X(float, 64) \
    X(float, 256) \
    X(float, 1024) \
    X(double, 128) \
    X(double, 512) \
    X(uint32_t, 256)
#define BLOCK_KERNEL(T, Items) \
    extern "C" SUBWAVE_KERNEL(Items) \
        block_##T##_##Items(const word64 *in, word64 *out, std::int64_t) \
    { \
        combine<T, Items>(in, out); \
    }
BLOCKS(BLOCK_KERNEL)

static void cases(machine &t)
{
    const struct {
        const char *name;
        kernel *function;
        unsigned items;
        void (*expect)(const member &, word64 *);
    } all[] = {
#define BLOCK_ENTRY(T, Items) {"block_" #T "_" #Items, block_##T##_##Items, Items, expect_block<T>},
        BLOCKS(BLOCK_ENTRY)};
    for (const auto &k : all)
        for (int blocks = 1; blocks <= (t.full ? 3 : 2); ++blocks) {
            launch_case l{k.name, k.function, whole, dim3(k.items), in_row, out_row, 0, blocks};
            t.fill(l, blocks, k.items);
            t.run(l, k.expect);
        }
}

} // namespace test

int main(int argc, char **argv) { return test::main_of(argc, argv, test::cases); }
