-- safe
-- Messages, parts and rials by day, line, operator and status, counted behind the traffic.
create table report_day (
  account_id integer not null,
  -- Of the acceptance, in the time zone of the reports.
  day date not null,
  line text not null,
  operator text not null,
  status smallint not null,
  messages bigint not null,
  parts bigint not null,
  charged bigint not null,
  -- Stands at status 4, even where a late receipt changes the status of a refunded message.
  refunded bigint not null,
  primary key (account_id, day, line, operator, status)
) with (fillfactor = 50);

-- Messages that were counted and whose status may still change, with the status that they were counted under.
create table report_open (
  account_id integer not null,
  message_id uuid not null,
  status smallint not null,
  -- When it came to this status, or later.
  since timestamptz not null default now(),
  primary key (account_id, message_id)
);

-- Counted messages whose status may have changed since. Written by the statements that change them.
create table report_change (
  id bigint generated always as identity primary key,
  account_ids integer[] not null,
  message_ids uuid[] not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- How far the reports have come. Ids carry the time of acceptance.
create table report_progress (
  only_row boolean primary key default true,
  -- Empty before the first round.
  time_zone text not null default '',
  -- Changes of messages with lower ids are noted in report_change.
  noted_until uuid not null default '00000000-0000-0000-0000-000000000000',
  -- When that was announced.
  announced_at timestamptz not null default '-infinity',
  -- Messages and refunds with lower ids are counted.
  counted_until uuid not null default '00000000-0000-0000-0000-000000000000',
  corrected_at timestamptz not null default '-infinity',
  constraint report_progress_is_one_row check (only_row)
);
insert into report_progress default values;
