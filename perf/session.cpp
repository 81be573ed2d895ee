/* SPDX-License-Identifier: MIT
 * session.cpp: which cases a run has, and running one: poison, time, judge, report.
 */
#include "bench.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

namespace bench {

static bool holds(const std::vector<std::string> &list, const std::string &name)
{
    return std::find(list.begin(), list.end(), name) != list.end();
}

bool session::wants(const char *operation) const
{
    return wishes.operations.empty() || holds(wishes.operations, operation);
}

bool session::wants(const contender &who) const
{
    return wishes.variants.empty() || holds(wishes.variants, who.by) ||
           (!who.variant.empty() && holds(wishes.variants, who.variant));
}

bool session::wants_kind(const std::string &text) const
{
    return wishes.kinds.empty() || holds(wishes.kinds, "all") ||
           holds(wishes.kinds, text.substr(0, text.find_first_of(" ,")));
}

bool session::wants_op(const std::string &op) const
{
    return holds(wishes.ops, "all") || (wishes.ops.empty() ? op == "plus" : holds(wishes.ops, op));
}

std::vector<subwave_dtype> session::dtypes(const std::vector<subwave_dtype> &all,
                                           const std::vector<subwave_dtype> &usual) const
{
    if (wishes.dtypes.empty())
        return usual;
    std::vector<subwave_dtype> found;
    for (subwave_dtype dtype : all)
        if (holds(wishes.dtypes, subwave_dtype_name(dtype)) || holds(wishes.dtypes, "all"))
            found.push_back(dtype);
    return found;
}

std::vector<cache> session::caches(double bytes_of_a_set) const
{
    if (!wishes.tune || wishes.caches.size() == 1)
        return wishes.caches;
    return {sets(cache::cold, bytes_of_a_set) ? cache::cold : cache::warm};
}

std::vector<shape> session::sizes(const std::vector<shape> &usual) const
{
    return wishes.sizes.empty() ? usual : wishes.sizes;
}

int session::sets(cache state, double bytes_of_a_set) const
{
    constexpr double most_sets = 1000;
    if (state == cache::warm)
        return wishes.caches.size() == 1 ||
               bytes_of_a_set <= 2.0 * static_cast<double>(on.cache_bytes);
    const double count = 1 + std::ceil(2.0 * static_cast<double>(on.cache_bytes) / bytes_of_a_set);
    const bool fits =
        (count + 1) * bytes_of_a_set < 0.4 * static_cast<double>(on.about.memory_bytes);
    return count <= most_sets && fits ? static_cast<int>(count) : 0;
}

/* What measure_time is given: a runtime, and a call that may throw, which C must not see. */
struct timed_call {
    runtime &clock;
    int sets;
    const std::function<void(int set)> &call;
    std::exception_ptr thrown;

    template <class Body> bool guarded(Body body)
    {
        try {
            body();
        } catch (...) {
            thrown = std::current_exception();
        }
        return !thrown;
    }
    static bool first(void *self)
    {
        auto &t = *static_cast<timed_call *>(self);
        return t.guarded([&] { t.call(0); });
    }
    static bool record(void *self, int calls)
    {
        auto &t = *static_cast<timed_call *>(self);
        return t.guarded([&] {
            t.clock.record([&t, calls] {
                for (int i = 0; i < calls; ++i)
                    t.call(i % t.sets);
            });
        });
    }
    static bool replay(void *self, double *seconds)
    {
        auto &t = *static_cast<timed_call *>(self);
        return t.guarded([&] { *seconds = t.clock.replay(); });
    }
};

static measure_timing measure(runtime &clock, const settings &wishes, int sets,
                              const std::function<void(int set)> &call)
{
    constexpr double batch_seconds = 1e-3; /* far above what an event or a clock can resolve */
    timed_call timed = {clock, sets, call, nullptr};
    const measure_subject subject = {&timed, timed_call::first, timed_call::record,
                                     timed_call::replay};
    const measure_rules rules = {
        batch_seconds, sets, 0.1 * wishes.time, 3, std::numeric_limits<int>::max(), wishes.time,
        wishes.noise,  false};
    measure_timing timing = {};
    if (!measure_time(&subject, &rules, &timing)) {
        if (timed.thrown)
            std::rethrow_exception(timed.thrown);
        throw failure("no memory for samples");
    }
    return timing;
}

void session::run(const problem_key &key, const work &amount,
                  const std::vector<contender> &contenders,
                  const std::function<std::unique_ptr<problem>()> &make)
{
    std::unique_ptr<problem> p;
    std::string no_problem;
    bool any = false;
    for (const contender &who : contenders) {
        if (!wants(who))
            continue;
        if (counting_) {
            ++count_;
            continue;
        }
        out_.progress(key, who);
        if (wishes.list)
            continue;
        outcome result;
        try {
            if (!p && no_problem.empty())
                p = make();
            if (!p)
                throw failure(no_problem);
            p->poison();
            result.timing =
                measure(*on.runtime, wishes, p->sets, [&](int set) { who.call(*p, set); });
            result.noisy = result.timing.spread > wishes.noise;
            if (wishes.check) {
                result.error = p->error();
                result.bound = p->bound;
                result.right = result.error <= result.bound;
            }
        } catch (const unsupported &reason) {
            result.failure = reason.what();
            result.unsupported = true;
        } catch (const std::exception &reason) { /* the others may still go well */
            result.failure = reason.what();
            if (!p)
                no_problem = result.failure;
        }
        any = true;
        out_.row(on, key, who, amount, result);
    }
    if (any)
        out_.end_of_problem();
}

} // namespace bench
