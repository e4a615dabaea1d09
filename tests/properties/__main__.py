"""`make soak`: random sessions in numbers that no test suite can wait for.

Runs in slices, each with a seed of its own that follows from the first one, so that a long run may
be done in parts and any slice again: `make soak EXAMPLES=5000 SEED=40 JOBS=2`.
"""

import argparse
import random
import sys
import time
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from properties.playing import play_scripts, stage
from properties.script import FORMATS
from properties.tally import Tally

SLICE = 100


@dataclass(frozen=True, slots=True)
class Slice:
    """Some sessions in one format."""

    format: str
    examples: int
    seed: int


@dataclass(frozen=True, slots=True)
class Outcome:
    slice: Slice
    tally: Tally
    failure: str = ""


def cut_slices(examples: int, seed: int) -> list[Slice]:
    """The seeds are consecutive, and each has a format: a slice is the same in every run."""
    count = -(-examples // SLICE)
    sizes = [SLICE] * (count - 1) + [examples - SLICE * (count - 1)]
    return [
        Slice(FORMATS[number % len(FORMATS)], size, number)
        for number, size in enumerate(sizes, start=seed)
    ]


def play_slice(one: Slice) -> Outcome:
    """Play one slice. A failure is the shortest script that still fails, and why."""
    warnings.simplefilter("ignore")
    with stage() as on:
        try:
            play_scripts(on, one.format, one.examples, one.seed)
        except Exception as error:
            notes = "\n".join(getattr(error, "__notes__", ()))
            return Outcome(one, on.tally, f"{type(error).__name__}: {error}\n{notes}")
        return Outcome(one, on.tally)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make soak")
    parser.add_argument("--examples", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args(arguments)
    seed = random.randrange(10**6) if given.seed is None else given.seed
    slices = cut_slices(given.examples, seed)
    print(f"seed {seed}: {given.examples} sessions in {len(slices)} slices", flush=True)
    total, failures, begun = Tally(), 0, time.monotonic()
    with ProcessPoolExecutor(given.jobs) as pool:
        for outcome in pool.map(play_slice, slices):
            total.join(outcome.tally)
            failures += bool(outcome.failure)
            report(outcome, total, time.monotonic() - begun)
    for line in total.lines():
        print(line)
    missed = total.missed()
    for line in missed:
        print(f"too rare: {line}")
    is_good = not failures and not missed
    last = seed + len(slices) - 1
    print(
        f"{given.examples} examples, seeds {seed} to {last}, {failures} failures: "
        f"{'passed' if is_good else 'FAILED'}"
    )
    return 0 if is_good else 1


def report(outcome: Outcome, total: Tally, seconds: float) -> None:
    one = outcome.slice
    word = "FAILED" if outcome.failure else "ok"
    print(
        f"{total.runs:6} runs, {seconds:5.0f} s: seed {one.seed} {one.format} {word}",
        flush=True,
    )
    if outcome.failure:
        print(outcome.failure.encode("utf-8", "backslashreplace").decode(), flush=True)


if __name__ == "__main__":
    sys.exit(main())
