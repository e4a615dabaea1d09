"""Which files a call reads or changes, and when two paths mean one file."""

import re
from collections.abc import Iterable, Iterator, Mapping
from posixpath import normpath

from silcrow.hooks.quotes import strings_in
from silcrow.hooks.shell_reads import command_text, find_shell_reads
from silcrow.hooks.tool_kinds import COMMAND_ARGUMENTS, ToolKind

_PATH_ARGUMENTS = (
    "file_path",
    "path",
    "filename",
    "file",
    "notebook_path",
    "target_file",
    "target_notebook",
    "absolute_path",
    "filePath",
    "relative_path",
)
_PATH_LISTS = ("paths", "files", "file_paths", "include")
_FOLDER_ARGUMENTS = ("workdir", "cwd", "dir_path", "working_directory")
_PATCHED = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$", re.MULTILINE)
_PATCH_BEGINS = "*** Begin Patch"
_IS_ABSOLUTE = re.compile(r"[/~]|[A-Za-z]:")


def find_paths(
    kind: ToolKind, arguments: Mapping[str, object] | None, text: str = ""
) -> tuple[str, ...]:
    """The files of a call: named by an argument, printed by its command, or in its patch.

    `text` are the arguments as they came, for tools whose input is no object.
    """
    given = arguments or {}
    if kind is ToolKind.SHELL_READ:
        read = find_shell_reads(command_text(given, COMMAND_ARGUMENTS)) or ()
        return tuple(_within(given, path) for path in read)
    for name in _PATH_ARGUMENTS:
        value = given.get(name)
        if isinstance(value, str) and value:
            return (value,)
    for name in _PATH_LISTS:
        value = given.get(name)
        if isinstance(value, list):
            listed = tuple(strings_in(value))  # pyright: ignore[reportUnknownArgumentType]  # a JSON list
            if listed:
                return listed
    if kind is not ToolKind.EDIT:
        return ()
    texts = strings_in(arguments) if arguments is not None else (text,)
    return tuple(path.strip() for text in texts for path in _patched_files(text))


def _within(arguments: Mapping[str, object], path: str) -> str:
    """A path as seen from where the command runs."""
    if _IS_ABSOLUTE.match(path):
        return path
    folders = (arguments.get(name) for name in _FOLDER_ARGUMENTS)
    folder = next((value for value in folders if isinstance(value, str) and value), "")
    return f"{folder}/{path}" if folder else path


def _patched_files(text: str) -> Iterator[str]:
    if _PATCH_BEGINS in text:
        yield from (found[1] for found in _PATCHED.finditer(text))


class FileNames:
    """One name for each file that a list of calls names in several ways.

    Paths are compared without `.`, `..` and doubled slashes. A relative path is an absolute one if
    that ends in it, and if no other absolute path of the list does: when in doubt, two files.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._absolute: dict[str, str | None] = {}
        for plain in dict.fromkeys(map(_plain, paths)):
            if _IS_ABSOLUTE.match(plain):
                self._add_endings(plain)

    def _add_endings(self, plain: str) -> None:
        parts = plain.split("/")
        for start in range(1, len(parts)):
            ending = "/".join(parts[start:])
            self._absolute[ending] = None if ending in self._absolute else plain

    def name_of(self, path: str) -> str:
        """The name that all spellings of a file share."""
        plain = _plain(path)
        if _IS_ABSOLUTE.match(plain):
            return plain
        return self._absolute.get(plain) or plain


def _plain(path: str) -> str:
    return normpath(path.strip().replace("\\", "/"))
