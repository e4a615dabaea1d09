"""The sessions of one run: all that the given files hold, each under a name of its own."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from silcrow.simulator.options import SimulationOptions
from silcrow.simulator.recordings.reader import read_recordings
from silcrow.simulator.recordings.recording import RecordedCall, Recording


@dataclass(frozen=True, slots=True)
class SessionToRun:
    """One recorded session. `name` is its id in the database, unique within the run."""

    name: str
    file: Path
    # Kept out of the repr: asyncio writes down what a finished task returned, which took longer
    # than the simulation.
    recording: Recording = field(repr=False)

    def calls(self, options: SimulationOptions) -> tuple[RecordedCall, ...]:
        """The calls that the options ask for."""
        return self.recording.calls[options.from_pass - 1 : options.until_pass]


def read_sessions(files: Iterable[Path]) -> tuple[SessionToRun, ...]:
    """Read all files, in order. Raises RecordingError, naming file and line."""
    found: list[SessionToRun] = []
    taken: set[str] = set()
    for file in files:
        for recording in read_recordings(file):
            name = _free_name(recording.session, file, taken)
            taken.add(name)
            found.append(SessionToRun(name, file, recording))
    return tuple(found)


def _free_name(session: str, file: Path, taken: set[str]) -> str:
    """The session's own id; with the name of its file in front where another has that id."""
    if session not in taken:
        return session
    name = f"{file.name.split('.')[0]}/{session}"
    count = 1
    while name in taken:
        count += 1
        name = f"{file.name.split('.')[0]}#{count}/{session}"
    return name
