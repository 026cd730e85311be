#ifndef MOLT_TEST_HOME_H
#define MOLT_TEST_HOME_H

/// Returns the directory of this process's suites; NULL where the system keeps them elsewhere.
const char *molt_test_home(void);

#endif
