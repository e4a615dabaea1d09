"""What the scripted agent does again and again; each routine makes a fixed number of calls."""

from collections.abc import Sequence

from silcrow.testing.scripted_agent.agent import Agent
from silcrow.testing.scripted_agent.narration import (
    announcement,
    newest_unsearched_name,
    quotation,
    remark,
    report,
)
from silcrow.testing.scripted_agent.search_tools import bash, grep
from silcrow.testing.scripted_agent.tools import Todo, edit, read, todo_write

POINTER = "# Read together with"


def study(agent: Agent, *patterns: str, reads: int = 2) -> None:
    """Read on in parallel, as much as the plan wants by now. One call."""
    slices = agent.library.next_slices(patterns, agent.share(calls=1 + reads // 2), reads=reads)
    said = remark(agent)
    # A quotation is indented; what follows it begins a paragraph of its own.
    gap = "\n\n" if "\n" in said else " "
    text = f"{said}{gap}{announcement(slices, agent.calls)}".strip()
    uses = [
        read(s.path) if s.is_whole else read(s.path, offset=s.first, limit=s.last - s.first + 1)
        for s in slices
    ]
    # Now and then a model calls tools and says nothing.
    agent.call("" if agent.calls % 6 == 0 else text, *uses)


def page(agent: Agent, *patterns: str) -> None:
    """Read on through the shell, several files in one command. One call."""
    slices = agent.library.next_slices(patterns, agent.share(calls=1), reads=2)
    command = "; ".join(f"sed -n '{s.first},{s.last}p' {s.path}" for s in slices)
    agent.call(remark(agent), bash(command, ", ".join(s.path for s in slices)))


def usages(agent: Agent) -> None:
    """Search for one of the names seen last. One call."""
    name = newest_unsearched_name(agent)
    agent.searched.add(name)
    agent.call(f"Where does `{name}` occur?", grep(rf"\b{name}\b", "**/*.py", head_limit=25))


def survey(agent: Agent, *patterns: str, calls: int) -> None:
    """Read on for `calls` calls: single files, groups of two and of five, searches, the shell."""
    for number in range(calls):
        match number % 7:
            case 1 | 5:
                usages(agent)
            case 3:
                page(agent, *patterns)
            case remainder:
                study(agent, *patterns, reads={0: 2, 2: 1, 4: 5, 6: 2}[remainder])


def plan(agent: Agent, text: str, steps: Sequence[str], *, done: int) -> None:
    """Store the plan with `done` steps behind and the next one in work. One call."""
    states = ["completed"] * done + ["in_progress"] + ["pending"] * len(steps)
    agent.call(text, todo_write([Todo(s, state) for s, state in zip(steps, states, strict=False)]))


def answer(agent: Agent, heading: str, *backs: int) -> None:
    """End the work on a prompt with a text that quotes earlier results. One call."""
    agent.call(report(agent, heading, backs))


def improve(agent: Agent, pattern: str) -> None:
    """Add a pointer below a module's docstring, compile it, read it again. Four calls."""
    path, docstring, pointer = _edit_target(agent, pattern)
    agent.call(f"I begin with `{path}` and read it as it is now.", read(path))
    text = quotation(
        agent, 1, "The pointer goes below the docstring; I leave the rest alone, as in"
    )
    agent.call(text, edit(path, docstring, f"{docstring}\n\n{pointer}"))
    agent.call("Does it still compile?", bash(f"python -m py_compile {path}", "Compile the module"))
    agent.call(f"It does. Once more the whole of `{path}`, with the change in it.", read(path))


def improve_with_slip(agent: Agent, pattern: str) -> None:
    """The same, but the first edit names text that is not there. Five calls."""
    path, docstring, pointer = _edit_target(agent, pattern)
    agent.call(f"Now `{path}`.", read(path))
    wrong = edit(path, f"{docstring}  # module", f"{docstring}\n\n{pointer}")
    agent.call("I insert the pointer.", wrong)
    lines = docstring.count("\n") + 4
    agent.call(
        "The text that I wanted to replace is not in the file. I look at its first lines again.",
        read(path, offset=1, limit=lines),
    )
    agent.call(
        "The docstring ends without a comment. With the exact text:",
        edit(path, docstring, f"{docstring}\n\n{pointer}"),
    )
    compiled = bash(f"python -m py_compile {path}", "Compile the module")
    agent.call("I compile it and read the result in one go.", compiled, read(path))


def _edit_target(agent: Agent, pattern: str) -> tuple[str, str, str]:
    """Choose a module of middle size that was not edited; return it, its docstring, the pointer."""
    library = agent.library
    modules = library.paths("*.py")
    wanted = set(library.paths(pattern))
    texts = {path: "\n".join(library.lines(path)) for path in modules}
    fitting = [p for p in modules if texts[p].startswith('"""') and POINTER not in texts[p]]
    path = min(fitting, key=lambda p: (p not in wanted, abs(len(library.lines(p)) - 110), p))
    folder = path.rpartition("/")[0]
    others = (other for other in modules if other != path)
    neighbour = min(others, key=lambda p: (p.rpartition("/")[0] != folder, p < path, p))
    library.finish(path)
    docstring = texts[path][: texts[path].index('"""', 3) + 3]
    return path, docstring, f"{POINTER} {neighbour}."
