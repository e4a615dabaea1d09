"""Reads the session files of Pi, in the linear layout and in the tree layout."""

from silcrow.simulator.recordings.anthropic_history import AnthropicHistory
from silcrow.simulator.recordings.call_log import CallLog
from silcrow.simulator.recordings.json_lines import JsonLines
from silcrow.simulator.recordings.pi_entries import Entry, read_entry
from silcrow.simulator.recordings.recording import Recording

HOST = "pi"


def is_pi(lines: JsonLines) -> bool:
    """Tell by the header, which is always the first line."""
    header = lines.lines[0].value
    return header.get("type") == "session" and isinstance(header.get("id"), str)


def read_pi(lines: JsonLines) -> tuple[Recording, ...]:
    """Return the one session of the file; all branches of a tree are calls of it, in file order."""
    walk = _Walk(lines)
    for index, line in enumerate(lines.lines[1:], start=1):
        walk.visit(read_entry(lines, line, index))
    recording = Recording(
        session=str(lines.lines[0].value.get("id")),
        host=HOST,
        message_format="anthropic",
        system=None,
        calls=walk.log.calls,
    )
    return (recording,)


class _Walk:
    """Goes through the file as the session went, with the list as it stands at each entry."""

    def __init__(self, lines: JsonLines) -> None:
        self.log = CallLog()
        self._lines = lines
        self._path: list[Entry] = []
        self._by_id: dict[str, Entry] = {}
        self._history = AnthropicHistory()

    def visit(self, entry: Entry) -> None:
        if entry.id in self._by_id:
            raise self._lines.error(entry.number, f"a second entry has the id {entry.id}")
        self._go_to_parent(entry)
        if entry.answer is not None:
            if self._history.is_empty:
                raise self._lines.error(entry.number, "an answer stands before any user message")
            self.log.add(entry.answer, *self._history.request())
        self._path.append(entry)
        self._by_id[entry.id] = entry
        if entry.kind == "compaction":
            self._history = _replay(self._path)
        else:
            _apply(self._history, entry)

    def _go_to_parent(self, entry: Entry) -> None:
        """Where an entry of a tree does not follow the last one, go back to where it branches."""
        last = self._path[-1].id if self._path else None
        if not entry.in_tree or entry.parent == last:
            return
        path: list[Entry] = []
        above = entry.parent
        while above is not None:
            if above not in self._by_id:
                raise self._lines.error(entry.number, f"the parent entry {above} is missing")
            path.append(self._by_id[above])
            above = path[-1].parent
        self._path = path[::-1]
        self._history = _replay(self._path)


def _apply(history: AnthropicHistory, entry: Entry) -> None:
    if entry.kind == "user":
        history.add_user(entry.id, entry.content)
    elif entry.answer is not None:
        history.settle()
        # A failed answer stays out, and its results with it: they answer no call of the list.
        if not entry.answer.failed:
            history.add_assistant(entry.id, entry.content)


def _replay(path: list[Entry]) -> AnthropicHistory:
    """Build the list that Pi builds from a path: the last summary, what it kept, what followed."""
    history = AnthropicHistory()
    last = max((i for i, one in enumerate(path) if one.kind == "compaction"), default=None)
    rest = path
    if last is not None:
        history.add_user(path[last].id, path[last].content)
        rest = _kept(path[:last], path[last].first_kept) + path[last + 1 :]
    for entry in rest:
        _apply(history, entry)
    return history


def _kept(before: list[Entry], first: int | str | None) -> list[Entry]:
    """The entries from the first kept one on; none if the compaction names none of them."""
    for position, entry in enumerate(before):
        if first in (entry.id, entry.index):
            return before[position:]
    return []
