/* SPDX-License-Identifier: MIT
 * device.cpp: the measured device, memory that calls rotate through, the values in it, and the host's
 * clock as a runtime.
 */
#include "bench.hpp"

extern "C" {
#include "../tests/reference.h"
}

#include <algorithm>
#include <cfloat>
#include <chrono>
#include <cmath>
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

/* --- memory ----------------------------------------------------------------------------------- */

rotating_array::rotating_array(const device &on, std::size_t bytes, int sets)
    : on_(on), bytes_(bytes), stride_((bytes + 255) / 256 * 256), sets_(sets)
{
    on_.expect(subwave_malloc(on_.context, &memory_, static_cast<std::int64_t>(stride_) * sets));
}

void rotating_array::write(int set, const void *contents) const
{
    on_.expect(
        subwave_copy(on_.context, (*this)[set], contents, static_cast<std::int64_t>(bytes_)));
}

void rotating_array::fill(const void *contents) const
{
    write(0, contents);
    for (int set = 1; set < sets_; ++set)
        write(set, (*this)[0]);
}

void rotating_array::poison(int set) const
{
    write(set, std::vector<unsigned char>(bytes_, 0xff).data());
}

std::vector<unsigned char> rotating_array::read(int set) const
{
    std::vector<unsigned char> contents(bytes_);
    on_.expect(subwave_copy(on_.context, contents.data(), (*this)[set],
                            static_cast<std::int64_t>(bytes_)));
    return contents;
}

/* --- elements --------------------------------------------------------------------------------- */

bool is_floating(subwave_dtype dtype) { return reference_is_floating(part_of(dtype)); }

subwave_dtype part_of(subwave_dtype dtype)
{
    return dtype == SUBWAVE_DTYPE_C32   ? SUBWAVE_DTYPE_F32
           : dtype == SUBWAVE_DTYPE_C64 ? SUBWAVE_DTYPE_F64
                                        : dtype;
}

double epsilon(subwave_dtype dtype)
{
    switch (part_of(dtype)) {
    case SUBWAVE_DTYPE_F16:
        return 0x1p-10;
    case SUBWAVE_DTYPE_BF16:
        return 0x1p-7;
    case SUBWAVE_DTYPE_F32:
        return FLT_EPSILON;
    case SUBWAVE_DTYPE_F64:
        return DBL_EPSILON;
    default:
        return 0;
    }
}

static std::uint64_t next_bits(std::uint64_t &state)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

std::vector<double> random_values(subwave_dtype dtype, std::int64_t count, std::uint64_t seed)
{
    constexpr std::size_t period = 1000003;
    const std::size_t parts = subwave_dtype_size(dtype) / subwave_dtype_size(part_of(dtype));
    dtype = part_of(dtype);
    std::vector<double> values(static_cast<std::size_t>(count) * parts);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i >= period) {
            values[i] = values[i - period];
            continue;
        }
        const std::uint64_t bits = next_bits(seed);
        values[i] = static_cast<double>(bits >> 11) * 0x1p-52 - 1;
        if (dtype == SUBWAVE_DTYPE_F32)
            values[i] = static_cast<float>(values[i]);
        else if (!is_floating(dtype))
            values[i] = static_cast<double>(bits >> 61);
        else if (dtype != SUBWAVE_DTYPE_F64)
            values[i] = reference_decode(dtype, reference_encode(dtype, values[i]));
    }
    return values;
}

std::vector<unsigned char> encode(subwave_dtype dtype, const std::vector<double> &values)
{
    dtype = part_of(dtype);
    std::vector<unsigned char> bytes(values.size() * subwave_dtype_size(dtype));
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (dtype == SUBWAVE_DTYPE_F32)
            reinterpret_cast<float *>(bytes.data())[i] = static_cast<float>(values[i]);
        else if (dtype == SUBWAVE_DTYPE_F64)
            reinterpret_cast<double *>(bytes.data())[i] = values[i];
        else
            reference_store(dtype, bytes.data(), static_cast<std::int64_t>(i),
                            is_floating(dtype) ? reference_encode(dtype, values[i])
                                               : static_cast<std::uint64_t>(values[i]));
    }
    return bytes;
}

bool is_unsigned(subwave_dtype dtype)
{
    return dtype == SUBWAVE_DTYPE_U8 || dtype == SUBWAVE_DTYPE_U16 || dtype == SUBWAVE_DTYPE_U32 ||
           dtype == SUBWAVE_DTYPE_U64;
}

/* Signed integers come zero-filled. */
static double decode(subwave_dtype dtype, std::uint64_t bits)
{
    if (is_floating(dtype))
        return reference_decode(dtype, bits);
    const int unused = 64 - 8 * static_cast<int>(subwave_dtype_size(dtype));
    return is_unsigned(dtype)
               ? static_cast<double>(bits)
               : static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

std::vector<double> decode(subwave_dtype dtype, const std::vector<unsigned char> &bytes)
{
    dtype = part_of(dtype);
    std::vector<double> values(bytes.size() / subwave_dtype_size(dtype));
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (dtype == SUBWAVE_DTYPE_F32)
            values[i] = reinterpret_cast<const float *>(bytes.data())[i];
        else if (dtype == SUBWAVE_DTYPE_F64)
            values[i] = reinterpret_cast<const double *>(bytes.data())[i];
        else
            values[i] =
                decode(dtype, reference_load(dtype, bytes.data(), static_cast<std::int64_t>(i)));
    }
    return values;
}

/* --- the host's clock ------------------------------------------------------------------------- */

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
        const auto start = std::chrono::steady_clock::now();
        queue_();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

private:
    std::function<void()> queue_;
};

} // namespace

std::unique_ptr<runtime> open_host() { return std::make_unique<host_runtime>(); }

} // namespace bench
