// Nearly every file of these tests has a scratch directory, or looks at a file with SQLite.
@_exported public import TestSupport
