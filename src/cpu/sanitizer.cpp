/* SPDX-License-Identifier: MIT
 * sanitizer.cpp: tells a sanitizer, if one is linked into the program, about lanes. */
#include "engine.hpp"

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif

/* Weak: the library itself is never instrumented, and one build of it serves all. */
extern "C" {
__attribute__((weak)) void __sanitizer_start_switch_fiber(void **, const void *, std::size_t);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void *, const void **, std::size_t *);
__attribute__((weak)) void __asan_poison_memory_region(const volatile void *, std::size_t);
__attribute__((weak)) void __asan_unpoison_memory_region(const volatile void *, std::size_t);
__attribute__((weak)) void *__tsan_get_current_fiber();
__attribute__((weak)) void *__tsan_create_fiber(unsigned);
__attribute__((weak)) void __tsan_destroy_fiber(void *);
__attribute__((weak)) void __tsan_switch_to_fiber(void *, unsigned);
__attribute__((weak)) void __tsan_acquire(void *);
__attribute__((weak)) void __tsan_release(void *);
}

namespace subwave::simt {

namespace sanitizer {

bool address() { return __asan_poison_memory_region != nullptr; }
bool thread() { return __tsan_create_fiber != nullptr; }

void poison(const void *from, std::size_t bytes)
{
    if (address())
        __asan_poison_memory_region(from, bytes);
}

void unpoison(const void *from, std::size_t bytes)
{
    if (address())
        __asan_unpoison_memory_region(from, bytes);
}

void prepare_lane(lane_details &details)
{
    if (thread() && details.fiber == nullptr)
        details.fiber = __tsan_create_fiber(0);
}

void forget_lane(lane_details &details, std::size_t stack_bytes)
{
    unpoison(details.stack, stack_bytes);
    if (thread() && details.fiber != nullptr) {
        /* orders what the lane did before what comes next */
        void *const self = __tsan_get_current_fiber();
        __tsan_switch_to_fiber(details.fiber, 0);
        __tsan_switch_to_fiber(self, 0);
        __tsan_destroy_fiber(details.fiber);
        details.fiber = nullptr;
    }
}

void register_stack([[maybe_unused]] const void *low, [[maybe_unused]] std::size_t bytes)
{
#if defined(VALGRIND_STACK_REGISTER)
    static_cast<void>(VALGRIND_STACK_REGISTER(low, static_cast<const char *>(low) + bytes));
#endif
}

namespace {

lane_details &details_in(engine &e, lane &which)
{
    return which.home == nullptr ? e.worker : e.details[&which - e.lanes];
}

void announce(engine &e, lane &self, lane &next, bool last)
{
    if (!e.announced)
        return;
    lane_details &to = details_in(e, next);
    if (address())
        __sanitizer_start_switch_fiber(last ? nullptr : &details_in(e, self).fake_stack, to.stack,
                                       next.home == nullptr ? e.main_stack_bytes : e.stack_bytes);
    if (thread()) {
        if (self.home == nullptr)
            e.worker.fiber = __tsan_get_current_fiber();
        /* no_sync: switching from lane to lane orders nothing between them */
        __tsan_switch_to_fiber(to.fiber, 1);
    }
}

} // namespace

void enter_fiber(lane &, engine &e)
{
    if (!e.announced || !address())
        return;
    const void *from = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(nullptr, &from, &bytes);
    if (e.entering) {
        e.worker.stack = const_cast<void *>(from);
        e.main_stack_bytes = bytes;
    }
    e.entering = false;
}

void leave_fiber(lane &self, lane &next)
{
    engine &e = engine_of(self);
    current = &next;
    announce(e, self, next, true);
    switch_context(self.saved, next.saved);
    __builtin_unreachable();
}

} // namespace sanitizer

void annotated::resume(lane &self, lane &next)
{
    if (&next == &self)
        return;
    engine &e = engine_of(self.home != nullptr ? self : next);
    current = &next;
    sanitizer::announce(e, self, next, false);
    switch_context(self.saved, next.saved);
    if (e.announced && sanitizer::address())
        __sanitizer_finish_switch_fiber(sanitizer::details_in(e, self).fake_stack, nullptr,
                                        nullptr);
}

void annotated::acquire(const void *address)
{
    if (__tsan_acquire != nullptr)
        __tsan_acquire(const_cast<void *>(address));
}

void annotated::release(const void *address)
{
    if (__tsan_release != nullptr)
        __tsan_release(const_cast<void *>(address));
}

} // namespace subwave::simt
