#ifndef CMOLTSQLITE_SHIM_H
#define CMOLTSQLITE_SHIM_H
#include <sqlite3.h>

// sqlite3_db_config takes a varying number of arguments, which Swift cannot call.
static inline int molt_sqlite3_db_config(sqlite3 *database, int option, int value) {
    int now = 0;
    return sqlite3_db_config(database, option, value, &now);
}
#endif
