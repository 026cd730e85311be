#define _GNU_SOURCE

#include "Recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// One mutex for everything, so that operations are recorded in the order in which they happened.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_watching = false;

/// Whether this thread started the watch.
static _Thread_local bool is_watcher = false;

static char root[4096];
static size_t root_length = 0;
static char filter[256];

static struct molt_disk_operation *operations = NULL;
static long count = 0;
static long capacity = 0;

static unsigned refused_kinds = 0;
static long refused_first = 0;
static long refused_last = 0;
static int refused_error = 0;
static bool refused_is_short = false;
static long counted = 0;
static long refused = 0;

bool molt_is_watching(void) {
    return atomic_load_explicit(&is_watching, memory_order_relaxed);
}

long molt_disk_operations(void) {
    return count;
}

const struct molt_disk_operation *molt_disk_operation_at(long place) {
    return place >= 0 && place < count ? &operations[place] : NULL;
}

long molt_disk_counted(void) {
    return counted;
}

long molt_disk_refused(void) {
    return refused;
}

void molt_disk_refuse(unsigned kinds, long first, long last, int error_number, bool is_short) {
    pthread_mutex_lock(&mutex);
    refused_kinds = kinds;
    refused_first = first;
    refused_last = last;
    refused_error = error_number;
    refused_is_short = is_short;
    counted = 0;
    refused = 0;
    pthread_mutex_unlock(&mutex);
}

#if defined(__linux__)

#include <sys/syscall.h>

enum { descriptor_limit = 65536, file_limit = 65536 };

/// The meaning of each file descriptor: a file's number, -1 for a directory, or 0 when it is not watched.
static int watched[descriptor_limit];
static char *directories[descriptor_limit];

/// The device and inode number of each file; the file system may reuse a number, so the last file counts.
static struct {
    dev_t device;
    ino_t number;
} files[file_limit];
static int file_count = 0;

static struct molt_disk_operation *add(enum molt_disk_kind kind, int file, const char *path) {
    if (count == capacity) {
        capacity = capacity ? capacity * 2 : 1024;
        operations = realloc(operations, (size_t)capacity * sizeof *operations);
        if (!operations) abort();
    }
    struct molt_disk_operation *operation = &operations[count++];
    memset(operation, 0, sizeof *operation);
    operation->kind = kind;
    operation->file = file;
    operation->path = path ? strdup(path) : NULL;
    return operation;
}

void molt_disk_watch(const char *directory, const char *text) {
    if (!MOLT_TAKES_CALLS) return;
    pthread_mutex_lock(&mutex);
    for (long place = 0; place < count; place++) {
        free((void *)operations[place].path);
        free((void *)operations[place].new_path);
        free((void *)operations[place].bytes);
    }
    count = 0;
    file_count = 0;
    refused_kinds = 0;
    memset(watched, 0, sizeof watched);
    snprintf(root, sizeof root, "%s", directory);
    root_length = strlen(root);
    while (root_length > 1 && root[root_length - 1] == '/') root[--root_length] = 0;
    snprintf(filter, sizeof filter, "%s", text);
    is_watcher = true;
    atomic_store(&is_watching, true);
    pthread_mutex_unlock(&mutex);
}

void molt_disk_unwatch(void) {
    pthread_mutex_lock(&mutex);
    is_watcher = false;
    atomic_store(&is_watching, false);
    refused_kinds = 0;
    pthread_mutex_unlock(&mutex);
}

void molt_disk_add_mark(const char *text) {
    pthread_mutex_lock(&mutex);
    add(molt_disk_mark, 0, text);
    pthread_mutex_unlock(&mutex);
}

