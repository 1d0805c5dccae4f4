-- safe
-- The whole schema. Money is bigint rials; times are timestamptz; messages carry UUIDv7 keys, which hold the millisecond of
-- acceptance, so that tables can be cut by time without another column.

-- ---------------------------------------------------------------- configuration: what `hodhod apply` and the console write

-- One row. Its version rises with every change, and running nodes reload when they see it rise.
create table configuration (
  only_row boolean primary key default true,
  version bigint not null default 1,
  -- Equal marks mean equal configurations, also where a restored database counts its versions once more.
  mark uuid not null default gen_random_uuid(),
  constraint configuration_is_one_row check (only_row)
);
insert into configuration default values;

-- Each object of the configuration that has no table of its own (src/fields): by the key that the setup file knows it by, and with the rows
-- of ordered lists in their order. Objects refer to each other by name, which is checked before they are written.
create table configured_object (
  id integer generated always as identity primary key,
  section text not null, -- of the setup file
  name text not null,
  position integer not null default 0,
  body json not null, -- every other key of the setup file, defaults filled in, checked when written; `json` keeps their order
  constraint object_name_is_once unique (section, name)
);

create table ported_number (
  number text primary key, -- 989121112233
  operator_id integer not null references configured_object on delete cascade
);
-- Asked when any object is removed.
create index ported_number_by_operator on ported_number (operator_id);

-- Ported numbers that were imported, packed in blocks (docs/decisions/0035-numbers-by-the-million.md). Those in ported_number win.
create table ported_block (
  -- The last nine digits of its numbers, divided by 65,536.
  block integer not null,
  operator_id integer not null references configured_object on delete cascade,
  -- The remainders, ascending, each in two octets, little-endian.
  numbers bytea not null,
  primary key (block, operator_id),
  constraint block_holds_numbers check (octet_length(numbers) between 2 and 131072 and octet_length(numbers) % 2 = 0)
);
-- They hardly compress, and a length is read without them.
alter table ported_block alter column numbers set storage external;
create index ported_block_by_operator on ported_block (operator_id);

-- A connector that staff have removed, for as long as receipts may speak of what it sent: which link it was, and no secret.
create table removed_connector (
  connector_id integer primary key,
  settings jsonb not null, -- host, port, systemId and receiptGroup
  removed_at timestamptz not null default now()
);

create table account (
  id integer generated always as identity primary key,
  name text not null unique,
  domain text not null,
  tariff text not null, -- its name
  lines text[] not null default '{}', -- the numbers of those that it may send from
  permissions text[] not null default '{*}',
  requests_per_second double precision not null default 0, -- 0: no limit
  allowed_ips text[] not null default '{}',
  blocked_recipients text[] not null default '{}', -- 989…
  created_at timestamptz not null default now(),
  low_credit bigint not null default 0, -- below it staff are told; 0: never
  duplicate_seconds integer not null default 0, -- this and the next two: 0: no limit
  daily_messages bigint not null default 0,
  monthly_cost bigint not null default 0,
  tidy_texts boolean not null default false
);

-- Who may sign in: staff, and users of accounts, with what a second factor needs.
create table person (
  id integer generated always as identity primary key,
  account_id integer references account on delete cascade, -- null: of the staff
  username text not null,
  password_hash text not null, -- argon2id, PHC string
  -- Rises with every change of the person; sessions and tokens carry it, so that a change ends them.
  password_version integer not null default 1,
  password_set_by text, -- who has set the password, if the person has not: they must change it first
  role text not null,
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  factor_secret bytea,
  pending_secret bytea, -- given out, and not confirmed by a code yet
  recovery_codes bytea[] not null default '{}', -- SHA-256 of those that are left
  -- The time step of the last code that was taken: no code of it or of an earlier one is taken again.
  factor_step bigint not null default 0,
  factor_tries integer not null default 0,
  factor_tries_since timestamptz not null default now(),
  constraint username_is_unique_in_its_account unique nulls not distinct (account_id, username),
  constraint role_is_known check (
    role in ('owner', 'sender', 'reader') and account_id is not null
    or role in ('administrator', 'operator', 'sales', 'viewer') and account_id is null
  )
);

create table api_key (
  id integer generated always as identity primary key,
  account_id integer not null references account on delete cascade,
  name text not null,
  key_sha256 bytea not null unique,
  allowed_ips text[] not null default '{}',
  last_four text, -- null: it came from a setup file, which gives only its hash
  created_at timestamptz,
  last_used_at timestamptz,
  expires_at timestamptz, -- from then on calls with it are refused; null: never
  retired boolean not null default false, -- replaced by a newer one, and good for a time besides
  constraint key_name_is_unique_in_its_account unique (account_id, name)
);

