-- safe
-- What each node sees, one row a node, written anew each second. Unlogged: it costs no WAL, and after a crash of PostgreSQL it is empty for
-- a second.
create unlogged table node_figures (
  -- Of the process, for as long as it lives.
  process_id uuid primary key,
  host text not null,
  at timestamptz not null,
  figures jsonb not null
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
-- On the row's own page, so that a new state of it leaves nothing behind elsewhere.
alter table node_figures alter column figures set storage main;

-- What each process has counted in a minute, and all of them together in an hour. Times are the beginnings.
create table figures_of_minute (
  at timestamptz not null,
  process_id uuid not null,
  accepted integer not null,
  sent integer not null,
  delivered integer not null,
  undelivered integer not null,
  unsent integer not null,
  taken integer not null,
  refused integer not null,
  throttled integer not null,
  unanswered integer not null,
  answers integer not null,
  -- Milliseconds from a submit_sm to its answer: half of the answers took at most the first, 95 of 100 at most the second.
  median_ms integer not null,
  slow_ms integer not null,
  primary key (at, process_id)
);

create table figures_of_hour (
  at timestamptz primary key,
  accepted bigint not null,
  sent bigint not null,
  delivered bigint not null,
  undelivered bigint not null,
  unsent bigint not null,
  taken bigint not null,
  refused bigint not null,
  throttled bigint not null,
  unanswered bigint not null,
  answers bigint not null,
  median_ms integer not null,
  -- The highest of its minutes.
  slow_ms integer not null
);
