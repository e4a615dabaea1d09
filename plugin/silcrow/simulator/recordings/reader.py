"""Opens a recording of any known host; the list of readers stands here and only here."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from silcrow.errors import RecordingError
from silcrow.simulator.recordings.claude_code import is_claude_code, read_claude_code
from silcrow.simulator.recordings.codex import is_codex, read_codex
from silcrow.simulator.recordings.json_lines import JsonLines
from silcrow.simulator.recordings.mini_swe_agent import is_mini_swe_agent, read_mini_swe_agent
from silcrow.simulator.recordings.opencode import is_opencode, read_opencode
from silcrow.simulator.recordings.openhands import is_openhands, read_openhands
from silcrow.simulator.recordings.pi import is_pi, read_pi
from silcrow.simulator.recordings.recording import Recording
from silcrow.simulator.recordings.recording_file import open_recording
from silcrow.simulator.recordings.swe_agent import is_swe_agent, read_swe_agent


@dataclass(frozen=True, slots=True)
class HostReader:
    """How to know the recordings of one host by their content, and how to read them."""

    name: str
    recognises: Callable[[JsonLines], bool]
    read: Callable[[JsonLines], tuple[Recording, ...]]


READERS = (
    HostReader("Pi session", is_pi, read_pi),
    HostReader("Codex rollout", is_codex, read_codex),
    HostReader("OpenHands events", is_openhands, read_openhands),
    HostReader("mini-swe-agent trajectory", is_mini_swe_agent, read_mini_swe_agent),
    HostReader("OpenCode export", is_opencode, read_opencode),
    HostReader("SWE-agent trajectory", is_swe_agent, read_swe_agent),
    HostReader("Claude Code transcript", is_claude_code, read_claude_code),
)


def read_recordings(path: Path) -> tuple[Recording, ...]:
    """Read every session of one file, plain or gzipped, whatever its name.

    Raises RecordingError, naming file and line, if the file is damaged or of no known format.
    """
    lines = open_recording(path)
    for reader in READERS:
        if reader.recognises(lines):
            return reader.read(lines)
    known = ", ".join(reader.name for reader in READERS)
    raise RecordingError(
        f"{lines.name}, line {lines.lines[0].number}: no known format ({known}). "
        "Give the session file as its host wrote it."
    )
