/* SPDX-License-Identifier: MIT
 * report.cpp: results as a table for people and as JSON lines for programs (docs/bench.md).
 */
#include "bench.hpp"

extern "C" {
#include "../src/tool/text.h"
}

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <unistd.h>

namespace bench {

std::string shape::text() const
{
    std::string text = std::to_string(n);
    if (m)
        text = std::to_string(m) + "x" + text + "x" + std::to_string(k);
    return batch > 1 ? text + " *" + std::to_string(batch) : text;
}

std::string problem_key::text() const
{
    std::string text = operation + " " + subwave_dtype_name(dtype);
    for (const std::string &part : {kind, op})
        text += part.empty() ? "" : " " + part;
    return text + " " + shape.text() + (cache == cache::cold ? " cold" : " warm");
}

double work::rate(double seconds) const
{
    return (std::strcmp(unit, "GB/s") == 0 ? bytes : operations) / seconds * 1e-9;
}

static std::string name_of(const contender &who)
{
    if (who.candidate)
        return who.variant + " " + who.candidate->name;
    return who.by + (who.variant.empty() ? "" : " " + who.variant);
}

/* A row of the table, kept until its peers are there. */
struct reporter::line {
    std::string name, time;
    bool ours;
    double rate;
    std::string unit, text;
    contender who;
};

static std::string now()
{
    char text[32];
    const std::time_t seconds = std::time(nullptr);
    std::tm utc;
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    return text;
}

reporter::reporter(const settings &wishes)
    : wishes_(wishes), table_(wishes.json == "-" ? nullptr : stdout), date_(now())
{
    if (wishes.list || wishes.json.empty())
        return;
    json_ = wishes.json == "-" ? stdout : std::fopen(wishes.json.c_str(), "w");
    if (!json_)
        throw failure(wishes.json + ": " + std::strerror(errno));
}

reporter::~reporter()
{
    if (json_ && json_ != stdout)
        std::fclose(json_);
}

static void clear_progress()
{
    if (isatty(STDERR_FILENO))
        std::fputs("\r\033[K", stderr);
}

void reporter::begin(const device &on)
{
    if (!table_ || wishes_.list)
        return;
    std::fprintf(table_, "%s%s: %s, %s, waves of %d, %d MHz; last-level cache %.1f MiB\n%s; %s\n\n",
                 headed_ ? "\n" : "", on.about.id, on.about.name, on.about.architecture, on.wave(),
                 on.runtime->clock_mhz(), static_cast<double>(on.cache_bytes) / (1 << 20),
                 subwave_build_info(), on.runtime->method());
    std::fprintf(table_, "%-24s %9s %6s %10s %-12s %8s  %s\n", "who", "time", "+-", "rate", "",
                 "ratio", "error");
    headed_ = true;
}

void reporter::progress(const problem_key &key, const contender &who)
{
    ++done_;
    if (wishes_.list)
        std::printf("%s: %s\n", key.text().c_str(), name_of(who).c_str());
    else
        std::fprintf(stderr, "%s%d/%d %s: %s%s", isatty(STDERR_FILENO) ? "\r\033[K" : "", done_,
                     total_, key.text().c_str(), name_of(who).c_str(),
                     isatty(STDERR_FILENO) ? "" : "\n");
}

void reporter::row(const device &on, const problem_key &key, const contender &who,
                   const work &amount, const outcome &result)
{
    if (lines_.empty() && table_) {
        clear_progress();
        std::fprintf(table_, "%s\n", key.text().c_str());
    }
    line added = {name_of(who), "", who.by == "subwave", 0, amount.unit, "", who};
    char text[200];
    if (!result.failure.empty()) {
        added.text = (result.unsupported ? "not available: " : "FAILED: ") + result.failure;
        all_right_ &= result.unsupported;
    } else {
        char digits[TEXT_SIZE];
        added.rate = amount.rate(result.timing.median);
        if (result.right) {
            std::snprintf(text, sizeof text, "%.1e%s", result.error,
                          *result.right ? "" : "  WRONG");
            all_right_ &= *result.right;
        } else {
            std::snprintf(text, sizeof text, "not checked");
        }
        added.text = text + std::string(result.noisy ? "  noisy" : "");
        std::snprintf(text, sizeof text, "%9s %5.1f%%", format_time(digits, result.timing.median),
                      100 * result.timing.spread);
        added.time = text;
    }
    lines_.push_back(added);
    if (json_)
        print_json(on, key, who, amount, result);
}

/* The ratio is ours over the best peer's. */
void reporter::end_of_problem()
{
    double peer = 0;
    std::size_t width = 22;
    for (const line &l : lines_) {
        peer = l.ours ? peer : std::max(peer, l.rate);
        width = std::max(width, l.name.size());
    }
    const int wide = static_cast<int>(width);
    for (const line &l : lines_) {
        char digits[TEXT_SIZE], ratio[TEXT_SIZE] = "";
        if (!table_)
            break;
        if (l.rate == 0) {
            std::fprintf(table_, "  %-*s %s\n", wide, l.name.c_str(), l.text.c_str());
            continue;
        }
        if (l.ours && peer > 0)
            std::snprintf(ratio, sizeof ratio, l.rate < 0.095 * peer ? "%.1g" : "%.2f",
                          l.rate / peer);
        std::fprintf(table_, "  %-*s %s %10s %-12s %8s  %s\n", wide, l.name.c_str(), l.time.c_str(),
                     format_digits(digits, l.rate), l.unit.c_str(), ratio, l.text.c_str());
    }
    if (table_) {
        print_losses();
        std::fflush(table_);
    }
    lines_.clear();
}

/* What each variant's plan and AUTO lose by their choice among the candidates. */
void reporter::print_losses() const
{
    std::vector<std::string> choosers;
    for (const line &l : lines_)
        if (l.who.candidate && (choosers.empty() || choosers.back() != l.who.variant))
            choosers.push_back(l.who.variant);
    if (choosers.empty())
        return;
    if (choosers.size() > 1)
        choosers.push_back("auto");
    std::fprintf(table_, "  %-10s %-40s %-40s %s\n", "chosen by", "is planned", "is fastest",
                 "loss");
    for (const std::string &chooser : choosers) {
        const line *planned = nullptr, *fastest = nullptr;
        for (const line &l : lines_) {
            if (chooser != "auto" && chooser != l.who.variant)
                continue;
            if (chooser == "auto" ? l.who.candidate->automatic : l.who.candidate->planned)
                planned = &l;
            if (!fastest || l.rate > fastest->rate)
                fastest = &l;
        }
        if (!planned || planned->rate == 0) /* not wanted, or failed */
            continue;
        const auto name = [&](const line &l) {
            return chooser == "auto" ? l.name : l.who.candidate->name;
        };
        std::fprintf(table_, "  %-10s %-40s %-40s %.1f %%\n", chooser.c_str(),
                     name(*planned).c_str(), name(*fastest).c_str(),
                     100 * (1 - planned->rate / fastest->rate));
    }
}

/* --- JSON ------------------------------------------------------------------------------------ */

namespace {

/* One object on a line. */
class object {
public:
    explicit object(std::FILE *file) : file_(file) { std::fputc('{', file_); }
    ~object()
    {
        std::fputs("}\n", file_);
        std::fflush(file_);
    }
    void text(const char *name, const std::string &value)
    {
        label(name);
        print_json(file_, value.c_str());
    }
    void text_or_null(const char *name, const std::string &value)
    {
        value.empty() ? raw(name, "null") : text(name, value);
    }
    void number(const char *name, double value)
    {
        label(name);
        if (std::isfinite(value))
            std::fprintf(file_, "%.6g", value);
        else
            std::fputs("null", file_);
    }
    void whole(const char *name, std::int64_t value)
    {
        label(name);
        std::fprintf(file_, "%" PRId64, value);
    }
    void raw(const char *name, const char *value)
    {
        label(name);
        std::fputs(value, file_);
    }

private:
    void label(const char *name)
    {
        std::fprintf(file_, "%s\"%s\": ", first_ ? "" : ", ", name);
        first_ = false;
    }
    std::FILE *file_;
    bool first_ = true;
};

void print_candidate(object &row, const std::optional<candidate> &what)
{
    const auto whole = [&](const char *name, int candidate::*value) {
        what ? row.whole(name, (*what).*value) : row.raw(name, "null");
    };
    const auto yes_or_no = [&](const char *name, bool candidate::*value) {
        row.raw(name, !what ? "null" : (*what).*value ? "true" : "false");
    };
    row.text_or_null("candidate", what ? what->name : "");
    yes_or_no("planned", &candidate::planned);
    yes_or_no("automatic", &candidate::automatic);
    whole("tile_rows", &candidate::tile_rows);
    whole("tile_columns", &candidate::tile_columns);
    whole("parts", &candidate::parts);
    whole("splits", &candidate::splits);
    whole("band", &candidate::band);
    row.number("predicted_share", what ? what->share : NAN);
    row.number("predicted_time", what ? what->time : NAN);
}

} // namespace

void reporter::print_json(const device &on, const problem_key &key, const contender &who,
                          const work &amount, const outcome &result)
{
    object row(json_);
    row.whole("schema", 1);
    row.text("date", date_);
    row.text("command", wishes_.command);
    row.text("operation", key.operation);
    row.text("by", who.by);
    row.text_or_null("variant", who.variant);
    row.text("version", who.version);
    print_candidate(row, who.candidate);
    row.text("dtype", subwave_dtype_name(key.dtype));
    row.text_or_null("kind", key.kind);
    row.text_or_null("op", key.op);
    row.whole("m", key.shape.m);
    row.whole("n", key.shape.n);
    row.whole("k", key.shape.k);
    row.whole("batch", key.shape.batch);
    row.text("cache", key.cache == cache::cold ? "cold" : "warm");
    row.text("device", on.about.id);
    row.text("device_name", on.about.name);
    row.text("architecture", on.about.architecture);
    row.text("backend", on.about.backend);
    row.whole("wave", on.wave());
    row.whole("units", on.units());
    row.whole("clock_mhz", on.runtime->clock_mhz());
    row.whole("cache_bytes", on.cache_bytes);
    row.text("build", subwave_build_info());
    row.text("method", on.runtime->method());
    const bool measured = result.failure.empty();
    const auto measure = [&](const char *name, double value) {
        row.number(name, measured ? value : NAN);
    };
    row.text_or_null("failure", result.failure);
    measure("samples", result.timing.samples);
    measure("calls", result.timing.calls);
    measure("time", result.timing.median);
    measure("time_lower", result.timing.lower);
    measure("time_upper", result.timing.upper);
    measure("time_min", result.timing.least);
    measure("time_max", result.timing.most);
    measure("spread", result.timing.spread);
    row.raw("noisy", !measured ? "null" : result.noisy ? "true" : "false");
    row.number("operations", amount.operations);
    row.number("bytes", amount.bytes);
    measure("rate", amount.rate(result.timing.median));
    row.text("unit", amount.unit);
    row.number("error", result.error);
    row.number("bound", result.right ? result.bound : NAN);
    const bool failed = !measured && !result.unsupported;
    row.raw("ok", failed ? "false" : !result.right ? "null" : *result.right ? "true" : "false");
}

} // namespace bench
