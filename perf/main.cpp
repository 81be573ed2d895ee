/* SPDX-License-Identifier: MIT
 * main.cpp: the command line of subwave-bench.
 */
#include "bench.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace bench {
namespace {

constexpr struct {
    const char *name;
    void (*cases)(session &); /* null: those of the row above */
    bool tunes = false;
} operations[] = {
    {"copy", copy_cases},
    {"matmul", matmul_cases, true},
    {"matmul_batched", matmul_batched_cases, true},
    {"matmul_stacked", matmul_stacked_cases},
    {"matmul_grouped", matmul_grouped_cases},
    {"tensor", tensor_cases},
    {"group_reduce", group_cases},
    {"group_scan", nullptr},
    {"group_broadcast", nullptr},
    {"group_shift", nullptr},
    {"group_permute", nullptr},
    {"group_select", nullptr},
    {"group_vote", nullptr},
    {"group_info", nullptr},
    {"reduce", array_cases},
    {"scan", nullptr},
    {"dot", nullptr},
    {"norm2", nullptr},
    {"minmax_index", nullptr},
    {"segmented_reduce", nullptr},
    {"segmented_scan", nullptr},
    {"row_reduce", row_cases},
    {"row_scan", nullptr},
    {"row_minmax_index", nullptr},
    {"compact", nullptr},
    {"compact_if", nullptr},
    {"partition", nullptr},
    {"partition_if", nullptr},
    {"unique", nullptr},
    {"append", nullptr},
    {"transpose", transpose_cases},
    {"transpose_stacked", transpose_stacked_cases},
    {"histogram", histogram_cases},
    {"scatter_add", scatter_cases},
    {"register_reduce", register_cases},
    {"register_scan", nullptr},
};

void all_cases(session &s)
{
    for (const auto &o : operations)
        if (o.cases && (o.tunes || !s.wishes.tune))
            o.cases(s);
}

struct usage : std::runtime_error {
    using runtime_error::runtime_error;
};

double number(const char *option, const std::string &text, double least)
{
    char *end;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end || !std::isfinite(value) || value < least)
        throw usage(std::string(option) + " is \"" + text + "\"; it takes a number from " +
                    std::to_string(static_cast<int>(least)) + " on");
    return value;
}

/* "N" or "MxNxK", each at least 1. */
shape size_of(const std::string &text)
{
    long long m, n, k;
    int end = 0;
    const int length = static_cast<int>(text.size());
    if (std::sscanf(text.c_str(), "%lldx%lldx%lld%n", &m, &n, &k, &end) == 3 && end == length) {
        if (m > 0 && n > 0 && k > 0)
            return {m, n, k};
    } else if (std::sscanf(text.c_str(), "%lld%n", &n, &end) == 1 && end == length && n > 0) {
        return {.n = n};
    }
    throw usage("--size is \"" + text + "\"; it takes N, or MxNxK, each at least 1");
}

struct option {
    const char *name, *value, *help;
    std::function<void(const std::string &)> take;
};

std::string one_of(const char *option, const std::string &text,
                   const std::vector<std::string> &names)
{
    std::string list;
    for (const std::string &name : names) {
        if (name == text)
            return text;
        list += (list.empty() ? "" : ", ") + name;
    }
    throw usage(std::string(option) + " is \"" + text + "\"; it takes " + list);
}

std::vector<std::string> spellings(std::initializer_list<const char *> names)
{
    std::vector<std::string> list(names.begin(), names.end());
    list.push_back("all");
    return list;
}

std::vector<option> options_of(settings &s)
{
#define SUBWAVE_X(name, value, spelling, ...) spelling,
#define SUBWAVE_X_DTYPE(name, value, bytes, spelling, ...) spelling,
    const auto ops = spellings({SUBWAVE_OP_LIST(SUBWAVE_X)});
    const auto kinds = spellings({SUBWAVE_GROUP_LIST(SUBWAVE_X)});
    const auto dtypes = spellings({SUBWAVE_DTYPE_LIST(SUBWAVE_X_DTYPE)});
#undef SUBWAVE_X
#undef SUBWAVE_X_DTYPE
    return {
        {"--device", "ID", "a device of `subwave info`; may be repeated (the one with the star)",
         [&s](const std::string &v) { s.devices.push_back(v); }},
        {"--size", "N|MxNxK", "of the problem; may be repeated (several)",
         [&s](const std::string &v) { s.sizes.push_back(size_of(v)); }},
        {"--batch", "COUNT", "products of a batch (as many as fill the memory that a copy needs)",
         [&s](const std::string &v) {
             s.batch = static_cast<std::int64_t>(number("--batch", v, 1));
         }},
        {"--dtype", "TYPE", "an element type, or all; may be repeated",
         [&s, dtypes](const std::string &v) { s.dtypes.push_back(one_of("--dtype", v, dtypes)); }},
        {"--kind", "KIND", "a kind of group, or all; may be repeated",
         [&s, kinds](const std::string &v) { s.kinds.push_back(one_of("--kind", v, kinds)); }},
        {"--op", "OP", "plus and so on, or all; may be repeated",
         [&s, ops](const std::string &v) { s.ops.push_back(one_of("--op", v, ops)); }},
        {"--variant", "NAME", "a variant, a peer, or subwave: time this alone; may be repeated",
         [&s](const std::string &v) { s.variants.push_back(v); }},
        {"--cache", "warm|cold", "time with the same memory again, or with other each time (both)",
         [&s](const std::string &v) {
             s.caches = {one_of("--cache", v, {"warm", "cold"}) == "warm" ? cache::warm
                                                                          : cache::cold};
         }},
        {"--cache-bytes", "BYTES", "the last-level cache's size, where the system has it wrong",
         [&s](const std::string &v) {
             s.cache_bytes = static_cast<std::int64_t>(number("--cache-bytes", v, 1));
         }},
        {"--time", "SECONDS", "at most so long for a case, whatever the noise (0.5)",
         [&s](const std::string &v) { s.time = number("--time", v, 0); }},
        {"--noise", "PERCENT", "stop when the median is known to this (1)",
         [&s](const std::string &v) { s.noise = number("--noise", v, 0) / 100; }},
        {"--json", "FILE", "write a JSON object a line there; - is standard output, without table",
         [&s](const std::string &v) { s.json = v; }},
        {"--no-check", nullptr, "do not judge the results",
         [&s](const std::string &) { s.check = false; }},
        {"--tune", nullptr, "products: time every kernel that could be planned; what plans lose",
         [&s](const std::string &) { s.tune = true; }},
        {"--list", nullptr, "print the cases, and time none",
         [&s](const std::string &) { s.list = true; }},
    };
}

