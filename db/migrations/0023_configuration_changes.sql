-- safe
-- What changed from one version of the configuration to the next, so that a node reads only that (docs/decisions/0034-changes-of-the-configuration.md).
-- Written by triggers, so that no statement can forget it. They belong to the tables; what they call is replaced when a backup is restored,
-- which drops the tables only.

-- Equal marks mean equal configurations, also where a restored database counts its versions once more.
alter table configuration add column mark uuid not null default gen_random_uuid();

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
  constraint changed_kind_is_known check (kind in ('network', 'account', 'portedNumber')),
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
  elsif tg_op = 'INSERT' then
    select count(*), array_agg(distinct key) into touched, found
      from (select to_jsonb(n) ->> tg_argv[1] as key from new_rows n limit most + 1) as changed;
  elsif tg_op = 'DELETE' then
    select count(*), array_agg(distinct key) into touched, found
      from (select to_jsonb(o) ->> tg_argv[1] as key from old_rows o limit most + 1) as changed;
  else
    select count(*) into touched from (select from new_rows limit most + 1) as changed;
    if touched <= most then
      with before as (select to_jsonb(o) - tg_argv[2:] as stored from old_rows o),
      after as (select to_jsonb(n) - tg_argv[2:] as stored from new_rows n),
      changed as ((select stored from before except select stored from after) union all (select stored from after except select stored from before))
      select count(*), array_agg(distinct stored ->> tg_argv[1]) into touched, found from changed;
    end if;
  end if;
  if touched > 0 then
    perform note_configuration_change(tg_argv[0], case when tg_argv[0] <> 'network' and touched <= most then found end);
  end if;
  return null;
end $$;

-- Only the last thousand versions: a node that is further behind reads everything.
create or replace function note_configuration_step() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - '{version,mark}'::text[] is distinct from to_jsonb(old) - '{version,mark}'::text[] then
    insert into configuration_change (version, kind) values (old.version + 1, 'network');
  end if;
  if new.version <> old.version then
    new.mark := gen_random_uuid();
    delete from configuration_step where version >= new.version or version <= new.version - 1000;
    delete from configuration_change where version <= new.version - 1000;
    insert into configuration_step (version, mark) values (new.version, new.mark);
  end if;
  return new;
end $$;
create trigger note_configuration_step before update on configuration for each row execute function note_configuration_step();

-- The balance changes with each message, and is not of the configuration.
create or replace function note_changed_limit() returns trigger language plpgsql as $$
begin
  perform note_configuration_change('account', array[new.account_id::text]);
  return null;
end $$;
create trigger note_changed_limit after update of unlimited on account_balance for each row
  when (old.unlimited is distinct from new.unlimited) execute function note_changed_limit();

do $$
declare
  tables constant jsonb := '{
    "operator": ["network", ""], "number_prefix": ["network", ""], "connector": ["network", ""], "removed_connector": ["network", ""],
    "route": ["network", ""], "route_connector": ["network", ""], "sender_line": ["network", ""], "line_connector": ["network", ""],
    "tariff": ["network", ""], "tariff_price": ["network", ""], "token_key": ["network", ""],
    "ported_number": ["portedNumber", "number"],
    "account": ["account", "id", "created_at", "low_credit"],
    "account_balance": ["account", "account_id"],
    "account_line": ["account", "account_id"],
    "account_user": ["account", "account_id", "must_change_password"],
    "api_key": ["account", "account_id", "last_four", "created_at", "last_used_at", "retired"],
    "template": ["account", "account_id", "refused_reason", "asked_at"]
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
    -- That of the balance is above.
    continue when table_name = 'account_balance';
    execute format('create trigger note_updated after update on %I referencing old table as old_rows new table as new_rows for each statement execute function note_changed_rows(%s)', table_name, arguments);
  end loop;
end $$;

create index template_by_account on template (account_id);
