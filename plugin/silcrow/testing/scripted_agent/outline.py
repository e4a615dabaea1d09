"""The script that the agent writes with a slip in it, runs, repairs and runs again."""

OUTLINE_PATH = "notes/outline.py"

OPEN = 'for node in ast.parse(path.read_text(encoding="utf-8").body:'
CLOSED = 'for node in ast.parse(path.read_text(encoding="utf-8")).body:'

OUTLINE_SOURCE = f'''"""Print the classes and functions of all modules in the given folders."""

import ast
import sys
from pathlib import Path

KINDS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

for folder in sys.argv[1:]:
    for path in sorted(Path(folder).rglob("*.py")):
        print(path.as_posix())
        {OPEN}
            if isinstance(node, KINDS):
                first = (ast.get_docstring(node) or "no docstring").splitlines()[0]
                print(f"    {{node.lineno:4d}} {{node.name}}: {{first}}")
'''
"""Does not compile: OPEN lacks a parenthesis."""