create table template (
  id text primary key,
  account_id integer not null references account on delete cascade,
  content text not null,
  sender text, -- a line number, service, advertising, or none
  approved boolean not null default false,
  valid_seconds integer,
  refused_reason text, -- null: approved, or waiting to be looked at
  asked_at timestamptz not null default now(), -- of its present text
  purpose text not null default 'code',
  tlvs jsonb not null default '[]', -- optional parameters of each submit_sm
  constraint approved_template_is_not_refused check (not approved or refused_reason is null),
  constraint purpose_is_known check (purpose in ('code', 'information'))
);
create index template_by_account on template (account_id);
create index template_of_sender on template (sender, id) where sender is not null;

-- Block lists by name (docs/rules.md), their numbers packed as those of ported_block.
create table block_list (
  id integer generated always as identity primary key,
  name text not null unique,
  -- When numbers last changed.
  updated_at timestamptz not null default now()
);

create table listed_block (
  -- The last nine digits of its numbers, divided by 65,536.
  block integer not null,
  list_id integer not null references block_list on delete cascade,
  -- The remainders, ascending, each in two octets, little-endian.
  numbers bytea not null,
  primary key (block, list_id),
  constraint block_holds_numbers check (octet_length(numbers) between 2 and 131072 and octet_length(numbers) % 2 = 0)
);
alter table listed_block alter column numbers set storage external;
create index listed_block_by_list on listed_block (list_id);

-- Endpoints of webhooks (docs/webhooks.md).
create table webhook_endpoint (
  id uuid primary key,
  account_id integer not null references account on delete cascade,
  name text not null,
  url text not null,
  -- Types, beginnings with ".*", or "*".
  events text[] not null,
  batch_size smallint not null default 1,
  enabled boolean not null default true,
  -- Only where we disabled it: gone, failing.
  disabled_reason text,
  -- The types of a disabled one stay wanted for 30 days.
  disabled_at timestamptz,
  -- As they are, since they sign.
  secret text not null,
  old_secret text,
  old_secret_until timestamptz,
  -- The latest ten tests, newest first: all nodes count them together.
  tested_at timestamptz[] not null default '{}',
  created_at timestamptz not null default now(),
  constraint webhook_endpoint_name_is_once unique (account_id, name)
);

-- Which events of an account are logged: masks of types (src/sms/event-types.ts).
create table wanted_events (
  account_id integer primary key references account on delete cascade,
  by_endpoints integer not null default 0,
  -- All types, while somebody reads the log.
  by_reader integer not null default 0,
  read_until timestamptz
);

-- Keys that sign access tokens. The newest signs; older ones verify until retired_at.
create table token_key (
  id integer generated always as identity primary key,
  secret bytea not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);

-- ---------------------------------------------------------------- what changed in the configuration

-- From one version to the next, so that a node reads only that (docs/decisions/0012-configuration-in-memory.md). Written by triggers,
-- so that no statement can forget it. They belong to the tables; what they call is replaced when a backup is restored, which drops
-- the tables only.

-- The versions whose changes since then are all known.
create table configuration_step (
  version bigint primary key,
  mark uuid not null unique
);
insert into configuration_step (version, mark) select version, mark from configuration;

create table configuration_change (
  -- The one that the change is raised to, or an earlier one.
  version bigint not null,
  kind text not null,
  -- Of accounts and ported numbers; null: all of them.
  keys text[],
  constraint changed_kind_is_known check (kind in ('network', 'account', 'portedNumber', 'portedBlock', 'listedBlock')),
  constraint network_is_read_whole check (kind <> 'network' or keys is null)
);
create index configuration_change_by_version on configuration_change (version);

-- Locks the configuration, as every change does, because its next version has to stay the next one.
create or replace function note_configuration_change(changed_kind text, changed_keys text[]) returns void language sql as $$
  with current as (
    -- A backup brings its own notes.
    select version + 1 as next from configuration where current_setting('hodhod.restoring', true) is distinct from 'on' for update
  )
  insert into configuration_change (version, kind, keys)
  select next, changed_kind, changed_keys from current
   where changed_keys is not null
      or not exists (select from configuration_change c where c.version = next and c.kind = changed_kind and c.keys is null)
$$;

-- Arguments: the kind, the column of the key ('' for the network), and the columns that nodes do not read.
create or replace function note_changed_rows() returns trigger language plpgsql as $$
declare
  -- With more rows it is cheaper to read all.
  most constant integer := 5000;
  touched integer;
  found text[];
