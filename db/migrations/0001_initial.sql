-- safe
-- The whole first schema. Money is bigint rials; times are timestamptz; messages carry UUIDv7 keys, which hold the
-- millisecond of acceptance, so that tables can be cut by time without another column.

-- ---------------------------------------------------------------- configuration (what `hodhod apply` writes)

-- One row. Its version rises with every change, and running nodes reload when they see it rise.
create table configuration (
  only_row       boolean primary key default true,
  version        bigint not null default 1,
  retention_days integer not null default 400,
  system_service_line     text,
  system_advertising_line text,
  constraint configuration_is_one_row check (only_row),
  constraint retention_is_positive check (retention_days > 0)
);
insert into configuration default values;

create table operator (
  id      integer generated always as identity primary key,
  name    text not null unique,
  enabled boolean not null default true
);

-- National prefix without the leading 0: "912". The longest match names the operator.
create table number_prefix (
  prefix      text primary key,
  operator_id integer not null references operator on delete cascade
);

create table ported_number (
  number      text primary key, -- 989121112233
  operator_id integer not null references operator on delete cascade
);

create table connector (
  id       integer generated always as identity primary key,
  name     text not null unique,
  enabled  boolean not null default true,
  settings jsonb not null -- every other key of the setup file, defaults filled in, checked when written
);

create table route (
  id       integer generated always as identity primary key,
  position integer not null,
  operator text not null, -- operator name or *
  line     text not null, -- line number, kind or *
  constraint route_is_named_by_what_it_matches unique (operator, line)
);

create table route_connector (
  route_id     integer not null references route on delete cascade,
  position     integer not null,
  connector_id integer not null references connector on delete cascade,
  primary key (route_id, position)
);

create table tariff (
  id   integer generated always as identity primary key,
  name text not null unique
);

create table tariff_price (
  tariff_id integer not null references tariff on delete cascade,
  operator  text not null,
  line      text not null,
  language  text not null,
  price     bigint not null,
  primary key (tariff_id, operator, line, language),
  constraint price_is_not_negative check (price >= 0)
);

create table account (
  id                  integer generated always as identity primary key,
  name                text not null unique,
  domain              text not null,
  tariff_id           integer not null references tariff,
  permissions         text[] not null default '{*}',
  requests_per_second double precision not null default 0, -- 0: no limit
  allowed_ips         text[] not null default '{}',
  blocked_recipients  text[] not null default '{}', -- 989…
  created_at          timestamptz not null default now()
);

create table sender_line (
  id                 integer generated always as identity primary key,
  number             text not null unique,
  kind               text not null,
  inbound_account_id integer references account on delete set null,
  constraint line_kind_is_known check (kind in ('dedicated', 'service', 'advertising'))
);

create table account_line (
  account_id integer not null references account on delete cascade,
  line_id    integer not null references sender_line on delete cascade,
  primary key (account_id, line_id)
);

create table account_user (
  id            integer generated always as identity primary key,
  account_id    integer not null references account on delete cascade,
  username      text not null,
  password_hash text not null, -- argon2id, PHC string
  -- Rises with every new password; tokens carry it, so that a changed password kills them.
  password_version integer not null default 1,
  constraint username_is_unique_in_its_account unique (account_id, username)
);

create table api_key (
  id          integer generated always as identity primary key,
  account_id  integer not null references account on delete cascade,
  name        text not null,
  key_sha256  bytea not null unique,
  allowed_ips text[] not null default '{}',
  constraint key_name_is_unique_in_its_account unique (account_id, name)
);

create table template (
  id            text primary key,
  account_id    integer not null references account on delete cascade,
  content       text not null,
  sender        text, -- a line number, service, advertising, or none
  approved      boolean not null default false,
  valid_seconds integer
);

-- Keys that sign access tokens. The newest signs; older ones verify until retired_at.
create table token_key (
  id         integer generated always as identity primary key,
  secret     bytea not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);

-- ---------------------------------------------------------------- money

-- One narrow row an account, apart from `account`, because every accepting transaction updates it (kept HOT by the fill factor).
create table account_balance (
  account_id integer primary key references account on delete cascade,
  balance    bigint not null default 0,
  unlimited  boolean not null default false,
  constraint balance_is_never_below_zero check (balance >= 0 or unlimited)
) with (fillfactor = 20);

