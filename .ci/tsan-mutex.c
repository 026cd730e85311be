// Tells ThreadSanitizer of the part of Swift's Synchronization.Mutex that it cannot see on Linux.
//
// The fast path of a Mutex is compiled into the code that is checked. Where two threads meet, it calls into a library
// that was not built for the sanitizer, which then takes every such meeting for a race. This library is loaded before
// that one: it makes the same calls, and says what they order. Nothing is suppressed, so real races are still found.
// `.ci/sanitize thread` builds it; it is not part of the package.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// Of the sanitizer; absent in processes that were not built with it.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// _MutexHandle._lockSlow(_: UInt32) and _MutexHandle._unlockSlow().
SWIFT void lockSlow(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void unlockSlow(SELF void *handle) __asm__(UNLOCK);

SWIFT void lockSlow(uint32_t thread, SELF void *handle) {
    ((SWIFT void (*)(uint32_t, SELF void *))dlsym(RTLD_NEXT, LOCK))(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlockSlow(SELF void *handle) {
    if (__tsan_release) __tsan_release(handle);
    ((SWIFT void (*)(SELF void *))dlsym(RTLD_NEXT, UNLOCK))(handle);
}
