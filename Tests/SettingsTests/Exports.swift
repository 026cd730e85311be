// Nearly every test file uses a scratch directory, or reads a file with SQLite.
@_exported public import TestSupport
