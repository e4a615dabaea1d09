"""Runs the whole script once on a copy of some files."""

from dataclasses import dataclass

from silcrow.testing.scripted_agent.agent import PLANNED_CALLS, Agent
from silcrow.testing.scripted_agent.recorder import Recorder
from silcrow.testing.scripted_agent.script import play
from silcrow.testing.scripted_agent.workspace import FileSet, workspace
from silcrow.tokens.counter import load_counter


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """The recording as compressed JSON lines, and its size."""

    content: bytes
    calls: int
    output_tokens: int


def record_session(files: FileSet) -> RecordedSession:
    """Play the script in a temporary workspace; same files, same bytes. Leaves nothing behind."""
    count = load_counter().count
    recorder = Recorder(count)
    with workspace(files) as root:
        agent = Agent(root, recorder, count)
        play(agent)
    if agent.calls != PLANNED_CALLS:
        raise AssertionError(f"the script makes {agent.calls} calls, planned: {PLANNED_CALLS}")
    return RecordedSession(recorder.content(), agent.calls, agent.output_tokens)
