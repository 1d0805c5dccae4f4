-- safe
-- What a node tells staff of its binds (hodhod links). None of it is in an index, so that it changes without touching one.
alter table bind_lease
  add column changed_at    timestamptz not null default now(), -- when it came up or went down, last
  add column in_flight     integer not null default 0,         -- submit_sm without an answer, a second ago
  add column last_error    text,
  add column last_error_at timestamptz;