void print_help(const std::vector<option> &options)
{
    std::puts("usage: subwave-bench [OPTION]... [OPERATION]...\n\n"
              "Times subwave beside its peers, in one process, and checks every result.\n"
              "Medians; stops when they stand still. docs/bench.md says how.\n\noperations (all):");
    for (const auto &o : operations)
        std::printf("  %s\n", o.name);
    std::puts("\noptions:");
    for (const option &o : options) {
        const std::string left =
            std::string(o.name) + (o.value ? " " : "") + (o.value ? o.value : "");
        std::printf("  %-22s %s\n", left.c_str(), o.help);
    }
    std::printf("  %-22s %s\n\npeers of this build:", "--help", "print this and exit");
    for (const blas &peer : registry<blas>())
        std::printf(" %s,", peer.name);
    std::puts(" the runtime's copy\nexit status: 0 done, 1 a result is wrong or a case failed, "
              "2 the command line is wrong");
}

/* The command as one would type it again: with the environment that subwave reads, and without what
 * says nothing about the measurement: the program's folder, the results' file, and other paths. */
std::string command_of(int argc, char **argv)
{
    std::vector<std::string> words;
    for (char **variable = environ; *variable; ++variable)
        if (std::strncmp(*variable, "SUBWAVE_", 8) == 0 && !std::strchr(*variable, '/'))
            words.push_back(*variable);
    std::sort(words.begin(), words.end());
    words.push_back("subwave-bench");
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--json")
            ++i; /* and its value */
        else if (argument.compare(0, 7, "--json=") != 0)
            words.push_back(argument);
    }
    std::string text;
    for (const std::string &word : words) {
        const bool plain = word.find_first_of(" \t\n'\"\\$`*?&|;<>()") == std::string::npos;
        text += (text.empty() ? "" : " ") + (plain ? word : "\"" + word + "\"");
    }
    return text;
}

/* False when help was all that was wanted. */
bool parse(int argc, char **argv, settings &s)
{
    const std::vector<option> options = options_of(s);
    std::vector<std::string> names;
    for (const auto &o : operations)
        names.push_back(o.name);
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--help" || argument == "-h")
            return print_help(options), false;
        if (argument[0] != '-') {
            s.operations.push_back(one_of("the operation", argument, names));
            continue;
        }
        const std::size_t equals = argument.find('=');
        const std::string name = argument.substr(0, equals);
        const option *found = nullptr;
        for (const option &o : options)
            if (name == o.name)
                found = &o;
        if (!found)
            throw usage("unknown option \"" + name + "\"");
        std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
        if (!found->value && equals != std::string::npos)
            throw usage(name + " takes no value");
        if (found->value && equals == std::string::npos) {
            if (++i == argc)
                throw usage(name + " needs a value: " + found->value);
            value = argv[i];
        }
        found->take(value);
    }
    return true;
}

int run(const settings &wishes)
{
    /* all of them first, so that a wrong name is told */
    std::vector<std::unique_ptr<device>> devices;
    for (const std::string &id : wishes.devices)
        devices.push_back(std::make_unique<device>(id.c_str()));
    if (devices.empty())
        devices.push_back(std::make_unique<device>(nullptr));

    reporter out(wishes);
    std::vector<session> sessions;
    int count = 0;
    for (const auto &on : devices) {
        if (wishes.cache_bytes)
            on->cache_bytes = wishes.cache_bytes;
        session &s = sessions.emplace_back(wishes, *on, out);
        s.count_only(true);
        all_cases(s);
        s.count_only(false);
        count += s.count();
    }
    if (!count)
        throw usage("no case is wanted: see --list");
    out.expect_rows(count);
    for (session &s : sessions) {
        out.begin(s.on);
        all_cases(s);
    }
    return out.all_right() ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace
} // namespace bench

int main(int argc, char **argv)
try {
    bench::settings wishes;
    wishes.command = bench::command_of(argc, argv);
    return bench::parse(argc, argv, wishes) ? bench::run(wishes) : EXIT_SUCCESS;
} catch (const bench::usage &wrong) {
    std::fprintf(stderr, "subwave-bench: %s\nTry 'subwave-bench --help'.\n", wrong.what());
    return 2;
} catch (const std::exception &wrong) {
    std::fprintf(stderr, "subwave-bench: %s\n", wrong.what());
    return EXIT_FAILURE;
}