-- Every movement of money. The sum over an account is its balance, always: both change in the same transaction.
-- A charge carries its batch's id as its own: one movement a batch. Cut by time; when old parts are dropped,
-- their sum is carried forward by one entry an account. A void entry (amount 0) marks a batch id as never to be charged: its
-- accepting statement was cut off, and the caller was told that nothing was stored.
create table ledger_entry (
  account_id integer not null,
  id         uuid not null,
  kind       text not null,
  amount     bigint not null, -- signed: a charge is negative
  messages   integer not null default 0,
  message_id uuid, -- of a refund
  reference  text, -- of a credit booked by staff
  created_at timestamptz not null default now(),
  primary key (account_id, id),
  constraint ledger_kind_is_known check (kind in ('opening', 'credit', 'charge', 'refund', 'carried', 'void'))
) partition by range (id);

-- The references of credits booked by staff: a reference is booked once, whatever happens to old ledger entries.
create table credit_reference (
  account_id integer not null references account on delete cascade,
  reference  text not null,
  entry_id   uuid not null,
  amount     bigint not null,
  primary key (account_id, reference)
);

-- ---------------------------------------------------------------- messages

-- The truth about each accepted message. All messages of a batch carry the batch's millisecond in their key: a batch is
-- found by a range of the primary key, and needs no index of its own. Only columns that no index holds change after
-- the insert, so that updates stay HOT; the fill factor leaves them room.
create table message (
  account_id       integer not null,
  id               uuid not null,
  batch_id         uuid not null,
  sender           text not null, -- the line's number, as submitted
  recipient        text not null, -- 989…
  given_sender     text, -- as the caller wrote it, where it differs
  given_recipient  text,
  content          text not null,
  language         text not null,
  operator         text not null,
  encoding         text not null,
  parts            smallint not null,
  cost             bigint not null,
  template_id      text,
  status           smallint not null default 0,
  reason           smallint, -- 1301…1306
  reason_detail    text,
  route_id         integer not null,
  priority         smallint not null,
  reference        integer, -- concatenation reference of a long message
  send_at          timestamptz, -- of a scheduled message
  valid_until      timestamptz not null,
  tries            smallint not null default 0, -- times it was put back in the queue
  connector_id     integer, -- that took it, last
  parts_taken      integer not null default 0, -- bit n-1: part n was accepted by an SMSC
  parts_delivered  integer not null default 0,
  parts_undelivered integer not null default 0,
  sent_at          timestamptz,
  final_at         timestamptz,
  primary key (account_id, id),
  constraint message_status_is_known check (status between 0 and 4)
) partition by range (id);

