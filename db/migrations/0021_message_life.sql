-- safe
-- What is kept of a message's life: how each part was submitted and answered, answers that did not take it, and its receipts
-- (docs/decisions/0032-what-is-kept-of-a-message.md). Rows of an older version have none of it.

-- One row each time a process enters as a node, so that a submission needs 4 octets to name it. Kept as long as messages.
create table node_run (
  number integer generated always as identity primary key,
  node_id uuid not null,
  host text not null,
  pid integer not null,
  started_at timestamptz not null default now()
);

-- Milliseconds from writing the part to recording it, and to its answer. submitted_at is when it was recorded.
alter table submission
  add column recorded_ms integer,
  add column answer_ms integer,
  add column node integer,
  add column bind_number smallint;

-- Answers that did not take a part, equal ones in a row counted (src/sms/not-taken.ts). Null for nearly all messages.
alter table message add column not_taken jsonb;

alter table unmatched_receipt add column content text;

-- The first receipts of a part, and repeated ones up to ten a part. State and error are "" where the operator gave none.
create table receipt (
  received_at timestamptz not null,
  message_id uuid not null,
  account_id integer not null,
  connector_id integer not null,
  part smallint not null,
  repeated boolean not null,
  state text not null,
  error text not null,
  content text not null
) partition by range (received_at);
create index receipt_by_message on receipt using brin (message_id uuid_minmax_multi_ops) with (pages_per_range = 64, autosummarize = on);
create index receipt_repeated on receipt (message_id, part) where repeated;

-- On the parent alone; parts that stand get it in the background (src/store/background-indexes.ts).
create index submission_by_message on only submission using brin (message_id uuid_minmax_multi_ops)
  with (pages_per_range = 64, autosummarize = on);
