-- safe
-- Campaigns: texts or a template for up to 100,000 recipients, kept as a draft and fed to the intake by a duty of the nodes.
create table campaign (
  id uuid primary key,
  account_id integer not null references account (id) on delete cascade,
  name text not null,
  state text not null default 'draft',
  -- Why it is paused.
  pause_reason text,
  created_by text not null,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  changed_at timestamptz not null default now(),
  sender text,
  -- One text for all, with a placeholder for each column; null: a template, or each row has its own text.
  content text,
  template_id text,
  -- Names of the values of each row.
  columns text[] not null,
  skip_duplicates boolean not null,
  send_at timestamptz,
  -- Rows sent up, and what was found about them then.
  rows integer not null default 0,
  faulty integer not null default 0,
  blocked integer not null default 0,
  duplicates integer not null default 0,
  expected_parts bigint not null default 0,
  expected_cost bigint not null default 0,
  -- Rows up to this number have their outcome. It moves in the transaction that accepts their messages.
  fed integer not null default 0,
  fed_at timestamptz,
  accepted integer not null default 0,
  refused integer not null default 0,
  skipped integer not null default 0,
  parts bigint not null default 0,
  cost bigint not null default 0,
  -- Stopped, and messages of rows after this number may still wait.
  canceling boolean not null default false,
  canceled_to integer not null default 0,
  canceled integer not null default 0,
  constraint campaign_state_is_known check (state in ('draft', 'sending', 'paused', 'stopped', 'done')),
  constraint pause_reason_is_known check (pause_reason in ('person', 'credit', 'permission', 'restored'))
) with (fillfactor = 50);

create index campaign_of_account on campaign (account_id, id);
create index campaign_at_work on campaign (id) where state = 'sending' or canceling;

create table campaign_row (
  campaign_id uuid not null references campaign (id) on delete cascade,
  -- In the order of the file, from 1.
  number integer not null,
  -- 989…, or as it was given if it is no number.
  recipient text not null,
  -- The values of the columns; empty once a message is accepted.
  given jsonb not null,
  -- An earlier row with the same recipient.
  duplicate_of integer,
  -- As found when the row was sent up, and again when it was fed.
  fault jsonb,
  message_id uuid,
  primary key (campaign_id, number)
) with (fillfactor = 70);

create index campaign_row_by_recipient on campaign_row (campaign_id, recipient);
