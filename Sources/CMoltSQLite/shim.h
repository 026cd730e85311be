#ifndef CMOLTSQLITE_SHIM_H
#define CMOLTSQLITE_SHIM_H

#if !__has_include(<sqlite3.h>)
#error "Molt needs the headers of SQLite. Install libsqlite3-dev (Debian, Ubuntu), sqlite-devel (Fedora, Amazon Linux) or Xcode."
#else

#include <sqlite3.h>
#if defined(__linux__)
#include <errno.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#endif

// sqlite3_db_config takes a varying number of arguments, which Swift cannot call.
static inline int molt_sqlite3_db_config(sqlite3 *database, int option, int value) {
    int now = 0;
    return sqlite3_db_config(database, option, value, &now);
}

// A number that threads read and write without a lock. Swift's own atomics need iOS 18.
static inline int molt_atomic_load(const int *number) { return __atomic_load_n(number, __ATOMIC_ACQUIRE); }
static inline void molt_atomic_store(int *number, int value) { __atomic_store_n(number, value, __ATOMIC_RELEASE); }
static inline int molt_atomic_exchange(int *number, int value) {
    return __atomic_exchange_n(number, value, __ATOMIC_ACQ_REL);
}

// Has the system begin to write a part of a file to the disk, and seldom waits; Linux only, and a hint only. The
// headers hide `sync_file_range` from Swift. On other processors its arguments come in another order.
static inline void molt_begin_writing(int descriptor, long long offset, long long count) {
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
    const unsigned int begin = 2; // SYNC_FILE_RANGE_WRITE
    syscall(SYS_sync_file_range, descriptor, offset, count, begin);
#else
    (void)descriptor, (void)offset, (void)count;
#endif
}

// The system's queue of files that were moved or removed, for `PathWatch`; only Linux has one that needs no descriptor
// for each file, and whose closing releases no lock.
#if defined(__linux__)
// A descriptor of a new queue; -1 if there can be none.
static inline int molt_watch_open(void) { return inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }

// Watches a path that is no symbolic link, and returns the watch's number; -1 if it cannot be watched. On all other
// file systems, another computer may move files without notice.
static inline int molt_watch_add(int queue, const char *path, int is_file) {
    struct statfs status;
    if (statfs(path, &status) != 0) return -1;
    switch ((unsigned int)status.f_type) {
    case 0xEF53:     // ext2, ext3, ext4
    case 0x58465342: // XFS
    case 0x9123683E: // Btrfs
    case 0xF2F52010: // F2FS
    case 0x01021994: // tmpfs
    case 0x794C7630: // overlayfs
        break;
    default:
        return -1;
    }
    // An open file whose last name is removed is not deleted yet, but the number of its names is an attribute.
    unsigned int events = IN_MOVE_SELF | IN_DELETE_SELF | (is_file ? IN_ATTRIB : IN_ONLYDIR);
    return inotify_add_watch(queue, path, events | IN_DONT_FOLLOW);
}

static inline void molt_watch_remove(int queue, int watch) { inotify_rm_watch(queue, watch); }

static inline int molt_watch_has_events(int queue) {
    int bytes = 0;
    return ioctl(queue, FIONREAD, &bytes) != 0 || bytes != 0;
}

// Empties the queue, and returns whether a watched path may have changed. The end of a watch, which alone is no change,
// is an event, too.
static inline int molt_watch_take_events(int queue) {
    _Alignas(struct inotify_event) char events[4096];
    int has_change = 0;
    for (;;) {
        long count = read(queue, events, sizeof events);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return has_change || errno != EAGAIN;
        for (long offset = 0; offset < count;) {
            const struct inotify_event *event = (const struct inotify_event *)(events + offset);
            if (event->mask != IN_IGNORED) has_change = 1;
            offset += (long)sizeof *event + event->len;
        }
    }
}
#else
static inline int molt_watch_open(void) { return -1; }
static inline int molt_watch_add(int queue, const char *path, int is_file) {
    (void)queue, (void)path, (void)is_file;
    return -1;
}
static inline void molt_watch_remove(int queue, int watch) { (void)queue, (void)watch; }
static inline int molt_watch_has_events(int queue) { return (void)queue, 1; }
static inline int molt_watch_take_events(int queue) { return (void)queue, 1; }
#endif
#endif
#endif
