// Makes the system's SQLite on Linux behave as the one in Apple's systems does, where that differs.
//
// `.ci/apple-sqlite` builds this library and loads it before SQLite. APPLE_SQLITE names the traits, separated by
// commas:
//
// - defaults: the log stays beside the file after the last connection is closed (SQLITE_FCNTL_PERSIST_WAL), and is then
//   cut to 32 KiB (journal_size_limit); triggers recurse (recursive_triggers).
// - vnode: the file is watched. Once it has been linked, renamed or removed, each call on an open connection fails with
//   SQLITE_IOERR_VNODE.
// - autoreset: a statement that has ended must be reset before its next step (SQLITE_OMIT_AUTORESET).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Declares `next`, the function of the same name that this one stands in front of.
#define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static bool has(const char *trait) {
    const char *traits = getenv("APPLE_SQLITE");
    return traits && strstr(traits, trait);
}

// An open connection to a file, or a statement that has ended, found by its address.
struct note {
    const void *address;
    struct note *next;
    char *path;        // of a connection
    struct stat file;  // as it was when the connection was opened
    bool isInvalid;    // the file was linked, renamed or removed
};

enum { bucketCount = 1 << 14 };
static struct note *buckets[bucketCount];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct note **find(const void *address) {
    struct note **note = &buckets[((size_t)address >> 4) % bucketCount];
    while (*note && (*note)->address != address) note = &(*note)->next;
    return note;
}

static void forget(const void *address) {
    pthread_mutex_lock(&mutex);
    struct note **place = find(address), *note = *place;
    if (note) {
        *place = note->next;
        free(note->path);
        free(note);
    }
    pthread_mutex_unlock(&mutex);
}

static void add(struct note new) {
    pthread_mutex_lock(&mutex);
    struct note **place = find(new.address);
    *place = malloc(sizeof new);
    **place = new;
    pthread_mutex_unlock(&mutex);
}

// Whether the connection's file was linked, renamed or removed, now or at an earlier call.
static bool isInvalid(sqlite3 *connection) {
    if (!connection || !has("vnode")) return false;
    pthread_mutex_lock(&mutex);
    struct note *note = *find(connection);
    struct stat now;
    if (note && !note->isInvalid)
        note->isInvalid = stat(note->path, &now) != 0 || now.st_dev != note->file.st_dev
            || now.st_ino != note->file.st_ino || now.st_nlink != note->file.st_nlink;
    bool answer = note && note->isInvalid;
    pthread_mutex_unlock(&mutex);
    return answer;
}

// The connection whose last call failed here, and not in SQLite.
static _Thread_local sqlite3 *failed;

int sqlite3_open_v2(const char *path, sqlite3 **connection, int flags, const char *system) {
    NEXT(sqlite3_open_v2);
    int code = next(path, connection, flags, system);
    if (code != SQLITE_OK) return code;
    if (has("defaults")) {
        int on = 1;
        sqlite3_file_control(*connection, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
        sqlite3_exec(
            *connection, "PRAGMA journal_size_limit = 32768; PRAGMA recursive_triggers = ON", NULL, NULL, NULL);
    }
    // Another connection may have had this address.
    forget(*connection);
    struct note note = {.address = *connection};
    const char *file = sqlite3_db_filename(*connection, "main");
    if (file && *file && stat(file, &note.file) == 0) {
        note.path = strdup(file);
        add(note);
    }
    return code;
}

int sqlite3_close_v2(sqlite3 *connection) {
    NEXT(sqlite3_close_v2);
    forget(connection);
    return next(connection);
}

int sqlite3_exec(sqlite3 *connection, const char *sql, int (*row)(void *, int, char **, char **), void *data, char **text) {
    NEXT(sqlite3_exec);
    failed = isInvalid(connection) ? connection : NULL;
    return failed ? SQLITE_IOERR : next(connection, sql, row, data, text);
}

// Another statement may have had the address of a new one: SQLite's own are finalized without a call from here.
int sqlite3_prepare_v2(sqlite3 *connection, const char *sql, int size, sqlite3_stmt **statement, const char **rest) {
    NEXT(sqlite3_prepare_v2);
    int code = next(connection, sql, size, statement, rest);
    forget(*statement);
    return code;
}

int sqlite3_prepare_v3(
    sqlite3 *connection, const char *sql, int size, unsigned flags, sqlite3_stmt **statement, const char **rest) {
    NEXT(sqlite3_prepare_v3);
    int code = next(connection, sql, size, flags, statement, rest);
    forget(*statement);
    return code;
}

int sqlite3_step(sqlite3_stmt *statement) {
    NEXT(sqlite3_step);
    sqlite3 *connection = sqlite3_db_handle(statement);
    failed = isInvalid(connection) ? connection : NULL;
    if (failed) return SQLITE_IOERR;
    if (!has("autoreset")) return next(statement);
    pthread_mutex_lock(&mutex);
    bool hasEnded = *find(statement) != NULL;
    pthread_mutex_unlock(&mutex);
    if (hasEnded) {
        fprintf(stderr, "apple-sqlite: stepped again without a reset: %s\n", sqlite3_sql(statement));
        return SQLITE_MISUSE;
    }
    int code = next(statement);
    if (code != SQLITE_ROW && code != SQLITE_BUSY && code != SQLITE_LOCKED) add((struct note){.address = statement});
    return code;
}

int sqlite3_reset(sqlite3_stmt *statement) {
    NEXT(sqlite3_reset);
    forget(statement);
    return next(statement);
}

int sqlite3_finalize(sqlite3_stmt *statement) {
    NEXT(sqlite3_finalize);
    forget(statement);
    return next(statement);
}

int sqlite3_extended_errcode(sqlite3 *connection) {
    NEXT(sqlite3_extended_errcode);
    return connection && connection == failed ? SQLITE_IOERR_VNODE : next(connection);
}

const char *sqlite3_errmsg(sqlite3 *connection) {
    NEXT(sqlite3_errmsg);
    return connection && connection == failed ? "disk I/O error" : next(connection);
}
