/* SPDX-License-Identifier: MIT
 * collectives.hpp: the rendezvous of lanes: the last to arrive computes for all. */
#ifndef SUBWAVE_CPU_COLLECTIVES_HPP
#define SUBWAVE_CPU_COLLECTIVES_HPP

#include "state.hpp"

namespace subwave::simt {

/* Errors in a kernel: each ends the launch with a report and never returns to the lane. */
[[noreturn]] void report_not_member(const lane &self, const arrival &mine);
[[noreturn]] void report_mismatch(const lane &self, const arrival &mine, const meeting &other);
[[noreturn]] void report_source(const lane &self, const arrival &mine, lane_mask which);
[[noreturn]] void report_not_uniform(const lane &self, const arrival &mine, int other_source);
[[noreturn]] void report_barrier(const lane &self, const arrival &mine);

/* The slow part of the scheduler: who runs when `self`, already marked as
 * waiting, cannot; when it lets others go first; after seed n != 0 said so. */
lane *next_lane(lane &self);
lane *yield_target(lane &self);
bool switch_away(lane &self);
void *tile_storage(tile_buffer &tile, std::size_t bytes);

inline lane_mask bit_of(const lane &self) { return lane_mask{1} << self.index; }

template <class F> SUBWAVE_SIMT_INLINE void for_each_lane(lane_mask lanes, F f)
{
    for (; lanes != 0; lanes &= lanes - 1)
        f(static_cast<unsigned>(__builtin_ctzll(lanes)));
}

/* How lanes switch in plain builds: right in the kernel. */
struct direct {
    static SUBWAVE_SIMT_INLINE void resume(lane &self, lane &next)
    {
        if (&next == &self)
            return;
        current = &next;
        switch_context(self.saved, next.saved);
    }
    static void acquire(const void *) {}
    static void release(const void *) {}
};

/* How they switch when the kernel is built with a sanitizer that must be told;
 * used by the functions of namespace outlined, which are never instrumented. */
struct annotated {
    static void resume(lane &self, lane &next);
    static void acquire(const void *address);
    static void release(const void *address);
};

template <class How> struct collectives {
    /* The memory order of a rendezvous is that of its lowest member's record. */
    static const void *order(const lane &self, lane_mask members)
    {
        return &self.home->lanes[__builtin_ctzll(members)];
    }

    static SUBWAVE_SIMT_INLINE void suspend(lane &self)
    {
        wave &w = *self.home;
        lane *next;
        if (w.runnable != 0 && !w.random) [[likely]] {
            next = &w.lanes[__builtin_ctzll(w.runnable)];
            w.runnable &= w.runnable - 1;
        } else {
            next = next_lane(self);
        }
        How::resume(self, *next);
    }

    static void yield(lane &self) { How::resume(self, *yield_target(self)); }

    /* Others read the record while its lane waits; it is not looked at after. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas" /* before GCC 12 there is no such warning */
#pragma GCC diagnostic ignored "-Wdangling-pointer"
#endif
    static SUBWAVE_SIMT_INLINE void show(lane &self, const arrival &mine) { self.at = &mine; }
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

    /* True in the lane that completes the meeting; `votes` is then everybody's. */
    static SUBWAVE_SIMT_INLINE bool arrive(lane &self, const arrival &mine, lane_mask &votes)
    {
        wave &w = *self.home;
        const lane_mask bit = bit_of(self);
        if ((mine.members & bit) == 0 || (mine.members & ~w.existing) != 0) [[unlikely]]
            report_not_member(self, mine);
        show(self, mine);
        How::release(order(self, mine.members));

        unsigned i = 0;
        while (i < w.open && w.meetings[i].members != mine.members)
            ++i;
        meeting &m = w.meetings[i];
        if (i == w.open) {
            m = {mine.members, bit, votes, &mine};
            ++w.open;
        } else {
            if (m.first->what != mine.what || !(m.first->where == mine.where)) [[unlikely]]
                report_mismatch(self, mine, m);
            m.arrived |= bit;
            m.votes |= votes;
        }
        if (m.arrived != m.members)
            return false;
        votes = m.votes;
        m = w.meetings[--w.open];
        How::acquire(order(self, mine.members));
        return true;
    }

    /* The completing lane lets the others go, and goes first itself. */
    static SUBWAVE_SIMT_INLINE void complete(lane &self, lane_mask members)
    {
        wave &w = *self.home;
        How::release(order(self, members));
        w.runnable |= members & ~bit_of(self);
        count_progress(*w.home);
        if (w.random && switch_away(self)) [[unlikely]]
            yield(self);
    }

    static SUBWAVE_SIMT_INLINE void wait(lane &self, lane_mask members)
    {
        suspend(self);
        How::acquire(order(self, members));
    }

    static void count_progress(block &b)
    {
        b.progress.store(b.progress.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    static SUBWAVE_SIMT_INLINE lane_mask ballot(lane_mask members, bool p, site where)
    {
        lane &self = *current;
        const arrival mine{operation::ballot, members, where};
        lane_mask votes = p ? bit_of(self) : 0;
        if (arrive(self, mine, votes)) {
            for_each_lane(members, [&](unsigned i) { self.home->lanes[i].result = votes; });
            complete(self, members);
        } else {
            wait(self, members);
        }
        return self.result;
    }

    static SUBWAVE_SIMT_INLINE void barrier(lane_mask members, site where)
    {
        lane &self = *current;
        const arrival mine{operation::barrier, members, where};
        lane_mask votes = 0;
        if (arrive(self, mine, votes))
            complete(self, members);
        else
            wait(self, members);
    }

    /* out = in of lane `source`. `lenient`: a source that is no member gives all
     * bits set, which for floating types is a NaN, instead of a report. */
    static SUBWAVE_SIMT_INLINE void exchange(operation what, lane_mask members, const void *in,
                                             void *out, std::size_t bytes, int source, bool lenient,
                                             site where)
    {
        lane &self = *current;
        const arrival mine{what, members, where, in, out, source};
        lane_mask votes = 0;
        if (arrive(self, mine, votes)) {
            const lane *lanes = self.home->lanes;
            lane_mask bad = 0;
            for_each_lane(members, [&](unsigned i) {
                const arrival &to = *lanes[i].at;
                if (what != operation::shuffle && to.source != source) [[unlikely]]
                    report_not_uniform(lanes[i], to, source);
                if (static_cast<unsigned>(to.source) < max_wave && (members >> to.source & 1) != 0)
                    __builtin_memcpy(to.out, lanes[to.source].at->in, bytes);
                else if (lenient)
                    __builtin_memset(to.out, 0xff, bytes);
                else
                    bad |= lane_mask{1} << i;
            });
            if (bad != 0) [[unlikely]]
                report_source(self, mine, bad);
            complete(self, members);
        } else {
            wait(self, members);
        }
    }

    /* Copies every member's value to where all may read it until their next
     * publish: a buffer is reused only when no lane holds it. */
    static SUBWAVE_SIMT_INLINE const void *publish(lane_mask members, const void *value,
                                                   std::size_t bytes, site where)
    {
        lane &self = *current;
        wave &w = *self.home;
        const arrival mine{operation::publish, members, where, value};
        lane_mask votes = 0;
        tile_buffer &last = w.tiles[w.held[self.index]];
        last.holders &= ~bit_of(self);
        How::release(&last);
        if (arrive(self, mine, votes)) {
            unsigned n = 0;
            while (w.tiles[n].holders != 0)
                ++n;
            tile_buffer &tile = w.tiles[n];
            How::acquire(&tile);
            char *data = static_cast<char *>(tile_storage(tile, w.size * bytes));
            for_each_lane(members, [&](unsigned i) {
                __builtin_memcpy(data + i * bytes, w.lanes[i].at->in, bytes);
                w.held[i] = static_cast<std::uint8_t>(n);
                w.lanes[i].result = reinterpret_cast<std::uint64_t>(data);
            });
            tile.holders = members;
            complete(self, members);
        } else {
            wait(self, members);
        }
        return reinterpret_cast<const void *>(self.result);
    }

    static SUBWAVE_SIMT_INLINE void release_block_barrier(block &b)
    {
        for (unsigned i = 0; i < b.wave_count; ++i) {
            b.waves[i].runnable |= b.waves[i].in_barrier;
            b.waves[i].in_barrier = 0;
        }
        b.in_barrier = 0;
        count_progress(b);
    }

    static SUBWAVE_SIMT_INLINE void block_barrier(site where)
    {
        lane &self = *current;
        wave &w = *self.home;
        block &b = *w.home;
        const arrival mine{operation::block_barrier, 0, where};
        show(self, mine);
        if (b.in_barrier == 0)
            b.barrier_site = where;
        else if (!(b.barrier_site == where)) [[unlikely]]
            report_barrier(self, mine);
        How::release(&b);
        w.in_barrier |= bit_of(self);
        if (++b.in_barrier == b.barrier_size) {
            release_block_barrier(b);
            w.runnable &= ~bit_of(self);
            if (w.random && switch_away(self)) [[unlikely]]
                yield(self);
        } else {
            suspend(self);
        }
        How::acquire(&b);
    }

    /* Spinning lanes must let the lane run that they wait for. */
    static SUBWAVE_SIMT_INLINE void after_atomic(bool changed)
    {
        constexpr unsigned turn = 64;
        if (current == nullptr) [[unlikely]]
            return; /* host code */
        lane &self = *current;
        if (changed)
            count_progress(*self.home->home);
        if (++self.atomics % turn == 0)
            yield(self);
    }
};

/* The operations, plain and for sanitizers. */
namespace inlined {
inline lane_mask ballot(lane_mask members, bool p, site where)
{
    return collectives<direct>::ballot(members, p, where);
}
inline void barrier(lane_mask members, site where) { collectives<direct>::barrier(members, where); }
SUBWAVE_SIMT_INLINE void exchange(operation what, lane_mask members, const void *in, void *out,
                                  std::size_t bytes, int source, bool lenient, site where)
{
    collectives<direct>::exchange(what, members, in, out, bytes, source, lenient, where);
}
SUBWAVE_SIMT_INLINE const void *publish(lane_mask members, const void *value, std::size_t bytes,
                                        site where)
{
    return collectives<direct>::publish(members, value, bytes, where);
}
inline void block_barrier(site where) { collectives<direct>::block_barrier(where); }
inline void after_atomic(bool changed) { collectives<direct>::after_atomic(changed); }
inline void fence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
} // namespace inlined

namespace outlined {
lane_mask ballot(lane_mask members, bool p, site where);
void barrier(lane_mask members, site where);
void exchange(operation what, lane_mask members, const void *in, void *out, std::size_t bytes,
              int source, bool lenient, site where);
const void *publish(lane_mask members, const void *value, std::size_t bytes, site where);
void block_barrier(site where);
void after_atomic(bool changed);
void fence();
/* Only here: these are rare. `what` is active or opportunistic. */
lane_mask implicit(operation what, site where);
void yield();
} // namespace outlined

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SUBWAVE_SIMT_OUTLINED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SUBWAVE_SIMT_OUTLINED
#endif
#endif
#if defined(SUBWAVE_SIMT_OUTLINED)
constexpr bool instrumented = true;
#else
constexpr bool instrumented = false;
#endif
#if defined(SUBWAVE_SIMT_OUTLINED) || defined(SUBWAVE_CPU_UCONTEXT)
namespace fast = outlined;
#else
namespace fast = inlined;
#endif

} // namespace subwave::simt
#endif
