// Nearly every test file uses a scratch directory, or inspects a cache file with SQLite.
@_exported public import TestSupport
