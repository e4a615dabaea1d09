"""Reads the transcripts of Claude Code: one session and its sub-agents in one file."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from silcrow.simulator.recordings.anthropic_history import AnthropicHistory, Block, Content
from silcrow.simulator.recordings.call_log import Answer, CallLog
from silcrow.simulator.recordings.claude_code_lines import Entry, Message, Threads, Usage
from silcrow.simulator.recordings.json_lines import JsonLines
from silcrow.simulator.recordings.recording import RecordedCall, RecordedUsage, Recording

HOST = "claude_code"
ONE_HOUR_SECONDS = 3600.0


def is_claude_code(lines: JsonLines) -> bool:
    """Tell by the fields that every message line of a transcript has."""
    return any({"sessionId", "uuid", "parentUuid"} <= line.value.keys() for line in lines.lines)


def read_claude_code(lines: JsonLines) -> tuple[Recording, ...]:
    """Return the main session, then each sub-agent as a session of its own.

    A file that holds only a sub-agent gives only that.
    """
    threads = Threads(lines)
    session = _session_id(lines)
    main = _read_thread(lines, threads.main, session, None)
    agents = [
        _read_thread(lines, entries, f"{session}/{agent}", session)
        for agent, entries in threads.agents.items()
        if entries
    ]
    return tuple(agents if agents and not threads.main else [main, *agents])


def _session_id(lines: JsonLines) -> str:
    for line in lines.lines:
        session = line.value.get("sessionId")
        if isinstance(session, str):
            return session
    raise lines.error(1, "no line names the session (sessionId)")


def _read_thread(
    lines: JsonLines, entries: list[Entry], session: str, parent: str | None
) -> Recording:
    answers = _collect_answers(entries)
    return Recording(
        session=session,
        parent=parent,
        host=HOST,
        message_format="anthropic",
        system=None,
        cache_ttl_seconds=ONE_HOUR_SECONDS if _writes_one_hour(answers.values()) else None,
        calls=_read_calls(lines, entries, answers),
    )


@dataclass(slots=True)
class _WholeAnswer:
    """All lines of one message id; the last one tells the usage and the end of the answer."""

    model: str
    content: Content | None = None
    answered_at: float = 0.0
    usages: list[Usage] = field(default_factory=list[Usage])

    def add(self, message: Message, at: float) -> None:
        if self.content is None:
            self.content = message.content
        else:
            self.content = [*_blocks(self.content), *_blocks(message.content)]
        self.answered_at = at
        if message.usage is not None:
            self.usages.append(message.usage)


def _blocks(content: Content) -> list[Block]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _answer_id(entry: Entry) -> str:
    return (entry.message and entry.message.id) or entry.id


def _collect_answers(entries: list[Entry]) -> dict[str, _WholeAnswer]:
    """Put the lines of each message id together, adjacent or not.

    The next request always held all of them, even those written after it had begun.
    """
    answers: dict[str, _WholeAnswer] = {}
    for entry in entries:
        if entry.kind == "assistant" and entry.message is not None:
            whole = answers.setdefault(_answer_id(entry), _WholeAnswer(entry.message.model))
            whole.add(entry.message, entry.at)
    return answers


def _read_calls(
    lines: JsonLines, entries: list[Entry], answers: dict[str, _WholeAnswer]
) -> tuple[RecordedCall, ...]:
    history, log = AnthropicHistory(), CallLog()
    begun: set[str] = set()
    newest_input = float("-inf")
    for entry in entries:
        if entry.message is None:
            history = AnthropicHistory()
        elif entry.kind == "user":
            history.add_user(entry.id, entry.message.content)
            newest_input = max(newest_input, entry.at)
        elif (name := _answer_id(entry)) not in begun:
            begun.add(name)
            if history.is_empty:
                raise lines.error(entry.number, "an answer stands before any user message")
            log.add(_answer(answers[name], newest_input), *history.request())
            history.add_assistant(name, answers[name].content or "")
    return log.calls


def _answer(whole: _WholeAnswer, newest_input: float) -> Answer:
    return Answer(
        requested_at=newest_input,
        answered_at=whole.answered_at,
        provider="anthropic",
        model=whole.model,
        usage=_recorded(whole.usages[-1]) if whole.usages else None,
    )


def _recorded(usage: Usage) -> RecordedUsage:
    return RecordedUsage(
        input=usage.input_tokens or 0,
        cache_read=usage.cache_read_input_tokens or 0,
        cache_write=usage.cache_creation_input_tokens or 0,
        output=usage.output_tokens or 0,
    )


def _writes_one_hour(answers: Iterable[_WholeAnswer]) -> bool:
    usages = (usage for whole in answers for usage in whole.usages)
    return any(
        usage.cache_creation is not None and usage.cache_creation.ephemeral_1h_input_tokens
        for usage in usages
    )
