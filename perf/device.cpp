/* SPDX-License-Identifier: MIT
 * device.cpp: the measured device, the library's calls on it, and the host's clock as a runtime.
 */
#include "bench.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <unistd.h>

namespace bench {

device::device(const char *id)
{
    if (subwave_context_create(&context, id) != SUBWAVE_STATUS_SUCCESS)
        throw failure(subwave_last_error(nullptr));
    expect(subwave_context_info(context, &about));
    if (is_gpu())
        runtime = registry<open_gpu>().at(0)(std::atoi(about.id + std::strlen("gpu:")));
    else
        runtime = open_host();
    cache_bytes = runtime->cache_bytes();
    if (runtime->stream())
        expect(subwave_set_stream(context, runtime->stream()));
}

device::~device() { subwave_context_destroy(&context); /* waits on the runtime's stream */ }

bool device::is_gpu() const { return std::strcmp(about.backend, "cpu") != 0; }

int device::units() const
{
    const char *threads = std::getenv("SUBWAVE_CPU_THREADS"); /* the context has checked it */
    return !is_gpu() && threads ? std::atoi(threads) : about.compute_units;
}

void device::expect(subwave_status status) const
{
    if (status == SUBWAVE_STATUS_SUCCESS)
        return;
    const char *reason = subwave_last_error(context);
    const std::string text = *reason ? reason : subwave_status_text(status);
    if (status == SUBWAVE_STATUS_UNSUPPORTED)
        throw unsupported(text);
    throw failure(text);
}

/* --- calls ----------------------------------------------------------------------------------- */

call_problem::call_problem(const device &on, const measure_problem &p, int count) : on_(on)
{
    sets = count;
    bound = measure_bound(&p);
    if (measure_is_product(&p) && subwave_dtype_size(p.dtype) == 2)
        bound += measure_epsilon(p.dtype) / 2; /* a peer may add sums of parts in 16 bits */
    if (!measure_place(&data, on.context, &p, count)) {
        const std::string reason =
            data.reason; /* the destructor of what was not made is not called */
        measure_release(&data);
        throw failure(reason);
    }
}

double call_problem::error()
{
    double worst;
    const auto again = [](void *self, int set) {
        const auto *data = static_cast<const measure_data *>(self);
        return measure_queue(data, set) == SUBWAVE_STATUS_SUCCESS;
    };
    if (!measure_error(&data, again, &data, &worst))
        throw failure(subwave_last_error(on_.context));
    return worst;
}

contender ours(const char *variant, std::function<void(measure_problem &)> choose)
{
    return {"subwave", variant, subwave_version(), [choose](problem &p, int set) {
                auto &call = static_cast<call_problem &>(p);
                choose(call.data.problem);
                call.queue(set);
            }};
}

contender theirs(device &on, const blas &peer, subwave_dtype dtype, const shape &size)
{
    return {peer.name, "", peer.version(), [&on, &peer, dtype, size](problem &p, int set) {
                const measure_data &data = static_cast<call_problem &>(p).data;
                peer.gemm(on, dtype, size, measure_at(&data.a, set), measure_at(&data.b, set),
                          measure_at(&data.c, set));
            }};
}

/* --- the host's clock ------------------------------------------------------------------------ */

namespace {

class host_runtime : public runtime {
public:
    void *stream() const override { return nullptr; }
    std::int64_t cache_bytes() const override
    {
        long bytes = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
        bytes = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
#endif
        return bytes > 0 ? bytes : 32 << 20;
    }
    int clock_mhz() const override
    {
        double khz = 0, mhz = 0;
        if (std::ifstream("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq") >> khz)
            return static_cast<int>(khz / 1e3);
        std::ifstream about("/proc/cpuinfo");
        for (std::string line; mhz == 0 && std::getline(about, line);)
            std::sscanf(line.c_str(), "cpu MHz : %lf", &mhz);
        return static_cast<int>(mhz);
    }
    const char *method() const override { return "loop, monotonic clock"; }
    void copy(void *to, const void *from, std::size_t bytes) override
    {
        std::memcpy(to, from, bytes);
    }
    void record(std::function<void()> queue) override { queue_ = std::move(queue); }
    double replay() override
    {
        const double start = measure_now();
        queue_();
        return measure_now() - start;
    }

private:
    std::function<void()> queue_;
};

} // namespace

std::unique_ptr<runtime> open_host() { return std::make_unique<host_runtime>(); }

} // namespace bench
