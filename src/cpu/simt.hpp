/* SPDX-License-Identifier: MIT
 * simt.hpp: what kernels and their launchers use of the CPU device. */
#ifndef SUBWAVE_CPU_SIMT_HPP
#define SUBWAVE_CPU_SIMT_HPP

#include "collectives.hpp"
#include "cpu.h"

#include <new>
#include <tuple>
#include <type_traits>

typedef struct subwave_cpu_stream *hipStream_t;

namespace subwave::simt {

inline const dim3 &thread_index() { return details_of(*current).thread; }
inline const dim3 &block_index() { return current->home->home->index; }
inline const dim3 &block_size() { return current->home->home->size; }
inline const dim3 &grid_size() { return current->home->home->grid; }

inline int wave_size() { return static_cast<int>(current->home->size); }
inline int lane_index() { return static_cast<int>(current->index); }
inline unsigned thread_number() /* in its block */
{
    return static_cast<unsigned>(current - current->home->home->lanes);
}
/* The lanes of this wave that exist: fewer than its size in a partial last wave. */
inline lane_mask existing_lanes() { return current->home->existing; }

/* A lane for a result that the specification leaves open: `otherwise` at seed 0,
 * else any of `members`. */
int unspecified_lane(lane_mask members, int otherwise);

template <class T>
SUBWAVE_SIMT_INLINE T exchange(operation what, lane_mask members, const T &value, int source,
                               bool lenient, site where)
{
    static_assert(std::is_trivially_copyable_v<T>,
                  "only trivially copyable types can move between work-items");
    alignas(T) unsigned char out[sizeof(T)];
    fast::exchange(what, members, &value, out, sizeof(T), source, lenient, where);
    return *std::launder(reinterpret_cast<T *>(out));
}

/* One value of each lane of the wave, by lane; those of `members` are valid. */
template <class T>
SUBWAVE_SIMT_INLINE const T *publish(lane_mask members, const T &value, site where)
{
    static_assert(std::is_trivially_copyable_v<T>,
                  "only trivially copyable types can move between work-items");
    return static_cast<const T *>(fast::publish(members, &value, sizeof(T), where));
}

inline bool reads_are_checked() { return current->home->home->checked; }

/* Diagnoses members that read different lanes of a tile, or not together. */
void check_tile_read(lane_mask members, int lane, site where);

/* Opens a step of the program position: see SUBWAVE_LOOP. */
class region {
public:
    explicit region(site where = site::current());
    ~region();
    region(const region &) = delete;
    region &operator=(const region &) = delete;
    void next();
};

/* Storage of a block: the same for every lane that passes the same tag. */
void *shared_object(const void *tag, std::size_t bytes, std::size_t alignment);
template <class Array, class Declaration> Array &shared_array(Declaration)
{
    static char tag;
    return *static_cast<Array *>(shared_object(&tag, sizeof(Array), alignof(Array)));
}
inline void *dynamic_shared() { return current->home->home->shared; }

struct launch_request {
    void (*run)(const void *arguments);
    const void *arguments;
    const void *kernel; /* its address, which names it in reports */
    dim3 grid;
    dim3 block;
    std::size_t shared_bytes;
    const subwave_cpu_stream *stream; /* null: the process's default */
    bool instrumented;                /* the kernel is built with a sanitizer that knows fibers */
};

int run(const launch_request &request);

/* Runs the kernel to its end; a subwave_cpu_status. */
template <class... Parameters, class... Arguments>
int launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
           hipStream_t stream, Arguments... arguments)
{
    struct call {
        void (*kernel)(Parameters...);
        std::tuple<Parameters...> parameters;
    };
    const call made{kernel, {static_cast<Parameters>(arguments)...}};
    const auto body = [](const void *p) {
        const call &c = *static_cast<const call *>(p);
        std::apply(c.kernel, c.parameters);
    };
    return run({body, &made, reinterpret_cast<const void *>(kernel), grid, block, shared_bytes,
                stream, instrumented});
}

} // namespace subwave::simt

/* Markers of the program position, around a loop or a call of a helper that
 * contains an implicit operation (active mask, tangle or opportunistic group). */
#define SUBWAVE_LOOP \
    if (::subwave::simt::region subwave_region_{}; false) { \
    } else
#define SUBWAVE_ITER subwave_region_.next()
#define SUBWAVE_CALL(...) \
    [&]() -> decltype(auto) { \
        ::subwave::simt::region subwave_region_{}; \
        return __VA_ARGS__; \
    }()

/* The lambda's type tells this declaration from all others. */
#define SUBWAVE_SHARED(T, name, count) auto &name = ::subwave::simt::shared_array<T[count]>([] {})
#define SUBWAVE_DYNAMIC_SHARED(T, name) \
    T *name = static_cast<T *>(::subwave::simt::dynamic_shared())

#endif
