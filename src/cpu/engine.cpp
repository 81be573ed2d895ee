/* SPDX-License-Identifier: MIT
 * engine.cpp: runs blocks: sets up lanes, and decides which lane is next. */
#include "engine.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace subwave::simt {

constinit thread_local lane *current = nullptr;

namespace {

constexpr std::size_t arena_bytes = 4 * shared_limit; /* red zones and alignment included */
constexpr std::size_t red_zone = 64;
constexpr unsigned yields_per_look = 1024;
constexpr unsigned picks_per_look = 16;
/* For so long a launch runs on the thread that launched it alone: to wake others takes about as
 * long. */
constexpr std::chrono::microseconds time_alone{50};
/* Below each lane's stack, as much as Linux keeps free below a thread's: what overruns the stack
 * must not find another's. No memory, only addresses. */
constexpr std::size_t guard_bytes = 1024 * 1024;

std::size_t page_bytes()
{
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

/* Stack tops a power of two apart would share a few sets of the cache. */
std::size_t colour(unsigned lane_number) { return lane_number % 64 * 64; }

void lane_entry()
{
    lane &self = *current;
    engine &e = engine_of(self);
    try {
        sanitizer::enter_fiber(self, e);
        annotated::acquire(&e.begun);
        e.launch->request.run(e.launch->request.arguments);
        annotated::release(&e.ended);
        e.leave(self);
    } catch (const std::bad_alloc &) {
        /* The lane is abandoned outside this handler: C++ counts caught exceptions per OS thread,
         * not per lane. */
    }
    e.launch->fail_without_memory(e.number);
    e.abandon(self);
}

std::uint64_t mix(std::uint64_t z) /* of splitmix64 */
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

} // namespace

/* ---- a launch ---- */

void job::fail(std::uint64_t block_number, std::string text)
{
    const std::lock_guard guard(lock);
    if (block_number < failed.load()) {
        failed.store(block_number);
        error = std::move(text);
    }
}

std::uint64_t job::progress()
{
    const std::lock_guard guard(lock);
    std::uint64_t sum = next.load(std::memory_order_relaxed);
    for (const engine *e = engines; e != nullptr; e = e->next_in_launch)
        sum += e->progress.load(std::memory_order_relaxed);
    return sum;
}

/* ---- memory ---- */

engine *engine::make()
{
    std::unique_ptr<engine> made(new (std::nothrow) engine);
    if (!made)
        return nullptr;
    made->arena_ = new (std::align_val_t{4096}, std::nothrow) char[arena_bytes];
    return made->arena_ != nullptr ? made.release() : nullptr;
}

engine::~engine()
{
    free_lanes();
    if (arena_ == nullptr)
        return;
    sanitizer::unpoison(arena_, arena_bytes);
    ::operator delete[](arena_, std::align_val_t{4096});
}

void engine::free_lanes()
{
    for (unsigned i = 0; i < capacity_; ++i)
        sanitizer::forget_lane(details[i], stack_bytes);
    for (unsigned i = 0; i < wave_capacity_; ++i)
        for (tile_buffer &tile : waves[i].tiles)
            std::free(tile.data);
    if (stacks_ != nullptr)
        munmap(stacks_, mapped_);
    stacks_ = nullptr;
    capacity_ = wave_capacity_ = wave_lanes_ = 0;
}

bool engine::allocate(unsigned count, std::size_t bytes)
{
    free_lanes();
    const std::size_t step = bytes + guard_bytes;
    lane_storage_.reset(new (std::nothrow) lane[count]());
    detail_storage_.reset(new (std::nothrow) lane_details[count]());
    wave_storage_.reset(new (std::nothrow) wave[(count + 3) / 4]());
    mapped_ = step * count;
    void *map =
        mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    stacks_ = map == MAP_FAILED ? nullptr : static_cast<char *>(map);
    if (!lane_storage_ || !detail_storage_ || !wave_storage_ || stacks_ == nullptr)
        return false;
    lanes = lane_storage_.get();
    details = detail_storage_.get();
    waves = wave_storage_.get();
    stack_bytes = bytes;
    for (unsigned i = 0; i < count; ++i) {
        char *const stack = stacks_ + i * step + guard_bytes;
        if (mprotect(stack, bytes, PROT_READ | PROT_WRITE) != 0)
            return false;
        details[i].stack = stack;
        sanitizer::register_stack(stack, bytes);
    }
    capacity_ = count;
    wave_capacity_ = (count + 3) / 4;
    return true;
}

void *tile_storage(tile_buffer &tile, std::size_t bytes)
{
    if (tile.bytes < bytes) {
        const std::size_t whole = (bytes + 63) / 64 * 64;
        void *const data = std::aligned_alloc(64, whole);
        if (data == nullptr)
            throw std::bad_alloc();
        std::free(tile.data);
        tile.data = data;
        tile.bytes = whole;
    }
    return tile.data;
}

bool engine::prepare(const job &j)
{
    const dim3 b = j.request.block;
    const unsigned count = b.x * b.y * b.z;
    const auto lanes_per_wave = static_cast<unsigned>(j.settings.wave);
    const std::size_t page = page_bytes();
    /* A sanitizer may be in the program for the sake of other code than this kernel. */
    announced = j.request.instrumented && (sanitizer::address() || sanitizer::thread());
    std::size_t bytes = std::max(j.settings.stack_bytes, std::size_t{announced ? 256u * 1024 : 0});
    bytes = (bytes + page - 1) / page * page;

    if ((count > capacity_ || bytes != stack_bytes) && !allocate(count, bytes)) {
        free_lanes();
        return false;
    }
    if (lanes_per_wave != wave_lanes_ || b.x != size.x || b.y != size.y || b.z != size.z) {
        wave_lanes_ = lanes_per_wave;
        size = b;
        threads = count;
        wave_count = (count + lanes_per_wave - 1) / lanes_per_wave;
        for (unsigned i = 0; i < count; ++i) {
            lanes[i].home = &waves[i / lanes_per_wave];
            lanes[i].index = i % lanes_per_wave;
            details[i].thread = dim3(i % b.x, i / b.x % b.y, i / b.x / b.y);
        }
        for (unsigned i = 0; i < wave_count; ++i) {
            wave &w = waves[i];
            const unsigned here = std::min(lanes_per_wave, count - i * lanes_per_wave);
            w.lanes = &lanes[i * lanes_per_wave];
            w.home = this;
            w.size = lanes_per_wave;
            w.number = i;
            w.existing = ~lane_mask{0} >> (max_wave - here);
        }
    }
    if (announced)
        for (unsigned i = 0; i < count; ++i)
            sanitizer::prepare_lane(details[i]);
    for (unsigned i = 0; i < wave_count; ++i)
        waves[i].random = j.settings.seed != 0;
    grid = j.request.grid;
    checked = j.settings.checked != 0;
    exited_ok = j.settings.exited_ok != 0;
    shared_bytes_ = j.request.shared_bytes;
    begun_at_ = seen_at_ = std::chrono::steady_clock::now();
    picks_to_look_ = j.is_alone ? picks_per_look : 0;
    return true;
}

void engine::call_helpers()
{
    picks_to_look_ = 0;
    launch->call_helpers();
}

bool engine::is_time_for_helpers() const
{
    return launch->next.load(std::memory_order_relaxed) < launch->blocks &&
           std::chrono::steady_clock::now() - begun_at_ > time_alone;
}

/* ---- shared memory ---- */

void *engine::shared_object(const void *tag, std::size_t bytes, std::size_t alignment)
{
    for (const object &o : objects_)
        if (o.tag == tag)
            return arena_ + o.offset;
    const std::size_t offset = (arena_end_ + red_zone + alignment - 1) / alignment * alignment;
    std::size_t used = bytes + shared_bytes_;
    for (std::size_t i = 0; i < objects_.size(); ++i)
        used += objects_[i].bytes;
    if (used > shared_limit || offset + bytes + red_zone > arena_bytes)
        report_shared(*this, used);
    objects_.push_back({tag, offset, bytes});
    arena_end_ = offset + bytes;
    sanitizer::unpoison(arena_ + offset, bytes);
    return arena_ + offset;
}

void *shared_object(const void *tag, std::size_t bytes, std::size_t alignment)
{
    return engine_of(*current).shared_object(tag, bytes, alignment);
}

/* ---- blocks ---- */

void engine::start_block(std::uint64_t block_number)
{
    number = block_number;
    ++serial;
    index = dim3(static_cast<unsigned>(number % grid.x),
                 static_cast<unsigned>(number / grid.x % grid.y),
                 static_cast<unsigned>(number / grid.x / grid.y));
    random_state_ = mix(launch->settings.seed) ^ mix(number + 1);

    /* What a block does not write, it reads as NaN. */
    sanitizer::unpoison(arena_, arena_bytes);
    std::fill_n(arena_, serial == 1 ? arena_bytes : std::max(arena_end_, shared_bytes_), '\xff');
    sanitizer::poison(arena_ + shared_bytes_, arena_bytes - shared_bytes_);
    arena_end_ = shared_bytes_;
    shared = arena_;
    objects_.clear();

    finished = in_barrier = 0;
    barrier_size = threads;
    for (unsigned i = 0; i < wave_count; ++i) {
        wave &w = waves[i];
        w.runnable = w.existing;
        w.finished = w.implicit = w.in_barrier = 0;
        w.open = 0;
        for (tile_buffer *tile = w.tiles; tile->bytes != 0; ++tile)
            tile->holders = 0;
    }
    for (unsigned i = 0; i < threads; ++i)
        prepare_context(lanes[i].saved, details[i].stack, stack_bytes - colour(i), lane_entry);
}

void engine::run_block()
{
    /* Lanes are ordered after the launch and before its end, but not among each other. */
    entering = true;
    annotated::release(&begun);
    annotated::resume(main, *pick_lane(&waves[0]));
    if (after_call_ != nullptr) {
        call_helpers();
        annotated::resume(main, *std::exchange(after_call_, nullptr));
    }
    current = nullptr;
    annotated::acquire(&ended);
    if (finished == threads)
        return;
    /* Given up: what lies on the stacks stays there. */
    for (unsigned i = 0; i < threads; ++i)
        if ((lanes[i].home->finished >> lanes[i].index & 1) == 0) {
            sanitizer::forget_lane(details[i], stack_bytes);
            if (announced)
                sanitizer::prepare_lane(details[i]);
        }
}

bool engine::run(job &j)
{
    if (!prepare(j))
        return false;
    launch = &j;
    {
        const std::lock_guard guard(j.lock);
        next_in_launch = j.engines;
        j.engines = this;
    }
    for (;;) {
        const std::uint64_t n = j.next.fetch_add(1);
        if (n >= j.blocks || n > j.failed.load())
            break;
        if (picks_to_look_ > 0 && is_time_for_helpers())
            call_helpers();
        start_block(n);
        run_block();
    }
    const std::lock_guard guard(j.lock);
    engine **link = &j.engines;
    while (*link != this)
        link = &(*link)->next_in_launch;
    *link = next_in_launch;
    launch = nullptr;
    return true;
}

void engine::leave(lane &self)
{
    wave &w = *self.home;
    w.finished |= bit_of(self);
    ++finished;
    collectives<annotated>::count_progress(*this);
    if (exited_ok && --barrier_size == in_barrier && in_barrier != 0)
        collectives<annotated>::release_block_barrier(*this);
    sanitizer::leave_fiber(self, *pick(&w));
}

void engine::abandon(lane &self) { sanitizer::leave_fiber(self, main); }

/* ---- the scheduler ---- */

std::uint64_t engine::random_word() { return mix(random_state_ += 0x9e3779b97f4a7c15u); }

lane *engine::take(wave &w)
{
    lane_mask candidates = w.runnable;
    if (w.random)
        for (auto skip = random_word() % static_cast<unsigned>(__builtin_popcountll(candidates));
             skip > 0; --skip)
            candidates &= candidates - 1;
    const int chosen = __builtin_ctzll(candidates);
    w.runnable &= ~(lane_mask{1} << chosen);
    return &w.lanes[chosen];
}

/* From `w` if any of its lanes can run; its lanes in implicit operations can when no other of the
 * wave can. */
lane *engine::pick_lane(wave *w)
{
    if (w->random && random_word() % 4 == 0)
        w = &waves[random_word() % wave_count];
    for (unsigned tried = 0; tried < wave_count; ++tried) {
        if (w->runnable == 0 && w->implicit != 0)
            release_least(*w);
        if (w->runnable != 0)
            return take(*w);
        w = w->number + 1 == wave_count ? waves : w + 1;
    }
    if (finished != threads)
        report_stuck(*this);
    return &main;
}

/* The same, by way of `main` if it is to call helpers: a lane's stack may be too small for that. */
lane *engine::pick(wave *w)
{
    lane *const next = pick_lane(w);
    if (picks_to_look_ == 0 || --picks_to_look_ > 0) [[likely]]
        return next;
    picks_to_look_ = picks_per_look;
    if (next == &main || !is_time_for_helpers())
        return next;
    after_call_ = next;
    return &main;
}

void engine::release_least(wave &w)
{
    lane_mask least = 0;
    for_each_lane(w.implicit, [&](unsigned i) {
        const int order =
            least == 0 ? -1 : compare_positions(w.lanes[i], w.lanes[__builtin_ctzll(least)]);
        if (order <= 0)
            least = (order < 0 ? 0 : least) | lane_mask{1} << i;
    });
    const lane &first = w.lanes[__builtin_ctzll(least)];
    check_repeats(*this, w, least);
    if (launch->settings.strict)
        check_call_chains(*this, w, least);
    if (w.random && first.at->what == operation::opportunistic) {
        const lane_mask some = least & random_word();
        least = some != 0 ? some : least;
    }
    for_each_lane(least, [&](unsigned i) { w.lanes[i].result = least; });
    w.implicit &= ~least;
    w.runnable |= least;
    collectives<annotated>::count_progress(*this);
}

lane *engine::yield_target(lane &self)
{
    wave &w = *self.home;
    if (launch->failed.load(std::memory_order_relaxed) < number)
        abandon(self); /* nobody needs this block any more, and it may wait for the failed one */
    if (++yields_ % yields_per_look == 0)
        watch();
    w.runnable |= bit_of(self);
    if (w.random)
        return pick(&w);
    const lane_mask above = w.runnable & ~(bit_of(self) | (bit_of(self) - 1));
    if (above != 0) {
        const int chosen = __builtin_ctzll(above);
        w.runnable &= ~(lane_mask{1} << chosen);
        return &w.lanes[chosen];
    }
    return pick(w.number + 1 == wave_count ? waves : &w + 1);
}

void engine::watch()
{
    std::this_thread::yield();
    const auto now = std::chrono::steady_clock::now();
    const std::uint64_t seen = launch->progress();
    if (seen != seen_progress_) {
        seen_progress_ = seen;
        seen_at_ = now;
    } else if (launch->settings.watchdog_ms > 0 &&
               now - seen_at_ > std::chrono::milliseconds(launch->settings.watchdog_ms)) {
        report_no_progress(*this);
    }
}

lane *next_lane(lane &self) { return engine_of(self).pick(self.home); }
lane *yield_target(lane &self) { return engine_of(self).yield_target(self); }
bool switch_away(lane &self) { return engine_of(self).random_word() % 4 == 0; }

int unspecified_lane(lane_mask members, int otherwise)
{
    engine &e = engine_of(*current);
    if (e.launch->settings.seed == 0 || members == 0)
        return otherwise;
    for (auto skip = e.random_word() % static_cast<unsigned>(__builtin_popcountll(members));
         skip > 0; --skip)
        members &= members - 1;
    return __builtin_ctzll(members);
}

/* ---- the operations where the kernel is instrumented, and the rare ones ---- */

namespace outlined {
using plain = collectives<annotated>;

lane_mask ballot(lane_mask members, bool p, site where) { return plain::ballot(members, p, where); }
void barrier(lane_mask members, site where) { plain::barrier(members, where); }
void exchange(operation what, lane_mask members, const void *in, void *out, std::size_t bytes,
              int source, bool lenient, site where)
{
    plain::exchange(what, members, in, out, bytes, source, lenient, where);
}
const void *publish(lane_mask members, const void *value, std::size_t bytes, site where)
{
    return plain::publish(members, value, bytes, where);
}
void block_barrier(site where) { plain::block_barrier(where); }
void after_atomic(bool changed) { plain::after_atomic(changed); }
void fence()
{
    /* A race detector does not know fences: to it, each is ordered after those before it. */
    static char order;
    annotated::acquire(&order);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    annotated::release(&order);
}
void yield()
{
    if (current != nullptr)
        plain::yield(*current);
}

lane_mask implicit(operation what, site where)
{
    lane &self = *current;
    arrival mine{what, 0, where};
    mine.frame = __builtin_frame_address(0);
    self.at = &mine;
    advance_position(self, mine);
    self.home->implicit |= bit_of(self);
    plain::suspend(self);
    return self.result;
}
} // namespace outlined

void check_tile_read(lane_mask members, int lane_index, site where)
{
    char nothing = 0, none;
    outlined::exchange(operation::tile_read, members, &nothing, &none, 1, lane_index, false, where);
}

} // namespace subwave::simt
