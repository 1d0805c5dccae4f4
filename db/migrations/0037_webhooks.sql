-- safe
-- Endpoints of webhooks (configuration), and what their sending has come to (docs/webhooks.md).

create table webhook_endpoint (
  id uuid primary key,
  account_id integer not null references account on delete cascade,
  name text not null,
  url text not null,
  -- Types, beginnings with ".*", or "*".
  events text[] not null,
  batch_size smallint not null default 1,
  enabled boolean not null default true,
  -- Raised each time it is enabled: what an earlier time left over counts no more.
  epoch integer not null default 0,
  -- Only where we disabled it: gone, failing.
  disabled_reason text,
  -- The types of a disabled one stay wanted for 30 days.
  disabled_at timestamptz,
  -- As they are, since they sign.
  secret text not null,
  old_secret text,
  old_secret_until timestamptz,
  created_at timestamptz not null default now(),
  constraint webhook_endpoint_name_is_once unique (account_id, name)
);
create trigger note_inserted after insert on webhook_endpoint referencing new table as new_rows for each statement execute function note_changed_rows('account', 'account_id');
create trigger note_updated after update on webhook_endpoint referencing old table as old_rows new table as new_rows for each statement execute function note_changed_rows('account', 'account_id');
create trigger note_deleted after delete on webhook_endpoint referencing old table as old_rows for each statement execute function note_changed_rows('account', 'account_id');
create trigger note_truncated after truncate on webhook_endpoint for each statement execute function note_changed_rows('account', 'account_id');

-- Written by the node that sends, once for many events.
create table webhook_progress (
  endpoint_id uuid primary key references webhook_endpoint on delete cascade,
  epoch integer not null,
  -- A place in the log: what lies up to it was delivered, or waits in webhook_retry.
  position bigint not null,
  event_id uuid not null,
  -- As src/webhooks/endpoint-health.ts has it.
  health json,
  last_success_at timestamptz,
  last_failure_at timestamptz
) with (fillfactor = 70);

-- Requests that failed and are tried again.
create table webhook_retry (
  endpoint_id uuid not null references webhook_endpoint on delete cascade,
  -- The header webhook-id.
  request_id uuid not null,
  event_ids uuid[] not null,
  -- When the first of its events happened.
  happened_at timestamptz not null,
  tries smallint not null,
  due_at timestamptz not null,
  primary key (endpoint_id, request_id)
);
create index webhook_retry_by_due on webhook_retry (endpoint_id, due_at);

-- What customers or staff asked to be sent again: these events, or those of a time.
create table webhook_replay (
  endpoint_id uuid primary key references webhook_endpoint on delete cascade,
  event_ids uuid[],
  from_at timestamptz,
  to_at timestamptz,
  -- Places in the log: where it goes on, and where it ends.
  position bigint not null,
  event_id uuid not null,
  until_position bigint not null,
  until_event_id uuid not null,
  started_at timestamptz not null default now()
);

-- Every failure of 7 days, and of successes the first in each 10 s; of an endpoint the newest 1,000.
create table webhook_attempt (
  -- UUIDv7 of its beginning.
  id uuid primary key,
  endpoint_id uuid not null references webhook_endpoint on delete cascade,
  event_ids uuid[] not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  http_status smallint,
  -- As src/webhooks/request-poster.ts names it; null: it succeeded.
  failure text,
  next_attempt_at timestamptz
);
create index webhook_attempt_of_endpoint on webhook_attempt (endpoint_id, id);

-- An account's endpoints belong to one of these slots, and a slot to the node that sends its events.
create table webhook_lease (
  slot smallint primary key,
  node_id uuid not null
);

alter table node add column sends_webhooks boolean not null default false;
