"""The plan of the session: nine prompts, and what the agent does about each.

The number of calls is fixed; what is read depends on the repository on the day of the run.
"""

from collections.abc import Callable
from dataclasses import dataclass

from silcrow.testing.scripted_agent import prompts
from silcrow.testing.scripted_agent.agent import Agent
from silcrow.testing.scripted_agent.outline import CLOSED, OPEN, OUTLINE_PATH, OUTLINE_SOURCE
from silcrow.testing.scripted_agent.routines import (
    answer,
    improve,
    improve_with_slip,
    plan,
    study,
    survey,
)
from silcrow.testing.scripted_agent.search_tools import bash, glob, grep
from silcrow.testing.scripted_agent.tools import edit, multi_edit, read, write

FIRST_MODEL = "claude-sonnet-4-5-20250929"
SECOND_MODEL = "claude-opus-4-6"

HOOKS, TOOLS, PLUGIN = "hooks/*.py", "tools/*.py", "plugin/*.py"
STORE, SIMULATOR, TESTS = "plugin/silcrow/store/*", "plugin/silcrow/simulator/*", "tests/*"
NOTES_PATH = "notes/tour.md"
NOTES = (
    "# Notes of a tour\n\n- Entry: to be named.\n- Storage: one folder.\n- Tests: to be counted.\n"
)


@dataclass(frozen=True, slots=True)
class Phase:
    """One prompt, how long the person took to write it, who answers, and the work it causes."""

    prompt: str
    after_seconds: float
    model: str
    work: Callable[[Agent], None]


def tour(agent: Agent) -> None:
    """24 calls."""
    plan(agent, "I make a plan first.", prompts.TOUR_STEPS, done=0)
    sizes = "find . -name '*.py' | sort | xargs wc -l | tail -n 80"
    agent.call(
        "Which files are there, and how long are they?",
        glob("*"),
        bash(sizes, "Count the lines of all modules"),
    )
    study(agent, "README.md", "ARCHITECTURE.md", reads=2)
    agent.call("", bash("head -n 60 pyproject.toml", "Show how the package is built"))
    survey(agent, "ARCHITECTURE.md", "docs/*.md", calls=7)
    plan(agent, "The documents are read; now the code.", prompts.TOUR_STEPS, done=1)
    agent.call("", grep(r"^class \w+", "hooks/**/*.py", head_limit=60))
    survey(agent, HOOKS, "hooks/*", calls=9)
    plan(agent, "", prompts.TOUR_STEPS, done=3)
    answer(agent, prompts.TOUR_ANSWER, 2, 8, 20)


def hooks(agent: Agent) -> None:
    """22 calls."""
    agent.call(
        "I look for the places that can change what is sent.",
        grep(r"\bpermit\b", "hooks/**/*.py", head_limit=50),
        grep(r"^def \w+", "hooks/**/*.py", head_limit=80),
    )
    survey(agent, "hooks/*", calls=9)
    improve(agent, "hooks/*.py")
    survey(agent, "hooks/*", calls=7)
    answer(agent, prompts.HOOKS_ANSWER, 1, 12, 30)


def storage(agent: Agent) -> None:
    """26 calls."""
    plan(agent, "", prompts.STORAGE_STEPS, done=0)
    agent.call(
        "SQL keywords outside of the store would be a finding.",
        grep(r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE)\b", "plugin/**/*.py", head_limit=40),
        grep(r"\b(SELECT|INSERT|UPDATE|DELETE)\b", "hooks/**/*.py"),
        grep(r"\b(SELECT|INSERT|UPDATE|DELETE)\b", "tools/**/*.py"),
    )
    survey(agent, STORE, "plugin/silcrow/session/*", calls=14)
    agent.call("", grep(r"async with", "plugin/**/*.py", context=1, head_limit=60))
    survey(agent, STORE, "plugin/silcrow/documents/*", "plugin/silcrow/commands/*", calls=7)
    plan(agent, "Storage is done.", prompts.STORAGE_STEPS, done=2)
    answer(agent, prompts.STORAGE_ANSWER, 3, 25)


def model_tools(agent: Agent) -> None:
    """17 calls."""
    agent.call("", glob("tools/**/*.py"), grep(r"^def \w+", "tools/**/*.py"))
    survey(agent, TOOLS, "tools/*", calls=9)
    agent.call(
        "How many functions does each room have?",
        bash(prompts.STATISTICS_COMMAND, "Count functions per folder"),
    )
    survey(agent, TOOLS, "plugin/silcrow/config/*", "plugin/silcrow/tokens/*", calls=5)
    answer(agent, prompts.TOOLS_ANSWER, 2, 40)


