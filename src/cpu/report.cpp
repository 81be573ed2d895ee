/* SPDX-License-Identifier: MIT
 * report.cpp: what is wrong with a kernel, in words: who waits where, and who is missing. */
#include "engine.hpp"

#include <map>
#include <tuple>

namespace subwave::simt {

namespace {

std::string number(std::uint64_t n) { return std::to_string(n); }

std::string list(lane_mask lanes) /* "0-4,6" */
{
    std::string text;
    for (unsigned i = 0; i < max_wave; ++i) {
        if ((lanes >> i & 1) == 0)
            continue;
        unsigned last = i;
        while (last + 1 < max_wave && (lanes >> (last + 1) & 1) != 0)
            ++last;
        text.append(text.empty() ? "" : ",").append(number(i));
        if (last > i)
            text.append("-").append(number(last));
        i = last;
    }
    return text.empty() ? "none" : text;
}

std::string lanes_of(lane_mask lanes)
{
    return ((lanes & (lanes - 1)) == 0 ? "lane " : "lanes ") + list(lanes);
}

std::string place(const site &where)
{
    return std::string(where.file) + ":" + number(where.line) +
           (where.column != 0 ? ":" + number(where.column) : "");
}

const char *name(operation what)
{
    switch (what) {
    case operation::ballot: return "ballot";
    case operation::shuffle: return "shuffle";
    case operation::broadcast: return "broadcast";
    case operation::barrier: return "wave barrier";
    case operation::publish: return "publish";
    case operation::tile_read: return "read of a published tile";
    case operation::active: return "active mask";
    case operation::opportunistic: return "opportunistic group";
    case operation::unmasked: return "function without a mask";
    case operation::block_barrier: return "block barrier";
    }
    return "";
}

std::string call_of(const arrival &a) { return std::string(name(a.what)) + " at " + place(a.where); }

std::string header(const engine &e)
{
    const dim3 &b = e.index;
    const auto &settings = e.launch->settings;
    return "kernel " + function_name(e.launch->request.kernel) + ", block (" + number(b.x) + "," +
           number(b.y) + "," + number(b.z) + "), waves of " + number(e.waves[0].size) + ", seed " +
           number(settings.seed) + ": ";
}

std::string who(const lane &self)
{
    return "wave " + number(self.home->number) + " lane " + number(self.index);
}

/* What the lane does, if it is not running. */
std::string state(const lane &self)
{
    const wave &w = *self.home;
    const lane_mask bit = bit_of(self);
    if ((w.finished & bit) != 0)
        return "finished";
    if (((w.implicit | w.in_barrier) & bit) != 0)
        return "waits in " + call_of(*self.at);
    for (unsigned i = 0; i < w.open; ++i)
        if ((w.meetings[i].arrived & bit) != 0)
            return "waits in " + call_of(*self.at) + " for " +
                   lanes_of(w.meetings[i].members & ~w.meetings[i].arrived);
    return "can run";
}

/* A line for all lanes of a wave with the same state. */
std::string states(const wave &w, lane_mask lanes, const std::string &indent)
{
    std::map<std::string, lane_mask> by_state;
    for_each_lane(lanes, [&](unsigned i) { by_state[state(w.lanes[i])] |= lane_mask{1} << i; });
    std::string text;
    while (!by_state.empty()) { /* in order of lanes */
        auto first = by_state.begin();
        for (auto i = by_state.begin(); i != by_state.end(); ++i)
            if ((i->second & -i->second) < (first->second & -first->second))
                first = i;
        text += indent + lanes_of(first->second) + ": " + first->first + "\n";
        by_state.erase(first);
    }
    return text;
}

std::string barrier_line(const engine &e)
{
    return "  block barrier at " + place(e.barrier_site) + ": " + number(e.in_barrier) + " of " +
           number(e.threads) + " threads, " + number(e.finished) + " finished\n";
}

template <class Text> [[noreturn]] void give_up(engine &e, lane &self, Text text)
{
    e.launch->fail(e.number, text()); /* no string outlives this line: the stack is left as it is */
    e.abandon(self);
}

template <class Text> [[noreturn]] void give_up(const lane &self, Text text)
{
    give_up(engine_of(self), *current, [&] { return header(engine_of(self)) + text(); });
}

} // namespace

void report_stuck(engine &e, lane &self)
{
    give_up(e, self, [&] {
        std::string text = header(e) + (e.in_barrier != 0 ? "divergent block barrier, no lane can run\n"
                                                          : "no lane can run\n");
        if (e.in_barrier != 0)
            text += barrier_line(e);
        for (unsigned n = 0; n < e.wave_count; ++n) {
            const wave &w = e.waves[n];
            if (w.open == 0 && (e.in_barrier == 0 || w.finished == 0))
                continue;
            const std::string prefix = "  wave " + number(n) + ": ";
            lane_mask missing = 0;
            for (unsigned i = 0; i < w.open; ++i) {
                const meeting &m = w.meetings[i];
                missing |= m.members & ~m.arrived;
                text += prefix + lanes_of(m.arrived) + " wait in " + call_of(*m.first) + " for " +
                        lanes_of(m.members & ~m.arrived) + "\n";
            }
            if (e.in_barrier != 0)
                text += w.open == 0 ? prefix + "\n" + states(w, w.existing, "    ")
                                    : states(w, w.in_barrier | w.finished, "    ");
            else
                text += states(w, missing, "    ");
        }
        return text;
    });
}

void report_no_progress(engine &e, lane &self)
{
    give_up(e, self, [&] {
        std::string text = header(e) + "no progress for " +
                           number(static_cast<unsigned>(e.launch->settings.watchdog_ms)) +
                           " ms: lanes wait for a value that no lane writes\n";
        for (unsigned n = 0; n < e.wave_count; ++n)
            text += "  wave " + number(n) + ":\n" + states(e.waves[n], e.waves[n].existing, "    ");
        if (e.in_barrier != 0)
            text += barrier_line(e);
        return text;
    });
}

void report_not_member(const lane &self, const arrival &mine)
{
    give_up(self, [&] {
        const lane_mask absent = mine.members & ~self.home->existing;
        return who(self) +
               ((mine.members & bit_of(self)) == 0
                    ? " is no member of its own group in "
                    : " names " + lanes_of(absent) + ", which the wave does not have, in ") +
               call_of(mine) + ", members " + list(mine.members) + "\n";
    });
}

void report_mismatch(const lane &self, const arrival &mine, const meeting &other)
{
    give_up(self, [&] {
        return "members of one group (" + lanes_of(mine.members) + ") are at different operations\n  wave " +
               number(self.home->number) + ": " + lanes_of(other.arrived) + " in " +
               call_of(*other.first) + "\n  wave " + number(self.home->number) + ": " +
               lanes_of(bit_of(self)) + " in " + call_of(mine) + "\n";
    });
}

void report_source(const lane &self, const arrival &mine, lane_mask which)
{
    give_up(self, [&] {
        std::string text = "source lane outside the group in " + call_of(mine) + ", members " +
                           list(mine.members) + "\n";
        for_each_lane(which, [&](unsigned i) {
            text += "  wave " + number(self.home->number) + ": lane " + number(i) +
                    " asks for lane " + std::to_string(self.home->lanes[i].at->source) + "\n";
        });
        return text;
    });
}

void report_not_uniform(const lane &self, const arrival &mine, int other_source)
{
    give_up(self, [&] {
        return who(self) + " asks for lane " + std::to_string(mine.source) + ", another for lane " +
               std::to_string(other_source) + " in " + call_of(mine) +
               ": it must be the same in all members\n";
    });
}

void report_barrier(const lane &self, const arrival &mine)
{
    give_up(self, [&] {
        engine &e = engine_of(self);
        std::string text = "divergent block barrier\n" + barrier_line(e);
        text += "  block barrier at " + place(mine.where) + ": " + who(self) + "\n";
        for (unsigned n = 0; n < e.wave_count; ++n)
            if (e.waves[n].in_barrier != 0)
                text += "  wave " + number(n) + ":\n" + states(e.waves[n], e.waves[n].in_barrier, "    ");
        return text;
    });
}

void report_unmarked(lane &self, const arrival &mine)
{
    give_up(self, [&] {
        return who(self) + ": " + call_of(mine) +
               " was reached again without a new position: mark the enclosing loop with SUBWAVE_LOOP "
               "and SUBWAVE_ITER, or the enclosing call with SUBWAVE_CALL\n";
    });
}

void report_call_chains(engine &, lane &self, lane_mask set)
{
    give_up(self, [&] {
        return lanes_of(set) + " of wave " + number(self.home->number) + " are in " +
               call_of(*self.at) + " by different calls (" + lanes_of(bit_of(self)) +
               " differs from the first): mark the calls with SUBWAVE_CALL\n";
    });
}

void report_regions(lane &self, site where)
{
    give_up(self, [&] {
        return who(self) + ": more than " + number(max_regions) + " open SUBWAVE_LOOP and SUBWAVE_CALL at " +
               place(where) + "\n";
    });
}

void report_shared(engine &e, std::size_t bytes)
{
    give_up(e, *current, [&] {
        return header(e) + "shared memory: " + number(bytes) + " bytes asked for, " +
               number(shared_limit) + " available\n";
    });
}

} // namespace subwave::simt
