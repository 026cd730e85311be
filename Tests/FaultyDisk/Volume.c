#define _GNU_SOURCE

#include "FaultyDisk.h"

#include <stdio.h>
#include <sys/resource.h>

bool molt_limit_file_size(long bytes) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    limit.rlim_cur = bytes < 0 ? limit.rlim_max : (rlim_t)bytes;
    return setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

#if defined(__linux__)

#include <sched.h>
#include <sys/mount.h>

bool molt_mount_volume(const char *directory, long kilobytes) {
    static bool is_private = false;
    char options[64];
    snprintf(options, sizeof options, "size=%ldk", kilobytes);
    if (!is_private) {
        if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return false;
        is_private = true;
    }
    return mount("tmpfs", directory, "tmpfs", 0, options) == 0;
}

#else

bool molt_mount_volume(const char *directory, long kilobytes) {
    (void)directory;
    (void)kilobytes;
    return false;
}

#endif
