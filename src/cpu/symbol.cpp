/* SPDX-License-Identifier: MIT
 * symbol.cpp: the name of a function from its address, for reports. */
#include "engine.hpp"

#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#if defined(__linux__)
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace subwave::simt {

namespace {

std::string demangle(const char *symbol)
{
    int status = 0;
    char *text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    std::string name = status == 0 ? text : symbol;
    std::free(text);
    return name;
}

#if defined(__linux__)

/* Kernels are rarely exported, so that dladdr() does not know them; the file's
 * full symbol table does. `offset` counts from where the file was loaded. */
std::string name_in_file(const char *file, std::uintptr_t offset)
{
    std::string found;
    const int descriptor = open(file, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (descriptor < 0 || fstat(descriptor, &info) != 0)
        return found;
    const auto bytes = static_cast<std::size_t>(info.st_size);
    void *map = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (map == MAP_FAILED)
        return found;
    const char *base = static_cast<const char *>(map);
    const auto *head = reinterpret_cast<const ElfW(Ehdr) *>(base);
    const auto *sections = reinterpret_cast<const ElfW(Shdr) *>(base + head->e_shoff);
    for (unsigned i = 0; i < head->e_shnum; ++i) {
        if (sections[i].sh_type != SHT_SYMTAB)
            continue;
        const auto *symbols = reinterpret_cast<const ElfW(Sym) *>(base + sections[i].sh_offset);
        const char *names = base + sections[sections[i].sh_link].sh_offset;
        for (std::size_t k = 0; k < sections[i].sh_size / sizeof *symbols; ++k)
            if (symbols[k].st_value == offset && (symbols[k].st_info & 0xf) == STT_FUNC)
                found = names + symbols[k].st_name;
    }
    munmap(map, bytes);
    return found;
}

#endif

} // namespace

std::string function_name(const void *address)
{
    Dl_info info;
    if (dladdr(address, &info) != 0) {
        if (info.dli_sname != nullptr && info.dli_saddr == address)
            return demangle(info.dli_sname);
#if defined(__linux__)
        const auto *head = static_cast<const ElfW(Ehdr) *>(info.dli_fbase);
        const auto base = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
        const auto at = reinterpret_cast<std::uintptr_t>(address);
        std::string name = name_in_file(info.dli_fname, head->e_type == ET_DYN ? at - base : at);
        if (name.empty()) /* argv[0] need not be a path */
            name = name_in_file("/proc/self/exe", head->e_type == ET_DYN ? at - base : at);
        if (!name.empty())
            return demangle(name.c_str());
#endif
    }
    char text[32];
    std::snprintf(text, sizeof text, "%p", address);
    return text;
}

} // namespace subwave::simt
