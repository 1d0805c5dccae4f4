-- safe
-- The log of events: written by the statements that make the changes, for accounts that want them (docs/decisions: outbox and position).

create table event (
  -- The moment of the change.
  at timestamptz not null,
  -- The id of the writing transaction, plus the shift of the log.
  position bigint not null,
  -- What it is about: a message, a received message, or nothing that has an id.
  subject_id uuid not null,
  account_id integer not null,
  -- As src/sms/event-types.ts numbers them.
  type smallint not null,
  -- Of a message, with the change.
  reason smallint,
  -- What is told of an event that is about nothing that is stored.
  detail json
) partition by range (at);
create index event_by_account on event (account_id, position);
create index event_by_position on event (position);
create index event_by_subject on event (subject_id);

create table event_log (
  is_only boolean primary key default true,
  -- What a transaction's id is raised by, so that positions go on rising in a restored database.
  shift bigint not null default 0,
  constraint event_log_has_one_row check (is_only)
);
insert into event_log default values;

-- Masks of types (src/sms/event-types.ts).
create table wanted_events (
  account_id integer primary key references account on delete cascade,
  by_endpoints integer not null default 0,
  -- All types, while somebody reads the log.
  by_reader integer not null default 0,
  read_until timestamptz
);
create trigger note_inserted after insert on wanted_events referencing new table as new_rows for each statement execute function note_changed_rows('account', 'account_id', 'read_until');
create trigger note_updated after update on wanted_events referencing old table as old_rows new table as new_rows for each statement execute function note_changed_rows('account', 'account_id', 'read_until');
create trigger note_deleted after delete on wanted_events referencing old table as old_rows for each statement execute function note_changed_rows('account', 'account_id', 'read_until');
create trigger note_truncated after truncate on wanted_events for each statement execute function note_changed_rows('account', 'account_id', 'read_until');
