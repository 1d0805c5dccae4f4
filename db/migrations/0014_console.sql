-- safe
-- Who may use the console: staff, and users of accounts with their roles; sessions and second factors of both; and the audit, which
-- says who changed what.
create table staff (
  id integer generated always as identity primary key,
  username text not null unique,
  password_hash text not null,
  -- Raised with each new password, which ends the sessions of the one before.
  password_version integer not null default 1,
  role text not null,
  enabled boolean not null default true,
  must_change_password boolean not null default false,
  created_at timestamptz not null default now(),
  constraint staff_role_is_known check (role in ('administrator', 'operator', 'sales', 'viewer'))
);

alter table account_user
  add column role text not null default 'owner',
  add column must_change_password boolean not null default false,
  add constraint user_role_is_known check (role in ('owner', 'sender', 'reader'));

alter table configuration
  add column staff_second_factor text not null default 'optional',
  add constraint staff_second_factor_is_known check (staff_second_factor in ('optional', 'required'));

-- A session is good only while its person has this password version and this role.
create table console_session (
  id uuid primary key,
  token_sha256 bytea not null unique,
  staff_id integer references staff (id) on delete cascade,
  user_id integer references account_user (id) on delete cascade,
  password_version integer not null,
  role text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  address text not null,
  user_agent text not null,
  constraint session_is_of_one_person check (num_nonnulls(staff_id, user_id) = 1)
) with (fillfactor = 80);
create index console_session_by_staff on console_session (staff_id) where staff_id is not null;
create index console_session_by_user on console_session (user_id) where user_id is not null;

-- The secret counts once a code of it was given; until then it stands in pending_secret.
create table second_factor (
  id integer generated always as identity primary key,
  staff_id integer unique references staff (id) on delete cascade,
  user_id integer unique references account_user (id) on delete cascade,
  secret bytea,
  pending_secret bytea,
  -- The time step of the last code that was taken: no code of it or of an earlier one is taken again.
  last_step bigint not null default 0,
  tries integer not null default 0,
  tries_since timestamptz not null default now(),
  constraint factor_is_of_one_person check (num_nonnulls(staff_id, user_id) = 1)
);

create table recovery_code (
  factor_id integer not null references second_factor (id) on delete cascade,
  code_sha256 bytea not null,
  primary key (factor_id, code_sha256)
);

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
