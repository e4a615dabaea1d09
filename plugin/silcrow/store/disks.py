"""What kind of disk a file lies on, as far as the machine tells."""

from pathlib import Path

NETWORK_FILE_SYSTEMS = frozenset(
    "nfs nfs4 cifs smb3 smbfs afs 9p ceph glusterfs lustre ncpfs virtiofs fuse.sshfs vboxsf"
    " drvfs prl_fs".split()
)
"""On these a write-ahead log is not safe: it needs memory that all processes share."""
MOUNTS = Path("/proc/mounts")


def file_system_of(path: Path) -> str | None:
    """The type of the file system that holds a path, as Linux lists it; None elsewhere."""
    try:
        lines = MOUNTS.read_text().splitlines()
    except OSError:
        return None
    place = path.absolute()
    best, kind = -1, None
    for line in lines:
        fields = line.split()
        if len(fields) < 3:
            continue
        point = Path(fields[1].encode().decode("unicode_escape"))  # a space is written \040
        if place.is_relative_to(point) and len(point.parts) > best:
            best, kind = len(point.parts), fields[2]
    return kind
