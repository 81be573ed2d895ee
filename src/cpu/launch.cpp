/* SPDX-License-Identifier: MIT
 * launch.cpp: settings, and how the blocks of a launch are spread over OS threads. */
#include "engine.hpp"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <thread>
#include <unistd.h>

namespace subwave::simt {

namespace {

constexpr int max_threads = 1024;

thread_local std::string last_error;

int failed(int status, std::string why)
{
    last_error = std::move(why);
    return status;
}

/* ---- settings ---- */

constexpr const char *possible_waves = " lanes is not possible: 4, 8, 16, 32 or 64";

bool known_wave(long long wave)
{
    return wave == 4 || wave == 8 || wave == 16 || wave == 32 || wave == 64;
}

void add(std::string &problems, const std::string &problem)
{
    problems += problems.empty() ? problem : text("; ", problem);
}

/* The variable's value, or `otherwise` if it is not set or empty. What is wrong is added to
 * `malformed`. */
std::uint64_t variable(const char *name, std::uint64_t least, std::uint64_t most,
                       std::uint64_t otherwise, std::string &malformed)
{
    const char *given = std::getenv(name);
    if (given == nullptr || *given == '\0')
        return otherwise;
    char *end = nullptr;
    errno = 0;
    const unsigned long long value = std::strtoull(given, &end, 10);
    if (*given >= '0' && *given <= '9' && *end == '\0' && errno == 0 && value >= least &&
        value <= most)
        return value;
    add(malformed, text(name, '=', given, " is not a whole number from ", least, " to ", most));
    return otherwise;
}

std::string read_settings(subwave_cpu_stream &s, int wave)
{
    std::string malformed;
    const auto processors = static_cast<std::uint64_t>(
        std::clamp(sysconf(_SC_NPROCESSORS_ONLN), 1L, long{max_threads}));
    const auto wave_variable = variable("SUBWAVE_CPU_WAVE", 4, 64, 64, malformed);
    s.wave = static_cast<int>(wave_variable);
    if (!known_wave(s.wave)) {
        add(malformed, text("SUBWAVE_CPU_WAVE=", s.wave, " is not 4, 8, 16, 32 or 64"));
        s.wave = 64;
    }
    if (wave != 0 && known_wave(wave))
        s.wave = wave;
    else if (wave != 0)
        add(malformed, text("a wave of ", wave, possible_waves));
    s.threads =
        static_cast<int>(variable("SUBWAVE_CPU_THREADS", 1, max_threads, processors, malformed));
    s.seed = variable("SUBWAVE_CPU_SEED", 0, UINT64_MAX, 0, malformed);
    s.exited_ok = static_cast<int>(variable("SUBWAVE_CPU_EXITED_OK", 0, 1, 0, malformed));
    s.checked = static_cast<int>(variable("SUBWAVE_CPU_CHECKED", 0, 1, 0, malformed));
    s.strict = static_cast<int>(variable("SUBWAVE_CPU_STRICT", 0, 1, 0, malformed));
    s.watchdog_ms =
        static_cast<int>(variable("SUBWAVE_CPU_WATCHDOG_MS", 0, INT32_MAX, 10000, malformed));
    s.stack_bytes = variable("SUBWAVE_CPU_STACK_KB", 16, 64 * 1024, 64, malformed) * 1024;
    return malformed;
}

/* What a launch on a null stream uses: the environment when first asked. */
struct default_stream {
    subwave_cpu_stream settings{};
    std::string malformed = read_settings(settings, 0);
};

const default_stream &process_default()
{
    static const default_stream stream{};
    return stream;
}

/* ---- threads ---- */

/* Engines keep stacks for 1024 lanes, so that they are handed on, not rebuilt. */
class engine_store {
public:
    std::unique_ptr<engine> take()
    {
        const std::lock_guard guard(lock_);
        if (idle_.empty())
            return std::make_unique<engine>();
        auto e = std::move(idle_.back());
        idle_.pop_back();
        return e;
    }
    void give(std::unique_ptr<engine> e)
    {
        const std::lock_guard guard(lock_);
        idle_.push_back(std::move(e));
    }

private:
    std::mutex lock_;
    std::vector<std::unique_ptr<engine>> idle_;
};

engine_store &engines()
{
    static engine_store store;
    return store;
}

bool run_on_this_thread(job &j)
{
    auto e = engines().take();
    const bool enough_memory = e->run(j);
    engines().give(std::move(e));
    return enough_memory;
}

/* Helpers join the launches that offer work, the oldest first. */
class thread_pool {
public:
    ~thread_pool()
    {
        {
            const std::lock_guard guard(lock_);
            stop_ = true;
        }
        work_.notify_all();
        for (std::thread &t : threads_)
            t.join();
    }

    void offer(job &j, unsigned seats)
    {
        {
            const std::lock_guard guard(lock_);
            offers_.push_back({&j, seats, 0});
            while (threads_.size() < std::min<std::size_t>(wanted(), max_threads))
                threads_.emplace_back([this] { help(); });
        }
        work_.notify_all();
    }

