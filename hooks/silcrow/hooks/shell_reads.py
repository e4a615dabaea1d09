"""Shell commands that only print files, and which files these are."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from posixpath import basename, join

MOST_CHARACTERS = 2_000

_TOKEN = re.compile(
    r"""[^\S\n]*(?:
    (?P<operator>\d?>{1,2}&?\d?|&>|<+-?|&&|\|\|?|[;&()\n])
    |(?P<word>(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\;&|<>()])+)
    )""",
    re.VERBOSE,
)
_QUOTES = re.compile(r"'([^']*)'|\"((?:\\.|[^\"\\])*)\"|\\(.)", re.DOTALL)
_SUBSTITUTES = re.compile(r"\$\(|`|<<")

_READERS = frozenset({"cat", "head", "tail", "less", "more", "nl", "bat", "sed"})
_FILTERS = frozenset({"grep", "rg", "wc", "sort", "uniq", "cut", "tr", "column"})
_SAYINGS = frozenset({"echo", "printf", "true"})
# Most commands are told by their first word; taking them to pieces is the dear part.
_MAY_READ = re.compile(rf"\s*(?:\S*/)?(?:cd|{'|'.join(sorted(_READERS | _SAYINGS))})\s")
# The options that take the next word with them, for each command that has any.
_TAKES_VALUE: Mapping[str, frozenset[str]] = {
    "head": frozenset({"-n", "-c"}),
    "tail": frozenset({"-n", "-c"}),
    "nl": frozenset({"-b", "-v", "-w", "-s"}),
    "bat": frozenset({"-r", "-l", "--line-range", "--language"}),
    "sed": frozenset({"-e", "-f", "--expression", "--file"}),
}
_SHELLS = frozenset({"bash", "sh", "zsh"})


@lru_cache(maxsize=1_024)
def find_shell_reads(command: str) -> tuple[str, ...] | None:
    """The files that a command line prints if it does nothing else; None for any other.

    Readers, and filters behind them, may be strung together; `cd` leads the way for what follows.
    Whatever writes, substitutes or cannot be read without doubt is no read.
    """
    if len(command) > MOST_CHARACTERS or not _MAY_READ.match(command):
        return None
    if _SUBSTITUTES.search(command):
        return None
    pieces = _split(command)
    if not pieces:
        return None
    folder = ""
    paths: list[str] = []
    reads = False
    for words in pieces:
        name = basename(words[0])
        if name == "cd" and not reads and len(words) == 2:
            folder = join(folder, words[1])
        elif name in _READERS and _only_prints(name, words):
            reads = True
            paths.extend(join(folder, path) for path in _operands(name, words))
        elif name not in _SAYINGS and not (reads and name in _FILTERS):
            return None
    return tuple(paths) if reads else None


def command_text(arguments: Mapping[str, object] | None, names: Sequence[str]) -> str:
    """The command line among the arguments of a call; a list of words is joined, and what a shell
    is told to run by `-c` is the command."""
    for name in names:
        value = (arguments or {}).get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            words = [str(word) for word in value]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # a JSON list
            is_script = len(words) == 3 and words[1].startswith("-") and words[1].endswith("c")
            return words[2] if is_script and basename(words[0]) in _SHELLS else " ".join(words)
    return ""


def _split(command: str) -> list[list[str]] | None:
    """The simple commands of a line, without their redirections to nowhere; None if in doubt."""
    pieces: list[list[str]] = [[]]
    place, end = 0, len(command.rstrip())
    is_target = False
    while place < end:
        found = _TOKEN.match(command, place)
        if found is None:
            return None
        place = found.end()
        operator, word = found["operator"], found["word"]
        if word is not None and is_target:
            if word != "/dev/null":
                return None
            is_target = False
        elif word is not None and word.startswith("#"):
            return None
        elif word is not None:
            pieces[-1].append(_QUOTES.sub(_unquote, word))
        elif ">" in operator:
            is_target = not operator[-1].isdigit()  # `2>&1` has no target
        elif operator in ("(", ")") or operator.startswith("<") or operator == "&":
            return None
        else:
            pieces.append([])
    return [words for words in pieces if words]


def _unquote(found: re.Match[str]) -> str:
    return next((text for text in found.groups() if text is not None), "")


def _only_prints(name: str, words: Sequence[str]) -> bool:
    return name != "sed" or (
        "-n" in words and not any(word.startswith(("-i", "--in-place")) for word in words)
    )


def _operands(name: str, words: Sequence[str]) -> Iterator[str]:
    """The words of a reader that name files: neither options, nor their values, nor a script."""
    takes_value = _TAKES_VALUE.get(name, frozenset())
    has_script = name == "sed" and not any(word in takes_value for word in words)
    skips = False
    for word in words[1:]:
        if skips:
            skips = False
        elif word.startswith("-") or (name == "tail" and word.startswith("+")):
            skips = word in takes_value
        elif has_script:
            has_script = False
        else:
            yield word
