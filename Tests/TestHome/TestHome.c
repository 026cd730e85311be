// For nftw.
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE

#include "TestHome.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const home_variable = "MOLT_TEST_HOME";
static const char *const owner_variable = "MOLT_TEST_HOME_OWNER";

const char *molt_test_home(void) {
    return getenv(home_variable);
}

#if defined(__linux__)

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *info) {
    (void)status;
    (void)type;
    (void)info;
    return remove(path);
}

static void remove_home(void) {
    const char *home = getenv(home_variable);
    const char *owner = getenv(owner_variable);
    if (home && owner && atol(owner) == (long)getpid()) nftw(home, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

// Foundation reads XDG_CONFIG_HOME when it is loaded, before any of our code runs. The process therefore sets it and
// executes itself again, with the same process id. Child processes inherit the variable.
__attribute__((constructor)) static void enter_home(int count, char **arguments, char **environment) {
    (void)count;
    (void)environment;
    if (getenv(home_variable)) {
        atexit(remove_home);
        return;
    }
    // In memory if possible: every write is flushed, which takes ten times as long on a disk.
    const char *temporary = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");
    char home[4096];
    char owner[32];
    snprintf(home, sizeof home, "%s/molt-home-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(home)) {
        perror("mkdtemp");
        abort();
    }
    snprintf(owner, sizeof owner, "%ld", (long)getpid());
    setenv(home_variable, home, 1);
    setenv(owner_variable, owner, 1);
    setenv("XDG_CONFIG_HOME", home, 1);
    execv("/proc/self/exe", arguments);
    perror("execv");
    abort();
}

#endif
