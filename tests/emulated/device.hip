/* SPDX-License-Identifier: MIT
 * device.hip: a kernel a subject of the device interface, for any platform, in closed form.
 * Work-item i of the grid writes row i; a block's work-items follow one another, x fastest.
 */
#include <subwave/subwave.hpp>

using namespace subwave;

namespace {

SUBWAVE_DEVICE int block_items() { return static_cast<int>(blockDim.x * blockDim.y * blockDim.z); }

/* This work-item's place in its block, worked out without the interface under test. */
SUBWAVE_DEVICE int item_in_block()
{
    return static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}

SUBWAVE_DEVICE std::int64_t item_in_grid()
{
    return std::int64_t(blockIdx.x) * block_items() + item_in_block();
}

} // namespace

/* Every member of sub_group and the wave underneath it, 18 columns a row. */
extern "C" SUBWAVE_KERNEL(1024) members(std::uint64_t *out)
{
    sub_group sg = this_work_item::get_sub_group();
    std::uint64_t *row = out + item_in_grid() * 18;
    row[0] = wave_size();
    row[1] = wave_lane();
    row[2] = wave_members();
    row[3] = sg.get_group_id();
    row[4] = sg.get_group_id().get(0);
    row[5] = sg.get_local_id();
    row[6] = sg.get_local_id()[0];
    row[7] = sg.get_group_range();
    row[8] = sg.get_group_range().get(0);
    row[9] = sg.get_local_range().size();
    row[10] = sg.get_local_range()[0];
    row[11] = sg.get_max_local_range().size();
    row[12] = sg.get_group_linear_id();
    row[13] = sg.get_local_linear_id();
    row[14] = sg.get_group_linear_range();
    row[15] = sg.get_local_linear_range();
    row[16] = sg.leader();
    row[17] = sg.lanes() == wave_members() ? sg.lane_of(sg.get_local_linear_id()) : 999;
}

/* Votes of the whole sub-group, and of each side of a branch that in[i] & 1 decides; 5 columns. */
extern "C" SUBWAVE_KERNEL(1024) masks(std::uint64_t *out, const std::uint32_t *in)
{
    lane_mask all = wave_members();
    std::uint32_t x = in[item_in_grid()];
    std::uint64_t *row = out + item_in_grid() * 5;
    row[0] = wave_ballot(all, x & 2, site::current());
    row[1] = wave_active(site::current());
    if (x & 1) { /* equal bodies: a compiler that merges them merges the sides */
        lane_mask side = wave_active(site::current());
        row[2] = side;
        row[3] = wave_opportunistic(site::current());
        row[4] = wave_ballot(side, x & 4, site::current());
    } else {
        lane_mask side = wave_active(site::current());
        row[2] = side;
        row[3] = wave_opportunistic(site::current());
        row[4] = wave_ballot(side, x & 4, site::current());
    }
}

/* A value in 16 bytes, so that no access is unaligned: an emulator need not do those. */
template <class T> struct alignas(16) cell {
    T value;
};

/* Values between lanes; 7 columns. source[i] is the lane that work-item i wants, `one` the lane
 * that all want; both exist in every sub-group of the launch. */
template <class T>
SUBWAVE_DEVICE void exchange(cell<T> *out, const cell<T> *in, const std::int32_t *source,
                             std::int32_t one)
{
    sub_group sg = this_work_item::get_sub_group();
    lane_mask all = sg.lanes();
    T x = in[item_in_grid()].value;
    int from = source[item_in_grid()];
    cell<T> *row = out + item_in_grid() * 7;
    row[0].value = wave_shuffle(all, x, from, site::current());
    row[1].value = wave_broadcast(all, x, one, site::current());
    row[2].value = group_broadcast(sg, x, static_cast<std::uint32_t>(one));
    row[3].value = group_broadcast(sg, x, id<1>(one));
    row[4].value = group_broadcast(sg, x);
    /* Hears every member in turn, forwards and backwards, and keeps the one it wants. */
    auto tile = publish(sg, x);
    auto wave_tile = wave_publish(all, x, site::current());
    int last = static_cast<int>(sg.get_local_linear_range()) - 1;
    for (int l = 0; l <= last; ++l) {
        T forwards = tile[l], backwards = wave_tile.read(last - l);
        if (l == from)
            row[5].value = forwards;
        if (last - l == from)
            row[6].value = backwards;
    }
}

