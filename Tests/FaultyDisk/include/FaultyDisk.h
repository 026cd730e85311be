#ifndef MOLT_FAULTY_DISK_H
#define MOLT_FAULTY_DISK_H

#include <stdbool.h>

// On Linux these calls of the C library are ours in the tests' process, for all code in it, SQLite and Foundation
// included: open, close, write, ftruncate, fsync, rename, link, unlink, mkdir and their relatives. Elsewhere nothing is
// counted, recorded or refused; under a sanitizer, which needs most of them itself, calls are only counted.

/// Whether calls can be recorded and refused here.
bool molt_disk_is_faulty(void);

// Kills

/// Counts the calls of this thread that change what is on disk under which name: fsync, rename, link and unlink.
///
/// Counting begins anew. Before the call of the number given the process is killed; 0 for never.
void molt_kill_before_call(long number);

/// How many such calls this thread has made.
long molt_disk_calls(void);

/// Counts as such a call, and does nothing.
void molt_disk_call(void);

// Recording

/// What is done to a disk.
enum molt_disk_kind {
    /// A file that was there before is first seen.
    molt_disk_found,
    molt_disk_create,
    molt_disk_write,
    molt_disk_truncate,
    molt_disk_sync,
    molt_disk_make_directory,
    molt_disk_rename,
    /// A file gets a second name.
    molt_disk_link,
    molt_disk_remove,
    molt_disk_remove_directory,
    molt_disk_sync_directory,
    /// Nothing is done; the test has come somewhere.
    molt_disk_mark,
};

struct molt_disk_operation {
    enum molt_disk_kind kind;
    /// Which file it is, whatever its name; 0 for a directory.
    int file;
    /// The path at which something is found, made, removed or synced; the old one of what is renamed or linked; a mark's
    /// text.
    const char *path;
    /// The new path of what is renamed or linked.
    const char *new_path;
    /// Where is written, or the length to which is cut.
    long offset;
    const unsigned char *bytes;
    long count;
};

/// Follows what any thread does to files below a directory whose paths have a text in them.
///
/// The directory itself belongs to them for the thread that calls this; files that end with "-shm" do not: they are
/// memory. One at a time.
void molt_disk_watch(const char *directory, const char *text);

/// Ends it; what was recorded stays until the next time.
void molt_disk_unwatch(void);

/// Records that the test has come somewhere.
void molt_disk_add_mark(const char *text);

/// How much was recorded.
long molt_disk_operations(void);

/// What was recorded, by its place from 0.
const struct molt_disk_operation *molt_disk_operation_at(long place);

// Refusals

/// Has calls fail on what is watched: counted from 1 among those whose kinds are in the set, from the first to the
/// last number.
///
/// - kinds: 1 << kind for each of them.
/// - is_short: A write that is the first to fail is done by half instead, and says so.
void molt_disk_refuse(unsigned kinds, long first, long last, int error_number, bool is_short);

/// How many calls of the kinds were counted, those that failed included.
long molt_disk_counted(void);

/// How many calls have failed.
long molt_disk_refused(void);

#endif
