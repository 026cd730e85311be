#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#error "The trait PostgreSQLTests needs the headers of libpq. Install libpq-dev (Debian, Ubuntu) or libpq (Homebrew)."
#endif
