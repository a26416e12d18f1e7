-- Orrery profile, schema version 2 (PRAGMA user_version). docs/schema.md explains every table and column.
-- Times are integer nanoseconds. `*_id` columns that name text point to strings.id. Unknown is NULL, never 0.
CREATE TABLE strings(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE metadata(rank_id INTEGER, key TEXT NOT NULL, value TEXT NOT NULL) STRICT;
CREATE TABLE ranks(
    id INTEGER PRIMARY KEY,         -- one recorded process
    file TEXT NOT NULL,             -- base name of the file it was read from
    source TEXT NOT NULL,           -- kineto, orrery, nsys, ...
    rank INTEGER, world_size INTEGER,
    host TEXT, pid INTEGER,
    clock_offset_ns INTEGER NOT NULL DEFAULT 0,  -- add to this rank's times to reach the common axis
    clock_uncertainty_ns INTEGER,
    base_time_ns INTEGER) STRICT;   -- unix time of time 0, where known
CREATE TABLE devices(
    rank_id INTEGER NOT NULL REFERENCES ranks(id), device INTEGER NOT NULL, name TEXT,
    memory_bytes INTEGER, multiprocessors INTEGER, PRIMARY KEY(rank_id, device)) STRICT;
CREATE TABLE streams(
    rank_id INTEGER NOT NULL, device INTEGER NOT NULL, stream INTEGER NOT NULL, name TEXT,
    PRIMARY KEY(rank_id, device, stream)) STRICT;
CREATE TABLE kernels(
    id INTEGER PRIMARY KEY, rank_id INTEGER NOT NULL, device INTEGER NOT NULL, stream INTEGER NOT NULL,
    start_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL, name_id INTEGER NOT NULL, op_class INTEGER NOT NULL,
    correlation INTEGER, graph_node INTEGER, collective_id INTEGER, step INTEGER) STRICT;
CREATE TABLE copies(
    id INTEGER PRIMARY KEY, rank_id INTEGER NOT NULL, device INTEGER NOT NULL, stream INTEGER NOT NULL,
    start_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL, name_id INTEGER NOT NULL, bytes INTEGER,
    is_memset INTEGER NOT NULL, correlation INTEGER) STRICT;
CREATE TABLE threads(rank_id INTEGER NOT NULL, thread INTEGER NOT NULL, name TEXT, PRIMARY KEY(rank_id, thread)) STRICT;
CREATE TABLE ranges(
    id INTEGER PRIMARY KEY, rank_id INTEGER NOT NULL, thread INTEGER NOT NULL, end_thread INTEGER,
    start_ns INTEGER NOT NULL, duration_ns INTEGER,  -- NULL: still open when the record ended; 0 for a mark
    kind INTEGER NOT NULL,                           -- 0 push/pop, 1 start/end, 2 mark
    depth INTEGER NOT NULL,                          -- nesting on its thread, 0 outermost
    domain_id INTEGER, category_id INTEGER, name_id INTEGER NOT NULL, color INTEGER) STRICT;
CREATE TABLE payload_schemas(id INTEGER PRIMARY KEY, domain_id INTEGER, name_id INTEGER NOT NULL) STRICT;
CREATE TABLE payload_fields(
    schema_id INTEGER NOT NULL REFERENCES payload_schemas(id), position INTEGER NOT NULL,  -- value is in payloads.v<position>
    name TEXT NOT NULL, type TEXT NOT NULL, PRIMARY KEY(schema_id, position)) STRICT;
CREATE TABLE payloads(
    range_id INTEGER NOT NULL, schema_id INTEGER NOT NULL,
    v0 ANY, v1 ANY, v2 ANY, v3 ANY, v4 ANY, v5 ANY, v6 ANY, v7 ANY, v8 ANY, v9 ANY, v10 ANY, v11 ANY) STRICT;
CREATE TABLE process_groups(
    id INTEGER PRIMARY KEY, rank_id INTEGER NOT NULL, name TEXT NOT NULL, description TEXT,
    size INTEGER, ranks TEXT) STRICT;                -- ranks: comma-separated global ranks, NULL when not known in full
CREATE TABLE collectives(
    id INTEGER PRIMARY KEY, rank_id INTEGER NOT NULL, kind INTEGER NOT NULL, bytes INTEGER, group_id INTEGER,
    group_size INTEGER, dtype TEXT, algorithm TEXT, protocol TEXT, sequence INTEGER, peer INTEGER,
    start_ns INTEGER, duration_ns INTEGER) STRICT;
CREATE TABLE steps(
    rank_id INTEGER NOT NULL, step INTEGER NOT NULL, start_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL) STRICT;
CREATE TABLE clock_samples(
    rank_id INTEGER NOT NULL, profile_ns INTEGER NOT NULL, realtime_ns INTEGER NOT NULL, monotonic_raw_ns INTEGER NOT NULL,
    tsc INTEGER, window_ns INTEGER NOT NULL) STRICT; -- window: how long taking the pair took, its uncertainty
CREATE TABLE losses(rank_id INTEGER NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL) STRICT;
CREATE TABLE measurements(
    id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, ranks INTEGER, nodes INTEGER, bytes INTEGER, time_ns INTEGER,
    algbw REAL, busbw REAL, dtype TEXT, in_place INTEGER, link TEXT) STRICT;  -- sweeps of benchmarks (nccl-tests)
-- Since version 2: what recording on a GPU adds.
CREATE TABLE api_calls(
    id INTEGER PRIMARY KEY, rank_id INTEGER NOT NULL, thread INTEGER NOT NULL, start_ns INTEGER NOT NULL,
    duration_ns INTEGER NOT NULL, name_id INTEGER NOT NULL, correlation INTEGER) STRICT;  -- launches and waits of the host
CREATE TABLE synchronizations(
    id INTEGER PRIMARY KEY, rank_id INTEGER NOT NULL, context INTEGER, stream INTEGER, event INTEGER,
    start_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL, name_id INTEGER NOT NULL, correlation INTEGER) STRICT;
CREATE TABLE cuda_events(
    id INTEGER PRIMARY KEY, rank_id INTEGER NOT NULL, device INTEGER, context INTEGER, stream INTEGER, event INTEGER,
    time_ns INTEGER, correlation INTEGER) STRICT;
CREATE TABLE profiling_overheads(
    rank_id INTEGER NOT NULL, thread INTEGER, start_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL,
    name_id INTEGER NOT NULL) STRICT;            -- what recording itself cost, as the driver tells it
CREATE TABLE external_correlations(
    rank_id INTEGER NOT NULL, correlation INTEGER NOT NULL, kind INTEGER NOT NULL, external_id INTEGER NOT NULL) STRICT;
CREATE TABLE gpu_clock_samples(
    rank_id INTEGER NOT NULL, profile_ns INTEGER NOT NULL, gpu_ns INTEGER NOT NULL, window_ns INTEGER NOT NULL) STRICT;
CREATE TABLE capture_windows(
    rank_id INTEGER NOT NULL, start_ns INTEGER NOT NULL, end_ns INTEGER, reason TEXT NOT NULL) STRICT;
