"""The words of the person, the headings of the answers, and the agent's longer commands."""

TOUR = (
    "I am taking over the maintenance of this repository. Give me a tour: which parts are there, "
    "where does a message list come in, and where does it leave? Read the code and not only the "
    "documents."
)
TOUR_STEPS = (
    "Read the documents at the top level",
    "Read the modules that see a message list first",
    "Follow the list to the place where it leaves",
    "Answer with the lines that matter",
)
TOUR_ANSWER = (
    "That was the tour. There are three source roots, `hooks`, `tools` and `plugin`, and one "
    "package. These lines helped me most:"
)
HOOKS = (
    "Thanks. Now the hooks in detail: which functions decide whether something that was sent may "
    "change? Add a pointer to a neighbouring module where you think a reader needs one."
)
HOOKS_ANSWER = (
    "I have gone through the hooks and left one pointer; the module compiles. The lines that I "
    "would begin with:"
)
STORAGE = (
    "Next is storage. Are all SQL statements in one folder? Show me how a connection is opened "
    "and closed, and read whatever lies on the way."
)
STORAGE_STEPS = (
    "Search for SQL outside of the store",
    "Read the store and the code that calls it",
    "Report",
)
STORAGE_ANSWER = (
    "The searches at the beginning show the places with SQL keywords, so you can judge for "
    "yourself. Two lines that I would show to a newcomer:"
)
TOOLS = "I am back. What may the model call, and how is each tool described to it?"
TOOLS_ANSWER = (
    "What the model may call is in the first list of this prompt. Two lines to keep, one of them "
    "from much earlier:"
)
POINTERS = (
    "Please add such a pointer to three more modules: one of the store, one of the tools, one of "
    "the session. Compile after each edit and show me the result."
)
POINTER_STEPS = ("A module of the store", "A module of the tools", "A module of the session")
POINTER_ANSWER = (
    "All three are edited and compile. One edit failed at first because I had not copied the text "
    "exactly. From what I read meanwhile:"
)
SIMULATOR = (
    "I have switched to another model. Explain the simulator: what does it read, and what does it "
    "need to know about the cache of a provider? Give it a pointer as well."
)
SIMULATOR_ANSWER = "The simulator, in three lines that I found on the way:"
TESTS = (
    "Back after a longer break. Compare the tests with the code: which modules have "
    "no test of the same name?"
)
TESTS_ANSWER = (
    "The list is in the first output of this prompt. A missing test of the same name does not "
    "mean that the module is untested. Two lines from the tests:"
)
NOTES = (
    "Write a short file of notes for me, and a script that prints an outline of all modules, so "
    "that I can do this without you."
)
NOTES_ANSWER = (
    "The notes are written and the outline script runs. It failed once; the cause was mine."
)
CLEAN_UP = (
    "I will not need the script after all. Read what you have not seen yet, remove the script, "
    "keep the notes, and close with a summary."
)
LAST_ANSWER = (
    "Done. The repository has five small pointers more and a file of notes; nothing else has "
    "changed. A line from the end of this session and one from its middle:"
)

STATISTICS_COMMAND = """python - <<'END'
import ast, collections, pathlib
counts = collections.Counter()
for path in sorted(pathlib.Path(".").rglob("*.py")):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    counts[path.parent.as_posix()] += sum(isinstance(n, ast.FunctionDef) for n in ast.walk(tree))
for folder, number in sorted(counts.items()):
    print(f"{number:5d} {folder}")
END"""

UNTESTED_COMMAND = """python - <<'END'
import pathlib
tests = {path.name for path in pathlib.Path("tests").rglob("test_*.py")}
for root in ("hooks", "tools", "plugin"):
    for path in sorted(pathlib.Path(root).rglob("*.py")):
        if path.name != "__init__.py" and f"test_{path.name}" not in tests:
            print(path.as_posix())
END"""

FACTS_COMMAND = "grep -rc 'def test_' tests --include='test_*.py' | sort | tail -n 60"
