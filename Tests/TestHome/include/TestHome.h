#ifndef MOLT_TEST_HOME_H
#define MOLT_TEST_HOME_H

/// The directory in which the suites of this process are; NULL where the system keeps them elsewhere.
const char *molt_test_home(void);

#endif
