"""The schema, as an append-only list of steps; a step that was released never changes."""

from collections.abc import Collection, Iterable, Mapping

import aiosqlite

from silcrow.errors import NewerSchemaError
from silcrow.store.transactions import write_transaction

M001_INITIAL = """
CREATE TABLE sessions (
    session TEXT PRIMARY KEY,
    host TEXT NOT NULL DEFAULT '',
    project TEXT NOT NULL DEFAULT '',
    parent TEXT,
    next_number INTEGER NOT NULL DEFAULT 1,
    next_ordinal INTEGER NOT NULL DEFAULT 1,
    pass_number INTEGER NOT NULL DEFAULT 0,
    markers_shown INTEGER,
    guidance TEXT NOT NULL DEFAULT '',
    model_key TEXT,
    tools_digest TEXT,
    system_digest TEXT,
    ttl_seconds REAL,
    last_request_at REAL,
    last_response_at REAL,
    awaits_answer INTEGER NOT NULL DEFAULT 0,
    usage TEXT,
    usage_is_current INTEGER NOT NULL DEFAULT 0,
    episode_is_spent INTEGER NOT NULL DEFAULT 0,
    flush_asked INTEGER NOT NULL DEFAULT 0,
    drops_bound_reasoning INTEGER NOT NULL DEFAULT 0,
    head_changes INTEGER NOT NULL DEFAULT 0,
    head_age_pass INTEGER NOT NULL DEFAULT -1000000,
    tail TEXT NOT NULL DEFAULT '[]',
    confirmed_tail TEXT NOT NULL DEFAULT '[]',
    pins TEXT NOT NULL DEFAULT '[]',
    notices TEXT NOT NULL DEFAULT '[]'
) WITHOUT ROWID;

CREATE TABLE tags (
    session TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    owner TEXT NOT NULL,
    call_id TEXT NOT NULL,
    part_ordinal INTEGER NOT NULL,
    message_id TEXT NOT NULL,
    message_ordinal INTEGER NOT NULL,
    role TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    first_pass INTEGER NOT NULL,
    is_marked INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    content_hash BLOB NOT NULL,
    content_is_json INTEGER NOT NULL,
    later_hash BLOB NOT NULL,
    input_hash BLOB NOT NULL,
    is_stored INTEGER NOT NULL,
    status TEXT NOT NULL,
    mode TEXT,
    lane TEXT,
    decided_pass INTEGER NOT NULL,
    held_until_pass INTEGER NOT NULL,
    PRIMARY KEY (session, number)
) WITHOUT ROWID;

CREATE UNIQUE INDEX tags_by_part ON tags (session, kind, owner, call_id, part_ordinal);

CREATE TABLE source_contents (
    hash BLOB PRIMARY KEY,
    codec TEXT NOT NULL,
    bytes BLOB NOT NULL
);

CREATE TABLE pending_ops (
    session TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    asked_by TEXT NOT NULL,
    call_id TEXT,
    queued_pass INTEGER NOT NULL,
    PRIMARY KEY (session, number)
) WITHOUT ROWID;

CREATE TABLE dropped_reasoning (
    session TEXT NOT NULL,
    owner TEXT NOT NULL,
    part_ordinal INTEGER NOT NULL,
    lane TEXT NOT NULL,
    decided_pass INTEGER NOT NULL,
    PRIMARY KEY (session, owner, part_ordinal)
) WITHOUT ROWID;

CREATE TABLE stale_reasoning (
    session TEXT NOT NULL,
    owner TEXT NOT NULL,
    part_ordinal INTEGER NOT NULL,
    PRIMARY KEY (session, owner, part_ordinal)
) WITHOUT ROWID;

CREATE TABLE wire (
    session TEXT NOT NULL,
    run INTEGER NOT NULL,
    digests BLOB NOT NULL,
    owners BLOB NOT NULL,
    PRIMARY KEY (session, run)
);

CREATE TABLE passes (
    session TEXT NOT NULL,
    number INTEGER NOT NULL,
    purpose TEXT NOT NULL,
    at REAL NOT NULL,
    model_key TEXT NOT NULL,
    reasons TEXT NOT NULL,
    scope INTEGER,
    denial TEXT NOT NULL,
    usage_tokens INTEGER NOT NULL,
    estimate_tokens INTEGER NOT NULL,
    wire_tokens INTEGER NOT NULL,
    limits TEXT NOT NULL,
    reclaimed_tokens INTEGER NOT NULL,
    rewritten_tokens INTEGER NOT NULL,
    reasoning_lost INTEGER NOT NULL,
    shortfall_tokens INTEGER NOT NULL,
    changed_unit INTEGER,
    is_unexplained INTEGER NOT NULL,
    landed TEXT NOT NULL,
    fault TEXT,
    usage TEXT,
    confirmed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (session, number)
) WITHOUT ROWID;
"""

