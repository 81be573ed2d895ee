/* SPDX-License-Identifier: MIT
 * gpu.cpp: a GPU's runtime, AMD's or NVIDIA's by HIP's headers: batches are graphs, timed by
 * events.
 */
#include "bench.hpp"

#define HIP_CUDA13_API_ONLY
#include <subwave/device/hip_cuda13.h>

namespace bench {
namespace {

void expect(hipError_t code, const char *what)
{
    if (code != hipSuccess)
        throw failure(std::string(what) + ": " + hipGetErrorString(code));
}

class gpu_runtime : public runtime {
public:
    explicit gpu_runtime(int index) : index_(index)
    {
        expect(hipSetDevice(index), "hipSetDevice");
        expect(hipStreamCreateWithFlags(&stream_, hipStreamNonBlocking), "hipStreamCreate");
        expect(hipEventCreate(&begin_), "hipEventCreate");
        expect(hipEventCreate(&end_), "hipEventCreate");
    }
    ~gpu_runtime() override
    {
        drop();
        (void)hipEventDestroy(begin_);
        (void)hipEventDestroy(end_);
        (void)hipStreamDestroy(stream_);
    }
    void *stream() const override { return stream_; }
    std::int64_t cache_bytes() const override { return attribute(hipDeviceAttributeL2CacheSize); }
    int clock_mhz() const override { return attribute(hipDeviceAttributeClockRate) / 1000; }
    const char *method() const override { return "graph, device events"; }
    void copy(void *to, const void *from, std::size_t bytes) override
    {
        expect(hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToDevice, stream_), "hipMemcpyAsync");
    }

    /* A graph's nodes follow one another without the host, whose launches are slower than short
     * kernels. */
    void record(std::function<void()> queue) override
    {
        drop();
        hipGraph_t graph = nullptr;
        expect(hipStreamBeginCapture(stream_, hipStreamCaptureModeRelaxed),
               "hipStreamBeginCapture");
        try {
            queue();
        } catch (...) {
            (void)hipStreamEndCapture(stream_, &graph);
            (void)hipGetLastError();
            throw;
        }
        expect(hipStreamEndCapture(stream_, &graph), "hipStreamEndCapture");
        const hipError_t code = hipGraphInstantiateWithFlags(&batch_, graph, 0);
        (void)hipGraphDestroy(graph);
        expect(code, "hipGraphInstantiate");
    }

    double replay() override
    {
        expect(hipEventRecord(begin_, stream_), "hipEventRecord");
        expect(hipGraphLaunch(batch_, stream_), "hipGraphLaunch");
        expect(hipEventRecord(end_, stream_), "hipEventRecord");
        expect(hipEventSynchronize(end_), "queued work failed");
        float ms = 0;
        expect(hipEventElapsedTime(&ms, begin_, end_), "hipEventElapsedTime");
        return 1e-3 * ms;
    }

private:
    int attribute(hipDeviceAttribute_t which) const
    {
        int value = 0;
        expect(hipDeviceGetAttribute(&value, which, index_), "hipDeviceGetAttribute");
        return value;
    }
    void drop()
    {
        if (batch_)
            (void)hipGraphExecDestroy(batch_);
        batch_ = nullptr;
    }

    int index_;
    hipStream_t stream_ = nullptr;
    hipEvent_t begin_ = nullptr, end_ = nullptr;
    hipGraphExec_t batch_ = nullptr;
};

const enrolled<open_gpu> here([](int index) -> std::unique_ptr<runtime> {
    return std::make_unique<gpu_runtime>(index);
});

} // namespace
} // namespace bench
