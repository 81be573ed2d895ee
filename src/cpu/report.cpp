/* SPDX-License-Identifier: MIT
 * report.cpp: what is wrong with a kernel, in words: who waits where, and who is missing. */
#include "engine.hpp"

#include <map>

namespace subwave::simt {

namespace {

std::string list(lane_mask lanes) /* "0-4,6" */
{
    std::ostringstream out;
    for (unsigned i = 0; i < max_wave; ++i) {
        if ((lanes >> i & 1) == 0)
            continue;
        unsigned last = i;
        while (last + 1 < max_wave && (lanes >> (last + 1) & 1) != 0)
            ++last;
        out << (out.tellp() > 0 ? "," : "") << i;
        if (last > i)
            out << '-' << last;
        i = last;
    }
    return lanes == 0 ? "none" : out.str();
}

bool one(lane_mask lanes) { return (lanes & (lanes - 1)) == 0; }

std::string lanes_of(lane_mask lanes) { return text(one(lanes) ? "lane " : "lanes ", list(lanes)); }

std::string place(const site &where)
{
    return text(where.file, ':', where.line, ':', where.column);
}

const char *name(operation what)
{
    switch (what) {
    case operation::ballot:
        return "ballot";
    case operation::shuffle:
        return "shuffle";
    case operation::broadcast:
        return "broadcast";
    case operation::barrier:
        return "wave barrier";
    case operation::publish:
        return "publish";
    case operation::tile_read:
        return "read of a published tile";
    case operation::active:
        return "active mask";
    case operation::opportunistic:
        return "opportunistic group";
    case operation::unmasked:
        return "function without a mask";
    case operation::block_barrier:
        return "block barrier";
    }
    return "";
}

std::string call_of(const arrival &a) { return text(name(a.what), " at ", place(a.where)); }

std::string who(const lane &self) { return text("wave ", self.home->number, " lane ", self.index); }

/* "  wave 2: " */
std::string prefix(const wave &w) { return text("  wave ", w.number, ": "); }

std::string header(const engine &e)
{
    const dim3 &b = e.index;
    return text("kernel ", function_name(e.launch->request.kernel), ", block (", b.x, ',', b.y, ',',
                b.z, "), waves of ", e.waves[0].size, ", seed ", e.launch->settings.seed, ": ");
}

/* What the lane does, if it is not running. */
std::string state(const lane &self)
{
    const wave &w = *self.home;
    const lane_mask bit = bit_of(self);
    if ((w.finished & bit) != 0)
        return "finished";
    if (((w.implicit | w.in_barrier) & bit) != 0)
        return text("waits in ", call_of(*self.at));
    for (unsigned i = 0; i < w.open; ++i)
        if (const meeting &m = w.meetings[i]; (m.arrived & bit) != 0)
            return text("waits in ", call_of(*self.at), " for ", lanes_of(m.members & ~m.arrived));
    return "can run";
}

/* A line for all lanes with the same state, in the order of their first lanes. */
std::string states(const wave &w, lane_mask lanes)
{
    std::map<std::string, lane_mask> by_state;
    for_each_lane(lanes, [&](unsigned i) { by_state[state(w.lanes[i])] |= lane_mask{1} << i; });
    std::map<int, std::string> by_lane;
    for (const auto &[what, of] : by_state)
        by_lane[__builtin_ctzll(of)] = text("    ", lanes_of(of), ": ", what, '\n');
    std::string all;
    for (const auto &[lane_index, line] : by_lane)
        all += line;
    return all;
}

std::string barrier_line(const engine &e)
{
    return text("  block barrier at ", place(e.barrier_site), ": ", e.in_barrier, " of ", e.threads,
                " threads, ", e.finished, " finished\n");
}

/* Ends the launch with the header and what `describe` returns. No string outlives the first
 * statement: what a lane's stack holds is never destroyed. */
template <class Describe> [[noreturn]] void give_up(engine &e, Describe describe)
{
    e.launch->fail(e.number, text(header(e), describe(), '\n'));
    e.abandon(*current);
}

} // namespace

void report_stuck(engine &e)
{
    give_up(e, [&] {
        const bool barrier = e.in_barrier != 0;
        std::string all = barrier
                              ? text("divergent block barrier, no lane can run\n", barrier_line(e))
                              : "no lane can run\n";
        for (unsigned n = 0; n < e.wave_count; ++n) {
            const wave &w = e.waves[n];
            lane_mask of_interest = barrier && w.finished != 0 ? w.in_barrier | w.finished : 0;
            for (unsigned i = 0; i < w.open; ++i) {
                const meeting &m = w.meetings[i];
                const lane_mask missing = m.members & ~m.arrived;
                of_interest |= missing;
                all += text(prefix(w), lanes_of(m.arrived), one(m.arrived) ? " waits" : " wait",
                            " in ", call_of(*m.first), " for ", lanes_of(missing), '\n');
            }
            if (w.open == 0 && of_interest != 0)
                all += text("  wave ", n, ":\n");
            all += states(w, of_interest);
        }
        return all;
    });
}

void report_no_progress(engine &e)
{
    give_up(e, [&] {
        std::string all = text("no progress for ", e.launch->settings.watchdog_ms,
                               " ms: lanes wait for a value that no lane writes\n");
        for (unsigned n = 0; n < e.wave_count; ++n)
            all += text("  wave ", n, ":\n", states(e.waves[n], e.waves[n].existing));
        return e.in_barrier != 0 ? all + barrier_line(e) : all;
    });
}

void report_not_member(const lane &self, const arrival &mine)
{
    give_up(engine_of(self), [&] {
        const lane_mask absent = mine.members & ~self.home->existing;
        const bool member = (mine.members & bit_of(self)) != 0;
        return text(who(self),
                    member
                        ? text(" names ", lanes_of(absent), ", which the wave does not have, in ")
                        : " is no member of its own group in ",
                    call_of(mine), ", members ", list(mine.members));
    });
}

void report_mismatch(const lane &self, const arrival &mine, const meeting &other)
{
    give_up(engine_of(self), [&] {
        const wave &w = *self.home;
        return text("members of one group (", lanes_of(mine.members),
                    ") are at different operations\n", prefix(w), lanes_of(other.arrived), " in ",
                    call_of(*other.first), '\n', prefix(w), lanes_of(bit_of(self)), " in ",
                    call_of(mine));
    });
}

void report_source(const lane &self, const arrival &mine, lane_mask which)
{
    give_up(engine_of(self), [&] {
        std::string all = text("source lane outside the group in ", call_of(mine), ", members ",
                               list(mine.members));
        for_each_lane(which, [&](unsigned i) {
            all += text('\n', prefix(*self.home), "lane ", i, " asks for lane ",
                        self.home->lanes[i].at->source);
        });
        return all;
    });
}

void report_not_uniform(const lane &self, const arrival &mine, int other_source)
{
    give_up(engine_of(self), [&] {
        return text(who(self), " asks for lane ", mine.source, ", another for lane ", other_source,
                    " in ", call_of(mine), ": it must be the same in all members");
    });
}

void report_barrier(const lane &self, const arrival &mine)
{
    engine &e = engine_of(self);
    give_up(e, [&] {
        std::string all = text("divergent block barrier\n", barrier_line(e), "  block barrier at ",
                               place(mine.where), ": ", who(self), '\n');
        for (unsigned n = 0; n < e.wave_count; ++n)
            if (e.waves[n].in_barrier != 0)
                all += text("  wave ", n, ":\n", states(e.waves[n], e.waves[n].in_barrier));
        return all;
    });
}

void report_unmarked(const lane &self, const arrival &mine)
{
    give_up(engine_of(self), [&] {
        return text(who(self), ": ", call_of(mine),
                    " was reached again without a new position: mark the enclosing loop with "
                    "SUBWAVE_LOOP and SUBWAVE_ITER, or the enclosing call with SUBWAVE_CALL");
    });
}

void report_call_chains(const lane &self, lane_mask set)
{
    give_up(engine_of(self), [&] {
        return text(lanes_of(set), " of wave ", self.home->number, " are in ", call_of(*self.at),
                    " by different calls (", lanes_of(bit_of(self)),
                    " differs from the first): mark the calls with SUBWAVE_CALL");
    });
}

void report_regions(const lane &self, site where)
{
    give_up(engine_of(self), [&] {
        return text(who(self), ": more than ", max_regions,
                    " open SUBWAVE_LOOP and SUBWAVE_CALL at ", place(where));
    });
}

void report_shared(engine &e, std::size_t bytes)
{
    give_up(e, [&] {
        return text("shared memory: ", bytes, " bytes asked for, ", shared_limit, " available");
    });
}

} // namespace subwave::simt
