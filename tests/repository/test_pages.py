"""Facts about the pages: they name every word that the code has, and show what the demo prints."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from silcrow.cli.main import main
from silcrow.formats.table import FORMATS
from silcrow.hooks.permit import Denial, Reason
from silcrow.hooks.tags import LaneName
from silcrow.simulator.recordings.reader import READERS

ROOT = Path(__file__).parents[2]
BUNDLED = ROOT / "plugin/silcrow/simulator/bundled/repository-tour.jsonl.gz"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)#\s]*)#?([^)\s]*)\)")


def page(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def first_cells(text: str) -> set[str]:
    """What stands in the first column of every table."""
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    return {row.split("|")[1].strip().strip("`") for row in rows}


def anchors(file: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", file.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def missing(words: Iterable[str], name: str) -> set[str]:
    return set(words) - first_cells(page(name))


def test_every_reason_and_every_denial_is_explained() -> None:
    assert missing(Reason, "docs/reclaim.md") == set()
    assert missing(filter(None, Denial), "docs/reclaim.md") == set()


def test_every_lane_is_explained() -> None:
    assert missing(LaneName, "docs/glossary.md") == set()
    proposing = set(LaneName) - {LaneName.RESTORE}
    assert missing((lane.replace("_", " ") for lane in proposing), "docs/reclaim.md") == set()


def test_every_format_is_listed() -> None:
    assert missing(FORMATS, "docs/rules.md") == set()
    assert [name for name in FORMATS if f"(`{name}`)" not in page("README.md")] == []


@pytest.mark.parametrize("name", ["README.md", "docs/cli.md"])
def test_every_kind_of_recording_is_listed(name: str) -> None:
    hosts = [reader.name.rpartition(" ")[0] for reader in READERS]
    assert [host for host in hosts if host not in page(name)] == []


@pytest.mark.parametrize("file", PAGES, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_link_leads_somewhere(file: Path) -> None:
    for target, anchor in LINK.findall(file.read_text("utf-8")):
        to = (file.parent / target).resolve() if target else file
        if target.startswith("http"):
            continue
        assert to.exists(), target
        assert not anchor or anchor in anchors(to), f"{target}#{anchor}"


def test_the_first_page_shows_what_the_demo_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """All but the two lines that tell how long it took on one machine."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    options = ["--window", "60000", "--agent-drops", "oracle"]
    monkeypatch.setattr("sys.argv", ["silcrow", "simulate", str(BUNDLED), *options])
    with pytest.raises(SystemExit):
        main()
    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    shown = page("README.md").split("```text\n")[1].split("\n```")[0].splitlines()
    kept = [[line for line in lines if " ms" not in line] for lines in (printed, shown)]
    assert "\n".join(kept[0]).strip() == "\n".join(kept[1]).strip()