struct three_words {
    float x, y, z;
};
struct seven_bytes {
    unsigned char byte[7];
};
struct four_words {
    double real, imaginary;
};

/* A kernel, and for who reads its memory the bytes of a cell and of the value at its beginning. */
#define EXCHANGE(name, type) \
    extern "C" { \
    __device__ __attribute__((used)) std::uint32_t cell_of_##name[2] = {sizeof(cell<type>), \
                                                                        sizeof(type)}; \
    } \
    extern "C" SUBWAVE_KERNEL(1024) exchange_##name(cell<type> *out, const cell<type> *in, \
                                                    const std::int32_t *source, std::int32_t one) \
    { \
        exchange(out, in, source, one); \
    }
EXCHANGE(byte, std::uint8_t)
EXCHANGE(half_word, std::uint16_t)
EXCHANGE(word, std::uint32_t)
EXCHANGE(f32, float)
EXCHANGE(f64, double)
EXCHANGE(seven_bytes, seven_bytes)
EXCHANGE(three_words, three_words)
EXCHANGE(four_words, four_words)

/* Values among the work-items of one side of a branch, with equal bodies; 2 columns. source[i] is
 * on i's own side. */
extern "C" SUBWAVE_KERNEL(1024)
    exchange_divided(std::uint32_t *out, const std::uint32_t *in, const std::int32_t *source)
{
    std::uint32_t x = in[item_in_grid()];
    int from = source[item_in_grid()];
    std::uint32_t *row = out + item_in_grid() * 2;
    if (x & 1) {
        lane_mask side = wave_active(site::current());
        int first = __ffsll(static_cast<unsigned long long>(side)) - 1;
        row[0] = wave_shuffle(side, x, from, site::current());
        row[1] = wave_broadcast(side, x, first, site::current());
    } else {
        lane_mask side = wave_active(site::current());
        int first = __ffsll(static_cast<unsigned long long>(side)) - 1;
        row[0] = wave_shuffle(side, x, from, site::current());
        row[1] = wave_broadcast(side, x, first, site::current());
    }
}

/* Rounds in which a value walks up the lanes of a wave. To a work-item alone slot[0] and slot[1]
 * are unrelated: a compiler that no barrier stops keeps slot[0] in a register. */
template <memory_scope Scope>
SUBWAVE_DEVICE void walk_up(sub_group sg, std::uint32_t *slot, int rounds)
{
    for (int r = 0; r < rounds; ++r) {
        std::uint32_t heard = slot[0];
        group_barrier(sg, Scope);
        slot[1] = 3 * heard + r;
        group_barrier(sg, Scope);
    }
}

/* Then every work-item reads what the mirrored one of its block wrote. A wave has wave_size() + 1
 * slots. */
extern "C" SUBWAVE_KERNEL(1024)
    barriers(std::uint32_t *slots, std::uint32_t *out, int rounds, memory_scope scope)
{
    sub_group sg = this_work_item::get_sub_group();
    const int stride = wave_size() + 1;
    std::uint32_t *block = slots + blockIdx.x * sg.get_group_linear_range() * stride;
    std::uint32_t *slot = block + sg.get_group_linear_id() * stride + sg.get_local_linear_id();
    if (scope == memory_scope::sub_group)
        walk_up<memory_scope::sub_group>(sg, slot, rounds);
    else if (scope == memory_scope::work_group)
        walk_up<memory_scope::work_group>(sg, slot, rounds);
    else if (scope == memory_scope::device)
        walk_up<memory_scope::device>(sg, slot, rounds);
    else
        walk_up<memory_scope::system>(sg, slot, rounds);
    block_barrier(site::current());
    int mirrored = block_items() - 1 - item_in_block();
    out[item_in_grid()] = block[mirrored / wave_size() * stride + mirrored % wave_size() + 1];
}
