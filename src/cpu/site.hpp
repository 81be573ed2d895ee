/* SPDX-License-Identifier: MIT
 * site.hpp: the place in the source where a kernel calls the device. */
#ifndef SUBWAVE_CPU_SITE_HPP
#define SUBWAVE_CPU_SITE_HPP

#include <cstdint>
#include <cstring>
#if !defined(__clang__)
#include <source_location>
#endif

namespace subwave::simt {

/* Plain data, taken by a defaulted argument: unlike a return address it survives
 * whatever the optimiser does to the calls. */
struct site {
    const char *file = "";
    std::uint32_t line = 0;
    std::uint32_t column = 0;

#if defined(__clang__) /* 14 has no std::source_location */
    static constexpr site current(const char *file = __builtin_FILE(),
                                  std::uint32_t line = __builtin_LINE(),
                                  std::uint32_t column = __builtin_COLUMN())
    {
        return {file, line, column};
    }
#else /* g++ has no __builtin_COLUMN */
    static constexpr site current(std::source_location at = std::source_location::current())
    {
        return {at.file_name(), at.line(), at.column()};
    }
#endif
};

/* The same text can have several addresses when a header is compiled twice. */
inline bool same_file(const char *a, const char *b) { return a == b || std::strcmp(a, b) == 0; }

inline bool operator==(const site &a, const site &b)
{
    return a.line == b.line && a.column == b.column && same_file(a.file, b.file);
}

} // namespace subwave::simt
#endif
