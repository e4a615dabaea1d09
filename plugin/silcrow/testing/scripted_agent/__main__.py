"""`python -m silcrow.testing.scripted_agent [--out PATH]`: record the session again."""

import argparse
from pathlib import Path

from silcrow.testing.scripted_agent.session import record_session
from silcrow.testing.scripted_agent.workspace import BUNDLED_FOLDER, read_repository

REPOSITORY = Path(__file__).resolve().parents[4]


def main() -> None:
    """Work on a copy of the repository and replace the bundled recording, or write `--out`."""
    parser = argparse.ArgumentParser(description="Record the scripted agent's session.")
    parser.add_argument("--repository", type=Path, default=REPOSITORY)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    repository: Path = options.repository
    out: Path = options.out or repository / BUNDLED_FOLDER / "repository-tour.jsonl.gz"
    session = record_session(read_repository(repository))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(session.content)
    print(f"{out}: {session.calls} calls, {session.output_tokens} tokens of tool output")


if __name__ == "__main__":
    main()
