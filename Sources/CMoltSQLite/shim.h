#ifndef CMOLTSQLITE_SHIM_H
#define CMOLTSQLITE_SHIM_H

#if !__has_include(<sqlite3.h>)
#error "Molt needs the headers of SQLite. Install libsqlite3-dev (Debian, Ubuntu), sqlite-devel (Fedora, Amazon Linux) or Xcode."
#else

#include <sqlite3.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

// sqlite3_db_config takes a varying number of arguments, which Swift cannot call.
static inline int molt_sqlite3_db_config(sqlite3 *database, int option, int value) {
    int now = 0;
    return sqlite3_db_config(database, option, value, &now);
}

// A Boolean that threads read and write without a lock. Swift's own atomics need iOS 18.
static inline int molt_flag_load(const int *flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }
static inline void molt_flag_store(int *flag, int value) { __atomic_store_n(flag, value, __ATOMIC_RELEASE); }
static inline int molt_flag_exchange(int *flag, int value) { return __atomic_exchange_n(flag, value, __ATOMIC_ACQ_REL); }

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
#endif
#endif