begin
  if tg_op = 'TRUNCATE' then
    touched := most + 1;
  elsif tg_op = 'UPDATE' then
    select count(*) into touched from (select from new_rows limit most + 1) as changed;
    if touched <= most then
      with before as (select to_jsonb(o) - tg_argv[2:] as stored from old_rows o),
      after as (select to_jsonb(n) - tg_argv[2:] as stored from new_rows n),
      changed as ((select stored from before except select stored from after) union all (select stored from after except select stored from before))
      select count(*), array_agg(distinct stored ->> tg_argv[1]) into touched, found from changed;
    end if;
  else
    if tg_op = 'INSERT' then
      select count(*) into touched from (select from new_rows limit most + 1) as changed;
    else
      select count(*) into touched from (select from old_rows limit most + 1) as changed;
    end if;
    if tg_argv[0] <> 'network' and touched between 1 and most then
      execute format('select array_agg(distinct %I::text) from %I', tg_argv[1], case tg_op when 'INSERT' then 'new_rows' else 'old_rows' end) into found;
    end if;
  end if;
  -- Staff belong to no account.
  found := array_remove(found, null);
  if touched > 0 and (tg_argv[0] = 'network' or found is distinct from '{}') then
    perform note_configuration_change(tg_argv[0], case when tg_argv[0] <> 'network' and touched <= most then found end);
  end if;
  return null;
end $$;

-- Notes the blocks of changed rows. Argument: the kind. Apart from note_changed_rows, which looks into all columns.
create or replace function note_changed_blocks() returns trigger language plpgsql as $$
declare
  found text[];
begin
  if tg_op = 'TRUNCATE' then
    perform note_configuration_change(tg_argv[0], null);
  elsif tg_op = 'DELETE' then
    select array_agg(distinct block::text) into found from old_rows;
  else
    select array_agg(distinct block::text) into found from new_rows;
  end if;
  if found is not null then
    perform note_configuration_change(tg_argv[0], found);
  end if;
  return null;
end $$;

-- Only the last thousand versions: a node that is further behind reads everything.
create or replace function note_configuration_step() returns trigger language plpgsql as $$
begin
  if new.version <> old.version then
    new.mark := gen_random_uuid();
    delete from configuration_step where version >= new.version or version <= new.version - 1000;
    delete from configuration_change where version <= new.version - 1000;
    insert into configuration_step (version, mark) values (new.version, new.mark);
  end if;
  return new;
end $$;
create trigger note_configuration_step before update on configuration for each row execute function note_configuration_step();

-- ---------------------------------------------------------------- people

-- A session is good only while its person has this version.
create table console_session (
  id uuid primary key,
  token_sha256 bytea not null unique,
  person_id integer not null references person on delete cascade,
  password_version integer not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  address text not null,
  user_agent text not null
) with (fillfactor = 80);
create index console_session_by_person on console_session (person_id);

-- Append-only; what is older than the retention is dropped.
create table audit_entry (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  who text not null,
  address text,
  action text not null,
  kind text not null,
  name text not null,
  account text,
  before jsonb,
  after jsonb
);
create index audit_entry_by_object on audit_entry (kind, name, id);
create index audit_entry_by_time on audit_entry using brin (at);

-- From where people signed in within the last 30 days, so that a flood of guesses does not keep them out after a restart, or on another
-- node. The rows outlive the person: no foreign key, so that a login waits for no change of people.
create table login_origin (
  person_id integer not null,
  address_hash bytea not null,
  seen_at timestamptz not null,
  primary key (person_id, address_hash)
);
create index login_origin_by_time on login_origin (seen_at);

-- ---------------------------------------------------------------- money

-- One narrow row an account, apart from `account`, because every accepting transaction updates it (kept HOT by the fill factor).
create table account_balance (
  account_id integer primary key references account on delete cascade,
  balance bigint not null default 0,
  unlimited boolean not null default false,
  constraint balance_is_never_below_zero check (balance >= 0 or unlimited)
) with (fillfactor = 20);

-- Every movement of money. The sum over an account is its balance, always: both change in the same transaction.
-- A charge carries its batch's id as its own: one movement a batch. Cut by time; when old parts are dropped,
-- their sum is carried forward by one entry an account. A void entry (amount 0) marks a batch id as never to be charged: its
-- accepting statement was cut off, and the caller was told that nothing was stored.
create table ledger_entry (
  account_id integer not null,
  id uuid not null,
  kind text not null, -- opening, credit, charge, refund, carried, void
  amount bigint not null, -- signed: a charge is negative
  messages integer not null default 0,
  message_id uuid, -- of a refund
  reference text, -- of a credit booked by staff
  created_at timestamptz not null default now(),
  primary key (account_id, id)
) partition by range (id);

-- The references of credits booked by staff: a reference is booked once, whatever happens to old ledger entries.
create table credit_reference (
  account_id integer not null references account on delete cascade,
  reference text not null,
  entry_id uuid not null,
  amount bigint not null,
  primary key (account_id, reference)
);

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

-- Only of accounts with duplicateSeconds. A row counts while its message exists and did not end unsent: a call that was not stored may leave rows.
create table recent_text (
  account_id integer not null,
  -- Of sender, recipient and text.
  hash bytea not null,
  message_id uuid not null,
  accepted_at timestamptz not null,
  primary key (account_id, hash)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);

