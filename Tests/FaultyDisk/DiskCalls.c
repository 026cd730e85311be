#define _GNU_SOURCE

#include "Recorder.h"

#include <signal.h>
#include <unistd.h>

static _Thread_local long calls = 0;
static _Thread_local long fatal = 0;

void molt_kill_before_call(long number) {
    calls = 0;
    fatal = number;
}

long molt_disk_calls(void) {
    return calls;
}

void molt_disk_call(void) {
    calls += 1;
    if (calls == fatal) kill(getpid(), SIGKILL);
}

bool molt_disk_is_faulty(void) {
    return MOLT_TAKES_CALLS;
}

#if defined(__linux__)

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>

// These functions replace the C library's for all code in the tests' process. They make system calls directly, because
// looking up the library's own functions may not work yet when they are first called.

static bool is_long;

__attribute__((constructor)) static void read_environment(void) {
    is_long = getenv("MOLT_LONG") != NULL;
}

int molt_sync_device(int descriptor) {
    if (is_long) return (int)syscall(SYS_fsync, descriptor);
    return fcntl(descriptor, F_GETFD) < 0 ? -1 : 0;
}

int fsync(int descriptor) {
    molt_disk_call();
    if (!molt_is_watching()) return molt_sync_device(descriptor);
    return molt_watched_sync(descriptor);
}

int fdatasync(int descriptor) {
    molt_disk_call();
    if (!molt_is_watching()) return molt_sync_device(descriptor);
    return molt_watched_sync(descriptor);
}

int rename(const char *path, const char *new_path) {
    molt_disk_call();
    return molt_watched_move(molt_disk_rename, path, new_path);
}

int link(const char *path, const char *new_path) {
    molt_disk_call();
    return molt_watched_move(molt_disk_link, path, new_path);
}

int unlink(const char *path) {
    molt_disk_call();
    return molt_watched_remove(AT_FDCWD, path, 0);
}

#endif

#if MOLT_TAKES_CALLS

// A sanitizer needs the following functions itself.

int nanosleep(const struct timespec *time, struct timespec *rest) {
    // Foundation tries six times to read a damaged file of settings, each time that it synchronizes any suite of the
    // process, and waits in between.
    static const struct timespec pause = {.tv_nsec = 150000000}, short_pause = {.tv_nsec = 10000000};
    if (!is_long && time->tv_sec == pause.tv_sec && time->tv_nsec == pause.tv_nsec) time = &short_pause;
    return (int)syscall(SYS_nanosleep, time, rest);
}

static mode_t mode_argument(int flags, va_list arguments) {
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

#define MOLT_MODE(last)                                                                                               \
    va_list arguments;                                                                                                \
    va_start(arguments, last);                                                                                        \
    mode_t mode = mode_argument(flags, arguments);                                                                    \
    va_end(arguments)

int open(const char *path, int flags, ...) {
    MOLT_MODE(flags);
    return molt_watched_open(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MOLT_MODE(flags);
    return molt_watched_open(AT_FDCWD, path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...) {
    MOLT_MODE(flags);
    return molt_watched_open(directory, path, flags, mode);
}

int openat64(int directory, const char *path, int flags, ...) {
    MOLT_MODE(flags);
    return molt_watched_open(directory, path, flags, mode);
}

int creat(const char *path, mode_t mode) {
    return molt_watched_open(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int close(int descriptor) {
    molt_watched_close(descriptor);
    return (int)syscall(SYS_close, descriptor);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    return molt_watched_write(descriptor, bytes, count, -1);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return molt_watched_write(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return molt_watched_write(descriptor, bytes, count, offset);
}

int ftruncate(int descriptor, off_t length) {
    return molt_watched_truncate(descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) {
    return molt_watched_truncate(descriptor, length);
}

int unlinkat(int directory, const char *path, int flags) {
    return molt_watched_remove(directory, path, flags);
}

int rmdir(const char *path) {
    return molt_watched_remove(AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdir(const char *path, mode_t mode) {
    return molt_watched_make_directory(path, mode);
}

#endif
