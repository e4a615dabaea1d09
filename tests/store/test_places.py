"""Facts about where a database lies."""

from pathlib import Path

import pytest

from silcrow.errors import StorageError
from silcrow.store import connection as connection_module
from silcrow.store import disks
from silcrow.store.connection import open_connection
from silcrow.store.places import check_disk
from silcrow.store.store import Store
from support.deltas import rows

MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
proc /proc proc rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sdb1 /home/local xfs rw 0 0
share /mnt/team\\040disk cifs rw 0 0
odd
"""


@pytest.fixture
def mounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the machine is made to say of its disks."""
    file = tmp_path / "mounts"
    file.write_text(MOUNTS)
    monkeypatch.setattr(disks, "MOUNTS", file)
    return file


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("/var/context.db", "ext4"),
        ("/home/me/context.db", "nfs4"),
        ("/home/local/context.db", "xfs"),
        ("/homes/context.db", "ext4"),
        ("/mnt/team disk/context.db", "cifs"),
    ],
)
@pytest.mark.usefixtures("mounts")
def test_the_deepest_mount_point_counts(place: str, kind: str) -> None:
    assert disks.file_system_of(Path(place)) == kind


@pytest.mark.usefixtures("mounts")
def test_a_network_file_system_is_pointed_out() -> None:
    (found,) = check_disk(Path("/home/me/context.db"))
    assert found.level == "note" and "nfs4" in found.what and "storage.path" in found.remedy


def test_where_the_machine_does_not_tell_nothing_is_said(mounts: Path) -> None:
    mounts.unlink()
    assert check_disk(mounts) == []


@pytest.mark.parametrize(("kind", "journal"), [("nfs4", "delete"), ("ext4", "wal")])
async def test_no_write_ahead_log_is_used_over_a_network(
    mounts: Path, tmp_path: Path, kind: str, journal: str
) -> None:
    mounts.write_text(f"server:/x {tmp_path} {kind} rw 0 0\n")
    async with Store.open(tmp_path / "context.db") as store:
        assert rows(store.path, "PRAGMA journal_mode") == [(journal,)]
        assert await store.read_record("s") is None


async def test_a_log_that_another_process_keeps_over_a_network_is_refused(
    mounts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "LOCK_BUDGET_SECONDS", 0.02)
    path = tmp_path / "context.db"
    async with Store.open(path):
        mounts.write_text(f"server:/x {tmp_path} nfs4 rw 0 0\n")
        with pytest.raises(StorageError, match=r"context\.db"):
            async with Store.open(path):
                pass


@pytest.mark.parametrize(("kind", "synchronous"), [("nfs4", 2), ("ext4", 1)])
async def test_without_a_log_every_commit_is_synced(
    mounts: Path, tmp_path: Path, kind: str, synchronous: int
) -> None:
    mounts.write_text(f"server:/x {tmp_path} {kind} rw 0 0\n")
    async with open_connection(tmp_path / "context.db") as connection:
        [row] = await connection.execute_fetchall("PRAGMA synchronous")
        assert row[0] == synchronous
