/* SPDX-License-Identifier: MIT
 * platform/gpu/wave.hpp: wave primitives that AMD and NVIDIA share, made of those that differ.
 */
#ifndef SUBWAVE_DEVICE_PLATFORM_GPU_WAVE_HPP
#define SUBWAVE_DEVICE_PLATFORM_GPU_WAVE_HPP

SUBWAVE_BEGIN

/* Work-items are laid out x fastest, then y, then z, in waves of wave_size(). */
SUBWAVE_DEVICE int block_item()
{
    return static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}

SUBWAVE_DEVICE int block_size() { return static_cast<int>(blockDim.x * blockDim.y * blockDim.z); }

SUBWAVE_DEVICE lane_mask wave_members()
{
    int first = wave_uniform(block_item() / wave_size()) * wave_size();
    int absent = wave_size() - (block_size() - first);
    lane_mask all = ~lane_mask(0) >> (64 - wave_size());
    return absent > 0 ? all >> absent : all;
}

SUBWAVE_DEVICE lane_mask wave_side(lane_mask callers, lane_mask, bool p, site where)
{
    const lane_mask yes = wave_ballot(callers, p, where), no = wave_ballot(callers, !p, where);
    return p ? yes : no;
}

template <class T>
SUBWAVE_DEVICE T wave_broadcast_each(lane_mask members, const T &value, int source_lane, site where)
{
    return wave_shuffle(members, value, source_lane, where);
}

/* A value of every member, held in registers and read by lane. */
template <class T> class wave_tile {
public:
    SUBWAVE_DEVICE wave_tile(lane_mask members, const T &value) : members_(members), value_(value)
    {
    }
    SUBWAVE_DEVICE T read(int lane) const
    {
        return wave_broadcast(members_, value_, lane, site::current());
    }
    template <int Size> SUBWAVE_DEVICE T read_block(std::uint32_t id) const
    {
        return wave_broadcast_block<Size>(members_, value_, id, site::current());
    }
    SUBWAVE_DEVICE T read_each(int lane) const
    {
        return wave_broadcast_each(members_, value_, lane, site::current());
    }
    SUBWAVE_DEVICE T read_in_team(int item) const
    {
        return wave_broadcast_in_team(members_, value_, item, site::current());
    }
    template <class Part> SUBWAVE_DEVICE auto select(int lane, Part part) const
    {
        return wave_shuffle(members_, part(value_), lane, site::current());
    }
    template <int Size, class Part>
    SUBWAVE_DEVICE auto select_block(int, std::uint32_t id, Part part) const
    {
        return wave_broadcast_block<Size>(members_, part(value_), id, site::current());
    }

private:
    lane_mask members_;
    T value_;
};

template <class T> SUBWAVE_DEVICE wave_tile<T> wave_publish(lane_mask members, const T &value, site)
{
    return wave_tile<T>(members, value);
}

constexpr bool wave_loads_ahead = true;
template <class T> struct wave_vector; /* the CPU device's */

template <int Count, class T> SUBWAVE_DEVICE void load_together(T *to, const T *from)
{
    struct alignas(Count * sizeof(T)) pack {
        T element[Count];
    };
    const pack loaded = *reinterpret_cast<const pack *>(from);
    SUBWAVE_UNROLL
    for (int i = 0; i < Count; ++i)
        to[i] = loaded.element[i];
}

template <class T> SUBWAVE_DEVICE T fused_multiply_add(T a, T b, T sum)
{
    return fma(a, b, sum); /* of either type, by overloading */
}
template <int Columns, int Count, class T>
SUBWAVE_DEVICE void fused_multiply_adds(T (&sums)[Columns], const T (&factors)[Count], int i,
                                        const T (&b)[Columns])
{
    SUBWAVE_UNROLL
    for (int c = 0; c < Columns; ++c)
        sums[c] = fused_multiply_add(factors[i], b[c], sums[c]);
}

SUBWAVE_DEVICE double square_root(double x) { return sqrt(x); }

/* IEEE minNum and maxNum with -0 below +0, an instruction each. */
SUBWAVE_DEVICE float number_min(float a, float b) { return fminf(a, b); }

SUBWAVE_DEVICE double number_min(double a, double b) { return fmin(a, b); }
SUBWAVE_DEVICE float number_max(float a, float b) { return fmaxf(a, b); }
SUBWAVE_DEVICE double number_max(double a, double b) { return fmax(a, b); }

SUBWAVE_END

#endif
