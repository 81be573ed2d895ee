/* SPDX-License-Identifier: MIT
 * copy.hip: a copy by a kernel, 16 bytes a work-item at a time: what a kernel can hope for.
 */
#include "registry.hpp"

#include <subwave/subwave.hpp>

SUBWAVE_BEGIN
namespace {

struct alignas(16) pack {
    std::uint32_t word[4];
};

SUBWAVE_KERNEL(256) copy_packs(pack *to, const pack *from, std::int64_t count)
{
    const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = from[i];
}

const bench::enrolled<bench::copy_kernel> here([](void *stream, void *to, const void *from,
                                                  std::int64_t bytes) {
    const std::int64_t count = bytes / std::int64_t(sizeof(pack));
    return launch(copy_packs, dim3(static_cast<unsigned>((count + 255) / 256)), dim3(256), 0,
                  stream, static_cast<pack *>(to), static_cast<const pack *>(from), count);
});

} // namespace
SUBWAVE_END
