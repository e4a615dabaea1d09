"""Prints what a pass costs, as a table of ratios and one JSON line."""

import argparse
import asyncio
import json
from collections.abc import Callable

from bench.measures import Measured, measure

SIZES = (500, 2_500, 7_500, 20_000)
REPORTED = 7_500
_COLUMNS: tuple[tuple[str, Callable[[Measured], str]], ...] = (
    ("messages", lambda m: f"{m.messages:,}"),
    ("text MB", lambda m: f"{m.text_bytes / 1e6:.1f}"),
    ("dropped", lambda m: f"{m.dropped:,}"),
    ("basis ms", lambda m: f"{m.basis_ms:.2f}"),
    ("replay", lambda m: f"{m.replay_ratio:.1f}x"),
    ("same objects", lambda m: f"{m.replay_same_objects_ms / m.basis_ms:.1f}x"),
    ("nothing dropped", lambda m: f"{m.replay_undropped_ms / m.basis_ms:.1f}x"),
    ("landing 500", lambda m: f"{m.landing_ratio:.1f}x"),
    ("lag ms", lambda m: f"{m.lag_ms:.0f}"),
    ("first pass lag ms", lambda m: f"{m.first_lag_ms:.0f}"),
    ("cold start s", lambda m: f"{m.cold_start_seconds:.2f}"),
    ("memory", lambda m: f"{m.memory_ratio:.2f}x"),
    ("database", lambda m: f"{m.database_ratio:.2f}x"),
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, help="numbers of messages")
    found = [asyncio.run(measure(size)) for size in parser.parse_args().sizes]
    print("| " + " | ".join(name for name, _ in _COLUMNS) + " |")
    print("|" + "---:|" * len(_COLUMNS))
    for measured in found:
        print("| " + " | ".join(show(measured) for _, show in _COLUMNS) + " |")
    print(json.dumps(_summary(next((m for m in found if m.messages == REPORTED), found[-1]))))


def _summary(measured: Measured) -> dict[str, float]:
    return {
        "messages": measured.messages,
        "replay_ratio": round(measured.replay_ratio, 2),
        "landing_ratio": round(measured.landing_ratio, 2),
        "cold_start_seconds": round(measured.cold_start_seconds, 2),
        "memory_ratio": round(measured.memory_ratio, 2),
        "database_ratio": round(measured.database_ratio, 2),
        "lag_ms": round(max(measured.lag_ms, measured.first_lag_ms), 1),
    }


if __name__ == "__main__":
    main()
