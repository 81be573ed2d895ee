/* SPDX-License-Identifier: MIT
 * state.hpp: lanes, waves and blocks while a kernel runs. */
#ifndef SUBWAVE_CPU_STATE_HPP
#define SUBWAVE_CPU_STATE_HPP

#include "fiber.hpp"
#include "site.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

namespace subwave::simt {

using lane_mask = std::uint64_t;

constexpr unsigned max_wave = 64;
constexpr unsigned max_block = 1024;
constexpr unsigned max_regions = 16;
constexpr std::size_t shared_limit = 64 * 1024; /* bytes of shared memory of a block */

struct wave;
struct block;

enum class operation : std::uint8_t {
    ballot,
    shuffle,
    broadcast,
    barrier,
    publish,
    tile_read,
    active, /* this and the next two find their lanes by program position */
    opportunistic,
    unmasked, /* of HIP's functions without a mask: tolerates an unmarked loop of the same lanes */
    block_barrier
};

/* What a blocked lane waits in; lies on that lane's own stack. */
struct arrival {
    operation what;
    lane_mask members;
    site where;
    const void *in = nullptr;
    void *out = nullptr;
    int source = 0;
    const void *frame = nullptr;
};

/* What every switch touches: one cache line. */
struct alignas(64) lane {
    context saved;
    wave *home;
    const arrival *at;
    std::uint64_t result;
    std::uint32_t index; /* in its wave */
    std::uint32_t atomics;
};

/* Lanes that wait for the rest of `members`. */
struct meeting {
    lane_mask members;
    lane_mask arrived;
    lane_mask votes;
    const arrival *first;
};

/* A published value of every lane of `holders`, each of which may still read it. */
struct tile_buffer {
    void *data;
    std::size_t bytes;
    lane_mask holders;
};

struct wave {
    lane *lanes;
    block *home;
    lane_mask existing;
    lane_mask runnable; /* but not running */
    lane_mask finished;
    lane_mask implicit;   /* waiting in an operation that finds its lanes by position */
    lane_mask in_barrier; /* of the block */
    unsigned size;
    unsigned number;
    unsigned open;
    bool random;
    meeting meetings[max_wave];
    std::uint8_t held[max_wave]; /* per lane: the tile that it may read */
    tile_buffer tiles[max_wave + 1];
};

/* One step of a program position. */
struct step {
    const char *file;
    std::uint32_t line;
    std::uint32_t column;
    std::uint32_t iteration;
};

/* The rarely used rest of a lane. */
struct lane_details {
    dim3 thread;
    std::uint64_t serial; /* of the block that `depth` and `last` belong to */
    unsigned depth;
    unsigned last_depth;
    bool repeated;      /* the latest implicit operation came without a new position */
    lane_mask last_set; /* its lanes */
    step regions[max_regions];
    step last[max_regions + 1]; /* position of the latest implicit operation */
    void *stack;                /* lowest usable byte */
    void *fake_stack;
    void *fiber;
};

struct block {
    lane main; /* the worker that runs the block */
    lane *lanes;
    lane_details *details;
    wave *waves;
    unsigned wave_count;
    unsigned threads;
    unsigned finished;
    unsigned in_barrier;
    unsigned barrier_size; /* threads that the block barrier waits for */
    site barrier_site;
    bool checked;
    bool exited_ok;
    dim3 index;
    dim3 size;
    dim3 grid;
    void *shared;                        /* dynamic shared memory */
    std::atomic<std::uint64_t> progress; /* written by one thread, read by watchdogs */
};

/* The lane that runs on this OS thread, or null outside kernels. */
extern constinit thread_local lane *current __attribute__((tls_model("initial-exec")));

inline lane_details &details_of(lane &self)
{
    block &b = *self.home->home;
    return b.details[&self - b.lanes];
}

} // namespace subwave::simt
#endif
