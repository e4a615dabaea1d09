"""Where a database lies: who may read it, and whether its disk is one of this machine."""

import os
import shlex
import stat
from pathlib import Path

from silcrow.store.aside import set_aside_before
from silcrow.store.checkup import Finding, Level
from silcrow.store.disks import NETWORK_FILE_SYSTEMS, file_system_of

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700


def check_modes(path: Path) -> list[Finding]:
    """Sources hold what tools printed: nobody else may read them."""
    if os.name != "posix":
        return []
    blobs = path.with_name("blobs")
    wanted = {path.parent: PRIVATE_FOLDER, path: PRIVATE_FILE, blobs: PRIVATE_FOLDER}
    if blobs.is_dir():
        wanted |= dict.fromkeys(blobs.iterdir(), PRIVATE_FILE)
    open_ones = [
        (place, mode)
        for place, mode in wanted.items()
        if place.exists() and stat.S_IMODE(place.stat().st_mode) & ~mode
    ]
    return [
        Finding(
            Level.NOTE if place == path.parent else Level.FAULT,  # its files are what counts
            "modes",
            f"others may use {place}",
            f"chmod {mode:o} '{place}'",
        )
        for place, mode in open_ones
    ] or [Finding(Level.OK, "modes", "only you may read it")]


def check_disk(path: Path) -> list[Finding]:
    """Whether the file lies on a network file system, where the machine tells."""
    kind = file_system_of(path)
    if kind is None:
        return []
    if kind in NETWORK_FILE_SYSTEMS:
        what = f"{path} lies on a network file system ({kind}), where it is slow and less safe"
        return [Finding(Level.NOTE, "disk", what, "Set storage.path to a file on a local disk.")]
    return [Finding(Level.OK, "disk", f"local ({kind})")]


def check_set_aside(path: Path) -> list[Finding]:
    """Databases that proved damaged and were set aside beside this one."""
    return [
        Finding(
            Level.NOTE,
            "set aside",
            f"{file} was damaged",
            f"`silcrow doctor --repair {shlex.quote(str(file))}`, then delete it.",
        )
        for file in set_aside_before(path)
    ]