    /* No helper joins any more; returns when those that did have left. */
    void close(job &j)
    {
        std::unique_lock guard(lock_);
        const auto own = std::find_if(offers_.begin(), offers_.end(),
                                      [&](const offer_entry &o) { return o.launch == &j; });
        own->seats = 0;
        const job *const key = &j;
        done_.wait(guard, [&] { return find(key)->inside == 0; });
        offers_.erase(find(key));
    }

private:
    struct offer_entry {
        job *launch;
        unsigned seats;
        unsigned inside;
    };
    using iterator = std::deque<offer_entry>::iterator;

    iterator find(const job *j)
    {
        return std::find_if(offers_.begin(), offers_.end(),
                            [&](const offer_entry &o) { return o.launch == j; });
    }

    std::size_t wanted() const
    {
        std::size_t seats = 0;
        for (const offer_entry &o : offers_)
            seats = std::max<std::size_t>(seats, o.seats);
        return seats;
    }

    void help()
    {
        std::unique_lock guard(lock_);
        for (;;) {
            iterator open;
            work_.wait(guard, [&] {
                open = std::find_if(offers_.begin(), offers_.end(),
                                    [](const offer_entry &o) { return o.seats != 0; });
                return stop_ || open != offers_.end();
            });
            if (stop_)
                return;
            job *const j = open->launch;
            --open->seats;
            ++open->inside;
            guard.unlock();
            run_on_this_thread(*j); /* without memory it simply does not help */
            guard.lock();
            if (--find(j)->inside == 0)
                done_.notify_all();
        }
    }

    std::mutex lock_;
    std::condition_variable work_, done_;
    std::deque<offer_entry> offers_;
    std::vector<std::thread> threads_;
    bool stop_ = false;
};

thread_pool &pool()
{
    engines(); /* must outlive the threads */
    static thread_pool threads;
    return threads;
}

std::string text_of(const dim3 &d) { return text('(', d.x, ',', d.y, ',', d.z, ')'); }

std::string not_possible(const launch_request &r, const subwave_cpu_stream &s)
{
    const auto threads = std::uint64_t{r.block.x} * r.block.y * r.block.z;
    const auto plane = std::uint64_t{r.grid.x} * r.grid.y;
    if (current != nullptr)
        return "a kernel cannot launch a kernel";
    if (!known_wave(s.wave))
        return text("a wave of ", s.wave, possible_waves);
    if (s.threads < 1 || s.threads > max_threads)
        return text(s.threads, " OS threads: not from 1 to ", max_threads);
    if (r.block.x == 0 || r.block.x > max_block || r.block.y == 0 || r.block.y > max_block ||
        r.block.z == 0 || r.block.z > max_block || threads > max_block)
        return text("block ", text_of(r.block), " has not from 1 to ", max_block, " threads");
    if (plane == 0 || r.grid.z == 0 || plane > UINT64_MAX / 2 / r.grid.z)
        return text("grid ", text_of(r.grid), " is empty or too large");
    if (r.shared_bytes > shared_limit)
        return text(r.shared_bytes, " bytes of shared memory asked for, ", shared_limit,
                    " available");
    return "";
}

} // namespace

int run(const launch_request &request)
{
    if (request.stream == nullptr && !process_default().malformed.empty())
        return failed(SUBWAVE_CPU_INVALID_VALUE, process_default().malformed);
    const subwave_cpu_stream &settings =
        request.stream != nullptr ? *request.stream : process_default().settings;
    if (std::string problem = not_possible(request, settings); !problem.empty())
        return failed(SUBWAVE_CPU_INVALID_CONFIGURATION,
                      text("kernel ", function_name(request.kernel), ": ", problem));

    job j(request, settings);
    const auto helpers = static_cast<unsigned>(
        std::min<std::uint64_t>(static_cast<unsigned>(settings.threads), j.blocks) - 1);
    if (helpers > 0)
        pool().offer(j, helpers);
    const bool enough_memory = run_on_this_thread(j);
    if (!enough_memory)
        j.fail(0, text("no memory for lanes with stacks of ", settings.stack_bytes, " bytes"));
    if (helpers > 0)
        pool().close(j);
    if (j.failed.load() == UINT64_MAX) {
        last_error.clear();
        return SUBWAVE_CPU_SUCCESS;
    }
    return failed(enough_memory ? SUBWAVE_CPU_KERNEL_ERROR : SUBWAVE_CPU_OUT_OF_MEMORY, j.error);
}

} // namespace subwave::simt

extern "C" int subwave_cpu_stream_init(struct subwave_cpu_stream *stream, int wave)
{
    using namespace subwave::simt;
    last_error = read_settings(*stream, wave);
    return last_error.empty() ? SUBWAVE_CPU_SUCCESS : SUBWAVE_CPU_INVALID_VALUE;
}

extern "C" const char *subwave_cpu_error(void) { return subwave::simt::last_error.c_str(); }
