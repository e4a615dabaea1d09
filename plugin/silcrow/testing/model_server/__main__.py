"""The server as a process, for hosts that are started for real: prints its address, then serves."""

import argparse
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from silcrow.errors import SilcrowError
from silcrow.testing.model_server.replies import read_script
from silcrow.testing.model_server.server import ModelServer


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m silcrow.testing.model_server")
    parser.add_argument("--script", type=Path, required=True, help="a JSON list of replies")
    parser.add_argument("--bodies", type=Path, help="a file that gets every request as a line")
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    parser.add_argument("--context-window", type=int, help="refuse longer prompts, in tokens")
    parser.add_argument("--ttl", type=float, default=300.0, help="seconds that a prompt is cached")
    parser.add_argument(
        "--binds", action="append", default=[], help="a model that binds reasoning to its prefix"
    )
    given = parser.parse_args(arguments)
    try:
        script = read_script(given.script)
    except SilcrowError as error:
        parser.exit(2, f"{error}\n")
    binding = frozenset(given.binds)
    with ModelServer(
        script,
        bodies=given.bodies,
        binds=binding.__contains__,
        context_window=given.context_window,
        ttl_seconds=given.ttl,
        port=given.port,
    ) as server:
        print(server.url, flush=True)
        with suppress(KeyboardInterrupt):
            server.wait()


if __name__ == "__main__":
    main()
