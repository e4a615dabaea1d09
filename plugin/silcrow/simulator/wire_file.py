"""Writes every request of a run to a file, one line per pass, for a judge that trusts nobody."""

import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from silcrow.errors import StorageError
from silcrow.formats.native import TRANSPORT_KEYS, is_list, without_transport
from silcrow.hooks.canonical import canonical_json, encode_text, sha256
from silcrow.hooks.facts import Usage
from silcrow.hooks.results import Landed
from silcrow.session.outcome import CallResult
from silcrow.simulator.prefix import same_objects
from silcrow.simulator.recordings.recording import NativeMessage, RecordedCall, RecordedUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class SentPass:
    """One request as it was handed over. The first `reused` messages equal those of the last.

    `system` is what is sent: the recorded prompt with Silcrow's lines behind it.
    """

    session: str
    call: RecordedCall
    result: CallResult
    reused: int
    estimate_tokens: int
    tools: Sequence[Mapping[str, Any]] | None
    system: str | None


class WireFile:
    """An open wire file. Messages that did not change since the last pass are not encoded again."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._session = ""
        self._incoming: Sequence[NativeMessage] = ()
        self._hashes: list[str] = []
        self._messages: list[str] = []

    def write(self, sent: SentPass) -> None:
        """Write one line, and let it reach the disk's cache: a killed run has whole lines."""
        if sent.session != self._session:
            self._session = sent.session
            self._incoming, self._hashes, self._messages = (), [], []
        head = _dump(_describe(sent, self._hash_incoming(sent.call.messages)))
        messages = ",".join(self._dump_messages(sent))
        # The messages come last, as text that is already encoded.
        self._file.write(encode_text(f'{head[:-1]},"messages":[{messages}]}}\n'))
        self._file.flush()

    def _hash_incoming(self, messages: Sequence[NativeMessage]) -> list[str]:
        reused = same_objects(self._incoming, messages)
        self._incoming = messages
        del self._hashes[reused:]
        self._hashes.extend(hash_message(message) for message in messages[reused:])
        return self._hashes

    def _dump_messages(self, sent: SentPass) -> list[str]:
        del self._messages[sent.reused :]
        self._messages.extend(_dump(message) for message in sent.result.messages[sent.reused :])
        return self._messages


@contextmanager
def open_wire_file(path: Path | None, *, append: bool) -> Generator[WireFile | None]:
    """Open the file for a run, or nothing if none is asked for. Raises StorageError."""
    if path is None:
        yield None
        return
    try:
        file = path.open("ab" if append else "wb")
    except OSError as problem:
        raise StorageError(
            f"{path}: the wire file cannot be written ({problem.strerror}). "
            "Give --wire another path."
        ) from problem
    with file:
        yield WireFile(file)


def hash_message(message: NativeMessage) -> str:
    """The SHA-256 of a message's canonical JSON, without transport metadata."""
    kept = {key: value for key, value in message.items() if key not in TRANSPORT_KEYS}
    content = kept.get("content")
    if is_list(content):
        kept["content"] = [without_transport(block) for block in content]
    return sha256(canonical_json(kept)).hex()


def _describe(sent: SentPass, hashes: list[str]) -> dict[str, object]:
    """Every key of a line but `messages`."""
    permit = sent.result.permit
    report = sent.result.report
    return {
        "session": sent.session,
        "pass": sent.call.number,
        "kind": report.purpose.value,
        "time": sent.call.requested_at,
        "permit": {"reasons": [reason.value for reason in permit.reasons], "scope": permit.scope},
        "facts": _describe_facts(sent),
        "incoming_sha256": hashes,
        "landed": _describe_landed(report.row.landed if report.row else ()),
        "system": sent.system,
        "tools": sent.tools,
    }


def _describe_facts(sent: SentPass) -> dict[str, object]:
    report = sent.result.report
    return {
        "provider": sent.call.provider,
        "model": sent.call.model,
        "window": report.window,
        "reserve": report.reserve,
        "ttl_seconds": report.ttl_seconds,
        "last_response_at": report.last_response_at,
        "usage": {**_counts(report.last_usage or Usage()), "estimate": sent.estimate_tokens},
        "recorded_usage": None if sent.call.usage is None else _counts(sent.call.usage),
        "system_sha256": report.system_sha256,
        "tools_sha256": report.tools_sha256,
    }


def _counts(usage: Usage | RecordedUsage) -> dict[str, int]:
    return {
        "input": usage.input,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "output": usage.output,
    }


def _describe_landed(landed: Iterable[Landed]) -> list[dict[str, object]]:
    return [{"tag": one.number, "mode": _mode_word(one), "lane": one.lane.value} for one in landed]


def _mode_word(landed: Landed) -> str:
    if landed.number is None:
        return "absent"
    return "restored" if landed.mode is None else landed.mode.value


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
