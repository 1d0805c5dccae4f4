-- safe
-- The limits of accounts (docs/rules.md): what was accepted a short time ago, and what an account has used of its day and month.

-- Only of accounts with duplicateSeconds. A row counts while its message exists and did not end unsent: a call that was not stored may leave rows.
create table recent_text (
  account_id integer not null,
  -- Of sender, recipient and text.
  hash bytea not null,
  message_id uuid not null,
  accepted_at timestamptz not null,
  primary key (account_id, hash)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);

-- Only of accounts with dailyMessages, monthlyCost or lowCredit. Locked after the row of account_balance.
create table account_usage (
  account_id integer primary key references account on delete cascade,
  -- Null: not counted, because the account has no such limit, or has just got one.
  day_from timestamptz,
  day_until timestamptz,
  messages bigint not null default 0,
  month_from timestamptz,
  month_until timestamptz,
  -- Rials: charges less the refunds of messages of that month.
  cost bigint not null default 0,
  -- credit.low was told, and no credit has ended that yet.
  low_told boolean not null default false,
  -- Credit was booked since.
  credit_booked boolean not null default false
) with (fillfactor = 20);

alter table campaign drop constraint pause_reason_is_known;
alter table campaign add constraint pause_reason_is_known check (pause_reason in ('person', 'credit', 'ceiling', 'permission', 'restored'));
