"""How often a recorded session asks again for what age alone had removed."""

from pathlib import Path

import pytest

from silcrow.config.settings import Settings
from silcrow.simulator.options import SimulationOptions
from silcrow.simulator.sessions import read_sessions
from silcrow.simulator.simulation import RunFiles, simulate
from support.deltas import rows

REAL = Path(__file__).parents[4] / "shared" / "sessions"
BUNDLED = Path(__file__).parents[3] / "plugin/silcrow/simulator/bundled/repository-tour.jsonl.gz"
OF_REAL = ("claude-code-01.jsonl.gz", "codex-01.jsonl.gz", "pi-01.jsonl.gz", "pi-02.jsonl.gz")
"""Those of the real recordings in which anything ages with the settings as they come."""

FEWEST_GONE = 50
MOST_AGAIN = 0.15

GONE_AND_AGAIN = """
SELECT count(*), count((
    SELECT 1 FROM tags AS later
    WHERE later.session = gone.session AND later.tool_name = gone.tool_name
        AND later.input_hash = gone.input_hash AND later.first_pass > gone.decided_pass
    LIMIT 1
)) FROM tags AS gone WHERE status = 'dropped' AND kind = 'tool' AND lane = 'age'
"""


@pytest.mark.parametrize(
    "file", [BUNDLED, *(REAL / name for name in OF_REAL)], ids=lambda f: f.name
)
async def test_what_age_removes_is_rarely_asked_for_again(file: Path, tmp_path: Path) -> None:
    """The same call of the same tool, whether its answer would have been another or not."""
    if not file.is_file():
        pytest.skip("this recording is not here")
    files = RunFiles(database=tmp_path / "context.db", wire=tmp_path / "wire.jsonl")
    await simulate(read_sessions([file]), SimulationOptions(), Settings(), files)
    ((gone, again),) = rows(tmp_path / "context.db", GONE_AND_AGAIN)
    assert gone >= FEWEST_GONE
    assert again <= MOST_AGAIN * gone