/// Makes a path absolute; false when it is not watched.
static bool find(int directory, const char *path, char found[4096]) {
    if (!molt_is_watching()) return false;
    if (path[0] == '/') {
        snprintf(found, 4096, "%s", path);
    } else {
        char link[64];
        char base[2048];
        snprintf(link, sizeof link, directory == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", directory);
        ssize_t length = readlink(link, base, sizeof base - 1);
        if (length < 0) return false;
        base[length] = 0;
        snprintf(found, 4096, "%s/%.2000s", base, path);
    }
    size_t length = strlen(found);
    while (length > 1 && found[length - 1] == '/') found[--length] = 0;
    if (strncmp(found, root, root_length) != 0) return false;
    // Other tests also have files in the directory, and sync it at any time.
    if (found[root_length] == 0) return is_watcher;
    if (found[root_length] != '/' || !strstr(found + root_length, filter)) return false;
    return length < 4 || strcmp(found + length - 4, "-shm") != 0;
}

/// Whether a call must fail; sets errno if so.
static bool is_refused(enum molt_disk_kind kind, bool *is_short) {
    if (is_short) *is_short = false;
    if (!(refused_kinds & 1u << kind)) return false;
    counted += 1;
    if (counted < refused_first || counted > refused_last) return false;
    refused += 1;
    if (is_short && refused_is_short && counted == refused_first) {
        *is_short = true;
        return false;
    }
    errno = refused_error;
    return true;
}

static int new_file(const struct stat *status) {
    if (file_count + 1 >= file_limit) abort();
    file_count += 1;
    files[file_count].device = status->st_dev;
    files[file_count].number = status->st_ino;
    return file_count;
}

/// Returns the file's number, and assigns one on first access.
static int known_file(const struct stat *status, const char *path) {
    for (int file = file_count; file > 0; file--) {
        if (files[file].number == status->st_ino && files[file].device == status->st_dev) return file;
    }
    int file = new_file(status);
    add(molt_disk_found, file, path);
    return file;
}

int molt_watched_open(int directory, const char *path, int flags, mode_t mode) {
    char found[4096];
    if (!find(directory, path, found)) return (int)syscall(SYS_openat, directory, path, flags, mode);
    pthread_mutex_lock(&mutex);
    struct stat before;
    bool exists = stat(found, &before) == 0;
    bool is_cut = exists && S_ISREG(before.st_mode) && (flags & O_TRUNC) && before.st_size > 0;
    int descriptor = -1;
    if (exists && is_refused(molt_disk_found, NULL)) goto end;
    if (!exists && (flags & O_CREAT) && is_refused(molt_disk_create, NULL)) goto end;
    if (is_cut && is_refused(molt_disk_truncate, NULL)) goto end;
    descriptor = (int)syscall(SYS_openat, directory, path, flags, mode);
    struct stat status;
    if (descriptor < 0 || descriptor >= descriptor_limit || fstat(descriptor, &status) != 0) goto end;
    if (S_ISDIR(status.st_mode)) {
        watched[descriptor] = -1;
        free(directories[descriptor]);
        directories[descriptor] = strdup(found);
    } else if (S_ISREG(status.st_mode)) {
        if (exists) {
            watched[descriptor] = known_file(&status, found);
            if (is_cut) add(molt_disk_truncate, watched[descriptor], NULL);
        } else {
            watched[descriptor] = new_file(&status);
            add(molt_disk_create, watched[descriptor], found);
        }
    }
end:
    pthread_mutex_unlock(&mutex);
    return descriptor;
}

void molt_watched_close(int descriptor) {
    if (!molt_is_watching() || descriptor < 0 || descriptor >= descriptor_limit) return;
    pthread_mutex_lock(&mutex);
    watched[descriptor] = 0;
    pthread_mutex_unlock(&mutex);
}

static int watched_file(int descriptor) {
    return molt_is_watching() && descriptor >= 0 && descriptor < descriptor_limit ? watched[descriptor] : 0;
}

static ssize_t plain_write(int descriptor, const void *bytes, size_t length, off_t offset) {
    if (offset < 0) return syscall(SYS_write, descriptor, bytes, length);
    return syscall(SYS_pwrite64, descriptor, bytes, length, offset);
}

ssize_t molt_watched_write(int descriptor, const void *bytes, size_t length, off_t offset) {
    if (watched_file(descriptor) <= 0) return plain_write(descriptor, bytes, length, offset);
    pthread_mutex_lock(&mutex);
    ssize_t written = -1;
    bool is_short;
    if (is_refused(molt_disk_write, &is_short)) goto end;
    if (is_short && length > 1) length /= 2;
    off_t place = offset;
    if (place < 0) {
        struct stat status;
        bool is_at_end = (fcntl(descriptor, F_GETFL) & O_APPEND) != 0;
        place = is_at_end && fstat(descriptor, &status) == 0 ? status.st_size : lseek(descriptor, 0, SEEK_CUR);
    }
    written = plain_write(descriptor, bytes, length, offset);
    if (written > 0) {
        struct molt_disk_operation *operation = add(molt_disk_write, watched[descriptor], NULL);
        unsigned char *copy = malloc((size_t)written);
        if (!copy) abort();
        memcpy(copy, bytes, (size_t)written);
        operation->bytes = copy;
        operation->count = written;
        operation->offset = place;
    }
end:
    pthread_mutex_unlock(&mutex);
    return written;
}

int molt_watched_truncate(int descriptor, off_t length) {
    if (watched_file(descriptor) <= 0) return (int)syscall(SYS_ftruncate, descriptor, length);
    pthread_mutex_lock(&mutex);
    int result = -1;
    if (!is_refused(molt_disk_truncate, NULL)) {
        result = (int)syscall(SYS_ftruncate, descriptor, length);
        if (result == 0) add(molt_disk_truncate, watched[descriptor], NULL)->offset = length;
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

int molt_watched_sync(int descriptor) {
    int file = watched_file(descriptor);
    if (file == 0) return molt_sync_device(descriptor);
    pthread_mutex_lock(&mutex);
    enum molt_disk_kind kind = file > 0 ? molt_disk_sync : molt_disk_sync_directory;
    int result = -1;
    if (!is_refused(kind, NULL)) {
        result = molt_sync_device(descriptor);
        if (result == 0) add(kind, file > 0 ? file : 0, file > 0 ? NULL : directories[descriptor]);
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

static int move(enum molt_disk_kind kind, const char *path, const char *new_path) {
    if (kind == molt_disk_link) return (int)syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, new_path, 0);
    return (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, new_path, 0);
}

int molt_watched_move(enum molt_disk_kind kind, const char *path, const char *new_path) {
    char from[4096];
    char to[4096];
    if (!find(AT_FDCWD, path, from) || !find(AT_FDCWD, new_path, to)) return move(kind, path, new_path);
    pthread_mutex_lock(&mutex);
    int result = -1;
    if (!is_refused(kind, NULL)) {
        struct stat status;
        if (stat(from, &status) == 0 && S_ISREG(status.st_mode)) known_file(&status, from);
        result = move(kind, path, new_path);
        if (result == 0) {
            struct molt_disk_operation *operation = add(kind, 0, from);
            operation->new_path = strdup(to);
        }
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

int molt_watched_remove(int directory, const char *path, int flags) {
    char found[4096];
    if (!find(directory, path, found)) return (int)syscall(SYS_unlinkat, directory, path, flags);
    pthread_mutex_lock(&mutex);
    enum molt_disk_kind kind = flags & AT_REMOVEDIR ? molt_disk_remove_directory : molt_disk_remove;
    int result = -1;
    struct stat status;
    // Removing a missing file is not counted, because it changes nothing.
    if (lstat(found, &status) != 0 || !is_refused(kind, NULL)) {
        result = (int)syscall(SYS_unlinkat, directory, path, flags);
        if (result == 0) add(kind, 0, found);
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

int molt_watched_make_directory(const char *path, mode_t mode) {
    char found[4096];
    if (!find(AT_FDCWD, path, found)) return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
    pthread_mutex_lock(&mutex);
    int result = -1;
    struct stat status;
    if (stat(found, &status) == 0 || !is_refused(molt_disk_make_directory, NULL)) {
        result = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
        if (result == 0) add(molt_disk_make_directory, 0, found);
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

#else

void molt_disk_watch(const char *directory, const char *text) {
    (void)directory;
    (void)text;
}

void molt_disk_unwatch(void) {}

void molt_disk_add_mark(const char *text) {
    (void)text;
}

#endif