M002_WHOLE_CORE = """
ALTER TABLE sessions ADD COLUMN is_off INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN flush_takes_held INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN calibration TEXT NOT NULL DEFAULT '{}';
ALTER TABLE sessions ADD COLUMN learned_limits TEXT NOT NULL DEFAULT '{}';
ALTER TABLE sessions ADD COLUMN refusal TEXT;

CREATE TABLE listed_messages (
    session TEXT NOT NULL,
    run INTEGER NOT NULL,
    digests BLOB NOT NULL,
    ids TEXT NOT NULL,
    PRIMARY KEY (session, run)
);
"""

M003_COMPACT_SOURCES = """
CREATE TABLE source_dictionaries (
    id INTEGER PRIMARY KEY,
    sha256 BLOB NOT NULL,
    bytes BLOB NOT NULL
);

ALTER TABLE source_contents RENAME TO source_contents_m002;

CREATE TABLE source_contents (
    hash BLOB NOT NULL,
    codec TEXT NOT NULL,
    bytes BLOB NOT NULL
);

INSERT INTO source_contents (hash, codec, bytes)
    SELECT hash, codec, bytes FROM source_contents_m002 ORDER BY rowid;

DROP TABLE source_contents_m002;

CREATE INDEX sources_by_hash ON source_contents (substr(hash, 1, 4));

CREATE TABLE source_dictionaries_again (
    id INTEGER PRIMARY KEY,
    sha256 BLOB NOT NULL,
    bytes BLOB NOT NULL
);
"""

# A host's clock may stand at 0: such a session counts as used when it was brought up to date.
M004_GROWTH = """
ALTER TABLE sessions ADD COLUMN stamp TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN expired_at REAL;
ALTER TABLE sessions ADD COLUMN expired_below INTEGER NOT NULL DEFAULT 0;

UPDATE sessions SET used_at = coalesce(
    (SELECT CAST(max(at) AS INTEGER) FROM passes AS p WHERE p.session = sessions.session
        AND at > 1e9),
    strftime('%s', 'now')
);

CREATE TABLE upkeep (
    id INTEGER PRIMARY KEY,
    last_at INTEGER NOT NULL,
    sweeps_owed INTEGER NOT NULL
);

INSERT INTO upkeep (id, last_at, sweeps_owed) VALUES (1, strftime('%s', 'now'), 0);
"""

MIGRATIONS: Mapping[str, str] = {
    "m001_initial": M001_INITIAL,
    "m002_whole_core": M002_WHOLE_CORE,
    "m003_compact_sources": M003_COMPACT_SOURCES,
    "m004_growth": M004_GROWTH,
}
"""Name and statements of every step, oldest first."""


async def migrate(connection: aiosqlite.Connection, path: str) -> None:
    """Bring a database up to date, all steps and their records in one transaction.

    Raises NewerSchemaError, and writes nothing, if a newer Silcrow has been here.
    """
    if not set(MIGRATIONS) - await _applied(connection, path):
        return
    async with write_transaction(connection):
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, at TEXT NOT NULL)"
        )
        done = await _applied(connection, path)
        for name, script in MIGRATIONS.items():
            if name not in done:
                await _run_step(connection, name, _statements(script))


async def refuse_newer_schema(connection: aiosqlite.Connection, path: str) -> None:
    """Raise NewerSchemaError if the database knows a step that is not in the list. Only reads."""
    await _applied(connection, path)


async def _applied(connection: aiosqlite.Connection, path: str) -> set[str]:
    found = await connection.execute_fetchall(
        "SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'"
    )
    if not found:
        return set()
    rows = await connection.execute_fetchall("SELECT name FROM schema_migrations")
    applied = {str(row[0]) for row in rows}
    refuse_unknown(applied, path)
    return applied


def refuse_unknown(applied: Collection[str], path: str) -> None:
    """Raise NewerSchemaError if a step is not in the list."""
    unknown = sorted(set(applied) - set(MIGRATIONS))
    if unknown:
        raise NewerSchemaError(
            f"{path} was written by a newer Silcrow (it knows {', '.join(unknown)}). "
            "Nothing was changed. Update Silcrow, or set storage.path to another file."
        )


def _statements(script: str) -> Iterable[str]:
    return [statement for statement in script.split(";") if statement.strip()]


async def _run_step(connection: aiosqlite.Connection, name: str, statements: Iterable[str]) -> None:
    for statement in statements:
        await connection.execute(statement)
    await connection.execute(
        "INSERT INTO schema_migrations (name, at) VALUES (?, datetime('now'))", (name,)
    )