-- What waits: one narrow row for each message that no dispatcher holds. Claiming deletes it, so a scan never meets
-- what is under way, and a million rows whose time lies ahead cost an immediate one nothing: the key puts each account's
-- due rows first.
create table message_queue (
  route_id    integer not null,
  priority    smallint not null, -- 0 one-time codes (template sends), 1 single calls, 2 multi-message calls
  account_id  integer not null,
  due_at      timestamptz not null,
  message_id  uuid not null,
  valid_until timestamptz not null,
  parts       smallint not null,
  attempt     smallint not null default 0, -- tries that were refused for now
  unanswered  smallint not null default 0, -- submissions that were never answered
  constraint message_queue_pkey primary key (route_id, priority, account_id, due_at, message_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
-- Serves cancelScheduledBatch and takeBackFromQueue: a message's row, its lane unknown.
create index message_queue_by_message on message_queue (account_id, message_id);

-- A part that was submitted and never answered, and will not be submitted again: a receipt, or the end of the message's validity, decides.
create table held_message (
  account_id   integer not null,
  message_id   uuid not null,
  connector_id integer not null,
  recipient    text not null, -- a receipt for an unanswered part can be matched by nothing else
  part         smallint not null,
  held_until   timestamptz not null, -- end of validity; the row stays on for receipts that come later
  primary key (account_id, message_id, part)
);

-- A living process. All it holds (binds, claims) is its own while lease_until lies ahead.
create table node (
  id          uuid primary key,
  host        text not null,
  started_at  timestamptz not null default now(),
  lease_until timestamptz not null
);

-- Which node holds which bind of a connector. No row above a connector's `binds`, so no operator sees more.
create table bind_lease (
  connector_id integer not null references connector on delete cascade,
  bind_number  integer not null,
  node_id      uuid not null,
  bound        boolean not null default false,
  bound_at     timestamptz,
  primary key (connector_id, bind_number)
) with (fillfactor = 50);

-- Written ahead: the messages whose parts are about to be written to one bind. A row goes when all of them are settled. What
-- stands here under a dead node is uncertain, everything else is known.
create table claim (
  id           uuid primary key,
  node_id      uuid not null,
  connector_id integer not null,
  bind_number  integer not null,
  claimed_at   timestamptz not null default now(),
  account_ids  integer[] not null,
  message_ids  uuid[] not null,
  attempts     smallint[] not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- A part that an SMSC took: what a receipt is matched against. Never updated. message_key is the id without what
-- operators vary (case, leading zeros, dashes); smsc_message_id the exact text where it differs.
create table submission (
  submitted_at    timestamptz not null,
  connector_id    integer not null,
  message_key     text not null,
  smsc_message_id text,
  account_id      integer not null,
  message_id      uuid not null,
  part            smallint not null,
  recipient       text not null
) partition by range (submitted_at);
-- Serves applyReceipts. An SMSC that gives no id leaves nothing to match.
create index submission_by_smsc_message_id on submission (connector_id, message_key) where message_key <> '';
-- Serve the timeline of one message and the receipt deadline: rows lie in order of time, so a summary is enough.
create index submission_by_time on submission using brin (submitted_at) with (pages_per_range = 16);

-- Receipts that met no submission yet: the answer to submit_sm is still on its way, or was never ours.
create table unmatched_receipt (
  id            bigint generated always as identity primary key,
  connector_id  integer not null,
  smsc_message_id text not null,
  keys          text[] not null, -- its normal forms, best first
  exact         boolean not null, -- equal text is enough
  recipient     text not null,
  verdict       text not null,
  state         text not null,
  error         text,
  received_at   timestamptz not null default now()
);

-- How far the deadline for receipts (reason 1301) has been carried out, a connector.
create table receipt_deadline (
  connector_id integer primary key, -- also of a connector that is gone: what it sent still waits
  done_until   timestamptz not null
);

-- The last concatenation reference given to a phone, so that two long messages on their way to it never share one.
create table concatenation_reference (
  recipient  text primary key,
  last       integer not null,
  used_at    timestamptz not null default now()
) with (fillfactor = 70);

-- ---------------------------------------------------------------- idempotency

create table idempotency_key (
  account_id  integer not null,
  key         text not null,
  fingerprint bytea not null, -- SHA-256 of endpoint and parsed fields
  answer      text not null, -- the body of the 200 answer
  created_at  timestamptz not null default now(),
  primary key (account_id, key)
);
-- Serves dropOldIdempotencyKeys.
create index idempotency_key_by_age on idempotency_key using brin (created_at);

-- ---------------------------------------------------------------- inbound

-- One deliver_sm that carried text. `confirmed`: our deliver_sm_resp left on its link, so an equal one is another message.
create table inbound_part (
  id             bigint generated always as identity primary key,
  connector_id   integer not null,
  fingerprint    bytea not null, -- SHA-256 of addresses, coding and octets
  confirmed      boolean not null default false,
  sender         text not null,
  recipient      text not null,
  text_utf16     bytea not null, -- UTF-16LE: a part may begin or end with half a surrogate pair
  reference      integer, -- of a concatenated message, with its number of parts and this one's place
  total          smallint,
  number         smallint,
  joined         boolean not null default false,
  received_at    timestamptz not null default now()
);
create index inbound_part_unconfirmed on inbound_part (fingerprint) where not confirmed; -- serves storeInboundParts
create index inbound_part_open on inbound_part (connector_id, sender, recipient, reference) where not joined; -- serves joinInboundParts

-- A whole message from a subscriber. sequence is given under the account's counter row, so that its order is the order of
-- commits: a reader who has seen n will never find a new one at or below n. Account 0: not assigned.
create table inbound_message (
  account_id  integer not null,
  sequence    bigint not null,
  id          uuid not null,
  sender      text not null,
  recipient   text not null,
  content     text not null,
  received_at timestamptz not null,
  complete    boolean not null default true,
  primary key (account_id, sequence)
);

create table inbound_counter (
  account_id integer primary key,
  last       bigint not null
) with (fillfactor = 20);
