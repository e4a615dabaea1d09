"""Every exception that Silcrow raises on purpose.

SilcrowError
├── SettingsError       a settings file, variable or argument is wrong
├── RecordingError      a recording cannot be read as its host wrote it
└── StorageError        the database cannot be used
    ├── NewerSchemaError    it was written by a newer Silcrow and is never written to
    ├── DamagedError        pages of it cannot be read
    └── MovedError          another file stands at its path by now
"""


class SilcrowError(Exception):
    """The base of all errors below; its text says what is wrong, where, and what to do."""


class SettingsError(SilcrowError):
    """A setting is unknown or has the wrong type. Names the file and the key."""


class RecordingError(SilcrowError):
    """A recording is damaged or of an unknown format. Names the file and the line."""


class StorageError(SilcrowError):
    """The database cannot be read or written. Names the file."""


class NewerSchemaError(StorageError):
    """The database holds migrations that this version does not know."""


class DamagedError(StorageError):
    """SQLite finds the file damaged. A file of ours is set aside at its next use."""


class MovedError(StorageError):
    """The file was replaced or removed while it was open; nothing was written to the old one."""