def pointers(agent: Agent) -> None:
    """18 calls."""
    plan(agent, "Three modules, one at a time.", prompts.POINTER_STEPS, done=0)
    improve(agent, STORE)
    improve(agent, "tools/*.py")
    plan(agent, "", prompts.POINTER_STEPS, done=2)
    improve_with_slip(agent, "plugin/silcrow/session/*.py")
    agent.call("All pointers together:", grep("# Read together with", "*/**/*.py", context=2))
    study(agent, "plugin/silcrow/formats/*", reads=4)
    answer(agent, prompts.POINTER_ANSWER, 1, 15)


def simulator(agent: Agent) -> None:
    """25 calls."""
    agent.call(
        "",
        glob("plugin/silcrow/simulator/**/*.py"),
        glob("plugin/silcrow/hosts/**/*"),
        grep(r"^class \w+", "plugin/**/*.py", head_limit=90),
        grep(r"ttl", "plugin/**/*.py", head_limit=30),
    )
    survey(agent, SIMULATOR, calls=10)
    improve_with_slip(agent, "plugin/silcrow/simulator/*.py")
    survey(agent, "plugin/silcrow/hosts/*", "plugin/silcrow/cli/*", PLUGIN, calls=8)
    answer(agent, prompts.SIMULATOR_ANSWER, 2, 18, 45)


def tests(agent: Agent) -> None:
    """15 calls."""
    agent.call(
        "I compare names first.",
        bash(prompts.UNTESTED_COMMAND, "List modules without a test of the same name"),
        grep(r"^(async )?def test_\w+", "tests/**/*.py", head_limit=120),
    )
    survey(agent, TESTS, calls=12)
    agent.call("", bash(prompts.FACTS_COMMAND, "Count tests per file"))
    answer(agent, prompts.TESTS_ANSWER, 1, 10)


def notes(agent: Agent) -> None:
    """12 calls."""
    agent.call("A small script will print the outline.", write(OUTLINE_PATH, OUTLINE_SOURCE))
    outline = bash(f"python {OUTLINE_PATH} hooks tools | head -n 150", "Print the outline")
    agent.call("", bash(f"python -m py_compile {OUTLINE_PATH}", "Compile the script"))
    agent.call("A parenthesis is missing.", edit(OUTLINE_PATH, OPEN, CLOSED))
    agent.call("Now it should run.", outline)
    agent.call("The notes begin with three points.", write(NOTES_PATH, NOTES))
    survey(agent, "docs/*", TESTS, calls=4)
    named = [("to be named", "see `ARCHITECTURE.md`"), ("to be counted", "see `tests/`")]
    agent.call("Two points were still open.", multi_edit(NOTES_PATH, named))
    agent.call("", read(NOTES_PATH), bash(f"wc -l {NOTES_PATH} {OUTLINE_PATH}", "Count lines"))
    answer(agent, prompts.NOTES_ANSWER, 6)


def clean_up(agent: Agent) -> None:
    """5 calls."""
    survey(agent, "*", calls=2)
    agent.call("The script goes away, the notes stay.", bash(f"rm {OUTLINE_PATH}", "Remove it"))
    agent.call("", glob("notes/*"))
    answer(agent, prompts.LAST_ANSWER, 4, 60)


PHASES = (
    Phase(prompts.TOUR, 0, FIRST_MODEL, tour),
    Phase(prompts.HOOKS, 95, FIRST_MODEL, hooks),
    Phase(prompts.STORAGE, 48, FIRST_MODEL, storage),
    Phase(prompts.TOOLS, 21 * 60, FIRST_MODEL, model_tools),
    Phase(prompts.POINTERS, 64, FIRST_MODEL, pointers),
    Phase(prompts.SIMULATOR, 110, SECOND_MODEL, simulator),
    Phase(prompts.TESTS, 50 * 60, SECOND_MODEL, tests),
    Phase(prompts.NOTES, 72, SECOND_MODEL, notes),
    Phase(prompts.CLEAN_UP, 39, SECOND_MODEL, clean_up),
)


def play(agent: Agent) -> None:
    """Work through all phases."""
    for phase in PHASES:
        agent.model = phase.model
        agent.hear(phase.prompt, after_seconds=phase.after_seconds)
        phase.work(agent)
