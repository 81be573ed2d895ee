/* SPDX-License-Identifier: MIT
 * launch.cpp: settings, and how the blocks of a launch are spread over OS threads. */
#include "engine.hpp"
#include "thread_text.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

namespace subwave::simt {

namespace {

constexpr int max_threads = 1024;

int failed(int status, const char *why)
{
    const std::size_t bytes = std::strlen(why);
    const auto kept = subwave_thread_text(SUBWAVE_TEXT_OF_DEVICE, bytes + 1);
    const std::size_t fitting = std::min(bytes, kept.bytes - 1);
    std::memcpy(kept.text, why, fitting);
    kept.text[fitting] = '\0';
    return status;
}

int failed_without_memory(const char *what)
{
    char why[128];
    std::snprintf(why, sizeof why, "no memory for %s", what);
    return failed(SUBWAVE_CPU_OUT_OF_MEMORY, why);
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
    /* Null: no memory. */
    std::unique_ptr<engine> take()
    {
        const std::lock_guard guard(lock);
        std::unique_ptr<engine> e = std::move(idle_);
        if (e)
            idle_ = std::move(e->next_idle);
        else
            e.reset(engine::make());
        return e;
    }
    void give(std::unique_ptr<engine> e)
    {
        const std::lock_guard guard(lock);
        e->next_idle = std::move(idle_);
        idle_ = std::move(e);
    }

    std::mutex lock;

private:
    std::unique_ptr<engine> idle_;
};

engine_store &engines()
{
    static engine_store store;
    return store;
}

bool run_on_this_thread(job &j)
{
    auto e = engines().take();
    if (!e)
        return false;
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
        for (unsigned i = 0; i < helpers_; ++i)
            pthread_join(threads_[i], nullptr);
    }

    void open(job &launch)
    {
        {
            const std::lock_guard guard(lock_);
            job **last = &first_;
            while (*last != nullptr)
                last = &(*last)->next_open;
            *last = &launch;
            start_helpers(launch.seats);
        }
        work_.notify_all();
    }

    /* No helper joins any more; returns when those that did have left. */
    void close(job &launch)
    {
        std::unique_lock guard(lock_);
        launch.seats = 0;
        done_.wait(guard, [&] { return launch.inside == 0; });
        job **link = &first_;
        while (*link != &launch)
            link = &(*link)->next_open;
        *link = launch.next_open;
    }

    /* Around fork(): in the child there is no thread but the one that called it. */
    void before_fork() { lock_.lock(); }
    void after_fork(bool in_child)
    {
        if (in_child) {
            helpers_ = 0;
            first_ = nullptr;
            /* They may have had waiters, for whom a destructor would wait. */
            new (&work_) std::condition_variable;
            new (&done_) std::condition_variable;
        }
        lock_.unlock();
    }

private:
    /* Where no more threads can be had, there are fewer helpers. */
    void start_helpers(unsigned wanted)
    {
        if (helpers_ >= wanted)
            return;
        /* Signals are for the program's own threads, whose stacks are larger; but not what a thread
         * brought on itself, and a program may want to report. */
        sigset_t others, before;
        sigfillset(&others);
        for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS})
            sigdelset(&others, own);
        pthread_sigmask(SIG_SETMASK, &others, &before);
        while (helpers_ < wanted && pthread_create(&threads_[helpers_], nullptr, help, this) == 0)
            ++helpers_;
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    static void *help(void *pool)
    {
        static_cast<thread_pool *>(pool)->help();
        return nullptr;
    }

    void help()
    {
        std::unique_lock guard(lock_);
        for (;;) {
            job *open = nullptr;
            work_.wait(guard, [&] {
                for (open = first_; open != nullptr && open->seats == 0;)
                    open = open->next_open;
                return stop_ || open != nullptr;
            });
            if (stop_)
                return;
            --open->seats;
            ++open->inside;
            guard.unlock();
            run_on_this_thread(*open); /* without memory it simply does not help */
            guard.lock();
            if (--open->inside == 0)
                done_.notify_all();
        }
    }

    std::mutex lock_;
    std::condition_variable work_, done_;
    job *first_ = nullptr;
    pthread_t threads_[max_threads];
    unsigned helpers_ = 0;
    bool stop_ = false;
};

thread_pool &pool();

void before_fork()
{
    pool().before_fork();
    engines().lock.lock();
}

template <bool InChild> void after_fork()
{
    engines().lock.unlock();
    pool().after_fork(InChild);
}

thread_pool &pool()
{
    engines(); /* must outlive the threads */
    static thread_pool threads;
    static const int registered = pthread_atfork(before_fork, after_fork<false>, after_fork<true>);
    static_cast<void>(registered);
    return threads;
}

} // namespace

void job::call_helpers()
{
    is_alone = false;
    pool().open(*this);
}

namespace {

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

static int run_or_throw(const launch_request &request)
{
    if (request.stream == nullptr && !process_default().malformed.empty())
        return failed(SUBWAVE_CPU_INVALID_VALUE, process_default().malformed.c_str());
    const subwave_cpu_stream &settings =
        request.stream != nullptr ? *request.stream : process_default().settings;
    if (std::string problem = not_possible(request, settings); !problem.empty())
        return failed(SUBWAVE_CPU_INVALID_CONFIGURATION,
                      text("kernel ", function_name(request.kernel), ": ", problem).c_str());

    job j(request, settings);
    j.seats = static_cast<unsigned>(
        std::min<std::uint64_t>(static_cast<unsigned>(settings.threads), j.blocks) - 1);
    j.is_alone = j.seats > 0;
    const bool may_have_helpers = j.is_alone;
    if (!run_on_this_thread(j))
        j.fail_without_memory(0);
    if (may_have_helpers && !j.is_alone)
        pool().close(j);
    if (j.failed.load() == UINT64_MAX)
        return failed(SUBWAVE_CPU_SUCCESS, "");
    if (j.error.empty())
        return failed_without_memory("a block: its lanes, their stacks, or what they exchange");
    return failed(SUBWAVE_CPU_KERNEL_ERROR, j.error.c_str());
}

int run(const launch_request &request)
{
    try {
        return run_or_throw(request);
    } catch (const std::bad_alloc &) {
        return failed_without_memory("a launch");
    }
}

} // namespace subwave::simt

extern "C" int subwave_cpu_stream_init(struct subwave_cpu_stream *stream, int wave)
{
    using namespace subwave::simt;
    try {
        const std::string malformed = read_settings(*stream, wave);
        return failed(malformed.empty() ? SUBWAVE_CPU_SUCCESS : SUBWAVE_CPU_INVALID_VALUE,
                      malformed.c_str());
    } catch (const std::bad_alloc &) {
        return failed_without_memory("settings");
    }
}

extern "C" const char *subwave_cpu_error(void)
{
    return subwave_thread_text(SUBWAVE_TEXT_OF_DEVICE, 0).text;
}