-- ---------------------------------------------------------------- messages

-- The truth about each accepted message. All messages of a batch carry the batch's millisecond in their key: a batch is
-- found by a range of the primary key, and needs no index of its own. Only columns that no index holds change after
-- the insert, so that updates stay HOT; the fill factor leaves them room.
create table message (
  account_id integer not null,
  id uuid not null,
  batch_id uuid not null,
  sender text not null, -- the line's number, as submitted
  recipient text not null, -- 989…
  given_sender text, -- as the caller wrote it, where it differs
  given_recipient text,
  content text not null,
  language text not null,
  operator text not null,
  encoding text not null,
  parts smallint not null,
  cost bigint not null,
  template_id text,
  status smallint not null default 0,
  reason smallint, -- 1301…1306
  reason_detail text,
  failure jsonb, -- what that detail means by the settings of the connector at that time (src/sms/failure-reason.ts)
  route_id integer not null,
  priority smallint not null,
  send_at timestamptz, -- of a scheduled message
  valid_until timestamptz not null,
  tries smallint not null default 0, -- times it was put back in the queue
  connector_id integer, -- that took it, last
  parts_taken integer not null default 0, -- bit n-1: part n was accepted by an SMSC
  parts_delivered integer not null default 0,
  parts_undelivered integer not null default 0,
  sent_at timestamptz,
  final_at timestamptz,
  -- Of connector_id, while the message waits to be submitted again: parts that were submitted and never answered. Bit n-1: part n;
  -- -1: the whole message in one submit_sm.
  parts_unanswered integer,
  -- Why it waits: how often an operator refused it for now, which connector the last time, with what answer, and when.
  turned_away integer,
  turned_away_by integer,
  turned_away_answer text,
  turned_away_at timestamptz,
  -- What is kept beside the outcome (docs/decisions/0032-what-is-kept-of-a-message.md); null for nearly all messages.
  not_taken jsonb, -- answers that did not take a part, equal ones in a row counted (src/sms/not-taken.ts)
  late_answers jsonb, -- such answers that came after the part had been given up
  orphaned_claims jsonb, -- claims of nodes that died
  purpose smallint, -- where template_id does not say it
  primary key (account_id, id)
) partition by range (id);

-- Serves findMessagesTo: all messages to one number, whosever they are. A summary of 16 pages at a time costs an accepted message 1 µs, where
-- a btree costs 22 (docs/decisions/0020-messages-by-recipient.md).
create index message_by_recipient on message
  using brin (recipient text_bloom_ops (n_distinct_per_range = 330, false_positive_rate = 0.005)) with (pages_per_range = 16, autosummarize = on);

-- Serves the lists of all accounts, which walk back in time (src/store/message-lists.ts, received-lists.ts). Ids carry their time, and rows
-- lie nearly in that order, but for those that came where vacuum had freed room: hence several ranges a summary.
create index message_by_id on message using brin (id uuid_minmax_multi_ops (values_per_range = 8)) with (pages_per_range = 64, autosummarize = on);

