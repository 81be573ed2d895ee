/* SPDX-License-Identifier: MIT
 * divergence.cpp: shapes of divergent control flow; every lane must see the lanes that a machine in
 * lockstep would run together, whatever the compiler, its optimiser and the schedule do. With
 * SUBWAVE_TEST_UNMARKED all markers are forgotten, which must be reported where it does harm. */
#include "common.hpp"

#if defined(SUBWAVE_TEST_UNMARKED)
#undef SUBWAVE_LOOP
#undef SUBWAVE_ITER
#undef SUBWAVE_CALL
#define SUBWAVE_LOOP
#define SUBWAVE_ITER
#define SUBWAVE_CALL(...) __VA_ARGS__
constexpr bool marked = false;
#else
constexpr bool marked = true;
#endif

namespace {

using test::lane_mask;
using test::site;

constexpr int slots = 64;

/* What a kernel notes: the set in which lane `lane` made note `id`. */
struct notes {
    lane_mask of[slots][64];
};

lane_mask note(notes *n, int id, site where = site::current())
{
    const lane_mask set = subwave::wave_active(where);
    n->of[id][subwave::wave_lane()] = set;
    return set;
}

int me() { return subwave::wave_lane(); }

/* Each shape is a kernel, and a closed form: the key of a lane's note `id`, lanes with equal keys
 * being together, or `never`. */
constexpr int never = -1;

void if_else(notes *n)
{
    if (me() % 2 == 0)
        note(n, 0);
    else
        note(n, 1);
    note(n, 2);
}
int if_else_key(int id, int l) { return id == 2 || l % 2 == id ? 0 : never; }

void nested_if(notes *n)
{
    if (me() & 1) {
        if (me() & 2)
            note(n, 0);
        else
            note(n, 1);
        note(n, 2);
    }
    note(n, 3);
}
int nested_if_key(int id, int l)
{
    const bool in[] = {(l & 3) == 3, (l & 3) == 1, (l & 1) != 0, true};
    return id < 4 && in[id] ? 0 : never;
}

void unequal_trips(notes *n)
{
    SUBWAVE_LOOP for (int i = 0; i < me() % 5; ++i)
    {
        SUBWAVE_ITER;
        note(n, i);
    }
    note(n, 10);
}
int unequal_trips_key(int id, int l) { return id == 10 || id < l % 5 ? 0 : never; }

void with_continue(notes *n)
{
    SUBWAVE_LOOP for (int i = 0; i < 4; ++i)
    {
        SUBWAVE_ITER;
        if (i == me() % 4)
            continue;
        note(n, i);
    }
}
int with_continue_key(int id, int l) { return id < 4 && id != l % 4 ? 0 : never; }

void with_break(notes *n)
{
    SUBWAVE_LOOP for (int i = 0; i < 8; ++i)
    {
        SUBWAVE_ITER;
        if (i > me() % 5)
            break;
        note(n, i);
    }
    note(n, 10);
}
int with_break_key(int id, int l) { return id == 10 || id <= l % 5 ? 0 : never; }

void early_return(notes *n)
{
    if (me() % 3 == 0)
        return;
    note(n, 0);
    if (me() % 3 == 1)
        return;
    note(n, 1);
}
int early_return_key(int id, int l) { return id < 2 && l % 3 > id ? 0 : never; }

void fall_through(notes *n)
{
    switch (me() % 4) {
    case 0:
        note(n, 0);
        [[fallthrough]];
    case 1:
        note(n, 1);
        break;
    case 2:
        note(n, 2);
        [[fallthrough]];
    default:
        note(n, 3);
    }
}
int fall_through_key(int id, int l)
{
    const bool in[] = {l % 4 == 0, l % 4 <= 1, l % 4 == 2, l % 4 >= 2};
    return id < 4 && in[id] ? 0 : never;
}

void short_circuit(notes *n)
{
    if (((me() & 1) && note(n, 0)) || ((me() & 2) && note(n, 1)))
        note(n, 2);
    note(n, 3);
}
int short_circuit_key(int id, int l)
{
    const bool in[] = {(l & 1) != 0, (l & 3) == 2, (l & 3) != 0, true};
    return id < 4 && in[id] ? 0 : never;
}

void helper(notes *n, int id) { note(n, id); }

void helper_from_two_branches(notes *n)
{
    if (me() & 1)
        SUBWAVE_CALL(helper(n, 0));
    else
        SUBWAVE_CALL(helper(n, 0));
    SUBWAVE_CALL(helper(n, 1));
}
int helper_from_two_branches_key(int id, int l) { return id == 0 ? l & 1 : id == 1 ? 0 : never; }

void nested_loops(notes *n)
{
    SUBWAVE_LOOP for (int i = 0; i < me() % 3 + 1; ++i)
    {
        SUBWAVE_ITER;
        SUBWAVE_LOOP for (int j = 0; j < (me() + i) % 4; ++j)
        {
            SUBWAVE_ITER;
            note(n, i * 4 + j);
        }
        note(n, 20 + i);
    }
}
int nested_loops_key(int id, int l)
{
    if (id >= 20)
        return id < 23 && id - 20 < l % 3 + 1 ? 0 : never;
    return id < 12 && id / 4 < l % 3 + 1 && id % 4 < (l + id / 4) % 4 ? 0 : never;
}

/* The two tests of one condition tempt the optimiser to give each side its own copy of note 1. */
void jump_threading(notes *n)
{
    const bool odd = (me() & 1) != 0;
    if (odd)
        note(n, 0);
    note(n, 1);
    if (odd)
        note(n, 2);
    else
        note(n, 3);
}
int jump_threading_key(int id, int l)
{
    const bool in[] = {(l & 1) != 0, true, (l & 1) != 0, (l & 1) == 0};
    return id < 4 && in[id] ? 0 : never;
}

/* Equal calls tempt it to make one of two. */
void cross_jumping(notes *n)
{
    if (me() % 3 == 0)
        note(n, 0);
    else if (me() % 3 == 1)
        note(n, 0);
    else
        note(n, 0);
}
int cross_jumping_key(int id, int l) { return id == 0 ? l % 3 : never; }

void return_in_loop(notes *n)
{
    SUBWAVE_LOOP for (int i = 0; i < 4; ++i)
    {
        SUBWAVE_ITER;
        if (me() % 5 == i)
            return;
        note(n, i);
    }
    note(n, 10);
}
int return_in_loop_key(int id, int l)
{
    return (id < 4 && l % 5 > id) || (id == 10 && l % 5 == 4) ? 0 : never;
}

void do_while(notes *n)
{
    int i = 0;
    SUBWAVE_LOOP do
    {
        SUBWAVE_ITER;
        note(n, i);
    }
    while (++i < me() % 6)
        ;
    note(n, 10);
}
int do_while_key(int id, int l) { return id == 10 || id == 0 || id < l % 6 ? 0 : never; }

int looping_helper(notes *n, int id, int trips)
{
    SUBWAVE_LOOP for (int i = 0; i < trips; ++i)
    {
        SUBWAVE_ITER;
        if ((me() + i) & 1)
            note(n, id + i);
    }
    return trips;
}

void helper_with_loop_in_loop(notes *n)
{
    int sum = 0;
    SUBWAVE_LOOP for (int i = 0; i < 3; ++i)
    {
        SUBWAVE_ITER;
        sum += SUBWAVE_CALL(looping_helper(n, 4 * i, me() % 4));
    }
    if (sum > 3)
        note(n, 20);
}
int helper_with_loop_in_loop_key(int id, int l)
{
    if (id == 20)
        return l % 4 >= 2 ? 0 : never;
    return id < 12 && id % 4 < l % 4 && ((l + id % 4) & 1) ? 0 : never;
}

void conditional_operands(notes *n)
{
    const lane_mask a = me() & 1 ? note(n, 0) : note(n, 1);
    const lane_mask b = (me() & 2 ? note(n, 2) : 0) | note(n, 3);
    if (a == b)
        note(n, 4);
}
int conditional_operands_key(int id, int l)
{
    const bool in[] = {(l & 1) != 0, (l & 1) == 0, (l & 2) != 0, true};
    return id < 4 && in[id] ? 0 : never;
}

void switch_in_loop(notes *n)
{
    SUBWAVE_LOOP for (int i = 0; i < 3; ++i)
    {
        SUBWAVE_ITER;
        switch ((me() + i) % 3) {
        case 0:
            continue;
        case 1:
            note(n, i);
            break;
        default:
            note(n, 10 + i);
        }
        note(n, 20 + i);
    }
}
int switch_in_loop_key(int id, int l)
{
    const int i = id % 10, kind = id / 10;
    if (i >= 3 || kind > 2)
        return never;
    const int c = (l + i) % 3;
    return (kind == 2 ? c != 0 : c == kind + 1) ? 0 : never;
}

struct shape {
    const char *name;
    void (*kernel)(notes *);
    int (*key)(int id, int lane);
    bool needs_marks;
};

void check(void **state)
{
    const shape &s = *static_cast<const shape *>(*state);
    int reports = 0;
    for (const int w : test::waves)
        for (const std::uint64_t seed : {0u, 1u, 2u, 3u})
            for (const int lanes : {w, w - 1, w / 2 + 1}) {
                static notes got;
                got = {};
                const std::string report = test::run(test::stream(w, seed), 1,
                                                     static_cast<unsigned>(lanes), s.kernel, &got);
                if (!marked && !report.empty()) {
                    test::expect_report(report, {"mark the "});
                    ++reports;
                    continue;
                }
                test::expect_success(report);
                for (int id = 0; id < slots; ++id)
                    for (int l = 0; l < 64; ++l) {
                        lane_mask want = 0;
                        if (l < lanes && s.key(id, l) != never)
                            for (int k = 0; k < lanes; ++k)
                                if (s.key(id, k) == s.key(id, l))
                                    want |= lane_mask(1) << k;
                        if (got.of[id][l] != want)
                            fail_msg("%s, W=%d, seed %d, note %d, lane %d of %d: %llx, not %llx",
                                     s.name, w, static_cast<int>(seed), id, l, lanes,
                                     static_cast<unsigned long long>(got.of[id][l]),
                                     static_cast<unsigned long long>(want));
                    }
            }
    assert_true((reports != 0) == (!marked && s.needs_marks));
}

} // namespace

#define SHAPE(name, needs_marks) {#name, name, name##_key, needs_marks}
int main()
{
    static shape shapes[] = {
        SHAPE(if_else, false),
        SHAPE(nested_if, false),
        SHAPE(unequal_trips, true),
        SHAPE(with_continue, true),
        SHAPE(with_break, true),
        SHAPE(early_return, false),
        SHAPE(fall_through, false),
        SHAPE(short_circuit, false),
        SHAPE(helper_from_two_branches, true),
        SHAPE(nested_loops, true),
        SHAPE(jump_threading, false),
        SHAPE(cross_jumping, false),
        SHAPE(return_in_loop, true),
        SHAPE(do_while, true),
        SHAPE(helper_with_loop_in_loop, true),
        SHAPE(conditional_operands, false),
        SHAPE(switch_in_loop, true),
    };
    std::vector<CMUnitTest> tests;
    for (shape &s : shapes)
        tests.push_back({s.name, check, nullptr, nullptr, &s});
    return _cmocka_run_group_tests("cpu.divergence", tests.data(), tests.size(), nullptr, nullptr);
}
