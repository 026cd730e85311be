#ifndef MOLT_FAULTY_DISK_H
#define MOLT_FAULTY_DISK_H

#include <stdbool.h>

// On Linux, these functions replace the C library's for all code in the tests' process, including SQLite and
// Foundation: open, close, write, ftruncate, fsync, rename, link, unlink, mkdir and their relatives, and nanosleep. On
// other systems, nothing is counted, recorded or refused. Under a sanitizer, which needs most of them itself, calls are
// only counted.
//
// Only the long run waits for the device. In the ordinary run, Foundation waits ten milliseconds, and not 150, before
// it reads a damaged file of settings again.

/// Whether calls can be recorded and refused on this system.
bool molt_disk_is_faulty(void);

// Kills

/// Starts counting this thread's calls that change which data are on disk under which name: fsync, rename, link and
/// unlink.
///
/// Kills the process before the call with the given number; 0 never kills it.
void molt_kill_before_call(long number);

/// Returns the number of such calls of this thread.
long molt_disk_calls(void);

/// Counts as such a call, without any effect.
void molt_disk_call(void);

// Recording

/// A kind of operation on a disk.
enum molt_disk_kind {
    /// The first access to a file that existed before the watch; when refused, every opening of an existing file.
    molt_disk_found,
    molt_disk_create,
    molt_disk_write,
    molt_disk_truncate,
    molt_disk_sync,
    molt_disk_make_directory,
    molt_disk_rename,
    /// The file gets a second name.
    molt_disk_link,
    molt_disk_remove,
    molt_disk_remove_directory,
    molt_disk_sync_directory,
    /// No operation; a mark that the test has added.
    molt_disk_mark,
};

struct molt_disk_operation {
    enum molt_disk_kind kind;
    /// The identity of the file, independent of its name; 0 for a directory.
    int file;
    /// The path that is found, created, removed or synced; the old path of a rename or link; the text of a mark.
    const char *path;
    /// The new path of a rename or link.
    const char *new_path;
    /// The offset of a write, or the new length of a truncation.
    long offset;
    const unsigned char *bytes;
    long count;
};

/// Starts recording the operations of all threads on files below a directory whose paths contain a string.
///
/// Operations on the directory itself are recorded only for the calling thread. Files that end with "-shm" are ignored,
/// because they are memory. Only one watch can be active.
void molt_disk_watch(const char *directory, const char *text);

/// Ends the watch; the recording stays until the next one.
void molt_disk_unwatch(void);

void molt_disk_add_mark(const char *text);

/// Returns the number of recorded operations.
long molt_disk_operations(void);

/// Returns a recorded operation, by its index from 0.
const struct molt_disk_operation *molt_disk_operation_at(long place);

// Refusals

/// Makes calls on watched files fail: those with numbers from first to last, counted from 1 over the calls of the given
/// kinds.
///
/// - kinds: The sum of 1 << kind of each kind.
/// - is_short: Whether the first failing call, if it is a write, writes half of the bytes and returns that count
///   instead.
void molt_disk_refuse(unsigned kinds, long first, long last, int error_number, bool is_short);

/// Returns the number of counted calls, including failed ones.
long molt_disk_counted(void);

/// Returns the number of failed calls.
long molt_disk_refused(void);

#endif
