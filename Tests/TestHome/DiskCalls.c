#define _GNU_SOURCE

#include "TestHome.h"

#include <fcntl.h>
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

#if defined(__linux__)

#include <sys/syscall.h>

// These take the place of the C library's functions in the tests' process, for all code in it.

int fsync(int descriptor) {
    molt_disk_call();
    return (int)syscall(SYS_fsync, descriptor);
}

int rename(const char *path, const char *new_path) {
    molt_disk_call();
    return (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, new_path, 0);
}

int unlink(const char *path) {
    molt_disk_call();
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

#endif
