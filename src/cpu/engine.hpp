/* SPDX-License-Identifier: MIT
 * engine.hpp: launches, and the engine that runs one block after another on an OS thread. */
#ifndef SUBWAVE_CPU_ENGINE_HPP
#define SUBWAVE_CPU_ENGINE_HPP

#include "simt.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace subwave::simt {

class engine;

/* The parts, one after another. */
template <class... Parts> std::string text(const Parts &...parts)
{
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}

/* A launch in progress, shared by the engines that run its blocks. */
struct job {
    job(const launch_request &asked, const subwave_cpu_stream &stream)
        : request(asked), settings(stream),
          blocks(std::uint64_t{asked.grid.x} * asked.grid.y * asked.grid.z)
    {
    }

    launch_request request;
    subwave_cpu_stream settings;
    std::uint64_t blocks;
    std::atomic<std::uint64_t> next{0};
    std::atomic<std::uint64_t> failed{UINT64_MAX}; /* lowest block with an error */
    std::mutex lock;                               /* of all that follows */
    std::string error;                             /* empty where there was no memory */
    engine *engines = nullptr;
    /* True until the thread that launched calls helpers, where there can be any. */
    bool is_alone = false;
    /* The thread pool's: how many helpers may still join, and how many are at work. */
    unsigned seats = 0, inside = 0;
    job *next_open = nullptr;

    void call_helpers();
    void fail(std::uint64_t block_number, std::string text);
    void fail_without_memory(std::uint64_t block_number) { fail(block_number, {}); }
    std::uint64_t progress();
};

/* `block` is what lanes see; the rest is how it comes to be. */
class engine : public block {
public:
    static engine *make(); /* null: no memory */
    ~engine();
    engine(const engine &) = delete;
    engine &operator=(const engine &) = delete;

    /* Takes blocks until there are none; false: no memory. */
    bool run(job &launch);

    lane *pick(wave *w);
    lane *yield_target(lane &self);
    [[noreturn]] void leave(lane &self);
    [[noreturn]] void abandon(lane &self);
    std::uint64_t random_word();
    void *shared_object(const void *tag, std::size_t bytes, std::size_t alignment);
    void watch();

    job *launch = nullptr;
    engine *next_in_launch = nullptr;
    std::unique_ptr<engine> next_idle;
    std::uint64_t number = 0;  /* of the block */
    std::uint64_t serial = 0;  /* of all blocks that this engine ran */
    lane_details worker{};     /* of `main`, for the sanitizers */
    bool announced = false;    /* switches between lanes, to the sanitizers */
    char begun = 0, ended = 0; /* addresses that order lanes after and before the launch */
    bool entering = false;     /* the switch in progress comes from `main` */
    std::size_t stack_bytes = 0;
    std::size_t main_stack_bytes = 0;

private:
    engine() : block{} {}

    struct object {
        const void *tag;
        std::size_t offset;
        std::size_t bytes;
    };

    bool prepare(const job &launch);
    bool allocate(unsigned lanes, std::size_t bytes);
    void free_lanes();
    void start_block(std::uint64_t block_number);
    void run_block();
    bool is_time_for_helpers() const;
    void call_helpers();
    void release_least(wave &w);
    lane *take(wave &w);
    lane *pick_lane(wave *w);

    std::unique_ptr<lane[]> lane_storage_;
    std::unique_ptr<lane_details[]> detail_storage_;
    std::unique_ptr<wave[]> wave_storage_;
    unsigned wave_capacity_ = 0;
    unsigned capacity_ = 0;
    char *stacks_ = nullptr;
    std::size_t mapped_ = 0;
    unsigned wave_lanes_ = 0; /* what the records are set up for */

    char *arena_ = nullptr;
    std::size_t arena_end_ = 0; /* of what this block uses */
    std::size_t shared_bytes_ = 0;
    std::vector<object> objects_;

    std::uint64_t random_state_ = 0;
    std::uint64_t yields_ = 0;
    /* Lanes still to pick until the clock says whether to call helpers; 0: never. */
    std::uint64_t picks_to_look_ = 0;
    lane *after_call_ = nullptr; /* whose turn it is when `main` has called them */
    std::chrono::steady_clock::time_point begun_at_;
    std::uint64_t seen_progress_ = 0;
    std::chrono::steady_clock::time_point seen_at_;
};

inline engine &engine_of(const lane &self) { return static_cast<engine &>(*self.home->home); }

/* Compares program positions; 0 if both lanes are at the same dynamic instance. */
int compare_positions(const lane &a, const lane &b);
/* Diagnoses an implicit operation that does not advance the lane's position. */
void advance_position(lane &self, const arrival &mine);
/* Diagnoses lanes that are at an operation again, but not the same lanes as the time before. */
void check_repeats(engine &e, wave &w, lane_mask set);
/* Diagnoses lanes of one set that came there by different calls. */
void check_call_chains(engine &e, wave &w, lane_mask set);

[[noreturn]] void report_stuck(engine &e);
[[noreturn]] void report_no_progress(engine &e);
[[noreturn]] void report_unmarked(const lane &self, const arrival &mine);
[[noreturn]] void report_call_chains(const lane &self, lane_mask set);
[[noreturn]] void report_regions(const lane &self, site where);
[[noreturn]] void report_shared(engine &e, std::size_t bytes);

/* The function at `address`, demangled. */
std::string function_name(const void *address);

/* Sanitizer hooks, all no-ops where none is linked in. */
namespace sanitizer {
bool address();
bool thread();
void enter_fiber(lane &self, engine &e);
void prepare_lane(lane_details &details);
void forget_lane(lane_details &details, std::size_t stack_bytes);
void poison(const void *address, std::size_t bytes);
void unpoison(const void *address, std::size_t bytes);
void register_stack(const void *low, std::size_t bytes);
[[noreturn]] void leave_fiber(lane &self, lane &next);
} // namespace sanitizer

} // namespace subwave::simt
#endif
