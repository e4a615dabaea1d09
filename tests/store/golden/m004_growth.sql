-- The schema as m004_growth left it, with a session in it. Never changes: every later
-- version has to open it.
CREATE TABLE dropped_reasoning (
    session TEXT NOT NULL,
    owner TEXT NOT NULL,
    part_ordinal INTEGER NOT NULL,
    lane TEXT NOT NULL,
    decided_pass INTEGER NOT NULL,
    PRIMARY KEY (session, owner, part_ordinal)
) WITHOUT ROWID;
CREATE TABLE listed_messages (
    session TEXT NOT NULL,
    run INTEGER NOT NULL,
    digests BLOB NOT NULL,
    ids TEXT NOT NULL,
    PRIMARY KEY (session, run)
);
INSERT INTO "listed_messages" VALUES('golden',0,X'00','["u1"]');
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
INSERT INTO "passes" VALUES('golden',2,'main',1000.0,'anthropic/claude-sonnet-4-5','[]',NULL,'',10,10,10,'[200000,16000,184000,9200,300.0,1.0,0.0,true]',0,0,0,0,NULL,0,'[["queued","skeleton",7,300]]',NULL,'[1,2,3,4]',1);
CREATE TABLE pending_ops (
    session TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    asked_by TEXT NOT NULL,
    call_id TEXT,
    queued_pass INTEGER NOT NULL,
    PRIMARY KEY (session, number)
) WITHOUT ROWID;
INSERT INTO "pending_ops" VALUES('golden',2,'drop','model',NULL,2);
CREATE TABLE schema_migrations (name TEXT PRIMARY KEY, at TEXT NOT NULL);
INSERT INTO "schema_migrations" VALUES('m001_initial','2026-11-30 00:00:00');
INSERT INTO "schema_migrations" VALUES('m002_whole_core','2026-11-30 00:00:00');
INSERT INTO "schema_migrations" VALUES('m003_compact_sources','2026-11-30 00:00:00');
INSERT INTO "schema_migrations" VALUES('m004_growth','2026-01-01 00:00:00');
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
, is_off INTEGER NOT NULL DEFAULT 0, flush_takes_held INTEGER NOT NULL DEFAULT 0, calibration TEXT NOT NULL DEFAULT '{}', learned_limits TEXT NOT NULL DEFAULT '{}', refusal TEXT, stamp TEXT NOT NULL DEFAULT '', used_at INTEGER NOT NULL DEFAULT 0, expired_at REAL, expired_below INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
INSERT INTO "sessions" VALUES('golden','','',NULL,3,4,2,1,'','anthropic/claude-sonnet-4-5',NULL,NULL,NULL,NULL,NULL,0,NULL,0,0,0,0,0,-1000000,'[2]','[]','[]','[]',0,0,'{"anthropic/claude-sonnet-4-5": [1200.0, 1.1]}','{}',NULL,'0123456789abcdef',1700000000,NULL,0);
CREATE TABLE source_contents (
    hash BLOB NOT NULL,
    codec TEXT NOT NULL,
    bytes BLOB NOT NULL
);
INSERT INTO "source_contents" VALUES(X'1F5087DB919CED5C123C7F507D3FCCE818CB0CF6E77C2F95A8A35E951E03FDB9','plain',X'7175657374696F6E');
INSERT INTO "source_contents" VALUES(X'E0EE8BB50685E05FA0F47ED04203AE953FDFD055F5BD2892EA186504254F8C3A','plain',X'6F7574707574');
INSERT INTO "source_contents" VALUES(X'4CF29611A66934862F29ACFCC817E30B905C1AB73D5E65831413EB6B454D49DB','plain',X'7B22636F6D6D616E64223A226C73227D');
INSERT INTO "source_contents" VALUES(X'5D59285696943B8DE7CD8CCAD15D05D74BCFADD757AEEF7611F21146C96923D7','zstd:1',X'28B52FFD204165000018690A6402004D214291271B');
CREATE TABLE source_dictionaries (
    id INTEGER PRIMARY KEY,
    sha256 BLOB NOT NULL,
    bytes BLOB NOT NULL
);
INSERT INTO "source_dictionaries" VALUES(1,X'891C7FD0C74A40A3E16D21E33CF517098C5C0750E2087E7FF9D512D62F443487',X'28B52FFD2040E501004403646566206F70656E5F73657373696F6E2870617468293A0A2020202072657475726E20530A696D706F7274206173796E63696F0A01006C6E3E01');
CREATE TABLE source_dictionaries_again (
    id INTEGER PRIMARY KEY,
    sha256 BLOB NOT NULL,
    bytes BLOB NOT NULL
);
INSERT INTO "source_dictionaries_again" VALUES(1,X'891C7FD0C74A40A3E16D21E33CF517098C5C0750E2087E7FF9D512D62F443487',X'28B52FFD2040E501004403646566206F70656E5F73657373696F6E2870617468293A0A2020202072657475726E20530A696D706F7274206173796E63696F0A01006C6E3E01');
CREATE TABLE stale_reasoning (
    session TEXT NOT NULL,
    owner TEXT NOT NULL,
    part_ordinal INTEGER NOT NULL,
    PRIMARY KEY (session, owner, part_ordinal)
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
INSERT INTO "tags" VALUES('golden',1,'message','u1','',0,'',1,'user','',1,1,0,3,X'1F5087DB919CED5C123C7F507D3FCCE818CB0CF6E77C2F95A8A35E951E03FDB9',0,X'',X'',1,'active',NULL,NULL,0,0);
INSERT INTO "tags" VALUES('golden',2,'tool','a1','call-1',0,'r1',3,'user','bash',2,1,5,2,X'E0EE8BB50685E05FA0F47ED04203AE953FDFD055F5BD2892EA186504254F8C3A',0,X'',X'4CF29611A66934862F29ACFCC817E30B905C1AB73D5E65831413EB6B454D49DB',1,'active',NULL,NULL,0,0);
CREATE TABLE upkeep (
    id INTEGER PRIMARY KEY,
    last_at INTEGER NOT NULL,
    sweeps_owed INTEGER NOT NULL
);
INSERT INTO "upkeep" VALUES(1,1700000000,0);
CREATE TABLE wire (
    session TEXT NOT NULL,
    run INTEGER NOT NULL,
    digests BLOB NOT NULL,
    owners BLOB NOT NULL,
    PRIMARY KEY (session, run)
);
CREATE UNIQUE INDEX tags_by_part ON tags (session, kind, owner, call_id, part_ordinal);
CREATE INDEX sources_by_hash ON source_contents (substr(hash, 1, 4));
