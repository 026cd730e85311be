#ifndef CMOLTSQLITE_SHIM_H
#define CMOLTSQLITE_SHIM_H
#include <sqlite3.h>
#endif
