"""The example runs offline and shows what the page on LangChain says."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[3] / "examples/langchain_agent.py"


def test_the_example_shows_the_life_of_a_marked_part(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, str(EXAMPLE)],
        env={"PYTHONPATH": ":".join(sys.path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    first, marked, flushed, landed, expanded = (
        ended.stdout.index(text)
        for text in (
            "§2§ src/module_1.py",
            "ctx_reduce answers: Queued: 2-4",
            "/ctx-flush: Queued: 3 drops",
            "[dropped §2§]",
            "ctx_expand answers: §2§ read_file",
        )
    )
    assert first < marked < flushed < landed < expanded
