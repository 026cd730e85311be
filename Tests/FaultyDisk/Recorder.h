#ifndef MOLT_RECORDER_H
#define MOLT_RECORDER_H

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define MOLT_IS_SANITIZED 1
#endif
#endif

#if defined(__linux__) && !defined(MOLT_IS_SANITIZED)
#define MOLT_TAKES_CALLS 1
#else
#define MOLT_TAKES_CALLS 0
#endif

#include "FaultyDisk.h"

#include <stdbool.h>
#include <sys/types.h>

/// Whether a watch is active; reads a single flag.
bool molt_is_watching(void);

/// Synchronizes a file with its device, in the long run only.
///
/// Waiting for the device proves little: a kill loses nothing that was written, and a loss of power is simulated. Only
/// the long run can kill a process while it waits.
int molt_sync_device(int descriptor);

// These make the system call, and record or refuse it if the file is watched.

int molt_watched_open(int directory, const char *path, int flags, mode_t mode);
void molt_watched_close(int descriptor);
/// - offset: -1 for the descriptor's current position.
ssize_t molt_watched_write(int descriptor, const void *bytes, size_t count, off_t offset);
int molt_watched_truncate(int descriptor, off_t length);
int molt_watched_sync(int descriptor);
int molt_watched_move(enum molt_disk_kind kind, const char *path, const char *new_path);
int molt_watched_remove(int directory, const char *path, int flags);
int molt_watched_make_directory(const char *path, mode_t mode);

#endif
