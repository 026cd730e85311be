#ifndef MOLT_TEST_HOME_H
#define MOLT_TEST_HOME_H

/// The directory in which the suites of this process are; NULL where the system keeps them elsewhere.
const char *molt_test_home(void);

/// Counts the calls of this thread that change what is on disk under which name: fsync, rename and unlink.
///
/// Counting begins anew. Before the call of the number given the process is killed; 0 for never.
void molt_kill_before_call(long number);

/// How many such calls this thread has made.
long molt_disk_calls(void);

/// Counts as such a call, and does nothing.
void molt_disk_call(void);

#endif
