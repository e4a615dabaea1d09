"""Facts about the example: it runs offline and shows what it says."""

import os
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[3] / "examples/pydantic_ai_agent.py"


def test_the_example_runs_and_shows_a_mark_landing_in_the_pause() -> None:
    # The same places as here, so that it runs on the checkout as well as on the wheel.
    places = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLE)],
        env=places,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    requests = [line for line in done.stdout.splitlines() if line.startswith("request ")]
    unchanged = [line.split(", ")[-1].split()[:3] for line in requests]
    broken = [index for index, (same, _, of) in enumerate(unchanged, 1) if same != of]
    assert broken == [12]
    assert "The original is still there: This is chapter1.txt." in done.stdout
    assert "The history of the host is complete: True" in done.stdout
    assert "3 dropped" in done.stdout
