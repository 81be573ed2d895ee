/* SPDX-License-Identifier: MIT
 * position.cpp: program positions, by which lanes that execute the same instance of an operation
 * find each other: the open regions with their iterations, then the operation. */
#include "engine.hpp"

namespace subwave::simt {

namespace {

/* Along structured code positions only grow, first by place, then by iteration. */
int compare(const step &a, const step &b)
{
    if (a.line != b.line)
        return a.line < b.line ? -1 : 1;
    if (a.column != b.column)
        return a.column < b.column ? -1 : 1;
    if (!same_file(a.file, b.file))
        return std::strcmp(a.file, b.file);
    if (a.iteration != b.iteration)
        return a.iteration < b.iteration ? -1 : 1;
    return 0;
}

int compare(const step *a, unsigned a_count, const step *b, unsigned b_count)
{
    for (unsigned i = 0; i < a_count && i < b_count; ++i)
        if (const int order = compare(a[i], b[i]); order != 0)
            return order;
    return a_count == b_count ? 0 : a_count < b_count ? -1 : 1;
}

void begin_block(const engine &e, lane_details &d)
{
    if (d.serial != e.serial) {
        d.serial = e.serial;
        d.depth = d.last_depth = 0;
    }
}

} // namespace

int compare_positions(const lane &a, const lane &b)
{
    /* `last` of a lane in an implicit operation is where it is now. */
    const engine &e = engine_of(a);
    const lane_details &da = e.details[&a - e.lanes], &db = e.details[&b - e.lanes];
    const int order = compare(da.last, da.last_depth, db.last, db.last_depth);
    return order != 0 ? order : static_cast<int>(a.at->what) - static_cast<int>(b.at->what);
}

void advance_position(lane &self, const arrival &mine)
{
    lane_details &d = details_of(self);
    begin_block(engine_of(self), d);
    step now[max_regions + 1];
    for (unsigned i = 0; i < d.depth; ++i)
        now[i] = d.regions[i];
    now[d.depth] = {mine.where.file, mine.where.line, mine.where.column, 0};
    d.repeated = d.last_depth != 0 && compare(now, d.depth + 1, d.last, d.last_depth) <= 0;
    const bool tolerated =
        mine.what == operation::unmasked && !engine_of(self).launch->settings.strict;
    if (d.repeated && !tolerated)
        report_unmarked(self, mine);
    for (unsigned i = 0; i <= d.depth; ++i)
        d.last[i] = now[i];
    d.last_depth = d.depth + 1;
}

region::region(site where)
{
    lane_details &d = details_of(*current);
    begin_block(engine_of(*current), d);
    if (d.depth == max_regions)
        report_regions(*current, where);
    d.regions[d.depth++] = {where.file, where.line, where.column, 0};
}

region::~region() { --details_of(*current).depth; }

void region::next()
{
    lane_details &d = details_of(*current);
    ++d.regions[d.depth - 1].iteration;
}

namespace {

/* The next return address up the chain of frame pointers; null at its end. */
const void *next_return(const lane_details &d, std::size_t stack_bytes, const void *&frame)
{
    const auto low = reinterpret_cast<std::uintptr_t>(d.stack);
    const auto at = reinterpret_cast<std::uintptr_t>(frame);
    if (at < low || at + 2 * sizeof(void *) > low + stack_bytes || at % sizeof(void *) != 0)
        return nullptr;
    const void *const *words = static_cast<const void *const *>(frame);
    if (words[0] != nullptr && words[0] <= frame) /* not a chain */
        return nullptr;
    frame = words[0];
    return words[1];
}

} // namespace

void check_repeats(engine &e, wave &w, lane_mask set)
{
    for_each_lane(set, [&](unsigned i) {
        lane_details &d = e.details[&w.lanes[i] - e.lanes];
        if (d.repeated && d.last_set != set)
            report_unmarked(w.lanes[i], *w.lanes[i].at);
    });
    for_each_lane(set, [&](unsigned i) { e.details[&w.lanes[i] - e.lanes].last_set = set; });
}

void check_call_chains(engine &e, wave &w, lane_mask set)
{
    const lane &first = w.lanes[__builtin_ctzll(set)];
    for_each_lane(set & (set - 1), [&](unsigned i) {
        const void *a = first.at->frame, *b = w.lanes[i].at->frame;
        const void *ra, *rb;
        do {
            ra = next_return(details_of(w.lanes[__builtin_ctzll(set)]), e.stack_bytes, a);
            rb = next_return(details_of(w.lanes[i]), e.stack_bytes, b);
            if (ra != rb)
                report_call_chains(w.lanes[i], set);
        } while (ra != nullptr);
    });
}

} // namespace subwave::simt