-- What waits: one narrow row for each message that no dispatcher holds. Claiming deletes it, so a scan never meets
-- what is under way, and a million rows whose time lies ahead cost an immediate one nothing: the key puts each account's
-- due rows first.
create table message_queue (
  route_id integer not null,
  priority smallint not null, -- 0 one-time codes (template sends), 1 single calls, 2 multi-message calls
  account_id integer not null,
  due_at timestamptz not null,
  message_id uuid not null,
  valid_until timestamptz not null,
  parts smallint not null,
  attempt smallint not null default 0, -- tries that were refused for now
  unanswered smallint not null default 0, -- submissions that were never answered
  window_end timestamptz, -- until when it may be claimed
  wanted_at timestamptz, -- when it would be due without sending hours
  constraint message_queue_pkey primary key (route_id, priority, account_id, due_at, message_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
-- Serves cancelScheduledBatch and takeBackFromQueue: a message's row, whose other key columns are unknown.
create index message_queue_by_message on message_queue (account_id, message_id);

-- What is not due yet has its priority + 8 in message_queue, so that claims do not pass it (docs/decisions/0033-fair-claims.md).
-- Finds what falls due. A message that is due at once has no entry.
create index message_queue_by_due on message_queue (priority, due_at) where priority >= 8;
create index message_queue_by_window on message_queue (window_end) where window_end is not null;

-- Messages that wait until staff allow them (docs/rules.md): in neither queue nor claim, but here.
create table review (
  account_id int not null,
  message_id uuid not null,
  rule text not null,
  valid_until timestamptz not null,
  -- When it would be due without sending hours: it waits for those that count when staff allow it. Null: they did not move it.
  wanted_at timestamptz,
  primary key (account_id, message_id)
);
create index review_by_validity on review (valid_until);
create index review_by_rule on review (rule, message_id);

-- A part that was submitted and never answered, and will not be submitted again: a receipt, or the end of the message's validity, decides.
create table held_message (
  account_id integer not null,
  message_id uuid not null,
  connector_id integer not null,
  recipient text not null, -- a receipt for an unanswered part can be matched by nothing else
  part smallint not null,
  held_until timestamptz not null, -- end of validity; the row stays on for receipts that come later
  primary key (account_id, message_id, part)
);

-- A living process. All it holds (binds, claims) is its own while lease_until lies ahead.
create table node (
  id uuid primary key,
  host text not null,
  started_at timestamptz not null default now(),
  lease_until timestamptz not null,
  configuration_version bigint not null, -- that it works by, so that whoever changes it can wait for all nodes
  dispatches boolean not null default true, -- false: only takes calls, and has no share in binds
  without_address integer[] not null default '{}', -- connectors whose localAddress this machine does not have
  pid integer not null
);

-- One row each time a process enters as a node, so that a submission needs 4 octets to name it. Kept as long as messages.
create table node_run (
  number integer generated always as identity primary key,
  node_id uuid not null,
  host text not null,
  pid integer not null,
  started_at timestamptz not null default now()
);

-- Which node holds which bind of a connector. No row above a connector's `binds`, so no operator sees more.
create table bind_lease (
  connector_id integer not null references configured_object on delete cascade,
  bind_number integer not null,
  node_id uuid not null,
  bound boolean not null default false,
  bound_at timestamptz,
  -- What a node tells staff of its binds (hodhod links). None of it is in an index, so that updates stay HOT.
  changed_at timestamptz not null default now(), -- when it came up or went down, last
  in_flight integer not null default 0, -- submit_sm without an answer, a second ago
  last_error text,
  last_error_at timestamptz,
  primary key (connector_id, bind_number)
) with (fillfactor = 50);

-- Written ahead: the messages whose parts are about to be written to one bind. A row goes when all of them are settled. What
-- stands here under a dead node is uncertain, everything else is known.
create table claim (
  id uuid primary key,
  node_id uuid not null,
  connector_id integer not null,
  bind_number integer not null,
  claimed_at timestamptz not null default now(),
  account_ids integer[] not null,
  message_ids uuid[] not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- A part that an SMSC took: what a receipt is matched against. Never updated. message_key is the id without what
-- operators vary (case, leading zeros, dashes); smsc_message_id the exact text where it differs.
create table submission (
  submitted_at timestamptz not null,
  connector_id integer not null,
  message_key text not null,
  smsc_message_id text,
  account_id integer not null,
  message_id uuid not null,
  part smallint not null,
  recipient text not null,
  recorded_ms integer, -- milliseconds from writing the part to recording it (submitted_at), and to its answer
  answer_ms integer,
  node integer, -- of node_run
  bind_number smallint
) partition by range (submitted_at);
-- Serves applyReceipts. An SMSC that gives no id leaves nothing to match.
create index submission_by_smsc_message_id on submission (connector_id, message_key) where message_key <> '';
-- Serve the timeline of one message and the receipt deadline: rows lie in order of time, so a summary is enough.
create index submission_by_time on submission using brin (submitted_at) with (pages_per_range = 16);
create index submission_by_message on submission using brin (message_id uuid_minmax_multi_ops)
  with (pages_per_range = 64, autosummarize = on);

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

-- Receipts that met no submission yet: the answer to submit_sm is still on its way, or was never ours.
create table unmatched_receipt (
  id bigint generated always as identity primary key,
  connector_id integer not null,
  smsc_message_id text not null,
  keys text[] not null, -- its normal forms, best first
  exact boolean not null, -- equal text is enough
  recipient text not null,
  verdict text not null,
  state text not null,
  error text,
  received_at timestamptz not null default now(),
  content text
);
-- Finds the newest parked receipts of a connector, so that the oldest beyond the bound can go.
create index unmatched_receipt_by_connector on unmatched_receipt (connector_id, id);

-- How far the deadline for receipts (reason 1301) has been carried out, a connector.
create table receipt_deadline (
  connector_id integer primary key, -- also of a connector that is gone: what it sent still waits
  done_until timestamptz not null
);

-- The last concatenation reference given to a phone, so that two long messages on their way to it never share one.
create table concatenation_reference (
  recipient text primary key,
  last integer not null,
  used_at timestamptz not null default now(),
  -- Which long messages to the phone hold a reference: three lists that go together.
  numbers integer[] not null default '{}',
  account_ids integer[] not null default '{}',
  message_ids uuid[] not null default '{}'
) with (fillfactor = 70);

-- Long messages that wait until a reference of their phone is free. Their rows in message_queue fall due when their validity ends; due_at is where
-- they belong.
create table reference_wait (
  recipient text not null,
  priority smallint not null,
  message_id uuid not null,
  account_id integer not null,
  due_at timestamptz not null,
  primary key (recipient, priority, message_id)
);

-- ---------------------------------------------------------------- idempotency

create table idempotency_key (
  account_id integer not null,
  key text not null,
  fingerprint bytea not null, -- SHA-256 of endpoint and parsed fields
  answer text not null, -- the body of the 200 answer
  created_at timestamptz not null default now(),
  primary key (account_id, key)
);
-- Serves dropOldIdempotencyKeys.
create index idempotency_key_by_age on idempotency_key using brin (created_at);

-- How many calls of accounts with requestsPerSecond each process gets, told each second: the limit
-- holds over all gateways together (src/store/account-usage.ts). Nothing here outlives a minute.
create unlogged table rate_demand (
  account_id int not null,
  process_id uuid not null,
  per_second double precision not null,
  told_at timestamptz not null,
  primary key (account_id, process_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- ---------------------------------------------------------------- inbound

-- One deliver_sm that carried text. `confirmed`: our deliver_sm_resp left on its link, so an equal one is another message.
create table inbound_part (
  id bigint generated always as identity primary key,
  connector_id integer not null,
  fingerprint bytea not null, -- SHA-256 of addresses, coding and octets
  confirmed boolean not null default false,
  sender text not null,
  recipient text not null,
  text_utf16 bytea not null, -- UTF-16LE: a part may begin or end with half a surrogate pair
  reference integer, -- of a concatenated message, with its number of parts and this one's place
  total smallint,
  number smallint,
  joined boolean not null default false,
  received_at timestamptz not null default now(),
  -- Which node's session owes the answer to a part that is not confirmed, and since when; null: that session is over. An equal deliver_sm
  -- is the same message only when no living session owes that answer, or one has owed it for 5 seconds.
  carried_by uuid,
  carried_at timestamptz,
  -- The part (its id) that began the next message under the same reference, so that this one's message takes no further parts.
  superseded_by bigint
);
create index inbound_part_unconfirmed on inbound_part (fingerprint) where not confirmed; -- serves storeInboundParts
create index inbound_part_open on inbound_part (connector_id, sender, recipient, reference) where not joined; -- serves joinInboundParts

-- A whole message from a subscriber. sequence is given under the account's counter row, so that its order is the order of
-- commits: a reader who has seen n will never find a new one at or below n. Account 0: not assigned.
create table inbound_message (
  account_id integer not null,
  sequence bigint not null,
  id uuid not null,
  sender text not null,
  recipient text not null,
  content text not null,
  received_at timestamptz not null,
  complete boolean not null default true,
  connector_id integer, -- that brought it
  stray boolean not null default false, -- brought by a connector that the line does not list: no account ever gets it
  content_erased boolean not null default false, -- a subscriber may send an empty text
  primary key (account_id, sequence)
);
-- Serves the lists of all accounts. The first blocks have no summary while they fill (src/store/partitions.ts).
create index inbound_message_by_id on inbound_message using brin (id uuid_minmax_multi_ops) with (pages_per_range = 16, autosummarize = on);
select brin_desummarize_range('inbound_message_by_id'::regclass, 0);
create index inbound_message_unassigned on inbound_message (recipient) where account_id = 0 and not stray; -- serves assignMessages

create table inbound_counter (
  account_id integer primary key,
  last bigint not null
) with (fillfactor = 20);

-- Replies of inbound rules (docs/rules.md): written with the received message, sent in the transaction that settles the row.
create table inbound_reply (
  -- Of the received message.
  id uuid primary key,
  account_id integer not null,
  line text not null,
  -- Who wrote, and gets the reply.
  number text not null,
  -- Of the folded text that was received.
  digest bytea not null,
  -- The reply; null: settled.
  content text,
  -- Whose answers must not be owed any more when the reply goes out.
  part_ids bigint[] not null,
  asked_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- When the reply was accepted as a message; null: it was not.
  sent_at timestamptz,
  -- A digest of what names the rule, and how many replies of it may be sent in an hour.
  rule bytea not null default '',
  max_per_hour integer not null default 600
);
create index inbound_reply_due on inbound_reply (asked_at) where content is not null;
create index inbound_reply_sent on inbound_reply (line, number, sent_at) where sent_at is not null;
create index inbound_reply_of_rule on inbound_reply (rule, sent_at) where sent_at is not null;
create index inbound_reply_by_text on inbound_reply (line, number, digest, asked_at);

-- ---------------------------------------------------------------- opt-outs

-- Numbers that want nothing from a line (docs/decisions/0035-numbers-by-the-million.md). By the number of the line: who asked not to be written to stays
-- asked for when a line is removed and comes back.
create table opt_out (
  line text not null,
  number text not null,
  -- Only this account is concerned; null: all that send from the line.
  account_id integer references account on delete cascade,
  how text not null,
  created_at timestamptz not null default now(),
  constraint how_is_known check (how in ('message', 'api', 'staff', 'import')),
  constraint api_concerns_its_account check ((how = 'api') = (account_id is not null)),
  constraint number_is_mobile check (number ~ '^989[0-9]{9}$')
);
create unique index opt_out_once on opt_out (line, number, coalesce(account_id, 0));
create index opt_out_by_account on opt_out (account_id) where account_id is not null;

-- What changed, for nodes that hold all entries in memory. They read what they could not see before, by the ids of transactions.
create table opt_out_change (
  xid xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null default now(),
  -- Of the same length; null: everything.
  lines text[],
  numbers text[]
);
create index opt_out_change_by_xid on opt_out_change (xid);

create or replace function note_opt_outs() returns trigger language plpgsql as $$
begin
  -- A backup brings its own notes.
  if current_setting('hodhod.restoring', true) = 'on' then
    return null;
  end if;
  if tg_op = 'TRUNCATE' then
    insert into opt_out_change default values;
  else
    insert into opt_out_change (lines, numbers) select array_agg(line), array_agg(number) from changed_rows having count(*) > 0;
  end if;
  perform pg_notify('hodhod_configuration', '');
  return null;
end $$;
create trigger note_inserted after insert on opt_out referencing new table as changed_rows for each statement execute function note_opt_outs();
create trigger note_deleted after delete on opt_out referencing old table as changed_rows for each statement execute function note_opt_outs();
create trigger note_truncated after truncate on opt_out for each statement execute function note_opt_outs();

-- ---------------------------------------------------------------- campaigns

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
  -- Characters that make texts of its rows dearer (sms/campaign.ts).
  costly jsonb not null default '[]',
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
  constraint pause_reason_is_known check (pause_reason in ('person', 'credit', 'ceiling', 'permission', 'restored'))
) with (fillfactor = 50);

create index campaign_of_account on campaign (account_id, id);
create index campaign_at_work on campaign (id) where state = 'sending' or canceling;

create table campaign_row (
  campaign_id uuid not null references campaign (id) on delete cascade,
  -- In the order in which the rows were sent up, from 1.
  number integer not null,
  -- As the spreadsheet counts it, with the line of names and empty rows; null: as number.
  file_row integer,
  -- 989…, or as it was given if it is no number.
  recipient text not null,
  -- The values of the columns; empty once a message is accepted.
  given jsonb not null,
  -- The file's row of an earlier one with the same recipient.
  duplicate_of integer,
  -- As found when the row was sent up, and again when it was fed.
  fault jsonb,
  message_id uuid,
  primary key (campaign_id, number)
) with (fillfactor = 70);

create index campaign_row_by_recipient on campaign_row (campaign_id, recipient);

-- ---------------------------------------------------------------- events and webhooks

-- The log of events: written by the statements that make the changes, for accounts that want them.
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
-- Events that name a number are found by it (docs/decisions/0039-erasing.md). Those of messages, which are nearly all, name none.
create index event_by_number on event ((detail ->> 'recipientNumber')) where detail is not null;

create table event_log (
  is_only boolean primary key default true,
  -- What a transaction's id is raised by, so that positions go on rising in a restored database.
  shift bigint not null default 0,
  constraint event_log_has_one_row check (is_only)
);
insert into event_log default values;

-- How far the sending to an endpoint is. One sender at a time claims it for a round of requests.
create table webhook_progress (
  endpoint_id uuid primary key references webhook_endpoint on delete cascade,
  -- A place in the log: what lies up to it was delivered, or waits in webhook_retry.
  position bigint not null,
  event_id uuid not null,
  -- As src/webhooks/endpoint-health.ts has it, without the two times.
  health json,
  paused_until timestamptz,
  failing_since timestamptz,
  -- Who has a round or requests under way, and until when this holds.
  claimed_by uuid,
  claimed_until timestamptz,
  -- When something is to be done that no new event announces.
  next_at timestamptz not null default now(),
  last_success_at timestamptz,
  last_failure_at timestamptz,
  -- The last success that was kept among the attempts.
  kept_success_at timestamptz
) with (fillfactor = 70);

-- Requests that failed and are tried again, and those whose answer takes long.
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

-- ---------------------------------------------------------------- reports and figures

-- Messages, parts and rials by day, line, operator and status, counted behind the traffic.
create table report_day (
  account_id integer not null,
  -- Of the acceptance, in the time zone of the reports.
  day date not null,
  line text not null,
  operator text not null,
  status smallint not null,
  messages bigint not null,
  -- Of status 4: canceled, not allowed, or of a recipient who had opted out. They say nothing of the delivery.
  withdrawn bigint not null default 0,
  parts bigint not null,
  charged bigint not null,
  -- Stands at status 4, even where a late receipt changes the status of a refunded message.
  refunded bigint not null,
  primary key (account_id, day, line, operator, status)
) with (fillfactor = 50);

-- What became of messages, by who carried them: for the shares delivered and the times to delivery of the last 60 days, counted with
-- report_day. Without messages that wait, and without those that ended for other reasons than the network's (src/store/delivery-quality.ts).
create table report_delivery (
  account_id integer not null, -- 0: all accounts together
  -- Of the acceptance: the beginning of a quarter of an hour; after four hours of the hour, after three days of the day in UTC.
  at timestamptz not null,
  line text not null,
  operator text not null,
  connector_id integer not null, -- that took it, or refused it last; 0: none did
  failure text not null, -- why it was not delivered; empty where it was, or nothing is known yet
  unreported integer not null, -- taken by the operator, without a receipt so far
  undelivered integer not null,
  unsent integer not null,
  -- Delivered: in less than so many seconds from the operator's answer to the receipt, and not in the column before.
  within_2 integer not null,
  within_5 integer not null,
  within_10 integer not null,
  within_20 integer not null,
  within_30 integer not null,
  within_60 integer not null,
  within_120 integer not null,
  within_300 integer not null,
  within_600 integer not null,
  within_1800 integer not null,
  within_3600 integer not null,
  within_21600 integer not null,
  within_86400 integer not null,
  within_864000 integer not null,
  primary key (account_id, at, line, operator, connector_id, failure)
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

-- What each process has counted in a minute. The time is its beginning.
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

-- ---------------------------------------------------------------- erasing of texts (docs/decisions/0039-erasing.md)

-- How far the texts of a kind (text, code, received) are erased, by the time in the ids.
create table erasure (
  kind text primary key,
  done_until timestamptz not null
);

-- Stretches before that whose messages had not all ended long enough.
create table erasure_left (
  kind text not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  look_at timestamptz not null,
  primary key (kind, from_at)
);

-- ---------------------------------------------------------------- triggers on the tables of the configuration

do $$
declare
  tables constant jsonb := '{
    "configured_object": ["network", ""], "removed_connector": ["network", ""], "token_key": ["network", ""],
    "ported_number": ["portedNumber", "number"],
    "account": ["account", "id", "created_at"],
    "account_balance": ["account", "account_id"],
    "person": ["account", "account_id", "created_at", "pending_secret", "recovery_codes", "factor_step", "factor_tries", "factor_tries_since"],
    "api_key": ["account", "account_id", "last_four", "created_at", "last_used_at", "retired"],
    "template": ["account", "account_id", "refused_reason", "asked_at"],
    "wanted_events": ["account", "account_id", "read_until"]
  }';
  table_name text;
  arguments text;
begin
  for table_name, arguments in
    select key, (select string_agg(quote_literal(argument), ', ') from jsonb_array_elements_text(value) as argument) from jsonb_each(tables)
  loop
    execute format('create trigger note_inserted after insert on %I referencing new table as new_rows for each statement execute function note_changed_rows(%s)', table_name, arguments);
    execute format('create trigger note_deleted after delete on %I referencing old table as old_rows for each statement execute function note_changed_rows(%s)', table_name, arguments);
    execute format('create trigger note_truncated after truncate on %I for each statement execute function note_changed_rows(%s)', table_name, arguments);
    -- That of the balance follows.
    continue when table_name = 'account_balance';
    execute format('create trigger note_updated after update on %I referencing old table as old_rows new table as new_rows for each statement execute function note_changed_rows(%s)', table_name, arguments);
  end loop;
end $$;

do $$
declare
  table_name text;
  kind text;
begin
  for table_name, kind in values ('ported_block', 'portedBlock'), ('listed_block', 'listedBlock')
  loop
    execute format('create trigger note_inserted after insert on %I referencing new table as new_rows for each statement execute function note_changed_blocks(%L)', table_name, kind);
    execute format('create trigger note_updated after update on %I referencing new table as new_rows for each statement execute function note_changed_blocks(%L)', table_name, kind);
    execute format('create trigger note_deleted after delete on %I referencing old table as old_rows for each statement execute function note_changed_blocks(%L)', table_name, kind);
    execute format('create trigger note_truncated after truncate on %I for each statement execute function note_changed_blocks(%L)', table_name, kind);
  end loop;
end $$;

-- The balance changes with each message, and is not of the configuration.
create or replace function note_changed_limit() returns trigger language plpgsql as $$
begin
  perform note_configuration_change('account', array[new.account_id::text]);
  return null;
end $$;
create trigger note_changed_limit after update of unlimited on account_balance for each row
  when (old.unlimited is distinct from new.unlimited) execute function note_changed_limit();
