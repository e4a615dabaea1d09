"""A host in a process of its own, to see how it ends."""

import subprocess
import sys
from pathlib import Path

HANGS_SECONDS = 60
"""A process that hangs would never end, so any time will do; one that ends needs a second or two,
many times as much on a busy machine. What is tested is that it ends, and not how fast."""


def run_script(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python code that finds the folder in `sys.argv[1]`. Fails if it never ends."""
    return subprocess.run(
        [sys.executable, "-c", script, str(folder)],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        timeout=HANGS_SECONDS,
        check=False,
    )
